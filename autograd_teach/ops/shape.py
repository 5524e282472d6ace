"""Shapes: views, reshapes, permutations, parts, joins, splits and repetitions.

Arguments `*size` and `*dims` are several numbers or one sequence. The other modules of operations
use this one; it uses pointwise operations only in `gradient`.
"""

import inspect
import math
import operator
import warnings
from collections.abc import Callable, Sequence
from functools import partial, reduce, wraps
from itertools import accumulate, chain, pairwise
from typing import Any

import numpy as np

# Rows are compact, as in a table: the formatter would put every argument on a line of its own.
# fmt: off
# isort: off
from ..dtypes import as_dtype, contiguous_format, dtype, promote_types, title
from ..errors import class_name, error, require
from ..geometry import Geometry, geometry_of, memory_of, reshaped, strided_view
from ..tensor import Size, Tensor, tensor_method, wrap, wrap_dim
from .operation import method, op, renaming
from .pointwise import common_shape, div_number, mul_number, needs_tensor
from .vocabulary import on_arrays

look = partial(op, view=True)

def spread(function: Callable[..., Any]) -> Callable[..., Any]:
    """Decorator for a function of a sequence of sizes or dimensions: the method accepts several numbers too."""
    def form(self: Tensor, *given: Any, **named: Any) -> Any:
        if not given or (given[0].__class__ is not int and isinstance(given[0], (tuple, list))):
            return function(self, *given, **named)
        if given[0].__class__ is not int:
            is_number = hasattr(given[0], "__index__") and not getattr(given[0], "ndim", 0)
            require(is_number, "argument_is_no_dims", form.__name__, sequence.name, 1, class_name(given[0]))
        return function(self, given, **named)

    sequence = list(inspect.signature(function).parameters.values())[1]
    own = inspect.Parameter("self", sequence.POSITIONAL_OR_KEYWORD)
    rest = sequence.replace(kind=sequence.VAR_POSITIONAL, annotation=sequence.empty)
    form.__signature__ = inspect.Signature([own, rest])  # type: ignore[attr-defined]  # read by `inspect`
    form.__name__, form.__doc__ = function.__name__, function.__doc__
    tensor_method(form)
    return function

def of_tensor(function: Callable[..., Any]) -> Callable[..., Any]:
    """Decorator for a function composed of operations: adds the method, and a TypeError for other inputs."""
    @method
    @wraps(function)
    def call(input: Any, *args: Any, **named: Any) -> Any:
        needs_tensor(function.__name__, input=input)
        return function(input, *args, **named)
    return call

def _require_elements(tensors):
    for i, tensor in enumerate(tensors):
        require(isinstance(tensor, Tensor), "element_is_no_tensor", i, class_name(tensor))

def _require_ints(function, parameter, value):
    require(isinstance(value, (tuple, list)), "argument_is_no_dims", function, parameter, 2, class_name(value))

def _list_of_tensors(function, tensors):
    require(isinstance(tensors, (tuple, list)), "argument_is_no_tensors", function, class_name(tensors))
    require(tensors, "no_tensors", function)
    return list(tensors)

# The same elements in another shape

def _reshaped(self, size):
    if min(size, default=0) < -1:
        raise error("shape_negative", min(size), size.index(min(size)), list(size))
    try:
        return reshaped(self, size)
    except ValueError:
        require(size.count(-1) < 2, "shape_unknowns")
        require(self.size or -1 not in size, "shape_ambiguous", size)
        known = math.prod(size)  # negative if a size is to be inferred
        fits = known == self.size or (known < 0 and not self.size % known)
        raise error("shape_strides") if fits else error("shape_size", list(size), self.size)

def _unsqueeze(self, dim):
    at = wrap_dim(dim, self.ndim + 1)
    return self.reshape(*self.shape[:at], 1, *self.shape[at:])

def wrap_dims(dims, ndim, twice="dim_twice"):
    """Several dimensions counted from the front; an error if one is repeated."""
    wrapped = tuple([wrap_dim(d, ndim) for d in dims])
    for d in wrapped:
        require(wrapped.count(d) == 1, twice, d)
    return wrapped

def _units(shape, dim):
    """The dimensions of size 1: all for None, else those among `dim`, a number or several."""
    dims = (dim,) if isinstance(dim, int) else range(len(shape)) if dim is None else dim
    return [d for d in sorted(wrap_dims(dims, len(shape))) if shape[d : d + 1] == (1,)]

_viewing = partial(op, kernel=_reshaped, self=lambda g, self_shape: reshape(g, self_shape))
_squeezing = partial(op, kernel=lambda self, dim=None: np.squeeze(self, tuple(_units(self.shape, dim))),
    self=lambda g, self_shape, dim: reduce(unsqueeze, _units(self_shape, dim), g))

@spread
@_viewing(view=True, method=False)
def view(self, size: tuple): ...
# `reshape` of a tensor that is not contiguous, if its strides allow a view.
@_viewing(overload="reshape_alias.0", view=True)
def reshape_alias(self, size: tuple): ...
# A reshape without view tracking, of a new result; copies if the elements are not contiguous.
@_viewing(overload="unsafe_view.0", kernel=lambda self, size:
    self.reshape(size) if math.prod(size) == self.size else _reshaped(self, size))
def unsafe_view(self, size: tuple): ...
@look(lambda self: self[...], overload="alias.0", self=lambda g: g)
def alias(self): ...
@look(_unsqueeze, self=lambda g, dim: squeeze_dim(g, dim))
def unsqueeze(self, dim: int):
    """The same elements with a new dimension of size 1 at position `dim`.

    input: tensor of any shape and dtype. dim: from `-input.ndim - 1` to `input.ndim`; a negative value counts from
    the end of the result. Returns a view of `input`. IndexError if `dim` is out of range.

    >>> torch.unsqueeze(torch.tensor([1, 2]), 1)  # a column, ready to broadcast against a row
    tensor([[1],
            [2]])
    """

@_squeezing(overload="squeeze.0", view=True,
    self=lambda g, self_shape: reduce(unsqueeze, _units(self_shape, None), g))
def squeeze_all(self): ...
@_squeezing(overload="squeeze.1", view=True)
def squeeze_dim(self, dim: int): ...
@_squeezing(overload="squeeze.2", view=True)
def squeeze_dims(self, dim: tuple): ...
# Removes the dimension that `matmul` added to a vector from its result, in place.
@_squeezing(overload="squeeze.4")
def squeeze_own(self, dim: int): ...

@spread
@on_arrays(lambda input, shape: input.reshape(shape))
def reshape(input: Any, shape: Sequence[int]) -> Any:
    """The same elements, in row-major order, in a tensor of another shape.

    input: tensor of any shape and dtype. shape: a sequence of sizes; one size may be -1 and is then computed from
    the others. Returns a view of `input` if its strides allow one, else a copy. RuntimeError if the sizes do not
    fit the number of elements, or if more than one size is -1.

    >>> torch.reshape(torch.arange(6), (2, -1))
    tensor([[0, 1, 2],
            [3, 4, 5]])
    """
    _require_ints("reshape", "shape", shape)
    try:
        return (view if input._array.flags.c_contiguous else reshape_alias)(input, shape)
    except RuntimeError:
        return unsafe_view(input.contiguous(), shape)

@method
def flatten(input: Tensor, start_dim: int = 0, end_dim: int = -1) -> Tensor:
    """Merges the dimensions from `start_dim` to `end_dim`, both included, into one.

    input: tensor of any shape and dtype; a tensor of rank 0 becomes a vector of one element. Returns `input` itself
    if there is nothing to merge, a view if the strides allow one, else a copy. IndexError if a dimension is out of
    range, RuntimeError if `start_dim` comes after `end_dim`.

    >>> torch.flatten(torch.zeros(8, 3, 2, 2), 1).shape  # keeps the batch dimension
    torch.Size([8, 12])
    """
    shape, first, last = input.shape, wrap_dim(start_dim, input.ndim), wrap_dim(end_dim, input.ndim)
    require(first <= last, "flatten_order")
    whole = math.prod(shape[first : last + 1])
    return input if shape and first == last else reshape(input, (*shape[:first], whole, *shape[last + 1 :]))

@renaming
def squeeze(input: Tensor, dim: Any = None) -> Tensor:
    """Removes dimensions of size 1: all of them, or those given by `dim`.

    input: tensor of any shape and dtype. dim: int or tuple of ints; a given dimension of another size is kept.
    Returns a view of `input`. IndexError if a dimension is out of range, RuntimeError if one is given twice.

    >>> x = torch.zeros(1, 2, 1)
    >>> torch.squeeze(x).shape, torch.squeeze(x, 0).shape, torch.squeeze(x, 1).shape
    (torch.Size([2]), torch.Size([2, 1]), torch.Size([1, 2, 1]))
    """
    return squeeze_by((squeeze_all, squeeze_dim, squeeze_dims), input, dim=dim)

@tensor_method
@renaming
def _squeeze(self: Tensor, *dims: Any, dim: Any = None) -> Tensor:
    """`torch.squeeze`; several dimensions may be given as several numbers.

    >>> torch.zeros(1, 2, 1).squeeze(0, 2).shape
    torch.Size([2])
    """
    return squeeze(self, dims[0] if len(dims) == 1 else dims or dim)

def squeeze_by(rows, input, *dims, dim=None):
    """`squeeze`, with one row each for all dimensions, for one, and for several."""
    dim = dim if not dims else dims[0] if len(dims) == 1 else dims
    return rows[0](input) if dim is None else rows[1 if isinstance(dim, int) else 2](input, dim)

def _in_dtype(self, target):
    """The same bytes as elements of another dtype, without history."""
    (size, stride, offset), own, new = geometry_of(self._array), self.itemsize, target.itemsize
    if new != own:
        names, ratio = (title(self._array), target.title), new // own
        require(size, "view_dtype_scalar", *names)
        require(not ratio or size[-1] % ratio == 0, "view_dtype_size", ratio, *names, *size[-1:])
        require(not ratio or offset % ratio == 0, "view_dtype_offset", ratio, *names, offset)
        require(stride[-1] == 1, "view_dtype_stride", *names, stride[-1])
        for d, s in enumerate(stride[:-1]):
            require(not ratio or s % ratio == 0, "view_dtype_strides", d, ratio, *names, s)
        size = (*size[:-1], size[-1] * own // new)
        stride = (*[s * own // new for s in stride[:-1]], 1)
    # The whole memory in the new dtype, so that offsets count its elements.
    memory = memoryview(memory_of(self._array)).cast("B")
    seen = self.detach()
    of_new = np.frombuffer(memory, target.numpy, len(memory) // new) if len(memory) else np.empty(0, target.numpy)
    seen._array = strided_view(of_new, Geometry(size, stride, offset * own // new))
    return seen

_view_by_sizes = vars(Tensor)["view"]
@tensor_method
def _view(self: Tensor, *size: Any, **named: Any) -> Tensor:
    """The same elements in another shape, without a copy; or the same bytes as another dtype.

    size: several numbers or one sequence; one may be -1 and is then computed from the others. With a dtype instead, the
    last dimension grows or shrinks with the size of an element, and the result has no history. Returns a view of
    `self`. RuntimeError if the sizes do not fit the number of elements, or if the strides do not allow a view: then
    `reshape` copies.

    >>> x = torch.arange(6)
    >>> x.view(2, -1)
    tensor([[0, 1, 2],
            [3, 4, 5]])
    >>> torch.tensor([1.0]).view(torch.int32)
    tensor([1065353216], dtype=torch.int32)
    """
    if size and size[0].__class__ is int:
        return view(self, size, **named)
    if "dtype" in named or (size and isinstance(size[0], (dtype, type))):
        return _in_dtype(self, as_dtype(*size, *named.values()))
    return _view_by_sizes(self, *size, **named)

@tensor_method
def view_as(self: Tensor, other: Tensor) -> Tensor:
    """`self.view(other.shape)`: a view of the same elements in the shape of `other`.

    other: tensor with as many elements; only its shape counts. RuntimeError if it has more or fewer, or if the strides
    of `self` do not allow a view.

    >>> torch.arange(4).view_as(torch.zeros(2, 2))
    tensor([[0, 1],
            [2, 3]])
    """
    needs_tensor("view_as", other=other)
    return view(self, other.shape)

@of_tensor
def ravel(input: Tensor) -> Tensor:
    """All elements, in row-major order, as a vector: a view if they are in that order in memory, else a copy.

    input: tensor of any shape and dtype; rank 0 becomes a vector of one element.

    >>> torch.ravel(torch.tensor([[1, 2], [3, 4]]))
    tensor([1, 2, 3, 4])
    """
    return reshape(input.contiguous(), (-1,))

@of_tensor
def unflatten(input: Tensor, dim: int, sizes: Sequence[int]) -> Tensor:
    """Splits the dimension `dim` into several, of the given sizes: the opposite of `flatten`.

    input: tensor of rank 1 or more, of any dtype. sizes: a non-empty sequence; one size may be -1 and is then computed
    from the others. Returns a view of `input`. RuntimeError if their product is not the size of `dim`; IndexError if
    `dim` is out of range.

    >>> torch.unflatten(torch.zeros(2, 6, 4), 1, (3, -1)).shape
    torch.Size([2, 3, 2, 4])
    """
    _require_ints("unflatten", "sizes", sizes)
    at, known = wrap_dim(dim, input.ndim), math.prod(sizes)
    require(input.ndim, "unbind_scalar", dim)
    extent = input.shape[at]
    fits = sizes and min(sizes) >= 0 and known == extent
    if sizes.count(-1) == 1:
        fits = known < 0 and not extent % known
    require(fits, "unflatten_sizes", tuple(sizes), at, extent)
    inferred = [extent // -known if n == -1 else n for n in sizes]
    return view(input, (*input.shape[:at], *inferred, *input.shape[at + 1 :]))

def numel(input: Tensor) -> int:
    """How many elements a tensor has: the product of its sizes, 1 for a tensor of rank 0.

    >>> torch.numel(torch.zeros(2, 3))
    6
    """
    needs_tensor("numel", input=input)
    return input.numel()

def _each_or_one(function):
    """A function of one tensor, of several, or of a list; it returns a tuple unless called with one tensor."""
    def call(*tensors: Any) -> Any:
        several = tensors[0] if len(tensors) == 1 and isinstance(tensors[0], (tuple, list)) else tensors
        _require_elements(several)
        results = tuple(map(function, several))
        return results[0] if several is tensors and len(tensors) == 1 else results
    return wraps(function, ("__module__", "__name__", "__qualname__", "__doc__"), ())(call)

@_each_or_one
def atleast_1d(input):
    """The tensor with at least one dimension: rank 0 becomes a vector of one element.

    tensors: one tensor, several, or one list of them. Returns a tuple if there are several: a view of each that had to
    change, the others themselves.

    >>> torch.atleast_1d(torch.tensor(5), torch.tensor([1, 2]))
    (tensor([5]), tensor([1, 2]))
    """
    return input if input.ndim else reshape(input, (1,))

@_each_or_one
def atleast_2d(input):
    """The tensor with at least two dimensions: a vector becomes a row.

    tensors: one tensor, several, or one list of them. Returns a tuple if there are several: a view of each that had to
    change, the others themselves.

    >>> torch.atleast_2d(torch.tensor([1, 2]))
    tensor([[1, 2]])
    """
    return unsqueeze(input, 0) if input.ndim == 1 else input if input.ndim else reshape(input, (1, 1))

@_each_or_one
def atleast_3d(input):
    """The tensor with at least three dimensions: a vector of n elements becomes (1, n, 1), a matrix (m, n, 1).

    tensors: one tensor, several, or one list of them. Returns a tuple if there are several: a view of each that had to
    change, the others themselves.

    >>> torch.atleast_3d(torch.zeros(4)).shape, torch.atleast_3d(torch.zeros(2, 4)).shape
    (torch.Size([1, 4, 1]), torch.Size([2, 4, 1]))
    """
    input = unsqueeze(input, 0) if input.ndim == 1 else input
    return unsqueeze(input, -1) if input.ndim == 2 else input if input.ndim else reshape(input, (1, 1, 1))

# Broadcasting

def broadcast_shapes(*shapes: Any) -> Size:
    """The shape to which all the given shapes broadcast.

    shapes: sequences of sizes; an int counts as one size. RuntimeError if sizes differ and none of
    them is 1.

    >>> torch.broadcast_shapes((2, 1), (3,), ())
    torch.Size([2, 3])
    """
    try:
        return Size(np.broadcast_shapes(*[shape for shape in shapes if shape is not None]))
    except (ValueError, TypeError):
        raise error("broadcast_shapes", ", ".join(map(str, shapes))) from None

def broadcast_tensors(*tensors: Tensor) -> tuple[Tensor, ...]:
    """The tensors expanded to their common shape, as in an operation on all of them.

    tensors: of any dtypes, with shapes that broadcast, else RuntimeError. Returns a tuple: a tensor
    that has the common shape is returned itself, the others as views that must not be written to.

    >>> torch.broadcast_tensors(torch.tensor([[1], [2]]), torch.tensor([3, 4]))
    (tensor([[1, 1],
            [2, 2]]), tensor([[3, 4],
            [3, 4]]))
    """
    _require_elements(tensors)
    shape = common_shape(*[t._array for t in tensors]) if tensors else ()
    return tuple([t if t.shape == shape else t.expand(shape) for t in tensors])

@spread
def broadcast_to(input: Tensor, size: Sequence[int]) -> Tensor:
    """`input` expanded to a shape that it broadcasts to; the same as `expand`.

    input: tensor of any shape and dtype. size: a sequence of sizes; -1 keeps a size. Returns a view
    of `input`, whose elements may share memory. RuntimeError if `input` does not broadcast to
    `size`.

    >>> torch.broadcast_to(torch.tensor([1, 2]), (2, 2))
    tensor([[1, 2],
            [1, 2]])
    """
    needs_tensor("broadcast_to", input=input)
    _require_ints("broadcast_to", "size", size)
    return input.expand(size)

def meshgrid(*tensors: Any, indexing: str | None = None) -> tuple[Tensor, ...]:
    """The coordinates of a grid: for vectors of lengths m and n, two tensors of shape (m, n) that hold them.

    tensors: vectors (or tensors of rank 0) of one dtype, several or one list of them. indexing:
    "ij", as described; or "xy", which exchanges the first two dimensions, so that the first vector
    runs along the rows. Without it, "ij" with a warning. Returns a tuple of views, one for each
    tensor. RuntimeError if dtypes differ, if a rank is above 1, or for another `indexing`.

    >>> x, y = torch.meshgrid(torch.tensor([1, 2, 3]), torch.tensor([4, 5]), indexing="xy")
    >>> x, y
    (tensor([[1, 2, 3],
            [1, 2, 3]]), tensor([[4, 4, 4],
            [5, 5, 5]]))
    """
    given = list(tensors[0] if len(tensors) == 1 and isinstance(tensors[0], (tuple, list)) else tensors)
    _require_elements(given)
    fits = given and all(t.ndim < 2 and t.dtype == given[0].dtype for t in given) and indexing in (None, "xy", "ij")
    require(fits, "meshgrid_arguments")
    if indexing is None:
        warnings.warn(str(error("meshgrid_indexing")), stacklevel=2)
    first = slice(1, None, -1) if indexing == "xy" else slice(2)  # the order of the first two
    given[:2] = given[:2][first]
    shape = tuple([t.numel() for t in given])
    grids = [view(t, (1,) * i + (-1,) + (1,) * (len(given) - i - 1)).expand(shape) for i, t in enumerate(given)]
    grids[:2] = grids[:2][first]
    return tuple(grids)

# Permutations

def _transpose(self, dim0, dim1):
    at = wrap_dim(dim0, self.ndim), wrap_dim(dim1, self.ndim)
    return self.swapaxes(*at) if self.ndim else self[...]

def _all_reversed(self):
    if self.ndim != 2:
        warnings.warn(error("T_rank") if self.ndim else error("T_scalar", "T"), stacklevel=2)
    return permute(self, tuple(reversed(range(self.ndim))))

def _matrices_turned(self):
    require(self.ndim != 1, "mT_rank", self.ndim)
    if not self.ndim:
        warnings.warn(error("T_scalar", "mT"), stacklevel=2)
    return transpose(self, -2, -1) if self.ndim else self

@look(lambda self: self.T, check=lambda self: require(self.ndim <= 2, "t_rank", "t", self.ndim), self=lambda g: t(g))
def t(self):
    """The transpose of a matrix; a tensor of rank 0 or 1 is returned in its own shape.

    input: tensor of rank at most 2, of any dtype. Returns a view of `input`: nothing is copied, the strides are
    exchanged. RuntimeError if the rank is greater than 2 (use `transpose` or `.mT` then).

    >>> x = torch.zeros(2, 3)
    >>> x.stride(), torch.t(x).stride()
    ((3, 1), (1, 3))
    """

@look(_transpose, self=lambda g, dim0, dim1: transpose(g, dim0, dim1))
def transpose(self, dim0: int, dim1: int):
    """Exchanges the dimensions `dim0` and `dim1`; `swapdims` is an alias.

    input: tensor of any shape and dtype. dim0, dim1: ints, negative ones count from the end. Returns a view of
    `input`, which is not contiguous in general. IndexError if a dimension is out of range.

    >>> torch.transpose(torch.zeros(2, 3, 4), 0, -1).shape
    torch.Size([4, 3, 2])
    """

def _check_permute(self, dims):
    _require_ints("permute", "dims", dims)
    require(len(dims) == self.ndim, "permute_length", self.ndim, len(dims))

@spread
@look(lambda self, dims: self.transpose(wrap_dims(dims, self.ndim, "permute_twice")), check=_check_permute,
    self=lambda g, dims: permute(g, np.argsort(wrap_dims(dims, g.ndim)).tolist()))
def permute(self, dims: tuple):
    """Reorders the dimensions: dimension `i` of the result is dimension `dims[i]` of `input`.

    input: tensor of any shape and dtype. dims: a sequence with each dimension once; negative ones count from the
    end. Returns a view of `input`. RuntimeError if the number of dimensions is wrong or one is repeated, IndexError
    if one is out of range.

    >>> torch.permute(torch.zeros(2, 3, 4), (2, 0, 1)).shape
    torch.Size([4, 2, 3])
    """

@of_tensor
def swapaxes(input: Tensor, axis0: int, axis1: int) -> Tensor:
    """Exchanges two dimensions: `transpose` with NumPy's names of the arguments.

    input: tensor of any shape and dtype. axis0, axis1: ints, negative ones count from the end. Returns a view.
    IndexError if a dimension is out of range.

    >>> torch.swapaxes(torch.zeros(2, 3, 4), axis0=0, axis1=2).shape
    torch.Size([4, 3, 2])
    """
    return transpose(input, axis0, axis1)

@of_tensor
def movedim(input: Tensor, source: Any, destination: Any) -> Tensor:
    """Moves dimensions to other positions; the others keep their order. `moveaxis` is an alias.

    input: tensor of any shape and dtype. source, destination: ints, or two sequences of equal length, of the dimensions
    now and in the result. Returns a view of `input`. RuntimeError if a dimension is repeated or the lengths differ,
    IndexError if one is out of range.

    >>> torch.movedim(torch.zeros(2, 3, 4), 0, -1).shape  # channels last
    torch.Size([3, 4, 2])
    """
    if isinstance(source, int) and isinstance(destination, int):
        source, destination = (source,), (destination,)
    _require_ints("movedim", "source", source)
    _require_ints("movedim", "destination", destination)
    require(len(source) == len(destination), "movedim_lengths", tuple(source), tuple(destination))
    source, destination = wrap_dims(source, input.ndim), wrap_dims(destination, input.ndim)
    if not input.ndim:
        return alias(input)
    rest = iter([d for d in range(input.ndim) if d not in source])
    moved = dict(zip(destination, source))
    return permute(input, [moved[d] if d in moved else next(rest) for d in range(input.ndim)])

moveaxis = movedim
Tensor.swapdims = swapdims = transpose  # type: ignore[attr-defined]
Tensor.moveaxis = moveaxis  # type: ignore[attr-defined]
Tensor.T, Tensor.mT = property(_all_reversed), property(_matrices_turned)  # type: ignore[attr-defined]

# Parts

def _select(self, dim, index):
    require(self.ndim, "select_scalar")
    at = wrap_dim(dim, self.ndim)
    require(-self.shape[at] <= index < self.shape[at], "select_index", index, self.shape, at)
    return self[(slice(None),) * at + (index, ...)]

def _slice(self, dim, start, end, step):
    return self[(slice(None),) * dim + (slice(start, end, step),)]

def _diagonal(self, offset=0, dim1=0, dim2=1):
    part = np.diagonal(self, offset, *wrap_dims((dim1, dim2), self.ndim, "diagonal_dims"))
    part.flags.writeable = self.flags.writeable  # NumPy returns it read-only
    return part

def _into_zeros(part):
    """The kernel of the gradient of a part: zeros, with the gradient at that part."""
    def kernel(grad_output, size, *place):
        whole = np.zeros(size, grad_output.dtype)
        part(whole, *place)[...] = grad_output
        return whole
    return kernel

@look(_select, self=lambda g, self_shape, dim, index: select_backward(g, self_shape, dim, index))
def select(self, dim: int, index: int):
    """The slice at position `index` of dimension `dim`: `input[index]` for `dim=0`.

    input: tensor of rank 1 or more, of any dtype. index: int; negative values count from the end. Returns a view of
    `input` without dimension `dim`. IndexError if `dim` or `index` is out of range, or if the rank is 0.

    >>> torch.select(torch.tensor([[1, 2], [3, 4]]), 1, -1)  # the last column
    tensor([2, 4])
    """

@op(_into_zeros(_select), grad_output=lambda g, dim, index: select(g, dim, index))
def select_backward(grad_output, size: tuple, dim: int, index: int): ...
@look(_slice, overload="slice.0",
    self=lambda g, self_shape, dim, start, end, step: slice_backward(g, self_shape, dim, start, end, step))
def slice_view(self, dim: int, start: int, end: int, step: int): ...
@op(_into_zeros(_slice), grad_output=lambda g, dim, start, end, step: slice_view(g, dim, start, end, step))
def slice_backward(grad_output, size: tuple, dim: int, start: int, end: int, step: int): ...
@look(_diagonal, self=lambda g, self_shape, offset, dim1, dim2: diagonal_backward(g, self_shape, offset, dim1, dim2))
def diagonal(self, offset=0, dim1=0, dim2=1):
    """The diagonal of the matrices formed by `dim1` and `dim2`; it becomes the last dimension.

    input: tensor of rank 2 or more, of any dtype. offset: 0 is the main diagonal, positive values lie above it,
    negative ones below. Returns a view of `input`, so a write to it changes `input`; it is empty if `offset` is too
    large. IndexError if a dimension is out of range, RuntimeError if both are the same.

    >>> torch.diagonal(torch.tensor([[1, 2, 3], [4, 5, 6]]), 1)
    tensor([2, 6])
    """

@op(_into_zeros(_diagonal), grad_output=lambda g, offset, dim1, dim2: diagonal(g, offset, dim1, dim2))
def diagonal_backward(grad_output, size: tuple, offset=0, dim1=0, dim2=1): ...
@op(lambda self, offset, dim1, dim2: _diagonal(self, offset, dim1, dim2).copy("C"), node="DiagonalBackward0_copy",
    self=lambda g, self_shape, offset, dim1, dim2: diagonal_backward(g, self_shape, offset, dim1, dim2))
def diagonal_copy(self, offset=0, dim1=0, dim2=1):
    """A copy of `diagonal`, with memory of its own.

    input: tensor of rank 2 or more, of any dtype; offset, dim1, dim2: as in `diagonal`, with its errors.

    >>> torch.diagonal_copy(torch.tensor([[1, 2], [3, 4]]))
    tensor([1, 4])
    """

def _diag_embed(self, offset=0, dim1=-2, dim2=-1):
    at = wrap_dims((dim1, dim2), self.ndim + 1, "diagonal_dims")
    size = list(self.shape[:-1])
    for d in sorted(at):
        size.insert(d, self.shape[-1] + abs(offset))
    return _into_zeros(_diagonal)(self, size, offset, *at)

@op(_diag_embed, self=lambda g, offset, dim1, dim2: diagonal(g, offset, dim1, dim2))
def diag_embed(self, offset=0, dim1=-2, dim2=-1):
    """Matrices of zeros with the last dimension of `input` on a diagonal: the opposite of `diagonal`.

    input: tensor of rank 1 or more, of any dtype. offset: 0 is the main diagonal, positive values lie above it, negative
    ones below. dim1, dim2: the dimensions of the result that form the matrices. Returns a new tensor. IndexError if a
    dimension is out of range, RuntimeError if both are the same.

    >>> torch.diag_embed(torch.tensor([[1, 2], [3, 4]]))
    tensor([[[1, 0],
             [0, 2]],
    <BLANKLINE>
            [[3, 0],
             [0, 4]]])
    """

@of_tensor
def diag(input: Tensor, diagonal: int = 0) -> Tensor:
    """The matrix with a vector on its diagonal, or a copy of the diagonal of a matrix.

    input: vector or matrix of any dtype, else RuntimeError. diagonal: 0 is the main one, positive values lie above it,
    negative ones below.

    >>> torch.diag(torch.tensor([1, 2])), torch.diag(torch.tensor([[1, 2], [3, 4]]))
    (tensor([[1, 0],
            [0, 2]]), tensor([1, 4]))
    """
    require(input.ndim in (1, 2), "diag_rank", input.ndim)
    return diag_embed(input, diagonal) if input.ndim == 1 else diagonal_copy(input, diagonal)

@of_tensor
def diagflat(input: Tensor, offset: int = 0) -> Tensor:
    """The matrix with all elements of `input`, in row-major order, on a diagonal.

    input: tensor of any shape and dtype. offset: as in `diag`.

    >>> torch.diagflat(torch.tensor([1, 2]), 1)
    tensor([[0, 1, 0],
            [0, 0, 2],
            [0, 0, 0]])
    """
    return diag(ravel(input), offset)

@method
def narrow(input: Tensor, dim: int, start: int, length: int) -> Tensor:
    """The `length` entries of dimension `dim` that begin at `start`: a slice.

    input: tensor of rank 1 or more, of any dtype. start: int; a negative value counts from the end. Returns a view
    of `input`. IndexError if `dim` or `start` is out of range. RuntimeError if `length` is negative, if `start +
    length` exceeds the size (a Python slice would be cut off instead), or if the rank is 0.

    >>> torch.narrow(torch.arange(10), 0, 6, 3)
    tensor([6, 7, 8])
    """
    require(input.ndim, "narrow_scalar")
    at, extent = wrap_dim(dim, input.ndim), input.size(dim)
    require(length >= 0, "narrow_length")
    require(-extent <= start <= extent, "narrow_start", extent, start)
    start += extent if start < 0 else 0
    require(start + length <= extent, "narrow_end", start, length, extent)
    return slice_view(input, at, start, start + length, 1)

# Strided views

def _strided(self, place, own):
    (size, stride, offset), memory, step = place, memory_of(self), self.itemsize
    needed = place.extent
    require(needed <= memory.size, "strided_bounds", size, stride, offset, step, needed * step, memory.nbytes)
    part = strided_view(memory, place)
    part.flags.writeable = all(s for n, s in zip(size, stride) if n > 1)  # a repeated element must not be written
    return part

def _add_at(memory, place, there, g):
    np.add.at(memory, there, g)
    return memory

@on_arrays(_add_at)
def _added_at(memory, place, there, g):
    """`g` added to a memory with the geometry `place`; `there` are the numbers of these elements."""
    if np.unique(there).size == there.size:
        return as_strided(memory, *place).copy_(g)._base
    return memory.index_add(0, constant(there.reshape(-1)), reshape(g, (-1,)))

def _strided_back(g, place, own):
    """The view with geometry `own` of a memory of zeros to which the gradient was added with geometry `place`."""
    size, stride, offset = place
    if 0 in (*size, *own[0]):
        return zeros_beside(g, own[0])
    for i in reversed(range(len(size))):
        g = squeeze_dim(g, i) if size[i] == 1 else g if stride[i] else g.sum(i)
    steps = [(n, s) for n, s in zip(size, stride) if n > 1 and s]
    place = Geometry([n for n, _ in steps], [s for _, s in steps], offset)
    extent = max(place.extent, own.extent)
    memory = _added_at(zeros_beside(g, (extent,)), place, strided_view(np.arange(extent), place), g)
    # The elements of an expanded tensor share memory, so they share the gradient.
    sharing = math.prod(n for n, s in zip(*own[:2]) if s == 0)
    return strided(memory / sharing if sharing > 1 else memory, own, Geometry((extent,), (1,), 0))

@look(_strided, overload="as_strided.0", self=_strided_back)
def strided(self, place: tuple, own: tuple): ...

@method
def as_strided(input: Tensor, size: Any, stride: Any, storage_offset: int | None = None) -> Tensor:
    """A view of the memory of `input` with the given sizes, strides and offset.

    size, stride: sequences of equal length; strides count elements, not bytes. storage_offset: position of the
    first element in the memory; by default that of `input`. Elements may overlap; their gradients are then added.
    RuntimeError if the view needs more memory than there is.

    >>> torch.as_strided(torch.arange(5), (3, 3), (1, 1))  # a sliding window of width 3
    tensor([[0, 1, 2],
            [1, 2, 3],
            [2, 3, 4]])
    """
    return strided_by(strided, input, size, stride, storage_offset)

def strided_by(row, input, size, stride, storage_offset=None):
    """`as_strided` by this row."""
    _require_ints("as_strided", "size", size)
    own, size, stride = geometry_of(input._array), tuple(size), tuple(stride)
    offset = own.offset if storage_offset is None else storage_offset
    require(len(size) == len(stride), "strided_lengths")
    require(min(stride, default=0) >= 0, "strided_negative", stride)
    require(min(size, default=0) >= 0, "strided_size", size, stride)
    require(offset >= 0, "strided_offset", offset)
    return row(input, Geometry(size, stride, offset), own)

# Joining and splitting

def _common(tensors):
    common = reduce(promote_types, (a.dtype for a in tensors))
    return [a.astype(common, copy=False) for a in tensors]

def _stack(tensors, dim=0):
    require(tensors, "stack_none")
    for i, array in enumerate(tensors):
        require(array.shape == tensors[0].shape, "stack_size", tensors[0].shape, i, array.shape)
    return np.asarray(np.stack(_common(tensors), wrap_dim(dim, tensors[0].ndim + 1)), order="C")

def _cat(tensors, dim=0):
    require(tensors, "cat_none")
    scalars = [i for i, array in enumerate(tensors) if not array.ndim]
    require(not scalars, "cat_scalar", *scalars[:1])
    tensors = _common(tensors)
    tensors = [a for a in tensors if a.shape != (0,)] or tensors  # PyTorch ignores empty vectors
    first = tensors[0]
    at = wrap_dim(dim, first.ndim) if first.shape != (0,) else 0  # PyTorch does not check `dim` of empty vectors
    for i, array in enumerate(tensors):
        require(array.ndim == first.ndim, "cat_rank", first.ndim, array.ndim)
        for d, (n, m) in enumerate(zip(first.shape, array.shape)):
            require(n == m or d == at, "cat_size", at, n, m, i)
    return np.asarray(np.concatenate(tensors, at), order="C")

def _cat_back(g, tensors_shape, dim):
    at = dim % g.ndim
    extents = [shape[at] if len(shape) > at else 0 for shape in tensors_shape]
    places = zip(tensors_shape, pairwise(accumulate(extents, initial=0)))
    return [slice_view(g, at, *ends, 1) if shape != (0,) else zeros_beside(g, shape) for shape, ends in places]

def _split(self, sizes, dim=0):
    require(self.ndim, "split_scalar")
    at = wrap_dim(dim, self.ndim)
    extent = self.shape[at]
    if isinstance(sizes, int):
        require(sizes >= 0, "split_negative", sizes)
        require(sizes or not extent, "split_zero", extent)
        sizes = [min(sizes, extent - i) for i in range(0, max(extent, 1), sizes or 1)]
    require(min(sizes, default=0) >= 0, "split_entries", list(sizes))
    require(sum(sizes) == extent, "split_sum", extent, at, list(sizes))
    return [_slice(self, at, start, end, 1) for start, end in pairwise(accumulate(sizes, initial=0))]

def _unbind(self, dim=0):
    at = wrap_dim(dim, self.ndim)
    require(self.ndim, "unbind_scalar", at)
    return [_select(self, at, i) for i in range(self.shape[at])]

def _filled(grads, kernel, shape, *place):
    """The gradients of the parts that a kernel takes; zeros for a part that received none."""
    known, parts = next(g for g in grads if g is not None), kernel(np.broadcast_to(0, shape), *place)
    return [zeros_beside(known, part.shape) if g is None else g for g, part in zip(grads, parts)]

@on_arrays(lambda array: array)
def constant(array):
    """An array as a constant in a formula."""
    return wrap(array)

@on_arrays(lambda g, shape: np.zeros(shape, g.dtype))
def zeros_beside(g: Any, shape: tuple[int, ...]) -> Any:
    """Zeros of another shape, in the dtype of a gradient."""
    return wrap(np.zeros(shape, g._array.dtype))

@op(_stack, tensors=lambda g, dim: [select(g, dim, i) for i in range(g.shape[dim])])
def stack(tensors, dim=0):
    """Joins tensors of equal shape along a new dimension.

    tensors: non-empty sequence of tensors of one shape; different dtypes are promoted to a common one. dim:
    position of the new dimension in the result, whose size is the number of tensors. Returns a new tensor.
    RuntimeError if there is no tensor or the shapes differ, IndexError if `dim` is out of range.

    >>> torch.stack([torch.tensor([1, 2]), torch.tensor([3, 4])], dim=1)
    tensor([[1, 3],
            [2, 4]])
    """

@op(_cat, tensors=_cat_back)
def cat(tensors, dim=0):
    """Joins tensors along an existing dimension.

    tensors: non-empty sequence of tensors of rank 1 or more, equal in all sizes except `dim`; different dtypes are
    promoted. An empty tensor of shape (0,) is skipped. Returns a new tensor. ValueError if there is no tensor;
    RuntimeError if sizes or ranks do not match, or if a rank is 0 (use `stack`); IndexError if `dim` is out of
    range.

    >>> torch.cat([torch.tensor([1, 2]), torch.tensor([0.5])])
    tensor([1.0000, 2.0000, 0.5000])
    """

@renaming
def concatenate(tensors: Any, dim: int = 0) -> Tensor:
    """Joins tensors along an existing dimension: an alias of `cat`, as `concat` is.

    tensors, dim: as in `cat`, with its errors; `axis` is an alias of `dim`.

    >>> torch.concatenate([torch.ones(1, 2), torch.zeros(1, 2)], axis=1)
    tensor([[1., 1., 0., 0.]])
    """
    require(isinstance(tensors, (tuple, list)), "argument_is_no_tensors", "concatenate", class_name(tensors))
    return cat(tensors, dim)

concat = concatenate

def hstack(tensors: Any) -> Tensor:
    """Joins tensors side by side: along dimension 1, vectors along dimension 0.

    tensors: non-empty sequence of tensors that agree in all other sizes; those of rank 0 count as vectors. Different
    dtypes are promoted. RuntimeError if there is no tensor, or if sizes or ranks do not match.

    >>> torch.hstack([torch.tensor([[1], [2]]), torch.tensor([[3], [4]])])
    tensor([[1, 3],
            [2, 4]])
    """
    tensors = atleast_1d(_list_of_tensors("hstack", tensors))
    return cat(tensors, 0 if tensors[0].ndim == 1 else 1)

def vstack(tensors: Any) -> Tensor:
    """Joins tensors one below the other: along dimension 0, vectors as rows. `row_stack` is an alias.

    tensors: non-empty sequence of tensors that agree in all other sizes. Different dtypes are promoted. RuntimeError if
    there is no tensor, or if sizes or ranks do not match.

    >>> torch.vstack([torch.tensor([1, 2]), torch.tensor([3, 4])])
    tensor([[1, 2],
            [3, 4]])
    """
    return cat(atleast_2d(_list_of_tensors("vstack", tensors)), 0)

row_stack = vstack

def dstack(tensors: Any) -> Tensor:
    """Joins tensors along dimension 2, after `atleast_3d`.

    tensors: non-empty sequence of tensors that agree in all other sizes. Different dtypes are promoted. RuntimeError if
    there is no tensor, or if sizes or ranks do not match.

    >>> torch.dstack([torch.tensor([1, 2]), torch.tensor([3, 4])])
    tensor([[[1, 3],
             [2, 4]]])
    """
    return cat(atleast_3d(_list_of_tensors("dstack", tensors)), 2)

def column_stack(tensors: Any) -> Tensor:
    """Joins tensors side by side, vectors as columns.

    tensors: non-empty sequence of tensors with the same number of rows. Different dtypes are
    promoted. RuntimeError if there is no tensor, or if sizes or ranks do not match.

    >>> torch.column_stack([torch.tensor([1, 2]), torch.tensor([3, 4])])
    tensor([[1, 3],
            [2, 4]])
    """
    tensors = _list_of_tensors("column_stack", tensors)
    return hstack([reshape(x, (x.numel(), 1)) if isinstance(x, Tensor) and x.ndim < 2 else x for x in tensors])

@look(_unbind, outputs=(), self=lambda grads, self_shape, dim: stack(_filled(grads, _unbind, self_shape, dim), dim))
def unbind(self, dim=0):
    """The slices along `dim`, as a tuple; the opposite of `stack`.

    input: tensor of rank 1 or more, of any dtype. Returns one view of `input` without dimension `dim` for each
    position. If `input` requires grad, these views cannot be written in place: RuntimeError. IndexError if `dim` is
    out of range.

    >>> torch.unbind(torch.tensor([[1, 2], [3, 4]]), 1)
    (tensor([1, 3]), tensor([2, 4]))
    """

_splitting = partial(op, _split, view=True, outputs=(), self=lambda grads, self_shape, sizes, dim:
    cat(_filled(grads, _split, self_shape, sizes, dim), dim))

@_splitting(overload="split.0")
def split_evenly(self, sizes: int, dim=0): ...
@_splitting()
def split_with_sizes(self, sizes: list, dim=0): ...

@method
def split(tensor: Any, split_size_or_sections: Any, dim: int = 0) -> Any:
    """Cuts a tensor into consecutive parts along `dim`, as a tuple of views.

    tensor: tensor of rank 1 or more, of any dtype. split_size_or_sections: the size of every part (the last one may
    be smaller), or a list with the size of each. If `tensor` requires grad, the views cannot be written in place.
    RuntimeError if a size is negative, if the listed sizes do not sum to the size of `dim`, or if the rank is 0;
    IndexError if `dim` is out of range.

    >>> torch.split(torch.arange(5), 2)
    (tensor([0, 1]), tensor([2, 3]), tensor([4]))
    """
    row = split_evenly if isinstance(split_size_or_sections, int) else split_with_sizes
    return row(tensor, split_size_or_sections, dim)

@method
def chunk(input: Tensor, chunks: int, dim: int = 0) -> Any:
    """Cuts a tensor into at most `chunks` parts of equal size along `dim`, as a tuple of views.

    input: tensor of rank 1 or more, of any dtype. The size of a part is rounded up, so the last part may be
    smaller, and there may be fewer parts than `chunks`. RuntimeError if `chunks` is not positive or the rank is 0;
    IndexError if `dim` is out of range.

    >>> torch.chunk(torch.arange(6), 4)  # three parts, not four
    (tensor([0, 1]), tensor([2, 3]), tensor([4, 5]))
    """
    require(input.ndim, "chunk_scalar")
    require(chunks > 0, "chunk_count", chunks)
    return split(input, -(-input.size(dim) // chunks) or [0] * chunks, dim)

@of_tensor
def tensor_split(input: Tensor, indices_or_sections: Any = None, dim: int = 0, **named: Any) -> tuple[Tensor, ...]:
    """Cuts a tensor along `dim` into a number of parts, or at given indices, as a tuple of views.

    input: tensor of rank 1 or more, of any dtype. indices_or_sections: an int, the number of parts
    (if it does not divide the size, the first parts are larger by one); or a sequence of indices
    before which to cut, as in slices; or an int64 tensor with either of them; also by name as
    `sections` or `indices`. RuntimeError if the number is not positive, if the rank is 0, or for
    another tensor; IndexError if `dim` is out of range.

    >>> torch.tensor_split(torch.arange(5), 2), torch.tensor_split(torch.arange(5), (1, 3))
    ((tensor([0, 1, 2]), tensor([3, 4])), (tensor([0]), tensor([1, 2]), tensor([3, 4])))
    """
    for name in ("sections", "indices", "tensor_indices_or_sections"):
        indices_or_sections = named.pop(name, indices_or_sections)
    require(not named and indices_or_sections is not None, "tensor_split_arguments")
    require(input.ndim, "tensor_split_scalar", input.ndim)
    at = wrap_dim(dim, input.ndim)
    if isinstance(indices_or_sections, Tensor):
        fits = indices_or_sections.ndim < 2 and indices_or_sections.dtype.name == "int64"
        require(fits, "tensor_split_tensor", indices_or_sections.ndim, indices_or_sections._array)
        indices_or_sections = indices_or_sections.tolist()
    extent = input.shape[at]
    if isinstance(indices_or_sections, int):
        require(indices_or_sections > 0, "tensor_split_sections", indices_or_sections)
        least, larger = divmod(extent, indices_or_sections)
        indices_or_sections = [i * least + min(i, larger) for i in range(1, indices_or_sections)]
    places = [slice(*ends).indices(extent)[:2] for ends in pairwise((0, *indices_or_sections, extent))]
    return tuple([slice_view(input, at, start, max(start, end), 1) for start, end in places])

def _split_at(at, name, rank, input, indices_or_sections, named):
    require(input.ndim >= rank, "hsplit_rank", name, rank, input.ndim)
    dim, sections = min(at, input.ndim - 1), named.get("sections", indices_or_sections)
    divides = not isinstance(sections, int) or (sections and not input.shape[dim] % sections)
    require(divides, "hsplit_size", name, dim, input.shape[dim], sections)
    return tensor_split(input, indices_or_sections, dim, **named)

@of_tensor
def hsplit(input: Tensor, indices_or_sections: Any = None, **named: Any) -> tuple[Tensor, ...]:
    """Cuts a tensor along dimension 1, a vector along dimension 0, as a tuple of views.

    input: tensor of rank 1 or more, of any dtype. indices_or_sections: the number of parts, which must divide the
    size; or indices, as in `tensor_split`. RuntimeError if it does not divide it, or if the rank is smaller.

    >>> [part.shape for part in torch.hsplit(torch.zeros(2, 4, 6), 2)]
    [torch.Size([2, 2, 6]), torch.Size([2, 2, 6])]
    """
    return _split_at(1, "hsplit", 1, input, indices_or_sections, named)

@of_tensor
def vsplit(input: Tensor, indices_or_sections: Any = None, **named: Any) -> tuple[Tensor, ...]:
    """Cuts a tensor along dimension 0 as a tuple of views.

    input: tensor of rank 2 or more, of any dtype. indices_or_sections: the number of parts, which must divide the
    size; or indices, as in `tensor_split`. RuntimeError if it does not divide it, or if the rank is smaller.

    >>> [part.shape for part in torch.vsplit(torch.zeros(2, 4, 6), 2)]
    [torch.Size([1, 4, 6]), torch.Size([1, 4, 6])]
    """
    return _split_at(0, "vsplit", 2, input, indices_or_sections, named)

@of_tensor
def dsplit(input: Tensor, indices_or_sections: Any = None, **named: Any) -> tuple[Tensor, ...]:
    """Cuts a tensor along dimension 2 as a tuple of views.

    input: tensor of rank 3 or more, of any dtype. indices_or_sections: the number of parts, which must divide the
    size; or indices, as in `tensor_split`. RuntimeError if it does not divide it, or if the rank is smaller.

    >>> [part.shape for part in torch.dsplit(torch.zeros(2, 4, 6), 2)]
    [torch.Size([2, 4, 3]), torch.Size([2, 4, 3])]
    """
    return _split_at(2, "dsplit", 3, input, indices_or_sections, named)

# Elements repeated, reversed, cut to a triangle

def _repeat_back(g, self_shape, repeats):
    for _ in repeats[len(self_shape) :]:
        g = g.sum(0)
    # Each repeated dimension becomes two, the first of which is summed over.
    pairs = zip(repeats[len(repeats) - len(self_shape) :], self_shape)
    apart = [pair if pair[0] != 1 else pair[1:] for pair in pairs]
    firsts = [sum(map(len, apart[:i])) for i, pair in enumerate(apart) if len(pair) == 2]
    return reshape(g, tuple(chain(*apart))).sum(tuple(firsts)) if firsts else g

def _is_matrix(name):
    return lambda self, diagonal: require(self.ndim > 1, "triangle_rank", name)

def _check_repeat(self, repeats):
    _require_ints("repeat", "repeats", repeats)
    require(len(repeats) >= self.ndim, "repeat_rank")
    size = [n * m for n, m in zip(repeats, (1,) * (len(repeats) - self.ndim) + self.shape)]
    require(min(size, default=0) >= 0, "negative_dimension", min(size, default=0), size)

@spread
@op(np.tile, self=_repeat_back, check=_check_repeat, method=False)
def repeat(self, repeats: tuple):
    """The tensor repeated along each dimension: a copy, unlike `expand`.

    repeats: the number of copies along each dimension of the result, as several numbers or one
    sequence; if there are more numbers than dimensions, the first dimensions are new. The gradients
    of the copies are added. RuntimeError if there are fewer.

    >>> torch.tensor([1, 2]).repeat(2, 2)
    tensor([[1, 2, 1, 2],
            [1, 2, 1, 2]])
    """

@spread
def tile(input: Tensor, dims: Sequence[int]) -> Tensor:
    """The tensor repeated along each dimension, as in `repeat`; a shorter `dims` applies to the last dimensions.

    input: tensor of any shape and dtype. dims: a sequence of numbers of copies. Returns a new tensor.

    >>> torch.tile(torch.tensor([[1], [2]]), (2,))
    tensor([[1, 1],
            [2, 2]])
    """
    needs_tensor("tile", input=input)
    _require_ints("tile", "dims", dims)
    return repeat(input, (1,) * (input.ndim - len(dims)) + tuple(dims))

@of_tensor
def repeat_interleave(
    input: Tensor, repeats: Any = None, dim: int | None = None, *, output_size: int | None = None) -> Tensor:
    """Each element, or each slice along `dim`, repeated one after another.

    input: tensor of any shape and dtype, flattened without `dim`. repeats: the number of copies, an
    int; or an int64 or int32 tensor with a number for each slice, or one for all. A call with
    `repeats` alone, a vector, returns the indices to take. output_size: the size of the result
    along `dim`. RuntimeError if a number is negative, if there are not as many as slices, or if
    `output_size` is wrong; IndexError if `dim` is out of range.

    >>> x = torch.tensor([1, 2])
    >>> torch.repeat_interleave(x, 2), torch.repeat_interleave(x, torch.tensor([0, 3]))
    (tensor([1, 1, 2, 2]), tensor([2, 2, 2]))
    """
    if repeats is None:
        require(input.ndim == 1, "repeats_alone")
        _check_repeats(input._array, output_size)
        return wrap(np.repeat(np.arange(input.numel()), input._array))
    input, at = (flatten(input), 0) if dim is None else (input, wrap_dim(dim, input.ndim))
    if isinstance(repeats, int):
        spaced, result = unsqueeze(input, at + 1), input.size(at) * repeats
        require(repeats >= 0 and output_size in (None, result), "repeats_counts")
        size = (*input.shape[: at + 1], repeats, *input.shape[at + 1 :])
        return flatten(spaced.expand(size).clone(memory_format=contiguous_format), at, at + 1)
    needs_tensor("repeat_interleave", input=input, repeats=repeats)
    require(input.ndim, "unbind_scalar", at)
    counts, extent = repeats._array, input.shape[at]
    counts = np.broadcast_to(counts, extent) if counts.size == 1 else counts
    require(repeats.ndim < 2 and counts.size == extent, "repeats_length", counts.shape, extent)
    _check_repeats(counts, output_size)
    return input.index_select(at, wrap(np.repeat(np.arange(extent), counts)))

def _check_repeats(counts, output_size):
    require(counts.dtype in (np.int64, np.int32), "kernel_not_implemented", "repeat_interleave_cpu", counts)
    require(not (counts < 0).any() and output_size in (None, counts.sum()), "repeats_counts")

@of_tensor
def take_along_dim(input: Tensor, indices: Tensor, dim: int | None = None) -> Tensor:
    """`gather` with broadcasting: the elements at `indices` along `dim`, for example from `argsort` or `argmax`.

    input: tensor of any dtype. indices: int64 tensor of the same rank, which broadcasts to `input`
    except along `dim`. Without `dim` both are flattened. RuntimeError for another rank or dtype, or
    if an index is out of range.

    >>> x = torch.tensor([[3, 1, 2]])
    >>> torch.take_along_dim(x, torch.argsort(x, 1), 1)
    tensor([[1, 2, 3]])
    """
    needs_tensor("take_along_dim", input=input, indices=indices)
    fits = indices.dtype.name == "int64" and (dim is None or input.ndim == indices.ndim)
    require(fits, "take_along_indices", input.ndim, indices.ndim, indices._array)
    if dim is None:
        return reshape(input, (-1,)).gather(0, reshape(indices, (-1,)))
    at, own, other = wrap_dim(dim, input.ndim), list(input.shape), list(indices.shape)
    own[at : at + 1], other[at : at + 1] = other[at : at + 1], own[at : at + 1]
    size = common_shape(np.broadcast_to(0, own), indices._array)
    return input.expand(np.broadcast_shapes(input.shape, other)).gather(at, indices.expand(size))

def _flipped(self, dims):
    return np.flip(np.atleast_1d(self), wrap_dims(dims, self.ndim)).reshape(self.shape).copy("K")

@spread
@op(_flipped, check=lambda self, dims: _require_ints("flip", "dims", dims), self=lambda g, dims: flip(g, dims))
def flip(self, dims: tuple):
    """Reverses the order of the elements along the given dimensions.

    input: tensor of any shape and dtype. dims: a sequence of dimensions. Returns a copy, not a view: tensors do not
    support negative strides. IndexError if a dimension is out of range, RuntimeError if one is given twice.

    >>> torch.flip(torch.tensor([[1, 2], [3, 4]]), (1,))
    tensor([[2, 1],
            [4, 3]])
    """

@of_tensor
def flipud(input: Tensor) -> Tensor:
    """Reverses the order of the rows: upside down.

    input: tensor of rank 1 or more, of any dtype, else RuntimeError. Returns a copy.

    >>> torch.flipud(torch.tensor([[1, 2], [3, 4]]))
    tensor([[3, 4],
            [1, 2]])
    """
    require(input.ndim > 0, "flip_rank", 1)
    return flip(input, (0,))

@of_tensor
def fliplr(input: Tensor) -> Tensor:
    """Reverses the order of the columns: left to right.

    input: tensor of rank 2 or more, of any dtype, else RuntimeError. Returns a copy.

    >>> torch.fliplr(torch.tensor([[1, 2], [3, 4]]))
    tensor([[2, 1],
            [4, 3]])
    """
    require(input.ndim > 1, "flip_rank", 2)
    return flip(input, (1,))

def _rot90(self, k, dims):
    require(len(dims) == 2 <= self.ndim, "rot90_dims", tuple(dims), self.ndim)
    at = wrap_dims(dims, self.ndim)
    if k % 2:
        return _flipped(self, at[1:] if k % 4 == 1 else at[:1]).swapaxes(*at)
    return _flipped(self, at) if k % 4 else self.copy("C")

@op(_rot90, self=lambda g, k, dims: rot90(g, -k, dims))
def rot90(self, k=1, dims=(0, 1)):
    """Turns matrices by 90 degrees, `k` times: from the first of two dimensions towards the second.

    input: tensor of rank 2 or more, of any dtype. k: int; negative values turn the other way. dims: the two dimensions.
    Returns a copy. RuntimeError if the rank is less than 2 or the dimensions are the same, IndexError if one is out of
    range.

    >>> torch.rot90(torch.tensor([[1, 2], [3, 4]]))
    tensor([[2, 4],
            [1, 3]])
    """

def _roll(self, shifts, dims):
    return np.asarray(np.roll(self, shifts if dims else shifts[0], dims or None), order="C")

def _check_roll(self, shifts, dims):
    require(len(shifts) == (len(dims) or 1), "roll_lengths", len(shifts), len(dims))
    for d in dims:
        require(self.ndim, "unbind_scalar", d)
        wrap_dim(d, self.ndim)

@op(_roll, overload="roll.0", check=_check_roll,
    self=lambda g, shifts, dims: roll_by(g, tuple([-n for n in reversed(shifts)]), tuple(reversed(dims))))
def roll_by(self, shifts: tuple, dims: tuple): ...

@method
def roll(input: Tensor, shifts: Any, dims: Any = ()) -> Tensor:
    """Shifts the elements along dimensions; those that leave at the end enter at the beginning.

    input: tensor of any shape and dtype. shifts, dims: ints, or sequences of equal length. Without `dims` the tensor is
    shifted as if flattened. Returns a copy. RuntimeError if the lengths differ, IndexError if a dimension is out of
    range.

    >>> torch.roll(torch.tensor([1, 2, 3, 4]), 1)
    tensor([4, 1, 2, 3])
    """
    shifts, dims = (shifts,) if isinstance(shifts, int) else shifts, (dims,) if isinstance(dims, int) else dims
    _require_ints("roll", "shifts", shifts)
    return roll_by(input, tuple(shifts), tuple(dims))

# Differences of neighbours

@of_tensor
def diff(input: Tensor, n: int = 1, dim: int = -1, prepend: Tensor | None = None, append: Tensor | None = None
) -> Tensor:
    """The differences of neighbours along `dim`: `out[i] = input[i + 1] - input[i]`, `n` times.

    input: tensor of rank 1 or more, of any dtype; for booleans whether neighbours differ. prepend,
    append: tensors to put before and after it first, equal to it in all sizes except `dim`. Returns
    a tensor with `n` fewer elements along `dim`, at least 0. RuntimeError if the rank is 0, `n` is
    negative or a shape does not fit; IndexError if `dim` is out of range.

    >>> torch.diff(torch.tensor([1, 4, 9])), torch.diff(torch.tensor([1, 4, 9]), n=2)
    (tensor([3, 5]), tensor([2]))
    """
    require(input.ndim, "diff_scalar")
    at = wrap_dim(dim, input.ndim)
    require(n >= 0, "diff_order", n)
    whole = [x for x in (prepend, input, append) if x is not None]
    _require_elements(whole)
    require(all(x.ndim == input.ndim for x in whole), "diff_rank")
    if not n:  # `prepend` and `append` are ignored then
        return wrap(np.zeros_like(input._array)).copy_(input)
    result = cat(whole, at) if len(whole) > 1 else input
    for _ in range(min(n, result.shape[at])):
        last = result.shape[at] - 1
        before, after = narrow(result, at, 0, last), narrow(result, at, 1, last)  # in the order of PyTorch's graph
        result = after.logical_xor(before) if result._array.dtype == bool else after - before
    return result

def _with_step(x, at, edge_order, step):
    """The derivative along a dimension for equal steps: at the first point, at the inner points, and at the last."""
    part = partial(_python_slice, x, at)
    over, times = (div_number, mul_number) if x.is_floating_point() else (operator.truediv, operator.mul)
    if edge_order == 1:
        first, last = part(1, 2) - part(0, 1), part(-1, None) - part(-2, -1)
    else:
        first = times(part(0, 1), -1.5) + times(part(1, 2), 2) - times(part(2, 3), 0.5)
        last = times(part(-3, -2), 0.5) - times(part(-2, -1), 2) + times(part(-1, None), 1.5)
    return over(first, step), div_number(over(part(2, None) - part(0, -2), step), 2), over(last, step)

def _with_coordinates(x, at, edge_order, coordinates):
    """The same for steps that are given by coordinates."""
    part, d = partial(_python_slice, x, at), diff(coordinates, 1, 0)
    before, after = _python_slice(d, 0, 0, -1), _python_slice(d, 0, 1, None)
    shape = [-1 if i == at else 1 for i in range(x.ndim)]
    a = reshape(-after / (before * (before + after)), shape)
    b = reshape((after - before) / (before * after), shape)
    c = reshape(before / (after * (before + after)), shape)
    center = a * part(0, -2) + b * part(1, -1) + c * part(2, None)
    if edge_order == 1:
        return (part(1, 2) - part(0, 1)) / d[0], center, (part(-1, None) - part(-2, -1)) / d[-1]
    twice = mul_number if d.is_floating_point() else operator.mul
    a = -(twice(d[0], 2.0) + d[1]) / (d[0] * (d[0] + d[1]))
    b = (d[0] + d[1]) / (d[0] * d[1])
    c = -d[0] / (d[1] * (d[0] + d[1]))
    first = a * part(0, 1) + b * part(1, 2) + c * part(2, 3)
    a = d[-1] / (d[-2] * (d[-1] + d[-2]))
    b = -(d[-1] + d[-2]) / (d[-1] * d[-2])
    c = (twice(d[-1], 2.0) + d[-2]) / (d[-1] * (d[-1] + d[-2]))
    return first, center, a * part(-3, -2) + b * part(-2, -1) + c * part(-1, None)

def _python_slice(x, at, start, end):
    return slice_view(x, at, *slice(start, end).indices(x.shape[at]))

@renaming
def gradient(input: Tensor, *, spacing: Any = None, dim: Any = None, edge_order: int = 1) -> tuple[Tensor, ...]:
    """Numerical derivatives of a function from its values on a grid: central differences, one-sided at the edges.

    input: tensor of values, of any dtype but uint8 and bool; integers give floats. spacing: the distance of neighbours, a
    number for all dimensions, or a sequence with a number, or a vector of coordinates, for each. dim: the dimensions to
    differentiate along, an int or a sequence; all by default. edge_order: the accuracy at the edges, 1 or 2. Returns a
    tuple with a tensor of the shape of `input` for each dimension. RuntimeError if lengths do not fit, or if a size is
    not greater than `edge_order`; IndexError if a dimension is out of range.

    >>> torch.gradient(torch.tensor([0.0, 1.0, 4.0, 9.0]))  # of x ** 2
    (tensor([1., 2., 4., 5.]),)
    """
    needs_tensor("gradient", input=input)
    require(input.dtype.name != "uint8", "gradient_uint8")
    dims = list(range(input.ndim)) if dim is None else [dim] if isinstance(dim, int) else list(dim)
    if spacing is None or isinstance(spacing, (int, float)) or (isinstance(spacing, Tensor) and not spacing.ndim):
        steps = [1 if spacing is None else getattr(spacing, "item", lambda: spacing)()] * len(dims)
    else:
        steps = list(spacing) if isinstance(spacing, (tuple, list)) else []
        ranks = {step.ndim if isinstance(step, Tensor) else 0 for step in steps}
        require(len(steps) == len(dims) and ranks in ({0}, {1}), "gradient_spacing", len(dims))
    require(edge_order in (1, 2), "gradient_edge_order")
    places = wrap_dims(dims, input.ndim)
    for at in places:
        require(input.ndim == 0 or input.shape[at] > edge_order, "gradient_size")
    along = [_with_coordinates if isinstance(step, Tensor) else _with_step for step in steps]
    return tuple([cat(f(input, at, edge_order, step), at) for f, at, step in zip(along, places, steps)])

# Triangles

@op(np.tril, inplace=True, check=_is_matrix("tril"), self=lambda g, diagonal: tril(g, diagonal))
def tril(self, diagonal=0):
    """The lower triangle of each matrix; the elements above the given diagonal become 0.

    input: tensor of rank 2 or more, of any dtype; the last two dimensions are the matrices. diagonal: the last
    diagonal that is kept; 0 is the main one, 1 the one above it, -1 the one below. Returns a new tensor.
    RuntimeError if the rank is less than 2.

    >>> torch.tril(torch.ones(3, 3, dtype=torch.int64), -1)
    tensor([[0, 0, 0],
            [1, 0, 0],
            [1, 1, 0]])
    """

@op(np.triu, inplace=True, check=_is_matrix("triu"), self=lambda g, diagonal: triu(g, diagonal))
def triu(self, diagonal=0):
    """The upper triangle of each matrix; the elements below the given diagonal become 0.

    input: tensor of rank 2 or more, of any dtype; the last two dimensions are the matrices. diagonal: the first
    diagonal that is kept; 0 is the main one, 1 the one above it, -1 the one below. Returns a new tensor.
    RuntimeError if the rank is less than 2.

    >>> torch.triu(torch.ones(3, 3, dtype=torch.bool), 1)  # the mask of a causal attention
    tensor([[False,  True,  True],
            [False, False,  True],
            [False, False, False]])
    """
