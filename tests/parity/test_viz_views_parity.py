"""The same program, seen: orders, cuts, comparison, versions and exploring are the same for our graph and for PyTorch's."""

from types import ModuleType
from typing import Any

import pytest

import autograd_teach
from autograd_teach import viz

torch = pytest.importorskip("torch", reason="PyTorch is not installed")


def leaves(lib: ModuleType) -> tuple[Any, Any]:
    x = lib.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    w = lib.tensor([[0.5, -0.5], [0.25, 0.75]], requires_grad=True)
    return x, w


def gradient(lib: ModuleType) -> viz.View:
    x, w = leaves(lib)
    y = (x @ w).tanh().sum()
    dx, dw = lib.autograd.grad(y, (x, w), create_graph=True)
    return viz.graph(y, [dx, dw], orders=True)


def second_gradient(lib: ModuleType) -> viz.View:
    x = lib.tensor([2.0, 3.0], requires_grad=True)
    y = (x * x * x).sum()
    (dx,) = lib.autograd.grad(y, x, create_graph=True)
    (d2x,) = lib.autograd.grad(dx.sum(), x, create_graph=True)
    return viz.graph(y, dx, d2x, orders=True)


def gradient_without_graph(lib: ModuleType) -> viz.View:
    x, _ = leaves(lib)
    y = x.exp().sum()
    (dx,) = lib.autograd.grad(y, x, retain_graph=True)
    return viz.graph(y, dx, orders=True)


def no_gradient(lib: ModuleType) -> viz.View:
    x, w = leaves(lib)
    y, z = x.exp().sum(), w.exp().sum()
    return viz.graph(y, z, orders=True)


def cut(operation: Any, make: Any) -> Any:
    def program(lib: ModuleType) -> viz.View:
        x, w = leaves(lib)
        h = x.exp()
        with lib.no_grad():
            d = make(lib, x, h)
        return viz.graph(operation(w, d) + h.sum())

    return program


CUT_FROM = {
    "detach": lambda lib, x, h: x.detach(),
    "data": lambda lib, x, h: h.data,
    "part": lambda lib, x, h: h.detach()[0],
    "turned": lambda lib, x, h: h.detach().t(),
    "no_grad": lambda lib, x, h: x * 2,
    "constant": lambda lib, x, h: lib.ones(2, 2),
    "scalar": lambda lib, x, h: lib.tensor(3.0),
    "number": lambda lib, x, h: 3.0,
}
OPERATIONS = {
    "mul": lambda w, d: w * d,
    "rmul": lambda w, d: d * w,
    "div": lambda w, d: w / d,
    "rdiv": lambda w, d: d / w,
    "add": lambda w, d: w + d,
    "pow": lambda w, d: w**d,
}
MATRIX_OPERATIONS = {
    "matmul": lambda w, d: w @ d,
    "rmatmul": lambda w, d: d @ w,
    "mv": lambda w, d: w @ d[0],
    "dot": lambda w, d: w[0] @ d[0],
}
CUTS = {f"{op} {source}": cut(OPERATIONS[op], CUT_FROM[source]) for op in OPERATIONS for source in CUT_FROM} | {
    f"{op} {source}": cut(MATRIX_OPERATIONS[op], CUT_FROM[source])
    for op in MATRIX_OPERATIONS
    for source in ("detach", "turned", "no_grad", "constant")
}


def leaf_of_a_cut_value(lib: ModuleType) -> viz.View:
    x, w = leaves(lib)
    h = x.exp()
    e = h.detach().requires_grad_()
    return viz.graph(e * w + h)


def detached_output(lib: ModuleType) -> viz.View:
    x, _ = leaves(lib)
    h = x.exp()
    return viz.graph(h.sum(), h.detach())


def condition(lib: ModuleType) -> viz.View:
    x, w = leaves(lib)
    mask, low = x.detach() > 2, w.detach()
    return viz.graph(lib.where(mask, x, low))


def played(lib: ModuleType) -> viz.View:
    x, w = leaves(lib)
    d = x.detach()
    return viz.play((w * d).sum())


def compared(lib: ModuleType) -> viz.View:
    x, w = leaves(lib)
    h = (x @ w).tanh()
    y, z = (h * w).sum(), (h.detach() * w).exp().sum()
    return viz.compare(y, z)


def compared_gradients(lib: ModuleType) -> viz.View:
    x, _ = leaves(lib)
    (a,) = lib.autograd.grad((x**3).sum(), x, create_graph=True)
    (b,) = lib.autograd.grad((x**3).sum(), x)
    return viz.compare(a, b)


def compared_no_grad(lib: ModuleType) -> viz.View:
    x, w = leaves(lib)
    with lib.no_grad():
        h = x.exp()
    y, z = (x.exp() * w).mean(), (h * w).mean()
    return viz.compare(y, z)


def versions_good(lib: ModuleType) -> viz.View:
    x, w = leaves(lib)
    y = (x @ w).tanh()
    return viz.versions((y * y).sum())


def versions_changed(lib: ModuleType) -> viz.View:
    x, w = leaves(lib)
    y = (x @ w).tanh()
    z = (y * w).sum()
    y.mul_(2)
    with lib.no_grad():
        w.add_(1)
    return viz.versions(z)


def versions_of_a_view(lib: ModuleType) -> viz.View:
    x, w = leaves(lib)
    y = x * 1
    z = (y[0] * w[0]).sum()
    y.mul_(2)
    return viz.versions(z)


def versions_freed(lib: ModuleType) -> viz.View:
    x, w = leaves(lib)
    z = (x @ w).tanh().sum()
    z.backward()
    return viz.versions(z)


def explored(lib: ModuleType) -> viz.View:
    x, w = leaves(lib)

    def layers(k: int, last: bool = True) -> Any:
        h = x
        for _ in range(k):
            h = (h @ w).tanh()
        return h.sum() if last else h

    view = viz.explore(layers, k=(1, 4), last=True)
    view.value(k=3, last=False)
    return view


PROGRAMS = {
    program.__name__: program
    for program in [
        gradient,
        second_gradient,
        gradient_without_graph,
        no_gradient,
        leaf_of_a_cut_value,
        detached_output,
        condition,
        played,
        compared,
        compared_gradients,
        compared_no_grad,
        versions_good,
        versions_changed,
        versions_of_a_view,
        versions_freed,
        explored,
    ]
} | CUTS


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS.keys())
def test_the_view_is_the_same(program):
    ours, theirs = program(autograd_teach), program(torch)
    assert repr(ours) == repr(theirs)
    assert ours.dot == theirs.dot
    assert ours.data() == theirs.data()


@pytest.mark.parametrize("program", CUTS.values(), ids=CUTS.keys())
def test_nothing_untrue_is_said_of_an_argument(program):
    """Where an argument is named, it is named right: every program above calls its own `d`."""
    for node in program(torch).snapshot.nodes:
        if node.kind == "constant":
            assert node.variable in ("", "d")
