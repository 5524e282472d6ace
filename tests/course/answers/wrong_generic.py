"""Wrong answers that no exercise declares as its own mistake: the general diagnoses must name them from the numbers."""

import math

import autograd_teach as torch
from autograd_teach.autograd import Function

WRONG: list[tuple[str, object, str, str]] = []


def wrong(exercise, diagnosis, words=""):
    return lambda answer: WRONG.append((exercise, answer, diagnosis, words)) or answer


class Saves(Function):
    """Forward of a function of one tensor: saves the tensor and its result."""

    @staticmethod
    def forward(ctx, x):
        result = x.exp()
        ctx.save_for_backward(x, result)
        return result


class ScaleForward(Function):
    @staticmethod
    def forward(ctx, x, factor):
        ctx.factor = factor
        return x * factor


class ScaleBackward(Function):
    @staticmethod
    def backward(ctx, g):
        return g * ctx.factor, None


# What is handed over, returned, raised


@wrong("11.AbsProduct", "list_for_tuple", "backward returns a list: return the 2 values")
class AbsProductList(Function):
    @staticmethod
    def forward(ctx, u, v):
        ctx.save_for_backward(u, v)
        return (u * v).abs()

    @staticmethod
    def backward(ctx, g):
        u, v = ctx.saved_tensors
        return [g * (u * v).sign() * v, g * (u * v).sign() * u]


@wrong("13.SinCos", "no_result", "it must return a tuple of 2 tensors")
class SinCosList(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return [x.sin(), x.cos()]

    @staticmethod
    def backward(ctx, g, h):
        (x,) = ctx.saved_tensors
        return g * x.cos() - h * x.sin()


@wrong("11.AbsProduct", "raised", "a second call replaces the first")
class AbsProductSavesTwice(Function):
    @staticmethod
    def forward(ctx, u, v):
        ctx.save_for_backward(u)
        ctx.save_for_backward(v)
        return (u * v).abs()

    @staticmethod
    def backward(ctx, g):
        u, v = ctx.saved_tensors
        return g * (u * v).sign() * v, g * (u * v).sign() * u


@wrong("11.AbsProduct", "raised", "(not for every input)")
class AbsProductOfPositive(Function):
    @staticmethod
    def forward(ctx, u, v):
        ctx.save_for_backward(u, v)
        return (u * v).abs() if u.dim() or math.sqrt((u * v).item()) else u

    @staticmethod
    def backward(ctx, g):
        u, v = ctx.saved_tensors
        return g * (u * v).sign() * v, g * (u * v).sign() * u


# The result of forward


@wrong("09.Scale", "shift", "the result")
class ScaleOneMore(ScaleBackward):
    @staticmethod
    def forward(ctx, x, factor):
        ctx.factor = factor
        return x * factor + 1


@wrong("09.Scale", "known", "the result: its sign is lost")
class ScaleAbsolute(ScaleBackward):
    @staticmethod
    def forward(ctx, x, factor):
        ctx.factor = factor
        return (x * factor).abs()


@wrong("13.CumSum", "another_order", "the result is made of the right numbers, but some are at the wrong")
class CumSumSorted(Function):
    @staticmethod
    def forward(ctx, x):
        return x.cumsum(-1).sort(dim=-1).values

    @staticmethod
    def backward(ctx, g):
        return g.flip(-1).cumsum(-1).flip(-1)


@wrong("10.RepairTanh", "after_forward", "fix forward first")
class TanhIsSigmoid(Function):
    @staticmethod
    def forward(ctx, x):
        result = 1 / (1 + (-x).exp())
        ctx.save_for_backward(result)
        return result

    @staticmethod
    def backward(ctx, g):
        (result,) = ctx.saved_tensors
        return g * (1 - result**2)


@wrong("12.Clamp", "forward_place", "forward is wrong only where x is above high")
class ClampHalfway(Function):
    @staticmethod
    def forward(ctx, x, low, high):
        ctx.save_for_backward((x > low) & (x < high))
        result = torch.where(x < low, torch.full_like(x, low), x)
        return torch.where(x > high, (x + high) / 2, result)

    @staticmethod
    def backward(ctx, g):
        return g * ctx.saved_tensors[0], None, None


@wrong("09.Exp", "wrong_forward", "the gradient is right, but forward is wrong: result[")
class ExpBySeries(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x.exp())
        return 1 + x + x**2 / 2 + x**3 / 6

    @staticmethod
    def backward(ctx, g):
        return g * ctx.saved_tensors[0]


@wrong("09.Exp", "backward_once", "a second backward pass through the same graph")
class ExpOnce(Function):
    @staticmethod
    def forward(ctx, x):
        result = x.exp()
        ctx.save_for_backward(result.clone())
        return result

    @staticmethod
    def backward(ctx, g):
        (result,) = ctx.saved_tensors
        result *= g
        return result


@wrong("10.RepairTanh", "known", "the result that the slope is computed from: half of `x` is used")
class TanhIsItself(Function):
    @staticmethod
    def forward(ctx, x):
        result = 1 - 2 / (x.exp() + 1)
        ctx.save_for_backward(result)
        return result

    @staticmethod
    def backward(ctx, g):
        (result,) = ctx.saved_tensors
        return g * (1 - result**2)


# The gradient, entry by entry


@wrong("09.Exp", "wrong_gradient", "the gradient is wrong")
class ExpLikeArcTan(Saves):
    @staticmethod
    def backward(ctx, g):
        return g / (1 + ctx.saved_tensors[0] ** 2)


@wrong("10.RepairTanh", "wrong_gradient", "the gradient is wrong")
class TanhOnePlus(Function):
    @staticmethod
    def forward(ctx, x):
        result = x.tanh()
        ctx.save_for_backward(result)
        return result

    @staticmethod
    def backward(ctx, g):
        (result,) = ctx.saved_tensors
        return g * (1 + result)


@wrong("09.Exp", "wrong_gradient", "the gradient is wrong")
class ExpWithoutParentheses(Saves):
    @staticmethod
    def backward(ctx, g):
        x, result = ctx.saved_tensors
        return g * (result + x) - x


@wrong("09.Exp", "known", "the gradient: it is `grad_output + x` in yours; look at the chain rule")
class ExpAddedArgument(Saves):
    @staticmethod
    def backward(ctx, g):
        return g + ctx.saved_tensors[0]


@wrong("11.Sigmoid", "known", "the gradient: it is also multiplied by `x`")
class SigmoidTimesX(Function):
    @staticmethod
    def forward(ctx, x):
        result = 1 / (1 + (-x).exp())
        ctx.save_for_backward(x, result)
        return result

    @staticmethod
    def backward(ctx, g):
        x, result = ctx.saved_tensors
        return g * result * (1 - result) * x


@wrong("10.RepairTanh", "wrong_gradient", "the gradient is wrong")
class TanhStrangePart(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.tanh()

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * x.cos() - (x**2 + 0.3).sqrt() * x.sin()


@wrong("09.Scale", "known", "the gradient: its sign is lost")
class ScaleGradientAbsolute(ScaleForward):
    @staticmethod
    def backward(ctx, g):
        return (g * ctx.factor).abs(), None


@wrong("14.GradientReversal", "relation", "the gradient is right, but the order in each row is reversed")
class ReversalOfTheOrder(Function):
    @staticmethod
    def forward(ctx, x, strength):
        ctx.strength = strength
        return x.clone()

    @staticmethod
    def backward(ctx, g):
        return -ctx.strength * (g.flip(-1) if g.dim() else g), None


@wrong("09.Exp", "relation", "the gradient is right, but the order in each row is reversed")
class ExpReversed(Saves):
    @staticmethod
    def backward(ctx, g):
        gradient = g * ctx.saved_tensors[1]
        return gradient.flip(-1) if g.dim() else gradient


@wrong("13.SortDescending", "another_order", "the gradient is made of the right numbers, but some are at the wrong")
class SortTwice(Function):
    @staticmethod
    def forward(ctx, x):
        values, order = x.sort(descending=True)
        order = order.to(x.dtype)
        ctx.mark_non_differentiable(order)
        return values, order

    @staticmethod
    def backward(ctx, g, _):
        return g.sort().values


@wrong("09.Exp", "known", "grad_output is cut off at -1 and 1")
class ExpClipped(Saves):
    @staticmethod
    def backward(ctx, g):
        return g.clamp(-1, 1) * ctx.saved_tensors[1]


# Several arguments, several results


@wrong("11.AbsProduct", "wrong_gradient", "the gradient for u is wrong")
class AbsProductOpposite(Function):
    @staticmethod
    def forward(ctx, u, v):
        ctx.save_for_backward(u, v)
        return (u * v).abs()

    @staticmethod
    def backward(ctx, g):
        u, v = ctx.saved_tensors
        gradient = g * (u * v).sign() * u
        return -gradient, gradient


@wrong("13.SinCos", "known", "the part of the gradient through the cosine: it is twice what it must be")
class SinCosTwice(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.sin(), x.cos()

    @staticmethod
    def backward(ctx, g, h):
        (x,) = ctx.saved_tensors
        return g * x.cos() - 2 * h * x.sin()


@wrong("10.RepairScaleColumns", "summed_wrongly", "added up along axis 1 of the result")
class ColumnsSummedAcross(Function):
    @staticmethod
    def forward(ctx, x, scale):
        ctx.save_for_backward(x, scale)
        return x * scale

    @staticmethod
    def backward(ctx, g):
        x, scale = ctx.saved_tensors
        return g * scale, (g * x).sum(1)


@wrong("10.RepairScaleColumns", "known", "the gradient for scale: this is the smallest, but it must be the sum")
class ColumnsSmallest(Function):
    @staticmethod
    def forward(ctx, x, scale):
        ctx.save_for_backward(x, scale)
        return x * scale

    @staticmethod
    def backward(ctx, g):
        x, scale = ctx.saved_tensors
        return g * scale, (g * x).min(0).values


@wrong("09.KillHead", "some_entries", "the gradient is wrong only in column 2 of x")
class KillHeadLastTwice(Function):
    @staticmethod
    def forward(ctx, x, n):
        ctx.n = n
        result = x.clone()
        result[:, :n] = 0
        return result

    @staticmethod
    def backward(ctx, g):
        g = g.clone()
        g[:, : ctx.n] = 0
        g[:, -1] = g[:, -1] * 2
        return g, None


@wrong("12.MatMul", "known", "the gradient for a and the gradient for b: it is read in another order")
class MatMulReshapedBoth(Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        return a @ b

    @staticmethod
    def backward(ctx, g):
        a, b = ctx.saved_tensors
        of_a = (b @ g.t()).reshape(a.shape) if ctx.needs_input_grad[0] else None
        return of_a, (g.t() @ a).reshape(b.shape) if ctx.needs_input_grad[1] else None


# The second derivative


@wrong("14.Softplus", "second_nan", "the second by `x` is NaN")
class SoftplusNaNFarOut(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.clamp(min=0) + (1 + (-x.abs()).exp()).log()

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g / (1 + (-x).exp())
