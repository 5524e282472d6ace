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


@wrong("11.AbsProduct", "swapped_gradients", "u and v have changed places")
class AbsProductSwapped(AbsProductForward):
    @staticmethod
    def backward(ctx, g):
        u, v = ctx.saved_tensors
        signed = g * (u * v).sign()
        return signed * u, signed * v


@wrong("11.AbsProduct", "swapped_gradients", "changed places")
class AbsProductSavedInOtherOrder(AbsProductBackward):
    @staticmethod
    def forward(ctx, u, v):
        ctx.save_for_backward(v, u)
        return (u * v).abs()


@wrong("11.AbsProduct", "known", "the slope of the absolute value around it is missing")
class AbsProductSignLost(AbsProductForward):
    @staticmethod
    def backward(ctx, g):
        u, v = ctx.saved_tensors
        return g * v, g * u


@wrong("11.AbsProduct", "known", "the slope for u and v is the other factor times the sign of this one")
class AbsProductSignOfOne(AbsProductForward):
    @staticmethod
    def backward(ctx, g):
        u, v = ctx.saved_tensors
        return g * v * u.sign(), g * u * v.sign()


@wrong("11.AbsProduct", "known", "the slope for u and v is the absolute value of the other factor")
class AbsProductSizes(AbsProductForward):
    @staticmethod
    def backward(ctx, g):
        u, v = ctx.saved_tensors
        return g * v.abs(), g * u.abs()


@wrong("11.AbsProduct", "known", "the slope of the product inside it is missing")
class AbsProductOuterOnly(AbsProductForward):
    @staticmethod
    def backward(ctx, g):
        u, v = ctx.saved_tensors
        signed = g * (u * v).sign()
        return signed, signed.clone()


@wrong("11.AbsProduct", "known", "the product itself, with its sign")
class AbsProductNoAbs(AbsProductBackward):
    @staticmethod
    def forward(ctx, u, v):
        ctx.save_for_backward(u, v)
        return u * v


@wrong("11.AbsProduct", "known", "of one factor only")
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


@wrong("11.AbsProduct", "grad_output_forgotten", "is not used: backward returns the same")
class AbsProductLocal(AbsProductForward):
    @staticmethod
    def backward(ctx, g):
        u, v = ctx.saved_tensors
        return (u * v).sign() * v, (u * v).sign() * u


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


@wrong("11.AbsProduct", "known", "which is not a slope")
class AbsProductTimesResult(AbsProductForward):
    @staticmethod
    def backward(ctx, g):
        u, v = ctx.saved_tensors
        return g * (u * v).abs(), g * (u * v).abs()


@wrong("11.AbsProduct", "known", "the slope for u is the absolute value of the other factor")
class AbsProductSignOfU(AbsProductForward):
    @staticmethod
    def backward(ctx, g):
        u, v = ctx.saved_tensors
        return g * v * v.sign(), g * u * u.sign() * (u * v).sign() * u.sign()


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


@wrong("11.Sigmoid", "known", "it is a formula in the result")
class SigmoidFormulaOfX(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return 1 / (1 + (-x).exp())

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * x * (1 - x)


@wrong("11.Sigmoid", "known", "once more")
class SigmoidTwice(SigmoidForward):
    @staticmethod
    def backward(ctx, g):
        (y,) = ctx.saved_tensors
        y = torch.sigmoid(y)
        return g * y * (1 - y)


@wrong("11.Sigmoid", "known", "the slope of tanh")
class SigmoidTanhSlope(SigmoidForward):
    @staticmethod
    def backward(ctx, g):
        (y,) = ctx.saved_tensors
        return g * (1 - y * y)


@wrong("11.Sigmoid", "known", "by the result alone")
class SigmoidHalf(SigmoidForward):
    @staticmethod
    def backward(ctx, g):
        (y,) = ctx.saved_tensors
        return g * y


@wrong("11.Sigmoid", "sign", "the sign is flipped")
class SigmoidSign(SigmoidForward):
    @staticmethod
    def backward(ctx, g):
        (y,) = ctx.saved_tensors
        return g * y * (y - 1)


@wrong("11.Sigmoid", "known", "the sign in the exponent")
class SigmoidFalling(SigmoidForward):
    @staticmethod
    def forward(ctx, x):
        y = 1 / (1 + x.exp())
        ctx.save_for_backward(1 - y)
        return y

    @staticmethod
    def backward(ctx, g):
        (y,) = ctx.saved_tensors
        return g * y * (1 - y)


@wrong("11.Sigmoid", "grad_output_forgotten", "grad_output is not used")
class SigmoidLocal(SigmoidForward):
    @staticmethod
    def backward(ctx, g):
        (y,) = ctx.saved_tensors
        return y * (1 - y)


@wrong("11.Sigmoid", "raised", "a tuple? `ctx.saved_tensors` is one, even for a single tensor")
class SigmoidTuple(SigmoidForward):
    @staticmethod
    def backward(ctx, g):
        y = ctx.saved_tensors
        return g * y * (1 - y)


@wrong("11.Sigmoid", "known", "by 1 minus the result alone")
class SigmoidOtherHalf(SigmoidForward):
    @staticmethod
    def backward(ctx, g):
        (y,) = ctx.saved_tensors
        return g * (1 - y)


@wrong("11.Sigmoid", "known", "as if the slope of the sigmoid were 1")
class SigmoidPassesOn(SigmoidForward):
    @staticmethod
    def backward(ctx, g):
        return g.clone()


@wrong("11.Sigmoid", "known", "it must be the sigmoid, which goes from 0 to 1")
class SigmoidIsTanh(SigmoidForward):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(1 / (1 + (-x).exp()))
        return x.tanh()

    @staticmethod
    def backward(ctx, g):
        (y,) = ctx.saved_tensors
        return g * y * (1 - y)


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


@wrong("11.Cube", "second_cut", "no_grad")
class CubeUnderNoGrad(CubeForward):
    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        with torch.no_grad():
            return 3 * g * x * x


@wrong("11.Cube", "second_constant", "misses how the gradient depends on `x`")
class CubeSavedSlope(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(3 * x * x)
        return x**3

    @staticmethod
    def backward(ctx, g):
        (slope,) = ctx.saved_tensors
        return g * slope


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


@wrong("11.Cube", "factor", "1/3 of what it must be")
class CubeFactorLost(CubeForward):
    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * x * x


@wrong("11.Cube", "known", "the slope used is 3 x")
class CubePowerLost(CubeForward):
    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return 3 * g * x


@wrong("11.Cube", "known", "this is the second derivative")
class CubeSecond(CubeForward):
    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return 6 * x * g


@wrong("11.Cube", "known", "lowers the power by one")
class CubePowerKept(CubeForward):
    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return 3 * g * x**3


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


@wrong("11.Cube", "known", "is the value, not its slope")
class CubeTimesResult(CubeForward):
    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * x * x * x


@wrong("11.Cube", "known", "the square of x, not the cube")
class CubeIsSquare(CubeForward):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return 3 * g * x * x


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


@wrong("11.Norm", "wrong_second", "the second by `x` is wrong")
class NormAsANumber(Function):
    @staticmethod
    def forward(ctx, x):
        result = (x * x).sum() ** 0.5
        ctx.save_for_backward(x)
        ctx.length = result.item()
        return result

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * x / ctx.length


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


@wrong("11.Norm", "known", "times x, but the slope of a length")
class NormNotDivided(NormForward):
    @staticmethod
    def backward(ctx, g):
        x, _ = ctx.saved_tensors
        return g * x


@wrong("11.Norm", "factor", "2 times too large")
class NormTwice(NormForward):
    @staticmethod
    def backward(ctx, g):
        x, result = ctx.saved_tensors
        return g * 2 * x / result


@wrong("11.Norm", "known", "not by its length")
class NormDividedTwice(NormForward):
    @staticmethod
    def backward(ctx, g):
        x, result = ctx.saved_tensors
        return g * x / result**2


@wrong("11.Norm", "known", "the slope of the root is missing")
class NormOfSquare(NormForward):
    @staticmethod
    def backward(ctx, g):
        x, _ = ctx.saved_tensors
        return g * 2 * x


@wrong("11.Norm", "wrong_shape", "has shape (), x itself (2,)")
class NormInnerLost(NormForward):
    @staticmethod
    def backward(ctx, g):
        _, result = ctx.saved_tensors
        return g / (2 * result)


@wrong("11.Norm", "known", "the slope of the squares inside is missing")
class NormRootOnly(NormForward):
    @staticmethod
    def backward(ctx, g):
        x, result = ctx.saved_tensors
        return g / (2 * result) * torch.ones_like(x)


@wrong("11.Norm", "known", "(1 or -1 for each entry)")
class NormSigns(NormForward):
    @staticmethod
    def backward(ctx, g):
        x, _ = ctx.saved_tensors
        return g * x.sign()


@wrong("11.Norm", "known", "the root is taken of the mean")
class NormOfMean(NormBackward):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x, (x * x).sum() ** 0.5)
        return (x * x).mean() ** 0.5


@wrong("11.Norm", "known", "the root is missing")
class NormSquare(NormBackward):
    @staticmethod
    def forward(ctx, x):
        result = (x * x).sum()
        ctx.save_for_backward(x, result**0.5)
        return result


@wrong("11.Norm", "known", "the sum of the absolute values")
class NormOfSizes(NormBackward):
    @staticmethod
    def forward(ctx, x):
        result = x.abs().sum()
        ctx.save_for_backward(x, result)
        return result


@wrong("11.Norm", "no_result", "a float")
class NormIsANumber(NormBackward):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return float(np.sqrt((x.detach().numpy() ** 2).sum()))


# More of them, of all the exercises above


class SigmoidBackward(Function):
    @staticmethod
    def backward(ctx, g):
        (y,) = ctx.saved_tensors
        return g * y * (1 - y)


class CubeBackward(Function):
    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return 3 * g * x**2


@wrong("11.AbsProduct", "known", "for v is the other factor: this is the slope of u * v")
class AbsProductSignMissingForV(AbsProductForward):
    @staticmethod
    def backward(ctx, g):
        u, v = ctx.saved_tensors
        return g * v * (u * v).sign(), g * u


@wrong("11.AbsProduct", "known", "for u and v is the sign of this factor alone")
class AbsProductOwnSigns(AbsProductForward):
    @staticmethod
    def backward(ctx, g):
        u, v = ctx.saved_tensors
        return g * u.sign(), g * v.sign()


@wrong("11.AbsProduct", "known", "is zero where u * v is negative")
class AbsProductAsRelu(AbsProductForward):
    @staticmethod
    def backward(ctx, g):
        u, v = ctx.saved_tensors
        positive = (u * v > 0).to(g.dtype)
        return g * positive * v, g * positive * u


@wrong("11.AbsProduct", "known", "times the product u * v, which is not a slope")
class AbsProductTimesProduct(AbsProductForward):
    @staticmethod
    def backward(ctx, g):
        u, v = ctx.saved_tensors
        return g * (u * v), g * (u * v)


@wrong("11.AbsProduct", "known", "the size of the product u * v, but only its sign")
class AbsProductTimesSize(AbsProductForward):
    @staticmethod
    def backward(ctx, g):
        u, v = ctx.saved_tensors
        size = (u * v).abs()
        return g * v * size, g * u * size


@wrong("11.AbsProduct", "known", "the slope for v contains v itself")
class AbsProductOwnFactor(AbsProductForward):
    @staticmethod
    def backward(ctx, g):
        u, v = ctx.saved_tensors
        sign = (u * v).sign()
        return g * v * sign, g * v * sign


@wrong("11.AbsProduct", "known", "the same gradient, the sum of two slopes")
class AbsProductSummed(AbsProductForward):
    @staticmethod
    def backward(ctx, g):
        u, v = ctx.saved_tensors
        total = g * (u * v).sign() * (u + v)
        return total, total


@wrong("11.AbsProduct", "known", "the result is 0 where the product is negative")
class AbsProductCutOff(AbsProductBackward):
    @staticmethod
    def forward(ctx, u, v):
        ctx.save_for_backward(u, v)
        return (u * v).clamp(min=0)


@wrong("11.AbsProduct", "known", "the result is |u + v|")
class AbsProductOfSum(AbsProductBackward):
    @staticmethod
    def forward(ctx, u, v):
        ctx.save_for_backward(u, v)
        return (u + v).abs()


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


@wrong("11.Sigmoid", "known", "a part of the slope, minus y, is not multiplied")
class SigmoidParentheses(SigmoidForward):
    @staticmethod
    def backward(ctx, g):
        (y,) = ctx.saved_tensors
        return g * y * 1 - y


@wrong("11.Sigmoid", "known", "minus y * y, is not multiplied")
class SigmoidParenthesesSquare(SigmoidForward):
    @staticmethod
    def backward(ctx, g):
        (y,) = ctx.saved_tensors
        return g * y - y * y


@wrong("11.Sigmoid", "known", "minus the square of the result")
class SigmoidParenthesesTanh(SigmoidForward):
    @staticmethod
    def backward(ctx, g):
        (y,) = ctx.saved_tensors
        return g * 1 - y**2


@wrong("11.Sigmoid", "known", "by y * y, where y is the result")
class SigmoidSquare(SigmoidForward):
    @staticmethod
    def backward(ctx, g):
        (y,) = ctx.saved_tensors
        return g * y * y


@wrong("11.Sigmoid", "known", "by (1 - y) * (1 - y)")
class SigmoidOtherSquare(SigmoidForward):
    @staticmethod
    def backward(ctx, g):
        (y,) = ctx.saved_tensors
        return g * (1 - y) ** 2


@wrong("11.Sigmoid", "known", "by y * (1 + y)")
class SigmoidPlus(SigmoidForward):
    @staticmethod
    def backward(ctx, g):
        (y,) = ctx.saved_tensors
        return g * y * (1 + y)


@wrong("11.Sigmoid", "known", "divided by the slope")
class SigmoidDivides(SigmoidForward):
    @staticmethod
    def backward(ctx, g):
        (y,) = ctx.saved_tensors
        return g / (y * (1 - y))


@wrong("11.Sigmoid", "known", "the slope is added to grad_output")
class SigmoidAdds(SigmoidForward):
    @staticmethod
    def backward(ctx, g):
        (y,) = ctx.saved_tensors
        return g + y * (1 - y)


@wrong("11.Sigmoid", "known", "stands in the slope at one of the two factors")
class SigmoidOfGradOutput(SigmoidForward):
    @staticmethod
    def backward(ctx, g):
        (y,) = ctx.saved_tensors
        return g * y * (1 - g)


@wrong("11.Sigmoid", "result_changed", "changes the result of forward in place")
class SigmoidInPlace(SigmoidForward):
    @staticmethod
    def backward(ctx, g):
        (y,) = ctx.saved_tensors
        slope = 1 - y
        y *= g
        y *= slope
        return y


@wrong("11.Sigmoid", "known", "it is a formula in the result")
class SigmoidSavedInTwoCalls(SigmoidBackward):
    @staticmethod
    def forward(ctx, x):
        y = 1 / (1 + (-x).exp())
        ctx.save_for_backward(y)
        ctx.save_for_backward(x)
        return y


@wrong("11.Sigmoid", "known", "as if 1 were divided by 1 alone")
class SigmoidForwardParentheses(SigmoidBackward):
    @staticmethod
    def forward(ctx, x):
        y = 1 / 1 + (-x).exp()
        ctx.save_for_backward(1 / y)
        return y


@wrong("11.Sigmoid", "known", "there is a plus in the formula")
class SigmoidForwardMinus(SigmoidBackward):
    @staticmethod
    def forward(ctx, x):
        y = 1 / (1 - (-x).exp())
        ctx.save_for_backward(y)
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


@wrong("11.Cube", "known", "the slope used is 2 x to the power of 3")
class CubePowerAndFactorMixed(CubeForward):
    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return 2 * g * x**3


@wrong("11.Cube", "known", "the slope used is 2 x:")
class CubeSlopeOfSquare(CubeForward):
    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * 2 * x


@wrong("11.Cube", "known", "negative for negative x")
class CubeSignKept(CubeForward):
    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return 3 * g * x * x.abs()


@wrong("11.Cube", "known", "grad_output is squared together with x")
class CubeParentheses(CubeForward):
    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return 3 * (g * x) ** 2


@wrong("11.Cube", "known", "grad_output is squared instead of x")
class CubeSquaresGradOutput(CubeForward):
    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return 3 * g**2 * x


@wrong("11.Cube", "known", "the slope is added to grad_output")
class CubeAdds(CubeForward):
    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g + 3 * x**2


@wrong("11.Cube", "known", "the slope formula is applied to the result")
class CubeSavesResult(CubeBackward):
    @staticmethod
    def forward(ctx, x):
        y = x**3
        ctx.save_for_backward(y)
        return y


@wrong("11.Cube", "known", "x to the power of 4")
class CubeFourth(CubeBackward):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x * x * x


@wrong("11.Cube", "known", "the result has lost the sign of x")
class CubeAbsolute(CubeBackward):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.abs() ** 3


@wrong("11.Norm", "known", "multiplied by the length, but it must be divided")
class NormTimesLength(NormForward):
    @staticmethod
    def backward(ctx, g):
        x, result = ctx.saved_tensors
        return g * x * result


@wrong("11.Norm", "known", "the fraction stands upside down")
class NormUpsideDown(NormForward):
    @staticmethod
    def backward(ctx, g):
        x, result = ctx.saved_tensors
        return g * result / x


@wrong("11.Norm", "known", "x has lost its sign")
class NormSignLost(NormForward):
    @staticmethod
    def backward(ctx, g):
        x, result = ctx.saved_tensors
        return g * x.abs() / result


@wrong("11.Norm", "known", "the slope of the squares inside is missing")
class NormOneOverLength(NormForward):
    @staticmethod
    def backward(ctx, g):
        x, result = ctx.saved_tensors
        return g / result * torch.ones_like(x)


@wrong("11.Norm", "known", "by the sum of the entries, not by the length")
class NormDividesBySum(NormForward):
    @staticmethod
    def backward(ctx, g):
        x, _result = ctx.saved_tensors
        return g * x / x.sum()


@wrong("11.Norm", "known", "the root is taken twice")
class NormTwoRoots(NormForward):
    @staticmethod
    def backward(ctx, g):
        x, result = ctx.saved_tensors
        return g * x / result.sqrt()


@wrong("11.Norm", "known", "root of the mean of the squares")
class NormDividesByMean(NormForward):
    @staticmethod
    def backward(ctx, g):
        x, _result = ctx.saved_tensors
        return g * x / (x * x).mean().sqrt()


@wrong("11.Norm", "known", "0.001 is added to what x is divided by")
class NormEps(NormForward):
    @staticmethod
    def backward(ctx, g):
        x, result = ctx.saved_tensors
        return g * x / (result + 1e-3)


@wrong("11.Norm", "known", "1e-08 is added to the sum under the root")
class NormEpsUnderRoot(NormBackward):
    @staticmethod
    def forward(ctx, x):
        result = ((x * x).sum() + 1e-8).sqrt()
        ctx.save_for_backward(x, result)
        return result


@wrong("11.Norm", "known", "the largest absolute value")
class NormLargest(NormBackward):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x, (x * x).sum().sqrt())
        return x.abs().max()


@wrong("11.Norm", "wrong_second", "the second by `x` is wrong")
class NormDividesByDetached(NormForward):
    @staticmethod
    def backward(ctx, g):
        x, result = ctx.saved_tensors
        return g * x / result.detach()


@wrong("11.Sigmoid", "known", "this is the second derivative")
class SigmoidSecond(SigmoidForward):
    @staticmethod
    def backward(ctx, g):
        (y,) = ctx.saved_tensors
        return g * y * (1 - y) * (1 - 2 * y)


@wrong("11.Sigmoid", "known", "the sigmoid of 2 x")
class SigmoidOfTwice(SigmoidBackward):
    @staticmethod
    def forward(ctx, x):
        y = 1 / (1 + (-2 * x).exp())
        ctx.save_for_backward(y)
        return y


@wrong("11.Cube", "known", "this is how to integrate")
class CubeIntegrates(CubeForward):
    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * x**3 / 3


@wrong("11.Norm", "known", "the entry of a vector")
class NormKeepsDimension(NormBackward):
    @staticmethod
    def forward(ctx, x):
        result = (x * x).sum(0, keepdim=True).sqrt()
        ctx.save_for_backward(x, result)
        return result


@wrong("11.Norm", "known", "a vector of absolute values")
class NormNotSummed(NormBackward):
    @staticmethod
    def forward(ctx, x):
        result = (x * x).sqrt()
        ctx.save_for_backward(x, result)
        return result


@wrong("11.Sigmoid", "known", "where e is exp(-x)")
class SigmoidSavesExponential(Function):
    @staticmethod
    def forward(ctx, x):
        e = (-x).exp()
        ctx.save_for_backward(e)
        return 1 / (1 + e)

    @staticmethod
    def backward(ctx, g):
        (result,) = ctx.saved_tensors
        return g * result * (1 - result)
