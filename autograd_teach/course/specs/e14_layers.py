"""The specification of notebook 14, parts of networks: normalised rows, softplus, interpolation, and two declared gradients."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..checks.spec import Arguments, FunctionSpec, Mistake, family

EPS = 1e-5


Statistic = Callable[[np.ndarray], np.ndarray]


def _mean(x: np.ndarray) -> np.ndarray:
    return np.asarray(x.mean(axis=-1, keepdims=True))


def _variance(x: np.ndarray, ddof: int = 0) -> np.ndarray:
    return np.asarray(x.var(axis=-1, keepdims=True, ddof=ddof))


def _unbiased(x: np.ndarray) -> np.ndarray:
    return _variance(x, ddof=1)


def _spread(variance: np.ndarray) -> np.ndarray:
    return np.asarray(np.sqrt(variance + EPS))


def _norm(centre: Statistic = _mean, variance: Statistic = _variance, spread: Statistic = _spread) -> Statistic:
    """The normalised rows; any part of the formula can be replaced."""
    return lambda x: (x - centre(x)) / spread(variance(x))


layer_norm = _norm()


def layer_norm_inputs(rng: np.random.Generator) -> Sequence[Arguments]:
    """No entry is near the mean of its row; in the last call, entries are so close that eps matters."""
    shapes: list[tuple[tuple[int, ...], Any]] = [
        ((4,), 1.0),
        ((2, 4), 1.0),
        ((4, 4), 1.0),
        ((2, 3, 4), 2.5),
        ((3, 4), np.array([[0.01], [0.002], [0.03]])),
    ]
    steps = np.array([-1.1, -0.4, 0.5, 1.4])
    return [
        (rng.normal(size=(*shape[:-1], 1)) + scale * rng.permuted(steps + rng.uniform(-0.1, 0.1, shape), axis=-1),)
        for shape, scale in shapes
    ]


def _layer_norm_vjp(
    mean: Callable[..., Any] = lambda g, x, y: _mean(g),
    variance: Callable[..., Any] = lambda g, x, y: y * _mean(g * y),
    spread: Statistic = lambda x: _spread(_variance(x)),
    y: Statistic = layer_norm,
) -> dict[str, Any]:
    """The gradient: grad_output minus the parts through the mean and through the variance, divided by the spread."""
    return {"vjp": lambda g, x: (g - mean(g, x, y(x)) - variance(g, x, y(x))) / spread(x)}


def _by_spread(spread: Statistic) -> dict[str, Any]:
    """The gradient of rows that are divided by another spread."""
    return _layer_norm_vjp(spread=spread, y=lambda x: (x - _mean(x)) / spread(x))


def _spread_over_columns(x: np.ndarray) -> np.ndarray:
    """Without keepdim, for square matrices only, because others raise."""
    if x.ndim == 1 or x.shape[0] != x.shape[1]:
        return layer_norm(x)
    return np.asarray((x - x.mean(axis=-1)) / _spread(x.var(axis=-1)))


_SIZES = {f"{size:g}": size for size in (1.0, *(10.0**-k for k in range(1, 13) if k != 5))}


_AXES: dict[str, Callable[[np.ndarray], Any]] = {
    "of all entries together": lambda x: None,
    "along the first dimension": lambda x: 0,
    "along the dimension before the last": lambda x: max(x.ndim - 2, 0),
    "along dimension 1": lambda x: min(1, x.ndim - 1),
    "along the last two dimensions": lambda x: tuple(range(x.ndim))[-2:],
}


def _averaged(x: np.ndarray, axis: Any) -> np.ndarray:
    return np.asarray(x.mean(axis=axis, keepdims=True))


def _along(of_mean: bool, of_variance: bool, axis: Callable[[np.ndarray], Any]) -> dict[str, Any]:
    """forward with the mean, the variance or both along other dimensions."""

    def variance(x: np.ndarray) -> np.ndarray:
        return np.asarray(x.var(axis=axis(x), keepdims=True)) if of_variance else _variance(x)

    return {"forward": _norm(lambda x: _averaged(x, axis(x) if of_mean else -1), variance)}


_FACTORS: dict[str, Callable[[int], float]] = {
    "is missing": lambda n: 0,
    "has the wrong sign": lambda n: -1,
    "is a sum over the row instead of a mean": lambda n: n,
    "is divided by n - 1 instead of n": lambda n: n / (n - 1),
    "is twice as large as it must be": lambda n: 2,
    "is half as large as it must be": lambda n: 0.5,
}


def _parts(mean: Callable[[int], float], variance: Callable[[int], float]) -> dict[str, Any]:
    return _layer_norm_vjp(
        lambda g, x, y: mean(x.shape[-1]) * _mean(g), lambda g, x, y: variance(x.shape[-1]) * y * _mean(g * y)
    )


_PARTS = "the part of the gradient that goes through the mean {mean}, the part through the variance {variance}"


_RIGHT: dict[str, Callable[[int], float]] = {"is right": lambda n: 1}


LAYER_NORM_MISTAKES = (
    *family(
        "spread",
        "forward {spread}{n}",
        lambda spread, n: {"forward": _norm(variance=n, spread=spread)},
        spread={
            "leaves eps out: it matters where the entries of a row are nearly equal": np.sqrt,
            "adds eps to the root of the variance, but eps must be added to the variance, before the root": lambda v: (
                np.sqrt(v) + EPS
            ),
            "adds the root of eps to the root of the variance, but one root must be taken of their sum": lambda v: (
                np.sqrt(v) + np.sqrt(EPS)
            ),
            "takes the larger of variance and eps, but eps must be added to the variance": lambda v: np.sqrt(
                np.maximum(v, EPS)
            ),
            "subtracts eps from the variance, but eps must be added": lambda v: np.sqrt(v - EPS),
            "divides by the variance, but it must divide by its root": lambda v: v + EPS,
            "multiplies by the spread of the row, but it must divide by it": lambda v: 1 / _spread(v),
        },
        n={"": _variance, "; and it divides the squares by n - 1 for the variance, but it must divide by n": _unbiased},
    ),
    *family(
        "variance",
        "forward {wrong}",
        lambda wrong: {"forward": _norm(variance=wrong)},
        wrong={
            "divides the squares by n - 1 for the variance, but it must divide by n": _unbiased,
            "adds up the squares for the variance, but it must take their mean": lambda x: x.shape[-1] * _variance(x),
            "divides the squares of a row by the number of all entries of x, but n is the number of entries of a "
            "row": lambda x: x.shape[-1] * _variance(x) / x.size,
            "divides the squares of a row by the number of rows, but n is the number of entries of a row": lambda x: (
                x.shape[-1] * _variance(x) / x.shape[0]
            ),
            "takes the squares of the entries themselves for the variance, but the mean must be subtracted "
            "first": lambda x: _mean(x**2),
            "takes the squares of the distances for the variance from the mean of all entries, but each row has its "
            "own mean": lambda x: _mean((x - x.mean()) ** 2),
            "takes the mean of the squares and subtracts the mean of the row, but not its square": lambda x: abs(
                _mean(x**2) - _mean(x)
            ),
            "takes the mean distance from the mean of the row in place of the root of the variance": lambda x: (
                (_mean(abs(x - _mean(x))) + EPS) ** 2 - EPS
            ),
            "takes the largest squared distance for the variance, but it must take the mean": lambda x: (
                (x - _mean(x)) ** 2
            ).max(axis=-1, keepdims=True),
            "takes the mean distance from the mean of the row, but the distances must be squared": lambda x: _mean(
                abs(x - _mean(x))
            ),
        },
    ),
    *family(
        "eps",
        "forward adds {size} to the variance, but the statement gives another eps",
        lambda size: {"forward": _norm(spread=lambda v: np.sqrt(v + size))},
        size=_SIZES,
    ),
    *family(
        "axis",
        "forward takes {statistic} {axis}, but each row of the last dimension has its own",
        lambda statistic, axis: _along(statistic[0], statistic[1], axis),
        statistic={"mean and variance": (True, True), "the mean": (True, False), "the variance": (False, True)},
        axis=_AXES,
    ),
    *family(
        "whole",
        "forward {wrong}",
        lambda wrong: {"forward": wrong},
        wrong={
            "does not subtract the mean": _norm(centre=lambda x: 0 * x),
            "adds the mean, but it must subtract it": _norm(centre=lambda x: -_mean(x)),
            "gives each row with the wrong sign": lambda x: -layer_norm(x),
            "subtracts the mean of all entries and takes the variance around it, but each row of the last dimension "
            "has its own mean": _norm(lambda x: x.mean(keepdims=True), lambda x: _mean((x - x.mean()) ** 2)),
            "subtracts the mean, but does not divide by the spread of the row": lambda x: x - _mean(x),
            "does not subtract the mean, neither in the numerator nor in the variance": _norm(
                lambda x: 0 * x, lambda x: _mean(x**2)
            ),
            "divides by the distance between the largest and the smallest entry of a row": lambda x: (
                (x - _mean(x)) / (x.max(axis=-1, keepdims=True) - x.min(axis=-1, keepdims=True) + EPS)
            ),
            "subtracts the mean after the division, but it must subtract it before": lambda x: (
                x / _spread(_variance(x)) - _mean(x)
            ),
            "divides the mean alone by the spread": lambda x: x - _mean(x) / _spread(_variance(x)),
            "lacks a dimension of size 1 in the mean and the variance, so that they are spread over the columns": (
                _spread_over_columns
            ),
            "adds eps to the result, but it must be added to the variance": lambda x: (
                (x - _mean(x)) / np.sqrt(_variance(x)) + EPS
            ),
        },
    ),
    *family("parts", _PARTS, _parts, mean=dict([*_FACTORS.items()][:4]), variance=_RIGHT | _FACTORS),
    *family("parts", _PARTS, _parts, mean=_RIGHT, variance=_FACTORS),
    *family(
        "variance_part",
        "{wrong} (the part of the gradient through the variance){mean}",
        lambda wrong, mean: _layer_norm_vjp(mean, wrong),
        wrong={
            "a division by the spread of the row is missing": lambda g, x, y: y * _mean(g * (x - _mean(x))),
            "two divisions by the spread of the row are missing": lambda g, x, y: (
                (x - _mean(x)) * _mean(g * (x - _mean(x)))
            ),
            "x stands where the normalised row must stand": lambda g, x, y: x * _mean(g * x),
            "x stands there where x - mean must stand": lambda g, x, y: x * _mean(g * x) / (_variance(x) + EPS),
            "x stands inside the mean where x - mean must stand": lambda g, x, y: (
                y * _mean(g * x) / _spread(_variance(x))
            ),
            "x stands in front of the mean where x - mean must stand": lambda g, x, y: (
                x * _mean(g * y) / _spread(_variance(x))
            ),
            "each entry of a row gets the same: the factor y in front of the mean is missing": lambda g, x, y: _mean(
                g * y
            ),
            "the mean is of grad_output alone, but it must weight each entry of grad_output by y": lambda g, x, y: (
                y * _mean(g)
            ),
            "each entry gets only its own contribution, but the variance depends on all entries of the "
            "row": lambda g, x, y: y**2 * g,
            "each entry gets only its own contribution, divided by n, but the variance depends on all entries of the "
            "row": lambda g, x, y: y**2 * g / x.shape[-1],
            "grad_output is missing there: the mean of y squared is used": lambda g, x, y: y * _mean(y * y),
        },
        mean={
            "": lambda g, x, y: _mean(g),
            "; and the part through the mean is missing": lambda g, x, y: 0,
        },
    ),
    *family(
        "diagonal",
        "{wrong}",
        lambda wrong: _layer_norm_vjp(**wrong),
        wrong={
            "each entry of x gets only its effect on its own result, but it acts on every result of its row": {
                "mean": lambda g, x, y: g / x.shape[-1],
                "variance": lambda g, x, y: g * y**2 / x.shape[-1],
            },
            "grad_output is missing in the part of the gradient through the mean": {
                "mean": lambda g, x, y: 1 / x.shape[-1]
            },
            "in the part of the gradient through the mean, each entry gets only its own contribution, but the mean "
            "depends on all entries of the row": {"mean": lambda g, x, y: g / x.shape[-1]},
            "the part of the gradient through the mean is the mean of the row, but it must be made of grad_output": {
                "mean": lambda g, x, y: _mean(x)
            },
        },
    ),
    *family(
        "gradient_axis",
        "the part of the gradient through {part} is averaged {axis}, but each row of the last dimension has its own",
        lambda part, axis: _layer_norm_vjp(
            lambda g, x, y: _averaged(g, axis(x) if part[0] else -1),
            lambda g, x, y: y * _averaged(g * y, axis(x) if part[1] else -1),
        ),
        part={
            "the mean and through the variance": (True, True),
            "the mean": (True, False),
            "the variance": (False, True),
        },
        axis=_AXES,
    ),
    *family(
        "gradient_spread",
        "{wrong}",
        lambda wrong: {"vjp": wrong},
        wrong={
            "the gradient is not divided by the spread of the row: if the row is ten times wider, y moves ten times "
            "less": _layer_norm_vjp(spread=lambda x: np.asarray(1))["vjp"],
            "the gradient is divided by the variance of the row, but it must be divided by the spread": (
                _layer_norm_vjp(spread=lambda x: _variance(x) + EPS)["vjp"]
            ),
            "the gradient is multiplied by the spread of the row: if the row is ten times wider, y moves ten times "
            "less": _layer_norm_vjp(spread=lambda x: 1 / _spread(_variance(x)))["vjp"],
            "only the parts through mean and variance are divided by the spread of the row, but grad_output itself must "
            "be divided too": lambda g, x: (
                g - (_mean(g) + layer_norm(x) * _mean(g * layer_norm(x))) / _spread(_variance(x))
            ),
            "only grad_output itself is divided by the spread of the row, but the parts through mean and variance "
            "must be divided too": lambda g, x: (
                g / _spread(_variance(x)) - _mean(g) - layer_norm(x) * _mean(g * layer_norm(x))
            ),
            "the part of the gradient through the mean is not divided by the spread of the row": lambda g, x: (
                (g - layer_norm(x) * _mean(g * layer_norm(x))) / _spread(_variance(x)) - _mean(g)
            ),
        },
    ),
    *family(
        "gradient_eps",
        "{wrong}",
        lambda wrong: wrong,
        wrong={
            "the gradient leaves eps out, or a much smaller one is used: it matters where the entries of a row are nearly "
            "equal": (_by_spread(lambda x: np.sqrt(_variance(x)))),
            "the gradient is divided by a spread without eps: it matters where the entries of a row are nearly "
            "equal": _layer_norm_vjp(spread=lambda x: np.sqrt(_variance(x))),
            "the gradient leaves eps out of y: it matters where the entries of a row are nearly equal": (
                _layer_norm_vjp(y=lambda x: (x - _mean(x)) / np.sqrt(_variance(x)))
            ),
            "the gradient is made with eps added to the root of the variance, but it must be added to the "
            "variance": _by_spread(lambda x: np.sqrt(_variance(x)) + EPS),
            "this is the gradient for a variance with n - 1 instead of n": {
                "vjp": lambda g, x: (
                    (
                        g
                        - _mean(g)
                        - _norm(variance=_unbiased)(x)
                        * (g * _norm(variance=_unbiased)(x)).sum(axis=-1, keepdims=True)
                        / (x.shape[-1] - 1)
                    )
                    / _spread(_unbiased(x))
                )
            },
            "the spread that backward uses is that of a variance with n - 1 instead of n": (
                _by_spread(lambda x: _spread(_unbiased(x)))
            ),
            "the gradient is divided by the spread of a variance with n - 1 instead of n": (
                _layer_norm_vjp(spread=lambda x: _spread(_unbiased(x)))
            ),
        },
    ),
    *family(
        "gradient_eps",
        "the gradient is that of {size} added to the variance, but the statement gives another eps",
        lambda size: _by_spread(lambda x: np.sqrt(_variance(x) + size)),
        size={word: size for word, size in _SIZES.items() if size > 1e-9},
    ),
)


def softplus(x: np.ndarray) -> np.ndarray:
    return np.asarray(np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x))))


def softplus_inputs(rng: np.random.Generator) -> Sequence[Arguments]:
    """Numbers of usual size, near 800 and -800, and near 5.5, 10.5, 16 and below 0, so that the result is close to x or to 0."""
    shapes = [(3,), (2, 3), (2, 1, 3), ()]
    calls = [(np.asarray(rng.uniform(0.2, 2.5, size=shape) * rng.choice([-1.0, 1.0], size=shape)),) for shape in shapes]
    calls.insert(1, (np.array([800.0, -800.0, 1.0]) + rng.normal(scale=0.1, size=3),))
    sides = rng.permuted(np.array([5.5, 10.5, 16.1, -5.5, -10.5, -20.5]))
    calls.insert(3, (sides + rng.uniform(-0.2, 0.2, size=6),))
    return calls


def _infinite_exp(x: np.ndarray) -> np.ndarray:
    with np.errstate(over="ignore"):
        return np.exp(x)


def _sigmoid(x: np.ndarray) -> np.ndarray:
    return np.asarray(np.exp(x - softplus(x)))


_SIDES: dict[str, tuple[bool, bool]] = {
    "for large x": (True, False),
    "for very negative x": (False, True),
    "for large and for very negative x": (True, True),
}


_FROM = {"4": 4.0, "8": 8.0, "14": 14.0}


_LIMITS = {f"{limit}": float(limit) for limit in (5, 10, 15, 20, 30, 50, 80, 88, 100, 500, 600, 700, 709)}


def _early(of: Statistic, above: Statistic, below: Statistic) -> Callable[..., Statistic]:
    """`of`, but with `above` from some number on, or `below` below minus that number, or both."""

    def make(side: tuple[bool, bool], start: float) -> Statistic:
        def mistaken(x: np.ndarray) -> np.ndarray:
            result = np.where(side[0] & (x > start), above(x), of(x))
            return np.asarray(np.where(side[1] & (x < -start), below(x), result))

        return mistaken

    return make


def _times(wrong: Statistic) -> dict[str, Any]:
    return {"vjp": lambda g, x: g * wrong(x)}


SOFTPLUS_MISTAKES = (
    *family(
        "softplus",
        "forward {wrong}",
        lambda wrong: {"forward": wrong},
        wrong={
            "gives 0 for negative x and x for positive x: the corner is not smooth": lambda x: np.maximum(x, 0),
            "falls where x grows: the exponent has the wrong sign": lambda x: softplus(-x),
            "gives log(1 + exp(-|x|)): for positive x, x itself is missing": lambda x: np.log1p(np.exp(-np.abs(x))),
            "gives the same for x and -x, but it must grow with x": lambda x: softplus(np.abs(x)),
            "gives a negative result for negative x: x is added there too": lambda x: x + np.log1p(np.exp(-np.abs(x))),
            "gives the logistic function: this is the slope": _sigmoid,
            "leaves the logarithm out": lambda x: 1 + _infinite_exp(x),
            "takes exp of |x|, which is huge, but it must be of something that is never positive": lambda x: (
                np.maximum(x, 0) + np.log1p(_infinite_exp(np.abs(x)))
            ),
            "gives x times the logistic function": lambda x: x * _sigmoid(x),
            "gives the logarithm of the logistic function": lambda x: -softplus(-x),
            "gives the result with the wrong sign": lambda x: -softplus(x),
            "takes the logarithm to base 2, but it must be the natural one": lambda x: softplus(x) / np.log(2),
            "subtracts log(2): the result must not be 0 where x is 0": lambda x: softplus(x) - np.log(2),
            "adds the smaller of x and 0, but it must be the larger": lambda x: (
                np.minimum(x, 0) + np.log1p(np.exp(-abs(x)))
            ),
            "subtracts the logarithm from the larger of x and 0, but it must add it": lambda x: (
                np.maximum(x, 0) - np.log1p(np.exp(-abs(x)))
            ),
            "adds log(2 + exp(-|x|)) to the larger of x and 0: the 1 is added twice": lambda x: (
                np.maximum(x, 0) + np.log(2 + np.exp(-abs(x)))
            ),
            "adds 1 + exp(-|x|) to the larger of x and 0, but it must add the logarithm": lambda x: (
                np.maximum(x, 0) + 1 + np.exp(-abs(x))
            ),
            "adds log(1 + exp(-x)) to the larger of x and 0: this is right for positive x only": lambda x: (
                np.maximum(x, 0) + np.log1p(_infinite_exp(-x))
            ),
            "gives exp(x) for negative x and x for positive x": lambda x: np.where(x > 0, x, np.exp(np.minimum(x, 0))),
        },
    ),
    *family(
        "too_early",
        "forward takes a short cut {side}, too early: what it leaves out there can still be seen in a float64",
        lambda side, start: {"forward": _early(softplus, lambda x: x, lambda x: 0 * x)(side, start)},
        side=_SIDES,
        start=_FROM,
    ),
    *family(
        "too_early",
        "forward takes exp(x) itself for very negative x: log(1 + exp(x)) is a little smaller there",
        lambda above: {
            "forward": _early(softplus, lambda x: x, lambda x: np.exp(np.minimum(x, 0)))((above, True), 4.0)
        },
        above={"": False},
    ),
    *family(
        "limited",
        "forward limits x before the formula, so the result stays the same beyond the limit",
        lambda limit, below: {"forward": lambda x: softplus(np.clip(x, -limit if below else None, limit))},
        limit=_LIMITS,
        below={"": False, " below": True},
    ),
    *family(
        "softplus_slope",
        "{wrong}",
        _times,
        wrong={
            "the slope falls where x grows: it is 1/(1 + exp(x)), the slope of the logarithm alone, and the slope of "
            "what is inside it is missing": lambda x: _sigmoid(-x),
            "the slope falls where x grows, and it is negative: the exponent has the wrong sign": lambda x: (
                -_sigmoid(-x)
            ),
            "the slope used is the slope of the logistic function: one derivative too many": lambda x: (
                _sigmoid(x) * _sigmoid(-x)
            ),
            "the slope used is 0 for negative x and 1 for positive x: this is the slope of a corner, but here the "
            "corner is smooth": lambda x: 1.0 * (x > 0),
            "the gradient is grad_output times the result: this is right for exp, but not here": softplus,
            "the gradient is grad_output times x": lambda x: x,
            "the slope used is exp(x), the slope of what is inside the logarithm alone": _infinite_exp,
            "the slope used is the hyperbolic tangent, which is negative for negative x": np.tanh,
            "the slope used rises from 0 to 1, but twice too fast": lambda x: _sigmoid(2 * x),
            "the slope used is taken at the result of forward, but it must be taken at x": lambda x: _sigmoid(
                softplus(x)
            ),
            "the slope used is the same for x and -x": lambda x: _sigmoid(np.abs(x)),
            "the slope used is never larger than 1/2: it is the same for x and -x": lambda x: _sigmoid(-np.abs(x)),
            "grad_output gets through as it is, whatever x is": np.ones_like,
        },
    ),
    *family(
        "slope_too_early",
        "the slope used takes a short cut {side}, too early: it is not yet 0 or 1 there",
        lambda side, start: _times(_early(_sigmoid, np.ones_like, lambda x: 0 * x)(side, start)),
        side=_SIDES,
        start={"4": 4.0, "8": 8.0},
    ),
    *family(
        "slope_limited",
        "x is limited before the slope is computed, so the slope stays the same beyond the limit",
        lambda limit, side: _times(
            lambda x: _sigmoid(np.clip(x, -limit if side[1] else None, limit if side[0] else None))
        ),
        limit={f"{limit}": float(limit) for limit in (1, 2, 3, 4, 5, 6, 7, 8, 10)},
        side=_SIDES,
    ),
    Mistake(
        "slope_added",
        "the slope is added to grad_output, but both must be multiplied",
        vjp=lambda g, x: g + _sigmoid(x),
    ),
)


def interpolate(a: np.ndarray, b: np.ndarray, t: np.ndarray) -> np.ndarray:
    return np.asarray(a * (1 - t) + b * t)


def interpolate_inputs(rng: np.random.Generator) -> Sequence[Arguments]:
    """One t has an entry that is 0 and one that is 1."""
    shapes = [((3,), (3,)), ((2, 3), ()), ((1,), (1,)), ((2, 2), (2, 2)), ((4,), ()), ((2, 1, 3), ()), ((), ())]
    calls = [
        (rng.normal(size=shape), rng.normal(size=shape), np.asarray(rng.uniform(0.1, 0.9, size=of_t)))
        for shape, of_t in shapes
    ]
    calls[3][2][rng.permutation(2), [0, 1]] = [0, 1]
    return calls


def _of_t(t: np.ndarray, each: np.ndarray) -> np.ndarray:
    """The contributions of all entries, added up to the shape of t."""
    return np.asarray(each if t.ndim else each.sum())


_WEIGHTS: dict[str, Callable[[np.ndarray], Any]] = {
    "t": lambda t: t,
    "1 - t": lambda t: 1 - t,
    "t - 1": lambda t: t - 1,
    "-t": lambda t: -t,
    "1": lambda t: 1,
    "1 + t": lambda t: 1 + t,
}


def _weighted(a: Callable[[np.ndarray], Any], b: Callable[[np.ndarray], Any]) -> dict[str, Any]:
    return {"forward": lambda of_a, of_b, t: a(t) * of_a + b(t) * of_b}


def _without(name: str, choices: dict[str, Any]) -> dict[str, Any]:
    return {word: value for word, value in choices.items() if word != name}


_GATHERED: dict[str, Callable[[np.ndarray, np.ndarray], np.ndarray]] = {
    "": _of_t,
    "; and if t is one number, the contributions of the entries are averaged, but they must be added up": lambda t, e: (
        np.asarray(e if t.ndim else e.mean())
    ),
}


_OF_WEIGHTS = "not both weights are right: the gradient for a {a}, the gradient for b {b}"


_FACTOR_OF_A: dict[str, Callable[..., Any]] = {
    "has the factor t": lambda g, a, b, t: t * g,
    "has the factor t - 1": lambda g, a, b, t: (t - 1) * g,
    "is grad_output itself": lambda g, a, b, t: g,
    "contains a": lambda g, a, b, t: (1 - t) * a * g,
    "contains b": lambda g, a, b, t: (1 - t) * b * g,
    "is 1 - t * grad_output: parentheses are missing": lambda g, a, b, t: 1 - t * g,
    "is grad_output - t: parentheses are missing": lambda g, a, b, t: g - t,
    "is minus grad_output": lambda g, a, b, t: -g,
}


_FACTOR_OF_B: dict[str, Callable[..., Any]] = {
    "has the factor 1 - t": lambda g, a, b, t: (1 - t) * g,
    "has the factor -t": lambda g, a, b, t: -t * g,
    "is grad_output itself": lambda g, a, b, t: g,
    "contains b": lambda g, a, b, t: t * b * g,
    "contains a": lambda g, a, b, t: t * a * g,
}


def _over(x: np.ndarray, by: np.ndarray | float) -> np.ndarray:
    """x / by, infinite or NaN where `by` is 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.divide(x, by)


INTERPOLATE_MISTAKES = (
    Mistake(
        "ends_swapped",
        "the result is b where t is 0 and a where t is 1: the wrong way round",
        forward=lambda a, b, t: interpolate(b, a, t),
    ),
    Mistake(
        "parentheses",
        "forward computes 1 - t * a + t * b: parentheses are missing",
        forward=lambda a, b, t: 1 - t * a + t * b,
    ),
    Mistake(
        "parentheses",
        "forward multiplies t * b by 1 - t too: parentheses reach too far",
        forward=lambda a, b, t: (1 - t) * (a + t * b),
    ),
    *family(
        "weights",
        "forward gives a the weight {a} and b the weight {b}: what must the result be where t is 0, and where t is 1?",
        _weighted,
        a=_without("1 - t", _WEIGHTS),
        b=_without("1 - t", _WEIGHTS),
    ),
    *family(
        "weights",
        "forward gives a the weight {a} and b the weight {b}: what must the result be where t is 0, and where t is 1?",
        _weighted,
        a={"1 - t": _WEIGHTS["1 - t"]},
        b=_without("t", _WEIGHTS),
    ),
    *family(
        "weights",
        "forward gives a the weight {a} and b the weight {b}: what must the result be where t is 0, and where t is 1?",
        _weighted,
        a=_without("1 - t", _without("t", _WEIGHTS)),
        b={"1 - t": _WEIGHTS["1 - t"]},
    ),
    *family(
        "of_t",
        "the gradient for t {wrong}{also}",
        lambda wrong, also: {"vjp": lambda g, a, b, t: (None, None, also(t, wrong(g, a, b, t)))},
        wrong={
            "depends on b alone, but a loses weight when t grows": lambda g, a, b, t: g * b,
            "depends on a alone, but b gains weight when t grows": lambda g, a, b, t: -g * a,
            "depends on a alone, and with the wrong sign: b gains weight when t grows": lambda g, a, b, t: g * a,
            "contains a + b, but when t grows, a loses weight and b gains weight": lambda g, a, b, t: g * (a + b),
            "contains neither a nor b, but their distance says how fast the result moves": lambda g, a, b, t: g,
            "contains t, but the result moves equally fast for every t": lambda g, a, b, t: g * t * (b - a),
            "contains 1 - t, but the result moves equally fast for every t": lambda g, a, b, t: g * (1 - t) * (b - a),
            "contains 1 - a, but only the weights are parts of 1": lambda g, a, b, t: g * (1 - a + b),
            "contains the result of forward, but not the distance from a to b": lambda g, a, b, t: (
                g * interpolate(a, b, t)
            ),
            "has the wrong sign: where b is larger than a, the result grows with t": lambda g, a, b, t: g * (a - b),
            "contains the size of the distance from a to b, but its sign matters too": lambda g, a, b, t: (
                g * abs(b - a)
            ),
        },
        also=_GATHERED,
    ),
    *family(
        "divided_by_t",
        "the gradient for t is NaN where t is {end}: the distance from a to b is computed by a division by 0 there",
        lambda end: {"vjp": lambda g, a, b, t: (None, None, _of_t(t, g * end(a, b, t)))},
        end={
            "0": lambda a, b, t: _over(interpolate(a, b, t) - a, t),
            "1": lambda a, b, t: _over(b - interpolate(a, b, t), 1 - t),
        },
    ),
    *family(
        "gathered",
        "the gradient for t is right if t has the shape of a, but if t is one number, {wrong}",
        lambda wrong: {"vjp": lambda g, a, b, t: (None, None, np.asarray(g * (b - a) if t.ndim else wrong(g, b - a)))},
        wrong={
            "its gradient here is the mean of what each entry contributes, but the contributions must be added "
            "up": lambda g, d: (g * d).mean(),
            "only a single entry's contribution is taken: that of the first": lambda g, d: (g * d).reshape(-1)[0],
            "only a single entry's contribution is taken: that of the last": lambda g, d: (g * d).reshape(-1)[-1],
            "its gradient is 0": lambda g, d: 0 * d.sum(),
            "only the largest contribution of an entry is taken": lambda g, d: (g * d).max(),
            "its contributions are added up without grad_output": lambda g, d: d.sum(),
        },
    ),
    *family(
        "gathered_apart",
        "the gradient for t is right if t has the shape of a, but if t is one number, grad_output and the distances are "
        "gathered first and multiplied then, but each entry's contribution is a product",
        lambda count: {
            "vjp": lambda g, a, b, t: (
                None,
                None,
                np.asarray(g * (b - a) if t.ndim else g.sum() * (b - a).sum() / count(g.size)),
            )
        },
        count={"sums": lambda n: 1, "a sum and a mean": lambda n: n, "means": lambda n: n**2},
    ),
    *family(
        "of_weights",
        _OF_WEIGHTS,
        lambda a, b: {"vjp": lambda *given: (a(*given), b(*given), None)},
        a=_FACTOR_OF_A,
        b={"is right": lambda g, a, b, t: None} | _FACTOR_OF_B,
    ),
    *family(
        "of_weights",
        _OF_WEIGHTS,
        lambda a, b: {"vjp": lambda *given: (None, b(*given), None)},
        a={"is right": None},
        b=_FACTOR_OF_B,
    ),
)


def gradient_reversal_inputs(rng: np.random.Generator) -> Sequence[Arguments]:
    """Positive strengths, then a negative one and 0."""
    negative = -round(rng.uniform(1.2, 1.9), 2)
    drawn = [np.asarray(rng.normal(size=shape)) for shape in [(3,), (2, 3), (2, 1, 3), (4,), (2,), ()]]
    half, two, three = rng.integers(1, 4) / 4, float(rng.integers(2, 5)), int(rng.integers(2, 5))
    return [*zip(drawn, [float(half), two, three, negative, 0, 1.5], strict=True)]


def _turned(x: np.ndarray, axis: int) -> np.ndarray:
    """The entries in the other order."""
    return np.flip(x, axis) if x.ndim else x


_ORDERS: dict[str, Statistic] = {
    "": lambda x: _turned(x, 0),
    " along the last dimension": lambda x: _turned(x, -1),
    " of all entries": lambda x: x.reshape(-1)[::-1].reshape(x.shape),
}


GRADIENT_REVERSAL_MISTAKES = (
    *family(
        "of_strength",
        "{wrong}",
        lambda wrong: {"vjp": lambda g, x, strength: wrong(g, strength)},
        wrong={
            "the gradient is reversed, but its size is the same whatever strength is": lambda g, s: -g,
            "the gradient is divided by strength, but a larger strength must make it larger": lambda g, s: -_over(g, s),
            "the gradient is divided by strength, and its sign is not reversed": _over,
            "strength is subtracted from grad_output, but it must scale grad_output": lambda g, s: g - s,
            "grad_output is subtracted from strength, but strength must scale grad_output": lambda g, s: s - g,
            "grad_output is reversed and strength subtracted, but strength must scale grad_output": lambda g, s: -g - s,
            "the gradient has the factor 1 - strength": lambda g, s: (1 - s) * g,
            "the gradient has the factor 1 + strength": lambda g, s: (1 + s) * g,
            "the gradient has the factor -(1 + strength)": lambda g, s: -(1 + s) * g,
            "the gradient is multiplied by strength twice": lambda g, s: -(s**2) * g,
            "the gradient is multiplied by strength twice, and its sign is not reversed": lambda g, s: s**2 * g,
            "the gradient is negative everywhere: its sign must be the opposite of that of grad_output": lambda g, s: (
                -abs(s * g)
            ),
            "the size of grad_output is lost: only its sign is used": lambda g, s: -s * np.sign(g),
            "strength is rounded to a whole number on the way": lambda g, s: -int(s) * g,
            "the sign of strength is lost: a negative strength must not reverse the gradient": lambda g, s: -abs(s) * g,
            "a strength of 0 is taken for 1: the gradient must be 0 there": lambda g, s: -(s or 1) * g,
        },
    ),
    Mistake(
        "times_x",
        "the gradient contains x, but the declared one does not",
        vjp=lambda g, x, strength: -strength * g * x,
    ),
    *family(
        "order",
        "the entries of grad_output are put in the opposite order, but it is the sign that must be reversed",
        lambda order, factor: {"vjp": lambda g, x, strength: factor(strength) * order(g)},
        order=_ORDERS,
        factor={"1": lambda s: 1, "s": lambda s: s, "-1": lambda s: -1},
    ),
    *family(
        "forward_order",
        "forward puts the entries of x in the opposite order, but the values stay as they are: only the gradient is "
        "reversed, in its sign",
        lambda order: {"forward": lambda x, strength: order(x)},
        order=_ORDERS,
    ),
    *family(
        "forward_reversed",
        "forward {wrong}: the values stay as they are",
        lambda wrong: {"forward": lambda x, strength: wrong(x, strength)},
        wrong={
            "reverses the sign of x, but only the gradient must be reversed": lambda x, s: -x,
            "reverses the sign of x and multiplies by strength, but only the gradient must be reversed": (
                lambda x, s: -s * x
            ),
            "multiplies x by strength, but strength is for the gradient": lambda x, s: s * x,
            "divides x by strength, but strength is for the gradient": _over,
            "adds strength to x, but strength is for the gradient": lambda x, s: x + s,
            "subtracts strength from x, but strength is for the gradient": lambda x, s: x - s,
            "gives 0 everywhere": lambda x, s: 0 * x,
            "gives the sizes of the entries, without their signs": lambda x, s: abs(x),
        },
    ),
)


def straight_through_inputs(rng: np.random.Generator) -> Sequence[Arguments]:
    """Numbers between -3 and 3, then exact halves, and numbers that an int32 cannot hold."""
    calls: list[Arguments] = []
    for shape in [(3,), (2, 3), (2, 1, 3), ()]:
        whole = rng.integers(-2, 3, size=shape)
        calls.append((np.asarray(whole + rng.uniform(0.1, 0.4, size=shape) * rng.choice([-1.0, 1.0], size=shape)),))
    halves = rng.permuted(np.array([0.5, 1.5, 2.5, -0.5, -1.5, -2.5]))
    halves += 4.0 * np.sign(halves) * rng.integers(0, 2, size=6)
    large = np.array([3e9 + 123, -5e9 - 321]) + rng.uniform(0.6, 0.9, size=2)
    return [*calls[:1], (large,), *calls[1:3], (halves,), calls[3]]


def _halves(wrong: Statistic) -> dict[str, Any]:
    return {"forward": wrong}


ROUND_MISTAKES = (
    *family(
        "halves",
        "where x lies halfway between two whole numbers, forward always {wrong}, but the statement says another rule",
        _halves,
        wrong={
            "rounds up": lambda x: np.floor(x + 0.5),
            "rounds down": lambda x: np.ceil(x - 0.5),
            "rounds away from 0": lambda x: np.sign(x) * np.floor(abs(x) + 0.5),
            "rounds towards 0": lambda x: np.sign(x) * np.ceil(abs(x) - 0.5),
        },
    ),
    *family(
        "nearest",
        "forward {wrong}: it must round to the nearest whole number",
        _halves,
        wrong={
            "cuts off the digits after the point": np.trunc,
            "always rounds down": np.floor,
            "always rounds up": np.ceil,
            "always rounds away from 0": lambda x: np.sign(x) * np.ceil(abs(x)),
            "adds one half and cuts off the digits after the point, which is wrong for negative numbers": lambda x: (
                np.trunc(x + 0.5)
            ),
            "loses the sign of x": lambda x: np.round(abs(x)),
            "gives the sign of x": np.sign,
            "goes through an int32, which cannot hold numbers beyond 2 billion": lambda x: np.where(
                abs(x) < 2.0**31, np.round(x), -(2.0**31)
            ),
            "rounds to one digit after the point": lambda x: np.round(x, 1),
            "rounds to halves": lambda x: np.round(2 * x) / 2,
            "rounds to even numbers only": lambda x: 2 * np.round(x / 2),
            "gives what rounding takes away": lambda x: x - np.round(x),
            "limits x to the numbers from -1 to 1": lambda x: np.clip(np.round(x), -1, 1),
        },
    ),
    *family(
        "passes",
        "{wrong}",
        lambda wrong: {"vjp": wrong},
        wrong={
            "grad_output is rounded too, but only the values must be whole numbers": lambda g, x: np.round(g),
            "grad_output is multiplied by the rounded x, but it must pass unchanged": lambda g, x: g * np.round(x),
            "grad_output is multiplied by x, but it must pass unchanged": lambda g, x: g * x,
            "grad_output is limited to the numbers from -1 to 1, but it must pass unchanged": lambda g, x: np.clip(
                g, -1, 1
            ),
            "the size of grad_output is lost: only its sign is used, but it must pass unchanged": lambda g, x: np.sign(
                g
            ),
            "grad_output is multiplied by the distance from x to the rounded x, but it must pass unchanged": lambda g, x: (
                g * abs(x - np.round(x))
            ),
            "grad_output is multiplied by what rounding takes away, but it must pass unchanged": lambda g, x: (
                g * (x - np.round(x))
            ),
            "grad_output is made smaller the further x lies from a whole number, but it must pass unchanged": lambda g, x: (
                g * (1 - abs(x - np.round(x)))
            ),
            "the mean of grad_output goes to every entry, but each entry gets its own": lambda g, x: g.mean() + 0 * g,
            "the sum of grad_output goes to every entry, but each entry gets its own": lambda g, x: g.sum() + 0 * g,
        },
    ),
    *family(
        "clipped",
        "the gradient passes only where x lies between {limits}, but the declared gradient passes everywhere",
        lambda limits: {"vjp": lambda g, x: g * ((limits[0] <= x) & (x <= limits[1]))},
        limits={"-1 and 1": (-1, 1), "0 and 1": (0, 1), "-1/2 and 1/2": (-0.5, 0.5), "-2 and 2": (-2, 2)},
    ),
    Mistake(
        "true_derivative",
        "the gradient is 0, which is the true derivative of rounding almost everywhere; this exercise declares another "
        "one",
        vjp=lambda g, x: 0 * g,
    ),
    Mistake(
        "positive_only",
        "the gradient passes only where x is positive, but the declared gradient passes everywhere",
        vjp=lambda g, x: g * (x > 0),
    ),
)


SPECS = {
    "LayerNorm": FunctionSpec(
        layer_norm,
        layer_norm_inputs,
        mistakes=LAYER_NORM_MISTAKES,
        holds={
            "For example:": "explains",
            "Write a Function `LayerNorm.apply(x)` that": "structure, runs, forward, axis",
            "A row has $n$ entries": "variance",
            "There are no weights": "runs",
            "The variance is divided by $n$": "forward, variance",
            "This is the longest backward pass of the notebook": "explains",
            "Each entry of `x` reaches all results of its row": "gradient, parts",
            "Work it out on paper first": "explains",
            "The checks: those listed above, for `x` with one, two": "eps, spread",
        },
    ),
    "Softplus": FunctionSpec(
        softplus,
        softplus_inputs,
        second=4,
        mistakes=SOFTPLUS_MISTAKES,
        holds={
            "For example:": "explains",
            "Write a Function `Softplus.apply(x)` that": "structure, runs, forward",
            "The formula as it stands fails for large numbers": "explains",
            "Your Function must give the right numbers for 800": "forward, gradient, double_backward",
            "A short cut such as `x` itself for large": "forward, too_early",
            "At $x = 10$ the result is 10.0000454": "forward, too_early",
            "The checks: those listed above, for `x` with one, two": "explains",
            "One more check: `backward` can be differentiated": "double_backward",
        },
    ),
    "Interpolate": FunctionSpec(
        interpolate,
        interpolate_inputs,
        mistakes=INTERPOLATE_MISTAKES,
        holds={
            "For example:": "explains",
            "Write a Function `Interpolate.apply(a, b, t)` that": "structure, runs, forward",
            "The tensor `t` has either the same shape too": "runs, forward, gathered",
            "All three arguments have a gradient": "returns, gradient",
            "The checks: those listed above, for several shapes": "explains",
            "One more check: `backward` can be differentiated": "double_backward",
        },
    ),
    "GradientReversal": FunctionSpec(
        lambda x, strength: x.copy(),
        gradient_reversal_inputs,
        vjp=lambda g, x, strength: -strength * g,
        mistakes=GRADIENT_REVERSAL_MISTAKES,
        holds={
            "For example:": "explains",
            "Write a Function `GradientReversal.apply(x, strength)`": "structure, runs, forward, forward_reversed",
            "`strength` is a plain number": "runs, returns",
            "The declared gradient for `x` is": "gradient, of_strength",
            "The part of a network before this Function then": "explains",
            "For example, it learns to hide something": "explains",
            "The checks: those listed above, for `x` with one, two": "explains",
            "The gradient is compared with the declared one": "gradient",
            "The result may share the memory of `x`": "explains",
        },
    ),
    "StraightThroughRound": FunctionSpec(
        np.round,
        straight_through_inputs,
        vjp=lambda g, x: g,
        mistakes=ROUND_MISTAKES,
        holds={
            "For example:": "explains",
            "Write a Function `StraightThroughRound.apply(x)` that": "structure, runs, forward, nearest",
            "A number halfway between two whole numbers": "forward, halves",
            "The derivative of rounding is 0 almost everywhere": "explains",
            "The declared gradient is `grad_output`, unchanged": "gradient, passes",
            "The checks: those listed above, for `x` with one, two": "explains",
            "The gradient is compared with the declared one": "gradient",
        },
    ),
}
