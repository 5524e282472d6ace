"""Exercise of notebook 16: Tape, the student's own engine for single numbers."""

import functools
import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from ..jacobian import numerical_jacobian
from .declaration import Arguments, Call, Exercise, Mistake, Prepared

NOTEBOOK = "16_build_your_own"


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


class Computation(Prepared):
    """A program for the student's class, and the results on which `backward` is then called.

    `about` names the case that the program tests.

    >>> Computation("y = (a * a).log()", {"a": 2.0}).measured()["a.grad"].__round__(6)
    1.0
    """

    def __init__(
        self, program: str, values: dict[str, float], backward: tuple[str, ...] = ("y",), about: str = ""
    ) -> None:
        self.program, self.values, self.backward, self.about = program, values, backward, about

    def for_student(self, torch: Any) -> "Computation":
        return self

    def for_specification(self) -> "Computation":
        return self

    def run(self, kind: Any) -> dict[str, Any]:
        """Run the program with the class `kind`: the value of each result, the gradient of each leaf."""
        leaves = {name: kind(value) for name, value in self.values.items()}
        names = _results(self.program, leaves)
        for name in self.backward:
            names[name].backward()
        values = {f"{name}.value": _as_number(names[name].value) for name in dict.fromkeys(self.backward)}
        return values | {f"{name}.grad": _as_number(leaf.grad) for name, leaf in leaves.items()}

    def measured(self, backward: tuple[str, ...] | None = None) -> dict[str, float]:
        """The same as `run`, with plain numbers and small changes."""
        return dict(_measured(self.program, tuple(self.values.items()), self.backward, backward or self.backward))

    def __repr__(self) -> str:
        leaves = (f"{name} = Tape({value:g})" for name, value in self.values.items())
        return "\n".join([*leaves, self.program, *(f"{name}.backward()" for name in self.backward)])

    def in_words(self, name: str) -> str:
        leaves = "; ".join(f"{name} = Tape({value:g})" for name, value in self.values.items())
        lines = self.program.replace("\n  ", " ").replace("\n", "; ")
        return f"`{leaves}; {lines}`, then `{'; '.join(f'{name}.backward()' for name in self.backward)}`"


def _as_number(value: Any) -> Any:
    """A float if `value` is a single number; 0 for a gradient that never arrived."""
    if value is None:
        return 0.0
    array = np.asarray(value.detach().numpy() if hasattr(value, "detach") else value)
    return float(array.reshape(())) if array.size == 1 and array.dtype.kind in "fiu" else value


def _results(program: str, leaves: dict[str, Any]) -> dict[str, Any]:
    names = dict(leaves)
    exec(program, names)  # noqa: S102  # the course's own text
    return names


@functools.lru_cache  # asked for by the check and by each mistake
def _measured(
    program: str, values: tuple[tuple[str, float], ...], results: tuple[str, ...], backward: tuple[str, ...]
) -> dict[str, float]:
    """The value of each result; for each leaf, the sum of the slopes of the results in `backward`."""

    def at(moved: Iterable[float]) -> dict[str, Any]:
        return _results(program, dict(zip(dict(values), map(Number, moved), strict=True)))

    point = np.array([value for _, value in values])
    names = at(point)
    found = {f"{name}.value": float(names[name]) for name in results}
    for number, (leaf, _) in enumerate(values):
        slopes = (numerical_jacobian(lambda moved, name=name: at(moved)[name], [point], 0) for name in backward)
        found[f"{leaf}.grad"] = sum(float(slope[0, number]) for slope in slopes)
    return found


TWICE, IN_PLACE, INNER, AGAIN, TWO, GROWS, LONG = "twice", "in place", "inner", "again", "two results", "grows", "long"
MORE_THAN_ONCE = (TWICE, IN_PLACE, INNER, GROWS, LONG)


def computations(rng: np.random.Generator) -> Sequence[Arguments]:
    a, b, c = (round(float(each), 2) for each in rng.uniform(0.6, 1.9, size=3))
    one, two, three = {"a": a}, {"a": a, "b": b}, {"a": a, "b": b, "c": c}
    binary = [f"y = a {sign} b" for sign in ("+", "-", "*", "/", "**")]
    number = [
        f"y = {each}"
        for each in ("a + 3", "3 + a", "a - 3", "3 - a", "a * 3", "3 * a", "a / 4", "4 / a", "2 ** a", "-a")
    ]
    found = [
        *(Computation(program, two) for program in binary),
        *(Computation(program, one) for program in number),
        Computation("y = a ** 3", {"a": -b}),
        Computation("y = a ** -2", one),
        *(Computation(f"y = a.{name}()", one) for name in ("exp", "log", "tanh")),
        Computation("y = a * 2 + 1", three),
        Computation("y = a + a", one, about=TWICE),
        Computation("y = a * a", one, about=TWICE),
        Computation("y = a * b + a", two, about=TWICE),
        Computation("y = a + a * b", two, about=TWICE),
        Computation("b = a\nb += 3\ny = a * b", one, about=IN_PLACE),
        Computation("p = a * b\nq = p * p\ny = p + q", two, about=INNER),
        Computation("p = a * b\nq = p * p\ny = q + p", two, about=INNER),
        Computation("p = a.exp()\nq = p.tanh() * p\nr = q / p + q.log()\ny = r * p - q", one, about=INNER),
        Computation("y = (a * b + c).tanh() ** 2 / (1 + (-a).exp())", three, about=TWICE),
        Computation("y = 2 * a", one, ("y", "y"), about=AGAIN),
        Computation("p = a * b\ny = p.tanh()", two, ("y", "y"), about=AGAIN),
        Computation("p = a * b\ny = p.exp()\nz = p * 3", two, ("y", "z"), about=TWO),
        Computation("y = a * b\nz = y * c", three, ("z", "y"), about=TWO),
        Computation("y = a\nfor i in range(40):\n  y = y + y", one, about=GROWS),
        Computation("y = a\nfor i in range(20000):\n  y = y + b", two, about=LONG),
    ]
    return [(each,) for each in found]


def about(*words: str) -> Callable[[Computation], bool]:
    return lambda computation: computation.about in words


def of_the_last_call(computation: Computation) -> dict[str, float]:
    """The gradients of the last call of backward, if they differ from those of all calls together."""
    expected, last = computation.measured(), computation.measured(computation.backward[-1:])
    return {name: value for name, value in last.items() if value and value != expected[name]} or expected


EXERCISES = (
    Exercise(
        notebook=NOTEBOOK,
        entry="Tape",
        points=3,
        title="An engine of your own",
        grading=Call(
            ("computation",),
            lambda computation: computation.measured(),
            computations,
            call=lambda torch, answer, computation: computation.run(answer),
            kind="engine",
            promise="every value and every gradient agrees with the measured one",
        ),
        hints=(
            (
                "A result must know from which numbers it was computed, and its local slope with "
                "respect to each of them. Two slopes are enough for every operator: which are they "
                "for a product? For a quotient?"
            ),
            (
                "For `3 + b` Python calls `b.__radd__(3)`. `__rsub__`, `__rmul__`, `__rtruediv__` "
                "and `__rpow__` work in the same way, and `-a` is `__neg__`. Few of them need "
                "slopes of their own: a - b is a + (-1) * b."
            ),
            (
                "backward has two loops. The first finds every number that takes part and counts "
                "how often each is used. The second passes gradients on, from numbers that have "
                "received all of theirs. Keep gradients on their way in a dict of this call, and "
                "add only complete ones to `.grad`. Then a second call starts afresh."
            ),
        ),
        mistakes=(
            Mistake(
                "in_place",
                (
                    "wrong if `b += 3` follows `b = a`: a is the same object and changes with b, "
                    "but the result of an operation must be a new object"
                ),
                where=about(IN_PLACE),
            ),
            Mistake(
                "replaces",
                "a second call of backward replaces the gradients that are there, but it must add to them",
                forward=of_the_last_call,
            ),
            Mistake(
                "starts_from_old",
                (
                    "wrong if backward is called twice: what the first call left in the "
                    "intermediate values is passed on again"
                ),
                where=about(AGAIN, TWO),
            ),
            Mistake(
                "too_early",
                (
                    "wrong if an intermediate value is used more than once: it passes on its "
                    "gradient before all parts of it have arrived, or passes on a part twice"
                ),
                where=about(INNER, GROWS),
            ),
            Mistake(
                "overwritten",
                "wrong if a value is used more than once: each use sends it a gradient, and they must be added up",
                where=about(*MORE_THAN_ONCE),
            ),
            Mistake(
                "overwritten",
                (
                    "wrong if a value is used more than once, or backward is called more than once: "
                    "gradients that arrive at the same place must be added up"
                ),
                where=about(*MORE_THAN_ONCE, AGAIN, TWO),
            ),
        ),
    ),
)
