"""Right answers to notebook 05, each written another way."""

import numpy as np

import autograd_teach as torch

RIGHT: list[tuple[str, object]] = []


def right(exercise):
    return lambda answer: RIGHT.append((exercise, answer)) or answer


@right("05.train_linear")
def by_grad(data, targets, w, steps, lr):
    assert w.is_leaf
    losses = []
    for _ in range(steps):
        loss = torch.mean((data.mv(w) - targets) ** 2)
        (gradient,) = torch.autograd.grad(loss, w)
        losses.append(float(loss))
        with torch.no_grad():
            w.sub_(gradient * lr)
    return losses


@right("05.train_linear")
def zeroed_after(data, targets, w, steps, lr):
    losses = []
    for step in range(steps):
        loss = ((data @ w - targets) ** 2).sum() / len(data)
        loss.backward()
        with torch.no_grad():
            w -= lr * w.grad
            w.grad.zero_()
        print(step, loss.item())
        losses.append(loss.detach())
    return losses


@right("05.train_linear")
def by_optimizer(data, targets, w, steps, lr):
    optimizer = torch.optim.SGD([w], lr=lr)
    losses = torch.zeros(steps, dtype=w.dtype)
    for step in range(steps):
        loss = torch.nn.functional.mse_loss(data @ w, targets)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses[step] = loss.item()
    return losses


@right("05.train_linear")
def through_detach(data, targets, w, steps, lr):
    numbers, losses = w.detach(), ()
    for _ in range(steps):
        errors = data @ w - targets
        w.grad = None
        errors.pow(2).mean().backward()
        losses = (*losses, (errors.detach() ** 2).mean().item())
        numbers -= lr * w.grad
    return losses


@right("05.train_linear")
def in_numpy(data, targets, w, steps, lr):
    a, b, at, losses = data.numpy(), targets.numpy(), w.detach().numpy().copy(), []
    for _ in range(steps):
        losses.append(np.mean((a @ at - b) ** 2))
        at -= lr * 2 / len(b) * a.T @ (a @ at - b)
    with torch.no_grad():
        w.copy_(torch.from_numpy(at))
    return losses


@right("05.stop_gradient")
def by_cases(a, b, blind):
    own = (a - 1) ** 2 + (b + 1) ** 2
    if blind == "both":
        return own + ((a - b) ** 2).detach()
    if blind == "a":
        return own + (a.detach() - b) ** 2
    if blind == "b":
        return own + (a - b.detach()) ** 2
    return own + (a - b) ** 2


@right("05.stop_gradient")
def with_a_block(a, b, blind):
    with torch.no_grad():
        still_a, still_b = a * 1, b * 1
    x = still_a if blind in {"a", "both"} else a
    y = still_b if blind in {"b", "both"} else b
    difference = x - y
    return (a - 1).pow(2) + (b + 1).pow(2) + difference * difference


@right("05.stop_gradient")
def by_items(a, b, blind):
    x = a.item() if blind in ("a", "both") else a
    y = b.item() if blind in ("b", "both") else b
    assert blind in ("none", "a", "b", "both")
    return torch.square(a - 1) + torch.square(b + 1) + (y - x) ** 2


@right("05.stop_gradient")
def by_a_table(a, b, blind):
    pair = {"none": (a, b), "a": (a.detach(), b), "b": (a, b.detach()), "both": (a.detach(), b.detach())}
    x, y = pair[blind]
    return a * a - 2 * a + 1 + b * b + 2 * b + 1 + x * x - 2 * x * y + y * y


@right("05.ema_update")
def copied(average, weight, decay):
    new = decay * average.detach() + (1 - decay) * weight.detach()
    with torch.no_grad():
        average.copy_(new)


@right("05.ema_update")
def chained(average, weight, decay):
    average.detach().mul_(decay).add_((1 - decay) * weight.detach())


@right("05.ema_update")
@torch.no_grad()
def decorated(average, weight, decay):
    average.add_((weight - average) * (1 - decay))
    return average


@right("05.ema_update")
def sliced(average, weight, decay):
    assert 0 < decay < 1
    with torch.no_grad():
        average[...] = average * decay + weight * (1 - decay)
    print(average)


@right("05.ema_update")
def old_way(average, weight, decay):
    average.data = decay * average.data + (1 - decay) * weight.data


# More ways


@right("05.train_linear")
def by_hand(data, targets, w, steps, lr):
    """The gradient from its formula; nothing is recorded."""
    losses = []
    with torch.no_grad():
        for _ in range(steps):
            errors = data @ w - targets
            losses.append((errors @ errors / len(errors)).item())
            w.add_(data.T @ errors, alpha=-2 * lr / len(errors))
    return losses


@right("05.train_linear")
def a_new_leaf_inside(data, targets, w, steps, lr):
    """The caller's tensor gets the numbers at the end."""
    inner, losses = w.detach().clone().requires_grad_(), []
    while len(losses) < steps:
        loss = sum((row @ inner - target) ** 2 for row, target in zip(data, targets)) / len(data)
        losses.append(loss.detach().numpy())
        inner = (inner - lr * torch.autograd.grad(loss, inner)[0]).detach().requires_grad_()
    with torch.no_grad():
        w[:] = inner
    return losses


@right("05.stop_gradient")
def gradients_blended(a, b, blind):
    """Where a is blind, the last term sees a's number and none of its history."""
    see = {"none": (1, 1), "a": (0, 1), "b": (1, 0), "both": (0, 0)}[blind]
    x, y = (see_it * v + (1 - see_it) * v.detach() for see_it, v in zip(see, (a, b)))
    return torch.stack([a - 1, b + 1, x - y]).pow(2).sum()


@right("05.stop_gradient")
def detached_and_put_back(a, b, blind):
    hidden = [v.clone().detach() if blind in (name, "both") else v for name, v in (("a", a), ("b", b))]
    total = torch.tensor([0.0], dtype=a.dtype)
    for term in (a - 1, b + 1, hidden[0] - hidden[1]):
        total = total + term * term
    return total


@right("05.ema_update")
def entry_by_entry(average, weight, decay):
    with torch.no_grad():
        old, new = average.reshape(-1), weight.reshape(-1)
        for i in range(len(old)):
            old[i] = decay * old[i] + (1 - decay) * new[i]
    return "what comes back does not matter"


@right("05.ema_update")
def by_lerp(average, weight, decay):
    torch.set_grad_enabled(False)
    average.lerp_(weight, 1 - decay)
    torch.set_grad_enabled(True)
