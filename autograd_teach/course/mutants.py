"""Mistakes from a reference: every small change of its labelled lines, with the words for it.

A reference is a function of a few lines that computes what is right. A line that ends in `#: label` says in a student's
words what the line computes; `#: label; lesson` adds what is said if this line is wrong. Only these lines are changed: a
term or factor is left out, a sign turned, operands exchanged, another name or number taken. The words are made of labels
and of what was changed, never of the reference's code.

Two likely changes of different lines are tried together too. All changes are compiled at once: each labelled line becomes
a choice between what it computes and its changes.
NumPy only. Must not use the engine. References are never loaded in a process that runs a student's code for a grade.
"""

import ast
import copy
import inspect
import itertools
import re
import textwrap
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from types import CodeType, FunctionType
from typing import Any

import numpy as np

MOST_TURNS = 1000
"""A change may make the reference go through its loops this many turns more than three times the right number."""

MOST_PAIRED = 30
"""So many changes of a reference, the likely ones, are also made two at a time; beyond them, only two of the same kind."""

MOST_NUMBERS = 1_000_000
"""The longest `range` that a change may ask for."""


@dataclass(frozen=True)
class Slip:
    """A mistake that students make and that has a sentence of its own.

    at: the label of the line, or its beginning. code: what the line computes then, as an expression of the names that it
    may use. message: says what is wrong without giving the answer.
    """

    at: str
    code: str
    message: str


@dataclass(frozen=True)
class Change:
    """A change of one labelled line. number: selects it when the reference runs. likely: small numbers come first.

    label, kind, lesson: which line it is, what is wrong with it, and what is said of this line if it is wrong. A declared
    mistake has only a `kind`, its message. line: the number of the line. slip: the one that it was made of. also: the
    change of another line that is made together with it.
    """

    number: int
    likely: tuple[int, ...]
    kind: str
    label: str = ""
    lesson: str = ""
    line: int = 0
    slip: Slip | None = None
    also: "Change | None" = None

    def is_met(self, lines: Collection[int]) -> bool:
        """Whether it changes one of these lines."""
        return self.line in lines or (self.also is not None and self.also.line in lines)

    @property
    def is_declared(self) -> bool:
        """Whether somebody wrote it down for this exercise."""
        return self.likely[0] == SLIP


class TooLong(Exception):
    """A changed reference does not come to an end."""


@cache
def reference_of(function: Callable[..., Any], slips: tuple[Slip, ...] = ()) -> "Reference":
    """The reference that `function` is, with all changes of its labelled lines. Made once for each function."""
    return Reference(function, slips)


class Reference:
    """A function and the changes of its labelled lines, and of those of the functions beside it that it uses.

    Raises `ValueError` if a label is not at the end of a statement that computes something, which `a += b` does to what it
    finds. `changes` raises it if a slip is at several lines.
    """

    def __init__(self, function: Callable[..., Any], slips: Sequence[Slip] = ()) -> None:
        assert isinstance(function, FunctionType)
        self._of, self._slips, self._left = function, slips, 0
        self._met = set[int]()
        self._tree = ast.Module(body=[], type_ignores=[])
        self._lines: list[_Line] = []
        offset = 0
        for each in _with_helpers(function):
            source = textwrap.dedent(inspect.getsource(each))
            try:
                parsed = ast.parse(source).body
            except SyntaxError:
                raise ValueError("a reference is a function with a name of its own: use `def`") from None
            self._tree.body += parsed
            self._lines += _labelled(parsed, source, offset)
            offset += len(source.splitlines())
        _CountTurns().visit(self._tree)
        self.labels = tuple(line.label for line in self._lines)

    @cached_property
    def changes(self) -> tuple[Change, ...]:
        """All changes, the likely ones first."""
        return self._choices(self._lines, self._slips)

    @cached_property
    def pairs(self) -> tuple[Change, ...]:
        """Two changes together, of different lines, each of them a likely one; the likely pairs first.

        The words of a slip are about all that comes out, so it is not paired with something that is turned.
        """
        likely = enumerate(each for each in self.changes if each.likely[0] <= TURNED)
        pairs = [
            (first + last, replace(one, likely=(PAIR,), also=other))
            for (first, one), (last, other) in itertools.combinations(likely, 2)
            if one.line != other.line
            and (last < MOST_PAIRED or one.kind == other.kind)
            and {one.likely[0], other.likely[0]} != {SLIP, TURNED}
        ]
        return tuple(pair for _, pair in sorted(pairs, key=lambda ranked: ranked[0]))

    @cached_property
    def _names(self) -> dict[str, Any]:
        """The names of the compiled reference."""
        assert self.changes is not None  # they are in the lines then
        names = {
            **self._of.__globals__,
            "_change": {},
            "_turn": self._turn,
            "range": _bounded_range,
            "_met": self._met.add,
        }
        exec(compile(ast.fix_missing_locations(self._tree), "<reference>", "exec"), names)  # noqa: S102  # the course's own text
        return names

    def _choices(self, lines: Sequence["_Line"], slips: Sequence[Slip]) -> tuple[Change, ...]:
        """Put the choices into the lines. Returns all changes, the likely ones first."""
        changes: list[Change] = []
        known = [(slip, _line_at(slip, lines)) for slip in slips]
        right = {ast.unparse(line.expression) for line in lines}
        upward = -1 if any(line.parameters for line in lines) else 1  # a prediction is told from its beginning
        choices: list[tuple[_Line, list[ast.expr], int]] = []
        for line in lines:
            first, of_line = len(changes) + 1, list[ast.expr]()
            for number, (slip, at) in enumerate(known):
                if at is line:
                    changes.append(Change(len(changes) + 1, (SLIP, number), slip.message, line=line.number, slip=slip))
                    of_line.append(_parsed(slip.code))
            for likely, kind, new in _changes_of(line, lines, right):
                place = (likely, upward * line.number, len(changes))
                changes.append(Change(len(changes) + 1, place, kind, line.label, line.lesson, line.number))
                of_line.append(new)
            choices.append((line, of_line, first))
        for line, of_line, first in choices:  # at the end: the changes of a line depend on what other lines compute
            line.choose(of_line, first)
        return tuple(sorted(changes, key=lambda each: each.likely))

    def run(self, change: Change | None, *arguments: Any, turns: int = 0) -> Any:
        """The result with a change; None for what is right. The arguments may be changed. Raises what the change causes.

        turns: how many turns through its loops the reference makes for these arguments without a change.
        """
        self._names["_change"] = {each.line: each.number for each in (change, change and change.also) if each}
        self._left = -1 if change is None else 3 * turns + MOST_TURNS
        self._met.clear()
        with np.errstate(all="ignore"):
            return self._names[self._of.__name__](*arguments)

    @property
    def turns(self) -> int:
        """How many turns the reference has made through its loops when it last ran without a change."""
        return -1 - self._left

    @property
    def met(self) -> frozenset[int]:
        """The numbers of the labelled lines that the last run came to."""
        return frozenset(self._met)

    def _turn(self) -> None:
        self._left -= 1
        if self._left == 0:
            raise TooLong


def in_words(changes: Sequence[Change]) -> str:
    """The changes in a sentence, in the order of the lines. Lines changed in the same way are told together, a lesson once.

    >>> in_words([Change(1, (1,), "its sign is lost", "the gradient for x"), Change(2, (1,), "its sign is lost", "the sum")])
    'the gradient for x and the sum: its sign is lost'
    """
    told: dict[tuple[str, str], list[str]] = {}
    every = [one for change in changes for one in (change, change.also) if one]
    for each in sorted(every, key=lambda change: change.number):
        told.setdefault((each.kind, each.lesson), []).append(each.label)
    last = {lesson: kind for kind, lesson in told}
    parts = [
        (and_(labels), "; ".join(filter(None, (kind, lesson if last[lesson] == kind else ""))))
        for (kind, lesson), labels in told.items()
    ]
    return "; ".join(": ".join(filter(None, part)) for part in parts)


def and_(words: Sequence[str]) -> str:
    *first, last = dict.fromkeys(words)
    return f"{', '.join(first)} and {last}" if first else last


def _bounded_range(*arguments: int) -> range:
    found = range(*arguments)
    if len(found) > MOST_NUMBERS:
        raise TooLong
    return found


def _with_helpers(function: FunctionType) -> list[FunctionType | type]:
    """The functions and classes of its module with labelled lines that a function uses, and the function at the end."""
    found: dict[str, FunctionType | type] = {}
    seen: set[str] = {function.__name__}

    def reaches(each: FunctionType) -> bool:
        """Add what it uses, and say whether there is a labelled line in it."""
        labelled = False
        for name in _names_in(each.__code__):
            used = each.__globals__.get(name)
            if isinstance(used, FunctionType | type) and used.__module__ == function.__module__ and name not in seen:
                seen.add(name)
                inner = vars(used).values() if isinstance(used, type) else (used,)
                inside = [reaches(one) for one in inner if isinstance(one, FunctionType)]
                if "#: " in inspect.getsource(used) or any(inside):
                    found[name] = used
            labelled = labelled or name in found
        return labelled

    reaches(function)
    return [*found.values(), function]


def _names_in(code: CodeType) -> Iterator[str]:
    """The names that a function and those inside it use."""
    yield from code.co_names
    for each in code.co_consts:
        if isinstance(each, CodeType):
            yield from _names_in(each)


# ---- the labelled lines ----------------------------------------------------------------------------------------------

_FIELD: dict[type, str] = {ast.If: "test", ast.While: "test", ast.For: "iter"}
"""Of a statement with a body, the expression that is changed. Of any other statement it is `value`."""


def _field_of(statement: ast.stmt) -> str:
    return _FIELD.get(type(statement), "value")


@dataclass
class _Line:
    """A labelled statement. scope: the names that can stand in it."""

    number: int
    function: ast.FunctionDef
    label: str
    lesson: str
    statement: Any
    scope: tuple[str, ...]
    parameters: tuple[str, ...]

    @property
    def expression(self) -> ast.expr:
        found: ast.expr = getattr(self.statement, _field_of(self.statement))
        return found

    @property
    def is_condition(self) -> bool:
        return isinstance(self.statement, ast.If | ast.While)

    @property
    def target(self) -> str:
        """The name that the line gives to what it computes, "" if there is none."""
        targets = getattr(self.statement, "targets", [getattr(self.statement, "target", None)])
        return targets[0].id if len(targets) == 1 and isinstance(targets[0], ast.Name) else ""

    def choose(self, others: Sequence[ast.expr], first: int) -> None:
        """Make the line a choice: change number `first` computes the first of `others`, and so on."""
        if others:
            asked = _parsed(f"{first} <= _change.get({self.number}, 0) < {first + len(others)}")
            right = _parsed(f"(_met({self.number}), 0)[1]")
            right.value.elts[1] = self.expression  # type: ignore[attr-defined]  # a tuple
            setattr(self.statement, _field_of(self.statement), ast.IfExp(asked, self._chosen(others, first), right))

    def _chosen(self, others: Sequence[ast.expr], first: int) -> ast.expr:
        if len(others) == 1:
            return others[0]
        half = len(others) // 2
        test = _parsed(f"_change[{self.number}] < {first + half}")
        return ast.IfExp(test, self._chosen(others[:half], first), self._chosen(others[half:], first + half))


def _labelled(parsed: list[ast.stmt], source: str, offset: int) -> list[_Line]:
    """The labelled lines of a function or class. offset: added to their numbers, which must differ from others'."""
    labels = {n: line.partition("#: ")[2] for n, line in enumerate(source.splitlines(), 1) if "#: " in line}
    found = []
    for function in [each for top in parsed for each in ast.walk(top) if isinstance(each, ast.FunctionDef)]:
        own = list(_statements(function.body))
        for statement in own:
            last = statement.body[0].lineno - 1 if hasattr(statement, "body") else statement.end_lineno
            at = next((n for n in range(statement.lineno, max(last, statement.lineno) + 1) if n in labels), None)
            if at is None or isinstance(statement, ast.AugAssign) or not getattr(statement, _field_of(statement), None):
                continue
            label, _, lesson = labels.pop(at).partition("; ")
            parameters = tuple(each.arg for each in function.args.args if each.arg != "self")
            called = {
                each.func.id for each in ast.walk(function) if isinstance(each, ast.Call) and hasattr(each.func, "id")
            }
            parameters = tuple(each for each in parameters if each not in called)
            scope = tuple(dict.fromkeys((*parameters, *_names_before(own, statement.lineno))))
            found.append(_Line(offset + statement.lineno, function, label, lesson, statement, scope, parameters))
    if labels:
        several = ", ".join(labels.values())
        raise ValueError(f"these labels are not at the end of a statement such as `a = a + b`: {several}")
    return found


def _statements(body: Sequence[ast.stmt]) -> Iterator[Any]:
    """All statements of a function, without those of functions inside it."""
    for statement in body:
        yield statement
        if not isinstance(statement, ast.FunctionDef | ast.ClassDef):
            for part in ("body", "orelse", "finalbody"):
                yield from _statements(getattr(statement, part, []))


def _names_before(statements: Sequence[Any], line: int) -> Iterator[str]:
    for statement in statements:
        if statement.lineno < line:
            targets = getattr(statement, "targets", [getattr(statement, "target", None)])
            for each in [each for target in targets if target for each in ast.walk(target)]:
                if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store) and not each.id.startswith("_"):
                    yield each.id


def _line_at(slip: Slip, lines: Sequence[_Line]) -> _Line | None:
    """The line of a slip; None if it belongs to another reference."""
    exact = [line for line in lines if line.label == slip.at]
    found = exact or [line for line in lines if line.label.startswith(slip.at)]
    if len(found) > 1:
        raise ValueError(f"{len(found)} lines have a label that begins with {slip.at!r}; a slip belongs to one")
    return found[0] if found else None


class _CountTurns(ast.NodeTransformer):
    def _counted(self, node: ast.While | ast.For) -> ast.AST:
        self.generic_visit(node)
        node.body.insert(0, ast.Expr(_parsed("_turn()")))
        return node

    visit_While = visit_For = _counted


# ---- the changes -----------------------------------------------------------------------------------------------------

Changed = tuple[int, str, ast.expr]
"""How likely the change is (small is likely), what is wrong in words, and the expression that is computed instead."""

SLIP, LEFT_OUT, TURNED, OTHER, WHOLE, MADE_OF, PAIR = range(7)
"""The sorts of changes, the likely ones first: declared, something left out or exchanged, another operation, another name
or number, the whole value changed, another simple expression, two together."""


def _parsed(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


def _changes_of(line: _Line, lines: Sequence[_Line], right: set[str]) -> Iterator[Changed]:
    before = (each for each in lines if each.function is line.function and each.number < line.number and each.target)
    named = {each.target: each for each in before}
    words = _Words(line, named)
    words.tests = {name for name, each in named.items() if _is_test(each.expression)}
    seen = {ast.unparse(line.expression)}
    is_value = not (line.is_condition or isinstance(line.statement, ast.For) or isinstance(line.expression, _DISPLAYS))
    is_value = is_value and not _is_test(line.expression)
    whole = _of_the_whole(line, words) if is_value else ()
    for likely, kind, new in itertools.chain(_inside(line, words), whole):
        code = ast.unparse(new)
        if code not in seen and not (
            likely == MADE_OF and code in right
        ):  # its words would show the code of another line
            seen.add(code)
            yield likely, kind, new


def _is_test(node: ast.expr) -> bool:
    """Whether an expression gives True and False: such values do not stand in the place of numbers."""
    if isinstance(node, ast.BinOp):
        return isinstance(node.op, ast.BitAnd | ast.BitOr) and _is_test(node.left)
    if isinstance(node, ast.IfExp):
        return _is_test(node.orelse)
    is_not = isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not | ast.Invert)
    return is_not or isinstance(node, ast.Compare | ast.BoolOp)


_DISPLAYS = (ast.Tuple, ast.List, ast.Dict)


class _Words:
    """The words for the operands of a line."""

    tests: set[str]
    """The names of True and False."""

    def __init__(self, line: _Line, named: dict[str, _Line]) -> None:
        self.line, self.labels, self.tests = line, {name: each.label for name, each in named.items()}, set()
        self.sums = {name: each.expression for name, each in named.items() if _is_sum(each.expression)}

    def of_name(self, name: str) -> str | None:
        if name in self.line.parameters:
            return "`grad_output`" if name == "g" else f"`{name}`"
        return self.labels.get(name)

    def is_of_another_line(self, name: str) -> bool:
        """Whether the name has a line of its own, which is then told of."""
        return name in self.labels and name not in self.line.parameters

    def of(self, node: ast.expr, otherwise: str = "a part of it") -> str:
        found = None
        if isinstance(node, ast.Name):
            found = self.of_name(node.id)
        elif isinstance(node, ast.Constant) and isinstance(node.value, int | float):
            found = f"{node.value:g}"
        elif isinstance(node, ast.Attribute) and node.attr == "T" and isinstance(node.value, ast.Name):
            name = self.of_name(node.value.id)
            found = name and f"the transpose of {name}"
        return found or otherwise


def _inside(line: _Line, words: _Words) -> Iterator[Changed]:
    """The line's expression with one part of it changed."""
    root = line.expression
    places = {id(each) for node in ast.walk(root) for where in _places_in(node) for each in ast.walk(where)}
    compared = {id(each) for node in ast.walk(root) if isinstance(node, ast.Compare) for each in ast.walk(node)}
    divisors = [node.right for node in ast.walk(root) if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div)]
    signed = {id(node.operand) for node in ast.walk(root) if isinstance(node, ast.UnaryOp)}  # changed with its sign
    divides = {id(each) for divisor in divisors for each in ast.walk(divisor)}
    for node in list(ast.walk(root)):
        is_number = isinstance(node, ast.Constant | ast.UnaryOp)
        is_stored = isinstance(getattr(node, "ctx", None), ast.Store)
        if not isinstance(node, ast.expr) or is_stored or (isinstance(node, ast.Constant) and id(node) in signed):
            continue
        if not (is_number and id(node) in places) and not (isinstance(node, ast.Name) and node is root):
            if id(node) in compared and isinstance(node, ast.Name | ast.Constant):
                several = _of_a_compared(node, line, words)
            else:
                several = _of_a_part(node, line, words)
            for likely, kind, new in several:
                yield likely, _upside_down(kind) if id(node) in divides else kind, _replaced(root, node, new)


def _upside_down(kind: str) -> str:
    """The words for a change of a factor, if that factor divides.

    >>> _upside_down("it is divided by the root, not multiplied")
    'it is multiplied by the root, not divided'
    """
    found = re.fullmatch(r"it is (multiplied|divided) by (.*), not (multiplied|divided)", kind)
    return f"it is {found[3]} by {found[2]}, not {found[1]}" if found else kind


def _of_a_compared(node: ast.Name | ast.Constant, line: _Line, words: _Words) -> Iterator[Changed]:
    """Another name or number in the place of one that is compared."""
    own = words.of(node, "") if isinstance(node, ast.Name) else "a number"
    for other in line.scope:
        said = words.of_name(other)
        if said and own and other not in words.tests and not (isinstance(node, ast.Name) and other == node.id):
            yield OTHER, f"{said} stands in the place of {own}", ast.Name(other, ast.Load())
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float) and not isinstance(node.value, bool):
        value = float(node.value)
        for number in (0, 1, -1, 2, 0.5, -value, 2 * value):
            yield OTHER, f"it is compared with {number:g}", ast.Constant(number)


def _places_in(node: ast.AST) -> Iterator[ast.expr]:
    """What only says where: an index, an axis. Its numbers are changed with what they belong to."""
    if isinstance(node, ast.Subscript):
        yield node.slice
    if isinstance(node, ast.Call):
        yield from (each.value for each in node.keywords)


def _replaced(root: Any, old: ast.AST, new: ast.expr) -> Any:
    """The expression with `new` in the place of `old`. What does not change is shared, not copied."""
    if root is old:
        return new
    for name, value in ast.iter_fields(root):
        for at, each in enumerate(value if isinstance(value, list) else [value]):
            if isinstance(each, ast.AST) and (made := _replaced(each, old, new)) is not each:
                copied = copy.copy(root)
                setattr(copied, name, [*value[:at], made, *value[at + 1 :]] if isinstance(value, list) else made)
                return copied
    return root


def _of_a_part(node: ast.expr, line: _Line, words: _Words) -> Iterator[Changed]:
    match node:
        case ast.BinOp():
            yield from _of_two(node, words)
        case ast.Constant(value=bool()) if node is line.expression:
            yield TURNED, "", ast.Constant(not node.value)
        case ast.UnaryOp(op=ast.USub()):
            yield LEFT_OUT, "the minus sign is missing", node.operand
            if isinstance(node.operand, ast.Constant) and isinstance(node.operand.value, int | float):
                yield from _of_a_number(-node.operand.value)
        case ast.UnaryOp():
            yield LEFT_OUT, "the condition is the wrong way round", node.operand
        case ast.Name() if node.id in line.scope:
            yield from _of_a_name(node.id, line, words)
        case ast.Constant(value=bool()):
            yield TURNED, "True and False are exchanged", ast.Constant(not node.value)
        case ast.Constant(value=int() | float() as value):
            yield from _of_a_number(value)
        case ast.Attribute(attr="T"):
            of = words.of(node.value, "it")
            yield LEFT_OUT, f"{of} is not transposed", node.value
            yield (
                LEFT_OUT,
                f"{of} is reshaped, but it must be transposed",
                _form("np.reshape({0}, {0}.T.shape)", node.value),
            )
        case ast.Call():
            yield from _of_a_call(node)
        case ast.Compare(ops=[operator]):
            yield LEFT_OUT, "the condition is the wrong way round", _form("np.logical_not({})", node)
            if type(operator) in _WITH_EQUAL:
                other = ast.Compare(node.left, [_WITH_EQUAL[type(operator)]()], node.comparators)
                yield TURNED, "equal numbers are on the wrong side", other
            yield LEFT_OUT, "the condition is left out", ast.Constant(True)
            yield TURNED, "the condition never holds", ast.Constant(False)
        case ast.BoolOp():
            for left_out in range(len(node.values)):
                kept = [each for n, each in enumerate(node.values) if n != left_out]
                yield (
                    LEFT_OUT,
                    "one of the conditions is left out",
                    kept[0] if len(kept) == 1 else ast.BoolOp(node.op, kept),
                )
            exchanged = ast.Or() if isinstance(node.op, ast.And) else ast.And()
            yield TURNED, "`and` and `or` are exchanged", ast.BoolOp(exchanged, node.values)
        case ast.IfExp():
            yield LEFT_OUT, "one of the two cases is forgotten", node.body
            yield LEFT_OUT, "one of the two cases is forgotten", node.orelse
            yield TURNED, "the two cases are exchanged", ast.IfExp(node.test, node.orelse, node.body)
        case ast.Subscript():
            yield from _of_an_entry(node)
        case ast.Tuple() | ast.List() if 1 < len(node.elts) < 4:
            for order in itertools.permutations(node.elts):
                if list(order) != node.elts:
                    yield LEFT_OUT, "the parts stand in another order", type(node)(list(order), ast.Load())
        case ast.ListComp() | ast.GeneratorExp() if node.generators[0].ifs:
            changed = copy.deepcopy(node)
            changed.generators[0].ifs = []
            yield LEFT_OUT, "the condition is left out", changed


def _of_a_number(value: float) -> Iterator[Changed]:
    for number in (0, 1, -1, 2, 3, 0.5, value + 1, value - 1, -value, 2 * value):
        yield OTHER, f"it comes out as with {number:g} where another number must stand", ast.Constant(number)


_WITH_EQUAL: dict[type, type] = {ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt}


def _of_two(node: ast.BinOp, words: _Words) -> Iterator[Changed]:
    """Changes of an operation with two operands."""
    left, right = node.left, node.right
    is_sum = isinstance(node.op, ast.Add | ast.Sub)
    part = (
        "a term" if is_sum else "one of the conditions" if isinstance(node.op, ast.BitAnd | ast.BitOr) else "a factor"
    )
    first, second = words.of(left, part), words.of(right, part)

    def other(operator: type, *operands: ast.expr) -> ast.expr:
        one, two = operands or (left, right)
        return ast.BinOp(one, operator(), two)

    if isinstance(node.op, ast.Div | ast.FloorDiv):
        yield LEFT_OUT, f"it is not divided by {words.of(right, 'what it must be')}", left
        if ast.unparse(left) not in ("1", "-1", "1.0", "-1.0"):
            yield LEFT_OUT, f"{first} is left out", other(ast.Div, ast.Constant(1), right)
    elif isinstance(node.op, ast.Pow):
        yield LEFT_OUT, "the exponent is left out", left
        for number in (2, 3, -1, -2, 1.5, 0.5):
            yield OTHER, f"the exponent is {number:g} in yours", other(ast.Pow, left, ast.Constant(number))
    else:
        yield LEFT_OUT, f"{second} is left out", left
        yield (
            LEFT_OUT,
            f"{first} is left out",
            ast.UnaryOp(ast.USub(), right) if isinstance(node.op, ast.Sub) else right,
        )
    match node.op:
        case ast.Add():
            yield TURNED, f"{second} is subtracted, not added", other(ast.Sub)
            yield TURNED, f"{first} is subtracted, not added", other(ast.Sub, right, left)
            yield TURNED, f"{second} multiplies, but it must be added", other(ast.Mult)
            yield TURNED, "this is the mean, but it must be the sum", other(ast.Div, node, ast.Constant(2))
        case ast.Sub():
            yield LEFT_OUT, f"{second} is added, not subtracted", other(ast.Add)
            yield LEFT_OUT, "the difference is the wrong way round", other(ast.Sub, right, left)
        case ast.Mult():
            for one, many, said in ((left, right, second), (right, left, first)):
                for form in ("{0} * {1} {op} {2}", "{1} {op} {2} * {0}"):
                    yield from _without_parentheses(form, one, many, words, said)
            yield TURNED, f"{second} is added, but it must multiply", other(ast.Add)
            yield TURNED, f"it is divided by {second}, not multiplied", other(ast.Div)
            yield TURNED, f"it is divided by {first}, not multiplied", other(ast.Div, right, left)
            yield TURNED, f"{second} is subtracted, but it must multiply", other(ast.Sub)
        case ast.Div():
            yield from _without_parentheses("{0} / {1} {op} {2}", left, right, words, second)
            yield from _without_parentheses("{1} {op} {2} / {0}", right, left, words, first)
            yield TURNED, f"it is multiplied by {second}, not divided", other(ast.Mult)
            yield LEFT_OUT, "the quotient is upside down", other(ast.Div, right, left)
            yield TURNED, f"{second} is added, but it must divide", other(ast.Add)
        case ast.Pow():
            yield TURNED, "it is multiplied by the exponent", other(ast.Mult)
            yield TURNED, "base and exponent have changed places", other(ast.Pow, right, left)
        case ast.MatMult():
            yield LEFT_OUT, "the two factors stand in the wrong order", other(ast.MatMult, right, left)
            yield TURNED, "it is multiplied entry by entry, but the matrix product is needed", other(ast.Mult)
        case ast.BitAnd():
            yield TURNED, "one condition is enough in yours, but both must hold", other(ast.BitOr)
        case ast.BitOr():
            yield TURNED, "both conditions must hold in yours, but one is enough", other(ast.BitAnd)


def _is_sum(node: ast.expr) -> bool:
    return isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub)


def _without_parentheses(form: str, one: ast.expr, many: ast.expr, words: _Words, said: str) -> Iterator[Changed]:
    """An operand that is a sum, or the name of one, without the parentheses around it."""
    found = words.sums.get(many.id) if isinstance(many, ast.Name) else many
    if isinstance(found, ast.BinOp) and _is_sum(found):
        op = "+" if isinstance(found.op, ast.Add) else "-"
        kind = f"the parentheses around {said} are missing"
        yield TURNED, kind, _form(form.replace("{op}", op), one, found.left, found.right)


def _form(form: str, *parts: ast.expr) -> ast.expr:
    return _parsed(form.format(*(f"({ast.unparse(each)})" for each in parts)))


_OF_A_NAME = (
    (OTHER, "{} has the wrong sign", "-{}"),
    (TURNED, "rows and columns of {} have changed places", "{}.T"),
    (TURNED, "{} is reshaped where nothing must be changed", "np.reshape({0}, {0}.T.shape).T"),
    (MADE_OF, "{} counts twice", "2 * {}"),
    (MADE_OF, "half of {} is used", "{} / 2"),
    (OTHER, "{} is squared", "{} ** 2"),
    (OTHER, "{} has lost its sign", "abs({})"),
    (OTHER, "only the sign of {} is used", "np.sign({})"),
    (OTHER, "{} is cut to whole numbers", "np.trunc({})"),
    (OTHER, "what {} contributes is 0 in yours", "0 * {}"),
    (OTHER, "the sum of {} is used in each place", "np.sum({})"),
    (OTHER, "the mean of {} is used in each place", "np.mean({})"),
    (OTHER, "only the first entry of {} is used", "{}.flat[0]"),
    (OTHER, "only the last entry of {} is used", "{}.flat[-1]"),
    (OTHER, "{} is 1 too large", "{} + 1"),
    (OTHER, "{} is 1 too small", "{} - 1"),
)
"""Changes of an operand: how likely, words, and the expression."""


def _of_a_name(name: str, line: _Line, words: _Words) -> Iterator[Changed]:
    own = words.of_name(name)
    for other in line.scope:
        said = words.of_name(other)
        if other != name and said and (other in words.tests) == (name in words.tests):
            instead = f"{said} stands in the place of {own}" if own else f"{said} stands in a wrong place"
            yield OTHER, instead, ast.Name(other, ast.Load())
    for likely, kind, form in _OF_A_NAME if own and name not in words.tests else ():
        yield MADE_OF if words.is_of_another_line(name) else likely, kind.format(own), _parsed(form.format(name))


_ELEMENTARY = {"abs", "exp", "log", "sin", "cos", "tanh", "sqrt", "sign"}
_REDUCED = {"sum": "sum", "mean": "mean", "max": "largest", "min": "smallest", "prod": "product"}
_OTHER_FUNCTIONS = {
    "sin": ("cos",),
    "cos": ("sin",),
    "log": ("log10", "log2", "log1p"),
    "exp": ("expm1", "exp2"),
    "tanh": ("tan", "sinh"),
    "sqrt": ("square", "cbrt"),
    "maximum": ("minimum",),
    "minimum": ("maximum",),
    "round": ("floor", "ceil", "trunc"),
    "cumsum": ("cumprod",),
    "cumprod": ("cumsum",),
}


def _of_a_call(node: ast.Call) -> Iterator[Changed]:
    named = isinstance(node.func, ast.Attribute)
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    of_numpy = isinstance(node.func, ast.Attribute) and ast.unparse(node.func.value) == "np"
    own = node.func.value if isinstance(node.func, ast.Attribute) and not of_numpy else None
    operands = [
        *([own] if own is not None else []),
        *(each for each in node.args if not isinstance(each, ast.Constant | ast.Starred)),
    ]
    if name in _REDUCED and named and operands:
        for other, what in _REDUCED.items():
            if other != name:
                yield TURNED, f"this is the {what}, but it must be the {_REDUCED[name]}", _renamed(node, other)
        yield from _along(node, operands[0], _REDUCED[name])
    for other in _OTHER_FUNCTIONS.get(name, ()) if named else ():
        yield OTHER, f"`{other}` is used", _renamed(node, other)
    if name == "range":
        yield from _of_a_range(node)
    elif name == "len":
        yield OTHER, "it is 1 too small", _form("{} - 1", node)
        yield OTHER, "it is 1 too large", _form("{} + 1", node)
    elif name == "where" and of_numpy and len(node.args) == 3:
        test, one, other_one = node.args
        yield LEFT_OUT, "one of the two cases is forgotten", _form("{0} + 0 * {1}", one, node)
        yield LEFT_OUT, "one of the two cases is forgotten", _form("{0} + 0 * {1}", other_one, node)
        yield TURNED, "the two cases are exchanged", ast.Call(node.func, [test, other_one, one], [])
    elif name in ("append", "add", "extend", "update"):
        yield LEFT_OUT, "this is left out", ast.Constant(None)
    else:
        step = f"`{name}` is left out" if name in _ELEMENTARY else "this step is left out"
        for operand in operands[:2]:
            yield LEFT_OUT, step, operand


def _renamed(node: ast.Call, name: str) -> ast.expr:
    changed = copy.deepcopy(node)
    assert isinstance(changed.func, ast.Attribute)
    changed.func.attr = name
    return changed


def _along(node: ast.Call, operand: ast.expr, what: str) -> Iterator[Changed]:
    """Changes of the axis of a sum, a mean and the like. what: the word for it."""
    axis = next((each.value for each in node.keywords if each.arg == "axis"), None)
    kept = any(each.arg == "keepdims" for each in node.keywords)
    if axis is not None:
        for other in (0, 1, -1):
            changed = copy.deepcopy(node)
            changed.keywords = [each for each in changed.keywords if each.arg != "axis"]
            changed.keywords.append(ast.keyword("axis", ast.Constant(other)))
            yield TURNED, f"the {what} goes along another axis", changed
        yield TURNED, "everything is added up, along all axes", _form("np.sum({}) + 0 * {}", operand, node)
        for at, which in (("0", "first"), ("-1", "last")):
            taken = f"np.take({{}}, {f'[{at}]' if kept else at}, {{}})"
            yield OTHER, f"only the {which} entry along the axis is taken", _form(taken, operand, axis)
    yield (
        OTHER,
        "it is multiplied by the number of its terms",
        _form("{0} * (np.size({1}) / np.size({0}))", node, operand),
    )
    yield TURNED, f"the {what} is left out", operand


def _of_a_range(node: ast.Call) -> Iterator[Changed]:
    *first, last = node.args[:2]
    rest = node.args[2:]

    def with_ends(start: ast.expr | None, end: ast.expr) -> ast.expr:
        return ast.Call(node.func, [*([start] if start else []), end, *rest], [])

    start = first[0] if first else None
    yield TURNED, "the last turn is missing", with_ends(start, _form("{} - 1", last))
    yield TURNED, "there is one turn too many", with_ends(start, _form("{} + 1", last))
    yield TURNED, "the first turn is missing", with_ends(_form("{} + 1", start or ast.Constant(0)), last)
    yield TURNED, "only the first turn is made; does a `return` stand inside the loop?", _form("{}[:1]", node)


def _of_an_entry(node: ast.Subscript) -> Iterator[Changed]:
    at = node.slice
    if isinstance(at, ast.Slice):
        yield LEFT_OUT, "everything is taken, not a part", node.value
        for lower, upper, kind in (
            (_form("{} + 1", at.lower or ast.Constant(0)), at.upper, "the first one is left out"),
            (at.lower, _form("{} - 1", at.upper) if at.upper else ast.Constant(-1), "the last one is left out"),
        ):
            yield TURNED, kind, ast.Subscript(node.value, ast.Slice(lower, upper, at.step), ast.Load())
    elif isinstance(at, ast.Name | ast.BinOp):
        for form, kind in (("{} + 1", "the one after it is taken"), ("{} - 1", "the one before it is taken")):
            yield TURNED, kind, ast.Subscript(node.value, _form(form, at), ast.Load())


_WHOLE = (
    (TURNED, "it has the wrong sign", "-{}"),
    (WHOLE, "it is twice what it must be", "2 * {}"),
    (WHOLE, "it is half of what it must be", "{} / 2"),
    (WHOLE, "it is transposed", "{}.T"),
    (WHOLE, "it is read in another order, as by a reshape", "{0}.T.reshape(np.shape({0}))"),
    (WHOLE, "its sign is lost", "np.abs({})"),
    (WHOLE, "it is squared", "{} ** 2"),
    (WHOLE, "it is cut to whole numbers", "np.trunc({})"),
    (WHOLE, "its negative entries are lost", "np.maximum({}, 0)"),
    (WHOLE, "every entry of it is the sum over all", "np.full_like({0}, np.sum({0}))"),
    (WHOLE, "every entry of it is the mean over all", "np.full_like({0}, np.mean({0}))"),
    *((WHOLE, f"it is {float(number):g} in yours", number) for number in ("0.0", "1.0", "-1.0", "2.0", "0.5")),
)
"""Changes of all that a line computes."""

_ALSO = (
    ("it is also divided by {}", "{} / {}"),
    ("it is also multiplied by {}", "{} * {}"),
    ("{} is also added to it", "{} + {}"),
    ("{} is also subtracted from it", "{} - {}"),
    ("it is also divided by the length of {}", "{} / len({})"),
    ("it is also divided by the number of entries of {}", "{} / np.size({})"),
)
_OF_ONE = (
    "{}",
    "-{}",
    "2 * {}",
    "{} / 2",
    "{} ** 2",
    "1 / {}",
    "-1 / {}",
    "1 / {} ** 2",
    "-1 / {} ** 2",
    "{} + 1",
    "{} - 1",
)
_OF_A_PAIR = ("{} + {}", "{} - {}", "{} * {}", "{} / {}", "-{} / {}", "-{} / {} ** 2", "{} / {} ** 2")


def _of_the_whole(line: _Line, words: _Words) -> Iterator[Changed]:
    """Changes of all that a line computes."""
    value = line.expression
    if line.target in line.scope:
        yield LEFT_OUT, "this step is left out", ast.Name(line.target, ast.Load())
    for likely, kind, form in _WHOLE:
        yield likely, kind, _form(form, value)
    scope = sorted(line.scope, key=lambda name: name == "g")  # of equal numbers, those that a student thinks of first
    scope = [name for name in scope if name not in words.tests]
    named = [(name, said) for name in scope if (said := words.of_name(name))]
    for name, said in named:
        yield WHOLE, f"it is {said} in yours", ast.Name(name, ast.Load())
        also = _ALSO[1 if name == "g" else 0 :] if name in line.parameters else ()
        for kind, form in also:  # "divided by `grad_output`" would be said if it is forgotten
            yield WHOLE, kind.format(said), _form(form, value, ast.Name(name, ast.Load()))
    shown = {name: "grad_output" if name == "g" else name for name in line.parameters}
    ones = [((name,), form) for name in line.parameters[:3] for form in _OF_ONE]
    pairs = [(pair, form) for pair in itertools.permutations(line.parameters[:3], 2) for form in _OF_A_PAIR]
    for made_of, form in (*ones, *pairs):
        if not (made_of[-1] == "g" and "/ {}" in form):  # `/ grad_output` would be said if it is forgotten
            made = form.format(*(shown[name] for name in made_of))
            yield MADE_OF, f"it is `{made}` in yours", _parsed(form.format(*made_of))
