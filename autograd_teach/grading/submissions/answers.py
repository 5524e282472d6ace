"""Extracts the source of each answer from the bytes of a notebook. Does not run anything.

It takes only the *source* of answer cells, and the definitions that an answer needs from the student's other cells. An
answer cell is found by its id; else by nbgrader's `grade_id` (kept by front ends that drop ids) or Colab's copy of the id;
else by its place: the last code cell before the check cell that defines the required name, or a text if no code cell does.
If the answer cell does not define it, the last other cell that does counts, even another exercise's. Check cells are also
found by their source. Outputs, tags, metadata and kernel names are dropped; a check cell's stored output is only a hint.
Must not know whose notebook it is.
"""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ...course.definitions import Completed, Learned, completed, names_defined, stand_in
from ...course.read_json import read_json
from ...plain import some
from ..rebuild import Assignment, Question
from ..results import Mark, Status, hash_of
from .archives import Unreadable, printable

LARGEST_NOTEBOOK = 100_000_000
"""The size in bytes up to which notebooks are read. Most of a large notebook is pictures in outputs, and browsers cannot
open a larger one well. Only one is in memory at a time, and at most a fifth of it is parsed."""

LARGEST_JSON = 20_000_000
"""Bytes that are parsed. Long outputs, pasted pictures and widget states of larger notebooks are cut out first."""

LARGEST_ANSWER = 200_000
"""Bytes of one answer; an answer typed by hand has a few thousand."""

LARGEST_CODE = 50_000
"""Characters of code that are parsed at a time, in less than a second. Definitions are not taken from longer code."""

_LARGE_PART = re.compile(rb'"(?:outputs|attachments|widgets)"\s*:\s*(?=[\[{])')
_TO_BRACKET = re.compile(rb'(?:[^"\[\]{}]++|"[^"\\]*+(?:\\.[^"\\]*+)*+")*+', re.DOTALL)
_KEPT, _MOST_BRACKETS = 200_000, 2_000_000
"""Bytes of an output that is kept (a check's report is short); and how many brackets are read, in less than two seconds."""

_FENCED = re.compile(r"^ {0,3}(?:```|~~~).*\n((?s:.*?))(?:^ {0,3}(?:```|~~~)|\Z)", re.MULTILINE)
_LONGEST_REPORT, _MOST_OUTPUTS, MOST_CELLS = 20_000, 20, 10_000
_NAMED = 10
"""The number of definitions that are named, at most."""

_NOT_UTF_8 = "its text is not UTF-8: save it as UTF-8 in a text editor, or download it again from the original site"


@dataclass(frozen=True)
class Answer:
    """A student's source for one exercise, or a status that says why there is none."""

    source: str | None
    status: Status | None = None
    detail: str = ""  # why there is no source; or which parts of it are from other cells
    verdict: Mark | None = None  # an earlier mark that still stands: only its record must be made
    claimed: bool = False  # the stored output of its check cell says that it passed

    @property
    def hash(self) -> str | None:
        """SHA-256 of the source: its key in the gradebook."""
        return None if self.source is None else hash_of(self.source)


def read_answers(data: bytes, assignments: Sequence[Assignment]) -> tuple[Assignment | None, dict[str, Answer]]:
    """The assignment whose cells are in the notebook `data` (or None), and its answers by exercise id.

    >>> read_answers(b"{", [])
    Traceback (most recent call last):
        ...
    autograd_teach.grading.submissions.archives.Unreadable: it is not valid JSON
    """
    cells = _Cells(_cells(data))
    best = max(assignments, key=cells.likeness, default=None)
    if best is None or not cells.likeness(best):
        return None, {}
    return best, _Reading(cells, best).answers()


def none_of(assignment: Assignment) -> dict[str, Answer]:
    """The answers of a notebook that should be `assignment` but does not contain any of its cells."""
    return _Reading(_Cells([]), assignment).answers()


def is_untouched(source: str, stub: str) -> bool:
    """Whether no answer was written: the source is the stub, or only blank lines and comments.

    >>> is_untouched("# later\\n", stub="raise NotImplementedError")
    True
    """

    def lines(text: str) -> list[str]:
        return [line.rstrip() for line in text.strip().splitlines()]

    empty = all(re.fullmatch(r"\s*(#.*)?", line) for line in lines(source))
    return empty or lines(source) == lines(stub)


def given(answers: dict[str, Answer]) -> int:
    """How many of `answers` have a cell."""
    return sum(answer.status is not Status.MISSING for answer in answers.values())


# ---- cells ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Cell:
    """A cell as it was handed in. Everything in it comes from the student."""

    place: int
    kind: object
    source: str | None  # None: it is not text, or too long
    names: tuple[object, object, object]  # its id, nbgrader's id, Colab's id
    outputs: object

    @property
    def text(self) -> str:
        return (self.source or "").strip()

    def gives(self, entry: str) -> bool:
        """Whether it defines `entry`. Searches the lines, because a cell with a mistake may not parse."""
        name = re.escape(entry)
        pattern = rf"^(?:(?:async )?def|class) +{name}\b|^{name} *(?::[^=\n]*)?=(?!=)"
        return bool(entry) and re.search(pattern, self.source or "", re.MULTILINE) is not None

    def counts(self, entry: str) -> bool:
        """Whether it defines `entry` as more than a stub."""
        return entry in _names(self.text) and bool(stand_in([self.text], entry)[1])

    def counts_before(self, other: str, entry: str) -> bool:
        """Whether it counts although only `other` defines `entry`: `other` needs a state of it, or it cannot be parsed."""
        is_known = self.gives(entry) or len(self.text) > LARGEST_CODE
        return entry not in _names(self.text) and (is_known or bool(completed(other, [self.text], entry, ()).state))

    def says_passed(self, entry: str) -> bool:
        """Whether a stored output of it is the report of a check of `entry` that passes completely."""
        name = re.escape(entry) or "[^:\n]{1,80}"
        outputs = self.outputs[:_MOST_OUTPUTS] if isinstance(self.outputs, list) else []
        passed = re.compile(rf"^{name}: ([1-9]\d*) of \1 checks pass", re.MULTILINE)
        return any(passed.search(_said(output)) for output in outputs)


class _Cells:
    """The cells of one notebook, to be found by an exercise's id or a check's source."""

    def __init__(self, cells: list[dict[str, Any]]) -> None:
        self.all = [_cell(place, cell) for place, cell in enumerate(cells)]
        self._named: tuple[dict[str, list[_Cell]], ...] = ({}, {}, {})
        self.by_source: dict[str, list[_Cell]] = {}
        for cell in self.all:
            for names, name in zip(self._named, cell.names, strict=True):
                if isinstance(name, str):
                    names.setdefault(name, []).append(cell)
            self.by_source.setdefault(_plain(cell.text), []).append(cell)

    def named(self, id: str) -> list[_Cell]:
        """The cells that claim the id `id`, by the most reliable kind of id that any of them has."""
        return next((names[id] for names in self._named if id in names), [])

    def likeness(self, assignment: Assignment) -> int:
        """How many cells of `assignment` the notebook has: answer cells and unchanged check cells."""
        questions, sources = assignment.questions, assignment.sources
        checks = sum(_plain(sources[question.check]) in self.by_source for question in questions)
        return 2 * sum(bool(self.named(question.answer)) for question in questions) + checks


class _Reading:
    """One notebook read as one assignment."""

    def __init__(self, cells: _Cells, assignment: Assignment) -> None:
        self._cells, self._questions, self._stubs = cells, assignment.questions, assignment.stubs
        self._sources = assignment.sources
        self._learned = Learned()
        answers = {q.answer for q in self._questions}
        handed_out = {"", *(source.strip() for source in self._sources.values())}
        self._landmarks = {_plain(source) for id, source in self._sources.items() if id not in answers}
        self._found = {q.id: self._candidates(q) for q in self._questions}
        written = {cell for cell in cells.all if cell.kind == "code"}.union(*self._found.values())
        own = [c for c in written if len(c.source or "") <= LARGEST_CODE and c.text not in handed_out]
        self._own = own if sum(len(cell.source or "") for cell in own) <= LARGEST_CODE else []

        self._setup = frozenset[str]().union(
            *(_names(c["source"]) for c in assignment.cells if c["id"] not in answers and c["cell_type"] == "code")
        )

    def answers(self) -> dict[str, Answer]:
        """The answer to each question, with the definitions that it needs."""
        found: dict[str, Answer] = {}
        names = self._setup
        for question in self._questions:
            found[question.id] = answer = self._whole(question, self._answer(question), names)
            names |= _names(answer.source or self._stubs[question.id])  # answers are run in this order
        return found

    def _candidates(self, question: Question) -> list[_Cell]:
        """The cells that claim to be the answer, else the last one before the check that defines it. Takes fenced code of text."""
        entry = question.entry
        named = [cell for cell in self._cells.named(question.answer) if cell.kind == "code" or cell.gives(entry)]
        found = named or self._right_before(question)
        fenced = [replace(cell, source="\n\n".join(_FENCED.findall(cell.source or ""))) for cell in found]
        return [c if c.kind == "code" or not f.gives(entry) else f for c, f in zip(found, fenced, strict=True)]

    def _checks(self, question: Question) -> list[_Cell]:
        """The check cells of `question`, by id or by their source."""
        handed_out = _plain(self._sources[question.check])
        return [*self._cells.named(question.check), *self._cells.by_source.get(handed_out, [])]

    def _right_before(self, question: Question) -> list[_Cell]:
        return next(filter(None, (self._before(check, question) for check in self._checks(question))), [])

    def _before(self, check: _Cell, question: Question) -> list[_Cell]:
        """The last cell before `check` that defines the answer: code that is not a stub, else a text, else a stub."""
        stub = self._stubs[question.id]
        found: list[_Cell] = []
        for cell in map(self._cells.all.__getitem__, range(check.place - 1, -1, -1)):
            is_another_s = any(isinstance(name, str) and name in self._sources for name in cell.names)
            if is_another_s or _plain(cell.text) in self._landmarks:
                break
            if cell.gives(question.entry):
                found.append(cell)
        return sorted(found, key=lambda cell: (is_untouched(cell.source or "", stub), cell.kind != "code"))[:1]

    def _others(self, question: Question, answer: str = "") -> list[str]:
        """The student's other cells without stubs. Those above the check cell come last, because they define what it checks."""
        check = max((check.place for check in self._checks(question)), default=len(self._cells.all))
        cells = sorted(self._own, key=lambda cell: (cell.place < check, cell.place))
        return [cell.source or "" for cell in cells if cell.source != answer]

    def _answer(self, question: Question) -> Answer:
        """The answer among the cells that claim to be it. Untouched copies of the stub are ignored."""
        candidates, stub = self._found[question.id], self._stubs[question.id]
        claimed = any(check.says_passed(question.entry) for check in self._checks(question))
        written = {c.source: c for c in candidates if c.source is None or not is_untouched(c.source, stub)}
        if len(written) > 1:
            return Answer(None, Status.INVALID_NOTEBOOK, "two different cells answer it: keep one", claimed=claimed)
        if None in written:
            return Answer(None, Status.INVALID_NOTEBOOK, "its answer cell holds no readable text", claimed=claimed)
        own = next(iter(written.values()), None)
        others = [] if own and own.counts(question.entry) else self._others(question)
        elsewhere, several = stand_in(others, question.entry, self._learned)
        if several and not (own and own.counts_before(elsewhere, question.entry)):
            of = f", the last of {several} that define it" * (several > 1)
            return Answer(elsewhere, detail=f"the answer was found in another cell{of}", claimed=claimed)
        below = self._right_before(question) if own and own.gives(question.entry) else []
        # A text below an answer may quote an earlier try, or the other version of a cell that `update` has kept.
        is_code = bool(below) and below[0].kind == "code" and not is_untouched(below[0].source or "", stub)
        if own and is_code and below[0].place != own.place:
            return Answer(below[0].source, detail="the answer was found in another cell", claimed=claimed)
        if not candidates:
            return Answer(None, Status.MISSING, "its answer cell is not in the notebook", claimed=claimed)
        cell = own or candidates[0]
        kind = "Markdown" if cell.kind == "markdown" else "raw"
        was = "" if cell.kind == "code" else f"its answer cell is a {kind} cell"
        return Answer(cell.source, detail=was, claimed=claimed)

    def _whole(self, question: Question, answer: Answer, names: frozenset[str]) -> Answer:
        """`answer` with the definitions that it needs from the student's other cells, except those of `names`."""
        if answer.source is None or not question.entry or len(answer.source) > LARGEST_CODE:
            return answer
        if is_untouched(answer.source, self._stubs[question.id]):
            return answer
        whole = completed(answer.source, self._others(question, answer.source), question.entry, names, self._learned)
        said = "; ".join(filter(None, (answer.detail, *_words(whole))))
        return replace(answer, source=whole.source, detail=said)


def _words(whole: Completed) -> Iterator[str]:
    if whole.taken:
        yield f"taken from other cells: {some([printable(name, 40) for name in whole.taken], _NAMED)}"
    if whole.state:
        names = some([f"`{printable(name, 40)}`" for name in whole.state], _NAMED)
        yield f"needs {names}, which only running another cell gives"


def _names(source: str) -> frozenset[str]:
    return names_defined(source) if len(source) <= LARGEST_CODE else frozenset()


def _plain(source: str) -> str:
    """`source` without what an editor may change in it: spaces, quotes, semicolons."""
    return re.sub(r"[\s'\";]", "", source[:2_000])


# ---- bytes ------------------------------------------------------------------------------------------------------------


def _cells(data: bytes) -> list[dict[str, Any]]:
    if len(data) > LARGEST_NOTEBOOK:
        raise Unreadable(f"it is larger than {LARGEST_NOTEBOOK // 1_000_000} MB")
    try:
        encoding = json.detect_encoding(data)
        if len(data) > LARGEST_JSON:
            data = _lightened(data if encoding.startswith("utf-8") else data.decode(encoding).encode())
            encoding = "utf-8-sig"
        notebook = read_json(data.decode(encoding))
    except UnicodeError as problem:
        raise Unreadable(_NOT_UTF_8 if data.lstrip()[:1] == b"{" else "it is not valid JSON") from problem
    except ValueError as problem:
        raise Unreadable("it is not valid JSON" if data.strip() else "it is empty") from problem
    if not isinstance(notebook, dict) or not isinstance(notebook.get("nbformat"), int):
        raise Unreadable("it is JSON, but not a notebook")
    if notebook["nbformat"] != 4:
        raise Unreadable("it is not in notebook format 4: open it in JupyterLab, save it and hand it in again")
    cells = notebook.get("cells")
    if not isinstance(cells, list):
        raise Unreadable("it does not have a list of cells")
    if len(cells) > MOST_CELLS:
        raise Unreadable(f"it has more than {MOST_CELLS} cells")
    return [cell for cell in cells if isinstance(cell, dict)]


def _lightened(data: bytes) -> bytes:
    """The JSON `data` without long parts that cannot hold answers. They are found by brackets outside of strings, reading
    each byte once."""
    pieces: list[bytes] = []
    done, left = 0, iter(range(_MOST_BRACKETS))
    while part := _LARGE_PART.search(data, done):
        begin = part.end()
        end = _end(data, begin, left)
        empty = b"[]" if data[begin] == ord("[") else b"{}"
        pieces += [data[done:begin], empty if end - begin > _KEPT else data[begin:end]]
        done = end
    light = b"".join([*pieces, data[done:]])
    if len(light) > LARGEST_JSON:
        raise Unreadable(f"it is larger than {LARGEST_JSON // 1_000_000} MB without its outputs")
    return light


def _end(data: bytes, at: int, left: Iterator[int]) -> int:
    """The end of the list or object that begins at `at`. Reads at most as many brackets as are `left`."""
    depth = 0
    for _ in left:
        depth += 1 if data[at] in b"[{" else -1
        if not depth:
            return at + 1
        between = _TO_BRACKET.match(data, at + 1)
        at = between.end() if between else len(data)
        if at == len(data) or data[at] not in b"[]{}":
            raise ValueError("a text or a list without an end")
    raise Unreadable("its outputs have too many parts: clear all outputs, save it, and hand it in again")


def _cell(place: int, cell: dict[str, Any]) -> _Cell:
    metadata = cell.get("metadata")
    metadata = metadata if isinstance(metadata, dict) else {}
    nbgrader = metadata.get("nbgrader")
    grade_id = nbgrader.get("grade_id") if isinstance(nbgrader, dict) else None
    source = _text(cell.get("source"))
    try:
        is_fit = source is not None and len(source.encode()) <= LARGEST_ANSWER
    except UnicodeEncodeError:  # half of a surrogate pair: valid JSON, but not text
        is_fit = False
    names = (cell.get("id"), grade_id, metadata.get("id"))
    return _Cell(place, cell.get("cell_type"), source if is_fit else None, names, cell.get("outputs"))


def _said(output: object) -> str:
    """The beginning of a stored output as plain text."""
    if not isinstance(output, dict):
        return ""
    data = output.get("data")
    said = data.get("text/plain") if isinstance(data, dict) else output.get("text")
    return (_text(said) or "")[:_LONGEST_REPORT]


def _text(value: object) -> str | None:
    """The text of a notebook field, which is a string or a list of lines; None for other values."""
    if isinstance(value, list) and all(isinstance(line, str) for line in value):
        return "".join(value)
    return value if isinstance(value, str) else None
