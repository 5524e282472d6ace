"""The specification of notebook 10: numerical_jacobian, find_kinks, and five Functions to repair."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..checks.spec import Arguments, CallSpec, FunctionSpec, Mistake, drawn, family
from ..exercises.declaration import Program

MAPS = (
    ("{a} * x ** {n} * x[0]", (2,), 0.1),
    ("torch.stack([{a} * x[0] * x[1] * x[2], torch.exp({a} * x[0] - x[2])])", (3,), 0.02),
    ("{f}({a} * x) * x.sum()", (2, 2), 0.001),
    ("({a} * x ** 4).sum()", (3,), 0.05),
    ("torch.exp(2 * {a} * x)", (), 0.01),
    ("{f}({a} * x) * x[1]", (2, 3), 0.02),
    ("x.reshape(3, 2)", (2, 3), 0.1),
)
"""The last but one needs the shape of x; the last gives a view of x."""


Jacobian = Callable[[Any, np.ndarray, float], np.ndarray]


def columns_of(column: Callable[[Any, np.ndarray, np.ndarray, float], Any]) -> Jacobian:
    """A Jacobian by `column(f, x, direction, eps)`; a direction is 1 at one entry and 0 everywhere else."""

    def jacobian(f: Any, x: np.ndarray, eps: float) -> np.ndarray:
        directions = np.eye(x.size).reshape(x.size, *x.shape)
        return np.stack([np.ravel(column(f, x, e, eps)) for e in directions], axis=1)

    return jacobian


def measured(up: float, down: float, distance: float | None = None) -> Jacobian:
    """A Jacobian measured with steps of `up * eps` and `down * eps`, divided by `distance * eps`."""
    whole = up + down if distance is None else distance
    return columns_of(lambda f, x, e, eps: (f(x + up * eps * e) - f(x - down * eps * e)) / (whole * eps))


central = measured(1, 1)


def with_one_copy(f: Any, x: np.ndarray, e: np.ndarray, eps: float) -> np.ndarray:
    """A column, from one copy of x that moves up and then down: f may have returned a view of it."""
    moved = x + eps * e
    up = f(moved)
    moved -= 2 * eps * e
    return np.asarray((up - f(moved)) / (2 * eps))


def up_to(e: np.ndarray) -> np.ndarray:
    """1 at the entry at which the direction `e` is 1, and at all entries before it."""
    return (np.arange(e.size) <= np.argmax(e)).reshape(e.shape) * 1.0


def all_at_once(f: Any, x: np.ndarray, eps: float) -> np.ndarray:
    return np.asarray((f(x + eps) - f(x - eps)) / (2 * eps))


def without_column(number: int) -> Jacobian:
    return lambda f, x, eps: np.delete(central(f, x, eps), number, axis=1)


def zero_column(number: int) -> Jacobian:
    return lambda f, x, eps: central(f, x, eps) * (np.arange(x.size) != number % x.size)


def map_inputs(rng: np.random.Generator) -> Sequence[Arguments]:
    return [(Program("x", drawn(text, rng)), rng.uniform(0.5, 1.5, size=shape), eps) for text, shape, eps in MAPS]


STEP = 1e-6


JUMP = 0.05
"""A step and a threshold for a kink that find all kinks of `curve_inputs` and nothing else."""


Rule = Callable[[float, float], bool]
"""Maps the slopes on the left and on the right of a point to whether it counts as a kink."""


def slopes(f: Any, at: float, eps: float = STEP, dtype: Any = np.float64) -> tuple[float, float]:
    """The slopes just to the left and just to the right of a point, computed with numbers of a dtype."""
    x, step = np.array(at, dtype), dtype(eps)
    left, right = (f(x) - f(np.asarray(x - step))) / step, (f(np.asarray(x + step)) - f(x)) / step
    return float(left), float(right)


def differ_by(jump: float) -> Rule:
    """Whether the slopes differ by more than `jump`."""
    return lambda left, right: abs(right - left) > jump


def found(rule: Rule, eps: float = STEP, dtype: Any = np.float64) -> Callable[[Any, np.ndarray], list[float]]:
    """A function that maps f and candidates to those that are kinks by `rule`."""
    return lambda f, candidates: [at for at in candidates.tolist() if rule(*slopes(f, at, eps, dtype))]


kinks = found(differ_by(JUMP))


def is_kink(f: Any, at: float) -> bool:
    return differ_by(JUMP)(*slopes(f, at))


def unlike_the_one_before(f: Any, candidates: np.ndarray) -> list[float]:
    places = candidates.tolist()
    right = [slopes(f, at)[1] for at in places]
    return [places[n] for n in range(1, len(places)) if abs(right[n] - right[n - 1]) > JUMP]


LARGE_JUMPS = (0.12, 0.6, 1.5, 2.5)
"""Each is larger than another of the jumps in `curve_inputs`."""


BENDS = (
    "points without a kink are in the result, at which f only bends: the number that you compare is not 0 there either, and "
    "it is larger than what you count as a kink"
)


TOO_SENSITIVE = [
    (eps, jump)
    for eps in (0.5, 0.1, 0.05, 0.01, 0.005, 0.002, 0.001, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8)
    for jump in (0.1, 0.09, 0.05, 0.02, 0.01, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 0)
    if jump < 110 * eps
]
"""Steps and differences by which a smooth f of `curve_inputs`, whose second derivative is 110 or more, seems to have a kink."""


def curve_inputs(rng: np.random.Generator) -> Sequence[Arguments]:
    """Functions with kinks of several sizes at drawn points, and smooth ones that are steep or bend.

    The jumps of the slope are 6, 2, 1, about 0.35 and just above 0.1; some rise and some fall. The points are quarters, which
    are exact as floats. One function takes one number only, and the last candidates are not sorted.
    """

    def quarter() -> float:
        return float(rng.integers(-8, 9)) / 4

    def curve(text: str, *places: float) -> Arguments:
        return Program("x", text), np.array(sorted({*places, places[0] + 2 + abs(quarter())}))

    a, b, c, d, e, g, h, i, j = (quarter() for _ in range(9))
    bend, steep, small = rng.integers(2, 5), rng.integers(55, 60), round(rng.uniform(0.16, 0.19), 3)
    tiny_up, tiny_down = (round(rng.uniform(0.051, 0.053), 4) for _ in range(2))
    far, last = b + 1 + abs(quarter()), g + 1 + abs(quarter())
    two_tiny = f"{tiny_up} * torch.abs({less(g)}) - {tiny_down} * torch.abs({less(last)}) + x / 2"
    return [
        curve(f"torch.abs({less(a)})", a - 1, a, a + 1),
        curve(f"torch.where({less(c)} > 0, {less(c)}, 0 * x)", c - 1, c, c + 0.5),
        curve(f"x ** 3 + {bend} * torch.exp(x)", -1, 0, quarter()),
        curve(f"torch.abs({less(b)}) + {small} * torch.abs({less(far)}) + x ** 2", b - 1, b, b + 0.5, far, far + 0.5),
        curve(f"torch.abs({less(d)}) * ({less(d)})", d - 0.5, d, d + 1),
        curve(f"{steep} * x ** 2", -1, 0, quarter(), -4, -3.75, 3.5, 3.75, 4),
        curve(f"torch.abs(torch.sin(3 * ({less(e)})))", e - 0.25, e, e + 0.5),
        curve(f"x - torch.abs({less(h)})", h, h + 0.75),
        curve(f"3 * ({less(j)}) if x > {j:g} else {less(j)}", j, j + 0.5),
        (Program("x", f"torch.abs(torch.sin(3 * ({less(i)})))"), np.array([i - 1, i - 0.25, i])),
        (Program("x", two_tiny), np.array([last, g + 0.5, g])),
    ]


def less(number: float) -> str:
    """The expression `x - number`, in its usual spelling.

    >>> less(1.0), less(-0.25), less(0.0)
    ('x - 1', 'x + 0.25', 'x')
    """
    return f"x {'-' if number > 0 else '+'} {abs(number):g}" if number else "x"


def entrywise_inputs(rng: np.random.Generator) -> Sequence[Arguments]:
    shapes = [(3,), (2, 3), (2, 1, 3), ()]
    return [(np.asarray(rng.uniform(0.5, 1.8, size=shape) * rng.choice([-1, 1], size=shape)),) for shape in shapes]


def matrix_inputs(rng: np.random.Generator) -> Sequence[Arguments]:
    return [(rng.normal(size=shape), rng.normal(size=shape[1])) for shape in [(2, 3), (3, 2), (3, 1), (1, 3)]]


def table_inputs(rng: np.random.Generator) -> Sequence[Arguments]:
    """Tables of several shapes; in the last one, an entry of x and one of scale are 0."""
    calls = [(rng.normal(size=shape), rng.normal(size=shape[1])) for shape in [(2, 3), (3, 2), (4, 1), (1, 3), (3, 3)]]
    x, scale = calls[-1]
    x[rng.integers(3), rng.integers(3)] = 0
    scale[rng.integers(3)] = 0
    return calls


def divided(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """a / b, infinite or NaN where b is 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return a / b


def other_slopes(function: str, slopes: dict[str, Callable[[np.ndarray], Any]]) -> tuple[Mistake, ...]:
    """Backwards that multiply grad_output by another function of x, each with its words."""
    message = f"the slope used is {{slope}}: that is not how steep {function} is"
    return family("slope", message, lambda slope: {"vjp": lambda g, x: g * slope(x)}, slope=slopes)


def not_multiplied(slope: Callable[[np.ndarray], Any]) -> tuple[Mistake, ...]:
    """Backwards that combine grad_output and the right slope in another way than by their product."""
    return family(
        "not_multiplied",
        "{join}, but it must multiply the slope: a loss with grad_output 0 does not depend on this result, and its gradient is 0",
        lambda join: {"vjp": lambda g, x: join(g, slope(x))},
        join={
            "grad_output is added to the slope": lambda g, s: g + s,
            "grad_output is subtracted from the slope": lambda g, s: s - g,
            "the slope is subtracted from grad_output": lambda g, s: g - s,
        },
    ) + family(
        "not_multiplied",
        "{join}, but the two must be multiplied",
        lambda join: {"vjp": lambda g, x: join(g, slope(x))},
        join={
            "the slope is divided by grad_output": lambda g, s: s / g,
            "grad_output is multiplied by the square of the slope": lambda g, s: g * s**2,
        },
    )


def for_matrix(message: str, gradients: dict[str, Callable[..., Any]]) -> tuple[Mistake, ...]:
    """Wrong gradients for the first of two arguments; the one for the second is right."""
    return family("first", message, lambda wrong: {"vjp": lambda g, a, b: (wrong(g, a, b), None)}, wrong=gradients)


def for_vector(message: str, gradients: dict[str, Callable[..., Any]]) -> tuple[Mistake, ...]:
    """Wrong gradients for the second of two arguments; the one for the first is right."""
    return family("second", message, lambda wrong: {"vjp": lambda g, a, b: (None, wrong(g, a, b))}, wrong=gradients)


SPECS = {
    "numerical_jacobian": CallSpec(
        central,
        map_inputs,
        dtypes=True,
        mistakes=(
            Mistake(
                "forward_difference",
                "this measures on one side only, from x to x + eps: the central difference steps to both sides",
                forward=measured(1, 0),
            ),
            Mistake(
                "backward_difference",
                "this measures on one side only, from x - eps to x: the central difference steps to both sides",
                forward=measured(0, 1),
            ),
            *family(
                "half_distance",
                "this measures on one side only, {sides}, and divides by the distance of two sides",
                lambda sides: {"forward": measured(sides[0], sides[1], 2)},
                sides={"from x to x + eps": (1, 0), "from x - eps to x": (0, 1)},
            ),
            *family(
                "distance",
                "f(x + eps) - f(x - eps) is {divided}, but it must be divided by the distance between the two points",
                lambda divided: {"forward": lambda f, x, eps: central(f, x, eps) * divided(eps)},
                divided={
                    "not divided by anything": lambda eps: 2 * eps,
                    "divided by eps": lambda eps: 2,
                    "divided by 2 alone": lambda eps: eps,
                    "divided by 2 and then multiplied by eps": lambda eps: eps**2,
                    "multiplied by 2 * eps": lambda eps: (2 * eps) ** 2,
                    "divided by 4 * eps": lambda eps: 0.5,
                    "divided by 2 * eps twice": lambda eps: 1 / (2 * eps),
                    "divided by the square of eps": lambda eps: 2 / eps,
                },
            ),
            Mistake(
                "parentheses",
                "only f(x - eps) is divided by 2 * eps: a division is done before a difference",
                forward=columns_of(lambda f, x, e, eps: f(x + eps * e) - f(x - eps * e) / (2 * eps)),
            ),
            *family(
                "step",
                "x is moved by {step} to each side, but it must move by eps",
                lambda step: {"forward": lambda f, x, eps: central(f, x, step(eps))},
                step={
                    "eps / 2": lambda eps: eps / 2,
                    "2 * eps": lambda eps: 2 * eps,
                    "eps / 10": lambda eps: eps / 10,
                    "eps squared": lambda eps: eps**2,
                },
            ),
            Mistake(
                "step",
                "x is moved by 2 * eps to each side, but it must move by eps",
                forward=measured(2, 2, 2),
            ),
            *family(
                "relative_step",
                "each entry of x is moved by eps times its own value, but it must move by eps",
                lambda distance: {
                    "forward": columns_of(
                        lambda f, x, e, eps: (f(x + eps * e * x) - f(x - eps * e * x)) / (2 * eps * distance(x, e))
                    )
                },
                distance={"2 * eps": lambda x, e: 1, "what was moved": lambda x, e: np.sum(x * e)},
            ),
            Mistake(
                "never_put_back",
                "an entry that was moved is not put back before the next one moves: only one entry may differ from x at a time",
                forward=columns_of(lambda f, x, e, eps: (f(x + eps * up_to(e)) - f(x - eps * up_to(e))) / (2 * eps)),
            ),
            Mistake(
                "never_put_back",
                "an entry that was moved is not put back before the next one moves: only one entry may differ from x at a time",
                forward=columns_of(
                    lambda f, x, e, eps: (f(x + eps * up_to(e)) - f(x + eps * up_to(e) - 2 * eps * e)) / (2 * eps)
                ),
            ),
            Mistake(
                "all_at_once",
                "all entries of x are moved at the same time for every column: only entry j moves for column j",
                forward=columns_of(lambda f, x, e, eps: all_at_once(f, x, eps)),
            ),
            Mistake(
                "flattened",
                "f is called with the entries of x in one row, but it must get a tensor with the shape of x",
                forward=columns_of(
                    lambda f, x, e, eps: (f(np.ravel(x + eps * e)) - f(np.ravel(x - eps * e))) / (2 * eps)
                ),
            ),
            Mistake(
                "one_copy",
                "the slopes are 0 where f gives a view of its argument: both results then change with the one tensor that is moved",
                forward=columns_of(with_one_copy),
            ),
            *family(
                "column",
                "the slopes with respect to the {which} entry of x are {how}",
                lambda which, how: {"forward": how(which)},
                which={"first": 0, "last": -1},
                how={"missing: there is a column too few": without_column, "0: this entry is never moved": zero_column},
            ),
            *family(
                "summed",
                "the slopes of all results are added up{shape}: each result has a row of its own",
                lambda shape: {"forward": lambda f, x, eps: shape(central(f, x, eps).sum(axis=0), x)},
                shape={
                    "": lambda summed, x: summed,
                    ", in the shape of x": lambda summed, x: summed.reshape(x.shape),
                    ", in one row": lambda summed, x: summed.reshape(1, -1),
                },
            ),
            Mistake(
                "first_row",
                "these are the slopes of the first result alone: each result has a row of its own",
                forward=lambda f, x, eps: central(f, x, eps)[0],
            ),
            Mistake(
                "first_row",
                "these are the slopes of the first result alone: each result has a row of its own",
                forward=lambda f, x, eps: central(f, x, eps)[:1],
            ),
            Mistake(
                "signs_lost",
                "slopes that fall are told as if they rose: their minus sign is lost",
                forward=lambda f, x, eps: np.abs(central(f, x, eps)),
            ),
            *family(
                "shapes_kept",
                "the result keeps the shape of {what}, but it must be a matrix: the entries of each are counted in a row",
                lambda what: {"forward": lambda f, x, eps: central(f, x, eps).reshape((*np.shape(f(x)), *what(x)))},
                what={"f(x)": lambda x: (x.size,), "f(x) and of x": lambda x: x.shape},
            ),
            Mistake(
                "diagonal",
                "all entries of x are moved at the same time, and the results are put on the diagonal",
                forward=lambda f, x, eps: np.diag(np.ravel(all_at_once(f, x, eps))),
            ),
            Mistake(
                "other_eps",
                "these slopes are exact or come from a very small step, but the step asked for is eps",
                forward=lambda f, x, eps: central(f, x, 1e-6),
            ),
            Mistake(
                "all_at_once",
                "all entries of x are moved at the same time: this measures the sum of all slopes, not each slope",
                forward=all_at_once,
            ),
        ),
        holds={
            "Write a function `numerical_jacobian(f, x, eps)`": "value, forward_difference, other_eps",
            "Here $\\varepsilon$ is `eps`, and $e_j$ is 1": "step, all_at_once, never_put_back",
            "The result is a `float64` tensor": "type, dtype, transposed, summed",
            "Both `x` and `f(x)` can have any shape.": "value, shapes_kept, flattened",
            "Count their entries row by row": "value, shapes_kept",
            "A tensor without dimensions has one entry.": "value",
            "For example, with a large step, so that": "explains",
            "The checks try several functions": "explains",
            "They compare the matrix with the formula": "value, unchanged",
        },
    ),
    "find_kinks": CallSpec(
        kinks,
        curve_inputs,
        mistakes=(
            *(Mistake("bends", BENDS, forward=found(differ_by(jump), eps)) for eps, jump in TOO_SENSITIVE),
            *(
                Mistake("bends", BENDS, forward=found(lambda left, right: not np.isclose(left, right), eps))
                for eps in (1e-3, 1e-4, 1e-5, 1e-6, 1e-7)
            ),
            *family(
                "one_kink",
                "only the {which} kink is in the result: f can have several",
                lambda which: {"forward": lambda f, candidates: kinks(f, candidates)[which]},
                which={"first": slice(1), "last": slice(-1, None)},
            ),
            *family(
                "some_candidates",
                "{which}",
                lambda which: {"forward": lambda f, candidates: kinks(f, candidates[which])},
                which={
                    "the first candidate is never looked at": slice(1, None),
                    "the last candidate is never looked at": slice(-1),
                    "the first candidate and the last one are never looked at": slice(1, -1),
                    "no candidate but the first is looked at": slice(1),
                },
            ),
            Mistake(
                "smooth",
                "the result holds the points where there is no kink, but it must hold those where there is one",
                forward=found(lambda left, right: abs(right - left) <= JUMP),
            ),
            Mistake(
                "sizes",
                "slopes of -1 and 1 have the same size but are different slopes: such kinks are missed",
                forward=found(lambda left, right: abs(abs(right) - abs(left)) > JUMP),
            ),
            *family(
                "one_direction",
                "only kinks at which the slope gets {direction} are found: a slope can jump up or down",
                lambda direction: {"forward": found(lambda left, right: direction * (right - left) > JUMP)},
                direction={"larger": 1, "smaller": -1},
            ),
            *family(
                "large_jumps",
                "kinks are missed where the slopes differ by {least} or less: the number that you compare is too small there, or the "
                "difference that you ask for too large",
                lambda least: {"forward": found(differ_by(least))},
                least=dict(zip(("0.11", "0.4", "1", "2"), LARGE_JUMPS, strict=True)),
            ),
            *family(
                "share",
                "the difference of the slopes is compared with their size, so that kinks of steep functions are missed",
                lambda share: {
                    "forward": found(lambda left, right: abs(right - left) > share * max(abs(left), abs(right)))
                },
                share={"half": 0.5, "tenth": 0.1, "twentieth": 0.05},
            ),
            *family(
                "signs",
                "only the signs of the two slopes are compared: two slopes of one sign can differ too",
                lambda rule: {"forward": found(rule)},
                rule={
                    "product": lambda left, right: left * right < 0,
                    "signs": lambda left, right: np.sign(left) != np.sign(right),
                },
            ),
            *family(
                "rounding",
                "the step is so small that x + eps and f(x + eps) keep hardly any digit of it: rounding makes the slopes",
                lambda eps, jump: {"forward": found(differ_by(jump), eps)},
                eps={f"{eps}": eps for eps in (1e-13, 1e-14, 1e-15, 1e-16)},
                jump={f"{jump}": jump for jump in (0.1, 0.09, 0.05, 0.01)},
            ),
            *family(
                "float32",
                "the numbers go through float32, which keeps 7 digits: divided by a small step, rounding makes the slopes",
                lambda eps, jump: {"forward": found(differ_by(jump), eps, np.float32)},
                eps={f"{eps}": eps for eps in (1e-4, 1e-5, 1e-6)},
                jump={f"{jump}": jump for jump in (0.1, 0.09, 0.06, 0.05, 0.01)},
            ),
            Mistake(
                "mean_of_slopes",
                "kinks like that of |x| are missed: a central difference there gives the mean of the two slopes, and so does backward",
                forward=found(lambda left, right: left == 0 and right > JUMP),
            ),
            Mistake(
                "nothing_found",
                "nothing is found where there is a kink: do the numbers that you compare differ by as much as you ask for, and "
                "are they slopes?",
                forward=lambda f, candidates: [],
            ),
            Mistake(
                "rounding",
                "the step is so small that x + eps is x, for every x but 0: then no slope is measured",
                forward=found(differ_by(JUMP), 1e-20),
            ),
            Mistake(
                "all_found",
                "every candidate is in the result, kink or not",
                forward=lambda f, candidates: candidates.tolist(),
            ),
            Mistake(
                "order",
                "the kinks are right, but their order must be that of the candidates",
                forward=lambda f, candidates: kinks(f, candidates)[::-1],
            ),
            Mistake(
                "order",
                "the kinks are sorted by their size, but their order must be that of the candidates",
                forward=lambda f, candidates: sorted(kinks(f, candidates)),
            ),
            Mistake(
                "values",
                "these are the values of f at the kinks, but the result must be the kinks themselves",
                forward=lambda f, candidates: [float(f(np.array(at))) for at in kinks(f, candidates)],
            ),
            Mistake(
                "neighbours",
                "the slope at a candidate is compared with the slope at the candidate before it; "
                "a smooth function has other slopes at other points too",
                forward=unlike_the_one_before,
            ),
            Mistake(
                "mask",
                "this says True or False for each candidate, but the result must be the kinks themselves",
                forward=lambda f, candidates: [is_kink(f, at) for at in candidates.tolist()],
            ),
            Mistake(
                "numbers",
                (
                    "these are the positions of the kinks in the list of candidates, but the result "
                    "must be the kinks themselves"
                ),
                forward=lambda f, candidates: [n for n, at in enumerate(candidates.tolist()) if is_kink(f, at)],
            ),
        ),
        holds={
            "Write a function `find_kinks(f, candidates)`": "value, order, all_found",
            "`f` takes one number and returns one number": "runs",
            "`candidates` is a `float64` vector.": "explains",
            "At a kink, the slope to the left differs": "value, signs, sizes",
            "You choose the step $\\varepsilon$, and how": "explains",
            "These facts help:": "explains",
            "At every kink, the two slopes differ by 0.1": "large_jumps",
            "The slope can jump up or down.": "one_direction",
            "Everywhere else, `f` can be steep and can bend.": "bends",
            "The slope then changes by at most": "bends",
            "All candidates lie between −10 and 10": "rounding",
            "For example:": "explains",
            "The result can be a list of numbers": "value, mask, numbers, values",
            "If no candidate is a kink, it is empty.": "value",
            "The checks try smooth functions that are steep": "explains",
            "`candidates` must stay unchanged.": "unchanged",
        },
    ),
    "RepairReciprocal": FunctionSpec(
        lambda x: 1 / x,
        entrywise_inputs,
        mistakes=(
            Mistake(
                "one_division",
                "the slope used is -1/x: it is positive for negative x, but 1/x falls there too",
                vjp=lambda g, x: -g / x,
            ),
            Mistake(
                "times_square",
                "the slope used is minus the square of x: far from 0 it is steep, but 1/x gets flatter there",
                vjp=lambda g, x: -g * x**2,
            ),
            Mistake(
                "logarithm",
                (
                    "the slope used is the logarithm of x: this is the wrong direction, because the "
                    "slope of the logarithm is 1/x"
                ),
                vjp=lambda g, x: g * np.log(np.abs(x)),
            ),
            *other_slopes(
                "1/x",
                {
                    "-1": lambda x: -1 + 0 * x,
                    "-x": lambda x: -x,
                    "1/x": lambda x: 1 / x,
                    "x squared": np.square,
                    "-1 divided by the cube of x": lambda x: -1 / x**3,
                    "-2 divided by the cube of x": lambda x: -2 / x**3,
                    "-1 / (x * |x|)": lambda x: -1 / (x * np.abs(x)),
                    "-1 / (1 + x * x)": lambda x: -1 / (1 + x**2),
                    "minus the square root of 1 / |x|": lambda x: -1 / np.sqrt(np.abs(x)),
                },
            ),
            *not_multiplied(lambda x: -1 / x**2),
            Mistake(
                "all_squared",
                "grad_output is squared along with 1/x, but only 1/x belongs into the square",
                vjp=lambda g, x: -((g / x) ** 2),
            ),
        ),
        holds={
            "Repair the `backward` of this Function:": "forward, returns, gradient",
        },
    ),
    "RepairSquare": FunctionSpec(
        np.square,
        entrywise_inputs,
        mistakes=(
            Mistake(
                "slope_two",
                "the slope used is 2 everywhere, but a parabola gets steeper",
                vjp=lambda g, x: 2 * g,
            ),
            Mistake(
                "square_left",
                "the slope used contains the square of x, like the slope of the cube",
                vjp=lambda g, x: 2 * g * x**2,
            ),
            Mistake(
                "always_up",
                "the gradient has lost the sign of x: left of 0 the parabola falls",
                vjp=lambda g, x: 2 * g * np.abs(x),
            ),
            *other_slopes(
                "the square",
                {
                    "1": lambda x: 1 + 0 * x,
                    "the square of x": np.square,
                    "3 times the square of x": lambda x: 3 * x**2,
                    "2 + x": lambda x: 2 + x,
                    "2 / x": lambda x: 2 / x,
                    "|x|": np.abs,
                    "1 / (2 * x)": lambda x: 0.5 / x,
                },
            ),
            *not_multiplied(lambda x: 2 * x),
            Mistake(
                "all_squared",
                "the product of grad_output and x is squared: neither belongs into a square",
                vjp=lambda g, x: (g * x) ** 2,
            ),
        ),
        holds={
            "Repair the `backward` of this Function:": "forward, returns, gradient",
        },
    ),
    "RepairTanh": FunctionSpec(
        np.tanh,
        entrywise_inputs,
        mistakes=(
            Mistake(
                "argument_for_result",
                "the slope used is 1 minus the square of x itself, but it needs the square of the result",
                vjp=lambda g, x: g * (1 - x**2),
            ),
            Mistake(
                "twice",
                "tanh is taken twice before the slope is computed",
                vjp=lambda g, x: g * (1 - np.tanh(np.tanh(x)) ** 2),
            ),
            Mistake(
                "squared_inside",
                "grad_output is squared along with the result, but it must multiply the whole slope",
                vjp=lambda g, x: 1 - (g * np.tanh(x)) ** 2,
            ),
            Mistake(
                "not_squared",
                "the slope used is 1 minus the result: for negative x it is above 1, but tanh is never that steep",
                vjp=lambda g, x: g * (1 - np.tanh(x)),
            ),
            Mistake(
                "slope_one",
                "the gradient is grad_output itself: the slope of tanh is forgotten",
                vjp=lambda g, x: g,
            ),
            Mistake(
                "product_first",
                "only the 1 is multiplied by grad_output: parentheses are missing around the slope",
                vjp=lambda g, x: g - np.tanh(x) ** 2,
            ),
            Mistake(
                "product_first",
                "only the square is multiplied by grad_output: parentheses are missing around the slope",
                vjp=lambda g, x: 1 - g * np.tanh(x) ** 2,
            ),
            Mistake(
                "slope_of_grad_output",
                "this is the slope of tanh at grad_output instead of at x",
                vjp=lambda g, x: 1 - np.tanh(g) ** 2,
            ),
            *other_slopes(
                "tanh",
                {
                    "the result": np.tanh,
                    "the square of the result": lambda x: np.tanh(x) ** 2,
                    "1 plus the square of the result": lambda x: 1 + np.tanh(x) ** 2,
                    "the square of (1 - result)": lambda x: (1 - np.tanh(x)) ** 2,
                    "1 minus the cube of the result": lambda x: 1 - np.tanh(x) ** 3,
                    "-2 times the result": lambda x: -2 * np.tanh(x),
                    "result * (1 - result), as for the sigmoid": lambda x: np.tanh(x) * (1 - np.tanh(x)),
                    "1 / (1 + result squared)": lambda x: 1 / (1 + np.tanh(x) ** 2),
                    "1 / (1 + x * x)": lambda x: 1 / (1 + x**2),
                    "1 / cosh x without the square": lambda x: 1 / np.cosh(x),
                    "the square of cosh x": lambda x: np.cosh(x) ** 2,
                    "1 / (cos x) squared, as for the tangent": lambda x: 1 / np.cos(x) ** 2,
                    "1 minus x": lambda x: 1 - x,
                },
            ),
            *not_multiplied(lambda x: 1 - np.tanh(x) ** 2),
        ),
        holds={
            "Repair the `backward` of this Function:": "forward, returns, gradient",
            "The checks use entries between -2 and 2.": "explains",
        },
    ),
    "RepairMatVec": FunctionSpec(
        lambda matrix, x: matrix @ x,
        matrix_inputs,
        mistakes=(
            *for_matrix(
                "the gradient for matrix {wrong}",
                {
                    "is one number repeated in each row: x does not appear in it": lambda g, matrix, x: np.broadcast_to(
                        g[:, None], matrix.shape
                    ),
                    "contains the matrix itself in the place of x": lambda g, matrix, x: g[:, None] * matrix,
                    "contains the sum of x, but each column belongs to one entry of x": lambda g, matrix, x: np.outer(
                        g, np.full_like(x, x.sum())
                    ),
                    "contains the sum of grad_output, but each row belongs to one entry of it": (
                        lambda g, matrix, x: np.outer(np.full_like(g, g.sum()), x)
                    ),
                    "contains the square of x": lambda g, matrix, x: np.outer(g, x**2),
                    "contains the square of grad_output": lambda g, matrix, x: np.outer(g**2, x),
                    "is a sum of grad_output and x, but it must be their products": lambda g, matrix, x: np.add.outer(
                        g, x
                    ),
                    "is the table of products with rows and columns exchanged: `reshape` gives it the right shape, but leaves "
                    "the numbers in their order": lambda g, matrix, x: np.outer(x, g).reshape(matrix.shape),
                    "contains the result, which is not a factor of any slope here": lambda g, matrix, x: np.outer(
                        g * (matrix @ x), x
                    ),
                },
            ),
            *for_vector(
                "the gradient for x {wrong}",
                {
                    "depends only on the sum of grad_output, but each row of the matrix belongs to one entry of grad_output": (
                        lambda g, matrix, x: g.sum() * matrix.sum(axis=0)
                    ),
                    "contains x, but the result is linear in x": lambda g, matrix, x: x * (g @ matrix),
                    "is made with a reshaped matrix: `reshape` keeps the order of the numbers, and does not transpose": (
                        lambda g, matrix, x: matrix.reshape(matrix.shape[::-1]) @ g
                    ),
                    "is a mean over the rows, but gradients from several places are added up": (
                        lambda g, matrix, x: g @ matrix / len(g)
                    ),
                    "contains the square of grad_output": lambda g, matrix, x: g**2 @ matrix,
                    "contains the squares of the matrix": lambda g, matrix, x: g @ matrix**2,
                    "is the sum of grad_output, repeated: the matrix does not appear in it": (
                        lambda g, matrix, x: np.full_like(x, g.sum())
                    ),
                    "contains the result, which is not a factor of any slope here": lambda g, matrix, x: (
                        (g * (matrix @ x)) @ matrix
                    ),
                },
            ),
        ),
        holds={
            "Repair the `backward` of this Function:": "forward, returns, gradient, asked_not_given",
            "The matrix does not have to be square.": "returns, gradient",
            "`a.unsqueeze(1) * b` is the table of all": "explains",
        },
    ),
    "RepairScaleColumns": FunctionSpec(
        lambda x, scale: x * scale,
        table_inputs,
        mistakes=(
            *for_vector(
                "the gradient for scale {wrong}",
                {
                    "is the mean over the rows, but gradients from several places are added up": (
                        lambda g, x, scale: (g * x).mean(axis=0)
                    ),
                    "is divided by the number of columns, but gradients from several places are added up": (
                        lambda g, x, scale: (g * x).sum(axis=0) / len(scale)
                    ),
                    "comes from the first row alone, but every row uses scale": lambda g, x, scale: (g * x)[0],
                    "comes from the last row alone, but every row uses scale": lambda g, x, scale: (g * x)[-1],
                    "leaves out the first row, but every row uses scale": lambda g, x, scale: (g * x)[1:].sum(axis=0),
                    "leaves out the last row, but every row uses scale": lambda g, x, scale: (g * x)[:-1].sum(axis=0),
                    "is the largest of the rows, but gradients from several places are added up": (
                        lambda g, x, scale: (g * x).max(axis=0)
                    ),
                    "is the sum over the whole matrix, but each entry of scale is used in one column only": (
                        lambda g, x, scale: np.full_like(scale, (g * x).sum())
                    ),
                    "is the sum of grad_output, as if scale were added to x instead of multiplying it": (
                        lambda g, x, scale: g.sum(axis=0)
                    ),
                    "contains scale, but the result is linear in scale": lambda g, x, scale: (g * x * scale).sum(
                        axis=0
                    ),
                    "contains the square of x": lambda g, x, scale: (g * x**2).sum(axis=0),
                    "contains the square of grad_output": lambda g, x, scale: (g**2 * x).sum(axis=0),
                },
            ),
            *family(
                "summed_apart",
                "grad_output and x are each added up or averaged over the rows and then multiplied, but the sum of products is "
                "another number",
                lambda over: {"vjp": lambda g, x, scale: (None, g.sum(axis=0) * x.sum(axis=0) / len(x) ** over)},
                over={"two sums": 0, "a sum and a mean": 1, "two means": 2},
            ),
            *for_vector(
                "the gradient for scale {wrong}, but each row has products of its own",
                {
                    "contains the sum of grad_output over the rows and the first row of x": lambda g, x, scale: (
                        g.sum(axis=0) * x[0]
                    ),
                    "contains the first row of grad_output and the sum of x over the rows": lambda g, x, scale: (
                        g[0] * x.sum(axis=0)
                    ),
                    "contains the sum over all of grad_output": lambda g, x, scale: g.sum() * x.sum(axis=0),
                },
            ),
            Mistake(
                "divided_by_scale",
                "the gradient for scale is NaN where scale is 0: result / scale is x only where scale is not 0",
                vjp=lambda g, x, scale: (None, (g * divided(x * scale, scale)).sum(axis=0)),
            ),
            *for_matrix(
                "the gradient for x {wrong}",
                {
                    "is grad_output itself, whatever `scale` is": lambda g, x, scale: g,
                    "contains x, but the result is linear in x": lambda g, x, scale: g * x,
                    "contains x, as well as scale, but the result is linear in x": lambda g, x, scale: g * x * scale,
                    "is divided by scale, but the result moves by scale if x moves by 1": (
                        lambda g, x, scale: divided(g, scale)
                    ),
                    "contains the square of scale": lambda g, x, scale: g * scale**2,
                    "contains the sum of scale, but each column has its own factor": lambda g, x, scale: (
                        g * scale.sum()
                    ),
                    "contains the mean of scale, but each column has its own factor": lambda g, x, scale: (
                        g * scale.mean()
                    ),
                },
            ),
        ),
        holds={
            "Repair the `backward` of this Function.": "forward, returns, gradient",
            "`x` is a matrix, and `scale` is a vector": "explains",
            "`gradcheck` says `True` to this one": "explains",
            "The reason:": "explains",
            "If a gradient comes back in that larger shape": "explains",
            "But `backward` itself must return a gradient": "returns",
            "The check below looks at what `backward` returns.": "explains",
        },
    ),
}
