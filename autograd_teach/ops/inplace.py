"""Operations that exist in place only: fills, copies and draws, and the forms that change how a tensor looks at its memory.

The write itself, and what it does to the history, is `autograd/views.py`.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from .. import random
from ..autograd.modes import state
from ..autograd.views import changed_geometry, refuse_in_place
from ..errors import require
from ..tensor import Tensor, wrap
from .operation import OPERATIONS, attach, inplace_form, method, op
from .pointwise import common_shape, zeros_of
from .reduction import sum_all
from .shape import as_strided, squeeze, squeeze_own

# fmt: off

# Rows whose out-of-place form has no use of its own

def _overwriting(kernel: Callable[..., Any], *, overlap: bool = False, **row: Any) -> Callable[..., Any]:
    """Declares the in-place form of a result that does not depend on what was there, which therefore gets gradient zero."""
    declare = op(kernel, method=False, self=lambda g: zeros_of(g), **row)

    def in_place(declared: Callable[..., Any]) -> Callable[..., Any]:
        form = method(inplace_form(declare(declared), overlap=overlap))
        form.__doc__ = declared.__doc__
        return form

    return in_place

def _drawing(draw: Callable[..., Any], **row: Any) -> Callable[..., Any]:
    """The same of draws from the generator, the last argument, in the order of the memory that they fill."""
    def kernel(self, *given):
        *given, generator = given
        return random.filled(self, lambda size: draw(generator or random.default_generator, size, self.dtype, *given))
    return _overwriting(kernel, **row)

@_overwriting(np.zeros_like, overload="zero", overlap=True)
def zero_(self): ...
# A source that does not fit is left as it is: `write` says what is wrong.
@_overwriting(overload="copy", numbers=True, src=lambda g: g,
    kernel=lambda self, src, non_blocking: np.broadcast_to(src, common_shape(self, src)).astype(self.dtype),
    node="torch::autograd::CopyBackwards")
def copy_(self, src, non_blocking=False): ...
@_overwriting(np.full_like, overload="fill.2", overlap=True)
def _fill_number(self, value: float): ...
@_overwriting(np.full_like, overload="fill.3", overlap=True, value=lambda g: sum_all(g),
    check=lambda self, value: require(not value.ndim, "fill_with_many", value.ndim))
def _fill_value(self, value): ...
@_drawing(random.Generator.normal, overload="normal")
def _normal(self, mean: float, std: float, contiguous: bool, generator: Any): ...
@_drawing(random.Generator.uniform, overload="uniform")
def uniform_(self, low=0.0, high=1.0, *, generator=None): ...
@_drawing(lambda generator, size, dtype, low, to: generator.randint(low, to, size, dtype), overload="random")
def random_(self, low: int, to: int, *, generator=None): ...
@_drawing(lambda generator, size, dtype, p: generator.bernoulli(p, size, dtype), overload="bernoulli.2",
    check=lambda self, p, generator: require(not isinstance(p, Tensor), "bernoulli_tensor"))
def bernoulli_(self, p: float = 0.5, *, generator=None): ...

@method
def fill_(self: Tensor, value: Any) -> Tensor:
    """Set every element to `value`, a number or a tensor of rank 0."""
    return (_fill_value if isinstance(value, Tensor) else _fill_number)(self, value)

@method
def normal_(self: Tensor, mean: float = 0.0, std: float = 1.0, *, generator: Any = None) -> Tensor:
    """Fill with draws from the normal distribution, of `generator` or of the one that `torch.manual_seed` seeds."""
    return _normal(self, mean, std, self.is_contiguous(), generator)

# Forms that leave the memory as it is and change how the tensor looks at it

def _own(key: str, number: int, **options: Any) -> Callable[..., Any]:
    """The row of a view for the form that changes the tensor itself: PyTorch gives its node a number of its own."""
    row = OPERATIONS[key]
    declare = op(row.kernel, overload=f"{row.name}.{number}", **{"check": row.check, **row.formulas} | options)

    def declared(): ...
    declared.__name__, declared.__signature__ = row.function.__qualname__, row.signature  # type: ignore[attr-defined]
    return declare(declared)

def _look_in_place(name: str, function: Callable[..., Tensor]) -> None:
    def form(self: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        recording = state.mode.recording
        if recording and self.requires_grad:
            refuse_in_place(self)
        source = wrap(self._array)
        if recording:
            source._edge = self._own_edge()
        return changed_geometry(self, function(source, *args, **kwargs))

    form.__name__, form.__qualname__, form.__module__ = name, f"Tensor.{name}", Tensor.__module__
    form.__doc__ = f"""The form of `{name[:-1]}` that changes the tensor itself, not its memory; returns it.

RuntimeError for a leaf that requires grad. Counts as a write."""
    attach(name, form)

_squeeze_rows, _strided_row = (_own("squeeze.0", 3), squeeze_own, _own("squeeze.2", 5)), _own("as_strided.0", 1)
_look_in_place("t_", _own("t", 1, check=lambda self: require(self.ndim <= 2, "t_rank", "t_", self.ndim)))
_look_in_place("transpose_", _own("transpose", 1))
_look_in_place("unsqueeze_", _own("unsqueeze", 1))
_look_in_place("squeeze_", lambda self, *dim, **named: squeeze(self, *dim, **named, rows=_squeeze_rows))
_look_in_place("as_strided_", lambda self, *place: as_strided(self, *place, row=_strided_row))
for _name in ("swapaxes_", "swapdims_"):
    attach(_name, vars(Tensor)["transpose_"])
