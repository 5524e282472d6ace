"""Finds answers that are equal except for names, comments, layout and texts of messages: a hint, not a verdict.

Each answer gets a normal form. Equal forms are found by their hashes, so the time grows with the number of
answers, not with the number of pairs. Short answers are often equal, so only forms of at least `LEAST`
parts (syntax nodes, names, numbers) are compared. The code of a stub has about 25 parts for a function
and 60 for a class; ten lines written by a student have about 100.

May use results and the answers' texts, which it never runs. Must not know who wrote them.
"""

import ast
import hashlib
import re
import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from ...plain import has_long_accents
from ..results import Mark, Status

LEAST = 150
_LONGEST = 20_000  # characters; longer answers are not typed by hand, and are compared by their words
_WORD = re.compile(r"\w+|[^\w\s]")
_COMMENT = re.compile(r"#.*")
_NAMED = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.ExceptHandler)
_NAMING: dict[type[ast.AST], str] = dict.fromkeys(_NAMED, "name") | {ast.arg: "arg", ast.alias: "asname"}
_NAMING |= {ast.Name: "id", ast.Attribute: "attr"}


@dataclass(frozen=True)
class Alike:
    """Students whose answers to one exercise are equal."""

    exercise: str
    students: tuple[str, ...]


def alike(marks: Iterable[tuple[str, Mark]], answer: Callable[[str], str]) -> list[Alike]:
    """The groups in `marks` (student, mark), by exercise, smaller ones first.

    `answer` returns an answer's text by its hash.
    """
    forms: dict[str, str] = {}
    groups: dict[tuple[str, str], list[str]] = {}
    exercises: dict[str, int] = {}
    for student, mark in marks:
        exercises.setdefault(mark.exercise, len(exercises))
        if not mark.source or mark.status in (Status.NOT_ATTEMPTED, Status.MISSING):
            continue
        if mark.source not in forms:
            forms[mark.source] = _hash_of_long(answer(mark.source))
        if forms[mark.source]:
            groups.setdefault((mark.exercise, forms[mark.source]), []).append(student)
    found = [Alike(exercise, tuple(students)) for (exercise, _), students in groups.items() if len(students) > 1]
    return sorted(found, key=lambda each: (exercises[each.exercise], len(each.students)))


def normal_form(source: str) -> list[str]:
    """The parts of `source` in order: its syntax if it can be parsed, else its words without comments.

    >>> normal_form("def f(x): return 2 * x") == normal_form("def g(value):  # doubled\\n    return 2 * value")
    True
    """
    if len(source) <= _LONGEST and not has_long_accents(source):
        try:
            with warnings.catch_warnings(action="ignore"):
                return _of_tree(ast.parse(source))
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            pass
    return _WORD.findall(_COMMENT.sub("", source))


def _of_tree(tree: ast.Module) -> list[str]:
    own = _own_names(tree)
    numbers: dict[str, int] = {}
    parts: list[str] = []

    def visit(value: object, is_told: bool) -> None:
        if isinstance(value, ast.Expr) and isinstance(value.value, ast.Constant):
            return  # a docstring
        if is_told and _is_text(value):
            parts.append("a message")
        elif isinstance(value, ast.AST):
            parts.append(type(value).__name__)
            told = _told(value)
            for field in value._fields:
                visit(getattr(value, field, None), is_told or field == told)
        elif isinstance(value, list):
            parts.append("[")
            for each in value:
                visit(each, is_told)
        elif isinstance(value, str) and value in own:
            parts.append(f"name {numbers.setdefault(value, len(numbers))}")
        elif value is not None:
            parts.append(repr(value))

    visit(tree, False)
    return parts


def _own_names(tree: ast.Module) -> set[str]:
    """The names, including attributes, that the answer itself assigns."""
    fields = [(node, _NAMING.get(type(node), "")) for node in ast.walk(tree)]
    given = (getattr(node, field) for node, field in fields if field and _is_given(node))
    return {name for name in given if name}


def _is_given(node: ast.AST) -> bool:
    return isinstance(getattr(node, "ctx", ast.Store()), ast.Store)


def _told(node: ast.AST) -> str:
    """The field of `node` with texts for people: of an exception, an assertion, a print."""
    is_print = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print"
    return "args" if is_print else {ast.Raise: "exc", ast.Assert: "msg"}.get(type(node), "")


def _is_text(value: object) -> bool:
    return isinstance(value, ast.JoinedStr) or isinstance(value, ast.Constant) and isinstance(value.value, str)


def _hash_of_long(source: str) -> str:
    """The hash of an answer's normal form; "" if the form is too short to compare."""
    parts = normal_form(source)
    return hashlib.sha256("\n".join(parts).encode("utf-8", "replace")).hexdigest() if len(parts) >= LEAST else ""
