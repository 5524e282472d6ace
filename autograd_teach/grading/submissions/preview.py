"""The table of `grade --dry-run`: the student that each file was assigned to, and its contents, before anything runs.

May use the results of intake and selection. Must not know how an answer is judged.
"""

from collections.abc import Sequence

from ...plain import counted, line
from ..rebuild import Assignment
from ..results import MOST_NAMED, Status
from .answers import Answer, is_untouched
from .intake import Submission
from .selection import Wishes, clock, is_clocked


def preview(class_: Sequence[Submission], assignments: Sequence[Assignment], wishes: Wishes) -> str:
    """An aligned row for each student and notebook, then notes and totals. `solved` counts check cells whose stored output
    says that they passed."""
    rows = [["student", "assignment", "written", "solved", "submitted", "late", "file"]]
    has_clock = is_clocked(class_, wishes)
    there = [one for one in class_ if one.versions or one.notes or one.fault]
    many_absent = len(class_) - len(there) > MOST_NAMED  # `gather` has named some of them
    for submission in there if many_absent else class_:
        rows += [[line(word) for word in row] for row in _rows(submission, assignments, wishes, has_clock)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ["  ".join(word.ljust(width) for word, width in zip(row, widths, strict=True)).rstrip() for row in rows]
    said = [line(f"  {s.student}: {'; '.join(notes)}") for s in class_ if (notes := _notes(s))]
    handed_in = sum(bool(submission.answers) for submission in class_)
    total = f"{counted(len(class_), 'student')}, {handed_in} with a notebook that was recognised. Nothing was run or written."
    return "\n".join([*lines, "", *said, *[""] * bool(said), total])


def _rows(
    submission: Submission, assignments: Sequence[Assignment], wishes: Wishes, has_clock: bool
) -> list[list[str]]:
    rows = []
    for assignment in assignments:
        for version in submission.versions.get(assignment.name, ()):
            clocked = clock([version], wishes.due)
            answers = version.answers
            solved = f"{sum(answer.claimed for answer in answers.values())} of {len(answers)}"
            row = [submission.student, assignment.name, _written(answers, assignment), solved]
            late = clocked["late"] if has_clock else ""
            rows.append([*row, clocked["submitted"], late, version.path])
    nothing = "no notebook" if submission.notes else "nothing was handed in"
    what = "unreadable" if submission.fault else nothing
    return rows or [[submission.student, "", what, "", "", "", ""]]


def _notes(submission: Submission) -> list[str]:
    """The notes about a submission, each once: what is unreadable, what is not used."""
    answers = [a for several in submission.versions.values() for v in several for a in v.answers.values()]
    why = [a.detail for a in answers if a.status is Status.INVALID_NOTEBOOK]
    return list(dict.fromkeys(filter(None, [submission.fault, *why, *submission.notes])))


def _written(answers: dict[str, Answer], assignment: Assignment) -> str:
    """How many answers are written, and how many are missing or invalid, as text.

    >>> from autograd_teach.grading.rebuild import Question
    >>> assignment = Assignment("tiny", (Question("double", 1, "a", "b"),), ({"id": "a", "source": "..."},), {})
    >>> _written({"double": Answer(None, Status.MISSING)}, assignment)
    '0 of 1, 1 missing'
    """
    stubs = assignment.stubs
    given = [(stubs[id], answer) for id, answer in answers.items()]
    written = sum(answer.source is not None and not is_untouched(answer.source, stub) for stub, answer in given)
    parts = [f"{written} of {len(given)}"]
    for status, word in ((Status.MISSING, "missing"), (Status.INVALID_NOTEBOOK, "unreadable")):
        count = sum(answer.status is status for _, answer in given)
        parts += [f"{count} {word}"] * bool(count)
    return ", ".join(parts)
