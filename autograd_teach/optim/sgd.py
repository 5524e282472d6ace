"""SGD: steps against the gradient, with momentum and weight decay as PyTorch defines them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..tensor import Tensor
from .optimizer import Optimizer, check_one_element, fused, number, refuse


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

    def __init__(
        self, params: Iterable[Any], lr: float | Tensor = 1e-3, momentum: float = 0, dampening: float = 0,
        weight_decay: float = 0, nesterov: bool = False, *, maximize: bool = False, foreach: bool | None = None,
        differentiable: bool = False, fused: bool | None = None,
    ) -> None:  # fmt: skip
        check_one_element(lr)
        if lr < 0.0:
            raise ValueError(f"Invalid learning rate: {lr}")
        if momentum < 0.0:
            raise ValueError(f"Invalid momentum value: {momentum}")
        if weight_decay < 0.0:
            raise ValueError(f"Invalid weight_decay value: {weight_decay}")
        if nesterov and (momentum <= 0 or dampening != 0):
            raise ValueError("Nesterov momentum requires a momentum and zero dampening")
        refuse(differentiable=differentiable, fused=fused)
        defaults = {
            "lr": lr,
            "momentum": momentum,
            "dampening": dampening,
            "weight_decay": weight_decay,
            "nesterov": nesterov,
            "maximize": maximize,
            "foreach": foreach,
            "differentiable": differentiable,
            "fused": fused,
        }
        super().__init__(params, defaults)

    def _update(self, param: Tensor, gradient: Tensor, group: dict[str, Any]) -> None:
        direction = -gradient if group["maximize"] else gradient
        if group["weight_decay"] != 0:
            direction = fused(param, number(group["weight_decay"]), direction)
        momentum = group["momentum"]
        if momentum != 0:
            state = self.state[param]
            buffer = state.get("momentum_buffer")
            if buffer is None:
                buffer = direction.detach().clone()
            else:
                buffer.copy_(fused(direction, 1 - group["dampening"], buffer * momentum))
            state["momentum_buffer"] = buffer
            direction = fused(buffer, momentum, direction) if group["nesterov"] else buffer
        param.copy_(fused(direction, -number(group["lr"]), param))
