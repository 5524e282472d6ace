"""The specification of notebook 08, changing values in place: predict_in_place_errors, and four programs to repair."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..checks.spec import Also, Arguments, CallSpec, Mistake, family
from ..exercises.declaration import Leaf
from ..jacobian import numerical_jacobian

START = "x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)"
"""The first line of every program of `predict_in_place_errors`. The last line is `loss.backward()`."""


PROGRAMS = {
    "A": "y = x.tanh()\ny += 1\nloss = y.sum()",
    "B": "y = x + 1\nz = y.exp()\ny /= 10\nloss = z.sum()",
    "C": "first = x[0:1]\nfirst.zero_()\nloss = (x * 2).sum()",
    "D": "with torch.no_grad():\n    x *= 2\nloss = (x**2).sum()",
    "E": "loss = (x**2).sum()\nwith torch.no_grad():\n    x -= 0.1",
    "F": "loss = (x**2).sum()\nx.data -= 0.1",
    "G": "y = x.exp()\nloss = y.sum()\nlast = y[2:]\nlast *= 0",
    "H": "loss = (x**2).sum()\nsame = x.detach()\nsame -= 0.1",
}
"""The programs of `predict_in_place_errors`. A test runs them and compares them with OUTCOMES and SLOPES."""


OUTCOMES = {"A": "saved", "B": "fine", "C": "leaf", "D": "fine", "E": "saved", "F": "wrong", "G": "saved", "H": "saved"}
"""What each program does: the words are explained in the statement."""


SLOPES = {"B": lambda x: np.exp(x + 1), "D": lambda x: 2 * (2 * x), "F": lambda x: 2 * x}
"""For the programs that do not raise: the gradient of the loss at the x that it was computed from."""


WORDS = tuple(sorted(set(OUTCOMES.values())))


def is_one_of_the_words(called: Any) -> str | None:
    for name, outcome in called.result.items() if isinstance(called.result, dict) else ():
        if outcome not in WORDS:
            return f"the entry of {name} is {outcome!r}; use one of these words: {', '.join(map(repr, WORDS))}"
    return None


def meant(f: Callable[[np.ndarray], np.ndarray]) -> Callable[[np.ndarray], dict[str, np.ndarray]]:
    """The value of f and the numerical gradient of the weighted sum of its entries."""
    return lambda x: {"value": f(x), "gradient": (weights(x) @ numerical_jacobian(f, [x], 0)).reshape(x.shape)}


def weights(x: np.ndarray) -> np.ndarray:
    return np.arange(1.0, x.size + 1)


def centre(x: np.ndarray) -> np.ndarray:
    return np.square(x - x.mean())


def threshold(x: np.ndarray) -> np.ndarray:
    return np.where(np.tanh(x) < 0.5, 0, np.tanh(x))


def leaves(rng: np.random.Generator, *sizes: int) -> Sequence[Arguments]:
    return [(Leaf(rng.uniform(0.5, 2.0, size=n) * rng.choice([-1, 1], size=n)),) for n in sizes]


def product_inputs(rng: np.random.Generator) -> Sequence[Arguments]:
    """The last vector contains a 0, after which all products are 0."""
    with_zero = rng.uniform(0.5, 2.0, size=5) * [1, -1, 0, 1, 1]
    return [*leaves(rng, 2, 3, 5), (Leaf(with_zero),)]


def until_below(x: np.ndarray) -> np.ndarray:
    """The result if all entries are 0 from the first one below the threshold."""
    return np.where(np.logical_or.accumulate(np.tanh(x) < 0.5), 0.0, np.tanh(x))


def threshold_inputs(rng: np.random.Generator) -> Sequence[Arguments]:
    """Vectors around the threshold: tanh(0.52) is just below 0.5, so comparing x with 0.5 is wrong there; tanh(0.57) is just above."""
    above, below = rng.uniform(0.7, 1.5, size=6), rng.uniform(-1.5, 0.4, size=4)
    vectors = ([above[0], below[0], 0.52], [-above[1], above[2]], [*below[1:], *above[3:]], [0.57, 0.02])
    return [(Leaf(x),) for x in vectors]


def step_inputs(rng: np.random.Generator) -> Sequence[Arguments]:
    """Weights of both signs."""
    shapes: list[tuple[int, ...]] = [(2,), (2, 2), (), (1,)]
    return [
        (Leaf(rng.uniform(0.8, 1.6, size=shape) * np.resize([-1, 1], shape) * rng.choice([-1, 1])),) for shape in shapes
    ]


Weights = Callable[[np.ndarray], np.ndarray]


def gradient_of_loss(w: np.ndarray) -> np.ndarray:
    return 4 * w**3 - 2 * w


def after_step(decay: float = 0.9, rate: float = 0.1, gradient: Weights = gradient_of_loss) -> Callable[..., Any]:
    """A function from w to the weights after decay and step."""
    return lambda w: {"w": decay * w - rate * gradient(w)}


def loss_of(w: np.ndarray) -> np.ndarray:
    return np.sum(w**4 - w**2)


def value(f: Callable[[np.ndarray], Any]) -> dict[str, Any]:
    """The result of a mistake that gives another value."""
    return {"forward": lambda x: {"value": f(x)}}


def gradient(f: Callable[[np.ndarray], Any]) -> dict[str, Any]:
    """Of a mistake that gives another gradient; `f` is what the weights of the entries are multiplied by."""
    return {"forward": lambda x: {"gradient": weights(x) * f(x)}}


def dependences(of_x: int, of_mean: int) -> Callable[[np.ndarray], Any]:
    """The gradient of the squared distances if some of the two x, and some of the two means, are constants."""

    def mistaken(x: np.ndarray) -> dict[str, np.ndarray]:
        part = weights(x) * (x - x.mean())
        return {"gradient": of_x * part - of_mean * part.mean()}

    return mistaken


def threshold_of(
    kept: Weights = np.tanh,
    mask: Callable[[np.ndarray], np.ndarray] = lambda x: np.tanh(x) < 0.5,
    instead: Weights = np.zeros_like,
) -> dict[str, Any]:
    return value(lambda x: np.where(mask(x), instead(x), kept(x)))


NO_GRADIENT = Mistake(
    "cut",
    "no gradient reaches x: the result has no graph that leads back to x",
    forward=lambda x: {"gradient": None},
)


def letters(names: str) -> dict[str, str]:
    return {name: name for name in names}


SPECS = {
    "predict_in_place_errors": CallSpec(
        lambda: OUTCOMES,
        lambda rng: [()],
        also=(Also("other_word", "each entry is one of the four words", is_one_of_the_words),),
        mistakes=(
            Mistake(
                "tanh_by_argument",
                "the local slope of tanh is 1 minus the square of its result, so its node saves "
                "the result: look again at A",
                forward=lambda: {"A": "fine"},
            ),
            Mistake(
                "exp_by_argument",
                "a node saves what its local slope is computed from; for exp, is that the "
                "argument or the result? Look again at B",
                forward=lambda: {"B": "saved"},
            ),
            Mistake(
                "view_is_no_leaf",
                "in C, `first` is a view: writing to it writes to x itself, and autograd is recording",
                forward=lambda: {"C": "fine"},
            ),
            Mistake(
                "view_is_no_leaf",
                "in C, no node has saved a value when `first` is written to; whose memory is it?",
                forward=lambda: {"C": "saved"},
            ),
            Mistake(
                "no_grad_forbidden",
                "in D, the change is not recorded, and nothing was computed from x before it",
                forward=lambda: {"D": "leaf"},
            ),
            Mistake(
                "no_grad_forbidden",
                "in D, the square is computed after the change, so the value that it saves does not change any more",
                forward=lambda: {"D": "saved"},
            ),
            Mistake(
                "no_grad_is_safe",
                "`no_grad` keeps a change out of the graph, but the version counter still counts it: look again at E",
                forward=lambda: {"E": "fine"},
            ),
            Mistake(
                "data_is_counted",
                "the version counter does not count a change through `.data`, so backward cannot "
                "notice it: look again at F",
                forward=lambda: {"F": "saved"},
            ),
            Mistake(
                "data_is_safe",
                "in F, the local slope of the square is computed from x as it is when backward "
                "runs: is it still the x of the loss?",
                forward=lambda: {"F": "fine"},
            ),
            Mistake(
                "view_is_a_copy",
                "in G, `last` is a view: it shares its memory and its version counter with y",
                forward=lambda: {"G": "fine"},
            ),
            Mistake(
                "detach_is_a_copy",
                "in H, `detach` gives another tensor with the same memory and the same version counter",
                forward=lambda: {"H": "fine"},
            ),
            Mistake(
                "detach_is_data",
                "`detach` and `.data` both share the memory, but only one of them shares the "
                "version counter: look again at H",
                forward=lambda: {"H": "wrong"},
            ),
            *family(
                "no_leaf",
                "in {letter}, what is written to is the result of an operation: it is not a leaf",
                lambda letter: {"forward": lambda: {letter: "leaf"}},
                letter=letters("ABG"),
            ),
            *family(
                "not_recorded",
                "in {letter}, x is a leaf, but its change is not recorded, so the line that changes it does not raise",
                lambda letter: {"forward": lambda: {letter: "leaf"}},
                letter=letters("EFH"),
            ),
            *family(
                "counted",
                "in {letter}, the version counter counts the change: does backward run through and give a gradient?",
                lambda letter: {"forward": lambda: {letter: "wrong"}},
                letter=letters("AEG"),
            ),
            *family(
                "nothing_saved_changed",
                "in {letter}, no value changes after it was saved for backward, so the gradient is that of the loss",
                lambda letter: {"forward": lambda: {letter: "wrong"}},
                letter=letters("BD"),
            ),
            Mistake(
                "view_is_no_leaf",
                "in C, a view of x is written to while autograd is recording: does the program get as far as `backward`?",
                forward=lambda: {"C": "wrong"},
            ),
        ),
        holds={
            "Write a function `predict_in_place_errors()`": "runs, value",
            "Do not run them yet.": "explains",
            "Each program begins with this line": "explains",
            "These are the lines in between:": "explains",
            "Return a dict with one entry for each letter.": "value",
            "The entry is one of these four words:": "other_word",
            "For example, for two programs called P and Q": "explains",
            "The check says how many of the eight letters": "explains",
            "For common mistakes it also says": "explains",
        },
    ),
    "repair_centre": CallSpec(
        meant(centre),
        lambda rng: leaves(rng, 2, 3, 4, 5),
        mistakes=(
            NO_GRADIENT,
            *family(
                "constant",
                "the gradient treats {what}",
                lambda what: {"forward": dependences(*what)},
                what={
                    "the mean as a constant, but the mean depends on every entry of x": (2, 0),
                    "the mean as a constant in one of the two factors": (2, 1),
                    "one of the two factors as a constant, but both depend on x": (1, 1),
                    "one factor and the mean in the other as constants": (1, 0),
                    "x as a constant in one of the two factors": (1, 2),
                },
            ),
            *family(
                "one_factor",
                "only one of the two factors is a distance from the mean: the other is {other}",
                lambda other: value(lambda x: other(x) * (x - x.mean())),
                other={
                    "x itself": lambda x: x,
                    "the mean": lambda x: np.full_like(x, x.mean()),
                    "the size of x": np.abs,
                },
            ),
            Mistake(
                "not_centred",
                "these are the squares of x itself: the mean is not subtracted",
                forward=lambda x: {"value": x**2},
            ),
            *family(
                "not_squared",
                "these are {power}, but the squared distances are asked for",
                lambda power: value(lambda x: power(x - x.mean())),
                power={
                    "the distances themselves, with their sign": lambda d: d,
                    "the distances with the other sign": lambda d: -d,
                    "the sizes of the distances": np.abs,
                    "the cubes of the distances": lambda d: d**3,
                    "the fourth powers of the distances": lambda d: d**4,
                    "the doubled distances": lambda d: 2 * d,
                },
            ),
            *family(
                "other_centre",
                "{centre} is subtracted from each entry, but it must be the mean of all entries",
                lambda centre: value(lambda x: (x - centre(x)) ** 2),
                centre={
                    "the sum of all entries": np.sum,
                    "the sum divided by n - 1": lambda x: x.sum() / (len(x) - 1),
                    "the sum divided by n + 1": lambda x: x.sum() / (len(x) + 1),
                    "the sum divided by 2": lambda x: x.sum() / 2,
                    "the sum divided by 3": lambda x: x.sum() / 3,
                    "the sum divided by 4": lambda x: x.sum() / 4,
                    "the sum divided by 5": lambda x: x.sum() / 5,
                    "the median": lambda x: np.sort(x)[(len(x) - 1) // 2],
                    "the first entry": lambda x: x[0],
                    "the last entry": lambda x: x[-1],
                    "the smallest entry": np.min,
                    "the largest entry": np.max,
                    "the mean of the sizes": lambda x: np.abs(x).mean(),
                    "minus the mean": lambda x: -x.mean(),
                },
            ),
            *family(
                "squared_too_early",
                "{subtracted} is subtracted from the squares of x: first comes the distance, then the square",
                lambda subtracted: value(lambda x: x**2 - subtracted(x)),
                subtracted={
                    "the square of the mean": lambda x: x.mean() ** 2,
                    "the mean of the squares": lambda x: np.mean(x**2),
                    "the mean": np.mean,
                },
            ),
            *family(
                "added_up",
                "this is one number, {number}: the result must have one squared distance for each entry",
                lambda number: value(lambda x: number(x - x.mean())),
                number={
                    "the sum of the squared distances": lambda d: np.sum(d**2),
                    "the mean of the squared distances": lambda d: np.mean(d**2),
                    "the sum of the squared distances divided by n - 1": lambda d: np.sum(d**2) / (d.size - 1),
                    "the standard deviation": lambda d: np.sqrt(np.mean(d**2)),
                    "the standard deviation with n - 1": lambda d: np.sqrt(np.sum(d**2) / (d.size - 1)),
                },
            ),
            *family(
                "divided",
                "each squared distance is divided by {number}, but nothing is to be divided",
                lambda number: value(lambda x: (x - x.mean()) ** 2 / number(x)),
                number={
                    "n, the number of entries": len,
                    "n - 1": lambda x: len(x) - 1,
                    "2": lambda x: 2,
                    "the variance": np.var,
                },
            ),
        ),
        holds={
            "Write a function `repair_centre(x)`": "value, not_squared, other_centre, added_up",
            "This program is meant to compute it": "explains",
            "For example:": "explains",
            "The checks try vectors with 2 to 5 entries.": "explains",
            "They compare the result.": "value",
            "They compare the gradient that `x` gets": "value, cut, constant",
            "They check that `x` is unchanged": "unchanged, repeat",
        },
    ),
    "repair_threshold": CallSpec(
        meant(threshold),
        threshold_inputs,
        mistakes=(
            Mistake(
                "mask",
                "these are 1 where tanh x is kept, with no graph that leads back to x: the result must hold tanh x there",
                forward=lambda x: {"value": (np.tanh(x) >= 0.5).astype(float), "gradient": None},
            ),
            Mistake(
                "stops",
                "the first entry below 0.5 is right, but every entry after it is 0 too: each entry must be compared",
                forward=lambda x: {"value": until_below(x)},
            ),
            NO_GRADIENT,
            Mistake(
                "unnoticed",
                "the entries that were set to 0 get the slope 1, the slope of tanh if its result "
                "is 0, as if the change was hidden from autograd",
                forward=lambda x: {"value": threshold(x), "gradient": weights(x) * (1 - threshold(x) ** 2)},
            ),
            Mistake(
                "slope_of_all",
                "the entries that were set to 0 no longer depend on x, but they get a gradient as if they did",
                forward=lambda x: {"value": threshold(x), "gradient": weights(x) * (1 - np.tanh(x) ** 2)},
            ),
            Mistake(
                "x_compared",
                "x is compared with 0.5: compare tanh x with 0.5",
                forward=lambda x: {"value": np.where(x < 0.5, 0, np.tanh(x))},
            ),
            Mistake(
                "size_compared",
                "large negative entries are kept: they are below 0.5 too, so they must be 0",
                forward=lambda x: {"value": np.where(np.abs(np.tanh(x)) < 0.5, 0, np.tanh(x))},
            ),
            *family(
                "other_threshold",
                "{below} is replaced by 0, but it must be every tanh below 0.5",
                lambda below: threshold_of(mask=below),
                below={
                    "every tanh above 0.5": lambda x: np.tanh(x) >= 0.5,
                    "every tanh below 0": lambda x: x < 0,
                    "every tanh below -0.5": lambda x: np.tanh(x) < -0.5,
                    "every tanh between -0.5 and 0": lambda x: (np.tanh(x) > -0.5) & (x < 0),
                    "nothing": lambda x: np.zeros_like(x, dtype=bool),
                    "every entry": lambda x: np.ones_like(x, dtype=bool),
                },
            ),
            *family(
                "instead",
                "the entries below 0.5 are replaced by {instead}, but it must be 0",
                lambda instead: threshold_of(instead=instead),
                instead={
                    "0.5": lambda x: np.full_like(x, 0.5),
                    "1": np.ones_like,
                    "-1": lambda x: -np.ones_like(x),
                    "a tenth of them": lambda x: 0.1 * np.tanh(x),
                    "a hundredth of them": lambda x: 0.01 * np.tanh(x),
                    "the entries of x": lambda x: x,
                },
            ),
            *family(
                "kept",
                "the entries that are kept are {kept}, but they must be tanh x",
                lambda kept: threshold_of(kept),
                kept={
                    "those of x": lambda x: x,
                    "tanh x - 0.5": lambda x: np.tanh(x) - 0.5,
                    "1": np.ones_like,
                    "tanh of tanh x": lambda x: np.tanh(np.tanh(x)),
                    "the square of tanh x": lambda x: np.tanh(x) ** 2,
                },
            ),
            Mistake(
                "sigmoid",
                "this is the sigmoid, not tanh",
                **value(lambda x: np.where(x < 0, 0, 1 / (1 + np.exp(-x)))),
            ),
            Mistake(
                "no_tanh",
                "tanh is never taken: these are the entries of x, compared with 0.5",
                **threshold_of(lambda x: x, lambda x: x < 0.5),
            ),
            Mistake(
                "slope_one",
                "the entries that are kept get the slope 1, as if they were those of x, but the slope of tanh is smaller",
                **gradient(lambda x: np.tanh(x) >= 0.5),
            ),
        ),
        holds={
            "Write a function `repair_threshold(x)`": "value, other_threshold, instead, kept",
            "An entry that is replaced by 0 no longer": "unnoticed, slope_of_all",
            "This program is meant to compute it": "explains",
            "For example:": "explains",
            "The checks are the same as for `repair_centre`": "value, unchanged, repeat",
            "Some entries are just below the threshold": "explains",
        },
    ),
    "repair_products": CallSpec(
        meant(np.cumprod),
        product_inputs,
        mistakes=(
            NO_GRADIENT,
            Mistake(
                "chain_cut",
                "each product treats the product before it as a constant, but that product "
                "depends on the earlier entries of x",
                forward=lambda x: {"gradient": weights(x) * np.concatenate([[1.0], np.cumprod(x)[:-1]])},
            ),
            Mistake(
                "last_only",
                "only the last product is there: the result must hold all of them",
                forward=lambda x: {"value": np.prod(x)},
            ),
            Mistake(
                "factor_constant",
                "each product treats its new factor as a constant: only the first entry of x gets a gradient",
                forward=lambda x: {"gradient": np.eye(len(x))[0] * np.sum(weights(x) * np.cumprod([1.0, *x[1:]]))},
            ),
            Mistake(
                "values_alone",
                "only the first entry of the result sends a gradient to x: the others have none, as if their values were written past autograd",
                forward=lambda x: {"gradient": np.eye(len(x))[0]},
            ),
            *family(
                "other_products",
                "{these}, but each result is the product of all entries up to its own",
                lambda these: value(these),
                these={
                    "these are running sums": np.cumsum,
                    "these are the products of two neighbours": lambda x: x * [1.0, *x[:-1]],
                    "the first entry is multiplied in twice": lambda x: x[0] * np.cumprod(x),
                    "the products begin with 1 and end before the last entry": lambda x: np.cumprod([1.0, *x[:-1]]),
                    "there is one product too many, the 1 before the first entry": lambda x: np.cumprod([1.0, *x]),
                    "the last product is missing": lambda x: np.cumprod(x)[:-1],
                    "the first product is missing": lambda x: np.cumprod(x)[1:],
                    "the products leave out the first entry": lambda x: np.cumprod(x[1:]),
                    "each product takes the entry before its own": lambda x: np.cumprod([x[0], *x[:-1]]),
                    "the products are made from the last entry backwards": lambda x: np.cumprod(x[::-1])[::-1].copy(),
                    "the products are made from the last entry, in that order": lambda x: np.cumprod(x[::-1]),
                    "the product of all entries stands everywhere": lambda x: np.full_like(x, np.prod(x)),
                    "the signs are lost": lambda x: np.abs(np.cumprod(x)),
                    "these are the entries of x themselves": lambda x: x,
                    "each entry is multiplied by the first one alone": lambda x: x * [1.0, *[x[0]] * (len(x) - 1)],
                    "these are the squares of the entries": np.square,
                    "these are powers of each entry alone": lambda x: x ** np.arange(1, len(x) + 1),
                    "these are powers of the first entry": lambda x: x[0] ** np.arange(1, len(x) + 1),
                    "only the first product is there, and zeros": lambda x: x * np.eye(len(x))[0],
                    "only the last product is there, and zeros": lambda x: np.prod(x) * np.eye(len(x))[-1],
                },
            ),
        ),
        holds={
            "Write a function `repair_products(x)`": "value, other_products",
            "This program is meant to compute it": "explains",
            "For example:": "explains",
            "The checks are the same as for `repair_centre`": "value, unchanged, repeat",
            "Entries are positive or negative, and in one": "explains",
        },
    ),
    "repair_step": CallSpec(
        lambda w: {"loss": loss_of(w), **after_step()(w)},
        step_inputs,
        mistakes=(
            *family(
                "other_weights",
                "this is the loss of {at}: use the weights as they were given",
                lambda at: {"forward": lambda w: {"loss": loss_of(at(w))}},
                at={
                    "the weights after they were made smaller": lambda w: 0.9 * w,
                    "the weights after the step": lambda w: after_step()(w)["w"],
                    "the weights after the step, but without the decay": lambda w: after_step(decay=1)(w)["w"],
                },
            ),
            *family(
                "other_loss",
                "{loss}, but the loss is the sum of all w**4 - w**2",
                lambda loss: {"forward": lambda w: {"loss": loss(w)}},
                loss={
                    "this is the mean over the entries": lambda w: loss_of(w) / w.size,
                    "these are the terms for each entry, not added up": lambda w: w**4 - w**2,
                    "w**2 is added instead of subtracted": lambda w: np.sum(w**4 + w**2),
                    "this is the sum of w**4 alone": lambda w: np.sum(w**4),
                    "w**2 is halved, or half of it is added, as if the decay were a part of the loss": lambda w: np.sum(
                        w**4 - w**2 / 2
                    ),
                    "0.1 * w**2 is added, as if the decay were a part of the loss": lambda w: np.sum(w**4 - 0.9 * w**2),
                    "0.05 * w**2 is added, as if the decay were a part of the loss": lambda w: np.sum(
                        w**4 - 0.95 * w**2
                    ),
                    "this is the sum of w**2 alone": lambda w: np.sum(w**2),
                    "the sign of the loss is wrong": lambda w: -loss_of(w),
                    "the sum is taken before the powers": lambda w: np.sum(w) ** 4 - np.sum(w) ** 2,
                    "these are the new weights": lambda w: after_step()(w)["w"],
                    "this is the gradient": gradient_of_loss,
                },
            ),
            Mistake(
                "other_gradient",
                "the step is taken with the gradient at the smaller weights: it must be the one at the weights as they were given",
                forward=after_step(gradient=lambda w: gradient_of_loss(0.9 * w)),
            ),
            *family(
                "other_rate",
                "the weights are made smaller by a tenth, but {step}",
                lambda step: {"forward": after_step(rate=step)},
                step={
                    "the step against the gradient is missing": 0,
                    "the step goes along the gradient, not against it": -0.1,
                    "the step has size 1, not 0.1": 1,
                    "the step has size 0.9, not 0.1": 0.9,
                    "the step has size 0.01, not 0.1": 0.01,
                    "the gradient is counted twice": 0.2,
                    "the gradient is halved": 0.05,
                },
            ),
            *family(
                "other_decay",
                "the step is taken, but the weights {are}",
                lambda are: {"forward": after_step(decay=are)},
                are={
                    "were not made smaller by a tenth": 1,
                    "were made smaller to a tenth, not by a tenth": 0.1,
                    "were divided by 0.9": 1 / 0.9,
                    "were made larger by a tenth": 1.1,
                    "were made smaller twice": 0.81,
                    "were made smaller by a hundredth, not by a tenth": 0.99,
                    "were made smaller by a little less than a tenth": 0.91,
                    "as they were before are forgotten: only the step is left": 0,
                },
            ),
            *family(
                "neither",
                "the weights were not made smaller by a tenth, and the step has size {rate}, not 0.1",
                lambda rate: {"forward": after_step(rate=rate, decay=1)},
                rate={"0.9": 0.9, "1": 1, "0.01": 0.01, "0.09": 0.09},
            ),
            *family(
                "neither",
                "the step goes along the gradient, not against it, and the weights {are}",
                lambda are: {"forward": after_step(rate=-0.1, decay=are)},
                are={"were not made smaller by a tenth": 1, "were made larger by a tenth": 1.1},
            ),
            Mistake(
                "step_smaller",
                "the step is made smaller together with the weights: only the weights as they were given must be made smaller",
                forward=after_step(rate=0.09),
            ),
            *family(
                "mean_gradient",
                "the step is divided by the number of entries, as if the loss were a mean",
                lambda decay: {"forward": lambda w: after_step(decay, 0.1 / w.size)(w)},
                decay={"with decay": 0.9, "without": 1},
            ),
            *family(
                "gradient_of",
                "the gradient that the step uses is not that of the loss: {gradient}",
                lambda gradient: {"forward": after_step(gradient=gradient)},
                gradient={
                    "w**2 is added there": lambda w: 4 * w**3 + 2 * w,
                    "the part of w**2 is missing": lambda w: 4 * w**3,
                    "the 2 of the slope of w**2 is missing": lambda w: 4 * w**3 - w,
                    "the 4 of the slope of w**4 is missing": lambda w: w**3 - 2 * w,
                    "the slope of w**4 is 3 * w**3 there": lambda w: 3 * w**3 - 2 * w,
                    "the exponents are left as they are": lambda w: 4 * w**4 - 2 * w**2,
                    "the 4 and the 2 are missing": lambda w: w**3 - w,
                    "the part of w**4 is missing": lambda w: -2 * w,
                    "it is the loss term itself": lambda w: w**4 - w**2,
                    "it is the sign alone": lambda w: np.sign(gradient_of_loss(w)),
                },
            ),
            Mistake(
                "unchanged",
                "the caller's w has not changed: nothing was written into it (`w = ...` only gives the name w to another tensor)",
                forward=after_step(decay=1, rate=0),
            ),
        ),
        holds={
            "Write a function `repair_step(w)`": "value, unchanged, other_weights",
            "The loss is $L(w) =": "other_loss",
            "Let $g$ be its gradient at the weights": "other_gradient, gradient_of",
            "The step is": "value",
            "It makes the weights smaller by a tenth": "other_decay, other_rate, step_smaller",
            "`w` requires grad and has no gradient yet.": "explains",
            "This program is meant to do it": "explains",
            "For example:": "explains",
            "The checks try `w` with one, two and no dim": "explains",
            "They compare the loss and the new values": "value",
            "The loss can be a number or a tensor": "explains",
            "What `w.grad` holds afterwards": "explains",
        },
    ),
}
