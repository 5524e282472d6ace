"""Tensor: an array with the information that autograd needs.

A tensor holds its value, the version counter that all tensors of the same memory share, and the
edge into its graph. A view also knows its base, see `autograd/views.py`. The operations (`ops/`)
attach their functions as methods; `autograd/engine.py` runs the graph.
"""

from __future__ import annotations

import functools
import threading
import warnings
import weakref
from collections.abc import Callable, Iterator
from copy import deepcopy
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from . import dtypes
from .absent import PyTorchNames
from .autograd.modes import state
from .autograd.node import NO_EDGE, Edge, RemovableHandle
from .autograd.version import DetachedCounter, InferenceCounter, VersionCounter
from .dtypes import c_name
from .errors import error, require
from .geometry import geometry_of, memory_of, owner_of
from .printing import tensor_repr
from .quiet import converted

# Held while a NumPy scalar becomes an array.
_memory = threading.Lock()


class Size(tuple[int, ...]):
    """The shape of a tensor: a tuple of ints that prints as `torch.Size([2, 3])`.

    Slices and sums with other sequences are sizes again; a single entry is an int.

    >>> import autograd_teach as torch
    >>> size = torch.ones(2, 3).shape
    >>> size, size[0], size[1:] + [4]
    (torch.Size([2, 3]), 2, torch.Size([3, 4]))
    """

    __slots__ = ()

    def numel(self) -> int:
        """How many elements a tensor of this size has: the product of its entries, 1 for the empty size.

        >>> import autograd_teach as torch
        >>> torch.Size([2, 3]).numel(), torch.Size([]).numel()
        (6, 1)
        """
        return prod(self)

    def __repr__(self) -> str:
        return f"torch.Size({list(self)})"

    def __getitem__(self, index: Any) -> Any:
        item = super().__getitem__(index)
        return Size(item) if isinstance(index, slice) else item

    def __add__(self, other: Any) -> Size:
        return Size(super().__add__(tuple(other)))


class Tensor(PyTorchNames):
    """An array that can require grad, with PyTorch's methods; made by `torch.tensor`, `torch.zeros` and the like.

    Operations on tensors that require grad are recorded: their results know the node that made them
    (`grad_fn`), and `backward` follows these nodes to the leaves and adds the gradients to their
    `.grad`.

    >>> import autograd_teach as torch
    >>> x = torch.tensor([1.0, 2.0], requires_grad=True)
    >>> (x * x).sum()
    tensor(5., grad_fn=<SumBackward0>)
    """

    # An instance stores its value and, in a graph, its edge. Everything else is a class attribute
    # until it is set, because making tensors is the most frequent thing the engine does.

    # An array. A tensor of rank 0 may hold a NumPy scalar, with which NumPy computes seven times as
    # fast, until memory that can be shared and written to is needed (`_array`).
    _value: np.ndarray | np.generic
    # The version counter of the memory. None stands for version 0: nobody has written to the memory
    # or shares it.
    _versions: VersionCounter | None = None
    # The Python number that this constant was made from.
    _number: float | None = None
    # The edge to `grad_fn`, or NO_EDGE. None if `leaf.edge_of` must compute it: for a leaf that
    # requires grad, whose accumulator may be gone, and for a view, whose place in the graph may
    # have changed.
    _edge: Edge | None = NO_EDGE
    _view: Any = None  # a `views.View` if this is a view
    _grad: Tensor | None = None
    _accumulator: weakref.ref[Any] | None = None
    _retains: bool = False
    # The edge where a result's hooks are registered. It stays the same until a write in place, also
    # after `transpose_`.
    _hooked: Edge | None = None
    # A leaf's own hooks. They are kept here because its accumulator may be freed and made again.
    _leaf_hooks: dict[int, Any] | None = None
    _post_accumulate_grad_hooks: dict[int, Any] | None = None
    __array_priority__ = 1000  # in `array + tensor`, NumPy lets the tensor compute

    def __init__(self, *data: Any) -> None:
        """`Tensor(2, 3)`: an uninitialised float tensor of that shape; `Tensor([1, 2])`: one with these values."""
        dtype = dtypes.get_default_dtype().numpy
        if len(data) == 1 and not isinstance(data[0], int):
            self._array = converted(data[0]._array if isinstance(data[0], Tensor) else data[0], dtype)
        else:
            self._array = np.empty(data or (0,), dtype)

    if TYPE_CHECKING:
        # The operations attach their methods and operators at import; a type checker cannot see them.
        def __getattr__(self, name: Any) -> Any: ...

        attached: Any = None
        __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = attached
        __pow__ = __matmul__ = __neg__ = __gt__ = __lt__ = __ge__ = __le__ = __getitem__ = __setitem__ = attached

    # Value and memory
    @property
    def _array(self) -> np.ndarray:
        """The value as an array. A NumPy scalar becomes one, which this tensor then keeps."""
        value = self._value
        if value.__class__ is not np.ndarray and not isinstance(value, np.ndarray):
            with _memory:  # two threads must not get different memory
                value = self._value = np.asarray(self._value)
        return value  # type: ignore[return-value]  # an array now

    @_array.setter
    def _array(self, array: np.ndarray) -> None:
        self._value = array

    @property
    def _counter(self) -> VersionCounter:
        """The version counter of the memory, made when it is first needed."""
        counter = self._versions
        if counter is None:
            counter = self._versions = VersionCounter()
        return counter

    @_counter.setter
    def _counter(self, counter: VersionCounter) -> None:
        self._versions = counter

    @property
    def shape(self) -> Size:
        """The size of each dimension, as a `torch.Size`.

        >>> import autograd_teach as torch
        >>> torch.ones(2, 3).shape
        torch.Size([2, 3])
        """
        return Size(self._value.shape)

    @property
    def dtype(self) -> dtypes.dtype:
        """The data type of the elements.

        >>> import autograd_teach as torch
        >>> torch.tensor([1, 2]).dtype, torch.tensor([1.0]).dtype
        (torch.int64, torch.float32)
        """
        return dtypes.of_array(self._value)

    @property
    def ndim(self) -> int:
        """How many dimensions there are; also called the rank. 0 for a number.

        >>> import autograd_teach as torch
        >>> torch.ones(2, 3).ndim, torch.tensor(5.0).ndim
        (2, 0)
        """
        return self._value.ndim

    @property
    def itemsize(self) -> int:
        """Bytes of memory for one element.

        >>> import autograd_teach as torch
        >>> torch.ones(3, dtype=torch.float64).itemsize
        8
        """
        return self._value.itemsize

    @property
    def nbytes(self) -> int:
        """Bytes of memory that the elements would take side by side: `numel() * itemsize`.

        >>> import autograd_teach as torch
        >>> torch.ones(3).nbytes
        12
        """
        return self._value.nbytes

    def dim(self) -> int:
        """How many dimensions there are, as `ndim`.

        >>> import autograd_teach as torch
        >>> torch.ones(2, 3).dim()
        2
        """
        return self._array.ndim

    def numel(self) -> int:
        """How many elements there are: the product of the sizes, 1 for a tensor of rank 0.

        >>> import autograd_teach as torch
        >>> torch.numel(torch.ones(2, 3)), torch.tensor(5.0).numel()
        (6, 1)
        """
        return self._array.size

    nelement = numel

    def element_size(self) -> int:
        """Bytes of memory for one element, as `itemsize`.

        >>> import autograd_teach as torch
        >>> torch.tensor([True]).element_size()
        1
        """
        return self._array.itemsize

    def data_ptr(self) -> int:
        """The address of the first element; a view that starts there has the same one.

        >>> import autograd_teach as torch
        >>> x = torch.ones(2, 3)
        >>> x[0].data_ptr() == x.data_ptr(), x[1].data_ptr() - x.data_ptr()
        (True, 12)
        """
        return self._array.ctypes.data

    def storage_offset(self) -> int:
        """Where the first element lies in the memory that this tensor shares with its views, counted in elements.

        >>> import autograd_teach as torch
        >>> torch.ones(2, 3)[1].storage_offset()
        3
        """
        return geometry_of(self._array).offset

    def is_contiguous(self) -> bool:
        """Whether the elements lie in memory row by row without gaps: the last index runs fastest.

        >>> import autograd_teach as torch
        >>> x = torch.ones(2, 3)
        >>> x.is_contiguous(), x.T.is_contiguous()
        (True, False)
        """
        return self._array.flags.c_contiguous

    def is_floating_point(self) -> bool:
        """Whether the dtype is float16, float32 or float64; only such tensors can require grad.

        >>> import autograd_teach as torch
        >>> torch.is_floating_point(torch.tensor([1.0])), torch.tensor([1]).is_floating_point()
        (True, False)
        """
        return self._value.dtype.kind == "f"

    def is_inference(self) -> bool:
        """Whether the tensor was made in inference mode: no graph can save it, and it has no version.

        >>> import autograd_teach as torch
        >>> with torch.inference_mode():
        ...     x = torch.ones(2)
        >>> x.is_inference()
        True
        """
        return type(self._versions) is InferenceCounter

    _base = property(
        lambda self: None if self._view is None else self._view.base,
        doc="The tensor whose memory this view shares, which is not a view itself; None if this is not a view.",
    )

    def _is_view(self) -> bool:
        """Whether the tensor is a view that autograd tracks: a write in place to it changes the history of its base."""
        return self._view is not None

    def size(self, dim: int | None = None) -> Any:
        """The shape, or the size of dimension `dim`, an int.

        dim: counted from the end if negative. IndexError if there is no such dimension.

        >>> import autograd_teach as torch
        >>> x = torch.ones(2, 3)
        >>> x.size(), x.size(-1)
        (torch.Size([2, 3]), 3)
        """
        return self.shape if dim is None else self._array.shape[wrap_dim(dim, self._array.ndim)]

    def stride(self, dim: int | None = None) -> Any:
        """How many elements in memory lie between neighbours along each dimension, a tuple; or along `dim`, an int.

        0 along an expanded dimension. IndexError if there is no dimension `dim`.

        >>> import autograd_teach as torch
        >>> x = torch.ones(2, 3)
        >>> x.stride(), x.T.stride(), x.stride(0)
        ((3, 1), (1, 3), 3)
        """
        strides = geometry_of(self._array).stride
        return strides if dim is None else strides[wrap_dim(dim, self._array.ndim)]

    @property
    def _version(self) -> int:
        """How many times this memory has been changed in place, through this tensor or one that shares it.

        RuntimeError for a tensor made in inference mode, which has no version.

        >>> import autograd_teach as torch
        >>> x = torch.ones(2)
        >>> _ = x[0].add_(1)
        >>> x._version
        1
        """
        require(not self.is_inference(), "inference_tensor_version")
        return int(self._counter.version)

    # Place in the graph
    @property
    def requires_grad(self) -> bool:
        """Whether gradients with respect to this tensor can be computed: operations on it are then recorded.

        Can be set on leaves of a floating dtype, else RuntimeError. A result requires grad if one of its operands does.

        >>> import autograd_teach as torch
        >>> x = torch.ones(2)
        >>> x.requires_grad = True
        >>> (x * 2).requires_grad
        True
        """
        return self._edge is not NO_EDGE and (self._view is None or self._view.requires_grad)

    @requires_grad.setter
    def requires_grad(self, flag: bool) -> None:
        require(isinstance(flag, bool), "requires_grad_is_no_bool")
        require(self.is_leaf, "requires_grad_of_result" if flag else "no_requires_grad_of_result")
        if flag:
            require(self.is_floating_point(), "requires_grad_of_dtype")
            require(state.mode.inference or not self.is_inference(), "requires_grad_of_inference_tensor")
        self._set_edge(None if flag else NO_EDGE)

    @requires_grad.deleter
    def requires_grad(self) -> None:
        raise error("requires_grad_is_no_bool")

    def requires_grad_(self, requires_grad: bool = True, **unknown: Any) -> Tensor:
        """Set the flag `requires_grad` in place and return the tensor.

        RuntimeError if it is set on integers, or unset on a result: `detach()` gives a result
        without history. Setting it on a result that requires grad already is not an error.

        >>> import autograd_teach as torch
        >>> torch.ones(2).requires_grad_()
        tensor([1., 1.], requires_grad=True)
        """
        if unknown:
            raise TypeError(f"requires_grad_() got an unexpected keyword argument {next(iter(unknown))!r}")
        require(isinstance(requires_grad, bool), "requires_grad__is_no_bool", type(requires_grad).__name__)
        require(self.is_floating_point() or not requires_grad, "requires_grad__of_dtype")
        if not requires_grad or (self._known_edge is NO_EDGE and self.grad_fn is None):
            self.requires_grad = requires_grad
        return self

    @property
    def grad_fn(self) -> Any:
        """The node of the graph that made this tensor; None for a leaf.

        >>> import autograd_teach as torch
        >>> x = torch.ones(2, requires_grad=True)
        >>> (x * 2).grad_fn.name(), x.grad_fn
        ('MulBackward0', None)
        """
        return (self._own_edge() or NO_EDGE)._node

    @property
    def output_nr(self) -> int:
        """Which of the outputs of its `grad_fn` this tensor is, from 0; 0 for a leaf.

        >>> import autograd_teach as torch
        >>> first, second = torch.ones(2, requires_grad=True).unbind()
        >>> second.output_nr
        1
        """
        return max(0, (self._own_edge() or NO_EDGE)._number)

    @property
    def is_leaf(self) -> bool:
        """Whether no recorded operation made this tensor: a parameter, data, or anything that does not require grad.

        >>> import autograd_teach as torch
        >>> x = torch.ones(2, requires_grad=True)
        >>> x.is_leaf, (x * 2).is_leaf, (x * 2).detach().is_leaf
        (True, False, True)
        """
        return self.grad_fn is None

    @property
    def retains_grad(self) -> bool:
        """Whether this result keeps its gradient in `.grad`, after `retain_grad()`; False for a leaf.

        >>> import autograd_teach as torch
        >>> y = torch.ones(2, requires_grad=True) * 2
        >>> y.retain_grad()
        >>> y.retains_grad
        True
        """
        return self._retains

    # The edge as last computed; only the edge of a view may be out of date.
    _known_edge = property(lambda self: self._edge if self._view is None else self._view.edge)

    def _own_edge(self) -> Edge | None:
        """The edge to `grad_fn`, NO_EDGE, or None for a leaf that requires grad; brought up to date for a view."""
        return self._edge if self._view is None else self._view.edge_of(self)

    def _set_edge(self, edge: Edge | None) -> None:
        if self._view is None:
            self._edge = edge
        else:
            self._view.set_edge(self, edge)

    @property
    def grad(self) -> Tensor | None:
        """The sum of the gradients of all backward passes so far; None before the first.

        Only leaves get one, and results after `retain_grad()`; reading it on another result warns.
        Can be set to None or to a tensor of the same shape and dtype (else RuntimeError).

        >>> import autograd_teach as torch
        >>> x = torch.tensor(3.0, requires_grad=True)
        >>> (x * x).backward()
        >>> (x * x).backward()
        >>> x.grad
        tensor(12.)
        """
        edge = self._known_edge
        if self._grad is None and not self._retains and edge is not None and edge._node is not None:
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
        """The same memory without history and with its own version counter: autograd does not notice writes through it.

        Prefer `detach()`: then a backward pass that needs an overwritten value raises an error.
        Setting `.data` replaces the memory by that of another tensor.

        >>> import autograd_teach as torch
        >>> x = torch.ones(2, requires_grad=True)
        >>> x.data.mul_(5)
        tensor([5., 5.])
        >>> x._version
        0
        """
        tensor = wrap(self._array)
        tensor._versions = InferenceCounter() if self.is_inference() else tensor._versions
        return tensor

    @data.setter
    def data(self, value: Tensor) -> None:
        require(isinstance(value, Tensor), "data_is_no_tensor", type(value).__name__)
        require(value.is_floating_point() or not self.requires_grad, "data_of_dtype")
        if value._array.shape != self._array.shape or value._array.dtype != self._array.dtype:
            self._accumulator = None  # the accumulator in older graphs takes gradients of the old shape and dtype
        self._array = value._array

    @data.deleter
    def data(self) -> None:
        raise error("data_deleted")

    def detach(self) -> Tensor:
        """The same memory without history: a leaf that does not require grad.

        A write in place to one changes the other too, and both notice it by their version counter.

        >>> import autograd_teach as torch
        >>> (torch.ones(2, requires_grad=True) * 3).detach()
        tensor([3., 3.])
        """
        tensor = wrap(self._array)
        tensor._counter = self._counter
        return tensor

    def detach_(self) -> Tensor:
        """Forget the history in place: the tensor becomes a leaf that does not require grad. Returns it.

        RuntimeError for a view, because its history is that of its base.

        >>> import autograd_teach as torch
        >>> (torch.ones(2, requires_grad=True) * 3).detach_()
        tensor([3., 3.])
        """
        require(self._view is None, "detach_view")
        if self.grad_fn is not None:
            self._counter = DetachedCounter(self._counter)
        self._edge = NO_EDGE
        return self

    def set_(self, source: Tensor | None = None) -> Tensor:
        """Replace memory and shape by those of `source`; without `source` the tensor becomes empty.

        RuntimeError if the dtypes differ, or if this is a leaf that requires grad while gradients
        are recorded. NotImplementedError for a view, or if one of the two tensors requires grad.

        >>> import autograd_teach as torch
        >>> torch.ones(2).set_(torch.tensor([[3.0, 4.0]]))
        tensor([[3., 4.]])
        """
        array = np.empty(0, self._array.dtype) if source is None else source._array
        require(array.dtype == self._array.dtype, "set_dtype", c_name(array), c_name(self._array))
        require(not (state.mode.recording and self.is_leaf and self.requires_grad), "in_place_on_leaf")
        graphs = self.requires_grad or (source is not None and source.requires_grad)
        require(self._view is None and not graphs, "set_unsupported")
        self._array = array
        self._counter.bump()
        return self

    def resize_(self, *size: Any) -> Tensor:
        """Change the size in place, keeping the first elements in memory. Returns the tensor.

        size: several ints or one sequence of them. RuntimeError if the tensor requires grad; NotImplementedError for
        more elements than there are, and if the tensor is not contiguous.

        >>> import autograd_teach as torch
        >>> torch.arange(6).resize_(2, 2)
        tensor([[0, 1],
                [2, 3]])
        """
        require(not self.requires_grad, "resize_with_gradient")
        shape = tuple(size[0]) if len(size) == 1 and not isinstance(size[0], int) else size
        require(prod(shape) <= self._array.size and self.is_contiguous(), "resize_unsupported")
        self._array = self._array.reshape(-1)[: prod(shape)].reshape(shape)
        return self

    def register_hook(self, hook: Callable[[Tensor], Tensor | None]) -> RemovableHandle:
        """Call `hook(grad)` when a backward pass has computed the gradient with respect to this tensor.

        If the hook returns a tensor, it replaces the gradient; `grad` itself must not be changed.
        Returns a handle: `handle.remove()` removes the hook. RuntimeError if the tensor does not
        require grad.

        >>> import autograd_teach as torch
        >>> x = torch.tensor(3.0, requires_grad=True)
        >>> handle = x.register_hook(lambda grad: grad * 10)
        >>> torch.autograd.grad(x * 2, x)
        (tensor(20.),)
        """
        require(self.requires_grad, "hook_without_gradient")
        if self.grad_fn is not None:
            edge: Any = self._hooked or self._own_edge()
            self._hooked = edge
            return RemovableHandle(edge._node._hook_lists().tensor, (edge._number, hook))
        if self._leaf_hooks is None:
            self._leaf_hooks = {}
            if accumulator := self._accumulator and self._accumulator():
                accumulator._hook_lists().tensor = self._leaf_hooks
        return RemovableHandle(self._leaf_hooks, (0, hook))

    def register_post_accumulate_grad_hook(self, hook: Callable[[Tensor], None]) -> RemovableHandle:
        """Call `hook(tensor)` whenever a backward pass has added to `.grad` of this leaf.

        For example, an optimizer can step, and free the gradient, during the backward pass. The
        hook runs under `no_grad`, unless with `create_graph`. It returns None or the tensor itself;
        otherwise the backward pass raises RuntimeError. Returns a handle with `remove()`.
        RuntimeError if the tensor does not require grad or is not a leaf.

        >>> import autograd_teach as torch
        >>> x = torch.tensor(3.0, requires_grad=True)
        >>> handle = x.register_post_accumulate_grad_hook(lambda leaf: leaf.sub_(leaf.grad))
        >>> (x * 2).backward()
        >>> x
        tensor(1., requires_grad=True)
        """
        require(self.requires_grad, "hook_without_gradient")
        require(self.is_leaf, "post_accumulate_hook_on_result")
        hooks = self._post_accumulate_grad_hooks = self._post_accumulate_grad_hooks or {}
        return RemovableHandle(hooks, hook)

    def retain_grad(self) -> None:
        """Keep the gradient of this result in `.grad` in later backward passes; changes nothing for a leaf.

        RuntimeError if the tensor does not require grad.

        >>> import autograd_teach as torch
        >>> x = torch.tensor(3.0, requires_grad=True)
        >>> y = x * x
        >>> y.retain_grad()
        >>> (y * 5).backward()
        >>> y.grad
        tensor(5.)
        """
        own = self._known_edge
        require(self.requires_grad, "retain_grad_without_gradient")
        if own is not NO_EDGE and not self._retains and self.grad_fn is not None:
            self.grad_fn._hook_lists().retain[self.output_nr] = weakref.ref(self)
            self._retains = True

    def _become(self, edge: Edge) -> None:
        """Set the edge after a write in place."""
        if self._retains and self.grad_fn is not None and edge._node is not None:
            kept = self.grad_fn._hook_lists().retain.pop(self.output_nr, None)
            edge._node._hook_lists().retain[edge._number] = kept or weakref.ref(self)
        self._set_edge(edge)
        self._hooked = None

    # Conversion to Python and NumPy
    def _scalar(self, otherwise: str = "scalar_of_many", *values: Any) -> Any:
        """The only element as a Python number; raises the error `otherwise` unless there is exactly one."""
        require(self._array.size == 1, otherwise, *values)
        return self._array.item()

    def tolist(self) -> Any:
        """The elements as nested lists of Python numbers; the number itself for a tensor of rank 0.

        >>> import autograd_teach as torch
        >>> torch.tensor([[1, 2], [3, 4]]).tolist()
        [[1, 2], [3, 4]]
        """
        return self._array.tolist()

    def item(self) -> Any:
        """The only element as a Python number. It carries no gradient.

        RuntimeError unless there is exactly one element; the rank does not matter.

        >>> import autograd_teach as torch
        >>> torch.tensor([[2.5]]).item()
        2.5
        """
        return self._scalar("item_of_many", self._array.size)

    def __int__(self) -> int:
        return int(self._scalar())

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
        """The NumPy array with the tensor's memory: writing to one changes the other, and autograd does not notice.

        RuntimeError if the tensor requires grad, unless `force`; use `x.detach().numpy()`.

        >>> import autograd_teach as torch
        >>> x = torch.ones(2)
        >>> x.numpy()[0] = 7
        >>> x
        tensor([7., 1.])
        """
        require(force or not (state.mode.recording and self.requires_grad), "numpy_with_gradient")
        return self._array

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        return np.array(self.numpy(), dtype=dtype, copy=copy)

    def __dlpack_device__(self) -> Any:
        return self._array.__dlpack_device__()

    def __dlpack__(self, **options: Any) -> Any:
        require(not self.requires_grad, "dlpack_with_gradient")
        return self._array.__dlpack__(**options)

    def __len__(self) -> int:
        require(self._array.ndim, "len_of_number")
        return self._array.shape[0]

    def __iter__(self) -> Iterator[Tensor]:
        require(self._array.ndim, "iteration_over_number")
        return iter(self.unbind(0))

    def __contains__(self, element: Any) -> bool:
        return bool((self._array == getattr(element, "_array", element)).any())

    def __hash__(self) -> int:
        return id(self)  # tensors are told apart as objects: `==` compares elementwise

    __repr__ = tensor_repr

    def __format__(self, spec: str) -> str:
        is_number = self._array.ndim == 0 and type(self) is Tensor
        return format(self._array.item(), spec) if is_number else object.__format__(self, spec)

    def __deepcopy__(self, memo: dict[int, Any]) -> Tensor:
        require(self.is_leaf, "deepcopy_of_result")
        # The whole memory is copied once, so copies of two tensors that share memory share it too.
        _, (_, *parts), attributes = Tensor.__reduce_ex__(self, None)
        copied = memo[id(self)] = _rebuilt(deepcopy(owner_of(self._array), memo), *parts)
        vars(copied).update(deepcopy({**attributes, "_grad": self._grad}, memo))
        return copied

    def __reduce_ex__(self, protocol: Any) -> tuple[Any, ...]:
        """For `pickle` and `copy.copy`: without gradient, hooks and history. A pickled tensor shares no memory."""
        attributes = {name: value for name, value in vars(self).items() if name not in Tensor.__annotations__}
        array, storage = self._array, owner_of(self._array)
        geometry = (array.shape, array.ctypes.data - storage.ctypes.data, array.strides)
        return _rebuilt, (storage.view(), type(self), geometry, array.flags.writeable, self.requires_grad), attributes


@functools.cache
def _warn_once(message: str) -> None:
    warnings.warn(message, stacklevel=4)


def _rebuilt(storage: np.ndarray, kind: Any, geometry: Any, writeable: bool, requires_grad: bool) -> Any:
    """A tensor that is a view of `storage`, with this geometry."""
    shape, offset, strides = geometry
    tensor = kind.__new__(kind)
    tensor._array = np.ndarray(shape, storage.dtype, memory_of(storage), offset, strides)  # type: ignore[arg-type]
    tensor._array.flags.writeable = writeable
    tensor._counter.bump()  # PyTorch counts its creation as a write
    tensor._edge = None if requires_grad else NO_EDGE
    return tensor


def wrap(array: np.ndarray | np.generic) -> Tensor:
    """A new leaf tensor with the memory of this array, without a copy, or with this NumPy scalar of a float dtype."""
    tensor = Tensor.__new__(Tensor)
    tensor._value = array
    if state.mode.inference:
        tensor._versions = InferenceCounter()
    return tensor


def wrap_dim(dim: int, ndim: int) -> int:
    """A dimension counted from the front; IndexError out of range. A tensor of rank 0 counts as one of rank 1."""
    bound = ndim or 1
    if -bound <= dim < bound:
        return dim % bound
    raise error("dimension_out_of_range", -bound, bound - 1, dim)


def tensor_method(function: Any) -> Any:
    """Decorator: makes a function written in another module a method of Tensor; `pickle` and `help` find it there."""
    name = function.__name__.lstrip("_")
    function.__name__, function.__qualname__, function.__module__ = name, f"Tensor.{name}", Tensor.__module__
    setattr(Tensor, name, function)
    return function


def is_tensor(obj: object) -> bool:
    """Whether `obj` is a `torch.Tensor`; parameters and other subclasses count.

    >>> import autograd_teach as torch
    >>> torch.is_tensor(torch.ones(2)), torch.is_tensor([1.0, 1.0])
    (True, False)
    """
    return isinstance(obj, Tensor)


# What has the same answer for all tensors here, or one that is computed in a line.
_FACTS: dict[str, tuple[str, Callable[..., bool]]] = {
    "is_complex": ("Whether the dtype is complex: False, there are none here.", lambda self: False),
    "is_conj": ("Whether it is a lazy complex conjugate: False.", lambda self: False),
    "is_neg": ("Whether it is a lazy negation: False.", lambda self: False),
    "is_signed": ("Whether the dtype has a sign.", lambda self: self._value.dtype.kind in "fi"),
    "is_nonzero": ("Whether its one element is not zero, as `bool(x)`.", lambda self: bool(self)),
}
for _name, (_doc, _fact) in _FACTS.items():
    _fact.__name__, _fact.__qualname__, _fact.__doc__ = _name, f"Tensor.{_name}", _doc
    setattr(Tensor, _name, _fact)
