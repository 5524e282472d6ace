"""Find the source code of a frame or a function; helpers for syntax trees and live objects.

For why_source.py, which follows a tensor through that code. Nothing is run and nothing is changed.
"""

from __future__ import annotations

import ast
import builtins
import functools
import linecache
import os
import re
import types
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import FrameType, FunctionType
from typing import Any

from autograd_teach.viz.facts import is_tensor
from autograd_teach.viz.watch import is_users


@dataclass
class _Block:
    file: str
    statements: list[ast.stmt]
    before: float
    """Only the code above this line has run; 6.5 if nothing on line 7 has."""
    cell: int = 0
    definition: Any = None
    """The function that this is the body of."""


def blocks_of(frame: FrameType, asked: ast.expr | None = None) -> list[_Block]:
    """The code of a frame, above its current line or what is `asked`; in IPython, also the cells before it."""
    file = frame.f_code.co_filename
    tree = tree_of(file)
    if tree is None:
        return []
    if frame.f_code.co_name != "<module>":
        found = definition_of(tree, frame.f_code)
        block = _Block(file, body_of(found) if found is not None else [], frame.f_lineno, definition=found)
        for part in parts_of(block.statements) if asked is not None else ():
            if isinstance(part, ast.stmt) and any(node is asked for node in ast.walk(part)):
                block.before = part.lineno - 0.5  # in the end, that of the innermost statement
        return [block] if found is not None else []
    return [*_earlier_cells(frame), _Block(file, tree.body, frame.f_lineno)]


def _earlier_cells(frame: FrameType) -> list[_Block]:
    """In IPython, the cells that ran before this one."""
    if "get_ipython" not in frame.f_globals:
        return []
    blocks = []
    for number, text in _inputs(frame):
        tree = _parsed(text)
        if tree is not None and tree.body:
            file = f"<cell {number}>"
            linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
            blocks.append(_Block(file, tree.body, float("inf"), number))
    return blocks


def _inputs(frame: FrameType) -> list[tuple[int, str]]:
    """The earlier cells with their numbers: from IPython's `In`, else from the compiled files."""
    inputs = frame.f_globals.get("In")
    if isinstance(inputs, list) and len(inputs) > 1:
        return [(number, str(text)) for number, text in enumerate(inputs[:-1])]
    folder = os.path.dirname(frame.f_code.co_filename)
    files = [name for name in list(linecache.cache) if folder and os.path.dirname(name) == folder]
    cells = enumerate(files, 1)
    return [(number, "".join(linecache.getlines(name))) for number, name in cells if name != frame.f_code.co_filename]


@functools.lru_cache(maxsize=64)
def _parsed(text: str) -> ast.Module | None:
    plain = re.sub(r"(?m)^([ \t]*)[%!].*$", r"\1pass", text)  # IPython's magics and shell commands
    try:
        return ast.parse(plain)
    except (SyntaxError, ValueError):
        return None


def tree_of(file: str) -> ast.Module | None:
    """The syntax tree of a file or cell; None if its source cannot be found or parsed."""
    return _parsed("".join(linecache.getlines(file)))


def in_loop(file: str, line: int) -> bool:
    """Whether a line of a file or cell may run several times in a row."""
    loops = (ast.For, ast.AsyncFor, ast.While, ast.ListComp, ast.GeneratorExp, ast.SetComp, ast.DictComp)
    nodes = ast.walk(tree_of(file) or ast.Module([], []))
    return any(isinstance(node, loops) and node.lineno <= line <= (node.end_lineno or 0) for node in nodes)


def definition_of(tree: ast.Module, code: types.CodeType) -> Any:
    """The definition that this code object was compiled from."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name == code.co_name:
            first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
            if code.co_firstlineno in (first, node.lineno):
                return node
        if isinstance(node, ast.Lambda) and code.co_name == "<lambda>" and node.lineno == code.co_firstlineno:
            return node
    return None


def body_of(definition: Any) -> list[ast.stmt]:
    """The statements of a function; for a lambda, a `return` of its expression."""
    if isinstance(definition, ast.Lambda):
        given = ast.Return(definition.body)
        return [ast.copy_location(given, definition.body)]
    return list(definition.body)


class Changes:
    """For each variable of a frame, the last block and line that assign it and that change it."""

    def __init__(self, blocks: Sequence[_Block], space: Mapping[str, Any], held: Mapping[str, Any]) -> None:
        self.blocks, self.space, self.held = blocks, space, held
        self.made = Counter({*held})
        """How often the source gives a variable a value; once more if it held one at first."""
        self.assigned: dict[str, tuple[int, int]] = {}
        self.changed: dict[str, tuple[int, int]] = {}
        for number, block in enumerate(blocks):
            for part in parts_of(block.statements):
                if not is_before(part, block.before):
                    continue
                if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store):
                    self.made[part.id] += 1
                    self.assigned[part.id] = max(self.assigned.get(part.id, (0, 0)), (number, part.lineno))
                for name in changed_by(part):
                    self.changed[name] = max(self.changed.get(name, (0, 0)), (number, part.lineno))  # type: ignore[attr-defined]
            for loop in parts_of(block.statements):
                if isinstance(loop, (ast.For, ast.While)) and loop.lineno < block.before <= (loop.end_lineno or 0):
                    for name, line in (
                        self._ends(loop, block.before) if not self.is_first_round(loop, block.before) else ()
                    ):
                        if not (number, loop.lineno) < self.changed.get(name, (0, 0)) < (number, block.before):
                            self.changed[name] = number, line

    def _ends(self, loop: ast.For | ast.While, before: float) -> Iterable[tuple[str, int]]:
        """The variables that the end of a loop changes; it ran in an earlier round, if this is not the first."""
        ends = [part for part in parts_of(loop.body) if not is_before(part, before)]
        return sorted((name, part.lineno) for part in ends for name in changed_by(part))  # type: ignore[attr-defined]

    def is_first_round(self, loop: Any, before: float) -> bool | None:
        """Whether a loop is in its first round: by the number of a `range`, or by what only its end assigns."""
        if called_name(getattr(loop, "iter", None)) == "range" and isinstance(loop.target, ast.Name):
            first = loop.iter.args[0] if len(loop.iter.args) > 1 else ast.Constant(0)
            if isinstance(first, ast.Constant) and isinstance(self.space.get(loop.target.id), int):
                return bool(self.space[loop.target.id] == first.value)
        only = [name for name, _ in self._ends(loop, before) if self.made[name] == (name in self.held)]
        again = any(name in self.space and self.space[name] is not self.held.get(name) for name in only)
        return False if again and self.held else None

    def has_run(self, loop: Any) -> bool | None:
        """Whether the body of a loop has run; None if this is not known."""
        names = {node.id for node in ast.walk(getattr(loop, "target", ast.Pass())) if isinstance(node, ast.Name)}
        return (any(self.made[name] == 1 for name in names) or None) if names <= {*self.space} else False


def parts_of(statements: Iterable[ast.AST]) -> Iterable[ast.AST]:
    """Everything that runs as part of these statements.

    Not the bodies of functions, classes and comprehensions.
    """
    todo = list(statements)
    while todo:
        part = todo.pop()
        if isinstance(part, _SCOPES):
            continue
        yield part
        if isinstance(part, ast.AugAssign):  # its target stays the same tensor
            todo.append(part.value)
        else:
            todo += ast.iter_child_nodes(part)


_SCOPES = (
    ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp,
)  # fmt: skip


def changed_by(part: ast.AST) -> set[str]:
    """The variables that are assigned or changed here, or passed to a function that might do so."""
    target: Any = part.target if isinstance(part, ast.AugAssign) else part
    if isinstance(part, ast.Call):
        if isinstance(part.func, ast.Name) and not hasattr(builtins, part.func.id) and part.func.id != "why":
            return {argument.id for argument in part.args if isinstance(argument, ast.Name)}
        target = part.func.value if isinstance(part.func, ast.Attribute) and part.func.attr.endswith("_") else None
    elif not isinstance(part, ast.AugAssign) and not isinstance(getattr(part, "ctx", None), ast.Store):
        return set()
    while isinstance(target, (ast.Subscript, ast.Attribute)):
        target = target.value
    return {target.id} if isinstance(target, ast.Name) else set()


# Helpers for the syntax


def is_before(part: Any, line: float) -> bool:
    """Whether this is above the call of `why`, which is on this line."""
    at = getattr(part, "lineno", 0)
    return at < line or (at == line and not _asks(part))


def called_name(node: Any) -> str | None:
    """The last part of the name of a called function: `no_grad` for `torch.no_grad()`."""
    function = node.func if isinstance(node, ast.Call) else node
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else None


def _asks(statement: ast.AST) -> bool:
    """Whether this statement contains the call of `why`."""
    return any(isinstance(node, ast.Call) and called_name(node) == "why" for node in ast.walk(statement))


def is_false(node: Any) -> bool:
    """Whether the first argument of a call is False."""
    return bool(node.args) and isinstance(node.args[0], ast.Constant) and node.args[0].value is False


def is_true(node: ast.Call, keyword: str) -> bool:
    """Whether a call has `keyword=True`."""
    return any(one.arg == keyword and getattr(one.value, "value", None) is True for one in node.keywords)


def range_of(node: ast.Call) -> range | None:
    """The result of a call of `range` with literal numbers; None for other calls."""
    numbers = [argument.value for argument in node.args if isinstance(argument, ast.Constant)]
    numbers = [number for number in numbers if type(number) is int and number <= 1000]
    plain = called_name(node) == "range" and 0 < len(numbers) < 3 and len(numbers) == len(node.args)
    return range(*numbers) if plain else None  # type: ignore[arg-type]


def is_whole(index: ast.expr) -> bool:
    """Whether an index selects the whole tensor, like `[:]` and `[...]`."""
    whole = isinstance(index, ast.Slice) and index.lower is None and index.upper is None and index.step is None
    return whole or (isinstance(index, ast.Constant) and index.value is Ellipsis)


# Live objects, read without running the user's code


def function_of(callee: Any) -> tuple[FunctionType | None, Any]:
    """The Python function behind a callable, and its first argument if it is bound."""
    if isinstance(callee, types.MethodType):
        return (callee.__func__, callee.__self__) if isinstance(callee.__func__, FunctionType) else (None, None)
    if isinstance(callee, FunctionType):
        while not is_users(callee.__code__.co_filename):  # for example the wrapper of `no_grad`
            wrapped = getattr(callee, "__wrapped__", None)
            if not isinstance(wrapped, FunctionType):
                break
            callee = wrapped
        return callee, None
    if callee is None or isinstance(callee, type):
        return None, None
    for name in ("forward", "__call__"):
        function = getattr(type(callee), name, None)
        if isinstance(function, FunctionType):
            return function, callee
    return None, None


def space_of(function: FunctionType) -> dict[str, Any]:
    """The global and closure variables of a function."""
    space = dict(function.__globals__)
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        try:
            space[name] = cell.cell_contents
        except ValueError:
            continue  # not assigned yet
    return space


def attribute_of(thing: Any, name: str) -> Any:
    """An attribute, read without running the user's code."""
    if thing is None or is_tensor(thing):
        return None
    if isinstance(thing, types.ModuleType):
        return vars(thing).get(name)
    if isinstance(thing, super):
        owner, this_class = (getattr(thing, part) for part in ("__self__", "__thisclass__"))
        classes = type(owner).__mro__
        above = classes[classes.index(this_class) + 1 :]
        method = next((vars(one)[name] for one in above if name in vars(one)), None)
        return types.MethodType(method, owner) if isinstance(method, FunctionType) else None
    for space in (getattr(thing, "__dict__", {}), *(vars(thing).get(n, {}) for n in _MODULE_PARTS if _has(thing, n))):
        if isinstance(space, dict) and name in space:
            return space[name]
    function = getattr(type(thing), name, None)
    return types.MethodType(function, thing) if isinstance(function, FunctionType) else None


_MODULE_PARTS = "_parameters", "_modules", "_buffers"


def _has(thing: Any, name: str) -> bool:
    return hasattr(thing, "__dict__") and name in vars(thing)


def item_of(thing: Any, index: Any) -> Any:
    """The element, or, for the range of a loop, a tuple of its elements.

    None if that is not known.
    """
    if type(thing).__name__ in _MODULES_IN_ORDER:
        thing = list(vars(thing).get("_modules", {}).values())
    if index is None or not isinstance(thing, (list, tuple, dict)):
        return None
    try:
        return tuple(thing[i] for i in index) if isinstance(index, range) else thing[index]
    except (LookupError, TypeError):
        return None


_MODULES_IN_ORDER = "Sequential", "ModuleList"


def is_collection(thing: Any) -> bool:
    """Whether an object is a container that is searched for tensors."""
    return isinstance(thing, (dict, list, tuple)) or hasattr(type(thing), "named_parameters")


def members(thing: Any) -> Iterable[Any]:
    """The objects in a list, dictionary, module or other object."""
    if isinstance(thing, dict):
        return list(thing.values())[:1000]
    if isinstance(thing, (list, tuple)):
        return thing[:1000]
    if hasattr(type(thing), "named_parameters"):
        return [tensor for _, tensor in thing.named_parameters()]
    return list(vars(thing).values()) if hasattr(thing, "__dict__") else []
