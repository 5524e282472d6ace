"""Exercises of notebook 00, slopes by hand: local_slopes, chain_by_hand, count_passes."""

from collections.abc import Callable, Sequence

import numpy as np

from .declaration import Arguments, Call, Exercise, Mistake

NOTEBOOK = "00_start_here"

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
    """All local slopes, those of one step wrong."""
    return lambda name, u, v: wrong(u, v) if name == step else slopes_of(name, u, v)


def step_inputs(rng: np.random.Generator) -> Sequence[Arguments]:
    """Each step with both orders of size and with negative numbers. u and v are never equal."""
    calls: list[Arguments] = []
    for name in SLOPES:
        p, q = rng.choice(np.arange(1, 10), size=2, replace=False) / 2
        pairs = [(p, q), (q, p), (-p, q), (p, -q)]
        calls += [(name, float(u), float(v)) for u, v in pairs]
    return calls


def chain_inputs(rng: np.random.Generator) -> Sequence[Arguments]:
    """Numbers with few digits, so that a reader can follow a report. a*b + c is not close to 0."""
    calls: list[Arguments] = []
    for _ in range(6):
        a, b, v = rng.choice([-1, 1], size=3) * rng.integers([3, 3, 2], [9, 9, 10]) / 2
        calls.append((float(a), float(b), float(v - a * b)))
    return calls


def chain(a: float, b: float, c: float) -> Slopes:
    """The slopes of (a*b + c)**2 * a, backward through its steps."""
    v = a * b + c
    dv = a * 2 * v
    return v**2 + dv * b, dv * a, dv


def chained(wrong: Callable[[float, float, float, float], Slopes]) -> Callable[..., Slopes]:
    """A wrong chain as a function of a, b, c.

    `wrong` gets a, b, v = a*b + c and dv, how fast (a*b + c)**2 * a moves with v.
    """

    def slopes(a: float, b: float, c: float) -> Slopes:
        v = a * b + c
        return wrong(a, b, v, a * 2 * v)

    return slopes


def count_inputs(rng: np.random.Generator) -> Sequence[Arguments]:
    """One result, one input and several of both. The two counts are never equal."""
    few, many = sorted(int(n) for n in rng.choice(np.arange(2, 20), size=2, replace=False))
    loss = int(rng.integers(1_000, 10_000))
    return [(many, few), (few, many), (loss, 1), (1, few), (loss, few)]


def passes(inputs: int, results: int) -> dict[str, int]:
    return {"forward": inputs, "backward": results, "moving": inputs + 1}


def scaled(factor: float, slopes: Slopes) -> Slopes:
    return tuple(factor * slope for slope in slopes)


def every_pair(inputs: int, results: int) -> dict[str, int]:
    """One pass for each pair of an input and a result: the entries that this makes wrong."""
    right = passes(inputs, results)
    pairs = inputs * results
    return {way: pairs for way in ("forward", "backward") if right[way] != pairs}


EXERCISES = (
    Exercise(
        notebook=NOTEBOOK,
        entry="local_slopes",
        points=1,
        title="The local slopes of one step",
        grading=Call(
            ("name", "u", "v"),
            slopes_of,
            step_inputs,
            promise="both slopes of every step are right",
        ),
        hints=(
            (
                "Take one step at a time. Hold v fixed and let u grow a little: how fast does y "
                "grow? Then hold u fixed and let v grow."
            ),
            (
                "A sum passes a change of u on as it is. In a product, a change of u counts v "
                "times. "
                "An input that does not change y has slope 0: think of the smaller number in "
                "`max`, "
                "and of v in `square`."
            ),
            (
                "Read a quotient as a product: y = u · (1/v). If u grows, the other factor is 1/v. "
                "If v grows, 1/v changes with slope -1/v**2, and u multiplies that."
            ),
        ),
        mistakes=(
            Mistake(
                "value",
                "this is y, the value of the step: what is asked for is how fast y moves when u "
                "moves, and how fast when v moves",
                forward=lambda name, u, v: {
                    "add": u + v,
                    "sub": u - v,
                    "mul": u * v,
                    "square": u * u,
                    "max": max(u, v),
                    "div": u / v,
                }[name],
            ),
            Mistake(
                "sub_sign",
                '"sub": y does not grow when v grows, so a sign is wrong',
                forward=slip("sub", lambda u, v: (1.0, 1.0)),
            ),
            Mistake(
                "mul_own",
                '"mul": each slope is the number that moves, but it is the other factor that counts',
                forward=slip("mul", lambda u, v: (u, v)),
            ),
            Mistake(
                "mul_as_add",
                '"mul": slopes of 1 belong to a sum; in a product, the other factor counts',
                forward=slip("mul", lambda u, v: (1.0, 1.0)),
            ),
            Mistake(
                "square_two",
                '"square": the factor 2 is missing in the slope of u; u * u uses u twice',
                forward=slip("square", lambda u, v: (u, 0.0)),
            ),
            Mistake(
                "square_value",
                '"square": u**2 is the value of the step, not its slope',
                forward=slip("square", lambda u, v: (u**2, 0.0)),
            ),
            Mistake(
                "square_of_v",
                '"square": y does not change when v moves, so v has another slope',
                forward=slip("square", lambda u, v: (2 * u, 2 * v)),
            ),
            Mistake(
                "square_one",
                '"square": y does not change when v moves, so v has another slope than 1',
                forward=slip("square", lambda u, v: (2 * u, 1.0)),
            ),
            Mistake(
                "max_value",
                '"max": these are numbers that were compared, but a slope says how fast y follows them',
                forward=slip("max", lambda u, v: (u, 0.0) if u > v else (0.0, v)),
            ),
            Mistake(
                "max_both",
                '"max": y follows only one of its inputs; a small change of the other changes nothing',
                forward=slip("max", lambda u, v: (1.0, 1.0)),
            ),
            Mistake(
                "max_size",
                '"max": compare the numbers with their signs: -4 is smaller than 1',
                forward=slip("max", lambda u, v: slopes_of("max", abs(u), abs(v))),
            ),
            Mistake(
                "max_as_min",
                '"max": these are the slopes of the smaller number; y follows the larger one',
                forward=slip("max", lambda u, v: (0.0, 1.0) if u > v else (1.0, 0.0)),
            ),
            Mistake(
                "div_sign",
                '"div": the slope of v has the wrong sign; with positive numbers, what happens to y when v grows?',
                forward=slip("div", lambda u, v: (1 / v, u / v**2)),
            ),
            Mistake(
                "div_power",
                '"div": the slope of v has the wrong power of v',
                forward=slip("div", lambda u, v: (1 / v, -u / v)),
            ),
            Mistake(
                "div_without_u",
                '"div": the slope of v leaves out u, which multiplies 1/v',
                forward=slip("div", lambda u, v: (1 / v, -1 / v**2)),
            ),
            Mistake(
                "exchanged",
                "the two slopes have changed places: the first belongs to u, the second to v",
                forward=lambda name, u, v: slopes_of(name, u, v)[::-1],
            ),
        ),
    ),
    Exercise(
        notebook=NOTEBOOK,
        entry="chain_by_hand",
        points=1,
        title="A chain by hand",
        grading=Call(
            ("a", "b", "c"),
            chain,
            chain_inputs,
            promise="the three slopes are those of autograd",
        ),
        hints=(
            (
                "Compute the four values first. Then go back, as in the lesson: begin with `dy = "
                "1.0`. "
                "At each step, multiply what came in by the local slopes of this step."
            ),
            (
                "The last step, y = s * a, has two inputs. It sends `dy * a` to s and `dy * s` "
                "to a. "
                "The second number is only one part of the slope of a. Where else is a used?"
            ),
            (
                "From s you get `dv = ds * 2 * v`, and u and c each get dv. The step u = a * b "
                "sends "
                "`du * b` to a as well. Add both parts for a."
            ),
        ),
        mistakes=(
            Mistake(
                "only_the_product",
                "the slope of a is that of one way alone: a is also used in the last step, and "
                "what "
                "comes by both ways adds up",
                forward=chained(lambda a, b, v, dv: (dv * b, dv * a, dv)),
            ),
            Mistake(
                "only_the_last_step",
                "the slope of a is that of one way alone: a is also used in u = a * b, and what "
                "comes "
                "by both ways adds up",
                forward=chained(lambda a, b, v, dv: (v**2, dv * a, dv)),
            ),
            Mistake(
                "ways_multiplied",
                "the two ways of a are multiplied: slopes along one way multiply, but the ways add up",
                forward=chained(lambda a, b, v, dv: (v**2 * dv * b, dv * a, dv)),
            ),
            Mistake(
                "ways_subtracted",
                "the two ways of a are subtracted, but what comes by both ways adds up",
                forward=chained(lambda a, b, v, dv: (v**2 - dv * b, dv * a, dv)),
            ),
            Mistake(
                "last_factor",
                "on the way back through y = s * a, the other factor is forgotten: a change of s counts a times",
                forward=chained(lambda a, b, v, dv: (v**2 + 2 * v * b, 2 * v * a, 2 * v)),
            ),
            Mistake(
                "without_the_last_step",
                "these are the slopes of (a*b + c)**2: the last step, times a, is missing",
                forward=chained(lambda a, b, v, dv: (2 * v * b, 2 * v * a, 2 * v)),
            ),
            Mistake(
                "first_factor",
                "on the way back through u = a * b, the other factor is forgotten: the local "
                "slopes "
                "of a product are not 1",
                forward=chained(lambda a, b, v, dv: (v**2 + dv, dv, dv)),
            ),
            Mistake(
                "own_factor",
                "on the way back through u = a * b, a and b are exchanged: the other factor counts",
                forward=chained(lambda a, b, v, dv: (v**2 + dv * a, dv * b, dv)),
            ),
            Mistake(
                "exchanged",
                "the slopes of a and b have changed places: the order is a, b, c",
                forward=chained(lambda a, b, v, dv: (dv * a, v**2 + dv * b, dv)),
            ),
            Mistake(
                "two",
                "on the way back through the square, the factor 2 is missing",
                forward=chained(lambda a, b, v, dv: (v**2 + a * v * b, a * v * a, a * v)),
            ),
            Mistake(
                "only_two",
                "on the way back through the square, only the 2 is there: the local slope of v**2 depends on v",
                forward=chained(lambda a, b, v, dv: (v**2 + a * 2 * b, a * 2 * a, a * 2)),
            ),
            Mistake(
                "start",
                "the way back starts with y, the value: it must start with how fast y changes as y changes",
                forward=chained(lambda a, b, v, dv: scaled(v**2 * a, (v**2 + dv * b, dv * a, dv))),
            ),
            Mistake(
                "sign",
                "every slope has the wrong sign",
                forward=chained(lambda a, b, v, dv: (-(v**2) - dv * b, -dv * a, -dv)),
            ),
        ),
    ),
    Exercise(
        notebook=NOTEBOOK,
        entry="count_passes",
        points=1,
        title="Count the passes",
        grading=Call(
            ("inputs", "results"),
            passes,
            count_inputs,
            promise="the three numbers are right, for every number of inputs and results tried",
        ),
        hints=(
            ("Ask of each way: where does one pass or call start, and which slopes do you know when it has ended?"),
            (
                "A forward pass starts at one input and reaches every result. A backward pass "
                "starts "
                "at one result and reaches every input."
            ),
            (
                "Moving: one call gives all results, so their number does not matter. You need the "
                "values before anything is moved, and then the values after each move."
            ),
        ),
        mistakes=(
            Mistake(
                "exchanged",
                "forward and backward are exchanged: a forward pass starts at one input, a backward pass at one result",
                forward=lambda inputs, results: {"forward": results, "backward": inputs},
            ),
            Mistake(
                "without_start",
                '"moving": a call is missing; you need the values before the move to compare with',
                forward=lambda inputs, results: {"moving": inputs},
            ),
            Mistake(
                "start_each_time",
                '"moving": the call before the move need not be made again for each input',
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
        ),
    ),
)
