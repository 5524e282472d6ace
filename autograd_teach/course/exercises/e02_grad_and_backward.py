"""Exercises of notebook 02, gradients by call: gradient_of, accumulate_minibatches, jacobian_row, full_jacobian."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..jacobian import numerical_jacobian
from .declaration import Also, Arguments, Call, Exercise, Mistake, Program

NOTEBOOK = "02_grad_and_backward"

SCALARS = (
    Program("x", "(x ** 3).sum()"),
    Program("x", "torch.exp(x[0]) * x[1] + x[2] ** 2"),
    Program("x", "torch.log(x * x + 1).sum() * x[0, 1]"),
    Program("x", "torch.sin(x)"),
)
VECTORS = (
    Program("x", "x ** 2"),
    Program("x", "torch.stack([x[0] * x[1], x[1] - x[2], torch.exp(x[0]), x[2] ** 3])"),
    Program("x", "torch.tanh(x) * x.sum()"),
)


def gradient(f: Callable[..., Any], x: np.ndarray) -> np.ndarray:
    return numerical_jacobian(f, [x], 0).reshape(x.shape)


def scalar_inputs(rng: np.random.Generator) -> Sequence[Arguments]:
    return [(f, rng.normal(size=shape)) for f, shape in zip(SCALARS, [(3,), (3,), (2, 3), ()], strict=True)]


def vector_inputs(rng: np.random.Generator) -> Sequence[Arguments]:
    return [(f, rng.uniform(0.5, 1.5, size=size)) for f, size in zip(VECTORS, [2, 3, 4], strict=True)]


def row_inputs(rng: np.random.Generator) -> Sequence[Arguments]:
    return [(f, x, i) for (f, x), i in zip(vector_inputs(rng), [1, 3, 0], strict=True)]


def batch_inputs(rng: np.random.Generator) -> Sequence[Arguments]:
    sizes = [(4, 2, 2), (6, 3, 2), (5, 2, 2), (3, 2, 3)]
    return [(rng.normal(size=(n, d)), rng.normal(size=n), rng.normal(size=d), size) for n, d, size in sizes]


def batch_gradient(data: np.ndarray, targets: np.ndarray, w: np.ndarray, size: int) -> np.ndarray:
    return 2 * (data @ w - targets) @ data


def last_batch(data: np.ndarray, targets: np.ndarray, w: np.ndarray, size: int) -> np.ndarray:
    start = (len(data) - 1) // size * size
    return batch_gradient(data[start:], targets[start:], w, size)


def full_batches(data: np.ndarray, targets: np.ndarray, w: np.ndarray, size: int) -> np.ndarray:
    end = len(data) // size * size
    return batch_gradient(data[:end], targets[:end], w, size)


def leaves_no_trace(called: Any) -> str | None:
    for name, facts in called.after.items():
        if facts.grad is not None or facts.requires_grad:
            what = "has a `.grad`" if facts.grad is not None else "requires grad"
            return (
                f"{name} {what} after the call, but the caller's tensor must not change: use a copy of it as your leaf"
            )
    return None


NO_TRACE = Also("leaves_a_trace", "the arguments do not require grad afterwards and have no .grad", leaves_no_trace)

EXERCISES = (
    Exercise(
        notebook=NOTEBOOK,
        entry="gradient_of",
        points=1,
        title="The gradient of any function",
        grading=Call(("f", "x"), gradient, scalar_inputs, also=(NO_TRACE,)),
        hints=(
            (
                "Autograd only follows tensors that require grad. Does the tensor that you were "
                "given require grad? Are you allowed to change that?"
            ),
            (
                "Make your own leaf from x: `detach()` and `clone()` give a tensor that shares "
                "nothing with x. Set its flag, and call f with it."
            ),
            "`autograd.grad(result, leaf)` returns a tuple, even for one leaf. Take its only element.",
        ),
        mistakes=(
            Mistake("value", "this is the value of f, not its gradient", forward=lambda f, x: f(x)),
            Mistake("leaf", "this is x itself, not the gradient of f at x", forward=lambda f, x: x),
            Mistake(
                "tuple",
                "`autograd.grad` gives a tuple, even for one leaf: take its only element",
                forward=lambda f, x: [gradient(f, x)],
            ),
        ),
    ),
    Exercise(
        notebook=NOTEBOOK,
        entry="accumulate_minibatches",
        points=2,
        title="A gradient from pieces",
        grading=Call(("data", "targets", "w", "size"), batch_gradient, batch_inputs, also=(NO_TRACE,)),
        hints=(
            (
                "The loss is a sum over all rows. What is the gradient of a sum? And what does "
                "`backward` do if the leaf has a `.grad` already?"
            ),
            (
                "`data[start : start + size]` is one mini-batch; the last one may be shorter. For "
                "each mini-batch, compute its loss and call backward. Do not clear `.grad` in "
                "between."
            ),
            (
                "Make a leaf from w once, before the loop. For each start in `range(0, len(data), "
                "size)`, compute the loss of that mini-batch and call backward. At the end, the "
                "leaf's `.grad` is the answer."
            ),
        ),
        mistakes=(
            Mistake(
                "last_batch",
                "this is the gradient of the last mini-batch alone: the gradients of the others were lost",
                forward=last_batch,
            ),
            Mistake(
                "full_batches",
                "the last mini-batch is left out when it is shorter than the others",
                forward=full_batches,
            ),
            Mistake(
                "mean",
                "this is the mean over the rows, but the loss is their sum",
                forward=lambda data, targets, w, size: batch_gradient(data, targets, w, size) / len(data),
            ),
            Mistake(
                "mean_of_batches",
                "this is the mean over the mini-batches, but their gradients must be added up",
                forward=lambda data, targets, w, size: batch_gradient(data, targets, w, size) / -(-len(data) // size),
            ),
        ),
    ),
    Exercise(
        notebook=NOTEBOOK,
        entry="jacobian_row",
        points=1,
        title="One row of a Jacobian",
        grading=Call(("f", "x", "i"), lambda f, x, i: numerical_jacobian(f, [x], 0)[i], row_inputs, also=(NO_TRACE,)),
        hints=(
            (
                "Row i says how entry i of the result depends on each entry of x. `autograd.grad` "
                "computes a vector times the Jacobian. Which vector picks out row i?"
            ),
            "Pass that vector as `grad_outputs`. It has the shape of the result.",
            "The vector is 1 at entry i and 0 everywhere else. Start with `torch.zeros_like(result)`.",
        ),
        mistakes=(
            Mistake(
                "all_rows",
                "this is the sum of all rows: `grad_outputs` must pick out one row",
                forward=lambda f, x, i: numerical_jacobian(f, [x], 0).sum(axis=0),
            ),
            Mistake(
                "column",
                "this is column i, which says how all results depend on x[i]; row i says how "
                "result i depends on all of x",
                forward=lambda f, x, i: numerical_jacobian(f, [x], 0)[:, min(i, x.size - 1)],
            ),
            Mistake(
                "next_row",
                "this is another row of the Jacobian: rows are counted from 0",
                forward=lambda f, x, i: numerical_jacobian(f, [x], 0)[i - 1],
            ),
        ),
    ),
    Exercise(
        notebook=NOTEBOOK,
        entry="full_jacobian",
        points=2,
        title="The whole Jacobian",
        grading=Call(("f", "x"), lambda f, x: numerical_jacobian(f, [x], 0), vector_inputs, also=(NO_TRACE,)),
        hints=(
            "You have written a function that computes one row. How many rows are there?",
            "One forward pass is enough for all rows if you keep the graph with `retain_graph=True`.",
            "`torch.stack(rows)` makes a matrix from a list of vectors. Each vector becomes one row.",
        ),
        mistakes=(
            Mistake(
                "diagonal",
                "these are only the diagonal entries, or the sum of all rows: each result needs a row of its own",
                forward=lambda f, x: numerical_jacobian(f, [x], 0).sum(axis=0),
            ),
        ),
    ),
)
