"""What is wrong beyond one forward and one backward: several calls, what an exercise asks besides, the second derivative.

NumPy only, reads records alone. A message names the entry, argument or line and shows numbers; it never gives the answer away.
To add one: write a function `(Evidence) -> str | None` under `@diagnosis(name, checks that it explains)` at its place in the order.
"""

import numpy as np

from .diagnosing import Diagnosis, index_in_words, into
from .jacobian import wrong_slopes
from .judge import asked_wrong, computed_unasked, partial_right, same_run, second_right, usable, wrong_seconds
from .observe import Evidence

BEYOND: list[Diagnosis] = []
diagnosis = into(BEYOND)


# Several calls


@diagnosis("shared_between_calls", "repeat")
def _shared_between_calls(evidence: Evidence) -> str | None:
    first = evidence.cases[0].run
    if same_run(first, evidence.repeated) and not same_run(first, evidence.interleaved):
        return "a second call of forward spoils the backward of the first: what backward needs must be kept on ctx, of which each call has its own"
    return None


@diagnosis("not_repeatable", "repeat")
def _not_repeatable(evidence: Evidence) -> str | None:
    return "the same call gives another result the second time: something outside ctx remembers the first, or is random"


# What an exercise asks beyond


@diagnosis("not_dirty", "in_place")
def _not_dirty(evidence: Evidence) -> str | None:
    run = next(run for run in evidence.runs if run.values is not None)
    name = evidence.exercise.grading.arguments[evidence.grading.in_place[0]]
    if run.shares_memory:
        return f"{name} is changed in place, but autograd is not told so: ctx.mark_dirty says it, and {name} itself is returned"
    return f"the result is a new tensor; {name} itself must be changed, and returned"


@diagnosis("not_marked", "constants")
def _not_marked(evidence: Evidence) -> str | None:
    number = evidence.grading.constants[0]
    return f"result {number + 1} requires grad, but has no gradient: ctx.mark_non_differentiable says so in forward"


@diagnosis("none_grad_output", "partial")
def _none_grad_output(evidence: Evidence) -> str | None:
    case = evidence.cases[0]
    for number, run in enumerate(evidence.partial):
        if not partial_right(case, run):
            only = f"where only result {number + 1} is used"
            crash = run.crash or run.refused
            if crash is None:
                return f"{only}, the gradient is wrong; the other grad_output is None or zeros then"
            return f"{only}, {crash}; the grad_output of a result that is not used may be None"
    return None


@diagnosis("needs_input_grad_ignored", "needs_input_grad")
def _needs_input_grad_ignored(evidence: Evidence) -> str | None:
    names = evidence.exercise.grading.arguments
    for asked, run in evidence.needed.items():
        for number in computed_unasked(run, asked):
            return (
                f"backward computes a gradient for {names[number]} where only {names[asked]} requires one: "
                f"ctx.needs_input_grad[{number}] is False then, and None is enough"
            )
    return None


@diagnosis("asked_not_given", "needs_input_grad")
def _asked_not_given(evidence: Evidence) -> str | None:
    names = evidence.exercise.grading.arguments
    for asked, run in evidence.needed.items():
        if asked_wrong(evidence, asked):
            wrong = "no gradient" if usable(run, asked) is None else "a wrong gradient"
            return f"where only {names[asked]} requires grad, backward gives {wrong} for it: look at which entry of ctx.needs_input_grad it depends on"
    return None


@diagnosis("zeros_for_none", "no_gradient")
def _zeros_for_none(evidence: Evidence) -> str | None:
    run = evidence.no_gradient
    return (
        "where no gradient comes, backward is handed a tensor of zeros and works on it: forward has not said that it wants None"
        if run is not None and not run.got_none
        else None
    )


@diagnosis("none_grad_output", "no_gradient")
def _none_not_handled(evidence: Evidence) -> str | None:
    run = evidence.no_gradient
    if run is None:
        return None
    does = run.crash or run.refused or "backward gives a gradient all the same, where it owes None"
    return f"where no gradient comes, grad_output is None: {does}"


@diagnosis("second_raised", "double_backward")
def _second_raised(evidence: Evidence) -> str | None:
    crash = next((second.crash for second in evidence.second if second.crash), None)
    if crash is None:
        return None
    once = "; once_differentiable forbids what this exercise asks for" if "once_differentiable" in crash.message else ""
    return f"differentiating backward: {crash}{once}"


@diagnosis("second_cut", "double_backward")
def _second_cut(evidence: Evidence) -> str | None:
    if all(second.connected and any(got is not None for got in second.got.values()) for second in evidence.second):
        return None
    return (
        "the gradient has no graph of its own, so that it cannot be differentiated: on its way through backward it leaves the "
        "tensors (through NumPy, .item(), .data, .detach() or no_grad)"
    )


@diagnosis("second_constant", "double_backward")
def _second_constant(evidence: Evidence) -> str | None:
    for second in evidence.second:
        wrong = wrong_seconds(second)
        index = next((key for key in wrong if key >= 0), None)
        if index is not None and (second.got.get(index) is None or not np.any(second.got[index])):
            name = evidence.exercise.grading.arguments[index]
            return (
                f"the second derivative misses how the gradient depends on {name}: what backward uses of it is a constant, computed in "
                f"forward or detached; save {name} or the result itself, by save_for_backward, and compute the rest in backward"
            )
    return None


@diagnosis("wrong_second", "double_backward")
def _wrong_second(evidence: Evidence) -> str | None:
    second = next(second for second in evidence.second if not second_right(second))
    key = wrong_seconds(second)[0]
    name = "grad_output" if key < 0 else evidence.exercise.grading.arguments[key]
    got, want = second.got.get(key), second.measured[key]
    shown = np.zeros_like(want) if got is None else got
    at = tuple(int(i) for i in np.argwhere(wrong_slopes(shown, want))[0])
    ask = (
        "does it leave the graph on its way through backward"
        if key < 0
        else "is something that depends on it a constant for backward"
    )
    return (
        f"the first derivative is right, the second by {name} is wrong ({name}{index_in_words(at)}: {shown[at]:.4g}, "
        f"numerically {want[at]:.4g}); {ask}?"
    )


@diagnosis("saved_argument", "from_result")
def _saved_argument(evidence: Evidence) -> str | None:
    name = evidence.exercise.grading.arguments[0]
    return f"backward needs {name} itself: it breaks where {name} is changed after forward; the exercise asks to save the result instead"
