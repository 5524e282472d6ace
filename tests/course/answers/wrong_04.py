"""Wrong answers to notebook 04, each with the diagnosis that must name it and words that its message must have."""

import autograd_teach as torch

WRONG: list[tuple[str, object, str, str]] = []


def wrong(exercise, diagnosis, words=""):
    return lambda answer: WRONG.append((exercise, answer, diagnosis, words)) or answer


def fresh(x):
    return x.detach().clone().requires_grad_(True)


# shared_weight_gradient


def both(w1, w2, x0):
    first, last = fresh(w1), fresh(w1)
    x1 = first @ x0
    return torch.autograd.grad((last @ (x1 + x0 + w2 @ x1)).norm(), [first, last])


@wrong("04.shared_weight_gradient", "known", "each of the two is the whole gradient of w1")
def one_leaf_twice(w1, w2, x0):
    first = last = fresh(w1)
    x1 = first @ x0
    q = (last @ (x1 + x0 + w2 @ x1)).norm()
    return torch.autograd.grad(q, [first, last])


@wrong("04.shared_weight_gradient", "known", "half the gradient of w1")
def halves(w1, w2, x0):
    whole = sum(both(w1, w2, x0))
    return whole / 2, whole / 2


@wrong("04.shared_weight_gradient", "known", "the result must be a pair")
def whole(w1, w2, x0):
    w = fresh(w1)
    x1 = w @ x0
    (w @ (x1 + x0 + w2 @ x1)).norm().backward()
    return w.grad


@wrong("04.shared_weight_gradient", "known", "the two contributions are swapped")
def swapped(w1, w2, x0):
    first, last = both(w1, w2, x0)
    return last, first


@wrong("04.shared_weight_gradient", "known", "the second one is the sum of both")
def not_zeroed(w1, w2, x0):
    w = fresh(w1)
    x1 = w @ x0
    x2 = x0 + w2 @ x1
    (w.detach() @ (x1 + x2)).norm().backward(retain_graph=True)
    first = w.grad.clone()
    (w @ (x1 + x2).detach()).norm().backward()
    return first, w.grad


@wrong("04.shared_weight_gradient", "known", "only the direct way is counted")
def detached_before_w2(w1, w2, x0):
    first, last = fresh(w1), fresh(w1)
    x1 = first @ x0
    x2 = x0 + w2 @ x1.detach()
    return torch.autograd.grad((last @ (x1 + x2)).norm(), [first, last])


@wrong("04.shared_weight_gradient", "known", "only the way through w2 is counted")
def detached_after_w2(w1, w2, x0):
    first, last = fresh(w1), fresh(w1)
    x1 = first @ x0
    x2 = x0 + w2 @ x1
    return torch.autograd.grad((last @ (x1.detach() + x2)).norm(), [first, last])


@wrong("04.shared_weight_gradient", "known", "the squared norm")
def sum_of_squares(w1, w2, x0):
    first, last = fresh(w1), fresh(w1)
    x1 = first @ x0
    q = ((last @ (x1 + x0 + w2 @ x1)) ** 2).sum()
    return torch.autograd.grad(q, [first, last])


@wrong("04.shared_weight_gradient", "leaves_a_trace", "w1 requires grad")
def flag_on_the_argument(w1, w2, x0):
    w1.requires_grad_()
    first, last = both(w1.detach(), w2, x0)
    return first, last


@wrong("04.shared_weight_gradient", "type", "the result[0] is None")
def first_cut_off(w1, w2, x0):
    first, last = fresh(w1), fresh(w1)
    x1 = (first @ x0).detach()
    return torch.autograd.grad((last @ (x1 + x0 + w2 @ x1)).norm(), [first, last], allow_unused=True)


# unrolled_rnn


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


@wrong("04.unrolled_rnn", "known", "goes on to the last row")
def never_stops(w, u, xs, h0):
    leaf = fresh(w)
    return with_slope(leaf, run(leaf, u, xs, h0, stop=lambda h: False))


@wrong("04.unrolled_rnn", "known", "one step too many")
def asks_too_late(w, u, xs, h0):
    leaf, h, stop = fresh(w), h0, False
    for x in xs:
        if stop:
            h = torch.tanh(leaf @ h + u @ x)
            break
        h = torch.tanh(leaf @ h + u @ x)
        stop = h.sum() > 1
    return with_slope(leaf, h)


@wrong("04.unrolled_rnn", "known", "is left out")
def keeps_the_one_before(w, u, xs, h0):
    leaf, h = fresh(w), h0
    for x in xs:
        new = torch.tanh(leaf @ h + u @ x)
        if new.sum() > 1:
            break
        h = new
    return with_slope(leaf, h)


@wrong("04.unrolled_rnn", "known", "cut off from their history")
def detached_states(w, u, xs, h0):
    leaf = fresh(w)
    return with_slope(leaf, run(leaf, u, xs, h0, cut=lambda h: h.detach()))


@wrong("04.unrolled_rnn", "known", "the gradient with respect to u, not w")
def of_u(w, u, xs, h0):
    leaf = fresh(u)
    return with_slope(leaf, run(w, leaf, xs, h0))


@wrong("04.unrolled_rnn", "known", "the tanh is missing")
def linear(w, u, xs, h0):
    leaf, h = fresh(w), h0
    for x in xs:
        h = leaf @ h + u @ x
        if h.sum() > 1:
            break
    return with_slope(leaf, h)


@wrong("04.unrolled_rnn", "known", "these are all states")
def all_states(w, u, xs, h0):
    leaf, h, found = fresh(w), h0, []
    for x in xs:
        h = torch.tanh(leaf @ h + u @ x)
        found.append(h)
        if h.sum() > 1:
            break
    return torch.stack(found or [h]), with_slope(leaf, h)[1]


@wrong("04.unrolled_rnn", "one_shape", "does not require grad")
def nothing_for_no_input(w, u, xs, h0):
    leaf = fresh(w)
    h = run(leaf, u, xs, h0)
    return h, torch.autograd.grad(h.sum(), leaf)[0]


@wrong("04.unrolled_rnn", "type", "the result[1] is None, it must be a tensor of shape (2, 2)")
def none_for_no_input(w, u, xs, h0):
    leaf = fresh(w)
    h = run(leaf, u, xs, h0)
    if len(xs):
        h.sum().backward()
    return h, leaf.grad


@wrong("04.unrolled_rnn", "wrong_shape", "the result[0] has shape ()")
def sum_of_the_state(w, u, xs, h0):
    leaf = fresh(w)
    h, gradient = with_slope(leaf, run(leaf, u, xs, h0))
    return h.sum(), gradient


@wrong("04.unrolled_rnn", "type", "it must be a list of 2 entries")
def state_alone(w, u, xs, h0):
    return {"h": run(w, u, xs, h0)}


@wrong("04.unrolled_rnn", "factor", "the result[1] is right but for its sign")
def descends(w, u, xs, h0):
    leaf = fresh(w)
    h, gradient = with_slope(leaf, run(leaf, u, xs, h0))
    return h, -gradient
