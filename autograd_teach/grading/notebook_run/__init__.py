"""Runs a rebuilt notebook through nbval in one box, and reports what happened in each cell.

run.py      the grader's side: opens a box and reads its report
inside.py   in the box: nbval, which watches the kernel
kernel.py   in the box: the notebook's kernel
"""

from .run import CellRecord, Limits, Nbval, NotebookRun, Runner

__all__ = ["CellRecord", "Limits", "Nbval", "NotebookRun", "Runner"]
