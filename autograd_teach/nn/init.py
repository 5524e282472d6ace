"""Filling parameters with first values: in place, without recording, from the shared random stream.

Uses the in-place methods of Tensor. Each returns the tensor that it filled.
"""

from __future__ import annotations

import math
import warnings

from ..autograd.modes import no_grad
from ..creation import eye
from ..random import Generator
from ..tensor import Tensor

_CONVOLUTIONS = (f"conv{kind}{n}d" for kind in ("", "_transpose") for n in (1, 2, 3))
_GAINS = {
    **dict.fromkeys(_CONVOLUTIONS, 1),
    "linear": 1,
    "sigmoid": 1,
    "tanh": 5.0 / 3,
    "relu": math.sqrt(2.0),
    "selu": 3.0 / 4,
}


def calculate_gain(nonlinearity: str, param: float | None = None) -> float:
    """The factor that keeps the variance of activations through a nonlinearity.

    `param` is the negative slope of "leaky_relu" (0.01 if not given). ValueError for unknown names.

    >>> calculate_gain("tanh")
    1.6666666666666667
    """
    if nonlinearity == "leaky_relu":
        slope = 0.01 if param is None else param
        if isinstance(slope, bool) or not isinstance(slope, int | float):
            raise ValueError(f"negative_slope {param} not a valid number")
        return math.sqrt(2.0 / (1 + slope**2))
    if nonlinearity not in _GAINS:
        raise ValueError(f"Unsupported nonlinearity {nonlinearity}")
    return _GAINS[nonlinearity]


def uniform_(tensor: Tensor, a: float = 0.0, b: float = 1.0, generator: Generator | None = None) -> Tensor:
    """Fill with draws from U(a, b)."""
    with no_grad():
        return tensor.uniform_(a, b, generator=generator)


def normal_(tensor: Tensor, mean: float = 0.0, std: float = 1.0, generator: Generator | None = None) -> Tensor:
    """Fill with draws from N(mean, std²)."""
    with no_grad():
        return tensor.normal_(mean, std, generator=generator)


def constant_(tensor: Tensor, val: float) -> Tensor:
    """Fill with one value."""
    with no_grad():
        return tensor.fill_(val)


def zeros_(tensor: Tensor) -> Tensor:
    """Fill with zeros."""
    return constant_(tensor, 0.0)


def ones_(tensor: Tensor) -> Tensor:
    """Fill with ones."""
    return constant_(tensor, 1.0)


def eye_(tensor: Tensor) -> Tensor:
    """Make a matrix the identity; ValueError for another number of dimensions than 2."""
    if tensor.dim() != 2:
        raise ValueError("Only tensors with 2 dimensions are supported")
    with no_grad():
        return tensor.copy_(eye(*tensor.shape))


def _calculate_fan_in_and_fan_out(tensor: Tensor) -> tuple[int, int]:
    if tensor.dim() < 2:
        raise ValueError("Fan in and fan out can not be computed for tensor with fewer than 2 dimensions")
    receptive_field = math.prod(tensor.shape[2:])
    return tensor.size(1) * receptive_field, tensor.size(0) * receptive_field


def _glorot(tensor: Tensor, gain: float) -> float:
    """The standard deviation that keeps the variance of activations and of gradients, on average (Glorot and Bengio, 2010)."""
    return gain * math.sqrt(2.0 / sum(_calculate_fan_in_and_fan_out(tensor)))


def xavier_uniform_(tensor: Tensor, gain: float = 1.0, generator: Generator | None = None) -> Tensor:
    """Fill from U(-b, b), b = gain √(6 / (fan_in + fan_out))."""
    bound = math.sqrt(3.0) * _glorot(tensor, gain)
    return uniform_(tensor, -bound, bound, generator)


def xavier_normal_(tensor: Tensor, gain: float = 1.0, generator: Generator | None = None) -> Tensor:
    """Fill from N(0, s²), s = gain √(2 / (fan_in + fan_out))."""
    return normal_(tensor, 0.0, _glorot(tensor, gain), generator)


def _he(tensor: Tensor, a: float, mode: str, nonlinearity: str) -> float:
    """The standard deviation that keeps the variance through layers of this nonlinearity (He et al., 2015)."""
    modes = ["fan_in", "fan_out"]
    if mode.lower() not in modes:
        raise ValueError(f"Mode {mode.lower()} not supported, please use one of {modes}")
    fan = _calculate_fan_in_and_fan_out(tensor)[modes.index(mode.lower())]
    return calculate_gain(nonlinearity, a) / math.sqrt(fan)


def kaiming_uniform_(
    tensor: Tensor, a: float = 0, mode: str = "fan_in", nonlinearity: str = "leaky_relu", generator: Generator |
    None = None,
) -> Tensor:  # fmt: skip
    """Fill from U(-b, b), b = gain √(3 / fan); `a` is a leaky ReLU's slope.

    ValueError for a mode other than "fan_in" and "fan_out".
    """
    if _is_empty(tensor):
        return tensor
    bound = math.sqrt(3.0) * _he(tensor, a, mode, nonlinearity)
    return uniform_(tensor, -bound, bound, generator)


def kaiming_normal_(
    tensor: Tensor, a: float = 0, mode: str = "fan_in", nonlinearity: str = "leaky_relu", generator: Generator |
    None = None,
) -> Tensor:  # fmt: skip
    """Fill from N(0, s²), s = gain / √fan; as kaiming_uniform_."""
    return tensor if _is_empty(tensor) else normal_(tensor, 0, _he(tensor, a, mode, nonlinearity), generator)


def _is_empty(tensor: Tensor) -> bool:
    if 0 in tensor.shape:
        warnings.warn("Initializing zero-element tensors is a no-op", stacklevel=3)
    return 0 in tensor.shape
