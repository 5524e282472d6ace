"""The registry of all exercises, in the order of the notebooks. Each notebook has one or two modules of declarations.

A student's code may import everything here: names, titles, hints, how an answer is used, how arguments are made. The
specifications are in ../specs, in modules of the same names. May use NumPy. Must not use the engine.
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
    e14_layers,
    e14_losses_and_grad_output,
    e15_implicit_functions,
    e16_build_your_own,
)
from .declaration import CallForm, Exercise, FunctionForm, Kind, Leaf, Prepared, Program, Watched

__all__ = [
    "CallForm",
    "Exercise",
    "FunctionForm",
    "Kind",
    "Leaf",
    "Prepared",
    "Program",
    "Watched",
    "exercise",
    "exercises",
    "module_of",
]

_MODULES = (
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
    e14_layers,
    e15_implicit_functions,
    e16_build_your_own,
)
"""The modules in the order of the notebooks."""

_ALL: tuple[Exercise, ...] = tuple(each for module in _MODULES for each in module.EXERCISES)
_BY_ID = {each.id: each for each in _ALL}


def exercises(notebook: str | None = None) -> tuple[Exercise, ...]:
    """The exercises of `notebook` ("09_custom_functions" or "09"), or all exercises. Empty if there are none.

    >>> [each.id for each in exercises("09_custom_functions")][:2]
    ['09.KillHead', '09.Scale']
    """
    if notebook is None:
        return _ALL
    return tuple(each for each in _ALL if notebook in (each.notebook, each.notebook.partition("_")[0]))


def exercise(id: str) -> Exercise:
    """The exercise with this `id`, for example "09.Scale". Raises `UserError`, which names similar ids, if there is none.

    >>> exercise("09.Scale").entry
    'Scale'
    """
    if isinstance(id, str) and id in _BY_ID:
        return _BY_ID[id]
    said = id if isinstance(id, str) else getattr(id, "__name__", type(id).__name__)
    by_lower = {known.lower(): known for known in _BY_ID}
    near = [known for known in _BY_ID if known.partition(".")[2].lower() == said.lower()]
    if said.lower() in by_lower:
        near = [by_lower[said.lower()]]
    near = near or [by_lower[match] for match in get_close_matches(said.lower(), by_lower, n=3)]
    raise UserError(
        (
            f"There is no exercise {id!r}; "
            if isinstance(id, str)
            else "The first argument is the exercise's name as a string; "
        )
        + (f"did you mean {' or '.join(map(repr, near))}?" if near else "`progress()` lists them all.")
    )


def module_of(exercise: Exercise) -> str:
    """The name of the module that declares `exercise`, the same here and in ../specs.

    >>> module_of(exercise("09.Scale"))
    'e09_custom_functions'
    """
    for module in _MODULES:
        if any(each.id == exercise.id for each in module.EXERCISES):
            return module.__name__.rpartition(".")[2]
    return f"e{exercise.notebook}"
