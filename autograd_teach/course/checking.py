"""What a notebook calls: `check`, `hint`, `progress`. Runs the checks, shows the report, stores the outcome.

May use the rest of course, and IPython if it is installed. Must not import grading: a check is feedback, not a grade.
"""

import inspect
import re
import zlib
from dataclasses import replace
from difflib import get_close_matches
from typing import Any

import numpy as np

from . import progress_file
from .cells import error_in, history, looks_defined, names_alike, note_error, remarks, still_raises
from .checks import examine
from .checks.report import Report
from .errors import UserError
from .exercises import Exercise, exercise, exercises
from .guard import crash_of
from .specs import spec_of


class NotPassed(Exception):
    """The answer does not pass, or was not attempted. nbval and nbgrader count it as failed. Shown as one line."""

    def _render_traceback_(self) -> list[str]:
        return [f"NotPassed: {self}"]


class UnknownExercise(UserError):
    """There is no exercise with this name. Shown as one line, like `NotPassed`."""


def report_on(id: str, answer: Any) -> Report:
    """The report on `answer` to the exercise `id`. Does not show or store it.

    >>> report_on("09.Scale", abs).headline
    'Scale: 0 of 7 checks pass (0 of 2 points)'
    """
    exercise = _find(id)
    return Report(examine(exercise, spec_of(exercise), answer, drawing(exercise)))


def drawing(exercise: Exercise) -> np.random.Generator:
    """The generator that draws the inputs of a check: the same inputs each time, so reports can be compared."""
    return np.random.default_rng(zlib.crc32(exercise.id.encode()))


def check(id: str, answer: Any) -> None:
    """Check `answer` as the answer to the exercise `id` and show the report.

    answer: the class or function itself, not a call of it. Raises `NotPassed`, shown as one line, if a check fails or the
    exercise was not attempted.
    """
    report = looked_at(id, answer)
    with np.errstate(all="ignore"):
        progress_file.note_check(report.exercise.id, report.passed, report.passing, len(report.lines), report.attempted)
        _show(report)
    if not report.passed:
        raise NotPassed(_one_line(report))


def hint(id: str) -> None:
    """Show the next hint for the exercise `id`. Each hint says more than the one before."""
    found = _find(id)
    number = progress_file.next_hint(found.id, len(found.hints))
    last = number + 1 == len(found.hints)
    _show(_Hint(found, number, "that is the last one" if last else "run this again for the next"))


def progress(notebook: str | None = None, folder: Any = None) -> None:
    """Show a table of the exercises of `notebook` ("09"), or of all exercises: points and state.

    folder: the folder of the progress file, by default the one in which the notebook runs.
    """
    chosen = exercises(notebook)
    if not chosen:
        known = {each.notebook.partition("_")[0]: each.notebook for each in exercises()}
        number = str(notebook).partition("_")[0].zfill(2)
        near = [number] if number in known else get_close_matches(str(notebook), known.values(), n=1)
        ask = f"did you mean {near[0]!r}?" if near else f"there are {min(known)!r} to {max(known)!r}."
        raise UnknownExercise(f"There is no notebook {notebook!r} with exercises; {ask}")
    _show(Progress(chosen, progress_file.entries(folder)))


def is_stale(answer: Any) -> bool:
    """Whether a later cell of this notebook should have redefined the name of `answer`, but failed before it did."""
    shell = _ipython()
    written = vars(answer).get("forward", vars(answer).get("__init__")) if isinstance(answer, type) else answer
    if shell is None or not hasattr(answer, "__name__"):
        return False
    try:
        checked = inspect.getsource(getattr(written, "__func__", written)).rstrip()  # type: ignore[arg-type]  # TypeError
    except (OSError, TypeError):
        return False
    defines = re.compile(rf"^[ \t]*(class|def)[ \t]+{answer.__name__}\b", re.MULTILINE)
    cells = [cell for cell in shell.user_ns.get("In", []) if defines.search(cell)]
    return bool(cells) and checked not in cells[-1] and any(checked in cell for cell in cells[:-1])


def looked_at(id: str, answer: Any) -> Report:
    """`report_on`, with remarks from the cells that have run in IPython, which show more than the object itself."""
    try:
        report = report_on(id, answer)
        with np.errstate(all="ignore"):  # what a cell has set is for the answer
            len(report.findings)  # they are looked for now, where an interrupt is told in one line
    except KeyboardInterrupt as stop:
        raise _stopped(stop) from None
    shell = _ipython()
    if shell is None:
        return report
    try:
        cells, entry = history(shell), report.exercise.entry
        obstacle = error_in(entry, cells) or _STALE.format(entry) * is_stale(answer)
        named = shell.user_ns.get(entry)  # a class; the answer may be its `apply`
        if not obstacle and report.passed and named is not answer and named is not getattr(answer, "__self__", None):
            obstacle = f"The grader takes the object named `{entry}`, but you checked another one: give it that name."
        obstacle = obstacle or ("" if report.attempted else still_raises(entry, cells))
        return replace(report, remarks=remarks(report.exercise, shell), obstacle=obstacle)
    except Exception:  # noqa: BLE001  # a check never fails because of a remark
        return report


_STALE = (
    "The last cell that defines `{0}` ended in an error, so this is the earlier `{0}`: fix that cell and run it again."
)


def _stopped(stop: KeyboardInterrupt) -> KeyboardInterrupt:
    """The interrupt, so that the cells after it do not run, but shown as one line."""
    line = crash_of(stop, "").line
    sentence = "the check was stopped" + (f" (at line {line} of your answer)" if line else "")
    told = KeyboardInterrupt(sentence)
    told._render_traceback_ = lambda: [f"KeyboardInterrupt: {sentence}"]  # type: ignore[attr-defined]  # IPython asks for it
    return told


def _listen() -> None:
    """In a notebook, store the errors of cells, and explain a NameError of `check("09.Scale", Scale)`.

    Python looks up `Scale` before it calls `check`, so `check` cannot catch the error; IPython shows it. It stays a
    NameError, so a check cell that was run too early counts as failed, for nbval and nbgrader too.
    """
    shell = _ipython()
    if shell is not None:
        shell.events.register("post_run_cell", note_error)
    if shell is not None and not shell.custom_exceptions:
        shell.set_custom_exc((NameError,), _show_name_error)


def _show_name_error(shell: Any, kind: type, error: NameError, trace: Any, tb_offset: int | None = None) -> list[str]:
    sentence = not_run_yet(error, trace, shell.user_ns.get("In", []))
    if sentence is not None:
        error._render_traceback_ = lambda: [f"NotPassed: {sentence}"]  # type: ignore[attr-defined]  # IPython asks for it
    shell.showtraceback((kind, error, trace), tb_offset=tb_offset, running_compiled_code=True)
    shown = shell._last_traceback or []
    return shown["traceback"] if isinstance(shown, dict) else shown  # a dict in the browser's kernel


def not_run_yet(error: NameError, trace: Any, cells: list[str]) -> str | None:
    """The message if the last of `cells` checks a name that does not exist yet; None for any other NameError."""
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    name = getattr(error, "name", None)
    in_the_cell = trace is not None and trace.tb_frame.f_code.co_name == "<module>"
    if not in_the_cell or not cells or name not in {each.entry for each in exercises()}:
        return None
    if not re.search(rf"\bcheck\(\s*['\"][^'\"]*['\"]\s*,\s*{name}\b", cells[-1]):
        return None
    if any(looks_defined(name, cell) for cell in cells[:-1]):
        return f"The cell with {name} has run, but ended in an error: fix it and run it again, then check."
    alike = names_alike(name, cells[:-1])
    if alike:
        return f"`{name}` is not defined yet, but `{alike}` is: rename it to `{name}`."
    return f"The cell with your {name} has not run yet: run it first, then check."


def _find(id: str) -> Exercise:
    try:
        return exercise(id)
    except UserError as problem:
        raise UnknownExercise(str(problem)) from None


def _one_line(report: Report) -> str:
    head = report.headline.rpartition(" (")[0]
    return f"{head} - {report.findings[0].message}" if report.findings else head


class _Hint:
    def __init__(self, exercise: Exercise, number: int, after: str) -> None:
        self.title = f"{exercise.entry}, hint {number + 1} of {len(exercise.hints)}"
        self.text, self.after = exercise.hints[number], after

    def __repr__(self) -> str:
        return f"{self.title}: {self.text}\n({self.after})"

    def _repr_html_(self) -> str:
        from .checks.page import render

        return render("hint.html", hint=self)


class Progress:
    """A table of exercises with the state of each. Its repr is text; a notebook shows it as an HTML table."""

    def __init__(self, chosen: tuple[Exercise, ...], known: dict[str, progress_file.Entry]) -> None:
        self.rows = [(each.id, *_state(each, known.get(each.id, {}))) for each in chosen]
        self.total = sum(each.points for each in chosen)
        self.earned = sum(each.points for each in chosen if known.get(each.id, {}).get("passed") is True)

    @property
    def summary(self) -> str:
        """The last line: the total of points."""
        return f"{self.earned} of {self.total} points"

    def __repr__(self) -> str:
        width = max(len(row[0]) for row in self.rows) + 2
        lines = [f"{id:<{width}}{points:<8}{state}" for id, points, state in self.rows]
        return "\n".join([*lines, self.summary])

    def _repr_html_(self) -> str:
        from .checks.page import render

        return render("progress.html", progress=self)


def _state(exercise: Exercise, entry: progress_file.Entry) -> tuple[str, str]:
    if entry.get("passed") is True:
        return f"{exercise.points} of {exercise.points}", "✓ passed"
    points = f"0 of {exercise.points}"
    if not entry.get("attempted"):
        return points, "- not attempted"
    counts = entry.get("checks")
    match counts:
        case [int(passing), int(checks)]:
            return points, f"✗ {passing} of {checks} checks pass"
    return points, "✗ not passed"


def _show(view: Any) -> None:
    """Display in a notebook, print elsewhere."""
    if _ipython() is not None:
        from IPython.display import display

        display(view)
    else:
        print(view)


def _ipython() -> Any:
    """The running IPython, or None."""
    try:
        from IPython import get_ipython
    except ImportError:
        return None
    return get_ipython()


_listen()
