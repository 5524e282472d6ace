"""`viz.versions`: each saved tensor with its version when it was saved and its version now.

If a saved tensor was changed in place, its node will raise an error in `backward`; this view shows
it before. Only the error message contains both versions, in this package and in PyTorch, so they
are parsed from the message.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from autograd_teach.viz.cuts import same_memory
from autograd_teach.viz.facts import as_array, is_tensor, shape_text
from autograd_teach.viz.naming import caller_tensors, given_names
from autograd_teach.viz.snapshot import Node, Taken, output_number, saved_attributes, short_name, take
from autograd_teach.viz.view import View

State = Literal["unchanged", "changed in place", "freed"]

_TOLD = re.compile(
    r"\[\S+ \[(?P<shape>[\d, ]*)\]\](?:, which is output (?P<place>\d+ of \w+),)? "
    r"is at version (?P<now>\d+); expected version (?P<saved>\d+)"
)


@dataclass(frozen=True)
class SavedVersion:
    """One saved tensor of one node. Unknown entries are None or empty."""

    node: str
    """The node's name in the picture."""
    name: str
    """The node's name for the tensor: `self`, `other`, `result`."""
    tensor: str
    """The caller's name for the tensor."""
    shape: tuple[int, ...] | None
    saved_at: int | None
    """The version when it was saved."""
    now: int | None
    """The version now."""
    state: State

    @property
    def told(self) -> str:
        """The versions as text."""
        if self.state == "freed":
            return "freed"
        if self.now is None:
            return self.state
        return f"version {self.saved_at}, now {self.now}"


def versions(output: Any, *, names: Mapping[str, Any] | None = None) -> VersionsView:
    """Show for every saved tensor of a graph its version when it was saved and its version now.

    Each in-place change adds 1 to a tensor's version. If a saved tensor has another version now,
    its node will raise an error in `backward`: the view shows it in red, before it raises. A freed
    node, whose saved tensors are gone, is grey. Changes through `.data` or NumPy do not change the
    version, so they cannot be found.

    output: a tensor, of this package or of PyTorch; the graph behind it is drawn.
    names: names for tensors, as in `viz.graph`.

    Returns a VersionsView; `view.saved` holds the rows as data. If the graph cannot be drawn, the
    view says why in a sentence. Raises TypeError if `names` is not a dictionary.

    >>> import autograd_teach as torch
    >>> from autograd_teach import viz
    >>> x = torch.tensor([1.0, 2.0], requires_grad=True)
    >>> y = x.exp()
    >>> z = y.sum()
    >>> _ = y.mul_(3)
    >>> [(row.name, row.saved_at, row.now, row.state) for row in viz.versions(z).saved]
    [('result', 0, 1, 'changed in place')]
    """
    known = given_names(names or {}) + caller_tensors(sys._getframe(1))
    return VersionsView(take([output], known), known)


class VersionsView(View):
    """A graph with the versions of its saved tensors."""

    def __init__(self, taken: Taken, names: Sequence[tuple[str, Any]] = ()) -> None:
        self.saved: list[SavedVersion] = []
        self._of: dict[str, list[SavedVersion]] = {}
        self._verbs: dict[str, str] = {}
        for node in taken.snapshot.nodes:
            if node.kind == "operation":
                self._of[node.id] = list(_read(node, taken.live[node.id], names))
                self._verbs[node.title] = _will_raise(taken.live[node.id])
                self.saved += self._of[node.id]
                if not node.freed:
                    node.lines += [f"{row.name}: {row.told}" for row in self._of[node.id]] or ["saves no tensor"]
                node.stale = any(row.state == "changed in place" for row in self._of[node.id])
                if node.stale:
                    node.mark = f"{self._verbs[node.title]} in backward"
        super().__init__(taken.snapshot)
        if self._of:
            self.snapshot.notes = [
                *self._will_raise(),
                *(note for note in taken.snapshot.notes if "was changed in place" not in note),
            ]

    def _will_raise(self) -> list[str]:
        stale = [row for row in self.saved if row.state == "changed in place"]
        if not stale:
            freed = any(row.state == "freed" for row in self.saved)
            return (
                []
                if freed
                else ["No version of a saved tensor has changed (a write through .data or NumPy is not counted)."]
            )
        return [
            f"{row.node} {self._verbs[row.node]} in backward: it saved {_called(row)} at version {row.saved_at}, "
            f"and a change in place made that version {row.now}."
            if row.now is not None
            else f"{row.node} {self._verbs[row.node]} in backward: a tensor that it saved was changed in place."
            for row in stale
        ]

    @property
    def text(self) -> str:
        """The saved tensors as a table."""
        lines = list(self.snapshot.notes)
        if not self.saved:
            return "\n".join([*lines, *["No operation of this graph saves a tensor."] * bool(self._of)])
        table: list[tuple[str, ...]] = [("node", "saved", "tensor", "shape", "saved at", "now", "")]
        table += [
            (
                row.node,
                row.name,
                row.tensor,
                "" if row.shape is None else shape_text(row.shape),
                *("" if number is None else f"version {number}" for number in (row.saved_at, row.now)),
                row.state + f", {self._verbs[row.node]}" * (row.state == "changed in place"),
            )
            for row in self.saved
        ]
        widths = [max(len(row[column]) for row in table) for column in range(7)]
        return "\n".join([*lines, *("  ".join(map(str.ljust, row, widths)).rstrip() for row in table)])

    def _rows(self, node: Node) -> list[list[str]]:
        more = [
            [f"saved {row.name}", ", ".join(part for part in (row.tensor, row.told, row.state) if part)]
            for row in self._of.get(node.id, ())
        ]
        return super()._rows(node) + more

    def _legend(self) -> list[list[str]]:
        entries = super()._legend()
        nodes = self.snapshot.nodes
        if any(node.stale for node in nodes):
            verbs = " or ".join(sorted({self._verbs[node.title] for node in nodes if node.stale}, reverse=True))
            entries.append(["marked", f"{verbs}: a saved tensor was changed in place (dashed and thick, says so)"])
        if any(node.freed for node in nodes):
            entries.append(["freed", "freed: its saved tensors are gone (grey, dashed)"])
        return entries


def _will_raise(live: Any) -> str:
    """Whether a changed tensor will raise an error: a user's Function may not read it."""
    return "may raise" if hasattr(type(live), "saved_tensors") else "will raise"


def _called(row: SavedVersion) -> str:
    own = row.name if row.name.startswith("a ") else f"its {row.name}"
    return own + (f" ({row.tensor})" if row.tensor else "")


def _read(node: Node, live: Any, names: Sequence[tuple[str, Any]]) -> Iterator[SavedVersion]:
    for attribute in saved_attributes(live):
        name = attribute.removeprefix("_saved_")
        try:
            thing = getattr(live, attribute)
        except RuntimeError as error:
            yield _from_error(node, "a tensor" if name == "saved_tensors" else name, str(error), names)
            continue
        many = isinstance(thing, (list, tuple))
        for place, tensor in enumerate(thing if many else [thing]):
            if is_tensor(tensor):
                version = int(tensor._version)
                label = f"tensor {place}" if name == "saved_tensors" else f"{name}[{place}]" if many else name
                shape = tuple(int(size) for size in tensor.shape)
                yield SavedVersion(node.title, label, _name_of(tensor, names), shape, version, version, "unchanged")


def _from_error(node: Node, name: str, message: str, names: Sequence[tuple[str, Any]]) -> SavedVersion:
    if "inplace operation" not in message:
        return SavedVersion(node.title, name, "", None, None, None, "freed")
    told = _TOLD.search(message)
    if told is None:
        return SavedVersion(node.title, name, "", None, None, None, "changed in place")
    shape = tuple(int(size) for size in told["shape"].split(",") if size.strip())
    now = int(told["now"])
    # The result of this node itself now belongs to another node: the in-place change.
    place = None if told["place"] == f"0 of {_operation(node.name)}" and name == "result" else told["place"] or ""
    fitting = list({id(tensor): name for name, tensor in reversed(names) if _fits(tensor, shape, now, place)}.values())
    tensor = f"probably {fitting[0]}" if len(fitting) == 1 else ""
    return SavedVersion(node.title, name, tensor, shape, int(told["saved"]), now, "changed in place")


def _fits(tensor: Any, shape: tuple[int, ...], now: int, place: str | None) -> bool:
    """Whether the error describes this tensor: its shape, its version, and its operation."""
    if tuple(tensor.shape) != shape or int(tensor._version) != now:
        return False
    root = tensor.grad_fn
    made_by = "" if root is None else f"{output_number(tensor)} of {_operation(short_name(root))}"
    return place is None or made_by == place


def _operation(name: str) -> str:
    """The name of a node's operation in error messages: `Mul` for `MulBackward0`."""
    return re.sub(r"Backward0?(?=\d*$)", "", name)


def _name_of(tensor: Any, names: Sequence[tuple[str, Any]]) -> str:
    return next((name for name, other in names if _same_tensor(tensor, other)), "")


def _same_tensor(one: Any, other: Any) -> bool:
    """Whether two objects are the same tensor: reading a saved tensor may return a new object."""
    if one is other:
        return True
    if one.grad_fn is not None:
        return other.grad_fn is one.grad_fn and output_number(other) == output_number(one)
    if other.grad_fn is not None or one.requires_grad or other.requires_grad:
        return False
    arrays = as_array(one), as_array(other)
    return arrays[0] is not None and arrays[1] is not None and same_memory(arrays[0], arrays[1])
