"""Initialization of parameters: in place, not recorded, from the shared random stream.

Uses the in-place methods of Tensor. Each returns the tensor that it filled.
"""

from __future__ import annotations

import math
import warnings

import numpy as np

from .. import errors
from ..autograd.modes import no_grad
from ..creation import empty_like, eye, from_numpy, ones_like
from ..dtypes import bool_
from ..ops.pointwise import where
from ..random import Generator
from ..tensor import Tensor

_CONVOLUTIONS = (f"conv{kind}{n}d" for kind in ("", "_transpose") for n in (1, 2, 3))
_GAINS = {"linear": 1, "sigmoid": 1, "tanh": 5.0 / 3, "relu": math.sqrt(2.0), "selu": 3.0 / 4}
_GAINS |= dict.fromkeys(_CONVOLUTIONS, 1)


def calculate_gain(nonlinearity: str, param: float | None = None) -> float:
    """Recommended gain of a nonlinearity: the factor that keeps the variance of activations through a layer.

    nonlinearity: "linear", "sigmoid" and the convolutions ("conv2d", ...) have gain 1, "tanh" 5/3, "relu" √2,
    "selu" 3/4 and "leaky_relu" √(2 / (1 + param²)). param: negative slope of "leaky_relu", 0.01 if None;
    ignored otherwise. Returns a number. ValueError for other names, or for a slope that is not a number.
    Source of √2 and of the leaky ReLU's gain: He et al., 2015.

    >>> import autograd_teach as torch
    >>> torch.nn.init.calculate_gain("relu"), torch.nn.init.calculate_gain("leaky_relu", 1)
    (1.4142135623730951, 1.0)
    """
    if nonlinearity == "leaky_relu":
        slope = 0.01 if param is None else param
        errors.require(isinstance(slope, int | float) and not isinstance(slope, bool), "init_slope", param)
        return math.sqrt(2.0 / (1 + slope**2))
    errors.require(nonlinearity in _GAINS, "init_nonlinearity", nonlinearity)
    return _GAINS[nonlinearity]


def uniform_(tensor: Tensor, a: float = 0.0, b: float = 1.0, generator: Generator | None = None) -> Tensor:
    """Fill a tensor in place with draws from the uniform distribution on [a, b).

    tensor: floating tensor of any shape, also a parameter: the change is not recorded. generator: source of the
    random numbers, the shared one if None. Returns `tensor`. RuntimeError if `a` is greater than `b`;
    NotImplementedError for an integer or bool tensor.

    >>> import autograd_teach as torch
    >>> _ = torch.manual_seed(0)
    >>> torch.nn.init.uniform_(torch.empty(3), -1.0, 1.0)
    tensor([-0.0075,  0.5364, -0.8230])
    """
    with no_grad():
        return tensor.uniform_(a, b, generator=generator)


def normal_(tensor: Tensor, mean: float = 0.0, std: float = 1.0, generator: Generator | None = None) -> Tensor:
    """Fill a tensor in place with draws from the normal distribution N(mean, std²).

    tensor: floating tensor of any shape, also a parameter: the change is not recorded. std: standard deviation,
    not the variance. generator: source of the random numbers, the shared one if None. Returns `tensor`.
    RuntimeError if `std` is negative; NotImplementedError for an integer or bool tensor.

    >>> import autograd_teach as torch
    >>> torch.nn.init.normal_(torch.empty(3), mean=5.0, std=0.0)
    tensor([5., 5., 5.])
    """
    with no_grad():
        return tensor.normal_(mean, std, generator=generator)


def constant_(tensor: Tensor, val: float) -> Tensor:
    """Fill a tensor in place with one value.

    tensor: any shape and dtype, also a parameter: the change is not recorded. val: a number, converted to the
    dtype of `tensor` (2.7 becomes 2 in an integer tensor). Returns `tensor`.

    >>> import autograd_teach as torch
    >>> bias = torch.nn.Parameter(torch.empty(2))
    >>> torch.nn.init.constant_(bias, 0.1)
    Parameter containing:
    tensor([0.1000, 0.1000], requires_grad=True)
    """
    with no_grad():
        return tensor.fill_(val)


def zeros_(tensor: Tensor) -> Tensor:
    """Fill a tensor of any shape and dtype in place with zeros, without recording the change, and return it.

    The usual initial value of a bias. Weights that are all zero give every unit of a layer the same
    gradient.

    >>> import autograd_teach as torch
    >>> layer = torch.nn.Linear(3, 2)
    >>> torch.nn.init.zeros_(layer.bias).detach()
    tensor([0., 0.])
    """
    return constant_(tensor, 0.0)


def ones_(tensor: Tensor) -> Tensor:
    """Fill a tensor of any shape and dtype in place with ones, without recording the change, and return it.

    The usual initial value of a scale, as in normalization layers. A bool tensor becomes all True.

    >>> import autograd_teach as torch
    >>> torch.nn.init.ones_(torch.empty(2, dtype=torch.int64))
    tensor([1, 1])
    """
    return constant_(tensor, 1.0)


def eye_(tensor: Tensor) -> Tensor:
    """Fill a matrix in place with ones on its main diagonal and zeros elsewhere.

    tensor: matrix of any dtype, not necessarily square; the change is not recorded. A linear layer with this
    weight passes on as many of its inputs as it can. Returns `tensor`. ValueError if `tensor` does not have 2
    dimensions.

    >>> import autograd_teach as torch
    >>> torch.nn.init.eye_(torch.empty(2, 3))
    tensor([[1., 0., 0.],
            [0., 1., 0.]])
    """
    errors.require(tensor.dim() == 2, "init_matrix", "2")
    with no_grad():
        return tensor.copy_(eye(*tensor.shape))


def _calculate_fan_in_and_fan_out(tensor: Tensor) -> tuple[int, int]:
    errors.require(tensor.dim() >= 2, "init_fans")
    receptive_field = math.prod(tensor.shape[2:])
    return tensor.size(1) * receptive_field, tensor.size(0) * receptive_field


def _glorot(tensor: Tensor, gain: float) -> float:
    """The standard deviation that keeps the variance of activations and of gradients, on average (Glorot and Bengio, 2010)."""
    return gain * math.sqrt(2.0 / sum(_calculate_fan_in_and_fan_out(tensor)))


def xavier_uniform_(tensor: Tensor, gain: float = 1.0, generator: Generator | None = None) -> Tensor:
    """Fill a weight in place with draws from U(-b, b), where b = gain · √(6 / (fan_in + fan_out)).

    tensor: floating weight of shape (outputs, inputs, *kernel); fan_in is inputs · kernel size, fan_out is
    outputs · kernel size. gain: factor of the nonlinearity, see `calculate_gain`. generator: source of the
    random numbers, the shared one if None. Returns `tensor`. ValueError if it has fewer than 2 dimensions;
    NotImplementedError if it is not floating. Source: Glorot and Bengio, 2010.

    >>> import autograd_teach as torch
    >>> weight = torch.nn.init.xavier_uniform_(torch.empty(2, 4))  # b = √(6 / 6)
    >>> bool((weight.abs() <= 1).all())
    True
    """
    bound = math.sqrt(3.0) * _glorot(tensor, gain)
    return uniform_(tensor, -bound, bound, generator)


def xavier_normal_(tensor: Tensor, gain: float = 1.0, generator: Generator | None = None) -> Tensor:
    """Fill a weight in place with draws from N(0, s²), where s = gain · √(2 / (fan_in + fan_out)).

    The arguments, the errors and the source are those of `xavier_uniform_`, and so is the variance of the
    values. They are not bounded.

    >>> import autograd_teach as torch
    >>> _ = torch.manual_seed(0)
    >>> weight = torch.nn.init.xavier_normal_(torch.empty(300, 100))  # s = √(2 / 400)
    >>> round(weight.std().item(), 2)
    0.07
    """
    return normal_(tensor, 0.0, _glorot(tensor, gain), generator)


def _he(tensor: Tensor, a: float, mode: str, nonlinearity: str) -> float:
    """The standard deviation that keeps the variance through layers of this nonlinearity (He et al., 2015)."""
    modes = ["fan_in", "fan_out"]
    errors.require(mode.lower() in modes, "init_mode", mode.lower(), modes)
    fan = _calculate_fan_in_and_fan_out(tensor)[modes.index(mode.lower())]
    return calculate_gain(nonlinearity, a) / math.sqrt(fan)


def kaiming_uniform_(tensor: Tensor, a: float = 0, mode: str = "fan_in", nonlinearity: str = "leaky_relu",
                     generator: Generator | None = None) -> Tensor:  # fmt: skip
    """Fill a weight in place with draws from U(-b, b), where b = gain · √(3 / fan).

    tensor: floating weight of shape (outputs, inputs, *kernel). mode: "fan_in" (fan = inputs · kernel size)
    keeps the variance of activations in the forward pass, "fan_out" (outputs · kernel size) that of gradients
    in the backward pass. nonlinearity: a name known to `calculate_gain`, which gives the gain. a: negative
    slope if it is "leaky_relu"; ignored otherwise. generator: source of the random numbers, the shared one if
    None. Returns `tensor`; one without elements is returned with a warning. ValueError for another mode or
    nonlinearity, or for fewer than 2 dimensions. Source: He et al., 2015.

    >>> import autograd_teach as torch
    >>> weight = torch.nn.init.kaiming_uniform_(torch.empty(4, 6), nonlinearity="relu")  # b = √2 · √(3 / 6)
    >>> bool((weight.abs() <= 1).all())
    True
    """
    if _is_empty(tensor):
        return tensor
    bound = math.sqrt(3.0) * _he(tensor, a, mode, nonlinearity)
    return uniform_(tensor, -bound, bound, generator)


def kaiming_normal_(tensor: Tensor, a: float = 0, mode: str = "fan_in", nonlinearity: str = "leaky_relu",
                    generator: Generator | None = None) -> Tensor:  # fmt: skip
    """Fill a weight in place with draws from N(0, s²), where s = gain / √fan.

    The arguments, the errors and the source are those of `kaiming_uniform_`, and so is the variance of the
    values. They are not bounded.

    >>> import autograd_teach as torch
    >>> _ = torch.manual_seed(0)
    >>> weight = torch.nn.init.kaiming_normal_(torch.empty(300, 100), mode="fan_out", nonlinearity="linear")
    >>> round(weight.std().item(), 2)  # s = 1 / √300
    0.06
    """
    return tensor if _is_empty(tensor) else normal_(tensor, 0, _he(tensor, a, mode, nonlinearity), generator)


def orthogonal_(tensor: Tensor, gain: float = 1, generator: Generator | None = None) -> Tensor:
    """Make the rows orthogonal vectors of length `gain`; the columns, if there are more rows than columns.

    tensor: floating, with two or more dimensions (else ValueError); all dimensions after the first
    count as one. All of these matrices are equally likely (Saxe et al., 2013).

    >>> import autograd_teach as torch
    >>> w = torch.nn.init.orthogonal_(torch.empty(2, 3, dtype=torch.float64))
    >>> torch.allclose(w @ w.T, torch.eye(2, dtype=torch.float64))
    True
    """
    errors.require(tensor.dim() >= 2, "init_matrix", "2 or more")
    if 0 in tensor.shape:
        return tensor
    matrix = tensor.new_empty((tensor.size(0), tensor.numel() // tensor.size(0))).normal_(0, 1, generator=generator)
    is_wide = matrix.size(0) < matrix.size(1)
    q, r = np.linalg.qr(matrix._array.T if is_wide else matrix._array)
    q = q * np.sign(np.diagonal(r))  # the signs of the factorization must not matter
    with no_grad():
        return tensor.copy_(from_numpy(np.ascontiguousarray(q.T if is_wide else q)).view(tensor.shape)).mul_(gain)


def trunc_normal_(tensor: Tensor, mean: float = 0.0, std: float = 1.0, a: float = -2.0, b: float = 2.0,
                  generator: Generator | None = None) -> Tensor:  # fmt: skip
    """Fill from N(mean, std²), with the draws outside [a, b] drawn again; warns if `mean` is far outside.

    tensor: floating, else NotImplementedError. a, b: absolute bounds, not relative to `mean` and
    `std`.

    >>> import autograd_teach as torch
    >>> w = torch.nn.init.trunc_normal_(torch.empty(1000), std=0.5, a=-1.0, b=1.0)
    >>> bool((w.abs() <= 1).all())
    True
    """
    if mean < a - 2 * std or mean > b + 2 * std:
        warnings.warn(str(errors.error("init_mean_outside")), stacklevel=2)
    inside = (math.erf((b - mean) / std / math.sqrt(2)) - math.erf((a - mean) / std / math.sqrt(2))) / 2
    with no_grad():
        if inside > 0.3:
            low, high = (tensor.new_tensor(bound).item() for bound in (a, b))
            result = tensor.normal_(mean, std, generator=generator)
            while (outside := (result < low) | (result > high)).any():
                result = where(outside, empty_like(result).normal_(mean, std, generator=generator), result)
            return tensor if result is tensor else tensor.copy_(result)
        # Uniform draws, each kept with a probability proportional to its density.
        peak = -0.5 * ((max(a, min(mean, b)) - mean) / std) ** 2
        result, pending = tensor, ones_like(tensor, dtype=bool_)
        while pending.any():
            drawn = empty_like(tensor).uniform_(a, b, generator=generator)
            result = where(pending, drawn, result)
            density = drawn.sub(mean).div_(std).pow_(2).mul_(-0.5).sub_(peak)
            pending &= empty_like(tensor).uniform_(generator=generator).log_() > density
        return tensor.copy_(result)


def _is_empty(tensor: Tensor) -> bool:
    if 0 in tensor.shape:
        warnings.warn("Initializing zero-element tensors is a no-op", stacklevel=3)
    return 0 in tensor.shape
