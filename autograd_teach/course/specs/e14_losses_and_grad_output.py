"""The specification of notebook 14, the losses: Huber, cross entropy, and the logarithm of a sum of exponentials."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..checks.spec import Arguments, FunctionSpec, Mistake, family

Term = Callable[[np.ndarray, float], np.ndarray]
"""Maps (error, delta) to a part of the Huber loss of each entry, or to its slope."""


def _parabola(error: np.ndarray, delta: float) -> np.ndarray:
    return error**2 / 2


def _line(error: np.ndarray, delta: float) -> np.ndarray:
    return delta * (abs(error) - delta / 2)


def _small(error: np.ndarray, delta: float) -> np.ndarray:
    return abs(error) <= delta


def _huber(
    parabola: Term = _parabola,
    line: Term = _line,
    small: Term = _small,
    reduce: Callable[[np.ndarray], Any] = np.mean,
) -> Callable[..., np.ndarray]:
    """The loss; any part of the formula can be replaced."""

    def forward(input: np.ndarray, target: np.ndarray, delta: float) -> np.ndarray:
        error = input - target
        costs = np.where(small(error, delta), parabola(error, delta), line(error, delta))
        return np.asarray(reduce(costs))

    return forward


huber = _huber()


def huber_inputs(rng: np.random.Generator) -> Sequence[Arguments]:
    """Errors on both sides of delta, none near it; the last call but one has errors of 0. All but the first delta are drawn."""
    calls: list[Arguments] = []
    for shape, about in [((3,), 0.5), ((2, 3), 2.0), ((2, 1, 3), 0.8), ((4, 2), 3.0), ((), 1.5)]:
        delta = round(about * rng.uniform(0.85, 1.15), 2) if calls else about
        target = rng.normal(size=shape)
        inside, beyond = rng.uniform(0.2, 0.8, size=shape), rng.uniform(1.3, 2.5, size=shape)
        size = np.where(np.arange(target.size).reshape(shape) % 2 == 0, beyond, inside)
        error = delta * size * rng.choice([-1.0, 1.0], size=shape)
        if shape == (4, 2):
            error[:, 1] = [0, 0, -1, 1] * error[:, 1]
        calls.append((np.asarray(target + error), target, delta))
    return calls


def _slope(error: np.ndarray, delta: float) -> np.ndarray:
    return np.clip(error, -delta, delta)


def _huber_vjp(slope: Term, count: Callable[[np.ndarray], float] = np.size) -> Callable[..., Any]:
    """The gradients from a slope, which may be wrong, divided by a number, which may not be the number of entries."""

    def vjp(g: np.ndarray, input: np.ndarray, target: np.ndarray, delta: float) -> tuple[np.ndarray, np.ndarray]:
        share = g * slope(input - target, delta) / count(input)
        return share, -share

    return vjp


def _beyond(slope: Term) -> Term:
    """The slope that is wrong for large errors only."""
    return lambda error, delta: np.where(abs(error) <= delta, error, slope(error, delta))


def _within(slope: Term) -> Term:
    """The slope that is wrong for small errors only."""
    return lambda error, delta: np.where(abs(error) <= delta, slope(error, delta), delta * np.sign(error))


def _first_size(x: np.ndarray) -> int:
    return x.shape[0] if x.ndim else 1


def _last_size(x: np.ndarray) -> int:
    return x.shape[-1] if x.ndim else 1


_SLOPES: dict[str, Term] = {
    "the gradient grows with the error also beyond delta, but the loss is a straight line there and its "
    "slope is constant": lambda e, d: e,
    "the gradient has the same size for every error, as for an absolute value, but within delta the slope "
    "depends on the error": lambda e, d: d * np.sign(e),
    "the gradient has size 1 for every error, as for an absolute value": lambda e, d: np.sign(e),
    "beyond delta the slope used is 1 or -1, whatever delta is, but the straight line is steeper for a "
    "larger delta": _beyond(lambda e, d: np.sign(e)),
    "beyond delta the gradient is positive for both signs of the error": _beyond(lambda e, d: d + 0 * e),
    "beyond delta the gradient for input is negative for both signs of the error": _beyond(lambda e, d: -d + 0 * e),
    "beyond delta the gradient has the wrong sign": _beyond(lambda e, d: -d * np.sign(e)),
    "beyond delta the gradient is 0, but the straight line has a slope": _beyond(lambda e, d: 0 * e),
    "beyond delta the slope used is half of the slope of the straight line": _beyond(lambda e, d: d / 2 * np.sign(e)),
    "beyond delta the slope used contains the error, but a straight line has the same slope everywhere": _beyond(
        lambda e, d: d * e
    ),
    "beyond delta the slope used is the cost itself, not its derivative": _beyond(_line),
    "the gradient is limited for positive errors only, but a large negative error has a constant slope "
    "too": lambda e, d: np.minimum(e, d),
    "the gradient is limited for negative errors only, but a large positive error has a constant slope "
    "too": lambda e, d: np.maximum(e, -d),
    "the gradient is 0 where the error is negative": lambda e, d: np.clip(e, 0, d),
    "the gradient is that of a positive error, whatever sign the error has": lambda e, d: _slope(abs(e), d),
    "the gradient is limited to -1 and 1, whatever delta is": lambda e, d: np.clip(e, -1, 1),
    "the slope changes from the parabola to the straight line at an error of 1, whatever delta is": lambda e, d: (
        np.where(abs(e) <= 1, e, d * np.sign(e))
    ),
    "the two slopes have changed places: the error itself is the slope of the parabola, which is for "
    "small errors": lambda e, d: np.where(abs(e) > d, e, d * np.sign(e)),
    "within delta the gradient is twice as large as the slope of the parabola": _within(lambda e, d: 2 * e),
    "within delta the gradient is half of the slope of the parabola": _within(lambda e, d: e / 2),
    "within delta the slope used is the cost itself, not its derivative": _within(_parabola),
    "within delta the gradient is 0, but the parabola has a slope": _within(lambda e, d: 0 * e),
    "the gradient contains the size of the error where the error must have its sign": _within(lambda e, d: abs(e)),
    "the gradient is divided by delta: its size is never larger than 1 before the mean": lambda e, d: _slope(e, d) / d,
}


HUBER_MISTAKES = (
    *family(
        "huber_mean",
        "forward {wrong}, but the result must be the mean of all of them",
        lambda wrong: {"forward": _huber(reduce=wrong)},
        wrong={
            "adds up the losses of all entries": np.sum,
            "divides the sum of the losses by the size of the first dimension": lambda c: c.sum() / _first_size(c),
            "divides the sum of the losses by the size of the last dimension": lambda c: c.sum() / _last_size(c),
            "takes the largest of the losses": np.max,
            "takes the median of the losses": np.median,
            "divides the mean of the losses by their number once more": lambda c: c.mean() / c.size,
            "takes the root of the mean of the losses": lambda c: np.sqrt(c.mean()),
        },
    ),
    *family(
        "huber_cost",
        "{wrong}{also}",
        lambda wrong, also: {"forward": _huber(**wrong, reduce=also)},
        wrong={
            "forward squares every error, but beyond delta the loss must be a straight line": {"line": _parabola},
            "forward uses the straight line for every error, but within delta the loss must be a parabola": {
                "parabola": _line
            },
            "the loss jumps where the error is delta: the parabola ends at delta²/2 there, but the straight line "
            "begins at delta²": {"line": lambda e, d: d * abs(e)},
            "the loss jumps where the error is delta: the parabola ends at delta²/2 there, but the straight line "
            "begins at 0": {"line": lambda e, d: d * (abs(e) - d)},
            "the loss jumps where the error is delta: the straight line is too high, because a term is added "
            "there that must be subtracted": {"line": lambda e, d: d * (abs(e) + d / 2)},
            "the squared errors are not halved, so the parabola and the straight line do not meet at delta": {
                "parabola": lambda e, d: e**2
            },
            "the errors within delta are not squared": {"parabola": lambda e, d: abs(e) / 2},
            "the straight line rises with slope 1 whatever delta is, but the parabola has the slope delta where "
            "they meet": {"line": lambda e, d: abs(e) - d / 2},
            "what is subtracted in the straight line is delta/2 in the end, so the parabola and the line meet only "
            "if delta is 1": {"line": lambda e, d: d * (abs(e) - 0.5)},
            "what is subtracted in the straight line does not depend on delta, so the parabola and the line meet "
            "only if delta is 1": {"line": lambda e, d: d * abs(e) - 0.5},
            "the straight line contains the error with its sign: a large negative error has a negative cost": {
                "line": lambda e, d: d * (e - d / 2)
            },
            "the result is divided by delta: this is a related loss, whose slope is 1 beyond delta": {
                "parabola": lambda e, d: e**2 / 2 / d,
                "line": lambda e, d: abs(e) - d / 2,
            },
            "forward compares the error with delta, but a negative error must be compared by its size": {
                "small": lambda e, d: e <= d
            },
            "the two formulas have changed places: the parabola is for the small errors, the line for the large": {
                "small": lambda e, d: abs(e) > d
            },
            "forward changes to the straight line where the error is 1, whatever delta is": {
                "small": lambda e, d: abs(e) <= 1
            },
            "forward changes to the straight line at half of delta": {"small": lambda e, d: abs(e) <= d / 2},
            "forward compares the squared error with delta": {"small": lambda e, d: e**2 <= d},
            "forward ignores delta: it computes the loss for delta = 1": {
                "line": lambda e, d: abs(e) - 0.5,
                "small": lambda e, d: abs(e) <= 1,
            },
        },
        also={
            "": np.mean,
            "; and the losses of all entries are added up, but the result must be their mean": np.sum,
        },
    ),
    *family(
        "huber_slope",
        "{slope}{also}",
        lambda slope, also: {"vjp": _huber_vjp(slope, also)},
        slope=_SLOPES,
        also={
            "": np.size,
            "; and the division by the number of entries is missing": lambda x: 1,
        },
    ),
    *family(
        "huber_slope_of_one",
        "{slope} (only in the gradient for {of})",
        lambda slope, of: {"vjp": lambda *given: of(*_huber_vjp(slope)(*given))},
        slope=_SLOPES,
        of={
            "input": lambda first, second: (first, None),
            "target": lambda first, second: (None, second),
        },
    ),
    *family(
        "huber_count",
        "the gradient is {wrong}, but the loss is a mean over all entries",
        lambda wrong: {"vjp": _huber_vjp(_slope, wrong)},
        wrong={
            "not divided by the number of entries": lambda x: 1,
            "divided by the size of the first dimension": _first_size,
            "divided by the size of the last dimension": _last_size,
            "divided by the number of entries twice": lambda x: x.size**2,
        },
    ),
)


def log_softmax(logits: np.ndarray, axis: int | None = 1) -> np.ndarray:
    shifted = logits - logits.max(axis=axis, keepdims=True)
    return np.asarray(shifted - np.log(np.exp(shifted).sum(axis=axis, keepdims=True)))


def _softmax(logits: np.ndarray, axis: int | None = 1) -> np.ndarray:
    return np.exp(log_softmax(logits, axis))


def _at(values: np.ndarray, target: np.ndarray) -> np.ndarray:
    """The entry of each row at its class; -1 is the last, as in any index."""
    return values[np.arange(len(target)), target]


def cross_entropy(logits: np.ndarray, target: np.ndarray) -> np.ndarray:
    return np.asarray(-_at(log_softmax(logits), target).mean())


def cross_entropy_inputs(rng: np.random.Generator) -> Sequence[Arguments]:
    """Usual rows, then rows near 1000, rows with largest entries 1000s apart, and one with its class 1000 below the others."""
    calls: list[Arguments] = []
    for (rows, columns), centre in [((2, 3), 0.0), ((1, 4), 0.0), ((4, 3), 0.0), ((2, 3), 1000.0)]:
        logits = centre + rng.normal(scale=1.5, size=(rows, columns))
        calls.append((logits, (columns - 1 - np.arange(rows)) % columns))
    apart = np.array([[1000.0], [-1000.0]]) + rng.normal(scale=1.5, size=(2, 3))
    below = rng.normal(scale=1.5, size=(2, 4)) - np.array([[0.0, 0, 0, 0], [0, 0, 1000, 0]])
    calls += [(apart, np.array([2, 0])), (below, np.array([3, 2]))]
    orders = [rng.permutation(logits.shape[1]) for logits, _ in calls]  # so that the classes are drawn, too
    return [(x[:, order], np.argsort(order)[target]) for (x, target), order in zip(calls, orders, strict=True)]


def _after(logits: np.ndarray, target: np.ndarray) -> np.ndarray:
    return (target + 1) % logits.shape[1]


def _one_hot(logits: np.ndarray, target: np.ndarray) -> np.ndarray:
    return np.eye(logits.shape[1])[target]


def _over(losses: Callable[..., Any], reduce: Callable[..., Any] = np.mean) -> Callable[..., np.ndarray]:
    """The loss from the losses of the rows."""
    return lambda logits, target: np.asarray(reduce(losses(logits, target)))


def _row(number: int) -> Callable[..., Any]:
    return lambda logits, target: -_at(log_softmax(logits), target)[number]


def _of_other_classes(logits: np.ndarray, target: np.ndarray) -> np.ndarray:
    others = np.where(_one_hot(logits, target) > 0, -np.inf, logits)
    return log_sum_exp(others) - _at(logits, target)


def _wanted(logits: np.ndarray, target: np.ndarray) -> np.ndarray:
    return _at(_softmax(logits), target)


_Part = Callable[..., np.ndarray]


def _cross_entropy_vjp(
    probabilities: Callable[[np.ndarray], np.ndarray] = _softmax,
    wanted: _Part = _one_hot,
    count: Callable[[np.ndarray], float] = len,
) -> Callable[..., np.ndarray]:
    """The gradient; any part of the formula can be replaced."""
    return lambda g, logits, target: g * (probabilities(logits) - wanted(logits, target)) / count(logits)


def _infinite_log(p: np.ndarray) -> np.ndarray:
    """-log(p), infinite where p is 0."""
    with np.errstate(divide="ignore"):
        return -np.log(p)


def _shifted_by_one_maximum(logits: np.ndarray, target: np.ndarray) -> np.ndarray:
    shifted = logits - logits.max()
    return -_at(shifted, target) - _infinite_log(np.exp(shifted).sum(axis=1))


def _shares_by_one_maximum(logits: np.ndarray) -> np.ndarray:
    """The softmax, NaN in the rows that lie too far below the largest entry of all."""
    weights = np.exp(logits - logits.max())
    with np.errstate(invalid="ignore"):
        return np.asarray(weights / weights.sum(axis=-1, keepdims=True))


_ROWS: dict[str, Callable[[np.ndarray], float]] = {
    "": len,
    "; and the division by the number of rows is missing": lambda logits: 1,
}


_TINY = [10.0**-k for k in (*range(3, 17), 20, 30)] + [float(np.finfo(np.float32).eps), float(np.finfo(float).eps)]


_LIMITS = {f"{limit}": float(limit) for limit in (10, 20, 30, 50, 80, 88, 100, 300, 500, 600, 700)}


CROSS_ENTROPY_MISTAKES = (
    *family(
        "cross_entropy",
        "{wrong}{also}",
        lambda wrong, also: {"forward": _over(wrong, also)},
        wrong={
            "forward picks the class before the one that target names: classes are counted from 0": (
                lambda logits, target: -_at(log_softmax(logits), target - 1)
            ),
            "forward picks the class after the one that target names: classes are counted from 0": (
                lambda logits, target: -_at(log_softmax(logits), _after(logits, target))
            ),
            "the softmax in forward runs down the columns, but the classes of one example are in one row": (
                lambda logits, target: -_at(log_softmax(logits, axis=0), target)
            ),
            "the softmax in forward is taken over all entries of the table, but each row has its own": (
                lambda logits, target: -_at(log_softmax(logits, axis=None), target)
            ),
            "forward takes the probability of the class, but the loss needs its logarithm": (
                lambda logits, target: -_wanted(logits, target)
            ),
            "forward takes 1 minus the probability of the class, but the loss needs its logarithm": (
                lambda logits, target: 1 - _wanted(logits, target)
            ),
            "forward takes the logit of the class as it is: without the softmax, the other classes do not matter": (
                lambda logits, target: -_at(logits, target)
            ),
            "the result of forward has the wrong sign: the logarithm of a probability is negative, the loss is not": (
                lambda logits, target: _at(log_softmax(logits), target)
            ),
            "forward takes the softmax twice: what is fed to the second are probabilities already": (
                lambda logits, target: -_at(log_softmax(_softmax(logits)), target)
            ),
            "forward takes the logarithm to base 2, but it must be the natural one": (
                lambda logits, target: -_at(log_softmax(logits), target) / np.log(2)
            ),
            "forward takes the logarithm to base 10, but it must be the natural one": (
                lambda logits, target: -_at(log_softmax(logits), target) / np.log(10)
            ),
            "forward leaves the right class out of the sum of exponentials": _of_other_classes,
            "forward subtracts the largest logit of the row, but not from the logit of the class": (
                lambda logits, target: log_sum_exp(logits) - logits.max(axis=1) - _at(logits, target)
            ),
            "forward takes the most probable class, whatever target says": (
                lambda logits, target: -log_softmax(logits).max(axis=1)
            ),
        },
        also={"": np.mean, "; and the losses of the rows are added up, but the result must be their mean": np.sum},
    ),
    *family(
        "cross_entropy_rows",
        "{wrong}",
        lambda wrong: {"forward": _over(wrong)},
        wrong={
            "forward adds up the losses of the rows, but the result must be their mean": (
                lambda logits, target: cross_entropy(logits, target) * len(target)
            ),
            "the mean is taken over all entries of the table, including the zeros, but it must be over the rows": (
                lambda logits, target: cross_entropy(logits, target) / logits.shape[1]
            ),
            "forward divides the sum over the rows by the number of classes, but the mean is over the rows": (
                lambda logits, target: cross_entropy(logits, target) * len(target) / logits.shape[1]
            ),
            "forward divides by the number of rows twice": (
                lambda logits, target: cross_entropy(logits, target) / len(target)
            ),
            "forward picks the classes of all rows in every row, but each row has one right class": (
                lambda logits, target: -log_softmax(logits)[:, target]
            ),
            "forward takes the mean over all classes, whatever target says": (
                lambda logits, target: -log_softmax(logits)
            ),
            "forward takes the first row only, but the result must be the mean over all rows": _row(0),
            "forward takes the last row only, but the result must be the mean over all rows": _row(-1),
        },
    ),
    *family(
        "small_number",
        "forward puts a small number under the logarithm to keep it from 0: the loss is too small where the "
        "probability of the right class is near 0",
        lambda how, number: {"forward": _over(lambda logits, target: -np.log(how(_wanted(logits, target), number)))},
        how={"added": np.add, "as a limit": np.maximum},
        number={f"{tiny:g}": tiny for tiny in _TINY},
    ),
    *family(
        "limited",
        "forward limits the logits before exp, so logits beyond the limit all count the same",
        lambda limit, below: {
            "forward": lambda logits, target: cross_entropy(np.clip(logits, -limit if below else None, limit), target)
        },
        limit=_LIMITS,
        below={"": True, "above only": False},
    ),
    Mistake(
        "column_maximum",
        "forward subtracts the largest logit of each column, but the classes of one example are in one row",
        forward=_over(
            lambda logits, target: (
                -_at(logits - logits.max(axis=0), target)
                - _infinite_log(np.exp(logits - logits.max(axis=0)).sum(axis=1))
            )
        ),
    ),
    *family(
        "probability_of_zero",
        "forward takes the logarithm of a probability, which is 0 for a float where the right class lies 1000 below the "
        "largest logit of its row; the loss is finite there",
        lambda also: {"forward": _over(lambda logits, target: _infinite_log(_wanted(logits, target)), also)},
        also={"": np.mean},
    ),
    *family(
        "one_maximum",
        "the gradient is what comes of one number subtracted from the logits of all rows, but the rows can lie far "
        "apart: each row has its own largest logit{also}",
        lambda also: {"vjp": _cross_entropy_vjp(_shares_by_one_maximum, count=also)},
        also=_ROWS,
    ),
    Mistake(
        "one_maximum",
        "forward subtracts one number from the logits of all rows, but the rows can lie far apart: each row has its own "
        "largest logit",
        forward=_over(_shifted_by_one_maximum, np.mean),
        vjp=_cross_entropy_vjp(_shares_by_one_maximum, count=len),
    ),
    *family(
        "cross_entropy_slope",
        "{wrong}{also}",
        lambda wrong, also: {"vjp": _cross_entropy_vjp(**wrong, count=also)},
        wrong={
            "the gradient is the same whatever target says: it leaves out the part of the loss that depends on "
            "target": {"wanted": lambda logits, target: 0 * logits},
            "the gradient reaches only the classes of target, but the softmax makes the loss depend on every logit "
            "of the row": {"probabilities": lambda logits: 0 * logits},
            "the gradient treats the class before the one that target names as the right one: classes are counted "
            "from 0": {"wanted": lambda logits, target: _one_hot(logits, target - 1)},
            "the gradient treats the class after the one that target names as the right one: classes are counted "
            "from 0": {"wanted": lambda logits, target: _one_hot(logits, _after(logits, target))},
            "1 is added to the probability of the right class, but a larger logit there makes the loss smaller": {
                "wanted": lambda logits, target: -_one_hot(logits, target)
            },
            "1 is subtracted from every probability, but each row has only one right class": {
                "wanted": lambda logits, target: 1 + 0 * logits
            },
            "1 is subtracted in every row at the classes of all rows, but each row has only one right class": {
                "wanted": lambda logits, target: _one_hot(logits, target).max(axis=0)
            },
            "the gradient is made of the logits themselves, but it needs their probabilities": {
                "probabilities": lambda logits: logits
            },
            "the gradient is made of the logarithms of the probabilities, but it needs the probabilities": {
                "probabilities": log_softmax
            },
            "the gradient is made of a softmax of the probabilities: the softmax is taken twice": {
                "probabilities": lambda logits: _softmax(_softmax(logits))
            },
            "what is subtracted in a row is the number of the right class, but it must be 1 at that class": {
                "wanted": lambda logits, target: target[:, None]
            },
            "the gradient is 0 at the right class: the probability is subtracted there, but it must be 1": {
                "wanted": lambda logits, target: _one_hot(logits, target) * _softmax(logits)
            },
            "the softmax in backward runs down the columns, but the classes of one example are in one row": {
                "probabilities": lambda logits: _softmax(logits, axis=0)
            },
            "the softmax in backward is taken over all entries of the table, but each row has its own": {
                "probabilities": lambda logits: _softmax(logits, axis=None)
            },
            "the gradient is made of a logistic function of each logit, but the probabilities of a row belong "
            "together: the softmax makes them": {
                "probabilities": lambda logits: 1 / (1 + np.exp(-np.clip(logits, -500, 500)))
            },
        },
        also=_ROWS,
    ),
    *family(
        "wanted_class_only",
        "the gradient reaches only the right class of each row, but the softmax makes the loss depend on every "
        "logit of the row{also}",
        lambda also: {
            "vjp": lambda g, logits, target: g * _one_hot(logits, target) * (_softmax(logits) - 1) / also(logits)
        },
        also=_ROWS,
    ),
    *family(
        "softmax_slope",
        "the slope used is that of one probability by its own logit, p(1 - p), but the loss is the logarithm of a "
        "probability, and depends on every logit of the row{also}",
        lambda also: {"vjp": lambda g, logits, target: g * _softmax(logits) * (1 - _softmax(logits)) / also(logits)},
        also=_ROWS,
    ),
    *family(
        "cross_entropy_count",
        "{wrong}",
        lambda wrong: {"vjp": _cross_entropy_vjp(count=wrong)},
        wrong={
            "this is the gradient of a sum over the rows: too large by the number of rows, because the loss is "
            "their mean": lambda logits: 1,
            "the gradient is too small by the number of classes: the mean is over the rows, not over all entries of "
            "logits": np.size,
            "the gradient is divided by the number of classes, but the mean is over the rows": lambda logits: (
                logits.shape[1]
            ),
            "the gradient is divided by the number of rows twice": lambda logits: len(logits) ** 2,
        },
    ),
    *family(
        "partly_divided",
        "only the part of the gradient that comes from {part} is divided by the number of rows",
        lambda part: {"vjp": part},
        part={
            "the softmax": lambda g, logits, target: g * (_softmax(logits) / len(target) - _one_hot(logits, target)),
            "the right class": lambda g, logits, target: (
                g * (_softmax(logits) - _one_hot(logits, target) / len(target))
            ),
        },
    ),
    *family(
        "one_row_only",
        "the gradient reaches the {row} row only, but the loss is a mean over all rows",
        lambda row: {
            "vjp": lambda g, logits, target: _cross_entropy_vjp()(g, logits, target) * np.eye(len(target))[row][:, None]
        },
        row={"first": 0, "last": -1},
    ),
    Mistake(
        "by_probability",
        "this is the gradient with respect to the probabilities: it stops before the softmax, one step short of the "
        "logits",
        vjp=lambda g, logits, target: -g * _one_hot(logits, target) * _inverse(_softmax(logits)) / len(target),
    ),
)


def _inverse(p: np.ndarray) -> np.ndarray:
    """1/p, infinite where p is 0."""
    with np.errstate(divide="ignore"):
        return 1 / p


def log_sum_exp(x: np.ndarray, axis: int = -1) -> np.ndarray:
    largest = x.max(axis=axis, keepdims=True)
    return np.asarray((largest + np.log(np.exp(x - largest).sum(axis=axis, keepdims=True))).squeeze(axis))


def log_sum_exp_inputs(rng: np.random.Generator) -> Sequence[Arguments]:
    """Entries near 1000 and -1000, where exp overflows or is 0: in two rows of one tensor, then in one row."""
    calls: list[Arguments] = [
        (rng.normal(size=(3,)),),
        (np.array([[1000.0], [-1000.0]]) + rng.normal(size=(2, 3)),),
        (np.array([-1000.0, 1000.0, 0.0]) + rng.normal(size=3),),
    ]
    calls += [(rng.normal(size=shape),) for shape in [(2, 3), (4, 3), (2, 2, 3)]]
    calls.append((-1000 + rng.normal(size=(3,)),))
    return calls


def _infinite_exp(x: np.ndarray) -> np.ndarray:
    with np.errstate(over="ignore"):
        return np.exp(x)


def _log_of_sum(x: np.ndarray) -> np.ndarray:
    """The formula as written: infinite if exp is infinite or 0."""
    return -_infinite_log(_infinite_exp(x).sum(axis=-1))


def _ratio(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """NaN where both are infinite or 0."""
    with np.errstate(invalid="ignore"):
        return one / other


def _shares(x: np.ndarray) -> np.ndarray:
    return np.exp(x - log_sum_exp(x)[..., None])


def _to_row(wrong: Callable[[np.ndarray], np.ndarray]) -> dict[str, Any]:
    """A gradient that sends to each row its own entry of grad_output, times a slope."""
    return {"vjp": lambda g, x: g[..., None] * wrong(x)}


def _sum_of_shifted(x: np.ndarray) -> np.ndarray:
    return np.asarray(np.exp(x - x.max(axis=-1, keepdims=True)).sum(axis=-1))


LOG_SUM_EXP_MISTAKES = (
    *family(
        "log_sum_exp",
        "forward {wrong}",
        lambda wrong: {"forward": wrong},
        wrong={
            "subtracts the largest entry, but does not add it again": lambda x: log_sum_exp(x) - x.max(axis=-1),
            "subtracts the largest entry twice, but it must add it again": lambda x: (
                log_sum_exp(x) - 2 * x.max(axis=-1)
            ),
            "adds the largest entry twice": lambda x: log_sum_exp(x) + x.max(axis=-1),
            "adds the largest entry of the whole tensor to each row, but each row has its own": lambda x: (
                log_sum_exp(x) - x.max(axis=-1) + x.max()
            ),
            "takes the mean of the exponentials, but it must take their sum": lambda x: (
                log_sum_exp(x) - np.log(x.shape[-1])
            ),
            "takes the largest entry of each row, but the others count too": lambda x: x.max(axis=-1),
            "adds up the entries themselves, not their exponentials": lambda x: x.sum(axis=-1),
            "adds the logarithm of the number of entries to the largest, as if all of a row were equal": lambda x: (
                x.max(axis=-1) + np.log(x.shape[-1])
            ),
            "leaves the logarithm out": lambda x: x.max(axis=-1) + _sum_of_shifted(x),
            "takes the logarithm of 1 plus the sum, but nothing must be added to the sum": lambda x: (
                x.max(axis=-1) + np.log1p(_sum_of_shifted(x))
            ),
            "takes the logarithm to base 2, but it must be the natural one": lambda x: (
                x.max(axis=-1) + np.log2(_sum_of_shifted(x))
            ),
            "gives the result with the wrong sign": lambda x: -log_sum_exp(x),
        },
    ),
    *family(
        "limited",
        "forward limits the entries before exp, so entries beyond the limit all count the same",
        lambda limit, below: {"forward": lambda x: log_sum_exp(np.clip(x, -limit if below else None, limit))},
        limit=_LIMITS,
        below={"": False, " below": True},
    ),
    *family(
        "small_number",
        "forward adds a small number under the logarithm, but the sum of the exponentials alone belongs there",
        lambda number: {"forward": lambda x: x.max(axis=-1) + np.log(_sum_of_shifted(x) + number)},
        number={f"{10.0**-k:g}": 10.0**-k for k in range(2, 9)},
    ),
    Mistake(
        "softmax_backward",
        "this is the gradient of a softmax, but forward computes no softmax: the softmax is its slope",
        vjp=lambda g, x: _shares(x) * (g[..., None] - (g[..., None] * _shares(x)).sum(axis=-1, keepdims=True)),
    ),
    Mistake(
        "one_maximum",
        "the gradient is what comes of one number subtracted from the entries of all rows, but the rows can lie far "
        "apart: each row has its own largest entry",
        vjp=lambda g, x: g[..., None] * _shares_by_one_maximum(x),
    ),
    Mistake(
        "one_maximum",
        "forward subtracts one number from the entries of all rows, but the rows can lie far apart: each row has its own "
        "largest entry",
        forward=lambda x: x.max() - _infinite_log(np.exp(x - x.max()).sum(axis=-1)),
        vjp=lambda g, x: g[..., None] * _shares_by_one_maximum(x),
    ),
    *family(
        "wrong_shift",
        "{what}",
        lambda what: {"forward": lambda x: what(x) + _log_of_sum(x - what(x)[..., None])},
        what={
            "the number that forward subtracts from a row is not its largest entry: exp gives infinity where an entry "
            "lies far above it": lambda x: x.mean(axis=-1),
            "forward subtracts the largest size of an entry, without its sign: exp gives 0 for all of a row near "
            "-1000": lambda x: abs(x).max(axis=-1),
            "forward subtracts nothing before exp, which gives infinity near 1000 and 0 near -1000": lambda x: np.zeros(
                x.shape[:-1]
            ),
        },
    ),
    *family(
        "infinite_slope",
        "{wrong}",
        _to_row,
        wrong={
            "the slope used is exp(x), but the slopes of a row add up to 1": _infinite_exp,
            "the slope used is exp(x) divided by the sum of exponentials, computed as it stands: both are infinite near "
            "1000, and 0 near -1000": lambda x: _ratio(_infinite_exp(x), _infinite_exp(x).sum(axis=-1, keepdims=True)),
            "the slope used is 1 divided by what it must be: the difference in the exponent has the wrong sign": (
                lambda x: _infinite_exp(log_sum_exp(x)[..., None] - x)
            ),
        },
    ),
    *family(
        "log_sum_exp_slope",
        "{wrong}",
        _to_row,
        wrong={
            "every entry of a row gets all of grad_output, as if the result were a plain sum, but here larger entries "
            "count more": np.ones_like,
            "every entry of a row gets an equal share of grad_output, as for a mean, but here larger entries count "
            "more": lambda x: np.ones_like(x) / x.shape[-1],
            "the largest entry of a row gets everything, as if the result were a maximum, but the other entries count "
            "too": lambda x: 1.0 * (x == x.max(axis=-1, keepdims=True)),
            "the slopes are exponentials relative to the largest entry, but the slopes of a row do not add up to 1: the "
            "division by their sum is missing": lambda x: np.exp(x - x.max(axis=-1, keepdims=True)),
            "the slopes of all entries together add up to 1, but the slopes of each row must add up to 1": lambda x: (
                _softmax(x, axis=None)
            ),
            "the slopes add up to 1 along the first dimension, but the slopes of each row must add up to 1": lambda x: (
                _softmax(x, axis=0)
            ),
            "the slopes add up to 1 along the dimension before the last, but the slopes of each row must add up to "
            "1": lambda x: _softmax(x, axis=-2) if x.ndim > 1 else _shares(x),
            "the slope used is x minus the result: this is the logarithm of the slope": lambda x: (
                x - log_sum_exp(x)[..., None]
            ),
            "the smaller entries of a row count more, but it must be the larger ones": lambda x: _shares(-x),
            "the softmax is taken twice": lambda x: _shares(_shares(x)),
            "the slopes are entries divided by their sum, but it must be their exponentials": lambda x: (
                x / x.sum(axis=-1, keepdims=True)
            ),
            "the slopes are multiplied by the result, which does not belong there": lambda x: (
                _shares(x) * log_sum_exp(x)[..., None]
            ),
            "the slope used is a logistic function of each entry by itself, but the slopes of a row add up to 1": (
                lambda x: 1 / (1 + np.exp(-np.clip(x, -500, 500)))
            ),
            "the slopes are those of the second derivative: one derivative too many": lambda x: (
                _shares(x) * (1 - _shares(x))
            ),
            "the slope used is the result itself": lambda x: log_sum_exp(x)[..., None] + 0 * x,
        },
    ),
)


SPECS = {
    "HuberLoss": FunctionSpec(
        huber,
        huber_inputs,
        mistakes=HUBER_MISTAKES,
        holds={
            "For example:": "explains",
            "Write a Function `HuberLoss.apply(": "structure, runs, forward, huber_mean",
            "The result is a tensor without": "forward",
            "`delta` is a positive Python number": "returns",
            "Each error $e = \\text{input} - \\text{target}$ costs": "forward, huber_cost",
            "and the result is the mean of all": "forward, huber_mean",
            "Both `input` and `target` have a gradient": "returns, gradient",
            "The three costs are 0.125, 0.5": "explains",
            "Their mean is 1.375": "explains",
            "The checks: those listed above, for tensors with": "explains",
        },
    ),
    "SoftmaxCrossEntropy": FunctionSpec(
        cross_entropy,
        cross_entropy_inputs,
        mistakes=CROSS_ENTROPY_MISTAKES,
        holds={
            "For example:": "explains",
            "In plain Python:": "explains",
            "Write a Function `SoftmaxCrossEntropy.apply(": "structure, runs, forward",
            "`logits` is a floating matrix with": "runs, forward",
            "`target` has one whole number for each row": "runs, forward, cross_entropy",
            "The softmax of a row is": "forward",
            "and the loss is the mean over the rows": "forward, cross_entropy_rows",
            "This listing has a flaw: for logits near 1000": "explains",
            "Your Function must work there too": "runs, forward, gradient",
            "It must also work if one row lies near 1000": "forward, gradient",
            "It must also work if the right class lies 1000 below": "forward, gradient",
            "The probability is 0 for a float then": "forward, small_number",
            "(What changes if you subtract the same number": "explains",
            "The checks: those listed above, for several numbers of rows": "explains",
            "`backward` returns a gradient for `logits` and": "returns, gradient",
        },
    ),
    "LogSumExp": FunctionSpec(
        log_sum_exp,
        log_sum_exp_inputs,
        second=4,
        mistakes=LOG_SUM_EXP_MISTAKES,
        holds={
            "For example:": "explains",
            "For each row:": "forward",
            "Write a Function `LogSumExp.apply(x)` that": "structure, runs, forward",
            "The result does not have this dimension": "forward",
            "The formula as it stands fails for large numbers": "explains",
            "It also fails for very negative numbers": "explains",
            "In both cases the true result is near the largest": "explains",
            "Neither `forward` nor `backward` may give infinity": "forward, gradient",
            "One tensor can have a row near 1000": "forward, gradient",
            "One row can have entries near 1000": "forward, gradient",
            "The checks: those listed above, for `x` with one, two": "explains",
            "One more check: `backward` can be differentiated": "double_backward",
        },
    ),
}
