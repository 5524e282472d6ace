"""Versions of a tensor's memory: how a node notices that a value which it saved was written to afterwards.

The counters live here. Writes bump them; `saved.unpack` and generated code compare them; a tensor without one (its `_versions` is
None) is at version 0.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from .. import dtypes
from ..errors import error, require
from .modes import state


class VersionCounter:
    """How many times a memory was written to in place. All tensors that see the memory share one counter."""

    # Class attributes until they are set: most counters are made because memory is shared, and never count a write.
    version: int = 0
    # The class of the node that wrote last, and which of its outputs the tensor then was.
    writer: tuple[type, int] | None = None

    def bump(self) -> None:
        """Count a write."""
        self.version += 1


class InferenceCounter(VersionCounter):
    """The counter of a tensor made in inference mode: it has no versions, so the tensor cannot be saved."""

    @property
    def version(self) -> int:  # type: ignore[override]  # reading it is an error
        require(state.mode.inference, "inference_tensor_saved")
        return 0

    @version.setter
    def version(self, version: int) -> None:
        pass


class DetachedCounter(VersionCounter):
    """The counter of one tensor of a memory that lost its history in place: nodes that saved the tensor look twice at it."""

    def __init__(self, shared: VersionCounter) -> None:
        self._shared = shared

    @property
    def version(self) -> int:  # type: ignore[override]  # computed
        return _Unequal(self._shared.version)

    @version.setter
    def version(self, version: int) -> None:
        self._shared.version = int(version)


class _Unequal(int):
    __hash__ = int.__hash__

    def __eq__(self, other: object) -> bool:
        return False

    def __ne__(self, other: object) -> bool:
        return True


def changed(array: np.ndarray, counter: VersionCounter, version: int, place: str) -> Exception:
    """The error for a saved value whose memory is at another version now; `place` says what made it, as "0 of Mul"."""
    described = f"[{dtypes.of_array(array).tensor_type} {list(array.shape)}]"
    described += f", which is output {place}," if place else ""
    return error("stale_while_tracing" if state.anomaly else "stale", described, int(counter.version), version)


def increment_version(tensor: Any) -> None:
    """Count a write that was made behind the engine's back, such as one through NumPy, so that saved values notice it.

    `tensor`: a tensor or an iterable of tensors, else TypeError.

    >>> import autograd_teach as torch
    >>> x = torch.ones(2)
    >>> torch.autograd.graph.increment_version(x); x._version
    1
    """
    require(isinstance(tensor, Iterable), "increment_version_of_what")
    for one in [tensor] if hasattr(tensor, "_counter") else tensor:
        require(hasattr(one, "_counter"), "increment_version_of_no_tensor")
        if not one.is_inference():
            one._counter.bump()
