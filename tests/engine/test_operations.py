"""Every operation by itself: gradients of both orders against differences, dtypes, rank 0; and against PyTorch's results.

A sample line of an operation that PyTorch does not have, or that is not recorded yet, is tested by the first half alone.
"""

from __future__ import annotations

import json
import warnings
from dataclasses import replace
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


@pytest.mark.parametrize("row", [row for row in samples.ROWS if str(row) in RECORDED["operations"]], ids=str)
def test_an_operation_gives_what_pytorch_gives(row: samples.Row) -> None:
    assert_same(samples.evaluate(torch, row), RECORDED["operations"][str(row)])


@pytest.mark.parametrize("row", [row for row in samples.ROWS if 0 not in sum(row.shapes.values(), ())], ids=str)
def test_gradients_agree_with_differences(row: samples.Row) -> None:
    check_gradients(row)


def check_gradients(row: samples.Row) -> None:
    """Independent of PyTorch: central differences of the operation, and of its gradient."""
    tensors = [torch.tensor(array, requires_grad=True) for array in samples.inputs(row).values()]

    def function(*inputs: Any) -> Any:
        return samples.run(torch, row.expression, dict(zip(row.shapes, inputs, strict=True)))

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


def at_rank_0(row: samples.Row) -> samples.Row | None:
    """The row with a number for each tensor; None if the operation does not take that."""
    reduced = replace(row, shapes=dict.fromkeys(row.shapes, ()))
    tensors = {name: torch.tensor(array) for name, array in samples.inputs(reduced).items()}
    try:
        with warnings.catch_warnings(action="ignore"):
            result = samples.run(torch, row.expression, tensors)
    except (RuntimeError, IndexError, ValueError, TypeError):
        return None
    # Beside draws in single precision a number becomes single: too coarse to compare.
    return None if result.dtype is torch.float32 else reduced


RANK_0 = {row.expression: reduced for row in samples.ROWS if (reduced := at_rank_0(row)) is not None}


@pytest.mark.parametrize("row", RANK_0.values(), ids=str)
def test_a_formula_works_for_rank_0(row: samples.Row) -> None:
    """Where the operation itself does: first and second gradient, on arrays and recorded."""
    outcome = samples.evaluate(torch, row)
    numbers = [n for order in ("grad", "second") for n in outcome.get(order, []) if n is not None]
    assert all(isinstance(n, float) for n in numbers)
    # The variance of a number is NaN, and its deviation has a kink at 0: no difference can be compared with that.
    if np.isfinite(outcome["value"]).all() and row.expression != "a.std(False)":
        check_gradients(row)


@pytest.mark.parametrize("dtype", ["float16", "float32"])
@pytest.mark.parametrize("row", {row.expression: row for row in samples.ROWS}.values(), ids=str)
def test_gradients_have_the_dtype_of_their_inputs(row: samples.Row, dtype: str) -> None:
    check_dtypes(row, dtype)


def check_dtypes(row: samples.Row, dtype: str) -> None:
    """In half and single precision: of both orders, and of the recorded gradient."""
    kind = getattr(torch, dtype)
    arrays = samples.inputs(row).items()
    tensors = {name: torch.tensor(array).to(kind).requires_grad_() for name, array in arrays}
    try:
        result = samples.run(torch, row.expression, tensors)
    except (RuntimeError, NotImplementedError):
        assert dtype == "float16" or "float64" in row.expression, "does not take float32"
        return
    if not result.requires_grad:
        return
    given = list(tensors.values())
    first = torch.autograd.grad(result.sum(), given, create_graph=True, allow_unused=True)
    wanted = [g for g in first if g is not None]
    assert {g.dtype for g in wanted} <= {kind}
    second = torch.autograd.grad(sum(g.sum() for g in wanted) + 0 * given[0].sum(), given, allow_unused=True)
    assert {g.dtype for g in second if g is not None} <= {kind}


def test_every_operation_has_a_row_and_every_row_an_operation() -> None:
    assert {row.operation for row in samples.ROWS} == set(OPERATIONS), "see 'Add an operation' in CONTRIBUTING.md"


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
