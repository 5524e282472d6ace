"""The words for one step of the chain rule: true, short, and silent where numbers do not agree."""

import math

import numpy as np
import pytest

from autograd_teach.viz.arithmetic import ON_ONE_LINE, explains, product, size, total
from autograd_teach.viz.slopes import Local

ONE, TWO, THREE = np.array(1.0), np.array(2.0), np.array(3.0)
VECTOR = np.array([1.0, -2.0])
LONG = np.linspace(0.0, 1.0, 20)
FLIP = np.array([[0.0, 1.0], [1.0, 0.0]])


def slopes(numbers):
    numbers = np.asarray(numbers)
    return Local("slopes", numbers, numbers.size, numbers.size)


MOVED = Local("moved", None, 2, 2)

PRODUCTS = {
    "numbers": ((TWO, slopes(THREE), np.array(6.0)), ["2 × 3 = 6"]),
    "negative": ((TWO, slopes(-THREE), np.array(-6.0)), ["2 × -3 = -6"]),
    "a vector": ((VECTOR, slopes(VECTOR), VECTOR**2), ["[1, -2]", "× [1, -2]", "= [1, 4]"]),
    "a vector by a short slope": (
        (VECTOR, slopes([1.0, 0.0]), np.array([1.0, 0.0])),
        ["[1, -2]", "× [1, 0]", "= [1, 0]"],
    ),
    "a block": ((VECTOR, Local("block", FLIP, 2, 2), VECTOR[::-1]), ["[1, -2]", "@ [[0, 1], [1, 0]]", "= [-2, 1]"]),
    "a large block": (
        (LONG, Local("block", None, 20, 20), LONG, "a formula that is too long for it"),
        ["@ J (20 × 20)", "= shape (20)"],
    ),
    "a block with a formula": ((LONG, Local("block", None, 20, 20), LONG, "W"), ["× W = shape (20)"]),
    "a block in words": ((LONG, Local("block", None, 20, 20), LONG, "", "g @ vᵀ"), ["g @ vᵀ = shape (20)"]),
    "a block of a matrix": ((VECTOR[None], Local("block", FLIP, 2, 2), VECTOR[None, ::-1]), ["[[-2, 1]]"]),
    "a block of a matrix in words": (
        (VECTOR[None], Local("block", FLIP, 2, 2), VECTOR[None, ::-1], "", "g @ w"),
        ["g @ w", "= [[-2, 1]]", "(g = [[1, -2]])"],
    ),
    "moved": ((VECTOR, MOVED, VECTOR[::-1]), ["[1, -2] → [-2, 1]"]),
    "moved and long": ((LONG, MOVED, LONG), ["→ shape (20)"]),
    "long": ((LONG, slopes(LONG), LONG**2, "2 · u"), ["× (2 · u)", "= shape (20)"]),
    "long without a formula": ((LONG, slopes(LONG), LONG**2), ["× slopes", "= shape (20)"]),
    "a formula of one letter": ((LONG, slopes(LONG), LONG**2, "v"), ["× v = shape (20)"]),
    "only a formula": ((TWO, None, THREE, "1 / u"), ["2 × (1 / u) = 3"]),
    "repeated and summed": (
        (VECTOR, slopes([3.0, 3.0]), np.array(-3.0)),
        ["[1, -2]", "× [3, 3]", "summed = -3"],
    ),
    "nothing sent": ((TWO, slopes(THREE), None), ["None"]),
    "nothing came": ((None, slopes(THREE), TWO), ["2"]),
    "nothing known": ((TWO, None, THREE), ["3"]),
    "false": ((TWO, slopes(THREE), np.array(5.0)), ["5"]),
    "a false block": ((VECTOR, Local("block", FLIP, 2, 2), VECTOR), ["[1, -2]"]),
    "another shape": ((VECTOR, slopes(VECTOR), np.ones(3)), ["[1, 1, 1]"]),
    "no number": ((np.array(0.0), slopes(np.array(np.inf)), np.array(np.nan)), ["0 × inf = nan"]),
    "four digits": ((ONE, slopes(np.array(1 / 3)), np.array(1 / 3)), ["1 × 0.3333 = 0.3333"]),
}


@pytest.mark.parametrize("name", PRODUCTS)
def test_product(name):
    given, expected = PRODUCTS[name]
    lines = product(*given)
    assert [line.replace("\xa0", " ") for line in lines] == expected
    assert len(lines) == 1 or len(" ".join(lines)) > ON_ONE_LINE


SUMS = {
    "2 + 5 = 7": (2.0, 5.0),
    "2 + (-5) = -3": (2.0, -5.0),
    "-2 + (-5) + 1 = -6": (-2.0, -5.0, 1.0),
    "[1, -2] + [1, 1] = [2, -1]": (VECTOR, np.ones(2)),
    "inf + (-inf) = nan": (math.inf, -math.inf),
}


@pytest.mark.parametrize("expected", SUMS)
def test_total(expected):
    with np.errstate(invalid="ignore"):
        assert total([np.array(part) for part in SUMS[expected]]) == expected


@pytest.mark.parametrize(
    "parts", [[], [ONE], [ONE, None], [LONG, LONG], [np.full(6, 1 / 7)] * 2, [np.array(1 / 7)] * 12]
)
def test_what_is_no_sum_or_too_long_is_not_written_out(parts):
    assert total(parts) == ""


def test_a_contribution_of_nothing_does_not_count():
    assert total([TWO, None, THREE]) == "2 + 3 = 5"


def test_explains_compares_numbers_only_where_there_are_some():
    assert explains(TWO, slopes(THREE), np.array(6.0))
    assert not explains(TWO, slopes(THREE), np.array(6.1))
    assert explains(LONG, Local("block", None, 20, 20), LONG)
    assert explains(VECTOR, MOVED, VECTOR)


@pytest.mark.parametrize(
    ("sent", "expected"),
    [(None, 0.0), (np.array(-3.0), 3.0), (VECTOR, 2.0), (np.ones((0, 3)), 0.0), (np.array([1.0, -math.inf]), math.inf)],
)
def test_size_is_that_of_the_largest_entry(sent, expected):
    assert size(sent) == expected


def test_size_of_what_is_no_number_is_none():
    assert math.isnan(size(np.array([1.0, math.nan])))
