"""The plan of requests to a custom Function, for a check or a grade, and the evidence made from the replies.

Does not run the student's code. NumPy only.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ...exercises.declaration import FunctionForm
from ...jacobian import EPS, Values, flat, is_float
from ..checker import Evidence, Plan, Purpose, Request
from ..explaining import Explanation
from ..spec import FunctionSpec, as_drawn, copies
from .records import Asked, Run, cotangent_of, differentiable, same_values
from .slopes import SecondOrder, one_hots, second_order, slopes

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

    def analytical(self, index: int) -> np.ndarray | None:
        """The Jacobian from backward for argument `index`; None if gradients are missing or have a wrong shape."""
        shape = np.shape(self.arguments[index])
        rows = []
        for row in self.rows:
            entry = row.returned[index] if row.returned and index < len(row.returned) else None
            if not isinstance(entry, np.ndarray) or entry.shape != shape:
                return None
            rows.append(entry.reshape(-1))
        return np.array(rows) if rows else None


@dataclass
class FunctionEvidence(Evidence):
    """Everything that is known about a custom Function."""

    spec: FunctionSpec
    cases: list[Case] = field(default_factory=list)
    repeated: Run | None = None
    interleaved: Run | None = None
    backward_again: Run | None = None  # a second backward through the same graph
    single: Run | None = None  # in float32; forward only
    single_expected: Values = ()
    from_result: Run | None = None
    partial: list[Run] = field(default_factory=list)  # for each result, a run that uses only this one
    needed: dict[int, Run] = field(default_factory=dict)  # for each argument, a run in which only it requires grad
    no_gradient: Run | None = None  # a run in which the results get None as gradient
    second: list[SecondOrder] = field(default_factory=list)
    # The Jacobians of the student's own forward at the first case, if that forward is wrong.
    own_numerical: dict[int, np.ndarray] = field(default_factory=dict)
    known: dict[str, Explanation | None] = field(default_factory=dict)  # computed when a diagnosis asks first

    @property
    def form(self) -> FunctionForm:
        """The form of the exercise: what it asks for, without the right results."""
        assert isinstance(self.exercise.form, FunctionForm)
        return self.exercise.form

    @property
    def runs(self) -> list[Run]:
        """The first run of each input, smallest input first."""
        return [case.run for case in self.cases]

    @property
    def every_run(self) -> list[Run]:
        """`runs`, the rows of the Jacobians and the repeated calls; not the runs that ask only for some gradients."""
        rows = [row for case in self.cases for row in case.rows]
        again = (self.repeated, self.interleaved, self.backward_again, self.single)
        return [*self.runs, *rows, *(run for run in again if run is not None)]


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

    def cotangents(self, number: int) -> Values:
        """Random cotangents for input `number`: of both signs, never 1 and never small."""
        return tuple(self.random(each) for each in differentiable(self.form, self.expected[number]))

    def random(self, like: np.ndarray) -> np.ndarray:
        """Random numbers with the shape and dtype of `like`."""
        size = self.rng.uniform(0.4, 1.9, like.shape)
        return np.asarray(size * self.rng.choice([-1.0, 1.0], like.shape), dtype=like.dtype)

    def asked(self, number: int, mode: str = "run", **how: Any) -> Asked:
        """A request with input `number` and new cotangents."""
        return Asked(mode, self.inputs[number], self.cotangents(number), **how)

    def others(self, number: int) -> tuple[tuple[Any, ...], ...]:
        """The inputs of two calls between forward and backward of input `number`: one of the same shapes, and the next."""
        return tuple(self.drawn[(number + step) % len(self.drawn)] for step in (self.period, 1))

    def floats(self, number: int = 0) -> list[int]:
        """The numbers of the arguments of input `number` that have a gradient."""
        return [n for n, argument in enumerate(self.inputs[number]) if is_float(argument)]


def plan(form: FunctionForm, spec: FunctionSpec, rng: np.random.Generator, purpose: Purpose) -> Plan:
    """All requests to the Function, each with its purpose."""
    drawing = Drawing(form, spec, rng, purpose)
    numbers = range(len(drawing.inputs))
    cases = [drawing.asked(number) for number in numbers]
    requests = [Request("case", *each) for each in zip(cases, drawing.expected, strict=True)]
    requests += [Request(name, asked, spec.values(asked.arguments)) for name, asked in _further(drawing, cases)]
    if purpose == "check":
        small = [number for number in numbers if _is_small(drawing.inputs[number], drawing.expected[number])]
        requests += [Request(f"row {n}", each) for n in small for each in _rows(cases[n], form, drawing.expected[n])]
        requests += [Request("moved", each) for each in (_moved(cases[0]) if spec.vjp is None else [])]
    else:
        for n in numbers:
            again = drawing.asked(n, "interleaved", others=drawing.others(n)), drawing.asked(n, "again")
            requests += [Request(f"row {n}", asked, drawing.expected[n]) for asked in again]
        beyond = requests[len(cases) :]
        rng.shuffle(beyond)  # type: ignore[arg-type]  # it accepts a list
        requests[len(cases) :] = beyond
    requests.append(Request("repeated", cases[0], drawing.expected[0]))  # the repeated request comes last
    return Plan(tuple(requests), needed=len(cases))


def _further(drawing: Drawing, cases: list[Asked]) -> Iterator[tuple[str, Asked]]:
    first, properties = cases[0], drawing.form.properties
    yield "interleaved", replace(first, mode="interleaved", others=drawing.others(0))
    yield "backward_again", replace(first, mode="again")
    for single in _singles(drawing):
        yield "single", Asked("forward", single)
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
    if "double_backward" in properties:
        for number, arguments in enumerate(drawing.inputs[: drawing.spec.second]):
            weights = tuple(drawing.random(arguments[n]) for n in drawing.floats(number))
            yield "second", drawing.asked(number, "twice", weights=weights)


def _singles(drawing: Drawing) -> list[tuple[Any, ...]]:
    """The first input in float32, and others drawn like it. The later inputs may need more digits than float32 has."""
    drawn = [drawing.inputs[0], *(as_drawn(next(iter(drawing.spec.inputs(drawing.rng)))) for _ in range(SINGLES - 1))]
    return [tuple(a.astype(np.float32) if is_float(a) else a for a in arguments) for arguments in drawn]


def _rows(case: Asked, form: FunctionForm, expected: Values) -> list[Asked]:
    return [replace(case, cotangents=each) for each in one_hots(differentiable(form, expected))]


def _moved(case: Asked) -> list[Asked]:
    """Requests for forward at slightly moved inputs. They give the derivative of a wrong forward."""
    if not _is_small(case.arguments, case.cotangents):
        return []
    return [Asked("forward", each) for each in moves(case.arguments)]


def moves(arguments: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
    """The arguments with one entry moved up, then down, for each entry of each float argument."""
    for index, argument in enumerate(arguments):
        for entry in range(argument.size if is_float(argument) else 0):
            for step in (EPS, -EPS):
                moved = copies(arguments)
                moved[index].reshape(-1)[entry] += step
                yield tuple(moved)


def _is_small(arguments: Sequence[Any], results: Values) -> bool:
    return max(sum(value.size for value in results), *map(np.size, arguments)) <= HEAT_MAP_ENTRIES


# ---- the replies -----------------------------------------------------------------------------------------------------


def add(evidence: FunctionEvidence, plan: Plan, replies: Sequence[Run]) -> None:
    """Add the replies to the evidence, with the specified results."""
    found: dict[str, list[Run]] = {}
    asked: dict[str, list[Asked]] = {}
    for request, reply in zip(plan.requests, replies, strict=False):
        reply.arguments = request.asked.arguments
        reply.cotangent = cotangent_of(evidence.form, request.asked, reply.values or ())
        found.setdefault(request.purpose, []).append(reply)
        asked.setdefault(request.purpose, []).append(request.asked)
    evidence.cases = [_case(evidence, run, found.get(f"row {n}", [])) for n, run in enumerate(found.get("case", []))]
    for name in ("repeated", "interleaved", "backward_again", "no_gradient", "from_result"):
        setattr(evidence, name, next(iter(found.get(name, [])), None))
    evidence.partial = found.get("partial", [])
    evidence.needed = {int(name.split()[1]): run for name, (run, *_) in found.items() if name.startswith("needed ")}
    evidence.second = [
        second_order(evidence.form, evidence.spec, *each)
        for each in zip(asked.get("second", []), found.get("second", []), strict=False)
    ]
    _add_single(evidence, found.get("single", []))
    if "moved" in found and _forward_differs(evidence.cases[0]):
        evidence.own_numerical = _own_jacobians(evidence, found["moved"])


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


def _add_single(evidence: FunctionEvidence, runs: list[Run]) -> None:
    """Add the first wrong run in float32, or the first one if none is wrong."""
    pairs = [(run, evidence.spec.values(run.arguments)) for run in runs]
    worst = [(run, want) for run, want in pairs if run.crash or not same_values(run.values, want)]
    if pairs:
        evidence.single, evidence.single_expected = (worst or pairs)[0]


def _forward_differs(case: Case) -> bool:
    return case.run.values is not None and not same_values(case.run.values, case.expected)


def _own_jacobians(evidence: FunctionEvidence, moved: list[Run]) -> dict[int, np.ndarray]:
    """The Jacobian of the student's forward for each float argument of the first case; NaN if forward did not return."""
    arguments, pairs = evidence.cases[0].arguments, iter(zip(moved[::2], moved[1::2], strict=False))
    found = {}
    for index in evidence.cases[0].numerical:
        columns = []
        for up, down in (pair for _, pair in zip(range(arguments[index].size), pairs, strict=False)):
            ends = [flat(differentiable(evidence.form, run.values)) if run.values else None for run in (up, down)]
            fits = ends[0] is not None and ends[1] is not None and ends[0].shape == ends[1].shape
            columns.append((ends[0] - ends[1]) / (2 * EPS) if fits else np.full(1, np.nan))  # type: ignore[operator]  # both are there
        same = len({column.shape for column in columns}) == 1
        found[index] = np.stack(columns, axis=1) if same else np.full((1, 1), np.nan)
    return found
