"""`viz.play`: step through a forward and a backward pass, with the arithmetic of every step.

The widget goes through the steps. The static picture shows the end of the pass, with all numbers.
"""

from __future__ import annotations

import math
import sys
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

from autograd_teach.viz import text
from autograd_teach.viz.code import code_of
from autograd_teach.viz.dot import Flow, Part, clip, grad_line, value_line, write
from autograd_teach.viz.facts import first_line, printable
from autograd_teach.viz.heat import heat
from autograd_teach.viz.naming import caller_tensors, given_names
from autograd_teach.viz.recording import NOTHING, Recording, Sent, Step, grad_of, record
from autograd_teach.viz.running import run
from autograd_teach.viz.snapshot import Node, Snapshot, take
from autograd_teach.viz.view import View, describe, rows

_WIDEST_AT_AN_EDGE, _SHORT_CAPTION, _LONGEST_SENDING = 22, 60, 110
FLOW = ["flow", "came in × local slope = sent on; the thicker, the larger the gradient (dotted: zero)"]
"""The legend of an edge."""
_THINNEST, _THICKEST, _DECADES = 1.0, 5.5, 3.0


def play(output: Any, gradient: Any = None, *, names: Mapping[str, Any] | None = None, **values: Any) -> PlayView:
    """Step through the backward pass: which node runs, why now, and how each number comes about.

    Each edge shows the chain rule: the gradient that came in × the local slope = the gradient sent
    on. If several gradients meet, their sum is shown. The slopes are computed by the nodes
    themselves, so they are right for every operation, including your own Functions.

    output: one of these:

    - a tensor: its backward pass
    - a tensor computed in `with viz.watch():`: also the forward pass, with intermediate values
      and the lines of code that made them
    - a function: it is called with `values` and recorded, so the forward pass is played as well
    - a list of tensors, for example two losses: one pass from all of them

    gradient: the gradient to start from, of the shape of `output`, as for `backward`; needed only
    if `output` has more than one element. For a list of outputs, a list.
    names: names for tensors, as in `viz.graph`.
    values: the arguments of the function; numbers become leaves.

    Returns a PlayView; `view.steps` holds the steps as data. The pass runs once to record it. It
    does not change any `.grad` and does not free the graph, so you can still call `backward`. If
    the pass cannot be played, the view says why in a sentence. Raises TypeError if `values` are
    given without a function.

    What a hook changed is shown where it changed it. Hooks of a leaf's AccumulateGrad node, and hooks
    that run when `.grad` is written, run only in `backward`: the recording does not contain them.

    It also works for an engine of your own if its nodes have `register_hook` as in PyTorch: it
    plays `output.backward(gradient)`.

    >>> import autograd_teach as torch
    >>> from autograd_teach import viz
    >>> a, b = torch.tensor(2.0, requires_grad=True), torch.tensor(-3.0, requires_grad=True)
    >>> for step in viz.play(a * b).steps:
    ...     print(step.runs, [sent.told for sent in step.goes_out])
    MulBackward0 ['1 × -3 = -3', '1 × 2 = 2']
    AccumulateGrad of a []
    AccumulateGrad of b []
    """
    known = given_names(names or {})
    around = caller_tensors(sys._getframe(1))
    if not callable(output):
        if values:
            raise TypeError(
                f"arguments ({', '.join(values)}) need a function: write viz.play(f, {next(iter(values))}=...)"
            )
        return PlayView(record(output, gradient, take([output], known + around)))
    return play_function(output, gradient, values, known, around)


def play_function(
    f: Callable[..., Any],
    gradient: Any,
    values: Mapping[str, Any],
    known: list[tuple[str, Any]],
    around: list[tuple[str, Any]],
) -> PlayView:
    """The view of a call of `f`; an error in `f` becomes a sentence."""
    try:
        made = run(f, values)
    except Exception as error:  # noqa: BLE001  any error of a reader's function
        told = printable(first_line(error))
        call = printable(getattr(f, "__name__", "the function"))
        return PlayView(
            Recording(Snapshot(notes=[f"{call} stops with {type(error).__name__}{': ' * bool(told)}{told}"]))
        )
    return PlayView(record(made.result, gradient, take([made.result], [*known, *made.names, *around])))


class PlayView(View):
    """A forward and a backward pass, step by step."""

    kind = "play"

    def __init__(self, recording: Recording) -> None:
        super().__init__(recording.snapshot)
        self.recording = recording

    @property
    def steps(self) -> list[Step]:
        """The steps of the backward pass, in the order in which the engine ran them."""
        return self.recording.steps

    @property
    def text(self) -> str:
        """The steps as a table."""
        return text.table(self.recording)

    def _write(self) -> str:
        return write(self.snapshot, self.parts(), self.flows())

    def told(self, node: Node) -> list[list[str]]:
        """The details of a node, as pairs of a heading and a text."""
        return self._rows(node)

    def _rows(self, node: Node) -> list[list[str]]:
        # A leaf's gradient changes while the pass is played, so two rows show it: now and at the
        # end.
        after = {step.node: step.after for step in self.steps}.get(node.id)
        found = [row for row in rows(node, self.snapshot.show_saved, self.snapshot.names) if row[0] != "gradient"]
        if node.kind == "operation" and after is not None:
            return found
        if node.kind != "leaf" or after is None:
            return super()._rows(node)
        now = node.grad.text or str(node.grad) if node.grad is not None else node.grad_text
        return [*found, ["grad now", now], ["grad at the end", after]]

    def _described(self, node: Node) -> str:
        return describe(node, self._rows(node))

    def _legend(self) -> list[list[str]]:
        return [*super()._legend(), *([FLOW] if self.steps else [])]

    def parts(self) -> dict[str, Part]:
        """The text for each node that runs."""
        waiting = self.recording.waiting
        return {
            s.node: Part(place, waiting[s.node], s.after_short, _end(s), self._computes(s.node))
            for place, s in enumerate(self.steps, 1)
        }

    def jacobians(self, node_id: str) -> list[tuple[str, Any]]:
        """The Jacobians of one node's operation, in the order of its inputs.

        node_id: the id of the node, as in `viz.to_dot`: `"n3"`.

        Returns a list of pairs: the title of the node that the gradient goes to, and the Jacobian
        with a row for each entry of the result and a column for each entry of the input. The list
        is empty for elementwise operations. A large Jacobian (65 to 4,096 rows) is computed now,
        and the view shows it from now on. Raises KeyError if no operation with this id ran.
        """
        step = next((one for one in self.steps if one.node == node_id and not one.is_leaf), None)
        if step is None:
            raise KeyError(f"no operation with the id {node_id!r} ran in this pass")
        ask = self.recording.large.pop(node_id, None)
        for sent, found in zip(step.goes_out, self._sent(step, ask() if ask else []), strict=False):
            sent.local = found or sent.local
        blocks = [(one.to, one.local) for one in step.goes_out if one.local is not None and one.local.kind == "block"]
        return [(to, local.numbers) for to, local in blocks if local.numbers is not None]

    def _sent(self, step: Step, found: list[Any]) -> list[Any]:
        """From the answers for all edges of a node, those for the edges that sent something."""
        slots = {edge.id: slot for slot, edge in enumerate(self.snapshot.children()[step.node])}
        return [found[slots[sent.edge]] for sent in step.goes_out] if found else []

    def _heard(self, message: Any) -> None:
        """Handle a message of the browser: `{"type": "jacobian", "id": "n3"}`."""
        if isinstance(message, dict) and message.get("type") == "jacobian":
            try:
                self.jacobians(str(message.get("id")))
            except KeyError:
                return
            self.widget.view = self.data()  # the picture and the step do not change

    def _computes(self, node: str, before: bool = False) -> str:
        formula = self.recording.formulas.get(node)
        return (formula.asks if before else formula.computes) if formula else ""

    def flows(self) -> dict[str, Flow]:
        """The text and the thickness of each edge."""
        largest = max([0.0, *(size for size in self._sizes() if math.isfinite(size))])
        found = {
            edge: Flow((label,), _thickness(size, largest)) for edge, (label, size) in self.recording.starts.items()
        }
        for step in self.steps:
            for sent in step.goes_out:
                found[sent.edge] = Flow(tuple(sent.label), _thickness(sent.size, largest))
        return found

    def _sizes(self) -> list[float]:
        sent = [sent.size for step in self.steps for sent in step.goes_out]
        return [*sent, *(size for _, size in self.recording.starts.values())]

    def _more(self) -> dict[str, Any]:
        if not self.steps:
            return {}
        waiting = {i: count for i, count in self.recording.waiting.items() if self.snapshot.node(i).kind != "constant"}
        total, parts, forward = len(self.steps), self.parts(), self._forward()
        return {
            "first": -len(forward) - 1 if forward else 0,
            "waiting": waiting,
            "steps": [
                _step_data(s, place, total) | ({"asks": True} if s.node in self.recording.large else {})
                for place, s in enumerate(self.steps, 1)
            ],
            "before": {n.id: grad_line(n) for n in self.snapshot.nodes if n.kind == "leaf" and n.id in parts},
            "forward": forward,
            **({"code": vars(found)} if (found := code_of(self.snapshot)) else {}),
        }

    def _forward(self) -> list[dict[str, Any]]:
        """The steps of the forward pass; empty unless the value of every operation is known."""
        order = [self.snapshot.node(s.node) for s in reversed(self.steps) if not s.is_leaf]
        if any(node.value is None for node in order):
            return []
        into = self.snapshot.children()
        outputs = [self.snapshot.node(i) for i in self.snapshot.outputs]
        out = {edge.target: (edge.id, output.variable) for output in outputs for edge in into[output.id]}
        found = []
        for place, node in enumerate(order, 1):
            computes = self._computes(node.id)
            made = value_line(node, computes).removeprefix("= ")
            verb = " = " if computes else " has " if made.startswith("shape") else " is "
            edge, name = out.get(node.id, ("", ""))
            name = node.variable or (name if not name.startswith("output") else "") or "a result"
            line = f" Line {node.place[1]}: {node.source}" if node.place else ""
            found.append({
                "node": node.id,
                "caption": f"Forward {place} of {len(order)}: {name}{verb}{made}.{line}",
                "title": node.title,
                "value": [clip(self._computes(node.id, before=True)), value_line(node, computes)],
                "edges": [*(one.id for one in into[node.id]), *filter(None, [edge])],
                "rows": self._rows(node),
            })  # fmt: skip
        return found


def _end(step: Step) -> str:
    """The last line of a node when the pass is over: what it received."""
    # Not "grad": only a leaf keeps the gradient that arrives, in its `.grad`.
    received = _brief(step.arriving) if step.is_leaf else step.received
    if step.hooked:
        return f"a hook makes it {received}"
    if step.total and clip(summed := f"arrived: {step.total}") == summed:
        return summed
    return f"arrived: {received}" if received else "has run"


def _thickness(size: float, largest: float) -> float:
    """The thickness of an edge in points.

    The thinnest is for gradients of at most a thousandth of the largest.
    """
    if not size or not largest:
        return 0.0 if size == 0 else _THICKEST
    if not math.isfinite(size):
        return _THICKEST
    return _THINNEST + (_THICKEST - _THINNEST) * max(0.0, 1 + math.log10(size / largest) / _DECADES)


def _step_data(step: Step, place: int, total: int) -> dict[str, Any]:
    """A step as plain data for the widget: what changes, and the text for it."""
    found: list[list[Any]] = [["why now", step.because], ["came in", "\n".join(step.came_in)]]
    if step.is_leaf:
        # A single contribution equals what arrives; several are listed one by one first.
        found = found if len(step.came_in) > 1 or step.hooked else found[:1]
        found += [
            ["grad before", step.before],
            ["arriving", step.arriving],
            ["grad after", step.after],
        ]
    else:
        found.append(["goes out", "\n".join(_sending(sent) for sent in step.goes_out) or "nowhere"])
        found += [row for sent in step.goes_out if (row := _block(sent)) is not None]
    for below, (head, _) in reversed(list(enumerate(found, 1))):
        found[below:below] = [[f"{head}, as a map", {"heat": one}] for one in step.maps.get(head, ())]
    return {
        "node": step.node,
        "title": step.runs,
        "caption": f"Step {place} of {total}: {_sentence(step)}",
        "rows": found,
        "edges": [sent.edge for sent in step.goes_out],
        "missing": {sent.target: sent.missing for sent in step.goes_out},
        **({"line": clip(f"grad {step.after_short}")} if step.is_leaf else {}),
        **({"bars": _finite(step.bars), "had": step.had_grad} if step.bars else {}),
    }


def _block(sent: Sent) -> list[Any] | None:
    """The Jacobian of an operation that is not elementwise, as a heat map."""
    local = sent.local
    if local is None or local.kind != "block" or local.numbers is None:
        return None
    return [f"J to {sent.to}", {"heat": heat(local.numbers)}]


def _finite(bars: list[tuple[float, float]]) -> list[list[float]]:
    """The bars, or none if a number is not finite: JSON does not have NaN."""
    drawable = all(math.isfinite(v) for bar in bars for v in bar)
    return [[float(f"{b:.6g}"), float(f"{a:.6g}")] for b, a in bars] if drawable else []


def _sentence(step: Step) -> str:
    received = _brief(step.arriving) if step.is_leaf else step.received
    became = f": {_brief(step.hooked)} became {received}" if len(step.hooked + received) < _SHORT_CAPTION else ""
    return _runs(step) + f" A hook changed what arrived{became}." * bool(step.hooked)


def _runs(step: Step) -> str:
    if step.is_leaf:
        leaf = step.runs.partition(" of ")[2]
        if step.arriving == NOTHING:
            stays = step.before if step.had_grad else "None"
            return f"{step.runs} runs and receives {NOTHING}: {grad_of(leaf)} stays {_noun(stays)}."
        if not step.had_grad:
            return f"{step.runs} runs: {grad_of(leaf)} was {step.before}, now it holds {_noun(step.after)}."
        becomes = f": {step.before} becomes {step.after}" if len(step.before + step.after) < _SHORT_CAPTION else ""
        return f"{step.runs} runs and adds {_noun(step.arriving)} to {grad_of(leaf)}{becomes}."
    said = [f"{sent.told} to {sent.to}" for sent in step.goes_out]
    if said and sum(map(len, said)) <= _LONGEST_SENDING:
        return f"{step.runs} runs, because {step.because}. It sends {' and '.join(said)}."
    counts = Counter(sent.to for sent in step.goes_out)
    sends = " and ".join(
        f"{'a gradient' if count == 1 else f'{count} gradients'} to {to}" for to, count in counts.items()
    )
    hook = next((f" {sent.hook.capitalize()} changed it." for sent in step.goes_out if sent.hook), "")
    return f"{step.runs} runs, because {step.because}." + f" It sends {sends}.{hook}" * bool(sends)


def _noun(text: str) -> str:
    """A gradient in a sentence: its numbers if there are few, else its shape."""
    return f"a gradient of {_brief(text)}" if text.startswith("shape") else text


def _brief(text: str) -> str:
    """A gradient, shortened for the place beside an edge.

    >>> _brief("[1, 1, 1]"), _brief("shape (5, 20), from -1 to 1, mean 0"), _brief("[-0.2921, -0.3003, -0.2265, 0.5]")
    ('[1, 1, 1]', 'shape (5, 20)', '[-0.2921, …]')
    """
    if text.startswith("shape"):
        return text.partition(")")[0] + ")"
    if len(text) <= _WIDEST_AT_AN_EDGE or not text.startswith("["):
        return text
    first = text.partition(",")[0]
    return f"{first}, …{']' * first.count('[')}"


def _sending(sent: Sent) -> str:
    if sent.missing:
        wait = f"it now waits for {sent.missing} more of {sent.waits_for}"
    else:
        wait = "it may run now" if sent.waits_for == 1 else "it has all and may run now"
    return f"{sent.told} to {sent.to}; {wait}"
