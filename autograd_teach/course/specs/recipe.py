"""The specification of a graph: the program of a `Recipe`, run on symbols that record the graph.

Must not use the engine: a specification counts nodes in this recording. A test compares the two graphs node by node.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..checks.spec import specified
from ..exercises.recipe import Recipe, named


class Step:
    """A node of the graph: its name, the nodes that it leads to (None without a gradient), and its name in a report."""

    def __init__(self, name: str, following: tuple["Step | None", ...], serial: int, result: str = "") -> None:
        self.name, self.following, self.serial, self.result = name, following, serial, result

    @property
    def label(self) -> str:
        """The name of the node and of its value, for example "AddBackward0 of b"."""
        return f"{self.name} of {self.result}" if self.result else self.name


class Symbol:
    """Stands for a tensor: only its node, or None if it does not need a gradient."""

    def __init__(self, step: Step | None, notes: list[Step]) -> None:
        self.step, self._notes = step, notes

    def _by(self, name: str, *operands: "Symbol | None") -> "Symbol":
        following = tuple(each.step if each is not None else None for each in operands)
        if not any(following):
            return Symbol(None, self._notes)
        step = Step(name, following, len(self._notes))
        self._notes.append(step)
        return Symbol(step, self._notes)

    def detach(self) -> "Symbol":
        return Symbol(None, self._notes)

    def unbind(self) -> tuple["Symbol", "Symbol"]:
        both = self._by("UnbindBackward0", self)
        return both, Symbol(both.step, self._notes)

    def __pow__(self, exponent: float) -> "Symbol":
        return self._by("PowBackward0", self)


def _pairwise(name: str) -> Callable[[Symbol, Any], Symbol]:
    return lambda self, other: self._by(name, self, other if isinstance(other, Symbol) else None)


def _alone(name: str) -> Callable[[Symbol], Symbol]:
    return lambda self: self._by(name, self)


_PAIRWISE = {
    "__add__": "Add",
    "__sub__": "Sub",
    "__mul__": "Mul",
    "__truediv__": "Div",
    "__matmul__": "Mv",
    "dot": "Dot",
}


_ALONE = {each: each.title() for each in ("abs", "exp", "log", "tanh", "sin", "sum", "mean")} | {
    "norm": "LinalgVectorNorm",
    "__neg__": "Neg",
}


for _method, _name in _PAIRWISE.items():
    setattr(Symbol, _method, _pairwise(f"{_name}Backward0"))


for _method, _name in _ALONE.items():
    setattr(Symbol, _method, _alone(f"{_name}Backward0"))


@dataclass(frozen=True)
class Graph:
    """A graph as the specification sees it. start: its first node; None if there is no graph."""

    start: Step | None

    @property
    def nodes(self) -> list[Step]:
        """Every reachable node, each after all nodes that lead to it: a result is made after its operands."""
        found: dict[Step, None] = {self.start: None} if self.start else {}
        for step in (waiting := list(found)):
            new = [each for each in step.following if each and each not in found]
            found |= dict.fromkeys(new)
            waiting += dict.fromkeys(new)
        return sorted(found, key=lambda step: -step.serial)

    @property
    def arrows(self) -> list[tuple[Step, Step]]:
        """Every pair of a node and one that it leads to; a double edge gives the pair twice."""
        return [(step, each) for step in self.nodes for each in step.following if each]


@specified.register
def graph_of(recipe: Recipe) -> Graph:
    """The graph that the program builds.

    >>> [step.label for step in graph_of(Recipe("b = a + a\\ny = b * b", {"a": 2.0})).nodes]
    ['MulBackward0 of y', 'AddBackward0 of b', 'AccumulateGrad of a']
    """
    notes: list[Step] = []
    for name in recipe.leaves:
        notes.append(Step("AccumulateGrad", (), len(notes), name))
    names: dict[str, Any] = {step.result: Symbol(step, notes) for step in notes}
    names |= {name: Symbol(None, notes) for name in recipe.data}
    exec(recipe.program, names)  # noqa: S102  # the course's own text
    for name, symbol in named(names):
        if isinstance(symbol, Symbol) and symbol.step and not symbol.step.result:
            symbol.step.result = name
    return Graph(names["y"].step)
