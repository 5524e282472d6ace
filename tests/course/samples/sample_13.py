"""Answers to notebook 13 by people who saw the statements alone: right ones and wrong ones with what is wrong."""

ANSWERS = [
    (
        "13.SinCos",
        "right",
        "saves the two results, and uses them as the slopes",
        """
class SinCos(Function):
    @staticmethod
    def forward(x):
        return x.sin(), x.cos()

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*output)

    @staticmethod
    def backward(ctx, grad_sin, grad_cos):
        sin, cos = ctx.saved_tensors
        return grad_sin * cos - grad_cos * sin
""",
    ),
    (
        "13.SinCos",
        "right",
        "does not materialize the gradients and handles each None by itself",
        """
class SinCos(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.set_materialize_grads(False)
        ctx.save_for_backward(x)
        return torch.sin(x), torch.cos(x)

    @staticmethod
    def backward(ctx, grad_sin, grad_cos):
        x, = ctx.saved_tensors
        grad = None
        if grad_sin is not None:
            grad = grad_sin * x.cos()
        if grad_cos is not None:
            part = -grad_cos * x.sin()
            grad = part if grad is None else grad + part
        return grad
""",
    ),
    (
        "13.SinCos",
        "right",
        "NumPy in forward; backward stacks slopes and gradients and sums over the stack",
        """
import numpy as np

class SinCos(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        values = x.detach().numpy()
        return torch.tensor(np.sin(values), dtype=x.dtype), torch.tensor(np.cos(values), dtype=x.dtype)

    @staticmethod
    def backward(ctx, *grads):
        (x,) = ctx.saved_tensors
        slopes = torch.stack([x.cos(), x.sin().neg()])
        return (torch.stack(grads) * slopes).sum(dim=0)
""",
    ),
    (
        "13.SinCos",
        "right",
        "backward returns a tuple with one entry, and calls the Function itself for the slopes",
        """
class SinCos(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        results = tuple(f(x) for f in (torch.sin, torch.cos))
        return results

    @staticmethod
    def backward(ctx, grad_sin, grad_cos):
        s, c = SinCos.apply(ctx.saved_tensors[0])
        return (c * grad_sin + (-1) * s * grad_cos,)
""",
    ),
    (
        "13.SinCos",
        "wrong",
        "the sign of the second term is wrong: the slope of the cosine is minus the sine",
        """
class SinCos(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.sin(x), torch.cos(x)

    @staticmethod
    def backward(ctx, grad_sin, grad_cos):
        x, = ctx.saved_tensors
        return grad_sin * torch.cos(x) + grad_cos * torch.sin(x)
""",
    ),
    (
        "13.SinCos",
        "wrong",
        "the results are in the wrong order: first the cosine, then the sine (backward fits that order)",
        """
class SinCos(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.cos(x), torch.sin(x)

    @staticmethod
    def backward(ctx, grad_cos, grad_sin):
        x, = ctx.saved_tensors
        return grad_sin * torch.cos(x) - grad_cos * torch.sin(x)
""",
    ),
    (
        "13.SinCos",
        "wrong",
        "backward mixes up the two gradients: it takes the first as the one of the cosine",
        """
class SinCos(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.sin(x), torch.cos(x)

    @staticmethod
    def backward(ctx, grad_cos, grad_sin):
        x, = ctx.saved_tensors
        return grad_sin * torch.cos(x) - grad_cos * torch.sin(x)
""",
    ),
    (
        "13.SinCos",
        "wrong",
        "backward returns two gradients (one per result) instead of one sum for the only argument",
        """
class SinCos(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.sin(x), torch.cos(x)

    @staticmethod
    def backward(ctx, grad_sin, grad_cos):
        x, = ctx.saved_tensors
        return grad_sin * torch.cos(x), -grad_cos * torch.sin(x)
""",
    ),
    (
        "13.SinCos",
        "wrong",
        "the gradient through the cosine is forgotten",
        """
class SinCos(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.sin(x), torch.cos(x)

    @staticmethod
    def backward(ctx, grad_sin, grad_cos):
        x, = ctx.saved_tensors
        return grad_sin * torch.cos(x)
""",
    ),
    (
        "13.SinCos",
        "wrong",
        "switches materialized gradients off but does not handle None: an unused result makes backward fail",
        """
class SinCos(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.set_materialize_grads(False)
        ctx.save_for_backward(x)
        return torch.sin(x), torch.cos(x)

    @staticmethod
    def backward(ctx, grad_sin, grad_cos):
        x, = ctx.saved_tensors
        return grad_sin * torch.cos(x) - grad_cos * torch.sin(x)
""",
    ),
    (
        "13.SinCos",
        "wrong",
        "if one of the two results is not used, the gradient of the other is thrown away too",
        """
class SinCos(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.set_materialize_grads(False)
        ctx.save_for_backward(x)
        return torch.sin(x), torch.cos(x)

    @staticmethod
    def backward(ctx, grad_sin, grad_cos):
        x, = ctx.saved_tensors
        if grad_sin is None or grad_cos is None:
            return None
        return grad_sin * torch.cos(x) - grad_cos * torch.sin(x)
""",
    ),
    (
        "13.SinCos",
        "wrong",
        "if both results are used, only the gradient of the sine is returned (if/elif instead of a sum)",
        """
class SinCos(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.set_materialize_grads(False)
        ctx.save_for_backward(x)
        return torch.sin(x), torch.cos(x)

    @staticmethod
    def backward(ctx, grad_sin, grad_cos):
        x, = ctx.saved_tensors
        if grad_sin is not None:
            return grad_sin * torch.cos(x)
        elif grad_cos is not None:
            return -grad_cos * torch.sin(x)
""",
    ),
    (
        "13.SinCos",
        "wrong",
        "sine and cosine are kept as copies without a graph, so backward cannot be differentiated with respect to x: the second derivative is wrong",
        """
class SinCos(Function):
    @staticmethod
    def forward(ctx, x):
        s, c = torch.sin(x), torch.cos(x)
        ctx.s, ctx.c = s.clone(), c.clone()
        return s, c

    @staticmethod
    def backward(ctx, grad_sin, grad_cos):
        return grad_sin * ctx.c - grad_cos * ctx.s
""",
    ),
    (
        "13.SinCos",
        "wrong",
        "x is detached in backward, so the second derivative is missing",
        """
class SinCos(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.sin(x), torch.cos(x)

    @staticmethod
    def backward(ctx, grad_sin, grad_cos):
        x = ctx.saved_tensors[0].detach()
        return grad_sin * torch.cos(x) - grad_cos * torch.sin(x)
""",
    ),
    (
        "13.SinCos",
        "wrong",
        "the results are always float64 (NumPy arrays converted with float64)",
        """
import numpy as np

class SinCos(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.tensor(np.sin(x.tolist()), dtype=torch.float64), torch.tensor(np.cos(x.tolist()), dtype=torch.float64)

    @staticmethod
    def backward(ctx, grad_sin, grad_cos):
        x, = ctx.saved_tensors
        return grad_sin * torch.cos(x) - grad_cos * torch.sin(x)
""",
    ),
    (
        "13.SinCos",
        "wrong",
        "one stacked tensor is returned instead of a tuple of two tensors",
        """
class SinCos(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.stack([torch.sin(x), torch.cos(x)])

    @staticmethod
    def backward(ctx, grads):
        grad_sin, grad_cos = grads[0], grads[1]
        x, = ctx.saved_tensors
        return grad_sin * torch.cos(x) - grad_cos * torch.sin(x)
""",
    ),
    (
        "13.SinCos",
        "wrong",
        "x is kept on the class, so a second call disturbs the first",
        """
class SinCos(Function):
    @staticmethod
    def forward(ctx, x):
        SinCos.x = x
        return torch.sin(x), torch.cos(x)

    @staticmethod
    def backward(ctx, grad_sin, grad_cos):
        x = SinCos.x
        return grad_sin * torch.cos(x) - grad_cos * torch.sin(x)
""",
    ),
    (
        "13.SinCos",
        "wrong",
        "backward changes the gradient it gets, in place",
        """
class SinCos(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.sin(x), torch.cos(x)

    @staticmethod
    def backward(ctx, grad_sin, grad_cos):
        x, = ctx.saved_tensors
        grad_sin *= torch.cos(x)
        grad_sin -= grad_cos * torch.sin(x)
        return grad_sin
""",
    ),
    (
        "13.SinCos",
        "wrong",
        "the two gradients are averaged instead of added",
        """
class SinCos(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.sin(x), torch.cos(x)

    @staticmethod
    def backward(ctx, grad_sin, grad_cos):
        x, = ctx.saved_tensors
        return (grad_sin * torch.cos(x) - grad_cos * torch.sin(x)) / 2
""",
    ),
    (
        "13.SinCos",
        "right",
        "saves its two results in setup_context, switches the zeros off and adds up what is there",
        """
class SinCos(Function):
    @staticmethod
    def forward(x):
        return x.sin(), x.cos()

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.set_materialize_grads(False)
        ctx.save_for_backward(*output)

    @staticmethod
    def backward(ctx, grad_sin, grad_cos):
        sine, cosine = ctx.saved_tensors
        total = None
        for grad, slope in ((grad_sin, cosine), (grad_cos, -sine)):
            if grad is None:
                continue
            part = grad * slope
            total = part if total is None else total + part
        return total
""",
    ),
    (
        "13.SinCos",
        "wrong",
        "the derivative of the cosine is minus the sine; the minus sign is missing",
        """
class SinCos(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.sin(x), torch.cos(x)

    @staticmethod
    def backward(ctx, grad_sin, grad_cos):
        x, = ctx.saved_tensors
        return grad_sin * torch.cos(x) + grad_cos * torch.sin(x)
""",
    ),
    (
        "13.SinCos",
        "wrong",
        "set_materialize_grads(False) was called, so a gradient of an unused result is None, and backward does not handle that",
        """
class SinCos(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        ctx.set_materialize_grads(False)
        return torch.sin(x), torch.cos(x)

    @staticmethod
    def backward(ctx, grad_sin, grad_cos):
        x, = ctx.saved_tensors
        return grad_sin * torch.cos(x) - grad_cos * torch.sin(x)
""",
    ),
    (
        "13.SinCos",
        "wrong",
        "only the gradient of the sine is used; the gradient that comes through the cosine is forgotten",
        """
class SinCos(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.sin(x), torch.cos(x)

    @staticmethod
    def backward(ctx, grad_sin, grad_cos):
        x, = ctx.saved_tensors
        return grad_sin * torch.cos(x)
""",
    ),
    (
        "13.SinCos",
        "wrong",
        "backward returns two gradients (one for each result) instead of one for x, their sum",
        """
class SinCos(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.sin(x), torch.cos(x)

    @staticmethod
    def backward(ctx, grad_sin, grad_cos):
        x, = ctx.saved_tensors
        return grad_sin * torch.cos(x), -grad_cos * torch.sin(x)
""",
    ),
    (
        "13.SinCos",
        "wrong",
        "the slopes are computed from a detached x in backward, so the second derivative is lost (0)",
        """
class SinCos(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.sin(x), torch.cos(x)

    @staticmethod
    def backward(ctx, grad_sin, grad_cos):
        x = ctx.saved_tensors[0].detach()
        return grad_sin * torch.cos(x) - grad_cos * torch.sin(x)
""",
    ),
    (
        "13.SortDescending",
        "right",
        "sorts -x, and undoes the permutation with argsort of the permutation",
        """
class SortDescending(Function):
    @staticmethod
    def forward(ctx, x):
        order = torch.argsort(-x)
        ctx.back = torch.argsort(order)
        positions = order.to(x.dtype)
        ctx.mark_non_differentiable(positions)
        return x[order], positions

    @staticmethod
    def backward(ctx, grad_values, _):
        return grad_values[ctx.back]
""",
    ),
    (
        "13.SortDescending",
        "right",
        "Python's sorted with whole numbers in a list, and a loop in backward",
        """
class SortDescending(Function):
    @staticmethod
    def forward(ctx, x):
        numbers = x.tolist()
        ctx.order = sorted(range(len(numbers)), key=lambda i: numbers[i], reverse=True)
        values = torch.tensor([numbers[i] for i in ctx.order], dtype=x.dtype)
        positions = torch.tensor(ctx.order, dtype=x.dtype)
        ctx.mark_non_differentiable(positions)
        return values, positions

    @staticmethod
    def backward(ctx, grad_values, grad_positions):
        grad = torch.zeros_like(grad_values)
        for i, p in enumerate(ctx.order):
            grad[p] = grad_values[i]
        return grad, 
""",
    ),
    (
        "13.SortDescending",
        "right",
        "a permutation matrix made from the rank of each entry; setup_context saves the second result",
        """
class SortDescending(Function):
    @staticmethod
    def forward(x):
        n = x.shape[0]
        rank = (x.reshape(1, n) > x.reshape(n, 1)).sum(dim=1)      # how many are larger
        table = (rank.reshape(1, n) == torch.arange(n).reshape(n, 1)).to(x.dtype)
        return table @ x, table @ torch.arange(n, dtype=x.dtype)

    @staticmethod
    def setup_context(ctx, inputs, output):
        _, positions = output
        ctx.mark_non_differentiable(positions)
        ctx.save_for_backward(positions)

    @staticmethod
    def backward(ctx, grad_values, grad_positions):
        positions, = ctx.saved_tensors
        return torch.zeros_like(grad_values).scatter(0, positions.long(), grad_values)
""",
    ),
    (
        "13.SortDescending",
        "right",
        "sorts from small to large and flips both; gradients are not materialized",
        """
class SortDescending(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.set_materialize_grads(False)
        values, where = x.sort()
        where = where.flip(0)
        ctx.save_for_backward(where)
        positions = where.to(x.dtype)
        ctx.mark_non_differentiable(positions)
        return values.flip(0), positions

    @staticmethod
    def backward(ctx, grad_values, grad_positions):
        if grad_values is None:
            return None
        where, = ctx.saved_tensors
        return grad_values.new_zeros(grad_values.shape).scatter_add(0, where, grad_values)
""",
    ),
    (
        "13.SortDescending",
        "wrong",
        "sorts from small to large",
        """
class SortDescending(Function):
    @staticmethod
    def forward(ctx, x):
        values, indices = torch.sort(x)
        positions = indices.to(x.dtype)
        ctx.mark_non_differentiable(positions)
        ctx.save_for_backward(indices)
        return values, positions

    @staticmethod
    def backward(ctx, grad_values, grad_positions):
        indices, = ctx.saved_tensors
        grad = torch.zeros_like(grad_values)
        grad[indices] = grad_values
        return grad
""",
    ),
    (
        "13.SortDescending",
        "wrong",
        "backward applies the permutation once more instead of undoing it (gathers where it should scatter)",
        """
class SortDescending(Function):
    @staticmethod
    def forward(ctx, x):
        values, indices = torch.sort(x, descending=True)
        positions = indices.to(x.dtype)
        ctx.mark_non_differentiable(positions)
        ctx.save_for_backward(indices)
        return values, positions

    @staticmethod
    def backward(ctx, grad_values, grad_positions):
        indices, = ctx.saved_tensors
        return grad_values[indices]
""",
    ),
    (
        "13.SortDescending",
        "wrong",
        "positions is not marked as non-differentiable",
        """
class SortDescending(Function):
    @staticmethod
    def forward(ctx, x):
        values, indices = torch.sort(x, descending=True)
        positions = indices.to(x.dtype)
        ctx.save_for_backward(indices)
        return values, positions

    @staticmethod
    def backward(ctx, grad_values, grad_positions):
        indices, = ctx.saved_tensors
        grad = torch.zeros_like(grad_values)
        grad[indices] = grad_values
        return grad
""",
    ),
    (
        "13.SortDescending",
        "wrong",
        "positions has whole numbers (int64) instead of the dtype of x",
        """
class SortDescending(Function):
    @staticmethod
    def forward(ctx, x):
        values, indices = torch.sort(x, descending=True)
        positions = indices
        ctx.mark_non_differentiable(positions)
        ctx.save_for_backward(indices)
        return values, positions

    @staticmethod
    def backward(ctx, grad_values, grad_positions):
        indices, = ctx.saved_tensors
        grad = torch.zeros_like(grad_values)
        grad[indices] = grad_values
        return grad
""",
    ),
    (
        "13.SortDescending",
        "wrong",
        "the wrong tensor is marked: the whole numbers, not the copy that is returned",
        """
class SortDescending(Function):
    @staticmethod
    def forward(ctx, x):
        values, indices = torch.sort(x, descending=True)
        positions = indices.to(x.dtype)
        ctx.mark_non_differentiable(indices)
        ctx.save_for_backward(indices)
        return values, positions

    @staticmethod
    def backward(ctx, grad_values, grad_positions):
        indices, = ctx.saved_tensors
        grad = torch.zeros_like(grad_values)
        grad[indices] = grad_values
        return grad
""",
    ),
    (
        "13.SortDescending",
        "wrong",
        "detach in forward does not say that positions has no gradient: it must be marked",
        """
class SortDescending(Function):
    @staticmethod
    def forward(ctx, x):
        values, indices = torch.sort(x, descending=True)
        positions = indices.to(x.dtype)
        positions = positions.detach()
        ctx.save_for_backward(indices)
        return values, positions

    @staticmethod
    def backward(ctx, grad_values, grad_positions):
        indices, = ctx.saved_tensors
        grad = torch.zeros_like(grad_values)
        grad[indices] = grad_values
        return grad
""",
    ),
    (
        "13.SortDescending",
        "wrong",
        "positions holds the rank of each entry of x, not the position in x of each value",
        """
class SortDescending(Function):
    @staticmethod
    def forward(ctx, x):
        values, indices = torch.sort(x, descending=True)
        positions = torch.argsort(indices).to(x.dtype)
        ctx.mark_non_differentiable(positions)
        ctx.save_for_backward(indices)
        return values, positions

    @staticmethod
    def backward(ctx, grad_values, grad_positions):
        indices, = ctx.saved_tensors
        grad = torch.zeros_like(grad_values)
        grad[indices] = grad_values
        return grad
""",
    ),
    (
        "13.SortDescending",
        "wrong",
        "positions are counted from 1",
        """
class SortDescending(Function):
    @staticmethod
    def forward(ctx, x):
        values, indices = torch.sort(x, descending=True)
        positions = indices.to(x.dtype) + 1
        ctx.mark_non_differentiable(positions)
        ctx.save_for_backward(indices)
        return values, positions

    @staticmethod
    def backward(ctx, grad_values, grad_positions):
        indices, = ctx.saved_tensors
        grad = torch.zeros_like(grad_values)
        grad[indices] = grad_values
        return grad
""",
    ),
    (
        "13.SortDescending",
        "wrong",
        "the values are flipped to go from large to small, the positions are not",
        """
class SortDescending(Function):
    @staticmethod
    def forward(ctx, x):
        values, order = torch.sort(x)
        values = values.flip(0)
        indices = order.flip(0)
        positions = order.to(x.dtype)
        ctx.mark_non_differentiable(positions)
        ctx.save_for_backward(indices)
        return values, positions

    @staticmethod
    def backward(ctx, grad_values, grad_positions):
        indices, = ctx.saved_tensors
        grad = torch.zeros_like(grad_values)
        grad[indices] = grad_values
        return grad
""",
    ),
    (
        "13.SortDescending",
        "wrong",
        "backward returns the gradient in the sorted order, it is not moved back to the positions in x",
        """
class SortDescending(Function):
    @staticmethod
    def forward(ctx, x):
        values, indices = torch.sort(x, descending=True)
        positions = indices.to(x.dtype)
        ctx.mark_non_differentiable(positions)
        ctx.save_for_backward(indices)
        return values, positions

    @staticmethod
    def backward(ctx, grad_values, grad_positions):
        return grad_values
""",
    ),
    (
        "13.SortDescending",
        "wrong",
        "backward returns two values, but forward has one argument (a gradient must be one per argument, not per result)",
        """
class SortDescending(Function):
    @staticmethod
    def forward(ctx, x):
        values, indices = torch.sort(x, descending=True)
        positions = indices.to(x.dtype)
        ctx.mark_non_differentiable(positions)
        ctx.save_for_backward(indices)
        return values, positions

    @staticmethod
    def backward(ctx, grad_values, grad_positions):
        indices, = ctx.saved_tensors
        grad = torch.zeros_like(grad_values)
        grad[indices] = grad_values
        return grad, torch.ones(1)
""",
    ),
    (
        "13.SortDescending",
        "wrong",
        "positions is always float32",
        """
class SortDescending(Function):
    @staticmethod
    def forward(ctx, x):
        values, indices = torch.sort(x, descending=True)
        positions = indices.float()
        ctx.mark_non_differentiable(positions)
        ctx.save_for_backward(indices)
        return values, positions

    @staticmethod
    def backward(ctx, grad_values, grad_positions):
        indices, = ctx.saved_tensors
        grad = torch.zeros_like(grad_values)
        grad[indices] = grad_values
        return grad
""",
    ),
    (
        "13.SortDescending",
        "wrong",
        "the wrong result is marked: values has no gradient any more",
        """
class SortDescending(Function):
    @staticmethod
    def forward(ctx, x):
        values, indices = torch.sort(x, descending=True)
        positions = indices.to(x.dtype)
        ctx.mark_non_differentiable(values)
        ctx.save_for_backward(indices)
        return values, positions

    @staticmethod
    def backward(ctx, grad_values, grad_positions):
        indices, = ctx.saved_tensors
        grad = torch.zeros_like(grad_values)
        grad[indices] = grad_values
        return grad
""",
    ),
    (
        "13.SortDescending",
        "wrong",
        "sorts by the absolute value",
        """
class SortDescending(Function):
    @staticmethod
    def forward(ctx, x):
        indices = torch.argsort(x.abs(), descending=True)
        values = x[indices]
        positions = indices.to(x.dtype)
        ctx.mark_non_differentiable(positions)
        ctx.save_for_backward(indices)
        return values, positions

    @staticmethod
    def backward(ctx, grad_values, grad_positions):
        indices, = ctx.saved_tensors
        grad = torch.zeros_like(grad_values)
        grad[indices] = grad_values
        return grad
""",
    ),
    (
        "13.SortDescending",
        "wrong",
        "x itself is sorted in place",
        """
class SortDescending(Function):
    @staticmethod
    def forward(ctx, x):
        order = list(range(len(x)))
        for i in range(len(x)):
            for j in range(i + 1, len(x)):
                if x[j] > x[i]:
                    a, b = x[i].item(), x[j].item()
                    x[i], x[j] = b, a
                    order[i], order[j] = order[j], order[i]
        ctx.order = order
        positions = torch.tensor(order, dtype=x.dtype)
        ctx.mark_non_differentiable(positions)
        return x.clone(), positions

    @staticmethod
    def backward(ctx, grad_values, grad_positions):
        grad = torch.zeros_like(grad_values)
        for i, p in enumerate(ctx.order):
            grad[p] = grad_values[i]
        return grad
""",
    ),
    (
        "13.SortDescending",
        "wrong",
        "the inner loop ends one entry early: the last entry of x always stays at the end",
        """
class SortDescending(Function):
    @staticmethod
    def forward(ctx, x):
        numbers = x.tolist()
        n = len(numbers)
        order = list(range(n))
        for i in range(n):
            for j in range(i + 1, n - 1):
                if numbers[order[j]] > numbers[order[i]]:
                    order[i], order[j] = order[j], order[i]
        ctx.order = order
        values = torch.tensor([numbers[i] for i in order], dtype=x.dtype)
        positions = torch.tensor(order, dtype=x.dtype)
        ctx.mark_non_differentiable(positions)
        return values, positions

    @staticmethod
    def backward(ctx, grad_values, grad_positions):
        grad = torch.zeros_like(grad_values)
        for i, p in enumerate(ctx.order):
            grad[p] = grad_values[i]
        return grad
""",
    ),
    (
        "13.SortDescending",
        "wrong",
        "the positions are kept on the class, so a second call disturbs the first",
        """
class SortDescending(Function):
    @staticmethod
    def forward(ctx, x):
        values, indices = torch.sort(x, descending=True)
        positions = indices.to(x.dtype)
        ctx.mark_non_differentiable(positions)
        SortDescending.indices = indices
        return values, positions

    @staticmethod
    def backward(ctx, grad_values, grad_positions):
        indices = SortDescending.indices
        grad = torch.zeros_like(grad_values)
        grad[indices] = grad_values
        return grad
""",
    ),
    (
        "13.SortDescending",
        "wrong",
        "backward turns the gradient around, as if x had always come from small to large",
        """
class SortDescending(Function):
    @staticmethod
    def forward(ctx, x):
        values, indices = torch.sort(x, descending=True)
        positions = indices.to(x.dtype)
        ctx.mark_non_differentiable(positions)
        ctx.save_for_backward(indices)
        return values, positions

    @staticmethod
    def backward(ctx, grad_values, grad_positions):
        return grad_values.flip(0)
""",
    ),
    (
        "13.SortDescending",
        "right",
        "counts for each entry how many are larger, and sorts and un-sorts by multiplying with a permutation matrix",
        """
class SortDescending(Function):
    @staticmethod
    def forward(ctx, x):
        n = len(x)
        rank = (x.unsqueeze(0) > x.unsqueeze(1)).sum(dim=1)          # rank[i]: where x[i] goes
        places = torch.arange(n)
        table = (places.unsqueeze(1) == rank.unsqueeze(0)).to(x.dtype)   # table[place, i]
        positions = table @ places.to(x.dtype)
        ctx.mark_non_differentiable(positions)
        ctx.table = table
        return table @ x, positions

    @staticmethod
    def backward(ctx, grad_values, grad_positions):
        return ctx.table.T @ grad_values
""",
    ),
    (
        "13.SortDescending",
        "wrong",
        "sorted from small to large instead of from large to small",
        """
class SortDescending(Function):
    @staticmethod
    def forward(ctx, x):
        order = torch.argsort(x, descending=False)
        positions = order.to(x.dtype)
        ctx.mark_non_differentiable(positions)
        ctx.save_for_backward(order)
        return x[order], positions

    @staticmethod
    def backward(ctx, grad_values, grad_positions):
        order, = ctx.saved_tensors
        grad = torch.zeros_like(grad_values)
        grad[order] = grad_values
        return grad
""",
    ),
    (
        "13.SortDescending",
        "wrong",
        "forward does not mark positions as non-differentiable, so positions requires grad",
        """
class SortDescending(Function):
    @staticmethod
    def forward(ctx, x):
        order = torch.argsort(x, descending=True)
        positions = order.to(x.dtype)
        ctx.save_for_backward(order)
        return x[order], positions

    @staticmethod
    def backward(ctx, grad_values, grad_positions):
        order, = ctx.saved_tensors
        grad = torch.zeros_like(grad_values)
        grad[order] = grad_values
        return grad
""",
    ),
    (
        "13.SortDescending",
        "wrong",
        "the gradient is taken from the positions (grad_values[order]) instead of being put at them, which is the permutation the wrong way round",
        """
class SortDescending(Function):
    @staticmethod
    def forward(ctx, x):
        order = torch.argsort(x, descending=True)
        positions = order.to(x.dtype)
        ctx.mark_non_differentiable(positions)
        ctx.save_for_backward(order)
        return x[order], positions

    @staticmethod
    def backward(ctx, grad_values, grad_positions):
        order, = ctx.saved_tensors
        return grad_values[order]
""",
    ),
    (
        "13.SortDescending",
        "wrong",
        "positions stay whole numbers (int64) instead of getting the dtype of x",
        """
class SortDescending(Function):
    @staticmethod
    def forward(ctx, x):
        order = torch.argsort(x, descending=True)
        positions = order.clone()
        ctx.mark_non_differentiable(positions)
        ctx.save_for_backward(order)
        return x[order], positions

    @staticmethod
    def backward(ctx, grad_values, grad_positions):
        order, = ctx.saved_tensors
        grad = torch.zeros_like(grad_values)
        grad[order] = grad_values
        return grad
""",
    ),
    (
        "13.SortDescending",
        "wrong",
        "positions holds the rank of each entry of x (where it goes) instead of where each value came from",
        """
class SortDescending(Function):
    @staticmethod
    def forward(ctx, x):
        order = torch.argsort(x, descending=True)
        positions = torch.argsort(order).to(x.dtype)
        ctx.mark_non_differentiable(positions)
        ctx.save_for_backward(order)
        return x[order], positions

    @staticmethod
    def backward(ctx, grad_values, grad_positions):
        order, = ctx.saved_tensors
        grad = torch.zeros_like(grad_values)
        grad[order] = grad_values
        return grad
""",
    ),
    (
        "13.AddInPlace",
        "right",
        "+= after mark_dirty",
        """
class AddInPlace(Function):
    @staticmethod
    def forward(ctx, x, y):
        ctx.mark_dirty(x)
        x += y
        return x

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output.clone(), grad_output.clone()
""",
    ),
    (
        "13.AddInPlace",
        "right",
        "setup_context marks x, forward writes with copy_",
        """
class AddInPlace(Function):
    @staticmethod
    def forward(x, y):
        return x.copy_(x + y)

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.mark_dirty(inputs[0])

    @staticmethod
    def backward(ctx, grad_output):
        return (grad_output,) * 2
""",
    ),
    (
        "13.AddInPlace",
        "right",
        "assigns to all entries with [...], and computes only the gradients that are needed",
        """
class AddInPlace(Function):
    @staticmethod
    def forward(ctx, x, y):
        x[...] = y + x
        ctx.mark_dirty(x)
        return x

    @staticmethod
    def backward(ctx, grad_output):
        grad_x = grad_output if ctx.needs_input_grad[0] else None
        grad_y = 1.0 * grad_output if ctx.needs_input_grad[1] else None
        return grad_x, grad_y
""",
    ),
    (
        "13.AddInPlace",
        "right",
        "subtracts the negative in place; the gradient of y is multiplied by ones",
        """
class AddInPlace(Function):
    @staticmethod
    def forward(ctx, *args):
        x, y = args
        ctx.mark_dirty(x)
        return x.sub_(-y)

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output, grad_output * torch.ones_like(grad_output)
""",
    ),
    (
        "13.AddInPlace",
        "wrong",
        "x is not marked as changed (mark_dirty is missing)",
        """
class AddInPlace(Function):
    @staticmethod
    def forward(ctx, x, y):
        x.add_(y)
        return x

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output, grad_output
""",
    ),
    (
        "13.AddInPlace",
        "wrong",
        "not in place: the result is a new tensor, and x keeps its values",
        """
class AddInPlace(Function):
    @staticmethod
    def forward(ctx, x, y):
        result = x + y
        return result

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output, grad_output
""",
    ),
    (
        "13.AddInPlace",
        "wrong",
        "x is changed, but a copy is returned instead of x itself",
        """
class AddInPlace(Function):
    @staticmethod
    def forward(ctx, x, y):
        x.add_(y)
        ctx.mark_dirty(x)
        return x.clone()

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output, grad_output
""",
    ),
    (
        "13.AddInPlace",
        "wrong",
        "backward returns only one gradient; forward has two arguments",
        """
class AddInPlace(Function):
    @staticmethod
    def forward(ctx, x, y):
        x.add_(y)
        ctx.mark_dirty(x)
        return x

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output
""",
    ),
    (
        "13.AddInPlace",
        "wrong",
        "the gradient of y is missing (None)",
        """
class AddInPlace(Function):
    @staticmethod
    def forward(ctx, x, y):
        x.add_(y)
        ctx.mark_dirty(x)
        return x

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output, None
""",
    ),
    (
        "13.AddInPlace",
        "wrong",
        "the gradient of x is zero, as if the old x had been overwritten",
        """
class AddInPlace(Function):
    @staticmethod
    def forward(ctx, x, y):
        x.add_(y)
        ctx.mark_dirty(x)
        return x

    @staticmethod
    def backward(ctx, grad_output):
        return torch.zeros_like(grad_output), grad_output
""",
    ),
    (
        "13.AddInPlace",
        "wrong",
        "subtracts y instead of adding it (backward fits the subtraction)",
        """
class AddInPlace(Function):
    @staticmethod
    def forward(ctx, x, y):
        x.sub_(y)
        ctx.mark_dirty(x)
        return x

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output, -grad_output
""",
    ),
    (
        "13.AddInPlace",
        "wrong",
        "the arguments are mixed up: y is changed and returned, x is not",
        """
class AddInPlace(Function):
    @staticmethod
    def forward(ctx, x, y):
        y.add_(x)
        ctx.mark_dirty(y)
        return y

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output, grad_output
""",
    ),
    (
        "13.AddInPlace",
        "wrong",
        "the wrong argument is marked as changed: y instead of x",
        """
class AddInPlace(Function):
    @staticmethod
    def forward(ctx, x, y):
        x.add_(y)
        ctx.mark_dirty(y)
        return x

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output, grad_output
""",
    ),
    (
        "13.AddInPlace",
        "wrong",
        "y is changed too: it is used as scratch space for the sum, which is then copied into x",
        """
class AddInPlace(Function):
    @staticmethod
    def forward(ctx, x, y):
        y += x
        x.copy_(y)
        ctx.mark_dirty(x)
        return x

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output, grad_output
""",
    ),
    (
        "13.AddInPlace",
        "wrong",
        "y is added twice",
        """
class AddInPlace(Function):
    @staticmethod
    def forward(ctx, x, y):
        x.add_(y)
        ctx.mark_dirty(x)
        return x.add_(y)

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output, grad_output
""",
    ),
    (
        "13.AddInPlace",
        "wrong",
        "the gradient of y has the wrong shape: it is summed over all entries",
        """
class AddInPlace(Function):
    @staticmethod
    def forward(ctx, x, y):
        x.add_(y)
        ctx.mark_dirty(x)
        return x

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output, grad_output.sum()
""",
    ),
    (
        "13.AddInPlace",
        "wrong",
        "the gradient is split in halves between x and y",
        """
class AddInPlace(Function):
    @staticmethod
    def forward(ctx, x, y):
        x.add_(y)
        ctx.mark_dirty(x)
        return x

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output / 2, grad_output / 2
""",
    ),
    (
        "13.AddInPlace",
        "wrong",
        "loops over len(x), which fails for a tensor with no dimensions",
        """
class AddInPlace(Function):
    @staticmethod
    def forward(ctx, x, y):
        for i in range(len(x)):
            x[i] = x[i] + y[i]
        ctx.mark_dirty(x)
        return x

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output, grad_output
""",
    ),
    (
        "13.AddInPlace",
        "wrong",
        "x = x + y makes a new tensor: the name x is not the argument any more, so the argument is not changed",
        """
class AddInPlace(Function):
    @staticmethod
    def forward(ctx, x, y):
        ctx.mark_dirty(x)
        x = x + y
        return x

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output, grad_output
""",
    ),
    (
        "13.AddInPlace",
        "wrong",
        "forgotten return in forward",
        """
class AddInPlace(Function):
    @staticmethod
    def forward(ctx, x, y):
        x.add_(y)
        ctx.mark_dirty(x)

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output, grad_output
""",
    ),
    (
        "13.AddInPlace",
        "wrong",
        "the gradients are those of a product (grad_output times the other argument)",
        """
class AddInPlace(Function):
    @staticmethod
    def forward(ctx, x, y):
        ctx.old = x.clone(), y.clone()
        x.add_(y)
        ctx.mark_dirty(x)
        return x

    @staticmethod
    def backward(ctx, grad_output):
        x, y = ctx.old
        return grad_output * y, grad_output * x
""",
    ),
    (
        "13.AddInPlace",
        "wrong",
        "backward changes grad_output in place (adds to it, as if the two gradients had to be added up)",
        """
class AddInPlace(Function):
    @staticmethod
    def forward(ctx, x, y):
        x.add_(y)
        ctx.mark_dirty(x)
        return x

    @staticmethod
    def backward(ctx, grad_output):
        grad_y = grad_output.clone()
        grad_output += grad_y
        return grad_y, grad_y
""",
    ),
    (
        "13.AddInPlace",
        "right",
        "marks first, then copies the sum into x; backward returns the two gradients as a list made by a comprehension and turned into a tuple",
        """
class AddInPlace(Function):
    @staticmethod
    def forward(ctx, x, y):
        ctx.mark_dirty(x)
        total = y + x
        return x.copy_(total)

    @staticmethod
    def backward(ctx, grad_output):
        return tuple(grad_output.clone() for _ in range(2))
""",
    ),
    (
        "13.AddInPlace",
        "wrong",
        "forward does not call ctx.mark_dirty(x), so autograd does not know that x was changed",
        """
class AddInPlace(Function):
    @staticmethod
    def forward(ctx, x, y):
        x.add_(y)
        return x

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output, grad_output
""",
    ),
    (
        "13.AddInPlace",
        "wrong",
        "the sum is a new tensor; x itself is not changed and is not the result",
        """
class AddInPlace(Function):
    @staticmethod
    def forward(ctx, x, y):
        x = x + y
        return x

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output, grad_output
""",
    ),
    (
        "13.AddInPlace",
        "wrong",
        "backward returns one gradient only; the one for y is missing",
        """
class AddInPlace(Function):
    @staticmethod
    def forward(ctx, x, y):
        x.add_(y)
        ctx.mark_dirty(x)
        return x

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output
""",
    ),
    (
        "13.AddInPlace",
        "wrong",
        "y gets None as its gradient, although it is a tensor and its gradient is grad_output",
        """
class AddInPlace(Function):
    @staticmethod
    def forward(ctx, x, y):
        x.add_(y)
        ctx.mark_dirty(x)
        return x

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output, None
""",
    ),
    (
        "13.AddInPlace",
        "wrong",
        "the wrong argument is changed: x is added to y, and y is marked and returned",
        """
class AddInPlace(Function):
    @staticmethod
    def forward(ctx, x, y):
        y.add_(x)
        ctx.mark_dirty(y)
        return y

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output, grad_output
""",
    ),
    (
        "13.CumSum",
        "right",
        "loops over the columns, forward from the left and backward from the right",
        """
class CumSum(Function):
    @staticmethod
    def forward(ctx, x):
        result = x.clone()
        for j in range(1, x.shape[-1]):
            result[..., j] = result[..., j - 1] + x[..., j]
        return result

    @staticmethod
    def backward(ctx, grad_output):
        grad = grad_output.clone()
        for j in range(grad.shape[-1] - 2, -1, -1):
            grad[..., j] += grad[..., j + 1]
        return grad
""",
    ),
    (
        "13.CumSum",
        "right",
        "a product with a triangle of ones",
        """
class CumSum(Function):
    @staticmethod
    def forward(ctx, x):
        n = x.shape[-1]
        ctx.table = torch.triu(torch.ones(n, n, dtype=x.dtype))
        return x @ ctx.table

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output @ ctx.table.T
""",
    ),
    (
        "13.CumSum",
        "right",
        "total minus the running sum plus the own entry; with setup_context",
        """
class CumSum(Function):
    @staticmethod
    def forward(x):
        return x.cumsum(dim=x.dim() - 1)

    @staticmethod
    def setup_context(ctx, inputs, output):
        pass

    @staticmethod
    def backward(ctx, g):
        return g.sum(-1, keepdim=True) - g.cumsum(-1) + g
""",
    ),
    (
        "13.CumSum",
        "right",
        "NumPy in both, with a reversed view",
        """
import numpy as np

class CumSum(Function):
    @staticmethod
    def forward(ctx, x):
        return torch.tensor(np.cumsum(x.detach().numpy(), axis=-1), dtype=x.dtype)

    @staticmethod
    def backward(ctx, grad_output):
        g = grad_output.detach().numpy()
        return torch.tensor(np.cumsum(g[..., ::-1], axis=-1)[..., ::-1].copy(), dtype=grad_output.dtype)
""",
    ),
    (
        "13.CumSum",
        "wrong",
        "backward sums from the left instead of from the right",
        """
class CumSum(Function):
    @staticmethod
    def forward(ctx, x):
        return torch.cumsum(x, -1)

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output.cumsum(-1)
""",
    ),
    (
        "13.CumSum",
        "wrong",
        "sums along the first dimension instead of the last (forward and backward)",
        """
class CumSum(Function):
    @staticmethod
    def forward(ctx, x):
        return torch.cumsum(x, 0)

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output.flip(0).cumsum(0).flip(0)
""",
    ),
    (
        "13.CumSum",
        "wrong",
        "the dimension is fixed at 1: fails for vectors and is the wrong one with three dimensions",
        """
class CumSum(Function):
    @staticmethod
    def forward(ctx, x):
        return torch.cumsum(x, 1)

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output.flip(1).cumsum(1).flip(1)
""",
    ),
    (
        "13.CumSum",
        "wrong",
        "backward returns grad_output as it is",
        """
class CumSum(Function):
    @staticmethod
    def forward(ctx, x):
        return torch.cumsum(x, -1)

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output
""",
    ),
    (
        "13.CumSum",
        "wrong",
        "off by one in backward: the own entry is left out of the sum from the right",
        """
class CumSum(Function):
    @staticmethod
    def forward(ctx, x):
        return torch.cumsum(x, -1)

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output.sum(-1, keepdim=True) - grad_output.cumsum(-1)
""",
    ),
    (
        "13.CumSum",
        "wrong",
        "the result of the sum is not flipped back",
        """
class CumSum(Function):
    @staticmethod
    def forward(ctx, x):
        return torch.cumsum(x, -1)

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output.flip(-1).cumsum(-1)
""",
    ),
    (
        "13.CumSum",
        "wrong",
        "backward gives every entry the whole sum of its row",
        """
class CumSum(Function):
    @staticmethod
    def forward(ctx, x):
        return torch.cumsum(x, -1)

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output.sum(-1, keepdim=True).expand_as(grad_output).clone()
""",
    ),
    (
        "13.CumSum",
        "wrong",
        "the running sum in forward leaves out the own entry (sum over k < j); backward fits that",
        """
class CumSum(Function):
    @staticmethod
    def forward(ctx, x):
        return torch.cumsum(x, -1) - x

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output.flip(-1).cumsum(-1).flip(-1) - grad_output
""",
    ),
    (
        "13.CumSum",
        "wrong",
        "the total is not set back to zero at the beginning of each row (runs on over all entries; backward fits that)",
        """
class CumSum(Function):
    @staticmethod
    def forward(ctx, x):
        return x.flatten().cumsum(0).reshape(x.shape)

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output.flatten().flip(0).cumsum(0).flip(0).reshape(grad_output.shape)
""",
    ),
    (
        "13.CumSum",
        "wrong",
        "forward changes x in place",
        """
class CumSum(Function):
    @staticmethod
    def forward(ctx, x):
        result = x
        for j in range(1, x.shape[-1]):
            result[..., j] = result[..., j] + result[..., j - 1]
        return result.clone()

    @staticmethod
    def backward(ctx, grad_output):
        grad = grad_output.clone()
        for j in range(grad.shape[-1] - 2, -1, -1):
            grad[..., j] += grad[..., j + 1]
        return grad
""",
    ),
    (
        "13.CumSum",
        "wrong",
        "backward changes grad_output in place (no copy)",
        """
class CumSum(Function):
    @staticmethod
    def forward(ctx, x):
        result = x.clone()
        for j in range(1, x.shape[-1]):
            result[..., j] = result[..., j - 1] + x[..., j]
        return result

    @staticmethod
    def backward(ctx, grad_output):
        grad = grad_output
        for j in range(grad.shape[-1] - 2, -1, -1):
            grad[..., j] += grad[..., j + 1]
        return grad
""",
    ),
    (
        "13.CumSum",
        "wrong",
        "the result has the default dtype float32, not the dtype of x",
        """
class CumSum(Function):
    @staticmethod
    def forward(ctx, x):
        result = torch.zeros(x.shape)
        result[..., 0] = x[..., 0]
        for j in range(1, x.shape[-1]):
            result[..., j] = result[..., j - 1] + x[..., j]
        return result

    @staticmethod
    def backward(ctx, grad_output):
        grad = grad_output.clone()
        for j in range(grad.shape[-1] - 2, -1, -1):
            grad[..., j] += grad[..., j + 1]
        return grad
""",
    ),
    (
        "13.CumSum",
        "wrong",
        "the loop in forward ends one column early: the last entry is not a running sum",
        """
class CumSum(Function):
    @staticmethod
    def forward(ctx, x):
        result = x.clone()
        for j in range(1, x.shape[-1] - 1):
            result[..., j] = result[..., j - 1] + x[..., j]
        return result

    @staticmethod
    def backward(ctx, grad_output):
        grad = grad_output.clone()
        for j in range(grad.shape[-1] - 2, -1, -1):
            grad[..., j] += grad[..., j + 1]
        return grad
""",
    ),
    (
        "13.CumSum",
        "wrong",
        "the loop in backward ends one column early: column 0 gets only its own gradient",
        """
class CumSum(Function):
    @staticmethod
    def forward(ctx, x):
        result = x.clone()
        for j in range(1, x.shape[-1]):
            result[..., j] = result[..., j - 1] + x[..., j]
        return result

    @staticmethod
    def backward(ctx, grad_output):
        grad = grad_output.clone()
        for j in range(grad.shape[-1] - 2, 0, -1):
            grad[..., j] += grad[..., j + 1]
        return grad
""",
    ),
    (
        "13.CumSum",
        "wrong",
        "backward counts in how many results an entry is, and multiplies its own grad_output by that, instead of adding the gradients of these results",
        """
class CumSum(Function):
    @staticmethod
    def forward(ctx, x):
        return torch.cumsum(x, -1)

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output * torch.arange(grad_output.shape[-1], 0, -1).to(grad_output.dtype)
""",
    ),
    (
        "13.CumSum",
        "wrong",
        "backward ignores grad_output: it returns in how many results each entry is",
        """
class CumSum(Function):
    @staticmethod
    def forward(ctx, x):
        return torch.cumsum(x, -1)

    @staticmethod
    def backward(ctx, grad_output):
        return torch.ones_like(grad_output).flip(-1).cumsum(-1).flip(-1)
""",
    ),
    (
        "13.CumSum",
        "wrong",
        "backward flips the first dimension, but sums along the last",
        """
class CumSum(Function):
    @staticmethod
    def forward(ctx, x):
        return torch.cumsum(x, -1)

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output.flip(0).cumsum(-1).flip(0)
""",
    ),
    (
        "13.CumSum",
        "wrong",
        "keepdim is missing: the sum of a row is combined with the wrong entries of a matrix",
        """
class CumSum(Function):
    @staticmethod
    def forward(ctx, x):
        return torch.cumsum(x, -1)

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output.sum(-1) - grad_output.cumsum(-1) + grad_output
""",
    ),
    (
        "13.CumSum",
        "right",
        "multiplies by a triangle of ones in forward and by its transpose in backward",
        """
class CumSum(Function):
    @staticmethod
    def forward(ctx, x):
        n = x.shape[-1]
        ctx.triangle = torch.triu(torch.ones(n, n, dtype=x.dtype))
        return x @ ctx.triangle

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output @ ctx.triangle.T
""",
    ),
    (
        "13.CumSum",
        "wrong",
        "sums along the first dimension instead of the last, in both directions",
        """
class CumSum(Function):
    @staticmethod
    def forward(ctx, x):
        return torch.cumsum(x, 0)

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output.flip(0).cumsum(0).flip(0)
""",
    ),
    (
        "13.CumSum",
        "wrong",
        "backward sums from the left like forward; entry j is part of the results j and later, so the sum must run from the right",
        """
class CumSum(Function):
    @staticmethod
    def forward(ctx, x):
        return torch.cumsum(x, -1)

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output.cumsum(-1)
""",
    ),
    (
        "13.CumSum",
        "wrong",
        "off by one: the gradient of entry j sums the gradients of the results after j and leaves out result j itself",
        """
class CumSum(Function):
    @staticmethod
    def forward(ctx, x):
        return torch.cumsum(x, -1)

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output.sum(dim=-1, keepdim=True) - grad_output.cumsum(-1)
""",
    ),
    (
        "13.CumSum",
        "wrong",
        "backward flips the first dimension instead of the last one; right for vectors only",
        """
class CumSum(Function):
    @staticmethod
    def forward(ctx, x):
        return torch.cumsum(x, -1)

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output.flip(0).cumsum(-1).flip(0)
""",
    ),
    (
        "13.CumSum",
        "wrong",
        "each gradient is multiplied by the number of results that the entry is part of, instead of summing the gradients of these results; right only if all gradients are equal",
        """
class CumSum(Function):
    @staticmethod
    def forward(ctx, x):
        return torch.cumsum(x, -1)

    @staticmethod
    def backward(ctx, grad_output):
        n = grad_output.shape[-1]
        count = torch.arange(n, 0, -1).to(grad_output.dtype)
        return grad_output * count
""",
    ),
    (
        "13.MaxPool1d",
        "right",
        "plain loops over rows and windows, positions in a dict",
        """
class MaxPool1d(Function):
    @staticmethod
    def forward(ctx, x, k):
        ctx.shape = x.shape
        rows = x.reshape(-1, x.shape[-1])
        n = rows.shape[1] // k
        result = torch.zeros(rows.shape[0], n, dtype=x.dtype)
        ctx.where = {}
        for r in range(rows.shape[0]):
            for i in range(n):
                best = i * k
                for j in range(i * k, (i + 1) * k):
                    if rows[r, j] > rows[r, best]:
                        best = j
                result[r, i] = rows[r, best]
                ctx.where[r, i] = best
        return result.reshape(*x.shape[:-1], n)

    @staticmethod
    def backward(ctx, grad_output):
        grad = torch.zeros(ctx.shape, dtype=grad_output.dtype).reshape(-1, ctx.shape[-1])
        g = grad_output.reshape(grad.shape[0], -1)
        for (r, i), best in ctx.where.items():
            grad[r, best] = g[r, i]
        return grad.reshape(ctx.shape), None
""",
    ),
    (
        "13.MaxPool1d",
        "right",
        "a mask: where the entry is the largest of its window; leftover entries are filled up with cat",
        """
class MaxPool1d(Function):
    @staticmethod
    def forward(x, k):
        n = x.shape[-1] // k
        return torch.stack([x[..., i * k:(i + 1) * k].amax(dim=-1) for i in range(n)], dim=-1)

    @staticmethod
    def setup_context(ctx, inputs, output):
        x, ctx.k = inputs
        ctx.save_for_backward(x, output)

    @staticmethod
    def backward(ctx, grad_output):
        x, largest = ctx.saved_tensors
        k = ctx.k
        used = largest.shape[-1] * k
        mask = x[..., :used] == largest.repeat_interleave(k, dim=-1)
        grad = grad_output.repeat_interleave(k, dim=-1) * mask
        left = torch.zeros(*x.shape[:-1], x.shape[-1] - used, dtype=grad.dtype)
        return torch.cat([grad, left], dim=-1), None
""",
    ),
    (
        "13.MaxPool1d",
        "right",
        "window by window with argmax, and assignment to one slice of the gradient after the other",
        """
class MaxPool1d(Function):
    @staticmethod
    def forward(ctx, x, k):
        ctx.k = k
        ctx.save_for_backward(x)
        results = []
        start = 0
        while start + k <= x.shape[-1]:
            results.append(x[..., start:start + k].max(dim=-1)[0])
            start += k
        return torch.stack(results, dim=-1)

    @staticmethod
    def backward(ctx, grad_output):
        x, = ctx.saved_tensors
        k = ctx.k
        grad = torch.zeros_like(x)
        for i in range(grad_output.shape[-1]):
            window = x[..., i * k:(i + 1) * k]
            best = window.argmax(dim=-1, keepdim=True)
            hot = (torch.arange(k) == best).to(x.dtype)
            grad[..., i * k:(i + 1) * k] = hot * grad_output[..., i:i + 1]
        return grad, None
""",
    ),
    (
        "13.MaxPool1d",
        "right",
        "NumPy: put_along_axis into zeros",
        """
import numpy as np

class MaxPool1d(Function):
    @staticmethod
    def forward(ctx, x, k):
        a = x.detach().numpy()
        n = a.shape[-1] // k
        w = a[..., :n * k].reshape(a.shape[:-1] + (n, k))
        ctx.where = w.argmax(axis=-1) + np.arange(n) * k
        ctx.shape = a.shape
        return torch.tensor(np.take_along_axis(a, ctx.where, axis=-1))

    @staticmethod
    def backward(ctx, grad_output):
        g = grad_output.detach().numpy()
        grad = np.zeros(ctx.shape, dtype=g.dtype)
        np.put_along_axis(grad, ctx.where, g, axis=-1)
        return torch.from_numpy(grad), None
""",
    ),
    (
        "13.MaxPool1d",
        "wrong",
        "backward returns one value only; the None for k is missing",
        """
class MaxPool1d(Function):
    @staticmethod
    def forward(ctx, x, k):
        n = x.shape[-1] // k
        windows = x[..., :n * k].reshape(*x.shape[:-1], n, k)
        values, where = windows.max(dim=-1)
        ctx.shape = x.shape
        ctx.save_for_backward(where + k * torch.arange(n))
        return values

    @staticmethod
    def backward(ctx, grad_output):
        where, = ctx.saved_tensors
        zeros = torch.zeros(ctx.shape, dtype=grad_output.dtype)
        return zeros.scatter(-1, where, grad_output)
""",
    ),
    (
        "13.MaxPool1d",
        "wrong",
        "the gradient is spread evenly over the entries of the window instead of going to the largest one",
        """
class MaxPool1d(Function):
    @staticmethod
    def forward(ctx, x, k):
        n = x.shape[-1] // k
        windows = x[..., :n * k].reshape(*x.shape[:-1], n, k)
        values, where = windows.max(dim=-1)
        ctx.shape, ctx.k = x.shape, k
        ctx.save_for_backward(where + k * torch.arange(n))
        return values

    @staticmethod
    def backward(ctx, grad_output):
        where, = ctx.saved_tensors
        zeros = torch.zeros(ctx.shape, dtype=grad_output.dtype)
        k = ctx.k
        used = grad_output.shape[-1] * k
        zeros[..., :used] = grad_output.repeat_interleave(k, dim=-1) / k
        return zeros, None
""",
    ),
    (
        "13.MaxPool1d",
        "wrong",
        "entries left over are not dropped: reshape fails if the length is not a multiple of k",
        """
class MaxPool1d(Function):
    @staticmethod
    def forward(ctx, x, k):
        n = x.shape[-1] // k
        windows = x.reshape(*x.shape[:-1], n, k)
        values, where = windows.max(dim=-1)
        ctx.shape = x.shape
        ctx.save_for_backward(where + k * torch.arange(n))
        return values

    @staticmethod
    def backward(ctx, grad_output):
        where, = ctx.saved_tensors
        zeros = torch.zeros(ctx.shape, dtype=grad_output.dtype)
        return zeros.scatter(-1, where, grad_output), None
""",
    ),
    (
        "13.MaxPool1d",
        "wrong",
        "entries left over form one more, shorter window instead of being dropped",
        """
class MaxPool1d(Function):
    @staticmethod
    def forward(ctx, x, k):
        ctx.shape = x.shape
        rows = x.reshape(-1, x.shape[-1])
        n = -(-rows.shape[1] // k)
        result = torch.zeros(rows.shape[0], n, dtype=x.dtype)
        ctx.where = {}
        for r in range(rows.shape[0]):
            for i in range(n):
                best = i * k
                for j in range(i * k, min((i + 1) * k, rows.shape[1])):
                    if rows[r, j] > rows[r, best]:
                        best = j
                result[r, i] = rows[r, best]
                ctx.where[r, i] = best
        return result.reshape(*x.shape[:-1], n)

    @staticmethod
    def backward(ctx, grad_output):
        grad = torch.zeros(ctx.shape, dtype=grad_output.dtype).reshape(-1, ctx.shape[-1])
        g = grad_output.reshape(grad.shape[0], -1)
        for (r, i), best in ctx.where.items():
            grad[r, best] = g[r, i]
        return grad.reshape(ctx.shape), None
""",
    ),
    (
        "13.MaxPool1d",
        "wrong",
        "the position inside the window is used as the position in the row: all gradients go to the first window",
        """
class MaxPool1d(Function):
    @staticmethod
    def forward(ctx, x, k):
        n = x.shape[-1] // k
        windows = x[..., :n * k].reshape(*x.shape[:-1], n, k)
        values, where = windows.max(dim=-1)
        ctx.shape = x.shape
        ctx.save_for_backward(where)
        return values

    @staticmethod
    def backward(ctx, grad_output):
        where, = ctx.saved_tensors
        zeros = torch.zeros(ctx.shape, dtype=grad_output.dtype)
        return zeros.scatter(-1, where, grad_output), None
""",
    ),
    (
        "13.MaxPool1d",
        "wrong",
        "the gradient is too short if entries are left over: they are missing instead of having gradient 0",
        """
class MaxPool1d(Function):
    @staticmethod
    def forward(ctx, x, k):
        n = x.shape[-1] // k
        windows = x[..., :n * k].reshape(*x.shape[:-1], n, k)
        values, where = windows.max(dim=-1)
        ctx.shape = (*x.shape[:-1], n * k)
        ctx.save_for_backward(where + k * torch.arange(n))
        return values

    @staticmethod
    def backward(ctx, grad_output):
        where, = ctx.saved_tensors
        zeros = torch.zeros(ctx.shape, dtype=grad_output.dtype)
        return zeros.scatter(-1, where, grad_output), None
""",
    ),
    (
        "13.MaxPool1d",
        "wrong",
        "the windows are every n-th entry instead of neighbours (reshape to k, n instead of n, k)",
        """
class MaxPool1d(Function):
    @staticmethod
    def forward(ctx, x, k):
        n = x.shape[-1] // k
        windows = x[..., :n * k].reshape(*x.shape[:-1], k, n)
        values, where = windows.max(dim=-2)
        ctx.shape = x.shape
        ctx.save_for_backward(where * n + torch.arange(n))
        return values

    @staticmethod
    def backward(ctx, grad_output):
        where, = ctx.saved_tensors
        zeros = torch.zeros(ctx.shape, dtype=grad_output.dtype)
        return zeros.scatter(-1, where, grad_output), None
""",
    ),
    (
        "13.MaxPool1d",
        "wrong",
        "the windows overlap: each begins one entry after the one before, instead of k entries",
        """
class MaxPool1d(Function):
    @staticmethod
    def forward(ctx, x, k):
        ctx.shape = x.shape
        rows = x.reshape(-1, x.shape[-1])
        n = rows.shape[1] - k + 1
        result = torch.zeros(rows.shape[0], n, dtype=x.dtype)
        ctx.where = {}
        for r in range(rows.shape[0]):
            for i in range(n):
                best = i
                for j in range(i, i + k):
                    if rows[r, j] > rows[r, best]:
                        best = j
                result[r, i] = rows[r, best]
                ctx.where[r, i] = best
        return result.reshape(*x.shape[:-1], n)

    @staticmethod
    def backward(ctx, grad_output):
        grad = torch.zeros(ctx.shape, dtype=grad_output.dtype).reshape(-1, ctx.shape[-1])
        g = grad_output.reshape(grad.shape[0], -1)
        for (r, i), best in ctx.where.items():
            grad[r, best] += g[r, i]
        return grad.reshape(ctx.shape), None
""",
    ),
    (
        "13.MaxPool1d",
        "wrong",
        "off by one in the number of windows: if nothing is left over, the last window is missing",
        """
class MaxPool1d(Function):
    @staticmethod
    def forward(ctx, x, k):
        ctx.shape = x.shape
        rows = x.reshape(-1, x.shape[-1])
        n = (rows.shape[1] - 1) // k
        result = torch.zeros(rows.shape[0], n, dtype=x.dtype)
        ctx.where = {}
        for r in range(rows.shape[0]):
            for i in range(n):
                best = i * k
                for j in range(i * k, (i + 1) * k):
                    if rows[r, j] > rows[r, best]:
                        best = j
                result[r, i] = rows[r, best]
                ctx.where[r, i] = best
        return result.reshape(*x.shape[:-1], n)

    @staticmethod
    def backward(ctx, grad_output):
        grad = torch.zeros(ctx.shape, dtype=grad_output.dtype).reshape(-1, ctx.shape[-1])
        g = grad_output.reshape(grad.shape[0], -1)
        for (r, i), best in ctx.where.items():
            grad[r, best] = g[r, i]
        return grad.reshape(ctx.shape), None
""",
    ),
    (
        "13.MaxPool1d",
        "wrong",
        "off by one at the end of the window: its last entry is never looked at",
        """
class MaxPool1d(Function):
    @staticmethod
    def forward(ctx, x, k):
        ctx.shape = x.shape
        rows = x.reshape(-1, x.shape[-1])
        n = rows.shape[1] // k
        result = torch.zeros(rows.shape[0], n, dtype=x.dtype)
        ctx.where = {}
        for r in range(rows.shape[0]):
            for i in range(n):
                best = i * k
                for j in range(i * k, (i + 1) * k - 1):
                    if rows[r, j] > rows[r, best]:
                        best = j
                result[r, i] = rows[r, best]
                ctx.where[r, i] = best
        return result.reshape(*x.shape[:-1], n)

    @staticmethod
    def backward(ctx, grad_output):
        grad = torch.zeros(ctx.shape, dtype=grad_output.dtype).reshape(-1, ctx.shape[-1])
        g = grad_output.reshape(grad.shape[0], -1)
        for (r, i), best in ctx.where.items():
            grad[r, best] = g[r, i]
        return grad.reshape(ctx.shape), None
""",
    ),
    (
        "13.MaxPool1d",
        "wrong",
        "takes the entry with the largest absolute value",
        """
class MaxPool1d(Function):
    @staticmethod
    def forward(ctx, x, k):
        ctx.shape = x.shape
        rows = x.reshape(-1, x.shape[-1])
        n = rows.shape[1] // k
        result = torch.zeros(rows.shape[0], n, dtype=x.dtype)
        ctx.where = {}
        for r in range(rows.shape[0]):
            for i in range(n):
                best = i * k
                for j in range(i * k, (i + 1) * k):
                    if abs(rows[r, j]) > abs(rows[r, best]):
                        best = j
                result[r, i] = rows[r, best]
                ctx.where[r, i] = best
        return result.reshape(*x.shape[:-1], n)

    @staticmethod
    def backward(ctx, grad_output):
        grad = torch.zeros(ctx.shape, dtype=grad_output.dtype).reshape(-1, ctx.shape[-1])
        g = grad_output.reshape(grad.shape[0], -1)
        for (r, i), best in ctx.where.items():
            grad[r, best] = g[r, i]
        return grad.reshape(ctx.shape), None
""",
    ),
    (
        "13.MaxPool1d",
        "wrong",
        "returns the smallest entry of each window (backward fits that)",
        """
class MaxPool1d(Function):
    @staticmethod
    def forward(ctx, x, k):
        n = x.shape[-1] // k
        windows = x[..., :n * k].reshape(*x.shape[:-1], n, k)
        values, where = windows.min(dim=-1)
        ctx.shape = x.shape
        ctx.save_for_backward(where + k * torch.arange(n))
        return values

    @staticmethod
    def backward(ctx, grad_output):
        where, = ctx.saved_tensors
        zeros = torch.zeros(ctx.shape, dtype=grad_output.dtype)
        return zeros.scatter(-1, where, grad_output), None
""",
    ),
    (
        "13.MaxPool1d",
        "wrong",
        "the search for the largest begins with 0, so a window with only negative entries gives 0",
        """
class MaxPool1d(Function):
    @staticmethod
    def forward(ctx, x, k):
        ctx.shape = x.shape
        rows = x.reshape(-1, x.shape[-1])
        n = rows.shape[1] // k
        result = torch.zeros(rows.shape[0], n, dtype=x.dtype)
        ctx.where = {}
        for r in range(rows.shape[0]):
            for i in range(n):
                best, largest = i * k, 0.0
                for j in range(i * k, (i + 1) * k):
                    if rows[r, j] > largest:
                        best, largest = j, rows[r, j].item()
                result[r, i] = largest
                ctx.where[r, i] = best
        return result.reshape(*x.shape[:-1], n)

    @staticmethod
    def backward(ctx, grad_output):
        grad = torch.zeros(ctx.shape, dtype=grad_output.dtype).reshape(-1, ctx.shape[-1])
        g = grad_output.reshape(grad.shape[0], -1)
        for (r, i), best in ctx.where.items():
            grad[r, best] = g[r, i]
        return grad.reshape(ctx.shape), None
""",
    ),
    (
        "13.MaxPool1d",
        "wrong",
        "the result has the default dtype float32",
        """
class MaxPool1d(Function):
    @staticmethod
    def forward(ctx, x, k):
        ctx.shape = x.shape
        rows = x.reshape(-1, x.shape[-1])
        n = rows.shape[1] // k
        result = torch.zeros(rows.shape[0], n)
        ctx.where = {}
        for r in range(rows.shape[0]):
            for i in range(n):
                best = i * k
                for j in range(i * k, (i + 1) * k):
                    if rows[r, j] > rows[r, best]:
                        best = j
                result[r, i] = rows[r, best]
                ctx.where[r, i] = best
        return result.reshape(*x.shape[:-1], n)

    @staticmethod
    def backward(ctx, grad_output):
        grad = torch.zeros(ctx.shape, dtype=grad_output.dtype).reshape(-1, ctx.shape[-1])
        g = grad_output.reshape(grad.shape[0], -1)
        for (r, i), best in ctx.where.items():
            grad[r, best] = g[r, i]
        return grad.reshape(ctx.shape), None
""",
    ),
    (
        "13.MaxPool1d",
        "wrong",
        "scatter writes into a copy of x instead of zeros: entries that are not the largest get the values of x as gradient",
        """
class MaxPool1d(Function):
    @staticmethod
    def forward(ctx, x, k):
        n = x.shape[-1] // k
        windows = x[..., :n * k].reshape(*x.shape[:-1], n, k)
        values, where = windows.max(dim=-1)
        ctx.shape = x.shape
        ctx.save_for_backward(where + k * torch.arange(n), x)
        return values

    @staticmethod
    def backward(ctx, grad_output):
        where, x = ctx.saved_tensors
        return x.scatter(-1, where, grad_output), None
""",
    ),
    (
        "13.MaxPool1d",
        "wrong",
        "grad_output is not used: the largest entries get gradient 1",
        """
class MaxPool1d(Function):
    @staticmethod
    def forward(ctx, x, k):
        n = x.shape[-1] // k
        windows = x[..., :n * k].reshape(*x.shape[:-1], n, k)
        values, where = windows.max(dim=-1)
        ctx.shape = x.shape
        ctx.save_for_backward(where + k * torch.arange(n))
        return values

    @staticmethod
    def backward(ctx, grad_output):
        where, = ctx.saved_tensors
        zeros = torch.zeros(ctx.shape, dtype=grad_output.dtype)
        return zeros.scatter(-1, where, torch.ones_like(grad_output)), None
""",
    ),
    (
        "13.MaxPool1d",
        "wrong",
        "k gets a number (0.0) as its gradient instead of None",
        """
class MaxPool1d(Function):
    @staticmethod
    def forward(ctx, x, k):
        n = x.shape[-1] // k
        windows = x[..., :n * k].reshape(*x.shape[:-1], n, k)
        values, where = windows.max(dim=-1)
        ctx.shape = x.shape
        ctx.save_for_backward(where + k * torch.arange(n))
        return values

    @staticmethod
    def backward(ctx, grad_output):
        where, = ctx.saved_tensors
        zeros = torch.zeros(ctx.shape, dtype=grad_output.dtype)
        return zeros.scatter(-1, where, grad_output), torch.tensor(0.0)
""",
    ),
    (
        "13.MaxPool1d",
        "wrong",
        "a matrix is treated as one long vector: windows run on from one row to the next if entries are left over",
        """
class MaxPool1d(Function):
    @staticmethod
    def forward(ctx, x, k):
        flat = x.flatten()
        n = flat.shape[0] // k
        windows = flat[:n * k].reshape(n, k)
        values, where = windows.max(dim=-1)
        ctx.shape = x.shape
        ctx.save_for_backward(where + k * torch.arange(n))
        return values.reshape(*x.shape[:-1], -1)

    @staticmethod
    def backward(ctx, grad_output):
        where, = ctx.saved_tensors
        zeros = torch.zeros(ctx.shape, dtype=grad_output.dtype).flatten()
        return zeros.scatter(-1, where, grad_output.flatten()).reshape(ctx.shape), None
""",
    ),
    (
        "13.MaxPool1d",
        "wrong",
        "the positions are kept on the class, so a second call disturbs the first",
        """
class MaxPool1d(Function):
    @staticmethod
    def forward(ctx, x, k):
        n = x.shape[-1] // k
        windows = x[..., :n * k].reshape(*x.shape[:-1], n, k)
        values, where = windows.max(dim=-1)
        ctx.shape = x.shape
        MaxPool1d.where = where + k * torch.arange(n)
        return values

    @staticmethod
    def backward(ctx, grad_output):
        where = MaxPool1d.where
        zeros = torch.zeros(ctx.shape, dtype=grad_output.dtype)
        return zeros.scatter(-1, where, grad_output), None
""",
    ),
    (
        "13.MaxPool1d",
        "wrong",
        "works for vectors only: for a matrix, the rows are thrown away in reshape",
        """
class MaxPool1d(Function):
    @staticmethod
    def forward(ctx, x, k):
        n = x.shape[-1] // k
        windows = x[..., :n * k].reshape(n, k)
        values, where = windows.max(dim=-1)
        ctx.shape = x.shape
        ctx.save_for_backward(where + k * torch.arange(n))
        return values

    @staticmethod
    def backward(ctx, grad_output):
        where, = ctx.saved_tensors
        zeros = torch.zeros(ctx.shape, dtype=grad_output.dtype)
        return zeros.scatter(-1, where, grad_output), None
""",
    ),
    (
        "13.MaxPool1d",
        "right",
        "compares each entry with the maximum of its window to get a mask, and stretches grad_output with repeat_interleave-like indexing in backward",
        """
class MaxPool1d(Function):
    @staticmethod
    def forward(ctx, x, k):
        n = x.shape[-1]
        m = n // k
        result = torch.stack([x[..., i * k:(i + 1) * k].max(dim=-1)[0] for i in range(m)], dim=-1)
        window = torch.arange(n) // k
        stretched = result[..., torch.clamp(window, max=m - 1)]
        ctx.window = torch.clamp(window, max=m - 1)
        ctx.mask = ((stretched == x) & (window < m)).to(x.dtype)
        return result

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output[..., ctx.window] * ctx.mask, None
""",
    ),
    (
        "13.MaxPool1d",
        "wrong",
        "the entries left over at the end get a window of their own instead of being dropped",
        """
class MaxPool1d(Function):
    @staticmethod
    def forward(ctx, x, k):
        n = x.shape[-1]
        values, positions = [], []
        for start in range(0, n, k):
            v, p = x[..., start:start + k].max(dim=-1)
            values.append(v)
            positions.append(p + start)
        ctx.save_for_backward(torch.stack(positions, dim=-1))
        ctx.shape = x.shape
        return torch.stack(values, dim=-1)

    @staticmethod
    def backward(ctx, grad_output):
        positions, = ctx.saved_tensors
        grad = torch.zeros(ctx.shape, dtype=grad_output.dtype)
        return grad.scatter(-1, positions, grad_output), None
""",
    ),
    (
        "13.MaxPool1d",
        "wrong",
        "every entry of a window gets the gradient; only the largest one may",
        """
class MaxPool1d(Function):
    @staticmethod
    def forward(ctx, x, k):
        m = x.shape[-1] // k
        ctx.k, ctx.m, ctx.shape = k, m, x.shape
        return x[..., :m * k].reshape(*x.shape[:-1], m, k).max(dim=-1)[0]

    @staticmethod
    def backward(ctx, grad_output):
        grad = torch.zeros(ctx.shape, dtype=grad_output.dtype)
        for i in range(ctx.m):
            for j in range(ctx.k):
                grad[..., i * ctx.k + j] = grad_output[..., i]
        return grad, None
""",
    ),
    (
        "13.MaxPool1d",
        "wrong",
        "the positions are counted within each window; the start of the window (i * k) was not added, so all gradients land in the first window",
        """
class MaxPool1d(Function):
    @staticmethod
    def forward(ctx, x, k):
        m = x.shape[-1] // k
        windows = x[..., :m * k].reshape(*x.shape[:-1], m, k)
        values, inside = windows.max(dim=-1)
        positions = inside
        ctx.save_for_backward(positions)
        ctx.shape = x.shape
        return values

    @staticmethod
    def backward(ctx, grad_output):
        positions, = ctx.saved_tensors
        grad = torch.zeros(ctx.shape, dtype=grad_output.dtype)
        return grad.scatter(-1, positions, grad_output), None
""",
    ),
    (
        "13.MaxPool1d",
        "wrong",
        "the gradient has no entries for the numbers left over, so its last dimension is too short",
        """
class MaxPool1d(Function):
    @staticmethod
    def forward(ctx, x, k):
        m = x.shape[-1] // k
        windows = x[..., :m * k].reshape(*x.shape[:-1], m, k)
        values, inside = windows.max(dim=-1)
        positions = inside + k * torch.arange(m)
        ctx.save_for_backward(positions)
        ctx.shape = (*x.shape[:-1], m * k)
        return values

    @staticmethod
    def backward(ctx, grad_output):
        positions, = ctx.saved_tensors
        grad = torch.zeros(ctx.shape, dtype=grad_output.dtype)
        return grad.scatter(-1, positions, grad_output), None
""",
    ),
    (
        "13.MaxPool1d",
        "wrong",
        "the shape and positions are kept on the class, not on ctx, so a second call overwrites what the first one needs",
        """
class MaxPool1d(Function):
    @staticmethod
    def forward(ctx, x, k):
        m = x.shape[-1] // k
        windows = x[..., :m * k].reshape(*x.shape[:-1], m, k)
        values, inside = windows.max(dim=-1)
        positions = inside + k * torch.arange(m)
        MaxPool1d.kept = (positions, x.shape)
        return values

    @staticmethod
    def backward(ctx, grad_output):
        positions, shape = MaxPool1d.kept
        grad = torch.zeros(shape, dtype=grad_output.dtype)
        return grad.scatter(-1, positions, grad_output), None
""",
    ),
]
