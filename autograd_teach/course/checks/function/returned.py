"""Diagnoses of the object that was checked, of errors, and of what forward and backward return.

NumPy only, reads only evidence. A message names the entry, argument or line and shows numbers; it never gives the answer
away. To add a diagnosis, write a function `(FunctionEvidence) -> str | Finding | None` with the decorator
`@diagnosis(name, checks that it explains)`, at its place in the order.
"""

import itertools
from functools import partial

import numpy as np

from ...jacobian import EPS, flat, is_float, same_slopes
from ..diagnosing import Diagnosis, Finding, into, is_stub
from ..explaining import Explanation, changed
from ..numbers import reduced
from ..spec import FunctionSpec, Mistake
from ..writing import a_or_an, for_inputs, how_many
from .checks import failure_in_words, only_for, returns_right, unchanged, without_extra_none
from .evidence import FunctionEvidence
from .records import Odd, Run, differentiable

RETURNED: list[Diagnosis] = []
diagnosis = into(RETURNED)

_STRUCTURE = {
    "no_function": "this is not the class of a Function: write `class {entry}(Function)`, and pass {entry} itself, not an instance "
    "and not a method; it is called through {entry}.apply(...)",
    "no_backward": "there is no method `backward`",
    "not_static": "{methods} must be static: put @staticmethod in the line before {each} `def`",
}


@diagnosis("structure", "structure")
def _structure(evidence: FunctionEvidence) -> Finding:
    kind, _, methods = (evidence.structure or "").partition(" ")
    each = "each" if " and " in methods else "its"
    return Finding(kind, _STRUCTURE[kind].format(entry=evidence.exercise.entry, methods=methods, each=each))


# Whether it runs


@diagnosis("backward_not_attempted", "runs")
def _backward_not_attempted(evidence: FunctionEvidence) -> str | None:
    crashes = [run.crash for run in evidence.runs]
    stub = all(is_stub(crash) and crash.phase == "backward" for crash in crashes)
    return "forward is written, backward is not attempted yet" if crashes and stub else None


@diagnosis("number_of_results", "runs")
def _number_of_gradients(evidence: FunctionEvidence) -> str | None:
    """Backward gets one gradient for each result: its parameters may be right."""
    crashes = [run.crash for run in evidence.runs if run.crash]
    if not crashes or any(each.phase != "backward" or each.line is not None for each in crashes):
        return None
    return number_of_results(evidence)


@diagnosis("raised", "runs")
def _raised_beyond(evidence: FunctionEvidence) -> str | None:
    """No first run of an input raises, but another one does, or autograd does not accept what backward returns."""
    if any(run.crash for run in evidence.runs):
        return None
    names = {id(run): evidence.form.arguments[number] for number, run in evidence.needed.items()}
    rows = [row for case in evidence.cases for row in case.rows]
    again = [run for run in (evidence.one("repeated"), evidence.single) if run]
    for run in (*evidence.runs, *rows, *again, *evidence.needed.values()):
        if told := failure_in_words(evidence, run):
            return f"if only {names[id(run)]} requires grad, {told}" if id(run) in names else told
    return None


@diagnosis("unchanged", "gradient")
def _of_changed_argument(evidence: FunctionEvidence) -> str | None:
    """The changed argument has its own check; the gradient is wrong because of it."""
    words = unchanged(evidence) or ""
    return words if words.startswith("the argument") else None


# What forward returns


@diagnosis("results", "forward")
def _results(evidence: FunctionEvidence) -> Finding | None:
    """Another number of results than is asked for, or something that is no tensor."""
    if found := number_of_results(evidence):
        return Finding("number_of_results", found)
    ran, count = _forward_ran(evidence), evidence.form.results
    bad = [run for run in ran if run.odd_result]
    odd, where = bad[0].odd_result if bad else None, only_for(evidence, bad, ran)
    if odd is None:
        return None
    also = f"; also, {known.message}" if (known := evidence.known("forward")) else ""
    what = "None" if odd.type == "NoneType" else a_or_an(odd.type)
    if odd.among > 1:
        words = f"one of the {odd.among} results of forward is {what}{where}; each must be a tensor"
    elif odd.type == "NoneType":
        words = f"forward returns {'nothing' if count == 1 else what}{where}: is there a `return`?{also}"
    else:
        due, comma = "a tensor" if count == 1 else f"a tuple of {count} tensors", ", without a comma after it"
        words = f"forward returns {what}{where}; it must return {due}{comma * (odd.type == 'tuple')}"
    return Finding("no_result", words)


def number_of_results(evidence: FunctionEvidence) -> str | None:
    ran, due = _forward_ran(evidence), evidence.form.results
    counts = [(run.odd_result.among if run.odd_result else len(run.values or ()), run) for run in ran]
    bad = [(count, run) for count, run in counts if count != due and not (count == 1 and run.odd_result)]
    where = only_for(evidence, [run for _, run in bad], ran)
    return f"forward returns {how_many(bad[0][0], 'result')}; this exercise asks for {due}{where}" if bad else None


def _forward_ran(evidence: FunctionEvidence) -> list[Run]:
    return [run for run in evidence.runs if run.odd_result or run.values is not None]


@diagnosis("no_graph", "forward")
def _no_graph(evidence: FunctionEvidence) -> str | None:
    ran = [run for run in evidence.runs if run.values is not None]
    cut = [run for run in ran if not run.own_node]
    if not cut:
        return None
    names = differentiable(evidence.form, [evidence.result(n) for n in range(evidence.form.results)])
    why = "is it marked non-differentiable, detached, or of a dtype that is no float?"
    return f"{' and '.join(names)} does not require grad{only_for(evidence, cut, ran)}, so that no gradient can flow back: {why}"


diagnosis("known", "forward")(lambda evidence: known.message if (known := evidence.known("forward")) else None)


@diagnosis("forward_shape", "forward")
def _forward_shape(evidence: FunctionEvidence) -> str | None:
    for case in evidence.cases:
        for number, (got, want) in enumerate(zip(case.run.values or (), case.expected, strict=False)):
            if got.shape != want.shape:
                right = "the numbers are right, but " * (reduced(got, want) == "the numbers are right")
                words = f"{right}{evidence.result(number)} has shape {got.shape}, it must have {want.shape}"
                return f"{words}{for_inputs(evidence.form, case.arguments)}"
    return None


@diagnosis("dtype", "forward")
def _dtype(evidence: FunctionEvidence) -> str | None:
    runs = [
        *((case.run, case.expected) for case in evidence.cases),
        (evidence.single or Run(), evidence.single_expected),
    ]
    for run, expected in () if evidence.table("forward").wrong else runs:
        given = {each.dtype for each in run.arguments if is_float(each)}
        for number, (got, want) in enumerate(zip(run.values or (), expected, strict=False)):
            if got.dtype != want.dtype:
                keep = ": keep the dtype of the argument" * (given == {want.dtype})
                return f"{evidence.result(number)} has dtype {got.dtype}, it must have {want.dtype}{keep}"
    return None


def _returned(evidence: FunctionEvidence) -> list[Run]:
    """The runs whose backward returned, those with something wrong in it first."""
    return sorted((run for run in evidence.runs if run.returned is not None), key=returns_right)


@diagnosis("nothing_returned", "returns")
def _nothing_returned(evidence: FunctionEvidence) -> str | None:
    returned, names = _returned(evidence), evidence.form.arguments
    first = returned[0].returned or ()
    if any(entry is not None for entry in first) or 1 not in (len(names), len(first)):
        return None
    nothing = [run for run in returned if all(entry is None for entry in run.returned or ())]
    ask = f"is there a `return`, and is its value not None? It must return a gradient for {names[0]}"
    return f"backward returns None{only_for(evidence, nothing, returned)}: {ask}"


@diagnosis("number_of_values", "returns", "gradient")
def _number_of_values(evidence: FunctionEvidence) -> Finding | None:
    """Too few or too many: then it is unknown which value belongs to which argument."""
    returned, names, results = _returned(evidence), evidence.form.arguments, evidence.form.results
    if not returned or "returns" not in evidence.failed and results == 1:
        return None
    run, first = returned[0], returned[0].returned or ()
    if len(first) == 1 and first[0] is None:
        return None
    count, takes = (
        len(without_extra_none(run)),
        f"forward takes {how_many(len(names), 'argument')} ({', '.join(names)})",
    )
    odd = first[0].type if len(first) == 1 < len(names) and isinstance(first[0], Odd) else ""
    if odd in ("list", "tuple"):
        ask = f"return the {len(names)} values with commas between them, one for each argument of forward"
        what = "a list" if odd == "list" else "1 value, which is itself a tuple"
        return Finding("list_for_tuple", f"backward returns {what}: {ask}")
    if count == results > len(names) and len(run.values or ()) == results:
        ask = f"it must return one for each argument of forward ({', '.join(names)})"
        all_of_them = "" if evidence.form.constants else ", to which all the results contribute"
        words = f"backward returns {how_many(count, 'value')}, as many as forward has results; {ask}{all_of_them}"
        return Finding("one_per_result", words)
    if len(first) < len(names):
        enough = any(len(each.returned or names) >= len(names) for each in evidence.runs)
        here = f"; this happens{for_inputs(evidence.form, run.arguments)[1:]}" if enough else ""
        ask = f"one for each, in that order, and None where there is no gradient{here}"
        return Finding("too_few", f"backward returns {how_many(len(first), 'value')}, {takes}: {ask}")
    if count > len(names):
        return Finding(
            "too_many", f"backward returns {how_many(count, 'value')}, {takes}: one for each; ctx gets no value"
        )
    return None


@diagnosis("kind_of_value", "returns")
def _kind_of_value(evidence: FunctionEvidence) -> Finding | None:
    """A gradient where there is none, or something else in the place of one."""
    returned, names = _returned(evidence), evidence.form.arguments
    run, first = returned[0], returned[0].returned or ()
    for (place, entry), (other, value) in itertools.permutations(enumerate(first[: len(names)]), 2):
        misplaced = entry is None and is_float(run.arguments[place]) and not is_float(run.arguments[other])
        if misplaced and isinstance(value, np.ndarray) and value.shape == run.arguments[place].shape:
            wrong = f"the gradient for {names[place]} is at the place of {names[other]}"
            return Finding("swapped_return", f"{wrong}: the order must be that of forward's arguments")
    for index, name in enumerate(names):
        owing = [each for each in returned if is_float(each.arguments[index]) and len(each.returned or ()) > index]
        bad = [each for each in owing if (each.returned or ())[index] is None]
        if bad:
            where = only_for(evidence, bad, owing) or _given_otherwise(evidence, index)
            return Finding(
                "none_for_tensor", f"backward returns None for {name}, which is a tensor and has a gradient{where}"
            )
    for name, given, entry in zip(names, run.arguments, first, strict=False):
        what = a_or_an(entry.type) if isinstance(entry, Odd) else "a tensor"
        if isinstance(entry, Odd) and is_float(given):
            return Finding("not_a_tensor", f"the gradient for {name} is {what}; it must be a tensor")
        if entry is not None and not is_float(given):
            why = f" for {name}, which is not a tensor"
            if isinstance(given, np.ndarray):
                holds = "whole numbers" if given.dtype.kind in "iu" else given.dtype
                why = f" for {name}, which holds {holds} and has no gradient"
            why = f" where {name} is None" if given is None else why
            return Finding("tensor_for_constant", f"backward returns {what}{why}: it must return None there")
    return None


def _given_otherwise(evidence: FunctionEvidence, index: int) -> str:
    """The argument that alone requires grad in a run that gives a gradient for argument `index`, in words; else ""."""
    names = evidence.form.arguments
    for asked, run in evidence.needed.items():
        if isinstance(dict(enumerate(run.returned or ())).get(index), np.ndarray):
            return f", if all arguments require grad; if only {names[asked]} does, it returns a gradient for {names[index]}"
    return ""


# ---- the numbers of a gradient, and what they follow from ------------------------------------------------------------------


@diagnosis("swapped_gradients", "returns", "gradient")
def _swapped_gradients(evidence: FunctionEvidence) -> str | None:
    """The gradients are in a wrong order, as their numbers show."""
    table, names = evidence.table("returns"), evidence.form.arguments
    for one, other in itertools.combinations(evidence.cases[0].numerical, 2) if table.wrong else ():
        pairs = [((run, one), (run, other)) for run in table.runs if {(run, one), (run, other)} <= table.want.keys()]
        told = [table.same(table.got[a], table.want[b]) and table.same(table.got[b], table.want[a]) for a, b in pairs]
        if all(told) and any(key in table.wrong for pair in pairs for key in pair):
            words = f"the gradients for {names[one]} and {names[other]} have changed places"
            return f"{words}: the order must be that of forward's arguments"
    return None


def _known_of(check: str, evidence: FunctionEvidence) -> str | None:
    """The known mistakes that explain the gradients. Of those that explain a wrong forward too, the message is the same."""
    table, forward = evidence.table(check), evidence.known("forward")
    known = evidence.known("returns" if evidence.table("returns").wrong == table.wrong else check)  # looked for once
    if known is None or (forward and forward.message == known.message):
        return known.message if known else None
    if _fits_own_forward(evidence):
        return None
    has_to_say = _can_be_in_forward(known, evidence.spec) and not evidence.table("forward").wrong
    shapes = [(index, table.got[run, index].shape, table.want[run, index].shape) for run, index in table.wrong]
    odd = [f"{evidence.of(index)} has shape {got}, not {want}" for index, got, want in shapes if got != want][:1]
    return f"{'in the gradient, ' * has_to_say}{known.message}{f' ({odd[0]})' if odd else ''}"


for _check, _explains in (("returns", ("returns", "gradient")), ("gradient", ("gradient",))):
    diagnosis("known", *_explains)(partial(_known_of, _check))


def _can_be_in_forward(known: Explanation, spec: FunctionSpec) -> bool:
    """Whether the words fit forward too: then they need to say what is meant."""
    reference = changed(spec.forward, spec.mistakes)
    labels = reference.labels if reference else ()
    for each in spec.mistakes:
        if isinstance(each, Mistake):
            also = each.forward is not None and each.vjp is not None
        else:
            also = any(label.startswith(each.at) for label in labels)
        if also and each.message in known.message:
            return True
    return any(candidate.change.label in labels for candidate in known.candidates)


@diagnosis("backward_of_wrong_forward", "gradient")
def _own_derivative(evidence: FunctionEvidence) -> str | None:
    fits = "backward is the derivative of what forward computes, but forward is wrong: fix forward first"
    return fits if _fits_own_forward(evidence) else None


def _fits_own_forward(evidence: FunctionEvidence) -> bool:
    """Whether backward is the derivative of the student's own forward, which differs from the right one."""
    case, form = evidence.cases[0], evidence.form
    ends = [flat(differentiable(form, run.values)) for run in evidence.found.get("moved", ()) if run.values]
    if len(ends) < 2 or ends[0].shape != ends[1].shape or not evidence.table("forward").wrong:
        return False
    own, (up, down) = (ends[0] - ends[1]) / (2 * EPS), (run.arguments for run in evidence.found.get("moved", ()))
    way = {index: (up[index] - down[index]).reshape(-1) / (2 * EPS) for index in case.numerical}
    yours = {index: case.analytical(index) for index in way}
    if any(each is None for each in yours.values()):
        return False
    of_yours, right = (sum(table[index] @ way[index] for index in way) for table in (yours, case.numerical))
    return same_slopes(of_yours, own) and not same_slopes(right, own)


@diagnosis("wrong_shape", "returns")
def _wrong_shape(evidence: FunctionEvidence) -> str | None:
    table = evidence.table("returns")
    wrong = [key for key in table.wrong if table.got[key].shape != table.want[key].shape]
    if not wrong:
        return None
    (run, index), got, want = wrong[0], table.got[wrong[0]], table.want[wrong[0]]
    name, how = evidence.form.arguments[index], reduced(got, want) or "the shapes must be equal"
    some = table.scope(key for key in wrong if key[1] == index)
    where = f"; this happens{(some if some.startswith(', for every') else table.for_run(run))[1:]}" if some else ""
    return f"the gradient for {name} has shape {got.shape}, {name} itself {want.shape}: {how}{where}"


@diagnosis("after_forward", "gradient")
def _after_forward(evidence: FunctionEvidence) -> str | None:
    """Backward may use the wrong numbers of forward, so a diagnosis of backward would be a guess."""
    if not evidence.table("forward").wrong or not evidence.table("gradient").wrong:
        return None
    return "the gradient is wrong too, perhaps because of what forward computes: fix forward first"


@diagnosis("grad_output_forgotten", "gradient")
def _grad_output_forgotten(evidence: FunctionEvidence) -> str | None:
    table = evidence.table("gradient")
    wrong = [index for _, index in table.wrong]
    if not wrong or not any(table.got[key].any() for key in table.wrong) or not _never_changes(evidence, wrong[0]):
        return None
    nowhere = all(_never_changes(evidence, index) for index in evidence.cases[0].numerical)
    of = "" if nowhere else f" for {evidence.form.arguments[wrong[0]]}"
    return f"grad_output is not used{of}: backward returns the same gradient for every grad_output"


def _never_changes(evidence: FunctionEvidence, index: int) -> bool:
    """Whether the gradient of an argument is the same for every grad_output. At least one input must have had two."""
    every = [[case.gradient(run, index) for run in (case.run, *case.rows)] for case in evidence.cases]
    given = [[both[0] for both in several if both] for several in every]
    if any(not np.array_equal(each, several[0], equal_nan=True) for several in given for each in several[1:]):
        return False
    return any(len(several) > 1 and several[0].size > 0 for several in given)


@diagnosis("wrong_for_one_hot", "gradient")
def _wrong_for_one_hot(evidence: FunctionEvidence) -> str | None:
    """The gradient is right for random numbers, but wrong for a one-hot grad_output."""
    only = [n for case in evidence.cases for n, several in case.verdicts.items() if False in several[1:] and several[0]]
    if evidence.table("gradient").wrong or not only:
        return None
    return f"{evidence.of(only[0])} is wrong for some grad_output, such as the one that is shown below"
