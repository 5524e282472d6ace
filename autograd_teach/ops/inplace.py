"""Operations that exist in place only: fills, copies and draws, and the forms that change how a tensor looks at its memory.

The write itself, and what it does to the history, is `autograd/views.py`.
"""

from collections.abc import Callable
from functools import partial
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
from .shape import squeeze_by, squeeze_own, strided_by

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
def zero_(self):
    """Sets every element to 0; returns the tensor itself.

    self: tensor of any shape and dtype. In the graph, the old values get gradient 0. RuntimeError for a leaf that
    requires grad (unless under `no_grad`). Counts as a write: a saved value of the tensor is out of date
    afterwards.

    >>> import autograd_teach as torch
    >>> x = torch.ones(2, 2)
    >>> x[0].zero_(), x  # a view is zeroed in the memory of `x`
    (tensor([0., 0.]), tensor([[0., 0.],
            [1., 1.]]))
    """

# A source that does not fit is left as it is: `write` says what is wrong.
@_overwriting(overload="copy", numbers=True, src=lambda g: g,
    kernel=lambda self, src, non_blocking: np.broadcast_to(src, common_shape(self, src)).astype(self.dtype),
    node="torch::autograd::CopyBackwards")
def copy_(self, src, non_blocking=False):
    """Overwrites the elements with those of `src`; returns the tensor itself.

    src: tensor or number that broadcasts to the shape of `self`; it is cast to the dtype of `self` (a float loses
    its fraction in an integer tensor). The gradient flows to `src`, the old values get 0. non_blocking: without
    effect. RuntimeError if the shapes do not fit, if elements of `self` share memory, or for a leaf that requires
    grad (unless under `no_grad`). Counts as a write.

    >>> import autograd_teach as torch
    >>> torch.zeros(2, 3, dtype=torch.int64).copy_(torch.tensor([1.9, 2.0, -3.5]))
    tensor([[ 1,  2, -3],
            [ 1,  2, -3]])
    """

@_overwriting(np.full_like, overload="fill.2", overlap=True)
def _fill_number(self, value: float): ...
@_overwriting(np.full_like, overload="fill.3", overlap=True, value=lambda g: sum_all(g),
    check=lambda self, value: require(not value.ndim, "fill_with_many", value.ndim))
def _fill_value(self, value): ...
@_drawing(random.Generator.normal, overload="normal")
def _normal(self, mean: float, std: float, contiguous: bool, generator: Any): ...
@_drawing(random.Generator.uniform, overload="uniform")
def uniform_(self, low=0.0, high=1.0, *, generator=None):
    """Fills with draws from the uniform distribution on [low, high); returns the tensor itself.

    self: floating tensor, else NotImplementedError. generator: a `torch.Generator`; by default the one that
    `torch.manual_seed` seeds. RuntimeError if `low > high`, and for a leaf that requires grad (unless under
    `no_grad`). Counts as a write.

    >>> import autograd_teach as torch
    >>> _ = torch.manual_seed(0)
    >>> torch.empty(3).uniform_(-1, 1)
    tensor([-0.0075,  0.5364, -0.8230])
    """

@_drawing(lambda generator, size, dtype, low, to: generator.randint(low, to, size, dtype), overload="random")
def random_(self, low: int, to: int, *, generator=None):
    """Fills with random integers from `low` to `to - 1`, all equally likely; returns the tensor itself.

    self: tensor of any dtype; a floating tensor gets whole numbers. generator: as in `uniform_`. RuntimeError if
    `low >= to`, if the dtype cannot hold every integer in the range, and for a leaf that requires grad (unless
    under `no_grad`). Counts as a write.

    >>> import autograd_teach as torch
    >>> _ = torch.manual_seed(0)
    >>> torch.empty(6).random_(1, 7)  # six dice
    tensor([3., 4., 6., 1., 2., 4.])
    """

@_drawing(lambda generator, size, dtype, p: generator.bernoulli(p, size, dtype), overload="bernoulli.2",
    check=lambda self, p, generator: require(not isinstance(p, Tensor), "bernoulli_tensor"))
def bernoulli_(self, p: float = 0.5, *, generator=None):
    """Sets each element to 1 with probability `p`, else to 0; returns the tensor itself.

    self: tensor of any dtype. p: number from 0 to 1, else RuntimeError; NotImplementedError for a tensor of
    probabilities. generator: as in `uniform_`. RuntimeError for a leaf that requires grad (unless under `no_grad`).
    Counts as a write.

    >>> import autograd_teach as torch
    >>> _ = torch.manual_seed(0)
    >>> torch.empty(5, dtype=torch.bool).bernoulli_(0.8)  # a dropout mask
    tensor([False,  True,  True, False,  True])
    """

@method
def fill_(self: Tensor, value: Any) -> Tensor:
    """Sets every element to `value`; returns the tensor itself.

    value: number or tensor of rank 0; it is cast to the dtype of `self` (2.7 becomes 2 in an integer tensor). The
    gradient of a tensor `value` is the sum over all elements; the old values get 0. RuntimeError if `value` is a
    tensor of higher rank, and for a leaf that requires grad (unless under `no_grad`). Counts as a write.

    >>> import autograd_teach as torch
    >>> torch.zeros(2, 2, dtype=torch.int64).fill_(2.7)
    tensor([[2, 2],
            [2, 2]])
    """
    return (_fill_value if isinstance(value, Tensor) else _fill_number)(self, value)

@method
def normal_(self: Tensor, mean: float = 0.0, std: float = 1.0, *, generator: Any = None) -> Tensor:
    """Fills with draws from a normal distribution; returns the tensor itself.

    self: floating tensor, else NotImplementedError. generator: a `torch.Generator`; by default the one that
    `torch.manual_seed` seeds. RuntimeError if `std` is negative, and for a leaf that requires grad (unless under
    `no_grad`). Counts as a write.

    >>> import autograd_teach as torch
    >>> _ = torch.manual_seed(0)
    >>> torch.empty(3).normal_(mean=100.0, std=15.0)
    tensor([123.1149,  95.5986,  67.3182])
    """
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
_look_in_place("squeeze_", partial(squeeze_by, _squeeze_rows))
_look_in_place("as_strided_", partial(strided_by, _strided_row))
for _name in ("swapaxes_", "swapdims_"):
    attach(_name, vars(Tensor)["transpose_"])
