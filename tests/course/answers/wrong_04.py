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


@wrong(
    "04.shared_weight_gradient",
    "known",
    "the first tensor is the whole gradient of w1, the second is the whole gradient",
)
def one_leaf_twice(w1, w2, x0):
    first = last = fresh(w1)
    x1 = first @ x0
    q = (last @ (x1 + x0 + w2 @ x1)).norm()
    return torch.autograd.grad(q, [first, last])


@wrong("04.shared_weight_gradient", "known", "the first tensor is half the whole gradient of w1")
def halves(w1, w2, x0):
    whole = sum(both(w1, w2, x0))
    return whole / 2, whole / 2


@wrong("04.shared_weight_gradient", "known", "the result must be a pair")
def whole(w1, w2, x0):
    w = fresh(w1)
    x1 = w @ x0
    (w @ (x1 + x0 + w2 @ x1)).norm().backward()
    return w.grad


@wrong(
    "04.shared_weight_gradient",
    "known",
    "the first tensor is the contribution of the last use, the second is the contribution",
)
def swapped(w1, w2, x0):
    first, last = both(w1, w2, x0)
    return last, first


@wrong("04.shared_weight_gradient", "known", "the first tensor is right, the second is the whole gradient of w1")
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


@wrong("04.shared_weight_gradient", "known", "q is the squared norm")
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


@wrong("04.shared_weight_gradient", "type", "result[0] is None")
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


@wrong("04.unrolled_rnn", "known", "when the sum is 1 or more")
def ends_at_the_limit(w, u, xs, h0):
    leaf = fresh(w)
    return with_slope(leaf, run(leaf, u, xs, h0, stop=lambda h: h.sum() >= 1))


@wrong("04.unrolled_rnn", "known", "the last row of xs is left out")
def one_row_too_few(w, u, xs, h0):
    leaf = fresh(w)
    return with_slope(leaf, run(leaf, u, xs[: max(len(xs) - 1, 0)], h0))


@wrong("04.shared_weight_gradient", "known", "every matrix is transposed")
def vectors_on_the_left(w1, w2, x0):
    first, last = fresh(w1), fresh(w1)
    x1 = x0 @ first
    return torch.autograd.grad(((x1 + x0 + x1 @ w2) @ last).norm(), [first, last])


@wrong("04.shared_weight_gradient", "known", "taken entry by entry")
def entry_by_entry(w1, w2, x0):
    first, last = fresh(w1), fresh(w1)
    x1 = first * x0
    return torch.autograd.grad((last * (x1 + x0 + w2 * x1)).norm(), [first, last])


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


@wrong("04.unrolled_rnn", "type", "result[1] is None, it must be a tensor of shape (2, 2)")
def none_for_no_input(w, u, xs, h0):
    leaf = fresh(w)
    h = run(leaf, u, xs, h0)
    if len(xs):
        h.sum().backward()
    return h, leaf.grad


@wrong("04.unrolled_rnn", "wrong_shape", "result[0] has shape ()")
def sum_of_the_state(w, u, xs, h0):
    leaf = fresh(w)
    h, gradient = with_slope(leaf, run(leaf, u, xs, h0))
    return h.sum(), gradient


@wrong("04.unrolled_rnn", "type", "it must be a list or tuple of 2 entries")
def state_alone(w, u, xs, h0):
    return {"h": run(w, u, xs, h0)}


@wrong("04.unrolled_rnn", "factor", "result[1] is right but for its sign")
def descends(w, u, xs, h0):
    leaf = fresh(w)
    h, gradient = with_slope(leaf, run(leaf, u, xs, h0))
    return h, -gradient


# More slips: shared_weight_gradient


def contributions_to(q, w1, w2, x0):
    first, last = fresh(w1), fresh(w1)
    return torch.autograd.grad(q(first, last, w2, x0), [first, last])


@wrong("04.shared_weight_gradient", "known", "the first tensor is the whole gradient of w1, the second is right")
def last_pass_before_the_first(w1, w2, x0):
    last, w = fresh(w1), fresh(w1)
    x1 = last @ x0
    (w @ (x1.detach() + x0 + w2 @ x1.detach())).norm().backward(retain_graph=True)
    second = w.grad.clone()
    (w.detach() @ (w @ x0 + x0 + w2 @ (w @ x0))).norm().backward()
    return w.grad, second


@wrong("04.shared_weight_gradient", "known", "the second is the contribution of the first use")
def first_use_twice(w1, w2, x0):
    first, _ = both(w1, w2, x0)
    return first, first.clone()


@wrong(
    "04.shared_weight_gradient", "known", "the first tensor is the contribution of the last use, the second is right"
)
def last_use_twice(w1, w2, x0):
    _, last = both(w1, w2, x0)
    return last, last


@wrong("04.shared_weight_gradient", "known", "the first tensor is all zeros")
def zeros_for_the_cut_one(w1, w2, x0):
    first, last = fresh(w1), fresh(w1)
    x1 = (first @ x0).detach()
    q = (last @ (x1 + x0 + w2 @ x1)).norm()
    return torch.autograd.grad(q, [first, last], allow_unused=True, materialize_grads=True)


@wrong("04.shared_weight_gradient", "known", "the second is minus what it must be")
def taken_from_the_wrong_side(w1, w2, x0):
    first, last = both(w1, w2, x0)
    return first, first - (first + last)


@wrong("04.shared_weight_gradient", "known", "x0 is left out of x2")
def x2_without_x0(w1, w2, x0):
    return contributions_to(lambda a, b, w2, x0: (b @ (a @ x0 + w2 @ (a @ x0))).norm(), w1, w2, x0)


@wrong("04.shared_weight_gradient", "known", "x1 is left out of x3")
def x3_without_x1(w1, w2, x0):
    return contributions_to(lambda a, b, w2, x0: (b @ (x0 + w2 @ (a @ x0))).norm(), w1, w2, x0)


@wrong("04.shared_weight_gradient", "known", "x1 takes the place of x0 in x2")
def x2_begins_with_x1(w1, w2, x0):
    def q(a, b, w2, x0):
        x1 = a @ x0
        return (b @ (x1 + x1 + w2 @ x1)).norm()

    return contributions_to(q, w1, w2, x0)


@wrong("04.shared_weight_gradient", "known", "in yours, w1 is transposed in x1")
def vector_on_the_left(w1, w2, x0):
    return contributions_to(lambda a, b, w2, x0: (b @ (x0 @ a + x0 + w2 @ (x0 @ a))).norm(), w1, w2, x0)


@wrong("04.shared_weight_gradient", "known", "in yours, w1 is transposed in x3")
def vector_on_the_left_at_the_end(w1, w2, x0):
    def q(a, b, w2, x0):
        x1 = a @ x0
        return ((x1 + x0 + w2 @ x1) @ b).norm()

    return contributions_to(q, w1, w2, x0)


@wrong("04.shared_weight_gradient", "known", "q is the sum of the entries of x3")
def sum_for_norm(w1, w2, x0):
    return contributions_to(lambda a, b, w2, x0: (b @ (a @ x0 + x0 + w2 @ (a @ x0))).sum(), w1, w2, x0)


@wrong("04.shared_weight_gradient", "known", "q is half the squared norm")
def half_the_square(w1, w2, x0):
    return contributions_to(lambda a, b, w2, x0: ((b @ (a @ x0 + x0 + w2 @ (a @ x0))) ** 2).sum() / 2, w1, w2, x0)


@wrong("04.shared_weight_gradient", "known", "q is the sum of the absolute values")
def norm_of_order_one(w1, w2, x0):
    return contributions_to(lambda a, b, w2, x0: (b @ (a @ x0 + x0 + w2 @ (a @ x0))).abs().sum(), w1, w2, x0)


@wrong("04.shared_weight_gradient", "type", "it must be a tensor")
def arrays(w1, w2, x0):
    return tuple(each.numpy() for each in both(w1, w2, x0))


@wrong("04.shared_weight_gradient", "type", "it must be a tensor")
def nested_lists(w1, w2, x0):
    return [each.tolist() for each in both(w1, w2, x0)]


# More slips: unrolled_rnn


@wrong("04.unrolled_rnn", "known", "the sum of h0")
def asks_before_the_step(w, u, xs, h0):
    leaf, h = fresh(w), h0
    for x in xs:
        if h.sum() > 1:
            break
        h = torch.tanh(leaf @ h + u @ x)
    return with_slope(leaf, h)


@wrong("04.unrolled_rnn", "known", "the sum of h0")
def condition_of_the_loop(w, u, xs, h0):
    leaf, h, step = fresh(w), h0, 0
    while h.sum() <= 1 and step < len(xs):
        h = torch.tanh(leaf @ h + u @ xs[step])
        step += 1
    return with_slope(leaf, h)


@wrong("04.unrolled_rnn", "known", "when the norm of the state is above 1")
def stops_at_the_norm(w, u, xs, h0):
    leaf = fresh(w)
    return with_slope(leaf, run(leaf, u, xs, h0, stop=lambda h: h.norm() > 1))


@wrong("04.unrolled_rnn", "known", "when the sum of the absolute values is above 1")
def stops_at_the_absolute_sum(w, u, xs, h0):
    leaf = fresh(w)
    return with_slope(leaf, run(leaf, u, xs, h0, stop=lambda h: h.abs().sum() > 1))


@wrong("04.unrolled_rnn", "known", "goes on to the last row")
def stops_at_the_mean(w, u, xs, h0):
    leaf = fresh(w)
    return with_slope(leaf, run(leaf, u, xs, h0, stop=lambda h: h.mean() > 1))


@wrong("04.unrolled_rnn", "known", "when the sum is above 0")
def stops_above_zero(w, u, xs, h0):
    leaf = fresh(w)
    return with_slope(leaf, run(leaf, u, xs, h0, stop=lambda h: h.sum() > 0))


@wrong("04.unrolled_rnn", "known", "when the sum is below 1")
def stops_the_wrong_way_round(w, u, xs, h0):
    leaf = fresh(w)
    return with_slope(leaf, run(leaf, u, xs, h0, stop=lambda h: h.sum() < 1))


@wrong("04.unrolled_rnn", "known", "when the size of the sum is above 1")
def stops_at_the_size(w, u, xs, h0):
    leaf = fresh(w)
    return with_slope(leaf, run(leaf, u, xs, h0, stop=lambda h: abs(h.sum()) > 1))


@wrong("04.unrolled_rnn", "known", "h0 is not used")
def starts_at_zero(w, u, xs, h0):
    leaf = fresh(w)
    h = run(leaf, u, xs, torch.zeros_like(h0))
    return with_slope(leaf, h if len(xs) else h0)


@wrong("04.unrolled_rnn", "known", "each step begins with h0")
def not_carried(w, u, xs, h0):
    leaf, h = fresh(w), h0
    for x in xs:
        h = torch.tanh(leaf @ h0 + u @ x)
        if h.sum() > 1:
            break
    return with_slope(leaf, h)


@wrong("04.unrolled_rnn", "known", "w is transposed")
def state_on_the_left(w, u, xs, h0):
    leaf, h = fresh(w), h0
    for x in xs:
        h = torch.tanh(h @ leaf + u @ x)
        if h.sum() > 1:
            break
    return with_slope(leaf, h)


@wrong("04.unrolled_rnn", "known", "u x is added after the tanh")
def tanh_of_a_part(w, u, xs, h0):
    leaf, h = fresh(w), h0
    for x in xs:
        h = torch.tanh(leaf @ h) + u @ x
        if h.sum() > 1:
            break
    return with_slope(leaf, h)


@wrong("04.unrolled_rnn", "known", "the old state is added once more")
def residual(w, u, xs, h0):
    leaf, h = fresh(w), h0
    for x in xs:
        h = h + torch.tanh(leaf @ h + u @ x)
        if h.sum() > 1:
            break
    return with_slope(leaf, h)


@wrong("04.unrolled_rnn", "known", "the rows of xs are used from the last to the first")
def backwards(w, u, xs, h0):
    leaf = fresh(w)
    rows = [xs[len(xs) - 1 - i] for i in range(len(xs))]
    return with_slope(leaf, run(leaf, u, rows, h0))


@wrong("04.unrolled_rnn", "known", "the first row of xs is left out")
def begins_with_the_second_row(w, u, xs, h0):
    leaf = fresh(w)
    return with_slope(leaf, run(leaf, u, xs[1:], h0))


@wrong("04.unrolled_rnn", "known", "of the sums of all states")
def loss_of_all_steps(w, u, xs, h0):
    leaf, h, total = fresh(w), h0, 0
    for x in xs:
        h = torch.tanh(leaf @ h + u @ x)
        total = total + h.sum()
        if h.sum() > 1:
            break
    return h, with_slope(leaf, total)[1] if len(xs) else torch.zeros_like(w)


@wrong("04.unrolled_rnn", "known", "of the mean of the last state")
def mean_for_sum(w, u, xs, h0):
    leaf = fresh(w)
    h = run(leaf, u, xs, h0)
    return h, with_slope(leaf, h.mean())[1]


@wrong("04.unrolled_rnn", "known", "of the sum of the squares")
def squares(w, u, xs, h0):
    leaf = fresh(w)
    h = run(leaf, u, xs, h0)
    return h, with_slope(leaf, (h**2).sum())[1]


@wrong("04.unrolled_rnn", "known", "the gradient with respect to h0, not w")
def of_h0(w, u, xs, h0):
    leaf = fresh(h0)
    h = run(w, u, xs, leaf)
    return h, torch.autograd.grad(h.sum(), leaf)[0]


@wrong("04.unrolled_rnn", "known", "the two results are swapped")
def gradient_first(w, u, xs, h0):
    leaf = fresh(w)
    return with_slope(leaf, run(leaf, u, xs, h0))[::-1]


@wrong("04.unrolled_rnn", "known", "only the contribution of the first step")
def first_step_alone(w, u, xs, h0):
    leaf, h = fresh(w), h0
    for number, x in enumerate(xs):
        h = torch.tanh((w if number else leaf) @ h + u @ x)
        if h.sum() > 1:
            break
    return with_slope(leaf, h)


@wrong("04.unrolled_rnn", "type", "it must be a tensor")
def state_as_a_list(w, u, xs, h0):
    leaf = fresh(w)
    h, gradient = with_slope(leaf, run(leaf, u, xs, h0))
    return h.tolist(), gradient
