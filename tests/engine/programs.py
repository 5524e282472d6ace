"""Small programs about autograd's behaviour: what they return, print, warn and raise must be what PyTorch's do.

Each takes the library as `torch` and returns plain data; numbers in it are exact in binary, so that text compares. The outcomes
recorded from PyTorch are in `programs.json`, written by `tests/parity/record_operations.py`; tests/parity compares with PyTorch.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from typing import Any

from tests.engine.samples import graph_text

PROGRAMS: dict[str, Callable[[Any], Any]] = {}


def program(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    PROGRAMS[function.__name__] = function
    return function


def outcome(torch: Any, function: Callable[[Any], Any]) -> dict[str, Any]:
    """What a program did, as text without addresses."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
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

    x = torch.ones(2, requires_grad=True)
    return [
        raises(lambda: Old()(x)),
        raises(lambda: NoBackward.apply(x).sum().backward()),
        raises(lambda: Nothing.apply(x)),
        raises(lambda: SavesANumber.apply(x)),
    ]


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
def the_sign_of_zero_gradients(torch: Any) -> Any:
    x = torch.tensor([-2.0, 0.0, 3.0], requires_grad=True)
    results = []
    for f in (lambda t: t.abs(), lambda t: t.relu(), lambda t: t.clamp(min=0), lambda t: t.sign()):
        results.append(torch.autograd.grad(f(x), x, torch.tensor([-1.0, -1.0, float("inf")])))
    return results
