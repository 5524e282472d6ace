"""The graph: nodes, the edges between them, and the values that nodes keep for the backward pass.

A node stands for the *backward* of one operation. Its edges point to where its results, the gradients of the operation's
inputs, go on: to the node that made the input, or to the `AccumulateGrad` of a leaf. A tensor owns the edge that leads to it,
`(grad_fn, output_nr)`, so a graph lives as long as some tensor above it, and no node ever points at a tensor above itself.
This file knows tensors only through what it is handed; the operations' own nodes are written by `ops/declare.py`.
"""

from __future__ import annotations

import itertools
import weakref
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np

from .. import dtypes
from .modes import enable_grad, state

if TYPE_CHECKING:
    from ..tensor import Tensor

Edge = tuple["Node | None", int]

# What a tensor's `_edge` can be, besides `(grad_fn, output_nr)`; told apart by identity.
# It does not require grad:
NO_EDGE: Edge = (None, 0)
# It is a view whose base requires grad, but its own making was not recorded (a literal might be one object with NO_EDGE):
NOWHERE: Edge = (*NO_EDGE,)
# None: it is a leaf that requires grad; `edge_of_leaf` gives the edge to its accumulator.

# The version of a tensor's memory, shared by all that see it; behind it, once a recorded operation wrote there in place, the
# name of that operation, for the message of `stale`.
Counter = list[Any]

# Nodes are numbered as they are made. An operation's inputs exist before it, so running nodes from the highest number down
# is a topological order of any graph: the one in which PyTorch runs them.
next_sequence_number = itertools.count().__next__


class Node:
    """The backward of one operation; `tensor.grad_fn`.

    >>> import autograd_teach as torch
    >>> y = torch.ones(2, requires_grad=True) * 3
    >>> y.grad_fn.name(), y.grad_fn.next_functions[0][0].name()
    ('MulBackward0', 'torch::autograd::AccumulateGrad')
    """

    # Slots, because a graph is many nodes: they are half as heavy so, for memory and for the garbage collector.
    __slots__ = ("__weakref__", "_dtype", "_edges", "_hooks", "_metadata", "_sequence", "_shape", "_written")
    _edges: tuple[Edge, ...]
    _sequence: int
    # Shape and dtype of the gradient that comes in: those of the forward result. A node of several outputs has lists instead.
    _shape: Any
    _dtype: Any
    _hooks: Hooks | None
    _metadata: dict[str, Any]
    # The CopySlices by which this node's operation wrote into a view: there the gradient of the written value arrives.
    _written: weakref.ref[Any]
    _outputs = 1
    # Whether it runs where no gradient arrives: a user's backward does, for it may count on being called.
    _runs_without_gradient = False

    def __init__(self, edges: tuple[Edge, ...] = (), shape: Any = None, dtype: Any = None) -> None:
        # The code written for an operation does the same without a call.
        self._edges = edges
        self._sequence = next_sequence_number()
        self._hooks = None
        self._shape, self._dtype = shape, dtype

    def name(self) -> str:
        """The node's name, that of its operation: `MulBackward0`."""
        return type(self).__name__

    @property
    def next_functions(self) -> tuple[Edge, ...]:
        """Where this node's gradients go: one `(node, output number)` an input; `(None, 0)` where an input needs none."""
        return tuple((node, number) for node, number in self._edges)

    @property
    def _input_metadata(self) -> tuple[InputMetadata, ...]:
        """What is known of each gradient that comes in; PyTorch has it under the same name."""
        if self._outputs == 1:
            return (InputMetadata(self._shape, self._dtype),)
        return tuple(InputMetadata(shape, dtype) for shape, dtype in zip(self._shape, self._dtype, strict=True))

    @property
    def metadata(self) -> dict[str, Any]:
        """A dictionary for the user's own notes on this node."""
        try:
            return self._metadata
        except AttributeError:
            self._metadata = {}
            return self._metadata

    def register_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call `hook(grad_inputs, grad_outputs)` after the node has run; what it returns, unless None, replaces grad_inputs."""
        return RemovableHandle(self._hook_lists().post, hook)

    def register_prehook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call `hook(grad_outputs)` before the node runs; what it returns, unless None, replaces grad_outputs."""
        return RemovableHandle(self._hook_lists().pre, hook)

    def __call__(self, *grads: Any, **kwargs: Any) -> Any:
        """The gradients of the inputs, from those of the outputs: the step of the backward pass that this node is, without hooks.

        A tensor, or for several inputs a tuple, None where none is needed. In grad mode the computation is recorded.

        >>> import autograd_teach as torch
        >>> x = torch.tensor([1.0, 2.0], requires_grad=True)
        >>> x.mul(3).grad_fn(torch.tensor([1.0, 10.0]))
        (tensor([ 3., 30.]), None)
        """
        # Outputs that are no floating-point tensors, such as the indices that `max` gives, have no gradient.
        places = [0] if self._outputs == 1 else [i for i, d in enumerate(self._dtype) if d.kind == "f"]
        self._check_call(grads, kwargs, len(places))
        given: list[Any] = [None] * self._outputs
        for place, grad in zip(places, grads, strict=True):
            given[place] = grad
        if all(grad is None for grad in grads):
            results: tuple[Any, ...] = (None,) * len(self._edges)
        else:
            results = self._backward_graph(given[0] if self._outputs == 1 else given, self._edges)
        return results[0] if len(results) == 1 else tuple(results)

    def _check_call(self, grads: tuple[Any, ...], kwargs: dict[str, Any], expected: int = 1) -> None:
        from ..tensor import Tensor

        if kwargs:
            raise TypeError("keyword arguments are not supported")
        if len(grads) != expected:
            raise TypeError(f"expected {expected} arguments, got {len(grads)} instead")
        for number, grad in enumerate(grads):
            if grad is not None and not isinstance(grad, Tensor):
                raise TypeError(f"argument {number} is not a Variable")

    def _hook_lists(self) -> Hooks:
        if self._hooks is None:
            self._hooks = Hooks()
        return self._hooks

    def _backward(self, grad: Any, edges: Sequence[Edge]) -> tuple[Any, ...]:
        """The gradients of the inputs, in arrays; None where `edges` leads nowhere."""
        raise NotImplementedError

    def _backward_graph(self, grad: Any, edges: Sequence[Edge]) -> tuple[Any, ...]:
        """The same in tensors, recording the graph of the gradient."""
        raise NotImplementedError

    def _free(self) -> None:
        """Let go of the saved values."""


class InputMetadata:
    """Shape and dtype of a gradient that comes into a node: those of the tensor that the operation made."""

    __slots__ = ("dtype", "shape")

    def __init__(self, shape: tuple[int, ...], array_dtype: np.dtype[Any]) -> None:
        self.shape = list(shape)
        self.dtype = dtypes.of_array(np.empty(0, array_dtype))


class Hooks:
    """A node's hooks, each kind in the order of registration. Tensor hooks belong to one output of the node."""

    __slots__ = ("__weakref__", "post", "pre", "retain", "tensor")

    def __init__(self) -> None:
        self.tensor: dict[int, tuple[int, Callable[..., Any]]] = {}
        self.pre: dict[int, Callable[..., Any]] = {}
        self.post: dict[int, Callable[..., Any]] = {}
        self.retain: dict[int, weakref.ref[Tensor]] = {}


class RemovableHandle:
    """What registering a hook returns: `handle.remove()` takes the hook away again; as a context it does so at the end."""

    _ids = itertools.count()

    def __init__(self, hooks: dict[int, Any], hook: Any) -> None:
        self.id = next(self._ids)
        self._dict = hooks
        hooks[self.id] = hook

    def remove(self) -> None:
        self._dict.pop(self.id, None)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.remove()


class AccumulateGrad(Node):
    """The end of the backward pass at a leaf: adds the gradient that arrives to `variable.grad`."""

    # Nodes print as PyTorch's do, whose classes belong to no module.
    __module__ = "builtins"
    __slots__ = ("variable",)

    def __init__(self, variable: Tensor) -> None:
        super().__init__((), variable._array.shape, variable._array.dtype)
        self.variable = variable

    def name(self) -> str:
        return "torch::autograd::AccumulateGrad"

    def __call__(self, *grads: Any, **kwargs: Any) -> Any:
        """Adds a gradient to `variable.grad`, as the end of a backward pass does, without hooks but those that follow it."""
        from .engine import accumulate

        self._check_call(grads, kwargs)
        if grads[0] is not None:
            accumulate(self.variable, grads[0])
        self.variable._run_post_accumulate_grad_hooks()
        return ()


def edge_of_leaf(leaf: Tensor) -> Edge:
    """The edge to a leaf that requires grad.

    The leaf holds its accumulator weakly, the accumulator holds the leaf: a graph keeps its leaves alive, a leaf no graph.
    """
    node = leaf._accumulator() if leaf._accumulator is not None else None
    if node is None:
        node = AccumulateGrad(leaf)
        leaf._accumulator = weakref.ref(node)
    return (node, 0)


FREED = (
    "Trying to backward through the graph a second time (or directly access saved tensors after they have already been freed). "
    "Saved intermediate values of the graph are freed when you call .backward() or autograd.grad(). Specify retain_graph=True "
    "if you need to backward through the graph a second time or if you need to access saved tensors after calling backward."
)


def operation_name(node: Node) -> str:
    """What PyTorch calls the operation in this error: the node's name without its last "Backward" and overload number 0."""
    operation, _, overload = node.name().rpartition("Backward")
    return operation + overload.removeprefix("0") if operation else node.name()


def freed(node: Node) -> Any:
    """What a node does that is asked for a saved value it no longer has."""
    raise RuntimeError(FREED)


def stale(value: tuple[np.ndarray, Counter, int], edge: Edge, own: bool = False) -> None:
    """What a node does whose saved value was changed in place after it was saved; `own`, if that is its own result."""
    array, counter, version = value
    node, number = edge
    of = ""
    if len(counter) > 1 and not own:
        of = f", which is output {number} of {counter[1]},"
    elif node is not None and not isinstance(node, AccumulateGrad):
        of = f", which is output {number} of {operation_name(node)},"
    raise RuntimeError(
        "one of the variables needed for gradient computation has been modified by an inplace operation: "
        f"[{dtypes.of_array(array).tensor_type} {list(array.shape)}]{of} is at version {counter[0]}; "
        f"expected version {version} instead. Hint: enable anomaly detection to find the operation that failed to compute "
        "its gradient, with torch.autograd.set_detect_anomaly(True, check_nan=False)."
    )


# For users, as `torch.autograd.graph`


class GradientEdge(NamedTuple):
    """A place in the graph where a gradient arrives; `backward` and `grad` take it in place of a tensor."""

    node: Node
    output_nr: int
    ownership_token: Node | None = None


def get_gradient_edge(tensor: Tensor) -> GradientEdge:
    """Where the gradient of `tensor` arrives: names it without keeping its values alive; RuntimeError where it has none.

    >>> import autograd_teach as torch
    >>> x = torch.ones(2, requires_grad=True)
    >>> edge = torch.autograd.graph.get_gradient_edge(x)
    >>> torch.autograd.grad((x * 3).sum(), edge)
    (tensor([3., 3.]),)
    """
    if not tensor.requires_grad:
        raise RuntimeError("It is not possible to get the gradient edge for a Tensor that does not require gradients")
    node = _node_of(tensor)
    token = None
    if hasattr(node, "needs_input_grad"):
        # PyTorch has one here for the node of a user's Function.
        with enable_grad():
            token = tensor.view_as(tensor).grad_fn
    return GradientEdge(node, tensor.output_nr, token)


def _node_of(tensor: Any) -> Node:
    """The node at which a tensor's gradient arrives."""
    node = tensor.node if isinstance(tensor, GradientEdge) else tensor.grad_fn
    if node is None and tensor.requires_grad:
        node = edge_of_leaf(tensor)[0]
    if node is None:
        raise AssertionError("Expected gradient function to be set")
    return node


def increment_version(tensor: Tensor | Iterable[Tensor]) -> None:
    """Count a change in place that was made behind the engine's back, so that a saved value it changed is noticed."""
    from ..tensor import Tensor

    try:
        tensors = [tensor] if isinstance(tensor, Tensor) else list(tensor)
    except TypeError:
        raise RuntimeError("increment_version expect a Iterable[Tensor] as input") from None
    for one in tensors:
        if not isinstance(one, Tensor):
            raise RuntimeError("increment_version expects each element of the iterable to be a tensor")  # noqa: TRY004  PyTorch's
        one._counter[0] += 1


class _MultiHandle(RemovableHandle):
    """The handles of one hook on several tensors."""

    def __init__(self, handles: tuple[RemovableHandle, ...]) -> None:
        self.handles = handles

    def remove(self) -> None:
        for handle in self.handles:
            handle.remove()


def register_multi_grad_hook(
    tensors: Sequence[Tensor], fn: Callable[[Any], None], *, mode: str = "all"
) -> RemovableHandle:
    """Call `fn` once a backward pass: with the list of all gradients of `tensors` that the pass computes (None for the others), as
    soon as the last is there; with `mode="any"` with the first alone.

    >>> import autograd_teach as torch
    >>> x, y = torch.ones(1, requires_grad=True), torch.ones(1, requires_grad=True)
    >>> handle = torch.autograd.graph.register_multi_grad_hook((x, y), print)
    >>> (x * 2 + y * 3).backward()
    [tensor([2.]), tensor([3.])]
    """
    # What arrived so far, by the pass that runs.
    arrived: weakref.WeakKeyDictionary[Any, list[Any]] = weakref.WeakKeyDictionary()
    if mode == "any":

        def first(grad: Tensor) -> None:
            if state.run not in arrived:
                arrived[state.run] = [grad]
                fn(grad)

        return _MultiHandle(tuple(t.register_hook(first) for t in tensors if t.requires_grad))
    if mode != "all":
        raise ValueError(f"Expects mode to be one of ('all', 'any') but got {mode}")
    nodes = [_node_of(t) for t in tensors]
    missing: weakref.WeakKeyDictionary[Any, int] = weakref.WeakKeyDictionary()

    def hook_of(place: int) -> Callable[[Tensor], None]:
        def hook(grad: Tensor) -> None:
            run = state.run
            gradients = arrived.setdefault(run, [None] * len(nodes))
            if run not in missing:
                missing[run] = sum(map(run.will_run, nodes))
            gradients[place] = grad
            missing[run] -= 1
            if not missing[run]:
                del arrived[run], missing[run]
                fn(gradients)

        return hook

    return _MultiHandle(tuple(t.register_hook(hook_of(i)) for i, t in enumerate(tensors)))
