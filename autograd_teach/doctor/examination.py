"""Runs the probes, each with a limit, all at the same time; nothing that a probe does ends this."""

import queue
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from .finding import Finding, Group, Probe, State

PATIENCE = 2.0
"""Seconds after which a user is told what is waited for."""


@dataclass(frozen=True)
class Line:
    """What was found by one probe of one group."""

    group: str
    name: str
    finding: Finding


def examine(groups: Sequence[Group], tell: Callable[[str], None] = lambda name: None) -> list[Line]:
    """The lines of all probes, in the order of the tables. `tell` is called with the name of one that takes long."""
    running = [(group, probe, _Running(probe)) for group in groups for probe in group.probes]
    found = ((group.name, probe.name, each.result(tell)) for group, probe, each in running)
    return [Line(group, name, finding) for group, name, finding in found if finding is not None]


class _Running:
    """A probe at work in a thread of its own, which ends with the process: a probe that hangs is not waited for."""

    def __init__(self, probe: Probe) -> None:
        self._probe, self._end = probe, time.monotonic() + probe.seconds
        self._answer: queue.SimpleQueue[Finding | None] = queue.SimpleQueue()
        threading.Thread(target=self._run, daemon=True, name=probe.name).start()

    def _run(self) -> None:
        try:
            self._answer.put(self._probe.examine())
        except BaseException as error:  # noqa: BLE001  # whatever it is, it is a line of the report
            said = f"{type(error).__name__}: {error}".removesuffix(": ")
            self._answer.put(Finding(State.UNKNOWN, f"could not be examined: {said}"))

    def result(self, tell: Callable[[str], None]) -> Finding | None:
        """What was found; waits for it no longer than the probe may take."""
        for patience in (PATIENCE, self._probe.seconds):
            try:
                return self._answer.get(timeout=max(0.0, min(patience, self._end - time.monotonic())))
            except queue.Empty:
                if time.monotonic() < self._end:
                    tell(self._probe.name)
        return Finding(State.UNKNOWN, f"could not be examined within {self._probe.seconds:g} seconds")
