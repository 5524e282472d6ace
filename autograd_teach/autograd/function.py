"""Function: an operation whose forward and backward the user writes.

The context that both receive *is* the node of the graph: what `forward` leaves on it is there when `backward` runs.
"""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..errors import error
from ..tensor import Tensor, View, wrap
from .leaf import edge_of
from .modes import no_grad, state
from .node import NO_EDGE, Edge, Node, operation_name
from .saved import Saved, freed, pack, unpack


class FunctionCtx:
    """What `forward` tells about its operation, for `backward` to use."""

    _to_save: tuple[Tensor | None, ...] | None = None
    _dirty: tuple[Tensor, ...] = ()
    _non_differentiable: tuple[Tensor, ...] = ()
    _materialize = True
    needs_input_grad: tuple[bool, ...] = ()

    def save_for_backward(self, *tensors: Tensor | None) -> None:
        """Keep inputs, outputs or intermediate tensors; a later in-place change of one is noticed when `backward` reads it."""
        self._to_save = tensors

    def mark_dirty(self, *args: Tensor) -> None:
        """Declare inputs that `forward` changes in place; they must be returned."""
        self._dirty = args

    def mark_non_differentiable(self, *args: Tensor) -> None:
        """Declare outputs that have no gradient, such as indices."""
        self._non_differentiable = args

    def set_materialize_grads(self, value: bool) -> None:
        """With False, `backward` gets None instead of zeros for an output whose gradient is not needed."""
        self._materialize = value


class BackwardFunction(FunctionCtx, Node):
    """The node of a user's Function, and the context of its forward and backward; named after the class."""

    _runs_without_gradient = True
    _forward_cls: type[Function]
    # One entry a tensor saved: the tensor itself, or how to rebuild it without a cycle.
    _saved: tuple[Any, ...] | None = ()
    # For each argument of forward, its place among the edges; None for what is no tensor.
    _places: tuple[int | None, ...] = ()

    @property
    def saved_tensors(self) -> tuple[Tensor | None, ...]:
        """The tensors given to `save_for_backward`; RuntimeError after they were freed or changed in place."""
        if self._saved is None:
            freed(self)
        if self._to_save is not None:
            return self._to_save
        return tuple(None if s is None else unpack(self, *s) for s in self._saved or ())

    @property
    def saved_variables(self) -> tuple[Tensor | None, ...]:
        """The old name of `saved_tensors`."""
        warnings.warn(str(error("saved_variables")), DeprecationWarning, stacklevel=2)
        return self.saved_tensors

    def __call__(self, *grads: Any, **kwargs: Any) -> Any:
        # In PyTorch the operations' own nodes can be called, these cannot.
        raise TypeError(f"{type(self).__name__!r} object is not callable; call its apply()")

    def apply(self, *grads: Any) -> Any:
        """What the user's backward returns for these gradients."""
        return self._forward_cls._backward_of()(self, *grads)

    def _free(self) -> None:
        if self._saved:
            self._saved = None

    def _backward(self, grad: Any, edges: Sequence[Edge]) -> tuple[Any, ...]:
        grads = [None if g is None else wrap(np.asarray(g)) for g in self._listed(grad)]
        return tuple(None if r is None else r._array for r in self._call(grads))

    def _backward_graph(self, grad: Any, edges: Sequence[Edge]) -> tuple[Any, ...]:
        return self._call(self._listed(grad))

    def _listed(self, grad: Any) -> list[Any]:
        return list(grad) if self._outputs > 1 else [grad]

    def _call(self, grads: list[Tensor | None]) -> tuple[Tensor | None, ...]:
        """Run the user's backward; the gradients of the tensors among the arguments of forward."""
        if self._materialize:
            shapes, dtypes = self._listed(self._shape), self._listed(self._dtype)
            grads = [
                wrap(np.zeros(s, d)) if g is None and s is not None else g for g, s, d in zip(grads, shapes, dtypes)
            ]
        returned = self._forward_cls._backward_of()(self, *grads)
        results = tuple(returned) if isinstance(returned, tuple) else (returned,)
        expected = len(self._places)
        # Trailing Nones too many are allowed: a backward may serve forwards of several lengths.
        while len(results) > expected and results[-1] is None:
            results = results[:-1]
        if len(results) != expected:
            raise error("how_many_returned", self.name(), expected, len(results))
        gradients: list[Tensor | None] = []
        for position, (result, place) in enumerate(zip(results, self._places), 1):
            if place is None:
                if result is not None:
                    raise error("gradient_for_no_tensor", self.name(), position)
                continue
            if result is not None and not isinstance(result, Tensor):
                raise error("returned_no_tensor", type(result).__name__)
            gradients.append(result)
        return tuple(gradients)


class _FunctionMeta(type):
    """Makes, with each Function, the class of its nodes: `Exp` gets `ExpBackward`."""

    def __init__(cls, name: str, bases: tuple[type, ...], members: dict[str, Any]) -> None:
        super().__init__(name, bases, members)
        cls._backward_cls = type(  # type: ignore[attr-defined]  # an attribute of every Function
            name + "Backward",
            (BackwardFunction,),
            {"_forward_cls": cls, "__module__": "torch.autograd.function"},
        )


class Function(metaclass=_FunctionMeta):
    """Subclass it, write `forward(ctx, *args)` and `backward(ctx, *grad_outputs)` as static methods, and call `apply`.

    `backward` gets one gradient for each output of `forward` and returns one for each of its arguments after `ctx`: None for
    what is no tensor or needs none. Source: PyTorch's note "Extending PyTorch".

    >>> import autograd_teach as torch
    >>> class Double(torch.autograd.Function):
    ...     @staticmethod
    ...     def forward(ctx, x):
    ...         return x * 2
    ...     @staticmethod
    ...     def backward(ctx, grad_output):
    ...         return grad_output * 2
    >>> Double.apply(torch.ones(2, requires_grad=True))
    tensor([2., 2.], grad_fn=<DoubleBackward>)
    """

    _backward_cls: type[BackwardFunction]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        warnings.warn(str(error("instance_of_function", self.__class__)), DeprecationWarning, stacklevel=2)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise error("legacy_function")

    @staticmethod
    def forward(*args: Any, **kwargs: Any) -> Any:
        """To be written: computes the result from the arguments, on tensors, without recording."""
        raise error("no_forward")

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> Any:
        """May be written instead of a `ctx` argument of forward: saves what backward needs."""
        raise NotImplementedError("setup_context is not implemented.")

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Any) -> Any:
        """To be written: the vector-Jacobian product, one gradient for each argument of forward."""
        raise error("no_backward")

    # The other name of backward.
    vjp = backward

    @classmethod
    def _backward_of(cls) -> Callable[..., Any]:
        if cls.vjp is not Function.vjp:
            if cls.backward is not Function.backward:
                raise error("backward_and_vjp")
            return cls.vjp
        return cls.backward

    @classmethod
    def apply(cls, *args: Any, **kwargs: Any) -> Any:
        """Run forward and record it as one node. Only tensors among the arguments themselves are registered."""
        ctx = cls._backward_cls()
        tensors = [a for a in args if isinstance(a, Tensor)]
        ctx.needs_input_grad = tuple(isinstance(a, Tensor) and a._edge is not NO_EDGE for a in args)
        recording = state.recording and any(ctx.needs_input_grad)
        with no_grad():
            if cls.setup_context is Function.setup_context:
                output = cls.forward(ctx, *args, **kwargs)
            else:
                output = cls.forward(*args, **kwargs)
                cls.setup_context(ctx, args, output)
        _check_saved(ctx._to_save)
        if recording:
            ctx._edges = tuple(edge_of(t) for t in tensors)
            count = iter(range(len(tensors)))
            ctx._places = tuple(next(count) if isinstance(a, Tensor) else None for a in args)
        many = isinstance(output, tuple)
        results = tuple(
            _output(ctx, o, i, tensors, recording, many) for i, o in enumerate(output if many else (output,))
        )
        if recording:
            shapes = [r._array.shape if isinstance(r, Tensor) else None for r in results]
            types = [r._array.dtype if isinstance(r, Tensor) else None for r in results]
            ctx._outputs = len(results)
            ctx._shape = shapes if len(results) > 1 else shapes[0]
            ctx._dtype = types if len(results) > 1 else types[0]
            ctx._saved = _saved(ctx, tensors, output if many else (output,))
        ctx._to_save = None
        ctx._dirty = ctx._non_differentiable = ()
        return results if many else results[0]


def _check_saved(tensors: Sequence[Any] | None) -> None:
    for position, tensor in enumerate(tensors or ()):
        if tensor is not None and not isinstance(tensor, Tensor):
            raise error("saved_is_no_tensor", position, type(tensor).__name__)


def _output(ctx: BackwardFunction, output: Any, number: int, inputs: list[Tensor], recording: bool, many: bool) -> Any:
    """An output of forward with its place in the graph."""
    if not isinstance(output, Tensor):
        return output
    is_input = any(output is i for i in inputs)
    if any(output is d for d in ctx._dirty):
        return _dirty(ctx, output, number, recording, many)
    if is_input:
        # Returned unchanged, an input becomes a view of itself: the caller's tensor keeps its own history.
        view = View.__new__(View)
        view._array, view._counter = output._array, output._counter
        view._base = output if output._base is None else output._base
        output = view
    if recording and isinstance(output, View):
        output._made_by = "many" if many else "function"
    differentiable = output._array.dtype.kind == "f" and not any(output is n for n in ctx._non_differentiable)
    output._edge = (ctx, number) if recording and differentiable else NO_EDGE
    return output


def _dirty(ctx: BackwardFunction, output: Tensor, number: int, recording: bool, many: bool) -> Tensor:
    """An input that forward wrote to: its history now begins with this node, as after any write."""
    from ..ops.inplace import place_in_base  # which is built on all this

    base, edge = output._base, output._edge
    output._counter[0] += 1
    if not recording:
        return output
    if edge is not NO_EDGE and (output if base is None else base).is_leaf:
        raise error("leaf_dirty" if base is None else "in_place_on_view_of_leaf")
    if base is None:
        output._edge = (ctx, number)
        output._counter[1:] = [operation_name(ctx)]
    elif many:
        raise error("dirty_view_among_many")
    else:
        ctx._shape, ctx._dtype = output._array.shape, output._array.dtype
        place_in_base(output, ctx)
    return output


def _saved(ctx: BackwardFunction, inputs: list[Tensor], outputs: Sequence[Any]) -> tuple[Any, ...]:
    """What was given to `save_for_backward`, as values with their places; a tensor that held its own node would be a cycle."""
    packed: list[tuple[Saved, int | None] | None] = []
    for tensor in ctx._to_save or ():
        if tensor is None:
            packed.append(None)
            continue
        index = next((i for i, t in enumerate(inputs) if t is tensor), None)
        if tensor._edge is not NO_EDGE:
            index = next((-1 - i for i, o in enumerate(outputs) if o is tensor), index)
        value = (tensor._array, tensor._counter, tensor._counter[0])
        packed.append((pack(ctx, value, index), index))
    return tuple(packed)


class InplaceFunction(Function):
    """The old base class of Functions that write to their input; `mark_dirty` says it today."""

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace


def once_differentiable(function: Callable[..., Any]) -> Callable[..., Any]:
    """Decorates a backward that must not be differentiated itself: doing so raises instead of giving a wrong gradient."""

    @functools.wraps(function)
    def backward(ctx: Any, *grads: Any) -> Any:
        with no_grad():
            results = function(ctx, *grads)
        if not state.recording or not any(isinstance(g, Tensor) and g.requires_grad for g in grads):
            return results
        many = isinstance(results, tuple)
        marked = tuple(_refuse(r) for r in (results if many else (results,)))
        return marked if many else marked[0]

    return backward


class _Refusal(Node):
    """Stands where the graph of a gradient ends, and says so."""

    def name(self) -> str:
        return "torch::autograd::Error"

    def _backward(self, grad: Any, edges: Sequence[Edge]) -> tuple[Any, ...]:
        raise error("differentiated_twice")

    _backward_graph = _backward


def _refuse(result: Any) -> Any:
    if not isinstance(result, Tensor):
        return result
    node = _Refusal((), result._array.shape, result._array.dtype)
    tensor = wrap(result._array)
    tensor._edge = (node, 0)
    return tensor
