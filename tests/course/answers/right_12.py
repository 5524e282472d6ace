"""Right answers to notebook 12, each written another way."""

import numpy as np

import autograd_teach as torch
from autograd_teach.autograd import Function

RIGHT: list[tuple[str, type]] = []


def right(exercise):
    return lambda answer: RIGHT.append((exercise, answer)) or answer


@right("12.Linear")
class LinearAskedOneByOne(Function):
    @staticmethod
    def forward(ctx, x, weight, bias):
        ctx.save_for_backward(x, weight, bias)
        result = x @ weight.t()
        return result if bias is None else result + bias

    @staticmethod
    def backward(ctx, grad_output):
        x, weight, bias = ctx.saved_tensors
        grad_x = grad_weight = grad_bias = None
        if ctx.needs_input_grad[0]:
            grad_x = grad_output @ weight
        if ctx.needs_input_grad[1]:
            grad_weight = grad_output.t() @ x
        if bias is not None and ctx.needs_input_grad[2]:
            grad_bias = grad_output.sum(0)
        return grad_x, grad_weight, grad_bias


@right("12.Linear")
class LinearWithDefault(Function):
    @staticmethod
    def forward(ctx, x, weight, bias=None):
        ctx.save_for_backward(x, weight)
        assert x.shape[1] == weight.shape[1]
        result = x.mm(weight.t())
        if bias is not None:
            result += bias.unsqueeze(0).expand_as(result)
        return result

    @staticmethod
    def backward(ctx, g):
        x, weight = ctx.saved_tensors
        needs = ctx.needs_input_grad
        return (
            g.mm(weight) if needs[0] else None,
            x.t().mm(g).t() if needs[1] else None,
            g.t().sum(1) if needs[2] else None,
            None,
        )


@right("12.Linear")
class LinearInNumPy(Function):
    @staticmethod
    def forward(ctx, x, weight, bias):
        ctx.x, ctx.weight = x.detach().numpy().copy(), weight.detach().numpy().copy()
        added = 0 if bias is None else bias.detach().numpy()
        return torch.tensor(ctx.x @ ctx.weight.T + added)

    @staticmethod
    def backward(ctx, grad_output):
        g = grad_output.detach().numpy()
        print(ctx.needs_input_grad)
        slopes = [lambda: g @ ctx.weight, lambda: g.T @ ctx.x, lambda: g.sum(axis=0)]
        return tuple(
            torch.tensor(slope()) if needed else None
            for slope, needed in zip(slopes, ctx.needs_input_grad, strict=True)
        )


@right("12.Linear")
class LinearByOnes(Function):
    @staticmethod
    def forward(ctx, x, weight, bias):
        saved = [x if ctx.needs_input_grad[1] else None, weight if ctx.needs_input_grad[0] else None]
        ctx.save_for_backward(*saved)
        return torch.stack([(weight * row).sum(1) + (0 if bias is None else bias) for row in x])

    @staticmethod
    def backward(ctx, g):
        x, weight = ctx.saved_tensors
        ones = torch.ones(g.shape[0], dtype=g.dtype)
        gradients = [None, None, None]
        if weight is not None:
            gradients[0] = g @ weight
        if x is not None:
            gradients[1] = g.t() @ x
        if ctx.needs_input_grad[2]:
            gradients[2] = ones @ g
        return tuple(gradients)


@right("12.MulConstant")
class MulConstantAsked(Function):
    @staticmethod
    def forward(ctx, x, constant):
        ctx.set_materialize_grads(False)
        ctx.constant = constant
        return x * constant

    @staticmethod
    def backward(ctx, grad_output):
        if grad_output is None:
            return None, None
        return grad_output * ctx.constant, None


@right("12.MulConstant")
class MulConstantInOneLine(Function):
    @staticmethod
    def forward(ctx, x, constant):
        ctx.stash = {"constant": constant}
        result = x.clone()
        result *= constant
        ctx.set_materialize_grads(False)
        return result

    @staticmethod
    def backward(ctx, g):
        print(g)
        return None if g is None else ctx.stash["constant"] * g, None, None


@right("12.MulConstant")
class MulConstantSaved(Function):
    @staticmethod
    def forward(ctx, x, constant):
        ctx.set_materialize_grads(value=False)
        slope = torch.full_like(x, constant)
        ctx.save_for_backward(slope)
        return slope * x

    @staticmethod
    def backward(ctx, *grads):
        (slope,) = ctx.saved_tensors
        assert len(grads) == 1
        return *[each if each is None else each * slope for each in grads], None


@right("12.MulConstant")
class MulConstantInNumPy(Function):
    @staticmethod
    def forward(ctx, x, constant):
        ctx.set_materialize_grads(False)
        ctx.constant = constant
        return torch.tensor(x.detach().numpy() * constant)

    @staticmethod
    def backward(ctx, g):
        if g is not None:
            g = torch.tensor(np.multiply(g.detach().numpy(), ctx.constant))
        return g, None


@right("12.MatMul")
class MatMulAsked(Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        return a @ b

    @staticmethod
    def backward(ctx, grad_output):
        a, b = ctx.saved_tensors
        grad_a = grad_output @ b.t() if ctx.needs_input_grad[0] else None
        grad_b = a.t() @ grad_output if ctx.needs_input_grad[1] else None
        return grad_a, grad_b


@right("12.MatMul")
class MatMulTransposed(Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a.t(), b.t())
        return b.t().mm(a.t()).t().clone()

    @staticmethod
    def backward(ctx, g):
        at, bt = ctx.saved_tensors
        needs_a, needs_b = ctx.needs_input_grad
        print(needs_a, needs_b)
        return (g.mm(bt) if needs_a else None), (at.mm(g) if needs_b else None), None


@right("12.MatMul")
class MatMulByBroadcasting(Function):
    @staticmethod
    def forward(ctx, a, b):
        assert a.shape[1] == b.shape[0]
        ctx.save_for_backward(a if ctx.needs_input_grad[1] else None, b if ctx.needs_input_grad[0] else None)
        return (a.unsqueeze(2) * b.unsqueeze(0)).sum(1)

    @staticmethod
    def backward(ctx, g):
        a, b = ctx.saved_tensors
        grad_a = None if b is None else (g.unsqueeze(1) * b.unsqueeze(0)).sum(2)
        grad_b = None if a is None else (a.unsqueeze(2) * g.unsqueeze(1)).sum(0)
        return grad_a, grad_b


@right("12.MatMul")
class MatMulInNumPy(Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.a, ctx.b = a.detach().numpy().copy(), b.detach().numpy().copy()
        return torch.tensor(np.einsum("ik,kj->ij", ctx.a, ctx.b))

    @staticmethod
    def backward(ctx, g):
        result = [None, None]
        if ctx.needs_input_grad[0]:
            result[0] = torch.tensor(np.einsum("ij,kj->ik", g.detach().numpy(), ctx.b))
        if ctx.needs_input_grad[1]:
            result[1] = torch.tensor(np.einsum("ik,ij->kj", ctx.a, g.detach().numpy()))
        return tuple(result)


@right("12.MatMul")
class MatMulWithSetupContext(Function):
    """The newer way to write it: what is kept for backward has a method of its own."""

    @staticmethod
    def forward(a, b):
        return a @ b

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx, g):
        a, b = ctx.saved_tensors
        return g @ b.t() if ctx.needs_input_grad[0] else None, a.t() @ g if ctx.needs_input_grad[1] else None


def summed_to(g, shape):
    while g.dim() > len(shape):
        g = g.sum(0)
    for axis, size in enumerate(shape):
        if size == 1:
            g = g.sum(axis, keepdim=True)
    return g


@right("12.BroadcastAdd")
class BroadcastAddByLoops(Function):
    @staticmethod
    def forward(ctx, x, y):
        ctx.shapes = x.shape, y.shape
        return x + y

    @staticmethod
    def backward(ctx, grad_output):
        return tuple(summed_to(grad_output, shape) for shape in ctx.shapes)


@right("12.BroadcastAdd")
class BroadcastAddInNumPy(Function):
    @staticmethod
    def forward(ctx, x, y):
        ctx.shapes = tuple(x.shape), tuple(y.shape)
        return torch.tensor(np.add(x.detach().numpy(), y.detach().numpy()))

    @staticmethod
    def backward(ctx, grad_output):
        g = grad_output.detach().numpy()
        gradients = []
        for shape in ctx.shapes:
            padded = (1,) * (g.ndim - len(shape)) + shape
            axes = tuple(i for i, size in enumerate(padded) if size == 1)
            gradients.append(torch.tensor(g.sum(axis=axes, keepdims=True).reshape(shape)))
        print(gradients)
        return tuple(gradients)


@right("12.BroadcastAdd")
class BroadcastAddEntryByEntry(Function):
    @staticmethod
    def forward(ctx, x, y):
        ctx.save_for_backward(x, y)
        result = x - (-y)
        assert result.dim() == max(x.dim(), y.dim())
        return result

    @staticmethod
    def backward(ctx, g):
        return tuple(BroadcastAddEntryByEntry.gathered(g, each) for each in ctx.saved_tensors)

    @staticmethod
    def gathered(g, like):
        total = np.zeros(tuple(like.shape), dtype=g.detach().numpy().dtype)
        for place in np.ndindex(*g.shape):
            own = place[len(place) - total.ndim :]
            total[tuple(i if size > 1 else 0 for i, size in zip(own, total.shape, strict=True))] += g[place].item()
        return torch.tensor(total)


@right("12.BroadcastAdd")
class BroadcastAddWithNone(Function):
    @staticmethod
    def forward(ctx, x, y):
        ctx.x, ctx.y = list(x.shape), list(y.shape)
        return y + x

    @staticmethod
    def backward(ctx, g):
        gradients = []
        for shape in (ctx.x, ctx.y):
            total = g.clone()
            for axis in reversed(range(g.dim())):
                own = axis - (g.dim() - len(shape))
                if own < 0 or shape[own] != g.shape[axis]:
                    total = total.sum(axis)
            gradients.append(total.reshape(shape))
        return *gradients, None


@right("12.Clamp")
class ClampByMask(Function):
    @staticmethod
    def forward(ctx, x, low, high):
        inside = (x > low) & (x < high)
        ctx.save_for_backward(inside.to(x.dtype))
        return torch.where(inside, x, torch.where(x > high, torch.full_like(x, high), torch.full_like(x, low)))

    @staticmethod
    def backward(ctx, grad_output):
        (inside,) = ctx.saved_tensors
        return grad_output * inside, None, None


@right("12.Clamp")
class ClampByComparison(Function):
    @staticmethod
    def forward(ctx, x, low, high):
        result = x.clamp(low, high)
        ctx.save_for_backward(x, result)
        assert low < high
        return result

    @staticmethod
    def backward(ctx, g):
        x, result = ctx.saved_tensors
        return torch.where(x == result, g, torch.zeros_like(g)), None, None, None


@right("12.Clamp")
class ClampInNumPy(Function):
    @staticmethod
    def forward(ctx, x, low, high):
        array = x.detach().numpy()
        ctx.slope = ((array >= low) & (array <= high)).astype(array.dtype)
        print(ctx.slope)
        return torch.tensor(np.clip(array, low, high).astype(array.dtype))

    @staticmethod
    def backward(ctx, g):
        return torch.tensor(g.detach().numpy() * ctx.slope), None, None


@right("12.Clamp")
class ClampByAssignment(Function):
    @staticmethod
    def forward(ctx, x, low, high):
        ctx.save_for_backward(x)
        ctx.bounds = low, high
        result = x.clone()
        result[x < low] = low
        result[x > high] = high
        return result

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        low, high = ctx.bounds
        grad_x = g.clone()
        grad_x[(x < low) | (x > high)] = 0
        return grad_x, None, None


@right("12.Linear")
class LinearWithSetupContext(Function):
    @staticmethod
    def forward(x, weight, bias):
        return torch.stack([weight @ row for row in x]) if bias is None else x @ weight.T + bias

    @staticmethod
    def setup_context(ctx, inputs, output):
        x, weight, _bias = inputs
        ctx.save_for_backward(x, weight)

    @staticmethod
    def backward(ctx, g):
        x, weight = ctx.saved_tensors
        products = (lambda: g @ weight, lambda: (x.T @ g).T, lambda: (g * 1).sum(dim=0))
        asked = zip(ctx.needs_input_grad, products, strict=True)
        return tuple(product() if needed else None for needed, product in asked)


@right("12.Linear")
class LinearByOuterProducts(Function):
    @staticmethod
    def forward(ctx, x, weight, bias):
        ctx.save_for_backward(x, weight)
        result = (x.unsqueeze(1) * weight).sum(-1)
        return result if bias is None else bias + result

    @staticmethod
    def backward(ctx, g):
        x, weight = ctx.saved_tensors
        grads = [None] * 3
        if ctx.needs_input_grad[0]:
            grads[0] = (g.unsqueeze(2) * weight).sum(1)
        if ctx.needs_input_grad[1]:
            grads[1] = (g.unsqueeze(2) * x.unsqueeze(1)).sum(0)
        if ctx.needs_input_grad[2]:
            grads[2] = sum(row for row in g)
        return tuple(grads)


@right("12.MulConstant")
class MulConstantWithSetupContext(Function):
    @staticmethod
    def forward(x, constant):
        return constant * x

    @staticmethod
    def setup_context(ctx, inputs, output):
        _, ctx.constant = inputs
        ctx.set_materialize_grads(False)

    @staticmethod
    def backward(ctx, g):
        return (g if g is None else g.mul(ctx.constant)), None


@right("12.MatMul")
class MatMulByColumns(Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        return torch.stack([a @ column for column in b.t()], 1)

    @staticmethod
    def backward(ctx, g):
        a, b = ctx.saved_tensors
        grads = [None, None]
        if ctx.needs_input_grad[0]:
            grads[0] = (b @ g.t()).t()
        if ctx.needs_input_grad[1]:
            grads[1] = sum(a[i].unsqueeze(1) * g[i] for i in range(len(a)))
        return tuple(grads)


@right("12.BroadcastAdd")
class BroadcastAddWithSetupContext(Function):
    @staticmethod
    def forward(x, y):
        return torch.add(x, y)

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.shapes = [each.shape for each in inputs]

    @staticmethod
    def backward(ctx, g):
        grads = []
        for shape in ctx.shapes:
            lead = g.dim() - len(shape)
            axes = [*range(lead), *(lead + n for n, size in enumerate(shape) if size == 1)]
            grads.append(g.sum(tuple(axes)).reshape(shape) if axes else g)
        return tuple(grads)


@right("12.BroadcastAdd")
class BroadcastAddSaved(Function):
    @staticmethod
    def forward(ctx, x, y):
        ctx.save_for_backward(x, y)
        return y + x

    @staticmethod
    def backward(ctx, g):
        def through(argument):
            with torch.enable_grad():
                inner = argument.detach().requires_grad_()
                return torch.autograd.grad(inner.expand(g.shape), inner, g)[0]

        return tuple(through(each) for each in ctx.saved_tensors)


@right("12.Clamp")
class ClampByResult(Function):
    """Strictly between the bounds the result is x; at a bound the slope may be chosen."""

    @staticmethod
    def forward(ctx, x, low, high):
        result = torch.minimum(torch.maximum(x, torch.full_like(x, low)), torch.full_like(x, high))
        ctx.save_for_backward(result)
        ctx.bounds = low, high
        return result

    @staticmethod
    def backward(ctx, g):
        (result,) = ctx.saved_tensors
        low, high = ctx.bounds
        return torch.where((result > low) & (result < high), g, torch.zeros_like(g)), None, None


@right("12.Clamp")
class ClampWithSetupContext(Function):
    @staticmethod
    def forward(x, low, high):
        return torch.relu(x - low) + low - torch.relu(x - high)

    @staticmethod
    def setup_context(ctx, inputs, output):
        x, low, high = inputs
        ctx.mark = (x - low).sign() * (high - x).sign()

    @staticmethod
    def backward(ctx, g):
        return g * (ctx.mark > 0).to(g.dtype), None, None
