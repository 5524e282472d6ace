"""What an answer needs from a student's other cells: definitions, which are added to it, and state.

A definition is an import, a function, a class, or an assignment whose right side needs only
definitions. An `if`, `try` or `with` around these is a definition too. The result of a loop, an
augmented assignment, a mutating call (`LIST.append`) or `input` is state. If a name has several
definitions, the last in the order of the cells counts, or the last before the definition that
needs it. A constant that is changed later is state; an import, a function or a class stays a
definition. Names that the grader provides are never taken, nor are statements that would replace
one.

Standard library and plain.py only. Reads source and runs nothing. The source may be hostile: it is
read up to a limit, and not at all if it has long rows of accents, which Python parses in quadratic
time.
"""

import ast
import builtins
import itertools
import re
import sys
import textwrap
import unicodedata
import warnings
from collections import deque
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import cache, cached_property, lru_cache
from typing import Any, Literal

from ..plain import has_long_accents

_SHORT = 10_000
"""Characters of a cell whose statements are cached. Statements take about 300 times as many bytes as their text."""

MOST_TEXT = 250_000
"""Characters of all cells together; a cell beyond the limit is skipped. A notebook has about 10,000."""

_MOST_STEPS = 200_000
"""Limit of the search, in statements looked at."""

Kind = Literal["definition", "constant", "state"]
ScopeKind = Literal["function", "class", "comprehension"]

_BUILTINS = frozenset(dir(builtins)) | {"__file__", "__builtins__", "__annotations__", "display"}
_FROM_OUTSIDE = frozenset({"input", "open"})  # the results of these calls are state
_CHANGING = re.compile(
    r"add|append(left)?|clear|discard|extend(left)?|fill|insert|load_state_dict|pop(item|left)?|put"
    r"|remove|resize|reverse|setdefault|sort|step|\w*update|zero_grad|\w*[^\W_]_"
)
"""Methods that mutate their object: a list, set, dictionary, array, optimiser or (`fill_`) tensor."""

_MAGICS_OVER_PYTHON = ("%%time", "%%capture", "%%prun")  # they run Python that binds the notebook's names
_LINE_OF_MAGIC = re.compile(r"^([ \t]*)(?:[%!?].*|[\w.]+\?{1,2}[ \t]*)$", re.MULTILINE)
_GIVEN_BY_MAGIC = re.compile(r"^([\w, \t]+=)[ \t]*[%!].*$", re.MULTILINE)
_STAR = re.compile(r"\bimport[ \t]*\*")
_FUTURE = "from __future__ import annotations"


@dataclass(frozen=True)
class Completed:
    """An answer with what it needs from other cells.

    taken: the names of the definitions in `source` that come from other cells, in order: `np`,
    `numpy.*` for a star import, `Scale.backward` for an assignment to an attribute of the entry.
    state: the names that only another cell's state defines. nowhere: the names that no cell
    defines; empty if a cell has a star import.
    """

    source: str
    taken: tuple[str, ...] = ()
    state: tuple[str, ...] = ()
    nowhere: tuple[str, ...] = field(default=(), repr=False, compare=False)


def completed(
    answer: str,
    cells: Sequence[str],
    entry: str,
    given: Collection[str],
    learned: "Learned | None" = None,
) -> Completed:
    """The `answer` with all definitions of other `cells` that it needs, directly or indirectly.

    cells: the student's other cells; the last definition counts. entry: the name that is graded;
    it is taken too if the answer does not define it. given: the names that the grader provides.
    learned: what is known of the cells, if several answers of one notebook are completed.
    Definitions are placed before the answer, except those that need the answer when they run.
    An answer that is not Python is returned unchanged.

    >>> completed("def f(x): return x / TWO", ["TWO = 2", "ONE = 1"], "f", ())
    Completed(source='TWO = 2\\n\\ndef f(x): return x / TWO', taken=('TWO',), state=())
    >>> completed("def f(x): return rate * x", ["for rate in range(5): pass"], "f", ()).state
    ('rate',)
    """
    try:
        return _Search(answer, _Cells(cells, learned), entry, frozenset(given)).result()
    except (RecursionError, _TooMuch):
        return Completed(answer)


def stand_in(cells: Sequence[str], entry: str, learned: "Learned | None" = None) -> tuple[str, int]:
    """The source of the last cell that defines `entry`, and the number of such cells.

    Stubs do not count, and equal cells count as one. If no cell defines it, the source is empty.

    >>> stand_in(["x = 3", "f = None", "def f(x):\\n    return 2 * x"], "f")
    ('def f(x):\\n    return 2 * x', 2)
    """
    known = _Cells(cells, learned)
    found = [""]
    with suppress(RecursionError):
        found += [known.sources[each.place[0]] for each in known.defining(entry)]
    return found[-1], len({source.strip() for source in found}) - 1


def attributes_set(source: str) -> list[tuple[str, str]]:
    """The attributes that a cell sets at its top level, each after the name that its target begins with.

    >>> attributes_set("torch.Tensor.twice = twice\\nsetattr(cfg, 'k', 1)")
    [('torch', 'twice'), ('cfg', 'k')]
    """
    found: list[tuple[ast.expr, str]] = []
    for node in _parsed(source)[1]:
        match node:
            case ast.Assign() | ast.AugAssign() | ast.AnnAssign():
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                found += [(each.value, each.attr) for each in targets if isinstance(each, ast.Attribute)]
            case ast.Expr(ast.Call(ast.Name("setattr"), [owner, ast.Constant(str(name)), _])):
                found.append((owner, name))
    return [(root, name) for owner, name in found if (root := _root(owner))]


def is_redefined(name: str, cells: Sequence[str]) -> bool:
    """Whether the last definition of `name` in `cells` is not an import."""
    binding = [each for each in _Cells(cells).binding(name) if name in each.read.stores]
    return bool(binding) and not binding[-1].is_import


def left_over(source: str, entry: str) -> int | None:
    """The line of a `raise NotImplementedError` left in `entry` beside other statements; None if there is none.

    >>> left_over("def f(x):\\n    raise NotImplementedError()\\n    return x", "f")
    2
    """
    for top in _parsed(source)[1]:
        for each in ast.walk(top) if getattr(top, "name", None) == entry else ():
            if isinstance(each, ast.FunctionDef) and not _is_stub(each):
                stops = [node for node in each.body if isinstance(node, ast.Raise)]
                lines = [node.lineno for node in stops if "NotImplementedError" in ast.unparse(node)]
                if lines:
                    return lines[0]
    return None


@lru_cache(64)
def names_defined(source: str) -> frozenset[str]:
    """The names that a cell binds at its top level; empty if it is not Python.

    >>> sorted(names_defined("import numpy as np\\nfor i in range(3):\\n    def f(x): y = x"))
    ['f', 'i', 'np']
    """
    reader = _Reader()
    with suppress(RecursionError):
        reader.read(_parsed(source)[1])
    return frozenset(reader.stores)


# ---- reading -------------------------------------------------------------------------------------


def _parsed(source: str) -> tuple[str, list[ast.stmt]]:
    """A cell's source without magic, and its statements, none if it is not Python.

    Callers must not change the statements: those of short cells are cached.
    """
    return _parsed_once(source) if len(source) <= _SHORT else _parsed_once.__wrapped__(source)


@lru_cache(32)
def _parsed_once(source: str) -> tuple[str, list[ast.stmt]]:
    text = source.replace("\r\n", "\n").replace("\r", "\n")
    if len(text) > MOST_TEXT or has_long_accents(text):
        return text, []
    if text.lstrip().startswith("%%") and not _is_python(text):
        return text, []
    for without in (lambda: text, lambda: without_magic(text)):
        plain = without()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about a backslash in a string
            try:
                return plain, ast.parse(plain).body
            except SyntaxError:
                continue
            except (ValueError, RecursionError, MemoryError):  # a null; nested too deeply
                break
    return text, []


def _is_python(text: str) -> bool:
    return text.split(maxsplit=1)[0] in _MAGICS_OVER_PYTHON


def without_magic(text: str) -> str:
    """The source of a cell without notebook syntax that is not Python: `%matplotlib inline`, `!ls`, `name?`.

    >>> without_magic("%time\\nfiles = !ls")
    'pass\\nfiles = get_ipython()'
    """
    plain = _LINE_OF_MAGIC.sub(r"\1pass", text)
    return textwrap.dedent(_GIVEN_BY_MAGIC.sub(r"\1 get_ipython()", plain))


@dataclass
class _Scope:
    """A function, class body or comprehension that is being read."""

    kind: ScopeKind
    stores: set[str]
    loads: dict[str, None] = field(default_factory=dict)
    outer: set[str] = field(default_factory=set)  # by `global`
    nonlocals: set[str] = field(default_factory=set)


class _Reader(ast.NodeVisitor):
    """The names that statements need and bind at the top level of a cell, in execution order."""

    def __init__(self) -> None:
        self.now: dict[str, None] = {}  # needed when the statements run: outside functions
        self.later: dict[str, None] = {}  # needed when their functions are called
        self.stores: dict[str, Kind] = {}
        self.changes: set[str] = set()  # names of objects that the statements mutate
        self.written: set[str] = set()  # bound by functions, with `global`
        self.stars: list[ast.ImportFrom] = []
        self.is_from_outside = False
        self._scopes: list[_Scope] = []
        self._kind: Kind = "state"
        self._loops = 0

    def read(self, statements: Iterable[ast.stmt]) -> None:
        """Read `statements`, which follow those read before."""
        for each in statements:
            self.visit(each)

    @property
    def is_running(self) -> bool:
        """Whether the current statement is outside functions."""
        return all(scope.kind != "function" for scope in self._scopes)

    @contextmanager
    def _scope(self, kind: ScopeKind, names: Iterable[str] = ()) -> Iterator[None]:
        scope = _Scope(kind, set(names))
        self._scopes.append(scope)
        loops, self._loops = self._loops, 0
        before, self._kind = self._kind, "state"
        try:
            yield
        finally:
            self._scopes.pop()
            self._loops, self._kind = loops, before
        self.written |= scope.stores & scope.outer
        own = scope.stores - scope.outer - scope.nonlocals
        around = next((each for each in reversed(self._scopes) if each.kind != "class"), None)
        later = around.loads if around else self.later
        for name in (name for name in scope.loads if name not in own):
            if kind == "comprehension":
                self._load(name)
            else:
                (self.later if name in scope.outer else later)[name] = None

    def _load(self, name: str) -> None:
        for scope in reversed(self._scopes):
            if scope.kind != "class":
                scope.loads[name] = None
                return
            if name in scope.stores:
                return
        if name not in self.stores:
            self.now[name] = None

    def _store(self, name: str, kind: Kind) -> None:
        if self._scopes:
            self._scopes[-1].stores.add(name)
        elif self.stores.get(name) != "state":
            self.stores[name] = kind

    def _change(self, node: ast.expr) -> None:
        name = _root(node)
        if name and self.is_running:
            self.changes.add(name)

    # -- expressions

    def visit_Name(self, node: ast.Name) -> None:
        if isinstance(node.ctx, ast.Load):
            self._load(node.id)
        elif isinstance(node.ctx, ast.Store):
            self._store(node.id, self._kind)

    def visit_Attribute(self, node: ast.Attribute | ast.Subscript) -> None:
        if not isinstance(node.ctx, ast.Load):
            self._change(node)
        self.generic_visit(node)

    visit_Subscript = visit_Attribute

    def visit_Call(self, node: ast.Call) -> None:
        called = node.func
        if isinstance(called, ast.Attribute) and _CHANGING.fullmatch(called.attr):
            self._change(called.value)
        if isinstance(called, ast.Name) and called.id in _FROM_OUTSIDE and self.is_running:
            self.is_from_outside = True
        self.generic_visit(node)

    def visit_Await(self, node: ast.Await) -> None:
        self.is_from_outside = self.is_from_outside or self.is_running
        self.generic_visit(node)

    def visit_NamedExpr(self, node: ast.NamedExpr) -> None:
        self.visit(node.value)
        around = [scope for scope in self._scopes if scope.kind != "comprehension"]
        if around:
            around[-1].stores.add(node.target.id)
        else:
            self.stores[node.target.id] = "state"

    def visit_Lambda(self, node: ast.Lambda) -> None:
        self._read_defaults(node.args)
        with self._scope("function", _arguments(node.args)):
            self.visit(node.body)

    def visit_ListComp(self, node: Any) -> None:
        with self._scope("comprehension"):
            for each in node.generators:
                self.visit(each.iter)
                self.visit(each.target)
                for condition in each.ifs:
                    self.visit(condition)
            for made in (node.key, node.value) if isinstance(node, ast.DictComp) else (node.elt,):
                self.visit(made)

    visit_SetComp = visit_DictComp = visit_GeneratorExp = visit_ListComp

    # -- definitions

    def visit_Import(self, node: ast.Import) -> None:
        for alias in node.names:
            self._store(_bound(alias), "definition")

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        if any(alias.name == "*" for alias in node.names):
            self.stars.append(node)
        else:
            for alias in node.names:
                self._store(_bound(alias), "definition")

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        for decorator in node.decorator_list:
            self.visit(decorator)
        self._read_defaults(node.args)
        types = _type_parameters(node)
        hints = [each.annotation for each in ast.walk(node.args) if isinstance(each, ast.arg)]
        self._read_hints([*hints, node.returns], types)
        self._store(node.name, "definition")
        with self._scope("function", _arguments(node.args) | types):
            self.read(node.body)

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        types = _type_parameters(node)
        with self._scope("comprehension", types):
            for each in (*node.decorator_list, *node.bases, *node.keywords):
                self.visit(each)
        with self._scope("class", types | {"__module__", "__qualname__", "__class__"}):
            self.read(node.body)
        self._store(node.name, "definition")

    def visit_TypeAlias(self, node: Any) -> None:
        with self._scope("function", _type_parameters(node)):
            self.visit(node.value)
        self._store(node.name.id, "definition")

    def _read_defaults(self, arguments: ast.arguments) -> None:
        for default in (*arguments.defaults, *arguments.kw_defaults):
            if default is not None:
                self.visit(default)

    def _read_hints(self, hints: Iterable[ast.expr | None], types: Iterable[str] = ()) -> None:
        with self._scope("comprehension" if sys.version_info < (3, 14) else "function", types):
            for hint in hints:
                if hint is not None:
                    self.visit(hint)

    # -- other statements

    def visit_Assign(self, node: ast.Assign) -> None:
        self.visit(node.value)
        self._bind(node.targets, node.value)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if self.is_running:
            self._read_hints([node.annotation])
        if node.value is not None:
            self.visit(node.value)
            self._bind([node.target], node.value)
        elif self._scopes and isinstance(node.target, ast.Name):
            self._scopes[-1].stores.add(node.target.id)

    def _bind(self, targets: Iterable[ast.expr], value: ast.expr) -> None:
        kind: Kind = "definition" if isinstance(value, ast.Lambda) else "constant"
        self._kind = "state" if self._loops else kind
        for target in targets:
            self.visit(target)
        self._kind = "state"

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        self.visit(node.value)
        if isinstance(node.target, ast.Name):
            self._load(node.target.id)
        self.visit(node.target)

    def visit_For(self, node: ast.For | ast.AsyncFor) -> None:
        self.visit(node.iter)
        self.visit(node.target)
        self._repeat(node)

    visit_AsyncFor = visit_For

    def visit_While(self, node: ast.While) -> None:
        self.visit(node.test)
        self._repeat(node)

    def _repeat(self, node: ast.For | ast.AsyncFor | ast.While) -> None:
        self._loops += 1
        self.read((*node.body, *node.orelse))
        self._loops -= 1

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> None:
        if node.type is not None:
            self.visit(node.type)
        if node.name is not None:
            self._store(node.name, "state")
        self.read(node.body)

    def visit_MatchAs(self, node: ast.MatchAs | ast.MatchStar) -> None:
        self.generic_visit(node)
        if node.name is not None:
            self._store(node.name, "state")

    visit_MatchStar = visit_MatchAs

    def visit_MatchMapping(self, node: ast.MatchMapping) -> None:
        self.generic_visit(node)
        if node.rest is not None:
            self._store(node.rest, "state")

    def visit_Global(self, node: ast.Global) -> None:
        if self._scopes:
            self._scopes[-1].outer.update(node.names)

    def visit_Nonlocal(self, node: ast.Nonlocal) -> None:
        if self._scopes:
            self._scopes[-1].nonlocals.update(node.names)


def _root(node: ast.expr) -> str:
    """The name at the start of `a.b[c]`; empty if it does not start with a name."""
    while isinstance(node, ast.Attribute | ast.Subscript):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def _bound(alias: ast.alias) -> str:
    return alias.asname or alias.name.partition(".")[0]


def _arguments(arguments: ast.arguments) -> set[str]:
    several = [
        *arguments.posonlyargs,
        *arguments.args,
        *arguments.kwonlyargs,
        arguments.vararg,
        arguments.kwarg,
    ]
    return {each.arg for each in several if each is not None}


def _type_parameters(node: Any) -> set[str]:
    return {each.name for each in getattr(node, "type_params", ())}  # from Python 3.12 on


def _is_stub(node: ast.AST) -> bool:
    """Whether a function, or each function of a class, only raises `NotImplementedError`."""
    if isinstance(node, ast.ClassDef):
        functions = [each for each in node.body if isinstance(each, ast.FunctionDef)]
        return bool(functions) and all(map(_is_stub, functions))
    if not isinstance(node, ast.FunctionDef):
        return False
    match node.body:
        case [ast.Raise() as only] | [ast.Expr(value=ast.Constant()), ast.Raise() as only]:
            names = (getattr(each, "id", getattr(each, "attr", "")) for each in ast.walk(only))
            return "NotImplementedError" in names
    return False


_BLOCKS = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


# ---- the other cells -----------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Statement:
    """A statement at the top level of a cell. `place`: the number of its cell and its number in the cell."""

    place: tuple[int, int]
    node: ast.stmt
    lines: list[str]  # of the whole cell
    is_alone: bool  # whether no other statement shares its lines
    read: _Reader

    @property
    def is_import(self) -> bool:
        return isinstance(self.node, ast.Import | ast.ImportFrom)

    @property
    def is_plain(self) -> bool:
        """Whether it is a definition no matter what it needs."""
        lambda_ = isinstance(self.node, ast.Assign) and isinstance(self.node.value, ast.Lambda)
        return self.is_import or lambda_ or isinstance(self.node, _BLOCKS)

    @cached_property
    def is_stub(self) -> bool:
        """Whether it is a function or a class that is still a stub."""
        return _is_stub(self.node)

    @property
    def text(self) -> str:
        """Its lines; unparsed if other statements share them."""
        decorators = getattr(self.node, "decorator_list", [])
        first = self.lines[_first_line(self.node) - 1 : self.node.end_lineno]
        is_whole = first[0].startswith("@") if decorators else self.node.col_offset == 0
        return "\n".join(first) if self.is_alone and is_whole else ast.unparse(self.node)

    def source(self, names: Collection[str]) -> str:
        """Its source; an import is reduced to the part that binds `names`."""
        if isinstance(self.node, ast.Import | ast.ImportFrom):
            chosen = [alias for alias in self.node.names if _bound(alias) in names]
            if 0 < len(chosen) < len(self.node.names):
                if isinstance(self.node, ast.Import):
                    return ast.unparse(ast.Import(chosen))
                return ast.unparse(ast.ImportFrom(self.node.module, chosen, self.node.level))
        return self.text

    def imports_part_of(self, name: str) -> bool:
        """Whether it is `import name.part`."""
        names = self.node.names if isinstance(self.node, ast.Import) else []
        return any(alias.asname is None and alias.name.startswith(f"{name}.") for alias in names)

    def attribute_of(self, entry: str) -> str | None:
        """`a` if this is `entry.a = ...`, else None."""
        match self.node:
            case ast.Assign(targets=[ast.Attribute(value=ast.Name(id=name), attr=attribute)]):
                return attribute if name == entry else None
        return None


class Learned:
    """What is known about cells, by their source: each is parsed once for all answers of a notebook."""

    def __init__(self) -> None:
        self._words: dict[str, frozenset[str]] = {}
        self._statements: dict[str, list[_Statement]] = {}

    def words(self, source: str) -> frozenset[str]:
        """The words of a cell; none if Python would take long to parse it."""
        if source not in self._words:
            is_fit = not has_long_accents(source)
            text = unicodedata.normalize("NFKC", source) if is_fit else ""  # as Python does with names
            self._words[source] = frozenset(re.findall(r"\w+", text))
        return self._words[source]

    def statements(self, source: str) -> list[_Statement]:
        """The statements of a cell, as if it were the first one; none if they are nested too deeply."""
        if source not in self._statements:
            text, nodes = _parsed(source)
            lines = text.split("\n")
            firsts = [*map(_first_line, nodes), len(lines) + 1]
            lasts = [0, *(node.end_lineno or 0 for node in nodes)]
            is_before = [last < first for last, first in zip(lasts, firsts, strict=True)]
            is_alone = [before and after for before, after in itertools.pairwise(is_before)]
            try:
                self._statements[source] = [
                    _Statement((0, number), node, lines, is_alone[number], _reading(node))
                    for number, node in enumerate(nodes)
                ]
            except RecursionError:
                self._statements[source] = []
        return self._statements[source]


class _Cells:
    """The statements of cells, by the names that they bind or change.

    A cell is parsed only when one of its words is looked up.
    """

    def __init__(self, sources: Sequence[str], learned: Learned | None = None) -> None:
        self.sources: list[str] = []
        self._learned = learned or Learned()
        self._of_word: dict[str, list[int]] = {}
        self._read: dict[int, list[_Statement]] = {}
        self._by_name: dict[int, dict[str, list[_Statement]]] = {}
        self._binding: dict[str, list[_Statement]] = {}
        left = MOST_TEXT
        for source in sources:
            if len(source) <= left and (words := self._learned.words(source)):
                left -= len(source)
                for word in words:
                    self._of_word.setdefault(word, []).append(len(self.sources))
                self.sources.append(source)

    def binding(self, name: str) -> list[_Statement]:
        """The statements that bind `name` or change its object, in order."""
        if name not in self._binding:
            cells = self._of_word.get(name, ())
            found = (self._binding_in(cell).get(name, ()) for cell in cells)
            self._binding[name] = [each for several in found for each in several]
        return self._binding[name]

    def defining(self, name: str) -> list[_Statement]:
        """The statements that may define `name`, without stubs."""
        return [
            each for each in self.binding(name) if each.read.stores.get(name, "state") != "state" and not each.is_stub
        ]

    def stars(self) -> list[_Statement]:
        """The star imports."""
        cells = [number for number, source in enumerate(self.sources) if _STAR.search(source)]
        found = (each for cell in cells for each in self._statements(cell))
        return [each for each in found if each.read.stars and each.is_import]

    @cached_property
    def has_stars(self) -> bool:
        """Whether there is a star import."""
        return bool(self.stars())

    @cached_property
    def has_late_hints(self) -> bool:
        """Whether a cell postpones annotations, which in a notebook holds for the cells after it too."""
        return any(_FUTURE in self.sources[cell] for cell in self._of_word.get("__future__", ()))

    def _statements(self, cell: int) -> list[_Statement]:
        if cell not in self._read:
            found = self._learned.statements(self.sources[cell])
            self._read[cell] = [replace(each, place=(cell, each.place[1])) for each in found]
        return self._read[cell]

    def _binding_in(self, cell: int) -> dict[str, list[_Statement]]:
        if cell not in self._by_name:
            names = self._by_name[cell] = {}
            for each in self._statements(cell):
                for name in each.read.stores.keys() | each.read.changes | each.read.written:
                    names.setdefault(name, []).append(each)
        return self._by_name[cell]


def _reading(node: ast.stmt) -> _Reader:
    reader = _Reader()
    reader.read([node])
    return reader


def _first_line(node: ast.stmt) -> int:
    return min(each.lineno for each in (node, *getattr(node, "decorator_list", ())))


# ---- the search ----------------------------------------------------------------------------------


_Need = tuple[str, _Statement | None, bool]
"""A name, the statement that needs it (None: the answer), and whether it is needed when that runs."""


class _TooMuch(Exception):
    """The search has taken more steps than an honest notebook needs."""


class _Search:
    """The search for what one answer needs from other cells."""

    def __init__(self, answer: str, cells: _Cells, entry: str, given: frozenset[str]) -> None:
        self.answer, self.cells, self.entry, self.given = answer, cells, entry, given
        self.nodes = _parsed(answer)[1]
        self.own = _Reader()
        self.own.read(self.nodes)
        named = [each for each in self.nodes if getattr(each, "name", None) == entry]
        self.written = named[-1] if named else None  # of the entry, in the answer
        self.is_own = entry in self.own.stores and not (self.written and _is_stub(self.written))
        self.taken: dict[_Statement, dict[str, None]] = {}  # with the names that they are taken for
        self.uses: dict[_Statement, list[_Statement]] = {}  # what must be before each
        self.behind: set[_Statement] = set()  # what must be after the answer
        self.state: dict[str, None] = {}
        self.nowhere: set[str] = set()
        self._of_definitions: dict[_Statement, bool] = {}
        self._steps = 0
        # Cached, because without it a step would take time proportional to the length of a statement.
        self._replaces_given = cache(lambda each: not given.isdisjoint(each.read.stores))
        self._parts = cache(lambda name: [e for e in cells.binding(name) if e.imports_part_of(name)])

    def result(self) -> Completed:
        """The answer with everything that it needs."""
        if not self.nodes and self.answer.strip():
            return Completed(self.answer)
        self._take_entry()
        self._take(*((name, None, True) for name in self.own.now))
        self._take(*((name, None, False) for name in self.own.later if name not in self.own.stores))
        self._take_attributes()
        stars = self.cells.stars() if self.nowhere else []
        late = self.nowhere and self.cells.has_late_hints and _FUTURE not in self.answer
        order = self._in_order()
        first = [_FUTURE] if late else []
        first += [each.text for each in stars]
        front = [each.source(self.taken[each]) for each in order if each not in self.behind]
        back = [each.source(self.taken[each]) for each in order if each in self.behind]
        names = ["__future__.annotations"] if late else []
        names += [f"{star.module}.*" for each in stars for star in each.read.stars]
        names += [name for each in order for name in self.taken[each]]
        unknown = self.own.written if not self.own.stars else self.state  # perhaps the answer's own
        return Completed(
            self._joined([*first, *front], back),
            tuple(dict.fromkeys(names)),
            tuple(name for name in self.state if name not in unknown),
            () if stars or self.own.stars else tuple(sorted(self.nowhere - self.own.written)),
        )

    # -- what is taken

    def _take_entry(self) -> None:
        """Take the entry, if the answer lacks it, or has only a stub and there is one definition elsewhere."""
        if self.is_own or self.entry in self.given:
            return
        if self.written is None:
            self._take((self.entry, None, True))
        elif len({each.text for each in self.cells.defining(self.entry)}) == 1:
            self._take((self.entry, None, True))
            self.behind.update(each for each in self.taken if self._is_entry(each))
        else:
            self.is_own = True

    def _take_attributes(self) -> None:
        """Take `Entry.name = ...` from other cells, if the class does not define the name or has only a stub."""
        others = [each.node for each in self.taken if self._is_entry(each)]
        entry = next(iter([self.written] if self.is_own else others), None)
        if not isinstance(entry, ast.ClassDef):
            return
        body = _Reader()
        body.read(each for each in entry.body if not _is_stub(each))
        last = {each.attribute_of(self.entry): each for each in self.cells.binding(self.entry)}
        for name, each in last.items():
            if name is not None and name not in body.stores:
                self.taken[each] = {f"{self.entry}.{name}": None}
                self._take(*self._needs(each))

    def _is_entry(self, statement: _Statement) -> bool:
        return self.entry in statement.read.stores

    def _take(self, *needs: _Need) -> None:
        """Take the definition of each name in `needs`, and of all that these definitions need."""
        waiting = deque(needs)
        while waiting:
            name, user, is_at_once = waiting.popleft()
            is_own = name in self.own.stores and (name != self.entry or self.is_own)
            is_of_answer = user is not None and is_own
            if name in self.given or (is_of_answer and not is_at_once):
                continue
            found = self._definition(name, user.place if user and is_at_once else None)
            if user and is_at_once:
                self.uses.setdefault(user, []).extend([found] if found else [])
                if is_of_answer and not found:
                    self.behind.add(user)
            if found:
                waiting.extend(self._add(found, name))
            elif not is_of_answer and name not in _BUILTINS:
                if self.cells.binding(name):
                    self.state[name] = None
                elif name not in self.own.stores:
                    self.nowhere.add(name)

    def _add(self, statement: _Statement, name: str) -> list[_Need]:
        """Take `statement`, and with `import a.b` every other `import a.c`. Returns what these need."""
        needs = []
        for each in (statement, *(self._parts(name) if statement.is_import else ())):
            if each not in self.taken:
                self.taken[each] = {}
                needs += self._needs(each)
            self.taken[each][name] = None
        return needs

    def _needs(self, statement: _Statement) -> list[_Need]:
        read = statement.read
        return [
            *((name, statement, True) for name in read.now),
            *((name, statement, False) for name in read.later),
        ]

    # -- what is a definition

    def _definition(self, name: str, before: tuple[int, int] | None) -> _Statement | None:
        """The last definition of `name`, if possible before the place `before`; None if it is state."""
        if name == self.entry and self.is_own:
            return None
        binding = self.cells.binding(name)
        self._steps += len(binding) + 1
        if self._steps > _MOST_STEPS:
            raise _TooMuch
        earlier = [each for each in binding if before is not None and each.place < before]
        is_changed = False
        for each in reversed(earlier or binding):
            if self._defines(each, name):
                is_fixed = each.read.stores[name] == "definition"
                return each if is_fixed or not (is_changed or name in _BUILTINS) else None
            is_changed = True
        return None

    def _defines(self, statement: _Statement, name: str) -> bool:
        if statement.read.stores.get(name, "state") == "state":
            return False
        if name == self.entry and statement.is_stub:
            return False
        if statement.is_import:
            return True
        if self._replaces_given(statement):
            return False
        return statement.is_plain or self._is_of_definitions(statement)

    def _is_of_definitions(self, statement: _Statement) -> bool:
        """Whether it needs only definitions when it runs, and does not change them."""
        if statement not in self._of_definitions:
            self._of_definitions[statement] = False  # until it is known: it may depend on itself
            self._of_definitions[statement] = not statement.read.is_from_outside and all(
                self._is_definition_for(name, statement) for name in statement.read.now
            )
        return self._of_definitions[statement]

    def _is_definition_for(self, name: str, statement: _Statement) -> bool:
        if name in self.given:
            return True
        found = self._definition(name, statement.place)
        if found is None:
            known = name in self.own.stores or name in _BUILTINS
            return known or (self.cells.has_stars and not self.cells.binding(name))
        is_changed = name in statement.read.changes or name in statement.read.stores
        return not is_changed or found.read.stores[name] == "definition"

    # -- how it is put together

    def _in_order(self) -> list[_Statement]:
        """The taken statements in the order of the cells, except that each comes after what it needs."""
        order: dict[_Statement, None] = {}
        begun: set[_Statement] = set()

        def put(statement: _Statement) -> None:
            if statement not in begun:
                begun.add(statement)
                for each in self.uses.get(statement, ()):
                    put(each)
                if not self.behind.isdisjoint(self.uses.get(statement, ())):
                    self.behind.add(statement)
                order[statement] = None

        for each in sorted(self.taken, key=lambda each: each.place):
            put(each)
        return list(order)

    def _joined(self, front: list[str], back: list[str]) -> str:
        """The answer between `front` and `back`. Lines that must come first in a cell stay first."""
        if not front and not back:
            return self.answer
        lines = self.answer.split("\n")
        first = 0
        if self.answer.lstrip().startswith("%%"):
            first = next(number for number, line in enumerate(lines, 1) if line.strip())
        for node in self.nodes:
            if isinstance(node, ast.ImportFrom) and node.module == "__future__":
                first = node.end_lineno or first
        parts = (lines[:first], front, lines[first:], back)
        return "\n\n".join("\n".join(part) for part in parts if any(map(str.strip, part)))
