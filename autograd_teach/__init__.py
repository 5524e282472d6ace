"""Learn automatic differentiation: `import autograd_teach as torch`.

Names only: every name here means what it means in PyTorch 2.13, and the file it is imported from says how it works. Loads NumPy
and the standard library, nothing else; the pictures (`autograd_teach.viz`) and the course (`autograd_teach.course`) are imported
on their own.
"""

import typing as _typing

# fmt: off
from . import autograd, dtypes, linalg, nn, optim, random
from .autograd.modes import (
    enable_grad, inference_mode, is_anomaly_enabled, is_grad_enabled, is_inference_mode_enabled, no_grad,
    set_grad_enabled,
)
from .creation import (
    BoolTensor, ByteTensor, CharTensor, DoubleTensor, FloatTensor, HalfTensor, IntTensor, LongTensor, ShortTensor,
    arange, as_tensor, cuda, device, empty, empty_like, eye, from_numpy, full, full_like, linspace, ones,
    ones_like, rand, rand_like, randint, randint_like, randn, randn_like, randperm, tensor, zeros, zeros_like,
)
from .dtypes import (
    dtype, float16, float32, float64, get_default_dtype, int8, int16, int32, int64, set_default_dtype, uint8,
)
from .ops.indexing import (
    argsort, bucketize, gather, index_put, index_select, isin, scatter, scatter_add, searchsorted, sort, trace, unique,
)
from .ops.linalg import addmm, bmm, dot, matmul, mm, mv, outer
from .ops.pointwise import (
    abs, acos, acosh, add, allclose, asin, atan, bitwise_and, bitwise_not, bitwise_or, bitwise_xor, ceil, clamp, clone,
    cos, cosh, div, eq, equal, exp, expm1, floor, ge, gt, isfinite, isinf, isnan, le, log, log10, log1p, logical_and,
    logical_not, logical_or, logical_xor, lt, masked_fill, maximum, minimum, mul, ne, neg, pow, reciprocal, relu, round,
    rsqrt, rsub, sgn, sigmoid, sign, signbit, sin, sinh, sqrt, square, sub, tan, tanh, threshold, where,
)
from .ops.reduction import (
    all, amax, amin, any, argmax, argmin, count_nonzero, cumsum, log_softmax, logsumexp, max, mean, median, min,
    nanmedian, norm, prod, softmax, std, sum, var, var_mean,
)
from .ops.shape import (
    as_strided, cat, chunk, diagonal, flatten, flip, narrow, permute, reshape, select, split, squeeze, stack, swapaxes,
    swapdims, t, transpose, tril, triu, unbind, unsqueeze,
)
from .printing import set_printoptions
from .random import Generator, default_generator, initial_seed, manual_seed, seed
from .tensor import Size, Tensor, is_tensor
# fmt: on

half, float, double = float16, float32, float64
short, int, long, bool = int16, int32, int64, dtypes.bool_
numel, is_floating_point = Tensor.numel, Tensor.is_floating_point

__version__ = "0.1.0"

if not _typing.TYPE_CHECKING:  # whose own words about a missing name are better

    def __getattr__(name: str) -> object:
        """A row that is not listed above; AttributeError for what PyTorch has and this package has not, such as `torch.vmap`."""
        from .ops.operation import OPERATIONS

        if name in OPERATIONS and OPERATIONS[name].is_public:
            return OPERATIONS[name].function
        raise AttributeError(f"autograd_teach has no {name!r}: of PyTorch it has what is needed to learn autograd")
