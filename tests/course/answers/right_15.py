"""Right answers to notebook 15, each written another way: a check that rejects one of them is broken."""

import numpy as np

import autograd_teach as torch
from autograd_teach.autograd import Function

RIGHT: list[tuple[str, type]] = []


def right(exercise):
    return lambda answer: RIGHT.append((exercise, answer)) or answer


# NewtonSqrt


@right("15.NewtonSqrt")
class NewtonFixedTurns(Function):
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


@right("15.NewtonSqrt")
class NewtonInPlace(Function):
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


@right("15.NewtonSqrt")
class NewtonUntilItSettles(Function):
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


@right("15.NewtonSqrt")
class NewtonForwardInNumPy(Function):
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


@right("15.NewtonSqrt")
class NewtonOnAnotherEquation(Function):
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


@right("15.NewtonSqrt")
class NewtonNumberByNumber(Function):
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


@right("15.NewtonSqrt")
class NewtonTwelveSteps(Function):
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


# FixedPoint


def settle(W, b, turns=100):
    x = torch.zeros_like(b)
    for _ in range(turns):
        x = torch.tanh(W @ x + b)
    return x


@right("15.FixedPoint")
class FixedPointBySolve(Function):
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


@right("15.FixedPoint")
class FixedPointByTurns(Function):
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


@right("15.FixedPoint")
class FixedPointInNumPy(Function):
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


@right("15.FixedPoint")
class FixedPointUntilItSettles(FixedPointBySolve):
    @staticmethod
    def forward(ctx, W, b):
        x, moved = b.clone(), True
        while moved:
            new = (W @ x + b).tanh()
            moved, x = bool((new - x).abs().max() > 1e-12), new
        ctx.save_for_backward(W, x)
        return x


@right("15.FixedPoint")
class FixedPointByTape(Function):
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


@right("15.FixedPoint")
class FixedPointUnrolled(Function):
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


@right("15.FixedPoint")
class FixedPointByNewton(Function):
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


@right("15.FixedPoint")
class FixedPointInLists(Function):
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


# CholeskyFactor


@right("15.CholeskyFactor")
class CholeskyBySolves(Function):
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


@right("15.CholeskyFactor")
class CholeskyByTheLoop(Function):
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


@right("15.CholeskyFactor")
class CholeskyInNumPy(Function):
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


@right("15.CholeskyFactor")
class CholeskyByTape(Function):
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


@right("15.CholeskyFactor")
class CholeskyByDirections(Function):
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


@right("15.CholeskyFactor")
class CholeskyEntryByEntry(Function):
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


@right("15.CholeskyFactor")
class CholeskySetup(Function):
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
