"""Function: an operation with a forward and a backward written by the user.

The context of both *is* the node of the graph, so what `forward` stores on it is there when
`backward` runs.
"""

from __future__ import annotations

import functools
import inspect
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..errors import error, require
from ..tensor import Tensor, wrap
from .leaf import edge_of
from .modes import no_grad, state
from .node import NO_EDGE, Edge, Node, Output, edge_to, next_sequence_number
from .saved import FREED, SavedTensor, freed, pack, saved_input, unpack
from .views import DEFAULT, IN_CUSTOM_FUNCTION, MULTI_OUTPUT_NODE, forbidden_write, rebase_history, view_of


class FunctionCtx:
    """The context `ctx` of a Function: what `forward` keeps for `backward` and declares about its outputs.

    `ctx.needs_input_grad` says, for each argument of `apply`, whether its gradient is needed;
    `ctx.saved_tensors` returns what was saved. Values that are not tensors are kept as attributes, such as
    `ctx.exponent = 3`. After `apply`, the context is the `grad_fn` of the result.

    >>> import autograd_teach as torch
    >>> class Power(torch.autograd.Function):
    ...     @staticmethod
    ...     def forward(ctx, x, exponent):
    ...         ctx.save_for_backward(x)
    ...         ctx.exponent = exponent
    ...         return x**exponent
    ...     @staticmethod
    ...     def backward(ctx, grad_output):
    ...         (x,) = ctx.saved_tensors
    ...         return grad_output * ctx.exponent * x ** (ctx.exponent - 1), None
    >>> y = Power.apply(torch.tensor(2.0, requires_grad=True), 3)
    >>> y.grad_fn.exponent, y.grad_fn.needs_input_grad
    (3, (True, False))
    """

    # PyTorch's names: what the methods below were given.
    to_save: tuple[Tensor | None, ...] | None = None
    saved_for_forward: tuple[Tensor | None, ...] | None = None
    dirty_tensors: tuple[Tensor, ...] = ()
    non_differentiable: tuple[Tensor, ...] = ()
    materialize_grads = True
    needs_input_grad: tuple[bool, ...] = ()

    def save_for_backward(self, *tensors: Tensor | None) -> None:
        """Keep tensors for `backward`, which gets them back as `ctx.saved_tensors`.

        tensors: inputs, outputs or intermediate tensors, or None; call it once, a second call replaces the
        first. `apply` raises TypeError for anything else if it records. Use this rather than an attribute:
        `ctx.saved_tensors` raises RuntimeError if a tensor was changed in place since, or if the backward pass
        has freed them, and a saved output does not become a reference cycle.

        >>> import autograd_teach as torch
        >>> class Exp(torch.autograd.Function):
        ...     @staticmethod
        ...     def forward(ctx, x):
        ...         result = x.exp()
        ...         ctx.save_for_backward(result)
        ...         return result
        ...     @staticmethod
        ...     def backward(ctx, grad_output):
        ...         (result,) = ctx.saved_tensors
        ...         return grad_output * result
        >>> x = torch.zeros(2, requires_grad=True)
        >>> Exp.apply(x).grad_fn.saved_tensors
        (tensor([1., 1.], grad_fn=<ExpBackward>),)
        """
        self.to_save = tensors

    def save_for_forward(self, *tensors: Tensor | None) -> None:
        """Keep tensors for `jvp`, which is never called: there is no forward-mode differentiation here.

        tensors: tensors or None, else AssertionError. `ctx.saved_tensors` returns them until `apply` has
        returned. `backward` gets only what `save_for_backward` keeps.
        """
        require(all(t is None or isinstance(t, Tensor) for t in tensors), "save_for_forward_of_what")
        self.saved_for_forward = tensors

    def mark_shared_storage(self, *pairs: Any) -> None:
        """Deprecated, does nothing but give a FutureWarning: shared memory is noticed without it."""
        warnings.warn(str(error("mark_shared_storage")), FutureWarning, stacklevel=2)

    def mark_dirty(self, *args: Tensor) -> None:
        """Declare the inputs that `forward` changes in place; they must be among its outputs.

        args: tensors. `apply` raises RuntimeError for one that is not returned, for anything but a
        tensor, and, while recording, for a leaf that requires grad.

        >>> import autograd_teach as torch
        >>> class Double_(torch.autograd.Function):
        ...     @staticmethod
        ...     def forward(ctx, x):
        ...         ctx.mark_dirty(x)
        ...         return x.mul_(2)
        ...     @staticmethod
        ...     def backward(ctx, grad_output):
        ...         return grad_output * 2
        >>> x = torch.ones(2, requires_grad=True)
        >>> y = x * 3
        >>> _ = Double_.apply(y)
        >>> y
        tensor([6., 6.], grad_fn=<Double_Backward>)
        """
        self.dirty_tensors = args

    def mark_non_differentiable(self, *args: Tensor) -> None:
        """Declare outputs that have no gradient: they do not require grad.

        args: outputs of `forward`. Integer and bool outputs need not be declared. `backward` still gets an
        argument for each, zeros by default. An input that requires grad, is marked and returned
        gives a detached tensor with the same memory.

        >>> import autograd_teach as torch
        >>> class Sign(torch.autograd.Function):
        ...     @staticmethod
        ...     def forward(ctx, x):
        ...         result = x.sign()
        ...         ctx.mark_non_differentiable(result)
        ...         return result
        >>> Sign.apply(torch.tensor([-3.0], requires_grad=True)).requires_grad
        False
        """
        self.non_differentiable = args

    def set_materialize_grads(self, value: bool) -> None:
        """Choose what `backward` gets for an output that did not receive a gradient: zeros or None.

        value: True for zeros, the default; False for None. With None, no zeros are allocated, and `backward`
        can skip what it would compute from them.

        >>> import autograd_teach as torch
        >>> class Both(torch.autograd.Function):
        ...     @staticmethod
        ...     def forward(ctx, x):
        ...         ctx.set_materialize_grads(False)
        ...         return x * 2, x * 3
        ...     @staticmethod
        ...     def backward(ctx, grad_double, grad_triple):
        ...         print(grad_double, grad_triple)
        ...         return grad_double * 2
        >>> double, triple = Both.apply(torch.tensor(1.0, requires_grad=True))
        >>> double.backward()
        tensor(1.) None
        """
        require(isinstance(value, bool), "materialize_is_no_bool")
        self.materialize_grads = value


class BackwardFunction(FunctionCtx, Node):
    """The node of a user's Function and the context of its forward and backward; named after the Function."""

    _runs_without_gradient = True
    _forward_cls: type[Function]
    _saved: Sequence[tuple[Any, int | None] | None] | None = ()
    _clears = _is_cleared = False  # see Function.clear_saved_tensors_on_access
    _materialize_non_diff_grads = True
    _without_gradient: frozenset[int] = frozenset()  # the outputs that are not differentiable
    _is_tensor: tuple[bool, ...] = ()  # by argument of forward

    @property
    def saved_tensors(self) -> tuple[Tensor | None, ...]:
        """The tensors given to `save_for_backward`, as a tuple.

        RuntimeError if the backward pass has freed them, or if one was changed in place since.
        """
        if self.saved_for_forward is not None:
            return self.saved_for_forward
        require(not self._is_cleared, "saved_tensors_twice")
        saved = freed() if self._saved is None else self._saved
        tensors = tuple(None if s is None else unpack(self, *s) for s in saved)
        if self._clears:
            self._saved, self._is_cleared = (), True
        return tensors

    @property
    def _raw_saved_tensors(self) -> tuple[SavedTensor, ...]:
        def raw(slots: list[Any], place: int) -> SavedTensor:
            index = slots[place] and slots[place][1]
            return SavedTensor(
                self,
                index,
                lambda: FREED if self._saved is None else slots[place] and slots[place][0],
                lambda value: slots.__setitem__(place, (value, index)),
            )

        slots: Any = freed() if self._saved is None else self._saved
        return tuple(raw(slots, place) for place in range(len(slots)))

    @property
    def saved_variables(self) -> tuple[Tensor | None, ...]:
        """Deprecated name of `saved_tensors`; gives a DeprecationWarning."""
        warnings.warn(str(error("saved_variables")), DeprecationWarning, stacklevel=2)
        return self.saved_tensors

    def __call__(self, *grads: Any, **kwargs: Any) -> Any:  # in PyTorch only the operations' own nodes can be called
        raise TypeError(f"{type(self).__name__!r} object is not callable")

    @classmethod
    def _has_setup(cls) -> bool:
        return cls._forward_cls.setup_context is not Function.setup_context

    def apply(self, *grads: Any) -> Any:
        """Call the user's `backward` (or `vjp`) with these gradients and return what it returns."""
        function = self._forward_cls
        if function.boxed_grads_call:
            grads = (list(grads),)
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
        """Run the user's backward and return the gradients of the arguments of forward that are tensors."""
        many = self._outputs > 1
        grads, shapes, dtypes = (grad, self._shape, self._dtype) if many else ([grad], [self._shape], [self._dtype])
        if self.materialize_grads:
            kinds = zip(grads, shapes, dtypes)
            skipped = frozenset() if self._materialize_non_diff_grads else self._without_gradient
            grads = [
                wrap(np.zeros(s, d)) if g is None and s is not None and i not in skipped else g
                for i, (g, s, d) in enumerate(kinds)
            ]
        results, expected = self.apply(*grads), len(self._is_tensor)
        results = results if isinstance(results, tuple) else (results,)
        # Extra Nones at the end are allowed: a backward may serve forwards with different numbers
        # of arguments.
        while len(results) > expected and results[-1] is None:
            results = results[:-1]
        require(len(results) == expected, "how_many_returned", self._name(), expected, len(results))
        for position, (result, is_tensor) in enumerate(zip(results, self._is_tensor), 1):
            if result is not None:
                require(is_tensor, "gradient_for_no_tensor", self._name(), position)
                require(isinstance(result, Tensor), "returned_no_tensor", type(result).__name__)
        return tuple(result for result, is_tensor in zip(results, self._is_tensor) if is_tensor)


class Function:
    """An operation of your own: subclass it, define `forward` and `backward`, and call `apply`.

    Both are static methods. `forward(ctx, *args)` computes the result; what it does is not recorded.
    `backward(ctx, *grad_outputs)` gets one gradient per output, and returns one per argument of `forward` after
    `ctx`: None for an argument that is not a tensor or needs no gradient. `ctx` is a FunctionCtx. Instances are
    not used: making one gives a DeprecationWarning. Source: PyTorch's note "Extending PyTorch".

    >>> import autograd_teach as torch
    >>> class Clip(torch.autograd.Function):  # lets gradients pass where clamp() would stop them
    ...     @staticmethod
    ...     def forward(ctx, x, limit):
    ...         return x.clamp(-limit, limit)
    ...     @staticmethod
    ...     def backward(ctx, grad_output):
    ...         return grad_output, None
    >>> x = torch.tensor([0.5, 3.0], requires_grad=True)
    >>> y = Clip.apply(x, 1.0)
    >>> y
    tensor([0.5000, 1.0000], grad_fn=<ClipBackward>)
    >>> y.sum().backward()
    >>> x.grad
    tensor([1., 1.])
    """

    _backward_cls: type[BackwardFunction] = BackwardFunction
    # Set to True in a subclass to save memory: `ctx.saved_tensors` can then be read only once, and
    # the node does not keep the tensors after that.
    clear_saved_tensors_on_access = False
    # Set to True in a subclass: `backward(ctx, grads)` gets the gradients as one list, from which
    # it can remove those that it has used.
    boxed_grads_call = False
    # For `torch.vmap`, which does not exist here.
    generate_vmap_rule = False

    def __init_subclass__(cls, **kwargs: Any) -> None:
        # Each Function has a class of nodes: `ExpBackward` for `Exp`.
        super().__init_subclass__(**kwargs)
        members = {"_forward_cls": cls, "__module__": "torch.autograd.function"}
        cls._backward_cls = type(f"{cls.__name__}Backward", (BackwardFunction,), members)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        warnings.warn(str(error("instance_of_function", self.__class__)), DeprecationWarning, stacklevel=2)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise error("legacy_function")

    @staticmethod
    def forward(*args: Any, **kwargs: Any) -> Any:
        """Define this: compute the result from the arguments of `apply`.

        Returns a tensor, or a tuple with tensors; nothing in it is recorded. The first argument is the context
        `ctx`, unless `setup_context` is defined. NotImplementedError if it is missing.
        """
        raise error("no_forward")

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> Any:
        """Define this to separate what is saved from what is computed; `forward` then has no `ctx` argument.

        ctx: the context. inputs: tuple of the arguments of `forward`. output: what it returned. Returns None.

        >>> import autograd_teach as torch
        >>> class Square(torch.autograd.Function):
        ...     @staticmethod
        ...     def forward(x):
        ...         return x * x
        ...     @staticmethod
        ...     def setup_context(ctx, inputs, output):
        ...         ctx.save_for_backward(*inputs)
        ...     @staticmethod
        ...     def backward(ctx, grad_output):
        ...         (x,) = ctx.saved_tensors
        ...         return grad_output * 2 * x
        >>> x = torch.tensor(3.0, requires_grad=True)
        >>> Square.apply(x).backward()
        >>> x.grad
        tensor(6.)
        """
        raise NotImplementedError("setup_context is not implemented.")

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Any) -> Any:
        """Define this: compute the gradients of the inputs from those of the outputs.

        This is the vector-Jacobian product; define it under the name `backward` or `vjp`, not both.
        grad_outputs: one gradient per output of `forward`. Returns one entry per argument of
        `forward` after `ctx`: a tensor of the argument's shape, or None for an argument that is not
        a tensor or needs no gradient; extra entries at the end must be None. The backward pass
        raises RuntimeError for a wrong number of entries, for an entry of another kind, and for a
        shape that does not fit; NotImplementedError if `backward` is missing. What it computes is
        recorded under `create_graph`, so it can be differentiated again.
        """
        raise error("no_backward")

    vjp = backward  # another name

    @staticmethod
    def jvp(ctx: Any, *grad_inputs: Any) -> Any:
        """The Jacobian-vector product for PyTorch's forward mode; never called, because there is none here."""
        raise error("no_jvp")

    @staticmethod
    def vmap(info: Any, in_dims: tuple[int | None, ...], *args: Any) -> Any:
        """The batching rule for PyTorch's `torch.vmap`; never called, because there is none here."""
        raise error("no_vmap")

    @classmethod
    def apply(cls, *args: Any, **kwargs: Any) -> Any:
        """Run `forward` and record it as one node of the graph; this is how a Function is used.

        args: the arguments of `forward` after `ctx`. Pass tensors by position: those inside lists
        and dicts are not recorded. Returns what `forward` returned; each floating tensor in it
        requires grad if an argument does, unless it is marked as not differentiable. Under
        `no_grad`, nothing is recorded.
        """
        for flag in ("clear_saved_tensors_on_access", "boxed_grads_call"):
            value = getattr(cls, flag)
            require(isinstance(value, bool), "flag_is_no_bool", flag, type(value).__name__)
        ctx = cls._backward_cls()
        has_setup = ctx._has_setup()
        if has_setup:
            # backward returns a gradient for every parameter of forward, also for those with their
            # default value.
            bound = inspect.signature(cls.forward).bind(*args, **kwargs)
            bound.apply_defaults()
            args, kwargs = bound.args, bound.kwargs
        if kwargs:
            args = _positional(cls.forward, args, kwargs, 0 if has_setup else 1)
        ctx._is_tensor = tuple(isinstance(a, Tensor) for a in args)
        tensors = [a for a in args if isinstance(a, Tensor)]
        ctx.needs_input_grad = tuple(isinstance(a, Tensor) and a.requires_grad for a in args)
        recording = state.mode.recording and any(ctx.needs_input_grad)
        if recording:
            # The edges before forward, which may write to its arguments. The arguments may be newer
            # than the context.
            ctx._edges = tuple(edge_of(t) for t in tensors)
            ctx._sequence = next_sequence_number()
            if state.anomaly:
                state.mode.observer(ctx)  # type: ignore[misc]  # anomaly mode observes
        with no_grad():
            output = cls.forward(*args) if has_setup else cls.forward(ctx, *args)
            if has_setup:
                cls.setup_context(ctx, args, output)
        require(all(isinstance(t, Tensor) for t in ctx.dirty_tensors), "dirty_is_no_tensor")
        for position, tensor in enumerate(recording and ctx.to_save or ()):
            is_saved = tensor is None or isinstance(tensor, Tensor)
            require(is_saved, "saved_is_no_tensor", position, type(tensor).__name__)
        require(all(isinstance(t, Tensor) for t in ctx.non_differentiable), "non_differentiable_is_no_tensor")
        outputs = output if isinstance(output, tuple) else (output,)
        many = len(outputs) > 1
        for written in ctx.dirty_tensors:
            written._counter.bump()
        results = tuple(_output(ctx, o, i, tensors, recording, many) for i, o in enumerate(outputs))
        if recording and sum(_differentiable(ctx, o) for o in outputs) > 1:
            for view in [o._view for o in results if isinstance(o, Tensor) and o._view is not None]:
                view.creation_meta = MULTI_OUTPUT_NODE
        require(all(any(o is written for o in outputs) for written in ctx.dirty_tensors), "dirty_not_returned")
        if recording:
            _describe(ctx, results)
            to_save = ctx.to_save or ()
            ctx._saved = [t if t is None else _saved(ctx, t, tensors, results) for t in to_save]
            ctx._without_gradient = frozenset(
                i for i, o in enumerate(outputs) if any(o is n for n in ctx.non_differentiable)
            )
        ctx.to_save = ctx.saved_for_forward = None
        ctx._clears = cls.clear_saved_tensors_on_access
        ctx.dirty_tensors = ctx.non_differentiable = ()
        return results if isinstance(output, tuple) else results[0]


def _positional(forward: Any, args: tuple[Any, ...], kwargs: dict[str, Any], skipped: int) -> tuple[Any, ...]:
    """All arguments in the order of the parameters of `forward`; TypeError for one that is unexpected or missing."""
    kinds = inspect.signature(forward).parameters.values()
    names = [p.name for p in kinds if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)][skipped:]
    for name in kwargs:
        if name not in names[len(args) :]:
            raise TypeError(f"forward() got an unexpected keyword argument {name!r}")
    last = max(map(names.index, kwargs))
    for position, name in enumerate(names[: last + 1]):
        if position >= len(args) and name not in kwargs:
            raise TypeError(f"forward() missing required argument: {name!r} (position {position})")
    return (*args, *(kwargs[name] for name in names[len(args) : last + 1]))


def _describe(node: Any, outputs: Sequence[Any]) -> None:
    """Set the shapes and dtypes of a node's incoming gradients to those of the outputs (None if not a tensor)."""
    kinds = [(o._array.shape, o._array.dtype) if isinstance(o, Tensor) else (None, None) for o in outputs]
    node._outputs = len(kinds)
    node._expect(*(zip(*kinds) if len(kinds) > 1 else kinds[0]))


def _edge_to(ctx: BackwardFunction, number: int, many: bool) -> Edge:
    """The edge to an output, before `_describe` sets the number of outputs."""
    return Output(ctx, number) if many else ctx


def _differentiable(ctx: BackwardFunction, output: Any) -> bool:
    is_marked = any(output is marked for marked in ctx.non_differentiable)
    return isinstance(output, Tensor) and output.is_floating_point() and not is_marked


def _output(ctx: BackwardFunction, output: Any, number: int, inputs: list[Tensor], recording: bool, many: bool) -> Any:
    """An output of forward, connected to its place in the graph."""
    if not isinstance(output, Tensor):
        return output
    is_input, is_dirty = (any(output is t for t in tensors) for tensors in (inputs, ctx.dirty_tensors))
    differentiable = recording and _differentiable(ctx, output)
    result = output
    if differentiable and is_dirty:
        _dirty(ctx, output, number, is_input, many)
    elif output.requires_grad and not differentiable and is_input:
        result = output.detach()
    elif output.requires_grad and not differentiable and output._view is None:
        output.detach_()
    elif is_input and not is_dirty:
        # An input that is returned unchanged becomes a view of itself: the caller's tensor keeps
        # its own history.
        kept = (*(ctx.to_save or ()), *(ctx.saved_for_forward or ()))
        is_kept = any(output is t for t in kept)
        require(not is_kept or not ctx._has_setup(), "saved_as_it_came")
        result = view_of(output, output._array)
    if differentiable and not is_dirty:
        result._set_edge(_edge_to(ctx, number, many))
    if result._view is not None and not (is_input and is_dirty):
        result._view.creation_meta = IN_CUSTOM_FUNCTION
    return result


def _dirty(ctx: BackwardFunction, output: Tensor, number: int, is_input: bool, many: bool) -> None:
    """Make this node the history of an input that forward wrote to, as after any write in place."""
    view = output._view
    require((output._known_edge or NO_EDGE) is not NO_EDGE or not output.requires_grad, "leaf_dirty")
    require(is_input or view is None, "dirty_view_is_no_input")
    if not is_input:
        warnings.warn(str(error("dirty_is_no_input")), stacklevel=5)
    require(view is None or not many, "dirty_view_among_many")
    output._grad = None  # as in PyTorch, where the gradient of the old value is dropped
    if view is not None and view.creation_meta is not DEFAULT:
        raise forbidden_write(view, view.edge, "is being")
    if view is not None and view.requires_grad and view.base.is_leaf:
        raise error("in_place_on_view_of_leaf")
    rebase_history(output, _edge_to(ctx, number, many))
    if view is not None:
        # Unlike an operation's node, this one is itself the history of what it saved.
        del ctx._written


def _saved(ctx: BackwardFunction, tensor: Tensor, inputs: list[Tensor], results: Sequence[Any]) -> tuple[Any, Any]:
    """A saved value and its index.

    An output is saved without its tensor, whose reference to the node would be a cycle.
    """
    index = next((i for i, t in enumerate(inputs) if t is tensor), None)
    if tensor.requires_grad and _differentiable(ctx, tensor):
        index = next((-1 - i for i, result in enumerate(results) if result is tensor), index)
    if index is not None and index < 0:
        return pack(ctx, (tensor._array, tensor._counter, tensor._counter.version), index), index
    return pack(ctx, saved_input(tensor), index), index


BackwardFunction._forward_cls = Function


class InplaceFunction(Function):
    """Former base class of Functions that write to an input; use Function with `ctx.mark_dirty` instead."""

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace


def once_differentiable(function: Callable[..., Any]) -> Callable[..., Any]:
    """Decorator for a `backward` that must not be differentiated itself, such as one that computes with NumPy.

    function: the `backward` of a Function, written below `@staticmethod`. It runs without recording.
    Differentiating its results raises RuntimeError; without the decorator, they would silently be treated as
    constants if they come from NumPy.

    >>> import autograd_teach as torch
    >>> from autograd_teach.autograd.function import once_differentiable
    >>> class Square(torch.autograd.Function):
    ...     @staticmethod
    ...     def forward(ctx, x):
    ...         ctx.save_for_backward(x)
    ...         return x * x
    ...     @staticmethod
    ...     @once_differentiable
    ...     def backward(ctx, grad_output):
    ...         return grad_output * 2 * ctx.saved_tensors[0]
    >>> x = torch.tensor(3.0, requires_grad=True)
    >>> (gradient,) = torch.autograd.grad(Square.apply(x) ** 2, x, create_graph=True)
    >>> gradient  # 4 x³
    tensor(108., grad_fn=<Error>)
    >>> gradient.backward()
    Traceback (most recent call last):
    RuntimeError: trying to differentiate twice a function that was marked with @once_differentiable
    """

    @functools.wraps(function)
    def backward(ctx: Any, *grads: Any) -> Any:
        with no_grad():
            results = function(ctx, *grads)
        if not state.mode.recording or not any(isinstance(g, Tensor) and g.requires_grad for g in grads):
            return results
        return _refused(results) if isinstance(results, tuple) else _refused((results,))[0]

    return backward


class Error(Node):
    """The node of a gradient that cannot be differentiated: raises."""

    __module__ = "builtins"
    _prefix = "torch::autograd::"

    def _backward(self, grad: Any, edges: Sequence[Edge]) -> tuple[Any, ...]:
        raise error("differentiated_twice")

    _backward_graph = _backward


def _refused(results: tuple[Any, ...]) -> tuple[Any, ...]:
    """Copies of the results with an `Error` node as their history, so that differentiating them raises."""
    results = tuple(wrap(r._array) if isinstance(r, Tensor) else r for r in results)
    leaves = (wrap(r._array).requires_grad_() if isinstance(r, Tensor) else None for r in results)
    node = Error(tuple(NO_EDGE if leaf is None else edge_of(leaf) for leaf in leaves))
    _describe(node, results)
    for number, result in enumerate(results):
        if isinstance(result, Tensor):
            result._edge = edge_to(node, number)
    return results
