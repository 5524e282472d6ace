"""How each contestant computes a workload's gradients: one function per kind of library, which returns what is timed.

Only `autograd_teach` is required; the others (PyTorch, HIPS autograd, micrograd) take part if they
are installed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from benchmarks.workloads import Library, Workload

Run = Callable[[], Sequence[Any]]


def by_hand(workload: Workload) -> Run:
    return lambda: workload.by_hand(*workload.inputs, *workload.constants)


def plainly(workload: Workload) -> Run | None:
    step_by_step = workload.plainly
    return step_by_step and (lambda: step_by_step(*workload.inputs, *workload.constants))


def torch_like(module: str, workload: Workload) -> Run:
    torch = import_module(module)
    library = Library(torch.tanh, lambda f, x: torch.autograd.grad(f(x), x, create_graph=True)[0])
    leaves = [torch.tensor(value, requires_grad=True) for value in workload.inputs]
    constants = [torch.tensor(value) for value in workload.constants]

    def run() -> Sequence[Any]:
        for leaf in leaves:
            leaf.grad = None
        workload.loss(library, *leaves, *constants).backward()
        return [leaf.grad for leaf in leaves]

    return run


def hips(workload: Workload) -> Run:
    autograd = import_module("autograd")
    library = Library(import_module("autograd.numpy").tanh, lambda f, x: autograd.grad(f)(x))
    numbers = tuple(range(len(workload.inputs)))
    gradient = autograd.grad(lambda *inputs: workload.loss(library, *inputs, *workload.constants), numbers)
    return lambda: gradient(*workload.inputs)


def micrograd(workload: Workload) -> Run | None:
    if not workload.scalar or workload.deep:
        return None
    engine = import_module("micrograd.engine")

    def run() -> Sequence[Any]:
        leaves = [engine.Value(number) for number in workload.inputs]
        workload.loss(None, *leaves).backward()
        return [leaf.grad for leaf in leaves]

    return run


# The columns of the table, and the module each needs.
CONTESTANTS: dict[str, tuple[str, Callable[[Workload], Run | None]]] = {
    "by hand": ("numpy", by_hand),
    "plainly": ("numpy", plainly),
    "autograd_teach": ("autograd_teach", lambda workload: torch_like("autograd_teach", workload)),
    "torch": ("torch", lambda workload: torch_like("torch", workload)),
    "HIPS": ("autograd", hips),
    "micrograd": ("micrograd", micrograd),
}


def installed() -> list[str]:
    """The contestants whose module is installed."""
    return [name for name, (module, _) in CONTESTANTS.items() if find_spec(module)]


def prepare(contestant: str, workload: Workload) -> Run | None:
    """A function that computes the workload's gradients when called; None if that contestant cannot."""
    return CONTESTANTS[contestant][1](workload)
