"""What comes out of grading, for people and for other programs.

    terminal.py     the progress bar and the table
    spreadsheet.py  grades.csv
    structured.py   grades.json, and Gradescope's results.json
    class_page.py   one HTML page for the class: distributions, commonest mistakes
    student_page.py one HTML page a student, fit to be handed to that student
    page.py         what both pages share: how a template is filled in, what a status means
    templates/      the pages

All of it follows from results; the texts of answers come from the gradebook by their hash. Must not know how a result came about.
"""

from collections.abc import Callable, Sequence
from pathlib import Path

from ..results import Result
from .spreadsheet import prepare, write_csv
from .terminal import Progress, say, table

__all__ = ["Progress", "prepare", "refuse_unfit", "say", "table", "write", "write_csv"]


def refuse_unfit(kinds: Sequence[str], students: int) -> None:
    """A `UserError` where one of these reports cannot be of so many students: to be said before anything has run."""
    if "gradescope" in kinds:
        from .structured import refuse_class

        refuse_class(students)


def write(kind: str, results: Sequence[Result], folder: Path, answer: Callable[[str], str]) -> Path:
    """Write the report of this kind ("html", "json", "gradescope") in `folder` and return the path to open.

    `answer` gives an answer's text by its hash. A `UserError` where it cannot be written.
    """
    from . import class_page, structured

    if kind == "html":
        return class_page.write_pages(results, folder, answer)
    return structured.write_json(results, folder) if kind == "json" else structured.write_gradescope(results, folder)
