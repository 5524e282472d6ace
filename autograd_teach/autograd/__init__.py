"""How gradients are computed: the face of `torch.autograd`.

`backward` and `grad` check what they are given and start the engine; everything else here comes from the files of this folder.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..creation import zeros_like
from ..tensor import Size, Tensor, edge_of, wrap
from .engine import run_backward
from .graph import Edge, GradientEdge, Node
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
        raise TypeError(
            f"`inputs` argument to `{name}()` must be a dict, not {type(value).__name__}. Other Mapping types are not supported."
        )
    inputs = tuple(value.values()) if isinstance(value, dict) else _tuple(value)
    if not inputs:
        raise RuntimeError(f"`inputs` argument to `{name}()` cannot be empty.")
    return inputs


def _as_tensor(output: Any) -> Any:
    """A stand-in for the tensor that a GradientEdge belongs to: of its shape, dtype and edge, without its values."""
    if not isinstance(output, GradientEdge):
        return output
    metadata = output.node._input_metadata[output.output_nr]
    tensor = wrap(np.broadcast_to(np.zeros((), metadata.dtype.numpy), metadata.shape))
    tensor._edge = output[:2]
    return tensor


def _roots(outputs: tuple[Tensor, ...], gradients: Any) -> list[tuple[Edge, Tensor]]:
    """Each output's edge with the gradient that starts there: 1 for an output of one element, where none is given."""
    outputs = tuple(map(_as_tensor, outputs))
    gradients = (None,) * len(outputs) if gradients is None else _tuple(gradients)
    if len(gradients) < len(outputs):
        raise RuntimeError(f"got {len(outputs)} tensors and {len(gradients)} gradients")
    complete: list[Tensor] = []
    for number, (output, gradient) in enumerate(zip(outputs, gradients)):
        if gradient is None:
            if output.requires_grad:
                if output.numel() != 1:
                    raise RuntimeError("grad can be implicitly created only for scalar outputs")
                if not output.is_floating_point():
                    raise RuntimeError("grad can be implicitly created only for real scalar outputs")
            gradient = wrap(np.ones_like(output._array))
        elif not isinstance(gradient, Tensor):
            raise TypeError(f"gradients can be either Tensors or None, but got {type(gradient).__name__}")
        elif gradient._array.shape != output._array.shape:
            raise RuntimeError(
                f"Mismatch in shape: grad_output[{number}] has a shape of {Size(gradient.shape)} and output[{number}] has a "
                f"shape of {Size(output.shape)}."
            )
        complete.append(gradient)
    for number, output in enumerate(outputs):
        if not output.requires_grad:
            raise RuntimeError(f"element {number} of tensors does not require grad and does not have a grad_fn")
    return [(edge_of(o), g) for o, g in zip(outputs, complete)]


def _edges(inputs: Sequence[Any]) -> list[Edge]:
    """Where the gradients of the inputs arrive."""
    for tensor in inputs:
        if isinstance(tensor, Tensor) and not tensor.requires_grad:
            raise RuntimeError("One of the differentiated Tensors does not require grad")
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
        warnings.warn(
            "Using backward() with create_graph=True will create a reference cycle between the parameter and its gradient "
            "which can cause a memory leak. We recommend using autograd.grad when creating the graph to avoid this. If you "
            "have to use this function, make sure to reset the .grad fields of your parameters to None after use to break the "
            "cycle and avoid the leak.",
            stacklevel=2,
        )
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
        raise NotImplementedError("autograd_teach does not support is_grads_batched; call grad once a vector")
    if materialize_grads and allow_unused is False:
        raise ValueError(
            "Expected allow_unused to be True or not passed when materialize_grads=True, but got: allow_unused=False."
        )
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
            raise RuntimeError(
                f"The differentiated Tensor at index {number} appears to not have been used in the graph. Set "
                "allow_unused=True if this is the desired behavior."
            )
    if not create_graph:
        results = [None if r is None else wrap(np.array(r, order="C")) for r in results]
    if materialize_grads:
        if any(r is None and not isinstance(t, Tensor) for r, t in zip(results, wanted)):
            raise RuntimeError("materialize_grads cannot be used when the given input is a GradientEdge")
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
            raise TypeError(f"Variable data has to be a tensor, but got {type(data).__name__}")
        if requires_grad and not data.is_floating_point():
            raise RuntimeError("Only Tensors of floating point and complex dtype can require gradients")
        return data.detach().requires_grad_(requires_grad)


# Last, because these use the tensor functions, which use what is above.
from . import functional
from .function import Function
from .gradcheck import GradcheckError, gradcheck, gradgradcheck
