"""One box per submission: all students' code runs in boxes, and nothing of a box is left afterwards.

    isolation.py    the kinds of isolation; probe.py finds those that work on this machine
    enclose.py      makes namespaces where bubblewrap is not installed
    box.py          the grader's view of boxes: open one, exchange bytes with it, find out how it ended
    forkserver.py   an interpreter that has loaded a job (the oracle's server, or nbval with a notebook) and is forked
    supervisor.py   makes a box, watches its resource usage, ends it
    confine.py      restricts a process before a student's code runs in it; syscalls.py: the system calls that stay allowed
    cgroups.py      a control group for the whole box, if the machine allows one
    usage.py        CPU time, memory and sleep of all processes of a box

Must not know notebooks, students or points.
"""

from .box import Box, Boxes, Ended, Interrupted, Lost, NotMade, TooSlow
from .isolation import Isolation, copies, filters_calls, limits_files, readable_by_anyone
from .probe import available, problem_with, problems, why
from .supervisor import Bounds

__all__ = [
    "Bounds", "Box", "Boxes", "Ended", "Interrupted", "Isolation", "Lost", "NotMade", "TooSlow",
    "available", "copies", "filters_calls", "limits_files", "problem_with", "problems", "readable_by_anyone", "why",
]  # fmt: skip
