"""Answers to notebook 05 by people who saw the statements alone: right ones and wrong ones with what is wrong."""

ANSWERS = [
    (
        "05.train_linear",
        "right",
        "the given loop repaired: item(), no_grad, -= and grad set to None",
        """
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
""",
    ),
    (
        "05.train_linear",
        "right",
        "autograd.grad and copy_, losses in a tuple of detached tensors",
        """
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
""",
    ),
    (
        "05.train_linear",
        "right",
        "the gradient by hand, without autograd; the losses in one tensor",
        """
@torch.no_grad()
def train_linear(data, targets, w, steps, lr):
    losses = torch.zeros(steps)
    n = data.shape[0]
    for step in range(steps):
        r = data @ w - targets
        losses[step] = (r ** 2).mean()
        w.sub_(2 * lr / n * (data.T @ r))
    return losses
""",
    ),
    (
        "05.train_linear",
        "right",
        "an SGD optimizer does the steps",
        """
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
""",
    ),
    (
        "05.train_linear",
        "right",
        "trains a detached copy and writes it back into w.data at the end",
        """
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
""",
    ),
    (
        "05.train_linear",
        "wrong",
        "the gradient is never cleared, so each step uses the sum of all gradients so far",
        """
def train_linear(data, targets, w, steps, lr):
    losses = []
    for step in range(steps):
        loss = (data @ w - targets).pow(2).mean()
        losses.append(loss.item())
        loss.backward()
        with torch.no_grad():
            w -= lr * w.grad
    return losses
""",
    ),
    (
        "05.train_linear",
        "wrong",
        "the losses are stored with their graph",
        """
def train_linear(data, targets, w, steps, lr):
    losses = []
    for step in range(steps):
        w.grad = None
        loss = (data @ w - targets).pow(2).mean()
        losses.append(loss)
        loss.backward()
        with torch.no_grad():
            w -= lr * w.grad
    w.grad = None
    return losses
""",
    ),
    (
        "05.train_linear",
        "wrong",
        "a new tensor is made in each step (w = ...), so the caller's w is never trained",
        """
def train_linear(data, targets, w, steps, lr):
    losses = []
    for step in range(steps):
        loss = (data @ w - targets).pow(2).mean()
        losses.append(loss.item())
        g, = torch.autograd.grad(loss, w)
        w = (w - lr * g).detach().requires_grad_()
    return losses
""",
    ),
    (
        "05.train_linear",
        "wrong",
        "the in-place step is recorded: no no_grad around w -= ..., which raises an error for a leaf",
        """
def train_linear(data, targets, w, steps, lr):
    losses = []
    for step in range(steps):
        w.grad = None
        loss = (data @ w - targets).pow(2).mean()
        losses.append(loss.item())
        loss.backward()
        w -= lr * w.grad
    w.grad = None
    return losses
""",
    ),
    (
        "05.train_linear",
        "wrong",
        "the loss is computed after the step, not before it",
        """
def train_linear(data, targets, w, steps, lr):
    losses = []
    for step in range(steps):
        w.grad = None
        loss = (data @ w - targets).pow(2).mean()
        loss.backward()
        with torch.no_grad():
            w -= lr * w.grad
            losses.append((data @ w - targets).pow(2).mean().item())
    w.grad = None
    return losses
""",
    ),
    (
        "05.train_linear",
        "wrong",
        "the gradient is added: the step goes uphill",
        """
def train_linear(data, targets, w, steps, lr):
    losses = []
    for step in range(steps):
        w.grad = None
        loss = (data @ w - targets).pow(2).mean()
        losses.append(loss.item())
        loss.backward()
        with torch.no_grad():
            w += lr * w.grad
    w.grad = None
    return losses
""",
    ),
    (
        "05.train_linear",
        "wrong",
        "the loss is the sum of the squared errors, not the mean",
        """
def train_linear(data, targets, w, steps, lr):
    losses = []
    for step in range(steps):
        w.grad = None
        loss = (data @ w - targets).pow(2).sum()
        losses.append(loss.item())
        loss.backward()
        with torch.no_grad():
            w -= lr * w.grad
    w.grad = None
    return losses
""",
    ),
    (
        "05.train_linear",
        "wrong",
        "w is frozen with requires_grad_(False) for the step and never set back",
        """
def train_linear(data, targets, w, steps, lr):
    losses = []
    for step in range(steps):
        w.requires_grad_(True)
        w.grad = None
        loss = (data @ w - targets).pow(2).mean()
        losses.append(loss.item())
        loss.backward()
        w.requires_grad_(False)
        w -= lr * w.grad
    return losses
""",
    ),
    (
        "05.train_linear",
        "wrong",
        "one loss too many: the loss after the last step is appended too",
        """
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
    losses.append((data @ w - targets).pow(2).mean().item())
    return losses
""",
    ),
    (
        "05.train_linear",
        "wrong",
        "the return is inside the loop: only one step is done",
        """
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
""",
    ),
    (
        "05.train_linear",
        "wrong",
        "return is forgotten",
        """
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
""",
    ),
    (
        "05.train_linear",
        "wrong",
        "only the last loss is returned, not the list",
        """
def train_linear(data, targets, w, steps, lr):
    for step in range(steps):
        w.grad = None
        loss = (data @ w - targets).pow(2).mean()
        loss.backward()
        with torch.no_grad():
            w -= lr * w.grad
    w.grad = None
    return loss.item()
""",
    ),
    (
        "05.train_linear",
        "wrong",
        "the learning rate is forgotten in the step",
        """
def train_linear(data, targets, w, steps, lr):
    losses = []
    for step in range(steps):
        w.grad = None
        loss = (data @ w - targets).pow(2).mean()
        losses.append(loss.item())
        loss.backward()
        with torch.no_grad():
            w -= w.grad
    w.grad = None
    return losses
""",
    ),
    (
        "05.train_linear",
        "wrong",
        "the line that clears the gradient stands before the loop, not in it: the gradients pile up from step to step",
        """
def train_linear(data, targets, w, steps, lr):
    losses = []
    w.grad = None
    for step in range(steps):
        loss = (data @ w - targets).pow(2).mean()
        losses.append(loss.item())
        loss.backward()
        with torch.no_grad():
            w.sub_(lr * w.grad)
    w.grad = None
    return losses
""",
    ),
    (
        "05.train_linear",
        "wrong",
        "the mean is divided by the number of weights instead of the number of examples",
        """
def train_linear(data, targets, w, steps, lr):
    losses = []
    for step in range(steps):
        w.grad = None
        loss = (data @ w - targets).pow(2).sum() / len(w)
        losses.append(loss.item())
        loss.backward()
        with torch.no_grad():
            w -= lr * w.grad
    w.grad = None
    return losses
""",
    ),
    (
        "05.train_linear",
        "wrong",
        "the square root is taken: the root mean squared error is trained",
        """
def train_linear(data, targets, w, steps, lr):
    losses = []
    for step in range(steps):
        w.grad = None
        loss = (data @ w - targets).pow(2).mean().sqrt()
        losses.append(loss.item())
        loss.backward()
        with torch.no_grad():
            w -= lr * w.grad
    w.grad = None
    return losses
""",
    ),
    (
        "05.train_linear",
        "wrong",
        "the argument targets is changed in place",
        """
def train_linear(data, targets, w, steps, lr):
    losses = []
    original = targets.clone()
    for step in range(steps):
        w.grad = None
        loss = (data @ w - original).pow(2).mean()
        losses.append(loss.item())
        loss.backward()
        with torch.no_grad():
            w -= lr * w.grad
            targets -= data @ w
    w.grad = None
    return losses
""",
    ),
    (
        "05.train_linear",
        "right",
        "w.data gets a new tensor in each step, the gradient is cleared with zero_ after it",
        """
def train_linear(data, targets, w, steps, lr):
    losses = []
    for step in range(steps):
        loss = (data @ w - targets).pow(2).mean()
        losses.append(loss.data)
        loss.backward()
        w.data = w.data - lr * w.grad
        w.grad.zero_()
    return losses
""",
    ),
    (
        "05.train_linear",
        "wrong",
        "it stops early when the loss gets larger than before, so with a large lr there are too few steps",
        """
def train_linear(data, targets, w, steps, lr):
    losses = []
    for step in range(steps):
        loss = (data @ w - targets).pow(2).mean()
        if losses and loss.item() > losses[-1]:
            break
        losses.append(loss.item())
        (g,) = torch.autograd.grad(loss, w)
        with torch.no_grad():
            w -= lr * g
    return losses
""",
    ),
    (
        "05.train_linear",
        "right",
        "computes the gradient by hand under no_grad and returns a tensor of the losses",
        """
@torch.no_grad()
def train_linear(data, targets, w, steps, lr):
    losses = torch.zeros(steps, dtype=data.dtype)
    n = data.shape[0]
    for step in range(steps):
        miss = data @ w - targets
        losses[step] = (miss * miss).sum() / n
        w.sub_(lr * 2 / n * (data.T @ miss))
    return losses
""",
    ),
    (
        "05.train_linear",
        "wrong",
        "the gradients add up: w.grad is never set to zero between the steps",
        """
def train_linear(data, targets, w, steps, lr):
    losses = []
    for step in range(steps):
        loss = (data @ w - targets).pow(2).mean()
        losses.append(loss.item())
        loss.backward()
        with torch.no_grad():
            w -= lr * w.grad
    return losses
""",
    ),
    (
        "05.train_linear",
        "wrong",
        "the list of losses holds tensors with a history, so it keeps every graph in memory",
        """
def train_linear(data, targets, w, steps, lr):
    losses = []
    for step in range(steps):
        loss = (data @ w - targets).pow(2).mean()
        losses.append(loss)
        loss.backward()
        with torch.no_grad():
            w -= lr * w.grad
        w.grad = None
    return losses
""",
    ),
    (
        "05.train_linear",
        "wrong",
        "w is bound to a new tensor in each step, so the caller's w is never trained",
        """
def train_linear(data, targets, w, steps, lr):
    losses = []
    for step in range(steps):
        loss = (data @ w - targets).pow(2).mean()
        losses.append(loss.item())
        g, = torch.autograd.grad(loss, w)
        w = (w - lr * g).detach().requires_grad_()
    return losses
""",
    ),
    (
        "05.train_linear",
        "wrong",
        "the loss has an extra factor 1/2 (half the mean squared error), so losses and steps are half as big as specified",
        """
def train_linear(data, targets, w, steps, lr):
    losses = []
    n = len(data)
    for step in range(steps):
        loss = (data @ w - targets).pow(2).sum() / (2 * n)
        losses.append(loss.item())
        g, = torch.autograd.grad(loss, w)
        with torch.no_grad():
            w -= lr * g
    return losses
""",
    ),
    (
        "05.train_linear",
        "wrong",
        "the list holds the loss after each step, not before it",
        """
def train_linear(data, targets, w, steps, lr):
    losses = []
    for step in range(steps):
        loss = (data @ w - targets).pow(2).mean()
        loss.backward()
        with torch.no_grad():
            w -= lr * w.grad
            w.grad.zero_()
            losses.append((data @ w - targets).pow(2).mean().item())
    return losses
""",
    ),
    (
        "05.stop_gradient",
        "right",
        "two new names, detached if blind",
        """
def stop_gradient(a, b, blind):
    pa = a.detach() if blind in ("a", "both") else a
    pb = b.detach() if blind in ("b", "both") else b
    return (a - 1) ** 2 + (b + 1) ** 2 + (pa - pb) ** 2
""",
    ),
    (
        "05.stop_gradient",
        "right",
        "the pull is computed under no_grad or with one side detached, four branches",
        """
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
""",
    ),
    (
        "05.stop_gradient",
        "right",
        "both plain numbers by item(), with a dictionary of pulls",
        """
def stop_gradient(a, b, blind):
    x, y = a.item(), b.item()
    pulls = {
        "none": lambda: (a - b) * (a - b),
        "a": lambda: (b - x) * (b - x),
        "b": lambda: torch.square(a - y),
        "both": lambda: (x - y) ** 2,
    }
    return torch.square(a - 1) + torch.square(b + 1) + pulls[blind]()
""",
    ),
    (
        "05.stop_gradient",
        "right",
        "a custom Function that sends back no gradient",
        """
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
""",
    ),
    (
        "05.stop_gradient",
        "wrong",
        "a and b are mixed up: with 'a' it is b that does not feel the pull",
        """
def stop_gradient(a, b, blind):
    pa = a.detach() if blind in ("b", "both") else a
    pb = b.detach() if blind in ("a", "both") else b
    return (a - 1) ** 2 + (b + 1) ** 2 + (pa - pb) ** 2
""",
    ),
    (
        "05.stop_gradient",
        "wrong",
        "a blind variable is detached in its own term too, so it gets no gradient at all",
        """
def stop_gradient(a, b, blind):
    if blind in ("a", "both"):
        a = a.detach()
    if blind in ("b", "both"):
        b = b.detach()
    return (a - 1) ** 2 + (b + 1) ** 2 + (a - b) ** 2
""",
    ),
    (
        "05.stop_gradient",
        "wrong",
        "'both' is forgotten: with it both variables still feel the pull",
        """
def stop_gradient(a, b, blind):
    pa = a.detach() if blind == "a" else a
    pb = b.detach() if blind == "b" else b
    return (a - 1) ** 2 + (b + 1) ** 2 + (pa - pb) ** 2
""",
    ),
    (
        "05.stop_gradient",
        "wrong",
        "with 'both' the last term is left out, so the value is not the whole loss",
        """
def stop_gradient(a, b, blind):
    loss = (a - 1) ** 2 + (b + 1) ** 2
    if blind == "both":
        return loss
    pa = a.detach() if blind == "a" else a
    pb = b.detach() if blind == "b" else b
    return loss + (pa - pb) ** 2
""",
    ),
    (
        "05.stop_gradient",
        "wrong",
        "the sign in the second term is wrong: (b - 1)² instead of (b + 1)²",
        """
def stop_gradient(a, b, blind):
    pa = a.detach() if blind in ("a", "both") else a
    pb = b.detach() if blind in ("b", "both") else b
    return (a - 1) ** 2 + (b - 1) ** 2 + (pa - pb) ** 2
""",
    ),
    (
        "05.stop_gradient",
        "wrong",
        "the last term is (a + b)² instead of (a - b)²",
        """
def stop_gradient(a, b, blind):
    pa = a.detach() if blind in ("a", "both") else a
    pb = b.detach() if blind in ("b", "both") else b
    return (a - 1) ** 2 + (b + 1) ** 2 + (pa + pb) ** 2
""",
    ),
    (
        "05.stop_gradient",
        "wrong",
        "detach_() is used: it changes a and b themselves, they no longer require grad",
        """
def stop_gradient(a, b, blind):
    loss = (a - 1) ** 2 + (b + 1) ** 2
    if blind in ("a", "both"):
        a = a.detach_()
    if blind in ("b", "both"):
        b = b.detach_()
    return loss + (a - b) ** 2
""",
    ),
    (
        "05.stop_gradient",
        "wrong",
        "a plain number is returned (item()), not a tensor with a graph",
        """
def stop_gradient(a, b, blind):
    pa = a.detach() if blind in ("a", "both") else a
    pb = b.detach() if blind in ("b", "both") else b
    loss = (a - 1) ** 2 + (b + 1) ** 2 + (pa - pb) ** 2
    return loss.item()
""",
    ),
    (
        "05.stop_gradient",
        "wrong",
        "'a' in blind is a substring test and is not true for both: with both only b is blind",
        """
def stop_gradient(a, b, blind):
    pa = a.detach() if "a" in blind else a
    pb = b.detach() if "b" in blind else b
    return (a - 1) ** 2 + (b + 1) ** 2 + (pa - pb) ** 2
""",
    ),
    (
        "05.stop_gradient",
        "wrong",
        "with the word none the last term is computed under no_grad: nobody feels the pull",
        """
def stop_gradient(a, b, blind):
    with torch.no_grad():
        pull = (a - b) ** 2
    if blind == "a":
        pull = (a.detach() - b) ** 2
    elif blind == "b":
        pull = (a - b.detach()) ** 2
    return (a - 1) ** 2 + (b + 1) ** 2 + pull
""",
    ),
    (
        "05.stop_gradient",
        "wrong",
        "the absolute difference |a - b| is used, the square is forgotten",
        """
def stop_gradient(a, b, blind):
    pa = a.detach() if blind in ("a", "both") else a
    pb = b.detach() if blind in ("b", "both") else b
    return (a - 1) ** 2 + (b + 1) ** 2 + abs(pa - pb)
""",
    ),
    (
        "05.stop_gradient",
        "wrong",
        "the blind variable is replaced by 0 in the last term, so the value of the loss is wrong",
        """
def stop_gradient(a, b, blind):
    pa = a if blind in ("none", "b") else torch.zeros_like(a)
    pb = b if blind in ("none", "a") else torch.zeros_like(b)
    return (a - 1) ** 2 + (b + 1) ** 2 + (pa - pb) ** 2
""",
    ),
    (
        "05.stop_gradient",
        "wrong",
        "the factor one half stands before the last term",
        """
def stop_gradient(a, b, blind):
    pa = a.detach() if blind in ("a", "both") else a
    pb = b.detach() if blind in ("b", "both") else b
    return (a - 1) ** 2 + (b + 1) ** 2 + 0.5 * (pa - pb) ** 2
""",
    ),
    (
        "05.stop_gradient",
        "wrong",
        "the value of a blind variable is stored at the first call and used again: stale in later steps",
        """
seen = {}
def stop_gradient(a, b, blind):
    pa = seen.setdefault(("a", blind), a.detach().clone()) if blind in ("a", "both") else a
    pb = seen.setdefault(("b", blind), b.detach().clone()) if blind in ("b", "both") else b
    return (a - 1) ** 2 + (b + 1) ** 2 + (pa - pb) ** 2
""",
    ),
    (
        "05.stop_gradient",
        "right",
        "the last term is its value as a constant, plus its slopes times (a - a.detach()) and (b - b.detach()), which are zero",
        """
def stop_gradient(a, b, blind):
    gap = (a - b).detach()
    loss = (a - 1) ** 2 + (b + 1) ** 2 + gap * gap
    if blind in ("none", "b"):
        loss = loss + 2 * gap * (a - a.detach())
    if blind in ("none", "a"):
        loss = loss - 2 * gap * (b - b.detach())
    return loss
""",
    ),
    (
        "05.stop_gradient",
        "wrong",
        "a and b are mixed up: with blind 'a' it is b that is detached, and the other way round",
        """
def stop_gradient(a, b, blind):
    if blind == "none":
        pull = (a - b) ** 2
    elif blind == "a":
        pull = (a - b.detach()) ** 2
    elif blind == "b":
        pull = (a.detach() - b) ** 2
    else:
        pull = (a - b).detach() ** 2
    return (a - 1) ** 2 + (b + 1) ** 2 + pull
""",
    ),
    (
        "05.stop_gradient",
        "wrong",
        "with blind 'both' the last term is left out, so the value is not that of the whole loss",
        """
def stop_gradient(a, b, blind):
    loss = (a - 1) ** 2 + (b + 1) ** 2
    if blind == "both":
        return loss
    left = a.detach() if blind == "a" else a
    right = b.detach() if blind == "b" else b
    return loss + (left - right) ** 2
""",
    ),
    (
        "05.stop_gradient",
        "wrong",
        "the letter a is not in the word 'both', so with 'both' only b is detached and a still feels the pull",
        """
def stop_gradient(a, b, blind):
    p, q = a, b
    if "a" in blind:
        p = a.detach()
    if "b" in blind:
        q = b.detach()
    return (a - 1) ** 2 + (b + 1) ** 2 + (p - q) ** 2
""",
    ),
    (
        "05.stop_gradient",
        "wrong",
        "the blind variable is detached in all terms, so it does not get the gradient of its own first term either",
        """
def stop_gradient(a, b, blind):
    if blind in ("a", "both"):
        a = a.detach() + 0 * a
    if blind in ("b", "both"):
        b = b.detach() + 0 * b
    return (a - 1) ** 2 + (b + 1) ** 2 + (a - b) ** 2
""",
    ),
    (
        "05.stop_gradient",
        "wrong",
        "wrong sign in the second term: (b - 1)^2 instead of (b + 1)^2",
        """
def stop_gradient(a, b, blind):
    left = a.detach() if blind in ("a", "both") else a
    right = b.detach() if blind in ("b", "both") else b
    return (a - 1) ** 2 + (b - 1) ** 2 + (left - right) ** 2
""",
    ),
    (
        "05.ema_update",
        "right",
        "mul_ and add_ with alpha under no_grad",
        """
def ema_update(average, weight, decay):
    with torch.no_grad():
        average.mul_(decay).add_(weight, alpha=1 - decay)
""",
    ),
    (
        "05.ema_update",
        "right",
        "lerp_ in a decorated function",
        """
@torch.no_grad()
def ema_update(average, weight, decay):
    average.lerp_(weight, 1 - decay)
    return average
""",
    ),
    (
        "05.ema_update",
        "right",
        "through detached views: average.detach() shares its memory",
        """
def ema_update(average, weight, decay):
    a = average.detach()
    a -= (1 - decay) * (a - weight.detach())
""",
    ),
    (
        "05.ema_update",
        "right",
        "writes to average.data",
        """
def ema_update(average, weight, decay):
    average.data[...] = decay * average.data + (1 - decay) * weight.data
""",
    ),
    (
        "05.ema_update",
        "right",
        "set_grad_enabled(False) and copy_",
        """
def ema_update(average, weight, decay):
    with torch.set_grad_enabled(False):
        average.copy_(average * decay + weight - weight * decay)
""",
    ),
    (
        "05.ema_update",
        "wrong",
        "the name average is bound to a new tensor: the caller's average is unchanged",
        """
def ema_update(average, weight, decay):
    with torch.no_grad():
        average = decay * average + (1 - decay) * weight
    return average
""",
    ),
    (
        "05.ema_update",
        "wrong",
        "decay and 1 - decay are mixed up",
        """
def ema_update(average, weight, decay):
    with torch.no_grad():
        average.mul_(1 - decay).add_(decay * weight)
""",
    ),
    (
        "05.ema_update",
        "wrong",
        "no no_grad: the in-place change of a leaf that requires grad raises an error",
        """
def ema_update(average, weight, decay):
    average.mul_(decay).add_((1 - decay) * weight)
""",
    ),
    (
        "05.ema_update",
        "wrong",
        "the add_ stands outside the no_grad block, so this half of the update is recorded",
        """
def ema_update(average, weight, decay):
    with torch.no_grad():
        average.mul_(decay)
    average.add_((1 - decay) * weight)
""",
    ),
    (
        "05.ema_update",
        "wrong",
        "requires_grad is switched on afterwards, even for an average that did not require grad before",
        """
def ema_update(average, weight, decay):
    average.requires_grad_(False)
    average.mul_(decay).add_((1 - decay) * weight.detach())
    average.requires_grad_(True)
""",
    ),
    (
        "05.ema_update",
        "wrong",
        "requires_grad is switched off for the update and not restored",
        """
def ema_update(average, weight, decay):
    average.requires_grad_(False)
    average.mul_(decay).add_((1 - decay) * weight.detach())
""",
    ),
    (
        "05.ema_update",
        "wrong",
        "the roles are swapped: weight is updated in place, average is not",
        """
def ema_update(average, weight, decay):
    with torch.no_grad():
        weight.mul_(1 - decay).add_(decay * average)
""",
    ),
    (
        "05.ema_update",
        "wrong",
        "the factor 1 - decay is forgotten for weight",
        """
def ema_update(average, weight, decay):
    with torch.no_grad():
        average.mul_(decay).add_(weight)
""",
    ),
    (
        "05.ema_update",
        "wrong",
        "weight is scaled in place as well, so the weight is changed",
        """
def ema_update(average, weight, decay):
    with torch.no_grad():
        average.mul_(decay).add_(weight.mul_(1 - decay))
""",
    ),
    (
        "05.ema_update",
        "wrong",
        "the factor decay is applied after the sum: decay * (average + (1 - decay) * weight)",
        """
def ema_update(average, weight, decay):
    with torch.no_grad():
        average.add_((1 - decay) * weight).mul_(decay)
""",
    ),
    (
        "05.ema_update",
        "wrong",
        "the sign is wrong: average moves away from weight",
        """
def ema_update(average, weight, decay):
    with torch.no_grad():
        average += (1 - decay) * (average - weight)
""",
    ),
    (
        "05.ema_update",
        "wrong",
        "a clone is updated instead of average: detach().clone() shares no memory",
        """
def ema_update(average, weight, decay):
    a = average.detach().clone()
    a.mul_(decay).add_((1 - decay) * weight.detach())
    return a
""",
    ),
    (
        "05.ema_update",
        "wrong",
        "average is multiplied by decay twice: it is scaled in place, and then the whole formula is applied to it",
        """
def ema_update(average, weight, decay):
    with torch.no_grad():
        average *= decay
        average.copy_(decay * average + (1 - decay) * weight)
""",
    ),
    (
        "05.ema_update",
        "wrong",
        "weight is detached in place (detach_), so weight no longer requires grad",
        """
def ema_update(average, weight, decay):
    with torch.no_grad():
        average.mul_(decay)
        average.add_((1 - decay) * weight.detach_())
""",
    ),
    (
        "05.ema_update",
        "wrong",
        "only the first entry is updated: index 0 instead of the whole tensor",
        """
def ema_update(average, weight, decay):
    with torch.no_grad():
        average[0] = decay * average[0] + (1 - decay) * weight[0]
""",
    ),
    (
        "05.ema_update",
        "wrong",
        "only an average that requires grad is updated, the other is left as it is",
        """
def ema_update(average, weight, decay):
    if average.requires_grad:
        with torch.no_grad():
            average.mul_(decay).add_((1 - decay) * weight)
""",
    ),
    (
        "05.ema_update",
        "wrong",
        "decay is not used: the new average is always the plain mean of both",
        """
def ema_update(average, weight, decay):
    with torch.no_grad():
        average.copy_((average + weight) / 2)
""",
    ),
    (
        "05.ema_update",
        "right",
        "lerp_ on a detached view of average",
        """
def ema_update(average, weight, decay):
    average.detach().lerp_(weight.detach(), 1 - decay)
""",
    ),
    (
        "05.ema_update",
        "wrong",
        "decay and 1 - decay are swapped",
        """
def ema_update(average, weight, decay):
    with torch.no_grad():
        average.mul_(1 - decay).add_(decay * weight)
""",
    ),
    (
        "05.ema_update",
        "wrong",
        "the name average is bound to a new tensor; the caller's tensor does not change",
        """
def ema_update(average, weight, decay):
    with torch.no_grad():
        average = decay * average + (1 - decay) * weight
    return average
""",
    ),
    (
        "05.ema_update",
        "wrong",
        "no torch.no_grad(): the update is recorded, and raises for an average that requires grad",
        """
def ema_update(average, weight, decay):
    average *= decay
    average += (1 - decay) * weight
    return average
""",
    ),
    (
        "05.ema_update",
        "wrong",
        "the weight's part is added before the multiplication with decay, so it is multiplied by decay too",
        """
def ema_update(average, weight, decay):
    with torch.no_grad():
        average += (1 - decay) * weight
        average *= decay
""",
    ),
    (
        "05.ema_update",
        "wrong",
        "switches requires_grad on at the end, even for an average that did not require grad before",
        """
def ema_update(average, weight, decay):
    average.requires_grad_(False)
    average.copy_(decay * average + (1 - decay) * weight.detach())
    average.requires_grad_(True)
""",
    ),
]
