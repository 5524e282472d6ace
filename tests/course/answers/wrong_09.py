"""Wrong answers to notebook 09, each with the diagnosis that must name it and words that its message must have."""

import os
import warnings

import numpy as np

import autograd_teach as torch
from autograd_teach.autograd import Function

WRONG: list[tuple[str, object, str, str]] = []


def wrong(exercise, diagnosis, words=""):
    return lambda answer: WRONG.append((exercise, answer, diagnosis, words)) or answer


class KillHeadForward(Function):
    @staticmethod
    def forward(ctx, x, n):
        ctx.n = n
        result = x.clone()
        result[:, :n] = 0
        return result


class ScaleForward(Function):
    @staticmethod
    def forward(ctx, x, factor):
        ctx.factor = factor
        return x * factor


class ExpForward(Function):
    @staticmethod
    def forward(ctx, x):
        result = x.exp()
        ctx.save_for_backward(result)
        return result


class ScaleBackward(Function):
    @staticmethod
    def backward(ctx, g):
        return g * ctx.factor, None


class ExpBackward(Function):
    @staticmethod
    def backward(ctx, g):
        (result,) = ctx.saved_tensors
        return g * result


class KillHeadBackward(Function):
    @staticmethod
    def backward(ctx, g):
        g = g.clone()
        g[:, : ctx.n] = 0
        return g, None


# KillHead


@wrong("09.KillHead", "too_few", "(x, n)")
class KillHeadOneGradient(KillHeadForward):
    @staticmethod
    def backward(ctx, g):
        g = g.clone()
        g[:, : ctx.n] = 0
        return g


@wrong("09.KillHead", "too_many", "3 values")
class KillHeadThree(KillHeadForward):
    @staticmethod
    def backward(ctx, g):
        g = g.clone()
        g[:, : ctx.n] = 0
        return g, None, g


@wrong("09.KillHead", "swapped_return", "the gradient for x is at the place of n")
class KillHeadSwapped(KillHeadForward):
    @staticmethod
    def backward(ctx, g):
        g = g.clone()
        g[:, : ctx.n] = 0
        return None, g


@wrong("09.KillHead", "grad_output_changed", "grad_output")
class KillHeadInPlaceBackward(KillHeadForward):
    @staticmethod
    def backward(ctx, g):
        g[:, : ctx.n] = 0
        return g, None


@wrong("09.KillHead", "argument_changed", "x is changed in forward")
class KillHeadInPlaceForward(KillHeadBackward):
    @staticmethod
    def forward(ctx, x, n):
        ctx.n = n
        x[:, :n] = 0
        return x * 1


@wrong("09.KillHead", "argument_changed", "shares the memory of x")
class KillHeadView(KillHeadBackward):
    @staticmethod
    def forward(ctx, x, n):
        ctx.n = n
        result = x.detach()
        result[:, :n] = 0
        return result


@wrong("09.KillHead", "known", "the gradient reaches the first n columns too, but the result does not")
class KillHeadIdentityBackward(KillHeadForward):
    @staticmethod
    def backward(ctx, g):
        return g, None


@wrong("09.KillHead", "some_entries", "the gradient is wrong only in entries [0, 1] and [0, 2] and [1, 0] of x")
class KillHeadRows(KillHeadForward):
    @staticmethod
    def backward(ctx, g):
        g = g.clone()
        g[: ctx.n] = 0
        return g, None


@wrong("09.KillHead", "known", "the number of columns without a gradient: it is `n - 1` in yours; the")
class KillHeadOffByOne(KillHeadForward):
    @staticmethod
    def backward(ctx, g):
        g = g.clone()
        g[:, : max(ctx.n - 1, 0)] = 0
        return g, None


@wrong("09.KillHead", "grad_output_forgotten", "grad_output is not used")
class KillHeadLocal(KillHeadForward):
    @staticmethod
    def backward(ctx, g):
        mask = torch.ones_like(g)
        mask[:, : ctx.n] = 0
        return mask, None


@wrong("09.KillHead", "zero", "zero everywhere")
class KillHeadZero(KillHeadForward):
    @staticmethod
    def backward(ctx, g):
        return torch.zeros_like(g), None


@wrong("09.KillHead", "wrong_shape", "has shape (2, 2), x itself (2, 3)")
class KillHeadCut(KillHeadForward):
    @staticmethod
    def backward(ctx, g):
        return g[:, ctx.n :], None


@wrong("09.KillHead", "forward_shape", "(2, 2), it must have (2, 3)")
class KillHeadDropped(Function):
    @staticmethod
    def forward(ctx, x, n):
        ctx.n = n
        return x[:, n:] * 1

    @staticmethod
    def backward(ctx, g):
        return g, None


_factors, _buffers = {}, {}


@wrong("09.Scale", "shared_between_calls", "on ctx, because each call has its own")
class ScaleKeptByShape(Function):
    @staticmethod
    def forward(ctx, x, factor):
        _factors[tuple(x.shape)] = factor
        return x * factor

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output * _factors[tuple(grad_output.shape)], None


@wrong("09.Scale", "shared_between_calls", "its own tensor")
class ScaleIntoOneBuffer(Function):
    @staticmethod
    def forward(ctx, x, factor):
        ctx.factor = factor
        y = _buffers.setdefault((tuple(x.shape), x.dtype), torch.zeros_like(x))
        y.zero_()
        y.add_(x * factor)
        return y.detach()

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output * ctx.factor, None


@wrong("09.KillHead", "shared_between_calls", "on ctx, because each call has its own")
class KillHeadOnClass(Function):
    @staticmethod
    def forward(ctx, x, n):
        KillHeadOnClass.n = n
        result = x.clone()
        result[:, :n] = 0
        return result

    @staticmethod
    def backward(ctx, g):
        g = g.clone()
        g[:, : KillHeadOnClass.n] = 0
        return g, None


@wrong("09.KillHead", "no_result", "is there a `return`?")
class KillHeadNothing(KillHeadBackward):
    @staticmethod
    def forward(ctx, x, n):
        ctx.n = n
        result = x.clone()
        result[:, :n] = 0


# Scale


@wrong("09.Scale", "known", "the gradient: it is twice what it must be")
class ScaleTwice(ScaleForward):
    @staticmethod
    def backward(ctx, g):
        return 2 * g * ctx.factor, None


@wrong("09.Scale", "factor", "with the wrong sign, 3 times too large")
class ScaleMinusThree(ScaleForward):
    @staticmethod
    def backward(ctx, g):
        return -3 * g * ctx.factor, None


@wrong("09.Scale", "known", "the slope: `factor` is squared; look again at how much the result moves")
class ScaleFactorSquared(ScaleForward):
    @staticmethod
    def backward(ctx, g):
        return g * ctx.factor * ctx.factor, None


@wrong("09.Scale", "ends_program", "` ends the program (SystemExit)")
class ScaleExits(ScaleBackward):
    @staticmethod
    def forward(ctx, x, factor):
        exit()  # noqa: PLR1722  # as students write it


@wrong("09.Scale", "ends_program", "`os._exit(0)` ends the program (SystemExit)")
class ScaleExitsAtOnce(ScaleForward):
    @staticmethod
    def backward(ctx, g):
        os._exit(0)


@wrong("09.Scale", "backward_of_wrong_forward", "fix forward first")
class ScaleSquaredBoth(Function):
    @staticmethod
    def forward(ctx, x, factor):
        ctx.factor = factor
        return x * factor**2

    @staticmethod
    def backward(ctx, g):
        return g * ctx.factor**2, None


@wrong("09.Scale", "shift", "the result")
class ScaleShifted(ScaleBackward):
    @staticmethod
    def forward(ctx, x, factor):
        ctx.factor = factor
        return x * factor + 1


@wrong("09.Scale", "tensor_for_constant", "returns a tensor for factor")
class ScaleGradientOfFactor(Function):
    @staticmethod
    def forward(ctx, x, factor):
        ctx.factor = factor
        ctx.save_for_backward(x)
        return x * factor

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * ctx.factor, (g * x).sum()


@wrong("09.Scale", "none_for_tensor", "returns None for x")
class ScaleNone(ScaleForward):
    @staticmethod
    def backward(ctx, g):
        return None, None


@wrong("09.Scale", "nothing_returned", "is there a `return`")
class ScaleNothing(ScaleForward):
    @staticmethod
    def backward(ctx, g):
        g * ctx.factor


@wrong("09.Scale", "not_a_tensor", "a float")
class ScaleFloat(ScaleForward):
    @staticmethod
    def backward(ctx, g):
        return float(ctx.factor), None


@wrong("09.Scale", "too_few", "1 value")
class ScaleOne(ScaleForward):
    @staticmethod
    def backward(ctx, g):
        return g * ctx.factor


@wrong("09.Scale", "not_static", "@staticmethod")
class ScaleNotStatic(Function):
    def forward(ctx, x, factor):
        ctx.factor = factor
        return x * factor

    def backward(ctx, g):
        return g * ctx.factor, None


@wrong("09.Scale", "no_backward", "no method `backward`")
class ScaleOnlyForward(ScaleForward):
    pass


@wrong("09.Scale", "raised", "`return g * ctx.factr, None` raised AttributeError")
class ScaleTypo(ScaleForward):
    @staticmethod
    def backward(ctx, g):
        return g * ctx.factr, None


@wrong("09.Scale", "signature", "called with ctx, x, factor")
class ScaleArguments(ScaleBackward):
    @staticmethod
    def forward(x, factor):
        return x * factor


@wrong("09.Scale", "backward_not_attempted", "backward is not attempted yet")
class ScaleHalfDone(ScaleForward):
    @staticmethod
    def backward(ctx, g):
        raise NotImplementedError()


@wrong("09.Scale", "timeout", "endless loop")
class ScaleEndless(ScaleForward):
    @staticmethod
    def backward(ctx, g):
        while True:
            try:
                pass
            except Exception:  # noqa: BLE001, S110  # what must not swallow the time limit
                pass


@wrong("09.Scale", "one_shape", "raises an error for x of shape (3,), factor")
class ScaleMatrixOnly(Function):
    @staticmethod
    def forward(ctx, x, factor):
        ctx.factor = factor
        _, _ = x.shape
        return x * factor

    @staticmethod
    def backward(ctx, g):
        return g * ctx.factor, None


@wrong("09.Scale", "dtype", "float32 although the argument is float64")
class ScaleSingle(ScaleBackward):
    @staticmethod
    def forward(ctx, x, factor):
        ctx.factor = factor
        return (x * factor).float()


@wrong("09.Scale", "dtype", "float64 although the argument is float32")
class ScaleDouble(ScaleBackward):
    @staticmethod
    def forward(ctx, x, factor):
        ctx.factor = factor
        return (x * factor).double()


@wrong("09.Scale", "float32", "7 digits")
class ScaleThroughSingle(ScaleBackward):
    @staticmethod
    def forward(ctx, x, factor):
        ctx.factor = factor
        return torch.tensor((x.detach().numpy().astype(np.float32) * factor).astype(x.detach().numpy().dtype))


@wrong("09.Scale", "argument_changed", "x is changed in forward")
class ScaleInPlace(ScaleBackward):
    @staticmethod
    def forward(ctx, x, factor):
        ctx.factor = factor
        x *= factor
        return x.clone()


@wrong("09.Scale", "not_repeatable", "the second time")
class ScaleCounts(ScaleBackward):
    calls = 0

    @staticmethod
    def forward(ctx, x, factor):
        ctx.factor = factor
        ScaleCounts.calls += 1
        return x * factor + (0.1 if ScaleCounts.calls > 20 else 0)


with warnings.catch_warnings(action="ignore"):  # PyTorch warns too.
    wrong("09.Scale", "instance", "never instantiated")(ScaleForward())
wrong("09.Scale", "forward_called", "Scale.apply")(ScaleForward.forward)
wrong("09.Scale", "no_function", "class Scale(Function)")(lambda x, factor: x * factor)
wrong("09.Scale", "no_function", "class Scale(Function)")(np.exp)


# Exp


@wrong("09.Exp", "known", "the gradient: `grad_output` is left out; look at the chain rule again")
class ExpLocal(ExpForward):
    @staticmethod
    def backward(ctx, g):
        (result,) = ctx.saved_tensors
        return result * 1


@wrong("09.Exp", "saved_argument", "backward needs `x` itself")
class ExpSavesInput(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.exp()

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * x.exp()


@wrong("09.Exp", "saved_argument", "save the result instead")
class ExpKeepsInput(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.x = x
        return x.exp()

    @staticmethod
    def backward(ctx, g):
        return g * ctx.x.exp()


@wrong("09.Exp", "raised", "raised TypeError")
class ExpUnpacked(ExpForward):
    @staticmethod
    def backward(ctx, g):
        result = ctx.saved_tensors
        return g * result


@wrong("09.Exp", "raised", "raised")
class ExpNothingSaved(Function):
    @staticmethod
    def forward(ctx, x):
        return x.exp()

    @staticmethod
    def backward(ctx, g):
        (result,) = ctx.saved_tensors
        return g * result


@wrong("09.Exp", "argument_changed", "shares the memory of x")
class ExpInPlace(ExpBackward):
    @staticmethod
    def forward(ctx, x):
        result = x.detach()
        result.exp_()
        ctx.save_for_backward(result)
        return result


@wrong("09.Exp", "too_many", "2 values")
class ExpTwoGradients(ExpForward):
    @staticmethod
    def backward(ctx, g):
        (result,) = ctx.saved_tensors
        return g * result, g


@wrong("09.Exp", "nan", "NaN")
class ExpNaN(ExpBackward):
    @staticmethod
    def forward(ctx, x):
        result = (x.log() * x).exp()
        ctx.save_for_backward(x.exp())
        return result


@wrong("09.Exp", "nan", "NaN")
class ExpNaNBackward(Function):
    @staticmethod
    def forward(ctx, x):
        result = x.exp()
        ctx.save_for_backward(x, result)
        return result

    @staticmethod
    def backward(ctx, g):
        x, result = ctx.saved_tensors
        return g * result + 0 * x.log()


@wrong("09.Exp", "factor", "1/3 of what it must be")
class ExpThird(ExpForward):
    @staticmethod
    def backward(ctx, g):
        (result,) = ctx.saved_tensors
        return g * result / 3


@wrong("09.Exp", "wrong_shape", "has shape (1, 3), x itself (3,)")
class ExpExtraDimension(ExpForward):
    @staticmethod
    def backward(ctx, g):
        (result,) = ctx.saved_tensors
        return (g * result).reshape(1, *g.shape)


@wrong("09.Exp", "no_graph", "does not require grad")
class ExpNotDifferentiable(ExpBackward):
    @staticmethod
    def forward(ctx, x):
        result = x.exp()
        ctx.mark_non_differentiable(result)
        return result


@wrong("09.Exp", "argument_changed", "x is changed in forward")
class ExpSavesChanged(Function):
    @staticmethod
    def forward(ctx, x):
        result = x.exp()
        x.detach().mul_(2)
        ctx.x = x
        return result

    @staticmethod
    def backward(ctx, g):
        return g * ctx.x.exp()


@wrong("09.Scale", "one_shape", "right for shape (3,), () and wrong for (2, 3), (2, 1, 3)")
class ScaleVectorsOnly(ScaleForward):
    @staticmethod
    def backward(ctx, g):
        return (g * ctx.factor if g.dim() < 2 else g * ctx.factor + 1), None


# Written later: the same slips in other places


@wrong("09.Exp", "result_changed", "changes the result of forward in place")
class ExpWritesToSaved(ExpForward):
    @staticmethod
    def backward(ctx, g):
        (result,) = ctx.saved_tensors
        result *= g
        return result


@wrong("09.Exp", "result_changed", "changes the result of forward in place")
class ExpWritesToKept(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.result = x.exp()
        return ctx.result

    @staticmethod
    def backward(ctx, g):
        return ctx.result.mul_(g)


@wrong("09.KillHead", "raised", "n = 3 (not for every input)")
class KillHeadFromTheEnd(KillHeadBackward):
    @staticmethod
    def forward(ctx, x, n):
        ctx.n = n
        result = torch.zeros_like(x)
        result[:, n:] = x[:, n - x.shape[1] :]
        return result
