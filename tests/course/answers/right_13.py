"""Right answers to notebook 13, each written another way: a check that rejects one of them is broken."""

import numpy as np

import autograd_teach as torch
from autograd_teach.autograd import Function

RIGHT: list[tuple[str, type]] = []


def right(exercise):
    return lambda answer: RIGHT.append((exercise, answer)) or answer


# SinCos


@right("13.SinCos")
class SinCosFromArgument(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.sin(x), torch.cos(x)

    @staticmethod
    def backward(ctx, grad_sin, grad_cos):
        (x,) = ctx.saved_tensors
        return grad_sin * x.cos() - grad_cos * x.sin()


@right("13.SinCos")
class SinCosFromResults(Function):
    @staticmethod
    def forward(ctx, x):
        sin, cos = x.sin(), x.cos()
        ctx.save_for_backward(sin, cos)
        print("forward", sin, cos)
        return (sin, cos)

    @staticmethod
    def backward(ctx, g, h):
        sin, cos = ctx.saved_tensors
        return (cos.mul(g).sub(sin.mul(h)),)


@right("13.SinCos")
class SinCosSparing(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.set_materialize_grads(False)
        ctx.save_for_backward(x)
        return x.sin(), x.cos()

    @staticmethod
    def backward(ctx, grad_sin, grad_cos):
        (x,) = ctx.saved_tensors
        parts = []
        if grad_sin is not None:
            parts.append(grad_sin * torch.cos(x))
        if grad_cos is not None:
            parts.append(-grad_cos * torch.sin(x))
        return sum(parts) if parts else None


@right("13.SinCos")
class SinCosForwardInNumPy(Function):
    """backward must be made of tensors, forward need not."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        array = x.detach().numpy()
        return torch.tensor(np.sin(array)), torch.tensor(np.cos(array))

    @staticmethod
    def backward(ctx, *grads):
        (x,) = ctx.saved_tensors
        assert len(grads) == 2
        slopes = (torch.cos(x), -torch.sin(x))
        return sum(g * slope for g, slope in zip(grads, slopes, strict=True))


@right("13.SinCos")
class SinCosByShift(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.sin(), (x + np.pi / 2).sin()

    @staticmethod
    def backward(ctx, g, h):
        x = ctx.saved_tensors[0]
        return g * (x + np.pi / 2).sin() + h * (x + np.pi).sin()


# SortDescending


@right("13.SortDescending")
class SortByTorch(Function):
    @staticmethod
    def forward(ctx, x):
        values, indices = torch.sort(x, descending=True)
        ctx.save_for_backward(indices)
        positions = indices.to(x.dtype)
        ctx.mark_non_differentiable(positions)
        return values, positions

    @staticmethod
    def backward(ctx, grad_values, grad_positions):
        (indices,) = ctx.saved_tensors
        result = torch.zeros_like(grad_values)
        result[indices] = grad_values
        return result


@right("13.SortDescending")
class SortByInversePermutation(Function):
    @staticmethod
    def forward(ctx, x):
        order = torch.argsort(-x)
        ctx.back = torch.argsort(order)
        positions = order.to(x.dtype)
        ctx.mark_non_differentiable(positions)
        return x[order], positions

    @staticmethod
    def backward(ctx, g, _):
        return (g[ctx.back],)


@right("13.SortDescending")
class SortInNumPy(Function):
    @staticmethod
    def forward(ctx, x):
        array = x.detach().numpy()
        ctx.order = np.argsort(array)[::-1].copy()
        values, positions = torch.tensor(array[ctx.order]), torch.tensor(ctx.order.astype(array.dtype))
        ctx.mark_non_differentiable(positions)
        return values, positions

    @staticmethod
    def backward(ctx, g, _):
        result = np.zeros(len(ctx.order), dtype=g.detach().numpy().dtype)
        result[ctx.order] = g.detach().numpy()
        return torch.tensor(result)


@right("13.SortDescending")
class SortByHand(Function):
    """Finds the largest again and again; nothing arrives for the positions, and None is not touched."""

    @staticmethod
    def forward(ctx, x):
        ctx.set_materialize_grads(False)
        numbers = x.tolist()
        order = sorted(range(len(numbers)), key=lambda i: -numbers[i])
        positions = torch.tensor([float(i) for i in order], dtype=x.dtype)
        ctx.mark_non_differentiable(positions)
        ctx.save_for_backward(positions)
        values = torch.zeros_like(x)
        for place, i in enumerate(order):
            values[place] = x[i]
        return values, positions

    @staticmethod
    def backward(ctx, grad_values, grad_positions):
        assert grad_positions is None
        if grad_values is None:
            return None
        (positions,) = ctx.saved_tensors
        return torch.zeros_like(grad_values).scatter(0, positions.long(), grad_values)


@right("13.SortDescending")
class SortByPermutationMatrix(Function):
    @staticmethod
    def forward(ctx, x):
        order = torch.argsort(x, descending=True)
        ctx.matrix = torch.eye(len(x), dtype=x.dtype)[order]
        positions = order.type_as(x)
        ctx.mark_non_differentiable(positions)
        return ctx.matrix @ x, positions

    @staticmethod
    def backward(ctx, g, _):
        print(ctx.matrix)
        return ctx.matrix.t() @ g


# AddInPlace


@right("13.AddInPlace")
class AddByMethod(Function):
    @staticmethod
    def forward(ctx, x, y):
        x.add_(y)
        ctx.mark_dirty(x)
        return x

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output, grad_output


@right("13.AddInPlace")
class AddByAssignment(Function):
    @staticmethod
    def forward(ctx, x, y):
        ctx.mark_dirty(x)
        x += y
        return x

    @staticmethod
    def backward(ctx, g):
        return g.clone(), g.clone()


@right("13.AddInPlace")
class AddByCopy(Function):
    @staticmethod
    def forward(ctx, x, y):
        total = x + y
        ctx.mark_dirty(x)
        return x.copy_(total)

    @staticmethod
    def backward(ctx, g):
        return (g * 1, 1 * g, None)


@right("13.AddInPlace")
class AddBySlice(Function):
    @staticmethod
    def forward(ctx, x, y):
        assert x.shape == y.shape
        x[...] = x + y
        ctx.mark_dirty(x)
        print(x)
        return x

    @staticmethod
    def backward(ctx, *grads):
        (g,) = grads
        wanted = ctx.needs_input_grad
        return (g if wanted[0] else None), (g if wanted[1] else None)


@right("13.AddInPlace")
class AddInNumPy(Function):
    @staticmethod
    def forward(ctx, x, y):
        array = x.detach().numpy()
        array += y.detach().numpy()
        ctx.mark_dirty(x)
        return x

    @staticmethod
    def backward(ctx, g):
        return torch.tensor(g.detach().numpy().copy()), g


# CumSum


@right("13.CumSum")
class CumSumByFlip(Function):
    @staticmethod
    def forward(ctx, x):
        return torch.cumsum(x, -1)

    @staticmethod
    def backward(ctx, g):
        return g.flip(-1).cumsum(-1).flip(-1)


@right("13.CumSum")
class CumSumByTotal(Function):
    @staticmethod
    def forward(ctx, x):
        return x.cumsum(dim=x.dim() - 1)

    @staticmethod
    def backward(ctx, g):
        return (g.sum(-1, keepdim=True) - g.cumsum(-1) + g,)


@right("13.CumSum")
class CumSumByTriangle(Function):
    @staticmethod
    def forward(ctx, x):
        n = x.shape[-1]
        ctx.triangle = torch.tril(torch.ones(n, n, dtype=x.dtype))
        return x @ ctx.triangle.t()

    @staticmethod
    def backward(ctx, g):
        return g @ ctx.triangle


@right("13.CumSum")
class CumSumInNumPy(Function):
    @staticmethod
    def forward(ctx, x):
        return torch.tensor(np.cumsum(x.detach().numpy(), axis=-1))

    @staticmethod
    def backward(ctx, g):
        array = g.detach().numpy()
        return torch.tensor(np.cumsum(array[..., ::-1], axis=-1)[..., ::-1].copy())


@right("13.CumSum")
class CumSumEntryByEntry(Function):
    @staticmethod
    def forward(ctx, x):
        result = x.clone()
        for j in range(1, x.shape[-1]):
            result[..., j] = result[..., j - 1] + x[..., j]
        print(result)
        return result

    @staticmethod
    def backward(ctx, g):
        result = torch.zeros_like(g)
        total = torch.zeros_like(g[..., 0])
        for j in reversed(range(g.shape[-1])):
            total = total + g[..., j]
            result[..., j] = total
        return result


# MaxPool1d


@right("13.MaxPool1d")
class PoolByScatter(Function):
    @staticmethod
    def forward(ctx, x, k):
        count = x.shape[-1] // k
        values, offsets = x[..., : count * k].reshape(*x.shape[:-1], count, k).max(dim=-1)
        ctx.save_for_backward(offsets + torch.arange(0, count * k, k))
        ctx.shape = x.shape
        return values

    @staticmethod
    def backward(ctx, g):
        (places,) = ctx.saved_tensors
        return torch.zeros(ctx.shape, dtype=g.dtype).scatter_add(-1, places, g), None


@right("13.MaxPool1d")
class PoolByMask(Function):
    @staticmethod
    def forward(ctx, x, k):
        count = x.size(-1) // k
        windows = x[..., : count * k].reshape(*x.shape[:-1], count, k)
        result = windows.amax(-1)
        ctx.mask = (windows == result.unsqueeze(-1)).to(x.dtype)
        ctx.size = x.shape
        return result

    @staticmethod
    def backward(ctx, g):
        grad = torch.zeros(ctx.size, dtype=g.dtype)
        inside = (ctx.mask * g.unsqueeze(-1)).flatten(-2)
        grad[..., : inside.shape[-1]] = inside
        return grad, None


@right("13.MaxPool1d")
class PoolByLoops(Function):
    @staticmethod
    def forward(ctx, x, k):
        assert k >= 1
        rows = x.reshape(-1, x.shape[-1])
        ctx.shape, ctx.where = tuple(x.shape), []
        result = torch.zeros(rows.shape[0], rows.shape[1] // k, dtype=x.dtype)
        for i in range(rows.shape[0]):
            for j in range(rows.shape[1] // k):
                at = max(range(j * k, (j + 1) * k), key=lambda p: rows[i, p].item())
                ctx.where.append((i, j, at))
                result[i, j] = rows[i, at]
        return result.reshape(*ctx.shape[:-1], -1)

    @staticmethod
    def backward(ctx, g):
        rows = int(np.prod(ctx.shape[:-1]))
        flat, grad = g.reshape(rows, -1), torch.zeros(rows, ctx.shape[-1], dtype=g.dtype)
        for i, j, at in ctx.where:
            grad[i, at] = flat[i, j]
        return grad.reshape(ctx.shape), None


@right("13.MaxPool1d")
class PoolInNumPy(Function):
    @staticmethod
    def forward(ctx, x, k):
        array = x.detach().numpy()
        count = array.shape[-1] // k
        pieces = np.stack([array[..., i * k : (i + 1) * k] for i in range(count)], axis=-2)
        ctx.offsets, ctx.shape, ctx.k = pieces.argmax(-1), array.shape, k
        return torch.tensor(pieces.max(-1))

    @staticmethod
    def backward(ctx, g):
        array = g.detach().numpy()
        grad = np.zeros(ctx.shape, dtype=array.dtype)
        for at in np.ndindex(ctx.offsets.shape):
            grad[(*at[:-1], at[-1] * ctx.k + ctx.offsets[at])] = array[at]
        print(grad)
        return torch.tensor(grad), None


@right("13.MaxPool1d")
class PoolByTape(Function):
    """Lets the engine do it: legitimate, if roundabout."""

    @staticmethod
    def forward(ctx, x, k):
        ctx.save_for_backward(x)
        ctx.k = k
        return torch.stack([x[..., i * k : (i + 1) * k].amax(-1) for i in range(x.shape[-1] // k)], -1)

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        with torch.enable_grad():
            again = x.detach().clone().requires_grad_()
            count = x.shape[-1] // ctx.k
            result = torch.stack([again[..., i * ctx.k : (i + 1) * ctx.k].amax(-1) for i in range(count)], -1)
        (grad,) = torch.autograd.grad(result, again, g)
        return grad, None


@right("13.SinCos")
class SinCosWithSetupContext(Function):
    @staticmethod
    def forward(x):
        return torch.sin(x), torch.cos(x)

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*output)

    @staticmethod
    def backward(ctx, g, h):
        sine, cosine = ctx.saved_tensors
        return torch.sub(cosine * g, sine * h)


@right("13.SortDescending")
class SortWithSetupContext(Function):
    @staticmethod
    def forward(x):
        order = sorted(range(len(x)), key=lambda i: -x[i].item())
        return torch.stack([x[i] for i in order]), torch.tensor(order).to(x.dtype)

    @staticmethod
    def setup_context(ctx, inputs, output):
        _, positions = output
        ctx.mark_non_differentiable(positions)
        ctx.order = [int(at) for at in positions]

    @staticmethod
    def backward(ctx, g, _):
        return torch.stack([g[ctx.order.index(i)] for i in range(len(g))])


@right("13.AddInPlace")
class AddWithSetupContext(Function):
    @staticmethod
    def forward(x, y):
        x += y
        return x

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.mark_dirty(inputs[0])

    @staticmethod
    def backward(ctx, g):
        return g.clone(), 1.0 * g


@right("13.CumSum")
class CumSumByLoop(Function):
    @staticmethod
    def forward(ctx, x):
        columns, total = [], 0
        for j in range(x.shape[-1]):
            total = total + x[..., j]
            columns.append(total)
        return torch.stack(columns, -1)

    @staticmethod
    def backward(ctx, g):
        n = g.shape[-1]
        return torch.stack([g[..., j:].sum(-1) for j in range(n)], -1)


@right("13.CumSum")
class CumSumByRest(Function):
    @staticmethod
    def forward(x):
        return x.cumsum(dim=x.dim() - 1)

    @staticmethod
    def setup_context(ctx, inputs, output):
        pass

    @staticmethod
    def backward(ctx, g):
        return g + g.sum(-1, keepdim=True) - torch.cumsum(g, -1)


@right("13.MaxPool1d")
class PoolWithSetupContext(Function):
    """Backward looks again where x is the result of its window."""

    @staticmethod
    def forward(x, k):
        n = x.shape[-1] // k
        return torch.stack([x[..., i * k : (i + 1) * k].amax(-1) for i in range(n)], -1)

    @staticmethod
    def setup_context(ctx, inputs, output):
        x, ctx.k = inputs
        ctx.save_for_backward(x, output)

    @staticmethod
    def backward(ctx, g):
        x, result = ctx.saved_tensors
        grad = torch.zeros_like(x)
        for i in range(g.shape[-1]):
            window = x[..., i * ctx.k : (i + 1) * ctx.k]
            mask = (window == result[..., i : i + 1]).to(g.dtype)
            grad[..., i * ctx.k : (i + 1) * ctx.k] = mask * g[..., i : i + 1]
        return grad, None
