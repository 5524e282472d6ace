"""`autograd-teach validate`: the course examines itself, exercise by exercise.

Of every exercise: the solution passes; what students get is *not attempted*; every known mistake, acted out, fails and is
called by its own message; there are two or three hints; exercises/ is what `release` makes. May use the engine and all of
course. For those who write exercises; a student never runs it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

import autograd_teach as torch
from autograd_teach.autograd import Function

from .checking import report_on
from .errors import UserError
from .exercises import Call, Exercise, Gradcheck, Mistake, exercises
from .jacobian import as_values, flat, is_float
from .notebooks import read_notebook
from .observe import differentiable, generator, gradcheck_of, observe, slopes
from .observe_call import observe_call, specified
from .release import release, student_version
from .report import Report


@dataclass(frozen=True)
class Validated:
    """One exercise and what is wrong with it: nothing, if it is fit for students."""

    exercise: Exercise
    problems: tuple[str, ...]


def validate(solutions: Path, released: Path) -> Iterator[Validated]:
    """Examine every exercise, in the order of the notebooks; `UserError` where a notebook of `solutions` is missing."""
    outdated = {path.name for path in release(solutions, released, check=True)}
    for stem in dict.fromkeys(each.notebook for each in exercises()):
        path = solutions / f"{stem}.ipynb"
        notebook = read_notebook(path)
        solved = _names([cell.source for cell in _answers(notebook)])
        stubs = [cell.source for cell in _answers(student_version(notebook, path))]
        for exercise in exercises(stem):
            problems = list(_problems(exercise, solved, stubs))
            if path.name in outdated:
                problems.append(f"{path.name} in {released.name}/ is out of date: run autograd-teach release")
            yield Validated(exercise, tuple(problems))


def _answers(notebook: Any) -> list[Any]:
    """The code cells that define something: all but the checks and what only looks at the progress."""
    graded = {c.id for c in notebook.cells if c.metadata.get("nbgrader", {}).get("grade")}
    return [c for c in notebook.cells if c.cell_type == "code" and c.id not in graded and c.id != "progress"]


def _names(sources: list[str]) -> dict[str, Any]:
    names: dict[str, Any] = {"__name__": "validated"}
    for source in sources:
        try:
            exec(compile(source, "<answer>", "exec"), names)  # noqa: S102  # the course's own cells
        except NotImplementedError:  # a stub that stands outside a function
            continue
        except Exception as problem:
            raise UserError(
                f"A cell of the solutions raises {type(problem).__name__}: {problem}; mend it first."
            ) from problem
    return names


def _problems(exercise: Exercise, solved: dict[str, Any], stubs: list[str]) -> Iterator[str]:
    if exercise.entry not in solved:
        yield f"the solution defines no {exercise.entry}"
        return
    report = report_on(exercise.id, solved[exercise.entry])
    if not report.passed:
        yield f"the solution does not pass: {report.findings[0].message if report.findings else report.headline}"
    stub = _names(stubs).get(exercise.entry)
    if stub is None or report_on(exercise.id, stub).attempted:
        yield "what students get is not recognised as not attempted"
    if not 2 <= len(exercise.hints) <= 3:
        yield f"there are {len(exercise.hints)} hints; 2 or 3 are asked for"
    for number, mistake in enumerate(exercise.mistakes, 1):
        said = [finding.message for finding in acted_out(exercise, mistake).findings]
        if not any(
            each.endswith(mistake.message) for each in said
        ):  # of predictions, it is said before how many are wrong
            yield f"mistake {number} ({mistake.name}) is not called by its message but: {'; '.join(said) or 'nothing, it passes'}"


def acted_out(exercise: Exercise, mistake: Mistake) -> Report:
    """The report on an answer that makes just this mistake and is right otherwise."""
    if isinstance(exercise.grading, Call):
        return _mistaken_call(exercise, exercise.grading, mistake)
    return Report(observe(exercise, _mistaken_function(gradcheck_of(exercise), mistake)))


def _mistaken_call(exercise: Exercise, grading: Call, mistake: Mistake) -> Report:
    """An answer that gives the mistaken results one after the other, in the order in which the checks call."""
    results = [_mistaken_result(grading, mistake, arguments) for arguments in grading.inputs(generator(exercise))]
    following = iter([*results, results[0]])
    played = replace(grading, call=lambda torch, answer, *given: answer())
    return Report(observe_call(replace(exercise, grading=played), lambda: next(following)))


def _mistaken_result(grading: Call, mistake: Mistake, arguments: Sequence[Any]) -> Any:
    right = grading.specification(*map(specified, arguments))
    if mistake.forward is None:
        assert mistake.where is not None
        return _spoilt(right) if mistake.where(*map(specified, arguments)) else right
    wrong = mistake.forward(*map(specified, arguments))
    return right | wrong if isinstance(wrong, dict) and isinstance(right, dict) else wrong


def _spoilt(right: Any) -> Any:
    """Another result: every number one more, a list of what is no number without its last."""
    if isinstance(right, dict):
        return {key: _spoilt(value) for key, value in right.items()}
    if isinstance(right, list | tuple):
        numbers = any(isinstance(value, int | float | np.ndarray | list | tuple | dict) for value in right)
        return [_spoilt(value) for value in right] if numbers else list(right[:-1])
    return right + 1 if isinstance(right, int | float | np.ndarray) else right


def _mistaken_function(grading: Gradcheck, mistake: Mistake) -> type:
    """A Function in NumPy: the mistaken values or gradients, the right ones where the mistake has none."""

    def forward(ctx: Any, *given: Any) -> Any:
        ctx.arrays = tuple(map(_as_array, given))
        values = as_values((mistake.forward or grading.forward)(*map(_copy, ctx.arrays)))
        results = [torch.tensor(np.array(value)) for value in values]
        for number in grading.in_place:
            given[number].copy_(results[number])
            ctx.mark_dirty(given[number])
            results[number] = given[number]
        ctx.mark_non_differentiable(*(results[number] for number in grading.constants))
        return results[0] if len(results) == 1 else tuple(results)

    def backward(ctx: Any, *grad_outputs: Any) -> Any:
        given = tuple(_as_array(g) for g in differentiable(grading, grad_outputs))
        floats = [number for number, each in enumerate(ctx.arrays) if is_float(each)]
        said = mistake.vjp(*given, *map(_copy, ctx.arrays)) if mistake.vjp else (None,) * len(floats)
        said = said if isinstance(said, tuple) else (said,)
        gradients: list[Any] = [None] * len(ctx.arrays)
        for number, wrong in zip(floats, said, strict=True):
            right = (flat(given) @ slopes(grading, ctx.arrays, number)).reshape(np.shape(ctx.arrays[number]))
            gradients[number] = torch.tensor(np.array(right if wrong is None else wrong))
        return tuple(gradients)

    return type("ActedOut", (Function,), {"forward": staticmethod(forward), "backward": staticmethod(backward)})


def _as_array(given: Any) -> Any:
    return given.detach().numpy().copy() if isinstance(given, torch.Tensor) else given


def _copy(each: Any) -> Any:
    return each.copy() if isinstance(each, np.ndarray) else each
