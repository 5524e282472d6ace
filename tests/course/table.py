"""The answers of tests/course/answers, loaded for either engine: a table of right ones and one of wrong ones."""

import functools
from pathlib import Path
from typing import Any

_ANSWERS = Path(__file__).parent / "answers"


def answers(file: str, engine: str = "autograd_teach") -> dict[str, Any]:
    """The names of an answer file, run with `engine` in place of ours: the module's name is all that changes."""
    path = _ANSWERS / file
    text = path.read_text(encoding="utf-8")
    text = text.replace("import autograd_teach as torch", f"import {engine} as torch")
    text = text.replace("from autograd_teach.autograd", f"from {engine}.autograd")
    names: dict[str, Any] = {"__name__": f"answers_{engine}"}
    exec(compile(text, str(path), "exec"), names)  # noqa: S102  # our own file
    return names


@functools.cache
def right(engine: str = "autograd_teach") -> list[tuple[str, type]]:
    """(exercise, answer)."""
    return [row for file in _files("right") for row in answers(file, engine)["RIGHT"]]


@functools.cache
def wrong(engine: str = "autograd_teach") -> list[tuple[str, Any, str, str]]:
    """(exercise, answer, name of the diagnosis, words of its message)."""
    return [row for file in _files("wrong") for row in answers(file, engine)["WRONG"]]


@functools.cache
def generic(engine: str = "autograd_teach") -> list[tuple[str, Any, str, str]]:
    """Rows as of `wrong`, to be named without what the exercise knows of its mistakes."""
    return [row for file in _files("generic") for row in answers(file, engine)["GENERIC"]]


def name(answer: Any) -> str:
    """A stable name for a test's id."""
    return getattr(answer, "__name__", None) or f"instance-of-{type(answer).__name__}"


def _files(kind: str) -> list[str]:
    return sorted(path.name for path in _ANSWERS.glob(f"{kind}_*.py"))
