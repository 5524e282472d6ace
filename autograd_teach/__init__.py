"""Learn automatic differentiation: `import autograd_teach as torch`.

Names only: every name here means what it means in PyTorch 2.13, and the file it is imported from says how it works. Loads NumPy
and the standard library, nothing else; the pictures (`autograd_teach.viz`) and the course (`autograd_teach.course`) are imported
on their own.
"""

import warnings as _warnings

from . import autograd, dtypes, nn, optim, random  # built on the names above
from .autograd.modes import enable_grad, is_grad_enabled, no_grad, set_grad_enabled
from .creation import (
    arange,
    as_tensor,
    empty,
    empty_like,
    eye,
    from_numpy,
    full,
    full_like,
    linspace,
    manual_seed,
    ones,
    ones_like,
    rand,
    rand_like,
    randint,
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
from .ops.linalg import addmm, dot, matmul, mm, mv, outer
from .ops.pointwise import (
    abs,
    absolute,
    add,
    bitwise_not,
    clamp,
    clone,
    cos,
    div,
    divide,
    eq,
    exp,
    ge,
    gt,
    isfinite,
    isinf,
    isnan,
    le,
    log,
    log1p,
    logical_not,
    lt,
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
    rsub,
    sgn,
    sigmoid,
    sign,
    sin,
    sqrt,
    square,
    sub,
    subtract,
    tanh,
    true_divide,
    where,
)
from .ops.reduction import all, any, argmax, argmin, count_nonzero, max, mean, min, norm, sum
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
    t,
    transpose,
    unbind,
    unsqueeze,
)
from .printing import set_printoptions
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
