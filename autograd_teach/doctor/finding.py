"""What a probe is, and what it finds."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum


class State(StrEnum):
    """What a finding means for the person who reads it."""

    OK = "ok"
    OPTIONAL = "optional"
    """Missing, or not as good as it could be; students can do without it."""
    BROKEN = "broken"
    """Students need it, and it is missing or does not work."""
    UNKNOWN = "unknown"
    """The probe itself failed, or took too long."""


@dataclass(frozen=True)
class Finding:
    """One line of the report, and what to do about it.

    words: what is there, or what is lost without it. advice: what to do, in sentences. commands: what to type for it, each a line of its own.
    summary: a sentence for the end of the report.
    """

    state: State
    words: str
    advice: str = ""
    commands: tuple[str, ...] = ()
    summary: str = ""


def ok(words: str, summary: str = "") -> Finding:
    """It is there and works."""
    return Finding(State.OK, words, summary=summary)


def optional(words: str, advice: str = "", *commands: str, summary: str = "") -> Finding:
    """It is missing or could be better, and students can do without it."""
    return Finding(State.OPTIONAL, words, advice, commands, summary)


def broken(words: str, advice: str = "", *commands: str) -> Finding:
    """Students need it, and it is missing or does not work."""
    return Finding(State.BROKEN, words, advice, commands)


@dataclass(frozen=True)
class Probe:
    """One row of the tables of probes: examines one thing.

    `examine` returns None if there is nothing to say on this machine. It may raise: that becomes a finding, too.
    """

    name: str
    examine: Callable[[], Finding | None]
    seconds: float = 10.0
    """The most that it may take."""


@dataclass(frozen=True)
class Group:
    """The probes under one heading."""

    name: str
    probes: tuple[Probe, ...]
    short: str = ""
    """The name of the one line that students see in its place; "" if they see all of it."""
