"""Exercise of notebook 16: Tape, the student's own engine for single numbers."""

import contextlib
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np

from ..chains import letting_go
from .declaration import CallForm, Exercise, Prepared

NOTEBOOK = "16_build_your_own"


class Computation(Prepared):
    """A program for the student's class, and the names of the results on which `backward` is then called.

    about: the case that the program tests.

    >>> print(Computation("y = a * a", {"a": 2.0}))
    a = Tape(2)
    y = a * a
    y.backward()
    """

    def __init__(
        self, program: str, values: dict[str, float], backward: tuple[str, ...] = ("y",), about: str = ""
    ) -> None:
        self.program, self.values, self.backward, self.about = program, values, backward, about

    def for_student(self, torch: Any) -> "Computation":
        return self

    def run(self, kind: Any) -> dict[str, Any]:
        """Run the program with the class `kind`. Returns the value of each result and the gradient of each leaf."""
        leaves = {name: kind(value) for name, value in self.values.items()}
        names = dict(leaves)
        with letting_go(names), usual_depth(kind):
            return self._measured(names, leaves)

    def _measured(self, names: dict[str, Any], leaves: dict[str, Any]) -> dict[str, Any]:
        _run(self.program, names)
        for name in self.backward:
            names[name].backward()
        values = {f"{name}.value": _as_number(names[name].value) for name in dict.fromkeys(self.backward)}
        return values | {f"{name}.grad": _as_number(leaf.grad) for name, leaf in leaves.items()}

    def __repr__(self) -> str:
        leaves = (f"{name} = Tape({value:g})" for name, value in self.values.items())
        return "\n".join([*leaves, self.program, *(f"{name}.backward()" for name in self.backward)])

    def in_words(self, name: str) -> str:
        leaves = "; ".join(f"{name} = Tape({value:g})" for name, value in self.values.items())
        lines = self.program.replace("\n  ", " ").replace("\nfor", "`, then `for").replace("\n", "; ")
        return f"`{leaves}; {lines}`, then `{'; '.join(f'{name}.backward()' for name in self.backward)}`"


USUAL_DEPTH = 3000
"""The limit of nested calls in JupyterLab. Outside of it, Python's is lower."""


@contextlib.contextmanager
def usual_depth(kind: Any) -> Iterator[None]:
    """Context manager that keeps the usual limit of nested calls, even if the answer's class `kind` raises it.

    Beyond it, a deep recursion through C code would overflow the stack and end the kernel.
    """
    raised, change = sys.getrecursionlimit(), sys.setrecursionlimit
    own = getattr(getattr(kind, "backward", None), "__globals__", {})
    found = [(vars(sys), "setrecursionlimit"), *((own, name) for name, each in own.items() if each is change)]
    try:
        for names, name in found:
            names[name] = lambda limit: None
        change(min(raised, USUAL_DEPTH))
        yield
    finally:
        for names, name in found:
            names[name] = change
        change(raised)


def _as_number(value: Any) -> Any:
    """`value` as a float if it is a single number; 0 for a gradient that is None; else `value` itself."""
    if value is None:
        return 0.0
    array = np.asarray(value.detach().numpy() if hasattr(value, "detach") else value)
    return float(array.reshape(())) if array.size == 1 and array.dtype.kind in "fiu" else value


def _results(program: str, leaves: dict[str, Any]) -> dict[str, Any]:
    names = dict(leaves)
    _run(program, names)
    return names


def _run(program: str, names: dict[str, Any]) -> None:
    exec(program, names)  # noqa: S102  # the course's own text


EXERCISES = (
    Exercise(
        notebook=NOTEBOOK,
        entry="Tape",
        points=3,
        title="An engine of your own",
        form=CallForm(
            ("computation",),
            call=lambda torch, answer, computation: computation.run(answer),
            kind="engine",
            promise="every value and every gradient agrees with the measured one",
        ),
        hints=(
            (
                "A result must know from which numbers it was computed, and its local slope with "
                "respect to each of them. Two slopes are enough for every operator: which are they "
                "for a product? For a quotient?"
            ),
            (
                "For `3 + b` Python calls `b.__radd__(3)`. `__rsub__`, `__rmul__`, `__rtruediv__` "
                "and `__rpow__` work in the same way, and `-a` is `__neg__`. Few of them need "
                "slopes of their own: a - b is a + (-1) * b."
            ),
            (
                "backward has two loops. The first finds every number that takes part and counts "
                "how often each is used. The second passes gradients on, from numbers that have "
                "received all of theirs. Keep gradients on their way in a dict of this call, and "
                "add only complete ones to `.grad`. Then a second call starts afresh."
            ),
        ),
    ),
)
