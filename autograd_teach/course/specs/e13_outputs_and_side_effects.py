"""The specification of notebook 13, several results and side effects: SinCos, SortDescending, AddInPlace, CumSum, MaxPool1d."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..checks.spec import Arguments, FunctionSpec, Mistake, family

EVERY = "structure, runs, forward, returns, gradient, unchanged, repeat"
"""The checks that every Function must pass."""


def distinct(rng: np.random.Generator, *shape: int) -> np.ndarray:
    """Numbers in random order, no two of them close to each other."""
    size = int(np.prod(shape))
    spaced = (np.arange(size) - size / 2 + rng.uniform(0.1, 0.4, size)) * 0.7
    return rng.permutation(spaced).reshape(shape)


def sin_cos_inputs(rng: np.random.Generator) -> Sequence[Arguments]:
    return [(rng.uniform(-3, 3, size=shape),) for shape in [(3,), (2, 3), (2, 1, 3), ()]]


Slope = Callable[[Any], Any]


SIN_SLIPS: dict[str, Slope] = {
    "the way through the sine has the wrong sign": lambda x: -np.cos(x),
    "the slope used for the sine is the sine": np.sin,
    "the slope used for the sine is minus the sine, which is the slope of the cosine": lambda x: -np.sin(x),
    "the gradient that arrives for the first result, the sine, is passed on as it is, as if its slope were 1": (
        lambda x: 1.0
    ),
    "where both results are used, the gradient that arrives for the first, the sine, is left out": lambda x: 0.0,
}


COS_SLIPS: dict[str, Slope] = {
    "the way through the cosine has the wrong sign: where x is a little above 0, the cosine falls": np.sin,
    "the slope used for the cosine is the cosine": np.cos,
    "the slope used for the cosine is minus the cosine": lambda x: -np.cos(x),
    "the gradient that arrives for the second result, the cosine, is passed on as it is, as if its slope were 1": (
        lambda x: 1.0
    ),
    "where both results are used, the gradient that arrives for the second, the cosine, is left out": lambda x: 0.0,
}
"""Wrong slopes of the two results."""


PAIRS = {
    ("-0.841", "0.540"): "the two gradients are swapped: they arrive in the order of the results",
    ("0.841", "0.540"): "each gradient is multiplied by its own result, which is not the slope of that result",
    ("1.000", "1.000"): "the two gradients are added as they are, as if both slopes were 1",
}
"""Pairs of slopes, at x = 1, that have a name as a pair."""


def slope_slips() -> tuple[Mistake, ...]:
    """A wrong slope for the sine, for the cosine, or for both; not those that are "
    "plainly minus what is right, or zero."""
    found = []
    right_first: Slope = np.cos
    right_second: Slope = lambda x: -np.sin(x)
    for of_sin, first in {"": right_first, **SIN_SLIPS}.items():
        for of_cos, second in {"": right_second, **COS_SLIPS}.items():
            slopes = f"{first(1.0):.3f}", f"{second(1.0):.3f}"
            if slopes not in (("0.540", "-0.841"), ("-0.540", "0.841"), ("0.000", "0.000")):
                words = PAIRS.get(slopes) or "; ".join(filter(None, (of_sin, of_cos)))
                found.append(Mistake("slopes", words, vjp=_two_ways(first, second)))
    return tuple(found)


def _two_ways(first: Callable[..., Any], second: Callable[..., Any]) -> Callable[..., np.ndarray]:
    return lambda g, h, x: g * first(x) + h * second(x)


def sort_descending(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    order = np.argsort(-x)
    return x[order], order.astype(x.dtype)


def sorted_in_part(x: np.ndarray, part: slice) -> tuple[np.ndarray, np.ndarray]:
    """Only the entries of one part change places."""
    order = np.arange(len(x))
    order[part] = order[part][np.argsort(-x[part])]
    return x[order], order.astype(x.dtype)


def ranks(x: np.ndarray) -> np.ndarray:
    """The position of each entry of x in the sorted vector."""
    return np.argsort(np.argsort(-x))


def sort_inputs(rng: np.random.Generator) -> Sequence[Arguments]:
    # A cycle of three numbers: here sorting and its inverse are different permutations.
    circle = rng.uniform(0.1, 0.9, 3)
    others = [(distinct(rng, size),) for size in (5, 8, 12, 1)]
    return [(circle + rng.choice([[0.0, 4.0, 2.0], [2.0, 0.0, 4.0]]),), *others]


def add_inputs(rng: np.random.Generator) -> Sequence[Arguments]:
    return [(rng.normal(size=shape), rng.normal(size=shape)) for shape in [(3,), (2, 3), (2, 1, 3), ()]]


def first_entry(x: np.ndarray) -> np.ndarray:
    """True only at the first entry of x."""
    return np.arange(x.size).reshape(x.shape) == 0


def summed(
    x: np.ndarray, along: Callable[[np.ndarray], int | None], from_the_end: bool = False, own: bool = True
) -> np.ndarray:
    """Running sums along a dimension (None: over all entries in one row)."""
    axis = along(x)
    rows = x.reshape(-1) if axis is None else x
    at = 0 if axis is None else axis
    total = np.flip(np.cumsum(np.flip(rows, at), at), at) if from_the_end else np.cumsum(rows, at)
    return (total if own else total - rows).reshape(x.shape)


OTHER_DIMENSIONS: dict[str, Callable[[np.ndarray], int | None]] = {
    "along the first dimension": lambda x: 0,
    "along the second dimension": lambda x: min(1, x.ndim - 1),
    "along the last dimension but one": lambda x: max(0, x.ndim - 2),
    "over all entries, from one row into the next": lambda x: None,
}
"""Ways in which running sums may be wrong. The second and the last but one differ only for three dimensions."""


def neighbour(x: np.ndarray, step: int) -> np.ndarray:
    """The entry before (step 1) or after (step -1) along the last dimension, 0 at the border."""
    moved = np.roll(x, step, axis=-1)
    moved[..., 0 if step == 1 else -1] = 0
    return moved


def place_in_row(x: np.ndarray) -> np.ndarray:
    return np.broadcast_to(np.arange(x.shape[-1]), x.shape)


def cum_sum_inputs(rng: np.random.Generator) -> Sequence[Arguments]:
    return [(rng.normal(size=shape),) for shape in [(3,), (2, 3), (3, 2), (2, 3, 2), (1,), (5,)]]


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


def sent_to(place: Callable[[np.ndarray, np.ndarray, int, int], np.ndarray], added: bool = True) -> dict[str, Any]:
    """A wrong backward that sends each number to `place(number of the window, place in it, k, number of windows)`.

    If several numbers go to one place, they are added, or the last one stays.
    """

    def vjp(g: np.ndarray, x: np.ndarray, k: int) -> np.ndarray:
        result = np.zeros_like(x)
        offsets = windows(x, k).argmax(axis=-1)
        count = offsets.shape[-1]
        places = np.broadcast_to(place(np.arange(count), offsets, k, count), offsets.shape)
        for at in np.ndindex(offsets.shape):
            if 0 <= places[at] < x.shape[-1]:
                before = result[(*at[:-1], places[at])] if added else 0
                result[(*at[:-1], places[at])] = before + g[at]
        return result

    return {"vjp": vjp}


def in_first_row(g: np.ndarray, x: np.ndarray, k: int, added: bool) -> np.ndarray:
    """A wrong backward: the positions within rows are all used in the first row."""
    result = np.zeros_like(x).reshape(-1)
    offsets = windows(x, k).argmax(axis=-1)
    for at in np.ndindex(offsets.shape):
        place = at[-1] * k + offsets[at]
        result[place] = g[at] + (result[place] if added else 0)
    return result.reshape(x.shape)


def left_over_too(value: Callable[[np.ndarray], np.ndarray | float]) -> dict[str, Any]:
    """A wrong backward: the entries left over at the end of a row get something."""

    def vjp(g: np.ndarray, x: np.ndarray, k: int) -> np.ndarray:
        result = right_pool_vjp(g, x, k)
        result[..., g.shape[-1] * k :] = value(g)
        return result

    return {"vjp": vjp}


def other_windows(beginning_and_end: Callable[[int, int, int], tuple[int, int]]) -> dict[str, Any]:
    """A wrong forward: the largest entry from `beginning` to before `end`, given window "
    "i, k and the length of the row."""

    def forward(x: np.ndarray, k: int) -> np.ndarray:
        length = x.shape[-1]
        pairs = [beginning_and_end(i, k, length) for i in range(length // k)]
        return np.stack([x[..., start : max(end, start + 1)].max(axis=-1) for start, end in pairs], axis=-1)

    return {"forward": forward}


def right_pool_vjp(g: np.ndarray, x: np.ndarray, k: int) -> np.ndarray:
    return pool_vjp(lambda w: w == w.max(axis=-1, keepdims=True))(g, x, k)


def elsewhere(other: np.ndarray, g: np.ndarray, x: np.ndarray, k: int) -> np.ndarray:
    """A wrong backward: right for the largest entries, `other` for all that are not."""
    return np.where(right_pool_vjp(np.ones_like(g), x, k) == 1, right_pool_vjp(g, x, k), other)


def max_pool_inputs(rng: np.random.Generator) -> Sequence[Arguments]:
    """Rows without entries left over, and others. The windows of some shapes are drawn."""
    drawn = [distinct(rng, *shape) for shape in [(4,), (2, 6), (7,), (2, 5), (3,), (15,), (3, 11)]]
    windows_of = [[2], [3, 2], [3], [2, 3], [1], [4, 6], [3, 4, 5]]
    return [(x, int(rng.choice(several))) for x, several in zip(drawn, windows_of, strict=True)]


SPECS = {
    "SinCos": FunctionSpec(
        lambda x: (np.sin(x), np.cos(x)),
        sin_cos_inputs,
        mistakes=(
            *slope_slips(),
            *family(
                "mixed",
                "{what}",
                lambda what: {"vjp": what},
                what={
                    "the slopes are computed at the cosine of x instead of x: does a second call of "
                    "ctx.save_for_backward replace what the first one saved?": (
                        lambda g, h, x: g * np.cos(np.cos(x)) - h * np.sin(np.cos(x))
                    ),
                    "the slopes are computed at the sine of x instead of x": (
                        lambda g, h, x: g * np.cos(np.sin(x)) - h * np.sin(np.sin(x))
                    ),
                    "both slopes have lost their sign: a root is never negative, but a sine or cosine can be": (
                        lambda g, h, x: g * np.abs(np.cos(x)) - h * np.abs(np.sin(x))
                    ),
                    "the gradient is multiplied by x as well, but the slopes alone say how the results move": (
                        lambda g, h, x: x * (g * np.cos(x) - h * np.sin(x))
                    ),
                    "both gradients are multiplied by both slopes, but each result has a slope of its own": (
                        lambda g, h, x: (g + h) * (np.cos(x) - np.sin(x))
                    ),
                    "the gradient of the sine is used for the cosine too: each result has a gradient of its own": (
                        lambda g, h, x: g * (np.cos(x) - np.sin(x))
                    ),
                    "the gradient of the cosine is used for the sine too: each result has a gradient of its own": (
                        lambda g, h, x: h * (np.cos(x) - np.sin(x))
                    ),
                    "the slope of the cosine is not multiplied by the gradient that arrives for it": (
                        lambda g, h, x: g * np.cos(x) - np.sin(x)
                    ),
                    "the slope of the sine is not multiplied by the gradient that arrives for it": (
                        lambda g, h, x: np.cos(x) - h * np.sin(x)
                    ),
                    "the two gradients are multiplied with each other: they belong to different results": (
                        lambda g, h, x: g * h * (np.cos(x) - np.sin(x))
                    ),
                },
            ),
            Mistake(
                "multiplied",
                "the gradients of the two ways are multiplied with each other, but they must be added up",
                vjp=lambda g, h, x: -g * np.cos(x) * h * np.sin(x),
            ),
            Mistake(
                "results_swapped",
                "the results are in the wrong order: the sine must come first, then the cosine",
                forward=lambda x: (np.cos(x), np.sin(x)),
            ),
            *family(
                "other_result",
                "{what}",
                lambda what: {"forward": what},
                what={
                    "both results are the sine": lambda x: (np.sin(x), np.sin(x)),
                    "both results are the cosine": lambda x: (np.cos(x), np.cos(x)),
                    "the first result is minus the sine": lambda x: (-np.sin(x), np.cos(x)),
                    "the second result is minus the cosine": lambda x: (np.sin(x), -np.cos(x)),
                    "the second result is the tangent": lambda x: (np.sin(x), np.tan(x)),
                    "the second result is never negative, but a cosine can be": lambda x: (
                        np.sin(x),
                        np.abs(np.cos(x)),
                    ),
                    "x is taken as degrees, but it is in radians": (
                        lambda x: (np.sin(np.deg2rad(x)), np.cos(np.deg2rad(x)))
                    ),
                },
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
            *family(
                "wrong_place",
                "{what}",
                lambda what: {"vjp": what},
                what={
                    "grad_output is turned round, whatever x is, but each number must go back to where its value stood in x": lambda g, x: (
                        g[::-1]
                    ),
                    "the gradient goes back as if x had been sorted from small to large": (
                        lambda g, x: g[::-1][ranks(x)]
                    ),
                    "each number of the gradient goes to the place of the value before: the index is one too small": (
                        lambda g, x: np.roll(g, -1)[ranks(x)]
                    ),
                    "each number of the gradient goes to the place of the value after: the index is one too large": (
                        lambda g, x: np.roll(g, 1)[ranks(x)]
                    ),
                    "the last number of the gradient is lost: the smallest entry of x gets 0": (
                        lambda g, x: np.where(ranks(x) == len(x) - 1, 0.0, g[ranks(x)])
                    ),
                    "the first number of the gradient is lost: the largest entry of x gets 0": (
                        lambda g, x: np.where(ranks(x) == 0, 0.0, g[ranks(x)])
                    ),
                },
            ),
            *family(
                "multiplied",
                "the gradient is multiplied by {what}, but a number that only changed its place has slope 1",
                lambda what: {"vjp": lambda g, x: g[ranks(x)] * what(x)},
                what={
                    "the values": lambda x: x,
                    "the positions": ranks,
                    "the positions in the wrong order": lambda x: np.argsort(-x),
                },
            ),
            Mistake(
                "ascending",
                "the values are sorted from small to large, but they must go from large to small",
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
                "the values are sorted from large to small, as they must be, but the positions from small to large",
                forward=lambda x: (np.sort(x)[::-1], np.argsort(x).astype(x.dtype)),
            ),
            Mistake(
                "ascending_values",
                (
                    "the positions are right for an order from large to small, but the values are "
                    "sorted from small to large, the wrong way round"
                ),
                forward=lambda x: (np.sort(x), np.argsort(-x).astype(x.dtype)),
            ),
            *family(
                "other_result",
                "{what}",
                lambda what: {"forward": what},
                what={
                    "the values are not sorted: the first result is x": lambda x: (x, np.argsort(-x).astype(x.dtype)),
                    "the values are sorted by their absolute values, but a negative number is smaller than 0": (
                        lambda x: (x[np.argsort(-np.abs(x))], np.argsort(-np.abs(x)).astype(x.dtype))
                    ),
                    "the last entry of x always stays last, the others are sorted: does a loop stop too early?": (
                        lambda x: sorted_in_part(x, slice(-1))
                    ),
                    "the first entry of x always stays first, the others are sorted: does a loop begin too late?": (
                        lambda x: sorted_in_part(x, slice(1, None))
                    ),
                    "the positions are 0, 1, 2, ... whatever x is": (
                        lambda x: (np.sort(x)[::-1], np.arange(len(x)).astype(x.dtype))
                    ),
                    "the positions are divided by the number of entries": (
                        lambda x: (np.sort(x)[::-1], np.argsort(-x) / len(x))
                    ),
                    "the two results are in the wrong order: the values must come first": (
                        lambda x: (np.argsort(-x).astype(x.dtype), np.sort(x)[::-1])
                    ),
                },
            ),
            Mistake(
                "counted_from_one",
                "the positions are counted from 1, but they must be counted from 0",
                forward=lambda x: (np.sort(x)[::-1], np.argsort(-x).astype(x.dtype) + 1),
            ),
        ),
        holds={
            "Write a Function `SortDescending.apply(x)`": "forward, gradient, number_of_results",
            "`values`: the entries of `x`, **from large": "forward, ascending, ascending_values",
            "`positions`: the position in `x` of each": "forward, ranks, counted_from_one, dtype",
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
        lambda x, y: x + y,
        add_inputs,
        mistakes=(
            Mistake(
                "subtracted",
                "y is subtracted from x, but it must be added",
                forward=lambda x, y: x - y,
            ),
            Mistake("x_lost", "x is overwritten with y: the old values of x are lost", forward=lambda x, y: y),
            Mistake(
                "added_twice",
                "y is added twice",
                forward=lambda x, y: x + 2 * y,
            ),
            *family(
                "other_sum",
                "{what}",
                lambda what: {"forward": what},
                what={
                    "x is multiplied by y, but y must be added": lambda x, y: x * y,
                    "x is subtracted from y, but the sum is asked for": lambda x, y: y - x,
                    "x is added to itself, and y does not appear": lambda x, y: 2 * x,
                    "the sum of all entries of y is added, but each entry of x gets one entry of y": (
                        lambda x, y: x + y.sum()
                    ),
                    "the mean of y is added, but each entry of x gets one entry of y": lambda x, y: x + y.mean(),
                    "the absolute value of y is added: the sign of y is lost": lambda x, y: x + np.abs(y),
                    "only the first entry of x has changed": lambda x, y: x + y * first_entry(x),
                },
            ),
            *family(
                "product_rule",
                "the gradients are those of a product, {which}, but x and y are added",
                lambda which: {"vjp": which},
                which={
                    "grad_output times the other argument": lambda g, x, y: (g * y, g * x),
                    "with the new x": lambda g, x, y: (g * y, g * (x + y)),
                },
            ),
            *family(
                "times_argument",
                "grad_output is multiplied by {which}, but the slope of a sum is 1",
                lambda which: {"vjp": which},
                which={
                    "the old x for x, and by y for y": lambda g, x, y: (g * x, g * y),
                    "the new x for x, and by y for y": lambda g, x, y: (g * (x + y), g * y),
                },
            ),
            *family(
                "shared_out",
                "the gradient for {which} is {size}, but when it moves, the sum moves by the same amount",
                lambda which, size: {
                    "vjp": lambda g, x, y: tuple(size(g) if asked else None for asked in which),
                },
                which={"x": (True, False), "y": (False, True)},
                size={
                    "half of grad_output": lambda g: g / 2,
                    "twice grad_output": lambda g: 2 * g,
                    "the mean of grad_output": lambda g: np.full_like(g, g.mean()),
                    "the sum of grad_output": lambda g: np.full_like(g, g.sum()),
                },
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
        lambda x: np.cumsum(x, axis=-1),
        cum_sum_inputs,
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
            *family(
                "other_dimension",
                "the gradient is summed {along}, but the running sums must be along the last dimension{and_also}",
                lambda along, and_also: {"vjp": lambda g, x: summed(g, along, from_the_end=and_also)},
                along=OTHER_DIMENSIONS,
                and_also={"": True, ", and it is summed from the beginning instead of the end": False},
            ),
            *family(
                "other_dimension",
                "the sums run {along}, but they must run along the last dimension, row by row",
                lambda along: {"forward": lambda x: summed(x, along)},
                along=OTHER_DIMENSIONS,
            ),
            *family(
                "weighted",
                "{what}",
                lambda what: {"vjp": what},
                what={
                    "each number of grad_output is counted several times, but never one of another place: an entry is "
                    "part of several results": lambda g, x: g * (g.shape[-1] - place_in_row(g)),
                    "grad_output is multiplied by 1, 2, 3, ...: these are not slopes": lambda g, x: (
                        g * (place_in_row(g) + 1)
                    ),
                    "the gradient is grad_output in reverse order": lambda g, x: g[..., ::-1],
                    "grad_output is reversed along the first dimension, but the sums run along the last": lambda g, x: (
                        np.flip(np.cumsum(np.flip(g, 0), -1), 0)
                    ),
                    "grad_output is reversed along one dimension and the gradient along another": (
                        lambda g, x: np.flip(np.cumsum(np.flip(g, 0), -1), -1)
                    ),
                    "the sum over all of grad_output is used where the sum over a row is needed": (
                        lambda g, x: g.sum() - np.cumsum(g, axis=-1) + g
                    ),
                    "each entry gets the last number of its row of grad_output alone": (
                        lambda g, x: np.broadcast_to(g[..., -1:], g.shape)
                    ),
                    "each entry gets grad_output of its own place and of the next one only, but it is part of all "
                    "results from its place on": lambda g, x: g + neighbour(g, -1),
                    "each entry gets grad_output of its own place and of the one before only, but it is part of all "
                    "results from its place on": lambda g, x: g + neighbour(g, 1),
                    "the gradient is a difference of neighbours, which undoes a running sum": (
                        lambda g, x: g - neighbour(g, 1)
                    ),
                    "the gradient is a difference of each number and the next: these are not slopes of a sum": (
                        lambda g, x: g - neighbour(g, -1)
                    ),
                    "the sums are divided by the length of the row, but nothing is averaged": (
                        lambda g, x: summed(g, lambda x: -1, from_the_end=True) / g.shape[-1]
                    ),
                    "the sums are divided by 1, 2, 3, ...: nothing is averaged": (
                        lambda g, x: summed(g, lambda x: -1, from_the_end=True) / (place_in_row(g) + 1)
                    ),
                    "the sums are divided by the number of their terms: nothing is averaged": (
                        lambda g, x: summed(g, lambda x: -1, from_the_end=True) / (g.shape[-1] - place_in_row(g))
                    ),
                    "each entry gets grad_output summed up to the place before it, but it is part of the running sums "
                    "from its place on": lambda g, x: np.cumsum(g, axis=-1) - g,
                    "each entry gets the sum of grad_output over the first dimension": (
                        lambda g, x: np.broadcast_to(g.sum(axis=0), g.shape)
                    ),
                    "grad_output is summed up twice": lambda g, x: summed(
                        summed(g, lambda x: -1, from_the_end=True), lambda x: -1, from_the_end=True
                    ),
                    "the first entry of each row gets only grad_output of its own place: does a loop stop too early?": (
                        lambda g, x: np.where(place_in_row(g) == 0, g, summed(g, lambda x: -1, from_the_end=True))
                    ),
                },
            ),
            *family(
                "other_sums",
                "{what}",
                lambda what: {"forward": what},
                what={
                    "the results are running means, but no division is asked for": (
                        lambda x: np.cumsum(x, axis=-1) / (place_in_row(x) + 1)
                    ),
                    "every result is the sum of the whole row, but a running sum ends at its own place": (
                        lambda x: np.broadcast_to(x.sum(axis=-1, keepdims=True), x.shape)
                    ),
                    "each result is the sum of an entry and the one before only": lambda x: x + neighbour(x, 1),
                    "each result is the difference of an entry and the one before": lambda x: x - neighbour(x, 1),
                    "the results are running products": lambda x: np.cumprod(x, axis=-1),
                    "the first entry of each row is left out of the sums": lambda x: np.cumsum(x, axis=-1) - x[..., :1],
                    "the last entry of each row is not summed: does a loop stop too early?": (
                        lambda x: np.where(place_in_row(x) == x.shape[-1] - 1, x, np.cumsum(x, axis=-1))
                    ),
                    "each result is the largest entry so far, but they must be added up": (
                        lambda x: np.maximum.accumulate(x, axis=-1)
                    ),
                    "the last entry of each row is added to all sums: does an index -1 count from the end?": (
                        lambda x: np.cumsum(x, axis=-1) + x[..., -1:]
                    ),
                    "the absolute values are summed: the signs are lost": lambda x: np.cumsum(np.abs(x), axis=-1),
                },
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
        holds={
            "Write a Function `CumSum.apply(x)` that computes": "forward, gradient, other_dimension, other_sums",
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
            *family(
                "wrong_place",
                "{place}",
                sent_to,
                place={
                    "a position is counted from the beginning of its window, but used as if it were "
                    "counted from the beginning of the row": lambda i, o, k, n: o,
                    "the gradient goes to the last entry of each window, not to the largest": lambda i, o, k, n: (
                        i * k + k - 1
                    ),
                    "the number of a window is used as a position in the row": lambda i, o, k, n: i,
                    "the position in a window and the number of the window are added, but a window is k entries long": (
                        lambda i, o, k, n: i + o
                    ),
                    "the beginning of a window is found with the number of windows, but a window is k entries long": (
                        lambda i, o, k, n: i * n + o
                    ),
                    "the position in the window is multiplied by k, but it is the number of the window that counts k "
                    "entries each": lambda i, o, k, n: o * k + i,
                    "the gradient goes one entry too far to the right": lambda i, o, k, n: i * k + o + 1,
                    "the gradient goes one entry too far to the left": lambda i, o, k, n: i * k + o - 1,
                    "the gradient goes to the window after the one it came from": lambda i, o, k, n: (i + 1) * k + o,
                    "the beginning of a window is found as if the windows overlapped by one entry": (
                        lambda i, o, k, n: i * (k - 1) + o
                    ),
                    "the beginning of a window is found as if there were a gap of one entry between windows": (
                        lambda i, o, k, n: i * (k + 1) + o
                    ),
                    "the position in the window is counted from its end": lambda i, o, k, n: i * k + k - 1 - o,
                },
            ),
            Mistake(
                "wrong_place",
                "a position is counted from the beginning of its window, but used as if it were counted from the beginning of "
                "the row",
                **sent_to(lambda i, o, k, n: o, added=False),
            ),
            *family(
                "kept",
                "the entries that are not the largest of a window get {value}, but they must get 0: they do not reach the result",
                lambda value: {"vjp": lambda g, x, k: elsewhere(value(x), g, x, k)},
                value={"x itself": lambda x: x, "1": np.ones_like},
            ),
            *family(
                "left_over",
                "the entries left over at the end get {value}, but they do not reach the result",
                left_over_too,
                value={"grad_output of the last window": lambda g: g[..., -1:], "1": lambda g: 1.0},
            ),
            *family(
                "other_window",
                "each window gets {what}, but it has its own number of grad_output",
                lambda what: {"vjp": lambda g, x, k: right_pool_vjp(np.broadcast_to(what(g), g.shape), x, k)},
                what={
                    "grad_output of the first window": lambda g: g[..., :1],
                    "the sum of grad_output over its row": lambda g: g.sum(axis=-1, keepdims=True),
                    "the mean of grad_output over its row": lambda g: g.mean(axis=-1, keepdims=True),
                    "grad_output of the window at the same distance from the end": lambda g: g[..., ::-1],
                },
            ),
            *family(
                "all_in_first_row",
                "the numbers of all rows go to the first row: {what}",
                lambda what: {"vjp": lambda g, x, k: in_first_row(g, x, k, what)},
                what={
                    "a position in a row does not say which row it is": True,
                    "a position in a row does not say which row it is, and later rows overwrite earlier ones": False,
                },
            ),
            Mistake(
                "first_row_only",
                "only the first row gets a gradient, but each row has its own windows",
                vjp=lambda g, x, k: (
                    right_pool_vjp(g, x, k) * (np.arange(len(x)) == 0)[:, None]
                    if x.ndim == 2
                    else right_pool_vjp(g, x, k)
                ),
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
            *family(
                "number_of_windows",
                "{starts}",
                lambda starts: {
                    "forward": lambda x, k: np.stack(
                        [x[..., at : at + k].max(axis=-1) for at in starts(x.shape[-1], k)], axis=-1
                    )
                },
                starts={
                    "a window begins at each entry, so that the windows overlap: the next one begins k entries later": lambda length, k: (
                        range(length - k + 1)
                    ),
                    "the entries left over at the end are a window of their own, but they must be dropped": (
                        lambda length, k: range(0, length, k)
                    ),
                    "each window shares its first entry with the window before: the windows overlap": (
                        lambda length, k: range(0, length - k + 1, max(1, k - 1))
                    ),
                    "the last window is missing: does a loop stop too early?": (
                        lambda length, k: range(0, max(1, length // k - 1) * k, k)
                    ),
                },
            ),
            *family(
                "other_windows",
                "{beginning_and_end}",
                other_windows,
                beginning_and_end={
                    "the entries left over are dropped at the beginning, but they must be dropped at the end": (
                        lambda i, k, length: (length % k + i * k, length % k + (i + 1) * k)
                    ),
                    "the last window also contains the entries left over, but they must be dropped": (
                        lambda i, k, length: (i * k, length if i == length // k - 1 else (i + 1) * k)
                    ),
                    "each window begins one entry after the one before: the windows overlap": (
                        lambda i, k, length: (i, i + k)
                    ),
                    "the windows are one entry too short": lambda i, k, length: (i * k, (i + 1) * k - 1),
                    "the windows are one entry too long, so that they overlap": lambda i, k, length: (
                        i * k,
                        (i + 1) * k + 1,
                    ),
                    "each window begins one entry too late": (
                        lambda i, k, length: (min(i * k + 1, length - 1), (i + 1) * k + 1)
                    ),
                    "each result is the largest entry from the beginning of the row on": (
                        lambda i, k, length: (0, (i + 1) * k)
                    ),
                    "each result is the largest entry from its window to the end of the row": (
                        lambda i, k, length: (i * k, length)
                    ),
                    "each result is the largest entry of its whole row, but each window has its own": (
                        lambda i, k, length: (0, length)
                    ),
                    "the result is the first entry of each window, but it must be the largest": (
                        lambda i, k, length: (i * k, i * k + 1)
                    ),
                    "the result is the last entry of each window, but it must be the largest": (
                        lambda i, k, length: (i * k + k - 1, i * k + k)
                    ),
                },
            ),
            *family(
                "other_result",
                "{what}",
                lambda what: {"forward": what},
                what={
                    "neighbours are not in the same window: is x reshaped to k rows instead of rows of k entries?": (
                        lambda x, k: np.swapaxes(windows(x, k).reshape(*x.shape[:-1], k, x.shape[-1] // k), -1, -2).max(
                            axis=-1
                        )
                    ),
                    "the result is never negative, but the largest entry of a window can be": (
                        lambda x, k: np.maximum(max_pool(x, k), 0)
                    ),
                    "the result is the position of the largest entry in its window, not the entry": (
                        lambda x, k: windows(x, k).argmax(axis=-1).astype(x.dtype)
                    ),
                    "the windows of all rows are in one row, but each row of x has a row of results": (
                        lambda x, k: max_pool(x, k).reshape(-1)
                    ),
                    "the result is the difference of the largest and the smallest entry of each window": (
                        lambda x, k: max_pool(x, k) - windows(x, k).min(axis=-1)
                    ),
                    "the result is halfway between the largest and the smallest entry of each window": (
                        lambda x, k: (max_pool(x, k) + windows(x, k).min(axis=-1)) / 2
                    ),
                    "the result is the second largest entry of each window": (
                        lambda x, k: np.sort(windows(x, k), axis=-1)[..., -min(2, k)]
                    ),
                },
            ),
            Mistake(
                "absolute",
                "the entry with the largest absolute value is chosen, but the sign counts: -3 is smaller than 1",
                forward=lambda x, k: np.take_along_axis(
                    windows(x, k), np.abs(windows(x, k)).argmax(axis=-1)[..., None], -1
                )[..., 0],
            ),
        ),
        holds={
            "Write a Function `MaxPool1d.apply(x, k)`": "forward, gradient",
            "`x` is a vector or a matrix, and `k` is": "explains",
            "The windows follow each other without overlap.": "forward, other_windows",
            "If fewer than `k` entries are left at the end": "forward, other_windows",
            "For a vector, in plain Python (for a matrix": "explains",
            "For example, with one entry left over:": "explains",
            "These calls may help:": "explains",
            "`x[..., :n]` is the first `n` entries": "explains",
            "`x.max(dim=-1)` returns the largest values": "explains",
            "`x.scatter(dim, index, values)` returns": "explains",
            "The checks: those listed above, for vectors": EVERY,
            "An entry that is left over has gradient 0.": "gradient, left_over",
        },
    ),
}
