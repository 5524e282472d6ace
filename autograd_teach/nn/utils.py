"""`torch.nn.utils`: clip the gradients of a model's parameters, and convert the parameters to a vector and back."""

from __future__ import annotations

import types
import warnings
from collections.abc import Iterable

from .. import errors
from ..autograd.modes import no_grad
from ..creation import tensor
from ..ops.shape import cat, stack
from ..tensor import Tensor
from .parameter import typename


def _gradients(parameters: Tensor | Iterable[Tensor]) -> list[Tensor]:
    parameters = [parameters] if isinstance(parameters, Tensor) else parameters
    return [p.grad for p in parameters if p.grad is not None]


def clip_grad_norm_(parameters: Tensor | Iterable[Tensor], max_norm: float, norm_type: float = 2.0,
                    error_if_nonfinite: bool = False, foreach: bool | None = None) -> Tensor:  # fmt: skip
    """Scale gradients in place to a total norm of at most `max_norm`; returns the norm that they had.

    The total norm is that of all gradients as one vector; all are multiplied by the same factor max_norm /
    (norm + 1e-6) if this is less than 1, which keeps their direction.

    parameters: a tensor or an iterable of tensors; those without a gradient are skipped. norm_type:
    order of the norm, also `float("inf")` for the largest absolute value. error_if_nonfinite: raise
    RuntimeError if the norm is infinite or NaN; otherwise the gradients are scaled by it anyway.
    foreach: accepted and ignored. Returns a tensor of rank 0, zero if there are no gradients. Warns
    if `parameters` is an empty generator.

    >>> import autograd_teach as torch
    >>> x = torch.zeros(2, requires_grad=True)
    >>> (x * torch.tensor([3.0, 4.0])).sum().backward()
    >>> torch.nn.utils.clip_grad_norm_(x, 1.0), x.grad
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
        errors.require(not error_if_nonfinite or total.isfinite(), "clip_nonfinite", norm_type)
        factor = (float(max_norm) / (total + 1e-6)).clamp(max=1.0)
        for gradient in gradients:
            gradient.mul_(factor)
    return total


def clip_grad_value_(parameters: Tensor | Iterable[Tensor], clip_value: float, foreach: bool | None = None) -> None:
    """Clamp each element of the gradients in place to [-clip_value, clip_value].

    parameters: a tensor or an iterable of tensors; those without a gradient are skipped.
    clip_value: a number, at least 0. foreach: accepted and ignored. Returns None. Each element is
    clamped separately, so the direction of the gradient can change; `clip_grad_norm_` keeps it.

    >>> import autograd_teach as torch
    >>> x = torch.zeros(2, requires_grad=True)
    >>> (x * torch.tensor([0.5, -4.0])).sum().backward()
    >>> torch.nn.utils.clip_grad_value_(x, 1.0)
    >>> x.grad
    tensor([ 0.5000, -1.0000])
    """
    with no_grad():
        for gradient in _gradients(parameters):
            gradient.clamp_(-float(clip_value), float(clip_value))


def parameters_to_vector(parameters: Iterable[Tensor]) -> Tensor:
    """Concatenate the elements of all parameters into one vector.

    parameters: iterable of tensors, each contiguous. Returns a new tensor with 1 dimension, recorded as any
    operation: it can be differentiated with respect to the parameters. ValueError if there are none;
    RuntimeError for a tensor that cannot be viewed as a vector, such as a transposed one.

    >>> import autograd_teach as torch
    >>> layer = torch.nn.Linear(3, 2)
    >>> torch.nn.utils.parameters_to_vector(layer.parameters()).shape
    torch.Size([8])
    """
    return cat([p.view(-1) for p in parameters])


def vector_to_parameters(vec: Tensor, parameters: Iterable[Tensor]) -> None:
    """Set parameters to consecutive pieces of a vector, the reverse of `parameters_to_vector`.

    vec: tensor with 1 dimension. parameters: iterable of tensors, changed in place and not recorded. They get
    views of `vec`: they share its memory from then on, and take its dtype. Elements that are left over are
    ignored. TypeError if `vec` is not a tensor; RuntimeError if it has too few elements.

    >>> import autograd_teach as torch
    >>> weight, bias = torch.zeros(1, 2, requires_grad=True), torch.zeros(1, requires_grad=True)
    >>> torch.nn.utils.vector_to_parameters(torch.tensor([1.0, 2.0, 3.0]), [weight, bias])
    >>> weight, bias
    (tensor([[1., 2.]], requires_grad=True), tensor([3.], requires_grad=True))
    """
    errors.require(isinstance(vec, Tensor), "vector_is_no_tensor", typename(vec))
    start = 0
    for p in parameters:
        p.data = vec[start : start + p.numel()].view(p.shape).data
        start += p.numel()
