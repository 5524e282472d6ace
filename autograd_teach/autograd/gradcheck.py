"""`gradcheck` and `gradgradcheck`: compare a function's derivatives with finite differences.

As in PyTorch's messages, a Jacobian has a row for each element of the input.
"""

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from .. import quiet
from ..creation import from_numpy, zeros
from ..errors import error, require
from ..geometry import internal_overlap
from ..tensor import Tensor
from .backward import grad
from .function import Function


class GradcheckError(RuntimeError):
    """Raised by `gradcheck` and `gradgradcheck` if a derivative is wrong. A RuntimeError.

    >>> import autograd_teach as torch
    >>> x = torch.ones(2, dtype=torch.float64, requires_grad=True)
    >>> try:
    ...     gradcheck(lambda x: x * x.detach(), x)
    ... except GradcheckError as failure:
    ...     print(str(failure).split(",")[0])
    Jacobian mismatch for output 0 with respect to input 0
    """


def gradcheck(
    func: Callable[..., Any], inputs: Any, *, eps: float = 1e-6, atol: float = 1e-5, rtol: float = 1e-3,
    raise_exception: bool = True, nondet_tol: float = 0.0, check_undefined_grad: bool = True,
    check_grad_dtypes: bool = False, check_batched_grad: bool = False, check_batched_forward_grad: bool = False,
    check_forward_ad: bool = False, check_backward_ad: bool = True, fast_mode: bool = False, masked: bool | None = None,
) -> bool:  # fmt: skip
    """Compare the gradients of `func` with finite differences: |analytical - numerical| <= atol + rtol * |numerical|.

    inputs: a tensor or a tuple; those that require grad are checked (ValueError if none does). Use float64: the step is
    `eps`. Also checked: two backward passes agree up to `nondet_tol`, zeros give zeros, and a missing gradient is
    handled. Returns True, else raises GradcheckError, or returns False with `raise_exception=False`.
    NotImplementedError for forward mode, batches and `fast_mode`.

    >>> import autograd_teach as torch
    >>> torch.autograd.gradcheck(torch.sin, torch.ones(2, dtype=torch.float64, requires_grad=True))
    True
    """
    modes, needs = "gradcheck_no_mode", "gradcheck_requires"
    require(check_forward_ad or check_backward_ad, modes, "check_forward_ad", "check_backward_ad")
    require(check_backward_ad or not check_batched_grad, needs, "check_batched_grad", "check_backward_ad")
    require(check_forward_ad or not check_batched_forward_grad, needs, "check_batched_forward_grad", "check_forward_ad")
    require(not (check_forward_ad or check_batched_grad or fast_mode), "gradcheck_unsupported")
    try:
        _check(func, _tuple(inputs), eps, atol, rtol, nondet_tol, check_undefined_grad, masked)
    except GradcheckError:
        if raise_exception:
            raise
        return False
    return True


def gradgradcheck(
    func: Callable[..., Any], inputs: Any, grad_outputs: Any = None, *,
    eps: float = 1e-6, atol: float = 1e-5, rtol: float = 1e-3, gen_non_contig_grad_outputs: bool = False,
    raise_exception: bool = True, nondet_tol: float = 0.0, check_undefined_grad: bool = True,
    check_grad_dtypes: bool = False, check_batched_grad: bool = False, check_fwd_over_rev: bool = False,
    check_rev_over_rev: bool = True, fast_mode: bool = False, masked: bool = False,
) -> bool:  # fmt: skip
    """Check second derivatives: `gradcheck` of the gradients of `func`, as functions of `inputs` and `grad_outputs`.

    inputs and the other arguments: as in `gradcheck`. grad_outputs: the gradients that the outputs receive, a tensor or
    a tuple; drawn uniformly from [-1, 1) if None. ValueError if no output requires grad.

    >>> import autograd_teach as torch
    >>> torch.autograd.gradgradcheck(lambda x: x**3, torch.ones(2, dtype=torch.float64, requires_grad=True))
    True
    """
    require(check_fwd_over_rev or check_rev_over_rev, "gradcheck_no_mode", "check_fwd_over_rev", "check_rev_over_rev")
    option = "check_undefined_grad" if check_undefined_grad else "check_batched_grad" if check_batched_grad else None
    require(check_rev_over_rev or not option, "gradcheck_requires", option, "check_rev_over_rev")
    given = _tuple(inputs)
    if grad_outputs is None:
        drawn = [zeros(o.shape, dtype=o.dtype).uniform_(-1, 1) for o in _tuple(func(*given)) if o.requires_grad]
        if gen_non_contig_grad_outputs:
            drawn = [from_numpy(np.repeat(t.numpy(), 2, -1)[..., ::2]) if t.numel() > 1 else t for t in drawn]
        grad_outputs = tuple(t.requires_grad_() for t in drawn)
    points = given + _tuple(grad_outputs)
    if len(points) == len(given):
        raise ValueError("gradgradcheck expects an output that requires grad, or grad_outputs")

    def gradients(*points):
        inputs, cotangents = points[: len(given)], points[len(given) :]
        outputs = [output for output in _tuple(func(*inputs)) if output.requires_grad]
        found = grad(outputs, _requiring(inputs), cotangents, create_graph=True, allow_unused=True)
        return tuple(gradient for gradient in found if gradient is not None)

    return gradcheck(
        gradients, points, eps=eps, atol=atol, rtol=rtol, raise_exception=raise_exception, nondet_tol=nondet_tol,
        check_undefined_grad=check_undefined_grad, check_batched_grad=check_batched_grad, fast_mode=fast_mode,
        check_forward_ad=check_fwd_over_rev, check_backward_ad=check_rev_over_rev, masked=masked,
    )  # fmt: skip


def _check(func, inputs, eps, atol, rtol, nondet_tol, check_undefined_grad, masked):
    """The checks, in PyTorch's order."""
    sources = _requiring(inputs)
    for i, x in enumerate(inputs):
        if _requiring((x,)) and x.dtype.numpy != np.float64:
            warnings.warn(error("gradcheck_precision", i), stacklevel=3)
        if _requiring((x,)) and internal_overlap(x._array):
            raise error("gradcheck_overlap", i)
    require(sources, "gradcheck_no_input")
    outputs = _tuple(func(*inputs))
    compared = [i for i, output in enumerate(outputs) if output.requires_grad]
    numerical = _numerical(func, inputs, outputs, eps)
    changing = any(j.any() for i, o in enumerate(outputs) if o.is_floating_point() for j in numerical[i])
    _expect(compared or not changing, "gradcheck_constant")
    for number, i in enumerate(compared):
        first, second = _analytical(outputs[i], sources), _analytical(outputs[i], sources)
        differ = any(abs(one - two).max(initial=0) > nondet_tol for one, two in zip(first, second))
        _expect(not differ, "gradcheck_reentrant", nondet_tol)
        for j, (expected, found) in enumerate(zip(numerical[i], first)):
            agree = quiet.allclose(found, expected, rtol, atol)
            _expect(agree, "gradcheck_mismatch", number, j, from_numpy(expected), from_numpy(found))
    _expect(_zero_for_zeros(_requiring(outputs), sources, 1e-8 if masked else 0), "gradcheck_not_multiplied")
    if check_undefined_grad:
        _check_undefined_grad(func, inputs, len(compared))


class _UndefinedGrad(Function):
    """The identity with a backward that returns no gradient."""

    forward = staticmethod(lambda ctx, x: x.view_as(x))
    backward = staticmethod(lambda ctx, grad_output: None)


def _check_undefined_grad(func, inputs, count):
    """Check all outputs without a gradient, then, if there are several, each one without a gradient."""
    for undefined in [range(count), *([i] for i in range(count) if count > 1)]:
        outputs = _requiring(_tuple(func(*inputs)))
        outputs = [_UndefinedGrad.apply(o) if i in undefined else o for i, o in enumerate(outputs)]
        problem, cause = "gradcheck_undefined_nonzero", None
        try:
            if _zero_for_zeros(outputs, _requiring(inputs)):
                continue
        except RuntimeError as failure:
            problem, cause = "gradcheck_undefined_fails", failure
        warnings.warn(error("gradcheck_undefined_new"), stacklevel=4)
        _expect(False, problem, cause=cause)


def _zero_for_zeros(outputs, sources, atol=0):
    """Whether zeros at the outputs give gradients that are missing or zero."""
    gradients = grad(outputs, sources, [zeros(o.shape, dtype=o.dtype) for o in outputs], materialize_grads=True)
    return all(quiet.allclose(gradient.numpy(), 0, atol=atol) for gradient in gradients)


def _numerical(func, inputs, outputs, eps):
    """For each output, then each input: the central differences (f(x + eps) - f(x - eps)) / (2 eps), row by row.

    Changes x in memory, as PyTorch does, because func may use x in other ways than as an argument.
    """
    found = []
    for memory in (x.detach().numpy() for x in _requiring(inputs)):
        rows = []
        for index in np.ndindex(memory.shape):
            original, sides = memory[index], []
            try:
                for moved in (original - eps, original + eps):
                    memory[index] = moved
                    sides.append([output.detach().clone() for output in _tuple(func(*inputs))])
            finally:
                memory[index] = original
            for low, high in zip(*sides):
                for kind in ("shape", "dtype"):
                    if (one := getattr(low, kind)) != (other := getattr(high, kind)):
                        raise error("gradcheck_kind", kind, index, eps, one, other)
            rows.append([((high - low) / (2 * eps)).numpy() for low, high in zip(*sides)])
        found.append([np.array([r[i] for r in rows]).reshape(memory.size, o.numel()) for i, o in enumerate(outputs)])
    return list(zip(*found))


def _analytical(output, sources):
    """The Jacobian of `output` with respect to each input: each backward pass gives a column."""
    units = (from_numpy(unit).view(output.shape) for unit in np.eye(output.numel(), dtype=output.dtype.numpy))
    found = [grad(output, sources, unit, retain_graph=True, materialize_grads=True) for unit in units]
    return [np.array([g[j].numpy() for g in found]).reshape(output.numel(), x.numel()).T for j, x in enumerate(sources)]


def _tuple(value):
    return tuple(value) if isinstance(value, tuple | list) else (value,)


def _requiring(values):
    """The values that are tensors and require grad."""
    return tuple(v for v in values if isinstance(v, Tensor) and v.requires_grad)


def _expect(condition, name, *values, cause=None):
    if not condition:
        raise GradcheckError(*error(name, *values).args) from cause
