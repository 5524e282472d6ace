"""Workloads of the engine: the same program under each library, and by hand in NumPy.

A workload is a function of a library's module (this package and PyTorch share their API) that returns the function to time; and,
where it says something, the same computation with its gradients written out in NumPy.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

Timed = Callable[[], Any]


def scalar_chain(torch: Any) -> Timed:
    """10,000 multiplications and additions of a number, forward and backward."""

    def run() -> None:
        x = torch.tensor(1.0, requires_grad=True)
        y = x
        for _ in range(5_000):
            y = y * 0.999
            y = y + 0.001
        y.backward()

    return run


def scalar_chain_numpy() -> Timed:
    factor, term = np.array(0.999, np.float32), np.array(0.001, np.float32)

    def run() -> None:
        y = np.array(1.0, np.float32)
        for _ in range(5_000):
            y = np.multiply(y, factor, out=...)
            y = np.add(y, term, out=...)
        g = np.array(1.0, np.float32)
        for _ in range(5_000):
            g = np.multiply(g, factor, out=...)

    return run


def _mlp_arrays(sizes: tuple[int, int, int], batch: int) -> dict[str, np.ndarray]:
    random = np.random.RandomState(0)
    n, hidden, out = sizes
    shapes = {
        "x": (batch, n),
        "w1": (n, hidden),
        "b1": (hidden,),
        "w2": (hidden, out),
        "b2": (out,),
        "t": (batch, out),
    }
    return {k: (random.randn(*s) / np.sqrt(n)).astype(np.float32) for k, s in shapes.items()}


def _mlp(torch: Any, sizes: tuple[int, int, int], batch: int) -> Timed:
    arrays = _mlp_arrays(sizes, batch)
    x, t = torch.tensor(arrays.pop("x")), torch.tensor(arrays.pop("t"))
    w1, b1, w2, b2 = (torch.tensor(a, requires_grad=True) for a in arrays.values())

    def run() -> None:
        for p in (w1, b1, w2, b2):
            p.grad = None
        h = (x @ w1 + b1).tanh()
        y = h @ w2 + b2
        ((y - t) ** 2).mean().backward()

    return run


def _mlp_numpy(sizes: tuple[int, int, int], batch: int) -> Timed:
    x, w1, b1, w2, b2, t = _mlp_arrays(sizes, batch).values()

    def run() -> None:
        h = np.tanh(x @ w1 + b1)
        d = h @ w2 + b2 - t
        (d * d).mean()
        gy = d * np.float32(2 / d.size)
        _ = h.T @ gy
        gy.sum(0)
        gh = (gy @ w2.T) * (1 - h * h)
        _ = x.T @ gh
        gh.sum(0)

    return run


def mlp(torch: Any) -> Timed:
    """A two-layer network 784-100-10 at batch 64, forward and backward."""
    return _mlp(torch, (784, 100, 10), 64)


def small_mlp(torch: Any) -> Timed:
    """The lecture's small network 10-20-5 at batch 1, forward and backward."""
    return _mlp(torch, (10, 20, 5), 1)


def elementwise(torch: Any) -> Timed:
    """Ten elementwise operations on a million floats, forward and backward."""
    x = torch.tensor(np.linspace(0.1, 1.0, 1_000_000, dtype=np.float32), requires_grad=True)

    def run() -> None:
        x.grad = None
        y = x
        for _ in range(5):
            y = y * 0.9
            y = y + x
        y.sum().backward()

    return run


def second_order(torch: Any) -> Timed:
    """The gradient of a squared gradient norm through three layers."""
    arrays = np.random.RandomState(0).randn(4, 32, 32).astype(np.float32) / 6
    x = torch.tensor(arrays[0], requires_grad=True)
    weights = [torch.tensor(a) for a in arrays[1:]]

    def run() -> None:
        x.grad = None
        y = x
        for w in weights:
            y = (y @ w).tanh()
        (g,) = torch.autograd.grad(y.sum(), x, create_graph=True)
        (g * g).sum().backward()

    return run


# Each workload with its twin by hand, where there is one.
WORKLOADS: list[tuple[Callable[[Any], Timed], Callable[[], Timed] | None]] = [
    (scalar_chain, scalar_chain_numpy),
    (small_mlp, lambda: _mlp_numpy((10, 20, 5), 1)),
    (mlp, lambda: _mlp_numpy((784, 100, 10), 64)),
    (elementwise, None),
    (second_order, None),
]
