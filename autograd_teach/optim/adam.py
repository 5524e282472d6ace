"""Adam: steps scaled by running averages of the gradient and of its square (Kingma and Ba, 2015)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..creation import tensor
from ..errors import require
from ..tensor import Tensor
from .optimizer import Optimizer, checked, descent, fused, number


class Adam(Optimizer):
    """Adam: p -= lr · m̂ / (√v̂ + eps), with running averages m of the gradient g and v of its square.

    In step t: m = β1 · m + (1 - β1) · g and v = β2 · v + (1 - β2) · g², both from 0; m̂ = m / (1 - β1ᵗ) and v̂
    = v / (1 - β2ᵗ) correct for that start. Source: Kingma and Ba, 2015.

    params: tensors, (name, tensor) pairs, or dicts with options of their own, see `Optimizer`.
    lr: step size, a number or a tensor with one element, at least 0.
    betas: (β1, β2), each at least 0 and less than 1; both floats or both tensors with one element.
    eps: added to the denominator against division by zero, at least 0.
    weight_decay: λ ≥ 0; adds λ · p to the gradient. decoupled_weight_decay: multiply p by 1 - lr · λ instead,
    as AdamW.
    amsgrad: use the largest v so far in place of v (Reddi et al., 2018). maximize: step along the gradient, not
    against it.
    foreach: accepted and ignored. capturable, differentiable, fused: not supported, NotImplementedError if
    True.

    ValueError for lr, betas, eps or weight_decay out of range. The state of each tensor is "step" (t),
    "exp_avg" (m), "exp_avg_sq" (v) and, with `amsgrad`, "max_exp_avg_sq". The first step has size lr, however
    large the gradient:

    >>> import autograd_teach as torch
    >>> x = torch.tensor([1.0, 1.0], requires_grad=True)
    >>> (torch.tensor([100.0, 0.01]) * x).sum().backward()
    >>> torch.optim.Adam([x], lr=0.1).step()
    >>> x
    tensor([0.9000, 0.9000], requires_grad=True)
    """

    def __init__(self, params: Iterable[Any], lr: float | Tensor = 1e-3, betas: tuple[float, float] = (0.9, 0.999),
                 eps: float = 1e-8, weight_decay: float = 0, amsgrad: bool = False, *, maximize: bool = False,
                 foreach: bool | None = None, capturable: bool = False, differentiable: bool = False,
                 fused: bool | None = None, decoupled_weight_decay: bool = False) -> None:  # fmt: skip
        betas = tuple(betas)  # type: ignore[assignment]
        defaults = checked(locals())
        for i, beta in enumerate(betas):
            require(0.0 <= beta < 1.0, "optim_beta", i, beta)
        kind = Tensor if isinstance(betas[0], Tensor) else float
        require(all(isinstance(beta, kind) for beta in betas), "optim_kind_of_betas")
        super().__init__(params, defaults)

    def _update(self, param: Tensor, gradient: Tensor, group: dict[str, Any]) -> None:
        state = self._next_state(param, "exp_avg", "exp_avg_sq", *["max_exp_avg_sq"] * group["amsgrad"])
        lr, is_decoupled = number(group["lr"]), group["decoupled_weight_decay"]
        if is_decoupled and group["weight_decay"] != 0:
            param.mul_(1 - lr * group["weight_decay"])
        gradient = descent(param, gradient, group, decay=0 if is_decoupled else None)

        # Products and quotients in PyTorch's order, for the same rounding.
        beta1, beta2 = map(number, group["betas"])
        average, square = state["exp_avg"], state["exp_avg_sq"]
        average.copy_(towards(average, gradient, 1 - beta1))
        square.copy_(fused(gradient * (1 - beta2), gradient, square * beta2))
        if group["amsgrad"]:
            largest = state["max_exp_avg_sq"]
            square = largest.copy_(largest.maximum(square))

        step = state["step"].item()
        scale = square.sqrt() / (1 - beta2**step) ** 0.5 + group["eps"]
        param.add_(-lr / (1 - beta1**step) * average / scale)


def towards(start: Tensor, end: Tensor, weight: float) -> Tensor:
    """The point at `weight` from `start` (0) to `end` (1), computed from the nearer of the two."""
    if abs(weight) < 0.5:
        return fused(end - start, weight, start)
    return fused(end - start, tensor(weight, dtype=start.dtype) - 1, end)


class AdamW(Adam):
    """Adam with decoupled weight decay: each step first multiplies p by 1 - lr · weight_decay.

    The gradient and its running averages do not contain the decay, so the decay is not scaled by them, as it is
    in Adam. Source: Loshchilov and Hutter, 2019. params, lr, betas, eps, amsgrad: as for Adam, with the same
    errors. weight_decay: at least 0. maximize, foreach, capturable, differentiable, fused, by keyword,
    as for Adam; TypeError for others.

    With a gradient of zero, only the decay is left:

    >>> import autograd_teach as torch
    >>> x = torch.tensor([1.0, 2.0], requires_grad=True)
    >>> (0 * x).sum().backward()
    >>> torch.optim.AdamW([x], lr=0.1, weight_decay=0.5).step()
    >>> x
    tensor([0.9500, 1.9000], requires_grad=True)
    """

    def __init__(self, params: Iterable[Any], lr: float | Tensor = 1e-3, betas: tuple[float, float] = (0.9, 0.999),
                 eps: float = 1e-8, weight_decay: float = 1e-2, amsgrad: bool = False, *, maximize: bool = False,
                 foreach: bool | None = None, capturable: bool = False, differentiable: bool = False,
                 fused: bool | None = None) -> None:  # fmt: skip
        super().__init__(
            params, lr, betas, eps, weight_decay, amsgrad, foreach=foreach, maximize=maximize, capturable=capturable,
            differentiable=differentiable, fused=fused, decoupled_weight_decay=True,
        )  # fmt: skip
