"""The functions behind the layers, without parameters of their own (`torch.nn.functional`, F).

Thin forms over the operations of the engine and of `operations.py`: here is what PyTorch does around them, checks, warnings,
choices among operations, and the compositions that PyTorch composes too.
"""

from __future__ import annotations

import math
import warnings
from typing import Any

from ..autograd.modes import is_grad_enabled
from ..creation import zeros
from ..dtypes import title
from ..errors import error
from ..ops import pointwise
from ..ops.linalg import addmm
from ..ops.operation import inplace_form
from ..ops.pointwise import add_number, div_number, mul_number, sigmoid, tanh
from ..ops.pointwise import relu as relu_of
from ..tensor import Size, Tensor
from . import operations as rows

__all__ = [
    "binary_cross_entropy", "binary_cross_entropy_with_logits", "celu", "cross_entropy", "dropout", "elu", "gelu",
    "hardtanh", "huber_loss", "l1_loss", "leaky_relu", "linear", "log_softmax", "logsigmoid", "mse_loss", "nll_loss",
    "relu", "relu6", "relu_", "selu", "sigmoid", "silu", "smooth_l1_loss", "softmax", "softmin", "softplus", "softsign",
    "tanh", "tanhshrink", "threshold",
]  # fmt: skip


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
        count = math.prod(input.shape[:-1])
        matrix = input if input.dim() == 2 else input.view(count, input.shape[-1])
        output = addmm(bias, matrix, weight.t())
        return output if input.dim() == 2 else output.view(*input.shape[:-1], weight.shape[0])
    return input.matmul(weight.t()) + bias


# Activations: elementwise; with `inplace` they write over their input


def relu(input: Tensor, inplace: bool = False) -> Tensor:
    """max(x, 0)."""
    return relu_(input) if inplace else relu_of(input)


def relu_(input: Tensor) -> Tensor:
    """`relu` written over its input."""
    return input.relu_()


def threshold(input: Tensor, threshold: float, value: float, inplace: bool = False) -> Tensor:
    """`value` where x is not above `threshold`, else x."""
    form = inplace_form(pointwise.threshold) if inplace else pointwise.threshold
    return form(input, threshold, value)


def leaky_relu(input: Tensor, negative_slope: float = 0.01, inplace: bool = False) -> Tensor:
    """x where it is positive, else x times `negative_slope`."""
    return (_leaky_relu_ if inplace else rows.leaky_relu)(input, negative_slope)


def hardtanh(input: Tensor, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False) -> Tensor:
    """x, but not below `min_val` and not above `max_val`; ValueError if these are in the wrong order."""
    if min_val > max_val:
        raise error("nn_hardtanh_bounds")
    return (_hardtanh_ if inplace else rows.hardtanh)(input, min_val, max_val)


def relu6(input: Tensor, inplace: bool = False) -> Tensor:
    """min(max(x, 0), 6)."""
    return hardtanh(input, 0.0, 6.0, inplace)


def elu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """x where it is positive, else alpha (exp(x) - 1)."""
    return (_elu_ if inplace else rows.elu)(input, alpha)


def selu(input: Tensor, inplace: bool = False) -> Tensor:
    """ELU with the two constants that keep mean 0 and variance 1 from layer to layer (Klambauer et al., 2017)."""
    return (_elu_ if inplace else rows.elu)(input, 1.6732632423543772848170429916717, 1.0507009873554804934193349852946)


def celu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """x where it is positive, else alpha (exp(x / alpha) - 1); RuntimeError for alpha 0."""
    if alpha == 0:
        raise error("nn_celu_alpha")
    return (_celu_ if inplace else rows.celu)(input, alpha)


def silu(input: Tensor, inplace: bool = False) -> Tensor:
    """x sigmoid(x), also called swish."""
    return (_silu_ if inplace else rows.silu)(input)


_leaky_relu_, _hardtanh_ = inplace_form(rows.leaky_relu_in_place), inplace_form(rows.hardtanh)
_elu_, _celu_ = inplace_form(rows.elu_in_place), inplace_form(rows.celu_in_place)
_silu_ = inplace_form(rows.silu)


def gelu(input: Tensor, approximate: str = "none") -> Tensor:
    """x times the chance that a standard normal variable is below x, or with "tanh" an approximation; else RuntimeError."""
    if approximate not in ("none", "tanh"):
        raise error("nn_gelu_approximate")
    return rows.gelu(input, approximate)


def softplus(input: Tensor, beta: float = 1.0, threshold: float = 20.0) -> Tensor:
    """log(1 + exp(beta x)) / beta, a smooth ReLU; x itself where beta x is above `threshold`."""
    return rows.softplus(input, beta, threshold)


def softsign(input: Tensor) -> Tensor:
    """x / (|x| + 1)."""
    return input / (input.abs() + 1)


def tanhshrink(input: Tensor) -> Tensor:
    """x - tanh(x)."""
    return input - input.tanh()


def logsigmoid(input: Tensor) -> Tensor:
    """log(sigmoid(x)), also where that underflows."""
    return rows.log_sigmoid(input)


def softmax(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: Any = None) -> Tensor:
    """exp(x) divided by its sum along `dim`; warns where none is given, and takes the classes' one.

    >>> import autograd_teach as torch
    >>> softmax(torch.tensor([0.0, 0.0]), dim=0)
    tensor([0.5000, 0.5000])
    """
    return input.softmax(_class_dim("softmax", input, dim, _stacklevel), dtype=dtype)


def softmin(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: Any = None) -> Tensor:
    """The softmax of -x."""
    return (-input).softmax(_class_dim("softmin", input, dim, _stacklevel), dtype=dtype)


def log_softmax(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: Any = None) -> Tensor:
    """The logarithm of `softmax`, also where that underflows."""
    return input.log_softmax(_class_dim("log_softmax", input, dim, _stacklevel), dtype=dtype)


def _class_dim(name: str, input: Tensor, dim: int | None, stacklevel: int) -> int:
    if dim is not None:
        return dim
    warnings.warn(str(error("nn_softmax_dim", name)), stacklevel=stacklevel)
    return 0 if input.dim() in (0, 1, 3) else 1


def dropout(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """In training, each element zero with probability `p`, and the others scaled by 1 / (1 - p); else the input itself.

    The same elements as PyTorch under the same seed. ValueError for a `p` that is no probability.

    >>> import autograd_teach as torch
    >>> _ = torch.manual_seed(0)
    >>> dropout(torch.ones(4))
    tensor([0., 0., 2., 0.])
    """
    if not 0.0 <= p <= 1.0:
        raise error("nn_dropout_chance", p)
    if p == 0 or not training or input.numel() == 0:
        return input
    if p == 1:
        kept = zeros((), dtype=input.dtype)
    else:
        # Draws fill memory in its order, which a product has of its factors.
        kept = (input.detach() * True).bernoulli_(1 - p).div_(1 - p)
    return input.mul_(kept) if inplace else input * kept


# Losses of two tensors: each pair's ("none"), their "sum" or their "mean". The deprecated `size_average` and `reduce` are
# another way to say the reduction


def mse_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    weight: Tensor | None = None,
) -> Tensor:
    """(input - target)², times `weight` where one is given; the mean of weighted losses divides by the sum of weights.

    Warns if the sizes differ; ValueError for another reduction.

    >>> import autograd_teach as torch
    >>> mse_loss(torch.tensor([1.0, 3.0]), torch.tensor([0.0, 0.0]))
    tensor(5.)
    """
    reduction = legacy_reduction(size_average, reduce) or reduction
    expanded, target = _same_size(input, target)
    if weight is not None:
        return _weighted(input, (expanded - target).pow(2), weight, reduction, weight.sum())
    return rows.mse_loss(expanded, target, _number(reduction))


def l1_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    weight: Tensor | None = None,
) -> Tensor:
    """|input - target|; warns, weights and raises as mse_loss."""
    reduction = legacy_reduction(size_average, reduce) or reduction
    expanded, target = _same_size(input, target)
    losses = (expanded - target).abs()
    if weight is not None:
        return _weighted(input, losses, weight, reduction, weight.sum())
    return losses if _number(reduction) == 0 else getattr(losses, reduction)()


def smooth_l1_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    beta: float = 1.0,
) -> Tensor:
    """With z = |input - target|: z² / (2 beta) below `beta`, z - beta / 2 from there; warns and raises as mse_loss."""
    reduction = legacy_reduction(size_average, reduce) or reduction
    if beta == 0:
        return l1_loss(input, target, reduction=reduction)
    expanded, target = _same_size(input, target)
    if beta < 0:
        raise error("nn_smooth_l1_beta")
    return rows.smooth_l1_loss(expanded, target, _number(reduction), beta)


def huber_loss(
    input: Tensor, target: Tensor, reduction: str = "mean", delta: float = 1.0, weight: Tensor | None = None
) -> Tensor:
    """With z = |input - target|: z² / 2 up to `delta`, delta (z - delta / 2) above; warns and raises as mse_loss.

    The mean of weighted losses divides by their number.
    """
    expanded, target = _same_size(input, target)
    if delta <= 0:
        raise error("nn_huber_delta")
    if weight is None:
        return rows.huber_loss(expanded, target, _number(reduction), delta)
    return _weighted(input, rows.huber_loss(expanded, target, 0, delta), weight, reduction, None)


def binary_cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """-(target log(input) + (1 - target) log(1 - input)), where both are probabilities of one size; times `weight`.

    ValueError for sizes that differ, RuntimeError for what is no probability.
    """
    number = _number(legacy_reduction(size_average, reduce) or reduction)
    if target.size() != input.size():
        raise error("nn_bce_size", target.size(), input.size())
    weight = _constant("binary_cross_entropy", "weight", weight)
    if weight is not None:
        weight = weight.expand(target.size())
    return rows.binary_cross_entropy(input, target, weight, number)


def binary_cross_entropy_with_logits(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    pos_weight: Tensor | None = None,
) -> Tensor:
    """`binary_cross_entropy` of sigmoid(input), also where that rounds to 0 or 1; `pos_weight` weights the target's part."""
    number = _number(legacy_reduction(size_average, reduce) or reduction)
    if target.size() != input.size():
        raise error("nn_logits_size", target.size(), input.size())
    name = "binary_cross_entropy_with_logits"
    weight, pos_weight = _constant(name, "weight", weight), _constant(name, "pos_weight", pos_weight)
    if not input.is_floating_point():
        raise error("no_kernel", "log_sigmoid_cpu", title(input._array))
    if not target.is_floating_point():
        raise error("nn_result_cast", title(input._array), title(target._array))
    return rows.binary_cross_entropy_with_logits(input, target, weight, pos_weight, number)


def _same_size(input: Tensor, target: Tensor) -> tuple[Tensor, Tensor]:
    if target.size() == input.size():
        return input, target
    warnings.warn(str(error("nn_target_size", target.size(), input.size())), stacklevel=3)
    shape = (input.detach() - target.detach()).shape  # or the error of sizes that do not broadcast
    return _expanded(input, shape), _expanded(target, shape)


def _expanded(tensor: Tensor, shape: Size) -> Tensor:
    return tensor if tensor.shape == shape else tensor.expand(shape)


def _weighted(input: Tensor, losses: Tensor, weight: Tensor, reduction: str, total: Tensor | None) -> Tensor:
    if weight.size() != input.size():
        raise error("nn_weight_size")
    if reduction not in rows.REDUCTIONS:
        raise error("nn_weighted_reduction", reduction)
    losses = losses * weight
    if reduction == "none":
        return losses
    if reduction == "sum":
        return losses.sum()
    return losses.mean() if total is None else losses.sum() / total


def _constant(function: str, name: str, weight: Tensor | None) -> Tensor | None:
    """An argument that has no gradient; RuntimeError if one is wanted."""
    if weight is not None and weight.requires_grad and is_grad_enabled():
        raise error("nn_constant_argument", function, name)
    return weight


def _number(reduction: str) -> int:
    if reduction not in rows.REDUCTIONS:
        raise error("nn_reduction", reduction)
    return rows.REDUCTIONS[reduction]


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


# Losses of classes


def nll_loss(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    ignore_index: int = -100,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """-input at the target's class: (N, classes, ...) log-probabilities and (N, ...) class numbers, or (classes,) and one.

    `weight` has an entry for each class, and a mean divides by the sum of the weights; targets that are `ignore_index` count
    nothing. IndexError for a class out of range, RuntimeError and ValueError for sizes and dtypes that do not fit.
    """
    number = _number(legacy_reduction(size_average, reduce) or reduction)
    _check_likelihood(input, target)
    weight = _constant("nll_loss_forward", "weight", weight)
    if input.dim() <= 2:
        return rows.nll_loss(input, target, weight, number, ignore_index)[0]
    shape = target.shape
    if input.dim() != 4:
        # As an image of one row.
        input = input.contiguous().view(*input.shape[:2], 1, -1 if input.numel() else 0)
        target = target.contiguous().view(shape[0], 1, -1 if target.numel() else 0)
    loss = rows.nll_loss2d(input, target, weight, number, ignore_index)[0]
    return loss.view(shape) if number == 0 and loss.shape != shape else loss


def _check_likelihood(input: Tensor, target: Tensor) -> None:
    if input.dim() == 0:
        raise error("nn_class_rank")
    if input.dim() != 1 and (target.dim() == 0 or input.size(0) != target.size(0)):
        raise error("nn_class_batch", input.size(0), target.size(0) if target.dim() else 0)
    if input.dim() <= 2:
        if target.dim() > 1:
            raise error("nn_class_target")
        if input.dim() == 1 and target.numel() != 1:
            raise error("nn_class_one", target.numel())
    elif input.dim() == 4:
        if target.dim() != 3:
            raise error("nn_class_images", target.dim())
        if input.shape[2:] != target.shape[1:]:
            raise error("nn_class_image", list(input.shape), list(target.shape))
    elif input.shape[2:] != target.shape[1:]:
        raise error("nn_class_size", [input.shape[0], *input.shape[2:]], list(target.shape))


def cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    ignore_index: int = -100,
    reduce: bool | None = None,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Tensor:
    """The `nll_loss` of log_softmax(input): (N, classes, ...) scores and (N, ...) class numbers, or (classes,) and one.

    A target of the input's size holds probabilities of the classes instead. `label_smoothing` mixes the target with equal
    probabilities. Errors as `nll_loss`.

    >>> import autograd_teach as torch
    >>> cross_entropy(torch.tensor([[0.0, 0.0], [2.0, 2.0]]), torch.tensor([0, 1]))
    tensor(0.6931)
    """
    reduction = legacy_reduction(size_average, reduce) or reduction
    _number(reduction)
    of_probabilities = input.size() == target.size()
    if of_probabilities and not target.is_floating_point():
        raise error("nn_probability_dtype", title(target._array))
    if of_probabilities and ignore_index >= 0:
        raise error("nn_probability_ignore")
    if not 0 <= label_smoothing <= 1:
        raise error("nn_label_smoothing", label_smoothing)
    dim = 0 if input.dim() == 1 else 1
    scores = input.log_softmax(dim)
    if of_probabilities:
        return _cross_entropy_of_probabilities(scores, target, weight, reduction, label_smoothing, dim)
    loss = nll_loss(scores, target, weight, ignore_index=ignore_index, reduction=reduction)
    if label_smoothing == 0:
        return loss
    smooth = _smooth_loss(scores, target, weight, ignore_index, reduction, dim)
    classes = scores.size(dim)
    return mul_number(loss, 1 - label_smoothing) + mul_number(smooth, label_smoothing / classes)


def _cross_entropy_of_probabilities(
    scores: Tensor, target: Tensor, weight: Tensor | None, reduction: str, label_smoothing: float, dim: int
) -> Tensor:
    classes = scores.size(dim)
    if weight is not None and tuple(weight.shape) != (classes,):
        raise error("nn_probability_weights", classes, list(weight.shape))
    if label_smoothing:
        target = add_number(mul_number(target, 1 - label_smoothing), label_smoothing / classes)
    losses = scores * target
    if weight is not None:
        losses = losses * _along(weight, dim, scores.dim())
    if reduction == "none":
        return -losses.sum(dim)
    return div_number(-losses.sum(), scores.numel() // classes) if reduction == "mean" else -losses.sum()


def _smooth_loss(
    scores: Tensor, target: Tensor, weight: Tensor | None, ignore_index: int, reduction: str, dim: int
) -> Tensor:
    """The loss of a target of equal probabilities, times the number of classes."""
    losses = -(scores if weight is None else scores * _along(weight, dim, scores.dim())).sum(dim)
    ignored: Any = target == ignore_index
    losses = losses.masked_fill(ignored, 0.0)
    if reduction != "mean":
        return losses if reduction == "none" else losses.sum()
    weights = ~ignored if weight is None else weight[target.masked_fill(ignored, 0)].masked_fill(ignored, 0.0)
    return losses.sum() / weights.sum()


def _along(weight: Tensor, dim: int, rank: int) -> Tensor:
    """A vector of weights as one along dimension `dim` of `rank`."""
    return weight.view([-1 if d == dim else 1 for d in range(rank)])
