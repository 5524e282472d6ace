"""The functions behind the layers, without parameters of their own (`torch.nn.functional`, F).

They call the operations of the engine and of `operations.py`, and add what PyTorch adds: checks,
warnings, choices among operations, and compositions.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..autograd.modes import is_grad_enabled, no_grad
from ..creation import ones, zeros
from ..dtypes import float32, get_default_dtype, result_type, title
from ..errors import error, require
from ..ops import pointwise
from ..ops.linalg import addmm
from ..ops.operation import inplace_form
from ..ops.pointwise import add_number, div_number, mul_number, sigmoid, tanh
from ..ops.reduction import log_softmax_dim, vector_norm
from ..ops.shape import broadcast_tensors
from ..tensor import Tensor, wrap
from . import operations as rows
from .parameter import typename

__all__ = [
    "batch_norm", "binary_cross_entropy", "binary_cross_entropy_with_logits", "celu", "cosine_similarity",
    "cross_entropy", "dropout", "elu", "embedding", "gelu", "hardtanh", "huber_loss", "kl_div", "l1_loss", "layer_norm",
    "leaky_relu", "linear", "log_softmax", "logsigmoid", "mse_loss", "nll_loss", "normalize", "one_hot",
    "pairwise_distance", "relu", "relu6", "relu_", "selu", "sigmoid", "silu", "smooth_l1_loss", "softmax", "softmin",
    "softplus", "softsign", "tanh", "tanhshrink", "threshold",
]  # fmt: skip


def _require_tensors(function: str, **arguments: Any) -> None:
    """TypeError if an argument is not a tensor; weight and bias may be None."""
    for name, value in arguments.items():
        if not isinstance(value, Tensor) and not (value is None and name in ("weight", "bias")):
            position = list(arguments).index(name) + 1
            raise error("argument_is_no_tensor", function, name, position, typename(value))


def linear(input: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """`input @ weight.T + bias`, a linear map of the last dimension.

    input: (*, in_features). weight: (out_features, in_features), or (in_features,) for one output
    without a dimension. bias: (out_features,) or None. All have one dtype. Returns (*,
    out_features). RuntimeError if sizes or dtypes do not match; TypeError for an argument that is
    not a tensor. If the input is a matrix and there is a bias, `grad_fn` of the result is
    AddmmBackward0.

    >>> import autograd_teach as torch
    >>> weight, bias = torch.tensor([[1.0, 2.0], [0.0, -1.0]]), torch.tensor([0.5, 0.0])
    >>> torch.nn.functional.linear(torch.tensor([[1.0, 1.0], [0.0, 3.0]]), weight, bias)
    tensor([[ 3.5000, -1.0000],
            [ 6.5000, -3.0000]])
    """
    _require_tensors("linear", input=input, weight=weight, bias=bias)
    if bias is None:
        return input.matmul(weight.t())
    if weight.dim() == 2 and (input.dim() == 2 or (input.dim() > 0 and input.is_contiguous())):
        # One addmm node on a matrix of all rows, as PyTorch's graph shows it.
        count = math.prod(input.shape[:-1])
        matrix = input if input.dim() == 2 else input.view(count, input.shape[-1])
        output = addmm(bias, matrix, weight.t())
        return output if input.dim() == 2 else output.view(*input.shape[:-1], weight.shape[0])
    return input.matmul(weight.t()) + bias


# Activations: elementwise; with `inplace` they write over their input


def relu(input: Tensor, inplace: bool = False) -> Tensor:
    """The rectified linear unit, `max(input, 0)` (Nair and Hinton, 2010).

    input: tensor of any shape and of any dtype except bool (RuntimeError). `inplace=True` writes over `input`,
    with RuntimeError if that is a leaf that requires grad. Returns a tensor of the same shape and dtype; NaN
    stays NaN. The gradient at 0 is 0.

    >>> import autograd_teach as torch
    >>> torch.nn.functional.relu(torch.tensor([-3, 0, 2]))
    tensor([0, 0, 2])
    """
    return relu_(input) if inplace else pointwise.relu(input)


def relu_(input: Tensor) -> Tensor:
    """`relu` written over its input: negative elements become 0.

    input: tensor of any shape, not bool. Returns `input` itself. RuntimeError if it is a leaf that requires
    grad.

    >>> import autograd_teach as torch
    >>> x = torch.tensor([-1.0, 2.0])
    >>> torch.nn.functional.relu_(x) is x, x
    (True, tensor([0., 2.]))
    """
    _require_tensors("relu_", input=input)
    return input.relu_()


def threshold(input: Tensor, threshold: float, value: float, inplace: bool = False) -> Tensor:
    """`input` if it is greater than `threshold`, else `value`.

    input: tensor of any shape, not bool (NotImplementedError). threshold, value: numbers; for integers `value`
    is truncated. `inplace=True` writes over `input`. Returns a tensor of the same shape and dtype; NaN stays
    NaN. The gradient is 0 at the threshold and below.

    >>> import autograd_teach as torch
    >>> torch.nn.functional.threshold(torch.tensor([0.4, 0.5, 0.6]), threshold=0.5, value=-1.0)
    tensor([-1.0000, -1.0000,  0.6000])
    """
    return _activation(pointwise.threshold, inplace, input, threshold, value)


def leaky_relu(input: Tensor, negative_slope: float = 0.01, inplace: bool = False) -> Tensor:
    """`input` if positive, else `negative_slope * input` (Maas et al., 2013).

    input: floating tensor of any shape; NotImplementedError for integers and bool. `inplace=True` writes over
    `input`; the backward pass then raises RuntimeError if `negative_slope` is below 0. Returns a tensor of the same
    shape and dtype. The gradient at 0 is `negative_slope`.

    >>> import autograd_teach as torch
    >>> torch.nn.functional.leaky_relu(torch.tensor([-10.0, 0.0, 10.0]), negative_slope=0.2)
    tensor([-2.,  0., 10.])
    """
    return _activation(rows.leaky_relu, inplace, input, negative_slope)


def hardtanh(input: Tensor, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False) -> Tensor:
    """`input` clipped to [`min_val`, `max_val`], by default [-1, 1]: straight lines shaped like tanh.

    input: tensor of any shape; RuntimeError for bool. For integers the bounds are truncated. `inplace=True`
    writes over `input`. Returns a tensor of the same shape and dtype; NaN stays NaN. The gradient is 0 outside
    the bounds and at them. ValueError if `min_val` is greater than `max_val`.

    >>> import autograd_teach as torch
    >>> torch.nn.functional.hardtanh(torch.tensor([-3.0, 0.4, 3.0]), max_val=2.0)
    tensor([-1.0000,  0.4000,  2.0000])
    """
    require(min_val <= max_val, "nn_hardtanh_bounds")
    return _activation(rows.hardtanh, inplace, input, min_val, max_val)


def relu6(input: Tensor, inplace: bool = False) -> Tensor:
    """`min(max(input, 0), 6)`, a ReLU with the upper bound 6 (Krizhevsky, 2010).

    input: tensor of any shape; RuntimeError for bool. `inplace=True` writes over `input`. Returns a tensor of
    the same shape and dtype. It is `hardtanh` with other bounds: the gradient is 0 at 0 and at 6 too.

    >>> import autograd_teach as torch
    >>> torch.nn.functional.relu6(torch.tensor([-1.0, 5.0, 7.0]))
    tensor([0., 5., 6.])
    """
    return hardtanh(input, 0.0, 6.0, inplace)


def elu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """`input` if positive, else `alpha * (exp(input) - 1)` (Clevert et al., 2015).

    input: floating tensor of any shape; NotImplementedError for integers and bool. `inplace=True` writes over
    `input`; the backward pass then raises RuntimeError if `alpha` is negative. Returns a tensor of the same shape
    and dtype, not below `-alpha` if `alpha` is positive. The gradient at 0 is `alpha`: only `alpha=1` has no kink.

    >>> import autograd_teach as torch
    >>> torch.nn.functional.elu(torch.tensor([-100.0, -1.0, 3.0]), alpha=2.0)
    tensor([-2.0000, -1.2642,  3.0000])
    """
    return _activation(rows.elu, inplace, input, alpha)


def selu(input: Tensor, inplace: bool = False) -> Tensor:
    """`scale * elu(input, alpha)` with alpha 1.6733 and scale 1.0507 (Klambauer et al., 2017).

    With these two constants, inputs of mean 0 and variance 1 give outputs of mean 0 and variance 1.
    input: floating tensor of any shape; NotImplementedError for integers and bool. `inplace=True` writes over
    `input`. Returns a tensor of the same shape and dtype. The gradient at 0 is `scale * alpha`, 1.7581.

    >>> import autograd_teach as torch
    >>> torch.nn.functional.selu(torch.tensor([-100.0, 0.0, 1.0]))
    tensor([-1.7581,  0.0000,  1.0507])
    """
    return _activation(rows.elu, inplace, input, 1.6732632423543772848170429916717, 1.0507009873554804934193349852946)


def celu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """`input` if positive, else `alpha * (exp(input / alpha) - 1)` (Barron, 2017).

    Unlike `elu`, its gradient at 0 is 1 for every `alpha`: it has no kink.
    input: floating tensor of any shape; NotImplementedError for integers and bool. `inplace=True` writes over
    `input`. Returns a tensor of the same shape and dtype. RuntimeError if `alpha` is 0.

    >>> import autograd_teach as torch
    >>> torch.nn.functional.celu(torch.tensor([-100.0, -1.0, 3.0]), alpha=2.0)
    tensor([-2.0000, -0.7869,  3.0000])
    """
    require(alpha != 0, "nn_celu_alpha")
    return _activation(rows.celu, inplace, input, alpha)


def silu(input: Tensor, inplace: bool = False) -> Tensor:
    """`input * sigmoid(input)`, also called swish (Elfwing et al., 2017).

    It is a smooth ReLU that is slightly negative below 0: the minimum is -0.2785, at -1.2785.
    input: floating tensor of any shape; NotImplementedError for integers and bool. `inplace=True` writes over
    `input`. Returns a tensor of the same shape and dtype. The result for -inf is NaN.

    >>> import autograd_teach as torch
    >>> torch.nn.functional.silu(torch.tensor([-20.0, -1.2785, 20.0]))
    tensor([-4.1223e-08, -2.7846e-01,  2.0000e+01])
    """
    return _activation(rows.silu, inplace, input)


# The in-place form of each activation.
_IN_PLACE = {
    row: inplace_form(getattr(rows, f"{row.__name__}_in_place", row))
    for row in (pointwise.threshold, rows.leaky_relu, rows.hardtanh, rows.elu, rows.celu, rows.silu)
}


def _activation(row: Any, inplace: bool, input: Tensor, *options: float) -> Tensor:
    """The operation of a row; with `inplace`, its in-place form."""
    _require_tensors(row.__name__ + "_" * inplace, input=input)
    return (_IN_PLACE[row] if inplace else row)(input, *options)


def gelu(input: Tensor, approximate: str = "none") -> Tensor:
    """`input` times the probability that a standard normal variable is below it (Hendrycks and Gimpel, 2016).

    input: floating tensor of any shape; NotImplementedError for integers and bool. approximate: "none" for the
    exact formula, `input * (1 + erf(input / √2)) / 2`, or "tanh" for
    `input / 2 * (1 + tanh(√(2 / π) * (input + 0.044715 * input³)))`; RuntimeError for another word. Returns a
    tensor of the same shape and dtype.

    >>> import autograd_teach as torch
    >>> x = torch.tensor([-1.0, 0.0, 1.0])
    >>> torch.nn.functional.gelu(x), torch.nn.functional.gelu(x, approximate="tanh")
    (tensor([-0.1587,  0.0000,  0.8413]), tensor([-0.1588,  0.0000,  0.8412]))
    """
    require(approximate in ("none", "tanh"), "nn_gelu_approximate")
    return rows.gelu(input, approximate)


def softplus(input: Tensor, beta: float = 1.0, threshold: float = 20.0) -> Tensor:
    """`log(1 + exp(beta * input)) / beta`, a smooth ReLU (Dugas et al., 2000).

    If `beta * input` is above `threshold`, the result is `input` itself: with the default threshold, the two
    differ by less than 3e-9 / beta. A greater `beta` is closer to ReLU.
    input: floating tensor of any shape; NotImplementedError for integers and bool. Returns a tensor of the same
    shape and dtype. The gradient is `sigmoid(beta * input)`.

    >>> import autograd_teach as torch
    >>> x = torch.tensor([-1.0, 0.0, 1.0])
    >>> torch.nn.functional.softplus(x), torch.nn.functional.softplus(x, beta=10.0)
    (tensor([0.3133, 0.6931, 1.3133]), tensor([4.5399e-06, 6.9315e-02, 1.0000e+00]))
    """
    return rows.softplus(input, beta, threshold)


def softsign(input: Tensor) -> Tensor:
    """`input / (|input| + 1)`, which approaches -1 and 1 more slowly than tanh.

    input: tensor of any shape; integers are computed in the default float dtype. NotImplementedError for bool.
    Returns a tensor of the same shape; NaN for infinite inputs. The gradient is `1 / (|input| + 1)²`.

    >>> import autograd_teach as torch
    >>> torch.nn.functional.softsign(torch.tensor([-1.0, 0.0, 9.0]))
    tensor([-0.5000,  0.0000,  0.9000])
    """
    return input / (input.abs() + 1)


def tanhshrink(input: Tensor) -> Tensor:
    """`input - tanh(input)`: nearly 0 for small inputs, and 1 closer to 0 than large inputs.

    input: tensor of any shape; integers are computed in the default float dtype. RuntimeError for bool. Returns
    a tensor of the same shape. The gradient is `tanh(input)²`, 0 at 0.

    >>> import autograd_teach as torch
    >>> torch.nn.functional.tanhshrink(torch.tensor([-10.0, 0.1, 10.0]))
    tensor([-9.0000e+00,  3.3201e-04,  9.0000e+00])
    """
    return input - input.tanh()


def logsigmoid(input: Tensor) -> Tensor:
    """`log(sigmoid(input))`, also correct if the sigmoid underflows to 0.

    input: floating tensor of any shape; NotImplementedError for integers and bool. Returns a tensor of the same
    shape and dtype, not above 0. It is computed as `min(input, 0) - log(1 + exp(-|input|))`.

    >>> import autograd_teach as torch
    >>> x = torch.tensor([-200.0, 0.0])
    >>> torch.nn.functional.logsigmoid(x), torch.log(torch.sigmoid(x))
    (tensor([-200.0000,   -0.6931]), tensor([   -inf, -0.6931]))
    """
    return rows.log_sigmoid(input)


def softmax(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: Any = None) -> Tensor:
    """`exp(input)` divided by its sum along `dim`: positive numbers with the sum 1.

    input: floating tensor of any shape; NotImplementedError for integers, unless `dtype` names a floating dtype
    to compute in. dim: int; IndexError if it is out of range. Returns a tensor of the same shape. Without
    `dim`, the function warns and uses 0 if the input has 0, 1 or 3 dimensions, else 1. Large inputs do not
    overflow.

    >>> import autograd_teach as torch
    >>> torch.nn.functional.softmax(torch.tensor([[1000.0, 1000.0], [0.0, 1.0]]), dim=1)
    tensor([[0.5000, 0.5000],
            [0.2689, 0.7311]])
    """
    return input.softmax(_class_dim("softmax", input, dim, _stacklevel), dtype=dtype)


def softmin(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: Any = None) -> Tensor:
    """`softmax(-input)` along `dim`: the least element gets the greatest share.

    input: floating tensor of any shape; NotImplementedError for integers, unless `dtype` names a floating dtype
    to compute in. dim: int; IndexError if it is out of range. Returns a tensor of the same shape. Without
    `dim`, the function warns and uses 0 if the input has 0, 1 or 3 dimensions, else 1.

    >>> import autograd_teach as torch
    >>> torch.nn.functional.softmin(torch.tensor([1.0, 2.0, 4.0]), dim=0)
    tensor([0.7054, 0.2595, 0.0351])
    """
    return (-input).softmax(_class_dim("softmin", input, dim, _stacklevel), dtype=dtype)


def log_softmax(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: Any = None) -> Tensor:
    """`input - logsumexp(input)` along `dim`: the logarithm of `softmax`, also if that underflows to 0.

    input: floating tensor of any shape; NotImplementedError for integers, unless `dtype` names a floating dtype
    to compute in. dim: int; IndexError if it is out of range. Returns a tensor of the same shape, not above 0.
    Without `dim`, the function warns and uses 0 if the input has 0, 1 or 3 dimensions, else 1.

    >>> import autograd_teach as torch
    >>> torch.nn.functional.log_softmax(torch.tensor([0.0, 1000.0]), dim=0)
    tensor([-1000.,     0.])
    """
    return input.log_softmax(_class_dim("log_softmax", input, dim, _stacklevel), dtype=dtype)


def _class_dim(name: str, input: Tensor, dim: int | None, stacklevel: int) -> int:
    if dim is not None:
        return dim
    warnings.warn(str(error("nn_softmax_dim", name)), stacklevel=stacklevel)
    return 0 if input.dim() in (0, 1, 3) else 1


def dropout(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Zeroes each element with probability `p` and scales the others by `1 / (1 - p)`, only in training.

    The scale keeps the expected value (Srivastava et al., 2014). If not `training`, or if `p` is 0, returns
    `input` itself.
    input: floating tensor of any shape (RuntimeError for integers). p: a number in [0, 1], else ValueError.
    `inplace=True` writes over `input`. Under the same seed the same elements are zeroed as in PyTorch.

    >>> import autograd_teach as torch
    >>> _ = torch.manual_seed(0)
    >>> torch.nn.functional.dropout(torch.ones(6), p=0.2)
    tensor([0.0000, 1.2500, 1.2500, 0.0000, 1.2500, 1.2500])
    """
    _require_tensors("dropout", input=input)
    require(0.0 <= p <= 1.0, "nn_dropout_chance", p)
    if p == 0 or not training or input.numel() == 0:
        return input
    if p == 1:
        kept = zeros((), dtype=input.dtype)
    else:
        # Draws fill memory in its order, and a product has the strides of its factors.
        kept = (input.detach() * True).bernoulli_(1 - p).div_(1 - p)
    return input.mul_(kept) if inplace else input * kept


# Lookups


def one_hot(tensor: Tensor, num_classes: int = -1) -> Tensor:
    """For each class number a row of zeros, with a 1 at the position of that number.

    tensor: int64 class numbers of any shape, from 0 to `num_classes - 1`. num_classes: the length
    of the rows; -1 for the largest class number plus one. Returns int64, (*, num_classes).
    RuntimeError for another dtype, for numbers out of range, and for an empty tensor without
    `num_classes`.

    >>> import autograd_teach as torch
    >>> torch.nn.functional.one_hot(torch.tensor([0, 2]))
    tensor([[1, 0, 0],
            [0, 0, 1]])
    """
    _require_tensors("one_hot", input=tensor)
    numbers = tensor._array
    require(numbers.dtype == np.int64, "nn_one_hot_dtype")
    require(numbers.size or num_classes > 0, "nn_one_hot_empty")
    require(numbers.min(initial=0) >= 0, "nn_one_hot_negative")
    count = numbers.max() + 1 if num_classes == -1 else num_classes
    require(numbers.max(initial=-1) < count, "nn_one_hot_large")
    return wrap((numbers[..., None] == np.arange(count)).astype(np.int64))


def embedding(input: Tensor, weight: Tensor, padding_idx: int | None = None, max_norm: float | None = None,
              norm_type: float = 2.0, scale_grad_by_freq: bool = False, sparse: bool = False) -> Tensor:  # fmt: skip
    """The rows of a matrix with the numbers in `input`: `weight[input]`.

    input: int64 or int32 row numbers of any shape. weight: (num_embeddings, embedding_dim).
    padding_idx: a row without gradient, counted from the end if negative. Returns (*,
    embedding_dim). The gradient of a row is the sum over the places where it was looked up.
    IndexError if a number is out of range, RuntimeError for another dtype or if the weight is not a
    matrix; NotImplementedError for `max_norm`, `scale_grad_by_freq` and `sparse`.

    >>> import autograd_teach as torch
    >>> weight = torch.tensor([[0.0, 0.5], [1.0, 1.5], [2.0, 2.5]])
    >>> torch.nn.functional.embedding(torch.tensor([2, 0]), weight)
    tensor([[2.0000, 2.5000],
            [0.0000, 0.5000]])
    """
    _require_tensors("embedding", weight=weight, indices=input)
    padding_idx = check_embedding(weight.size(0), padding_idx, max_norm, scale_grad_by_freq, sparse)
    return rows.embedding(weight, input, -1 if padding_idx is None else padding_idx)


def check_embedding(count: int, padding_idx: int | None, max_norm: Any, scale_grad_by_freq: Any, sparse: Any) -> Any:
    """`padding_idx` counted from the start; an error if the options do not fit `count` rows."""
    for name, value in (("max_norm", max_norm), ("scale_grad_by_freq", scale_grad_by_freq), ("sparse", sparse)):
        require(value is None or value is False, "nn_embedding_option", name, value)
    require(padding_idx is None or -count <= padding_idx < count, "nn_embedding_padding")
    return None if padding_idx is None else padding_idx % count


# Normalization


def layer_norm(input: Tensor, normalized_shape: Sequence[int], weight: Tensor | None = None,
               bias: Tensor | None = None, eps: float = 1e-5) -> Tensor:  # fmt: skip
    """`(input - mean) / √(variance + eps) * weight + bias`, with the moments of the last dimensions (Ba et al., 2016).

    input: floating, (*, *normalized_shape). normalized_shape: the sizes of the last dimensions, over which mean and
    variance are taken; the variance divides by their number. weight, bias: of that shape, or None for 1 and 0.
    Returns a tensor of the shape and dtype of `input`. RuntimeError if shapes or dtypes do not fit,
    NotImplementedError for integers.

    >>> import autograd_teach as torch
    >>> torch.nn.functional.layer_norm(torch.tensor([[1.0, 2.0, 3.0], [0.0, 0.0, 9.0]]), (3,))
    tensor([[-1.2247,  0.0000,  1.2247],
            [-0.7071, -0.7071,  1.4142]])
    """
    _require_tensors("layer_norm", input=input)
    require(isinstance(normalized_shape, Sequence), "nn_layer_norm_sizes", type(normalized_shape).__name__)
    shape = tuple(normalized_shape)
    require(shape, "nn_layer_norm_empty")
    for name, given in (("weight", weight), ("bias", bias)):
        if given is not None:
            require(tuple(given.shape) == shape, "nn_layer_norm_parameter", name, name, tuple(given.shape), shape)
    fits = len(shape) <= input.dim() and tuple(input.shape[-len(shape) :]) == shape
    require(fits, "nn_layer_norm_shape", shape, ", ".join(map(str, shape)), tuple(input.shape))
    weight, bias = _parameters_beside(input, "LayerNormKernelImpl", shape, weight, bias)
    return rows.native_layer_norm(input, weight, bias, shape, eps)[0]


def _parameters_beside(input: Tensor, kernel: str, shape: tuple[int, ...], *given: Tensor | None) -> list[Tensor]:
    """The weight and bias of a normalization, 1 and 0 if they are None; an error if a dtype does not fit."""
    require(input.is_floating_point(), "no_kernel", kernel, title(input._array))
    dtypes = {parameter.dtype for parameter in given if parameter is not None}
    if not dtypes <= {input.dtype}:
        require(dtypes == {float32}, "nn_mixed_parameter")
        require(input.itemsize == 2, "nn_mixed_inputs")
    dtype = next(iter(dtypes), input.dtype)
    return [make(shape, dtype=dtype) if p is None else p for make, p in zip((ones, zeros), given, strict=False)]


def batch_norm(input: Tensor, running_mean: Tensor | None, running_var: Tensor | None, weight: Tensor | None = None,
               bias: Tensor | None = None, training: bool = False, momentum: float = 0.1,
               eps: float = 1e-5) -> Tensor:  # fmt: skip
    """`(input - mean) / √(variance + eps) * weight + bias`, channel by channel (Ioffe and Szegedy, 2015).

    input: floating, (N, channels, ...). In training, mean and variance are those of the batch (the variance divides
    by the number of values), and `running_mean` and `running_var`, if given, are changed in place to
    `(1 - momentum) * old + momentum * new` (with the variance that divides by one less). Otherwise these two are the
    moments. weight, bias: (channels,), or None for 1 and 0. Returns a tensor of the shape and dtype of `input`.
    ValueError for a single value per channel in training; RuntimeError if sizes or dtypes do not fit.

    >>> import autograd_teach as torch
    >>> running_mean, running_var = torch.zeros(2), torch.ones(2)
    >>> x = torch.tensor([[1.0, 10.0], [3.0, 30.0]])
    >>> torch.nn.functional.batch_norm(x, running_mean, running_var, training=True), running_mean
    (tensor([[-1.0000, -1.0000],
            [ 1.0000,  1.0000]]), tensor([0.2000, 2.0000]))
    """
    _require_tensors("batch_norm", input=input)
    channels = input.size(1) if input.dim() > 1 else 0
    one_each = math.prod([n for dim, n in enumerate(input.shape) if dim != 1]) == 1
    require(not (training and one_each), "nn_batch_norm_one", repr(input.shape))
    arguments = {"running_mean": running_mean, "running_var": running_var, "weight": weight, "bias": bias}
    for name, given in arguments.items():
        if given is not None:
            require(given.numel() == channels, "nn_batch_norm_size", name, channels, given.numel())
    for name, given in (("running_mean", running_mean), ("running_var", running_var)):
        require(training or given is not None, "nn_batch_norm_undefined", name)
        _constant("native_batch_norm", name, given)
    if not input.numel():
        output = input.clone()
        output = output if weight is None else output * weight[0]
        return output if bias is None else output + bias[0]
    weight, bias = _parameters_beside(input, "batch_norm", (channels,), weight, bias, running_mean, running_var)
    return rows.native_batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps)[0]


def normalize(input: Tensor, p: float = 2.0, dim: int = 1, eps: float = 1e-12) -> Tensor:
    """`input` divided by its p-norm along `dim`: vectors of length 1.

    input: floating tensor of any shape. A norm below `eps` counts as `eps`, so zeros stay zeros. Returns a tensor of
    the same shape. IndexError if `dim` is out of range, RuntimeError for integers.

    >>> import autograd_teach as torch
    >>> torch.nn.functional.normalize(torch.tensor([[3.0, 4.0], [0.0, 0.0]]))
    tensor([[0.6000, 0.8000],
            [0.0000, 0.0000]])
    """
    return input / vector_norm(input, p, dim, keepdim=True).clamp_min(eps).expand_as(input)


def cosine_similarity(x1: Tensor, x2: Tensor, dim: int = 1, eps: float = 1e-8) -> Tensor:
    """The cosine of the angle between vectors: their dot product along `dim`, divided by their lengths.

    x1, x2: tensors that broadcast, promoted to one floating dtype (RuntimeError for integers). dim: of the broadcast
    shape. A length below `eps` counts as `eps`. Returns that shape without `dim`, values from -1 to 1.

    >>> import autograd_teach as torch
    >>> x1, x2 = torch.tensor([[1.0, 0.0], [1.0, 0.0]]), torch.tensor([[0.0, 5.0], [2.0, 2.0]])
    >>> torch.nn.functional.cosine_similarity(x1, x2)
    tensor([0.0000, 0.7071])
    """
    _require_tensors("cosine_similarity", x1=x1, x2=x2)
    common = result_type(x1._array, x2._array)
    require(common.kind == "f", "nn_not_common_float", np.empty(0, common))
    if x1.shape != x2.shape:  # both expanded, as PyTorch's graph shows
        shape = pointwise.common_shape(x1._array, x2._array)
        x1, x2 = x1.expand(shape), x2.expand(shape)
    directions = []
    for x in (x1, x2):
        x = x if x.is_floating_point() else x.to(common)
        length = vector_norm(x, 2, dim, keepdim=True).clone()
        with no_grad():
            length.clamp_min_(eps)
        directions.append(x / length)
    return (directions[0] * directions[1]).sum(dim)


def pairwise_distance(x1: Tensor, x2: Tensor, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False) -> Tensor:
    """The p-norm of `x1 - x2 + eps` along the last dimension.

    x1, x2: floating tensors of vectors, (N, D) or (D,), that broadcast. `eps` keeps the gradient
    finite if the vectors are equal. Returns (N,), or rank 0 for single vectors; with a last
    dimension of size 1 if `keepdim`.

    >>> import autograd_teach as torch
    >>> torch.nn.functional.pairwise_distance(torch.tensor([[3.0, 4.0]]), torch.zeros(1, 2))
    tensor([5.0000])
    """
    _require_tensors("pairwise_distance", x1=x1, x2=x2)
    difference = x1 - x2
    if not difference.is_floating_point():
        difference = difference.to(get_default_dtype())
    return rows.norm_along(add_number(difference, eps), p, (max(x1.dim(), x2.dim()) - 1,), keepdim)


# Losses of two tensors: of each pair of elements ("none"), or their "sum" or "mean". The deprecated
# `size_average` and `reduce` are an older form of the reduction


def mse_loss(input: Tensor, target: Tensor, size_average: bool | None = None, reduce: bool | None = None,
             reduction: str = "mean", weight: Tensor | None = None) -> Tensor:  # fmt: skip
    """The squared error, `(input - target)²`: its mean, its sum, or each element's.

    input, target: floating tensors of one size, or one of them integer; other sizes that broadcast give a
    warning. reduction: "mean", "sum" or "none", else ValueError. weight: a tensor of the input's size that
    multiplies the errors; their mean then divides by the sum of the weights. `size_average` and `reduce` are
    deprecated: use `reduction`. Returns a tensor without dimensions, or for "none" one of the input's shape.

    >>> import autograd_teach as torch
    >>> input, target = torch.tensor([1.0, 3.0]), torch.tensor([0.0, 0.0])
    >>> torch.nn.functional.mse_loss(input, target), torch.nn.functional.mse_loss(input, target, reduction="none")
    (tensor(5.), tensor([1., 9.]))
    """
    reduction = legacy_reduction(size_average, reduce) or reduction
    expanded, target = _same_size(input, target)
    if weight is not None:
        return _weighted(input, (expanded - target).pow(2), weight, reduction, weight.sum())
    return rows.mse_loss(expanded, target, _number(reduction))


def l1_loss(input: Tensor, target: Tensor, size_average: bool | None = None, reduce: bool | None = None,
            reduction: str = "mean", weight: Tensor | None = None) -> Tensor:  # fmt: skip
    """The absolute error, `|input - target|`: its mean, its sum, or each element's.

    input, target: tensors of one size; other sizes that broadcast give a warning. Integers have no mean
    (RuntimeError). reduction: "mean", "sum" or "none", else ValueError. weight: a tensor of the input's size
    that multiplies the errors; their mean then divides by the sum of the weights. `size_average` and `reduce`
    are deprecated: use `reduction`. The gradient of each error is -1 or 1, and 0 if input and target are equal.

    >>> import autograd_teach as torch
    >>> x = torch.tensor([-2.0, 0.0, 5.0], requires_grad=True)
    >>> torch.autograd.grad(torch.nn.functional.l1_loss(x, torch.zeros(3), reduction="sum"), x)
    (tensor([-1.,  0.,  1.]),)
    """
    reduction = legacy_reduction(size_average, reduce) or reduction
    expanded, target = _same_size(input, target)
    losses = (expanded - target).abs()
    if weight is not None:
        return _weighted(input, losses, weight, reduction, weight.sum())
    _number(reduction)
    return _reduced(losses, reduction)


def smooth_l1_loss(input: Tensor, target: Tensor, size_average: bool | None = None, reduce: bool | None = None,
                   reduction: str = "mean", beta: float = 1.0) -> Tensor:  # fmt: skip
    """With `z = |input - target|`: `z² / (2 * beta)` if z is below `beta`, else `z - beta / 2` (Girshick, 2015).

    The parabola and the lines meet with equal slope, 1. With `beta=0` it is `l1_loss`; RuntimeError if it is
    negative.
    input, target: floating tensors of one size, or one of them integer; other sizes that broadcast give a
    warning. reduction: "mean", "sum" or "none", else ValueError; `size_average` and `reduce` are deprecated.
    Returns a tensor without dimensions, or for "none" one of the input's shape.

    >>> import autograd_teach as torch
    >>> torch.nn.functional.smooth_l1_loss(torch.tensor([0.5, 3.0]), torch.zeros(2), reduction="none", beta=2.0)
    tensor([0.0625, 2.0000])
    """
    reduction = legacy_reduction(size_average, reduce) or reduction
    if beta == 0:
        return l1_loss(input, target, reduction=reduction)
    expanded, target = _same_size(input, target)
    require(beta > 0, "nn_smooth_l1_beta")
    return rows.smooth_l1_loss(expanded, target, _number(reduction), beta)


def huber_loss(input: Tensor, target: Tensor, reduction: str = "mean", delta: float = 1.0,
               weight: Tensor | None = None) -> Tensor:  # fmt: skip
    """With `z = |input - target|`: `z² / 2` if z is at most `delta`, else `delta * (z - delta / 2)` (Huber, 1964).

    It is `delta` times `smooth_l1_loss` with `beta=delta`. RuntimeError unless `delta` is positive.
    input: floating tensor. target: tensor of the same size; other sizes that broadcast give a warning.
    reduction: "mean", "sum" or "none", else ValueError. weight: a tensor of the input's size that multiplies
    the errors; unlike in `mse_loss`, their mean divides by their number.

    >>> import autograd_teach as torch
    >>> torch.nn.functional.huber_loss(torch.tensor([0.5, 3.0]), torch.zeros(2), reduction="none", delta=2.0)
    tensor([0.1250, 4.0000])
    """
    expanded, target = _same_size(input, target)
    require(delta > 0, "nn_huber_delta")
    if weight is None:
        return rows.huber_loss(expanded, target, _number(reduction), delta)
    return _weighted(input, rows.huber_loss(expanded, target, 0, delta), weight, reduction, None)


def binary_cross_entropy(input: Tensor, target: Tensor, weight: Tensor | None = None,
                         size_average: bool | None = None, reduce: bool | None = None,
                         reduction: str = "mean") -> Tensor:  # fmt: skip
    """`-weight * (target * log(input) + (1 - target) * log(1 - input))`: the loss of probabilities of two classes.

    input: floating tensor of any shape. target: the same size, else ValueError, and the same dtype, else
    RuntimeError. All values lie in [0, 1], else RuntimeError. weight: a tensor that expands to this size; it cannot
    require grad. A logarithm counts as at least -100, so a loss is never infinite. reduction: "mean" (over the
    number of elements), "sum" or "none", else ValueError; `size_average` and `reduce` are deprecated.

    >>> import autograd_teach as torch
    >>> target = torch.tensor([1.0, 1.0, 1.0])
    >>> torch.nn.functional.binary_cross_entropy(torch.tensor([0.9, 0.1, 0.0]), target, reduction="none")
    tensor([  0.1054,   2.3026, 100.0000])
    """
    number = _number(legacy_reduction(size_average, reduce) or reduction)
    if target.size() != input.size():
        raise error("nn_bce_size", target.size(), input.size())
    weight = _constant("binary_cross_entropy", "weight", weight)
    if weight is not None:
        weight = weight.expand(target.size())
    return rows.binary_cross_entropy(input, target, weight, number)


def binary_cross_entropy_with_logits(input: Tensor, target: Tensor, weight: Tensor | None = None,
                                     size_average: bool | None = None, reduce: bool | None = None,
                                     reduction: str = "mean", pos_weight: Tensor | None = None) -> Tensor:  # fmt: skip
    """`binary_cross_entropy` of `sigmoid(input)`, also correct if the sigmoid rounds to 0 or 1.

    input: floating tensor of any shape. target: floating tensor of the same size, else ValueError. weight: a
    tensor that broadcasts to this size and multiplies the losses. pos_weight: a tensor that broadcasts in the
    same way and multiplies the part `target * log(sigmoid(input))`. Neither can require grad. reduction: "mean"
    (over the number of elements), "sum" or "none", else ValueError; `size_average` and `reduce` are deprecated.
    The gradient of each unweighted loss is `sigmoid(input) - target`.

    >>> import autograd_teach as torch
    >>> from autograd_teach.nn.functional import binary_cross_entropy_with_logits
    >>> logits, target = torch.tensor([200.0, 0.0, 0.0]), torch.tensor([0.0, 0.0, 1.0])
    >>> binary_cross_entropy_with_logits(logits, target, reduction="none", pos_weight=torch.tensor(3.0))
    tensor([200.0000,   0.6931,   2.0794])
    """
    number = _number(legacy_reduction(size_average, reduce) or reduction)
    if target.size() != input.size():
        raise error("nn_logits_size", target.size(), input.size())
    name = "binary_cross_entropy_with_logits"
    weight, pos_weight = _constant(name, "weight", weight), _constant(name, "pos_weight", pos_weight)
    for a, b in ((pos_weight, target), (input, weight)):
        if a is not None and b is not None:
            pointwise.common_shape(a._array, b._array)  # raises if the sizes do not broadcast
    require(input.is_floating_point(), "no_kernel", "log_sigmoid_cpu", input._array)
    require(target.is_floating_point(), "nn_result_cast", input._array, target._array)
    return rows.binary_cross_entropy_with_logits(input, target, weight, pos_weight, number)


def _same_size(input: Tensor, target: Tensor) -> tuple[Tensor, Tensor]:
    if target.size() == input.size():
        return input, target
    warnings.warn(str(error("nn_target_size", target.size(), input.size())), stacklevel=3)
    expanded, target = broadcast_tensors(input, target)
    return expanded, target


def _weighted(input: Tensor, losses: Tensor, weight: Tensor, reduction: str, total: Tensor | None) -> Tensor:
    require(weight.size() == input.size(), "nn_weight_size")
    require(reduction in rows.REDUCTIONS, "nn_weighted_reduction", reduction)
    losses = losses * weight
    if reduction == "mean" and total is not None:
        return losses.sum() / total
    return _reduced(losses, reduction)


def _reduced(losses: Tensor, reduction: str) -> Tensor:
    return losses if reduction == "none" else getattr(losses, reduction)()


def _constant(function: str, name: str, weight: Tensor | None) -> Tensor | None:
    """An argument without gradient; RuntimeError if it requires grad."""
    is_constant = weight is None or not weight.requires_grad or not is_grad_enabled()
    require(is_constant, "nn_constant_argument", function, name)
    return weight


def _number(reduction: str) -> int:
    require(reduction in rows.REDUCTIONS, "nn_reduction", reduction)
    return rows.REDUCTIONS[reduction]


def legacy_reduction(size_average: bool | None, reduce: bool | None) -> str | None:
    """The reduction for the two deprecated arguments of losses, with a warning; None if they are unused."""
    if size_average is None and reduce is None:
        return None
    size_average, reduce = size_average is None or size_average, reduce is None or reduce
    # A tensor, as in `MSELoss(input, target)`, raises here, because it does not have a truth value.
    reduction = "mean" if size_average and reduce else "sum" if reduce else "none"
    warnings.warn(str(error("nn_legacy_reduction", reduction)), stacklevel=3)
    return reduction


def kl_div(input: Tensor, target: Tensor, size_average: bool | None = None, reduce: bool | None = None,
           reduction: str = "mean", log_target: bool = False) -> Tensor:  # fmt: skip
    """The Kullback-Leibler divergence, `target * (log(target) - input)`: how far probabilities are from the target's.

    input: logarithms of probabilities. target: probabilities, or their logarithms if `log_target`;
    broadcast with `input`. reduction: "batchmean" (the sum divided by the first size, as in the
    definition), "sum", "none", or "mean" (over all elements, with a warning), else ValueError;
    `size_average` and `reduce` are deprecated. If the target is 0, so is the loss.

    >>> import autograd_teach as torch
    >>> input, target = torch.tensor([[0.5, 0.5]]).log(), torch.tensor([[1.0, 0.0]])
    >>> torch.nn.functional.kl_div(input, target, reduction="batchmean")
    tensor(0.6931)
    """
    reduction = legacy_reduction(size_average, reduce) or reduction
    if reduction == "mean":
        warnings.warn(str(error("nn_kl_mean")), stacklevel=2)
    _require_tensors("kl_div", input=input, target=target)
    _number("sum" if reduction == "batchmean" else reduction)
    require(input.is_floating_point() and target.is_floating_point(), "nn_kl_integral")
    # The second factor first, as in PyTorch's C++ code: the terms of a gradient are then added in
    # the same order.
    second = target - input if log_target else target * input
    losses = target.exp() * second if log_target else pointwise.xlogy(target, target) - second
    losses = _reduced(losses, "sum" if reduction == "batchmean" else reduction)
    return losses / input.size(0) if reduction == "batchmean" and input.dim() else losses


# Losses of classes


def nll_loss(input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: bool | None = None,
             ignore_index: int = -100, reduce: bool | None = None, reduction: str = "mean") -> Tensor:  # fmt: skip
    """The negative log-likelihood: `-weight[target] * input` at the target's class.

    input: floating log-probabilities, (N, classes, ...) or (classes,). target: int64 or uint8 class numbers,
    (N, ...) or a single one. weight: one number per class, of the input's dtype, that cannot require grad. A
    target equal to `ignore_index` does not count. reduction: "mean" (divided by the sum of the weights that
    count; NaN if none does), "sum" or "none"; `size_average` and `reduce` are deprecated. IndexError for a
    class out of range; RuntimeError or ValueError for sizes and dtypes that do not match.

    >>> import autograd_teach as torch
    >>> input = torch.tensor([[-0.5, -1.0], [-2.0, -0.1], [-9.0, -9.0]])
    >>> torch.nn.functional.nll_loss(input, torch.tensor([0, 1, -100]), reduction="none")
    tensor([0.5000, 0.1000, 0.0000])
    """
    number = _number(legacy_reduction(size_average, reduce) or reduction)
    _require_tensors("nll_loss_nd", input=input, target=target, weight=weight)
    _check_likelihood(input, target)
    weight = _constant("nll_loss_forward", "weight", weight)
    if input.dim() <= 2:
        return rows.nll_loss(input, target, weight, number, ignore_index)[0]
    shape = target.shape
    if input.dim() != 4:
        # As an image with one row.
        input = input.contiguous().view(*input.shape[:2], 1, -1 if input.numel() else 0)
        target = target.contiguous().view(shape[0], 1, -1 if target.numel() else 0)
    loss = rows.nll_loss2d(input, target, weight, number, ignore_index)[0]
    return loss.view(shape) if number == 0 and loss.shape != shape else loss


def _check_likelihood(input: Tensor, target: Tensor) -> None:
    rank = input.dim()
    if rank == 2 and target._value.shape == input._value.shape[:1]:
        return  # fast path for the usual case
    require(rank, "nn_class_rank")
    if rank > 1:
        targets = target.size(0) if target.dim() else 0
        require(target.dim() and input.size(0) == targets, "nn_class_batch", input.size(0), targets)
    if rank <= 2:
        require(target.dim() <= 1, "nn_class_target")
        require(rank == 2 or target.numel() == 1, "nn_class_one", target.numel())
        return
    require(rank != 4 or target.dim() == 3, "nn_class_images", target.dim())
    if input.shape[2:] != target.shape[1:]:
        sizes = input.shape if rank == 4 else (input.shape[0], *input.shape[2:])
        raise error("nn_class_image" if rank == 4 else "nn_class_size", list(sizes), list(target.shape))


def cross_entropy(input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: bool | None = None,
                  ignore_index: int = -100, reduce: bool | None = None, reduction: str = "mean",
                  label_smoothing: float = 0.0) -> Tensor:  # fmt: skip
    """`nll_loss(log_softmax(input), target)`: the loss of scores (logits) of classes.

    input: floating scores, (N, classes, ...) or (classes,). target: int64 or uint8 class numbers, (N, ...) or a
    single one; or a floating tensor of the input's size with a probability per class, to which gradients flow
    too. label_smoothing: a number in [0, 1], the share of the target replaced by equal probabilities (Szegedy
    et al., 2016). `weight`, `ignore_index`, `reduction` and errors are as in `nll_loss`. For probabilities, a
    mean divides by the number of targets, and RuntimeError is raised if `ignore_index` is not negative.

    >>> import autograd_teach as torch
    >>> scores = torch.tensor([[2.0, 0.0], [0.0, 0.0]])
    >>> torch.nn.functional.cross_entropy(scores, torch.tensor([0, 1]), reduction="none")
    tensor([0.1269, 0.6931])
    """
    reduction = legacy_reduction(size_average, reduce) or reduction
    _number(reduction)
    _require_tensors("cross_entropy_loss", input=input, target=target, weight=weight)
    of_probabilities = input.size() == target.size()
    if of_probabilities:
        require(target.is_floating_point(), "nn_probability_dtype", target._array)
        require(ignore_index < 0, "nn_probability_ignore")
    require(0 <= label_smoothing <= 1, "nn_label_smoothing", label_smoothing)
    dim = 0 if input.dim() == 1 else 1
    scores = log_softmax_dim(input, dim)
    if of_probabilities:
        return _cross_entropy_of_probabilities(scores, target, weight, reduction, label_smoothing, dim)
    loss = nll_loss(scores, target, weight, ignore_index=ignore_index, reduction=reduction)
    if label_smoothing == 0:
        return loss
    smooth = _smooth_loss(scores, target, weight, ignore_index, reduction, dim)
    classes = scores.size(dim)
    return mul_number(loss, 1 - label_smoothing) + mul_number(smooth, label_smoothing / classes)


def _cross_entropy_of_probabilities(scores: Tensor, target: Tensor, weight: Tensor | None, reduction: str,
                                    label_smoothing: float, dim: int) -> Tensor:  # fmt: skip
    classes = scores.size(dim)
    if label_smoothing:
        target = add_number(mul_number(target, 1 - label_smoothing), label_smoothing / classes)
    losses = scores * target
    if weight is not None:
        require(weight.shape == (classes,), "nn_probability_weights", classes, weight.shape)
        losses = losses * _along(weight, dim, scores.dim())
    if reduction == "none":
        return -losses.sum(dim)
    return div_number(-losses.sum(), scores.numel() // classes) if reduction == "mean" else -losses.sum()


def _smooth_loss(scores: Tensor, target: Tensor, weight: Tensor | None, ignore_index: int, reduction: str,
                 dim: int) -> Tensor:  # fmt: skip
    """The loss of a target of equal probabilities, times the number of classes."""
    losses = -(scores if weight is None else scores * _along(weight, dim, scores.dim())).sum(dim)
    ignored: Any = target == ignore_index
    losses = losses.masked_fill(ignored, 0.0)
    if reduction != "mean":
        return losses if reduction == "none" else losses.sum()
    weights = ~ignored if weight is None else weight[target.masked_fill(ignored, 0)].masked_fill(ignored, 0.0)
    return losses.sum() / weights.sum()


def _along(weight: Tensor, dim: int, rank: int) -> Tensor:
    """A vector of weights as one along dimension `dim` of `rank`."""
    return weight.view([-1 if d == dim else 1 for d in range(rank)])
