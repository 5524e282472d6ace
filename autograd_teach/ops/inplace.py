"""Random draws, operations that exist only in place (fills and copies), and in-place changes of a tensor's geometry.

The write itself, and its effect on the history, is in `autograd/views.py`.
"""

import operator
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from .. import random
from ..autograd.modes import state
from ..autograd.views import changed_geometry, refuse_in_place
from ..creation import empty
from ..errors import require
from ..quiet import converted, full_like
from ..tensor import Tensor, wrap
from .operation import OPERATIONS, attach, inplace_form, method, op
from .pointwise import common_shape, zeros_of
from .reduction import sum_all
from .shape import squeeze_by, squeeze_own, strided_by, zeros_beside

# fmt: off

# Rows that are used only in place

def _overwriting(kernel: Callable[..., Any], *, overlap: bool = False, **row: Any) -> Callable[..., Any]:
    """Declare an in-place operation whose result does not depend on the old values: their gradient is zero."""
    declare = op(kernel, method=False, self=lambda g: zeros_of(g), **row)

    def in_place(declared: Callable[..., Any]) -> Callable[..., Any]:
        form = method(inplace_form(declare(declared), overlap=overlap))
        form.__doc__ = declared.__doc__
        return form

    return in_place

def _drawing(draw: Callable[..., Any], **row: Any) -> Callable[..., Any]:
    """The same for random draws, in memory order; the generator is the last argument."""
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

# A source that does not fit is returned as it is: `write` raises the error.
@_overwriting(overload="copy", numbers=True, src=lambda g: g,
    kernel=lambda self, src, non_blocking: converted(np.broadcast_to(src, common_shape(self, src)), self.dtype),
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

@_overwriting(full_like, overload="fill.2", overlap=True)
def _fill_number(self, value: float): ...
@_overwriting(full_like, overload="fill.3", overlap=True, value=lambda g: sum_all(g),
    check=lambda self, value: require(not value.ndim, "fill_with_many", value.ndim))
def _fill_value(self, value): ...
@_drawing(random.Generator.normal, overload="normal")
def _normal(self, mean: float, std: float, contiguous: bool, generator: Any): ...
@_drawing(random.Generator.uniform, overload="uniform")
def _uniform(self, low: float, to: float, generator: Any): ...
@_drawing(lambda generator, size, dtype, low, to: generator.randint(low, to, size, dtype), overload="random")
def _random_between(self, low: int, to: int, generator: Any): ...
@_drawing(lambda generator, size, dtype, to: generator.randint(0, to, size, dtype), overload="random.1")
def _random_below(self, to: int, generator: Any): ...
@_drawing(random.Generator.random, overload="random.2")
def _random(self, generator: Any): ...
@_drawing(lambda generator, size, dtype, p: generator.bernoulli(p, size, dtype), overload="bernoulli.2")
def _bernoulli_number(self, p: float, generator: Any): ...
@_overwriting(overload="bernoulli.1", p=lambda g, p_shape: zeros_beside(g, p_shape),
    kernel=lambda self, p, generator: random.filled(self, lambda size, chances: (generator or random.default_generator)
        .bernoulli(chances, size, self.dtype), OPERATIONS["expand"].kernel(p, self.shape)))
def _bernoulli_tensor(self, p, generator: Any): ...
@_drawing(random.Generator.exponential, overload="exponential")
def _exponential(self, lambd: float, generator: Any): ...

def _bounds(name: str, given: tuple[Any, ...], named: dict[str, Any], low: Any) -> list[Any]:
    """The bounds of a draw, by position or by PyTorch's names `from` (a keyword of Python) and `to`."""
    for word in named:
        require(word in ("from", "to"), "unexpected_keyword", name, word)
    first = [named.get("from", low)] if named and not given else []
    bounds = [*first, *given, *([named["to"]] if "to" in named else [])]
    require(len(bounds) <= 2, "too_many_bounds", name, len(bounds) + 1)
    return bounds

@method
def uniform_(self: Tensor, *bounds: float, generator: Any = None, **named: float) -> Tensor:
    """Fills with draws from the uniform distribution on [from, to), by default [0, 1); returns the tensor itself.

    self: floating tensor, else NotImplementedError. bounds: `from` and `to`, two numbers; `to=2`
    can be given by name, but `from`, a keyword of Python, only as `**{"from": 1}`. generator: a
    `torch.Generator`; by default the one that `torch.manual_seed` seeds. RuntimeError if `from >
    to`, and for a leaf that requires grad (unless under `no_grad`). Counts as a write.

    >>> import autograd_teach as torch
    >>> _ = torch.manual_seed(0)
    >>> torch.empty(3).uniform_(-1, 1)
    tensor([-0.0075,  0.5364, -0.8230])
    """
    given = _bounds("uniform_", bounds, named, 0.0)
    return _uniform(self, *given, *(0.0, 1.0)[len(given) :], generator)

@method
def random_(self: Tensor, *bounds: Any, generator: Any = None, **named: Any) -> Tensor:
    """Fills with random integers from `from` to `to - 1`, all equally likely; returns the tensor itself.

    self: tensor of any dtype; a floating tensor gets whole numbers. bounds: `from` and `to`, or
    `to` alone, which starts at 0. Without them, or with None for `to`, the integers go up to the
    largest that the dtype represents without gaps, such as 2**24 for float32. Names and `generator`
    are as in `uniform_`. RuntimeError if `from >= to`, if the dtype cannot hold every integer in
    the range, and for a leaf that requires grad (unless under `no_grad`). Counts as a write.
    >>> import autograd_teach as torch
    >>> _ = torch.manual_seed(0)
    >>> torch.empty(6).random_(1, 7)  # six dice
    tensor([3., 4., 6., 1., 2., 4.])
    """
    given = _bounds("random_", bounds, named, None)
    if len(given) < 2 or given[0] is None:
        return _random_below(self, given[-1], generator) if given else _random(self, generator)
    low, to = given
    return _random_between(self, low, random.exact_range(self._array.dtype)[1] + 1 if to is None else to, generator)

@method
def bernoulli_(self: Tensor, p: Any = 0.5, *, generator: Any = None) -> Tensor:
    """Sets each element to 1 with probability `p`, else to 0; returns the tensor itself.

    self: tensor of any dtype. p: number from 0 to 1, or a floating tensor of such numbers that broadcasts to the
    shape of `self`, else RuntimeError; a tensor of integers raises NotImplementedError. Gradients are zero.
    generator: as in `uniform_`. RuntimeError for a leaf that requires grad (unless under `no_grad`). Counts as a
    write.

    >>> import autograd_teach as torch
    >>> _ = torch.manual_seed(0)
    >>> torch.empty(5, dtype=torch.bool).bernoulli_(0.8)  # a dropout mask
    tensor([False,  True,  True, False,  True])
    """
    return (_bernoulli_tensor if isinstance(p, Tensor) else _bernoulli_number)(self, p, generator)

@method
def exponential_(self: Tensor, lambd: float = 1, *, generator: Any = None) -> Tensor:
    """Fills with draws from the exponential distribution with rate `lambd`; returns the tensor itself.

    self: floating tensor, else RuntimeError. lambd: a positive number, else RuntimeError; the mean is `1 / lambd`.
    generator: as in `uniform_`. RuntimeError for a leaf that requires grad (unless under `no_grad`). Counts as a
    write.

    >>> import autograd_teach as torch
    >>> _ = torch.manual_seed(0)
    >>> torch.empty(3).exponential_(2.0)
    tensor([1.7542, 0.6152, 0.3075])
    """
    return _exponential(self, lambd, generator)

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

# Draws into new tensors, with gradients of zero

def _normals(generator, shape, dtype, std=1.0):
    return (generator or random.default_generator).normal(shape, dtype, 0.0, std)

def _scaled_normals(mean, std, generator):
    require(std.dtype.kind != "f" or not (std < 0).any(), "normal_stds")
    array = mean if isinstance(mean, np.ndarray) else std
    draws = _normals(generator, common_shape(*(a for a in (mean, std) if isinstance(a, np.ndarray))), array.dtype)
    return (draws * std).astype(draws.dtype) + mean

@op(lambda self, generator: (generator or random.default_generator).bernoulli(self, self.shape, self.dtype),
    overload="bernoulli", self=lambda g: zeros_of(g))
def _bernoulli(self, generator: Any): ...
@op(lambda mean, std, generator: _normals(generator, mean.shape, mean.dtype, std) + mean, overload="normal.1",
    check=lambda mean, std, generator: require(std >= 0, "normal_std", std), mean=lambda g, mean_shape: zeros_beside(g, mean_shape))
def _normal_around(mean, std: float, generator: Any): ...
@op(lambda std, mean, generator: _scaled_normals(mean, std, generator), overload="normal.2",
    std=lambda g, std_shape: zeros_beside(g, std_shape))
def _normal_scaled(std, mean: float, generator: Any): ...
@op(_scaled_normals, overload="normal.3", mean=lambda g, mean_shape: zeros_beside(g, mean_shape),
    std=lambda g, std_shape: zeros_beside(g, std_shape))
def _normal_of_both(mean, std, generator: Any): ...

@method
def bernoulli(input: Tensor, p: Any = None, *, generator: Any = None) -> Tensor:
    """Random ones and zeros: each element is 1 with the probability in `input`, else 0.

    input: floating tensor of numbers from 0 to 1 (RuntimeError otherwise; NotImplementedError for
    integers). generator: a `torch.Generator`; by default the one that `torch.manual_seed` seeds. p:
    a number, the probability of all elements; then only shape and dtype of `input` count, and it
    cannot require grad (RuntimeError). Returns a tensor of the shape and dtype of `input`; its
    gradient is zero.

    >>> import autograd_teach as torch
    >>> _ = torch.manual_seed(0)
    >>> torch.bernoulli(torch.tensor([0.0, 0.3, 0.7, 1.0]))
    tensor([0., 0., 1., 1.])
    """
    if p is None:
        return _bernoulli(input, generator)
    require(not (input.requires_grad and state.mode.recording), "bernoulli_derivative")
    return bernoulli_(wrap(np.empty(input.shape, input._array.dtype)), p, generator=generator)

def normal(
    mean: Any, std: Any = 1.0, size: Any = None, *, generator: Any = None, dtype: Any = None, device: Any = None,
    requires_grad: bool = False,
) -> Tensor:
    """Draws from normal distributions with the given means and standard deviations.

    mean, std: two tensors that broadcast, or a tensor and a number; floating, else NotImplementedError. The result
    has their shape and the dtype of the first of them. Two numbers need `size`, a sequence of ints, and take `dtype`,
    `device` and `requires_grad` as `torch.randn` does. generator: a `torch.Generator`; by default the one that
    `torch.manual_seed` seeds. RuntimeError if a standard deviation is negative. Gradients of `mean` and `std` are
    zero: to learn them, write `mean + std * torch.randn(...)`.

    >>> import autograd_teach as torch
    >>> _ = torch.manual_seed(0)
    >>> torch.normal(torch.tensor([0.0, 100.0]), 1.0), torch.normal(0.0, 2.0, size=(3,)).shape
    (tensor([ 1.5410, 99.7066]), torch.Size([3]))
    """
    tensors = [isinstance(x, Tensor) for x in (mean, std)]
    numbers = [isinstance(x, (int, float)) for x in (mean, std)]
    fits = all(map(operator.or_, tensors, numbers)) and any(tensors) == (size is None)
    require(fits, "normal_arguments", ", ".join(type(x).__name__ for x in (mean, std, size) if x is not None))
    if size is not None:
        made = empty(tuple(size), dtype=dtype, device=device)
        return normal_(made, mean, std, generator=generator).requires_grad_(requires_grad)
    require(dtype is None and device is None and not requires_grad, "normal_options")
    if tensors == [True, True]:
        return _normal_of_both(mean, std, generator)
    return _normal_around(mean, std, generator) if tensors[0] else _normal_scaled(std, mean, generator)

@method
def multinomial(input: Tensor, num_samples: int, replacement: bool = False, *, generator: Any = None) -> Tensor:
    """Draws indices with probabilities proportional to weights: `num_samples` for each row of `input`.

    input: floating weights, (categories,) or (rows, categories); they need not sum to 1, but must
    be finite, not negative, and not all 0 in a row. num_samples: a positive int; without
    `replacement` no index repeats in a row, so there cannot be more than there are categories.
    generator: a `torch.Generator`; by default the one that `torch.manual_seed` seeds. RuntimeError
    for other arguments. Returns int64, (num_samples,) or (rows, num_samples), without gradient.

    >>> import autograd_teach as torch
    >>> _ = torch.manual_seed(0)
    >>> torch.multinomial(torch.tensor([0.0, 1.0, 3.0]), 8, replacement=True)
    tensor([2, 2, 2, 2, 2, 2, 1, 2])
    """
    require(isinstance(input, Tensor), "argument_is_no_tensor", "multinomial", "input", 1, type(input).__name__)
    is_int = isinstance(num_samples, (int, np.integer)) and not isinstance(num_samples, bool)
    require(is_int, "argument_is_no_int", "multinomial", "num_samples", 2, type(num_samples).__name__)
    weights = input._array
    require(weights.ndim in (1, 2), "multinomial_rank")
    require(weights.dtype.kind == "f", "multinomial_dtype", weights)
    require(num_samples > 0, "multinomial_count")
    require(replacement or num_samples <= weights.shape[-1], "multinomial_too_many")
    return wrap((generator or random.default_generator).multinomial(weights, num_samples, replacement))

# In-place changes of the geometry: the memory stays the same

def _own(key: str, number: int, **options: Any) -> Callable[..., Any]:
    """A row for the in-place form of a view: PyTorch numbers its node differently."""
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
    form.__doc__ = f"""`{name[:-1]}` in place: changes the tensor's geometry, not its memory, and returns the tensor.

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
