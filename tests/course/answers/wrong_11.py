"""Wrong answers to notebook 11, each with the diagnosis that must name it and words that its message must have."""

import numpy as np

import autograd_teach as torch
from autograd_teach.autograd import Function

WRONG: list[tuple[str, object, str, str]] = []


def wrong(exercise, diagnosis, words=""):
    return lambda answer: WRONG.append((exercise, answer, diagnosis, words)) or answer


class AbsProductForward(Function):
    @staticmethod
    def forward(ctx, u, v):
        ctx.save_for_backward(u, v)
        return (u * v).abs()


class AbsProductBackward(Function):
    @staticmethod
    def backward(ctx, g):
        u, v = ctx.saved_tensors
        signed = g * (u * v).sign()
        return signed * v, signed * u


class SigmoidForward(Function):
    @staticmethod
    def forward(ctx, x):
        y = 1 / (1 + (-x).exp())
        ctx.save_for_backward(y)
        return y


class CubeForward(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x * x


class NormForward(Function):
    @staticmethod
    def forward(ctx, x):
        result = (x * x).sum() ** 0.5
        ctx.save_for_backward(x, result)
        return result


class NormBackward(Function):
    @staticmethod
    def backward(ctx, g):
        x, result = ctx.saved_tensors
        return g * x / result


# AbsProduct


@wrong("11.AbsProduct", "known", "the two gradients: the parts stand in another order")
class AbsProductSavedInOtherOrder(AbsProductBackward):
    @staticmethod
    def forward(ctx, u, v):
        ctx.save_for_backward(v, u)
        return (u * v).abs()


@wrong("11.AbsProduct", "known", "these are the gradients of u * v: the slope of the absolute value is")
class AbsProductSignLost(AbsProductForward):
    @staticmethod
    def backward(ctx, g):
        u, v = ctx.saved_tensors
        return g * v, g * u


@wrong("11.AbsProduct", "forward_place", "forward is wrong only where v is negative")
class AbsProductOneAbs(AbsProductBackward):
    @staticmethod
    def forward(ctx, u, v):
        ctx.save_for_backward(u, v)
        return u.abs() * v


@wrong("11.AbsProduct", "too_few", "(u, v)")
class AbsProductOneGradient(AbsProductForward):
    @staticmethod
    def backward(ctx, g):
        u, v = ctx.saved_tensors
        return g * (u * v).sign() * v


@wrong("11.AbsProduct", "none_for_tensor", "returns None for v")
class AbsProductNoneForV(AbsProductForward):
    @staticmethod
    def backward(ctx, g):
        u, v = ctx.saved_tensors
        return g * (u * v).sign() * v, None


@wrong("11.AbsProduct", "raised", "not enough values to unpack")
class AbsProductOneSaved(AbsProductBackward):
    @staticmethod
    def forward(ctx, u, v):
        ctx.save_for_backward(u)
        return (u * v).abs()


@wrong("11.AbsProduct", "argument_changed", "u is changed in forward")
class AbsProductInPlace(AbsProductBackward):
    @staticmethod
    def forward(ctx, u, v):
        ctx.save_for_backward(u.clone(), v)
        u *= v
        return u.abs()


@wrong("11.AbsProduct", "shared_between_calls", "on ctx, because each call has its own")
class AbsProductOnClass(Function):
    @staticmethod
    def forward(ctx, u, v):
        AbsProductOnClass.saved = u, v
        return (u * v).abs()

    @staticmethod
    def backward(ctx, g):
        u, v = (each.reshape(g.shape) if each.numel() == g.numel() else g for each in AbsProductOnClass.saved)
        return g * (u * v).sign() * v, g * (u * v).sign() * u


# Sigmoid


@wrong("11.Sigmoid", "saved_argument", "save the result instead")
class SigmoidSavesX(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return 1 / (1 + (-x).exp())

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        y = 1 / (1 + (-x).exp())
        return g * y * (1 - y)


@wrong("11.Sigmoid", "saved_argument", "needs `x` itself")
class SigmoidKeepsX(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.x = x
        return torch.sigmoid(x)

    @staticmethod
    def backward(ctx, g):
        y = torch.sigmoid(ctx.x)
        return g * y * (1 - y)


@wrong("11.Sigmoid", "known", "the slope of tanh")
class SigmoidTanhSlope(SigmoidForward):
    @staticmethod
    def backward(ctx, g):
        (y,) = ctx.saved_tensors
        return g * (1 - y * y)


@wrong("11.Sigmoid", "raised", "a tuple? `ctx.saved_tensors` is one, even for a single tensor")
class SigmoidTuple(SigmoidForward):
    @staticmethod
    def backward(ctx, g):
        y = ctx.saved_tensors
        return g * y * (1 - y)


@wrong("11.Sigmoid", "known", "the gradient: the slope is left out")
class SigmoidPassesOn(SigmoidForward):
    @staticmethod
    def backward(ctx, g):
        return g.clone()


@wrong("11.Sigmoid", "raised", "a tuple? `ctx.saved_tensors` is one, even for a single tensor")
class SigmoidTupleAsked(SigmoidForward):
    @staticmethod
    def backward(ctx, g):
        y = ctx.saved_tensors
        return g * (y - y**2)


# Cube


@wrong("11.Cube", "second_raised", "once_differentiable forbids")
class CubeOnce(CubeForward):
    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return 3 * g * x * x


@wrong("11.Cube", "second_cut", "it leaves the tensors")
class CubeInNumPy(CubeForward):
    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return torch.tensor(3 * g.detach().numpy() * x.detach().numpy() ** 2)


@wrong("11.Cube", "second_cut", "does not have a graph")
class CubeNewLeaf(CubeForward):
    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return (3 * g * x * x).detach().requires_grad_()


@wrong("11.Cube", "second_constant", "uses something that is a constant for autograd")
class CubeKeptSquare(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.square = x * x
        return ctx.square * x

    @staticmethod
    def backward(ctx, g):
        return 3 * g * ctx.square


@wrong("11.Cube", "second_constant", "Compute it in backward")
class CubeDetached(CubeForward):
    @staticmethod
    def backward(ctx, g):
        x = ctx.saved_tensors[0].detach()
        return 3 * g * x * x


@wrong("11.Cube", "wrong_second", "the second by `x` is wrong")
class CubeHalfDetached(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        ctx.square = x * x
        return x**3

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * (ctx.square + 2 * x * x)


@wrong("11.Cube", "wrong_second", "does it leave the graph somewhere")
class CubeDetachedGradOutput(CubeForward):
    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return 3 * g.detach() * x * x


@wrong("11.Cube", "known", "the slope: 3 is left out")
class CubeFactorLost(CubeForward):
    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * x * x


@wrong("11.Cube", "known", "the slope changes its sign with x, but x * x * x rises on both sides of")
class CubePowerLost(CubeForward):
    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return 3 * g * x


@wrong("11.Cube", "raised", "save_for_backward")
class CubeSavesANumber(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x, 3)
        return x**3

    @staticmethod
    def backward(ctx, g):
        x, power = ctx.saved_tensors
        return power * g * x * x


@wrong("11.Cube", "wrong_gradient", "the gradient is wrong")
class CubeTimesResult(CubeForward):
    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * x * x * x


@wrong("11.Cube", "backward_of_wrong_forward", "fix forward first")
class CubeIsTriple(CubeForward):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return 3 * x

    @staticmethod
    def backward(ctx, g):
        return 3 * g


# Norm


@wrong("11.Norm", "wrong_second", "a constant for backward")
class NormSavesACopy(NormBackward):
    @staticmethod
    def forward(ctx, x):
        result = (x * x).sum() ** 0.5
        ctx.save_for_backward(x, result.clone())
        return result


@wrong("11.Norm", "second_constant", "misses how the gradient depends on `x`")
class NormSavedDirection(Function):
    @staticmethod
    def forward(ctx, x):
        result = x.norm()
        ctx.save_for_backward(x / result)
        return result

    @staticmethod
    def backward(ctx, g):
        (direction,) = ctx.saved_tensors
        return g * direction


@wrong("11.Norm", "second_cut", ".item()")
class NormAllNumbers(NormForward):
    @staticmethod
    def backward(ctx, g):
        x, result = ctx.saved_tensors
        return torch.tensor([g.item() * entry / result.item() for entry in x.tolist()], dtype=x.dtype)


@wrong("11.Norm", "second_raised", "once_differentiable forbids")
class NormOnce(NormForward):
    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx, g):
        x, result = ctx.saved_tensors
        return g * x / result


@wrong("11.Norm", "known", "the slope of the root: the length in backward is left out")
class NormNotDivided(NormForward):
    @staticmethod
    def backward(ctx, g):
        x, _ = ctx.saved_tensors
        return g * x


@wrong("11.Norm", "known", "the slope of the root: 2 is left out")
class NormTwice(NormForward):
    @staticmethod
    def backward(ctx, g):
        x, result = ctx.saved_tensors
        return g * 2 * x / result


@wrong("11.Norm", "wrong_shape", "has shape (), x itself (2,)")
class NormInnerLost(NormForward):
    @staticmethod
    def backward(ctx, g):
        _, result = ctx.saved_tensors
        return g / (2 * result)


@wrong("11.Norm", "wrong_gradient", "the gradient is wrong")
class NormRootOnly(NormForward):
    @staticmethod
    def backward(ctx, g):
        x, result = ctx.saved_tensors
        return g / (2 * result) * torch.ones_like(x)


@wrong("11.Norm", "no_result", "a float")
class NormIsANumber(NormBackward):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return float(np.sqrt((x.detach().numpy() ** 2).sum()))


# More of them, of all the exercises above


@wrong("11.AbsProduct", "wrong_gradient", "the gradient for u is wrong")
class AbsProductTimesSize(AbsProductForward):
    @staticmethod
    def backward(ctx, g):
        u, v = ctx.saved_tensors
        size = (u * v).abs()
        return g * v * size, g * u * size


@wrong("11.AbsProduct", "wrong_gradient", "the gradient for u is wrong")
class AbsProductSummed(AbsProductForward):
    @staticmethod
    def backward(ctx, g):
        u, v = ctx.saved_tensors
        total = g * (u * v).sign() * (u + v)
        return total, total


@wrong("11.AbsProduct", "raised", "the tensors of the last call of `ctx.save_for_backward`")
class AbsProductSavedInTwoCalls(AbsProductBackward):
    @staticmethod
    def forward(ctx, u, v):
        ctx.save_for_backward(u)
        ctx.save_for_backward(v)
        return (u * v).abs()


@wrong("11.AbsProduct", "grad_output_changed", "grad_output in place")
class AbsProductChangesGradOutput(AbsProductForward):
    @staticmethod
    def backward(ctx, g):
        u, v = ctx.saved_tensors
        g *= (u * v).sign()
        return g * v, g * u


@wrong("11.Sigmoid", "wrong_gradient", "the gradient is wrong")
class SigmoidParentheses(SigmoidForward):
    @staticmethod
    def backward(ctx, g):
        (y,) = ctx.saved_tensors
        return g * y * 1 - y


@wrong("11.Sigmoid", "wrong_gradient", "the gradient is wrong")
class SigmoidParenthesesSquare(SigmoidForward):
    @staticmethod
    def backward(ctx, g):
        (y,) = ctx.saved_tensors
        return g * y - y * y


@wrong("11.Sigmoid", "result_changed", "changes the result of forward in place")
class SigmoidInPlace(SigmoidForward):
    @staticmethod
    def backward(ctx, g):
        (y,) = ctx.saved_tensors
        slope = 1 - y
        y *= g
        y *= slope
        return y


@wrong("11.Cube", "nan", "(x is 0)")
class CubeDividesByX(Function):
    @staticmethod
    def forward(ctx, x):
        y = x.pow(3)
        ctx.save_for_backward(x, y)
        return y

    @staticmethod
    def backward(ctx, g):
        x, y = ctx.saved_tensors
        return g * 3 * y / x


@wrong("11.Cube", "wrong_gradient", "the gradient is wrong")
class CubePowerAndFactorMixed(CubeForward):
    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return 2 * g * x**3


@wrong("11.Cube", "some_entries", "the gradient is wrong only in entries [1] and [2] of x")
class CubeSignKept(CubeForward):
    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return 3 * g * x * x.abs()


@wrong("11.Norm", "wrong_gradient", "the gradient is wrong")
class NormDividesBySum(NormForward):
    @staticmethod
    def backward(ctx, g):
        x, _result = ctx.saved_tensors
        return g * x / x.sum()


@wrong("11.Norm", "wrong_second", "the second by `x` is wrong")
class NormDividesByDetached(NormForward):
    @staticmethod
    def backward(ctx, g):
        x, result = ctx.saved_tensors
        return g * x / result.detach()
