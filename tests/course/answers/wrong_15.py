"""Wrong answers to notebook 15, each with the diagnosis that must name it and words that its message must have."""

import autograd_teach as torch
from autograd_teach.autograd import Function

WRONG: list[tuple[str, object, str, str]] = []


def wrong(exercise, diagnosis, words=""):
    return lambda answer: WRONG.append((exercise, answer, diagnosis, words)) or answer


# NewtonSqrt


def newton(a, turns=20):
    x = torch.ones_like(a)
    for _ in range(turns):
        x = (x + a / x) / 2
    return x


class NewtonForward(Function):
    @staticmethod
    def forward(ctx, a):
        x = newton(a)
        ctx.save_for_backward(x)
        return x


class NewtonBackward(Function):
    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g / (2 * x)


@wrong("15.NewtonSqrt", "wrong_forward", "forward is wrong: result[2] is 0.1256, it must be 0.01478")
class NewtonFromElsewhere(NewtonBackward):
    @staticmethod
    def forward(ctx, a):
        x = a / 3 + 1
        for _ in range(3):
            x = (x + a / x) / 2
        ctx.save_for_backward(x)
        return x


@wrong("15.NewtonSqrt", "timeout", "in forward")
class NewtonNeverSatisfied(NewtonBackward):
    @staticmethod
    def forward(ctx, a):
        x = torch.ones_like(a)
        while (x * x != a).any():
            x = (x + a / x) / 2
        ctx.save_for_backward(x)
        return x


@wrong("15.NewtonSqrt", "timeout", "in forward with a float32 argument")
class NewtonNeverSatisfiedInSingle(NewtonBackward):
    @staticmethod
    def forward(ctx, a):
        x = torch.ones_like(a)
        while (x * x - a).abs().max() > 1e-10:
            x = (x + a / x) / 2
        ctx.save_for_backward(x)
        return x


@wrong("15.NewtonSqrt", "known", "the slope: the quotient is upside down; how much does x move when a")
class NewtonNotInverted(NewtonForward):
    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * 2 * x


@wrong("15.NewtonSqrt", "known", "the slope: the root is left out; how much does x move when a moves a")
class NewtonSlopeOfTurn(NewtonForward):
    @staticmethod
    def backward(ctx, g):
        return g / 2


@wrong("15.NewtonSqrt", "saved_argument", "backward needs `a` itself")
class NewtonSavesArgument(Function):
    @staticmethod
    def forward(ctx, a):
        ctx.save_for_backward(a)
        return newton(a)

    @staticmethod
    def backward(ctx, g):
        (a,) = ctx.saved_tensors
        return g / (2 * a.sqrt())


@wrong("15.NewtonSqrt", "second_constant", "misses how the gradient depends on `a`")
class NewtonSlopeOnCtx(Function):
    @staticmethod
    def forward(ctx, a):
        x = newton(a)
        ctx.slope = 1 / (2 * x)
        return x

    @staticmethod
    def backward(ctx, g):
        return g * ctx.slope


@wrong("15.NewtonSqrt", "second_cut", "leaves the tensors")
class NewtonBackwardInNumPy(NewtonForward):
    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return torch.tensor(g.detach().numpy() / (2 * x.detach().numpy()))


@wrong("15.NewtonSqrt", "argument_changed", "a is changed in forward")
class NewtonOverwrites(NewtonBackward):
    @staticmethod
    def forward(ctx, a):
        x = newton(a)
        a.detach().copy_(x)
        ctx.save_for_backward(x)
        return x


def steps_until(a, settled):
    x = torch.ones_like(a)
    for _ in range(200):
        old, x = x, (x + a / x) / 2
        if settled(old, x):
            return x
    return x


@wrong("15.NewtonSqrt", "wrong_forward", "forward is wrong: result[2]")
class NewtonUntilOneSettles(NewtonBackward):
    """`any` in place of `all`."""

    @staticmethod
    def forward(ctx, a):
        x = steps_until(a, lambda old, x: ((x * x - a).abs() < 1e-4).any())
        ctx.save_for_backward(x)
        return x


@wrong("15.NewtonSqrt", "wrong_gradient", "the gradient is wrong")
class NewtonRootOfRoot(NewtonForward):
    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g / (2 * x.sqrt())


# FixedPoint


def settle(W, b, turns=100):
    x = torch.zeros_like(b)
    for _ in range(turns):
        x = torch.tanh(W @ x + b)
    return x


class FixedForward(Function):
    @staticmethod
    def forward(ctx, W, b):
        x = settle(W, b)
        ctx.save_for_backward(W, x)
        return x


def asked(ctx, for_W, for_b):
    return (for_W if ctx.needs_input_grad[0] else None), (for_b if ctx.needs_input_grad[1] else None)


def solved(table, g):
    return torch.linalg.solve(torch.eye(len(g), dtype=g.dtype) - table, g)


class FixedBackward(Function):
    @staticmethod
    def backward(ctx, g):
        W, x = ctx.saved_tensors
        slope = 1 - x * x
        back = slope * solved((slope.unsqueeze(1) * W).t(), g)
        return asked(ctx, torch.outer(back, x), back)


@wrong("15.FixedPoint", "known", "of the last step alone")
class FixedOneTurn(FixedForward):
    @staticmethod
    def backward(ctx, g):
        _, x = ctx.saved_tensors
        back = (1 - x * x) * g
        return asked(ctx, torch.outer(back, x), back)


@wrong("15.FixedPoint", "swapped_gradients", "changed places")
class FixedSwapped(FixedForward):
    @staticmethod
    def backward(ctx, g):
        W, x = ctx.saved_tensors
        slope = 1 - x * x
        back = slope * solved((slope.unsqueeze(1) * W).t(), g)
        return back, torch.outer(back, x)


@wrong("15.FixedPoint", "needs_input_grad_ignored", "a tensor for b although only W requires grad")
class FixedNotThrifty(FixedForward):
    @staticmethod
    def backward(ctx, g):
        W, x = ctx.saved_tensors
        slope = 1 - x * x
        back = slope * solved((slope.unsqueeze(1) * W).t(), g)
        return torch.outer(back, x), back


@wrong("15.FixedPoint", "too_few", "(W, b)")
class FixedOneGradient(FixedForward):
    @staticmethod
    def backward(ctx, g):
        W, x = ctx.saved_tensors
        slope = 1 - x * x
        return torch.outer(slope * solved((slope.unsqueeze(1) * W).t(), g), x)


@wrong("15.FixedPoint", "zero", "the result is zero everywhere, which is wrong")
class FixedWithoutB(FixedBackward):
    @staticmethod
    def forward(ctx, W, b):
        x = torch.zeros_like(b)
        for _ in range(100):
            x = torch.tanh(W @ x)
        ctx.save_for_backward(W, x)
        return x


@wrong("15.FixedPoint", "argument_changed", "b is changed in forward")
class FixedInPlace(FixedBackward):
    @staticmethod
    def forward(ctx, W, b):
        start = b.clone()
        x = b.detach()
        for _ in range(100):
            x.copy_(torch.tanh(W @ x + start))
        ctx.save_for_backward(W, x.clone())
        return x.clone()


def fixed_backward(W, x, g, slope=None, last=None):
    """The right way back, but for what is given: the slope of tanh before and after the system is solved."""
    slope = 1 - x * x if slope is None else slope
    back = (slope if last is None else last) * solved((slope.unsqueeze(1) * W).t(), g)
    return torch.outer(back, x), back


@wrong("15.FixedPoint", "known", "the slope of tanh is taken as 1 - tanh(x)², but x has gone through tanh")
class FixedSlopeAtX(FixedForward):
    @staticmethod
    def backward(ctx, g):
        W, x = ctx.saved_tensors
        return asked(ctx, *fixed_backward(W, x, g, 1 - torch.tanh(x) ** 2))


@wrong("15.FixedPoint", "wrong_gradient", "the gradient for W is wrong")
class FixedSlopeOfSigmoid(FixedForward):
    @staticmethod
    def backward(ctx, g):
        W, x = ctx.saved_tensors
        return asked(ctx, *fixed_backward(W, x, g, x * (1 - x)))


@wrong("15.FixedPoint", "wrong_gradient", "the gradient for W is wrong")
class FixedSquareForgottenOnce(FixedForward):
    @staticmethod
    def backward(ctx, g):
        W, x = ctx.saved_tensors
        return asked(ctx, *fixed_backward(W, x, g, last=1 - x))


@wrong("15.FixedPoint", "wrong_forward", "the gradient is right, as far as it is compared, but forward is wrong")
class FixedStopsEarly(FixedBackward):
    @staticmethod
    def forward(ctx, W, b):
        x, moved = torch.zeros_like(b), 1.0
        while moved > 1e-6:
            new = torch.tanh(W @ x + b)
            moved, x = (new - x).norm().item(), new
        ctx.save_for_backward(W, x)
        return x


@wrong("15.FixedPoint", "wrong_forward", "forward is wrong: result[0]")
class FixedBeforeTanh(FixedBackward):
    @staticmethod
    def forward(ctx, W, b):
        x = W @ settle(W, b) + b
        ctx.save_for_backward(W, x)
        return x


# CholeskyFactor


def phi(M):
    return (torch.tril(M) + torch.tril(M, -1)) / 2


def around(L, P):
    S = torch.linalg.solve_triangular(L.t(), P, upper=True)
    return torch.linalg.solve_triangular(L, S, upper=False, left=False)


class CholeskyForward(Function):
    @staticmethod
    def forward(ctx, A):
        L = torch.linalg.cholesky((A + A.t()) / 2)
        ctx.save_for_backward(L)
        return L


class CholeskyBackward(Function):
    @staticmethod
    def backward(ctx, G):
        (L,) = ctx.saved_tensors
        S = around(L, phi(L.t() @ G))
        return (S + S.t()) / 2


@wrong("15.CholeskyFactor", "known", "M, the symmetric part of A: `A` is transposed, but it must not be")
class CholeskyUpperTriangle(CholeskyBackward):
    @staticmethod
    def forward(ctx, A):
        L = torch.linalg.cholesky(A.t())
        ctx.save_for_backward(L)
        return L


@wrong("15.CholeskyFactor", "known", "the last step, from M to A, is missing: S itself is returned")
class CholeskyNotShared(CholeskyForward):
    @staticmethod
    def backward(ctx, G):
        (L,) = ctx.saved_tensors
        return around(L, phi(L.t() @ G))


@wrong("15.CholeskyFactor", "some_entries", "the gradient is wrong only in entries [0, 0] and [0, 1] and [1, 0] of A")
class CholeskyProductAgain(CholeskyForward):
    """G L for Lᵀ G."""

    @staticmethod
    def backward(ctx, G):
        (L,) = ctx.saved_tensors
        S = around(L, phi(G @ L))
        return (S + S.t()) / 2


@wrong("15.CholeskyFactor", "some_entries", "the gradient is wrong only in entries [0, 0] and [0, 1] and [1, 0] of A")
class CholeskyWrongTriangle(CholeskyForward):
    """solve_triangular is told that the upper triangle is meant where it is the lower one, and sees a diagonal."""

    @staticmethod
    def backward(ctx, G):
        (L,) = ctx.saved_tensors
        S = torch.linalg.solve_triangular(L.t(), phi(L.t() @ G), upper=False)
        S = torch.linalg.solve_triangular(L, S, upper=True, left=False)
        return (S + S.t()) / 2


@wrong("15.CholeskyFactor", "raised", "raised")
class CholeskyUpperForgotten(CholeskyForward):
    @staticmethod
    def backward(ctx, G):
        (L,) = ctx.saved_tensors
        S = torch.linalg.solve_triangular(L.t(), phi(L.t() @ G))
        S = torch.linalg.solve_triangular(L, S, left=False)
        return (S + S.t()) / 2


@wrong("15.CholeskyFactor", "wrong_forward", "forward is wrong in row 1 of the result: result[1, 0]")
class CholeskyOffDiagonalDoubled(CholeskyBackward):
    @staticmethod
    def forward(ctx, A):
        L = torch.linalg.cholesky(A + A.t() - torch.diag(torch.diag(A)))
        ctx.save_for_backward(L)
        return L


@wrong("15.CholeskyFactor", "wrong_forward", "forward is wrong: result[0, 0]")
class CholeskyGivesM(CholeskyBackward):
    @staticmethod
    def forward(ctx, A):
        L = torch.linalg.cholesky((A + A.t()) / 2)
        ctx.save_for_backward(L @ L.t())
        return L @ L.t()


@wrong("15.CholeskyFactor", "wrong_gradient", "the gradient is wrong")
class CholeskyTriuWhole(CholeskyForward):
    @staticmethod
    def backward(ctx, G):
        (L,) = ctx.saved_tensors
        S = around(L, torch.triu(L.t() @ G))
        return (S + S.t()) / 2


@wrong("15.CholeskyFactor", "relation", "the gradient is right above and on the diagonal, and 0 below it")
class CholeskyUpperOnly(CholeskyForward):
    @staticmethod
    def backward(ctx, G):
        (L,) = ctx.saved_tensors
        S = around(L, phi(L.t() @ G))
        return torch.triu((S + S.t()) / 2)


@wrong("15.CholeskyFactor", "wrong_gradient", "the gradient is wrong")
class CholeskyTwoSlips(CholeskyForward):
    @staticmethod
    def backward(ctx, G):
        (L,) = ctx.saved_tensors
        return around(L, torch.tril(L.t() @ G))
