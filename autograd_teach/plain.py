"""Makes text that others wrote fit for a terminal or a page (`visible`, `line`, `tidy`) and a spreadsheet (`cell`); and counts
in words (`counted`, `some`).

File names, display names, exceptions and answers are a student's own words. On a page the templates escape
them as well. Standard library only.
"""

import re
import unicodedata
from collections.abc import Sequence

_KEPT = "\n\t\u200c\u200d"  # the last two join letters or part them, in the names of Persian, Hindi, Sinhala
_SKIPPED = r"""[\s"“”„‟«»`´\ufffd\u200c\u200d\u115f\u1160\u2800\u3164\uffa0]*"""
_MOST_ACCENTS = 30
_START = re.compile(rf"(?P<before>^|[;|])(?P<rest>{_SKIPPED})(?=(?P<sign>[^\w\s;|]))")


def visible(text: str) -> str:
    """`text` without escape sequences, without letters that turn it round or hide it, and without halves of letters.

    >>> visible("a\\u202e\\x1b[31m\\xa0b")
    'a��[31m b'
    """
    return "".join(letter if letter.isprintable() or letter in _KEPT else _in_place_of(letter) for letter in text)


def line(text: str) -> str:
    """`visible`, in one line.

    >>> line("Ada\\n2/2 Bob: pass")
    'Ada 2/2 Bob: pass'
    """
    return visible(text).replace("\n", " ").replace("\t", " ")


def tidy(text: str, most: int | None = None) -> str:
    """`line` with one blank between words, and no longer than `most`.

    >>> tidy(" a\\n  b c ", 4)
    'a b…'
    """
    short = line(" ".join(text.split()))
    return short if most is None or len(short) <= most else f"{short[: most - 1]}…"


def has_long_accents(text: str) -> bool:
    """Whether more than 30 combining marks stand in a row, as no text needs (the Stream-Safe Text Format of UAX #15).

    NFKC puts such a row in order in quadratic time, and Python applies it to every name that it parses.

    >>> has_long_accents("e\u0301" * 1000), has_long_accents("e" + "\u0301" * 31)
    (False, True)
    """
    row = 0
    for letter in "" if text.isascii() else text:
        row = row + 1 if unicodedata.combining(unicodedata.normalize("NFKD", letter)[0]) else 0
        if row > _MOST_ACCENTS:
            return True
    return False


def cell(text: str) -> str:
    """`line`, so that no spreadsheet computes it, even one that separates cells at `;`, tabs or `|`.

    An apostrophe goes before whatever may start a cell and looks like the start of a formula: `= + - @`,
    and characters that normalise to one of them, like `＝`.

    >>> cell("=1+1"), cell("no;＝HYPERLINK()"), cell("a - b = c")
    ("'=1+1", "no;'＝HYPERLINK()", 'a - b = c')
    """

    def told(match: re.Match[str]) -> str:
        apostrophe = "'" if _starts_formula(match["sign"]) else ""
        return f"{match['before']}{apostrophe}{match['rest']}"

    return _START.sub(told, line(text))


def counted(number: float, noun: str) -> str:
    """
    >>> counted(1, "student"), counted(0, "student"), counted(1.5, "point")
    ('1 student', '0 students', '1.5 points')
    """
    return f"{number:g} {noun}{'' if number == 1 else 's'}"


def some(words: Sequence[str], most: int) -> str:
    """The first of `words` in a row, and how many more there are.

    >>> some(["a", "b", "c"], 2), some(["a", "b"], 2)
    ('a, b and 1 more', 'a, b')
    """
    return ", ".join(words[:most]) + f" and {len(words) - most} more" * (len(words) > most)


def _starts_formula(sign: str) -> bool:
    return unicodedata.normalize("NFKC", sign)[0] in "=+-@−" or unicodedata.category(sign) == "Pd"


def _in_place_of(letter: str) -> str:
    return " " if unicodedata.category(letter) == "Zs" else "\ufffd"
