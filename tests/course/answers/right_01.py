"""Right answers to notebook 01, each written another way."""

import copy

import autograd_teach as torch

RIGHT: list[tuple[str, object]] = []


def right(exercise):
    return lambda answer: RIGHT.append((exercise, answer)) or answer


@right("01.predict_flags")
def by_running():
    a = torch.randn(3, requires_grad=True)
    b = torch.zeros(3)
    c = a * 0.1
    d = b + 1
    e = c + d
    f = e.detach()
    g = a > 0
    named = {"a": a, "b": b, "c": c, "d": d, "e": e, "f": f, "g": g}
    return {n: {"requires_grad": t.requires_grad, "is_leaf": t.is_leaf} for n, t in named.items()}


@right("01.predict_flags")
def from_sets():
    needs, leaves = set("ace"), set("abdfg")
    print(needs, leaves)
    return {n: {"is_leaf": n in leaves, "requires_grad": n in needs} for n in "gfedcba"}


@right("01.predict_flags")
def from_rows():
    rows = "a 1 1,b 0 1,c 1 0,d 0 1,e 1 0,f 0 1,g 0 1"
    table = {}
    for row in rows.split(","):
        name, needs, leaf = row.split()
        table[name] = {"requires_grad": bool(int(needs)), "is_leaf": leaf == "1"}
    return table


@right("01.make_trainable")
def from_a_list(values):
    dtype = values.dtype if values.dtype.is_floating_point else torch.float32
    return torch.tensor(values.tolist(), dtype=dtype, requires_grad=True)


@right("01.make_trainable")
def flag_as_attribute(values):
    leaf = values.to(values.dtype if values.is_floating_point() else torch.float32, copy=True)
    leaf.requires_grad = True
    return leaf


@right("01.make_trainable")
def deep_copy(values):
    leaf = copy.deepcopy(values)
    leaf = leaf if leaf.is_floating_point() else leaf.float()
    assert leaf.grad_fn is None
    return leaf.requires_grad_(True)


@right("01.predict_flags")
def flags_as_tensors():
    return {n: {"requires_grad": torch.tensor(n in "ace"), "is_leaf": n not in "ce"} for n in "abcdefg"}


@right("01.make_trainable")
def filled(values):
    dtype = values.dtype if values.is_floating_point() else torch.float32
    leaf = torch.empty(values.shape, dtype=dtype)
    leaf.copy_(values)
    return leaf.requires_grad_()


@right("01.make_trainable")
def by_numpy(values):
    numbers = values.numpy().copy()
    return torch.from_numpy(numbers if numbers.dtype.kind == "f" else numbers.astype("float32")).requires_grad_()


@right("01.make_trainable")
def computed_then_detached(values):
    return (values * 1.0 if values.is_floating_point() else values / 1.0).detach().requires_grad_()


@right("01.make_trainable")
def added_to_zeros(values):
    dtype = values.dtype if values.is_floating_point() else torch.float32
    return torch.zeros(values.shape, dtype=dtype).add_(values).requires_grad_()
