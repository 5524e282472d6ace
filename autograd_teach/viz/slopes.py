"""Local derivatives as numbers, computed by calling the nodes of a graph.

A node computes the vector-Jacobian product `g -> g J` of its operation. Called with unit
cotangents, it returns the rows of J; this works for every operation and every library. The call
runs the node's own backward outside a backward pass: it does not call hooks, does not accumulate
gradients, and does not free saved tensors.
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
"""The Jacobian of a result with at most this many entries is computed row by row."""
MOST_ASKED_ON_REQUEST = 4_096

_COARSE = {"float16": 5e-3, "bfloat16": 5e-2}
"""Relative tolerance for products of a few numbers in this dtype; 0.001 for other dtypes."""

Array = np.ndarray[Any, Any]
Kind = Literal["slopes", "moved", "block"]


@dataclass(frozen=True)
class Local:
    """The derivative of an operation with respect to one input, at the values of the call."""

    kind: Kind
    """`slopes`: a factor for each entry. `moved`: entries change place or are left out. `block`: any other linear map."""
    numbers: Array | None
    """The derivative; None if it was not computed.

    For `slopes`, the factors in the shape of the result, or of the input if the result has one entry. For
    `block`, the Jacobian: a row for each entry of the result, a column for each entry of the input.
    """
    rows: int
    columns: int

    @property
    def in_full(self) -> bool:
        """Whether the numbers were computed."""
        return self.numbers is not None


def local_derivatives(node: Any, gradient: Any, wanted: Sequence[bool], most: int = MOST_ASKED) -> list[Local | None]:
    """The local derivative for each of a node's `next_functions`.

    It is None if it is not `wanted` or cannot be computed.

    gradient: a gradient that arrived at the node's only output; only its shape, dtype and library
    are used.
    most: the maximum number of rows of a Jacobian. All derivatives are None if the node raises an
    error, is not linear in the gradient, or takes several gradients.

    >>> import autograd_teach as torch
    >>> x = torch.tensor([3.0, 5.0], requires_grad=True)
    >>> y = x * x * x
    >>> [found.numbers.tolist() for found in local_derivatives(y.grad_fn, torch.ones(2), [True, True])]
    [[3.0, 5.0], [9.0, 25.0]]
    """
    try:
        with _calling(node) as ask, np.errstate(all="ignore"):
            return _Asked(ask, gradient, wanted).locals(most)
    # A reader's backward may raise any error; the pass itself reports it.
    except Exception:  # noqa: BLE001
        return [None] * len(wanted)


def given_by(node: Any, gradients: Sequence[Any], arrays: Sequence[Array | None]) -> list[Array | None]:
    """What a node itself gives for its `next_functions`, without the hooks of a backward pass.

    gradients: the gradients that arrived at its outputs; only their dtypes and library are used.
    arrays: their values. Empty if the node raises an error or does not give the same twice.
    """
    library = importlib.import_module(library_of(next(one for one in gradients if one is not None)))
    dtypes = [None if one is None else one.dtype for one in gradients]
    found = [answers(node, arrays, dtypes, library) for _ in range(2)]
    if found[0] is None or found[1] is None:
        return []
    same = (a is b is None or (a is not None and np.array_equal(a, b, equal_nan=True)) for a, b in zip(*found))
    return found[0] if all(same) else []


def answers(
    node: Any, gradients: Sequence[Array | None], dtypes: Sequence[Any], library: Any
) -> list[Array | None] | None:
    """What a node sends for these gradients of its outputs, outside of a pass and without hooks.

    None if it raises an error.
    """
    try:
        with _calling(node) as call, np.errstate(all="ignore"), library.no_grad():
            pairs = zip(gradients, dtypes, strict=True)
            found = call(*(None if g is None else library.tensor(g, dtype=dtype) for g, dtype in pairs))
    # As above.
    except Exception:  # noqa: BLE001
        return None
    several = found if isinstance(found, tuple) else (found,)
    return [None if one is None else np.array(as_array(one)) for one in several]


@contextlib.contextmanager
def _calling(node: Any) -> Iterator[Any]:
    """The function that calls a node; for a custom Function, its `apply`.

    The output of a custom backward is suppressed here: the pass itself has already printed it.
    """
    if not hasattr(node, "apply"):
        yield node
        return
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        yield lambda *cotangents: _of_tensors(node, node.apply(*cotangents))


def _of_tensors(node: Any, found: Any) -> tuple[Any, ...]:
    """The gradients for `next_functions` among those that a custom backward returned."""
    several = found if isinstance(found, tuple) else (found,)
    needed = iter([one for one, needs in zip(several, node.needs_input_grad, strict=False) if needs])
    return tuple(next(needed, None) if target is not None else None for target, _ in node.next_functions)


def precision(gradient: Any) -> float:
    """The relative tolerance for products and sums of a few numbers of this dtype."""
    return _COARSE.get(str(gradient.dtype).rpartition(".")[2], 1e-3)


class _Asked:
    """Calls of one node with different cotangents."""

    def __init__(self, ask: Any, gradient: Any, wanted: Sequence[bool]) -> None:
        self._node, self._wanted = ask, wanted
        self._library = importlib.import_module(library_of(gradient))
        self._dtype, self._shape = gradient.dtype, tuple(int(size) for size in gradient.shape)
        self._size = math.prod(self._shape)
        self._precision = precision(gradient)

    def _tensor(self, cotangent: Array) -> Any:
        return self._library.tensor(cotangent.reshape(self._shape), dtype=self._dtype)

    def ask(self, cotangent: Array) -> list[Array | None]:
        """The gradients that the node returns for this cotangent."""
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
        # The entries differ from each other and from 0 and 1, so the answer shows where each of
        # them goes.
        drawn = 1 + np.random.default_rng(0).permutation(self._size) / (self._size + 1) + 0.5 / (self._size + 1)
        drawn = np.array(as_array(self._tensor(drawn))).reshape(-1)  # rounded to this dtype
        probed = self.ask(drawn)
        kinds = [None if a is None or b is None else self._kind(drawn, a, b) for a, b in zip(ones, probed, strict=True)]
        blocks: Sequence[Array | None] = [None] * len(kinds)
        if "block" in kinds and self._size <= most:
            blocks = self._blocks(kinds)
        found: list[Local | None] = []
        for kind, one, block, sent in zip(kinds, ones, blocks, probed, strict=True):
            if kind is None or one is None or (block is not None and not self._is_linear(block, drawn, sent)):
                found.append(None)
            else:
                numbers = one.reshape(self._shape) if kind == "slopes" else block
                found.append(Local(kind, None if numbers is None else np.array(numbers), self._size, one.size))
        return found

    def _must_double(self, ones: Sequence[Array | None]) -> None:
        """Raise ValueError if the node is not linear: if twice the gradient is not twice the answer."""
        for one, two in zip(ones, self.ask(np.full(1, 2.0)), strict=True):
            if one is not None and two is not None and not np.allclose(2.0 * one, two, rtol=1e-3, equal_nan=True):
                raise ValueError("the answer of this node is not linear in the gradient")

    def _is_linear(self, block: Array, drawn: Array, sent: Array | None) -> bool:
        """Whether the answer for a cotangent is that of this Jacobian; a custom backward may do anything."""
        assert sent is not None
        with np.errstate(invalid="ignore"):
            off = np.abs(drawn @ block - sent.reshape(-1)) > self._precision * (drawn @ np.abs(block))
        return not off.any()

    def _kind(self, drawn: Array, ones: Array, probed: Array) -> Kind:
        """The kind of a derivative, from two answers.

        An elementwise operation scales each entry. An operation that only moves entries does not
        create new values.
        """
        cotangent = np.asarray(drawn.astype(ones.dtype), np.float64)
        if ones.size == self._size:
            expected = ones.reshape(-1) * cotangent
            if np.allclose(probed.reshape(-1), expected, rtol=self._precision, atol=0, equal_nan=True):
                return "slopes"
        if probed.any() and np.isin(probed, [0.0, *cotangent]).all() and np.isin(ones, [0.0, 1.0]).all():
            return "moved"
        return "block"

    def _blocks(self, kinds: Sequence[Kind | None]) -> list[Array | None]:
        rows: list[list[Array]] = [[] for _ in kinds]
        for unit in np.eye(self._size):
            for row, kind, one in zip(rows, kinds, self.ask(unit), strict=True):
                if kind == "block" and one is not None:
                    row.append(np.array(one).reshape(-1))
        return [np.stack(row) if len(row) == self._size else None for row in rows]
