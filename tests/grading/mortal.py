"""Preloaded by the workers of test_scheduler.py: an answer that says so kills its worker. Used by that file only.

Real answers cannot: they run in a sandbox. What a machine dies of, with whichever student on it, is not for a test to arrange.
"""

import os
import signal
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from autograd_teach.grading import judge
from autograd_teach.grading.rebuild import Assignment
from autograd_teach.grading.results import Mark
from autograd_teach.grading.verdicts import Judge

DEADLY = "# kills the worker that judges it"
_called = judge.called


@contextmanager
def called(*arguments: Any, **options: Any) -> Iterator[Judge]:
    with _called(*arguments, **options) as judged:

        def mortal(assignment: Assignment, answers: Mapping[str, str], stop: threading.Event) -> dict[str, Mark]:
            if any(DEADLY in source for source in answers.values()):
                os.kill(os.getpid(), signal.SIGKILL)
            return judged(assignment, answers, stop)

        yield mortal


def dask_setup(worker: object) -> None:
    """dask calls this in every worker process that is started with this preload."""
    judge.called = called
