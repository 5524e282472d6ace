"""Wrong answers to notebook 12, each with the diagnosis that must name it and words that its message must have."""

import autograd_teach as torch
from autograd_teach.autograd import Function

WRONG: list[tuple[str, object, str, str]] = []


def wrong(exercise, diagnosis, words=""):
    return lambda answer: WRONG.append((exercise, answer, diagnosis, words)) or answer


class LinearForward(Function):
    @staticmethod
    def forward(ctx, x, weight, bias):
        ctx.save_for_backward(x, weight, bias)
        result = x @ weight.t()
        return result if bias is None else result + bias


class LinearBackward(Function):
    @staticmethod
    def backward(ctx, g):
        return linear_gradients(ctx, g)


def linear_gradients(ctx, g):
    x, weight, _ = ctx.saved_tensors
    needs = ctx.needs_input_grad
    return (g @ weight if needs[0] else None, g.t() @ x if needs[1] else None, g.sum(0) if needs[2] else None)


class MulConstantForward(Function):
    @staticmethod
    def forward(ctx, x, constant):
        ctx.set_materialize_grads(False)
        ctx.constant = constant
        return x * constant


class MatMulForward(Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        return a @ b


class BroadcastAddForward(Function):
    @staticmethod
    def forward(ctx, x, y):
        ctx.shapes = tuple(x.shape), tuple(y.shape)
        return x + y


def summed_to(g, shape):
    while g.dim() > len(shape):
        g = g.sum(0)
    for axis, size in enumerate(shape):
        if size == 1:
            g = g.sum(axis, keepdim=True)
    return g


class BroadcastAddBackward(Function):
    @staticmethod
    def backward(ctx, g):
        return tuple(summed_to(g, shape) for shape in ctx.shapes)


class ClampForward(Function):
    @staticmethod
    def forward(ctx, x, low, high):
        ctx.save_for_backward(x)
        ctx.low, ctx.high = low, high
        return x.clamp(low, high)


class ClampBackward(Function):
    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        inside = (x > ctx.low) & (x < ctx.high)
        return g * inside.to(g.dtype), None, None


# Linear


@wrong("12.Linear", "needs_input_grad_ignored", "a tensor for weight although only x requires grad")
class LinearIgnores(LinearForward):
    @staticmethod
    def backward(ctx, g):
        x, weight, bias = ctx.saved_tensors
        return g @ weight, g.t() @ x, None if bias is None else g.sum(0)


@wrong("12.Linear", "needs_input_grad_ignored", "a tensor for bias although only x requires grad")
class LinearIgnoresForBias(LinearForward):
    @staticmethod
    def backward(ctx, g):
        _, _, bias = ctx.saved_tensors
        grad_x, grad_weight, _ = linear_gradients(ctx, g)
        return grad_x, grad_weight, None if bias is None else g.sum(0)


@wrong("12.Linear", "asked_not_given", "if only weight requires grad, backward returns no gradient")
class LinearAllOrNothing(LinearForward):
    @staticmethod
    def backward(ctx, g):
        if not ctx.needs_input_grad[0]:
            return None, None, None
        grads = linear_gradients(ctx, g)
        return grads


@wrong("12.Linear", "raised", "if only weight requires grad, backward")
class LinearSavesTooLittle(Function):
    @staticmethod
    def forward(ctx, x, weight, bias):
        ctx.save_for_backward(x if ctx.needs_input_grad[0] else None, weight, bias)
        result = x @ weight.t()
        return result if bias is None else result + bias

    @staticmethod
    def backward(ctx, g):
        return linear_gradients(ctx, g)


@wrong("12.Linear", "not_summed", "bias has shape (4,) and was broadcast")
class LinearBiasNotSummed(LinearForward):
    @staticmethod
    def backward(ctx, g):
        grad_x, grad_weight, grad_bias = linear_gradients(ctx, g)
        return grad_x, grad_weight, None if grad_bias is None else g


@wrong("12.Linear", "summed_wrongly", "the gradient for bias has shape (2,)")
class LinearBiasSummedTheOtherWay(LinearForward):
    @staticmethod
    def backward(ctx, g):
        grad_x, grad_weight, grad_bias = linear_gradients(ctx, g)
        return grad_x, grad_weight, None if grad_bias is None else g.sum(1)


@wrong("12.Linear", "known", "the rows add up")
class LinearBiasMean(LinearForward):
    @staticmethod
    def backward(ctx, g):
        grad_x, grad_weight, grad_bias = linear_gradients(ctx, g)
        return grad_x, grad_weight, None if grad_bias is None else g.mean(0)


@wrong("12.Linear", "grad_output_forgotten", "is not used for bias")
class LinearBiasOnes(LinearForward):
    @staticmethod
    def backward(ctx, g):
        grad_x, grad_weight, grad_bias = linear_gradients(ctx, g)
        return grad_x, grad_weight, None if grad_bias is None else torch.ones_like(g).sum(0)


@wrong("12.Linear", "known", "the first row of grad_output alone")
class LinearBiasFirstRow(LinearForward):
    @staticmethod
    def backward(ctx, g):
        grad_x, grad_weight, grad_bias = linear_gradients(ctx, g)
        return grad_x, grad_weight, None if grad_bias is None else g[0]


@wrong("12.Linear", "transposed", "weight is transposed: it has shape (3, 4)")
class LinearWeightTransposed(LinearForward):
    @staticmethod
    def backward(ctx, g):
        grad_x, grad_weight, grad_bias = linear_gradients(ctx, g)
        return grad_x, None if grad_weight is None else grad_weight.t(), grad_bias


@wrong("12.Linear", "related", "as after a reshape where rows and columns")
class LinearWeightReshaped(LinearForward):
    @staticmethod
    def backward(ctx, g):
        x, weight, _ = ctx.saved_tensors
        grad_x, grad_weight, grad_bias = linear_gradients(ctx, g)
        return grad_x, None if grad_weight is None else (x.t() @ g).reshape(weight.shape), grad_bias


@wrong("12.Linear", "swapped_gradients", "x and weight have changed places")
class LinearSwapped(LinearForward):
    @staticmethod
    def backward(ctx, g):
        grad_x, grad_weight, grad_bias = linear_gradients(ctx, g)
        return grad_weight, grad_x, grad_bias


@wrong("12.Linear", "optional_argument", "bias is None")
class LinearBiasNeeded(LinearBackward):
    @staticmethod
    def forward(ctx, x, weight, bias):
        ctx.save_for_backward(x, weight, bias)
        return x @ weight.t() + bias


@wrong("12.Linear", "optional_argument", "bias is None")
class LinearBiasShapeNeeded(LinearForward):
    @staticmethod
    def backward(ctx, g):
        _, _, bias = ctx.saved_tensors
        grad_x, grad_weight, _ = linear_gradients(ctx, g)
        return grad_x, grad_weight, g.sum(0).reshape(bias.shape)


@wrong("12.Linear", "tensor_for_constant", "a tensor where bias is None")
class LinearBiasAlways(LinearForward):
    @staticmethod
    def backward(ctx, g):
        _, _, bias = ctx.saved_tensors
        grad_x, grad_weight, grad_bias = linear_gradients(ctx, g)
        return grad_x, grad_weight, g.sum(0) if bias is None else grad_bias


@wrong("12.Linear", "too_few", "forward takes 3 arguments")
class LinearTwoWithoutBias(LinearForward):
    @staticmethod
    def backward(ctx, g):
        _, _, bias = ctx.saved_tensors
        grads = linear_gradients(ctx, g)
        return grads[:2] if bias is None else grads


@wrong("12.Linear", "known", "the bias is left out")
class LinearNoBias(LinearBackward):
    @staticmethod
    def forward(ctx, x, weight, bias):
        ctx.save_for_backward(x, weight, bias)
        return x @ weight.t()


@wrong("12.Linear", "known", "weight is not transposed: only a square weight")
class LinearNotTransposed(LinearBackward):
    @staticmethod
    def forward(ctx, x, weight, bias):
        ctx.save_for_backward(x, weight, bias)
        return x @ weight if bias is None else x @ weight + bias


@wrong("12.Linear", "known", "the bias is subtracted")
class LinearSubtracts(LinearBackward):
    @staticmethod
    def forward(ctx, x, weight, bias):
        ctx.save_for_backward(x, weight, bias)
        result = x @ weight.t()
        return result if bias is None else result - bias

    @staticmethod
    def backward(ctx, g):
        return linear_gradients(ctx, g)


# MulConstant


@wrong("12.MulConstant", "zeros_for_none", "gets a tensor of zeros")
class MulConstantMaterialized(Function):
    @staticmethod
    def forward(ctx, x, constant):
        ctx.constant = constant
        return x * constant

    @staticmethod
    def backward(ctx, g):
        if g is None:
            return None, None
        return g * ctx.constant, None


@wrong("12.MulConstant", "zeros_for_none", "forward did not ask for None")
class MulConstantSaidTooLate(Function):
    @staticmethod
    def forward(ctx, x, constant):
        ctx.constant = constant
        return x * constant

    @staticmethod
    def backward(ctx, g):
        ctx.set_materialize_grads(False)
        return None if g is None else g * ctx.constant, None


@wrong("12.MulConstant", "none_grad_output", "grad_output is None: backward, line")
class MulConstantNotAsked(MulConstantForward):
    @staticmethod
    def backward(ctx, g):
        return g * ctx.constant, None


@wrong("12.MulConstant", "none_grad_output", "backward returns a gradient, but it must return None")
class MulConstantMakesZeros(MulConstantForward):
    @staticmethod
    def backward(ctx, g):
        if g is None:
            return torch.zeros(3, dtype=torch.float64), None
        return g * ctx.constant, None


@wrong("12.MulConstant", "none_grad_output", "incorrect number of gradients (expected 2, got 1)")
class MulConstantOneNone(MulConstantForward):
    @staticmethod
    def backward(ctx, g):
        if g is None:
            return None
        return g * ctx.constant, None


@wrong("12.MulConstant", "known", "divided by `constant`")
class MulConstantDivides(MulConstantForward):
    @staticmethod
    def backward(ctx, g):
        return None if g is None else g / ctx.constant, None


@wrong("12.MulConstant", "known", "contains x")
class MulConstantTimesX(Function):
    @staticmethod
    def forward(ctx, x, constant):
        ctx.set_materialize_grads(False)
        ctx.save_for_backward(x)
        return x * constant

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return None if g is None else g * x, None


@wrong("12.MulConstant", "known", "added to x")
class MulConstantAdds(Function):
    @staticmethod
    def forward(ctx, x, constant):
        ctx.set_materialize_grads(False)
        ctx.constant = constant
        return x + constant

    @staticmethod
    def backward(ctx, g):
        return None if g is None else g * ctx.constant, None


@wrong("12.MulConstant", "known", "whatever `constant` is")
class MulConstantIgnored(MulConstantForward):
    @staticmethod
    def backward(ctx, g):
        return g, None


@wrong("12.MulConstant", "too_few", "(x, constant)")
class MulConstantOne(MulConstantForward):
    @staticmethod
    def backward(ctx, g):
        return None if g is None else g * ctx.constant


@wrong("12.MulConstant", "swapped_return", "at the place of constant")
class MulConstantSwapped(MulConstantForward):
    @staticmethod
    def backward(ctx, g):
        return None, None if g is None else g * ctx.constant


@wrong("12.MulConstant", "raised", "save_for_backward can only save variables")
class MulConstantSaves(Function):
    @staticmethod
    def forward(ctx, x, constant):
        ctx.set_materialize_grads(False)
        ctx.save_for_backward(constant)
        return x * constant

    @staticmethod
    def backward(ctx, g):
        (constant,) = ctx.saved_tensors
        return None if g is None else g * constant, None


@wrong("12.MulConstant", "nothing_returned", "is there a `return`")
class MulConstantTwisted(MulConstantForward):
    @staticmethod
    def backward(ctx, g):
        if g is None:
            return g * ctx.constant, None
        return None


# MatMul


@wrong("12.MatMul", "needs_input_grad_ignored", "ctx.needs_input_grad[1] is False")
class MatMulIgnores(MatMulForward):
    @staticmethod
    def backward(ctx, g):
        a, b = ctx.saved_tensors
        return g @ b.t(), a.t() @ g


@wrong("12.MatMul", "needs_input_grad_ignored", "a tensor for a although only b requires grad")
class MatMulAsksOnce(MatMulForward):
    @staticmethod
    def backward(ctx, g):
        a, b = ctx.saved_tensors
        return g @ b.t(), a.t() @ g if ctx.needs_input_grad[1] else None


@wrong("12.MatMul", "needs_input_grad_ignored", "a tensor for b although only a requires grad")
class MatMulZeros(MatMulForward):
    @staticmethod
    def backward(ctx, g):
        a, b = ctx.saved_tensors
        return (
            g @ b.t() if ctx.needs_input_grad[0] else torch.zeros_like(a),
            a.t() @ g if ctx.needs_input_grad[1] else torch.zeros_like(b),
        )


@wrong("12.MatMul", "asked_not_given", "if only a requires grad")
class MatMulAsksTheOther(MatMulForward):
    @staticmethod
    def backward(ctx, g):
        a, b = ctx.saved_tensors
        need_b, need_a = ctx.needs_input_grad
        return g @ b.t() if need_a else None, a.t() @ g if need_b else None


@wrong("12.MatMul", "asked_not_given", "if only b requires grad")
class MatMulOnlyBoth(MatMulForward):
    @staticmethod
    def backward(ctx, g):
        a, b = ctx.saved_tensors
        if all(ctx.needs_input_grad):
            return g @ b.t(), a.t() @ g
        return g @ b.t() if ctx.needs_input_grad[0] else None, None


def mat_mul_gradients(ctx, g):
    a, b = ctx.saved_tensors
    return g @ b.t() if ctx.needs_input_grad[0] else None, a.t() @ g if ctx.needs_input_grad[1] else None


@wrong("12.MatMul", "swapped_gradients", "a and b have changed places")
class MatMulSwapped(MatMulForward):
    @staticmethod
    def backward(ctx, g):
        grad_a, grad_b = mat_mul_gradients(ctx, g)
        return grad_b, grad_a


@wrong("12.MatMul", "transposed", "a is transposed: it has shape (3, 2), a itself (2, 3)")
class MatMulTransposed(MatMulForward):
    @staticmethod
    def backward(ctx, g):
        _, b = ctx.saved_tensors
        return b @ g.t() if ctx.needs_input_grad[0] else None, mat_mul_gradients(ctx, g)[1]


@wrong("12.MatMul", "related", "as after a reshape where rows and columns")
class MatMulReshaped(MatMulForward):
    @staticmethod
    def backward(ctx, g):
        a, b = ctx.saved_tensors
        return (b @ g.t()).reshape(a.shape) if ctx.needs_input_grad[0] else None, mat_mul_gradients(ctx, g)[1]


@wrong("12.MatMul", "known", "in your product for a, b is not transposed")
class MatMulSquareOnly(MatMulForward):
    @staticmethod
    def backward(ctx, g):
        a, b = ctx.saved_tensors
        return g @ b if ctx.needs_input_grad[0] else None, a @ g if ctx.needs_input_grad[1] else None


@wrong("12.MatMul", "grad_output_forgotten", "grad_output is not used")
class MatMulLocal(MatMulForward):
    @staticmethod
    def backward(ctx, g):
        return mat_mul_gradients(ctx, torch.ones_like(g))


@wrong("12.MatMul", "known", "the gradient for b is divided by the number of rows of a")
class MatMulMean(MatMulForward):
    @staticmethod
    def backward(ctx, g):
        grad_a, grad_b = mat_mul_gradients(ctx, g)
        return grad_a, None if grad_b is None else grad_b / g.shape[0]


# BroadcastAdd


@wrong("12.BroadcastAdd", "not_summed", "the gradient for y has the shape of the result, (2, 3); y has shape (3,)")
class BroadcastAddPassedOn(BroadcastAddForward):
    @staticmethod
    def backward(ctx, g):
        return g, g


@wrong("12.BroadcastAdd", "not_summed", "x has shape (2, 1)")
class BroadcastAddLeadingOnly(BroadcastAddForward):
    @staticmethod
    def backward(ctx, g):
        gradients = []
        for shape in ctx.shapes:
            total = g
            while total.dim() > len(shape):
                total = total.sum(0)
            gradients.append(total)
        return tuple(gradients)


@wrong("12.BroadcastAdd", "not_summed", "x has shape (3,)")
class BroadcastAddOnlyY(BroadcastAddForward):
    @staticmethod
    def backward(ctx, g):
        return g, summed_to(g, ctx.shapes[1])


@wrong("12.BroadcastAdd", "wrong_shape", "the gradient for y has shape ()")
class BroadcastAddAllSummed(BroadcastAddForward):
    @staticmethod
    def backward(ctx, g):
        return summed_to(g, ctx.shapes[0]), g.sum()


@wrong("12.BroadcastAdd", "wrong_shape", "x has shape (2,), x itself (2, 1)")
class BroadcastAddNoKeepdim(BroadcastAddForward):
    @staticmethod
    def backward(ctx, g):
        gradients = []
        for shape in ctx.shapes:
            total = g
            while total.dim() > len(shape):
                total = total.sum(0)
            for axis, size in reversed(list(enumerate(shape))):
                if size == 1:
                    total = total.sum(axis)
            gradients.append(total)
        return tuple(gradients)


@wrong("12.BroadcastAdd", "known", "for x and y, grad_output is averaged over what was broadcast")
class BroadcastAddMean(BroadcastAddForward):
    @staticmethod
    def backward(ctx, g):
        gradients = []
        for shape in ctx.shapes:
            total = g
            while total.dim() > len(shape):
                total = total.mean(0)
            for axis, size in enumerate(shape):
                if size == 1:
                    total = total.mean(axis, keepdim=True)
            gradients.append(total)
        return tuple(gradients)


@wrong("12.BroadcastAdd", "swapped_gradients", "x and y have changed places")
class BroadcastAddSwapped(BroadcastAddForward):
    @staticmethod
    def backward(ctx, g):
        return summed_to(g, ctx.shapes[1]), summed_to(g, ctx.shapes[0])


@wrong("12.BroadcastAdd", "some_entries", "of y")
class BroadcastAddFirstRow(BroadcastAddForward):
    @staticmethod
    def backward(ctx, g):
        grad_y = summed_to(g, ctx.shapes[1])
        if ctx.shapes == ((2, 3), (3,)):
            grad_y = grad_y.clone()
            grad_y[0] = g[0, 0]
        return summed_to(g, ctx.shapes[0]), grad_y


@wrong("12.BroadcastAdd", "known", "x - y, but it must be x + y")
class BroadcastAddMinus(BroadcastAddBackward):
    @staticmethod
    def forward(ctx, x, y):
        ctx.shapes = tuple(x.shape), tuple(y.shape)
        return x - y


@wrong("12.BroadcastAdd", "sign", "the gradient for y is minus")
class BroadcastAddSign(BroadcastAddForward):
    @staticmethod
    def backward(ctx, g):
        grad_x, grad_y = (summed_to(g, shape) for shape in ctx.shapes)
        return grad_x, -grad_y


# Clamp


@wrong("12.Clamp", "known", "reaches x above high as well")
class ClampLowOnly(ClampForward):
    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * (x > ctx.low).to(g.dtype), None, None


@wrong("12.Clamp", "known", "reaches x below low as well")
class ClampHighOnly(ClampForward):
    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * (x < ctx.high).to(g.dtype), None, None


@wrong("12.Clamp", "known", "reaches x outside the bounds as well")
class ClampPassesAll(ClampForward):
    @staticmethod
    def backward(ctx, g):
        return g, None, None


@wrong("12.Clamp", "place", "only where x is outside the bounds")
class ClampBoundsAsGradient(ClampForward):
    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        grad_x = g.clone()
        grad_x[x < ctx.low] = ctx.low - 0.1
        grad_x[x > ctx.high] = ctx.high + 0.1
        return grad_x, None, None


@wrong("12.Clamp", "grad_output_forgotten", "grad_output is not used")
class ClampOneInside(ClampForward):
    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        inside = (x > ctx.low) & (x < ctx.high)
        return inside.to(g.dtype), None, None


@wrong("12.Clamp", "known", "the wrong way round")
class ClampWrongWayRound(ClampForward):
    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * ((x < ctx.low) | (x > ctx.high)).to(g.dtype), None, None


@wrong("12.Clamp", "known", "grad_output itself is kept between the bounds")
class ClampGradOutput(ClampForward):
    @staticmethod
    def backward(ctx, g):
        return g.clamp(ctx.low, ctx.high), None, None


@wrong("12.Clamp", "zero", "zero everywhere")
class ClampZero(ClampForward):
    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * ((x < ctx.low) & (x > ctx.high)).to(g.dtype), None, None


@wrong("12.Clamp", "too_few", "(x, low, high)")
class ClampTwo(ClampForward):
    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * ((x > ctx.low) & (x < ctx.high)).to(g.dtype), None


@wrong("12.Clamp", "known", "the values above high are left")
class ClampForwardLow(ClampBackward):
    @staticmethod
    def forward(ctx, x, low, high):
        ctx.save_for_backward(x)
        ctx.low, ctx.high = low, high
        return torch.where(x < low, torch.full_like(x, low), x)


@wrong("12.Clamp", "known", "become 0")
class ClampForwardZero(ClampBackward):
    @staticmethod
    def forward(ctx, x, low, high):
        ctx.save_for_backward(x)
        ctx.low, ctx.high = low, high
        return x * ((x > low) & (x < high)).to(x.dtype)


@wrong("12.Clamp", "known", "the values below low are left")
class ClampForwardHigh(ClampBackward):
    @staticmethod
    def forward(ctx, x, low, high):
        ctx.save_for_backward(x)
        ctx.low, ctx.high = low, high
        return torch.where(x > high, torch.full_like(x, high), x)


@wrong("12.Clamp", "known", "low and high are swapped")
class ClampExchanged(ClampBackward):
    @staticmethod
    def forward(ctx, x, low, high):
        ctx.save_for_backward(x)
        ctx.low, ctx.high = low, high
        above = torch.where(x > high, x, torch.full_like(x, high))
        return torch.where(above < low, above, torch.full_like(x, low))


@wrong("12.Clamp", "known", "which has slope 1")
class ClampTimesX(ClampForward):
    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * x.clamp(ctx.low, ctx.high), None, None


@wrong("12.Clamp", "argument_changed", "x is changed in forward")
class ClampInPlace(ClampBackward):
    @staticmethod
    def forward(ctx, x, low, high):
        ctx.save_for_backward(x.clone())
        ctx.low, ctx.high = low, high
        x[x < low] = low
        x[x > high] = high
        return x.clone()


@wrong("12.Clamp", "raised", "it is for tensors only: keep other objects as attributes of ctx")
class ClampSavesNumbers(ClampBackward):
    @staticmethod
    def forward(ctx, x, low, high):
        ctx.save_for_backward(x, low, high)
        return x.clamp(low, high)


# More of them, of all the exercises above


class MulConstantBackward(Function):
    @staticmethod
    def backward(ctx, g):
        return (None, None) if g is None else (g * ctx.constant, None)


class MatMulBackward(Function):
    @staticmethod
    def backward(ctx, g):
        a, b = ctx.saved_tensors
        return g @ b.t() if ctx.needs_input_grad[0] else None, a.t() @ g if ctx.needs_input_grad[1] else None


@wrong("12.Linear", "known", "the gradient for weight is divided by the number of rows")
class LinearWeightMean(LinearForward):
    @staticmethod
    def backward(ctx, g):
        x, _weight, _ = ctx.saved_tensors
        grad_x, grad_weight, grad_bias = linear_gradients(ctx, g)
        return grad_x, grad_weight / len(x) if grad_weight is not None else None, grad_bias


@wrong("12.Linear", "known", "for x, weight and bias is divided by the number of rows")
class LinearAllMean(LinearForward):
    @staticmethod
    def backward(ctx, g):
        return tuple(each if each is None else each / len(g) for each in linear_gradients(ctx, g))


@wrong("12.Linear", "known", "from the last row of grad_output alone")
class LinearBiasLastRow(LinearForward):
    @staticmethod
    def backward(ctx, g):
        _x, _weight, _ = ctx.saved_tensors
        grad_x, grad_weight, _grad_bias = linear_gradients(ctx, g)
        return grad_x, grad_weight, g[-1] if ctx.needs_input_grad[2] else None


@wrong("12.Linear", "known", "is the sum of all of grad_output")
class LinearBiasTotal(LinearForward):
    @staticmethod
    def backward(ctx, g):
        _x, _weight, _ = ctx.saved_tensors
        grad_x, grad_weight, _grad_bias = linear_gradients(ctx, g)
        total = g.sum() * torch.ones_like(g[0])
        return grad_x, grad_weight, total if ctx.needs_input_grad[2] else None


@wrong("12.Linear", "known", "for weight, grad_output is reshaped")
class LinearGradOutputReshaped(LinearForward):
    @staticmethod
    def backward(ctx, g):
        x, _weight, _ = ctx.saved_tensors
        grad_x, grad_weight, grad_bias = linear_gradients(ctx, g)
        if ctx.needs_input_grad[1]:
            grad_weight = g.reshape(g.shape[1], g.shape[0]) @ x
        return grad_x, grad_weight, grad_bias


@wrong("12.Linear", "known", "for weight comes from the first row")
class LinearWeightFirstRow(LinearForward):
    @staticmethod
    def backward(ctx, g):
        x, _weight, _ = ctx.saved_tensors
        grad_x, grad_weight, grad_bias = linear_gradients(ctx, g)
        if ctx.needs_input_grad[1]:
            grad_weight = g[:1].t() @ x[:1]
        return grad_x, grad_weight, grad_bias


@wrong("12.Linear", "known", "the sum of the entries of bias is added")
class LinearAddsSum(LinearBackward):
    @staticmethod
    def forward(ctx, x, weight, bias):
        ctx.save_for_backward(x, weight, bias)
        product = x @ weight.t()
        return product if bias is None else product + bias.sum()


@wrong("12.Linear", "known", "the first entry of bias is added")
class LinearAddsFirst(LinearBackward):
    @staticmethod
    def forward(ctx, x, weight, bias):
        ctx.save_for_backward(x, weight, bias)
        product = x @ weight.t()
        return product if bias is None else product + bias[0]


@wrong("12.Linear", "known", "the bias is added twice")
class LinearAddsTwice(LinearBackward):
    @staticmethod
    def forward(ctx, x, weight, bias):
        ctx.save_for_backward(x, weight, bias)
        product = x @ weight.t()
        return product if bias is None else product + bias + bias


@wrong("12.Linear", "known", "the bias multiplies the product")
class LinearMultiplies(LinearBackward):
    @staticmethod
    def forward(ctx, x, weight, bias):
        ctx.save_for_backward(x, weight, bias)
        product = x @ weight.t()
        return product if bias is None else product * bias


@wrong("12.Linear", "known", "no activation is asked for")
class LinearRelu(LinearBackward):
    @staticmethod
    def forward(ctx, x, weight, bias):
        ctx.save_for_backward(x, weight, bias)
        product = x @ weight.t()
        return product if bias is None else torch.relu(product + bias)


@wrong("12.Linear", "known", "if bias is None, the result is zero")
class LinearZeroWithoutBias(LinearBackward):
    @staticmethod
    def forward(ctx, x, weight, bias):
        ctx.save_for_backward(x, weight, bias)
        product = x @ weight.t()
        return torch.zeros_like(product) if bias is None else product + bias


@wrong("12.Linear", "known", "to one row only")
class LinearBiasInOneRow(LinearBackward):
    @staticmethod
    def forward(ctx, x, weight, bias):
        ctx.save_for_backward(x, weight, bias)
        product = x @ weight.t()
        if bias is not None:
            product[0] += bias
        return product


@wrong("12.Linear", "known", "weight is reshaped, but it must be transposed")
class LinearForwardReshapes(LinearBackward):
    @staticmethod
    def forward(ctx, x, weight, bias):
        ctx.save_for_backward(x, weight, bias)
        product = x @ weight.reshape(weight.shape[1], weight.shape[0])
        return product if bias is None else product + bias


@wrong("12.MulConstant", "known", "is added to grad_output, but it must multiply")
class MulConstantAddsToGradOutput(MulConstantForward):
    @staticmethod
    def backward(ctx, g):
        if g is None:
            return None, None
        return g + ctx.constant, None


@wrong("12.MulConstant", "known", "has lost the sign of `constant`")
class MulConstantAbsolute(MulConstantForward):
    @staticmethod
    def backward(ctx, g):
        if g is None:
            return None, None
        return g * abs(ctx.constant), None


@wrong("12.MulConstant", "known", "is cut to a whole number in the gradient")
class MulConstantWhole(MulConstantForward):
    @staticmethod
    def backward(ctx, g):
        if g is None:
            return None, None
        return g * int(ctx.constant), None


@wrong("12.MulConstant", "factor_of_input", "times too large")
class MulConstantSquared(MulConstantForward):
    @staticmethod
    def backward(ctx, g):
        if g is None:
            return None, None
        return g * ctx.constant**2, None


@wrong("12.MulConstant", "known", "is added as well, but it must only multiply")
class MulConstantAffine(MulConstantBackward):
    @staticmethod
    def forward(ctx, x, constant):
        ctx.set_materialize_grads(False)
        ctx.constant = constant
        return x * constant + constant


@wrong("12.MulConstant", "known", "x is divided by `constant`")
class MulConstantForwardDivides(MulConstantBackward):
    @staticmethod
    def forward(ctx, x, constant):
        ctx.set_materialize_grads(False)
        ctx.constant = constant
        return x / constant


@wrong("12.MulConstant", "zeros_for_none", "forward did not ask for None")
class MulConstantAssigned(MulConstantBackward):
    @staticmethod
    def forward(ctx, x, constant):
        ctx.set_materialize_grads = False
        ctx.constant = constant
        return x * constant


@wrong("12.MulConstant", "grad_output_changed", "grad_output in place")
class MulConstantInPlace(MulConstantForward):
    @staticmethod
    def backward(ctx, g):
        if g is None:
            return None, None
        g *= ctx.constant
        return g, None


@wrong("12.MatMul", "known", "for the gradient of a, a matrix is reshaped")
class MatMulReshapesB(MatMulForward):
    @staticmethod
    def backward(ctx, g):
        a, b = ctx.saved_tensors
        grad_a = g @ b.reshape(b.shape[1], b.shape[0]) if ctx.needs_input_grad[0] else None
        grad_b = a.t() @ g if ctx.needs_input_grad[1] else None
        return grad_a, grad_b


@wrong("12.MatMul", "known", "for the gradient of b, a matrix is reshaped")
class MatMulReshapesA(MatMulForward):
    @staticmethod
    def backward(ctx, g):
        a, b = ctx.saved_tensors
        grad_a = g @ b.t() if ctx.needs_input_grad[0] else None
        grad_b = a.reshape(a.shape[1], a.shape[0]) @ g if ctx.needs_input_grad[1] else None
        return grad_a, grad_b


@wrong("12.MatMul", "known", "in your product for b, the two factors stand in the wrong order")
class MatMulOrder(MatMulForward):
    @staticmethod
    def backward(ctx, g):
        a, b = ctx.saved_tensors
        grad_a = g @ b.t() if ctx.needs_input_grad[0] else None
        grad_b = g @ a.t() if ctx.needs_input_grad[1] else None
        return grad_a, grad_b


@wrong("12.MatMul", "known", "in your product for a, grad_output is transposed as well")
class MatMulGradOutputTransposed(MatMulForward):
    @staticmethod
    def backward(ctx, g):
        a, b = ctx.saved_tensors
        grad_a = g.t() @ b.t() if ctx.needs_input_grad[0] else None
        grad_b = a.t() @ g if ctx.needs_input_grad[1] else None
        return grad_a, grad_b


@wrong("12.MatMul", "known", "for a is divided by the number of columns of b")
class MatMulMeanForA(MatMulForward):
    @staticmethod
    def backward(ctx, g):
        a, b = ctx.saved_tensors
        grad_a = g @ b.t() / g.shape[1] if ctx.needs_input_grad[0] else None
        grad_b = a.t() @ g if ctx.needs_input_grad[1] else None
        return grad_a, grad_b


@wrong("12.MatMul", "known", "for a and b is divided by the number of rows of a")
class MatMulMeanForBoth(MatMulForward):
    @staticmethod
    def backward(ctx, g):
        a, b = ctx.saved_tensors
        grad_a = g @ b.t() / len(a) if ctx.needs_input_grad[0] else None
        grad_b = a.t() @ g / len(a) if ctx.needs_input_grad[1] else None
        return grad_a, grad_b


@wrong("12.MatMul", "known", "the last term of each sum is missing in the gradient for b")
class MatMulLastRowMissing(MatMulForward):
    @staticmethod
    def backward(ctx, g):
        a, b = ctx.saved_tensors
        grad_a = g @ b.t() if ctx.needs_input_grad[0] else None
        grad_b = a[:-1].t() @ g[:-1] if ctx.needs_input_grad[1] else None
        return grad_a, grad_b


@wrong("12.MatMul", "known", "the factors stand in the wrong order")
class MatMulForwardOrder(MatMulBackward):
    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        return b @ a


@wrong("12.MatMul", "known", "the product entry by entry")
class MatMulEntryByEntry(MatMulBackward):
    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        return a * b


@wrong("12.MatMul", "known", "a product in which b is transposed")
class MatMulForwardTransposes(MatMulBackward):
    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        return a @ b.t()


@wrong("12.MatMul", "known", "in your product for a, a is used where b is needed")
class MatMulSavesTheOtherWay(MatMulBackward):
    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(b, a)
        return a @ b


@wrong("12.BroadcastAdd", "known", "averaged along the dimensions that were added in front")
class BroadcastAddMeanInFront(BroadcastAddForward):
    @staticmethod
    def backward(ctx, g):
        def reduced(total, shape):
            while total.dim() > len(shape):
                total = total.mean(0)
            for axis, size in enumerate(shape):
                if size == 1:
                    total = total.sum(axis, keepdim=True)
            return total

        return tuple(reduced(g, shape) for shape in ctx.shapes)


@wrong("12.BroadcastAdd", "known", "averaged along the dimensions of size 1")
class BroadcastAddMeanOfOnes(BroadcastAddForward):
    @staticmethod
    def backward(ctx, g):
        def reduced(total, shape):
            while total.dim() > len(shape):
                total = total.sum(0)
            for axis, size in enumerate(shape):
                if size == 1:
                    total = total.mean(axis, keepdim=True)
            return total

        return tuple(reduced(g, shape) for shape in ctx.shapes)


@wrong("12.BroadcastAdd", "known", "only the first entry of grad_output is taken along the dimensions that were added")
class BroadcastAddFirstInFront(BroadcastAddForward):
    @staticmethod
    def backward(ctx, g):
        def reduced(total, shape):
            while total.dim() > len(shape):
                total = total[0]
            for axis, size in enumerate(shape):
                if size == 1:
                    total = total.sum(axis, keepdim=True)
            return total

        return tuple(reduced(g, shape) for shape in ctx.shapes)


@wrong("12.BroadcastAdd", "known", "only the first entry of grad_output is taken along the dimensions of size 1")
class BroadcastAddFirstOfOnes(BroadcastAddForward):
    @staticmethod
    def backward(ctx, g):
        def reduced(total, shape):
            while total.dim() > len(shape):
                total = total.sum(0)
            for axis, size in enumerate(shape):
                if size == 1:
                    total = total.narrow(axis, 0, 1)
            return total

        return tuple(reduced(g, shape) for shape in ctx.shapes)


@wrong("12.BroadcastAdd", "known", "the largest entry of grad_output is taken over what was broadcast")
class BroadcastAddLargest(BroadcastAddForward):
    @staticmethod
    def backward(ctx, g):
        def reduced(total, shape):
            while total.dim() > len(shape):
                total = total.amax(0)
            for axis, size in enumerate(shape):
                if size == 1:
                    total = total.amax(axis, keepdim=True)
            return total

        return tuple(reduced(g, shape) for shape in ctx.shapes)


@wrong("12.BroadcastAdd", "known", "in the gradient for y, grad_output is averaged over")
class BroadcastAddMeanForY(BroadcastAddForward):
    @staticmethod
    def backward(ctx, g):
        def averaged(total, shape):
            while total.dim() > len(shape):
                total = total.mean(0)
            for axis, size in enumerate(shape):
                if size == 1:
                    total = total.mean(axis, keepdim=True)
            return total

        return summed_to(g, ctx.shapes[0]), averaged(g, ctx.shapes[1])


@wrong("12.BroadcastAdd", "known", "the sum over all of grad_output")
class BroadcastAddTotal(BroadcastAddForward):
    @staticmethod
    def backward(ctx, g):
        return tuple(
            g if tuple(g.shape) == shape else g.sum() * torch.ones(shape, dtype=g.dtype) for shape in ctx.shapes
        )


@wrong("12.BroadcastAdd", "summed_wrongly", "the gradient for y has shape (1, 3), y itself (1, 1)")
class BroadcastAddOneDimension(BroadcastAddForward):
    @staticmethod
    def backward(ctx, g):
        def reduced(total, shape):
            while total.dim() > len(shape):
                total = total.sum(0)
            for axis, size in enumerate(shape):
                if size == 1:
                    return total.sum(axis, keepdim=True)
            return total

        return tuple(reduced(g, shape) for shape in ctx.shapes)


@wrong("12.BroadcastAdd", "known", "the result is x * y")
class BroadcastAddMultiplies(BroadcastAddBackward):
    @staticmethod
    def forward(ctx, x, y):
        ctx.shapes = tuple(x.shape), tuple(y.shape)
        return x * y


@wrong("12.BroadcastAdd", "known", "the result is x + 2 y")
class BroadcastAddTwice(BroadcastAddBackward):
    @staticmethod
    def forward(ctx, x, y):
        ctx.shapes = tuple(x.shape), tuple(y.shape)
        return x + y + y


@wrong("12.Clamp", "known", "only below low, but there")
class ClampAndWithWrongSide(ClampForward):
    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        mask = (x <= ctx.low) & (x <= ctx.high)
        return g * mask.to(g.dtype), None, None


@wrong("12.Clamp", "known", "outside the bounds as well")
class ClampOr(ClampForward):
    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        mask = (x >= ctx.low) | (x <= ctx.high)
        return g * mask.to(g.dtype), None, None


@wrong("12.Clamp", "known", "where |x| is below high")
class ClampOneBoundForBoth(ClampForward):
    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * (x.abs() < ctx.high).to(g.dtype), None, None


@wrong("12.Clamp", "known", "multiplied by high - low")
class ClampTimesWidth(ClampForward):
    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        inside = ((x >= ctx.low) & (x <= ctx.high)).to(g.dtype)
        return g * inside * (ctx.high - ctx.low), None, None


@wrong("12.Clamp", "known", "multiplied by x, but there")
class ClampTimesXInside(ClampForward):
    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        inside = ((x >= ctx.low) & (x <= ctx.high)).to(g.dtype)
        return g * inside * x, None, None


@wrong("12.Clamp", "known", "it is grad_output that is compared")
class ClampMaskOfGradOutput(ClampForward):
    @staticmethod
    def backward(ctx, g):
        mask = (g >= ctx.low) & (g <= ctx.high)
        return g * mask.to(g.dtype), None, None


@wrong("12.Clamp", "known", "outside the bounds the gradient is the bound itself")
class ClampBoundOutside(ClampForward):
    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        inside = (x >= ctx.low) & (x <= ctx.high)
        return torch.where(inside, g, x.clamp(ctx.low, ctx.high)), None, None


@wrong("12.Clamp", "known", "cut off at the bounds where x is between")
class ClampGradOutputInside(ClampForward):
    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        inside = ((x >= ctx.low) & (x <= ctx.high)).to(g.dtype)
        return g.clamp(ctx.low, ctx.high) * inside, None, None


@wrong("12.Clamp", "known", "become the bound on the other side")
class ClampOtherSide(ClampBackward):
    @staticmethod
    def forward(ctx, x, low, high):
        ctx.save_for_backward(x)
        ctx.low, ctx.high = low, high
        result = torch.where(x < low, torch.full_like(x, high), x)
        return torch.where(x > high, torch.full_like(x, low), result)


@wrong("12.Clamp", "known", "become the middle of the bounds")
class ClampMiddle(ClampBackward):
    @staticmethod
    def forward(ctx, x, low, high):
        ctx.save_for_backward(x)
        ctx.low, ctx.high = low, high
        middle = torch.full_like(x, (low + high) / 2)
        return torch.where((x < low) | (x > high), middle, x)


@wrong("12.Clamp", "known", "the bounds used are -1 and 1")
class ClampFixedBounds(ClampBackward):
    @staticmethod
    def forward(ctx, x, low, high):
        ctx.save_for_backward(x)
        ctx.low, ctx.high = low, high
        return x.clamp(-1, 1)


@wrong("12.Clamp", "known", "outside the bounds as well")
class ClampMaskOfResult(Function):
    @staticmethod
    def forward(ctx, x, low, high):
        result = x.clamp(low, high)
        ctx.save_for_backward(result)
        ctx.low, ctx.high = low, high
        return result

    @staticmethod
    def backward(ctx, g):
        (result,) = ctx.saved_tensors
        inside = (result >= ctx.low) & (result <= ctx.high)
        return g * inside.to(g.dtype), None, None


@wrong("12.Clamp", "known", "the bounds are cut to whole numbers")
class ClampWholeBounds(ClampBackward):
    @staticmethod
    def forward(ctx, x, low, high):
        ctx.save_for_backward(x)
        ctx.low, ctx.high = low, high
        return x.clamp(int(low), int(high))


@wrong("12.MatMul", "known", "the last term of each sum is missing: does")
class MatMulForwardTooShort(MatMulBackward):
    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        return a[:, :-1] @ b[:-1]


@wrong("12.MulConstant", "known", "`constant` goes through a float32")
class MulConstantByATensor(MulConstantForward):
    @staticmethod
    def forward(ctx, x, constant):
        ctx.set_materialize_grads(False)
        ctx.constant = torch.tensor(constant)
        return x * ctx.constant

    @staticmethod
    def backward(ctx, g):
        return None if g is None else g * ctx.constant, None


@wrong("12.Clamp", "known", "low is left out if it is 0")
class ClampIfLow(ClampBackward):
    @staticmethod
    def forward(ctx, x, low, high):
        ctx.save_for_backward(x)
        ctx.low, ctx.high = low, high
        return x.clamp(low or None, high)


@wrong("12.Clamp", "known", "in the gradient, a bound is left out if it is 0")
class ClampMaskIfBounds(ClampForward):
    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        if ctx.low:
            g = g * (x > ctx.low)
        if ctx.high:
            g = g * (x < ctx.high)
        return g, None, None
