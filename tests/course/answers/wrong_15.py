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


@wrong("15.NewtonSqrt", "known", "after 4 steps from x = 1: it has not settled yet")
class NewtonFourTurns(NewtonBackward):
    @staticmethod
    def forward(ctx, a):
        x = newton(a, 4)
        ctx.save_for_backward(x)
        return x


@wrong("15.NewtonSqrt", "known", "after 1 step from x = 1")
class NewtonOneTurn(NewtonBackward):
    @staticmethod
    def forward(ctx, a):
        x = newton(a, 1)
        ctx.save_for_backward(x)
        return x


@wrong("15.NewtonSqrt", "known", "the limit that ends it is too large")
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


@wrong("15.NewtonSqrt", "known", "x / 2: it grows with a")
class NewtonPowerRule(NewtonForward):
    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * x / 2


@wrong("15.NewtonSqrt", "known", "those for x = 1 everywhere")
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


@wrong("15.NewtonSqrt", "known", "after 10 steps from x = 1: it has not settled yet")
class NewtonTenTurns(NewtonBackward):
    """Enough for small numbers, not for 10,000."""

    @staticmethod
    def forward(ctx, a):
        x = newton(a, 10)
        ctx.save_for_backward(x)
        return x


@wrong("15.NewtonSqrt", "known", "the limit that ends it is too large")
class NewtonUntilTheSquareIsNear(NewtonBackward):
    """A limit for x² - a: of a number as small as a itself."""

    @staticmethod
    def forward(ctx, a):
        x = steps_until(a, lambda old, x: (x * x - a).abs().max() < 1e-4)
        ctx.save_for_backward(x)
        return x


@wrong("15.NewtonSqrt", "known", "the limit that ends it is too large")
class NewtonUntilOneSettles(NewtonBackward):
    """`any` in place of `all`."""

    @staticmethod
    def forward(ctx, a):
        x = steps_until(a, lambda old, x: ((x * x - a).abs() < 1e-4).any())
        ctx.save_for_backward(x)
        return x


@wrong("15.NewtonSqrt", "known", "of the form x ← x + a / x / 2 give")
class NewtonParentheses(NewtonBackward):
    @staticmethod
    def forward(ctx, a):
        x = torch.ones_like(a)
        for _ in range(20):
            x = x + a / x / 2
        ctx.save_for_backward(x)
        return x


@wrong("15.NewtonSqrt", "known", "of the form x ← (x + x / a) / 2 give")
class NewtonTheOtherQuotient(NewtonBackward):
    @staticmethod
    def forward(ctx, a):
        x = torch.ones_like(a)
        for _ in range(20):
            x = (x + x / a) / 2
        ctx.save_for_backward(x)
        return x


@wrong("15.NewtonSqrt", "known", "those for x = 1 everywhere")
class NewtonWithoutTwoInTheStep(NewtonBackward):
    """x - (x² - a) / x is a / x: after an even number of steps x is 1 again."""

    @staticmethod
    def forward(ctx, a):
        x = torch.ones_like(a)
        for _ in range(20):
            x = x - (x * x - a) / x
        ctx.save_for_backward(x)
        return x


@wrong("15.NewtonSqrt", "known", "after 3 steps from x = 1")
class NewtonSavesAnOldOne(Function):
    @staticmethod
    def forward(ctx, a):
        ctx.save_for_backward(newton(a, 3))
        return newton(a)

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g / (2 * x)


@wrong("15.NewtonSqrt", "known", "1 / (2√x): the root is taken once more, of x")
class NewtonRootOfRoot(NewtonForward):
    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g / (2 * x.sqrt())


@wrong("15.NewtonSqrt", "known", "all of 1 / (2x) is squared")
class NewtonSquared(NewtonForward):
    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * (2 * x) ** -2


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


@wrong("15.FixedPoint", "known", "its matrix must be transposed")
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


@wrong("15.FixedPoint", "known", "in the system of equations, the slope of tanh is left out")
class FixedTanhForgotten(FixedForward):
    @staticmethod
    def backward(ctx, g):
        W, x = ctx.saved_tensors
        back = (1 - x * x) * solved(W.t(), g)
        return asked(ctx, torch.outer(back, x), back)


@wrong("15.FixedPoint", "known", "after the system is solved, the slope of tanh is left out")
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


@wrong("15.FixedPoint", "known", "after 10 steps from zeros: it has not settled yet")
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


def fixed_backward(W, x, g, slope=None, last=None):
    """The right way back, but for what is given: the slope of tanh before and after the system is solved."""
    slope = 1 - x * x if slope is None else slope
    back = (slope if last is None else last) * solved((slope.unsqueeze(1) * W).t(), g)
    return torch.outer(back, x), back


@wrong(
    "15.FixedPoint", "known", "both in the system of equations and after it, the slope of tanh is taken as 1 - tanh(x)²"
)
class FixedSlopeAtX(FixedForward):
    @staticmethod
    def backward(ctx, g):
        W, x = ctx.saved_tensors
        return asked(ctx, *fixed_backward(W, x, g, 1 - torch.tanh(x) ** 2))


@wrong(
    "15.FixedPoint", "known", "both in the system of equations and after it, the slope of tanh is taken as x (1 - x)"
)
class FixedSlopeOfSigmoid(FixedForward):
    @staticmethod
    def backward(ctx, g):
        W, x = ctx.saved_tensors
        return asked(ctx, *fixed_backward(W, x, g, x * (1 - x)))


@wrong("15.FixedPoint", "known", "after the system is solved, the slope of tanh is taken as 1 - x, without the square")
class FixedSquareForgottenOnce(FixedForward):
    @staticmethod
    def backward(ctx, g):
        W, x = ctx.saved_tensors
        return asked(ctx, *fixed_backward(W, x, g, last=1 - x))


@wrong("15.FixedPoint", "known", "repeated too few times")
class FixedSeries(FixedForward):
    """v = grad_output + Jᵀ v, ten times."""

    @staticmethod
    def backward(ctx, g):
        W, x = ctx.saved_tensors
        slope, v = 1 - x * x, g
        for _ in range(10):
            v = g + W.t() @ (slope * v)
        return asked(ctx, torch.outer(slope * v, x), slope * v)


@wrong("15.FixedPoint", "known", "before the system of equations is solved, but it belongs after it")
class FixedSlopeFirst(FixedForward):
    @staticmethod
    def backward(ctx, g):
        W, x = ctx.saved_tensors
        slope = 1 - x * x
        back = solved((slope.unsqueeze(1) * W).t(), slope * g)
        return asked(ctx, torch.outer(back, x), back)


@wrong("15.FixedPoint", "known", "its matrix must be transposed; after it, the slope of tanh is left out")
class FixedTwoSlips(FixedForward):
    @staticmethod
    def backward(ctx, g):
        W, x = ctx.saved_tensors
        v = solved((1 - x * x).unsqueeze(1) * W, g)
        return asked(ctx, torch.outer(v, x), v)


@wrong("15.FixedPoint", "known", "with 1 - J in every entry")
class FixedOneForIdentity(FixedForward):
    @staticmethod
    def backward(ctx, g):
        W, x = ctx.saved_tensors
        slope = 1 - x * x
        back = slope * torch.linalg.solve(1 - (slope.unsqueeze(1) * W).t(), g)
        return asked(ctx, torch.outer(back, x), back)


@wrong("15.FixedPoint", "known", "the gradient for W is computed from the gradient of the last step alone")
class FixedOnlyBSolved(FixedForward):
    @staticmethod
    def backward(ctx, g):
        W, x = ctx.saved_tensors
        _, for_b = fixed_backward(W, x, g)
        return asked(ctx, torch.outer((1 - x * x) * g, x), for_b)


@wrong("15.FixedPoint", "known", "the gradient for b is the solution of the system before it goes through tanh")
class FixedOnlyWThroughTanh(FixedForward):
    @staticmethod
    def backward(ctx, g):
        W, x = ctx.saved_tensors
        for_W, _ = fixed_backward(W, x, g)
        return asked(ctx, for_W, solved(((1 - x * x).unsqueeze(1) * W).t(), g))


@wrong("15.FixedPoint", "known", "the limit that ends it is too large")
class FixedStopsEarly(FixedBackward):
    @staticmethod
    def forward(ctx, W, b):
        x, moved = torch.zeros_like(b), 1.0
        while moved > 1e-6:
            new = torch.tanh(W @ x + b)
            moved, x = (new - x).norm().item(), new
        ctx.save_for_backward(W, x)
        return x


@wrong("15.FixedPoint", "known", "after 30 steps from zeros")
class FixedThirtyTurns(FixedBackward):
    @staticmethod
    def forward(ctx, W, b):
        x = settle(W, b, 30)
        ctx.save_for_backward(W, x)
        return x


@wrong("15.FixedPoint", "known", "after 5 steps from zeros")
class FixedSavesAnOldOne(FixedBackward):
    @staticmethod
    def forward(ctx, W, b):
        ctx.save_for_backward(W, settle(W, b, 5))
        return settle(W, b)


@wrong("15.FixedPoint", "known", "steps that add b outside tanh")
class FixedBOutside(FixedBackward):
    @staticmethod
    def forward(ctx, W, b):
        x = torch.zeros_like(b)
        for _ in range(100):
            x = torch.tanh(W @ x) + b
        ctx.save_for_backward(W, x)
        return x


@wrong("15.FixedPoint", "known", "x is W x + b, before tanh is applied")
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


@wrong("15.CholeskyFactor", "known", "A + Aᵀ, which is not halved")
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


@wrong("15.CholeskyFactor", "known", "a half is missing, in Φ or in the step from M to A")
class CholeskySharedTwice(CholeskyForward):
    @staticmethod
    def backward(ctx, G):
        (L,) = ctx.saved_tensors
        S = around(L, phi(L.t() @ G))
        return S + S.t()


@wrong("15.CholeskyFactor", "known", "all of S and Sᵀ in the lower triangle")
class CholeskyLowerOnly(CholeskyForward):
    @staticmethod
    def backward(ctx, G):
        (L,) = ctx.saved_tensors
        S = around(L, phi(L.t() @ G))
        return torch.tril(S + S.t()) - torch.eye(len(S), dtype=S.dtype) * S


@wrong("15.CholeskyFactor", "known", "Φ keeps the diagonal whole")
class CholeskyDiagonalWhole(CholeskyForward):
    @staticmethod
    def backward(ctx, G):
        (L,) = ctx.saved_tensors
        S = around(L, torch.tril(L.t() @ G))
        return (S + S.t()) / 2


@wrong("15.CholeskyFactor", "known", "Φ is left out")
class CholeskyWithoutPhi(CholeskyForward):
    @staticmethod
    def backward(ctx, G):
        (L,) = ctx.saved_tensors
        S = around(L, L.t() @ G)
        return (S + S.t()) / 2


@wrong("15.CholeskyFactor", "known", "Φ halves the entries below the diagonal as well")
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


@wrong("15.CholeskyFactor", "known", "with the diagonal of L alone")
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


@wrong("15.CholeskyFactor", "known", "A + Aᵀ with the diagonal counted once")
class CholeskyOffDiagonalDoubled(CholeskyBackward):
    @staticmethod
    def forward(ctx, A):
        L = torch.linalg.cholesky(A + A.t() - torch.diag(torch.diag(A)))
        ctx.save_for_backward(L)
        return L


@wrong("15.CholeskyFactor", "known", "M itself, not its factor")
class CholeskyGivesM(CholeskyBackward):
    @staticmethod
    def forward(ctx, A):
        L = torch.linalg.cholesky((A + A.t()) / 2)
        ctx.save_for_backward(L @ L.t())
        return L @ L.t()


@wrong("15.CholeskyFactor", "known", "S + Sᵀ with the diagonal counted once")
class CholeskyOffDiagonalDoubledInTheEnd(CholeskyForward):
    @staticmethod
    def backward(ctx, G):
        (L,) = ctx.saved_tensors
        S = around(L, phi(L.t() @ G))
        return S + S.t() - torch.diag(torch.diag(S))


@wrong("15.CholeskyFactor", "known", "Φ keeps what is above the diagonal of Lᵀ G, not what is below it")
class CholeskyTriu(CholeskyForward):
    @staticmethod
    def backward(ctx, G):
        (L,) = ctx.saved_tensors
        product = L.t() @ G
        S = around(L, (torch.triu(product) + torch.triu(product, 1)) / 2)
        return (S + S.t()) / 2


@wrong("15.CholeskyFactor", "known", "and the diagonal whole")
class CholeskyTriuWhole(CholeskyForward):
    @staticmethod
    def backward(ctx, G):
        (L,) = ctx.saved_tensors
        S = around(L, torch.triu(L.t() @ G))
        return (S + S.t()) / 2


@wrong("15.CholeskyFactor", "known", "Φ drops the diagonal")
class CholeskyStrict(CholeskyForward):
    @staticmethod
    def backward(ctx, G):
        (L,) = ctx.saved_tensors
        S = around(L, torch.tril(L.t() @ G, -1))
        return (S + S.t()) / 2


@wrong("15.CholeskyFactor", "known", "L⁻¹ P L⁻¹: the inverse on the left is not transposed")
class CholeskyNoTranspose(CholeskyForward):
    @staticmethod
    def backward(ctx, G):
        (L,) = ctx.saved_tensors
        inverse = torch.linalg.inv(L)
        S = inverse @ phi(L.t() @ G) @ inverse
        return (S + S.t()) / 2


@wrong("15.CholeskyFactor", "known", "where it must be multiplied by its inverse")
class CholeskyMultiplies(CholeskyForward):
    @staticmethod
    def backward(ctx, G):
        (L,) = ctx.saved_tensors
        S = L.t() @ phi(L.t() @ G) @ L
        return (S + S.t()) / 2


@wrong("15.CholeskyFactor", "known", "G itself: the product with L is missing")
class CholeskyNoProduct(CholeskyForward):
    @staticmethod
    def backward(ctx, G):
        (L,) = ctx.saved_tensors
        S = around(L, phi(G))
        return (S + S.t()) / 2


@wrong("15.CholeskyFactor", "known", "nothing below the diagonal")
class CholeskyUpperOnly(CholeskyForward):
    @staticmethod
    def backward(ctx, G):
        (L,) = ctx.saved_tensors
        S = around(L, phi(L.t() @ G))
        return torch.triu((S + S.t()) / 2)


@wrong("15.CholeskyFactor", "known", "two steps are wrong: Φ keeps the diagonal whole")
class CholeskyTwoSlips(CholeskyForward):
    @staticmethod
    def backward(ctx, G):
        (L,) = ctx.saved_tensors
        return around(L, torch.tril(L.t() @ G))


@wrong("15.NewtonSqrt", "known", "but each entry of a has a root of its own")
class NewtonOfTheMean(NewtonBackward):
    @staticmethod
    def forward(ctx, a):
        x = torch.ones_like(a)
        for _ in range(20):
            x = (x + (a / x).mean()) / 2
        ctx.save_for_backward(x)
        return x


def by_loops(A, end=0, root=torch.sqrt):
    M = (A + A.t()) / 2
    L = torch.zeros_like(M)
    for i in range(len(M)):
        for j in range(i + 1):
            rest = M[i, j].clone()
            for k in range(j + end):
                rest -= L[i, k] * L[j, k]
            L[i, j] = root(rest) if i == j else rest / L[j, j]
    return L


@wrong("15.CholeskyFactor", "known", "does a loop end too early?")
class CholeskyOneProductLess(CholeskyBackward):
    @staticmethod
    def forward(ctx, A):
        L = by_loops(A, end=-1)
        ctx.save_for_backward(L)
        return L


@wrong("15.CholeskyFactor", "known", "are not the root of what is left")
class CholeskyWithoutRoot(CholeskyBackward):
    @staticmethod
    def forward(ctx, A):
        L = by_loops(A, root=torch.clone)
        ctx.save_for_backward(L)
        return L


@wrong("15.CholeskyFactor", "known", "P is multiplied by L on the right")
class CholeskyFactorForInverse(CholeskyForward):
    @staticmethod
    def backward(ctx, G):
        (L,) = ctx.saved_tensors
        S = torch.linalg.inv(L).t() @ phi(L.t() @ G) @ L
        return (S + S.t()) / 2
