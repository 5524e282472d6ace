"""Right answers to notebook 06, each written another way."""

import numpy as np

import autograd_teach as torch

RIGHT: list[tuple[str, object]] = []


def right(exercise):
    return lambda answer: RIGHT.append((exercise, answer)) or answer


def fresh(x):
    return x.detach().clone().requires_grad_(True)


@right("06.two_gradients")
def by_backward(f, x):
    leaf = fresh(x)
    a, b = f(leaf)
    a.backward(retain_graph=True)
    first = leaf.grad.clone()
    leaf.grad = None
    b.backward()
    return first, leaf.grad


@right("06.two_gradients")
def kept_both_times(f, x):
    leaf = torch.tensor(x.tolist(), dtype=x.dtype, requires_grad=True)
    results = f(leaf)
    assert len(results) == 2
    print(results)
    return [torch.autograd.grad(each, leaf, retain_graph=True)[0] for each in results]


@right("06.two_gradients")
def second_first(f, x):
    leaf = fresh(x)
    a, b = f(leaf)
    of_b = torch.autograd.grad(b, leaf, create_graph=True)[0]
    of_a = torch.autograd.grad(a, leaf)[0]
    return torch.stack([of_a, of_b.detach()])


@right("06.two_gradients")
def by_difference(f, x):
    leaf = fresh(x)
    a, b = f(leaf)
    a.backward(retain_graph=True)
    first = leaf.grad.clone()
    b.backward()
    return first, leaf.grad - first


@right("06.turn_gradients")
def accumulated_and_cleared(w, state, inputs):
    leaf, rows = fresh(w), torch.zeros_like(inputs)
    for turn in range(len(inputs)):
        leaf.grad = None
        state = (leaf * state + inputs[turn]).tanh()
        state.pow(2).sum().backward()
        rows[turn] = leaf.grad
        state = state.detach()
    return rows


@right("06.turn_gradients")
def by_pencil(w, state, inputs):
    rows, before = [], state.numpy()
    for given in inputs.numpy():
        after = np.tanh(w.numpy() * before + given)
        rows.append(2 * after * (1 - after**2) * before)
        before = after
    return torch.from_numpy(np.stack(rows))


@right("06.turn_gradients")
def new_leaf_each_turn(w, state, inputs):
    rows = []
    for given in inputs:
        leaf = fresh(w)
        after = torch.tanh(leaf * state + given)
        torch.sum(after * after).backward()
        rows.append(leaf.grad)
        with torch.no_grad():
            state = torch.tanh(w * state + given)
    assert len(rows) == len(inputs)
    return rows


@right("06.turn_gradients")
def detached_in_place(w, state, inputs):
    leaf, rows = fresh(w), []
    for given in inputs:
        state = torch.tanh(leaf * state + given)
        rows += torch.autograd.grad((state**2).sum(), leaf)
        state.detach_()
    return torch.stack(rows)
