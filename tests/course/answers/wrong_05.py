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


@wrong("05.train_linear", "grad_is_none", "the .grad is None")
def forgotten_between(data, targets, w, steps, lr):
    for _ in range(steps):
        loss_of(data, targets, w).backward()
        w.grad = None
        with torch.no_grad():
            w -= lr * w.grad


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


@wrong("05.stop_gradient", "type", "the gradient of a is None, it must be a tensor of shape (); a gradient")
def all_in_the_block(a, b, blind):
    with torch.no_grad():
        return own_terms(a, b) + (a - b) ** 2


@wrong("05.stop_gradient", "no_result", "return")
def no_loss(a, b, blind):
    (own_terms(a, b) + (a - b) ** 2).backward()


# ema_update


@wrong("05.ema_update", "one_shape", "a leaf Variable that requires grad is being used in an in-place operation")
def recorded(average, weight, decay):
    average.mul_(decay).add_((1 - decay) * weight)


@wrong("05.ema_update", "no_leaf_any_more", "average does not require grad any more")
def flag_switched_off_again(average, weight, decay):
    average.requires_grad_(False)
    average.mul_(decay).add_((1 - decay) * weight.detach())


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


@wrong("05.train_linear", "some_values", "the result is wrong at what is returned at [0], what is returned at")
def absolute_errors(data, targets, w, steps, lr):
    return descend(data, targets, w, steps, lr, lambda data, targets, w: (data @ w - targets).abs().mean())


@wrong("05.train_linear", "some_values", "the result is wrong at w after the call, right at what is returned: w")
def one_step_less(data, targets, w, steps, lr):
    losses = descend(data, targets, w, steps - 1, lr)
    return [*losses, loss_of(data, targets, w).item()]


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


@wrong("05.stop_gradient", "known", "if `blind` is 'none', the last term sends its gradient to neither")
def none_stops_both(a, b, blind):
    return with_last(a, b, blind != "b", blind != "a")


@wrong("05.stop_gradient", "type", "the returned loss is a Python number, it must be a tensor of shape ()")
def plain_number(a, b, blind):
    return (own_terms(a, b) + (a - b) ** 2).item()


# More slips: ema_update


def put(average, new):
    with torch.no_grad():
        average.copy_(new)


@wrong("05.ema_update", "known", "the part of weight: `decay` stands in the place of the share of weight")
def both_by_decay(average, weight, decay):
    put(average, decay * average + decay * weight)


@wrong("05.ema_update", "known", "the new average: it is `average + weight` in yours")
def plain_sum(average, weight, decay):
    put(average, average + weight)


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
