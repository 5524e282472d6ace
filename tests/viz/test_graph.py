"""`viz.graph`: what is read from a graph, how it is told in text and DOT, and what happens to bad input."""

import re
import subprocess
import sys
from types import ModuleType
from typing import Any

import pytest

from autograd_teach import viz
from autograd_teach.viz import dot, snapshot
from autograd_teach.viz.facts import facts, number


def leaf(lib: ModuleType, values: Any) -> Any:
    return lib.tensor(values, requires_grad=True)


def test_tree_of_abs_and_sum(lib):
    x = leaf(lib, [1.0, -2.0, 3.0, -4.0])
    y = x.abs().sum()
    assert repr(viz.graph(y)) == (
        "output y, shape (), 10\n"
        "└─ SumBackward0, shape (), 10\n"
        "   └─ AbsBackward0, shape (4)\n"
        "      └─ AccumulateGrad of x, shape (4), [1, -2, 3, -4], grad not computed yet"
    )


def test_a_shared_node_is_told_once_and_referred_to(lib):
    a = leaf(lib, 1.0)
    b = a + a
    c = b + b
    assert repr(viz.graph(c)) == (
        "output c, shape (), 4\n"
        "└─ AddBackward0, shape (), 4\n"
        "   ├─ AddBackward0 (b), shape (), 2\n"
        "   │  ├─ AccumulateGrad of a, shape (), 1, grad not computed yet\n"
        "   │  └─ AccumulateGrad of a, shown above\n"
        "   └─ AddBackward0 (b), shown above"
    )


def test_gradient_of_a_leaf_is_shown_once_it_exists(lib):
    x = leaf(lib, [-3.0, 2.0, 5.0])
    (x**3).sum().backward()
    view = viz.graph((x**3).sum())
    assert "grad [27, 12, 75]" in repr(view)


def test_names_given_by_the_caller_win_over_variables(lib):
    x = leaf(lib, 2.0)
    assert "AccumulateGrad of weight," in repr(viz.graph(x * x, names={"weight": x}))


@pytest.mark.parametrize(
    ("holder", "name"),
    [
        (lambda t: [None, t], "holder[1]"),
        (lambda t: {"k": t}, "holder['k']"),
        (lambda t: (t,), "holder[0]"),
    ],
)
def test_a_leaf_in_a_container_is_named_by_its_place(lib, holder, name):
    holder = holder(leaf(lib, 2.0))
    inside = holder["k"] if isinstance(holder, dict) else holder[-1]
    output = inside * inside
    del inside
    assert f"AccumulateGrad of {name}," in repr(viz.graph(output))


def test_many_named_tensors_are_not_mixed_up(lib):
    x = leaf(lib, 1.0)
    made = [x * i for i in range(60)]
    outputs = [viz.graph(made[i].exp(), names={}).snapshot.nodes[2].title for i in (0, 30, 59)]
    assert outputs == [
        "MulBackward0 (made[0])",
        "MulBackward0 (made[30])",
        "MulBackward0 (made[59])",
    ]


def test_underscored_names_of_ipython_are_not_used(lib):
    _12 = leaf(lib, 2.0)
    assert "AccumulateGrad of unnamed leaf" in repr(viz.graph(_12 * 3))


def test_value_between_operations_is_known_where_the_next_one_saved_it(lib):
    x = leaf(lib, [1.0, 2.0])
    node = viz.graph((x * 2).exp().sum()).snapshot.nodes[2]
    assert (node.name, node.value.text) == ("ExpBackward0", "[7.389, 54.6]")


def test_argument_without_gradient_is_a_node_of_its_own_kind(lib):
    x = leaf(lib, 2.0)
    kinds = [node.kind for node in viz.graph(x * 3).snapshot.nodes]
    assert kinds == ["output", "operation", "leaf", "constant"]


def test_several_outputs_share_their_nodes(lib):
    x = leaf(lib, [1.0, 2.0])
    h = x.exp()
    p, q = h.sum(), h.mean()
    shot = viz.graph(p, q).snapshot
    assert [shot.node(i).title for i in shot.outputs] == ["p", "q"]
    assert [node.name for node in shot.nodes].count("ExpBackward0") == 1


def test_saved_tensors_are_told_only_when_asked_for(lib):
    x = leaf(lib, [1.0, -2.0])
    y = x.abs().sum()
    assert "saved" not in repr(viz.graph(y))
    assert "saved self: x, shape (2), [1, -2]" in repr(viz.graph(y, saved=True))


def test_saved_tensors_of_a_custom_function_are_read_too(lib):
    class Double(lib.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * 2

        @staticmethod
        def backward(ctx, grad_output):
            return grad_output * 2

    x = leaf(lib, [1.0, -2.0])
    tree = repr(viz.graph(Double.apply(x).sum(), saved=True))
    assert "DoubleBackward" in tree
    assert "saved tensor 0: x, shape (2), [1, -2]" in tree


def two_outputs(lib):
    class Split(lib.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2, x * 3

        @staticmethod
        def backward(ctx, a, b):
            return 2 * a + 3 * b

    return Split


def test_output_number_stands_on_the_edge(lib):
    x = leaf(lib, 1.0)
    _, second = two_outputs(lib).apply(x)
    view = viz.graph(second)
    assert [edge.number for edge in view.snapshot.edges] == [1, 0]
    assert 'label="   1"' in view.dot
    assert "└─ output 1 of SplitBackward" in repr(view)


BAD = [
    ("a non-tensor", lambda lib: 3.0, "Nothing to draw for a float: give a tensor"),
    ("None", lambda lib: None, "Nothing to draw for a NoneType"),
    (
        "no graph",
        lambda lib: lib.tensor([1.0]),
        "This tensor has no graph: no operation was recorded",
    ),
    ("a leaf", lambda lib: leaf(lib, [1.0]), "This tensor is a leaf: no operation was recorded for it"),
    ("detached", lambda lib: (leaf(lib, [1.0]) * 2).detach(), "has no graph"),
    (
        "NaN",
        lambda lib: leaf(lib, [float("nan"), float("inf"), 1.0]).sum(),
        "not finite: 1 NaN and 1 infinite of 3.",
    ),
]


@pytest.mark.parametrize(("make", "sentence"), [case[1:] for case in BAD], ids=[case[0] for case in BAD])
@pytest.mark.parametrize("show", [viz.graph, viz.play], ids=["graph", "play"])
def test_bad_input_becomes_a_sentence(lib, show, make, sentence):
    view = show(make(lib))
    assert sentence in repr(view)
    bundle = view._repr_mimebundle_()
    assert sentence in bundle["text/plain"]
    assert bundle["image/svg+xml"].startswith("<svg")


def test_nothing_given_is_said(lib):
    assert repr(viz.graph()) == "Nothing to draw: give a tensor, such as the result of a computation."


def test_a_freed_graph_is_grey_and_said(lib):
    x = leaf(lib, 2.0)
    z = 1 / x
    z.backward()
    view = viz.graph(z)
    assert repr(view).startswith("Part of this graph is freed (grey)")
    assert any(node.freed for node in view.snapshot.nodes)
    assert "agt-freed" in view.dot


def test_a_saved_tensor_changed_in_place_is_marked_before_backward_raises(lib):
    x = leaf(lib, [1.0, 2.0])
    y = x.exp()
    z = y.sum()
    y.mul_(2)
    view = viz.graph(z)
    assert "ExpBackward0 saved a tensor that was changed in place afterwards" in repr(view)


@pytest.mark.parametrize("name", ['<b>&"x"</b>', "a\\nb\\N", "line\nbreak", "&lt;", "naïve λ", "\x00\x1b"])
def test_any_name_can_be_drawn(lib, name):
    x = leaf(lib, 2.0)
    view = viz.graph(x * x, names={name: x})
    readable = "".join(c if c.isprintable() else " " for c in name)
    for part in readable.split():
        escaped = part.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
        assert escaped in view.svg


def test_values_never_shows_no_number(lib):
    x = leaf(lib, [98.7654, 2.0])
    view = viz.graph((x * x).sum(), values="never")
    assert "98.7" not in repr(view) + view.svg + str(view.data())


def test_values_always_writes_larger_tensors_in_full(lib):
    x = leaf(lib, [float(i) for i in range(20)])
    assert "from 0 to 19, mean 9.5" in repr(viz.graph(x.sum()))
    assert "[0, 1, 2, " in repr(viz.graph(x.sum(), values="always"))


def test_unknown_values_raises(lib):
    with pytest.raises(ValueError, match='"auto", "always" or "never"'):
        viz.graph(leaf(lib, 1.0) * 2, values="all")


def test_drawing_changes_nothing(lib):
    x = leaf(lib, [1.0, 2.0])
    y = (x * x).sum()
    viz.graph(y, saved=True)._repr_mimebundle_()
    y.backward()
    assert x.grad.tolist() == [2.0, 4.0]


def chain(lib, length):
    y = leaf(lib, 1.0)
    for _ in range(length):
        y = y + 1
    return y


def test_a_graph_too_large_to_draw_is_summed_up(lib):
    view = viz.graph(chain(lib, 20_000))
    assert repr(view).startswith(
        "This graph has 20,001 nodes and 40,000 edges (20,000 AddBackward0, 1 AccumulateGrad): too"
    )
    assert view.svg.startswith("<svg")


@pytest.mark.parametrize("length", [300, pytest.param(900, marks=pytest.mark.full)])
def test_a_long_chain_is_drawn_without_recursion(lib, shallow_stack, length):
    view = viz.graph(chain(lib, length), fold=False)
    assert len(view.snapshot.nodes) == 1 + length + 1 + length
    assert repr(view).endswith("nodes more")
    assert view.svg.count('id="n') == 2 * length + 2


def loop_with_one_weight(lib, steps):
    w = leaf(lib, 1.0)
    y = w
    for _ in range(steps):
        y = y * w
    return y


def test_a_weight_used_in_each_step_of_a_loop_is_drawn_with_less_effort(lib):
    """Full effort takes twenty times as long."""
    view = viz.graph(loop_with_one_weight(lib, 80), fold=False)
    assert " splines=line mclimit=0.1 nslimit=0.2 nslimit1=0.2]" in view.dot
    assert view.svg.count('id="n') == 82
    few = viz.graph(loop_with_one_weight(lib, 8), fold=False)
    assert " ordering=out]" in few.dot


def test_a_graph_too_tangled_to_draw_is_summed_up(lib, tmp_path):
    view = viz.graph(loop_with_one_weight(lib, 130), fold=False)
    assert "too tangled to draw" in repr(view)
    assert "The longest path through it passes 131 nodes." in repr(view)
    assert view.svg.startswith("<svg")
    with pytest.raises(ValueError, match="too tangled"):
        viz.save(view, tmp_path / "graph.svg")


def test_a_player_too_tangled_to_draw_is_told_as_text(lib):
    view = viz.play(loop_with_one_weight(lib, 130))
    assert repr(view).startswith("This graph is too tangled to draw")
    assert set(view._repr_mimebundle_()) == {"text/plain"}
    assert view.data()["text"] == repr(view)


def test_text_is_the_same_each_time_and_has_no_address(lib):
    x = leaf(lib, [1.0, 2.0])
    y = (x * x).sum()
    views = [viz.graph(y, saved=True), viz.graph(y, saved=True), viz.play(y), viz.play(y)]
    assert repr(views[0]) == repr(views[1])
    assert repr(views[2]) == repr(views[3])
    assert views[0].dot == views[1].dot
    for view in views:
        assert not re.search(r"0x[0-9a-f]{4,}", repr(view) + view.dot + view.svg + str(view.data()))


def test_state_of_a_lesson_sized_view_stays_small(lib):
    w = leaf(lib, [[0.1] * 10] * 20)
    x = lib.ones(10)
    h = x
    for _ in range(8):
        h = (w @ h).tanh()[:10]
    view = viz.play(h.sum())
    assert len(view.svg) + len(str(view.data())) < 90_000


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1.0, "1"),
        (-0.0, "0"),
        (1 / 3, "0.3333"),
        (12345.0, "12345"),
        (1e-9, "1e-09"),
        (float("inf"), "inf"),
        (True, "True"),
    ],
)
def test_numbers_have_fixed_digits(value, text):
    assert number(value) == text


def test_facts_of_larger_tensors_leave_out_what_is_not_finite(lib):
    found = facts(lib.tensor([float("nan"), float("-inf")] + [2.0] * 18))
    assert (found.text, found.odd) == ("from 2 to 2, mean 2", "1 NaN and 1 infinite of 20")


def test_dot_quotes_everything_that_dot_would_read():
    assert dot.quote('a"b\\c<&>\n') == '"a\\"b\\\\c&lt;&amp;&gt;\\n"'


def test_limits_are_those_that_the_summary_names():
    assert f"{snapshot.MOST_NODES:,}" == "2,000"


LOADED = """
import sys
import autograd_teach
print(*sys.modules)
from autograd_teach import viz
print(*sys.modules)
"""


def test_importing_the_engine_loads_no_views_and_importing_the_views_no_front_end():
    said = subprocess.run([sys.executable, "-c", LOADED], check=True, capture_output=True, text=True).stdout
    engine, views = (set(line.split()) for line in said.splitlines())
    assert "autograd_teach.viz" in views - engine
    assert not views & {"ipywidgets", "anywidget", "pygraphviz", "graphviz", "IPython", "matplotlib"}


def test_an_operation_with_several_results_names_them_all_and_shows_the_value_of_none(lib):
    pair = leaf(lib, [10.0, 20.0])
    first, second = pair.unbind()
    view = viz.graph(first * second)
    assert "UnbindBackward0 (first, second)\n" in repr(view)
    assert "shape (), 10" not in repr(view)
    (unbind,) = [node for node in view.data()["nodes"] if node["title"].startswith("Unbind")]
    assert unbind["rows"][:2] == [["shape", "() and (), of its 2 results"], ["result", "not kept by the graph"]]
    assert 'headlabel="1"' in view.dot
