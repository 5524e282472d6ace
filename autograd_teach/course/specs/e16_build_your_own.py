"""The specification of notebook 16: Tape, the student's own engine for single numbers."""

import functools
import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from ..checks.spec import Arguments, CallSpec, Mistake
from ..exercises.e16_build_your_own import Computation, _results
from ..jacobian import numerical_jacobian
from ..mutants import Slip


class Number(float):
    """A plain number with the methods of the student's class."""

    def exp(self) -> "Number":
        return Number(math.exp(self))

    def log(self) -> "Number":
        return Number(math.log(self))

    def tanh(self) -> "Number":
        return Number(math.tanh(self))


def _still_a_number(name: str) -> Callable[..., Number]:
    plain = getattr(float, name)
    return lambda *operands: Number(plain(*operands))


_OPERATORS = [f"__{side}{name}__" for name in ("add", "sub", "mul", "truediv", "pow") for side in ("", "r")]


for _name in ("__neg__", *_OPERATORS):
    setattr(Number, _name, _still_a_number(_name))


SAME, TWICE, IN_PLACE, INNER, INNER_SAME = "same operand", "twice", "in place", "inner", "inner, same operand"


AGAIN, TWO, GROWS, LONG, CHAIN = "again", "two results", "grows", "long", "chain"


OPERATORS = {
    "+": ("a + b", "a + 3", "3 + a"),
    "-": ("a - b", "a - 3", "3 - a"),
    "*": ("a * b", "a * 3", "3 * a"),
    "/": ("a / b", "a / 4", "4 / a"),
    "**": ("a ** b", "a ** 3", "a ** -2", "a ** 0.5", "2 ** a"),
    "negation": ("-a",),
    "exp": ("a.exp()",),
    "log": ("a.log()",),
    "tanh": ("a.tanh()",),
}
"""The single operations that are tried, by operator."""


def measured(computation: Computation) -> dict[str, float]:
    """The same as `Computation.run`, with plain numbers and small changes.

    >>> measured(Computation("y = (a * a).log()", {"a": 2.0}))["a.grad"].__round__(6)
    1.0
    """
    return dict(_measured(computation.program, tuple(computation.values.items()), tuple(computation.backward)))


@functools.lru_cache  # a student checks several times, with the same computations
def _measured(program: str, values: tuple[tuple[str, float], ...], backward: tuple[str, ...]) -> dict[str, float]:
    def at(moved: Iterable[float]) -> dict[str, Any]:
        return _results(program, dict(zip(dict(values), map(Number, moved), strict=True)))

    point = np.array([value for _, value in values])
    names = at(point)
    slopes = [numerical_jacobian(lambda moved, name=name: at(moved)[name], [point], 0)[0] for name in backward]
    results = {f"{name}.value": float(names[name]) for name in backward}
    return results | {f"{leaf}.grad": sum(float(each[n]) for each in slopes) for n, (leaf, _) in enumerate(values)}


def computations(rng: np.random.Generator) -> Sequence[Arguments]:
    def draw() -> float:
        return round(float(rng.uniform(0.6, 1.9)), 2)

    a, b, c = draw(), draw(), draw()
    one, two, three = {"a": a}, {"a": a, "b": b}, {"a": a, "b": b, "c": c}
    found = []
    for operation in (each for several in OPERATORS.values() for each in several):
        names = [name for name in ("a", "b") if name in operation.replace("tanh", "")]
        found.append(Computation(f"y = {operation}", {name: draw() for name in names}))
        if operation not in ("a ** b", "a ** 0.5", "a.log()"):  # defined only for positive numbers
            found.append(Computation(f"y = {operation}", {name: draw() * (-1 if name == "a" else 1) for name in names}))
    found = sorted(found, key=lambda each: len(each.values))  # the smallest first, of equal ones in the order above
    found += [
        Computation("y = a * 2 + 1", three, about=CHAIN),
        Computation("p = a * b\ny = p.tanh()", two, about=CHAIN),
        Computation("p = a - b\ny = p / c", three, about=CHAIN),
        Computation("p = a.exp()\ny = 3 / p", one, about=CHAIN),
        Computation("p = -a\nq = p ** 2\ny = q.log()", one, about=CHAIN),
        Computation("y = a + a", one, about=SAME),
        Computation("y = a * a", one, about=SAME),
        Computation("y = a * b + a", two, about=TWICE),
        Computation("y = a + a * b", two, about=TWICE),
        Computation("y = a / b - b", two, about=TWICE),
        Computation("b = a\nb += 3\ny = a * b", one, about=IN_PLACE),
        Computation("p = a * b\nq = p.exp()\ny = p + q", two, about=INNER),
        Computation("p = a * b\nq = p.exp()\ny = q + p", two, about=INNER),
        Computation("p = a * b\nq = p * p\ny = p + q", two, about=INNER_SAME),
        Computation("p = a * b\nq = p * p\ny = q + p", two, about=INNER_SAME),
        Computation("p = a.exp()\nq = p.tanh() * p\nr = q / p + q.log()\ny = r * p - q", one, about=INNER),
        Computation("y = (a * b + c).tanh() ** 2 / (1 + (-a).exp())", three, about=TWICE),
        Computation("y = 2 * a", one, ("y", "y"), about=AGAIN),
        Computation("p = a * b\ny = p.tanh()", two, ("y", "y"), about=AGAIN),
        Computation("p = a * b\ny = p.exp()\nz = p * 3", two, ("y", "z"), about=TWO),
        Computation("y = a * b\nz = y * c", three, ("z", "y"), about=TWO),
        Computation("y = a\nfor i in range(40):\n  y = y + y", one, about=GROWS),
        Computation("y = a\nfor i in range(1200):\n  y = y + b", two, about=LONG),
        Computation("y = a\nfor i in range(20000):\n  y = y + b", two, about=LONG),
    ]
    return [(each,) for each in found]


def about(*words: str) -> Callable[[Computation], bool]:
    return lambda computation: computation.about in words


Numbers = tuple[float, ...]
"""The value of an operation, and its slope for each operand that is a `Tape`."""


def number_minus(a: float, n: float) -> Numbers:
    slope = -1.0  #: the slope of `n - a`, n a number
    return n - a, slope


def times(a: float, b: float) -> Numbers:
    slopes = (b, a)  #: the slopes of `a * b`
    return a * b, *slopes


def times_number(a: float, n: float) -> Numbers:
    slope = n  #: the slope of `a * n`, n a number
    return a * n, slope


def over(a: float, b: float) -> Numbers:
    value = a / b  #: the value of `a / b`
    slope = 1 / b  #: the slope of `a / b` for a
    other_slope = -a / b**2  #: the slope of `a / b` for b
    return value, slope, other_slope


def over_number(a: float, n: float) -> Numbers:
    slope = 1 / n  #: the slope of `a / n`, n a number
    return a / n, slope


def number_over(a: float, n: float) -> Numbers:
    slope = -n / a**2  #: the slope of `n / a`, n a number
    return n / a, slope


def power(a: float, b: float) -> Numbers:
    lowered = b - 1  #: the exponent in the slope of `a ** b` for a
    slope = b * a**lowered  #: the slope of `a ** b` for a
    other_slope = a**b * math.log(a)  #: the slope of `a ** b` for b
    return a**b, slope, other_slope


def power_of_number(a: float, n: float) -> Numbers:
    lowered = n - 1  #: the exponent in the slope of `a ** n`
    slope = n * a**lowered  #: the slope of `a ** n`, n a number
    return a**n, slope


def number_power(a: float, n: float) -> Numbers:
    slope = n**a * math.log(n)  #: the slope of `n ** a`, n a number
    return n**a, slope


def negative(a: float) -> Numbers:
    slope = -1.0  #: the slope of `-a`
    return -a, slope


def exp(a: float) -> Numbers:
    slope = math.exp(a)  #: the slope of `a.exp()`
    return math.exp(a), slope


def log(a: float) -> Numbers:
    value = math.log(a)  #: the value of `a.log()`
    slope = 1 / a  #: the slope of `a.log()`
    return value, slope


def tanh(a: float) -> Numbers:
    value = math.tanh(a)  #: the value of `a.tanh()`
    slope = 1 - value**2  #: the slope of `a.tanh()`
    return value, slope


def passed_on(gradient: float, slope: float) -> float:
    return gradient * slope  #: what an operation passes on; `gradient` is what has arrived at its result


def uses(result: "Tape") -> dict["Tape", int]:
    """How often each number behind a result is used, the nearest first."""
    found = {result: 0}
    for node in (waiting := [result]):
        for operand, _ in node.operands:
            if operand not in found:
                found[operand] = 0
                waiting.append(operand)
            found[operand] += 1
    return found


def in_order(result: "Tape") -> list["Tape"]:
    """The numbers behind a result, each after all that it was used for."""
    left = uses(result)
    for node in (ready := [result]):
        for operand, _ in node.operands:
            left[operand] -= 1
            if not left[operand]:
                ready.append(operand)
    return ready


class Tape:
    """A student's engine, as the reference of what can go wrong in it."""

    def __init__(self, value: float, *operands: tuple["Tape", float]) -> None:
        self.value = value  #: the value that an object keeps
        self.grad = 0.0  #: grad before the first backward
        self.operands = operands

    def by(self, operation: Callable[..., Numbers], *others: Any) -> "Tape":
        operands = [self, *others]
        value, *slopes = operation(*(each.value if isinstance(each, Tape) else each for each in operands))
        return Tape(value, *zip(operands, slopes, strict=False))

    def __add__(self, other: Any) -> "Tape":
        if not isinstance(other, Tape):
            return Tape(self.value + other, (self, 1.0))
        slope, other_slope = (1.0, 1.0)  #: the slopes of `a + b`
        return Tape(self.value + other.value, (self, slope), (other, other_slope))

    def __mul__(self, other: Any) -> "Tape":
        return self.by(times if isinstance(other, Tape) else times_number, other)

    def __sub__(self, other: "Tape | float") -> "Tape":
        return self + -other  #: `a - b`

    def __truediv__(self, other: Any) -> "Tape":
        return self.by(over if isinstance(other, Tape) else over_number, other)

    def __pow__(self, other: Any) -> "Tape":
        return self.by(power if isinstance(other, Tape) else power_of_number, other)

    __radd__, __rmul__ = __add__, __mul__

    def __rsub__(self, other: float) -> "Tape":
        return self.by(number_minus, other)  #: `n - a`

    def __rtruediv__(self, other: float) -> "Tape":
        return self.by(number_over, other)  #: `n / a`

    def __rpow__(self, other: float) -> "Tape":
        return self.by(number_power, other)  #: `n ** a`

    def __neg__(self) -> "Tape":
        return self.by(negative)

    def exp(self) -> "Tape":
        return self.by(exp)

    def log(self) -> "Tape":
        return self.by(log)

    def tanh(self) -> "Tape":
        return self.by(tanh)

    def backward(self) -> None:
        first = 1.0  #: the gradient with which backward begins
        arrived = {self: first}
        order = in_order(self)  #: the order of the backward pass
        for node in order:
            total = arrived[node]  #: the gradient of a value in this call
            node.grad = node.grad + total  #: grad after backward
            for operand, slope in node.operands:  #: the operands of an operation
                part = passed_on(total, slope)
                arrived[operand] = arrived.get(operand, 0.0) + part


def reference(computation: Computation) -> dict[str, float]:
    """The numbers of the reference; none for a long computation, which is too slow to be run with each mistake."""
    return {} if computation.about == LONG else computation.run(Tape)


TOO_EARLY = "a value that is used more than once passes on its gradient before all parts of it have arrived"


LEFT_OVER = "wrong if backward is called twice: what the first call left in {} is passed on again"


MISTAKES = (
    Slip("`n - a`", "self - other", "`3 - a` is computed as `a - 3`"),
    Slip("`n / a`", "self / other", "`4 / a` is computed as `a / 4`"),
    Slip("`n ** a`", "self**other", "`2 ** a` is computed as `a ** 2`"),
    Slip("the value of `a / b`", "a // b", "`a / b` is computed as `a // b`"),
    Slip("`a - b`", "self + -getattr(other, 'value', other)", "`a - b` passes no gradient on to b"),
    Slip("the slope of `-a`", "0.0", "`-a` passes no gradient on"),
    Slip("the slope of `a ** b` for b", "0.0", "`a ** b` passes no gradient on to b"),
    Slip("the slope of `n - a`", "1.0", "the slope of `3 - a` is computed as that of `a - 3`"),
    Slip("the slope of `a / n`", "n", "the slope of `a / 4` is computed as that of `a * 4`"),
    Slip("the slope of `n / a`", "-1 / a**2", "the slope of `4 / a` is computed as that of `1 / a`"),
    Slip("the slopes of `a * b`", "(a, b)", "the slopes of `a * b` are exchanged"),
    Slip("the slope of `a.exp()`", "a * math.exp(a - 1)", "the slope of `a.exp()` is computed as that of a power"),
    Slip(
        "the gradient with which",
        "self.value",
        "backward begins with the value of the result, but the slope of the result with respect to itself is 1",
    ),
    Slip("grad before", "1.0", "every grad begins at 1: before the first backward it must be 0"),
    Slip("the value that", "float(int(value))", "values are cut to whole numbers: the digits after the point are lost"),
    Slip(
        "what an operation",
        "gradient + slope",
        "the slope is added to the gradient that has arrived at the result, but it must multiply it",
    ),
    Slip("the order", "list(uses(self))", TOO_EARLY),
    Slip("the order", "sorted(uses(self), key=lambda node: not node.operands)", TOO_EARLY),
    Slip(
        "grad after",
        "total",
        "a second call of backward replaces the gradients that are there, but it must add to them",
    ),
    Slip("grad after", "node.grad or total", "a second call of backward adds nothing to the gradients that are there"),
    Slip(
        "the operands",
        "dict(node.operands).items()",
        "wrong if both operands of an operation are the same object, as in `a * a`: two gradients belong to it",
    ),
    Slip(
        "the gradient of a value",
        "arrived[node] + (node.grad if node.operands and node is not self else 0)",
        LEFT_OVER.format("the intermediate values"),
    ),
    Slip(
        "the gradient of a value",
        "arrived[node] + (node.grad if node.operands else 0)",
        LEFT_OVER.format("the result and in the intermediate values"),
    ),
    Mistake(
        "wrong if `b += 3` follows `b = a`: a is the same object and changes with b, "
        "but the result of an operation must be a new object",
        where=about(IN_PLACE),
    ),
    Mistake(
        "only computations that use a value more than once are wrong: its gradient is the sum of the gradients of all its "
        "uses, each of them once, and only this whole sum is passed on",
        where=about(SAME, TWICE, IN_PLACE, INNER, INNER_SAME, GROWS, LONG),
        always=False,
    ),
)


SPECS = {
    "Tape": CallSpec(
        measured,
        computations,
        reference=reference,
        mistakes=MISTAKES,
        holds={
            "Write a class `Tape`:": "structure, runs",
            "It has two attributes:": "value",
            "`value`: the number, as an ordinary": "value",
            "`grad`: its gradient, an ordinary number": "value",
            "Before the first `backward` it is `0.0`": "value",
            "It supports these operations:": "runs",
            "`+`, `-`, `*`, `/` and `**`, each with": "runs",
            "Each returns a new `Tape` and leaves": "value",
            "If the exponent of a power is an ordinary": "runs",
            "If the exponent is a `Tape`, the base": "explains",
            "The methods `exp()`, `log()` and `tanh()`;": "runs",
            "The method `backward()`.": "runs",
            "It computes the gradient of this number": "value",
            "What `grad` holds for intermediate results": "explains",
            "You may use `math` and NumPy.": "explains",
            "An engine that computes gradients for you": "explains",
            "These are the local slopes:": "value",
            "For example:": "explains",
            "The checks compare values, and gradients": "value",
            "They try:": "explains",
            "every operator and every method, with": "value",
            "several operations, one after the other": "value",
            "a value that is used several times, at": "value",
            "`b = a` followed by `b += 3`, which": "value",
            "`backward` called twice, and `backward`": "value",
            "40 doublings in a row;": "runs",
            "1,200 and 20,000 operations in a row.": "runs",
            "Python allows only about a thousand": "runs",
            "The checks keep this limit, so": "runs",
            "All of them together must take no longer": "runs",
        },
    ),
}
