"""The workloads: each is a loss that every library differentiates as written, with the same gradients written by hand.

By hand means: as somebody writes it who knows NumPy and the chain rule and wants it fast.
Temporaries are reused if that is easy, and scalars are Python's own numbers, because NumPy's arrays
of rank 0 are slower. If the number of steps determines the time, there is also `plainly`, the loss
and the chain rule step by step: then there are two yardsticks of hand-written code. This file does
not depend on how a library is called (libraries.py) or how time is measured.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np


@dataclass
class Library:
    """What a loss needs from a library besides the arithmetic of its tensors."""

    tanh: Callable[[Any], Any]
    gradient: Callable[..., Any]  # (function, tensor) -> the gradient of the function there, itself differentiable


@dataclass
class Workload:
    """`loss(library, *inputs, *constants)` is a scalar; `by_hand(*inputs, *constants)` its gradients, one for each input.

    `plainly`, if given, is called like `by_hand`.
    """

    title: str
    goal: str
    loss: Callable[..., Any]
    by_hand: Callable[..., Sequence[Any]]
    inputs: list[Any]
    constants: list[Any] = field(default_factory=list)
    plainly: Callable[..., Sequence[Any]] | None = None
    scalar: bool = False  # numbers only, so that micrograd can take part
    deep: bool = False  # too deep for a library that recurses


def normal(seed: int, *shape: int, scale: float = 1.0) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(shape, dtype=np.float32) * np.float32(scale)


def scalar_graph(steps: int = 100) -> Workload:
    def loss(library: Library, a: Any, b: Any) -> Any:
        y = total = a
        for _ in range(steps):
            y = a * y + b * (y - 0.3) ** 2
            total = total + y
        return total

    def by_hand(a: float, b: float) -> list[float]:
        y = total = a
        values = []
        for _ in range(steps):
            values.append(y)
            y = a * y + b * (y - 0.3) ** 2
            total += y
        gy, ga, gb = 0.0, 0.0, 0.0
        for y in reversed(values):
            gy += 1.0
            d = y - 0.3
            ga += gy * y
            gb += gy * d * d
            gy *= a + 2 * b * d
        return [ga + gy + 1.0, gb]

    def plainly(a: float, b: float) -> list[float]:
        y = total = a
        steps_done = []
        for _ in range(steps):
            d = y - 0.3
            square = d**2
            steps_done.append((y, d, square))
            y = a * y + b * square
            total = total + y
        gy, ga, gb = 0.0, 0.0, 0.0
        for y, d, square in reversed(steps_done):
            gy = gy + 1.0
            ga = ga + gy * y
            gb = gb + gy * square
            gd = gy * b * (2 * d)
            gy = gy * a + gd
        return [ga + gy + 1.0, gb]

    title = f"scalar expression graph, {6 * steps} operations"
    return Workload(title, "<= 0.4 x torch", loss, by_hand, [0.5, 0.25], plainly=plainly, scalar=True)


def network(batch: int = 64, n: int = 784, hidden: int = 100, out: int = 10) -> Workload:
    def loss(library: Library, w1: Any, b1: Any, w2: Any, b2: Any, x: Any, target: Any) -> Any:
        h = library.tanh(x @ w1 + b1)
        return ((h @ w2 + b2 - target) ** 2).mean()

    def by_hand(w1: Any, b1: Any, w2: Any, b2: Any, x: Any, target: Any) -> list[Any]:
        h = x @ w1
        h += b1
        np.tanh(h, out=h)
        d = h @ w2
        d += b2
        d -= target
        np.vdot(d, d) / d.size  # the loss
        d *= np.float32(2 / d.size)
        gw2 = h.T @ d
        g = d @ w2.T
        np.multiply(h, h, out=h)
        g *= np.subtract(np.float32(1), h, out=h)
        return [x.T @ g, g.sum(0), gw2, d.sum(0)]

    title = f"MLP {n}-{hidden}-{out}, batch {batch}, forward and backward"
    weights = [
        normal(1, n, hidden, scale=n**-0.5),
        normal(2, hidden),
        normal(3, hidden, out, scale=0.1),
        normal(4, out),
    ]
    return Workload(title, "<= 1.25 x NumPy", loss, by_hand, weights, [normal(5, batch, n), normal(6, batch, out)])


def lecture_network(n: int = 10, hidden: int = 20, out: int = 5) -> Workload:
    """As in the lecture (and in lesson 03): a tanh after each layer, a single sample, all of it vectors."""

    def loss(library: Library, w1: Any, b1: Any, w2: Any, b2: Any, x: Any, target: Any) -> Any:
        h = library.tanh(w1 @ x + b1)
        y = library.tanh(w2 @ h + b2)
        return ((y - target) ** 2).mean()

    def by_hand(w1: Any, b1: Any, w2: Any, b2: Any, x: Any, target: Any) -> list[Any]:
        h = np.tanh(w1 @ x + b1)
        y = np.tanh(w2 @ h + b2)
        d = y - target
        d @ d / d.size  # the loss
        d *= factor
        d *= one - y * y
        g = d @ w2
        g *= one - h * h
        return [g[:, None] * x, g, d[:, None] * h, d]

    def plainly(w1: Any, b1: Any, w2: Any, b2: Any, x: Any, target: Any) -> list[Any]:
        h = np.tanh(w1 @ x + b1)
        y = np.tanh(w2 @ h + b2)
        d = y - target
        (d**2).mean()  # the loss
        gy = 2 / d.size * d * (1 - y**2)
        gh = w2.T @ gy * (1 - h**2)
        return [np.outer(gh, x), gh, np.outer(gy, h), gy]

    # NumPy multiplies by an array of rank 0 in half the time that it needs for a number.
    one, factor = np.array(1, np.float32), np.array(2 / out, np.float32)
    title = f"the lecture's MLP {n}-{hidden}-{out}, one sample, forward and backward"
    weights = [normal(1, hidden, n, scale=0.3), normal(2, hidden), normal(3, out, hidden, scale=0.3), normal(4, out)]
    return Workload(title, "<= 3 x NumPy", loss, by_hand, weights, [normal(5, n), normal(6, out)], plainly)


def elementwise(size: int = 1_000_000) -> Workload:
    def loss(library: Library, x: Any) -> Any:
        y = x
        for _ in range(5):
            y = y * x + 0.5
        return y.sum()

    def by_hand(x: Any) -> list[Any]:
        ys = [x]
        for _ in range(5):
            y = ys[-1] * x
            y += np.float32(0.5)
            ys.append(y)
        ys.pop().sum()  # the loss
        g, gx, product = np.ones_like(x), np.zeros_like(x), np.empty_like(x)
        while ys:
            gx += np.multiply(g, ys.pop(), out=product)
            g *= x
        gx += g
        return [gx]

    title = f"ten elementwise operations on {size:,} floats, forward and backward"
    return Workload(title, "<= 1.3 x NumPy", loss, by_hand, [np.linspace(0.1, 1, size, dtype=np.float32)])


def matrix_products(size: int = 512) -> Workload:
    def loss(library: Library, *tensors: Any) -> Any:
        *weights, x = tensors
        for w in weights:
            x = x @ w
        return x.sum()

    def by_hand(*arrays: Any) -> list[Any]:
        *weights, x = arrays
        xs = [x]
        for w in weights:
            xs.append(xs[-1] @ w)
        g = np.ones_like(xs.pop())
        g.sum()  # the loss
        gradients = []
        for w, x in zip(reversed(weights), reversed(xs)):
            gradients.append(x.T @ g)
            if x is not arrays[-1]:
                g = g @ w.T
        return gradients[::-1]

    title = f"six {size} x {size} matrix products, forward and backward"
    weights = [normal(seed, size, size, scale=size**-0.5) for seed in range(6)]
    return Workload(title, "<= 1.05 x NumPy", loss, by_hand, weights, [normal(7, size, size)])


def second_order(size: int = 32) -> Workload:
    def layers(library: Library, x: Any, weights: Sequence[Any]) -> Any:
        for w in weights:
            x = library.tanh(x @ w)
        return x.sum()

    def loss(library: Library, x: Any, *weights: Any) -> Any:
        g = library.gradient(lambda x: layers(library, x, weights), x)
        return (g * g).sum()

    def by_hand(x: Any, *weights: Any) -> list[Any]:
        ys, slopes = [], []
        for w in weights:
            x = np.tanh(x @ w)
            ys.append(x)
            slopes.append(1 - x * x)
        # The gradient of the layers: v for the values, u for the inputs of tanh.
        v = np.ones_like(x)
        vs, us = [], []
        for w, slope in zip(reversed(weights), reversed(slopes)):
            vs.append(v)
            us.append(v * slope)
            v = us[-1] @ w.T
        # Backward through that gradient (gv: of v), which collects what reaches the values through their slopes ...
        gv = v * 2
        gys = []
        for w, slope, y, v in zip(weights, slopes, ys, reversed(vs)):
            gu = gv @ w
            gys.append(gu * v * y * -2)
            gv = gu * slope
        # ... and backward through the layers.
        gx: Any = 0
        for w, slope, gy in zip(reversed(weights), reversed(slopes), reversed(gys)):
            gx = ((gx + gy) * slope) @ w.T
        return [gx]

    title = f"gradient of a squared gradient norm through three layers of {size}"
    weights = [normal(seed, size, size, scale=size**-0.5) for seed in range(3)]
    return Workload(title, "<= 0.6 x torch", loss, by_hand, [normal(3, size, size)], weights)


def deep_chain(depth: int = 100_000) -> Workload:
    def loss(library: Library, x: Any) -> Any:
        for _ in range(depth // 2):
            x = x * 0.9999 + 0.0002
        return x

    def by_hand(x: float) -> list[float]:
        for _ in range(depth // 2):
            x = x * 0.9999 + 0.0002
        g = 1.0
        for _ in range(depth // 2):
            g *= 0.9999
        return [g]

    title = f"chain of {depth:,} operations, forward, backward and freeing"
    return Workload(title, "<= 0.5 x torch", loss, by_hand, [1.0], scalar=True, deep=True)


# Called without arguments, each returns the workload of the table; tests call them with small
# sizes.
TIMED: list[Callable[..., Workload]] = [
    scalar_graph,
    network,
    lecture_network,
    elementwise,
    matrix_products,
    second_order,
    deep_chain,
]
