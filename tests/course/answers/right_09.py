"""Right answers to notebook 09, each written another way: a check that rejects one of them is broken."""

import numpy as np

import autograd_teach as torch
from autograd_teach.autograd import Function

RIGHT: list[tuple[str, type]] = []


def right(exercise):
    return lambda answer: RIGHT.append((exercise, answer)) or answer


@right("09.KillHead")
class KillHeadByCopies(Function):
    @staticmethod
    def forward(ctx, x, n):
        ctx.n = n
        result = x.clone()
        result[:, 0:n] = 0
        return result

    @staticmethod
    def backward(ctx, grad_output):
        result = grad_output.clone()
        result[:, 0 : ctx.n] = 0
        return result, None


@right("09.KillHead")
class KillHeadByMask(Function):
    @staticmethod
    def forward(ctx, x, n):
        assert x.dim() == 2, "a matrix"
        mask = torch.ones_like(x)
        mask[:, :n] = 0
        ctx.save_for_backward(mask)
        print("forward", x.shape, n)
        return x * mask

    @staticmethod
    def backward(ctx, grad_output):
        (mask,) = ctx.saved_tensors
        return mask * grad_output, None


@right("09.KillHead")
class KillHeadInNumPy(Function):
    @staticmethod
    def forward(ctx, x, n):
        ctx.keep = np.arange(x.shape[1]) >= n
        return torch.tensor(np.where(ctx.keep, x.detach().numpy(), 0).astype(x.detach().numpy().dtype))

    @staticmethod
    def backward(ctx, grad_output):
        return torch.tensor(grad_output.detach().numpy() * ctx.keep), None


@right("09.KillHead")
class KillHeadEntryByEntry(Function):
    @staticmethod
    def forward(ctx, x, n):
        if n == 0:
            ctx.n = 0
            return x.clone()
        ctx.n = n
        result = torch.zeros_like(x)
        for i in range(x.shape[0]):
            for j in range(n, x.shape[1]):
                result[i, j] = x[i, j]
        return result

    @staticmethod
    def backward(ctx, grad_output):
        if ctx.n == 0:
            return grad_output, None
        result = torch.zeros_like(grad_output)
        result[:, ctx.n :] = grad_output[:, ctx.n :]
        return result, None


@right("09.Scale")
class ScaleByAttribute(Function):
    @staticmethod
    def forward(ctx, x, factor):
        ctx.factor = factor
        return x * factor

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output * ctx.factor, None


@right("09.Scale")
class ScaleByDivision(Function):
    @staticmethod
    def forward(ctx, input, number):
        ctx.inverse = 1 / number
        return input / ctx.inverse

    @staticmethod
    def backward(ctx, g):
        return [g / ctx.inverse, None][0], None


@right("09.Scale")
class ScaleInNumPy(Function):
    @staticmethod
    def forward(ctx, x, factor):
        ctx.stash = {"factor": factor}
        array = x.detach().numpy().copy()
        array *= factor
        return torch.tensor(array)

    @staticmethod
    def backward(ctx, grad_output):
        print(grad_output)
        return torch.tensor(grad_output.detach().numpy() * ctx.stash["factor"]), None


@right("09.Scale")
class ScaleWithSavedTensor(Function):
    @staticmethod
    def forward(ctx, x, factor):
        slope = torch.full_like(x, factor)
        ctx.save_for_backward(slope)
        return slope * x

    @staticmethod
    def backward(ctx, grad_output):
        (slope,) = ctx.saved_tensors
        if not ctx.needs_input_grad[0]:
            return None, None
        return slope.mul(grad_output), None, None  # PyTorch allows more Nones than arguments


class Halfway(Function):
    @staticmethod
    def forward(ctx, x, factor):
        ctx.factor = factor
        return x.mul(factor)


@right("09.Scale")
class ScaleInherited(Halfway):
    @staticmethod
    def backward(ctx, *grads):
        (g,) = grads
        total = 0 * g
        return total + g.mul(ctx.factor), None


@right("09.Exp")
class ExpSaved(Function):
    @staticmethod
    def forward(ctx, x):
        result = x.exp()
        ctx.save_for_backward(result)
        return result

    @staticmethod
    def backward(ctx, grad_output):
        (result,) = ctx.saved_tensors
        return grad_output * result


@right("09.Exp")
class ExpAsTuple(Function):
    @staticmethod
    def forward(ctx, x):
        result = torch.exp(x)
        ctx.save_for_backward(result.clone())
        return result

    @staticmethod
    def backward(ctx, grad_output):
        return (ctx.saved_tensors[0].mul(grad_output),)


@right("09.Exp")
class ExpInNumPy(Function):
    @staticmethod
    def forward(ctx, x):
        result = torch.tensor(np.exp(x.detach().numpy()))
        ctx.save_for_backward(result)
        return result

    @staticmethod
    def backward(ctx, grad_output):
        (result,) = ctx.saved_tensors
        assert result.shape == grad_output.shape
        return torch.tensor(result.detach().numpy() * grad_output.detach().numpy())


@right("09.Exp")
class ExpKeptOnCtx(Function):
    """No model, but for a first derivative no mistake."""

    @staticmethod
    def forward(ctx, x):
        ctx.result = np.e**x
        return ctx.result.clone()

    @staticmethod
    def backward(ctx, grad_output):
        return (ctx.result * grad_output,)


@right("09.Exp")
class ExpByLogarithm(Function):
    @staticmethod
    def forward(ctx, x):
        y = x.exp()
        ctx.save_for_backward(y)
        ctx.shape = tuple(x.shape)
        return y

    @staticmethod
    def backward(ctx, grad_output):
        (y,) = ctx.saved_tensors
        assert tuple(y.shape) == ctx.shape
        return (y.log().exp() * grad_output).reshape(ctx.shape)


@right("09.KillHead")
class KillHeadGlued(Function):
    @staticmethod
    def forward(ctx, x, n):
        ctx.head = torch.zeros(x.shape[0], n, dtype=x.dtype)
        return torch.cat((ctx.head, x[:, n:]), dim=1)

    @staticmethod
    def backward(ctx, grad_output):
        return torch.cat((ctx.head, grad_output[:, ctx.head.shape[1] :]), dim=1), None


@right("09.KillHead")
class KillHeadSetUp(Function):
    @staticmethod
    def forward(x, n):
        result = x.clone()
        result[:, :n] = 0
        return result

    @staticmethod
    def setup_context(ctx, inputs, output):
        _, ctx.n = inputs

    @staticmethod
    def backward(ctx, grad_output):
        return KillHeadSetUp.apply(grad_output, ctx.n), None


@right("09.Scale")
class ScaleSetUp(Function):
    @staticmethod
    def forward(x, factor):
        return factor * x

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.factor = inputs[1]

    @staticmethod
    def backward(ctx, g):
        return ctx.factor * g, None


@right("09.Scale")
class ScaleInPlaceOnCopies(Function):
    @staticmethod
    def forward(ctx, x, factor):
        ctx.factor = factor
        return x.clone().mul_(factor)

    @staticmethod
    def backward(ctx, g):
        return g.clone().mul_(ctx.factor), None


@right("09.Exp")
class ExpSetUp(Function):
    @staticmethod
    def forward(x):
        return x.exp()

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(output)

    @staticmethod
    def backward(ctx, g):
        return g * ctx.saved_tensors[0]


@right("09.Exp")
class ExpComputedTwice(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(torch.exp(x))
        return torch.exp(x)

    @staticmethod
    def backward(ctx, g):
        (result,) = ctx.saved_tensors
        return torch.mul(result, g)


@right("09.KillHead")
class KillHeadFromColumnNumbers(Function):
    @staticmethod
    def forward(ctx, x, n):
        ctx.kept = torch.arange(x.shape[1]) >= n
        return torch.where(ctx.kept, x, torch.zeros_like(x))

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output * ctx.kept, None
