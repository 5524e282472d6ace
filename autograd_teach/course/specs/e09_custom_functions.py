"""The specification of notebook 09, a first custom Function: KillHead, Scale, Exp."""

import math
from collections.abc import Callable, Sequence

import numpy as np

from ..checks.spec import Arguments, FunctionSpec, Mistake, family


def kill_head(x: np.ndarray, n: int) -> np.ndarray:
    result = x.copy()
    result[:, :n] = 0
    return result


def kill_head_inputs(rng: np.random.Generator) -> Sequence[Arguments]:
    """Matrices of several shapes, the first two of the same shape.

    The last one already has zeros: in each row one before and one after column n.
    """
    with_zeros = rng.normal(size=(3, 8))
    for row in with_zeros:
        row[[rng.integers(0, 2), rng.integers(6, 8)]] = 0
    drawn = [rng.normal(size=shape) for shape in [(2, 3), (2, 3), (3, 4), (2, 2), (2, 3)]]
    numbers = [1, 0, int(rng.integers(1, 4)), 1, 3, int(rng.integers(2, 7))]
    return [*zip([*drawn, with_zeros], numbers, strict=True)]


Part = Callable[[np.ndarray, int], np.ndarray]
"""Maps a matrix and n to the part of the matrix that is cleared."""


def cleared(part: Part) -> Callable[..., np.ndarray]:
    """A function that maps a matrix and n to a copy with zeros in `part`."""

    def clear(matrix: np.ndarray, n: int) -> np.ndarray:
        result = matrix.copy()
        part(result, n)[...] = 0
        return result

    return clear


OTHER_PARTS: dict[str, Part] = {
    "the first n rows": lambda matrix, n: matrix[:n],
    "the last n rows": lambda matrix, n: matrix[len(matrix) - min(n, len(matrix)) :],
    "the last n columns": lambda matrix, n: matrix[:, matrix.shape[1] - n :],
    "the last n columns (all of them for n = 0)": lambda matrix, n: matrix[:, -n:],
    "the columns from n on, the wrong way round": lambda matrix, n: matrix[:, n:],
    "the first n + 1 columns": lambda matrix, n: matrix[:, : n + 1],
    "the first n - 1 columns": lambda matrix, n: matrix[:, : max(n - 1, 0)],
    "the columns before n - 1, which is -1 for n = 0": lambda matrix, n: matrix[:, : n - 1],
    "the columns from 1 to n - 1": lambda matrix, n: matrix[:, 1:n],
    "the columns from 1 to n": lambda matrix, n: matrix[:, 1 : n + 1],
    "the column with index n alone": lambda matrix, n: matrix[:, n : n + 1],
    "the column with index n - 1 alone": lambda matrix, n: matrix[:, max(n - 1, 0) : n],
    "the first n entries of the first n rows alone": lambda matrix, n: matrix[:n, :n],
    "the first n entries of the first row alone": lambda matrix, n: matrix[:1, :n],
    "the whole matrix": lambda matrix, n: matrix,
}


def scale_inputs(rng: np.random.Generator) -> Sequence[Arguments]:
    """Each shape with several factors, so that a dependence on the factor is not mistaken for one on the shape.

    The first factor is short. The other fractions are tenths, which float32 cannot represent exactly.
    """
    drawn = [np.asarray(rng.normal(size=shape)) for shape in [(3,), (2, 3), (2, 1, 3), ()]]
    factors = [-1 - tenth(rng), int(rng.integers(2, 5)), tenth(rng)]
    others = [-int(rng.integers(2, 5)), 1 + tenth(rng), -tenth(rng), int(rng.integers(3, 6))]
    factors.insert(0, float(rng.choice([1.5, 3.5, 4.5])))
    return [*zip(drawn, factors, strict=True), *((np.asarray(-x), f) for x, f in zip(drawn, others, strict=True))]


def tenth(rng: np.random.Generator) -> float:
    """One of 0.1, 0.2, ..., 0.9, but not 0.5: no float32 is equal to it."""
    return float(rng.choice([1, 2, 3, 4, 6, 7, 8, 9])) / 10


Scaled = Callable[[np.ndarray, float], np.ndarray]


OTHER_PRODUCTS: dict[str, Scaled] = {
    "{} is divided by `factor`": lambda x, factor: x / factor,
    "`factor` is added to {}": lambda x, factor: x + factor,
    "`factor` is subtracted from {}": lambda x, factor: x - factor,
    "`factor` is divided by {}": lambda x, factor: factor / x,
    "{} is multiplied by 2.5, which is only the number of the example": lambda x, factor: x * 2.5,
    "{} is multiplied by the whole part of `factor`": lambda x, factor: x * int(factor),
    "{} is multiplied by `factor` without its sign": lambda x, factor: x * abs(factor),
    "{} is multiplied by `factor` and then squared": lambda x, factor: (x * factor) ** 2,
    "the square of {} is multiplied by `factor`": lambda x, factor: x**2 * factor,
    "{} is multiplied by `factor + 1`": lambda x, factor: x * (factor + 1),
    "{} is multiplied by `factor - 1`": lambda x, factor: x * (factor - 1),
}
"""What is done to x, or to grad_output, instead of a multiplication by `factor`."""


def products_of(name: str) -> dict[str, Scaled]:
    return {words.format(name): product for words, product in OTHER_PRODUCTS.items()}


def exp_inputs(rng: np.random.Generator) -> Sequence[Arguments]:
    return [(rng.uniform(-1.5, 1.5, size=shape),) for shape in [(3,), (2, 3), (2, 1, 3), ()]]


def first_terms(number: int, x: np.ndarray) -> np.ndarray:
    """The first terms of 1 + x + x**2 / 2 + x**3 / 6 + ..."""
    return np.asarray(sum(x**k / math.factorial(k) for k in range(number)))


Entrywise = Callable[[np.ndarray], np.ndarray]


BASES = {"2": 2.0, "10": 10.0, "2.7": 2.7, "2.71": 2.71, "2.72": 2.72, "2.718": 2.718, "2.71828": 2.71828}


SPECS = {
    "KillHead": FunctionSpec(
        kill_head,
        kill_head_inputs,
        mistakes=(
            *family(
                "other_part",
                "zeros must stand in the first n columns, but they stand in {part}",
                lambda part: {"forward": cleared(part)},
                part=OTHER_PARTS,
            ),
            *family(
                "other_part",
                "the result does not depend on the first n columns of x, but the gradient is cleared in {part}",
                lambda part: {"vjp": lambda g, x, n: cleared(part)(g, n)},
                part={words: part for words, part in OTHER_PARTS.items() if words != "the whole matrix"},
            ),
            *family(
                "not_zero",
                "the first n columns of the result are {filled}, not 0",
                lambda filled: {"forward": lambda x, n: kill_head(x, n) + filled(x, n) * (np.arange(x.shape[1]) < n)},
                filled={"1": lambda x, n: 1.0, "n": lambda x, n: n, "-1": lambda x, n: -1.0},
            ),
            Mistake(
                "zeros_of_x",
                "no gradient reaches the entries of x that are 0, but what is cleared depends on the column alone",
                vjp=lambda g, x, n: kill_head(g, n) * (x != 0),
            ),
            Mistake(
                "zeros_of_x",
                "the gradient is cleared only where x is 0, but what is cleared depends on the column alone",
                vjp=lambda g, x, n: g * (x != 0),
            ),
            Mistake(
                "nothing_cleared",
                "the gradient also reaches the first n columns of x, but the result does not depend on them",
                vjp=lambda g, x, n: g,
            ),
            *family(
                "slope",
                "the gradient contains {slope}: the slope of a number that is only copied is 1, and of the others 0",
                lambda slope: {"vjp": lambda g, x, n: g * slope(x, n)},
                slope={
                    "a factor n": lambda x, n: n,
                    "a factor n in the columns that are kept": lambda x, n: n * kill_head(np.ones_like(x), n),
                    "x": lambda x, n: x,
                    "the result": kill_head,
                },
            ),
        ),
        holds={
            "Write a Function `KillHead.apply(x, n)`": "structure, runs, forward, argument_changed, other_part",
            "`n` is a whole number, $0": "explains",
            "In plain Python, one entry at a time:": "explains",
            "For example:": "explains",
            "The checks: those listed above": "forward, returns, gradient, unchanged, repeat",
        },
    ),
    "Scale": FunctionSpec(
        lambda x, factor: x * factor,
        scale_inputs,
        mistakes=(
            Mistake(
                "factor_ignored",
                "the gradient is grad_output itself, whatever `factor` is",
                vjp=lambda g, x, factor: g,
            ),
            Mistake(
                "times_x",
                "the gradient contains x, but the result is linear in x: its slope does not depend on x",
                vjp=lambda g, x, factor: g * x,
            ),
            Mistake(
                "times_x",
                "the gradient contains x, but the result is linear in x: its slope does not depend on x",
                vjp=lambda g, x, factor: g * x * factor,
            ),
            *family(
                "times_x",
                "the gradient contains x, but the result is linear in x: its slope does not depend on x",
                lambda slope: {"vjp": lambda g, x, factor: slope(g, x, factor)},
                slope={
                    "as a term": lambda g, x, factor: g * factor + x,
                    "as a divisor": lambda g, x, factor: g * factor / x,
                    "and the factor added": lambda g, x, factor: g * (x + factor),
                },
            ),
            *family(
                "other_product",
                "x must be multiplied by `factor`, but {product}",
                lambda product: {"forward": product},
                product=products_of("x"),
            ),
            Mistake(
                "float32",
                "the result is right to 7 or 8 digits only: `factor` goes through a float32",
                forward=lambda x, factor: x * float(np.float32(factor)),
            ),
            *family(
                "other_product",
                "{product}: look again at how much the result moves when x moves a little",
                lambda product: {"vjp": lambda g, x, factor: product(g, factor)},
                product={
                    words: product for words, product in products_of("grad_output").items() if "square" not in words
                },
            ),
        ),
        holds={
            "Write a Function `Scale.apply(x, factor)`": "structure, runs, forward, other_product",
            "`x` can have any shape.": "runs, forward, gradient",
            "For example:": "explains",
            "`factor` is not a tensor, so it has no gradient": "returns",
            "The checks: those listed above": "forward, returns, gradient, unchanged, repeat",
            "`factor` is positive or negative": "explains",
        },
    ),
    "Exp": FunctionSpec(
        np.exp,
        exp_inputs,
        mistakes=(
            Mistake(
                "times_x",
                "grad_output is multiplied by x itself, but x is not the slope of exp at x",
                vjp=lambda g, x: g * x,
            ),
            Mistake(
                "exp_twice",
                "the slope used is exp(exp(x)): the exponential is taken twice",
                vjp=lambda g, x: g * np.exp(np.exp(x)),
            ),
            Mistake(
                "slope_one",
                "the gradient is grad_output itself, as if the slope of exp were 1 everywhere",
                vjp=lambda g, x: g,
            ),
            Mistake(
                "power_rule",
                (
                    "the slope used is x * exp(x - 1), but the power rule is for a variable base, "
                    "and here the exponent varies"
                ),
                vjp=lambda g, x: g * x * np.exp(x - 1),
            ),
            Mistake(
                "exp_of_grad_output",
                (
                    "backward takes the exponential of grad_output, but it must multiply "
                    "grad_output by the slope of exp at x"
                ),
                vjp=lambda g, x: np.exp(g),
            ),
            *family(
                "slope",
                "the slope used is {slope}: that is not how steep exp is at x",
                lambda slope: {"vjp": lambda g, x: g * slope(np.exp(x))},
                slope={
                    "the square of the result": np.square,
                    "1 / result": lambda y: 1 / y,
                    "result - 1": lambda y: y - 1,
                    "1 - result": lambda y: 1 - y,
                    "1 + result": lambda y: 1 + y,
                    "1 - result squared, as for tanh": lambda y: 1 - y**2,
                    "result * (1 - result), as for the sigmoid": lambda y: y * (1 - y),
                    "the square root of the result": np.sqrt,
                    "the result times the logarithm of the result": lambda y: y * np.log(y),
                    "exp(x - 1), the exponential of another number": lambda y: y / np.e,
                    "exp(x + 1), the exponential of another number": lambda y: y * np.e,
                },
            ),
            *family(
                "not_multiplied",
                "{join}, but grad_output must be multiplied by the slope",
                lambda join: {"vjp": lambda g, x: join(g, np.exp(x))},
                join={
                    "the result is added to grad_output": lambda g, y: g + y,
                    "the result is subtracted from grad_output": lambda g, y: g - y,
                    "the result is divided by grad_output": lambda g, y: y / g,
                    "the result is multiplied by the exponential of grad_output": lambda g, y: np.exp(g) * y,
                    "the result is taken to the power of grad_output": lambda g, y: y**g,
                },
            ),
            *family(
                "other_base",
                "the result is {base} to the power of x, not e to the power of x",
                lambda base: {"forward": lambda x: base**x, "vjp": lambda g, x: g * base**x},
                base=BASES,
            ),
            *family(
                "other_function",
                "the result is {function}, not the exponential of x",
                lambda function: {"forward": function, "vjp": lambda g, x: g * function(x)},
                function={
                    "the exponential of -x": lambda x: np.exp(-x),
                    "the exponential of |x|": lambda x: np.exp(np.abs(x)),
                    "exp(x) - 1": np.expm1,
                    "the exponential of 2 * x": lambda x: np.exp(2 * x),
                    "the exponential of the square of x": lambda x: np.exp(x**2),
                    "e times x": lambda x: np.e * x,
                    "exp(exp(x))": lambda x: np.exp(np.exp(x)),
                    "1 + x": lambda x: 1 + x,
                },
            ),
            *family(
                "too_few_terms",
                "the result is the sum of the first {terms} terms of the power series, which is near enough for small x only",
                lambda terms: {"forward": lambda x: first_terms(terms, x)},
                terms={str(number): number for number in (3, *range(5, 15))},  # 4: a row of wrong_generic.py
            ),
        ),
        holds={
            "Write a Function `Exp.apply(x)`": "structure, runs, forward, other_base",
            "For example:": "explains",
            "Here `backward` needs a tensor from `forward`.": "explains",
            "The way to keep a tensor is `ctx.save_for": "explains",
            "In `backward`, the tuple `ctx.saved_tensors`": "explains",
            "Save the **result**, not `x`.": "from_result",
            "Then `backward` stays right if `x` is changed": "from_result",
            "(The engine's own `exp` does the same.)": "explains",
            "The checks: those listed above": "forward, returns, gradient, unchanged, repeat",
            "One more check changes `x` in place": "from_result",
        },
    ),
}
