"""`viz.watch`: what is noted of each node, what is listed as an event, and that nothing else changes."""

import gc
import sys
import threading
import weakref

import numpy as np
import pytest

from autograd_teach.viz.watch import KEY, LARGEST_KEPT, last_watch, running, seen, watch, watched
from tests.viz.test_watch_lines import OWN_LINE, call_from_its_own_line


def nodes(tensor):
    """Every node behind a tensor, by name."""
    found, todo = {}, [tensor.grad_fn]
    while todo:
        node = todo.pop()
        if node is not None and node not in found.values():
            found.setdefault(node.name(), node)
            todo += [child for child, _ in node.next_functions]
    return found


VALUES = {
    "mul": (lambda lib, x: x * 2, [2.0, 4.0], (None, 2)),
    "rmul": (lambda lib, x: 2 * x, [2.0, 4.0], (None, 2)),
    "add": (lambda lib, x: x + lib.tensor([1.0, 2.0]), [2.0, 4.0], (None, [1.0, 2.0])),
    "div": (lambda lib, x: x / 4.0, [0.25, 0.5], (None, 4.0)),
    "sub": (lambda lib, x: lib.tensor([1.0, 2.0]) - x, [0.0, 0.0], ([1.0, 2.0], None)),
    "square": (lambda lib, x: x * x, [1.0, 4.0], (None, None)),
    "exp": (lambda lib, x: (x - x).exp(), [1.0, 1.0], (None,)),
    "where": (lambda lib, x: lib.where(x > 1, x, lib.zeros(2)), [0.0, 2.0], (None, [0.0, 0.0])),
    "stack": (lambda lib, x: lib.stack([lib.zeros(2), x]), [[0.0, 0.0], [1.0, 2.0]], ([0.0, 0.0], None)),
    "part": (lambda lib, x: x[1], 2.0, (None,)),
    "in place": (lambda lib, x: (x + 0).mul_(3), [3.0, 6.0], (None, 3)),
}


def plain(constants):
    return tuple(c.tolist() if isinstance(c, np.ndarray) else c for c in constants)


@pytest.mark.parametrize(("f", "value", "constants"), VALUES.values(), ids=VALUES)
def test_a_node_knows_its_value_and_constants(lib, f, value, constants):
    x = lib.tensor([1.0, 2.0], requires_grad=True)
    note = seen(watched(f, lib, x).grad_fn)
    assert note.value.tolist() == value
    assert plain(note.constants) == constants
    assert note.shape == np.shape(value)


def test_without_a_watch_nothing_is_noted(lib):
    x = lib.tensor([1.0, 2.0], requires_grad=True)
    assert seen((x * 2).grad_fn) is None
    assert seen(object()) is None


def test_several_results_are_noted_by_number(lib):
    x = lib.tensor([1.0, 5.0, 3.0], requires_grad=True)
    first, second = watched(lambda: x.split(2))
    note = seen(second.grad_fn)
    assert [v.tolist() for v in note.values] == [[1.0, 5.0], [3.0]]
    assert note.value.tolist() == first.tolist()


def test_a_value_is_a_copy(lib):
    x = lib.tensor([1.0, 2.0], requires_grad=True)
    y = watched(lambda: x * 2)
    node = y.grad_fn
    y.mul_(10)
    assert seen(node).value.tolist() == [2.0, 4.0]


def test_a_large_result_is_noted_as_its_range(lib):
    x = lib.ones(LARGEST_KEPT + 1, requires_grad=True)
    note = seen(watched(lambda: x * 2).grad_fn)
    assert note.value is None
    assert note.shape == (LARGEST_KEPT + 1,)
    assert note.summary == "from 2 to 2, mean 2"


def test_the_line_is_the_innermost_of_the_users(lib):
    x = lib.tensor(2.0, requires_grad=True)
    note = seen(watched(call_from_its_own_line, x).grad_fn)
    assert note.source == OWN_LINE
    assert note.file.endswith("test_watch_lines.py")


def test_the_line_of_a_module_is_where_it_is_called(lib):
    layer = lib.nn.Linear(2, 1)
    with watch():
        y = layer(lib.ones(1, 2))
    assert seen(y.grad_fn).source == "y = layer(lib.ones(1, 2))"


def test_all_nodes_of_one_call_have_its_line(lib):
    x = lib.ones(1, 3, requires_grad=True)
    with watch():
        loss = lib.nn.functional.cross_entropy(x, lib.tensor([1]))
    lines = {name: seen(node).line for name, node in nodes(loss).items() if "AccumulateGrad" not in name}
    assert set(lines) == {"NllLossBackward0", "LogSoftmaxBackward0"}
    assert len(set(lines.values())) == 1


def test_a_function_of_ones_own_is_noted(lib):
    class Double(lib.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            return g * 2

    x = lib.tensor([1.0], requires_grad=True)
    with watch():
        y = Double.apply(x)
    note = seen(y.grad_fn)
    assert (note.value.tolist(), note.source) == ([2.0], "y = Double.apply(x)")


def written(y):
    y[0] = 7.0


EVENTS = {
    "detach": (lambda lib, y: y.detach(), "detach"),
    "data": (lambda lib, y: y.data, "detach"),
    "item": (lambda lib, y: y.sum().item(), "number"),
    "tolist": (lambda lib, y: y.tolist(), "number"),
    "float": (lambda lib, y: float(y.detach().sum()), "number"),
    "numpy": (lambda lib, y: y.detach().numpy(), "numpy"),
    "tensor": (lambda lib, y: lib.tensor(y.detach()), "new leaf"),
    "parameter": (lambda lib, y: lib.nn.Parameter(y), "new leaf"),
    "requires_grad_": (lambda lib, y: y.detach().requires_grad_(), "new leaf"),
    "requires_grad off": (lambda lib, y: y.detach().requires_grad_().requires_grad_(False), "requires_grad"),
    "argmax": (lambda lib, y: y.argmax(), "integers"),
    "comparison": (lambda lib, y: y > 0, "integers"),
    "cast": (lambda lib, y: y.long(), "integers"),
    "round": (lambda lib, y: y.round(), "no slope"),
    "no_grad": (lambda lib, y: lib.no_grad()(lambda: y * 2)(), "no_grad"),
    "inference mode": (lambda lib, y: lib.inference_mode()(lambda: y * 2)(), "no_grad"),
    "in place": (lambda lib, y: y.mul_(2), "overwritten"),
    "operator in place": (lambda lib, y: y.__iadd__(1), "overwritten"),
    "assigned": (lambda lib, y: written(y), "overwritten"),
    "backward": (lambda lib, y: y.sum().backward(), "backward"),
    "operation": (lambda lib, y: y.exp().sum(), None),
    "shape only": (lambda lib, y: lib.zeros_like(y), None),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("f", "kind"), EVENTS.values(), ids=EVENTS)
def test_what_leaves_no_node_is_an_event(lib, f, kind):
    y = lib.tensor([1.0, 2.0], requires_grad=True) * 1
    with watch() as w:
        f(lib, y)
    kinds = [event.kind for event in w.events]
    assert kinds[-1:] == ([] if kind is None else [kind])
    assert all(event.file == __file__ and event.line and event.source for event in w.events)


def test_events_know_what_was_made_from_what(lib):
    x = lib.tensor([1.0, 2.0], requires_grad=True)
    with watch() as w:
        y = x * 2
        z = y.detach()
        y.mul_(3)
    cut, write = w.events
    assert cut.used == w.tokens(y)[:1]
    assert cut.made == w.tokens(z)
    assert write.made == w.tokens(y)[1:]
    assert last_watch() is w


def test_notes_die_with_their_nodes(lib):
    x = lib.tensor([1.0, 2.0], requires_grad=True)
    with watch():
        y = x * 2
    value = weakref.ref(seen(y.grad_fn).value)
    assert value() is not None
    del y
    gc.collect()
    assert value() is None


# What was there before is there afterwards


def nobody(frame, event, arg):
    """A profile function of someone else's."""


def modes(lib):
    return lib.overrides._len_torch_function_stack() if lib.__name__ == "torch" else 0


@pytest.mark.parametrize("before", [None, nobody], ids=["no profiler", "a profiler"])
def test_everything_is_as_before_after_an_exception_and_nested(lib, before):
    stack = modes(lib)
    sys.setprofile(before)
    try:
        with pytest.raises(ZeroDivisionError), watch() as outer, watch() as inner:
            lib.ones(1, requires_grad=True).detach()
            raise ZeroDivisionError
        found = sys.getprofile()
    finally:
        sys.setprofile(None)
    assert found is before
    assert modes(lib) == stack
    assert running() == []
    assert [e.kind for e in outer.events] == [e.kind for e in inner.events] == ["detach"]


def test_generators_may_end_in_any_order(lib):
    def steps():
        with watch() as w:
            yield w
            yield w

    x, stack = lib.ones(1, requires_grad=True), modes(lib)
    one, two = steps(), steps()
    first, second = next(one), next(two)
    one.close()
    x.detach()
    two.close()
    x.detach()
    assert (len(first.events), len(second.events)) == (0, 1)
    assert sys.getprofile() is None
    assert modes(lib) == stack


def test_another_thread_is_not_watched(lib):
    x = lib.ones(1, requires_grad=True)
    with watch() as w:
        thread = threading.Thread(target=lambda: x.detach())
        thread.start()
        thread.join()
    assert w.events == []


def test_a_watch_that_ends_in_another_thread_stops(lib):
    x = lib.ones(1, requires_grad=True)
    w = watch()
    w.__enter__()
    thread = threading.Thread(target=w.__exit__)
    thread.start()
    thread.join()
    x.detach()
    assert w.events == []
    assert sys.getprofile() is None
    with watch():  # takes away what the other one could not
        pass
    assert modes(lib) == 0


def test_a_running_watch_cannot_be_entered_again(lib):
    with watch() as w, pytest.raises(RuntimeError, match="use a new viz.watch"):
        w.__enter__()


def test_a_watch_changes_no_number(lib):
    def program():
        lib.manual_seed(0)
        layer = lib.nn.Linear(3, 2)
        loss = layer(lib.ones(4, 3)).tanh().sum()
        loss.backward()
        return loss.item(), layer.weight.grad.tolist(), layer.weight.grad_fn, loss.grad_fn.name()

    assert program() == watched(program)


def test_nodes_that_bear_no_notes_are_left_alone():
    assert seen(type("Node", (), {"next_functions": ()})()) is None
    assert isinstance(KEY, str)
