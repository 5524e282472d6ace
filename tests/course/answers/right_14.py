"""Right answers to notebook 14, each written another way: a check that rejects one of them is broken."""

import math

import numpy as np

import autograd_teach as torch
from autograd_teach.autograd import Function

RIGHT: list[tuple[str, type]] = []


def right(exercise):
    return lambda answer: RIGHT.append((exercise, answer)) or answer


# HuberLoss


@right("14.HuberLoss")
class HuberClamped(Function):
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


@right("14.HuberLoss")
class HuberByWhere(Function):
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


@right("14.HuberLoss")
class HuberInNumPy(Function):
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


@right("14.HuberLoss")
class HuberGradientInForward(Function):
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


# SoftmaxCrossEntropy


@right("14.SoftmaxCrossEntropy")
class CrossEntropyByOneHot(Function):
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


@right("14.SoftmaxCrossEntropy")
class CrossEntropyByLibrary(Function):
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


@right("14.SoftmaxCrossEntropy")
class CrossEntropyRowByRow(Function):
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


@right("14.SoftmaxCrossEntropy")
class CrossEntropyByGather(Function):
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


# LogSumExp


@right("14.LogSumExp")
class LogSumExpByShares(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.logsumexp(-1)

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return grad_output[..., None] * x.softmax(dim=-1)


@right("14.LogSumExp")
class LogSumExpByMaximum(Function):
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


@right("14.LogSumExp")
class LogSumExpInNumPy(Function):
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


@right("14.LogSumExp")
class LogSumExpPairByPair(Function):
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


# LayerNorm


@right("14.LayerNorm")
class LayerNormByVar(Function):
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


@right("14.LayerNorm")
class LayerNormStepByStep(Function):
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


@right("14.LayerNorm")
class LayerNormByJacobian(Function):
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


@right("14.LayerNorm")
class LayerNormByAutograd(Function):
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


# Softplus


@right("14.Softplus")
class SoftplusFromResult(Function):
    @staticmethod
    def forward(ctx, x):
        result = torch.logsumexp(torch.stack([x, 0 * x]), 0)
        ctx.save_for_backward(result)
        return result

    @staticmethod
    def backward(ctx, grad_output):
        (result,) = ctx.saved_tensors
        return grad_output * (1 - (-result).exp())


@right("14.Softplus")
class SoftplusByWhere(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.where(x > 25, x, (1 + x.clamp(max=25).exp()).log())

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return grad_output / (1 + (-x.clamp(min=-300)).exp())


@right("14.Softplus")
class SoftplusInNumPy(Function):
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


@right("14.Softplus")
class SoftplusByRelu(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.relu(x) + (1 + torch.exp(-abs(x))).log()

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        small = torch.exp(-x.abs())
        return grad_output * torch.where(x > 0, 1 / (1 + small), small / (1 + small))


# Interpolate


@right("14.Interpolate")
class InterpolateFromA(Function):
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


@right("14.Interpolate")
class InterpolateWhereNeeded(Function):
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


@right("14.Interpolate")
class InterpolateExpanded(Function):
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


# GradientReversal


@right("14.GradientReversal")
class ReversalByView(Function):
    @staticmethod
    def forward(ctx, x, strength):
        ctx.strength = strength
        return x.view_as(x)

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output.neg() * ctx.strength, None


@right("14.GradientReversal")
class ReversalOfItself(Function):
    @staticmethod
    def forward(ctx, x, strength):
        ctx.factor = -strength
        return x

    @staticmethod
    def backward(ctx, g):
        return ctx.factor * g, None


@right("14.GradientReversal")
class ReversalOfACopy(Function):
    @staticmethod
    def forward(ctx, x, strength):
        ctx.save_for_backward(torch.tensor(-1.0 * strength, dtype=x.dtype))
        print(x)
        return x.clone()

    @staticmethod
    def backward(ctx, g):
        (factor,) = ctx.saved_tensors
        return torch.tensor(g.numpy() * factor.item()), None


@right("14.GradientReversal")
class ReversalInPlaceOnACopy(Function):
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


# StraightThroughRound


@right("14.StraightThroughRound")
class RoundAndPass(Function):
    @staticmethod
    def forward(ctx, x):
        return torch.round(x)

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output.clone()


@right("14.StraightThroughRound")
class RoundInNumPy(Function):
    @staticmethod
    def forward(ctx, x):
        print(x)
        return torch.tensor(np.rint(x.detach().numpy()))

    @staticmethod
    def backward(ctx, grad_output):
        return torch.tensor(grad_output.numpy())


@right("14.StraightThroughRound")
class RoundByDetached(Function):
    """The usual trick without a Function, inside one."""

    @staticmethod
    def forward(ctx, x):
        return x + (x.round() - x).detach()

    @staticmethod
    def backward(ctx, *grads):
        return grads[0]


# Answers written by others, and with other means


@right("14.HuberLoss")
class HuberEntryByEntry(Function):
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


@right("14.HuberLoss")
class HuberWithSetupContext(Function):
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


@right("14.SoftmaxCrossEntropy")
class CrossEntropyWithSetupContext(Function):
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


@right("14.SoftmaxCrossEntropy")
class CrossEntropyByNumPy(Function):
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


@right("14.LogSumExp")
class LogSumExpOfShares(Function):
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


@right("14.LogSumExp")
class LogSumExpSorted(Function):
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


@right("14.LayerNorm")
class LayerNormByLibrary(Function):
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


@right("14.LayerNorm")
class LayerNormByMoments(Function):
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


@right("14.Softplus")
class SoftplusByLibrary(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.nn.functional.softplus(x)

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return torch.sigmoid(x).mul(grad_output)


@right("14.Softplus")
class SoftplusByLogSigmoid(Function):
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


@right("14.Softplus")
class SoftplusBySafeWhere(Function):
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


@right("14.Interpolate")
class InterpolateByLerp(Function):
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


@right("14.Interpolate")
class InterpolateSummedByEinsum(Function):
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


@right("14.GradientReversal")
class ReversalWithSetupContext(Function):
    @staticmethod
    def forward(x, strength):
        return x + 0

    @staticmethod
    def setup_context(ctx, inputs, output):
        _, ctx.strength = inputs

    @staticmethod
    def backward(ctx, g):
        return (-(ctx.strength * g), None)


@right("14.GradientReversal")
class ReversalByNumPy(Function):
    @staticmethod
    def forward(ctx, x, strength):
        ctx.scale = np.negative(strength)
        return torch.from_numpy(x.detach().numpy().copy())

    @staticmethod
    def backward(ctx, g):
        return torch.from_numpy(np.asarray(g.detach().numpy() * ctx.scale)), None


@right("14.StraightThroughRound")
class RoundHalvesByHand(Function):
    @staticmethod
    def forward(ctx, x):
        down = torch.floor(x)
        rest = x - down
        up = (rest > 0.5) | ((rest == 0.5) & (down % 2 == 1))
        return down + up.to(x.dtype)

    @staticmethod
    def backward(ctx, grad_output):
        return 1 * grad_output


@right("14.StraightThroughRound")
class RoundOneByOne(Function):
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
