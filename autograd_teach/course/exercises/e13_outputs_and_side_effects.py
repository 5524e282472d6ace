"""Exercises of notebook 13, several results and side effects: SinCos, SortDescending, AddInPlace, CumSum, MaxPool1d."""

from collections.abc import Callable, Sequence

import numpy as np

from .declaration import Arguments, Exercise, Gradcheck, Mistake

NOTEBOOK = "13_outputs_and_side_effects"


def distinct(rng: np.random.Generator, *shape: int) -> np.ndarray:
    """Numbers in random order, no two of them close to each other."""
    size = int(np.prod(shape))
    spaced = (np.arange(size) - size / 2 + rng.uniform(0.1, 0.4, size)) * 0.7
    return rng.permutation(spaced).reshape(shape)


def sin_cos_inputs(rng: np.random.Generator) -> Sequence[Arguments]:
    return [(rng.uniform(-2, 2, size=shape),) for shape in [(3,), (2, 3), (2, 1, 3), ()]]


def sort_descending(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    order = np.argsort(-x)
    return x[order], order.astype(x.dtype)


def ranks(x: np.ndarray) -> np.ndarray:
    """The position of each entry of x in the sorted vector."""
    return np.argsort(np.argsort(-x))


def sort_inputs(rng: np.random.Generator) -> Sequence[Arguments]:
    # A cycle of three numbers: here sorting and its inverse are different permutations.
    circle = rng.uniform(0.1, 0.9, 3) + np.array([0.0, 4.0, 2.0])
    return [(circle,), (distinct(rng, 5),), (distinct(rng, 8),), (distinct(rng, 1),)]


def add_inputs(rng: np.random.Generator) -> Sequence[Arguments]:
    return [(rng.normal(size=shape), rng.normal(size=shape)) for shape in [(3,), (2, 3), (2, 1, 3), ()]]


def cum_sum_inputs(rng: np.random.Generator) -> Sequence[Arguments]:
    return [(rng.normal(size=shape),) for shape in [(3,), (2, 3), (3, 2), (2, 2, 3), (1,)]]


def windows(x: np.ndarray, k: int) -> np.ndarray:
    """The windows of k entries along the last dimension, as a new dimension; the rest is dropped."""
    count, _left_over = divmod(x.shape[-1], k)
    return x[..., : count * k].reshape(*x.shape[:-1], count, k)


def max_pool(x: np.ndarray, k: int) -> np.ndarray:
    return windows(x, k).max(axis=-1)


def pool_vjp(weights: Callable[[np.ndarray], np.ndarray]) -> Callable[..., np.ndarray]:
    """A wrong backward that spreads the gradient of each window by `weights` of the window."""

    def vjp(g: np.ndarray, x: np.ndarray, k: int) -> np.ndarray:
        result = np.zeros_like(x)
        windows(result, k)[...] = weights(windows(x, k)) * g[..., None]
        return result

    return vjp


def at_offset_only(g: np.ndarray, x: np.ndarray, k: int) -> np.ndarray:
    """A wrong backward: it uses the position in the window as the position in the row."""
    result = np.zeros_like(x)
    offsets = windows(x, k).argmax(axis=-1)
    for at in np.ndindex(offsets.shape):
        result[(*at[:-1], offsets[at])] += g[at]
    return result


def max_pool_inputs(rng: np.random.Generator) -> Sequence[Arguments]:
    shapes_and_k = [((4,), 2), ((2, 6), 3), ((7,), 3), ((2, 5), 2), ((3,), 1)]
    return [(distinct(rng, *shape), k) for shape, k in shapes_and_k]


EXERCISES = (
    Exercise(
        notebook=NOTEBOOK,
        entry="SinCos",
        points=2,
        title="Two results from one call",
        grading=Gradcheck(
            ("x",), lambda x: (np.sin(x), np.cos(x)), sin_cos_inputs, properties=("double_backward",), results=2
        ),
        hints=(
            (
                "x reaches a loss in two ways, one through each result. What happens to gradients "
                "that reach the same tensor in two ways?"
            ),
            (
                "backward gets ctx and two gradients, in the order of the results. It gives one "
                "gradient back, for x. Each of the two results has its own slope at x."
            ),
            (
                "For the second derivative, backward must show how its slopes depend on x: pass "
                "what it needs to ctx.save_for_backward, and compute with tensors only. Watch the "
                "sign of one of the two slopes."
            ),
        ),
        mistakes=(
            Mistake(
                "second_result_ignored",
                "the gradient that arrives for the second result, the cosine, is not used",
                vjp=lambda g, h, x: g * np.cos(x),
            ),
            Mistake(
                "first_result_ignored",
                "the gradient that arrives for the first result, the sine, is not used",
                vjp=lambda g, h, x: -h * np.sin(x),
            ),
            Mistake(
                "sign_of_cosine",
                "the way through the cosine has the wrong sign: where x is a little above 0, the cosine falls",
                vjp=lambda g, h, x: g * np.cos(x) + h * np.sin(x),
            ),
            Mistake(
                "results_swapped",
                "the two gradients are swapped: they arrive in the order of the results",
                vjp=lambda g, h, x: h * np.cos(x) - g * np.sin(x),
            ),
            Mistake(
                "slopes_swapped",
                "each gradient is multiplied by its own result, which is not the slope of that result",
                vjp=lambda g, h, x: g * np.sin(x) + h * np.cos(x),
            ),
            Mistake(
                "multiplied",
                "the gradients of the two ways are multiplied with each other, but they must be added up",
                vjp=lambda g, h, x: -g * np.cos(x) * h * np.sin(x),
            ),
            Mistake(
                "results_swapped",
                "the results are in the wrong order: the sine comes first, then the cosine",
                forward=lambda x: (np.cos(x), np.sin(x)),
            ),
        ),
    ),
    Exercise(
        notebook=NOTEBOOK,
        entry="SortDescending",
        points=3,
        title="Sort, and say where each value came from",
        grading=Gradcheck(("x",), sort_descending, sort_inputs, results=2, constants=(1,)),
        hints=(
            (
                "Sorting only moves numbers. If you move the largest value a little, which entry of "
                "x was it? What is the slope of a number that only changed its place?"
            ),
            (
                "A position is a whole number: if x moves, it stays the same or jumps. Lesson 13 "
                "shows what forward must call for a result without a gradient. backward still gets "
                "one gradient for each of the two results."
            ),
            (
                "Entry i of the incoming gradient belongs to the entry of x at the i-th position. "
                "Begin with zeros in the shape of x and put each number in its place. Indexing "
                "needs whole numbers, so keep the positions in both forms."
            ),
        ),
        mistakes=(
            Mistake(
                "not_sent_back",
                "the gradient is in the order of the sorted values, not in the order of x",
                vjp=lambda g, x: g,
            ),
            Mistake(
                "sorted_again",
                "the gradient is moved in the same way as x, but it must move back to where x was",
                vjp=lambda g, x: g[np.argsort(-x)],
            ),
            Mistake(
                "gradient_sorted",
                "the gradient itself is sorted by size, but its order must follow where the values came from",
                vjp=lambda g, x: np.sort(g)[::-1],
            ),
            Mistake(
                "ascending",
                "the values are sorted from small to large",
                forward=lambda x: (np.sort(x), np.argsort(x).astype(x.dtype)),
            ),
            Mistake(
                "ranks",
                (
                    "the second result says where each entry of x went, but it must say where each "
                    "sorted value came from"
                ),
                forward=lambda x: (np.sort(x)[::-1], ranks(x).astype(x.dtype)),
            ),
            Mistake(
                "ascending_positions",
                "the values are sorted from large to small, but the positions from small to large",
                forward=lambda x: (np.sort(x)[::-1], np.argsort(x).astype(x.dtype)),
            ),
            Mistake(
                "ascending_values",
                (
                    "the positions are right for an order from large to small, but the values are "
                    "sorted from small to large"
                ),
                forward=lambda x: (np.sort(x), np.argsort(-x).astype(x.dtype)),
            ),
            Mistake(
                "counted_from_one",
                "the positions are counted from 1, but they must be counted from 0",
                forward=lambda x: (np.sort(x)[::-1], np.argsort(-x).astype(x.dtype) + 1),
            ),
        ),
    ),
    Exercise(
        notebook=NOTEBOOK,
        entry="AddInPlace",
        points=2,
        title="Write the sum into an argument",
        grading=Gradcheck(("x", "y"), lambda x, y: x + y, add_inputs, in_place=(0,)),
        hints=(
            (
                "Which operation writes into the tensor itself? What does lesson 13 ask of a "
                "forward that changes its argument?"
            ),
            (
                "forward does three things: it changes x, marks it, and hands it back. The tensor "
                "that it marks and hands back is the one that came in, not a copy."
            ),
            (
                "For backward it does not matter where the sum was written. If one entry of x moves "
                "a little, how much does the sum move? And for y? You do not need to save anything."
            ),
        ),
        mistakes=(
            Mistake(
                "subtracted",
                "y is subtracted from x, but it must be added",
                forward=lambda x, y: x - y,
            ),
            Mistake("x_lost", "x is overwritten with y: the old values of x are lost", forward=lambda x, y: y),
            Mistake(
                "added_twice",
                "y is added twice: an operation that changes x in place has already changed it",
                forward=lambda x, y: x + 2 * y,
            ),
            Mistake(
                "product_rule",
                "the gradients are those of a product, but x and y are added",
                vjp=lambda g, x, y: (g * y, g * x),
            ),
            Mistake(
                "shared_out",
                (
                    "grad_output is split, half for x and half for y, but moving either of them "
                    "moves the sum by the full amount"
                ),
                vjp=lambda g, x, y: (g / 2, g / 2),
            ),
        ),
    ),
    Exercise(
        notebook=NOTEBOOK,
        entry="CumSum",
        points=2,
        title="Running sums along the last dimension",
        grading=Gradcheck(("x",), lambda x: np.cumsum(x, axis=-1), cum_sum_inputs),
        hints=(
            "Entry 0 of a row is part of every running sum of its row. How many running sums contain the last entry?",
            (
                "Write down the Jacobian for a row of three. Its rows are the results, its columns "
                "the entries of x. grad_output times one column gives one entry of the gradient: "
                "what kind of sum is that?"
            ),
            (
                "The gradient of each entry is the sum of grad_output from its own place to the end "
                "of the row. This is also a running sum, but from the other end. A tensor has a "
                "method that reverses a dimension."
            ),
        ),
        mistakes=(
            Mistake(
                "not_turned_round",
                (
                    "each entry gets grad_output summed up to its place, but an entry is part of "
                    "the running sums from its place on"
                ),
                vjp=lambda g, x: np.cumsum(g, axis=-1),
            ),
            Mistake(
                "left_turned_round",
                "the entries of the gradient are in reverse order",
                vjp=lambda g, x: np.cumsum(g[..., ::-1], axis=-1),
            ),
            Mistake(
                "own_place_missing",
                "each entry gets grad_output summed from the next place on; its own place is missing",
                vjp=lambda g, x: np.cumsum(g[..., ::-1], axis=-1)[..., ::-1] - g,
            ),
            Mistake(
                "slope_one",
                "the gradient is grad_output itself, as if each entry of x were part of one result only",
                vjp=lambda g, x: g,
            ),
            Mistake(
                "whole_row",
                (
                    "each entry gets the sum of grad_output over its whole row, but an entry is not "
                    "part of the running sums before its place"
                ),
                vjp=lambda g, x: np.broadcast_to(g.sum(axis=-1, keepdims=True), g.shape),
            ),
            Mistake(
                "first_dimension",
                "the gradient is summed along the first dimension, but the running sums are along the last",
                vjp=lambda g, x: np.cumsum(g[::-1], axis=0)[::-1],
            ),
            Mistake(
                "first_dimension",
                "the sums run along the first dimension, but they must run along the last",
                forward=lambda x: np.cumsum(x, axis=0),
            ),
            Mistake(
                "from_the_end",
                "the sums run from the end of each row to its beginning",
                forward=lambda x: np.cumsum(x[..., ::-1], axis=-1)[..., ::-1],
            ),
            Mistake(
                "own_place_missing",
                "each running sum leaves out the entry at its own place",
                forward=lambda x: np.cumsum(x, axis=-1) - x,
            ),
        ),
    ),
    Exercise(
        notebook=NOTEBOOK,
        entry="MaxPool1d",
        points=3,
        title="The largest entry of each window",
        grading=Gradcheck(("x", "k"), max_pool, max_pool_inputs),
        hints=(
            (
                "Move an entry of a window that is not the largest. What happens to the result? And "
                "if you move the largest entry?"
            ),
            (
                "It is easier with a dimension for the windows: cut off the entries left over at "
                "the end of the last dimension, and reshape the rest so that each window is a row "
                "of its own. A tensor has a method that says which entry along a dimension is the "
                "largest."
            ),
            (
                "Keep for backward which entry of each window was the largest (these whole numbers "
                "can be an attribute of ctx or a saved tensor), and the shape of x. Begin with "
                "zeros in this shape, and put each number of grad_output in its one place. The "
                "entries left over keep their zeros."
            ),
        ),
        mistakes=(
            Mistake(
                "all_of_window",
                "every entry of a window gets the gradient, but only the largest decides the result",
                vjp=pool_vjp(np.ones_like),
            ),
            Mistake(
                "shared_out",
                (
                    "the gradient is split evenly in each window, as for a mean, but only the "
                    "largest entry decides the result"
                ),
                vjp=pool_vjp(lambda w: np.ones_like(w) / w.shape[-1]),
            ),
            Mistake(
                "first_of_window",
                "the gradient goes to the first entry of each window, not to the largest",
                vjp=pool_vjp(lambda w: np.arange(w.shape[-1]) == 0),
            ),
            Mistake(
                "smallest",
                "the gradient goes to the smallest entry of each window, not to the largest",
                vjp=pool_vjp(lambda w: w == w.min(axis=-1, keepdims=True)),
            ),
            Mistake(
                "largest_of_all",
                "only the largest entry of a whole row gets a gradient, but each window has its own largest entry",
                vjp=pool_vjp(lambda w: w == w.max(axis=(-1, -2), keepdims=True)),
            ),
            Mistake(
                "place_within_window",
                (
                    "a position is counted from the beginning of its window, but used as if it were "
                    "counted from the beginning of the row"
                ),
                vjp=at_offset_only,
            ),
            Mistake(
                "times_value",
                (
                    "the gradient is multiplied by the largest value, but when this entry moves, "
                    "the result moves by the same amount"
                ),
                vjp=pool_vjp(lambda w: w * (w == w.max(axis=-1, keepdims=True))),
            ),
            Mistake(
                "smallest",
                "the result is the smallest entry of each window, but it must be the largest",
                forward=lambda x, k: windows(x, k).min(axis=-1),
            ),
            Mistake(
                "mean",
                "the result is the mean of each window, but it must be its largest entry",
                forward=lambda x, k: windows(x, k).mean(axis=-1),
            ),
            Mistake(
                "sum",
                "the result is the sum of each window, but it must be its largest entry",
                forward=lambda x, k: windows(x, k).sum(axis=-1),
            ),
            Mistake(
                "absolute",
                "the entry with the largest absolute value is chosen, but the sign counts: -3 is smaller than 1",
                forward=lambda x, k: np.take_along_axis(
                    windows(x, k), np.abs(windows(x, k)).argmax(axis=-1)[..., None], -1
                )[..., 0],
            ),
        ),
    ),
)
