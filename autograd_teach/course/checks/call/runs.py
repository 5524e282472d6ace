"""Diagnoses that do not concern the result: the object that was checked, errors it raises, arguments it changes.

NumPy only, reads only evidence. The order counts: the first diagnosis that fits the evidence gives the message.
"""

import ast
import re

import numpy as np

from ..diagnosing import Diagnosis, explained, into, size_shown
from ..spec import specified
from .asking import plain
from .checks import changed_against_the_rules
from .evidence import CallEvidence
from .records import Called
from .words import for_input, inputs_in_words, right_calls

RUNS: list[Diagnosis] = []
diagnosis = into(RUNS)


@diagnosis("no_function", "structure")
def _no_function(evidence: CallEvidence) -> str | None:
    entry = evidence.exercise.entry
    what = "class" if evidence.exercise.kind == "engine" else "function"
    return (
        f"`{entry}` is not a {what}: pass {entry} itself, not the result of calling it or anything else"
        if evidence.structure
        else None
    )


@diagnosis("timeout", "runs")
def _timeout(evidence: CallEvidence) -> str | None:
    stop = evidence.timeout
    if stop is None:
        return None
    where = "" if stop.line is None else f" at line {stop.line}: `{stop.source}`"
    running = Called(evidence.form.arguments, evidence.stopped.arguments)
    last = for_input(running) if evidence.calls else ""
    slow = (
        ", does each step take longer the more there is to go through, or is the same work done many times"
        if last
        else ""
    )
    return f"stopped after {evidence.exercise.seconds:g} s{where}{last}; is there an endless loop{slow}?"


@diagnosis("ends_program", "runs")
def _ends_program(evidence: CallEvidence) -> str | None:
    crashes = (called.crash for called in evidence.calls)
    return next((str(crash) for crash in crashes if crash and crash.ends_program), None)


@diagnosis("recursion", "runs")
def _recursion(evidence: CallEvidence) -> str | None:
    for called in [each for each in evidence.calls if each.crash][:1]:
        if called.crash and called.crash.kind == "RecursionError":
            where = "" if called.crash.line is None else f" at line {called.crash.line}: `{called.crash.source}`"
            return f"calls are nested more deeply than Python allows (about a thousand, in JupyterLab three thousand){where}{for_input(called)}"
    return None


@diagnosis("grad_is_none", "runs")
def _grad_is_none(evidence: CallEvidence) -> str | None:
    crash = next((called.crash for called in evidence.calls if called.crash), None)
    if crash is None or "NoneType" not in crash.message or not _is_of_grad(crash.source, crash.message):
        return None
    if evidence.exercise.kind == "engine":
        return (
            f"at line {crash.line}, `{crash.source}`, the .grad of one of your objects is None, and None is not a number: "
            "let it begin as 0.0, or let the first gradient replace the None"
        )
    return (
        f"at line {crash.line}, `{crash.source}`, the .grad is None: only a leaf that requires grad gets one, "
        "and only after backward has run; the result of a recorded operation is not a leaf"
    )


_SIGNS = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.Pow: "** or pow()",
    ast.MatMult: "@",
}


def _is_of_grad(source: str, message: str) -> bool:
    """Whether the None in the error `message` comes from a `.grad` in the line `source`, judged by its place there."""
    try:
        tree = ast.parse(
            source.removesuffix(":") if not source.startswith(("for", "if", "while", "with")) else source + " pass"
        )
    except SyntaxError:
        return re.search(r"\.grad\b(?!\s*\()", source) is not None and source.count("(") != source.count(")")
    operands = re.search(r"for (\S+?)=?: '(\w+)' and '(\w+)'|for (\*\* or pow\(\))=?: '(\w+)' and '(\w+)'", message)
    for node in ast.walk(tree):
        if operands is not None:
            sign, left, right = [each for each in operands.groups() if each]
            sides = {ast.BinOp: ("left", "right"), ast.AugAssign: ("target", "value")}.get(type(node))
            if sides and _SIGNS.get(type(node.op)) == sign:  # type: ignore[attr-defined]  # both kinds have it
                for side, kind in zip(sides, (left, right), strict=True):
                    if kind == "NoneType" and _is_grad(getattr(node, side)):
                        return True
        elif "has no attribute" in message or "subscript" in message or "item assignment" in message:
            if isinstance(node, ast.Attribute | ast.Subscript) and _is_grad(node.value):
                return not isinstance(node, ast.Attribute) or f"'{node.attr}'" in message
        elif isinstance(node, ast.Call) and any(_is_grad(each) for part in node.args for each in ast.walk(part)):
            return True
    return False


def _is_grad(node: ast.AST) -> bool:
    return isinstance(node, ast.Attribute) and node.attr == "grad"


@diagnosis("not_in_package", "runs")
def _not_in_package(evidence: CallEvidence) -> str | None:
    crashes = (called.crash for called in evidence.calls if called.crash)
    return next((str(crash) for crash in crashes if crash.absent), None)


@diagnosis("saved_changed", "runs")
def _saved_changed(evidence: CallEvidence) -> str | None:
    for called in evidence.calls:
        crash = called.crash
        if crash and "modified by an inplace operation" in crash.message:
            shape = crash.message.partition("Tensor ")[2].partition("]")[0] + "]"
            where = "" if crash.line is None else f" (line {crash.line}: `{crash.source}`)"
            return f"backward raises{where}: it needs a tensor of shape {shape} that was changed in place after it was saved"
    return None


@diagnosis("one_shape", "runs")
def _raises_for_some(evidence: CallEvidence) -> str | None:
    crashed = [called for called in evidence.calls if called.crash]
    if not crashed or len(crashed) == len(evidence.calls):
        return None
    called = min(crashed, key=lambda each: size_shown(each.arguments))
    raised = _raised_in_words(called, evidence)
    right, ended = right_calls(evidence), len(evidence.calls) - len(crashed)
    here = f"{raised}; this happens for {inputs_in_words(called)}"
    same = sum(_is_the_same_error(each, called) for each in crashed)
    here += f", and {same - 1} more" if same > 1 else ""
    here += "; other inputs raise an error in another line or with other words" if same < len(crashed) else ""
    all_is_right = _all_is_right(evidence, right)
    if all_is_right and len(right) == ended:
        return f"{here}; {'the other inputs work' if len(crashed) == 1 else 'the rest work'}"
    if not right:
        return f"{here}; no input gives the right result"
    what = "result is" if all_is_right else "numbers are"
    return f"{here}; the {what} right for {len(right)} of {len(evidence.calls)} inputs"


def _is_the_same_error(one: Called, other: Called) -> bool:
    return (
        one.crash is not None
        and other.crash is not None
        and (one.crash.kind, one.crash.line, one.crash.message[:20])
        == (other.crash.kind, other.crash.line, other.crash.message[:20])
    )


def _all_is_right(evidence: CallEvidence, calls: list[Called]) -> bool:
    """Whether these calls are right in everything else: no argument changed, no check of the exercise failed."""
    return not any(
        changed_against_the_rules(called, evidence) or any(each.judge(called) for each in evidence.spec.also)
        for called in calls
    )


@diagnosis("signature", "runs")
def _signature(evidence: CallEvidence) -> str | None:
    crash = next((called.crash for called in evidence.calls if called.crash), None)
    wrong_number = re.compile(r"takes .*argument|missing \d+ required|unexpected keyword|takes no arguments")
    if crash is None or crash.line is not None or crash.kind != "TypeError" or not wrong_number.search(crash.message):
        return None
    if evidence.form.call is not None:
        return f"it is not called as the statement says, or with other arguments: {crash.message}"
    names = ", ".join(evidence.form.arguments) or "nothing"
    return f"it is called with {names}, yours takes something else: {crash.message}"


@diagnosis("raised", "runs")
def _raised(evidence: CallEvidence) -> str | None:
    return next((_raised_in_words(called, evidence) for called in evidence.calls if called.crash), None)


def _raised_in_words(called: Called, evidence: CallEvidence) -> str:
    """The error in words. If no line of the answer was running, it is not described as an error of the answer."""
    crash = called.crash
    assert crash is not None
    if crash.line is not None or crash.absent or crash.ends_program:
        return explained(crash).removesuffix(".")
    told = explained(crash).partition(" raised ")[2].removesuffix(".")
    if evidence.form.call is None:
        return f"calling it, or reading what it returns, raises {told}; this is not in a line of yours"
    empty = "; does yours return None?" if "NoneType" in crash.message else ""
    return f"the check uses your answer as the statement says, and gets {told}; this is not in a line of yours{empty}"


@diagnosis("argument_changed", "unchanged")
def _argument_changed(evidence: CallEvidence) -> str | None:
    for called in evidence.calls:
        for name in changed_against_the_rules(called, evidence):
            was, now = plain(specified(called.arguments[called.names.index(name)])), called.after[name].value
            rounding = was.shape == now.shape and was.dtype.kind == "f" and np.allclose(was, now, 1e-12, 1e-12)
            how = " in its last digits: adding and subtracting the same number leaves a rounding error" * rounding
            return f"the argument {name} is changed by the call{how}{';' if how else ':'} work on a copy of it"
    return None
