"""Answers to notebook 16: see tests/course/table.py."""

# %% 16.Tape right: closures
def lift(thing):
    return thing if isinstance(thing, Tape) else Tape(thing)


class Tape:
    """Each result has a function that passes its gradient on; an order by depth first, with a list in place of recursion."""

    def __init__(self, value, parents=(), pass_on=None):
        self.value, self.parents, self.pass_on, self.grad = float(value), parents, pass_on, 0.0

    def make(self, value, *pairs):
        def pass_on(gradient, arrived):
            for parent, slope in pairs:
                arrived[parent] = arrived.get(parent, 0.0) + gradient * slope

        return Tape(value, [parent for parent, _ in pairs], pass_on)

    def __add__(self, other):
        other = lift(other)
        return self.make(self.value + other.value, (self, 1.0), (other, 1.0))

    def __mul__(self, other):
        other = lift(other)
        return self.make(self.value * other.value, (self, other.value), (other, self.value))

    def __pow__(self, other):
        if isinstance(other, Tape):
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

# %% 16.Tape right: one tape
import numpy as np


ENTRIES: list = []


def operator(name, function, slopes):
    def forward(self, other):
        a, b = self.value, getattr(other, "value", other)
        pairs = [
            (each, slope) for each, slope in zip((self, other), slopes(a, b), strict=True) if hasattr(each, "number")
        ]
        return Tape(function(a, b), *pairs)

    def backward(self, other):
        a, b = other, self.value
        return Tape(function(a, b), (self, slopes(a, b)[1]))

    setattr(Tape, f"__{name}__", forward)
    setattr(Tape, f"__r{name}__", backward)


class Tape:
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
        return Tape(function(a, b), *pairs)

    def backward(self, other):
        a, b = other, self.value
        return Tape(function(a, b), (self, slopes(a, b)[1]))

    setattr(Tape, f"__{name}__", forward)
    setattr(Tape, f"__r{name}__", backward)


operator("add", lambda a, b: a + b, lambda a, b: (1, 1))
operator("sub", lambda a, b: a - b, lambda a, b: (1, -1))
operator("mul", lambda a, b: a * b, lambda a, b: (b, a))
operator("truediv", lambda a, b: a / b, lambda a, b: (1 / b, -a / b**2))
operator("pow", lambda a, b: a ** float(b), lambda a, b: (b * a ** (float(b) - 1), a ** float(b) * np.log(abs(a))))
Tape.__neg__ = lambda self: Tape(-self.value, (self, -1))
Tape.exp = lambda self: Tape(np.exp(self.value), (self, np.exp(self.value)))
Tape.log = lambda self: Tape(np.log(self.value), (self, 1 / self.value))
Tape.tanh = lambda self: Tape(np.tanh(self.value), (self, 1 / np.cosh(self.value) ** 2))

# %% 16.Tape right: gradients in place
class Tape:
    """Gradients in between are kept in .grad, and cleared at the beginning of each call."""

    def __init__(self, value, parents=(), pass_on=None):
        self.value, self.parents, self.pass_on, self.grad = float(value), parents, pass_on, 0.0

    def make(self, value, *pairs):
        result = Tape(value, [parent for parent, _ in pairs])
        result.pairs = pairs
        return result

    def __add__(self, other):
        other = other if isinstance(other, Tape) else Tape(other)
        return self.make(self.value + other.value, (self, 1.0), (other, 1.0))

    def __mul__(self, other):
        other = other if isinstance(other, Tape) else Tape(other)
        return self.make(self.value * other.value, (self, other.value), (other, self.value))

    def __pow__(self, other):
        if isinstance(other, Tape):
            return (self.log() * other).exp()
        return self.make(self.value**other, (self, other * self.value ** (other - 1)))

    def __rpow__(self, base):
        return (self * math.log(base)).exp()

    def __neg__(self):
        return self * -1

    def __sub__(self, other):
        return self + -1 * other

    def __rsub__(self, other):
        return -self + other

    def __truediv__(self, other):
        return self * (other**-1 if isinstance(other, Tape) else 1 / other)

    def __rtruediv__(self, other):
        return other * self**-1

    def exp(self):
        return self.make(math.exp(self.value), (self, math.exp(self.value)))

    def log(self):
        return self.make(math.log(self.value), (self, 1 / self.value))

    def tanh(self):
        t = math.tanh(self.value)
        return self.make(t, (self, 1 - t * t))

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

    __radd__, __rmul__ = __add__, __mul__

# %% 16.Tape right: forward mode
class Tape:
    """No graph at all: each number carries its slope for every leaf."""

    def __init__(self, value, slopes=None):
        self.value, self.grad = value, 0.0
        self.slopes = {self: 1.0} if slopes is None else slopes

    def made(self, value, *pairs):
        slopes: dict = {}
        for one, slope in pairs:
            for leaf, each in one.slopes.items():
                slopes[leaf] = slopes.get(leaf, 0.0) + slope * each
        return Tape(value, slopes)

    def lift(self, other):
        return other if isinstance(other, Tape) else Tape(other, {})

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
        if isinstance(other, Tape):
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

# %% 16.Tape right: newest first
import heapq


RIGHT: list[tuple[str, object]] = []


def right(exercise):
    return lambda answer: RIGHT.append((exercise, answer)) or answer


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


class Tape(Closures):
    """Each number has a serial number; of those that wait, the newest passes on first. tanh is made of exp."""

    made = 0

    def __init__(self, value, pairs=()):
        self.value, self.pairs, self.grad = value, pairs, None
        self.number = Tape.made = Tape.made + 1

    def make(self, value, *pairs):
        return Tape(value, pairs)

    def __add__(self, other):
        other = other if isinstance(other, Tape) else Tape(other)
        return self.make(self.value + other.value, (self, 1.0), (other, 1.0))

    def __mul__(self, other):
        other = other if isinstance(other, Tape) else Tape(other)
        return self.make(self.value * other.value, (self, other.value), (other, self.value))

    def __pow__(self, other):
        if isinstance(other, Tape):
            return (self.log() * other).exp()
        return super().__pow__(other)

    def __sub__(self, other):
        return self + -1 * other

    def __truediv__(self, other):
        return self * (other**-1 if isinstance(other, Tape) else 1 / other)

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

# %% 16.Tape right: pairs (input, slope), counted edges, gradients in a dict for each call
import math


class Tape:
    def __init__(self, value, inputs=()):
        self.value = value
        self.grad = 0.0
        self.inputs = inputs

    def __add__(self, other):
        if isinstance(other, Tape):
            return Tape(self.value + other.value, ((self, 1.0), (other, 1.0)))
        return Tape(self.value + other, ((self, 1.0),))

    def __radd__(self, other):
        return self + other

    def __neg__(self):
        return Tape(-self.value, ((self, -1.0),))

    def __sub__(self, other):
        return self + (-other)

    def __rsub__(self, other):
        return Tape(other - self.value, ((self, -1.0),))

    def __mul__(self, other):
        if isinstance(other, Tape):
            return Tape(self.value * other.value, ((self, other.value), (other, self.value)))
        return Tape(self.value * other, ((self, other),))

    def __rmul__(self, other):
        return self * other

    def __truediv__(self, other):
        if isinstance(other, Tape):
            a, b = self.value, other.value
            return Tape(a / b, ((self, 1 / b), (other, -a / b**2)))
        return Tape(self.value / other, ((self, 1 / other),))

    def __rtruediv__(self, other):
        return Tape(other / self.value, ((self, -other / self.value**2),))

    def __pow__(self, other):
        a = self.value
        if isinstance(other, Tape):
            b = other.value
            return Tape(a**b, ((self, b * a ** (b - 1)), (other, a**b * math.log(a))))
        return Tape(a**other, ((self, other * a ** (other - 1)),))

    def __rpow__(self, other):
        result = other**self.value
        return Tape(result, ((self, result * math.log(other)),))

    def exp(self):
        result = math.exp(self.value)
        return Tape(result, ((self, result),))

    def log(self):
        return Tape(math.log(self.value), ((self, 1 / self.value),))

    def tanh(self):
        result = math.tanh(self.value)
        return Tape(result, ((self, 1 - result**2),))

    def backward(self):
        waiting = {self: 0}
        todo = [self]
        while todo:
            for node, _ in todo.pop().inputs:
                if node not in waiting:
                    waiting[node] = 0
                    todo.append(node)
                waiting[node] += 1
        grads = {self: 1.0}
        ready = [self]
        while ready:
            node = ready.pop()
            node.grad += grads[node]
            for other, slope in node.inputs:
                grads[other] = grads.get(other, 0.0) + slope * grads[node]
                waiting[other] -= 1
                if waiting[other] == 0:
                    ready.append(other)

# %% 16.Tape right: every number has a serial number; a heap gives the youngest first; intermediate results keep no grad
import heapq
import itertools
import math

serial = itertools.count()


class Tape:
    def __init__(self, value, parents=None):
        self.value = value
        self.grad = None
        self.parents = parents
        self.serial = next(serial)

    def _binary(a, b, value, slope_a, slope_b):
        x = a.value if isinstance(a, Tape) else a
        y = b.value if isinstance(b, Tape) else b
        result = value(x, y)
        parents = []
        if isinstance(a, Tape):
            parents.append((a, slope_a(x, y, result)))
        if isinstance(b, Tape):
            parents.append((b, slope_b(x, y, result)))
        return Tape(result, parents)

    def _make(value, slope_a, slope_b):
        def forward(self, other):
            return Tape._binary(self, other, value, slope_a, slope_b)

        def backward(self, other):
            return Tape._binary(other, self, value, slope_a, slope_b)

        return forward, backward

    __add__, __radd__ = _make(lambda x, y: x + y, lambda x, y, r: 1, lambda x, y, r: 1)
    __sub__, __rsub__ = _make(lambda x, y: x - y, lambda x, y, r: 1, lambda x, y, r: -1)
    __mul__, __rmul__ = _make(lambda x, y: x * y, lambda x, y, r: y, lambda x, y, r: x)
    __truediv__, __rtruediv__ = _make(
        lambda x, y: x / y, lambda x, y, r: 1 / y, lambda x, y, r: -r / y
    )
    __pow__, __rpow__ = _make(
        lambda x, y: x**y, lambda x, y, r: y * x ** (y - 1), lambda x, y, r: r * math.log(x)
    )

    def __neg__(self):
        return 0 - self

    def exp(self):
        return math.e**self

    def log(self):
        return Tape(math.log(self.value), [(self, 1 / self.value)])

    def tanh(self):
        return 1 - 2 / ((2 * self).exp() + 1)

    def backward(self):
        grads = {self.serial: 1.0}
        heap = [(-self.serial, self)]
        while heap:
            number, node = heapq.heappop(heap)
            g = grads[-number]
            if node.parents is None:
                node.grad = g if node.grad is None else node.grad + g
                continue
            for parent, slope in node.parents:
                if parent.serial not in grads:
                    grads[parent.serial] = 0.0
                    heapq.heappush(heap, (-parent.serial, parent))
                grads[parent.serial] += slope * g

# %% 16.Tape right: closures that send the gradient on; depth-first order with a stack; intermediate grads are set to 0 at the beginning
import numpy as np


class Tape:
    def __init__(self, value):
        self.value = value
        self.grad = 0.0
        self.parents = []
        self.send = None

    @staticmethod
    def lift(x):
        return x if isinstance(x, Tape) else Tape(x)

    @classmethod
    def result(cls, value, parents, send):
        out = cls(value)
        out.parents = parents
        out.send = send
        return out

    def __add__(self, other):
        other = Tape.lift(other)

        def send(g):
            self.grad += g
            other.grad += g

        return Tape.result(self.value + other.value, [self, other], send)

    __radd__ = __add__

    def __mul__(self, other):
        other = Tape.lift(other)

        def send(g):
            self.grad += g * other.value
            other.grad += g * self.value

        return Tape.result(self.value * other.value, [self, other], send)

    __rmul__ = __mul__

    def __neg__(self):
        return self * -1

    def __sub__(self, other):
        return self + -Tape.lift(other)

    def __rsub__(self, other):
        return Tape.lift(other) - self

    def __truediv__(self, other):
        return self * Tape.lift(other) ** -1.0

    def __rtruediv__(self, other):
        return Tape.lift(other) / self

    def __pow__(self, other):
        if isinstance(other, Tape):
            return (self.log() * other).exp()

        def send(g):
            self.grad += g * other * self.value ** (other - 1)

        return Tape.result(self.value**other, [self], send)

    def __rpow__(self, other):
        return Tape.lift(other) ** self

    def exp(self):
        out = Tape.result(np.exp(self.value), [self], None)

        def send(g):
            self.grad += g * out.value

        out.send = send
        return out

    def log(self):
        def send(g):
            self.grad += g / self.value

        return Tape.result(np.log(self.value), [self], send)

    def tanh(self):
        t = np.tanh(self.value)

        def send(g):
            self.grad += g * (1 - t) * (1 + t)

        return Tape.result(t, [self], send)

    def backward(self):
        order, seen, stack = [], set(), [(self, False)]
        while stack:
            node, done = stack.pop()
            if done:
                order.append(node)
            elif node not in seen:
                seen.add(node)
                stack.append((node, True))
                stack.extend((parent, False) for parent in node.parents)
        for node in order:
            if node.send:
                node.grad = 0.0
        self.grad += 1.0
        for node in reversed(order):
            if node.send:
                node.send(node.grad)

# %% 16.Tape right: no topological sort: every Tape has a running number, and backward takes the largest number from a heap; a - b
import heapq
import itertools

class Tape:
    __slots__ = ("value", "grad", "number", "sources")
    _counter = itertools.count()

    def __init__(self, value, *sources):
        self.value, self.grad, self.sources = value, 0.0, sources
        self.number = next(Tape._counter)

    def _with(f):
        """An operator for Tapes, made from f(a, b) -> value, slope for a, slope for b."""
        def forwards(self, other):
            number = not isinstance(other, Tape)
            value, da, db = f(self.value, other if number else other.value, number)
            return Tape(value, (self, da)) if number else Tape(value, (self, da), (other, db))
        def backwards(self, other):
            value, _, db = f(other, self.value, False)
            return Tape(value, (self, db))
        return forwards, backwards

    __add__, __radd__ = _with(lambda a, b, c: (a + b, 1.0, 1.0))
    __sub__, __rsub__ = _with(lambda a, b, c: (a - b, 1.0, -1.0))
    __mul__, __rmul__ = _with(lambda a, b, c: (a * b, b, a))
    __truediv__, __rtruediv__ = _with(lambda a, b, c: (a / b, 1 / b, -a / (b * b)))
    __pow__, __rpow__ = _with(lambda a, b, c: (a ** b, b * a ** (b - 1), None if c else a ** b * math.log(a)))

    def __neg__(self):
        return -1 * self

    def exp(self):
        return math.e ** self

    def log(self):
        return Tape(math.log(self.value), (self, 1 / self.value))

    def tanh(self):
        t = math.tanh(self.value)
        return Tape(t, (self, (1 - t) * (1 + t)))

    def backward(self):
        waiting, grads, heap = {self.number: self}, {self.number: 1.0}, [-self.number]
        while heap:
            node = waiting.pop(-heapq.heappop(heap))
            grad = grads.pop(node.number)
            if not node.sources:
                node.grad += grad
            for source, slope in node.sources:
                if source.number not in waiting:
                    waiting[source.number] = source
                    grads[source.number] = 0.0
                    heapq.heappush(heap, -source.number)
                grads[source.number] += slope * grad

# %% 16.Tape wrong: number - Tape has the wrong sign: computes self - other
expect("known", "`3 - a` is computed as `a - 3`")
edit("return Tape(other - self.value, ((self, -1.0),))", "return Tape(self.value - other, ((self,1.0),))",
     of="pairs (input")

# %% 16.Tape wrong: number - Tape: the value is right, but the slope is +1, not -1
expect("known", "the slope of `3 - a` is computed as that of `a - 3`")
edit("return Tape(other - self.value, ((self, -1.0),))", "return Tape(other - self.value, ((self,1.0),))",
     of="pairs (input")

# %% 16.Tape wrong: number / Tape is computed as Tape / number
expect("known", "`4 / a` is computed as `a / 4`")
edit("Tape(other / self.value, ((self, -other / self.value**2),))", "self / other", of="pairs (input")

# %% 16.Tape wrong: Tape / Tape: the slope for the divisor lacks the minus
expect("known", "the slope of `a / b` for b: the minus sign is missing")
edit("return Tape(a / b, ((self, 1 / b), (other, -a / b**2)))",
     "return Tape(a / b, ((self, 1 / b), (other,a / b**2)))", of="pairs (input")

# %% 16.Tape wrong: Tape / Tape: the slope for the divisor is -a / b, not -a / b^2
expect("known", "the slope of `a / b` for b: the exponent is left out")
edit("return Tape(a / b, ((self, 1 / b), (other, -a / b**2)))", "return Tape(a / b, ((self, 1 / b), (other, -a / b)))",
     of="pairs (input")

# %% 16.Tape wrong: number / Tape: the number is missing in the slope
expect("known", "the slope of `4 / a` is computed as that of `1 / a`")
edit("other / self.value*", "1 / self.value*", of="pairs (input")

# %% 16.Tape wrong: Tape / number: the slope is the number, not 1 / number
expect("known", "the slope of `a / 4` is computed as that of `a * 4`")
edit("return Tape(self.value / other, ((self, 1 / other),))", "return Tape(self.value / other, ((self, other),))",
     of="pairs (input")

# %% 16.Tape wrong: number ** Tape is computed as Tape ** number
expect("known", "`2 ** a` is computed as `a ** 2`")
edit("result = other**self.value\n        return Tape(result, ((self, result * math.log(other)),))",
     "return self**other", of="pairs (input")

# %% 16.Tape wrong: number ** Tape: the slope takes the logarithm of the exponent, not of the base
expect("raises_for_some", "`return Tape(result, ((self, result * math.log(self.value)),))` raised ValueError")
edit("return Tape(result, ((self, result * math.log(other)),))",
     "return Tape(result, ((self, result * math.log(self.value)),))", of="pairs (input")

# %% 16.Tape wrong: Tape ** Tape: the exponent gets no gradient
expect("known", "`a ** b` passes no gradient on to b")
edit(", (other, a**b * math.log(a))", ",", of="pairs (input")

# %% 16.Tape wrong: Tape ** Tape: the slope for the exponent takes log b instead of log a
expect("known", "the slope of `a ** b` for b: `b` stands in the place of `a`")
edit("a)))", "b)))", of="pairs (input")

# %% 16.Tape wrong: a ** number: the slope forgets the exponent as a factor
expect("known", "the slope of `a ** n`, n a number: `n` is left out")
edit("return Tape(a**other, ((self, other * a ** (other - 1)),))",
     "return Tape(a**other, ((self, a ** (other - 1)),))", of="pairs (input")

# %% 16.Tape wrong: a ** number: the exponent in the slope is not lowered by one
expect("known", "the exponent in the slope of `a ** n`: 1 is left out")
edit("return Tape(a**other, ((self, other * a ** (other - 1)),))",
     "return Tape(a**other, ((self, other * a **other),))", of="pairs (input")

# %% 16.Tape wrong: number + Tape is not supported: __radd__ is missing
expect("raises_for_some", "using it as the statement says, raises TypeError: unsupported")
edit(")\n\n    def __radd__(self, other):\n        return self + other", ")", of="pairs (input")

# %% 16.Tape wrong: tanh: 1 - tanh instead of 1 - tanh^2
expect("known", "the slope of `a.tanh()`: the exponent is left out")
edit("return Tape(result, ((self, 1 - result**2),))", "return Tape(result, ((self, 1 - result),))", of="pairs (input")

# %% 16.Tape wrong: tanh: 1 - a^2 instead of 1 - tanh^2 a
expect("known", "the slope of `a.tanh()`: `a` stands in the place of the value of `a.tanh()`")
edit("return Tape(result, ((self, 1 - result**2),))", "return Tape(result, ((self, 1 - self.value**2),))",
     of="pairs (input")

# %% 16.Tape wrong: exp: the slope is a * exp(a - 1), as if it was a power
expect("known", "the slope of `a.exp()` is computed as that of a power")
edit("result)", "self.value * math.exp(self.value - 1))", of="pairs (input")

# %% 16.Tape wrong: exp: the slope is the input, not the result
expect("known", "the slope of `a.exp()`: `exp` is left out")
edit("return Tape(result, ((self, result),))", "return Tape(result, ((self, self.value),))", of="pairs (input")

# %% 16.Tape wrong: log: the slope is 1 / log a, not 1 / a
expect("known", "the slope of `a.log()`: the value of `a.log()` stands in the place of `a`")
edit("/ self.value)", "/ math.log(self.value))", of="pairs (input")

# %% 16.Tape wrong: log to base 10 instead of the natural logarithm
expect("known", "the value of `a.log()`: `log10` is used")
edit("return Tape(math.log(self.value), ((self, 1 / self.value),))",
     "return Tape(math.log10(self.value), ((self, 1 / self.value),))", of="pairs (input")

# %% 16.Tape wrong: -a: the slope is 1, not -1
expect("known", "the slope of `-a`: the minus sign is missing")
edit("return Tape(-self.value, ((self, -1.0),))", "return Tape(-self.value, ((self,1.0),))", of="pairs (input")

# %% 16.Tape wrong: -a has no input, so no gradient gets through it
expect("known", "`-a` passes no gradient on")
edit("return Tape(-self.value, ((self, -1.0),))", "return Tape(-self.value)", of="pairs (input")

# %% 16.Tape wrong: the product's slopes are mixed up: each factor gets its own value
expect("known", "the slopes of `a * b` are exchanged")
edit("other.value), (other, self", "self.value), (other, other", of="pairs (input")

# %% 16.Tape wrong: Tape - Tape: the second operand gets no gradient
expect("known", "`a - b` passes no gradient on to b")
edit("return self + (-other",
     "return Tape(self.value - (other.value if isinstance(other, Tape) else other), ((self, 1.0),)",
     of="pairs (input")

# %% 16.Tape wrong: b += 3 changes a as well: __iadd__ writes into the number itself
expect("known", "wrong if `b += 3` follows `b = a`: a is the same object and changes with b, but the")
edit("return Tape(self.value + other, ((self, 1.0),))",
     "return Tape(self.value + other, ((self, 1.0),))\n    def __iadd__(self, other):\n"
     "        self.value += other.value if isinstance(other, Tape) else other\n        return self",
     of="pairs (input")

# %% 16.Tape wrong: division rounds down (// instead of /) when both are Tapes
expect("known", "`a / b` is computed as `a // b`")
edit("return Tape(a / b, ((self, 1 / b), (other, -a / b**2)))",
     "return Tape(a // b, ((self, 1 / b), (other, -a / b**2)))", of="pairs (input")

# %% 16.Tape wrong: value is stored as an int
expect("raises_for_some", "values are cut to whole numbers: the digits after the point are lost")
edit("self.value = value", "self.value = int(value)", of="pairs (input")

# %% 16.Tape wrong: grad begins with 1.0, not 0.0
expect("known", "every grad begins at 1: before the first backward it must be 0")
edit("self.grad = 0.0", "self.grad = 1.0", of="pairs (input")

# %% 16.Tape wrong: backward replaces grad instead of adding to it
expect("known", "a second call of backward replaces the gradients that are there, but it must add to them")
edit("node.grad += grads[node]", "node.grad = grads[node]", of="pairs (input")

# %% 16.Tape wrong: the local slopes are added to the gradient, not multiplied by it
expect("known", "the slope is added to the gradient that has arrived at the result, but it must multiply")
edit("grads[other] = grads.get(other, 0.0) + slope * grads[node]",
     "grads[other] = grads.get(other, 0.0) + (slope + grads[node])", of="pairs (input")

# %% 16.Tape wrong: the gradient is not passed on: each input gets only the local slope
expect("known", "what an operation passes on: `gradient` is left out")
edit("grads[other] = grads.get(other, 0.0) + slope * grads[node]", "grads[other] = grads.get(other, 0.0) + slope",
     of="pairs (input")

# %% 16.Tape wrong: backward begins with the value of the result, not with 1
expect("known", "backward begins with the value of the result, but the slope of the result with respect")
edit("grads = {self: 1.0}", "grads = {self: self.value}", of="pairs (input")

# %% 16.Tape wrong: the inputs are forgotten after the first backward, so a second one does nothing
expect("known", "a second call of backward adds nothing to the gradients that are there")
edit("ready.append(other)", "ready.append(other)\n            node.inputs = ()", of="pairs (input")

# %% 16.Tape wrong: an input that is used twice in one operation counts only once (a dict of inputs)
expect("known", "wrong if both operands of an operation are the same object, as in `a * a`: two")
edit("for node, _ in todo.pop().inputs:", "for node in dict(todo.pop().inputs):",
     "for other, slope in node.inputs:", "for other, slope in dict(node.inputs).items():", of="pairs (input")

# %% 16.Tape wrong: intermediate results keep their grad from the first backward and pass it on again
expect("known", "wrong if backward is called twice: what the first call left in the result and in the")
edit("arrived, ready = {self: 1.0}, [self]", "self.grad += 1.0\n        ready = [self]",
     "gradient = arrived.pop(tape)\n            tape.grad += gradient", "gradient = tape.grad",
     "arrived[operand] = arrived.get(operand, 0.0) + gradient * slope", "operand.grad += gradient * slope")

# %% 16.Tape wrong: backward on the result begins right, but the intermediate results' old gradients are sent again
expect("known", "wrong if backward is called twice: what the first call left in the intermediate values")
edit("grads = {self: 1.0}", "self.grad = 1.0",
     "\n            node.grad += grads[node]\n            for", "\n            for",
     "\n                grads[other] = grads.get(other, 0.0) + slope * grads[node]",
     "\n                other.grad += slope * node.grad", of="pairs (input")

# %% 16.Tape wrong: backward calls itself for each input: too deep after a thousand operations, and too slow for doublings
expect("timeout", "stopped after")
edit("def backward(self):",
     "def backward(self, grad=1.0):\n        self.grad += grad\n        for node, slope in self.operands:\n"
     "            node.backward(slope * grad)\n\n    def other(self):")

# %% 16.Tape wrong: breadth-first order: a node sends its gradient on before it has got all shares
expect("known", "a value that is used more than once passes on its gradient before all parts of it have")
edit("arrived, ready = {self: 1.0}, [self]", "arrived, ready, seen = {self: 1.0}, [self], {self}",
     "tape = ready.pop()", "tape = ready.pop(0)",
     "uses[operand] -= 1\n                if uses[operand] == 0:",
     "if operand not in seen:\n                    seen.add(operand)")

# %% 16.Tape wrong: no way back
expect("zero", "a.grad")
edit("def backward(self):", "def backward(self):\n        self.grad = 1.0\n\n    def other(self):")

# %% 16.Tape wrong: named data
expect("raised", "no attribute 'value'")
class Tape:
    def __init__(self, data, *pairs):
        self.data, self.grad = data, 0.0

    def __add__(self, other):
        return Tape(self.data + getattr(other, "data", other))

    __sub__ = __mul__ = __truediv__ = __pow__ = __radd__ = __rsub__ = __rmul__ = __rtruediv__ = __rpow__ = __add__

    def __neg__(self):
        return self

    def backward(self):
        self.grad = 1.0

# %% 16.Tape wrong: an instance
expect("no_function", "`Tape` is not a class: pass Tape itself")
edit("ready.append(operand)", "ready.append(operand)\n\n\nTape = Tape(2.0)")

# %% 16.Tape wrong: grad begins as None
expect("raised", "tape.grad += gradient", never=("leaf", "requires grad"))
edit("self.grad = 0.0", "self.grad = None")

# %% 16.Tape wrong: grad begins as None, added by hand
expect(
    "raised",
    "the .grad of `tape` is None, and None is not a number: let it begin as 0.0, or let the first gradien",
    never=("leaf", "requires grad"),
)
edit("self.grad = 0.0", "self.grad = None", "tape.grad += gradient", "tape.grad = tape.grad + gradient")

# %% 16.Tape wrong: recursive
expect("raises_for_some", "calls are nested more deeply than Python allows")
edit("def backward(self):",
     "def backward(self):\n        seen = set()\n\n        def visit(tape):\n            if tape not in seen:\n"
     "                seen.add(tape)\n                [visit(operand) for operand, _ in tape.operands]\n\n"
     "        visit(self)")

# %% 16.Tape wrong: recursive through C code, which could end the kernel
expect("raises_for_some", "calls are nested more deeply than Python allows")
edit("def backward(self):",
     "def backward(self):\n        seen = set()\n\n        def visit(tape):\n            if tape not in seen:\n"
     "                seen.add(tape)\n                list(map(visit, [operand for operand, _ in tape.operands]))\n\n"
     "        visit(self)")

# %% 16.Tape wrong: the last gradient replaces the others
expect("known", "its gradient is the sum of the gradients of all its uses, each of them once", never=("sent theirs",))
edit("arrived[operand] = arrived.get(operand, 0.0) + gradient * slope", "arrived[operand] = gradient * slope")
