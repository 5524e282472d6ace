"""What comes out of grading, for people and for other programs.

    terminal.py     the progress bar and the table
    spreadsheet.py  grades.csv
    upload.py       the same grades as Moodle and Canvas take them up
    structured.py   grades.json, and Gradescope's results.json
    class_page.py   one HTML page for the class: distributions, commonest mistakes
    student_page.py one HTML page a student, fit to be handed to that student
    page.py         what both pages share: how a template is filled in, what a status means
    templates/      the pages

All of it follows from results; the texts of answers come from the gradebook by their hash. Must not know how a result came about.
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from ..results import Result
from .spreadsheet import prepare, write_csv
from .terminal import Progress, say, show, table

__all__ = ["Progress", "prepare", "refuse_unfit", "say", "show", "table", "write", "write_csv"]


def refuse_unfit(kinds: Sequence[str], class_: Sequence[Mapping[str, str]]) -> None:
    """A `UserError` where one of these reports cannot be of this class, given as what its roster says of each student.

    To be called before anything has run.
    """
    from . import structured, upload

    if "gradescope" in kinds:
        structured.refuse_class(len(class_))
    for kind in upload.KINDS:
        if kind in kinds:
            upload.refuse_unfit(kind, class_)


def write(
    kind: str,
    results: Sequence[Result],
    folder: Path,
    answer: Callable[[str], str],
    attempts: Mapping[tuple[str, str], int] | None = None,
) -> Path:
    """Write the report of this kind (one of `command.REPORTS`) in `folder` and return the path to open.

    `answer` gives an answer's text by its hash; `attempts` are how many different answers were judged, by student and
    exercise. A `UserError` where it cannot be written.
    """
    from . import class_page, structured, upload

    if kind == "html":
        return class_page.write_pages(results, folder, answer, attempts or {})
    if kind in upload.KINDS:
        return upload.write_upload(kind, results, folder)
    return structured.write_json(results, folder) if kind == "json" else structured.write_gradescope(results, folder)
