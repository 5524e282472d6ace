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


@wrong("14.HuberLoss", "grad_output_forgotten", "grad_output is not used: backward")
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


@wrong("14.HuberLoss", "known", "adds up the losses of all entries")
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


@wrong("14.HuberLoss", "known", "jumps where the error is delta")
class HuberJump(HuberBackward):
    @staticmethod
    def forward(ctx, input, target, delta):
        error = input - target
        ctx.save_for_backward(error)
        ctx.delta = delta
        return torch.where(error.abs() <= delta, error**2 / 2, delta * error.abs()).mean()


@wrong("14.HuberLoss", "known", "not halved")
class HuberNoHalf(HuberBackward):
    @staticmethod
    def forward(ctx, input, target, delta):
        error = input - target
        ctx.save_for_backward(error)
        ctx.delta = delta
        size = error.abs()
        return torch.where(size <= delta, error**2, delta * (size - delta / 2)).mean()


@wrong("14.HuberLoss", "known", "squares every error")
class HuberSquare(HuberBackward):
    @staticmethod
    def forward(ctx, input, target, delta):
        error = input - target
        ctx.save_for_backward(error)
        ctx.delta = delta
        return (error**2 / 2).mean()


@wrong("14.HuberLoss", "known", "grows with the error also beyond delta")
class HuberNotLimited(HuberForward):
    @staticmethod
    def backward(ctx, g):
        (error,) = ctx.saved_tensors
        grad = g * error / error.numel()
        return grad, -grad, None


@wrong("14.HuberLoss", "known", "1 or -1, whatever delta is")
class HuberSlopeOne(HuberForward):
    @staticmethod
    def backward(ctx, g):
        (error,) = ctx.saved_tensors
        grad = g * torch.where(error.abs() <= ctx.delta, error, error.sign()) / error.numel()
        return grad, -grad, None


@wrong("14.HuberLoss", "known", "for both signs of the error")
class HuberSignLost(HuberForward):
    @staticmethod
    def backward(ctx, g):
        (error,) = ctx.saved_tensors
        grad = g * torch.where(error.abs() <= ctx.delta, error, torch.full_like(error, ctx.delta)) / error.numel()
        return grad, -grad, None


@wrong("14.HuberLoss", "known", "as for an absolute value")
class HuberAlwaysLimited(HuberForward):
    @staticmethod
    def backward(ctx, g):
        (error,) = ctx.saved_tensors
        grad = g * ctx.delta * error.sign() / error.numel()
        return grad, -grad, None


@wrong("14.HuberLoss", "sign", "the gradient for target is minus")
class HuberSameSign(HuberForward):
    @staticmethod
    def backward(ctx, g):
        (error,) = ctx.saved_tensors
        grad = g * error.clamp(-ctx.delta, ctx.delta) / error.numel()
        return grad, grad, None


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


@wrong("14.HuberLoss", "forward_shape", "shape (3,), it must have ()")
class HuberNoReduction(HuberBackward):
    @staticmethod
    def forward(ctx, input, target, delta):
        error = input - target
        ctx.save_for_backward(error)
        ctx.delta = delta
        size = error.abs()
        return torch.where(size <= delta, error**2 / 2, delta * (size - delta / 2))


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


@wrong("14.SoftmaxCrossEntropy", "grad_output_forgotten", "it is 1 only if the backward pass starts at this result")
class CrossEntropyIsTheEnd(CrossEntropyForward):
    @staticmethod
    def backward(ctx, g):
        return CrossEntropyBackward.backward(ctx, torch.ones_like(g))


@wrong("14.SoftmaxCrossEntropy", "known", "too large by the number of rows")
class CrossEntropySumBackward(CrossEntropyForward):
    @staticmethod
    def backward(ctx, g):
        log_p, target, _ = ctx.saved_tensors
        p = log_p.exp()
        p[torch.arange(len(target)), target] -= 1
        return g * p, None


@wrong("14.SoftmaxCrossEntropy", "known", "too small by the number of classes")
class CrossEntropyMeanOverAll(CrossEntropyForward):
    @staticmethod
    def backward(ctx, g):
        log_p, target, _ = ctx.saved_tensors
        p = log_p.exp()
        p[torch.arange(len(target)), target] -= 1
        return g * p / p.numel(), None


@wrong("14.SoftmaxCrossEntropy", "known", "the result must be their mean")
class CrossEntropySumForward(CrossEntropyBackward):
    @staticmethod
    def forward(ctx, logits, target):
        return CrossEntropyForward.forward(ctx, logits, target) * len(target)


@wrong("14.SoftmaxCrossEntropy", "known", "including the zeros")
class CrossEntropyMeanOfTable(CrossEntropyBackward):
    @staticmethod
    def forward(ctx, logits, target):
        log_p = logits.log_softmax(1)
        ctx.save_for_backward(log_p, target)
        return -(torch.eye(logits.shape[1], dtype=logits.dtype)[target] * log_p).mean()


@wrong("14.SoftmaxCrossEntropy", "known", "forward picks the class before")
class CrossEntropyClassBefore(CrossEntropyBackward):
    @staticmethod
    def forward(ctx, logits, target):
        log_p = logits - logits.logsumexp(1, keepdim=True)
        ctx.save_for_backward(log_p, target)
        return -log_p[torch.arange(len(target)), target - 1].mean()


@wrong("14.SoftmaxCrossEntropy", "known", "treats the class before")
class CrossEntropyGradientBefore(CrossEntropyForward):
    @staticmethod
    def backward(ctx, g):
        log_p, target, _ = ctx.saved_tensors
        p = log_p.exp()
        p[torch.arange(len(target)), target - 1] -= 1
        return g * p / len(target), None


@wrong("14.SoftmaxCrossEntropy", "raised", "raised IndexError")
class CrossEntropyClassAfter(CrossEntropyBackward):
    @staticmethod
    def forward(ctx, logits, target):
        log_p = logits.log_softmax(1)
        ctx.save_for_backward(log_p, target)
        return -log_p[torch.arange(len(target)), target + 1].mean()


@wrong("14.SoftmaxCrossEntropy", "known", "forward picks the class after")
class CrossEntropyCountedFromOne(CrossEntropyBackward):
    @staticmethod
    def forward(ctx, logits, target):
        log_p = logits.log_softmax(1)
        ctx.save_for_backward(log_p, target)
        after = torch.where(target + 1 < log_p.shape[1], target + 1, 0 * target)
        return -log_p[torch.arange(len(target)), after].mean()


@wrong("14.SoftmaxCrossEntropy", "known", "made of the logits themselves")
class CrossEntropyLogits(CrossEntropyForward):
    @staticmethod
    def backward(ctx, g):
        _, target, logits = ctx.saved_tensors
        grad = logits.clone()
        grad[torch.arange(len(target)), target] -= 1
        return g * grad / len(target), None


@wrong("14.SoftmaxCrossEntropy", "known", "treats the class after")
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


@wrong("14.SoftmaxCrossEntropy", "known", "runs down the columns")
class CrossEntropyDownColumns(CrossEntropyBackward):
    @staticmethod
    def forward(ctx, logits, target):
        ctx.save_for_backward(logits.log_softmax(1), target)
        return -logits.log_softmax(0)[torch.arange(len(target)), target].mean()


@wrong("14.SoftmaxCrossEntropy", "known", "the loss needs its logarithm")
class CrossEntropyNoLog(CrossEntropyBackward):
    @staticmethod
    def forward(ctx, logits, target):
        log_p = logits.log_softmax(1)
        ctx.save_for_backward(log_p, target)
        return -log_p.exp()[torch.arange(len(target)), target].mean()


@wrong("14.SoftmaxCrossEntropy", "known", "the other classes do not matter")
class CrossEntropyNotNormalised(CrossEntropyBackward):
    @staticmethod
    def forward(ctx, logits, target):
        ctx.save_for_backward(logits.log_softmax(1), target)
        return -logits[torch.arange(len(target)), target].mean()


@wrong("14.SoftmaxCrossEntropy", "known", "the same whatever target says")
class CrossEntropyOnlyProbabilities(CrossEntropyForward):
    @staticmethod
    def backward(ctx, g):
        log_p, target, _ = ctx.saved_tensors
        return g * log_p.exp() / len(target), None


@wrong("14.SoftmaxCrossEntropy", "known", "one step short of the logits")
class CrossEntropyByProbability(CrossEntropyForward):
    @staticmethod
    def backward(ctx, g):
        log_p, target, _ = ctx.saved_tensors
        rows = torch.arange(len(target))
        grad = torch.zeros_like(log_p)
        grad[rows, target] = -1 / log_p.exp()[rows, target]
        return g * grad / len(target), None


@wrong("14.SoftmaxCrossEntropy", "known", "depend on every logit of the row")
class CrossEntropyOneHotOnly(CrossEntropyForward):
    @staticmethod
    def backward(ctx, g):
        log_p, target, _ = ctx.saved_tensors
        grad = torch.zeros_like(log_p)
        grad[torch.arange(len(target)), target] = -1
        return g * grad / len(target), None


@wrong("14.SoftmaxCrossEntropy", "sign", "the sign is flipped")
class CrossEntropySign(CrossEntropyForward):
    @staticmethod
    def backward(ctx, g):
        return -CrossEntropyBackward.backward(ctx, g)[0], None


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


class LogSumExpBackward(Function):
    @staticmethod
    def backward(ctx, g):
        x, result = ctx.saved_tensors
        return g.unsqueeze(-1) * (x - result.unsqueeze(-1)).exp()


class LogSumExpRightBackward(Function):
    @staticmethod
    def backward(ctx, g):
        return g.unsqueeze(-1) * ctx.saved_tensors[0].softmax(-1)


@wrong("14.LogSumExp", "known", "forward subtracts nothing before exp")
class LogSumExpUnstable(LogSumExpRightBackward):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.exp().sum(-1).log()


@wrong("14.LogSumExp", "known", "each row has its own largest entry")
class LogSumExpOneShift(LogSumExpRightBackward):
    """The largest of all entries, where each row has its own."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        top = x.max()
        return top + (x - top).exp().sum(-1).log()


@wrong("14.LogSumExp", "known", "both are infinite near 1000, and 0 near -1000")
class LogSumExpUnstableBackward(LogSumExpForward):
    @staticmethod
    def backward(ctx, g):
        x, _ = ctx.saved_tensors
        return g.unsqueeze(-1) * x.exp() / x.exp().sum(-1, keepdim=True)


@wrong("14.LogSumExp", "known", "does not add it again")
class LogSumExpShifted(LogSumExpRightBackward):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return (x - x.amax(-1, keepdim=True)).exp().sum(-1).log()


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


@wrong("14.LogSumExp", "known", "takes the mean of the exponentials")
class LogSumExpMean(LogSumExpRightBackward):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        top = x.amax(-1)
        return top + (x - top.unsqueeze(-1)).exp().mean(-1).log()


@wrong("14.LogSumExp", "one_shape", "raised RuntimeError")
class LogSumExpNoUnsqueeze(LogSumExpForward):
    @staticmethod
    def backward(ctx, g):
        return g * ctx.saved_tensors[0].softmax(-1)


@wrong("14.LogSumExp", "grad_output_forgotten", "grad_output is not used")
class LogSumExpLocal(LogSumExpForward):
    @staticmethod
    def backward(ctx, g):
        return ctx.saved_tensors[0].softmax(-1)


@wrong("14.LogSumExp", "known", "as if the result were a plain sum")
class LogSumExpLikeASum(LogSumExpForward):
    @staticmethod
    def backward(ctx, g):
        return g.unsqueeze(-1) * torch.ones_like(ctx.saved_tensors[0])


@wrong("14.LogSumExp", "known", "as if the result were a maximum")
class LogSumExpLikeAMaximum(LogSumExpForward):
    @staticmethod
    def backward(ctx, g):
        x, _ = ctx.saved_tensors
        return g.unsqueeze(-1) * (x == x.amax(-1, keepdim=True)).to(x.dtype)


@wrong("14.LogSumExp", "known", "do not add up to 1")
class LogSumExpNoShare(LogSumExpForward):
    @staticmethod
    def backward(ctx, g):
        x, _ = ctx.saved_tensors
        return g.unsqueeze(-1) * (x - x.amax(-1, keepdim=True)).exp()


@wrong("14.LogSumExp", "known", "this is the logarithm of the slope")
class LogSumExpLogShare(LogSumExpForward):
    @staticmethod
    def backward(ctx, g):
        return g.unsqueeze(-1) * ctx.saved_tensors[0].log_softmax(-1)


@wrong("14.LogSumExp", "known", "the slopes of each row must")
class LogSumExpShareOfAll(LogSumExpForward):
    @staticmethod
    def backward(ctx, g):
        x, _ = ctx.saved_tensors
        return g.unsqueeze(-1) * x.reshape(-1).softmax(0).reshape(x.shape)


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


@wrong("14.LayerNorm", "known", "through the mean is missing, the part through the variance is missing")
class LayerNormConstants(LayerNormForward):
    @staticmethod
    def backward(ctx, g):
        return g / ctx.saved_tensors[1]


@wrong("14.LayerNorm", "known", "through the mean is right, the part through the variance is missing")
class LayerNormVarianceConstant(LayerNormForward):
    @staticmethod
    def backward(ctx, g):
        return (g - g.mean(-1, keepdim=True)) / ctx.saved_tensors[1]


@wrong("14.LayerNorm", "known", "through the mean is missing, the part through the variance is right")
class LayerNormMeanConstant(LayerNormForward):
    @staticmethod
    def backward(ctx, g):
        centred, spread = ctx.saved_tensors
        y = centred / spread
        return (g - y * (g * y).mean(-1, keepdim=True)) / spread


@wrong("14.LayerNorm", "known", "not divided by the spread")
class LayerNormNoSpread(LayerNormForward):
    @staticmethod
    def backward(ctx, g):
        centred, spread = ctx.saved_tensors
        y = centred / spread
        return g - g.mean(-1, keepdim=True) - y * (g * y).mean(-1, keepdim=True)


@wrong("14.LayerNorm", "known", "is a sum over the row instead of a mean, the part")
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


@wrong("14.LayerNorm", "known", "only its effect on its own result")
class LayerNormDiagonal(LayerNormForward):
    @staticmethod
    def backward(ctx, g):
        centred, spread = ctx.saved_tensors
        n = centred.shape[-1]
        return g * (1 - 1 / n - (centred / spread) ** 2 / n) / spread


@wrong("14.LayerNorm", "known", "the gradient leaves eps out, or a much smaller one")
class LayerNormBackwardNoEps(LayerNormForward):
    @staticmethod
    def backward(ctx, g):
        centred, _ = ctx.saved_tensors
        spread = (centred**2).mean(-1, keepdim=True).sqrt()
        y = centred / spread
        return (g - g.mean(-1, keepdim=True) - y * (g * y).mean(-1, keepdim=True)) / spread


@wrong("14.LayerNorm", "known", "for a variance with n - 1")
class LayerNormBackwardUnbiased(LayerNormForward):
    @staticmethod
    def backward(ctx, g):
        centred, _ = ctx.saved_tensors
        n = centred.shape[-1]
        spread = ((centred**2).sum(-1, keepdim=True) / (n - 1) + 1e-5).sqrt()
        y = centred / spread
        return (g - g.mean(-1, keepdim=True) - y * (g * y).sum(-1, keepdim=True) / (n - 1)) / spread


@wrong("14.LayerNorm", "known", "n - 1 for the variance")
class LayerNormUnbiased(LayerNormBackward):
    @staticmethod
    def forward(ctx, x):
        centred, _ = right_for_layer_norm(ctx, x)
        return centred / (x.var(-1, keepdim=True) + 1e-5).sqrt()


@wrong("14.LayerNorm", "known", "adds eps to the root")
class LayerNormEpsOutside(LayerNormBackward):
    @staticmethod
    def forward(ctx, x):
        centred, variance = right_for_layer_norm(ctx, x)
        return centred / (variance.sqrt() + 1e-5)


@wrong("14.LayerNorm", "known", "forward leaves eps out")
class LayerNormNoEps(LayerNormBackward):
    @staticmethod
    def forward(ctx, x):
        centred, variance = right_for_layer_norm(ctx, x)
        return centred / variance.sqrt()


@wrong("14.LayerNorm", "known", "divides by the variance")
class LayerNormNoRoot(LayerNormBackward):
    @staticmethod
    def forward(ctx, x):
        centred, variance = right_for_layer_norm(ctx, x)
        return centred / (variance + 1e-5)


@wrong("14.LayerNorm", "known", "does not subtract the mean")
class LayerNormNotCentred(LayerNormBackward):
    @staticmethod
    def forward(ctx, x):
        _, variance = right_for_layer_norm(ctx, x)
        return x / (variance + 1e-5).sqrt()


@wrong("14.LayerNorm", "known", "of all entries together")
class LayerNormOfAll(LayerNormBackward):
    @staticmethod
    def forward(ctx, x):
        right_for_layer_norm(ctx, x)
        return (x - x.mean()) / (x.var(correction=0) + 1e-5).sqrt()


@wrong("14.LayerNorm", "known", "along the first dimension")
class LayerNormOverFirst(LayerNormBackward):
    @staticmethod
    def forward(ctx, x):
        right_for_layer_norm(ctx, x)
        return (x - x.mean(0)) / (x.var(0, correction=0) + 1e-5).sqrt()


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


@wrong("14.Softplus", "overflow", "the gradient has NaN")
class SoftplusUnstableBackward(SoftplusForward):
    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * x.exp() / (1 + x.exp())


@wrong("14.Softplus", "known", "the slope of what is inside it is missing")
class SoftplusOuterOnly(SoftplusForward):
    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g / (1 + x.exp())


@wrong("14.Softplus", "known", "one derivative too many")
class SoftplusOneFurther(SoftplusForward):
    @staticmethod
    def backward(ctx, g):
        s = ctx.saved_tensors[0].sigmoid()
        return g * s * (1 - s)


@wrong("14.Softplus", "known", "the slope of a corner")
class SoftplusStep(SoftplusForward):
    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * (x > 0).to(x.dtype)


@wrong("14.Softplus", "known", "right for exp, but not here")
class SoftplusLikeExp(SoftplusForward):
    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * (x.clamp(min=0) + (-x.abs()).exp().log1p())


@wrong("14.Softplus", "known", "the corner is not smooth")
class SoftplusRelu(SoftplusBackward):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.clamp(min=0)


@wrong("14.Softplus", "known", "falls where x grows: the exponent")
class SoftplusMirrored(SoftplusBackward):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return (-x).clamp(min=0) + (-x.abs()).exp().log1p()


@wrong("14.Softplus", "known", "x itself is missing")
class SoftplusNoLargest(SoftplusBackward):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return (-x.abs()).exp().log1p()


@wrong("14.Softplus", "grad_output_forgotten", "grad_output is not used")
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


@wrong("14.Interpolate", "known", "is the mean of what each entry contributes")
class InterpolateMean(InterpolateForward):
    @staticmethod
    def backward(ctx, g):
        a, b, t = ctx.saved_tensors
        each = g * (b - a)
        return (1 - t) * g, t * g, each if t.dim() else each.mean()


@wrong("14.Interpolate", "known", "a single entry's contribution")
class InterpolateFirstEntry(InterpolateForward):
    @staticmethod
    def backward(ctx, g):
        a, b, t = ctx.saved_tensors
        each = g * (b - a)
        return (1 - t) * g, t * g, each if t.dim() else each.reshape(-1)[0]


@wrong("14.Interpolate", "known", "has the factor t, the gradient for b has the factor 1 - t")
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


@wrong("14.Interpolate", "known", "gives a the weight 1 and b the weight t")
class InterpolateWholeA(InterpolateBackward):
    @staticmethod
    def forward(ctx, a, b, t):
        ctx.save_for_backward(a, b, t)
        return a + t * b


@wrong("14.Interpolate", "known", "the gradient for t has the wrong sign")
class InterpolateSign(InterpolateForward):
    @staticmethod
    def backward(ctx, g):
        a, b, t = ctx.saved_tensors
        return (1 - t) * g, t * g, (g * (a - b)).sum_to_size(t.shape)


@wrong("14.Interpolate", "known", "depends on b alone")
class InterpolateOnlyB(InterpolateForward):
    @staticmethod
    def backward(ctx, g):
        _, b, t = ctx.saved_tensors
        return (1 - t) * g, t * g, (g * b).sum_to_size(t.shape)


@wrong("14.Interpolate", "known", "contains a + b")
class InterpolateSum(InterpolateForward):
    @staticmethod
    def backward(ctx, g):
        a, b, t = ctx.saved_tensors
        return (1 - t) * g, t * g, (g * (b + a)).sum_to_size(t.shape)


@wrong("14.Interpolate", "grad_output_forgotten", "grad_output is not used for t")
class InterpolateLocalForT(InterpolateForward):
    @staticmethod
    def backward(ctx, g):
        a, b, t = ctx.saved_tensors
        return (1 - t) * g, t * g, (b - a).sum_to_size(t.shape)


@wrong("14.Interpolate", "known", "is grad_output itself, the gradient for b is grad_output itself")
class InterpolateNoWeights(InterpolateForward):
    @staticmethod
    def backward(ctx, g):
        a, b, t = ctx.saved_tensors
        return g, g, (g * (b - a)).sum_to_size(t.shape)


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


@wrong("14.GradientReversal", "true_derivative", "this exercise declares another one")
class ReversalIdentity(ReversalForward):
    @staticmethod
    def backward(ctx, g):
        return g, None


@wrong("14.GradientReversal", "known", "the same whatever strength is")
class ReversalNoStrength(ReversalForward):
    @staticmethod
    def backward(ctx, g):
        return -g, None


@wrong("14.GradientReversal", "sign", "minus what it must be")
class ReversalNotReversed(ReversalForward):
    @staticmethod
    def backward(ctx, g):
        return g * ctx.strength, None


@wrong("14.GradientReversal", "known", "divided by strength")
class ReversalDivided(ReversalForward):
    @staticmethod
    def backward(ctx, g):
        return -g / ctx.strength, None


@wrong("14.GradientReversal", "known", "subtracted from grad_output")
class ReversalSubtracted(ReversalForward):
    @staticmethod
    def backward(ctx, g):
        return g - ctx.strength, None


@wrong("14.GradientReversal", "known", "contains x")
class ReversalTimesX(ReversalForward):
    @staticmethod
    def backward(ctx, g):
        return -ctx.strength * g * ctx.saved_tensors[0], None


@wrong("14.GradientReversal", "grad_output_forgotten", "grad_output is not used")
class ReversalLocal(ReversalForward):
    @staticmethod
    def backward(ctx, g):
        return torch.full_like(g, -ctx.strength), None


@wrong("14.GradientReversal", "known", "the values stay as they are")
class ReversalOfValues(ReversalBackward):
    @staticmethod
    def forward(ctx, x, strength):
        ctx.strength = strength
        return -strength * x


@wrong("14.GradientReversal", "known", "forward reverses the sign of x")
class ReversalOfTheSign(ReversalBackward):
    @staticmethod
    def forward(ctx, x, strength):
        ctx.strength = strength
        return -x


@wrong("14.GradientReversal", "known", "forward multiplies x by strength")
class ReversalScaled(ReversalBackward):
    @staticmethod
    def forward(ctx, x, strength):
        ctx.strength = strength
        return strength * x


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


@wrong("14.StraightThroughRound", "known", "which is the true derivative of rounding")
class RoundZero(RoundForward):
    @staticmethod
    def backward(ctx, g):
        return torch.zeros_like(g)


@wrong("14.StraightThroughRound", "nothing_returned", "a gradient for x")
class RoundNone(RoundForward):
    @staticmethod
    def backward(ctx, g):
        return None


@wrong("14.StraightThroughRound", "known", "cuts off the digits after the point")
class RoundTowardsZero(RoundBackward):
    @staticmethod
    def forward(ctx, x):
        return x.long().to(x.dtype)


@wrong("14.StraightThroughRound", "known", "always rounds down")
class RoundDown(RoundBackward):
    @staticmethod
    def forward(ctx, x):
        return x.floor()


@wrong("14.StraightThroughRound", "known", "always rounds up")
class RoundUp(RoundBackward):
    @staticmethod
    def forward(ctx, x):
        return -(-x).floor()


@wrong("14.StraightThroughRound", "no_graph", "is its dtype a float")
class RoundToIntegers(RoundBackward):
    @staticmethod
    def forward(ctx, x):
        return x.round().long()


@wrong("14.StraightThroughRound", "known", "grad_output is rounded too")
class RoundGradient(RoundForward):
    @staticmethod
    def backward(ctx, g):
        return g.round()


@wrong("14.StraightThroughRound", "known", "passes only where x lies between -1 and 1")
class RoundClipped(RoundForward):
    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * (x.abs() <= 1).to(g.dtype)


@wrong("14.StraightThroughRound", "known", "grad_output is multiplied by x, but")
class RoundTimesX(RoundForward):
    @staticmethod
    def backward(ctx, g):
        return g * ctx.saved_tensors[0]


@wrong("14.StraightThroughRound", "known", "multiplied by the rounded x")
class RoundTimesResult(RoundForward):
    @staticmethod
    def backward(ctx, g):
        return g * ctx.saved_tensors[0].round()


@wrong("14.StraightThroughRound", "grad_output_forgotten", "grad_output is not used")
class RoundOnes(RoundForward):
    @staticmethod
    def backward(ctx, g):
        return torch.ones_like(g)


@wrong("14.StraightThroughRound", "argument_returned", "the result is x unchanged")
class RoundNothing(RoundBackward):
    @staticmethod
    def forward(ctx, x):
        return x.clone()


@wrong("14.StraightThroughRound", "argument_changed", "x is changed in forward")
class RoundInPlace(RoundBackward):
    @staticmethod
    def forward(ctx, x):
        return x.round_().clone()


# Further slips: other terms, places, axes and numbers


@wrong("14.HuberLoss", "known", "begins at 0")
class HuberSubtractsDelta(HuberBackward):
    @staticmethod
    def forward(ctx, input, target, delta):
        error = input - target
        ctx.save_for_backward(error)
        ctx.delta = delta
        size = error.abs()
        return torch.where(size <= delta, error**2 / 2, delta * (size - delta)).mean()


@wrong("14.HuberLoss", "known", "rises with slope 1 whatever delta is")
class HuberLineOfSlopeOne(HuberBackward):
    @staticmethod
    def forward(ctx, input, target, delta):
        error = input - target
        ctx.save_for_backward(error)
        ctx.delta = delta
        size = error.abs()
        return torch.where(size <= delta, error**2 / 2, size - delta / 2).mean()


@wrong("14.HuberLoss", "known", "meet only if delta is 1; and the losses of all entries are added up")
class HuberParenthesesAndSum(HuberBackward):
    """Two slips at once."""

    @staticmethod
    def forward(ctx, input, target, delta):
        error = input - target
        ctx.save_for_backward(error)
        ctx.delta = delta
        size = error.abs()
        return torch.where(size <= delta, error**2 / 2, delta * size - delta / 2).sum()


@wrong("14.HuberLoss", "known", "a negative error must be compared by its size")
class HuberComparesWithSign(HuberBackward):
    @staticmethod
    def forward(ctx, input, target, delta):
        error = input - target
        ctx.save_for_backward(error)
        ctx.delta = delta
        return torch.where(error <= delta, error**2 / 2, delta * (error.abs() - delta / 2)).mean()


@wrong("14.HuberLoss", "known", "divides the sum of the losses by the size of the first dimension")
class HuberMeanOverRows(HuberBackward):
    @staticmethod
    def forward(ctx, input, target, delta):
        mean = HuberForward.forward(ctx, input, target, delta)
        return mean * input.numel() / (len(input) if input.dim() else 1)


@wrong("14.HuberLoss", "known", "beyond delta the gradient is 0")
class HuberZeroBeyond(HuberForward):
    @staticmethod
    def backward(ctx, g):
        (error,) = ctx.saved_tensors
        grad = g * error * (error.abs() <= ctx.delta).to(error.dtype) / error.numel()
        return grad, -grad, None


@wrong("14.HuberLoss", "known", "a large negative error has a constant slope too; and the division")
class HuberClampedAbove(HuberForward):
    @staticmethod
    def backward(ctx, g):
        (error,) = ctx.saved_tensors
        grad = g * error.clamp(max=ctx.delta)
        return grad, -grad, None


@wrong("14.HuberLoss", "known", "divided by the size of the last dimension")
class HuberDividedByColumns(HuberForward):
    @staticmethod
    def backward(ctx, g):
        (error,) = ctx.saved_tensors
        grad = g * error.clamp(-ctx.delta, ctx.delta) / (error.shape[-1] if error.dim() else 1)
        return grad, -grad, None


@wrong("14.SoftmaxCrossEntropy", "known", "which is 0 for a float")
class CrossEntropyLogOfSoftmax(CrossEntropyBackward):
    @staticmethod
    def forward(ctx, logits, target):
        ctx.save_for_backward(logits.log_softmax(1), target)
        return -logits.softmax(dim=1).log()[torch.arange(len(target)), target].mean()


@wrong("14.SoftmaxCrossEntropy", "known", "each row has its own largest logit")
class CrossEntropyOneMaximum(CrossEntropyBackward):
    @staticmethod
    def forward(ctx, logits, target):
        ctx.save_for_backward(logits.log_softmax(1), target)
        shifted = logits - logits.max()
        log_p = shifted - shifted.exp().sum(1, keepdim=True).log()
        return -log_p[torch.arange(len(target)), target].mean()


@wrong("14.SoftmaxCrossEntropy", "known", "the gradient is what comes of one number subtracted from the logits")
class CrossEntropyOneMaximumBackward(CrossEntropyForward):
    @staticmethod
    def backward(ctx, g):
        _, target, logits = ctx.saved_tensors
        weights = (logits - logits.max()).exp()
        p = weights / weights.sum(1, keepdim=True)
        p[torch.arange(len(target)), target] -= 1
        return g * p / len(target), None


@wrong("14.SoftmaxCrossEntropy", "known", "puts a small number under the logarithm")
class CrossEntropySmallNumber(CrossEntropyBackward):
    @staticmethod
    def forward(ctx, logits, target):
        ctx.save_for_backward(logits.log_softmax(1), target)
        p = logits.softmax(1)[torch.arange(len(target)), target]
        return -(p + 1e-8).log().mean()


@wrong("14.SoftmaxCrossEntropy", "known", "puts a small number under the logarithm")
class CrossEntropyLimitedProbability(CrossEntropyBackward):
    @staticmethod
    def forward(ctx, logits, target):
        ctx.save_for_backward(logits.log_softmax(1), target)
        p = logits.softmax(1)[torch.arange(len(target)), target]
        return -p.clamp(min=1e-12).log().mean()


@wrong("14.SoftmaxCrossEntropy", "known", "picks the classes of all rows in every row")
class CrossEntropyAllPairs(CrossEntropyBackward):
    @staticmethod
    def forward(ctx, logits, target):
        log_p = logits.log_softmax(1)
        ctx.save_for_backward(log_p, target)
        return -log_p[:, target].mean()


@wrong("14.SoftmaxCrossEntropy", "known", "takes the softmax twice")
class CrossEntropyTwice(CrossEntropyBackward):
    @staticmethod
    def forward(ctx, logits, target):
        ctx.save_for_backward(logits.log_softmax(1), target)
        return torch.nn.functional.cross_entropy(logits.softmax(1), target)


@wrong("14.SoftmaxCrossEntropy", "known", "1 is subtracted from every probability")
class CrossEntropyMinusOneEverywhere(CrossEntropyForward):
    @staticmethod
    def backward(ctx, g):
        log_p, target, _ = ctx.saved_tensors
        return g * (log_p.exp() - 1) / len(target), None


@wrong("14.SoftmaxCrossEntropy", "known", "at the classes of all rows")
class CrossEntropyMinusOneInColumns(CrossEntropyForward):
    @staticmethod
    def backward(ctx, g):
        log_p, target, _ = ctx.saved_tensors
        p = log_p.exp()
        p[:, target] -= 1
        return g * p / len(target), None


@wrong("14.SoftmaxCrossEntropy", "known", "are in one row; and the division by the number of rows")
class CrossEntropyColumnsAndSum(CrossEntropyForward):
    @staticmethod
    def backward(ctx, g):
        _, target, logits = ctx.saved_tensors
        p = logits.softmax(0)
        p[torch.arange(len(target)), target] -= 1
        return g * p, None


@wrong("14.SoftmaxCrossEntropy", "known", "that comes from the softmax is divided")
class CrossEntropyHalfDivided(CrossEntropyForward):
    @staticmethod
    def backward(ctx, g):
        log_p, target, _ = ctx.saved_tensors
        grad = log_p.exp() / len(target)
        grad[torch.arange(len(target)), target] -= 1
        return g * grad, None


@wrong("14.LogSumExp", "known", "is not its largest entry")
class LogSumExpShiftedByMean(LogSumExpRightBackward):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        middle = x.mean(-1, keepdim=True)
        return ((x - middle).exp().sum(-1, keepdim=True).log() + middle).squeeze(-1)


@wrong("14.LogSumExp", "known", "is not its largest entry")
class LogSumExpShiftedByFirst(LogSumExpRightBackward):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return (x - x[..., :1]).exp().sum(-1).log() + x[..., 0]


@wrong("14.LogSumExp", "known", "entries beyond the limit all count the same")
class LogSumExpLimited(LogSumExpRightBackward):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.clamp(-500, 500).exp().sum(-1).log()


@wrong("14.LogSumExp", "known", "leaves the logarithm out")
class LogSumExpNoLog(LogSumExpRightBackward):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        top = x.amax(-1, keepdim=True)
        return top.squeeze(-1) + (x - top).exp().sum(-1)


@wrong("14.LogSumExp", "known", "the others count too")
class LogSumExpMaximum(LogSumExpRightBackward):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.max(-1).values


@wrong("14.LogSumExp", "known", "along the first dimension")
class LogSumExpShareOfColumns(LogSumExpForward):
    @staticmethod
    def backward(ctx, g):
        return g.unsqueeze(-1) * ctx.saved_tensors[0].softmax(0)


@wrong("14.LogSumExp", "known", "one derivative too many")
class LogSumExpOneFurther(LogSumExpForward):
    @staticmethod
    def backward(ctx, g):
        p = ctx.saved_tensors[0].softmax(-1)
        return g.unsqueeze(-1) * p * (1 - p)


@wrong("14.LogSumExp", "known", "an equal share of grad_output")
class LogSumExpEqualShares(LogSumExpForward):
    @staticmethod
    def backward(ctx, g):
        x, _ = ctx.saved_tensors
        return g.unsqueeze(-1).expand_as(x) / x.shape[-1]


@wrong("14.LayerNorm", "known", "adds 1e-06 to the variance")
class LayerNormSmallerEps(LayerNormBackward):
    @staticmethod
    def forward(ctx, x):
        centred, variance = right_for_layer_norm(ctx, x)
        return centred / (variance + 1e-6).sqrt()


@wrong("14.LayerNorm", "known", "adds eps to the root of the variance")
class LayerNormTorchStd(LayerNormBackward):
    """`std` divides by n - 1: two slips."""

    @staticmethod
    def forward(ctx, x):
        centred, _ = right_for_layer_norm(ctx, x)
        return centred / (x.std(-1, keepdim=True) + 1e-5)


@wrong("14.LayerNorm", "known", "takes the larger of variance and eps")
class LayerNormEpsAsLimit(LayerNormBackward):
    @staticmethod
    def forward(ctx, x):
        centred, variance = right_for_layer_norm(ctx, x)
        return centred / variance.clamp(min=1e-5).sqrt()


@wrong("14.LayerNorm", "known", "by the number of all entries of x")
class LayerNormCountOfTable(LayerNormBackward):
    @staticmethod
    def forward(ctx, x):
        centred, _ = right_for_layer_norm(ctx, x)
        return centred / ((centred**2).sum(-1, keepdim=True) / x.numel() + 1e-5).sqrt()


@wrong("14.LayerNorm", "known", "takes the variance of all entries together")
class LayerNormVarianceOfAll(LayerNormBackward):
    @staticmethod
    def forward(ctx, x):
        centred, _ = right_for_layer_norm(ctx, x)
        return centred / (x.var(correction=0) + 1e-5).sqrt()


@wrong("14.LayerNorm", "known", "adds up the squares for the variance")
class LayerNormSumOfSquares(LayerNormBackward):
    @staticmethod
    def forward(ctx, x):
        centred, _ = right_for_layer_norm(ctx, x)
        return centred / ((centred**2).sum(-1, keepdim=True) + 1e-5).sqrt()


@wrong("14.LayerNorm", "known", "has the wrong sign, the part through the variance is right")
class LayerNormMeanAdded(LayerNormForward):
    @staticmethod
    def backward(ctx, g):
        centred, spread = ctx.saved_tensors
        y = centred / spread
        return (g + g.mean(-1, keepdim=True) - y * (g * y).mean(-1, keepdim=True)) / spread


@wrong("14.LayerNorm", "known", "the part through the variance is twice as large")
class LayerNormSquareNotHalved(LayerNormForward):
    @staticmethod
    def backward(ctx, g):
        centred, spread = ctx.saved_tensors
        y = centred / spread
        return (g - g.mean(-1, keepdim=True) - 2 * y * (g * y).mean(-1, keepdim=True)) / spread


@wrong("14.LayerNorm", "known", "through the mean is averaged of all entries together")
class LayerNormMeanOfAllGradients(LayerNormForward):
    @staticmethod
    def backward(ctx, g):
        centred, spread = ctx.saved_tensors
        y = centred / spread
        return (g - g.mean() - y * (g * y).mean(-1, keepdim=True)) / spread


@wrong("14.LayerNorm", "known", "a division by the spread of the row is missing (the part")
class LayerNormCentredForNormalised(LayerNormForward):
    @staticmethod
    def backward(ctx, g):
        centred, spread = ctx.saved_tensors
        y = centred / spread
        return (g - g.mean(-1, keepdim=True) - y * (g * centred).mean(-1, keepdim=True)) / spread


@wrong("14.LayerNorm", "known", "only grad_output itself is divided by the spread")
class LayerNormParentheses(LayerNormForward):
    @staticmethod
    def backward(ctx, g):
        centred, spread = ctx.saved_tensors
        y = centred / spread
        return g / spread - g.mean(-1, keepdim=True) - y * (g * y).mean(-1, keepdim=True)


@wrong("14.Softplus", "known", "a short cut for large x, too early")
class SoftplusShortCut(SoftplusBackward):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.where(x > 5, x, (1 + x.clamp(max=5).exp()).log())


@wrong("14.Softplus", "known", "a short cut for large and for very negative x, too early")
class SoftplusTwoShortCuts(SoftplusBackward):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        middle = x.clamp(-10, 10).exp().log1p()
        return torch.where(x > 10, x, torch.where(x < -10, torch.zeros_like(x), middle))


@wrong("14.Softplus", "known", "stays the same beyond the limit")
class SoftplusLimited(SoftplusBackward):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.clamp(max=700).exp().log1p()


@wrong("14.Softplus", "known", "the slope used takes a short cut for large x")
class SoftplusSlopeShortCut(SoftplusForward):
    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return torch.where(x > 5, g, g * x.sigmoid())


@wrong("14.Softplus", "known", "gives the same for x and -x")
class SoftplusOfSize(SoftplusBackward):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.abs() + (-x.abs()).exp().log1p()


@wrong("14.Softplus", "known", "the logistic function: this is the slope")
class SoftplusIsItsSlope(SoftplusBackward):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.sigmoid()


@wrong("14.Softplus", "known", "taken at the result of forward")
class SoftplusSlopeOfResult(SoftplusForward):
    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * (x.clamp(min=0) + (-x.abs()).exp().log1p()).sigmoid()


@wrong("14.Interpolate", "known", "gives a the weight t and b the weight t")
class InterpolateSameWeights(InterpolateBackward):
    @staticmethod
    def forward(ctx, a, b, t):
        ctx.save_for_backward(a, b, t)
        return t * (a + b)


@wrong("14.Interpolate", "known", "gives a the weight 1 + t and b the weight -t")
class InterpolateAway(InterpolateBackward):
    @staticmethod
    def forward(ctx, a, b, t):
        ctx.save_for_backward(a, b, t)
        return a + t * (a - b)


@wrong("14.Interpolate", "known", "parentheses are missing")
class InterpolateParentheses(InterpolateBackward):
    @staticmethod
    def forward(ctx, a, b, t):
        ctx.save_for_backward(a, b, t)
        return 1 - t * a + t * b


@wrong("14.Interpolate", "known", "the gradient for a is grad_output itself, the gradient for b is right")
class InterpolateFromABackward(InterpolateForward):
    """As of a + t (b - a), with the second a forgotten."""

    @staticmethod
    def backward(ctx, g):
        a, b, t = ctx.saved_tensors
        return g, t * g, (g * (b - a)).sum_to_size(t.shape)


@wrong("14.Interpolate", "known", "contains a, the gradient for b contains b")
class InterpolateTerms(InterpolateForward):
    """The terms of the result themselves."""

    @staticmethod
    def backward(ctx, g):
        a, b, t = ctx.saved_tensors
        return (1 - t) * a * g, t * b * g, (g * (b - a)).sum_to_size(t.shape)


@wrong("14.Interpolate", "known", "depends on a alone, but b gains weight when t grows; and if t is one number")
class InterpolateMinusAAndMean(InterpolateForward):
    @staticmethod
    def backward(ctx, g):
        a, _, t = ctx.saved_tensors
        each = -g * a
        return (1 - t) * g, t * g, each if t.dim() else each.mean()


@wrong("14.Interpolate", "known", "gathered first and multiplied then")
class InterpolateSumTimesSum(InterpolateForward):
    @staticmethod
    def backward(ctx, g):
        a, b, t = ctx.saved_tensors
        return (1 - t) * g, t * g, g * (b - a) if t.dim() else g.sum() * (b - a).sum()


@wrong("14.Interpolate", "wrong_shape", "the gradient for t has shape (), t itself (1,)")
class InterpolateByCount(InterpolateForward):
    """One entry is not the same as no dimension."""

    @staticmethod
    def backward(ctx, g):
        a, b, t = ctx.saved_tensors
        each = g * (b - a)
        return (1 - t) * g, t * g, each.sum() if t.numel() == 1 else each


@wrong("14.GradientReversal", "known", "divided by strength, and its sign is not reversed")
class ReversalDividedOnly(ReversalForward):
    @staticmethod
    def backward(ctx, g):
        return g / ctx.strength, None


@wrong("14.GradientReversal", "known", "it is the sign that must be reversed")
class ReversalOfEntries(ReversalForward):
    @staticmethod
    def backward(ctx, g):
        return ctx.strength * (g.flip(0) if g.dim() else g), None


@wrong("14.GradientReversal", "known", "only its sign is used")
class ReversalOfSignOnly(ReversalForward):
    @staticmethod
    def backward(ctx, g):
        return -ctx.strength * g.sign(), None


@wrong("14.GradientReversal", "known", "adds strength to x")
class ReversalAdds(ReversalBackward):
    @staticmethod
    def forward(ctx, x, strength):
        ctx.strength = strength
        return x + strength


@wrong("14.StraightThroughRound", "known", "halfway between two whole numbers, forward always rounds up")
class RoundByFloor(RoundBackward):
    @staticmethod
    def forward(ctx, x):
        return (x + 0.5).floor()


@wrong("14.StraightThroughRound", "known", "halfway between two whole numbers, forward always rounds away from 0")
class RoundHalvesAway(RoundBackward):
    @staticmethod
    def forward(ctx, x):
        return x.sign() * (x.abs() + 0.5).floor()


@wrong("14.StraightThroughRound", "known", "wrong for negative numbers")
class RoundByLong(RoundBackward):
    @staticmethod
    def forward(ctx, x):
        return (x + 0.5).long().to(x.dtype)


@wrong("14.StraightThroughRound", "known", "loses the sign of x")
class RoundOfSize(RoundBackward):
    @staticmethod
    def forward(ctx, x):
        return x.abs().round()


@wrong("14.StraightThroughRound", "known", "limited to the numbers from -1 to 1")
class RoundGradientLimited(RoundForward):
    @staticmethod
    def backward(ctx, g):
        return g.clamp(-1, 1)


@wrong("14.StraightThroughRound", "known", "by what rounding takes away")
class RoundGradientOfRest(RoundForward):
    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * (x - x.round())


@wrong("14.HuberLoss", "known", "grows with the error also beyond delta")
class HuberTargetNotLimited(HuberForward):
    """Right for one argument, wrong for the other."""

    @staticmethod
    def backward(ctx, g):
        (error,) = ctx.saved_tensors
        share = g / error.numel()
        return share * error.clamp(-ctx.delta, ctx.delta), -share * error, None


@wrong("14.SoftmaxCrossEntropy", "known", "logits beyond the limit all count the same")
class CrossEntropyLimitedLogits(CrossEntropyBackward):
    @staticmethod
    def forward(ctx, logits, target):
        ctx.save_for_backward(logits.log_softmax(1), target)
        near = logits.clamp(-500, 500)
        return (near.exp().sum(1).log() - near[torch.arange(len(target)), target]).mean()


@wrong("14.SoftmaxCrossEntropy", "known", "the number of the right class")
class CrossEntropyMinusNumber(CrossEntropyForward):
    @staticmethod
    def backward(ctx, g):
        log_p, target, _ = ctx.saved_tensors
        return g * (log_p.exp() - target[:, None].to(log_p.dtype)) / len(target), None


@wrong("14.LogSumExp", "known", "the smaller entries of a row count more")
class LogSumExpMinusX(LogSumExpForward):
    @staticmethod
    def backward(ctx, g):
        return g.unsqueeze(-1) * (-ctx.saved_tensors[0]).softmax(-1)


@wrong("14.LogSumExp", "second_nan", "the second by `x` is NaN")
class LogSumExpWhereTooLate(LogSumExpForward):
    """Both ways are computed, and the one that is not picked spoils the second derivative."""

    @staticmethod
    def backward(ctx, g):
        x, result = ctx.saved_tensors
        plain = x.exp() / x.exp().sum(-1, keepdim=True)
        far = (x - result.unsqueeze(-1)).exp()
        return g.unsqueeze(-1) * torch.where(x.abs() > 500, far, plain)


@wrong("14.LayerNorm", "known", "x stands inside the mean where x - mean must stand")
class LayerNormNotCentredBackward(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.nn.functional.layer_norm(x, x.shape[-1:])

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        centred = x - x.mean(-1, keepdim=True)
        spread = ((centred**2).mean(-1, keepdim=True) + 1e-5).sqrt()
        grad_variance = (g * x).sum(-1, keepdim=True) * -0.5 / spread**3
        grad = g / spread + grad_variance * 2 * centred / x.shape[-1]
        return grad - (g / spread).mean(-1, keepdim=True)


@wrong("14.Softplus", "known", "this is right for positive x only")
class SoftplusForPositive(SoftplusBackward):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.clamp(min=0) + (-x).exp().log1p()


@wrong("14.Softplus", "known", "the slope of what is inside the logarithm alone")
class SoftplusInnerOnly(SoftplusForward):
    @staticmethod
    def backward(ctx, g):
        return g * ctx.saved_tensors[0].exp()


@wrong("14.GradientReversal", "known", "a strength of 0 is taken for 1")
class ReversalOrOne(ReversalForward):
    @staticmethod
    def backward(ctx, g):
        return -(ctx.strength or 1) * g, None


@wrong("14.GradientReversal", "known", "the sign of strength is lost")
class ReversalBySize(ReversalForward):
    @staticmethod
    def backward(ctx, g):
        return -abs(ctx.strength) * g, None


@wrong("14.HuberLoss", "known", "at an error of 1, whatever delta is")
class HuberChangesAtOne(HuberForward):
    @staticmethod
    def backward(ctx, g):
        (error,) = ctx.saved_tensors
        slope = torch.where(error.abs() <= 1, error, ctx.delta * error.sign())
        grad = g * slope / error.numel()
        return grad, -grad, None


@wrong("14.LogSumExp", "known", "entries beyond the limit all count the same")
class LogSumExpOfAtMost(LogSumExpRightBackward):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.clamp(max=700).logsumexp(-1)


@wrong("14.Softplus", "known", "the 1 is added twice")
class SoftplusOneMore(SoftplusBackward):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.clamp(min=0) + (1 + (-x.abs()).exp()).log1p()


@wrong("14.Softplus", "known", "x is limited before the slope is computed")
class SoftplusSlopeLimited(SoftplusForward):
    @staticmethod
    def backward(ctx, g):
        return g * ctx.saved_tensors[0].clamp(-5, 5).sigmoid()


@wrong("14.Interpolate", "known", "NaN where t is 0")
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
