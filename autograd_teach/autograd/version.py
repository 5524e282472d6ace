"""Version counters: with them a node notices that a saved value was written to afterwards.

Writes bump the counters; `saved.unpack` and generated code compare them. A tensor whose `_versions`
is None is at version 0.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from .. import dtypes
from ..errors import error, require
from .modes import state


class VersionCounter:
    """Counts the writes in place to a memory. All tensors that share the memory share the counter."""

    # Class attributes until they are set: most counters are made because memory is shared, and
    # count no write.
    version: int = 0
    # The class of the node that wrote last, and the number of its output.
    writer: tuple[type, int] | None = None

    def bump(self) -> None:
        """Count a write in place."""
        self.version += 1


class InferenceCounter(VersionCounter):
    """The counter of a tensor made in inference mode: it does not have versions, so the tensor cannot be saved."""

    @property
    def version(self) -> int:  # type: ignore[override]  # reading it is an error
        require(state.mode.inference, "inference_tensor_saved")
        return 0

    @version.setter
    def version(self, version: int) -> None:
        pass


class DetachedCounter(VersionCounter):
    """The counter of a tensor that lost its history in place.

    Its version never compares equal, so `unpack` checks it.
    """

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
    """The error for a saved value that was written to; `place` says which output it is now, such as "0 of Mul"."""
    described = f"[{dtypes.of_array(array).tensor_type} {list(array.shape)}]"
    described += f", which is output {place}," if place else ""
    return error("stale_while_tracing" if state.anomaly else "stale", described, int(counter.version), version)


def increment_version(tensor: Any) -> None:
    """Count a write that autograd does not notice, such as one through NumPy, so that saved values are checked.

    tensor: a tensor or an iterable of tensors, else RuntimeError.

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
