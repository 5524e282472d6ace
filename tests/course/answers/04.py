"""Answers to notebook 04: see tests/course/table.py."""

# %% 04.shared_weight_gradient right: by backward
def fresh(x):
    return x.detach().clone().requires_grad_(True)


def shared_weight_gradient(w1, w2, x0):
    first, last = fresh(w1), fresh(w1)
    x1 = first @ x0
    q = (last @ (x1 + x0 + w2 @ x1)).norm()
    q.backward()
    print(q)
    return first.grad, last.grad

# %% 04.shared_weight_gradient right: by difference
def fresh(x):
    return x.detach().clone().requires_grad_(True)


def shared_weight_gradient(w1, w2, x0):
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

# %% 04.shared_weight_gradient right: by hand
import numpy as np


def shared_weight_gradient(w1, w2, x0):
    w1, w2, x0 = w1.numpy(), w2.numpy(), x0.numpy()
    x1 = w1 @ x0
    inner = x1 + x0 + w2 @ x1
    x3 = w1 @ inner
    g3 = x3 / np.linalg.norm(x3)
    g1 = w1.T @ g3
    g1 = g1 + w2.T @ g1
    return torch.from_numpy(np.outer(g1, x0)), torch.from_numpy(np.outer(g3, inner))

# %% 04.shared_weight_gradient right: by hooks
def fresh(x):
    return x.detach().clone().requires_grad_(True)


def shared_weight_gradient(w1, w2, x0):
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

# %% 04.shared_weight_gradient right: one stack of two
def shared_weight_gradient(w1, w2, x0):
    pair = torch.stack([w1, w1]).requires_grad_()
    x1 = (pair[0] * x0).sum(1)
    x3 = (pair[1] * (x0 + (w2 * x1).sum(1) + x1)).sum(1)
    (x3 * x3).sum().sqrt().backward()
    return pair.grad

# %% 04.shared_weight_gradient right: two leaves, one for each use, and one call of grad
def shared_weight_gradient(w1, w2, x0):
    first = w1.detach().clone().requires_grad_()
    last = w1.detach().clone().requires_grad_()
    x1 = first @ x0
    x2 = x0 + w2 @ x1
    x3 = last @ (x1 + x2)
    return torch.autograd.grad(x3.norm(), (first, last))

# %% 04.shared_weight_gradient right: a single leaf, the whole gradient and the last contribution (other input detached); the first is the difference
def shared_weight_gradient(w1, w2, x0):
    w = w1.detach().clone().requires_grad_()
    x1 = w @ x0
    s = x1 + x0 + w2 @ x1
    (whole,) = torch.autograd.grad(torch.linalg.norm(w @ s), w)
    last_use = (w @ s.detach()).pow(2).sum().sqrt()
    (last,) = torch.autograd.grad(last_use, w)
    return [whole - last, last]

# %% 04.shared_weight_gradient right: by hand, with the chain rule and outer products
def shared_weight_gradient(w1, w2, x0):
    x1 = w1 @ x0
    s = x1 + x0 + w2 @ x1
    x3 = w1 @ s
    u = x3 / x3.norm()
    gs = w1.T @ u
    gx1 = gs + w2.T @ gs
    return torch.outer(gx1, x0), torch.outer(u, s)

# %% 04.shared_weight_gradient right: one leaf that stacks two copies of w1; its gradient is unbound into two
def shared_weight_gradient(w1, w2, x0):
    both = torch.stack([w1, w1]).detach().requires_grad_()
    a, b = both
    x1 = a.mv(x0)
    x3 = b.mv(x1 + (x0 + w2.mv(x1)))
    torch.norm(x3).backward()
    return tuple(both.grad.unbind(0))

# %% 04.shared_weight_gradient right: one leaf with both copies of w1 stacked; its gradient has both contributions
def shared_weight_gradient(w1, w2, x0):
    both = torch.stack([w1, w1]).requires_grad_()
    x1 = both[0] @ x0
    x2 = x0 + w2 @ x1
    q = ((both[1] @ (x1 + x2)) ** 2).sum().sqrt()
    q.backward()
    return list(both.grad)

# %% 04.shared_weight_gradient wrong: the two contributions are in the wrong order: last use first
expect("known", "the two contributions have changed places")
edit("x3 = last @ (x1 + x2)", "x3 = (last @ (x1 + x2)).norm()",
     "return torch.autograd.grad(x3.norm(), [first, last])", "return torch.autograd.grad(x3, (last, first))")

# %% 04.shared_weight_gradient wrong: one leaf for both uses: the whole gradient is returned twice instead of the two contributions
expect("known", "both tensors are the whole gradient of w1: each use needs a leaf of its own")
edit("x1 = first @ x0", "x1 = last @ x0",
     "\n    return torch.autograd.grad(x3.norm(), [first, last])",
     "\n    x3.norm().backward()\n    return last.grad, last.grad")

# %% 04.shared_weight_gradient wrong: the sum of the two contributions is returned as one tensor, not the pair
expect("known", "this is the sum of the two contributions, the whole gradient of w1: the result must be")
edit("\n    return torch.autograd.grad(x3.norm(), [first, last])",
     "\n    x3.norm().backward()\n    return first.grad + last.grad")

# %% 04.shared_weight_gradient wrong: x0 is forgotten in the formula of x2
expect("known", "x2: `x0` is left out")
edit("x2 = x0 + w2 @ x1", "x2 = w2 @ x1")

# %% 04.shared_weight_gradient wrong: x3 uses only x2, x1 is forgotten in the sum
expect("known", "x3: x1 is left out")
edit("x3 = last @ (x1 + x2)", "x3 = last @ x2")

# %% 04.shared_weight_gradient wrong: the entrywise product is used instead of the matrix product
expect("known", "the products are taken entry by entry, but they must be products of matrices")
edit("x1 = first @ x0", "x1 = first * x0",
     "x2 = x0 + w2 @ x1", "x2 = x0 + w2 * x1",
     "x3 = last @ (x1 + x2)", "x3 = last * (x1 + x2)")

# %% 04.shared_weight_gradient wrong: the vectors stand on the left of the matrices, so every matrix is transposed
expect("known", "every matrix is transposed: `a @ b` multiplies the matrix a by the vector b")
edit("x1 = first @ x0", "x1 = x0 @ first",
     "x2 = x0 + w2 @ x1", "x2 = x0 + x1 @ w2",
     "x3 = last @ (x1 + x2)", "x3 = (x1 + x2) @ last")

# %% 04.shared_weight_gradient wrong: the given w1 itself is made a leaf that requires grad: it still requires grad and has a .grad afterwards
expect("leaves_a_trace", "w1 has a `.grad` after the call, but the caller's tensor must not change: use a copy of")
edit("first = w1.detach().clone().requires_grad_()", "first = w1.requires_grad_()",
     "\n    return torch.autograd.grad(x3.norm(), [first, last])",
     "\n    x3.norm().backward()\n    return first.grad, last.grad")

# %% 04.shared_weight_gradient wrong: x1 is detached in the formula of x2, so the first contribution misses the way through w2
expect("known", "the first contribution lacks a part: x1 reaches the result in two ways, and only the direct")
edit("x2 = x0 + w2 @ x1", "x2 = x0 + w2 @ x1.detach()")

# %% 04.shared_weight_gradient wrong: two backward calls on one leaf without clearing .grad: the last contribution is accumulated onto the first
expect("known", "the second tensor is the whole gradient of w1: it must have the last use alone")
def shared_weight_gradient(w1, w2, x0):
    w = w1.detach().clone().requires_grad_()
    fixed = w1.detach()
    x1 = w @ x0
    (fixed @ (x1 + x0 + w2 @ x1)).norm().backward()
    first = w.grad.clone()
    x1 = fixed @ x0
    (w @ (x1 + x0 + w2 @ x1)).norm().backward()
    last = w.grad.clone()
    return first, last

# %% 04.shared_weight_gradient wrong: x0 is changed in place: w2 x1 is added to the argument itself
expect("argument_changed", "the argument x0 is changed by the call: work on a copy of it")
edit("def shared_weight_gradient(w1, w2, x0):", "def shared_weight_gradient(w1, w2, x0_):",
     "last = w1.detach().clone().requires_grad_()\n    x1 = first @ x0",
     "last = w1.detach().clone().requires_grad_()\n    x0 = x0_.clone()\n    x1 = first @ x0",
     "x2 = x0 + w2 @ x1", "x2 = x0 + w2 @ x1\n    x0_ += (w2 @ x1).detach()", of="two leaves")

# %% 04.shared_weight_gradient wrong: halves the whole gradient instead of telling the two uses apart
expect("known", "both tensors are half the whole gradient of w1, but the two uses contribute differently")
edit("x1 = first @ x0", "x1 = last @ x0",
     "x3 = last @ (x1 + x2)", "first = ( last @ (x1 + x2)",
     "\n    return torch.autograd.grad(x3.norm(), [first, last])",
     ").norm()\n    first.backward()\n    return last.grad / 2, last.grad / 2")

# %% 04.shared_weight_gradient wrong: x1 is detached where it enters x3 directly, so the first contribution has only the way through x2
expect("known", "the first contribution lacks a part: x1 reaches the result in two ways, and only the way")
edit("x3 = last @ (x1 + x2)", "x3 = last @ (x1.detach() + x2)")

# %% 04.shared_weight_gradient wrong: first use twice
expect("wrong_value", "result[1] is wrong in every entry, farthest off")
edit("\n\ndef shared_weight_gradient(w1, w2, x0):", "\ndef both(w1, w2, x0):",
     "q = (last @ (x1 + x0 + w2 @ x1)).norm()",
     "return torch.autograd.grad((last @ (x1 + x0 + w2 @ x1)).norm(), [first, last])\n"
     "def shared_weight_gradient(w1, w2, x0):",
     "q.backward()\n    print(q)", "first, _ = both(w1, w2, x0)",
     "return first.grad, last.grad", "return first, first.clone()", of="by backward")

# %% 04.shared_weight_gradient wrong: zeros for the cut one
expect("zero", "result[0] is zero everywhere, which is wrong; result[1] is right")
edit("x1 = first @ x0", "x1 = (first @ x0).detach()",
     "q.backward()\n    print(q)\n    return first.grad, last.grad",
     "return torch.autograd.grad(q, [first, last], allow_unused=True, materialize_grads=True)", of="by backward")

# %% 04.shared_weight_gradient wrong: taken from the wrong side
expect("factor", "result[1] is right but for its sign: it is minus what it must be")
edit("\n\ndef shared_weight_gradient(w1, w2, x0):", "\ndef both(w1, w2, x0):",
     "q = (last @ (x1 + x0 + w2 @ x1)).norm()",
     "return torch.autograd.grad((last @ (x1 + x0 + w2 @ x1)).norm(), [first, last])\n"
     "def shared_weight_gradient(w1, w2, x0):",
     "q.backward()\n    print(q)", "first, last = both(w1, w2, x0)",
     "return first.grad, last.grad", "return first, first - (first + last)", of="by backward")

# %% 04.shared_weight_gradient wrong: half the square
expect("some_values", "the result is wrong")
def fresh(x):
    return x.detach().clone().requires_grad_(True)


def contributions_to(q, w1, w2, x0):
    first, last = fresh(w1), fresh(w1)
    return torch.autograd.grad(q(first, last, w2, x0), [first, last])


def shared_weight_gradient(w1, w2, x0):
    return contributions_to(lambda a, b, w2, x0: ((b @ (a @ x0 + x0 + w2 @ (a @ x0))) ** 2).sum() / 2, w1, w2, x0)

# %% 04.shared_weight_gradient wrong: nested lists
expect("type", "it must be a tensor")
def fresh(x):
    return x.detach().clone().requires_grad_(True)


def both(w1, w2, x0):
    first, last = fresh(w1), fresh(w1)
    x1 = first @ x0
    return torch.autograd.grad((last @ (x1 + x0 + w2 @ x1)).norm(), [first, last])


def shared_weight_gradient(w1, w2, x0):
    return [each.tolist() for each in both(w1, w2, x0)]

# %% 04.shared_weight_gradient wrong: w1 itself
expect("raised", "were given without it", never=("nothing was recorded between the leaf and it",))
def shared_weight_gradient(w1, w2, x0):
    x1 = w1 @ x0
    x3 = w1 @ (x1 + x0 + w2 @ x1)
    return torch.autograd.grad(x3.norm(), [w1, w1])

# %% 04.shared_weight_gradient wrong: single tensor
expect("length", "the result is a tensor of shape (1, 1), it must be a list or tuple of 2 entries",
       never=("has 1 entry",))
def shared_weight_gradient(w1, w2, x0):
    return w1

# %% 04.shared_weight_gradient wrong: squared norm
expect("known", "q is the squared norm in yours", never=(": q is the squared norm",))
edit("return torch.autograd.grad(x3.norm(), [first, last])",
     "return torch.autograd.grad((x3**2).sum(), [first, last])")

# %% 04.shared_weight_gradient wrong: a little added to the square
expect("some_values", "the result is wrong", never=("wrong at [0], [1]",))
edit("torch.autograd.grad(x3.norm(), [first, last])", "torch.autograd.grad((x3 @ x3 + 2e-5) ** 0.5, (first, last))")

# %% 04.shared_weight_gradient wrong: the first tensor is the whole gradient, because the last contribution is not subtracted
expect("known", "the first tensor is the whole gradient of w1: it must have the first use alone")
def shared_weight_gradient(w1, w2, x0):
    w = w1.clone().requires_grad_(True)

    def network(cut):
        x1 = w @ x0
        if cut:
            x1 = x1.detach()
        x2 = x0 + w2 @ x1
        x3 = w @ (x1 + x2)
        return (x3 ** 2).sum().sqrt()

    # with the first use cut off, only the last one is left
    last, = torch.autograd.grad(network(True), w)
    first, = torch.autograd.grad(network(False), w)
    return first, last

# %% 04.shared_weight_gradient wrong: w2 is not transposed on the way back (the example's w2 is diagonal)
expect("known", "w2 is not transposed where a gradient goes back through it")
def shared_weight_gradient(w1, w2, x0):
    x1 = w1 @ x0
    x2 = x0 + w2 @ x1
    x3 = w1 @ (x1 + x2)
    q = (x3 ** 2).sum().sqrt()
    g3 = x3 / q
    gsum = w1.t() @ g3
    g1 = gsum + w2 @ gsum
    first = g1.unsqueeze(1) * x0
    last = g3.unsqueeze(1) * (x1 + x2)
    return first, last

# %% 04.shared_weight_gradient wrong: both tables of products are transposed
expect("known", "rows and columns of both tensors have changed places")
def shared_weight_gradient(w1, w2, x0):
    x1 = w1 @ x0
    x2 = x0 + w2 @ x1
    total = x1 + x2
    x3 = w1 @ total
    n = x3 / (x3 * x3).sum().sqrt()
    back = w1.t() @ n
    back = back + w2.t() @ back
    return (x0.unsqueeze(1) * back, total.unsqueeze(1) * n)

# %% 04.unrolled_rnn right: zeros added
def fresh(x):
    return x.detach().clone().requires_grad_(True)


def unrolled_rnn(w, u, xs, h0):
    """With nothing to run, the leaf takes part all the same, times zero."""
    leaf, h = fresh(w), h0
    for x in xs:
        h = torch.tanh(leaf @ h + u @ x)
        if h.sum() > 1:
            break
    (gradient,) = torch.autograd.grad(h.sum() + 0 * leaf.sum(), leaf)
    return h, gradient

# %% 04.unrolled_rnn right: while loop
def fresh(x):
    return x.detach().clone().requires_grad_(True)


def unrolled_rnn(w, u, xs, h0):
    leaf, h, step = fresh(w), h0.clone(), 0
    while step < len(xs) and (step == 0 or h.sum().item() <= 1):
        h = (leaf.mv(h) + u.mv(xs[step])).tanh()
        step += 1
    print("steps:", step)
    if step:
        h.sum().backward()
    return [h.detach(), torch.zeros_like(w) if leaf.grad is None else leaf.grad]

# %% 04.unrolled_rnn right: copies added up
def fresh(x):
    return x.detach().clone().requires_grad_(True)


def unrolled_rnn(w, u, xs, h0):
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

# %% 04.unrolled_rnn right: by recursion
def fresh(x):
    return x.detach().clone().requires_grad_(True)


def unrolled_rnn(w, u, xs, h0):
    leaf = fresh(w)

    def after(h, rest):
        if len(rest) == 0:
            return h
        new = torch.tanh(leaf.matmul(h) + u.matmul(rest[0]))
        return new if new.sum() > 1 else after(new, rest[1:])

    h = after(h0 + 0 * leaf.sum(), xs)
    return h, torch.autograd.grad(h, leaf, torch.ones_like(h))[0]

# %% 04.unrolled_rnn right: counts first
def fresh(x):
    return x.detach().clone().requires_grad_(True)


def unrolled_rnn(w, u, xs, h0):
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

# %% 04.unrolled_rnn right: forward mode by hand
import numpy as np


def unrolled_rnn(w, u, xs, h0):
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

# %% 04.unrolled_rnn right: tanh by a sigmoid
def fresh(x):
    return x.detach().clone().requires_grad_(True)


def unrolled_rnn(w, u, xs, h0):
    leaf, h = fresh(w), h0
    for x in xs:
        h = 2 * torch.sigmoid(2 * (leaf @ h + u @ x)) - 1
        if not h.sum() <= 1:
            break
    return h.detach(), torch.autograd.grad(h.sum() + 0 * leaf.sum(), leaf)[0]

# %% 04.unrolled_rnn right: a for loop with break; 0 * leaf.sum() makes the loss depend on the leaf even without rows
def unrolled_rnn(w, u, xs, h0):
    leaf = w.detach().clone().requires_grad_()
    h = h0.clone()
    for x in xs:
        h = torch.tanh(leaf @ h + u @ x)
        if h.sum() > 1:
            break
    total = h.sum() + 0 * leaf.sum()
    return h, torch.autograd.grad(total, leaf)[0]

# %% 04.unrolled_rnn right: a while loop over the index, an early return if there are no rows
def unrolled_rnn(w, u, xs, h0):
    if xs.shape[0] == 0:
        return [h0.clone(), torch.zeros_like(w)]
    weight = w.detach().clone().requires_grad_()
    h, i, go_on = h0, 0, True
    while go_on:
        h = (weight.mv(h) + u.mv(xs[i])).tanh()
        i += 1
        go_on = i < len(xs) and not h.sum().item() > 1
    h.sum().backward()
    return [h.detach(), weight.grad]

# %% 04.unrolled_rnn right: backpropagation through time by hand, without autograd
def unrolled_rnn(w, u, xs, h0):
    states = [h0]
    for i in range(xs.shape[0]):
        states.append(torch.tanh(w @ states[-1] + u @ xs[i]))
        if states[-1].sum() > 1.0:
            break
    gradient = torch.zeros_like(w)
    g = torch.ones_like(h0)
    for t in range(len(states) - 1, 0, -1):
        g = g * (1 - states[t] ** 2)
        gradient = gradient + torch.outer(g, states[t - 1])
        g = w.T @ g
    return states[-1], gradient

# %% 04.unrolled_rnn right: recursion over the remaining rows
def unrolled_rnn(w, u, xs, h0):
    def run(weight, h, rows):
        if len(rows) == 0:
            return h
        h = torch.tanh(weight @ h + u @ rows[0])
        return h if float(h.sum()) > 1 else run(weight, h, rows[1:])
    weight = w.detach().clone().requires_grad_()
    h = run(weight, h0, xs)
    if h is h0:
        return h0.clone(), w.new_zeros(w.shape)
    (g,) = torch.autograd.grad(h.sum(), weight, allow_unused=True)
    return h, g

# %% 04.unrolled_rnn right: the backward pass by hand, through the stored states, without autograd
def unrolled_rnn(w, u, xs, h0):
    states = [h0.clone()]
    k = 0
    while k < xs.shape[0] and (k == 0 or not states[-1].sum().item() > 1):
        states.append(torch.tanh(w @ states[-1] + u @ xs[k]))
        k += 1
    gradient = torch.zeros_like(w)
    d = torch.ones_like(h0)
    for step in range(k, 0, -1):
        inner = d * (1 - states[step] ** 2)
        gradient = gradient + torch.outer(inner, states[step - 1])
        d = w.t() @ inner
    return states[-1], gradient

# %% 04.unrolled_rnn wrong: the sum is tested before the step, so no step runs when the sum of h0 is above 1
expect("known", "the loop can end before its first step, as the sum of h0 counts too: only the sum of a")
edit("for x in xs:", "for x in xs:\n        if h.sum() > 1:\n            break")

# %% 04.unrolled_rnn wrong: for an xs without rows the gradient is None instead of zeros
expect("type", "result[1] is None, it must be a tensor of shape")
edit("(gradient,) = torch.autograd.grad(h.sum() + 0 * leaf.sum(), leaf)\n    return h, gradient",
     "if h.requires_grad:\n        h.sum().backward()\n    return h.detach(), leaf.grad", of="zeros added")

# %% 04.unrolled_rnn wrong: the loop never ends early: it reads all rows
expect("known", "the loop goes on to the last row of xs: it must end after the first step whose new")
edit("x)\n        if h.sum() > 1:\n            break", "x)")

# %% 04.unrolled_rnn wrong: when the sum gets above 1 the loop ends before it stores the new state: the state before that step is returned
expect("known", "the state whose sum is above 1 is left out: the loop ends after this step, and this is")
def unrolled_rnn(w, u, xs, h0):
    leaf = w.detach().clone().requires_grad_()
    h = h0 + 0 * leaf.sum()
    for x in xs:
        new = torch.tanh(leaf @ h + u @ x)
        if new.sum() > 1:
            break
        h = new
    h.sum().backward()
    return h.detach(), leaf.grad

# %% 04.unrolled_rnn wrong: the loop ends when the absolute value of the sum is above 1, so it ends too early with negative states
expect("known", "the loop ends when the size of the sum is above 1, but it must end when the sum of the")
edit("if h.sum() > 1:", "if abs(h.sum()) > 1:", of="a for loop")

# %% 04.unrolled_rnn wrong: backward is called at each step on the running state, so the gradients of all states pile up in .grad
expect("known", "this is the gradient of the sums of all states, added up, not of the sum of the last")
edit("h = h0.clone()", "h = h0 + 0 * leaf.sum()\n    h.sum().backward(retain_graph=True)",
     "h = torch.tanh(leaf @ h + u @ x)\n        if h.sum() > 1:",
     "h = torch.tanh(leaf @ h + u @ x)\n        h.sum().backward(retain_graph=True)\n        if h.sum() > 1:",
     "total = h.sum() + 0 * leaf.sum()\n    return h, torch.autograd.grad(total, leaf)[0]",
     "return h.detach(), leaf.grad", of="a for loop")

# %% 04.unrolled_rnn wrong: the mean of the last state is differentiated instead of the sum
expect("known", "the number whose gradient is taken: this is the mean, but it must be the sum")
edit("h = h0.clone()", "h = h0 + 0 * leaf.sum()",
     "break\n    total = h.sum() + 0 * leaf.sum()", "break\n    h.mean().backward()",
     "return h, torch.autograd.grad(total, leaf)[0]", "return h.detach(), leaf.grad", of="a for loop")

# %% 04.unrolled_rnn wrong: the argument w itself is made to require grad and is left with a .grad
expect("leaves_a_trace", "w has a `.grad` after the call, but the caller's tensor must not change: use a copy of")
def unrolled_rnn(w, u, xs, h0):
    w.requires_grad_()
    w.grad = None
    h = h0 + 0 * w.sum()
    for x in xs:
        h = torch.tanh(w @ h + u @ x)
        if h.sum() > 1:
            break
    h.sum().backward()
    return h.detach(), w.grad

# %% 04.unrolled_rnn wrong: the gradient is taken with respect to u instead of w
expect("known", "this is the gradient with respect to u, not w")
def unrolled_rnn(w, u, xs, h0):
    leaf = u.detach().clone().requires_grad_()
    h = h0 + 0 * leaf.sum()
    for x in xs:
        h = torch.tanh(w @ h + leaf @ x)
        if h.sum() > 1:
            break
    h.sum().backward()
    return h.detach(), leaf.grad

# %% 04.unrolled_rnn wrong: the new state is copied into h0 in place, so the argument h0 is changed
expect("argument_changed", "the argument h0 is changed by the call: work on a copy of it")
edit("h = torch.tanh(leaf @ h + u @ x)\n        if h.sum() > 1:",
     "h = torch.tanh(leaf @ h + u @ x)\n        h0.copy_(h.detach())\n        if h.sum() > 1:", of="a for loop")

# %% 04.unrolled_rnn wrong: tanh is forgotten: the step is linear
expect("known", "the new state: `tanh` is left out")
edit("h = torch.tanh(leaf @ h + u @ x)", "h = leaf @ h + u @ x", of="a for loop")

# %% 04.unrolled_rnn wrong: every step starts from h0 again, the state is not carried on
expect("known", "each step begins with h0, but it must begin with the state of the step before")
edit("h = torch.tanh(leaf @ h + u @ x)", "h = torch.tanh(leaf @ h0 + u @ x)", of="a for loop")

# %% 04.unrolled_rnn wrong: the loop ends when the sum is 1 or more (>= 1), not only above 1: a sum of exactly 1 must go on
expect("known", "the loop ends when the sum is 1 or more, but it must end when the sum of the new state")
edit("if h.sum() > 1:", "if h.sum() >= 1:", of="a for loop")

# %% 04.unrolled_rnn wrong: the sum of the squares of the state is tested, not its sum
expect("known", "the loop ends when the norm of the state is above 1, but it must end when the sum of")
edit("if h.sum() > 1:", "if (h ** 2).sum() > 1:", of="a for loop")

# %% 04.unrolled_rnn wrong: stops the wrong way round
expect("some_values", "the result is wrong")
def fresh(x):
    return x.detach().clone().requires_grad_(True)


def run(w, u, xs, h0, stop=lambda h: h.sum() > 1, cut=lambda h: h):
    h = h0
    for x in xs:
        h = torch.tanh(w @ cut(h) + u @ x)
        if stop(h):
            break
    return h


def with_slope(leaf, h):
    if not h.requires_grad:
        return h, torch.zeros_like(leaf)
    return h, torch.autograd.grad(h.sum(), leaf)[0]


def unrolled_rnn(w, u, xs, h0):
    leaf = fresh(w)
    return with_slope(leaf, run(leaf, u, xs, h0, stop=lambda h: h.sum() < 1))

# %% 04.unrolled_rnn wrong: no rows
expect(
    "raises_for_some",
    "`h.sum()` does not require grad, nor does `h`",
    "the other inputs work",
    never=("given without", "nothing was recorded between the leaf and it"),
)
edit("break\n    if not h.requires_grad:\n        return h, torch.zeros_like(w)\n    (gradient", "break\n    (g",
     "return h.detach(), gradient", "return h.detach(), g")

# %% 04.unrolled_rnn wrong: detaches each state
expect("raised", "line 5", "cuts the history off: `detach`", never=("nothing was recorded between the leaf and it",))
edit("h = torch.tanh(leaf @ h + u @ x)", "h = torch.tanh(leaf @ h + u @ x).detach()",
     "total = h.sum() + 0 * leaf.sum()\n    return h, torch.autograd.grad(total, leaf)[0]",
     "(g,) = torch.autograd.grad(h.sum(), leaf)\n    return h.detach(), g", of="a for loop")

# %% 04.unrolled_rnn wrong: flag after the loop
expect("raised", "uses it before line 7 makes it require grad",
       never=("nothing was recorded between the leaf and it", "given"))
edit("h = torch.tanh(leaf @ h + u @ x)", "h = torch.tanh(w @ h + u @ x)",
     "if h.sum() > 1:\n            break", "if h.sum() > 1:break",
     "total = h.sum() + 0 * leaf.sum()", "w.requires_grad_()",
     "return h, torch.autograd.grad(total, leaf)[0]", "return h, torch.autograd.grad(h.sum(), w)[0]", of="a for loop")

# %% 04.unrolled_rnn wrong: no_rows returns None and stops too late
expect("no_result", "it returns None, for", "the loop goes on to the last row of xs")
edit("x)\n        if h.sum() > 1:\n            break", "x)",
     "if not h.requires_grad:", "if len(xs):",
     "h, torch.zeros_like(w)\n    (gradient,) =", "h.detach(),",
     "\n    return h.detach(), gradient", "[0]")

# %% 04.unrolled_rnn wrong: >= 1 and returns only h
expect("length", "the result is a tensor of shape (3,), it must be a list or tuple of 2 entries",
       never=("has 3 entries",))
edit("return h, torch.autograd.grad(total, leaf)[0]", "return h", of="a for loop")

# %% 04.unrolled_rnn wrong: empty rows get empty gradient
expect("wrong_shape", "(a tensor of shape (0, 1))", "it must have (2, 2)")
edit("if not h.requires_grad:\n        return h, torch.zeros_like(w)", "if not len(xs): return h, torch.zeros(0)")

# %% 04.unrolled_rnn wrong: a list of leaves, one for each step
expect("known", "as if the states were cut off from their history, or each step had its own copy of w",
       never=("last step: ",))
def unrolled_rnn(w, u, xs, h0):
    copies = [w.detach().clone().requires_grad_() for _ in range(max(len(xs), 1))]
    h, last = h0.detach() + 0 * copies[0].sum(), copies[0]
    for copy, x in zip(copies, xs):
        h, last = torch.tanh(copy @ h + u @ x), copy
        if h.sum() > 1:
            break
    return h.detach(), torch.autograd.grad(h.sum(), last)[0]

# %% 04.unrolled_rnn wrong: returns in the loop
expect("no_result", "specified[1]  [[", "yours         None", "`return` with a value in every branch",
       never=("specified  ",))
edit("break\n    total = h.sum() + 0 * leaf.sum()\n    return h, torch.autograd.grad(total, leaf)[0]",
     "return h.detach(), torch.autograd.grad(h.sum(), leaf)[0]", of="a for loop")

# %% 04.unrolled_rnn wrong: the state before any step
expect("raises_for_some", "`h.sum()` does not require grad, nor does `h`;", never=("given without", "uses no tensor"))
edit("h = h0.clone()", "h = h0",
     "for x in xs:", "for x in xs:\n        if h.sum().item() > 1:\n            break",
     "return h, torch.autograd.grad(total, leaf)[0]", "return h, torch.autograd.grad(h.sum(), leaf)[0]",
     of="a for loop")
