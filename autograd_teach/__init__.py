"""Learn automatic differentiation: `import autograd_teach as torch`.

Names only: every name means what it means in PyTorch 2.13, and the file it is imported from
explains it. Loads only NumPy and the standard library; `autograd_teach.viz` (pictures) and
`autograd_teach.course` are imported separately.
"""

import typing as _typing
from math import e, inf, nan, pi

# fmt: off
from . import absent as _absent, accelerator, autograd, backends, cuda, dtypes, linalg, nn, optim, random
from .autograd.modes import (
    enable_grad, inference_mode, is_anomaly_enabled, is_grad_enabled, is_inference_mode_enabled, no_grad,
    set_grad_enabled,
)
from .backends import set_num_threads, use_deterministic_algorithms
from .creation import (
    BoolTensor, ByteTensor, CharTensor, DoubleTensor, FloatTensor, HalfTensor, IntTensor, LongTensor, ShortTensor,
    arange, as_tensor, device, empty, empty_like, eye, from_numpy, full, full_like, linspace, ones,
    ones_like, rand, rand_like, randint, randint_like, randn, randn_like, randperm, tensor,
    tril_indices, triu_indices, zeros, zeros_like,
)
from .dtypes import (
    contiguous_format, dtype, float16, float32, float64, get_default_dtype, int8, int16, int32, int64, memory_format, preserve_format,
    set_default_dtype, uint8,
)
from .ops.indexing import (
    argsort, argwhere, bucketize, cummax, cummin, gather, index_add, index_copy, index_fill, index_put,
    index_select, isin, masked_scatter, masked_select, msort, nonzero, scatter, scatter_add,
    searchsorted, sort, topk, trace, unique, unique_consecutive,
)
from .ops.inplace import bernoulli, multinomial, normal
from .ops.linalg import (
    addmm, addmv, addr, baddbmm, bmm, chain_matmul, det, dot, einsum, ger, inner, inverse, kron, logdet, matmul, mm, mv,
    outer, slogdet, tensordot, vdot,
)
from .ops.pointwise import (
    abs, absolute, acos, acosh, add, addcdiv, addcmul, allclose, arccos, arccosh, arcsin, arcsinh, arctan, arctan2,
    arctanh, asin, asinh, atan, atan2, atanh, bitwise_and, bitwise_left_shift, bitwise_not, bitwise_or,
    bitwise_right_shift, bitwise_xor, ceil, clamp, clamp_max, clamp_min, clip, clone, cos, cosh, deg2rad, div,
    divide, eq, equal, erf, erfc, exp, exp2, expm1, fix, float_power, floor, floor_divide, fmax, fmin, fmod, frac,
    ge, greater, greater_equal, gt, hypot, isclose, isfinite, isinf, isnan, isneginf, isposinf, le, lerp, less,
    less_equal, log, log10, log1p, log2, logaddexp, logaddexp2, logical_and, logical_not, logical_or, logical_xor,
    lt, masked_fill, maximum, minimum, mul, multiply, nan_to_num, ne, neg, negative, not_equal, pow, rad2deg,
    reciprocal, relu, remainder, round, rsqrt, rsub, sgn, sigmoid, sign, signbit, sin, sinc, sinh, sqrt, square,
    sub, subtract, tan, tanh, threshold, true_divide, trunc, where, xlogy,
)
from .ops.reduction import (
    all, amax, amin, aminmax, any, argmax, argmin, count_nonzero, cumprod, cumsum, dist, log_softmax, logcumsumexp,
    logsumexp, max, mean, median, min, nanmean, nanmedian, nansum, norm, prod, softmax, std, std_mean, sum, var,
    var_mean,
)
from .ops.shape import (
    as_strided, atleast_1d, atleast_2d, atleast_3d, broadcast_shapes, broadcast_tensors, broadcast_to,
    cat, chunk, column_stack, concat, concatenate, diag, diag_embed, diagflat, diagonal, diagonal_copy,
    diff, dsplit, dstack, flatten, flip, fliplr, flipud, gradient, hsplit, hstack, meshgrid, moveaxis, movedim, narrow,
    numel, permute, ravel, repeat_interleave, reshape, roll, rot90, row_stack, select, split, squeeze, stack, swapaxes,
    swapdims, t, take_along_dim, tensor_split, tile, transpose, tril, triu, unbind, unflatten, unsqueeze, vsplit, vstack,
)
from .printing import set_printoptions
from .random import Generator, default_generator, initial_seed, manual_seed, seed
from .serialization import load, save
from .tensor import Size, Tensor, is_tensor
# fmt: on

half, float, double = float16, float32, float64
short, int, long, bool = int16, int32, int64, dtypes.bool_
newaxis = None
is_floating_point = Tensor.is_floating_point

__version__ = "0.2.0"

if not _typing.TYPE_CHECKING:  # type checkers report missing names better themselves

    def __getattr__(name: str) -> object:
        """An operation not listed above, or a method of tensors that is a function too, such as `torch.relu_`.

        AttributeError for a name that only PyTorch has, such as `torch.vmap`.
        """
        from .ops.operation import OPERATIONS

        if name in OPERATIONS and OPERATIONS[name].is_public:
            return OPERATIONS[name].function
        if method := _absent.method_that_is_a_function(name):
            return method
        raise _absent.attribute_error("torch", name)


_absent.answer()
