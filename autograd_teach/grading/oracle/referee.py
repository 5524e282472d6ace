"""Draws inputs, computes what is right, asks, and judges by the course's own rules (course/judge.py, judge_call.py).

Runs no student's code. What is right comes from the declaration's NumPy specification; the inputs are drawn from the
declaration's own generators with a seed that is drawn when the answer has been loaded, the cotangents are random and never ones.
The records that the rules read are filled with what came over the wire, so that check and oracle agree on every answer;
only what the check measures on the student's own backward, its second order, is measured here on the specification.

May use NumPy and the declarations. Must not know students, points or processes.
"""

import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from ...course.exercises.declaration import Call, Exercise, Gradcheck, Prepared
from ...course.guard import Crash
from ...course.jacobian import Values, as_values, flat, is_float
from ...course.judge import checks_of, values_right
from ...course.judge_call import call_checks_of
from ...course.observe import Case, Evidence, Odd, Run, Second, differentiable, slopes
from ...course.observe_call import NOTHING, Called, CallEvidence, Strange, TensorFacts, plain, specified
from . import wire
from .adapters import CannotBeSent, text_for

AGAIN = 4
"""Further cotangents for each input."""

SINGLES = 3
"""Inputs in float32."""

SMALLEST_REPLY = 16_384

Asking = Callable[[bytes, int], bytes]
"""(question, bytes of the reply) -> the reply."""


class Unfit(Exception):
    """The declaration has inputs for which its own specification has no finite answer: a fault of the course."""


@dataclass(frozen=True)
class Verdict:
    """Whether an answer is right, the checks that it does not pass, and the seed that its inputs were drawn with."""

    failed: tuple[str, ...]
    seed: int
    words: str = ""  # what was raised; the student's own text, not to be trusted beyond being shown
    counted: tuple[str, ...] = ()  # checks that rest on nothing but what the answer's own process has counted

    @property
    def passed(self) -> bool:
        """All checks pass."""
        return not self.failed


def draw_seed() -> int:
    """A seed that nobody can know before."""
    return secrets.randbits(63)


def can_ask(exercise: Exercise) -> str:
    """Why the oracle cannot ask this exercise; "" where it can."""
    if not isinstance(exercise.grading, Call):
        return ""
    try:
        rng, larger = np.random.default_rng(0), exercise.grading.larger
        arguments = [*map(tuple, exercise.grading.inputs(rng)), *map(tuple, larger(rng) if larger else ())]
        text_for(exercise.grading, arguments)
        wire.load(wire.dump([_sent(each) for given in arguments for each in given]))
    except (CannotBeSent, wire.Broken) as problem:
        return str(problem)
    return ""


def load_question(exercise: str, source: str) -> tuple[bytes, int]:
    """The question that has a cell run, and its reply's size."""
    return wire.question({"ask": "load", "name": f"<answer {exercise}>", "source": source}), 1 + wire.WORDS


def read_loaded(reply: bytes) -> tuple[bool, str]:
    """Whether the cell raised nothing, and what it raised."""
    if reply[0] > 1:
        raise wire.Broken("a flag that is none")
    return reply[0] == 0, reply[1:].rstrip(b"\0").decode("utf-8", "replace")


def judge(exercise: Exercise, ask: Asking, seed: int) -> Verdict:
    """Ask the answer that has just been loaded, and judge it. `wire.Broken` where a reply is none."""
    if isinstance(exercise.grading, Call):
        return _judge_call(exercise, exercise.grading, ask, seed)
    return _judge_function(exercise, exercise.grading, ask, seed)


# ---- custom Functions -----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Plan:
    """One run: what is asked, the reply's layout, and what becomes of it."""

    arguments: tuple[Any, ...]
    cotangents: Values | None
    layout: wire.RunLayout
    mode: str = "run"
    needed: int | None = None
    only: int | None = None
    other: tuple[Any, ...] = ()

    @property
    def asked(self) -> dict[str, Any]:
        """As it is sent."""
        return {
            "mode": self.mode,
            "arguments": list(self.arguments),
            "cotangents": None if self.cotangents is None else list(self.cotangents),
            "needed": self.needed,
            "only": self.only,
            "other": list(self.other),
            "values": list(self.layout.values),
            "gradients": list(self.layout.gradients),
        }

    def run(self, told: wire.Ran) -> Run:
        """The record of what came back."""
        run = Run(
            self.arguments,
            values=told.values if told.has_values and not told.odd else None,
            odd_result=Odd("another form") if told.odd else None,
            own_node=told.own_node,
            requires_grad=told.requires_grad if told.has_values else (),
            returned_itself=tuple(n for n, itself in enumerate(told.returned_itself) if itself),
            cotangent=self.seen_cotangents,
            got_none=told.got_none,
            changed=("something",) if told.changed else (),
            crash=Crash("your code", "", told.words) if told.crashed else None,
            refused=Crash("backward", "", told.words) if told.refused else None,
        )
        if told.returned:
            run.returned = _returned(told)
        return run

    @property
    def seen_cotangents(self) -> Values:
        """The cotangents that backward had: zeros for the results that were not used."""
        given = self.cotangents or ()
        return tuple(v if self.only in (None, number) else 0 * v for number, v in enumerate(given))


def _returned(told: wire.Ran) -> tuple[np.ndarray | Odd | None, ...]:
    entries: list[np.ndarray | Odd | None] = []
    for state, array in told.gradients:
        if state == wire.ABSENT:
            break
        entries.append(array if state == wire.ARRAY else None if state == wire.NONE else Odd("another form"))
    return (*entries, Odd("one too many")) if told.too_many else tuple(entries)


class _Drawing:
    """What is drawn for one exercise, and what is right for it."""

    def __init__(self, grading: Gradcheck, seed: int) -> None:
        self.grading, self.rng = grading, np.random.default_rng(seed)
        self.inputs = [tuple(arguments) for arguments in grading.inputs(self.rng)]
        self.expected = [self.values(arguments) for arguments in self.inputs]
        self.slopes = [
            {n: slopes(grading, arguments, n) for n, argument in enumerate(arguments) if is_float(argument)}
            for arguments in self.inputs
        ]
        _refuse_not_finite([*self.expected, *(tuple(each.values()) for each in self.slopes)])

    def values(self, arguments: Sequence[Any]) -> Values:
        """What forward must give."""
        return as_values(self.grading.forward(*_copies(arguments)))

    def plan(self, number: int, **how: Any) -> _Plan:
        """A run on input `number` with new cotangents."""
        expected = self.expected[number]
        return _Plan(self.inputs[number], self.cotangents(expected), _layout(self.inputs[number], expected), **how)

    def single(self) -> tuple[Any, ...]:
        """The first input anew, in float32; the others may be such that it has too few digits for them."""
        first = next(iter(self.grading.inputs(self.rng)))
        return tuple(a.astype(np.float32) if is_float(a) else a for a in first)

    def cotangents(self, results: Values) -> Values:
        """Of both signs, never small, and ones only by a chance of nothing."""
        return tuple(self.random(each) for each in differentiable(self.grading, results))

    def random(self, like: np.ndarray) -> np.ndarray:
        """Numbers of the shape and dtype of `like`."""
        size = self.rng.uniform(0.4, 1.9, like.shape)
        return np.asarray(size * self.rng.choice([-1.0, 1.0], like.shape), dtype=like.dtype)


def _judge_function(exercise: Exercise, grading: Gradcheck, ask: Asking, seed: int) -> Verdict:
    drawing = _Drawing(grading, seed)
    plans = _plans(drawing)
    twice = [
        _TwicePlan.of(drawing, n)
        for n in range(min(2, len(drawing.inputs)) if _asks(grading, "double_backward") else 0)
    ]
    question = {
        "ask": "function",
        "entry": exercise.entry,
        "arguments": list(grading.arguments),
        "results": grading.results,
        "constants": list(grading.constants),
        "in_place": list(grading.in_place),
        "runs": [plan.asked for several in plans.values() for plan in several],
        "twice": [each.asked for each in twice],
    }
    layouts = [plan.layout for several in plans.values() for plan in several]
    head = 1 + wire.WORDS
    size = head + sum(each.size for each in layouts) + sum(each.layout.size for each in twice)
    reply = ask(wire.question(question), size)
    fine, structure = reply[0], reply[1:head].rstrip(b"\0").decode("utf-8", "replace")
    if fine > 1:
        raise wire.Broken("a flag that is none")
    evidence = Evidence(exercise, structure=None if fine else structure or "no_function")
    words = ""
    if fine:
        parts = iter(_cut(reply[head:], [*layouts, *(each.layout for each in twice)]))
        runs = {
            name: [plan.run(plan.layout.unpack(next(parts))) for plan in several] for name, several in plans.items()
        }
        _fill(evidence, drawing, runs)
        evidence.second = [each.second(each.layout.unpack(next(parts))) for each in twice]
        words = _first_words(evidence, runs)
    failed = tuple(check.text for check in checks_of(exercise) if check.judge(evidence) != "pass")
    return Verdict(failed, seed, words)


def _asks(grading: Gradcheck, name: str) -> bool:
    return name in grading.properties


def _plans(drawing: _Drawing) -> dict[str, list[_Plan]]:
    """Every run that is asked for, by what it is for."""
    grading = drawing.grading
    inputs = range(len(drawing.inputs))
    first = drawing.plan(0)
    floats = list(drawing.slopes[0])
    singles = [drawing.single() for _ in range(SINGLES)]
    results = len(differentiable(grading, drawing.expected[0]))
    plans = {
        "cases": [first, *(drawing.plan(number) for number in inputs if number)],
        "again": [drawing.plan(number) for _ in range(AGAIN) for number in inputs],
        "interleaved": [replace(first, mode="interleaved", other=drawing.inputs[1 % len(drawing.inputs)])],
        "single": [_Plan(single, None, _layout(single, drawing.values(single))) for single in singles],
        "partial": [drawing.plan(0, only=number) for number in range(results if results > 1 else 0)],
        "needed": [drawing.plan(0, needed=n) for n in (floats if _asks(grading, "needs_input_grad") else [])],
        "no_gradient": [drawing.plan(0, mode="no_gradient")] if _asks(grading, "no_gradient") else [],
        "from_result": [drawing.plan(0, mode="changed_after")] if _asks(grading, "from_result") else [],
    }
    return plans | {"repeated": [first]}  # the last of all


def _fill(evidence: Evidence, drawing: _Drawing, runs: dict[str, list[Run]]) -> None:
    """The records that the rules read."""
    cases = zip(drawing.inputs, drawing.expected, drawing.slopes, runs["cases"], strict=True)
    evidence.cases = [Case(*each) for each in cases]
    for number, run in enumerate(runs["again"]):
        evidence.cases[number % len(evidence.cases)].rows.append(run)
    (evidence.repeated,), (evidence.interleaved,) = (runs[name] for name in ("repeated", "interleaved"))
    singles = [(run, drawing.values(run.arguments)) for run in runs["single"]]
    worst = [(run, right) for run, right in singles if run.crash or not values_right(run, right)]
    evidence.single, evidence.single_expected = (worst or singles)[0]
    evidence.partial = runs["partial"]
    evidence.needed = dict(zip(drawing.slopes[0], runs["needed"], strict=False))
    evidence.no_gradient = next(iter(runs["no_gradient"]), None)
    evidence.from_result = next(iter(runs["from_result"]), None)
    # The rules look at the first run of each case alone for these; here every run counts.
    for case in evidence.cases:
        for row in case.rows:
            case.run.changed += row.changed
            if not values_right(row, case.expected):
                case.run.values = row.values


def _first_words(evidence: Evidence, runs: dict[str, list[Run]]) -> str:
    crashes = [run.crash or run.refused for several in runs.values() for run in several]
    crashes += [second.crash for second in evidence.second]
    return next((crash.message for crash in crashes if crash), "")


@dataclass(frozen=True)
class _TwicePlan:
    """The second order at one input: what is asked, and what is right."""

    arguments: tuple[Any, ...]
    cotangents: Values
    weights: Values
    measured: dict[int, np.ndarray]
    layout: wire.TwiceLayout

    @classmethod
    def of(cls, drawing: _Drawing, number: int) -> "_TwicePlan":
        """For input `number`."""
        arguments = drawing.inputs[number]
        indices = list(drawing.slopes[number])
        cotangents = drawing.cotangents(drawing.expected[number])
        weights = tuple(drawing.random(arguments[n]) for n in indices)
        measured = second_order(drawing.grading, arguments, cotangents, weights)
        forms = (*(_form(arguments[n]) for n in indices), _form(cotangents[0]))
        return cls(arguments, cotangents, weights, measured, wire.TwiceLayout(forms))

    @property
    def asked(self) -> dict[str, Any]:
        """As it is sent."""
        return {
            "arguments": list(self.arguments),
            "cotangents": list(self.cotangents),
            "weights": list(self.weights),
            "forms": list(self.layout.forms),
        }

    def second(self, told: wire.Twice) -> Second:
        """The record of what came back."""
        keys = [n for n, argument in enumerate(self.arguments) if is_float(argument)]
        crash = Crash("backward of backward", "", told.words) if told.crashed else None
        got = dict(zip([*keys, -1], told.got, strict=True))
        return Second(self.arguments, told.connected, got, self.measured, crash)


_STEP = 2e-3
_SIXTH_ORDER = ((1, 3 / 4), (2, -3 / 20), (3, 1 / 60))


def second_order(
    grading: Gradcheck, arguments: tuple[Any, ...], cotangents: Values, weights: Values
) -> dict[int, np.ndarray]:
    """Of `sum(weights * gradients)` the gradient by each float argument, and (-1) by the first cotangent.

    By differences of the specification's values alone, of sixth order and with a wide step, for a difference of
    differences with a narrow one has too few right digits.
    """
    indices = [n for n, argument in enumerate(arguments) if is_float(argument)]
    along = dict(zip(indices, weights, strict=True))

    def weighted(at: Sequence[Any]) -> np.ndarray:
        """How the results change along the weights, in one row; or what the declared gradients have to say."""
        if grading.vjp is None:
            return _slope(
                lambda t: _results(grading, [a + t * along[n] if n in along else a for n, a in enumerate(at)])
            )
        units = _units(cotangents)
        given = [as_values(grading.vjp(*unit, *_copies(at))) for unit in units]
        return np.array([flat(each) @ flat(weights) for each in given])

    def moved_along(index: int, direction: np.ndarray, t: float) -> np.ndarray:
        return weighted([a + t * direction if n == index else a for n, a in enumerate(arguments)])

    vector = flat(cotangents)
    measured = {}
    for index in indices:
        x = arguments[index]
        found = np.empty(x.size)
        for entry in range(x.size):
            unit = np.zeros(x.size)
            unit[entry] = 1
            found[entry] = vector @ _slope(partial(moved_along, index, unit.reshape(x.shape)))
        measured[index] = found.reshape(x.shape)
    first = cotangents[0]
    measured[-1] = weighted(arguments)[: first.size].reshape(first.shape)
    return measured


def _results(grading: Gradcheck, arguments: Sequence[Any]) -> np.ndarray:
    return flat(differentiable(grading, as_values(grading.forward(*_copies(arguments)))))


def _slope(f: Callable[[float], np.ndarray]) -> np.ndarray:
    total = sum(c * (f(k * _STEP) - f(-k * _STEP)) for k, c in _SIXTH_ORDER)
    return np.asarray(total / _STEP)


def _units(values: Values) -> list[Values]:
    """Every cotangent that is 1 in one place and 0 elsewhere."""
    found = []
    for number, value in enumerate(values):
        for entry in range(value.size):
            unit = [np.zeros_like(each) for each in values]
            unit[number].reshape(-1)[entry] = 1
            found.append(tuple(unit))
    return found


def _layout(arguments: Sequence[Any], results: Values) -> wire.RunLayout:
    return wire.RunLayout(tuple(map(_form, results)), tuple(_form(a) if is_float(a) else None for a in arguments))


def _form(array: np.ndarray) -> wire.Form:
    return array.dtype.name, array.shape


def _cut(data: bytes, layouts: Sequence[Any]) -> list[bytes]:
    parts, at = [], 0
    for layout in layouts:
        parts.append(data[at : at + layout.size])
        at += layout.size
    return parts


def _copies(arguments: Sequence[Any]) -> list[Any]:
    return [a.copy() if isinstance(a, np.ndarray) else a for a in arguments]


def _refuse_not_finite(several: Sequence[Values]) -> None:
    if not all(np.isfinite(each).all() for values in several for each in values):
        raise Unfit("the specification is not finite at an input that was drawn")


# ---- calls ----------------------------------------------------------------------------------------------------------


def _judge_call(exercise: Exercise, grading: Call, ask: Asking, seed: int) -> Verdict:
    rng = np.random.default_rng(seed)
    inputs = [tuple(arguments) for arguments in grading.inputs(rng)]
    larger = [tuple(arguments) for arguments in grading.larger(rng)] if grading.larger else []
    evidence = CallEvidence(exercise)
    calls = _calls(exercise, grading, ask, [*inputs, inputs[0]])
    if calls:
        evidence.calls, evidence.repeated = calls[:-1], calls[-1]
    else:
        evidence.structure = "no_function"
    failed = _failed(exercise, evidence)
    if larger and not failed:  # an answer that is too slow for these has no other verdict than that
        evidence.calls += _calls(exercise, grading, ask, larger)
        failed = _failed(exercise, evidence)
    crashes = [called.crash for called in evidence.calls if called.crash]
    counted = tuple(each.text for each in grading.also if each.counted and not larger)
    return Verdict(failed, seed, crashes[0].message if crashes else "", counted)


def _calls(exercise: Exercise, grading: Call, ask: Asking, order: list[tuple[Any, ...]]) -> list[Called]:
    """What comes of the calls in `order`; none where there is nothing that can be called."""
    expected = [plain(grading.specification(*map(specified, arguments))) for arguments in order]
    given = [[_sent(each) for each in arguments] for arguments in order]
    capacity = _capacity(given, expected)
    question = {
        "ask": "call",
        "entry": exercise.entry,
        "names": list(grading.arguments),
        "text": text_for(grading, order),
        "calls": given,
        "capacity": capacity,
    }
    reply = ask(wire.question(question), capacity * len(order))
    replies = [wire.load(wire.unpadded(reply[n * capacity : (n + 1) * capacity])) for n in range(len(order))]
    if all(each == "no_function" for each in replies):
        return []
    return [
        _called(Called(grading.arguments, arguments, right), told)
        for arguments, right, told in zip(order, expected, replies, strict=True)
    ]


def _failed(exercise: Exercise, evidence: CallEvidence) -> tuple[str, ...]:
    return tuple(check.text for check in call_checks_of(exercise) if _state(check, evidence) != "pass")


def _state(check: Any, evidence: CallEvidence) -> str:
    try:
        return str(check.judge(evidence))
    except Exception as problem:
        # The rules are made for what `observe_call` writes down; what is sent can be of a form that it never has.
        raise wire.Broken(f"what was sent cannot be judged: {type(problem).__name__}") from problem


def _sent(argument: Any) -> Any:
    """An argument as the student's side makes it again."""
    if not isinstance(argument, Prepared):
        return argument
    return wire.Made(type(argument).__name__, dict(vars(argument)))


def _capacity(given: Any, expected: Any) -> int:
    """Room for any reply that may be right, in steps too wide to tell its length."""
    longest = max(len(wire.dump([one, other])) for one, other in zip(given, expected, strict=True))
    return SMALLEST_REPLY * (1 + 8 * longest // SMALLEST_REPLY)


def _called(called: Called, told: Any) -> Called:
    """Fill in what came back; `Broken` where it has another form."""
    if isinstance(told, wire.Strange):  # too large
        called.result = Strange(told.type)
        return called
    try:
        result, crash = told["result"], told["crash"]
        called.result = NOTHING if isinstance(result, wire.Nothing) else _plain(result)
        called.results = [_facts(each) for each in told["results"]]
        called.after = {name: _facts(each) for name, each in told["after"].items()}
        called.changed = tuple(map(str, told["changed"]))
        called.crash = None if crash is None else Crash("your code", "", str(crash))
        for argument, counts in zip(called.arguments, told["counts"], strict=True):
            _count(argument, counts)
    except (TypeError, KeyError, ValueError, AttributeError) as problem:
        raise wire.Broken("a reply of another form") from problem
    return called


def _plain(result: Any) -> Any:
    if isinstance(result, wire.Strange):
        return Strange(result.type)
    if isinstance(result, list):
        return [_plain(each) for each in result]
    if isinstance(result, dict):
        return {key: _plain(each) for key, each in result.items()}
    if isinstance(result, tuple | wire.Made | wire.Nothing):
        raise wire.Broken("a result of another form")
    return result


def _facts(told: Any) -> TensorFacts:
    value, requires_grad, is_leaf, grad, shares = told
    if not isinstance(value, np.ndarray) or not (grad is None or isinstance(grad, np.ndarray)):
        raise wire.Broken("a tensor without numbers")
    return TensorFacts(value, bool(requires_grad), bool(is_leaf), grad, tuple(map(str, shares)))


def _count(argument: Any, counts: dict[str, Any]) -> None:
    """Set the counters of an argument that counts what is done with it (`Watched`), as the answer's process says."""
    for name, count in counts.items():
        if isinstance(getattr(type(argument), name, None), int) and type(count) is int:
            setattr(argument, name, count)
