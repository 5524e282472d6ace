"""Reading and writing by every form of index against PyTorch: values, graphs, versions, gradients, warnings, errors' texts."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import autograd_teach
from tests.engine import samples

torch = pytest.importorskip("torch")

# `x` is 2x3x4 inside a graph, `v` of 5 elements, `s` of none; `i`, `j`, `k` are places, `m` a mask of x's first two dimensions.
KEYS = [
    "x[0]", "x[-1]", "x[2]", "x[-3]", "x[0, 1]", "x[1, -1, 2]", "x[0, 0, 0, 0]", "x[0, 3]", "x[:, 3]", "x[5, 9]", "x[0, 0, -5]",
    "s[0]", "s[0, 0]", "s[:]", "s[...]", "s[()]", "s[None]", "s[...,]", "s[None, None]", "s[True]", "s[False]", "s[zero]",
    "x[:]", "x[1:]", "x[:5]", "x[0:2]", "x[-1:]", "x[5:]", "x[::2]", "x[::-1]", "x[::0]", "x[1:0]", "x[-7:-1]", "x[0:2, 0:3]",
    "x[:, :]", "x[:, 1:]", "x[..., 0]", "x[..., None]", "x[None, ..., 1:3]", "x[0, ..., 0]", "x[..., 0, ...]", "x[...]", "x[()]",
    "x[None]", "x[:, None]", "x[None, 0, None]", "x[0, 0, 0, ...]", "x[0, 0, 0, None]", "x[True]", "x[False]", "x[True, 0]",
    "x[0, True]", "x[:, True]", "x[True, True]", "x[True, False]", "x[True, [0, 1]]", "x[..., True]", "x[None, True, 1]",
    "x[torch.tensor(True)]", "x[torch.tensor(False)]", "x[0, torch.tensor(True)]",
    "x[torch.tensor(1)]", "x[torch.tensor(1), torch.tensor(2)]", "x[torch.tensor(5)]", "x[torch.tensor(1.0)]", "x[one32]",
    "x[:, torch.tensor(1):]", "x[torch.tensor(1):, 0]", "x[1.5]", "x['a']", "x[0, 1.5]", "x[1.0:2]", "x[:, 'a':]", "x[{}]",
    "x[np.int64(1)]", "x[np.int32(1), np.int8(2)]", "x[np.int64(7)]", "x[np.int64(0):np.int64(1)]", "x[np.float64(1)]",
    "x[np.array(1)]", "x[np.array([1, 0])]", "x[np.array([True, False])]", "x[np.bool_(True)]", "x[np.array([0.5])]",
    "x[[0]]", "x[[0, 1, 0]]", "x[[-1, 0]]", "x[[2]]", "x[[]]", "x[[[0, 1], [1, 0]]]", "x[[True, False]]", "x[[True]]",
    "x[[0, 1], [1, 2]]", "x[[0, 1], [1, 2, 0]]", "x[[0, 1], 1:, [1, 2]]", "x[:, [0, 2]]", "x[..., [0, 2]]", "x[[0], None, [1]]",
    "x[[0, 1], ..., [1, 2]]", "x[0, [0, 1]]", "x[[0, 1], 0]", "x[[0, 1], 0, [0, 3]]", "x[[[0], [1]], [1, 2]]", "x[None, [0, 1]]",
    "x[[0, 1], None]", "x[:, [0, 1], [1, 2]]", "x[:, [3]]", "x[[0], [5]]", "x[[0, 1], [0, 1], [0, 1], [0, 1]]", "x[0, 0, 0, [0]]",
    "x[[0.5]]", "x[[0, slice(None)]]", "x[[0, None]]", "x[[slice(0, 1)]]", "x[[Ellipsis]]", "x[[0, [1, 2]]]",
    "x[((0, 1),)]", "x[(0, 1), ]", "x[(0, 1), (1, 2)]", "x[range(2)]", "x[range(2), 1]", "x[[torch.tensor(0), torch.tensor(1)]]",
    "x[i]", "x[i, j]", "x[i, :, j]", "x[:, j]", "x[..., k]", "x[k]", "x[i.int()]", "x[i.to(torch.int16)]", "x[i.to(torch.float32)]",
    "x[i, i32]", "x[i + 1]", "x[-i - 1]", "x[i - 9]", "x[j[:0]]", "x[:, i, None, j]", "x[i[None], j[:, None]]", "x[i, j[:2]]",
    "x[m]", "x[m, 0]", "x[m, [0]]", "x[m[0]]", "x[m[:, 0]]", "x[0, m[0]]", "x[:, m[0]]", "x[m[:, 0], m[0]]", "x[x > 0]", "x[m.t()]",
    "x[..., torch.tensor([True, False, True, True])]", "x[m[:, :2]]", "x[m, 0, 0]", "x[m, m]", "x[:, m]", "x[m & False]",
    "x[m[:1]]",
    "x[m[:, 0], i]", "x[0][0][0]", "x[1:][0]", "x[:, 1].t()[0]", "v[v > 0]", "v[0]", "v[1:4:2]", "v[[4, 4]]", "v[-1:]", "v[v]", "v[7]",
    "e[0]", "e[:]", "e[[]]", "e[[0]]", "e[:, 0]", "e[i]", "x[e]", "x[slice(None)]",
    "x[float('nan')]", "x[10**9]", "x[:10**30]", "x[None, None, 0, ..., -1]", "x[[1, 0]][0]", "n[0]", "n[i]", "n[n]", "n[n > 0]",
    "x[object()]", "x[0:1, object()]", "x[i, 1.0]", "x[len]", "x[0, 'a']", "x[0, None, 'a', [0]]",
]  # fmt: skip
VALUES = [
    "2.5", "7", "True", "w", "w[0]", "w[:, :1]", "w.detach()", "w[None]", "w[0, 0, 0]", "w.detach().double()", "w.long()", "i", "'a'",
    "[1.0]", "None", "np.float32(2)", "np.ones(4)", "w[0, 0, :3]", "w[0, 0]", "w[0, 0, :1]", "torch.zeros(0)", "float('nan')",
]  # fmt: skip
KEYS_WRITTEN = [
    "x[0:2]", "x[0:2, 0:3]", "x[:, 1:2]", "x[0, 0]", "x[0, 0, 0:1]", "x[[0], 1:]", "x[True, 0]", "x[[True, False]]", "x[m[:1]]",
    "x[0]", "x[0, 1]", "x[0, 1, 2]", "x[2]", "x[1:]", "x[:]", "x[...]", "x[()]", "x[None]", "x[:, None, 1]", "x[True]",
    "x[0, True]", "x[0, False]", "x[::2, :, 1:]", "x[5:]", "x[..., 0]", "s[()]", "s[...]", "s[None]", "s[0]", "s[True]", "v[0]", "v[:]",
    "x[[0, 1]]", "x[[0, 0]]", "x[:, [2, 0]]", "x[i, j]", "x[i, 0, k]", "x[..., k]", "x[m]", "x[m, 0]", "x[x > 0]", "x[:, m[0]]", "x[m, [0]]",
    "x[0, [1, 2]]", "x[torch.tensor(1)]", "x[m[:, 0], m[0]]", "x[i, 9]", "x[m.t()]", "x[[]]", "x[1.5]", "x[0, 0, 0, 0]",
    "v[v > 0]", "v[[1, 2]]", "e[0]", "e[:]", "e[[0]]", "n[0]", "n[1:]", "n[n > 1]", "n[[0, 2]]", "x.t3[0]", "x[0][1]", "L[0]", "L[:]",
    "L[...]", "L[[0]]", "L.detach()[0]", "x.unbind()[0][0]", "x[torch.tensor(True)]",
    "b[0]", "b[[1]]", "h[0]", "h[[0]]", "h[h > 0]",
]  # fmt: skip


def names(library: Any) -> dict[str, Any]:
    a = library.tensor(np.linspace(-1.0, 2.0, 24, dtype=np.float32).reshape(2, 3, 4), requires_grad=True)
    c = library.tensor(np.linspace(3.0, 4.0, 24, dtype=np.float32).reshape(2, 3, 4), requires_grad=True)
    d = library.tensor([1.0, -2.0, 3.0, -4.0, 5.0], requires_grad=True)
    scalar = library.tensor(2.0, requires_grad=True)
    return {
        "torch": library,
        "np": np,
        "inputs": (a, c, d, scalar),
        "x": a * 1,
        "w": c * 1,
        "v": d * 1,
        "s": scalar * 1,
        "e": library.zeros(0, 3),
        "n": library.arange(4),
        "b": library.tensor([True, False]),
        "h": library.ones(3, dtype=library.float16),
        "L": library.ones(3, requires_grad=True),
        "i": library.tensor([0, 1, 1]),
        "i32": library.tensor([0, 2, 2], dtype=library.int32),
        "one32": library.tensor(1, dtype=library.int32),
        "zero": library.tensor(0),
        "j": library.tensor([2, 0, 0]),
        "k": library.tensor([[0, 3, 1]]),
        "m": library.tensor([[True, False, True], [False, True, True]]),
    }


def _run(library: Any, statement: str) -> Any:
    known = names(library)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            exec(statement, known)  # noqa: S102  a row of the tables above
        except Exception as error:  # noqa: BLE001  whatever it is, it is compared
            return f"{type(error).__name__}: {error}"
    said = [str(w.message).split(" (Triggered")[0] for w in caught]
    r = known["r"]
    gradients: Any = ()
    if r.requires_grad and not r.is_leaf:
        gradients = library.autograd.grad((r * r).sum(), known["inputs"], allow_unused=True, create_graph=True)
    # What `CopySlices` adds to the graph of a gradient is its own affair.
    graph = samples.graph_text(r.grad_fn)
    own = "CopySlices" not in graph
    shown = [g if g is None else (g.tolist(), own and samples.graph_text(g.grad_fn)) for g in gradients]
    return repr(r), r._version, r._is_view(), graph, shown, said


@pytest.mark.parametrize("key", KEYS)
def test_reading(key: str) -> None:
    assert _run(autograd_teach, f"r = {key}") == _run(torch, f"r = {key}")


def _written() -> list[tuple[str, str]]:
    """All pairs but those of which the outcome is another module's: how an expansion fails, and gradients into integers."""
    differentiable = [v for v in VALUES if v[0] == "w" and "detach" not in v and "long" not in v]
    pairs = [(k, v) for k in KEYS_WRITTEN for v in VALUES if k[0] not in "nb" or v not in differentiable]
    other = {("x[..., 0]", "w[0]"), ("e[:]", "w[0]")}
    # NumPy has words of its own for NaN among integers.
    other |= {(k, "float('nan')") for k in KEYS_WRITTEN if k[0] == "n"}
    return [p for p in pairs if p not in other and not (p[0].startswith("x[::2") and "w" in p[1])]


@pytest.mark.parametrize(("key", "value"), _written())
def test_writing(key: str, value: str) -> None:
    statement = f"{key.replace('.t3', '.transpose(0, 2)')} = {value}; r = {key[0]}"
    assert _run(autograd_teach, statement) == _run(torch, statement)
