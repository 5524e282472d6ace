"""The specifications of all exercises: a module for each notebook, and the registry of these modules.

Never loaded or visible in a process that runs a student's code for a grade. May use NumPy. Must not import the engine: the
grader's own process reads the specifications without loading what a student's code uses.
"""

import importlib
from functools import cache

from ..checks.spec import Spec
from ..errors import UserError
from ..exercises import Exercise, module_of


@cache
def _of_module(module: str) -> dict[str, Spec]:
    found: dict[str, Spec] = importlib.import_module(f"{__name__}.{module}").SPECS
    return found


def spec_of(exercise: Exercise) -> Spec:
    """The specification of `exercise`. Raises `UserError` if it does not have one.

    >>> from autograd_teach.course.exercises import exercise
    >>> spec_of(exercise("09.Scale")).forward(2.0, 3.0)
    6.0
    """
    module = module_of(exercise)
    spec = _of_module(module).get(exercise.entry)
    if spec is None:
        raise UserError(
            f"{exercise.id} does not have a specification; "
            f"add a row {exercise.entry!r} to SPECS in autograd_teach/course/specs/{module}.py."
        )
    return spec
