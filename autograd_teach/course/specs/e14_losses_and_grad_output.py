"""The specification of notebook 14, the losses: Huber, cross entropy, and the logarithm of a sum of exponentials."""

from collections.abc import Sequence

import numpy as np

from ..checks.spec import Arguments, FunctionSpec
from ..mutants import Slip


def huber(input: np.ndarray, target: np.ndarray, delta: float) -> np.ndarray:
    error = input - target  #: the error
    small = np.abs(error) <= delta  #: the test whether an error is small; errors of both signs must cost the same
    parabola = error**2 / 2  #: the parabola; the loss must not jump where the error is delta
    offset = delta / 2  #: what the straight line subtracts from the size of the error; the loss must not jump at delta
    line = delta * (np.abs(error) - offset)  #: the straight line; the loss must not jump where the error is delta
    costs = np.where(small, parabola, line)  #: the cost of an error
    return np.asarray(costs.mean())  #: the mean of the costs


def huber_gradients(g: np.ndarray, input: np.ndarray, target: np.ndarray, delta: float) -> tuple[np.ndarray, ...]:
    error = input - target
    small = np.abs(error) <= delta  #: the test in backward whether an error is small
    sign = np.sign(error)  #: the sign of the error
    beyond = delta * sign  #: the slope beyond delta; the loss is a straight line there
    slope = np.where(small, error, beyond)  #: the slope
    count = error.size  #: the number of entries
    of_input = g * slope / count  #: the gradient for input
    of_target = -of_input  #: the gradient for target; how does the error change when target grows?
    return of_input, of_target


def huber_inputs(rng: np.random.Generator) -> Sequence[Arguments]:
    """Errors on both sides of delta, none near it, some of 0 in the last call but one. All but the first delta are drawn."""
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


def softmax(x: np.ndarray, largest: np.ndarray, axis: int = -1) -> np.ndarray:
    """The shares of the exponentials along an axis, after `largest` is subtracted from the entries."""
    weights = np.exp(x - largest)
    return np.asarray(weights / weights.sum(axis=axis, keepdims=True))


def cross_entropy(logits: np.ndarray, target: np.ndarray) -> np.ndarray:
    largest = logits.max(axis=1, keepdims=True)  #: what is subtracted from the logits of a row
    shifted = logits - largest
    total = np.exp(shifted).sum(axis=1, keepdims=True)  #: the sum of the exponentials of a row
    logarithms = shifted - np.log(total)  #: the logarithms of the probabilities
    losses = -logarithms[np.arange(len(target)), target]  #: the losses of the rows
    return np.asarray(losses.mean())  #: the mean over the rows


def cross_entropy_gradient(g: np.ndarray, logits: np.ndarray, target: np.ndarray) -> np.ndarray:
    probabilities = softmax(logits, logits.max(axis=1, keepdims=True))  #: the probabilities in backward
    right = np.eye(logits.shape[1])[target]  #: the place of the right class; the classes are counted from 0
    rows = len(logits)  #: the number of rows
    slope = probabilities - right  #: the slope of the loss of a row
    return g * slope / rows  #: the gradient; the loss is the mean over the rows


def cross_entropy_inputs(rng: np.random.Generator) -> Sequence[Arguments]:
    """Usual rows, then rows near 1000, rows that lie 1000s apart, and one with its class 1000 below the others."""
    calls: list[Arguments] = []
    for (rows, columns), centre in [((2, 3), 0.0), ((1, 4), 0.0), ((4, 3), 0.0), ((2, 3), 1000.0)]:
        logits = centre + rng.normal(scale=1.5, size=(rows, columns))
        calls.append((logits, (columns - 1 - np.arange(rows)) % columns))
    apart = np.array([[1000.0], [-1000.0]]) + rng.normal(scale=1.5, size=(2, 3))
    below = rng.normal(scale=1.5, size=(2, 4)) - np.array([[0.0, 0, 0, 0], [0, 0, 1000, 0]])
    calls += [(apart, np.array([2, 0])), (below, np.array([3, 2]))]
    orders = [rng.permutation(logits.shape[1]) for logits, _ in calls]  # so that the classes are drawn, too
    return [(x[:, order], np.argsort(order)[target]) for (x, target), order in zip(calls, orders, strict=True)]


def log_sum_exp(x: np.ndarray) -> np.ndarray:
    largest = x.max(axis=-1, keepdims=True)  #: what is subtracted from the entries of a row
    total = np.exp(x - largest).sum(axis=-1, keepdims=True)  #: the sum of the exponentials of a row
    result = largest + np.log(total)  #: the result
    return np.asarray(result.squeeze(-1))


def log_sum_exp_gradient(g: np.ndarray, x: np.ndarray) -> np.ndarray:
    weights = np.exp(x - x.max(axis=-1, keepdims=True))  #: the exponentials in backward
    total = weights.sum(axis=-1, keepdims=True)  #: the sum of the exponentials in backward
    slopes = weights / total  #: the slope of an entry; the slopes of a row must add up to 1
    of_row = g[..., None]  #: `grad_output` of the row
    return of_row * slopes  #: the gradient


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


FIRST = "divided by the size of the first dimension, but the loss is a mean over all entries"
ONE = "one number is subtracted from {} of all rows, but the rows can lie far apart: each row has its own largest {}"
COLUMNS = "the softmax in {} runs down the columns, but the classes of one example are in one row"
TINY = "a small number under the logarithm keeps it from 0: the loss is too small where the right class is improbable"
ZERO = "forward takes the logarithm of a probability, which is 0 for a float if its logit is 1000 below the largest"


SPECS = {
    "HuberLoss": FunctionSpec(
        huber,
        huber_inputs,
        huber_gradients,
        mistakes=(
            Slip(
                "the test in backward",
                "np.abs(error) <= 1",
                "backward changes to the straight line at an error of 1, whatever delta is",
            ),
            Slip("the gradient for input", "g * slope / len(error)", "the gradient is " + FIRST),
        ),
        holds={
            "For example:": "explains",
            "Write a Function `HuberLoss.apply(": "structure, runs, forward",
            "The result is a tensor without": "forward",
            "`delta` is a positive Python number": "returns",
            "Each error $e = \\text{input} - \\text{target}$ costs": "forward",
            "and the result is the mean of all": "forward",
            "Both `input` and `target` have a gradient": "returns, gradient",
            "The three costs are 0.125, 0.5": "explains",
            "Their mean is 1.375": "explains",
            "The checks: those listed above, for tensors with": "explains",
        },
    ),
    "SoftmaxCrossEntropy": FunctionSpec(
        cross_entropy,
        cross_entropy_inputs,
        cross_entropy_gradient,
        mistakes=(
            Slip("what is subtracted", "logits.max()", ONE.format("the logits", "logit")),
            Slip("the probabilities in", "softmax(logits, logits.max())", ONE.format("the logits", "logit")),
            Slip(
                "the gradient",
                "g * (softmax(logits, logits.max()) - right)",
                ONE.format("the logits", "logit") + "; and the gradient is not divided by the number of rows",
            ),
            Slip("the logarithms", "logits - np.logaddexp.reduce(logits, axis=0)", COLUMNS.format("forward")),
            Slip("the probabilities in", "softmax(logits, logits.max(axis=0), axis=0)", COLUMNS.format("backward")),
            *(
                Slip("the logarithms", f"np.log(np.exp(shifted) / total + 1e-{n})", TINY)
                for n in (*range(7, 17), 20, 30)
            ),
            Slip("the logarithms", "np.log(np.exp(shifted) / total)", ZERO),
            Slip(
                "the losses",
                "-logarithms[:, target]",
                "forward picks the classes of all rows in every row, but each row has one right class",
            ),
            Slip(
                "the place of the right class",
                "target[:, None]",
                "the numbers of the classes are subtracted, but it must be 1 at the place of the right class and 0 elsewhere",
            ),
            Slip(
                "the place of the right class",
                "1.0 * np.isin(np.arange(logits.shape[1]), target)",
                "the classes of all rows count as right in every row, but each row has one right class",
            ),
            Slip(
                "the number of rows",
                "logits.size",
                "the gradient is divided by the number of all entries, but the mean is over the rows",
            ),
        ),
        holds={
            "For example:": "explains",
            "In plain Python:": "explains",
            "Write a Function `SoftmaxCrossEntropy.apply(": "structure, runs, forward",
            "`logits` is a floating matrix with": "runs, forward",
            "`target` has one whole number for each row": "runs, forward",
            "The softmax of a row is": "forward",
            "and the loss is the mean over the rows": "forward",
            "This listing has a flaw: for logits near 1000": "explains",
            "Your Function must work there too": "runs, forward, gradient",
            "It must also work if one row lies near 1000": "forward, gradient",
            "It must also work if the right class lies 1000 below": "forward, gradient",
            "The probability is 0 for a float then": "forward",
            "(What changes if you subtract the same number": "explains",
            "The checks: those listed above, for several numbers of rows": "explains",
            "`backward` returns a gradient for `logits` and": "returns, gradient",
        },
    ),
    "LogSumExp": FunctionSpec(
        log_sum_exp,
        log_sum_exp_inputs,
        log_sum_exp_gradient,
        second=4,
        mistakes=(
            Slip("what is subtracted", "x.max() + 0 * x[..., :1]", ONE.format("the entries", "entry")),
            Slip("the exponentials in", "np.exp(x - x.max())", ONE.format("the entries", "entry")),
            Slip(
                "what is subtracted",
                "x.mean(axis=-1, keepdims=True)",
                "the mean of a row is subtracted before exp, which gives infinity for an entry far above it",
            ),
            Slip("the result", "np.log(total)", "what is subtracted before exp is not added again after the logarithm"),
            Slip(
                "what is subtracted",
                "0 * x[..., :1]",
                "nothing is subtracted before exp, which gives infinity near 1000 and 0 near -1000",
            ),
            Slip(
                "the exponentials in",
                "np.exp(x)",
                "nothing is subtracted before exp in backward, which gives infinity near 1000 and 0 near -1000",
            ),
            Slip(
                "the result",
                "np.logaddexp.reduce(np.minimum(x, 700), axis=-1, keepdims=True)",
                "forward limits the entries before exp, so entries beyond the limit all count the same",
            ),
            Slip(
                "the slope of an entry",
                "np.ones_like(x)",
                "each entry gets all of grad_output, as in a sum, but the larger an entry, the more it counts",
            ),
            Slip(
                "the slope of an entry",
                "1.0 * (weights == 1)",
                "the largest entry of a row gets everything, as if the result were a maximum, but the others count too",
            ),
        ),
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
