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


@wrong("16.Tape", "known", "in `a - b`, the slope for b is computed as `1`")
class MinusLikePlus(Right):
    def __sub__(self, other):
        other = self.lift(other)
        return MinusLikePlus(self.value - other.value, (self, 1), (other, 1))


@wrong("16.Tape", "known", "`3 - a` is computed as `a - 3`")
class MinusEitherWay(Right):
    def __rsub__(self, other):
        return self - other


@wrong("16.Tape", "known", "in `a / b`, the slope for b is computed as `a / b ** 2`")
class SlopeOfQuotient(Right):
    def __truediv__(self, other):
        a, b = self.value, (other := self.lift(other)).value
        return SlopeOfQuotient(a / b, (self, 1 / b), (other, a / b**2))


@wrong("16.Tape", "known", "in `a.tanh()`, the slope for a is computed as `1 - a ** 2`")
class TanhOfArgument(Right):
    def tanh(self):
        return TanhOfArgument(math.tanh(self.value), (self, 1 - self.value**2))


@wrong("16.Tape", "known", "in `2 ** a`, the slope for a is computed as `a * 2 ** (a - 1)`")
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


@wrong("16.Tape", "known", "a is the same object and changes with b")
class ChangesInPlace(Right):
    def __iadd__(self, other):
        self.value += other
        return self


@wrong("16.Tape", "known", "only computations that use a value more than once are wrong")
class Overwrites(Right):
    def backward(self):
        arrived = {self: 1.0}
        for one in self.in_order():
            one.grad += arrived[one]
            for operand, slope in one.pairs:
                arrived[operand] = slope * arrived[one]


@wrong("16.Tape", "known", "gradients that arrive at the same place must be added up")
class OverwritesAlways(Right):
    def backward(self):
        self.grad = 1.0
        for one in self.in_order():
            for operand, slope in one.pairs:
                operand.grad = slope * one.grad


@wrong("16.Tape", "known", "after all parts of it have arrived")
class Careless(Right):
    """Runs each node as soon as something arrives, and once."""

    def backward(self):
        arrived, has_run, waiting = {self: 1.0}, set(), [self]
        while waiting:
            one = waiting.pop(0)
            if one in has_run:
                continue
            has_run.add(one)
            for operand, slope in one.pairs:
                arrived[operand] = arrived.get(operand, 0.0) + slope * arrived[one]
                waiting.append(operand)
        for one, gradient in arrived.items():
            one.grad += gradient


@wrong("16.Tape", "known", "is passed on again")
class LeftOver(Right):
    """What is in between keeps what it got the last time."""

    def backward(self):
        self.grad = 1.0
        for one in self.in_order():
            for operand, slope in one.pairs:
                operand.grad += slope * one.grad


@wrong("16.Tape", "known", "replaces the gradients that are there")
class Replaces(Right):
    def backward(self):
        for one in self.in_order():
            one.grad = 0.0
        self.grad = 1.0
        for one in self.in_order():
            for operand, slope in one.pairs:
                operand.grad += slope * one.grad


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


@wrong("16.Tape", "computation", "a.grad is a method, it must be 1")
class GradIsAMethod(Right):
    def __init__(self, value, *pairs):
        self.value, self.pairs, self.total = float(value), pairs, 0.0

    def grad(self):
        return self.total

    def backward(self):
        self.total = 1.0


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


@wrong("16.Tape", "known", "after backward, every grad is 0")
class NoWayBack(Right):
    def backward(self):
        self.grad = 1.0


@wrong("16.Tape", "computation", "b.grad is -2, it must be -1, for `a = Tape(")
class OddMinus(Right):
    """A slope that no list has: the smallest computation shows it."""

    def __sub__(self, other):
        other = self.lift(other)
        return OddMinus(self.value - other.value, (self, 1), (other, -2))


@wrong("16.Tape", "known", "in `a * b`, the slope for a is computed as `a` and the one for b as `b`")
class OwnValues(Right):
    def __mul__(self, other):
        other = self.lift(other)
        return OwnValues(self.value * other.value, (self, self.value), (other, other.value))


@wrong("16.Tape", "known", "in `a ** b`, the slope for b is computed as `a ** b`")
class PowerWithoutLog(Right):
    def __pow__(self, other):
        if not isinstance(other, Right):
            return super().__pow__(other)
        a, b = self.value, other.value
        return PowerWithoutLog(a**b, (self, b * a ** (b - 1)), (other, a**b))


@wrong("16.Tape", "known", "in `a ** 3`, the slope for a is computed as `3 * a ** 3`")
class ExponentNotLowered(Right):
    def __pow__(self, other):
        if isinstance(other, Right):
            return super().__pow__(other)
        return ExponentNotLowered(self.value**other, (self, other * self.value**other))


@wrong("16.Tape", "known", "in `a.exp()`, the slope for a is computed as `a * exp(a - 1)`")
class PowerRuleForExp(Right):
    def exp(self):
        return PowerRuleForExp(math.exp(self.value), (self, self.value * math.exp(self.value - 1)))


@wrong("16.Tape", "known", "in `a.tanh()`, the slope for a is computed as `1 - tanh(tanh(a)) ** 2`")
class TanhTwice(Right):
    def tanh(self):
        result = math.tanh(self.value)
        return TanhTwice(result, (self, 1 - math.tanh(result) ** 2))


@wrong("16.Tape", "known", "in `a.log()`, the slope for a is computed as `1 / log(a)`")
class SlopeOfResult(Right):
    def log(self):
        result = math.log(self.value)
        return SlopeOfResult(result, (self, 1 / result))


@wrong("16.Tape", "known", "in `-a`, the slope for a is computed as `1`")
class MinusForgotten(Right):
    def __neg__(self):
        return MinusForgotten(-self.value, (self, 1))


@wrong("16.Tape", "known", "`4 / a` is computed as `a / 4`")
class QuotientEitherWay(Right):
    __rtruediv__ = Right.__truediv__


@wrong("16.Tape", "known", "the right operand of `+` and of `*` gets no gradient")
class FirstOperandOnly(Right):
    def backward(self):
        arrived = {self: 1.0}
        for one in self.in_order():
            one.grad += arrived.get(one, 0.0)
            for operand, slope in one.pairs[:1]:
                arrived[operand] = arrived.get(operand, 0.0) + slope * arrived.get(one, 0.0)


@wrong("16.Tape", "known", "every slope is taken as 1")
class WithoutSlopes(Right):
    def backward(self):
        arrived = {self: 1.0}
        for one in self.in_order():
            one.grad += arrived[one]
            for operand, _ in one.pairs:
                arrived[operand] = arrived.get(operand, 0.0) + arrived[one]


@wrong("16.Tape", "known", "wrong where one operation follows another")
class LocalSlopesOnly(Right):
    def backward(self):
        self.grad = 1.0
        for one in self.in_order():
            for operand, slope in one.pairs:
                operand.grad += slope


@wrong("16.Tape", "known", "if both operands of an operation are the same object")
class OperandsInADict(Right):
    def backward(self):
        arrived = {self: 1.0}
        for one in self.in_order():
            one.grad += arrived[one]
            for operand, slope in dict(one.pairs).items():
                arrived[operand] = arrived.get(operand, 0.0) + slope * arrived[one]


@wrong("16.Tape", "known", "the result still holds the 1 of the first call")
class ResultCountsCalls(Right):
    def backward(self):
        for one in self.in_order()[1:]:
            if one.pairs:
                one.grad = 0.0
        self.grad += 1.0
        for one in self.in_order():
            for operand, slope in one.pairs:
                operand.grad += slope * one.grad


@wrong("16.Tape", "known", "a second call of backward adds nothing")
class KeepsTheFirst(Right):
    def backward(self):
        arrived = {self: 1.0}
        for one in self.in_order():
            one.grad = one.grad or arrived[one]
            for operand, slope in one.pairs:
                arrived[operand] = arrived.get(operand, 0.0) + slope * arrived[one]


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


@wrong("16.Tape", "known", "the digits after the point are lost")
class CutToWhole(Right):
    def __init__(self, value, *pairs):
        super().__init__(int(value), *pairs)


@wrong("16.Tape", "known", "every grad is 1 too large")
class BeginsAtOne(Right):
    def __init__(self, value, *pairs):
        super().__init__(value, *pairs)
        self.grad = 1.0


class Begun(Right):
    def backward(self):
        arrived = {self: self.first()}
        for one in self.in_order():
            one.grad += arrived[one]
            for operand, slope in one.pairs:
                arrived[operand] = arrived.get(operand, 0.0) + self.through(slope, arrived[one])

    def first(self):
        return 1.0

    def through(self, slope, gradient):
        return slope * gradient


@wrong("16.Tape", "known", "backward begins with the value of the result")
class BeginsWithValue(Begun):
    def first(self):
        return self.value


@wrong("16.Tape", "known", "the slope is added to the gradient")
class AddsSlope(Begun):
    def through(self, slope, gradient):
        return slope + gradient
