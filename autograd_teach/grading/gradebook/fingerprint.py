"""Short hashes of what a grade depends on besides the answer. While none of them changes, a grade is valid.

Does not run students' code. May use NumPy. Must not know notebooks or the gradebook.
"""

import hashlib
import json
import platform
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from functools import cache, partial
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np

from ...course.exercises import Exercise
from ...course.specs import spec_of

_PACKAGE = Path(__file__).parents[2]

_JUDGES = ("*.py", "autograd/*.py", "ops/*.py", "nn/*.py", "optim/*.py", "course/**/*.py", "grading/**/*.py")
"""The files that may affect a verdict."""

_NO_JUDGES = (
    *("__main__.py", "cli.py", "colour.py", "grading/reports", "grading/command.py", "grading/explain.py"),
    *("grading/gradebook/book.py", "grading/gradebook/remarks.py", "grading/lateness.py"),
)
_DECLARATIONS = ("course/exercises/e[0-9]*.py", "course/specs/e[0-9]*.py")
"""Declarations of exercises are hashed one by one, so a change to one exercise does not affect the others."""

_NO_VERDICT = {"points", "title", "hints", "seconds", "reference", "mistakes", "places", "holds"}
"""Fields of an exercise that do not affect the verdict: if they change, nothing has to run again."""


def of(*parts: Any) -> str:
    """The hash of `parts`, which must be JSON data.

    >>> of("a", 1) == of("a", 1) != of("a", 2)
    True
    """
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


@cache
def course() -> str:
    """The version of this package with a hash of the files that may affect a verdict."""
    digest = hashlib.sha256()
    declarations = {path for pattern in _DECLARATIONS for path in _PACKAGE.glob(pattern)}
    for path in sorted({path for pattern in _JUDGES for path in _PACKAGE.glob(pattern)} - declarations):
        name = path.relative_to(_PACKAGE).as_posix()
        if not name.startswith(_NO_JUDGES):
            digest.update(f"{name}\0".encode() + path.read_bytes())
    return f"{versions()['autograd-teach']}+{digest.hexdigest()[:12]}"


@cache
def versions() -> Mapping[str, str]:
    """Versions of everything that may have affected a grade, to explain it later."""
    from importlib.metadata import PackageNotFoundError, version

    found = {"python": platform.python_version(), "system": platform.platform()}
    for name in ("autograd-teach", "numpy", "nbval", "ipykernel"):
        try:
            found[name] = version(name)
        except PackageNotFoundError:  # run from a copy of the repository that is not installed
            found[name] = "0"
    return found


def declared(exercise: Any, spec: Any = None) -> str:
    """The hash of an exercise's declaration and of its specification (default: the course's). It is the same in every run
    of one Python version, and changes if a function in it changes.

    >>> from autograd_teach.course.exercises import exercise
    >>> declared(exercise("09.Scale")) == declared(exercise("09.Scale")) != declared(exercise("09.Exp"))
    True
    """
    if spec is None and isinstance(exercise, Exercise):
        spec = spec_of(exercise)
    return of(_said([exercise, spec], frozenset()))


def _said(value: Any, above: frozenset[int]) -> Any:
    """`value` as JSON data. `above` are the functions and classes that contain it, to stop at recursive ones."""
    if value is None or isinstance(value, (bool, int, float, str)):
        return repr(value)
    if id(value) in above:
        return "itself"
    inside = above | {id(value)}
    if isinstance(value, np.ndarray):
        return [str(value.dtype), list(value.shape), value.tobytes().hex()]
    if isinstance(value, CodeType):
        return _code(value, inside)
    if isinstance(value, FunctionType):
        return _function(value, inside)
    if isinstance(value, (staticmethod, classmethod)):
        return _said(value.__func__, inside)
    if isinstance(value, partial):
        return [_said(each, inside) for each in (value.func, value.args, value.keywords)]
    if isinstance(value, Mapping):
        return [[_said(key, inside), _said(each, inside)] for key, each in value.items()]
    if isinstance(value, (tuple, list)):
        return [_said(each, inside) for each in value]
    if isinstance(value, (set, frozenset)):
        return sorted(json.dumps(_said(each, inside)) for each in value)
    if isinstance(value, type):
        methods = vars(value).values() if _is_declared(value) else ()
        return [_name(value), *(_said(each, inside) for each in methods if callable(each))]
    if is_dataclass(value):
        held = {field.name: getattr(value, field.name) for field in fields(value) if field.name not in _NO_VERDICT}
    else:
        held = getattr(value, "__dict__", {})
    return [_name(type(value)), getattr(value, "__name__", ""), _said(held, inside)]


def _function(function: FunctionType, above: frozenset[int]) -> Any:
    if not _is_declared(function):
        return _name(function)  # the course's own helpers are in `course`, NumPy's in `versions`
    captured = [cell.cell_contents for cell in function.__closure__ or ()]
    known = function.__globals__
    used = [known[name] for name in sorted(_names(function.__code__)) if name in known]
    used = [each for each in used if not isinstance(each, ModuleType)]
    defaults = [function.__defaults__, function.__kwdefaults__]
    return [_said(each, above) for each in (function.__code__, captured, defaults, used)]


def _code(code: CodeType, above: frozenset[int]) -> Any:
    shape = [code.co_argcount, code.co_kwonlyargcount, code.co_flags, code.co_names, code.co_varnames, code.co_freevars]
    return [code.co_code.hex(), _said(shape, above), [_said(each, above) for each in code.co_consts]]


def _names(code: CodeType) -> set[str]:
    """The global names that `code` and its nested functions may use."""
    return set(code.co_names).union(*(_names(each) for each in code.co_consts if isinstance(each, CodeType)))


def _is_declared(value: Any) -> bool:
    """Whether `value` is defined in the exercises, not in the course's code or a library."""
    return not str(value.__module__).startswith(("numpy", "autograd_teach.")) or any(
        room in value.__module__ for room in (".exercises.e", ".specs.e")
    )


def _name(value: Any) -> str:
    return f"{value.__module__}.{value.__qualname__}"
