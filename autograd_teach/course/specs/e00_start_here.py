"""The specification of notebook 00, slopes by hand: local_slopes, chain_by_hand, count_passes."""

from collections.abc import Callable, Sequence

import numpy as np

from ..checks.spec import Arguments, CallSpec, Mistake
from ..mutants import Slip

Slopes = tuple[float, ...]


STEPS: dict[str, Callable[[float, float], float]] = {
    "add": lambda u, v: u + v,
    "sub": lambda u, v: u - v,
    "mul": lambda u, v: u * v,
    "square": lambda u, v: u * u,
    "max": max,
    "div": lambda u, v: u / v,
}
"""The steps of `local_slopes`, the simplest first."""


def slopes_of(name: str, u: float, v: float) -> Slopes:
    of_u, of_v = 1.0, 1.0  # those of "add"
    if name == "sub":
        of_u, of_v = 1.0, -1.0  #: the slopes of "sub"; compare how y changes with how that input changed
    elif name == "mul":
        of_u, of_v = v, u  #: the slopes of "mul"; in a product, the other factor says how much a change counts
    elif name == "square":
        of_u, of_v = 2 * u, 0.0  #: the slopes of "square"; u * u uses u twice, and v not at all
    elif name == "max":
        u_larger = u > v  #: the test which number is larger, in "max"
        of_u, of_v = float(u_larger), float(not u_larger)  #: the slopes of "max"; y follows the larger number only
    elif name == "div":
        of_u, of_v = 1 / v, -(u / (v * v))  #: the slopes of "div"; think of y as the product of u and 1/v
    return of_u, of_v  #: the pair; the first slope belongs to u, the second to v


def step_inputs(rng: np.random.Generator) -> Sequence[Arguments]:
    """Each step with u < v and u > v, with negative numbers, and with u = 0.

    u and v are never equal, and no other number is its own inverse or square.
    """
    calls: list[Arguments] = []
    for name in STEPS:
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
    u = a * b  #: u
    v = u + c  #: v
    s = v**2
    last = s  #: what a gets by the step y = s * a; in a product, the other factor counts
    slope = 2 * v  #: the local slope of the square; it must be that of v**2, at v
    dv = a * slope  #: what comes back to v; it comes through y = s * a and s = v**2, and slopes along a path multiply
    dc = dv  #: the slope of c; the step v = u + c passes on as it is what comes back to v
    first = dv * b  #: what a gets by the step u = a * b; in a product, the other factor counts
    db = dv * a  #: the slope of b; on the way back through u = a * b, the other factor counts
    da = last + first  #: the slope of a; a is used in two steps, and what comes along both paths adds up
    return da, db, dc  #: the three slopes; the order is a, b, c


def count_inputs(rng: np.random.Generator) -> Sequence[Arguments]:
    """One result, one input and several of both; in one pair the two counts are equal."""
    few, many = sorted(int(n) for n in rng.choice(np.arange(3, 20), size=2, replace=False))
    loss = int(rng.integers(1_000, 10_000))
    return [(many, few), (few, many), (loss, 1), (1, few), (many, many), (loss, few)]


def passes(inputs: int, results: int) -> dict[str, int]:
    forward = inputs  #: "forward"; one pass starts at one input and reaches all results
    backward = results  #: "backward"; one pass starts at one result and reaches all inputs
    moves = inputs  #: the calls in "moving" that move an input; each moves one input and gives all results
    moving = 1 + moves  #: "moving"; the first call moves nothing, each other one input, and each gives all results
    return {"forward": forward, "backward": backward, "moving": moving}  #: the three numbers


def moved(steps: Callable[..., float], *at: float, by: float) -> Slopes:
    """Difference quotients: each input in turn is moved by a fixed step."""
    return tuple(
        (steps(*(x + by * (n == number) for n, x in enumerate(at))) - steps(*at)) / by for number in range(len(at))
    )


def coarse(function: Callable[[float], Callable[..., Slopes]]) -> tuple[Mistake, ...]:
    """Differences over moves that are too large. function: gives the slopes for a move."""
    return tuple(
        Mistake(f"these are differences over a move of {by:g}: a slope needs a far smaller move", function(by))
        for by in (0.1, 0.01, 0.001, 0.0001)
    )


OWN = "on the way back through u = a * b, yours multiplies what goes to {0} by {0}: the other factor counts"
COUNTED = '"{}": the run that computes the values is counted, but only the passes of the chain rule count here'


SPECS = {
    "local_slopes": CallSpec(
        slopes_of,
        step_inputs,
        mistakes=(
            Slip('the slopes of "sub"', "(1.0, 1.0)", '"sub": y does not grow when v grows, so a sign is wrong'),
            Slip(
                'the slopes of "square"',
                "(2 * u, 1.0)",
                '"square": y does not change when v moves, so v has another slope than 1',
            ),
            Slip("the test which", "abs(u) > abs(v)", '"max": compare the numbers with their signs: -4 is below 1'),
            Slip("the test which", "True", '"max": y follows the larger number, which is not always u'),
            Slip(
                'the slopes of "max"',
                "(u, 0.0) if u > v else (0.0, v)",
                '"max": these are numbers that were compared, but a slope says how fast y follows them',
            ),
            Slip(
                "the pair",
                '2 * u if name == "square" else (of_u, of_v)',
                '"square": the result is one number, but it must be a pair: v has a slope too',
            ),
            *coarse(lambda by: lambda name, u, v: moved(STEPS[name], u, v, by=by)),
            Mistake(
                "these are differences over a move of 1e-16: a move this small is lost in the last digit",
                lambda name, u, v: moved(STEPS[name], u, v, by=1e-16),
            ),
            Mistake(
                "slopes are wrong only where u is 0, but 0 is a number like any other here",
                where=lambda name, u, v: u == 0,
            ),
        ),
        holds={
            "Write a function `local_slopes(name, u, v)`": "value",
            "`name` is one of six texts": "runs, value",
            "It says which step is meant": "value",
            "A local slope says how fast": "value",
            "Return a pair of numbers": "value",
            "An input that does not change": "value",
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
            Slip("the slope of b", "dv * b", OWN.format("b")),
            Slip("what a gets by the step u", "dv * a", OWN.format("a")),
            *coarse(lambda by: lambda a, b, c: moved(lambda a, b, c: (a * b + c) ** 2 * a, a, b, c, by=by)),
        ),
        holds={
            "For example:": "explains",
            "Write a function `chain_by_hand(a, b, c)`": "value",
            "Its small steps are": "explains",
            "Return a tuple or list of three numbers": "value",
            "The chain rule is all that you need": "explains",
            "Start at the result with slope 1": "value",
            "Note that `a` is used": "value",
            "You can let autograd check": "explains",
            "The checks try eight triples": "explains",
            "In one triple $a$ is 0": "value",
            "They compare the three slopes": "value",
            "A second call must give": "repeat",
        },
    ),
    "count_passes": CallSpec(
        passes,
        count_inputs,
        mistakes=(
            Slip(
                "the three numbers",
                '{"forward": 3, "backward": 1, "moving": 4}',
                "these are the numbers of the example, whatever the numbers of inputs and results are",
            ),
            Slip(
                "the three numbers",
                '{"forward": backward, "backward": forward, "moving": moving}',
                "forward and backward are exchanged: a forward pass starts at one input, a backward pass at one result",
            ),
            Slip('"moving"', "moves", '"moving": a call is missing; you need the values before a move to compare with'),
            Slip('"backward"', "1", '"backward": one pass is enough for one result only'),
            Slip('"forward"', "inputs + 1", COUNTED.format("forward")),
            Slip('"backward"', "results + 1", COUNTED.format("backward")),
            Slip(
                '"forward"',
                "min(inputs, results)",
                '"forward": yours is the smaller of the two, but one pass starts at one input and reaches all results',
            ),
            Slip(
                '"backward"',
                "min(inputs, results)",
                '"backward": yours is the smaller of the two, but one pass starts at one result and reaches all inputs',
            ),
        ),
        holds={
            "Write a function `count_passes(inputs, results)`": "value",
            "You want *all* slopes": "value",
            "Return a dict with three whole numbers": "value",
            "Each says how much work": "value",
            "The run that computes the values": "value",
            "For example, the lesson's": "explains",
            "The checks try six pairs": "explains",
            "They compare all three numbers": "value",
            "A second call must give": "repeat",
        },
    ),
}
