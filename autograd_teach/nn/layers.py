"""Layers: modules around one function each, with or without parameters. Activations and losses have their own files."""

from __future__ import annotations

import math
from typing import Any

from ..creation import empty, ones, tensor, zeros
from ..errors import require
from ..tensor import Tensor
from . import functional as F
from . import init
from .function_module import FunctionModule
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

    def __init__(self, in_features: int, out_features: int, bias: bool = True, device: Any = None,
                 dtype: Any = None) -> None:  # fmt: skip
        super().__init__()
        self.in_features, self.out_features = in_features, out_features
        self.weight = Parameter(empty((out_features, in_features), dtype=dtype, device=device))
        self.register_parameter("bias", Parameter(empty(out_features, dtype=dtype, device=device)) if bias else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw new initial values."""
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
        require(0 <= p <= 1, "nn_dropout_chance", p)
        self.p, self.inplace = p, inplace

    def forward(self, input: Tensor) -> Tensor:
        return F.dropout(input, self.p, self.training, self.inplace)

    def extra_repr(self) -> str:
        return f"p={self.p}, inplace={self.inplace}"


class Embedding(Module):
    """A table of vectors, looked up by their numbers: one row of `weight` for each number of the input.

    weight: (num_embeddings, embedding_dim), normal numbers at first, and zeros in the row `padding_idx`, which gets no
    gradient. input: int64 or int32 numbers of any shape; returns (*, embedding_dim). IndexError if a number is out of
    range, AssertionError if `padding_idx` is. NotImplementedError for `max_norm`, `scale_grad_by_freq` and `sparse`.

    >>> import autograd_teach as torch
    >>> layer = torch.nn.Embedding(10, 3, padding_idx=0)
    >>> layer, layer(torch.tensor([[1, 2], [0, 0]])).shape
    (Embedding(10, 3, padding_idx=0), torch.Size([2, 2, 3]))
    """

    def __init__(self, num_embeddings: int, embedding_dim: int, padding_idx: int | None = None,
                 max_norm: float | None = None, norm_type: float = 2.0, scale_grad_by_freq: bool = False,
                 sparse: bool = False, _weight: Tensor | None = None, _freeze: bool = False, device: Any = None,
                 dtype: Any = None) -> None:  # fmt: skip
        super().__init__()
        self.num_embeddings, self.embedding_dim = num_embeddings, embedding_dim
        self.padding_idx = F.check_embedding(num_embeddings, padding_idx, max_norm, scale_grad_by_freq, sparse)
        self.max_norm, self.norm_type = max_norm, norm_type
        self.scale_grad_by_freq, self.sparse = scale_grad_by_freq, sparse
        if _weight is None:
            self.weight = Parameter(empty((num_embeddings, embedding_dim), device=device, dtype=dtype), not _freeze)
            self.reset_parameters()
        else:
            require(list(_weight.shape) == [num_embeddings, embedding_dim], "nn_embedding_shape")
            self.weight = Parameter(_weight, not _freeze)

    @classmethod
    def from_pretrained(cls, embeddings: Tensor, freeze: bool = True, padding_idx: int | None = None,
                        **options: Any) -> Any:  # fmt: skip
        """A layer whose table is `embeddings`, a matrix; it is not trained, unless `freeze=False`."""
        require(embeddings.dim() == 2, "nn_embedding_rank")
        rows, columns = embeddings.shape
        return cls(rows, columns, padding_idx, _weight=embeddings, _freeze=freeze, **options)

    def reset_parameters(self) -> None:
        """Draw new initial values."""
        init.normal_(self.weight)
        if self.padding_idx is not None:
            init.zeros_(self.weight.detach()[self.padding_idx])

    def forward(self, input: Tensor) -> Tensor:
        return F.embedding(input, self.weight, self.padding_idx)

    def extra_repr(self) -> str:
        text = f"{self.num_embeddings}, {self.embedding_dim}"
        return text if self.padding_idx is None else f"{text}, padding_idx={self.padding_idx}"


class LayerNorm(Module):
    """`(x - mean) / √(variance + eps) * weight + bias`, with the moments of the last dimensions (Ba et al., 2016).

    normalized_shape: the sizes of these dimensions, an int for one. weight, bias: of that shape, 1
    and 0 at first; both are None with `elementwise_affine=False`, the bias with `bias=False`.
    input: floating, (*, *normalized_shape); returns the same shape. Training and evaluation mode
    give the same result. RuntimeError if the shape does not fit.

    >>> import autograd_teach as torch
    >>> torch.nn.LayerNorm(3)(torch.tensor([[1.0, 2.0, 3.0]])).detach()
    tensor([[-1.2247,  0.0000,  1.2247]])
    """

    def __init__(self, normalized_shape: Any, eps: float = 1e-5, elementwise_affine: bool = True, bias: bool = True,
                 device: Any = None, dtype: Any = None) -> None:  # fmt: skip
        super().__init__()
        self.normalized_shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
        self.eps, self.elementwise_affine = eps, elementwise_affine
        _register_affine(self, self.normalized_shape, elementwise_affine, bias, device=device, dtype=dtype)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Set the weight to 1 and the bias to 0."""
        _reset_affine(self)

    def forward(self, input: Tensor) -> Tensor:
        return F.layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        affine = f"elementwise_affine={self.elementwise_affine}, bias={self.bias is not None}"
        return f"{self.normalized_shape}, eps={self.eps}, {affine}"


def _register_affine(layer: Module, shape: Any, affine: bool, bias: bool, **options: Any) -> None:
    """Register the weight and bias of a normalization, None for one that is not wanted."""
    for name, wanted in (("weight", affine), ("bias", affine and bias)):
        layer.register_parameter(name, Parameter(empty(shape, **options)) if wanted else None)


def _reset_affine(layer: Any) -> None:
    for parameter, fill in ((layer.weight, init.ones_), (layer.bias, init.zeros_)):
        if parameter is not None:
            fill(parameter)


class BatchNorm1d(Module):
    """`(x - mean) / √(variance + eps) * weight + bias`, channel by channel (Ioffe and Szegedy, 2015).

    In training, mean and variance are those of the batch, and the buffers `running_mean` and
    `running_var` move towards them by `momentum`, a number, or None for the plain average of all
    batches. After `eval()` the buffers are used instead, unless `track_running_stats` is False.
    weight, bias: (num_features,), 1 and 0 at first; both are None with `affine=False`, the bias
    with `bias=False`. input: floating, (N, num_features) or (N, num_features, length), else
    ValueError; also in training for a single value per channel. RuntimeError if the number of
    features does not fit.

    >>> import autograd_teach as torch
    >>> layer = torch.nn.BatchNorm1d(2)
    >>> layer(torch.tensor([[1.0, 10.0], [3.0, 30.0]])).detach(), layer.running_mean
    (tensor([[-1.0000, -1.0000],
            [ 1.0000,  1.0000]]), tensor([0.2000, 2.0000]))
    """

    _version = 2

    def __init__(self, num_features: int, eps: float = 1e-5, momentum: float | None = 0.1, affine: bool = True,
                 track_running_stats: bool = True, device: Any = None, dtype: Any = None, *,
                 bias: bool = True) -> None:  # fmt: skip
        super().__init__()
        self.num_features, self.eps, self.momentum = num_features, eps, momentum
        self.affine, self.track_running_stats = affine, track_running_stats
        _register_affine(self, num_features, affine, bias, device=device, dtype=dtype)
        for name, make in (("running_mean", zeros), ("running_var", ones)):
            self.register_buffer(name, make(num_features, device=device, dtype=dtype) if track_running_stats else None)
        self.register_buffer("num_batches_tracked", tensor(0) if track_running_stats else None)
        self.reset_parameters()

    def reset_running_stats(self) -> None:
        """Forget the batches seen."""
        if self.track_running_stats:
            self.running_mean.zero_()
            self.running_var.fill_(1)
            self.num_batches_tracked.zero_()

    def reset_parameters(self) -> None:
        """Set the weight to 1 and the bias to 0, and forget the batches seen."""
        self.reset_running_stats()
        _reset_affine(self)

    def _load_from_state_dict(self, state_dict: Any, prefix: str, local_metadata: Any, *others: Any) -> None:
        if (local_metadata.get("version") or 0) < 2 and self.track_running_stats:
            state_dict.setdefault(f"{prefix}num_batches_tracked", self.num_batches_tracked)
        super()._load_from_state_dict(state_dict, prefix, local_metadata, *others)

    def forward(self, input: Tensor) -> Tensor:
        require(input.dim() in (2, 3), "nn_batch_norm_rank", input.dim())
        tracked = self.training and self.track_running_stats
        if tracked:
            self.num_batches_tracked.add_(1)
        average = 0.0 if not tracked else 1.0 / float(self.num_batches_tracked)
        used = self.running_mean is not None and (tracked or not self.training)
        return F.batch_norm(
            input, self.running_mean if used else None, self.running_var if used else None, self.weight, self.bias,
            self.training or self.running_mean is None, average if self.momentum is None else self.momentum, self.eps,
        )  # fmt: skip

    def extra_repr(self) -> str:
        affine = f"affine={self.affine}, bias={self.bias is not None}, track_running_stats={self.track_running_stats}"
        return f"{self.num_features}, eps={self.eps}, momentum={self.momentum}, {affine}"


class CosineSimilarity(FunctionModule, function=F.cosine_similarity, dim=1, eps=1e-8):
    """The cosine of the angle between vectors: their dot product along `dim`, divided by their lengths.

    Called with two floating tensors that broadcast; returns their common shape without `dim`. A length below `eps`
    counts as `eps`.

    >>> import autograd_teach as torch
    >>> torch.nn.CosineSimilarity(dim=0)(torch.tensor([1.0, 0.0]), torch.tensor([2.0, 2.0]))
    tensor(0.7071)
    """


class PairwiseDistance(FunctionModule, function=F.pairwise_distance, p=2.0, eps=1e-6, keepdim=False):
    """The p-norm of the difference of two vectors, plus `eps`, along the last dimension.

    Called with two floating tensors of vectors, (N, D) or (D,). Returns (N,), or rank 0 for single
    vectors; with a last dimension of size 1 if `keepdim`.

    >>> import autograd_teach as torch
    >>> torch.nn.PairwiseDistance()(torch.tensor([[3.0, 4.0]]), torch.zeros(1, 2))
    tensor([5.0000])
    """
