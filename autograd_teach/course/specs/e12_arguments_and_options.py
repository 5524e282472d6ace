"""The specification of notebook 12, arguments and options: Linear, MulConstant, MatMul, BroadcastAdd, Clamp."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..checks.spec import Arguments, FunctionSpec, Mistake, Place, family

EVERY = "structure, runs, forward, returns, gradient, unchanged, repeat"
"""The checks that every Function must pass."""


def linear(x: np.ndarray, weight: np.ndarray, bias: np.ndarray | None) -> np.ndarray:
    product = x @ weight.T
    return product if bias is None else product + bias


def linear_inputs(rng: np.random.Generator) -> Sequence[Arguments]:
    sizes = [(2, 3, 4, True), (2, 3, 4, False), (3, 2, 2, True), (2, 2, 2, True), (2, 3, 1, True), (1, 4, 2, False)]
    return [
        (
            rng.normal(size=(rows, features)),
            rng.normal(size=(results, features)),
            rng.normal(size=results) if has_bias else None,
        )
        for rows, features, results, has_bias in sizes
    ]


Gradients = tuple[np.ndarray | None, ...]


LINEAR = {
    "x": (True, False, False),
    "weight": (False, True, False),
    "bias": (False, False, True),
    "x and weight": (True, True, False),
    "weight and bias": (False, True, True),
    "x, weight and bias": (True, True, True),
}
"""The gradients that a slip affects."""


def linear_gradients(g: np.ndarray, x: np.ndarray, weight: np.ndarray) -> tuple[np.ndarray, ...]:
    return g @ weight, g.T @ x, g.sum(axis=0)


def linear_slip(
    which: tuple[bool, ...], slip: Callable[[np.ndarray, np.ndarray], np.ndarray]
) -> dict[str, Callable[..., Gradients]]:
    """A wrong backward: `slip(right gradient, grad_output)` for some of the arguments."""

    def vjp(g: np.ndarray, x: np.ndarray, weight: np.ndarray, bias: np.ndarray | None) -> Gradients:
        return tuple(
            slip(each, g) if asked else None for each, asked in zip(linear_gradients(g, x, weight), which, strict=True)
        )[: 2 if bias is None else 3]

    return {"vjp": vjp}


def _square(matrix: np.ndarray) -> bool:
    return matrix.shape == matrix.T.shape


def with_bias(added: Callable[[np.ndarray, np.ndarray], np.ndarray]) -> dict[str, Callable[..., np.ndarray]]:
    """A wrong forward: `added(product, bias)` if there is a bias."""
    return {"forward": lambda x, weight, bias: linear(x, weight, None) if bias is None else added(x @ weight.T, bias)}


def mul_constant_inputs(rng: np.random.Generator) -> Sequence[Arguments]:
    """One of the constants is a tenth, which float32 cannot represent exactly."""
    tenth = float(rng.choice([1, 2, 3, 4])) / 10
    constants = [-1.5 - tenth, int(rng.integers(3, 6)), tenth, -int(rng.integers(2, 5))]
    drawn = [rng.normal(size=shape) for shape in [(3,), (2, 3), (2, 1, 3), (), (4,)]]
    return [*zip(drawn, [float(rng.choice([1.5, 2.5, 3.5])), *constants], strict=True)]


def mat_mul_inputs(rng: np.random.Generator) -> Sequence[Arguments]:
    sizes = [(2, 3, 4), (2, 2, 2), (4, 2, 3), (1, 3, 2), (3, 3, 3), (3, 1, 2), (2, 3, 1)]
    return [(rng.normal(size=(n, k)), rng.normal(size=(k, m))) for n, k, m in sizes]


A_SLIPS: dict[str, Callable[..., np.ndarray]] = {
    "b is not transposed": lambda g, a, b: g @ b,
    "the two factors stand in the wrong order": lambda g, a, b: b.T @ g,
    "the two factors stand in the wrong order, and neither is transposed": lambda g, a, b: b @ g,
    "a is used where b is needed": lambda g, a, b: g @ a.T,
    "grad_output is transposed instead of b": lambda g, a, b: g.T @ b,
    "grad_output is transposed as well as b": lambda g, a, b: g.T @ b.T,
}


B_SLIPS: dict[str, Callable[..., np.ndarray]] = {
    "a is not transposed": lambda g, a, b: a @ g,
    "the two factors stand in the wrong order": lambda g, a, b: g @ a.T,
    "the two factors stand in the wrong order, and neither is transposed": lambda g, a, b: g @ a,
    "b is used where a is needed": lambda g, a, b: b.T @ g,
    "grad_output is transposed instead of a": lambda g, a, b: a @ g.T,
    "grad_output is transposed as well as a": lambda g, a, b: a.T @ g.T,
}
"""Wrong products for the gradients of a and of b. They are defined only for square matrices: others raise."""


def square_slips() -> tuple[Mistake, ...]:
    """A wrong product for a, for b, or the same slip in both."""
    found = []
    for (in_a, wrong_a), (in_b, wrong_b) in zip(A_SLIPS.items(), B_SLIPS.items(), strict=True):
        found += [
            Mistake("square", f"in your product for a, {in_a}", vjp=_only_square(wrong_a, None)),
            Mistake("square", f"in your product for b, {in_b}", vjp=_only_square(None, wrong_b)),
            Mistake(
                "square",
                f"in your product for a, {in_a}; in your product for b, {in_b}",
                vjp=_only_square(wrong_a, wrong_b),
            ),
        ]
    return tuple(found)


def _only_square(*wrong: Callable[..., np.ndarray] | None) -> Callable[..., Gradients]:
    def vjp(g: np.ndarray, a: np.ndarray, b: np.ndarray) -> Gradients:
        square = a.shape == b.shape == a.T.shape
        return tuple(each(g, a, b) if each and square else None for each in wrong)

    return vjp


A_OR_B = {"a": (True, False), "b": (False, True), "a and b": (True, True)}


def mat_mul_slip(which: tuple[bool, bool], slip: tuple[Callable[..., np.ndarray], ...]) -> dict[str, Any]:
    """A wrong backward: with the slip for a, the slip for b, or both."""
    return {
        "vjp": lambda g, a, b: tuple(each(g, a, b) if asked else None for each, asked in zip(slip, which, strict=True))
    }


def broadcast_inputs(rng: np.random.Generator) -> Sequence[Arguments]:
    pairs: list[tuple[tuple[int, ...], tuple[int, ...]]] = [
        ((2, 3), (3,)),
        ((3,), (2, 3)),
        ((2, 1), (1, 3)),
        ((2, 1), (2, 4)),
        ((2, 3), (2, 3)),
        ((2, 1, 2), (3, 1)),
        ((2, 3), ()),
        ((), (3,)),
        ((2, 3), (1, 1)),
        ((3,), (2, 2, 3)),
        ((1, 3, 1), (2, 1, 2)),
        ((1, 3), (1, 3)),
    ]
    return [(rng.normal(size=x), rng.normal(size=y)) for x, y in pairs]


Reduction = Callable[..., np.ndarray]


def reduced(g: np.ndarray, shape: tuple[int, ...], in_front: Reduction, of_size_1: Reduction) -> np.ndarray:
    """g reduced to `shape`: over the dimensions that broadcasting added in front, then over those that it repeated."""
    while g.ndim > len(shape):
        g = in_front(g, axis=0)
    for axis, size in enumerate(shape):
        if size == 1:
            g = of_size_1(g, axis=axis, keepdims=True)
    return g


def taken(at: int) -> Reduction:
    """A reduction to one of the entries, the first or the last."""

    def one(g: np.ndarray, axis: int, keepdims: bool = False) -> np.ndarray:
        picked = np.take(g, [at], axis=axis)
        return picked if keepdims else picked.squeeze(axis)

    return one


X_OR_Y = {"x": (True, False), "y": (False, True), "x and y": (True, True)}


def broadcast_slip(
    which: tuple[bool, bool], where: tuple[bool, bool], wrong: Reduction
) -> dict[str, Callable[..., Gradients]]:
    """A wrong backward: for x, y or both, some dimensions are reduced by `wrong` instead of summed."""
    front, size_1 = (wrong if at else np.sum for at in where)
    return {
        "vjp": lambda g, x, y: tuple(
            reduced(g, each.shape, front, size_1) if asked else None for each, asked in zip((x, y), which, strict=True)
        )
    }


def total_to(g: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """The sum over all of g in every entry, unless nothing was broadcast."""
    return g if g.shape == shape else np.full(shape, g.sum())


def counted_to(g: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """The right sum, times the number of its terms."""
    return reduced(g, shape, np.sum, np.sum) * (g.size // max(1, int(np.prod(shape))))


def only_one_dimension(g: np.ndarray, shape: tuple[int, ...], last: bool) -> np.ndarray:
    """All dimensions in front are summed, of those of size 1 only the first (or last), "
    "of the others one entry is taken."""
    while g.ndim > len(shape):
        g = g.sum(axis=0)
    ones = [axis for axis, size in enumerate(shape) if size == 1]
    for axis in ones:
        chosen = axis == (ones[-1] if last else ones[0])
        g = np.sum(g, axis=axis, keepdims=True) if chosen else g[(slice(None),) * axis + (slice(0, 1),)]
    return g


def clamp_inputs(rng: np.random.Generator) -> Sequence[Arguments]:
    """Bounds of each kind: of both signs, 0 and a whole number, negative. Their sizes are drawn."""
    positive, negative = rng.integers(2, 5, size=2).tolist()
    *scales, s, t = (1 + rng.integers(0, 5, size=6) / 8).tolist()
    bounds = [((6,), -0.5 * s, 1.0 * s), ((2, 3), 0, positive), ((2, 1, 3), -1.5 * t, -0.25 * t), ((3,), -negative, 0)]
    inputs = []
    for shape, low, high in bounds:
        centre = np.resize([low - 0.8, (low + high) / 2, high + 0.8], int(np.prod(shape)))
        noise = rng.uniform(-0.4, 0.4, size=centre.shape)
        inputs.append((rng.permutation(centre + noise).reshape(shape), low, high))
    scaled = zip((-1.7, 0.3, 0.9, -0.8), scales, strict=True)
    return inputs + [(np.array((x + rng.uniform(-0.1, 0.1)) * s), -1.0 * s, 0.5 * s) for x, s in scaled]


def between(x: np.ndarray, low: float, high: float) -> np.ndarray:
    return np.minimum(np.maximum(x, low), high)


def outside(x: np.ndarray, low: float, high: float) -> np.ndarray:
    return (x < low) | (x > high)


SLOPES = {
    "below low": lambda x, low, high: x < low,
    "above high": lambda x, low, high: x > high,
    "outside the bounds": outside,
}


SPECS = {
    "Linear": FunctionSpec(
        linear,
        linear_inputs,
        mistakes=(
            Mistake(
                "no_bias",
                "the bias is left out even if there is one",
                forward=lambda x, weight, bias: x @ weight.T,
            ),
            *family(
                "bias_added_wrongly",
                "{added}",
                with_bias,
                added={
                    "the bias is subtracted, but it must be added": lambda product, bias: product - bias,
                    "the bias is added twice": lambda product, bias: product + 2 * bias,
                    "the bias multiplies the product, but it must be added": lambda product, bias: product * bias,
                    "the sum of the entries of bias is added everywhere, but each column has its own entry": (
                        lambda product, bias: product + bias.sum()
                    ),
                    "the first entry of bias is added everywhere, but each column has its own entry": (
                        lambda product, bias: product + bias[0]
                    ),
                    "the bias is added to one row only, but every row must get it": (
                        lambda product, bias: product + np.eye(len(product))[:1].T * bias
                    ),
                    "the bias is added to each column, but it must be added to each row": (
                        lambda product, bias: product + np.resize(bias, len(product))[:, None]
                    ),
                    "negative entries of the result have become 0: no activation is asked for": (
                        lambda product, bias: np.maximum(product + bias, 0)
                    ),
                },
            ),
            Mistake(
                "transposed",
                "the result is transposed: it must have a row for each row of x",
                forward=lambda x, weight, bias: linear(x, weight, bias).T,
            ),
            Mistake(
                "nothing_without_bias",
                "if bias is None, the result is zero, but it must be the product",
                forward=lambda x, weight, bias: linear(x, weight, bias) * (bias is not None),
            ),
            Mistake(
                "not_transposed",
                (
                    "weight is not transposed: only a square weight can be multiplied like this, and it "
                    "gives other numbers"
                ),
                forward=lambda x, weight, bias: linear(x, weight.T if _square(weight) else weight, bias),
            ),
            Mistake(
                "not_transposed",
                (
                    "for x, weight is transposed, but it must be used as it is: only for a square weight "
                    "this raises no error"
                ),
                vjp=lambda g, x, weight, bias: (g @ weight.T if _square(weight) else None, None, None)[
                    : 2 if bias is None else 3
                ],
            ),
            Mistake(
                "not_transposed",
                "for weight, grad_output is not transposed: only for a square grad_output this raises no error",
                vjp=lambda g, x, weight, bias: (None, g @ x if _square(g) else None, None)[: 2 if bias is None else 3],
            ),
            Mistake(
                "reshaped",
                "weight is reshaped, but it must be transposed: reshape keeps the order of the numbers",
                forward=lambda x, weight, bias: linear(x, weight.reshape(weight.T.shape).T, bias),
            ),
            Mistake(
                "reshaped",
                "for x, weight is reshaped where no change is needed: reshape puts the numbers in other places",
                vjp=lambda g, x, weight, bias: (g @ weight.reshape(weight.T.shape).T, None, None)[
                    : 2 if bias is None else 3
                ],
            ),
            Mistake(
                "reshaped",
                (
                    "for weight, grad_output is reshaped, but it must be transposed: reshape keeps the "
                    "order of the numbers"
                ),
                vjp=lambda g, x, weight, bias: (None, g.reshape(g.T.shape) @ x, None)[: 2 if bias is None else 3],
            ),
            *family(
                "mean",
                "the gradient for {which} is divided by the number of rows of x, but the gradients of the rows add up",
                lambda which: linear_slip(which, lambda right, g: right / len(g)),
                which=LINEAR,
            ),
            *family(
                "one_row",
                "the gradient for {which} comes from the {row} row of grad_output alone, but every row counts",
                lambda which, row: {
                    "vjp": lambda g, x, weight, bias: tuple(
                        each if asked else None
                        for each, asked in zip(linear_gradients(g[row], x[row], weight), which, strict=True)
                    )[: 2 if bias is None else 3]
                },
                which={words: LINEAR[words] for words in ("weight", "bias", "weight and bias")},
                row={"first": slice(0, 1), "last": slice(-1, None)},
            ),
            Mistake(
                "all_summed",
                (
                    "every entry of the gradient for bias is the sum of all of grad_output, but each "
                    "column has its own sum"
                ),
                vjp=lambda g, x, weight, bias: (None, None, np.full(g.shape[1], g.sum()))[: 2 if bias is None else 3],
            ),
            Mistake(
                "largest",
                "the gradient for bias is the largest number of each column of grad_output, but the rows add up",
                vjp=lambda g, x, weight, bias: (None, None, g.max(axis=0))[: 2 if bias is None else 3],
            ),
        ),
        holds={
            "Write a Function `Linear.apply(x, weight, bias)`": "forward, gradient, bias_added_wrongly",
            "If `bias` is `None`, nothing is added.": "runs, forward, nothing_without_bias",
            "`x` is a matrix of shape (n, k), one row": "explains",
            "`weight` is a matrix of shape (m, k)": "explains",
            "`bias` is a vector of shape (m,), or `None`": "explains",
            "the result has shape (n, m).": "forward",
            "In plain Python, one entry at a time:": "explains",
            "For example:": "explains",
            "`None` is an argument like any other: if `bias`": "returns",
            "The checks: those listed above, for several shapes": EVERY,
            "One more check lets only one of the three": "needs_input_grad",
        },
    ),
    "MulConstant": FunctionSpec(
        lambda x, constant: x * constant,
        mul_constant_inputs,
        mistakes=(
            Mistake(
                "constant_ignored",
                "the gradient is grad_output itself, whatever `constant` is",
                vjp=lambda g, x, constant: g,
            ),
            Mistake(
                "times_x",
                "the gradient contains x, but the result is linear in x: its slope does not depend on x",
                vjp=lambda g, x, constant: g * x,
            ),
            Mistake(
                "divided",
                (
                    "grad_output is divided by `constant`, but x was multiplied by it: look at how "
                    "much the result moves when x moves a little"
                ),
                vjp=lambda g, x, constant: g / constant,
            ),
            Mistake(
                "times_x",
                "the gradient contains x beside `constant`, but the slope does not depend on x",
                vjp=lambda g, x, constant: g * x * constant,
            ),
            Mistake(
                "added",
                "`constant` is added to grad_output, but it must multiply it",
                vjp=lambda g, x, constant: g + constant,
            ),
            Mistake(
                "sign_lost",
                "the gradient has lost the sign of `constant`: it is wrong where `constant` is negative",
                vjp=lambda g, x, constant: g * abs(constant),
            ),
            Mistake(
                "whole_number",
                "`constant` is cut to a whole number in the gradient",
                vjp=lambda g, x, constant: g * int(constant),
            ),
            *family(
                "added",
                "{what}",
                lambda what: {"forward": what},
                what={
                    "`constant` is added to x, but it must multiply x": lambda x, constant: x + constant,
                    "`constant` is added as well, but it must only multiply x": lambda x, constant: (
                        x * constant + constant
                    ),
                    "x is divided by `constant`, but it must be multiplied": lambda x, constant: x / constant,
                    "`constant` is cut to a whole number": lambda x, constant: x * int(constant),
                    "the result has lost the sign of `constant`": lambda x, constant: x * abs(constant),
                    "x is multiplied by `constant` twice": lambda x, constant: x * constant**2,
                },
            ),
            Mistake(
                "float32",
                "the result is right to 7 or 8 digits only: `constant` goes through a float32",
                forward=lambda x, constant: x * float(np.float32(constant)),
            ),
        ),
        holds={
            "Write a Function `MulConstant.apply(x, constant)`": "forward, gradient, no_gradient",
            "`x` can have any shape.": "runs, forward, gradient",
            "So far this is `Scale` from notebook 09.": "explains",
            "But the next Function in the graph may return": "explains",
            "By default `backward` then gets a tensor of zeros": "explains",
            "Your `MulConstant` asks for `None` instead": "no_gradient",
            "If `backward` gets `None`, it computes nothing": "no_gradient",
            "For example:": "explains",
            "The checks: those listed above, for `x` with one": EVERY,
            "`constant` is positive or negative, an `int`": "forward, gradient, sign_lost, whole_number",
            "One more check puts a Function behind yours": "no_gradient",
        },
    ),
    "MatMul": FunctionSpec(
        lambda a, b: a @ b,
        mat_mul_inputs,
        mistakes=(
            *square_slips(),
            *family(
                "mean",
                "the gradient for {which} is divided by {count}, but the terms of a matrix product add up",
                lambda which, count: mat_mul_slip(
                    which, (lambda g, a, b: g @ b.T / count(a, b), lambda g, a, b: a.T @ g / count(a, b))
                ),
                which=A_OR_B,
                count={
                    "the number of rows of a": lambda a, b: len(a),
                    "the number of columns of a": lambda a, b: len(b),
                    "the number of columns of b": lambda a, b: b.shape[1],
                },
            ),
            *family(
                "reshaped",
                "for the gradient of {which}, a matrix is reshaped, but it must be transposed: reshape keeps the order "
                "of the numbers",
                lambda which: mat_mul_slip(
                    which,
                    (lambda g, a, b: g @ b.reshape(b.T.shape), lambda g, a, b: a.reshape(a.T.shape) @ g),
                ),
                which=A_OR_B,
            ),
            *family(
                "term_missing",
                (
                    "the {term} term of each sum is missing in the gradient for {which}: does a loop stop "
                    "or begin too early?"
                ),
                lambda term, which: mat_mul_slip(
                    which, (lambda g, a, b: g[:, term] @ b.T[term], lambda g, a, b: a.T[:, term] @ g[term])
                ),
                term={"last": slice(0, -1), "first": slice(1, None)},
                which=A_OR_B,
            ),
            *family(
                "term_missing",
                "the {term} term of each sum is missing: does a loop stop or begin too early?",
                lambda term: {"forward": lambda a, b: a[:, term] @ b[term]},
                term={"last": slice(0, -1), "first": slice(1, None)},
            ),
            *family(
                "other_product",
                "the result is {what}",
                lambda what: {
                    "forward": lambda a, b: what(a, b) if a.shape == b.shape == a.T.shape else a @ b,
                },
                what={
                    "b @ a: the factors stand in the wrong order": lambda a, b: b @ a,
                    "the product entry by entry, but the matrix product is asked for": lambda a, b: a * b,
                    "a product in which b is transposed, but it must be a @ b": lambda a, b: a @ b.T,
                    "a product in which a is transposed, but it must be a @ b": lambda a, b: a.T @ b,
                },
            ),
            Mistake("transposed", "the result is transposed", forward=lambda a, b: (a @ b).T),
            Mistake(
                "reshaped",
                "the numbers of the result are those of the product, but in other places: is something reshaped that "
                "must be transposed?",
                forward=lambda a, b: (b.T @ a.T).reshape(len(a), -1),
            ),
        ),
        holds={
            "Write a Function `MatMul.apply(a, b)` that computes": "forward, gradient, other_product",
            "`a` has shape (n, k), `b` has shape (k, m)": "forward",
            "For example:": "explains",
            "Each of the two gradients is again a matrix product": "explains",
            "So compute only the gradients that are needed.": "needs_input_grad",
            "The checks: those listed above, for several shapes": EVERY,
            "One more check lets only one of the two": "needs_input_grad",
        },
    ),
    "BroadcastAdd": FunctionSpec(
        lambda x, y: x + y,
        broadcast_inputs,
        mistakes=(
            *family(
                "reduced_wrongly",
                (
                    "in the gradient for {which}, {wrong} {where}, but the effects on all these entries "
                    "of the result add up"
                ),
                broadcast_slip,
                which=X_OR_Y,
                where={
                    "over what was broadcast": (True, True),
                    "along the dimensions that were added in front": (True, False),
                    "along the dimensions of size 1": (False, True),
                },
                wrong={
                    "grad_output is averaged": np.mean,
                    "only the first entry of grad_output is taken": taken(0),
                    "only the last entry of grad_output is taken": taken(-1),
                    "the largest entry of grad_output is taken": np.max,
                },
            ),
            *family(
                "reduced_wrongly",
                "in the gradient for {which}, {wrong}",
                lambda which, wrong: {
                    "vjp": lambda g, x, y: tuple(
                        wrong(g, each.shape) if asked else None for each, asked in zip((x, y), which, strict=True)
                    )
                },
                which=X_OR_Y,
                wrong={
                    "every entry is the sum over all of grad_output, but each entry has its own sum": total_to,
                    "the sum is multiplied by the number of its terms": counted_to,
                    "only the first of several dimensions of size 1 is summed": (
                        lambda g, shape: only_one_dimension(g, shape, last=False)
                    ),
                    "only the last of several dimensions of size 1 is summed": (
                        lambda g, shape: only_one_dimension(g, shape, last=True)
                    ),
                },
            ),
            *family(
                "other_result",
                "the result is {what}, but it must be x + y",
                lambda what: {"forward": what},
                what={
                    "x * y": lambda x, y: x * y,
                    "x + 2 y": lambda x, y: x + y + y,
                    "x, as large as x + y": lambda x, y: x + 0 * y,
                    "y, as large as x + y": lambda x, y: 0 * x + y,
                },
            ),
            Mistake(
                "minus",
                "the result is x - y, but it must be x + y",
                forward=lambda x, y: x - y,
            ),
        ),
        holds={
            "Write a Function `BroadcastAdd.apply(x, y)`": "forward, gradient, other_result",
            "Tensors of different shapes are *broadcast*": "explains",
            "The tensor with fewer dimensions gets new dimensions": "explains",
            "If one tensor has size 1 in a dimension": "explains",
            "So one entry of `y` can reach many entries": "gradient, reduced_wrongly",
            "For example:": "explains",
            "`backward` itself must return a gradient with": "returns",
            "(If a Function returns a gradient that is not summed": "explains",
            "Here you do it yourself, and the checks look": "returns",
            "The checks: those listed above, for twelve pairs": EVERY,
        },
    ),
    "Clamp": FunctionSpec(
        between,
        clamp_inputs,
        places=(
            Place("where x is below low", lambda x, low, high: x < low),
            Place("where x is above high", lambda x, low, high: x > high),
            Place("where x is outside the bounds", outside),
        ),
        mistakes=(
            *family(
                "bound_of_zero",
                "{what} is left out if it is 0, but 0 is a bound like any other",
                lambda what: what,
                what={
                    "a bound": {"forward": lambda x, low, high: between(x, low or -np.inf, high or np.inf)},
                    "low": {"forward": lambda x, low, high: between(x, low or -np.inf, high)},
                    "high": {"forward": lambda x, low, high: between(x, low, high or np.inf)},
                    "in the gradient, a bound": {
                        "vjp": lambda g, x, low, high: g * ~outside(x, low or -np.inf, high or np.inf)
                    },
                },
            ),
            Mistake(
                "wrong_way_round",
                "the gradient reaches x outside the bounds and not between them: the wrong way round",
                vjp=lambda g, x, low, high: g * outside(x, low, high),
            ),
            *family(
                "wrong_way_round",
                "the gradient reaches x only {where}, but there the result does not move with x",
                lambda where: {"vjp": lambda g, x, low, high: g * where(x, low, high)},
                where={words: SLOPES[words] for words in ("below low", "above high")},
            ),
            *family(
                "passes_outside",
                "the gradient reaches x {where} as well, but there the result does not move with x",
                lambda where: {
                    "vjp": lambda g, x, low, high: g * (where(x, low, high) | ~outside(x, low, high)),
                },
                where=SLOPES,
            ),
            *family(
                "other_outside",
                "outside the bounds the gradient is {what}, but there the result does not move with x",
                lambda what: {
                    "vjp": lambda g, x, low, high: np.where(outside(x, low, high), what(g, x, low, high), g),
                },
                what={
                    "the bound itself": lambda g, x, low, high: np.clip(x, low, high),
                    "grad_output times the bound": lambda g, x, low, high: g * np.clip(x, low, high),
                    "minus grad_output": lambda g, x, low, high: -g,
                    "1": lambda g, x, low, high: 1.0,
                    "grad_output times 1/2": lambda g, x, low, high: g / 2,
                    "a hundredth of grad_output": lambda g, x, low, high: g / 100,
                },
            ),
            *family(
                "other_inside",
                (
                    "between the bounds grad_output is multiplied by {what}, but there the result is x "
                    "itself, which has slope 1"
                ),
                lambda what: {
                    "vjp": lambda g, x, low, high: g * ~outside(x, low, high) * what(x, low, high),
                },
                what={
                    "high - low": lambda x, low, high: high - low,
                    "1 / (high - low)": lambda x, low, high: 1 / (high - low),
                    "x": lambda x, low, high: x,
                },
            ),
            *family(
                "one_bound_for_both",
                "the gradient reaches x where |x| is below {bound}, as if the bounds were opposite numbers",
                lambda bound: {"vjp": lambda g, x, low, high: g * (np.abs(x) < bound(low, high))},
                bound={
                    "high": lambda low, high: high,
                    "-low": lambda low, high: -low,
                },
            ),
            Mistake(
                "mask_of_grad_output",
                "it is grad_output that is compared with the bounds, but the bounds are for x",
                vjp=lambda g, x, low, high: g * ~outside(g, low, high),
            ),
            Mistake(
                "grad_output_clamped",
                (
                    "the gradient is cut off at the bounds where x is between them, but the bounds "
                    "are for x, and grad_output can have any size"
                ),
                vjp=lambda g, x, low, high: np.clip(g, low, high) * ~outside(x, low, high),
            ),
            Mistake(
                "grad_output_clamped",
                (
                    "grad_output itself is kept between the bounds, but the bounds are for x, and "
                    "grad_output can have any size"
                ),
                vjp=lambda g, x, low, high: np.clip(g, low, high),
            ),
            Mistake(
                "times_x",
                (
                    "the gradient contains the values of x, but between the bounds the result is x "
                    "itself, which has slope 1"
                ),
                vjp=lambda g, x, low, high: g * np.clip(x, low, high),
            ),
            Mistake(
                "bounds_exchanged",
                "low and high are swapped: every entry of the result is the same",
                forward=lambda x, low, high: np.minimum(np.maximum(x, high), low),
            ),
            Mistake(
                "one_bound",
                "the values above high are left as they are",
                forward=lambda x, low, high: np.maximum(x, low),
            ),
            Mistake(
                "one_bound",
                "the values below low are left as they are",
                forward=lambda x, low, high: np.minimum(x, high),
            ),
            *family(
                "other_bound",
                "the values outside the bounds become {what}, but they must become the nearer bound",
                lambda what: {"forward": lambda x, low, high: np.where(outside(x, low, high), what(x, low, high), x)},
                what={
                    "0": lambda x, low, high: 0.0,
                    "the bound on the other side": lambda x, low, high: np.where(x < low, high, low),
                    "the middle of the bounds": lambda x, low, high: (low + high) / 2,
                    "the lower bound on both sides": lambda x, low, high: low,
                    "the upper bound on both sides": lambda x, low, high: high,
                },
            ),
            *family(
                "one_bound_for_both",
                "the bounds used are {what}, but they must be low and high",
                lambda what: {"forward": lambda x, low, high: between(x, *what(low, high))},
                what={
                    "0 and high": lambda low, high: (0, high),
                    "-high and high": lambda low, high: (-high, high),
                    "low and -low": lambda low, high: (low, -low),
                    "-1 and 1": lambda low, high: (-1, 1),
                    "0 and 1": lambda low, high: (0, 1),
                },
            ),
            Mistake(
                "dropped",
                "the values outside the bounds are left out, but they must become the nearer bound",
                forward=lambda x, low, high: x[~outside(x, low, high)],
            ),
            Mistake(
                "absolute",
                "the absolute value of x is limited to the bounds: the sign of x is lost",
                forward=lambda x, low, high: between(np.abs(x), low, high),
            ),
            Mistake(
                "whole_bounds",
                "the bounds are cut to whole numbers",
                forward=lambda x, low, high: between(x, int(low), int(high)),
            ),
            Mistake(
                "whole_bounds",
                "the gradient is that for bounds that are cut to whole numbers",
                vjp=lambda g, x, low, high: g * ~outside(x, int(low), int(high)),
            ),
            *family(
                "squashed",
                "the result is {what}: between the bounds it must be x itself",
                lambda what: {"forward": what},
                what={
                    "bent smoothly to the bounds": lambda x, low, high: low + (high - low) / (1 + np.exp(-x)),
                    "tanh x": lambda x, low, high: np.tanh(x),
                },
            ),
        ),
        holds={
            "Write a Function `Clamp.apply(x, low, high)`": "forward, gradient, other_bound",
            "`x` can have any shape.": "runs, forward, gradient",
            "`low` and `high` are plain Python numbers": "explains",
            "In plain Python, one entry at a time:": "explains",
            "For example:": "explains",
            "At a bound the result has a kink.": "explains",
            "No entry in the checks lies exactly on a bound": "explains",
            "The checks: those listed above, for `x` with one": EVERY,
            "The bounds are positive, negative or 0": "forward, gradient, one_bound_for_both",
        },
    ),
}
