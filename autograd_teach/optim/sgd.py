"""SGD: steps against the gradient, with momentum and weight decay as PyTorch defines them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..errors import require
from ..tensor import Tensor
from .optimizer import Optimizer, checked, descent, fused, number


class SGD(Optimizer):
    """Stochastic gradient descent: p -= lr · d, where d is the gradient, with weight decay and momentum.

    params: tensors, (name, tensor) pairs, or dicts with options of their own, see `Optimizer`.
    lr: step size, a number or a tensor with one element, at least 0.
    weight_decay: λ ≥ 0; adds λ · p to the gradient.
    momentum: μ ≥ 0; keeps a buffer b = μ · b + (1 - dampening) · d, which starts as b = d, and uses b in place
    of d.
    dampening: scales what is added to the buffer; without effect in the first step.
    nesterov: use d + μ · b in place of b (Sutskever et al., 2013). maximize: step along the gradient, not
    against it.
    foreach: accepted and ignored. differentiable, fused: not supported, NotImplementedError if True.

    ValueError for a negative lr, momentum or weight_decay, for a tensor lr with more or fewer elements than
    one, and for `nesterov` without momentum or with dampening. The state of each tensor is "momentum_buffer".

    >>> import autograd_teach as torch
    >>> x = torch.tensor([1.0], requires_grad=True)
    >>> optimizer = torch.optim.SGD([x], lr=0.1, momentum=0.5)
    >>> (3 * x).sum().backward()
    >>> optimizer.step()  # b = 3
    >>> optimizer.step()  # b = 0.5 * 3 + 3
    >>> x
    tensor([0.2500], requires_grad=True)
    """

    def __init__(self, params: Iterable[Any], lr: float | Tensor = 1e-3, momentum: float = 0, dampening: float = 0,
                 weight_decay: float = 0, nesterov: bool = False, *, maximize: bool = False,
                 foreach: bool | None = None, differentiable: bool = False, fused: bool | None = None) -> None:  # fmt: skip
        defaults = checked(locals(), allow_nan=True)
        require(not nesterov or (momentum > 0 and dampening == 0), "optim_nesterov")
        super().__init__(params, defaults)

    def _update(self, param: Tensor, gradient: Tensor, group: dict[str, Any]) -> None:
        direction, momentum = descent(param, gradient, group), group["momentum"]
        if momentum != 0:
            state = self.state[param]
            buffer = state.get("momentum_buffer")
            if buffer is None:
                buffer = state["momentum_buffer"] = direction.detach().clone()
            else:
                buffer.copy_(fused(direction, 1 - group["dampening"], buffer * momentum))
            direction = fused(buffer, momentum, direction) if group["nesterov"] else buffer
        param.copy_(fused(direction, -number(group["lr"]), param))
