"""Tensor: an array, and what autograd must know about it.

A tensor holds a NumPy array, the version counter that it shares with every tensor of the same memory, and the edge that leads
into its graph; what a view knows of its base, `autograd/views.py` says. The operations (`ops/`) attach their functions as
methods; `autograd/engine.py` runs the graph.
"""

from __future__ import annotations

import functools
import warnings
import weakref
from collections.abc import Callable, Iterator
from copy import deepcopy
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from . import dtypes
from .autograd.modes import state
from .autograd.node import NO_EDGE, Edge, RemovableHandle
from .autograd.version import InferenceCounter, VersionCounter, new_counter
from .dtypes import c_name
from .errors import error, require
from .geometry import memory_of, owner_of
from .printing import tensor_repr


class Size(tuple[int, ...]):
    """The shape of a tensor: a tuple that prints as `torch.Size([2, 3])`."""

    __slots__ = ()
    numel = lambda self: prod(self)

    def __repr__(self) -> str:
        return f"torch.Size({list(self)})"

    def __getitem__(self, index: Any) -> Any:
        item = super().__getitem__(index)
        return Size(item) if isinstance(index, slice) else item

    def __add__(self, other: Any) -> Size:
        return Size(super().__add__(tuple(other)))


class Tensor:
    """An array that can require grad, with PyTorch's methods; made by `torch.tensor`, `torch.zeros` and the like.

    >>> import autograd_teach as torch
    >>> x = torch.tensor([1.0, 2.0], requires_grad=True)
    >>> (x * x).sum()
    tensor(5., grad_fn=<SumBackward0>)
    """

    # An instance stores its array, its counter and, in a graph, its edge; all else is a class attribute until it is
    # set, because making a tensor is the most frequent thing the engine does.
    _array: np.ndarray
    _counter: VersionCounter
    # (grad_fn, output_nr), or NO_EDGE. None, where that must be asked for (`leaf.edge_of`): of a leaf that requires grad,
    # whose accumulator may be gone, and of a view, whose place in the graph may have changed.
    _edge: Edge | None = NO_EDGE
    _view: Any = None  # a `views.View`, of a view
    _grad: Tensor | None = None
    _accumulator: weakref.ref[Any] | None = None
    _retains: bool = False
    # Where a result's hooks are: they stay where the first was put, until something is written, also after `transpose_`.
    _hooked: Edge | None = None
    # A leaf's own hooks; its accumulator may die and be made again, they stay.
    _leaf_hooks: dict[int, Any] | None = None
    _post_accumulate_grad_hooks: dict[int, Any] | None = None
    __array_priority__ = 1000  # an array leaves an operator between them to the tensor

    def __init__(self, *data: Any) -> None:
        """`Tensor(2, 3)`: a float tensor of that shape, uninitialised; `Tensor([1, 2])`: one of these values."""
        dtype = dtypes.get_default_dtype().numpy
        if len(data) == 1 and not isinstance(data[0], int):
            self._array = np.array(data[0]._array if isinstance(data[0], Tensor) else data[0], dtype)
        else:
            self._array = np.empty(data or (0,), dtype)
        self._counter = VersionCounter()

    if TYPE_CHECKING:
        # The operations attach their methods and operators at import; a type checker cannot see them.
        def __getattr__(self, name: Any) -> Any: ...

        attached: Any = None
        __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = attached
        __pow__ = __matmul__ = __neg__ = __gt__ = __lt__ = __ge__ = __le__ = __getitem__ = __setitem__ = attached

    # What it is made of; a method of one expression takes one line, as a property does
    shape = property(lambda self: Size(self._array.shape))
    dtype = property(lambda self: dtypes.of_array(self._array))
    ndim = property(lambda self: self._array.ndim)
    itemsize = property(lambda self: self._array.itemsize)
    nbytes = property(lambda self: self._array.nbytes)
    dim = lambda self: self._array.ndim
    numel = nelement = lambda self: self._array.size
    element_size = lambda self: self._array.itemsize
    data_ptr = lambda self: self._array.ctypes.data
    storage_offset = lambda self: (self.data_ptr() - owner_of(self._array).ctypes.data) // self._array.itemsize
    is_contiguous = lambda self: self._array.flags.c_contiguous
    is_floating_point = lambda self: self._array.dtype.kind == "f"
    is_inference = lambda self: type(self._counter) is InferenceCounter
    _base = property(lambda self: None if self._view is None else self._view.base)
    _is_view = lambda self: self._view is not None

    def size(self, dim: int | None = None) -> Any:
        """The shape, or its extent along `dim`; IndexError where there is no such dimension."""
        return self.shape if dim is None else self._array.shape[wrap_dim(dim, self._array.ndim)]

    def stride(self, dim: int | None = None) -> Any:
        """Steps in elements from one entry to the next, along each dimension or along `dim`."""
        array = self._array
        strides = tuple(s // array.itemsize for s in array.strides)
        if not array.size:  # NumPy gives it no steps; PyTorch those of a contiguous tensor
            strides = tuple(prod(max(n, 1) for n in array.shape[i + 1 :]) for i in range(array.ndim))
        return strides if dim is None else strides[wrap_dim(dim, array.ndim)]

    @property
    def _version(self) -> int:
        """How many times this memory has been changed in place."""
        require(not self.is_inference(), "inference_tensor_version")
        return self._counter.version

    # Its place in the graph
    @property
    def requires_grad(self) -> bool:
        """Whether a gradient with respect to this tensor can be computed. Only leaf tensors can be changed."""
        return self._edge is not NO_EDGE and (self._view is None or self._view.requires_grad)

    @requires_grad.setter
    def requires_grad(self, flag: bool) -> None:
        require(isinstance(flag, bool), "requires_grad_is_no_bool")
        require(self.is_leaf, "requires_grad_of_result" if flag else "no_requires_grad_of_result")
        if flag:
            require(self.is_floating_point(), "requires_grad_of_dtype")
            require(state.mode.inference or not self.is_inference(), "requires_grad_of_inference_tensor")
        self._set_edge(None if flag else NO_EDGE)

    def requires_grad_(self, requires_grad: bool = True) -> Tensor:
        """Set the flag in place and return the tensor; no error on a result that requires grad already."""
        require(self.is_floating_point() or not requires_grad, "requires_grad__of_dtype")
        if not requires_grad or (self._known_edge is NO_EDGE and self.grad_fn is None):
            self.requires_grad = requires_grad
        return self

    grad_fn = property(lambda self: (self._own_edge() or NO_EDGE)[0], doc="The node that made it; None for a leaf.")
    output_nr = property(lambda self: max(0, (self._own_edge() or NO_EDGE)[1]), doc="Which output of `grad_fn` it is.")
    is_leaf = property(lambda self: self.grad_fn is None, doc="Whether no recorded operation made this tensor.")
    retains_grad = property(lambda self: self._retains)
    # The edge as it was when last asked for: only that of a view may be out of date.
    _known_edge = property(lambda self: self._edge if self._view is None else self._view.edge)

    def _own_edge(self) -> Edge | None:
        """(grad_fn, output_nr), NO_EDGE, or None for a leaf that requires grad; of a view up to date."""
        return self._edge if self._view is None else self._view.edge_of(self)

    def _set_edge(self, edge: Edge | None) -> None:
        if self._view is None:
            self._edge = edge
        else:
            self._view.set_edge(self, edge)

    @property
    def grad(self) -> Tensor | None:
        """The gradient that backward passes have accumulated here; None before the first, and where this is no leaf."""
        edge = self._known_edge
        if self._grad is None and not self._retains and edge is not None and edge[0] is not None:
            warnings.warn(str(error("grad_of_no_leaf")), stacklevel=2)
        return self._grad

    @grad.setter
    def grad(self, value: Tensor | None) -> None:
        if value is not None:
            require(isinstance(value, Tensor), "grad_is_no_tensor", type(value).__name__)
            require(value is not self, "grad_of_itself")
            require(value.dtype is self.dtype, "grad_of_dtype", c_name(value._array), self._array)
            require(value.shape == self.shape, "grad_of_size", value.shape, self.shape)
        self._grad = value

    @grad.deleter
    def grad(self) -> None:
        self._grad = None

    # The same memory without history, and with a version counter of its own: changes through it go unnoticed.
    data = property(lambda self: wrap(self._array), lambda self, value: setattr(self, "_array", value._array))

    def detach(self) -> Tensor:
        """The same memory without history: it requires no grad, and in-place changes of either are seen by both."""
        tensor = wrap(self._array)
        tensor._counter = self._counter
        return tensor

    def detach_(self) -> Tensor:
        """Forget the history in place; RuntimeError for a view, whose history is its base's."""
        require(self._view is None, "detach_view")
        self._edge = NO_EDGE
        return self

    def set_(self, source: Tensor | None = None) -> Tensor:
        """Show the memory of `source` from now on, or none; NotImplementedError where gradients or views are."""
        array = np.empty(0, self._array.dtype) if source is None else source._array
        require(array.dtype == self._array.dtype, "set_dtype", c_name(array), c_name(self._array))
        require(not (state.mode.recording and self.is_leaf and self.requires_grad), "in_place_on_leaf")
        graphs = self.requires_grad or (source is not None and source.requires_grad)
        require(self._view is None and not graphs, "set_unsupported")
        self._array = array
        self._counter.bump()
        return self

    def resize_(self, *size: Any) -> Tensor:
        """The size changed in place, to no more elements than there are: others may see the memory."""
        require(not self.requires_grad, "resize_with_gradient")
        shape = tuple(size[0]) if len(size) == 1 and not isinstance(size[0], int) else size
        require(prod(shape) <= self._array.size and self.is_contiguous(), "resize_unsupported")
        self._array = self._array.reshape(-1)[: prod(shape)].reshape(shape)
        return self

    def register_hook(self, hook: Callable[[Tensor], Tensor | None]) -> RemovableHandle:
        """Call `hook(grad)` when this tensor's gradient is computed; what it returns, unless None, takes its place."""
        require(self.requires_grad, "hook_without_gradient")
        if self.grad_fn is not None:
            edge: Any = self._hooked or self._own_edge()
            self._hooked = edge
            return RemovableHandle(edge[0]._hook_lists().tensor, (edge[1], hook))
        if self._leaf_hooks is None:
            self._leaf_hooks = {}
            if accumulator := self._accumulator and self._accumulator():
                accumulator._hook_lists().tensor = self._leaf_hooks
        return RemovableHandle(self._leaf_hooks, (0, hook))

    def register_post_accumulate_grad_hook(self, hook: Callable[[Tensor], None]) -> RemovableHandle:
        """Call `hook(tensor)` whenever a backward pass has added to `.grad` of this leaf."""
        require(self.requires_grad, "hook_without_gradient")
        require(self.is_leaf, "post_accumulate_hook_on_result")
        hooks = self._post_accumulate_grad_hooks = self._post_accumulate_grad_hooks or {}
        return RemovableHandle(hooks, hook)

    def retain_grad(self) -> None:
        """Keep `.grad` of this tensor although it is no leaf."""
        own = self._known_edge
        require(self.requires_grad, "retain_grad_without_gradient")
        if own is not NO_EDGE and not self._retains and self.grad_fn is not None:
            self.grad_fn._hook_lists().retain[self.output_nr] = weakref.ref(self)
            self._retains = True

    def _become(self, edge: Edge) -> None:
        """Take another place in the graph: after a write."""
        if self._retains and self.grad_fn is not None and edge[0] is not None:
            kept = self.grad_fn._hook_lists().retain.pop(self.output_nr, None)
            edge[0]._hook_lists().retain[edge[1]] = kept or weakref.ref(self)
        self._set_edge(edge)
        self._hooked = None

    # To Python and NumPy
    def _scalar(self, otherwise: str = "scalar_of_many", *values: Any) -> Any:
        """The value of the only element as a Python number; that error where there are others."""
        require(self._array.size == 1, otherwise, *values)
        return self._array.item()

    tolist = lambda self: self._array.tolist()
    item = lambda self: self._scalar("item_of_many", self._array.size)
    __int__ = lambda self: int(self._scalar())

    def __bool__(self) -> bool:
        return bool(self._scalar("bool_of_many", "more than one value" if self._array.size else "no values"))

    def __float__(self) -> float:
        if self.requires_grad and state.mode.recording:
            _warn_once(str(error("scalar_with_gradient")))
        return float(self._scalar())

    def __index__(self) -> int:
        require(self._array.dtype.kind != "f", "index_of_many")
        return int(self._scalar("index_of_many"))

    def numpy(self, *, force: bool = False) -> np.ndarray:
        """The array itself: it shares memory with the tensor. RuntimeError for a tensor that requires grad."""
        require(force or not (state.mode.recording and self.requires_grad), "numpy_with_gradient")
        return self._array

    __array__ = lambda self, dtype=None, copy=None: np.array(self.numpy(), dtype=dtype, copy=copy)
    __dlpack_device__ = lambda self: self._array.__dlpack_device__()

    def __dlpack__(self, **options: Any) -> Any:
        require(not self.requires_grad, "dlpack_with_gradient")
        return self._array.__dlpack__(**options)

    def __len__(self) -> int:
        require(self._array.ndim, "len_of_number")
        return self._array.shape[0]

    def __iter__(self) -> Iterator[Tensor]:
        require(self._array.ndim, "iteration_over_number")
        return iter(self.unbind(0))

    __contains__ = lambda self, element: bool((self._array == getattr(element, "_array", element)).any())
    __hash__ = lambda self: id(self)  # that of the object, for comparison is elementwise
    __repr__ = tensor_repr

    def __format__(self, spec: str) -> str:
        is_number = self._array.ndim == 0 and type(self) is Tensor
        return format(self._array.item(), spec) if is_number else object.__format__(self, spec)

    def __deepcopy__(self, memo: dict[int, Any]) -> Tensor:
        require(self.is_leaf, "deepcopy_of_result")
        # The memory is copied as a whole and once: copies of two tensors that share it share it too.
        _, (_, *parts), attributes = Tensor.__reduce_ex__(self, None)
        copied = memo[id(self)] = _rebuilt(deepcopy(owner_of(self._array), memo), *parts)
        vars(copied).update(deepcopy({**attributes, "_grad": self._grad}, memo))
        return copied

    def __reduce_ex__(self, protocol: Any) -> tuple[Any, ...]:
        """For `pickle` and `copy.copy`: without gradient, hooks and history; what is pickled shares no memory."""
        attributes = {name: value for name, value in vars(self).items() if name not in Tensor.__annotations__}
        array, storage = self._array, owner_of(self._array)
        geometry = (array.shape, array.ctypes.data - storage.ctypes.data, array.strides)
        return _rebuilt, (storage.view(), type(self), geometry, array.flags.writeable, self.requires_grad), attributes


@functools.cache
def _warn_once(message: str) -> None:
    warnings.warn(message, stacklevel=4)


for _name, _method in vars(Tensor).items():  # errors and `help` call a method of one expression by its name
    if getattr(_method, "__name__", "") == "<lambda>":
        _method.__name__, _method.__qualname__ = _name, f"Tensor.{_name}"


def _rebuilt(storage: np.ndarray, kind: Any, geometry: Any, writeable: bool, requires_grad: bool) -> Any:
    """A tensor that shows a part of `storage`."""
    shape, offset, strides = geometry
    tensor = kind.__new__(kind)
    tensor._array = np.ndarray(shape, storage.dtype, memory_of(storage), offset, strides)  # type: ignore[arg-type]
    tensor._array.flags.writeable = writeable
    tensor._counter = VersionCounter()
    tensor._counter.bump()  # PyTorch counts the making of it as a change
    tensor._edge = None if requires_grad else NO_EDGE
    return tensor


def wrap(array: np.ndarray) -> Tensor:
    """A new leaf tensor on this array, without a copy."""
    tensor = Tensor.__new__(Tensor)
    tensor._array = array
    tensor._counter = new_counter()
    return tensor


def wrap_dim(dim: int, ndim: int) -> int:
    """A dimension counted from the front; IndexError out of range. A tensor of rank 0 counts as one of rank 1."""
    bound = ndim or 1
    if -bound <= dim < bound:
        return dim % bound
    raise error("dimension_out_of_range", -bound, bound - 1, dim)


def is_tensor(obj: object) -> bool:
    """Whether `obj` is a Tensor."""
    return isinstance(obj, Tensor)
