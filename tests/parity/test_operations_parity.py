"""Every operation against PyTorch itself, and the recorded results against it too."""

from typing import Any

import pytest

import autograd_teach
from tests.engine import samples
from tests.engine.test_operations import RECORDED, assert_same

torch = pytest.importorskip("torch")


@pytest.mark.parametrize("row", samples.ROWS, ids=str)
def test_an_operation_gives_what_pytorch_gives(row: samples.Row) -> None:
    theirs = samples.evaluate(torch, row)
    assert_same(samples.evaluate(autograd_teach, row), theirs)
    assert_same(RECORDED["operations"][str(row)], theirs)


@pytest.mark.parametrize("expression", samples.PROMOTION)
def test_dtypes_are_promoted_as_pytorch_promotes_them(expression: str) -> None:
    assert samples.promoted(autograd_teach, expression) == samples.promoted(torch, expression)


# In-place forms: the statement is run on `y`, a tensor inside a graph; value, version, graph and gradient must agree.
IN_PLACE = [
    "y.add_(b)", "y.sub_(b, alpha=2)", "y.mul_(b)", "y.div_(b)", "y.neg_()", "y.exp_()", "y.log_()", "y.sqrt_()", "y.sin_()",
    "y.cos_()", "y.tanh_()", "y.sigmoid_()", "y.abs_()", "y.sign_()", "y.relu_()", "y.clamp_(0.5, 1.0)", "y.reciprocal_()",
    "y.pow_(3)", "y.zero_()", "y.fill_(2.0)", "y.copy_(b)", "y += 1", "y -= b", "y *= 2", "y /= b", "y **= 2",
]  # fmt: skip


@pytest.mark.parametrize("statement", IN_PLACE)
def test_in_place_forms_agree(statement: str) -> None:
    outcomes = [_in_place(library, statement) for library in (autograd_teach, torch)]
    assert_same(*outcomes)


def _in_place(library: Any, statement: str) -> dict[str, Any]:
    a = library.tensor([[0.7, 1.2, 0.4]] * 2, dtype=library.float64, requires_grad=True)
    b = library.tensor([1.5, 0.5, 2.0], dtype=library.float64, requires_grad=True)
    names = {"torch": library, "y": a * 1, "b": b}
    exec(statement, names)  # noqa: S102  a row of the table above
    y = names["y"]
    graph = samples.graph_text(y.grad_fn)
    gradients = library.autograd.grad((y * y * y).sum(), (a, b), allow_unused=True)
    return {
        "value": y.tolist(),
        "dtype": str(y.dtype),
        "shape": [y._version, *y.shape],
        "graph": graph,
        "grad": [None if g is None else g.tolist() for g in gradients],
    }
