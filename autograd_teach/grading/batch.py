"""Takes a class of submissions through intake, run and verdict, to the reports and a list of results.

Only this module combines the parts of the package. Must not know how any of them works.
"""

import math
import sys
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, TextIO

from ..course.errors import UserError
from ..plain import counted
from . import gradebook, reports
from . import judge as judges
from .gradebook import Gradebook, fingerprint
from .gradebook.remarks import remarked
from .gradebook.standing import Change, Standing, answers_by_hash, basis_of_trial, from_book
from .lateness import Late, penalised
from .notebook_run import Limits
from .rebuild import Assignment, load_assignments
from .results import PASSED, Mark, Result, Status
from .sandbox import Interrupted, Isolation
from .submissions import pseudonyms, selection
from .submissions.intake import Submission
from .submissions.selection import NO_WISHES, Wishes
from .verdicts import Judge, NoJudge, by_nbval, result


@dataclass(frozen=True)
class Options:
    """Options shared by `grade` and `regrade`: where the files are, and how answers are judged."""

    output: Path  # where gradebook and reports go
    exercises: Path
    solutions: Path
    jobs: int  # notebooks that run at a time
    progress: TextIO | None
    isolation: Isolation | None = None  # where answers run; None: the best sandbox that works here
    require_sandbox: bool = False  # refuse to grade if solutions could be read
    judge: judges.Name | None = None  # who gives the points
    points_only: bool = False  # without nbval's record beside the points
    kinds: Sequence[str] = ()  # reports to write in addition to the CSV
    scheduler: str | None = None  # address of a dask scheduler; its workers then replace `jobs`

    def say(self, sentence: str) -> None:
        reports.say(self.progress, sentence)

    def hidden(self, *inputs: Path) -> tuple[Path, ...]:
        """What no student's code may see."""
        return *inputs, self.solutions, self.output

    @contextmanager
    def called(
        self, assignments: Sequence[Assignment], judge: judges.Name, limits: Limits, record: bool, *inputs: Path
    ) -> Iterator[dict[str, Any]]:
        """The arguments of a `Setting`, with the judge here or on the cluster. Hides `inputs` from students' code."""
        hidden = self.hidden(*inputs)
        wanted: dict[str, Any] = {"wanted": self.isolation, "required": self.require_sandbox, "record": record}
        wanted["progress"] = self.progress
        shared = {"output": self.output, "progress": self.progress, "kinds": self.kinds}
        if self.scheduler is None:
            judged_by = judges.called_here(judge, self.isolation, record)
            with judges.called(judge, limits, hidden, **wanted) as judged:
                yield {**shared, "judged": judged, "jobs": self.jobs, "judged_by": judged_by}
            return
        from . import cluster  # imports dask

        with cluster.called(self.scheduler, assignments, judge, limits, hidden, **wanted) as workers:
            yield {**shared, "judged": workers, "jobs": workers.at_a_time}


@dataclass(frozen=True)
class Setting:
    """Arguments shared by `grade_class` and `regrade_class`: `judged` judges; without it nbval does, run by `runner`.

    `judged_by` describes the judge and its isolation. While nothing it depends on changes, references are not tried again.
    """

    output: Path
    jobs: int
    progress: TextIO | None
    runner: Any = None  # a `Runner`
    judged: Judge | None = None
    kinds: Sequence[str] = ()
    judged_by: str = ""

    def judge(self, limits: Limits) -> Judge:
        return self.judged or by_nbval(self.runner, limits)

    def say(self, sentence: str) -> None:
        reports.say(self.progress, sentence)


def grade(
    submissions: Path, *, timeout: float, wishes: Wishes = NO_WISHES, late: Late | None = None, **options: Any
) -> list[Result]:
    """Grade the folder or zip `submissions`, write a new `grades.csv`, and return one result per student.

    `timeout` is in seconds per cell, `late` takes points off, `options` are the fields of `Options` (the default judge is
    the oracle). Raises `UserError` if an argument is wrong or if the reference solution does not pass on this machine. A
    broken submission does not raise: it is a status in that student's result.
    """
    chosen = Options(**options)
    assignments = _loaded(chosen.solutions, chosen.exercises, chosen.progress)
    limits, judge = Limits(timeout=timeout), chosen.judge or "oracle"
    class_ = _taken_in(submissions, assignments, limits, wishes, chosen)  # before the machine is looked at
    with chosen.called(assignments, judge, limits, not chosen.points_only, *_inputs(submissions, wishes)) as setting:
        return _all_graded(class_, assignments, limits, wishes, late, Setting(**setting))


def dry_run(submissions: Path, *, wishes: Wishes, **options: Any) -> str:
    """What `grade` would recognise, as a table with the students' real names, and the isolation that it would use.

    `options` are the fields of `Options`. Does not run students' code or write anything.
    """
    from .submissions.preview import preview

    chosen = Options(**options)
    assignments = _loaded(chosen.solutions, chosen.exercises, chosen.progress)
    asked = selection.asked_for(assignments, wishes)
    wishes = replace(wishes, anonymous=None)
    class_ = selection.gather(submissions, assignments, wishes, chosen.say)
    shown = preview(class_, asked, wishes)
    if chosen.scheduler is not None:
        return shown  # each worker has its own
    hidden, judge = chosen.hidden(*_inputs(submissions, wishes)), chosen.judge or "oracle"
    try:
        _, words = judges.isolation_of(judge, hidden, chosen.isolation, chosen.require_sandbox)
    except UserError as problem:
        words = str(problem).replace("Nothing was graded", "Nothing would be graded")
    return f"{shown}\n{words}"


def _inputs(submissions: Path, wishes: Wishes) -> tuple[Path, ...]:
    return submissions, *filter(None, (wishes.roster, wishes.anonymous))


def grade_class(
    submissions: Path,
    assignments: Sequence[Assignment],
    *,
    limits: Limits,
    wishes: Wishes = NO_WISHES,
    late: Late | None = None,
    **setting: Any,
) -> list[Result]:
    """`grade` for `assignments` that are already loaded; `setting` are the fields of `Setting`."""
    chosen = Setting(**setting)
    class_ = _taken_in(submissions, assignments, limits, wishes, chosen)
    return _all_graded(class_, assignments, limits, wishes, late, chosen)


def _taken_in(
    submissions: Path, assignments: Sequence[Assignment], limits: Limits, wishes: Wishes, chosen: "Options | Setting"
) -> list[Submission]:
    """The class. Raises `UserError` if anything that the instructor wrote is wrong."""
    _refuse_impossible(limits, chosen.jobs)
    selection.asked_for(assignments, wishes)
    reports.prepare(chosen.output, make=False)
    class_ = selection.gather(submissions, assignments, wishes, chosen.say)
    reports.refuse_unfit(chosen.kinds, [one.columns for one in class_])
    return class_


def _all_graded(
    class_: list[Submission],
    assignments: Sequence[Assignment],
    limits: Limits,
    wishes: Wishes,
    late: Late | None,
    chosen: Setting,
) -> list[Result]:
    asked = selection.asked_for(assignments, wishes)
    handed_in = [a for a in asked if wishes.only or any(a.name in s.answers for s in class_)] or asked
    reports.prepare(chosen.output)
    with gradebook.writing(chosen.output) as book:
        return _into(book, class_, handed_in, limits, wishes, late, chosen)[0]


def regrade(*, timeout: float | None, **options: Any) -> tuple[list[Result], list[Change]]:
    """Judge again the marks of the gradebook that are no longer valid, from the answers in it. Returns results and changes.

    `options` are the fields of `Options`. Defaults come from the gradebook: the time limits of its last run, and its judge.
    Records are made only if it has some, so that `regrade` without a change does not run any answer.
    """
    chosen = Options(**options)
    assignments = _loaded(chosen.solutions, chosen.exercises, chosen.progress)
    with gradebook.reading(chosen.output) as book:
        judge = chosen.judge or ("oracle" if "oracle" in book.judges() else "nbval")
        limits = _limits(book, timeout)
        record = not chosen.points_only and book.has_records()
    with chosen.called(assignments, judge, limits, record) as setting:
        return regrade_class(assignments, timeout=timeout, **setting)


def regrade_class(
    assignments: Sequence[Assignment], *, timeout: float | None, **setting: Any
) -> tuple[list[Result], list[Change]]:
    """`regrade` for `assignments` that are already loaded; `setting` are the fields of `Setting`.

    The report keeps the last one's exercises, students and their order, columns and total of the points.
    """
    chosen = Setting(**setting)
    with gradebook.reading(chosen.output):  # raises UserError if there is none
        pass
    reports.prepare(chosen.output)
    with gradebook.writing(chosen.output) as book:
        dressing, marks = book.dressing(), book.current()
        known = {
            student: {id: judged for id, judged in of_one.items() if id in (dressing.maxima or of_one)}
            for student, of_one in marks.items()
        }
        notebooks, all_notebooks = (
            {judged.notebook for of_one in some.values() for judged in of_one.values()} for some in (known, marks)
        )
        graded = [assignment for assignment in assignments if assignment.name in notebooks]
        if not graded:
            raise UserError(f"{book.path} does not hold grades of this course's exercises; run `grade` first.")
        if left_out := sorted(all_notebooks - notebooks):
            chosen.say(f"Not in the last report, and left as before: {', '.join(left_out)}.")
        limits = _limits(book, timeout)
        _refuse_impossible(limits, chosen.jobs)
        absent = sorted(known.keys() - dressing.columns, key=str.casefold)
        in_order = [student for student in (*dressing.columns, *absent) if known.get(student)]
        class_ = [from_book(student, known[student], book.answer, graded) for student in in_order]
        for submission in class_:
            submission.columns = dict(dressing.columns.get(submission.student, ()))
        reports.refuse_unfit(chosen.kinds, [one.columns for one in class_])
        wishes = Wishes(points=dressing.points, roster=Path(dressing.roster) if dressing.roster else None)
        late = gradebook.known_fields(Late, dressing.late) if dressing.late else None
        results, changes = _into(book, class_, graded, limits, wishes, late, chosen)
        kept = {(one.student, mark.exercise): mark.points for one in results for mark in one.marks if mark.adjusted}
        return results, [change.beneath(kept) for change in selection.scaled(changes, results)]


def _loaded(solutions: Path, exercises: Path, progress: TextIO | None) -> list[Assignment]:
    """Load the course's assignments and print their notices."""
    from ..course import content
    from ..course.exercises import exercises as declared

    if sentence := content.without_effect(solutions):
        reports.say(progress, sentence)
    assignments = load_assignments(solutions, exercises, declared())
    for sentence in (notice for assignment in assignments for notice in assignment.notices):
        reports.say(progress, sentence)
    return assignments


def _limits(book: Gradebook, timeout: float | None) -> Limits:
    """The limits of the book's last run, with `timeout` in place of its time limit if given."""
    last = book.run()
    limits = gradebook.known_fields(Limits, last.limits) if last else Limits()
    return limits if timeout is None else replace(limits, timeout=timeout)


def _into(
    book: Gradebook,
    class_: Sequence[Submission],
    assignments: list[Assignment],
    limits: Limits,
    wishes: Wishes,
    late: Late | None,
    setting: Setting,
) -> tuple[list[Result], list[Change]]:
    """Grade what the book does not hold yet. Stores each student's result as soon as it is final."""
    everybody = counted(len(class_), "student")
    setting.say(f"{everybody}; grading {', '.join(a.name for a in assignments)}")
    judged, judged_by, output = setting.judge(limits), setting.judged_by, setting.output
    stop = threading.Event()
    known = book.current(setting.say)
    pseudonyms.refuse_mixed(known, [one.student for one in class_], output)
    said = book.remarks()
    basis = basis_of_trial(assignments, judged_by, limits)
    trial = book.trial(basis) if judged_by else None
    while True:
        is_new = trial is None
        if trial is None:
            trial = _try_references(assignments, judged, stop)
            if judged_by:
                book.keep_trial(basis, trial)
        standing = Standing(known, assignments, trial, limits)
        settled = [_settled(s, standing, wishes) for s in class_]
        # Which of several notebooks is the best is known only after all of them are graded.
        to_do = [(s, True) if selection.has_several(s) else standing.to_do(s) for s in settled]
        if is_new or not any(is_left for _, is_left in to_do):
            break
        trial = None  # what is run now needs a new trial of the references
    class_ = settled
    bar = reports.Progress(setting.progress, len(class_))
    submissions = {s.student: s for s in class_}
    results = {s.student: _all(s, assignments, Status.NOT_GRADED) for s in class_}

    def dressed() -> list[Result]:
        plain = selection.dress([results[s.student] for s in class_], class_, wishes)
        return penalised(remarked(plain, said), late)

    def dressing() -> gradebook.Dressing:
        in_order = dressed()
        maxima = {mark.exercise: mark.maximum for one in in_order for mark in one.marks}
        rule = asdict(late) if late else {}
        columns = {one.student: one.columns for one in in_order}
        return gradebook.Dressing(columns, wishes.points, maxima, rule, str(wishes.roster or ""))

    if not late and (rule := book.dressing().late.get("rule")):
        setting.say(f"The last report took points off for lateness ({rule}); this one does not: --late was not given.")
    if not wishes.roster and (roster := book.dressing().roster):
        setting.say(
            f"The last report had all students and columns of {roster}; this one does not: --roster was not given."
        )
    book.begin(fingerprint.course(), fingerprint.versions(), asdict(limits), dressing())

    def settle(fresh: Result, stood: bool = False) -> None:
        submission = selection.settled(submissions[fresh.student], fresh.marks)
        final = standing.merged(submission, fresh)
        if news := standing.news(submission, final):
            book.add(final.student, final.note, news, answers_by_hash(submission, assignments))
        results[final.student] = final
        if stood:
            bar.done += 1
        else:
            bar.show(final)

    try:
        with book.at_once():
            for submission, is_left in to_do:
                if not is_left:
                    settle(result(submission, assignments, judged, stop), stood=True)  # does not run anything
        if stood := bar.done:
            setting.say(f"{stood} of {everybody} {'does' if stood == 1 else 'do'} not need a run")
        for one in _graded([s for s, is_left in to_do if is_left], assignments, judged, setting.jobs, stop, wishes):
            settle(one)
        book.end(dressing())
    finally:
        stop.set()
        bar.close()
        in_order = dressed()
        there = set(output.glob("*.csv"))
        # If the gradebook cannot be written, its error says more than the one of the CSV file would.
        with suppress(UserError) if isinstance(sys.exception(), UserError) else nullcontext():
            path = reports.write_csv(in_order, output)
            where = f"as before in {path}" if path in there else f"written to {path}"
            setting.say(f"{bar.done} of {everybody} graded, {where}")
            if isinstance(sys.exception(), KeyboardInterrupt):
                setting.say("Stopped; nothing that was graded is lost. The same command goes on from here.")
    for exercise, (before, now) in standing.worth.items():
        setting.say(f"{exercise} is worth {counted(now, 'point')} now, not {before:g}; each mark keeps its share.")
    return in_order, standing.changes


def _settled(submission: Submission, standing: Standing, wishes: Wishes) -> Submission:
    """`submission` with only the best of its notebooks, if an earlier run has found it."""
    if not selection.has_several(submission):
        return submission
    marks = standing.tried(submission, selection.rivals(submission, wishes.due))
    return submission if marks is None else selection.settled(submission, marks)


def _refuse_impossible(limits: Limits, jobs: int) -> None:
    if not 0 < limits.timeout < math.inf:  # nor nan
        raise UserError("The time limit must be a number of seconds above 0; give --timeout another one.")
    if jobs < 1:
        raise UserError("At least one notebook must run at a time; give --jobs 1 or more.")


def _graded(
    class_: Sequence[Submission],
    assignments: list[Assignment],
    judged: Judge,
    jobs: int,
    stop: threading.Event,
    wishes: Wishes,
) -> Iterator[Result]:
    """Yield results as they are ready. A fault of the grader affects only the result of that student.

    A student stopped by the wall clock, in any of several notebooks, is run once more after all others are done.
    """
    hindered: set[str] = set()

    def of_one(submission: Submission, assignments: list[Assignment]) -> Result:
        graded = result(submission, assignments, judged, stop)
        if any(mark.by_the_clock for mark in graded.marks):
            hindered.add(submission.student)
        return graded

    def one(submission: Submission) -> Result | None:
        try:
            if stop.is_set():
                return None
            return selection.best_of(submission, assignments, of_one, wishes.due)
        except Interrupted:
            return None
        except NoJudge:
            raise
        except Exception as problem:  # noqa: BLE001 - any problem must not stop the class
            return _all(submission, assignments, Status.GRADER_ERROR, f"{type(problem).__name__}: {problem}")

    with ThreadPoolExecutor(jobs) as pool:
        futures = [pool.submit(one, submission) for submission in class_]
        try:
            for future in as_completed(futures):
                graded = future.result()
                if graded is not None and graded.student not in hindered:
                    yield graded
            for submission in class_:  # the machine may have been too busy
                if submission.student in hindered and (graded := one(submission)) is not None:
                    yield graded
        finally:
            stop.set()


def _try_references(assignments: list[Assignment], judged: Judge, stop: threading.Event) -> dict[str, Mark]:
    """Check that the references get full points here: a broken installation must not fail a student."""
    trial: dict[str, Mark] = {}
    for assignment in assignments:
        marks = judged(assignment, assignment.references, stop)
        trial |= marks
        for mark in marks.values():
            if mark.status is not Status.PASS:
                raise UserError(
                    f"Nothing was graded: the reference solution of {mark.exercise} in {assignment.name} does not pass "
                    f"on this machine ({mark.status}: {mark.detail}); `autograd-teach validate {assignment.name}` says "
                    "whether the exercise is at fault. Repair the exercise or the installation, then grade again."
                )
            if mark.recorded not in ("", PASSED):
                why = ": ".join(filter(None, (mark.recorded, mark.said)))
                raise UserError(
                    f"Nothing was graded: the check of {mark.exercise} in {assignment.name} does not pass with its own "
                    f"reference solution on this machine ({why}). If the exercise was changed, run `autograd-teach "
                    f"notebooks` on {assignment.name}.ipynb of the solutions, which stores what the check says now. If not, "
                    "repair the installation, or give --points-only, which does not run checks."
                )
    return trial


def _all(submission: Submission, assignments: list[Assignment], status: Status, detail: str = "") -> Result:
    questions = [question for assignment in assignments for question in assignment.questions]
    marks = tuple(Mark(question.id, status, question.points, detail) for question in questions)
    return Result(submission.student, marks, "; ".join(submission.notes))
