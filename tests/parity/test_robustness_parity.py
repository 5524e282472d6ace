"""Every operation where NaN, infinities, no elements or no dimension come in, against PyTorch: value, dtype, graph, gradient, errors."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import autograd_teach
from tests.engine import samples
from tests.engine.samples import Row

torch = pytest.importorskip("torch")

# Warnings are not what is compared here.
pytestmark = pytest.mark.filterwarnings("ignore")

ODD = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, -2.0, 1e100, 1e-300])


def odd_numbers(row: Row, name: str, shape: tuple[int, ...]) -> np.ndarray:
    random = np.random.RandomState(zlib.crc32(f"{row} {name}".encode()))
    return random.choice(ODD, shape)


def no_elements(row: Row, name: str, shape: tuple[int, ...]) -> np.ndarray:
    return np.zeros((0, *shape[1:]))


def no_elements_behind(row: Row, name: str, shape: tuple[int, ...]) -> np.ndarray:
    return np.zeros((*shape[:-1], 0))


def no_dimension(row: Row, name: str, shape: tuple[int, ...]) -> np.ndarray:
    return np.array(0.75)


KINDS = (odd_numbers, no_elements, no_elements_behind, no_dimension)


RUNNING_EXTREMES = [f"{name}{rest}" for name in ("cummax", "cummin") for rest in ("(0).values", "(a, dim=-1)[0]")]
# What differs: a part of the row's text, and why.
DIFFERENT = {
    odd_numbers: {
        "torch.var_mean(a, 1)[1]": "PyTorch's mean is a running one, in which inf - inf is NaN",
        "torch.std_mean(a, 1, correction=0, keepdim=True)[1]": "PyTorch's mean is a running one, in which inf - inf is NaN",
        "a.cumprod(0)-a[2,3]": "how far a NaN spreads beside a zero is a matter of the order of the products",
        "(a * torch.tensor([1.0, 0.0, 2.0, 0.0])).cumprod(0)-a[4,4]": "how far a NaN spreads beside a zero is a matter of the order of the products",
        "torch.linalg.det((a @ a.mT + 3 * torch.eye(3, dtype=torch.float64)) / 4)-a[2,3,2]": "how far a NaN spreads is a matter of the order of the solver's steps",
        "a.det()-a[2,2]": "how far a NaN spreads is a matter of the order of the solver's steps",
        "torch.linalg.slogdet(a + 3 * torch.eye(3, dtype=torch.float64))[1]-a[2,3,3]": "how far a NaN spreads is a matter of the order of the solver's steps",
        "slogdet().sign * a[0]-a[3,3]": "how far a NaN spreads is a matter of the order of the solver's steps",
        "layer_norm(a, (3,), b": "how far a NaN spreads from an infinite element is a matter of the order of the steps",
        "torch.cumprod(a, dim=-1)": "how far a NaN spreads beside a zero is a matter of the order of the products",
    },
    no_elements: dict.fromkeys(RUNNING_EXTREMES, "PyTorch gives the input itself for its gradient"),
    no_elements_behind: dict.fromkeys(RUNNING_EXTREMES, "PyTorch gives the input itself for its gradient"),
}


def cases() -> Iterator[Any]:
    for kind in KINDS:
        for row in samples.ROWS:
            reasons = [why for part, why in DIFFERENT.get(kind, {}).items() if part in str(row)]
            marks = [pytest.mark.xfail(strict=True, reason=why) for why in reasons]
            yield pytest.param(kind, row, marks=marks, id=f"{kind.__name__}-{row}")


def outcome(library: Any, row: Row, kind: Any) -> Any:
    """Value, dtype, graph and gradients of a row where such tensors come in; or that it raised an error."""
    library.manual_seed(0)
    arrays = {name: kind(row, name, shape) for name, shape in row.shapes.items()}
    try:
        tensors = {name: library.tensor(array, requires_grad=True) for name, array in arrays.items()}
        result = eval(row.expression, {"torch": library, "put": samples.put, "seen": samples.seen, **tensors})
        gradients = []
        if result.requires_grad:
            gradients = library.autograd.grad(result.sum(), list(tensors.values()), allow_unused=True)
    except Exception as error:  # noqa: BLE001  that there is one is what is compared
        return f"{type(error).__name__}: {error}"
    graph = samples.graph_text(result.grad_fn) if row.same_graph else ""
    return result.detach().numpy(), str(result.dtype), graph, [g if g is None else g.numpy() for g in gradients]


@pytest.mark.parametrize(("kind", "row"), list(cases()))
def test_an_operation_gives_what_pytorch_gives(kind: Any, row: Row) -> None:
    ours, theirs = outcome(autograd_teach, row, kind), outcome(torch, row, kind)
    if isinstance(theirs, str):
        # Which error it is depends on the order of PyTorch's checks: that there is one must be so here too.
        assert isinstance(ours, str), theirs
        return
    assert not isinstance(ours, str), ours
    same(ours[0], theirs[0])
    assert ours[1:3] == theirs[1:3]
    for one, other in zip(ours[3], theirs[3], strict=True):
        same(one, other)


def same(ours: np.ndarray | None, theirs: np.ndarray | None) -> None:
    """Equal, the order of a sum allowed for; NaN at the same places; zeros of either sign, which PyTorch's vectorised code mixes."""
    if ours is None or theirs is None:
        assert ours is theirs
        return
    assert (ours.shape, ours.dtype) == (theirs.shape, theirs.dtype)
    np.testing.assert_allclose(ours, theirs, rtol=4e-15, atol=0)
