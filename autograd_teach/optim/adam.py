"""Adam: steps scaled by running averages of the gradient and of its square (Kingma and Ba, 2015)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..creation import tensor, zeros_like
from ..tensor import Tensor
from .optimizer import Optimizer, check_one_element, fused, number, refuse


class Adam(Optimizer):
    """p -= lr * m̂ / (√v̂ + eps), with m and v running averages of gradient and squared gradient.

    m̂ and v̂ are corrected for their start at zero; `amsgrad` uses the largest v so far;
    `decoupled_weight_decay` shrinks p itself instead of adding weight_decay * p to the gradient.
    ValueError for values out of range.

    >>> import autograd_teach as torch
    >>> x = torch.tensor([1.0], requires_grad=True)
    >>> (3 * x).sum().backward(); Adam([x], lr=0.5).step(); x
    tensor([0.5000], requires_grad=True)
    """

    def __init__(
        self, params: Iterable[Any], lr: float | Tensor = 1e-3, betas: tuple[float, float] = (0.9, 0.999), eps:
        float = 1e-8, weight_decay: float = 0, amsgrad: bool = False, *, foreach: bool | None = None, maximize:
        bool = False, capturable: bool = False, differentiable: bool = False, fused: bool | None = None,
        decoupled_weight_decay: bool = False,
    ) -> None:  # fmt: skip
        check_one_element(lr)
        if not 0.0 <= lr:
            raise ValueError(f"Invalid learning rate: {lr}")
        if not 0.0 <= eps:
            raise ValueError(f"Invalid epsilon value: {eps}")
        for i, beta in enumerate(betas[:2]):
            if not 0.0 <= beta < 1.0:
                raise ValueError(f"Invalid beta parameter at index {i}: {beta}")
        if not 0.0 <= weight_decay:
            raise ValueError(f"Invalid weight_decay value: {weight_decay}")
        kind = Tensor if isinstance(betas[0], Tensor) else float
        if not all(isinstance(beta, kind) for beta in betas[:2]):
            raise ValueError("betas must be either both floats or both Tensors")
        refuse(capturable=capturable, differentiable=differentiable, fused=fused)
        defaults = {
            "lr": lr,
            "betas": tuple(betas),
            "eps": eps,
            "weight_decay": weight_decay,
            "amsgrad": amsgrad,
            "maximize": maximize,
            "foreach": foreach,
            "capturable": capturable,
            "differentiable": differentiable,
            "fused": fused,
            "decoupled_weight_decay": decoupled_weight_decay,
        }
        super().__init__(params, defaults)

    def _update(self, param: Tensor, gradient: Tensor, group: dict[str, Any]) -> None:
        state = self.state[param]
        if not state:
            state["step"] = tensor(0.0)
            for name in ("exp_avg", "exp_avg_sq") + ("max_exp_avg_sq",) * group["amsgrad"]:
                state[name] = zeros_like(param)
        state["step"] += 1

        gradient = -gradient if group["maximize"] else gradient
        lr, decay = number(group["lr"]), group["weight_decay"]
        if decay != 0 and group["decoupled_weight_decay"]:
            param.mul_(1 - lr * decay)
        elif decay != 0:
            gradient = fused(param, decay, gradient)

        # Products and quotients in PyTorch's order, for the same rounding.
        beta1, beta2 = map(number, group["betas"])
        average, square = state["exp_avg"], state["exp_avg_sq"]
        average.copy_(_towards(average, gradient, 1 - beta1))
        square.copy_(fused(gradient * (1 - beta2), gradient, square * beta2))
        if group["amsgrad"]:
            largest = state["max_exp_avg_sq"]
            square = largest.copy_(largest.maximum(square))

        step = state["step"].item()
        scale = square.sqrt() / (1 - beta2**step) ** 0.5 + group["eps"]
        param.add_(-lr / (1 - beta1**step) * average / scale)


def _towards(start: Tensor, end: Tensor, weight: float) -> Tensor:
    """The point at `weight` from `start` (0) to `end` (1), computed from the nearer of the two."""
    if abs(weight) < 0.5:
        return fused(end - start, weight, start)
    return fused(end - start, tensor(weight, dtype=start.dtype) - 1, end)


class AdamW(Adam):
    """Adam whose weight decay shrinks the parameters instead of adding to the gradient (Loshchilov and Hutter, 2019)."""

    def __init__(
        self, params: Iterable[Any], lr: float | Tensor = 1e-3, betas: tuple[float, float] = (0.9, 0.999), eps:
        float = 1e-8, weight_decay: float = 1e-2, amsgrad: bool = False, **options: Any,
    ) -> None:  # fmt: skip
        super().__init__(params, lr, betas, eps, weight_decay, amsgrad, **options, decoupled_weight_decay=True)
