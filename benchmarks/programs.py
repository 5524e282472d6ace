"""Programs as users write them, with leaves, `backward()`, `no_grad` and in-place steps, with the speed goals.

`program(torch)` returns what is timed, for any module with PyTorch's interface; `by_hand` does the
same in NumPy, written for speed. A goal is a limit for the ratio of `autograd_teach` to the
contestant `to`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.workloads import normal

Run = Callable[[], Any]


@dataclass
class Program:
    title: str
    goal: float
    to: str  # "torch" or "by hand"
    program: Callable[[Any], Run]
    by_hand: Callable[[], Run] | None = None


def scalar_expression(torch: Any) -> Run:
    """The expression of micrograd's demonstration; new leaves each time."""

    def run() -> Any:
        a, b = torch.tensor(-4.0, requires_grad=True), torch.tensor(2.0, requires_grad=True)
        c, d = a + b, a * b + b**3
        c = c + c + 1
        c = c + 1 + c + (-a)
        d = d + d * 2 + (b + a).relu()
        d = d + 3 * d + (b - a).relu()
        f = (c - d) ** 2
        (f / 2.0 + 10.0 / f).backward()
        return [a.grad, b.grad]

    return run


def scalar_chain(torch: Any, steps: int = 5000) -> Run:
    def run() -> Any:
        x = start = torch.tensor(1.0, requires_grad=True)
        for _ in range(steps):
            x = x * 1.0001 + 0.0001
        x.backward()
        return [start.grad]

    return run


def _classifier() -> tuple[np.ndarray, np.ndarray, list[np.ndarray]]:
    classes = np.random.default_rng(1).integers(0, 10, 64)
    weights = [normal(2, 784, 100, scale=1 / 28), normal(3, 100), normal(4, 100, 10, scale=0.1), normal(5, 10)]
    return normal(0, 64, 784), classes, weights


def training_step(torch: Any) -> Run:
    data, classes, weights = _classifier()
    x, y = torch.tensor(data), torch.tensor(classes)
    w1, b1, w2, b2 = parameters = [torch.tensor(w, requires_grad=True) for w in weights]

    def run() -> Any:
        loss = torch.nn.functional.cross_entropy((x @ w1 + b1).relu() @ w2 + b2, y)
        for p in parameters:
            p.grad = None
        loss.backward()
        with torch.no_grad():
            for p in parameters:
                p -= 0.001 * p.grad
        return [p.grad for p in parameters]

    return run


def training_step_by_hand() -> Run:
    x, classes, (w1, b1, w2, b2) = _classifier()
    one_hot, rows, rate = np.eye(10, dtype=np.float32)[classes], np.arange(64), np.float32(0.001)

    def run() -> Any:
        hidden = x @ w1 + b1
        z = np.maximum(hidden, 0)
        scores = z @ w2 + b2
        shifted = scores - scores.max(1, keepdims=True)
        powers = np.exp(shifted)
        sums = powers.sum(1, keepdims=True)
        (np.log(sums)[:, 0] - shifted[rows, classes]).mean()  # the loss, which a program would print
        g = (powers / sums - one_hot) / 64
        g2, gb2, gh = z.T @ g, g.sum(0), (g @ w2.T) * (hidden > 0)
        gradients = [x.T @ gh, gh.sum(0), g2, gb2]
        for w, gradient in zip((w1, b1, w2, b2), gradients):
            np.subtract(w, rate * gradient, out=w)
        return gradients

    return run


def _lecture() -> list[np.ndarray]:
    sizes = (20, 10), (20,), (5, 20), (5,), (10,), (5,)
    return [normal(10 + i, *size, scale=0.5) for i, size in enumerate(sizes)]


def lecture_network(torch: Any) -> Run:
    *weights, data, wanted = _lecture()
    x, y = torch.tensor(data), torch.tensor(wanted)
    w1, b1, w2, b2 = parameters = [torch.tensor(w, requires_grad=True) for w in weights]

    def run() -> Any:
        for p in parameters:
            p.grad = None
        hidden = torch.tanh(w1 @ x + b1)
        (torch.tanh(w2 @ hidden + b2) - y).pow(2).mean().backward()
        return [p.grad for p in parameters]

    return run


def lecture_network_by_hand() -> Run:
    w1, b1, w2, b2, x, y = _lecture()

    def run() -> Any:
        hidden = np.tanh(w1 @ x + b1)
        output = np.tanh(w2 @ hidden + b2)
        difference = output - y
        (difference**2).mean()  # the loss
        g2 = difference * np.float32(0.4) * (1 - output * output)
        g1 = (w2.T @ g2) * (1 - hidden * hidden)
        return [np.outer(g1, x), g1, np.outer(g2, hidden), g2]

    return run


def gradient_of_a_gradient(torch: Any) -> Run:
    """The gradient of the squared norm of the loss's gradient, for a tanh network 32-64-64-1, batch 32."""
    sizes = (32, 64), (64, 64), (64, 1)
    weights = [torch.tensor(normal(20 + i, *s, scale=s[0] ** -0.5), requires_grad=True) for i, s in enumerate(sizes)]
    w1, w2, w3 = weights
    x, y = torch.tensor(normal(30, 32, 32)), torch.tensor(normal(31, 32, 1))

    def run() -> Any:
        loss = ((torch.tanh(torch.tanh(x @ w1) @ w2) @ w3 - y) ** 2).mean()
        g1, g2, g3 = torch.autograd.grad(loss, weights, create_graph=True)
        return torch.autograd.grad(g1.pow(2).sum() + g2.pow(2).sum() + g3.pow(2).sum(), weights)

    return run


PROGRAMS = [
    Program("scalar expression, forward and backward", 0.37, "torch", scalar_expression),
    Program("chain of 10,000 multiplications and additions of rank 0", 0.35, "torch", scalar_chain),
    Program("training step 784-100-10, batch 64, cross entropy, SGD by hand", 1.35, "by hand", training_step, training_step_by_hand),
    Program("tanh network 10-20-5, one input, .backward()", 3.0, "by hand", lecture_network, lecture_network_by_hand),
    Program("gradient of a squared gradient norm, tanh network 32-64-64-1", 0.6, "torch", gradient_of_a_gradient),
]  # fmt: skip
