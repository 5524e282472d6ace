"""Every operation against PyTorch itself, and the recorded results against it too."""

from typing import Any

import pytest

import autograd_teach
from autograd_teach.ops import indexing, linalg, pointwise, reduction, shape
from autograd_teach.ops.operation import OPERATIONS
from tests.engine import samples
from tests.engine.test_operations import RANK_0, RECORDED, assert_same

torch = pytest.importorskip("torch")


@pytest.mark.parametrize("row", samples.ROWS, ids=str)
def test_an_operation_gives_what_pytorch_gives(row: samples.Row) -> None:
    recorded = RECORDED["operations"].get(str(row))
    try:
        theirs = samples.evaluate(torch, row)
    except AttributeError:
        assert recorded is None  # PyTorch does not have it
        return
    assert recorded is not None, "not recorded yet: python -m tests.parity.record_operations"
    assert_same(samples.evaluate(autograd_teach, row), theirs)
    assert_same(recorded, theirs)


@pytest.mark.parametrize("row", RANK_0.values(), ids=str)
def test_rank_0_gives_what_pytorch_gives(row: samples.Row) -> None:
    assert_same(samples.evaluate(autograd_teach, row), samples.evaluate(torch, row))


@pytest.mark.parametrize("expression", samples.PROMOTION)
def test_dtypes_are_promoted_as_pytorch_promotes_them(expression: str) -> None:
    assert samples.promoted(autograd_teach, expression) == samples.promoted(torch, expression)


# What the graph of a gradient is made of must be PyTorch's too, in the modules whose formulas are written so.
MODULES = (pointwise, reduction, shape, linalg, indexing)
OWN = {id(value) for module in MODULES for value in vars(module).values() if callable(value)}
# PyTorch writes a gradient of zero by another overload of `scatter`; sums of matrices that lie by columns lie so here.
DIFFERENT = {"linalg_solve_ex", "linalg_cholesky_ex"}
GRADIENTS = [
    row
    for row in samples.ROWS
    if id(OPERATIONS[row.operation].function) in OWN
    and row.same_graph
    and row.operation not in DIFFERENT
    # Of `torch.gradient` the order of additions differs, which is that of C++ arguments.
    # In place PyTorch saves a clone that its graph shows, and the gradient of a tensor which fills a mask it takes apart by
    # `masked_select`: here other operations give the same numbers.
    and not any(word in row.expression for word in ("put(", "seen(", "torch.tensor([True", "torch.gradient("))
]


@pytest.mark.parametrize("row", GRADIENTS, ids=str)
def test_the_graph_of_a_gradient_is_pytorchs(row: samples.Row) -> None:
    ours, theirs = (_graphs_of_gradients(library, row) for library in (autograd_teach, torch))
    assert ours == theirs


def _graphs_of_gradients(library: Any, row: samples.Row) -> list[str | None]:
    tensors = {name: library.tensor(array, requires_grad=True) for name, array in samples.inputs(row).items()}
    result = eval(row.expression, {"torch": library, **tensors})
    if not result.requires_grad:
        return []
    total = (result * result * result).sum()
    gradients = library.autograd.grad(total, list(tensors.values()), create_graph=True, allow_unused=True)
    return [None if g is None else samples.graph_text(g.grad_fn) for g in gradients]


# In-place forms: the statement is run on `y`, a tensor inside a graph; value, version, graph and gradient must agree.
IN_PLACE = [
    "y.add_(b)", "y.sub_(b, alpha=2)", "y.mul_(b)", "y.div_(b)", "y.neg_()", "y.exp_()", "y.log_()", "y.sqrt_()", "y.sin_()",
    "y.cos_()", "y.tanh_()", "y.sigmoid_()", "y.abs_()", "y.sign_()", "y.relu_()", "y.clamp_(0.5, 1.0)", "y.reciprocal_()",
    "y.tan_()", "y.asin_()", "y.acos_()", "y.atan_()", "y.sinh_()", "y.cosh_()", "y.expm1_()", "y.rsqrt_()", "y.floor_()", "y.ceil_()", "y.round_()",
    "y.masked_fill_(b > 1, 2.0)", "y.masked_fill_(b > 1, b[0])",
    "y.div_(b, rounding_mode='floor')",
    "y.logical_and_(b)", "y.logical_or_(b)", "y.logical_xor_(b)", "y.logical_not_()",
    "y.pow_(3)", "y.zero_()", "y.fill_(2.0)", "y.copy_(b)", "y += 1", "y -= b", "y *= 2", "y /= b", "y **= 2",
    "y.t_()", "y.transpose_(0, 1)", "y.swapdims_(0, 1)", "y.unsqueeze_(1)", "y.unsqueeze_(0).squeeze_()", "y.squeeze_(0)",
    "y.unsqueeze_(0).squeeze_((0, 1))", "y.tril_()", "y.triu_(1)", "y.random_(0, 3)", "y.bernoulli_(0.3)", "y.normal_()",
    "y.scatter_add_(1, torch.tensor([[0, 2, 0]]), b.unsqueeze(0))",
    "y.scatter_(0, torch.tensor([[0, 1, 1]]), b.unsqueeze(0))",
    "y[0].scatter_(0, torch.tensor([2]), b[1:2])", "y[:, 1:].tril_()", "y.diagonal().mul_(b[:2])",
]  # fmt: skip


@pytest.mark.parametrize("statement", IN_PLACE)
def test_in_place_forms_agree(statement: str) -> None:
    outcomes = [_in_place(library, statement) for library in (autograd_teach, torch)]
    assert_same(*outcomes)


def _in_place(library: Any, statement: str) -> dict[str, Any]:
    library.manual_seed(0)
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
