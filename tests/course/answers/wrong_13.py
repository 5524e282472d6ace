"""Wrong answers to notebook 13, each with the diagnosis that must name it and words that its message must have."""

import autograd_teach as torch
from autograd_teach.autograd import Function

WRONG: list[tuple[str, object, str, str]] = []


def wrong(exercise, diagnosis, words=""):
    return lambda answer: WRONG.append((exercise, answer, diagnosis, words)) or answer


# SinCos


class SinCosForward(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.sin(), x.cos()


class SinCosBackward(Function):
    @staticmethod
    def backward(ctx, g, h):
        (x,) = ctx.saved_tensors
        return g * x.cos() - h * x.sin()


@wrong("13.SinCos", "none_grad_output", "if only result 1 is used, backward, line")
class SinCosNone(SinCosBackward):
    @staticmethod
    def forward(ctx, x):
        ctx.set_materialize_grads(False)
        ctx.save_for_backward(x)
        return x.sin(), x.cos()


@wrong("13.SinCos", "none_grad_output", "if only result 2 is used, the gradient is wrong")
class SinCosGivesUp(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.set_materialize_grads(False)
        ctx.save_for_backward(x)
        return x.sin(), x.cos()

    @staticmethod
    def backward(ctx, g, h):
        (x,) = ctx.saved_tensors
        if g is None:
            return None
        result = g * x.cos()
        return result if h is None else result - h * x.sin()


@wrong("13.SinCos", "wrong_gradient", "for some grad_output")
class SinCosZerosMeanNothing(SinCosForward):
    @staticmethod
    def backward(ctx, g, h):
        (x,) = ctx.saved_tensors
        if not h.any():
            return torch.zeros_like(x)
        return g * x.cos() - h * x.sin()


@wrong("13.SinCos", "known", "the sine, is left out")
class SinCosSecondOnly(SinCosForward):
    @staticmethod
    def backward(ctx, g, h):
        (x,) = ctx.saved_tensors
        return -h * x.sin()


@wrong("13.SinCos", "known", "the cosine, is left out")
class SinCosFirstOnly(SinCosForward):
    @staticmethod
    def backward(ctx, g, h):
        (x,) = ctx.saved_tensors
        return g * x.cos()


@wrong("13.SinCos", "known", "the cosine has the wrong sign")
class SinCosSign(SinCosForward):
    @staticmethod
    def backward(ctx, g, h):
        (x,) = ctx.saved_tensors
        return g * x.cos() + h * x.sin()


@wrong("13.SinCos", "known", "the two gradients are swapped")
class SinCosSwapped(SinCosForward):
    @staticmethod
    def backward(ctx, h, g):
        (x,) = ctx.saved_tensors
        return g * x.cos() - h * x.sin()


@wrong("13.SinCos", "known", "the sine must come first")
class SinCosOrder(SinCosBackward):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.cos(), x.sin()


@wrong("13.SinCos", "one_per_result", "2 values, as many as forward has results")
class SinCosTwoGradients(SinCosForward):
    @staticmethod
    def backward(ctx, g, h):
        (x,) = ctx.saved_tensors
        return g * x.cos(), -h * x.sin()


@wrong("13.SinCos", "signature", "one grad_output for each result")
class SinCosOneGradOutput(SinCosForward):
    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * x.cos()


@wrong("13.SinCos", "number_of_results", "1 result; this exercise asks for 2")
class SinCosStacked(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.stack((x.sin(), x.cos()))

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g[0] * x.cos() - g[1] * x.sin()


@wrong("13.SinCos", "known", "the second result is the tangent")
class SinCosTangent(SinCosBackward):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.sin(), x.tan()


@wrong("13.SinCos", "second_cut", "leaves the tensors")
class SinCosDetached(SinCosForward):
    @staticmethod
    def backward(ctx, g, h):
        x = ctx.saved_tensors[0].detach()
        return g.detach() * x.cos() - h.detach() * x.sin()


@wrong("13.SinCos", "second_constant", "misses how the gradient depends on `x`")
class SinCosKeptSlopes(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.slopes = x.cos(), -x.sin()
        return x.sin(), x.cos()

    @staticmethod
    def backward(ctx, g, h):
        return g * ctx.slopes[0] + h * ctx.slopes[1]


# SortDescending


class SortForward(Function):
    @staticmethod
    def forward(ctx, x):
        values, indices = torch.sort(x, descending=True)
        positions = indices.to(x.dtype)
        ctx.mark_non_differentiable(positions)
        ctx.save_for_backward(indices)
        return values, positions


class SortBackward(Function):
    @staticmethod
    def backward(ctx, g, _):
        (indices,) = ctx.saved_tensors
        result = torch.zeros_like(g)
        result[indices] = g
        return result


@wrong("13.SortDescending", "not_marked", "result 2 requires grad, but does not have a gradient")
class SortNotMarked(SortBackward):
    @staticmethod
    def forward(ctx, x):
        values, indices = torch.sort(x, descending=True)
        ctx.save_for_backward(indices)
        return values, indices.to(x.dtype)


@wrong("13.SortDescending", "not_marked", "call ctx.mark_non_differentiable")
class SortMarksTheWrongTensor(SortBackward):
    """What is marked is not what is handed back."""

    @staticmethod
    def forward(ctx, x):
        values, indices = torch.sort(x, descending=True)
        ctx.mark_non_differentiable(indices)
        ctx.save_for_backward(indices)
        return values, indices.to(x.dtype)


@wrong("13.SortDescending", "no_graph", "result 1 does not require grad")
class SortMarksBoth(SortBackward):
    @staticmethod
    def forward(ctx, x):
        values, indices = torch.sort(x, descending=True)
        positions = indices.to(x.dtype)
        ctx.mark_non_differentiable(values, positions)
        ctx.save_for_backward(indices)
        return values, positions


@wrong("13.SortDescending", "no_graph", "result 1 does not require grad")
class SortMarksValues(SortBackward):
    @staticmethod
    def forward(ctx, x):
        values, indices = torch.sort(x, descending=True)
        ctx.mark_non_differentiable(values)
        ctx.save_for_backward(indices)
        return values, indices.to(x.dtype)


@wrong("13.SortDescending", "known", "in the order of the sorted values")
class SortNotSentBack(SortForward):
    @staticmethod
    def backward(ctx, g, _):
        return g


@wrong("13.SortDescending", "known", "it must move back")
class SortForthAgain(SortForward):
    @staticmethod
    def backward(ctx, g, _):
        (indices,) = ctx.saved_tensors
        return g[indices]


@wrong("13.SortDescending", "known", "itself is sorted by size")
class SortGradientSorted(SortForward):
    @staticmethod
    def backward(ctx, g, _):
        return torch.sort(g, descending=True)[0]


@wrong("13.SortDescending", "known", "from small to large")
class SortAscending(SortBackward):
    @staticmethod
    def forward(ctx, x):
        values, indices = torch.sort(x)
        positions = indices.to(x.dtype)
        ctx.mark_non_differentiable(positions)
        ctx.save_for_backward(indices)
        return values, positions


@wrong("13.SortDescending", "known", "where each entry of x went")
class SortRanks(SortBackward):
    @staticmethod
    def forward(ctx, x):
        values, indices = torch.sort(x, descending=True)
        positions = torch.argsort(indices).to(x.dtype)
        ctx.mark_non_differentiable(positions)
        ctx.save_for_backward(indices)
        return values, positions


@wrong("13.SortDescending", "known", "the positions from small to large")
class SortPositionsAscending(SortBackward):
    @staticmethod
    def forward(ctx, x):
        values, indices = torch.sort(x, descending=True)
        positions = torch.argsort(x).to(x.dtype)
        ctx.mark_non_differentiable(positions)
        ctx.save_for_backward(indices)
        return values, positions


@wrong("13.SortDescending", "known", "counted from 1")
class SortFromOne(SortBackward):
    @staticmethod
    def forward(ctx, x):
        values, indices = torch.sort(x, descending=True)
        positions = indices.to(x.dtype) + 1
        ctx.mark_non_differentiable(positions)
        ctx.save_for_backward(indices)
        return values, positions


@wrong("13.SortDescending", "dtype", "result 2 is int64 although the argument")
class SortWholeNumbers(SortBackward):
    @staticmethod
    def forward(ctx, x):
        values, indices = torch.sort(x, descending=True)
        ctx.mark_non_differentiable(indices)
        ctx.save_for_backward(indices)
        return values, indices


@wrong("13.SortDescending", "dtype", "float32 although the argument is float64")
class SortSingle(SortBackward):
    @staticmethod
    def forward(ctx, x):
        values, indices = torch.sort(x, descending=True)
        positions = indices.float()
        ctx.mark_non_differentiable(positions)
        ctx.save_for_backward(indices)
        return values, positions


@wrong("13.SortDescending", "number_of_results", "1 result")
class SortValuesOnly(Function):
    @staticmethod
    def forward(ctx, x):
        values, indices = torch.sort(x, descending=True)
        ctx.save_for_backward(indices)
        return values

    @staticmethod
    def backward(ctx, g):
        (indices,) = ctx.saved_tensors
        return torch.zeros_like(g).scatter(0, indices, g)


@wrong("13.SortDescending", "signature", "one grad_output for each result")
class SortOneGradOutput(SortForward):
    @staticmethod
    def backward(ctx, g):
        (indices,) = ctx.saved_tensors
        return torch.zeros_like(g).scatter(0, indices, g)


@wrong("13.SortDescending", "grad_output_forgotten", "is not used")
class SortOnes(SortForward):
    @staticmethod
    def backward(ctx, g, _):
        return torch.ones_like(g)


@wrong("13.SortDescending", "grad_output_changed", "grad_output in place")
class SortInPlace(SortForward):
    @staticmethod
    def backward(ctx, g, _):
        (indices,) = ctx.saved_tensors
        old = g.clone()
        g[indices] = old
        return g


# AddInPlace


class AddForward(Function):
    @staticmethod
    def forward(ctx, x, y):
        x.add_(y)
        ctx.mark_dirty(x)
        return x


class AddBackward(Function):
    @staticmethod
    def backward(ctx, g):
        return g, g


@wrong("13.AddInPlace", "not_dirty", "the result is a new tensor; x itself must be changed")
class AddNew(AddBackward):
    @staticmethod
    def forward(ctx, x, y):
        return x + y


@wrong("13.AddInPlace", "not_dirty", "the result is a new tensor")
class AddToCopy(AddBackward):
    @staticmethod
    def forward(ctx, x, y):
        x = x.clone()
        x += y
        return x


@wrong("13.AddInPlace", "not_dirty", "x is changed in place, but autograd does not know it")
class AddUnmarked(AddBackward):
    @staticmethod
    def forward(ctx, x, y):
        x.add_(y)
        return x


@wrong("13.AddInPlace", "not_dirty", "autograd does not know it")
class AddThroughData(AddBackward):
    @staticmethod
    def forward(ctx, x, y):
        x.data += y
        return x


@wrong("13.AddInPlace", "argument_changed", "the argument y is changed in forward: work on a copy of y")
class AddToTheOther(AddBackward):
    @staticmethod
    def forward(ctx, x, y):
        y.add_(x)
        x.copy_(y)
        ctx.mark_dirty(x)
        return x


@wrong("13.AddInPlace", "argument_returned", "the result is x unchanged")
class AddForgotten(AddBackward):
    @staticmethod
    def forward(ctx, x, y):
        x + y
        ctx.mark_dirty(x)
        return x


@wrong("13.AddInPlace", "no_result", "is there a `return`?")
class AddNothing(AddBackward):
    @staticmethod
    def forward(ctx, x, y):
        x.add_(y)


@wrong("13.AddInPlace", "too_few", "1 value")
class AddOneGradient(AddForward):
    @staticmethod
    def backward(ctx, g):
        return g


@wrong("13.AddInPlace", "none_for_tensor", "None for y")
class AddNoneForY(AddForward):
    @staticmethod
    def backward(ctx, g):
        return g, None


@wrong("13.AddInPlace", "zero", "the gradient for x is zero everywhere")
class AddZeroForX(AddForward):
    @staticmethod
    def backward(ctx, g):
        return torch.zeros_like(g), g


@wrong("13.AddInPlace", "known", "half for x and half for y")
class AddHalves(AddForward):
    @staticmethod
    def backward(ctx, g):
        return g / 2, g / 2


@wrong("13.AddInPlace", "known", "those of a product")
class AddProductRule(Function):
    @staticmethod
    def forward(ctx, x, y):
        ctx.save_for_backward(x.clone(), y)
        x.add_(y)
        ctx.mark_dirty(x)
        return x

    @staticmethod
    def backward(ctx, g):
        x, y = ctx.saved_tensors
        return g * y, g * x


@wrong("13.AddInPlace", "sign", "the gradient for y is minus")
class AddSign(AddForward):
    @staticmethod
    def backward(ctx, g):
        return g, -g


@wrong("13.AddInPlace", "known", "subtracted")
class AddSubtracts(AddBackward):
    @staticmethod
    def forward(ctx, x, y):
        ctx.mark_dirty(x)
        return x.sub_(y)


@wrong("13.AddInPlace", "known", "overwritten with y")
class AddOverwrites(AddBackward):
    @staticmethod
    def forward(ctx, x, y):
        ctx.mark_dirty(x)
        return x.copy_(y)


@wrong("13.AddInPlace", "known", "added twice")
class AddTwice(AddBackward):
    @staticmethod
    def forward(ctx, x, y):
        ctx.mark_dirty(x)
        x.add_(y)
        x += y
        return x


@wrong("13.AddInPlace", "grad_output_changed", "grad_output in place")
class AddChangesGradOutput(AddForward):
    @staticmethod
    def backward(ctx, g):
        return g.mul_(1.5).div(1.5), g / 1.5


# CumSum


class CumSumForward(Function):
    @staticmethod
    def forward(ctx, x):
        return torch.cumsum(x, -1)


class CumSumBackward(Function):
    @staticmethod
    def backward(ctx, g):
        return g.flip(-1).cumsum(-1).flip(-1)


@wrong("13.CumSum", "known", "summed up to its place")
class CumSumAgain(CumSumForward):
    @staticmethod
    def backward(ctx, g):
        return torch.cumsum(g, -1)


@wrong("13.CumSum", "known", "in reverse order")
class CumSumFlippedOnce(CumSumForward):
    @staticmethod
    def backward(ctx, g):
        return g.flip(-1).cumsum(-1)


@wrong("13.CumSum", "known", "its own place is missing")
class CumSumExclusive(CumSumForward):
    @staticmethod
    def backward(ctx, g):
        return g.sum(-1, keepdim=True) - g.cumsum(-1)


@wrong("13.CumSum", "known", "part of one result only")
class CumSumSlopeOne(CumSumForward):
    @staticmethod
    def backward(ctx, g):
        return g


@wrong("13.CumSum", "known", "along the first dimension, but the running sums must be along the last")
class CumSumBackwardFirst(CumSumForward):
    @staticmethod
    def backward(ctx, g):
        return g.flip(0).cumsum(0).flip(0)


@wrong("13.CumSum", "known", "the sums run along the first dimension")
class CumSumFirst(CumSumBackward):
    @staticmethod
    def forward(ctx, x):
        return torch.cumsum(x, 0)


@wrong("13.CumSum", "backward_of_wrong_forward", "fix forward first")
class CumSumBothExclusive(Function):
    @staticmethod
    def forward(ctx, x):
        return x.cumsum(-1) - x

    @staticmethod
    def backward(ctx, g):
        return g.flip(-1).cumsum(-1).flip(-1) - g


@wrong("13.CumSum", "known", "from the end of each row")
class CumSumFromTheEnd(CumSumBackward):
    @staticmethod
    def forward(ctx, x):
        return x.flip(-1).cumsum(-1).flip(-1)


@wrong("13.CumSum", "known", "over its whole row")
class CumSumTotal(CumSumForward):
    @staticmethod
    def backward(ctx, g):
        return g.sum(-1, keepdim=True).expand_as(g)


@wrong("13.CumSum", "grad_output_forgotten", "is not used")
class CumSumCounts(CumSumForward):
    @staticmethod
    def backward(ctx, g):
        n = g.shape[-1]
        return (n - torch.arange(n)).to(g.dtype).expand_as(g)


@wrong("13.CumSum", "one_shape", "(3,), (2, 3, 2), (1,), (5,)")
class CumSumMatrices(CumSumBackward):
    @staticmethod
    def forward(ctx, x):
        _, columns = x.shape
        result = x.clone()
        for j in range(1, columns):
            result[:, j] += result[:, j - 1]
        return result


@wrong("13.CumSum", "argument_changed", "the argument x is changed in forward")
class CumSumInPlace(CumSumBackward):
    @staticmethod
    def forward(ctx, x):
        for j in range(1, x.shape[-1]):
            x[..., j] += x[..., j - 1]
        return x.clone()


@wrong("13.CumSum", "forward_shape", "(1,), it must have (3,)")
class CumSumIsSum(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.shape = x.shape
        return x.sum(-1, keepdim=True)

    @staticmethod
    def backward(ctx, g):
        return g.expand(ctx.shape)


# MaxPool1d


def cut(x, k):
    count = x.shape[-1] // k
    return x[..., : count * k].reshape(*x.shape[:-1], count, k)


class PoolForward(Function):
    @staticmethod
    def forward(ctx, x, k):
        ctx.k = k
        values, offsets = cut(x, k).max(dim=-1)
        ctx.save_for_backward(x, offsets)
        return values


class PoolBackward(Function):
    @staticmethod
    def backward(ctx, g):
        x, offsets = ctx.saved_tensors
        places = offsets + torch.arange(offsets.shape[-1]) * ctx.k
        return torch.zeros_like(x).scatter(-1, places, g), None


@wrong("13.MaxPool1d", "known", "every entry of a window gets the gradient")
class PoolAll(PoolForward):
    @staticmethod
    def backward(ctx, g):
        x, _ = ctx.saved_tensors
        grad = torch.zeros_like(x)
        n = g.shape[-1] * ctx.k
        grad[..., :n] = g.unsqueeze(-1).expand(*g.shape, ctx.k).flatten(-2)
        return grad, None


@wrong("13.MaxPool1d", "known", "as for a mean")
class PoolShares(PoolForward):
    @staticmethod
    def backward(ctx, g):
        x, _ = ctx.saved_tensors
        grad = torch.zeros_like(x)
        n = g.shape[-1] * ctx.k
        grad[..., :n] = g.unsqueeze(-1).expand(*g.shape, ctx.k).flatten(-2) / ctx.k
        return grad, None


@wrong("13.MaxPool1d", "known", "first entry of each window")
class PoolFirst(PoolForward):
    @staticmethod
    def backward(ctx, g):
        x, _ = ctx.saved_tensors
        grad = torch.zeros_like(x)
        grad[..., : g.shape[-1] * ctx.k : ctx.k] = g
        return grad, None


@wrong("13.MaxPool1d", "known", "counted from the beginning of its window")
class PoolOffsets(PoolForward):
    @staticmethod
    def backward(ctx, g):
        x, offsets = ctx.saved_tensors
        return torch.zeros_like(x).scatter_add(-1, offsets, g), None


@wrong("13.MaxPool1d", "known", "only the largest entry of a whole row")
class PoolRowMaximum(PoolForward):
    @staticmethod
    def backward(ctx, g):
        x, _ = ctx.saved_tensors
        windows = cut(x, ctx.k)
        mask = windows == windows.flatten(-2).amax(-1).unsqueeze(-1).unsqueeze(-1)
        grad = torch.zeros_like(x)
        grad[..., : g.shape[-1] * ctx.k] = (mask.to(g.dtype) * g.unsqueeze(-1)).flatten(-2)
        return grad, None


@wrong("13.MaxPool1d", "known", "multiplied by the largest value")
class PoolTimesValue(PoolForward):
    @staticmethod
    def backward(ctx, g):
        x, offsets = ctx.saved_tensors
        places = offsets + torch.arange(offsets.shape[-1]) * ctx.k
        return torch.zeros_like(x).scatter(-1, places, g) * x, None


@wrong("13.MaxPool1d", "wrong_shape", "has shape (2,), x itself (4,)")
class PoolNotSpread(PoolForward):
    @staticmethod
    def backward(ctx, g):
        return g, None


@wrong("13.MaxPool1d", "wrong_shape", "has shape (6,), x itself (7,)")
class PoolRestForgotten(PoolForward):
    @staticmethod
    def backward(ctx, g):
        _, offsets = ctx.saved_tensors
        places = offsets + torch.arange(offsets.shape[-1]) * ctx.k
        zeros = torch.zeros(*g.shape[:-1], g.shape[-1] * ctx.k, dtype=g.dtype)
        return zeros.scatter(-1, places, g), None


@wrong("13.MaxPool1d", "one_shape", "raises an error for x of shape (7,), k = 3, and for 3 more")
class PoolNoRest(PoolBackward):
    @staticmethod
    def forward(ctx, x, k):
        ctx.k = k
        values, offsets = x.reshape(*x.shape[:-1], x.shape[-1] // k, k).max(dim=-1)
        ctx.save_for_backward(x, offsets)
        return values


@wrong("13.MaxPool1d", "too_few", "(x, k)")
class PoolOneGradient(PoolForward):
    @staticmethod
    def backward(ctx, g):
        x, offsets = ctx.saved_tensors
        places = offsets + torch.arange(offsets.shape[-1]) * ctx.k
        return torch.zeros_like(x).scatter(-1, places, g)


@wrong("13.MaxPool1d", "number_of_results", "2 results; this exercise asks for 1")
class PoolWholeAnswerOfMax(PoolBackward):
    """x.max(dim=-1) is two tensors in one."""

    @staticmethod
    def forward(ctx, x, k):
        ctx.k = k
        ctx.save_for_backward(x)
        return cut(x, k).max(dim=-1)


@wrong("13.MaxPool1d", "number_of_results", "2 results; this exercise asks for 1")
class PoolBothResults(Function):
    @staticmethod
    def forward(ctx, x, k):
        ctx.k = k
        values, offsets = cut(x, k).max(dim=-1)
        ctx.save_for_backward(x, offsets)
        return values, offsets

    @staticmethod
    def backward(ctx, g, _):
        x, offsets = ctx.saved_tensors
        places = offsets + torch.arange(offsets.shape[-1]) * ctx.k
        return torch.zeros_like(x).scatter(-1, places, g), None


@wrong("13.MaxPool1d", "known", "the smallest entry of each window, but it must be")
class PoolSmallest(PoolBackward):
    @staticmethod
    def forward(ctx, x, k):
        ctx.k = k
        values, offsets = cut(x, k).min(dim=-1)
        ctx.save_for_backward(x, offsets)
        return values


@wrong("13.MaxPool1d", "known", "the mean of each window")
class PoolMean(PoolBackward):
    @staticmethod
    def forward(ctx, x, k):
        ctx.k = k
        ctx.save_for_backward(x, cut(x, k).argmax(-1))
        return cut(x, k).mean(-1)


@wrong("13.MaxPool1d", "known", "the sign counts")
class PoolAbsolute(PoolBackward):
    @staticmethod
    def forward(ctx, x, k):
        ctx.k = k
        offsets = cut(x, k).abs().argmax(-1)
        ctx.save_for_backward(x, offsets)
        return cut(x, k).gather(-1, offsets.unsqueeze(-1)).squeeze(-1)


@wrong("13.MaxPool1d", "shared_between_calls", "on ctx, because each call has its own")
class PoolOnClass(Function):
    @staticmethod
    def forward(ctx, x, k):
        values, PoolOnClass.offsets = cut(x, k).max(dim=-1)
        ctx.k, ctx.shape = k, x.shape
        return values

    @staticmethod
    def backward(ctx, g):
        grad = torch.zeros(ctx.shape, dtype=g.dtype).reshape(-1)
        offsets = PoolOnClass.offsets.reshape(-1)
        for i, value in enumerate(g.reshape(-1)):
            row, window = divmod(i, g.shape[-1])
            grad[row * ctx.shape[-1] + window * ctx.k + offsets[i]] = value
        return grad.reshape(ctx.shape), None


# More of them, of all the exercises above


@wrong("13.SinCos", "known", "the way through the sine has the wrong sign")
class SinCosSignOfSine(SinCosForward):
    @staticmethod
    def backward(ctx, g, h):
        (x,) = ctx.saved_tensors
        return -g * x.cos() - h * x.sin()


@wrong("13.SinCos", "known", "the slope used for the cosine is the cosine")
class SinCosTwoCosines(SinCosForward):
    @staticmethod
    def backward(ctx, g, h):
        (x,) = ctx.saved_tensors
        return g * x.cos() + h * x.cos()


@wrong("13.SinCos", "known", "multiplied by its own result")
class SinCosOwnResults(SinCosForward):
    @staticmethod
    def backward(ctx, g, h):
        (x,) = ctx.saved_tensors
        return g * x.sin() + h * x.cos()


@wrong("13.SinCos", "known", "as if both slopes were 1")
class SinCosAdded(SinCosForward):
    @staticmethod
    def backward(ctx, g, h):
        return g + h


@wrong(
    "13.SinCos", "known", "the slope used for the sine is the sine; the slope used for the cosine is minus the cosine"
)
class SinCosSlopesExchanged(SinCosForward):
    @staticmethod
    def backward(ctx, g, h):
        (x,) = ctx.saved_tensors
        return g * x.sin() - h * x.cos()


@wrong("13.SinCos", "known", "both gradients are multiplied by both slopes")
class SinCosMixed(SinCosForward):
    @staticmethod
    def backward(ctx, g, h):
        (x,) = ctx.saved_tensors
        return (g + h) * (x.cos() - x.sin())


@wrong("13.SinCos", "known", "the gradient of the sine is used for the cosine too")
class SinCosOneForBoth(SinCosForward):
    @staticmethod
    def backward(ctx, g, h):
        (x,) = ctx.saved_tensors
        return g * (x.cos() - x.sin())


@wrong("13.SinCos", "known", "the slope of the cosine is not multiplied")
class SinCosParentheses(SinCosForward):
    @staticmethod
    def backward(ctx, g, h):
        (x,) = ctx.saved_tensors
        return g * x.cos() - x.sin()


@wrong("13.SinCos", "known", "both results are the sine")
class SinCosTwice(SinCosBackward):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.sin(), x.sin()


@wrong("13.SinCos", "known", "a cosine can be")
class SinCosByPythagoras(SinCosBackward):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        sine = x.sin()
        return sine, (1 - sine * sine).sqrt()


@wrong("13.SortDescending", "known", "grad_output is turned round, whatever x is")
class SortFlipped(SortForward):
    @staticmethod
    def backward(ctx, g, _):
        return g.flip(0)


@wrong("13.SortDescending", "known", "as if x had been sorted from small to large")
class SortBackFlipped(SortForward):
    @staticmethod
    def backward(ctx, g, _):
        (indices,) = ctx.saved_tensors
        return torch.zeros_like(g).scatter(0, indices.flip(0), g)


@wrong("13.SortDescending", "known", "the last number of the gradient is lost")
class SortLoopTooShort(SortForward):
    @staticmethod
    def backward(ctx, g, _):
        (indices,) = ctx.saved_tensors
        grad = torch.zeros_like(g)
        for number in range(len(g) - 1):
            grad[indices[number]] = g[number]
        return grad


@wrong("13.SortDescending", "known", "is one too small")
class SortIndexTooSmall(SortForward):
    @staticmethod
    def backward(ctx, g, _):
        (indices,) = ctx.saved_tensors
        grad = torch.zeros_like(g)
        for number in range(len(g)):
            grad[indices[number - 1]] = g[number]
        return grad


@wrong("13.SortDescending", "known", "multiplied by the positions")
class SortTimesPositions(SortForward):
    @staticmethod
    def backward(ctx, g, _):
        (indices,) = ctx.saved_tensors
        positions = torch.arange(len(g)).to(g.dtype)
        return torch.zeros_like(g).scatter(0, indices, g * positions)


@wrong("13.SortDescending", "known", "the values are not sorted")
class SortGivesX(SortBackward):
    @staticmethod
    def forward(ctx, x):
        _values, indices = torch.sort(x, descending=True)
        positions = indices.to(x.dtype)
        ctx.mark_non_differentiable(positions)
        ctx.save_for_backward(indices)
        return x.clone(), positions


@wrong("13.SortDescending", "known", "sorted by their absolute values")
class SortByAbsolute(SortBackward):
    @staticmethod
    def forward(ctx, x):
        indices = torch.argsort(x.abs(), descending=True)
        positions = indices.to(x.dtype)
        ctx.mark_non_differentiable(positions)
        ctx.save_for_backward(indices)
        return x[indices], positions


@wrong("13.SortDescending", "known", "the positions are 0, 1, 2")
class SortCounts(SortBackward):
    @staticmethod
    def forward(ctx, x):
        values, indices = torch.sort(x, descending=True)
        positions = torch.arange(len(x)).to(x.dtype)
        ctx.mark_non_differentiable(positions)
        ctx.save_for_backward(indices)
        return values, positions


@wrong("13.AddInPlace", "known", "the gradient for x is twice grad_output")
class AddDoubleForX(AddForward):
    @staticmethod
    def backward(ctx, g):
        return 2 * g, g


@wrong("13.AddInPlace", "known", "the gradient for y is half of grad_output")
class AddHalfForY(AddForward):
    @staticmethod
    def backward(ctx, g):
        return g, g / 2


@wrong("13.AddInPlace", "known", "the gradient for y is the sum of grad_output")
class AddSumForY(AddForward):
    @staticmethod
    def backward(ctx, g):
        return g, g.sum() * torch.ones_like(g)


@wrong("13.AddInPlace", "known", "multiplied by the new x for x")
class AddTimesArguments(Function):
    @staticmethod
    def forward(ctx, x, y):
        ctx.mark_dirty(x)
        x.add_(y)
        ctx.save_for_backward(x, y)
        return x

    @staticmethod
    def backward(ctx, g):
        x, y = ctx.saved_tensors
        return g * x, g * y


@wrong("13.AddInPlace", "known", "x is multiplied by y")
class AddMultiplies(AddBackward):
    @staticmethod
    def forward(ctx, x, y):
        x.mul_(y)
        ctx.mark_dirty(x)
        return x


@wrong("13.AddInPlace", "known", "x is subtracted from y")
class AddSubtractsX(AddBackward):
    @staticmethod
    def forward(ctx, x, y):
        x.copy_(y - x)
        ctx.mark_dirty(x)
        return x


@wrong("13.AddInPlace", "known", "x is added to itself")
class AddXToItself(AddBackward):
    @staticmethod
    def forward(ctx, x, y):
        x.add_(x)
        ctx.mark_dirty(x)
        return x


@wrong("13.AddInPlace", "known", "the sum of all entries of y is added")
class AddSumOfY(AddBackward):
    @staticmethod
    def forward(ctx, x, y):
        x.add_(y.sum())
        ctx.mark_dirty(x)
        return x


@wrong("13.AddInPlace", "known", "only the first entry of x has changed")
class AddFirstEntry(AddBackward):
    @staticmethod
    def forward(ctx, x, y):
        x.reshape(-1)[0].add_(y.reshape(-1)[0])
        ctx.mark_dirty(x)
        return x


@wrong("13.CumSum", "known", "over all entries, from one row into the next")
class CumSumBackwardFlat(CumSumForward):
    @staticmethod
    def backward(ctx, g):
        return g.reshape(-1).flip(0).cumsum(0).flip(0).reshape(g.shape)


@wrong("13.CumSum", "known", "along the last dimension but one, but")
class CumSumBackwardOtherDimension(CumSumForward):
    @staticmethod
    def backward(ctx, g):
        dim = max(0, g.dim() - 2)
        return g.flip(dim).cumsum(dim).flip(dim)


@wrong("13.CumSum", "known", "counted several times, but never one of another place")
class CumSumTimesCount(CumSumForward):
    @staticmethod
    def backward(ctx, g):
        n = g.shape[-1]
        return g * (n - torch.arange(n)).to(g.dtype)


@wrong("13.CumSum", "known", "grad_output in reverse order")
class CumSumOnlyFlipped(CumSumForward):
    @staticmethod
    def backward(ctx, g):
        return g.flip(-1)


@wrong("13.CumSum", "known", "the last number of its row of grad_output alone")
class CumSumLastOnly(CumSumForward):
    @staticmethod
    def backward(ctx, g):
        return g[..., -1:].expand(g.shape)


@wrong("13.CumSum", "known", "a difference of neighbours")
class CumSumDifference(CumSumForward):
    @staticmethod
    def backward(ctx, g):
        return torch.cat((g[..., :1], g[..., 1:] - g[..., :-1]), -1)


@wrong("13.CumSum", "known", "of the next one only")
class CumSumNeighbour(CumSumForward):
    @staticmethod
    def backward(ctx, g):
        return torch.cat((g[..., :-1] + g[..., 1:], g[..., -1:]), -1)


@wrong("13.CumSum", "known", "does a loop stop too early?")
class CumSumLoopTooShort(CumSumForward):
    @staticmethod
    def backward(ctx, g):
        grad = g.clone()
        for j in range(g.shape[-1] - 2, 0, -1):
            grad[..., j] += grad[..., j + 1]
        return grad


@wrong("13.CumSum", "known", "divided by the length of the row")
class CumSumMean(CumSumForward):
    @staticmethod
    def backward(ctx, g):
        return g.flip(-1).cumsum(-1).flip(-1) / g.shape[-1]


@wrong("13.CumSum", "known", "over all entries, from one row into the next")
class CumSumFlat(CumSumBackward):
    @staticmethod
    def forward(ctx, x):
        return torch.cumsum(x.reshape(-1), 0).reshape(x.shape)


@wrong("13.CumSum", "known", "along the second dimension")
class CumSumSecond(CumSumBackward):
    @staticmethod
    def forward(ctx, x):
        return torch.cumsum(x, min(1, x.dim() - 1))


@wrong("13.CumSum", "known", "the results are running means")
class CumSumMeans(CumSumBackward):
    @staticmethod
    def forward(ctx, x):
        return torch.cumsum(x, -1) / (torch.arange(x.shape[-1]) + 1).to(x.dtype)


@wrong("13.CumSum", "known", "the sum of the whole row")
class CumSumTotals(CumSumBackward):
    @staticmethod
    def forward(ctx, x):
        return x.sum(-1, keepdim=True).expand(x.shape).clone()


@wrong("13.CumSum", "known", "the one before only")
class CumSumPairs(CumSumBackward):
    @staticmethod
    def forward(ctx, x):
        return torch.cat((x[..., :1], x[..., 1:] + x[..., :-1]), -1)


def sent_to(ctx, g, place):
    """The gradient where each number goes to `place(number of the window, place in it)`, if there is such a place."""
    x, offsets = ctx.saved_tensors
    grad = torch.zeros_like(x).reshape(-1)
    for number, (offset, value) in enumerate(zip(offsets.reshape(-1), g.reshape(-1), strict=True)):
        row, window = divmod(number, g.shape[-1])
        at = place(window, int(offset))
        if 0 <= at < x.shape[-1]:
            grad[row * x.shape[-1] + at] += value
    return grad.reshape(x.shape), None


def largest_of(x, k, window):
    """The largest entry of the slice `window(i)` for each of the windows."""
    rows = x.reshape(-1, x.shape[-1])
    pooled = [torch.stack([row[window(i)].max() for i in range(len(row) // k)]) for row in rows]
    return torch.stack(pooled).reshape(*x.shape[:-1], -1)


def pool_saved(ctx, x, k):
    ctx.k = k
    ctx.save_for_backward(x, cut(x, k).argmax(-1))


@wrong("13.MaxPool1d", "known", "goes to the last entry of each window")
class PoolLast(PoolForward):
    @staticmethod
    def backward(ctx, g):
        return sent_to(ctx, g, lambda i, _: i * ctx.k + ctx.k - 1)


@wrong("13.MaxPool1d", "known", "the number of a window is used as a position")
class PoolAtWindow(PoolForward):
    @staticmethod
    def backward(ctx, g):
        return sent_to(ctx, g, lambda i, _: i)


@wrong("13.MaxPool1d", "known", "are added, but a window is k entries long")
class PoolAddsNumbers(PoolForward):
    @staticmethod
    def backward(ctx, g):
        return sent_to(ctx, g, lambda i, offset: i + offset)


@wrong("13.MaxPool1d", "known", "is found with the number of windows")
class PoolTimesWindows(PoolForward):
    @staticmethod
    def backward(ctx, g):
        return sent_to(ctx, g, lambda i, offset: i * g.shape[-1] + offset)


@wrong("13.MaxPool1d", "known", "one entry too far to the right")
class PoolTooFar(PoolForward):
    @staticmethod
    def backward(ctx, g):
        return sent_to(ctx, g, lambda i, offset: i * ctx.k + offset + 1)


@wrong("13.MaxPool1d", "known", "to the window after the one it came from")
class PoolNextWindow(PoolForward):
    @staticmethod
    def backward(ctx, g):
        return sent_to(ctx, g, lambda i, offset: (i + 1) * ctx.k + offset)


@wrong("13.MaxPool1d", "known", "is multiplied by k, but it is the number of the window")
class PoolTimesK(PoolForward):
    @staticmethod
    def backward(ctx, g):
        return sent_to(ctx, g, lambda i, offset: offset * ctx.k + i)


@wrong("13.MaxPool1d", "known", "the entries left over at the end get grad_output of the last window")
class PoolLeftOver(PoolForward):
    @staticmethod
    def backward(ctx, g):
        grad, _ = sent_to(ctx, g, lambda i, offset: i * ctx.k + offset)
        used = g.shape[-1] * ctx.k
        grad[..., used:] = g[..., -1:]
        return grad, None


@wrong("13.MaxPool1d", "known", "grad_output of the first window")
class PoolFirstGradOutput(PoolForward):
    @staticmethod
    def backward(ctx, g):
        return sent_to(ctx, g[..., :1].expand(g.shape), lambda i, offset: i * ctx.k + offset)


@wrong("13.MaxPool1d", "known", "one entry after the one before: the windows overlap")
class PoolOverlap(PoolBackward):
    @staticmethod
    def forward(ctx, x, k):
        pool_saved(ctx, x, k)
        return largest_of(x, k, lambda i: slice(i, i + k))


@wrong("13.MaxPool1d", "known", "one entry too long")
class PoolTooLong(PoolBackward):
    @staticmethod
    def forward(ctx, x, k):
        pool_saved(ctx, x, k)
        return largest_of(x, k, lambda i: slice(i * k, (i + 1) * k + 1))


@wrong("13.MaxPool1d", "known", "dropped at the beginning")
class PoolDropsAtBeginning(PoolBackward):
    @staticmethod
    def forward(ctx, x, k):
        pool_saved(ctx, x, k)
        return largest_of(x, k, lambda i: slice(x.shape[-1] % k + i * k, x.shape[-1] % k + (i + 1) * k))


@wrong("13.MaxPool1d", "known", "from the beginning of the row on")
class PoolRunning(PoolBackward):
    @staticmethod
    def forward(ctx, x, k):
        pool_saved(ctx, x, k)
        return largest_of(x, k, lambda i: slice(0, (i + 1) * k))


@wrong("13.MaxPool1d", "known", "from its window to the end")
class PoolToTheEnd(PoolBackward):
    @staticmethod
    def forward(ctx, x, k):
        pool_saved(ctx, x, k)
        return largest_of(x, k, lambda i: slice(i * k, x.shape[-1]))


@wrong("13.MaxPool1d", "known", "the first entry of each window, but")
class PoolTakesFirst(PoolBackward):
    @staticmethod
    def forward(ctx, x, k):
        pool_saved(ctx, x, k)
        return largest_of(x, k, lambda i: slice(i * k, i * k + 1))


@wrong("13.MaxPool1d", "known", "its whole row, but each window")
class PoolRowLargest(PoolBackward):
    @staticmethod
    def forward(ctx, x, k):
        pool_saved(ctx, x, k)
        return largest_of(x, k, lambda _: slice(0, x.shape[-1]))


@wrong("13.MaxPool1d", "known", "is x reshaped to k rows")
class PoolReshapedWrongly(PoolBackward):
    @staticmethod
    def forward(ctx, x, k):
        pool_saved(ctx, x, k)
        count = x.shape[-1] // k
        return x[..., : count * k].reshape(*x.shape[:-1], k, count).max(dim=-2)[0]


@wrong("13.MaxPool1d", "known", "the result is never negative")
class PoolFromZero(PoolBackward):
    @staticmethod
    def forward(ctx, x, k):
        pool_saved(ctx, x, k)
        return cut(x, k).max(dim=-1)[0].clamp(min=0)


@wrong("13.MaxPool1d", "known", "the position of the largest entry in its window")
class PoolGivesOffsets(PoolBackward):
    @staticmethod
    def forward(ctx, x, k):
        pool_saved(ctx, x, k)
        return cut(x, k).argmax(-1).to(x.dtype)


@wrong("13.MaxPool1d", "known", "a window begins at each entry")
class PoolEveryWindow(PoolBackward):
    @staticmethod
    def forward(ctx, x, k):
        pool_saved(ctx, x, k)
        starts = range(x.shape[-1] - k + 1)
        return torch.stack([x[..., i : i + k].max(dim=-1)[0] for i in starts], -1)


@wrong("13.MaxPool1d", "known", "are a window of their own, but they must be dropped")
class PoolKeepsRest(PoolBackward):
    @staticmethod
    def forward(ctx, x, k):
        pool_saved(ctx, x, k)
        starts = range(0, x.shape[-1], k)
        return torch.stack([x[..., i : i + k].max(dim=-1)[0] for i in starts], -1)


@wrong("13.MaxPool1d", "known", "the last window is missing")
class PoolOneWindowShort(PoolBackward):
    @staticmethod
    def forward(ctx, x, k):
        pool_saved(ctx, x, k)
        starts = range(0, max(1, x.shape[-1] // k - 1) * k, k)
        return torch.stack([x[..., i : i + k].max(dim=-1)[0] for i in starts], -1)


@wrong("13.MaxPool1d", "known", "halfway between the largest and the smallest")
class PoolHalfway(PoolBackward):
    @staticmethod
    def forward(ctx, x, k):
        pool_saved(ctx, x, k)
        return (cut(x, k).amax(-1) + cut(x, k).amin(-1)) / 2


@wrong("13.CumSum", "known", "reversed along the first dimension")
class CumSumFlipsRows(CumSumForward):
    @staticmethod
    def backward(ctx, g):
        return g.flip(0).cumsum(-1).flip(0)


@wrong("13.CumSum", "known", "up to the place before it")
class CumSumWrongEnd(CumSumForward):
    @staticmethod
    def backward(ctx, g):
        return g.cumsum(-1) - g


class SinCosTwoCalls(Function):
    @staticmethod
    def forward(ctx, x):
        sine, cosine = x.sin(), x.cos()
        ctx.save_for_backward(sine)
        ctx.save_for_backward(cosine)
        return sine, cosine


@wrong("13.SinCos", "known", "the slopes are computed at the cosine of x")
class SinCosSavedInTwoCalls(SinCosTwoCalls):
    @staticmethod
    def backward(ctx, g, h):
        (x,) = ctx.saved_tensors
        return g * x.cos() - h * x.sin()


@wrong("13.SinCos", "known", "a root is never negative")
class SinCosRoots(SinCosForward):
    @staticmethod
    def backward(ctx, g, h):
        (x,) = ctx.saved_tensors
        sine, cosine = x.sin(), x.cos()
        return g * (1 - sine**2).sqrt() - h * (1 - cosine**2).sqrt()


@wrong("13.SinCos", "known", "where both results are used, the gradient that arrives for the second")
class SinCosEither(SinCosForward):
    @staticmethod
    def forward(ctx, x):
        ctx.set_materialize_grads(False)
        ctx.save_for_backward(x)
        return x.sin(), x.cos()

    @staticmethod
    def backward(ctx, g, h):
        (x,) = ctx.saved_tensors
        return -h * x.sin() if g is None else g * x.cos()


@wrong("13.SortDescending", "known", "the last entry of x always stays last")
class SortAllButLast(Function):
    @staticmethod
    def forward(ctx, x):
        order = torch.cat([torch.argsort(x[:-1], descending=True), torch.tensor([len(x) - 1])])
        ctx.save_for_backward(order)
        positions = order.to(x.dtype)
        ctx.mark_non_differentiable(positions)
        return x[order], positions

    @staticmethod
    def backward(ctx, g, _):
        result = torch.zeros_like(g)
        result[ctx.saved_tensors[0]] = g
        return result


@wrong("13.MaxPool1d", "known", "counted from the beginning of the row")
class PoolScattersOffsets(PoolForward):
    @staticmethod
    def backward(ctx, g):
        x, offsets = ctx.saved_tensors
        return torch.zeros_like(x).scatter(-1, offsets, g), None


@wrong("13.MaxPool1d", "known", "get x itself, but they must get 0")
class PoolScattersIntoX(PoolForward):
    @staticmethod
    def backward(ctx, g):
        x, offsets = ctx.saved_tensors
        return x.scatter(-1, offsets + torch.arange(offsets.shape[-1]) * ctx.k, g), None
