"""Right answers to notebook 11, each written another way."""

import numpy as np

import autograd_teach as torch
from autograd_teach.autograd import Function

RIGHT: list[tuple[str, type]] = []


def right(exercise):
    return lambda answer: RIGHT.append((exercise, answer)) or answer


@right("11.AbsProduct")
class AbsProductBySign(Function):
    @staticmethod
    def forward(ctx, u, v):
        ctx.save_for_backward(u, v)
        return (u * v).abs()

    @staticmethod
    def backward(ctx, grad_output):
        u, v = ctx.saved_tensors
        signed = grad_output * (u * v).sign()
        return signed * v, signed * u


@right("11.AbsProduct")
class AbsProductOfSizes(Function):
    @staticmethod
    def forward(ctx, u, v):
        assert u.shape == v.shape
        ctx.save_for_backward(u, v)
        return u.abs() * v.abs()

    @staticmethod
    def backward(ctx, g):
        u, v = ctx.saved_tensors
        return g * v.abs() * u.sign(), g * u.abs() * v.sign(), None


@right("11.AbsProduct")
class AbsProductOnce(Function):
    """Nobody asks for a second derivative here."""

    @staticmethod
    def forward(ctx, u, v):
        ctx.save_for_backward(u, v)
        return (u * v).abs()

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx, g):
        u, v = ctx.saved_tensors
        return g * v * (u * v).sign(), g * u * (u * v).sign()


@right("11.AbsProduct")
class AbsProductWithSavedSlopes(Function):
    """Fair where nobody asks for a second derivative."""

    @staticmethod
    def forward(ctx, u, v):
        product = u * v
        sign = torch.where(product > 0, torch.ones_like(u), -torch.ones_like(u))
        ctx.save_for_backward(sign * v, sign * u)
        print(product)
        return product * sign

    @staticmethod
    def backward(ctx, g):
        return tuple(g * slope for slope in ctx.saved_tensors)


@right("11.AbsProduct")
class AbsProductInNumPy(Function):
    @staticmethod
    def forward(ctx, u, v):
        ctx.arrays = u.detach().numpy().copy(), v.detach().numpy().copy()
        return torch.tensor(np.abs(ctx.arrays[0] * ctx.arrays[1]))

    @staticmethod
    def backward(ctx, g):
        u, v = ctx.arrays
        signed = g.detach().numpy() * np.sign(u * v)
        return torch.tensor(signed * v), torch.tensor(signed * u)


@right("11.AbsProduct")
class AbsProductFromTheResult(Function):
    @staticmethod
    def forward(ctx, u, v):
        result = torch.abs(u * v)
        ctx.save_for_backward(result, u, v)
        return result

    @staticmethod
    def backward(ctx, g):
        result, u, v = ctx.saved_tensors
        return (
            g * result / u if ctx.needs_input_grad[0] else None,
            g * result / v if ctx.needs_input_grad[1] else None,
        )


@right("11.Sigmoid")
class SigmoidSaved(Function):
    @staticmethod
    def forward(ctx, x):
        y = 1 / (1 + (-x).exp())
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, grad_output):
        (y,) = ctx.saved_tensors
        return grad_output * y * (1 - y)


@right("11.Sigmoid")
class SigmoidByTanh(Function):
    @staticmethod
    def forward(ctx, x):
        y = (torch.tanh(x / 2) + 1) / 2
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, g):
        y = ctx.saved_tensors[0]
        return (g * (y - y**2),)


@right("11.Sigmoid")
class SigmoidSavedSlope(Function):
    @staticmethod
    def forward(ctx, x):
        y = torch.sigmoid(x)
        slope = y * (1 - y)
        ctx.save_for_backward(slope)
        return y

    @staticmethod
    def backward(ctx, g):
        (slope,) = ctx.saved_tensors
        return slope.mul(g)


@right("11.Sigmoid")
class SigmoidInNumPy(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.y = 1 / (1 + np.exp(-x.detach().numpy()))
        return torch.tensor(ctx.y)

    @staticmethod
    def backward(ctx, g):
        print(g)
        return torch.tensor(g.detach().numpy() * ctx.y * (1 - ctx.y))


@right("11.Cube")
class CubeSaved(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**3

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return 3 * grad_output * x**2


@right("11.Cube")
class CubeByProducts(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        assert x.dtype in (torch.float64, torch.float32)
        return x * x * x

    @staticmethod
    def backward(ctx, g):
        x = ctx.saved_tensors[0]
        print(x.shape)
        return g * x * x + g * x * x + (x * g).mul(x)


@right("11.Cube")
class CubeThroughAnotherFunction(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.tensor(x.detach().numpy() ** 3)

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return 3 * g * Square.apply(x)


class Square(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, g):
        return 2 * ctx.saved_tensors[0] * g


@right("11.Cube")
class CubeKeptOnCtx(Function):
    """No model, but x is the argument itself, so that it keeps its place in the graph."""

    @staticmethod
    def forward(ctx, x):
        ctx.x = x
        return x * x * x

    @staticmethod
    def backward(ctx, g):
        return 3 * ctx.x**2 * g


@right("11.Norm")
class NormFromBoth(Function):
    @staticmethod
    def forward(ctx, x):
        result = (x * x).sum().sqrt()
        ctx.save_for_backward(x, result)
        return result

    @staticmethod
    def backward(ctx, grad_output):
        x, result = ctx.saved_tensors
        return grad_output * x / result


@right("11.Norm")
class NormComputedAgain(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.norm()

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * (x / x.norm())


@right("11.Norm")
class NormByDot(Function):
    @staticmethod
    def forward(ctx, x):
        assert x.dim() == 1
        ctx.save_for_backward(x)
        return x.dot(x) ** 0.5

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return 0.5 * g * x.dot(x) ** -0.5 * 2 * x


@right("11.Norm")
class NormEntryByEntry(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        total = 0
        for entry in x:
            total = total + entry * entry
        return total**0.5

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        length = (x**2).sum() ** 0.5
        print("length", length.item())
        return torch.stack([g * entry / length for entry in x])


@right("11.Norm")
class NormKeptOnCtx(Function):
    """No model: the result itself is kept, which makes a knot, but it has its place in the graph."""

    @staticmethod
    def forward(ctx, x):
        ctx.x, ctx.result = x, (x**2).sum() ** 0.5
        return ctx.result

    @staticmethod
    def backward(ctx, g):
        return ctx.x * (g / ctx.result)


@right("11.AbsProduct")
class AbsProductWithSetupContext(Function):
    """`forward` without ctx: what backward needs is kept by setup_context."""

    @staticmethod
    def forward(u, v):
        return (u * v * u * v).sqrt()

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs, output)

    @staticmethod
    def backward(ctx, g):
        u, v, result = ctx.saved_tensors
        return g * u * v * v / result, g * v * u * u / result


@right("11.AbsProduct")
class AbsProductByAutograd(Function):
    """The engine differentiates the formula itself, inside backward."""

    @staticmethod
    def forward(ctx, u, v):
        ctx.save_for_backward(u, v)
        return torch.maximum(u * v, -u * v)

    @staticmethod
    def backward(ctx, g):
        with torch.enable_grad():
            u, v = (each.detach().requires_grad_() for each in ctx.saved_tensors)
            return torch.autograd.grad((u * v).abs(), (u, v), g)


@right("11.Sigmoid")
class SigmoidWithSetupContext(Function):
    @staticmethod
    def forward(x):
        return 0.5 + 0.5 * torch.tanh(0.5 * x)

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(output)

    @staticmethod
    def backward(ctx, g):
        (y,) = ctx.saved_tensors
        return 0.25 * g - g * (y - 0.5) ** 2


@right("11.Sigmoid")
class SigmoidTwoTensors(Function):
    @staticmethod
    def forward(ctx, x):
        small = torch.exp(-x)
        y = torch.ones_like(x) / (small + 1)
        ctx.save_for_backward(y, 1 - y)
        return y

    @staticmethod
    def backward(ctx, g):
        slope = g.clone()
        for each in ctx.saved_tensors:
            slope *= each
        return slope


@right("11.Cube")
class CubeWithSetupContext(Function):
    @staticmethod
    def forward(x):
        return torch.pow(x, 3)

    @staticmethod
    def setup_context(ctx, inputs, output):
        (x,) = inputs
        ctx.save_for_backward(x)

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return torch.mul(x.square(), 3 * g)


@right("11.Cube")
class CubeByAutograd(Function):
    """The inner pass keeps its own graph, down to the saved x."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x * x

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        with torch.enable_grad():
            inner = x if x.requires_grad else x.detach().requires_grad_()
            return torch.autograd.grad(inner * inner * inner, inner, g, create_graph=True)[0]


@right("11.Norm")
class NormWithSetupContext(Function):
    @staticmethod
    def forward(x):
        return torch.sqrt(torch.sum(x**2))

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(inputs[0], output)

    @staticmethod
    def backward(ctx, g):
        x, length = ctx.saved_tensors
        return x * (length**-1 * g)


@right("11.Norm")
class NormScaled(Function):
    """First divided by the largest entry, as libraries do."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        largest = x.abs().max()
        return largest * ((x / largest) ** 2).sum().sqrt()

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return torch.stack([g * entry for entry in x * (x @ x) ** -0.5])
