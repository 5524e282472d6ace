"""Every operation against results recorded from PyTorch: value, dtype, gradient, second gradient, graph; and gradcheck."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import autograd_teach as torch
from autograd_teach.ops.operation import OPERATIONS
from tests.engine import samples

RECORDED = json.loads((Path(__file__).parent / "operations.json").read_text())


def assert_same(ours: Any, theirs: Any) -> None:
    """Equal outcomes: text exactly; numbers but for the order of a sum, which may move the last bits of the largest terms."""
    assert ours.keys() == theirs.keys()
    for key in ("dtype", "shape", "graph"):
        assert ours[key] == theirs[key], key
    assert_close(ours["value"], theirs["value"])
    for order in ("grad", "second"):
        for mine, yours in zip(ours.get(order, []), theirs.get(order, []), strict=True):
            assert (mine is None) == (yours is None)
            if mine is not None:
                assert_close(mine, yours)


def assert_close(ours: Any, theirs: Any) -> None:
    mine, yours = np.array(ours, float), np.array(theirs, float)
    assert mine.shape == yours.shape
    finite = np.abs(yours[np.isfinite(yours)])
    scale = finite.max() if finite.size else 0.0
    np.testing.assert_allclose(mine, yours, rtol=2e-15, atol=2e-15 * scale)


@pytest.mark.parametrize("row", samples.ROWS, ids=str)
def test_an_operation_gives_what_pytorch_gives(row: samples.Row) -> None:
    assert_same(samples.evaluate(torch, row), RECORDED["operations"][str(row)])


@pytest.mark.parametrize(
    "row",
    [r for r in samples.ROWS if "requires_grad" not in r.expression and 0 not in sum(r.shapes.values(), ())],
    ids=str,
)
def test_gradients_agree_with_differences(row: samples.Row) -> None:
    """Independent of PyTorch: central differences of the operation, and of its gradient."""
    tensors = [torch.tensor(array, requires_grad=True) for array in samples.inputs(row).values()]

    def function(*inputs: Any) -> Any:
        torch.manual_seed(0)
        return eval(
            row.expression,
            {
                "torch": torch,
                "put": samples.put,
                "seen": samples.seen,
                **dict(zip(row.shapes, inputs, strict=True)),
            },
        )

    result = function(*tensors)
    if not result.requires_grad or "float32" in row.expression:
        # Comparisons have no gradient, and float32 is too coarse for differences: there is nothing to check.
        assert result.dtype != torch.float64 or "float32" in row.expression
        return
    assert torch.autograd.gradcheck(function, tensors)
    if row.second_order and not _is_linear(result, tensors):
        assert torch.autograd.gradgradcheck(function, tensors)


def _is_linear(result: Any, tensors: list[Any]) -> bool:
    """Whether the gradient does not depend on the inputs, so that there is no second order to check."""
    gradients = torch.autograd.grad(result.sum(), tensors, create_graph=True, allow_unused=True)
    return not any(g is not None and g.requires_grad for g in gradients)


def test_every_operation_has_a_row_and_every_row_an_operation() -> None:
    assert {row.operation for row in samples.ROWS} == set(OPERATIONS)


def test_a_row_calls_the_operation_it_names() -> None:
    """A row about `mul` whose expression never reaches `mul` would test nothing."""
    for row in samples.ROWS:
        operation = OPERATIONS[row.operation]
        outcome = samples.evaluate(torch, row)
        # A write into a view stands inside the node of the view's base.
        hidden = "CopySlices" in outcome["graph"] or not row.same_graph
        if operation.formulas and "AccumulateGrad" in outcome["graph"] and not hidden:
            assert operation.node.__name__ in outcome["graph"].split(), str(row)


@pytest.mark.parametrize("expression", samples.PROMOTION)
def test_dtypes_are_promoted_as_pytorch_promotes_them(expression: str) -> None:
    assert samples.promoted(torch, expression) == RECORDED["promotion"][expression]
