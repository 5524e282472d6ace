"""Reads objects of a student's code by their exact type, through references taken before that code ran.

`isinstance` trusts the property `__class__`, and a subclass can define properties and methods that lie; `type` cannot be
overridden. So an instance of a subclass of Tensor does not count as a tensor here, and the numbers and flags of a tensor
are read with the engine's own methods. This makes cheating harder but not impossible: code in this process can walk the
frames and change anything. Points are decided by numbers, compared in another process.

NumPy, and the engine that is read.
"""

import functools
import importlib
import sys
from types import ModuleType
from typing import Any

import numpy as np
from numpy import array_equal, asarray, shares_memory  # bound here, so later changes of `numpy` have no effect

OURS = "autograd_teach"
ENGINES = (OURS, "torch")
NUMBERS = (bool, int, float)
NUMPY_NUMBERS = frozenset(np.sctypeDict.values())
_FLAGS = ("requires_grad", "is_leaf", "grad")


class Engine:
    """The classes of an engine and the methods that read its tensors, as they were when this object was made."""

    def __init__(self, name: str) -> None:
        self.torch: Any = importlib.import_module(name)
        tensor = self.torch.Tensor
        self.function: type = importlib.import_module(f"{name}.autograd").Function
        self.kinds = (tensor, importlib.import_module(f"{name}.nn").Parameter)
        self._detach, self._numpy = tensor.detach, tensor.numpy
        self._flags = {flag: getattr(tensor, flag) for flag in _FLAGS}  # properties
        self._warm_up()

    def _warm_up(self) -> None:
        """Compute a gradient once, outside of any time limit: at the first one, PyTorch imports modules for seconds."""
        methods = {"forward": staticmethod(lambda ctx, x: x.clone()), "backward": staticmethod(lambda ctx, g: g)}
        copy: Any = type("Copy", (self.function,), methods)
        with self.torch.enable_grad():
            x = self.torch.tensor([1.0], requires_grad=True)
            self.torch.autograd.grad(copy.apply(x) * 1, x, grad_outputs=self.torch.tensor([1.0]))

    def is_tensor(self, thing: Any) -> bool:
        """Whether `thing` is a tensor or parameter of the engine, by exact type."""
        return type(thing) in self.kinds

    def array(self, tensor: Any) -> np.ndarray:
        """The numbers of a tensor, as an array that shares its memory."""
        return asarray(self._numpy(self._detach(tensor)))

    def flag(self, tensor: Any, name: str) -> Any:
        """The attribute `requires_grad`, `is_leaf` or `grad` of a tensor."""
        return self._flags[name].__get__(tensor, type(tensor))


@functools.cache
def engine(name: str) -> Engine:
    """The engine with this name. The grader calls this once for ours, before any student's code runs."""
    return Engine(name)


def engine_of_module(module: Any) -> Engine:
    """The engine that `module` is, or ours if it is not an engine."""
    name = next((name for name in ENGINES if module is not None and _loaded(name) is module), OURS)
    return engine(name)


def engine_of_function(function: type) -> Engine | None:
    """The engine from whose `Function` the class is derived; None if there is none."""
    loaded = (engine(name) for name in ENGINES if _loaded(name) is not None)
    return next((each for each in loaded if each.function in type.mro(function)), None)


def _loaded(name: str) -> ModuleType | None:
    return sys.modules.get(name)


def is_same(one: np.ndarray, other: np.ndarray) -> bool:
    """Whether two arrays hold the same numbers, NaN for NaN."""
    return bool(array_equal(one, other, equal_nan=one.dtype.kind in "fc" and other.dtype.kind in "fc"))


def is_shared(one: np.ndarray, other: np.ndarray) -> bool:
    """Whether two arrays share memory."""
    return bool(shares_memory(one, other))
