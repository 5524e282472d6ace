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


@wrong("04.shared_weight_gradient", "leaves_a_trace", "w1 requires grad")
def flag_on_the_argument(w1, w2, x0):
    w1.requires_grad_()
    first, last = both(w1.detach(), w2, x0)
    return first, last


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


@wrong("04.unrolled_rnn", "known", "when the sum is 1 or more")
def ends_at_the_limit(w, u, xs, h0):
    leaf = fresh(w)
    return with_slope(leaf, run(leaf, u, xs, h0, stop=lambda h: h.sum() >= 1))


@wrong("04.unrolled_rnn", "one_shape", "does not require grad")
def nothing_for_no_input(w, u, xs, h0):
    leaf = fresh(w)
    h = run(leaf, u, xs, h0)
    return h, torch.autograd.grad(h.sum(), leaf)[0]


@wrong("04.unrolled_rnn", "wrong_shape", "result[0] has shape ()")
def sum_of_the_state(w, u, xs, h0):
    leaf = fresh(w)
    h, gradient = with_slope(leaf, run(leaf, u, xs, h0))
    return h.sum(), gradient


@wrong("04.unrolled_rnn", "type", "it must be a list or tuple of 2 entries")
def state_alone(w, u, xs, h0):
    return {"h": run(w, u, xs, h0)}


# More slips: shared_weight_gradient


def contributions_to(q, w1, w2, x0):
    first, last = fresh(w1), fresh(w1)
    return torch.autograd.grad(q(first, last, w2, x0), [first, last])


@wrong("04.shared_weight_gradient", "rows", "the result is wrong: every row is what only the first must be")
def first_use_twice(w1, w2, x0):
    first, _ = both(w1, w2, x0)
    return first, first.clone()


@wrong("04.shared_weight_gradient", "rows", "the result is wrong: every row is what only the last must be")
def last_use_twice(w1, w2, x0):
    _, last = both(w1, w2, x0)
    return last, last


@wrong("04.shared_weight_gradient", "zero", "result[0] is zero everywhere, which is wrong; result[1] is right")
def zeros_for_the_cut_one(w1, w2, x0):
    first, last = fresh(w1), fresh(w1)
    x1 = (first @ x0).detach()
    q = (last @ (x1 + x0 + w2 @ x1)).norm()
    return torch.autograd.grad(q, [first, last], allow_unused=True, materialize_grads=True)


@wrong("04.shared_weight_gradient", "factor", "result[1] is right but for its sign: it is minus what it must be")
def taken_from_the_wrong_side(w1, w2, x0):
    first, last = both(w1, w2, x0)
    return first, first - (first + last)


@wrong("04.shared_weight_gradient", "known", "x2: `x0` is left out")
def x2_without_x0(w1, w2, x0):
    return contributions_to(lambda a, b, w2, x0: (b @ (a @ x0 + w2 @ (a @ x0))).norm(), w1, w2, x0)


@wrong("04.shared_weight_gradient", "known", "x3: x1 is left out")
def x3_without_x1(w1, w2, x0):
    return contributions_to(lambda a, b, w2, x0: (b @ (x0 + w2 @ (a @ x0))).norm(), w1, w2, x0)


@wrong("04.shared_weight_gradient", "some_values", "both entries of the result are wrong: [0]")
def sum_for_norm(w1, w2, x0):
    return contributions_to(lambda a, b, w2, x0: (b @ (a @ x0 + x0 + w2 @ (a @ x0))).sum(), w1, w2, x0)


@wrong(
    "04.shared_weight_gradient",
    "factor_differs",
    "the result is right but for a factor, which is not the same for every",
)
def half_the_square(w1, w2, x0):
    return contributions_to(lambda a, b, w2, x0: ((b @ (a @ x0 + x0 + w2 @ (a @ x0))) ** 2).sum() / 2, w1, w2, x0)


@wrong("04.shared_weight_gradient", "some_values", "both entries of the result are wrong: [0]")
def norm_of_order_one(w1, w2, x0):
    return contributions_to(lambda a, b, w2, x0: (b @ (a @ x0 + x0 + w2 @ (a @ x0))).abs().sum(), w1, w2, x0)


@wrong("04.shared_weight_gradient", "type", "it must be a tensor")
def arrays(w1, w2, x0):
    return tuple(each.numpy() for each in both(w1, w2, x0))


@wrong("04.shared_weight_gradient", "type", "it must be a tensor")
def nested_lists(w1, w2, x0):
    return [each.tolist() for each in both(w1, w2, x0)]


# More slips: unrolled_rnn


@wrong("04.unrolled_rnn", "some_values", "both entries of the result are wrong: [0]")
def stops_at_the_absolute_sum(w, u, xs, h0):
    leaf = fresh(w)
    return with_slope(leaf, run(leaf, u, xs, h0, stop=lambda h: h.abs().sum() > 1))


@wrong("04.unrolled_rnn", "some_values", "both entries of the result are wrong: [0]")
def stops_the_wrong_way_round(w, u, xs, h0):
    leaf = fresh(w)
    return with_slope(leaf, run(leaf, u, xs, h0, stop=lambda h: h.sum() < 1))


@wrong("04.unrolled_rnn", "wrong_shape", "result[1] has shape (2,), it must have (2, 2)")
def of_h0(w, u, xs, h0):
    leaf = fresh(h0)
    h = run(w, u, xs, leaf)
    return h, torch.autograd.grad(h.sum(), leaf)[0]


@wrong("04.unrolled_rnn", "type", "it must be a tensor")
def state_as_a_list(w, u, xs, h0):
    leaf = fresh(w)
    h, gradient = with_slope(leaf, run(leaf, u, xs, h0))
    return h.tolist(), gradient
