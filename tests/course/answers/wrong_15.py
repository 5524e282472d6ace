"""Wrong answers to notebook 15, each with the diagnosis that must name it and words that its message must have."""

import numpy as np

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


@wrong("15.NewtonSqrt", "known", "after 4 steps: x has not settled yet")
class NewtonFourTurns(NewtonBackward):
    @staticmethod
    def forward(ctx, a):
        x = newton(a, 4)
        ctx.save_for_backward(x)
        return x


@wrong("15.NewtonSqrt", "known", "after 1 step:")
class NewtonOneTurn(NewtonBackward):
    @staticmethod
    def forward(ctx, a):
        x = newton(a, 1)
        ctx.save_for_backward(x)
        return x


@wrong("15.NewtonSqrt", "known", "x has not settled yet")
class NewtonStopsEarly(NewtonBackward):
    """Stops as soon as the next turn moves x by less than a hundredth: too large a limit."""

    @staticmethod
    def forward(ctx, a):
        x, moved = torch.ones_like(a), 1.0
        while moved > 0.01:
            new = (x + a / x) / 2
            moved, x = (new - x).abs().max().item(), new
        ctx.save_for_backward(x)
        return x


@wrong("15.NewtonSqrt", "wrong_forward", "forward is wrong: result[0] is 1.3229412, it must be 1.3229411")
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


@wrong("15.NewtonSqrt", "known", "a itself, but it needs the root of a")
class NewtonRootForgotten(Function):
    @staticmethod
    def forward(ctx, a):
        ctx.save_for_backward(a)
        return newton(a)

    @staticmethod
    def backward(ctx, g):
        (a,) = ctx.saved_tensors
        return g / (2 * a)


@wrong("15.NewtonSqrt", "known", "how much a moves when x moves")
class NewtonNotInverted(NewtonForward):
    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * 2 * x


@wrong("15.NewtonSqrt", "factor", "2 times too large")
class NewtonWithoutTwo(NewtonForward):
    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g / x


@wrong("15.NewtonSqrt", "known", "the power rule")
class NewtonPowerRule(NewtonForward):
    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * x / 2


@wrong("15.NewtonSqrt", "known", "from x / 2 in Newton's formula")
class NewtonSlopeOfTurn(NewtonForward):
    @staticmethod
    def backward(ctx, g):
        return g / 2


@wrong("15.NewtonSqrt", "grad_output_forgotten", "is not used")
class NewtonLocal(NewtonForward):
    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return 1 / (2 * x)


@wrong("15.NewtonSqrt", "saved_argument", "backward needs a itself")
class NewtonSavesArgument(Function):
    @staticmethod
    def forward(ctx, a):
        ctx.save_for_backward(a)
        return newton(a)

    @staticmethod
    def backward(ctx, g):
        (a,) = ctx.saved_tensors
        return g / (2 * a.sqrt())


@wrong("15.NewtonSqrt", "second_constant", "misses how the gradient depends on a")
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


@wrong("15.FixedPoint", "known", "its matrix is transposed")
class FixedNotFlipped(FixedForward):
    @staticmethod
    def backward(ctx, g):
        W, x = ctx.saved_tensors
        slope = 1 - x * x
        back = slope * solved(slope.unsqueeze(1) * W, g)
        return asked(ctx, torch.outer(back, x), back)


@wrong("15.FixedPoint", "known", "I + J, but")
class FixedPlus(FixedForward):
    @staticmethod
    def backward(ctx, g):
        W, x = ctx.saved_tensors
        slope = 1 - x * x
        back = slope * solved(-(slope.unsqueeze(1) * W).t(), g)
        return asked(ctx, torch.outer(back, x), back)


@wrong("15.FixedPoint", "known", "the columns of W are multiplied")
class FixedColumns(FixedForward):
    @staticmethod
    def backward(ctx, g):
        W, x = ctx.saved_tensors
        slope = 1 - x * x
        back = slope * solved((slope * W).t(), g)
        return asked(ctx, torch.outer(back, x), back)


@wrong("15.FixedPoint", "known", "taken to be W")
class FixedTanhForgotten(FixedForward):
    @staticmethod
    def backward(ctx, g):
        W, x = ctx.saved_tensors
        back = (1 - x * x) * solved(W.t(), g)
        return asked(ctx, torch.outer(back, x), back)


@wrong("15.FixedPoint", "known", "the slope of tanh is missing on the way to W and b")
class FixedNoLastSlope(FixedForward):
    @staticmethod
    def backward(ctx, g):
        W, x = ctx.saved_tensors
        v = solved(((1 - x * x).unsqueeze(1) * W).t(), g)
        return asked(ctx, torch.outer(v, x), v)


@wrong("15.FixedPoint", "known", "must be solved")
class FixedMultiplies(FixedForward):
    @staticmethod
    def backward(ctx, g):
        W, x = ctx.saved_tensors
        slope = 1 - x * x
        back = slope * (g - (slope.unsqueeze(1) * W).t() @ g)
        return asked(ctx, torch.outer(back, x), back)


@wrong("15.FixedPoint", "transposed", "the gradient for W is transposed")
class FixedOuterTransposed(FixedForward):
    @staticmethod
    def backward(ctx, g):
        W, x = ctx.saved_tensors
        slope = 1 - x * x
        back = slope * solved((slope.unsqueeze(1) * W).t(), g)
        return asked(ctx, torch.outer(x, back), back)


@wrong("15.FixedPoint", "known", "contains b")
class FixedTimesB(Function):
    @staticmethod
    def forward(ctx, W, b):
        x = settle(W, b)
        ctx.save_for_backward(W, b, x)
        return x

    @staticmethod
    def backward(ctx, g):
        W, b, x = ctx.saved_tensors
        slope = 1 - x * x
        back = slope * solved((slope.unsqueeze(1) * W).t(), g)
        return asked(ctx, torch.outer(back, b), back)


@wrong("15.FixedPoint", "swapped_gradients", "changed places")
class FixedSwapped(FixedForward):
    @staticmethod
    def backward(ctx, g):
        W, x = ctx.saved_tensors
        slope = 1 - x * x
        back = slope * solved((slope.unsqueeze(1) * W).t(), g)
        return back, torch.outer(back, x)


@wrong("15.FixedPoint", "needs_input_grad_ignored", "a gradient for b where only W requires one")
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


@wrong("15.FixedPoint", "known", "after 10 steps: x has not settled yet")
class FixedTenTurns(FixedBackward):
    @staticmethod
    def forward(ctx, W, b):
        x = settle(W, b, 10)
        ctx.save_for_backward(W, x)
        return x


@wrong("15.FixedPoint", "known", "the transposed W")
class FixedTransposedForward(FixedBackward):
    @staticmethod
    def forward(ctx, W, b):
        x = settle(W.t(), b)
        ctx.save_for_backward(W, x)
        return x


@wrong("15.FixedPoint", "known", "without it x settles at 0")
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


@wrong("15.CholeskyFactor", "known", "the lower triangle of A alone")
class CholeskyAsInTheLesson(CholeskyBackward):
    @staticmethod
    def forward(ctx, A):
        L = torch.zeros_like(A)
        for j in range(len(A)):
            rest = A[j:, j] - L[j:, :j] @ L[j, :j]
            L[j:, j] = rest / rest[0].sqrt()
        ctx.save_for_backward(L)
        return L


@wrong("15.CholeskyFactor", "known", "the upper triangle of A alone")
class CholeskyUpperTriangle(CholeskyBackward):
    @staticmethod
    def forward(ctx, A):
        L = torch.linalg.cholesky(A.t())
        ctx.save_for_backward(L)
        return L


@wrong("15.CholeskyFactor", "known", "the transposed factor")
class CholeskyUpperFactor(CholeskyBackward):
    @staticmethod
    def forward(ctx, A):
        L = torch.linalg.cholesky((A + A.t()) / 2)
        ctx.save_for_backward(L)
        return L.t().clone()


@wrong("15.CholeskyFactor", "known", "without being halved")
class CholeskyOfTwice(CholeskyBackward):
    @staticmethod
    def forward(ctx, A):
        L = torch.linalg.cholesky(A + A.t())
        ctx.save_for_backward(L / np.sqrt(2))
        return L


@wrong("15.CholeskyFactor", "known", "from M to A is missing")
class CholeskyNotShared(CholeskyForward):
    @staticmethod
    def backward(ctx, G):
        (L,) = ctx.saved_tensors
        return around(L, phi(L.t() @ G))


@wrong("15.CholeskyFactor", "known", "added without being halved")
class CholeskySharedTwice(CholeskyForward):
    @staticmethod
    def backward(ctx, G):
        (L,) = ctx.saved_tensors
        S = around(L, phi(L.t() @ G))
        return S + S.t()


@wrong("15.CholeskyFactor", "known", "only the lower triangle of A gets a gradient")
class CholeskyLowerOnly(CholeskyForward):
    @staticmethod
    def backward(ctx, G):
        (L,) = ctx.saved_tensors
        S = around(L, phi(L.t() @ G))
        return torch.tril(S + S.t()) - torch.eye(len(S), dtype=S.dtype) * S


@wrong("15.CholeskyFactor", "known", "the diagonal is not halved")
class CholeskyDiagonalWhole(CholeskyForward):
    @staticmethod
    def backward(ctx, G):
        (L,) = ctx.saved_tensors
        S = around(L, torch.tril(L.t() @ G))
        return (S + S.t()) / 2


@wrong("15.CholeskyFactor", "known", "keeps the lower triangle")
class CholeskyWithoutPhi(CholeskyForward):
    @staticmethod
    def backward(ctx, G):
        (L,) = ctx.saved_tensors
        S = around(L, L.t() @ G)
        return (S + S.t()) / 2


@wrong("15.CholeskyFactor", "known", "the entries below the diagonal are halved too")
class CholeskyAllHalved(CholeskyForward):
    @staticmethod
    def backward(ctx, G):
        (L,) = ctx.saved_tensors
        S = around(L, torch.tril(L.t() @ G) / 2)
        return (S + S.t()) / 2


@wrong("15.CholeskyFactor", "known", "swapped around P")
class CholeskyInversesSwapped(CholeskyForward):
    @staticmethod
    def backward(ctx, G):
        (L,) = ctx.saved_tensors
        S = torch.linalg.solve(L, phi(L.t() @ G))
        S = torch.linalg.solve(L, S.t()).t()
        return (S + S.t()) / 2


@wrong("15.CholeskyFactor", "known", "it is the transposed L")
class CholeskyProduct(CholeskyForward):
    @staticmethod
    def backward(ctx, G):
        (L,) = ctx.saved_tensors
        S = around(L, phi(L @ G))
        return (S + S.t()) / 2


@wrong("15.CholeskyFactor", "known", "from the wrong side")
class CholeskyProductAgain(CholeskyForward):
    """G L for Lᵀ G."""

    @staticmethod
    def backward(ctx, G):
        (L,) = ctx.saved_tensors
        S = around(L, phi(G @ L))
        return (S + S.t()) / 2


@wrong("15.CholeskyFactor", "known", "only the diagonal of L was used")
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
