"""Right answers to notebook 16, each written another way."""

import heapq
import math

import numpy as np

RIGHT: list[tuple[str, object]] = []


def right(exercise):
    return lambda answer: RIGHT.append((exercise, answer)) or answer


@right("16.Tape")
class Closures:
    """Each result has a function that passes its gradient on; an order by depth first, with a list in place of recursion."""

    def __init__(self, value, parents=(), pass_on=None):
        self.value, self.parents, self.pass_on, self.grad = float(value), parents, pass_on, 0.0

    def make(self, value, *pairs):
        def pass_on(gradient, arrived):
            for parent, slope in pairs:
                arrived[parent] = arrived.get(parent, 0.0) + gradient * slope

        return Closures(value, [parent for parent, _ in pairs], pass_on)

    def __add__(self, other):
        other = lift(other)
        return self.make(self.value + other.value, (self, 1.0), (other, 1.0))

    def __mul__(self, other):
        other = lift(other)
        return self.make(self.value * other.value, (self, other.value), (other, self.value))

    def __pow__(self, other):
        if isinstance(other, Closures):
            return (self.log() * other).exp()
        return self.make(self.value**other, (self, other * self.value ** (other - 1)))

    def __rpow__(self, base):
        return (self * math.log(base)).exp()

    def __neg__(self):
        return self * -1

    def __sub__(self, other):
        return self + -lift(other)

    def __rsub__(self, other):
        return -self + other

    def __truediv__(self, other):
        return self * lift(other) ** -1

    def __rtruediv__(self, other):
        return other * self**-1

    __radd__, __rmul__ = __add__, __mul__

    def exp(self):
        return self.make(math.exp(self.value), (self, math.exp(self.value)))

    def log(self):
        return self.make(math.log(self.value), (self, 1 / self.value))

    def tanh(self):
        t = math.tanh(self.value)
        return self.make(t, (self, 1 - t * t))

    def backward(self):
        done, order, waiting = set(), [], [(self, False)]
        while waiting:
            one, finished = waiting.pop()
            if finished:
                order.append(one)
            elif one not in done:
                done.add(one)
                waiting.append((one, True))
                waiting.extend((parent, False) for parent in one.parents)
        arrived = {self: 1.0}
        for one in reversed(order):
            gradient = arrived.pop(one)
            one.grad += gradient
            if one.pass_on:
                one.pass_on(gradient, arrived)
        assert not arrived
        print("went through", len(order))


def lift(thing):
    return thing if isinstance(thing, Closures) else Closures(thing)


ENTRIES: list = []


@right("16.Tape")
class OneTape:
    """A tape in the word's own sense: a list of all operations, gone through backwards."""

    def __init__(self, value, *pairs):
        self.value = np.float64(value)
        self.grad = None
        self.number = len(ENTRIES)
        ENTRIES.append((self, pairs))

    def backward(self):
        sent = [0.0] * (self.number + 1)
        sent[-1] = 1.0
        for number in range(self.number, -1, -1):
            one, pairs = ENTRIES[number]
            if sent[number] and not pairs:
                one.grad = sent[number] + (one.grad or 0.0)
            for parent, slope in pairs:
                sent[parent.number] += sent[number] * slope


def operator(name, function, slopes):
    def forward(self, other):
        a, b = self.value, getattr(other, "value", other)
        pairs = [
            (each, slope) for each, slope in zip((self, other), slopes(a, b), strict=True) if hasattr(each, "number")
        ]
        return OneTape(function(a, b), *pairs)

    def backward(self, other):
        a, b = other, self.value
        return OneTape(function(a, b), (self, slopes(a, b)[1]))

    setattr(OneTape, f"__{name}__", forward)
    setattr(OneTape, f"__r{name}__", backward)


operator("add", lambda a, b: a + b, lambda a, b: (1, 1))
operator("sub", lambda a, b: a - b, lambda a, b: (1, -1))
operator("mul", lambda a, b: a * b, lambda a, b: (b, a))
operator("truediv", lambda a, b: a / b, lambda a, b: (1 / b, -a / b**2))
operator("pow", lambda a, b: a ** float(b), lambda a, b: (b * a ** (float(b) - 1), a ** float(b) * np.log(abs(a))))
OneTape.__neg__ = lambda self: OneTape(-self.value, (self, -1))
OneTape.exp = lambda self: OneTape(np.exp(self.value), (self, np.exp(self.value)))
OneTape.log = lambda self: OneTape(np.log(self.value), (self, 1 / self.value))
OneTape.tanh = lambda self: OneTape(np.tanh(self.value), (self, 1 / np.cosh(self.value) ** 2))


@right("16.Tape")
class GradientsInPlace(Closures):
    """Gradients in between are kept in .grad, and cleared at the beginning of each call."""

    def make(self, value, *pairs):
        result = GradientsInPlace(value, [parent for parent, _ in pairs])
        result.pairs = pairs
        return result

    def __add__(self, other):
        other = other if isinstance(other, GradientsInPlace) else GradientsInPlace(other)
        return self.make(self.value + other.value, (self, 1.0), (other, 1.0))

    def __mul__(self, other):
        other = other if isinstance(other, GradientsInPlace) else GradientsInPlace(other)
        return self.make(self.value * other.value, (self, other.value), (other, self.value))

    def __sub__(self, other):
        return self + -1 * other

    def __truediv__(self, other):
        return self * (other**-1 if isinstance(other, GradientsInPlace) else 1 / other)

    __radd__, __rmul__ = __add__, __mul__

    def backward(self):
        uses, waiting = {self: 0}, [self]
        while waiting:
            one = waiting.pop()
            if one.parents:
                one.grad = 0.0
            for parent in one.parents:
                if parent not in uses:
                    uses[parent] = 0
                    waiting.append(parent)
                uses[parent] += 1
        self.grad, waiting = (1.0 if self.parents else self.grad + 1.0), [self]
        while waiting:
            one = waiting.pop()
            for parent, slope in one.pairs if one.parents else ():
                parent.grad += one.grad * slope
                uses[parent] -= 1
                if uses[parent] == 0:
                    waiting.append(parent)


@right("16.Tape")
class ForwardMode:
    """No graph at all: each number carries its slope for every leaf."""

    def __init__(self, value, slopes=None):
        self.value, self.grad = value, 0.0
        self.slopes = {self: 1.0} if slopes is None else slopes

    def made(self, value, *pairs):
        slopes: dict = {}
        for one, slope in pairs:
            for leaf, each in one.slopes.items():
                slopes[leaf] = slopes.get(leaf, 0.0) + slope * each
        return ForwardMode(value, slopes)

    def lift(self, other):
        return other if isinstance(other, ForwardMode) else ForwardMode(other, {})

    def __add__(self, other):
        other = self.lift(other)
        return self.made(self.value + other.value, (self, 1), (other, 1))

    def __mul__(self, other):
        other = self.lift(other)
        return self.made(self.value * other.value, (self, other.value), (other, self.value))

    __radd__, __rmul__ = __add__, __mul__

    def __neg__(self):
        return self * -1

    def __sub__(self, other):
        return self + -self.lift(other)

    def __rsub__(self, other):
        return self.lift(other) + -self

    def __pow__(self, other):
        if isinstance(other, ForwardMode):
            return (self.log() * other).exp()
        return self.made(self.value**other, (self, other * self.value ** (other - 1)))

    def __rpow__(self, other):
        return self.lift(other) ** self

    def __truediv__(self, other):
        return self * self.lift(other) ** -1

    def __rtruediv__(self, other):
        return self.lift(other) * self**-1

    def exp(self):
        return self.made(math.exp(self.value), (self, math.exp(self.value)))

    def log(self):
        return self.made(math.log(self.value), (self, 1 / self.value))

    def tanh(self):
        return self.made(math.tanh(self.value), (self, 1 - math.tanh(self.value) ** 2))

    def backward(self):
        for leaf, slope in self.slopes.items():
            leaf.grad += slope


@right("16.Tape")
class NewestFirst(Closures):
    """Each number has a serial number; of those that wait, the newest passes on first. tanh is made of exp."""

    made = 0

    def __init__(self, value, pairs=()):
        self.value, self.pairs, self.grad = value, pairs, None
        self.number = NewestFirst.made = NewestFirst.made + 1

    def make(self, value, *pairs):
        return NewestFirst(value, pairs)

    def __add__(self, other):
        other = other if isinstance(other, NewestFirst) else NewestFirst(other)
        return self.make(self.value + other.value, (self, 1.0), (other, 1.0))

    def __mul__(self, other):
        other = other if isinstance(other, NewestFirst) else NewestFirst(other)
        return self.make(self.value * other.value, (self, other.value), (other, self.value))

    def __pow__(self, other):
        if isinstance(other, NewestFirst):
            return (self.log() * other).exp()
        return super().__pow__(other)

    def __sub__(self, other):
        return self + -1 * other

    def __truediv__(self, other):
        return self * (other**-1 if isinstance(other, NewestFirst) else 1 / other)

    __radd__, __rmul__ = __add__, __mul__

    def tanh(self):
        power = (2 * self).exp()
        return (power - 1) / (power + 1)

    def backward(self):
        waiting, arrived, known = [-self.number], {self.number: 1.0}, {self.number: self}
        while waiting:
            number = -heapq.heappop(waiting)
            one, gradient = known[number], arrived[number]
            if not one.pairs:
                one.grad = gradient + (one.grad or 0.0)
            for operand, slope in one.pairs:
                if operand.number not in known:
                    known[operand.number] = operand
                    heapq.heappush(waiting, -operand.number)
                arrived[operand.number] = arrived.get(operand.number, 0.0) + gradient * slope
