"""`autograd-teach validate`: tests every exercise of the course, for its authors.

For every exercise: the solution passes; the stub counts as *not attempted*; references have labelled lines, and that of
backward gives the derivative of that of forward; an answer with a declared mistake fails and gets its message; each
sentence of the statement is tested by a check or asks for nothing; there are two or three hints; inputs are random; the
solution has the declared points and the stored outputs that `grade` compares with; exercises/ is what `release` makes.
May use the engine and all of course. Students do not run it.
"""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from functools import partial
from inspect import signature
from itertools import zip_longest
from pathlib import Path
from typing import Any

import numpy as np

import autograd_teach as torch
from autograd_teach.autograd import Function

from . import content
from .checking import drawing, report_on
from .checks import checker_of, examine
from .checks.explaining import backward_of, changed, forward_of
from .checks.function.evidence import one_hots, slopes
from .checks.function.records import differentiable
from .checks.report import Report
from .checks.spec import CallSpec, FunctionSpec, Mistake, as_drawn, copies, specified
from .errors import UserError, fix
from .exercises import CallForm, Exercise, FunctionForm, Prepared, exercises
from .jacobian import as_values, flat, is_float, same_slopes
from .notebooks import read_notebook
from .release import declare_points, grade_id_of, release, student_version
from .specs import spec_of

NEEDED = {"structure", "runs"}
"""The checks that all others depend on: they cannot have a weight."""


@dataclass(frozen=True)
class Validated:
    """An exercise with its problems, none if it is ready for students. notes: what an author should look at.

    exercise: None if the problem concerns a whole notebook, `file`.
    """

    exercise: Exercise | None
    problems: tuple[str, ...]
    notes: tuple[str, ...] = ()
    file: str = ""

    @property
    def name(self) -> str:
        """What has these problems: "09.Scale", or a file."""
        return self.exercise.id if self.exercise else self.file


def validate(solutions: Path, released: Path, only: str | None = None) -> Iterator[Validated]:
    """Test every exercise, or those of the notebook `only` ("09"), in the order of the notebooks.

    After its exercises comes a notebook in `released` that is out of date.
    solutions, released: the folders solutions/ and exercises/. Raises `UserError` if a notebook of `solutions` is missing,
    or if there is no notebook `only` with exercises.
    """
    if not (chosen := exercises(only)):
        known = ", ".join(dict.fromkeys(each.notebook for each in exercises()))
        raise UserError(f"There is no notebook {only!r} with exercises; there are {known}.")
    outdated = {path.name for path in release(solutions, released, check=True)}
    for stem in dict.fromkeys(each.notebook for each in chosen):
        path = solutions / f"{stem}.ipynb"
        notebook = read_notebook(path)
        cells = {cell.id: cell for cell in notebook.cells}
        other_points = declare_points(stem, deepcopy(notebook))
        solved = _names([cell.source for cell in _answers(notebook)], str(path))
        stubs = [cell.source for cell in _answers(student_version(notebook, path))]
        for exercise in exercises(stem):
            report = report_on(exercise.id, solved[exercise.entry]) if exercise.entry in solved else None
            problems = list(_problems(exercise, report, stubs))
            if exercise.id in other_points:
                problems.append(f"{other_points[exercise.id]}: run autograd-teach notebooks {path}")
            problems += _not_stored(exercise, report, cells, path)
            statement = cells.get(exercise.statement_cell)
            problems += unheld(exercise, statement.source if statement else "")
            yield Validated(exercise, tuple(problems), tuple(fixed_inputs(exercise)))
        if path.name in outdated:
            command = f"autograd-teach release{_rooms(solutions, released)}"
            yield Validated(None, (f"out of date: run {command}",), file=f"{released.name}/{path.name}")


def _rooms(solutions: Path, released: Path) -> str:
    """The options that name these folders to a command, those left out that are its defaults."""
    options = f" --solutions {solutions}" if solutions != content.folder("solutions") else ""
    return options + (f" --exercises {released}" if released != solutions.parent / "exercises" else "")


def _answers(notebook: Any) -> list[Any]:
    """The code cells that define something: all except the checks and the cell that shows the progress."""
    graded = {c.id for c in notebook.cells if c.metadata.get("nbgrader", {}).get("grade")}
    return [c for c in notebook.cells if c.cell_type == "code" and c.id not in graded and c.id != "progress"]


def _names(sources: list[str], where: str = "the solutions") -> dict[str, Any]:
    names: dict[str, Any] = {"__name__": "validated"}
    for source in sources:
        try:
            exec(compile(source, "<answer>", "exec"), names)  # noqa: S102  # the course's own cells
        except NotImplementedError:  # a stub outside a function
            continue
        except Exception as problem:
            said = fix(f"A cell of {where} raises {type(problem).__name__}: {problem}", "fix it first.")
            raise UserError(said) from problem
    return names


def _problems(exercise: Exercise, report: Report | None, stubs: list[str]) -> Iterator[str]:
    """The problems of the exercise. report: the report on its solution, None if there is none."""
    if report is None:
        yield f"the solution does not define {exercise.entry}"
        return
    if not report.passed:
        yield f"the solution does not pass: {report.findings[0].message if report.findings else report.headline}"
    stub = _names(stubs).get(exercise.entry)
    if stub is None or report_on(exercise.id, stub).attempted:
        yield "the stub that students get is not recognised as not attempted"
    if not 2 <= len(exercise.hints) <= 3:
        yield f"number of hints: {len(exercise.hints)}; give 2 or 3"
    yield from unfit_weights(exercise)
    yield from _no_derivative(exercise)
    yield from _confused(exercise)


def unfit_weights(exercise: Exercise) -> Iterator[str]:
    """The problems of the weights of the checks."""
    known = {check.name for check in checker_of(exercise).checks(exercise, spec_of(exercise))} - NEEDED
    for name, weight in exercise.weights.items():
        if name in NEEDED:
            yield f"{name!r} cannot have a weight: if that check fails, nothing is known of the others"
        elif name not in known:
            yield f"{name!r} has a weight but is not a check of this exercise; there are {', '.join(sorted(known))}"
        if not 0 < weight < math.inf:
            yield f"the weight of {name!r} is {weight:g}; it has to be a number above 0"


def _not_stored(exercise: Exercise, report: Report | None, cells: Mapping[str, Any], path: Path) -> Iterator[str]:
    """What is missing in the cells: `grade` compares the stored output of the check cell with that of each answer."""
    own = {exercise.statement_cell, exercise.answer_cell, exercise.check_cell}
    other = [cell for cell in cells.values() if (id := grade_id_of(cell)) and id != cell.id and {id, cell.id} & own]
    for cell in other:
        yield (
            f"the cell {cell.id} has another grade_id, {grade_id_of(cell)}; correct the grade_id if it is wrong, "
            f"then run autograd-teach notebooks {path}, which makes it the id"
        )
    if other:
        return
    if missing := {exercise.answer_cell, exercise.check_cell} - cells.keys():
        yield f"{path.name} does not have a cell with the id {' or '.join(sorted(missing))}"
        return
    check = cells[exercise.check_cell]
    if (call := f'check("{exercise.id}", {exercise.entry})') not in check.source:
        yield f"the cell {check.id} does not call {call}"
        return
    texts = [output.get("data", {}).get("text/plain", "") for output in check.get("outputs", [])]
    store = f"run autograd-teach notebooks {path}"
    if not any(texts):
        yield f"the cell {check.id} has no stored output: {store}"
    elif report and report.passed and (difference := _first_difference("".join(texts), repr(report))):
        yield f"the stored output of the cell {check.id} is out of date ({difference}): {store}"


def _first_difference(stored: str, now: str) -> str:
    """The first line in which two texts differ; "" if they do not differ."""
    lines = zip_longest(stored.splitlines(), now.splitlines(), fillvalue="")
    return next((f"stored: {old!r}, now: {new!r}" for old, new in lines if old != new), "")


def _no_derivative(exercise: Exercise) -> Iterator[str]:
    """Where the reference of backward does not give the derivative of that of forward."""
    spec = spec_of(exercise)
    yield from _without_words(spec)
    if not isinstance(spec, FunctionSpec) or spec.backward is None:
        return
    assert isinstance(exercise.form, FunctionForm)
    for number, arguments in enumerate(map(as_drawn, spec.inputs(drawing(exercise))), 1):
        floats = [n for n, each in enumerate(arguments) if is_float(each)]
        for hot_number, hot in enumerate(one_hots(differentiable(exercise.form, spec.values(arguments)))):
            try:
                given = as_values(spec.backward(*hot, *copies(arguments)))
            except Exception as error:  # noqa: BLE001  # the author's own code
                yield f"the reference of backward raises {type(error).__name__} at input {number}: {error}"
                return
            right = [
                slopes(exercise.form, spec, arguments, n)[hot_number].reshape(np.shape(arguments[n])) for n in floats
            ]
            if len(given) != len(right):
                has = f"{len(given)} gradient{'s' * (len(given) != 1)}, but {len(right)} of the arguments are float arrays"
                yield f"the reference of backward gives {has}"
                return
            for index, one, other in zip(floats, given, right, strict=True):
                if not same_slopes(one, other):
                    name = exercise.form.arguments[index]
                    yield f"the reference of backward does not give the derivative of forward for {name}, at input {number}"
                    return


def _without_words(spec: Any) -> Iterator[str]:
    """What keeps a reference from giving words: it is missing, it has no labelled line, or a name in it makes false ones."""
    for part, reference in (("forward", forward_of(spec)), ("backward", backward_of(spec))):
        if part == "backward" and not isinstance(spec, FunctionSpec):
            continue
        of = f" of {part}" if isinstance(spec, FunctionSpec) else ""
        try:
            if reference is None or changed(reference, ()) is None:
                yield f"the reference{of} has no line that ends in `#: label`: no words for a mistake can follow from it"
            elif "grad_output" in signature(reference).parameters:
                yield f"the reference{of} has an argument `grad_output`: call it `g`, reports write `grad_output` for that"
        except ValueError as problem:
            yield str(problem)


def _confused(exercise: Exercise) -> Iterator[str]:
    """The known mistakes for which an answer that makes them does not get their message."""
    try:
        mistakes = list(written_out(spec_of(exercise)))
    except (ValueError, SyntaxError) as problem:
        yield f"a declared mistake cannot be read: {problem}"
        return
    for mistake in mistakes:
        said = [finding.message for finding in acted_out(exercise, mistake).findings]
        if not _is_said(mistake, said):
            words = "; ".join(said) or "nothing, it passes"
            yield f"the mistake {mistake.message!r} does not get its own message but: {words}"


def _is_said(mistake: Mistake, messages: Sequence[str]) -> bool:
    """Whether a message is that of the mistake. Words may stand before it (how many are wrong) and after it (where)."""
    return any(each.endswith(mistake.message) or f"{mistake.message} (" in each for each in messages)


# ---- the statement ---------------------------------------------------------------------------------------------------

EXPLAINS = "explains"
"""In `holds`: a sentence that does not ask anything of the answer."""


def sentences(markdown: str) -> list[str]:
    """The sentences of a statement, without headings, tables, code and formulas on lines of their own.

    >>> sentences("## Title\\n\\nWrite `f(x)`. It returns\\na tensor:\\n\\n```python\\nf(1)\\n```\\n\\n- No list. ")
    ['Write `f(x)`.', 'It returns a tensor:', 'No list.']
    """
    text = re.sub(r"```.*?```|\$\$.*?\$\$", "\n\n", markdown, flags=re.DOTALL)
    blocks = re.split(r"\n\s*\n|\n(?=\s*(?:[-*]|\d+\.) )", text)
    plain = (" ".join(block.split()) for block in blocks if not block.lstrip().startswith(("#", "|", "<")))
    found = (re.split(r"(?<=[.!?])\s+(?=[A-Z`$*(\[])", re.sub(r"^(?:[-*]|\d+\.) ", "", each)) for each in plain)
    return [sentence for several in found for sentence in several if re.search(r"\w{2}", sentence)]


def unheld(exercise: Exercise, statement: str) -> Iterator[str]:
    """The sentences of the statement that no check tests, and the entries of `holds` that do not fit a sentence."""
    spec = spec_of(exercise)
    known = {check.name for check in checker_of(exercise).checks(exercise, spec)}
    known |= {EXPLAINS} | {diagnosis.name for diagnosis in checker_of(exercise).diagnoses}
    starts = set(spec.holds)
    for sentence in sentences(statement):
        holders = {start for start in spec.holds if sentence.startswith(start)}
        if not holders:
            yield f"no check tests the sentence {sentence!r}: add it to `holds`"
        starts -= holders
    yield from (f"no sentence of the statement begins with {start!r}" for start in sorted(starts))
    for start, names in spec.holds.items():
        for name in (each.strip() for each in names.split(",")):
            if name not in known:
                can_be_used = ", ".join(sorted(known))
                yield (
                    f"{name!r}, given for {start!r} in `holds`, is not a check of this exercise; "
                    f"there are {can_be_used}"
                )


def fixed_inputs(exercise: Exercise) -> Iterator[str]:
    """The calls that are the same for every seed: students could learn their results by heart."""
    drawn = [[_in_full(each) for each in spec_of(exercise).inputs(np.random.default_rng(seed))] for seed in range(3)]
    for number, calls in enumerate(zip(*drawn, strict=False), 1):
        if exercise.kind != "value" and len(set(map(repr, calls))) == 1:
            yield f"call {number} is the same for every seed"


def _in_full(argument: Any) -> Any:
    if isinstance(argument, tuple | list):
        return [_in_full(each) for each in argument]
    if isinstance(argument, np.ndarray):
        return argument.tolist()
    return _in_full(list(vars(argument).values())) if isinstance(argument, Prepared) else argument


# ---- answers with a known mistake ------------------------------------------------------------------------------------


def written_out(spec: Any) -> Iterator[Mistake]:
    """The declared mistakes of a specification, each `Slip` as the functions that it makes of its references.

    Raises `ValueError` if a slip begins at no labelled line.
    """
    references = {"forward": forward_of(spec), "vjp": backward_of(spec)}
    made = {part: changed(reference, spec.mistakes) for part, reference in references.items()}
    for mistake in spec.mistakes:
        if isinstance(mistake, Mistake):
            yield mistake
            continue
        several = [(part, each, change) for part, each in made.items() if each for change in each.changes]
        found = {part: partial(each.run, change) for part, each, change in several if change.slip is mistake}
        if not found:
            raise ValueError(f"no label begins with {mistake.at!r}, where a slip is declared")
        yield Mistake(mistake.message, found.get("forward"), found.get("vjp"))


@np.errstate(all="ignore")  # a mistake may divide by zero
def acted_out(exercise: Exercise, mistake: Mistake) -> Report:
    """The report on an answer that makes only this mistake."""
    spec, rng = spec_of(exercise), drawing(exercise)
    if isinstance(spec, FunctionSpec):
        assert isinstance(exercise.form, FunctionForm)
        return Report(examine(exercise, spec, _mistaken_function(exercise.form, spec, mistake), rng))
    return Report(examine(*_mistaken_call(exercise, spec, mistake), rng))


def _mistaken_call(exercise: Exercise, spec: CallSpec, mistake: Mistake) -> tuple[Exercise, CallSpec, Any]:
    """An answer that returns the mistaken results one after another, in the order of the checks' calls."""
    assert isinstance(exercise.form, CallForm)
    results = [_mistaken_result(spec, mistake, arguments) for arguments in spec.inputs(drawing(exercise))]
    following = iter([*results, results[0]])
    played = replace(exercise.form, call=lambda torch, answer, *given: _as_tensors(answer()))

    def answer() -> Any:
        result = next(following)
        if isinstance(result, Exception):
            raise result
        return result

    return replace(exercise, form=played), spec, answer


def _as_tensors(result: Any) -> Any:
    """The result with tensors instead of arrays."""
    if isinstance(result, dict):
        return {key: _as_tensors(value) for key, value in result.items()}
    if isinstance(result, list | tuple):
        return [_as_tensors(value) for value in result]
    # of 0-d arrays NumPy computes np.float64
    return torch.tensor(np.array(result, order="C")) if isinstance(result, np.ndarray | np.floating) else result


def _mistaken_result(spec: CallSpec, mistake: Mistake, arguments: Sequence[Any]) -> Any:
    right = spec.result(*map(specified, arguments))
    if mistake.forward is None:
        assert mistake.where is not None
        return _spoilt(right) if mistake.where(*map(specified, arguments)) else right
    try:
        wrong = mistake.forward(*map(specified, arguments))
    except Exception as error:  # noqa: BLE001  # an answer with this mistake raises too
        return error
    return right | wrong if isinstance(wrong, dict) and isinstance(right, dict) else wrong


def _spoilt(right: Any) -> Any:
    """A wrong result: twice every number and one more; a list without numbers loses its last element."""
    if isinstance(right, dict):
        return {key: _spoilt(value) for key, value in right.items()}
    if isinstance(right, list | tuple):
        numbers = any(isinstance(value, int | float | np.ndarray | list | tuple | dict) for value in right)
        return [_spoilt(value) for value in right] if numbers else list(right[:-1])
    return 2 * right + 1 if isinstance(right, int | float | np.ndarray) else right


def _mistaken_function(form: FunctionForm, spec: FunctionSpec, mistake: Mistake) -> type:
    """A Function in NumPy with the mistaken values or gradients; those that the mistake does not define are right."""

    def forward(ctx: Any, *given: Any) -> Any:
        ctx.arrays = tuple(map(_as_array, given))
        values = as_values((mistake.forward or spec.forward)(*copies(ctx.arrays)))
        results = [torch.tensor(np.array(value)) for value in values]
        for number in form.in_place:
            given[number].copy_(results[number])
            ctx.mark_dirty(given[number])
            results[number] = given[number]
        ctx.mark_non_differentiable(*(results[number] for number in form.constants))
        return results[0] if len(results) == 1 else tuple(results)

    def backward(ctx: Any, *grad_outputs: Any) -> Any:
        given = tuple(_as_array(g) for g in differentiable(form, grad_outputs))
        floats = [number for number, each in enumerate(ctx.arrays) if is_float(each)]
        said = mistake.vjp(*given, *copies(ctx.arrays)) if mistake.vjp else (None,) * len(floats)
        said = said if isinstance(said, tuple) else (said,)
        gradients: list[Any] = [None] * len(ctx.arrays)
        for number, wrong in zip(floats, said, strict=True):
            right = (flat(given) @ slopes(form, spec, ctx.arrays, number)).reshape(np.shape(ctx.arrays[number]))
            gradients[number] = torch.tensor(np.array(right if wrong is None else wrong))
        return tuple(gradients)

    return type("ActedOut", (Function,), {"forward": staticmethod(forward), "backward": staticmethod(backward)})


def _as_array(given: Any) -> Any:
    return given.detach().numpy().copy() if isinstance(given, torch.Tensor) else given
