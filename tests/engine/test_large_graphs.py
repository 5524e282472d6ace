"""Long chains and wide sums: built, differentiated, printed and freed without recursion, and no graph outlives its last user."""

import gc
import threading
import weakref
from collections.abc import Callable

import pytest

import autograd_teach as torch

DEPTH = 200_000


def test_a_long_chain_is_differentiated_and_freed() -> None:
    x = torch.tensor(1.0, requires_grad=True)
    y = x
    for _ in range(DEPTH):
        y = y + 1.0
    y.backward()
    assert x.grad is not None and x.grad.item() == 1.0
    nodes = 0
    node = y.grad_fn
    while node is not None and node.next_functions:
        nodes, node = nodes + 1, node.next_functions[0][0]
    assert nodes == DEPTH
    del y, node


def test_a_long_chain_of_gradients_of_gradients() -> None:
    x = torch.tensor(1.0, requires_grad=True)
    y = x
    for _ in range(DEPTH // 20):
        y = y * 1.0
    (gradient,) = torch.autograd.grad(y, x, create_graph=True)
    (gradient * x).backward()
    assert x.grad is not None and x.grad.item() == 1.0


def test_a_result_used_many_times_sums_its_contributions() -> None:
    x = torch.ones(3, requires_grad=True)
    y = x * 1
    total = y.sum()
    for _ in range(1000):
        total = total + y.sum()
    total.backward()
    assert x.grad is not None and x.grad.tolist() == [1001.0] * 3


class Exp(torch.autograd.Function):
    """Saves its output, the usual way to make a cycle."""

    @staticmethod
    def forward(ctx, x):  # type: ignore[no-untyped-def]
        y = x.exp()
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, g):  # type: ignore[no-untyped-def]
        return g * ctx.saved_tensors[0]


GRAPHS: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
    "an operation that saves its input": lambda x: (x * x).sum(),
    "an operation that saves its result": lambda x: x.exp().sum(),
    "a Function that saves its output": lambda x: Exp.apply(x).sum(),
    "a view": lambda x: x.t()[0:1].sum(),
    "a write into a result": lambda x: (x * 1).exp_().sum(),
    "a write into a view": lambda x: _written(x * 1).sum(),
    "a gradient of a gradient": lambda x: torch.autograd.grad(x.exp().sum(), x, create_graph=True)[0].sum(),
    "a hook": lambda x: _hooked(x * 2).sum(),
}


def _written(y: torch.Tensor) -> torch.Tensor:
    y[0].exp_()
    return y


def _hooked(y: torch.Tensor) -> torch.Tensor:
    y.register_hook(lambda g: g * 2)
    y.retain_grad()
    return y


@pytest.mark.parametrize("build", GRAPHS.values(), ids=list(GRAPHS))
@pytest.mark.parametrize("run", [False, True], ids=["built", "run backward"])
def test_no_graph_survives_its_last_user(build: Callable[[torch.Tensor], torch.Tensor], run: bool) -> None:
    gc.collect()
    gc.disable()
    try:
        x = torch.ones(2, 2, requires_grad=True)
        result = build(x)
        node, leaf = weakref.ref(result.grad_fn), weakref.ref(x)
        if run:
            result.backward()
        del result
        assert node() is None
        del x
        assert leaf() is None
    finally:
        gc.enable()


def test_a_graph_keeps_its_leaves() -> None:
    y = torch.ones(2, requires_grad=True) * 2
    (accumulator, _), _ = y.grad_fn.next_functions
    y.sum().backward()
    assert accumulator.variable.grad.tolist() == [2.0, 2.0]


def test_the_grad_mode_belongs_to_the_thread() -> None:
    seen = []
    with torch.no_grad():
        thread = threading.Thread(target=lambda: seen.append(torch.is_grad_enabled()))
        thread.start()
        thread.join()
        assert not torch.is_grad_enabled()
    assert seen == [True]
