"""Runs a rebuilt notebook through nbval, all of it in one box, and says what happened in each cell.

run.py      the grader's side: opens a box, reads the report that comes out of it
inside.py   in the box: nbval, which watches the kernel
kernel.py   in the box: the notebook's kernel
"""

from .run import CellRecord, Limits, Nbval, NotebookRun, Runner

__all__ = ["CellRecord", "Limits", "Nbval", "NotebookRun", "Runner"]
