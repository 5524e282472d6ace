"""Exercises of notebook 14, losses and what grad_output is for: two losses, the functions that they are made of, and two declared gradients."""

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
    """Of each row the entry of its class; as an index has it, -1 is the last."""
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
    """The last two near 1000 and -1000, where exp leaves the range of floats."""
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
    """The gradient, less what the mean does with `mean` 0; `through` times what mean and variance do."""
    normalised = _normalised(x, eps, ddof=ddof)
    by_variance = normalised * (g * normalised).sum(axis=-1, keepdims=True) / (x.shape[-1] - ddof)
    others = through * (mean * g.mean(axis=-1, keepdims=True) + by_variance)
    return (g - others) / np.sqrt(x.var(axis=-1, keepdims=True, ddof=ddof) + eps)


def layer_norm_inputs(rng: np.random.Generator) -> Sequence[Arguments]:
    """No entry near its mean; in the last one the entries differ so little that eps counts."""
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
    """What every entry contributes, in the shape of t."""
    return each if t.ndim else each.sum()


def gradient_reversal_inputs(rng: np.random.Generator) -> Sequence[Arguments]:
    shapes_and_strengths = [((3,), 0.5), ((2, 3), 2.0), ((2, 1, 3), 3), ((), 1.5)]
    return [(rng.normal(size=shape), strength) for shape, strength in shapes_and_strengths]


def straight_through_inputs(rng: np.random.Generator) -> Sequence[Arguments]:
    """Between -3 and 3, away from whole numbers and from halves."""
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
                "Take one error alone first. What is the slope of the loss where the error is small, and where it is large and "
                "positive, or large and negative? The mean comes afterwards."
            ),
            (
                "The slope follows the error up to a limit and stays there: is there an operation that limits numbers from below and "
                "above? And a loss is no end: grad_output says how much whatever comes after it changes with it."
            ),
            (
                "When input grows by a little, the error grows; when target grows by a little, it shrinks by as much. So the two "
                "gradients differ in one thing only. Each of the n entries has a share of 1/n in a mean."
            ),
        ),
        mistakes=(
            Mistake(
                "sum_for_mean",
                "forward adds the losses of all entries up, where their mean is asked for",
                forward=lambda input, target, delta: _huber_terms(input, target, delta).sum(),
            ),
            Mistake(
                "all_squared",
                "forward squares every error: beyond delta the loss must be a straight line",
                forward=lambda input, target, delta: ((input - target) ** 2 / 2).mean(),
            ),
            Mistake(
                "jump",
                "the loss jumps where the error is delta: the parabola ends at delta²/2 there, the straight line begins at delta²",
                forward=lambda input, target, delta: np.where(
                    abs(input - target) <= delta, (input - target) ** 2 / 2, delta * abs(input - target)
                ).mean(),
            ),
            Mistake(
                "no_half",
                "the squared errors are not halved, so that parabola and straight line do not meet at delta",
                forward=lambda input, target, delta: np.where(
                    abs(input - target) <= delta, (input - target) ** 2, delta * (abs(input - target) - delta / 2)
                ).mean(),
            ),
            Mistake(
                "not_limited",
                "the gradient grows with the error also beyond delta, where the loss is a straight line and its slope stays the same",
                vjp=lambda g, input, target, delta: _huber_slope(input - target, g),
            ),
            Mistake(
                "always_limited",
                "the gradient has the same size for every error, as for an absolute value; within delta the slope depends on the error",
                vjp=lambda g, input, target, delta: _huber_slope(delta * np.sign(input - target), g),
            ),
            Mistake(
                "slope_one",
                "beyond delta the slope used is 1 or -1, whatever delta is; the straight line is steeper for a larger delta",
                vjp=lambda g, input, target, delta: _huber_slope(
                    np.where(abs(input - target) <= delta, input - target, np.sign(input - target)), g
                ),
            ),
            Mistake(
                "sign_lost",
                "beyond delta the gradient is positive for errors of either sign",
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
                "Write the loss of one row as log(sum of exp(logits)) minus the logit of its class, and differentiate the two parts "
                "apart. The first is known under the name of softmax."
            ),
            (
                "`x[rows, columns]` with two index tensors picks one entry for each pair, and can be assigned to. The rows are "
                "0, 1, 2, ..., the columns are what target says."
            ),
            (
                "Before any exp, subtract from each row its largest entry: the softmax stays the same and nothing overflows. backward "
                "needs the probabilities and target. A loss is a mean over rows; and it may be one part of something larger."
            ),
        ),
        mistakes=(
            Mistake(
                "sum_for_mean",
                "forward adds the losses of the rows up, where their mean is asked for",
                forward=lambda logits, target: cross_entropy(logits, target) * len(target),
            ),
            Mistake(
                "mean_over_all",
                "the mean is taken over all entries of the table, zeros and all: it must be over the rows",
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
                "forward's softmax runs down the columns; the classes of one example stand in one row",
                forward=lambda logits, target: -_at(log_softmax(logits, axis=0), target).mean(),
            ),
            Mistake(
                "no_log",
                "forward takes the probability of the class where its logarithm is asked for",
                forward=lambda logits, target: -np.exp(_at(log_softmax(logits), target)).mean(),
            ),
            Mistake(
                "not_normalised",
                "forward takes the logit of the class as it is: no softmax, the other classes do not matter",
                forward=lambda logits, target: -_at(logits, target).mean(),
            ),
            Mistake(
                "class_not_subtracted",
                "the gradient is the same whatever target says: it comes from the other classes' part of the loss alone",
                vjp=lambda g, logits, target: g * np.exp(log_softmax(logits)) / len(target),
            ),
            Mistake(
                "softmax_forgotten",
                "the gradient reaches the classes of target alone: the softmax makes the loss depend on every logit of the row",
                vjp=lambda g, logits, target: -g * _one_hot(logits, target) / len(target),
            ),
            Mistake(
                "by_probability",
                "this is the gradient with respect to the probabilities; it stops before the softmax, one step short of the logits",
                vjp=lambda g, logits, target: -g * _one_hot(logits, target) / np.exp(log_softmax(logits)) / len(target),
            ),
            Mistake(
                "logits_for_probabilities",
                "the gradient is made of the logits themselves, where it needs their probabilities",
                vjp=lambda g, logits, target: g * (logits - _one_hot(logits, target)) / len(target),
            ),
            Mistake(
                "class_before",
                "the gradient treats the class before the one that target names as the right one: classes are counted from 0",
                vjp=lambda g, logits, target: _cross_entropy_slope(g, logits, target - 1),
            ),
            Mistake(
                "class_after",
                "the gradient treats the class after the one that target names as the right one: classes are counted from 0",
                vjp=lambda g, logits, target: _cross_entropy_slope(g, logits, (target + 1) % logits.shape[1]),
            ),
            Mistake(
                "sum_for_mean",
                "the gradient is that of a sum over the rows: too large by the number of rows, for the loss is their mean",
                vjp=lambda g, logits, target: _cross_entropy_slope(g, logits, target) * len(target),
            ),
            Mistake(
                "mean_over_all",
                "the gradient is too small by the number of classes: the mean is over the rows, not over all entries of logits",
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
                "log(exp(1000) + exp(1001)) is near 1001, but exp(1000) is larger than any float. What happens to the result when "
                "the same number is subtracted from every entry of a row?"
            ),
            (
                "Choose that number so that the largest exponent becomes 0, for every row by itself, and set it right again at the "
                "end. For backward: the slopes of one row are positive and add up to 1."
            ),
            (
                "The slope is exp(x) divided by the row's sum of exponentials; as exp of a difference it never overflows, and the "
                "saved result is half of that difference. grad_output lacks the last dimension: unsqueeze(-1) gives it one back."
            ),
        ),
        mistakes=(
            Mistake(
                "largest_not_added",
                "forward subtracts the largest entry and does not add it again",
                forward=lambda x: log_sum_exp(x) - x.max(axis=-1),
            ),
            Mistake(
                "mean_for_sum",
                "forward takes the mean of the exponentials, where their sum is asked for",
                forward=lambda x: log_sum_exp(x) - np.log(x.shape[-1]),
            ),
            Mistake(
                "like_a_sum",
                "every entry of a row gets the whole of grad_output, as if the result were a plain sum; larger entries count for more here",
                vjp=lambda g, x: np.broadcast_to(g[..., None], x.shape),
            ),
            Mistake(
                "like_a_maximum",
                "the largest entry of a row gets everything, as if the result were a maximum; the others count for something too",
                vjp=lambda g, x: g[..., None] * (x == x.max(axis=-1, keepdims=True)),
            ),
            Mistake(
                "not_a_share",
                "the slopes are exponentials relative to the largest entry, but those of a row do not add up to 1: divided by the sum is missing",
                vjp=lambda g, x: g[..., None] * np.exp(x - x.max(axis=-1, keepdims=True)),
            ),
            Mistake(
                "all_entries",
                "the slopes of all entries together add up to 1, where those of each row must",
                vjp=lambda g, x: g[..., None] * _softmax(x.reshape(-1)).reshape(x.shape),
            ),
            Mistake(
                "logarithm_of_share",
                "the slope used is x minus the result: that is its logarithm",
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
                "One entry of x acts on its whole row of results in three ways: directly, through the mean of the row and through its "
                "variance. A backward that has only the first is far off; each way adds a term."
            ),
            (
                "Call the result y and its spread s = sqrt(variance + eps). Add the same number to every entry of a row: y does not "
                "change, so the gradient of each row must sum up to 0. Which term brings that about?"
            ),
            (
                "Multiply a row by a number: y hardly changes, so the gradient can have almost nothing along y. Each of the two terms "
                "that you subtract from grad_output is a mean over the row, one of grad_output, one of grad_output * y."
            ),
        ),
        mistakes=(
            Mistake(
                "unbiased",
                "forward divides the squares by n - 1 for the variance, where n is asked for",
                forward=lambda x: _normalised(x, ddof=1),
            ),
            Mistake(
                "eps_outside",
                "forward adds eps to the root of the variance; it must be added to the variance, before the root",
                forward=lambda x: _normalised(x, eps=0, outside=EPS),
            ),
            Mistake(
                "no_eps",
                "forward leaves eps out: it shows where the entries of a row are nearly equal",
                forward=lambda x: _normalised(x, eps=0),
            ),
            Mistake(
                "no_root",
                "forward divides by the variance, where its root is asked for",
                forward=lambda x: (x - x.mean(axis=-1, keepdims=True)) / (x.var(axis=-1, keepdims=True) + EPS),
            ),
            Mistake(
                "not_centred",
                "forward does not subtract the mean",
                forward=lambda x: x / np.sqrt(x.var(axis=-1, keepdims=True) + EPS),
            ),
            Mistake(
                "all_entries",
                "forward takes mean and variance of all entries together, where each row of the last dimension has its own",
                forward=lambda x: _normalised(x, axis=None),
            ),
            Mistake(
                "first_dimension",
                "forward takes mean and variance along the first dimension, where the last one is asked for",
                forward=lambda x: _normalised(x, axis=0),
            ),
            Mistake(
                "statistics_constant",
                "the gradient takes mean and variance for constants; both depend on every entry of the row",
                vjp=lambda g, x: g / np.sqrt(x.var(axis=-1, keepdims=True) + EPS),
            ),
            Mistake(
                "variance_constant",
                "the gradient takes the variance for a constant; it depends on every entry of the row (what goes through the mean is right)",
                vjp=lambda g, x: (g - g.mean(axis=-1, keepdims=True)) / np.sqrt(x.var(axis=-1, keepdims=True) + EPS),
            ),
            Mistake(
                "mean_constant",
                "the gradient takes the mean for a constant; it depends on every entry of the row (what goes through the variance is right)",
                vjp=lambda g, x: _layer_norm_slope(g, x, mean=0),
            ),
            Mistake(
                "sum_for_mean",
                "what goes through mean and variance is n times too large: sums over the row where means belong",
                vjp=lambda g, x: _layer_norm_slope(g, x, through=x.shape[-1]),
            ),
            Mistake(
                "diagonal",
                "each entry of x gets its effect on its own result alone; it acts on every result of its row",
                vjp=lambda g, x: (
                    g * (1 - (1 + layer_norm(x) ** 2) / x.shape[-1]) / np.sqrt(x.var(axis=-1, keepdims=True) + EPS)
                ),
            ),
            Mistake(
                "spread_forgotten",
                "the gradient is not divided by the spread of the row: where the row is ten times wider, y moves ten times less",
                vjp=lambda g, x: _layer_norm_slope(g, x) * np.sqrt(x.var(axis=-1, keepdims=True) + EPS),
            ),
            Mistake(
                "no_eps",
                "the gradient leaves eps out: it shows where the entries of a row are nearly equal",
                vjp=lambda g, x: _layer_norm_slope(g, x, eps=0),
            ),
            Mistake(
                "unbiased",
                "the gradient is that of a variance with n - 1 for n",
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
                "For a large x the result is x itself, almost; for a very negative one it is almost 0. So no number on the way needs to be "
                "huge. And the slope lies between 0 and 1 everywhere."
            ),
            (
                "Take the larger of 1 and exp(x) out of the logarithm. What is left inside is 1 plus an exponential of something that is "
                "never positive."
            ),
            (
                "exp(-|x|) is at most 1. The slope is the logistic function, which has a name in the library. For the second derivative, "
                "save x or the result, by save_for_backward, and compute the slope in backward."
            ),
        ),
        mistakes=(
            Mistake(
                "corner",
                "forward gives 0 for negative x and x for positive ones: the corner is not smooth",
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
                "the slope falls where x grows: it is 1/(1 + exp(x)), the slope of the logarithm alone, without that of what stands inside",
                vjp=lambda g, x: g * _sigmoid(-x),
            ),
            Mistake(
                "one_further",
                "the slope used is that of the logistic function, a derivative too far",
                vjp=lambda g, x: g * _sigmoid(x) * _sigmoid(-x),
            ),
            Mistake(
                "corner",
                "the slope used is 0 for negative x and 1 for positive ones: that of a corner, here it is smooth",
                vjp=lambda g, x: g * (x > 0),
            ),
            Mistake(
                "slope_is_result",
                "the gradient is grad_output times the result: that is right for exp, not here",
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
            "Three tensors, three gradients. Hold two of them fixed in your mind and move an entry of the third: by how much does the result move?",
            (
                "When t is one number for all, it acts on every entry of the result, and the gradient for it is one number too: "
                "what becomes of all these contributions?"
            ),
            (
                "Save all three. The gradient for t is made of grad_output and the distance from a to b; give it t's own shape at the end. "
                "`t.dim()` is 0 where t is a single number."
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
                "forward adds the whole of a, where a part of it is asked for",
                forward=lambda a, b, t: a + t * b,
            ),
            Mistake(
                "one_contribution",
                "the gradient for t is right where t has the shape of a; where t is one number, a single entry's contribution is taken",
                vjp=lambda g, a, b, t: (None, None, g * (b - a) if t.ndim else (g * (b - a)).reshape(-1)[0]),
            ),
            Mistake(
                "mean_for_sum",
                "where t is one number for all entries, its gradient is the mean of what each entry contributes; the effects must be added up",
                vjp=lambda g, a, b, t: (None, None, g * (b - a) if t.ndim else (g * (b - a)).mean()),
            ),
            Mistake(
                "only_b_moves",
                "the gradient for t sees b alone: a loses weight when t grows",
                vjp=lambda g, a, b, t: (None, None, _of_t(t, g * b)),
            ),
            Mistake(
                "sum_of_ends",
                "the gradient for t contains a + b: a loses weight when t grows, b gains",
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
        title="Turn the gradient round",
        grading=Gradcheck(
            ("x", "strength"),
            lambda x, strength: x.copy(),
            gradient_reversal_inputs,
            vjp=lambda g, x, strength: -strength * g,
        ),
        hints=(
            "No derivative is asked for: the statement says what backward makes of grad_output. forward leaves the numbers alone.",
            (
                "strength is a plain number: keep it on ctx, and remember what backward owes for an argument that is no tensor. "
                "forward must give a result that is not changed, for instance x.view_as(x)."
            ),
        ),
        mistakes=(
            Mistake(
                "strength_ignored",
                "the gradient is turned round, but its size is the same whatever strength is",
                vjp=lambda g, x, strength: -g,
            ),
            Mistake(
                "strength_divides",
                "the gradient is divided by strength: a greater strength must make it larger",
                vjp=lambda g, x, strength: -g / strength,
            ),
            Mistake(
                "times_x",
                "the gradient contains x, which the declared one does not",
                vjp=lambda g, x, strength: -strength * g * x,
            ),
            Mistake(
                "added",
                "strength is subtracted from grad_output, where it must scale it",
                vjp=lambda g, x, strength: g - strength,
            ),
            Mistake(
                "forward_reversed",
                "forward turns x round; only the gradient is to be turned, the values stay as they are",
                forward=lambda x, strength: -strength * x,
            ),
            Mistake(
                "forward_reversed",
                "forward turns x round; only the gradient is to be turned, the values stay as they are",
                forward=lambda x, strength: -x,
            ),
            Mistake(
                "forward_scaled",
                "forward multiplies x by strength; strength is for the gradient, the values stay as they are",
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
            "Rounding has slope 0 almost everywhere, and a network behind it would learn nothing. Which gradient does the statement declare instead?",
            "backward behaves as if forward had done nothing at all. Then nothing of x is needed in it, and nothing needs to be saved.",
        ),
        mistakes=(
            Mistake(
                "towards_zero",
                "forward cuts the digits after the point off, where it must round to the nearest whole number",
                forward=np.trunc,
            ),
            Mistake(
                "down", "forward rounds down always, where it must round to the nearest whole number", forward=np.floor
            ),
            Mistake("up", "forward rounds up always, where it must round to the nearest whole number", forward=np.ceil),
            Mistake(
                "gradient_rounded",
                "grad_output is rounded too: only the values are to be whole numbers",
                vjp=lambda g, x: np.round(g),
            ),
            Mistake(
                "times_result",
                "grad_output is multiplied by the rounded x, where it must pass as it is",
                vjp=lambda g, x: g * np.round(x),
            ),
            Mistake(
                "times_x",
                "grad_output is multiplied by x, where it must pass as it is",
                vjp=lambda g, x: g * x,
            ),
            Mistake(
                "clipped",
                "the gradient passes only where x lies between -1 and 1: another estimator; this one lets it pass everywhere",
                vjp=lambda g, x: g * (np.abs(x) <= 1),
            ),
        ),
    ),
)
