"""Wrong answers to notebook 14, each with the diagnosis that must name it and words that its message must have."""

import numpy as np

import autograd_teach as torch
from autograd_teach.autograd import Function

WRONG: list[tuple[str, object, str, str]] = []


def wrong(exercise, diagnosis, words=""):
    return lambda answer: WRONG.append((exercise, answer, diagnosis, words)) or answer


# HuberLoss


class HuberForward(Function):
    @staticmethod
    def forward(ctx, input, target, delta):
        error = input - target
        ctx.save_for_backward(error)
        ctx.delta = delta
        size = error.abs()
        return torch.where(size <= delta, error**2 / 2, delta * (size - delta / 2)).mean()


class HuberBackward(Function):
    @staticmethod
    def backward(ctx, g):
        (error,) = ctx.saved_tensors
        grad = g * error.clamp(-ctx.delta, ctx.delta) / error.numel()
        return grad, -grad, None


@wrong("14.HuberLoss", "known", "the gradient for input: `grad_output` is left out")
class HuberLossIsTheEnd(HuberForward):
    @staticmethod
    def backward(ctx, g):
        (error,) = ctx.saved_tensors
        grad = error.clamp(-ctx.delta, ctx.delta) / error.numel()
        return grad, -grad, None


@wrong("14.HuberLoss", "grad_output_forgotten", "grad_output is not used for target")
class HuberHalfScaled(HuberForward):
    """Used for one argument, forgotten for the other."""

    @staticmethod
    def backward(ctx, g):
        (error,) = ctx.saved_tensors
        slope = error.clamp(-ctx.delta, ctx.delta) / error.numel()
        return g * slope, -slope, None


@wrong("14.HuberLoss", "known", "not divided by the number of entries")
class HuberSumBackward(HuberForward):
    @staticmethod
    def backward(ctx, g):
        (error,) = ctx.saved_tensors
        grad = g * error.clamp(-ctx.delta, ctx.delta)
        return grad, -grad, None


class HuberSumForward(HuberBackward):
    @staticmethod
    def forward(ctx, input, target, delta):
        error = input - target
        ctx.save_for_backward(error)
        ctx.delta = delta
        size = error.abs()
        return torch.where(size <= delta, error**2 / 2, delta * (size - delta / 2)).sum()


@wrong("14.HuberLoss", "backward_of_wrong_forward", "fix forward first")
class HuberSumBoth(HuberSumBackward):
    @staticmethod
    def forward(ctx, input, target, delta):
        return HuberSumForward.forward(ctx, input, target, delta)


@wrong("14.HuberLoss", "none_for_tensor", "None for target")
class HuberOnlyInput(HuberForward):
    @staticmethod
    def backward(ctx, g):
        (error,) = ctx.saved_tensors
        return g * error.clamp(-ctx.delta, ctx.delta) / error.numel(), None, None


@wrong("14.HuberLoss", "no_result", "forward returns a float")
class HuberItem(HuberBackward):
    @staticmethod
    def forward(ctx, input, target, delta):
        return HuberForward.forward(ctx, input, target, delta).item()


@wrong("14.HuberLoss", "dtype", "float32 although the argument is float64")
class HuberRewrapped(HuberBackward):
    @staticmethod
    def forward(ctx, input, target, delta):
        return torch.tensor(HuberForward.forward(ctx, input, target, delta).item())


# SoftmaxCrossEntropy


class CrossEntropyForward(Function):
    @staticmethod
    def forward(ctx, logits, target):
        log_p = logits - logits.logsumexp(1, keepdim=True)
        ctx.save_for_backward(log_p, target, logits)
        return -log_p[torch.arange(len(target)), target].mean()


class CrossEntropyBackward(Function):
    @staticmethod
    def backward(ctx, g):
        log_p, target = ctx.saved_tensors[:2]
        p = log_p.exp()
        p[torch.arange(len(target)), target] -= 1
        return g * p / len(target), None


@wrong("14.SoftmaxCrossEntropy", "known", "the gradient: `grad_output` is left out; the loss is the mean over the")
class CrossEntropyIsTheEnd(CrossEntropyForward):
    @staticmethod
    def backward(ctx, g):
        return CrossEntropyBackward.backward(ctx, torch.ones_like(g))


@wrong("14.SoftmaxCrossEntropy", "known", "the mean over the rows: this is the sum, but it must be the mean")
class CrossEntropySumForward(CrossEntropyBackward):
    @staticmethod
    def forward(ctx, logits, target):
        return CrossEntropyForward.forward(ctx, logits, target) * len(target)


@wrong(
    "14.SoftmaxCrossEntropy", "mean_for_sum", "the result is right, but divided by the number of columns of logits, as"
)
class CrossEntropyMeanOfTable(CrossEntropyBackward):
    @staticmethod
    def forward(ctx, logits, target):
        log_p = logits.log_softmax(1)
        ctx.save_for_backward(log_p, target)
        return -(torch.eye(logits.shape[1], dtype=logits.dtype)[target] * log_p).mean()


@wrong("14.SoftmaxCrossEntropy", "raised", "raised IndexError")
class CrossEntropyClassAfter(CrossEntropyBackward):
    @staticmethod
    def forward(ctx, logits, target):
        log_p = logits.log_softmax(1)
        ctx.save_for_backward(log_p, target)
        return -log_p[torch.arange(len(target)), target + 1].mean()


@wrong("14.SoftmaxCrossEntropy", "some_entries", "the gradient is wrong only in entries [0, 1], [0, 2] and 2 more of")
class CrossEntropyRolled(CrossEntropyForward):
    @staticmethod
    def backward(ctx, g):
        log_p, target, _ = ctx.saved_tensors
        after = torch.where(target + 1 < log_p.shape[1], target + 1, 0 * target)
        one_hot = torch.eye(log_p.shape[1], dtype=log_p.dtype)[after]
        return g * (log_p.exp() - one_hot) / len(target), None


@wrong("14.SoftmaxCrossEntropy", "overflow", "NaN where entries are as large as 100")
class CrossEntropyUnstable(CrossEntropyBackward):
    @staticmethod
    def forward(ctx, logits, target):
        p = logits.exp() / logits.exp().sum(1, keepdim=True)
        ctx.save_for_backward(p.log(), target)
        return -p.log()[torch.arange(len(target)), target].mean()


@wrong("14.SoftmaxCrossEntropy", "overflow", "the gradient has NaN")
class CrossEntropyUnstableBackward(CrossEntropyForward):
    @staticmethod
    def backward(ctx, g):
        _, target, logits = ctx.saved_tensors
        p = logits.exp() / logits.exp().sum(1, keepdim=True)
        p[torch.arange(len(target)), target] -= 1
        return g * p / len(target), None


@wrong("14.SoftmaxCrossEntropy", "wrong_forward", "the gradient is right, but forward is wrong: result")
class CrossEntropyNoLog(CrossEntropyBackward):
    @staticmethod
    def forward(ctx, logits, target):
        log_p = logits.log_softmax(1)
        ctx.save_for_backward(log_p, target)
        return -log_p.exp()[torch.arange(len(target)), target].mean()


@wrong("14.SoftmaxCrossEntropy", "too_few", "(logits, target)")
class CrossEntropyOneGradient(CrossEntropyForward):
    @staticmethod
    def backward(ctx, g):
        return CrossEntropyBackward.backward(ctx, g)[0]


@wrong("14.SoftmaxCrossEntropy", "tensor_for_constant", "target, which holds whole numbers and has no gradient")
class CrossEntropyGradientOfTarget(CrossEntropyForward):
    @staticmethod
    def backward(ctx, g):
        grad, _ = CrossEntropyBackward.backward(ctx, g)
        return grad, torch.zeros(grad.shape[0], dtype=grad.dtype)


# LogSumExp


class LogSumExpForward(Function):
    @staticmethod
    def forward(ctx, x):
        result = x.logsumexp(-1)
        ctx.save_for_backward(x, result)
        return result


class LogSumExpRightBackward(Function):
    @staticmethod
    def backward(ctx, g):
        return g.unsqueeze(-1) * ctx.saved_tensors[0].softmax(-1)


@wrong("14.LogSumExp", "known", "nothing is subtracted before exp, which gives infinity near 1000 and 0")
class LogSumExpUnstable(LogSumExpRightBackward):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.exp().sum(-1).log()


@wrong("14.LogSumExp", "forward_shape", "shape (), it must have (2,)")
class LogSumExpOfAll(LogSumExpRightBackward):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.reshape(-1).logsumexp(0)


@wrong("14.LogSumExp", "forward_shape", "shape (1,), it must have ()")
class LogSumExpKeepsDimension(LogSumExpRightBackward):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.logsumexp(-1, keepdim=True)


@wrong("14.LogSumExp", "one_shape", "raised RuntimeError")
class LogSumExpNoUnsqueeze(LogSumExpForward):
    @staticmethod
    def backward(ctx, g):
        return g * ctx.saved_tensors[0].softmax(-1)


@wrong("14.LogSumExp", "known", "the gradient: `grad_output` of the row is left out")
class LogSumExpLocal(LogSumExpForward):
    @staticmethod
    def backward(ctx, g):
        return ctx.saved_tensors[0].softmax(-1)


@wrong("14.LogSumExp", "wrong_gradient", "the gradient is wrong")
class LogSumExpLikeASum(LogSumExpForward):
    @staticmethod
    def backward(ctx, g):
        return g.unsqueeze(-1) * torch.ones_like(ctx.saved_tensors[0])


@wrong("14.LogSumExp", "wrong_gradient", "the gradient is wrong")
class LogSumExpLogShare(LogSumExpForward):
    @staticmethod
    def backward(ctx, g):
        return g.unsqueeze(-1) * ctx.saved_tensors[0].log_softmax(-1)


@wrong("14.LogSumExp", "second_cut", "does not have a graph")
class LogSumExpDetached(LogSumExpForward):
    @staticmethod
    def backward(ctx, g):
        x, result = (each.detach() for each in ctx.saved_tensors)
        return (g.unsqueeze(-1) * (x - result.unsqueeze(-1)).exp()).detach()


@wrong("14.LogSumExp", "second_constant", "misses how the gradient depends on `x`")
class LogSumExpShareKept(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.share = x.softmax(-1)
        return x.logsumexp(-1)

    @staticmethod
    def backward(ctx, g):
        return g.unsqueeze(-1) * ctx.share


# LayerNorm


class LayerNormForward(Function):
    @staticmethod
    def forward(ctx, x):
        centred = x - x.mean(-1, keepdim=True)
        spread = ((centred**2).mean(-1, keepdim=True) + 1e-5).sqrt()
        ctx.save_for_backward(centred, spread)
        return centred / spread


class LayerNormBackward(Function):
    @staticmethod
    def backward(ctx, g):
        centred, spread = ctx.saved_tensors
        y = centred / spread
        return (g - g.mean(-1, keepdim=True) - y * (g * y).mean(-1, keepdim=True)) / spread


def right_for_layer_norm(ctx, x):
    """Saves what a right backward needs; gives the centred rows and their variances."""
    centred = x - x.mean(-1, keepdim=True)
    variance = (centred**2).mean(-1, keepdim=True)
    ctx.save_for_backward(centred, (variance + 1e-5).sqrt())
    return centred, variance


@wrong("14.LayerNorm", "known", "the gradient: `grad_output` stands in the place of the sum of the three")
class LayerNormConstants(LayerNormForward):
    @staticmethod
    def backward(ctx, g):
        return g / ctx.saved_tensors[1]


@wrong("14.LayerNorm", "known", "the sum of the three parts: the part of the gradient through the")
class LayerNormVarianceConstant(LayerNormForward):
    @staticmethod
    def backward(ctx, g):
        return (g - g.mean(-1, keepdim=True)) / ctx.saved_tensors[1]


@wrong("14.LayerNorm", "wrong_gradient", "the gradient is wrong")
class LayerNormSumForMean(LayerNormForward):
    @staticmethod
    def backward(ctx, g):
        centred, spread = ctx.saved_tensors
        y = centred / spread
        return (g - g.sum(-1, keepdim=True) - y * (g * y).sum(-1, keepdim=True)) / spread


@wrong("14.LayerNorm", "grad_output_forgotten", "grad_output is not used")
class LayerNormLocal(LayerNormForward):
    @staticmethod
    def backward(ctx, g):
        centred, spread = ctx.saved_tensors
        return (1 - 1 / centred.shape[-1] - (centred / spread) ** 2 / centred.shape[-1]) / spread


@wrong("14.LayerNorm", "wrong_gradient", "the gradient is wrong")
class LayerNormDiagonal(LayerNormForward):
    @staticmethod
    def backward(ctx, g):
        centred, spread = ctx.saved_tensors
        n = centred.shape[-1]
        return g * (1 - 1 / n - (centred / spread) ** 2 / n) / spread


# Softplus


class SoftplusForward(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.clamp(min=0) + (-x.abs()).exp().log1p()


class SoftplusBackward(Function):
    @staticmethod
    def backward(ctx, g):
        return g * ctx.saved_tensors[0].sigmoid()


@wrong("14.Softplus", "overflow", "forward gives an infinite value where entries are as large as 8")
class SoftplusUnstable(SoftplusBackward):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return (1 + x.exp()).log()


@wrong("14.Softplus", "wrong_gradient", "the gradient is wrong")
class SoftplusLikeExp(SoftplusForward):
    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * (x.clamp(min=0) + (-x.abs()).exp().log1p())


@wrong("14.Softplus", "known", "the gradient: `grad_output` is left out")
class SoftplusLocal(SoftplusForward):
    @staticmethod
    def backward(ctx, g):
        return ctx.saved_tensors[0].sigmoid()


@wrong("14.Softplus", "second_cut", "does not have a graph")
class SoftplusThroughNumPy(SoftplusForward):
    @staticmethod
    def backward(ctx, g):
        x = ctx.saved_tensors[0].detach().numpy()
        return torch.tensor(g.detach().numpy() * 0.5 * (1 + np.tanh(x / 2)))


@wrong("14.Softplus", "second_constant", "misses how the gradient depends on `x`")
class SoftplusSlopeKept(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.slope = x.sigmoid()
        return x.clamp(min=0) + (-x.abs()).exp().log1p()

    @staticmethod
    def backward(ctx, g):
        return g * ctx.slope


@wrong("14.Softplus", "second_constant", "misses how the gradient depends on `x`")
class SoftplusDetachedSlope(SoftplusForward):
    @staticmethod
    def backward(ctx, g):
        return g * ctx.saved_tensors[0].sigmoid().detach()


@wrong("14.Softplus", "one_shape", "raised RuntimeError")
class SoftplusItem(SoftplusForward):
    @staticmethod
    def backward(ctx, g):
        return g.item() * ctx.saved_tensors[0].sigmoid()


# Interpolate


class InterpolateForward(Function):
    @staticmethod
    def forward(ctx, a, b, t):
        ctx.save_for_backward(a, b, t)
        return (1 - t) * a + t * b


class InterpolateBackward(Function):
    @staticmethod
    def backward(ctx, g):
        a, b, t = ctx.saved_tensors
        return (1 - t) * g, t * g, (g * (b - a)).sum_to_size(t.shape)


@wrong("14.Interpolate", "not_summed", "the gradient for t has the shape of the result")
class InterpolateNotSummed(InterpolateForward):
    @staticmethod
    def backward(ctx, g):
        a, b, t = ctx.saved_tensors
        return (1 - t) * g, t * g, g * (b - a)


@wrong("14.Interpolate", "wrong_shape", "the gradient for t has shape (), t itself (3,)")
class InterpolateAlwaysSummed(InterpolateForward):
    @staticmethod
    def backward(ctx, g):
        a, b, t = ctx.saved_tensors
        return (1 - t) * g, t * g, (g * (b - a)).sum()


@wrong("14.Interpolate", "known", "the gradient for a: `t` stands in the place of the factor for a; the")
class InterpolateSwapped(InterpolateForward):
    @staticmethod
    def backward(ctx, g):
        a, b, t = ctx.saved_tensors
        return t * g, (1 - t) * g, (g * (b - a)).sum_to_size(t.shape)


@wrong("14.Interpolate", "known", "b where t is 0")
class InterpolateEndsSwapped(InterpolateBackward):
    @staticmethod
    def forward(ctx, a, b, t):
        ctx.save_for_backward(a, b, t)
        return t * a + (1 - t) * b


@wrong("14.Interpolate", "none_for_tensor", "None for t")
class InterpolateNoneForT(InterpolateForward):
    @staticmethod
    def backward(ctx, g):
        _, _, t = ctx.saved_tensors
        return (1 - t) * g, t * g, None


@wrong("14.Interpolate", "one_shape", "`ctx.t = t.item()` raised")
class InterpolateItem(Function):
    @staticmethod
    def forward(ctx, a, b, t):
        ctx.t = t.item()
        ctx.save_for_backward(a, b)
        return (1 - ctx.t) * a + ctx.t * b

    @staticmethod
    def backward(ctx, g):
        a, b = ctx.saved_tensors
        return (1 - ctx.t) * g, ctx.t * g, (g * (b - a)).sum()


@wrong("14.Interpolate", "second_constant", "cut off by .detach()")
class InterpolateDetached(InterpolateForward):
    @staticmethod
    def backward(ctx, g):
        a, b, t = (each.detach() for each in ctx.saved_tensors)
        return (1 - t) * g, t * g, (g * (b - a)).sum_to_size(t.shape)


# GradientReversal


class ReversalForward(Function):
    @staticmethod
    def forward(ctx, x, strength):
        ctx.strength = strength
        ctx.save_for_backward(x)
        return x.view_as(x)


class ReversalBackward(Function):
    @staticmethod
    def backward(ctx, g):
        return -ctx.strength * g, None


@wrong("14.GradientReversal", "known", "the gradient: it is `grad_output` in yours")
class ReversalIdentity(ReversalForward):
    @staticmethod
    def backward(ctx, g):
        return g, None


@wrong("14.GradientReversal", "known", "the gradient: `strength` is left out")
class ReversalNoStrength(ReversalForward):
    @staticmethod
    def backward(ctx, g):
        return -g, None


@wrong("14.GradientReversal", "grad_output_forgotten", "grad_output is not used")
class ReversalLocal(ReversalForward):
    @staticmethod
    def backward(ctx, g):
        return torch.full_like(g, -ctx.strength), None


@wrong("14.GradientReversal", "too_few", "(x, strength)")
class ReversalOneGradient(ReversalForward):
    @staticmethod
    def backward(ctx, g):
        return -ctx.strength * g


@wrong("14.GradientReversal", "grad_output_changed", "grad_output in place")
class ReversalInPlace(ReversalForward):
    @staticmethod
    def backward(ctx, g):
        g *= -ctx.strength
        return g, None


@wrong("14.GradientReversal", "no_graph", "no gradient can flow back")
class ReversalCut(ReversalBackward):
    """Detached where it must only be turned round."""

    @staticmethod
    def forward(ctx, x, strength):
        ctx.strength = strength
        result = x.detach()
        ctx.mark_non_differentiable(result)
        return result


# StraightThroughRound


class RoundForward(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.round()


class RoundBackward(Function):
    @staticmethod
    def backward(ctx, g):
        return g


@wrong("14.StraightThroughRound", "known", "the gradient")
class RoundZero(RoundForward):
    @staticmethod
    def backward(ctx, g):
        return torch.zeros_like(g)


@wrong("14.StraightThroughRound", "nothing_returned", "a gradient for x")
class RoundNone(RoundForward):
    @staticmethod
    def backward(ctx, g):
        return None


@wrong("14.StraightThroughRound", "known", "the result: `trunc` is used; it must be the nearest whole number")
class RoundTowardsZero(RoundBackward):
    @staticmethod
    def forward(ctx, x):
        return x.long().to(x.dtype)


@wrong("14.StraightThroughRound", "no_graph", "is its dtype a float")
class RoundToIntegers(RoundBackward):
    @staticmethod
    def forward(ctx, x):
        return x.round().long()


@wrong("14.StraightThroughRound", "one_shape", "the gradient is right for shape () and wrong for (3,), (2,), (2, 3)")
class RoundTimesResult(RoundForward):
    @staticmethod
    def backward(ctx, g):
        return g * ctx.saved_tensors[0].round()


@wrong("14.StraightThroughRound", "grad_output_forgotten", "grad_output is not used")
class RoundOnes(RoundForward):
    @staticmethod
    def backward(ctx, g):
        return torch.ones_like(g)


@wrong("14.StraightThroughRound", "argument_changed", "x is changed in forward")
class RoundInPlace(RoundBackward):
    @staticmethod
    def forward(ctx, x):
        return x.round_().clone()


# Further slips: other terms, places, axes and numbers


@wrong("14.HuberLoss", "wrong_forward", "the gradient is right, but forward is wrong: result")
class HuberParenthesesAndSum(HuberBackward):
    """Two slips at once."""

    @staticmethod
    def forward(ctx, input, target, delta):
        error = input - target
        ctx.save_for_backward(error)
        ctx.delta = delta
        size = error.abs()
        return torch.where(size <= delta, error**2 / 2, delta * size - delta / 2).sum()


@wrong("14.HuberLoss", "wrong_forward", "the gradient is right, but forward is wrong: result")
class HuberMeanOverRows(HuberBackward):
    @staticmethod
    def forward(ctx, input, target, delta):
        mean = HuberForward.forward(ctx, input, target, delta)
        return mean * input.numel() / (len(input) if input.dim() else 1)


@wrong("14.HuberLoss", "wrong_gradient", "the gradient for input is wrong")
class HuberClampedAbove(HuberForward):
    @staticmethod
    def backward(ctx, g):
        (error,) = ctx.saved_tensors
        grad = g * error.clamp(max=ctx.delta)
        return grad, -grad, None


@wrong("14.SoftmaxCrossEntropy", "wrong_forward", "the gradient is right, but forward is wrong: result")
class CrossEntropyTwice(CrossEntropyBackward):
    @staticmethod
    def forward(ctx, logits, target):
        ctx.save_for_backward(logits.log_softmax(1), target)
        return torch.nn.functional.cross_entropy(logits.softmax(1), target)


@wrong("14.SoftmaxCrossEntropy", "some_entries", "the gradient is wrong only in entries [0, 0] and [1, 1] of logits")
class CrossEntropyMinusOneInColumns(CrossEntropyForward):
    @staticmethod
    def backward(ctx, g):
        log_p, target, _ = ctx.saved_tensors
        p = log_p.exp()
        p[:, target] -= 1
        return g * p / len(target), None


@wrong("14.SoftmaxCrossEntropy", "wrong_gradient", "the gradient is wrong")
class CrossEntropyColumnsAndSum(CrossEntropyForward):
    @staticmethod
    def backward(ctx, g):
        _, target, logits = ctx.saved_tensors
        p = logits.softmax(0)
        p[torch.arange(len(target)), target] -= 1
        return g * p, None


@wrong("14.LogSumExp", "wrong_forward", "the gradient is right, but forward is wrong: result[0]")
class LogSumExpLimited(LogSumExpRightBackward):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.clamp(-500, 500).exp().sum(-1).log()


@wrong("14.LogSumExp", "one_shape", "the gradient is right for shape (3,) and wrong for (2, 3), (4, 3), (2")
class LogSumExpShareOfColumns(LogSumExpForward):
    @staticmethod
    def backward(ctx, g):
        return g.unsqueeze(-1) * ctx.saved_tensors[0].softmax(0)


@wrong("14.LayerNorm", "wrong_forward", "the gradient is right, but forward is wrong: result[1, 0]")
class LayerNormEpsAsLimit(LayerNormBackward):
    @staticmethod
    def forward(ctx, x):
        centred, variance = right_for_layer_norm(ctx, x)
        return centred / variance.clamp(min=1e-5).sqrt()


@wrong("14.LayerNorm", "wrong_forward", "the gradient is right, but forward is wrong: result[0, 1]")
class LayerNormCountOfTable(LayerNormBackward):
    @staticmethod
    def forward(ctx, x):
        centred, _ = right_for_layer_norm(ctx, x)
        return centred / ((centred**2).sum(-1, keepdim=True) / x.numel() + 1e-5).sqrt()


@wrong("14.Softplus", "some_entries", "the gradient is wrong only in entries [0] and [3] of x")
class SoftplusSlopeShortCut(SoftplusForward):
    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return torch.where(x > 5, g, g * x.sigmoid())


@wrong("14.Softplus", "wrong_forward", "the gradient is right, but forward is wrong: result[1]")
class SoftplusIsItsSlope(SoftplusBackward):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.sigmoid()


@wrong("14.Softplus", "wrong_gradient", "the gradient is wrong")
class SoftplusSlopeOfResult(SoftplusForward):
    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * (x.clamp(min=0) + (-x.abs()).exp().log1p()).sigmoid()


@wrong("14.Interpolate", "wrong_forward", "the gradient is right, but forward is wrong: result[1]")
class InterpolateAway(InterpolateBackward):
    @staticmethod
    def forward(ctx, a, b, t):
        ctx.save_for_backward(a, b, t)
        return a + t * (a - b)


@wrong("14.Interpolate", "wrong_forward", "the gradient is right, but forward is wrong: result[2]")
class InterpolateParentheses(InterpolateBackward):
    @staticmethod
    def forward(ctx, a, b, t):
        ctx.save_for_backward(a, b, t)
        return 1 - t * a + t * b


@wrong("14.Interpolate", "wrong_gradient", "the gradient for t is wrong")
class InterpolateMinusAAndMean(InterpolateForward):
    @staticmethod
    def backward(ctx, g):
        a, _, t = ctx.saved_tensors
        each = -g * a
        return (1 - t) * g, t * g, each if t.dim() else each.mean()


@wrong("14.Interpolate", "wrong_shape", "the gradient for t has shape (), t itself (1,)")
class InterpolateByCount(InterpolateForward):
    """One entry is not the same as no dimension."""

    @staticmethod
    def backward(ctx, g):
        a, b, t = ctx.saved_tensors
        each = g * (b - a)
        return (1 - t) * g, t * g, each.sum() if t.numel() == 1 else each


@wrong("14.GradientReversal", "wrong_gradient", "the gradient is wrong")
class ReversalOfEntries(ReversalForward):
    @staticmethod
    def backward(ctx, g):
        return ctx.strength * (g.flip(0) if g.dim() else g), None


@wrong("14.StraightThroughRound", "wrong_gradient", "the gradient is wrong")
class RoundGradientOfRest(RoundForward):
    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * (x - x.round())


@wrong("14.HuberLoss", "some_entries", "the gradient is wrong only in entries [0] and [2] of target")
class HuberTargetNotLimited(HuberForward):
    """Right for one argument, wrong for the other."""

    @staticmethod
    def backward(ctx, g):
        (error,) = ctx.saved_tensors
        share = g / error.numel()
        return share * error.clamp(-ctx.delta, ctx.delta), -share * error, None


@wrong("14.SoftmaxCrossEntropy", "wrong_gradient", "the gradient is wrong")
class CrossEntropyMinusNumber(CrossEntropyForward):
    @staticmethod
    def backward(ctx, g):
        log_p, target, _ = ctx.saved_tensors
        return g * (log_p.exp() - target[:, None].to(log_p.dtype)) / len(target), None


@wrong("14.LogSumExp", "second_nan", "the second by `x` is NaN")
class LogSumExpWhereTooLate(LogSumExpForward):
    """Both ways are computed, and the one that is not picked spoils the second derivative."""

    @staticmethod
    def backward(ctx, g):
        x, result = ctx.saved_tensors
        plain = x.exp() / x.exp().sum(-1, keepdim=True)
        far = (x - result.unsqueeze(-1)).exp()
        return g.unsqueeze(-1) * torch.where(x.abs() > 500, far, plain)


@wrong("14.Softplus", "overflow", "the gradient has an infinite value where entries are as large as 800")
class SoftplusInnerOnly(SoftplusForward):
    @staticmethod
    def backward(ctx, g):
        return g * ctx.saved_tensors[0].exp()


@wrong("14.Softplus", "known", "x is limited before the slope is computed")
class SoftplusSlopeLimited(SoftplusForward):
    @staticmethod
    def backward(ctx, g):
        return g * ctx.saved_tensors[0].clamp(-5, 5).sigmoid()


@wrong("14.Interpolate", "nan", "the gradient for t has NaN in entry [0, 0] (a")
class InterpolateFromResult(Function):
    @staticmethod
    def forward(ctx, a, b, t):
        result = (1 - t) * a + t * b
        ctx.save_for_backward(a, t, result)
        return result

    @staticmethod
    def backward(ctx, g):
        a, t, result = ctx.saved_tensors
        slope = (result - a) / t
        return (1 - t) * g, t * g, (slope * g).sum_to_size(t.shape)
