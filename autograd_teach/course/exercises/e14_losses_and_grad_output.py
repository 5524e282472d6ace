"""Exercises of notebook 14: two losses, functions that losses use, and two declared gradients."""

from collections.abc import Sequence

import numpy as np

from .declaration import Arguments, Exercise, Gradcheck, Mistake

NOTEBOOK = "14_losses_and_grad_output"


def huber(input: np.ndarray, target: np.ndarray, delta: float) -> np.ndarray:
    return _huber_terms(input, target, delta).mean()


def _huber_terms(input: np.ndarray, target: np.ndarray, delta: float) -> np.ndarray:
    error = np.abs(input - target)
    return np.where(error <= delta, error**2 / 2, delta * (error - delta / 2))


def huber_inputs(rng: np.random.Generator) -> Sequence[Arguments]:
    """Errors on both sides of delta, none near it."""
    calls: list[Arguments] = []
    for shape, delta in [((3,), 0.5), ((2, 3), 2.0), ((2, 1, 3), 0.8), ((), 1.5)]:
        target = rng.normal(size=shape)
        inside, beyond = rng.uniform(0.2, 0.8, size=shape), rng.uniform(1.3, 2.5, size=shape)
        size = np.where(np.arange(target.size).reshape(shape) % 2 == 0, beyond, inside)
        error = delta * size * rng.choice([-1.0, 1.0], size=shape)
        calls.append((np.asarray(target + error), target, delta))
    return calls


def _huber_slope(slope: np.ndarray, g: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return g * slope / slope.size, -g * slope / slope.size


def log_softmax(logits: np.ndarray, axis: int = 1) -> np.ndarray:
    shifted = logits - logits.max(axis=axis, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(axis=axis, keepdims=True))


def _at(values: np.ndarray, target: np.ndarray) -> np.ndarray:
    """The entry of each row at its class; -1 is the last, as in any index."""
    return values[np.arange(len(target)), target]


def cross_entropy(logits: np.ndarray, target: np.ndarray) -> np.ndarray:
    return -_at(log_softmax(logits), target).mean()


def _one_hot(logits: np.ndarray, target: np.ndarray) -> np.ndarray:
    return np.eye(logits.shape[1])[target]


def _cross_entropy_slope(g: np.ndarray, logits: np.ndarray, target: np.ndarray) -> np.ndarray:
    return g * (np.exp(log_softmax(logits)) - _one_hot(logits, target)) / len(target)


def cross_entropy_inputs(rng: np.random.Generator) -> Sequence[Arguments]:
    calls: list[Arguments] = []
    for (rows, columns), centre in [((2, 3), 0.0), ((1, 4), 0.0), ((4, 3), 0.0), ((2, 3), 1000.0)]:
        logits = centre + rng.normal(scale=1.5, size=(rows, columns))
        calls.append((logits, (columns - 1 - np.arange(rows)) % columns))
    return calls


def log_sum_exp(x: np.ndarray) -> np.ndarray:
    largest = x.max(axis=-1)
    return largest + np.log(np.exp(x - largest[..., None]).sum(axis=-1))


def log_sum_exp_inputs(rng: np.random.Generator) -> Sequence[Arguments]:
    """The last two calls have entries near 1000 and -1000, where exp overflows or is 0."""
    calls: list[Arguments] = [(rng.normal(size=shape),) for shape in [(3,), (2, 3), (2, 2, 3)]]
    calls.append((1000 + rng.normal(size=(3,)),))
    calls.append((np.array([[1000.0], [-1000.0]]) + rng.normal(size=(2, 3)),))
    return calls


def _softmax(x: np.ndarray) -> np.ndarray:
    weights = np.exp(x - x.max(axis=-1, keepdims=True))
    return weights / weights.sum(axis=-1, keepdims=True)


EPS = 1e-5


def layer_norm(x: np.ndarray) -> np.ndarray:
    return _normalised(x, eps=EPS)


def _normalised(
    x: np.ndarray, eps: float = EPS, axis: int | None = -1, ddof: int = 0, outside: float = 0.0
) -> np.ndarray:
    spread = np.sqrt(x.var(axis=axis, keepdims=True, ddof=ddof) + eps) + outside
    return (x - x.mean(axis=axis, keepdims=True)) / spread


def _layer_norm_slope(
    g: np.ndarray, x: np.ndarray, eps: float = EPS, ddof: int = 0, mean: float = 1, through: float = 1
) -> np.ndarray:
    """The gradient; `mean=0` leaves out the way through the mean.

    `through` multiplies the ways through the mean and the variance.
    """
    normalised = _normalised(x, eps, ddof=ddof)
    by_variance = normalised * (g * normalised).sum(axis=-1, keepdims=True) / (x.shape[-1] - ddof)
    others = through * (mean * g.mean(axis=-1, keepdims=True) + by_variance)
    return (g - others) / np.sqrt(x.var(axis=-1, keepdims=True, ddof=ddof) + eps)


def layer_norm_inputs(rng: np.random.Generator) -> Sequence[Arguments]:
    """No entry is near the mean of its row; in the last call, entries are so close that eps matters."""
    shapes = [((4,), 1.0), ((2, 4), 1.0), ((2, 2, 4), 2.5), ((3, 4), 0.01)]
    steps = np.array([-1.1, -0.4, 0.5, 1.4])
    return [
        (rng.normal(size=(*shape[:-1], 1)) + scale * rng.permuted(steps + rng.uniform(-0.1, 0.1, shape), axis=-1),)
        for shape, scale in shapes
    ]


def softplus(x: np.ndarray) -> np.ndarray:
    return np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x)))


def softplus_inputs(rng: np.random.Generator) -> Sequence[Arguments]:
    shapes = [(3,), (2, 3), (2, 1, 3), ()]
    calls = [(np.asarray(rng.uniform(0.2, 2.5, size=shape) * rng.choice([-1.0, 1.0], size=shape)),) for shape in shapes]
    calls.insert(3, (np.array([800.0, -800.0, 1.0]) + rng.normal(scale=0.1, size=3),))
    return calls


def _sigmoid(x: np.ndarray) -> np.ndarray:
    return np.exp(x - softplus(x))


def interpolate(a: np.ndarray, b: np.ndarray, t: np.ndarray) -> np.ndarray:
    return a * (1 - t) + b * t


def interpolate_inputs(rng: np.random.Generator) -> Sequence[Arguments]:
    shapes = [((3,), (3,)), ((2, 3), ()), ((2, 2), (2, 2)), ((4,), ()), ((), ())]
    return [
        (rng.normal(size=shape), rng.normal(size=shape), np.asarray(rng.uniform(0.1, 0.9, size=of_t)))
        for shape, of_t in shapes
    ]


def _of_t(t: np.ndarray, each: np.ndarray) -> np.ndarray:
    """The contributions of all entries, added up to the shape of t."""
    return each if t.ndim else each.sum()


def gradient_reversal_inputs(rng: np.random.Generator) -> Sequence[Arguments]:
    shapes_and_strengths = [((3,), 0.5), ((2, 3), 2.0), ((2, 1, 3), 3), ((), 1.5)]
    return [(rng.normal(size=shape), strength) for shape, strength in shapes_and_strengths]


def straight_through_inputs(rng: np.random.Generator) -> Sequence[Arguments]:
    """Numbers between -3 and 3, away from whole numbers and from halves."""
    calls: list[Arguments] = []
    for shape in [(3,), (2, 3), (2, 1, 3), ()]:
        whole = rng.integers(-2, 3, size=shape)
        calls.append((np.asarray(whole + rng.uniform(0.1, 0.4, size=shape) * rng.choice([-1.0, 1.0], size=shape)),))
    return calls


EXERCISES = (
    Exercise(
        notebook=NOTEBOOK,
        entry="HuberLoss",
        points=2,
        title="The Huber loss",
        grading=Gradcheck(("input", "target", "delta"), huber, huber_inputs),
        hints=(
            (
                "Take a single error first. What is the slope of its cost if the error is small? If "
                "it is large and positive? If it is large and negative? The mean comes later."
            ),
            (
                "The slope follows the error up to a limit and stays there: is there an operation "
                "that limits numbers from below and above? Something may follow your loss: "
                "grad_output says how much the final value changes with it."
            ),
            (
                "If input grows a little, the error grows. If target grows a little, the error "
                "shrinks by the same amount. So the two gradients differ in one thing only. In a "
                "mean, each of the n entries has a share of 1/n."
            ),
        ),
        mistakes=(
            Mistake(
                "sum_for_mean",
                "forward adds up the losses of all entries, but the result must be their mean",
                forward=lambda input, target, delta: _huber_terms(input, target, delta).sum(),
            ),
            Mistake(
                "all_squared",
                "forward squares every error, but beyond delta the loss must be a straight line",
                forward=lambda input, target, delta: ((input - target) ** 2 / 2).mean(),
            ),
            Mistake(
                "jump",
                (
                    "the loss jumps where the error is delta: the parabola ends at delta²/2 there, "
                    "but the straight line begins at delta²"
                ),
                forward=lambda input, target, delta: np.where(
                    abs(input - target) <= delta, (input - target) ** 2 / 2, delta * abs(input - target)
                ).mean(),
            ),
            Mistake(
                "no_half",
                "the squared errors are not halved, so the parabola and the straight line do not meet at delta",
                forward=lambda input, target, delta: np.where(
                    abs(input - target) <= delta, (input - target) ** 2, delta * (abs(input - target) - delta / 2)
                ).mean(),
            ),
            Mistake(
                "not_limited",
                (
                    "the gradient grows with the error also beyond delta, but the loss is a "
                    "straight line there and its slope is constant"
                ),
                vjp=lambda g, input, target, delta: _huber_slope(input - target, g),
            ),
            Mistake(
                "always_limited",
                (
                    "the gradient has the same size for every error, as for an absolute value, but "
                    "within delta the slope depends on the error"
                ),
                vjp=lambda g, input, target, delta: _huber_slope(delta * np.sign(input - target), g),
            ),
            Mistake(
                "slope_one",
                (
                    "beyond delta the slope used is 1 or -1, whatever delta is, but the straight "
                    "line is steeper for a larger delta"
                ),
                vjp=lambda g, input, target, delta: _huber_slope(
                    np.where(abs(input - target) <= delta, input - target, np.sign(input - target)), g
                ),
            ),
            Mistake(
                "sign_lost",
                "beyond delta the gradient is positive for both signs of the error",
                vjp=lambda g, input, target, delta: _huber_slope(
                    np.where(abs(input - target) <= delta, input - target, delta), g
                ),
            ),
        ),
    ),
    Exercise(
        notebook=NOTEBOOK,
        entry="SoftmaxCrossEntropy",
        points=3,
        title="The cross-entropy of a softmax, by class indices",
        grading=Gradcheck(("logits", "target"), cross_entropy, cross_entropy_inputs),
        hints=(
            (
                "Write the loss of one row as log(sum of exp(logits)) minus the logit of its class. "
                "Differentiate the two parts separately. The derivative of the first part is called "
                "softmax."
            ),
            (
                "`x[rows, columns]` with two index tensors picks one entry for each pair, and you "
                "can assign to it. The rows are 0, 1, 2, ..., the columns are the entries of "
                "target."
            ),
            (
                "Before any exp, subtract from each row its largest entry: the softmax stays the "
                "same and nothing overflows. backward needs the probabilities and target. The loss "
                "is a mean over rows, and it may be one part of a larger loss."
            ),
        ),
        mistakes=(
            Mistake(
                "sum_for_mean",
                "forward adds up the losses of the rows, but the result must be their mean",
                forward=lambda logits, target: cross_entropy(logits, target) * len(target),
            ),
            Mistake(
                "mean_over_all",
                "the mean is taken over all entries of the table, including the zeros, but it must be over the rows",
                forward=lambda logits, target: cross_entropy(logits, target) / logits.shape[1],
            ),
            Mistake(
                "class_before",
                "forward picks the class before the one that target names: classes are counted from 0",
                forward=lambda logits, target: -_at(log_softmax(logits), target - 1).mean(),
            ),
            Mistake(
                "class_after",
                "forward picks the class after the one that target names: classes are counted from 0",
                forward=lambda logits, target: -_at(log_softmax(logits), (target + 1) % logits.shape[1]).mean(),
            ),
            Mistake(
                "rows_for_classes",
                "the softmax in forward runs down the columns, but the classes of one example are in one row",
                forward=lambda logits, target: -_at(log_softmax(logits, axis=0), target).mean(),
            ),
            Mistake(
                "no_log",
                "forward takes the probability of the class, but the loss needs its logarithm",
                forward=lambda logits, target: -np.exp(_at(log_softmax(logits), target)).mean(),
            ),
            Mistake(
                "not_normalised",
                "forward takes the logit of the class as it is: without the softmax, the other classes do not matter",
                forward=lambda logits, target: -_at(logits, target).mean(),
            ),
            Mistake(
                "class_not_subtracted",
                (
                    "the gradient is the same whatever target says: it leaves out the part of the "
                    "loss that depends on target"
                ),
                vjp=lambda g, logits, target: g * np.exp(log_softmax(logits)) / len(target),
            ),
            Mistake(
                "softmax_forgotten",
                (
                    "the gradient reaches only the classes of target, but the softmax makes the "
                    "loss depend on every logit of the row"
                ),
                vjp=lambda g, logits, target: -g * _one_hot(logits, target) / len(target),
            ),
            Mistake(
                "by_probability",
                (
                    "this is the gradient with respect to the probabilities: it stops before the "
                    "softmax, one step short of the logits"
                ),
                vjp=lambda g, logits, target: -g * _one_hot(logits, target) / np.exp(log_softmax(logits)) / len(target),
            ),
            Mistake(
                "logits_for_probabilities",
                "the gradient is made of the logits themselves, but it needs their probabilities",
                vjp=lambda g, logits, target: g * (logits - _one_hot(logits, target)) / len(target),
            ),
            Mistake(
                "class_before",
                (
                    "the gradient treats the class before the one that target names as the "
                    "right one: classes are counted from 0"
                ),
                vjp=lambda g, logits, target: _cross_entropy_slope(g, logits, target - 1),
            ),
            Mistake(
                "class_after",
                (
                    "the gradient treats the class after the one that target names as the right "
                    "one: classes are counted from 0"
                ),
                vjp=lambda g, logits, target: _cross_entropy_slope(g, logits, (target + 1) % logits.shape[1]),
            ),
            Mistake(
                "sum_for_mean",
                (
                    "this is the gradient of a sum over the rows: too large by the number of rows, "
                    "because the loss is their mean"
                ),
                vjp=lambda g, logits, target: _cross_entropy_slope(g, logits, target) * len(target),
            ),
            Mistake(
                "mean_over_all",
                (
                    "the gradient is too small by the number of classes: the mean is over the "
                    "rows, not over all entries of logits"
                ),
                vjp=lambda g, logits, target: _cross_entropy_slope(g, logits, target) / logits.shape[1],
            ),
        ),
    ),
    Exercise(
        notebook=NOTEBOOK,
        entry="LogSumExp",
        points=2,
        title="The logarithm of a sum of exponentials",
        grading=Gradcheck(("x",), log_sum_exp, log_sum_exp_inputs, properties=("double_backward",)),
        hints=(
            (
                "log(exp(1000) + exp(1001)) is near 1001, but exp(1000) is larger than any float. "
                "What happens to the result if you subtract the same number from every entry of a "
                "row?"
            ),
            (
                "For each row, choose this number so that the largest exponent becomes 0, and "
                "correct the result for it at the end. For backward: the slopes of a row are "
                "positive and add up to 1."
            ),
            (
                "The slope is exp(x) divided by the row's sum of exponentials. Written as exp of a "
                "difference it never overflows, and the saved result is one part of this "
                "difference. grad_output lacks the last dimension: unsqueeze(-1) adds it again."
            ),
        ),
        mistakes=(
            Mistake(
                "largest_not_added",
                "forward subtracts the largest entry, but does not add it again",
                forward=lambda x: log_sum_exp(x) - x.max(axis=-1),
            ),
            Mistake(
                "mean_for_sum",
                "forward takes the mean of the exponentials, but it must take their sum",
                forward=lambda x: log_sum_exp(x) - np.log(x.shape[-1]),
            ),
            Mistake(
                "like_a_sum",
                (
                    "every entry of a row gets all of grad_output, as if the result were a plain "
                    "sum, but here larger entries count more"
                ),
                vjp=lambda g, x: np.broadcast_to(g[..., None], x.shape),
            ),
            Mistake(
                "like_a_maximum",
                (
                    "the largest entry of a row gets everything, as if the result were a maximum, "
                    "but the other entries count too"
                ),
                vjp=lambda g, x: g[..., None] * (x == x.max(axis=-1, keepdims=True)),
            ),
            Mistake(
                "not_a_share",
                (
                    "the slopes are exponentials relative to the largest entry, but the slopes of a "
                    "row do not add up to 1: the division by their sum is missing"
                ),
                vjp=lambda g, x: g[..., None] * np.exp(x - x.max(axis=-1, keepdims=True)),
            ),
            Mistake(
                "all_entries",
                "the slopes of all entries together add up to 1, but the slopes of each row must add up to 1",
                vjp=lambda g, x: g[..., None] * _softmax(x.reshape(-1)).reshape(x.shape),
            ),
            Mistake(
                "logarithm_of_share",
                "the slope used is x minus the result: this is the logarithm of the slope",
                vjp=lambda g, x: g[..., None] * (x - log_sum_exp(x)[..., None]),
            ),
        ),
    ),
    Exercise(
        notebook=NOTEBOOK,
        entry="LayerNorm",
        points=3,
        title="Normalise each row, without weights",
        grading=Gradcheck(("x",), layer_norm, layer_norm_inputs),
        hints=(
            (
                "One entry of x reaches all results of its row in three ways: directly, through the "
                "mean of the row, and through its variance. A backward with the first way only is "
                "far off. Each way adds a term."
            ),
            (
                "Call the result y and its spread s = sqrt(variance + eps). If you add the same "
                "number to every entry of a row, y does not change. So the gradient of each row "
                "must add up to 0. Which term makes it so?"
            ),
            (
                "If you multiply a row by a number, y hardly changes. So the gradient has almost no "
                "part along y. You subtract two terms from grad_output, and each contains a mean "
                "over the row: one the mean of grad_output, the other the mean of grad_output * y."
            ),
        ),
        mistakes=(
            Mistake(
                "unbiased",
                "forward divides the squares by n - 1 for the variance, but it must divide by n",
                forward=lambda x: _normalised(x, ddof=1),
            ),
            Mistake(
                "eps_outside",
                (
                    "forward adds eps to the root of the variance, but eps must be added to the "
                    "variance, before the root"
                ),
                forward=lambda x: _normalised(x, eps=0, outside=EPS),
            ),
            Mistake(
                "no_eps",
                "forward leaves eps out: it matters where the entries of a row are nearly equal",
                forward=lambda x: _normalised(x, eps=0),
            ),
            Mistake(
                "no_root",
                "forward divides by the variance, but it must divide by its root",
                forward=lambda x: (x - x.mean(axis=-1, keepdims=True)) / (x.var(axis=-1, keepdims=True) + EPS),
            ),
            Mistake(
                "not_centred",
                "forward does not subtract the mean",
                forward=lambda x: x / np.sqrt(x.var(axis=-1, keepdims=True) + EPS),
            ),
            Mistake(
                "all_entries",
                (
                    "forward takes mean and variance of all entries together, but each row of the "
                    "last dimension has its own"
                ),
                forward=lambda x: _normalised(x, axis=None),
            ),
            Mistake(
                "first_dimension",
                "forward takes mean and variance along the first dimension, but they must be along the last",
                forward=lambda x: _normalised(x, axis=0),
            ),
            Mistake(
                "statistics_constant",
                "the gradient treats mean and variance as constants, but both depend on every entry of the row",
                vjp=lambda g, x: g / np.sqrt(x.var(axis=-1, keepdims=True) + EPS),
            ),
            Mistake(
                "variance_constant",
                (
                    "the gradient treats the variance as a constant, but it depends on every entry "
                    "of the row (the way through the mean is right)"
                ),
                vjp=lambda g, x: (g - g.mean(axis=-1, keepdims=True)) / np.sqrt(x.var(axis=-1, keepdims=True) + EPS),
            ),
            Mistake(
                "mean_constant",
                (
                    "the gradient treats the mean as a constant, but it depends on every entry of "
                    "the row (the way through the variance is right)"
                ),
                vjp=lambda g, x: _layer_norm_slope(g, x, mean=0),
            ),
            Mistake(
                "sum_for_mean",
                (
                    "the ways through mean and variance are n times too large: they contain sums "
                    "over the row instead of means"
                ),
                vjp=lambda g, x: _layer_norm_slope(g, x, through=x.shape[-1]),
            ),
            Mistake(
                "diagonal",
                "each entry of x gets only its effect on its own result, but it acts on every result of its row",
                vjp=lambda g, x: (
                    g * (1 - (1 + layer_norm(x) ** 2) / x.shape[-1]) / np.sqrt(x.var(axis=-1, keepdims=True) + EPS)
                ),
            ),
            Mistake(
                "spread_forgotten",
                (
                    "the gradient is not divided by the spread of the row: if the row is ten times "
                    "wider, y moves ten times less"
                ),
                vjp=lambda g, x: _layer_norm_slope(g, x) * np.sqrt(x.var(axis=-1, keepdims=True) + EPS),
            ),
            Mistake(
                "no_eps",
                "the gradient leaves eps out: it matters where the entries of a row are nearly equal",
                vjp=lambda g, x: _layer_norm_slope(g, x, eps=0),
            ),
            Mistake(
                "unbiased",
                "this is the gradient for a variance with n - 1 instead of n",
                vjp=lambda g, x: _layer_norm_slope(g, x, ddof=1),
            ),
        ),
    ),
    Exercise(
        notebook=NOTEBOOK,
        entry="Softplus",
        points=2,
        title="A smooth corner: log(1 + exp(x))",
        grading=Gradcheck(("x",), softplus, softplus_inputs, properties=("double_backward",)),
        hints=(
            (
                "For a large x the result is almost x, and for a very negative x it is almost 0. So "
                "no intermediate number needs to be huge. The slope is between 0 and 1 everywhere."
            ),
            (
                "Take the larger of 1 and exp(x) out of the logarithm. What remains inside is 1 "
                "plus an exponential of something that is never positive."
            ),
            (
                "exp(-|x|) is at most 1. The slope is the logistic function, and the library has a "
                "function for it. For the second derivative, save x or the result with "
                "save_for_backward, and compute the slope in backward."
            ),
        ),
        mistakes=(
            Mistake(
                "corner",
                "forward gives 0 for negative x and x for positive x: the corner is not smooth",
                forward=lambda x: np.maximum(x, 0),
            ),
            Mistake(
                "mirrored",
                "forward falls where x grows: the exponent has the wrong sign",
                forward=lambda x: softplus(-x),
            ),
            Mistake(
                "largest_forgotten",
                "forward gives log(1 + exp(-|x|)): for positive x, x itself is missing",
                forward=lambda x: np.log1p(np.exp(-np.abs(x))),
            ),
            Mistake(
                "inner_derivative",
                (
                    "the slope falls where x grows: it is 1/(1 + exp(x)), the slope of the "
                    "logarithm alone, and the slope of what is inside it is missing"
                ),
                vjp=lambda g, x: g * _sigmoid(-x),
            ),
            Mistake(
                "one_further",
                "the slope used is the slope of the logistic function: one derivative too many",
                vjp=lambda g, x: g * _sigmoid(x) * _sigmoid(-x),
            ),
            Mistake(
                "corner",
                (
                    "the slope used is 0 for negative x and 1 for positive x: this is the slope of "
                    "a corner, but here the corner is smooth"
                ),
                vjp=lambda g, x: g * (x > 0),
            ),
            Mistake(
                "slope_is_result",
                "the gradient is grad_output times the result: this is right for exp, but not here",
                vjp=lambda g, x: g * softplus(x),
            ),
        ),
    ),
    Exercise(
        notebook=NOTEBOOK,
        entry="Interpolate",
        points=2,
        title="Between two tensors",
        grading=Gradcheck(("a", "b", "t"), interpolate, interpolate_inputs, properties=("double_backward",)),
        hints=(
            (
                "Three tensors, three gradients. Hold two of them fixed and move an entry of the "
                "third: how much does the result move?"
            ),
            (
                "If t is one number for all entries, it acts on every entry of the result, and its "
                "gradient is one number too. What happens to all these contributions?"
            ),
            (
                "Save all three. The gradient for t contains grad_output and the distance from a to "
                "b; give it the shape of t at the end. `t.dim()` is 0 if t is a single number."
            ),
        ),
        mistakes=(
            Mistake(
                "ends_swapped",
                "the result is b where t is 0 and a where t is 1: the wrong way round",
                forward=lambda a, b, t: interpolate(b, a, t),
            ),
            Mistake(
                "a_not_weighted",
                "forward adds the whole of a, but a needs a weight too",
                forward=lambda a, b, t: a + t * b,
            ),
            Mistake(
                "one_contribution",
                (
                    "the gradient for t is right if t has the shape of a, but if t is one number, "
                    "only a single entry's contribution is taken"
                ),
                vjp=lambda g, a, b, t: (None, None, g * (b - a) if t.ndim else (g * (b - a)).reshape(-1)[0]),
            ),
            Mistake(
                "mean_for_sum",
                (
                    "if t is one number for all entries, its gradient here is the mean of what each "
                    "entry contributes, but the contributions must be added up"
                ),
                vjp=lambda g, a, b, t: (None, None, g * (b - a) if t.ndim else (g * (b - a)).mean()),
            ),
            Mistake(
                "only_b_moves",
                "the gradient for t depends on b alone, but a loses weight when t grows",
                vjp=lambda g, a, b, t: (None, None, _of_t(t, g * b)),
            ),
            Mistake(
                "sum_of_ends",
                "the gradient for t contains a + b, but when t grows, a loses weight and b gains weight",
                vjp=lambda g, a, b, t: (None, None, _of_t(t, g * (a + b))),
            ),
            Mistake(
                "weights_forgotten",
                "the gradients for a and b are grad_output itself, whatever t is",
                vjp=lambda g, a, b, t: (g, g, None),
            ),
        ),
    ),
    Exercise(
        notebook=NOTEBOOK,
        entry="GradientReversal",
        points=1,
        title="Reverse the gradient",
        grading=Gradcheck(
            ("x", "strength"),
            lambda x, strength: x.copy(),
            gradient_reversal_inputs,
            vjp=lambda g, x, strength: -strength * g,
        ),
        hints=(
            (
                "You do not need a derivative: the statement says what backward makes of "
                "grad_output. forward leaves the numbers as they are."
            ),
            (
                "strength is a plain number: keep it on ctx, and remember what backward gives for "
                "an argument that is not a tensor. The result of forward must have the values of x, "
                "for example x.view_as(x)."
            ),
        ),
        mistakes=(
            Mistake(
                "strength_ignored",
                "the gradient is reversed, but its size is the same whatever strength is",
                vjp=lambda g, x, strength: -g,
            ),
            Mistake(
                "strength_divides",
                "the gradient is divided by strength, but a larger strength must make it larger",
                vjp=lambda g, x, strength: -g / strength,
            ),
            Mistake(
                "times_x",
                "the gradient contains x, but the declared one does not",
                vjp=lambda g, x, strength: -strength * g * x,
            ),
            Mistake(
                "added",
                "strength is subtracted from grad_output, but it must scale grad_output",
                vjp=lambda g, x, strength: g - strength,
            ),
            Mistake(
                "forward_reversed",
                "forward reverses the sign of x, but only the gradient must be reversed: the values stay as they are",
                forward=lambda x, strength: -strength * x,
            ),
            Mistake(
                "forward_reversed",
                "forward reverses the sign of x, but only the gradient must be reversed: the values stay as they are",
                forward=lambda x, strength: -x,
            ),
            Mistake(
                "forward_scaled",
                "forward multiplies x by strength, but strength is for the gradient: the values stay as they are",
                forward=lambda x, strength: strength * x,
            ),
        ),
    ),
    Exercise(
        notebook=NOTEBOOK,
        entry="StraightThroughRound",
        points=1,
        title="Round, and let the gradient pass",
        grading=Gradcheck(("x",), np.round, straight_through_inputs, vjp=lambda g, x: g),
        hints=(
            (
                "Rounding has slope 0 almost everywhere, so the part of a network before it would "
                "learn nothing. Which gradient does the statement declare instead?"
            ),
            "backward behaves as if forward had done nothing. So it needs nothing of x, and nothing has to be saved.",
        ),
        mistakes=(
            Mistake(
                "towards_zero",
                "forward cuts off the digits after the point, but it must round to the nearest whole number",
                forward=np.trunc,
            ),
            Mistake(
                "down", "forward always rounds down, but it must round to the nearest whole number", forward=np.floor
            ),
            Mistake("up", "forward always rounds up, but it must round to the nearest whole number", forward=np.ceil),
            Mistake(
                "gradient_rounded",
                "grad_output is rounded too, but only the values must be whole numbers",
                vjp=lambda g, x: np.round(g),
            ),
            Mistake(
                "times_result",
                "grad_output is multiplied by the rounded x, but it must pass unchanged",
                vjp=lambda g, x: g * np.round(x),
            ),
            Mistake(
                "times_x",
                "grad_output is multiplied by x, but it must pass unchanged",
                vjp=lambda g, x: g * x,
            ),
            Mistake(
                "clipped",
                "the gradient passes only where x lies between -1 and 1, but the declared gradient passes everywhere",
                vjp=lambda g, x: g * (np.abs(x) <= 1),
            ),
        ),
    ),
)
