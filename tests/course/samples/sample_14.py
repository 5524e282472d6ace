"""Answers to notebook 14 by people who saw the statements alone: right ones and wrong ones with what is wrong."""

ANSWERS = [
    (
        "14.HuberLoss",
        "right",
        "where in forward, clamp in backward",
        """
class HuberLoss(Function):
    @staticmethod
    def forward(ctx, input, target, delta):
        e = input - target
        ctx.save_for_backward(e)
        ctx.delta = delta
        a = e.abs()
        return torch.where(a <= delta, 0.5 * e * e, delta * (a - 0.5 * delta)).mean()

    @staticmethod
    def backward(ctx, grad_output):
        e, = ctx.saved_tensors
        g = grad_output * e.clamp(-ctx.delta, ctx.delta) / e.numel()
        return g, -g, None
""",
    ),
    (
        "14.HuberLoss",
        "right",
        "setup_context, minimum trick without any comparison",
        """
class HuberLoss(Function):
    @staticmethod
    def forward(input, target, delta):
        a = torch.abs(input - target)
        small = torch.clamp(a, max=delta)
        return torch.mean(small * small / 2 + delta * (a - small))

    @staticmethod
    def setup_context(ctx, inputs, output):
        input, target, delta = inputs
        ctx.save_for_backward(input, target)
        ctx.delta = delta

    @staticmethod
    def backward(ctx, grad_output):
        input, target = ctx.saved_tensors
        d = target - input
        slope = torch.where(d.abs() < ctx.delta, d, ctx.delta * torch.sign(d))
        for_target = slope * (grad_output / d.numel())
        return -for_target, for_target, None
""",
    ),
    (
        "14.HuberLoss",
        "right",
        "loop over Python numbers in forward, masks in backward",
        """
def cost(e, delta):
    if -delta <= e <= delta:
        return e * e / 2
    return delta * (abs(e) - delta / 2)

class HuberLoss(Function):
    @staticmethod
    def forward(ctx, input, target, delta):
        ctx.save_for_backward(input, target)
        ctx.delta = delta
        errors = (input - target).reshape(-1).tolist()
        total = 0.0
        for e in errors:
            total += cost(e, delta)
        return torch.tensor(total / len(errors), dtype=input.dtype)

    @staticmethod
    def backward(ctx, grad_output):
        input, target = ctx.saved_tensors
        e = input - target
        above = (e > ctx.delta).to(e.dtype)
        below = (e < -ctx.delta).to(e.dtype)
        inside = 1 - above - below
        slope = inside * e + ctx.delta * above - ctx.delta * below
        g = slope.mul(grad_output).div(max(e.numel(), 1))
        return g, g.neg(), None
""",
    ),
    (
        "14.HuberLoss",
        "right",
        "NumPy in forward and backward",
        """
import numpy as np

class HuberLoss(Function):
    @staticmethod
    def forward(ctx, input, target, delta):
        e = np.asarray(input.detach().numpy() - target.detach().numpy())
        ctx.e, ctx.delta, ctx.dtype = e, delta, input.dtype
        a = np.abs(e)
        costs = np.where(a > delta, delta * (a - 0.5 * delta), 0.5 * e ** 2)
        return torch.tensor(float(costs.mean()), dtype=input.dtype)

    @staticmethod
    def backward(ctx, grad_output):
        slope = np.clip(ctx.e, -ctx.delta, ctx.delta) / ctx.e.size
        g = torch.tensor(slope, dtype=ctx.dtype) * grad_output
        return g, -g, None
""",
    ),
    (
        "14.HuberLoss",
        "wrong",
        "the straight part subtracts delta instead of delta / 2, so the loss is too small (and jumps) where the error is above delta",
        """
class HuberLoss(Function):
    @staticmethod
    def forward(ctx, input, target, delta):
        e = input - target
        ctx.save_for_backward(e)
        ctx.delta = delta
        a = e.abs()
        return torch.where(a <= delta, 0.5 * e * e, delta * (a - delta)).mean()

    @staticmethod
    def backward(ctx, grad_output):
        e, = ctx.saved_tensors
        delta = ctx.delta
        slope = torch.where(e.abs() <= delta, e, delta * torch.sign(e))
        g = grad_output * slope / e.numel()
        return g, -g, None
""",
    ),
    (
        "14.HuberLoss",
        "wrong",
        "forward and backward compute the sum of the costs instead of the mean",
        """
class HuberLoss(Function):
    @staticmethod
    def forward(ctx, input, target, delta):
        e = input - target
        ctx.save_for_backward(e)
        ctx.delta = delta
        a = e.abs()
        return torch.where(a <= delta, 0.5 * e * e, delta * (a - 0.5 * delta)).sum()

    @staticmethod
    def backward(ctx, grad_output):
        e, = ctx.saved_tensors
        delta = ctx.delta
        slope = torch.where(e.abs() <= delta, e, delta * torch.sign(e))
        g = grad_output * slope
        return g, -g, None
""",
    ),
    (
        "14.HuberLoss",
        "wrong",
        "backward is not divided by the number of entries although forward takes the mean",
        """
class HuberLoss(Function):
    @staticmethod
    def forward(ctx, input, target, delta):
        e = input - target
        ctx.save_for_backward(e)
        ctx.delta = delta
        a = e.abs()
        return torch.where(a <= delta, 0.5 * e * e, delta * (a - 0.5 * delta)).mean()

    @staticmethod
    def backward(ctx, grad_output):
        e, = ctx.saved_tensors
        delta = ctx.delta
        slope = torch.where(e.abs() <= delta, e, delta * torch.sign(e))
        g = grad_output * slope
        return g, -g, None
""",
    ),
    (
        "14.HuberLoss",
        "wrong",
        "backward does not multiply by grad_output",
        """
class HuberLoss(Function):
    @staticmethod
    def forward(ctx, input, target, delta):
        e = input - target
        ctx.save_for_backward(e)
        ctx.delta = delta
        a = e.abs()
        return torch.where(a <= delta, 0.5 * e * e, delta * (a - 0.5 * delta)).mean()

    @staticmethod
    def backward(ctx, grad_output):
        e, = ctx.saved_tensors
        delta = ctx.delta
        slope = torch.where(e.abs() <= delta, e, delta * torch.sign(e))
        g = slope / e.numel()
        return g, -g, None
""",
    ),
    (
        "14.HuberLoss",
        "wrong",
        "target gets None instead of a gradient",
        """
class HuberLoss(Function):
    @staticmethod
    def forward(ctx, input, target, delta):
        e = input - target
        ctx.save_for_backward(e)
        ctx.delta = delta
        a = e.abs()
        return torch.where(a <= delta, 0.5 * e * e, delta * (a - 0.5 * delta)).mean()

    @staticmethod
    def backward(ctx, grad_output):
        e, = ctx.saved_tensors
        delta = ctx.delta
        slope = torch.where(e.abs() <= delta, e, delta * torch.sign(e))
        g = grad_output * slope / e.numel()
        return g, None, None
""",
    ),
    (
        "14.HuberLoss",
        "wrong",
        "the gradient of target has the wrong sign (the same as that of input)",
        """
class HuberLoss(Function):
    @staticmethod
    def forward(ctx, input, target, delta):
        e = input - target
        ctx.save_for_backward(e)
        ctx.delta = delta
        a = e.abs()
        return torch.where(a <= delta, 0.5 * e * e, delta * (a - 0.5 * delta)).mean()

    @staticmethod
    def backward(ctx, grad_output):
        e, = ctx.saved_tensors
        delta = ctx.delta
        slope = torch.where(e.abs() <= delta, e, delta * torch.sign(e))
        g = grad_output * slope / e.numel()
        return g, g, None
""",
    ),
    (
        "14.HuberLoss",
        "wrong",
        "the slope of the straight part has no sign: errors below -delta get +delta instead of -delta",
        """
class HuberLoss(Function):
    @staticmethod
    def forward(ctx, input, target, delta):
        e = input - target
        ctx.save_for_backward(e)
        ctx.delta = delta
        a = e.abs()
        return torch.where(a <= delta, 0.5 * e * e, delta * (a - 0.5 * delta)).mean()

    @staticmethod
    def backward(ctx, grad_output):
        e, = ctx.saved_tensors
        delta = ctx.delta
        slope = torch.where(e.abs() <= delta, e, torch.full_like(e, delta))
        g = grad_output * slope / e.numel()
        return g, -g, None
""",
    ),
    (
        "14.HuberLoss",
        "wrong",
        "the slope of the straight part is sign(e), the factor delta is missing",
        """
class HuberLoss(Function):
    @staticmethod
    def forward(ctx, input, target, delta):
        e = input - target
        ctx.save_for_backward(e)
        ctx.delta = delta
        a = e.abs()
        return torch.where(a <= delta, 0.5 * e * e, delta * (a - 0.5 * delta)).mean()

    @staticmethod
    def backward(ctx, grad_output):
        e, = ctx.saved_tensors
        delta = ctx.delta
        slope = torch.where(e.abs() <= delta, e, torch.sign(e))
        g = grad_output * slope / e.numel()
        return g, -g, None
""",
    ),
    (
        "14.HuberLoss",
        "wrong",
        "forward compares e with delta, not |e|: large negative errors are squared",
        """
class HuberLoss(Function):
    @staticmethod
    def forward(ctx, input, target, delta):
        e = input - target
        ctx.save_for_backward(e)
        ctx.delta = delta
        a = e.abs()
        return torch.where(e <= delta, 0.5 * e * e, delta * (a - 0.5 * delta)).mean()

    @staticmethod
    def backward(ctx, grad_output):
        e, = ctx.saved_tensors
        delta = ctx.delta
        slope = torch.where(e.abs() <= delta, e, delta * torch.sign(e))
        g = grad_output * slope / e.numel()
        return g, -g, None
""",
    ),
    (
        "14.HuberLoss",
        "wrong",
        "backward compares e with delta, not |e|: large negative errors get the slope of the parabola",
        """
class HuberLoss(Function):
    @staticmethod
    def forward(ctx, input, target, delta):
        e = input - target
        ctx.save_for_backward(e)
        ctx.delta = delta
        a = e.abs()
        return torch.where(a <= delta, 0.5 * e * e, delta * (a - 0.5 * delta)).mean()

    @staticmethod
    def backward(ctx, grad_output):
        e, = ctx.saved_tensors
        delta = ctx.delta
        slope = torch.where(e <= delta, e, delta * torch.sign(e))
        g = grad_output * slope / e.numel()
        return g, -g, None
""",
    ),
    (
        "14.HuberLoss",
        "wrong",
        "backward divides by the number of rows instead of the number of entries (and fails for a tensor without dimensions)",
        """
class HuberLoss(Function):
    @staticmethod
    def forward(ctx, input, target, delta):
        e = input - target
        ctx.save_for_backward(e)
        ctx.delta = delta
        a = e.abs()
        return torch.where(a <= delta, 0.5 * e * e, delta * (a - 0.5 * delta)).mean()

    @staticmethod
    def backward(ctx, grad_output):
        e, = ctx.saved_tensors
        delta = ctx.delta
        slope = torch.where(e.abs() <= delta, e, delta * torch.sign(e))
        g = grad_output * slope / e.shape[0]
        return g, -g, None
""",
    ),
    (
        "14.HuberLoss",
        "wrong",
        "backward returns two values for three arguments: None for delta is missing",
        """
class HuberLoss(Function):
    @staticmethod
    def forward(ctx, input, target, delta):
        e = input - target
        ctx.save_for_backward(e)
        ctx.delta = delta
        a = e.abs()
        return torch.where(a <= delta, 0.5 * e * e, delta * (a - 0.5 * delta)).mean()

    @staticmethod
    def backward(ctx, grad_output):
        e, = ctx.saved_tensors
        delta = ctx.delta
        slope = torch.where(e.abs() <= delta, e, delta * torch.sign(e))
        g = grad_output * slope / e.numel()
        return g, -g
""",
    ),
    (
        "14.HuberLoss",
        "wrong",
        "backward compares with 1 instead of delta",
        """
class HuberLoss(Function):
    @staticmethod
    def forward(ctx, input, target, delta):
        e = input - target
        ctx.save_for_backward(e)
        ctx.delta = delta
        a = e.abs()
        return torch.where(a <= delta, 0.5 * e * e, delta * (a - 0.5 * delta)).mean()

    @staticmethod
    def backward(ctx, grad_output):
        e, = ctx.saved_tensors
        delta = ctx.delta
        slope = torch.where(e.abs() <= 1, e, delta * torch.sign(e))
        g = grad_output * slope / e.numel()
        return g, -g, None
""",
    ),
    (
        "14.HuberLoss",
        "wrong",
        "forward subtracts in place and changes input",
        """
class HuberLoss(Function):
    @staticmethod
    def forward(ctx, input, target, delta):
        input -= target
        e = input
        ctx.save_for_backward(e)
        ctx.delta = delta
        a = e.abs()
        return torch.where(a <= delta, 0.5 * e * e, delta * (a - 0.5 * delta)).mean()

    @staticmethod
    def backward(ctx, grad_output):
        e, = ctx.saved_tensors
        delta = ctx.delta
        slope = torch.where(e.abs() <= delta, e, delta * torch.sign(e))
        g = grad_output * slope / e.numel()
        return g, -g, None
""",
    ),
    (
        "14.HuberLoss",
        "wrong",
        "the result has one dimension (shape (1,)) instead of none",
        """
class HuberLoss(Function):
    @staticmethod
    def forward(ctx, input, target, delta):
        e = input - target
        ctx.save_for_backward(e)
        ctx.delta = delta
        a = e.abs()
        return torch.where(a <= delta, 0.5 * e * e, delta * (a - 0.5 * delta)).mean().reshape(1)

    @staticmethod
    def backward(ctx, grad_output):
        e, = ctx.saved_tensors
        delta = ctx.delta
        slope = torch.where(e.abs() <= delta, e, delta * torch.sign(e))
        g = grad_output * slope / e.numel()
        return g, -g, None
""",
    ),
    (
        "14.HuberLoss",
        "wrong",
        "the error is kept on the class instead of on ctx, so a second call disturbs the first",
        """
class HuberLoss(Function):
    @staticmethod
    def forward(ctx, input, target, delta):
        e = input - target
        HuberLoss.e = e
        ctx.delta = delta
        a = e.abs()
        return torch.where(a <= delta, 0.5 * e * e, delta * (a - 0.5 * delta)).mean()

    @staticmethod
    def backward(ctx, grad_output):
        e = HuberLoss.e
        delta = ctx.delta
        slope = torch.where(e.abs() <= delta, e, delta * torch.sign(e))
        g = grad_output * slope / e.numel()
        return g, -g, None
""",
    ),
    (
        "14.HuberLoss",
        "wrong",
        "the result is float32 also for float64 tensors",
        """
class HuberLoss(Function):
    @staticmethod
    def forward(ctx, input, target, delta):
        e = input - target
        ctx.save_for_backward(e)
        ctx.delta = delta
        a = e.abs()
        return torch.where(a <= delta, 0.5 * e * e, delta * (a - 0.5 * delta)).mean().float()

    @staticmethod
    def backward(ctx, grad_output):
        e, = ctx.saved_tensors
        delta = ctx.delta
        slope = torch.where(e.abs() <= delta, e, delta * torch.sign(e))
        g = grad_output * slope / e.numel()
        return g, -g, None
""",
    ),
    (
        "14.HuberLoss",
        "wrong",
        "the factor 1/2 of the parabola is missing in forward",
        """
class HuberLoss(Function):
    @staticmethod
    def forward(ctx, input, target, delta):
        e = input - target
        ctx.save_for_backward(e)
        ctx.delta = delta
        a = e.abs()
        return torch.where(a <= delta, e * e, delta * (a - 0.5 * delta)).mean()

    @staticmethod
    def backward(ctx, grad_output):
        e, = ctx.saved_tensors
        delta = ctx.delta
        slope = torch.where(e.abs() <= delta, e, delta * torch.sign(e))
        g = grad_output * slope / e.numel()
        return g, -g, None
""",
    ),
    (
        "14.HuberLoss",
        "wrong",
        "backward throws away what it needs, so a second backward pass through the same graph fails",
        """
class HuberLoss(Function):
    @staticmethod
    def forward(ctx, input, target, delta):
        e = input - target
        ctx.e = e
        ctx.delta = delta
        a = e.abs()
        return torch.where(a <= delta, 0.5 * e * e, delta * (a - 0.5 * delta)).mean()

    @staticmethod
    def backward(ctx, grad_output):
        e = ctx.e
        del ctx.e
        delta = ctx.delta
        slope = torch.where(e.abs() <= delta, e, delta * torch.sign(e))
        g = grad_output * slope / e.numel()
        return g, -g, None
""",
    ),
    (
        "14.HuberLoss",
        "right",
        "the clipped error c is the slope, and the cost is c * (e - c / 2); forward saves the finished slope",
        """
class HuberLoss(Function):
    @staticmethod
    def forward(input, target, delta):
        e = input - target
        c = torch.clamp(e, min=-delta, max=delta)
        return (c * (e - c / 2)).mean()

    @staticmethod
    def setup_context(ctx, inputs, output):
        input, target, delta = inputs
        ctx.slope = torch.clamp(input.detach() - target.detach(), -delta, delta) / input.numel()

    @staticmethod
    def backward(ctx, grad_output):
        down = -grad_output * ctx.slope
        return -down, down, None
""",
    ),
    (
        "14.HuberLoss",
        "wrong",
        "the gradient is not divided by the number of entries, although the loss is a mean",
        """
class HuberLoss(Function):
    @staticmethod
    def forward(ctx, input, target, delta):
        error = input - target
        size = error.abs()
        cost = torch.where(size <= delta, 0.5 * error * error, delta * (size - 0.5 * delta))
        ctx.save_for_backward(error)
        ctx.delta = delta
        return cost.mean()

    @staticmethod
    def backward(ctx, grad_output):
        error, = ctx.saved_tensors
        slope = torch.where(error.abs() <= ctx.delta, error, ctx.delta * torch.sign(error))
        grad = grad_output * slope
        return grad, -grad, None
""",
    ),
    (
        "14.HuberLoss",
        "wrong",
        "target gets None, although it has a gradient (minus that of input)",
        """
class HuberLoss(Function):
    @staticmethod
    def forward(ctx, input, target, delta):
        error = input - target
        size = error.abs()
        cost = torch.where(size <= delta, 0.5 * error * error, delta * (size - 0.5 * delta))
        ctx.save_for_backward(error)
        ctx.delta = delta
        return cost.mean()

    @staticmethod
    def backward(ctx, grad_output):
        error, = ctx.saved_tensors
        slope = torch.where(error.abs() <= ctx.delta, error, ctx.delta * torch.sign(error))
        grad = grad_output * slope / error.numel()
        return grad, None, None
""",
    ),
    (
        "14.HuberLoss",
        "wrong",
        "target gets the same gradient as input; the sign must be the opposite",
        """
class HuberLoss(Function):
    @staticmethod
    def forward(ctx, input, target, delta):
        error = input - target
        size = error.abs()
        cost = torch.where(size <= delta, 0.5 * error * error, delta * (size - 0.5 * delta))
        ctx.save_for_backward(error)
        ctx.delta = delta
        return cost.mean()

    @staticmethod
    def backward(ctx, grad_output):
        error, = ctx.saved_tensors
        slope = torch.where(error.abs() <= ctx.delta, error, ctx.delta * torch.sign(error))
        grad = grad_output * slope / error.numel()
        return grad, grad, None
""",
    ),
    (
        "14.HuberLoss",
        "wrong",
        "the slope of the straight part is the sign only; the factor delta is missing",
        """
class HuberLoss(Function):
    @staticmethod
    def forward(ctx, input, target, delta):
        error = input - target
        size = error.abs()
        cost = torch.where(size <= delta, 0.5 * error * error, delta * (size - 0.5 * delta))
        ctx.save_for_backward(error)
        ctx.delta = delta
        return cost.mean()

    @staticmethod
    def backward(ctx, grad_output):
        error, = ctx.saved_tensors
        slope = torch.where(error.abs() <= ctx.delta, error, torch.sign(error))
        grad = grad_output * slope / error.numel()
        return grad, -grad, None
""",
    ),
    (
        "14.HuberLoss",
        "wrong",
        "forward compares the error itself with delta, not its absolute value, so large negative errors are squared",
        """
class HuberLoss(Function):
    @staticmethod
    def forward(ctx, input, target, delta):
        error = input - target
        size = error.abs()
        cost = torch.where(error <= delta, 0.5 * error * error, delta * (size - 0.5 * delta))
        ctx.save_for_backward(error)
        ctx.delta = delta
        return cost.mean()

    @staticmethod
    def backward(ctx, grad_output):
        error, = ctx.saved_tensors
        slope = torch.where(error.abs() <= ctx.delta, error, ctx.delta * torch.sign(error))
        grad = grad_output * slope / error.numel()
        return grad, -grad, None
""",
    ),
    (
        "14.SoftmaxCrossEntropy",
        "right",
        "log_softmax and gather; softmax minus one-hot",
        """
class SoftmaxCrossEntropy(Function):
    @staticmethod
    def forward(ctx, logits, target):
        logp = torch.log_softmax(logits, -1)
        ctx.save_for_backward(logp, target)
        return -logp.gather(1, target.unsqueeze(1)).mean()

    @staticmethod
    def backward(ctx, grad_output):
        logp, target = ctx.saved_tensors
        onehot = torch.nn.functional.one_hot(target, logp.shape[1]).to(logp.dtype)
        return grad_output * (logp.exp() - onehot) / logp.shape[0], None
""",
    ),
    (
        "14.SoftmaxCrossEntropy",
        "right",
        "Python loops with the largest logit of each row subtracted; backward by loops too",
        """
from math import exp, log

class SoftmaxCrossEntropy(Function):
    @staticmethod
    def forward(ctx, logits, target):
        rows, right = logits.tolist(), target.tolist()
        ctx.probabilities, ctx.right, ctx.dtype = [], right, logits.dtype
        loss = 0.0
        for row, c in zip(rows, right):
            top = max(row)
            total = sum(exp(v - top) for v in row)
            loss += (log(total) + top - row[c]) / len(rows)
            ctx.probabilities.append([exp(v - top) / total for v in row])
        return torch.tensor(loss, dtype=logits.dtype)

    @staticmethod
    def backward(ctx, grad_output):
        n = len(ctx.right)
        grad = [[(p - (k == c)) / n for k, p in enumerate(row)] for row, c in zip(ctx.probabilities, ctx.right)]
        return torch.tensor(grad, dtype=ctx.dtype) * grad_output, None
""",
    ),
    (
        "14.SoftmaxCrossEntropy",
        "right",
        "setup_context, mask by comparison with arange, logsumexp of the differences to the right class",
        """
class SoftmaxCrossEntropy(Function):
    @staticmethod
    def forward(logits, target):
        rows = torch.arange(len(target))
        shifted = logits - logits[rows, target].unsqueeze(1)
        return torch.logsumexp(shifted, 1).sum() / len(target)

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx, grad_output):
        logits, target = ctx.saved_tensors
        e = (logits - logits.max(dim=1, keepdim=True).values).exp()
        p = e / e.sum(1, keepdim=True)
        right = torch.arange(logits.shape[1]) == target.reshape(-1, 1)
        return torch.where(right, p - 1, p) * (grad_output / logits.shape[0]), None
""",
    ),
    (
        "14.SoftmaxCrossEntropy",
        "right",
        "the gradient is computed in forward already, with NumPy; -= 1 on an own array",
        """
import numpy as np

class SoftmaxCrossEntropy(Function):
    @staticmethod
    def forward(ctx, logits, target):
        z = logits.detach().numpy()
        t = target.numpy()
        n = z.shape[0]
        z = z - z.max(axis=1, keepdims=True)
        logp = z - np.log(np.exp(z).sum(axis=1, keepdims=True))
        g = np.exp(logp)
        g[np.arange(n), t] -= 1
        ctx.save_for_backward(torch.from_numpy(g / n))
        return torch.tensor(-logp[np.arange(n), t].mean(), dtype=logits.dtype)

    @staticmethod
    def backward(ctx, grad_output):
        g, = ctx.saved_tensors
        return g.mul(grad_output), None
""",
    ),
    (
        "14.SoftmaxCrossEntropy",
        "wrong",
        "subtracts the largest logit of the whole matrix instead of the largest of each row: a row near -1000 beside one near 1000 gives infinity or NaN",
        """
class SoftmaxCrossEntropy(Function):
    @staticmethod
    def forward(ctx, logits, target):
        n = logits.shape[0]
        shifted = logits - logits.max()
        logp = shifted - shifted.exp().sum(1, keepdim=True).log()
        p = logp.exp()
        ctx.save_for_backward(p, target)
        return -logp[torch.arange(n), target].mean()

    @staticmethod
    def backward(ctx, grad_output):
        p, target = ctx.saved_tensors
        n = p.shape[0]
        grad = p.clone()
        grad[torch.arange(n), target] -= 1
        return grad_output * grad / n, None
""",
    ),
    (
        "14.SoftmaxCrossEntropy",
        "wrong",
        "subtracts nothing: exp is infinite for logits near 1000",
        """
class SoftmaxCrossEntropy(Function):
    @staticmethod
    def forward(ctx, logits, target):
        n = logits.shape[0]
        shifted = logits
        logp = shifted - shifted.exp().sum(1, keepdim=True).log()
        p = logp.exp()
        ctx.save_for_backward(p, target)
        return -logp[torch.arange(n), target].mean()

    @staticmethod
    def backward(ctx, grad_output):
        p, target = ctx.saved_tensors
        n = p.shape[0]
        grad = p.clone()
        grad[torch.arange(n), target] -= 1
        return grad_output * grad / n, None
""",
    ),
    (
        "14.SoftmaxCrossEntropy",
        "wrong",
        "takes the logarithm of the probability plus a small number, so the loss is wrong when the right class lies far below",
        """
class SoftmaxCrossEntropy(Function):
    @staticmethod
    def forward(ctx, logits, target):
        n = logits.shape[0]
        shifted = logits - logits.amax(1, keepdim=True)
        logp = shifted - shifted.exp().sum(1, keepdim=True).log()
        p = logp.exp()
        ctx.save_for_backward(p, target)
        return -(p[torch.arange(n), target] + 1e-12).log().mean()

    @staticmethod
    def backward(ctx, grad_output):
        p, target = ctx.saved_tensors
        n = p.shape[0]
        grad = p.clone()
        grad[torch.arange(n), target] -= 1
        return grad_output * grad / n, None
""",
    ),
    (
        "14.SoftmaxCrossEntropy",
        "wrong",
        "takes the logarithm of the probability itself: it is 0 when the right class lies 1000 below, and the loss infinite",
        """
class SoftmaxCrossEntropy(Function):
    @staticmethod
    def forward(ctx, logits, target):
        n = logits.shape[0]
        shifted = logits - logits.amax(1, keepdim=True)
        logp = shifted - shifted.exp().sum(1, keepdim=True).log()
        p = logp.exp()
        ctx.save_for_backward(p, target)
        return -p[torch.arange(n), target].log().mean()

    @staticmethod
    def backward(ctx, grad_output):
        p, target = ctx.saved_tensors
        n = p.shape[0]
        grad = p.clone()
        grad[torch.arange(n), target] -= 1
        return grad_output * grad / n, None
""",
    ),
    (
        "14.SoftmaxCrossEntropy",
        "wrong",
        "the sum over the rows instead of the mean, in forward and backward",
        """
class SoftmaxCrossEntropy(Function):
    @staticmethod
    def forward(ctx, logits, target):
        n = logits.shape[0]
        shifted = logits - logits.amax(1, keepdim=True)
        logp = shifted - shifted.exp().sum(1, keepdim=True).log()
        p = logp.exp()
        ctx.save_for_backward(p, target)
        return -logp[torch.arange(n), target].sum()

    @staticmethod
    def backward(ctx, grad_output):
        p, target = ctx.saved_tensors
        n = p.shape[0]
        grad = p.clone()
        grad[torch.arange(n), target] -= 1
        return grad_output * grad, None
""",
    ),
    (
        "14.SoftmaxCrossEntropy",
        "wrong",
        "backward is not divided by the number of rows",
        """
class SoftmaxCrossEntropy(Function):
    @staticmethod
    def forward(ctx, logits, target):
        n = logits.shape[0]
        shifted = logits - logits.amax(1, keepdim=True)
        logp = shifted - shifted.exp().sum(1, keepdim=True).log()
        p = logp.exp()
        ctx.save_for_backward(p, target)
        return -logp[torch.arange(n), target].mean()

    @staticmethod
    def backward(ctx, grad_output):
        p, target = ctx.saved_tensors
        n = p.shape[0]
        grad = p.clone()
        grad[torch.arange(n), target] -= 1
        return grad_output * grad, None
""",
    ),
    (
        "14.SoftmaxCrossEntropy",
        "wrong",
        "backward divides by the number of all entries instead of the number of rows",
        """
class SoftmaxCrossEntropy(Function):
    @staticmethod
    def forward(ctx, logits, target):
        n = logits.shape[0]
        shifted = logits - logits.amax(1, keepdim=True)
        logp = shifted - shifted.exp().sum(1, keepdim=True).log()
        p = logp.exp()
        ctx.save_for_backward(p, target)
        return -logp[torch.arange(n), target].mean()

    @staticmethod
    def backward(ctx, grad_output):
        p, target = ctx.saved_tensors
        n = p.shape[0]
        grad = p.clone()
        grad[torch.arange(n), target] -= 1
        return grad_output * grad / p.numel(), None
""",
    ),
    (
        "14.SoftmaxCrossEntropy",
        "wrong",
        "backward ignores grad_output",
        """
class SoftmaxCrossEntropy(Function):
    @staticmethod
    def forward(ctx, logits, target):
        n = logits.shape[0]
        shifted = logits - logits.amax(1, keepdim=True)
        logp = shifted - shifted.exp().sum(1, keepdim=True).log()
        p = logp.exp()
        ctx.save_for_backward(p, target)
        return -logp[torch.arange(n), target].mean()

    @staticmethod
    def backward(ctx, grad_output):
        p, target = ctx.saved_tensors
        n = p.shape[0]
        grad = p.clone()
        grad[torch.arange(n), target] -= 1
        return grad / n, None
""",
    ),
    (
        "14.SoftmaxCrossEntropy",
        "wrong",
        "softmax along the columns of the matrix (dim 0) instead of along each row",
        """
class SoftmaxCrossEntropy(Function):
    @staticmethod
    def forward(ctx, logits, target):
        n = logits.shape[0]
        shifted = logits - logits.amax(0, keepdim=True)
        logp = shifted - shifted.exp().sum(0, keepdim=True).log()
        p = logp.exp()
        ctx.save_for_backward(p, target)
        return -logp[torch.arange(n), target].mean()

    @staticmethod
    def backward(ctx, grad_output):
        p, target = ctx.saved_tensors
        n = p.shape[0]
        grad = p.clone()
        grad[torch.arange(n), target] -= 1
        return grad_output * grad / n, None
""",
    ),
    (
        "14.SoftmaxCrossEntropy",
        "wrong",
        "backward returns the probabilities only: 1 is not subtracted at the right class",
        """
class SoftmaxCrossEntropy(Function):
    @staticmethod
    def forward(ctx, logits, target):
        n = logits.shape[0]
        shifted = logits - logits.amax(1, keepdim=True)
        logp = shifted - shifted.exp().sum(1, keepdim=True).log()
        p = logp.exp()
        ctx.save_for_backward(p, target)
        return -logp[torch.arange(n), target].mean()

    @staticmethod
    def backward(ctx, grad_output):
        p, target = ctx.saved_tensors
        n = p.shape[0]
        grad = p.clone()
        return grad_output * grad / n, None
""",
    ),
    (
        "14.SoftmaxCrossEntropy",
        "wrong",
        "the gradient has the wrong sign",
        """
class SoftmaxCrossEntropy(Function):
    @staticmethod
    def forward(ctx, logits, target):
        n = logits.shape[0]
        shifted = logits - logits.amax(1, keepdim=True)
        logp = shifted - shifted.exp().sum(1, keepdim=True).log()
        p = logp.exp()
        ctx.save_for_backward(p, target)
        return -logp[torch.arange(n), target].mean()

    @staticmethod
    def backward(ctx, grad_output):
        p, target = ctx.saved_tensors
        n = p.shape[0]
        grad = p.clone()
        grad[torch.arange(n), target] -= 1
        return -grad_output * grad / n, None
""",
    ),
    (
        "14.SoftmaxCrossEntropy",
        "wrong",
        "logp[:, target] takes the column of every target for every row, not one entry for each row",
        """
class SoftmaxCrossEntropy(Function):
    @staticmethod
    def forward(ctx, logits, target):
        n = logits.shape[0]
        shifted = logits - logits.amax(1, keepdim=True)
        logp = shifted - shifted.exp().sum(1, keepdim=True).log()
        p = logp.exp()
        ctx.save_for_backward(p, target)
        return -logp[:, target].mean()

    @staticmethod
    def backward(ctx, grad_output):
        p, target = ctx.saved_tensors
        n = p.shape[0]
        grad = p.clone()
        grad[torch.arange(n), target] -= 1
        return grad_output * grad / n, None
""",
    ),
    (
        "14.SoftmaxCrossEntropy",
        "wrong",
        "backward subtracts 1 from the saved probabilities in place, so a second backward pass gives another gradient",
        """
class SoftmaxCrossEntropy(Function):
    @staticmethod
    def forward(ctx, logits, target):
        n = logits.shape[0]
        shifted = logits - logits.amax(1, keepdim=True)
        logp = shifted - shifted.exp().sum(1, keepdim=True).log()
        p = logp.exp()
        ctx.p, ctx.target = p, target
        return -logp[torch.arange(n), target].mean()

    @staticmethod
    def backward(ctx, grad_output):
        p, target = ctx.p, ctx.target
        n = p.shape[0]
        grad = p
        grad[torch.arange(n), target] -= 1
        return grad_output * grad / n, None
""",
    ),
    (
        "14.SoftmaxCrossEntropy",
        "wrong",
        "backward returns one value for two arguments: None for target is missing",
        """
class SoftmaxCrossEntropy(Function):
    @staticmethod
    def forward(ctx, logits, target):
        n = logits.shape[0]
        shifted = logits - logits.amax(1, keepdim=True)
        logp = shifted - shifted.exp().sum(1, keepdim=True).log()
        p = logp.exp()
        ctx.save_for_backward(p, target)
        return -logp[torch.arange(n), target].mean()

    @staticmethod
    def backward(ctx, grad_output):
        p, target = ctx.saved_tensors
        n = p.shape[0]
        grad = p.clone()
        grad[torch.arange(n), target] -= 1
        return grad_output * grad / n
""",
    ),
    (
        "14.SoftmaxCrossEntropy",
        "wrong",
        "target gets a tensor of zeros instead of None",
        """
class SoftmaxCrossEntropy(Function):
    @staticmethod
    def forward(ctx, logits, target):
        n = logits.shape[0]
        shifted = logits - logits.amax(1, keepdim=True)
        logp = shifted - shifted.exp().sum(1, keepdim=True).log()
        p = logp.exp()
        ctx.save_for_backward(p, target)
        return -logp[torch.arange(n), target].mean()

    @staticmethod
    def backward(ctx, grad_output):
        p, target = ctx.saved_tensors
        n = p.shape[0]
        grad = p.clone()
        grad[torch.arange(n), target] -= 1
        return grad_output * grad / n, torch.zeros(n)
""",
    ),
    (
        "14.SoftmaxCrossEntropy",
        "wrong",
        "counts the classes from 1 in backward: 1 is subtracted one class too far left",
        """
class SoftmaxCrossEntropy(Function):
    @staticmethod
    def forward(ctx, logits, target):
        n = logits.shape[0]
        shifted = logits - logits.amax(1, keepdim=True)
        logp = shifted - shifted.exp().sum(1, keepdim=True).log()
        p = logp.exp()
        ctx.save_for_backward(p, target)
        return -logp[torch.arange(n), target].mean()

    @staticmethod
    def backward(ctx, grad_output):
        p, target = ctx.saved_tensors
        n = p.shape[0]
        grad = p.clone()
        grad[torch.arange(n), target - 1] -= 1
        return grad_output * grad / n, None
""",
    ),
    (
        "14.SoftmaxCrossEntropy",
        "wrong",
        "the minus sign of the loss is missing in forward",
        """
class SoftmaxCrossEntropy(Function):
    @staticmethod
    def forward(ctx, logits, target):
        n = logits.shape[0]
        shifted = logits - logits.amax(1, keepdim=True)
        logp = shifted - shifted.exp().sum(1, keepdim=True).log()
        p = logp.exp()
        ctx.save_for_backward(p, target)
        return logp[torch.arange(n), target].mean()

    @staticmethod
    def backward(ctx, grad_output):
        p, target = ctx.saved_tensors
        n = p.shape[0]
        grad = p.clone()
        grad[torch.arange(n), target] -= 1
        return grad_output * grad / n, None
""",
    ),
    (
        "14.SoftmaxCrossEntropy",
        "wrong",
        "forward subtracts the maximum in place and changes logits",
        """
class SoftmaxCrossEntropy(Function):
    @staticmethod
    def forward(ctx, logits, target):
        n = logits.shape[0]
        shifted = logits.sub_(logits.amax(1, keepdim=True))
        logp = shifted - shifted.exp().sum(1, keepdim=True).log()
        p = logp.exp()
        ctx.save_for_backward(p, target)
        return -logp[torch.arange(n), target].mean()

    @staticmethod
    def backward(ctx, grad_output):
        p, target = ctx.saved_tensors
        n = p.shape[0]
        grad = p.clone()
        grad[torch.arange(n), target] -= 1
        return grad_output * grad / n, None
""",
    ),
    (
        "14.SoftmaxCrossEntropy",
        "wrong",
        "returns one loss for each row: the mean is missing in forward",
        """
class SoftmaxCrossEntropy(Function):
    @staticmethod
    def forward(ctx, logits, target):
        n = logits.shape[0]
        shifted = logits - logits.amax(1, keepdim=True)
        logp = shifted - shifted.exp().sum(1, keepdim=True).log()
        p = logp.exp()
        ctx.save_for_backward(p, target)
        return -logp[torch.arange(n), target]

    @staticmethod
    def backward(ctx, grad_output):
        p, target = ctx.saved_tensors
        n = p.shape[0]
        grad = p.clone()
        grad[torch.arange(n), target] -= 1
        return grad_output * grad / n, None
""",
    ),
    (
        "14.SoftmaxCrossEntropy",
        "wrong",
        "the result is made with a fixed dtype float64, also for float32 logits",
        """
class SoftmaxCrossEntropy(Function):
    @staticmethod
    def forward(ctx, logits, target):
        n = logits.shape[0]
        shifted = logits - logits.amax(1, keepdim=True)
        logp = shifted - shifted.exp().sum(1, keepdim=True).log()
        p = logp.exp()
        ctx.save_for_backward(p, target)
        return -logp[torch.arange(n), target].mean().to(torch.float64)

    @staticmethod
    def backward(ctx, grad_output):
        p, target = ctx.saved_tensors
        n = p.shape[0]
        grad = p.clone()
        grad[torch.arange(n), target] -= 1
        return grad_output * grad / n, None
""",
    ),
    (
        "14.SoftmaxCrossEntropy",
        "right",
        "loops over the rows, measures each row from its right class with NumPy's logaddexp, and saves the finished slope",
        """
import numpy as np

class SoftmaxCrossEntropy(Function):
    @staticmethod
    def forward(ctx, logits, target):
        z = logits.detach().numpy()
        N, C = z.shape
        loss = 0.0
        slope = np.zeros((N, C))
        for n in range(N):
            c = int(target[n])
            top = np.logaddexp.reduce(z[n].astype(np.float64))
            loss += (top - z[n, c]) / N
            slope[n] = np.exp(z[n] - top)
            slope[n, c] -= 1
        ctx.save_for_backward(torch.tensor(slope / N).to(logits.dtype))
        return torch.tensor(float(loss), dtype=logits.dtype)

    @staticmethod
    def backward(ctx, grad_output):
        slope, = ctx.saved_tensors
        return slope * grad_output, None
""",
    ),
    (
        "14.SoftmaxCrossEntropy",
        "wrong",
        "subtracts the largest logit of the whole matrix, not of each row; a row near -1000 beside one near 1000 gives infinity",
        """
class SoftmaxCrossEntropy(Function):
    @staticmethod
    def forward(ctx, logits, target):
        rows = torch.arange(logits.shape[0])
        shifted = logits - logits.max()
        total = shifted.exp().sum(dim=1, keepdim=True)
        log_p = shifted - total.log()
        ctx.save_for_backward(log_p.exp(), target)
        return -log_p[rows, target].mean()

    @staticmethod
    def backward(ctx, grad_output):
        p, target = ctx.saved_tensors
        n = p.shape[0]
        grad = p.clone()
        grad[torch.arange(n), target] -= 1
        return grad_output * grad / n, None
""",
    ),
    (
        "14.SoftmaxCrossEntropy",
        "wrong",
        "a small number is added to the probability before the logarithm, so a right class that lies 1000 below gives about 28 instead of 1000",
        """
class SoftmaxCrossEntropy(Function):
    @staticmethod
    def forward(ctx, logits, target):
        rows = torch.arange(logits.shape[0])
        shifted = logits - logits.max(dim=1, keepdim=True)[0]
        total = shifted.exp().sum(dim=1, keepdim=True)
        log_p = shifted - total.log()
        ctx.save_for_backward(log_p.exp(), target)
        return -torch.log(log_p.exp()[rows, target] + 1e-12).mean()

    @staticmethod
    def backward(ctx, grad_output):
        p, target = ctx.saved_tensors
        n = p.shape[0]
        grad = p.clone()
        grad[torch.arange(n), target] -= 1
        return grad_output * grad / n, None
""",
    ),
    (
        "14.SoftmaxCrossEntropy",
        "wrong",
        "the gradient is not divided by the number of rows N",
        """
class SoftmaxCrossEntropy(Function):
    @staticmethod
    def forward(ctx, logits, target):
        rows = torch.arange(logits.shape[0])
        shifted = logits - logits.max(dim=1, keepdim=True)[0]
        total = shifted.exp().sum(dim=1, keepdim=True)
        log_p = shifted - total.log()
        ctx.save_for_backward(log_p.exp(), target)
        return -log_p[rows, target].mean()

    @staticmethod
    def backward(ctx, grad_output):
        p, target = ctx.saved_tensors
        n = p.shape[0]
        grad = p.clone()
        grad[torch.arange(n), target] -= 1
        return grad_output * grad, None
""",
    ),
    (
        "14.SoftmaxCrossEntropy",
        "wrong",
        "backward subtracts 1 from the saved probabilities in place, so a second backward pass subtracts once more",
        """
class SoftmaxCrossEntropy(Function):
    @staticmethod
    def forward(ctx, logits, target):
        rows = torch.arange(logits.shape[0])
        shifted = logits - logits.max(dim=1, keepdim=True)[0]
        total = shifted.exp().sum(dim=1, keepdim=True)
        log_p = shifted - total.log()
        ctx.save_for_backward(log_p.exp(), target)
        return -log_p[rows, target].mean()

    @staticmethod
    def backward(ctx, grad_output):
        p, target = ctx.saved_tensors
        n = p.shape[0]
        grad = p
        grad[torch.arange(n), target] -= 1
        return grad_output * grad / n, None
""",
    ),
    (
        "14.SoftmaxCrossEntropy",
        "wrong",
        "backward does not use grad_output",
        """
class SoftmaxCrossEntropy(Function):
    @staticmethod
    def forward(ctx, logits, target):
        rows = torch.arange(logits.shape[0])
        shifted = logits - logits.max(dim=1, keepdim=True)[0]
        total = shifted.exp().sum(dim=1, keepdim=True)
        log_p = shifted - total.log()
        ctx.save_for_backward(log_p.exp(), target)
        return -log_p[rows, target].mean()

    @staticmethod
    def backward(ctx, grad_output):
        p, target = ctx.saved_tensors
        n = p.shape[0]
        grad = p.clone()
        grad[torch.arange(n), target] -= 1
        return grad / n, None
""",
    ),
    (
        "14.LogSumExp",
        "right",
        "amax in forward, softmax of the saved x in backward",
        """
class LogSumExp(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        m = x.amax(-1, keepdim=True)
        return (m + (x - m).exp().sum(-1, keepdim=True).log()).squeeze(-1)

    @staticmethod
    def backward(ctx, grad_output):
        x, = ctx.saved_tensors
        return grad_output.unsqueeze(-1) * torch.softmax(x, -1)
""",
    ),
    (
        "14.LogSumExp",
        "right",
        "logaddexp in a loop; backward is exp(x - result) with the saved result",
        """
class LogSumExp(Function):
    @staticmethod
    def forward(ctx, x):
        result = x[..., 0].clone()
        for j in range(1, x.shape[-1]):
            result = torch.logaddexp(result, x[..., j])
        ctx.save_for_backward(x, result)
        return result

    @staticmethod
    def backward(ctx, grad_output):
        x, result = ctx.saved_tensors
        return torch.exp(x - result[..., None]) * grad_output[..., None]
""",
    ),
    (
        "14.LogSumExp",
        "right",
        "setup_context; backward applies the Function itself again",
        """
import numpy as np

class LogSumExp(Function):
    @staticmethod
    def forward(x):
        return torch.tensor(np.logaddexp.reduce(x.detach().numpy(), axis=-1), dtype=x.dtype)

    @staticmethod
    def setup_context(ctx, inputs, output):
        x, = inputs
        ctx.save_for_backward(x)

    @staticmethod
    def backward(ctx, grad_output):
        x, = ctx.saved_tensors
        log_p = x - LogSumExp.apply(x).unsqueeze(-1)
        return log_p.exp().mul(grad_output.unsqueeze(-1))
""",
    ),
    (
        "14.LogSumExp",
        "right",
        "library logsumexp in forward; in backward the detached maximum is subtracted by hand",
        """
class LogSumExp(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.logsumexp(x, dim=x.dim() - 1)

    @staticmethod
    def backward(ctx, grad_output):
        x, = ctx.saved_tensors
        e = torch.exp(x - x.detach().amax(dim=-1, keepdim=True))
        weights = e / e.sum(dim=-1, keepdim=True)
        return grad_output.reshape(*grad_output.shape, 1).expand_as(x) * weights
""",
    ),
    (
        "14.LogSumExp",
        "wrong",
        "forward computes exp(x) as it stands: infinity near 1000, -infinity near -1000",
        """
class LogSumExp(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.exp().sum(-1).log()

    @staticmethod
    def backward(ctx, grad_output):
        x, = ctx.saved_tensors
        e = (x - x.amax(-1, keepdim=True).detach()).exp()
        p = e / e.sum(-1, keepdim=True)
        return grad_output.unsqueeze(-1) * p
""",
    ),
    (
        "14.LogSumExp",
        "wrong",
        "forward subtracts the largest entry of the whole tensor, so a row near -1000 beside one near 1000 gives -infinity",
        """
class LogSumExp(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        m = x.max()
        return m + (x - m).exp().sum(-1).log()

    @staticmethod
    def backward(ctx, grad_output):
        x, = ctx.saved_tensors
        e = (x - x.amax(-1, keepdim=True).detach()).exp()
        p = e / e.sum(-1, keepdim=True)
        return grad_output.unsqueeze(-1) * p
""",
    ),
    (
        "14.LogSumExp",
        "wrong",
        "the maximum is subtracted but not added back",
        """
class LogSumExp(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        m = x.amax(-1, keepdim=True)
        return (x - m).exp().sum(-1).log()

    @staticmethod
    def backward(ctx, grad_output):
        x, = ctx.saved_tensors
        e = (x - x.amax(-1, keepdim=True).detach()).exp()
        p = e / e.sum(-1, keepdim=True)
        return grad_output.unsqueeze(-1) * p
""",
    ),
    (
        "14.LogSumExp",
        "wrong",
        "the result keeps the last dimension (with length 1)",
        """
class LogSumExp(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        m = x.amax(-1, keepdim=True)
        return m + (x - m).exp().sum(-1, keepdim=True).log()

    @staticmethod
    def backward(ctx, grad_output):
        x, = ctx.saved_tensors
        e = (x - x.amax(-1, keepdim=True).detach()).exp()
        p = e / e.sum(-1, keepdim=True)
        return grad_output * p
""",
    ),
    (
        "14.LogSumExp",
        "wrong",
        "sums along the first dimension instead of the last one, in forward and backward",
        """
class LogSumExp(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        m = x.amax(0, keepdim=True)
        return m.squeeze(0) + (x - m).exp().sum(0).log()

    @staticmethod
    def backward(ctx, grad_output):
        x, = ctx.saved_tensors
        e = (x - x.amax(0, keepdim=True).detach()).exp()
        p = e / e.sum(0, keepdim=True)
        return grad_output.unsqueeze(0) * p
""",
    ),
    (
        "14.LogSumExp",
        "wrong",
        "backward computes exp(x) without subtracting the maximum: NaN near 1000 and -1000",
        """
class LogSumExp(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        m = x.amax(-1, keepdim=True)
        return m.squeeze(-1) + (x - m).exp().sum(-1).log()

    @staticmethod
    def backward(ctx, grad_output):
        x, = ctx.saved_tensors
        e = x.exp()
        p = e / e.sum(-1, keepdim=True)
        return grad_output.unsqueeze(-1) * p
""",
    ),
    (
        "14.LogSumExp",
        "wrong",
        "backward subtracts the maximum of the whole tensor: a row near -1000 beside one near 1000 gives 0 / 0 = NaN",
        """
class LogSumExp(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        m = x.amax(-1, keepdim=True)
        return m.squeeze(-1) + (x - m).exp().sum(-1).log()

    @staticmethod
    def backward(ctx, grad_output):
        x, = ctx.saved_tensors
        e = (x - x.max().detach()).exp()
        p = e / e.sum(-1, keepdim=True)
        return grad_output.unsqueeze(-1) * p
""",
    ),
    (
        "14.LogSumExp",
        "wrong",
        "grad_output is not given its last dimension again, so it is multiplied with the columns instead of the rows",
        """
class LogSumExp(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        m = x.amax(-1, keepdim=True)
        return m.squeeze(-1) + (x - m).exp().sum(-1).log()

    @staticmethod
    def backward(ctx, grad_output):
        x, = ctx.saved_tensors
        e = (x - x.amax(-1, keepdim=True).detach()).exp()
        p = e / e.sum(-1, keepdim=True)
        return grad_output * p
""",
    ),
    (
        "14.LogSumExp",
        "wrong",
        "the probabilities are computed in forward and kept on ctx, so backward cannot be differentiated: the second derivative is missing",
        """
class LogSumExp(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.p = x.softmax(-1)
        m = x.amax(-1, keepdim=True)
        return m.squeeze(-1) + (x - m).exp().sum(-1).log()

    @staticmethod
    def backward(ctx, grad_output):
        p = ctx.p
        return grad_output.unsqueeze(-1) * p
""",
    ),
    (
        "14.LogSumExp",
        "wrong",
        "backward detaches x, so the second derivative is missing",
        """
class LogSumExp(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        m = x.amax(-1, keepdim=True)
        return m.squeeze(-1) + (x - m).exp().sum(-1).log()

    @staticmethod
    def backward(ctx, grad_output):
        x = ctx.saved_tensors[0].detach()
        e = (x - x.amax(-1, keepdim=True).detach()).exp()
        p = e / e.sum(-1, keepdim=True)
        return grad_output.unsqueeze(-1) * p
""",
    ),
    (
        "14.LogSumExp",
        "wrong",
        "the sum in the denominator is detached, so the first derivative is right but the second is not",
        """
class LogSumExp(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        m = x.amax(-1, keepdim=True)
        return m.squeeze(-1) + (x - m).exp().sum(-1).log()

    @staticmethod
    def backward(ctx, grad_output):
        x, = ctx.saved_tensors
        e = (x - x.amax(-1, keepdim=True).detach()).exp()
        p = e / e.sum(-1, keepdim=True).detach()
        return grad_output.unsqueeze(-1) * p
""",
    ),
    (
        "14.LogSumExp",
        "wrong",
        "backward ignores grad_output",
        """
class LogSumExp(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        m = x.amax(-1, keepdim=True)
        return m.squeeze(-1) + (x - m).exp().sum(-1).log()

    @staticmethod
    def backward(ctx, grad_output):
        x, = ctx.saved_tensors
        e = (x - x.amax(-1, keepdim=True).detach()).exp()
        p = e / e.sum(-1, keepdim=True)
        return p
""",
    ),
    (
        "14.LogSumExp",
        "wrong",
        "forward subtracts the maximum in place and changes x",
        """
class LogSumExp(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        m = x.amax(-1, keepdim=True)
        return m.squeeze(-1) + x.sub_(m).exp().sum(-1).log()

    @staticmethod
    def backward(ctx, grad_output):
        x, = ctx.saved_tensors
        e = (x - x.amax(-1, keepdim=True).detach()).exp()
        p = e / e.sum(-1, keepdim=True)
        return grad_output.unsqueeze(-1) * p
""",
    ),
    (
        "14.LogSumExp",
        "wrong",
        "forward subtracts the mean of the row instead of its maximum: a row with 1000, 0 and -1000 gives infinity",
        """
class LogSumExp(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        m = x.mean(-1, keepdim=True)
        return m.squeeze(-1) + (x - m).exp().sum(-1).log()

    @staticmethod
    def backward(ctx, grad_output):
        x, = ctx.saved_tensors
        e = (x - x.amax(-1, keepdim=True).detach()).exp()
        p = e / e.sum(-1, keepdim=True)
        return grad_output.unsqueeze(-1) * p
""",
    ),
    (
        "14.LogSumExp",
        "wrong",
        "forward clamps x at 700, so the result for entries near 1000 is near 700",
        """
class LogSumExp(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        m = x.amax(-1, keepdim=True).clamp(max=700)
        return m.squeeze(-1) + (x.clamp(max=700) - m).exp().sum(-1).log()

    @staticmethod
    def backward(ctx, grad_output):
        x, = ctx.saved_tensors
        e = (x - x.amax(-1, keepdim=True).detach()).exp()
        p = e / e.sum(-1, keepdim=True)
        return grad_output.unsqueeze(-1) * p
""",
    ),
    (
        "14.LogSumExp",
        "wrong",
        "the gradient is not divided by the sum: the weights do not add up to 1",
        """
class LogSumExp(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        m = x.amax(-1, keepdim=True)
        return m.squeeze(-1) + (x - m).exp().sum(-1).log()

    @staticmethod
    def backward(ctx, grad_output):
        x, = ctx.saved_tensors
        e = (x - x.amax(-1, keepdim=True).detach()).exp()
        p = e
        return grad_output.unsqueeze(-1) * p
""",
    ),
    (
        "14.LogSumExp",
        "wrong",
        "the whole gradient goes to the largest entry, as for max",
        """
class LogSumExp(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        m = x.amax(-1, keepdim=True)
        return m.squeeze(-1) + (x - m).exp().sum(-1).log()

    @staticmethod
    def backward(ctx, grad_output):
        x, = ctx.saved_tensors
        e = (x - x.amax(-1, keepdim=True).detach()).exp()
        p = (e == 1).to(x.dtype)
        return grad_output.unsqueeze(-1) * p
""",
    ),
    (
        "14.LogSumExp",
        "wrong",
        "the mean of the exponentials instead of their sum in forward",
        """
class LogSumExp(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        m = x.amax(-1, keepdim=True)
        return m.squeeze(-1) + (x - m).exp().mean(-1).log()

    @staticmethod
    def backward(ctx, grad_output):
        x, = ctx.saved_tensors
        e = (x - x.amax(-1, keepdim=True).detach()).exp()
        p = e / e.sum(-1, keepdim=True)
        return grad_output.unsqueeze(-1) * p
""",
    ),
    (
        "14.LogSumExp",
        "wrong",
        "x is kept in a global variable instead of on ctx, so a second call disturbs the first",
        """
class LogSumExp(Function):
    @staticmethod
    def forward(ctx, x):
        global kept
        kept = x
        m = x.amax(-1, keepdim=True)
        return m.squeeze(-1) + (x - m).exp().sum(-1).log()

    @staticmethod
    def backward(ctx, grad_output):
        x = kept
        e = (x - x.amax(-1, keepdim=True).detach()).exp()
        p = e / e.sum(-1, keepdim=True)
        return grad_output.unsqueeze(-1) * p
""",
    ),
    (
        "14.LogSumExp",
        "right",
        "adds the entries of a row one by one with logaddexp; backward takes exp(x - result) of the saved argument and the saved result",
        """
class LogSumExp(Function):
    @staticmethod
    def forward(ctx, x):
        result = x[..., 0].clone()
        for j in range(1, x.shape[-1]):
            result = torch.logaddexp(result, x[..., j])
        ctx.save_for_backward(x, result)
        return result

    @staticmethod
    def backward(ctx, grad_output):
        x, result = ctx.saved_tensors
        return torch.exp(x - result[..., None]) * grad_output[..., None]
""",
    ),
    (
        "14.LogSumExp",
        "wrong",
        "the result keeps the last dimension with size 1; it should not have this dimension",
        """
class LogSumExp(Function):
    @staticmethod
    def forward(ctx, x):
        top = x.max(dim=-1, keepdim=True)[0]
        result = (x - top).exp().sum(dim=-1, keepdim=True).log() + top
        ctx.save_for_backward(x)
        return result

    @staticmethod
    def backward(ctx, grad_output):
        x, = ctx.saved_tensors
        return grad_output * torch.softmax(x, dim=-1)
""",
    ),
    (
        "14.LogSumExp",
        "wrong",
        "the largest entry of the whole tensor is subtracted instead of that of each row; a row near -1000 beside a row near 1000 gives -infinity",
        """
class LogSumExp(Function):
    @staticmethod
    def forward(ctx, x):
        top = x.max()
        result = (x - top).exp().sum(dim=-1).log() + top
        ctx.save_for_backward(x)
        return result

    @staticmethod
    def backward(ctx, grad_output):
        x, = ctx.saved_tensors
        return grad_output.unsqueeze(-1) * torch.softmax(x, dim=-1)
""",
    ),
    (
        "14.LogSumExp",
        "wrong",
        "the largest entry is subtracted before the exponentials, but not added again to the logarithm",
        """
class LogSumExp(Function):
    @staticmethod
    def forward(ctx, x):
        top = x.max(dim=-1, keepdim=True)[0]
        result = (x - top).exp().sum(dim=-1).log()
        ctx.save_for_backward(x)
        return result

    @staticmethod
    def backward(ctx, grad_output):
        x, = ctx.saved_tensors
        return grad_output.unsqueeze(-1) * torch.softmax(x, dim=-1)
""",
    ),
    (
        "14.LogSumExp",
        "wrong",
        "grad_output does not get its last dimension back, so for matrices each gradient multiplies a column instead of a row (or the shapes do not fit)",
        """
class LogSumExp(Function):
    @staticmethod
    def forward(ctx, x):
        top = x.max(dim=-1, keepdim=True)[0]
        result = (x - top).exp().sum(dim=-1).log() + top.squeeze(-1)
        ctx.save_for_backward(x)
        return result

    @staticmethod
    def backward(ctx, grad_output):
        x, = ctx.saved_tensors
        return grad_output * torch.softmax(x, dim=-1)
""",
    ),
    (
        "14.LogSumExp",
        "wrong",
        "the softmax is computed in forward and kept on ctx as a constant, so backward cannot be differentiated: its derivative with respect to x is lost",
        """
class LogSumExp(Function):
    @staticmethod
    def forward(ctx, x):
        top = x.max(dim=-1, keepdim=True)[0]
        powers = (x - top).exp()
        total = powers.sum(dim=-1, keepdim=True)
        ctx.p = powers / total
        return (total.log() + top).squeeze(-1)

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output.unsqueeze(-1) * ctx.p
""",
    ),
    (
        "14.LayerNorm",
        "right",
        "the short formula",
        """
class LayerNorm(Function):
    @staticmethod
    def forward(ctx, x):
        c = x - x.mean(-1, keepdim=True)
        s = torch.sqrt((c * c).mean(-1, keepdim=True) + 1e-5)
        y = c / s
        ctx.save_for_backward(y, s)
        return y

    @staticmethod
    def backward(ctx, grad_output):
        y, s = ctx.saved_tensors
        g = grad_output
        return (g - g.mean(-1, keepdim=True) - y * (g * y).mean(-1, keepdim=True)) / s
""",
    ),
    (
        "14.LayerNorm",
        "right",
        "three ways one after the other (through v, through mu, directly), setup_context, library variance",
        """
EPS = 1e-5

class LayerNorm(Function):
    @staticmethod
    def forward(x):
        return (x - x.mean(dim=-1, keepdim=True)) * (x.var(dim=-1, keepdim=True, unbiased=False) + EPS).rsqrt()

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(inputs[0])

    @staticmethod
    def backward(ctx, grad_output):
        x, = ctx.saved_tensors
        n = x.shape[-1]
        c = x - x.mean(-1, keepdim=True)
        v = (c ** 2).sum(-1, keepdim=True) / n
        inv = (v + EPS) ** -0.5
        g_v = (grad_output * c).sum(-1, keepdim=True) * (-0.5) * (v + EPS) ** -1.5
        g_mu = -(grad_output * inv).sum(-1, keepdim=True) + g_v * (-2.0 / n) * c.sum(-1, keepdim=True)
        return grad_output * inv + g_v * 2 * c / n + g_mu / n
""",
    ),
    (
        "14.LayerNorm",
        "right",
        "the Jacobian of each row as a matrix, in a loop over the rows",
        """
class LayerNorm(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.nn.functional.layer_norm(x, (x.shape[-1],))

    @staticmethod
    def backward(ctx, grad_output):
        x, = ctx.saved_tensors
        n = x.shape[-1]
        center = torch.eye(n, dtype=x.dtype) - torch.ones(n, n, dtype=x.dtype) / n
        rows = []
        for row, g in zip(x.reshape(-1, n), grad_output.reshape(-1, n)):
            c = center @ row
            q = c @ c / n + 1e-5
            jacobian = center / q.sqrt() - torch.outer(c, c) / (n * q * q.sqrt())
            rows.append(jacobian @ g)
        return torch.stack(rows).reshape(x.shape)
""",
    ),
    (
        "14.LayerNorm",
        "right",
        "NumPy in forward, variance as mean of squares of the centred row; backward projects in two steps",
        """
import numpy as np

class LayerNorm(Function):
    @staticmethod
    def forward(ctx, x):
        a = x.detach().numpy()
        c = a - a.mean(axis=-1, keepdims=True)
        q = np.mean(np.square(c), axis=-1, keepdims=True) + np.asarray(1e-5, dtype=a.dtype)
        ctx.c, ctx.q = torch.from_numpy(c), torch.from_numpy(q)
        return torch.from_numpy(c / np.sqrt(q))

    @staticmethod
    def backward(ctx, grad_output):
        c, q = ctx.c, ctx.q
        share = (grad_output * c).mean(-1, keepdim=True) / q
        h = grad_output - share * c
        return (h - h.mean(-1, keepdim=True)) / q.sqrt()
""",
    ),
    (
        "14.LayerNorm",
        "wrong",
        "the variance is divided by n - 1 instead of n (torch.var with its default), in forward and backward",
        """
class LayerNorm(Function):
    @staticmethod
    def forward(ctx, x):
        mu = x.mean(-1, keepdim=True)
        c = x - mu
        v = x.var(-1, keepdim=True)
        s = (v + 1e-5).sqrt()
        y = c / s
        ctx.save_for_backward(y, s, v)
        return y

    @staticmethod
    def backward(ctx, grad_output):
        y, s, v = ctx.saved_tensors
        m1 = grad_output.mean(-1, keepdim=True)
        m2 = (grad_output * y).sum(-1, keepdim=True) / (y.shape[-1] - 1)
        return (grad_output - m1 - y * m2) / s
""",
    ),
    (
        "14.LayerNorm",
        "wrong",
        "epsilon is added to the square root instead of inside it",
        """
class LayerNorm(Function):
    @staticmethod
    def forward(ctx, x):
        mu = x.mean(-1, keepdim=True)
        c = x - mu
        v = (c * c).mean(-1, keepdim=True)
        s = v.sqrt() + 1e-5
        y = c / s
        ctx.save_for_backward(y, s, v)
        return y

    @staticmethod
    def backward(ctx, grad_output):
        y, s, v = ctx.saved_tensors
        m1 = grad_output.mean(-1, keepdim=True)
        m2 = (grad_output * y).mean(-1, keepdim=True)
        return (grad_output - m1 - y * m2) / s
""",
    ),
    (
        "14.LayerNorm",
        "wrong",
        "epsilon is missing in backward: rows with small differences get a wrong gradient",
        """
class LayerNorm(Function):
    @staticmethod
    def forward(ctx, x):
        mu = x.mean(-1, keepdim=True)
        c = x - mu
        v = (c * c).mean(-1, keepdim=True)
        s = (v + 1e-5).sqrt()
        y = c / s
        ctx.save_for_backward(y, s, v)
        return y

    @staticmethod
    def backward(ctx, grad_output):
        y, s, v = ctx.saved_tensors
        m1 = grad_output.mean(-1, keepdim=True)
        m2 = (grad_output * y).mean(-1, keepdim=True)
        return (grad_output - m1 - y * m2) / v.sqrt()
""",
    ),
    (
        "14.LayerNorm",
        "wrong",
        "epsilon is 1e-8 instead of 1e-5",
        """
class LayerNorm(Function):
    @staticmethod
    def forward(ctx, x):
        mu = x.mean(-1, keepdim=True)
        c = x - mu
        v = (c * c).mean(-1, keepdim=True)
        s = (v + 1e-8).sqrt()
        y = c / s
        ctx.save_for_backward(y, s, v)
        return y

    @staticmethod
    def backward(ctx, grad_output):
        y, s, v = ctx.saved_tensors
        m1 = grad_output.mean(-1, keepdim=True)
        m2 = (grad_output * y).mean(-1, keepdim=True)
        return (grad_output - m1 - y * m2) / s
""",
    ),
    (
        "14.LayerNorm",
        "wrong",
        "the way through the mean is missing in backward (the mean of grad_output is not subtracted)",
        """
class LayerNorm(Function):
    @staticmethod
    def forward(ctx, x):
        mu = x.mean(-1, keepdim=True)
        c = x - mu
        v = (c * c).mean(-1, keepdim=True)
        s = (v + 1e-5).sqrt()
        y = c / s
        ctx.save_for_backward(y, s, v)
        return y

    @staticmethod
    def backward(ctx, grad_output):
        y, s, v = ctx.saved_tensors
        m1 = grad_output.mean(-1, keepdim=True)
        m2 = (grad_output * y).mean(-1, keepdim=True)
        return (grad_output - y * m2) / s
""",
    ),
    (
        "14.LayerNorm",
        "wrong",
        "the way through the variance is missing in backward",
        """
class LayerNorm(Function):
    @staticmethod
    def forward(ctx, x):
        mu = x.mean(-1, keepdim=True)
        c = x - mu
        v = (c * c).mean(-1, keepdim=True)
        s = (v + 1e-5).sqrt()
        y = c / s
        ctx.save_for_backward(y, s, v)
        return y

    @staticmethod
    def backward(ctx, grad_output):
        y, s, v = ctx.saved_tensors
        m1 = grad_output.mean(-1, keepdim=True)
        m2 = (grad_output * y).mean(-1, keepdim=True)
        return (grad_output - m1) / s
""",
    ),
    (
        "14.LayerNorm",
        "wrong",
        "backward takes mean and variance for constants: only the direct way is there",
        """
class LayerNorm(Function):
    @staticmethod
    def forward(ctx, x):
        mu = x.mean(-1, keepdim=True)
        c = x - mu
        v = (c * c).mean(-1, keepdim=True)
        s = (v + 1e-5).sqrt()
        y = c / s
        ctx.save_for_backward(y, s, v)
        return y

    @staticmethod
    def backward(ctx, grad_output):
        y, s, v = ctx.saved_tensors
        m1 = grad_output.mean(-1, keepdim=True)
        m2 = (grad_output * y).mean(-1, keepdim=True)
        return (grad_output) / s
""",
    ),
    (
        "14.LayerNorm",
        "wrong",
        "the term of the variance has the wrong sign",
        """
class LayerNorm(Function):
    @staticmethod
    def forward(ctx, x):
        mu = x.mean(-1, keepdim=True)
        c = x - mu
        v = (c * c).mean(-1, keepdim=True)
        s = (v + 1e-5).sqrt()
        y = c / s
        ctx.save_for_backward(y, s, v)
        return y

    @staticmethod
    def backward(ctx, grad_output):
        y, s, v = ctx.saved_tensors
        m1 = grad_output.mean(-1, keepdim=True)
        m2 = (grad_output * y).mean(-1, keepdim=True)
        return (grad_output - m1 + y * m2) / s
""",
    ),
    (
        "14.LayerNorm",
        "wrong",
        "the term of the variance uses the sum over the row instead of the mean",
        """
class LayerNorm(Function):
    @staticmethod
    def forward(ctx, x):
        mu = x.mean(-1, keepdim=True)
        c = x - mu
        v = (c * c).mean(-1, keepdim=True)
        s = (v + 1e-5).sqrt()
        y = c / s
        ctx.save_for_backward(y, s, v)
        return y

    @staticmethod
    def backward(ctx, grad_output):
        y, s, v = ctx.saved_tensors
        m1 = grad_output.mean(-1, keepdim=True)
        m2 = (grad_output * y).sum(-1, keepdim=True)
        return (grad_output - m1 - y * m2) / s
""",
    ),
    (
        "14.LayerNorm",
        "wrong",
        "mean and variance along the first dimension instead of the last, in forward and backward",
        """
class LayerNorm(Function):
    @staticmethod
    def forward(ctx, x):
        mu = x.mean(0, keepdim=True)
        c = x - mu
        v = (c * c).mean(0, keepdim=True)
        s = (v + 1e-5).sqrt()
        y = c / s
        ctx.save_for_backward(y, s, v)
        return y

    @staticmethod
    def backward(ctx, grad_output):
        y, s, v = ctx.saved_tensors
        m1 = grad_output.mean(0, keepdim=True)
        m2 = (grad_output * y).mean(0, keepdim=True)
        return (grad_output - m1 - y * m2) / s
""",
    ),
    (
        "14.LayerNorm",
        "wrong",
        "one mean for the whole tensor instead of one for each row",
        """
class LayerNorm(Function):
    @staticmethod
    def forward(ctx, x):
        mu = x.mean()
        c = x - mu
        v = (c * c).mean(-1, keepdim=True)
        s = (v + 1e-5).sqrt()
        y = c / s
        ctx.save_for_backward(y, s, v)
        return y

    @staticmethod
    def backward(ctx, grad_output):
        y, s, v = ctx.saved_tensors
        m1 = grad_output.mean(-1, keepdim=True)
        m2 = (grad_output * y).mean(-1, keepdim=True)
        return (grad_output - m1 - y * m2) / s
""",
    ),
    (
        "14.LayerNorm",
        "wrong",
        "backward multiplies by the standard deviation instead of dividing",
        """
class LayerNorm(Function):
    @staticmethod
    def forward(ctx, x):
        mu = x.mean(-1, keepdim=True)
        c = x - mu
        v = (c * c).mean(-1, keepdim=True)
        s = (v + 1e-5).sqrt()
        y = c / s
        ctx.save_for_backward(y, s, v)
        return y

    @staticmethod
    def backward(ctx, grad_output):
        y, s, v = ctx.saved_tensors
        m1 = grad_output.mean(-1, keepdim=True)
        m2 = (grad_output * y).mean(-1, keepdim=True)
        return (grad_output - m1 - y * m2) * s
""",
    ),
    (
        "14.LayerNorm",
        "wrong",
        "backward divides by the variance instead of its square root",
        """
class LayerNorm(Function):
    @staticmethod
    def forward(ctx, x):
        mu = x.mean(-1, keepdim=True)
        c = x - mu
        v = (c * c).mean(-1, keepdim=True)
        s = (v + 1e-5).sqrt()
        y = c / s
        ctx.save_for_backward(y, s, v)
        return y

    @staticmethod
    def backward(ctx, grad_output):
        y, s, v = ctx.saved_tensors
        m1 = grad_output.mean(-1, keepdim=True)
        m2 = (grad_output * y).mean(-1, keepdim=True)
        return (grad_output - m1 - y * m2) / (s * s)
""",
    ),
    (
        "14.LayerNorm",
        "wrong",
        "backward changes the saved result in place: the result of forward is another one afterwards",
        """
class LayerNorm(Function):
    @staticmethod
    def forward(ctx, x):
        mu = x.mean(-1, keepdim=True)
        c = x - mu
        v = (c * c).mean(-1, keepdim=True)
        s = (v + 1e-5).sqrt()
        y = c / s
        ctx.save_for_backward(y, s, v)
        return y

    @staticmethod
    def backward(ctx, grad_output):
        y, s, v = ctx.saved_tensors
        m1 = grad_output.mean(-1, keepdim=True)
        m2 = (grad_output * y).mean(-1, keepdim=True)
        return (grad_output - m1 - y.mul_(m2)) / s
""",
    ),
    (
        "14.LayerNorm",
        "wrong",
        "forward subtracts the mean in place and changes x",
        """
class LayerNorm(Function):
    @staticmethod
    def forward(ctx, x):
        mu = x.mean(-1, keepdim=True)
        x -= mu
        c = x
        v = (c * c).mean(-1, keepdim=True)
        s = (v + 1e-5).sqrt()
        y = c / s
        ctx.save_for_backward(y, s, v)
        return y

    @staticmethod
    def backward(ctx, grad_output):
        y, s, v = ctx.saved_tensors
        m1 = grad_output.mean(-1, keepdim=True)
        m2 = (grad_output * y).mean(-1, keepdim=True)
        return (grad_output - m1 - y * m2) / s
""",
    ),
    (
        "14.LayerNorm",
        "wrong",
        "the factor y is missing in the term of the variance",
        """
class LayerNorm(Function):
    @staticmethod
    def forward(ctx, x):
        mu = x.mean(-1, keepdim=True)
        c = x - mu
        v = (c * c).mean(-1, keepdim=True)
        s = (v + 1e-5).sqrt()
        y = c / s
        ctx.save_for_backward(y, s, v)
        return y

    @staticmethod
    def backward(ctx, grad_output):
        y, s, v = ctx.saved_tensors
        m1 = grad_output.mean(-1, keepdim=True)
        m2 = (grad_output * y).mean(-1, keepdim=True)
        return (grad_output - m1 - m2) / s
""",
    ),
    (
        "14.LayerNorm",
        "wrong",
        "backward takes the mean of y instead of the mean of grad_output * y",
        """
class LayerNorm(Function):
    @staticmethod
    def forward(ctx, x):
        mu = x.mean(-1, keepdim=True)
        c = x - mu
        v = (c * c).mean(-1, keepdim=True)
        s = (v + 1e-5).sqrt()
        y = c / s
        ctx.save_for_backward(y, s, v)
        return y

    @staticmethod
    def backward(ctx, grad_output):
        y, s, v = ctx.saved_tensors
        m1 = grad_output.mean(-1, keepdim=True)
        m2 = y.mean(-1, keepdim=True)
        return (grad_output - m1 - y * m2) / s
""",
    ),
    (
        "14.LayerNorm",
        "wrong",
        "backward takes the means of grad_output over the whole tensor, not over each row",
        """
class LayerNorm(Function):
    @staticmethod
    def forward(ctx, x):
        mu = x.mean(-1, keepdim=True)
        c = x - mu
        v = (c * c).mean(-1, keepdim=True)
        s = (v + 1e-5).sqrt()
        y = c / s
        ctx.save_for_backward(y, s, v)
        return y

    @staticmethod
    def backward(ctx, grad_output):
        y, s, v = ctx.saved_tensors
        m1 = grad_output.mean()
        m2 = (grad_output * y).mean(-1, keepdim=True)
        return (grad_output - m1 - y * m2) / s
""",
    ),
    (
        "14.LayerNorm",
        "wrong",
        "what backward needs is kept on the class instead of on ctx, so a second call disturbs the first",
        """
class LayerNorm(Function):
    @staticmethod
    def forward(ctx, x):
        mu = x.mean(-1, keepdim=True)
        c = x - mu
        v = (c * c).mean(-1, keepdim=True)
        s = (v + 1e-5).sqrt()
        y = c / s
        LayerNorm.kept = y, s, v
        return y

    @staticmethod
    def backward(ctx, grad_output):
        y, s, v = LayerNorm.kept
        m1 = grad_output.mean(-1, keepdim=True)
        m2 = (grad_output * y).mean(-1, keepdim=True)
        return (grad_output - m1 - y * m2) / s
""",
    ),
    (
        "14.LayerNorm",
        "right",
        "goes back step by step like the tape: through the quotient, the root, the variance and the mean",
        """
class LayerNorm(Function):
    @staticmethod
    def forward(ctx, x):
        n = x.shape[-1]
        mu = x.sum(-1, keepdim=True) / n
        d = x - mu
        w = (torch.einsum("...j,...j->...", d, d)[..., None] / n + 1e-5) ** -0.5
        ctx.save_for_backward(d, w)
        return d * w

    @staticmethod
    def backward(ctx, grad_output):
        d, w = ctx.saved_tensors
        n = d.shape[-1]
        grad_w = (grad_output * d).sum(-1, keepdim=True)
        grad_v = grad_w * -0.5 * w ** 3
        grad_d = grad_output * w + grad_v * 2 * d / n
        grad_mu = -grad_d.sum(-1, keepdim=True)
        return grad_d + grad_mu / n
""",
    ),
    (
        "14.LayerNorm",
        "wrong",
        "the variance is divided by n - 1 instead of n",
        """
class LayerNorm(Function):
    @staticmethod
    def forward(ctx, x):
        centred = x - x.mean(dim=-1, keepdim=True)
        v = x.var(dim=-1, keepdim=True)
        s = torch.sqrt(v + 1e-5)
        y = centred / s
        ctx.save_for_backward(y, s)
        return y

    @staticmethod
    def backward(ctx, grad_output):
        y, s = ctx.saved_tensors
        g = grad_output
        along_y = (g * y).mean(dim=-1, keepdim=True)
        return (g - g.mean(dim=-1, keepdim=True) - y * along_y) / s
""",
    ),
    (
        "14.LayerNorm",
        "wrong",
        "epsilon is added after the square root instead of inside it",
        """
class LayerNorm(Function):
    @staticmethod
    def forward(ctx, x):
        centred = x - x.mean(dim=-1, keepdim=True)
        v = (centred * centred).mean(dim=-1, keepdim=True)
        s = torch.sqrt(v) + 1e-5
        y = centred / s
        ctx.save_for_backward(y, s)
        return y

    @staticmethod
    def backward(ctx, grad_output):
        y, s = ctx.saved_tensors
        g = grad_output
        along_y = (g * y).mean(dim=-1, keepdim=True)
        return (g - g.mean(dim=-1, keepdim=True) - y * along_y) / s
""",
    ),
    (
        "14.LayerNorm",
        "wrong",
        "backward forgets the way through the mean (mu): the mean of grad_output is not subtracted",
        """
class LayerNorm(Function):
    @staticmethod
    def forward(ctx, x):
        centred = x - x.mean(dim=-1, keepdim=True)
        v = (centred * centred).mean(dim=-1, keepdim=True)
        s = torch.sqrt(v + 1e-5)
        y = centred / s
        ctx.save_for_backward(y, s)
        return y

    @staticmethod
    def backward(ctx, grad_output):
        y, s = ctx.saved_tensors
        g = grad_output
        along_y = (g * y).mean(dim=-1, keepdim=True)
        return (g - y * along_y) / s
""",
    ),
    (
        "14.LayerNorm",
        "wrong",
        "backward forgets the way through the variance: it treats v as a constant",
        """
class LayerNorm(Function):
    @staticmethod
    def forward(ctx, x):
        centred = x - x.mean(dim=-1, keepdim=True)
        v = (centred * centred).mean(dim=-1, keepdim=True)
        s = torch.sqrt(v + 1e-5)
        y = centred / s
        ctx.save_for_backward(y, s)
        return y

    @staticmethod
    def backward(ctx, grad_output):
        y, s = ctx.saved_tensors
        g = grad_output
        along_y = (g * y).mean(dim=-1, keepdim=True)
        return (g - g.mean(dim=-1, keepdim=True)) / s
""",
    ),
    (
        "14.LayerNorm",
        "wrong",
        "one of the two means in backward is taken over the whole tensor instead of over each row; right for vectors only",
        """
class LayerNorm(Function):
    @staticmethod
    def forward(ctx, x):
        centred = x - x.mean(dim=-1, keepdim=True)
        v = (centred * centred).mean(dim=-1, keepdim=True)
        s = torch.sqrt(v + 1e-5)
        y = centred / s
        ctx.save_for_backward(y, s)
        return y

    @staticmethod
    def backward(ctx, grad_output):
        y, s = ctx.saved_tensors
        g = grad_output
        along_y = (g * y).mean(dim=-1, keepdim=True)
        return (g - g.mean() - y * along_y) / s
""",
    ),
    (
        "14.Softplus",
        "right",
        "logaddexp and sigmoid",
        """
class Softplus(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.logaddexp(x, torch.zeros_like(x))

    @staticmethod
    def backward(ctx, grad_output):
        x, = ctx.saved_tensors
        return grad_output * torch.sigmoid(x)
""",
    ),
    (
        "14.Softplus",
        "right",
        "relu(x) + log1p(exp(-|x|)); the sigmoid by tanh",
        """
class Softplus(Function):
    @staticmethod
    def forward(x):
        return torch.relu(x) + torch.log1p(torch.exp(-torch.abs(x)))

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx, grad_output):
        x, = ctx.saved_tensors
        return grad_output * (0.5 + 0.5 * torch.tanh(0.5 * x))
""",
    ),
    (
        "14.Softplus",
        "right",
        "loop over Python numbers; backward is exp(x - result) with the saved result",
        """
import math

def softplus(v):
    if v > 0:
        return v + math.log1p(math.exp(-v))
    return math.log1p(math.exp(v))

class Softplus(Function):
    @staticmethod
    def forward(ctx, x):
        flat = [softplus(v) for v in x.reshape(-1).tolist()]
        result = torch.tensor(flat, dtype=x.dtype).reshape(x.shape)
        ctx.save_for_backward(x, result)
        return result

    @staticmethod
    def backward(ctx, grad_output):
        x, result = ctx.saved_tensors
        return torch.exp(x - result) * grad_output
""",
    ),
    (
        "14.Softplus",
        "right",
        "minus logsigmoid(-x); a short cut from x = 40 on, and a sigmoid that is safe by clamping",
        """
class Softplus(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.where(x > 40, x, -torch.nn.functional.logsigmoid(-x))

    @staticmethod
    def backward(ctx, grad_output):
        x, = ctx.saved_tensors
        return grad_output / (1 + torch.exp(-x.clamp(-80, 80)))
""",
    ),
    (
        "14.Softplus",
        "wrong",
        "the formula as it stands: infinity for 800",
        """
class Softplus(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.log(1 + torch.exp(x))

    @staticmethod
    def backward(ctx, grad_output):
        x, = ctx.saved_tensors
        s = torch.sigmoid(x)
        return grad_output * s
""",
    ),
    (
        "14.Softplus",
        "wrong",
        "the short cut x begins at 5, too early",
        """
class Softplus(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.where(x > 5, x, torch.log1p(torch.exp(x)))

    @staticmethod
    def backward(ctx, grad_output):
        x, = ctx.saved_tensors
        s = torch.sigmoid(x)
        return grad_output * s
""",
    ),
    (
        "14.Softplus",
        "wrong",
        "the short cut x begins at 10 and is not exact there yet",
        """
class Softplus(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.where(x >= 10, x, torch.log1p(torch.exp(x)))

    @staticmethod
    def backward(ctx, grad_output):
        x, = ctx.saved_tensors
        s = torch.sigmoid(x)
        return grad_output * s
""",
    ),
    (
        "14.Softplus",
        "wrong",
        "the result is set to 0 below -5, too early",
        """
class Softplus(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.where(x < -5, torch.zeros_like(x), x.clamp(min=0) + torch.log1p(torch.exp(-x.abs())))

    @staticmethod
    def backward(ctx, grad_output):
        x, = ctx.saved_tensors
        s = torch.sigmoid(x)
        return grad_output * s
""",
    ),
    (
        "14.Softplus",
        "wrong",
        "backward computes exp(x) / (1 + exp(x)): NaN for 800",
        """
class Softplus(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.clamp(min=0) + torch.log1p(torch.exp(-x.abs()))

    @staticmethod
    def backward(ctx, grad_output):
        x, = ctx.saved_tensors
        s = torch.exp(x) / (1 + torch.exp(x))
        return grad_output * s
""",
    ),
    (
        "14.Softplus",
        "wrong",
        "backward uses sigmoid(-x) instead of sigmoid(x)",
        """
class Softplus(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.clamp(min=0) + torch.log1p(torch.exp(-x.abs()))

    @staticmethod
    def backward(ctx, grad_output):
        x, = ctx.saved_tensors
        s = torch.sigmoid(-x)
        return grad_output * s
""",
    ),
    (
        "14.Softplus",
        "wrong",
        "backward uses the step function (the derivative of relu) instead of the sigmoid",
        """
class Softplus(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.clamp(min=0) + torch.log1p(torch.exp(-x.abs()))

    @staticmethod
    def backward(ctx, grad_output):
        x, = ctx.saved_tensors
        s = (x > 0).to(x.dtype)
        return grad_output * s
""",
    ),
    (
        "14.Softplus",
        "wrong",
        "the sigmoid is computed in forward and kept on ctx, so the second derivative is missing",
        """
class Softplus(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.s = torch.sigmoid(x)
        return x.clamp(min=0) + torch.log1p(torch.exp(-x.abs()))

    @staticmethod
    def backward(ctx, grad_output):
        s = ctx.s
        return grad_output * s
""",
    ),
    (
        "14.Softplus",
        "wrong",
        "backward ignores grad_output",
        """
class Softplus(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.clamp(min=0) + torch.log1p(torch.exp(-x.abs()))

    @staticmethod
    def backward(ctx, grad_output):
        x, = ctx.saved_tensors
        s = torch.sigmoid(x)
        return s
""",
    ),
    (
        "14.Softplus",
        "wrong",
        "backward chooses between two forms with where; the form that is not chosen is infinite for 800 or -800, and the second derivative is NaN there",
        """
class Softplus(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.clamp(min=0) + torch.log1p(torch.exp(-x.abs()))

    @staticmethod
    def backward(ctx, grad_output):
        x, = ctx.saved_tensors
        s = torch.where(x >= 0, 1 / (1 + torch.exp(-x)), torch.exp(x) / (1 + torch.exp(x)))
        return grad_output * s
""",
    ),
    (
        "14.Softplus",
        "wrong",
        "x is clamped at 700 in forward, so the result for 800 is 700",
        """
class Softplus(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.log1p(torch.exp(x.clamp(max=700)))

    @staticmethod
    def backward(ctx, grad_output):
        x, = ctx.saved_tensors
        s = torch.sigmoid(x)
        return grad_output * s
""",
    ),
    (
        "14.Softplus",
        "wrong",
        "adds |x| instead of max(x, 0): wrong for negative x",
        """
class Softplus(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.abs() + torch.log1p(torch.exp(-x.abs()))

    @staticmethod
    def backward(ctx, grad_output):
        x, = ctx.saved_tensors
        s = torch.sigmoid(x)
        return grad_output * s
""",
    ),
    (
        "14.Softplus",
        "wrong",
        "the 1 is added twice: log1p(1 + exp)",
        """
class Softplus(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.clamp(min=0) + torch.log1p(1 + torch.exp(-x.abs()))

    @staticmethod
    def backward(ctx, grad_output):
        x, = ctx.saved_tensors
        s = torch.sigmoid(x)
        return grad_output * s
""",
    ),
    (
        "14.Softplus",
        "wrong",
        "the derivative of the sigmoid, s * (1 - s), instead of the sigmoid",
        """
class Softplus(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.clamp(min=0) + torch.log1p(torch.exp(-x.abs()))

    @staticmethod
    def backward(ctx, grad_output):
        x, = ctx.saved_tensors
        s = torch.sigmoid(x)
        return grad_output * s * (1 - s)
""",
    ),
    (
        "14.Softplus",
        "wrong",
        "the result is put together with torch.tensor from a list without dtype, so it is float32 for float64 numbers",
        """
class Softplus(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.tensor((x.clamp(min=0) + torch.log1p(torch.exp(-x.abs()))).tolist())

    @staticmethod
    def backward(ctx, grad_output):
        x, = ctx.saved_tensors
        s = torch.sigmoid(x)
        return grad_output * s
""",
    ),
    (
        "14.Softplus",
        "wrong",
        "a loop over the entries of the first dimension: fails for a tensor without dimensions",
        """
class Softplus(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.stack([v.clamp(min=0) + torch.log1p(torch.exp(-v.abs())) for v in x])

    @staticmethod
    def backward(ctx, grad_output):
        x, = ctx.saved_tensors
        s = torch.sigmoid(x)
        return grad_output * s
""",
    ),
    (
        "14.Softplus",
        "wrong",
        "detaches x in backward, so the second derivative is missing",
        """
class Softplus(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.clamp(min=0) + torch.log1p(torch.exp(-x.abs()))

    @staticmethod
    def backward(ctx, grad_output):
        x, = ctx.saved_tensors
        s = torch.sigmoid(x.detach())
        return grad_output * s
""",
    ),
    (
        "14.Softplus",
        "wrong",
        "clamp_ in place changes x to max(x, 0)",
        """
class Softplus(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.log1p(torch.exp(-x.abs())) + x.clamp_(min=0)

    @staticmethod
    def backward(ctx, grad_output):
        x, = ctx.saved_tensors
        s = torch.sigmoid(x)
        return grad_output * s
""",
    ),
    (
        "14.Softplus",
        "wrong",
        "backward clamps x to -5..5 before the sigmoid: the gradient is wrong beyond, and the second derivative is 0 there",
        """
class Softplus(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.clamp(min=0) + torch.log1p(torch.exp(-x.abs()))

    @staticmethod
    def backward(ctx, grad_output):
        x, = ctx.saved_tensors
        s = torch.sigmoid(x.clamp(-5, 5))
        return grad_output * s
""",
    ),
    (
        "14.Softplus",
        "wrong",
        "the result is float64 also for float32 numbers",
        """
class Softplus(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return (x.clamp(min=0) + torch.log1p(torch.exp(-x.abs()))).double()

    @staticmethod
    def backward(ctx, grad_output):
        x, = ctx.saved_tensors
        s = torch.sigmoid(x)
        return grad_output * s
""",
    ),
    (
        "14.Softplus",
        "right",
        "logaddexp with zero in forward; backward saves the result y and uses the slope 1 - exp(-y), written with expm1",
        """
class Softplus(Function):
    @staticmethod
    def forward(ctx, x):
        y = torch.logaddexp(x, torch.zeros_like(x))
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, grad_output):
        y, = ctx.saved_tensors
        return -grad_output * torch.expm1(-y)
""",
    ),
    (
        "14.Softplus",
        "wrong",
        "the short cut 'x itself' begins at 8, which is too early: at 10 the result is 10 instead of 10.0000454",
        """
class Softplus(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.where(x > 8, x, torch.log1p(torch.exp(torch.clamp(x, max=8))))

    @staticmethod
    def backward(ctx, grad_output):
        x, = ctx.saved_tensors
        return grad_output * torch.sigmoid(x)
""",
    ),
    (
        "14.Softplus",
        "wrong",
        "x + log(1 + exp(-x)) is safe for large x only; for -800 exp(800) is infinite",
        """
class Softplus(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x + torch.log1p(torch.exp(-x))

    @staticmethod
    def backward(ctx, grad_output):
        x, = ctx.saved_tensors
        return grad_output * torch.sigmoid(x)
""",
    ),
    (
        "14.Softplus",
        "wrong",
        "the slope exp(x) / (1 + exp(x)) is infinity divided by infinity (NaN) for 800",
        """
class Softplus(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.clamp(x, min=0) + torch.log1p(torch.exp(-x.abs()))

    @staticmethod
    def backward(ctx, grad_output):
        x, = ctx.saved_tensors
        return grad_output * torch.exp(x) / (1 + torch.exp(x))
""",
    ),
    (
        "14.Softplus",
        "wrong",
        "the slope is sigmoid(-x) instead of sigmoid(x)",
        """
class Softplus(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.clamp(x, min=0) + torch.log1p(torch.exp(-x.abs()))

    @staticmethod
    def backward(ctx, grad_output):
        x, = ctx.saved_tensors
        return grad_output * torch.sigmoid(-x)
""",
    ),
    (
        "14.Softplus",
        "wrong",
        "the slope is computed in forward and kept as a constant, so the second derivative is lost",
        """
class Softplus(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.slope = torch.sigmoid(x)
        return torch.clamp(x, min=0) + torch.log1p(torch.exp(-x.abs()))

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output * ctx.slope
""",
    ),
    (
        "14.Interpolate",
        "right",
        "sum_to_size gives the gradient of t its shape",
        """
class Interpolate(Function):
    @staticmethod
    def forward(ctx, a, b, t):
        ctx.save_for_backward(a, b, t)
        return (1 - t) * a + t * b

    @staticmethod
    def backward(ctx, grad_output):
        a, b, t = ctx.saved_tensors
        return grad_output * (1 - t), grad_output * t, (grad_output * (b - a)).sum_to_size(t.shape)
""",
    ),
    (
        "14.Interpolate",
        "right",
        "lerp in forward; the gradient of a as the rest of the gradient of b; summed if t has no dimensions",
        """
class Interpolate(Function):
    @staticmethod
    def forward(start, end, weight):
        return torch.lerp(start, end, weight)

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx, g):
        start, end, weight = ctx.saved_tensors
        for_end = weight * g
        for_weight = g * end - g * start
        if weight.dim() == 0:
            for_weight = for_weight.sum()
        return g - for_end, for_end, for_weight
""",
    ),
    (
        "14.Interpolate",
        "right",
        "only the gradients that are needed, with needs_input_grad",
        """
class Interpolate(Function):
    @staticmethod
    def forward(ctx, a, b, t):
        ctx.save_for_backward(a, b, t)
        return a + t * (b - a)

    @staticmethod
    def backward(ctx, grad_output):
        a, b, t = ctx.saved_tensors
        grad_a = grad_b = grad_t = None
        if ctx.needs_input_grad[0]:
            grad_a = (1 - t) * grad_output
        if ctx.needs_input_grad[1]:
            grad_b = t * grad_output
        if ctx.needs_input_grad[2]:
            grad_t = (b - a) * grad_output
            if grad_t.shape != t.shape:
                grad_t = grad_t.sum()
        return grad_a, grad_b, grad_t
""",
    ),
    (
        "14.Interpolate",
        "right",
        "a dot product for the t without dimensions, t kept on ctx by expand",
        """
import numpy as np

class Interpolate(Function):
    @staticmethod
    def forward(ctx, a, b, t):
        ctx.save_for_backward(a, b, t)
        p, q, w = (np.asarray(z.detach().numpy()) for z in (a, b, t))
        return torch.tensor(p - w * p + w * q, dtype=a.dtype)

    @staticmethod
    def backward(ctx, grad_output):
        a, b, t = ctx.saved_tensors
        w = t.expand_as(a)
        if t.shape == a.shape:
            grad_t = (b - a) * grad_output
        else:
            grad_t = torch.dot((b - a).reshape(-1), grad_output.reshape(-1))
        return grad_output - w * grad_output, w * grad_output, grad_t
""",
    ),
    (
        "14.Interpolate",
        "wrong",
        "a and b have changed places: the result is b for t = 0 (forward and backward agree)",
        """
class Interpolate(Function):
    @staticmethod
    def forward(ctx, a, b, t):
        ctx.save_for_backward(a, b, t)
        return t * a + (1 - t) * b

    @staticmethod
    def backward(ctx, grad_output):
        a, b, t = ctx.saved_tensors
        grad_a = grad_output * t
        grad_b = grad_output * (1 - t)
        grad_t = grad_output * (a - b)
        if t.dim() == 0:
            grad_t = grad_t.sum()
        return grad_a, grad_b, grad_t
""",
    ),
    (
        "14.Interpolate",
        "wrong",
        "the gradient of t is not summed when t has no dimensions, so it has the wrong shape",
        """
class Interpolate(Function):
    @staticmethod
    def forward(ctx, a, b, t):
        ctx.save_for_backward(a, b, t)
        return (1 - t) * a + t * b

    @staticmethod
    def backward(ctx, grad_output):
        a, b, t = ctx.saved_tensors
        grad_a = grad_output * (1 - t)
        grad_b = grad_output * t
        grad_t = grad_output * (b - a)
        return grad_a, grad_b, grad_t
""",
    ),
    (
        "14.Interpolate",
        "wrong",
        "the gradient of t is always summed, also when t has the shape of a",
        """
class Interpolate(Function):
    @staticmethod
    def forward(ctx, a, b, t):
        ctx.save_for_backward(a, b, t)
        return (1 - t) * a + t * b

    @staticmethod
    def backward(ctx, grad_output):
        a, b, t = ctx.saved_tensors
        grad_a = grad_output * (1 - t)
        grad_b = grad_output * t
        grad_t = grad_output * (b - a)
        grad_t = grad_t.sum()
        return grad_a, grad_b, grad_t
""",
    ),
    (
        "14.Interpolate",
        "wrong",
        "the gradient of t has the wrong sign: a - b instead of b - a",
        """
class Interpolate(Function):
    @staticmethod
    def forward(ctx, a, b, t):
        ctx.save_for_backward(a, b, t)
        return (1 - t) * a + t * b

    @staticmethod
    def backward(ctx, grad_output):
        a, b, t = ctx.saved_tensors
        grad_a = grad_output * (1 - t)
        grad_b = grad_output * t
        grad_t = grad_output * (a - b)
        if t.dim() == 0:
            grad_t = grad_t.sum()
        return grad_a, grad_b, grad_t
""",
    ),
    (
        "14.Interpolate",
        "wrong",
        "t gets None instead of a gradient",
        """
class Interpolate(Function):
    @staticmethod
    def forward(ctx, a, b, t):
        ctx.save_for_backward(a, b, t)
        return (1 - t) * a + t * b

    @staticmethod
    def backward(ctx, grad_output):
        a, b, t = ctx.saved_tensors
        grad_a = grad_output * (1 - t)
        grad_b = grad_output * t
        grad_t = grad_output * (b - a)
        if t.dim() == 0:
            grad_t = grad_t.sum()
        return grad_a, grad_b, None
""",
    ),
    (
        "14.Interpolate",
        "wrong",
        "for a t without dimensions the mean of the gradients instead of their sum",
        """
class Interpolate(Function):
    @staticmethod
    def forward(ctx, a, b, t):
        ctx.save_for_backward(a, b, t)
        return (1 - t) * a + t * b

    @staticmethod
    def backward(ctx, grad_output):
        a, b, t = ctx.saved_tensors
        grad_a = grad_output * (1 - t)
        grad_b = grad_output * t
        grad_t = grad_output * (b - a)
        if t.dim() == 0:
            grad_t = grad_t.mean()
        return grad_a, grad_b, grad_t
""",
    ),
    (
        "14.Interpolate",
        "wrong",
        "b - a is computed in forward and kept on ctx, so the second derivative through a and b is missing",
        """
class Interpolate(Function):
    @staticmethod
    def forward(ctx, a, b, t):
        ctx.save_for_backward(a, b, t)
        ctx.d = b - a
        return (1 - t) * a + t * b

    @staticmethod
    def backward(ctx, grad_output):
        a, b, t = ctx.saved_tensors
        grad_a = grad_output * (1 - t)
        grad_b = grad_output * t
        grad_t = grad_output * ctx.d
        if t.dim() == 0:
            grad_t = grad_t.sum()
        return grad_a, grad_b, grad_t
""",
    ),
    (
        "14.Interpolate",
        "wrong",
        "the gradients of a and b are returned in the wrong order",
        """
class Interpolate(Function):
    @staticmethod
    def forward(ctx, a, b, t):
        ctx.save_for_backward(a, b, t)
        return (1 - t) * a + t * b

    @staticmethod
    def backward(ctx, grad_output):
        a, b, t = ctx.saved_tensors
        grad_a = grad_output * (1 - t)
        grad_b = grad_output * t
        grad_t = grad_output * (b - a)
        if t.dim() == 0:
            grad_t = grad_t.sum()
        return grad_b, grad_a, grad_t
""",
    ),
    (
        "14.Interpolate",
        "wrong",
        "the gradient of a is -t instead of 1 - t times grad_output",
        """
class Interpolate(Function):
    @staticmethod
    def forward(ctx, a, b, t):
        ctx.save_for_backward(a, b, t)
        return (1 - t) * a + t * b

    @staticmethod
    def backward(ctx, grad_output):
        a, b, t = ctx.saved_tensors
        grad_a = grad_output * -t
        grad_b = grad_output * t
        grad_t = grad_output * (b - a)
        if t.dim() == 0:
            grad_t = grad_t.sum()
        return grad_a, grad_b, grad_t
""",
    ),
    (
        "14.Interpolate",
        "wrong",
        "for a t without dimensions grad_output and b - a are summed separately and then multiplied",
        """
class Interpolate(Function):
    @staticmethod
    def forward(ctx, a, b, t):
        ctx.save_for_backward(a, b, t)
        return (1 - t) * a + t * b

    @staticmethod
    def backward(ctx, grad_output):
        a, b, t = ctx.saved_tensors
        grad_a = grad_output * (1 - t)
        grad_b = grad_output * t
        grad_t = grad_output * (b - a)
        if t.dim() == 0:
            grad_t = grad_output.sum() * (b - a).sum()
        return grad_a, grad_b, grad_t
""",
    ),
    (
        "14.Interpolate",
        "wrong",
        "the gradient of t is summed whenever t has one entry, so a t of shape (1,) gets a gradient without dimensions",
        """
class Interpolate(Function):
    @staticmethod
    def forward(ctx, a, b, t):
        ctx.save_for_backward(a, b, t)
        return (1 - t) * a + t * b

    @staticmethod
    def backward(ctx, grad_output):
        a, b, t = ctx.saved_tensors
        grad_a = grad_output * (1 - t)
        grad_b = grad_output * t
        grad_t = grad_output * (b - a)
        if t.numel() == 1:
            grad_t = grad_t.sum()
        return grad_a, grad_b, grad_t
""",
    ),
    (
        "14.Interpolate",
        "wrong",
        "for a t without dimensions only the first dimension is summed: the gradient has the wrong shape for a matrix (and sum(0) is right for one dimension)",
        """
class Interpolate(Function):
    @staticmethod
    def forward(ctx, a, b, t):
        ctx.save_for_backward(a, b, t)
        return (1 - t) * a + t * b

    @staticmethod
    def backward(ctx, grad_output):
        a, b, t = ctx.saved_tensors
        grad_a = grad_output * (1 - t)
        grad_b = grad_output * t
        grad_t = grad_output * (b - a)
        if t.dim() == 0:
            grad_t = grad_t.sum(0)
        return grad_a, grad_b, grad_t
""",
    ),
    (
        "14.Interpolate",
        "wrong",
        "the gradient of t does not contain grad_output",
        """
class Interpolate(Function):
    @staticmethod
    def forward(ctx, a, b, t):
        ctx.save_for_backward(a, b, t)
        return (1 - t) * a + t * b

    @staticmethod
    def backward(ctx, grad_output):
        a, b, t = ctx.saved_tensors
        grad_a = grad_output * (1 - t)
        grad_b = grad_output * t
        grad_t = b - a
        if t.dim() == 0:
            grad_t = grad_t.sum()
        return grad_a, grad_b, grad_t
""",
    ),
    (
        "14.Interpolate",
        "wrong",
        "the gradient of b is only t expanded: grad_output is missing",
        """
class Interpolate(Function):
    @staticmethod
    def forward(ctx, a, b, t):
        ctx.save_for_backward(a, b, t)
        return (1 - t) * a + t * b

    @staticmethod
    def backward(ctx, grad_output):
        a, b, t = ctx.saved_tensors
        grad_a = grad_output * (1 - t)
        grad_b = t * torch.ones_like(b)
        grad_t = grad_output * (b - a)
        if t.dim() == 0:
            grad_t = grad_t.sum()
        return grad_a, grad_b, grad_t
""",
    ),
    (
        "14.Interpolate",
        "wrong",
        "uses t.item(): fails for a t of the shape of a",
        """
class Interpolate(Function):
    @staticmethod
    def forward(ctx, a, b, t):
        ctx.save_for_backward(a, b, t)
        return (1 - t.item()) * a + t.item() * b

    @staticmethod
    def backward(ctx, grad_output):
        a, b, t = ctx.saved_tensors
        grad_a = grad_output * (1 - t)
        grad_b = grad_output * t
        grad_t = grad_output * (b - a)
        if t.dim() == 0:
            grad_t = grad_t.sum()
        return grad_a, grad_b, grad_t
""",
    ),
    (
        "14.Interpolate",
        "wrong",
        "a is multiplied in place and changed",
        """
class Interpolate(Function):
    @staticmethod
    def forward(ctx, a, b, t):
        ctx.save_for_backward(a, b, t)
        return a.mul_(1 - t) + t * b

    @staticmethod
    def backward(ctx, grad_output):
        a, b, t = ctx.saved_tensors
        grad_a = grad_output * (1 - t)
        grad_b = grad_output * t
        grad_t = grad_output * (b - a)
        if t.dim() == 0:
            grad_t = grad_t.sum()
        return grad_a, grad_b, grad_t
""",
    ),
    (
        "14.Interpolate",
        "wrong",
        "t is detached in backward, so the second derivative through t is missing",
        """
class Interpolate(Function):
    @staticmethod
    def forward(ctx, a, b, t):
        ctx.save_for_backward(a, b, t)
        return (1 - t) * a + t * b

    @staticmethod
    def backward(ctx, grad_output):
        a, b, t = ctx.saved_tensors
        t = t.detach()
        grad_a = grad_output * (1 - t)
        grad_b = grad_output * t
        grad_t = grad_output * (b - a)
        if t.dim() == 0:
            grad_t = grad_t.sum()
        return grad_a, grad_b, grad_t
""",
    ),
    (
        "14.Interpolate",
        "wrong",
        "the gradients of a and b are summed too when t has no dimensions",
        """
class Interpolate(Function):
    @staticmethod
    def forward(ctx, a, b, t):
        ctx.save_for_backward(a, b, t)
        return (1 - t) * a + t * b

    @staticmethod
    def backward(ctx, grad_output):
        a, b, t = ctx.saved_tensors
        grad_a = grad_output * (1 - t)
        grad_b = grad_output * t
        grad_t = grad_output * (b - a)
        if t.dim() == 0:
            grad_t = grad_t.sum()
            grad_a = grad_a.sum()
            grad_b = grad_b.sum()
        return grad_a, grad_b, grad_t
""",
    ),
    (
        "14.Interpolate",
        "wrong",
        "the result is (1 - t) * a + b: the factor t of b is missing in forward",
        """
class Interpolate(Function):
    @staticmethod
    def forward(ctx, a, b, t):
        ctx.save_for_backward(a, b, t)
        return (1 - t) * a + b

    @staticmethod
    def backward(ctx, grad_output):
        a, b, t = ctx.saved_tensors
        grad_a = grad_output * (1 - t)
        grad_b = grad_output * t
        grad_t = grad_output * (b - a)
        if t.dim() == 0:
            grad_t = grad_t.sum()
        return grad_a, grad_b, grad_t
""",
    ),
    (
        "14.Interpolate",
        "wrong",
        "the values are kept on ctx as detached copies, so no second derivative passes through a, b and t",
        """
class Interpolate(Function):
    @staticmethod
    def forward(ctx, a, b, t):
        ctx.values = a.clone(), b.clone(), t.clone()
        return (1 - t) * a + t * b

    @staticmethod
    def backward(ctx, grad_output):
        a, b, t = ctx.values
        grad_a = grad_output * (1 - t)
        grad_b = grad_output * t
        grad_t = grad_output * (b - a)
        if t.dim() == 0:
            grad_t = grad_t.sum()
        return grad_a, grad_b, grad_t
""",
    ),
    (
        "14.Interpolate",
        "right",
        "writes the result as t * b - (t - 1) * a, and gets the gradient of a as grad_output minus the gradient of b; sums over as many dimensions as t lacks",
        """
class Interpolate(Function):
    @staticmethod
    def forward(ctx, a, b, t):
        ctx.save_for_backward(a, b, t)
        return t * b - (t - 1) * a

    @staticmethod
    def backward(ctx, grad_output):
        a, b, t = ctx.saved_tensors
        to_b = t * grad_output
        to_a = grad_output - to_b
        to_t = b * grad_output - a * grad_output
        while to_t.dim() > t.dim():
            to_t = to_t.sum(0)
        return to_a, to_b, to_t
""",
    ),
    (
        "14.Interpolate",
        "wrong",
        "a and b are exchanged: t = 0 gives b and t = 1 gives a",
        """
class Interpolate(Function):
    @staticmethod
    def forward(ctx, a, b, t):
        ctx.save_for_backward(a, b, t)
        return t * a + (1 - t) * b

    @staticmethod
    def backward(ctx, grad_output):
        a, b, t = ctx.saved_tensors
        grad_t = grad_output * (a - b)
        if t.dim() == 0:
            grad_t = grad_t.sum()
        return grad_output * t, grad_output * (1 - t), grad_t
""",
    ),
    (
        "14.Interpolate",
        "wrong",
        "the gradient of a t without dimensions is the mean over the entries instead of the sum",
        """
class Interpolate(Function):
    @staticmethod
    def forward(ctx, a, b, t):
        ctx.save_for_backward(a, b, t)
        return (1 - t) * a + t * b

    @staticmethod
    def backward(ctx, grad_output):
        a, b, t = ctx.saved_tensors
        grad_t = grad_output * (b - a)
        if t.dim() == 0:
            grad_t = grad_t.mean()
        return grad_output * (1 - t), grad_output * t, grad_t
""",
    ),
    (
        "14.Interpolate",
        "wrong",
        "the gradient of t has the wrong sign: a - b instead of b - a",
        """
class Interpolate(Function):
    @staticmethod
    def forward(ctx, a, b, t):
        ctx.save_for_backward(a, b, t)
        return (1 - t) * a + t * b

    @staticmethod
    def backward(ctx, grad_output):
        a, b, t = ctx.saved_tensors
        grad_t = grad_output * (a - b)
        if t.dim() == 0:
            grad_t = grad_t.sum()
        return grad_output * (1 - t), grad_output * t, grad_t
""",
    ),
    (
        "14.Interpolate",
        "wrong",
        "the saved tensors are detached in backward, so the second derivative is lost",
        """
class Interpolate(Function):
    @staticmethod
    def forward(ctx, a, b, t):
        ctx.save_for_backward(a, b, t)
        return (1 - t) * a + t * b

    @staticmethod
    def backward(ctx, grad_output):
        a, b, t = (s.detach() for s in ctx.saved_tensors)
        grad_t = grad_output * (b - a)
        if t.dim() == 0:
            grad_t = grad_t.sum()
        return grad_output * (1 - t), grad_output * t, grad_t
""",
    ),
    (
        "14.Interpolate",
        "wrong",
        "a t with one entry and one dimension is summed as if it had no dimensions, so its gradient has shape () instead of (1,)",
        """
class Interpolate(Function):
    @staticmethod
    def forward(ctx, a, b, t):
        ctx.save_for_backward(a, b, t)
        return (1 - t) * a + t * b

    @staticmethod
    def backward(ctx, grad_output):
        a, b, t = ctx.saved_tensors
        grad_t = grad_output * (b - a)
        if t.numel() == 1:
            grad_t = grad_t.sum()
        return grad_output * (1 - t), grad_output * t, grad_t
""",
    ),
    (
        "14.GradientReversal",
        "right",
        "view_as",
        """
class GradientReversal(Function):
    @staticmethod
    def forward(ctx, x, strength):
        ctx.strength = strength
        return x.view_as(x)

    @staticmethod
    def backward(ctx, grad_output):
        return -ctx.strength * grad_output, None
""",
    ),
    (
        "14.GradientReversal",
        "right",
        "setup_context and clone; neg and mul",
        """
class GradientReversal(Function):
    @staticmethod
    def forward(x, strength):
        return x.clone()

    @staticmethod
    def setup_context(ctx, inputs, output):
        _, ctx.strength = inputs

    @staticmethod
    def backward(ctx, grad_output):
        reversed_ = grad_output.neg().mul(ctx.strength)
        return reversed_, None
""",
    ),
    (
        "14.GradientReversal",
        "right",
        "the factor is a tensor saved for backward, x + 0",
        """
class GradientReversal(Function):
    @staticmethod
    def forward(ctx, x, strength):
        ctx.save_for_backward(torch.full_like(x, -strength))
        return x + 0

    @staticmethod
    def backward(ctx, grad_output):
        factor, = ctx.saved_tensors
        return factor * grad_output, None
""",
    ),
    (
        "14.GradientReversal",
        "right",
        "returns x itself",
        """
class GradientReversal(Function):
    @staticmethod
    def forward(ctx, x, strength):
        ctx.factor = 0 - strength
        return x

    @staticmethod
    def backward(ctx, g):
        return g * ctx.factor, None
""",
    ),
    (
        "14.GradientReversal",
        "wrong",
        "the gradient is not reversed: the minus sign is missing",
        """
class GradientReversal(Function):
    @staticmethod
    def forward(ctx, x, strength):
        ctx.strength = strength
        return x.clone()

    @staticmethod
    def backward(ctx, grad_output):
        grad = ctx.strength * grad_output
        return grad, None
""",
    ),
    (
        "14.GradientReversal",
        "wrong",
        "the gradient is not multiplied by strength",
        """
class GradientReversal(Function):
    @staticmethod
    def forward(ctx, x, strength):
        ctx.strength = strength
        return x.clone()

    @staticmethod
    def backward(ctx, grad_output):
        grad = -grad_output
        return grad, None
""",
    ),
    (
        "14.GradientReversal",
        "wrong",
        "grad_output is ignored: the gradient is -strength everywhere",
        """
class GradientReversal(Function):
    @staticmethod
    def forward(ctx, x, strength):
        ctx.strength = strength
        return x.clone()

    @staticmethod
    def backward(ctx, grad_output):
        grad = torch.full_like(grad_output, -ctx.strength)
        return grad, None
""",
    ),
    (
        "14.GradientReversal",
        "wrong",
        "forward changes the values: it multiplies x by -strength",
        """
class GradientReversal(Function):
    @staticmethod
    def forward(ctx, x, strength):
        ctx.strength = strength
        return -strength * x

    @staticmethod
    def backward(ctx, grad_output):
        grad = -ctx.strength * grad_output
        return grad, None
""",
    ),
    (
        "14.GradientReversal",
        "wrong",
        "forward reverses the sign of the values",
        """
class GradientReversal(Function):
    @staticmethod
    def forward(ctx, x, strength):
        ctx.strength = strength
        return -x

    @staticmethod
    def backward(ctx, grad_output):
        grad = -ctx.strength * grad_output
        return grad, None
""",
    ),
    (
        "14.GradientReversal",
        "wrong",
        "backward returns one value for two arguments: None for strength is missing",
        """
class GradientReversal(Function):
    @staticmethod
    def forward(ctx, x, strength):
        ctx.strength = strength
        return x.clone()

    @staticmethod
    def backward(ctx, grad_output):
        grad = -ctx.strength * grad_output
        return grad
""",
    ),
    (
        "14.GradientReversal",
        "wrong",
        "backward changes grad_output in place",
        """
class GradientReversal(Function):
    @staticmethod
    def forward(ctx, x, strength):
        ctx.strength = strength
        return x.clone()

    @staticmethod
    def backward(ctx, grad_output):
        grad = grad_output.mul_(-ctx.strength)
        return grad, None
""",
    ),
    (
        "14.GradientReversal",
        "wrong",
        "the gradient is divided by strength instead of multiplied",
        """
class GradientReversal(Function):
    @staticmethod
    def forward(ctx, x, strength):
        ctx.strength = strength
        return x.clone()

    @staticmethod
    def backward(ctx, grad_output):
        grad = -grad_output / ctx.strength
        return grad, None
""",
    ),
    (
        "14.GradientReversal",
        "wrong",
        "the gradient is multiplied by x too",
        """
class GradientReversal(Function):
    @staticmethod
    def forward(ctx, x, strength):
        ctx.strength = strength
        ctx.save_for_backward(x)
        return x.clone()

    @staticmethod
    def backward(ctx, grad_output):
        grad = -ctx.strength * grad_output * ctx.saved_tensors[0]
        return grad, None
""",
    ),
    (
        "14.GradientReversal",
        "wrong",
        "strength is kept on the class instead of on ctx, so a second call with another strength changes the gradient of the first",
        """
class GradientReversal(Function):
    @staticmethod
    def forward(ctx, x, strength):
        GradientReversal.strength = strength
        return x.clone()

    @staticmethod
    def backward(ctx, grad_output):
        grad = -GradientReversal.strength * grad_output
        return grad, None
""",
    ),
    (
        "14.GradientReversal",
        "wrong",
        "the two values of backward are in the wrong order",
        """
class GradientReversal(Function):
    @staticmethod
    def forward(ctx, x, strength):
        ctx.strength = strength
        return x.clone()

    @staticmethod
    def backward(ctx, grad_output):
        grad = -ctx.strength * grad_output
        return None, grad
""",
    ),
    (
        "14.GradientReversal",
        "wrong",
        "a strength of 0 is taken for 1 (`strength or 1`)",
        """
class GradientReversal(Function):
    @staticmethod
    def forward(ctx, x, strength):
        ctx.strength = strength
        return x.clone()

    @staticmethod
    def backward(ctx, grad_output):
        grad = -(ctx.strength or 1) * grad_output
        return grad, None
""",
    ),
    (
        "14.GradientReversal",
        "wrong",
        "uses the absolute value of strength, so a negative strength gives the wrong sign",
        """
class GradientReversal(Function):
    @staticmethod
    def forward(ctx, x, strength):
        ctx.strength = strength
        return x.clone()

    @staticmethod
    def backward(ctx, grad_output):
        grad = -abs(ctx.strength) * grad_output
        return grad, None
""",
    ),
    (
        "14.GradientReversal",
        "wrong",
        "the result is float32 also for float64 numbers",
        """
class GradientReversal(Function):
    @staticmethod
    def forward(ctx, x, strength):
        ctx.strength = strength
        return x.float().clone()

    @staticmethod
    def backward(ctx, grad_output):
        grad = -ctx.strength * grad_output
        return grad, None
""",
    ),
    (
        "14.GradientReversal",
        "wrong",
        "strength gets a number (the derivative of something) instead of None",
        """
class GradientReversal(Function):
    @staticmethod
    def forward(ctx, x, strength):
        ctx.strength = strength
        return x.clone()

    @staticmethod
    def backward(ctx, grad_output):
        grad = -ctx.strength * grad_output
        return grad, torch.zeros(())
""",
    ),
    (
        "14.GradientReversal",
        "wrong",
        "strength is subtracted from grad_output instead of multiplied by it",
        """
class GradientReversal(Function):
    @staticmethod
    def forward(ctx, x, strength):
        ctx.strength = strength
        return x.clone()

    @staticmethod
    def backward(ctx, grad_output):
        grad = grad_output - ctx.strength
        return grad, None
""",
    ),
    (
        "14.GradientReversal",
        "wrong",
        "backward computes the gradient but does not return it",
        """
class GradientReversal(Function):
    @staticmethod
    def forward(ctx, x, strength):
        ctx.strength = strength
        return x.clone()

    @staticmethod
    def backward(ctx, grad_output):
        grad = -ctx.strength * grad_output
""",
    ),
    (
        "14.GradientReversal",
        "wrong",
        "strength is taken for a whole number: int(0.5) is 0",
        """
class GradientReversal(Function):
    @staticmethod
    def forward(ctx, x, strength):
        ctx.strength = int(strength)
        return x.clone()

    @staticmethod
    def backward(ctx, grad_output):
        grad = -ctx.strength * grad_output
        return grad, None
""",
    ),
    (
        "14.GradientReversal",
        "wrong",
        "the strength is applied in backward a second time (squared)",
        """
class GradientReversal(Function):
    @staticmethod
    def forward(ctx, x, strength):
        ctx.strength = strength
        return x.clone()

    @staticmethod
    def backward(ctx, grad_output):
        grad = -ctx.strength * grad_output * ctx.strength
        return grad, None
""",
    ),
    (
        "14.GradientReversal",
        "right",
        "forward returns a view of x without ctx; setup_context keeps a small function that does the reversal",
        """
class GradientReversal(Function):
    @staticmethod
    def forward(x, strength):
        return x.view_as(x)

    @staticmethod
    def setup_context(ctx, inputs, output):
        strength = inputs[1]
        ctx.turn = lambda g: 0 - g * strength

    @staticmethod
    def backward(ctx, *grads):
        return (*map(ctx.turn, grads), None)
""",
    ),
    (
        "14.GradientReversal",
        "wrong",
        "the minus sign is missing: the gradient is scaled, but not reversed",
        """
class GradientReversal(Function):
    @staticmethod
    def forward(ctx, x, strength):
        ctx.strength = strength
        return x.clone()

    @staticmethod
    def backward(ctx, grad_output):
        return ctx.strength * grad_output, None
""",
    ),
    (
        "14.GradientReversal",
        "wrong",
        "strength is forgotten: the gradient is only negated",
        """
class GradientReversal(Function):
    @staticmethod
    def forward(ctx, x, strength):
        ctx.strength = strength
        return x.clone()

    @staticmethod
    def backward(ctx, grad_output):
        return -grad_output, None
""",
    ),
    (
        "14.GradientReversal",
        "wrong",
        "grad_output itself is changed in place",
        """
class GradientReversal(Function):
    @staticmethod
    def forward(ctx, x, strength):
        ctx.strength = strength
        return x.clone()

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output.mul_(-ctx.strength), None
""",
    ),
    (
        "14.GradientReversal",
        "wrong",
        "the values are reversed as well; forward should return x unchanged",
        """
class GradientReversal(Function):
    @staticmethod
    def forward(ctx, x, strength):
        ctx.strength = strength
        return -x

    @staticmethod
    def backward(ctx, grad_output):
        return -ctx.strength * grad_output, None
""",
    ),
    (
        "14.GradientReversal",
        "wrong",
        "strength 0 is replaced by 1, because 'strength or 1.0' takes 0 for a missing argument",
        """
class GradientReversal(Function):
    @staticmethod
    def forward(ctx, x, strength):
        ctx.strength = strength or 1.0
        return x.clone()

    @staticmethod
    def backward(ctx, grad_output):
        return -ctx.strength * grad_output, None
""",
    ),
    (
        "14.StraightThroughRound",
        "right",
        "torch.round",
        """
class StraightThroughRound(Function):
    @staticmethod
    def forward(ctx, x):
        return torch.round(x)

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output
""",
    ),
    (
        "14.StraightThroughRound",
        "right",
        "Python's round, entry by entry; backward returns a copy in a tuple",
        """
class StraightThroughRound(Function):
    @staticmethod
    def forward(ctx, x):
        numbers = [float(round(v)) for v in x.reshape(-1).tolist()]
        return torch.tensor(numbers, dtype=x.dtype).reshape(x.shape)

    @staticmethod
    def backward(ctx, grad_output):
        return (grad_output.clone(),)
""",
    ),
    (
        "14.StraightThroughRound",
        "right",
        "floor, and one more above the half or at the half of an odd number; setup_context",
        """
class StraightThroughRound(Function):
    @staticmethod
    def forward(x):
        low = torch.floor(x)
        part = x - low
        odd = torch.remainder(low, 2) == 1
        up = (part > 0.5) | ((part == 0.5) & odd)
        return torch.where(up, low + 1, low)

    @staticmethod
    def setup_context(ctx, inputs, output):
        pass

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output * 1
""",
    ),
    (
        "14.StraightThroughRound",
        "right",
        "NumPy rint",
        """
import numpy as np

class StraightThroughRound(Function):
    @staticmethod
    def forward(ctx, x):
        return torch.tensor(np.rint(x.detach().numpy()), dtype=x.dtype)

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output.view_as(grad_output)
""",
    ),
    (
        "14.StraightThroughRound",
        "wrong",
        "floor(x + 0.5) sends every half up: 0.5 to 1 and 2.5 to 3 instead of to the even number",
        """
class StraightThroughRound(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.floor(x + 0.5)

    @staticmethod
    def backward(ctx, grad_output):
        x, = ctx.saved_tensors
        return grad_output
""",
    ),
    (
        "14.StraightThroughRound",
        "wrong",
        "halves go away from zero instead of to the even number",
        """
class StraightThroughRound(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.sign(x) * torch.floor(x.abs() + 0.5)

    @staticmethod
    def backward(ctx, grad_output):
        x, = ctx.saved_tensors
        return grad_output
""",
    ),
    (
        "14.StraightThroughRound",
        "wrong",
        "halves go down: ceil(x - 0.5) sends 1.5 to 1",
        """
class StraightThroughRound(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.ceil(x - 0.5)

    @staticmethod
    def backward(ctx, grad_output):
        x, = ctx.saved_tensors
        return grad_output
""",
    ),
    (
        "14.StraightThroughRound",
        "wrong",
        "cuts the digits off (trunc) instead of rounding",
        """
class StraightThroughRound(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.trunc(x)

    @staticmethod
    def backward(ctx, grad_output):
        x, = ctx.saved_tensors
        return grad_output
""",
    ),
    (
        "14.StraightThroughRound",
        "wrong",
        "always rounds down (floor)",
        """
class StraightThroughRound(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.floor(x)

    @staticmethod
    def backward(ctx, grad_output):
        x, = ctx.saved_tensors
        return grad_output
""",
    ),
    (
        "14.StraightThroughRound",
        "wrong",
        "goes through int32, which has no numbers beyond about 2.1 billion",
        """
class StraightThroughRound(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.round(x).to(torch.int32).to(x.dtype)

    @staticmethod
    def backward(ctx, grad_output):
        x, = ctx.saved_tensors
        return grad_output
""",
    ),
    (
        "14.StraightThroughRound",
        "wrong",
        "the result has an integer dtype instead of that of x",
        """
class StraightThroughRound(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.round(x).long()

    @staticmethod
    def backward(ctx, grad_output):
        x, = ctx.saved_tensors
        return grad_output
""",
    ),
    (
        "14.StraightThroughRound",
        "wrong",
        "returns the derivative of rounding (zeros) instead of grad_output",
        """
class StraightThroughRound(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.round(x)

    @staticmethod
    def backward(ctx, grad_output):
        x, = ctx.saved_tensors
        return torch.zeros_like(grad_output)
""",
    ),
    (
        "14.StraightThroughRound",
        "wrong",
        "the gradient is 1 everywhere: grad_output is ignored",
        """
class StraightThroughRound(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.round(x)

    @staticmethod
    def backward(ctx, grad_output):
        x, = ctx.saved_tensors
        return torch.ones_like(grad_output)
""",
    ),
    (
        "14.StraightThroughRound",
        "wrong",
        "rounds in place and changes x",
        """
class StraightThroughRound(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.round_()

    @staticmethod
    def backward(ctx, grad_output):
        x, = ctx.saved_tensors
        return grad_output
""",
    ),
    (
        "14.StraightThroughRound",
        "wrong",
        "rounds the gradient too",
        """
class StraightThroughRound(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.round(x)

    @staticmethod
    def backward(ctx, grad_output):
        x, = ctx.saved_tensors
        return torch.round(grad_output)
""",
    ),
    (
        "14.StraightThroughRound",
        "wrong",
        "lets the gradient pass only where |x| is at most 1",
        """
class StraightThroughRound(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.round(x)

    @staticmethod
    def backward(ctx, grad_output):
        x, = ctx.saved_tensors
        return grad_output * (x.abs() <= 1).to(x.dtype)
""",
    ),
    (
        "14.StraightThroughRound",
        "wrong",
        "backward returns two values for one argument",
        """
class StraightThroughRound(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.round(x)

    @staticmethod
    def backward(ctx, grad_output):
        x, = ctx.saved_tensors
        return grad_output, grad_output
""",
    ),
    (
        "14.StraightThroughRound",
        "wrong",
        "the gradient is clipped to -1..1",
        """
class StraightThroughRound(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.round(x)

    @staticmethod
    def backward(ctx, grad_output):
        x, = ctx.saved_tensors
        return grad_output.clamp(-1, 1)
""",
    ),
    (
        "14.StraightThroughRound",
        "wrong",
        "torch.tensor from a list without dtype: the result is float32 for float64 numbers",
        """
class StraightThroughRound(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.tensor([float(round(v)) for v in x.reshape(-1).tolist()]).reshape(x.shape)

    @staticmethod
    def backward(ctx, grad_output):
        x, = ctx.saved_tensors
        return grad_output
""",
    ),
    (
        "14.StraightThroughRound",
        "wrong",
        "a loop over the first dimension: fails for a tensor without dimensions",
        """
class StraightThroughRound(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.stack([row.round() for row in x])

    @staticmethod
    def backward(ctx, grad_output):
        x, = ctx.saved_tensors
        return grad_output
""",
    ),
    (
        "14.StraightThroughRound",
        "wrong",
        "the gradient is multiplied by x",
        """
class StraightThroughRound(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.round(x)

    @staticmethod
    def backward(ctx, grad_output):
        x, = ctx.saved_tensors
        return grad_output * x
""",
    ),
    (
        "14.StraightThroughRound",
        "wrong",
        "backward returns None: no gradient passes",
        """
class StraightThroughRound(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.round(x)

    @staticmethod
    def backward(ctx, grad_output):
        x, = ctx.saved_tensors
        return None
""",
    ),
    (
        "14.StraightThroughRound",
        "wrong",
        "int(v + 0.5) cuts towards zero, so negative numbers are rounded wrongly (-0.6 to 0)",
        """
class StraightThroughRound(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.tensor([float(int(v + 0.5)) if v % 1 != 0.5 else float(round(v)) for v in x.reshape(-1).tolist()], dtype=x.dtype).reshape(x.shape)

    @staticmethod
    def backward(ctx, grad_output):
        x, = ctx.saved_tensors
        return grad_output
""",
    ),
    (
        "14.StraightThroughRound",
        "wrong",
        "backward is not a static method: @staticmethod is missing",
        """
class StraightThroughRound(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.round(x)

    def backward(ctx, grad_output):
        x, = ctx.saved_tensors
        return grad_output
""",
    ),
    (
        "14.StraightThroughRound",
        "right",
        "rounds with NumPy's rint and builds the result tensor anew; backward returns a copy",
        """
import numpy as np

class StraightThroughRound(Function):
    @staticmethod
    def forward(ctx, x):
        numbers = np.rint(x.detach().numpy())
        return torch.tensor(numbers.tolist(), dtype=x.dtype)

    @staticmethod
    def backward(ctx, grad_output):
        return 1 * grad_output
""",
    ),
    (
        "14.StraightThroughRound",
        "wrong",
        "floor(x + 0.5) sends every half upwards (0.5 to 1, 2.5 to 3) instead of to the even number",
        """
class StraightThroughRound(Function):
    @staticmethod
    def forward(ctx, x):
        return torch.floor(x + 0.5)

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output
""",
    ),
    (
        "14.StraightThroughRound",
        "wrong",
        "the numbers go through int32, which overflows beyond about 2 billion",
        """
class StraightThroughRound(Function):
    @staticmethod
    def forward(ctx, x):
        return torch.round(x).to(torch.int32).to(x.dtype)

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output
""",
    ),
    (
        "14.StraightThroughRound",
        "wrong",
        "backward returns the true derivative 0 instead of grad_output",
        """
class StraightThroughRound(Function):
    @staticmethod
    def forward(ctx, x):
        return torch.round(x)

    @staticmethod
    def backward(ctx, grad_output):
        return torch.zeros_like(grad_output)
""",
    ),
    (
        "14.StraightThroughRound",
        "wrong",
        "x itself is rounded in place, so the argument is changed",
        """
class StraightThroughRound(Function):
    @staticmethod
    def forward(ctx, x):
        return x.round_()

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output
""",
    ),
    (
        "14.StraightThroughRound",
        "wrong",
        "the gradient is rounded too; it should pass unchanged",
        """
class StraightThroughRound(Function):
    @staticmethod
    def forward(ctx, x):
        return torch.round(x)

    @staticmethod
    def backward(ctx, grad_output):
        return torch.round(grad_output)
""",
    ),
]
