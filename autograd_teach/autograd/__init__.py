"""How gradients are computed: the face of `torch.autograd`.

`backward` and `grad` check what they are given and start the engine; everything else here comes from the files of this folder.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..creation import zeros_like
from ..tensor import Size, Tensor, edge_of, wrap
from .engine import run_backward
from .graph import Edge, Node
from .modes import enable_grad, is_grad_enabled, no_grad, set_grad_enabled

__all__ = [
    "Function",
    "GradcheckError",
    "Node",
    "backward",
    "enable_grad",
    "grad",
    "gradcheck",
    "gradgradcheck",
    "is_grad_enabled",
    "no_grad",
    "set_grad_enabled",
]


def _tuple(value: Any) -> tuple[Any, ...]:
    return (value,) if isinstance(value, Tensor) else tuple(value)


def _roots(outputs: tuple[Tensor, ...], gradients: Any) -> list[tuple[Edge, Tensor]]:
    """Each output's edge with the gradient that starts there: 1 for an output of one element, where none is given."""
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
        wanted = _tuple(inputs)
        if not wanted:
            raise RuntimeError("`inputs` argument to `backward()` cannot be empty.")
        for tensor in wanted:
            if not tensor.requires_grad:
                raise RuntimeError("One of the differentiated Tensors does not require grad")
            if not tensor.is_leaf:
                tensor.retain_grad()
        edges = [edge_of(tensor) for tensor in wanted]
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
) -> tuple[Any, ...]:
    """The gradients of the sum of `outputs` with respect to each of `inputs`: always a tuple, in the shapes of the inputs.

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
    given, wanted = _tuple(outputs), _tuple(inputs)
    if not wanted:
        raise RuntimeError("`inputs` argument to `grad()` cannot be empty.")
    roots = _roots(given, grad_outputs)
    for tensor in wanted:
        if not tensor.requires_grad:
            raise RuntimeError("One of the differentiated Tensors does not require grad")
    results = run_backward(
        roots,
        retain_graph=create_graph if retain_graph is None else retain_graph,
        create_graph=create_graph,
        inputs=[edge_of(tensor) for tensor in wanted],
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
        results = [zeros_like(t, requires_grad=create_graph) if r is None else r for r, t in zip(results, wanted)]
    return tuple(results)


# Last, because these use the tensor functions, which use what is above.
from .function import Function
from .gradcheck import GradcheckError, gradcheck, gradgradcheck
