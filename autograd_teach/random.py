"""Random numbers: the stream of PyTorch's CPU generator, drawn as raw NumPy arrays.

Uses NumPy and the standard library; knows nothing of tensors (creation and in-place fills wrap what is drawn here).
The rules are those of PyTorch 2.13 on x86 (ATen/native/cpu/DistributionTemplates.h and avx_mathfun.h,
ATen/core/DistributionsHelper.h), whose compiler rounds `a * b + c` once: each such place says `_fused`.
"""

import math
import os
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

Array = NDArray[Any]
Shape = int | Sequence[int]

# NumPy's name of a dtype -> what PyTorch's errors call it: the scalar type, and the type in C++.
_NAMES = {
    "float16": ("Half", "c10::Half"),
    "float32": ("Float", "float"),
    "float64": ("Double", "double"),
    "uint8": ("Byte", "unsigned char"),
    "int8": ("Char", "signed char"),
    "int16": ("Short", "short int"),
    "int32": ("Int", "int"),
    "int64": ("Long", "long"),
    "bool": ("Bool", "bool"),
}


class Generator:
    """A Mersenne Twister whose words are taken as PyTorch's CPU generator takes them; every draw is an array.

    >>> Generator().manual_seed(0).uniform(2, "float32")
    array([0.4962566, 0.7682218], dtype=float32)
    """

    def __init__(self) -> None:
        self.manual_seed(67280421310721)  # what a fresh torch.Generator() starts from

    def manual_seed(self, seed: int) -> "Generator":
        """Start the stream of `seed`, from -2**63 to 2**64 - 1 (else ValueError); negative seeds count from 2**64."""
        seed = int(seed)
        if not -(2**63) <= seed < 2**64:
            raise ValueError("Overflow when unpacking long long")
        self._seed = seed % 2**64
        self._second_normals = np.empty(0)
        self.__dict__.pop("_twister", None)
        return self

    def seed(self) -> int:
        """Seed from the operating system's entropy; returns that seed."""
        return self.manual_seed(int.from_bytes(os.urandom(8), "big")).initial_seed()

    def initial_seed(self) -> int:
        """The seed from which the present stream started."""
        return self._seed

    def uniform(self, shape: Shape, dtype: DTypeLike, low: float = 0.0, high: float = 1.0) -> Array:
        """Uniform in [low, high), as `Tensor.uniform_` and `torch.rand` draw it; float dtypes only.

        >>> Generator().manual_seed(0).uniform(2, "float64", -1, 1)
        array([0.940106  , 0.41563973])
        """
        dtype = _floating(dtype, "check_uniform_bounds")
        limit = float(np.finfo(dtype).max)
        _check_bounds(dtype, -limit, limit, ("from", low), ("to", high))
        if low > high:
            found = f"but found from={low:g} > to={high:g}"
            raise RuntimeError(f"uniform_ expects to return a [from, to) range, {found}")
        if high - low > limit:
            largest = f"std::numeric_limits<{_NAMES[dtype.name][0]}>::max()"
            found = f"but found to={high:g} and from={low:g} which result in to-from to exceed the limit"
            raise RuntimeError(f"uniform_ expects to-from <= {largest}, {found}")
        wide = np.promote_types(dtype, np.float32).type  # half is computed in single precision
        unit = self._unit(_count(shape), dtype)
        values = _fused(unit, wide(high) - wide(low), wide(low)).astype(dtype)
        values[values == dtype.type(high)] = low  # rounded up to the bound that is left out
        return values.reshape(shape)

    def normal(
        self,
        shape: Shape,
        dtype: DTypeLike,
        mean: float = 0.0,
        std: float = 1.0,
        contiguous: bool = True,
    ) -> Array:
        """Normal, as `Tensor.normal_` and `torch.randn` draw it; float dtypes only.

        16 and more elements of a contiguous tensor (say so if what you fill is not) are Box-Muller transforms of
        blocks of 16 uniforms, the last 16 drawn anew if a block stays unfinished. All others come in pairs, in double.

        >>> Generator().manual_seed(0).normal(2, "float32")
        array([ 1.5409961, -0.2934289], dtype=float32)
        """
        dtype = _floating(dtype, "normal_kernel_cpu")
        if not std >= 0:
            raise RuntimeError(f"normal expects std >= 0.0, but found std {std:g}")
        count = _count(shape)
        wide = np.promote_types(dtype, np.float32)
        if count < 16 or not contiguous:
            pairs = self._normals_in_pairs(count)
            values = _fused(pairs, np.float64(std), np.float64(mean)).astype(wide)
            return values.astype(dtype).reshape(shape)
        rest = count % 16
        # An unfinished block costs its uniforms, except in half precision.
        drawn = (count - rest if dtype == np.float16 else count) + (16 if rest else 0)
        unit = self._unit(drawn, dtype).astype(wide)
        values = np.empty(count, wide)
        values[: count - rest] = _box_muller(unit[: count - rest])
        if rest:
            values[-16:] = _box_muller(unit[-16:])
        return _fused(values, wide.type(std), wide.type(mean)).astype(dtype).reshape(shape)

    def randint(self, low: int, high: int, shape: Shape, dtype: DTypeLike = np.int64) -> Array:
        """Integers in [low, high), as `torch.randint` and `Tensor.random_(low, high)` draw them; all exact in `dtype`.

        >>> Generator().manual_seed(0).randint(0, 10, 5)
        array([4, 9, 3, 0, 3])
        """
        dtype = np.dtype(dtype)
        if low >= high:
            found = f"but got from={low} >= to={high}"
            raise RuntimeError(f"random_ expects 'from' to be less than 'to', {found}")
        _check_bounds(dtype, *_exact_range(dtype), ("from", low), ("to - 1", high - 1))
        span = np.uint64(high - low)
        words = self._words64 if span >= 2**28 else self._words
        offsets = words(_count(shape)) % span
        return (offsets.astype(np.int64) + np.int64(low)).astype(dtype).reshape(shape)

    def random(self, shape: Shape, dtype: DTypeLike) -> Array:
        """Integers from 0 to the last that `dtype` holds without a gap, as `Tensor.random_()` draws them.

        >>> Generator().manual_seed(0).random(3, "uint8")
        array([172,  47, 117], dtype=uint8)
        """
        dtype = np.dtype(dtype)
        words = self._words64 if dtype in (np.int64, np.float64) else self._words
        values = words(_count(shape)) % np.uint64(_exact_range(dtype)[1] + 1)
        return values.astype(dtype).reshape(shape)

    def randperm(self, n: int, dtype: DTypeLike = np.int64) -> Array:
        """A permutation of 0 ... n - 1, as `torch.randperm` draws it, for n < 2**32 / 20.

        The one loop over elements here: an exchange needs the one before it (half a microsecond each).

        >>> Generator().manual_seed(0).randperm(5)
        array([4, 0, 1, 3, 2])
        """
        if n < 0:
            raise RuntimeError(f"Trying to create tensor with negative dimension {n}: [{n}]")
        left = np.arange(n, 1, -1)
        ahead = self._words(len(left)).astype(np.int64) % left
        order = list(range(n))
        for i, other in enumerate((ahead + np.arange(len(left))).tolist()):
            order[i], order[other] = order[other], order[i]
        return np.array(order, dtype)

    def bernoulli(self, p: float | Array, shape: Shape, dtype: DTypeLike) -> Array:
        """One with probability `p`, else zero, as `Tensor.bernoulli_`; an array `p` (floats) broadcasts to `shape`.

        A number or float64 array is compared with 53 random bits, any other array with 24.

        >>> Generator().manual_seed(0).bernoulli(0.5, 4, "int64")
        array([0, 0, 1, 0])
        """
        if not isinstance(p, np.ndarray):
            if not 0 <= p <= 1:
                raise RuntimeError(f"bernoulli_ expects p to be in [0, 1], but got p={p:g}")
            p = np.asarray(p, np.float64)
        bits = _floating(p.dtype, "bernoulli_tensor_cpu_p_")
        chance = np.broadcast_to(p, shape)
        if not np.all((chance >= 0) & (chance <= 1)):
            raise RuntimeError(
                "Expected p_in >= 0 && p_in <= 1 to be true, but got false.  (Could this error message "
                "be improved?  If so, please report an enhancement request to PyTorch.)"
            )
        unit = self._unit(_count(shape), bits)
        return (unit.reshape(shape) < chance).astype(dtype)

    @cached_property
    def _twister(self) -> "np.random.MT19937":
        # Made only when needed, since NumPy loads its random module with it.
        twister = np.random.MT19937(0)
        # The classic seeding by one word, which NumPy's stubs leave out.
        twister._legacy_seeding(self._seed % 2**32)  # type: ignore[attr-defined]
        return twister

    def _words(self, count: int) -> Array:
        """The next `count` words of 32 bits."""
        if count < 1000:
            return self._twister.random_raw(count)
        # The same words in a quarter of the time, but for 5 µs more at the start.
        return np.random.Generator(self._twister).integers(2**32, size=count, dtype=np.uint32)

    def _words64(self, count: int) -> Array:
        """The next `count` words of 64 bits, each made of two, high half first."""
        high, low = self._words(2 * count).reshape(-1, 2).T
        return high.astype(np.uint64) << np.uint64(32) | low

    def _unit(self, count: int, dtype: np.dtype[Any]) -> Array:
        """Uniform in [0, 1), as float64: of 53 bits of two words for float64, else of 24 bits of one word."""
        if dtype == np.float64:
            return (self._words64(count) & np.uint64(2**53 - 1)) * 2.0**-53
        return (self._words(count) & 0xFFFFFF) * 2.0**-24

    def _normals_in_pairs(self, count: int) -> Array:
        """Standard normals, as float64, two at a time: the second of a broken pair comes first in the next call."""
        pairs = (count - len(self._second_normals) + 1) // 2
        u1, u2 = self._unit(2 * pairs, np.dtype(np.float64)).reshape(-1, 2).T
        radius, angle = np.sqrt(-2.0 * np.log1p(-u2)), 2.0 * math.pi * u1
        drawn = np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1)
        values = np.concatenate([self._second_normals, drawn.reshape(-1)])
        self._second_normals = values[count:].copy()
        return values[:count]


default_generator = Generator()
default_generator.seed()
manual_seed, seed = default_generator.manual_seed, default_generator.seed
initial_seed = default_generator.initial_seed
uniform, normal = default_generator.uniform, default_generator.normal
randint, random = default_generator.randint, default_generator.random
randperm, bernoulli = default_generator.randperm, default_generator.bernoulli


def filled(array: Array, draw: Callable[..., Array], *others: Array) -> Array:
    """What `draw(shape, *others)` puts into `array` when PyTorch fills it in place: in the order of its memory.

    `draw` is given the shape with its axes by falling stride, and `others`, arrays of the shape of `array`, alike.

    >>> filled(np.zeros((2, 2)).T, lambda shape: np.arange(4).reshape(shape))
    array([[0, 2],
           [1, 3]])
    """
    axes = sorted(range(array.ndim), key=lambda axis: -array.strides[axis])
    shape = [array.shape[axis] for axis in axes]
    return draw(shape, *(other.transpose(axes) for other in others)).transpose(np.argsort(axes))


def _count(shape: Shape) -> int:
    return math.prod((shape,) if isinstance(shape, int) else shape)


def _floating(dtype: DTypeLike, kernel: str) -> np.dtype[Any]:
    dtype = np.dtype(dtype)
    if dtype.kind != "f":
        raise NotImplementedError(f"\"{kernel}\" not implemented for '{_NAMES[dtype.name][0]}'")
    return dtype


def _check_bounds(dtype: np.dtype[Any], first: float, last: float, *bounds: tuple[str, float]) -> None:
    for name, bound in bounds:
        if not first <= bound <= last:
            raise RuntimeError(f"{name} is out of bounds for {_NAMES[dtype.name][1]}")


def _exact_range(dtype: np.dtype[Any]) -> tuple[int, int]:
    """The integers that `dtype` holds without a gap."""
    if dtype.kind == "f":
        last = 2 ** (np.finfo(dtype).nmant + 1)
        return -last, last
    return (0, 1) if dtype == np.bool_ else (np.iinfo(dtype).min, np.iinfo(dtype).max)


def _fused(a: Array, b: Any, c: Any) -> Array:
    """`a * b + c` rounded once, in the dtype of `b`: float32 by way of double, float64 by Dekker's and Knuth's sums."""
    if b.dtype == np.float32:  # a product of two is exact in double
        return (np.multiply(a, b, dtype=np.float64) + c).astype(np.float32)
    product = a * b
    if abs(b) > 1e290:  # its halves would overflow
        return product + c
    a_split, b_split = a * 134217729.0, b * 134217729.0  # 2**27 + 1 cuts 53 digits into halves
    a_high, b_high = a_split - (a_split - a), b_split - (b_split - b)
    a_low, b_low = a - a_high, b - b_high
    lost = ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low
    total = product + c
    added = total - product
    return total + ((product - (total - added)) + (c - added) + lost)


def _box_muller(unit: Array) -> Array:
    """Standard normals from uniforms in blocks of 16, the first eight of each against the second eight."""
    first, second = unit.reshape(-1, 2, 8).swapaxes(0, 1)
    angle = unit.dtype.type(2.0 * math.pi) * second
    if unit.dtype == np.float32:
        radius, (sine, cosine) = np.sqrt(-2 * _log(1 - first)), _sin_cos(angle)
    else:
        radius, sine, cosine = np.sqrt(-2 * np.log(1 - first)), np.sin(angle), np.cos(angle)
    return np.stack([radius * cosine, radius * sine], axis=1).reshape(-1)


# PyTorch's blocks of float32 use the single-precision functions of the Cephes library. Their steps, done with nothing
# but basic arithmetic, give normals that are equal to the last bit, on every machine.


def _polynomial(x: Array, *coefficients: float) -> Array:
    """Horner's rule, highest power first."""
    value = np.full_like(x, coefficients[0])
    for coefficient in coefficients[1:]:
        value = _fused(x, value, np.float32(coefficient))
    return value


def _log(x: Array) -> Array:
    """Natural logarithm: of the power of two, and a polynomial for a mantissa from sqrt(1/2) to sqrt(2)."""
    mantissa, exponent = np.frexp(x)
    small = mantissa < np.float32(math.sqrt(0.5))
    e = (exponent - small).astype(np.float32)
    x = np.where(small, mantissa + mantissa, mantissa) - 1
    series = [7.0376836292e-2, -1.1514610310e-1, 1.1676998740e-1, -1.2420140846e-1, 1.4249322787e-1]
    series += [-1.6668057665e-1, 2.0000714765e-1, -2.4999993993e-1, 3.3333331174e-1]
    z = x * x
    y = _fused(z, x * _polynomial(x, *series), e * np.float32(-2.12194440e-4)) - z / 2
    return _fused(e, np.float32(0.693359375), x + y)


def _sin_cos(x: Array) -> tuple[Array, Array]:
    """Sine and cosine from 0 to 2 pi: polynomials around the next multiple of pi / 2."""
    octant = ((x * np.float32(4 / math.pi)).astype(np.int32) + 1) & ~1
    for part in (-0.78515625, -2.4187564849853515625e-4, -3.77489497744594108e-8):  # of -pi / 4
        x = _fused(octant, np.float32(part), x)
    z = x * x
    c = z * _polynomial(z, 2.443315711809948e-5, -1.388731625493765e-3, 4.166664568298827e-2)
    s = z * _polynomial(z, -1.9515295891e-4, 8.3321608736e-3, -1.6666654611e-1)
    cosine, sine = _fused(z, c, z / -2) + 1, _fused(x, s, x)
    swapped = octant & 2 != 0
    sine, cosine = np.where(swapped, cosine, sine), np.where(swapped, sine, cosine)
    return np.where(octant & 4, -sine, sine), np.where(octant + 2 & 4, -cosine, cosine)
