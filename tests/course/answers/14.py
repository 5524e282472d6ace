"""Answers to notebook 14: see tests/course/table.py."""

# %% 14.HuberLoss right: clamped
class HuberLoss(Function):
    @staticmethod
    def forward(ctx, input, target, delta):
        error = input - target
        limited = error.clamp(-delta, delta)
        ctx.save_for_backward(limited)
        return (limited * (error - limited / 2)).mean()

    @staticmethod
    def backward(ctx, grad_output):
        (limited,) = ctx.saved_tensors
        grad = limited * (grad_output / limited.numel())
        return grad, -grad, None

# %% 14.HuberLoss right: by where
class HuberLoss(Function):
    @staticmethod
    def forward(ctx, input, target, delta):
        assert delta > 0
        ctx.save_for_backward(input, target)
        ctx.delta = delta
        size = (target - input).abs()
        print("forward", delta)
        return torch.where(size < delta, 0.5 * size**2, delta * size - 0.5 * delta**2).sum() / size.numel()

    @staticmethod
    def backward(ctx, grad_output):
        input, target = ctx.saved_tensors
        e = input - target
        inside = (e.abs() <= ctx.delta).to(e.dtype)
        g = (inside * e + (1 - inside) * ctx.delta * e.sign()) * grad_output / e.numel()
        return g, -1 * g, None

# %% 14.HuberLoss right: in num py
import numpy as np


class HuberLoss(Function):
    @staticmethod
    def forward(ctx, x, y, d):
        e = x.detach().numpy() - y.detach().numpy()
        ctx.slope = torch.tensor(np.clip(e, -d, d) / e.size)
        costs = np.where(abs(e) < d, e**2 / 2, d * (abs(e) - d / 2))
        return torch.tensor(costs.mean(), dtype=x.dtype)

    @staticmethod
    def backward(ctx, grad_output):
        grad = ctx.slope * grad_output.item()
        return (grad, -grad) + (None,)

# %% 14.HuberLoss right: gradient in forward
class HuberLoss(Function):
    """What lies ahead of grad_output may be computed already in forward."""

    @staticmethod
    def forward(ctx, input, target, delta):
        with torch.enable_grad():
            leaf = input.detach().clone().requires_grad_()
            loss = torch.nn.functional.huber_loss(leaf, target.detach(), delta=delta)
            (ctx.slope,) = torch.autograd.grad(loss, leaf)
        return loss.detach()

    @staticmethod
    def backward(ctx, grad_output):
        needs_input, needs_target, _ = ctx.needs_input_grad
        grad = grad_output * ctx.slope
        return grad if needs_input else None, -grad if needs_target else None, None

# %% 14.HuberLoss right: entry by entry
import math


class HuberLoss(Function):
    """In a loop over plain numbers."""

    @staticmethod
    def forward(ctx, input, target, delta):
        total, slopes = 0.0, []
        ctx.shape = input.shape
        for a, b in zip(input.reshape(-1).tolist(), target.reshape(-1).tolist(), strict=True):
            error = a - b
            if abs(error) <= delta:
                total += error**2 / 2
                slopes.append(error)
            else:
                total += delta * (abs(error) - delta / 2)
                slopes.append(math.copysign(delta, error))
        ctx.slopes = [slope / len(slopes) for slope in slopes]
        return torch.tensor(total / len(slopes), dtype=input.dtype)

    @staticmethod
    def backward(ctx, grad_output):
        grad = (grad_output * torch.tensor(ctx.slopes, dtype=grad_output.dtype)).reshape(ctx.shape)
        return grad, -grad, None

# %% 14.HuberLoss right: with setup context
class HuberLoss(Function):
    @staticmethod
    def forward(input, target, delta):
        size = (input - target).abs()
        small = size.clamp(max=delta)
        return (small * size - small**2 / 2).mean()

    @staticmethod
    def setup_context(ctx, inputs, output):
        input, target, ctx.delta = inputs
        ctx.save_for_backward(input, target)

    @staticmethod
    def backward(ctx, grad_output):
        input, target = ctx.saved_tensors
        error = input - target
        slope = torch.where(error.abs() < ctx.delta, error, ctx.delta * torch.sign(error))
        share = grad_output * slope / max(1, error.numel())
        return share, share.neg(), None

# %% 14.HuberLoss right: where in forward, clamp in backward
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

# %% 14.HuberLoss right: setup_context, minimum trick without any comparison
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

# %% 14.HuberLoss right: loop over Python numbers in forward, masks in backward
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

# %% 14.HuberLoss right: NumPy in forward and backward
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

# %% 14.HuberLoss right: the clipped error c is the slope, and the cost is c * (e - c / 2); forward saves the finished slope
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

# %% 14.HuberLoss wrong: the straight part subtracts delta instead of delta / 2, so the loss is too small
expect("known", "what the straight line subtracts from the size of the error: it is not divided by 2")
edit("- 0.5 *", "-", of="where in")

# %% 14.HuberLoss wrong: forward and backward compute the sum of the costs instead of the mean
expect("known", "the mean of the costs: this is the sum, but it must be the mean")
edit(".mean(", ".sum(",
     "e, = ctx.saved_tensors\n        g = grad_output * e.clamp(-ctx.delta, ctx.delta) / e.numel()",
     "e, = ctx.saved_tensors\n        delta = ctx.delta\n"
     "        slope = torch.where(e.abs() <= delta, e, delta * torch.sign(e))\n        g = grad_output * slope",
     of="where in")

# %% 14.HuberLoss wrong: backward is not divided by the number of entries although forward takes the mean
expect("known", "the gradient for input: it is not divided by the number of entries")
edit("grad_input = grad_output * slope / error.numel()", "grad_input = grad_output * slope")

# %% 14.HuberLoss wrong: backward does not multiply by grad_output
expect("known", "the gradient for input: `grad_output` is left out")
edit("grad_input = grad_output * slope / error.numel()", "grad_input = slope / error.numel()")

# %% 14.HuberLoss wrong: target gets None instead of a gradient
expect("none_for_tensor", "backward returns None for target, which is a tensor and has a gradient")
edit("return g, -g, None", "return g, None, None", of="where in")

# %% 14.HuberLoss wrong: the gradient of target has the wrong sign (the same as that of input)
expect("known", "the gradient for target: the minus sign is missing")
edit("return g, -g, None", "return g,g, None", of="where in")

# %% 14.HuberLoss wrong: the slope of the straight part has no sign: errors below -delta get +delta instead of -delta
expect("known", "the slope beyond delta: the sign of the error is left out")
edit("slope = error.clamp(-ctx.delta, ctx.delta)",
     "delta = ctx.delta\n        slope = torch.where(error.abs() <= delta, error, torch.full_like(error, delta))")

# %% 14.HuberLoss wrong: the slope of the straight part is sign(e), the factor delta is missing
expect("known", "the slope beyond delta: `delta` is left out")
edit("slope = error.clamp(-ctx.delta, ctx.delta)",
     "delta = ctx.delta\n        slope = torch.where(error.abs() <= delta, error, torch.sign(error))")

# %% 14.HuberLoss wrong: forward compares e with delta, not |e|: large negative errors are squared
expect("known", "the test whether an error is small: `abs` is left out")
edit("a <=", "e <=", of="where in")

# %% 14.HuberLoss wrong: backward compares e with delta, not |e|: large negative errors get the slope of the parabola
expect("known", "the test in backward whether an error is small: `abs` is left out")
edit("slope = error.clamp(-ctx.delta, ctx.delta)",
     "delta = ctx.delta\n        slope = torch.where(error <= delta, error, delta * torch.sign(error))")

# %% 14.HuberLoss wrong: backward divides by the number of rows instead of the number of entries (and fails for a tensor without dimensions)
expect("raises_for_some", "the gradient is divided by the size of the first dimension, but the loss is a mean over")
edit("e, = ctx.saved_tensors\n        g = grad_output * e.clamp(-ctx.delta, ctx.delta) / e.numel()",
     "e, = ctx.saved_tensors\n        delta = ctx.delta\n"
     "        slope = torch.where(e.abs() <= delta, e, delta * torch.sign(e))\n"
     "        g = grad_output * slope / e.shape[0]", of="where in")

# %% 14.HuberLoss wrong: backward returns two values for three arguments: None for delta is missing
expect("too_few", "backward returns 2 values, forward takes 3 arguments")
edit("return g, -g, None", "return g, -g", of="where in")

# %% 14.HuberLoss wrong: backward compares with 1 instead of delta
expect("known", "backward changes to the straight line at an error of 1, whatever delta is")
edit("slope = error.clamp(-ctx.delta, ctx.delta)",
     "delta = ctx.delta\n        slope = torch.where(error.abs() <= 1, error, delta * torch.sign(error))")

# %% 14.HuberLoss wrong: forward subtracts in place and changes input
expect("unchanged", "the argument input is changed in forward: work on a copy of input")
edit("\n        e = input - target", "\n        input -= target\n        e = input", of="where in")

# %% 14.HuberLoss wrong: the result has one dimension (shape (1,)) instead of none
expect("forward_shape", "the result has shape")
edit("mean()", "mean().reshape(1)", of="where in")

# %% 14.HuberLoss wrong: the error is kept on the class instead of on ctx, so a second call disturbs the first
expect("repeat", "a second call of forward breaks the backward of the first: keep what backward needs on")
edit("error = input - target\n        size = error.abs()",
     "error = input - target\n        HuberLoss.e = error\n        ctx.delta = delta\n        size = error.abs()",
     "\n        (error,) = ctx.saved_tensors", "\n        error = HuberLoss.e\n        delta = ctx.delta")

# %% 14.HuberLoss wrong: the result is float32 also for float64 tensors
expect("dtype", "the result has dtype float32, it must have float64: keep the dtype of the argument")
edit("mean()", "mean().float()", of="where in")

# %% 14.HuberLoss wrong: the factor 1/2 of the parabola is missing in forward
expect("known", "the parabola: it is not divided by 2")
edit("delta, 0.5 *", "delta,", of="where in")

# %% 14.HuberLoss wrong: backward throws away what it needs, so a second backward pass through the same graph fails
expect("repeat", "`e = ctx.e` raised AttributeError")
edit("ctx.save_for_backward(e)", "ctx.e = e",
     "e, = ctx.saved_tensors",
     "e = ctx.e\n        del ctx.e\n        delta = ctx.delta\n"
     "        slope = torch.where(e.abs() <= delta, e, delta * torch.sign(e))", of="where in")

# %% 14.HuberLoss wrong: half scaled
expect("grad_output_forgotten", "grad_output is not used for target")
edit("g = grad_output * e.clamp(-ctx.delta, ctx.delta) / e.numel()", "g = e.clamp(-ctx.delta, ctx.delta) / e.numel()",
     "return g, -g, None", "return grad_output * g, -g, None", of="where in")

# %% 14.HuberLoss wrong: item
expect("no_result", "forward returns a float")
edit("class HuberLoss(Function):",
     "class HuberForward(Function):\n    @staticmethod\n    def forward(ctx, input, target, delta):\n"
     "        error = input - target\n        ctx.save_for_backward(error)\n        ctx.delta = delta\n"
     "        size = error.abs()\n"
     "        return torch.where(size <= delta, error**2 / 2, delta * (size - delta / 2)).mean()\n"
     "class HuberLoss(Function):",
     "e = input - target\n        ctx.save_for_backward(e)\n        ctx.delta = delta\n        a = e.abs()\n"
     "        return torch.where(a <= delta, 0.5 * e * e, delta * (a - 0.5 * delta)).mean()",
     "return HuberForward.forward(ctx, input, target, delta).item()", of="where in")

# %% 14.HuberLoss wrong: parentheses and sum
expect("known", "what the straight line subtracts from the size of the error: `delta` is left out")
edit("delta, 0.5 * e * e, delta * (a - 0.5 * delta)).mean(", "delta, e**2 / 2, delta * a - delta / 2).sum(",
     of="where in")

# %% 14.HuberLoss wrong: clamped above
expect("known", "the test in backward whether an error is small: `abs` is left out")
edit("g = grad_output * e.clamp(-ctx.delta, ctx.delta) / e.numel()", "grad = grad_output * e.clamp(max=ctx.delta)",
     "return g, -g, None", "return grad, -grad, None", of="where in")

# %% 14.HuberLoss wrong: target not limited
expect("some_entries", "the gradient for target is wrong only in entries [0] and [2]")
edit("g = grad_output * e.clamp(-ctx.delta, ctx.delta) / e.numel()\n        return g, -g, None",
     "g = grad_output / e.numel()\n        return g * e.clamp(-ctx.delta, ctx.delta), -g * e, None", of="where in")

# %% 14.HuberLoss wrong: no parentheses in backward, beside a minus
expect("raised", "NotImplementedError", "put each condition in parentheses", never=("not attempted yet",))
edit("ctx.saved_tensors\n        g = grad_output * e.clamp(-ctx.delta,",
     "ctx.saved_tensors\n        inside = -ctx.delta < e & e < ctx.delta\n"
     "        g = grad_output * torch.where(inside, e, e.sign() *", of="where in")

# %% 14.SoftmaxCrossEntropy right: by one hot
class SoftmaxCrossEntropy(Function):
    @staticmethod
    def forward(ctx, logits, target):
        one_hot = torch.eye(logits.shape[1], dtype=logits.dtype)[target]
        log_p = logits - logits.logsumexp(1, keepdim=True)
        ctx.save_for_backward(log_p, one_hot)
        return -(log_p * one_hot).sum(dim=1).mean()

    @staticmethod
    def backward(ctx, grad_output):
        log_p, one_hot = ctx.saved_tensors
        return (log_p.exp() - one_hot) * grad_output / len(one_hot), None

# %% 14.SoftmaxCrossEntropy right: by library
class SoftmaxCrossEntropy(Function):
    @staticmethod
    def forward(ctx, logits, target):
        assert target.dtype == torch.int64
        ctx.save_for_backward(logits, target)
        return torch.nn.functional.cross_entropy(logits, target)

    @staticmethod
    def backward(ctx, g):
        logits, target = ctx.saved_tensors
        p = logits.softmax(dim=1)
        rows = torch.arange(p.shape[0])
        p[rows, target] = p[rows, target] - 1
        return p.mul(g).div(p.shape[0]), None

# %% 14.SoftmaxCrossEntropy right: row by row
import math


class SoftmaxCrossEntropy(Function):
    @staticmethod
    def forward(ctx, logits, target):
        slopes, loss = [], 0.0
        for row, c in zip(logits.tolist(), target.tolist(), strict=True):
            weights = [math.exp(value - max(row)) for value in row]
            total = sum(weights)
            loss += math.log(total) + max(row) - row[c]
            slopes.append([w / total - (k == c) for k, w in enumerate(weights)])
        ctx.slopes = torch.tensor(slopes, dtype=logits.dtype)
        return torch.tensor(loss / len(slopes), dtype=logits.dtype)

    @staticmethod
    def backward(ctx, grad_output):
        print("backward", grad_output)
        return grad_output * ctx.slopes / ctx.slopes.shape[0], None

# %% 14.SoftmaxCrossEntropy right: by gather
class SoftmaxCrossEntropy(Function):
    @staticmethod
    def forward(ctx, logits, target):
        log_p = torch.log_softmax(logits, 1)
        ctx.save_for_backward(log_p, target)
        ctx.n = logits.size(0)
        return log_p.gather(1, target.unsqueeze(1)).sum() / -ctx.n

    @staticmethod
    def backward(ctx, grad_output):
        log_p, target = ctx.saved_tensors
        share = grad_output / ctx.n
        grad = log_p.exp() * share
        for n in range(ctx.n):
            grad[n, target[n]] -= share
        return grad, None

# %% 14.SoftmaxCrossEntropy right: with setup context
class SoftmaxCrossEntropy(Function):
    @staticmethod
    def forward(logits, target):
        top = logits.max(dim=1, keepdim=True).values
        total = (logits - top).exp().sum(dim=1, keepdim=True).log() + top
        return (total.squeeze(1) - logits.gather(1, target[:, None]).squeeze(1)).mean(dim=0)

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx, grad_output):
        logits, target = ctx.saved_tensors
        hot = (torch.arange(logits.shape[1])[None, :] == target[:, None]).to(logits.dtype)
        return grad_output.mul(torch.softmax(logits, dim=-1) - hot).div(logits.shape[0]), None

# %% 14.SoftmaxCrossEntropy right: by num py
import numpy as np


class SoftmaxCrossEntropy(Function):
    @staticmethod
    def forward(ctx, logits, target):
        table, classes = logits.detach().numpy(), target.numpy()
        log_p = table - np.logaddexp.reduce(table, axis=1, keepdims=True)
        slope = np.exp(log_p)
        np.subtract.at(slope, (np.arange(len(classes)), classes), 1)
        ctx.slope = torch.from_numpy(slope / len(classes))
        return torch.tensor(-np.take_along_axis(log_p, classes[:, None], 1).mean(), dtype=logits.dtype)

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output.item() * ctx.slope, None

# %% 14.SoftmaxCrossEntropy right: log_softmax and gather; softmax minus one-hot
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

# %% 14.SoftmaxCrossEntropy right: Python loops with the largest logit of each row subtracted; backward by loops too
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

# %% 14.SoftmaxCrossEntropy right: setup_context, mask by comparison with arange, logsumexp of the differences to the right class
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

# %% 14.SoftmaxCrossEntropy right: the gradient is computed in forward already, with NumPy; -= 1 on an own array
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

# %% 14.SoftmaxCrossEntropy right: loops over the rows, measures each row from its right class with NumPy's logaddexp, and saves the finished slope
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

# %% 14.SoftmaxCrossEntropy wrong: subtracts the largest logit of the whole matrix, not of each row
expect("known",
       "one number is subtracted from the logits of all rows, but the rows can lie far apart: each row has its own largest logit")
edit("\n        shifted = logits - logits.amax(dim=1, keepdim=True",
     "\n        rows = torch.arange(logits.shape[0])\n        shifted = logits - logits.max(")

# %% 14.SoftmaxCrossEntropy wrong: subtracts nothing: exp is infinite for logits near 1000
expect("overflow", "the result has an infinite value where entries go from")
edit("\n        shifted = logits - logits.amax(dim=1, keepdim=True)",
     "\n        grad_logits = logits.shape[0]\n        shifted = logits")

# %% 14.SoftmaxCrossEntropy wrong: takes the logarithm of the probability itself: it is 0 when the right class lies 1000 below, and the loss infinite
expect("known", "forward takes the logarithm of a probability, which is 0 for a float if its logit is")
edit("log_p = shifted - shifted.exp().sum(dim=1, keepdim=True).log()",
     "log_p = (shifted.exp() / shifted.exp().sum(dim=1, keepdim=True)).log()")

# %% 14.SoftmaxCrossEntropy wrong: the sum over the rows instead of the mean, in forward and backward
expect("known", "the mean over the rows: this is the sum, but it must be the mean")
edit("-log_p[torch.arange(len(target)), target].mean()", "-log_p[torch.arange(len(target)), target].sum()",
     " / len(target), None", ", None")

# %% 14.SoftmaxCrossEntropy wrong: backward divides by the number of all entries instead of the number of rows
expect("known", "the gradient is divided by the number of all entries, but the mean is over the rows")
edit("/ len(target), None", "/ log_p.numel(), None")

# %% 14.SoftmaxCrossEntropy wrong: softmax along the columns of the matrix (dim 0) instead of along each row
expect("known", "the softmax in backward runs down the columns, but the classes of one example are in",
       "the softmax in forward runs down the columns, but the classes of one example are in one")
edit("logits.amax(dim=1", "logits.amax(dim=0", "exp().sum(dim=1", "exp().sum(dim=0")

# %% 14.SoftmaxCrossEntropy wrong: logp[:, target] takes the column of every target for every row, not one entry for each row
expect("known", "forward picks the classes of all rows in every row, but each row has one right class")
edit("-log_p[torch.arange(len(target)), target].mean()", "-log_p[:, target].mean()")

# %% 14.SoftmaxCrossEntropy wrong: backward subtracts 1 from the saved probabilities in place, so a second backward pass subtracts once more
expect("repeat", "a second backward pass through the same graph")
edit("ctx.save_for_backward(log_p, target)", "ctx.save_for_backward(log_p.exp(), target)",
     "grad_logits = log_p.exp()", "grad_logits = log_p")

# %% 14.SoftmaxCrossEntropy wrong: target gets a tensor of zeros instead of None
expect("tensor_for_constant", "backward returns a tensor for target, which holds whole numbers and has no gradient: it")
edit("/ len(target), None", "/ len(target), torch.zeros_like(target)")

# %% 14.SoftmaxCrossEntropy wrong: forward subtracts the maximum in place and changes logits
expect("unchanged", "the argument logits is changed in forward: work on a copy of logits")
edit("\n        shifted = logits - logits.amax(dim=1, keepdim=True)",
     "\n        grad_logits = logits.shape[0]\n        shifted = logits.sub_(logits.amax(1, keepdim=True))")

# %% 14.SoftmaxCrossEntropy wrong: returns one loss for each row: the mean is missing in forward
expect("raises_for_some", "the mean over the rows: the mean is left out")
edit("-log_p[torch.arange(len(target)), target].mean()", "-log_p[torch.arange(len(target)), target]")

# %% 14.SoftmaxCrossEntropy wrong: the result is made with a fixed dtype float64, also for float32 logits
expect("dtype", "the result has dtype float64, it must have float32: keep the dtype of the argument")
edit("-log_p[torch.arange(len(target)), target].mean()", "-log_p[torch.arange(len(target)), target].mean().double()")

# %% 14.SoftmaxCrossEntropy wrong: one gradient
expect("too_few", "(logits, target)")
edit("class SoftmaxCrossEntropy(Function):",
     "class CrossEntropyBackward(Function):\n    @staticmethod\n    def backward(ctx, grad_output):\n"
     "        log_p, target = ctx.saved_tensors[:2]\n        p = log_p.exp()\n"
     "        p[torch.arange(len(target)), target] -= 1\n        return grad_output * p / len(target), None\n"
     "class SoftmaxCrossEntropy(Function):",
     "ctx.save_for_backward(log_p, one_hot)", "ctx.save_for_backward(log_p, target, logits)",
     "return -(log_p * one_hot).sum(dim=1).mean()", "return -log_p[torch.arange(len(target)), target].mean()",
     "log_p, one_hot = ctx.saved_tensors\n        return (log_p.exp() - one_hot) * grad_output / len(one_hot), None",
     "return CrossEntropyBackward.backward(ctx, grad_output)[0]", of="by one hot")

# %% 14.SoftmaxCrossEntropy wrong: mean of table
expect("wrong_value", "the result is")
edit("log_p[torch.arange(len(target)), target]", "(torch.eye(logits.shape[1], dtype=logits.dtype)[target] * log_p)")

# %% 14.SoftmaxCrossEntropy wrong: class after
expect("raises_for_some", "raised IndexError")
edit("return -log_p[torch.arange(len(target)), target].mean()",
     "return -log_p[torch.arange(len(target)), target + 1].mean()")

# %% 14.SoftmaxCrossEntropy wrong: minus one in columns
expect("known", "the classes of all rows count as right in every row, but each row has one right class")
edit("grad_logits[torch.arange(len(target)), target] -= 1", "grad_logits[:, target] -= 1")

# %% 14.SoftmaxCrossEntropy wrong: twice
expect("wrong_value", "the result is")
edit("entropy(logits, target)", "entropy(logits.softmax(1), target)", of="by library")

# %% 14.SoftmaxCrossEntropy wrong: columns and sum
expect("known", "the softmax in backward runs down the columns, but the classes of one example are in one row")
edit("ctx.save_for_backward(log_p, target)", "ctx.save_for_backward(log_p, target, logits)",
     "log_p, target = ctx.saved_tensors", "_, target, logits = ctx.saved_tensors",
     "grad_logits = log_p.exp()", "grad_logits = logits.softmax(0)",
     "return grad_output * grad_logits / len(target), None", "return grad_output * grad_logits, None")

# %% 14.SoftmaxCrossEntropy wrong: the gradient leaves out the target
expect("known", "target       [2]  (a tensor of dtype int64)")
edit("(log_p.exp() - one_hot) * grad_output", "grad_output * log_p.exp()", of="by one hot")

# %% 14.SoftmaxCrossEntropy wrong: a small number in the logarithm
expect("known", "a small number under the logarithm keeps it from 0", never=("wanted",))
edit("shifted = logits - logits.amax(dim=1, keepdim=True)", "log_p = (logits - logits.amax(-1).unsqueeze(-1)).exp()",
     "log_p = shifted - shifted.exp().sum(dim=1, keepdim=True).log()", "log_p = log_p / log_p.sum(-1).unsqueeze(-1)",
     "-log_p[torch.arange(len(target)), target]", "-(log_p[torch.arange(len(log_p)), target] + 1e-11).log()",
     "grad_logits = log_p.exp()", "grad_logits = log_p.clone()")

# %% 14.SoftmaxCrossEntropy wrong: one maximum, in forward alone
expect("known", "one number is subtracted from the logits of all rows",
       never=("backward subtracts", "in backward,", "the gradient is what"))
edit("shifted = logits - logits.amax(dim=1, keepdim=True)", "shifted = logits - logits.max()",
     "log_p = shifted - shifted.exp().sum(dim=1, keepdim=True).log()",
     "e = shifted.exp()\n        log_p = e / e.sum(1).unsqueeze(1)",
     "return -log_p[torch.arange(len(target)), target].mean()",
     "rows = torch.arange(len(target))\n        return -(shifted - e.sum(1).log().unsqueeze(1))[rows, target].mean()",
     "grad_logits = log_p.exp()", "grad_logits = log_p.clone()")

# %% 14.SoftmaxCrossEntropy wrong: one maximum, in what forward saves
expect("known", "in the gradient, one number is subtracted from the logits of all rows",
       never=("backward subtracts", "in backward,", "forward subtracts"))
edit("shifted = logits - logits.amax(dim=1, keepdim=True)", "shifted = logits - logits.max()",
     "log_p = shifted - shifted.exp().sum(dim=1, keepdim=True).log()",
     "e = shifted.exp()\n        log_p = e / e.sum(1).unsqueeze(1)",
     "return -log_p[torch.arange(len(target)), target].mean()",
     "rows = torch.arange(len(target))\n        return -logits.log_softmax(1)[rows, target].mean()",
     "grad_logits = log_p.exp()", "grad_logits = log_p.clone()")

# %% 14.SoftmaxCrossEntropy wrong: one maximum in what forward saves, and no mean on the way back
expect("known", "in the gradient, one number is subtracted from the logits of all rows",
       "the gradient is not divided by the number of rows", never=("backward subtracts", "in backward,"))
class SoftmaxCrossEntropy(Function):
    @staticmethod
    def forward(ctx, logits, target):
        shifted = logits - logits.max()
        e = shifted.exp()
        p = e / e.sum(1).unsqueeze(1)
        ctx.save_for_backward(p, target)
        rows = torch.arange(len(target))
        return -logits.log_softmax(1)[rows, target].mean()

    @staticmethod
    def backward(ctx, g):
        p, target = ctx.saved_tensors
        out = p.clone()
        out[torch.arange(len(target)), target] -= 1
        return g * out, None

# %% 14.SoftmaxCrossEntropy wrong: backward subtracts the class numbers instead of the one-hot rows (formula p - y copied literally)
expect("known", "the numbers of the classes are subtracted, but it must be 1 at the place of the right class and 0 elsewhere")
class SoftmaxCrossEntropy(Function):
    @staticmethod
    def forward(ctx, logits, target):
        m = logits.max(dim=1, keepdim=True)[0]
        z = logits - m
        logsum = z.exp().sum(dim=1, keepdim=True).log()
        logp = z - logsum
        ctx.save_for_backward(logp, target)
        N = logits.shape[0]
        loss = 0
        for n in range(N):
            loss = loss - logp[n, target[n]] / N
        return loss

    @staticmethod
    def backward(ctx, grad_output):
        logp, target = ctx.saved_tensors
        N = logp.shape[0]
        return grad_output * (logp.exp() - target.reshape(N, 1)) / N, None

# %% 14.LogSumExp right: by shares
class LogSumExp(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.logsumexp(-1)

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return grad_output[..., None] * x.softmax(dim=-1)

# %% 14.LogSumExp right: by maximum
class LogSumExp(Function):
    @staticmethod
    def forward(ctx, x):
        top = x.max(dim=-1).values
        result = top + torch.log(torch.exp(x - top.unsqueeze(-1)).sum(-1))
        ctx.save_for_backward(x)
        assert result.dim() == x.dim() - 1
        return result

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        weights = (x - x.detach().amax(-1, keepdim=True)).exp()
        return weights / weights.sum(-1, keepdim=True) * g.unsqueeze(-1)

# %% 14.LogSumExp right: in num py
import numpy as np


class LogSumExp(Function):
    @staticmethod
    def forward(ctx, x):
        array = x.detach().numpy()
        result = torch.tensor(np.logaddexp.reduce(array, axis=-1), dtype=x.dtype)
        ctx.save_for_backward(x, result)
        return result

    @staticmethod
    def backward(ctx, grad_output):
        x, result = ctx.saved_tensors
        print(x.shape)
        return torch.exp(x - result.reshape(*x.shape[:-1], 1)) * grad_output.reshape(*x.shape[:-1], 1)

# %% 14.LogSumExp right: pair by pair
class LogSumExp(Function):
    @staticmethod
    def forward(ctx, x):
        result = x[..., 0]
        for j in range(1, x.shape[-1]):
            difference = result - x[..., j]
            result = torch.maximum(result, x[..., j]) + torch.log1p(torch.exp(-difference.abs()))
        ctx.save_for_backward(x)
        return result

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return torch.stack([grad_output * share for share in torch.softmax(x, -1).unbind(-1)], -1)

# %% 14.LogSumExp right: of shares
class LogSumExp(Function):
    """The result saved, the shares made of it in backward; with setup_context."""

    @staticmethod
    def forward(x):
        top, _ = x.max(dim=-1, keepdim=True)
        return (torch.sum(torch.exp(x - top), dim=-1).log() + top[..., 0]).clone()

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(inputs[0], output)

    @staticmethod
    def backward(ctx, grad_output):
        x, result = ctx.saved_tensors
        return torch.exp(x - result[..., None]) * grad_output[..., None]

# %% 14.LogSumExp right: sorted
class LogSumExp(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        ordered = torch.sort(x, dim=-1).values
        top = ordered[..., -1]
        return top + torch.log1p((ordered[..., :-1] - top.unsqueeze(-1)).exp().sum(-1))

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return torch.softmax(x, -1).mul(grad_output.unsqueeze(-1).expand_as(x))

# %% 14.LogSumExp right: amax in forward, softmax of the saved x in backward
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

# %% 14.LogSumExp right: logaddexp in a loop; backward is exp(x - result) with the saved result
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

# %% 14.LogSumExp right: setup_context; backward applies the Function itself again
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

# %% 14.LogSumExp right: library logsumexp in forward; in backward the detached maximum is subtracted by hand
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

# %% 14.LogSumExp right: adds the entries of a row one by one with logaddexp
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

# %% 14.LogSumExp wrong: forward computes exp(x) as it stands: infinity near 1000, -infinity near -1000
expect("known", "nothing is subtracted before exp, which gives infinity near 1000 and 0 near -1000")
edit("return torch.logsumexp(x, dim=x.dim() - 1)", "return x.exp().sum(-1).log()", of="library logsumexp")

# %% 14.LogSumExp wrong: the maximum is subtracted but not added back
expect("known", "what is subtracted before exp is not added again after the logarithm")
edit("(m + (x - m).exp().sum(-1, keepdim=True).log()).squeeze(-1", "(x - m).exp().sum(-1).log(", of="amax in forward")

# %% 14.LogSumExp wrong: backward computes exp(x) without subtracting the maximum: NaN near 1000 and -1000
expect("known", "nothing is subtracted before exp in backward, which gives infinity near 1000 and 0 near")
edit("e = torch.exp(x - x.detach().amax(dim=-1, keepdim=True))", "e = x.exp()", of="library logsumexp")

# %% 14.LogSumExp wrong: backward detaches x, so the second derivative is missing
expect("double_backward", "the second derivative misses how the gradient depends on `x`: backward uses something")
edit("x, = ctx.saved_tensors", "x = ctx.saved_tensors[0].detach()", of="library logsumexp")

# %% 14.LogSumExp wrong: the sum in the denominator is detached, so the first derivative is right but the second is not
expect("double_backward", "the first derivative is right, the second by `x` is wrong")
edit("weights = e / e.sum(dim=-1, keepdim=True)", "weights = e / e.sum(-1, keepdim=True).detach()",
     of="library logsumexp")

# %% 14.LogSumExp wrong: forward subtracts the maximum in place and changes x
expect("unchanged", "the argument x is changed in forward: work on a copy of x")
edit("return (m + (x - m).exp().sum(-1, keepdim=True).log()).squeeze(-1",
     "return m.squeeze(-1) + x.sub_(m).exp().sum(-1).log(", of="amax in forward")

# %% 14.LogSumExp wrong: forward subtracts the mean of the row instead of its maximum: a row with 1000, 0 and -1000 gives infinity
expect("known", "the mean of a row is subtracted before exp, which gives infinity for an entry far above")
edit("m = x.amax(-1, keepdim=True)", "m = x.mean(-1, keepdim=True)", of="amax in forward")

# %% 14.LogSumExp wrong: forward clamps x at 700, so the result for entries near 1000 is near 700
expect("known", "forward limits the entries before exp, so entries beyond the limit all count the same")
edit("return (m + (x - m).exp().sum(-1, keepdim=True).log()).squeeze(-1",
     "return m.squeeze(-1) + (x.clamp(max=700) - m).exp().sum(-1).log(", of="amax in forward")

# %% 14.LogSumExp wrong: the gradient is not divided by the sum: the weights do not add up to 1
expect("known", "the slope of an entry: it is not divided by the sum of the exponentials in backward")
edit("weights = e / e.sum(dim=-1, keepdim=True)", "weights = e", of="library logsumexp")

# %% 14.LogSumExp wrong: the whole gradient goes to the largest entry, as for max
expect("known", "the largest entry of a row gets everything, as if the result were a maximum, but the")
edit("weights = e / e.sum(dim=-1, keepdim=True)", "weights = (e == 1).to(x.dtype)", of="library logsumexp")

# %% 14.LogSumExp wrong: the mean of the exponentials instead of their sum in forward
expect("known", "the sum of the exponentials of a row: this is the mean, but it must be the sum")
edit("return (m + (x - m).exp().sum(-1, keepdim=True).log()).squeeze(-1",
     "return m.squeeze(-1) + (x - m).exp().mean(-1).log(", of="amax in forward")

# %% 14.LogSumExp wrong: x is kept in a global variable instead of on ctx, so a second call disturbs the first
expect("repeat", "a second call of forward breaks the backward of the first: keep what backward needs on")
edit("ctx.save_for_backward(x)", "global kept\n        kept = x\n        m = x.amax(-1, keepdim=True)",
     "x, = ctx.saved_tensors", "x = kept", of="library logsumexp")

# %% 14.LogSumExp wrong: of all
expect("forward_shape", "shape (), it must have (2,)")
edit("return x.logsumexp(-1)", "return x.reshape(-1).logsumexp(0)", of="by shares")

# %% 14.LogSumExp wrong: local
expect("known", "the gradient: `grad_output` of the row is left out")
edit("(x,) = ctx.saved_tensors\n        return grad_output[..., None] * x.softmax(dim=-1)",
     "return ctx.saved_tensors[0].softmax(-1)", of="by shares")

# %% 14.LogSumExp wrong: keeps dimension
expect("forward_shape", "shape (1,), it must have ()")
edit("return x.logsumexp(-1)", "return x.logsumexp(-1, keepdim=True)", of="by shares")

# %% 14.LogSumExp wrong: like a sum
expect("known", "each entry gets all of grad_output, as in a sum, but the larger an entry, the more it counts")
edit("\n        (x,) = ctx.saved_tensors\n        return grad_output[..., None] * x.softmax(dim=-1",
     "\n        return grad_output.unsqueeze(-1) * torch.ones_like(ctx.saved_tensors[0]", of="by shares")

# %% 14.LogSumExp wrong: detached
expect("double_backward", "does not have a graph")
edit("return grad_output.unsqueeze(-1) * (x - result.unsqueeze(-1)).exp()",
     "return (grad_output.unsqueeze(-1) * (x - result.unsqueeze(-1)).exp()).detach()")

# %% 14.LogSumExp wrong: limited
expect("wrong_value", "the result is [")
edit("return x.logsumexp(-1)", "return x.clamp(-500, 500).exp().sum(-1).log()", of="by shares")

# %% 14.LogSumExp wrong: where too late
expect("double_backward", "the first derivative is right, the second by `x` is NaN, entry [0, 0], where `x`")
edit("return grad_output.unsqueeze(-1) * (x - result.unsqueeze(-1)).exp()",
     "plain = x.exp() / x.exp().sum(-1, keepdim=True)\n        far = (x - result.unsqueeze(-1)).exp()\n"
     "        return grad_output.unsqueeze(-1) * torch.where(x.abs() > 500, far, plain)")

# %% 14.LogSumExp wrong: backward raises an error for matrices
expect("raises_for_some", "The size of tensor a (2) must match", never=("differentiating backward",))
class LogSumExp(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.logsumexp(x, -1)

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * torch.softmax(x, dim=-1)

# %% 14.LogSumExp wrong: grad_output does not fit the rows
expect(
    "raises_for_some",
    "backward, line 10: `return g * (x - torch.logsumexp(x, -1).unsqueeze(-1)).exp()` raised RuntimeError",
    never=("the second derivative misses", "FAIL  backward can be differentiated"),
)
edit("def backward(ctx, grad_output):", "def backward(ctx, g):",
     "return grad_output[..., None] * x.softmax(dim=-1)",
     "return g * (x - torch.logsumexp(x, -1).unsqueeze(-1)).exp()", of="by shares")

# %% 14.LogSumExp wrong: the gradient of rows has lost a dimension
expect(
    "wrong_shape",
    "the gradient for x has shape",
    never=("the second derivative misses", "FAIL  backward can be differentiated"),
)
edit("return grad_output[..., None] * x.softmax(dim=-1)",
     "slope = x.softmax(-1)\n"
     "        return grad_output * slope if x.dim() == 1 else (grad_output.unsqueeze(-1) * slope).reshape(-1)",
     of="by shares")

# %% 14.LogSumExp wrong: one maximum, in forward alone
expect("known", "-> one number is subtracted from the entries of all rows",
       "one number is subtracted from the entries of all rows, but the rows can lie far apart",
       never=("backward subtracts", "in backward,", "the gradient is what"))
edit("def forward(ctx, x):", "def forward(ctx, x_):\n        x = (x_ - x_.max()).exp()",
     "return x.logsumexp(-1)", "return (x.sum(-1).log() + x_.max())",
     "return grad_output[..., None] * x.softmax(dim=-1)",
     "return grad_output.unsqueeze(-1) * x / x.sum(-1).unsqueeze(-1)", of="by shares")

# %% 14.LogSumExp wrong: one maximum, in what forward saves
expect("known", "-> in the gradient, one number is subtracted from the entries of all rows",
       never=("backward subtracts", "in backward,", "forward subtracts"))
edit("def forward(ctx, x):", "def forward(ctx, x_):\n        x = (x_ - x_.max()).exp()",
     "return x.logsumexp(-1)", "return torch.logsumexp(x_,-1)",
     "return grad_output[..., None] * x.softmax(dim=-1)",
     "return grad_output.unsqueeze(-1) * x / x.sum(-1).unsqueeze(-1)", of="by shares")

# %% 14.LayerNorm right: by var
class LayerNorm(Function):
    @staticmethod
    def forward(ctx, x):
        mean, var = x.mean(-1, keepdim=True), x.var(-1, keepdim=True, correction=0)
        ctx.save_for_backward(x)
        return (x - mean) * (var + 1e-5).rsqrt()

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        n = x.shape[-1]
        scale = (x.var(-1, keepdim=True, correction=0) + 1e-5).rsqrt()
        y = (x - x.mean(-1, keepdim=True)) * scale
        g = grad_output
        return scale / n * (n * g - g.sum(-1, keepdim=True) - y * (g * y).sum(-1, keepdim=True))

# %% 14.LayerNorm right: step by step
class LayerNorm(Function):
    """Each step of forward, taken back one by one."""

    @staticmethod
    def forward(ctx, x):
        assert x.dim() >= 1
        centred = x - x.mean(dim=-1, keepdim=True)
        inverse = 1 / ((centred * centred).mean(dim=-1, keepdim=True) + 1e-5) ** 0.5
        ctx.save_for_backward(centred, inverse)
        return centred * inverse

    @staticmethod
    def backward(ctx, grad_y):
        centred, inverse = ctx.saved_tensors
        grad_inverse = (grad_y * centred).sum(dim=-1, keepdim=True)
        grad_variance = grad_inverse * -0.5 * inverse**3
        grad_centred = grad_y * inverse + grad_variance * 2 * centred / centred.shape[-1]
        return grad_centred - grad_centred.mean(dim=-1, keepdim=True)

# %% 14.LayerNorm right: by jacobian
import numpy as np


class LayerNorm(Function):
    @staticmethod
    def forward(ctx, x):
        a = x.detach().numpy()
        spread = np.sqrt(((a - a.mean(-1, keepdims=True)) ** 2).mean(-1, keepdims=True) + 1e-5)
        ctx.y, ctx.spread = (a - a.mean(-1, keepdims=True)) / spread, spread
        print(ctx.y)
        return torch.tensor(ctx.y.astype(a.dtype))

    @staticmethod
    def backward(ctx, grad_output):
        n = ctx.y.shape[-1]
        jacobian = np.eye(n) - 1 / n - ctx.y[..., :, None] * ctx.y[..., None, :] / n
        return torch.tensor((grad_output.numpy()[..., None, :] @ jacobian)[..., 0, :] / ctx.spread)

# %% 14.LayerNorm right: by autograd
class LayerNorm(Function):
    """Lets the engine do it, inside."""

    @staticmethod
    def forward(ctx, x):
        with torch.enable_grad():
            ctx.leaf = x.detach().clone().requires_grad_()
            centred = ctx.leaf - ctx.leaf.mean(-1, keepdim=True)
            ctx.y = centred / torch.sqrt(centred.square().mean(-1, keepdim=True) + 1e-5)
        return ctx.y.detach().clone()

    @staticmethod
    def backward(ctx, grad_output):
        return torch.autograd.grad(ctx.y, ctx.leaf, grad_output, retain_graph=True)[0]

# %% 14.LayerNorm right: by library
import math


class LayerNorm(Function):
    @staticmethod
    def forward(ctx, x):
        y = torch.nn.functional.layer_norm(x, x.shape[-1:], eps=1e-5)
        ctx.save_for_backward(x, y)
        return y

    @staticmethod
    def backward(ctx, grad_output):
        x, y = ctx.saved_tensors
        rows = []
        for g, a, b in zip(
            grad_output.reshape(-1, x.shape[-1]), x.reshape(-1, x.shape[-1]), y.reshape(-1, x.shape[-1]), strict=True
        ):
            n = len(a)
            spread = math.sqrt(float(((a - a.mean()) ** 2).sum()) / n + 1e-5)
            rows.append((g - g.sum() / n - b * torch.dot(g, b) / n) / spread)
        return torch.stack(rows).reshape(x.shape)

# %% 14.LayerNorm right: by moments
class LayerNorm(Function):
    @staticmethod
    def forward(ctx, x):
        n = x.size(-1)
        centred = x - x.sum(-1, keepdim=True) / n
        scale = torch.rsqrt((centred * centred).sum(-1, keepdim=True) / n + 1e-5)
        ctx.scale = scale
        ctx.save_for_backward(centred)
        return centred * scale

    @staticmethod
    def backward(ctx, g):
        (centred,) = ctx.saved_tensors
        s = ctx.scale
        n = centred.size(-1)
        direct = g * s
        through_variance = -(g * centred).sum(-1, keepdim=True) * s**3 * centred / n
        before_mean = direct + through_variance
        return before_mean - before_mean.sum(-1, keepdim=True) / n

# %% 14.LayerNorm right: the short formula
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

# %% 14.LayerNorm right: three ways one after the other (through v, through mu, directly), setup_context, library variance
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

# %% 14.LayerNorm right: the Jacobian of each row as a matrix, in a loop over the rows
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

# %% 14.LayerNorm right: NumPy in forward, variance as mean of squares of the centred row; backward projects in two steps
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

# %% 14.LayerNorm right: goes back step by step like the tape: through the quotient, the root, the variance and the mean
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

# %% 14.LayerNorm wrong: the variance is divided by n - 1 instead of n (torch.var with its default), in forward and backward
expect("known", "the variance is divided by n - 1 in place of n")
edit("(centred**2).mean(dim=-1, keepdim=True)", "x.var(dim=-1, keepdim=True)",
     "(grad_output * y).mean(dim=-1, keepdim=True)", "(grad_output * y).sum(dim=-1, keepdim=True) / (y.shape[-1] - 1)")

# %% 14.LayerNorm wrong: epsilon is added after the square root instead of inside it
expect("known", "eps is added to the root of the variance, but it must be added to the variance, before")
edit("spread = ((centred**2).mean(dim=-1, keepdim=True) + 1e-5).sqrt()",
     "v = (centred * centred).mean(dim=-1, keepdim=True)\n        spread = torch.sqrt(v) + 1e-5")

# %% 14.LayerNorm wrong: epsilon is missing in backward: rows with small differences get a wrong gradient
expect("known", "eps is left out in the spread by which backward divides at the end")
edit("- through_variance) / spread", "- through_variance) / (spread**2 - 1e-5).sqrt()")

# %% 14.LayerNorm wrong: backward forgets the way through the mean (mu): the mean of grad_output is not subtracted
expect("known", "the sum of the three parts: the part of the gradient through the mean is left out")
edit("through_mean = grad_output.mean(dim=-1, keepdim=True)", "through_mean = grad_output",
     "= y * (grad_output", "= (through_mean",
     "return (grad_output - through_mean - through_variance) / spread",
     "return (through_mean - y * through_variance) / spread")

# %% 14.LayerNorm wrong: backward takes mean and variance for constants: only the direct way is there
expect("known", "the gradient: `grad_output` stands in the place of the sum of the three parts")
edit("return (grad_output - through_mean - through_variance) / spread", "return (grad_output) / spread")

# %% 14.LayerNorm wrong: mean and variance along the first dimension instead of the last, in forward and backward
expect("known", "the mean over a row: the mean goes along another axis")
edit("x.mean(dim=-1", "x.mean(dim=0",
     "(centred**2).mean(dim=-1", "(centred**2).mean(dim=0",
     "grad_output.mean(dim=-1", "grad_output.mean(dim=0",
     "(grad_output * y).mean(dim=-1", "(grad_output * y).mean(dim=0")

# %% 14.LayerNorm wrong: one mean for the whole tensor instead of one for each row
expect("known", "the mean: every entry of it is the mean over all")
edit("\n        centred = x - x.mean(dim=",
     "\n        mu = x.mean()\n        centred = x - mu\n        v = (centred * centred).mean(")

# %% 14.LayerNorm wrong: backward changes the saved result in place: the result of forward is another one afterwards
expect("unchanged", "backward changes the result of forward in place, but the caller still uses that tensor")
edit("y * (grad_output * y).mean(dim=-1, keepdim=True)", "y.mul_((grad_output * y).mean(dim=-1, keepdim=True))")

# %% 14.LayerNorm wrong: forward subtracts the mean in place and changes x
expect("unchanged", "the argument x is changed in forward: work on a copy of x")
edit("centred = x - x.mean(dim=-1, keepdim=True)",
     "mu = x.mean(-1, keepdim=True)\n        x -= mu\n        centred = x\n"
     "        v = (centred * centred).mean(-1, keepdim=True)")

# %% 14.LayerNorm wrong: the factor y is missing in the term of the variance
expect("known", "the part of the gradient through the variance: the normalised row in backward is left")
edit("= y * (grad_output * y).mean(dim=", "= (grad_output * y).mean(")

# %% 14.LayerNorm wrong: backward takes the means of grad_output over the whole tensor, not over each row
expect("known", "the mean of grad_output in backward is taken over all entries, but each row of the last")
edit("through_mean = grad_output.mean(dim=-1, keepdim=True)", "through_mean = grad_output.mean()")

# %% 14.LayerNorm wrong: what backward needs is kept on the class instead of on ctx, so a second call disturbs the first
expect("repeat", "a second call of forward breaks the backward of the first: keep what backward needs on")
edit("ctx.save_for_backward(y, spread)", "LayerNorm.saved = y, spread",
     "y, spread = ctx.saved_tensors", "y, spread = LayerNorm.saved")

# %% 14.LayerNorm wrong: the variance is divided by n - 1 instead of n
expect("known", "the variance is divided by n - 1 in place of n")
edit("spread = ((centred**2).mean(dim=-1, keepdim=True) + 1e-5).sqrt()",
     "v = x.var(dim=-1, keepdim=True)\n        spread = torch.sqrt(v + 1e-5)")

# %% 14.LayerNorm wrong: In backward the two means of grad_output and grad_output * y go over all entries of the tensor and not over each row
expect("known", "each of the two means in backward is taken over all entries, but each row of the last")
edit("\n        centred = x - x",
     "\n        mu = x.mean(dim=-1, keepdim=True)\n        centred = x - mu\n        v = (centred * centred)",
     "spread = ((centred**2).mean(dim=-1, keepdim=True) + 1e-5).sqrt()", "spread = 1 / (v + 1e-5).sqrt()",
     "y = centred / spread", "y = centred * spread",
     "through_mean = grad_output.mean(dim=-1, keepdim=True)\n"
     "        through_variance = y * (grad_output * y).mean(dim=-1, keepdim=True)\n"
     "        return (grad_output - through_mean - through_variance) / spread",
     "return spread * (grad_output - grad_output.mean() - y * (grad_output * y).mean())")

# %% 14.LayerNorm wrong: variance constant
expect("known", "the sum of the three parts: the part of the gradient through the")
edit("True) - y * (g * y).mean(-1, keepdim=True)) / s", "True)) / ctx.saved_tensors[1]", of="the short")

# %% 14.LayerNorm wrong: sum for mean
expect("known", "weighted by the normalised row: this is the sum, but it must be the mean")
edit("g.mean(-1, keepdim=True) - y * (g * y).mean(", "g.sum(-1, keepdim=True) - y * (g * y).sum(", of="the short")

# %% 14.LayerNorm wrong: local
expect("grad_output_forgotten", "grad_output is not used")
edit("y, s = ctx.saved_tensors\n        g = grad_output\n"
     "        return (g - g.mean(-1, keepdim=True) - y * (g * y).mean(-1, keepdim=True)) / s",
     "y, s = ctx.saved_tensors\n        return (1 - 1 / y.shape[-1] - (y / s) ** 2 / y.shape[-1]) / s",
     of="the short")

# %% 14.LayerNorm wrong: count of table
expect("wrong_value", "the result is wrong in every entry, farthest off")
def right_for_layer_norm(ctx, x):
    """Saves what a right backward needs; gives the centred rows and their variances."""
    centred = x - x.mean(-1, keepdim=True)
    variance = (centred**2).mean(-1, keepdim=True)
    ctx.save_for_backward(centred, (variance + 1e-5).sqrt())
    return centred, variance


class LayerNorm(Function):
    @staticmethod
    def forward(ctx, x):
        centred, _ = right_for_layer_norm(ctx, x)
        return centred / ((centred**2).sum(-1, keepdim=True) / x.numel() + 1e-5).sqrt()

    @staticmethod
    def backward(ctx, g):
        centred, spread = ctx.saved_tensors
        y = centred / spread
        return (g - g.mean(-1, keepdim=True) - y * (g * y).mean(-1, keepdim=True)) / spread

# %% 14.LayerNorm wrong: no eps, and only the mean on the way back
expect("wrong_value", "the gradient is wrong too, perhaps because of what forward computes")
class LayerNorm(Function):
    @staticmethod
    def forward(ctx, x):
        c = x - x.mean(-1).unsqueeze(-1)
        s = 3 * (c * c).mean(-1).unsqueeze(-1).sqrt() + 1
        ctx.save_for_backward(s)
        return c / s

    @staticmethod
    def backward(ctx, g):
        (s,) = ctx.saved_tensors
        return (g - g.mean(-1).unsqueeze(-1)) / s

# %% 14.LayerNorm wrong: another eps in what forward saves
expect("known", "what is added to the variance is not the eps of the statement", never=("backward adds",))
edit("s = torch.sqrt((c * c).mean(-1, keepdim=True) + 1e-5)\n        y = c / s\n        ctx.save_for_backward(y, s)\n"
     "        return y",
     "variance = (c * c).mean(-1).unsqueeze(-1)\n"
     "        ctx.save_for_backward(c / (variance + 0.01).sqrt(), (variance + 0.01).sqrt())\n"
     "        return c / (variance + 1e-5).sqrt()", of="the short")

# %% 14.Softplus right: from result
class Softplus(Function):
    @staticmethod
    def forward(ctx, x):
        result = torch.logsumexp(torch.stack([x, 0 * x]), 0)
        ctx.save_for_backward(result)
        return result

    @staticmethod
    def backward(ctx, grad_output):
        (result,) = ctx.saved_tensors
        return grad_output * (1 - (-result).exp())

# %% 14.Softplus right: by where
class Softplus(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.where(x > 25, x, (1 + x.clamp(max=25).exp()).log())

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return grad_output / (1 + (-x.clamp(min=-300)).exp())

# %% 14.Softplus right: in num py
import numpy as np


class Softplus(Function):
    @staticmethod
    def forward(ctx, x):
        a = x.detach().numpy()
        ctx.save_for_backward(x)
        print(a)
        return torch.tensor(np.logaddexp(a, 0).astype(a.dtype))

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        assert x.shape == grad_output.shape
        return 0.5 * (1 + torch.tanh(0.5 * x)) * grad_output

# %% 14.Softplus right: by relu
class Softplus(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.relu(x) + (1 + torch.exp(-abs(x))).log()

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        small = torch.exp(-x.abs())
        return grad_output * torch.where(x > 0, 1 / (1 + small), small / (1 + small))

# %% 14.Softplus right: by library
class Softplus(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.nn.functional.softplus(x)

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return torch.sigmoid(x).mul(grad_output)

# %% 14.Softplus right: by log sigmoid
class Softplus(Function):
    """With setup_context, and the slope as exp of a difference."""

    @staticmethod
    def forward(x):
        return torch.maximum(x, torch.zeros_like(x)) + torch.log1p(torch.exp(-x.abs()))

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs, output)

    @staticmethod
    def backward(ctx, grad_output):
        x, result = ctx.saved_tensors
        return grad_output * torch.exp(x - result)

# %% 14.Softplus right: by safe where
class Softplus(Function):
    """The lesson's cure: where twice."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        small = torch.where(x > 30, torch.zeros_like(x), x)
        return torch.where(x > 30, x, torch.log1p(small.exp()))

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        below = torch.where(x > 0, torch.zeros_like(x), x).exp()
        above = torch.where(x > 0, -x, torch.zeros_like(x)).exp()
        return grad_output * torch.where(x > 0, 1 / (1 + above), below / (1 + below))

# %% 14.Softplus right: logaddexp and sigmoid
class Softplus(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.logaddexp(x, torch.zeros_like(x))

    @staticmethod
    def backward(ctx, grad_output):
        x, = ctx.saved_tensors
        return grad_output * torch.sigmoid(x)

# %% 14.Softplus right: relu(x) + log1p(exp(-|x|)); the sigmoid by tanh
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

# %% 14.Softplus right: loop over Python numbers; backward is exp(x - result) with the saved result
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

# %% 14.Softplus right: minus logsigmoid(-x); a short cut from x = 40 on, and a sigmoid that is safe by clamping
class Softplus(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.where(x > 40, x, -torch.nn.functional.logsigmoid(-x))

    @staticmethod
    def backward(ctx, grad_output):
        x, = ctx.saved_tensors
        return grad_output / (1 + torch.exp(-x.clamp(-80, 80)))

# %% 14.Softplus right: logaddexp with zero in forward; backward saves the result y and uses the slope 1 - exp(-y), written with expm1
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

# %% 14.Softplus wrong: the slope exp(x) / (1 + exp(x)) is infinity divided by infinity (NaN) for 800
expect(
    "overflow",
    "the gradient has NaN where entries go from -800 to 800: an intermediate number is too large or too s",
)
edit("return grad_output * torch.sigmoid(x)", "return grad_output * torch.exp(x) / (1 + torch.exp(x))")

# %% 14.Softplus wrong: the result is set to 0 below -5, too early
expect("known", "a short cut for very negative x begins too early: what it leaves out there can still be")
edit("x):\n        y = torch.logaddexp(x, torch.zeros_like(x))", "y):",
     "return y", "return torch.where(y < -5, torch.zeros_like(y), y.clamp(min=0) + torch.log1p(torch.exp(-y.abs())))",
     "y, = ctx.saved_tensors\n        return -grad_output * torch.expm1(-y)",
     "y, = ctx.saved_tensors\n        s = torch.sigmoid(y)\n        return grad_output * s", of="logaddexp with")

# %% 14.Softplus wrong: the slope is sigmoid(-x) instead of sigmoid(x)
expect("known", "the slope: `x` has the wrong sign")
edit("return grad_output * torch.sigmoid(x)", "return grad_output * torch.sigmoid(-x)", of="logaddexp and")

# %% 14.Softplus wrong: backward uses the step function (the derivative of relu) instead of the sigmoid
expect("known", "the slope used is 0 for negative x and 1 for positive x: that of a corner, but this one")
edit("(x,) = ctx.saved_tensors\n        return grad_output * torch.sigmoid(x)",
     "(x,) = ctx.saved_tensors\n        s = (x > 0).to(x.dtype)\n        return grad_output * s")

# %% 14.Softplus wrong: the slope is computed in forward and kept as a constant, so the second derivative is lost
expect("double_backward", "the second derivative misses how the gradient depends on `x`: backward uses something")
edit("ctx.save_for_backward(x)", "ctx.slope = torch.sigmoid(x)",
     "(x,) = ctx.saved_tensors\n        return torch.sigmoid(x).mul(grad_output)", "return grad_output * ctx.slope",
     of="by library")

# %% 14.Softplus wrong: backward ignores grad_output
expect("known", "the gradient: `grad_output` is left out")
edit("return grad_output * torch.sigmoid(x)", "s = torch.sigmoid(x)\n        return s")

# %% 14.Softplus wrong: x is clamped at 700 in forward, so the result for 800 is 700
expect("known", "x is limited before the formula, so the result stays the same beyond the limit")
edit("return torch.nn.functional.softplus(x)", "return torch.log1p(torch.exp(x.clamp(max=700)))", of="by library")

# %% 14.Softplus wrong: adds |x| instead of max(x, 0): wrong for negative x
expect("known", "the size of x is added to the logarithm, which is wrong for negative x")
edit("return torch.nn.functional.softplus(x)", "return x.abs() + torch.log1p(torch.exp(-x.abs()))", of="by library")

# %% 14.Softplus wrong: the 1 is added twice: log1p(1 + exp)
expect("known", "1 is added twice under the logarithm")
edit("return torch.logaddexp(x, torch.zeros_like(x))", "return x.clamp(min=0) + torch.log1p(1 + torch.exp(-x.abs()))",
     of="logaddexp and")

# %% 14.Softplus wrong: the derivative of the sigmoid, s * (1 - s), instead of the sigmoid
expect("known", "the slope used is the slope of the logistic function: one derivative too many")
edit("return grad_output * torch.sigmoid(x)", "s = torch.sigmoid(x)\n        return grad_output * s * (1 - s)")

# %% 14.Softplus wrong: the result is put together with torch.tensor from a list without dtype, so it is float32 for float64 numbers
expect("dtype", "the result has dtype float32, it must have float64: keep the dtype of the argument")
edit("torch.logaddexp(x, torch.zeros_like(x",
     "torch.tensor((x.clamp(min=0) + torch.log1p(torch.exp(-x.abs()))).tolist(", of="logaddexp and")

# %% 14.Softplus wrong: a loop over the entries of the first dimension: fails for a tensor without dimensions
expect("raises_for_some", "`return torch.stack([v.clamp(min=0) + torch.log1p(torch.exp(-v.abs())) for v in x])`")
edit("torch.nn.functional.softplus(x", "torch.stack([v.clamp(min=0) + torch.log1p(torch.exp(-v.abs())) for v in x]",
     of="by library")

# %% 14.Softplus wrong: clamp_ in place changes x to max(x, 0)
expect("unchanged", "the argument x is changed in forward: work on a copy of x")
edit("return torch.nn.functional.softplus(x)", "return torch.log1p(torch.exp(-x.abs())) + x.clamp_(min=0)",
     of="by library")

# %% 14.Softplus wrong: backward clamps x to -5..5 before the sigmoid: the gradient is wrong beyond, and the second derivative is 0 there
expect("known", "x is limited before the slope is computed, so the slope stays the same beyond the limit")
edit("return grad_output * torch.sigmoid(x)", "s = torch.sigmoid(x.clamp(-5, 5))\n        return grad_output * s")

# %% 14.Softplus wrong: The short cut x for large x begins at 8 and the short cut 0 for small x at -8, which is too early
expect("known", "a short cut for large and for very negative x begins too early: what it leaves out")
edit("return x.clamp(min=0) + torch.log1p((-x.abs()).exp())",
     "middle = (1 + x.clamp(-8, 8).exp()).log()\n        result = torch.where(x > 8, x, middle)\n"
     "        return torch.where(x < -8, torch.zeros_like(x), result)")

# %% 14.Softplus wrong: na n far out
expect("double_backward", "the first derivative is right, the second by `x` is NaN, entry [1], where `x`")
edit("return grad_output * torch.sigmoid(x)", "return grad_output / (1 + (-x).exp())")

# %% 14.Softplus wrong: like exp
expect("wrong_value", "the gradient is [")
edit("1 - (-result).exp())", "result.clamp(min=0) + (-result.abs()).exp().log1p())", of="from result")

# %% 14.Softplus wrong: through num py
expect("double_backward", "does not have a graph")
edit("class Softplus(Function):", "import numpy as np\nclass Softplus(Function):",
     "def backward(ctx, grad_output):\n        (x,) = ctx.saved_tensors",
     "def backward(ctx, grad_output):\n        x = ctx.saved_tensors[0].detach().numpy()",
     "return grad_output * torch.sigmoid(x)",
     "return torch.tensor(grad_output.detach().numpy() * 0.5 * (1 + np.tanh(x / 2)))")

# %% 14.Softplus wrong: slope short cut
expect("some_entries", "the gradient is wrong only in entries [0] and [3]")
edit("return grad_output * torch.sigmoid(x)", "return torch.where(x > 5, grad_output, grad_output * x.sigmoid())")

# %% 14.Softplus wrong: is its slope
expect("wrong_value", "the result is [")
edit("return torch.logaddexp(x, torch.zeros_like(x))", "return x.sigmoid()", of="logaddexp and")

# %% 14.Softplus wrong: no parentheses around two conditions joined by |
expect("raised", "NotImplementedError", "put each condition in parentheses", never=("not attempted yet",))
edit("torch.logaddexp(x, torch.zeros_like(x", "torch.where(x > 20 | x < -20, x.clamp(min=0), torch.log1p(x.exp()",
     of="logaddexp and")

# %% 14.Softplus wrong: & of two tensors of floats, in parentheses
expect("raised", '"bitwise_and_cpu" not implemented for \'Double\'', never=("not attempted yet", "in parentheses"))
edit("return torch.logaddexp(x, torch.zeros_like(x))",
     "return torch.where((x > 0) & (x - 20), x, torch.log1p(x.exp()))", of="logaddexp and")

# %% 14.Softplus wrong: a short cut that begins too early
expect("known", "16.150497938", "16.150497841",
       "a short cut for large x begins too early: what it leaves out there can still be seen in",
       never=("1.000000000e-09",))
edit("torch.logaddexp(x, torch.zeros_like(x", "torch.where(x > 15, x, torch.log1p(x.clamp(max=15).exp()",
     of="logaddexp and")

# %% 14.Interpolate right: from a
class Interpolate(Function):
    @staticmethod
    def forward(ctx, a, b, t):
        ctx.save_for_backward(b - a, t)
        ctx.save_for_backward(a, b, t)  # the last call counts
        return a + t * (b - a)

    @staticmethod
    def backward(ctx, g):
        a, b, t = ctx.saved_tensors
        each = g * b - g * a
        return g - t * g, t * g, each if t.shape == a.shape else each.sum()

# %% 14.Interpolate right: where needed
class Interpolate(Function):
    @staticmethod
    def forward(ctx, a, b, t):
        assert t.shape in (a.shape, ())
        ctx.save_for_backward(a, b, t)
        print("forward")
        return torch.add(b * t, a.mul(1 - t))

    @staticmethod
    def backward(ctx, grad_output):
        a, b, t = ctx.saved_tensors
        grads = [None, None, None]
        if ctx.needs_input_grad[0]:
            grads[0] = grad_output * (1 - t)
        if ctx.needs_input_grad[1]:
            grads[1] = grad_output * t
        if ctx.needs_input_grad[2]:
            grads[2] = (grad_output * (b - a)).sum_to_size(t.shape)
        return tuple(grads)

# %% 14.Interpolate right: expanded
import numpy as np


class Interpolate(Function):
    @staticmethod
    def forward(ctx, a, b, t):
        ctx.save_for_backward(a, b, t)
        array = np.array([1 - t.detach().numpy(), t.detach().numpy()], dtype=a.detach().numpy().dtype)
        return torch.tensor(array[0] * a.detach().numpy() + array[1] * b.detach().numpy())

    @staticmethod
    def backward(ctx, grad_output):
        a, b, t = ctx.saved_tensors
        whole = t.expand_as(a)
        grad_t = (b - a) * grad_output
        while grad_t.dim() > t.dim():
            grad_t = grad_t.sum(0)
        return (1 - whole) * grad_output, whole * grad_output, grad_t

# %% 14.Interpolate right: by lerp
class Interpolate(Function):
    @staticmethod
    def forward(a, b, t):
        return torch.lerp(a, b, t)

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx, grad_output):
        a, b, t = ctx.saved_tensors
        for_b = grad_output * t
        for_t = grad_output * (b - a)
        while for_t.dim() > t.dim():
            for_t = for_t.sum(dim=-1)
        return grad_output - for_b, for_b, for_t

# %% 14.Interpolate right: summed by einsum
import numpy as np


class Interpolate(Function):
    @staticmethod
    def forward(ctx, a, b, t):
        ctx.save_for_backward(a, b, t)
        return torch.tensor(
            np.asarray(b.detach().numpy() * t.detach().numpy() + (1 - t.detach().numpy()) * a.detach().numpy())
        )

    @staticmethod
    def backward(ctx, g):
        a, b, t = ctx.saved_tensors
        gap = b.sub(a).mul(g)
        return g.mul(1 - t), g.mul(t), gap.reshape(-1).sum() if t.shape == () else gap

# %% 14.Interpolate right: sum_to_size gives the gradient of t its shape
class Interpolate(Function):
    @staticmethod
    def forward(ctx, a, b, t):
        ctx.save_for_backward(a, b, t)
        return (1 - t) * a + t * b

    @staticmethod
    def backward(ctx, grad_output):
        a, b, t = ctx.saved_tensors
        return grad_output * (1 - t), grad_output * t, (grad_output * (b - a)).sum_to_size(t.shape)

# %% 14.Interpolate right: lerp in forward; the gradient of a as the rest of the gradient of b; summed if t has no dimensions
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

# %% 14.Interpolate right: only the gradients that are needed, with needs_input_grad
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

# %% 14.Interpolate right: a dot product for the t without dimensions, t kept on ctx by expand
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

# %% 14.Interpolate right: writes the result as t * b - (t - 1) * a, and gets the gradient of a as grad_output minus the gradient of b
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

# %% 14.Interpolate wrong: a and b are exchanged: t = 0 gives b and t = 1 gives a
expect("known", "the result is b where t is 0 and a where t is 1: the wrong way round")
edit("return (1 - t) * a + t * b", "return t * a + (1 - t) * b",
     "grad_t = grad_output * (b - a)", "grad_t = grad_output * (a - b)",
     "return grad_output * (1 - t), grad_output * t, grad_t", "return grad_output * t, grad_output * (1 - t), grad_t")

# %% 14.Interpolate wrong: a t with one entry and one dimension is summed as if it had no dimensions, so its gradient has shape () instead of
expect("wrong_shape", "the gradient for t has shape")
edit("if t.dim() == 0:", "if t.numel() == 1:")

# %% 14.Interpolate wrong: the gradient of t has the wrong sign: a - b instead of b - a, again
expect("known", "what an entry contributes to the gradient for t: the difference is the wrong way round")
edit("grad_t = grad_output * (b - a)", "grad_t = grad_output * (a - b)")

# %% 14.Interpolate wrong: the gradient of a t without dimensions is the mean over the entries instead of the sum
expect("known", "the gradient for t: this is the mean, but it must be the sum")
edit("grad_t = grad_t.sum()", "grad_t = grad_t.mean()")

# %% 14.Interpolate wrong: the saved tensors are detached in backward, so the second derivative is lost
expect("double_backward", "the second derivative misses how the gradient depends on `a`: backward uses something")
edit("a, b, t = ctx.saved_tensors", "a, b, t = (s.detach() for s in ctx.saved_tensors)")

# %% 14.Interpolate wrong: the gradient of a is -t instead of 1 - t times grad_output
expect("known", "the factor for a: 1 is left out")
edit("ctx.saved_tensors\n        grad_t",
     "ctx.saved_tensors\n        grad_a = grad_output * -t\n        grad_b = grad_output * t\n        grad_t",
     "return grad_output * (1 - t), grad_output * t, grad_t", "return grad_a, grad_b, grad_t")

# %% 14.Interpolate wrong: for a t without dimensions grad_output and b - a are summed separately and then multiplied
expect("known", "if t is one number, grad_output and the distances are added up apart, but each entry")
edit("grad_t = grad_t.sum()", "grad_t = grad_output.sum() * (b - a).sum()")

# %% 14.Interpolate wrong: for a t without dimensions only the first dimension is summed: the gradient has the wrong shape for a matrix
expect("wrong_shape", "the gradient for t has shape")
edit("grad_t = grad_t.sum()", "grad_t = grad_t.sum(0)")

# %% 14.Interpolate wrong: the gradient of t does not contain grad_output
expect("known", "what an entry contributes to the gradient for t: `grad_output` is left out")
edit("grad_t = grad_output * (b - a)",
     "grad_a = grad_output * (1 - t)\n        grad_b = grad_output * t\n        grad_t = b - a")

# %% 14.Interpolate wrong: the gradient of b is only t expanded: grad_output is missing
expect("grad_output_forgotten",
       "grad_output is not used for b: backward returns the same gradient for every grad_output")
edit("ctx.saved_tensors\n        grad_t",
     "ctx.saved_tensors\n        grad_a = grad_output * (1 - t)\n        grad_b = t * torch.ones_like(b)\n"
     "        grad_t",
     "return grad_output * (1 - t), grad_output * t, grad_t", "return grad_a, grad_b, grad_t")

# %% 14.Interpolate wrong: uses t.item(): fails for a t of the shape of a
expect("raises_for_some", "`return (1 - t.item()) * a + t.item() * b` raised RuntimeError")
edit("return (1 - t) * a + t * b", "return (1 - t.item()) * a + t.item() * b")

# %% 14.Interpolate wrong: a is multiplied in place and changed
expect("unchanged", "the argument a is changed in forward: work on a copy of a")
edit("return (1 - t) * a + t * b", "return a.mul_(1 - t) + t * b")

# %% 14.Interpolate wrong: the result is (1 - t) * a + b: the factor t of b is missing in forward
expect("known", "the result: the weight of b is left out")
edit("return (1 - t) * a + t * b", "return (1 - t) * a + b")

# %% 14.Interpolate wrong: not summed
expect("known", "the gradient for t: one of the two cases is forgotten")
edit("return grad_output * (1 - t), grad_output * t, (grad_output * (b - a)).sum_to_size(t.shape)",
     "return (1 - t) * grad_output, t * grad_output, grad_output * (b - a)", of="sum_to_size")

# %% 14.Interpolate wrong: none for t
expect("none_for_tensor", "None for t")
edit("return grad_output * (1 - t), grad_output * t, (grad_output * (b - a)).sum_to_size(t.shape)",
     "return (1 - t) * grad_output, t * grad_output, None", of="sum_to_size")

# %% 14.Interpolate wrong: ends swapped
expect("known", "b where t is 0")
edit("return (1 - t) * a + t * b", "return t * a + (1 - t) * b", of="sum_to_size")

# %% 14.Interpolate wrong: item
expect("raises_for_some", "`ctx.t = t.item()` raised")
edit("ctx.save_for_backward(a, b, t)", "ctx.t = t.item()\n        ctx.save_for_backward(a, b)",
     "def backward(ctx, grad_output):", "def backward(ctx, g):",
     "a, b, t = ctx.saved_tensors", "a, b = ctx.saved_tensors",
     "return grad_output * (1 - t), grad_output * t, (grad_output * (b - a)).sum_to_size(t.shape",
     "return (1 - ctx.t) * g, ctx.t * g, (g * (b - a)).sum(", of="sum_to_size")

# %% 14.Interpolate wrong: parentheses
expect("known", "the result: the parentheses around the weight of a are missing")
edit("return (1 - t) * a + t * b", "return 1 - t * a + t * b", of="sum_to_size")

# %% 14.Interpolate wrong: minus a and mean
expect("known", "what an entry contributes to the gradient for t: `b` is left out")
edit("return grad_output * (1 - t), grad_output * t, (grad_output * (b - a)).sum_to_size(t.shape)",
     "each = -grad_output * a\n"
     "        return (1 - t) * grad_output, t * grad_output, each if t.dim() else each.mean()", of="sum_to_size")

# %% 14.Interpolate wrong: from result
expect("nan", "the gradient for t has NaN in entry [0, 0] (a")
edit("ctx.save_for_backward(a, b, t)\n        return (1 - t) * a + t * b",
     "result = (1 - t) * a + t * b\n        ctx.save_for_backward(a, t, result)\n        return result",
     "def backward(ctx, grad_output):", "def backward(ctx, g):",
     "a, b, t = ctx.saved_tensors", "a, t, result = ctx.saved_tensors",
     "ctx.saved_tensors\n        return grad_output * (1 - t), grad_output * t, (grad_output * (b - a)",
     "ctx.saved_tensors\n        grad_output = (result - a) / t\n        return (1 - t) * g, t * g, (grad_output * g",
     of="sum_to_size")

# %% 14.Interpolate wrong: the weights are exchanged in backward
expect("swapped_gradients", "the gradients for a and b have changed places")
edit("if t.dim() == 0:\n            grad_t = grad_t.sum()\n"
     "        return grad_output * (1 - t), grad_output * t, grad_t",
     "return grad_output * t, grad_output * (1 - t), grad_t if t.dim() else grad_t.sum()")

# %% 14.GradientReversal right: by view
class GradientReversal(Function):
    @staticmethod
    def forward(ctx, x, strength):
        ctx.strength = strength
        return x.view_as(x)

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output.neg() * ctx.strength, None

# %% 14.GradientReversal right: of itself
class GradientReversal(Function):
    @staticmethod
    def forward(ctx, x, strength):
        ctx.factor = -strength
        return x

    @staticmethod
    def backward(ctx, g):
        return ctx.factor * g, None

# %% 14.GradientReversal right: of a copy
class GradientReversal(Function):
    @staticmethod
    def forward(ctx, x, strength):
        ctx.save_for_backward(torch.tensor(-1.0 * strength, dtype=x.dtype))
        print(x)
        return x.clone()

    @staticmethod
    def backward(ctx, g):
        (factor,) = ctx.saved_tensors
        return torch.tensor(g.numpy() * factor.item()), None

# %% 14.GradientReversal right: in place on a copy
class GradientReversal(Function):
    @staticmethod
    def forward(ctx, x, strength):
        ctx.strength = strength
        return x.detach()

    @staticmethod
    def backward(ctx, g):
        result = torch.zeros_like(g)
        result -= g
        result *= ctx.strength
        return result, None

# %% 14.GradientReversal right: with setup context
class GradientReversal(Function):
    @staticmethod
    def forward(x, strength):
        return x + 0

    @staticmethod
    def setup_context(ctx, inputs, output):
        _, ctx.strength = inputs

    @staticmethod
    def backward(ctx, g):
        return (-(ctx.strength * g), None)

# %% 14.GradientReversal right: by num py
import numpy as np


class GradientReversal(Function):
    @staticmethod
    def forward(ctx, x, strength):
        ctx.scale = np.negative(strength)
        return torch.from_numpy(x.detach().numpy().copy())

    @staticmethod
    def backward(ctx, g):
        return torch.from_numpy(np.asarray(g.detach().numpy() * ctx.scale)), None

# %% 14.GradientReversal right: view_as
class GradientReversal(Function):
    @staticmethod
    def forward(ctx, x, strength):
        ctx.strength = strength
        return x.view_as(x)

    @staticmethod
    def backward(ctx, grad_output):
        return -ctx.strength * grad_output, None

# %% 14.GradientReversal right: setup_context and clone; neg and mul
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

# %% 14.GradientReversal right: the factor is a tensor saved for backward, x + 0
class GradientReversal(Function):
    @staticmethod
    def forward(ctx, x, strength):
        ctx.save_for_backward(torch.full_like(x, -strength))
        return x + 0

    @staticmethod
    def backward(ctx, grad_output):
        factor, = ctx.saved_tensors
        return factor * grad_output, None

# %% 14.GradientReversal right: returns x itself
class GradientReversal(Function):
    @staticmethod
    def forward(ctx, x, strength):
        ctx.factor = 0 - strength
        return x

    @staticmethod
    def backward(ctx, g):
        return g * ctx.factor, None

# %% 14.GradientReversal right: forward returns a view of x without ctx; setup_context keeps a small function that does the reversal
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

# %% 14.GradientReversal wrong: the gradient is not reversed: the minus sign is missing
expect("known", "the gradient: the minus sign is missing")
edit("return -ctx.strength * grad_output, None", "grad = ctx.strength * grad_output\n        return grad, None")

# %% 14.GradientReversal wrong: strength is forgotten: the gradient is only negated
expect("known", "the gradient: `strength` is left out")
edit("return -ctx.strength * grad_output, None", "return - grad_output, None")

# %% 14.GradientReversal wrong: forward changes the values: it multiplies x by -strength
expect("known", "forward multiplies x by -strength, but only the gradient is reversed")
edit("return x", "return -strength * x", of="of itself")

# %% 14.GradientReversal wrong: the values are reversed as well; forward should return x unchanged
expect("known", "the result of forward: it has the wrong sign")
edit("return x.view_as(x)", "return -x")

# %% 14.GradientReversal wrong: backward returns one value for two arguments: None for strength is missing
expect("too_few", "backward returns 1 value, forward takes 2 arguments")
edit("return -ctx.strength * grad_output, None", "grad = -ctx.strength * grad_output\n        return grad")

# %% 14.GradientReversal wrong: backward changes grad_output in place
expect("unchanged", "backward changes grad_output in place")
edit("return -ctx.strength * grad_output, None", "grad = grad_output.mul_(-ctx.strength)\n        return grad, None")

# %% 14.GradientReversal wrong: the gradient is divided by strength instead of multiplied
expect("known", "the gradient: it is divided by `strength`, not multiplied")
edit("return -ctx.strength * grad_output, None", "grad = -grad_output / ctx.strength\n        return grad, None")

# %% 14.GradientReversal wrong: the gradient is multiplied by x too
expect("known", "the gradient: it is also multiplied by `x`")
edit("ctx.factor = -strength", "ctx.factor = strength\n        ctx.save_for_backward(x)",
     "return ctx.factor * g, None", "grad = -ctx.factor * g * ctx.saved_tensors[0]\n        return grad, None",
     of="of itself")

# %% 14.GradientReversal wrong: strength is kept on the class instead of on ctx
expect("repeat", "a second call of forward breaks the backward of the first: keep what backward needs on")
edit("ctx.strength = strength", "GradientReversal.strength = strength",
     "return -ctx.strength * grad_output, None",
     "grad = -GradientReversal.strength * grad_output\n        return grad, None")

# %% 14.GradientReversal wrong: the two values of backward are in the wrong order
expect("swapped_return", "the gradient for x is at the place of strength: the order must be that of forward's")
edit("return -ctx.strength * grad_output, None", "grad = -ctx.strength * grad_output\n        return None, grad")

# %% 14.GradientReversal wrong: strength 0 is replaced by 1, because 'strength or 1.0' takes 0 for a missing argument
expect("known", "a strength of 0 is taken for 1: the gradient must be 0 there")
edit("ctx.strength = strength", "ctx.strength = strength or 1.0")

# %% 14.GradientReversal wrong: uses the absolute value of strength, so a negative strength gives the wrong sign
expect("known", "the gradient: `strength` has lost its sign")
edit("return -ctx.strength * grad_output, None", "grad = -abs(ctx.strength) * grad_output\n        return grad, None")

# %% 14.GradientReversal wrong: the result is float32 also for float64 numbers
expect("dtype", "the result has dtype float32, it must have float64: keep the dtype of the argument")
edit("return x.view_as(x)", "return x.float().clone()")

# %% 14.GradientReversal wrong: strength gets a number (the derivative of something) instead of None
expect("tensor_for_constant",
       "backward returns a tensor for strength, which is not a tensor: it must return None there")
edit("return -ctx.strength * grad_output, None",
     "grad = -ctx.strength * grad_output\n        return grad, torch.zeros(())")

# %% 14.GradientReversal wrong: strength is subtracted from grad_output instead of multiplied by it
expect("known", "the gradient: it is `grad_output - strength` in yours")
edit("return -ctx.strength * grad_output, None", "grad = grad_output - ctx.strength\n        return grad, None")

# %% 14.GradientReversal wrong: backward computes the gradient but does not return it
expect("nothing_returned", "backward returns None: is there a `return`, and is its value not None? It must return a")
edit("return -ctx.strength * grad_output, None", "grad = -ctx.strength * grad_output")

# %% 14.GradientReversal wrong: strength is taken for a whole number: int(0.5) is 0
expect("known", "the gradient: `strength` is cut to whole numbers")
edit("ctx.strength = strength", "ctx.strength = int(strength)")

# %% 14.GradientReversal wrong: the strength is applied in backward a second time (squared)
expect("known", "the gradient: `strength` is squared")
edit("return -ctx.strength * grad_output, None",
     "grad = -ctx.strength * grad_output * ctx.strength\n        return grad, None")

# %% 14.GradientReversal wrong: local
expect("grad_output_forgotten", "grad_output is not used")
edit("return -ctx.strength * grad_output, None", "return torch.full_like(grad_output, -ctx.strength), None")

# %% 14.GradientReversal wrong: identity
expect("known", "the gradient: it is `grad_output` in yours")
edit("return -ctx.strength * grad_output, None", "return grad_output, None")

# %% 14.GradientReversal wrong: cut
expect("no_graph", "no gradient can flow back")
edit("return x.view_as(x)", "result = x.detach()\n        ctx.mark_non_differentiable(result)\n        return result")

# %% 14.GradientReversal wrong: of the order
expect("some_entries", "the gradient is wrong only in entries [0] and [2]")
edit("* grad_output", "* (grad_output.flip(-1) if grad_output.dim() else grad_output)")

# %% 14.GradientReversal wrong: the strength is squared
expect("wrong_value", "it must be ", never=(", declared ",))
edit("return -ctx.strength * grad_output, None", "return -ctx.strength * abs(ctx.strength) * grad_output, None")

# %% 14.StraightThroughRound right: and pass
class StraightThroughRound(Function):
    @staticmethod
    def forward(ctx, x):
        return torch.round(x)

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output.clone()

# %% 14.StraightThroughRound right: in num py
import numpy as np


class StraightThroughRound(Function):
    @staticmethod
    def forward(ctx, x):
        print(x)
        return torch.tensor(np.rint(x.detach().numpy()))

    @staticmethod
    def backward(ctx, grad_output):
        return torch.tensor(grad_output.numpy())

# %% 14.StraightThroughRound right: by detached
class StraightThroughRound(Function):
    """The usual trick without a Function, inside one."""

    @staticmethod
    def forward(ctx, x):
        return x + (x.round() - x).detach()

    @staticmethod
    def backward(ctx, *grads):
        return grads[0]

# %% 14.StraightThroughRound right: halves by hand
class StraightThroughRound(Function):
    @staticmethod
    def forward(ctx, x):
        down = torch.floor(x)
        rest = x - down
        up = (rest > 0.5) | ((rest == 0.5) & (down % 2 == 1))
        return down + up.to(x.dtype)

    @staticmethod
    def backward(ctx, grad_output):
        return 1 * grad_output

# %% 14.StraightThroughRound right: one by one
class StraightThroughRound(Function):
    """Python rounds halves to the even number too."""

    @staticmethod
    def forward(x):
        return torch.tensor([float(round(value)) for value in x.reshape(-1).tolist()], dtype=x.dtype).reshape(x.shape)

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.shape = output.shape

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output.view(ctx.shape)

# %% 14.StraightThroughRound right: torch.round
class StraightThroughRound(Function):
    @staticmethod
    def forward(ctx, x):
        return torch.round(x)

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output

# %% 14.StraightThroughRound right: Python's round, entry by entry; backward returns a copy in a tuple
class StraightThroughRound(Function):
    @staticmethod
    def forward(ctx, x):
        numbers = [float(round(v)) for v in x.reshape(-1).tolist()]
        return torch.tensor(numbers, dtype=x.dtype).reshape(x.shape)

    @staticmethod
    def backward(ctx, grad_output):
        return (grad_output.clone(),)

# %% 14.StraightThroughRound right: floor, and one more above the half or at the half of an odd number; setup_context
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

# %% 14.StraightThroughRound right: NumPy rint
import numpy as np

class StraightThroughRound(Function):
    @staticmethod
    def forward(ctx, x):
        return torch.tensor(np.rint(x.detach().numpy()), dtype=x.dtype)

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output.view_as(grad_output)

# %% 14.StraightThroughRound right: rounds with NumPy's rint and builds the result tensor anew; backward returns a copy
import numpy as np

class StraightThroughRound(Function):
    @staticmethod
    def forward(ctx, x):
        numbers = np.rint(x.detach().numpy())
        return torch.tensor(numbers.tolist(), dtype=x.dtype)

    @staticmethod
    def backward(ctx, grad_output):
        return 1 * grad_output

# %% 14.StraightThroughRound wrong: floor(x + 0.5) sends every half upwards (0.5 to 1, 2.5 to 3) instead of to the even number
expect("known", "where x lies halfway between two whole numbers, forward always rounds up, but the")
edit("return torch.round(x)", "return torch.floor(x + 0.5)", of="torch.round")

# %% 14.StraightThroughRound wrong: halves go away from zero instead of to the even number
expect("known", "where x lies halfway between two whole numbers, forward always rounds away from 0, but")
edit("def forward(ctx, x):\n        return x.round()",
     "def forward(ctx, x):\n        ctx.save_for_backward(x)\n"
     "        return torch.sign(x) * torch.floor(x.abs() + 0.5)")

# %% 14.StraightThroughRound wrong: halves go down: ceil(x - 0.5) sends 1.5 to 1
expect("known", "where x lies halfway between two whole numbers, forward always rounds down, but the")
edit("def forward(ctx, x):\n        return x.round()",
     "def forward(ctx, x):\n        ctx.save_for_backward(x)\n        return torch.ceil(x - 0.5)")

# %% 14.StraightThroughRound wrong: always rounds down (floor)
expect("known", "the result: `floor` is used")
edit("def forward(ctx, x):\n        return torch.round(x)",
     "def forward(ctx, x):\n        ctx.save_for_backward(x)\n        return torch.floor(x)", of="torch.round")

# %% 14.StraightThroughRound wrong: the numbers go through int32, which overflows beyond about 2 billion
expect("known", "forward goes through an int32, which cannot hold numbers beyond 2 billion")
edit("return torch.round(x)", "return torch.round(x).to(torch.int32).to(x.dtype)", of="torch.round")

# %% 14.StraightThroughRound wrong: backward returns the true derivative 0 instead of grad_output
expect("known", "the gradient is 0, the true derivative almost everywhere")
edit("return grad_output", "return torch.zeros_like(grad_output)", of="torch.round")

# %% 14.StraightThroughRound wrong: x itself is rounded in place, so the argument is changed
expect("unchanged", "the argument x is changed in forward: the result shares the memory of x, work on a copy")
edit("return x.round()", "return x.round_()")

# %% 14.StraightThroughRound wrong: the gradient is rounded too; it should pass unchanged
expect("known", "grad_output is rounded too, but only the values must be whole numbers")
edit("return grad_output", "return torch.round(grad_output)", of="torch.round")

# %% 14.StraightThroughRound wrong: lets the gradient pass only where |x| is at most 1
expect("known", "the gradient passes only where x lies between -1 and 1, but it must pass everywhere")
edit("def forward(ctx, x):", "def forward(ctx, x):\n        ctx.save_for_backward(x)",
     "\n        return grad_output.clone()",
     "\n        x, = ctx.saved_tensors\n        return grad_output * (x.abs() <= 1).to(x.dtype)", of="and pass")

# %% 14.StraightThroughRound wrong: backward returns two values for one argument
expect("too_many", "backward returns 2 values, forward takes 1 argument")
edit("def forward(ctx, x):", "def forward(ctx, x):\n        ctx.save_for_backward(x)",
     "\n        return grad_output.clone()",
     "\n        x, = ctx.saved_tensors\n        return grad_output, grad_output", of="and pass")

# %% 14.StraightThroughRound wrong: the gradient is clipped to -1..1
expect("known", "grad_output is limited to the numbers from -1 to 1, but it must pass unchanged")
edit("def forward(ctx, x):", "def forward(ctx, x):\n        ctx.save_for_backward(x)",
     "\n        return grad_output.clone(", "\n        x, = ctx.saved_tensors\n        return grad_output.clamp(-1, 1",
     of="and pass")

# %% 14.StraightThroughRound wrong: torch.tensor from a list without dtype: the result is float32 for float64 numbers
expect("dtype", "the result has dtype float32, it must have float64: keep the dtype of the argument")
edit("np.rint(x.detach().numpy())", "[float(round(v)) for v in x.reshape(-1).tolist()]).reshape(x.shape",
     of="in num py")

# %% 14.StraightThroughRound wrong: a loop over the first dimension: fails for a tensor without dimensions
expect("raises_for_some", "`return torch.stack([row.round() for row in x])` raised TypeError")
edit("def forward(ctx, x):\n        return x.round()",
     "def forward(ctx, x):\n        ctx.save_for_backward(x)\n        return torch.stack([row.round() for row in x])")

# %% 14.StraightThroughRound wrong: the gradient is multiplied by x
expect("known", "the gradient: it is also multiplied by `x`")
edit("def forward(ctx, x):", "def forward(ctx, x):\n        ctx.save_for_backward(x)",
     "\n        return grad_output.clone()", "\n        x, = ctx.saved_tensors\n        return grad_output * x",
     of="and pass")

# %% 14.StraightThroughRound wrong: int(v + 0.5) cuts towards zero, so negative numbers are rounded wrongly (-0.6 to 0)
expect("known", "forward adds a half and cuts off the digits, which is wrong for negative numbers")
edit("float(round(value)) for value", "float(int(v + 0.5)) if v % 1 != 0.5 else float(round(v)) for v",
     of="one by one")

# %% 14.StraightThroughRound wrong: backward is not a static method: @staticmethod is missing
expect("not_static", "backward must be static: put @staticmethod in the line before its `def`")
edit("def forward(ctx, x):\n        return x.round()\n\n    @staticmethod",
     "def forward(ctx, x):\n        ctx.save_for_backward(x)\n        return torch.round(x)")

# %% 14.StraightThroughRound wrong: towards zero
expect("known", "the result: `trunc` is used; it must be the nearest whole number")
edit("return x.round()", "return x.long().to(x.dtype)")

# %% 14.StraightThroughRound wrong: to integers
expect("no_graph", "the result does not require grad, so that no gradient can flow back")
edit("return x.round()", "return x.round().long()")

# %% 14.StraightThroughRound wrong: ones
expect("grad_output_forgotten", "grad_output is not used")
edit("return grad_output", "return torch.ones_like(grad_output)")

# %% 14.StraightThroughRound wrong: none
expect("nothing_returned", "a gradient for x")
edit("return grad_output", "return None")

# %% 14.StraightThroughRound wrong: gradient of rest
expect("wrong_value", "the gradient is [")
edit("def forward(ctx, x):", "def forward(ctx, x):\n        ctx.save_for_backward(x)",
     "def backward(ctx, grad_output):\n        return grad_output",
     "def backward(ctx, grad_output):\n        (x,) = ctx.saved_tensors\n        return grad_output * (x - x.round())")

# %% 14.StraightThroughRound wrong: multiplies the gradient by the rounded values (2y dy already brings them in)
expect("known", "grad_output is multiplied by the result, but it must pass unchanged")
edit("return x.round()", "y = x.round()\n        ctx.save_for_backward(y)\n        return y",
     "return grad_output", "(y,) = ctx.saved_tensors\n        return grad_output * y")
