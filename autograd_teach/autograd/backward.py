"""`backward` and `grad`: they check their arguments and run the engine.

Errors are PyTorch's. A root is where a gradient starts: an edge, and the gradient that arrives
there.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from math import prod
from operator import index
from typing import Any

import numpy as np

from ..errors import class_name, error, require
from ..tensor import Size, Tensor, wrap
from .engine import run_backward
from .graph import GradientEdge
from .leaf import edge_of
from .node import Edge, edge_to


def _tuple(value: Any) -> tuple[Any, ...]:
    return (value,) if isinstance(value, (Tensor, GradientEdge)) else tuple(value)


def _inputs(value: Any, name: str) -> tuple[Any, ...]:
    """The inputs as a tuple, the values of a dictionary; an error if there are none."""
    require(type(value) is dict or not isinstance(value, Mapping), "inputs_of_type", name, type(value).__name__)
    inputs = _tuple(value.values() if isinstance(value, dict) else value)
    require(inputs, "no_inputs", name)
    return inputs


def _roots(outputs: tuple[Any, ...], gradients: Any) -> list[tuple[Edge, Tensor]]:
    """Each output's edge with the gradient that starts there: 1 for an output of one element if none is given."""
    if gradients is not None:
        gradients = (gradients,) if isinstance(gradients, Tensor) else tuple(gradients)
    started: list[Tensor] = []
    for number, output in enumerate(outputs):
        if gradients is not None and number == len(gradients):
            raise error("how_many_gradients", len(outputs), number)
        gradient = None if gradients is None else gradients[number]
        if isinstance(output, Tensor):
            shape, dtype = output._value.shape, output._value.dtype
        else:
            require(isinstance(output, GradientEdge), "output_of_type")
            kind = output.node._input_metadata[output.output_nr]
            shape, dtype = tuple(kind.shape), kind.dtype.numpy
        if gradient is None:
            if shape and prod(shape) != 1 and getattr(output, "requires_grad", True):
                raise error("grad_of_unknown_size")
            gradient = wrap(np.ones(shape, dtype) if shape else dtype.type(1))
        elif not isinstance(gradient, Tensor):
            raise error("gradient_is_no_tensor", type(gradient).__name__)
        elif gradient._value.shape != shape:
            raise error("gradient_of_size", number, gradient.shape, number, Size(shape))
        else:
            gradient._array  # noqa: B018  memory that a user's backward may write to, and that `grad` may return
        started.append(gradient)
    roots: list[tuple[Edge, Tensor]] = []
    for number, output in enumerate(outputs):
        edge = (output._edge or edge_of(output)) if isinstance(output, Tensor) else edge_to(*output[:2])
        if edge._node is None:
            raise error("output_without_gradient", number)
        roots.append((edge, started[number]))
    return roots


def _edges(inputs: Sequence[Any]) -> list[Edge]:
    """The edges at which the gradients of the inputs arrive."""
    for tensor in inputs:
        is_tensor = isinstance(tensor, Tensor)
        require(is_tensor or isinstance(tensor, GradientEdge), "input_of_type", class_name(tensor))
        require(not is_tensor or tensor.requires_grad, "input_without_gradient")
    return [edge_of(t) if isinstance(t, Tensor) else edge_to(*t[:2]) for t in inputs]


def backward(
    tensors: Any, grad_tensors: Any = None, retain_graph: bool | None = None, create_graph: bool = False,
    grad_variables: Any = None, inputs: Any = None,
) -> None:  # fmt: skip
    """Accumulate the gradients of the sum of `tensors`, one or several, into `.grad` of the leaves.

    grad_tensors: for a tensor of more than one element, the vector of the vector-Jacobian product,
    in its shape. inputs: if given, only these tensors get a gradient. The graph is freed unless
    `retain_graph` or `create_graph` is true.

    >>> import autograd_teach as torch
    >>> x = torch.tensor([-3.0, 2.0, 5.0], requires_grad=True)
    >>> torch.autograd.backward((x**3).sum()); x.grad
    tensor([27., 12., 75.])
    """
    if grad_variables is not None:
        warnings.warn(str(error("grad_variables")), FutureWarning, stacklevel=2)
        require(grad_tensors is None, "grad_variables_twice")
        grad_tensors = grad_variables
    wanted = None if inputs is None else _inputs(inputs, "backward")
    roots = _roots(_tuple(tensors), grad_tensors)
    if create_graph:
        warnings.warn(str(error("cycle_warning")), stacklevel=2)
    for tensor in wanted or ():
        if isinstance(tensor, Tensor):
            tensor.retain_grad()
    run_backward(roots, retain_graph, create_graph, None if wanted is None else _edges(wanted))


def _backward(self: Tensor, gradient=None, retain_graph=None, create_graph=False, inputs=None) -> None:
    """Accumulate the gradients of this tensor into `.grad` of the leaves that it was computed from.

    gradient: a tensor of this one's shape, the vector of the vector-Jacobian product; optional for
    a tensor of one element, with the value 1. The other arguments and the errors are those of
    `torch.autograd.backward`.

    >>> import autograd_teach as torch
    >>> x = torch.tensor([1.0, 2.0], requires_grad=True)
    >>> (x * x).backward(torch.tensor([1.0, 10.0])); x.grad
    tensor([ 2., 40.])
    """
    backward(self, gradient, retain_graph, create_graph, inputs=inputs)


_backward.__name__, _backward.__qualname__ = "backward", "Tensor.backward"
Tensor.backward = _backward  # type: ignore[attr-defined]  # attached as the operations are


def grad(
    outputs: Any, inputs: Any, grad_outputs: Any = None, retain_graph: bool | None = None, create_graph: bool = False,
    only_inputs: bool = True, allow_unused: bool | None = None, is_grads_batched: bool = False,
    materialize_grads: bool = False,
) -> Any:  # fmt: skip
    """The gradients of the sum of `outputs` with respect to `inputs`: a tuple, or a dictionary if `inputs` is one.

    grad_outputs: for an output of more than one element, the vector of the vector-Jacobian product.
    RuntimeError for an input that is not used, unless `allow_unused` (then None) or
    `materialize_grads` (then zeros).

    >>> import autograd_teach as torch
    >>> t = torch.tensor([1.0, 2.0, 4.0], requires_grad=True)
    >>> torch.autograd.grad(t.pow(2).sum(), t)
    (tensor([2., 4., 8.]),)
    """
    if not only_inputs:
        warnings.warn(str(error("only_inputs")), FutureWarning, stacklevel=2)
    require(not is_grads_batched, "batched_gradients")
    require(not materialize_grads or allow_unused is not False, "materialize_without_allow")
    given, wanted = _tuple(outputs), _inputs(inputs, "grad")
    roots = _roots(given, grad_outputs)
    allow_unused = bool(index(materialize_grads if allow_unused is None else allow_unused))
    results = run_backward(roots, retain_graph, create_graph, _edges(wanted), accumulate=False)
    for number, result in enumerate(results):
        require(result is not None or allow_unused, "input_not_used", number)
    if not create_graph:
        tensors: dict[int, Tensor] = {}  # one gradient that arrives at several inputs is one tensor
        results = [None if r is None else tensors.setdefault(id(r), wrap(np.asarray(r))) for r in results]
    if materialize_grads:
        require(all(isinstance(t, Tensor) for r, t in zip(results, wanted) if r is None), "materialize_for_edge")
        results = [_zeros(t, create_graph) if r is None else r for r, t in zip(results, wanted)]
    return dict(zip(inputs, results)) if isinstance(inputs, dict) else tuple(results)


def _zeros(input: Tensor, requires_grad: bool) -> Tensor:
    return wrap(np.zeros_like(input._array)).requires_grad_(requires_grad)
