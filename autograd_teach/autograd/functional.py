"""Derivatives of functions: Jacobians, Hessians, and their products with vectors; `torch.autograd.functional`.

Each calls the function on copies of its inputs, differentiates what it returned with `grad`, and fills in zeros where the result
does not depend on an input, which `strict=True` makes an error. With `create_graph=True` the answer can be differentiated in turn.
Knows tensors and `grad`; nothing of the engine.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..creation import zeros_like
from ..ops.shape import stack
from ..tensor import Tensor
from . import grad
from .modes import enable_grad, is_grad_enabled, set_grad_enabled

__all__ = ["hessian", "hvp", "jacobian", "jvp", "vhp", "vjp"]

Tensors = Tensor | tuple[Tensor, ...]
Function = Callable[..., Any]

_OUTPUTS = "outputs of the user-provided function"
_STRICT = " This is not allowed in strict mode"


def vjp(
    func: Function, inputs: Tensors, v: Tensors | None = None, create_graph: bool = False, strict: bool = False
) -> tuple[Any, Any]:
    """`func(*inputs)`, and `v` times the Jacobian there: for each input a tensor of its shape.

    `v` has the shape of the output, and may be left out where that is one number. RuntimeError for a `v` of another shape.

    >>> import autograd_teach as torch
    >>> torch.autograd.functional.vjp(lambda x: x**2, torch.tensor([1.0, 3.0]), torch.tensor([1.0, 10.0]))
    (tensor([1., 9.]), tensor([ 2., 60.]))
    """
    with enable_grad():
        many_in, given = _tuple_of(inputs, "inputs", "vjp")
        points = _apart(given, create_graph)
        many_out, outputs = _outputs(func, points, "vjp", strict)
        if v is None and (len(outputs) != 1 or outputs[0].numel() != 1):
            raise RuntimeError(
                "The vector v can only be None if the user-provided function returns a single Tensor with a single element."
            )
        vectors = _vectors(v, outputs, many_out, "vjp", create_graph)
    with set_grad_enabled(create_graph or is_grad_enabled()):
        found = _grad(outputs, points, vectors, create_graph)
        what = "The output of the user-provided function is independent of input {}." + _STRICT + "."
        product = _filled(found, points, strict, create_graph, what, "jacobian")
    return _result(outputs, many_out, create_graph), _result(product, many_in, create_graph)


def jvp(
    func: Function, inputs: Tensors, v: Tensors | None = None, create_graph: bool = False, strict: bool = False
) -> tuple[Any, Any]:
    """`func(*inputs)`, and the Jacobian there times `v`: the change of the output when the inputs move along `v`.

    The engine only computes u ↦ uᵀJ. As that is linear in u, its own derivative in the direction of v is Jv; source: J. Townsend, "A new
    trick for calculating Jacobian vector products" (2017).

    >>> import autograd_teach as torch
    >>> torch.autograd.functional.jvp(lambda x: x[0] * x, torch.tensor([2.0, 3.0]), torch.tensor([0.0, 1.0]))
    (tensor([4., 6.]), tensor([0., 2.]))
    """
    with enable_grad():
        _, inputs, vectors = _inputs_and_vectors(inputs, v, "jvp", create_graph)
        many_out, outputs = _outputs(func, inputs, "jvp", strict)
        dummies = tuple(zeros_like(output, requires_grad=True) for output in outputs)
        transposed = _grad(outputs, inputs, dummies, create_graph=True)
        if strict:
            _check_transposed(transposed)
    with set_grad_enabled(create_graph or is_grad_enabled()):
        found = _grad(transposed, dummies, vectors, create_graph)
        what = (
            "The gradient with respect to the input is independent of entry {} in the grad_outputs when using the double backward "
            "trick to compute forward mode gradients." + _STRICT + "."
        )
        product = _filled(found, outputs, strict, create_graph, what, "jacobian")
    return _result(outputs, many_out, create_graph), _result(product, many_out, create_graph)


def jacobian(
    func: Function,
    inputs: Tensors,
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
    strategy: str = "reverse-mode",
) -> Any:
    """The derivative of each element of the output by each of the input: a tensor of shape `output.shape + input.shape`.

    With several outputs, or inputs, a tuple of them; with both, a tuple of tuples, that of the outputs outside.

    >>> import autograd_teach as torch
    >>> torch.autograd.functional.jacobian(lambda x: x**2, torch.tensor([1.0, 2.0, 3.0]))
    tensor([[2., 0., 0.],
            [0., 4., 0.],
            [0., 0., 6.]])
    """
    _only_reverse(
        vectorize,
        strategy,
        ' Hint: If your function has more outputs than inputs, "forward-mode" tends to be more performant. Otherwise, prefer to '
        'use "reverse-mode".',
    )
    with enable_grad():
        many_in, given = _tuple_of(inputs, "inputs", "jacobian")
        points = _apart(given, create_graph)
        many_out, outputs = _outputs(func, points, "jacobian", strict)
        rows = tuple(_jacobian_of(output, i, points, create_graph, strict) for i, output in enumerate(outputs))
    results = tuple(_result(row, many_in, create_graph) for row in rows)
    return results if many_out else results[0]


def _jacobian_of(
    output: Tensor, number: int, inputs: tuple[Tensor, ...], create_graph: bool, strict: bool
) -> tuple[Tensor, ...]:
    """The Jacobians of one output, row by row: of each of its elements one gradient."""
    rows: list[list[Tensor]] = [[] for _ in inputs]
    for j in range(output.numel()):
        found = _grad((output.reshape(-1)[j],), inputs, None, create_graph, retain_graph=True)
        for i, (row, gradient) in enumerate(zip(rows, found, strict=True)):
            if strict and gradient is None:
                raise RuntimeError(
                    f"Output {number} of the user-provided function is independent of input {i}.{_STRICT}."
                )
            if strict and create_graph and gradient is not None and not gradient.requires_grad:
                # PyTorch names the number of the output here.
                raise RuntimeError(
                    f"The jacobian of the user-provided function is independent of input {number}.{_STRICT} when create_graph=True."
                )
            row.append(zeros_like(inputs[i]) if gradient is None else gradient)
    return tuple(stack(row, dim=0).view(output.shape + i.shape) for row, i in zip(rows, inputs, strict=True))


def hessian(
    func: Function,
    inputs: Tensors,
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
    outer_jacobian_strategy: str = "reverse-mode",
) -> Any:
    """The second derivatives of a function of one number: the Jacobian of its gradient, of shape `input.shape + input.shape`.

    With several inputs, a tuple of tuples.

    >>> import autograd_teach as torch
    >>> torch.autograd.functional.hessian(lambda x: x[0] ** 2 * x[1], torch.tensor([3.0, 5.0]))
    tensor([[10.,  6.],
            [ 6.,  0.]])
    """
    many_in, inputs = _tuple_of(inputs, "inputs", "hessian")
    _only_reverse(vectorize, outer_jacobian_strategy)

    def scalar(*arguments: Tensor) -> Tensor:
        return _single(func, arguments, "hessian", strict).squeeze()

    def gradient(*arguments: Tensor) -> tuple[Tensor, ...]:
        gradients = jacobian(scalar, arguments, create_graph=True)
        if strict:
            _check_gradient(gradients)
        return gradients

    second = jacobian(gradient, inputs, create_graph, strict)
    return second if many_in else second[0][0]


def vhp(
    func: Function, inputs: Tensors, v: Tensors | None = None, create_graph: bool = False, strict: bool = False
) -> tuple[Any, Any]:
    """`func(*inputs)`, one number, and `v` times the Hessian there, `v` in the shapes of the inputs. Cheaper than `hvp`.

    >>> import autograd_teach as torch
    >>> torch.autograd.functional.vhp(lambda x: (x**3).sum(), torch.tensor([1.0, 2.0]), torch.tensor([1.0, 1.0]))
    (tensor(9.), tensor([ 6., 12.]))
    """
    with enable_grad():
        many_in, inputs, vectors = _inputs_and_vectors(inputs, v, "vhp", create_graph)
        output = _single(func, inputs, "vhp", strict)
        first = _grad((output,), inputs, None, create_graph=True)
        if strict:
            _check_gradient(first)
    with set_grad_enabled(create_graph or is_grad_enabled()):
        found = _grad(first, inputs, vectors, create_graph)
        what = "The jacobian of the user-provided function is independent of input {}." + _STRICT + "."
        product = _filled(found, inputs, strict, create_graph, what, "hessian")
    return _result((output,), False, create_graph), _result(product, many_in, create_graph)


def hvp(
    func: Function, inputs: Tensors, v: Tensors | None = None, create_graph: bool = False, strict: bool = False
) -> tuple[Any, Any]:
    """`func(*inputs)`, one number, and the Hessian there times `v`, as `jvp` does it; `vhp` gives the same where the Hessian is symmetric.

    >>> import autograd_teach as torch
    >>> torch.autograd.functional.hvp(lambda x: (x**3).sum(), torch.tensor([1.0, 2.0]), torch.tensor([1.0, 1.0]))
    (tensor(9.), tensor([ 6., 12.]))
    """
    with enable_grad():
        many_in, inputs, vectors = _inputs_and_vectors(inputs, v, "hvp", create_graph)
        output = _single(func, inputs, "hvp", strict)
        first = _grad((output,), inputs, None, create_graph=True)
        if strict:
            _check_gradient(first)
        dummies = tuple(zeros_like(i, requires_grad=True) for i in inputs)
        transposed = _grad(first, inputs, dummies, create_graph=True)
    with set_grad_enabled(create_graph or is_grad_enabled()):
        found = _grad(transposed, dummies, vectors, create_graph)
        what = (
            "The hessian of the user-provided function is independent of entry {} in the grad_jacobian."
            + _STRICT
            + " as it "
            "prevents from using the double backward trick to replace forward mode AD."
        )
        product = _filled(found, inputs, strict, create_graph, what, "hessian")
    return _result((output,), False, create_graph), _result(product, many_in, create_graph)


# What goes in


def _tuple_of(value: Any, what: str, name: str) -> tuple[bool, Any]:
    """Whether `value` is a tuple, and it as one; TypeError for what is no tensor."""
    many = isinstance(value, tuple)
    values = value if many else (value,)
    for index, entry in enumerate(values):
        if not isinstance(entry, Tensor):
            which = f"value at index {index}" if many else f"given {what}"
            raise TypeError(
                f"The {what} given to {name} must be either a Tensor or a tuple of Tensors but the {which} has type {type(entry)}."
            )
    return many, values


def _apart(tensors: tuple[Tensor, ...], create_graph: bool, requires_grad: bool = True) -> tuple[Tensor, ...]:
    """The same values as tensors of their own: what the function captured besides its arguments counts as constant."""
    return tuple(
        t.view_as(t) if create_graph and t.requires_grad else t.detach().requires_grad_(requires_grad) for t in tensors
    )


def _inputs_and_vectors(
    inputs: Any, v: Any, name: str, create_graph: bool
) -> tuple[bool, tuple[Tensor, ...], tuple[Tensor, ...] | None]:
    many, inputs = _tuple_of(inputs, "inputs", name)
    inputs = _apart(inputs, create_graph)
    if v is None and (len(inputs) != 1 or inputs[0].numel() != 1):
        raise RuntimeError(
            "The vector v can only be None if the input to the user-provided function is a single Tensor with a single element."
        )
    return many, inputs, _vectors(v, inputs, many, name, create_graph)


def _vectors(v: Any, like: tuple[Tensor, ...], many: bool, name: str, create_graph: bool) -> tuple[Tensor, ...] | None:
    """The vectors as a tuple; RuntimeError unless they have the shapes of `like`."""
    if v is None:
        return None
    vectors = _apart(_tuple_of(v, "v", name)[1], create_graph, requires_grad=False)
    if len(vectors) != len(like):
        raise RuntimeError(
            f"v is a tuple of invalid length: should be {len(like)} but got {len(vectors)}."
            if many
            else "The given v should contain a single Tensor."
        )
    for index, (vector, other) in enumerate(zip(vectors, like, strict=True)):
        if vector.shape != other.shape:
            entry = f"Entry {index} in " if many else ""
            raise RuntimeError(f"{entry}v has invalid size: should be {other.shape} but got {vector.shape}.")
    return vectors


# What comes out


def _outputs(func: Function, inputs: tuple[Tensor, ...], name: str, strict: bool) -> tuple[bool, tuple[Tensor, ...]]:
    many, outputs = _tuple_of(func(*inputs), _OUTPUTS, name)
    for number, output in enumerate(outputs):
        if strict and not output.requires_grad:
            raise RuntimeError(
                f"Output {number} of the user-provided function does not require gradients. The outputs must be computed in a "
                "differentiable manner from the input when running in strict mode."
            )
    return many, outputs


def _single(func: Function, inputs: tuple[Tensor, ...], name: str, strict: bool) -> Tensor:
    """The function's one output, of one element."""
    many, outputs = _outputs(func, inputs, name, strict)
    if many:
        raise RuntimeError(f"The function given to {name} should return a single Tensor")
    if outputs[0].numel() != 1:
        raise RuntimeError(f"The Tensor returned by the function given to {name} should contain a single element")
    return outputs[0]


def _grad(
    outputs: Sequence[Tensor | None],
    inputs: tuple[Tensor, ...],
    vectors: Sequence[Tensor] | None,
    create_graph: bool,
    retain_graph: bool | None = None,
) -> tuple[Tensor | None, ...]:
    """`grad`, None for an input without gradient; outputs that have none do not count."""
    pairs = zip(outputs, (None,) * len(outputs) if vectors is None else vectors, strict=True)
    kept = [(o, v) for o, v in pairs if o is not None and o.requires_grad]
    if not kept:
        return (None,) * len(inputs)
    return grad(
        [o for o, _ in kept],
        inputs,
        [v for _, v in kept],
        retain_graph=retain_graph,
        create_graph=create_graph,
        allow_unused=True,
    )


def _filled(
    gradients: tuple[Tensor | None, ...],
    like: tuple[Tensor, ...],
    strict: bool,
    create_graph: bool,
    independent: str,
    derivative: str,
) -> tuple[Tensor, ...]:
    """Zeros in the place of None, or where `strict`, the error that says what is independent of what."""
    results = []
    for number, (gradient, other) in enumerate(zip(gradients, like, strict=True)):
        if strict and gradient is None:
            raise RuntimeError(independent.format(number))
        if strict and create_graph and gradient is not None and not gradient.requires_grad:
            raise RuntimeError(
                f"The {derivative} of the user-provided function is independent of input {number}.{_STRICT} when "
                "create_graph=True."
            )
        results.append(zeros_like(other) if gradient is None else gradient)
    return tuple(results)


def _result(tensors: tuple[Tensor, ...], many: bool, create_graph: bool) -> Any:
    kept = tensors if create_graph else tuple(t.detach() for t in tensors)
    return kept if many else kept[0]


# What strict mode and this engine refuse


def _check_transposed(gradients: tuple[Tensor | None, ...]) -> None:
    for number, gradient in enumerate(gradients):
        if gradient is None:
            raise RuntimeError(_independent(number))
        if not gradient.requires_grad:
            raise RuntimeError(
                f"The gradient with respect to input {number} is independent of the inputs of the user-provided function."
                f"{_STRICT}."
            )


def _check_gradient(gradients: tuple[Tensor | None, ...]) -> None:
    for number, gradient in enumerate(gradients):
        if gradient is None:
            raise RuntimeError(_independent(number))
        if not gradient.requires_grad:
            raise RuntimeError(
                "While computing the hessian, found that the jacobian of the user-provided function with respect to input "
                f"{number} is independent of the input.{_STRICT}. You should ensure that your function is twice differentiable "
                "and that the jacobian depends on the inputs (this would be violated by a linear function for example)."
            )


def _independent(number: int) -> str:
    return f"The output of the user-provided function is independent of input {number}.{_STRICT}."


def _only_reverse(vectorize: bool, strategy: str, hint: str = "") -> None:
    if strategy not in ("forward-mode", "reverse-mode"):
        raise AssertionError(f'Expected strategy to be either "forward-mode" or "reverse-mode".{hint}')
    if vectorize or strategy == "forward-mode":
        raise NotImplementedError(
            "autograd_teach does not support vectorize=True nor forward-mode differentiation; leave both out, the values are the same"
        )
