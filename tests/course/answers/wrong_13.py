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


@wrong("13.SinCos", "known", "the gradient: the part of the gradient through the sine is left out; x")
class SinCosSecondOnly(SinCosForward):
    @staticmethod
    def backward(ctx, g, h):
        (x,) = ctx.saved_tensors
        return -h * x.sin()


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


@wrong("13.SinCos", "wrong_forward", "the gradient is right, but forward is wrong: result 2 at [1]")
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


@wrong("13.SortDescending", "another_order", "the gradient is made of the right numbers, but some are at the wrong")
class SortGradientSorted(SortForward):
    @staticmethod
    def backward(ctx, g, _):
        return torch.sort(g, descending=True)[0]


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


@wrong("13.AddInPlace", "not_dirty", "x is changed in place, but autograd does not know it")
class AddUnmarked(AddBackward):
    @staticmethod
    def forward(ctx, x, y):
        x.add_(y)
        return x


@wrong("13.AddInPlace", "argument_changed", "the argument y is changed in forward: work on a copy of y")
class AddToTheOther(AddBackward):
    @staticmethod
    def forward(ctx, x, y):
        y.add_(x)
        x.copy_(y)
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


@wrong("13.AddInPlace", "known", "the gradient for x and the gradient for y: it is half of what it must")
class AddHalves(AddForward):
    @staticmethod
    def backward(ctx, g):
        return g / 2, g / 2


@wrong("13.AddInPlace", "known", "the gradient for y: it has the wrong sign; when one of the arguments")
class AddSign(AddForward):
    @staticmethod
    def backward(ctx, g):
        return g, -g


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


@wrong("13.CumSum", "backward_of_wrong_forward", "fix forward first")
class CumSumBothExclusive(Function):
    @staticmethod
    def forward(ctx, x):
        return x.cumsum(-1) - x

    @staticmethod
    def backward(ctx, g):
        return g.flip(-1).cumsum(-1).flip(-1) - g


@wrong("13.CumSum", "wrong_forward", "the gradient is right, but forward is wrong: result[0]")
class CumSumFromTheEnd(CumSumBackward):
    @staticmethod
    def forward(ctx, x):
        return x.flip(-1).cumsum(-1).flip(-1)


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


@wrong("13.MaxPool1d", "wrong_gradient", "the gradient is wrong")
class PoolOffsets(PoolForward):
    @staticmethod
    def backward(ctx, g):
        x, offsets = ctx.saved_tensors
        return torch.zeros_like(x).scatter_add(-1, offsets, g), None


@wrong("13.MaxPool1d", "wrong_gradient", "the gradient is wrong")
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


@wrong("13.SinCos", "wrong_gradient", "the gradient is wrong")
class SinCosOwnResults(SinCosForward):
    @staticmethod
    def backward(ctx, g, h):
        (x,) = ctx.saved_tensors
        return g * x.sin() + h * x.cos()


@wrong("13.SinCos", "known", "the gradient: it is `grad_sin + grad_cos` in yours; x reaches both")
class SinCosAdded(SinCosForward):
    @staticmethod
    def backward(ctx, g, h):
        return g + h


@wrong("13.SinCos", "wrong_gradient", "the gradient is wrong")
class SinCosSlopesExchanged(SinCosForward):
    @staticmethod
    def backward(ctx, g, h):
        (x,) = ctx.saved_tensors
        return g * x.sin() - h * x.cos()


@wrong("13.SortDescending", "known", "the gradient is turned round, whatever x is")
class SortFlipped(SortForward):
    @staticmethod
    def backward(ctx, g, _):
        return g.flip(0)


@wrong("13.SortDescending", "some_entries", "the gradient is wrong only in entry [0] of x")
class SortLoopTooShort(SortForward):
    @staticmethod
    def backward(ctx, g, _):
        (indices,) = ctx.saved_tensors
        grad = torch.zeros_like(g)
        for number in range(len(g) - 1):
            grad[indices[number]] = g[number]
        return grad


@wrong("13.SortDescending", "some_entries", "the gradient is wrong only in entries [0] and [1] of x")
class SortTimesPositions(SortForward):
    @staticmethod
    def backward(ctx, g, _):
        (indices,) = ctx.saved_tensors
        positions = torch.arange(len(g)).to(g.dtype)
        return torch.zeros_like(g).scatter(0, indices, g * positions)


@wrong("13.SortDescending", "another_order", "result 2 is made of the right numbers, but some are at the wrong places")
class SortCounts(SortBackward):
    @staticmethod
    def forward(ctx, x):
        values, indices = torch.sort(x, descending=True)
        positions = torch.arange(len(x)).to(x.dtype)
        ctx.mark_non_differentiable(positions)
        ctx.save_for_backward(indices)
        return values, positions


@wrong("13.AddInPlace", "wrong_gradient", "the gradient for x is wrong")
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


@wrong("13.AddInPlace", "wrong_forward", "the gradient is right, but forward is wrong in entries [1] and [2] of")
class AddFirstEntry(AddBackward):
    @staticmethod
    def forward(ctx, x, y):
        x.reshape(-1)[0].add_(y.reshape(-1)[0])
        ctx.mark_dirty(x)
        return x


@wrong("13.CumSum", "wrong_gradient", "the gradient is wrong")
class CumSumOnlyFlipped(CumSumForward):
    @staticmethod
    def backward(ctx, g):
        return g.flip(-1)


@wrong("13.CumSum", "some_entries", "the gradient is wrong only in entries [0] and [1] of x")
class CumSumLastOnly(CumSumForward):
    @staticmethod
    def backward(ctx, g):
        return g[..., -1:].expand(g.shape)


@wrong("13.CumSum", "wrong_gradient", "the gradient is wrong")
class CumSumDifference(CumSumForward):
    @staticmethod
    def backward(ctx, g):
        return torch.cat((g[..., :1], g[..., 1:] - g[..., :-1]), -1)


@wrong("13.CumSum", "some_entries", "the gradient is wrong only in entry [0] of x")
class CumSumNeighbour(CumSumForward):
    @staticmethod
    def backward(ctx, g):
        return torch.cat((g[..., :-1] + g[..., 1:], g[..., -1:]), -1)


@wrong("13.CumSum", "wrong_forward", "the gradient is right, but forward is wrong in entries [1] and [2] of")
class CumSumMeans(CumSumBackward):
    @staticmethod
    def forward(ctx, x):
        return torch.cumsum(x, -1) / (torch.arange(x.shape[-1]) + 1).to(x.dtype)


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


@wrong("13.MaxPool1d", "another_order", "the gradient is made of the right numbers, but some are at the wrong")
class PoolLast(PoolForward):
    @staticmethod
    def backward(ctx, g):
        return sent_to(ctx, g, lambda i, _: i * ctx.k + ctx.k - 1)


@wrong("13.MaxPool1d", "another_order", "the gradient is made of the right numbers, but some are at the wrong")
class PoolAtWindow(PoolForward):
    @staticmethod
    def backward(ctx, g):
        return sent_to(ctx, g, lambda i, _: i)


@wrong("13.MaxPool1d", "some_entries", "the gradient is wrong only in entries [1] and [2] of x")
class PoolAddsNumbers(PoolForward):
    @staticmethod
    def backward(ctx, g):
        return sent_to(ctx, g, lambda i, offset: i + offset)


@wrong("13.MaxPool1d", "some_entries", "the gradient is wrong only in entries [0, 2], [0, 3] and 4 more of x")
class PoolTimesWindows(PoolForward):
    @staticmethod
    def backward(ctx, g):
        return sent_to(ctx, g, lambda i, offset: i * g.shape[-1] + offset)


@wrong("13.MaxPool1d", "known", "the place in the row that gets the gradient: the beginning of its window")
class PoolTooFar(PoolForward):
    @staticmethod
    def backward(ctx, g):
        return sent_to(ctx, g, lambda i, offset: i * ctx.k + offset + 1)


@wrong("13.MaxPool1d", "known", "the place in the row that gets the gradient: `k` is also added to it")
class PoolNextWindow(PoolForward):
    @staticmethod
    def backward(ctx, g):
        return sent_to(ctx, g, lambda i, offset: (i + 1) * ctx.k + offset)


@wrong("13.MaxPool1d", "wrong_forward", "the gradient is right, but forward is wrong in entry [1] of the result")
class PoolOverlap(PoolBackward):
    @staticmethod
    def forward(ctx, x, k):
        pool_saved(ctx, x, k)
        return largest_of(x, k, lambda i: slice(i, i + k))


@wrong("13.MaxPool1d", "wrong_forward", "the gradient is right, but forward is wrong in entry [1] of the result")
class PoolDropsAtBeginning(PoolBackward):
    @staticmethod
    def forward(ctx, x, k):
        pool_saved(ctx, x, k)
        return largest_of(x, k, lambda i: slice(x.shape[-1] % k + i * k, x.shape[-1] % k + (i + 1) * k))


@wrong("13.MaxPool1d", "one_shape", "raises an error for x of shape (4,), k = 2, and for 5 more of the 7")
class PoolOneWindowShort(PoolBackward):
    @staticmethod
    def forward(ctx, x, k):
        pool_saved(ctx, x, k)
        starts = range(0, max(1, x.shape[-1] // k - 1) * k, k)
        return torch.stack([x[..., i : i + k].max(dim=-1)[0] for i in starts], -1)
