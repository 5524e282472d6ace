"""A graph as an argument: a short program that builds it, run over tensors for the student, and for the specification over
symbols that take notes themselves.

Must not know the engine: what a specification says of a graph is counted on notes of its own. A test holds the two graphs
against each other, node for node.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .declaration import Prepared

ONE_TENSOR = type("Tensor", (), {})()
"""In place of a tensor where a collection is asked for: its numbers, taken for the entries of a list, would mislead."""


class Step:
    """A node of the way back: its name, where it leads (None for what has no gradient), and what it is called in a report."""

    def __init__(self, name: str, following: tuple["Step | None", ...], serial: int, result: str = "") -> None:
        self.name, self.following, self.serial, self.result = name, following, serial, result

    @property
    def label(self) -> str:
        """`"AddBackward0 of b"`: its name, and that of the value it belongs to."""
        return f"{self.name} of {self.result}" if self.result else self.name


class Symbol:
    """What stands for a tensor: nothing but its node, or None where it needs no gradient."""

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
    """The specification's view of a graph: the node where it begins, None where there is no graph."""

    start: Step | None

    @property
    def nodes(self) -> list[Step]:
        """Every node that can be reached, each after all that lead to it: a result is made after its operands."""
        found: dict[Step, None] = {self.start: None} if self.start else {}
        for step in (waiting := list(found)):
            new = [each for each in step.following if each and each not in found]
            found |= dict.fromkeys(new)
            waiting += dict.fromkeys(new)
        return sorted(found, key=lambda step: -step.serial)

    @property
    def arrows(self) -> list[tuple[Step, Step]]:
        """From a node to the one that it leads to; twice where it leads there twice."""
        return [(step, each) for step in self.nodes for each in step.following if each]


@dataclass
class Built:
    """The student's side: the result `y`, and what leaves and nodes are called."""

    y: Any
    leaves: dict[str, Any]
    labels: dict[Any, str] = field(default_factory=dict)

    def in_words(self, answer: Any) -> Any:
        """A collection of leaves or nodes as the list of their names; anything else as it is."""
        if hasattr(answer, "detach"):
            return ONE_TENSOR
        if isinstance(answer, str) or not hasattr(answer, "__iter__"):
            return answer
        return [self._word(each) for each in answer]

    def _word(self, thing: Any) -> str:
        for name, leaf in self.leaves.items():
            if thing is leaf:
                return name
            if getattr(thing, "variable", None) is leaf:
                return f"AccumulateGrad of {name}"
        if hasattr(thing, "next_functions"):
            return self.labels.get(thing, "a node of another graph")
        return f"the text {thing!r}" if isinstance(thing, str) else f"some {type(thing).__name__}"


class Recipe(Prepared):
    """A program that makes `y` of `leaves`, which require grad, and of `data`, which do not; lists are for chains.

    >>> graph = Recipe("b = a + a\\ny = b * b", {"a": 2.0}).for_specification()
    >>> [step.label for step in graph.nodes]
    ['MulBackward0 of y', 'AddBackward0 of b', 'AccumulateGrad of a']
    """

    def __init__(self, program: str, leaves: dict[str, Any], data: dict[str, Any] | None = None) -> None:
        self.program, self.leaves, self.data = program, leaves, data or {}

    def for_student(self, torch: Any) -> Built:
        as_tensor = torch.tensor
        leaves = {n: as_tensor(np.asarray(v, np.float64), requires_grad=True) for n, v in self.leaves.items()}
        names = {**leaves, **{name: as_tensor(np.asarray(v, np.float64)) for name, v in self.data.items()}}
        exec(self.program, names)  # noqa: S102  # the course's own text
        built = Built(names["y"], leaves)
        for name, tensor in _named(names):
            if getattr(tensor, "grad_fn", None) is not None:
                built.labels.setdefault(tensor.grad_fn, f"{tensor.grad_fn.name()} of {name}")
        return built

    def for_specification(self) -> Graph:
        notes: list[Step] = []
        for name in self.leaves:
            notes.append(Step("AccumulateGrad", (), len(notes), name))
        names: dict[str, Any] = {step.result: Symbol(step, notes) for step in notes}
        names |= {name: Symbol(None, notes) for name in self.data}
        exec(self.program, names)  # noqa: S102  # the course's own text
        for name, symbol in _named(names):
            if isinstance(symbol, Symbol) and symbol.step and not symbol.step.result:
                symbol.step.result = name
        return Graph(names["y"].step)

    def __repr__(self) -> str:
        return self.program

    def in_words(self, name: str) -> str:
        without = f", {' and '.join(self.data)} without grad" if self.data else ""
        lines = self.program.replace("\n  ", " ").replace("\n", "; ")
        return f"the {name} of `{lines}`{without}"


def _named(names: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """Everything that the program gave a name; what is in a list is called `c[3]`."""
    for name, value in names.items():
        if isinstance(value, list):
            yield from ((f"{name}[{number}]", each) for number, each in enumerate(value))
        elif not name.startswith("__"):
            yield name, value
