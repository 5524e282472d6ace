"""The specification of notebook 02, gradients by call: gradient_of, accumulate_minibatches, jacobian_row, full_jacobian."""

from collections.abc import Callable, Sequence
from itertools import starmap
from typing import Any

import numpy as np

from ..checks.spec import Also, Arguments, CallSpec
from ..exercises.declaration import Program
from ..jacobian import numerical_jacobian
from ..mutants import Slip
from .formulas import drawn

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


def jacobian(f: Callable[..., Any], x: np.ndarray) -> np.ndarray:
    return numerical_jacobian(f, [x], 0)


def gradient(f: Callable[..., Any], x: np.ndarray) -> np.ndarray:
    return jacobian(f, x).reshape(x.shape)  #: the gradient


def difference(f: Callable[..., Any], x: np.ndarray, by: float, before: float) -> np.ndarray:
    """How f changes from x - before to x + by, for each entry of x, divided by the distance."""
    moves = np.eye(x.size).reshape(x.size, *x.shape)
    slopes = [(f(x + by * move) - f(x - before * move)) / (by + before) for move in moves]
    return np.array(slopes).reshape(x.shape)


def accumulated(data: np.ndarray, targets: np.ndarray, w: np.ndarray, size: int) -> np.ndarray:
    found: list[np.ndarray] = []
    for start in range(0, len(data), size):  #: the first row of each mini-batch
        rows = slice(start, start + size)  #: the rows of each mini-batch
        batch = data[rows]
        wanted = targets[rows]  #: the targets of each mini-batch
        weights = w  #: the weights; all gradients are taken at w
        errors = batch @ weights - wanted  #: the errors
        slopes = 2 * errors @ batch  #: the gradient of each mini-batch; the errors are squared in the loss
        found.append(slopes)
    return sum(found, np.zeros_like(w))  #: the sum over the mini-batches


def row(f: Callable[..., Any], x: np.ndarray, i: int) -> np.ndarray:
    return jacobian(f, x)[i]  #: row i


def matrix(f: Callable[..., Any], x: np.ndarray) -> np.ndarray:
    return jacobian(f, x)  #: the matrix


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


ADDED_TWICE = "as where `.grad`, which adds up by itself, is added up once more"
OTHER_LOSS = "this is the gradient of another loss:"
A_SUM = "but the loss is a sum over all rows"


OF_GRADIENT = (
    ("[jacobian(f, x).reshape(x.shape)]", "`autograd.grad` gives a tuple, even for one leaf: take its only element"),
    ("jacobian(f, x).sum()", "this is the sum of all entries of the gradient: each entry of x has a slope of its own"),
    (
        "x.size * jacobian(f, x).reshape(x.shape)",
        "it is multiplied by the number of entries of x: one pass gives all slopes, and further ones add up in `.grad`",
    ),
    ("jacobian(f, np.ones_like(x)).reshape(x.shape)", "this is the gradient at another point: where all entries are 1"),
    ("f(x) * jacobian(f, x).reshape(x.shape)", "in yours, the gradient is multiplied by the value of f"),
    *(
        (
            f"difference(f, x, {by}, {before})",
            f"these are differences over a move of {by + before:g}, not the slopes at x",
        )
        for by, before in ((1e-2, 0), (1e-3, 0), (1e-4, 0), (1e-2, 1e-2))
    ),
)
"""Mistakes in `gradient_of`: what is computed, and the message."""


OF_ROW = (
    (
        "jacobian(f, x)[:, i]",
        "this is column i, which says how all results depend on x[i]; row i says how result i depends on all of x",
    ),
    ("jacobian(f, x).sum(axis=0)", "this is the sum of all rows: `grad_outputs` must pick out one row"),
    ("jacobian(f, x)[: i + 1].sum(axis=0)", "this is the sum of rows 0 to i: `grad_outputs` must pick out one row"),
    (
        "jacobian(f, x)[i : i + 2].sum(axis=0)",
        "this is the sum of row i and the row after it: `grad_outputs` must pick out one row",
    ),
    ("jacobian(f, x)[i - 1]", "this is the row before row i: rows are counted from 0"),
    ("jacobian(f, x)[0]", "this is always the first row"),
    ("jacobian(f, x)[i : i + 1]", "the row is still a matrix with one row"),
)
"""Mistakes in `jacobian_row`, in the same form."""


OF_MATRIX = (
    (
        "np.cumsum(jacobian(f, x), axis=0)",
        "each of your rows also holds the rows before it, as in a `.grad` that is not cleared",
    ),
    ("jacobian(f, x)[[-1] * len(f(x))]", "all your rows are the last row: they may be one and the same tensor"),
    (
        "jacobian(f, x).sum(axis=0) + 0 * jacobian(f, x)",
        "all your rows are the sum of the rows: they may be one and the same tensor, which adds up",
    ),
    ("jacobian(f, x)[::-1]", "your rows come in the opposite order"),
    ("jacobian(f, x)[:1]", "only the first row is there"),
    ("jacobian(f, x)[:-1]", "the last row is missing"),
    ("jacobian(f, x)[: x.size]", "the matrix has as many rows as x has entries, but each result needs a row"),
    (
        "jacobian(f, x).squeeze()",
        "a dimension of size 1 is lost: the result has two dimensions, also for one result or an x with one entry",
    ),
    ("jacobian(f, x).ravel()", "your rows stand one after the other in one vector"),
    ("np.triu(jacobian(f, x))", "everything below the diagonal is 0 in yours"),
    ("jacobian(f, x) * np.eye(len(f(x)), x.size)", "only the diagonal is there in yours, everything else is 0"),
    (
        "jacobian(f, x).sum(0) * np.eye(len(f(x)), x.size)",
        "the sums of the columns stand on the diagonal in yours, and everything else is 0",
    ),
)
"""Mistakes in `full_jacobian`, in the same form."""


OF_BATCHES = (
    (
        "the sum",
        "found[-1]",
        "this is the gradient of the last mini-batch alone: the gradients of the others were lost",
    ),
    ("the sum", "found[0]", "this is the gradient of the first mini-batch alone: the others are left out"),
    ("the sum", "found", "these are the gradients of the mini-batches, one by one: they must be added up"),
    (
        "the sum",
        "np.mean(found, axis=0)",
        "this is the mean over the mini-batches, but their gradients must be added up",
    ),
    (
        "the first",
        "range(0, len(data) - size + 1, size)",
        "the last mini-batch is left out when it is shorter than `size`",
    ),
    ("the first", "range(0, len(data) - size, size)", "the last mini-batch is left out"),
    (
        "the first",
        "range(0, len(data) * (len(data) >= size), size)",
        "if there are fewer rows than `size`, all are left out",
    ),
    ("the first", "range(len(data))", "the mini-batches overlap: each must start where the one before it ended"),
    ("the rows", "slice(start + size)", f"rows are counted again with each later mini-batch, {ADDED_TWICE}"),
    ("the rows", "slice(start, start + size - 1)", "the last row of each full mini-batch is left out"),
    (
        "the targets",
        "targets[: len(batch)]",
        "every mini-batch is compared with the first targets: the targets must be cut like the data",
    ),
    ("the weights", "w - 0.1 * sum(found)", "the weights change between the mini-batches: take all gradients at w"),
    (
        "the errors",
        "len(batch) * (batch @ weights) - wanted.sum()",
        f"{OTHER_LOSS} each row is compared with every target of its mini-batch",
    ),
    (
        "the errors",
        "np.full_like(wanted, (batch @ weights - wanted).sum())",
        f"{OTHER_LOSS} the errors of each mini-batch are added before they are squared",
    ),
    (
        "the gradient",
        "2 * errors @ batch / len(batch)",
        f"the loss of each mini-batch is a mean over its rows, {A_SUM}",
    ),
    (
        "the gradient",
        "2 * errors @ batch / len(batch) * size",
        f"a last mini-batch that is shorter counts as much as a full one, {A_SUM}",
    ),
)
"""Mistakes in `accumulate_minibatches`: the line, what it computes then, and the message."""


SPECS = {
    "gradient_of": CallSpec(
        gradient,
        scalar_inputs,
        dtypes=True,
        also=(NO_TRACE,),
        mistakes=tuple(Slip("the gradient", *each) for each in OF_GRADIENT),
        holds={
            "For example:": "explains",
            "Write a function `gradient_of(f, x)`": "value",
            "The result is a tensor with the shape": "value",
            "`f` takes a tensor and returns": "explains",
            "Each entry of the gradient": "value",
            "The checks try five functions": "explains",
            "They compare the gradient": "value",
            "They check that `x` is unchanged": "unchanged, leaves_a_trace, repeat",
        },
    ),
    "accumulate_minibatches": CallSpec(
        accumulated,
        batch_inputs,
        also=(NO_TRACE,),
        mistakes=tuple(starmap(Slip, OF_BATCHES)),
        holds={
            "For example:": "explains",
            "Write a function `accumulate_minibatches": "value",
            "It goes through the data": "explains",
            "The matrix `data` has one example": "explains",
            "The vector `targets` has one number": "explains",
            "The loss of the weights `w`": "value",
            "Imagine that the whole matrix": "explains",
            "So first take rows 0": "explains",
            "The checks see only": "explains",
            "The last mini-batch may be shorter": "value",
            "The result is a tensor with the shape of `w`": "value",
            "The checks try several numbers of rows": "explains",
            "They compare your result": "value",
            "They check that the arguments": "unchanged, leaves_a_trace",
            "A second call must give": "repeat",
        },
    ),
    "jacobian_row": CallSpec(
        row,
        row_inputs,
        also=(NO_TRACE,),
        mistakes=tuple(Slip("row i", *each) for each in OF_ROW),
        holds={
            "For example:": "explains",
            "Write a function `jacobian_row(f, x, i)`": "value",
            "Rows are counted from 0": "value",
            "The row is a tensor with the shape": "value",
            "`f` takes a vector and returns": "explains",
            "Row $i$ says how entry": "value",
            "The checks try several functions": "explains",
            "One has a single result": "value",
            "They compare the row": "value, unchanged, leaves_a_trace",
            "A second call must give": "repeat",
        },
    ),
    "full_jacobian": CallSpec(
        matrix,
        vector_inputs,
        also=(NO_TRACE,),
        mistakes=tuple(Slip("the matrix", *each) for each in OF_MATRIX),
        holds={
            "For example:": "explains",
            "Write a function `full_jacobian(f, x)`": "value",
            "The result is a matrix with one row": "value",
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
