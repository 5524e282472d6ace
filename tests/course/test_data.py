"""The data that travel with the package."""

from pathlib import Path

import numpy as np

from autograd_teach.course import data
from autograd_teach.course.data import load_digits

FOLDER = Path(data.__file__).parent


def test_digits_are_pictures_with_labels() -> None:
    images, labels = load_digits()
    assert images.shape == (1797, 28, 28) and images.dtype == np.float32
    assert labels.shape == (1797,) and labels.dtype == np.int64
    assert images.min() == 0 and images.max() == 1
    assert np.bincount(labels).tolist() == [178, 182, 177, 183, 181, 182, 181, 179, 174, 180]


def test_scaling_up_keeps_each_picture() -> None:
    images, _ = load_digits()
    with np.load(FOLDER / "digits.npz") as stored:
        small = stored["images"] / 16
    # Pixel 5 of 28 lies at 5.5 / 3.5 - 0.5 = 1.0714 of 8, that is, between pixels 1 and 2.
    near, share = [1, 2], np.array([1 - 1 / 14, 1 / 14])
    mixed = np.einsum("i,nij,j->n", share, small[:, near][:, :, near], share)
    np.testing.assert_allclose(images[:, 5, 5], mixed, atol=1e-6)
    np.testing.assert_array_equal(images[:, [0, 0, 27, 27], [0, 27, 0, 27]], small[:, [0, 0, 7, 7], [0, 7, 0, 7]])
    np.testing.assert_allclose(images.mean((1, 2)), small.mean((1, 2)), atol=0.01)


def test_each_call_gives_arrays_of_its_own() -> None:
    images, labels = load_digits()
    images[:], labels[:] = -1, -1
    again, _ = load_digits()
    assert again.min() == 0


def test_source_and_licence_are_stated_beside_the_data() -> None:
    told = (FOLDER / "README.md").read_text(encoding="utf-8")
    for file in FOLDER.glob("*.npz"):
        assert f"## {file.name}" in told
    assert "**Source**" in told and "**Licence**" in told and "CC BY 4.0" in told
