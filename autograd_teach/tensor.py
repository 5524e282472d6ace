"""Tensor: an array, and what autograd must know about it.

A tensor holds a NumPy array, the version counter that it shares with every view of the same memory, and the edge that leads
into its graph. The operations (`ops/`) attach their functions as methods; the backward pass is in `autograd/engine.py`.
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
from .autograd.modes import inference_mode, state
from .autograd.node import NO_EDGE, NOWHERE, Counter, Edge, RemovableHandle
from .errors import error, require


class Size(tuple[int, ...]):
    """The shape of a tensor: a tuple that prints as `torch.Size([2, 3])`."""

    __slots__ = ()

    def numel(self) -> int:
        """The number of elements of a tensor of this shape."""
        return prod(self)

    def __repr__(self) -> str:
        return f"torch.Size({list(self)})"

    def __getitem__(self, index: Any) -> Any:
        item = super().__getitem__(index)
        return Size(item) if isinstance(index, slice) else item

    def __add__(self, other: Any) -> Size:
        return Size(super().__add__(tuple(other)))


class InferenceCounter(list[Any]):
    """The counter of a tensor made in inference mode: such a tensor has no versions, and can therefore not be saved."""

    def __getitem__(self, index: Any) -> Any:
        if not state.inference:
            raise error("inference_tensor_saved")
        return super().__getitem__(index)


class Tensor:
    """An array that can require grad, with PyTorch's methods; made by `torch.tensor`, `torch.zeros` and the like.

    >>> import autograd_teach as torch
    >>> x = torch.tensor([1.0, 2.0], requires_grad=True)
    >>> (x * x).sum()
    tensor(5., grad_fn=<SumBackward0>)
    """

    # An instance stores its array, its counter and, in a graph, its edge; all else is a class attribute until it is set,
    # because making a tensor is the most frequent thing the engine does.
    _array: np.ndarray
    _counter: Counter
    # NO_EDGE: requires no grad. None: a leaf that does (see `edge_of_leaf`). Else (grad_fn, output_nr).
    _edge: Edge | None = NO_EDGE
    _base: Tensor | None = None
    _grad: Tensor | None = None
    _accumulator: weakref.ref[Any] | None = None
    _retains: bool = False
    # A leaf's own hooks; its accumulator may die and be made again, they stay.
    _leaf_hooks: dict[int, Any] | None = None
    _post_accumulate_grad_hooks: dict[int, Any] | None = None
    # Tensor subclasses such as Parameter, and views, are tensors; results of operations are plain ones.
    __array_priority__ = 1000

    def __init__(self, *data: Any) -> None:
        """`Tensor(2, 3)`: an uninitialised float tensor of that shape; `Tensor([1, 2])`: a float tensor of these values."""
        if len(data) == 1 and not isinstance(data[0], int):
            source = data[0]._array if isinstance(data[0], Tensor) else data[0]
            self._array = np.array(source, dtype=dtypes.get_default_dtype().numpy)
        else:
            self._array = np.empty(data or (0,), dtype=dtypes.get_default_dtype().numpy)
        self._counter = [0]

    if TYPE_CHECKING:
        # The operations attach their methods and operators at import; a type checker cannot see them.
        def __getattr__(self, name: Any) -> Any: ...

        attached: Any = None
        __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = attached
        __pow__ = __matmul__ = __neg__ = __gt__ = __lt__ = __ge__ = __le__ = __getitem__ = __setitem__ = attached

    # What it is made of

    shape = property(lambda self: Size(self._array.shape))
    dtype = property(lambda self: dtypes.of_array(self._array))
    ndim = property(lambda self: self._array.ndim)
    itemsize = property(lambda self: self._array.itemsize)
    nbytes = property(lambda self: self._array.nbytes)

    def size(self, dim: int | None = None) -> Any:
        """The shape, or its extent along `dim`; IndexError where there is no such dimension."""
        return self.shape if dim is None else self._array.shape[wrap_dim(dim, self._array.ndim)]

    def dim(self) -> int:
        return self._array.ndim

    def numel(self) -> int:
        return self._array.size

    nelement = numel

    def element_size(self) -> int:
        """Bytes of one element."""
        return self._array.itemsize

    def storage_offset(self) -> int:
        """Where the first element is in the memory that the tensor is a part of, in elements."""
        return (self._array.ctypes.data - _owner(self._array).ctypes.data) // self._array.itemsize

    def stride(self, dim: int | None = None) -> Any:
        """Steps in elements from one entry to the next, along each dimension or along `dim`."""
        array = self._array
        strides = tuple(s // array.itemsize for s in array.strides)
        if not array.size:
            # NumPy gives an array without elements no steps; PyTorch those of a contiguous tensor.
            strides = tuple(prod(max(n, 1) for n in array.shape[i + 1 :]) for i in range(array.ndim))
        return strides if dim is None else strides[wrap_dim(dim, self._array.ndim)]

    def is_contiguous(self) -> bool:
        return self._array.flags.c_contiguous

    def is_floating_point(self) -> bool:
        return self._array.dtype.kind == "f"

    def data_ptr(self) -> int:
        """The address of the first element: equal for tensors that begin at the same memory."""
        return self._array.ctypes.data

    @property
    def _version(self) -> int:
        """How many times this memory has been changed in place."""
        require(not self.is_inference(), "inference_tensor_version")
        return self._counter[0]

    def is_inference(self) -> bool:
        return type(self._counter) is InferenceCounter

    def _is_view(self) -> bool:
        return self._base is not None

    # Its place in the graph

    @property
    def requires_grad(self) -> bool:
        """Whether a gradient with respect to this tensor can be computed. Leaves only may be told so or otherwise."""
        return self._edge is not NO_EDGE

    @requires_grad.setter
    def requires_grad(self, flag: bool) -> None:
        require(isinstance(flag, bool), "requires_grad_is_no_bool")
        require(self.is_leaf, "requires_grad_of_result" if flag else "no_requires_grad_of_result")
        if flag:
            require(self.is_floating_point(), "requires_grad_of_dtype")
            require(state.inference or not self.is_inference(), "requires_grad_of_inference_tensor")
        self._edge = None if flag else NO_EDGE

    def requires_grad_(self, requires_grad: bool = True) -> Tensor:
        """Set the flag in place and return the tensor; RuntimeError for a dtype that is not floating-point."""
        require(self.is_floating_point() or not requires_grad, "requires_grad__of_dtype")
        # Unlike an assignment, this is no error on a result that requires grad already.
        if not requires_grad or self._edge in (NO_EDGE, NOWHERE):
            self.requires_grad = requires_grad
        return self

    grad_fn = property(lambda self: (self._edge or NO_EDGE)[0], doc="The node that made it; None for a leaf.")
    output_nr = property(lambda self: (self._edge or NO_EDGE)[1], doc="Which output of `grad_fn` it is.")
    is_leaf = property(lambda self: self.grad_fn is None, doc="Whether no recorded operation made this tensor.")
    retains_grad = property(lambda self: self._retains)
    # The edge as it was when last asked for: only a view's may be out of date.
    _own_edge = property(lambda self: self._edge)

    @property
    def grad(self) -> Tensor | None:
        """The gradient that backward passes have accumulated here; None before the first, and for tensors that are no leaves."""
        edge = self._own_edge
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

    @property
    def data(self) -> Tensor:
        """The same memory without history, and with a version counter of its own: changes through it go unnoticed."""
        return wrap(self._array)

    @data.setter
    def data(self, value: Tensor) -> None:
        self._array = value._array

    def detach(self) -> Tensor:
        """The same memory without history: it requires no grad, and in-place changes of either are seen by both."""
        tensor = wrap(self._array)
        tensor._counter = self._counter
        return tensor

    def detach_(self) -> Tensor:
        """Forget the history in place; RuntimeError for a view, whose history is its base's."""
        require(self._base is None, "detach_view")
        self._edge = NO_EDGE
        return self

    def set_(self, source: Tensor | None = None) -> Tensor:
        """Show the memory of `source` from now on, or none; NotImplementedError where gradients or views are involved."""
        array = np.empty(0, self._array.dtype) if source is None else source._array
        require(array.dtype == self._array.dtype, "set_dtype", c_name(array), c_name(self._array))
        require(not (state.recording and self.is_leaf and self.requires_grad), "in_place_on_leaf")
        if self.requires_grad or self._base is not None or (source is not None and source.requires_grad):
            raise error("set_unsupported")
        self._array = array
        self._counter[0] += 1
        return self

    def resize_(self, *size: Any) -> Tensor:
        """The size changed in place, to at most as many elements as there are: an array cannot grow where others see its memory."""
        require(not self.requires_grad, "resize_with_gradient")
        shape = tuple(size[0]) if len(size) == 1 and not isinstance(size[0], int) else size
        require(prod(shape) <= self._array.size and self.is_contiguous(), "resize_unsupported")
        self._array = self._array.reshape(-1)[: prod(shape)].reshape(shape)
        return self

    def register_hook(self, hook: Callable[[Tensor], Tensor | None]) -> RemovableHandle:
        """Call `hook(grad)` when this tensor's gradient has been computed; what it returns, unless None, takes its place."""
        require(self.requires_grad, "hook_without_gradient")
        if self.grad_fn is not None:
            return RemovableHandle(self.grad_fn._hook_lists().tensor, (self.output_nr, hook))
        if self._leaf_hooks is None:
            self._leaf_hooks = {}
            if self._accumulator is not None and (accumulator := self._accumulator()) is not None:
                accumulator._hook_lists().tensor = self._leaf_hooks
        return RemovableHandle(self._leaf_hooks, (0, hook))

    def register_post_accumulate_grad_hook(self, hook: Callable[[Tensor], None]) -> RemovableHandle:
        """Call `hook(tensor)` whenever a backward pass has added to `.grad` of this leaf: to take a step, or to free the gradient.

        >>> import autograd_teach as torch
        >>> x = torch.ones(2, requires_grad=True)
        >>> handle = x.register_post_accumulate_grad_hook(lambda leaf: print(leaf.grad))
        >>> (x * 3).sum().backward()
        tensor([3., 3.])
        """
        require(self.requires_grad, "hook_without_gradient")
        require(self.is_leaf, "post_accumulate_hook_on_result")
        if self._post_accumulate_grad_hooks is None:
            self._post_accumulate_grad_hooks = {}
        return RemovableHandle(self._post_accumulate_grad_hooks, hook)

    def retain_grad(self) -> None:
        """Keep `.grad` of this tensor although it is no leaf."""
        own = self._own_edge
        require(self.requires_grad, "retain_grad_without_gradient")
        if self.grad_fn is not None and own is not NO_EDGE and not self._retains:
            self.grad_fn._hook_lists().retain[self.output_nr] = weakref.ref(self)
            self._retains = True

    def _become(self, edge: Edge) -> None:
        """Take another place in the graph: after a write."""
        if self._retains and self.grad_fn is not None and edge[0] is not None:
            kept = self.grad_fn._hook_lists().retain.pop(self.output_nr, None)
            edge[0]._hook_lists().retain[edge[1]] = kept or weakref.ref(self)
        self._edge = edge

    # To Python and NumPy

    def item(self) -> Any:
        """The value of a tensor of one element as a Python number."""
        require(self._array.size == 1, "item_of_many", self._array.size)
        return self._array.item()

    def tolist(self) -> Any:
        """The values as nested lists of Python numbers."""
        return self._array.tolist()

    def numpy(self, *, force: bool = False) -> np.ndarray:
        """The array itself: it shares memory with the tensor. RuntimeError for a tensor that requires grad."""
        require(force or not (state.recording and self.requires_grad), "numpy_with_gradient")
        return self._array

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return np.array(self.numpy(), dtype=dtype, copy=copy)

    def __dlpack__(self, **options: Any) -> Any:
        if self.requires_grad:
            raise BufferError("Can't export tensors that require gradient, use tensor.detach()")
        return self._array.__dlpack__(**options)

    def __dlpack_device__(self) -> Any:
        return self._array.__dlpack_device__()

    def __bool__(self) -> bool:
        if self._array.size == 1:
            return bool(self._array.item())
        amount = "no values" if self._array.size == 0 else "more than one value"
        raise RuntimeError(f"Boolean value of Tensor with {amount} is ambiguous")

    def _scalar(self) -> Any:
        if self._array.size != 1:
            raise ValueError("only one element tensors can be converted to Python scalars")
        return self._array.item()

    def __float__(self) -> float:
        if self.requires_grad and state.recording:
            _warn_once(str(error("scalar_with_gradient")))
        return float(self._scalar())

    def __int__(self) -> int:
        return int(self._scalar())

    def __index__(self) -> int:
        if self._array.size != 1 or self._array.dtype.kind == "f":
            raise TypeError("only integer tensors of a single element can be converted to an index")
        return int(self._array.item())

    def __len__(self) -> int:
        if self._array.ndim == 0:
            raise TypeError("len() of a 0-d tensor")
        return self._array.shape[0]

    def __iter__(self) -> Iterator[Tensor]:
        if self._array.ndim == 0:
            raise TypeError("iteration over a 0-d tensor")
        return iter(self.unbind(0))

    def __contains__(self, element: Any) -> bool:
        return bool((self._array == (element._array if isinstance(element, Tensor) else element)).any())

    def __hash__(self) -> int:  # that of the object, for comparison is elementwise
        return id(self)

    def __repr__(self) -> str:
        from .printing import tensor_repr

        return tensor_repr(self)

    def __format__(self, spec: str) -> str:
        if self._array.ndim == 0 and type(self) in (Tensor, View):
            return format(self._array.item(), spec)
        return object.__format__(self, spec)

    def __deepcopy__(self, memo: dict[int, Any]) -> Tensor:
        require(self.is_leaf, "deepcopy_of_result")
        if id(self) in memo:
            return memo[id(self)]
        # The memory is copied as a whole and once: copies of two tensors that share it share it too.
        storage, parts, attributes = self._parts()
        copied = memo[id(self)] = _rebuilt(deepcopy(storage, memo), *parts)
        if self._grad is not None:
            copied._grad = self._grad.__deepcopy__(memo)
        copied.__dict__.update(deepcopy(attributes, memo))
        return copied

    def __reduce_ex__(self, protocol: Any) -> tuple[Any, ...]:
        """For `pickle` and `copy.copy`: without gradient, hooks and history. As in PyTorch, what is pickled shares no memory."""
        storage, parts, attributes = self._parts()
        return _rebuilt, (storage.view(), *parts), attributes

    def _parts(self) -> tuple[np.ndarray, tuple[Any, ...], dict[str, Any]]:
        """The memory that it is a part of, what else `_rebuilt` needs, and the attributes that users gave it."""
        attributes = {name: value for name, value in self.__dict__.items() if name not in _INTERNAL}
        kind = Tensor if type(self) is View else type(self)
        array, storage = self._array, _owner(self._array)
        geometry = (array.shape, array.ctypes.data - storage.ctypes.data, array.strides)
        return storage, (kind, geometry, array.flags.writeable, self.requires_grad), attributes


@functools.cache
def _warn_once(message: str) -> None:
    warnings.warn(message, stacklevel=4)


class View(Tensor):
    """A tensor that shows the memory of its base; users meet it as a Tensor.

    Its history is the base's. Its edge, where the base requires grad, is

    - the one it was made with, while nothing has been written to this memory since;
    - after a write, a new one: that of the strided part of the base that it shows;
    - `NOWHERE`, where making it was not recorded: it requires grad as its base does, and its gradient gets lost.
    """

    _own_edge: Edge | None = NO_EDGE  # type: ignore[assignment]  # stored in place of computed
    _own_version = 0
    # Why writing to it may not be recorded: made under "no_grad", one of "many" of one operation, or by a "function" of the user.
    _made_by = ""

    @property
    def _edge(self) -> Edge | None:  # type: ignore[override]  # a computed attribute in place of a stored one
        own, base = self._own_edge, self._base
        stale = self._own_version != self._counter[0]
        if stale and self._made_by and self.requires_grad:
            from .ops.inplace import forbidden_write

            raise forbidden_write(self, own, "its base or another view of its base has been")
        if (stale or own is NO_EDGE) and base is not None and base._edge is not NO_EDGE:
            if own is NO_EDGE and not stale:
                return NOWHERE
            from .ops.inplace import _place, edge_into_base

            with inference_mode(False):
                own = edge_into_base(base, _place(self))
            self._own_version = self._counter[0]  # stored before it is asked for again
            self._become(own)
        return own

    @_edge.setter
    def _edge(self, edge: Edge | None) -> None:
        self._own_edge = edge
        self._own_version = self._counter[0]

    @Tensor.requires_grad.getter  # type: ignore[attr-defined]  # the property's
    def requires_grad(self) -> bool:
        """Whether a gradient with respect to this tensor can be computed: a base's views need one as it does."""
        return self._own_edge is not NO_EDGE or (self._base is not None and self._base.requires_grad)


# What a tensor's dictionary holds besides attributes that users gave it.
_INTERNAL = {*Tensor.__annotations__, *View.__annotations__, "_own_edge", "_own_version", "_made_by"}


def _owner(array: np.ndarray) -> np.ndarray:
    """The array whose memory this one shows a part of."""
    while isinstance(array.base, np.ndarray) and array.base.dtype == array.dtype:
        array = array.base
    return array


def axes_by_stride(array: np.ndarray) -> list[int]:
    """The axes in the order of the memory: by falling stride."""
    return sorted(range(array.ndim), key=lambda axis: -array.strides[axis])


def memory_of(array: np.ndarray) -> np.ndarray:
    """The whole memory that an array shows a part of, as a vector; NotImplementedError where it has gaps."""
    owner = _owner(array)
    try:
        return owner.transpose(axes_by_stride(owner)).reshape(-1, copy=False)
    except ValueError:
        raise error("memory_with_gaps") from None


def _rebuilt(storage: np.ndarray, kind: Any, geometry: Any, writeable: bool, requires_grad: bool) -> Any:
    """A tensor in `storage`, as `Tensor._parts` describes it."""
    shape, offset, strides = geometry
    tensor = kind.__new__(kind)
    tensor._array = np.ndarray(shape, storage.dtype, memory_of(storage), offset, strides)  # type: ignore[arg-type]  # a buffer
    tensor._array.flags.writeable = writeable
    tensor._counter = [1]  # PyTorch counts the making of it as a change
    tensor._edge = None if requires_grad else NO_EDGE
    return tensor


def c_name(array: np.ndarray) -> str:
    """What some messages call an array's dtype."""
    names = {"float64": "double", "float16": "c10::Half", "float32": "float", "int64": "long int", "int32": "int"}
    names |= {"int16": "short int", "int8": "signed char", "uint8": "unsigned char"}
    return names.get(array.dtype.name, array.dtype.name)


View.__name__ = View.__qualname__ = "Tensor"


def wrap(array: np.ndarray) -> Tensor:
    """A new leaf tensor on this array, without a copy."""
    tensor = Tensor.__new__(Tensor)
    tensor._array = array
    tensor._counter = InferenceCounter((0,)) if state.inference else [0]
    return tensor


def wrap_dim(dim: int, ndim: int) -> int:
    """A dimension counted from the front; IndexError out of range. A tensor of rank 0 counts as one of rank 1."""
    bound = ndim or 1
    if not -bound <= dim < bound:
        raise error("dimension_out_of_range", -bound, bound - 1, dim)
    return dim % bound


def is_tensor(obj: object) -> bool:
    """Whether `obj` is a Tensor."""
    return isinstance(obj, Tensor)
