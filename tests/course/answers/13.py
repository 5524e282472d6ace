"""Answers to notebook 13: see tests/course/table.py."""

# %% 13.SinCos right: from argument
class SinCos(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.sin(x), torch.cos(x)

    @staticmethod
    def backward(ctx, grad_sin, grad_cos):
        (x,) = ctx.saved_tensors
        return grad_sin * x.cos() - grad_cos * x.sin()

# %% 13.SinCos right: from results
class SinCos(Function):
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

# %% 13.SinCos right: sparing
class SinCos(Function):
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

# %% 13.SinCos right: forward in num py
import numpy as np


class SinCos(Function):
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

# %% 13.SinCos right: by shift
import numpy as np


class SinCos(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.sin(), (x + np.pi / 2).sin()

    @staticmethod
    def backward(ctx, g, h):
        x = ctx.saved_tensors[0]
        return g * (x + np.pi / 2).sin() + h * (x + np.pi).sin()

# %% 13.SinCos right: with setup context
class SinCos(Function):
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

# %% 13.SinCos right: saves the two results, and uses them as the slopes
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

# %% 13.SinCos right: does not materialize the gradients and handles each None by itself
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

# %% 13.SinCos right: NumPy in forward; backward stacks slopes and gradients and sums over the stack
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

# %% 13.SinCos right: backward returns a tuple with one entry, and calls the Function itself for the slopes
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

# %% 13.SinCos right: saves its two results in setup_context, switches the zeros off and adds up what is there
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

# %% 13.SinCos wrong: the sign of the second term is wrong: the slope of the cosine is minus the sine
expect("known", "the slope of the cosine: the minus sign is missing")
edit("return grad_sin * x.cos() - grad_cos * x.sin()", "return grad_sin * torch.cos(x) + grad_cos * torch.sin(x)",
     of="from argument")

# %% 13.SinCos wrong: backward mixes up the two gradients: it takes the first as the one of the cosine
expect("known", "the two gradients are swapped: they arrive in the order of the results")
edit("def backward(ctx, grad_sin, grad_cos):", "def backward(ctx, grad_cos, grad_sin):", of="from argument")

# %% 13.SinCos wrong: the gradient through the cosine is forgotten
expect("known", "the gradient: the part of the gradient through the cosine is left out")
edit("return grad_sin * x.cos() - grad_cos * x.sin()", "return grad_sin * torch.cos(x)", of="from argument")

# %% 13.SinCos wrong: switches materialized gradients off but does not handle None: an unused result makes backward fail
expect("partial", "`return grad_sin * torch.cos(x) - grad_cos * torch.sin(x)` raised TypeError")
edit("ctx.save_for_backward(x)", "ctx.set_materialize_grads(False)\n        ctx.save_for_backward(x)",
     "return grad_sin * x.cos() - grad_cos * x.sin()", "return grad_sin * torch.cos(x) - grad_cos * torch.sin(x)")

# %% 13.SinCos wrong: the slopes are computed from a detached x in backward, so the second derivative is lost (0)
expect("double_backward", "the second derivative misses how the gradient depends on `x`: backward uses something")
edit("\n        (x,) = ctx.saved_tensors", "\n        x = ctx.saved_tensors[0].detach()", of="from argument")

# %% 13.SinCos wrong: the results are always float64 (NumPy arrays converted with float64)
expect("dtype", "result 1 has dtype float64, it must have float32: keep the dtype of the argument")
edit("x.sin(), (x + np.pi / 2).sin(",
     "torch.tensor(np.sin(x.tolist()), dtype=torch.float64), torch.tensor(np.cos(x.tolist()), dtype=torch.float64",
     of="by shift")

# %% 13.SinCos wrong: x is kept on the class, so a second call disturbs the first
expect("repeat", "a second call of forward breaks the backward of the first: keep what backward needs on")
edit("ctx.save_for_backward(x)", "SinCos.x_ = x",
     "\n        (x,) = ctx.saved_tensors", "\n        x = SinCos.x_", of="from argument")

# %% 13.SinCos wrong: backward changes the gradient it gets, in place
expect("unchanged", "backward changes grad_output in place")
edit("(x,) = ctx.saved_tensors\n        return grad_sin * x.cos() - grad_cos * x.sin()",
     "(x,) = ctx.saved_tensors\n        grad_sin *= torch.cos(x)\n        grad_sin -= grad_cos * torch.sin(x)\n"
     "        return grad_sin", of="from argument")

# %% 13.SinCos wrong: the two gradients are averaged instead of added
expect("known", "the gradient: this is the mean, but it must be the sum")
edit("return grad_sin * x.cos() - grad_cos * x.sin()",
     "return (grad_sin * torch.cos(x) - grad_cos * torch.sin(x)) / 2", of="from argument")

# %% 13.SinCos wrong: second only
expect("known", "the gradient: the part of the gradient through the sine is left out; x")
edit("return grad_sin * x.cos() - grad_cos * x.sin()", "return - grad_cos * x.sin()")

# %% 13.SinCos wrong: tangent
expect("wrong_value", "result 2 is [")
edit("return x.sin(), x.cos()", "return x.sin(), x.tan()")

# %% 13.SinCos wrong: detached
expect("double_backward", "leaves the tensors")
edit("\n        (x,) = ctx.saved_tensors", "\n        x = ctx.saved_tensors[0].detach()",
     "return grad_sin * x.cos() - grad_cos * x.sin()",
     "return grad_sin.detach() * x.cos() - grad_cos.detach() * x.sin()")

# %% 13.SinCos wrong: slopes exchanged
expect(
    "known",
    "sine and cosine have changed places in the slopes: were they saved in the order in which they are un",
)
edit("return grad_sin * x.cos() - grad_cos * x.sin()", "return grad_sin * x.sin() - grad_cos * x.cos()")

# %% 13.SinCos wrong: added
expect("known", "the gradient: it is `grad_sin + grad_cos` in yours; x reaches both")
edit("\n        (x,) = ctx.saved_tensors\n        return grad_sin * x.cos() - grad_cos * x.sin()",
     "\n        return grad_sin + grad_cos")

# %% 13.SinCos wrong: twice
expect("known", "the part of the gradient through the cosine: it is twice what it must be")
edit("return grad_sin * x.cos() - grad_cos * x.sin()", "return grad_sin * x.cos() - 2 * grad_cos * x.sin()")

# %% 13.SinCos wrong: one result, backward of two
expect("number_of_results", "-> forward returns 1 result; this exercise asks for 2", never=("backward is called with",))
edit("return x.sin(), x.cos()", "return x.sin()")

# %% 13.SinCos wrong: three results, backward of two
expect("number_of_results", "-> forward returns 3 results; this exercise asks for 2",
       never=("backward is called with",))
edit("return x.sin(), x.cos()", "return x.sin(), x.cos(), x.tan()")

# %% 13.SinCos wrong: None in place of the second result
expect("no_result", "one of the 2 results of forward is None; each must be a tensor", never=("is there a `return`",))
edit("return x.sin(), x.cos()", "return x.sin(), None")

# %% 13.SinCos wrong: a list of two results
expect("no_result", "forward returns a list; it must return a tuple of 2 tensors", never=("1 result",))
edit("return x.sin(), x.cos()", "return [x.sin(), x.cos()]")

# %% 13.SinCos wrong: backward has one parameter too few, forward is right
expect("signature", "backward is called with", never=("this exercise asks for",))
edit("def backward(ctx, grad_sin, grad_cos):", "def backward(ctx, grad_sin):")

# %% 13.SinCos wrong: three results, and backward returns two gradients
expect("number_of_results", "-> forward returns 3 results", "backward returns 2 values, forward takes 1 argument",
       never=("as many as forward has results",))
edit("return x.sin(), x.cos()", "return x.sin(), x.cos(), x.tan()",
     "def backward(ctx, grad_sin, grad_cos):", "def backward(ctx, g, h, i):",
     "return grad_sin * x.cos() - grad_cos * x.sin()", "return g * x.cos(), -h * x.sin()")

# %% 13.SinCos wrong: the results in the wrong order
expect("known", "the parts stand in another order; the sine must come first")
edit("return x.sin(), x.cos()", "return x.cos(), x.sin()",
     "def backward(ctx, grad_sin, grad_cos):", "def backward(ctx, grad_cos, grad_sin):")

# %% 13.SinCos wrong: the second derivative is wrong
expect("double_backward", "the first derivative is right, the second by `x` is wrong", never=(", numerically",))
edit("ctx.save_for_backward(x)", "ctx.save_for_backward(x)\n        ctx.sin = x.sin()",
     "return grad_sin * x.cos() - grad_cos * x.sin()", "return grad_sin * x.cos() - grad_cos * ctx.sin.detach()")

# %% 13.SinCos wrong: one gradient for each result
expect("one_per_result", "(x), to which all the results contribute")
edit("return grad_sin * x.cos() - grad_cos * x.sin()", "return grad_sin * x.cos() + 1, - grad_cos * x.sin()")

# %% 13.SortDescending right: by torch
class SortDescending(Function):
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

# %% 13.SortDescending right: by inverse permutation
class SortDescending(Function):
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

# %% 13.SortDescending right: in num py
import numpy as np


class SortDescending(Function):
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

# %% 13.SortDescending right: by hand
class SortDescending(Function):
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

# %% 13.SortDescending right: by permutation matrix
class SortDescending(Function):
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

# %% 13.SortDescending right: with setup context
class SortDescending(Function):
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

# %% 13.SortDescending right: sorts -x, and undoes the permutation with argsort of the permutation
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

# %% 13.SortDescending right: Python's sorted with whole numbers in a list, and a loop in backward
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

# %% 13.SortDescending right: a permutation matrix made from the rank of each entry; setup_context saves the second result
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

# %% 13.SortDescending right: sorts from small to large and flips both; gradients are not materialized
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

# %% 13.SortDescending right: counts for each entry how many are larger, and sorts and un-sorts by multiplying with a permutation matrix
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

# %% 13.SortDescending wrong: the gradient is taken from the positions (grad_values[order]) instead of being put at them
expect("known", "the gradient is moved in the same way as x, but it must move back to where x was")
edit("grad_x = torch.zeros_like(grad_values)\n        grad_x[indices] = grad_values\n        return grad_x",
     "return grad_values[indices]")

# %% 13.SortDescending wrong: positions has whole numbers (int64) instead of the dtype of x
expect("dtype", "result 2 has dtype int64, it must have float64: keep the dtype of the argument")
edit("positions = indices.to(x.dtype)", "positions = indices")

# %% 13.SortDescending wrong: positions holds the rank of each entry of x (where it goes) instead of where each value came from
expect("known", "positions must say where a sorted value came from, not where an entry of x went")
edit("positions = indices.to(x.dtype)", "positions = torch.argsort(indices).to(x.dtype)")

# %% 13.SortDescending wrong: positions are counted from 1
expect("known", "the positions are counted from 1, but they must be counted from 0")
edit("positions = indices.to(x.dtype)", "positions = indices.to(x.dtype) + 1")

# %% 13.SortDescending wrong: the values are flipped to go from large to small, the positions are not
expect("known", "the positions belong to values sorted from small to large")
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

# %% 13.SortDescending wrong: backward returns the gradient in the sorted order, it is not moved back to the positions in x
expect("known", "the gradient is in the order of the sorted values, not in the order of x")
edit("return grad_values[ctx.back]", "return grad_values", of="sorts -x")

# %% 13.SortDescending wrong: the wrong result is marked: values has no gradient any more
expect("no_graph", "result 1 does not require grad, so that no gradient can flow back: is it marked")
edit("ctx.mark_non_differentiable(positions)", "ctx.mark_non_differentiable(values)")

# %% 13.SortDescending wrong: sorts by the absolute value
expect("known", "the values are sorted by their absolute values: is -3 larger than 1?")
edit("order = torch.argsort(-x)", "order = torch.argsort(x.abs(), descending=True)", of="sorts -x")

# %% 13.SortDescending wrong: x itself is sorted in place
expect("unchanged", "the argument x is changed in forward: work on a copy of x")
edit("numbers = x.tolist()",
     "numbers = list(range(len(x)))\n        for i in range(len(x)):\n            for j in range(i + 1, len(x)):\n"
     "                if x[j] > x[i]:\n                    a, b = x[i].item(), x[j].item()\n"
     "                    x[i], x[j] = b, a\n                    numbers[i], numbers[j] = numbers[j], numbers[i]",
     "positions = torch.tensor(ctx.order, dtype=x.dtype)", "positions = torch.tensor(numbers, dtype=x.dtype)",
     "return values, positions", "return x.clone(), positions", of="Python's")

# %% 13.SortDescending wrong: the inner loop ends one entry early: the last entry of x always stays at the end
expect("known", "the last entry of x stays last: does a loop stop too early?")
edit("\n        ctx.order = sorted(range(len(numbers)), key=lambda i: numbers[i], reverse=True)",
     "\n        n = len(numbers)\n        order = list(range(n))\n        for i in range(n):\n"
     "            for j in range(i + 1, n - 1):\n                if numbers[order[j]] > numbers[order[i]]:\n"
     "                    order[i], order[j] = order[j], order[i]\n        ctx.order = order", of="Python's")

# %% 13.SortDescending wrong: the positions are kept on the class, so a second call disturbs the first
expect("repeat", "a second call of forward breaks the backward of the first: keep what backward needs on")
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

# %% 13.SortDescending wrong: backward turns the gradient around, as if x had always come from small to large
expect("known", "the gradient is turned round, whatever x is")
edit("return grad_values[ctx.back]", "return grad_values.flip(0)", of="sorts -x")

# %% 13.SortDescending wrong: marks both
expect("no_graph", "result 1 does not require grad")
edit("ctx.mark_non_differentiable(positions)", "ctx.mark_non_differentiable(values,positions)")

# %% 13.SortDescending wrong: counts
expect("wrong_value", "result 2 is [")
edit("positions = indices.to(x.dtype)", "positions = torch.arange(len(x)).to(x.dtype)")

# %% 13.SortDescending wrong: one grad output
expect("signature", "one grad_output for each result")
class SortDescending(Function):
    @staticmethod
    def forward(ctx, x):
        values, indices = torch.sort(x, descending=True)
        positions = indices.to(x.dtype)
        ctx.mark_non_differentiable(positions)
        ctx.save_for_backward(indices)
        return values, positions

    @staticmethod
    def backward(ctx, g):
        (indices,) = ctx.saved_tensors
        return torch.zeros_like(g).scatter(0, indices, g)

# %% 13.SortDescending wrong: ones
expect("grad_output_forgotten", "is not used")
edit("return grad_values[ctx.back]", "return torch.ones_like(grad_values)", of="sorts -x")

# %% 13.SortDescending wrong: in place
expect("unchanged", "grad_output in place")
edit("grad_x = torch.zeros_like(grad_values)", "grad_x = grad_values.clone()",
     "grad_x[indices] = grad_values", "grad_values[indices] = grad_x",
     "return grad_x", "return grad_values")

# %% 13.SortDescending wrong: times positions
expect("some_entries", "the gradient is wrong only in entries [0] and [1]")
edit("def backward(ctx, grad_values, grad_positions):", "def backward(ctx, g, _):",
     "grad_x = torch.zeros_like(grad_values)",
     "positions = torch.arange(len(g)).to(g.dtype)\n        return torch.zeros_like(g)",
     "\n        grad_x[indices] = grad_values\n        return grad_x", ".scatter(0, indices, g * positions)")

# %% 13.SortDescending wrong: nothing is marked
expect(
    "constants",
    "result 2 requires grad, but does not have a gradient: forward must call ctx.mark_non_differentiable, once, with the tensor itself that it returns as result 2",
    never=(": call ctx.mark_non_differentiable in forward",),
)
edit("ctx.mark_non_differentiable(positions)\n        ctx.save_for_backward(indices)",
     "ctx.save_for_backward(indices)\n        pass")

# %% 13.SortDescending wrong: a tuple is marked
expect("raised", "its arguments are tensors: no tuple or list of them")
edit("ctx.save_for_backward(indices)", "ctx.mark_non_differentiable((positions,))")

# %% 13.SortDescending wrong: the values alone, backward of two
expect("number_of_results", "-> forward returns 1 result; this exercise asks for 2", never=("backward is called with",))
edit("return values, positions", "return values")

# %% 13.SortDescending wrong: sorted from small to large
expect("known", "the order is that of values sorted from small to large, not from large to small")
edit("values, indices = torch.sort(x, descending=True)", "values, indices = torch.sort(x)")

# %% 13.SortDescending wrong: a gradient for the places too
expect("one_per_result", "as many as forward has results; it must return one for each argument of forward (x)",
       never=("all the results contribute",))
edit("return result", "return result, grad_positions", of="by torch")

# %% 13.AddInPlace right: by method
class AddInPlace(Function):
    @staticmethod
    def forward(ctx, x, y):
        x.add_(y)
        ctx.mark_dirty(x)
        return x

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output, grad_output

# %% 13.AddInPlace right: by assignment
class AddInPlace(Function):
    @staticmethod
    def forward(ctx, x, y):
        ctx.mark_dirty(x)
        x += y
        return x

    @staticmethod
    def backward(ctx, g):
        return g.clone(), g.clone()

# %% 13.AddInPlace right: by copy
class AddInPlace(Function):
    @staticmethod
    def forward(ctx, x, y):
        total = x + y
        ctx.mark_dirty(x)
        return x.copy_(total)

    @staticmethod
    def backward(ctx, g):
        return (g * 1, 1 * g, None)

# %% 13.AddInPlace right: by slice
class AddInPlace(Function):
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

# %% 13.AddInPlace right: num py
class AddInPlace(Function):
    @staticmethod
    def forward(ctx, x, y):
        array = x.detach().numpy()
        array += y.detach().numpy()
        ctx.mark_dirty(x)
        return x

    @staticmethod
    def backward(ctx, g):
        return torch.tensor(g.detach().numpy().copy()), g

# %% 13.AddInPlace right: with setup context
class AddInPlace(Function):
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

# %% 13.AddInPlace right: += after mark_dirty
class AddInPlace(Function):
    @staticmethod
    def forward(ctx, x, y):
        ctx.mark_dirty(x)
        x += y
        return x

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output.clone(), grad_output.clone()

# %% 13.AddInPlace right: setup_context marks x, forward writes with copy_
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

# %% 13.AddInPlace right: assigns to all entries with [...], and computes only the gradients that are needed
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

# %% 13.AddInPlace right: subtracts the negative in place; the gradient of y is multiplied by ones
class AddInPlace(Function):
    @staticmethod
    def forward(ctx, *args):
        x, y = args
        ctx.mark_dirty(x)
        return x.sub_(-y)

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output, grad_output * torch.ones_like(grad_output)

# %% 13.AddInPlace right: marks first, then copies the sum into x; backward returns the two gradients as a list made by a comprehension and turned into a tuple
class AddInPlace(Function):
    @staticmethod
    def forward(ctx, x, y):
        ctx.mark_dirty(x)
        total = y + x
        return x.copy_(total)

    @staticmethod
    def backward(ctx, grad_output):
        return tuple(grad_output.clone() for _ in range(2))

# %% 13.AddInPlace wrong: x is not marked as changed (mark_dirty is missing)
expect("in_place", "x is changed in place, but autograd does not know it: `ctx.mark_dirty(x)` and returning")
edit("x.add_(y)\n        ctx.mark_dirty(x)\n        return x", "x.add_(y)\n        return x")

# %% 13.AddInPlace wrong: backward returns one gradient only; the one for y is missing
expect("too_few", "backward returns 1 value, forward takes 2 arguments")
edit("return grad_output, grad_output", "return grad_output")

# %% 13.AddInPlace wrong: y gets None as its gradient, although it is a tensor and its gradient is grad_output
expect("none_for_tensor", "backward returns None for y, which is a tensor and has a gradient")
edit("return grad_output, grad_output", "return grad_output, None")

# %% 13.AddInPlace wrong: the gradient of x is zero, as if the old x had been overwritten
expect("zero", "the gradient for x is zero everywhere, which is wrong")
edit("return grad_output, grad_output", "return torch.zeros_like(grad_output), grad_output")

# %% 13.AddInPlace wrong: subtracts y instead of adding it (backward fits the subtraction)
expect("known", "the result: `y` is subtracted, not added")
edit("x.add_(y)", "x.sub_(y)", "return grad_output, grad_output", "return grad_output, - grad_output")

# %% 13.AddInPlace wrong: y is changed too: it is used as scratch space for the sum, which is then copied into x
expect("unchanged", "the argument y is changed in forward: work on a copy of y")
edit("def forward(ctx, x, y):\n        x.add_(y)", "def forward(ctx, x, y):\n        y += x\n        x.copy_(y)")

# %% 13.AddInPlace wrong: y is added twice
expect("known", "the result: `y` is also added to it")
edit("return x", "return x.add_(y)")

# %% 13.AddInPlace wrong: the gradient of y has the wrong shape: it is summed over all entries
expect("wrong_shape", "the gradient for y has shape")
edit("return grad_output, grad_output", "return grad_output, grad_output.sum()")

# %% 13.AddInPlace wrong: the gradient is split in halves between x and y
expect("known", "the gradient for x and the gradient for y: it is half of what it must be")
edit("return grad_output, grad_output", "return grad_output / 2, grad_output / 2")

# %% 13.AddInPlace wrong: loops over len(x), which fails for a tensor with no dimensions
expect("raises_for_some", "`for i in range(len(x)):` raised TypeError")
edit("def forward(ctx, x, y):\n        x.add_(y)",
     "def forward(ctx, x, y):\n        for i in range(len(x)):\n            x[i] = x[i] + y[i]")

# %% 13.AddInPlace wrong: the gradients are those of a product (grad_output times the other argument)
expect("known", "these are the gradients of a product, but the result is a sum")
edit("def forward(ctx, x, y):", "def forward(ctx, x, y):\n        ctx.old = x.clone(), y.clone()",
     "\n        return grad_output, grad_output",
     "\n        x, y = ctx.old\n        return grad_output * y, grad_output * x")

# %% 13.AddInPlace wrong: changes grad output
expect("unchanged", "grad_output in place")
edit("return grad_output, grad_output", "return grad_output.mul_(1.5).div(1.5), grad_output / 1.5")

# %% 13.AddInPlace wrong: nothing
expect("no_result", "is there a `return`?")
edit("x.add_(y)\n        ctx.mark_dirty(x)\n        return x", "x.add_(y)")

# %% 13.AddInPlace wrong: sign
expect("known", "the gradient for y: it has the wrong sign; when one of the arguments")
edit("return grad_output, grad_output", "return grad_output, - grad_output")

# %% 13.AddInPlace wrong: times arguments
expect("some_values", "every gradient is wrong")
edit("\n        return grad_output, grad_output",
     "\n        x, y = ctx.saved_tensors\n        return grad_output * x, grad_output * y",
     "ctx.mark_dirty(x)", "ctx.save_for_backward(x, y)",
     "def forward(ctx, x, y):\n        x.add_(y)",
     "def forward(ctx, x, y):\n        ctx.mark_dirty(x)\n        x.add_(y)")

# %% 13.AddInPlace wrong: first entry
expect("some_entries", "the result is wrong only in entries [1] and [2]")
edit("x.add_(y)", "x.reshape(-1)[0].add_(y.reshape(-1)[0])")

# %% 13.AddInPlace wrong: the other argument is marked
expect(
    "raised",
    "mark the argument that is to be changed, change it itself and return it: no other one, no new tensor",
)
edit("ctx.mark_dirty(x)", "ctx.mark_dirty(y)")

# %% 13.AddInPlace wrong: a new sum
expect(
    "raised",
    "mark the argument that is to be changed, change it itself and return it: no other one, no new tensor",
)
edit("x += y", "x = x + y", of="by assignment")

# %% 13.CumSum right: by flip
class CumSum(Function):
    @staticmethod
    def forward(ctx, x):
        return torch.cumsum(x, -1)

    @staticmethod
    def backward(ctx, g):
        return g.flip(-1).cumsum(-1).flip(-1)

# %% 13.CumSum right: by total
class CumSum(Function):
    @staticmethod
    def forward(ctx, x):
        return x.cumsum(dim=x.dim() - 1)

    @staticmethod
    def backward(ctx, g):
        return (g.sum(-1, keepdim=True) - g.cumsum(-1) + g,)

# %% 13.CumSum right: by triangle
class CumSum(Function):
    @staticmethod
    def forward(ctx, x):
        n = x.shape[-1]
        ctx.triangle = torch.tril(torch.ones(n, n, dtype=x.dtype))
        return x @ ctx.triangle.t()

    @staticmethod
    def backward(ctx, g):
        return g @ ctx.triangle

# %% 13.CumSum right: in num py
import numpy as np


class CumSum(Function):
    @staticmethod
    def forward(ctx, x):
        return torch.tensor(np.cumsum(x.detach().numpy(), axis=-1))

    @staticmethod
    def backward(ctx, g):
        array = g.detach().numpy()
        return torch.tensor(np.cumsum(array[..., ::-1], axis=-1)[..., ::-1].copy())

# %% 13.CumSum right: entry by entry
class CumSum(Function):
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

# %% 13.CumSum right: by loop
class CumSum(Function):
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

# %% 13.CumSum right: by rest
class CumSum(Function):
    @staticmethod
    def forward(x):
        return x.cumsum(dim=x.dim() - 1)

    @staticmethod
    def setup_context(ctx, inputs, output):
        pass

    @staticmethod
    def backward(ctx, g):
        return g + g.sum(-1, keepdim=True) - torch.cumsum(g, -1)

# %% 13.CumSum right: loops over the columns, forward from the left and backward from the right
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

# %% 13.CumSum right: a product with a triangle of ones
class CumSum(Function):
    @staticmethod
    def forward(ctx, x):
        n = x.shape[-1]
        ctx.table = torch.triu(torch.ones(n, n, dtype=x.dtype))
        return x @ ctx.table

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output @ ctx.table.T

# %% 13.CumSum right: total minus the running sum plus the own entry; with setup_context
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

# %% 13.CumSum right: NumPy in both, with a reversed view
import numpy as np

class CumSum(Function):
    @staticmethod
    def forward(ctx, x):
        return torch.tensor(np.cumsum(x.detach().numpy(), axis=-1), dtype=x.dtype)

    @staticmethod
    def backward(ctx, grad_output):
        g = grad_output.detach().numpy()
        return torch.tensor(np.cumsum(g[..., ::-1], axis=-1)[..., ::-1].copy(), dtype=grad_output.dtype)

# %% 13.CumSum right: multiplies by a triangle of ones in forward and by its transpose in backward
class CumSum(Function):
    @staticmethod
    def forward(ctx, x):
        n = x.shape[-1]
        ctx.triangle = torch.triu(torch.ones(n, n, dtype=x.dtype))
        return x @ ctx.triangle

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output @ ctx.triangle.T

# %% 13.CumSum wrong: backward sums from the left like forward; entry j is part of the results j and later
expect("known", "each entry gets grad_output summed up to its place, but it is part of the sums from its")
edit("return g.flip(-1).cumsum(-1).flip(-1)", "return g.cumsum(-1)", of="by flip")

# %% 13.CumSum wrong: sums along the first dimension instead of the last, in both directions
expect("known", "the sums run along the first dimension, but they must run along the last dimension, row")
edit("return torch.cumsum(x, -1)", "return torch.cumsum(x, 0)", of="by flip")

# %% 13.CumSum wrong: the dimension is fixed at 1: fails for vectors and is the wrong one with three dimensions
expect("raises_for_some", "the sums run along the second dimension, but they must run along the last dimension")
edit("return x.cumsum(dim=x.dim() - 1)", "return torch.cumsum(x, 1)", of="by total")

# %% 13.CumSum wrong: backward returns grad_output as it is
expect("known", "the gradient: it is `grad_output` in yours")
edit("return g.flip(-1).cumsum(-1).flip(-1)", "return g", of="by flip")

# %% 13.CumSum wrong: off by one: the gradient of entry j sums the gradients of the results after j and leaves out result j itself
expect("known", "each entry gets grad_output summed from the next place on")
edit("return g.flip(-1).cumsum(-1).flip(-1)", "return g.sum(dim=-1, keepdim=True) - g.cumsum(-1)", of="by flip")

# %% 13.CumSum wrong: the result of the sum is not flipped back
expect("known", "the entries of the gradient are in reverse order")
edit("return g.flip(-1).cumsum(-1).flip(-1)", "return g.flip(-1).cumsum(-1)", of="by flip")

# %% 13.CumSum wrong: backward gives every entry the whole sum of its row
expect("known", "each entry gets the sum over its whole row, but it is not part of the sums before its")
edit("return g.flip(-1).cumsum(-1).flip(-1)", "return g.sum(-1, keepdim=True).expand_as(g).clone()", of="by flip")

# %% 13.CumSum wrong: the running sum in forward leaves out the own entry (sum over k < j); backward fits that
expect("known", "each running sum leaves out the entry at its own place")
edit("return torch.cumsum(x, -1)", "return torch.cumsum(x, -1) - x",
     "return g.flip(-1).cumsum(-1).flip(-1)", "return g.flip(-1).cumsum(-1).flip(-1) - g", of="by flip")

# %% 13.CumSum wrong: the total is not set back to zero at the beginning of each row (runs on over all entries; backward fits that)
expect("known", "the sums run over all entries, but they must run along the last dimension, row by row")
edit("return torch.cumsum(x, -1)", "return x.flatten().cumsum(0).reshape(x.shape)", of="by flip")

# %% 13.CumSum wrong: forward changes x in place
expect("unchanged", "the argument x is changed in forward: work on a copy of x")
edit("result = x.clone()", "result = x", "return result", "return result.clone()", of="loops over")

# %% 13.CumSum wrong: backward changes grad_output in place (no copy)
expect("unchanged", "backward changes grad_output in place")
edit("grad = grad_output.clone()", "grad = grad_output", of="loops over")

# %% 13.CumSum wrong: the result has the default dtype float32, not the dtype of x
expect("dtype", "the result has dtype float32, it must have float64: keep the dtype of the argument")
edit("result = x.clone()", "result = torch.zeros(x.shape)\n        result[..., 0] = x[..., 0]", of="loops over")

# %% 13.CumSum wrong: the loop in forward ends one column early: the last entry is not a running sum
expect("known", "the last entry of each row is not summed: does a loop stop too early?")
edit("for j in range(1, x.shape[-1]):", "for j in range(1, x.shape[-1] - 1):", of="loops over")

# %% 13.CumSum wrong: the loop in backward ends one column early: column 0 gets only its own gradient
expect("known", "the first entry of a row gets grad_output of its own place only: does a loop stop too")
edit("for j in range(grad.shape[-1] - 2, -1, -1):", "for j in range(grad.shape[-1] - 2, 0, -1):", of="loops over")

# %% 13.CumSum wrong: backward counts in how many results an entry is, and multiplies its own grad_output by that
expect("known", "each entry gets grad_output of its own place several times, but it is also part of the")
edit("return g.flip(-1).cumsum(-1).flip(-1)", "return g * torch.arange(g.shape[-1], 0, -1).to(g.dtype)", of="by flip")

# %% 13.CumSum wrong: backward ignores grad_output: it returns in how many results each entry is
expect("grad_output_forgotten", "grad_output is not used: backward returns the same gradient for every grad_output")
edit("return g.flip(-1).cumsum(-1).flip(-1)", "return torch.ones_like(g).flip(-1).cumsum(-1).flip(-1)", of="by flip")

# %% 13.CumSum wrong: backward flips the first dimension instead of the last one; right for vectors only
expect("known", "grad_output is reversed along the first dimension, but the sums run along the last")
edit("return g.flip(-1).cumsum(-1).flip(-1)", "return g.flip(0).cumsum(-1).flip(0)", of="by flip")

# %% 13.CumSum wrong: keepdim is missing: the sum of a row is combined with the wrong entries of a matrix
expect("raises_for_some", "`return grad_output.sum(-1) - grad_output.cumsum(-1) + grad_output` raised RuntimeError")
edit("def backward(ctx, g):", "def backward(ctx, grad_output):",
     "g.flip(-1).cumsum(-1).flip(-1)", "grad_output.sum(-1) - grad_output.cumsum(-1) + grad_output", of="by flip")

# %% 13.CumSum wrong: from the end
expect("wrong_value", "the result is [")
edit("return torch.cumsum(x, -1)", "return x.flip(-1).cumsum(-1).flip( -1)", of="by flip")

# %% 13.CumSum wrong: is sum
expect("forward_shape", "(1,), it must have (3,)")
edit("def forward(ctx, x):\n        return torch.cumsum(x, -1)",
     "def forward(ctx, x):\n        ctx.shape = x.shape\n        return x.sum(-1, keepdim=True)",
     "return g.flip(-1).cumsum(-1).flip(-1)", "return g.expand(ctx.shape)", of="by flip")

# %% 13.CumSum wrong: only flipped
expect("wrong_value", "the gradient is [")
edit("return g.flip(-1).cumsum(-1).flip(-1)", "return g.flip(-1)", of="by flip")

# %% 13.CumSum wrong: last only
expect("some_entries", "the gradient is wrong only in entries [0] and [1]")
edit("return torch.cumsum(grad_output.flip(-1), -1).flip(-1)",
     "return grad_output[..., -1:].expand(grad_output.shape)")

# %% 13.CumSum wrong: sorted
expect("some_entries", "the result is wrong only in entries [0] and [1]")
edit("return torch.cumsum(x, -1)", "return x.cumsum(-1).sort(dim=-1).values", of="by flip")

# %% 13.MaxPool1d right: pool by scatter
class MaxPool1d(Function):
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

# %% 13.MaxPool1d right: pool by mask
class MaxPool1d(Function):
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

# %% 13.MaxPool1d right: pool by loops
import numpy as np


class MaxPool1d(Function):
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

# %% 13.MaxPool1d right: pool in num py
import numpy as np


class MaxPool1d(Function):
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

# %% 13.MaxPool1d right: pool by tape
class MaxPool1d(Function):
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

# %% 13.MaxPool1d right: pool with setup context
class MaxPool1d(Function):
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

# %% 13.MaxPool1d right: plain loops over rows and windows, positions in a dict
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

# %% 13.MaxPool1d right: a mask: where the entry is the largest of its window; leftover entries are filled up with cat
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

# %% 13.MaxPool1d right: window by window with argmax, and assignment to one slice of the gradient after the other
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

# %% 13.MaxPool1d right: NumPy: put_along_axis into zeros
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

# %% 13.MaxPool1d right: compares each entry with the maximum of its window to get a mask
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

# %% 13.MaxPool1d wrong: backward returns one value only; the None for k is missing
expect("too_few", "backward returns 1 value, forward takes 2 arguments")
edit("ctx.places = offsets + torch.arange(count) * k\n        ctx.shape = x.shape",
     "ctx.shape = x.shape\n        ctx.save_for_backward(offsets + k * torch.arange(count))",
     "def backward(ctx, grad_output):", "def backward(ctx, grad_output):\n        offsets, = ctx.saved_tensors",
     "return zeros.scatter(-1, ctx.places, grad_output), None", "return zeros.scatter(-1, offsets, grad_output)")

# %% 13.MaxPool1d wrong: the gradient is spread evenly over the entries of the window instead of going to the largest one
expect("known", "the gradient is split evenly in each window, as for a mean, but only the largest entry")
edit("ctx.places = offsets + torch.arange(count) * k\n        ctx.shape = x.shape",
     "ctx.shape, ctx.places = x.shape, k\n        ctx.save_for_backward(offsets + k * torch.arange(count))",
     "return zeros.scatter(-1, ctx.places, grad_output), None",
     "k = ctx.places\n        used = grad_output.shape[-1] * k\n"
     "        zeros[..., :used] = grad_output.repeat_interleave(k, dim=-1) / k\n        return zeros, None")

# %% 13.MaxPool1d wrong: entries left over form one more, shorter window instead of being dropped
expect("known", "the entries left over are a window of their own, but they must be dropped")
edit("n = rows.shape[1] // k", "n = -(-rows.shape[1] // k)",
     "for j in range(i * k, (i + 1) * k):", "for j in range(i * k, min((i + 1) * k, rows.shape[1])):",
     of="plain loops")

# %% 13.MaxPool1d wrong: the windows are every n-th entry instead of neighbours (reshape to k, n instead of n, k)
expect("known", "the entries of a window are not neighbours in x: how is it reshaped?")
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

# %% 13.MaxPool1d wrong: the windows overlap: each begins one entry after the one before, instead of k entries
expect("known", "a window begins at each entry, so that the windows overlap")
edit("n = rows.shape[1] // k", "n = rows.shape[1] - k + 1",
     "best = i * k", "best = i",
     "for j in range(i * k, (i + 1) * k):", "for j in range(i, i + k):",
     "grad[r, best] = g[r, i]", "grad[r, best] += g[r, i]", of="plain loops")

# %% 13.MaxPool1d wrong: off by one in the number of windows: if nothing is left over, the last window is missing
expect("known", "the last window is missing if no entries are left over after it")
edit("n = rows.shape[1] // k", "n = (rows.shape[1] - 1) // k", of="plain loops")

# %% 13.MaxPool1d wrong: off by one at the end of the window: its last entry is never looked at
expect("known", "the windows are one entry too short")
edit("for j in range(i * k, (i + 1) * k):", "for j in range(i * k, (i + 1) * k - 1):", of="plain loops")

# %% 13.MaxPool1d wrong: takes the entry with the largest absolute value
expect("known", "the entry with the largest absolute value is chosen, but the sign counts: -3 is smaller")
edit("if rows[r, j] > rows[r, best]:", "if abs(rows[r, j]) > abs(rows[r, best]):", of="plain loops")

# %% 13.MaxPool1d wrong: returns the smallest entry of each window (backward fits that)
expect("known", "the largest entry of a window: this is the smallest, but it must be the largest")
edit("values, offsets = windows.max(dim=-1)", "values, offsets = windows.min(dim=-1)")

# %% 13.MaxPool1d wrong: the search for the largest begins with 0, so a window with only negative entries gives 0
expect("known", "the result is never negative, but the largest entry can be")
edit("best = i * k", "best, largest = i * k, 0.0",
     "if rows[r, j] > rows[r, best]:\n                        best = j",
     "if rows[r, j] > largest:\n                        best, largest = j, rows[r, j].item()",
     "result[r, i] = rows[r, best]", "result[r, i] = largest", of="plain loops")

# %% 13.MaxPool1d wrong: the result has the default dtype float32
expect("dtype", "the result has dtype float32, it must have float64: keep the dtype of the argument")
edit("result = torch.zeros(rows.shape[0], n, dtype=x.dtype)", "result = torch.zeros(rows.shape[0], n)",
     of="plain loops")

# %% 13.MaxPool1d wrong: scatter writes into a copy of x instead of zeros: entries that are not the largest get the values of x as gradient
expect("known", "the gradient where x is not the largest of a window: it is `x` in yours")
edit("ctx.places = offsets + torch.arange(count) * k\n        ctx.shape = x.shape",
     "ctx.shape = x.shape\n        ctx.save_for_backward(offsets + k * torch.arange(count), x)",
     "zeros = torch.zeros(ctx.shape, dtype=grad_output.dtype)", "offsets, x = ctx.saved_tensors",
     "return zeros.scatter(-1, ctx.places, grad_output), None", "return x.scatter(-1, offsets, grad_output), None")

# %% 13.MaxPool1d wrong: grad_output is not used: the largest entries get gradient 1
expect("grad_output_forgotten", "grad_output is not used: backward returns the same gradient for every grad_output")
edit("ctx.places = offsets + torch.arange(count) * k\n        ctx.shape = x.shape",
     "ctx.shape = x.shape\n        ctx.save_for_backward(offsets + k * torch.arange(count))",
     "def backward(ctx, grad_output):", "def backward(ctx, grad_output):\n        offsets, = ctx.saved_tensors",
     "ctx.places, grad_output", "offsets, torch.ones_like(grad_output)")

# %% 13.MaxPool1d wrong: k gets a number (0.0) as its gradient instead of None
expect("tensor_for_constant", "backward returns a tensor for k, which is not a tensor: it must return None there")
edit("ctx.places = offsets + torch.arange(count) * k\n        ctx.shape = x.shape",
     "ctx.shape = x.shape\n        ctx.save_for_backward(offsets + k * torch.arange(count))",
     "def backward(ctx, grad_output):", "def backward(ctx, grad_output):\n        offsets, = ctx.saved_tensors",
     "ctx.places, grad_output), None", "offsets, grad_output), torch.tensor(0.0)")

# %% 13.MaxPool1d wrong: a matrix is treated as one long vector: windows run on from one row to the next if entries are left over
expect(
    "raises_for_some",
    "`return values.reshape(*x.shape[:-1], -1)` raised RuntimeError",
    "the gradient is wrong too, perhaps because of what forward computes: fix",
    "the gradient is wrong too, perhaps because of what forward computes",
)
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

# %% 13.MaxPool1d wrong: the positions are kept on the class, so a second call disturbs the first
expect("repeat", "a second call of forward breaks the backward of the first: keep what backward needs on")
edit("ctx.places = offsets + torch.arange(count) * k\n        ctx.shape = x.shape",
     "ctx.shape = x.shape\n        MaxPool1d.where = offsets + k * torch.arange(count)",
     "def backward(ctx, grad_output):", "def backward(ctx, grad_output):\n        offsets = MaxPool1d.where",
     "return zeros.scatter(-1, ctx.places, grad_output), None", "return zeros.scatter(-1, offsets, grad_output), None")

# %% 13.MaxPool1d wrong: every entry of a window gets the gradient; only the largest one may
expect("known", "every entry of a window gets the gradient, not only the largest")
edit("values, offsets =", "ctx.k_, ctx.m, ctx.shape = k, count, x.shape\n        return",
     "\n        ctx.save_for_backward(offsets + torch.arange(0, count * k, k))\n        ctx.shape = x.shape\n"
     "        return values",
     "[0]",
     "(places,) = ctx.saved_tensors\n"
     "        return torch.zeros(ctx.shape, dtype=g.dtype).scatter_add(-1, places, g), None",
     "grad = torch.zeros(ctx.shape, dtype=g.dtype)\n        for places in range(ctx.m):\n"
     "            for j in range(ctx.k_):\n                grad[..., places * ctx.k_ + j] = g[..., places]\n"
     "        return grad, None", of="pool by scatter")

# %% 13.MaxPool1d wrong: pool no rest
expect(
    "raises_for_some",
    "forward, line 5: `values, offsets = x.reshape(*x.shape[:-1], x.shape[-1] // k, k).max(dim=-1)` raise",
)
edit("x[..., : count * k].reshape(*x.shape[:-1], count", "x.reshape(*x.shape[:-1], x.shape[-1] // k",
     of="pool by scatter")

# %% 13.MaxPool1d wrong: pool offsets
expect("some_entries", "the gradient is wrong")
def cut(x, k):
    count = x.shape[-1] // k
    return x[..., : count * k].reshape(*x.shape[:-1], count, k)


class MaxPool1d(Function):
    @staticmethod
    def forward(ctx, x, k):
        ctx.k = k
        values, offsets = cut(x, k).max(dim=-1)
        ctx.save_for_backward(x, offsets)
        return values

    @staticmethod
    def backward(ctx, g):
        x, offsets = ctx.saved_tensors
        return torch.zeros_like(x).scatter_add(-1, offsets, g), None

# %% 13.MaxPool1d wrong: pool both results
expect("number_of_results", "2 results; this exercise asks for 1")
edit("return values", "return values, offsets")

# %% 13.MaxPool1d wrong: pool at window
expect("some_entries", "the gradient is wrong only in entries [0], [1] and [2]")
def cut(x, k):
    count = x.shape[-1] // k
    return x[..., : count * k].reshape(*x.shape[:-1], count, k)


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


class MaxPool1d(Function):
    @staticmethod
    def forward(ctx, x, k):
        ctx.k = k
        values, offsets = cut(x, k).max(dim=-1)
        ctx.save_for_backward(x, offsets)
        return values

    @staticmethod
    def backward(ctx, g):
        return sent_to(ctx, g, lambda i, _: i)

# %% 13.MaxPool1d wrong: pool times windows
expect("some_entries", "the gradient is wrong only in entries [0, 2], [0, 3] and 4 more")
def cut(x, k):
    count = x.shape[-1] // k
    return x[..., : count * k].reshape(*x.shape[:-1], count, k)


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


class MaxPool1d(Function):
    @staticmethod
    def forward(ctx, x, k):
        ctx.k = k
        values, offsets = cut(x, k).max(dim=-1)
        ctx.save_for_backward(x, offsets)
        return values

    @staticmethod
    def backward(ctx, g):
        return sent_to(ctx, g, lambda i, offset: i * g.shape[-1] + offset)

# %% 13.MaxPool1d wrong: pool drops at beginning
expect("some_entries", "the result is wrong only in entry [1]")
def cut(x, k):
    count = x.shape[-1] // k
    return x[..., : count * k].reshape(*x.shape[:-1], count, k)


def largest_of(x, k, window):
    """The largest entry of the slice `window(i)` for each of the windows."""
    rows = x.reshape(-1, x.shape[-1])
    pooled = [torch.stack([row[window(i)].max() for i in range(len(row) // k)]) for row in rows]
    return torch.stack(pooled).reshape(*x.shape[:-1], -1)


def pool_saved(ctx, x, k):
    ctx.k = k
    ctx.save_for_backward(x, cut(x, k).argmax(-1))


class MaxPool1d(Function):
    @staticmethod
    def forward(ctx, x, k):
        pool_saved(ctx, x, k)
        return largest_of(x, k, lambda i: slice(x.shape[-1] % k + i * k, x.shape[-1] % k + (i + 1) * k))

    @staticmethod
    def backward(ctx, g):
        x, offsets = ctx.saved_tensors
        places = offsets + torch.arange(offsets.shape[-1]) * ctx.k
        return torch.zeros_like(x).scatter(-1, places, g), None

# %% 13.MaxPool1d wrong: pool one window short
expect(
    "raises_for_some",
    "backward, line 22: `return torch.zeros_like(x).scatter(-1, places, g), None` raised RuntimeError",
)
def cut(x, k):
    count = x.shape[-1] // k
    return x[..., : count * k].reshape(*x.shape[:-1], count, k)


def pool_saved(ctx, x, k):
    ctx.k = k
    ctx.save_for_backward(x, cut(x, k).argmax(-1))


class MaxPool1d(Function):
    @staticmethod
    def forward(ctx, x, k):
        pool_saved(ctx, x, k)
        starts = range(0, max(1, x.shape[-1] // k - 1) * k, k)
        return torch.stack([x[..., i : i + k].max(dim=-1)[0] for i in starts], -1)

    @staticmethod
    def backward(ctx, g):
        x, offsets = ctx.saved_tensors
        places = offsets + torch.arange(offsets.shape[-1]) * ctx.k
        return torch.zeros_like(x).scatter(-1, places, g), None

# %% 13.MaxPool1d wrong: the rest of the row is cut off
expect("wrong_shape", "the shapes must be equal; this happens for x of shape (7,), k = 3")
edit("ctx.save_for_backward(offsets + torch.arange(0, count * k, k))", "ctx.save_for_backward(x, offsets)",
     "ctx.shape = x.shape", "ctx.shape = k",
     "(places,) = ctx.saved_tensors", "(x, offsets), k = ctx.saved_tensors",
     "ctx.saved_tensors\n        return torch.zeros(ctx.shape, dtype=g.dtype).scatter_add(-1, places",
     "ctx.saved_tensors, ctx.shape\n        count = offsets.shape[-1]\n"
     "        out = torch.zeros_like(x[..., : count * k])\n"
     "        return out.scatter(-1, offsets + k * torch.arange(count)", of="pool by scatter")

# %% 13.MaxPool1d wrong: the places in the windows
expect("known", "the place in the row that gets the gradient: the beginning of its window is left out",
       never=("arrives later",))
edit("ctx.save_for_backward(offsets + torch.arange(0, count * k, k))", "ctx.save_for_backward(x, offsets)",
     "(places,) = ctx.saved_tensors", "x, offsets = ctx.saved_tensors",
     "torch.zeros(ctx.shape, dtype=g.dtype).scatter_add(-1, places", "torch.zeros_like(x).scatter_(-1, offsets",
     of="pool by scatter")
