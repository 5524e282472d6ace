"""Tensor: an array, and what autograd must know about it.

A tensor holds a NumPy array, the version counter that it shares with every view of the same memory, and the edge that leads
into its graph. The operations (`ops/`) attach their functions as methods; the backward pass is in `autograd/engine.py`.
"""

from __future__ import annotations

import warnings
import weakref
from collections.abc import Callable, Iterator
from copy import deepcopy
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from . import dtypes
from .autograd import modes
from .autograd.graph import NO_EDGE, NOWHERE, Counter, Edge, Node, RemovableHandle, edge_of_leaf


class Size(tuple[int, ...]):
    """The shape of a tensor: a tuple that prints as `torch.Size([2, 3])`.

    >>> import autograd_teach as torch
    >>> torch.zeros(2, 3).shape, torch.zeros(2, 3).shape.numel()
    (torch.Size([2, 3]), 6)
    """

    __slots__ = ()

    def numel(self) -> int:
        """The number of elements of a tensor of this shape."""
        product = 1
        for n in self:
            product *= n
        return product

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
        # The operations' methods are attached at import; a type checker cannot see them.
        def __getattr__(self, name: str) -> Any: ...
        def __add__(self, other: Any) -> Tensor: ...
        def __radd__(self, other: Any) -> Tensor: ...
        def __sub__(self, other: Any) -> Tensor: ...
        def __rsub__(self, other: Any) -> Tensor: ...
        def __mul__(self, other: Any) -> Tensor: ...
        def __rmul__(self, other: Any) -> Tensor: ...
        def __truediv__(self, other: Any) -> Tensor: ...
        def __rtruediv__(self, other: Any) -> Tensor: ...
        def __pow__(self, other: Any) -> Tensor: ...
        def __matmul__(self, other: Any) -> Tensor: ...
        def __neg__(self) -> Tensor: ...
        def __gt__(self, other: Any) -> Tensor: ...
        def __lt__(self, other: Any) -> Tensor: ...
        def __ge__(self, other: Any) -> Tensor: ...
        def __le__(self, other: Any) -> Tensor: ...
        def __getitem__(self, index: Any) -> Tensor: ...
        def __setitem__(self, index: Any, value: Any) -> None: ...

    # What it is made of

    @property
    def shape(self) -> Size:
        return Size(self._array.shape)

    def size(self, dim: int | None = None) -> Any:
        """The shape, or its extent along `dim`; IndexError where there is no such dimension."""
        return self.shape if dim is None else self._array.shape[wrap_dim(dim, self._array.ndim)]

    @property
    def dtype(self) -> dtypes.dtype:
        return dtypes.of_array(self._array)

    @property
    def ndim(self) -> int:
        return self._array.ndim

    def dim(self) -> int:
        """The number of dimensions."""
        return self._array.ndim

    def numel(self) -> int:
        """The number of elements."""
        return self._array.size

    nelement = numel

    def element_size(self) -> int:
        """Bytes of one element."""
        return self._array.itemsize

    @property
    def itemsize(self) -> int:
        return self._array.itemsize

    @property
    def nbytes(self) -> int:
        return self._array.nbytes

    def storage_offset(self) -> int:
        """Where the first element is in the memory that the tensor is a part of, in elements."""
        return (self._array.ctypes.data - _storage(self._array).ctypes.data) // self._array.itemsize

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
    def device(self) -> str:
        return "cpu"

    @property
    def _version(self) -> int:
        """How many times this memory has been changed in place."""
        return self._counter[0]

    def is_inference(self) -> bool:
        """Whether it was made in inference mode: known only while nothing was, else NotImplementedError."""
        if modes.inference_used:
            raise NotImplementedError("autograd_teach does not mark the tensors that are made in inference mode")
        return False

    def _is_view(self) -> bool:
        return self._base is not None

    # Its place in the graph

    @property
    def requires_grad(self) -> bool:
        """Whether a gradient with respect to this tensor can be computed. Leaves only may be told so or otherwise."""
        return self._edge is not NO_EDGE

    @requires_grad.setter
    def requires_grad(self, flag: bool) -> None:
        if not isinstance(flag, bool):
            raise RuntimeError("requires_grad must be a bool")  # noqa: TRY004  PyTorch's type of error
        if not self.is_leaf:
            message = "you can only change requires_grad flags of leaf variables."
            if not flag:
                message += (
                    " If you want to use a computed variable in a subgraph that doesn't require "
                    "differentiation use var_no_grad = var.detach()."
                )
            raise RuntimeError(message)
        if flag and self._array.dtype.kind != "f":
            raise RuntimeError("only Tensors of floating point and complex dtype can require gradients")
        self._edge = None if flag else NO_EDGE

    def requires_grad_(self, requires_grad: bool = True) -> Tensor:
        """Set the flag in place and return the tensor; RuntimeError for a dtype that is not floating-point."""
        if requires_grad and self._array.dtype.kind != "f":
            raise RuntimeError("only Tensors of floating point dtype can require gradients")
        # Unlike an assignment, this is no error on a result that requires grad already.
        if not (requires_grad and self.requires_grad):
            self.requires_grad = requires_grad
        return self

    @property
    def is_leaf(self) -> bool:
        """Whether no recorded operation made this tensor: `backward` fills `.grad` of leaves that require grad."""
        return self.grad_fn is None

    @property
    def grad_fn(self) -> Node | None:
        """The node of the operation that made this tensor; None for a leaf."""
        edge = self._edge
        return None if edge is None else edge[0]

    @property
    def output_nr(self) -> int:
        """Which output of `grad_fn` this tensor is."""
        edge = self._edge
        return 0 if edge is None else edge[1]

    @property
    def grad(self) -> Tensor | None:
        """The gradient that backward passes have accumulated here; None before the first, and for tensors that are no leaves."""
        if self._grad is None and not self._retains and not self.is_leaf:
            warnings.warn(
                "The .grad attribute of a Tensor that is not a leaf Tensor is being accessed. Its .grad attribute won't be "
                "populated during autograd.backward(). If you indeed want the .grad field to be populated for a non-leaf "
                "Tensor, use .retain_grad() on the non-leaf Tensor. If you access the non-leaf Tensor by mistake, make sure "
                "you access the leaf Tensor instead. See github.com/pytorch/pytorch/pull/30531 for more information.",
                stacklevel=2,
            )
        return self._grad

    @grad.setter
    def grad(self, value: Tensor | None) -> None:
        if value is not None:
            if not isinstance(value, Tensor):
                raise TypeError(
                    f"assigned grad expected to be a Tensor or None but got grad of type {type(value).__name__}"
                )
            if value is self:
                raise RuntimeError("can't assign Variable as its own grad")
            if value._array.dtype != self._array.dtype:
                raise RuntimeError(
                    f"attempting to assign a gradient with dtype '{_c_name(value.dtype)}' to a tensor "
                    f"with grad_dtype '{self.dtype.tensor_type[6:-6]}'. The gradient must match the tensor's grad_dtype (defaults "
                    "to the tensor's dtype). You can set the tensor's grad_dtype attribute with a specific dtype, or None to "
                    "allow any dtype. Set grad_dtype with caution. Diverging the dtypes of a tensor and its gradient may break "
                    "downstream systems that assume they match."
                )
            if value._array.shape != self._array.shape:
                raise RuntimeError(
                    f"attempting to assign a gradient of size '{list(value.shape)}' to a tensor of size "
                    f"'{list(self.shape)}'. Please ensure that the gradient and the tensor are the same size"
                )
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
        """The same memory without history: it requires no grad, and in-place changes of either are seen by both.

        >>> import autograd_teach as torch
        >>> x = torch.ones(2, requires_grad=True)
        >>> x.detach().requires_grad
        False
        """
        tensor = wrap(self._array)
        tensor._counter = self._counter
        return tensor

    def detach_(self) -> Tensor:
        """Forget the history in place; RuntimeError for a view, whose history is its base's."""
        if self._base is not None:
            raise RuntimeError(
                "Can't detach views in-place. Use detach() instead. If you are using DistributedDataParallel (DDP) for training, "
                "and gradient_as_bucket_view is set as True, gradients are views of DDP buckets, and hence detach_() cannot be "
                "called on these gradients. To fix this error, please refer to the Optimizer.zero_grad() function in "
                "torch/optim/optimizer.py as the solution."
            )
        self._edge = NO_EDGE
        return self

    def set_(self, source: Tensor | None = None) -> Tensor:
        """Show the memory of `source` from now on, or none; NotImplementedError where gradients or views are involved."""
        array = np.empty(0, self._array.dtype) if source is None else source._array
        if array.dtype != self._array.dtype:
            raise RuntimeError(
                f"Could not set tensor of type {_c_name(dtypes.of_array(array))} to a tensor of type {_c_name(self.dtype)}"
            )
        if modes.state.grad_enabled and self.is_leaf and self.requires_grad:
            raise RuntimeError("a leaf Variable that requires grad is being used in an in-place operation.")
        if self.requires_grad or self._base is not None or (source is not None and source.requires_grad):
            raise NotImplementedError(
                "autograd_teach supports set_() only of tensors that are no views and require no grad"
            )
        self._array = array
        self._counter[0] += 1
        return self

    def resize_(self, *size: Any) -> Tensor:
        """Not supported: a NumPy array cannot grow where others see its memory."""
        if self.requires_grad:
            raise RuntimeError("cannot resize variables that require grad")
        raise NotImplementedError("autograd_teach does not support resize_(); make a new tensor of that size")

    def backward(
        self,
        gradient: Tensor | None = None,
        retain_graph: bool | None = None,
        create_graph: bool = False,
        inputs: Any = None,
    ) -> None:
        """Accumulate the gradient of this tensor into `.grad` of the leaves it was computed from.

        `gradient` has this tensor's shape: the vector of the vector-Jacobian product; 1 for a tensor of one element.
        """
        from .autograd import backward

        backward(self, gradient, retain_graph, create_graph, inputs=inputs)

    def register_hook(self, hook: Callable[[Tensor], Tensor | None]) -> RemovableHandle:
        """Call `hook(grad)` when this tensor's gradient has been computed; what it returns, unless None, takes its place."""
        edge = self._edge
        if edge is NO_EDGE:
            raise RuntimeError("cannot register a hook on a tensor that doesn't require gradient")
        if edge is None:
            if self._leaf_hooks is None:
                self._leaf_hooks = {}
            return RemovableHandle(self._leaf_hooks, hook)
        node, number = edge
        assert node is not None
        return RemovableHandle(node._hook_lists().tensor, (number, hook))

    def register_post_accumulate_grad_hook(self, hook: Callable[[Tensor], None]) -> RemovableHandle:
        """Call `hook(tensor)` whenever a backward pass has added to `.grad` of this leaf: to take a step, or to free the gradient.

        >>> import autograd_teach as torch
        >>> x = torch.ones(2, requires_grad=True)
        >>> handle = x.register_post_accumulate_grad_hook(lambda leaf: print(leaf.grad))
        >>> (x * 3).sum().backward()
        tensor([3., 3.])
        """
        if not self.requires_grad:
            raise RuntimeError("cannot register a hook on a tensor that doesn't require gradient")
        if not self.is_leaf:
            raise RuntimeError("post accumulate grad hooks cannot be registered on non-leaf tensors")
        if self._post_accumulate_grad_hooks is None:
            self._post_accumulate_grad_hooks = {}
        return RemovableHandle(self._post_accumulate_grad_hooks, hook)

    def _run_post_accumulate_grad_hooks(self) -> None:
        for hook in list((self._post_accumulate_grad_hooks or {}).values()):
            returned = hook(self)
            if returned is not None:
                raise TypeError(f"expected Variable, but hook returned '{type(returned).__name__}'")

    def retain_grad(self) -> None:
        """Keep `.grad` of this tensor although it is no leaf."""
        edge = self._edge
        if edge is NO_EDGE:
            raise RuntimeError("can't retain_grad on Tensor that has requires_grad=False")
        if edge is not None and edge[0] is not None and not self._retains:
            edge[0]._hook_lists().retain[edge[1]] = weakref.ref(self)
            self._retains = True

    @property
    def retains_grad(self) -> bool:
        return self._retains

    # To Python and NumPy

    def item(self) -> Any:
        """The value of a tensor of one element as a Python number."""
        if self._array.size != 1:
            raise RuntimeError(f"a Tensor with {self._array.size} elements cannot be converted to Scalar")
        return self._array.item()

    def tolist(self) -> Any:
        """The values as nested lists of Python numbers."""
        return self._array.tolist()

    def numpy(self, *, force: bool = False) -> np.ndarray:
        """The array itself: it shares memory with the tensor. RuntimeError for a tensor that requires grad."""
        if self._edge is not NO_EDGE and not force:
            raise RuntimeError("Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.")
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
        if self._edge is not NO_EDGE:
            _warn_once(
                "Converting a tensor with requires_grad=True to a scalar may lead to unexpected behavior.\n"
                "Consider using tensor.detach() first."
            )
        return self._array.item()

    def __float__(self) -> float:
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
        return (self[i] for i in range(self._array.shape[0]))

    def __contains__(self, element: Any) -> bool:
        return bool((self._array == (element._array if isinstance(element, Tensor) else element)).any())

    # Comparison is elementwise, so the hash must be that of the object.
    def __hash__(self) -> int:
        return id(self)

    def __repr__(self) -> str:
        from .printing import tensor_repr

        return tensor_repr(self)

    def __format__(self, spec: str) -> str:
        if self._array.ndim == 0 and type(self) in (Tensor, View):
            return format(self._array.item(), spec)
        return object.__format__(self, spec)

    def __deepcopy__(self, memo: dict[int, Any]) -> Tensor:
        if not self.is_leaf:
            raise RuntimeError(
                "Only Tensors created explicitly by the user (graph leaves) support the deepcopy protocol at the moment.  "
                "If you were attempting to deepcopy a module, this may be because of a torch.nn.utils.weight_norm usage, "
                "see https://github.com/pytorch/pytorch/pull/103001"
            )
        if id(self) in memo:
            return memo[id(self)]
        # The memory is copied as a whole and once: copies of two tensors that share it share it too.
        storage, parts, attributes = self._parts()
        copied = _rebuilt(deepcopy(storage, memo), *parts)
        memo[id(self)] = copied
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
        array, storage = self._array, _storage(self._array)
        offset = array.ctypes.data - storage.ctypes.data
        geometry = (offset, array.shape, array.strides, array.flags.writeable)
        return storage, (kind, geometry, self.requires_grad), attributes

    def __setstate__(self, attributes: dict[str, Any]) -> None:
        self.__dict__.update(attributes)


_warned: set[str] = set()


def _warn_once(message: str) -> None:
    if message not in _warned:
        _warned.add(message)
        warnings.warn(message, stacklevel=4)


class View(Tensor):
    """A tensor that shows the memory of its base; users meet it as a Tensor.

    Its history is the base's. Its edge, where the base requires grad, is

    - the one it was made with, while nothing has been written to this memory since;
    - after a write, a new one: that of the strided part of the base that it shows;
    - `NOWHERE`, where making it was not recorded: it requires grad as its base does, and its gradient gets lost.
    """

    _own_edge: Edge | None = NO_EDGE
    _own_version = 0
    # Why writing to it may not be recorded: made under "no_grad", one of "many" of one operation, or by a "function" of the user.
    _made_by = ""

    @property
    def _edge(self) -> Edge | None:  # type: ignore[override]  # a computed attribute in place of a stored one
        own, base = self._own_edge, self._base
        stale = self._own_version != self._counter[0]
        if (stale or own is NO_EDGE) and base is not None and base._edge is not NO_EDGE:
            if own is NO_EDGE and (not stale or self._made_by == "no_grad"):
                return NOWHERE
            from .ops.inplace import edge_into_base

            with modes.inference_mode(False):
                self._edge = own = edge_into_base(self, base)
        return own

    @_edge.setter
    def _edge(self, edge: Edge | None) -> None:
        self._own_edge = edge
        self._own_version = self._counter[0]


# What a tensor's dictionary holds besides attributes that users gave it.
_INTERNAL = {*Tensor.__annotations__, *View.__annotations__, "_own_edge", "_own_version", "_made_by"}


def _storage(array: np.ndarray) -> np.ndarray:
    """The array whose memory this one shows a part of; itself, where that is laid out in an order of its own."""
    storage, base = array, array.base
    while base is not None:
        storage = base if isinstance(base, np.ndarray) else storage
        base = getattr(base, "base", None)
    whole = storage.dtype == array.dtype and (storage.flags.c_contiguous or storage.flags.f_contiguous)
    return storage if whole else array


def _rebuilt(
    storage: np.ndarray,
    kind: type[Tensor],
    geometry: tuple[int, tuple[int, ...], tuple[int, ...], bool],
    requires_grad: bool,
) -> Tensor:
    """A tensor of this geometry in `storage`, as `Tensor._parts` describes it."""
    offset, shape, strides, writeable = geometry
    tensor = kind.__new__(kind)
    tensor._array = np.ndarray(shape, storage.dtype, storage.reshape(-1, order="A"), offset, strides)  # type: ignore[arg-type]  # a buffer
    tensor._array.flags.writeable = writeable
    # PyTorch counts the making of it as a change.
    tensor._counter = [1]
    if requires_grad:
        tensor._edge = None
    return tensor


def _c_name(dtype: dtypes.dtype) -> str:
    """What some messages call a dtype."""
    names = {"float64": "double", "float16": "c10::Half", "float32": "float", "int64": "long int"}
    return names.get(dtype.name, dtype.name)


View.__name__ = View.__qualname__ = "Tensor"


def wrap(array: np.ndarray) -> Tensor:
    """A new leaf tensor on this array, without a copy."""
    tensor = Tensor.__new__(Tensor)
    tensor._array = array
    tensor._counter = [0]
    return tensor


def edge_of(tensor: Tensor) -> Edge:
    """The edge into the tensor's graph, made on demand for a leaf."""
    edge = tensor._edge
    return edge_of_leaf(tensor) if edge is None else edge


def wrap_dim(dim: int, ndim: int) -> int:
    """A dimension counted from the front; IndexError out of range. A tensor of rank 0 counts as one of rank 1."""
    bound = ndim or 1
    if not -bound <= dim < bound:
        raise IndexError(f"Dimension out of range (expected to be in range of [{-bound}, {bound - 1}], but got {dim})")
    return dim % bound


def is_tensor(obj: object) -> bool:
    """Whether `obj` is a Tensor."""
    return isinstance(obj, Tensor)


def allclose(input: Tensor, other: Tensor, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False) -> bool:
    """Whether all elements are within `atol + rtol * |other|` of each other."""
    return bool(np.allclose(input._array, other._array, rtol, atol, equal_nan))


def equal(input: Tensor, other: Tensor) -> bool:
    """Whether both tensors have the same size and elements."""
    return np.array_equal(input._array, other._array)


Tensor.allclose, Tensor.equal = allclose, equal  # type: ignore[attr-defined]  # attached as the operations are
