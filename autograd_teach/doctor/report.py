"""The report: a table for a terminal, JSON for programs, and the sentence at the end of both."""

import getpass
import json
import os
import re
import textwrap
from collections.abc import Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import TextIO

from ..colour import styled
from ..plain import counted, line
from .examination import Line
from .finding import Finding, State

SIGNS = {State.OK: "ok", State.OPTIONAL: "--", State.BROKEN: "!!", State.UNKNOWN: "??"}
_STYLES = {State.OK: "good", State.OPTIONAL: "warn", State.BROKEN: "bad", State.UNKNOWN: "warn"}
_MEANINGS = {
    State.OK: "is there and works",
    State.OPTIONAL: "optional: missing, or could be better",
    State.BROKEN: "students need this: missing or broken",
    State.UNKNOWN: "could not be found out",
}

_NAMES = 11
_INDENT = " " * (2 + 2 + 2 + _NAMES + 1)
_WIDEST = 100


def status(lines: Sequence[Line]) -> int:
    """1 if something that students need is missing or broken, else 0."""
    return int(any(each.finding.state is State.BROKEN for each in lines))


def folded(lines: Sequence[Line], short: Mapping[str, str]) -> list[Line]:
    """`lines` with one line in place of each group that `short` names, by its heading."""
    found: list[Line] = []
    for group, several in groupby(lines, lambda each: each.group):
        if group in short:
            found.append(Line("For instructors", short[group], _folded(list(several))))
        else:
            found += several
    return found


def _folded(lines: Sequence[Line]) -> Finding:
    for state, words in ((State.UNKNOWN, "could not be examined"), (State.OPTIONAL, "missing, or could be better")):
        names = [each.name for each in lines if each.finding.state is state]
        if names:
            return Finding(state, f"{', '.join(names)}: {words}", "`autograd-teach doctor --all` says more.")
    return Finding(State.OK, "all that is needed is here")


def table(lines: Sequence[Line], width: int, stream: TextIO, is_all_asked_for: bool = False) -> str:
    """The report as text of `width` columns, with colours if `stream` shows them."""
    width = max(60, min(width, _WIDEST))
    rows: list[str] = []
    for group, found in groupby(lines, lambda each: each.group):
        rows += [styled(group, "bold", stream)]
        for each in found:
            rows += _rows(each, width, stream)
        rows.append("")
    states = [state for state in State if any(each.finding.state is state for each in lines)]
    rows += [f"{styled(SIGNS[state], _STYLES[state], stream)}  {_MEANINGS[state]}" for state in states]
    return "\n".join([*rows, "", *textwrap.wrap(private(summary(lines, is_all_asked_for)), width)])


def _rows(found: Line, width: int, stream: TextIO) -> list[str]:
    finding, sign = found.finding, SIGNS[found.finding.state]
    first = f"  {sign}  {found.name:<{_NAMES}} "
    words = _wrapped(finding.words, width, first)
    words[0] = words[0].replace(sign, styled(sign, _STYLES[finding.state], stream), 1)
    advice = _wrapped(finding.advice, width, _INDENT) if finding.advice else []
    return [*words, *advice, *(f"{_INDENT}  {_typed(command)}" for command in finding.commands)]


def _wrapped(text: str, width: int, first: str) -> list[str]:
    return textwrap.wrap(
        private(text),
        width,
        initial_indent=first,
        subsequent_indent=_INDENT,
        break_long_words=False,
        break_on_hyphens=False,
    )


def summary(lines: Sequence[Line], is_all_asked_for: bool = False) -> str:
    """What all of it means, in one to three sentences; what works for instructors is told if all is asked for."""
    broken = [each.name for each in lines if each.finding.state is State.BROKEN]
    unknown = [each.name for each in lines if each.finding.state is State.UNKNOWN]
    said = "Everything that students need is here."
    if broken:
        said = f"Something that students need is missing or does not work (!!): {', '.join(broken)}."
        said += " Installing the course again brings all its packages." * (len(broken) > 1)
    findings = [each.finding for each in lines]
    told = [each.summary for each in findings if is_all_asked_for or each.state is not State.OK]
    sentences = [*told, said]
    if unknown:
        sentences.append(f"{counted(len(unknown), 'thing')} could not be found out: {', '.join(unknown)}.")
    return " ".join(filter(None, sentences))


def as_json(lines: Sequence[Line], version: str | None, is_all_asked_for: bool = False) -> str:
    """The same for programs and bug reports, in ASCII."""
    findings = [
        {
            "group": each.group,
            "name": each.name,
            "state": each.finding.state.value,
            "words": private(each.finding.words),
            "advice": private(each.finding.advice),
            "commands": [private(command) for command in each.finding.commands],
        }
        for each in lines
    ]
    told = private(summary(lines, is_all_asked_for))
    report = {"version": version, "status": status(lines), "summary": told, "findings": findings}
    return json.dumps(report, indent=1)


def private(text: str) -> str:
    """`text` in one line, without what names the user: the home folder is `~`, the user's name in other paths USER."""
    return _hidden(text, [*_homes(), *_names()])


def _typed(command: str) -> str:
    """A command that still works when it is copied: the home folder is `~`, and nothing else is hidden."""
    return _hidden(command, _homes())


def _hidden(text: str, patterns: Sequence[tuple[str, str]]) -> str:
    text = line(text)
    for pattern, short in patterns:
        text = re.sub(pattern, short, text)
    return text


def _names() -> list[tuple[str, str]]:
    try:
        user = getpass.getuser()
    except (KeyError, OSError, ImportError):  # a container's user may have no name
        return []
    return [(f"(?<=[/\\\\]){re.escape(user)}(?=[/\\\\\\s]|$)", "USER")] if user else []


def _homes() -> list[tuple[str, str]]:
    homes = {os.path.expanduser("~"), os.path.realpath(os.path.expanduser("~"))}
    homes |= {home.replace("\\", "/") for home in homes}
    longest_first = sorted(homes, key=len, reverse=True)
    return [(f"{re.escape(home)}(?![\\w-])", "~") for home in longest_first if len(Path(home).parts) > 1]
