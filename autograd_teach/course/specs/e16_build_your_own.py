"""The specification of notebook 16: Tape, the student's own engine for single numbers."""

import functools
import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from ..checks.spec import Arguments, CallSpec, Mistake
from ..exercises.e16_build_your_own import Computation, _results
from ..jacobian import numerical_jacobian


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


SAME, TWICE, IN_PLACE, INNER, INNER_SAME = "same operand", "twice", "in place", "inner", "inner, same operand"


AGAIN, TWO, GROWS, LONG, CHAIN = "again", "two results", "grows", "long", "chain"


MORE_THAN_ONCE = (SAME, TWICE, IN_PLACE, INNER, INNER_SAME, GROWS, LONG)


PASSED_ON = (INNER, INNER_SAME, GROWS)


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


MADE_OF = {
    "+": ("-",),
    "*": ("-", "negation", "/", "**"),
    "-": ("negation",),
    "negation": ("-",),
    "**": ("/", "exp"),
    "/": ("**", "tanh"),
    "exp": ("**", "tanh", "*", "/"),
    "log": ("**", "*", "/"),
}
"""Operators that an answer may define through this one, and that then have the same mistake."""


def measured(computation: Computation, backward: tuple[str, ...] | None = None) -> dict[str, float]:
    """The same as `Computation.run`, with plain numbers and small changes.

    >>> measured(Computation("y = (a * a).log()", {"a": 2.0}))["a.grad"].__round__(6)
    1.0
    """
    found = _measured(
        computation.program, tuple(computation.values.items()), computation.backward, backward or computation.backward
    )
    return dict(found)


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
        Computation(P_TANH, two, ("y", "y"), about=AGAIN),
        Computation("p = a * b\ny = p.exp()\nz = p * 3", two, ("y", "z"), about=TWO),
        Computation("y = a * b\nz = y * c", three, ("z", "y"), about=TWO),
        Computation("y = a\nfor i in range(40):\n  y = y + y", one, about=GROWS),
        Computation("y = a\nfor i in range(1200):\n  y = y + b", two, about=LONG),
        Computation("y = a\nfor i in range(20000):\n  y = y + b", two, about=LONG),
    ]
    return [(each,) for each in found]


def about(*words: str) -> Callable[[Computation], bool]:
    return lambda computation: computation.about in words


SLOPES: dict[str, dict[str, str]] = {
    "-a": {"a": "0, 1, a, -a"},
    "a + b": {"a": "0, -1, a, b", "b": "0, -1, a, b"},
    "a - b": {"a": "0, -1, a", "b": "0, 1, b, -b"},
    "a * b": {"a": "0, a, 1, a * b", "b": "0, b, 1, a * b"},
    "a / b": {
        "a": "0, 1, b, a / b, a, -1 / b",
        "b": "0, a / b ** 2, -a / b, a / b, -1 / b ** 2, 1 / b ** 2, 1 / b, -1 / b, a, -a, a * b, -b / a ** 2, 1, log(b)",
    },
    "a ** b": {
        "a": "0, a ** (b - 1), b * a ** b, b * a, a ** b, b, (b - 1) * a ** b, (b - 1) * a ** (b - 1)",
        "b": (
            "0, a ** b, log(a), a ** b * log(b), a * log(a), b * a ** (b - 1), a ** b / log(a), b * log(a), "
            "a ** (b - 1) * log(a), a ** b * log10(a), a ** b * log2(a), 1, a, -a ** b * log(a)"
        ),
    },
    "a - 3": {"a": "0, -1"},
    "3 - a": {"a": "0, 1"},
    "a + 3": {"a": "0, -1, 3"},
    "3 + a": {"a": "0, -1, 3"},
    "a * 3": {"a": "0, 1, a"},
    "3 * a": {"a": "0, 1, a"},
    "a / 4": {"a": "0, 1, 4, a / 4"},
    "4 / a": {"a": "0, 4 / a ** 2, -4 / a, 4 / a, -1 / a ** 2, 1 / a ** 2, 1 / a, 1 / 4, 4, -4, 1"},
    "a ** 3": {"a": "0, 3 * a ** 3, a ** 2, 3 * a, a ** 3, 3, 2 * a ** 2, 2 * a ** 3, 3 * a ** 4"},
    "a ** -2": {"a": "2 * a ** -3, 2 * a ** -1, -2 * a ** -1, -2 * a ** -2"},
    "2 ** a": {
        "a": (
            "0, 2 ** a, a * 2 ** (a - 1), 2 ** a * log(a), log(2), a * log(2), 2 ** (a - 1) * log(2), 2 * a, "
            "2 ** a / log(2), 2 ** (a - 1), a ** 2, 1, -log(2) * 2 ** a"
        )
    },
    "a.exp()": {"a": "0, 1, a, a * exp(a), a * exp(a - 1), exp(a - 1), exp(-a), -exp(a), exp(exp(a))"},
    "a.log()": {"a": "0, 1, a, log(a), 1 / log(a), -1 / a ** 2, -1 / a, 1 / a ** 2, log(a) / a, exp(a)"},
    "a.tanh()": {
        "a": (
            "0, 1, 1 - a ** 2, 1 - tanh(a), 1 + tanh(a) ** 2, 1 - tanh(tanh(a)) ** 2, tanh(a) ** 2, tanh(a), "
            "tanh(a) * (1 - tanh(a)), -(1 - tanh(a) ** 2), (1 - tanh(a)) ** 2, 1 - 2 * tanh(a), "
            "1 / cosh(a), cosh(a), cosh(a) ** 2, 1 / (1 + a ** 2)"
        )
    },
}
"""Wrong slopes of an operation, for each of its numbers."""


BOTH = {"a * b": ("a", "b"), "a / b": ("b", "a")}
"""Wrong slopes for both numbers at once."""


VALUES: dict[str, str] = {
    "a - b": "b - a, a + b",
    "3 - a": "a - 3, 3 + a",
    "a - 3": "3 - a",
    "a / b": "b / a, a * b, a // b",
    "4 / a": "a / 4, 4 * a, 1 / a",
    "a / 4": "4 / a",
    "a ** b": "b ** a, a * b",
    "a ** 3": "3 ** a, 3 * a",
    "2 ** a": "a ** 2, 2 * a",
    "-a": "a",
    "a.log()": "log10(a), log2(a), log(a + 1)",
    "a.tanh()": "tan(a), 1 / (1 + exp(-a)), (exp(a) - exp(-a)) / 2",
}
"""What an operation may be confused with."""


def slips() -> Iterator[Mistake]:
    """A mistake for every wrong slope and value: the operation gives exactly this, and operators that do not use it are right."""
    for operation, wrong in VALUES.items():
        for value in wrong.split(", "):
            yield Mistake(
                "wrong_value",
                f"`{operation}` is computed as `{value}`",
                forward=slip(operation, {"y.value": value}),
            )
    for operation, (first, second) in BOTH.items():
        yield Mistake(
            "wrong_slope",
            f"in `{operation}`, the slope for a is computed as `{first}` and the one for b as `{second}`",
            forward=slip(operation, {"a.grad": first, "b.grad": second}),
        )
    for operation, by_name in SLOPES.items():
        for name, slopes in by_name.items():
            for slope in slopes.split(", "):
                yield Mistake(
                    "wrong_slope",
                    f"in `{operation}`, the slope for {name} is computed as `{slope}`",
                    forward=slip(operation, {f"{name}.grad": slope}),
                )


def slip(operation: str, formulas: dict[str, str]) -> Callable[[Computation], dict[str, float]]:
    """The results of `formulas` for `operation`; the right numbers for operators that cannot depend on it, else nothing."""
    spoilt = {operator_of(f"y = {operation}"), *MADE_OF.get(operator_of(f"y = {operation}"), ())}

    def forward(computation: Computation) -> dict[str, float]:
        if computation.program == f"y = {operation}":
            return evaluated(formulas, computation)
        return {} if spoilt.intersection(operators_in(computation)) else measured(computation)

    return forward


def operator_of(program: str) -> str:
    return next(name for name, several in OPERATORS.items() if program.removeprefix("y = ") in several)


def operators_in(computation: Computation) -> set[str]:
    if not computation.about:
        return {operator_of(computation.program)}
    signs = re.findall(r"\*\*|[-+*/]|exp|log|tanh", computation.program)
    return {*signs, "negation"} if "-" in signs else set(signs)


def evaluated(formulas: dict[str, str], computation: Computation) -> dict[str, float]:
    """The numbers of `formulas`; nothing if one of them is not defined, such as the logarithm of a negative number."""
    names = vars(math) | {"__builtins__": {}} | computation.values
    try:
        return {key: float(eval(formula, names)) for key, formula in formulas.items()}
    except ValueError:
        return {}


def single(gradients: Callable[[str], str | None], *operators: str) -> Callable[[Computation], dict[str, float]]:
    """A wrong gradient, `gradients(name)`, of each number of the single operations that are not right with it."""

    def forward(computation: Computation) -> dict[str, float]:
        if computation.about or (operators and operator_of(computation.program) not in operators):
            return {}
        formulas = {f"{name}.grad": gradients(name) for name in computation.values}
        found = evaluated({key: text for key, text in formulas.items() if text is not None}, computation)
        return {key: value for key, value in found.items() if abs(value - measured(computation)[key]) > 1e-4}

    return forward


LOCAL = {
    "p = a * b\ny = p.tanh()": {"a.grad": "b", "b.grad": "a"},
    "p = a - b\ny = p / c": {"a.grad": "1", "b.grad": "-1"},
    "p = a.exp()\ny = 3 / p": {"a.grad": "exp(a)"},
    "p = -a\nq = p ** 2\ny = q.log()": {"a.grad": "-1"},
}
"""The gradients of the leaves if no operation multiplies its slopes by the gradient that has arrived."""


P_TANH = "p = a * b\ny = p.tanh()"


EXP_AND_TIMES = "p = a * b\ny = p.exp()\nz = p * 3"


TIMES_AGAIN = "y = a * b\nz = y * c"


LEFT_OVER: dict[str, dict[str, str]] = {
    "what the first call left in the intermediate values is passed on again": {
        P_TANH: "3 * b * (1 - tanh(a * b) ** 2)",
        EXP_AND_TIMES: "b * (2 * exp(a * b) + 3)",
    },
    "the result still holds the 1 of the first call, and passes on 2": {
        "y = 2 * a": "6",
        P_TANH: "3 * b * (1 - tanh(a * b) ** 2)",
    },
    "what the first call left in the result and in the intermediate values is passed on again": {
        "y = 2 * a": "6",
        P_TANH: "4 * b * (1 - tanh(a * b) ** 2)",
        EXP_AND_TIMES: "b * (2 * exp(a * b) + 3)",
        TIMES_AGAIN: "b * (2 * c + 1)",
    },
}
"""The gradient of a after the second call, if something is left over from the first."""


def left_over(formulas: dict[str, str]) -> Callable[[Computation], dict[str, float]]:
    def forward(computation: Computation) -> dict[str, float]:
        if computation.about not in (AGAIN, TWO):
            return measured(computation)
        formula = formulas.get(computation.program)
        return {} if formula is None else evaluated({"a.grad": formula}, computation)

    return forward


def right_only(computation: Computation) -> dict[str, float]:
    both = computation.program in ("y = a + b", "y = a * b")
    return {"a.grad": 0.0} if both else {}


def local(computation: Computation) -> dict[str, float]:
    if computation.about == CHAIN:
        return evaluated(LOCAL.get(computation.program, {}), computation)
    made = {"-", "negation", "/", "**", "tanh"}  # in an answer, these may be several operations
    return {} if computation.about or operator_of(computation.program) in made else measured(computation)


def unlike(numbers: dict[str, float], computation: Computation) -> dict[str, float]:
    """The numbers that differ from the right ones."""
    right = measured(computation)
    return {key: number for key, number in numbers.items() if not math.isclose(number, right[key], rel_tol=1e-4)}


def cut_to_whole_numbers(computation: Computation) -> dict[str, float]:
    """The value of a single operation, if the numbers and the result are truncated; not of a composed operation."""
    if computation.about or operator_of(computation.program) in ("/", "**"):
        return {}
    whole = {name: Number(int(value)) for name, value in computation.values.items()}
    try:
        return unlike({"y.value": float(int(_results(computation.program, whole)["y"]))}, computation)
    except (ZeroDivisionError, ValueError):
        return {}


def begun_with_value(computation: Computation) -> dict[str, float]:
    """Each call of backward begins with the value of the result."""
    right, begun = measured(computation), dict.fromkeys(computation.values, 0.0)
    for result in computation.backward:
        for leaf in begun:
            begun[leaf] += right[f"{result}.value"] * measured(computation, (result,))[f"{leaf}.grad"]
    return unlike({f"{leaf}.grad": gradient for leaf, gradient in begun.items()}, computation)


def slope_added(computation: Computation) -> dict[str, float]:
    if computation.program == "y = a * 2 + 1":
        return {"a.grad": 4.0}
    if computation.about or operator_of(computation.program) not in ("+", "*"):
        return {}
    return {key: number + 1 for key, number in measured(computation).items() if key.endswith(".grad")}


def of_the_last_call(computation: Computation) -> dict[str, float]:
    """The gradients of the last call of backward, if they differ from those of all calls together."""
    expected, last = measured(computation), measured(computation, computation.backward[-1:])
    return {name: value for name, value in last.items() if value and value != expected[name]} or expected


def of_the_first_call(computation: Computation) -> dict[str, float]:
    """The gradients of the first call of backward, if they differ from those of all calls together."""
    expected, first = measured(computation), measured(computation, computation.backward[:1])
    return {name: value for name, value in first.items() if value != expected[name]} or expected


SPECS = {
    "Tape": CallSpec(
        lambda computation: measured(computation),
        computations,
        mistakes=(
            Mistake(
                "no_gradient",
                "after backward, every grad is 0: nothing arrives at the numbers from which the result was computed",
                forward=lambda computation: {
                    key: 0.0 for key, value in measured(computation).items() if key.endswith(".grad") and value
                },
            ),
            Mistake(
                "no_slopes",
                "every slope is taken as 1: the gradient is passed on as it came",
                forward=single(lambda name: "1"),
            ),
            Mistake(
                "left_only",
                "the right operand of `+` and of `*` gets no gradient",
                forward=single(lambda name: "0" if name == "b" else None, "+", "*"),
            ),
            Mistake(
                "right_only",
                "the left operand of `+` and of `*` gets no gradient if both are a Tape",
                forward=right_only,
            ),
            Mistake(
                "cut",
                "values are cut to whole numbers: the digits after the point are lost",
                forward=cut_to_whole_numbers,
            ),
            Mistake(
                "begins_at_one",
                "every grad is 1 too large: before the first backward it must be 0",
                forward=lambda computation: unlike(
                    {f"{leaf}.grad": measured(computation)[f"{leaf}.grad"] + 1 for leaf in computation.values},
                    computation,
                ),
            ),
            Mistake(
                "begins_with_value",
                "backward begins with the value of the result, but the slope of the result with respect to itself is 1",
                forward=begun_with_value,
            ),
            Mistake(
                "slope_added",
                "the slope is added to the gradient that has arrived at the result, but it must multiply it",
                forward=slope_added,
            ),
            *slips(),
            Mistake(
                "local",
                (
                    "wrong where one operation follows another: on its way back through an operation, the gradient "
                    "that has arrived at the result must be multiplied by the slope"
                ),
                forward=local,
            ),
            Mistake(
                "replaces",
                "a second call of backward replaces the gradients that are there, but it must add to them",
                forward=of_the_last_call,
            ),
            Mistake(
                "in_place",
                (
                    "wrong if `b += 3` follows `b = a`: a is the same object and changes with b, "
                    "but the result of an operation must be a new object"
                ),
                where=about(IN_PLACE),
            ),
            Mistake(
                "keeps_first",
                "a second call of backward adds nothing to the gradients that are there",
                forward=of_the_first_call,
            ),
            *(
                Mistake("starts_from_old", f"wrong if backward is called twice: {words}", forward=left_over(formulas))
                for words, formulas in LEFT_OVER.items()
            ),
            Mistake(
                "second_call",
                (
                    "wrong only if backward is called more than once: each call must start afresh, and add its own "
                    "gradients to those that are there"
                ),
                where=about(AGAIN, TWO),
            ),
            Mistake(
                "same_operand",
                (
                    "wrong if both operands of an operation are the same object, as in `a * a`: this object "
                    "is used twice, so two gradients belong to it"
                ),
                where=about(SAME, INNER_SAME, GROWS),
            ),
            Mistake(
                "too_early",
                (
                    "in all the wrong computations an intermediate value is used more than once: it must pass on its "
                    "gradient once, after all parts of it have arrived"
                ),
                where=about(*PASSED_ON),
                always=False,
            ),
            Mistake(
                "overwritten",
                "only computations that use a value more than once are wrong: its gradient is the sum of the gradients of all its "
                "uses, each of them once, and only this whole sum is passed on",
                where=about(*MORE_THAN_ONCE),
            ),
            Mistake(
                "overwritten",
                (
                    "wrong if a value is used more than once, or backward is called more than once: "
                    "gradients that arrive at the same place must be added up, each once"
                ),
                where=about(*MORE_THAN_ONCE, AGAIN, TWO),
            ),
            Mistake(
                "chain",
                (
                    "every single operation is right, but not where one follows another: on its way back through an "
                    "operation, the gradient that has arrived at the result must be multiplied by the slope"
                ),
                where=about(CHAIN, *MORE_THAN_ONCE, AGAIN, TWO),
            ),
        ),
        holds={
            "Write a class `Tape`:": "structure, runs",
            "It has two attributes:": "value",
            "`value`: the number, as an ordinary": "value",
            "`grad`: its gradient, an ordinary number": "value, no_gradient",
            "Before the first `backward` it is `0.0`": "value",
            "It supports these operations:": "runs",
            "`+`, `-`, `*`, `/` and `**`, each with": "runs, wrong_value, wrong_slope",
            "Each returns a new `Tape` and leaves": "in_place",
            "If the exponent of a power is an ordinary": "runs",
            "If the exponent is a `Tape`, the base": "explains",
            "The methods `exp()`, `log()` and `tanh()`;": "runs, wrong_slope",
            "The method `backward()`.": "runs",
            "It computes the gradient of this number": "value, replaces, keeps_first, starts_from_old",
            "What `grad` holds for intermediate results": "explains",
            "You may use `math` and NumPy.": "explains",
            "An engine that computes gradients for you": "explains",
            "These are the local slopes:": "wrong_slope",
            "For example:": "explains",
            "The checks compare values, and gradients": "value",
            "They try:": "explains",
            "every operator and every method, with": "wrong_value, wrong_slope",
            "several operations, one after the other": "local, chain",
            "a value that is used several times, at": "same_operand, too_early, overwritten",
            "`b = a` followed by `b += 3`, which": "in_place",
            "`backward` called twice, and `backward`": "replaces, keeps_first, starts_from_old, second_call",
            "40 doublings in a row;": "runs",
            "1,200 and 20,000 operations in a row.": "runs",
            "Python allows only about a thousand": "runs",
            "The checks keep this limit, so": "runs",
            "All of them together must take no longer": "runs",
        },
    ),
}
