"""One box for one submission: everything that runs a student's code runs in one, and nothing of it is left afterwards.

    isolation.py    what can stand between a box and this machine; probe.py finds what works here
    box.py          boxes as the grader sees them: open one, exchange bytes with it, learn how it ended
    forkserver.py   an interpreter that has loaded a job (the oracle's side of an answer, or a notebook) and is forked
    supervisor.py   makes a box, watches what it uses, ends it
    confine.py      what a process gives up before a student's code runs in it; syscalls.py: what it may still ask for
    cgroups.py      a control group for the whole box, if the machine gives one
    usage.py        CPU time, memory and sleep of all its processes

Must not know notebooks, students or points.
"""

from .box import Box, Boxes, Ended, Interrupted, Lost, NotMade, TooSlow
from .isolation import Isolation, filters_calls, limits_files, readable_by_anyone
from .probe import available, problem_with, why
from .supervisor import Bounds

__all__ = [
    "Bounds",
    "Box",
    "Boxes",
    "Ended",
    "Interrupted",
    "Isolation",
    "Lost",
    "NotMade",
    "TooSlow",
    "available",
    "filters_calls",
    "limits_files",
    "problem_with",
    "readable_by_anyone",
    "why",
]
