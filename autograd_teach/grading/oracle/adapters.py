"""The text that goes along with a question: how an answer is used, and how its arguments are made, without what is right.

A declaration may say `call=` (the answer is used in another way than by calling it) and have arguments of a class of its
own (`Prepared`). The student's process needs both; the module they are written in holds the specification too. So from its
source are taken the functions and classes that the use of the answer names, what these name in turn, and of a class the
methods that are called: never `for_specification`, nor what only that needs.

Standard library; reads the declarations' files. Must not run anything of a student's.
"""

import ast
import functools
import inspect
import sys
from collections.abc import Iterator
from types import FunctionType, ModuleType
from typing import Any

from ...course.exercises import declaration
from ...course.exercises.declaration import Call, Prepared

NEVER_SENT = ("for_specification",)
_PACKAGE = declaration.__name__.rpartition(".")[0]


class CannotBeSent(Exception):
    """The text of an exercise cannot be cut out of its module; the message says what is in the way."""


def text_for(grading: Call, arguments: list[tuple[Any, ...]]) -> str:
    """A module's text that defines `call`, where the declaration has it, and the classes of the `arguments`."""
    cutting = _Cutting()
    kinds = dict.fromkeys(type(each) for given in arguments for each in given if isinstance(each, Prepared))
    for kind in kinds:
        if kind.__module__ != declaration.__name__:
            cutting.name(sys.modules[kind.__module__], kind.__name__)
    if grading.call is not None:
        cutting.function(grading.call)
    return cutting.text()


class _Cutting:
    """The definitions taken so far, by module and name."""

    def __init__(self) -> None:
        self.taken: dict[tuple[str, str], ast.stmt] = {}
        self.imports: dict[str, ast.stmt] = {}
        self.call: ast.stmt | None = None
        self.attributes: set[str] = {"for_student"}

    def function(self, function: Any) -> None:
        """Take `function` under the name `call`."""
        if not isinstance(function, FunctionType) or function.__closure__:
            raise CannotBeSent("`call` is no plain function")
        module = sys.modules[function.__module__]
        if function.__name__ == "<lambda>":
            node: ast.expr = _lambda(module, function)
            self._names(module, node)
        else:
            if function.__qualname__ != function.__name__:
                raise CannotBeSent("`call` is defined inside something else")
            self.name(module, function.__name__)
            node = ast.Name(function.__name__, ast.Load())
        self.call = ast.Assign([ast.Name("call", ast.Store())], node)

    def name(self, module: ModuleType, name: str) -> None:
        """Take what `module` defines as `name`, and all that it needs."""
        known = _definitions(module.__name__)
        if name not in known or (module.__name__, name) in self.taken:
            return
        node = known[name]
        if isinstance(node, ast.Import | ast.ImportFrom):
            self._import(module, name, node)
            return
        if any(other == name for _, other in self.taken):
            raise CannotBeSent(f"two modules define {name}")
        self.taken[module.__name__, name] = node
        if not isinstance(node, ast.ClassDef):
            self._names(module, node)
            return
        for part in (*node.bases, *node.decorator_list, *(each for each in node.body if not _is_method(each))):
            self._names(module, part)
        self._methods()

    def _methods(self) -> None:
        """Of every class taken the methods that something taken calls; these may call others."""
        before = -1
        seen: set[int] = set()
        while before != len(seen):
            before = len(seen)
            for (module, _), node in list(self.taken.items()):
                for method in _kept(node, self.attributes):
                    if id(method) not in seen:
                        seen.add(id(method))
                        self._names(sys.modules[module], method)

    def _names(self, module: ModuleType, node: ast.AST) -> None:
        for each in _without_annotations(node):
            if isinstance(each, ast.Attribute):
                self.attributes.add(each.attr)
            elif isinstance(each, ast.Constant) and isinstance(each.value, str) and each.value.isidentifier():
                self.attributes.add(each.value)  # getattr(x, "name")
        own = _own_names(node)
        for each in _without_annotations(node):
            if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Load) and each.id not in own:
                self.name(module, each.id)

    def _import(self, module: ModuleType, name: str, node: ast.Import | ast.ImportFrom) -> None:
        if isinstance(node, ast.Import):
            self.imports[name] = node
            return
        package = module.__name__.split(".")[: -node.level] if node.level else []
        source = ".".join([*package, node.module] if node.module else package)
        if source.startswith(f"{_PACKAGE}.") and source != declaration.__name__:
            self.name(sys.modules[source], name)
            return
        alias = next(each for each in node.names if name in (each.asname, each.name))
        self.imports[name] = ast.ImportFrom(source, [alias], 0)

    def text(self) -> str:
        """All of it, in an order in which it can run."""
        self._methods()
        body: list[ast.stmt] = [ast.ImportFrom("__future__", [ast.alias("annotations")], 0), *self.imports.values()]
        order = {key: number for number, key in enumerate(_in_order({module for module, _ in self.taken}))}
        in_order = [self.taken[key] for key in sorted(self.taken, key=lambda key: order[key])]
        for node in dict.fromkeys(in_order):  # one statement may define two names
            body.append(_cut(node, self.attributes) if isinstance(node, ast.ClassDef) else node)
        if self.call is not None:
            body.append(self.call)
        return ast.unparse(ast.fix_missing_locations(ast.Module(body, [])))


@functools.cache
def _definitions(module: str) -> dict[str, ast.stmt]:
    """What a module's own statements define, by name."""
    found: dict[str, ast.stmt] = {}
    for node in _tree(module).body:
        for name in _defined(node):
            found[name] = node
    return found


@functools.cache
def _tree(module: str) -> ast.Module:
    return ast.parse(inspect.getsource(sys.modules[module]))


def _defined(node: ast.stmt) -> Iterator[str]:
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        yield node.name
    elif isinstance(node, ast.Import | ast.ImportFrom):
        yield from (each.asname or each.name for each in node.names)
    elif isinstance(node, ast.Assign | ast.AnnAssign):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        for target in targets:
            yield from (each.id for each in ast.walk(target) if isinstance(each, ast.Name))


def _in_order(modules: set[str]) -> list[tuple[str, str]]:
    """The names of some modules, each module after those that it imports from."""
    order = [name for name in sys.modules if name in modules]  # in which they began to be imported
    depth = {
        name: sum(f"from .{other.rpartition('.')[2]} " in ast.unparse(_tree(name)) for other in order) for name in order
    }
    return [(name, each) for name in sorted(order, key=lambda name: depth[name]) for each in _definitions(name)]


def _lambda(module: ModuleType, function: FunctionType) -> ast.Lambda:
    code = function.__code__
    found = [
        node
        for node in ast.walk(_tree(module.__name__))
        if isinstance(node, ast.Lambda)
        and node.lineno == code.co_firstlineno
        and tuple(each.arg for each in node.args.args) == code.co_varnames[: code.co_argcount]
    ]
    if len(found) != 1:
        raise CannotBeSent("its `call` is one of several in its line")
    return found[0]


def _is_method(node: ast.stmt) -> bool:
    return isinstance(node, ast.FunctionDef)


def _kept(node: ast.stmt, attributes: set[str]) -> list[ast.stmt]:
    """The methods of a class that are sent; none of what is no class."""
    return [
        each
        for each in (node.body if isinstance(node, ast.ClassDef) else [])
        if isinstance(each, ast.FunctionDef)
        and each.name not in NEVER_SENT
        and (each.name in attributes or (each.name.startswith("__") and each.name != "__repr__"))
    ]


def _cut(node: ast.ClassDef, attributes: set[str]) -> ast.ClassDef:
    kept = _kept(node, attributes)
    body = [each for each in node.body if each in kept or isinstance(each, ast.Assign | ast.AnnAssign)]
    return ast.ClassDef(node.name, node.bases, node.keywords, body or [ast.Pass()], node.decorator_list)


def _own_names(node: ast.AST) -> set[str]:
    """What a function calls its arguments and what it gives a name itself: not the module's, even where that has it too."""
    if not isinstance(node, ast.FunctionDef | ast.Lambda):
        return set()
    arguments = {each.arg for each in ast.walk(node) if isinstance(each, ast.arg)}
    return arguments | {e.id for e in ast.walk(node) if isinstance(e, ast.Name) and isinstance(e.ctx, ast.Store)}


def _without_annotations(node: ast.AST) -> Iterator[ast.AST]:
    """Every node below `node` that is run; annotations are text."""
    yield node
    for field, value in ast.iter_fields(node):
        if field in ("annotation", "returns"):
            continue
        for each in value if isinstance(value, list) else [value]:
            if isinstance(each, ast.AST):
                yield from _without_annotations(each)
