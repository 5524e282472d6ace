"""Small programs about autograd's behaviour: what they return, print, warn and raise must be what PyTorch's do.

Each takes the library as `torch` and returns plain data; numbers in it are exact in binary, so that text compares. The outcomes
recorded from PyTorch are in `programs.json`, written by `tests/parity/record_operations.py`; tests/parity compares with PyTorch.
"""

from __future__ import annotations

import copy
import pickle
import re
import types
import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from tests.engine.samples import graph_text

PROGRAMS: dict[str, Callable[[Any], Any]] = {}


def program(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    PROGRAMS[function.__name__] = function
    return function


def outcome(torch: Any, function: Callable[[Any], Any]) -> dict[str, Any]:
    """What a program did, as text without addresses."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warnings.simplefilter("ignore", ResourceWarning)  # of other tests' garbage, whenever it is collected
        try:
            result = function(torch)
        except Exception as error:  # noqa: BLE001  which error it is, is the outcome
            result = f"{type(error).__name__}: {error}"
    texts = [f"{w.category.__name__}: {str(w.message).split(' (Triggered')[0]}" for w in caught]
    return {"result": _plain(result), "warnings": texts}


def _plain(value: Any) -> str:
    return re.sub(r" at 0x[0-9a-f]+", "", repr(value))


def raises(function: Callable[[], Any]) -> str:
    """The error that a call raises, as text."""
    try:
        return f"no error: {function()!r}"
    except Exception as error:  # noqa: BLE001  which error it is, is the outcome
        return f"{type(error).__name__}: {error}"


# Leaves, flags, results


@program
def flags_of_results(torch: Any) -> Any:
    x, y = torch.ones(2), torch.ones(2, requires_grad=True)
    return [(t.requires_grad, t.is_leaf) for t in (x, y, x + x, x + y, (x + y).detach(), y.clone())]


@program
def tensors_compared_as_wholes(torch: Any) -> Any:
    ones, nan = torch.ones(2), torch.tensor([float("nan")])
    calls = [
        (ones, torch.ones(3)),
        (torch.ones(2, 1, 3), torch.ones(2, 3, 2)),
        (torch.ones(0), torch.ones(3)),
        (ones, torch.ones(2, 1)),
        (ones, ones.double()),
        (ones.long(), ones.long()),
        (ones, 1.0),
        (nan, nan),
        (ones, ones + 1e-7),
        (ones, ones + 1e-3),
    ]
    options: list[dict[str, Any]] = [{"rtol": -1}, {"atol": -0.5}, {"rtol": 1e-2}, {"equal_nan": True}]
    close, equal = torch.allclose, torch.equal
    return [
        [raises(partial(call, *pair)) for call in (close, equal) for pair in calls],
        [raises(partial(close, nan, nan, **given)) for given in options],
        [ones.allclose(ones), ones.equal(nan), ones.equal(torch.ones(2))],
    ]


@program
def what_cannot_require_grad(torch: Any) -> Any:
    def assign() -> None:
        torch.tensor([1, 2]).requires_grad = True

    return [
        raises(lambda: torch.tensor([1, 2], requires_grad=True)),
        raises(lambda: torch.tensor([1, 2]).requires_grad_()),
        raises(assign),
        raises(lambda: torch.zeros(2, dtype=torch.bool, requires_grad=True)),
    ]


@program
def a_flag_can_be_set_on_leaves_only(torch: Any) -> Any:
    x = torch.ones(2)
    x.requires_grad_()
    y = x * 2

    def clear() -> None:
        y.requires_grad = False

    def set_again() -> None:
        y.requires_grad = True

    x.requires_grad_(False)
    return (
        raises(clear),
        raises(set_again),
        x.requires_grad,
        y.requires_grad,
        x.requires_grad_(requires_grad=True).requires_grad,
    )


@program
def reprs(torch: Any) -> Any:
    x = torch.tensor([1.0, 2.5], requires_grad=True)
    return [
        x,
        x * 2,
        x.sum(),
        x.detach(),
        torch.tensor(3),
        torch.tensor([True]),
        x.double(),
        x.shape,
        x.dtype,
        torch.empty(0),
    ]


@program
def grad_of_a_result_warns(torch: Any) -> Any:
    return (torch.ones(2, requires_grad=True) * 2).grad


@program
def what_may_be_assigned_to_grad(torch: Any) -> Any:
    x = torch.ones(2, requires_grad=True)

    def assign(value: Any) -> str:
        def run() -> None:
            x.grad = value

        return raises(run)

    x.grad = torch.zeros(2)
    return [
        x.grad,
        assign(3),
        assign(torch.ones(3)),
        assign(torch.ones(2, dtype=torch.float64)),
        assign(None),
        x.grad,
    ]


@program
def methods_that_are_functions_too(torch: Any) -> Any:
    tensors = [
        torch.ones(2),
        torch.tensor(0.0),
        torch.tensor([3]),
        torch.tensor([True]),
        torch.tensor([1], dtype=torch.uint8),
        torch.ones(0),
    ]
    with torch.inference_mode():
        tensors.append(torch.ones(1))
    names = ["is_inference", "is_complex", "is_conj", "is_neg", "is_signed", "is_nonzero", "is_floating_point"]
    x = torch.tensor([-2.0, 0.5])
    return [
        [raises(lambda: getattr(torch, name)(t)) for name in names for t in tensors],  # noqa: B023  called at once
        [raises(getattr(t, name)) for name in names for t in tensors],
        [
            torch.relu_(x) is x,
            torch.zero_(x),
            torch.fill_(x, 3),
            torch.detach(x * 2),
            torch.index_put_(x, (torch.tensor([0]),), x[1:] * 2),
        ],
        [hasattr(torch, name) for name in ("backward", "shape", "requires_grad_", "detach_", "abs_", "add_", "T")],
    ]


@program
def to_python(torch: Any) -> Any:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    return [
        x[0].item(), x.tolist(), float(x.detach()[1]), int(x.detach()[1]), len(x), [t.item() for t in x], f"{x[1]:.3f}",
        raises(x.item), raises(x.numpy), raises(lambda: bool(x)), raises(lambda: float(x.detach())), raises(lambda: len(x[0])),
        raises(lambda: list(x[0])), bool(x[0] > 0), x.detach().numpy().dtype.name,
    ]  # fmt: skip


# backward and grad


@program
def the_lecture_grad_of_a_tuple(torch: Any) -> Any:
    t = torch.tensor([1.0, 2.0, 4.0], requires_grad=True)
    u = torch.tensor([10.0, 20.0], requires_grad=True)
    return torch.autograd.grad((t.pow(2).sum(), u.log().sum()), (t, u))


@program
def grad_returns_a_tuple_and_leaves_grad_alone(torch: Any) -> Any:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    return torch.autograd.grad(x.pow(3).sum(), x), x.grad


@program
def backward_accumulates(torch: Any) -> Any:
    x = torch.tensor([-3.0, 2.0, 5.0], requires_grad=True)
    seen = []
    for _ in range(3):
        x.pow(3).sum().backward()
        seen.append(x.grad.tolist())
    held = x.grad
    x.pow(3).sum().backward()
    x.grad.zero_()
    return seen, held is x.grad, held, held._version


@program
def backward_with_a_gradient(torch: Any) -> Any:
    x = torch.ones(3, requires_grad=True)
    (x * 2).backward(torch.tensor([1.0, 0.5, -1.0]))
    (x * 2).backward(gradient=torch.ones(3))
    return x.grad


@program
def backward_to_chosen_inputs(torch: Any) -> Any:
    x, y = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
    (x * y * 3).sum().backward(inputs=[x])
    z = x * 2
    z.retain_grad()
    (z * y).sum().backward(inputs=(y,))
    return x.grad, y.grad, z.grad


@program
def what_backward_refuses(torch: Any) -> Any:
    x, c = torch.ones(2, requires_grad=True), torch.ones(2)
    return [
        raises(lambda: (x * 2).backward()),
        raises(lambda: c.sum().backward()),
        raises(lambda: x.sum().item().backward()),
        raises(lambda: (x * 2).backward(torch.ones(3))),
        raises(lambda: (x * 2).sum().backward(inputs=[])),
        raises(lambda: torch.autograd.grad(x.sum(), c)),
        raises(lambda: torch.autograd.grad(x.sum(), torch.ones(2, requires_grad=True))),
        raises(lambda: torch.autograd.grad(x.sum(), [])),
        raises(lambda: torch.autograd.grad(c.sum(), x)),
    ]


@program
def what_backward_and_grad_are_given_by_mistake(torch: Any) -> Any:
    def values(x: Any, y: Any) -> dict[str, Any]:
        edge = torch.autograd.graph.get_gradient_edge(x)
        return {
            "words": ["x", "xy", "", b"xy", ["x"], [x, "x"], ["x", x]], "numbers": [3, 1.5, True, [3], [x, 3], np.float64(1), np.ones(2)],
            "nothing": [[], (), {}, set(), iter([])], "None": [None, [None], [x, None], [None, x]], "nested": [[[x]], ([x],)],
            "dicts": [{"a": x}, {"a": 3}, {"a": "b"}, {"a": x}.values(), types.MappingProxyType({"a": x})],
            "iterables": [iter([x]), {x}, (t for t in [x]), range(2)], "other": [object(), len, y.grad_fn, (y.grad_fn, 0), x.shape],
            "tensors": [x, [x, x], torch.ones(2), [x, torch.ones(2)], torch.ones(2).long(), torch.tensor(1.0), edge, [edge, x]],
        }  # fmt: skip

    places: list[Callable[[Any, Any, Any], Any]] = [
        lambda v, x, y: (y.sum().backward(inputs=v), x.grad),
        lambda v, x, y: torch.autograd.grad(y.sum(), v),
        lambda v, x, y: torch.autograd.grad(v, x),
        lambda v, x, y: (torch.autograd.backward(v), x.grad),
        lambda v, x, y: torch.autograd.grad([y, y], x, v),
        lambda v, x, y: (y.backward(v), x.grad),
        lambda v, x, y: (y.sum().backward(v), x.grad),
    ]
    flags: list[Callable[[Any, Any, Any], Any]] = [
        lambda v, x, y: (y.sum().backward(retain_graph=v), raises(y.sum().backward)),
        lambda v, x, y: torch.autograd.grad(y.sum(), x, create_graph=v),
        lambda v, x, y: torch.autograd.grad(y.sum(), [x, torch.ones(2, requires_grad=True)], allow_unused=v),
        lambda v, x, y: torch.autograd.grad(y.sum(), [x, torch.ones(2, requires_grad=True)], materialize_grads=v),
    ]

    def run(place: Any, kind: str, number: int) -> str:
        x = torch.ones(2, requires_grad=True)
        y = x * 2
        return raises(lambda: place(values(x, y)[kind][number], x, y))

    one = torch.ones(2, requires_grad=True)
    kinds = {kind: len(given) for kind, given in values(one, one * 2).items()}
    return [
        [[run(place, kind, number) for place in places] for kind, count in kinds.items() for number in range(count)],
        [
            [run(flag, kind, number) for flag in flags]
            for kind in ("words", "numbers", "nothing", "None")
            for number in range(kinds[kind])
        ],
        [raises(lambda: torch.autograd.grad([], one, v)) for v in (None, [], [None], "x")],  # noqa: B023  called at once
    ]


@program
def unused_inputs(torch: Any) -> Any:
    x, y = torch.ones(2, requires_grad=True), torch.ones(3, requires_grad=True)
    return [
        torch.autograd.grad(x.sum(), (x, y), allow_unused=True),
        torch.autograd.grad(x.sum(), (x, y), materialize_grads=True),
        torch.autograd.grad(x.sum(), x),
    ]


@program
def grad_of_intermediate_tensors(torch: Any) -> Any:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = x * 3
    z = y * y
    return torch.autograd.grad(z.sum(), (y, x, z), allow_unused=True)


@program
def a_freed_graph(torch: Any) -> Any:
    x = torch.tensor([2.0], requires_grad=True)
    add, scale = x + 1, x * 3
    add.backward()
    add.backward()
    scale.backward()
    reciprocal = 1 / x
    kept = reciprocal * 1
    kept.backward(retain_graph=True)
    kept.backward()
    return (
        x.grad,
        raises(scale.backward),
        raises(kept.backward),
        raises(lambda: scale.grad_fn._saved_other),
    )


@program
def shared_results_wait_for_all_contributions(torch: Any) -> Any:
    a = torch.tensor(3.0, requires_grad=True)
    b = a + a
    c = b + b
    d = c * b
    d.backward()
    return a.grad, graph_text(d.grad_fn)


@program
def gradients_of_every_order(torch: Any) -> Any:
    x = torch.tensor([0.5, 2.0], requires_grad=True)
    value, derivatives = x**4, []
    for _ in range(5):
        (value,) = torch.autograd.grad(value.sum(), x, create_graph=True)
        derivatives.append(value.tolist())
        if not value.requires_grad:
            break
    return derivatives


@program
def the_lecture_gradient_of_a_squared_gradient_norm(torch: Any) -> Any:
    x = torch.tensor([2.0, 3.0], requires_grad=True)
    value = x[0].log() + x[1] ** 2
    (gradient,) = torch.autograd.grad(value, x, create_graph=True)
    gradient.norm().pow(2).backward()
    return [round(v, 5) for v in x.grad.tolist()]


@program
def create_graph_with_backward_warns(torch: Any) -> Any:
    x = torch.tensor(2.0, requires_grad=True)
    (x**3).backward(create_graph=True)
    first = x.grad
    (second,) = torch.autograd.grad(first, x, retain_graph=True)
    graph = graph_text(first.grad_fn)
    (x**2).backward()
    return first.requires_grad, second, graph, first is x.grad, first


@program
def dtypes_meet_in_the_graph(torch: Any) -> Any:
    x = torch.ones(2, requires_grad=True)
    y = torch.ones(2, dtype=torch.float64, requires_grad=True)
    z = x * y + torch.tensor([1, 2])
    z.sum().backward()
    return z.dtype, x.grad, y.grad


@program
def gradients_of_chosen_inputs(torch: Any) -> Any:
    x, w = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
    y = w * w
    (y * y).sum().backward(inputs=[y])
    return [
        y.grad, raises(y.sum().backward), torch.autograd.grad((x * 1).sum(), w, create_graph=True, materialize_grads=True),
        raises(lambda: setattr(w, "grad", w)),
    ]  # fmt: skip


# Grad modes


@program
def grad_modes(torch: Any) -> Any:
    x = torch.ones(1, requires_grad=True)
    seen = [torch.is_grad_enabled()]
    with torch.no_grad():
        seen += [torch.is_grad_enabled(), (x * 2).requires_grad]
        with torch.enable_grad():
            seen += [(x * 2).requires_grad]
        with torch.set_grad_enabled(True):
            seen += [(x * 2).requires_grad]
    try:
        with torch.no_grad():
            raise ValueError
    except ValueError:
        seen += [torch.is_grad_enabled()]

    @torch.no_grad()
    def doubled(t: Any) -> Any:
        return t * 2

    torch.set_grad_enabled(False)
    seen += [(x * 2).requires_grad]
    torch.set_grad_enabled(True)
    return [*seen, doubled(x).requires_grad, doubled.__name__, torch.is_grad_enabled()]


@program
def detach_shares_memory(torch: Any) -> Any:
    x = torch.ones(2, requires_grad=True)
    y = x.detach()
    y[0] = 5
    square = x * x
    y.add_(1)
    return x, x._version, y._version, y._is_view(), raises(lambda: square.sum().backward())


# The graph


@program
def nodes_and_their_next_functions(torch: Any) -> Any:
    x = torch.tensor([1.0, -2.0], requires_grad=True)
    y = x.abs() + 1
    node = y.grad_fn
    below, number = node.next_functions[0]
    leaf = below.next_functions[0][0]
    return [
        node, node.name(), node.next_functions[1], below.name(), number, leaf.name(), leaf.variable is x, leaf.next_functions,
        below._saved_self is x, x.grad_fn, x.output_nr, node.metadata, (x * 3).grad_fn._saved_other,
        (x * 2.5).grad_fn._saved_other, (x * 2.5).grad_fn._saved_self, (x**2).grad_fn._saved_exponent, x.sum(0).grad_fn._saved_dim, x.exp().grad_fn._saved_result,
    ]  # fmt: skip


@program
def graphs_of_the_lecture(torch: Any) -> Any:
    x = torch.tensor([1.0, -2.0, 3.0, -4.0], requires_grad=True)
    w1, b1 = torch.zeros(20, 10, requires_grad=True), torch.zeros(20, requires_grad=True)
    w2, b2 = torch.zeros(5, 20, requires_grad=True), torch.zeros(5, requires_grad=True)
    data, target = torch.zeros(10), torch.zeros(5)
    h = (w1 @ data + b1).tanh()
    y = (w2 @ h + b2).tanh()
    loss = (y - target).pow(2).mean()
    return [graph_text(t.grad_fn) for t in (x.abs().sum(), x.norm(), loss)]


@program
def one_accumulator_for_a_leaf(torch: Any) -> Any:
    x = torch.ones(1, requires_grad=True)
    y = x * x
    first, second = (node for node, _ in y.grad_fn.next_functions)
    return first is second, (x + 1).grad_fn.next_functions[0][0] is first


# In place


@program
def in_place_on_leaves(torch: Any) -> Any:
    x = torch.ones(2, requires_grad=True)

    def assign() -> None:
        x[0] = 1

    errors = [
        raises(lambda: x.add_(1)),
        raises(assign),
        raises(lambda: x.t().mul_(2)),
        raises(x.zero_),
    ]
    with torch.no_grad():
        x -= 0.5
        x[0] = 4
        x.mul_(2)
    return errors, x, x._version, x.is_leaf


@program
def stale_saved_values(torch: Any) -> Any:
    x = torch.ones(3, requires_grad=True)

    def run(operation: Any, change: Any) -> str:
        y = x * 1
        z = operation(y)
        change(y, z)
        return raises(lambda: z.sum().backward())

    return [
        run(lambda y: y * y, lambda y, z: y.add_(1)),
        run(lambda y: y * y, lambda y, z: y.zero_()),
        run(lambda y: y.exp(), lambda y, z: z.mul_(2)),
        run(lambda y: y.sin(), lambda y, z: y.__setitem__(0, 1)),
        run(lambda y: y + 2, lambda y, z: y.add_(1)),
        run(lambda y: y.tanh(), lambda y, z: y.add_(1)),
        run(lambda y: y * x, lambda y, z: x.data.add_(1)),
        run(lambda y: y**2, lambda y, z: y.fill_(3)),
    ]


@program
def the_lecture_in_place_error(torch: Any) -> Any:
    x = torch.tensor([1.0], requires_grad=True)
    y = x.sin()
    y *= y
    return y.grad_fn.name(), raises(y.backward)


@program
def views_and_writes(torch: Any) -> Any:
    x = torch.ones(2, 3, requires_grad=True)
    y = x * 1
    row, flat = y[0], y.view(-1)
    y[:, 1] = 5
    flat[2:4].mul_(3)
    seen = [
        row,
        flat.grad_fn.name(),
        row._base is y,
        flat._version,
        y._version,
        y.grad_fn.next_functions,
    ]
    (y * flat.view(2, 3)).sum().backward()
    return [*seen, x.grad]


@program
def a_write_of_another_dtype(torch: Any) -> Any:
    wide = torch.tensor([0.5, 1.0], dtype=torch.float64, requires_grad=True)
    y = torch.ones(2, 2)
    y.add_(wide, alpha=2)
    y[0].mul_(wide)
    return y, torch.autograd.grad((y * y).sum(), (y, wide))


@program
def a_base_without_grad_takes_the_history_of_a_write(torch: Any) -> Any:
    base, w = torch.zeros(4), torch.ones(2, requires_grad=True)
    part = base[1:3]
    part.add_(w * 3)
    (base * base).sum().backward()
    return base.requires_grad, part.grad_fn.name(), base, w.grad


@program
def views_that_must_not_be_written_to(torch: Any) -> Any:
    y = torch.ones(2, 3, requires_grad=True) * 1
    plain = torch.ones(2, 2)
    plain.unbind()[0].mul_(2)
    with torch.no_grad():
        part, parts = y[0], y.unbind()
        part.add_(1)
    a, b = y.unbind()
    (a * 2 + b).sum().backward()
    return [
        raises(lambda: y.unbind()[0].add_(1)), raises(lambda: y.split(1)[0].mul_(2)), raises(lambda: part.add_(1)),
        raises(lambda: parts[0].add_(1)), raises(lambda: plain.unbind()[0].mul_(y[0, :2])), plain, b.output_nr,
        raises(lambda: torch.stack([plain, 3])), raises(lambda: torch.stack([plain, y])), raises(lambda: torch.cat([plain, plain[0]])),
        raises(lambda: torch.cat([plain, y], 0)), graph_text((a * b).grad_fn), torch.stack([plain, plain.long()]).dtype,
    ]  # fmt: skip


@program
def writes_that_overlap_what_they_read(torch: Any) -> Any:
    y = torch.ones(2, 2, requires_grad=True) * 2
    return [
        raises(lambda: y.t().mul_(y)), raises(lambda: y[0].add_(y)), raises(lambda: y.expand(2, 2, 2).mul_(torch.ones(3))),
        y.mul_(y), y[0].mul_(y[1]), y.copy_(y), y._version,
    ]  # fmt: skip


@program
def views_made_without_recording(torch: Any) -> Any:
    x, b = torch.ones(3, requires_grad=True), torch.ones(3)
    with torch.no_grad():
        part = x[:2]
    seen = [part, part.is_leaf, raises(lambda: part.mul_(2)), raises(lambda: x.unbind()[0].mul_(2))]
    seen += [
        raises(lambda: (x * 1).unbind()[0][...].mul_(2)),
        raises(lambda: _scale(torch).apply(x, 2).view(-1).mul_(2)),
    ]
    (part * 2).sum().backward()
    early = b[:2]
    b.requires_grad_()
    (early * 3).sum().backward()
    return [*seen, part.grad, x.grad, early.requires_grad, early.grad, b.grad, raises(lambda: early.mul_(2))]


@program
def writes_to_all_of_a_tensor(torch: Any) -> Any:
    y, s = torch.ones(2, requires_grad=True) * 1, torch.tensor(3.0, requires_grad=True)
    y[...] = s
    seen = [graph_text(y.grad_fn)]
    y.sum().backward()
    y[...] = torch.ones(2) * s
    seen += [graph_text(y.grad_fn), raises(lambda: torch.ones(2).fill_(torch.ones(1)))]
    y[:] = 2.0
    y[0] = torch.ones(1)
    return [
        *seen,
        graph_text(y.grad_fn),
        s.grad,
        y._version,
        raises(lambda: s.__setitem__(Ellipsis, 1.0)),
        (y * s)[1:, None][:1, :9],
    ]


@program
def values_put_by_index(torch: Any) -> Any:
    x, y = torch.ones(3, dtype=torch.float64), torch.ones(1, 3, requires_grad=True) * 1

    def put(index: Any, value: Any) -> str:
        return raises(lambda: x.__setitem__(index, value))

    y[[0]] = torch.ones(1, 3, requires_grad=True) * 2
    return [
        put(x > 0, torch.tensor(2.0)), put([0], torch.tensor(2.0)), put(x > 0, torch.ones(3)), put([0], 3), x,
        put([0, 1], torch.ones(1, 1, 2, dtype=torch.float64)), graph_text(y.grad_fn),
    ]  # fmt: skip


@program
def setting_items(torch: Any) -> Any:
    x = torch.zeros(2, 3)
    x[:, 0:2] = torch.tensor([9.0, 8.0])
    x[0, 1] = -1
    x[x > 8] = 0.5
    x[[0, 1], [2, 2]] = torch.tensor([5.0, 6.0])
    x[1] += 1
    x[:, 0] *= 2
    return x, x._version


@program
def wrong_sizes(torch: Any) -> Any:
    a, b = torch.ones(2, 3), torch.ones(2)
    return [
        raises(lambda: a + b), raises(lambda: a @ a), raises(lambda: a.mm(b)), raises(lambda: a.mv(torch.ones(2))),
        raises(lambda: b.dot(torch.ones(3))), raises(lambda: a.view(4)), raises(lambda: a.t().view(6)), raises(lambda: a.sum(3)),
        raises(lambda: a[5]), raises(lambda: a[0, 5]), raises(lambda: a[0, 0, 0]), raises(lambda: b.expand(3)),
        raises(lambda: b.add_(torch.ones(3))), raises(lambda: torch.ones(2, 3, 4).t()), raises(lambda: a.transpose(0, 2)),
        raises(lambda: b.unsqueeze(3)), raises(lambda: torch.tensor([[1, 2], [3]])),
    ]  # fmt: skip


@program
def wrong_types(torch: Any) -> Any:
    x = torch.ones(2)
    return [
        raises(lambda: torch.sin(3.0)), raises(lambda: torch.mul(x, "a")), raises(lambda: x * None), raises(lambda: x + [1, 2]),
        raises(lambda: torch.add("a", 1)), raises(lambda: x.long().mean()), raises(lambda: x.long().add_(1.5)),
        raises(lambda: x.long().normal_()), raises(lambda: torch.tensor("a")), raises(lambda: torch.tensor(None)),
        raises(lambda: x.nonsense), raises(lambda: "a" - x),
    ]  # fmt: skip


@program
def sizes_and_parts_that_cannot_be(torch: Any) -> Any:
    a, b, none, number = torch.ones(2, 3), torch.ones(2), torch.empty(0), torch.tensor(3.0)
    return [
        raises(lambda: none.max()), raises(lambda: none.argmin()), raises(lambda: torch.empty(0, 3).argmax(0)),
        raises(lambda: none.norm(float("inf"))), raises(lambda: b.select(0, 5)), raises(lambda: a.outer(b)),
        raises(lambda: torch.addmm(b, b, a)), raises(lambda: torch.addmm(b, a, a.t() @ a)), raises(lambda: a.double() @ torch.ones(3)),
        raises(lambda: a.split([1, 2])), raises(lambda: b.split(0)), raises(lambda: b.split(-1)), raises(lambda: b.chunk(0)),
        raises(lambda: b.narrow(0, 1, 3)), b.narrow(0, -1, 1), raises(lambda: b.diagonal()), raises(lambda: number.unbind()),
        raises(lambda: number.split(1)), raises(lambda: torch.stack([])), raises(lambda: torch.cat([])),
        raises(lambda: b.expand(-1, 2)), raises(lambda: torch.ones(2, 1).sum_to_size(3)), raises(lambda: a.expand(3)),
        raises(lambda: torch.arange(0, 5, -1)), raises(lambda: torch.arange(1, 2, 0)), none.split([]), none.split(0),
        raises(lambda: a.copy_(torch.ones(3, 2))), raises(lambda: a.copy_(torch.ones(2, 2, 3))),
    ]  # fmt: skip


@program
def numbers_and_booleans(torch: Any) -> Any:
    i, mask, x = torch.tensor([1, 2]), torch.tensor([True, False]), torch.tensor([1.0, float("nan")])
    return [
        i**2.0, 2.5**i, mask**2, raises(lambda: i**-1), raises(lambda: 1 - mask), raises(lambda: mask - 1), raises(lambda: x - mask),
        x.sign(), torch.where(mask, 1, 2.0), torch.where(mask, i, 2.5), torch.where(mask, 1.0, 2.0), raises(lambda: torch.where(x, 1, 2)),
        i.clamp(min=1.5), raises(lambda: i.clamp()), torch.add(mask, mask, alpha=2), raises(lambda: torch.add(i, 1, alpha=1.5)),
        torch.full((2,), torch.tensor(3.0)), raises(lambda: i.rsub(1)), x.detach().square_(),
    ]  # fmt: skip


# Hooks


@program
def hooks_run_in_order(torch: Any) -> Any:
    log: list[Any] = []
    x = torch.ones(2, requires_grad=True)
    y = x * 2
    z = y * 3
    y.retain_grad()
    y.register_hook(lambda g: log.append(("tensor", g.tolist())))
    y.register_hook(lambda g: g * 10)
    x.register_hook(lambda g: log.append(("leaf", g.tolist())))
    y.grad_fn.register_prehook(lambda outputs: log.append(("pre", outputs[0].tolist())))
    y.grad_fn.register_hook(
        lambda inputs, outputs: log.append(("post", inputs[0].tolist(), inputs[1], outputs[0].tolist()))
    )
    handle = z.register_hook(lambda g: log.append("removed"))
    handle.remove()
    z.sum().backward()
    return log, x.grad, y.grad, y.retains_grad


@program
def hooks_and_chosen_inputs(torch: Any) -> Any:
    log: list[Any] = []
    x, w = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
    y = x * 2
    z = (y * w).exp().log()
    y.register_hook(lambda g: g * 10)
    x.register_hook(lambda g: g + 1)
    w.register_hook(lambda g: log.append("w"))
    seen = [torch.autograd.grad(z.sum(), i, retain_graph=True) for i in (y, x, (x, y))]
    z.sum().backward(inputs=[y], retain_graph=True)
    z.sum().backward(inputs=[y, x])
    return seen, log, y.grad, x.grad, w.grad


@program
def hooks_on_accumulators_and_on_grads_of_grads(torch: Any) -> Any:
    log: list[Any] = []
    x = torch.tensor([3.0], requires_grad=True)
    y = x * x
    accumulator = y.grad_fn.next_functions[0][0]
    accumulator.register_prehook(lambda grads: (grads[0] * 2,))
    accumulator.register_hook(lambda inputs, outputs: log.append((inputs, outputs[0].tolist())))
    y.grad_fn.register_hook(lambda inputs, outputs: tuple(g * 3 for g in inputs))
    (g,) = torch.autograd.grad(y, x, create_graph=True)
    g.register_hook(lambda h: log.append(("of g", h.tolist())))
    g.backward()
    y.backward()
    return log, g, x.grad


@program
def hooks_where_no_gradient_arrives(torch: Any) -> Any:
    class Stop(torch.autograd.Function):
        forward = staticmethod(lambda ctx, x: x * 2)
        backward = staticmethod(lambda ctx, g: None)

    log: list[Any] = []
    x = torch.ones(2, requires_grad=True)
    y = x * 2
    y.register_hook(lambda g: log.append(("tensor", g)))
    x.register_hook(lambda g: log.append(("leaf", g)))
    y.grad_fn.register_prehook(lambda outputs: log.append(("pre", outputs)))
    y.grad_fn.register_hook(lambda inputs, outputs: log.append(("post", inputs, outputs)))
    accumulator = y.grad_fn.next_functions[0][0]
    accumulator.register_hook(lambda inputs, outputs: log.append(("accumulated", inputs, outputs)))
    Stop.apply(y).sum().backward()
    return log, x.grad


@program
def what_hooks_may_return(torch: Any) -> Any:
    def run(register: Any, hook: Any) -> str:
        x = torch.ones(2, requires_grad=True)
        y = x * 3
        register(x, y)(hook)
        return raises(lambda: (y.sum().backward(), x.grad))

    def bad(*args: Any) -> Any:
        return 3

    return [
        *[run(of, f) for of in (lambda x, y: x.register_hook, lambda x, y: y.register_hook)
          for f in (bad, lambda g: g.sum(), lambda g: g.double(), lambda g: (g,))],
        *[run(lambda x, y: y.grad_fn.register_hook, f)
          for f in (bad, lambda i, o: i[0], lambda i, o: i[:1], lambda i, o: (i[0].sum(), None), lambda i, o: (i[0], i[0]),
                    lambda i, o: (None, None))],
        *[run(lambda x, y: y.grad_fn.register_prehook, f)
          for f in (bad, lambda o: (o[0].double(),), lambda o: (o[0], o[0]), lambda o: (None,))],
    ]  # fmt: skip


@program
def hooks_that_cannot_be(torch: Any) -> Any:
    return raises(lambda: torch.ones(2).register_hook(print)), raises(torch.ones(2).retain_grad)


# Function


def _scale(torch: Any) -> Any:
    class Scale(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any, factor: Any) -> Any:
            ctx.factor = factor
            ctx.save_for_backward(x)
            return x * factor

        @staticmethod
        def backward(ctx: Any, grad_output: Any) -> Any:
            return grad_output * ctx.factor, None

    return Scale


@program
def a_function_enters_the_graph(torch: Any) -> Any:
    x = torch.ones(2, requires_grad=True)
    y = _scale(torch).apply(x, 3)
    (y * y).sum().backward()
    plain = _scale(torch).apply(torch.ones(2), 3)
    with torch.no_grad():
        quiet = _scale(torch).apply(x, 3)
    return [
        y,
        y.grad_fn.name(),
        graph_text(y.grad_fn),
        x.grad,
        plain,
        quiet,
        y.grad_fn.needs_input_grad,
    ]


@program
def what_backward_may_return(torch: Any) -> Any:
    def run(returned: Any) -> Any:
        scale = _scale(torch)
        scale.backward = staticmethod(lambda ctx, g: returned(g))
        x = torch.ones(3, requires_grad=True)

        def backward() -> Any:
            scale.apply(x, 2).sum().backward()
            return x.grad

        return raises(backward)

    return [
        run(lambda g: (g, None)), run(lambda g: (g, None, None)), run(lambda g: g), run(lambda g: (g, g)),
        run(lambda g: (g[:2], None)), run(lambda g: (None, None)), run(lambda g: (1.0, None)), run(lambda g: (g, None, g)),
        run(lambda g: [g, None]), run(lambda g: (g.sum(), None)), run(lambda g: (g.expand(2, 3), None)), run(lambda g: (g, 1)),
        run(lambda g: (g.double(), None)),
    ]  # fmt: skip


@program
def a_function_used_wrongly(torch: Any) -> Any:
    class Old(torch.autograd.Function):
        def forward(self, x: Any) -> Any:
            return x * 2

    class NoBackward(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x * 2

    class Nothing(torch.autograd.Function):
        pass

    class SavesANumber(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.save_for_backward(3)
            return x * 2

    class MarksANumber(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.mark_dirty(3)
            return x * 2

    x = torch.ones(2, requires_grad=True)
    return [
        raises(lambda: Old()(x)),
        raises(lambda: NoBackward.apply(x).sum().backward()),
        raises(lambda: Nothing.apply(x)),
        raises(lambda: SavesANumber.apply(x)),
        raises(lambda: MarksANumber.apply(x)),
        raises(lambda: MarksANumber.apply(x.detach())),
    ]


@program
def a_view_that_is_cast_where_nothing_is_recorded(torch: Any) -> Any:
    x, double = torch.tensor([1.0, 4.0], requires_grad=True), torch.tensor(2.0, dtype=torch.float64)
    with torch.no_grad():
        first, second = x
        second.sqrt_()
        unrecorded = torch.where(double > 0.5, double, first)
    return [unrecorded, x, raises(lambda: torch.where(double > 0.5, double, first))]


@program
def a_value_with_more_dimensions_than_its_place(torch: Any) -> Any:
    x, places, mask = torch.zeros(3, 4), (torch.tensor([0, 2]),), (torch.zeros(3, 4) == 0,)
    shapes = ((4,), (2, 1), (1, 4), (1, 1, 4), (1, 2, 4), (1, 1, 1), (1,))
    put = [raises(lambda s=s: x.index_put(places, torch.ones(s)).sum()) for s in shapes]
    added = [raises(lambda s=s: x.index_put(places, torch.ones(s), accumulate=True).sum()) for s in shapes]
    return [put, added, [raises(lambda s=s: x.index_put(mask, torch.ones(s)).sum()) for s in ((), (1,))]]


@program
def the_context(torch: Any) -> Any:
    log: list[Any] = []

    class Probe(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, a: Any, n: Any, b: Any) -> Any:
            log.append([torch.is_grad_enabled(), a.requires_grad, (a * 2).requires_grad])
            result = a * b
            ctx.save_for_backward(a, None, result)
            ctx.note = n
            return result

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            a, nothing, result = ctx.saved_tensors
            log.append(
                [
                    torch.is_grad_enabled(),
                    ctx.needs_input_grad,
                    ctx.note,
                    ctx.name(),
                    a,
                    nothing,
                    result,
                ]
            )
            log.append(ctx.saved_variables[1])
            return g, None, None

    x = torch.ones(2, requires_grad=True)
    y = Probe.apply(x, {"k": x}, torch.ones(2))
    y.sum().backward(retain_graph=True)
    y.sum().backward()
    return log, x.grad, y.grad_fn.next_functions[1], raises(lambda: y.sum().backward())


@program
def several_outputs(torch: Any) -> Any:
    log: list[Any] = []

    class Split(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            order = x.argmax()
            mask = x > 0
            ctx.mark_non_differentiable(order, mask)
            return x * 2, x * 3, 7, order, mask

        @staticmethod
        def backward(ctx: Any, *grads: Any) -> Any:
            log.append(grads)
            return grads[0] * 2 + (0 if grads[1] is None else grads[1] * 3)

    class Lazy(Split):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.set_materialize_grads(False)
            return x * 2, x * 3

    x = torch.tensor([1.0, -1.0], requires_grad=True)
    a, b, seven, order, mask = Split.apply(x)
    a.sum().backward()
    c, d = Lazy.apply(x)
    d.output_nr, c.sum().backward()
    return [log, x.grad, seven, order, mask.requires_grad, b.output_nr, b.grad_fn is a.grad_fn]


@program
def an_input_returned_and_an_input_changed(torch: Any) -> Any:
    class Same(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g * 5

    class AddOne(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            x.add_(1)
            ctx.mark_dirty(x)
            return x

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g

    x = torch.ones(2, requires_grad=True)
    same = Same.apply(x)
    same.sum().backward()
    y = x * 1
    z = AddOne.apply(y)
    return [
        same,
        same is x,
        x.grad,
        z is y,
        y,
        y._version,
        raises(lambda: AddOne.apply(torch.ones(2, requires_grad=True))),
    ]


# What `forward` may be given, return, mark as not differentiable or as dirty, and save: x is its first input, w its last one.
GIVEN: dict[str, Callable[[Any], Any]] = {
    "leaf": lambda torch: torch.ones(2, requires_grad=True),
    "result": lambda torch: torch.ones(2, requires_grad=True) * 2,
    "plain": lambda torch: torch.ones(2),
    "integers": lambda torch: torch.ones(2, dtype=torch.int64),
    "view": lambda torch: (torch.ones(4, requires_grad=True) * 2)[:2],
    "view of a leaf": lambda torch: torch.ones(4, requires_grad=True)[:2],
    "view of a plain": lambda torch: torch.ones(4)[:2],
    "one of many views": lambda torch: (torch.ones(2, 2, requires_grad=True) * 2).unbind()[0],
    "unrecorded view": lambda torch: torch.no_grad()(lambda y: y[:2])(torch.ones(4, requires_grad=True) * 2),
}
RETURNED = ("x", "(x,)", "(x, x)", "(x, new)", "new", "view", "(x, view)", "(x, w)", "(7, x)")
MARKED = ("()", "(x,)", "(new,)", "(view,)", "(x, w, new, view)")


def _facts_of(result: Any, inputs: list[Any]) -> Any:
    if isinstance(result, int):
        return result
    node = result.grad_fn and result.grad_fn.name()
    places = [place for place, t in enumerate(inputs) if t is result]
    return [
        result.tolist(),
        result.requires_grad,
        result.is_leaf,
        node,
        result.output_nr,
        result._is_view(),
        result._version,
        places,
    ]


def what_becomes_of(
    torch: Any, given: list[str], returned: str, marked: str = "()", dirty: str = "()", saved: str = "()",
    setup: bool = False, recording: bool = True,
) -> Any:  # fmt: skip
    """The results of a Function of tensors made by `GIVEN`, what backward gets, and whether they can be written to."""
    log: list[Any] = []

    def declare(ctx: Any, names: dict[str, Any]) -> None:
        if dirty != "()":
            ctx.mark_dirty(*eval(dirty, names))
        if marked != "()":
            ctx.mark_non_differentiable(*eval(marked, names))
        ctx.save_for_backward(*eval(saved, names))

    def computed(inputs: Any) -> tuple[dict[str, Any], Any]:
        names = {"x": inputs[0], "w": inputs[-1]}
        if dirty != "()":
            inputs[0].mul_(2)
        names |= {"new": inputs[0] * 3, "view": inputs[0].view(-1)}
        return names, eval(returned, names)

    class Returns(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, *inputs: Any) -> Any:
            names, output = computed(inputs)
            declare(ctx, names)
            return output

        @staticmethod
        def backward(ctx: Any, *grads: Any) -> Any:
            log.append([grads, ctx.saved_tensors])
            return tuple(torch.ones(2) if needed else None for needed in ctx.needs_input_grad)

    class Apart(Returns):
        @staticmethod
        def forward(*inputs: Any) -> Any:
            return computed(inputs)[1]

        @staticmethod
        def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
            last = output[-1] if isinstance(output, tuple) else output
            declare(ctx, {"x": inputs[0], "w": inputs[-1], "new": last, "view": last})

    inputs = [GIVEN[name](torch) for name in given]

    def run() -> Any:
        with torch.set_grad_enabled(recording):
            results = (Apart if setup else Returns).apply(*inputs)
        results = results if isinstance(results, tuple) else (results,)
        told = [_facts_of(t, inputs) for t in (*results, *inputs)] + [results[0] is results[-1]]
        tensors = [t for t in results if not isinstance(t, int)]
        passes = [raises(lambda: t.sum().backward(retain_graph=True)) for t in tensors]  # noqa: B023  called at once
        writes = [raises(lambda: _facts_of(t.add_(1), inputs)) for t in tensors]  # noqa: B023  called at once
        return [told, passes, log, writes]

    return raises(run)


@program
def what_becomes_of_an_input_that_is_marked_and_returned(torch: Any) -> Any:
    sides = [("()", "()"), ("(x,)", "()"), ("(x,)", "(x,)")]
    made = [
        what_becomes_of(torch, [given], returned, marked, dirty)
        for given in GIVEN for returned in ("x", "(x, new)") for marked, dirty in sides
    ]  # fmt: skip
    return [
        made,
        what_becomes_of(torch, ["plain", "leaf"], "(x, w)", "(w,)", "(x,)"),
        what_becomes_of(torch, ["view", "leaf"], "(x, w)", "(x,)"),
        what_becomes_of(torch, ["leaf"], "x", "(x,)", setup=True),
        what_becomes_of(torch, ["result"], "(x, x)", "(x,)", "(x,)", setup=True),
        what_becomes_of(torch, ["result"], "(x, x)", dirty="(x,)", recording=False),
        what_becomes_of(torch, ["leaf"], "x", "(x,)", recording=False),
        what_becomes_of(torch, ["plain"], "(x, view)", recording=False),
    ]


@program
def what_becomes_of_an_input_that_is_returned_and_saved(torch: Any) -> Any:
    saves = partial(what_becomes_of, torch, saved="(x,)")
    return [
        [saves([given], "x", setup=setup) for given in ("leaf", "result", "plain") for setup in (False, True)],
        [saves([given], "x", dirty="(x,)", setup=setup) for given in ("result", "view") for setup in (False, True)],
        [
            saves(["leaf"], "x", "(x,)", setup=True),
            saves(["leaf"], "(x, new)", "(x,)", "(x,)"),
            saves(["plain"], "x", recording=False),
        ],
        what_becomes_of(torch, ["plain"], "x", saved="(x, 3)", setup=True),
        what_becomes_of(torch, ["leaf"], "x", saved="(3, x)", setup=True),
    ]


@program
def a_function_that_returns_what_it_was_not_given(torch: Any) -> Any:
    def run(given: str, marked: bool, dirty: bool) -> Any:
        kept = GIVEN[given](torch)

        class Returns(torch.autograd.Function):
            @staticmethod
            def forward(ctx: Any, x: Any) -> Any:
                if marked:
                    ctx.mark_non_differentiable(kept)
                if dirty:
                    ctx.mark_dirty(kept)
                return kept

            @staticmethod
            def backward(ctx: Any, grad: Any) -> Any:
                return grad

        inputs = torch.ones(2), torch.ones(2, requires_grad=True)
        return [raises(lambda: [_facts_of(t, [kept]) for t in (Returns.apply(x), kept)]) for x in inputs]  # noqa: B023

    flags = (False, True)
    with warnings.catch_warnings(action="ignore"):  # of `mark_dirty`, which PyTorch gives once a process
        return [run(given, marked, dirty) for given in GIVEN for marked in flags for dirty in flags]


@program
def the_second_derivative_through_a_saved_write_into_a_view(torch: Any) -> Any:
    class Scale(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any, factor: Any) -> Any:
            ctx.mark_dirty(x)
            ctx.save_for_backward(x.mul_(factor), factor)
            return x

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            x, factor = ctx.saved_tensors
            return grad * factor, (grad * x / factor).sum()

    x, factor = torch.tensor([1.0, 2.0, 4.0, 8.0], requires_grad=True), torch.tensor(2.0, requires_grad=True)
    base = x * x
    Scale.apply(base[1:3], factor)
    first = torch.autograd.grad((base**3).sum(), (x, factor), create_graph=True)
    return [first, torch.autograd.grad(first[0].sum() + first[1], (x, factor))]


@program
def what_a_function_returns_is_looked_at_though_not_wanted(torch: Any) -> Any:
    class Product(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, a: Any, b: Any) -> Any:
            return a * b

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            return grad, torch.ones(7)

    a, b = (torch.ones(3, requires_grad=True) for _ in "ab")
    root, below = Product.apply(a, b), Product.apply(a, b).sum()
    return [
        raises(lambda: torch.autograd.grad(root, a, torch.ones(3))),
        raises(lambda: torch.autograd.grad(below, a)),
        raises(lambda: below.backward(inputs=[a])),
    ]


def _product(torch: Any, log: list[Any], **attributes: Any) -> Any:
    """A Function of two outputs, with these attributes of its class; `log` gets what its backward is called with."""

    class Product(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any, y: Any) -> Any:
            ctx.save_for_backward(x, y)
            return x * y, x + y

        @staticmethod
        def backward(ctx: Any, *grads: Any) -> Any:
            log.append([grads, raises(lambda: ctx.saved_tensors), raises(lambda: ctx.saved_tensors)])
            return torch.ones(2), torch.ones(2)

    for name, value in attributes.items():
        setattr(Product, name, value)
    return Product


@program
def attributes_of_the_class_of_a_function(torch: Any) -> Any:
    def run(**attributes: Any) -> Any:
        log: list[Any] = []
        x, y = (torch.ones(2, requires_grad=True) for _ in "xy")

        def passes() -> Any:
            first, second = _product(torch, log, **attributes).apply(x, y)
            first.sum().backward(retain_graph=True)
            total = (first + second).sum()
            return (
                raises(total.backward),
                raises(lambda: torch.autograd.grad(total, x)),
                x.grad,
                first.grad_fn.apply(x, y),
            )

        return raises(passes), log

    once, boxed = "clear_saved_tensors_on_access", "boxed_grads_call"
    rules = {"generate_vmap_rule": True, "vmap": staticmethod(print), "jvp": staticmethod(print)}
    values = (True, False, 1, None, "a")
    return [
        [run(**{name: value}) for name in (once, boxed) for value in values],
        [run(**{once: True, boxed: True}), run(**rules), run(**{once: "a", boxed: "a"})],
    ]


@program
def what_functions_have_that_define_nothing(torch: Any) -> Any:
    class Empty(torch.autograd.Function):
        pass

    return [
        [c.clear_saved_tensors_on_access, c.boxed_grads_call, c.generate_vmap_rule, raises(lambda: c.jvp(None, 1)),  # noqa: B023
         raises(lambda: c.vmap(1, 2, 3)), raises(lambda: c.apply(torch.ones(1)))]  # noqa: B023  called at once
        for c in (torch.autograd.Function, Empty)
    ]  # fmt: skip


@program
def saved_tensors_that_are_read_once(torch: Any) -> Any:
    x = torch.ones(2, requires_grad=True)
    first, _ = _product(torch, [], clear_saved_tensors_on_access=True).apply(x, x)
    node, read = first.grad_fn, lambda: first.grad_fn.saved_tensors
    return [
        len(node._raw_saved_tensors),
        raises(read),
        raises(read),
        len(node._raw_saved_tensors),
        raises(first.sum().backward),
    ]


@program
def gradients_that_come_as_a_list(torch: Any) -> Any:
    log: list[Any] = []

    class Double(torch.autograd.Function):
        boxed_grads_call = True

        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.set_materialize_grads(False)
            return x * 2, x * 3

        @staticmethod
        @torch.autograd.function.once_differentiable
        def vjp(ctx: Any, grads: Any) -> Any:
            log.append([*grads])
            return grads.pop(0) * 2

    x = torch.ones(2, requires_grad=True)
    y, _ = Double.apply(x)
    y.grad_fn.register_hook(lambda inputs, outputs: log.append((inputs, outputs)))
    return torch.autograd.grad(y.sum(), x, create_graph=True), log


@program
def what_the_context_keeps(torch: Any) -> Any:
    log: list[Any] = []

    def run(declare: Callable[[Any, Any], Any], give_back: bool = False) -> Any:
        class Keeps(torch.autograd.Function):
            @staticmethod
            def forward(ctx: Any, x: Any) -> Any:
                declare(ctx, x)
                log.append(ctx.saved_tensors)
                return x if give_back else (x * 2, x * 3)

            @staticmethod
            def backward(ctx: Any, *grads: Any) -> Any:
                log.append([grads, ctx.saved_tensors])
                return grads[0]

        def call() -> Any:
            x = torch.ones(2, requires_grad=True) * 2
            results = Keeps.apply(x)
            results[0].sum().backward()
            return results, x._version

        return raises(call)

    declared = [
        lambda ctx, x: ctx.save_for_backward(x), lambda ctx, x: ctx.save_for_forward(x, None),
        lambda ctx, x: (ctx.save_for_forward(x), ctx.save_for_backward(x)), lambda ctx, x: ctx.save_for_forward(x, 3),
        lambda ctx, x: ctx.mark_shared_storage((x, x)), *(partial(lambda v, ctx, x: ctx.set_materialize_grads(v), v) for v in (False, 1, "a")),
        lambda ctx, x: setattr(ctx, "materialize_grads", False), lambda ctx, x: setattr(ctx, "to_save", (x,)),
    ]  # fmt: skip
    attributes = ("dirty_tensors", "non_differentiable")
    given_back = [
        run(partial(lambda name, ctx, x: setattr(ctx, name, (x,)), name), give_back=True) for name in attributes
    ]
    return [run(declare) for declare in declared], given_back, log


@program
def a_context_takes_any_name(torch: Any) -> Any:
    class Named(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.name = ctx.node = ctx.number = 3
            return x * 2, x * 3

        @staticmethod
        def backward(ctx: Any, g: Any, h: Any) -> Any:
            return g * ctx.number, h, ctx.name

    x = torch.ones(2, requires_grad=True)
    double, triple = Named.apply(x)
    total = (double + triple).sum()
    return [
        double, triple, triple.output_nr, [number for _, number in total.grad_fn.next_functions[0][0].next_functions],
        raises(total.backward),
    ]  # fmt: skip


@program
def an_input_that_is_returned_and_saved_for_forward(torch: Any) -> Any:
    class Same(torch.autograd.Function):
        forward = staticmethod(lambda x: x)
        setup_context = staticmethod(lambda ctx, inputs, output: ctx.save_for_forward(*inputs))

    return [raises(lambda: Same.apply(x)) for x in (torch.ones(2), torch.ones(2, requires_grad=True))]  # noqa: B023


@program
def double_backward_through_a_function(torch: Any) -> Any:
    class Cube(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.save_for_backward(x)
            return x**3

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            (x,) = ctx.saved_tensors
            return g * 3 * x**2

    class Once(Cube):
        backward = staticmethod(torch.autograd.function.once_differentiable(Cube.backward))

    x = torch.tensor([2.0], requires_grad=True)
    results: list[Any] = []
    for function in (Cube, Once):
        (first,) = torch.autograd.grad(function.apply(x * 1).sum(), x, create_graph=True)
        results.append((first, raises(lambda g=first: torch.autograd.grad(g, x))))
    return results


@program
def setup_context_and_vjp(torch: Any) -> Any:
    class Square(torch.autograd.Function):
        @staticmethod
        def forward(x: Any) -> Any:
            return x * x

        @staticmethod
        def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
            ctx.save_for_backward(*inputs)

        @staticmethod
        def vjp(ctx: Any, g: Any) -> Any:
            return 2 * ctx.saved_tensors[0] * g

    x = torch.tensor([3.0], requires_grad=True)
    Square.apply(x).backward()
    return x.grad


@program
def a_saved_tensor_changed_in_place(torch: Any) -> Any:
    x = torch.ones(2, requires_grad=True)
    y = x * 1
    z = _scale(torch).apply(y, 2)
    y.add_(1)
    return raises(lambda: z.grad_fn.saved_tensors)


# What the lectures do


@program
def training_by_hand_and_by_optimizer(torch: Any) -> Any:
    x = torch.tensor([0.5, -0.5], requires_grad=True)
    for _ in range(4):
        a, b = x[0], x[1]
        loss = (a - 1) ** 2 + (b + 1) ** 2 + (a - b) ** 2
        (gradient,) = torch.autograd.grad(loss, x)
        with torch.no_grad():
            x -= 0.25 * gradient
    y = torch.tensor([8.0, -4.0], requires_grad=True)
    optimizer = torch.optim.SGD([y], lr=0.25)
    for _ in range(3):
        optimizer.zero_grad()
        torch.nn.MSELoss()(y, torch.zeros(2)).backward()
        optimizer.step()
    return x, y


@program
def gather_by_index_tensors(torch: Any) -> Any:
    x = torch.arange(6.0).view(2, 3).requires_grad_()
    i, j = torch.tensor([0, 1, 1]), torch.tensor([2, 0, 0])
    x[i, j].sum().backward()
    return x[i, j], x.grad


@program
def what_is_written_over_gets_gradient_zero(torch: Any) -> Any:
    x = torch.ones(2, requires_grad=True)
    infinite = torch.tensor([float("inf"), float("nan")])
    writes = (lambda y: y.zero_(), lambda y: y.fill_(3.0), lambda y: y.copy_(torch.ones(2)))
    return [torch.autograd.grad(write(x * 1), x, infinite) for write in writes]


@program
def the_sign_of_zero_gradients(torch: Any) -> Any:
    x = torch.tensor([-2.0, 0.0, 3.0], requires_grad=True)
    results = []
    for f in (lambda t: t.abs(), lambda t: t.relu(), lambda t: t.clamp(min=0), lambda t: t.sign()):
        results.append(torch.autograd.grad(f(x), x, torch.tensor([-1.0, -1.0, float("inf")])))
    return results


# torch.autograd.functional


def _two(torch: Any) -> Any:
    return torch.tensor([1.0, 2.0]), torch.tensor([3.0, 5.0])


@program
def products_with_the_jacobian(torch: Any) -> Any:
    f = torch.autograd.functional
    x, y = _two(torch)
    v = torch.tensor([1.0, 10.0])

    def pair(a: Any, b: Any) -> Any:
        return a * b, (a**2).sum()

    return [
        f.vjp(lambda a: a**2, x, v),
        f.vjp(lambda a: (a**2).sum(), x),
        f.vjp(pair, (x, y), (v, torch.tensor(2.0))),
        f.vjp(lambda a, b: a * 2, (x, y), v),
        f.jvp(lambda a: a**2, x, v),
        f.jvp(pair, (x, y), (v, v)),
        f.jvp(lambda a, b: a * 2, (x, y), (v, v)),
        f.jvp(lambda a: a * x, torch.tensor(2.0)),
        f.jvp(lambda a: x, torch.tensor(2.0)),
    ]


@program
def jacobians_and_hessians(torch: Any) -> Any:
    f = torch.autograd.functional
    x, y = _two(torch)
    matrix = torch.arange(6.0).view(2, 3)

    def pair(a: Any, b: Any) -> Any:
        return a * b, (a**2).sum()

    return [
        f.jacobian(lambda a: a**2, x),
        f.jacobian(lambda m: (m**2).sum(dim=1), matrix),
        f.jacobian(pair, (x, y)),
        f.jacobian(lambda a: (a, a * 2), x),
        f.jacobian(lambda a, b: a * 2, (x, y)),
        f.hessian(lambda a: (a**3).sum(), x),
        f.hessian(lambda a, b: (a**2 * b).sum(), (x, y)),
        f.hessian(lambda a: a.sum(), x),
        f.hessian(lambda m: (m**3).sum(), matrix),
    ]


@program
def products_with_the_hessian(torch: Any) -> Any:
    f = torch.autograd.functional
    x, y = _two(torch)
    v = torch.tensor([1.0, 10.0])
    results = []
    for product in (f.vhp, f.hvp):
        results.append(product(lambda a: (a**3).sum(), x, v))
        results.append(product(lambda a, b: (a**2 * b).sum(), (x, y), (v, v)))
        results.append(product(lambda a: a**3, torch.tensor(2.0)))
        results.append(product(lambda a: a.sum(), x, v))
    return results


@program
def functional_derivatives_that_can_be_differentiated(torch: Any) -> Any:
    f = torch.autograd.functional
    x, y = (t.requires_grad_() for t in _two(torch))
    v = torch.tensor([1.0, 10.0])
    calls = [
        f.vjp(lambda a: a**3, x, v, create_graph=True),
        f.jvp(lambda a: a**3, x, v, create_graph=True),
        f.vhp(lambda a: (a**3).sum(), x, v, create_graph=True),
        f.hvp(lambda a: (a**3).sum(), x, v, create_graph=True),
        (f.jacobian(lambda a: a * y, x, create_graph=True),),
        (f.jacobian(lambda a: a**2, x, create_graph=True),),
        (f.hessian(lambda a: (a**3).sum(), x, create_graph=True),),
    ]
    results: list[Any] = []
    for call in calls:
        gradients = torch.autograd.grad(call[-1].sum(), (x, y), allow_unused=True)
        results.append((call, gradients))
    return results, x.grad


@program
def a_functional_derivative_leaves_its_inputs_alone(torch: Any) -> Any:
    x, y = (t.requires_grad_() for t in _two(torch))
    f = torch.autograd.functional
    with torch.no_grad():
        inside = f.jacobian(lambda a: a * y, x), f.vjp(lambda a: (a * y).sum(), x), f.hvp(lambda a: (a**3).sum(), x, y)
    leaves: list[bool] = []

    def note(a: Any) -> Any:
        leaves.append(a.is_leaf)
        return a * 2

    for create_graph in (False, True):
        f.vjp(note, x, y, create_graph=create_graph)
        f.jacobian(note, x, create_graph=create_graph)
    return inside, f.jacobian(lambda a: a * x, x), x.grad, y.grad, x.requires_grad, leaves


@program
def what_the_functional_derivatives_refuse(torch: Any) -> Any:
    f = torch.autograd.functional
    x, y = _two(torch)
    v3 = torch.ones(3)
    return [
        raises(lambda: f.vjp(lambda a: a, 2.0)),
        raises(lambda: f.jvp(lambda a: a, (x, [1.0]))),
        raises(lambda: f.jacobian(lambda a: [a], x)),
        raises(lambda: f.vjp(lambda a: a, x)),
        raises(lambda: f.vjp(lambda a: a, x, v3)),
        raises(lambda: f.vjp(lambda a: (a, a), x, (x, v3))),
        raises(lambda: f.vjp(lambda a: (a, a), x, x)),
        raises(lambda: f.vjp(lambda a: a, x, (x, x))),
        raises(lambda: f.vjp(lambda a: a, x, [1.0, 2.0])),
        raises(lambda: f.jvp(lambda a: a, x)),
        raises(lambda: f.jvp(lambda a, b: a, (x, y), x)),
        raises(lambda: f.hessian(lambda a: a, x)),
        raises(lambda: f.hessian(lambda a: (a.sum(), a.sum()), x)),
        raises(lambda: f.hvp(lambda a: a, x, x)),
        raises(lambda: f.vhp(lambda a: (a.sum(),), x, x)),
        raises(lambda: f.vhp(lambda a: a.sum(), x)),
        raises(lambda: f.jacobian(lambda a: a, x, strategy="sideways")),
        raises(lambda: f.hessian(lambda a: a.sum(), x, outer_jacobian_strategy="sideways")),
    ]


@program
def functional_derivatives_in_strict_mode(torch: Any) -> Any:
    f = torch.autograd.functional
    x, y = (t.requires_grad_() for t in _two(torch))
    constant = torch.ones(2)

    def first(a: Any, b: Any) -> Any:
        return a * 2

    def cube(a: Any) -> Any:
        return (a**3).sum()

    return [
        raises(lambda: f.vjp(lambda a: constant, x, x, strict=True)),
        raises(lambda: f.vjp(first, (x, y), x, strict=True)),
        raises(lambda: f.vjp(lambda a: a * 2, x, constant, create_graph=True, strict=True)),
        raises(lambda: f.jvp(first, (x, y), (x, y), strict=True)),
        raises(lambda: f.jvp(lambda a: a * 2, x, constant, create_graph=True, strict=True)),
        raises(lambda: f.jvp(lambda a: a + 1, x, constant, strict=True)),
        raises(lambda: f.jacobian(first, (x, y), strict=True)),
        raises(lambda: f.jacobian(lambda a: a * 2, x, create_graph=True, strict=True)),
        raises(lambda: f.hessian(lambda a: a.sum(), x, strict=True)),
        raises(lambda: f.hessian(lambda a: constant.sum(), x, strict=True)),
        raises(lambda: f.hessian(lambda a, b: (a * b).sum(), (x, y), strict=True)),
        raises(lambda: f.hessian(lambda a: (a**2).sum(), x, strict=True, create_graph=True)),
        raises(lambda: f.vhp(lambda a: a.sum(), x, y, strict=True)),
        raises(lambda: f.vhp(lambda a, b: (a**2).sum() + b.sum() * 0, (x, y), (x, y), strict=True)),
        raises(lambda: f.hvp(lambda a: a.sum(), x, y, strict=True)),
        raises(lambda: f.hvp(lambda a, b: cube(a), (x, y), (x, y), strict=True)),
        raises(lambda: f.hvp(lambda a, b: cube(a) + cube(b), (x, y), (x, y), strict=True)),
        raises(lambda: f.vhp(cube, x, y, strict=True)),
        raises(lambda: f.hvp(cube, x, y, strict=True)),
    ]


# Nodes as functions, places in the graph, hooks of several tensors


@program
def a_node_can_be_called(torch: Any) -> Any:
    x, y = (t.requires_grad_() for t in _two(torch))
    z, g = x * y, torch.ones(2)
    z.register_hook(lambda g: g * 10)
    z.grad_fn.register_prehook(lambda gs: (gs[0] * 10,))
    z.grad_fn.register_hook(lambda gi, go: tuple(g * 10 for g in gi))
    first, _ = x.unbind()
    with torch.no_grad():
        unrecorded = z.grad_fn(torch.ones(2, requires_grad=True))
    wide = x.view(2, 1) * y
    written = x * 1
    written[0] = torch.tensor(2.0, requires_grad=True)
    results = [
        z.grad_fn(g),
        unrecorded,
        (x * 2).grad_fn(g),
        (x * y.detach()).grad_fn(g),
        x.neg().grad_fn(g),
        z.grad_fn(None),
        z.grad_fn(g.double()),
        wide.grad_fn(torch.ones(2, 2)),
        x.view(1, 2).expand(3, 2).grad_fn(torch.ones(3, 2)),
        first.grad_fn(torch.tensor(1.0), None),
        torch.arange(4.0, requires_grad=True).view(2, 2).max(dim=1).values.grad_fn(torch.ones(2)),
        torch.stack([x, y]).grad_fn(torch.tensor([[1.0, 2.0], [3.0, 4.0]])),
        written.grad_fn(g),
        torch.autograd.grad(z.grad_fn(g)[0].sum(), y),
        x.sum().grad_fn(torch.tensor(3.0)),
    ]
    refused = [
        raises(lambda: z.grad_fn()),
        raises(lambda: z.grad_fn(g, g)),
        raises(lambda: z.grad_fn(2.0)),
        raises(lambda: z.grad_fn([g])),
        raises(lambda: z.grad_fn(torch.ones(3))),
        raises(lambda: z.grad_fn(g, extra=1)),
        raises(lambda: first.grad_fn(g)),
    ]
    z.sum().backward()
    return results, refused, raises(lambda: z.grad_fn(g))


@program
def calling_an_accumulator_accumulates(torch: Any) -> Any:
    x = torch.ones(2, requires_grad=True)
    accumulator = (x * 2).grad_fn.next_functions[0][0]
    seen: list[Any] = []
    x.register_hook(lambda g: g * 10)
    x.register_post_accumulate_grad_hook(lambda leaf: seen.append(leaf.grad.clone()))
    returned = [accumulator(torch.ones(2)), accumulator(torch.ones(2)), accumulator(None)]
    x.grad = None
    accumulator(torch.ones(2, requires_grad=True))
    recorded = x.grad
    x.grad = None
    with torch.no_grad():
        accumulator(torch.ones(2, requires_grad=True))
    return returned, seen, recorded, x.grad, raises(lambda: accumulator(torch.ones(3)))


@program
def the_node_of_a_function_applies(torch: Any) -> Any:
    class Scale(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any, factor: float) -> Any:
            ctx.factor = factor
            return x * factor

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g * ctx.factor, None

    node = Scale.apply(torch.ones(2, requires_grad=True), 3.0).grad_fn
    return node.apply(torch.ones(2)), raises(lambda: node(torch.ones(2))).split(";")[0]


@program
def hooks_after_accumulation(torch: Any) -> Any:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    events: list[Any] = []
    x.register_hook(lambda g: events.append(("tensor", g)))
    handle = x.register_post_accumulate_grad_hook(lambda leaf: events.append((leaf is x, leaf.grad.clone())))
    z = x * 3
    accumulator = z.grad_fn.next_functions[0][0]
    accumulator.register_prehook(lambda gs: events.append(("pre", gs)))
    accumulator.register_hook(lambda gi, go: events.append(("post", gi, go)))
    (z + x).sum().backward()
    torch.autograd.grad((x * 5).sum(), x)
    torch.autograd.backward((x * 7).sum(), inputs=[x])
    handle.remove()
    (x * 1).sum().backward()
    y = torch.ones(2, requires_grad=True)
    y.register_post_accumulate_grad_hook(lambda leaf: setattr(leaf, "grad", None))
    (y * 3).sum().backward()
    wrong = torch.ones(2, requires_grad=True)
    wrong.register_post_accumulate_grad_hook(lambda leaf: 3)
    return [
        events,
        y.grad,
        raises(lambda: wrong.sum().backward()),
        raises(lambda: (x * 2).register_post_accumulate_grad_hook(print)),
        raises(lambda: x.detach().register_post_accumulate_grad_hook(print)),
    ]


@program
def what_hooks_after_accumulation_may_return(torch: Any) -> Any:
    def run(hook: Any, *more: Any, create_graph: bool = False) -> Any:
        x = torch.zeros(3, requires_grad=True)
        log: list[Any] = []
        for each in (hook, lambda p: log.append((p is x, p, torch.is_grad_enabled())), *more):
            x.register_post_accumulate_grad_hook(each)
        with warnings.catch_warnings(action="ignore"):  # of the cycle, which PyTorch gives once a process
            told = raises(lambda: (x * 2).backward(torch.tensor([1.0, 2.0, 4.0]), create_graph=create_graph))
        return [told, log, x, x.grad, x._version, x.is_leaf]

    def recording(p: Any) -> Any:
        with torch.enable_grad():
            return p.add_(1)

    ones = torch.ones(3)
    hooks = [
        lambda p: None, lambda p: p, lambda p: p.add_(p.grad, alpha=-0.5), lambda p: p.copy_(p.grad), lambda p: p.detach_(),
        lambda p: p.requires_grad_(False), lambda p: p.grad, lambda p: p.grad.zero_(), lambda p: p.view(3), lambda p: ones,
        lambda p: torch.ones(7), lambda p: ones.double(), lambda p: ones.long(), lambda p: torch.nn.Parameter(ones),
        lambda p: 3, lambda p: False, lambda p: "a", lambda p: (p,), lambda p: [p], lambda p: (), recording,
        lambda p: setattr(p, "grad", None), lambda p: setattr(p, "data", p.grad * 2),
    ]  # fmt: skip
    more: list[Any] = [lambda p: 3, lambda p: ones, lambda p: torch.ones(7)]
    return [
        *[run(hook) for hook in hooks],
        *[run(hook, create_graph=True) for hook in hooks[:4]],
        *[run(hook, other) for hook in hooks[1:10:8] for other in more],
    ]


@program
def a_leaf_written_to_while_its_gradient_arrives(torch: Any) -> Any:
    x, w = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
    w.register_post_accumulate_grad_hook(lambda p: p.add_(1))
    y = (x * w * w).sum()
    y.backward(retain_graph=True)
    return [x.grad, w.grad, w, raises(y.backward)]


@program
def hooks_of_several_tensors(torch: Any) -> Any:
    register = torch.autograd.graph.register_multi_grad_hook
    a, b = (t.requires_grad_() for t in _two(torch))
    c, d = a * 2, a * b
    seen: list[Any] = []
    handle = register((a, b, c, d), lambda gs: seen.append(list(gs)))
    c.sum().backward(retain_graph=True)
    (c + d).sum().backward(retain_graph=True)
    seen.append("grad")
    seen.append(raises(lambda: torch.autograd.grad((c + d).sum(), a, retain_graph=True)))
    torch.autograd.grad((c + d).sum(), c, retain_graph=True)
    torch.autograd.backward((c + d).sum(), inputs=[b], retain_graph=True)
    handle.remove()
    seen.append("any")
    with register((a, c, d, torch.ones(2)), seen.append, mode="any"):
        (c + d).sum().backward(retain_graph=True)
        d.sum().backward(retain_graph=True)
    d.sum().backward(retain_graph=True)
    return [
        seen,
        raises(lambda: register((a,), print, mode="some")),
        raises(lambda: register((torch.ones(2),), print)),
    ]


@program
def places_in_the_graph(torch: Any) -> Any:
    edge_of = torch.autograd.graph.get_gradient_edge
    grad, backward = torch.autograd.grad, torch.autograd.backward
    x, y = (t.requires_grad_() for t in _two(torch))
    at_x, at_y = edge_of(x), edge_of(y)
    product = x * y
    at_product = edge_of(product)
    results: list[Any] = [
        at_x,
        at_product,
        edge_of(x.unbind()[1]).output_nr,
        grad((x * y).sum(), at_x),
        grad((product * 2).sum(), at_product),
        grad(at_product, (at_x, y), torch.ones(2), retain_graph=True),
        grad([edge_of((x * y).sum())], [at_y]),
        grad(x.sum(), (x, at_y), allow_unused=True),
        raises(lambda: edge_of(x.detach())),
        raises(lambda: grad(at_product, at_x)),
        raises(lambda: grad(at_product, at_x, torch.ones(3))),
        raises(lambda: grad(x.sum(), at_y)),
        raises(lambda: grad(x.sum(), at_y, materialize_grads=True)),
    ]
    backward(edge_of((x * y).sum()), torch.tensor(2.0), inputs=(at_x,))
    backward((product * product).sum(), inputs=(at_product,))
    return results, x.grad, y.grad, product.retains_grad


@program
def inputs_by_name(torch: Any) -> Any:
    x, y = (t.requires_grad_() for t in _two(torch))
    gradients = torch.autograd.grad((x * y).sum(), {"x": x, "y": y})
    torch.autograd.backward((x * y).sum(), inputs={"y": y})
    proxy = types.MappingProxyType({"x": x})
    return [
        gradients,
        (x.grad, y.grad),
        raises(lambda: torch.autograd.grad(x.sum(), {})),
        raises(lambda: torch.autograd.grad(x.sum(), proxy)),
        raises(lambda: torch.autograd.backward(x.sum(), inputs=proxy)),
    ]


@program
def passes_inside_a_pass(torch: Any) -> Any:
    register = torch.autograd.graph.register_multi_grad_hook
    x, y = (t.requires_grad_() for t in _two(torch))
    other = torch.ones(1, requires_grad=True)
    seen: list[Any] = []

    def inner(_: Any) -> None:
        with torch.enable_grad():
            (other * 3 + (x * 2).sum()).backward()

    def fail(_: Any) -> None:
        raise ValueError("stop")

    register((x, y), seen.append)
    product = x * y
    product.register_hook(inner)
    product.sum().backward()
    product = x * y
    handle = product.register_hook(fail)
    failed = raises(lambda: product.sum().backward(retain_graph=True))
    handle.remove()
    product.sum().backward()
    register((x, x), seen.append)
    (x * y).sum().backward()
    return seen, other.grad, failed


@program
def versions_counted_by_hand(torch: Any) -> Any:
    increment = torch.autograd.graph.increment_version
    x = torch.ones(2, requires_grad=True)
    y = x * 1
    z = y * y
    increment(y)
    t = torch.ones(2)
    increment([t, t, t.view(2)])
    return [
        y._version,
        t._version,
        raises(lambda: z.sum().backward()),
        raises(lambda: increment(3)),
        raises(lambda: increment([3])),
    ]


# Modes


@program
def inference_mode_records_nothing(torch: Any) -> Any:
    x = torch.ones(2, requires_grad=True)

    @torch.inference_mode()
    def double(t: Any) -> Any:
        return t * 2

    @torch.inference_mode
    def triple(t: Any) -> Any:
        return t * 3

    modes: list[Any] = [torch.is_inference_mode_enabled()]
    results: list[Any] = [double(x), triple(x)]
    with torch.inference_mode():
        modes.append((torch.is_inference_mode_enabled(), torch.is_grad_enabled()))
        y = x * 2
        with torch.enable_grad():
            results.append(x * 3)
        with torch.inference_mode(False):
            modes.append((torch.is_inference_mode_enabled(), torch.is_grad_enabled()))
            results.append(x * 4)
        x.add_(1)
        leaf = torch.ones(1, requires_grad=True)
        with torch.inference_mode(False):
            cubes = (x**3).sum()
        results += torch.autograd.grad(cubes, x, create_graph=True)
        results += [y, y.grad_fn, leaf, leaf * 2, x._version, raises(lambda: y.sum().backward())]
    with torch.no_grad(), torch.inference_mode(False):
        modes.append(torch.is_grad_enabled())
    modes.append((torch.is_inference_mode_enabled(), torch.is_grad_enabled()))
    with torch.autograd.inference_mode(mode=False):
        results.append(x * 5)
    return modes, results, raises(lambda: _fail_in(torch.inference_mode())), torch.is_grad_enabled()


def _fail_in(context: Any) -> None:
    with context:
        raise ValueError("inside")


@program
def anomaly_detection_is_off(torch: Any) -> Any:
    with torch.autograd.set_detect_anomaly(False):
        x = torch.ones(2, requires_grad=True)
        (x * 2).sum().backward()
    return x.grad, torch.is_anomaly_enabled()


@program
def variables_are_tensors(torch: Any) -> Any:
    Variable = torch.autograd.Variable
    data = torch.tensor([1.0, 2.0])
    x = Variable(data, requires_grad=True)
    (x * x).sum().backward()
    data.add_(1)
    computed = x * 2
    return [
        x,
        x.grad,
        data.requires_grad,
        x.data_ptr() == data.data_ptr(),
        x._version,
        Variable(computed),
        Variable(data),
        Variable(),
        isinstance(data, Variable),
        isinstance(3, Variable),
        type(Variable(torch.nn.Parameter(data))) is torch.Tensor,
        raises(lambda: Variable([1.0])),
        raises(lambda: Variable(torch.tensor([1]), requires_grad=True)),
    ]


# Copies, and what else a tensor can do


def _facts(tensor: Any) -> Any:
    return tensor, tensor.stride(), tensor.storage_offset(), tensor.is_leaf, tensor._is_view(), tensor._version


@program
def copies_and_pickles(torch: Any) -> Any:
    x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    x.grad, x.tag = torch.ones(3), ["own"]
    y = x * 2
    grid = torch.arange(6.0).view(2, 3)
    scalar, empty = torch.tensor(1, dtype=torch.int16), torch.empty(0, 2)
    tensors = [x, grid, grid.t(), grid[1], grid[:, 1], grid.expand(2, 2, 3), scalar, empty, torch.nn.Parameter(grid)]
    results: list[Any] = []
    for tensor in tensors:
        for duplicate in (copy.copy, copy.deepcopy, lambda t: pickle.loads(pickle.dumps(t))):
            results.append((_facts(duplicate(tensor)), duplicate(tensor).grad))
    shallow = copy.copy(grid)
    deep, deep_row, again = copy.deepcopy((grid, grid[1], grid))
    loaded, loaded_row = pickle.loads(pickle.dumps((grid, grid[1])))
    for tensor in (shallow, deep, loaded):
        tensor.zero_()
    return [
        results,
        grid,
        grid._version,
        deep_row,
        again is deep,
        loaded_row,
        _facts(copy.copy(y)),
        _facts(pickle.loads(pickle.dumps(y))),
        copy.copy(x).tag is x.tag,
        copy.deepcopy(x).tag is x.tag,
        pickle.loads(pickle.dumps(x)).tag,
        raises(lambda: copy.deepcopy(y)),
        raises(lambda: copy.deepcopy(x[:1])),
    ]


@program
def detaching_in_place(torch: Any) -> Any:
    x = torch.ones(2, requires_grad=True)
    y = x * 3
    same = y.detach_() is y
    return [
        (same, y, y.is_leaf, y.grad_fn),
        x.detach_(),
        raises(lambda: x[:1].detach_()),
        raises(lambda: (torch.ones(2, requires_grad=True) * 1)[:1].detach_()),
    ]


@program
def memory_taken_over(torch: Any) -> Any:
    grid, x = torch.arange(6.0).view(2, 3), torch.ones(2)
    same = x.set_(grid) is x
    grid.add_(1)
    return [
        (same, x, x.data_ptr() == grid.data_ptr(), x._version),
        torch.ones(2).set_(),
        raises(lambda: torch.ones(2, requires_grad=True).set_(grid)),
        raises(lambda: torch.ones(2).set_(torch.tensor([1]))),
        raises(lambda: torch.ones(2, requires_grad=True).resize_(3)),
        (grid.nbytes, grid.itemsize, grid[1].storage_offset(), torch.tensor([1]).nbytes),
    ]


# How values are saved


@program
def hooks_pack_what_is_saved(torch: Any) -> Any:
    seen: list[Any] = []

    def pack(tensor: Any) -> Any:
        seen.append(("pack", tensor.tolist(), tensor.requires_grad, tensor.is_leaf))
        return tensor.tolist()

    def unpack(values: Any) -> Any:
        seen.append(("unpack", values))
        return torch.tensor(values)

    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = x * 1
    with torch.autograd.graph.saved_tensors_hooks(pack, unpack):
        z = (y * y) * y
        product = z * x
    y.add_(1)  # unnoticed: what hooks saved is theirs
    saved = product.grad_fn._saved_other
    (gradient,) = torch.autograd.grad(product.sum(), x, create_graph=True)
    rounded = [round(v, 3) for v in gradient.tolist()]
    return sorted(map(repr, seen)), saved, rounded, gradient.requires_grad, (x * x).grad_fn._saved_self is x


@program
def hooks_pack_what_a_function_saves(torch: Any) -> Any:
    class Square(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            y = x * x
            ctx.save_for_backward(x, None, y)
            return y

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            x, nothing, y = ctx.saved_tensors
            return g * x * 2 + (y * 0 if nothing is None else None)

    x = torch.tensor([1.0, 2.0], requires_grad=True)
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t * 2, lambda t: t / 2):
        y = Square.apply(x)
    (first,) = torch.autograd.grad(y.sum(), x, create_graph=True)
    return first, torch.autograd.grad(first.sum(), x)


@program
def what_hooks_of_saving_may_do(torch: Any) -> Any:
    hooks = torch.autograd.graph.saved_tensors_hooks

    def saved_by(pack: Any, unpack: Any) -> Any:
        x = torch.tensor([1.0, 2.0], requires_grad=True)
        with hooks(pack, unpack):
            y = (x + 0) * x
        return torch.autograd.grad(y.sum(), x, retain_graph=True)

    return [
        raises(lambda: saved_by(lambda t: t.add_(1), lambda t: t)),
        raises(lambda: saved_by(lambda t: 1, lambda n: n)),
        raises(lambda: saved_by(lambda t: 1, lambda n: torch.zeros(2))),
        raises(lambda: saved_by(lambda t: torch.zeros(0)[1], lambda t: t)),
    ]


@program
def saved_values_may_be_written_to(torch: Any) -> Any:
    x = torch.tensor([0.0, 0.0], requires_grad=True)
    with torch.autograd.graph.allow_mutation_on_saved_tensors():
        y = x * 1
        z = y.sin()
        y[0].add_(1)
        y.mul_(2)
        z.sum().backward()
        nested = raises(lambda: torch.autograd.graph.allow_mutation_on_saved_tensors().__enter__())
    with torch.autograd.graph.allow_mutation_on_saved_tensors():
        late = (x * 1).sin().sum()
    return x.grad, y, nested, raises(lambda: late.backward())


@program
def anomaly_mode_tells_where(torch: Any) -> Any:
    def failing(mode: Any, program: Any) -> Any:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            warnings.simplefilter("ignore", ResourceWarning)  # as in `outcome`
            warnings.filterwarnings("ignore", category=RuntimeWarning)  # NumPy's, about the root
            with mode():
                error = raises(program)
        return error, [
            (str(w.message).splitlines()[0].split(" (Triggered")[0], "program" in str(w.message)) for w in caught
        ]

    def nan() -> None:
        torch.tensor([1.0, -1.0], requires_grad=True).sqrt().sum().backward()

    def stale() -> None:
        y = torch.tensor([1.0], requires_grad=True) * 1
        z = y.exp() * y
        y.add_(1)
        z.backward()

    def unknown() -> None:
        with torch.autograd.set_detect_anomaly(False):
            y = torch.tensor([-1.0], requires_grad=True).sqrt()
        y.backward()

    detect, switch = torch.autograd.detect_anomaly, torch.autograd.set_detect_anomaly
    with switch(True):
        y = torch.ones(2, requires_grad=True) * 2
        inside = torch.is_anomaly_enabled(), list(y.grad_fn.metadata)
    return [
        failing(detect, nan),
        failing(lambda: detect(check_nan=False), nan),
        failing(lambda: switch(True), stale),
        failing(lambda: switch(True), unknown),
        inside,
        torch.is_anomaly_enabled(),
    ]


@program
def tensors_made_in_inference_mode(torch: Any) -> Any:
    x = torch.ones(2, requires_grad=True)
    normal = torch.ones(2)
    with torch.inference_mode():
        made, result = torch.ones(2), x * 2
        view = normal.view(2)
        normal.add_(1)
        inside = [made.add_(1), made[0], normal._version, (normal * 1).is_inference(), view.is_inference()]
        leaf = torch.ones(2, requires_grad=True)
    return [
        inside,
        [
            t.is_inference()
            for t in (made, result, normal, view, made * 2, made[0], made.view(2), made.detach(), made.clone())
        ],
        [leaf, leaf.is_leaf, leaf.is_inference()],
        raises(lambda: made.add_(1)),
        raises(lambda: made[0].add_(1)),
        raises(lambda: made._version),
        raises(lambda: x * made),
        raises(lambda: x + made),
        raises(lambda: made.requires_grad_()),
        raises(lambda: (x * 2).add_(made)),
        raises(lambda: made.clone().mul_(x).sum().backward()),
        x.grad,
    ]


@program
def a_leaf_that_gets_no_gradient(torch: Any) -> Any:
    class Nothing(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x * 2

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return None

    seen: list[Any] = []
    x = torch.ones(2, requires_grad=True)
    x.register_hook(lambda g: seen.append(("hook", g)))
    x.register_post_accumulate_grad_hook(lambda leaf: seen.append(("post", leaf.grad)))
    Nothing.apply(x).sum().backward()
    y = x.exp()
    Nothing.apply(y).sum().backward()
    again = raises(lambda: Nothing.apply(y).sum().backward())
    z = torch.ones(2, requires_grad=True)
    w = (z * 2).sum()
    z.requires_grad_(False)
    w.backward()
    return seen, again, z.grad


@program
def a_function_may_write_into_a_view(torch: Any) -> Any:
    class Double(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, *tensors: Any) -> Any:
            ctx.mark_dirty(tensors[-1])
            tensors[-1].mul_(2)
            return (tensors[0] * 1, tensors[1]) if len(tensors) == 2 else tensors[0]

        @staticmethod
        def backward(ctx: Any, *grads: Any) -> Any:
            return tuple(g * 2 for g in grads)

    x = torch.arange(4.0).requires_grad_()
    base = x * 1
    view, other = base[:2], base[1:]
    written = Double.apply(view)
    names = [graph_text(t.grad_fn) for t in (base, view, other, written)]
    base.sum().backward()
    return [
        names,
        base,
        x.grad,
        raises(lambda: Double.apply(x[0:1])),
        raises(lambda: Double.apply(torch.ones(2, requires_grad=True), (x * 1)[0:2])),
    ]


@program
def a_view_may_change_how_it_looks(torch: Any) -> Any:
    x = torch.arange(6.0).requires_grad_()
    base = (x * 1).view(2, 3)
    view, other = base[0:2], base[1]
    view.t_()
    names = [graph_text(t.grad_fn) for t in (base, view, other)]
    ((view * view).sum() + other.sum()).backward()
    row = base[0].unsqueeze_(0)
    return names, x.grad, view.shape, row, base._version, raises(lambda: x.view(2, 3).t_())


@program
def a_view_whose_base_was_written_to(torch: Any) -> Any:
    def looked_at(view: Any) -> Any:
        with torch.no_grad():
            doubled = view * 2
        return [
            view,
            view.requires_grad,
            raises(lambda: view.grad_fn),
            raises(lambda: view * 2),
            doubled,
            view.detach(),
        ]

    leaf = torch.ones(2, 2, requires_grad=True)
    with torch.no_grad():
        row = leaf[0]
        before = row, row.requires_grad, row.grad_fn
        row.sub_(1)
    y = leaf * 2
    first, _ = y
    with torch.no_grad():
        whole = y.view(4)
        part = y[0]
    y.add_(1)
    deeper = raises(lambda: whole[0])
    again = leaf * 2
    with torch.no_grad():
        hidden = again.view(4)
    return [
        before,
        [looked_at(view) for view in (row, first, part)],
        deeper,
        raises(lambda: part.add_(1)),
        raises(lambda: hidden[0].add_(1)),
        y.sum(),
    ]


@program
def a_function_of_a_view_whose_base_was_written_to(torch: Any) -> Any:
    class Double(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x * 2

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g * 2

    x = torch.tensor([1.0, 2.0], requires_grad=True)
    view = torch.ones(2, 2).t()
    view[...] = x
    # The view's node is made only now, by the Function that asks for it.
    return torch.autograd.grad(Double.apply(view).sum(), x), torch.zeros(1).expand(3).fill_(2)


@program
def new_tensors_like_a_tensor(torch: Any) -> Any:
    x, i = torch.ones(2), torch.tensor([1])
    return [
        x.new_tensor([1, 2]),
        x.new_tensor([1, 2], dtype=torch.int64),
        x.new_tensor(3),
        i.new_tensor([1.5]),
        x.new_tensor([1.0], requires_grad=True),
        i.new_zeros(2),
        x.new_ones((2, 1)),
        i.new_full((2,), 3),
        raises(lambda: x.new_tensor("a")),
        raises(lambda: i.new_tensor([1], requires_grad=True)),
    ]


@program
def memory_shared_by_dlpack(torch: Any) -> Any:
    x = torch.arange(3.0)
    array = np.from_dlpack(x)
    x.add_(1)
    return [
        array.tolist(),
        raises(lambda: np.from_dlpack(x.clone().requires_grad_())),
    ]


# What random programs found


@program
def hooks_after_a_change_of_shape_in_place(torch: Any) -> Any:
    notes: list[Any] = []
    x = torch.tensor([[1.0, 2.0]], requires_grad=True)
    y = x * 2
    y.register_hook(lambda g: notes.append(("first", tuple(g.shape))))
    y.transpose_(0, 1)
    y.register_hook(lambda g: notes.append(("second", tuple(g.shape))))
    y.sum().backward()
    z = x * 2
    z.unsqueeze_(0)
    z.register_hook(lambda g: notes.append(("later", tuple(g.shape))))
    z.mul_(2)
    z.register_hook(lambda g: notes.append(("after a write", tuple(g.shape))))
    z.sum().backward()
    return notes, x.grad


@program
def what_a_function_marks_dirty_is_returned(torch: Any) -> Any:
    class Marks(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any, what: str) -> Any:
            x.add_(1)
            ctx.mark_dirty(x)
            return {"itself": x, "a view": x.view_as(x), "a copy": x * 1, "twice": (x, x), "a number": 3}[what]

        @staticmethod
        def backward(ctx: Any, *grads: Any) -> Any:
            return grads[0], None

    seen: list[Any] = []
    for needed in (True, False):
        for what in ("itself", "a view", "a copy", "twice", "a number"):
            y = torch.ones(2, requires_grad=needed) * 1
            seen += [what, raises(lambda: Marks.apply(y, what)), y]  # noqa: B023  called at once
    return seen


@program
def an_input_returned_as_it_came_is_saved_as_the_input(torch: Any) -> Any:
    class Same(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any, write: str) -> Any:
            if write != "nothing":
                x.mul_(2)
            if write == "marked":
                ctx.mark_dirty(x)
            ctx.save_for_backward(x)
            return x

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            (x,) = ctx.saved_tensors
            seen.append(graph_text(x.grad_fn))
            return g * x * x, None

    seen: list[Any] = []
    x = torch.tensor(3.0, requires_grad=True)
    for y, write in ((x, "nothing"), (x * 1, "nothing"), (x * 1, "unmarked"), (x * 1, "marked")):
        z = Same.apply(y, write)
        (grad,) = torch.autograd.grad(z, x, create_graph=True)
        seen += [z is y, grad, torch.autograd.grad(grad, x)]
    return seen


@program
def a_gradient_is_forgotten_where_a_function_writes(torch: Any) -> Any:
    class AddOne(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.mark_dirty(x)
            return x.add_(1)

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g

    x = torch.ones(2, requires_grad=True)
    y = x * 2
    y.retain_grad()
    torch.autograd.grad(y.sum(), x)
    before = y.grad
    AddOne.apply(y)
    row = x[:1]
    row.grad = torch.ones(1)
    x.grad = torch.ones(2)
    return (
        before,
        y.grad,
        y.retains_grad,
        raises(lambda: AddOne.apply(row)),
        row.grad,
        raises(lambda: AddOne.apply(x)),
        x.grad,
    )


@program
def the_saved_result_of_a_write_into_a_view(torch: Any) -> Any:
    x = torch.ones(2, 2, requires_grad=True)
    graphs = []
    for keeps in (True, False):
        y = x * 1
        view = y.t()
        view.exp_()
        if not keeps:
            del view
        (grad,) = torch.autograd.grad(y.sum(), x, create_graph=True)
        graphs.append((graph_text(grad.grad_fn), torch.autograd.grad(grad.sum(), x)[0]))
    return graphs


@program
def views_that_are_leaves(torch: Any) -> Any:
    class Same(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x.view(-1)

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g

    leaf = Same.apply(torch.ones(()))
    leaf.requires_grad = True
    with torch.no_grad():
        leaf.t_()
    base = torch.ones(2, requires_grad=True)
    with torch.no_grad():
        unrecorded = base[:1]
        base.clamp_(0, 0.5)
    unrecorded.retain_grad()
    result = base.sum() * 1
    part = Same.apply(result)
    part.retain_grad()
    result.mul_(2)
    part.retain_grad()
    return leaf, leaf.is_leaf, unrecorded.retains_grad, part.retains_grad, raises(lambda: part + 1)


@program
def a_view_whose_making_was_not_recorded_needs_nothing(torch: Any) -> Any:
    results = []
    x = torch.tensor([2.0, 4.0], requires_grad=True)
    with torch.no_grad():
        view = x[:]
    for function in (lambda: x * view, lambda: view * x, lambda: x.dot(view), lambda: view / x, lambda: x**view):
        y = function().sum()
        y.backward()
        results.append((raises(y.backward), x.grad.tolist()))
    other = x * 1
    product = view.dot(other)
    other.mul_(2)
    product.backward()
    (grad,) = torch.autograd.grad((x**view).sum(), x, create_graph=True)
    return results, x.grad, graph_text(grad.grad_fn)


@program
def what_hooks_of_nodes_see_of_gradients_that_nobody_needs(torch: Any) -> Any:
    x, plain = torch.tensor(2.0, requires_grad=True), torch.ones(2)
    notes: list[Any] = []

    def note(*given: Any) -> None:
        notes.append(given)

    part = plain[:1]
    part.mul_(x)
    plain.grad_fn.register_hook(note)
    plain.sum().backward()
    stacked = torch.stack([x, torch.ones(())])
    stacked.grad_fn.register_hook(note)
    stacked.sum().backward()
    y = x * 3
    y.grad_fn.register_hook(note)
    y.sum().backward(inputs=[y])

    class Nothing(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x * 1

        @staticmethod
        def backward(ctx: Any, g: Any) -> None:
            return None

    # Nothing arrives at the product, and nothing of it is wanted at the other leaf: its hook does not run.
    z = torch.ones((), requires_grad=True)
    z.register_hook(lambda g: 1 / 0)
    torch.autograd.grad(Nothing.apply(x * z), x, allow_unused=True)
    turned = x * torch.ones(2, 1)
    with torch.no_grad():
        turned.t_()
    turned.unsqueeze_(-1)
    turned.sum().backward(inputs=[turned])
    return notes, turned.grad


@program
def gradients_of_what_is_empty(torch: Any) -> Any:
    nothing = torch.tensor([], requires_grad=True)
    twice = torch.cat([nothing, nothing])
    (grad,) = torch.autograd.grad((twice * twice).sum(), nothing, create_graph=True)
    x = torch.ones(1, 3, requires_grad=True)
    y = x * 1
    none = y.diagonal(-1)
    y.mul_(2)
    (of_none,) = torch.autograd.grad((none * none).sum(), x, create_graph=True)
    return grad, of_none, raises(lambda: torch.var_mean(nothing.detach(), -2))


@program
def gradients_of_strided_parts(torch: Any) -> Any:
    graphs = []
    for look in (lambda y: y[None], lambda y: y[:1], lambda y: y.expand(2, 2)):
        x = torch.tensor([2.0, 3.0], requires_grad=True)
        y = x * 1
        view = look(y)
        y.mul_(2)
        (grad,) = torch.autograd.grad((view * view).sum(), x, create_graph=True)
        graphs.append((grad.tolist(), graph_text(grad.grad_fn), torch.autograd.grad(grad.sum(), x)[0]))
    return graphs


@program
def layouts_of_copies_and_sums(torch: Any) -> Any:
    expanded, turned = torch.ones(3, 3).expand(2, 3, 3), torch.ones(2, 3, 4).permute(2, 0, 1)
    copies = [
        expanded.clone(),
        expanded.double(),
        expanded.long(),
        expanded.bool() * 1,
        turned.clone(),
        turned.double(),
    ]
    sums = [turned.sum(1), turned.mean(1), turned.prod(1), turned.var(1), turned.norm(2, 1), turned.logsumexp(1)]
    zeros, first = torch.zeros(2, 3), torch.tensor([0])
    indexed = [
        zeros[..., [0]],
        zeros[:, first],
        zeros.index_select(1, first),
        zeros[:, [0, 2, 1]],
        turned[[0, 1], :, 0],
    ]
    diagonal = torch.nn.Parameter(torch.ones(2, 2).diagonal())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that a gradient with a graph is a cycle, which PyTorch says once
        (diagonal * diagonal).sum().backward(create_graph=True)
    return [t.stride() for t in copies + sums + indexed], graph_text(diagonal.grad.grad_fn, "CloneBackward0")


@program
def a_gradient_added_to_one_of_more_dimensions(torch: Any) -> Any:
    x = torch.ones(2, requires_grad=True)
    x.sum().backward()
    x.grad.unsqueeze_(0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that the layouts differ, which costs PyTorch time
        x.sum().backward()
    return x.grad


@program
def powers_of_two_dtypes(torch: Any) -> Any:
    x = torch.tensor(2.0, dtype=torch.float16, requires_grad=True)
    y = torch.tensor([3.0], requires_grad=True)
    return graph_text(torch.autograd.grad(x**y, y, create_graph=True)[0].grad_fn)


@program
def where_forward_was_called_of_a_function_that_fails(torch: Any) -> Any:
    class Failing(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x * 1

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            raise ValueError("no gradient")

    x = torch.ones(2, requires_grad=True)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warnings.simplefilter("ignore", ResourceWarning)  # as in `outcome`
        with torch.autograd.detect_anomaly():
            y = Failing.apply(x)
            failed = raises(y.sum().backward)
    return failed, ["Traceback of forward call" in str(w.message) for w in caught]


@program
def what_bends_keeps_its_input_for_the_second_derivative(torch: Any) -> Any:
    errors = []
    F = torch.nn.functional
    for bend in (F.leaky_relu, F.hardtanh, lambda x: torch.threshold(x, 0.5, 1.0)):
        x = torch.tensor([1.0, -2.0], requires_grad=True)
        (grad,) = torch.autograd.grad(bend(x).sum(), x, create_graph=True)
        torch.autograd.grad(grad.sum(), x)
        errors.append(raises(lambda: torch.autograd.grad(grad.sum(), x)))  # noqa: B023  called at once
    amin = x[0].amin(0)
    (grad,) = torch.autograd.grad(amin * amin, x, create_graph=True)
    return errors, graph_text(grad.grad_fn)


@program
def which_root_is_wrong(torch: Any) -> Any:
    x = torch.ones(2, requires_grad=True)
    y = x.chunk(1)[0]
    with torch.no_grad():
        x.mul_(2)
    return raises(lambda: torch.autograd.grad([torch.ones(()), y], x, [None, torch.ones(2)]))


@program
def which_root_has_a_gradient_of_another_shape(torch: Any) -> Any:
    x = torch.ones(2, 2, requires_grad=True)
    y = x.cosh()
    with torch.no_grad():
        y.unsqueeze_(-1)
    return raises(lambda: torch.autograd.grad([x.sum(), y], x, [None, y.detach()]))


@program
def what_two_gradients_need_is_kept_though_neither_leads_anywhere(torch: Any) -> Any:
    x = torch.ones(())
    flat = x.view(-1)
    x.requires_grad_()
    chosen = torch.where(flat > 0.5, 0.5, flat)
    chosen.backward()
    return raises(chosen.backward)


@program
def cat_looks_at_no_dimension_of_empty_vectors(torch: Any) -> Any:
    empty = torch.empty(0, requires_grad=True)
    wrong = raises(lambda: torch.cat([torch.zeros(0, 2), empty], 5))
    return torch.cat([empty, empty], 5), torch.autograd.grad(torch.cat([empty, empty], -2).sum(), empty), wrong


@program
def equal_elements_have_no_spread(torch: Any) -> Any:
    x = torch.tensor([[1.0, 2.0]] * 3, dtype=torch.float64).cos().requires_grad_()
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", category=RuntimeWarning)  # NumPy's, about the quotient by 0
        return x.std(0), torch.autograd.grad(x.std(0).sum() + torch.var_mean(x)[0], x)


@program
def leaves_are_reached_in_the_order_of_the_edges(torch: Any) -> Any:
    a, b, order = torch.ones((), requires_grad=True), torch.ones((), requires_grad=True), []
    for name, leaf in {"a": a, "b": b}.items():
        leaf.register_post_accumulate_grad_hook(lambda leaf, name=name: order.append((name, leaf.grad.item())))
    torch.autograd.backward([b * 1, a * b])
    torch.stack([a, b, a]).sum().backward()
    return order


@program
def the_layout_of_a_gradient_of_a_narrow_matrix(torch: Any) -> Any:
    column = torch.ones(2, 1, 3, requires_grad=True).unbind(-1)[-1]
    (grad,) = torch.autograd.grad(torch.addmm(column[0], column.mT, column), column, create_graph=True)
    return grad, grad.stride(), graph_text(grad.grad_fn)


# Found by running PyTorch's own tests


@program
def modes_around_generators(torch: Any) -> Any:
    seen: list[Any] = []

    @torch.no_grad()
    def generator() -> Any:
        seen.append(torch.is_grad_enabled())
        given = yield 1
        seen.append((given, torch.is_grad_enabled()))
        try:
            yield 2
        except ValueError:
            seen.append(torch.is_grad_enabled())
        return 3

    @torch.inference_mode()
    def inferring() -> Any:
        yield torch.is_inference_mode_enabled()

    @torch.set_grad_enabled(False)
    def disabled() -> Any:
        yield torch.is_grad_enabled()

    running = generator()
    outside = [next(running), torch.is_grad_enabled(), running.send(5), torch.is_grad_enabled()]
    with torch.no_grad():
        end = raises(lambda: running.throw(ValueError()))
    return outside, seen, end, next(inferring()), next(disabled()), torch.is_grad_enabled()


@program
def a_decorated_class(torch: Any) -> Any:
    @torch.no_grad()
    class Maker:
        def __init__(self) -> None:
            self.enabled = torch.is_grad_enabled()

    return Maker().enabled, torch.is_grad_enabled()


@program
def what_was_detached_in_place_cannot_be_used_by_backward(torch: Any) -> Any:
    x = torch.ones((), requires_grad=True)
    y = x.clone()
    used, alias, version = y * y, y.detach() * 2 * x, y._version
    y.detach_()
    fresh = y * x
    fresh.backward()
    alias.backward()
    return raises(used.backward), y._version - version, x.grad, y.requires_grad


@program
def defaults_of_forward_are_inputs(torch: Any) -> Any:
    seen: list[Any] = []

    class Scaled(torch.autograd.Function):
        @staticmethod
        def forward(x: Any, factor: Any = 3, other: Any = None) -> Any:
            return x * factor

        @staticmethod
        def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
            seen.append((len(inputs), inputs[1:]))
            ctx.factor = inputs[1]

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            seen.append(ctx.needs_input_grad)
            return grad * ctx.factor, None, None

    x = torch.ones((), requires_grad=True)
    for y in (Scaled.apply(x), Scaled.apply(x, 2), Scaled.apply(x, factor=4)):
        y.backward()
    return seen, x.grad


@program
def arguments_of_forward_by_keyword(torch: Any) -> Any:
    class Product(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, a: Any, b: Any, c: Any = 1, *, d: Any = 1) -> Any:
            ctx.save_for_backward(a, b)
            return a * b

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            a, b = ctx.saved_tensors
            return grad * b, grad * a

    x = torch.full((2,), 2.0, requires_grad=True)
    y = Product.apply(torch.ones(2), b=x)
    y.sum().backward()
    wrong = [raises(lambda: Product.apply(x, c=5)), raises(lambda: Product.apply(x, x, d=2))]
    return y, x.grad, wrong, raises(lambda: Product.apply(x, x, e=2))


@program
def what_post_accumulate_hooks_return(torch: Any) -> Any:
    def after(result: Any) -> str:
        x = torch.ones((), requires_grad=True)
        x.register_post_accumulate_grad_hook(lambda leaf: result)
        return raises((x * 3).backward)

    return after(None), after(torch.ones(())), after(5)


@program
def hooks_of_an_accumulator_in_their_order(torch: Any) -> Any:
    x, seen = torch.ones((), requires_grad=True), []
    y = x * 3
    accumulator = y.grad_fn.next_functions[0][0]
    accumulator.register_prehook(lambda outputs: seen.append(("before", x.grad)))
    accumulator.register_hook(lambda inputs, outputs: seen.append(("after", inputs, x.grad.item())))
    x.register_hook(lambda grad: seen.append(("tensor", x.grad)))
    x.register_post_accumulate_grad_hook(lambda leaf: seen.append(("accumulated", leaf.grad.item())))
    y.backward()
    return seen


@program
def marking_what_is_no_input_as_dirty_warns(torch: Any) -> Any:
    class Copied(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            y = x.clone()
            ctx.mark_dirty(y)
            return y

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            return grad * 2

    x = torch.ones((), requires_grad=True)
    y = Copied.apply(x)
    y.backward()
    return x.grad, y


@program
def a_tuple_of_one_output_is_one_output(torch: Any) -> Any:
    class Doubled(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.mark_dirty(x)
            return (x.mul_(2),)

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            return grad * 2

    class Viewed(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return (x.view(-1),)

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            return grad

    x = torch.ones(2, requires_grad=True)
    (viewed,) = Viewed.apply(x * 1)
    return Doubled.apply((x * 1)[:1]), raises(lambda: viewed.mul_(2))


@program
def views_made_in_inference_mode(torch: Any) -> Any:
    base = torch.ones(2, requires_grad=True) * 1
    with torch.inference_mode():
        view = base[0]
        made = torch.ones(2)
    written = raises(lambda: view.mul_(2))
    base.mul_(2)
    part = made[0]
    return written, raises(lambda: view.grad_fn), part.requires_grad, part.is_inference(), raises(lambda: made.add_(1))


@program
def attributes_that_cannot_be_deleted(torch: Any) -> Any:
    x = torch.ones((), requires_grad=True)
    return [raises(lambda name=name: delattr(x, name)) for name in ("data", "requires_grad", "grad")], x.grad


@program
def what_data_can_be_set_to(torch: Any) -> Any:
    x, y = torch.ones(2, requires_grad=True), torch.ones(2)
    y.data = torch.ones(3, dtype=torch.int64)
    wrong = raises(lambda: setattr(x, "data", y)), raises(lambda: setattr(x, "data", 3))
    used = x * x
    x.data = torch.full((2,), 5.0)
    return wrong, y, torch.autograd.grad(used.sum(), x)


@program
def a_saved_input_is_the_tensor_itself(torch: Any) -> Any:
    x, y = torch.ones((), requires_grad=True), torch.ones(())
    z = x * 2
    both, result = (x * y).grad_fn, x.exp()
    return both._saved_other is y, (z * x).grad_fn._saved_self is z, result.grad_fn._saved_result is result


@program
def hooks_on_a_saved_tensor(torch: Any) -> Any:
    x = torch.full((), 2.0, requires_grad=True)
    y, log = x * x, []

    def pack(tensor: Any) -> Any:
        log.append("pack")
        return tensor * 2

    def unpack(packed: Any) -> Any:
        log.append("unpack")
        return packed

    y.grad_fn._raw_saved_self.register_hooks(pack, unpack)
    twice = raises(lambda: y.grad_fn._raw_saved_self.register_hooks(pack, unpack))
    y.backward()
    freed = raises(lambda: y.grad_fn._raw_saved_self.register_hooks(pack, unpack))
    nothing = raises(lambda: (x * 3.0).grad_fn._raw_saved_self.register_hooks(pack, unpack))
    power = x.exp()
    power.grad_fn._raw_saved_result.register_hooks(lambda t: t * 0, lambda t: t)
    writes = raises(lambda: (x * x).grad_fn._raw_saved_self.register_hooks(lambda t: t.detach().add_(1), unpack))
    return log, x.grad, twice, freed, nothing, torch.autograd.grad(power, x), writes


@program
def hooks_on_what_a_function_saved(torch: Any) -> Any:
    class Doubled(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.save_for_backward(x, None, x * 2)
            return x * 2

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            return grad * ctx.saved_tensors[0]

    x = torch.full((), 2.0, requires_grad=True)
    y = Doubled.apply(x)
    raw = y.grad_fn._raw_saved_tensors
    raw[0].register_hooks(lambda t: t * 10, lambda t: t)
    y.backward()
    return len(raw), x.grad


@program
def what_a_context_of_mutation_offers(torch: Any) -> Any:
    with torch.autograd.graph.allow_mutation_on_saved_tensors() as context:
        x = torch.full((2,), 3.0, requires_grad=True)
        y = x.clone()
        z = (y**2).sum()
        before = len(context.cloned)
        y.mul_(0)
        between = len(context.cloned)
        z.backward()
        context.clear()
        return type(context).__name__, before, between, len(context.cloned), len(context.original), x.grad


@program
def gradients_of_what_has_none_need_not_be_made(torch: Any) -> Any:
    def gradient(materialize: bool) -> Any:
        class Both(torch.autograd.Function):
            @staticmethod
            def forward(ctx: Any, x: Any) -> Any:
                ctx._materialize_non_diff_grads = materialize
                first, second = x * 1, x * 2
                ctx.mark_non_differentiable(second)
                return first, second

            @staticmethod
            def backward(ctx: Any, first: Any, second: Any) -> Any:
                return first if second is None else first + 100

        x = torch.ones((), requires_grad=True)
        Both.apply(x)[0].backward()
        return x.grad

    return gradient(True), gradient(False)


@program
def backward_inside_backward_to_any_depth(torch: Any) -> Any:
    class Nested(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any, depth: int) -> Any:
            ctx.depth = depth
            return x.clone()

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            if not ctx.depth:
                return grad * 2, None
            with torch.enable_grad():
                inner = torch.ones((), requires_grad=True)
                Nested.apply(inner, ctx.depth - 1).backward()
            return inner.grad * grad, None

    x = torch.ones((), requires_grad=True)
    Nested.apply(x, 700).backward()
    return x.grad, torch.is_grad_enabled()


@program
def anomaly_mode_where_warnings_are_errors(torch: Any) -> Any:
    class Failing(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x.clone()

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            raise RuntimeError("mine")

    with warnings.catch_warnings(), torch.autograd.set_detect_anomaly(True):
        warnings.simplefilter("error")
        return raises(Failing.apply(torch.ones((), requires_grad=True)).backward)


@program
def old_keywords(torch: Any) -> Any:
    x = torch.ones((), requires_grad=True)
    gradients = [torch.autograd.grad(x * 3, x, only_inputs=flag) for flag in (True, False)]
    torch.autograd.backward(x * 3, grad_variables=torch.full((), 2.0))
    wrong = raises(lambda: torch.ones(()).requires_grad_(value=True)), raises(lambda: torch.ones(()).requires_grad_(1))
    return gradients, x.grad, wrong


@program
def numpys_warnings_stay_inside(torch: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        x = torch.tensor([0.0, 4.0], requires_grad=True)
        y = x.log() * 0 + 1 / x + x**-0.5
        y.sum().backward()
        x.detach().clone().sub_(4).sqrt_()
        return y, x.grad, torch.norm(x.detach(), -1), torch.tensor(3e38) * 10, torch.allclose(x / x, y)


@program
def a_context_restores_what_it_sets_and_nothing_else(torch: Any) -> Any:
    modes = []
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: t):
        torch.set_grad_enabled(False)
    modes.append(torch.is_grad_enabled())
    with warnings.catch_warnings(), torch.autograd.detect_anomaly():
        torch.set_grad_enabled(True)
    modes.append(torch.is_grad_enabled())
    with torch.no_grad():
        torch.autograd.set_detect_anomaly(True)
    modes.append((torch.is_grad_enabled(), torch.is_anomaly_enabled()))
    torch.autograd.set_detect_anomaly(False)
    return modes


@program
def mistakes_that_are_told(torch: Any) -> Any:
    x = torch.ones(2)
    calls = [
        lambda: torch.stack(x),
        lambda: torch.cat(x),
        lambda: torch.nn.MSELoss(x, x),
        lambda: torch.nn.CrossEntropyLoss(x, x),
    ]
    formats = (
        torch.zeros_like(torch.ones(2, 3).T, memory_format=torch.contiguous_format).stride(),
        torch.ones_like(torch.ones(2, 3).T, memory_format=torch.preserve_format).stride(),
    )
    return [raises(call) for call in calls], formats, x.contiguous(memory_format=torch.contiguous_format)


@program
def matrices_that_hold_nan(torch: Any) -> Any:
    bad = torch.tensor([[float("nan"), 1.0], [1.0, 1.0]])
    both = torch.stack([bad, torch.eye(2)])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = torch.linalg.det(bad), torch.linalg.inv(bad), torch.linalg.solve(bad, torch.ones(2))
        return found, torch.linalg.det(both), torch.linalg.inv(both), torch.linalg.det(torch.eye(2) * 1e30)


# Calls of torch.nn that do not fit


@program
def arrays_where_functions_of_nn_want_tensors(torch: Any) -> Any:
    F, array, x, classes = torch.nn.functional, np.ones((2, 3)), torch.ones(2, 3), torch.tensor([0, 1])
    calls: list[Callable[[], Any]] = [
        lambda: torch.nn.Linear(2, 3)(np.ones(2)), lambda: F.linear(x, array), lambda: F.linear(x, x, np.ones(2)),
        lambda: F.linear([1.0], x), lambda: F.cross_entropy(array, classes), lambda: F.cross_entropy(x, np.array([0, 1])),
        lambda: F.cross_entropy(x, [0, 1]), lambda: F.cross_entropy(x, classes, np.ones(3)), lambda: F.nll_loss(array, classes),
        lambda: F.nll_loss(x, 1), lambda: F.kl_div(array, x, reduction="sum"), lambda: F.embedding(np.array([1]), x),
        lambda: F.embedding(classes, array), lambda: F.layer_norm(array, (3,)), lambda: F.one_hot(np.array([1])),
        lambda: F.cosine_similarity(x, array), lambda: F.pairwise_distance(array, x), lambda: F.dropout(array),
        lambda: F.relu(array, inplace=True), lambda: F.leaky_relu(array, inplace=True), lambda: F.threshold(array, 1.0, 2.0),
    ]  # fmt: skip
    return [raises(call) for call in calls]


@program
def threshold_of_integers(torch: Any) -> Any:
    F, x = torch.nn.functional, torch.tensor([1, 2, 3])
    pairs = [(1, 5), (1.5, 5), (1.5, 5.7), (1, -2.5), (2.9, 0), (-1.5, 0), (True, False)]
    of_bytes = [F.threshold(x.to(torch.uint8), *pair) for pair in pairs if min(pair) >= 0]
    return [F.threshold(x, *pair) for pair in pairs], of_bytes, F.threshold(x.clone(), 1.5, 5.7, inplace=True)


@program
def negative_slopes_in_place(torch: Any) -> Any:
    def gradient(form: str, slope: float) -> Any:
        x = torch.tensor([-1.0, 2.0], requires_grad=True)
        getattr(torch.nn.functional, form)(x * 1, slope, inplace=True).sum().backward()
        return x.grad

    slopes = {"elu": (-1.0, 0.0), "celu": (-1.0, 2.0), "leaky_relu": (-0.5, 0.0, 0.5)}
    return [raises(partial(gradient, form, slope)) for form, given in slopes.items() for slope in given]


@program
def probabilities_out_of_range(torch: Any) -> Any:
    loss, half = torch.nn.functional.binary_cross_entropy, torch.tensor([0.5, 0.5])
    wrong = [torch.tensor(values) for values in ([-0.25, 0.5], [1.25, 0.0], [float("nan"), 0.5])]
    return [[raises(partial(loss, half, values)), raises(partial(loss, values, half))] for values in wrong]


@program
def weights_of_losses_that_do_not_broadcast(torch: Any) -> Any:
    zeros, ones = torch.zeros(2, 2), torch.ones(2, 2)
    loss = partial(torch.nn.functional.binary_cross_entropy_with_logits, zeros, ones, reduction="sum")
    weights = [torch.ones(shape) for shape in ((3,), (2, 3), (2, 2, 2), (4,))]
    return [[raises(partial(loss, pos_weight=w)), raises(partial(loss, weight=w))] for w in weights]


@program
def state_dict_by_position(torch: Any) -> Any:
    layer, mine = torch.nn.Linear(1, 1), {}
    same = layer.state_dict(mine) is mine
    return same, list(mine), list(layer.state_dict(None, "a.")), list(layer.state_dict(None, "a.", prefix="b."))


@program
def the_order_of_an_optimizers_options(torch: Any) -> Any:
    made = [make([torch.ones(1)], lr=0.5) for make in (
        torch.optim.SGD, torch.optim.Adam, torch.optim.AdamW, torch.optim.RMSprop, torch.optim.Adagrad)]  # fmt: skip
    return [list(optimizer.defaults) for optimizer in made], made[3].state_dict()["param_groups"]


@program
def a_function_that_sorts(torch: Any) -> Any:
    class Sort(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            values, places = x.sort()
            ctx.save_for_backward(places)
            ctx.mark_non_differentiable(places)
            return values, places

        @staticmethod
        def backward(ctx: Any, g: Any, _: Any) -> Any:
            (places,) = ctx.saved_tensors
            return torch.zeros_like(g).index_add_(0, places, g)

    x = torch.tensor([3.0, 1.0, 2.0], requires_grad=True)
    weights = torch.tensor([1.0, 10.0, 100.0])
    values, places = Sort.apply(x)
    (first,) = torch.autograd.grad((values * values * weights).sum(), x, create_graph=True)
    (second,) = torch.autograd.grad(first.sum(), x)
    return (
        values,
        places,
        places.requires_grad,
        first,
        second,
        torch.autograd.gradcheck(lambda t: Sort.apply(t)[0], x.double()),
    )


@program
def reductions_and_differences_that_are_refused(torch: Any) -> Any:
    empty, both = torch.ones(2, 0), (torch.var_mean, torch.std_mean)
    integers = [raises(partial(form, torch.tensor(values))) for form in both for values in (1, [True, False])]
    dims = [raises(partial(torch.aminmax, empty, dim=dim)) for dim in (None, 0, 1, -1)]
    alone = raises(lambda: torch.aminmax(torch.tensor([]), dim=0)), raises(lambda: True - torch.ones(1))
    return integers, dims, alone


@program
def a_slice_of_a_scalar_is_a_copy(torch: Any) -> Any:
    x = torch.tensor(1.0)
    y = x.index_select(0, torch.tensor([0]))
    return y.add_(1), x


@program
def weights_of_another_dtype(torch: Any) -> Any:
    def between(shape: tuple[int, ...], dtype: Any, weight: Any) -> Any:
        x, y = [torch.full(shape, n, dtype=dtype, requires_grad=dtype.is_floating_point) for n in (1, 3)]
        result = x.lerp(y, weight)
        return result, dtype.is_floating_point and torch.autograd.grad(result.sum(), x)

    dtypes = torch.float16, torch.float32, torch.float64, torch.int64
    weights = [torch.tensor(value, dtype=d) for d in dtypes for value in (0.25, [0.25])]
    return [[raises(partial(between, shape, d, w)) for shape in ((), (1,))] for d in dtypes for w in weights]


@program
def shifts_of_bits(torch: Any) -> Any:
    x, byte = torch.tensor([5, -5, 0]), torch.tensor([200, 3], dtype=torch.uint8)
    counts = [0, 1, 63, 64, -1, torch.tensor([1, 70, -70])]
    refused = [raises(lambda t=t, n=n: t << n) for t in (torch.ones(1), torch.tensor([True])) for n in (1.5, True)]
    bytes_ = byte << 1, byte >> 9, 300 << byte, byte >> torch.tensor(2), torch.tensor([True]) << 2
    in_place = x.clone().bitwise_left_shift_(2), x.clone().bitwise_right_shift_(1)
    numbers = [torch.bitwise_and(6, x), torch.bitwise_left_shift(2, torch.tensor(1, dtype=torch.int8))]
    return [(x << n, x >> n) for n in counts], refused, bytes_, in_place, numbers


@program
def learning_rates_that_are_no_numbers(torch: Any) -> Any:
    x, nan = torch.ones(1), float("nan")
    made = [raises(partial(make, [x], lr=nan)) for make in (torch.optim.SGD, torch.optim.Adam, torch.optim.RMSprop)]
    return made, raises(lambda: torch.optim.SGD([x], momentum=nan, weight_decay=nan).defaults)


@program
def products_of_no_booleans(torch: Any) -> Any:
    def zeros(*shape: int) -> Any:
        return torch.zeros(shape, dtype=torch.bool)

    shapes = [((0,), (0,)), ((2,), (0,)), ((1,), (1,)), ((2,), (3,)), ((), ())]
    outer = [raises(partial(torch.tensordot, zeros(*a), zeros(*b), dims=0)) for a, b in shapes]
    inner = torch.mm(zeros(2, 0), zeros(0, 3)), torch.mv(zeros(0, 2), zeros(2))
    return outer, inner, raises(lambda: torch.dot(zeros(0), zeros(0)))


@program
def sums_of_exponentials_with_booleans(torch: Any) -> Any:
    def gradient(form: Any, other: Any) -> Any:
        x = torch.tensor([1.0, 1.0], requires_grad=True)
        return torch.autograd.grad(form(x, other).sum(), x)

    others = torch.tensor([True, False]), torch.tensor([1, 1]), torch.tensor(True), torch.tensor(1)
    return [raises(partial(gradient, form, t)) for form in (torch.logaddexp, torch.logaddexp2) for t in others]


@program
def thresholds_that_overflow(torch: Any) -> Any:
    values = [-2.5, -0.5, -2, 300, -300, 1e30, float("inf"), float("nan")]
    dtypes = [torch.uint8, torch.int64, torch.float16, torch.float32]
    made = [torch.tensor([1, 2], dtype=dtype) for dtype in dtypes]
    return [raises(partial(torch.nn.functional.threshold, x, 1, value)) for x in made for value in values]


@program
def arrays_in_the_place_of_tensors(torch: Any) -> Any:
    x, array = torch.ones(2), np.ones(2)
    pairs = [raises(partial(form, x, array)) for form in (torch.matmul, torch.maximum, torch.equal, torch.allclose)]
    alone = [raises(partial(form, array)) for form in (torch.sin, torch.sum, torch.nonzero, torch.clone)]
    joined = [raises(lambda: torch.cat([x, array])), raises(lambda: torch.cumsum(x, array))]
    return pairs, alone, joined, raises(lambda: torch.sin(np.float32(1.0)))


@program
def a_root_that_leads_to_no_input_is_not_run(torch: Any) -> Any:
    x, w = (torch.tensor(1.0, requires_grad=True) for _ in range(2))
    x.backward(inputs=[w])
    y = x.exp()
    y.backward(inputs=[w])
    y.backward()
    return x.grad, w.grad


@program
def numbers_follow_the_default_dtype(torch: Any) -> Any:
    whole = torch.ones(2, dtype=torch.int64)
    before = (whole * 0.5).dtype
    torch.set_default_dtype(torch.float64)
    try:
        return before, (whole * 0.5).dtype
    finally:
        torch.set_default_dtype(torch.float32)


@program
def a_gradient_whose_elements_share_memory_is_not_added_to(torch: Any) -> Any:
    x = torch.ones(3, requires_grad=True)
    x.grad = torch.tensor(1.0).expand(3)
    return raises((x * torch.tensor([1.0, 2.0, 3.0])).sum().backward), x.grad


@program
def data_of_an_inference_tensor_is_one_too(torch: Any) -> Any:
    with torch.inference_mode():
        x = torch.tensor(2.0)
    return x.data.is_inference(), raises(lambda: torch.tensor(1.0, requires_grad=True) * x.data)


@program
def data_of_another_dtype_begins_anew(torch: Any) -> Any:
    x = torch.tensor(1.0, requires_grad=True)
    old = x * 2
    x.data = torch.tensor(3.0, dtype=torch.float64)
    (x * 2).backward()
    return old, x.grad


@program
def a_saved_value_detached_and_written_to(torch: Any) -> Any:
    y = torch.tensor(1.0, requires_grad=True).exp()
    z = y * y
    y.detach_().mul_(2)
    return raises(z.backward)


@program
def a_root_gradient_of_rank_0_is_the_users_memory(torch: Any) -> Any:
    x, v = torch.tensor(1.0, requires_grad=True), torch.tensor(2.0)
    (g,) = torch.autograd.grad(x + 1, x, v)
    g.mul_(10)
    return v


@program
def in_place_forms_refuse_what_the_functions_refuse(torch: Any) -> Any:
    x = torch.ones(2)
    calls = (lambda: x.hypot_(2.0), lambda: x.logical_and_(2.0), lambda: x.bitwise_and_(x))
    return [raises(call).partition(":")[0] for call in calls], x
