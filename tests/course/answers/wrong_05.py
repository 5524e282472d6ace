"""Wrong answers to notebook 05, each with the diagnosis that must name it and words that its message must have."""

import autograd_teach as torch

WRONG: list[tuple[str, object, str, str]] = []


def wrong(exercise, diagnosis, words=""):
    return lambda answer: WRONG.append((exercise, answer, diagnosis, words)) or answer


def loss_of(data, targets, w):
    return (data @ w - targets).pow(2).mean()


def own_terms(a, b):
    return (a - 1) ** 2 + (b + 1) ** 2


# train_linear


@wrong("05.train_linear", "grad_is_none", "the result of a recorded operation is not a leaf")
def as_it_was_given(data, targets, w, steps, lr):
    losses = []
    for _ in range(steps):
        loss = loss_of(data, targets, w)
        losses.append(loss)
        loss.backward()
        w = w - lr * w.grad
    return losses


@wrong("05.train_linear", "raised", "a leaf Variable that requires grad is being used in an in-place operation")
def without_the_block(data, targets, w, steps, lr):
    losses = []
    for _ in range(steps):
        loss = loss_of(data, targets, w)
        losses.append(loss.item())
        w.grad = None
        loss.backward()
        w -= lr * w.grad
    return losses


@wrong("05.train_linear", "history_kept", "3 of the returned losses still have a history")
def keeps_history(data, targets, w, steps, lr):
    losses = []
    for _ in range(steps):
        loss = loss_of(data, targets, w)
        losses.append(loss)
        w.grad = None
        loss.backward()
        with torch.no_grad():
            w -= lr * w.grad
    return losses


@wrong("05.train_linear", "history_kept", "memory")
def keeps_history_in_one_tensor(data, targets, w, steps, lr):
    return torch.stack(keeps_history(data, targets, w, steps, lr))


@wrong("05.train_linear", "known", "the sum of all gradients so far")
def not_zeroed(data, targets, w, steps, lr):
    losses = []
    for _ in range(steps):
        loss = loss_of(data, targets, w)
        losses.append(loss.item())
        loss.backward()
        with torch.no_grad():
            w -= lr * w.grad
    return losses


@wrong("05.train_linear", "known", "no step reaches w")
def zeroed_between(data, targets, w, steps, lr):
    losses = []
    for _ in range(steps):
        loss = loss_of(data, targets, w)
        losses.append(loss.item())
        loss.backward()
        w.grad.zero_()
        with torch.no_grad():
            w -= lr * w.grad
    return losses


@wrong("05.train_linear", "grad_is_none", "the .grad is None")
def forgotten_between(data, targets, w, steps, lr):
    for _ in range(steps):
        loss_of(data, targets, w).backward()
        w.grad = None
        with torch.no_grad():
            w -= lr * w.grad


@wrong("05.train_linear", "known", "the caller's w has not changed")
def a_new_leaf_each_time(data, targets, w, steps, lr):
    losses = []
    for _ in range(steps):
        loss = loss_of(data, targets, w)
        losses.append(loss.item())
        (gradient,) = torch.autograd.grad(loss, w)
        w = (w - lr * gradient).detach().requires_grad_()
    return losses


@wrong("05.train_linear", "raised", "does not require grad")
def replaced_in_the_block(data, targets, w, steps, lr):
    losses = []
    for _ in range(steps):
        loss = loss_of(data, targets, w)
        losses.append(loss.item())
        w.grad = None
        loss.backward()
        with torch.no_grad():
            w = w - lr * w.grad
    return losses


@wrong("05.train_linear", "known", "a graph belongs to the numbers that it was computed from")
def loss_before_the_loop(data, targets, w, steps, lr):
    losses, loss = [], loss_of(data, targets, w)
    for _ in range(steps):
        losses.append(loss.item())
        w.grad = None
        loss.backward(retain_graph=True)
        with torch.no_grad():
            w -= lr * w.grad
    return losses


@wrong("05.train_linear", "known", "the list must begin with the loss at the starting point")
def noted_late(data, targets, w, steps, lr):
    losses = []
    for _ in range(steps):
        w.grad = None
        loss_of(data, targets, w).backward()
        with torch.no_grad():
            w -= lr * w.grad
        losses.append(loss_of(data, targets, w).item())
    return losses


@wrong("05.train_linear", "known", "uphill")
def uphill(data, targets, w, steps, lr):
    return zeroing(data, targets, w, steps, -lr)


@wrong("05.train_linear", "length", "has 4 entries, it must have 3")
def one_loss_more(data, targets, w, steps, lr):
    return [*zeroing(data, targets, w, steps, lr), loss_of(data, targets, w).item()]


@wrong("05.train_linear", "known", "the list of losses is missing")
def no_list(data, targets, w, steps, lr):
    zeroing(data, targets, w, steps, lr)


@wrong("05.train_linear", "no_leaf_any_more", "w does not require grad any more")
def flag_switched_off(data, targets, w, steps, lr):
    losses = zeroing(data, targets, w, steps, lr)
    w.requires_grad_(False)
    return losses


def zeroing(data, targets, w, steps, lr):
    losses = []
    for _ in range(steps):
        loss = loss_of(data, targets, w)
        losses.append(loss.item())
        (gradient,) = torch.autograd.grad(loss, w)
        with torch.no_grad():
            w -= lr * gradient
    return losses


# stop_gradient


@wrong("05.stop_gradient", "known", "the wrong one is blind")
def swapped(a, b, blind):
    x = a.detach() if blind in ("b", "both") else a
    y = b.detach() if blind in ("a", "both") else b
    return own_terms(a, b) + (x - y) ** 2


@wrong("05.stop_gradient", "known", "whatever `blind` says")
def never_detached(a, b, blind):
    if blind in ("a", "both"):
        a.detach()
    if blind in ("b", "both"):
        b.detach()
    return own_terms(a, b) + (a - b) ** 2


@wrong("05.stop_gradient", "known", "the other one must get its gradient")
def term_detached(a, b, blind):
    last = (a - b) ** 2
    return own_terms(a, b) + (last if blind == "none" else last.detach())


@wrong("05.stop_gradient", "known", "its own term")
def detached_everywhere(a, b, blind):
    if blind in ("a", "both"):
        a = a.detach()
    if blind in ("b", "both"):
        b = b.detach()
    return own_terms(a, b) + (a - b) ** 2


@wrong("05.stop_gradient", "known", "the loss has no history")
def all_in_the_block(a, b, blind):
    with torch.no_grad():
        return own_terms(a, b) + (a - b) ** 2


@wrong("05.stop_gradient", "some_values", "the result is wrong at the returned loss, right at the gradient, the end")
def term_left_out(a, b, blind):
    last = {"none": (a - b) ** 2, "a": (a.detach() - b) ** 2, "b": (a - b.detach()) ** 2, "both": 0 * a}
    return own_terms(a, b) + last[blind]


@wrong("05.stop_gradient", "no_result", "return")
def no_loss(a, b, blind):
    (own_terms(a, b) + (a - b) ** 2).backward()


@wrong("05.stop_gradient", "known", "the second term is (b - 1)²")
def sign_in_the_second_term(a, b, blind):
    x = a.detach() if blind in ("a", "both") else a
    y = b.detach() if blind in ("b", "both") else b
    return own_terms(a, -b) + (x - y) ** 2


@wrong("05.train_linear", "known", "only where the loss grows")
def gives_up_when_the_loss_grows(data, targets, w, steps, lr):
    losses = []
    for _ in range(steps):
        loss = loss_of(data, targets, w)
        if losses and loss.item() > losses[-1]:
            break
        losses.append(loss.item())
        (gradient,) = torch.autograd.grad(loss, w)
        with torch.no_grad():
            w -= lr * gradient
    return losses


@wrong("05.stop_gradient", "known", "what is blind does not require grad any more")
def detached_itself(a, b, blind):
    loss = own_terms(a, b)
    if blind in ("a", "both"):
        a.detach_()
    if blind in ("b", "both"):
        b.detach_()
    return loss + (a - b) ** 2


@wrong("05.stop_gradient", "known", "the number 0 replaces the blind variable")
def nothing_in_its_place(a, b, blind):
    x = torch.zeros_like(a) if blind in ("a", "both") else a
    y = torch.zeros_like(b) if blind in ("b", "both") else b
    return own_terms(a, b) + (x - y) ** 2


# ema_update


@wrong("05.ema_update", "known", "average moves away from weight")
def difference_turned_round(average, weight, decay):
    with torch.no_grad():
        average += (1 - decay) * (average - weight)


@wrong("05.ema_update", "known", "only where average does not require grad")
def only_what_requires_grad(average, weight, decay):
    if average.requires_grad:
        with torch.no_grad():
            average.mul_(decay).add_((1 - decay) * weight)


@wrong("05.ema_update", "known", "nothing was written into it")
def rebound(average, weight, decay):
    with torch.no_grad():
        average = decay * average + (1 - decay) * weight
    return average


@wrong("05.ema_update", "one_shape", "a leaf Variable that requires grad is being used in an in-place operation")
def recorded(average, weight, decay):
    average.mul_(decay).add_((1 - decay) * weight)


@wrong("05.ema_update", "no_leaf_any_more", "average is not a leaf any more")
def recorded_where_allowed(average, weight, decay):
    if not average.requires_grad:
        average.mul_(decay).add_((1 - decay) * weight)
    else:
        average.detach().mul_(decay).add_((1 - decay) * weight.detach())


@wrong("05.ema_update", "no_leaf_any_more", "average requires grad after the call")
def flag_switched_on(average, weight, decay):
    with torch.no_grad():
        average.mul_(decay).add_((1 - decay) * weight)
    average.requires_grad_()


@wrong("05.ema_update", "no_leaf_any_more", "average does not require grad any more")
def flag_switched_off_again(average, weight, decay):
    average.requires_grad_(False)
    average.mul_(decay).add_((1 - decay) * weight.detach())


@wrong("05.ema_update", "known", "swapped")
def shares_swapped(average, weight, decay):
    with torch.no_grad():
        average.mul_(1 - decay).add_(decay * weight)


@wrong("05.ema_update", "known", "only a share of it")
def whole_weight(average, weight, decay):
    with torch.no_grad():
        average.mul_(decay).add_(weight)


@wrong("05.ema_update", "known", "the old average is not multiplied by decay")
def only_added(average, weight, decay):
    with torch.no_grad():
        average += (1 - decay) * weight


@wrong("05.ema_update", "known", "the order is wrong")
def shrunk_last(average, weight, decay):
    with torch.no_grad():
        average += (1 - decay) * weight
        average *= decay


@wrong("05.ema_update", "known", "the old average counts too")
def copied(average, weight, decay):
    with torch.no_grad():
        average.copy_(weight)


@wrong("05.ema_update", "argument_changed", "the argument weight is changed by the call")
def weight_scaled_in_place(average, weight, decay):
    with torch.no_grad():
        average *= decay
        weight *= 1 - decay
        average += weight


# More slips: train_linear


def descend(data, targets, w, steps, lr, loss_of=loss_of, keep=lambda loss, after: loss, gradient_of=None):
    """A right loop but for what is handed over: the loss, what is kept of it, the gradient of the step."""
    losses = []
    for _ in range(steps):
        loss = loss_of(data, targets, w)
        gradient = (gradient_of or torch.autograd.grad)(loss, w)[0]
        with torch.no_grad():
            w -= lr * gradient
            losses.append(float(keep(loss, loss_of(data, targets, w))))
    return losses


@wrong("05.train_linear", "known", "the sum of the squared errors, but the loss is their mean")
def sum_for_mean(data, targets, w, steps, lr):
    return descend(data, targets, w, steps, lr, lambda data, targets, w: ((data @ w - targets) ** 2).sum())


@wrong("05.train_linear", "known", "the loss is half of what it must be")
def half_the_mean(data, targets, w, steps, lr):
    return descend(data, targets, w, steps, lr, lambda data, targets, w: ((data @ w - targets) ** 2).mean() / 2)


@wrong("05.train_linear", "known", "the root of the mean")
def root_of_the_mean(data, targets, w, steps, lr):
    return descend(data, targets, w, steps, lr, lambda *given: loss_of(*given).sqrt())


@wrong("05.train_linear", "known", "the absolute values of the errors")
def absolute_errors(data, targets, w, steps, lr):
    return descend(data, targets, w, steps, lr, lambda data, targets, w: (data @ w - targets).abs().mean())


@wrong("05.train_linear", "known", "every prediction is compared with every target")
def a_column_less_a_row(data, targets, w, steps, lr):
    return descend(
        data, targets, w, steps, lr, lambda data, targets, w: (data @ w.reshape(-1, 1) - targets).pow(2).mean()
    )


@wrong("05.train_linear", "known", "the targets are added")
def targets_added(data, targets, w, steps, lr):
    return descend(data, targets, w, steps, lr, lambda data, targets, w: (data @ w + targets).pow(2).mean())


@wrong("05.train_linear", "known", "the first example alone")
def first_example(data, targets, w, steps, lr):
    return descend(data, targets, w, steps, lr, lambda data, targets, w: (data[:1] @ w - targets[:1]).pow(2).mean())


@wrong("05.train_linear", "known", "each loss is the loss after its step")
def noted_late_and_accumulated(data, targets, w, steps, lr):
    losses = []
    for _ in range(steps):
        loss_of(data, targets, w).backward()
        with torch.no_grad():
            w -= lr * w.grad
        losses.append(loss_of(data, targets, w).item())
    return losses


@wrong("05.train_linear", "known", "the gradients are divided by the number of examples once more")
def divided_once_more(data, targets, w, steps, lr):
    return descend(
        data, targets, w, steps, lr, gradient_of=lambda loss, w: [torch.autograd.grad(loss, w)[0] / len(data)]
    )


@wrong("05.train_linear", "known", "lr is not used")
def without_lr(data, targets, w, steps, lr):
    return descend(data, targets, w, steps, 1.0)


@wrong("05.train_linear", "known", "one step is missing")
def one_step_less(data, targets, w, steps, lr):
    losses = descend(data, targets, w, steps - 1, lr)
    return [*losses, loss_of(data, targets, w).item()]


@wrong("05.train_linear", "known", "the gradient of the step before")
def stale_gradient(data, targets, w, steps, lr):
    losses, (gradient,) = [], torch.autograd.grad(loss_of(data, targets, w), w)
    for _ in range(steps):
        losses.append(loss_of(data, targets, w).item())
        (following,) = torch.autograd.grad(loss_of(data, targets, w), w)
        with torch.no_grad():
            w -= lr * gradient
        gradient = following
    return losses


@wrong("05.train_linear", "known", "each loss is the mean of all losses so far")
def running_mean(data, targets, w, steps, lr):
    losses = descend(data, targets, w, steps, lr)
    return [sum(losses[: n + 1]) / (n + 1) for n in range(steps)]


@wrong("05.train_linear", "known", "only the last loss")
def last_loss_alone(data, targets, w, steps, lr):
    return descend(data, targets, w, steps, lr)[-1]


@wrong("05.train_linear", "no_leaf_any_more", "data requires grad after the call")
def data_as_a_leaf(data, targets, w, steps, lr):
    data.requires_grad_()
    return descend(data, targets, w, steps, lr)


# More slips: stop_gradient


def with_last(a, b, stop_a, stop_b):
    x, y = a.detach() if stop_a else a, b.detach() if stop_b else b
    return own_terms(a, b) + (x - y) ** 2


@wrong("05.stop_gradient", "known", "if `blind` is 'both', the last term sends its gradient to a and b")
def both_forgotten(a, b, blind):
    return with_last(a, b, blind == "a", blind == "b")


@wrong("05.stop_gradient", "known", "if `blind` is 'both', the last term sends its gradient to b alone")
def else_if(a, b, blind):
    if blind in ("a", "both"):
        a_last, b_last = a.detach(), b
    elif blind in ("b", "both"):
        a_last, b_last = a, b.detach()
    else:
        a_last, b_last = a, b
    return own_terms(a, b) + (a_last - b_last) ** 2


@wrong("05.stop_gradient", "known", "if `blind` is 'none', the last term sends its gradient to neither")
def none_stops_both(a, b, blind):
    return with_last(a, b, blind != "b", blind != "a")


@wrong("05.stop_gradient", "known", "if `blind` is 'b', the last term sends its gradient to a and b")
def b_forgotten(a, b, blind):
    return with_last(a, b, blind in ("a", "both"), blind == "both")


@wrong("05.stop_gradient", "known", "if `blind` is 'a', the last term sends its gradient to neither")
def a_stops_both(a, b, blind):
    return with_last(a, b, blind in ("a", "both"), blind != "none")


@wrong("05.stop_gradient", "known", "the last term sends its gradient to those that are blind")
def the_other_way_round(a, b, blind):
    return with_last(a, b, blind in ("none", "b"), blind in ("none", "a"))


@wrong("05.stop_gradient", "known", "if `blind` is 'both', the loss has no history")
def block_for_both(a, b, blind):
    if blind == "both":
        with torch.no_grad():
            return own_terms(a, b) + (a - b) ** 2
    return with_last(a, b, blind == "a", blind == "b")


@wrong("05.stop_gradient", "known", "the last term is (a + b)²")
def plus_in_the_last_term(a, b, blind):
    x, y = a.detach() if blind in ("a", "both") else a, b.detach() if blind in ("b", "both") else b
    return own_terms(a, b) + (x + y) ** 2


@wrong("05.stop_gradient", "known", "the first term is (a + 1)²")
def plus_in_the_first_term(a, b, blind):
    return with_last(a, b, blind in ("a", "both"), blind in ("b", "both")) + 4 * a


@wrong("05.stop_gradient", "known", "the loss lacks its last term")
def only_the_own_terms(a, b, blind):
    return own_terms(a, b) + ((a - b) ** 2 if blind == "none" else 0)


@wrong("05.stop_gradient", "known", "the last term is |a - b|")
def not_squared(a, b, blind):
    x, y = a.detach() if blind in ("a", "both") else a, b.detach() if blind in ("b", "both") else b
    return own_terms(a, b) + (x - y).abs()


@wrong("05.stop_gradient", "known", "its own term")
def one_detached_everywhere(a, b, blind):
    if blind == "both":
        return own_terms(a, b) + (a - b).detach() ** 2
    a, b = a.detach() if blind == "a" else a, b.detach() if blind == "b" else b
    return own_terms(a, b) + (a - b) ** 2


@wrong("05.stop_gradient", "type", "the returned loss is a Python number, it must be a tensor of shape ()")
def plain_number(a, b, blind):
    return (own_terms(a, b) + (a - b) ** 2).item()


# More slips: ema_update


def put(average, new):
    with torch.no_grad():
        average.copy_(new)


@wrong("05.ema_update", "known", "now decay times itself plus decay times weight")
def both_by_decay(average, weight, decay):
    put(average, decay * average + decay * weight)


@wrong("05.ema_update", "known", "now all of itself plus all of weight")
def plain_sum(average, weight, decay):
    put(average, average + weight)


@wrong("05.ema_update", "known", "the order is wrong")
def scaled_after_adding(average, weight, decay):
    with torch.no_grad():
        average += (1 - decay) * weight
        average *= decay


@wrong("05.ema_update", "known", "the old average is not multiplied by decay")
def not_scaled_first(average, weight, decay):
    with torch.no_grad():
        average.add_(weight, alpha=1 - decay)


@wrong("05.ema_update", "known", "now decay times itself")
def weight_left_out(average, weight, decay):
    with torch.no_grad():
        average *= decay


@wrong("05.ema_update", "known", "now half of itself plus half of weight")
def plain_mean(average, weight, decay):
    put(average, (average + weight) / 2)


@wrong("05.ema_update", "known", "decay times itself plus decay - 1 times weight")
def subtracted(average, weight, decay):
    put(average, decay * average - (1 - decay) * weight)


@wrong("05.ema_update", "no_leaf_any_more", "weight does not require grad any more")
def weight_switched_off(average, weight, decay):
    weight.requires_grad_(False)
    put(average, decay * average.detach() + (1 - decay) * weight)


@wrong("05.ema_update", "argument_changed", "the argument weight is changed")
def into_the_weight(average, weight, decay):
    with torch.no_grad():
        average *= decay
        weight.mul_(1 - decay)
        average += weight
