"""Answers to notebook 04 by people who saw the statements alone: right ones and wrong ones with what is wrong."""

ANSWERS = [
    (
        "04.shared_weight_gradient",
        "right",
        "two leaves, one for each use, and one call of grad",
        """
def shared_weight_gradient(w1, w2, x0):
    first = w1.detach().clone().requires_grad_()
    last = w1.detach().clone().requires_grad_()
    x1 = first @ x0
    x2 = x0 + w2 @ x1
    x3 = last @ (x1 + x2)
    return torch.autograd.grad(x3.norm(), (first, last))
""",
    ),
    (
        "04.shared_weight_gradient",
        "right",
        "a single leaf, the whole gradient and the last contribution (other input detached); the first is the difference",
        """
def shared_weight_gradient(w1, w2, x0):
    w = w1.detach().clone().requires_grad_()
    x1 = w @ x0
    s = x1 + x0 + w2 @ x1
    (whole,) = torch.autograd.grad(torch.linalg.norm(w @ s), w)
    last_use = (w @ s.detach()).pow(2).sum().sqrt()
    (last,) = torch.autograd.grad(last_use, w)
    return [whole - last, last]
""",
    ),
    (
        "04.shared_weight_gradient",
        "right",
        "by hand, with the chain rule and outer products",
        """
def shared_weight_gradient(w1, w2, x0):
    x1 = w1 @ x0
    s = x1 + x0 + w2 @ x1
    x3 = w1 @ s
    u = x3 / x3.norm()
    gs = w1.T @ u
    gx1 = gs + w2.T @ gs
    return torch.outer(gx1, x0), torch.outer(u, s)
""",
    ),
    (
        "04.shared_weight_gradient",
        "right",
        "one leaf that stacks two copies of w1; its gradient is unbound into two",
        """
def shared_weight_gradient(w1, w2, x0):
    both = torch.stack([w1, w1]).detach().requires_grad_()
    a, b = both
    x1 = a.mv(x0)
    x3 = b.mv(x1 + (x0 + w2.mv(x1)))
    torch.norm(x3).backward()
    return tuple(both.grad.unbind(0))
""",
    ),
    (
        "04.shared_weight_gradient",
        "wrong",
        "the two contributions are returned in the wrong order: last first",
        """
def shared_weight_gradient(w1, w2, x0):
    a = w1.detach().clone().requires_grad_()
    b = w1.detach().clone().requires_grad_()
    x1 = a @ x0
    x2 = x0 + w2 @ x1
    x3 = b @ (x1 + x2)
    x3.norm().backward()
    return b.grad, a.grad
""",
    ),
    (
        "04.shared_weight_gradient",
        "wrong",
        "one leaf for both uses: the whole gradient is returned twice instead of the two contributions",
        """
def shared_weight_gradient(w1, w2, x0):
    w = w1.detach().clone().requires_grad_()
    x1 = w @ x0
    x2 = x0 + w2 @ x1
    x3 = w @ (x1 + x2)
    x3.norm().backward()
    return w.grad, w.grad
""",
    ),
    (
        "04.shared_weight_gradient",
        "wrong",
        "the sum of the two contributions is returned as one tensor, not the pair",
        """
def shared_weight_gradient(w1, w2, x0):
    a = w1.detach().clone().requires_grad_()
    b = w1.detach().clone().requires_grad_()
    x1 = a @ x0
    x2 = x0 + w2 @ x1
    x3 = b @ (x1 + x2)
    x3.norm().backward()
    return a.grad + b.grad
""",
    ),
    (
        "04.shared_weight_gradient",
        "wrong",
        "x0 is forgotten in the formula of x2",
        """
def shared_weight_gradient(w1, w2, x0):
    a = w1.detach().clone().requires_grad_()
    b = w1.detach().clone().requires_grad_()
    x1 = a @ x0
    x2 = w2 @ x1
    x3 = b @ (x1 + x2)
    x3.norm().backward()
    return a.grad, b.grad
""",
    ),
    (
        "04.shared_weight_gradient",
        "wrong",
        "x3 uses only x2, x1 is forgotten in the sum",
        """
def shared_weight_gradient(w1, w2, x0):
    a = w1.detach().clone().requires_grad_()
    b = w1.detach().clone().requires_grad_()
    x1 = a @ x0
    x2 = x0 + w2 @ x1
    x3 = b @ x2
    x3.norm().backward()
    return a.grad, b.grad
""",
    ),
    (
        "04.shared_weight_gradient",
        "wrong",
        "the squared norm is differentiated, not the norm",
        """
def shared_weight_gradient(w1, w2, x0):
    a = w1.detach().clone().requires_grad_()
    b = w1.detach().clone().requires_grad_()
    x1 = a @ x0
    x2 = x0 + w2 @ x1
    x3 = b @ (x1 + x2)
    (x3 ** 2).sum().backward()
    return a.grad, b.grad
""",
    ),
    (
        "04.shared_weight_gradient",
        "wrong",
        "the entrywise product is used instead of the matrix product",
        """
def shared_weight_gradient(w1, w2, x0):
    a = w1.detach().clone().requires_grad_()
    b = w1.detach().clone().requires_grad_()
    x1 = a * x0
    x2 = x0 + w2 * x1
    x3 = b * (x1 + x2)
    x3.norm().backward()
    return a.grad, b.grad
""",
    ),
    (
        "04.shared_weight_gradient",
        "wrong",
        "the vectors stand on the left of the matrices, so every matrix is transposed",
        """
def shared_weight_gradient(w1, w2, x0):
    a = w1.detach().clone().requires_grad_()
    b = w1.detach().clone().requires_grad_()
    x1 = x0 @ a
    x2 = x0 + x1 @ w2
    x3 = (x1 + x2) @ b
    x3.norm().backward()
    return a.grad, b.grad
""",
    ),
    (
        "04.shared_weight_gradient",
        "wrong",
        "the given w1 itself is made a leaf that requires grad: it still requires grad and has a .grad afterwards",
        """
def shared_weight_gradient(w1, w2, x0):
    first = w1.requires_grad_()
    last = w1.detach().clone().requires_grad_()
    x1 = first @ x0
    x2 = x0 + w2 @ x1
    x3 = last @ (x1 + x2)
    x3.norm().backward()
    return first.grad, last.grad
""",
    ),
    (
        "04.shared_weight_gradient",
        "wrong",
        "x1 is detached in the formula of x2, so the first contribution misses the way through w2",
        """
def shared_weight_gradient(w1, w2, x0):
    a = w1.detach().clone().requires_grad_()
    b = w1.detach().clone().requires_grad_()
    x1 = a @ x0
    x2 = x0 + w2 @ x1.detach()
    x3 = b @ (x1 + x2)
    x3.norm().backward()
    return a.grad, b.grad
""",
    ),
    (
        "04.shared_weight_gradient",
        "wrong",
        "two backward calls on one leaf without clearing .grad: the last contribution is accumulated onto the first",
        """
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
""",
    ),
    (
        "04.shared_weight_gradient",
        "wrong",
        "x0 is changed in place: w2 x1 is added to the argument itself",
        """
def shared_weight_gradient(w1, w2, x0):
    a = w1.detach().clone().requires_grad_()
    b = w1.detach().clone().requires_grad_()
    start = x0.clone()
    x1 = a @ start
    x2 = start + w2 @ x1
    x0 += (w2 @ x1).detach()
    x3 = b @ (x1 + x2)
    return torch.autograd.grad(x3.norm(), (a, b))
""",
    ),
    (
        "04.shared_weight_gradient",
        "right",
        "one leaf with both copies of w1 stacked; its gradient has both contributions",
        """
def shared_weight_gradient(w1, w2, x0):
    both = torch.stack([w1, w1]).requires_grad_()
    x1 = both[0] @ x0
    x2 = x0 + w2 @ x1
    q = ((both[1] @ (x1 + x2)) ** 2).sum().sqrt()
    q.backward()
    return list(both.grad)
""",
    ),
    (
        "04.shared_weight_gradient",
        "wrong",
        "the two contributions are in the wrong order: last use first",
        """
def shared_weight_gradient(w1, w2, x0):
    first = w1.detach().clone().requires_grad_()
    last = w1.detach().clone().requires_grad_()
    x1 = first @ x0
    x2 = x0 + w2 @ x1
    q = (last @ (x1 + x2)).norm()
    return torch.autograd.grad(q, (last, first))
""",
    ),
    (
        "04.shared_weight_gradient",
        "wrong",
        "halves the whole gradient instead of telling the two uses apart",
        """
def shared_weight_gradient(w1, w2, x0):
    w = w1.detach().clone().requires_grad_()
    x1 = w @ x0
    x2 = x0 + w2 @ x1
    q = (w @ (x1 + x2)).norm()
    q.backward()
    return w.grad / 2, w.grad / 2
""",
    ),
    (
        "04.shared_weight_gradient",
        "wrong",
        "x1 is detached where it enters x3 directly, so the first contribution has only the way through x2",
        """
def shared_weight_gradient(w1, w2, x0):
    first = w1.detach().clone().requires_grad_()
    last = w1.detach().clone().requires_grad_()
    x1 = first @ x0
    x2 = x0 + w2 @ x1
    x3 = last @ (x1.detach() + x2)
    x3.norm().backward()
    return first.grad, last.grad
""",
    ),
    (
        "04.shared_weight_gradient",
        "wrong",
        "q is the squared norm; the square root is missing",
        """
def shared_weight_gradient(w1, w2, x0):
    first = w1.detach().clone().requires_grad_()
    last = w1.detach().clone().requires_grad_()
    x1 = first @ x0
    x2 = x0 + w2 @ x1
    x3 = last @ (x1 + x2)
    q = (x3 ** 2).sum()
    return torch.autograd.grad(q, (first, last))
""",
    ),
    (
        "04.shared_weight_gradient",
        "wrong",
        "the second tensor is the whole gradient instead of the contribution of the last use: both backward passes add to the same .grad",
        """
def shared_weight_gradient(w1, w2, x0):
    w = w1.detach().clone().requires_grad_()
    fixed = w1.detach().clone()

    def q(a, b):
        x1 = a @ x0
        x2 = x0 + w2 @ x1
        return (b @ (x1 + x2)).norm()

    q(w, fixed).backward()
    first = w.grad.clone()
    q(fixed, w).backward()
    last = w.grad.clone()
    return first, last
""",
    ),
    (
        "04.unrolled_rnn",
        "right",
        "a for loop with break; 0 * leaf.sum() makes the loss depend on the leaf even without rows",
        """
def unrolled_rnn(w, u, xs, h0):
    leaf = w.detach().clone().requires_grad_()
    h = h0.clone()
    for x in xs:
        h = torch.tanh(leaf @ h + u @ x)
        if h.sum() > 1:
            break
    total = h.sum() + 0 * leaf.sum()
    return h, torch.autograd.grad(total, leaf)[0]
""",
    ),
    (
        "04.unrolled_rnn",
        "right",
        "a while loop over the index, an early return if there are no rows",
        """
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
""",
    ),
    (
        "04.unrolled_rnn",
        "right",
        "backpropagation through time by hand, without autograd",
        """
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
""",
    ),
    (
        "04.unrolled_rnn",
        "right",
        "recursion over the remaining rows",
        """
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
""",
    ),
    (
        "04.unrolled_rnn",
        "wrong",
        "the sum is tested before each step too (while h.sum() <= 1), so with an h0 whose sum is above 1 no step runs",
        """
def unrolled_rnn(w, u, xs, h0):
    leaf = w.detach().clone().requires_grad_()
    h = h0
    for x in xs:
        if h.sum() > 1:
            break
        h = torch.tanh(leaf @ h + u @ x)
    if not h.requires_grad:
        return h, torch.zeros_like(w)
    h.sum().backward()
    return h.detach(), leaf.grad
""",
    ),
    (
        "04.unrolled_rnn",
        "wrong",
        "without rows the gradient is None instead of zeros",
        """
def unrolled_rnn(w, u, xs, h0):
    leaf = w.detach().clone().requires_grad_()
    h = h0
    for x in xs:
        h = torch.tanh(leaf @ h + u @ x)
        if h.sum() > 1:
            break
    if len(xs) > 0:
        h.sum().backward()
    return h.detach(), leaf.grad
""",
    ),
    (
        "04.unrolled_rnn",
        "wrong",
        "backward is called even if there are no rows: h0 has no history, so this raises an error",
        """
def unrolled_rnn(w, u, xs, h0):
    leaf = w.detach().clone().requires_grad_()
    h = h0
    for x in xs:
        h = torch.tanh(leaf @ h + u @ x)
        if h.sum() > 1:
            break
    h.sum().backward()
    return h.detach(), leaf.grad
""",
    ),
    (
        "04.unrolled_rnn",
        "wrong",
        "the loop never ends early: it reads all rows",
        """
def unrolled_rnn(w, u, xs, h0):
    leaf = w.detach().clone().requires_grad_()
    h = h0
    for x in xs:
        h = torch.tanh(leaf @ h + u @ x)
    if len(xs) == 0:
        return h, torch.zeros_like(w)
    h.sum().backward()
    return h.detach(), leaf.grad
""",
    ),
    (
        "04.unrolled_rnn",
        "wrong",
        "the state is detached at every step, so the gradient counts only the last use of w",
        """
def unrolled_rnn(w, u, xs, h0):
    leaf = w.detach().clone().requires_grad_()
    h = h0
    for x in xs:
        h = torch.tanh(leaf @ h.detach() + u @ x)
        if h.sum() > 1:
            break
    if len(xs) == 0:
        return h, torch.zeros_like(w)
    h.sum().backward()
    return h.detach(), leaf.grad
""",
    ),
    (
        "04.unrolled_rnn",
        "wrong",
        "when the sum gets above 1 the loop ends before it stores the new state: the state before that step is returned",
        """
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
""",
    ),
    (
        "04.unrolled_rnn",
        "wrong",
        "the loop ends when the largest entry is above 1, not when the sum is (tanh never gets there)",
        """
def unrolled_rnn(w, u, xs, h0):
    leaf = w.detach().clone().requires_grad_()
    h = h0 + 0 * leaf.sum()
    for x in xs:
        h = torch.tanh(leaf @ h + u @ x)
        if h.max() > 1:
            break
    h.sum().backward()
    return h.detach(), leaf.grad
""",
    ),
    (
        "04.unrolled_rnn",
        "wrong",
        "the loop ends when the absolute value of the sum is above 1, so it ends too early with negative states",
        """
def unrolled_rnn(w, u, xs, h0):
    leaf = w.detach().clone().requires_grad_()
    h = h0 + 0 * leaf.sum()
    for x in xs:
        h = torch.tanh(leaf @ h + u @ x)
        if abs(h.sum()) > 1:
            break
    h.sum().backward()
    return h.detach(), leaf.grad
""",
    ),
    (
        "04.unrolled_rnn",
        "wrong",
        "the last row is never read: the loop runs over range(len(xs) - 1)",
        """
def unrolled_rnn(w, u, xs, h0):
    leaf = w.detach().clone().requires_grad_()
    h = h0 + 0 * leaf.sum()
    for i in range(len(xs) - 1):
        h = torch.tanh(leaf @ h + u @ xs[i])
        if h.sum() > 1:
            break
    h.sum().backward()
    return h.detach(), leaf.grad
""",
    ),
    (
        "04.unrolled_rnn",
        "wrong",
        "backward is called at each step on the running state, so the gradients of all states pile up in .grad",
        """
def unrolled_rnn(w, u, xs, h0):
    leaf = w.detach().clone().requires_grad_()
    h = h0 + 0 * leaf.sum()
    h.sum().backward(retain_graph=True)
    for x in xs:
        h = torch.tanh(leaf @ h + u @ x)
        h.sum().backward(retain_graph=True)
        if h.sum() > 1:
            break
    return h.detach(), leaf.grad
""",
    ),
    (
        "04.unrolled_rnn",
        "wrong",
        "the mean of the last state is differentiated instead of the sum",
        """
def unrolled_rnn(w, u, xs, h0):
    leaf = w.detach().clone().requires_grad_()
    h = h0 + 0 * leaf.sum()
    for x in xs:
        h = torch.tanh(leaf @ h + u @ x)
        if h.sum() > 1:
            break
    h.mean().backward()
    return h.detach(), leaf.grad
""",
    ),
    (
        "04.unrolled_rnn",
        "wrong",
        "the argument w itself is made to require grad and is left with a .grad",
        """
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
""",
    ),
    (
        "04.unrolled_rnn",
        "wrong",
        "the gradient is taken with respect to u instead of w",
        """
def unrolled_rnn(w, u, xs, h0):
    leaf = u.detach().clone().requires_grad_()
    h = h0 + 0 * leaf.sum()
    for x in xs:
        h = torch.tanh(w @ h + leaf @ x)
        if h.sum() > 1:
            break
    h.sum().backward()
    return h.detach(), leaf.grad
""",
    ),
    (
        "04.unrolled_rnn",
        "wrong",
        "the new state is copied into h0 in place, so the argument h0 is changed",
        """
def unrolled_rnn(w, u, xs, h0):
    leaf = w.detach().clone().requires_grad_()
    h = h0.clone() + 0 * leaf.sum()
    for x in xs:
        h = torch.tanh(leaf @ h + u @ x)
        h0.copy_(h.detach())
        if h.sum() > 1:
            break
    h.sum().backward()
    return h.detach(), leaf.grad
""",
    ),
    (
        "04.unrolled_rnn",
        "wrong",
        "tanh is forgotten: the step is linear",
        """
def unrolled_rnn(w, u, xs, h0):
    leaf = w.detach().clone().requires_grad_()
    h = h0 + 0 * leaf.sum()
    for x in xs:
        h = leaf @ h + u @ x
        if h.sum() > 1:
            break
    h.sum().backward()
    return h.detach(), leaf.grad
""",
    ),
    (
        "04.unrolled_rnn",
        "wrong",
        "every step starts from h0 again, the state is not carried on",
        """
def unrolled_rnn(w, u, xs, h0):
    leaf = w.detach().clone().requires_grad_()
    h = h0 + 0 * leaf.sum()
    for x in xs:
        h = torch.tanh(leaf @ h0 + u @ x)
        if h.sum() > 1:
            break
    h.sum().backward()
    return h.detach(), leaf.grad
""",
    ),
    (
        "04.unrolled_rnn",
        "wrong",
        "the loop ends when the sum is 1 or more (>= 1), not only above 1: a sum of exactly 1 must go on",
        """
def unrolled_rnn(w, u, xs, h0):
    leaf = w.detach().clone().requires_grad_()
    h = h0 + 0 * leaf.sum()
    for x in xs:
        h = torch.tanh(leaf @ h + u @ x)
        if h.sum() >= 1:
            break
    h.sum().backward()
    return h.detach(), leaf.grad
""",
    ),
    (
        "04.unrolled_rnn",
        "wrong",
        "the sum of the squares of the state is tested, not its sum",
        """
def unrolled_rnn(w, u, xs, h0):
    leaf = w.detach().clone().requires_grad_()
    h = h0 + 0 * leaf.sum()
    for x in xs:
        h = torch.tanh(leaf @ h + u @ x)
        if (h ** 2).sum() > 1:
            break
    h.sum().backward()
    return h.detach(), leaf.grad
""",
    ),
    (
        "04.unrolled_rnn",
        "wrong",
        "without rows the gradient has the shape of the state, not of w",
        """
def unrolled_rnn(w, u, xs, h0):
    if len(xs) == 0:
        return h0.clone(), torch.zeros_like(h0)
    leaf = w.detach().clone().requires_grad_()
    h = h0
    for x in xs:
        h = torch.tanh(leaf @ h + u @ x)
        if h.sum() > 1:
            break
    h.sum().backward()
    return h.detach(), leaf.grad
""",
    ),
    (
        "04.unrolled_rnn",
        "right",
        "the backward pass by hand, through the stored states, without autograd",
        """
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
""",
    ),
    (
        "04.unrolled_rnn",
        "wrong",
        "the sum is tested before the step, so no step runs when the sum of h0 is above 1",
        """
def unrolled_rnn(w, u, xs, h0):
    leaf = w.detach().clone().requires_grad_()
    h = h0.clone()
    for x in xs:
        if h.sum() > 1:
            break
        h = torch.tanh(leaf @ h + u @ x)
    if not h.requires_grad:
        return h, torch.zeros_like(w)
    h.sum().backward()
    return h.detach(), leaf.grad
""",
    ),
    (
        "04.unrolled_rnn",
        "wrong",
        "the state is detached after each step, so the gradient has only the last use of w",
        """
def unrolled_rnn(w, u, xs, h0):
    leaf = w.detach().clone().requires_grad_()
    h = h0.clone()
    for x in xs:
        h = torch.tanh(leaf @ h.detach() + u @ x)
        if h.sum() > 1:
            break
    if not h.requires_grad:
        return h, torch.zeros_like(w)
    h.sum().backward()
    return h.detach(), leaf.grad
""",
    ),
    (
        "04.unrolled_rnn",
        "wrong",
        "for an xs without rows the gradient is None instead of zeros",
        """
def unrolled_rnn(w, u, xs, h0):
    leaf = w.detach().clone().requires_grad_()
    h = h0.clone()
    for x in xs:
        h = torch.tanh(leaf @ h + u @ x)
        if h.sum() > 1:
            break
    if h.requires_grad:
        h.sum().backward()
    return h.detach(), leaf.grad
""",
    ),
    (
        "04.unrolled_rnn",
        "wrong",
        "the loop ends before the state whose sum is above 1 is taken over: it returns the state of the step before",
        """
def unrolled_rnn(w, u, xs, h0):
    leaf = w.detach().clone().requires_grad_()
    h = h0.clone()
    for x in xs:
        new = torch.tanh(leaf @ h + u @ x)
        if new.sum() > 1:
            break
        h = new
    if not h.requires_grad:
        return h, torch.zeros_like(w)
    h.sum().backward()
    return h.detach(), leaf.grad
""",
    ),
    (
        "04.unrolled_rnn",
        "wrong",
        "backward runs at every step, so the gradient is that of the sum of all states instead of the last one",
        """
def unrolled_rnn(w, u, xs, h0):
    leaf = w.detach().clone().requires_grad_()
    leaf.grad = torch.zeros_like(leaf)
    h = h0.clone()
    for x in xs:
        h = torch.tanh(leaf @ h + u @ x)
        h.sum().backward(retain_graph=True)
        if h.sum() > 1:
            break
    return h.detach(), leaf.grad
""",
    ),
]
