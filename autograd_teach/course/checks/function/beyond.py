"""Diagnoses beyond one forward and one backward: several calls, further requirements, the second derivative.

NumPy only, reads only records. A message names the entry, argument or line and shows numbers; it never gives the answer
away. To add a diagnosis, write a function `(FunctionEvidence) -> str | None` with the decorator
`@diagnosis(name, checks that it explains)`, at its place in the order.
"""

from dataclasses import replace

import numpy as np

from ..diagnosing import Diagnosis, apart, index_in_words, into
from .checks import asked_wrong, computed_unasked, partial_right, same_run, wrong_seconds
from .evidence import FunctionEvidence
from .values import crash_in_words, failure_in_words, largest_difference, only_for

BEYOND: list[Diagnosis] = []
diagnosis = into(BEYOND)


# Several calls


@diagnosis("shared_between_calls", "repeat")
def _shared_between_calls(evidence: FunctionEvidence) -> str | None:
    first, between = evidence.cases[0].run, evidence.interleaved
    if same_run(first, evidence.repeated) and not same_run(first, between):
        if between and between.values and same_run(first, replace(between, values=first.values)):
            return "a second call of forward changes the result of the first: each call must return its own tensor"
        return "a second call of forward breaks the backward of the first: keep what backward needs on ctx, because each call has its own ctx"
    return None


@diagnosis("backward_once", "runs", "repeat")
def _backward_once(evidence: FunctionEvidence) -> str | None:
    again = evidence.backward_again
    crash = failure_in_words(again) if again else None
    first = evidence.cases[0].run if evidence.cases else None
    if again is None or first is None or first.crash or not same_run(first, evidence.repeated):
        return None
    if crash is None and same_run(first, again):
        return None
    how = f": {crash}" if crash else " gives another gradient"
    return f"a second backward pass through the same graph{how}; backward must not change saved values"


@diagnosis("not_repeatable", "repeat")
def _not_repeatable(evidence: FunctionEvidence) -> str | None:
    again = evidence.repeated
    crash = failure_in_words(again) if again else None
    what = f"raises an error the second time ({crash})" if crash else "gives another result the second time"
    return f"the same call {what}: something outside ctx keeps values of the first call, or is random"


# Further requirements of an exercise


@diagnosis("not_dirty", "in_place")
def _not_dirty(evidence: FunctionEvidence) -> str | None:
    number = evidence.form.in_place[0]
    ran = [run for run in evidence.runs if run.values is not None]
    bad = [run for run in ran if number not in run.returned_itself]
    name = evidence.form.arguments[number]
    if not bad:
        return None
    where = only_for(evidence, bad, ran)
    if bad[0].shares_memory:
        needed = f"`ctx.mark_dirty({name})` and returning {name} itself are both needed"
        return f"{name} is changed in place{where}, but autograd does not know it: {needed}"
    return f"the result is a new tensor{where}; {name} itself must be changed and returned"


@diagnosis("not_marked", "constants")
def _not_marked(evidence: FunctionEvidence) -> str | None:
    for number in evidence.form.constants:
        if any(number < len(run.requires_grad) and run.requires_grad[number] for run in evidence.runs):
            return (
                f"result {number + 1} requires grad, but does not have a gradient: forward must call ctx.mark_non_differentiable, once, "
                f"with the tensor itself that it returns as result {number + 1}, not with a copy or another tensor"
            )
    return None


@diagnosis("none_grad_output", "partial")
def _none_grad_output(evidence: FunctionEvidence) -> str | None:
    case = evidence.cases[0]
    for number, run in enumerate(evidence.partial):
        if not partial_right(case, run):
            only = f"if only result {number + 1} is used"
            comes = "None" if run.got_none else "zeros"
            crash = failure_in_words(run)
            if crash is None:
                return f"{only}, the gradient is wrong; the grad_output of a result that is not used is {comes} here"
            return f"{only}, {crash}; the grad_output of a result that is not used is {comes} here"
    return None


@diagnosis("needs_input_grad_ignored", "needs_input_grad")
def _needs_input_grad_ignored(evidence: FunctionEvidence) -> str | None:
    names = evidence.form.arguments
    for asked, run in evidence.needed.items():
        if run.returned is not None and len(run.returned) < len(names):
            return (
                f"if only {names[asked]} requires grad, backward returns {len(run.returned)} of {len(names)} values: "
                "return None for arguments that do not need a gradient"
            )
        for number in computed_unasked(run, asked):
            return (
                f"backward returns a tensor for {names[number]} although only {names[asked]} requires grad: "
                f"ctx.needs_input_grad[{number}] is False then, so return None for it"
            )
    return None


@diagnosis("asked_not_given", "gradient")
def _asked_not_given(evidence: FunctionEvidence) -> str | None:
    names = evidence.form.arguments
    for asked, run in evidence.needed.items():
        if asked_wrong(evidence, asked):
            returned = run.returned or ()
            if 0 < len(returned) <= asked:
                return (
                    f"if only {names[asked]} requires grad, backward returns {len(returned)} of {len(names)} values, and none "
                    f"at the place of {names[asked]}: return one for each argument, None where no gradient is needed"
                )
            entry = returned[asked] if asked < len(returned) else None
            wrong = "no gradient" if entry is None else "a wrong gradient"
            return (
                f"if only {names[asked]} requires grad, backward returns {wrong} for it: which entry of "
                "ctx.needs_input_grad does it depend on, and is it computed from another gradient?"
            )
    return None


@diagnosis("zeros_for_none", "no_gradient")
def _zeros_for_none(evidence: FunctionEvidence) -> str | None:
    run = evidence.no_gradient
    return (
        "if no gradient comes, backward gets a tensor of zeros and computes with it: forward did not ask for None instead"
        if run is not None and run.returned is not None and not run.got_none
        else None
    )


@diagnosis("none_grad_output", "no_gradient")
def _none_not_handled(evidence: FunctionEvidence) -> str | None:
    run = evidence.no_gradient
    if run is None:
        return None
    does = failure_in_words(run) or "backward returns a gradient, but it must return None"
    return f"if no gradient comes, grad_output is None: {does}"


@diagnosis("second_raised", "double_backward")
def _second_raised(evidence: FunctionEvidence) -> str | None:
    crash = next((second.crash for second in evidence.second if second.crash), None)
    # An in-place change has its own diagnosis, and also makes this fail; so has what raises an error before.
    if crash is None or any(run.changed or run.crash == crash for run in evidence.runs):
        return None
    once = "; once_differentiable forbids what this exercise asks for" if "once_differentiable" in crash.message else ""
    return f"differentiating backward: {crash_in_words(crash)}{once}"


@diagnosis("second_cut", "double_backward")
def _second_cut(evidence: FunctionEvidence) -> str | None:
    judged = [second for second in evidence.second if second.crash is None]
    if not judged or any(second.connected and any(got is not None for got in second.got.values()) for second in judged):
        return None
    return (
        "the gradient does not have a graph, so it cannot be differentiated: somewhere in backward it leaves the "
        "tensors (for example through NumPy, .item(), .data, .detach() or no_grad)"
    )


@diagnosis("second_nan", "double_backward")
def _second_nan(evidence: FunctionEvidence) -> str | None:
    for second in evidence.second:
        for key in wrong_seconds(second) if second.crash is None else ():
            got = second.got.get(key)
            if got is not None and not np.isfinite(got).all():
                name = _differentiated(evidence, key)
                at = tuple(int(i) for i in np.argwhere(~np.isfinite(got))[0])
                bad = "NaN" if np.isnan(got).any() else "infinite"
                there = f", where `{name}` is {second.arguments[key][at]:.4g}" if key >= 0 else ""
                entry = f" in its entry {index_in_words(at)}" if at else ""
                return (
                    f"the first derivative is right, the second by `{name}` is {bad}{entry}{there}: a number "
                    "inside backward is infinite, or 0 in a denominator, although its product or quotient is finite"
                )
    return None


_CUT_OFF = "computed in forward or under no_grad, or cut off by .detach(), .data, .item() or NumPy"


@diagnosis("second_constant", "double_backward")
def _second_constant(evidence: FunctionEvidence) -> str | None:
    for index, name in enumerate(evidence.form.arguments):
        wrong = [second for second in evidence.second if index in wrong_seconds(second)]
        if wrong and all(second.got.get(index) is None or not np.any(second.got[index]) for second in wrong):
            what = "the result" if "from_result" in evidence.form.properties else "the arguments or the result"
            return (
                f"the second derivative misses how the gradient depends on `{name}`: backward uses something that is a constant for "
                f"autograd; was it {_CUT_OFF}? Compute it in backward, without any of these, from {what}, saved with save_for_backward"
            )
    return None


@diagnosis("wrong_second", "double_backward")
def _wrong_second(evidence: FunctionEvidence) -> str | None:
    second = next((each for each in evidence.second if each.crash is None and wrong_seconds(each)), None)
    if second is None:
        return None
    key = wrong_seconds(second)[0]
    name = _differentiated(evidence, key)
    got, want = second.got.get(key), second.measured[key]
    shown = np.zeros_like(want) if got is None else got
    at = largest_difference(shown, want)
    ask = (
        "does it leave the graph somewhere in backward"
        if key < 0
        else f"is something that depends on `{name}` a constant for backward ({_CUT_OFF})"
    )
    is_, must = apart(float(shown[at]), float(want[at]))
    return (
        f"the first derivative is right, the second by `{name}` is wrong (the derivative of the gradient with random "
        f"weights{index_in_words(at) and f', entry {index_in_words(at)}'}: yours is {is_}, it must be {must}); {ask}?"
    )


def _differentiated(evidence: FunctionEvidence, key: int) -> str:
    """The variable of a second derivative: an argument or, for a negative key, the grad_output of a result."""
    if key >= 0:
        return evidence.form.arguments[key]
    return "grad_output" if evidence.form.results == 1 else f"the grad_output of result {-key}"


@diagnosis("saved_argument", "from_result")
def _saved_argument(evidence: FunctionEvidence) -> str | None:
    name = evidence.form.arguments[0]
    return (
        f"backward needs `{name}` itself, or a tensor that shares its memory: it fails if `{name}` is changed after forward; save "
        "the result instead, as the exercise asks"
    )
