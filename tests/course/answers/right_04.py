"""Right answers to notebook 04, each written another way."""

import numpy as np

import autograd_teach as torch

RIGHT: list[tuple[str, object]] = []


def right(exercise):
    return lambda answer: RIGHT.append((exercise, answer)) or answer


def fresh(x):
    return x.detach().clone().requires_grad_(True)


# shared_weight_gradient


@right("04.shared_weight_gradient")
def by_backward(w1, w2, x0):
    first, last = fresh(w1), fresh(w1)
    x1 = first @ x0
    q = (last @ (x1 + x0 + w2 @ x1)).norm()
    q.backward()
    print(q)
    return first.grad, last.grad


@right("04.shared_weight_gradient")
def by_difference(w1, w2, x0):
    """The whole gradient, less the contribution of the last use."""
    w = fresh(w1)
    x1 = torch.mv(w, x0)
    x2 = x0 + w2.mv(x1)
    (whole,) = torch.autograd.grad(torch.sqrt((w.mv(x1 + x2) ** 2).sum()), w)
    v = fresh(w1)
    known = (x1 + x2).detach()
    (last,) = torch.autograd.grad(v.mv(known).norm(), v)
    assert last.shape == whole.shape
    return [whole - last, last]


@right("04.shared_weight_gradient")
def by_hand(w1, w2, x0):
    w1, w2, x0 = w1.numpy(), w2.numpy(), x0.numpy()
    x1 = w1 @ x0
    inner = x1 + x0 + w2 @ x1
    x3 = w1 @ inner
    g3 = x3 / np.linalg.norm(x3)
    g1 = w1.T @ g3
    g1 = g1 + w2.T @ g1
    return torch.from_numpy(np.outer(g1, x0)), torch.from_numpy(np.outer(g3, inner))


# unrolled_rnn


@right("04.unrolled_rnn")
def zeros_added(w, u, xs, h0):
    """With nothing to run, the leaf takes part all the same, times zero."""
    leaf, h = fresh(w), h0
    for x in xs:
        h = torch.tanh(leaf @ h + u @ x)
        if h.sum() > 1:
            break
    (gradient,) = torch.autograd.grad(h.sum() + 0 * leaf.sum(), leaf)
    return h, gradient


@right("04.unrolled_rnn")
def while_loop(w, u, xs, h0):
    leaf, h, step = fresh(w), h0.clone(), 0
    while step < len(xs) and (step == 0 or h.sum().item() <= 1):
        h = (leaf.mv(h) + u.mv(xs[step])).tanh()
        step += 1
    print("steps:", step)
    if step:
        h.sum().backward()
    return [h.detach(), torch.zeros_like(w) if leaf.grad is None else leaf.grad]


@right("04.unrolled_rnn")
def copies_added_up(w, u, xs, h0):
    copies, h = [], h0
    for x in xs:
        copies.append(fresh(w))
        h = torch.tanh(copies[-1] @ h + u @ x)
        if float(h.sum()) > 1.0:
            break
    total = torch.zeros_like(w)
    for each in torch.autograd.grad(h, copies, torch.ones_like(h)) if copies else ():
        total = total + each
    assert total.shape == w.shape
    return h, total


# More ways


@right("04.shared_weight_gradient")
def by_hooks(w1, w2, x0):
    """Each use reads its own view of one leaf; a hook notes what comes back through it."""
    leaf, found = fresh(w1), {}
    uses = []
    for number in range(2):
        use = leaf.clone()
        use.register_hook(lambda g, number=number: found.__setitem__(number, g))
        uses.append(use)
    x1 = uses[0] @ x0
    (uses[1] @ (x1 + x0 + w2 @ x1)).norm().backward()
    return found[0], found[1]


@right("04.shared_weight_gradient")
def one_stack_of_two(w1, w2, x0):
    pair = torch.stack([w1, w1]).requires_grad_()
    x1 = (pair[0] * x0).sum(1)
    x3 = (pair[1] * (x0 + (w2 * x1).sum(1) + x1)).sum(1)
    (x3 * x3).sum().sqrt().backward()
    return pair.grad


@right("04.unrolled_rnn")
def by_recursion(w, u, xs, h0):
    leaf = fresh(w)

    def after(h, rest):
        if len(rest) == 0:
            return h
        new = torch.tanh(leaf.matmul(h) + u.matmul(rest[0]))
        return new if new.sum() > 1 else after(new, rest[1:])

    h = after(h0 + 0 * leaf.sum(), xs)
    return h, torch.autograd.grad(h, leaf, torch.ones_like(h))[0]


@right("04.unrolled_rnn")
def counts_first(w, u, xs, h0):
    """Finds the number of steps without recording, then runs just so many."""
    h, steps = h0, 0
    with torch.no_grad():
        for steps, x in enumerate(xs, 1):
            h = torch.tanh(w @ h + u @ x)
            if h.sum() > 1:
                break
    leaf, state = fresh(w), h0
    for number in range(steps):
        state = torch.tanh(leaf @ state + u @ xs[number])
    gradient = torch.autograd.grad(state.sum(), leaf)[0] if steps else leaf.detach() * 0
    return state, gradient


@right("04.unrolled_rnn")
def forward_mode_by_hand(w, u, xs, h0):
    """Carries the derivative along with the state."""
    h = h0.numpy()
    slopes = np.zeros((len(h), *w.shape))
    for x in xs.numpy():
        direct = np.einsum("ij,k->ijk", np.eye(len(h)), h)
        slopes = direct + np.einsum("ij,jkl->ikl", w.numpy(), slopes)
        h = np.tanh(w.numpy() @ h + u.numpy() @ x)
        slopes = (1 - h**2)[:, None, None] * slopes
        if h.sum() > 1:
            break
    return torch.tensor(h), torch.tensor(slopes.sum(axis=0))


@right("04.unrolled_rnn")
def tanh_by_a_sigmoid(w, u, xs, h0):
    leaf, h = fresh(w), h0
    for x in xs:
        h = 2 * torch.sigmoid(2 * (leaf @ h + u @ x)) - 1
        if not h.sum() <= 1:
            break
    return h.detach(), torch.autograd.grad(h.sum() + 0 * leaf.sum(), leaf)[0]
