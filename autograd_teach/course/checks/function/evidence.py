"""The plan of requests to a custom Function, for a check or a grade, the right derivatives, and the evidence made from the replies.

Does not run the student's code. NumPy only. Second derivatives are measured on the reference of backward: a difference of
differences has too few digits.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from ...exercises.declaration import Exercise, FunctionForm
from ...jacobian import EPS, Values, as_values, flat, is_float, numerical_jacobian, same_slopes, wrong_values
from ..checker import Evidence, Plan, Purpose, Request
from ..explaining import Candidate, backward_of, candidates_of
from ..numbers import same
from ..spec import FunctionSpec, as_drawn, copies
from ..table import Table
from .records import Asked, Run, cotangent_of, differentiable, same_values


def slopes(form: FunctionForm, spec: FunctionSpec, arguments: Sequence[Any], index: int) -> np.ndarray:
    """The Jacobian of the differentiable results with respect to one argument, measured or declared."""
    if spec.vjp is None:
        return numerical_jacobian(lambda *a: differentiable(form, as_values(spec.forward(*a))), arguments, index)
    results = differentiable(form, spec.values(arguments))
    place = [n for n, a in enumerate(arguments) if is_float(a)].index(index)
    rows = [as_values(spec.vjp(*hot, *copies(arguments)))[place].reshape(-1) for hot in one_hots(results)]
    return np.array(rows).reshape(len(rows), np.size(arguments[index]))


def one_hots(values: Values) -> Iterator[Values]:
    """Every one-hot cotangent: 1 at one place and 0 elsewhere."""
    for number, value in enumerate(values):
        for entry in range(value.size):
            hot = tuple(np.zeros_like(each) for each in values)
            hot[number].reshape(-1)[entry] = 1
            yield hot


def measure(
    spec: FunctionSpec, arguments: tuple[Any, ...], cotangents: Values, weights: Values
) -> dict[int, np.ndarray]:
    """The derivative of `sum(weights * gradients)`, measured on the reference: by each float argument, and by each cotangent,
    the first of which has the key -1."""
    backward, given = backward_of(spec), (*cotangents, *arguments)
    assert backward is not None
    floats = {n: len(cotangents) + n for n, argument in enumerate(arguments) if is_float(argument)}
    places = floats | {-1 - number: number for number in range(len(cotangents))}

    def weighted(*at: Any) -> np.ndarray:
        return np.asarray(flat(as_values(backward(*at))) @ flat(weights))

    return {key: numerical_jacobian(weighted, given, n).reshape(np.shape(given[n])) for key, n in places.items()}


BOTH_SIGNS = (-1.0, 1.0)

HEAT_MAP_ENTRIES = 12
"""Largest size of a result and an argument for a whole Jacobian. Larger inputs are checked by random cotangents only."""

SINGLES = 3
"""The number of inputs in float32."""


@dataclass
class Case:
    """One input, with the right values and derivatives, and the runs on it."""

    arguments: tuple[Any, ...]
    expected: Values
    numerical: dict[int, np.ndarray]  # argument's index -> Jacobian of the specification
    run: Run = field(default_factory=Run)
    # One run per one-hot cotangent, which gives a row of the analytical Jacobian; in a grade, one per random cotangent.
    rows: list[Run] = field(default_factory=list)

    def gradient(self, run: Run, index: int) -> tuple[np.ndarray, np.ndarray] | None:
        """What backward returned for argument `index`, and what it must return; None if these cannot be compared."""
        entry = dict(enumerate(run.returned or ())).get(index)
        if not isinstance(entry, np.ndarray) or flat(run.cotangent).size != len(self.numerical[index]):
            return None
        return entry, (flat(run.cotangent) @ self.numerical[index]).reshape(np.shape(self.arguments[index]))

    def is_right(self, run: Run, index: int) -> bool | None:
        """Whether the gradient of argument `index` is right; None if it is missing or has another shape."""
        both = self.gradient(run, index)
        return same_slopes(*both) if both and both[0].shape == both[1].shape else None

    @cached_property
    def verdicts(self) -> dict[int, list[bool | None]]:
        """For each differentiated argument, `is_right` for every run."""
        return {index: [self.is_right(run, index) for run in (self.run, *self.rows)] for index in self.numerical}

    def analytical(self, index: int) -> np.ndarray | None:
        """The Jacobian from backward for argument `index`; None if gradients are missing or have a wrong shape."""
        if not self.rows or None in self.verdicts[index][1:]:
            return None
        return np.array([row.returned[index].reshape(-1) for row in self.rows])  # type: ignore[index, union-attr]  # arrays


Second = tuple[Run, dict[int, tuple[np.ndarray | None, np.ndarray]]]
"""A run in which backward was differentiated: by each argument and grad_output what came (None: no path) and what is right."""


@dataclass
class FunctionEvidence(Evidence):
    """Everything that is known about a custom Function. runs: the first run of each input, smallest input first."""

    cases: list[Case] = field(default_factory=list)
    found: dict[str, list[Run]] = field(default_factory=dict)  # all runs by the purpose of their requests
    single: Run | None = None  # in float32; forward only
    single_expected: Values = ()
    second: list[Second] = field(default_factory=list)

    def one(self, purpose: str) -> Run | None:
        """The first run for a purpose; None if there is none."""
        return next(iter(self.found.get(purpose, ())), None)

    @property
    def needed(self) -> dict[int, Run]:
        """For each argument, a run in which only it requires grad."""
        return {int(name.split()[1]): run for name, (run, *_) in self.found.items() if name.startswith("needed ")}

    @property
    def every_run(self) -> list[Run]:
        """`runs`, the rows of the Jacobians and the repeated calls; not the runs that ask only for some gradients."""
        rows = [row for case in self.cases for row in case.rows]
        again = (*map(self.one, ("repeated", "interleaved", "backward_again")), self.single)
        return [*self.runs, *rows, *(run for run in again if run is not None)]

    def of(self, index: int) -> str:
        """The gradient of an argument in words."""
        several = len(self.cases[0].numerical) > 1
        return f"the gradient for {self.form.arguments[index]}" if several else "the gradient"

    def result(self, number: int) -> str:
        """A result of forward in words."""
        return "the result" if self.form.results == 1 else f"result {number + 1}"

    def tabled(self, check: str) -> Table:
        """For "forward"; for "returns", with gradients of wrong shapes; for "gradient", those of the right shape."""
        if check == "gradient":
            every = self.table("returns")
            return every.of(lambda key: every.got[key].shape == every.want[key].shape)
        rows: dict[tuple[int, int], tuple[Any, Any]] = {}
        for number, case in enumerate(self.cases):
            if check == "returns":
                fits = [value.shape for value in case.run.values or ()] == [value.shape for value in case.expected]
                found = {index: case.gradient(case.run, index) for index in case.numerical} if fits else {}
            else:
                fits = case.run.values is not None and len(case.run.values) == len(case.expected)
                found = dict(enumerate(zip(case.run.values or (), case.expected, strict=True))) if fits else {}
            rows |= {(number, part): both for part, both in found.items() if both}
        inputs, got = [case.arguments for case in self.cases], {key: one for key, (one, _) in rows.items()}
        want = {key: other for key, (_, other) in rows.items()}
        if check == "forward":
            return Table(self.form, inputs, want, got, self.result, "every result", _same_values, wrong_values)
        return Table(self.form, inputs, want, got, self.of, "every gradient", same)

    def suspected(self, check: str) -> tuple[Table, Callable[[], Sequence[Candidate]]]:
        spec, form = self.spec, self.form

        def of_forward(function: Callable[..., Any], run: int) -> Mapping[int, np.ndarray] | None:
            return given_by(function, self.runs[run].arguments)

        if check == "forward":
            return self.table(check), lambda: candidates_of(
                spec.forward, spec.mistakes, of_forward, names=form.arguments
            )

        def gives(backward: Callable[..., Any], run: int) -> Mapping[int, np.ndarray] | None:
            case = self.cases[run]
            given = given_by(backward, (*case.run.cotangent, *case.arguments))
            places = list(case.numerical)
            return None if given is None else {places[n]: each for n, each in given.items() if n < len(places)}

        return self.table(check), lambda: candidates_of(backward_of(spec), spec.mistakes, gives, "vjp")


def given_by(function: Callable[..., Any], arguments: Sequence[Any]) -> dict[int, np.ndarray] | None:
    """What a known mistake gives, by number; without parts that it leaves right. None if it raises."""
    try:
        with np.errstate(all="ignore"):  # a mistake may overflow
            result = function(*copies(arguments))
        several = result if isinstance(result, tuple) else (result,)
        return {number: np.asarray(each) for number, each in enumerate(several) if each is not None}
    except Exception:  # noqa: BLE001  # a change may make anything of the reference
        return None


def _same_values(one: np.ndarray, other: np.ndarray) -> bool:
    if one.shape != other.shape or one.dtype.kind not in "fiu":
        return False
    return not (wrong_values(one, other) & ~(np.isnan(one) & np.isnan(other))).any()


class Unfit(Exception):
    """The specification is not finite at an input that it draws: a mistake of the course."""


# ---- the plan --------------------------------------------------------------------------------------------------------


class Drawing:
    """The inputs and cotangents drawn for one exercise.

    Each input is drawn twice, with the same shapes, so that an answer that stores values by shape fails. A grade uses both
    as separate inputs.
    """

    def __init__(
        self, form: FunctionForm, spec: FunctionSpec, rng: np.random.Generator, purpose: Purpose = "check"
    ) -> None:
        self.form, self.spec, self.rng = form, spec, rng
        first, alike = ([as_drawn(each) for each in spec.inputs(one)] for one in (rng, *rng.spawn(1)))
        self.drawn, self.period = [*first, *alike], len(first)
        self.inputs = self.drawn if purpose == "grade" else first
        self.expected = [spec.values(arguments) for arguments in self.inputs]
        if not all(np.isfinite(value).all() for values in self.expected for value in values):
            raise Unfit("the specification is not finite at an input that was drawn")

    def random(self, like: np.ndarray, signs: Sequence[float] = BOTH_SIGNS) -> np.ndarray:
        """Random numbers with the shape and dtype of `like`: of these signs, their size never 1 and never small."""
        size = self.rng.uniform(0.4, 1.9, like.shape)
        return np.asarray(size * self.rng.choice(signs, like.shape), dtype=like.dtype)

    def asked(self, number: int, mode: str = "run", signs: Sequence[float] = BOTH_SIGNS, **how: Any) -> Asked:
        """A request with input `number` and new random cotangents of these signs."""
        cotangents = tuple(self.random(each, signs) for each in differentiable(self.form, self.expected[number]))
        return Asked(mode, self.inputs[number], cotangents, **how)

    def others(self, number: int) -> tuple[tuple[Any, ...], ...]:
        """The inputs of two calls between forward and backward of input `number`: one of the same shapes, and the next."""
        return tuple(self.drawn[(number + step) % len(self.drawn)] for step in (self.period, 1))

    def floats(self, number: int = 0) -> list[int]:
        """The numbers of the arguments of input `number` that have a gradient."""
        return [n for n, argument in enumerate(self.inputs[number]) if is_float(argument)]


def plans(exercise: Exercise, spec: FunctionSpec, rng: np.random.Generator, purpose: Purpose) -> Iterator[Plan]:
    """All requests to the Function, each with its purpose, in one plan."""
    form: Any = exercise.form
    drawing = Drawing(form, spec, rng, purpose)
    cases, expected = [drawing.asked(number) for number in range(len(drawing.inputs))], drawing.expected
    requests = [Request("case", *each) for each in zip(cases, expected, strict=True)]
    beyond = [Request(name, asked, spec.values(asked.arguments)) for name, asked in _further(drawing, cases)]
    if purpose == "check":
        for n, case in enumerate(cases):
            hots = one_hots(differentiable(form, expected[n])) if _is_small(case.arguments, expected[n]) else ()
            beyond += [Request(f"row {n}", replace(case, cotangents=each)) for each in hots]
        if spec.vjp is None and _is_small(cases[0].arguments, cases[0].cotangents):
            way = [drawing.random(a) if is_float(a) else None for a in cases[0].arguments]
            beyond += [Request("moved", Asked("forward", _moved(cases[0].arguments, way, by))) for by in (EPS, -EPS)]
    else:
        for n in range(len(cases)):
            between = drawing.asked(n, "interleaved", others=drawing.others(n))
            with_zeros = drawing.asked(n, "again", (*BOTH_SIGNS, 0.0))
            beyond += [Request(f"row {n}", asked, expected[n]) for asked in (between, with_zeros)]
        rng.shuffle(beyond)  # type: ignore[arg-type]  # it accepts a list
    repeated = Request("repeated", cases[0], expected[0])  # it comes last
    yield Plan((*requests, *beyond, repeated), needed=len(cases))


def _further(drawing: Drawing, cases: list[Asked]) -> Iterator[tuple[str, Asked]]:
    first, properties = cases[0], drawing.form.properties
    yield "interleaved", replace(first, mode="interleaved", others=drawing.others(0))
    yield "backward_again", replace(first, mode="again")
    # the first input in float32, and others drawn like it: the later inputs may need more digits than float32 has
    singles = [drawing.inputs[0], *(as_drawn(next(iter(drawing.spec.inputs(drawing.rng)))) for _ in range(SINGLES - 1))]
    for single in singles:
        yield "single", Asked("forward", tuple(a.astype(np.float32) if is_float(a) else a for a in single))
    results = len(differentiable(drawing.form, drawing.expected[0]))
    for number in range(results if results > 1 else 0):
        yield "partial", drawing.asked(0, only=number)
    floats = drawing.floats()
    for number in floats if len(floats) > 1 or "needs_input_grad" in properties else []:
        yield f"needed {number}", drawing.asked(0, needed=number)
    if "no_gradient" in properties:
        yield "no_gradient", drawing.asked(0, "no_gradient")
    if "from_result" in properties:
        yield "from_result", drawing.asked(0, "after_change")
    for number, arguments in enumerate(
        drawing.inputs[: drawing.spec.second] if "double_backward" in properties else ()
    ):
        weights = tuple(drawing.random(arguments[n]) for n in drawing.floats(number))
        yield "second", drawing.asked(number, "twice", weights=weights)


def _moved(arguments: Sequence[Any], way: Sequence[np.ndarray | None], by: float) -> tuple[Any, ...]:
    """The arguments moved a little along directions. So the slope of a wrong forward is measured."""
    return tuple(a if w is None else a + by * w for a, w in zip(arguments, way, strict=True))


def _is_small(arguments: Sequence[Any], results: Values) -> bool:
    return max(sum(value.size for value in results), *map(np.size, arguments)) <= HEAT_MAP_ENTRIES


# ---- the replies -----------------------------------------------------------------------------------------------------


def add(evidence: FunctionEvidence, plan: Plan, replies: Sequence[Run]) -> None:
    """Add the replies to the evidence, with the specified results."""
    found: dict[str, list[Run]] = {}
    seconds = []
    for request, reply in zip(plan.requests, replies, strict=False):
        reply.arguments = request.asked.arguments
        reply.cotangent = cotangent_of(evidence.form, request.asked, reply.values or ())
        found.setdefault(request.purpose, []).append(reply)
        if request.purpose == "second":
            right = measure(evidence.spec, reply.arguments, request.asked.cotangents, request.asked.weights)
            got = reply.second.got if reply.second and len(reply.second.got) == len(right) else [None] * len(right)
            seconds.append((reply, {key: (one, right[key]) for key, one in zip(right, got, strict=True)}))
    evidence.runs, evidence.made = found.get("case", []), {}
    evidence.cases = [_case(evidence, run, found.get(f"row {n}", [])) for n, run in enumerate(evidence.runs)]
    evidence.found, evidence.second = found, seconds
    singles = [(run, evidence.spec.values(run.arguments)) for run in found.get("single", [])]
    worst = [(run, want) for run, want in singles if run.crash or not same_values(run.values, want)]
    if singles:  # the first wrong one, or the first one if none is wrong
        evidence.single, evidence.single_expected = (worst or singles)[0]


def _case(evidence: FunctionEvidence, run: Run, rows: list[Run]) -> Case:
    spec, arguments = evidence.spec, run.arguments
    measured = {n: slopes(evidence.form, spec, arguments, n) for n, each in enumerate(arguments) if is_float(each)}
    if not all(np.isfinite(each).all() for each in measured.values()):
        raise Unfit("the derivative of the specification is not finite at an input that was drawn")
    case = Case(arguments, spec.values(arguments), measured, run, rows)
    for row in rows:  # the checks read these from the first run of a case, but every run counts
        run.changed += tuple(each for each in row.changed if each not in run.changed)
        if row.values is not None and not same_values(row.values, case.expected):
            run.values = row.values
    return case
