"""Finds what an answer's source reaches for beyond its task: frames, internals of other modules, the course's own code.

It lists lines for a person to look at and does not take points: an answer that does this can be right, and an answer can
hide it. It looks only at the syntax; nothing is run.
"""

import ast
import re
import warnings
from collections.abc import Iterator

from ... import course
from ...plain import has_long_accents, tidy

MOST = 8
"""The number of lines that are reported for one answer, at most."""

_LONGEST_SOURCE, _LONGEST_PARSED = 200_000, 50_000
"""Characters that are looked at. A longer source is not parsed, which could take seconds for each answer: its words are read."""

_LONGEST = 80
"""Characters that are reported of one line, and that are looked at of a dotted name."""

_NEEDLESS = """
    _getframe _current_frames currentframe getouterframes f_back f_locals f_globals f_builtins f_code f_trace gi_frame
    cr_frame ag_frame tb_frame tb_next __traceback__ __globals__ __code__ __closure__ cell_contents __subclasses__
    __builtins__ settrace setprofile __loader__ __spec__ __path__ __file__ __base__ __bases__ __mro__ __init_subclass__
"""
_ATTRIBUTES = frozenset(_NEEDLESS.split())
"""Attributes that no exercise needs, of any object."""

_SET = frozenset({"__class__", "__bases__", "__mro__", "__dict__", "__defaults__", "__kwdefaults__", "__wrapped__"})
"""Attributes that may be read but not set."""

_INSIDES = "sys.modules sys.meta_path sys.path_hooks sys.monitoring os.fork os.forkpty inspect.stack inspect.trace"
_DOTTED = frozenset((*_INSIDES.split(), "importlib.reload", "inspect.getmembers", "inspect.getmodule"))
_TOOLS = "gc ctypes _ctypes cffi multiprocessing subprocess atexit builtins unittest.mock pdb bdb"
_IMPORTING = """
    pkgutil runpy zipimport linecache imp pydoc pickle marshal code codeop importlib.util importlib.machinery importlib.abc
    importlib.resources importlib.metadata importlib._bootstrap importlib._bootstrap_external
"""
_MODULES = frozenset((*_TOOLS.split(), *_IMPORTING.split()))
"""Modules that no exercise needs: tools to look into programs and to change them, and ways to import besides `import`."""

_COURSE = re.compile(r"autograd_teach\.(course\.|grading)|oracle_|__main__$")
_FOR_STUDENTS = re.compile(
    rf"autograd_teach\.course\.(\*|{'|'.join(course.__all__)}|(attempt|data|predict|theme)(\.[^_.][^.]*)?)"
)
"""What notebooks import from the course: the names of its face, and the modules of helpers with their names."""

_NAMED = re.compile(r"autograd_teach[./:\\]+(?:course|grading)[\w./:\\]*")
"""A module of the course in a text, also as a path of files."""

_OWN = {name: name for name in ("np", "numpy", "F", "nn", "Function", "Tensor", "autograd_teach")}
_OWN["torch"] = "autograd_teach"
"""Names that a notebook's setup cell imports: setting an attribute of them changes it for all other code."""

_CHANGING = frozenset({"setattr", "delattr", "__setattr__", "__delattr__"})
_RUNNING = frozenset({"exec", "eval", "compile"})
_MAGIC = re.compile(r"^([^\S\n]*)[%!?].*$", re.MULTILINE)


def reaching(source: str) -> tuple[str, ...]:
    """What `source` reaches for, by line; at most `MOST` lines.

    >>> reaching("import sys\\n%matplotlib inline\\nframe = sys._getframe(1).f_back")
    ('line 3: f_back, sys._getframe',)
    """
    found: dict[int, dict[str, None]] = {}
    for line, what in _found(source[:_LONGEST_SOURCE]):
        found.setdefault(line, {})[what] = None
    first = sorted(found.items())[:MOST]
    return tuple(f"line {line}: {tidy(', '.join(reached), _LONGEST)}" for line, reached in first)


def _found(source: str) -> Iterator[tuple[int, str]]:
    if has_long_accents(source):
        yield 1, "the source was not read: it has more than 30 accents in a row"
        return
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            if len(source) > _LONGEST_PARSED:
                raise ValueError("it would take seconds")
            tree = ast.parse(_MAGIC.sub(r"\1pass", source))
        yield from _Walk(tree).reaches()
    except (SyntaxError, ValueError, RecursionError, MemoryError):  # cannot be parsed: look at its words
        for number, line in enumerate(re.split(r"\r\n?|\n", source), 1):  # lines as Python counts them
            words = re.findall(r"[\w.]+", line)
            yield from (
                (number, word)
                for word in words
                if word in _DOTTED or {*word.split(".")} & (_ATTRIBUTES | _MODULES) or _is_closed(word)
            )


class _Walk:
    """One syntax tree with the imported modules that its names stand for."""

    def __init__(self, tree: ast.AST) -> None:
        self._tree = tree
        self._imported = dict(_OWN)
        self._dotted: dict[ast.AST, str] = {}  # the dotted name of each node that has one, shortened
        nodes = [*ast.walk(tree)]
        for node in nodes:
            if isinstance(node, ast.Import):
                tops = (each.name.partition(".")[0] for each in node.names)
                self._imported |= {
                    each.asname or top: each.name if each.asname else top
                    for each, top in zip(node.names, tops, strict=True)
                }
            elif isinstance(node, ast.ImportFrom):
                module = str(node.module)[:_LONGEST]
                self._imported |= {each.asname or each.name: f"{module}.{each.name}" for each in node.names}
        for node in nodes:
            if isinstance(node, ast.ClassDef):
                self._imported.pop(node.name, None)  # a class of its own, such as another Tensor
        for node in reversed(nodes):  # each attribute after the object that it belongs to
            if isinstance(node, ast.Name):
                self._dotted[node] = self._imported.get(node.id, node.id)
            elif isinstance(node, ast.Attribute) and node.value in self._dotted:
                self._dotted[node] = f"{self._dotted[node.value][:_LONGEST]}.{node.attr}"
            elif isinstance(node, ast.Call):
                match self._name(node.func), node.args:
                    case "getattr", [of, ast.Constant(value=str(name)), *_] if of in self._dotted:
                        self._dotted[node] = f"{self._dotted[of][:_LONGEST]}.{name}"
                    case "__import__" | "import_module", [ast.Constant(value=str(name)), *_]:
                        self._dotted[node] = name[:_LONGEST]

    def reaches(self) -> Iterator[tuple[int, str]]:
        """Yield pairs of a line and what it reaches for."""
        for node in ast.walk(self._tree):
            match node:
                case ast.Import():
                    yield from ((node.lineno, each.name) for each in node.names if _is_closed(each.name))
                case ast.ImportFrom():
                    module = f"{'.' * node.level}{node.module or ''}"[:_LONGEST]
                    names = [f"{module}.{each.name}" for each in node.names]
                    yield from ((node.lineno, name) for name in names if _is_closed(name) or self._is_reach(name))
                case ast.Attribute():
                    yield from ((node.lineno, what) for what in self._of_attribute(node))
                case ast.Subscript(value=value, ctx=ast.Store() | ast.Del()):
                    if self._is_others(value) and isinstance(value, ast.Attribute | ast.Call):
                        yield node.lineno, f"sets an entry of {ast.unparse(value)[:40]}"
                case ast.Call():
                    yield from ((node.lineno, what) for what in self._of_call(node))
                case ast.Name(id="__builtins__"):
                    yield node.lineno, "__builtins__"
                case ast.Constant(value=str() | bytes() as value):
                    text = value if isinstance(value, str) else value.decode("latin-1")
                    named = (re.sub(r"[/:\\]+", ".", name).rstrip(".") for name in _NAMED.findall(text))
                    yield from ((node.lineno, name) for name in named if _is_closed(name[:_LONGEST]))

    def _is_reach(self, dotted: str) -> bool:
        return dotted in _DOTTED or dotted.rpartition(".")[2] in _ATTRIBUTES

    def _is_others(self, node: ast.AST) -> bool:
        """Whether `node` is something imported, or its namespace."""
        if isinstance(node, ast.Call):
            is_vars = self._name(node.func) == "vars" and len(node.args) == 1 and not node.keywords
            return is_vars and self._is_others(node.args[0])
        while isinstance(node, ast.Attribute):
            node = node.value
        return isinstance(node, ast.Name) and node.id in self._imported

    def _of_attribute(self, node: ast.Attribute) -> Iterator[str]:
        dotted = self._dotted.get(node, "")
        is_named = dotted in _DOTTED or dotted in _MODULES
        if node.attr in _ATTRIBUTES or is_named:
            yield dotted if is_named or dotted.startswith(("sys.", "inspect.")) else node.attr
        elif _COURSE.match(dotted) and _is_closed(dotted):
            yield dotted
        elif isinstance(node.ctx, ast.Store | ast.Del):
            if node.attr in _SET:
                yield f"sets {node.attr}"
            elif self._is_others(node.value):
                yield f"sets {ast.unparse(node)[:40]}"

    def _of_call(self, node: ast.Call) -> Iterator[str]:
        name, words = self._name(node.func), [each.value for each in node.args if isinstance(each, ast.Constant)]
        texts = [each for each in words if isinstance(each, str)]
        looked_at = [self._dotted.get(each, "") for each in node.args]
        if self._dotted.get(node.func, "").startswith("inspect.") and any(map(_COURSE.match, looked_at)):
            yield f"inspect.{name} of the course"
        if name in _RUNNING and isinstance(node.func, ast.Name) and node.args:
            inner = "\n".join(texts[:1])
            yield from (what for _, what in _found(inner)) if inner else (f"{name} of text made at run time",)
        elif name in {"__import__", "import_module"}:
            modules = ["".join(reversed(texts))] if "".join(texts).startswith(".") else texts  # ".specs", "package"
            yield from (text for text in modules if _is_closed(text) or _is_closed(f"{text}."))
            if not texts:
                yield f"{name} of a name made at run time"
        elif name in {"getattr", "hasattr", "attrgetter", "__getattribute__"}:
            yield from (text for text in texts if {*text[:_LONGEST].split(".")} & _ATTRIBUTES)
            if _COURSE.match(dotted := self._dotted.get(node, "")) and _is_closed(dotted):
                yield dotted
        elif name in _CHANGING and node.args:
            if set(texts) & (_SET | _ATTRIBUTES):
                yield f"sets {texts[0]}"
            elif self._is_others(node.args[0]):
                yield f"sets {ast.unparse(node.args[0])[:30]}.{''.join(texts[:1]) or '…'}"

    def _name(self, func: ast.expr) -> str:
        """The name of a function, not that under which it was imported."""
        if isinstance(func, ast.Name):
            return self._imported.get(func.id, func.id).rpartition(".")[2]
        return func.attr if isinstance(func, ast.Attribute) else ""


def _is_closed(module: str) -> bool:
    """Whether no answer needs this module, or this name of it."""
    parts = module.split(".", 2)
    is_tool = parts[0] in _MODULES or ".".join(parts[:2]) in _MODULES
    return is_tool or _COURSE.match(module) is not None and not _FOR_STUDENTS.fullmatch(module)
