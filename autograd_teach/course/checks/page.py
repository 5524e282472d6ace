"""The HTML that a notebook shows: the report (page.html with page.css), a hint, the progress.

May use Jinja2, and the heat maps of viz. The template escapes everything that a student wrote.
"""

from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from . import checker_of
from .checker import State
from .report import Report

_HERE = Path(__file__).parent
_MARKS: dict[State, str] = {"pass": "✓ pass", "fail": "✗ FAIL", "not reached": "– not reached"}
_GRADIENTS = ("numerical", "declared")


def html(report: Report) -> str:
    """The report as HTML."""
    is_gradient = any(name.startswith(_GRADIENTS) for name in report.failing_input)
    of_gradient = [name for name in report.failing_input if name.startswith((*_GRADIENTS, "yours"))]
    labels = {name: f"gradient, {name}" for name in of_gradient} if is_gradient else {}
    return render(
        "page.html",
        report=report,
        style=Markup((_HERE / "page.css").read_text(encoding="utf-8")),  # our own file
        marks=_MARKS,
        labels=labels,
        picture=checker_of(report.exercise).picture(
            report.evidence, {check.name: state for check, state in report.lines if report.attempted}
        ),
    )


def render(template: str, **values: Any) -> str:
    """A template of this folder, filled in with `values`."""
    return str(_environment().get_template(template).render(**values))


@cache
def _environment() -> Environment:
    environment = Environment(loader=FileSystemLoader(_HERE), autoescape=True, undefined=StrictUndefined)
    environment.filters["code"] = _code
    return environment


def _code(message: str) -> Markup:
    """The escaped message, with text in `backticks` as code."""
    parts = str(escape(message)).split("`")
    return Markup("".join(f"<code>{part}</code>" if i % 2 else part for i, part in enumerate(parts)))  # escaped
