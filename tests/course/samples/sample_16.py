"""Answers to notebook 16 by people who saw the statements alone: right ones and wrong ones with what is wrong."""

ANSWERS = [
    (
        "16.Tape",
        "right",
        "pairs (input, slope), counted edges, gradients in a dict for each call",
        """
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
""",
    ),
    (
        "16.Tape",
        "right",
        "every number has a serial number; a heap gives the youngest first; intermediate results keep no grad; functional style",
        """
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
""",
    ),
    (
        "16.Tape",
        "right",
        "closures that send the gradient on; depth-first order with a stack; intermediate grads are set to 0 at the beginning",
        """
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
""",
    ),
    (
        "16.Tape",
        "wrong",
        "number - Tape has the wrong sign: computes self - other",
        """
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
        return Tape(self.value - other, ((self, 1.0),))

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
""",
    ),
    (
        "16.Tape",
        "wrong",
        "number - Tape: the value is right, but the slope is +1, not -1",
        """
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
        return Tape(other - self.value, ((self, 1.0),))

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
""",
    ),
    (
        "16.Tape",
        "wrong",
        "number / Tape is computed as Tape / number",
        """
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
        return self / other

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
""",
    ),
    (
        "16.Tape",
        "wrong",
        "Tape / Tape: the slope for the divisor lacks the minus",
        """
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
            return Tape(a / b, ((self, 1 / b), (other, a / b**2)))
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
""",
    ),
    (
        "16.Tape",
        "wrong",
        "Tape / Tape: the slope for the divisor is -a / b, not -a / b^2",
        """
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
            return Tape(a / b, ((self, 1 / b), (other, -a / b)))
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
""",
    ),
    (
        "16.Tape",
        "wrong",
        "number / Tape: the number is missing in the slope",
        """
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
        return Tape(other / self.value, ((self, -1 / self.value**2),))

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
""",
    ),
    (
        "16.Tape",
        "wrong",
        "Tape / number: the slope is the number, not 1 / number",
        """
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
        return Tape(self.value / other, ((self, other),))

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
""",
    ),
    (
        "16.Tape",
        "wrong",
        "number ** Tape is computed as Tape ** number",
        """
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
        return self**other

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
""",
    ),
    (
        "16.Tape",
        "wrong",
        "number ** Tape: the slope takes the logarithm of the exponent, not of the base",
        """
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
        return Tape(result, ((self, result * math.log(self.value)),))

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
""",
    ),
    (
        "16.Tape",
        "wrong",
        "Tape ** Tape: the exponent gets no gradient",
        """
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
            return Tape(a**b, ((self, b * a ** (b - 1)),))
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
""",
    ),
    (
        "16.Tape",
        "wrong",
        "Tape ** Tape: the slope for the exponent takes log b instead of log a",
        """
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
            return Tape(a**b, ((self, b * a ** (b - 1)), (other, a**b * math.log(b))))
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
""",
    ),
    (
        "16.Tape",
        "wrong",
        "a ** number: the slope forgets the exponent as a factor",
        """
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
        return Tape(a**other, ((self, a ** (other - 1)),))

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
""",
    ),
    (
        "16.Tape",
        "wrong",
        "a ** number: the exponent in the slope is not lowered by one",
        """
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
        return Tape(a**other, ((self, other * a**other),))

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
""",
    ),
    (
        "16.Tape",
        "wrong",
        "a number as exponent is made a Tape, so log of a negative base is taken, which fails",
        """
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
        if True:
            other = other if isinstance(other, Tape) else Tape(other)
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
""",
    ),
    (
        "16.Tape",
        "wrong",
        "powers by way of exp(b log a): fails for a negative base with a number as exponent",
        """
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
        return (self.log() * other).exp()

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
""",
    ),
    (
        "16.Tape",
        "wrong",
        "tanh: 1 - tanh instead of 1 - tanh^2",
        """
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
        return Tape(result, ((self, 1 - result),))

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
""",
    ),
    (
        "16.Tape",
        "wrong",
        "tanh: 1 - a^2 instead of 1 - tanh^2 a",
        """
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
        return Tape(result, ((self, 1 - self.value**2),))

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
""",
    ),
    (
        "16.Tape",
        "wrong",
        "exp: the slope is a * exp(a - 1), as if it was a power",
        """
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
        return Tape(result, ((self, self.value * math.exp(self.value - 1)),))

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
""",
    ),
    (
        "16.Tape",
        "wrong",
        "exp: the slope is the input, not the result",
        """
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
        return Tape(result, ((self, self.value),))

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
""",
    ),
    (
        "16.Tape",
        "wrong",
        "log: the slope is 1 / log a, not 1 / a",
        """
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
        return Tape(math.log(self.value), ((self, 1 / math.log(self.value)),))

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
""",
    ),
    (
        "16.Tape",
        "wrong",
        "log to base 10 instead of the natural logarithm",
        """
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
        return Tape(math.log10(self.value), ((self, 1 / self.value),))

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
""",
    ),
    (
        "16.Tape",
        "wrong",
        "-a: the slope is 1, not -1",
        """
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
        return Tape(-self.value, ((self, 1.0),))

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
""",
    ),
    (
        "16.Tape",
        "wrong",
        "-a has no input, so no gradient gets through it",
        """
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
        return Tape(-self.value)

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
""",
    ),
    (
        "16.Tape",
        "wrong",
        "the product's slopes are mixed up: each factor gets its own value",
        """
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
            return Tape(self.value * other.value, ((self, self.value), (other, other.value)))
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
""",
    ),
    (
        "16.Tape",
        "wrong",
        "Tape - Tape: the second operand gets no gradient",
        """
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
        return Tape(self.value - (other.value if isinstance(other, Tape) else other), ((self, 1.0),))

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
""",
    ),
    (
        "16.Tape",
        "wrong",
        "number + Tape is not supported: __radd__ is missing",
        """
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
""",
    ),
    (
        "16.Tape",
        "wrong",
        "number ** Tape is not supported: __rpow__ is missing",
        """
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
""",
    ),
    (
        "16.Tape",
        "wrong",
        "b += 3 changes a as well: __iadd__ writes into the number itself",
        """
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

    def __iadd__(self, other):
        self.value += other.value if isinstance(other, Tape) else other
        return self

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
""",
    ),
    (
        "16.Tape",
        "wrong",
        "division rounds down (// instead of /) when both are Tapes",
        """
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
            return Tape(a // b, ((self, 1 / b), (other, -a / b**2)))
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
""",
    ),
    (
        "16.Tape",
        "wrong",
        "the method is called ln, not log",
        """
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

    def ln(self):
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
""",
    ),
    (
        "16.Tape",
        "wrong",
        "the method tanh is not returned",
        """
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
        Tape(result, ((self, 1 - result**2),))

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
""",
    ),
    (
        "16.Tape",
        "wrong",
        "value is stored as an int",
        """
import math


class Tape:
    def __init__(self, value, inputs=()):
        self.value = int(value)
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
""",
    ),
    (
        "16.Tape",
        "wrong",
        "grad begins with 1.0, not 0.0",
        """
import math


class Tape:
    def __init__(self, value, inputs=()):
        self.value = value
        self.grad = 1.0
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
""",
    ),
    (
        "16.Tape",
        "wrong",
        "backward replaces grad instead of adding to it",
        """
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
            node.grad = grads[node]
            for other, slope in node.inputs:
                grads[other] = grads.get(other, 0.0) + slope * grads[node]
                waiting[other] -= 1
                if waiting[other] == 0:
                    ready.append(other)
""",
    ),
    (
        "16.Tape",
        "wrong",
        "a value that is used several times keeps only its last share of the gradient",
        """
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
                grads[other] = slope * grads[node]
                waiting[other] -= 1
                if waiting[other] == 0:
                    ready.append(other)
""",
    ),
    (
        "16.Tape",
        "wrong",
        "a value that is used several times keeps only its first share of the gradient",
        """
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
                grads.setdefault(other, slope * grads[node])
                waiting[other] -= 1
                if waiting[other] == 0:
                    ready.append(other)
""",
    ),
    (
        "16.Tape",
        "wrong",
        "the local slopes are added to the gradient, not multiplied by it",
        """
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
                grads[other] = grads.get(other, 0.0) + (slope + grads[node])
                waiting[other] -= 1
                if waiting[other] == 0:
                    ready.append(other)
""",
    ),
    (
        "16.Tape",
        "wrong",
        "the gradient is not passed on: each input gets only the local slope",
        """
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
                grads[other] = grads.get(other, 0.0) + slope
                waiting[other] -= 1
                if waiting[other] == 0:
                    ready.append(other)
""",
    ),
    (
        "16.Tape",
        "wrong",
        "backward begins with the value of the result, not with 1",
        """
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
        grads = {self: self.value}
        ready = [self]
        while ready:
            node = ready.pop()
            node.grad += grads[node]
            for other, slope in node.inputs:
                grads[other] = grads.get(other, 0.0) + slope * grads[node]
                waiting[other] -= 1
                if waiting[other] == 0:
                    ready.append(other)
""",
    ),
    (
        "16.Tape",
        "wrong",
        "the inputs are forgotten after the first backward, so a second one does nothing",
        """
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
            node.inputs = ()
""",
    ),
    (
        "16.Tape",
        "wrong",
        "an input that is used twice in one operation counts only once (a dict of inputs)",
        """
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
            for node in dict(todo.pop().inputs):
                if node not in waiting:
                    waiting[node] = 0
                    todo.append(node)
                waiting[node] += 1
        grads = {self: 1.0}
        ready = [self]
        while ready:
            node = ready.pop()
            node.grad += grads[node]
            for other, slope in dict(node.inputs).items():
                grads[other] = grads.get(other, 0.0) + slope * grads[node]
                waiting[other] -= 1
                if waiting[other] == 0:
                    ready.append(other)
""",
    ),
    (
        "16.Tape",
        "wrong",
        "grad is also the place where intermediate results collect their gradient, and it is not reset: a second backward sends the old shares again",
        """
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
        self.grad += 1.0
        ready = [self]
        while ready:
            node = ready.pop()
            for other, slope in node.inputs:
                other.grad += slope * node.grad
                waiting[other] -= 1
                if waiting[other] == 0:
                    ready.append(other)
""",
    ),
    (
        "16.Tape",
        "wrong",
        "backward on the result begins right, but the intermediate results' old gradients are sent again: shared part of two results",
        """
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
        self.grad = 1.0
        ready = [self]
        while ready:
            node = ready.pop()
            for other, slope in node.inputs:
                other.grad += slope * node.grad
                waiting[other] -= 1
                if waiting[other] == 0:
                    ready.append(other)
""",
    ),
    (
        "16.Tape",
        "wrong",
        "all gradients are set to 0 at the beginning of backward, those of the Tape(...) too: nothing is added up over two calls",
        """
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
        for node in waiting:
            node.grad = 0.0
        self.grad = 1.0
        ready = [self]
        while ready:
            node = ready.pop()
            for other, slope in node.inputs:
                other.grad += slope * node.grad
                waiting[other] -= 1
                if waiting[other] == 0:
                    ready.append(other)
""",
    ),
    (
        "16.Tape",
        "wrong",
        "backward calls itself for each input: too deep after a thousand operations, and too slow for doublings",
        """
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

    def backward(self, grad=1.0):
        self.grad += grad
        for node, slope in self.inputs:
            node.backward(slope * grad)
""",
    ),
    (
        "16.Tape",
        "wrong",
        "the order is found with a function that calls itself: too deep for a long chain",
        """
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
        order = []
        seen = set()

        def visit(node):
            if node not in seen:
                seen.add(node)
                for other, _ in node.inputs:
                    visit(other)
                order.append(node)

        visit(self)
        grads = {self: 1.0}
        for node in reversed(order):
            node.grad += grads[node]
            for other, slope in node.inputs:
                grads[other] = grads.get(other, 0.0) + slope * grads[node]
""",
    ),
    (
        "16.Tape",
        "wrong",
        "a loop, but every way through the graph is walked: 40 doublings take forever",
        """
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
        todo = [(self, 1.0)]
        while todo:
            node, grad = todo.pop()
            node.grad += grad
            for other, slope in node.inputs:
                todo.append((other, slope * grad))
""",
    ),
    (
        "16.Tape",
        "wrong",
        "breadth-first order: a node sends its gradient on before it has got all shares",
        """
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
        order = [self]
        seen = {self}
        for node in order:
            for other, _ in node.inputs:
                if other not in seen:
                    seen.add(other)
                    order.append(other)
        grads = {self: 1.0}
        for node in order:
            node.grad += grads[node]
            for other, slope in node.inputs:
                grads[other] = grads.get(other, 0.0) + slope * grads[node]
""",
    ),
    (
        "16.Tape",
        "wrong",
        "right order, but `in` on a list of nodes: much too slow for 20,000 operations",
        """
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
        order = []
        entered = []
        stack = [(self, False)]
        while stack:
            node, done = stack.pop()
            if done:
                order.append(node)
            elif node not in entered:
                entered.append(node)
                stack.append((node, True))
                stack.extend((other, False) for other, _ in node.inputs)
        grads = {self: 1.0}
        for node in reversed(order):
            node.grad += grads[node]
            for other, slope in node.inputs:
                grads[other] = grads.get(other, 0.0) + slope * grads[node]
""",
    ),
    (
        "16.Tape",
        "wrong",
        "the nodes that were visited are remembered in the class, so a later backward does not go through them",
        """
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

    visited = set()

    def backward(self):
        order = []
        stack = [(self, False)]
        while stack:
            node, done = stack.pop()
            if done:
                order.append(node)
            elif node not in Tape.visited:
                Tape.visited.add(node)
                stack.append((node, True))
                stack.extend((other, False) for other, _ in node.inputs)
        grads = {self: 1.0}
        for node in reversed(order):
            node.grad += grads[node]
            for other, slope in node.inputs:
                grads[other] = grads.get(other, 0.0) + slope * grads[node]
""",
    ),
    (
        "16.Tape",
        "right",
        "no topological sort: every Tape has a running number, and backward takes the largest number from a heap; a - b, a / b are built from + and * and powers",
        '''
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
''',
    ),
    (
        "16.Tape",
        "wrong",
        "number / tape is computed the wrong way round, as tape / number",
        """
class Tape:
    def __init__(self, value, parents=()):
        self.value = value
        self.grad = 0.0
        self.parents = parents          # pairs (tape, local slope)

    @staticmethod
    def wrap(other):
        return other if isinstance(other, Tape) else Tape(other)

    def __add__(self, other):
        other = Tape.wrap(other)
        return Tape(self.value + other.value, ((self, 1.0), (other, 1.0)))

    __radd__ = __add__

    def __neg__(self):
        return Tape(-self.value, ((self, -1.0),))

    def __sub__(self, other):
        other = Tape.wrap(other)
        return Tape(self.value - other.value, ((self, 1.0), (other, -1.0)))

    def __rsub__(self, other):
        return Tape.wrap(other) - self

    def __mul__(self, other):
        other = Tape.wrap(other)
        return Tape(self.value * other.value, ((self, other.value), (other, self.value)))

    __rmul__ = __mul__

    def __truediv__(self, other):
        other = Tape.wrap(other)
        a, b = self.value, other.value
        return Tape(a / b, ((self, 1 / b), (other, -a / b ** 2)))

    def __rtruediv__(self, other):
        return self / other

    def __pow__(self, other):
        if not isinstance(other, Tape):
            return Tape(self.value ** other, ((self, other * self.value ** (other - 1)),))
        a, b = self.value, other.value
        return Tape(a ** b, ((self, b * a ** (b - 1)), (other, a ** b * math.log(a))))

    def __rpow__(self, other):
        return Tape.wrap(other) ** self

    def exp(self):
        e = math.exp(self.value)
        return Tape(e, ((self, e),))

    def log(self):
        return Tape(math.log(self.value), ((self, 1 / self.value),))

    def tanh(self):
        t = math.tanh(self.value)
        return Tape(t, ((self, 1 - t * t),))

    def order(self):
        done, order, stack = set(), [], [(self, False)]
        while stack:
            node, ready = stack.pop()
            if ready:
                order.append(node)
            elif id(node) not in done:
                done.add(id(node))
                stack.append((node, True))
                stack.extend((parent, False) for parent, _ in node.parents)
        return order[::-1]

    def backward(self):
        order = self.order()
        grads = {id(node): 0.0 for node in order}
        grads[id(self)] = 1.0
        for node in order:
            grad = grads[id(node)]
            node.grad += grad
            for parent, slope in node.parents:
                grads[id(parent)] += slope * grad
""",
    ),
    (
        "16.Tape",
        "wrong",
        "intermediate results keep their grad from the first backward and pass it on again, so a second backward adds too much",
        """
class Tape:
    def __init__(self, value, parents=()):
        self.value = value
        self.grad = 0.0
        self.parents = parents          # pairs (tape, local slope)

    @staticmethod
    def wrap(other):
        return other if isinstance(other, Tape) else Tape(other)

    def __add__(self, other):
        other = Tape.wrap(other)
        return Tape(self.value + other.value, ((self, 1.0), (other, 1.0)))

    __radd__ = __add__

    def __neg__(self):
        return Tape(-self.value, ((self, -1.0),))

    def __sub__(self, other):
        other = Tape.wrap(other)
        return Tape(self.value - other.value, ((self, 1.0), (other, -1.0)))

    def __rsub__(self, other):
        return Tape.wrap(other) - self

    def __mul__(self, other):
        other = Tape.wrap(other)
        return Tape(self.value * other.value, ((self, other.value), (other, self.value)))

    __rmul__ = __mul__

    def __truediv__(self, other):
        other = Tape.wrap(other)
        a, b = self.value, other.value
        return Tape(a / b, ((self, 1 / b), (other, -a / b ** 2)))

    def __rtruediv__(self, other):
        return Tape.wrap(other) / self

    def __pow__(self, other):
        if not isinstance(other, Tape):
            return Tape(self.value ** other, ((self, other * self.value ** (other - 1)),))
        a, b = self.value, other.value
        return Tape(a ** b, ((self, b * a ** (b - 1)), (other, a ** b * math.log(a))))

    def __rpow__(self, other):
        return Tape.wrap(other) ** self

    def exp(self):
        e = math.exp(self.value)
        return Tape(e, ((self, e),))

    def log(self):
        return Tape(math.log(self.value), ((self, 1 / self.value),))

    def tanh(self):
        t = math.tanh(self.value)
        return Tape(t, ((self, 1 - t * t),))

    def order(self):
        done, order, stack = set(), [], [(self, False)]
        while stack:
            node, ready = stack.pop()
            if ready:
                order.append(node)
            elif id(node) not in done:
                done.add(id(node))
                stack.append((node, True))
                stack.extend((parent, False) for parent, _ in node.parents)
        return order[::-1]

    def backward(self):
        order = self.order()
        self.grad += 1.0
        for node in order:
            for parent, slope in node.parents:
                parent.grad += slope * node.grad
""",
    ),
    (
        "16.Tape",
        "wrong",
        "the graph is sorted by a recursive function, so long chains of operations exceed Python's limit of nested calls",
        """
class Tape:
    def __init__(self, value, parents=()):
        self.value = value
        self.grad = 0.0
        self.parents = parents          # pairs (tape, local slope)

    @staticmethod
    def wrap(other):
        return other if isinstance(other, Tape) else Tape(other)

    def __add__(self, other):
        other = Tape.wrap(other)
        return Tape(self.value + other.value, ((self, 1.0), (other, 1.0)))

    __radd__ = __add__

    def __neg__(self):
        return Tape(-self.value, ((self, -1.0),))

    def __sub__(self, other):
        other = Tape.wrap(other)
        return Tape(self.value - other.value, ((self, 1.0), (other, -1.0)))

    def __rsub__(self, other):
        return Tape.wrap(other) - self

    def __mul__(self, other):
        other = Tape.wrap(other)
        return Tape(self.value * other.value, ((self, other.value), (other, self.value)))

    __rmul__ = __mul__

    def __truediv__(self, other):
        other = Tape.wrap(other)
        a, b = self.value, other.value
        return Tape(a / b, ((self, 1 / b), (other, -a / b ** 2)))

    def __rtruediv__(self, other):
        return Tape.wrap(other) / self

    def __pow__(self, other):
        if not isinstance(other, Tape):
            return Tape(self.value ** other, ((self, other * self.value ** (other - 1)),))
        a, b = self.value, other.value
        return Tape(a ** b, ((self, b * a ** (b - 1)), (other, a ** b * math.log(a))))

    def __rpow__(self, other):
        return Tape.wrap(other) ** self

    def exp(self):
        e = math.exp(self.value)
        return Tape(e, ((self, e),))

    def log(self):
        return Tape(math.log(self.value), ((self, 1 / self.value),))

    def tanh(self):
        t = math.tanh(self.value)
        return Tape(t, ((self, 1 - t * t),))

    def order(self):
        done, order = set(), []
        def visit(node):
            if id(node) not in done:
                done.add(id(node))
                for parent, _ in node.parents:
                    visit(parent)
                order.append(node)
        visit(self)
        return order[::-1]

    def backward(self):
        order = self.order()
        grads = {id(node): 0.0 for node in order}
        grads[id(self)] = 1.0
        for node in order:
            grad = grads[id(node)]
            node.grad += grad
            for parent, slope in node.parents:
                grads[id(parent)] += slope * grad
""",
    ),
    (
        "16.Tape",
        "wrong",
        "+= changes the Tape itself (__iadd__ writes into self.value), so b = a; b += 3 changes a too",
        """
class Tape:
    def __init__(self, value, parents=()):
        self.value = value
        self.grad = 0.0
        self.parents = parents          # pairs (tape, local slope)

    @staticmethod
    def wrap(other):
        return other if isinstance(other, Tape) else Tape(other)

    def __add__(self, other):
        other = Tape.wrap(other)
        return Tape(self.value + other.value, ((self, 1.0), (other, 1.0)))

    __radd__ = __add__

    def __iadd__(self, other):
        other = Tape.wrap(other)
        self.value = self.value + other.value
        self.parents = self.parents + ((other, 1.0),)
        return self

    def __neg__(self):
        return Tape(-self.value, ((self, -1.0),))

    def __sub__(self, other):
        other = Tape.wrap(other)
        return Tape(self.value - other.value, ((self, 1.0), (other, -1.0)))

    def __rsub__(self, other):
        return Tape.wrap(other) - self

    def __mul__(self, other):
        other = Tape.wrap(other)
        return Tape(self.value * other.value, ((self, other.value), (other, self.value)))

    __rmul__ = __mul__

    def __truediv__(self, other):
        other = Tape.wrap(other)
        a, b = self.value, other.value
        return Tape(a / b, ((self, 1 / b), (other, -a / b ** 2)))

    def __rtruediv__(self, other):
        return Tape.wrap(other) / self

    def __pow__(self, other):
        if not isinstance(other, Tape):
            return Tape(self.value ** other, ((self, other * self.value ** (other - 1)),))
        a, b = self.value, other.value
        return Tape(a ** b, ((self, b * a ** (b - 1)), (other, a ** b * math.log(a))))

    def __rpow__(self, other):
        return Tape.wrap(other) ** self

    def exp(self):
        e = math.exp(self.value)
        return Tape(e, ((self, e),))

    def log(self):
        return Tape(math.log(self.value), ((self, 1 / self.value),))

    def tanh(self):
        t = math.tanh(self.value)
        return Tape(t, ((self, 1 - t * t),))

    def order(self):
        done, order, stack = set(), [], [(self, False)]
        while stack:
            node, ready = stack.pop()
            if ready:
                order.append(node)
            elif id(node) not in done:
                done.add(id(node))
                stack.append((node, True))
                stack.extend((parent, False) for parent, _ in node.parents)
        return order[::-1]

    def backward(self):
        order = self.order()
        grads = {id(node): 0.0 for node in order}
        grads[id(self)] = 1.0
        for node in order:
            grad = grads[id(node)]
            node.grad += grad
            for parent, slope in node.parents:
                grads[id(parent)] += slope * grad
""",
    ),
    (
        "16.Tape",
        "wrong",
        "every power computes the logarithm of the base, also if the exponent is an ordinary number, so a negative base fails",
        """
class Tape:
    def __init__(self, value, parents=()):
        self.value = value
        self.grad = 0.0
        self.parents = parents          # pairs (tape, local slope)

    @staticmethod
    def wrap(other):
        return other if isinstance(other, Tape) else Tape(other)

    def __add__(self, other):
        other = Tape.wrap(other)
        return Tape(self.value + other.value, ((self, 1.0), (other, 1.0)))

    __radd__ = __add__

    def __neg__(self):
        return Tape(-self.value, ((self, -1.0),))

    def __sub__(self, other):
        other = Tape.wrap(other)
        return Tape(self.value - other.value, ((self, 1.0), (other, -1.0)))

    def __rsub__(self, other):
        return Tape.wrap(other) - self

    def __mul__(self, other):
        other = Tape.wrap(other)
        return Tape(self.value * other.value, ((self, other.value), (other, self.value)))

    __rmul__ = __mul__

    def __truediv__(self, other):
        other = Tape.wrap(other)
        a, b = self.value, other.value
        return Tape(a / b, ((self, 1 / b), (other, -a / b ** 2)))

    def __rtruediv__(self, other):
        return Tape.wrap(other) / self

    def __pow__(self, other):
        other = Tape.wrap(other)
        a, b = self.value, other.value
        return Tape(a ** b, ((self, b * a ** (b - 1)), (other, a ** b * math.log(a))))

    def __rpow__(self, other):
        return Tape.wrap(other) ** self

    def exp(self):
        e = math.exp(self.value)
        return Tape(e, ((self, e),))

    def log(self):
        return Tape(math.log(self.value), ((self, 1 / self.value),))

    def tanh(self):
        t = math.tanh(self.value)
        return Tape(t, ((self, 1 - t * t),))

    def order(self):
        done, order, stack = set(), [], [(self, False)]
        while stack:
            node, ready = stack.pop()
            if ready:
                order.append(node)
            elif id(node) not in done:
                done.add(id(node))
                stack.append((node, True))
                stack.extend((parent, False) for parent, _ in node.parents)
        return order[::-1]

    def backward(self):
        order = self.order()
        grads = {id(node): 0.0 for node in order}
        grads[id(self)] = 1.0
        for node in order:
            grad = grads[id(node)]
            node.grad += grad
            for parent, slope in node.parents:
                grads[id(parent)] += slope * grad
""",
    ),
]
