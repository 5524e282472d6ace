"""What is recorded of PyTorch a second time differs from the first only if PyTorch's results do."""

from typing import Any

import pytest

from tests.parity.record_operations import agreeing_kept


def outcome(**other: Any) -> dict[str, Any]:
    return {"dtype": "torch.float64", "shape": [2], "graph": "Mul", "value": [0.1, 2.0], "grad": [[1.0, 1.0]]} | other


RECORDED = {"a * b": outcome()}


@pytest.mark.parametrize("new", [outcome(), outcome(value=[0.1 + 2e-16, 2.0]), outcome(grad=[[1.0, 1 - 2e-16]])])
def test_numbers_that_differ_in_their_last_bits_are_kept(new: dict[str, Any]) -> None:
    assert agreeing_kept({"a * b": new}, RECORDED)["a * b"] is RECORDED["a * b"]


@pytest.mark.parametrize(
    "new",
    [
        outcome(value=[0.1, 2.0 + 1e-13]),
        outcome(value=[0.1]),
        outcome(graph="Div"),
        outcome(grad=[[1.0, 1.0], None]),
        outcome(grad=[None]),
        outcome(second=[None]),
    ],
)
def test_what_is_new_or_has_changed_is_recorded(new: dict[str, Any]) -> None:
    assert agreeing_kept({"a * b": new}, RECORDED)["a * b"] is new
    assert agreeing_kept({"a / b": new}, RECORDED) == {"a / b": new}
