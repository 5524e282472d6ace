"""Local derivatives as numbers: what a node multiplies by, found by asking the node itself.

A node computes `g -> g J` for the Jacobian J of its operation. Asked with unit cotangents it answers with the rows of J, whatever
operation it stands for and whichever library it belongs to. Asking runs the node's own backward outside of any pass: no hook is
called, nothing is accumulated, and nothing that it saved is freed.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from autograd_teach.viz.facts import as_array, library_of

MOST_ASKED = 64
"""A result of so many entries or fewer is asked entry by entry."""
MOST_ASKED_ON_REQUEST = 4_096

_COARSE = {"float16": 5e-3, "bfloat16": 5e-2}
"""How much two products of a few numbers may differ at this precision, as a part of them; 0.001 at all others."""

Array = np.ndarray[Any, Any]
Kind = Literal["slopes", "moved", "block"]


@dataclass(frozen=True)
class Local:
    """The derivative of an operation with respect to one of its inputs, at the values that it had."""

    kind: Kind
    """`slopes`: a factor for each entry. `moved`: entries change place or are left out. `block`: any other linear map."""
    numbers: Array | None
    """The slopes, in the shape of the result (of a single result, in the input's); for a block, the Jacobian with a row for
    each entry of the result and a column for each of the input; None where it was not asked for."""
    rows: int
    columns: int

    @property
    def in_full(self) -> bool:
        """Whether the numbers were asked for."""
        return self.numbers is not None


def local_derivatives(node: Any, gradient: Any, wanted: Sequence[bool], most: int = MOST_ASKED) -> list[Local | None]:
    """The derivative for each of a node's `next_functions`, None where it is not `wanted` or the node does not answer.

    `gradient`: a gradient that arrived at the node's only output; of it the shape, the dtype and the library are used.
    A node that changes its answer, raises, or takes several gradients answers for nothing.

    >>> import autograd_teach as torch
    >>> x = torch.tensor([3.0, 5.0], requires_grad=True)
    >>> y = x * x * x
    >>> [found.numbers.tolist() for found in local_derivatives(y.grad_fn, torch.ones(2), [True, True])]
    [[3.0, 5.0], [9.0, 25.0]]
    """
    try:
        with _quiet(node) as ask, np.errstate(all="ignore"):
            return _Asked(ask, gradient, wanted).locals(most)
    # A backward of the reader's own may raise anything; the pass itself tells of that.
    except Exception:  # noqa: BLE001
        return [None] * len(wanted)


@contextlib.contextmanager
def _quiet(node: Any) -> Iterator[Any]:
    """How to ask a node: a custom Function's by `apply`. What its backward prints is printed by the pass, not by asking."""
    if not hasattr(node, "apply"):
        yield node
        return
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        yield lambda cotangent: _of_tensors(node, node.apply(cotangent))


def _of_tensors(node: Any, found: Any) -> tuple[Any, ...]:
    """What a custom Function's backward returned, one for each of `next_functions`: its `forward` may take more than tensors."""
    several = found if isinstance(found, tuple) else (found,)
    needed = iter([one for one, needs in zip(several, node.needs_input_grad, strict=False) if needs])
    return tuple(next(needed, None) if target is not None else None for target, _ in node.next_functions)


class _Asked:
    """The answers of one node."""

    def __init__(self, ask: Any, gradient: Any, wanted: Sequence[bool]) -> None:
        self._node, self._wanted = ask, wanted
        self._library = importlib.import_module(library_of(gradient))
        self._dtype, self._shape = gradient.dtype, tuple(int(size) for size in gradient.shape)
        self._size = math.prod(self._shape)
        self._precision = _COARSE.get(str(self._dtype).rpartition(".")[2], 1e-3)

    def _tensor(self, cotangent: Array) -> Any:
        return self._library.tensor(cotangent.reshape(self._shape), dtype=self._dtype)

    def ask(self, cotangent: Array) -> list[Array | None]:
        """What the node sends on for this cotangent."""
        with self._library.no_grad():
            found = self._node(self._tensor(cotangent))
        several = found if isinstance(found, tuple) else (found,)
        sent = [
            as_array(one) if one is not None and want else None
            for one, want in zip(several, self._wanted, strict=False)
        ]
        return [*sent, *[None] * (len(self._wanted) - len(sent))]

    def locals(self, most: int) -> list[Local | None]:
        ones = self.ask(np.ones(self._size))
        if self._size == 1:  # the Jacobian is one row: the gradient itself
            self._must_double(ones)
            return [None if one is None else Local("slopes", np.array(one), 1, one.size) for one in ones]
        # Entries that differ from each other and from 0 and 1 tell where each of them goes.
        drawn = 1 + np.random.default_rng(0).permutation(self._size) / (self._size + 1) + 0.5 / (self._size + 1)
        drawn = np.array(as_array(self._tensor(drawn))).reshape(-1)  # as it is at this precision
        probed = self.ask(drawn)
        kinds = [None if a is None or b is None else self._kind(drawn, a, b) for a, b in zip(ones, probed, strict=True)]
        blocks: Sequence[Array | None] = [None] * len(kinds)
        if "block" in kinds and self._size <= most:
            blocks = self._blocks(kinds)
        found: list[Local | None] = []
        for kind, one, block in zip(kinds, ones, blocks, strict=True):
            if kind is None or one is None:
                found.append(None)
            else:
                numbers = one.reshape(self._shape) if kind == "slopes" else block
                found.append(Local(kind, None if numbers is None else np.array(numbers), self._size, one.size))
        return found

    def _must_double(self, ones: Sequence[Array | None]) -> None:
        """ValueError if twice the gradient does not give twice the answer: then no factor explains what the node sends."""
        for one, two in zip(ones, self.ask(np.full(1, 2.0)), strict=True):
            if one is not None and two is not None and not np.allclose(2.0 * one, two, rtol=1e-3, equal_nan=True):
                raise ValueError("the answer of this node is not linear in the gradient")

    def _kind(self, drawn: Array, ones: Array, probed: Array) -> Kind:
        """From two answers: an elementwise operation scales each entry, and one that only moves entries makes no new ones."""
        cotangent = np.asarray(drawn.astype(ones.dtype), np.float64)
        if ones.size == self._size:
            expected = ones.reshape(-1) * cotangent
            if np.allclose(probed.reshape(-1), expected, rtol=self._precision, atol=0, equal_nan=True):
                return "slopes"
        if np.isin(probed, [0.0, *cotangent]).all() and np.isin(ones, [0.0, 1.0]).all():
            return "moved"
        return "block"

    def _blocks(self, kinds: Sequence[Kind | None]) -> list[Array | None]:
        rows: list[list[Array]] = [[] for _ in kinds]
        for unit in np.eye(self._size):
            for row, kind, one in zip(rows, kinds, self.ask(unit), strict=True):
                if kind == "block" and one is not None:
                    row.append(np.array(one).reshape(-1))
        return [np.stack(row) if len(row) == self._size else None for row in rows]
