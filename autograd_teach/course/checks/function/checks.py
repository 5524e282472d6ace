"""The checks of a custom Function: the lines of a report, and whether each passes, from the evidence only.

NumPy only. Must not use the engine, and does not run the student's code.
"""

import numpy as np

from ...exercises.declaration import FunctionForm
from ...jacobian import flat, same_slopes
from ..checker import Check, State, state
from .evidence import Case, FunctionEvidence
from .records import Odd, Run, same_values
from .slopes import SecondOrder


def checks_of(form: FunctionForm) -> tuple[Check, ...]:
    """The checks that an exercise of this form must pass, in the order of the report."""
    asked: set[str] = set(form.properties)
    asked |= {name for name, numbers in (("constants", form.constants), ("in_place", form.in_place)) if numbers}
    asked |= {"partial"} if form.results - len(form.constants) > 1 else set()
    named = {"gradient": _DECLARED} if form.declared else {}
    if form.in_place:
        other = " and ".join(form.arguments[number] for number in form.in_place)
        text = f"the arguments other than {other} are left unchanged, and so are the result and grad_output in backward"
        named["unchanged"] = Check("unchanged", text, _unchanged, counted=True)
    return tuple(
        named.get(check.name, check)
        for check in (*_FUNCTION_CHECKS, *_PROPERTY_CHECKS)
        if check in _FUNCTION_CHECKS or check.name in asked
    )


def expected_gradient(case: Case, run: Run, index: int) -> np.ndarray:
    """The vector-Jacobian product that backward must return for argument `index`, for the run's cotangent."""
    return (flat(run.cotangent) @ case.numerical[index]).reshape(np.shape(case.arguments[index]))


def usable(run: Run | None, index: int) -> np.ndarray | None:
    """What backward returned for argument `index`, if it is a tensor of the argument's shape; else None."""
    if run is None or run.returned is None or index >= len(run.returned):
        return None
    entry = run.returned[index]
    right = isinstance(entry, np.ndarray) and entry.shape == np.shape(run.arguments[index])
    return entry if right and isinstance(entry, np.ndarray) else None


def gradient_right(case: Case, run: Run | None, index: int) -> bool | None:
    """Whether the run's gradient of argument `index` is right; None if there is nothing to compare."""
    got = usable(run, index)
    if got is None or run is None or flat(run.cotangent).size != case.numerical[index].shape[0]:
        return None
    return same_slopes(got, expected_gradient(case, run, index))


def case_gradients(case: Case) -> dict[int, bool | None]:
    """For each differentiated argument, whether its gradient is right in every run; None if there is nothing to compare."""
    verdicts: dict[int, bool | None] = {}
    for index in case.numerical:
        each = [gradient_right(case, run, index) for run in (case.run, *case.rows)]
        judged = [verdict for verdict in each if verdict is not None]
        verdicts[index] = all(judged) if judged else None
    return verdicts


def same_run(first: Run, again: Run | None) -> bool:
    """Whether another run of the same input with the same cotangent gave the same values and gradients."""
    if again is None or again.values is None or first.values is None:
        return False
    if (first.returned is None) != (again.returned is None):
        return False
    return _same(first.values, again.values) and _same(first.returned or (), again.returned or ())


def _same(one: tuple[object, ...], other: tuple[object, ...]) -> bool:
    return len(one) == len(other) and all(
        np.array_equal(a, b, equal_nan=True)
        if isinstance(a, np.ndarray) and isinstance(b, np.ndarray)
        else a == b
        if not isinstance(a, np.ndarray) and not isinstance(b, np.ndarray)
        else False
        for a, b in zip(one, other, strict=True)
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
    if not ran:
        return "not reached"
    right = all(same_values(case.run.values, case.expected) and case.run.own_node for case in ran)
    return state(right and (evidence.single is None or _single_right(evidence)))


def _single_right(evidence: FunctionEvidence) -> bool:
    assert evidence.single is not None
    return evidence.single.crash is not None or same_values(evidence.single.values, evidence.single_expected)


def returns_right(run: Run) -> bool:
    """Whether backward returned what each argument needs: a gradient of its shape, or None."""
    returned = without_extra_none(run)
    return len(returned) == len(run.arguments) and all(
        (isinstance(entry, np.ndarray) and entry.shape == argument.shape)
        if isinstance(argument, np.ndarray) and argument.dtype.kind == "f"
        else entry is None
        for entry, argument in zip(returned, run.arguments, strict=True)
    )


def without_extra_none(run: Run) -> tuple[np.ndarray | Odd | None, ...]:
    """What backward returned, without extra Nones at the end, which PyTorch allows."""
    returned = run.returned or ()
    while len(returned) > len(run.arguments) and returned[-1] is None:
        returned = returned[:-1]
    return returned


def _returns(evidence: FunctionEvidence) -> State:
    ran = [run for run in evidence.runs if run.returned is not None]
    return state(all(map(returns_right, ran))) if ran else "not reached"


def _gradient(evidence: FunctionEvidence) -> State:
    judged = [verdict for case in evidence.cases for verdict in case_gradients(case).values() if verdict is not None]
    alone = any(asked_wrong(evidence, index) for index, run in evidence.needed.items() if run.crash is None)
    if not judged or (all(judged) and not alone and not _every_gradient(evidence)):
        return "not reached"  # what could be compared is right, but that is not every gradient
    return state(all(judged) and not alone)


def _every_gradient(evidence: FunctionEvidence) -> bool:
    """Whether each gradient of each run could be compared. Results or gradients of a wrong shape cannot."""
    return bool(evidence.cases) and all(
        gradient_right(case, run, index) is not None
        for case in evidence.cases
        for run in (case.run, *case.rows)
        for index in case.numerical
    )


def _unchanged(evidence: FunctionEvidence) -> State:
    ran = [run for run in evidence.runs if run.values is not None]
    return state(not any(run.changed for run in ran)) if ran else "not reached"


def _repeat(evidence: FunctionEvidence) -> State:
    if evidence.repeated is None or evidence.interleaved is None or evidence.backward_again is None:
        return "not reached"
    first, second = evidence.cases[0].run, evidence.cases[1 % len(evidence.cases)].run
    crash = evidence.interleaved.crash
    if second.crash or (crash and crash.phase == "forward"):
        return "not reached"  # the second call, or one in between, fails by itself
    again = (evidence.repeated, evidence.interleaved, evidence.backward_again)
    return state(all(same_run(first, run) for run in again))


def _from_result(evidence: FunctionEvidence) -> State:
    if evidence.from_result is None:
        return "not reached"
    case, run = evidence.cases[0], evidence.from_result
    before = [gradient_right(case, case.run, index) for index in case.numerical]
    if not all(before) or case.run.changed:
        return "not reached"  # a wrong gradient does not show what it was computed from
    return state(all(gradient_right(case, run, index) for index in case.numerical))


def _constants(evidence: FunctionEvidence) -> State:
    ran = [run for run in evidence.runs if len(run.requires_grad) == evidence.form.results]
    numbers = evidence.form.constants
    return state(not any(run.requires_grad[n] for run in ran for n in numbers)) if ran else "not reached"


def _in_place(evidence: FunctionEvidence) -> State:
    ran = [run for run in evidence.runs if run.values is not None]
    itself = all(set(evidence.form.in_place) <= set(run.returned_itself) for run in ran)
    return state(itself) if ran else "not reached"


def _partial(evidence: FunctionEvidence) -> State:
    if not evidence.partial:
        return "not reached"
    case = evidence.cases[0]
    if (
        _returns(evidence) == "fail"
        or not _results_fit(evidence)
        or not all(verdict is not False for verdict in case_gradients(case).values())
    ):
        return "not reached"  # the gradient is wrong in any case
    return state(all(partial_right(case, run) for run in evidence.partial))


def _results_fit(evidence: FunctionEvidence) -> bool:
    """Whether forward, if it returns, returns the right number of results in the right shapes."""
    return all(
        case.run.values is None or [v.shape for v in case.run.values] == [v.shape for v in case.expected]
        for case in evidence.cases
    )


def partial_right(case: Case, run: Run) -> bool:
    """Whether backward is right if only one of the results is used. None counts as a gradient of zeros."""
    if run.crash or run.refused or run.returned is None:
        return False
    for index in case.numerical:
        entry = run.returned[index] if index < len(run.returned) else None
        want = expected_gradient(case, run, index)
        if not (same_slopes(entry, want) if isinstance(entry, np.ndarray) else entry is None and not want.any()):
            return False
    return True


def _needs_input_grad(evidence: FunctionEvidence) -> State:
    ran = {index: run for index, run in evidence.needed.items() if run.returned is not None}
    if not ran or _returns(evidence) == "fail" or _gradient(evidence) == "fail":
        return "not reached"
    every = all(len(run.returned or ()) >= len(run.arguments) for run in ran.values())
    return state(every and not any(computed_unasked(run, index) for index, run in ran.items()))


def computed_unasked(run: Run, asked: int) -> list[int]:
    """The arguments for which backward returned a gradient although only argument `asked` requires one."""
    returned = enumerate(run.returned or ())
    return [number for number, entry in returned if number != asked and isinstance(entry, np.ndarray)]


def asked_wrong(evidence: FunctionEvidence, asked: int) -> bool:
    """Whether the gradient of argument `asked` is missing or wrong if only this argument requires grad, but right if all do."""
    case = evidence.cases[0]
    return gradient_right(case, case.run, asked) is True and not gradient_right(case, evidence.needed[asked], asked)


def _no_gradient(evidence: FunctionEvidence) -> State:
    run = evidence.no_gradient
    if run is None or not (run.crash or run.returned) or _returns(evidence) == "fail":
        return "not reached"
    right = run.got_none and not run.crash and not run.refused and all(entry is None for entry in run.returned or ())
    return state(right)


def _double_backward(evidence: FunctionEvidence) -> State:
    right = _every_gradient(evidence) and all(all(case_gradients(case).values()) for case in evidence.cases)
    right = right and not any(run.changed for run in evidence.runs)  # in-place changes also break the graph
    if not evidence.second or not right or _returns(evidence) == "fail" or not _results_fit(evidence):
        return "not reached"
    return state(all(map(second_right, evidence.second)))


def second_right(second: SecondOrder) -> bool:
    """Whether the gradient of the gradient agrees with the measured one. No path to an argument counts as zeros."""
    return second.connected and second.crash is None and not wrong_seconds(second)


def wrong_seconds(second: SecondOrder) -> list[int]:
    """The arguments (-1: grad_output) with respect to which the second derivative is wrong."""
    return [
        key
        for key, want in second.measured.items()
        if not same_slopes(np.zeros_like(want) if (got := second.got.get(key)) is None else got, want)
    ]


_FUNCTION_CHECKS = (
    Check("structure", "a Function with static methods forward and backward", _structure),
    Check("runs", "forward and backward run without an error, for every shape tried", _runs),
    Check("forward", "forward returns the specified values, shape and dtype", _forward),
    Check(
        "returns",
        "backward returns a gradient of its shape for each tensor, None for anything else",
        _returns,
    ),
    Check("gradient", "the gradient agrees with the numerical one, for random grad_output", _gradient),
    Check("unchanged", "the arguments, the result and grad_output are left unchanged", _unchanged, counted=True),
    Check("repeat", "calling it again gives the same, calls do not disturb each other", _repeat),
)

_DECLARED = Check("gradient", "the gradient is the declared one, for random grad_output", _gradient)

_PROPERTY_CHECKS = (
    Check("constants", "a result without a gradient does not require grad", _constants, counted=True),
    Check("in_place", "the argument itself is changed and returned, and marked as dirty", _in_place, counted=True),
    Check("partial", "backward is right where only one of the results is used", _partial),
    Check(
        "needs_input_grad",
        "backward computes a gradient only where ctx.needs_input_grad asks for one",
        _needs_input_grad,
        counted=True,
    ),
    Check("no_gradient", "where no gradient comes, backward gets None and gives None", _no_gradient, counted=True),
    Check("from_result", "backward works from the saved result, not from the argument", _from_result, counted=True),
    Check("double_backward", "backward can be differentiated, and the second derivative is right", _double_backward),
)
