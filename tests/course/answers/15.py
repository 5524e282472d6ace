"""Answers to notebook 15: see tests/course/table.py."""

# %% 15.NewtonSqrt right: fixed turns
class NewtonSqrt(Function):
    @staticmethod
    def forward(ctx, a):
        x = torch.ones_like(a)
        for _ in range(20):
            x = (x + a / x) / 2
        ctx.save_for_backward(x)
        return x

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return grad_output / (2 * x)

# %% 15.NewtonSqrt right: in place
class NewtonSqrt(Function):
    @staticmethod
    def forward(ctx, a):
        x = a / 2 + 0.5
        for _ in range(40):
            x.add_(a / x).mul_(0.5)
        assert x.shape == a.shape
        ctx.save_for_backward(x)
        return x

    @staticmethod
    def backward(ctx, g):
        return (g * 0.5 * ctx.saved_tensors[0].reciprocal(),)

# %% 15.NewtonSqrt right: until it settles
class NewtonSqrt(Function):
    """Waits, but not for ever."""

    @staticmethod
    def forward(ctx, a):
        x, turns = a.clone(), 0
        while turns < 100:
            new, turns = 0.5 * (x + a / x), turns + 1
            moved, x = (new - x).abs().max().item(), new
            if moved == 0:
                break
        print("turns:", turns)
        ctx.save_for_backward(x)
        return x

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        slope_of_equation = x + x
        return grad_output / slope_of_equation

# %% 15.NewtonSqrt right: forward in num py
import numpy as np


class NewtonSqrt(Function):
    @staticmethod
    def forward(ctx, a):
        array = a.detach().numpy()
        x = np.ones_like(array)
        for _ in range(30):
            x = ((x + array / x) / 2).astype(array.dtype)
        result = torch.tensor(x)
        ctx.save_for_backward(result)
        return result

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return grad_output * x / (2 * x * x)

# %% 15.NewtonSqrt right: on another equation
class NewtonSqrt(Function):
    """x² - a = 0 by the general formula of Newton's method, and its implicit slope as -p / q."""

    @staticmethod
    def forward(ctx, a):
        x = (a + 1) / 2
        for _ in range(25):
            x = x - (x * x - a) / (2 * x)
        ctx.save_for_backward(x)
        return x

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        by_a, by_x = -1.0, 2 * x
        return -g * by_a / by_x

# %% 15.NewtonSqrt right: number by number
class NewtonSqrt(Function):
    """Plain numbers, one after the other, in forward; setup_context saves."""

    @staticmethod
    def forward(a):
        roots = []
        for number in a.reshape(-1).tolist():
            x = 1.0
            for _ in range(30):
                x = (x + number / x) / 2
            roots.append(x)
        return torch.tensor(roots, dtype=a.dtype).reshape(a.shape)

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(output)

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * torch.ones_like(x) / (x + x)

# %% 15.NewtonSqrt right: twelve steps
class NewtonSqrt(Function):
    """Not one more than 10,000 needs; the slope is that of one step, solved for x."""

    @staticmethod
    def forward(ctx, a):
        x = 1.0
        for _ in range(12):
            x = (x + a / x) * 0.5
        ctx.save_for_backward(x)
        return x

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        by_x = (1 - x * x / x**2) / 2
        return g * (1 / (2 * x)) / (1 - by_x)

# %% 15.NewtonSqrt right: begins with the Python number 1.0, takes 50 steps, setup_context saves the result
class NewtonSqrt(Function):
    @staticmethod
    def forward(a):
        x = 1.0
        for _ in range(50):
            x = 0.5 * (x + a / x)
        return x

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(output)

    @staticmethod
    def backward(ctx, grad_output):
        x, = ctx.saved_tensors
        return 0.5 * grad_output * x.reciprocal()

# %% 15.NewtonSqrt right: one number at a time with Python floats, then reshaped
class NewtonSqrt(Function):
    @staticmethod
    def forward(ctx, a):
        roots = []
        for number in a.flatten().tolist():
            x = 1.0
            for _ in range(30):
                x = (x + number / x) / 2
            roots.append(x)
        result = torch.tensor(roots, dtype=a.dtype).reshape(a.shape)
        ctx.save_for_backward(result)
        return result

    @staticmethod
    def backward(ctx, grad_output):
        return (grad_output / ctx.saved_tensors[0] / 2,)

# %% 15.NewtonSqrt right: in place on a tensor of its own
class NewtonSqrt(Function):
    @staticmethod
    def forward(ctx, a):
        x = torch.ones(a.shape, dtype=a.dtype)
        for _ in range(25):
            x += a / x
            x /= 2
        ctx.save_for_backward(x)
        return x

    @staticmethod
    def backward(ctx, grad_output):
        (root,) = ctx.saved_tensors
        slope = 1 / (root + root)
        return torch.mul(slope, grad_output)

# %% 15.NewtonSqrt right: the step of Newton's method written as x - f / f', with NumPy
import numpy as np

class NewtonSqrt(Function):
    @staticmethod
    def forward(ctx, a):
        numbers = a.detach().numpy().astype(np.float64)
        x = np.ones(numbers.shape)
        for _ in range(24):
            x = x - (x * x - numbers) / (2 * x)
        result = torch.tensor(x, dtype=a.dtype)
        ctx.save_for_backward(result)
        return result

    @staticmethod
    def backward(ctx, g):
        x, = ctx.saved_tensors
        return g * (2 * x) ** -1

# %% 15.NewtonSqrt right: Newton's loop for each entry with numbers of Python, started at a itself; setup_context saves the result
class NewtonSqrt(Function):
    @staticmethod
    def forward(a):
        roots = []
        for number in a.detach().reshape(-1).tolist():
            x = number
            for _ in range(40):
                x -= (x * x - number) / (x + x)
            roots.append(x)
        return torch.tensor(roots, dtype=a.dtype).reshape(a.shape)

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(output)

    @staticmethod
    def backward(ctx, grad_output):
        root = ctx.saved_tensors[0]
        return 0.5 * grad_output * root ** -1

# %% 15.NewtonSqrt wrong: too few steps: 10 are not enough for large and small numbers
expect("known", "x is taken after 10 steps from x = 1: it has not settled yet")
edit("for _ in range(20):", "for _ in range(10):")

# %% 15.NewtonSqrt wrong: the factor 2 is missing in the slope
expect("known", "the slope: 2 is left out")
edit("return grad_output / (2 * x)", "return grad_output / x")

# %% 15.NewtonSqrt wrong: parentheses: only a / x is halved, not the sum
expect("known", "only a / x is halved in a step, not the sum: parentheses are missing")
edit("x = (x + a / x) / 2", "x = x + a / x / 2")

# %% 15.NewtonSqrt wrong: the slope is upside down: 2x is how a changes with x
expect("known", "the slope: the quotient is upside down")
edit("return grad_output / (2 * x)", "return grad_output * (2 * x)")

# %% 15.NewtonSqrt wrong: backward computes with detached numbers, so it cannot be differentiated once more
expect("double_backward", "the second derivative misses how the gradient depends on `a`: backward uses something")
edit("def backward(ctx, grad_output):\n        (x,) = ctx.saved_tensors",
     "def backward(ctx, grad_output):\n        x = torch.tensor(ctx.saved_tensors[0].detach().numpy())")

# %% 15.NewtonSqrt wrong: backward computes with NumPy, so it cannot be differentiated once more
expect("double_backward", "the gradient does not have a graph, so it cannot be differentiated: somewhere in")
edit("return grad_output / (2 * x)", "return torch.tensor(grad_output.detach().numpy() / (2 * x.detach().numpy()))")

# %% 15.NewtonSqrt wrong: stops as soon as a step changes x by less than 0.001: not accurate to nine digits
expect("known", "the loop ends too early for some inputs: the limit that ends it is too large, x has not")
edit("for _ in range(20):", "while True:\n            old = x",
     "x = (x + a / x) / 2", "x = (x + a / x) / 2\n            if (x - old).abs().max() < 1e-3:\n                break")

# %% 15.NewtonSqrt wrong: the start is always float64, so a float32 argument gives a float64 result
expect("dtype", "the result has dtype float64, it must have float32: keep the dtype of the argument")
edit("x = torch.ones_like(a)", "x = torch.ones(a.shape, dtype=torch.float64)")

# %% 15.NewtonSqrt wrong: x = a is no copy: the steps in place change the argument
expect("unchanged", "the argument a is changed in forward: work on a copy of a")
edit("def forward(ctx, a):\n        x = torch.ones_like(a)",
     "def forward(ctx, a):\n        number = a.clone()\n        x = a",
     "x = (x + a / x) / 2", "x += number / x\n            x /= 2\n        x = x.clone()")

# %% 15.NewtonSqrt wrong: grad_output is forgotten
expect("known", "the gradient: `grad_output` is left out")
edit("return grad_output / (2 * x)", "return 1 / (2 * x)")

# %% 15.NewtonSqrt wrong: the return is inside the loop: only one step
expect("known", "x is taken after 1 step from x = 1: it has not settled yet")
edit("x = (x + a / x) / 2\n        ctx.save_for_backward(x)",
     "x = (x + a / x) / 2\n            ctx.save_for_backward(x)",
     "ctx.save_for_backward(x)\n        return x", "ctx.save_for_backward(x)\n            return x")

# %% 15.NewtonSqrt wrong: loops over the entries of a vector: wrong or failing for matrices and for a tensor with no dimensions
expect("raises_for_some", "`number = a[i].item()` raised RuntimeError")
edit("for _ in range(20):",
     "for i in range(len(a)):\n            number = a[i].item()\n            root = 1.0\n"
     "            for _ in range(20):",
     "for _ in range(20):\n            x = (x + a / x) / 2",
     "for _ in range(20):\n                root = (root + number / root) / 2\n            x[i] = root")

# %% 15.NewtonSqrt wrong: the result is kept on the class, so a second call disturbs the first
expect("repeat", "a second call of forward breaks the backward of the first: keep what backward needs on")
edit("ctx.save_for_backward(x)", "NewtonSqrt.x = x",
     "def backward(ctx, grad_output):\n        (x,) = ctx.saved_tensors",
     "def backward(ctx, grad_output):\n        x = NewtonSqrt.x")

# %% 15.NewtonSqrt wrong: backward changes grad_output in place
expect("unchanged", "backward changes grad_output in place")
edit("(x,) = ctx.saved_tensors\n        return grad_output / (2 * x)",
     "(x,) = ctx.saved_tensors\n        grad_output /= 2 * x\n        return grad_output")

# %% 15.NewtonSqrt wrong: the same root for all entries: the mean of a / x is used in the step
expect("known", "a step uses a mean over all entries, but each entry of a has a root of its own")
edit("x = (x + a / x) / 2", "x = (x + (a / x).mean()) / 2")

# %% 15.NewtonSqrt wrong: the sign of the gradient is wrong (minus, as if the equation were x * x + a = 0)
expect("known", "the gradient: it has the wrong sign")
edit("return grad_output / (2 * x)", "return - grad_output / (2 * x)")

# %% 15.NewtonSqrt wrong: The slope is 1/(2a) in place of 1/(2x)
expect("known", "the slope contains a itself, but it needs the root of a")
edit("ctx.save_for_backward(x)", "ctx.save_for_backward(a)")

# %% 15.NewtonSqrt wrong: from elsewhere
expect("wrong_value", "the result is [")
edit("x = torch.ones_like(a)", "x = a / 3 + 1", "for _ in range(20):", "for _ in range(3):")

# %% 15.NewtonSqrt wrong: never satisfied
expect("timeout", "in forward")
edit("for _ in range(20):", "while (x * x != a).any():")

# %% 15.NewtonSqrt wrong: slope of turn
expect("known", "the slope: the root is left out; how much does x move when a moves a")
edit("\n        (x,) = ctx.saved_tensors\n        return grad_output / (2 * x)", "\n        return grad_output / 2")

# %% 15.NewtonSqrt wrong: root of root
expect("wrong_value", "the gradient is [")
edit("return grad_output / (2 * x)", "return grad_output / (2 * x.sqrt())")

# %% 15.NewtonSqrt wrong: an early x is saved, the result is right
expect("known", "-> in the gradient, x is taken after 5 steps from x = 1", never=("-> x is taken",))
edit("x = (x + a / x) / 2", "x = (x + a / x) / 2\n            if _ == 4:\n                early = x",
     "ctx.save_for_backward(x)", "ctx.save_for_backward(early)")

# %% 15.NewtonSqrt wrong: the argument kept, not the result
expect("from_result", "backward needs `a` itself", never=("needs a itself",))
edit("def forward(ctx, a):\n        x = torch.ones_like(a)",
     "def forward(ctx, a):\n        ctx.a_ = a\n        x = 1 + 0 * a",
     "\n        (x,) = ctx.saved_tensors\n        return grad_output / (2 * x)",
     "\n        return grad_output / (2 * ctx.a_.sqrt())")

# %% 15.FixedPoint right: by solve
def settle(W, b, turns=100):
    x = torch.zeros_like(b)
    for _ in range(turns):
        x = torch.tanh(W @ x + b)
    return x


class FixedPoint(Function):
    @staticmethod
    def forward(ctx, W, b):
        x = settle(W, b)
        ctx.save_for_backward(W, x)
        return x

    @staticmethod
    def backward(ctx, grad_output):
        W, x = ctx.saved_tensors
        slope = 1 - x * x
        v = torch.linalg.solve((torch.eye(len(x), dtype=x.dtype) - slope.unsqueeze(1) * W).t(), grad_output)
        back = slope * v
        grad_W = grad_b = None
        if ctx.needs_input_grad[0]:
            grad_W = torch.outer(back, x)
        if ctx.needs_input_grad[1]:
            grad_b = back
        return grad_W, grad_b

# %% 15.FixedPoint right: by turns
def settle(W, b, turns=100):
    x = torch.zeros_like(b)
    for _ in range(turns):
        x = torch.tanh(W @ x + b)
    return x


class FixedPoint(Function):
    """v = grad_output + Jᵀ v is a fixed point itself."""

    @staticmethod
    def forward(ctx, W, b):
        x = settle(W, b, 80)
        ctx.save_for_backward(W, b, x)
        return x

    @staticmethod
    def backward(ctx, g):
        W, b, x = ctx.saved_tensors
        slope = 1 - torch.tanh(W @ x + b) ** 2
        v = g.clone()
        for _ in range(100):
            v = g + W.t() @ (slope * v)
        back = slope * v
        print(back)
        return (
            back.unsqueeze(1) * x.unsqueeze(0) if ctx.needs_input_grad[0] else None,
            back if ctx.needs_input_grad[1] else None,
        )

# %% 15.FixedPoint right: in num py
import numpy as np


class FixedPoint(Function):
    @staticmethod
    def forward(ctx, W, b):
        ctx.W, ctx.x = W.detach().numpy().copy(), np.zeros_like(b.detach().numpy())
        for _ in range(120):
            ctx.x = np.tanh(ctx.W @ ctx.x + b.detach().numpy())
        return torch.tensor(ctx.x)

    @staticmethod
    def backward(ctx, g):
        inverse_slope = np.diag(1 / (1 - ctx.x**2))
        back = np.linalg.solve((inverse_slope - ctx.W).T, g.detach().numpy())
        wanted = ctx.needs_input_grad
        grads = np.outer(back, ctx.x), back
        return tuple(torch.tensor(each) if want else None for each, want in zip(grads, wanted, strict=True))

# %% 15.FixedPoint right: until it settles
class FixedPoint(Function):
    @staticmethod
    def forward(ctx, W, b):
        x, moved = b.clone(), True
        while moved:
            new = (W @ x + b).tanh()
            moved, x = bool((new - x).abs().max() > 1e-12), new
        ctx.save_for_backward(W, x)
        return x

    @staticmethod
    def backward(ctx, grad_output):
        W, x = ctx.saved_tensors
        slope = 1 - x * x
        v = torch.linalg.solve((torch.eye(len(x), dtype=x.dtype) - slope.unsqueeze(1) * W).t(), grad_output)
        back = slope * v
        grad_W = grad_b = None
        if ctx.needs_input_grad[0]:
            grad_W = torch.outer(back, x)
        if ctx.needs_input_grad[1]:
            grad_b = back
        return grad_W, grad_b

# %% 15.FixedPoint right: by tape
def settle(W, b, turns=100):
    x = torch.zeros_like(b)
    for _ in range(turns):
        x = torch.tanh(W @ x + b)
    return x


class FixedPoint(Function):
    """One turn recorded, its products taken by the engine; the matrix is built row by row."""

    @staticmethod
    def forward(ctx, W, b):
        x = settle(W, b)
        ctx.save_for_backward(W, b, x)
        return x

    @staticmethod
    def backward(ctx, g):
        W, b, x = (each.detach().clone().requires_grad_() for each in ctx.saved_tensors)
        with torch.enable_grad():
            turn = torch.tanh(W @ x + b)
        rows = [torch.autograd.grad(turn, x, e, retain_graph=True)[0] for e in torch.eye(len(x), dtype=x.dtype)]
        v = torch.linalg.solve(torch.eye(len(x), dtype=x.dtype) - torch.stack(rows).t(), g)
        wanted = [each for each, want in zip((W, b), ctx.needs_input_grad, strict=True) if want]
        grads = iter(torch.autograd.grad(turn, wanted, v))
        return tuple(next(grads) if want else None for want in ctx.needs_input_grad)

# %% 15.FixedPoint right: unrolled
def settle(W, b, turns=100):
    x = torch.zeros_like(b)
    for _ in range(turns):
        x = torch.tanh(W @ x + b)
    return x


class FixedPoint(Function):
    """Not what the lesson advises, but the gradient is right."""

    @staticmethod
    def forward(ctx, W, b):
        ctx.save_for_backward(W, b)
        return settle(W, b)

    @staticmethod
    def backward(ctx, g):
        W, b = ctx.saved_tensors
        W, b = W.detach().clone().requires_grad_(), b.detach().clone().requires_grad_()
        with torch.enable_grad():
            x = settle(W, b)
        for_W, for_b = torch.autograd.grad(x, (W, b), g)
        return (for_W if ctx.needs_input_grad[0] else None), (for_b if ctx.needs_input_grad[1] else None)

# %% 15.FixedPoint right: by newton
class FixedPoint(Function):
    """Another way to the same x, and back by a diagonal that stands on the other side."""

    @staticmethod
    def forward(W, b):
        x = torch.zeros_like(b)
        for _ in range(30):
            turn = torch.tanh(W @ x + b)
            table = torch.eye(len(b), dtype=b.dtype) - (1 - turn * turn).unsqueeze(1) * W
            x = x + torch.linalg.solve(table, turn - x)
        return x

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(inputs[0], output)

    @staticmethod
    def backward(ctx, g):
        W, x = ctx.saved_tensors
        back = torch.linalg.solve(torch.diag(1 / (1 - x * x)) - W.t(), g)
        return (
            torch.outer(back, x) if ctx.needs_input_grad[0] else None,
            back if ctx.needs_input_grad[1] else None,
        )

# %% 15.FixedPoint right: in lists
import numpy as np


class FixedPoint(Function):
    @staticmethod
    def forward(ctx, W, b):
        rows, x = W.tolist(), [0.0] * len(b)
        for _ in range(120):
            x = [
                float(np.tanh(sum(w * each for w, each in zip(row, x, strict=True)) + start))
                for row, start in zip(rows, b.tolist(), strict=True)
            ]
        result = torch.tensor(x, dtype=b.dtype)
        ctx.save_for_backward(W, result)
        return result

    @staticmethod
    def backward(ctx, g):
        W, x = ctx.saved_tensors
        J = torch.diag(1 - x**2) @ W
        back = (1 - x**2) * (torch.linalg.inv(torch.eye(len(x), dtype=x.dtype) - J.t()) @ g)
        for_W = back[:, None] * x[None, :] if ctx.needs_input_grad[0] else None
        return for_W, back if ctx.needs_input_grad[1] else None

# %% 15.FixedPoint right: divides the equation by the slope of tanh: solves (diag(1/d) - W^T) v = g
class FixedPoint(Function):
    @staticmethod
    def forward(ctx, W, b):
        x = torch.tanh(b)
        for _ in range(200):
            x = (W.mv(x) + b).tanh()
        ctx.save_for_backward(W, x)
        return x

    @staticmethod
    def backward(ctx, g):
        W, x = ctx.saved_tensors
        v = torch.linalg.solve(torch.diag(1 / (1 - x ** 2)) - W.T, g)
        grads = [None, None]
        if ctx.needs_input_grad[0]:
            grads[0] = v.unsqueeze(1) * x.unsqueeze(0)
        if ctx.needs_input_grad[1]:
            grads[1] = v
        return tuple(grads)

# %% 15.FixedPoint right: backward is a fixed point too: repeats v <- d * (g + W^T v)
class FixedPoint(Function):
    @staticmethod
    def forward(W, b):
        x = 0 * b
        for _ in range(120):
            x = torch.tanh((W * x).sum(dim=1) + b)
        return x

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(inputs[0], output)

    @staticmethod
    def backward(ctx, grad_output):
        W, x = ctx.saved_tensors
        v = torch.zeros_like(x)
        for _ in range(120):
            v = (1 - x.square()) * (grad_output + v @ W)
        need_W, need_b = ctx.needs_input_grad
        return (torch.outer(v, x) if need_W else None), (v if need_b else None)

# %% 15.FixedPoint right: NumPy with the inverse matrix; rows scaled by broadcasting
import numpy as np

class FixedPoint(Function):
    @staticmethod
    def forward(ctx, W, b):
        w, c = W.detach().numpy().copy(), b.detach().numpy()
        x = np.zeros_like(c)
        for _ in range(100):
            x = np.tanh(w.dot(x) + c)
        ctx.w, ctx.x = w, x.copy()
        return torch.tensor(x, dtype=b.dtype)

    @staticmethod
    def backward(ctx, grad_output):
        w, x = ctx.w, ctx.x
        d = 1 - x ** 2
        inverse = np.linalg.inv(np.eye(len(x), dtype=x.dtype) - d[:, None] * w)
        v = (grad_output.detach().numpy() @ inverse) * d
        grad_W = grad_b = None
        if ctx.needs_input_grad[0]:
            grad_W = torch.tensor(np.outer(v, x))
        if ctx.needs_input_grad[1]:
            grad_b = torch.tensor(v)
        return grad_W, grad_b

# %% 15.FixedPoint right: Newton's method in forward, and the gradient from the matrix of slopes dx/db
class FixedPoint(Function):
    @staticmethod
    def forward(ctx, W, b):
        n = b.shape[0]
        x = torch.zeros(n, dtype=b.dtype)
        for _ in range(5):
            x = torch.tanh(W @ x + b)
        for _ in range(95):
            t = torch.tanh(W @ x + b)
            x = x - torch.linalg.solve(torch.eye(n, dtype=b.dtype) - (1 - t * t).reshape(n, 1) * W, x - t)
        ctx.save_for_backward(W, x)
        return x

    @staticmethod
    def backward(ctx, grad_output):
        W, x = ctx.saved_tensors
        D = torch.diag(1 - x * x)
        slopes = torch.linalg.solve(torch.eye(len(x), dtype=x.dtype) - D @ W, D)      # slopes[i, j] = dx_i / db_j
        v = slopes.T @ grad_output
        grad_W = v.reshape(-1, 1) @ x.reshape(1, -1) if ctx.needs_input_grad[0] else None
        return grad_W, v if ctx.needs_input_grad[1] else None

# %% 15.FixedPoint right: backward finds v from v = slope * (g + W^T v) by a loop of its own, instead of solving a system
class FixedPoint(Function):
    @staticmethod
    def forward(ctx, W, b):
        x = b * 0
        for _ in range(150):
            x = (W * x).sum(dim=1).add(b).tanh()
        ctx.save_for_backward(W, x)
        return x

    @staticmethod
    def backward(ctx, grad_output):
        W, x = ctx.saved_tensors
        slope = (1 - x) * (1 + x)
        v = slope * grad_output
        for _ in range(150):
            v = slope * (grad_output + v @ W)
        answers = [None, None]
        if ctx.needs_input_grad[1]:
            answers[1] = v
        if ctx.needs_input_grad[0]:
            answers[0] = v[:, None] * x[None, :]
        return tuple(answers)

# %% 15.FixedPoint wrong: the slope of tanh is missing after solving (v = solution, not d times the solution)
expect("known", "the gradient for b: the slope of tanh is left out")
edit("= slope * torch.linalg.solve(system.t()", "= torch.linalg.solve(system.T")

# %% 15.FixedPoint wrong: the gradient of W is transposed: outer(x, v) instead of outer(v, x), again
expect("known", "the gradient for W: it is transposed")
edit("torch.outer(through_tanh, x", "torch.outer(x, through_tanh")

# %% 15.FixedPoint wrong: tanh is applied once more: the slope is 1 - x², since x is already the tanh
expect("known", "the slope of tanh is taken as 1 - tanh(x)², but x has gone through tanh already")
edit("slope = 1 - x * x", "slope = 1 - torch.tanh(x) ** 2\n        n = x.shape[0]")

# %% 15.FixedPoint wrong: only the last step is differentiated: the x inside tanh is treated as a constant
expect("known", "the gradient is that of the last step alone, but the x that enters this step depends on")
edit("* torch.linalg.solve(system.t(), grad_output)", "* grad_output")

# %% 15.FixedPoint wrong: too few steps: 10 are not enough for nine digits
expect("known", "x is taken after 10 steps from zeros: it has not settled yet")
edit("for _ in range(100):", "for _ in range(10):")

# %% 15.FixedPoint wrong: wrong sign in the matrix: I + D W instead of I - D W
expect("known", "the system of equations: the transpose of the Jacobian of a step is added, not")
edit("x\n        system = torch.eye(len(x), dtype=x.dtype) - slope.unsqueeze(1) *",
     "x\n        n = x.shape[0]\n        system = torch.eye(n, dtype=x.dtype) + torch.diag(slope) @")

# %% 15.FixedPoint wrong: b is added outside of tanh in forward
expect("known", "b is added outside of tanh")
edit("x = torch.tanh(W @ x + b)", "x = torch.tanh(W @ x) + b")

# %% 15.FixedPoint wrong: forward multiplies from the wrong side: x @ W uses the columns of W
expect("known", "the argument of tanh: the two factors stand in the wrong order")
edit("x = torch.tanh(W @ x + b)", "x = torch.tanh(x @ W + b)")

# %% 15.FixedPoint wrong: the slopes scale the columns of W instead of its rows (d * W is W D, not D W)
expect("known", "the columns of W are multiplied by the slopes of tanh, but tanh comes after W: it must")
edit("x\n        system = torch.eye(len(x), dtype=x.dtype) - slope.unsqueeze(1)",
     "x\n        n = x.shape[0]\n        system = torch.eye(n, dtype=x.dtype) - slope")

# %% 15.FixedPoint wrong: W and x are kept on the class, so a second call disturbs the first
expect("repeat", "a second call of forward breaks the backward of the first: keep what backward needs on")
edit("ctx.save_for_backward(W, x)", "FixedPoint.saved =(W, x)",
     "W, x = ctx.saved_tensors", "W, x = FixedPoint.saved",
     "system.t()", "system.T")

# %% 15.FixedPoint wrong: the return is inside the loop: only one step
expect("known", "x is taken after 1 step from zeros: it has not settled yet")
edit("x = torch.tanh(W @ x + b)\n        ctx.save_for_backward(W, x)",
     "x = torch.tanh(W @ x + b)\n            ctx.save_for_backward(W, x)",
     "ctx.save_for_backward(W, x)\n        return x", "ctx.save_for_backward(W, x)\n            return x",
     "system.t()", "system.T")

# %% 15.FixedPoint wrong: forward changes b in place
expect("unchanged", "the argument b is changed in forward: work on a copy of b")
edit("x = torch.zeros_like(b)\n        for _ in range(100):",
     "x = torch.zeros_like(b)\n        start = b.clone()\n        for _ in range(100):",
     "for _ in range(100):\n            x = torch.tanh(W @ x + b)",
     "for _ in range(100):\n            b.copy_(W @ x + start)\n            x = torch.tanh( b)",
     "system.t()", "system.T")

# %% 15.FixedPoint wrong: the slope is 1 - x instead of 1 - x²
expect("known", "the square is left out in the slope of tanh")
edit("slope = 1 - x * x", "slope = 1 - x \n        n = x.shape[0]")

# %% 15.FixedPoint wrong: backward iterates v = g + J^T v only five times from v = g instead of solving the system
expect("known", "the system is not solved: v = grad_output + Jᵀ v is repeated too few times")
edit("None\n        for_b = through_tanh if ctx.needs_input_grad[1] else None",
     "None\n        if ctx.needs_input_grad[1]:\n            for_b = through_tanh",
     "\n        for_W = torch.outer(through_tanh, x) if ctx.needs_input_grad[0] else None",
     "\n        through_tanh = slope * v\n        for_W = for_b = None\n        if ctx.needs_input_grad[0]:\n"
     "            for_W = torch.outer(through_tanh, x)",
     "through_tanh = slope * torch.linalg.solve(system.t(), grad_output)",
     "v = grad_output\n        for _ in range(5):\n            v = grad_output + system.t() @ v",
     "= torch.eye(len(x), dtype=x.dtype) -", "=")

# %% 15.FixedPoint wrong: one gradient
expect("too_few", "(W, b)")
edit("\n    return x",
     "\n    return x\ndef solved(table, grad_output):\n"
     "    return torch.linalg.solve(torch.eye(len(grad_output), dtype=grad_output.dtype) - table, grad_output)",
     "v = torch.linalg.solve((torch.eye(len(x), dtype=x.dtype) - slope.unsqueeze(1) * W).t(), grad_output)\n"
     "        back = slope * v\n        grad_W = grad_b = None\n        if ctx.needs_input_grad[0]:\n"
     "            grad_W = torch.outer(back, x)\n        if ctx.needs_input_grad[1]:\n            grad_b = back\n"
     "        return grad_W, grad_b",
     "return torch.outer(slope * solved((slope.unsqueeze(1) * W).t(), grad_output), x)", of="by solve")

# %% 15.FixedPoint wrong: without b
expect("zero", "the result is zero everywhere, which is wrong")
edit("x = torch.tanh(W @ x + b)", "x = torch.tanh(W @ x)")

# %% 15.FixedPoint wrong: stops early
expect("wrong_value", "the result is wrong in every entry, farthest off")
def asked(ctx, for_W, for_b):
    return (for_W if ctx.needs_input_grad[0] else None), (for_b if ctx.needs_input_grad[1] else None)


def solved(table, g):
    return torch.linalg.solve(torch.eye(len(g), dtype=g.dtype) - table, g)


class FixedPoint(Function):
    @staticmethod
    def forward(ctx, W, b):
        x, moved = torch.zeros_like(b), 1.0
        while moved > 1e-6:
            new = torch.tanh(W @ x + b)
            moved, x = (new - x).norm().item(), new
        ctx.save_for_backward(W, x)
        return x

    @staticmethod
    def backward(ctx, g):
        W, x = ctx.saved_tensors
        slope = 1 - x * x
        back = slope * solved((slope.unsqueeze(1) * W).t(), g)
        return asked(ctx, torch.outer(back, x), back)

# %% 15.FixedPoint wrong: before tanh
expect("wrong_value", "the result is [")
edit("x = settle(W, b)", "x = W @ settle(W, b) + b", of="by solve")

# %% 15.FixedPoint wrong: the indices are off by one
expect("raised", "tuple index out of range", "has one entry for each argument of forward, counted from 0",
       never=("settled",))
edit("for_b = through_tanh if ctx.needs_input_grad[1]", "for_b = through_tanh if ctx.needs_input_grad[2]",
     "if ctx.needs_input_grad[0]", "if ctx.needs_input_grad[1]")

# %% 15.FixedPoint wrong: entry 0 decides on both
expect("asked_not_given", "if only b requires grad, backward returns no gradient for it", never=("settled",))
class FixedPoint(Function):
    @staticmethod
    def forward(ctx, W, b):
        x = torch.zeros_like(b)
        for _ in range(100):
            x = torch.tanh(W @ x + b)
        ctx.save_for_backward(W, x)
        return x

    @staticmethod
    def backward(ctx, g):
        W, x = ctx.saved_tensors
        slope = 1 - x * x
        v = slope * torch.linalg.solve((torch.eye(len(x), dtype=x.dtype) - slope.unsqueeze(1) * W).t(), g)
        need = ctx.needs_input_grad
        return (torch.outer(v, x) if need[0] else None), (v if need[0] else None)

# %% 15.FixedPoint wrong: the entries are swapped
expect("asked_not_given", "if only W requires grad, backward returns no gradient for it", never=("settled",))
edit("system =", "for_b = slope * torch.linalg.solve((",
     "W\n        through_tanh = slope * torch.linalg.solve(system", "W)",
     "= torch.outer(through_tanh, x) if ctx.needs_input_grad",
     "= ctx.needs_input_grad\n        return (torch.outer(for_b, x) if for_W[1] else None), (for_b if for_W",
     "None\n        for_b = through_tanh if ctx.needs_input_grad[1] else None\n        return for_W, for_b", "None)")

# %% 15.FixedPoint wrong: always both
expect("needs_input_grad", "backward returns a tensor for b although only W requires grad", never=("settled",))
edit("system =", "for_b = slope * torch.linalg.solve((",
     "W\n        through_tanh = slope * torch.linalg.solve(system", "W)",
     "= torch.outer(through_tanh, x) if ctx.needs_input_grad[0] else None\n"
     "        for_b = through_tanh if ctx.needs_input_grad[1] else None\n        return for_W",
     "= ctx.needs_input_grad\n        return torch.outer(for_b, x)")

# %% 15.FixedPoint wrong: never W
expect("none_for_tensor", "backward returns None for W", never=("settled",))
edit("return for_W, for_b", "return None, for_b")

# %% 15.FixedPoint wrong: the question is turned round
expect("none_for_tensor", "backward returns None for W", never=("settled",))
edit("= torch.eye", "= slope * torch.linalg.solve(( torch.eye",
     "W\n        through_tanh = slope * torch.linalg.solve(system", "W)",
     "for_W = torch.outer(through_tanh, x) if ctx.needs_input_grad[0] else None\n"
     "        for_b = through_tanh if ctx.needs_input_grad[1] else None\n        return for_W, for_b",
     "for_W = ctx.needs_input_grad\n"
     "        return (None if for_W[0] else torch.outer(system, x)), (None if for_W[1] else system)")

# %% 15.FixedPoint wrong: the gradients in the wrong order
expect("swapped_gradients", "the gradients for W and b have changed places", never=("settled",))
edit("= torch.eye", "= slope * torch.linalg.solve(( torch.eye",
     "W\n        through_tanh = slope * torch.linalg.solve(system", "W)",
     "= torch.outer(through_tanh, x) if ctx.needs_input_grad",
     "= ctx.needs_input_grad\n        return (system if for_W[1] else None), (torch.outer(system, x) if for_W",
     "None\n        for_b = through_tanh if ctx.needs_input_grad[1] else None\n        return for_W, for_b", "None)")

# %% 15.FixedPoint wrong: no place for what is not needed
expect("asked_not_given", "if only b requires grad, backward returns 1 of 2 values", never=("settled",))
edit("= torch.eye", "= slope * torch.linalg.solve(( torch.eye",
     "W\n        through_tanh = slope * torch.linalg.solve(system", "W)",
     "for_W = torch.outer(through_tanh, x) if ctx.needs_input_grad[0] else None\n"
     "        for_b = through_tanh if ctx.needs_input_grad[1] else None\n        return for_W, for_b",
     "for_W = ctx.needs_input_grad\n"
     "        return tuple(each for each, wanted in ((torch.outer(system, x), for_W[0]), (system, for_W[1])) if wanted)")

# %% 15.FixedPoint wrong: called instead of indexed
expect("raised", "`ctx.needs_input_grad` is a tuple", never=("settled", "`ctx.saved_tensors` is one"))
class FixedPoint(Function):
    @staticmethod
    def forward(ctx, W, b):
        x = torch.zeros_like(b)
        for _ in range(100):
            x = torch.tanh(W @ x + b)
        ctx.save_for_backward(W, x)
        return x

    @staticmethod
    def backward(ctx, g):
        W, x = ctx.saved_tensors
        slope = 1 - x * x
        v = slope * torch.linalg.solve((torch.eye(len(x), dtype=x.dtype) - slope.unsqueeze(1) * W).t(), g)
        need = ctx.needs_input_grad
        return (torch.outer(v, x) if ctx.needs_input_grad(0) else None), v

# %% 15.FixedPoint wrong: both gradients without the slope
expect("some_values", "every gradient is wrong", never=("(W[",))
class FixedPoint(Function):
    @staticmethod
    def forward(ctx, W, b):
        x = torch.zeros_like(b)
        for _ in range(100):
            x = torch.tanh(W @ x + b)
        ctx.save_for_backward(W, x)
        return x

    @staticmethod
    def backward(ctx, g):
        W, x = ctx.saved_tensors
        slope = 1 - x * x
        v = slope * torch.linalg.solve((torch.eye(len(x), dtype=x.dtype) - slope.unsqueeze(1) * W).t(), g)
        need = ctx.needs_input_grad
        v = v / slope
        return (torch.outer(v, x) if need[0] else None), (v + x if need[1] else None)

# %% 15.FixedPoint wrong: the system of a change
expect("known", "the system of equations: the Jacobian of a step is not transposed")
edit("system = torch.eye(len(x), dtype=x.dtype) - slope.unsqueeze(1) * W\n"
     "        through_tanh = slope * torch.linalg.solve(system.t()",
     "through_tanh = slope * torch.linalg.solve(torch.eye(len(x), dtype=x.dtype) - slope.unsqueeze(1) * W")

# %% 15.FixedPoint wrong: in float32
expect("wrong_value", "the result is wrong in every entry, farthest off", "is a number rounded somewhere, as by float32?")
class FixedPoint(Function):
    @staticmethod
    def forward(ctx, W, b):
        x = torch.zeros_like(b).float()
        for _ in range(100):
            x = torch.tanh(W.float() @ x + b.float())
        x = x.double()
        ctx.save_for_backward(W, x)
        return x

    @staticmethod
    def backward(ctx, g):
        W, x = ctx.saved_tensors
        slope = 1 - x * x
        v = slope * torch.linalg.solve((torch.eye(len(x), dtype=x.dtype) - slope.unsqueeze(1) * W).t(), g)
        need = ctx.needs_input_grad
        return (torch.outer(v, x) if need[0] else None), (v if need[1] else None)

# %% 15.FixedPoint wrong: a single None if W needs no gradient
expect("asked_not_given", "if only b requires grad, backward returns 1 of 2 values, and none at the place of b",
       never=("return None for arguments",))
edit("def backward(ctx, grad_output):\n        W, x = ctx.saved_tensors",
     "def backward(ctx, grad_output):\n        if not ctx.needs_input_grad[0]:\n            return None\n"
     "        W, x = ctx.saved_tensors")

# %% 15.FixedPoint wrong: stops after four digits
expect("known", "the loop ends too early for some inputs")
edit("x = torch.tanh(W @ x + b)",
     "new = torch.tanh(W @ x + b)\n            if (new - x).abs().max().item() < 1e-4:\n                break\n"
     "            x = new")

# %% 15.FixedPoint wrong: solves with I - D W, not with its transpose
expect("known", "the gradient goes through W where it must go back through the transpose of W")
edit("slope * torch.linalg.solve(system.t(), grad_output)", "torch.linalg.solve(system, slope * grad_output)")

# %% 15.CholeskyFactor right: by solves
class CholeskyFactor(Function):
    @staticmethod
    def forward(ctx, A):
        L = torch.linalg.cholesky((A + A.t()) / 2)
        ctx.save_for_backward(L)
        return L

    @staticmethod
    def backward(ctx, G):
        (L,) = ctx.saved_tensors
        P = torch.tril(L.t() @ G)
        P = P - torch.eye(len(P), dtype=P.dtype) * P / 2
        S = torch.linalg.solve_triangular(L.t(), P, upper=True)
        S = torch.linalg.solve_triangular(L, S, upper=False, left=False)
        return (S + S.t()) / 2

# %% 15.CholeskyFactor right: by the loop
class CholeskyFactor(Function):
    @staticmethod
    def forward(ctx, A):
        M = A / 2 + A.t() / 2
        L = torch.zeros_like(M)
        for j in range(len(M)):
            rest = M[j:, j] - L[j:, :j] @ L[j, :j]
            L[j:, j] = rest / rest[0].sqrt()
        ctx.save_for_backward(L)
        return L

    @staticmethod
    def backward(ctx, grad_output):
        (L,) = ctx.saved_tensors
        product = L.t() @ grad_output
        symmetric = (torch.tril(product) + torch.tril(product, -1)) / 2
        symmetric = (symmetric + symmetric.t()) / 2  # here or at the end: it is the same
        left = torch.linalg.solve(L.t(), symmetric)
        return torch.linalg.solve(L.t(), left.t())

# %% 15.CholeskyFactor right: in num py
import numpy as np


class CholeskyFactor(Function):
    @staticmethod
    def forward(ctx, A):
        array = A.detach().numpy()
        ctx.L = np.linalg.cholesky((array + array.T) / 2)
        return torch.tensor(ctx.L)

    @staticmethod
    def backward(ctx, G):
        inverse = np.linalg.inv(ctx.L)
        P = np.tril(ctx.L.T @ G.detach().numpy())
        P[np.diag_indices_from(P)] /= 2
        S = inverse.T @ P @ inverse
        print(S)
        return torch.tensor(0.5 * S + 0.5 * S.T)

# %% 15.CholeskyFactor right: by tape
class CholeskyFactor(Function):
    """Lets the engine's own factor do it."""

    @staticmethod
    def forward(ctx, A):
        ctx.save_for_backward(A)
        return torch.linalg.cholesky((A + A.T) * 0.5)

    @staticmethod
    def backward(ctx, G):
        (A,) = ctx.saved_tensors
        with torch.enable_grad():
            leaf = A.detach().clone().requires_grad_()
            L = torch.linalg.cholesky((leaf + leaf.T) * 0.5)
        return torch.autograd.grad(L, leaf, G)

# %% 15.CholeskyFactor right: by directions
class CholeskyFactor(Function):
    """The way forward for each single nudge, and a product with grad_output: slow and right."""

    @staticmethod
    def forward(ctx, A):
        L = torch.linalg.cholesky((A + A.t()) / 2)
        ctx.save_for_backward(L)
        return L

    @staticmethod
    def backward(ctx, G):
        (L,) = ctx.saved_tensors
        n = len(L)
        grad = torch.zeros_like(L)
        for i in range(n):
            for j in range(n):
                nudge = torch.zeros_like(L)
                nudge[i, j] += 0.5
                nudge[j, i] += 0.5
                middle = torch.linalg.solve(L, torch.linalg.solve(L, nudge).t())
                middle = (torch.tril(middle) + torch.tril(middle, -1)) / 2
                grad[i, j] = (G * (L @ middle)).sum()
        return grad

# %% 15.CholeskyFactor right: entry by entry
import numpy as np


class CholeskyFactor(Function):
    """Row by row in NumPy; back with a mask, and with P made symmetric before S."""

    @staticmethod
    def forward(ctx, A):
        array = A.detach().numpy()
        M, L = (array + array.T) / 2, np.zeros_like(array)
        for i in range(len(M)):
            for j in range(i + 1):
                rest = M[i, j] - L[i, :j] @ L[j, :j]
                L[i, j] = np.sqrt(rest) if i == j else rest / L[j, j]
        result = torch.tensor(L)
        ctx.save_for_backward(result)
        return result

    @staticmethod
    def backward(ctx, G):
        (L,) = ctx.saved_tensors
        one = torch.eye(len(L), dtype=L.dtype)
        P = (torch.tril(torch.ones_like(L)) - one / 2) * (L.t() @ G)
        inverse = torch.linalg.solve(L, one)
        return inverse.t() @ (P + P.t()) @ inverse / 2

# %% 15.CholeskyFactor right: setup
class CholeskyFactor(Function):
    @staticmethod
    def forward(A):
        return torch.linalg.cholesky(0.5 * (A + A.transpose(0, 1)))

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(output)

    @staticmethod
    def backward(ctx, G):
        (L,) = ctx.saved_tensors
        P = torch.tril(L.t() @ G)
        P = P - 0.5 * torch.diag(torch.diag(P))
        S = torch.linalg.solve(L.t(), torch.linalg.solve(L.t(), P).t()).t()
        return 0.5 * S + 0.5 * S.t()

# %% 15.CholeskyFactor right: the loop in forward, with A's two entries averaged one at a time; solve in backward
class CholeskyFactor(Function):
    @staticmethod
    def forward(ctx, A):
        n = A.shape[0]
        L = torch.zeros(n, n, dtype=A.dtype)
        for i in range(n):
            for j in range(i + 1):
                rest = (A[i, j] + A[j, i]) / 2
                for k in range(j):
                    rest = rest - L[i, k] * L[j, k]
                if i == j:
                    L[i, i] = torch.sqrt(rest)
                else:
                    L[i, j] = rest / L[j, j]
        ctx.save_for_backward(L)
        return L

    @staticmethod
    def backward(ctx, G):
        L, = ctx.saved_tensors
        P = torch.tril(L.T @ G)
        P = P - torch.diag(torch.diagonal(P)) / 2
        S = torch.linalg.solve(L.T, P) @ torch.linalg.inv(L)
        return 0.5 * (S + S.T)

# %% 15.CholeskyFactor right: NumPy; the triangle is a table of 1, 1/2 and 0; two calls of solve
import numpy as np

class CholeskyFactor(Function):
    @staticmethod
    def forward(ctx, A):
        a = A.detach().numpy()
        ctx.L = np.linalg.cholesky((a + a.T) / 2)
        return torch.tensor(ctx.L, dtype=A.dtype)

    @staticmethod
    def backward(ctx, grad_output):
        L = ctx.L
        n = len(L)
        phi = np.tril(np.ones((n, n))) - 0.5 * np.eye(n)
        P = phi * (L.T @ grad_output.detach().numpy())
        T = np.linalg.solve(L.T, P)            # L^-T P
        S = np.linalg.solve(L.T, T.T).T        # ... L^-1
        return torch.tensor((S + S.T) / 2, dtype=grad_output.dtype)

# %% 15.CholeskyFactor right: makes P symmetric first: half of the gradient for a symmetric P is the same; setup_context
class CholeskyFactor(Function):
    @staticmethod
    def forward(A):
        return torch.linalg.cholesky(A.add(A.transpose(0, 1)).mul(0.5))

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(output)

    @staticmethod
    def backward(ctx, grad_output):
        L, = ctx.saved_tensors
        Q = L.T @ torch.tril(grad_output)
        low = torch.tril(Q, -1)
        P = (low + low.T + torch.diag(torch.diag(Q))) / 2          # P + P^T, halves of the diagonal added
        T = torch.linalg.solve_triangular(L.T, P, upper=True)
        return torch.linalg.solve_triangular(L.T, T.T, upper=True) / 2 + torch.linalg.solve_triangular(L.T, T.T, upper=True).T / 2

# %% 15.CholeskyFactor right: triangle and diagonal in loops over the entries, einsum for S
class CholeskyFactor(Function):
    @staticmethod
    def forward(ctx, A):
        L = torch.linalg.cholesky(0.5 * A + 0.5 * A.T)
        ctx.save_for_backward(L)
        return L.clone()

    @staticmethod
    def backward(ctx, grad_output):
        L, = ctx.saved_tensors
        n = L.shape[0]
        P = L.T @ grad_output
        for i in range(n):
            P[i, i] = P[i, i] / 2
            for j in range(i + 1, n):
                P[i, j] = 0
        back = torch.linalg.inv(L)
        S = torch.einsum("ki,kl,lj->ij", back, P, back)
        grad = torch.zeros_like(S)
        for i in range(n):
            for j in range(n):
                grad[i, j] = (S[i, j] + S[j, i]) / 2
        return grad

# %% 15.CholeskyFactor right: NumPy for everything: the loop of Cholesky over columns, Phi as a table of weights
import numpy as np

class CholeskyFactor(Function):
    @staticmethod
    def forward(ctx, A):
        a = A.detach().numpy().astype(np.float64)
        M = (a + a.T) / 2
        n = len(M)
        L = np.zeros((n, n))
        for j in range(n):
            L[j, j] = np.sqrt(M[j, j] - L[j, :j] @ L[j, :j])
            L[j + 1:, j] = (M[j + 1:, j] - L[j + 1:, :j] @ L[j, :j]) / L[j, j]
        ctx.L = L
        return torch.tensor(L).to(A.dtype)

    @staticmethod
    def backward(ctx, grad_output):
        L = ctx.L
        n = len(L)
        weights = np.tril(np.ones((n, n)), -1) + 0.5 * np.eye(n)
        P = weights * (L.T @ grad_output.detach().numpy())
        half = np.linalg.solve(L.T, P)                 # L^-T P
        S = np.linalg.solve(L.T, half.T).T             # (L^-T half^T)^T = half L^-1
        return torch.tensor(0.5 * (S + S.T)).to(grad_output.dtype)

# %% 15.CholeskyFactor wrong: the factor 1/2 of the last step is missing: S + S^T is twice the gradient
expect("known", "the last step, from M to A: it is not divided by 2")
edit("return (S + S.t()) / 2", "return S + S.T", of="by solves")

# %% 15.CholeskyFactor wrong: Phi does not halve the diagonal
expect("known", "the diagonal in Φ: it is not divided by 2")
edit("P = P - torch.eye(len(P), dtype=P.dtype) * P / 2\n"
     "        S = torch.linalg.solve_triangular(L.t(), P, upper=True)",
     "inverse = torch.linalg.inv(L)",
     "S = torch.linalg.solve_triangular(L, S, upper=False, left=False)", "S = inverse.T @ P @ inverse",
     of="by solves")

# %% 15.CholeskyFactor wrong: P keeps the upper triangle instead of the lower one
expect("known", "Φ keeps what is above the diagonal, not what is below it")
edit("P = torch.tril(L.t() @ G)", "P = torch.triu(L.T @ G)", of="by solves")

# %% 15.CholeskyFactor wrong: forward takes the lower triangle of A as if A were symmetric, instead of (A + A^T) / 2
expect("known", "A is not made symmetric: only its lower triangle counts, the entries above the diagonal")
edit("L = torch.linalg.cholesky((A + A.t()) / 2)", "L = torch.linalg.cholesky(torch.tril(A) + torch.tril(A, -1).T)")

# %% 15.CholeskyFactor wrong: M = A + A^T without the factor 1/2 (backward fits that)
expect("known", "M, the symmetric part of A: it is not divided by 2")
class CholeskyFactor(Function):
    @staticmethod
    def forward(ctx, A):
        M = A + A.T
        L = torch.linalg.cholesky(M)
        ctx.save_for_backward(L)
        return L

    @staticmethod
    def backward(ctx, G):
        L, = ctx.saved_tensors
        P = torch.tril(L.T @ G)
        P = P - torch.diag(torch.diagonal(P)) / 2
        inverse = torch.linalg.inv(L)
        S = inverse.T @ P @ inverse
        return S + S.T

# %% 15.CholeskyFactor wrong: the upper factor is returned instead of the lower one (backward fits that)
expect("known", "the result: it is transposed")
class CholeskyFactor(Function):
    @staticmethod
    def forward(ctx, A):
        M = (A + A.T) / 2
        L = torch.linalg.cholesky(M)
        ctx.save_for_backward(L)
        return L.T.clone()

    @staticmethod
    def backward(ctx, G):
        L, = ctx.saved_tensors
        P = torch.tril(L.T @ G.T)
        P = P - torch.diag(torch.diagonal(P)) / 2
        inverse = torch.linalg.inv(L)
        S = inverse.T @ P @ inverse
        return (S + S.T) / 2

# %% 15.CholeskyFactor wrong: P is computed from L G instead of from L^T G
expect("known", "the product to which Φ is applied: L is not transposed")
edit("P = torch.tril(L.t() @ G)", "P = torch.tril(L @ G)", of="by solves")

# %% 15.CholeskyFactor wrong: the transposes are mixed up in S: L^-1 P L^-T instead of L^-T P L^-1
expect("known", "in S, the inverse of L and its transpose are swapped around P")
edit("P = torch.tril(L.t() @ G)", "P = torch.tril(L.T @ G)",
     "S = torch.linalg.solve_triangular(L.t(), P, upper=True)", "inverse = torch.linalg.inv(L)",
     "S = torch.linalg.solve_triangular(L, S, upper=False, left=False)", "S = inverse @ P @ inverse.T",
     "return (S + S.t()) / 2", "return (S + S.T) / 2", of="by solves")

# %% 15.CholeskyFactor wrong: the last factor is L instead of its inverse
expect("known", "S: L stands in the place of the inverse of L")
edit("P = torch.tril(L.t() @ G)", "P = torch.tril(L.T @ G)",
     "S = torch.linalg.solve_triangular(L.t(), P, upper=True)", "inverse = torch.linalg.inv(L)",
     "S = torch.linalg.solve_triangular(L, S, upper=False, left=False)", "S = inverse.T @ P @ L",
     "return (S + S.t()) / 2", "return (S + S.T) / 2", of="by solves")

# %% 15.CholeskyFactor wrong: only the lower triangle gets a gradient; entries above the diagonal have gradient 0
expect("known", "the last step puts everything in the lower triangle, but the entries above it are used")
edit("S = torch.linalg.solve_triangular(L.t(), P, upper=True)", "inverse = torch.linalg.inv(L)",
     "S = torch.linalg.solve_triangular(L, S, upper=False, left=False)\n        return (S + S.t()) / 2",
     "S = inverse.T @ P @ inverse\n        return torch.tril(S + S.T) - torch.diag(torch.diagonal(S))",
     of="by solves")

# %% 15.CholeskyFactor wrong: entries beside the diagonal count twice: S + S^T minus the diagonal, without the half
expect("known", "the last step counts the entries beside the diagonal twice")
edit("return (S + S.t()) / 2", "return S + S.T - torch.diag(torch.diagonal(S))", of="by solves")

# %% 15.CholeskyFactor wrong: the result is always float64
expect("dtype", "the result has dtype float64, it must have float32: keep the dtype of the argument")
edit("\n        L = torch.linalg.cholesky((A + A.t()) / 2",
     "\n        M = ((A + A.T) / 2).double()\n        L = torch.linalg.cholesky(M", of="by solves")

# %% 15.CholeskyFactor wrong: A itself is made symmetric in place
expect("unchanged", "the argument A is changed in forward: work on a copy of A")
edit("\n        L = torch.linalg.cholesky((A + A.t()) / 2",
     "\n        M = A.copy_((A + A.T) / 2)\n        L = torch.linalg.cholesky(M", of="by solves")

# %% 15.CholeskyFactor wrong: L is kept on the class, so a second call disturbs the first
expect("repeat", "a second call of forward breaks the backward of the first: keep what backward needs on")
class CholeskyFactor(Function):
    @staticmethod
    def forward(ctx, A):
        M = (A + A.T) / 2
        L = torch.linalg.cholesky(M)
        CholeskyFactor.L = L
        return L

    @staticmethod
    def backward(ctx, G):
        L = CholeskyFactor.L
        P = torch.tril(L.T @ G)
        P = P - torch.diag(torch.diagonal(P)) / 2
        inverse = torch.linalg.inv(L)
        S = inverse.T @ P @ inverse
        return (S + S.T) / 2

# %% 15.CholeskyFactor wrong: the inner loop ends one term early: the last product is not subtracted
expect("known", "the loop over the products: the last turn is missing")
edit("for k in range(j):", "for k in range(j - 1):", of="the loop")

# %% 15.CholeskyFactor wrong: the square root on the diagonal is forgotten
expect("known", "an entry of L: `sqrt` is left out")
edit("L[i, i] = torch.sqrt(rest)", "L[i, i] = rest", of="the loop")

# %% 15.CholeskyFactor wrong: the sign is wrong: the negative gradient is returned
expect("known", "the last step, from M to A: it has the wrong sign")
edit("return (S + S.t()) / 2", "return -(S + S.T) / 2", of="by solves")

# %% 15.CholeskyFactor wrong: the whole P is halved, not only its diagonal
expect("known", "the part of Φ below the diagonal: it is half of what it must be")
edit("P = P - torch.eye(len(P), dtype=P.dtype) * P / 2", "P = P / 2", of="by solves")

# %% 15.CholeskyFactor wrong: backward changes grad_output in place
expect("unchanged", "backward changes grad_output in place")
class CholeskyFactor(Function):
    @staticmethod
    def forward(ctx, A):
        M = (A + A.T) / 2
        L = torch.linalg.cholesky(M)
        ctx.save_for_backward(L)
        return L

    @staticmethod
    def backward(ctx, G):
        L, = ctx.saved_tensors
        G.copy_(L.T @ G)
        P = torch.tril(G)
        P = P - torch.diag(torch.diagonal(P)) / 2
        inverse = torch.linalg.inv(L)
        S = inverse.T @ P @ inverse
        return (S + S.T) / 2

# %% 15.CholeskyFactor wrong: the triangle is taken without the diagonal (tril with -1)
expect("known", "P: the diagonal in Φ is left out")
edit("P = torch.tril(L.t() @ G)", "P = torch.tril(L.T @ G, -1)", of="by solves")

# %% 15.CholeskyFactor wrong: upper triangle
expect("known", "M, the symmetric part of A: rows and columns of `A` have changed places")
edit("L = torch.linalg.cholesky((A + A.t()) / 2)", "L = torch.linalg.cholesky(A.t())")

# %% 15.CholeskyFactor wrong: wrong triangle
expect("some_entries", "the gradient is wrong only in entries [0, 0], [0, 1] and [1, 0]")
edit("class CholeskyFactor(Function):",
     "def P(M):\n    return (torch.tril(M) + torch.tril(M, -1)) / 2\nclass CholeskyFactor(Function):",
     "(L,) = ctx.saved_tensors\n        M = L.t() @ grad_output\n"
     "        P = (torch.tril(M) + torch.tril(M, -1)) / 2\n"
     "        S = torch.linalg.solve_triangular(L.t(), P, upper=True)",
     "(L,) = ctx.saved_tensors\n        S = torch.linalg.solve_triangular(L.t(), P(L.t() @ grad_output), upper=False)",
     "S = torch.linalg.solve_triangular(L, S, upper=False, left=False)",
     "S = torch.linalg.solve_triangular(L, S, upper=True, left=False)")

# %% 15.CholeskyFactor wrong: upper forgotten
expect("raised", "raised")
edit("class CholeskyFactor(Function):",
     "def phi(M):\n    return (torch.tril(M) + torch.tril(M, -1)) / 2\nclass CholeskyFactor(Function):",
     "def backward(ctx, grad_output):", "def backward(ctx, G):",
     "(L,) = ctx.saved_tensors\n        M = L.t() @ grad_output\n        P = (torch.tril(M) + torch.tril(M, -1)) / 2",
     "(L,) = ctx.saved_tensors",
     "S = torch.linalg.solve_triangular(L.t(), P, upper=True)",
     "S = torch.linalg.solve_triangular(L.t(), phi(L.t() @ G))")

# %% 15.CholeskyFactor wrong: off diagonal doubled
expect("some_entries", "the result is wrong only in row 1")
edit("L = torch.linalg.cholesky((A + A.t()) / 2)", "L = torch.linalg.cholesky(A + A.t() - torch.diag(torch.diag(A)))")

# %% 15.CholeskyFactor wrong: two slips
expect("known", "the diagonal in Φ: it is not divided by 2")
edit("class CholeskyFactor(Function):",
     "def M(L, P):\n    S = torch.linalg.solve_triangular(L.t(), P, upper=True)\n"
     "    return torch.linalg.solve_triangular(L, S, upper=False, left=False)\nclass CholeskyFactor(Function):",
     "(L,) = ctx.saved_tensors\n        M = L.t() @ grad_output\n"
     "        P = (torch.tril(M) + torch.tril(M, -1)) / 2\n"
     "        S = torch.linalg.solve_triangular(L.t(), P, upper=True)\n"
     "        S = torch.linalg.solve_triangular(L, S, upper=False, left=False)\n        return (S + S.t()) / 2",
     "(L,) = ctx.saved_tensors\n        return M(L, torch.tril(L.t() @ grad_output))")

# %% 15.CholeskyFactor wrong: upper only
expect("some_entries", "the gradient is wrong only in entry [1, 0]")
edit("return (S + S.t()) / 2", "return torch.triu((S + S.t()) / 2)")

# %% 15.CholeskyFactor wrong: S as it is
expect("known", "the last step, from M to A, is missing: S itself is returned")
edit("M = L.t() @ grad_output\n        P = (torch.tril(M) + torch.tril(M, -1)) / 2\n"
     "        S = torch.linalg.solve_triangular(L.t(), P, upper=True)",
     "M = torch.tril(L.t() @ grad_output)",
     "S = torch.linalg.solve_triangular(L, S, upper=False, left=False)", "S = torch.linalg.inv(L)",
     "return (S + S.t()) / 2", "return S.t() @ (M - torch.diag(torch.diag(M)) / 2) @ S")

# %% 15.CholeskyFactor wrong: phi halves the entries below the diagonal and leaves the diagonal
expect("known", "Φ halves what is below the diagonal and keeps the diagonal: the other way round")
import numpy as np

def phi(X):
    return np.tril(X) - 0.5 * np.tril(X, -1)

class CholeskyFactor(Function):
    @staticmethod
    def forward(ctx, A):
        M = 0.5 * (A.detach().numpy() + A.detach().numpy().T)
        L = torch.tensor(np.linalg.cholesky(M), dtype=A.dtype)
        ctx.save_for_backward(L)
        return L

    @staticmethod
    def backward(ctx, grad_output):
        (L,) = ctx.saved_tensors
        L = L.detach().numpy()
        P = phi(L.T @ grad_output.detach().numpy())
        Li = np.linalg.inv(L)
        S = Li.T @ P @ Li
        return torch.tensor((S + S.T) / 2, dtype=grad_output.dtype)
