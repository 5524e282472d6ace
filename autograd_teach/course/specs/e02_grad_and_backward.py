"""The specification of notebook 02, gradients by call: gradient_of, accumulate_minibatches, jacobian_row, full_jacobian."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from ..checks.spec import Also, Arguments, CallSpec, Mistake, drawn, family
from ..exercises.declaration import Program
from ..jacobian import numerical_jacobian

SCALARS = (
    ("({a} * x ** {n}).sum()", (3,)),
    ("torch.exp({a} * x[0]) * x[1] + {a} * x[2] ** {n}", (3,)),
    ("torch.log({a} * x * x + 1).sum() * x[0, 1]", (2, 3)),
    ("{f}({a} * x)", ()),
    ("({a} * x * x * x).sum()", (1,)),
)


VECTORS = (
    ("{a} * x ** {n}", 2),
    ("torch.stack([{a} * x[0] * x[1], x[2] ** {n}])", 3),
    ("torch.stack([x[0] * x[1], {a} * x[1] - x[2], {f}({a} * x[0]), {a} * x[2] ** {n}])", 3),
    ("{f}({a} * x) * x.sum()", 4),
    ("torch.stack([{a} * x[0] * x[1] ** {n}])", 2),
    ("torch.stack([{a} * x[0] ** {n}, torch.exp({a} * x[0])])", 1),
)


Map = Callable[..., Any]


def gradient(f: Map, x: np.ndarray) -> np.ndarray:
    return jacobian(f, x).reshape(x.shape)


def jacobian(f: Map, x: np.ndarray) -> np.ndarray:
    return numerical_jacobian(f, [x], 0)


def scalar_inputs(rng: np.random.Generator) -> Sequence[Arguments]:
    return [(Program("x", drawn(text, rng)), rng.normal(size=shape)) for text, shape in SCALARS]


def vector_inputs(rng: np.random.Generator) -> Sequence[Arguments]:
    return [(Program("x", drawn(text, rng)), rng.uniform(0.5, 1.5, size=size)) for text, size in VECTORS]


def row_inputs(rng: np.random.Generator) -> Sequence[Arguments]:
    """The first row, the last row and others; with more and with fewer results than entries of x; one result; one entry."""
    calls: list[Arguments] = [(f, x, i) for (f, x), i in zip(vector_inputs(rng), [1, 0, 3, 2, 0, 1], strict=True)]
    return [*calls, *((calls[2][0], rng.uniform(0.5, 1.5, size=3), i) for i in (2, 1))]


def batch_inputs(rng: np.random.Generator) -> Sequence[Arguments]:
    """Rows, columns and size: sizes that divide the number of rows and others, a single row, a size above the number of rows."""
    sizes = [(3, 2, 2), (4, 2, 2), (3, 2, 3), (6, 3, 2), (7, 2, 3), (2, 2, 5), (4, 1, 1), (1, 2, 1)]
    return [(rng.normal(size=(n, d)), rng.normal(size=n), rng.normal(size=d), size) for n, d, size in sizes]


def batch_gradient(data: np.ndarray, targets: np.ndarray, w: np.ndarray, size: int) -> np.ndarray:
    return 2 * (data @ w - targets) @ data


Rows = Callable[[int, int], list[slice]]
"""From the number of rows and `size` to the rows of each mini-batch."""


def batches(count: int, size: int) -> list[slice]:
    return [slice(start, min(start + size, count)) for start in range(0, count, size)]


def batch_gradients(
    data: np.ndarray, targets: np.ndarray, w: np.ndarray, size: int, rows: Rows = batches
) -> Iterator[np.ndarray]:
    """The gradient of each mini-batch, cut as `rows` says."""
    return (batch_gradient(data[cut], targets[cut], w, size) for cut in rows(len(data), size))


def added(rows: Rows) -> dict[str, Any]:
    """The gradient if the mini-batches are cut in another way."""

    def forward(data: np.ndarray, targets: np.ndarray, w: np.ndarray, size: int) -> np.ndarray:
        return sum(batch_gradients(data, targets, w, size, rows), np.zeros_like(w))

    return {"forward": forward}


def put_together(together: Callable[[list[np.ndarray]], np.ndarray]) -> dict[str, Any]:
    """The gradients of the mini-batches put together in another way than by adding each once."""
    return {"forward": lambda *arguments: together(list(batch_gradients(*arguments)))}


def weighted(weight: Callable[[int, int, int], float], rows: Rows = batches) -> dict[str, Any]:
    """Each mini-batch's gradient times a weight, from its own number of rows, `size` and the number of all rows."""

    def forward(data: np.ndarray, targets: np.ndarray, w: np.ndarray, size: int) -> np.ndarray:
        cuts = rows(len(data), size)
        weights = (weight(cut.stop - cut.start, size, len(data)) for cut in cuts)
        gradients = batch_gradients(data, targets, w, size, lambda count, size: cuts)
        return sum((a * g for a, g in zip(weights, gradients, strict=True)), np.zeros_like(w))

    return {"forward": forward}


def of_loss(loss: Callable[[np.ndarray, np.ndarray], np.ndarray], rows: Rows = batches) -> dict[str, Any]:
    """The gradient of another loss: `loss` gets the predictions and the targets, and gives the slope of each prediction."""

    def forward(data: np.ndarray, targets: np.ndarray, w: np.ndarray, size: int) -> np.ndarray:
        cuts = rows(len(data), size)
        return sum((loss(data[cut] @ w, targets[cut]) @ data[cut] for cut in cuts), np.zeros_like(w))

    return {"forward": forward}


def in_one(count: int, size: int) -> list[slice]:
    return [slice(0, count)]


def mean_of_batches(data: np.ndarray, targets: np.ndarray, w: np.ndarray, size: int) -> np.ndarray:
    """The mean over the mini-batches of the mean over the rows of each."""
    cuts = batches(len(data), size)
    means = [batch_gradient(data[cut], targets[cut], w, size) / (cut.stop - cut.start) for cut in cuts]
    return np.mean(means, axis=0)


def first_counted_again(gradients: list[np.ndarray]) -> np.ndarray:
    """The sum of `.grad` after each mini-batch, if it is never cleared.

    After the first mini-batch the total is `.grad` itself, and grows with it once.
    """
    sums = np.cumsum(gradients, axis=0)
    return sums[0] if len(sums) == 1 else sums[1] + sums[1:].sum(axis=0)


def doubled_each_time(gradients: list[np.ndarray]) -> np.ndarray:
    """The same, if the total stays `.grad` itself and is doubled in place."""
    total = gradients[0]
    for each in gradients[1:]:
        total = 2 * (total + each)
    return total


def with_steps(rate: float) -> dict[str, Any]:
    """The weights make a step downhill after each mini-batch."""

    def forward(data: np.ndarray, targets: np.ndarray, w: np.ndarray, size: int) -> np.ndarray:
        total = np.zeros_like(w)
        for cut in batches(len(data), size):
            each = batch_gradient(data[cut], targets[cut], w, size)
            total, w = total + each, w - rate * each
        return total

    return {"forward": forward}


def at_first_targets(data: np.ndarray, targets: np.ndarray, w: np.ndarray, size: int) -> np.ndarray:
    cuts = batches(len(data), size)
    return sum((batch_gradient(data[cut], targets[: cut.stop - cut.start], w, size) for cut in cuts), np.zeros_like(w))


WHOLE = {
    "this is the gradient of the first mini-batch alone: the others are left out": lambda n, size: batches(n, size)[:1],
    "this is the gradient of the last mini-batch alone: the gradients of the others were lost": lambda n, size: batches(
        n, size
    )[-1:],
    "the last mini-batch is left out when it is shorter than the others": lambda n, size: (
        [cut for cut in batches(n, size) if cut.stop - cut.start == size]
    ),
    "the last mini-batch is left out": lambda n, size: batches(n, size)[:-1],
    "the first mini-batch is left out": lambda n, size: batches(n, size)[1:],
    "every second mini-batch is left out": lambda n, size: batches(n, size)[::2],
    "the last row is left out": lambda n, size: batches(n - 1, size),
    "the first row is left out": lambda n, size: [slice(1, n)],
    "the last row of each full mini-batch is left out": lambda n, size: [
        slice(start, min(start + size - 1, n)) for start in range(0, n, size)
    ],
    "the last row of each mini-batch is left out": lambda n, size: [
        slice(cut.start, cut.stop - 1) for cut in batches(n, size)
    ],
    "the first row of each mini-batch is left out": lambda n, size: [
        slice(start + 1, min(start + size, n)) for start in range(0, n, size)
    ],
    "each mini-batch takes the first row of the next one too": lambda n, size: [
        slice(start, min(start + size + 1, n)) for start in range(0, n, size)
    ],
    "the mini-batches overlap: each must start where the one before it ended": lambda n, size: [
        slice(start, min(start + size, n)) for start in range(n)
    ],
    "the mini-batches overlap: each must start where the one before it ended ": lambda n, size: [
        slice(start, start + size) for start in range(max(n - size, 0) + 1)
    ],
    "the mini-batches overlap by one row: each must start where the one before it ended": lambda n, size: [
        slice(start, min(start + size, n)) for start in range(0, n, max(size - 1, 1))
    ],
    "every row is counted once for each mini-batch": lambda n, size: [slice(0, n)] * len(batches(n, size)),
    "rows are counted again with each later mini-batch, as where `.grad`, which adds up by itself, is added up once more": lambda n, size: [
        slice(0, cut.stop) for cut in batches(n, size)
    ],
    "each mini-batch goes on to the last row": lambda n, size: [slice(cut.start, n) for cut in batches(n, size)],
    "only the first row of each mini-batch is used": lambda n, size: [
        slice(cut.start, cut.start + 1) for cut in batches(n, size)
    ],
    "mini-batch k starts at row k: it must start where the one before it ended": lambda n, size: [
        slice(k, min(k + size, n)) for k in range(len(batches(n, size)))
    ],
}
"""What is wrong with the mini-batches, and their rows then."""


def weights_of_rows(f: Map, x: np.ndarray, i: int, weights: Callable[[int, np.ndarray], Any]) -> np.ndarray:
    """A sum of rows of the Jacobian: `weights` gets the rows' numbers, and the result of f."""
    result = np.asarray(f(x))
    return np.asarray(weights(i, result), dtype=float) @ jacobian(f, x)


def rows_weighted(weights: Callable[[int, np.ndarray], Any]) -> dict[str, Any]:
    return {"forward": lambda f, x, i: weights_of_rows(f, x, i, weights)}


def of_jacobian(what: Callable[[np.ndarray], np.ndarray]) -> dict[str, Any]:
    """The Jacobian, changed."""
    return {"forward": lambda f, x: np.ascontiguousarray(what(jacobian(f, x)))}


def difference(f: Map, x: np.ndarray, by: float) -> np.ndarray:
    """Difference quotients: each entry of x in turn is moved by a fixed step."""
    moves = by * np.eye(x.size).reshape(x.size, *x.shape)
    return np.array([(f(x + move) - f(x)) / by for move in moves]).reshape(x.shape)


def leaves_no_trace(called: Any) -> str | None:
    for name, facts in called.after.items():
        if facts.grad is not None or facts.requires_grad:
            what = "has a `.grad`" if facts.grad is not None else "requires grad"
            return (
                f"{name} {what} after the call, but the caller's tensor must not change: use a copy of it as your leaf"
            )
    return None


NO_TRACE = Also(
    "leaves_a_trace",
    "the arguments do not require grad afterwards and have no .grad",
    leaves_no_trace,
    counted=True,
)


SPECS = {
    "gradient_of": CallSpec(
        gradient,
        scalar_inputs,
        dtypes=True,
        also=(NO_TRACE,),
        mistakes=(
            Mistake("value", "this is the value of f, not its gradient", forward=lambda f, x: f(x)),
            Mistake("leaf", "this is x, not the gradient of f at x", forward=lambda f, x: x),
            Mistake(
                "tuple",
                "`autograd.grad` gives a tuple, even for one leaf: take its only element",
                forward=lambda f, x: [gradient(f, x)],
            ),
            *family(
                "one_number",
                "this is {which} of the gradient: each entry of x has a slope of its own",
                lambda which: {"forward": lambda f, x: np.asarray(which(gradient(f, x)))},
                which={
                    "the sum of all entries": np.sum,
                    "the mean of all entries": np.mean,
                    "the length": np.linalg.norm,
                },
            ),
            *family(
                "changed",
                "in yours, the gradient is {how}",
                lambda how: {"forward": lambda f, x: how(gradient(f, x), x, f)},
                how={
                    "divided by the number of entries of x": lambda g, x, f: g / x.size,
                    "multiplied by x": lambda g, x, f: g * x,
                    "multiplied by the value of f": lambda g, x, f: g * f(x),
                    "multiplied by twice the value of f: this is the gradient of f squared": lambda g, x, f: (
                        2 * f(x) * g
                    ),
                    "divided by its own length": lambda g, x, f: g / np.linalg.norm(g),
                    "without its signs": lambda g, x, f: np.abs(g),
                    "reduced to its signs": lambda g, x, f: np.sign(g),
                    "right only in its first entry, and 0 elsewhere": lambda g, x, f: (
                        g * (np.arange(g.size) == 0).reshape(g.shape)
                    ),
                },
            ),
            *family(
                "elsewhere",
                "this is the gradient at another point: {where}",
                lambda where: {"forward": lambda f, x: gradient(f, where(x))},
                where={
                    "where all entries are 0": np.zeros_like,
                    "where all entries are 1": np.ones_like,
                    "at -x": lambda x: -x,
                },
            ),
            *family(
                "step",
                "this is x after a step {way}, not the gradient of f at x",
                lambda way, rate: {"forward": lambda f, x: x + way * rate * gradient(f, x)},
                way={"downhill": -1.0, "uphill": 1.0},
                rate={str(rate): rate for rate in (1.0, 0.1, 0.01, 0.001)},
            ),
            Mistake(
                "squeezed",
                "a dimension of size 1 is lost: the result has the shape of x, also if x has one entry",
                forward=lambda f, x: gradient(f, x).squeeze(),
            ),
            *family(
                "far",
                "these are differences over a move of {by}, not the slopes at x",
                lambda by: {"forward": lambda f, x: difference(f, x, by)},
                by={"1": 1.0, "0.1": 0.1, "0.01": 1e-2, "0.001": 1e-3, "0.0001": 1e-4},
            ),
        ),
        holds={
            "For example:": "explains",
            "Write a function `gradient_of(f, x)`": "value",
            "The result is a tensor with the shape": "value, one_number",
            "`f` takes a tensor and returns": "explains",
            "Each entry of the gradient": "value, changed",
            "The checks try five functions": "explains",
            "They compare the gradient": "value",
            "They check that `x` is unchanged": "unchanged, leaves_a_trace, repeat",
        },
    ),
    "accumulate_minibatches": CallSpec(
        batch_gradient,
        batch_inputs,
        also=(NO_TRACE,),
        mistakes=(
            *(Mistake("rows", words.strip(), **added(rows)) for words, rows in WHOLE.items()),
            Mistake(
                "counted_again",
                "earlier mini-batches are counted several times, as where `.grad`, which adds up by itself, is added up once more",
                **put_together(first_counted_again),
            ),
            Mistake(
                "counted_again",
                "earlier mini-batches are counted several times, as where the total and `.grad`, which adds up by itself, are one tensor",
                **put_together(doubled_each_time),
            ),
            Mistake(
                "mean",
                "this is the mean over the rows, but the loss is their sum",
                **weighted(lambda rows, size, count: 1 / count),
            ),
            Mistake(
                "mean_of_batches",
                "this is the mean over the mini-batches, but their gradients must be added up",
                **put_together(lambda gradients: np.mean(gradients, axis=0)),
            ),
            Mistake(
                "mean_in_batches",
                "the loss of each mini-batch is a mean over its rows, but the loss is a sum over all rows",
                **weighted(lambda rows, size, count: 1 / rows),
            ),
            Mistake(
                "by_size",
                "each mini-batch is divided by `size`, but the loss is a sum over all rows",
                **weighted(lambda rows, size, count: 1 / size),
            ),
            Mistake(
                "means",
                "means are taken over the rows of each mini-batch and over the mini-batches, but the loss is a sum over all rows",
                forward=mean_of_batches,
            ),
            *family(
                "part_and_mean",
                "{which}; and its loss is a mean over its rows, but the loss is a sum",
                lambda which: weighted(lambda rows, size, count: 1 / rows, which),
                which=dict(list(WHOLE.items())[:3]),
            ),
            *family(
                "loss",
                "this is the gradient of another loss: in yours, {loss}",
                of_loss,
                loss={
                    "the targets are left out": lambda y, t: 2 * y,
                    "the targets are added, not subtracted": lambda y, t: 2 * (y + t),
                    "the errors are not squared": lambda y, t: np.ones_like(y),
                    "the errors are not squared, their sizes are added": lambda y, t: np.sign(y - t),
                    "the errors are not squared but raised to the power 3": lambda y, t: 3 * (y - t) ** 2,
                    "the errors of each mini-batch are added before they are squared": lambda y, t: np.full_like(
                        y, 2 * (y - t).sum()
                    ),
                    "each row is compared with every target of its mini-batch": lambda y, t: 2 * (len(t) * y - t.sum()),
                    "each row is compared with the target of the next row": lambda y, t: 2 * (y - np.roll(t, -1)),
                },
            ),
            Mistake(
                "loss",
                "this is the gradient of another loss: in yours, the errors are added before they are squared",
                **of_loss(lambda y, t: np.full_like(y, 2 * (y - t).sum()), in_one),
            ),
            Mistake(
                "targets",
                "every mini-batch is compared with the first targets: the targets must be cut like the data",
                forward=at_first_targets,
            ),
            *family(
                "steps",
                "the weights change between the mini-batches, but all gradients must be taken at w",
                with_steps,
                rate={str(rate): rate for rate in (1.0, 0.1, 0.01, 0.001)},
            ),
            Mistake(
                "value",
                "this is the loss, not its gradient at w",
                forward=lambda data, targets, w, size: np.asarray(((data @ w - targets) ** 2).sum()),
            ),
            Mistake(
                "not_added",
                "these are the gradients of the mini-batches, one by one: they must be added up",
                forward=lambda data, targets, w, size: list(batch_gradients(data, targets, w, size)),
            ),
            Mistake(
                "of_data",
                "this is the gradient with respect to the data, not w",
                forward=lambda data, targets, w, size: 2 * np.outer(data @ w - targets, w),
            ),
            *family(
                "where",
                "the result is wrong only where {what}",
                lambda what: {"where": what},
                what={
                    "there is one row": lambda data, targets, w, size: len(data) == 1,
                    "`size` is larger than the number of rows: the only mini-batch is shorter than `size` then": (
                        lambda data, targets, w, size: size > len(data)
                    ),
                    "`size` is the number of rows or larger: there is one mini-batch then": (
                        lambda data, targets, w, size: size >= len(data)
                    ),
                    "`size` does not divide the number of rows: the last mini-batch is shorter then": (
                        lambda data, targets, w, size: len(data) % size != 0
                    ),
                    "w has one entry": lambda data, targets, w, size: len(w) == 1,
                    "`size` is 1": lambda data, targets, w, size: size == 1,
                },
            ),
        ),
        holds={
            "For example:": "explains",
            "Write a function `accumulate_minibatches": "value",
            "It goes through the data": "explains",
            "The matrix `data` has one example": "explains",
            "The vector `targets` has one number": "targets",
            "The loss of the weights `w`": "loss, mean",
            "Imagine that the whole matrix": "explains",
            "So first take rows 0": "explains",
            "The checks see only": "explains",
            "The last mini-batch may be shorter": "rows",
            "The result is a tensor with the shape of `w`": "value",
            "The checks try several numbers of rows": "explains",
            "They compare your result": "value",
            "They check that the arguments": "unchanged, leaves_a_trace",
            "A second call must give": "repeat",
        },
    ),
    "jacobian_row": CallSpec(
        lambda f, x, i: numerical_jacobian(f, [x], 0)[i],
        row_inputs,
        also=(NO_TRACE,),
        mistakes=(
            *family(
                "rows",
                "this is {which}: `grad_outputs` must pick out one row",
                lambda which: rows_weighted(which),
                which={
                    "the sum of all rows": lambda i, y: np.ones_like(y),
                    "the mean of all rows": lambda i, y: np.full_like(y, 1 / len(y)),
                    "the sum of all other rows": lambda i, y: np.arange(len(y)) != i,
                    "the sum of rows 0 to i": lambda i, y: np.arange(len(y)) <= i,
                    "the sum of the rows before row i": lambda i, y: np.arange(len(y)) < i,
                    "the sum of row i and all rows after it": lambda i, y: np.arange(len(y)) >= i,
                    "the sum of row i and the row after it": lambda i, y: np.isin(np.arange(len(y)) - i, (0, 1)),
                    "the sum of row i and the row before it": lambda i, y: np.isin(np.arange(len(y)) - i, (0, -1)),
                    "the sum of all rows, each times its entry of f(x)": lambda i, y: y,
                    "the sum of all rows, each times its number": lambda i, y: np.arange(len(y)),
                },
            ),
            *family(
                "weight",
                "this is row i times {weight}: the vector must hold a 1 there",
                lambda weight: rows_weighted(weight),
                weight={
                    "i": lambda i, y: i * (np.arange(len(y)) == i),
                    "i + 1": lambda i, y: (i + 1) * (np.arange(len(y)) == i),
                    "entry i of f(x)": lambda i, y: y * (np.arange(len(y)) == i),
                },
            ),
            *family(
                "another_row",
                "this is another row of the Jacobian: {which}",
                lambda which: rows_weighted(which),
                which={
                    "always the first": lambda i, y: np.arange(len(y)) == 0,
                    "always the last": lambda i, y: np.arange(len(y)) == len(y) - 1,
                    "the one before row i, and rows are counted from 0": lambda i, y: (
                        np.arange(len(y)) == (i - 1) % len(y)
                    ),
                    "the one after row i, and rows are counted from 0": lambda i, y: (
                        np.arange(len(y)) == (i + 1) % len(y)
                    ),
                    "row i counted from the end": lambda i, y: np.arange(len(y)) == len(y) - 1 - i,
                    "row -i": lambda i, y: np.arange(len(y)) == -i % len(y),
                },
            ),
            Mistake(
                "column",
                "this is column i, which says how all results depend on x[i]; row i says how "
                "result i depends on all of x",
                forward=lambda f, x, i: jacobian(f, x)[:, min(i, x.size - 1)],
            ),
            Mistake(
                "diagonal",
                "only the entry on the diagonal is there: result i can depend on every entry of x",
                forward=lambda f, x, i: jacobian(f, x)[i] * (np.arange(x.size) == min(i, x.size - 1)),
            ),
            Mistake(
                "one_entry",
                "this is one entry of the row: result i has a slope for each entry of x",
                forward=lambda f, x, i: np.asarray(jacobian(f, x)[i, min(i, x.size - 1)]),
            ),
            Mistake(
                "row_sum",
                "this is the sum of row i: result i has a slope for each entry of x",
                forward=lambda f, x, i: np.asarray(jacobian(f, x)[i].sum()),
            ),
            Mistake(
                "matrix",
                "the row is still a matrix with one row",
                forward=lambda f, x, i: jacobian(f, x)[i : i + 1],
            ),
            Mistake("whole", "this is the whole Jacobian, not one row", forward=lambda f, x, i: jacobian(f, x)),
            Mistake(
                "value", "this is entry i of f(x), not how it depends on x", forward=lambda f, x, i: np.asarray(f(x)[i])
            ),
            Mistake("value", "this is f(x), not a row of its Jacobian", forward=lambda f, x, i: f(x)),
            Mistake(
                "squeezed",
                "a dimension of size 1 is lost: the row has the shape of x, also if x has one entry",
                forward=lambda f, x, i: jacobian(f, x)[i].squeeze(),
            ),
        ),
        holds={
            "For example:": "explains",
            "Write a function `jacobian_row(f, x, i)`": "value",
            "Rows are counted from 0": "another_row",
            "The row is a tensor with the shape": "value, matrix",
            "`f` takes a vector and returns": "explains",
            "Row $i$ says how entry": "value, column",
            "The checks try several functions": "explains",
            "One has a single result": "squeezed",
            "They compare the row": "value, unchanged, leaves_a_trace",
            "A second call must give": "repeat",
        },
    ),
    "full_jacobian": CallSpec(
        lambda f, x: numerical_jacobian(f, [x], 0),
        vector_inputs,
        also=(NO_TRACE,),
        mistakes=(
            *family(
                "rows",
                "{what}",
                of_jacobian,
                what={
                    "this is one row, the sum of all rows: each result needs a row of its own": lambda J: J.sum(axis=0),
                    "this is one row, the mean of all rows: each result needs a row of its own": lambda J: J.mean(
                        axis=0
                    ),
                    "these are only the diagonal entries: each result needs a row of its own": np.diagonal,
                    "these are the sums of the rows: each row has an entry for each entry of x": lambda J: J.sum(
                        axis=1
                    ),
                    "each of your rows also holds the rows before it, as in a `.grad` that is not cleared": lambda J: (
                        np.cumsum(J, axis=0)
                    ),
                    "each of your rows also holds the rows after it, as in a `.grad` that is not cleared": lambda J: (
                        np.cumsum(J[::-1], axis=0)[::-1]
                    ),
                    "in yours, all rows are the sum of the rows: they may be one and the same tensor, which adds up": lambda J: (
                        np.tile(J.sum(axis=0), (len(J), 1))
                    ),
                    "in yours, all rows are the last row: they may be one and the same tensor": lambda J: np.tile(
                        J[-1], (len(J), 1)
                    ),
                    "in yours, all rows are the first row": lambda J: np.tile(J[0], (len(J), 1)),
                    "in yours, each row also holds the row before it": lambda J: (
                        J + np.roll(J, 1, axis=0) * (np.arange(len(J)) > 0)[:, None]
                    ),
                    "in yours, the rows come in the opposite order": lambda J: J[::-1],
                    "in yours, the columns come in the opposite order": lambda J: J[:, ::-1],
                    "in yours, each row stands one place too low, the last one at the top": lambda J: np.roll(
                        J, 1, axis=0
                    ),
                    "in yours, each row stands one place too high, the first one at the end": lambda J: np.roll(
                        J, -1, axis=0
                    ),
                    "the last row is missing": lambda J: J[:-1],
                    "the first row is missing": lambda J: J[1:],
                    "in yours, the last row is 0": lambda J: J * (np.arange(len(J)) < len(J) - 1)[:, None],
                    "in yours, the first row is 0": lambda J: J * (np.arange(len(J)) > 0)[:, None],
                    "in yours, only the first row is there, the others are 0": lambda J: (
                        J * (np.arange(len(J)) == 0)[:, None]
                    ),
                    "in yours, only the last row is there, the others are 0": lambda J: (
                        J * (np.arange(len(J)) == len(J) - 1)[:, None]
                    ),
                    "in yours, only the diagonal is there, everything else is 0": lambda J: J * np.eye(*J.shape),
                    "in yours, the sums of the columns stand on the diagonal, and everything else is 0": lambda J: (
                        J.sum(axis=0) * np.eye(*J.shape)
                    ),
                    "in yours, the sums of the rows stand on the diagonal, and everything else is 0": lambda J: (
                        J.sum(axis=1)[:, None] * np.eye(*J.shape)
                    ),
                    "a dimension of size 1 is lost: the result has two dimensions, also for one result or an x with one entry": np.squeeze,
                    "a dimension of size 1 is lost if f has one result: the result has two dimensions": lambda J: (
                        J[0] if len(J) == 1 else J
                    ),
                    "a dimension of size 1 is lost if x has one entry: the result has two dimensions": lambda J: (
                        J[:, 0] if J.shape[1] == 1 else J
                    ),
                    "in yours, everything below the diagonal is 0": np.triu,
                    "in yours, everything above the diagonal is 0": np.tril,
                    "in yours, the rows stand one after the other in one vector": np.ravel,
                    "in yours, the entries are those of the transposed matrix, read row by row": lambda J: J.T.reshape(
                        J.shape
                    ),
                    "the matrix has as many rows as x has entries, but each result needs a row": lambda J: J[
                        : J.shape[1]
                    ],
                    "this is the transposed Jacobian times the Jacobian": lambda J: J.T @ J,
                    "this is the Jacobian times the transposed one": lambda J: J @ J.T,
                    "in yours, the whole matrix is divided by the number of results": lambda J: J / len(J),
                },
            ),
            Mistake("value", "this is f(x), not its Jacobian", forward=lambda f, x: f(x)),
        ),
        holds={
            "For example:": "explains",
            "Write a function `full_jacobian(f, x)`": "value",
            "The result is a matrix with one row": "rows, transposed",
            "It is a tensor with two dimensions": "value",
            "PyTorch has `autograd.functional.jacobian`": "explains",
            "Here you write it yourself": "explains",
            "A backward pass usually frees": "explains",
            "With `retain_graph=True`": "explains",
            "The checks try functions of the same": "explains",
            "They compare the whole matrix": "value, unchanged, leaves_a_trace",
            "A second call must give": "repeat",
        },
    ),
}
