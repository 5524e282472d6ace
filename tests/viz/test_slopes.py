"""Local derivatives found by asking a node: right for whatever operation it stands for, and without a trace."""

import math

import numpy as np
import pytest

from autograd_teach.viz.slopes import MOST_ASKED_ON_REQUEST, Local, local_derivatives

STEP = 1e-6
V, W = [0.5, -1.5, 2.0], [1.25, 0.75, -2.0]
M, N = [[0.5, -1.5, 2.0], [1.0, 0.25, -0.75]], [[1.0, 2.0], [-0.5, 0.5], [3.0, -1.0]]
SQUARE = [[0.5, -1.5], [2.0, 1.0]]

# What is computed, from which values, and of which kind the derivative for each input is.
OPERATIONS = {
    "product": (lambda lib, a, b: a * b, [V, W], ["slopes", "slopes"]),
    "quotient": (lambda lib, a, b: a / b, [V, W], ["slopes", "slopes"]),
    "difference": (lambda lib, a, b: a - b, [V, W], ["slopes", "slopes"]),
    "power": (lambda lib, a: a**3, [V], ["slopes"]),
    "of one entry": (lambda lib, a, b: a * b, [[2.0], [5.0]], ["slopes", "slopes"]),
    "of scalars": (lambda lib, a, b: a / b, [2.0, 5.0], ["slopes", "slopes"]),
    "exp": (lambda lib, a: a.exp(), [M], ["slopes"]),
    "tanh": (lambda lib, a: a.tanh(), [M], ["slopes"]),
    "relu": (lambda lib, a: a.relu(), [V], ["slopes"]),
    "clamp": (lambda lib, a: a.clamp(-1.0, 1.0), [V], ["slopes"]),
    "where": (lambda lib, a, b: lib.where(lib.tensor([True, False, True]), a, b), [V, W], ["slopes", "slopes"]),
    "maximum": (lambda lib, a, b: lib.maximum(a, b), [V, W], ["slopes", "slopes"]),
    "negative": (lambda lib, a: -a, [V], ["slopes"]),
    "sum": (lambda lib, a: a.sum(), [M], ["slopes"]),
    "mean": (lambda lib, a: a.mean(), [M], ["slopes"]),
    "product of all": (lambda lib, a: a.prod(), [V], ["slopes"]),
    "largest": (lambda lib, a: a.max(), [M], ["slopes"]),
    "dot product": (lambda lib, a, b: a @ b, [V, W], ["slopes", "slopes"]),
    "sum of rows": (lambda lib, a: a.sum(1), [M], ["moved"]),
    "mean of rows": (lambda lib, a: a.mean(1), [M], ["block"]),
    "running sum": (lambda lib, a: a.cumsum(0), [V], ["block"]),
    "softmax": (lambda lib, a: a.softmax(0), [V], ["block"]),
    "log softmax": (lambda lib, a: a.log_softmax(1), [M], ["block"]),
    "matrix product": (lambda lib, a, b: a @ b, [M, N], ["block", "block"]),
    "matrix times vector": (lambda lib, a, b: a @ b, [M, V], ["block", "block"]),
    "added to each row": (lambda lib, a, b: a + b, [M, V], ["slopes", "slopes"]),
    "times each row": (lambda lib, a, b: a * b, [M, V], ["slopes", "slopes"]),
    "a number times a vector": (lambda lib, a, b: a * b, [2.0, V], ["slopes", "slopes"]),
    "one entry": (lambda lib, a: a[1], [V], ["slopes"]),
    "one row": (lambda lib, a: a[1], [M], ["moved"]),
    "a slice": (lambda lib, a: a[1:], [V], ["moved"]),
    "an entry twice": (lambda lib, a: a[[0, 0, 2]], [V], ["block"]),
    "transposed": (lambda lib, a: a.t(), [M], ["moved"]),
    "reshaped": (lambda lib, a: a.reshape(3, 2), [M], ["slopes"]),
    "flipped": (lambda lib, a: a.flip(0), [V], ["moved"]),
    "expanded": (lambda lib, a: a.expand(2, 3), [V], ["block"]),
    "joined": (lambda lib, a, b: lib.cat([a, b]), [V, W], ["moved", "moved"]),
    "stacked": (lambda lib, a, b: lib.stack([a, b]), [V, W], ["moved", "moved"]),
}


def leaves_of(lib, values):
    return [lib.tensor(value, dtype=lib.float64, requires_grad=True) for value in values]


def locals_of(lib, result, **options):
    return local_derivatives(
        result.grad_fn,
        lib.ones_like(result),
        [node is not None for node, _ in result.grad_fn.next_functions],
        **options,
    )


def numerical(lib, f, values, place):
    """The Jacobian by central differences: a row for each entry of the result, a column for each of the input."""
    columns = []
    arrays = [np.array(value, np.float64) for value in values]
    for entry in np.ndindex(arrays[place].shape):
        ends = []
        for sign in (1, -1):
            moved = [array.copy() for array in arrays]
            moved[place][entry] += sign * STEP
            ends.append(f(lib, *leaves_of(lib, [array.tolist() for array in moved])).detach().numpy().reshape(-1))
        columns.append((ends[0] - ends[1]) / (2 * STEP))
    return np.stack(columns, axis=1)


def as_matrix(found: Local, shape, result):
    """The Jacobian that a derivative stands for; slopes of an input that was broadcast are summed, as the engine does it."""
    if found.kind == "block":
        return found.numbers
    flat = found.numbers.reshape(-1)
    if found.rows == 1:
        return flat.reshape(1, -1)
    entries = math.prod(shape)
    goes_to = (
        np.broadcast_to(np.arange(entries).reshape(shape), result).reshape(-1)
        if entries < flat.size
        else np.arange(entries)
    )
    matrix = np.zeros((flat.size, entries))
    matrix[np.arange(flat.size), goes_to] = flat
    return matrix


@pytest.mark.parametrize("name", OPERATIONS)
def test_kind_and_numbers_are_those_of_numerical_differences(lib, name):
    f, values, kinds = OPERATIONS[name]
    result = f(lib, *leaves_of(lib, values))
    found = locals_of(lib, result)
    assert [one.kind for one in found] == kinds
    for place, one in enumerate(found):
        expected = numerical(lib, f, values, place)
        assert one.rows == len(expected)
        if one.kind == "moved":
            assert not one.in_full
            assert np.allclose(expected, expected.round(), atol=1e-6), "entries are moved, none is scaled"
        else:
            assert np.allclose(
                as_matrix(one, np.shape(values[place]), tuple(result.shape)), expected, rtol=1e-5, atol=1e-6
            )


def test_slopes_have_the_shape_of_the_result_or_of_the_input_of_a_single_result(lib):
    (matrix,) = leaves_of(lib, [M])
    assert locals_of(lib, matrix.exp())[0].numbers.shape == (2, 3)
    assert locals_of(lib, matrix.reshape(3, 2))[0].numbers.shape == (3, 2)
    assert locals_of(lib, matrix.sum())[0].numbers.shape == (2, 3)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
def test_an_elementwise_operation_is_one_at_every_precision(lib, dtype):
    if not hasattr(lib, dtype):
        pytest.skip(f"no {dtype} here")
    x = lib.tensor([0.1, 0.7, -1.3, 2.9, 0.33], dtype=getattr(lib, dtype), requires_grad=True)
    assert [one.kind for one in locals_of(lib, (x * x).tanh())] == ["slopes"]
    assert [one.kind for one in locals_of(lib, x.flip(0))] == ["moved"]


@pytest.mark.parametrize(("value", "slope"), [(0.0, math.inf), (-1.0, math.nan)])
def test_a_slope_may_be_infinite_or_no_number(lib, value, slope):
    (x,) = leaves_of(lib, [[value, 4.0]])
    (found,) = locals_of(lib, x.sqrt())
    assert found.kind == "slopes"
    assert np.array_equal(found.numbers, [slope, 0.25], equal_nan=True)


def test_a_block_that_is_too_large_is_named_but_not_asked_for(lib):
    x = lib.ones(8, 9, dtype=lib.float64, requires_grad=True)
    (found,) = locals_of(lib, x.softmax(1))
    assert (found.kind, found.in_full, found.rows, found.columns) == ("block", False, 72, 72)
    (asked,) = locals_of(lib, x.softmax(1), most=MOST_ASKED_ON_REQUEST)
    assert asked.in_full
    assert asked.numbers.shape == (72, 72)


def test_slopes_are_told_however_many_there_are(lib):
    x = lib.ones(50, 50, dtype=lib.float64, requires_grad=True)
    (found,) = locals_of(lib, x.exp())
    assert np.allclose(found.numbers, math.e)


def test_an_input_without_gradient_has_no_derivative(lib):
    (x,) = leaves_of(lib, [V])
    found = locals_of(lib, x * lib.tensor(W, dtype=lib.float64))
    assert [one and one.numbers.tolist() for one in found] == [W, None]


def test_a_node_with_several_outputs_answers_for_nothing(lib):
    (x,) = leaves_of(lib, [V])
    first, *_ = x.unbind()
    assert locals_of(lib, first) == [None]


def doubling(lib, backward):
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    return type(
        "Square", (lib.autograd.Function,), {"forward": staticmethod(forward), "backward": staticmethod(backward)}
    )


def right(ctx, g):
    print("asked")
    (x,) = ctx.saved_tensors
    return g * 2 * x


def forgets_the_gradient(ctx, g):
    (x,) = ctx.saved_tensors
    return 2 * x


def raises(ctx, g):
    raise ZeroDivisionError("mine")


def changes_what_came(ctx, g):
    (x,) = ctx.saved_tensors
    g.mul_(2)
    return g * x


def test_a_function_of_ones_own_is_asked_like_any_other(lib, capsys):
    (x,) = leaves_of(lib, [V])
    for backward in (right, changes_what_came):
        (found,) = locals_of(lib, doubling(lib, backward).apply(x))
        assert found.kind == "slopes"
        assert np.allclose(found.numbers, 2 * np.array(V))
    assert capsys.readouterr() == ("", ""), "what it prints, the pass prints"


def test_asking_records_nothing(lib):
    recorded = []

    def backward(ctx, g):
        recorded.append(lib.is_grad_enabled())
        return g * 2

    (x,) = leaves_of(lib, [V])
    locals_of(lib, doubling(lib, backward).apply(x))
    assert recorded == [False] * len(recorded) != []


def test_a_backward_that_forgets_the_gradient_has_no_slopes(lib):
    (x,) = leaves_of(lib, [V])
    (found,) = locals_of(lib, doubling(lib, forgets_the_gradient).apply(x))
    assert found is None, "it answers the same whatever comes in: no linear map"


def clips_what_came(ctx, g):
    return g.clamp(-1, 1)


def test_a_backward_that_is_no_linear_map_has_no_jacobian(lib):
    (x,) = leaves_of(lib, [V])
    assert locals_of(lib, doubling(lib, clips_what_came).apply(x)) == [None]


def test_arguments_that_are_no_tensors_do_not_shift_the_answers(lib):
    class Scale(lib.autograd.Function):
        @staticmethod
        def forward(ctx, factor, x, name, y, z):
            ctx.factor = factor
            ctx.save_for_backward(x, y)
            return x * y * factor + z

        @staticmethod
        def backward(ctx, g):
            x, y = ctx.saved_tensors
            return None, g * y * ctx.factor, None, g * x * ctx.factor, None

    x, y = leaves_of(lib, [V, W])
    found = locals_of(lib, Scale.apply(10.0, x, "name", y, lib.ones(3, dtype=lib.float64)))
    assert [one and (one.kind, one.numbers.tolist()) for one in found] == [
        ("slopes", [10 * w for w in W]),
        ("slopes", [10 * v for v in V]),
        None,
    ]


def test_a_backward_that_raises_answers_for_nothing(lib):
    (x,) = leaves_of(lib, [V])
    assert locals_of(lib, doubling(lib, raises).apply(x)) == [None]


def test_a_freed_node_answers_for_nothing(lib):
    (x,) = leaves_of(lib, [V])
    y = x * x
    y.sum().backward()
    assert locals_of(lib, y) == [None, None]


def test_a_node_whose_saved_tensor_was_changed_answers_for_nothing(lib):
    (x,) = leaves_of(lib, [V])
    h = x * 2
    y = h * h
    h.add_(1)
    assert locals_of(lib, y) == [None, None]


def test_asking_leaves_no_trace(lib, capsys):
    x, w = leaves_of(lib, [V, W])
    x.grad = lib.zeros_like(x)
    heard, kept = [], x.grad
    h = x * w
    h.retain_grad()
    y = doubling(lib, right).apply(h)
    for tensor in (x, h, y):
        tensor.register_hook(lambda g: heard.append("tensor"))
    x.register_post_accumulate_grad_hook(lambda p: heard.append("accumulated"))
    for result in (h, y):
        result.grad_fn.register_hook(lambda i, o: heard.append("node"))
        result.grad_fn.register_prehook(lambda o: heard.append("before a node"))
    versions = [tensor._version for tensor in (x, w, h, y)]
    values = [tensor.detach().numpy().copy() for tensor in (x, w, h, y)]

    for result in (h, y):
        assert None not in locals_of(lib, result)

    assert heard == []
    assert capsys.readouterr() == ("", "")
    assert x.grad is kept and x.grad.tolist() == [0.0] * 3
    assert w.grad is h.grad is None
    assert [tensor._version for tensor in (x, w, h, y)] == versions
    assert all(np.array_equal(old, now.detach().numpy()) for old, now in zip(values, (x, w, h, y)))
    assert lib.is_grad_enabled()
    y.sum().backward()  # the graph is still there
    assert np.allclose(w.grad.numpy(), 2 * np.array(V) ** 2 * np.array(W))


def test_a_product_with_zeros_does_not_leave_entries_out(lib):
    a, b = (lib.ones(2, 2, requires_grad=True), lib.zeros(2, 3, requires_grad=True))
    to_a, to_b = locals_of(lib, a @ b)
    assert (to_a.kind, to_b.kind) == ("block", "block")
    assert not to_a.numbers.any()
