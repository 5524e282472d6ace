"""RMSprop and Adagrad: steps divided by the root of a running average, or of the sum, of the squared gradients."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..creation import full_like, tensor
from ..tensor import Tensor
from .adam import towards
from .optimizer import Optimizer, checked, descent, fused, number


class RMSprop(Optimizer):
    """p -= lr * g / (√v + eps), with v a running average of the squared gradient (Hinton, 2012).

    params, lr, weight_decay, maximize: as in `SGD`. alpha: the weight of the old average. centered: the square of the
    average gradient is subtracted from v, which makes it a variance (Graves, 2013). momentum: if positive, the steps
    are summed up, old ones times `momentum`. ValueError for values out of range.

    >>> import autograd_teach as torch
    >>> x = torch.tensor([1.0], requires_grad=True)
    >>> (3 * x).sum().backward(); torch.optim.RMSprop([x], lr=0.05).step(); x
    tensor([0.5000], requires_grad=True)
    """

    def __init__(self, params: Iterable[Any], lr: float | Tensor = 1e-2, alpha: float = 0.99, eps: float = 1e-8,
                 weight_decay: float = 0, momentum: float = 0, centered: bool = False, capturable: bool = False,
                 foreach: bool | None = None, maximize: bool = False, differentiable: bool = False) -> None:  # fmt: skip
        # In PyTorch's order of the options, which `repr` shows.
        super().__init__(params, checked(
            {"lr": lr, "momentum": momentum, "alpha": alpha, "eps": eps, "centered": centered} | locals()
        ))  # fmt: skip

    def _update(self, param: Tensor, gradient: Tensor, group: dict[str, Any]) -> None:
        lr, alpha, momentum = number(group["lr"]), group["alpha"], group["momentum"]
        buffers = ["momentum_buffer"] * (momentum > 0) + ["grad_avg"] * group["centered"]
        state = self._next_state(param, "square_avg", *buffers)
        gradient = descent(param, gradient, group)
        square = state["square_avg"]
        square.copy_(fused(gradient * (1 - alpha), gradient, square * alpha))
        if group["centered"]:
            average = state["grad_avg"]
            average.copy_(towards(average, gradient, 1 - alpha))
            square = fused(-average, average, square)
        scale = square.sqrt() + group["eps"]
        if momentum > 0:
            buffer = state["momentum_buffer"]
            buffer.copy_(buffer * momentum + gradient / scale)
            param.copy_(fused(buffer, -lr, param))
        else:
            param.add_(-lr * gradient / scale)


class Adagrad(Optimizer):
    """p -= lr * g / (√s + eps), with s the sum of all squared gradients (Duchi et al., 2011).

    params, lr, weight_decay, maximize: as in `SGD`. lr_decay: step n, counted from 0, uses lr / (1 + n * lr_decay).
    initial_accumulator_value: what s starts from. ValueError for values out of range.

    >>> import autograd_teach as torch
    >>> x = torch.tensor([1.0], requires_grad=True)
    >>> (3 * x).sum().backward(); torch.optim.Adagrad([x], lr=0.5).step(); x
    tensor([0.5000], requires_grad=True)
    """

    def __init__(self, params: Iterable[Any], lr: float | Tensor = 1e-2, lr_decay: float = 0, weight_decay: float = 0,
                 initial_accumulator_value: float = 0, eps: float = 1e-10, foreach: bool | None = None, *,
                 maximize: bool = False, differentiable: bool = False, fused: bool | None = None) -> None:  # fmt: skip
        # In PyTorch's order of the options, which `repr` shows.
        super().__init__(params, checked({"lr": lr, "lr_decay": lr_decay, "eps": eps} | locals()))
        for param in self._params():
            self.state[param] = {"step": tensor(0.0), "sum": full_like(param, initial_accumulator_value)}

    def _update(self, param: Tensor, gradient: Tensor, group: dict[str, Any]) -> None:
        state, gradient = self._next_state(param), descent(param, gradient, group)
        lr = number(group["lr"] / (1 + (state["step"].item() - 1) * group["lr_decay"]))
        state["sum"].copy_(fused(gradient, gradient, state["sum"]))
        param.add_(-lr * gradient / (state["sum"].sqrt() + group["eps"]))
