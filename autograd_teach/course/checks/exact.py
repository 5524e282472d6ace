"""Reads what a student's code has made by exact type, through references that were taken before that code ran.

`isinstance` believes the property `__class__`, and a subclass can bring properties and methods that lie; `type` cannot be
answered for. So a subclass of a tensor is no tensor here, and a tensor's numbers and flags are read by the engine's own
methods. This is a hindrance, not a proof: code in this process that walks its frames can change what it likes. Points
are decided by numbers, compared in another process.

NumPy, and the engine that is read.
"""

import functools
import importlib
import sys
from types import ModuleType
from typing import Any

import numpy as np
from numpy import array_equal, asarray, shares_memory  # bound here: what is set in `numpy` later is not asked

OURS = "autograd_teach"
ENGINES = (OURS, "torch")
NUMBERS = (bool, int, float)
NUMPY_NUMBERS = frozenset(np.sctypeDict.values())
_FLAGS = ("requires_grad", "is_leaf", "grad")


class Engine:
    """One engine's classes, and how its tensors are read, as they were when this was made."""

    def __init__(self, name: str) -> None:
        self.torch: Any = importlib.import_module(name)
        tensor = self.torch.Tensor
        self.function: type = importlib.import_module(f"{name}.autograd").Function
        self.kinds = (tensor, importlib.import_module(f"{name}.nn").Parameter)
        self._detach, self._numpy = tensor.detach, tensor.numpy
        self._flags = {flag: getattr(tensor, flag) for flag in _FLAGS}  # properties

    def is_tensor(self, thing: Any) -> bool:
        """Whether it is one of the engine's own tensors or parameters."""
        return type(thing) in self.kinds

    def array(self, tensor: Any) -> np.ndarray:
        """A tensor's numbers, which it goes on sharing."""
        return asarray(self._numpy(self._detach(tensor)))

    def flag(self, tensor: Any, name: str) -> Any:
        """A tensor's `requires_grad`, `is_leaf` or `grad`."""
        return self._flags[name].__get__(tensor, type(tensor))


@functools.cache
def engine(name: str) -> Engine:
    """The engine of that name; in a grade ours is asked for once before any student's code runs."""
    return Engine(name)


def engine_of_module(module: Any) -> Engine:
    """The engine that `module` is; ours where it is none."""
    name = next((name for name in ENGINES if module is not None and _loaded(name) is module), OURS)
    return engine(name)


def engine_of_function(function: type) -> Engine | None:
    """The engine from whose `Function` the class is derived."""
    loaded = (engine(name) for name in ENGINES if _loaded(name) is not None)
    return next((each for each in loaded if each.function in type.mro(function)), None)


def _loaded(name: str) -> ModuleType | None:
    return sys.modules.get(name)


def is_same(one: np.ndarray, other: np.ndarray) -> bool:
    """Whether two arrays hold the same numbers, NaN for NaN."""
    return bool(array_equal(one, other, equal_nan=one.dtype.kind in "fc" and other.dtype.kind in "fc"))


def is_shared(one: np.ndarray, other: np.ndarray) -> bool:
    """Whether two arrays have memory in common."""
    return bool(shares_memory(one, other))
