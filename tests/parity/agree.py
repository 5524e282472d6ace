"""Runs one program with autograd_teach and with PyTorch and compares all that a user can see of it."""

import inspect
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

import autograd_teach


def agree(program: Callable[[Any], Any], ulp: int = 2) -> None:
    """`program(torch)` gives equal results, errors and warnings under both; numbers up to `ulp` units."""
    import torch

    ours, theirs = (observed(program, library) for library in (autograd_teach, torch))
    same(ours, theirs, ulp)


def observed(program: Callable[[Any], Any], library: Any) -> tuple[Any, list[str]]:
    """The program's result, or its error's type and text, and the texts of its warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        # As the package does at import: NumPy's warnings about 1/0 and the like, which PyTorch does not give.
        warnings.filterwarnings("ignore", category=RuntimeWarning, module="autograd_teach")
        try:
            result = program(library)
        except Exception as error:  # noqa: BLE001  whichever it is, it is what is compared
            result = (type(error).__name__, str(error))
    return result, [str(warning.message) for warning in caught]


def same(ours: Any, theirs: Any, ulp: int) -> None:
    """Compare two results: containers by entry, tensors by dtype, shape and values, the rest as it is."""
    if hasattr(theirs, "detach"):
        assert str(ours.dtype) == str(theirs.dtype)
        assert ours.requires_grad == theirs.requires_grad
        same(ours.detach().numpy(), theirs.detach().numpy(), ulp)
    elif isinstance(theirs, np.ndarray):
        assert ours.shape == theirs.shape
        if theirs.dtype.kind == "f":
            np.testing.assert_array_max_ulp(ours, theirs, maxulp=ulp)
        else:
            np.testing.assert_array_equal(ours, theirs)
    elif isinstance(theirs, dict):
        assert list(ours) == list(theirs)
        same(list(ours.values()), list(theirs.values()), ulp)
    elif isinstance(theirs, list | tuple):
        assert len(ours) == len(theirs), (ours, theirs)
        for one, other in zip(ours, theirs, strict=True):
            same(one, other, ulp)
    elif isinstance(theirs, float):
        same(np.float64(ours).reshape(1), np.float64(theirs).reshape(1), ulp)
    else:
        assert ours == theirs, (ours, theirs)


def parameters(function: Callable[..., Any]) -> list[tuple[str, Any, Any]]:
    """Name, kind and default of each parameter of a function."""
    return [(p.name, p.kind, p.default) for p in inspect.signature(function).parameters.values()]


class Programs(dict[str, Callable[[Any], Any]]):
    """A table of programs by name; `@programs` adds a function to it."""

    def __call__(self, program: Callable[[Any], Any]) -> Callable[[Any], Any]:
        self[program.__name__] = program
        return program


def nodes(tensor: Any) -> Any:
    """The graph under a tensor as nested tuples of node names."""

    def of(node: Any) -> Any:
        return node and (node.name(), *(of(following) for following, _ in node.next_functions))

    return of(tensor.grad_fn)
