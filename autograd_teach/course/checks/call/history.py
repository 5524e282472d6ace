"""Why a student's line raised that something does not require grad: the first line that lost the history.

The reader of `viz.why` follows the tensors through the student's source. Says nothing that is not known from it and from
the values that the names had when the error was raised. Runs in the process of the student's code.
"""

import ast
import linecache
import re
from collections.abc import Callable, Iterable, Iterator
from types import FrameType
from typing import Any

NO_HISTORY = "does not require grad and does not have a grad_fn"
NO_LEAF = "One of the differentiated Tensors does not require grad"

_FLAGS = ("detach_", "requires_grad_", "requires_grad")
_NUMBERS = "cuts the history off: `{what}` passes on the numbers alone"
_ALTHOUGH = "gives a result without a history, although `{leaf}` requires grad"
_WORDS = {
    **dict.fromkeys(("detach", "number", "numpy", "new leaf"), _NUMBERS),
    **dict.fromkeys(("integers", "cut"), _ALTHOUGH),
    "no_grad": "runs under `{what}`, and nothing is recorded there",
    "late": "uses it before line {late} makes it require grad",
    "create_graph": "uses a `.grad`, which has a history only after `backward(create_graph=True)`",
    "a gradient": "computes a gradient without `create_graph=True`, so the gradient has no history",
    "grad()": "computes a gradient that does not depend on a tensor that requires grad",
    "grad": "uses a `.grad` that does not depend on a tensor that requires grad",
}
"""What a line does, by the kind of its cut or by what is cut."""


def reason(error: BaseException, own: Callable[[str], bool], given: list[Any], needs: Callable[[Any], bool]) -> str:
    """Why `error` was raised, in words; "" if the source does not show it.

    own: whether a file is the student's. given: the arguments of the call. needs: whether something is a tensor that
    requires grad.
    """
    try:
        is_none = "NoneType" in str(error)
        if not is_none and NO_HISTORY not in str(error) and NO_LEAF not in str(error):
            return ""
        places, trace = [], error.__traceback__
        while trace:
            places += [(trace.tb_frame, trace.tb_lineno)] * own(trace.tb_frame.f_code.co_filename)
            trace = trace.tb_next
        # In Python 3.11 a comprehension has a frame of its own.
        frames = [frame for frame, _ in places if not re.fullmatch("<.*(comp|expr)>", frame.f_code.co_name)]
        if is_none:
            return none_of_grad(*places[-1])
        told = _Told(frames[-1], places[-1][1], given if frames[-1] is frames[0] else [], given, needs)
        return next(filter(None, map(told.of, told.differentiated(str(error)))), "")
    except Exception:  # noqa: BLE001  # whatever a student's object raises
        return ""


def none_of_grad(frame: FrameType, line: int) -> str:
    """Which `.grad` in the line that raised is None, in words; "" if none is."""
    source = linecache.getline(frame.f_code.co_filename, line)
    for name in re.findall(r"([A-Za-z_][\w.]*(?:\[\w+\])?)\.grad\b(?!\s*\()", source):
        thing = eval(name, frame.f_globals, frame.f_locals)  # a name of theirs, in their process
        if thing.grad is None:
            why = "and None is not a number: let it begin as 0.0, or let the first gradient replace the None"
            if hasattr(thing, "requires_grad"):
                only = "only a leaf that requires grad gets one, and only after backward has run"
                return f"the .grad of `{name}` is None: {only}; the result of a recorded operation is not a leaf"
            return f"the .grad of `{name}` is None, {why}"
    return ""


class _Told:
    """The function in which the error was raised."""

    def __init__(
        self, frame: FrameType, line: int, first: list[Any], given: list[Any], needs: Callable[[Any], bool]
    ) -> None:
        from ....viz import why_code, why_source

        self.code, self.file, self.line, self.needs = why_code, frame.f_code.co_filename, line, needs
        self.nodes = [node for part in why_code.blocks_of(frame)[-1].statements for node in ast.walk(part)]
        names = [node for node in self.nodes if isinstance(node, ast.Name)]
        used, made = {each.id for each in names}, {each.id for each in names if isinstance(each.ctx, ast.Store)}
        self.values = {name: each for name, each in frame.f_globals.items() if name in used} | frame.f_locals
        self.given = [each for each in given if why_code.is_tensor(each)]
        held = dict(zip(frame.f_code.co_varnames[: frame.f_code.co_argcount], first, strict=False))
        # What the parameters held at first, if the arguments are theirs.
        self.held = held if all(name in made or self.values.get(name) is each for name, each in held.items()) else {}
        flags = [node for node in self.nodes if isinstance(node, ast.Attribute) and node.attr in _FLAGS]
        flags = [node for node in flags if node.attr[-1] == "_" or isinstance(node.ctx, ast.Store)]
        self.flagged = {ast.unparse(node.value) for node in flags}
        self.read = lambda asked, tensor: why_source.read(frame, asked, tensor, held=self.held)

    def differentiated(self, message: str) -> Iterator[ast.expr]:
        """What the line differentiates, or what it differentiates with respect to, if the error is about that."""
        leaves, number = NO_LEAF in message, re.search(r"element (\d+)", message)
        for node in self.nodes:
            if isinstance(node, ast.Call) and node.lineno <= self.line <= (node.end_lineno or 0):
                name, of = self.code.called_name(node), getattr(node.func, "value", None)
                is_function = name == "grad" or self.code.called_name(of) == "autograd"
                if name == "backward" and of is not None and not is_function and not leaves:
                    yield of
                keywords = ("inputs",) if leaves else ("outputs", "tensors")
                named = [each.value for each in node.keywords if each.arg in keywords]
                for each in (*node.args[leaves : leaves + 1], *named) if is_function else ():
                    several = getattr(each, "elts", None)
                    yield from [each] if several is None else several[int(number[1]) :][:1] if number else several

    def of(self, asked: ast.expr) -> str:
        """Why this has no history; "" if that is not known."""
        text, names = ast.unparse(asked), _names(asked)
        tensors = [name for name in names if self.code.is_tensor(self.values.get(name))]
        if self.needs(self.values.get(text)):
            return ""
        if len(tensors) == 1 and any(self.values[tensors[0]] is each for each in self.given if not self.needs(each)):
            if tensors[0] not in self.held:
                return _told(text, tensors)
            if tensors[0] == text and text not in self.flagged:
                return _told(text, [], "it was given like that")
        things = [*self.given, *self.values.values()]
        things += [part for each in things if isinstance(each, list | tuple | dict) for part in self.code.members(each)]
        leaves = {id(each): each for each in things if self.needs(each)}.values()
        found = [(leaf, reading) for leaf, reading in self.readings(asked, [*leaves, *self.gone()]) if reading.flow]
        if not found:
            return self.never(asked, text)
        if not all(reading.flow.cut for _, reading in found):
            return ""
        found.sort(key=lambda each: (each[1].flow.cut.kind == "cut", not getattr(each[0], "is_leaf", True)))
        leaf, reading = found[0]
        cut, name = reading.flow.cut, next((name for name, each in self.values.items() if each is leaf), "")
        line, what = cut.used or cut.line, cut.what.removeprefix(".").removesuffix("()")
        kind = what if what == "a gradient" else cut.kind
        if kind == "cut":
            grads = [each for each in ast.walk(self.statement(line)) if self.code.called_name(each) == "grad"]
            kind = "grad()" if any(isinstance(each, ast.Call) for each in grads) else "grad" if grads else kind
        is_whole = not name or self.needs(self.values.get(cut.what))  # or it is not known
        if kind not in _WORDS or (_WORDS[kind] == _ALTHOUGH and is_whole):
            return ""
        why = f"{self.here(line, cut.file)} {_WORDS[kind].format(what=what, late=cut.line, leaf=name)}"
        return _told(text, [name] if kind == "late" else self.made(reading, line), why, kind == "late")

    def never(self, asked: ast.expr, text: str) -> str:
        """The first line that uses the arguments of the call, if nothing on it requires grad."""
        found = self.readings(asked, self.given)
        lines = {id(each): (reading.flow.cut or self).line for each, reading in found if reading.flow}
        first = found[0][1]
        places = [one.place.line for one in first.assigned + first.later if one.name in _names(asked)]
        line = min(lines.values(), default=[*places, self.line][0])
        made = self.made(first, line)
        node = self.statement(line) if made else asked
        again = any(one.name in made and one.place.line != line for one in first.assigned + first.later)
        others = any(self.needs(self.values.get(name)) for name in _names(node)) or self.flagged & {*self.held}
        if again or others or any(reading.others or not reading.complete for _, reading in found):
            return ""
        came = [f"`{name}`" for name, each in self.held.items() if name in _names(node) and lines.get(id(each)) == line]
        is_new = not lines and self.code.called_name(getattr(node, "value", node)) == "tensor"
        if not (made or came or is_new):
            return ""
        words = "uses no tensor that requires grad"
        if came:
            words += f": {', '.join(came)} {'was' if len(came) == 1 else 'were'} given without it"
        elif is_new:
            words = "makes a new tensor from plain numbers, which have no history"
        return _told(text, made, f"{self.here(line, self.file)} {words}")

    # Helpers

    def readings(self, asked: ast.expr, tensors: Iterable[Any]) -> list[tuple[Any, Any]]:
        """How it depends on each of the tensors; an error if that is not certain."""
        readings = [(each, self.read(asked, each)) for each in tensors]
        if not all(each.known and not (each.flow and (each.flow.perhaps or each.flow.unsure)) for _, each in readings):
            raise LookupError
        return readings

    def gone(self) -> list[ast.Assign]:
        """What made a leaf whose name has been given to a tensor without history."""
        made = {ast.unparse(node.targets[0]): node for node in reversed(self.nodes) if isinstance(node, ast.Assign)}
        lost = [(name, node) for name, node in made.items() if self.is_without(name)]
        is_leaf = re.compile(r"requires_grad(_\(\)|=True\))$").search
        return [node for name, node in lost if name in self.flagged or is_leaf(ast.unparse(node.value))]

    def made(self, reading: Any, line: int) -> list[str]:
        """The variables without history that a line has assigned."""
        made = [one.name for one in reading.assigned + reading.later if one.place.line == line]
        return list(filter(self.is_without, made))

    def is_without(self, name: str) -> bool:
        return self.code.is_tensor(self.values.get(name)) and not self.needs(self.values[name])

    def here(self, line: int, file: str) -> str:
        is_there = (line, file) == (self.line, self.file)
        return "that line" if is_there else f"line {line}, `{linecache.getline(file, line).strip()}`,"

    def statement(self, line: int) -> ast.AST:
        """The innermost statement of a line."""
        found = [node for node in self.nodes if isinstance(node, ast.stmt) and node.lineno <= line]
        return max((node for node in found if line <= (node.end_lineno or 0)), key=lambda node: node.lineno)


def _told(text: str, names: list[str], why: str = "", was: bool = False) -> str:
    nor = f", nor {'did' if was else 'does'} `{names[0]}`" if names and text not in names else ""
    return f"`{text}` does not require grad{nor}{f': {why}' if why else ''}"


def _names(node: ast.AST) -> list[str]:
    """The names that are read there."""
    names = [each for each in ast.walk(node) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Load)]
    return list(dict.fromkeys(each.id for each in names))
