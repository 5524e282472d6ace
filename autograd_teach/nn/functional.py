"""The functions behind the layers, without parameters of their own (`torch.nn.functional`, F).

Thin forms over the operations of the engine: here is only what PyTorch does around them.
"""

from __future__ import annotations

import math
import warnings

from ..ops import pointwise
from ..ops.linalg import addmm
from ..ops.pointwise import mse_loss as squared_error
from ..tensor import Size, Tensor


def linear(input: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """input @ weight.T + bias: (*, in), (out, in), (out,) -> (*, out).

    RuntimeError where sizes or dtypes do not match.

    >>> import autograd_teach as torch
    >>> linear(torch.ones(1, 2), torch.tensor([[1.0, 2.0]]), torch.tensor([0.5]))
    tensor([[3.5000]])
    """
    if bias is None:
        return input.matmul(weight.t())
    if weight.dim() == 2 and (input.dim() == 2 or (input.dim() > 0 and input.is_contiguous())):
        # One addmm node on a matrix of all rows, as PyTorch's graph shows it.
        rows = math.prod(input.shape[:-1])
        matrix = input if input.dim() == 2 else input.view(rows, input.shape[-1])
        output = addmm(bias, matrix, weight.t())
        return output if input.dim() == 2 else output.view(*input.shape[:-1], weight.shape[0])
    return input.matmul(weight.t()) + bias


def relu(input: Tensor, inplace: bool = False) -> Tensor:
    """max(x, 0), elementwise."""
    return input.relu_() if inplace else input.relu()


def threshold(input: Tensor, threshold: float, value: float) -> Tensor:
    """`value` where x is not above `threshold`, else x."""
    return pointwise.threshold(input, threshold, value)


def leaky_relu(input: Tensor, negative_slope: float = 0.01) -> Tensor:
    """x where it is positive, else x times `negative_slope`."""
    return pointwise.leaky_relu(input, negative_slope)


def tanh(input: Tensor) -> Tensor:
    """Hyperbolic tangent, elementwise."""
    return input.tanh()


def sigmoid(input: Tensor) -> Tensor:
    """1 / (1 + exp(-x)), elementwise."""
    return input.sigmoid()


def mse_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """(input - target)², as it is ("none"), its "sum" or its "mean" over all elements.

    Warns if the sizes differ; ValueError for another reduction. `size_average` and `reduce` are
    the deprecated way to say the reduction.

    >>> import autograd_teach as torch
    >>> mse_loss(torch.tensor([1.0, 3.0]), torch.tensor([0.0, 0.0]))
    tensor(5.)
    """
    reduction = legacy_reduction(size_average, reduce) or reduction
    input, target = _same_size(input, target)
    return squared_error(input, target, _known(reduction))


def l1_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """|input - target|, as it is ("none"), its "sum" or its "mean"; warns and raises as mse_loss."""
    reduction = legacy_reduction(size_average, reduce) or reduction
    input, target = _same_size(input, target)
    error = (input - target).abs()
    return error if _known(reduction) == "none" else getattr(error, reduction)()


def _same_size(input: Tensor, target: Tensor) -> tuple[Tensor, Tensor]:
    if target.size() == input.size():
        return input, target
    warnings.warn(
        f"Using a target size ({target.size()}) that is different to the input size "
        f"({input.size()}). This will likely lead to incorrect results due to broadcasting. "
        "Please ensure they have the same size.",
        stacklevel=3,
    )
    shape = (input.detach() - target.detach()).shape  # or the error of sizes that do not broadcast
    return _expanded(input, shape), _expanded(target, shape)


def _expanded(tensor: Tensor, shape: Size) -> Tensor:
    return tensor if tensor.shape == shape else tensor.expand(shape)


def _known(reduction: str) -> str:
    if reduction not in ("none", "mean", "sum"):
        raise ValueError(f"{reduction} is not a valid value for reduction")
    return reduction


def legacy_reduction(size_average: bool | None, reduce: bool | None) -> str | None:
    """The reduction that the two deprecated arguments of losses mean, with a warning; None if unused."""
    if size_average is None and reduce is None:
        return None
    if reduce is False:
        reduction = "none"
    else:
        reduction = "sum" if size_average is False else "mean"
    warnings.warn(
        f"size_average and reduce args will be deprecated, please use reduction='{reduction}' instead.",
        stacklevel=3,
    )
    return reduction
