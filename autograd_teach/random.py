"""Random numbers: the stream of PyTorch's CPU generator, drawn as raw NumPy arrays.

Draws arrays, not tensors: creation and in-place fills make the tensors. The algorithms are those of
PyTorch 2.13 on x86 (ATen/native/cpu/DistributionTemplates.h, ATen/core/DistributionsHelper.h).
"""

import math
import os
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .errors import require
from .fused import fused
from .geometry import axes_by_stride

Array = np.ndarray
Shape = Sequence[int]


class Generator:
    """A random number generator with its own state: a Mersenne Twister, whose words are used as in PyTorch.

    device: "cpu", which changes nothing. Functions such as `torch.rand` take a generator as `generator=`. The same seed
    gives PyTorch's numbers; the methods that draw return arrays.

    >>> import autograd_teach as torch
    >>> torch.rand(2, generator=torch.Generator().manual_seed(0))
    tensor([0.4963, 0.7682])
    >>> Generator().manual_seed(0).uniform([2], "float32")
    array([0.4962566, 0.7682218], dtype=float32)
    """

    def __init__(self, device: Any = "cpu") -> None:
        self.manual_seed(67280421310721)  # the seed of a new torch.Generator()

    def manual_seed(self, seed: int) -> "Generator":
        """Restart the stream from `seed`: the same numbers follow each time. Returns the generator.

        seed: an int from -2**63 to 2**64 - 1, else ValueError; -1 is the seed 2**64 - 1.
        `torch.manual_seed` seeds the default generator, which is used by functions that are not
        given another one.

        >>> import autograd_teach as torch
        >>> _ = torch.manual_seed(0)
        >>> torch.rand(2)
        tensor([0.4963, 0.7682])
        """
        require(-(2**63) <= int(seed) < 2**64, "overflow_unpacking")
        self._seed, self._second_normals = int(seed) % 2**64, np.empty(0)
        self._twister: Any = None  # made when needed, because it loads NumPy's random module
        return self

    def seed(self) -> int:
        """Restart the stream from a random seed of the operating system, and return the seed.

        `torch.seed` does this for the default generator. Pass the seed to `manual_seed` to repeat
        the run.

        >>> import autograd_teach as torch
        >>> seed, x = torch.seed(), torch.rand(2)
        >>> torch.equal(torch.rand(2, generator=torch.manual_seed(seed)), x)
        True
        """
        return self.manual_seed(int.from_bytes(os.urandom(8), "big"))._seed

    def initial_seed(self) -> int:
        """The seed that this stream started from, from 0 to 2**64 - 1; drawing numbers does not change it.

        >>> import autograd_teach as torch
        >>> torch.manual_seed(7).initial_seed(), torch.initial_seed()
        (7, 7)
        """
        return self._seed

    def uniform(self, shape: Shape, dtype: Any, low: float = 0.0, high: float = 1.0) -> Array:
        """Uniform in [low, high), as `Tensor.uniform_` and `torch.rand` draw it; float dtypes only."""
        dtype, wide = _floating(dtype, "check_uniform_bounds")
        require(low <= high, "uniform_bounds", low, high)
        require(high - low <= float(np.finfo(dtype).max), "uniform_limit", dtype, high, low)
        values = fused(self._unit(shape, dtype), wide(high) - wide(low), wide(low)).astype(dtype)
        return np.where(values == dtype.type(high), dtype.type(low), values)  # rounded up to `high`, which is excluded

    def normal(self, shape: Shape, dtype: Any, mean: float = 0.0, std: float = 1.0, contiguous: bool = True) -> Array:
        """Normal, as `Tensor.normal_` and `torch.randn` draw it, to two units in the last place; float dtypes only.

        A contiguous tensor of 16 or more elements gets Box-Muller transforms of blocks of 16
        uniforms; if the last block is incomplete, the last 16 are drawn again. Other tensors get
        pairs, in double; half a pair is kept for the next call.
        """
        dtype, wide = _floating(dtype, "normal_kernel_cpu")
        require(std >= 0, "normal_std", std)
        count, waiting = math.prod(shape), self._second_normals
        if count < 16 or not contiguous:
            unit = self._unit([(count - waiting.size + 1) // 2, 2, 1], np.float64)
            values = np.concatenate([waiting, _box_muller(unit[:, 1], unit[:, 0])])
            values, self._second_normals = values[:count], values[count:].copy()
            values = fused(values, np.float64(std), np.float64(mean)).astype(wide)
        else:
            whole = count // 16 * 16
            # An incomplete block still consumes its uniforms, except in half precision.
            drawn = (whole if dtype == np.float16 else count) + 16 * (whole < count)
            unit = self._unit([drawn], dtype).astype(wide)
            blocks = np.concatenate([unit[:whole], unit[-16:]]).reshape(-1, 2, 8)
            values = _box_muller(blocks[:, 0], blocks[:, 1])
            values = fused(np.concatenate([values[: count - 16], values[-16:]]), wide(std), wide(mean))
        return values.astype(dtype).reshape(shape)

    def randint(self, low: int, high: int, shape: Shape, dtype: Any = np.int64) -> Array:
        """Integers in [low, high), exact in `dtype`, as `torch.randint` and `Tensor.random_(low, high)` draw them."""
        require(low < high, "random_range", low, high)
        first, last = exact_range(np.dtype(dtype))
        require(first <= low, "random_bound", "from", np.dtype(dtype))
        require(high - 1 <= last, "random_bound", "to - 1", np.dtype(dtype))
        words = self._words(shape, 64 if high - low >= 2**28 else 32)
        return ((words % np.uint64(high - low)).astype(np.int64) + np.int64(low)).astype(dtype)

    def random(self, shape: Shape, dtype: Any) -> Array:
        """Integers from 0 to the largest that `dtype` represents without gaps, as `Tensor.random_()` draws them."""
        last = exact_range(np.dtype(dtype))[1]
        words = self._words(shape, 64 if np.dtype(dtype) in (np.int64, np.float64) else 32)
        return (words % np.uint64(last + 1)).astype(dtype)

    def randperm(self, n: int, dtype: Any = np.int64) -> Array:
        """A permutation of 0 ... n - 1, as `torch.randperm` draws it, for n < 2**32 / 20."""
        left, order = np.arange(n, 1, -1), list(range(n))
        # A loop over elements, because each swap depends on the one before it (half a microsecond
        # each).
        for i, other in enumerate((self._words(left.shape).astype(int) % left + np.arange(left.size)).tolist()):
            order[i], order[other] = order[other], order[i]
        return np.array(order, dtype)

    def bernoulli(self, p: Any, shape: Shape, dtype: Any) -> Array:
        """One with probability `p`, else zero, as `Tensor.bernoulli_` draws it; `p` is a number or a float array of that shape."""
        if isinstance(p, np.ndarray):
            require(p.dtype.kind == "f", "kernel_not_implemented", "bernoulli_tensor_cpu_p_", p)
            require(((p >= 0) & (p <= 1)).all(), "bernoulli_ps")
            return (self._unit(shape, p.dtype) < p).astype(dtype)
        require(0 <= p <= 1, "bernoulli_p", p)
        return (self._unit(shape, np.float64) < p).astype(dtype)

    def exponential(self, shape: Shape, dtype: Any, lambd: float = 1.0) -> Array:
        """Exponential with rate `lambd`, as `Tensor.exponential_` draws it; float dtypes only."""
        require(lambd > 0, "exponential_lambda", lambd)
        require(np.dtype(dtype).kind == "f", "exponential_dtype", np.empty(0, dtype))
        return (np.log1p(-self._unit(shape, np.float64)) * (-1 / lambd)).astype(dtype)

    def multinomial(self, p: Array, count: int, replacement: bool = False) -> Array:
        """`count` indices into each row of weights, as `torch.multinomial` draws them, with probabilities `p / p.sum()`."""
        require(p.shape[-1], "multinomial_sum")
        if not replacement or count == 1:
            require((p.max(initial=0) < np.inf) & (p.min(initial=0) >= 0), "multinomial_weights")
            require((p.sum(-1) != 0).all(), "multinomial_sum")
            # An exponential race: each index gets an exponential time with its weight as the rate,
            # and the fastest win.
            order: Any = "C" if 0 in p.strides else "K"
            times = filled(np.empty_like(p, order=order), lambda shape: self.exponential(shape, p.dtype))
            speeds = p / times
            return np.argsort(-speeds, -1, kind="stable")[..., :count]
        places = np.empty((*p.shape[:-1], count), np.int64)
        for weights, row in zip(p.reshape(-1, p.shape[-1]), places.reshape(-1, count)):
            require((weights >= 0).all(), "multinomial_negative")
            require(np.isfinite(weights).all(), "multinomial_infinite")
            ends = np.cumsum(weights, dtype=np.promote_types(p.dtype, np.float32))
            require(ends[-1] > 0, "multinomial_sum")
            ends /= ends[-1]
            ends[-1] = 1
            row[:] = np.searchsorted(ends, self._unit([count], np.float64))
        return places

    def _words(self, shape: Shape, bits: int = 32) -> Array:
        """The next 32-bit words, or 64-bit words made of two, high half first; as uint64."""
        self._twister = self._twister or np.random.RandomState(self._seed % 2**32)
        words = self._twister.randint(2**32, size=[*shape, bits // 32], dtype=np.uint32).astype(np.uint64)
        return words[..., 0] if bits == 32 else words[..., 0] << np.uint64(32) | words[..., 1]

    def _unit(self, shape: Shape, dtype: Any) -> Array:
        """Uniform in [0, 1), as float64: from 53 bits of two words for float64, else from 24 bits of one word."""
        bits, of = (53, 64) if dtype == np.float64 else (24, 32)
        return (self._words(shape, of) & np.uint64(2**bits - 1)) * 2.0**-bits


default_generator = Generator()
default_generator.seed()
manual_seed, seed, initial_seed = default_generator.manual_seed, default_generator.seed, default_generator.initial_seed


def filled(array: Array, draw: Callable[..., Array], *beside: Array) -> Array:
    """The values of `draw(shape, *beside)`, placed as if PyTorch filled `array` in place: in the order of its memory.

    beside: arrays of the same shape, passed to `draw` in that order as well.
    """
    axes = axes_by_stride(array)
    turned = [other.transpose(axes) for other in beside]
    return draw([array.shape[axis] for axis in axes], *turned).transpose(np.argsort(axes))


def _floating(dtype: Any, kernel: str) -> tuple[Any, Any]:
    """The dtype, and the type to compute in: single precision for half."""
    require(np.dtype(dtype).kind == "f", "kernel_not_implemented", kernel, np.empty(0, dtype))
    return np.dtype(dtype), np.promote_types(dtype, np.float32).type


def exact_range(dtype: Any) -> tuple[int, int]:
    """The range of integers that `dtype` represents without gaps."""
    if dtype.kind == "f":
        return -(2 ** (np.finfo(dtype).nmant + 1)), 2 ** (np.finfo(dtype).nmant + 1)
    return (0, 1) if dtype == np.bool_ else (np.iinfo(dtype).min, np.iinfo(dtype).max)


def _box_muller(first: Array, second: Array) -> Array:
    """Standard normals from uniforms in [0, 1): rows of cosines and rows of sines, in turn."""
    radius = np.sqrt(-2 * np.log(1 - first, dtype=np.float64))
    angle = (first.dtype.type(2 * math.pi) * second).astype(np.float64)
    turn = np.cos(angle) + 1j * np.sin(angle)
    if first.dtype == np.float32:
        # PyTorch's series use the angle's distance from a multiple of pi / 2, and its square, in
        # single precision.
        quarter = np.rint(angle / (math.pi / 2))
        rest = (angle - quarter * (math.pi / 2)).astype(np.float32)
        turn = (np.cos(np.sqrt(rest * rest, dtype=np.float64)) + 1j * np.sin(rest, dtype=np.float64)) * 1j**quarter
    normals = radius * turn
    return np.stack([normals.real, normals.imag], axis=1).reshape(-1).astype(first.dtype)
