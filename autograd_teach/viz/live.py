"""`viz.live`: a function beside its graph, with sliders for the leaves; gradients follow.

A gradient predicts a change: if a leaf moves by h, the result moves by about gradient × h. Each
leaf shows the predicted change for one step (`promised`) and the real change (`really`). The real
change is computed by calling the function once more.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from autograd_teach.viz.code import code_of
from autograd_teach.viz.dot import Flow, Part, label, write
from autograd_teach.viz.facts import as_array, facts, first_line, in_words, is_tensor, number, printable
from autograd_teach.viz.naming import caller_tensors, given_names
from autograd_teach.viz.player import FLOW, PlayView
from autograd_teach.viz.recording import Recording, record
from autograd_teach.viz.running import Run, run
from autograd_teach.viz.snapshot import Node, Snapshot, take
from autograd_teach.viz.view import View, describe

MOST_ENTRIES = 8
"""A leaf with more entries does not get sliders."""


def live(
    f: Callable[..., Any], /, *, step: float = 0.1, names: Mapping[str, Any] | None = None, **values: Any
) -> LiveView:
    """Show the code of `f` and its graph with a slider in each leaf; values and gradients follow.

    f: function that returns a tensor with one element.
    step: the size of a test step. Each leaf shows the change of the result that its gradient predicts
    for this step, and the real change, from a second call of `f`: `+0.1: y about +0.6`, `really +0.61`.
    names: names for tensors, as in `viz.graph`.
    values: the arguments of `f`. A number, a list of numbers and a floating tensor become leaves. A
    leaf with at most 8 entries gets a field and a slider for each entry. Other values are passed
    unchanged.

    The leaves are tensors of the library of the given tensors. Without a given tensor, they belong
    to the library that the module of `f` calls `torch`, or else to this package.

    Returns a LiveView. `view.value(a=3.0)` moves leaves from code and returns the new result.
    `view.gradients` holds the gradients as arrays. An error in `f` becomes a sentence in the view.
    Raises ValueError if `step` is not a positive number, TypeError if `names` is not a dictionary.

    >>> import autograd_teach as torch
    >>> from autograd_teach import viz
    >>> def f(a, b):
    ...     return a * b + a ** 2
    >>> viz.live(f, a=2.0, b=-3.0)
    f(a=2, b=-3) = -2
    a = 2: gradient 1; a + 0.1: the result changes by about 0.1, really 0.11
    b = -3: gradient 2; b + 0.1: the result changes by about 0.2, really 0.2
    """
    if not isinstance(step, (int, float)) or not step > 0 or not math.isfinite(step):
        raise ValueError(f"step must be a positive number, not {step!r}")
    return LiveView(f, values, float(step), given_names(names or {}), caller_tensors(sys._getframe(1)))


@dataclass(frozen=True)
class Promise:
    """The change of the result for a step of one entry: predicted by its gradient, and real."""

    leaf: str
    """The name of the leaf."""
    entry: str
    """The entry as code: `a`, `w[0]`."""
    value: float
    gradient: float
    promised: float
    """gradient × step."""
    really: float
    """The change that a second call of the function finds; NaN if that call fails."""


class LiveView(View):
    """A function, its graph for the current values, and the arithmetic of both passes."""

    kind = "live"

    def __init__(
        self,
        f: Callable[..., Any],
        values: Mapping[str, Any],
        step: float,
        known: list[tuple[str, Any]],
        around: list[tuple[str, Any]],
    ) -> None:
        self.f, self.values, self.step = f, dict(values), step
        self._known, self._around = known, around
        self._widget: Any = None
        self.trouble = ""
        """Why the call with the current values failed; empty if it succeeded."""
        self.result: float | None = None
        """The result of the last successful call."""
        self._gradients: dict[str, np.ndarray[Any, Any]] = {}
        self._promises: list[Promise] = []
        self._movable: dict[str, str] = {}
        """For each node of a leaf made from an argument: the name of the argument."""
        self._answers = 0
        self._compute()

    @property
    def snapshot(self) -> Snapshot:  # type: ignore[override]  # replaced after each change
        """The current graph, and beside it the leaves with sliders that the result does not depend on."""
        return self._shown

    @property
    def gradients(self) -> dict[str, np.ndarray[Any, Any]]:
        """The gradient of each leaf as an array of its shape.

        Zeros if the result does not depend on the leaf.
        """
        return dict(self._gradients)

    @property
    def promises(self) -> list[Promise]:
        """For each entry with a slider: the predicted and the real change for one step."""
        return list(self._promises)

    def value(self, **changed: Any) -> float | None:
        """Move leaves, draw again, and return the new result (None if `f` raised an error).

        Raises TypeError if `f` was not given an argument with one of these names.
        """
        unknown = [name for name in changed if name not in self.values]
        if unknown:
            raise TypeError(f"there is no argument {', '.join(unknown)}; there are {', '.join(self.values) or 'none'}")
        self.values |= changed
        self._compute()
        self._show_again()
        return None if self.trouble else self.result

    def _compute(self) -> None:
        """Compute everything that depends on the values.

        If that fails, the picture does not change; if there is no picture yet, the view shows a
        sentence.
        """
        self._call()
        if self.result is None:
            self._played = PlayView(Recording(Snapshot(notes=[self.trouble])))
            self._shown = self._played.snapshot

    def _call(self) -> None:
        """Call the function, run the backward pass, and try one step of each entry."""
        if not callable(self.f):
            instead = ", or viz.play(loss) for the backward pass of a tensor" * is_tensor(self.f)
            self.trouble = f"viz.live needs a function, not {in_words(self.f)}: write viz.live(f, a=2.0){instead}."
            return
        try:
            made = run(self.f, self.values)
        except Exception as error:  # noqa: BLE001  any error of a reader's function
            told = printable(first_line(error))
            self.trouble = f"{self.call} stops with {type(error).__name__}{': ' * bool(told)}{told}"
            return
        if not is_tensor(made.result):
            self.trouble = f"{self.call} does not return a tensor: return the result that you want to differentiate."
            return
        played = PlayView(record(made.result, None, take([made.result], [*self._known, *made.names, *self._around])))
        found = as_array(made.result)
        if not played.steps or found is None or found.size != 1:
            self.trouble = " ".join(played.snapshot.notes)
            return
        self.trouble, self._run, self._played, self.result = "", made, played, float(found.reshape(()))
        self._gradients, self._promises = {}, []
        self._try_steps(made)
        self._show_leaves(made)

    def _try_steps(self, made: Run) -> None:
        arrived = self._played.recording.arrived
        ids = {id(tensor): node for node, tensor in self._played.recording.leaves.items()}
        for name, leaf in made.leaves.items():
            array = np.array(as_array(leaf), np.float64)
            gradient = arrived.get(ids.get(id(leaf), ""))
            slopes = np.zeros(array.shape) if gradient is None else np.array(gradient, np.float64)
            self._gradients[name] = slopes
            if array.size > MOST_ENTRIES:
                continue
            for place in np.ndindex(array.shape):
                entry = f"{name}[{', '.join(map(str, place))}]" if place else name
                slope = float(slopes[place])
                really = self._moved(name, leaf, array, place)
                self._promises.append(Promise(name, entry, float(array[place]), slope, slope * self.step, really))

    def _show_leaves(self, made: Run) -> None:
        """Find the nodes of the leaves; a leaf that can be moved but is not in the graph gets its own."""
        names = {id(leaf): name for name, leaf in made.leaves.items()}
        leaves = self._played.recording.leaves
        self._movable = {node: names[id(leaf)] for node, leaf in leaves.items() if id(leaf) in names}
        nodes = list(self._played.snapshot.nodes)
        for name in dict.fromkeys(one.leaf for one in self._promises):
            if name not in self._movable.values():
                shape, told = tuple(made.leaves[name].shape), facts(made.leaves[name])
                apart = Node(f"n{len(nodes)}", "leaf", "leaf", name, shape, value=told, grad_text="0", title=name)
                nodes.append(replace(apart, lines=["not in this graph"]))
                self._movable[apart.id] = name
        self._shown = replace(self._played.snapshot, nodes=nodes)

    def _moved(self, name: str, leaf: Any, array: np.ndarray[Any, Any], place: tuple[int, ...]) -> float:
        """The change of the result if one entry moves by one step.

        NaN if the function fails there.
        """
        moved = array.copy()
        moved[place] += self.step
        try:
            tensor = self._run.library.tensor(moved.tolist(), dtype=leaf.dtype, requires_grad=True)
            found = as_array(self.f(**{**self.values, **self._run.leaves, name: tensor}))
        except Exception:  # noqa: BLE001  as above
            return math.nan
        return math.nan if found is None or self.result is None else float(found.reshape(-1)[0]) - self.result

    @property
    def call(self) -> str:
        """The current call as code: `f(a=2, b=-3)`."""
        name = getattr(self.f, "__name__", type(self.f).__name__)
        name = "f" if name == "<lambda>" else name
        return printable(f"{name}({', '.join(f'{key}={_told(value)}' for key, value in self.values.items())})")

    @property
    def text(self) -> str:
        """The call and its result, then a line for each entry of each leaf."""
        if self.trouble or self.result is None:
            return self.trouble
        lines = [f"{self.call} = {number(self.result)}", *self.snapshot.notes]
        for one in self._promises:
            lines.append(
                f"{one.entry} = {number(one.value)}: gradient {number(one.gradient)}; {one.entry} + {number(self.step)}: "
                f"the result changes by about {_rounded(one.promised)}, really {_rounded(one.really)}"
            )
        return "\n".join(lines)

    @property
    def title(self) -> str:
        """Alternative text: one sentence that says what the picture shows."""
        if self.trouble:
            return f"{self.trouble.rstrip('.')}. {self._played.title}" if self.snapshot.nodes else self.trouble
        result = "" if self.result is None else f" = {number(self.result)}"
        return f"{self.call}{result}. {self._played.title}"

    def _write(self) -> str:
        return write(self.snapshot, self._parts(), self._flows(), roomy=True)

    def _parts(self) -> dict[str, Part]:
        parts = self._played.parts() if self._played.steps else {}
        parts |= {node: Part(0, 0, grad_after="0") for node in self._movable if node not in parts}
        found = {}
        for node, part in parts.items():
            name = self._movable.get(node)
            own = [one for one in self._promises if one.leaf == name]
            if not own:
                found[node] = replace(part, step=0)
                continue
            entries = tuple(f"{one.entry[len(one.leaf) :]} = {number(one.value)}".strip() for one in own)
            found[node] = replace(part, step=0, controls=entries, end="\n".join(self._promise_lines(own)))
        return found

    def _promise_lines(self, own: Sequence[Promise]) -> list[str]:
        """Two lines for a single number, one line each for several entries."""
        if len(own) == 1:
            output = self.snapshot.node(self.snapshot.outputs[0]).variable
            moves = f"+{number(self.step)}: {'result' if output == 'output' else output} about"
            return [f"{moves} {_signed(own[0].promised)}", f"really {_signed(own[0].really)}"]
        return [
            f"{one.entry} +{number(self.step)}: {_signed(one.promised)}, really {_signed(one.really)}" for one in own
        ]

    def _flows(self) -> dict[str, Flow]:
        # Always on one line: the picture must keep its shape while the numbers change.
        flows = self._played.flows() if self._played.steps else {}
        return {edge: replace(flow, lines=(" ".join(flow.lines),)) for edge, flow in flows.items()}

    def _legend(self) -> list[list[str]]:
        return [*super()._legend(), FLOW]

    def _rows(self, node: Node) -> list[list[str]]:
        return self._played.told(node)

    def _described(self, node: Node) -> str:
        return describe(node, self._rows(node))

    def _more(self) -> dict[str, Any]:
        if self.result is None:
            return {}
        movable, values = self._movable, self._leaf_values()
        used = {movable[node.id] for node in self._played.snapshot.nodes if node.id in movable}
        return {
            "step": self.step,
            "leaves": {node: {"name": movable[node], "values": held} for node, held in values.items() if held},
            "unused": [name for name in self._run.leaves if name not in used],
            "numbers": self._numbers(),
            **({"code": vars(found)} if (found := code_of(self.snapshot)) else {}),
        }

    def _numbers(self) -> dict[str, Any]:
        """Everything that changes when a leaf moves and the graph keeps its shape."""
        parts, flows = self._parts(), self._flows()
        return {
            "nodes": {n.id: label(n, parts.get(n.id)).split("\n") for n in self.snapshot.nodes if n.kind != "constant"},
            "edges": {edge: [flow.lines[0], flow.thickness] for edge, flow in flows.items()},
            "rows": {n.id: self._rows(n) for n in self.snapshot.nodes},
            "caption": self.trouble or f"{self.call} = {number(self.result)}",
            "trouble": bool(self.trouble),
            "values": self._leaf_values(),
        }

    def _leaf_values(self) -> dict[str, list[float]]:
        """The number in each control; after a call that failed, the number that was tried."""
        found = {}
        for node, name in self._movable.items():
            found[node] = [one.value for one in self._promises if one.leaf == name]
            given = self.values[name]
            array = as_array(given) if is_tensor(given) else np.asarray(given)
            tried = array.ravel().tolist() if self.trouble and array is not None else []
            if len(tried) == len(found[node]):
                found[node] = [float(value) for value in tried]
        return found

    def _shape(self, numbers: dict[str, Any]) -> Any:
        """The picture is kept while this is the same: nodes, edges, and their numbers of lines."""
        lines = {node: len(found) for node, found in numbers.get("nodes", {}).items()}
        return [(n.id, n.name, n.kind) for n in self.snapshot.nodes], self.snapshot.edges, lines, self.snapshot.notes

    @cached_property
    def widget(self) -> Any:
        """The interactive form, an anywidget. Raises ImportError if anywidget is not installed."""
        self._drawn = self._shape(self._numbers() if self.result is not None else {})
        self._widget = super().widget
        return self._widget

    def _show_again(self) -> None:
        """Put new numbers into the picture.

        Draw a new picture only if the graph has another shape.
        """
        for stale in ("dot", "svg"):
            self.__dict__.pop(stale, None)
        if self._widget is None:
            return
        numbers = self._numbers() if self.result is not None else {}
        shape = self._shape(numbers)
        if shape == self._drawn and self.result is not None:
            # A counter makes each answer different: equal values would not be sent, and the browser
            # would wait.
            self._answers += 1
            self._widget.numbers = {**numbers, "answer": self._answers}
            return
        self._drawn = shape
        self._widget.numbers = {}
        self._renew(self._widget)

    def _heard(self, message: Any) -> None:
        """Handle a browser's message: `{"type": "move", "values": {"a": [2.0]}, "step": 0.1}`."""
        if not isinstance(message, dict) or message.get("type") != "move":
            return
        step = message.get("step")
        if isinstance(step, (int, float)) and step > 0 and math.isfinite(step):
            self.step = float(step)
        for name, entries in dict(message.get("values") or {}).items():
            if name in self.values and all(isinstance(v, (int, float)) for v in entries):
                self.values[name] = self._like(name, entries)
        self._compute()
        self._show_again()

    def _like(self, name: str, entries: Sequence[float]) -> Any:
        """New numbers for an argument, in the type of the given value."""
        given = self.values[name]
        if isinstance(given, (int, float)):
            return float(entries[0])
        shape = tuple(given.shape) if is_tensor(given) else np.shape(given)
        array = np.asarray(entries, np.float64).reshape(shape)
        if is_tensor(given):
            return self._run.library.tensor(array.tolist(), dtype=given.dtype, requires_grad=True)
        return array.tolist()


def _told(value: Any) -> str:
    if is_tensor(value):
        array = as_array(value)
        return "a tensor" if array is None or array.size > MOST_ENTRIES else _told(array.tolist())
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return number(value)
    if isinstance(value, (list, tuple)) and len(value) <= MOST_ENTRIES:
        return f"[{', '.join(map(_told, value))}]"
    return getattr(value, "__name__", type(value).__name__)


def _rounded(value: float) -> str:
    """Three digits: the last digits of a difference of two float32 results are noise."""
    return number(float(f"{value:.3g}"))


def _signed(value: float) -> str:
    return ("+" if value >= 0 else "") + _rounded(value)
