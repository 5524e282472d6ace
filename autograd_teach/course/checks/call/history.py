"""Why a student's line raised that something does not require grad: the first line that lost the history.

Reads the student's source and the values that the names had when the error was raised. Says nothing that it cannot read
there. Runs in the process of the student's code; standard library only.
"""

import ast
import builtins
import linecache
from collections.abc import Callable, Iterator
from types import FrameType, ModuleType
from typing import Any

NO_HISTORY = "does not require grad and does not have a grad_fn"
NO_LEAF = "One of the differentiated Tensors does not require grad"

_CUTS = ("detach", "detach_", "item", "numpy", "tolist", "data")
_NEW = ("tensor", "as_tensor", "float", "int", "array")
_SIZES = ("len", "range", "shape", "ndim", "dtype", "dim", "size", "numel")
"""Calls and attributes through which no gradient goes, whatever tensor they are of."""
_OFF = ("no_grad", "inference_mode", "set_grad_enabled(False)")


def reason(error: BaseException, own: Callable[[str], bool], given: list[Any], needs: Callable[[Any], bool]) -> str:
    """Why `error` was raised, in words; "" if the source does not show it.

    own: whether a file is the student's. given: the arguments of the call. needs: whether something is a tensor that
    requires grad.
    """
    if not any(part in str(error) for part in (NO_HISTORY, NO_LEAF)):
        return ""
    frames, trace = [], error.__traceback__
    while trace:
        frames += [(trace.tb_frame, trace.tb_lineno)] * own(trace.tb_frame.f_code.co_filename)
        trace = trace.tb_next
    if not frames:
        return ""
    frame, line = frames[-1]
    values = dict(frame.f_globals)
    for each, _ in frames:
        values.update(each.f_locals)
    try:
        reader = _Reader(frame, line, values, given, needs)
        return next((told for each in reader.differentiated(NO_LEAF in str(error)) if (told := reader.told(each))), "")
    except (SyntaxError, RecursionError):  # a cell with a `%magic`
        return ""


class _Reader:
    """The function in which the error was raised."""

    def __init__(
        self, frame: FrameType, line: int, values: dict[str, Any], given: list[Any], needs: Callable[[Any], bool]
    ) -> None:
        self.line, self.values, self.given, self.needs = line, values, given, needs
        self.lines = linecache.getlines(frame.f_code.co_filename)
        tree: ast.AST = ast.parse("".join(self.lines))
        for node in ast.walk(tree):  # outer functions come first
            if isinstance(node, ast.FunctionDef) and node.lineno <= line <= (node.end_lineno or 0):
                tree = node
        self.tree = tree
        self.parameters = [each.arg for each in tree.args.args] if isinstance(tree, ast.FunctionDef) else []

    def differentiated(self, leaves: bool) -> Iterator[ast.expr]:
        """What the line differentiates, or with `leaves` what it differentiates with respect to."""
        for node in ast.walk(self.tree):
            if not isinstance(node, ast.Call) or not node.lineno <= self.line <= (node.end_lineno or 0):
                continue
            name = _name(node.func)
            if name == "backward" and isinstance(node.func, ast.Attribute) and not node.args and not leaves:
                yield node.func.value
            elif name in ("grad", "backward"):
                keyword = "inputs" if leaves else "outputs" if name == "grad" else "tensors"
                named = [each.value for each in node.keywords if each.arg == keyword]
                for each in (*node.args[leaves : leaves + 1], *named):
                    yield from each.elts if isinstance(each, ast.List | ast.Tuple) else [each]

    def told(self, what: ast.expr) -> str:
        found = self.of(what, self.line, frozenset())
        if found is None:
            return ""
        text, (name, why) = ast.unparse(what), found
        nor = f", nor does `{name}`" if name not in ("", text) else ""
        return f"`{text}` does not require grad{nor}{f': {why}' if why else ''}"

    def of(
        self, what: ast.expr, line: int, seen: frozenset[tuple[str, int]], is_last: bool = True
    ) -> tuple[str, str] | None:
        """The first name without history on the way to `what`, and the reason; None if the source does not show it.

        is_last: whether the value of `what` is known to have no history: the name that it was given to still has it.
        """
        if isinstance(what, ast.Name):
            return self.of_name(what.id, line, seen)
        here = "that line" if line == self.line else f"line {line}, `{self.lines[line - 1].strip()}`,"
        inside = {each.id: None for each in _walk(what) if isinstance(each, ast.Name)}
        tensors = [each for each in inside if hasattr(self.values.get(each), "requires_grad")]
        others = [each for each in tensors if not self.is_given(each) or self.needs(self.values[each])]
        if self.is_off(line) and others:
            return "", f"{here} runs under `no_grad` or `inference_mode`, and nothing is recorded there"
        cuts, outside, atoms = [], [], list(_atoms(what))
        for atom in atoms:
            name = _name(atom.func if isinstance(atom, ast.Call) else atom)
            if name == "grad" and isinstance(atom, ast.Call):
                if _creates_graph(atom):
                    return "", f"{here} computes a gradient that does not depend on a tensor that requires grad"
                return "", f"{here} computes a gradient without `create_graph=True`, so the gradient has no history"
            if name == "grad":
                calls = [each for each in ast.walk(self.tree) if isinstance(each, ast.Call)]
                if any(_name(each.func) == "backward" and _creates_graph(each) for each in calls):
                    return "", f"{here} uses a `.grad` that does not depend on a tensor that requires grad"
                return "", f"{here} uses a `.grad`, which has a history only after `backward(create_graph=True)`"
            if isinstance(atom, ast.Name):
                outside.append(atom.id)
            else:
                cut = "", f"{here} cuts the history off: `{name}` passes on the numbers alone"
                names = [each.id for each in ast.walk(atom) if isinstance(each, ast.Name) and each.id in others]
                if any(self.had_history(each, line) for each in names):
                    return cut
                cuts += [(each, cut) for each in names]
        if atoms and all(map(_is_new_tensor, atoms)):
            return "", f"{here} makes a new tensor from plain numbers, which have no history"
        is_own = any(
            self.is_own(each.func)
            if isinstance(each, ast.Call)
            else isinstance(each, ast.Name) and callable(self.values.get(each.id)) and self.is_own(each)
            for each in _walk(what)
        )
        found = {} if is_own else {each: self.of_name(each, line, seen) for each in others}
        for name in outside:
            if self.needs(self.values.get(name)):
                later = self.switched_on(name, line)
                if later:
                    return name, f"{here} uses it before line {later} makes it require grad"
                if self.is_bound_after(name, line) or not is_last:
                    return None
                lost = (each for each in map(found.get, outside) if each and _is_loss(each[1]))
                although = f"{here} gives a result without a history, although `{name}` requires grad"
                return next(lost, ("", although))
        if is_own:  # it may use any tensor
            return None
        told = next((found[each] for each in outside if found.get(each)), None)
        if told or cuts:
            only = found[cuts[0][0]] or cuts[0][1] if len(cuts) == 1 and not outside else None
            return told or only
        if others or not all(map(self.is_plain, set(inside) - set(tensors))):
            return None
        if not all(map(self.is_parameter, tensors)):
            return (tensors[0], "") if len(tensors) == 1 else None
        words = ", ".join(f"`{each}`" for each in tensors)
        came = f": {words} {'was' if len(tensors) == 1 else 'were'} given without it" if tensors else ""
        return "", f"{here} uses no tensor that requires grad{came}"

    def is_plain(self, name: str) -> bool:
        """Whether this cannot hold a tensor: a number, a text, a function, a module."""
        value = self.values.get(name)
        return value is None or callable(value) or isinstance(value, int | float | str | ModuleType)

    def of_name(self, name: str, line: int, seen: frozenset[tuple[str, int]]) -> tuple[str, str] | None:
        if self.needs(self.values.get(name)):
            return None
        if self.is_given(name):
            return name, "it was given like that" if self.is_parameter(name) else ""
        bound = self.bound(name, line)
        if bound is None or (name, bound[0]) in seen:
            return None
        if any(isinstance(each, ast.IfExp | ast.BoolOp) for each in ast.walk(bound[1])):
            return None
        found = self.of(bound[1], bound[0], seen | {(name, bound[0])}, not self.is_bound_after(name, bound[0]))
        return found and (found[0] or name, found[1])

    def bound(self, name: str, line: int) -> tuple[int, ast.expr] | None:
        """What gave the name its value, as seen from a line; None if this is not known."""
        found = sorted(self.bindings(name), key=lambda each: each[0])
        loops = [each for each in ast.walk(self.tree) if isinstance(each, ast.For | ast.While) and _covers(each, line)]
        before = [each for each in found if each[0] < line or each[0] == line == self.line and not loops][-1:]
        after = [each for each in found if each[0] >= line and any(_covers(loop, each[0]) for loop in loops)][-1:]
        if after and not (before and any(_covers(loop, each[0]) for loop in loops for each in before)):
            turn = self.is_first_turn(loops[-1])
            before = after if turn is False or not before else before if turn else []
        branches = [each for each in ast.walk(self.tree) if isinstance(each, ast.If | ast.Try)]
        if any(_covers(branch, at) and not _covers(branch, line) for at, _ in before for branch in branches):
            return None
        return before[0] if before else None

    def is_first_turn(self, loop: ast.For | ast.While) -> bool | None:
        """Whether a loop over `range(n)` was in its first turn; None if this is not known."""
        if isinstance(loop, ast.For) and isinstance(loop.target, ast.Name) and isinstance(loop.iter, ast.Call):
            first = loop.iter.args[0] if len(loop.iter.args) > 1 else ast.Constant(0)
            if _name(loop.iter.func) == "range" and isinstance(first, ast.Constant):
                return bool(self.values.get(loop.target.id) == first.value)
        return None

    def bindings(self, name: str) -> Iterator[tuple[int, ast.expr]]:
        """The lines that give a value to the name, and what they give."""
        for node in ast.walk(self.tree):
            targets: list[ast.expr] = []
            if isinstance(node, ast.Assign):
                targets, source = node.targets, node.value
            elif isinstance(node, ast.AnnAssign | ast.NamedExpr) and node.value:
                targets, source = [node.target], node.value
            elif isinstance(node, ast.AugAssign):
                targets, source = [node.target], ast.BinOp(node.target, node.op, node.value)
            elif isinstance(node, ast.For | ast.comprehension):
                targets, source = [node.target], node.iter
            for target in targets:
                elements = target.elts if isinstance(target, ast.Tuple | ast.List) else [target]
                for number, each in enumerate(elements):
                    if isinstance(each, ast.Name) and each.id == name:
                        pair = isinstance(source, ast.Tuple) and len(source.elts) == len(elements) > 1
                        yield each.lineno, source.elts[number] if pair else source  # type: ignore[attr-defined]

    def is_off(self, line: int) -> bool:
        """Whether the line is in a block, or in a function, in which nothing is recorded."""
        blocks = [each for each in ast.walk(self.tree) if isinstance(each, ast.With)]
        around = [
            item.context_expr for each in blocks if each.lineno < line <= (each.end_lineno or 0) for item in each.items
        ]
        around += self.tree.decorator_list if isinstance(self.tree, ast.FunctionDef) else []
        words = " ".join(map(ast.unparse, around))
        return any(word in words for word in _OFF) and "enable_grad" not in words

    def is_given(self, name: str) -> bool:
        """Whether this is an argument of the call, or goes through the rows of one."""
        sources = [each for _, each in self.bindings(name)]
        return self.is_argument(name) or (
            bool(sources) and all(isinstance(each, ast.Name) and self.is_argument(each.id) for each in sources)
        )

    def is_parameter(self, name: str) -> bool:
        """Whether the student knows this argument of the call by this name."""
        return self.is_argument(name) and name in self.parameters

    def is_own(self, called: ast.expr) -> bool:
        """Whether this may be a function of the student's, which can use tensors that the line does not show."""
        if isinstance(called, ast.Attribute):
            base = self.values.get(_name(called.value)) if isinstance(called.value, ast.Name) else None
            return not (base is None or isinstance(base, ModuleType) or hasattr(base, "requires_grad"))
        name = _name(called)
        if self.is_given(name) or name not in self.values:
            return not (self.is_given(name) or hasattr(builtins, name))
        home = str(getattr(self.values[name], "__module__", ""))
        return home.partition(".")[0] not in ("builtins", "torch", "autograd_teach")

    def is_argument(self, name: str) -> bool:
        return any(self.values.get(name) is each for each in self.given)

    def is_bound_after(self, name: str, line: int) -> bool:
        """Whether a later line gives the name to another object; `w -= 1` does not."""
        return any(at > line and not _is_in_place(each) for at, each in self.bindings(name))

    def had_history(self, name: str, line: int) -> bool:
        """Whether a tensor with this name required grad in this line: the one that has it now, or the one that was given."""
        if self.needs(self.values.get(name)):
            return not self.is_bound_after(name, line)
        only_here = all(at == line for at, _ in self.bindings(name))
        return name in self.parameters and only_here and not self.is_given(name) and any(map(self.needs, self.given))

    def switched_on(self, name: str, line: int) -> int | None:
        """A later line that makes this tensor require grad."""
        for node in ast.walk(self.tree):
            is_flag = isinstance(node, ast.Attribute) and node.attr in ("requires_grad_", "requires_grad")
            if is_flag and _name(node.value) == name and node.lineno > line:  # type: ignore[attr-defined]  # an Attribute
                return node.lineno  # type: ignore[attr-defined]
        return None


def _is_in_place(source: ast.expr) -> bool:
    """Whether `bindings` made this of a line such as `w -= 1`."""
    return isinstance(source, ast.BinOp) and isinstance(getattr(source.left, "ctx", None), ast.Store)


def _covers(node: ast.stmt, line: int) -> bool:
    return node.lineno <= line <= (node.end_lineno or 0)


def _name(node: ast.AST) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def _creates_graph(call: ast.Call) -> bool:
    return any(each.arg == "create_graph" and _is_true(each.value) for each in call.keywords)


def _is_true(node: ast.expr) -> bool:
    return not isinstance(node, ast.Constant) or bool(node.value)


def _is_new_tensor(node: ast.expr) -> bool:
    """Whether this is `torch.tensor(...)`, which takes no history along, and does not ask for one of its own."""
    return (
        isinstance(node, ast.Call)
        and _name(node.func) == "tensor"
        and not any(each.arg in ("requires_grad", None) for each in node.keywords)
    )


def _is_loss(why: str) -> bool:
    """Whether a reason tells of a line that lost a history, not of something that never had one."""
    return any(words in why for words in ("computes a gradient without", "cuts the history off", "runs under"))


def _keeps(call: ast.Call) -> bool:
    """Whether the history stays: `x.float()` and `as_tensor` of a tensor give another tensor with it."""
    if _name(call.func) == "as_tensor":
        return not call.args or not isinstance(call.args[0], ast.List | ast.Tuple | ast.ListComp | ast.Constant)
    return _name(call.func) in ("float", "int") and isinstance(call.func, ast.Attribute)


def _is_size(node: ast.AST) -> bool:
    return _name(node.func if isinstance(node, ast.Call) else node) in _SIZES and not isinstance(node, ast.Name)


def _walk(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes of an expression, without what only gives a size."""
    if not _is_size(node):
        yield node
        for child in ast.iter_child_nodes(node):
            yield from _walk(child)


def _atoms(node: ast.AST) -> Iterator[ast.expr]:
    """The parts that a value is computed from: names, gradients, and whatever leaves a history behind."""
    if _is_size(node):
        return
    if isinstance(node, ast.Call):
        name = _name(node.func)
        if name == "grad" or name in _CUTS or name in _NEW and not _keeps(node):
            yield node
            return
        if isinstance(node.func, ast.Attribute):
            yield from _atoms(node.func.value)
        for each in (*node.args, *(keyword.value for keyword in node.keywords)):
            yield from _atoms(each)
    elif isinstance(node, ast.Name):
        yield node
    elif isinstance(node, ast.Attribute):
        if node.attr in ("grad", "data"):
            yield node
        else:
            yield from _atoms(node.value)
    else:
        for child in ast.iter_child_nodes(node):
            yield from _atoms(child)
