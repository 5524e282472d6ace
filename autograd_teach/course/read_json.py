"""Reads JSON from a student's files, with one limit on nesting for every Python.

Python's own limit differs: 1,000 levels in one version, 10,000 in another, and others again to write or to copy what was read.
"""

import json
from collections.abc import Iterable
from typing import Any

DEEPEST = 100
"""Levels of lists and objects inside each other. A notebook with large plots has about twenty."""


def read_json(data: str | bytes, **hooks: Any) -> Any:
    """The value that `data` describes. hooks: for `json.loads`.

    Raises ValueError if `data` is not JSON, or nested deeper than `DEEPEST`.

    >>> read_json('{"cells": []}')
    {'cells': []}
    >>> read_json("[" * 101 + "]" * 101)
    Traceback (most recent call last):
        ...
    ValueError: nested deeper than 100 levels
    """
    try:
        value = json.loads(data, **hooks)
    except RecursionError:
        raise ValueError(f"nested deeper than {DEEPEST} levels") from None
    level: list[Any] = [[value]]
    for _ in range(DEEPEST + 1):
        level = [part for each in level for part in _parts(each) if isinstance(part, dict | list)]
        if not level:
            return value
    raise ValueError(f"nested deeper than {DEEPEST} levels")


def _parts(value: dict[str, Any] | list[Any]) -> Iterable[Any]:
    return value.values() if isinstance(value, dict) else value
