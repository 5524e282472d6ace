"""Losses as modules: each is a row, with its function from functional.py and its options; class weights are buffers."""

from __future__ import annotations

from typing import Any

from . import functional as F
from .function_module import FunctionModule

# fmt: off


class Loss(FunctionModule):
    """Base class of the losses: modules that are called with an input and a target.

    The attribute `reduction` is "mean", "sum" or "none". `size_average` and `reduce` are its deprecated forms.
    """

    def _set_options(self, options: dict[str, Any]) -> None:
        legacy = F.legacy_reduction(options.pop("size_average", None), options.pop("reduce", None))
        options["reduction"] = legacy or options["reduction"]
        for name in options.keys() & {"weight", "pos_weight"}:
            self.register_buffer(name, options.pop(name))
        self.__dict__.update(options)

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        cls._options = tuple(name for name in cls._options if name not in ("size_average", "reduce"))


class MSELoss(Loss, function=F.mse_loss, size_average=None, reduce=None, reduction="mean"):
    """The squared error, `(input - target)²`.

    input, target: floating tensors of one size, or one of them integer; other sizes that broadcast give a
    warning. reduction: "mean" or "sum", which return one number, or "none", which returns a tensor of the
    input's shape. The call raises ValueError for another word. `size_average` and `reduce` are deprecated.

    >>> import autograd_teach as torch
    >>> input, target = torch.tensor([1.0, 2.0]), torch.zeros(2)
    >>> torch.nn.MSELoss()(input, target), torch.nn.MSELoss(reduction="sum")(input, target)
    (tensor(2.5000), tensor(5.))
    """

class L1Loss(Loss, function=F.l1_loss, size_average=None, reduce=None, reduction="mean"):
    """The absolute error, `|input - target|`.

    input, target: tensors of one size; other sizes that broadcast give a warning. Integers have no mean
    (RuntimeError). reduction: "mean", "sum" or "none"; the call raises ValueError for another word.
    `size_average` and `reduce` are deprecated. The gradient is 0 if input and target are equal.

    >>> import autograd_teach as torch
    >>> torch.nn.L1Loss()(torch.tensor([1.0, 2.0]), torch.tensor([0.0, 5.0]))
    tensor(2.)
    """

class SmoothL1Loss(Loss, function=F.smooth_l1_loss, size_average=None, reduce=None, reduction="mean", beta=1.0):
    """With `z = |input - target|`: `z² / (2 * beta)` if z is below `beta`, else `z - beta / 2` (Girshick, 2015).

    The gradient of each error lies between -1 and 1, so outliers pull less than in MSELoss. With `beta=0` it is
    L1Loss; the call raises RuntimeError if `beta` is negative.
    input, target: floating tensors of one size, or one of them integer; other sizes that broadcast give a
    warning. reduction: "mean", "sum" or "none"; the call raises ValueError for another word. `size_average` and
    `reduce` are deprecated.

    >>> import autograd_teach as torch
    >>> torch.nn.SmoothL1Loss(reduction="none", beta=0.5)(torch.tensor([0.25, 10.0]), torch.zeros(2))
    tensor([0.0625, 9.7500])
    """

class HuberLoss(Loss, function=F.huber_loss, reduction="mean", delta=1.0):
    """With `z = |input - target|`: `z² / 2` if z is at most `delta`, else `delta * (z - delta / 2)` (Huber, 1964).

    It is `delta` times SmoothL1Loss with `beta=delta`. The call raises RuntimeError unless `delta` is positive.
    input: floating tensor. target: tensor of the same size; other sizes that broadcast give a warning.
    reduction: "mean", "sum" or "none"; the call raises ValueError for another word.

    >>> import autograd_teach as torch
    >>> torch.nn.HuberLoss(reduction="none", delta=0.5)(torch.tensor([0.25, 10.0]), torch.zeros(2))
    tensor([0.0312, 4.8750])
    """

class BCELoss(Loss, function=F.binary_cross_entropy, weight=None, size_average=None, reduce=None, reduction="mean"):
    """The binary cross-entropy, `-(target * log(input) + (1 - target) * log(1 - input))`.

    input: floating probabilities. target: the same size, else ValueError, and the same dtype, else RuntimeError.
    Both lie in [0, 1], else RuntimeError. weight: a tensor that expands to this size, multiplies the losses and is
    saved in `state_dict`. A logarithm counts as at least -100. reduction: "mean" (over the number of elements),
    "sum" or "none"; the call raises ValueError for another word. `size_average` and `reduce` are deprecated.

    >>> import autograd_teach as torch
    >>> torch.nn.BCELoss()(torch.tensor([0.5, 0.9]), torch.tensor([1.0, 1.0]))
    tensor(0.3993)
    """

class BCEWithLogitsLoss(Loss, function=F.binary_cross_entropy_with_logits, weight=None, size_average=None, reduce=None,
                        reduction="mean", pos_weight=None):
    """BCELoss of `sigmoid(input)`, also correct if the sigmoid rounds to 0 or 1.

    input: floating scores (logits) of any shape. target: floating tensor of the same size, else ValueError.
    weight: a tensor that broadcasts to this size and multiplies the losses. pos_weight: a tensor that
    multiplies the part `target * log(sigmoid(input))`: above 1, a missed positive costs more. Both are saved in
    `state_dict`. reduction: "mean" (over the number of elements), "sum" or "none"; the call raises ValueError
    for another word. `size_average` and `reduce` are deprecated.

    >>> import autograd_teach as torch
    >>> torch.nn.BCEWithLogitsLoss()(torch.tensor([0.0, 150.0]), torch.tensor([1.0, 0.0]))
    tensor(75.3466)
    """

class NLLLoss(Loss, function=F.nll_loss, weight=None, size_average=None, ignore_index=-100, reduce=None,
              reduction="mean"):
    """The negative log-likelihood: `-input` at the target's class.

    input: floating log-probabilities, (N, classes, ...) or (classes,), as LogSoftmax gives them. target: int64
    or uint8 class numbers, (N, ...) or a single one; IndexError if out of range. weight: one number per class,
    saved in `state_dict`. A target equal to `ignore_index` does not count. reduction: "mean" (divided by the
    sum of the weights that count), "sum" or "none"; the call raises ValueError for another word. `size_average`
    and `reduce` are deprecated.

    >>> import autograd_teach as torch
    >>> log_probabilities = torch.tensor([[-0.5, -1.0], [-2.0, -0.1]])
    >>> torch.nn.NLLLoss(weight=torch.tensor([1.0, 3.0]))(log_probabilities, torch.tensor([0, 1]))
    tensor(0.2000)
    """

class CrossEntropyLoss(Loss, function=F.cross_entropy, weight=None, size_average=None, ignore_index=-100, reduce=None,
                       reduction="mean", label_smoothing=0.0):
    """NLLLoss of `log_softmax(input)`: scores (logits) of classes against the right classes.

    input: floating scores, (N, classes, ...) or (classes,). target: int64 or uint8 class numbers, (N, ...) or a
    single one; or floating probabilities of the input's size. label_smoothing: a number in [0, 1], the share of
    the target replaced by equal probabilities (Szegedy et al., 2016). `weight`, `ignore_index` and `reduction`
    are as in NLLLoss; probabilities cannot be ignored. Without options, the gradient of a class number's loss
    is `softmax(input)`, minus 1 at that class.

    >>> import autograd_teach as torch
    >>> torch.nn.CrossEntropyLoss()(torch.tensor([[0.0, 0.0, 0.0]]), torch.tensor([1]))
    tensor(1.0986)
    >>> torch.nn.CrossEntropyLoss()(torch.tensor([[0.0, 2.0]]), torch.tensor([[0.1, 0.9]]))
    tensor(0.3269)
    """

class KLDivLoss(Loss, function=F.kl_div, size_average=None, reduce=None, reduction="mean", log_target=False):
    """The Kullback-Leibler divergence, `target * (log(target) - input)`: how far probabilities are from the target's.

    input: logarithms of probabilities, as LogSoftmax gives them. target: probabilities, or their logarithms if
    `log_target`. reduction: "batchmean" (the sum divided by the first size, as the definition says), "sum", "none", or
    "mean" (over all elements, with a warning). `size_average` and `reduce` are deprecated.

    >>> import autograd_teach as torch
    >>> input, target = torch.tensor([[0.5, 0.5]]).log(), torch.tensor([[1.0, 0.0]])
    >>> torch.nn.KLDivLoss(reduction="batchmean")(input, target)
    tensor(0.6931)
    """
