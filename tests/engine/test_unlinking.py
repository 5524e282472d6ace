"""Long graphs on a small stack: `autograd/unlinking.py`, which a browser needs, does here what it does there."""

import gc
import subprocess
import sys
import threading
import weakref

import pytest

import autograd_teach as torch
from autograd_teach import nn
from autograd_teach.autograd import unlinking
from autograd_teach.autograd.engine import DEEPEST
from autograd_teach.autograd.graph import Node

LENGTH = 300


class Noted(torch.autograd.Function):
    """Keeps its input twice: as a saved tensor and as an attribute."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        ctx.notes = [x]
        return x * 1.0

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output * ctx.saved_tensors[0].shape[0] / 2


class Two(torch.autograd.Function):
    """Two outputs, so edges are of the class `Output`."""

    @staticmethod
    def forward(ctx, x):
        return x * 1.0, x * 2.0

    @staticmethod
    def backward(ctx, first, second):
        return first + 2 * second


def hooked(y, x):
    z = y + 1
    z.register_hook(lambda grad, before=y: grad * 1.0)
    return z


def noted(y, x):
    z = y + 1
    z.grad_fn.metadata["before"] = y
    return z


def part_written(y, x):
    y[0] *= x[1]
    return y


def packed(y, x):
    with torch.autograd.graph.saved_tensors_hooks(lambda t: [t], lambda kept: kept[0]):
        return y * x


LAYER = nn.Linear(2, 2)
KINDS = {
    "additions": lambda y, x: y + 1,
    "products": lambda y, x: y * x,
    "squares": lambda y, x: (y * y).sqrt(),
    "saved results": lambda y, x: (y * 0.1).exp(),
    "sums of both": lambda y, x: (y + y) / 2,
    "Functions": lambda y, x: Noted.apply(y),
    "several outputs": lambda y, x: sum(Two.apply(y)) / 3,
    "unbind": lambda y, x: torch.stack((y, y)).unbind()[1],
    "cat": lambda y, x: torch.cat((y, x))[:2],
    "views": lambda y, x: y.reshape(1, 2).t().reshape(2),
    "written in place": lambda y, x: y.add_(x),
    "a part written in place": part_written,
    "hooks": hooked,
    "metadata": noted,
    "packed": packed,
    "a network": lambda y, x: torch.tanh(LAYER(y)),
    "losses": lambda y, x: nn.MSELoss()(y, x) + x,
}


@pytest.fixture
def loops(monkeypatch):
    """Unlink as a browser does; the list gets an entry whenever letting go begins.

    Nodes that died one inside the other would each begin anew.
    """
    begun = []

    def unlink(node):
        if node._edges and not unlinking._letting_go:
            begun.append(type(node).__name__)
        unlinking.unlink(node)

    monkeypatch.setattr(Node, "__del__", unlink, raising=False)
    return begun


def graph_below(node):
    """Weak references to all nodes of a graph that are not leaves' ends."""
    found, left = {}, [node]
    while left:
        each = left.pop()
        if each is not None and each not in found and each.next_functions:
            found[each] = weakref.ref(each)
            left += [below for below, _ in each.next_functions]
    return list(found.values())


def chain(kind, backward=()):
    """The last tensor of a chain, its leaf, and weak references to the nodes."""
    x = torch.tensor([0.9, 1.1], requires_grad=True)
    y = x * 1.0
    for _ in range(LENGTH):
        y = KINDS[kind](y, x)
    nodes = graph_below(y.grad_fn)
    if "create_graph" in backward:
        (gradient,) = torch.autograd.grad(y.sum(), x, create_graph=True)
        y = gradient * y
        nodes += graph_below(y.grad_fn)
    if backward:
        y.sum().backward()
    return y, x, nodes


BACKWARD = {"before backward": (), "after backward": ("backward",), "twice back": ("create_graph",)}


@pytest.mark.parametrize("backward", BACKWARD)
@pytest.mark.parametrize("kind", KINDS)
def test_a_chain_is_freed_in_one_loop(kind, backward, loops):
    y, _, nodes = chain(kind, BACKWARD[backward])
    assert len(nodes) >= LENGTH
    loops.clear()
    del y
    assert not [ref for ref in nodes if ref() is not None]
    assert len(loops) <= 1
    assert not unlinking._left_behind


@pytest.mark.parametrize("kind", KINDS)
def test_gradients_are_the_same(kind, monkeypatch):
    _, x, _ = chain(kind, ("create_graph",))
    monkeypatch.setattr(Node, "__del__", unlinking.unlink, raising=False)
    _, other, _ = chain(kind, ("create_graph",))
    assert x.grad.tolist() == other.grad.tolist()


@pytest.mark.parametrize("kind", ["additions", "products", "Functions", "several outputs", "views"])
def test_what_is_still_held_stays(kind, loops):
    x = torch.tensor([0.9, 1.1], requires_grad=True)
    middle = KINDS[kind](x * 1.0, x)
    expected = torch.autograd.grad(middle.sum(), x, retain_graph=True)[0].tolist()
    top = middle
    for _ in range(LENGTH):
        top = KINDS[kind](top, x)
    node, below = middle.grad_fn, middle.grad_fn.next_functions
    del top
    assert middle.grad_fn is node and node.next_functions == below
    del middle, below
    assert all(each is None or each.name() for each, _ in node.next_functions), "the node alone is held"
    gradients = node(*[torch.ones(2)] * node._outputs) if kind not in ("Functions", "several outputs") else None
    assert gradients is None or gradients[0] is not None
    y = KINDS[kind](x * 1.0, x)
    assert torch.autograd.grad(y.sum(), x)[0].tolist() == expected


def test_hooks_run_in_the_same_order(loops):
    def order():
        called = []
        x = torch.ones(2, requires_grad=True)
        x.register_hook(lambda grad: called.append("leaf"))
        y = x * 2
        y.register_hook(lambda grad: called.append("tensor"))
        y.grad_fn.register_hook(lambda inputs, outputs: called.append("node"))
        z = y * 3
        z.grad_fn.register_prehook(lambda outputs: called.append("pre"))
        (z + y).sum().backward()
        (x * 5).sum().backward()  # the hook of a leaf stays when its accumulator died
        return called

    with_unlinking = order()
    with pytest.MonkeyPatch.context() as patch:
        patch.delattr(Node, "__del__")
        assert order() == with_unlinking == ["pre", "tensor", "node", "leaf", "leaf"]


@pytest.mark.parametrize(
    "kind",
    [
        "additions",
        *(pytest.param(kind, marks=pytest.mark.full) for kind in ("products", "Functions", "several outputs")),
    ],
)
def test_cycles_are_freed_by_the_collector(kind, loops):
    y, _, nodes = chain(kind)
    y.grad_fn.metadata["me"] = y
    loops.clear()
    gc.collect()
    assert all(ref() is not None for ref in nodes)
    del y
    assert all(ref() is not None for ref in nodes), "only the collector finds a cycle"
    gc.collect()
    assert not [ref for ref in nodes if ref() is not None]
    assert len(loops) <= 4  # not one for each node


def test_what_users_keep_on_a_context_is_freed_once_and_may_fail(loops):
    freed = []

    class Kept:
        def __del__(self):
            freed.append(True)
            raise ValueError

    class Keeps(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.kept = Kept()
            return x * 2

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "unraisablehook", lambda unraisable: None)
        y = torch.ones(2, requires_grad=True)
        for _ in range(3):
            y = Keeps.apply(y)
        del y
    assert len(freed) == 3 and not unlinking._letting_go and not unlinking._left_behind


def test_only_a_browser_needs_it(monkeypatch):
    assert sys.platform == "emscripten" or not hasattr(Node, "__del__")
    for platform, needed in {"linux": False, "win32": False, "darwin": False, "emscripten": True}.items():
        monkeypatch.setattr(sys, "platform", platform)
        kind = unlinking.unlinked_where_needed(type("Kind", (), {}))
        assert (getattr(kind, "__del__", None) is unlinking.unlink) is needed


def test_an_engine_imported_in_a_browser_unlinks():
    program = (
        "import sys, gc, numpy.random, numpy.linalg, platform; platform.system(); sys.platform = 'emscripten'\n"
        "import autograd_teach as torch; from autograd_teach.autograd import unlinking\n"
        "assert torch.autograd.graph.Node.__del__ is unlinking.unlink\n"
        "x = torch.ones(2, dtype=torch.float64, requires_grad=True); y = x * 1.0\n"
        "for _ in range(20000): y = y * x + 1\n"
        "y.sum().backward(); del y; gc.collect()\n"
        "print(x.grad[0].item(), sum(isinstance(each, torch.autograd.graph.Node) for each in gc.get_objects()))"
    )
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.split() == [str(20000 * 20001 / 2 + 1), "0"] and not ran.stderr


def test_a_place_without_threads_says_how_deep_backward_passes_may_nest(monkeypatch):
    class Nested(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, depth):
            ctx.depth = depth
            return x * 2

        @staticmethod
        def backward(ctx, grad_output):
            if ctx.depth:
                with torch.enable_grad():
                    Nested.apply(torch.ones(2, requires_grad=True), ctx.depth - 1).sum().backward()
            return grad_output * 2, None

    def refuse(thread):
        raise RuntimeError("can't start new thread")

    x = torch.ones(2, requires_grad=True)
    Nested.apply(x, DEEPEST + 5).sum().backward()
    monkeypatch.setattr(threading.Thread, "start", refuse)
    Nested.apply(x, DEEPEST - 1).sum().backward()
    with pytest.raises(NotImplementedError, match=f"at most {DEEPEST} backward passes inside each other"):
        Nested.apply(x, DEEPEST).sum().backward()
