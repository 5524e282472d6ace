"""Follow a tensor through the source code of a loss, to find the line that cuts its history.

Without a watch, the calls of a program are not known, but its source and its live variables are.
The statements before the call of `why` are read in order. For each expression, only two things
matter: whether it depends on the tensor, and if so, whether its history was cut before. The user's
functions and modules are read as well; they are found through the live objects. Nothing is run and
nothing is changed. A check of the course reads an answer that failed in the same way
(course/checks/call/history.py).
"""

from __future__ import annotations

import ast
import builtins
import functools
import re
import sys
import types
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import FrameType, FunctionType
from typing import Any

from autograd_teach.viz.facts import is_tensor
from autograd_teach.viz.snapshot import MOST_WALKED
from autograd_teach.viz.watch import is_users, line_text
from autograd_teach.viz.why_code import (
    Changes,
    attribute_of,
    blocks_of,
    body_of,
    called_name,
    changed_by,
    definition_of,
    function_of,
    is_before,
    is_collection,
    is_false,
    is_true,
    is_whole,
    item_of,
    members,
    parts_of,
    range_of,
    space_of,
    tree_of,
)

_DEEPEST = 6
"""Maximum depth of nested calls that are followed."""
_LONGEST_NAME = 40


@dataclass(frozen=True)
class Cut:
    """A line where a value loses its history: the kind of cut, the line, and what is cut."""

    kind: str
    file: str
    line: int
    source: str
    what: str = ""
    cell: int = 0
    """The number of the notebook cell, if it is not the cell with the call of `why`."""
    used: int = 0
    """For the kind `late`: the line that used the tensor before."""


@dataclass(frozen=True)
class Flow:
    """A value depends on the tensor.

    `cut`: where its history was cut; None if a gradient can flow back.
    """

    cut: Cut | None = None
    perhaps: tuple[Cut, ...] = ()
    """Other possible cuts, in branches that may or may not have run."""

    unsure: bool = False
    """Whether it depends on the tensor only in a branch that may or may not have run."""

    @property
    def cuts(self) -> tuple[Cut, ...]:
        """All certain and possible cuts."""
        return (*self.perhaps, *([self.cut] if self.cut is not None else []))


@dataclass
class Value:
    """What is known about an expression: how it depends on the tensor, and its live object."""

    flow: Flow | None = None
    live: Any = None


@dataclass(frozen=True)
class Used:
    """One operation in the code: its name as in graphs, and its line."""

    operation: str
    file: str
    line: int
    source: str
    is_recorded: bool
    """Whether autograd records it there: not under no_grad."""


@dataclass(frozen=True)
class Assigned:
    """An assignment to a variable."""

    name: str
    place: Cut


@dataclass
class Reading:
    """The result of reading the code."""

    flow: Flow | None = None
    """How the loss depends on the tensor."""
    known: bool = False
    """Whether the code of the loss was found."""
    complete: bool = True
    """Whether everything that the loss uses could be followed.

    If not, a use of the tensor may be missing.
    """
    others: bool = False
    """Whether another tensor that requires grad was met, outside of the frame's variables."""
    operations: list[Used] = field(default_factory=list)
    assigned: list[Assigned] = field(default_factory=list)
    """The assignments to variables of the frame that called `why`, in order."""
    asked_for: str = ""
    """The tensor's name in the call of `why`, for example `self.w`."""
    writes: list[tuple[str, Cut]] = field(default_factory=list)
    """The in-place changes, each with the name of the changed variable."""
    switched_off: list[Cut] = field(default_factory=list)
    """The lines that set `requires_grad` of the tensor to False."""
    later: list[Assigned] = field(default_factory=list)
    """Assignments below the call of `why` in a loop: an earlier iteration may have run them."""


def read(frame: FrameType, loss: Any, w: Any, call: Any = None, held: Mapping[str, Any] | None = None) -> Reading:
    """Read the code from `w` to `loss`: in the frame that called `why`, or of the function `call`.

    loss: a tensor, or an expression of the frame's source. w: a tensor, or the statement that made one that no variable
    holds any more. held: the arguments of the frame's function.
    """
    question = _question(frame) if not isinstance(loss, ast.expr) else None
    asked_for = _short_name(question.args[1]) if question is not None else ""
    reading = Reading(asked_for=asked_for)
    try:
        if call is not None:
            _Reader(reading, w).function_result(call)
            return reading
        _read_frame(reading, frame, loss, w, question, held or {})
        above = frame.f_back if not isinstance(loss, ast.expr) else None
        for _ in range(_DEEPEST):  # `why` was called in a helper: its caller computed the loss
            if reading.known or above is None or not is_users(above.f_code.co_filename):
                break
            other = Reading(asked_for=asked_for)
            _read_frame(other, above, loss, w, None, {})
            reading, above = other if other.known else reading, above.f_back
    except _Answered as answered:
        reading.known, reading.flow = True, answered.flow
    except (RecursionError, SyntaxError, ValueError, AttributeError, TypeError, KeyError, IndexError):
        reading.known = False  # the code cannot be read; the answer then uses only the graph
    return reading


def _read_frame(
    reading: Reading, frame: FrameType, loss: Any, w: Any, question: ast.Call | None, held: Mapping[str, Any]
) -> None:
    space = {**frame.f_globals, **frame.f_locals}
    names = [name for name, thing in space.items() if thing is loss and not name.startswith("_")]
    reader = _Reader(reading, w)
    reader.held, reader.asked = held, loss if isinstance(loss, ast.expr) else None
    blocks = blocks_of(frame, reader.asked)
    changes = Changes(blocks, space, held)
    reader.outer_flows = {name: Flow() if thing is w else None for name, thing in held.items()}
    flows, objects = reader.outer_flows, reader.outer_objects
    reader.outer_space = space
    for number, block in enumerate(blocks):
        scope = _Scope(block.file, space, block.cell, changes, number)
        scope.flows, scope.objects = flows, objects
        scope.without = reader._decorated(block.definition, scope)
        reader.run(block.statements, scope, block.before)
    reading.known = any(name in flows for name in names)
    reading.flow = next((flow for name in names if (flow := flows.get(name)) is not None), None)
    if not reading.known:
        kept = [of for (_, name), of in reader.kept.items() if attribute_of(of[0], name) is loss]
        reading.known, reading.flow = bool(kept), kept[-1][1] if kept else None
    if question is not None and not reading.known and not isinstance(question.args[0], (ast.Name, ast.Attribute)):
        scope = _Scope(frame.f_code.co_filename, space, 0, changes)
        scope.flows, scope.objects = flows, objects
        reading.known, reading.flow = True, reader._value(question.args[0], scope).flow


def _question(frame: FrameType) -> ast.Call | None:
    """The call of `why` in the source."""
    tree = tree_of(frame.f_code.co_filename)
    found = None
    for node in ast.walk(tree) if tree is not None else ():
        if not (isinstance(node, ast.Call) and called_name(node) == "why" and len(node.args) > 1):
            continue
        if node.lineno <= frame.f_lineno <= (node.end_lineno or node.lineno):
            if found is not None:
                return None  # two calls of `why` on one line
            found = node
    return found


def _short_name(node: ast.expr) -> str:
    """The text of a variable, an attribute or an element; empty for an expression."""
    plain = isinstance(node, (ast.Name, ast.Attribute, ast.Subscript))
    text = ast.unparse(node) if plain else ""
    return text if len(text) <= _LONGEST_NAME and "(" not in text else ""


class _Scope:
    """The variables of one function, or of the module."""

    def __init__(
        self, file: str, space: Mapping[str, Any], cell: int = 0, changes: Changes | None = None, block: int = 0
    ) -> None:
        self.file, self.space, self.cell = file, space, cell
        self.changes, self.block = changes, block
        """The changes in the frame that called `why`.

        None for other functions, whose variables are gone.
        """
        self.flows: dict[str, Flow | None] = {}
        self.objects: dict[str, Any] = {}
        self.returned: list[Flow | None] = []
        self.outside: set[str] = set()
        """Names that are declared `global` or `nonlocal`."""
        self.branches = 0
        """The number of enclosing branches that may not have run."""
        self.first: Any = None
        """The object that a method is called on."""
        self.earlier_round: float = 0
        """While an earlier round of a loop is read: the line with the question."""
        self.is_round_known = False
        self.without: Cut | None = None
        """Under `no_grad` and similar contexts: the cut for results of operations."""


_OPERATORS = {
    ast.Add: "add",
    ast.Sub: "sub",
    ast.Mult: "mul",
    ast.Div: "div",
    ast.Pow: "pow",
    ast.MatMult: "matmul",
    ast.FloorDiv: "floor_divide",
    ast.Mod: "remainder",
}
_DETACHING = {"detach", "detach_", "state_dict"}
_NUMBERS = {"item", "tolist", "float", "int"}
_INTEGERS = {
    "argmax", "argmin", "argsort", "long", "int", "short", "bool", "char", "byte", "gt", "lt", "ge", "le", "eq", "ne",
    "nonzero", "bincount", "searchsorted", "bucketize", "isnan", "isfinite",
}  # fmt: skip
_NEW_LEAF = {"tensor", "Parameter", "new_tensor", "deepcopy"}
_ELEMENTS = "[]"
_COLLECTING = {"append", "extend", "insert", "add", "update", "appendleft"}
_NO_VALUE = {
    "size", "dim", "numel", "zeros_like", "ones_like", "rand_like", "randn_like", "empty_like", "new_zeros", "new_ones",
    "len", "backward", "zero_grad", "stride", "print", "isinstance", "type", "id", "repr", "range", "manual_seed",
}  # fmt: skip
_NO_VALUE_ATTRIBUTES = {
    "shape", "dtype", "device", "grad", "requires_grad", "ndim", "is_leaf", "grad_fn", "_version", "names",
}  # fmt: skip
_OVERWRITING = {"copy_", "fill_", "zero_", "set_", "normal_", "uniform_"}
_SWITCHES = {"no_grad", "inference_mode"}


class _Answered(Exception):
    """The expression that was asked for has been read."""

    def __init__(self, flow: Flow | None) -> None:
        self.flow = flow


class _Reader:
    """Reads statements and expressions. It recurses over the syntax tree, never over a graph."""

    def __init__(self, reading: Reading, w: Any) -> None:
        self.reading, self.w = reading, w
        self.asked: ast.expr | None = None
        self.held: Mapping[str, Any] = {}
        """The arguments of the frame's function; what has no source among them counts as a library's."""
        self.depth = 0
        self.outer_flows: dict[str, Flow | None] = {}
        self.outer_objects: dict[str, Any] = {}
        self.outer_space: Mapping[str, Any] = {}
        """The variables of the frame that called `why`; functions may use them."""
        self.kept: dict[tuple[int, str], tuple[Any, Flow | None]] = {}
        """The flows of attributes, by the `id` of their object.

        The object is stored too, to keep its id.
        """
        self._ends: dict[int, Any] = {}
        self._creates_graph = False
        self._noted: set[tuple[str, int, int, str]] = set()
        self._holding: dict[int, tuple[Any, bool]] = {}

    def function_result(self, function: Any) -> None:
        """Read a function that computes the loss."""
        value = self._call_of_users(function, [], {}, None)
        self.reading.known = value is not None
        self.reading.flow = value.flow if value is not None else None

    # Statements

    def run(self, statements: Sequence[ast.stmt], scope: _Scope, before: float = float("inf")) -> None:
        """Read the statements above the line `before`, the line with the call of `why`."""
        for statement in statements:
            if not is_before(statement, before + 0.5 if self.asked else before):  # with the line that is asked for
                return
            self._statement(statement, scope, before)

    def _statement(self, statement: ast.stmt, scope: _Scope, before: float) -> None:
        if isinstance(statement, ast.Assign):
            value = self._value(statement.value, scope)
            for target in statement.targets:
                self._assign(target, statement, value, scope)
        elif isinstance(statement, ast.AnnAssign) and statement.value is not None:
            self._assign(statement.target, statement, self._value(statement.value, scope), scope)
        elif isinstance(statement, ast.AugAssign):
            self._augmented(statement, scope)
        elif isinstance(statement, ast.Expr):
            self._value(statement.value, scope)
        elif isinstance(statement, ast.Return):
            scope.returned.append(self._value(statement.value, scope).flow if statement.value else None)
        elif isinstance(statement, (ast.With, ast.AsyncWith)):
            self._with(statement, scope, before)
        elif isinstance(statement, (ast.For, ast.AsyncFor, ast.While)):
            self._loop(statement, scope, before)
        elif isinstance(statement, ast.If):
            self._value(statement.test, scope)
            self._branches([statement.body, statement.orelse], scope, before)
        elif isinstance(statement, (ast.Global, ast.Nonlocal)):
            scope.outside |= set(statement.names)
        elif isinstance(statement, ast.Match):
            self._branches([case.body for case in statement.cases], scope, before)
        elif isinstance(statement, ast.Try):
            handlers = [handler.body for handler in statement.handlers]
            self._branches([[*statement.body, *statement.orelse], *handlers], scope, before)
            self.run(statement.finalbody, scope, before)

    def _loop(self, statement: Any, scope: _Scope, before: float) -> None:
        for name in {name for part in parts_of([statement]) for name in changed_by(part)}:
            if isinstance(scope.objects.get(name), int):
                scope.objects[name] = None  # another number in each iteration
        if not isinstance(statement, ast.While):
            value = self._value(statement.iter, scope)
            self._assign(statement.target, statement, Value(value.flow), scope)
            if isinstance(value.live, range) and not value.live:
                return
            if isinstance(statement.target, ast.Name):
                scope.objects[statement.target.id] = value.live if isinstance(value.live, range) else None
        if before <= (statement.end_lineno or 0):  # `why` is called in this loop
            is_first = scope.changes.is_first_round(statement, before) if scope.changes is not None else None
            scope.earlier_round, scope.is_round_known = before, is_first is False
            self._round(statement.body, scope, None if is_first is None else not is_first)
            scope.earlier_round = 0
            self.run(statement.body, scope, before)
        else:
            self._round(statement.body, scope, scope.changes.has_run(statement) if scope.changes is not None else None)
        self.run(statement.orelse, scope, before)

    def _round(self, body: Sequence[ast.stmt], scope: _Scope, has_run: bool | None) -> None:
        """Read a round of a loop; what follows a `break` or a `continue` in it may not have run."""
        leaves = [any(isinstance(node, (ast.Break, ast.Continue)) for node in ast.walk(one)) for one in body]
        sure = [*leaves, True].index(True) + 1 if has_run else 0
        self.run(body[:sure], scope)
        start = dict(scope.flows)
        scope.branches += 1
        self.run(body[sure:] if has_run is not False else [], scope)
        scope.branches -= 1
        for name, now in scope.flows.items():
            if now is not None and now.cuts and name in start:
                scope.flows[name] = _either([start[name], now])

    def _branches(self, bodies: Sequence[Sequence[ast.stmt]], scope: _Scope, before: float) -> None:
        """Read several branches; it is not known which one the program took."""
        asking = [body for body in bodies if body and body[0].lineno - 1 < before <= (body[-1].end_lineno or 0)]
        start, ends = dict(scope.flows), []
        scope.branches += not asking
        for body in asking or bodies:
            scope.flows.clear()
            scope.flows.update(start)
            self.run(body, scope, before)
            ends.append(dict(scope.flows))
        scope.branches -= not asking
        last = max((part.end_lineno or 0 for body in bodies for part in body), default=0)
        for name in {name for end in ends for name in end}:
            flow = _either([end[name] for end in ends if name in end])
            doubtful = flow is not None and (flow.perhaps or flow.unsure)
            scope.flows[name] = Flow() if doubtful and self._is_found_whole(name, last, scope) else flow

    def _assign(self, target: ast.expr, statement: ast.stmt, value: Value, scope: _Scope) -> None:
        if isinstance(target, (ast.Tuple, ast.List)):
            parts = getattr(getattr(statement, "value", None), "elts", ())
            is_pair = len(parts) == len(target.elts)
            values = [self._value(part, scope) for part in parts] if is_pair else [Value(value.flow)] * len(target.elts)
            for element, one in zip(target.elts, values, strict=True):
                self._assign(element, statement, one, scope)
        elif isinstance(target, ast.Starred):
            self._assign(target.value, statement, value, scope)
        elif isinstance(target, ast.Name):
            scope.flows[target.id] = self._as_it_is(target.id, value.flow, statement, scope)
            if target.id in scope.outside:
                self.outer_flows[target.id] = value.flow
            if value.live is not None or isinstance(scope.objects.get(target.id), int):
                scope.objects[target.id] = value.live
        elif isinstance(target, ast.Subscript):
            self._write(target.value, value.flow, scope, statement, whole=is_whole(target.slice))
        elif isinstance(target, ast.Attribute) and target.attr == "requires_grad":
            self._switched(target.value, getattr(statement, "value", None), statement, scope)
        elif isinstance(target, ast.Attribute) and target.attr == "data":
            self._write(target.value, None, scope, statement, whole=True)
        elif isinstance(target, ast.Attribute):
            owner = self._value(target.value, scope).live
            if owner is not None and self._attribute(target, scope).live is not self.w:
                self.kept[id(owner), target.attr] = owner, value.flow

    def _as_it_is(self, name: str, flow: Flow | None, statement: ast.stmt, scope: _Scope) -> Flow | None:
        """The flow of a variable after its assignment, corrected by what its live tensor shows."""
        if scope.changes is None:
            return flow
        one = Assigned(name, self._cut("cut", statement, scope))
        if not scope.earlier_round or statement.lineno > scope.earlier_round:
            (self.reading.later if scope.earlier_round else self.reading.assigned).append(one)
        now, live = (scope.block, statement.lineno), scope.space.get(name)
        last = scope.changes.assigned.get(name, now)
        if statement is self.w:
            return Flow()
        if live is self.w:
            # Before its last assignment, the tensor's variable held another tensor.
            made_later = now < last and not scope.earlier_round
            return Flow(_rebound(scope.changes, name)) if made_later else Flow()
        whole = self._is_found_whole(name, statement.lineno, scope)
        if whole:
            return Flow()
        is_lost = whole is False or not (getattr(self.w, "requires_grad", True) or isinstance(statement, ast.For))
        if is_lost and flow is not None and not (flow.cuts or flow.unsure or scope.branches):
            return self._cut_flow("cut", statement, scope, name)
        return flow

    def _is_found_whole(self, name: str, line: int, scope: _Scope) -> bool | None:
        """Whether the graph of a variable's live tensor leads to the tensor.

        None if the variable was changed below this line or is not a tensor.
        """
        if scope.changes is None or (scope.earlier_round and not (scope.is_round_known and line > scope.earlier_round)):
            return None
        now, live = (scope.block, line), scope.space.get(name)
        last = scope.changes.changed.get(name, now)
        is_last = last == now or (last < now and not scope.earlier_round)
        return self.leads_back(live) if is_tensor(live) and is_last else None

    def leads_back(self, tensor: Any) -> bool:
        """Whether the graph of `tensor` leads to the tensor of the question.

        True if the graph is too large.
        """
        if isinstance(self.w, ast.stmt):
            return bool(tensor.requires_grad)
        own, todo = self.w.grad_fn, [tensor.grad_fn]
        met: dict[int, Any] = {}
        while todo and len(met) < MOST_WALKED:
            node = todo.pop()
            if node is None or id(node) in met or id(node) in self._ends:
                continue
            if (node is own) if own is not None else (getattr(node, "variable", None) is self.w):
                return True
            met[id(node)] = node
            todo += [child for child, _ in node.next_functions]
        if not todo:
            self._ends.update(met)
        return bool(todo)

    def _switched(self, target: ast.expr, flag: Any, at: ast.AST, scope: _Scope) -> None:
        """Handle `x.requires_grad = False` and `requires_grad_`.

        If it is set to True, earlier results still do not have a history.
        """
        flow = self._value(target, scope).flow
        if flow is None or flow.cuts or not isinstance(flag, ast.Constant):
            return
        if flag.value is False:
            self.reading.switched_off.append(self._cut("requires_grad", at, scope))
        elif scope.changes is not None and not isinstance(self.w, ast.stmt):
            for name, of in scope.flows.items():
                live = scope.space.get(name)
                if of is None or any(cut.kind != "cut" for cut in of.cuts) or not is_tensor(live) or live is self.w:
                    continue
                if not self.leads_back(live):
                    late = self._cut("late", at, scope)
                    scope.flows[name] = Flow(replace(late, used=of.cut.line if of.cut else 0))

    def _augmented(self, statement: ast.AugAssign, scope: _Scope) -> None:
        """Handle `a += b`: it changes the tensor in place, so the name keeps its tensor."""
        self._note(_OPERATORS.get(type(statement.op), ""), statement, scope)
        given = self._value(statement.value, scope).flow
        if isinstance(statement.target, ast.Name):
            self.reading.writes.append((statement.target.id, self._cut("overwritten", statement, scope)))
            name = statement.target.id
            flow = _join([scope.flows.get(name), self._computed(given, statement, scope)])
            scope.flows[name] = self._as_it_is(name, flow, statement, scope)
        elif isinstance(statement.target, ast.Attribute):
            owner = self._value(statement.target.value, scope).live
            flow = _join([self._attribute(statement.target, scope).flow, self._computed(given, statement, scope)])
            if owner is not None:
                self.kept[id(owner), statement.target.attr] = owner, flow

    def _write(self, target: ast.expr, flow: Flow | None, scope: _Scope, at: ast.AST, whole: bool) -> None:
        """Handle an in-place change; if it overwrites the whole tensor, the old history is cut."""
        if self._put(target, flow, scope) or not isinstance(target, ast.Name):
            return
        live = scope.space.get(target.id)
        if live is None or is_tensor(live):
            self.reading.writes.append((target.id, self._cut("overwritten", at, scope)))
        before = scope.flows.get(target.id)
        if whole and before is not None and before.cut is None:
            before = self._cut_flow("overwritten", at, scope, target.id)
        scope.flows[target.id] = _join([self._computed(flow, at, scope), before])

    def _with(self, statement: Any, scope: _Scope, before: float) -> None:
        outer = scope.without
        for item in statement.items:
            name = called_name(item.context_expr)
            if name in _SWITCHES or (name == "set_grad_enabled" and is_false(item.context_expr)):
                scope.without = self._cut("no_grad", item.context_expr, scope, name)
            elif name == "enable_grad":
                scope.without = None
        self.run(statement.body, scope, before)
        scope.without = outer

    # Expressions

    def _value(self, node: Any, scope: _Scope) -> Value:
        value = self._read_value(node, scope)
        if node is not None and node is self.asked and scope.changes is not None and not scope.earlier_round:
            raise _Answered(value.flow)
        return value

    def _read_value(self, node: Any, scope: _Scope) -> Value:
        if isinstance(node, ast.Name):
            return self._name(node.id, scope)
        if isinstance(node, ast.Attribute):
            return self._attribute(node, scope)
        if isinstance(node, ast.Call):
            return self._call(node, scope)
        if isinstance(node, ast.Compare):
            flow = self._joined([node.left, *node.comparators], scope)
            return Value(self._stopped("integers", flow, node, scope, "the comparison"))
        if isinstance(node, ast.BinOp):
            flow = self._joined([node.left, node.right], scope)
            self._note(_OPERATORS.get(type(node.op), ""), node, scope)
            if isinstance(node.op, ast.FloorDiv):
                return Value(flow)
            return Value(self._computed(flow, node, scope))
        if isinstance(node, ast.UnaryOp):
            self._note("neg", node, scope)
            return Value(self._computed(self._value(node.operand, scope).flow, node, scope))
        if isinstance(node, ast.Subscript):
            self._note("getitem", node, scope)
            value, index = self._value(node.value, scope), self._value(node.slice, scope)
            item = item_of(value.live, self._number(node.slice, scope))
            flow = value.flow if item is None else self._of_element(item, value.flow)
            by_index = self._stopped("integers", index.flow, node, scope, "the index")
            return Value(self._computed(_join([flow, by_index]), node, scope), item)
        if isinstance(node, ast.Constant):
            return Value(live=node.value)
        if isinstance(node, ast.IfExp):
            return Value(_either([self._value(part, scope).flow for part in (node.body, node.orelse)]))
        if isinstance(node, (ast.Dict, ast.List, ast.Tuple, ast.Set)):
            parts = node.values if isinstance(node, ast.Dict) else node.elts
            return Value(_mixed([self._value(part, scope).flow for part in parts]))
        if isinstance(node, (ast.Yield, ast.YieldFrom)):
            scope.returned.append(self._value(node.value, scope).flow)
            return Value()
        if isinstance(node, ast.NamedExpr):
            value = self._value(node.value, scope)
            scope.flows[node.target.id] = value.flow
            return value
        if isinstance(node, ast.Lambda):
            return Value()
        if isinstance(node, (ast.ListComp, ast.GeneratorExp, ast.SetComp, ast.DictComp)):
            return self._comprehension(node, scope)
        return Value(self._joined(list(ast.iter_child_nodes(node)) if node is not None else [], scope))

    def _comprehension(self, node: Any, scope: _Scope) -> Value:
        """Handle a comprehension, which has its own variables."""
        flows, objects = dict(scope.flows), dict(scope.objects)
        for part in node.generators:
            value = self._value(part.iter, scope)
            for name in (one.id for one in ast.walk(part.target) if isinstance(one, ast.Name)):
                scope.flows[name], scope.objects[name] = value.flow, None
        found = self._value(node.value if isinstance(node, ast.DictComp) else node.elt, scope)
        scope.flows.clear()
        scope.flows.update(flows)
        scope.objects.clear()
        scope.objects.update(objects)
        return Value(found.flow)

    def _number(self, index: ast.expr, scope: _Scope) -> Any:
        """The index of an element, or the range of a loop over indices; None if it is not known."""
        if isinstance(index, ast.Name):
            return scope.objects.get(index.id)
        try:
            if isinstance(index, ast.Slice):
                return slice(*(part and ast.literal_eval(part) for part in (index.lower, index.upper, index.step)))
            return ast.literal_eval(index)
        except ValueError:
            return None

    def _joined(self, nodes: Sequence[Any], scope: _Scope) -> Flow | None:
        return _join([self._value(node, scope).flow for node in nodes if isinstance(node, (ast.expr, ast.keyword))])

    def _name(self, name: str, scope: _Scope) -> Value:
        live, flows = scope.objects.get(name, scope.space.get(name)), scope.flows
        if name not in flows and scope.changes is None and live is self.outer_space.get(name):
            flows, live = self.outer_flows, self.outer_objects.get(name, live)
        if name in flows:
            flow = flows[name]
            return Value(flow if flow is not None or is_tensor(live) else self._of_object(live), live)
        return Value(self._of_element(live, None), live)

    def _of_object(self, live: Any) -> Flow | None:
        if (id(live), _ELEMENTS) in self.kept:
            return self.kept[id(live), _ELEMENTS][1]
        return Flow() if self.holds(live) else None

    def _of_element(self, element: Any, of_all: Flow | None) -> Flow | None:
        """The flow of an element of a collection; `of_all` is the flow of the whole collection."""
        if element is self.w or (is_tensor(element) and self.leads_back(element)):
            return Flow()
        if not is_tensor(element):
            return self._of_object(element)
        if element.requires_grad and element.is_leaf:
            self.reading.others = True
            return None  # another parameter
        if of_all is None:
            self.reading.complete = False  # it is not known what it was computed from
        return of_all if of_all is not None and of_all.cuts else None

    def _put(self, target: ast.expr, flow: Flow | None, scope: _Scope) -> bool:
        """Put a value into a list, dictionary or set; False if the target is something else."""
        live = self._value(target, scope).live
        if isinstance(live, (list, dict, set)):
            self.kept[id(live), _ELEMENTS] = live, _join([self._of_object(live), flow])
            return True
        return False

    def holds(self, thing: Any) -> bool:
        """Whether an object is the tensor, or a module, list or dictionary that contains it."""
        if isinstance(thing, types.MethodType):
            thing = thing.__self__  # for example `model.parameters`
        if thing is None or isinstance(thing, (type, FunctionType, types.ModuleType, str, int, float)):
            return False
        if thing is self.w:
            return True
        if id(thing) not in self._holding:
            parts = [part for one in members(thing) for part in (members(one) if is_collection(one) else [one])]
            self._holding[id(thing)] = (thing, any(one is self.w for one in parts))
        return self._holding[id(thing)][1]

    def _attribute(self, node: ast.Attribute, scope: _Scope) -> Value:
        of = self._value(node.value, scope)
        if node.attr == "data":
            return Value(self._stopped("detach", of.flow, node, scope, ".data"))
        if node.attr == "grad":
            cut = self._stopped("create_graph", of.flow, node, scope, f"`{ast.unparse(node)}`")
            return Value(of.flow if self._creates_graph else cut)
        if node.attr in _NO_VALUE_ATTRIBUTES:
            return Value()
        live = attribute_of(of.live, node.attr)
        if (id(of.live), node.attr) in self.kept:
            return Value(self.kept[id(of.live), node.attr][1], live)
        if live is not None and not is_tensor(of.live):
            is_data = any(live is one for one in getattr(of.live, "__dict__", {}).get("_buffers", {}).values())
            return Value(None if is_data else self._of_element(live, of.flow), live)
        getter = getattr(type(of.live), node.attr, None) if not is_tensor(of.live) else None
        if isinstance(getter, property) and isinstance(getter.fget, FunctionType):
            inner = self._call_of_users(types.MethodType(getter.fget, of.live), [], {}, scope.without)
            return inner if inner is not None else Value(of.flow)
        return Value(of.flow)

    def _call(self, node: ast.Call, scope: _Scope) -> Value:
        name = called_name(node) or ""
        function: Any = node.func
        method_of = self._value(function.value, scope) if isinstance(function, ast.Attribute) else Value()
        called = self._value(function, scope)
        callee = called.live
        if name == "super" and not node.args and isinstance(scope.space.get("__class__"), type):
            return Value(live=super(scope.space["__class__"], scope.first))
        given = [self._value(argument, scope) for argument in node.args]
        named = {keyword.arg or "": self._value(keyword.value, scope) for keyword in node.keywords}
        # If the called object is known, as in `self.layer(x)`, only that object counts.
        is_method = isinstance(function, ast.Attribute) and callee is None
        is_method = is_method and not isinstance(method_of.live, types.ModuleType)
        flow = _join([value.flow for value in [*given, *named.values(), method_of if is_method else called]])
        if name in _NO_VALUE:
            self._note(name, node, scope)
            self._creates_graph |= name == "backward" and is_true(node, "create_graph")
            return Value(live=range_of(node))
        if name in _SWITCHES and len(node.args) == 1:
            return given[0]
        if name == "set_grad_enabled":
            scope.without = self._cut("no_grad", node, scope, "set_grad_enabled(False)") if is_false(node) else None
        if name == "map" and len(node.args) > 1:
            return Value(self._mapped(node.args[0], given, scope))
        if any(isinstance(argument, ast.Starred) for argument in node.args):  # the parameters cannot be matched
            given = [Value(_join([value.flow for value in given]))] * 20
        inner = self._call_of_users(callee, given, named, scope.without)
        if inner is not None:
            return inner
        unknown = isinstance(function, ast.Name) and callee is None and not hasattr(builtins, name)
        handed = any(isinstance(argument, ast.Lambda) for argument in node.args)
        if unknown or handed or any(_is_of_users(value.live) for value in [*given, *named.values()]):
            self.reading.complete = False  # what calls a reader's function may use any tensor
        if isinstance(callee, type) and is_users(getattr(sys.modules.get(callee.__module__), "__file__", "") or "<a>"):
            return Value(_mixed([value.flow for value in [*given, *named.values()]]))
        if type(callee).__name__ == "Sequential" and not is_method:
            return Value(self._through(callee, _join([value.flow for value in given]), node, scope))
        if name == "requires_grad_" and isinstance(function, ast.Attribute):
            self._switched(function.value, node.args[0] if node.args else ast.Constant(True), node, scope)
        is_apply = name == "apply" and isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name)
        if isinstance(function, ast.Call):  # nn.MSELoss()(y, t)
            name = called_name(function) or ""
        elif hasattr(callee, "forward"):
            name = type(callee).__name__
        if not isinstance(callee, type):  # which makes a module that computes nothing yet
            self._note(function.value.id if is_apply else name, node, scope)
        self._changed(name, node, is_method, given, callee, scope)
        return Value(self._result_of(name, node, flow, scope))

    def _mapped(self, function: ast.expr, given: Sequence[Value], scope: _Scope) -> Flow | None:
        """The flow of the results of `map`."""
        if isinstance(function, ast.Lambda):
            flows = dict(scope.flows)
            for parameter, value in zip(function.args.args, given[1:], strict=False):
                scope.flows[parameter.arg] = value.flow
            flow = self._value(function.body, scope).flow
            scope.flows.clear()
            scope.flows.update(flows)
            return flow
        inner = self._call_of_users(given[0].live, [Value(value.flow) for value in given[1:]], {}, scope.without)
        return inner.flow if inner is not None else _join([value.flow for value in given])

    def _changed(
        self, name: str, node: Any, is_method: bool, given: Sequence[Value], callee: Any, scope: _Scope
    ) -> None:
        """Handle a call that changes one of its arguments."""
        in_place = name.endswith("_") and name not in ("requires_grad_", "detach_", "retain_grad_") and name[:1] != "_"
        in_place |= is_true(node, "inplace") or getattr(callee, "inplace", False) is True
        target = node.func.value if is_method else node.args[0] if node.args else None
        given_flow = _join([value.flow for value in given[not is_method :]])
        if in_place and target is not None:
            self._write(target, given_flow, scope, node, whole=name in _OVERWRITING)
        elif name in _COLLECTING and isinstance(node.func, ast.Attribute):
            owner = node.func.value
            if not self._put(owner, _join([value.flow for value in given]), scope) and isinstance(owner, ast.Name):
                scope.flows[owner.id] = _join([scope.flows.get(owner.id), given_flow])

    def _through(self, module: Any, flow: Flow | None, node: ast.Call, scope: _Scope) -> Flow | None:
        """The flow after the modules of a Sequential, one after the other."""
        for child in vars(module).get("_modules", {}).values():
            if type(child).__name__ == "Sequential":
                flow = self._through(child, flow, node, scope)
                continue
            inner = self._call_of_users(child, [Value(flow)], {}, scope.without)
            own = self._computed(_join([flow, self._of_object(child)]), node, scope)
            flow = inner.flow if inner is not None else own
        return flow

    def _result_of(self, name: str, node: ast.Call, flow: Flow | None, scope: _Scope) -> Flow | None:
        if flow is None:
            return None
        if name in _DETACHING:
            if name == "detach_" and isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Name):
                scope.flows[node.func.value.id] = self._stopped("detach", flow, node, scope, ".detach_()")
            return self._stopped("detach", flow, node, scope, f".{name}()")
        if name in _NUMBERS and (isinstance(node.func, ast.Name) or name in ("item", "tolist")):
            shown = f".{name}()" if isinstance(node.func, ast.Attribute) else f"{name}()"
            return self._stopped("number", flow, node, scope, shown)
        if name in ("numpy", "array", "asarray", "from_numpy"):
            return self._stopped("numpy", flow, node, scope, f".{name}()" if name == "numpy" else f"{name}()")
        if name in _INTEGERS or (name in ("to", "type") and re.search(r"int|long|bool", ast.unparse(node))):
            return self._stopped("integers", flow, node, scope, f"{name}()")
        if name == "grad":
            if self._creates_graph or is_true(node, "create_graph"):
                return self._computed(flow, node, scope)
            return self._stopped("create_graph", flow, node, scope, "a gradient")
        if name in _NEW_LEAF:
            return self._stopped("new leaf", flow, node, scope, f"{name}()")
        return self._computed(flow, node, scope)

    def _call_of_users(
        self, callee: Any, given: Sequence[Value], named: Mapping[str, Value], without: Cut | None
    ) -> Value | None:
        """The result of a function or module of the user; None for other callables."""
        if isinstance(callee, functools.partial):
            given = [*(Value(self._of_object(one), one) for one in callee.args), *given]
            named = {**{name: Value(self._of_object(one), one) for name, one in callee.keywords.items()}, **named}
            return self._call_of_users(callee.func, given, named, without)
        function, first = function_of(callee)
        if function is None or not is_users(function.__code__.co_filename):
            return None
        if self.depth >= _DEEPEST:
            self.reading.complete = False
            return None
        file = function.__code__.co_filename
        tree = tree_of(file)
        definition = definition_of(tree, function.__code__) if tree is not None else None
        if definition is None:
            self.reading.complete &= any(callee is one for one in self.held.values())
            return None
        scope = _Scope(file, space_of(function))
        scope.first = first
        scope.without = without or self._decorated(definition, scope)
        values = [*([Value(live=first)] if first is not None else []), *given]
        parameters = [*definition.args.posonlyargs, *definition.args.args]
        for parameter in definition.args.kwonlyargs:
            scope.flows[parameter.arg] = None
        for parameter, value in [*zip(parameters, values, strict=False)]:
            _bind(scope, parameter.arg, value)
        if definition.args.vararg is not None:
            rest = values[len(parameters) :]
            _bind(scope, definition.args.vararg.arg, Value(_join([value.flow for value in rest])))
        for name, value in named.items():
            _bind(scope, name, value)
        self.depth += 1
        try:
            self.run(body_of(definition), scope)
        finally:
            self.depth -= 1
        return Value(_either(scope.returned))

    def _decorated(self, definition: Any, scope: _Scope) -> Cut | None:
        for decorator in getattr(definition, "decorator_list", ()):
            name = called_name(decorator)
            if name in _SWITCHES:
                return self._cut("no_grad", decorator, scope, name)
        return None

    # Cuts

    def _computed(self, flow: Flow | None, at: ast.AST, scope: _Scope) -> Flow | None:
        """The flow of the result of an operation; under `no_grad` its history is cut."""
        if flow is None or flow.cut is not None or scope.without is None:
            return flow
        return self._cut_flow("no_grad", at, scope, scope.without.what, flow)

    def _stopped(self, kind: str, flow: Flow | None, at: ast.AST, scope: _Scope, what: str) -> Flow | None:
        if flow is None:
            return None
        if flow.cut is not None:
            # In `x.detach().numpy()`, NumPy is the reason to detach, so NumPy is reported.
            forced = flow.cut.kind == "detach" and kind in ("numpy", "number") and flow.cut.line == at.lineno  # type: ignore[attr-defined]
            if not forced:
                return flow
        return self._cut_flow(kind, at, scope, what, flow)

    def _cut_flow(self, kind: str, at: ast.AST, scope: _Scope, what: str, before: Flow | None = None) -> Flow:
        return replace(before or Flow(), cut=self._cut(kind, at, scope, what))

    def _cut(self, kind: str, at: Any, scope: _Scope, what: str | None = "") -> Cut:
        return Cut(kind, scope.file, at.lineno, line_text(scope.file, at.lineno), what or "", scope.cell)

    def _note(self, operation: str, at: Any, scope: _Scope) -> None:
        if operation:
            place = scope.file, at.lineno, at.col_offset, operation
            if place not in self._noted:
                self._noted.add(place)
                source = line_text(scope.file, at.lineno)
                used = Used(operation.rstrip("_"), scope.file, at.lineno, source, is_recorded=scope.without is None)
                self.reading.operations.append(used)


def _join(flows: Iterable[Flow | None]) -> Flow | None:
    """The flow of a result: a gradient can flow back if one of the arguments is not cut."""
    return min((flow for flow in flows if flow is not None), key=_rank, default=None)


def _rank(flow: Flow) -> tuple[bool, ...]:
    """The order in which flows are reported: without a cut, a certain cut, a copy of the tensor."""
    copied = flow.cut is not None and flow.cut.what == "deepcopy()"
    return flow.unsure, bool(flow.cuts), bool(flow.perhaps), copied


def _either(flows: Iterable[Flow | None]) -> Flow | None:
    """The flow of a value that is one of these; it is not known which one."""
    given = list(dict.fromkeys(flows))
    mixed = _mixed(given)
    return replace(mixed, unsure=True) if mixed is not None and None in given else mixed


def _mixed(flows: Iterable[Flow | None]) -> Flow | None:
    """The flow of a list or dictionary as a whole."""
    known = list(dict.fromkeys(flow for flow in flows if flow is not None))
    if len(known) < 2:
        return known[0] if known else None
    cuts = tuple(dict.fromkeys(cut for flow in known for cut in flow.cuts))
    return Flow(None, cuts, any(flow.unsure for flow in known))


def _bind(scope: _Scope, name: str, value: Value) -> None:
    scope.flows[name] = value.flow
    if value.live is not None:
        scope.objects[name] = value.live


def _rebound(changes: Changes, name: str) -> Cut:
    """The last assignment to a variable."""
    number, line = changes.assigned[name]
    block = changes.blocks[number]
    return Cut("rebound", block.file, line, line_text(block.file, line), name, block.cell)


def _is_of_users(live: Any) -> bool:
    """Whether this is a function of the reader's."""
    function, _ = function_of(live) if callable(live) and not is_tensor(live) else (None, None)
    return function is not None and is_users(function.__code__.co_filename)
