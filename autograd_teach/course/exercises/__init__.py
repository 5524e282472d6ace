"""Every exercise of the course, in the order of the notebooks: the registry over one module of declarations a notebook.

May use NumPy. Must not know the engine: the grader's own process reads this without loading what a student's code uses.
"""

from difflib import get_close_matches

from ..errors import UserError
from . import (
    e00_start_here,
    e01_requires_grad,
    e02_grad_and_backward,
    e03_the_graph,
    e04_dynamic_graphs,
    e05_no_grad_and_detach,
    e06_freed_graphs,
    e07_higher_order,
    e08_in_place,
    e09_custom_functions,
    e10_gradcheck,
    e11_saving_tensors,
    e12_arguments_and_options,
    e13_outputs_and_side_effects,
    e14_losses_and_grad_output,
    e15_implicit_functions,
    e16_build_your_own,
)
from .declaration import Also, Arguments, Call, Exercise, Gradcheck, Kind, Leaf, Mistake, Place, Program, Watched

__all__ = [
    "Also",
    "Arguments",
    "Call",
    "Exercise",
    "Gradcheck",
    "Kind",
    "Leaf",
    "Mistake",
    "Place",
    "Program",
    "Watched",
    "exercise",
    "exercises",
]

_ALL: tuple[Exercise, ...] = (
    *e00_start_here.EXERCISES,
    *e01_requires_grad.EXERCISES,
    *e02_grad_and_backward.EXERCISES,
    *e03_the_graph.EXERCISES,
    *e04_dynamic_graphs.EXERCISES,
    *e05_no_grad_and_detach.EXERCISES,
    *e06_freed_graphs.EXERCISES,
    *e07_higher_order.EXERCISES,
    *e08_in_place.EXERCISES,
    *e09_custom_functions.EXERCISES,
    *e10_gradcheck.EXERCISES,
    *e11_saving_tensors.EXERCISES,
    *e12_arguments_and_options.EXERCISES,
    *e13_outputs_and_side_effects.EXERCISES,
    *e14_losses_and_grad_output.EXERCISES,
    *e15_implicit_functions.EXERCISES,
    *e16_build_your_own.EXERCISES,
)
_BY_ID = {each.id: each for each in _ALL}


def exercises(notebook: str | None = None) -> tuple[Exercise, ...]:
    """The exercises of `notebook` ("09_custom_functions", or its number "09"), or all; empty where there is none.

    >>> [each.id for each in exercises("09_custom_functions")]
    ['09.KillHead', '09.Scale', '09.Exp']
    """
    if notebook is None:
        return _ALL
    return tuple(each for each in _ALL if notebook in (each.notebook, each.notebook.partition("_")[0]))


def exercise(id: str) -> Exercise:
    """The exercise called `id`, "09.Scale"; a `UserError` that names the nearest ones where there is none.

    >>> exercise("09.Scale").entry
    'Scale'
    """
    if id in _BY_ID:
        return _BY_ID[id]
    by_lower = {known.lower(): known for known in _BY_ID}
    near = [by_lower[match] for match in get_close_matches(str(id).lower(), by_lower, n=3)]
    raise UserError(
        f"There is no exercise {id!r}; "
        + (f"did you mean {' or '.join(map(repr, near))}?" if near else f"the exercises are {', '.join(_BY_ID)}.")
    )
