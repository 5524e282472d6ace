"""The specification of notebook 00, slopes by hand: local_slopes, chain_by_hand, count_passes."""

import itertools
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from ..checks.spec import Arguments, CallSpec, Mistake, family

Slopes = tuple[float, ...]


Rule = Callable[[float, float], Slopes]


SLOPES: dict[str, Rule] = {
    "add": lambda u, v: (1.0, 1.0),
    "sub": lambda u, v: (1.0, -1.0),
    "mul": lambda u, v: (v, u),
    "square": lambda u, v: (2 * u, 0.0),
    "max": lambda u, v: (1.0, 0.0) if u > v else (0.0, 1.0),
    "div": lambda u, v: (1 / v, -u / v**2),
}
"""The local slopes of each step of `local_slopes`, the simplest step first."""


def slopes_of(name: str, u: float, v: float) -> Slopes:
    return SLOPES[name](u, v)


def slip(step: str, wrong: Rule) -> Callable[[str, float, float], Slopes]:
    """All local slopes, with wrong ones for one step."""
    return lambda name, u, v: wrong(u, v) if name == step else slopes_of(name, u, v)


def step_inputs(rng: np.random.Generator) -> Sequence[Arguments]:
    """Each step with u < v and u > v, with negative numbers, and with u = 0.

    u and v are never equal, and no other number is its own inverse or square.
    """
    calls: list[Arguments] = []
    for name in SLOPES:
        p, q = rng.choice([0.75, 1.5, 2.5, 3.0, 3.5, 4.0, 4.5], size=2, replace=False)
        pairs = [(p, q), (q, p), (-p, q), (p, -q), (0.0, q)]
        calls += [(name, float(u), float(v)) for u, v in pairs]
    return calls


def chain_inputs(rng: np.random.Generator) -> Sequence[Arguments]:
    """Numbers with few digits, so that a reader can follow a report.

    a*b + c is not close to 0, except in the last triple, in which it is 0. In the triple before, a is 0.
    """
    triples = [rng.choice([-1, 1], size=3) * rng.integers([3, 3, 2], [9, 9, 10]) / 2 for _ in range(8)]
    triples[-2][0] = triples[-1][2] = 0.0
    return [(float(a), float(b), float(v - a * b)) for a, b, v in triples]


def chain(a: float, b: float, c: float) -> Slopes:
    """The slopes of (a*b + c)**2 * a, backward through its steps."""
    return chained()(a, b, c)


Factor = Callable[[Mapping[str, float]], float]
"""A number of the backward pass, from the values of the steps: those of a, b, c, u, v, s and y."""


WAY_BACK: dict[str, Factor] = {
    "ds": lambda at: at["a"],
    "last": lambda at: at["s"],
    "slope": lambda at: 2 * at["v"],
    "to_a": lambda at: at["b"],
    "to_b": lambda at: at["a"],
    "to_c": lambda at: 1.0,
}
"""What the way back through (a*b + c)**2 * a multiplies: y sends ds to s and `last` to a, the square multiplies by `slope`,
and what comes to v goes on to a, b and c, times these factors."""


def chained(
    add: Callable[[float, float], float] = lambda one, other: one + other,
    replaced: Factor | None = None,
    **other: Factor,
) -> Callable[..., Slopes]:
    """The three slopes, with other factors in some places, with the two paths of a put together by `add`, or with `replaced` as the slope of c."""
    factors = WAY_BACK | other

    def slopes(a: float, b: float, c: float) -> Slopes:
        at = {"a": a, "b": b, "c": c, "u": a * b, "v": a * b + c}
        at["s"] = at["v"] ** 2
        at["y"] = at["s"] * a
        factor = {place: each(at) for place, each in factors.items()}
        dv = factor["ds"] * factor["slope"]
        of_c = replaced(at | {"ds": factor["ds"], "slope": factor["slope"]}) if replaced else dv * factor["to_c"]
        return add(factor["last"], dv * factor["to_a"]), dv * factor["to_b"], of_c

    return slopes


def count_inputs(rng: np.random.Generator) -> Sequence[Arguments]:
    """One result, one input and several of both; in one pair the two counts are equal."""
    few, many = sorted(int(n) for n in rng.choice(np.arange(3, 20), size=2, replace=False))
    loss = int(rng.integers(1_000, 10_000))
    return [(many, few), (few, many), (loss, 1), (1, few), (many, many), (loss, few)]


def passes(inputs: int, results: int) -> dict[str, int]:
    return {"forward": inputs, "backward": results, "moving": inputs + 1}


def scaled(factor: float, slopes: Slopes) -> Slopes:
    return tuple(factor * slope for slope in slopes)


def every_pair(inputs: int, results: int) -> dict[str, int]:
    """One pass for each pair of an input and a result: the entries that this makes wrong."""
    right = passes(inputs, results)
    pairs = inputs * results
    return {way: pairs for way in ("forward", "backward") if right[way] != pairs}


def told_apart(
    mistakes: Iterable[Mistake], right: Callable[..., Any], inputs: Callable[[np.random.Generator], Sequence[Arguments]]
) -> tuple[Mistake, ...]:
    """`mistakes` without those that compute what is right, or where they are wrong what one before them computes."""
    calls = inputs(np.random.default_rng(0))
    specified = np.array([_numbers(right(*arguments)) for arguments in calls])
    kept: list[Mistake] = []
    known = np.zeros((0, *specified.shape))
    for each in mistakes:
        assert each.forward is not None
        results = np.array([_numbers(each.forward(*arguments)) for arguments in calls])
        if len(results[0]) != specified.shape[1]:  # another kind of result, which nothing can be confused with
            kept.append(each)
            continue
        answered = np.where(np.isnan(results), specified, results)
        wrong = ~_alike(answered, specified).all(axis=-1)
        same = np.asarray((_alike(known, answered) | np.isnan(known)).all(axis=-1))
        same &= (~_alike(known, specified) & ~np.isnan(known)).any(axis=-1)
        if wrong.any() and not same[:, wrong].all(axis=-1).any():
            kept.append(each)
            known = np.append(known, results[None], axis=0)
    return tuple(kept)


def _numbers(result: Any) -> list[float]:
    """A tuple or number as a list; of a dict of passes the three numbers, NaN for one that it does not have."""
    if isinstance(result, dict):
        return [result.get(way, np.nan) for way in passes(1, 1)]
    return list(result) if isinstance(result, tuple) else [result]


def _alike(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    return np.asarray(np.abs(one - other) <= 1e-6 + 1e-5 * np.abs(other))


# local_slopes

STEPS: dict[str, Callable[[float, float], float]] = {
    "add": lambda u, v: u + v,
    "sub": lambda u, v: u - v,
    "mul": lambda u, v: u * v,
    "square": lambda u, v: u * u,
    "max": max,
    "div": lambda u, v: u / v,
}


WHY = {
    "add": "compare how much y grows with how much that input grew",
    "sub": "compare how y changes with how that input changed, and mind the sign",
    "mul": "in a product, a change of one factor counts as many times as the other factor says",
    "square": "u * u uses u twice, and v not at all",
    "max": "y follows the larger number, and does not notice a small change of the other",
    "div": "think of y as the product of u and 1/v",
}


def over(number: float, divisor: float) -> float:
    """The quotient, NaN where the answer itself divides by 0 and raises."""
    return number / divisor if divisor else np.nan


Taken = Callable[[float, float, float, float], float]
"""What a slope is confused with: a function of u, v, y and the right slope."""


TAKEN: dict[str, Taken] = {
    "0": lambda u, v, y, right: 0.0,
    "1": lambda u, v, y, right: 1.0,
    "-1": lambda u, v, y, right: -1.0,
    "2": lambda u, v, y, right: 2.0,
    "u": lambda u, v, y, right: u,
    "v": lambda u, v, y, right: v,
    "2 * u": lambda u, v, y, right: 2 * u,
    "2 * v": lambda u, v, y, right: 2 * v,
    "u + v": lambda u, v, y, right: u + v,
    "y, the value of the step": lambda u, v, y, right: y,
    "minus what it must be": lambda u, v, y, right: -right,
    "half of what it must be": lambda u, v, y, right: right / 2,
    "twice what it must be": lambda u, v, y, right: 2 * right,
    "u times what it must be": lambda u, v, y, right: u * right,
    "v times what it must be": lambda u, v, y, right: v * right,
}


OF_A_QUOTIENT: dict[str, Taken] = {
    "1/u": lambda u, v, y, right: over(1, u),
    "1/v": lambda u, v, y, right: 1 / v,
    "1/v**2": lambda u, v, y, right: 1 / v**2,
    "-u": lambda u, v, y, right: -u,
    "-v": lambda u, v, y, right: -v,
    "-u * v**2": lambda u, v, y, right: -u * v**2,
    "-v / u**2": lambda u, v, y, right: over(-v, u**2),
    "v / u**2": lambda u, v, y, right: over(v, u**2),
    "-1 / u**2": lambda u, v, y, right: over(-1, u**2),
    "-1/u": lambda u, v, y, right: over(-1, u),
    "-1/v": lambda u, v, y, right: -1 / v,
    "-2 * u / v": lambda u, v, y, right: -2 * u / v,
    "-u / v / 2": lambda u, v, y, right: -u / v / 2,
    "-u / 2 * v": lambda u, v, y, right: -u / 2 * v,
    "-2 * u / v**3": lambda u, v, y, right: -2 * u / v**3,
    "-u / v**3": lambda u, v, y, right: -u / v**3,
    "-u**2 / v**2": lambda u, v, y, right: -(u**2) / v**2,
    "u * v": lambda u, v, y, right: u * v,
}
"""More of what a slope of "div" is taken for."""


BOTH: dict[str, tuple[Taken, Taken]] = {
    **{f"both slopes are {words}": (taken, taken) for words, taken in TAKEN.items()},
    "both slopes are 0.5": (lambda u, v, y, right: 0.5, lambda u, v, y, right: 0.5),
    "the slopes are u and v": (TAKEN["u"], TAKEN["v"]),
    "the slopes are v and u": (TAKEN["v"], TAKEN["u"]),
    "the slopes are 1/u and 1/v": (OF_A_QUOTIENT["1/u"], OF_A_QUOTIENT["1/v"]),
    "the slopes are 1 and -1": (TAKEN["1"], TAKEN["-1"]),
    "the slopes are y and 0": (TAKEN["y, the value of the step"], TAKEN["0"]),
    "the slopes are 1 and 0, always": (TAKEN["1"], TAKEN["0"]),
    "the slopes are 0 and 1, always": (TAKEN["0"], TAKEN["1"]),
}


def taken_for(step: str, which: str, taken: Taken) -> dict[str, Any]:
    """One slope of one step taken for something else."""
    number = "uv".index(which)

    def wrong(u: float, v: float) -> Slopes:
        slopes = list(SLOPES[step](u, v))
        slopes[number] = taken(u, v, STEPS[step](u, v), slopes[number])
        return tuple(slopes)

    return {"forward": slip(step, wrong)}


def both_taken_for(step: str, both: tuple[Taken, Taken]) -> dict[str, Any]:
    """Both slopes of one step taken for something else."""

    def wrong(u: float, v: float) -> Slopes:
        y = STEPS[step](u, v)
        return tuple(taken(u, v, y, right) for taken, right in zip(both, SLOPES[step](u, v), strict=True))

    return {"forward": slip(step, wrong)}


def in_two_steps(slips: Sequence[tuple[str, str, str, Rule]]) -> Iterable[Mistake]:
    """Two of the slips at once, in two steps."""
    for one, other in itertools.combinations(slips, 2):
        if one[1] != other[1]:
            rules = {one[1]: one[3], other[1]: other[3]}
            yield Mistake(
                "two_slips",
                f"{one[2]}; {other[2]}",
                forward=lambda name, u, v, rules=rules: rules.get(name, SLOPES[name])(u, v),
            )


def moved(steps: Callable[..., float], *at: float, by: float) -> Slopes:
    """Difference quotients: each input in turn is moved by a fixed step."""
    return tuple(
        (steps(*(x + by * (n == number) for n, x in enumerate(at))) - steps(*at)) / by for number in range(len(at))
    )


TOO_SMALL = {f"1e-{digits}": 10.0**-digits for digits in range(12, 21)}


MOVES = {"1": 1.0, "0.5": 0.5, "0.1": 0.1, "0.01": 1e-2, "0.001": 1e-3, "0.0001": 1e-4}


SLIPS: tuple[tuple[str, str, str, Rule], ...] = (
    (
        "sub_sign",
        "sub",
        '"sub": y does not grow when v grows, so a sign is wrong',
        lambda u, v: (1.0, 1.0),
    ),
    (
        "mul_own",
        "mul",
        '"mul": each slope is the number that moves, but it is the other factor that counts',
        lambda u, v: (u, v),
    ),
    (
        "mul_as_add",
        "mul",
        '"mul": slopes of 1 belong to a sum; in a product, the other factor counts',
        lambda u, v: (1.0, 1.0),
    ),
    (
        "square_two",
        "square",
        '"square": the factor 2 is missing in the slope of u; u * u uses u twice',
        lambda u, v: (u, 0.0),
    ),
    (
        "square_value",
        "square",
        '"square": u**2 is the value of the step, not its slope',
        lambda u, v: (u**2, 0.0),
    ),
    (
        "square_of_v",
        "square",
        '"square": y does not change when v moves, so v has another slope',
        lambda u, v: (2 * u, 2 * v),
    ),
    (
        "square_one",
        "square",
        '"square": y does not change when v moves, so v has another slope than 1',
        lambda u, v: (2 * u, 1.0),
    ),
    (
        "max_value",
        "max",
        '"max": these are numbers that were compared, but a slope says how fast y follows them',
        lambda u, v: (u, 0.0) if u > v else (0.0, v),
    ),
    (
        "max_both",
        "max",
        '"max": y follows only one of its inputs; a small change of the other changes nothing',
        lambda u, v: (1.0, 1.0),
    ),
    (
        "max_size",
        "max",
        '"max": compare the numbers with their signs: -4 is smaller than 1',
        lambda u, v: SLOPES["max"](abs(u), abs(v)),
    ),
    (
        "max_always_u",
        "max",
        '"max": y follows the larger number, which is not always u',
        lambda u, v: (1.0, 0.0),
    ),
    (
        "max_always_v",
        "max",
        '"max": y follows the larger number, which is not always v',
        lambda u, v: (0.0, 1.0),
    ),
    (
        "max_as_min",
        "max",
        '"max": these are the slopes of the smaller number; y follows the larger one',
        lambda u, v: (0.0, 1.0) if u > v else (1.0, 0.0),
    ),
    (
        "max_minus",
        "max",
        '"max": y does not shrink when the smaller number grows: a small change of it changes nothing',
        lambda u, v: (1.0, -1.0) if u > v else (-1.0, 1.0),
    ),
    (
        "div_sign",
        "div",
        '"div": the slope of v has the wrong sign; with positive numbers, what happens to y when v grows?',
        lambda u, v: (1 / v, u / v**2),
    ),
    (
        "div_power",
        "div",
        '"div": the slope of v has the wrong power of v',
        lambda u, v: (1 / v, -u / v),
    ),
    (
        "div_without_u",
        "div",
        '"div": the slope of v leaves out u, which multiplies 1/v',
        lambda u, v: (1 / v, -1 / v**2),
    ),
)
"""The common slips: name, step, message and the slopes that they give."""


OFTEN = (
    "sub_sign",
    "mul_own",
    "mul_as_add",
    "square_two",
    "max_both",
    "max_as_min",
    "div_sign",
    "div_power",
    "div_without_u",
)
"""Those of them that come in pairs."""


SLOPE_MISTAKES = told_apart(
    (
        Mistake(
            "value",
            "this is y, the value of the step: what is asked for is how fast y moves when u "
            "moves, and how fast when v moves",
            forward=lambda name, u, v: STEPS[name](u, v),
        ),
        *(Mistake(name, message, forward=slip(step, wrong)) for name, step, message, wrong in SLIPS),
        *family(
            "exchanged",
            '"{step}": the two slopes have changed places: the first belongs to u, the second to v',
            lambda step: {"forward": slip(step, lambda u, v: SLOPES[step](u, v)[::-1])},
            step={name: name for name in SLOPES},
        ),
        Mistake(
            "exchanged",
            "the two slopes have changed places: the first belongs to u, the second to v",
            forward=lambda name, u, v: slopes_of(name, u, v)[::-1],
        ),
        *family(
            "another_step",
            '"{step}": yours are the slopes of "{other}"',
            lambda step, other: {"forward": slip(step, SLOPES[other])},
            step={name: name for name in SLOPES},
            other={name: name for name in SLOPES},
        ),
        *(
            each
            for step, why in WHY.items()
            for each in (
                *family(
                    "taken_for",
                    f'"{step}": your slope of {{which}} is {{taken}}; {why}',
                    lambda which, taken, step=step: taken_for(step, which, taken),
                    which={"u": "u", "v": "v"},
                    taken=TAKEN | OF_A_QUOTIENT if step == "div" else TAKEN,
                ),
                *family(
                    "both_taken_for",
                    f'"{step}": in yours, {{both}}; {why}',
                    lambda both, step=step: both_taken_for(step, both),
                    both=BOTH,
                ),
            )
        ),
        *in_two_steps([each for each in SLIPS if each[0] in OFTEN]),
        Mistake(
            "value_twice",
            "wherever your slopes are wrong, both are y, the value of the step: what is asked for is how fast y moves",
            forward=lambda name, u, v: (STEPS[name](u, v),) * 2,
        ),
        Mistake(
            "ones",
            "wherever your slopes are wrong, both are 1: only a sum passes every change on as it is",
            forward=lambda name, u, v: (1.0, 1.0),
        ),
        Mistake(
            "no_sign",
            "wherever your slopes are wrong, a minus sign is lost: y can shrink while an input grows",
            forward=lambda name, u, v: tuple(abs(slope) for slope in slopes_of(name, u, v)),
        ),
        Mistake(
            "both_moved",
            "wherever your slopes are wrong, both are the sum of the two: move one input and hold the other",
            forward=lambda name, u, v: (sum(slopes_of(name, u, v)),) * 2,
        ),
        Mistake(
            "times_input",
            "wherever your slopes are wrong, they are multiplied by their own input: a slope says how fast y moves, not how much of y comes from it",
            forward=lambda name, u, v: tuple(np.multiply(slopes_of(name, u, v), (u, v)).tolist()),
        ),
        *family(
            "scaled",
            "wherever your slopes are wrong, they are {factor} what they must be",
            lambda factor: {"forward": lambda name, u, v: scaled(factor, slopes_of(name, u, v))},
            factor={"minus": -1.0, "twice": 2.0, "half of": 0.5},
        ),
        *family(
            "far",
            "these are differences over a move of {by}: a slope needs a far smaller move",
            lambda by: {"forward": lambda name, u, v: moved(STEPS[name], u, v, by=by)},
            by=MOVES,
        ),
        *family(
            "lost",
            "these are differences over a move of {by}: a move this small is lost in the last digit of the numbers",
            lambda by: {"forward": lambda name, u, v: moved(STEPS[name], u, v, by=by)},
            by=TOO_SMALL,
        ),
        *family(
            "rounded",
            "these are slopes rounded to {digits}: give every digit that Python computes",
            lambda digits: {"forward": lambda name, u, v: tuple(round(x, digits) for x in slopes_of(name, u, v))},
            digits={"whole numbers": 0, "1 digit": 1, "2 digits": 2, "3 digits": 3, "4 digits": 4},
        ),
        Mistake(
            "whole",
            "these are slopes without what comes after the decimal point",
            forward=lambda name, u, v: tuple(float(int(x)) for x in slopes_of(name, u, v)),
        ),
        *family(
            "not_divided",
            "this is how much y changes when an input moves by {by}, not yet divided by how far it moved",
            lambda by: {"forward": lambda name, u, v: scaled(by, moved(STEPS[name], u, v, by=by))},
            by=MOVES | {"0.00001": 1e-5},
        ),
    ),
    slopes_of,
    step_inputs,
)


# chain_by_hand

CHAIN_PLACES: dict[str, tuple[str, dict[str, Factor]]] = {
    "last": (
        "what a gets by the last step, y = s * a, is {factor} in yours: it must be the other factor",
        {
            "v": lambda at: at["v"],
            "2 * v": lambda at: 2 * at["v"],
            "y": lambda at: at["y"],
            "1": lambda at: 1.0,
            "a": lambda at: at["a"],
            "u": lambda at: at["u"],
            "2 * s": lambda at: 2 * at["s"],
            "-s": lambda at: -at["s"],
        },
    ),
    "ds": (
        "what s gets by the last step, y = s * a, is {factor} in yours: it must be the other factor",
        {
            "s": lambda at: at["s"],
            "y": lambda at: at["y"],
            "2 * a": lambda at: 2 * at["a"],
            "v": lambda at: at["v"],
            "-a": lambda at: -at["a"],
        },
    ),
    "slope": (
        "on the way back through the square, your local slope is {factor}: it must be that of v**2, at v",
        {
            "1": lambda at: 1.0,
            "s": lambda at: at["s"],
            "2 * s": lambda at: 2 * at["s"],
            "2 * u": lambda at: 2 * at["u"],
            "2 * y": lambda at: 2 * at["y"],
            "2 * a": lambda at: 2 * at["a"],
            "2 * c": lambda at: 2 * at["c"],
            "3 * v**2": lambda at: 3 * at["s"],
            "v**2 / 2": lambda at: at["s"] / 2,
        },
    ),
    "to_a": (
        "on the way back through u = a * b, yours multiplies what goes to a by {factor}: it must be the other factor",
        {
            "1": lambda at: 1.0,
            "a": lambda at: at["a"],
            "c": lambda at: at["c"],
            "u": lambda at: at["u"],
            "-b": lambda at: -at["b"],
            "b / 2": lambda at: at["b"] / 2,
            "2 * b": lambda at: 2 * at["b"],
            "b / a": lambda at: over(at["b"], at["a"]),
        },
    ),
    "to_b": (
        "on the way back through u = a * b, yours multiplies what goes to b by {factor}: it must be the other factor",
        {
            "0": lambda at: 0.0,
            "1": lambda at: 1.0,
            "b": lambda at: at["b"],
            "c": lambda at: at["c"],
            "a * b": lambda at: at["u"],
            "a * a": lambda at: at["a"] ** 2,
            "-a": lambda at: -at["a"],
            "a / 2": lambda at: at["a"] / 2,
            "2 * a": lambda at: 2 * at["a"],
        },
    ),
    "to_c": (
        "c gets {factor}: the step v = u + c passes on as it is what comes back to v",
        {
            "0": lambda at: 0.0,
            "what comes back to v, times c": lambda at: at["c"],
            "what comes back to v, times b": lambda at: at["b"],
            "what comes back to v, times a": lambda at: at["a"],
            "minus what comes back to v": lambda at: -1.0,
            "half of what comes back to v": lambda at: 0.5,
            "twice what comes back to v": lambda at: 2.0,
        },
    ),
    "replaced": (
        "c gets {factor}: the step v = u + c passes on as it is what comes back to v",
        {
            "1": lambda at: 1.0,
            "what comes back to v without the last step": lambda at: at["slope"],
            "what comes back to s": lambda at: at["ds"],
            "v": lambda at: at["v"],
        },
    ),
}
"""For each place of the way back: the message, and what is wrong there."""


ONE_PATH = (
    "the slope of a is that of one path alone: a is also used in {where}, and what comes along both paths adds up"
)


COMMON: tuple[tuple[str, str, dict[str, Any]], ...] = (
    ("only_the_product", ONE_PATH.format(where="the last step"), {"last": lambda at: 0.0}),
    ("only_the_last_step", ONE_PATH.format(where="u = a * b"), {"to_a": lambda at: 0.0}),
    (
        "paths_multiplied",
        "the two paths of a are multiplied: slopes along one path multiply, but the paths add up",
        {"add": lambda one, other: one * other},
    ),
    (
        "paths_subtracted",
        "the two paths of a are subtracted, but what comes along both paths adds up",
        {"add": lambda one, other: one - other},
    ),
    (
        "paths_subtracted",
        "the two paths of a are subtracted, but what comes along both paths adds up",
        {"add": lambda one, other: other - one},
    ),
    (
        "paths_averaged",
        "the slope of a is the mean of its two paths, but what comes along both paths adds up",
        {"add": lambda one, other: (one + other) / 2},
    ),
    (
        "last_factor",
        "on the way back through y = s * a, the other factor is forgotten: a change of s counts a times",
        {"ds": lambda at: 1.0},
    ),
    (
        "last_own",
        "on the way back through y = s * a, s and a are exchanged: the other factor counts",
        {"ds": lambda at: at["s"], "last": lambda at: at["a"]},
    ),
    (
        "first_factor",
        "on the way back through u = a * b, the other factor is forgotten: the local slopes of a product are not 1",
        {"to_a": lambda at: 1.0, "to_b": lambda at: 1.0},
    ),
    (
        "own_factor",
        "on the way back through u = a * b, a and b are exchanged: the other factor counts",
        {"to_a": lambda at: at["a"], "to_b": lambda at: at["b"]},
    ),
    (
        "two",
        "on the way back through the square, the factor 2 is missing",
        {"slope": lambda at: at["v"]},
    ),
    (
        "only_two",
        "on the way back through the square, only the 2 is there: the local slope of v**2 depends on v",
        {"slope": lambda at: 2.0},
    ),
)
"""The common slips on the way back: name, message, and the places where they sit."""


def two_on_the_way(slips: Sequence[tuple[str, str, dict[str, Any]]]) -> Iterable[Mistake]:
    """Two of the slips at once, in two places."""
    for (_, one, places), (_, other, more) in itertools.combinations(slips, 2):
        if not set(places) & set(more):
            yield Mistake("two_slips", f"{one}; {other}", forward=chained(**places, **more))


def with_c(change: Callable[[float], float]) -> dict[str, Any]:
    """The slopes of a formula in which c is taken for something else."""
    return {"forward": lambda a, b, c: chain(a, b, change(c))}


CHAIN_MISTAKES = told_apart(
    (
        *(Mistake(name, message, forward=chained(**places)) for name, message, places in COMMON),
        Mistake(
            "without_the_last_step",
            "these are the slopes of (a*b + c)**2: the last step, times a, is missing",
            forward=chained(ds=lambda at: 1.0, last=lambda at: 0.0),
        ),
        Mistake(
            "exchanged",
            "the slopes of a and b have changed places: the order is a, b, c",
            forward=lambda a, b, c: tuple(chain(a, b, c)[n] for n in (1, 0, 2)),
        ),
        *family(
            "order",
            "the three slopes are right, but in another order: the order is a, b, c",
            lambda order: {"forward": lambda a, b, c: tuple(chain(a, b, c)[n] for n in order)},
            order={str(order): order for order in itertools.permutations(range(3))},
        ),
        *family(
            "start",
            "the way back starts with {value}: it must start with how fast y changes as y changes",
            lambda value: {"forward": lambda a, b, c: scaled(value(a, b, c), chain(a, b, c))},
            value={
                "y, the value": lambda a, b, c: (a * b + c) ** 2 * a,
                "a": lambda a, b, c: a,
                "v": lambda a, b, c: a * b + c,
                "s": lambda a, b, c: (a * b + c) ** 2,
                "2": lambda a, b, c: 2.0,
                "0.5": lambda a, b, c: 0.5,
            },
        ),
        Mistake("sign", "every slope has the wrong sign", forward=lambda a, b, c: scaled(-1, chain(a, b, c))),
        *(
            each
            for place, (message, factors) in CHAIN_PLACES.items()
            for each in family(
                place, message, lambda factor, place=place: {"forward": chained(**{place: factor})}, factor=factors
            )
        ),
        *family(
            "formula",
            "these are the slopes of another formula: {change}",
            with_c,
            change={"c is left out of v = u + c": lambda c: 0.0, "c is subtracted in v = u + c": lambda c: -c},
        ),
        Mistake(
            "value_of_v",
            "on the way back through the square, the local slope is taken at u: c is left out of v = u + c",
            forward=chained(slope=lambda at: 2 * at["u"], last=lambda at: at["u"] ** 2),
        ),
        *two_on_the_way(COMMON),
        Mistake(
            "values",
            "these are values of the steps, but what is asked for is how fast y moves with a, b and c",
            forward=lambda a, b, c: (a * b, a * b + c, (a * b + c) ** 2),
        ),
        *family(
            "far",
            "these are differences over a move of {by}: the chain rule gives the slope where the input stands",
            lambda by: {"forward": lambda a, b, c: moved(lambda a, b, c: (a * b + c) ** 2 * a, a, b, c, by=by)},
            by=MOVES,
        ),
    ),
    chain,
    chain_inputs,
)


# count_passes

PASS_REASONS = {
    "forward": "one pass starts at one input and reaches all results",
    "backward": "one pass starts at one result and reaches all inputs",
    "moving": "the first call moves nothing, each further call moves one input, and each call gives all results",
}


COUNTS: dict[str, Callable[[int, int], int]] = {
    "the smaller of the two numbers": min,
    "the larger of the two numbers": max,
    "1": lambda inputs, results: 1,
    "the number of inputs": lambda inputs, results: inputs,
    "the number of results": lambda inputs, results: results,
    "inputs + results": lambda inputs, results: inputs + results,
    "inputs + results + 1": lambda inputs, results: inputs + results + 1,
    "inputs + 1": lambda inputs, results: inputs + 1,
    "inputs - 1": lambda inputs, results: inputs - 1,
    "inputs + 2": lambda inputs, results: inputs + 2,
    "results + 1": lambda inputs, results: results + 1,
    "results - 1": lambda inputs, results: results - 1,
    "2 * inputs + 1": lambda inputs, results: 2 * inputs + 1,
    "2 * inputs": lambda inputs, results: 2 * inputs,
    "2 * results": lambda inputs, results: 2 * results,
    "inputs * results": lambda inputs, results: inputs * results,
    "inputs * results + 1": lambda inputs, results: inputs * results + 1,
    "2 * inputs * results": lambda inputs, results: 2 * inputs * results,
    "the larger of the two numbers, plus 1": lambda inputs, results: max(inputs, results) + 1,
    "the smaller of the two numbers, plus 1": lambda inputs, results: min(inputs, results) + 1,
    "0": lambda inputs, results: 0,
}


def exchanged_and(count: Callable[[int, int], int]) -> dict[str, Any]:
    """Forward and backward exchanged, and another number of calls: the entries that this makes wrong."""

    def forward(inputs: int, results: int) -> dict[str, int]:
        right = passes(inputs, results)
        answered = {"forward": results, "backward": inputs, "moving": count(inputs, results)}
        return {way: number for way, number in answered.items() if number != right[way]}

    return {"forward": forward}


PASS_MISTAKES = told_apart(
    (
        Mistake(
            "example",
            "these are the numbers of the example, whatever the numbers of inputs and results are",
            forward=lambda inputs, results: {
                way: count for way, count in passes(3, 1).items() if count != passes(inputs, results)[way]
            },
        ),
        Mistake(
            "exchanged",
            "forward and backward are exchanged: a forward pass starts at one input, a backward pass at one result",
            forward=lambda inputs, results: {"forward": results, "backward": inputs},
        ),
        *family(
            "exchanged_and_count",
            "forward and backward are exchanged: a forward pass starts at one input, a backward pass at one result; "
            f'"moving": yours is {{count}}, but {PASS_REASONS["moving"]}',
            exchanged_and,
            count=COUNTS,
        ),
        Mistake(
            "without_start",
            '"moving": a call is missing; you need the values before the move to compare with',
            forward=lambda inputs, results: {"moving": inputs},
        ),
        Mistake(
            "two_for_each",
            '"moving": these are two calls for each input: one call moves nothing, and one more for each input is enough',
            forward=lambda inputs, results: {"moving": 2 * inputs},
        ),
        Mistake(
            "moving_by_results",
            '"moving": one call gives all results, so their number must not count',
            forward=lambda inputs, results: {"moving": inputs * results},
        ),
        Mistake(
            "moving_and_start_by_results",
            '"moving": one call gives all results: do not make the same calls again for each result',
            forward=lambda inputs, results: {"moving": (inputs + 1) * results},
        ),
        Mistake(
            "moving_pairs_and_start",
            '"moving": after the first call, one for each input is enough; a call gives all results',
            forward=lambda inputs, results: {"moving": inputs * results + 1},
        ),
        Mistake(
            "pairs",
            "that is a pass for each pair of an input and a result, but one pass finds many slopes at once",
            forward=every_pair,
        ),
        Mistake(
            "forward_pairs",
            '"forward": one pass reaches all results, so their number must not count',
            forward=lambda inputs, results: {"forward": inputs * results},
        ),
        Mistake(
            "backward_pairs",
            '"backward": one pass reaches all inputs, so their number must not count',
            forward=lambda inputs, results: {"backward": inputs * results},
        ),
        Mistake(
            "one_backward",
            '"backward": one pass is enough for one result only',
            forward=lambda inputs, results: {"backward": 1},
        ),
        *(
            each
            for way, reason in PASS_REASONS.items()
            for each in family(
                "count",
                f'"{way}": yours is {{count}}, but {reason}',
                lambda count, way=way: {"forward": lambda inputs, results: {way: count(inputs, results)}},
                count=COUNTS,
            )
        ),
    ),
    passes,
    count_inputs,
)


SPECS = {
    "local_slopes": CallSpec(
        slopes_of,
        step_inputs,
        mistakes=(
            *SLOPE_MISTAKES,
            Mistake(
                "zero",
                "slopes are wrong only where u is 0, but 0 is a number like any other here",
                where=lambda name, u, v: u == 0,
            ),
        ),
        holds={
            "Write a function `local_slopes(name, u, v)`": "value",
            "`name` is one of six texts": "runs, value",
            "It says which step is meant": "value",
            "A local slope says how fast": "far, not_divided",
            "Return a pair of numbers": "value, exchanged",
            "An input that does not change": "square_of_v, max_both",
            "`u` and `v` are never equal": "explains",
            "For example, the step": "explains",
            "The checks try each of the six steps": "explains",
            "They compare both slopes": "value",
            "A second call must give": "repeat",
        },
    ),
    "chain_by_hand": CallSpec(
        chain,
        chain_inputs,
        mistakes=(
            *CHAIN_MISTAKES,
            *family(
                "zero",
                "slopes are wrong only where {what} is 0, but 0 is a number like any other here",
                lambda what: {"where": what},
                what={"a": lambda a, b, c: a == 0, "a*b + c": lambda a, b, c: a * b + c == 0},
            ),
        ),
        holds={
            "For example:": "explains",
            "Write a function `chain_by_hand(a, b, c)`": "value",
            "Its small steps are": "explains",
            "Return a tuple or list of three numbers": "value, order",
            "The chain rule is all that you need": "explains",
            "Start at the result with slope 1": "start",
            "Note that `a` is used": "only_the_product, only_the_last_step",
            "You can let autograd check": "explains",
            "The checks try eight triples": "explains",
            "In one triple $a$ is 0": "zero",
            "They compare the three slopes": "value",
            "A second call must give": "repeat",
        },
    ),
    "count_passes": CallSpec(
        passes,
        count_inputs,
        mistakes=(
            *PASS_MISTAKES,
            *family(
                "where",
                "the numbers are wrong only where {what}",
                lambda what: {"where": what},
                what={
                    "there are as many inputs as results": lambda inputs, results: inputs == results,
                    "there are more inputs than results": lambda inputs, results: inputs > results,
                    "there are fewer inputs than results": lambda inputs, results: inputs < results,
                },
            ),
        ),
        holds={
            "Write a function `count_passes(inputs, results)`": "value",
            "You want *all* slopes": "value, one_backward",
            "Return a dict with three whole numbers": "value",
            "Each says how much work": "value",
            "The run that computes the values": "count",
            "For example, the lesson's": "explains",
            "The checks try six pairs": "explains",
            "They compare all three numbers": "value",
            "A second call must give": "repeat",
        },
    ),
}
