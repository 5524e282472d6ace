"""A graph as an argument: a short program that builds it, run on tensors for the student.

Must not import the engine. ../specs/recipe.py runs the same program on symbols that record the graph.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .declaration import Prepared

ONE_TENSOR = type("Tensor", (), {})()
"""Stands for a tensor returned instead of a collection. Its numbers would be mistaken for the entries of a list."""


@dataclass
class Built:
    """The graph that the student gets: the result `y`, and the names of leaves and nodes."""

    y: Any
    leaves: dict[str, Any]
    labels: dict[Any, str] = field(default_factory=dict)

    def in_words(self, answer: Any) -> Any:
        """A collection of leaves or nodes as the list of their names; anything else unchanged."""
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
    """A program that computes `y` from `leaves`, which require grad, and from `data`, which do not. Chains use lists.

    >>> print(Recipe("b = a + a\\ny = b * b", {"a": 2.0}).in_words("y"))
    the y of `b = a + a; y = b * b`
    """

    def __init__(self, program: str, leaves: dict[str, Any], data: dict[str, Any] | None = None) -> None:
        self.program, self.leaves, self.data = program, leaves, data or {}

    def for_student(self, torch: Any) -> Built:
        as_tensor = torch.tensor
        leaves = {n: as_tensor(np.asarray(v, np.float64), requires_grad=True) for n, v in self.leaves.items()}
        names = {**leaves, **{name: as_tensor(np.asarray(v, np.float64)) for name, v in self.data.items()}}
        exec(self.program, names)  # noqa: S102  # the course's own text
        built = Built(names["y"], leaves)
        for name, tensor in named(names):
            if getattr(tensor, "grad_fn", None) is not None:
                built.labels.setdefault(tensor.grad_fn, f"{tensor.grad_fn.name()} of {name}")
        return built

    def __repr__(self) -> str:
        return self.program

    def in_words(self, name: str) -> str:
        without = f", {' and '.join(self.data)} without grad" if self.data else ""
        lines = self.program.replace("\n  ", " ").replace("\n", "; ")
        return f"the {name} of `{lines}`{without}"


def named(names: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """Everything that the program named, with its name. An entry of a list is named `c[3]`."""
    for name, value in names.items():
        if isinstance(value, list):
            yield from ((f"{name}[{number}]", each) for number, each in enumerate(value))
        elif not name.startswith("__"):
            yield name, value
