"""What is right in every exercise: a module for each notebook, and the registry over them.

Never loaded, and not to be seen, in a process that runs a student's code for a grade. May use NumPy. Must not know the
engine: the grader's own process reads this without loading what a student's code uses.
"""

import importlib
from functools import cache

from ..checks.spec import Spec
from ..exercises import Exercise, module_of


@cache
def _of_module(module: str) -> dict[str, Spec]:
    found: dict[str, Spec] = importlib.import_module(f"{__name__}.{module}").SPECS
    return found


def spec_of(exercise: Exercise) -> Spec:
    """What is right in `exercise`.

    >>> from autograd_teach.course.exercises import exercise
    >>> len(spec_of(exercise("09.Scale")).mistakes) > 3
    True
    """
    return _of_module(module_of(exercise))[exercise.entry]
