"""The same program, drawn: node for node the same picture for our graph and for PyTorch's."""

import math
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest

import autograd_teach
from autograd_teach import viz

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

Made = tuple[Any, dict[str, Any]]


def abs_sum(lib: ModuleType) -> Made:
    x = lib.tensor([1.0, -2.0, 3.0, -4.0], requires_grad=True)
    return x.abs().sum(), {"x": x}


def norm(lib: ModuleType) -> Made:
    x = lib.tensor([3.0, -4.0], requires_grad=True)
    return x.norm(), {"x": x}


def shared(lib: ModuleType) -> Made:
    a = lib.tensor(1.0, requires_grad=True)
    b = a + a
    c = b + b
    return c, {"a": a, "b": b, "c": c}


def two_layers(lib: ModuleType) -> Made:
    def numbers(*shape: int) -> Any:
        return lib.tensor([(0.31 * i % 1 - 0.5) / 3 for i in range(math.prod(shape))]).reshape(shape)

    w1, b1, w2, b2 = numbers(20, 10), numbers(20), numbers(5, 20), numbers(5)
    for parameter in (w1, b1, w2, b2):
        parameter.requires_grad_()
    h = lib.tanh(w1 @ numbers(10) + b1)
    y = lib.tanh(w2 @ h + b2)
    loss = (y - numbers(5)).pow(2).mean()
    return loss, {"w1": w1, "b1": b1, "w2": w2, "b2": b2, "h": h, "y": y, "loss": loss}


def broadcast(lib: ModuleType) -> Made:
    x = lib.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    b = lib.tensor([0.5, -0.5], requires_grad=True)
    return ((x * b - b) / 2).sum(), {"x": x, "b": b}


def accumulated(lib: ModuleType) -> Made:
    x = lib.tensor([-3.0, 2.0, 5.0], requires_grad=True)
    (x**3).sum().backward()
    return (x**3).sum(), {"x": x}


def freed(lib: ModuleType) -> Made:
    x = lib.tensor(2.0, requires_grad=True)
    z = 1 / x
    z.backward()
    return z, {"x": x}


def stale(lib: ModuleType) -> Made:
    x = lib.tensor([1.0, 2.0], requires_grad=True)
    y = x.exp()
    z = y.sum()
    y.mul_(2)
    return z, {"x": x, "z": z}


def custom(lib: ModuleType) -> Made:
    class KillHead(lib.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any, n: int) -> Any:
            ctx.n = n
            ctx.save_for_backward(x)
            result = x.clone()
            result[0:n] = 0
            return result

        @staticmethod
        def backward(ctx: Any, grad_output: Any) -> Any:
            grad = grad_output.clone()
            grad[0 : ctx.n] = 0
            return grad, None

    x = lib.tensor([1.0, 2.0, 3.0], requires_grad=True)
    return KillHead.apply(x, 1).sum(), {"x": x}


def gradient_of_gradient(lib: ModuleType) -> Made:
    x = lib.tensor([2.0, 3.0], requires_grad=True)
    (g,) = lib.autograd.grad((x * x * x).sum(), x, create_graph=True)
    return (g * g).sum(), {"x": x, "g": g}


def leaf(lib: ModuleType) -> Made:
    x = lib.tensor([1.0, 2.0], requires_grad=True)
    return x, {"x": x}


def detached(lib: ModuleType) -> Made:
    x = lib.tensor([1.0, 2.0], requires_grad=True)
    y = (x * 2).detach()
    return y, {"y": y}


PROGRAMS = [
    abs_sum,
    norm,
    shared,
    two_layers,
    broadcast,
    accumulated,
    freed,
    stale,
    custom,
    gradient_of_gradient,
    leaf,
    detached,
]


def drawn(
    program: Callable[[ModuleType], Made],
    lib: ModuleType,
    show: Callable[..., viz.View],
    **options: Any,
) -> viz.View:
    output, names = program(lib)
    return show(output, names=names, **options)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
@pytest.mark.parametrize("saved", [False, True])
def test_graph_is_the_same(program, saved):
    ours, theirs = (drawn(program, lib, viz.graph, saved=saved) for lib in (autograd_teach, torch))
    assert repr(ours) == repr(theirs)
    assert ours.dot == theirs.dot
    assert ours.data() == theirs.data()


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_play_is_the_same(program):
    ours, theirs = (drawn(program, lib, viz.play) for lib in (autograd_teach, torch))
    assert repr(ours) == repr(theirs)
    assert ours.data() == theirs.data()
