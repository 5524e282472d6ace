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
    return torch.stack(rows)


@right("06.turn_gradients")
def detached_in_place(w, state, inputs):
    leaf, rows = fresh(w), []
    for given in inputs:
        state = torch.tanh(leaf * state + given)
        rows += torch.autograd.grad((state**2).sum(), leaf)
        state.detach_()
    return torch.stack(rows)


@right("06.two_gradients")
def by_a_jacobian(f, x):
    """Both numbers in one tensor, a row of the Jacobian for each."""
    leaf = fresh(x)
    numbers = torch.stack(f(leaf))
    rows = (torch.autograd.grad(numbers, leaf, one_hot, retain_graph=True) for one_hot in torch.eye(2, dtype=x.dtype))
    return tuple(row for (row,) in rows)


@right("06.two_gradients")
def with_a_history(f, x):
    leaf = fresh(x)
    first, second = f(leaf)
    return [torch.autograd.grad(each, [leaf], create_graph=True)[0] for each in (first, second)]


@right("06.turn_gradients")
def states_first(w, state, inputs):
    """All states without recording; then one graph for all turns, with a copy of w for each."""
    states = [state]
    with torch.no_grad():
        for given in inputs:
            states.append(torch.tanh(w * states[-1] + given))
    copies = torch.stack([w] * len(inputs)).requires_grad_()
    after = torch.tanh(copies * torch.stack(states[:-1]) + inputs)
    return torch.autograd.grad(after.square().sum(), copies)[0]


@right("06.turn_gradients")
def through_a_leaf_state(w, state, inputs):
    """The state before is a leaf of its own; its gradient is asked for and thrown away."""
    found, leaf = [], fresh(w)
    for given in inputs:
        before = fresh(state)
        after = torch.tanh(torch.addcmul(given, leaf, before))
        gradient, _ = torch.autograd.grad(after, (leaf, before), grad_outputs=2 * after.detach(), create_graph=True)
        found.append(gradient)
        state = after
    return torch.stack(found)
