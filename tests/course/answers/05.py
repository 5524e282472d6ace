"""Answers to notebook 05: see tests/course/table.py."""

# %% 05.train_linear right: by grad
def train_linear(data, targets, w, steps, lr):
    assert w.is_leaf
    losses = []
    for _ in range(steps):
        loss = torch.mean((data.mv(w) - targets) ** 2)
        (gradient,) = torch.autograd.grad(loss, w)
        losses.append(float(loss))
        with torch.no_grad():
            w.sub_(gradient * lr)
    return losses

# %% 05.train_linear right: zeroed after
def train_linear(data, targets, w, steps, lr):
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

# %% 05.train_linear right: by optimizer
def train_linear(data, targets, w, steps, lr):
    optimizer = torch.optim.SGD([w], lr=lr)
    losses = torch.zeros(steps, dtype=w.dtype)
    for step in range(steps):
        loss = torch.nn.functional.mse_loss(data @ w, targets)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses[step] = loss.item()
    return losses

# %% 05.train_linear right: through detach
def train_linear(data, targets, w, steps, lr):
    numbers, losses = w.detach(), ()
    for _ in range(steps):
        errors = data @ w - targets
        w.grad = None
        errors.pow(2).mean().backward()
        losses = (*losses, (errors.detach() ** 2).mean().item())
        numbers -= lr * w.grad
    return losses

# %% 05.train_linear right: in numpy
import numpy as np


def train_linear(data, targets, w, steps, lr):
    a, b, at, losses = data.numpy(), targets.numpy(), w.detach().numpy().copy(), []
    for _ in range(steps):
        losses.append(np.mean((a @ at - b) ** 2))
        at -= lr * 2 / len(b) * a.T @ (a @ at - b)
    with torch.no_grad():
        w.copy_(torch.from_numpy(at))
    return losses

# %% 05.train_linear right: by hand
def train_linear(data, targets, w, steps, lr):
    """The gradient from its formula; nothing is recorded."""
    losses = []
    with torch.no_grad():
        for _ in range(steps):
            errors = data @ w - targets
            losses.append((errors @ errors / len(errors)).item())
            w.add_(data.T @ errors, alpha=-2 * lr / len(errors))
    return losses

# %% 05.train_linear right: a new leaf inside
def train_linear(data, targets, w, steps, lr):
    """The caller's tensor gets the numbers at the end."""
    inner, losses = w.detach().clone().requires_grad_(), []
    while len(losses) < steps:
        loss = sum((row @ inner - target) ** 2 for row, target in zip(data, targets)) / len(data)
        losses.append(loss.detach().numpy())
        inner = (inner - lr * torch.autograd.grad(loss, inner)[0]).detach().requires_grad_()
    with torch.no_grad():
        w[:] = inner
    return losses

# %% 05.train_linear right: the given loop repaired: item(), no_grad, -= and grad set to None
def train_linear(data, targets, w, steps, lr):
    losses = []
    for step in range(steps):
        w.grad = None
        loss = (data @ w - targets).pow(2).mean()
        losses.append(loss.item())
        loss.backward()
        with torch.no_grad():
            w -= lr * w.grad
    w.grad = None
    return losses

# %% 05.train_linear right: autograd.grad and copy_, losses in a tuple of detached tensors
def train_linear(data, targets, w, steps, lr):
    losses = ()
    for _ in range(steps):
        residual = data.matmul(w) - targets
        loss = (residual * residual).sum() / len(targets)
        losses = losses + (loss.detach(),)
        (g,) = torch.autograd.grad(loss, w)
        with torch.no_grad():
            w.copy_(w - lr * g)
    return losses

# %% 05.train_linear right: the gradient by hand, without autograd; the losses in one tensor
@torch.no_grad()
def train_linear(data, targets, w, steps, lr):
    losses = torch.zeros(steps)
    n = data.shape[0]
    for step in range(steps):
        r = data @ w - targets
        losses[step] = (r ** 2).mean()
        w.sub_(2 * lr / n * (data.T @ r))
    return losses

# %% 05.train_linear right: an SGD optimizer does the steps
def train_linear(data, targets, w, steps, lr):
    optimizer = torch.optim.SGD([w], lr=lr)
    losses = []
    for step in range(steps):
        optimizer.zero_grad()
        loss = ((data @ w - targets) ** 2).mean()
        loss.backward()
        losses.append(float(loss))
        optimizer.step()
    return losses

# %% 05.train_linear right: trains a detached copy and writes it back into w.data at the end
def train_linear(data, targets, w, steps, lr):
    v = w.detach().clone().requires_grad_()
    losses = []
    for step in range(steps):
        loss = (data @ v - targets).pow(2).mean()
        losses.append(loss.item())
        g, = torch.autograd.grad(loss, v)
        v = (v - lr * g).detach().requires_grad_()
    w.data.copy_(v.detach())
    return losses

# %% 05.train_linear right: w.data gets a new tensor in each step, the gradient is cleared with zero_ after it
def train_linear(data, targets, w, steps, lr):
    losses = []
    for step in range(steps):
        loss = (data @ w - targets).pow(2).mean()
        losses.append(loss.data)
        loss.backward()
        w.data = w.data - lr * w.grad
        w.grad.zero_()
    return losses

# %% 05.train_linear right: computes the gradient by hand under no_grad and returns a tensor of the losses
@torch.no_grad()
def train_linear(data, targets, w, steps, lr):
    losses = torch.zeros(steps, dtype=data.dtype)
    n = data.shape[0]
    for step in range(steps):
        miss = data @ w - targets
        losses[step] = (miss * miss).sum() / n
        w.sub_(lr * 2 / n * (data.T @ miss))
    return losses

# %% 05.train_linear wrong: the list of losses holds tensors with a history, so it keeps every graph in memory
expect("history_kept", "returned losses still have a history: as long as they exist, they keep the graphs of")
edit("losses.append(loss.item())", "losses.append(loss)", of="the given")

# %% 05.train_linear wrong: w is bound to a new tensor in each step, so the caller's w is never trained
expect("known", "the caller's w has not changed: nothing was written into it")
edit("w.grad = None\n        loss.backward()\n        with torch.no_grad():\n            w -= lr * w.grad",
     "g, = torch.autograd.grad(loss, w)\n        w = (w - lr * g).detach().requires_grad_()")

# %% 05.train_linear wrong: the list holds the loss after each step, not before it
expect("known", "each loss is the loss after its step: the list must begin with the loss at the starting")
edit("\n        print(step, loss.item())\n        losses.append(loss.detach(",
     "\n            losses.append((data @ w - targets).pow(2).mean().item(", of="zeroed after")

# %% 05.train_linear wrong: the gradient is added: the step goes uphill
expect("known", "the steps go uphill: the loss grows in the direction of the gradient")
edit("w -= lr * w.grad", "w += lr * w.grad", of="the given")

# %% 05.train_linear wrong: the loss is the sum of the squared errors, not the mean
expect("known", "the loss: this is the sum, but it must be the mean")
edit("loss = (data @ w - targets).pow(2).mean()", "loss = (data @ w - targets).pow(2).sum()", of="the given")

# %% 05.train_linear wrong: w is frozen with requires_grad_(False) for the step and never set back
expect("no_leaf_any_more", "w does not require grad any more: its `requires_grad` must not change")
edit("for step in range(steps):", "for step in range(steps):\n        w.requires_grad_(True)\n        w.grad = None",
     "with torch.no_grad():\n            w -= lr * w.grad", "w.requires_grad_(False)\n        w -= lr * w.grad")

# %% 05.train_linear wrong: the return is inside the loop: only one step is done
expect("known", "only one step is made: does the `return` stand inside the loop?")
edit("w -= lr * w.grad\n    w.grad = None", "w -= lr * w.grad\n        w.grad = None",
     "w.grad = None\n    return losses", "w.grad = None\n        return losses", of="the given")

# %% 05.train_linear wrong: return is forgotten
expect("known", "the list of losses is missing: the result is None")
edit("w.grad = None\n    return losses", "w.grad = None", of="the given")

# %% 05.train_linear wrong: only the last loss is returned, not the list
expect("known", "the losses must be a list with the loss of each step, but this is only the last loss")
edit("return losses", "return loss.item()", of="the given")

# %% 05.train_linear wrong: the learning rate is forgotten in the step
expect("known", "the new w: `lr` is left out")
edit("w -= lr * w.grad", "w -= w.grad", of="the given")

# %% 05.train_linear wrong: the mean is divided by the number of weights instead of the number of examples
expect("known", "the loss is divided by the number of weights, not of examples")
edit("loss = (data @ w - targets).pow(2).mean()", "loss = (data @ w - targets).pow(2).sum() / len(w)", of="the given")

# %% 05.train_linear wrong: the square root is taken: the root mean squared error is trained
expect("known", "the square root of the mean is taken: the loss is the mean itself")
edit("loss = (data @ w - targets).pow(2).mean()", "loss = (data @ w - targets).pow(2).mean().sqrt()", of="the given")

# %% 05.train_linear wrong: the argument targets is changed in place
expect("argument_changed", "the argument targets is changed by the call: work on a copy of it")
edit("losses = []", "losses = []\n    original = targets.clone()",
     "loss = (data @ w - targets).pow(2).mean()", "loss = (data @ w - original).pow(2).mean()",
     "w -= lr * w.grad", "w -= lr * w.grad\n            targets -= data @ w", of="the given")

# %% 05.train_linear wrong: the loss has an extra factor 1/2 (half the mean squared error), so losses and steps are half as big as specified
expect("known", "the loss: it is half of what it must be")
edit("losses = []", "losses = []\n    n = len(data)",
     "loss = (data @ w - targets).pow(2).mean()", "loss = (data @ w - targets).pow(2).sum() / (2 * n)",
     "w.grad = None\n        loss.backward()", "g, = torch.autograd.grad(loss, w)",
     "w -= lr * w.grad", "w -= lr * g")

# %% 05.train_linear wrong: momentum by hand sums gradients
expect("known", "as if `.grad` were never cleared", never=("because backward adds",))
edit("for step in range(steps):\n        w.grad = None", "for step in range(steps):", of="the given")

# %% 05.train_linear wrong: w new under no_grad
expect("raised", "nor does `w`: line 8, `w = w - lr * w.grad`, runs under `no_grad`",
       never=("nothing was recorded between the leaf and it", "`data`"))
edit("for step in range(steps):\n        w.grad = None", "for step in range(steps):",
     "w -= lr * w.grad", "w = w - lr * w.grad", of="the given")

# %% 05.train_linear wrong: detached w
expect("raised", "nor does `w`: line 7", "cuts the history off: `detach`",
       never=("nothing was recorded between the leaf and it", "create_graph"))
edit("w.data = w.data - lr * w.grad\n        w.grad.zero_()", "w = w.detach() - lr * w.grad", of="w.data gets")

# %% 05.train_linear wrong: as a tensor new
expect("raised", "line 4", "cuts the history off: `detach`", never=("nothing was recorded between the leaf and it",))
edit("\n        w.grad = None\n        loss = (data @ w", "\n        loss = (data @ w.detach()", of="the given")

# %% 05.train_linear wrong: the original
expect("raised", "the result of a recorded operation is not a leaf", never=("the result of an operation is not",))
edit("\n        with torch.no_grad():\n            w -=", "\n        w = w -")

# %% 05.train_linear wrong: losses wrong second
expect("some_values", "what is returned at [1]", "the largest relative difference is", never=("['losses']",))
edit("losses.append(loss.item())", "losses.append(loss.item() + 0.00002 * step)")

# %% 05.train_linear wrong: one loss too many
expect("length", "what is returned has 4 entries, it must have 3", never=("['losses']",))
edit("losses = []", "losses = [(data @ w - targets).pow(2).mean().item()]",
     "\n        losses.append(loss.item())\n        w", "\n        w",
     "w -= lr * w.grad", "w -= lr * w.grad\n        losses.append((data @ w - targets).pow(2).mean().item())")

# %% 05.train_linear wrong: dict of losses
expect("type", "what is returned is a dict, it must be a list or tuple", never=("['losses']",))
edit("losses = []", "losses = {}", "losses.append(loss.item())", "losses[step] = loss.item()")

# %% 05.train_linear wrong: losses with numbers but tuple of dict
expect("length", "what is returned has 2 entries, it must have 3", never=("the steps made new tensors",))
def train_linear(data, targets, w, steps, lr):
    return w

# %% 05.train_linear wrong: returns nothing and w not trained
expect("known", "the list of losses is missing", never=("w is trained",))
def train_linear(data, targets, w, steps, lr):
    for step in range(steps):
        loss = (data @ w - targets).pow(2).mean()
        print(loss.item())

# %% 05.train_linear wrong: five decimals of each loss
expect("some_values", "it must be 0.", never=("single weight", "only where"))
edit("losses.append(float(loss))", 'losses.append(float(f"{loss.item():.5f}"))', of="an SGD optimizer")

# %% 05.train_linear wrong: stops when the loss grows
expect("known", "the result is wrong only where the loss grows", "(seen for 1 of 5 inputs)")
edit("w.grad = None", "if losses[-1] > losses[0]:\n            continue",
     "for step in range(steps):", "for step in range(steps):\n        w.grad = None")

# %% 05.train_linear wrong: a method without its call; PyTorch's methods are of another type
expect("type", "is a method, it must be a number; are the `()` missing that call it?", engine='autograd_teach')
edit("losses.append(loss.item())", "losses.append(loss.detach)", of="the given")

# %% 05.train_linear wrong: zeroes the gradient between backward and the update, so w does not move
expect("known", "w stays as it was: is the gradient 0, or gone, when the step is made?")
def train_linear(data, targets, w, steps, lr):
    losses = []
    for step in range(steps):
        loss = (data @ w - targets).pow(2).mean()
        losses.append(loss.item())
        loss.backward()
        with torch.no_grad():
            grad = w.grad
            w.grad.zero_()
            w -= lr * grad
    return losses

# %% 05.train_linear wrong: the gradient by hand divides by the number of columns (the example is square)
expect("known", "the gradient is divided by the number of weights, but the loss is the mean over the examples")
def train_linear(data, targets, w, steps, lr):
    # the gradient of the MSE is known: 2/n X^T (Xw - t)
    n = data.shape[1]
    losses = []
    with torch.no_grad():
        for _ in range(steps):
            r = data @ w - targets
            losses.append((r ** 2).mean().item())
            w -= lr * (2 / n) * (data.T @ r)
    return losses

# %% 05.stop_gradient right: by cases
def stop_gradient(a, b, blind):
    own = (a - 1) ** 2 + (b + 1) ** 2
    if blind == "both":
        return own + ((a - b) ** 2).detach()
    if blind == "a":
        return own + (a.detach() - b) ** 2
    if blind == "b":
        return own + (a - b.detach()) ** 2
    return own + (a - b) ** 2

# %% 05.stop_gradient right: with a block
def stop_gradient(a, b, blind):
    with torch.no_grad():
        still_a, still_b = a * 1, b * 1
    x = still_a if blind in {"a", "both"} else a
    y = still_b if blind in {"b", "both"} else b
    difference = x - y
    return (a - 1).pow(2) + (b + 1).pow(2) + difference * difference

# %% 05.stop_gradient right: by items
def stop_gradient(a, b, blind):
    x = a.item() if blind in ("a", "both") else a
    y = b.item() if blind in ("b", "both") else b
    assert blind in ("none", "a", "b", "both")
    return torch.square(a - 1) + torch.square(b + 1) + (y - x) ** 2

# %% 05.stop_gradient right: by a table
def stop_gradient(a, b, blind):
    pair = {"none": (a, b), "a": (a.detach(), b), "b": (a, b.detach()), "both": (a.detach(), b.detach())}
    x, y = pair[blind]
    return a * a - 2 * a + 1 + b * b + 2 * b + 1 + x * x - 2 * x * y + y * y

# %% 05.stop_gradient right: gradients blended
def stop_gradient(a, b, blind):
    """Where a is blind, the last term sees a's number and none of its history."""
    see = {"none": (1, 1), "a": (0, 1), "b": (1, 0), "both": (0, 0)}[blind]
    x, y = (see_it * v + (1 - see_it) * v.detach() for see_it, v in zip(see, (a, b)))
    return torch.stack([a - 1, b + 1, x - y]).pow(2).sum()

# %% 05.stop_gradient right: detached and put back
def stop_gradient(a, b, blind):
    hidden = [v.clone().detach() if blind in (name, "both") else v for name, v in (("a", a), ("b", b))]
    total = torch.tensor([0.0], dtype=a.dtype)
    for term in (a - 1, b + 1, hidden[0] - hidden[1]):
        total = total + term * term
    return total

# %% 05.stop_gradient right: two new names, detached if blind
def stop_gradient(a, b, blind):
    pa = a.detach() if blind in ("a", "both") else a
    pb = b.detach() if blind in ("b", "both") else b
    return (a - 1) ** 2 + (b + 1) ** 2 + (pa - pb) ** 2

# %% 05.stop_gradient right: the pull is computed under no_grad or with one side detached, four branches
def stop_gradient(a, b, blind):
    loss = (a - 1).pow(2) + (b + 1).pow(2)
    if blind == "none":
        return loss + (a - b).pow(2)
    if blind == "a":
        return loss + (a.detach() - b).pow(2)
    if blind == "b":
        return loss + (a - b.detach()).pow(2)
    with torch.no_grad():
        pull = (a - b).pow(2)
    return loss + pull

# %% 05.stop_gradient right: both plain numbers by item(), with a dictionary of pulls
def stop_gradient(a, b, blind):
    x, y = a.item(), b.item()
    pulls = {
        "none": lambda: (a - b) * (a - b),
        "a": lambda: (b - x) * (b - x),
        "b": lambda: torch.square(a - y),
        "both": lambda: (x - y) ** 2,
    }
    return torch.square(a - 1) + torch.square(b + 1) + pulls[blind]()

# %% 05.stop_gradient right: a custom Function that sends back no gradient
class Stop(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.clone()

    @staticmethod
    def backward(ctx, grad_output):
        return torch.zeros_like(grad_output)

def stop_gradient(a, b, blind):
    left = a if blind in {"none", "b"} else Stop.apply(a)
    right = b if blind in {"none", "a"} else Stop.apply(b)
    return (1 - a) ** 2 + (1 + b) ** 2 + (right - left) ** 2

# %% 05.stop_gradient right: the last term is its value as a constant, plus its slopes times (a - a.detach()) and (b - b.detach())
def stop_gradient(a, b, blind):
    gap = (a - b).detach()
    loss = (a - 1) ** 2 + (b + 1) ** 2 + gap * gap
    if blind in ("none", "b"):
        loss = loss + 2 * gap * (a - a.detach())
    if blind in ("none", "a"):
        loss = loss - 2 * gap * (b - b.detach())
    return loss

# %% 05.stop_gradient wrong: a and b are mixed up: with 'a' it is b that does not feel the pull
expect("known", "the wrong one is blind: if `blind` is 'a', then a still gets a gradient from the last")
edit('last_a = a.detach() if blind in ("a", "both") else a', 'last_a = a.detach() if blind in ("b", "both") else a',
     'last_b = b.detach() if blind in ("b", "both") else b', 'last_b = b.detach() if blind in ("a", "both") else b')

# %% 05.stop_gradient wrong: a blind variable is detached in its own term too, so it gets no gradient at all
expect("known", "the blind one gets no gradient at all and never moves: its own term, the first or the")
def stop_gradient(a, b, blind):
    if blind in ("a", "both"):
        a = a.detach()
    if blind in ("b", "both"):
        b = b.detach()
    return (a - 1) ** 2 + (b + 1) ** 2 + (a - b) ** 2

# %% 05.stop_gradient wrong: 'both' is forgotten: with it both variables still feel the pull
expect("known", "if `blind` is 'both', the last term sends its gradient to a and b")
edit('last_a = a.detach() if blind in ("a", "both") else a', 'last_a = a.detach() if blind == "a" else a',
     'last_b = b.detach() if blind in ("b", "both") else b', 'last_b = b.detach() if blind == "b" else b')

# %% 05.stop_gradient wrong: with blind 'both' the last term is left out, so the value is not that of the whole loss
expect("known", "if `blind` is 'both', the last term is left out: it sends no gradient, but it still")
edit("return own + ((a - b) ** 2).detach()", "return own", of="by cases")

# %% 05.stop_gradient wrong: the sign in the second term is wrong: (b - 1)² instead of (b + 1)²
expect("known", "the second term: 1 is subtracted, not added")
edit("return (a - 1) ** 2 + (b + 1) ** 2 + (last_a - last_b) ** 2",
     "return (a - 1) ** 2 + (b - 1) ** 2 + (last_a - last_b) ** 2")

# %% 05.stop_gradient wrong: the last term is (a + b)² instead of (a - b)²
expect("known", "the last term is (a")
edit("return (a - 1) ** 2 + (b + 1) ** 2 + (last_a - last_b) ** 2",
     "return (a - 1) ** 2 + (b + 1) ** 2 + (last_a + last_b) ** 2")

# %% 05.stop_gradient wrong: detach_() is used: it changes a and b themselves, they no longer require grad
expect("known", "after the call, what is blind does not require grad any more: `detach_()` and")
def stop_gradient(a, b, blind):
    loss = (a - 1) ** 2 + (b + 1) ** 2
    if blind in ("a", "both"):
        a = a.detach_()
    if blind in ("b", "both"):
        b = b.detach_()
    return loss + (a - b) ** 2

# %% 05.stop_gradient wrong: 'a' in blind is a substring test and is not true for both: with both only b is blind
expect("known", "if `blind` is 'both', the last term sends its gradient to a alone")
edit('last_a = a.detach() if blind in ("a", "both") else a', 'last_a = a.detach() if "a" in blind else a')

# %% 05.stop_gradient wrong: with the word none the last term is computed under no_grad: nobody feels the pull
expect("known", "if `blind` is 'none', the last term sends its gradient to neither")
edit('\n    last_a = a.detach() if blind in ("a", "both") else',
     '\n    with torch.no_grad():\n        last_a = (a - b) ** 2\n    if blind == "a":\n'
     '        last_a = (a.detach() - b) ** 2\n    elif blind == "b":\n        last_a = (',
     'a\n    last_b = b.detach() if blind in ("b", "both") else b', "a- b.detach()) ** 2",
     "return (a - 1) ** 2 + (b + 1) ** 2 + (last_a - last_b) ** 2", "return (a - 1) ** 2 + (b + 1) ** 2 + last_a")

# %% 05.stop_gradient wrong: the absolute difference |a - b| is used, the square is forgotten
expect("known", "the last term is |a - b|, the square is missing")
edit("return (a - 1) ** 2 + (b + 1) ** 2 + (last_a - last_b) ** 2",
     "return (a - 1) ** 2 + (b + 1) ** 2 + abs(last_a - last_b)")

# %% 05.stop_gradient wrong: the blind variable is replaced by 0 in the last term, so the value of the loss is wrong
expect("known", "in the last term, the number 0 replaces the blind variable: its own value counts")
def stop_gradient(a, b, blind):
    pa = a if blind in ("none", "b") else torch.zeros_like(a)
    pb = b if blind in ("none", "a") else torch.zeros_like(b)
    return (a - 1) ** 2 + (b + 1) ** 2 + (pa - pb) ** 2

# %% 05.stop_gradient wrong: the factor one half stands before the last term
expect("known", "the last term: it is half of what it must be")
edit("+ (last", "+ 0.5 * (last")

# %% 05.stop_gradient wrong: `if` for `elif`: the `else` belongs only to the test for "both"
expect("known", "if `blind` is 'a', the last term sends its gradient to a and b",
       "if `blind` is 'b', the last term sends its gradient to a and b")
def stop_gradient(a, b, blind):
    loss = (a - 1) ** 2 + (b + 1) ** 2
    if blind == "a":
        pull = (a.detach() - b) ** 2
    if blind == "b":
        pull = (a - b.detach()) ** 2
    if blind == "both":
        pull = (a.detach() - b.detach()) ** 2
    else:
        pull = (a - b) ** 2
    return loss + pull

# %% 05.stop_gradient wrong: For every blind word except "none" the last term is computed under no_grad, so both a and b are blind
expect("known", "if `blind` is 'a', the last term sends its gradient to neither",
       "if `blind` is 'b', the last term sends its gradient to neither")
edit('last_a = a.detach() if blind in ("a", "both") else a\n    last_b = b.detach() if blind in ("b", "both") else b',
     'def pull():\n        return (a - b) ** 2\n    if blind == "none":\n        last = pull()\n    else:\n'
     "        with torch.no_grad():\n            last = pull()",
     "return (a - 1) ** 2 + (b + 1) ** 2 + (last_a - last_b) ** 2", "return (a - 1) ** 2 + (b + 1) ** 2 + last")

# %% 05.stop_gradient wrong: `blind == "a" or "both"` is always true, so a is detached for every word; b is never detached
expect("known", "the last term sends its gradient to b alone, whatever `blind` says")
edit('pa = a.detach() if blind in ("a", "both") else a\n    pb = b.detach() if blind in ("b", "both") else b',
     'pa, pb = a, b\n    if blind == "a" or "both":\n        pa = a.detach()\n    elif blind == "b" or "both":\n'
     "        pb = b.detach()", of="two new names")

# %% 05.stop_gradient wrong: The condition `blind == "a" or "both"` is always true (and so is the one for b)
expect("known", "the last term sends its gradient to neither, whatever `blind` says")
edit('pa = a.detach() if blind in ("a", "both") else a\n    pb = b.detach() if blind in ("b", "both") else b',
     'pa, pb = a, b\n    if blind == "a" or "both":\n        pa = a.detach()\n    if blind == "b" or "both":\n'
     "        pb = b.detach()", of="two new names")

# %% 05.stop_gradient wrong: vector
expect("wrong_shape", "the returned loss has shape (3,), it must have ()", never=("['loss']",))
def stop_gradient(a, b, blind):
    return torch.stack([(a - 1) ** 2, (b + 1) ** 2, (a - b) ** 2])

# %% 05.stop_gradient wrong: returns a list
expect("type", "the returned loss is a list or tuple of 1 entry, it must be a tensor",
       never=("['loss']", "has no history"))
def stop_gradient(a, b, blind):
    return [(a - 1) ** 2 + (b + 1) ** 2 + (a - b) ** 2]

# %% 05.stop_gradient wrong: returns a float
expect("type", "the returned loss is a Python number, it must be a tensor", never=("['loss']", "has no history"))
def stop_gradient(a, b, blind):
    return ((a - 1) ** 2 + (b + 1) ** 2 + (a - b) ** 2).item()

# %% 05.stop_gradient wrong: returns None
expect("no_result", "it prints something, but it returns None", never=("`.grad`", "backward()", "list.sort()"))
def stop_gradient(a, b, blind):
    print((a - 1) ** 2 + (b + 1) ** 2 + (a - b) ** 2)

# %% 05.stop_gradient wrong: hooks that stay on the leaves
expect("some_values", "the end of a is")
def stop_gradient(a, b, blind):
    loss = (a - 1) ** 2 + (b + 1) ** 2 + (a - b) ** 2
    pull = 2 * (a.detach() - b.detach())
    if blind in ("a", "both"):
        a.register_hook(lambda g: g - pull)
    if blind in ("b", "both"):
        b.register_hook(lambda g: g + pull)
    return loss

# %% 05.stop_gradient wrong: clone instead of detach: the gradient still flows
expect("known", "the last term sends its gradient to a and b, whatever `blind` says")
def stop_gradient(a, b, blind):
    # a copy is not connected to the original
    a2, b2 = a, b
    if blind == "a" or blind == "both":
        a2 = a.clone()
    if blind == "b" or blind == "both":
        b2 = b.clone()
    return (a - 1)**2 + (b + 1)**2 + (a2 - b2)**2

# %% 05.ema_update right: copied
def ema_update(average, weight, decay):
    new = decay * average.detach() + (1 - decay) * weight.detach()
    with torch.no_grad():
        average.copy_(new)

# %% 05.ema_update right: chained
def ema_update(average, weight, decay):
    average.detach().mul_(decay).add_((1 - decay) * weight.detach())

# %% 05.ema_update right: decorated
@torch.no_grad()
def ema_update(average, weight, decay):
    average.add_((weight - average) * (1 - decay))
    return average

# %% 05.ema_update right: sliced
def ema_update(average, weight, decay):
    assert 0 < decay < 1
    with torch.no_grad():
        average[...] = average * decay + weight * (1 - decay)
    print(average)

# %% 05.ema_update right: old way
def ema_update(average, weight, decay):
    average.data = decay * average.data + (1 - decay) * weight.data

# %% 05.ema_update right: entry by entry
def ema_update(average, weight, decay):
    with torch.no_grad():
        old, new = average.reshape(-1), weight.reshape(-1)
        for i in range(len(old)):
            old[i] = decay * old[i] + (1 - decay) * new[i]
    return "what comes back does not matter"

# %% 05.ema_update right: by lerp
def ema_update(average, weight, decay):
    torch.set_grad_enabled(False)
    average.lerp_(weight, 1 - decay)
    torch.set_grad_enabled(True)

# %% 05.ema_update right: mul_ and add_ with alpha under no_grad
def ema_update(average, weight, decay):
    with torch.no_grad():
        average.mul_(decay).add_(weight, alpha=1 - decay)

# %% 05.ema_update right: lerp_ in a decorated function
@torch.no_grad()
def ema_update(average, weight, decay):
    average.lerp_(weight, 1 - decay)
    return average

# %% 05.ema_update right: through detached views: average.detach() shares its memory
def ema_update(average, weight, decay):
    a = average.detach()
    a -= (1 - decay) * (a - weight.detach())

# %% 05.ema_update right: writes to average.data
def ema_update(average, weight, decay):
    average.data[...] = decay * average.data + (1 - decay) * weight.data

# %% 05.ema_update right: set_grad_enabled(False) and copy_
def ema_update(average, weight, decay):
    with torch.set_grad_enabled(False):
        average.copy_(average * decay + weight - weight * decay)

# %% 05.ema_update right: lerp_ on a detached view of average
def ema_update(average, weight, decay):
    average.detach().lerp_(weight.detach(), 1 - decay)

# %% 05.ema_update wrong: a clone is updated instead of average: detach().clone() shares no memory
expect("known", "average holds the same numbers as before: nothing was written into it")
edit("a = average.detach()", "a = average.detach().clone()", of="through detached")

# %% 05.ema_update wrong: decay and 1 - decay are swapped
expect("known", "the two shares are swapped: decay is the share of the old average")
edit("average *= decay\n        average += (1 - decay) * weight", "average .mul_(1 - decay).add_(decay * weight)")

# %% 05.ema_update wrong: no no_grad: the in-place change of a leaf that requires grad raises an error
expect("raises_for_some", "`average.mul_(decay).add_((1 - decay) * weight)` raised RuntimeError")
def ema_update(average, weight, decay):
    average.mul_(decay).add_((1 - decay) * weight)

# %% 05.ema_update wrong: the roles are swapped: weight is updated in place, average is not
expect("argument_changed", "average holds the same numbers as before: nothing was written into it")
edit("average *= decay\n        average += (1 - decay) * weight", "weight.mul_(1 - decay).add_(decay * average)")

# %% 05.ema_update wrong: the factor 1 - decay is forgotten for weight
expect("known", "the part of weight: the share of weight is left out")
edit("average *= decay\n        average += (1 - decay) * weight", "average .mul_(decay).add_(weight)")

# %% 05.ema_update wrong: weight is scaled in place as well, so the weight is changed
expect("argument_changed", "the argument weight is changed by the call: work on a copy of it")
edit("average.copy_(new)", "average.mul_(decay).add_(weight.mul_(1 - decay))", of="copied")

# %% 05.ema_update wrong: the factor decay is applied after the sum: decay * (average + (1 - decay) * weight)
expect("known", "the order is wrong: the weight is added first, and then multiplied by decay together")
edit("average *= decay\n        average += (1 - decay) * weight", "average .add_((1 - decay) * weight).mul_(decay)")

# %% 05.ema_update wrong: the sign is wrong: average moves away from weight
expect("known", "average moves away from weight: the difference has the wrong sign")
edit("average *= decay\n        average += (1 - decay) * weight", "average += (1 - decay) * (average - weight)")

# %% 05.ema_update wrong: average is multiplied by decay twice: it is scaled in place, and then the whole formula is applied to it
expect("known", "the old average is multiplied by decay twice")
edit("average += (1 - decay) * weight", "average .copy_(decay * average + (1 - decay) * weight)")

# %% 05.ema_update wrong: only the first entry is updated: index 0 instead of the whole tensor
expect("raises_for_some", "`average[0] = decay * average[0] + (1 - decay) * weight[0]` raised IndexError")
def ema_update(average, weight, decay):
    with torch.no_grad():
        average[0] = decay * average[0] + (1 - decay) * weight[0]

# %% 05.ema_update wrong: only an average that requires grad is updated, the other is left as it is
expect("known", "average after the call is wrong only where it does not require grad: it must be updated")
def ema_update(average, weight, decay):
    if average.requires_grad:
        with torch.no_grad():
            average.mul_(decay).add_((1 - decay) * weight)

# %% 05.ema_update wrong: decay is not used: the new average is always the plain mean of both
expect("known", "average is the mean of both, as if decay were always 0.5")
edit("average *= decay\n        average += (1 - decay) * weight", "average .copy_((average + weight) / 2)")

# %% 05.ema_update wrong: both by decay
expect("known", "the part of weight: `decay` stands in the place of the share of weight")
def put(average, new):
    with torch.no_grad():
        average.copy_(new)


def ema_update(average, weight, decay):
    put(average, decay * average + decay * weight)

# %% 05.ema_update wrong: plain sum
expect("known", "the new average: it is `average + weight` in yours")
edit("@torch.no_grad()", "def put(average, new):\n    with torch.no_grad():\n        average.copy_(new)",
     "\n    average.lerp_(weight, 1 - decay)\n    return average", "\n    put(average, average + weight)",
     of="lerp_ in")

# %% 05.ema_update wrong: small error
expect("shift", "average after the call is 0.0001 too large", never=("the result is",))
def ema_update(average, weight, decay):
    with torch.no_grad():
        average.copy_(decay * average + (1 - decay) * weight + 0.0001)

# %% 05.ema_update wrong: requires grad in the end
expect("no_leaf_any_more", "average requires grad after the call and did not before",
       "average and weight are still leaves")
def ema_update(average, weight, decay):
    average.data.lerp_(weight.detach(), 1 - decay) if hasattr(average, "lerp_") else average.data.mul_(decay).add_((1 - decay) * weight.detach())
    average.requires_grad_()
