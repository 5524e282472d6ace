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


@wrong("12.Linear", "known", "the gradient for bias: this is the mean, but it must be the sum; the")
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


@wrong("12.Linear", "transposed", "weight is transposed: it has shape (3, 4)")
class LinearWeightTransposed(LinearForward):
    @staticmethod
    def backward(ctx, g):
        grad_x, grad_weight, grad_bias = linear_gradients(ctx, g)
        return grad_x, None if grad_weight is None else grad_weight.t(), grad_bias


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


# MulConstant


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


@wrong("12.MulConstant", "known", "divided by `constant`")
class MulConstantDivides(MulConstantForward):
    @staticmethod
    def backward(ctx, g):
        return None if g is None else g / ctx.constant, None


@wrong("12.MulConstant", "known", "the gradient: `constant` is left out; look at how much the result moves")
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


@wrong("12.MatMul", "known", "the gradient for a: it is read in another order, as by a reshape")
class MatMulReshaped(MatMulForward):
    @staticmethod
    def backward(ctx, g):
        a, b = ctx.saved_tensors
        return (b @ g.t()).reshape(a.shape) if ctx.needs_input_grad[0] else None, mat_mul_gradients(ctx, g)[1]


@wrong("12.MatMul", "known", "the gradient for a: `b` is not transposed; the gradient for b: `a` is")
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


# BroadcastAdd


@wrong("12.BroadcastAdd", "not_summed", "the gradient for y has the shape of the result, (2, 3); y has shape (3,)")
class BroadcastAddPassedOn(BroadcastAddForward):
    @staticmethod
    def backward(ctx, g):
        return g, g


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


@wrong("12.BroadcastAdd", "known", "the result: `y` is subtracted, not added")
class BroadcastAddMinus(BroadcastAddBackward):
    @staticmethod
    def forward(ctx, x, y):
        ctx.shapes = tuple(x.shape), tuple(y.shape)
        return x - y


@wrong("12.BroadcastAdd", "known", "the gradient for y: it has the wrong sign")
class BroadcastAddSign(BroadcastAddForward):
    @staticmethod
    def backward(ctx, g):
        grad_x, grad_y = (summed_to(g, shape) for shape in ctx.shapes)
        return grad_x, -grad_y


# Clamp


@wrong("12.Clamp", "known", "reaches x outside the bounds as well")
class ClampPassesAll(ClampForward):
    @staticmethod
    def backward(ctx, g):
        return g, None, None


@wrong("12.Clamp", "grad_output_forgotten", "grad_output is not used")
class ClampOneInside(ClampForward):
    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        inside = (x > ctx.low) & (x < ctx.high)
        return inside.to(g.dtype), None, None


@wrong("12.Clamp", "known", "grad_output is kept between the bounds, but they are bounds for x")
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


@wrong("12.Clamp", "wrong_gradient", "the gradient is wrong")
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


@wrong("12.Linear", "known", "the gradient for x and the gradient for weight: it is also divided by")
class LinearAllMean(LinearForward):
    @staticmethod
    def backward(ctx, g):
        return tuple(each if each is None else each / len(g) for each in linear_gradients(ctx, g))


@wrong("12.Linear", "wrong_gradient", "the gradient for weight is wrong")
class LinearWeightFirstRow(LinearForward):
    @staticmethod
    def backward(ctx, g):
        x, _weight, _ = ctx.saved_tensors
        grad_x, grad_weight, grad_bias = linear_gradients(ctx, g)
        if ctx.needs_input_grad[1]:
            grad_weight = g[:1].t() @ x[:1]
        return grad_x, grad_weight, grad_bias


@wrong("12.Linear", "wrong_forward", "the gradient is right, but forward is wrong: result[0, 2]")
class LinearZeroWithoutBias(LinearBackward):
    @staticmethod
    def forward(ctx, x, weight, bias):
        ctx.save_for_backward(x, weight, bias)
        product = x @ weight.t()
        return torch.zeros_like(product) if bias is None else product + bias


@wrong("12.Linear", "wrong_forward", "the gradient is right, but forward is wrong in row 1 of the result")
class LinearBiasInOneRow(LinearBackward):
    @staticmethod
    def forward(ctx, x, weight, bias):
        ctx.save_for_backward(x, weight, bias)
        product = x @ weight.t()
        if bias is not None:
            product[0] += bias
        return product


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


@wrong("12.MatMul", "mean_for_sum", "the gradient for a is right, but divided by the number of columns of b")
class MatMulMeanForA(MatMulForward):
    @staticmethod
    def backward(ctx, g):
        a, b = ctx.saved_tensors
        grad_a = g @ b.t() / g.shape[1] if ctx.needs_input_grad[0] else None
        grad_b = a.t() @ g if ctx.needs_input_grad[1] else None
        return grad_a, grad_b


@wrong("12.MatMul", "wrong_gradient", "the gradient for b is wrong")
class MatMulLastRowMissing(MatMulForward):
    @staticmethod
    def backward(ctx, g):
        a, b = ctx.saved_tensors
        grad_a = g @ b.t() if ctx.needs_input_grad[0] else None
        grad_b = a[:-1].t() @ g[:-1] if ctx.needs_input_grad[1] else None
        return grad_a, grad_b


@wrong("12.BroadcastAdd", "wrong_gradient", "the gradient for y is wrong")
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


@wrong("12.BroadcastAdd", "wrong_gradient", "the gradient for y is wrong")
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


@wrong("12.Clamp", "some_entries", "the gradient is wrong only in entries [3] and [5] of x")
class ClampTimesWidth(ClampForward):
    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        inside = ((x >= ctx.low) & (x <= ctx.high)).to(g.dtype)
        return g * inside * (ctx.high - ctx.low), None, None


@wrong("12.Clamp", "some_entries", "the gradient is wrong only in entries [0] and [2] of x")
class ClampMaskOfGradOutput(ClampForward):
    @staticmethod
    def backward(ctx, g):
        mask = (g >= ctx.low) & (g <= ctx.high)
        return g * mask.to(g.dtype), None, None


@wrong("12.Clamp", "forward_place", "forward is wrong only where x is outside the bounds")
class ClampOtherSide(ClampBackward):
    @staticmethod
    def forward(ctx, x, low, high):
        ctx.save_for_backward(x)
        ctx.low, ctx.high = low, high
        result = torch.where(x < low, torch.full_like(x, high), x)
        return torch.where(x > high, torch.full_like(x, low), result)


@wrong("12.Clamp", "forward_place", "forward is wrong only where x is outside the bounds")
class ClampMiddle(ClampBackward):
    @staticmethod
    def forward(ctx, x, low, high):
        ctx.save_for_backward(x)
        ctx.low, ctx.high = low, high
        middle = torch.full_like(x, (low + high) / 2)
        return torch.where((x < low) | (x > high), middle, x)


@wrong("12.Clamp", "wrong_forward", "the gradient is right, but forward is wrong in entries [0], [1] and 2")
class ClampFixedBounds(ClampBackward):
    @staticmethod
    def forward(ctx, x, low, high):
        ctx.save_for_backward(x)
        ctx.low, ctx.high = low, high
        return x.clamp(-1, 1)


@wrong("12.Clamp", "wrong_forward", "the gradient is right, but forward is wrong in entries [0], [1] and 3")
class ClampWholeBounds(ClampBackward):
    @staticmethod
    def forward(ctx, x, low, high):
        ctx.save_for_backward(x)
        ctx.low, ctx.high = low, high
        return x.clamp(int(low), int(high))


@wrong("12.MatMul", "wrong_forward", "the gradient is right, but forward is wrong: result[0, 2]")
class MatMulForwardTooShort(MatMulBackward):
    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        return a[:, :-1] @ b[:-1]


@wrong("12.MulConstant", "wrong_forward", "the gradient is right, as far as it is compared, but forward is wrong")
class MulConstantByATensor(MulConstantForward):
    @staticmethod
    def forward(ctx, x, constant):
        ctx.set_materialize_grads(False)
        ctx.constant = torch.tensor(constant)
        return x * ctx.constant

    @staticmethod
    def backward(ctx, g):
        return None if g is None else g * ctx.constant, None
