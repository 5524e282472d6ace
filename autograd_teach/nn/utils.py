"""What is done to the parameters of a model as a whole (`torch.nn.utils`): clipping gradients, parameters as one vector."""

from __future__ import annotations

import types
import warnings
from collections.abc import Iterable

from ..autograd.modes import no_grad
from ..creation import tensor
from ..ops.shape import cat, stack
from ..tensor import Tensor
from .parameter import typename


def _gradients(parameters: Tensor | Iterable[Tensor]) -> list[Tensor]:
    parameters = [parameters] if isinstance(parameters, Tensor) else parameters
    return [p.grad for p in parameters if p.grad is not None]


def clip_grad_norm_(
    parameters: Tensor | Iterable[Tensor], max_norm: float, norm_type: float = 2.0, error_if_nonfinite: bool =
    False, foreach: bool | None = None,
) -> Tensor:  # fmt: skip
    """Scale the gradients, taken together, in place to at most this norm; returns the norm that they had.

    RuntimeError for a norm that is infinite or NaN, if `error_if_nonfinite`.

    >>> import autograd_teach as torch
    >>> x = torch.zeros(2, requires_grad=True)
    >>> (x * torch.tensor([3.0, 4.0])).sum().backward()
    >>> clip_grad_norm_(x, 1.0), x.grad
    (tensor(5.), tensor([0.6000, 0.8000]))
    """
    if isinstance(parameters, types.GeneratorType):
        parameters = list(parameters)
        if not parameters:
            warnings.warn("`parameters` is an empty generator, no gradient clipping will occur.", stacklevel=2)
    gradients, norm_type = _gradients(parameters), float(norm_type)
    with no_grad():
        if not gradients:
            return tensor(0.0)
        # As PyTorch rounds: the norm of the norms, of a dtype that holds all of them.
        norms = [g.norm(norm_type) for g in gradients]
        total = stack(norms).norm(norm_type)
        if error_if_nonfinite and not total.isfinite():
            raise RuntimeError(
                f"The total norm of order {norm_type} for gradients from `parameters` is non-finite, so it cannot be clipped. To "
                "disable this error and scale the gradients by the non-finite norm anyway, set `error_if_nonfinite=False`"
            )
        factor = (float(max_norm) / (total + 1e-6)).clamp(max=1.0)
        for gradient in gradients:
            gradient.mul_(factor)
    return total


def clip_grad_value_(parameters: Tensor | Iterable[Tensor], clip_value: float, foreach: bool | None = None) -> None:
    """Clamp each element of the gradients to ±clip_value, in place."""
    with no_grad():
        for gradient in _gradients(parameters):
            gradient.clamp_(-float(clip_value), float(clip_value))


def parameters_to_vector(parameters: Iterable[Tensor]) -> Tensor:
    """All parameters, one behind the other, as one vector."""
    return cat([p.view(-1) for p in parameters])


def vector_to_parameters(vec: Tensor, parameters: Iterable[Tensor]) -> None:
    """Give parameters the values of such a vector, whose memory they share from then on."""
    if not isinstance(vec, Tensor):
        raise TypeError(f"expected torch.Tensor, but got: {typename(vec)}")
    start = 0
    for p in parameters:
        p.data = vec[start : start + p.numel()].view(p.shape).data
        start += p.numel()
