"""An instructor's remarks: adjustments (points that replace the judge's, with a reason) and comments to the student.

Each remark is a row in the gradebook that is never changed or deleted. The newest adjustment of a mark counts, all comments
count, and a withdrawal is one more row. Remarks stay when marks are judged again.

May use results. Must not know how a mark was made.
"""

import getpass
import math
from collections.abc import Collection, Sequence
from dataclasses import replace
from difflib import get_close_matches
from pathlib import Path

from ...course.errors import UserError
from ...plain import some, tidy
from ..results import Adjustment, Mark, Result
from .book import Gradebook, Remark, reading, writing


def adjust(
    student: str,
    exercise: str,
    points: float | None,
    *,
    because: str,
    output: Path,
    by: str | None = None,
    bonus: bool = False,
    withdraw: bool = False,
) -> str:
    """Give a mark `points`, in the points of the last report, or `withdraw` its adjustment. Returns what was done, as text.
    Raises `UserError` if the points are below 0, or above those of the exercise without `bonus`."""
    if withdraw == (points is not None):
        raise UserError("Give the points, or --withdraw to take an adjustment back: one of the two.")
    reason = tidy(because)
    if not (reason or withdraw):
        raise UserError("An adjustment needs a reason, which the student reads; give it with --because.")
    with reading(output), writing(output) as book:  # `reading` raises if there is no gradebook
        student, exercise = _found(book, student, exercise)
        (result,) = remarked([Result(student, (book.current()[student][exercise].mark,))], book.remarks())
        (mark,) = result.marks
        if withdraw and not mark.adjusted:
            raise UserError(f"{tidy(student)}, {exercise}: not adjusted; there is nothing to take back.")
        maximum = book.dressing().maxima.get(exercise, mark.maximum)
        if points is not None:
            _refuse_impossible(points, maximum, exercise, bonus)
        said = Remark(student, exercise, "points", reason, _who(by), "", points, maximum, withdraw, bool(by))
        book.remark(said)
    given = f"adjusted to {points:g} of {maximum:g} points" if points is not None else "no longer adjusted"
    return f"{tidy(student)}, {exercise}: {given} by {said.by}{f': {reason}' if reason else ''}"


def comment(
    student: str,
    text: str | None,
    *,
    output: Path,
    exercise: str | None = None,
    by: str | None = None,
    withdraw: bool = False,
) -> str:
    """Add a comment to a student's page (at the top, or for `exercise`), or `withdraw` all there. Returns what was done."""
    words = "\n".join(map(tidy, (text or "").strip().splitlines()))
    if withdraw == bool(words):
        raise UserError("Give the comment, or --withdraw to take the earlier ones back: one of the two.")
    with reading(output), writing(output) as book:  # which is not made here
        student, place = _found(book, student, exercise)
        said = Remark(student, place, "comment", words, _who(by), withdrawn=withdraw, signed=bool(by))
        where = f"{tidy(student)}{f', {place}' if place else ''}"
        if withdraw and all(_place(each) != _place(said) for each in _standing(book.remarks())):
            raise UserError(f"{where}: there is no comment to take back.")
        book.remark(said)
    return f"{where}: {'the comments are taken back' if withdraw else 'a comment is added'}"


def remarked(results: Sequence[Result], remarks: Sequence[Remark]) -> list[Result]:
    """`results` with the adjustments and comments that were not withdrawn."""
    adjusted: dict[tuple[str, str], Adjustment] = {}
    comments: dict[tuple[str, str], tuple[str, ...]] = {}
    for each in _standing(remarks):
        place = (each.student, each.exercise)
        if each.kind == "comment":
            signature = f"\n({each.by}, {each.when[:10]})" if each.signed else ""
            comments[place] = (*comments.get(place, ()), each.because + signature)
        elif each.points is not None:
            adjusted[place] = Adjustment(each.points, each.maximum, each.because, each.by, each.when, each.signed)

    def of(student: str, mark: Mark) -> Mark:
        place = (student, mark.exercise)
        return replace(mark, adjusted=adjusted.get(place), comment="\n".join(comments.get(place, ())))

    def all_of(result: Result) -> Result:
        marks = tuple(of(result.student, mark) for mark in result.marks)
        return replace(result, marks=marks, comments=comments.get((result.student, ""), ()))

    return list(map(all_of, results))


def _standing(remarks: Sequence[Remark]) -> list[Remark]:
    """The remarks that were not withdrawn."""
    standing: dict[tuple[str, str, str], list[Remark]] = {}
    for each in remarks:
        standing[_place(each)] = [] if each.withdrawn else [*standing.get(_place(each), []), each]
    return [each for several in standing.values() for each in several]


def _place(remark: Remark) -> tuple[str, str, str]:
    return remark.student, remark.exercise, remark.kind


def _refuse_impossible(points: float, maximum: float, exercise: str, bonus: bool) -> None:
    if not 0 <= points < math.inf:  # nor nan
        raise UserError(f"Points cannot be {points:g}; give a number from 0 to {maximum:g}, which {exercise} is worth.")
    if points > maximum and not bonus:
        raise UserError(
            f"{exercise} is worth {maximum:g} points and {points:g} are more; give --bonus if you mean that."
        )


def _who(by: str | None) -> str:
    try:
        return tidy(by or getpass.getuser())
    except (OSError, KeyError, ImportError) as problem:
        raise UserError("Your login name cannot be found on this machine; give a name with --by.") from problem


def _found(book: Gradebook, student: str, exercise: str | None) -> tuple[str, str]:
    """The names of student and exercise as the gradebook spells them; "" if `exercise` is None."""
    current = book.current()
    student = one_of(current, student, "student", book.path)
    return student, exercise_of(list(current[student]), exercise, student) if exercise is not None else ""


def exercise_of(known: list[str], asked: str, student: str) -> str:
    """Find an exercise by its id ("09.Scale"), or by its name ("Scale") if only one exercise has it."""
    ending = [id for id in known if id.rpartition(".")[2].casefold() == asked.casefold()]
    return ending[0] if len(ending) == 1 else one_of(known, asked, "exercise", f"the grades of {student}")


def one_of(known: Collection[str], asked: str, what: str, where: object) -> str:
    """Return `asked` as `known` spells it, in capitals or not. Otherwise raises `UserError` with similar names."""
    alike = [asked] if asked in known else [each for each in known if each.casefold() == asked.casefold()]
    if len(alike) == 1:
        return alike[0]
    near = sorted(each for each in known if asked.casefold() in each.casefold())
    near = near or get_close_matches(asked, list(known), n=3) or list(known)
    listed = f"there {'is' if len(near) == 1 else 'are'} {some([*map(tidy, near)], 10)}"
    raise UserError(f"There is no {what} {asked!r} in {where}; {listed}.")
