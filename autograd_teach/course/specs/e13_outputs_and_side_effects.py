"""The specification of notebook 13, several results and side effects: SinCos, SortDescending, AddInPlace, CumSum, MaxPool1d."""

from collections.abc import Sequence

import numpy as np

from ..checks.spec import Arguments, FunctionSpec, Mistake
from ..mutants import Slip

EVERY = "structure, runs, forward, returns, gradient, unchanged, repeat"
"""The checks that every Function must pass."""

Pair = tuple[np.ndarray, np.ndarray]


def distinct(rng: np.random.Generator, *shape: int) -> np.ndarray:
    """Numbers in random order, no two of them close to each other."""
    size = int(np.prod(shape))
    spaced = (np.arange(size) - size / 2 + rng.uniform(0.1, 0.4, size)) * 0.7
    return rng.permutation(spaced).reshape(shape)


def sin_cos_inputs(rng: np.random.Generator) -> Sequence[Arguments]:
    return [(rng.uniform(-3, 3, size=shape),) for shape in [(3,), (2, 3), (2, 1, 3), ()]]


def sin_cos(x: np.ndarray) -> Pair:
    sine = np.sin(x)  #: the first result
    cosine = np.cos(x)  #: the second result
    return sine, cosine  #: the two results; the sine must come first


def sin_cos_gradient(grad_sin: np.ndarray, grad_cos: np.ndarray, x: np.ndarray) -> np.ndarray:
    slope_of_sine = np.cos(x)  #: the slope of the sine
    slope_of_cosine = -np.sin(x)  #: the slope of the cosine; does the cosine rise where x is a little above 0?
    through_sine = grad_sin * slope_of_sine  #: the part of the gradient through the sine
    through_cosine = grad_cos * slope_of_cosine  #: the part of the gradient through the cosine
    return through_sine + through_cosine  #: the gradient; x reaches both results


def sort_inputs(rng: np.random.Generator) -> Sequence[Arguments]:
    # A cycle of three numbers: here sorting and its inverse are different permutations.
    circle = rng.uniform(0.1, 0.9, 3)
    others = [(distinct(rng, size),) for size in (5, 8, 12, 1)]
    return [(circle + rng.choice([[0.0, 4.0, 2.0], [2.0, 0.0, 4.0]]),), *others]


def descending(x: np.ndarray) -> np.ndarray:
    return np.argsort(-x)  #: the order of the values


def sort_descending(x: np.ndarray) -> Pair:
    order = descending(x)
    values = x[order]  #: the values
    positions = order.astype(x.dtype)  #: the positions
    return values, positions  #: the two results


def sort_descending_gradient(grad_values: np.ndarray, x: np.ndarray) -> np.ndarray:
    place = np.argsort(descending(x))  #: the way back to x
    return grad_values[place]  #: the gradient; each number goes back to where its value stood in x


def add_inputs(rng: np.random.Generator) -> Sequence[Arguments]:
    return [(rng.normal(size=shape), rng.normal(size=shape)) for shape in [(3,), (2, 3), (2, 1, 3), ()]]


def add(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    return x + y  #: the result


def add_gradients(g: np.ndarray, x: np.ndarray, y: np.ndarray) -> Pair:
    of_x = g  #: the gradient for x; when one of the arguments moves, the sum moves by the same amount
    of_y = g  #: the gradient for y; when one of the arguments moves, the sum moves by the same amount
    return of_x, of_y


def cum_sum_inputs(rng: np.random.Generator) -> Sequence[Arguments]:
    return [(rng.normal(size=shape),) for shape in [(3,), (2, 3), (3, 2), (2, 3, 2), (1,), (5,)]]


def dimension(x: np.ndarray) -> int:
    return x.ndim - 1  #: the dimension along which the sums run


def cum_sum(x: np.ndarray) -> np.ndarray:
    axis = dimension(x)
    return np.cumsum(x, axis)  #: the running sums


def cum_sum_gradient(g: np.ndarray, x: np.ndarray) -> np.ndarray:
    axis = dimension(g)
    total = g.sum(axis=axis, keepdims=True)  #: the sum of grad_output over a row
    before = np.cumsum(g, axis) - g
    return total - before  #: the gradient; an entry is part of the running sums from its place on


def max_pool_inputs(rng: np.random.Generator) -> Sequence[Arguments]:
    """Rows without entries left over, and others. The windows of some shapes are drawn."""
    drawn = [distinct(rng, *shape) for shape in [(4,), (2, 6), (7,), (2, 5), (3,), (15,), (3, 11)]]
    windows_of = [[2], [3, 2], [3], [2, 3], [1], [4, 6], [3, 4, 5]]
    return [(x, int(rng.choice(several))) for x, several in zip(drawn, windows_of, strict=True)]


def max_pool(x: np.ndarray, k: int) -> np.ndarray:
    count = x.shape[-1] // k
    found = []
    for start in range(0, count * k, k):  #: the beginning of a window
        end = start + k  #: the end of a window
        window = x[..., start:end]
        largest = window.max(axis=-1)  #: the largest entry of a window
        found.append(largest)
    return np.stack(found, axis=-1)


def max_pool_gradient(g: np.ndarray, x: np.ndarray, k: int) -> np.ndarray:
    places = np.arange(x.shape[-1])
    result = np.zeros(x.shape)  #: the gradient where x is not the largest of a window; it reaches no result there
    for i in range(g.shape[-1]):  #: the number of a window
        start = i * k  #: the beginning of its window
        inside = x[..., start : start + k].argmax(axis=-1)  #: its position in the window
        place = start + inside  #: the place in the row that gets the gradient
        reached = places == place[..., None]
        result = np.where(reached, g[..., i, None], result)  #: the gradient
    return result


SWAPPED = "grad_cos * slope_of_sine + grad_sin * slope_of_cosine"
SORT_SLIPS = (
    Slip(
        "the order", "np.argsort(x)", "the order is that of values sorted from small to large, not from large to small"
    ),
    Slip("the order", "np.argsort(-np.abs(x))", "the values are sorted by their absolute values: is -3 larger than 1?"),
    Slip(
        "the order",
        "np.append(np.argsort(-x[:-1]), len(x) - 1)",
        "the last entry of x stays last: does a loop stop too early?",
    ),
    Slip(
        "the positions",
        "np.argsort(order)",
        "positions must say where a sorted value came from, not where an entry of x went",
    ),
    Slip("the positions", "order + 1", "the positions are counted from 1, but they must be counted from 0"),
    Slip("the positions", "np.argsort(x)", "the positions belong to values sorted from small to large"),
    Slip(
        "the way back",
        "descending(x)",
        "the gradient is moved in the same way as x, but it must move back to where x was",
    ),
    Slip("the gradient", "grad_values", "the gradient is in the order of the sorted values, not in the order of x"),
    Slip("the gradient", "grad_values[::-1]", "the gradient is turned round, whatever x is"),
)

ROWS = "the sums run {}, but they must run along the last dimension, row by row"
CUM_SUM_SLIPS = (
    Slip("the dimension", "0", ROWS.format("along the first dimension")),
    Slip("the dimension", "min(1, x.ndim - 1)", ROWS.format("along the second dimension")),
    Slip("the running sums", "np.cumsum(x).reshape(x.shape)", ROWS.format("over all entries")),
    Slip("the running sums", "np.cumsum(x, axis) - x", "each running sum leaves out the entry at its own place"),
    Slip(
        "the running sums",
        "np.append(np.cumsum(x, axis)[..., :-1], x[..., -1:], axis)",
        "the last entry of each row is not summed: does a loop stop too early?",
    ),
    Slip("the gradient", "np.cumsum(g.ravel()[::-1])[::-1].reshape(g.shape)", ROWS.format("over all entries")),
    Slip(
        "the gradient",
        "total - before - g",
        "each entry gets grad_output summed from the next place on; its own place is missing",
    ),
    Slip(
        "the gradient",
        "before + g",
        "each entry gets grad_output summed up to its place, but it is part of the sums from its place on",
    ),
    Slip(
        "the gradient",
        "total + 0 * g",
        "each entry gets the sum over its whole row, but it is not part of the sums before its place",
    ),
    Slip("the gradient", "(total - before)[..., ::-1]", "the entries of the gradient are in reverse order"),
    Slip(
        "the gradient",
        "np.where(before == 0, g, total - before)",
        "the first entry of a row gets grad_output of its own place only: does a loop stop too early?",
    ),
    Slip(
        "the gradient",
        "g * np.arange(g.shape[-1], 0, -1)",
        "each entry gets grad_output of its own place several times, but it is also part of the sums of other places",
    ),
    Slip(
        "the gradient",
        "np.flip(np.cumsum(np.flip(g, 0), axis), 0)",
        "grad_output is reversed along the first dimension, but the sums run along the last",
    ),
)

MAX_POOL_SLIPS = (
    Slip(
        "the beginning of a",
        "range(0, x.shape[-1], k)",
        "the entries left over are a window of their own, but they must be dropped",
    ),
    Slip(
        "the beginning of a", "range(x.shape[-1] - k + 1)", "a window begins at each entry, so that the windows overlap"
    ),
    Slip(
        "the beginning of a",
        "range(0, x.shape[-1] - k, k)",
        "the last window is missing if no entries are left over after it",
    ),
    Slip("the end of", "start + max(k - 1, 1)", "the windows are one entry too short"),
    Slip(
        "the largest",
        "x[..., start // k : count * k : count].max(axis=-1)",
        "the entries of a window are not neighbours in x: how is it reshaped?",
    ),
    Slip(
        "the largest",
        "np.maximum(window.max(axis=-1), 0)",
        "the result is never negative, but the largest entry can be",
    ),
    Slip(
        "the largest",
        "np.where(window.max(axis=-1) > -window.min(axis=-1), window.max(axis=-1), window.min(axis=-1))",
        "the entry with the largest absolute value is chosen, but the sign counts: -3 is smaller than 1",
    ),
    Slip(
        "the gradient",
        "np.where(places // k == i, g[..., i, None], result)",
        "every entry of a window gets the gradient, not only the largest",
    ),
    Slip(
        "the gradient",
        "np.where(places // k == i, g[..., i, None] / k, result)",
        "the gradient is split evenly in each window, as for a mean, but only the largest entry decides the result",
    ),
)


SPECS = {
    "SinCos": FunctionSpec(
        sin_cos,
        sin_cos_inputs,
        sin_cos_gradient,
        mistakes=(
            Slip("the gradient", SWAPPED, "the two gradients are swapped: they arrive in the order of the results"),
            Slip(
                "the gradient",
                "grad_sin * np.sin(x) - grad_cos * np.cos(x)",
                "sine and cosine have changed places in the slopes: were they saved in the order in which they are unpacked?",
            ),
        ),
        holds={
            "Write a Function `SinCos.apply(x)` that returns": "forward, gradient, number_of_results",
            "`x` can have any shape.": "runs, forward, gradient",
            "For example:": "explains",
            "A loss may use both results, or only one": "partial",
            "For the result that is not used, `backward` gets": "explains",
            "If `forward` calls `ctx.set_materialize_grads": "partial",
            "You may call it or not.": "explains",
            "The checks: those listed above, for `x` with one": EVERY,
            "Two more checks:": "partial, double_backward",
        },
    ),
    "SortDescending": FunctionSpec(
        sort_descending,
        sort_inputs,
        sort_descending_gradient,
        mistakes=SORT_SLIPS,
        holds={
            "Write a Function `SortDescending.apply(x)`": "forward, gradient, number_of_results",
            "`values`: the entries of `x`, **from large": "forward",
            "`positions`: the position in `x` of each": "forward, dtype",
            "As a formula: `x[int(positions[i])]`": "forward",
            "`positions` has no gradient.": "constants",
            "Its dtype is a float, so autograd cannot know": "constants",
            "For example:": "explains",
            "You may use `torch.sort`, `torch.argsort`": "explains",
            "`indices.to(x.dtype)` makes a copy of whole": "explains",
            "The checks: those listed above, for vectors": EVERY,
            "The gradient is compared for `values` only.": "explains",
            "One more check: **`positions` does not": "constants",
        },
    ),
    "AddInPlace": FunctionSpec(
        add,
        add_inputs,
        add_gradients,
        mistakes=(
            Mistake(
                "these are the gradients of a product, but the result is a sum", vjp=lambda g, x, y: (g * y, g * x)
            ),
        ),
        holds={
            "Write a Function `AddInPlace.apply(x, y)`": "forward, in_place",
            "Both tensors have the same shape, and `y`": "unchanged",
            "For example:": "explains",
            "(`x` is a copy here, because a leaf that": "explains",
            "The checks: those listed above, for tensors": EVERY,
            "One more check: **the result is the tensor": "in_place",
            "`y` and `grad_output` must stay unchanged.": "unchanged",
        },
    ),
    "CumSum": FunctionSpec(
        cum_sum,
        cum_sum_inputs,
        cum_sum_gradient,
        mistakes=CUM_SUM_SLIPS,
        holds={
            "Write a Function `CumSum.apply(x)` that computes": "forward, gradient",
            "`x` has at least one dimension, and the result": "forward",
            "For a matrix:": "explains",
            "The same in plain Python, one row at a time:": "explains",
            "For example:": "explains",
            "You may use `torch.cumsum(x, dim)`.": "explains",
            "The work is in `backward`: each entry of `x`": "gradient",
            "Of which?": "explains",
            "The checks: those listed above, for `x` with one": EVERY,
        },
    ),
    "MaxPool1d": FunctionSpec(
        max_pool,
        max_pool_inputs,
        max_pool_gradient,
        mistakes=MAX_POOL_SLIPS,
        holds={
            "Write a Function `MaxPool1d.apply(x, k)`": "forward, gradient",
            "`x` is a vector or a matrix, and `k` is": "explains",
            "The windows follow each other without overlap.": "forward",
            "If fewer than `k` entries are left at the end": "forward",
            "For a vector, in plain Python (for a matrix": "explains",
            "For example, with one entry left over:": "explains",
            "These calls may help:": "explains",
            "`x[..., :n]` is the first `n` entries": "explains",
            "`x.max(dim=-1)` returns the largest values": "explains",
            "`x.scatter(dim, index, values)` returns": "explains",
            "The checks: those listed above, for vectors": EVERY,
            "An entry that is left over has gradient 0.": "gradient",
        },
    ),
}
