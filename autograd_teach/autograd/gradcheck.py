"""gradcheck, gradgradcheck: do a function's derivatives agree with finite differences?

Uses the public face of autograd (`grad`, Function) and NumPy; knows no operation and no node.

A Jacobian here has, as in PyTorch's messages, a row for each element of the input and a column for
each element of the output. Its numerical form is the central difference
(f(x + eps) - f(x - eps)) / (2 eps), a row at a time; its analytical form comes from one backward
run per element of the output, a column at a time.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ..creation import empty, from_numpy
from ..tensor import Tensor
from . import grad
from .function import Function

Array = np.ndarray[Any, Any]


class GradcheckError(RuntimeError):
    """Raised by gradcheck and gradgradcheck where a derivative is found to be wrong."""


def gradcheck(
    func: Callable[..., Any],
    inputs: Any,
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    raise_exception: bool = True,
    nondet_tol: float = 0.0,
    check_undefined_grad: bool = True,
    check_grad_dtypes: bool = False,
    check_batched_grad: bool = False,
    check_batched_forward_grad: bool = False,
    check_forward_ad: bool = False,
    check_backward_ad: bool = True,
    fast_mode: bool = False,
    masked: bool | None = None,
) -> bool:
    """Compare the gradients of `func` with finite differences; True if they agree.

    `inputs`: a tensor or a tuple, of which those that require grad are checked; use float64.
    They agree where |analytical - numerical| <= atol + rtol * |numerical|. Also checked: the
    backward gives the same result twice (up to `nondet_tol`), is zero for a zero gradient, and
    copes with a missing one (`check_undefined_grad`). Raises GradcheckError, or with
    `raise_exception=False` returns False; ValueError if no input requires grad; RuntimeError for
    inputs with overlapping memory; NotImplementedError for forward mode, batched gradients and
    `fast_mode`. `check_grad_dtypes` is always satisfied, since the engine casts every gradient.

    >>> import autograd_teach as torch
    >>> gradcheck(torch.sin, torch.ones(2, dtype=torch.float64, requires_grad=True))
    True
    """
    _expect_one_of(check_forward_ad=check_forward_ad, check_backward_ad=check_backward_ad)
    _expect(check_batched_grad, "check_batched_grad", check_backward_ad, "check_backward_ad")
    _expect(
        check_batched_forward_grad,
        "check_batched_forward_grad",
        check_forward_ad,
        "check_forward_ad",
    )
    for option, value in (
        ("check_forward_ad (forward mode)", check_forward_ad),
        ("check_batched_grad (vmap)", check_batched_grad),
        ("fast_mode", fast_mode),
    ):
        if value:
            raise NotImplementedError(f"gradcheck: {option} is not supported, leave it False")
    try:
        _check(func, _as_tuple(inputs), eps, atol, rtol, nondet_tol, check_undefined_grad, masked)
    except GradcheckError:
        if raise_exception:
            raise
        return False
    return True


def gradgradcheck(
    func: Callable[..., Any],
    inputs: Any,
    grad_outputs: Any = None,
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    gen_non_contig_grad_outputs: bool = False,
    raise_exception: bool = True,
    nondet_tol: float = 0.0,
    check_undefined_grad: bool = True,
    check_grad_dtypes: bool = False,
    check_batched_grad: bool = False,
    check_fwd_over_rev: bool = False,
    check_rev_over_rev: bool = True,
    fast_mode: bool = False,
    masked: bool = False,
) -> bool:
    """Check the derivatives of the gradients of `func`, by `inputs` and by `grad_outputs`.

    `grad_outputs`: the gradients that the outputs receive; drawn from U(-1, 1) if None. The rest
    is as in gradcheck, which is run on (inputs, grad_outputs) -> gradients of the inputs.

    >>> import autograd_teach as torch
    >>> gradgradcheck(torch.sin, torch.ones(2, dtype=torch.float64, requires_grad=True))
    True
    """
    _expect_one_of(check_fwd_over_rev=check_fwd_over_rev, check_rev_over_rev=check_rev_over_rev)
    _expect(check_undefined_grad, "check_undefined_grad", check_rev_over_rev, "check_rev_over_rev")
    _expect(check_batched_grad, "check_batched_grad", check_rev_over_rev, "check_rev_over_rev")
    inputs = _as_tuple(inputs)
    if grad_outputs is None:
        outputs = _differentiable(func(*inputs))
        cotangents = tuple(_random_like(output, gen_non_contig_grad_outputs) for output in outputs)
    else:
        cotangents = _as_tuple(grad_outputs)
    if not cotangents:
        raise ValueError("gradgradcheck expects an output that requires grad, or grad_outputs")
    required = [_requires_grad(arg) for arg in inputs + cotangents]
    count = len(inputs)

    def gradients(*args: Any) -> tuple[Tensor, ...]:
        args = tuple(arg.requires_grad_() if needed else arg for arg, needed in zip(args, required, strict=True))
        sources = [arg for arg, needed in zip(args[:count], required, strict=False) if needed]
        outputs = _differentiable(func(*args[:count]))
        found = grad(outputs, sources, args[count:], create_graph=True, allow_unused=True)
        return tuple(gradient for gradient in found if gradient is not None)

    return gradcheck(
        gradients,
        inputs + cotangents,
        eps=eps,
        atol=atol,
        rtol=rtol,
        raise_exception=raise_exception,
        nondet_tol=nondet_tol,
        check_undefined_grad=check_undefined_grad,
        check_grad_dtypes=check_grad_dtypes,
        check_batched_grad=check_batched_grad,
        fast_mode=fast_mode,
        check_forward_ad=check_fwd_over_rev,
        check_backward_ad=check_rev_over_rev,
        masked=masked,
    )


def jacobians(func: Callable[..., Any], inputs: Any, eps: float = 1e-6) -> list[tuple[Array, Array]]:
    """The (numerical, analytical) Jacobians that gradcheck compares, as they are, without a verdict.

    One pair for each output that requires grad and, within it, each input that does; each array of
    shape (elements of the input, elements of the output).

    >>> import autograd_teach as torch
    >>> x = torch.tensor([1.0, 2.0], dtype=torch.float64, requires_grad=True)
    >>> [(numerical, analytical)] = jacobians(lambda x: x * x, x)
    >>> analytical.tolist()
    [[2.0, 0.0], [0.0, 4.0]]
    """
    inputs = _as_tuple(inputs)
    outputs = _as_tuple(func(*inputs))
    numerical = [_numerical_jacobian(func, inputs, x, outputs, eps) for x in _required(inputs)]
    return [
        (rows[i], analytical)
        for i, output in enumerate(outputs)
        if output.requires_grad
        for rows, analytical in zip(numerical, _analytical_jacobian(output, _required(inputs)), strict=True)
    ]


# The checks, in PyTorch's order


def _check(
    func: Callable[..., Any],
    inputs: tuple[Any, ...],
    eps: float,
    atol: float,
    rtol: float,
    nondet_tol: float,
    check_undefined_grad: bool,
    masked: bool | None,
) -> None:
    _check_inputs(inputs)
    sources = _required(inputs)
    outputs = _as_tuple(func(*inputs))
    differentiable = [i for i, output in enumerate(outputs) if output.requires_grad]
    numerical = [_numerical_jacobian(func, inputs, x, outputs, eps) for x in sources]
    if not differentiable:
        if any((jacobian != 0).any() for rows in numerical for jacobian in rows.values()):
            raise GradcheckError("Numerical gradient for function expected to be zero")
        return
    for number, i in enumerate(differentiable):
        analytical = _analytical_jacobian(outputs[i], sources)
        _check_reentrant(analytical, _analytical_jacobian(outputs[i], sources), nondet_tol)
        for j, (rows, found) in enumerate(zip(numerical, analytical, strict=True)):
            if not np.isclose(found, rows[i], rtol, atol).all():
                raise GradcheckError(
                    f"Jacobian mismatch for output {number} with respect to input {j},\n"
                    f"numerical:{from_numpy(rows[i])}\nanalytical:{from_numpy(found)}\n"
                )
    _check_zero_grad_output([outputs[i] for i in differentiable], sources, masked)
    if check_undefined_grad:
        _check_undefined_grad_output(func, inputs, sources, len(differentiable))


def _check_inputs(inputs: tuple[Any, ...]) -> None:
    for i, x in enumerate(inputs):
        if not _requires_grad(x):
            continue
        if x.detach().numpy().dtype != np.float64:
            warnings.warn(
                f"Input #{i} requires gradient and is not a double precision floating point or "
                "complex. This check will likely fail if all the inputs are not of double "
                "precision floating point or complex. ",
                stacklevel=4,
            )
        overlaps = any(step == 0 and n > 1 for step, n in zip(x.stride(), x.shape, strict=True))
        if overlaps and x.numel():
            raise RuntimeError(
                f"The {i}th input has a dimension with stride 0. gradcheck only supports inputs "
                "that are non-overlapping to be able to compute the numerical gradients "
                "correctly. You should call .contiguous on the input before passing it to "
                "gradcheck."
            )
    if not _required(inputs):
        raise ValueError(
            "gradcheck expects at least one input tensor to require gradient, but none of them have requires_grad=True."
        )


def _check_reentrant(first: list[Array], second: list[Array], tolerance: float) -> None:
    for one, two in zip(first, second, strict=True):
        if one.size and abs(one - two).max() > tolerance:
            raise GradcheckError(
                "Backward is not reentrant, i.e., running backward with same input and "
                "grad_output multiple times gives different values, although analytical gradient "
                "matches numerical gradient."
                f"The tolerance for nondeterminism was {tolerance}." + _NONDETERMINISM_NOTE
            )


# PyTorch's text, to the letter.
_NONDETERMINISM_NOTE = """\n
NOTE: If your op relies on non-deterministic operations i.e., it is listed here:
https://pytorch.org/docs/stable/generated/torch.use_deterministic_algorithms.html
this failure might be expected.

If you are adding a new operator, please file an issue and then use one of the
workarounds. The workaround depends on how your test invokes gradcheck/gradgradcheck.
If the test
- manually invokes gradcheck/gradgradcheck, then call gradcheck/gradgradcheck
  with `nondet_tol=<tol>` as a keyword argument.
- is OpInfo-based (e.g., in test_ops_gradients.py), then modify the OpInfo for the test
  to have `gradcheck_nondet_tol=<tol>`.
- is a Module test (e.g., in common_nn.py), then modify the corresponding
  module_test entry to have `gradcheck_nondet_tol=<tol>`
"""


def _check_zero_grad_output(outputs: list[Tensor], sources: list[Tensor], masked: bool | None) -> None:
    zeros = [from_numpy(_zeros(output)) for output in outputs]
    for gradient in grad(outputs, sources, zeros, allow_unused=True):
        if gradient is None:
            continue
        values = gradient.detach().numpy()
        if not (np.allclose(values, 0) if masked else (values == 0).all()):
            raise GradcheckError("backward not multiplied by grad_output")


class _UndefinedGrad(Function):
    """The identity, whose backward passes on no gradient at all."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        return x.view_as(x)

    @staticmethod
    def backward(ctx: Any, grad_output: Tensor) -> None:
        return None


def _check_undefined_grad_output(
    func: Callable[..., Any], inputs: tuple[Any, ...], sources: list[Tensor], count: int
) -> None:
    """All outputs without gradient together, then, if there are several, each on its own."""
    which = [range(count)] + ([range(i, i + 1) for i in range(count)] if count > 1 else [])
    for undefined in which:
        outputs = [
            _UndefinedGrad.apply(output) if i in undefined else output
            for i, output in enumerate(_differentiable(func(*inputs)))
        ]
        zeros = [from_numpy(_zeros(output)) for output in outputs]
        where = 'Please look at "Notes about undefined output gradients" in "tools/autograd/derivatives.yaml"'
        try:
            found = grad(outputs, sources, zeros, allow_unused=True)
        except RuntimeError as error:
            _warn_about_undefined_grad()
            raise GradcheckError(f"Expected backward function to handle undefined output grads. {where}") from error
        if any(g is not None and not (g.detach().numpy() == 0).all() for g in found):
            _warn_about_undefined_grad()
            raise GradcheckError(
                f"Expected all input grads to be undefined or zero when all output grads are undefined or zero. {where}"
            )


def _warn_about_undefined_grad() -> None:
    warnings.warn(
        "Backwards compatibility: New undefined gradient support checking feature is enabled by "
        "default, but it may break existing callers of this function. If this is true for you, "
        'you can call this function with "check_undefined_grad=False" to disable the feature',
        stacklevel=5,
    )


def _expect_one_of(**options: bool) -> None:
    if not any(options.values()):
        raise AssertionError(f"Expected at least one of {' or '.join(options)} to be True")


def _expect(value: bool, option: str, needed_value: bool, needed: str) -> None:
    if value and not needed_value:
        raise AssertionError(f"Setting {option}=True requires {needed} to be True")


# The two Jacobians


def _numerical_jacobian(
    func: Callable[..., Any],
    inputs: tuple[Any, ...],
    x: Tensor,
    outputs: tuple[Tensor, ...],
    eps: float,
) -> dict[int, Array]:
    """By number of each floating output of func(*inputs): its Jacobian by x.

    Writes into the memory of x, as PyTorch does, since func may hold x by other ways than as an
    argument; NumPy's view of it leaves the version counter alone.
    """

    def outputs_at(value: Any) -> list[Tensor]:
        memory[index] = value
        return [output.detach().clone() for output in _as_tuple(func(*inputs))]

    memory = x.detach().numpy()
    result = {
        i: _zeros(output, memory.size, output.numel()) for i, output in enumerate(outputs) if output.is_floating_point()
    }
    for row, index in enumerate(np.ndindex(memory.shape)):
        original = memory[index]
        try:
            below, above = outputs_at(original - eps), outputs_at(original + eps)
        finally:
            memory[index] = original
        _check_same_kind(below, above, f"index {index} by {eps}")
        for i, jacobian in result.items():
            jacobian[row] = ((above[i] - below[i]) / (2 * eps)).numpy().reshape(-1)
    return result


def _check_same_kind(below: list[Tensor], above: list[Tensor], perturbed: str) -> None:
    for one, two in zip(below, above, strict=False):
        for kind in ("shape", "dtype"):
            if getattr(one, kind) != getattr(two, kind):
                raise AssertionError(
                    f"Expected `func` to return outputs with the same {kind} when inputs are "
                    f"perturbed on {perturbed}, but got: {kind}s {getattr(one, kind)} "
                    f"and {getattr(two, kind)}."
                )


def _analytical_jacobian(output: Tensor, sources: list[Tensor]) -> list[Array]:
    """By input: the Jacobian of `output`, from one backward run for each of its elements."""
    result = [_zeros(x, x.numel(), output.numel()) for x in sources]
    for column, cotangent in enumerate(_unit_vectors(output)):
        found = grad(output, sources, cotangent, retain_graph=True, allow_unused=True)
        for jacobian, gradient in zip(result, found, strict=True):
            if gradient is not None:
                jacobian[:, column] = gradient.detach().numpy().reshape(-1)
    return result


def _unit_vectors(output: Tensor) -> Iterator[Tensor]:
    for index in np.ndindex(tuple(output.shape)):
        unit = _zeros(output)
        unit[index] = 1
        yield from_numpy(unit)


def _zeros(x: Tensor, *shape: int) -> Array:
    """Contiguous zeros of the dtype of x, of its shape if none is given."""
    return np.zeros(shape or tuple(x.shape), x.detach().numpy().dtype)


def _random_like(output: Tensor, noncontiguous: bool) -> Tensor:
    """Uniform in (-1, 1), requiring grad; drawn as PyTorch draws it."""
    drawn = empty(output.shape, dtype=output.dtype).uniform_(-1, 1)
    if noncontiguous and drawn.numel() > 1:
        drawn = from_numpy(np.repeat(drawn.numpy()[..., None], 2, -1)[..., 0])
    return drawn.requires_grad_()


def _as_tuple(value: Any) -> tuple[Any, ...]:
    return tuple(value) if isinstance(value, tuple | list) else (value,)


def _requires_grad(value: Any) -> bool:
    return isinstance(value, Tensor) and value.requires_grad


def _required(values: tuple[Any, ...]) -> list[Tensor]:
    return [value for value in values if _requires_grad(value)]


def _differentiable(outputs: Any) -> tuple[Tensor, ...]:
    return tuple(output for output in _as_tuple(outputs) if output.requires_grad)
