"""Function: an operation whose forward and backward the user writes.

The context that both receive *is* the node of the graph: what `forward` leaves on it is there when `backward` runs.
"""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..errors import error, require
from ..tensor import Tensor, wrap
from .leaf import edge_of
from .modes import no_grad, state
from .node import NO_EDGE, Edge, Node, next_sequence_number
from .saved import Saved, freed, pack, unpack
from .views import DEFAULT, IN_CUSTOM_FUNCTION, MULTI_OUTPUT_NODE, forbidden_write, rebase_history, view_of


class FunctionCtx:
    """What `forward` tells about its operation, for `backward` to use."""

    _to_save: tuple[Tensor | None, ...] | None = None
    _dirty: tuple[Tensor, ...] = ()
    _non_differentiable: tuple[Tensor, ...] = ()
    _materialize = True
    needs_input_grad: tuple[bool, ...] = ()

    def save_for_backward(self, *tensors: Tensor | None) -> None:
        """Keep inputs, outputs or intermediate tensors; `backward` raises where one was changed since."""
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
    _saved: tuple[tuple[Saved, int | None] | None, ...] | None = ()
    _is_tensor: tuple[bool, ...] = ()  # each argument of forward

    @property
    def saved_tensors(self) -> tuple[Tensor | None, ...]:
        """The tensors given to `save_for_backward`; RuntimeError after they were freed or changed in place."""
        if self._to_save is not None:
            return self._to_save
        saved = freed(self) if self._saved is None else self._saved
        return tuple(None if s is None else unpack(self, *s) for s in saved)

    @property
    def saved_variables(self) -> tuple[Tensor | None, ...]:
        warnings.warn(str(error("saved_variables")), DeprecationWarning, stacklevel=2)
        return self.saved_tensors

    def __call__(self, *grads: Any, **kwargs: Any) -> Any:  # in PyTorch only the operations' own nodes can be called
        raise TypeError(f"{type(self).__name__!r} object is not callable")

    def apply(self, *grads: Any) -> Any:
        """What the user's backward returns for these gradients."""
        function = self._forward_cls
        if function.vjp is Function.vjp:
            return function.backward(self, *grads)
        require(function.backward is Function.backward, "backward_and_vjp")
        return function.vjp(self, *grads)

    def _free(self) -> None:
        if self._saved:
            self._saved = None

    def _backward(self, grad: Any, edges: Sequence[Edge]) -> tuple[Any, ...]:
        grads = [None if g is None else wrap(np.asarray(g)) for g in (grad if self._outputs > 1 else (grad,))]
        results = self._backward_graph(grads if self._outputs > 1 else grads[0], edges)
        return tuple(None if r is None else r._array for r in results)

    def _backward_graph(self, grad: Any, edges: Sequence[Edge]) -> tuple[Any, ...]:
        """Run the user's backward; the gradients of the tensors among the arguments of forward."""
        many = self._outputs > 1
        grads, shapes, dtypes = (grad, self._shape, self._dtype) if many else ([grad], [self._shape], [self._dtype])
        if self._materialize:
            kinds = zip(grads, shapes, dtypes)
            grads = [wrap(np.zeros(s, d)) if g is None and s is not None else g for g, s, d in kinds]
        results, expected = self.apply(*grads), len(self._is_tensor)
        results = results if isinstance(results, tuple) else (results,)
        # Trailing Nones too many are allowed: a backward may serve forwards of several lengths.
        while len(results) > expected and results[-1] is None:
            results = results[:-1]
        require(len(results) == expected, "how_many_returned", self.name(), expected, len(results))
        for position, (result, is_tensor) in enumerate(zip(results, self._is_tensor), 1):
            if result is not None:
                require(is_tensor, "gradient_for_no_tensor", self.name(), position)
                require(isinstance(result, Tensor), "returned_no_tensor", type(result).__name__)
        return tuple(result for result, is_tensor in zip(results, self._is_tensor) if is_tensor)


class Function:
    """Subclass it, write `forward(ctx, *args)` and `backward(ctx, *grad_outputs)` as static methods, and call `apply`.

    `backward` gets one gradient for each output of `forward` and returns one for each of its arguments after `ctx`:
    None for what is no tensor or needs none. Source: PyTorch's note "Extending PyTorch".

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

    _backward_cls: type[BackwardFunction] = BackwardFunction

    def __init_subclass__(cls, **kwargs: Any) -> None:
        # With each Function comes the class of its nodes: `ExpBackward` with `Exp`.
        super().__init_subclass__(**kwargs)
        members = {"_forward_cls": cls, "__module__": "torch.autograd.function"}
        cls._backward_cls = type(f"{cls.__name__}Backward", (BackwardFunction,), members)

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

    vjp = backward  # its other name

    @classmethod
    def apply(cls, *args: Any, **kwargs: Any) -> Any:
        """Run forward and record it as one node. Only tensors among the arguments themselves are registered."""
        ctx = cls._backward_cls()
        ctx._is_tensor = tuple(isinstance(a, Tensor) for a in args)
        tensors = [a for a in args if isinstance(a, Tensor)]
        ctx.needs_input_grad = tuple(isinstance(a, Tensor) and a.requires_grad for a in args)
        recording = state.mode.recording and any(ctx.needs_input_grad)
        if recording:
            # As they are before forward, which may write to them; they may be newer than the context.
            ctx._edges = tuple(edge_of(t) for t in tensors)
            ctx._sequence = next_sequence_number()
            if state.anomaly:
                state.mode.observer(ctx)  # type: ignore[misc]  # anomaly mode observes
        with no_grad():
            if cls.setup_context is Function.setup_context:
                output = cls.forward(ctx, *args, **kwargs)
            else:
                output = cls.forward(*args, **kwargs)
                cls.setup_context(ctx, args, output)
        require(all(isinstance(t, Tensor) for t in ctx._dirty), "dirty_is_no_tensor")
        for position, tensor in enumerate(recording and ctx._to_save or ()):
            is_saved = tensor is None or isinstance(tensor, Tensor)
            require(is_saved, "saved_is_no_tensor", position, type(tensor).__name__)
        many = isinstance(output, tuple)
        outputs = output if many else (output,)
        results = tuple(_output(ctx, o, i, tensors, recording, many) for i, o in enumerate(outputs))
        require(all(any(o is written for o in outputs) for written in ctx._dirty), "dirty_not_returned")
        if recording:
            _describe(ctx, results)
            ctx._saved = tuple(None if t is None else _saved(ctx, t, tensors, outputs) for t in ctx._to_save or ())
        ctx._to_save = None
        ctx._dirty = ctx._non_differentiable = ()
        return results if many else results[0]


def _describe(node: Any, outputs: Sequence[Any]) -> None:
    """Tell a node what gradients will come in: the shape and dtype of each output, None of what is no tensor."""
    kinds = [(o._array.shape, o._array.dtype) if isinstance(o, Tensor) else (None, None) for o in outputs]
    node._outputs = len(kinds)
    node._shape, node._dtype = zip(*kinds) if len(kinds) > 1 else kinds[0]


def _output(ctx: BackwardFunction, output: Any, number: int, inputs: list[Tensor], recording: bool, many: bool) -> Any:
    """An output of forward with its place in the graph."""
    if not isinstance(output, Tensor):
        return output
    is_input, is_dirty = (any(output is t for t in tensors) for tensors in (inputs, ctx._dirty))
    if is_dirty:
        _dirty(ctx, output, number, recording, many)
    if (is_input or is_dirty) and output.requires_grad and not recording:
        return output.detach()
    if is_dirty:
        return output
    differentiable = output.is_floating_point() and not any(output is n for n in ctx._non_differentiable)
    if is_input:
        # Returned unchanged, an input becomes a view of itself: the caller's tensor keeps its own history.
        output = view_of(output, output._array)
    if output._view is not None:
        output._view.creation_meta = MULTI_OUTPUT_NODE if many else IN_CUSTOM_FUNCTION
    output._set_edge((ctx, number) if recording and differentiable else NO_EDGE)
    return output


def _dirty(ctx: BackwardFunction, output: Tensor, number: int, recording: bool, many: bool) -> None:
    """An input that forward wrote to: its history now begins with this node, as after any write."""
    view: Any = output._view
    forbidden = view is not None and view.creation_meta is not DEFAULT
    needed = recording and not forbidden and output._own_edge() is not NO_EDGE
    output._counter.bump()
    if not recording:
        return
    require((output._known_edge or NO_EDGE) is not NO_EDGE or not output.requires_grad, "leaf_dirty")
    output._grad = None  # PyTorch keeps no gradient of what was there before
    if forbidden:
        raise forbidden_write(view, view.edge, "is being")
    if needed and view is not None and view.base.is_leaf:
        raise error("in_place_on_view_of_leaf")
    require(view is None or not many, "dirty_view_among_many")
    rebase_history(output, ctx, number)


def _saved(ctx: BackwardFunction, tensor: Tensor, inputs: list[Tensor], outputs: Sequence[Any]) -> tuple[Saved, Any]:
    """A value with its place, in place of a tensor: one that held its own node would be a cycle."""
    index = next((i for i, t in enumerate(inputs) if t is tensor), None)
    if tensor.requires_grad and (index is None or any(tensor is written for written in ctx._dirty)):
        # An input that is returned as it came is saved as the input: the result is another tensor, a view of it.
        index = next((-1 - i for i, o in enumerate(outputs) if o is tensor), index)
    return pack(ctx, (tensor._array, tensor._counter, tensor._counter.version), index), index


class InplaceFunction(Function):
    """The old base class of Functions that write to their input; `mark_dirty` says it today."""

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace


def once_differentiable(function: Callable[..., Any]) -> Callable[..., Any]:
    """Decorates a backward that cannot be differentiated itself: that raises instead of being wrong."""

    @functools.wraps(function)
    def backward(ctx: Any, *grads: Any) -> Any:
        with no_grad():
            results = function(ctx, *grads)
        if not state.mode.recording or not any(isinstance(g, Tensor) and g.requires_grad for g in grads):
            return results
        return _refused(results) if isinstance(results, tuple) else _refused((results,))[0]

    return backward


class Error(Node):
    """Stands where the graph of a gradient ends, and says so."""

    __module__ = "builtins"
    _prefix = "torch::autograd::"

    def _backward(self, grad: Any, edges: Sequence[Edge]) -> tuple[Any, ...]:
        raise error("differentiated_twice")

    _backward_graph = _backward


def _refused(results: tuple[Any, ...]) -> tuple[Any, ...]:
    """The results with a node between them and what made them, where there must be something to differentiate."""
    results = tuple(wrap(r._array) if isinstance(r, Tensor) else r for r in results)
    leaves = (wrap(r._array).requires_grad_() if isinstance(r, Tensor) else None for r in results)
    node = Error(tuple(NO_EDGE if leaf is None else edge_of(leaf) for leaf in leaves))
    _describe(node, results)
    for number, result in enumerate(results):
        if isinstance(result, Tensor):
            result._edge = (node, number)
    return results
