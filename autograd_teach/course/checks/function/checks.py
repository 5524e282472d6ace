"""The checks of a custom Function: the lines of a report, and whether each passes, from the evidence only.

What is asked beyond right results is a property: its words decide the line of a report and explain it. NumPy only. Must not use
the engine, and does not run the student's code.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ...exercises.declaration import Exercise, FunctionForm
from ...jacobian import is_float, same_slopes
from ..checker import Check, State, state
from ..diagnosing import Diagnosis, raised_in_words
from ..numbers import largest_difference
from ..spec import FunctionSpec
from ..table import scope_in_words
from ..writing import apart, index_in_words
from .evidence import Case, FunctionEvidence
from .records import Odd, Run, same_values

Wrong = Callable[[FunctionEvidence], str | None]


@dataclass(frozen=True)
class Property:
    """A property: its name, its line in a report, and what is wrong: "" if it holds, None if that cannot be seen.

    counted: whether it relies on notes of the answer's own process.
    """

    name: str
    text: str
    wrong: Wrong
    counted: bool = False

    def check(self, form: FunctionForm) -> Check:
        """The check of this property, for an exercise of this form."""
        may = " and ".join(form.arguments[number] for number in form.in_place)
        other = f" other than {may} are left unchanged, and so are the result and grad_output in backward"
        text = f"the arguments{other}" if may and self.name == "unchanged" else self.text
        return Check(self.name, text, self._state, self.counted)

    def _state(self, evidence: FunctionEvidence) -> State:
        words = self.wrong(evidence)
        return "not reached" if words is None else state(not words)


PROPERTIES: list[Property] = []
"""The properties, in the order of a report."""


def asked(name: str, text: str, counted: bool = False) -> Callable[[Wrong], Wrong]:
    """A decorator that makes a property of a function that says what is wrong."""

    def append(wrong: Wrong) -> Wrong:
        PROPERTIES.append(Property(name, text, wrong, counted))
        return wrong

    return append


# ---- what several properties read ------------------------------------------------------------------------------------------


def only_for(evidence: FunctionEvidence, bad: list[Run], judged: list[Run]) -> str:
    """The inputs of `bad` runs among those that were judged, in words; "" if these are all."""
    numbers = {id(run): number for number, run in enumerate(evidence.runs)}
    chosen, among = ([numbers[id(run)] for run in several] for several in (bad, judged))
    return scope_in_words(evidence.form, [run.arguments for run in evidence.runs], chosen, among)


def failure_in_words(evidence: FunctionEvidence, run: Run | None) -> str:
    """The error of a run in words; "" if there was none."""
    if run and run.refused and not run.crash:
        return f"autograd does not accept what backward returns: {run.refused.kind}: {run.refused.message}"
    return raised_in_words(evidence, run.crash) if run and run.crash else ""


def returns_right(run: Run) -> bool:
    """Whether backward returned what each argument needs: a gradient of its shape, or None."""
    returned = without_extra_none(run)
    return len(returned) == len(run.arguments) and all(
        isinstance(entry, np.ndarray) and entry.shape == argument.shape if is_float(argument) else entry is None
        for entry, argument in zip(returned, run.arguments, strict=True)
    )


def without_extra_none(run: Run) -> tuple[np.ndarray | Odd | None, ...]:
    """What backward returned, without extra Nones at the end, which PyTorch allows."""
    returned = run.returned or ()
    while len(returned) > len(run.arguments) and returned[-1] is None:
        returned = returned[:-1]
    return returned


def _returns_wrong(evidence: FunctionEvidence) -> bool:
    """Whether something is wrong with what forward and backward return, whatever the numbers."""
    fits = all(
        case.run.values is None or [v.shape for v in case.run.values] == [v.shape for v in case.expected]
        for case in evidence.cases
    )
    return not fits or any(run.returned is not None and not returns_right(run) for run in evidence.runs)


def _all_right(evidence: FunctionEvidence) -> bool:
    return bool(evidence.cases) and all(all(several) for case in evidence.cases for several in case.verdicts.values())


def _ran(evidence: FunctionEvidence) -> list[Run]:
    return [run for run in evidence.runs if run.values is not None]


# ---- what is changed, and several calls ------------------------------------------------------------------------------------


@asked("unchanged", "the arguments, the result and grad_output are left unchanged", counted=True)
def unchanged(evidence: FunctionEvidence) -> str | None:
    """An argument first: if it is changed, the numbers are wrong because of that."""
    changes = [(change, run) for run in _ran(evidence) for change in run.changed]
    for change, run in changes:
        number, _, where = change.partition(" ")
        if number.isdigit():
            name = evidence.form.arguments[int(number)]
            alone = sum(isinstance(each, np.ndarray) for each in run.arguments) == 1
            shared = run.shares_memory and alone and where == "in forward" and not evidence.form.in_place
            how = f"the result shares the memory of {name}, work on a copy" if shared else f"work on a copy of {name}"
            return f"the argument {name} is changed {where}: {how}"
    if any("grad_output" in change for change, _ in changes):
        return "backward changes grad_output in place; other branches of the graph may still need it: work on a copy"
    if changes:
        return "backward changes the result of forward in place, but the caller still uses that tensor: work on a copy"
    return "" if _ran(evidence) else None


@asked("repeat", "calling it again gives the same, calls do not disturb each other")
def repeat(evidence: FunctionEvidence) -> str | None:
    """The same values and gradients again: in a second call, with other calls in between, in a second backward pass."""
    again, between = evidence.one("repeated"), evidence.one("interleaved")
    if again is None or between is None or evidence.one("backward_again") is None:
        return None
    first, second = evidence.runs[0], evidence.runs[1 % len(evidence.runs)]
    if second.crash or (between.crash and between.crash.phase == "forward"):
        return None  # the second call, or one in between, fails by itself
    if not _same_run(first, again):
        crash = failure_in_words(evidence, again)
        what = f"raises an error the second time ({crash})" if crash else "gives another result the second time"
        return f"the same call {what}: something outside ctx keeps values of the first call, or is random"
    if not _same_run(first, between):
        if between.values and _same_run(first, replace(between, values=first.values)):
            return "a second call of forward changes the result of the first: each call must return its own tensor"
        keep = "keep what backward needs on ctx, because each call has its own ctx"
        return f"a second call of forward breaks the backward of the first: {keep}"
    return backward_once(evidence) or ""


def backward_once(evidence: FunctionEvidence) -> str | None:
    """A second backward pass through the same graph raises an error or gives another gradient."""
    first, again = next(iter(evidence.runs), Run()), evidence.one("backward_again")
    if again is None or first.crash or _same_run(first, again) or not _same_run(first, evidence.one("repeated")):
        return None
    crash = failure_in_words(evidence, again)
    how = f": {crash}" if crash else " gives another gradient"
    return f"a second backward pass through the same graph{how}; backward must not change saved values"


def _same_run(first: Run, again: Run | None) -> bool:
    """Whether another run of the same input with the same cotangent gave the same values and gradients."""
    if again is None or again.values is None or first.values is None:
        return False
    if (first.returned is None) != (again.returned is None):
        return False
    return _same(first.values, again.values) and _same(first.returned or (), again.returned or ())


def _same(one: tuple[object, ...], other: tuple[object, ...]) -> bool:
    return len(one) == len(other) and all(
        type(a) is type(b) and (np.array_equal(a, b, equal_nan=True) if isinstance(a, np.ndarray) else a == b)  # type: ignore[arg-type]
        for a, b in zip(one, other, strict=True)
    )


# ---- further requirements of an exercise -----------------------------------------------------------------------------------


@asked("constants", "a result without a gradient does not require grad", counted=True)
def _constants(evidence: FunctionEvidence) -> str | None:
    ran = [run.requires_grad for run in evidence.runs if len(run.requires_grad) == evidence.form.results]
    for number in evidence.form.constants:
        if any(grads[number] for grads in ran):
            return (
                f"result {number + 1} requires grad, but does not have a gradient: forward must call ctx.mark_non_differentiable, "
                f"once, with the tensor itself that it returns as result {number + 1}, not with a copy or another tensor"
            )
    return "" if ran else None


@asked("in_place", "the argument itself is changed and returned, and marked as dirty", counted=True)
def _in_place(evidence: FunctionEvidence) -> str | None:
    number, ran = evidence.form.in_place[0], _ran(evidence)
    bad, name = [run for run in ran if number not in run.returned_itself], evidence.form.arguments[number]
    if not bad:
        return "" if ran else None
    where = only_for(evidence, bad, ran)
    if bad[0].shares_memory:
        needed = f"`ctx.mark_dirty({name})` and returning {name} itself are both needed"
        return f"{name} is changed in place{where}, but autograd does not know it: {needed}"
    return f"the result is a new tensor{where}; {name} itself must be changed and returned"


@asked("partial", "backward is right where only one of the results is used")
def _partial(evidence: FunctionEvidence) -> str | None:
    """Only one of the results is used."""
    if not evidence.found.get("partial", ()) or _returns_wrong(evidence):
        return None
    case = evidence.cases[0]
    if any(False in several for several in case.verdicts.values()):
        return None  # the gradient is wrong in any case
    for number, run in enumerate(evidence.found.get("partial", ())):
        if not _partial_right(case, run):
            only = f"if only result {number + 1} is used: {failure_in_words(evidence, run) or 'the gradient is wrong'}"
            return f"{only}; the grad_output of a result that is not used is {'None' if run.got_none else 'zeros'} here"
    return ""


def _partial_right(case: Case, run: Run) -> bool:
    """Whether backward is right if only one of the results is used. None counts as a gradient of zeros."""
    if run.crash or run.refused or run.returned is None:
        return False
    given = dict(enumerate(run.returned))
    zeros = {n: np.zeros(np.shape(case.arguments[n])) for n in case.numerical if given.get(n) is None}
    filled = replace(run, returned=tuple(zeros.get(n, given.get(n)) for n in range(len(case.arguments))))
    return all(case.is_right(filled, index) for index in case.numerical)


def asked_wrong(evidence: FunctionEvidence) -> str | None:
    """A gradient that is right if all arguments require grad, but missing or wrong if only this one does."""
    case, names = evidence.cases[0] if evidence.cases else None, evidence.form.arguments
    for asked, run in evidence.needed.items() if case else ():
        if run.crash or case.is_right(case.run, asked) is not True or case.is_right(run, asked):  # type: ignore[union-attr]
            continue
        returned = run.returned or ()
        what = f"{'no' if dict(enumerate(returned)).get(asked) is None else 'a wrong'} gradient for it"
        if 0 < len(returned) <= asked:
            what = f"{len(returned)} of {len(names)} values, and none at the place of {names[asked]}"
        ask = "which entry of ctx.needs_input_grad does it depend on, and is it computed from another gradient?"
        return f"if only {names[asked]} requires grad, backward returns {what}: {ask}"
    return None


@asked("needs_input_grad", "backward computes a gradient only where ctx.needs_input_grad asks for one", counted=True)
def _needs_input_grad(evidence: FunctionEvidence) -> str | None:
    ran, names = {n: run for n, run in evidence.needed.items() if run.returned is not None}, evidence.form.arguments
    wrong = any(False in several for case in evidence.cases for several in case.verdicts.values())
    if not ran or wrong or asked_wrong(evidence) or _returns_wrong(evidence):
        return None
    for asked, run in ran.items():
        returned, only = run.returned or (), f"only {names[asked]} requires grad"
        if len(returned) < len(names):
            ask = "return None for arguments that do not need a gradient"
            return f"if {only}, backward returns {len(returned)} of {len(names)} values: {ask}"
        for number, entry in enumerate(returned):
            if number != asked and isinstance(entry, np.ndarray):
                ask = f"ctx.needs_input_grad[{number}] is False then, so return None for it"
                return f"backward returns a tensor for {names[number]} although {only}: {ask}"
    return ""


@asked("no_gradient", "where no gradient comes, backward gets None and gives None", counted=True)
def _no_gradient(evidence: FunctionEvidence) -> str | None:
    run = evidence.one("no_gradient")
    if run is None or not (run.crash or run.returned) or _returns_wrong(evidence):
        return None
    if run.returned is not None and not run.got_none:
        zeros = "backward gets a tensor of zeros and computes with it: forward did not ask for None instead"
        return f"if no gradient comes, {zeros}"
    if not run.crash and not run.refused and all(entry is None for entry in run.returned or ()):
        return ""
    does = failure_in_words(evidence, run) or "backward returns a gradient, but it must return None"
    return f"if no gradient comes, grad_output is None: {does}"


@asked("from_result", "backward works from the saved result, not from the argument", counted=True)
def _from_result(evidence: FunctionEvidence) -> str | None:
    case, run = evidence.cases[0] if evidence.cases else None, evidence.one("from_result")
    if case is None or run is None or not all(several[0] for several in case.verdicts.values()) or case.run.changed:
        return None  # a wrong gradient does not show what it was computed from
    if all(case.is_right(run, index) for index in case.numerical):
        return ""
    name = evidence.form.arguments[0]
    return (
        f"backward needs `{name}` itself, or a tensor that shares its memory: it fails if `{name}` is changed after forward; save "
        "the result instead, as the exercise asks"
    )


# ---- the second derivative -------------------------------------------------------------------------------------------------

_CUT_OFF = "computed in forward or under no_grad, or cut off by .detach(), .data, .item() or NumPy"


@asked("double_backward", "backward can be differentiated, and the second derivative is right")
def _double_backward(evidence: FunctionEvidence) -> str | None:
    """Not reached with an in-place change, which also breaks the graph, and with what raises an error before."""
    changed = any(run.changed for run in evidence.runs)
    if not evidence.second or not _all_right(evidence) or changed or _returns_wrong(evidence):
        return None
    crash = next((run.crash for run, _ in evidence.second if run.crash), None)
    if crash:
        return f"differentiating backward: {raised_in_words(evidence, crash)}"
    if not any(got is not None for _, pairs in evidence.second for got, _ in pairs.values()):
        cut = "so it cannot be differentiated: somewhere in backward it leaves the tensors"
        return f"the gradient does not have a graph, {cut} (for example through NumPy, .item(), .data, .detach() or no_grad)"
    filled = [
        (run, key, np.zeros_like(want) if got is None else got, want)  # no path counts as zeros
        for run, pairs in evidence.second
        for key, (got, want) in pairs.items()
    ]
    wrong = [each for each in filled if not same_slopes(each[2], each[3])]
    if not wrong:
        every = all(run.second and run.second.connected for run, _ in evidence.second)
        return "" if every else "the gradient does not always have a graph"
    for key in dict.fromkeys(key for _, key, *_ in wrong if key >= 0):
        if not any(got.any() for _, other, got, _ in wrong if other == key):
            return _constant(evidence, evidence.form.arguments[key])
    run, key, got, want = next((each for each in wrong if not np.isfinite(each[2]).all()), wrong[0])
    name, at = _differentiated(evidence, key), largest_difference(got, want)
    entry, (is_, must) = f", entry {index_in_words(at)}" * bool(at), apart(float(got[at]), float(want[at]))
    if not np.isfinite(got).all():
        where = f", where `{name}` is {run.arguments[key][at]:.4g}" if key >= 0 else ""
        ask = "a number inside backward is infinite, or 0 in a denominator, although its product or quotient is finite"
        return (
            f"the first derivative is right, the second by `{name}` is {is_.replace('nan', 'NaN')}{entry}{where}: {ask}"
        )
    ask = f"is something that depends on `{name}` a constant for backward ({_CUT_OFF})"
    ask = "does it leave the graph somewhere in backward" if key < 0 else ask
    shown = f"(the derivative of the gradient with random weights{entry}: yours is {is_}, it must be {must})"
    return f"the first derivative is right, the second by `{name}` is wrong {shown}; {ask}?"


def _constant(evidence: FunctionEvidence, name: str) -> str:
    what = "the result" if "from_result" in evidence.form.properties else "the arguments or the result"
    return (
        f"the second derivative misses how the gradient depends on `{name}`: backward uses something that is a constant for "
        f"autograd; was it {_CUT_OFF}? Compute it in backward, without any of these, from {what}, saved with save_for_backward"
    )


def _differentiated(evidence: FunctionEvidence, key: int) -> str:
    """The variable of a second derivative: an argument or, for a negative key, the grad_output of a result."""
    if key >= 0:
        return str(evidence.form.arguments[key])
    return "grad_output" if evidence.form.results == 1 else f"the grad_output of result {-key}"


BEYOND = (
    Diagnosis("asked_not_given", ("gradient",), asked_wrong),
    *(Diagnosis(each.name, (each.name,), each.wrong) for each in PROPERTIES),
    Diagnosis("repeat", ("runs",), lambda evidence: None if unchanged(evidence) else backward_once(evidence)),
)


def checks_of(exercise: Exercise, spec: FunctionSpec) -> tuple[Check, ...]:
    """The checks that `exercise` must pass, in the order of the report."""
    form: Any = exercise.form
    asked = {"unchanged", "repeat", *form.properties}
    asked |= {name for name, numbers in (("constants", form.constants), ("in_place", form.in_place)) if numbers}
    asked |= {"partial"} if form.results - len(form.constants) > 1 else set()
    gradient = "the declared one" if form.declared else "agrees with the numerical one"
    return (
        Check("structure", "a Function with static methods forward and backward", _structure),
        Check("runs", "forward and backward run without an error, for every shape tried", _runs),
        Check("forward", "forward returns the specified values, shape and dtype", _forward),
        Check("returns", "backward returns a gradient of its shape for each tensor, None for anything else", _returns),
        Check("gradient", f"the gradient {'is ' * form.declared}{gradient}, for random grad_output", _gradient),
        *(each.check(form) for each in PROPERTIES if each.name in asked),
    )


def _structure(evidence: FunctionEvidence) -> State:
    return state(evidence.structure is None)


def _runs(evidence: FunctionEvidence) -> State:
    if not evidence.cases and evidence.timeout is None:
        return "not reached"
    crashed = any(run.crash for run in (*evidence.every_run, *evidence.needed.values()))
    refused = any(run.refused and returns_right(run) for run in evidence.runs)
    return state(evidence.timeout is None and not crashed and not refused)


def _forward(evidence: FunctionEvidence) -> State:
    ran = [case for case in evidence.cases if case.run.values is not None or case.run.odd_result]
    right = all(same_values(case.run.values, case.expected) and case.run.own_node for case in ran)
    single = evidence.single
    of_single = single is None or bool(single.crash) or same_values(single.values, evidence.single_expected)
    return state(right and of_single) if ran else "not reached"


def _returns(evidence: FunctionEvidence) -> State:
    ran = [run for run in evidence.runs if run.returned is not None]
    return state(all(map(returns_right, ran))) if ran else "not reached"


def _gradient(evidence: FunctionEvidence) -> State:
    every = [verdict for case in evidence.cases for several in case.verdicts.values() for verdict in several]
    judged = [verdict for verdict in every if verdict is not None]
    alone = asked_wrong(evidence) is not None
    if not judged or (all(judged) and not alone and None in every):
        return "not reached"  # what could be compared is right, but that is not every gradient
    return state(all(judged) and not alone)
