"""Learn automatic differentiation: `import autograd_teach as torch`.

Names only: every name here means what it means in PyTorch 2.13, and the file it is imported from says how it works. Loads NumPy
and the standard library, nothing else; the pictures (`autograd_teach.viz`) and the course (`autograd_teach.course`) are imported
on their own.
"""

import warnings as _warnings

from . import autograd, dtypes, linalg, nn, optim, random  # built on the names above
from .autograd.modes import (
    enable_grad,
    inference_mode,
    is_anomaly_enabled,
    is_grad_enabled,
    is_inference_mode_enabled,
    no_grad,
    set_grad_enabled,
)
from .creation import (
    arange,
    as_tensor,
    empty,
    empty_like,
    eye,
    from_dlpack,
    from_numpy,
    full,
    full_like,
    linspace,
    manual_seed,
    normal,
    ones,
    ones_like,
    rand,
    rand_like,
    randint,
    randint_like,
    randn,
    randn_like,
    randperm,
    tensor,
    zeros,
    zeros_like,
)
from .dtypes import (
    dtype,
    float16,
    float32,
    float64,
    get_default_dtype,
    int8,
    int16,
    int32,
    int64,
    set_default_dtype,
    uint8,
)
from .ops.arranging import (
    diag,
    diag_embed,
    flip,
    hstack,
    movedim,
    ravel,
    roll,
    tile,
    trace,
    tril,
    triu,
    unflatten,
    vstack,
)
from .ops.indexing import index_add, index_select, masked_select, take_along_dim
from .ops.inplace import bernoulli
from .ops.linalg import addmm, baddbmm, bmm, dot, inverse, matmul, mm, mv, outer
from .ops.ordering import (
    argsort,
    bucketize,
    gather,
    isin,
    nonzero,
    scatter,
    scatter_add,
    searchsorted,
    sort,
    topk,
    unique,
)
from .ops.pointwise import (
    abs,
    absolute,
    acos,
    acosh,
    add,
    asin,
    atan,
    bitwise_and,
    bitwise_not,
    bitwise_or,
    bitwise_xor,
    ceil,
    clamp,
    clamp_max,
    clamp_min,
    clone,
    cos,
    cosh,
    div,
    divide,
    eq,
    exp,
    expm1,
    floor,
    ge,
    gt,
    isfinite,
    isinf,
    isnan,
    le,
    log,
    log1p,
    logical_and,
    logical_not,
    logical_or,
    logical_xor,
    lt,
    masked_fill,
    maximum,
    minimum,
    mul,
    multiply,
    ne,
    neg,
    negative,
    pow,
    reciprocal,
    relu,
    round,
    rsqrt,
    rsub,
    sgn,
    sigmoid,
    sign,
    signbit,
    sin,
    sinh,
    sqrt,
    square,
    sub,
    subtract,
    tan,
    tanh,
    threshold,
    true_divide,
    where,
)
from .ops.reduction import all, any, argmax, argmin, count_nonzero, max, mean, median, min, nanmedian, norm, sum
from .ops.shape import (
    cat,
    chunk,
    diagonal,
    flatten,
    narrow,
    permute,
    reshape,
    select,
    split,
    squeeze,
    stack,
    swapaxes,
    swapdims,
    t,
    transpose,
    unbind,
    unsqueeze,
)
from .ops.statistics import (
    amax,
    amin,
    cumsum,
    log_softmax,
    logsumexp,
    nansum,
    prod,
    softmax,
    std,
    std_mean,
    var,
    var_mean,
)
from .printing import set_printoptions
from .random import Generator, default_generator, initial_seed, seed
from .tensor import Size, Tensor, allclose, equal, is_tensor

half = float16
float = float32
double = float64
short = int16
int = int32
long = int64
bool = dtypes.bool_

# PyTorch computes log(0) or 1/0 without a word; NumPy's warnings about it, where our code causes them, would be noise.
_warnings.filterwarnings("ignore", category=RuntimeWarning, module=r"autograd_teach\b")

__version__ = "0.1.0"
