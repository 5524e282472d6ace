"""The reports of grading, for people and for other programs.

    terminal.py     the progress bar and the table
    spreadsheet.py  grades.csv
    upload.py       the same grades for import into Moodle and Canvas
    structured.py   grades.json, and Gradescope's results.json
    class_page.py   one HTML page for the class: distributions, most common mistakes
    student_page.py one HTML page per student, to give to that student
    page.py         shared by both pages: rendering of templates, meanings of statuses
    templates/      the templates of the pages

Reports are made from results; the texts of answers come from the gradebook by their hash. Must not know how a result was made.
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from ..results import Result
from .spreadsheet import older, prepare, write_csv
from .terminal import Progress, say, show, table

__all__ = ["Progress", "older", "prepare", "refuse_unfit", "say", "show", "table", "write", "write_csv"]


def refuse_unfit(kinds: Sequence[str], class_: Sequence[Mapping[str, str]]) -> None:
    """Raise `UserError` if one of these reports cannot be made for `class_` (the roster's columns of each student).

    Called before anything runs.
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
    """Write the report `kind` (one of `command.REPORTS`) to `folder` and return the path to open.

    `answer` returns an answer's text by its hash. `attempts` counts the different answers that were judged, by student and
    exercise. Raises `UserError` if the report cannot be written.
    """
    from . import class_page, structured, upload

    if kind == "html":
        return class_page.write_pages(results, folder, answer, attempts or {})
    if kind in upload.KINDS:
        return upload.write_upload(kind, results, folder)
    return structured.write_json(results, folder) if kind == "json" else structured.write_gradescope(results, folder)
