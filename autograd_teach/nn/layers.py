"""Layers: modules around one function each, with parameters or without; activations and losses have files of their own."""

from __future__ import annotations

import math
from typing import Any

from ..creation import empty
from ..errors import error
from ..tensor import Tensor
from . import functional as F
from . import init
from .module import Module
from .parameter import Parameter


class Linear(Module):
    """`input @ weight.T + bias`, a linear map of the last dimension.

    weight: (out_features, in_features). bias: (out_features,), or None with `bias=False`. input: (*,
    in_features), of the weight's dtype; returns (*, out_features). RuntimeError if sizes or dtypes do not
    match. Both start with uniform numbers between -1/√in_features and 1/√in_features: the same numbers as in
    PyTorch under the same seed.

    >>> import autograd_teach as torch
    >>> layer = torch.nn.Linear(3, 2)
    >>> layer, layer(torch.ones(4, 3)).shape
    (Linear(in_features=3, out_features=2, bias=True), torch.Size([4, 2]))
    """

    def __init__(
        self, in_features: int, out_features: int, bias: bool = True, device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        self.in_features = in_features
        self.out_features = out_features
        self.weight = Parameter(empty((out_features, in_features), dtype=dtype, device=device))
        self.register_parameter("bias", Parameter(empty(out_features, dtype=dtype, device=device)) if bias else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw new first values."""
        init.kaiming_uniform_(self.weight, a=math.sqrt(5))  # this slope makes the bound 1/√fan_in
        if self.bias is not None:
            bound = 1 / math.sqrt(self.in_features) if self.in_features > 0 else 0
            init.uniform_(self.bias, -bound, bound)

    def forward(self, input: Tensor) -> Tensor:
        return F.linear(input, self.weight, self.bias)

    def extra_repr(self) -> str:
        return f"in_features={self.in_features}, out_features={self.out_features}, bias={self.bias is not None}"


class Identity(Module):
    """Returns its input unchanged, as a placeholder for another layer.

    The constructor takes and ignores any arguments. Returns the same object: no copy, no node in the graph.

    >>> import autograd_teach as torch
    >>> x = torch.tensor([1.0, 2.0])
    >>> torch.nn.Identity(54, unused=0.1)(x) is x
    True
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__()

    def forward(self, input: Tensor) -> Tensor:
        return input


class Flatten(Module):
    """Joins the dimensions `start_dim` to `end_dim` into one, by default all except the first.

    input: tensor of any dtype. Returns a view if possible, else a copy. IndexError if a dimension is out of
    range, also for a vector with the default `start_dim`; RuntimeError if `start_dim` comes after `end_dim`.

    >>> import autograd_teach as torch
    >>> torch.nn.Flatten()(torch.zeros(2, 3, 4)).shape, torch.nn.Flatten(0, 1)(torch.zeros(2, 3, 4)).shape
    (torch.Size([2, 12]), torch.Size([6, 4]))
    """

    def __init__(self, start_dim: int = 1, end_dim: int = -1) -> None:
        super().__init__()
        self.start_dim, self.end_dim = start_dim, end_dim

    def forward(self, input: Tensor) -> Tensor:
        return input.flatten(self.start_dim, self.end_dim)

    def extra_repr(self) -> str:
        return f"start_dim={self.start_dim}, end_dim={self.end_dim}"


class Dropout(Module):
    """Zeroes each element with probability `p` and scales the others by `1 / (1 - p)`, only in training.

    After `eval()`, returns the input itself (Srivastava et al., 2014). p: a number in [0, 1], else ValueError.
    `inplace=True` writes over the input.
    input: floating tensor of any shape (RuntimeError for integers). Under the same seed the same elements are
    zeroed as in PyTorch.

    >>> import autograd_teach as torch
    >>> _ = torch.manual_seed(0)
    >>> layer = torch.nn.Dropout(0.5)
    >>> layer(torch.ones(4)), layer.eval()(torch.ones(4))
    (tensor([0., 0., 2., 0.]), tensor([1., 1., 1., 1.]))
    """

    def __init__(self, p: float = 0.5, inplace: bool = False) -> None:
        super().__init__()
        if not 0 <= p <= 1:
            raise error("nn_dropout_chance", p)
        self.p, self.inplace = p, inplace

    def forward(self, input: Tensor) -> Tensor:
        return F.dropout(input, self.p, self.training, self.inplace)

    def extra_repr(self) -> str:
        return f"p={self.p}, inplace={self.inplace}"
