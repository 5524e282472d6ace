"""The graph: nodes, and the edges between them.

A node is the *backward* of one operation. Its edges say where its results go, the gradients of the
operation's inputs: to the node that made the input, or to the `AccumulateGrad` of a leaf. An edge
is the object it leads to: a node with one output, or one `Output` of a node with several. A tensor
owns the edge into its graph, so a graph lives as long as some tensor above it, and no node refers
to a tensor above itself.

Nodes read tensors only through their arguments; the classes of the operations' nodes are generated
by `ops/codegen.py`.
"""

from __future__ import annotations

import itertools
import re
import weakref
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Self

from .. import dtypes
from ..errors import require
from .unlinking import unlinked_where_needed


class Output:
    """An output of a node that has several."""

    __slots__ = ("_node", "_number")
    # Set for a node with one output; with several, the node itself knows them.
    _shape = _dtype = _kind = None

    def __init__(self, node: Any, number: int) -> None:
        self._node, self._number = node, number


# The edge of an input that needs no gradient.
NO_EDGE = Output(None, 0)
# The edge of a gradient that gets lost: the tensor is a view whose base requires grad, but the view
# was not recorded.
LOST = Output(None, -1)

# Nodes are numbered in the order of creation. An operation's inputs exist before it, so running
# nodes from the highest number down is a topological order of any graph; PyTorch uses the same
# order.
next_sequence_number = itertools.count().__next__


@unlinked_where_needed
class Node:
    """The backward step of one operation, available as `tensor.grad_fn`; the nodes together are the graph.

    A node computes the gradients of the operation's inputs from the gradients of its outputs.
    `next_functions` are the nodes that receive them: those of the operations that made the inputs,
    or the `AccumulateGrad` of a leaf, which adds to its `.grad`. Calling a node, `node(*grads)`,
    runs this one step. Nodes are made by operations, not by users.

    >>> import autograd_teach as torch
    >>> y = torch.ones(2, requires_grad=True) * 3
    >>> y.grad_fn.name(), y.grad_fn.next_functions[0][0].name()
    ('MulBackward0', 'torch::autograd::AccumulateGrad')
    >>> isinstance(y.grad_fn, torch.autograd.graph.Node)
    True
    """

    # A node with one output is its own edge.
    _node = property(lambda self: self)
    _number = 0
    # Slots halve the memory of a graph and the work of the garbage collector.
    __slots__ = ("__weakref__", "_dtype", "_edges", "_hooks", "_kind", "_metadata", "_sequence", "_shape", "_written")
    _edges: tuple[Edge, ...]
    _sequence: int
    # Shape and dtype of the incoming gradient, which are those of the result. A node with several
    # outputs has lists.
    _shape: Any
    _dtype: Any
    # The class of the incoming gradient if it is a NumPy scalar; a faster check than shape and
    # dtype.
    _kind: Any
    _hooks: Hooks | None
    _metadata: dict[str, Any]
    # The node of the view that the operation wrote into: as long as it lives, the gradient of the
    # written value arrives there.
    _written: weakref.ref[Node]
    _outputs = 1
    _gives_view = False  # whether its operation returns a view, which has another node after a write
    _prefix = ""  # PyTorch's prefix in the names of its own nodes
    # The slots of saved tensors with their indices (see `saved.unpack`). A slot is None if its
    # value is not needed.
    _values: Mapping[str, int | None] = MappingProxyType({})
    # The slots that are cleared after the backward pass.
    _frees: Sequence[str] = ()
    # Of generated classes: runs the backward, frees the saved values, and adds the results to the
    # buffers.
    _step: Callable[..., None] | None = None
    _runs_without_gradient = False  # whether it runs even if no gradient arrives, as a user's backward does

    def __init__(self, edges: tuple[Edge, ...] = (), shape: Any = None, dtype: Any = None) -> None:
        # Generated code repeats this inline, without a call.
        self._edges, self._sequence, self._hooks = edges, next_sequence_number(), None
        self._expect(shape, dtype)

    def _expect(self, shape: Any, dtype: Any) -> None:
        """Set the shape and dtype of the incoming gradient; two lists for a node with several outputs."""
        self._shape, self._dtype = shape, dtype
        self._kind = dtype.type if shape == () and dtype is not None else None

    @classmethod
    def name(cls) -> str:
        """The name of the node, such as `MulBackward0`, or `DoubleBackward` for a Function `Double`."""
        return cls._prefix + cls.__name__

    _name = name  # not hidden by an attribute that a Function puts on its context

    @property
    def next_functions(self) -> tuple[tuple[Node | None, int], ...]:
        """The nodes that receive the gradients of the inputs: one pair `(node, number)` per input.

        It is `(None, 0)` for an input that needs no gradient. `number` says which output of that
        node's operation the input is.

        >>> import autograd_teach as torch
        >>> smallest, largest = torch.tensor([4.0, 7.0], requires_grad=True).unbind()
        >>> (largest * 2).grad_fn.next_functions
        ((<UnbindBackward0 object at 0x...>, 1), (None, 0))
        """
        return tuple([(edge._node, max(0, edge._number)) for edge in self._edges])

    @property
    def _input_metadata(self) -> tuple[InputMetadata, ...]:
        """Shape and dtype of each incoming gradient, under PyTorch's name."""
        if self._outputs == 1:
            return (InputMetadata(self._shape, self._dtype),)
        return tuple(map(InputMetadata, self._shape, self._dtype))

    @property
    def metadata(self) -> dict[str, Any]:
        """A dict for notes on this node, kept as long as the node. Anomaly mode stores its traceback there.

        >>> import autograd_teach as torch
        >>> y = torch.ones(2, requires_grad=True).exp()
        >>> y.grad_fn.metadata["layer"] = 3
        >>> y.grad_fn.metadata
        {'layer': 3}
        """
        if not hasattr(self, "_metadata"):
            self._metadata = {}
        return self._metadata

    def register_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call `hook(grad_inputs, grad_outputs)` after the node has run in a backward pass.

        hook: both arguments are tuples, with None for a gradient that is not needed. It returns
        None, or a tuple that replaces `grad_inputs`: the same number of entries, the same shapes
        and dtypes, and None at the same places. Otherwise the backward pass raises TypeError (not a
        tuple) or RuntimeError. Returns a handle; `handle.remove()` removes the hook.

        >>> import autograd_teach as torch
        >>> x = torch.ones(2, requires_grad=True)
        >>> y = x * 3
        >>> handle = y.grad_fn.register_hook(lambda grad_inputs, grad_outputs: (grad_inputs[0] + 10, None))
        >>> y.sum().backward()
        >>> x.grad
        tensor([13., 13.])
        """
        return RemovableHandle(self._hook_lists().post, hook)

    def register_prehook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call `hook(grad_outputs)` before the node runs in a backward pass.

        hook: gets a tuple with one entry per output of the operation. It returns None, or a tuple
        that replaces it, with the same number of entries, shapes and dtypes; otherwise the backward
        pass raises TypeError or RuntimeError. Returns a handle; `handle.remove()` removes the hook.

        >>> import autograd_teach as torch
        >>> x = torch.ones(2, requires_grad=True)
        >>> y = x * 3
        >>> handle = y.grad_fn.register_prehook(lambda grad_outputs: (grad_outputs[0] * 10,))
        >>> y.sum().backward()
        >>> x.grad
        tensor([30., 30.])
        """
        return RemovableHandle(self._hook_lists().pre, hook)

    def _hook_lists(self) -> Hooks:
        self._hooks = self._hooks or Hooks()
        return self._hooks

    def __call__(self, *grads: Any, **kwargs: Any) -> Any:
        """Run only this node: compute the gradients of its operation's inputs from gradients of its outputs.

        grads: one tensor, or None, per output of the operation. Returns one gradient, or a tuple if
        there are several inputs; None for an input that needs none. Hooks are not called, saved
        values are kept, and the computation is recorded. TypeError for a wrong number of arguments,
        for one that is not a tensor, and for keywords; RuntimeError if the saved values have been
        freed.

        >>> import autograd_teach as torch
        >>> x = torch.tensor(5.0, requires_grad=True)
        >>> (x * 3).grad_fn(torch.tensor(1.0))
        (tensor(3.), None)
        """
        require(not kwargs, "node_keywords")
        require(len(grads) == self._outputs, "node_arguments", self._outputs, len(grads))
        for number, grad in enumerate(grads):
            require(grad is None or hasattr(grad, "_edge"), "node_argument", number)
        results: Sequence[Any] = (None,) * len(self._edges)
        if self._runs_without_gradient or any(grad is not None for grad in grads):
            results = self._backward_graph(grads[0] if self._outputs == 1 else grads, self._edges)
        return results[0] if len(results) == 1 else tuple(results)

    # Called by the engine

    def _backward(self, grad: Any, edges: Sequence[Edge]) -> Sequence[Any]:
        """The gradients of the inputs, as arrays (`_backward_graph`: as tensors); None for edges that are NO_EDGE."""
        raise NotImplementedError

    _backward_graph = _backward

    def _free(self) -> None:
        """Release the saved values."""


Edge = Node | Output


def edge_to(node: Node | None, number: int) -> Edge:
    """The edge to an output of a node."""
    if node is None:
        return NO_EDGE
    return node if node._outputs == 1 else Output(node, number)


class InputMetadata:
    """Shape and dtype of a gradient that arrives at a node, which are those of the operation's output."""

    def __init__(self, shape: tuple[int, ...], dtype: Any) -> None:
        self.shape, self.dtype = list(shape), dtypes.as_dtype(dtype)


class Hooks:
    """A node's hooks, each kind in the order of registration. A tensor hook belongs to one output of the node."""

    __slots__ = ("__weakref__", "post", "pre", "retain", "tensor")

    def __init__(self) -> None:
        self.tensor: dict[int, tuple[int, Callable[..., Any]]] = {}
        self.pre: dict[int, Callable[..., Any]] = {}
        self.post: dict[int, Callable[..., Any]] = {}
        self.retain: dict[int, weakref.ref[Any]] = {}


class RemovableHandle:
    """The result of registering a hook; `remove()` removes the hook.

    As a context manager, it removes the hook at the end of the block.

    >>> import autograd_teach as torch
    >>> x = torch.ones(2, requires_grad=True)
    >>> with x.register_hook(lambda grad: grad * 10):
    ...     x.sum().backward()
    >>> x.sum().backward()
    >>> x.grad  # 10 with the hook, and 1 without
    tensor([11., 11.])
    """

    _ids = itertools.count()

    def __init__(self, hooks: dict[int, Any], hook: Any) -> None:
        self.id, self._dict = next(self._ids), hooks
        hooks[self.id] = hook

    def remove(self) -> None:
        """Remove the hook: it is not called any more. A second call has no effect."""
        self._dict.pop(self.id, None)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.remove()


def operation_name(node: Node | type[Node]) -> str:
    """The operation's name in error messages: the node's name without its last "Backward" and overload number 0."""
    return re.sub(r"Backward0?(?=\d*$)", "", node._name())
