"""How gradients are computed: the face of `torch.autograd`.

`backward` and `grad` check what they are given and start the engine; everything else here comes from the files of this folder.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..creation import zeros_like
from ..errors import error
from ..tensor import Size, Tensor, wrap
from . import graph
from .engine import run_backward
from .graph import GradientEdge
from .leaf import edge_of
from .modes import (
    detect_anomaly,
    enable_grad,
    inference_mode,
    is_anomaly_enabled,
    is_grad_enabled,
    no_grad,
    set_detect_anomaly,
    set_grad_enabled,
)
from .node import Edge, Node

__all__ = [
    "Function",
    "GradcheckError",
    "Node",
    "Variable",
    "backward",
    "detect_anomaly",
    "enable_grad",
    "functional",
    "grad",
    "gradcheck",
    "gradgradcheck",
    "graph",
    "inference_mode",
    "is_anomaly_enabled",
    "is_grad_enabled",
    "no_grad",
    "set_detect_anomaly",
    "set_grad_enabled",
]


def _tuple(value: Any) -> tuple[Any, ...]:
    return (value,) if isinstance(value, (Tensor, GradientEdge)) else tuple(value)


def _inputs(value: Any, name: str) -> tuple[Any, ...]:
    """The inputs, of which there must be some; of a dictionary its values."""
    if isinstance(value, Mapping) and type(value) is not dict:
        raise error("inputs_of_type", name, type(value).__name__)
    inputs = tuple(value.values()) if isinstance(value, dict) else _tuple(value)
    if not inputs:
        raise error("no_inputs", name)
    return inputs


def _as_tensor(output: Any) -> Any:
    """A stand-in for the tensor that a GradientEdge belongs to: of its shape, dtype and edge, without its values."""
    if not isinstance(output, GradientEdge):
        return output
    node, number = output[:2]
    shape, dtype = (x if node._outputs == 1 else x[number] for x in (node._shape, node._dtype))
    tensor = wrap(np.broadcast_to(np.zeros((), dtype), shape))
    tensor._edge = output[:2]
    return tensor


def _roots(outputs: tuple[Tensor, ...], gradients: Any) -> list[tuple[Edge, Tensor]]:
    """Each output's edge with the gradient that starts there: 1 for an output of one element, where none is given."""
    outputs = tuple(map(_as_tensor, outputs))
    gradients = (None,) * len(outputs) if gradients is None else _tuple(gradients)
    if len(gradients) < len(outputs):
        raise error("how_many_gradients", len(outputs), len(gradients))
    complete: list[Tensor] = []
    for number, (output, gradient) in enumerate(zip(outputs, gradients)):
        if gradient is None:
            if output.requires_grad:
                if output.numel() != 1:
                    raise error("grad_of_unknown_size")
                if not output.is_floating_point():
                    raise error("grad_of_no_real")
            gradient = wrap(np.ones(output._array.shape, output._array.dtype))
        elif not isinstance(gradient, Tensor):
            raise error("gradient_is_no_tensor", type(gradient).__name__)
        elif gradient._array.shape != output._array.shape:
            raise error("gradient_of_size", number, Size(gradient.shape), number, Size(output.shape))
        complete.append(gradient)
    for number, output in enumerate(outputs):
        if not output.requires_grad:
            raise error("output_without_gradient", number)
    return [(edge_of(o), g) for o, g in zip(outputs, complete)]


def _edges(inputs: Sequence[Any]) -> list[Edge]:
    """Where the gradients of the inputs arrive."""
    for tensor in inputs:
        if isinstance(tensor, Tensor) and not tensor.requires_grad:
            raise error("input_without_gradient")
    return [edge_of(t) if isinstance(t, Tensor) else t[:2] for t in inputs]


def backward(
    tensors: Tensor | Sequence[Tensor],
    grad_tensors: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    *,
    inputs: Tensor | Sequence[Tensor] | None = None,
) -> None:
    """Accumulate the gradients of the sum of `tensors` into `.grad` of the leaves.

    `grad_tensors` gives for each tensor of more than one element the vector of the vector-Jacobian product, in its shape.
    With `inputs` only these tensors get a gradient. The graph is freed unless `retain_graph` (or `create_graph`) is true.

    >>> import autograd_teach as torch
    >>> x = torch.tensor([-3.0, 2.0, 5.0], requires_grad=True)
    >>> torch.autograd.backward((x**3).sum()); x.grad
    tensor([27., 12., 75.])
    """
    roots = _roots(_tuple(tensors), grad_tensors)
    if create_graph:
        warnings.warn(str(error("cycle_warning")), stacklevel=2)
    edges = None
    if inputs is not None:
        wanted = _inputs(inputs, "backward")
        edges = _edges(wanted)
        for tensor in wanted:
            if isinstance(tensor, Tensor) and not tensor.is_leaf:
                tensor.retain_grad()
    run_backward(
        roots,
        retain_graph=create_graph if retain_graph is None else retain_graph,
        create_graph=create_graph,
        inputs=edges,
    )


def _backward_method(
    self: Tensor,
    gradient: Tensor | None = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    inputs: Any = None,
) -> None:
    """Accumulate the gradient of this tensor into `.grad` of the leaves it was computed from.

    `gradient` has this tensor's shape: the vector of the vector-Jacobian product; 1 for a tensor of one element.
    """
    backward(self, gradient, retain_graph, create_graph, inputs=inputs)


Tensor.backward = _backward_method  # type: ignore[method-assign, assignment]  # attached as the operations are


def grad(
    outputs: Tensor | Sequence[Tensor],
    inputs: Tensor | Sequence[Tensor],
    grad_outputs: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    allow_unused: bool | None = None,
    is_grads_batched: bool = False,
    materialize_grads: bool = False,
) -> Any:
    """The gradients of the sum of `outputs` with respect to each of `inputs`: a tuple, or for a dictionary one with the same keys.

    `grad_outputs` gives for each output of more than one element the vector of the vector-Jacobian product. RuntimeError for an
    input that the outputs do not depend on, unless `allow_unused` (then None) or `materialize_grads` (then zeros).

    >>> import autograd_teach as torch
    >>> t = torch.tensor([1.0, 2.0, 4.0], requires_grad=True)
    >>> torch.autograd.grad(t.pow(2).sum(), t)
    (tensor([2., 4., 8.]),)
    """
    if is_grads_batched:
        raise error("batched_gradients")
    if materialize_grads and allow_unused is False:
        raise error("materialize_without_allow")
    given, wanted = _tuple(outputs), _inputs(inputs, "grad")
    roots = _roots(given, grad_outputs)
    results = run_backward(
        roots,
        retain_graph=create_graph if retain_graph is None else retain_graph,
        create_graph=create_graph,
        inputs=_edges(wanted),
        accumulate=False,
    )
    for number, result in enumerate(results):
        if result is None and not allow_unused and not materialize_grads:
            raise error("input_not_used", number)
    if not create_graph:
        results = [None if r is None else wrap(np.asarray(r)) for r in results]
    if materialize_grads:
        if any(r is None and not isinstance(t, Tensor) for r, t in zip(results, wanted)):
            raise error("materialize_for_edge")
        results = [zeros_like(t, requires_grad=create_graph) if r is None else r for r, t in zip(results, wanted)]
    return dict(zip(inputs, results)) if isinstance(inputs, dict) else tuple(results)


class _VariableMeta(type):
    def __instancecheck__(cls, other: Any) -> bool:
        return isinstance(other, Tensor)


class Variable(metaclass=_VariableMeta):
    """The old name of a tensor that can require grad: a leaf on the memory of `data`. TypeError for what is no tensor.

    >>> import autograd_teach as torch
    >>> torch.autograd.Variable(torch.ones(2), requires_grad=True)
    tensor([1., 1.], requires_grad=True)
    """

    def __new__(cls, data: Any = None, requires_grad: bool = False) -> Any:
        if data is None:
            data = Tensor()
        if not isinstance(data, Tensor):
            raise error("variable_of_what", type(data).__name__)
        if requires_grad and not data.is_floating_point():
            raise error("requires_grad_at_creation")
        return data.detach().requires_grad_(requires_grad)


# Last, because these use the tensor functions, which use what is above.
from . import functional
from .function import Function
from .gradcheck import GradcheckError, gradcheck, gradgradcheck
