"""`attempt` runs code that may raise. A cell that calls it does not give away whether the code raises.

It does not depend on a library: it prints the same with this package's tensors and with PyTorch's.
"""

import re
from collections.abc import Callable
from typing import Any

from .chains import LONG, let_go_of

__all__ = ["LONG", "attempt", "first_sentence"]

_SENTENCE_END = re.compile(r"\.?\s*\n|\.\s+(?=[A-Z`'\"(\[])|\.\s*$")


def attempt(call: Callable[[], Any]) -> None:
    """Call `call` and print the outcome: `no error`, `no error: VALUE`, or the error's type and first sentence.

    Only `Exception` is caught: an interrupted cell stays interrupted.

    >>> attempt(lambda: 6 * 7)
    no error: 42
    >>> attempt(lambda: None)
    no error
    >>> attempt(lambda: int("six"))
    ValueError: invalid literal for int() with base 10: 'six'
    """
    try:
        value = call()
    except Exception as error:  # noqa: BLE001  # whatever it raises is the outcome
        sentence = first_sentence(str(error))
        print(f"{type(error).__name__}: {sentence}" if sentence else type(error).__name__)
        let_go_of(error)
    else:
        print(*(["no error"] if value is None else ["no error:", value]))  # str, not repr: tensor(3.)


def first_sentence(text: str) -> str:
    """The text before its first full stop or line break.

    >>> first_sentence("It costs 1.5 s. Save time.")
    'It costs 1.5 s'
    """
    return _SENTENCE_END.split(text.strip(), maxsplit=1)[0].strip()
