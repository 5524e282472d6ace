"""`viz.why`: why a gradient is None, zero, NaN, tiny, huge, or what it is, and on which line.

First, search the graph for a path from the loss to the tensor. If there is none, search for the
cut: in the calls that a watch recorded (exact), else in the source code (why_source.py), else in
shared memory (cuts.py). If there is a path, run the pass (why_gradient.py) and look at its numbers.
Nothing is changed.
"""

from __future__ import annotations

import inspect
import linecache
import os
import re
import sys
import textwrap
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import FrameType
from typing import Any

import numpy as np

from autograd_teach.viz import why_gradient as gradient
from autograd_teach.viz.dot import FONT, quote
from autograd_teach.viz.facts import NO_GRAD_YET, as_array, facts, first_line, is_tensor, number
from autograd_teach.viz.naming import caller_tensors, given_names
from autograd_teach.viz.snapshot import Node, Taken, saved_attributes, short_name, take
from autograd_teach.viz.text import tree
from autograd_teach.viz.unsupported import unsupported
from autograd_teach.viz.versions import VersionsView
from autograd_teach.viz.view import GraphView, View
from autograd_teach.viz.watch import last_watch, seen, watch
from autograd_teach.viz.why_code import in_loop
from autograd_teach.viz.why_reasons import Told, explain, is_saturated
from autograd_teach.viz.why_source import Cut, Reading, Used, read
from autograd_teach.viz.why_way import cut_on_way, saw
from autograd_teach.viz.why_words import (
    ALIASES,
    CAUSES,
    LEFT_OUT,
    MARKS,
    ODD_ADVICE,
    ODD_WORDS,
    REMEDY,
    TURNED,
    ZERO,
    ZERO_REMEDY,
    Kind,
)
from autograd_teach.viz.why_zero import Group, Reason
from autograd_teach.viz.why_zero import groups as groups_of_zeros

_MOST_WAYS, _MOST_GROUPS = 6, 3
_CAPTION = 70
"""Maximum number of characters in a line of the picture's caption."""


@dataclass
class Answer:
    """The answer: as sentences, and the place in the code and in the graph."""

    kind: Kind
    what: str
    """What happens: one sentence, or one for each group of entries."""
    advice: str = ""
    """One sentence: what to do."""
    place: Cut | None = None
    live: Any = None
    """The live node of the graph."""
    mark: str = ""
    """The text at that node in the picture."""
    lines: dict[int, str] = field(default_factory=dict)
    """The texts at other nodes in the picture, by the `id` of the live node."""


def why(loss: Any, w: Any, *, names: Mapping[str, Any] | None = None) -> WhyView:
    """Explain the gradient of `w`: why it is None, zero, NaN, tiny or huge, or how it arrives.

    loss: a tensor, or a function that computes one. A function is called and recorded, with `w` as
    its argument if it takes one: this gives the most exact answers. For a tensor, the recording of
    a `viz.watch()` is used if there was one; else the source code and the live variables are read.
    w: the tensor whose gradient is explained.
    names: names for tensors, as in `viz.graph`.

    Returns a WhyView. Printed, it is the answer; in a notebook, it is the graph with the place
    marked. `view.kind` is the kind of the answer, one of `why_words.KINDS`. `view.line` is the line
    number of the reason, 0 if it is not known. `view.node` is the node in the picture, or None.
    Raises TypeError if `w` is not a tensor, if `loss` is not a tensor, a number or a function, or
    if `names` is not a dictionary.

    Works for tensors of this package and of PyTorch. It does not change any `.grad` and does not
    free the graph, so you can ask before or after `backward`.

    >>> import autograd_teach as torch
    >>> from autograd_teach import viz
    >>> w = torch.tensor([1.0, 2.0], requires_grad=True)
    >>> viz.why(lambda: (w.detach() * 3).sum(), w).kind
    'detach'
    >>> viz.why((w * 3).sum(), w)
    w.grad is None because backward has not been called yet.
    It would arrive from MulBackward0 (line 1) [3, 3].
    """
    frame = sys._getframe(1)
    if not is_tensor(w):
        raise TypeError(f"why(loss, w) explains the gradient of a tensor, but w is {_a(w)}: give the tensor itself.")
    by_name = given_names(names or {})
    given = next((name for name, tensor in by_name if tensor is w), "")
    known = by_name + caller_tensors(frame)
    if callable(loss) and not is_tensor(loss):
        call = loss
        loss, seen_by = _called(call, w)
        return _Question(loss, w, known, seen_by, read(frame, loss, w, call), frame, given, is_run=True).view()
    if not is_tensor(loss) and not isinstance(loss, (int, float, complex, np.ndarray, np.generic)):
        raise TypeError(
            f"why(loss, w) needs a loss, but loss is {_a(loss)}: give a tensor or a function that returns one."
        )
    return _Question(loss, w, known, last_watch(), read(frame, loss, w), frame, given).view()


def _called(f: Any, w: Any) -> tuple[Any, watch]:
    """Run the function under a watch."""
    try:
        inspect.signature(f).bind()
        given: tuple[Any, ...] = ()
    except TypeError:
        given = (w,)
    except ValueError:  # a callable without a readable signature
        given = ()
    with watch() as seen_by:
        loss = f(*given)
    return loss, seen_by


def _a(thing: Any) -> str:
    name = type(thing).__name__
    return "None" if thing is None else f"{'an' if name[:1].lower() in 'aeiou' else 'a'} {name}"


class WhyView(GraphView):
    """The answer of `viz.why`, and the graph with the place marked."""

    kind: Kind  # type: ignore[assignment]  # the kind of the answer, not of the view

    def __init__(self, answer: Answer, taken: Taken, sentence: str) -> None:
        self.kind, self.sentence = answer.kind, sentence  # type: ignore[assignment]
        self.line = answer.place.line if answer.place is not None else 0
        """The line number of the reason; 0 if no line is known."""
        self.file = answer.place.file if answer.place is not None else ""
        self.node: Node | None = None
        """The marked node of the picture; None if the reason is outside this graph."""
        found = {id(live): taken.snapshot.node(key) for key, live in taken.live.items() if " " not in key}
        for key, live in taken.live.items():
            if key.endswith(" node"):  # a leaf's AccumulateGrad
                found[id(live)] = taken.snapshot.node(key.removesuffix(" node"))
        for node_id, text in answer.lines.items():
            if node_id in found:
                found[node_id].lines.append(text)
        if answer.live is not None and id(answer.live) in found:
            self.node = found[id(answer.live)]
            self.node.mark = answer.mark or answer.kind
        taken.snapshot.notes[:0] = sentence.splitlines()
        super().__init__(taken.snapshot)

    @property
    def text(self) -> str:
        """The answer, without the graph."""
        return self.sentence

    @property
    def title(self) -> str:
        """Alternative text: the answer, and what the picture shows."""
        return " ".join([*self.sentence.splitlines(), super().title] if self.snapshot.nodes else self.snapshot.notes)

    def _write(self) -> str:
        """The graph with the answer above it, so that a saved picture contains the answer."""
        lines = [part for line in self.sentence.splitlines() for part in textwrap.wrap(line, _CAPTION)]
        look = f'labelloc=t labeljust=l fontname="{FONT}" fontsize=12 fontcolor="#1A1A1A"'
        caption = f"  graph [label={quote((chr(10).join(lines) + chr(10)).replace('`', ''))} {look}]"
        first, rest = super()._write().split("\n", 1)
        return f"{first}\n{caption}\n{rest}"

    @property
    def page_svg(self) -> str:
        """The graph without the answer, which is one of the notes."""
        return View(self.snapshot).svg

    def data(self) -> dict[str, Any]:
        """The data for the widget, which shows the view as a graph below the answer."""
        data = super().data()
        more = {"text": tree(self.snapshot)} if "text" in data else {}
        return {**data, "kind": "graph", "dot": View(self.snapshot).dot, **more}


class _Question:
    """One question, with everything that is known to answer it."""

    def __init__(
        self,
        loss: Any,
        w: Any,
        known: list[tuple[str, Any]],
        seen_by: watch | None,
        reading: Reading,
        frame: FrameType,
        given: str = "",
        is_run: bool = False,
    ) -> None:
        self.loss, self.w, self.known, self.seen_by = loss, w, known, seen_by
        self.reading, self.file, self.is_run = reading, frame.f_code.co_filename, is_run
        inputs = frame.f_globals.get("In", []) if "get_ipython" in frame.f_globals else []
        self.cells = {str(text).rstrip(): number for number, text in enumerate(inputs) if str(text).strip()}
        called = [name for name, tensor in known if tensor is w]
        self.name = given or reading.asked_for or next(iter(called), "the tensor")
        self.graph = gradient.walk(loss, w) if is_tensor(loss) else None
        self.taken = take([loss] if is_tensor(loss) else [w], known)

    def view(self) -> WhyView:
        """The answer as a view."""
        answer = self._answer()
        if self.loss is not self.w and (self.graph is None or self.graph.target is None):
            self._show_alone()
        sentence = "\n".join(part for part in (answer.what, answer.advice) if part)
        return WhyView(answer, self.taken, re.sub(r"(?m)^the tensor", "The tensor", sentence))

    def _show_alone(self) -> None:
        """Add the tensor as a separate box if no path leads to it."""
        snapshot, mark = self.taken.snapshot, "no way leads here"
        drawn = {id(live): key for key, live in self.taken.live.items() if live is not None and " " not in key}
        if id(self.w) in drawn:
            snapshot.node(drawn[id(self.w)]).lines.append(mark)
        elif snapshot.nodes:
            needs = bool(self.w.requires_grad)
            box = Node(f"n{len(snapshot.nodes)}", "leaf" if needs else "constant", "leaf" if needs else "tensor")
            box.variable = box.title = self.name
            box.value, box.lines, box.requires_grad = facts(self.w), [mark], needs
            box.shape, held = box.value.shape, self._grad()
            box.grad, box.grad_text = (None, NO_GRAD_YET if needs else "") if held is None else (facts(held), "")
            snapshot.nodes.append(box)

    def _answer(self) -> Answer:
        if self.loss is self.w:
            return Answer("arrives", f"{self.name} is the loss itself: its gradient is 1.")
        if what := self._unsupported():
            return Answer("unsupported", f"why does not support {what}.")
        if self.graph is None or self.graph.target is None:
            return self._without_way()
        if self.w.grad_fn is not None and not getattr(self.w, "retains_grad", False) and not self.is_run:
            return self._not_a_leaf()
        return self._with_way(self.graph)

    def _unsupported(self) -> str:
        tensors = [one for one in (self.loss, self.w) if is_tensor(one)]
        if self.graph is None:
            return unsupported(tensors, [])
        graph, reached = self.graph, self.graph.target is not None
        return unsupported(tensors, [node for node in graph.nodes if not reached or id(node) in graph.on_way])

    # No path leads from the loss to the tensor

    def _without_way(self) -> Answer:
        if not self.w.requires_grad:
            return self._requires_no_grad()
        if self.graph is not None and not self.graph.complete:
            return Answer("cut", f"The graph is too deep to look for {self.name} in it.", "Ask about a part of it.")
        cut = self._cut()
        if cut is not None:
            return self._of_cut(cut)
        if not is_tensor(self.loss):
            what = f"{self.name} gets no gradient: the loss is {_a(self.loss)}, not a tensor."
            return Answer("number", what, "Keep the loss a tensor: use `.item()` only to print or log.")
        return self._by_memory() or self._unused()

    def _by_memory(self) -> Answer | None:
        """The answer if an argument of the loss shares memory with a result that leads to the tensor."""
        if self.reading.known and self.reading.flow is None:
            return None
        tensors = dict(reversed(self.known))
        for node in self.taken.snapshot.nodes:
            source = tensors.get(node.cut.partition(" of ")[2].partition(",")[0])
            if source is not None and (source is self.w or gradient.walk(source, self.w).target is not None):
                who = f"{node.variable or 'a tensor'} is {node.cut}"
                return Answer("detach", f"{self.name} gets no gradient: {who}.", "Use the tensor with its history.")
        return None

    def _unused(self) -> Answer:
        name, reading = self.name, self.reading
        followed = self.seen_by is not None and (self.is_run or saw(self.seen_by, self.loss, self.w))
        if followed or (reading.known and reading.complete and reading.flow is None):
            what = f"{name} gets no gradient: the loss does not depend on {name}."
            return Answer("unused", what, f"Use {name} in the computation of the loss, or ask about another tensor.")
        what = f"{name} gets no gradient: the graph of the loss does not lead to {name}, and the line is not known."
        advice = f"Give a function that computes the loss: viz.why(lambda: ..., {name})."
        flow = reading.flow
        if flow is not None and (flow.cuts or flow.unsure):
            reasons = [self._at(cut) for cut in flow.cuts]
            reasons += [f"that a branch in which {name} is used did not run"] * flow.unsure
            what = f"{what[:-1]} for sure: it may be {' or '.join(reasons)}."
        return Answer("cut", what, advice)

    def _cut(self) -> Cut | None:
        seen_by, flow = self.seen_by, self.reading.flow
        cuts = flow.cuts if flow is not None else ()
        if seen_by is not None and (self.is_run or saw(seen_by, self.loss)):
            found = cut_on_way(seen_by, self.loss, self.w)
            if found is not None:  # the cut found in the code of this line has the reader's names
                return next((cut for cut in cuts if (cut.file, cut.line) == (found.file, found.line)), found)
        return cuts[0] if len(cuts) == 1 and flow is not None and not flow.unsure else None

    def _of_cut(self, cut: Cut) -> Answer:
        if cut.kind == "rebound":
            return self._rebound(cut)
        what = cut.what or "the value"
        turned = TURNED[cut.kind].format(what=_object(cut, what), w=self.name)
        if "tolist" in what:
            turned = "makes plain numbers, which have no graph"
        known = cut.kind != "detach" or what.strip(".()") in cut.source
        advice = REMEDY[cut.kind if known else "cut"].format(what=what, w=self.name)
        kind: Kind = "requires_grad" if cut.kind == "late" else cut.kind  # type: ignore[assignment]
        return Answer(kind, f"{self.name} gets no gradient: {self._at(cut)}, {turned}.", advice, cut)

    def _rebound(self, cut: Cut) -> Answer:
        what = (
            f"{self.name} gets no gradient: {self._at(cut)}, made a new tensor, and the loss was computed from the "
            f"one that was called {self.name} before."
        )
        advice = f"Change {self.name} in place instead: with no_grad(): {self.name} -= ..."
        return Answer("rebound", what, advice, cut)

    def _requires_no_grad(self) -> Answer:
        name, made = self.name, self._made()
        if made is not None and _mentions(made, name):
            what = f"{name} gets no gradient: {self._at(made)}, made a new tensor {name} that does not require grad."
            advice = f"Change {name} in place instead: with no_grad(): {name} -= ..."
            return Answer("rebound", what, advice, made)
        if not _is_floating(self.w):
            what = f"{name} gets no gradient: it holds integers or booleans, which have no slope."
            return Answer("requires_grad", what, f"Make it a floating tensor: {name}.float().", made)
        what, off = "it does not require grad", self._switched_off()
        if off is not None:
            what = f"{self._at(off)}, switched its requires_grad off"
        elif made is not None:
            what = f"{self._at(made)}, makes a tensor that does not require grad"
        other = "or create it with requires_grad=True" if off is None else "or leave that line out"
        advice = f"Write `{name}.requires_grad_()` before the loss is computed, {other}."
        return Answer("requires_grad", f"{name} gets no gradient: {what}.", advice, off or made)

    def _switched_off(self) -> Cut | None:
        tokens = set(self.seen_by.tokens(self.w)) if self.seen_by is not None else set()
        events = self.seen_by.events if self.seen_by is not None else []
        off = [e for e in events if e.kind == "requires_grad" and tokens.intersection(e.made)]
        if off:
            return Cut("requires_grad", off[-1].file, off[-1].line, off[-1].source)
        return self.reading.switched_off[-1] if self.reading.switched_off else None

    def _made(self) -> Cut | None:
        """The last assignment to the tensor's name; None if a loop makes that ambiguous."""
        last = [
            next((one.place for one in reversed(places) if one.name == self.name), None)
            for places in (self.reading.assigned, self.reading.later)
        ]
        # A line that makes a leaf did not make this tensor if it is a result.
        plain = self.w.grad_fn is not None or not self.w.requires_grad
        made = [one for one in last if one is not None and not (last[1] and plain and _has_leaf_inside(one))]
        return made[0] if len(made) == 1 else None

    def _not_a_leaf(self) -> Answer:
        name = self.name
        made = self._line_of(self.w.grad_fn) or self._made()
        where = f": {self._at(made)}, computes it" if made is not None else f", {short_name(self.w.grad_fn)} made it"
        what = f"{name}.grad stays None because {name} is not a leaf{where}, and only leaves keep a gradient."
        advice = f"Ask for the gradient of the leaf it was computed from, or call {name}.retain_grad() before backward."
        if made is not None and _mentions(made, name) and not _has_leaf_inside(made):
            what = f"{name}.grad is None because {self._at(made)}, made a new tensor {name} that is not a leaf."
            advice = f"Change {name} in place instead: with no_grad(): {name} -= ..."
        elif made is not None and _has_leaf_inside(made):
            advice = "Make the leaf last: first the values, their type and place, then `.requires_grad_()`."
        return Answer("not a leaf", what, advice, made, self.w.grad_fn, "not a leaf")

    # A path leads there

    def _with_way(self, graph: gradient.Graph) -> Answer:
        retaining = [*self.taken.retaining]
        if getattr(self.w, "retains_grad", False) and all(t is not self.w for t in retaining):
            retaining.append(self.w)
        try:
            arriving = gradient.run(self.loss, self.w, graph, retaining)
        except gradient.Unreadable as error:
            return Answer("unsupported", f"why does not support this graph: {error}.")
        except Exception as error:  # noqa: BLE001  any error of a backward pass
            return self._stopped(error, graph)
        found = arriving.gradient
        odd = "" if found is None else gradient.odd([found])
        in_forward = self._odd_value(graph) if odd else None
        if in_forward is not None and not self._overflows(arriving, graph):
            return in_forward
        if (hooked := self._by_hook(arriving, graph)) is not None:
            return hooked
        if odd:
            return self._odd_slope(odd, arriving, graph, " although the forward values are finite" * (not in_forward))
        if gradient.may_be_zero(arriving, graph) and (zero := self._zero(arriving, graph)) is not None:
            return zero
        return self._size(arriving, graph) or self._arrives(arriving, graph)

    def _stopped(self, error: Exception, graph: gradient.Graph) -> Answer:
        name, message = self.name, first_line(error)
        if "inplace operation" in message:
            return self._changed(graph)
        odd = self._odd_value(graph)
        if "second time" not in message and "freed" not in message:
            what = f"The backward pass to {name} stops with {type(error).__name__}: {message.rstrip('.')}."
            return Answer("error", what, "Remove the cause that the error names, then ask again.")
        if odd is not None:
            return odd
        run_again = f", or give a function: viz.why(lambda: ..., {name})" if self.w.is_leaf else ""
        again = f"To see what this loss gives, ask before backward{run_again}."
        if self._grad() is None:
            place = self._line_of_call("zero_grad", after="backward")
            if getattr(self.w, "_post_accumulate_grad_hooks", None):
                what = (
                    f"{name}.grad is None although a path leads to {name}: the hook that runs after backward has "
                    "written it may have cleared it."
                )
                return Answer("cleared", what, f"Read {name}.grad in that hook.")
            by = f"{self._at(place)}, cleared it" if place is not None else "it was cleared, as by zero_grad()"
            what = (
                f"{name}.grad is None although backward has run and a path leads to {name}: {by}, or autograd.grad was "
                "called, which does not fill .grad."
            )
            return Answer("cleared", what, f"Read {name}.grad between backward() and zero_grad().", place)
        what = (
            f"The gradient arrives at {name}, but the graph was freed by backward. {name}.grad is {self._told_grad()}: "
            "what all calls of backward have added."
        )
        return Answer("freed", what, again)

    def _changed(self, graph: gradient.Graph) -> Answer:
        """The answer if a node needs a value that was changed in place."""
        view = VersionsView(take([self.loss], self.known), self.known)
        row = next((row for row in view.saved if row.state == "changed in place"), None)
        live = next((node for node in graph.nodes if short_name(node) and _is_stale(node)), None)
        tensor = row.tensor.removeprefix("probably ") if row is not None else ""
        place = self._line_of_write(tensor)
        at = f"{self._at(place)}, changed" if place is not None else "something changed"
        needs = self._node(live) if live is not None else "an operation"
        what = f"{self.name} cannot get its gradient: {at} {tensor or 'a value'} in place, which {needs} needs in backward."
        return Answer("overwritten", what, f"Make a new tensor instead{_not_in_place(place)}.", place, live)

    def _line_of_write(self, tensor: str) -> Cut | None:
        if self.seen_by is not None and (self.is_run or saw(self.seen_by, self.loss)):
            writes = [e for e in self.seen_by.events if e.kind == "overwritten" and e.file == self.file]
            found = next((t for name, t in self.known if name == tensor), None)
            own = set(self.seen_by.tokens(found)) if found is not None else set()
            writes = [e for e in writes if own.intersection(e.made)] or writes
            if writes:
                return Cut("overwritten", writes[-1].file, writes[-1].line, writes[-1].source)
        return self.reading_write(tensor)

    def reading_write(self, tensor: str) -> Cut | None:
        """The last line that changes this variable in place, or the only in-place change."""
        writes = self.reading.writes
        own = [place for name, place in writes if name == tensor]
        return own[-1] if own else writes[-1][1] if len(writes) == 1 else None

    def _odd_value(self, graph: gradient.Graph) -> Answer | None:
        """The answer if the forward pass contains NaN or infinity."""
        first = gradient.first_odd_value(graph, gradient.Forward(self.loss, self.known))
        if first is None:
            return None
        node = first.node
        shown, kind = ODD_WORDS[first.what]
        if hasattr(node, "variable") or first.constant is not None:
            leaf = hasattr(node, "variable")
            who = self._name_of(node.variable) if leaf else self._name_of_values(first.constant)
            what = f"The gradient of {self.name} is not usable: {who} contains {shown}."
            place = None if leaf else self._line_of(node)
            return Answer(kind, what, "Look at where its values come from.", place, node, f"has {shown}")
        what = (
            f"The gradient of {self.name} is not usable: in the forward pass, {self._node(node)} is the first that "
            f"gives {shown}, {_cause(first)}."
        )
        if (had := gradient.odd(first.arguments)) or any(array is None for array in first.arguments):
            because = f"one of its arguments has {ODD_WORDS[had][0]}" if had else "not all of its arguments are known"
            what = (
                f"The gradient of {self.name} is not usable: in the forward pass, {self._node(node)} gives {shown}, "
                f"but {because}, so it may come from an operation before it."
            )
            advice = f"To see all values, give a function: viz.why(lambda: ..., {self.name})."
            return Answer(kind, what, advice, self._line_of(node), node, f"gives {shown}")
        end = as_array(self.loss)
        is_left_out = end is not None and not gradient.odd([end])
        advice = LEFT_OUT if is_left_out else _odd_advice(node, first.what)
        return Answer(kind, what, advice, self._line_of(node), node, f"gives {shown}")

    def _name_of(self, tensor: Any) -> str:
        return next((name for name, other in self.known if other is tensor), "a leaf")

    def _name_of_values(self, values: Any) -> str:
        """The caller's name for an argument that does not require grad, found by its values."""
        for name, tensor in self.known:
            array = None if tensor.requires_grad else as_array(tensor)
            if array is not None and array.shape == values.shape and np.array_equal(array, values, equal_nan=True):
                return name
        return "an argument that does not require grad"

    def _overflows(self, arriving: gradient.Arriving, graph: gradient.Graph) -> bool:
        """Whether the backward pass multiplies finite numbers until one is too large, whatever the forward values are."""
        first = gradient.first_odd_gradient(arriving, graph)
        slopes = gradient.slopes_where_odd(self.loss, first[0], graph) if first is not None else None
        return slopes is not None and bool(np.isfinite(slopes).all())

    def _odd_slope(self, what: str, arriving: gradient.Arriving, graph: gradient.Graph, although: str) -> Answer:
        shown, kind = ODD_WORDS[what]
        first = gradient.first_odd_gradient(arriving, graph)
        if first is None:
            return Answer(
                kind, f"The gradient of {self.name} has {shown}: backward starts with it.", "Look at the loss itself."
            )
        step, first_is = first
        found = arriving.gradient
        is_all = found is not None and not np.isfinite(found).any()
        why_so, advice = self._why_odd(step, graph, first_is), _odd_advice(step.node)
        if gradient.left_out(step, arriving, graph):
            why_so += ", for elements that where leaves out"
            advice = LEFT_OUT
        sends, shown = ODD_WORDS[first_is][0], "infinite" if what == "inf" else shown
        what = (
            f"The gradient of {self.name} {'is' if is_all else 'has entries that are'} {shown}{although}: "
            f"{self._node(step.node)} is the first that sends {sends}, {why_so}."
        )
        return Answer(kind, what, advice, self._line_of(step.node), step.node, f"sends {sends}")

    def _zero(self, arriving: gradient.Arriving, graph: gradient.Graph) -> Answer | None:
        """The answer for a gradient whose entries are all 0, or 0 up to rounding; None if one is not."""
        groups = groups_of_zeros(self.loss, arriving, graph)
        found = arriving.gradient
        exact = found is None or not gradient.largest([found])
        if not groups:
            if not exact:
                return None
            what = (
                f"The gradient of {self.name} is {'None' if found is None else '0'}, and it cannot be known here why."
            )
            return Answer("no slope", what, "Look at the operations on the way to the loss one by one.")
        is_0 = "None" if found is None else "0" if exact else "0 up to rounding"
        parts, told = [], []
        for group in groups[:_MOST_GROUPS]:
            reasons = [(reason, self._told(reason, arriving)) for reason in group.reasons]
            told += reasons
            to = "on" if len(groups) == 1 else "to it" if len(group.entries) == 1 else "to them"
            clauses = [*dict.fromkeys(self._clause(*one, to, arriving, graph, exact) for one in reasons)]
            if len(clauses) > _MOST_GROUPS + 1:
                clauses[_MOST_GROUPS:] = [f"{len(clauses) - _MOST_GROUPS} more"]
            parts.append((f"{_entries(group, found)}: " if len(groups) > 1 else "") + "; and ".join(clauses))
        if len(groups) > _MOST_GROUPS:
            parts.append("The other entries are 0 for other reasons")
        first, words = told[0]
        lines = self._contribution_lines(arriving) if first.cause in ("adds up", "cancels") else {}
        lines |= {id(reason.node): MARKS.get(one.kind, one.kind) for reason, one in told[1:]}
        advice = " ".join(dict.fromkeys(one.advice for _, one in told[:2]))
        what = f"The gradient of {self.name} is {is_0}{': ' if len(groups) == 1 else '. '}{'. '.join(parts)}."
        mark = MARKS.get(words.kind, words.kind)
        return Answer(words.kind, what, advice, self._line_of(first.node), first.node, mark, lines)

    def _why_odd(self, step: gradient.Ran, graph: gradient.Graph, what: str) -> str:
        """Why a step that got finite gradients sends NaN or infinity: from its slopes, if it can be asked."""
        slopes = gradient.slopes_where_odd(self.loss, step, graph)
        if slopes is None:
            return "and it cannot be known here why"
        if np.isnan(slopes).any():
            return "its slope there is not a number"
        if not np.isinf(slopes).any():
            return "the product of the gradient and its slope is too large for this dtype"
        zero = any((a == 0).any() for a in step.came if a is not None)
        return (
            "it multiplies a gradient of 0 by an infinite slope"
            if what == "nan" and zero
            else "its slope there is infinite"
        )

    def _told(self, reason: Reason, arriving: gradient.Arriving) -> Told:
        step = next((one for one in arriving.steps if one.node is reason.node), None)
        place = self._line_of(reason.node)
        return explain(reason, step, self.known, "" if place is None else _code(place.source))

    def _clause(
        self, reason: Reason, told: Told, to: str, arriving: gradient.Arriving, graph: gradient.Graph, exact: bool
    ) -> str:
        """One reason in a sentence: the node, and why it sends nothing on."""
        where = self.name if hasattr(reason.node, "variable") else self._node(reason.node)
        if reason.cause == "adds up":
            parts = [gradient.text_of(array) for _, array in arriving.contributions[:_MOST_WAYS]]
            at_target = reason.node is graph.target and len(parts) == len(arriving.contributions)
            return f"at {where} {ZERO['cancels'].replace(' there', '')}" + f" ({' + '.join(parts)})" * at_target
        places = [] if hasattr(reason.node, "variable") else reason.node.next_functions
        if to == "on" and sum(child is not None for child, _ in places) > 1:  # others may get a gradient
            to = f"on towards {self.name}"
        return f"{where} sends nothing{'' if exact else ' but rounding errors'} {to}, because {told.because}"

    def _by_hook(self, arriving: gradient.Arriving, graph: gradient.Graph) -> Answer | None:
        hooked = gradient.first_hook(self.loss, self.w, arriving, graph)
        if hooked is None:
            return None
        texts = ["None" if array is None else gradient.text_of(array) for array in (hooked.before, hooked.after)]
        here = hooked.node is None
        at = "" if here else f" at {self._node(hooked.node)}"
        does = f"{texts[0]} {'arrives' if hooked.arrives else 'is computed'}, {texts[1]} is {'kept' if here else 'used' if hooked.arrives else 'sent on'}"
        calls = [one for one in self.reading.operations if one.operation in ("register_prehook", "register_hook")]
        place = _cut_of(calls[0]) if len(calls) == 1 else None
        short = f" ({self._short(place)})" if place is not None else ""
        what = f"The gradient of {self.name} is changed by a hook{at}: {does}{short}."
        if not here:
            final = "None" if arriving.gradient is None else gradient.text_of(arriving.gradient)
            what += f" In the end, with all hooks, {self.name} gets {final}."
        advice = "Remove a hook that should not change the gradient."
        return Answer("hook", what, advice, place, hooked.node or graph.target, "changed by a hook")

    def _size(self, arriving: gradient.Arriving, graph: gradient.Graph) -> Answer | None:
        start = gradient.largest(arriving.steps[0].came) if arriving.steps else 1.0
        assert arriving.gradient is not None
        size = gradient.largest([arriving.gradient]) / (start or 1.0)
        # A mean sends a small part to each of many elements. That does not vanish, so tiny is about
        # the sum.
        tiny = gradient.total([arriving.gradient]) / (start or 1.0) < gradient.TINY
        ranked = gradient.factors(arriving, graph, gradient.total if tiny else gradient.largest)
        if not ranked or not (tiny or size > gradient.HUGE):
            return None
        factor, step = ranked[0] if tiny else ranked[-1]
        where = self._node(step.node)
        if tiny and factor < 1e-3 and is_saturated(step.node):
            what = f"The gradient of {self.name} is almost 0: {where} multiplies it by {number(factor)}, because its input is so far from 0 that the slope is almost 0."
            advice = ZERO_REMEDY["saturated"]
            if gradient.operation(step.node) in ("softmax", "logsoftmax"):
                advice = (
                    "The prediction is certain: if it is right, nothing is left to learn; if not, use smaller logits."
                )
            return Answer("saturated", what, advice, self._line_of(step.node), step.node, "saturated")
        kind: Kind = "vanishing" if tiny else "exploding"
        does = "shrinks" if tiny else "grows"
        what = (
            f"The gradient of {self.name} {does} from {number(start)} to {number(size * start)}"
            f"{' (the largest entry)' * (arriving.gradient.size > 1)} over "
            f"{_count(len(arriving.steps), 'operation')}: {where} has the largest effect, times {number(factor)}"
        )
        same = [f for f, s in ranked if short_name(s.node) == short_name(step.node) and (f < 1 if tiny else f > 1)]
        what += (
            f"; {len(same)} operations of this kind make it {'smaller' if tiny else 'larger'}."
            if len(same) > 1
            else "."
        )
        advice = (
            "Use residual connections, normalisation, or other starting values."
            if tiny
            else "Clip the gradient, or use a smaller step or smaller starting values."
        )
        return Answer(kind, what, advice, self._line_of(step.node), step.node, f"times {number(factor)}")

    def _arrives(self, arriving: gradient.Arriving, graph: gradient.Graph) -> Answer:
        ways, name = self._ways(arriving), self.name
        assert arriving.gradient is not None
        fresh, held = arriving.gradient, self._grad()
        lines = self._contribution_lines(arriving)
        arrives = Answer("arrives", f"{name} gets its gradient: it arrives {ways}.", "", None, graph.target, "", lines)
        if self.is_run:
            return arrives
        if getattr(self.w, "_post_accumulate_grad_hooks", None) and not (held is not None and _is_near(held, fresh)):
            what = f"{name}.grad is {self._told_grad()}, and {name} has a hook that runs after backward has added to .grad."
            return Answer("hook", what, f"This loss gives {gradient.text_of(fresh)}, before that hook.")
        if held is None or (not gradient.largest([held]) and gradient.largest([fresh])):
            now = "None" if held is None else "0"
            what = f"{name}.grad is {now} because backward has not been called yet."
            if self._line_of_call("backward") is not None:
                what = f"{name}.grad is {now}: backward has not been called for this loss, or .grad was cleared since."
            return Answer("no backward", what, f"It would arrive {ways}.", None, graph.target, "no backward yet", lines)
        if _is_near(held, fresh):
            return arrives
        times = _times(held, fresh)
        told = f"{times} times the gradient of this loss" if times else "not the gradient of this loss"
        also = "" if times else ", and it may be that of another loss"
        what = (
            f"{name}.grad is {told}: it holds {self._told_grad()}, this loss gives {gradient.text_of(fresh)}; each "
            f"backward adds to .grad{also}."
        )
        call = "" if times else "Call backward for this loss, if you have not. "
        advice = f"{call}Reset .grad before each backward: optimizer.zero_grad(), or {name}.grad = None."
        return Answer("accumulated", what, advice, self._line_of_call("backward"), graph.target, "accumulated", lines)

    def _ways(self, arriving: gradient.Arriving) -> str:
        parts = arriving.contributions
        assert arriving.gradient is not None
        if not parts:
            return "as 1: it is the loss itself"
        told = [f"from {self._node(node)} {gradient.text_of(array)}" for node, array in parts[:_MOST_WAYS]]
        more = [f"{len(parts) - _MOST_WAYS} more"] if len(parts) > _MOST_WAYS else []
        if len(parts) == 1:
            return told[0]
        return f"in {len(parts)} parts: {', '.join([*told, *more])}; sum {gradient.text_of(arriving.gradient)}"

    def _contribution_lines(self, arriving: gradient.Arriving) -> dict[int, str]:
        return {id(node): f"sends {gradient.text_of(array)}" for node, array in arriving.contributions}

    def _grad(self) -> Any:
        if self.w.grad_fn is not None and not getattr(self.w, "retains_grad", False):
            return None
        return None if self.w.grad is None else as_array(self.w.grad)

    def _told_grad(self) -> str:
        held = self._grad()
        return "None" if held is None else gradient.text_of(held)

    # Places

    def _node(self, node: Any) -> str:
        place = self._line_of(node)
        return short_name(node) + (f" ({self._short(place)})" if place is not None else "")

    def _line_of(self, node: Any) -> Cut | None:
        """The line that made a node: from a watch, else the only line of code with this operation."""
        note = seen(node)
        if note is not None:
            return Cut("", note.file, note.line, note.source) if note.line else None
        if self.graph is None or hasattr(node, "variable"):
            return None
        same = [one for one in self.graph.nodes if short_name(one) == short_name(node)]
        if any(one.operation in ("grad", "backward") for one in self.reading.operations) and self._is_of_gradient():
            return None
        used = [one for one in self.reading.operations if one.is_recorded and _is_of(one, node)]
        if len({(one.file, one.line) for one in used}) == 1:
            return _cut_of(used[0])
        if len(same) == len(used) and not any(in_loop(one.file, one.line) for one in used):
            same.sort(key=_sequence)  # in the order of creation
            return _cut_of(used[next(i for i, one in enumerate(same) if one is node)])
        return None

    def _is_of_gradient(self) -> bool:
        """Whether nodes of the graph may come from a backward pass with create_graph, and not from a line of code."""
        return any("create_graph" in line for line in {one.source for one in self.reading.operations})

    def _line_of_call(self, name: str, after: str = "") -> Cut | None:
        """The last call of a function in the code; None if it is above the last call of `after`."""
        last = {one.operation: place for place, one in enumerate(self.reading.operations)}
        if name not in last or last[name] < last.get(after, 0):
            return None
        return _cut_of(self.reading.operations[last[name]])

    def _at(self, place: Cut) -> str:
        return f"{self._short(place)}, `{_code(place.source)}`"

    def _short(self, place: Cut) -> str:
        if cell := place.cell or self.cells.get("".join(linecache.getlines(place.file)).rstrip(), 0):
            return f"line {place.line} of cell {cell}" if place.file != self.file else f"line {place.line}"
        other = place.file != self.file and not self.is_run
        return f"line {place.line}" + (f" of {os.path.basename(place.file).strip('<>')}" if other else "")


def _object(cut: Cut, what: str) -> str:
    """The value that is taken out of the graph, as named in the line: the `h` of `h.detach()`."""
    if cut.kind != "detach":
        return what
    found = re.search(r"([A-Za-z_][\w.\[\]]*?)\.(?:detach_?\(|data\b)", cut.source)
    return found[1] if found else "the value"


def _code(line: str) -> str:
    """A line without its trailing comment."""
    return re.sub(r"\s+#[^\"']*$", "", line)


def _not_in_place(place: Cut | None) -> str:
    """For a line like `y *= 2`, the line that makes a new tensor instead."""
    found = re.match(r"(\w+)\s*(\*\*|//|[-+*/@%])=\s*(.+)", _code(place.source)) if place is not None else None
    if found is None:
        return "" if place is None else ": use the form of the operation that does not change its argument"
    name, sign, value = found.groups()
    value = value if re.fullmatch(r"[\w.]+|\w+\(.*\)", value) else f"({value})"
    return f": `{name} = {name} {sign} {value}`"


def _cut_of(used: Used) -> Cut:
    return Cut("", used.file, used.line, used.source)


def _is_of(used: Used, node: Any) -> bool:
    name = gradient.operation(node)
    return used.operation in ALIASES.get(name, ()) or used.operation.replace("_", "").lower() == name


def _sequence(node: Any) -> int:
    """The sequence number of a node, in the order of creation.

    0 if the engine does not number nodes.
    """
    number = getattr(node, "_sequence_nr", None)
    return int(number()) if callable(number) else int(getattr(node, "_sequence", 0))


def _is_stale(node: Any) -> bool:
    for name in saved_attributes(node):
        try:
            getattr(node, name)
        except RuntimeError as error:
            if "inplace operation" in str(error):
                return True
    return False


def _odd_advice(node: Any, what: str = "") -> str:
    name = gradient.operation(node)
    other = ODD_ADVICE.get(name, "Look at the arguments of this operation.")
    return ODD_ADVICE.get(f"{name} {what}", other)


def _cause(odd: gradient.Odd) -> str:
    """Why an operation gives NaN or infinity although its arguments are finite."""
    name = gradient.operation(odd.node)
    if name in ("div", "reciprocal", "pow"):
        zero = any((array == 0).any() for array in odd.arguments if array is not None)
        if name == "pow":
            return "a power outside its domain" if zero or odd.what == "nan" else "a power that is too large"
        return "a division by 0" if zero else "a quotient that is too large"
    return CAUSES.get((name, odd.what), "although its arguments are finite")


def _mentions(place: Cut, name: str) -> bool:
    """Whether a line assigns to a name an expression that uses this name."""
    before, _, after = place.source.partition("=")
    return before.strip() == name and f" {name} " in f" {_spaced(after)} "


def _spaced(text: str) -> str:
    return "".join(c if c.isalnum() or c == "_" else " " for c in text)


def _has_leaf_inside(place: Cut) -> bool:
    return "requires_grad" in place.source or "Parameter(" in place.source


def _is_floating(tensor: Any) -> bool:
    return str(tensor.dtype).rpartition(".")[2].startswith(("float", "bfloat", "complex", "half", "double"))


def _is_near(held: Any, fresh: Any) -> bool:
    return held.shape == fresh.shape and np.allclose(held, fresh, rtol=1e-4, atol=1e-8)


def _times(held: Any, fresh: Any) -> int:
    """How many times `fresh` is contained in `held`.

    0 if `held` is not an integer multiple of it.
    """
    if held.shape != fresh.shape or not fresh.size:
        return 0
    at = np.unravel_index(int(np.abs(fresh).argmax()), fresh.shape)
    times = round(float(held[at] / fresh[at])) if fresh[at] else 0
    return times if times > 1 and np.allclose(held, times * fresh, rtol=1e-3, atol=1e-8) else 0


def _entries(group: Group, found: Any) -> str:
    """The entries of a group in a sentence: `entry 0`, `entries 1 and 2`, `100 entries`."""
    if len(group.entries) > _MOST_WAYS:
        return f"{len(group.entries):,} entries"
    places = [np.unravel_index(one, found.shape) for one in group.entries]
    texts = [", ".join(str(int(i)) for i in place) for place in places]
    texts = [f"[{text}]" for text in texts]
    return f"Entr{'y' if len(texts) == 1 else 'ies'} " + " and ".join(filter(None, [", ".join(texts[:-1]), texts[-1]]))


def _count(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"
