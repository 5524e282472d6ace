"""Real data for the lessons, as NumPy arrays. The files are small and part of the package, so no network is needed.

Needs only NumPy and does not use tensors, so a lesson can pass the arrays to this package or to PyTorch. README.md in this
folder says what the files are, who made them, and under which licence.
"""

from pathlib import Path

import numpy as np
import numpy.typing as npt

_SIDE = 28


def load_digits() -> tuple[npt.NDArray[np.float32], npt.NDArray[np.int64]]:
    """1,797 pictures of handwritten digits and their labels.

    Returns the pictures, float32 of shape (1797, 28, 28), from 0 (paper) to 1 (ink), and the labels, int64 of shape
    (1797,). The pictures of the data set have 8 x 8 pixels. They are scaled up to 28 x 28, the format of MNIST, by linear
    interpolation, which adds pixels but no detail.

    >>> images, labels = load_digits()
    >>> images.shape, images.dtype.name, float(images.min()), float(images.max())
    ((1797, 28, 28), 'float32', 0.0, 1.0)
    >>> labels[:10].tolist()
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]
    """
    with np.load(Path(__file__).with_name("digits.npz")) as stored:
        images, labels = stored["images"], stored["labels"]
    tall = _stretched(images / 16, axis=1)
    return _stretched(tall, axis=2).astype(np.float32), labels.astype(np.int64)


def _stretched(images: npt.NDArray[np.float64], axis: int) -> npt.NDArray[np.float64]:
    """`images` with `axis` scaled to `_SIDE` pixels by linear interpolation between the centres of the pixels."""
    side = images.shape[axis]
    place = np.clip((np.arange(_SIDE) + 0.5) * side / _SIDE - 0.5, 0, side - 1)
    below = np.minimum(place.astype(int), side - 2)
    share = (place - below).reshape([-1 if k == axis else 1 for k in range(images.ndim)])
    return images.take(below, axis) * (1 - share) + images.take(below + 1, axis) * share
