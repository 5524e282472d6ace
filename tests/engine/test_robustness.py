"""What must hold however large, odd or concurrent a program is: no recursion, no quadratic work, no leaks, no shared modes.

NaN, infinities, empty and 0-d tensors are in tests/parity/test_robustness_parity.py.
"""

from __future__ import annotations

import copy
import gc
import pickle
import sys
import threading
import weakref
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import numpy as np
import psutil
import pytest

import autograd_teach as torch
from autograd_teach import viz
from autograd_teach.autograd import Function
from autograd_teach.tensor import _warn_once

# A million operations


def drawn(y: torch.Tensor) -> str:
    # In a function of its own: `viz.graph` reads its caller's variables, which before Python 3.13 keeps them until that returns.
    return viz.graph(y).text


def chain(operations: int) -> tuple[torch.Tensor, torch.Tensor]:
    """A leaf, and what that many multiplications and additions make of it."""
    x = torch.tensor(2.0, requires_grad=True)
    y = x
    for _ in range(operations // 2):
        y = y * 1.0 + 1.0
    return x, y


def calls_by_stage(operations: int) -> dict[str, int]:
    """How many functions are called by each thing that is done with a chain."""
    calls: dict[str, int] = {}

    @contextmanager
    def stage(name: str) -> Iterator[None]:
        calls[name] = 0

        def count(frame: Any, event: str, argument: Any) -> None:
            calls[name] += event in ("call", "c_call")

        sys.setprofile(count)
        try:
            yield
        finally:
            sys.setprofile(None)

    with stage("built"):
        _, y = chain(operations)
    with stage("printed"):
        repr(y)
    with stage("drawn as text"):
        drawn(y)
    with stage("differentiated"):
        y.backward()
    with stage("freed"):
        del y
    return calls


def test_ten_times_the_operations_are_about_ten_times_the_work() -> None:
    """Were a stage quadratic, it would be a hundred times."""
    calls_by_stage(10)  # what is loaded or compiled at its first use
    short, long = calls_by_stage(200), calls_by_stage(2_000)
    assert long["built"] > 2_000 and long["differentiated"] > 2_000
    for stage, calls in long.items():
        assert calls < 11 * short[stage] + 1_000, stage


@pytest.mark.parametrize("operations", [100_000, pytest.param(1_000_000, marks=pytest.mark.full)])
def test_a_very_long_chain(operations: int) -> None:
    before = psutil.Process().memory_info().rss
    x, y = chain(operations)
    assert repr(y).endswith("grad_fn=<AddBackward0>)")
    # Up to 20,000 nodes are read, and what repeats is folded; of more, 30,000 are counted.
    assert "This graph has more than 30,000 nodes" in drawn(y)
    y.backward()
    assert x.grad is not None and x.grad.item() == 1.0
    assert psutil.Process().memory_info().rss - before < 1_500 * operations
    node = weakref.ref(y.grad_fn)
    del y
    assert node() is None


def test_a_long_chain_is_drawn_folded() -> None:
    _, y = chain(4_000)
    assert "1,999 x (AddBackward0, MulBackward0)" in drawn(y)


def kept_in_a_list(x: torch.Tensor, operations: int) -> torch.Tensor:
    """One node with very many inputs."""
    return torch.stack([x] * operations).sum()


def written_in_place(x: torch.Tensor, operations: int) -> torch.Tensor:
    y = x * 1.0
    for _ in range(operations):
        y += 1.0
    return y


def written_through_a_view(x: torch.Tensor, operations: int) -> torch.Tensor:
    y = x.reshape(1) * 1.0
    view = y[0:1]
    for _ in range(operations):
        view += 1.0
    return y


def views_of_views(x: torch.Tensor, operations: int) -> torch.Tensor:
    for _ in range(operations):
        x = x.reshape(1).squeeze(0)
    return x


class Same(Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        ctx.save_for_backward(x)
        return x * 1.0

    @staticmethod
    def backward(ctx: Any, g: torch.Tensor) -> torch.Tensor:
        return g * 1.0


def custom_functions(x: torch.Tensor, operations: int) -> torch.Tensor:
    for _ in range(operations):
        x = Same.apply(x)
    return x


def with_hooks(x: torch.Tensor, operations: int) -> torch.Tensor:
    for _ in range(operations):
        x = x * 1.0
        x.register_hook(lambda g: g * 1.0)
    return x


def used_twice(x: torch.Tensor, operations: int) -> torch.Tensor:
    """2 ** operations paths lead from the result to the leaf."""
    for _ in range(operations):
        x = x * 0.5 + x * 0.5
    return x


CHAINS = (
    kept_in_a_list,
    written_in_place,
    written_through_a_view,
    views_of_views,
    custom_functions,
    with_hooks,
    used_twice,
)


@pytest.mark.parametrize("operations", [2_000, pytest.param(20_000, marks=pytest.mark.full)])
@pytest.mark.parametrize("build", CHAINS, ids=[build.__name__ for build in CHAINS])
def test_long_chains_of_every_kind(build: Callable[[torch.Tensor, int], torch.Tensor], operations: int) -> None:
    x = torch.tensor(1.0, requires_grad=True)
    y = build(x, operations)
    assert drawn(y)
    expected = operations if build is kept_in_a_list else 1.0
    (gradient,) = torch.autograd.grad(y, x, retain_graph=True)
    assert gradient.item() == expected
    (gradient,) = torch.autograd.grad(y, x, create_graph=True)
    assert gradient.item() == expected
    y.backward()
    assert x.grad is not None and x.grad.item() == expected
    node = weakref.ref(y.grad_fn)
    del y, gradient
    assert node() is None


def test_a_long_chain_of_gradients_of_gradients() -> None:
    x = torch.tensor(1.0, requires_grad=True)
    y = x
    for _ in range(10_000):
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


# No graph survives its last user


@contextmanager
def what_survives() -> Iterator[list[Any]]:
    """The tensors and nodes made in this block that are there at its end, where nobody looked for cycles."""
    survivors: list[Any] = []
    kinds = (torch.Tensor, torch.autograd.Node)
    gc.disable()
    gc.freeze()  # so that `get_objects` gives only what is made from here on
    try:
        yield survivors
        survivors += [type(thing).__name__ for thing in gc.get_objects() if issubclass(type(thing), kinds)]
    finally:
        gc.unfreeze()
        gc.enable()


class Exp(Function):
    """Saves its output, the usual way to make a cycle, and keeps its input on the context."""

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        y = x.exp()
        ctx.save_for_backward(x, y)
        ctx.factor = y.detach()
        return y

    @staticmethod
    def backward(ctx: Any, g: torch.Tensor) -> torch.Tensor:
        return g * ctx.saved_tensors[1]


class WithSetup(Function):
    @staticmethod
    def forward(x: torch.Tensor, y: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return x * y, x + y

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        ctx.save_for_backward(*inputs, *output)

    @staticmethod
    def backward(ctx: Any, g: torch.Tensor, h: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        x, y, *_ = ctx.saved_tensors
        return g * y + h, g * x + h


class Doubled(Function):
    """Writes into its input."""

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        ctx.mark_dirty(x)
        return x.mul_(2)

    @staticmethod
    def backward(ctx: Any, g: torch.Tensor) -> torch.Tensor:
        return g * 2


class Fails(Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        ctx.save_for_backward(x)
        return x * 1

    @staticmethod
    def backward(ctx: Any, g: torch.Tensor) -> torch.Tensor:
        raise ZeroDivisionError


Build = Callable[[torch.Tensor], torch.Tensor]


def written(y: torch.Tensor, *writes: Callable[[torch.Tensor], Any]) -> torch.Tensor:
    for write in writes:
        write(y)
    return y


def hooked(y: torch.Tensor) -> torch.Tensor:
    y.register_hook(lambda g: g * 2)
    y.retain_grad()
    y.grad_fn.register_hook(lambda inputs, outputs: None)
    y.grad_fn.register_prehook(lambda outputs: None)
    return y


def through_two_outputs(x: torch.Tensor) -> torch.Tensor:
    first, second = WithSetup.apply(x, x * 2)
    return first * second


def with_a_view_kept(x: torch.Tensor) -> torch.Tensor:
    y = x * 1
    row = y[0]
    y.mul_(2)
    return y * row.exp()


def written_into_a_leaf(x: torch.Tensor) -> torch.Tensor:
    with torch.no_grad():
        x.mul_(2)
    return x * x


GRAPHS: dict[str, Build] = {
    "an operation that saves its input": lambda x: x * x,
    "an operation that saves its result": lambda x: x.exp().tanh().sigmoid(),
    "operations of several results": lambda x: x.sort()[0] + x.max(1)[0] + torch.stack(x.unbind()),
    "a reduction": lambda x: x.prod() * x.std() * x.logsumexp(0),
    "matrices": lambda x: (x @ x).t() @ x[0],
    "indices": lambda x: x[torch.tensor([1, 0, 1])][:, None] * x[x > 0].sum(),
    "a Function that saves its output": Exp.apply,
    "a Function with setup_context": through_two_outputs,
    "a Function that writes": lambda x: Doubled.apply(x * 1),
    "a view": lambda x: x.t()[0:1].reshape(-1).expand(3, 2),
    "a write into a result": lambda x: (x * 1).exp_(),
    "a write into a view": lambda x: written(x * 1, lambda y: y.t()[1].mul_(y[0, 0].clone()), lambda y: y[0].exp_()),
    "an assignment": lambda x: written(x * 1, lambda y: y.__setitem__(0, x[1])),
    "a view kept over a write": with_a_view_kept,
    "a write into a leaf": written_into_a_leaf,
    "hooks": lambda x: hooked(x * 2),
    "a gradient of a gradient": lambda x: torch.autograd.grad(x.exp().sum(), x, create_graph=True)[0],
    "a gradient of a Function's gradient": lambda x: torch.autograd.grad(Exp.apply(x).sum(), x, create_graph=True)[0],
    "a Hessian": lambda x: torch.autograd.functional.hessian(lambda t: (t**3).sum(), x, create_graph=True),
    "a product with a Hessian": lambda x: torch.autograd.functional.hvp(lambda t: t.prod(), x, x, create_graph=True)[1],
    "detached": lambda x: x * (x * 2).detach(),
    "a layer": lambda x: torch.nn.Linear(2, 3)(x).relu(),
}


def no_more(x: torch.Tensor, result: torch.Tensor) -> None:
    """The forward pass only."""


def run_backward(x: torch.Tensor, result: torch.Tensor) -> None:
    result.sum().backward()


def run_backward_again(x: torch.Tensor, result: torch.Tensor) -> None:
    result.sum().backward(retain_graph=True)
    result.sum().backward()


def run_grad(x: torch.Tensor, result: torch.Tensor) -> None:
    torch.autograd.grad(result.sum(), x)


def run_grad_of_grad(x: torch.Tensor, result: torch.Tensor) -> None:
    (gradient,) = torch.autograd.grad((result * result).sum(), x, create_graph=True)
    (gradient * gradient).sum().backward()


def fail_in_a_hook(x: torch.Tensor, result: torch.Tensor) -> None:
    middle = result * 1
    middle.register_hook(lambda g: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        (middle * middle).sum().backward()


def fail_in_a_function(x: torch.Tensor, result: torch.Tensor) -> None:
    for create_graph in (False, True):
        with pytest.raises(ZeroDivisionError):
            torch.autograd.grad((Fails.apply(result) * result).sum(), x, create_graph=create_graph)


def fail_twice(x: torch.Tensor, result: torch.Tensor) -> None:
    total = (result * result).sum()
    total.backward()
    with pytest.raises(RuntimeError, match="second time"):
        total.backward()


USES = (
    no_more,
    run_backward,
    run_backward_again,
    run_grad,
    run_grad_of_grad,
    fail_in_a_hook,
    fail_in_a_function,
    fail_twice,
)


@pytest.mark.parametrize("build", GRAPHS.values(), ids=list(GRAPHS))
@pytest.mark.parametrize("use", USES, ids=[use.__name__ for use in USES])
def test_no_graph_survives_its_last_user(use: Callable[..., None], build: Build) -> None:
    def program() -> None:
        x = torch.tensor([[0.5, 1.5], [2.0, 0.25]], requires_grad=True)
        use(x, build(x))

    program()  # whatever is kept from a first call on: compiled formulas, constants
    with what_survives() as survivors:
        program()
    assert survivors == []


def backward_with_graph(forget: bool) -> None:
    x = torch.ones(2, requires_grad=True)
    with pytest.warns(UserWarning, match="create_graph=True will create a reference cycle"):
        (x**3).sum().backward(create_graph=True)
    if forget:
        x.grad = None


def test_backward_with_create_graph_leaves_a_cycle_as_it_warns() -> None:
    with what_survives() as survivors:
        backward_with_graph(forget=True)
    assert survivors == []
    with what_survives() as survivors:
        backward_with_graph(forget=False)
    assert "PowBackward0" in survivors
    gc.collect()


def test_a_graph_keeps_its_leaves() -> None:
    y = torch.ones(2, requires_grad=True) * 2
    (accumulator, _), _ = y.grad_fn.next_functions
    y.sum().backward()
    assert accumulator.variable.grad.tolist() == [2.0, 2.0]


# Threads


def together(*programs: Callable[[threading.Barrier], Any]) -> list[Any]:
    """What the programs return, each run in a thread; they meet at the barrier, at which none waits longer than ten seconds."""
    barrier = threading.Barrier(len(programs), timeout=120)
    with ThreadPoolExecutor(len(programs)) as pool:
        return [future.result() for future in [pool.submit(program, barrier) for program in programs]]


@pytest.mark.parametrize("mode", [torch.no_grad, torch.inference_mode, lambda: torch.set_grad_enabled(False)])
def test_each_thread_has_its_own_grad_mode(mode: Callable[[], Any]) -> None:
    x = torch.ones(2, requires_grad=True)

    def off_then_on(barrier: threading.Barrier) -> list[bool]:
        seen = []
        with mode():
            barrier.wait()
            seen += [torch.is_grad_enabled(), (x * 2).requires_grad]
            barrier.wait()
        barrier.wait()
        return [*seen, torch.is_grad_enabled(), (x * 2).requires_grad]

    def on_then_off(barrier: threading.Barrier) -> list[bool]:
        barrier.wait()
        seen = [torch.is_grad_enabled(), (x * 2).requires_grad]
        barrier.wait()
        with mode():
            barrier.wait()
            return [*seen, torch.is_grad_enabled(), (x * 2).requires_grad]

    assert together(off_then_on, on_then_off) == [[False, False, True, True], [True, True, False, False]]


def test_a_backward_pass_leaves_the_modes_of_other_threads_alone() -> None:
    """While one thread is within its backward pass, in a hook, another one builds a graph."""
    x = torch.ones(2, requires_grad=True)

    def backward(barrier: threading.Barrier) -> bool:
        y = x * 2

        def hook(gradient: torch.Tensor) -> None:
            barrier.wait()
            seen.append(torch.is_grad_enabled())
            barrier.wait()

        seen: list[bool] = []
        y.register_hook(hook)
        torch.autograd.grad(y.sum(), x)
        return seen[0]

    def forward(barrier: threading.Barrier) -> bool:
        barrier.wait()
        recorded = (x * 3).requires_grad
        barrier.wait()
        return recorded

    assert together(backward, forward) == [False, True]


def test_backward_passes_at_the_same_time() -> None:
    """Each thread over a graph of its own, and all over one that they share."""
    shared = torch.tensor([0.5, 1.5], requires_grad=True)
    common = (shared.exp() * shared).sum()

    def program(seed: int) -> Callable[[threading.Barrier], list[Any]]:
        def run(barrier: threading.Barrier) -> list[Any]:
            x = torch.tensor([0.1 * seed, 1.0], requires_grad=True)
            results: list[Any] = []
            barrier.wait()
            for _ in range(50):
                y = (x.exp() * shared).sin().sum()
                results.append(torch.autograd.grad(y, (x, shared), create_graph=True)[0].tolist())
                results.append(torch.autograd.grad(common, shared, retain_graph=True)[0].tolist())
                (x.tanh() * seed).sum().backward()
            return [results, None if x.grad is None else x.grad.tolist()]

        return run

    programs = [program(seed) for seed in range(4)]
    alone = [together(p)[0] for p in programs]
    assert together(*programs) == alone


# Copies and pickles


class Tied(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.weight = torch.nn.Parameter(torch.tensor([[1.0, 2.0]]))
        self.tied = self.weight


def deep(value: Any) -> Any:
    return copy.deepcopy(value)


def pickled(value: Any) -> Any:
    return pickle.loads(pickle.dumps(value))


@pytest.mark.parametrize("duplicate", [deep, pickled])
@pytest.mark.parametrize(
    "kind", [lambda t: t, lambda t: t.requires_grad_(), torch.nn.Parameter], ids=["tensor", "leaf", "Parameter"]
)
def test_copies_are_leaves_with_memory_of_their_own(
    duplicate: Callable[[Any], Any], kind: Callable[[Any], Any]
) -> None:
    x = kind(torch.tensor([[1.0, float("nan")], [-0.0, float("inf")]]))
    y = duplicate(x)
    assert type(y) is type(x)
    assert (y.dtype, y.shape, y.requires_grad, y.is_leaf) == (x.dtype, x.shape, x.requires_grad, True)
    assert repr(y) == repr(x)
    with torch.no_grad():
        y.zero_()
    assert x[1, 1].item() == float("inf")
    if y.requires_grad:
        (y * 2).sum().backward()
        assert x.grad is None and y.grad.tolist() == [[2.0, 2.0], [2.0, 2.0]]


def test_gradients_are_copied_with_a_tensor_but_not_pickled() -> None:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    (x * x).sum().backward()
    y = deep(x)
    assert y.grad.tolist() == [2.0, 4.0] and y.grad is not x.grad
    y.grad.zero_()
    assert x.grad is not None and x.grad.tolist() == [2.0, 4.0]
    assert pickled(x).grad is None


def test_what_an_operation_made_cannot_be_copied_deeply() -> None:
    y = torch.ones(2, requires_grad=True) * 2
    with pytest.raises(RuntimeError, match="^Only Tensors created explicitly by the user"):
        deep(y)
    assert deep(y.detach()).tolist() == [2.0, 2.0]


@pytest.mark.parametrize("duplicate", [deep, pickled])
def test_what_is_one_stays_one(duplicate: Callable[[Any], Any]) -> None:
    x = torch.ones(2, requires_grad=True)
    first, second = duplicate([x, x])
    assert first is second
    module = duplicate(Tied())
    assert module.weight is module.tied
    assert module.weight.tolist() == [[1.0, 2.0]]


# A first gradient whose memory nobody else holds becomes `.grad` without a copy; one that somebody holds must be copied.


class Kept(Function):
    """The identity, whose backward remembers what it returned."""

    returned: torch.Tensor

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        return x * 1

    @staticmethod
    def backward(ctx: Any, g: torch.Tensor) -> torch.Tensor:
        Kept.returned = g * 2
        return Kept.returned


def given_from_outside(x: torch.Tensor) -> list[Any]:
    gradient = torch.ones(3)
    x.backward(gradient)
    return [gradient]


def given_through_operations(x: torch.Tensor) -> list[Any]:
    gradient = torch.ones(3)
    (x + 1).backward(gradient)
    return [gradient]


def shared_by_two_leaves(x: torch.Tensor) -> list[Any]:
    other = torch.zeros(3, requires_grad=True)
    ((x + other) * 2).sum().backward()
    return [other.grad]


def seen_by_a_hook(x: torch.Tensor) -> list[Any]:
    seen: list[Any] = []
    y = x * 1
    y.register_hook(seen.append)
    (y + 0).backward(torch.ones(3))
    return seen


def seen_by_a_hook_of_the_leaf(x: torch.Tensor) -> list[Any]:
    seen: list[Any] = []
    x.register_hook(seen.append)
    (x * 2).sum().backward()
    return seen


def kept_by_a_function(x: torch.Tensor) -> list[Any]:
    Kept.apply(x).sum().backward()
    return [Kept.returned]


def retained_on_the_way(x: torch.Tensor) -> list[Any]:
    y = x + 0
    y.retain_grad()
    (y * 2).sum().backward()
    return [y.grad]


@pytest.mark.parametrize("use", [
    given_from_outside, given_through_operations, shared_by_two_leaves, seen_by_a_hook, seen_by_a_hook_of_the_leaf,
    kept_by_a_function, retained_on_the_way,
])  # fmt: skip
def test_a_gradient_that_somebody_holds_is_not_shared_with_a_leaf(use: Callable[[torch.Tensor], list[Any]]) -> None:
    x = torch.zeros(3, requires_grad=True)
    others = use(x)
    before = [other.tolist() for other in others]
    assert x.grad is not None
    x.grad += 100
    assert before == [other.tolist() for other in others] and all(value >= 100 for value in x.grad.tolist())


def test_a_gradient_that_nobody_holds_is_not_copied(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[tuple[int, ...]] = []
    empty_like = np.empty_like
    monkeypatch.setattr(np, "empty_like", lambda array: made.append(array.shape) or empty_like(array))
    x, w = torch.ones(2, 3, requires_grad=True), torch.ones(3, 4, requires_grad=True)
    ((x @ w) ** 2).mean().backward()
    assert made == []
    # A sum's gradient is one number seen many times: there a copy is needed.
    x.grad = None
    x.sum().backward()
    assert made == [(2, 3)]


def test_numbers_taken_out_of_a_graph_into_a_new_tensor_are_warned_about_once() -> None:
    _warn_once.cache_clear()
    a = torch.tensor(2.0, requires_grad=True)
    with pytest.warns(UserWarning, match="requires_grad=True to a scalar may lead to unexpected") as caught:
        assert not torch.tensor([a, 2 * a]).requires_grad
    assert len(caught) == 1
