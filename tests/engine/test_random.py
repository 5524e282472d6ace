"""The stream of random numbers, against what PyTorch 2.13.0 drew (tests/parity/record_text_random.py)."""

import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from autograd_teach import random
from autograd_teach.random import Generator

RECORDED = json.loads((Path(__file__).parents[1] / "parity/data/text_random.json").read_text("utf-8"))["drawn"]


@pytest.mark.parametrize(("seed", "draws"), RECORDED, ids=lambda value: str(value) if isinstance(value, int) else "")
def test_draws_what_pytorch_drew(seed: int, draws: list[Any]) -> None:
    generator = Generator().manual_seed(seed)
    for (name, *arguments), expected in draws:
        values = getattr(generator, name)(*arguments)
        if isinstance(expected, str):
            assert hashlib.sha256(values).hexdigest() == expected, (name, arguments)
        elif name == "normal":
            # The logarithm, sine and cosine are NumPy's, not PyTorch's.
            np.testing.assert_array_max_ulp(values, np.array(expected, values.dtype), 2)
        else:
            assert values.tolist() == expected, (name, arguments)


@pytest.mark.parametrize(
    ("seed", "kept"),
    [
        (0, 0),
        (-1, 2**64 - 1),
        (-(2**63), 2**63),
        (2**64 - 1, 2**64 - 1),
        (1.5, 1),
        (np.int64(3), 3),
    ],
)
def test_a_seed_is_kept_modulo_two_to_the_64(seed: Any, kept: int) -> None:
    assert Generator().manual_seed(seed).initial_seed() == kept


@pytest.mark.parametrize("seed", [2**64, -(2**63) - 1])
def test_a_seed_of_more_than_64_bits_is_refused(seed: int) -> None:
    with pytest.raises(ValueError, match="^Overflow when unpacking long long$"):
        Generator().manual_seed(seed)


def test_a_fresh_generator_has_pytorchs_default_seed() -> None:
    assert Generator().initial_seed() == 67280421310721


def test_seeding_from_entropy_differs_each_time_and_repeats_by_its_number() -> None:
    first, second = random.seed(), random.seed()
    assert first != second == random.initial_seed()
    drawn = random.default_generator.uniform([4], "float32").tolist()
    assert random.manual_seed(second).uniform([4], "float32").tolist() == drawn


def test_seeding_forgets_the_second_half_of_a_pair_of_normals() -> None:
    generator = Generator().manual_seed(0)
    first = generator.normal([1], "float32")
    assert generator.manual_seed(0).normal([1], "float32") == first


def test_a_generator_leaves_the_others_alone() -> None:
    random.manual_seed(0)
    expected = random.default_generator.uniform([4], "float32").tolist()
    random.manual_seed(0)
    Generator().uniform([4], "float32")
    assert random.default_generator.uniform([4], "float32").tolist() == expected


@pytest.mark.parametrize("count", [999, 1000, 1001, 5000])
def test_short_and_long_draws_take_the_same_words(count: int) -> None:
    at_once = Generator().uniform([count], "float32")
    generator = Generator()
    pieces = [generator.uniform([size], "float32") for size in (count - 7, 0, 7)]
    assert np.concatenate(pieces).tolist() == at_once.tolist()
