"""`viz.versions`: at which version each tensor was saved, which it has now, and who will raise, before anyone does."""

import pytest

from autograd_teach import viz


def leaf(lib, values):
    return lib.tensor(values, requires_grad=True)


def told(view):
    return [(row.node, row.name, row.tensor, row.saved_at, row.now, row.state) for row in view.saved]


def untouched(lib):
    x, c = leaf(lib, [1.0, 2.0]), lib.tensor([3.0, 4.0])
    y = x.exp()
    return (y * c).sum(), {"x": x, "c": c, "y": y}


def result_changed(lib):
    x = leaf(lib, [1.0, 2.0])
    y = x.exp()
    z = y.sum()
    y.mul_(2)
    y.add_(1)
    return z, {"x": x, "y": y}


def argument_changed(lib):
    x, w = leaf(lib, [1.0, 2.0]), leaf(lib, [3.0, 4.0])
    y = x * 1
    z = (y * w).sum()
    y.sin_()
    other = x.exp()
    other.add_(1)  # has the shape and the version of y, but another operation made it
    return z, {"x": x, "w": w, "y": y, "other": other}


def leaf_changed(lib):
    x, w = leaf(lib, [1.0, 2.0]), leaf(lib, [3.0, 4.0])
    z = (x * w).sum()
    with lib.no_grad():
        w.add_(1)
    return z, {"x": x, "w": w}


def changed_before_it_was_saved(lib):
    x = leaf(lib, [1.0, 2.0])
    y = x * 2
    y.add_(1)
    return y.sin().sum(), {"x": x, "y": y}


def two_that_fit(lib):
    x = leaf(lib, [1.0, 2.0])
    y, other = x.exp(), x.exp()
    z = y.sum()
    y.mul_(2)
    other.mul_(2)
    return z, {"x": x, "y": y, "other": other}


def freed(lib):
    x = leaf(lib, [1.0, 2.0])
    z = x.sin().sum()
    z.backward()
    return z, {"x": x}


def data_changed(lib):
    x = leaf(lib, [1.0, 2.0])
    y = x.exp()
    z = y.sum()
    y.data.mul_(2)
    return z, {"x": x, "y": y}


CASES = [
    (
        untouched,
        [
            ("MulBackward0", "other", "c", 0, 0, "unchanged"),
            ("ExpBackward0 (y)", "result", "y", 0, 0, "unchanged"),
        ],
    ),
    (result_changed, [("ExpBackward0", "result", "probably y", 0, 2, "changed in place")]),
    (
        argument_changed,
        [
            ("MulBackward0 #1", "other", "w", 0, 0, "unchanged"),
            ("MulBackward0 #1", "self", "probably y", 0, 1, "changed in place"),
            ("MulBackward0 #2", "other", "", 0, 0, "unchanged"),
        ],
    ),
    (
        leaf_changed,
        [
            ("MulBackward0", "other", "probably w", 0, 1, "changed in place"),
            ("MulBackward0", "self", "x", 0, 0, "unchanged"),
        ],
    ),
    (
        changed_before_it_was_saved,
        [("SinBackward0", "self", "y", 1, 1, "unchanged"), ("MulBackward0", "other", "", 0, 0, "unchanged")],
    ),
    (two_that_fit, [("ExpBackward0", "result", "", 0, 1, "changed in place")]),
    (freed, [("SinBackward0", "self", "", None, None, "freed")]),
    (data_changed, [("ExpBackward0 (y)", "result", "y", 0, 0, "unchanged")]),
]


@pytest.mark.parametrize(("make", "rows"), CASES, ids=[case[0].__name__ for case in CASES])
def test_each_saved_tensor_has_both_its_versions(lib, make, rows):
    output, names = make(lib)
    assert told(viz.versions(output, names=names)) == rows


@pytest.mark.parametrize("make", [case[0] for case in CASES], ids=[case[0].__name__ for case in CASES])
def test_what_is_said_to_raise_raises_and_nothing_else_does(lib, make):
    output, names = make(lib)
    view = viz.versions(output, names=names)
    raises = any(row.state != "unchanged" for row in view.saved)
    if raises:
        with pytest.raises(RuntimeError):
            output.backward()
    else:
        output.backward()


def test_the_node_that_will_raise_is_marked_by_words_colour_and_dash(lib):
    output, names = result_changed(lib)
    view = viz.versions(output, names=names)
    (line,) = [line for line in view.dot.splitlines() if "agt-stale" in line]
    assert "ExpBackward0" in line
    assert "result: version 0, now 2" in line
    assert "will raise in backward" in line
    assert 'style="filled,dashed" color="#D55E00"' in line
    assert [head for head, _ in view.data()["legend"]] == ["marked"]


def test_the_text_is_a_sentence_and_a_table(lib):
    output, names = result_changed(lib)
    assert repr(viz.versions(output, names=names)) == (
        "ExpBackward0 will raise in backward: it saved its result (probably y) at version 0, and a change in place made"
        " that version 2.\n"
        "node          saved   tensor      shape  saved at   now\n"
        "ExpBackward0  result  probably y  (2)    version 0  version 2  changed in place, will raise"
    )


def test_a_good_graph_says_so(lib):
    output, names = untouched(lib)
    assert repr(viz.versions(output, names=names)).startswith("No version of a saved tensor has changed")


def test_a_freed_node_is_grey(lib):
    output, names = freed(lib)
    view = viz.versions(output, names=names)
    assert repr(view).startswith("Part of this graph is freed (grey)")
    assert "agt-freed" in view.dot
    assert "will raise" not in repr(view)


def test_what_a_custom_function_saved_is_read_too(lib):
    class Twice(lib.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * 2

        @staticmethod
        def backward(ctx, grad_output):
            return grad_output * 2

    x = leaf(lib, [1.0, 2.0])
    v = x * 1
    z = Twice.apply(v).sum()
    assert ("tensor 0", "v") in [(row.name, row.tensor) for row in viz.versions(z).saved]
    v.mul_(3)
    assert "TwiceBackward may raise in backward: it saved a tensor (probably v) at version 0" in repr(viz.versions(z))
    assert viz.versions(z).data()["legend"][0][1].startswith("may raise: ")
    (row,) = [row for row in viz.versions(z).saved if row.state != "unchanged"]
    assert (row.saved_at, row.now) == (0, 1)


BAD = [
    ("a number", lambda lib: 3, "Nothing to draw for an int"),
    ("no graph", lambda lib: lib.tensor([1.0]), "has no graph: no operation was recorded"),
    ("a leaf", lambda lib: leaf(lib, [1.0]), "is a leaf: no operation was recorded for it"),
    ("nothing saved", lambda lib: leaf(lib, [1.0]) + 1, "No operation of this graph saves a tensor."),
    ("NaN", lambda lib: leaf(lib, [float("nan")]).sum(), "not finite: 1 NaN of 1."),
]


@pytest.mark.parametrize(("make", "sentence"), [case[1:] for case in BAD], ids=[case[0] for case in BAD])
def test_bad_input_becomes_a_sentence(lib, make, sentence):
    view = viz.versions(make(lib))
    assert sentence in repr(view)
    assert view._repr_mimebundle_()["image/svg+xml"].startswith("<svg")


def test_a_change_after_the_view_was_made_does_not_change_the_view(lib):
    x = leaf(lib, [1.0, 2.0])
    y = x.exp()
    z = y.sum()
    view = viz.versions(z)
    y.mul_(2)
    assert "will raise" not in repr(view) + view.dot
    assert "will raise" in repr(viz.versions(z))


def test_what_can_be_read_only_once_is_left_to_the_backward_pass(lib):
    class Square(lib.autograd.Function):
        clear_saved_tensors_on_access = True

        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx, grad):
            (x,) = ctx.saved_tensors
            return grad * 2 * x

    x = leaf(lib, [3.0])
    y = Square.apply(x)
    assert all(str(view) for view in (viz.graph(y), viz.versions(y)))
    y.backward()
    assert x.grad == 6
