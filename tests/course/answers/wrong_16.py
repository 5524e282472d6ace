"""Wrong answers to notebook 16, each with the diagnosis that must name it and words that its message must have."""

import math

WRONG: list[tuple[str, object, str, str]] = []


def wrong(exercise, diagnosis, words=""):
    return lambda answer: WRONG.append((exercise, answer, diagnosis, words)) or answer


class Right:
    """A right one, of which the others below spoil a part each; `pairs` are operands with their slopes."""

    def __init__(self, value, *pairs):
        self.value, self.pairs, self.grad = float(value), pairs, 0.0

    def lift(self, other):
        return other if isinstance(other, Right) else type(self)(other)

    def __add__(self, other):
        other = self.lift(other)
        return type(self)(self.value + other.value, (self, 1), (other, 1))

    def __mul__(self, other):
        other = self.lift(other)
        return type(self)(self.value * other.value, (self, other.value), (other, self.value))

    def __truediv__(self, other):
        a, b = self.value, (other := self.lift(other)).value
        return type(self)(a / b, (self, 1 / b), (other, -a / b**2))

    def __pow__(self, other):
        if isinstance(other, Right):
            return (self.log() * other).exp()
        return type(self)(self.value**other, (self, other * self.value ** (other - 1)))

    def __radd__(self, other):
        return self + other

    def __rmul__(self, other):
        return self * other

    def __neg__(self):
        return -1 * self

    def __sub__(self, other):
        return self + -1 * other

    def __rsub__(self, other):
        return other + -self

    def __rtruediv__(self, other):
        return self.lift(other) / self

    def __rpow__(self, other):
        return (self * math.log(other)).exp()

    def exp(self):
        return type(self)(math.exp(self.value), (self, math.exp(self.value)))

    def log(self):
        return type(self)(math.log(self.value), (self, 1 / self.value))

    def tanh(self):
        return type(self)(math.tanh(self.value), (self, 1 - math.tanh(self.value) ** 2))

    def in_order(self):
        uses, waiting = {self: 0}, [self]
        while waiting:
            for operand, _ in waiting.pop().pairs:
                if operand not in uses:
                    uses[operand] = 0
                    waiting.append(operand)
                uses[operand] += 1
        order = [self]
        for one in order:
            for operand, _ in one.pairs:
                uses[operand] -= 1
                if uses[operand] == 0:
                    order.append(operand)
        return order

    def backward(self):
        arrived = {self: 1.0}
        for one in self.in_order():
            one.grad += arrived[one]
            for operand, slope in one.pairs:
                arrived[operand] = arrived.get(operand, 0.0) + slope * arrived[one]


@wrong("16.Tape", "known", "`3 - a` is computed as `a - 3`")
class MinusEitherWay(Right):
    def __rsub__(self, other):
        return self - other


@wrong("16.Tape", "computation", "a.grad")
class PowerRuleForExponent(Right):
    def __rpow__(self, other):
        return PowerRuleForExponent(other**self.value, (self, self.value * other ** (self.value - 1)))


@wrong("16.Tape", "one_shape", "unsupported operand type(s) for /: 'int' and 'Tape'")
class NoNumberOverTape(Right):
    def __rtruediv__(self, other):
        raise TypeError("unsupported operand type(s) for /: 'int' and 'Tape'")


@wrong("16.Tape", "one_shape", "this happens for `a = Tape(-")
class PowerByLogarithm(Right):
    def __pow__(self, other):
        return (self.log() * other).exp()


@wrong(
    "16.Tape",
    "recursion",
    "calls are nested more deeply than Python allows (about a thousand, in JupyterLab three thousand) at line",
)
class RecursiveOrder(Right):
    def in_order(self):
        done, finished = set(), []

        def visit(one):
            done.add(one)
            for operand, _ in one.pairs:
                if operand not in done:
                    visit(operand)
            finished.append(one)

        visit(self)
        return finished[::-1]


@wrong("16.Tape", "timeout", "y = a`, then `for i in range(40): y = y + y`, then `y.backward()`")
class Impatient(Right):
    """Passes each gradient on by itself, right down to the leaves."""

    def backward(self):
        waiting = [(self, 1.0)]
        while waiting:
            one, gradient = waiting.pop()
            one.grad += gradient
            waiting += [(operand, slope * gradient) for operand, slope in one.pairs]


@wrong("16.Tape", "raised", "no attribute 'value'")
class NamedData:
    def __init__(self, data, *pairs):
        self.data, self.grad = data, 0.0

    def __add__(self, other):
        return NamedData(self.data + getattr(other, "data", other))

    __sub__ = __mul__ = __truediv__ = __pow__ = __radd__ = __rsub__ = __rmul__ = __rtruediv__ = __rpow__ = __add__

    def __neg__(self):
        return self

    def backward(self):
        self.grad = 1.0


WRONG.append(("16.Tape", Right(2.0), "no_function", "`Tape` is not a class: pass Tape itself"))


@wrong("16.Tape", "computation", "a.grad")
class NoWayBack(Right):
    def backward(self):
        self.grad = 1.0


@wrong("16.Tape", "known", "`4 / a` is computed as `a / 4`")
class QuotientEitherWay(Right):
    __rtruediv__ = Right.__truediv__


@wrong("16.Tape", "timeout", "for i in range(20000)")
class SearchesAList(Right):
    """`in` on a list of all that were seen: right, and far too slow."""

    def in_order(self):
        seen, order, waiting = [], [], [(self, False)]
        while waiting:
            one, finished = waiting.pop()
            if finished:
                order.append(one)
            elif one not in seen:
                seen.append(one)
                waiting.append((one, True))
                waiting += [(operand, False) for operand, _ in one.pairs]
        return order[::-1]
