"""Answers to notebook 02 by people who saw the statements alone: right ones and wrong ones with what is wrong."""

ANSWERS = [
    (
        "02.gradient_of",
        "right",
        "detach without clone: flag and .grad are the new tensor's own, x stays as it is",
        """
def gradient_of(f, x):
    leaf = x.detach().requires_grad_()
    f(leaf).backward()
    return leaf.grad
""",
    ),
    (
        "02.gradient_of",
        "right",
        "autograd.functional.vjp",
        """
def gradient_of(f, x):
    value, grad = torch.autograd.functional.vjp(f, x.clone())
    return grad
""",
    ),
    (
        "02.gradient_of",
        "right",
        "the leaf is a vector, f sees it in the shape of x; the result has a history",
        """
def gradient_of(f, x):
    flat = x.reshape(-1).clone().requires_grad_()
    (g,) = torch.autograd.grad(f(flat.view(x.shape)), [flat], create_graph=True)
    return g.reshape(x.shape)
""",
    ),
    (
        "02.gradient_of",
        "right",
        "x plus a leaf of zeros: the gradient for the shift is the gradient for x",
        """
def gradient_of(f, x):
    shift = torch.zeros_like(x, requires_grad=True)
    y = f(x + shift)
    y.backward(torch.ones_like(y))
    return shift.grad.clone()
""",
    ),
    (
        "02.gradient_of",
        "wrong",
        "sets requires_grad on x itself, so x requires grad afterwards",
        """
def gradient_of(f, x):
    x.requires_grad_()
    return torch.autograd.grad(f(x), x)[0]
""",
    ),
    (
        "02.gradient_of",
        "wrong",
        "switches requires_grad of x off again, but x keeps its .grad (and it grows at the second call)",
        """
def gradient_of(f, x):
    x.requires_grad_(True)
    f(x).backward()
    g = x.grad.clone()
    x.requires_grad_(False)
    return g
""",
    ),
    (
        "02.gradient_of",
        "wrong",
        "autograd.grad returns a tuple; the [0] is forgotten",
        """
def gradient_of(f, x):
    leaf = x.detach().clone().requires_grad_()
    return torch.autograd.grad(f(leaf), leaf)
""",
    ),
    (
        "02.gradient_of",
        "wrong",
        "returns what backward() returns: None",
        """
def gradient_of(f, x):
    leaf = x.detach().clone().requires_grad_()
    return f(leaf).backward()
""",
    ),
    (
        "02.gradient_of",
        "wrong",
        "returns the leaf and not its .grad",
        """
def gradient_of(f, x):
    leaf = x.detach().clone().requires_grad_()
    f(leaf).backward()
    return leaf
""",
    ),
    (
        "02.gradient_of",
        "wrong",
        "calls backward for two runs of f: the gradient is accumulated and twice too large",
        """
def gradient_of(f, x):
    leaf = x.detach().clone().requires_grad_()
    f(leaf).backward()
    value = f(leaf)
    value.backward()
    return leaf.grad
""",
    ),
    (
        "02.gradient_of",
        "wrong",
        "writes the gradient into x.grad, but x must have no .grad afterwards",
        """
def gradient_of(f, x):
    leaf = x.detach().clone().requires_grad_()
    f(leaf).backward()
    x.grad = leaf.grad
    return x.grad
""",
    ),
    (
        "02.gradient_of",
        "wrong",
        "the gradient is a vector, it does not have the shape of x (wrong for two dimensions or none)",
        """
def gradient_of(f, x):
    flat = x.detach().clone().flatten().requires_grad_()
    f(flat.reshape(x.shape)).backward()
    return flat.grad
""",
    ),
    (
        "02.gradient_of",
        "wrong",
        "sums the entries of the gradient to one number",
        """
def gradient_of(f, x):
    leaf = x.detach().clone().requires_grad_()
    return torch.autograd.grad(f(leaf), leaf)[0].sum()
""",
    ),
    (
        "02.gradient_of",
        "wrong",
        "detaches the leaf inside of the call of f: nothing is recorded, an error",
        """
def gradient_of(f, x):
    leaf = x.clone().requires_grad_()
    y = f(leaf.detach())
    y.backward()
    return leaf.grad
""",
    ),
    (
        "02.gradient_of",
        "wrong",
        "clone after requires_grad_: the clone is no leaf, its .grad stays None",
        """
def gradient_of(f, x):
    inner = x.detach().requires_grad_().clone()
    f(inner).backward()
    return inner.grad
""",
    ),
    (
        "02.gradient_of",
        "wrong",
        "gives the direction of descent: the sign is turned round",
        """
def gradient_of(f, x):
    leaf = x.detach().clone().requires_grad_()
    f(leaf).backward()
    return -leaf.grad
""",
    ),
    (
        "02.gradient_of",
        "wrong",
        "takes the gradient at a point of ones, not at x",
        """
def gradient_of(f, x):
    leaf = torch.ones_like(x).requires_grad_()
    return torch.autograd.grad(f(leaf), leaf)[0]
""",
    ),
    (
        "02.gradient_of",
        "wrong",
        "returns a NumPy array, not a tensor",
        """
def gradient_of(f, x):
    leaf = x.detach().clone().requires_grad_()
    f(leaf).backward()
    return leaf.grad.numpy()
""",
    ),
    (
        "02.gradient_of",
        "wrong",
        "passes f's value as gradient to backward: the gradient is multiplied by f(x)",
        """
def gradient_of(f, x):
    leaf = x.detach().clone().requires_grad_()
    y = f(leaf)
    y.backward(y.detach())
    return leaf.grad
""",
    ),
    (
        "02.gradient_of",
        "wrong",
        "handles the rows of x one by one with len(x), which fails for a tensor without dimensions",
        """
def gradient_of(f, x):
    leaf = x.detach().clone().requires_grad_()
    f(leaf).backward()
    return torch.stack([leaf.grad[i] for i in range(len(x))])
""",
    ),
    (
        "02.gradient_of",
        "right",
        "catches the gradient with a hook on the leaf",
        """
def gradient_of(f, x):
    caught = []
    leaf = torch.empty_like(x).copy_(x).requires_grad_(True)
    leaf.register_hook(lambda g: caught.append(g.clone()))
    f(leaf).sum().backward()
    total = torch.zeros_like(x)
    for g in caught:
        total = total + g
    return total
""",
    ),
    (
        "02.gradient_of",
        "wrong",
        "sets requires_grad on x itself instead of a leaf of its own, so x requires grad afterwards",
        """
def gradient_of(f, x):
    x.requires_grad_()
    (g,) = torch.autograd.grad(f(x), x)
    return g
""",
    ),
    (
        "02.gradient_of",
        "wrong",
        "autograd.grad returns a tuple, and the tuple itself is returned instead of its first entry",
        """
def gradient_of(f, x):
    leaf = x.detach().clone().requires_grad_()
    return torch.autograd.grad(f(leaf), leaf)
""",
    ),
    (
        "02.gradient_of",
        "wrong",
        "backward runs twice and .grad adds up: the gradient is doubled",
        """
def gradient_of(f, x):
    leaf = x.detach().clone().requires_grad_()
    y = f(leaf)
    y.backward(retain_graph=True)
    y.backward()
    return leaf.grad
""",
    ),
    (
        "02.gradient_of",
        "wrong",
        "the gradient is flattened, so for a matrix or a 0-dimensional x it has not the shape of x",
        """
def gradient_of(f, x):
    leaf = x.detach().clone().requires_grad_()
    f(leaf).backward()
    return leaf.grad.flatten()
""",
    ),
    (
        "02.gradient_of",
        "wrong",
        "the leaf is kept and used again in the next call with a tensor of this shape: its .grad is not reset and a second call gives the sum",
        """
_leaves = {}

def gradient_of(f, x):
    key = tuple(x.shape)
    if key not in _leaves:
        _leaves[key] = torch.zeros_like(x).requires_grad_()
    leaf = _leaves[key]
    leaf.data = x.detach().clone()
    f(leaf).backward()
    return leaf.grad.clone()
""",
    ),
    (
        "02.accumulate_minibatches",
        "right",
        "split both tensors, sum the results of autograd.grad, the last batch first",
        """
def accumulate_minibatches(data, targets, w, size):
    leaf = w.detach().clone().requires_grad_()
    pieces = list(zip(torch.split(data, size), torch.split(targets, size)))
    total = torch.zeros_like(w)
    for rows, goals in reversed(pieces):
        loss = ((rows * leaf).sum(dim=1) - goals).pow(2).sum()
        total += torch.autograd.grad(loss, leaf)[0]
    return total
""",
    ),
    (
        "02.accumulate_minibatches",
        "right",
        "no autograd: the formula 2 X^T (X w - t) for each mini-batch",
        """
def accumulate_minibatches(data, targets, w, size):
    grad = torch.zeros_like(w)
    start = 0
    while start < data.shape[0]:
        X, t = data[start:start + size], targets[start:start + size]
        grad = grad + 2 * X.T @ (X @ w - t)
        start += size
    return grad
""",
    ),
    (
        "02.accumulate_minibatches",
        "right",
        "adds up the losses of all batches and calls backward once",
        """
def accumulate_minibatches(data, targets, w, size):
    w = w.clone().requires_grad_()
    losses = [0 * w.sum()]
    for k in range(-(-len(data) // size)):
        part = slice(k * size, (k + 1) * size)
        err = data[part] @ w - targets[part]
        losses.append(err @ err)
    sum(losses).backward()
    return w.grad
""",
    ),
    (
        "02.accumulate_minibatches",
        "right",
        "recursion: the first batch, then the rest",
        """
def accumulate_minibatches(data, targets, w, size):
    if len(data) == 0:
        return torch.zeros_like(w)
    leaf = w.detach().clone().requires_grad_()
    torch.nn.functional.mse_loss(data[:size].mv(leaf), targets[:size], reduction="sum").backward()
    return leaf.grad + accumulate_minibatches(data[size:], targets[size:], w, size)
""",
    ),
    (
        "02.accumulate_minibatches",
        "wrong",
        "the last, shorter mini-batch is left out (rows // size batches)",
        """
def accumulate_minibatches(data, targets, w, size):
    leaf = w.detach().clone().requires_grad_()
    for k in range(len(data) // size):
        rows = slice(k * size, (k + 1) * size)
        ((data[rows] @ leaf - targets[rows]) ** 2).sum().backward()
    return leaf.grad
""",
    ),
    (
        "02.accumulate_minibatches",
        "wrong",
        "range(0, rows - size, size) ends too early: the last mini-batch is left out, also a full one",
        """
def accumulate_minibatches(data, targets, w, size):
    leaf = w.detach().clone().requires_grad_()
    total = torch.zeros_like(w)
    for start in range(0, len(data) - size, size):
        loss = ((data[start:start + size] @ leaf - targets[start:start + size]) ** 2).sum()
        total += torch.autograd.grad(loss, leaf)[0]
    return total
""",
    ),
    (
        "02.accumulate_minibatches",
        "wrong",
        "a batch ends at start + size - 1 and the slice leaves its last row out",
        """
def accumulate_minibatches(data, targets, w, size):
    leaf = w.detach().clone().requires_grad_()
    total = torch.zeros_like(w)
    for start in range(0, len(data), size):
        end = start + size - 1
        loss = ((data[start:end] @ leaf - targets[start:end]) ** 2).sum()
        total += torch.autograd.grad(loss, leaf)[0]
    return total
""",
    ),
    (
        "02.accumulate_minibatches",
        "wrong",
        "sets the gradient to zero before each mini-batch, so only the last one counts",
        """
def accumulate_minibatches(data, targets, w, size):
    leaf = w.detach().clone().requires_grad_()
    for start in range(0, len(data), size):
        leaf.grad = None
        loss = ((data[start:start + size] @ leaf - targets[start:start + size]) ** 2).sum()
        loss.backward()
    return leaf.grad
""",
    ),
    (
        "02.accumulate_minibatches",
        "wrong",
        "takes the mean of the errors in each mini-batch, L is a sum",
        """
def accumulate_minibatches(data, targets, w, size):
    leaf = w.detach().clone().requires_grad_()
    for start in range(0, len(data), size):
        loss = ((data[start:start + size] @ leaf - targets[start:start + size]) ** 2).mean()
        loss.backward()
    return leaf.grad
""",
    ),
    (
        "02.accumulate_minibatches",
        "wrong",
        "divides the gradient by the number of mini-batches",
        """
def accumulate_minibatches(data, targets, w, size):
    leaf = w.detach().clone().requires_grad_()
    batches = 0
    for start in range(0, len(data), size):
        ((data[start:start + size] @ leaf - targets[start:start + size]) ** 2).sum().backward()
        batches += 1
    return leaf.grad / batches
""",
    ),
    (
        "02.accumulate_minibatches",
        "wrong",
        "squares the sum of the errors of a batch, instead of adding the squares",
        """
def accumulate_minibatches(data, targets, w, size):
    leaf = w.detach().clone().requires_grad_()
    for start in range(0, len(data), size):
        ((data[start:start + size] @ leaf - targets[start:start + size]).sum() ** 2).backward()
    return leaf.grad
""",
    ),
    (
        "02.accumulate_minibatches",
        "wrong",
        "makes a step of gradient descent after each mini-batch: the later gradients are not taken at w",
        """
def accumulate_minibatches(data, targets, w, size):
    leaf = w.detach().clone().requires_grad_()
    total = torch.zeros_like(w)
    for start in range(0, len(data), size):
        loss = ((data[start:start + size] @ leaf - targets[start:start + size]) ** 2).sum()
        (g,) = torch.autograd.grad(loss, leaf)
        total += g
        with torch.no_grad():
            leaf -= 0.1 * g
    return total
""",
    ),
    (
        "02.accumulate_minibatches",
        "wrong",
        "calls backward on the running total of the losses: the first mini-batches are counted several times",
        """
def accumulate_minibatches(data, targets, w, size):
    leaf = w.detach().clone().requires_grad_()
    loss = 0
    for start in range(0, len(data), size):
        loss = loss + ((data[start:start + size] @ leaf - targets[start:start + size]) ** 2).sum()
        loss.backward(retain_graph=True)
    return leaf.grad
""",
    ),
    (
        "02.accumulate_minibatches",
        "wrong",
        "return is inside of the loop: only the first mini-batch counts",
        """
def accumulate_minibatches(data, targets, w, size):
    leaf = w.detach().clone().requires_grad_()
    for start in range(0, len(data), size):
        ((data[start:start + size] @ leaf - targets[start:start + size]) ** 2).sum().backward()
        return leaf.grad
""",
    ),
    (
        "02.accumulate_minibatches",
        "wrong",
        "returns a list with the gradient of each mini-batch, not their sum",
        """
def accumulate_minibatches(data, targets, w, size):
    leaf = w.detach().clone().requires_grad_()
    grads = []
    for start in range(0, len(data), size):
        loss = ((data[start:start + size] @ leaf - targets[start:start + size]) ** 2).sum()
        grads.append(torch.autograd.grad(loss, leaf)[0])
    return grads
""",
    ),
    (
        "02.accumulate_minibatches",
        "wrong",
        "each batch begins at row 0 (data[:end]): the first rows are counted several times",
        """
def accumulate_minibatches(data, targets, w, size):
    leaf = w.detach().clone().requires_grad_()
    for start in range(0, len(data), size):
        end = start + size
        ((data[:end] @ leaf - targets[:end]) ** 2).sum().backward()
    return leaf.grad
""",
    ),
    (
        "02.accumulate_minibatches",
        "wrong",
        "targets get a second dimension and broadcast to a matrix: each row is compared with all targets of the batch",
        """
def accumulate_minibatches(data, targets, w, size):
    leaf = w.detach().clone().requires_grad_()
    for start in range(0, len(data), size):
        prediction = data[start:start + size] @ leaf
        goal = targets[start:start + size].reshape(-1, 1)
        ((prediction - goal) ** 2).sum().backward()
    return leaf.grad
""",
    ),
    (
        "02.accumulate_minibatches",
        "wrong",
        "the factor 2 from the square is forgotten: this is the gradient of half the loss",
        """
def accumulate_minibatches(data, targets, w, size):
    grad = torch.zeros_like(w)
    for X, t in zip(data.split(size), targets.split(size)):
        grad += X.T @ (X @ w - t)
    return grad
""",
    ),
    (
        "02.accumulate_minibatches",
        "wrong",
        "works on w itself: w requires grad and has a .grad afterwards",
        """
def accumulate_minibatches(data, targets, w, size):
    w.requires_grad_()
    w.grad = None
    for start in range(0, len(data), size):
        ((data[start:start + size] @ w - targets[start:start + size]) ** 2).sum().backward()
    return w.grad.clone()
""",
    ),
    (
        "02.accumulate_minibatches",
        "wrong",
        "the data moves on by one row each time, not by size: rows are counted several times",
        """
def accumulate_minibatches(data, targets, w, size):
    leaf = w.detach().clone().requires_grad_()
    for start in range(0, len(data)):
        ((data[start:start + size] @ leaf - targets[start:start + size]) ** 2).sum().backward()
    return leaf.grad
""",
    ),
    (
        "02.accumulate_minibatches",
        "wrong",
        "the targets of the first mini-batch are used for all batches",
        """
def accumulate_minibatches(data, targets, w, size):
    leaf = w.detach().clone().requires_grad_()
    for start in range(0, len(data), size):
        rows = data[start:start + size]
        ((rows @ leaf - targets[:len(rows)]) ** 2).sum().backward()
    return leaf.grad
""",
    ),
    (
        "02.accumulate_minibatches",
        "wrong",
        "when the data has fewer rows than size there is no batch at all: the last batch is taken only after a full one",
        """
def accumulate_minibatches(data, targets, w, size):
    total = torch.zeros_like(w)
    n = len(data)
    if size > n:
        return total
    leaf = w.detach().clone().requires_grad_()
    for start in range(0, n, size):
        loss = ((data[start:start + size] @ leaf - targets[start:start + size]) ** 2).sum()
        total += torch.autograd.grad(loss, leaf)[0]
    return total
""",
    ),
    (
        "02.accumulate_minibatches",
        "right",
        "the formula 2 * data^T (data w - targets), mini-batches from the last to the first, no autograd",
        """
def accumulate_minibatches(data, targets, w, size):
    total = torch.zeros_like(w)
    pieces = list(zip(torch.split(data, size), torch.split(targets, size)))
    while pieces:
        rows, goal = pieces.pop()
        error = (rows * w).sum(1) - goal
        total += (rows * error.reshape(-1, 1)).sum(0) * 2
    return total
""",
    ),
    (
        "02.accumulate_minibatches",
        "wrong",
        "the last, shorter mini-batch is left out (len(data) // size mini-batches)",
        """
def accumulate_minibatches(data, targets, w, size):
    leaf = w.detach().clone().requires_grad_()
    leaf.grad = torch.zeros_like(w)
    for k in range(len(data) // size):
        rows = slice(k * size, (k + 1) * size)
        loss = ((data[rows] @ leaf - targets[rows]) ** 2).sum()
        loss.backward()
    return leaf.grad
""",
    ),
    (
        "02.accumulate_minibatches",
        "wrong",
        "each mini-batch's loss is a mean over its rows instead of a sum",
        """
def accumulate_minibatches(data, targets, w, size):
    leaf = w.detach().clone().requires_grad_()
    for start in range(0, len(data), size):
        out = data[start:start + size] @ leaf
        ((out - targets[start:start + size]) ** 2).mean().backward()
    return leaf.grad
""",
    ),
    (
        "02.accumulate_minibatches",
        "wrong",
        "the gradient is reset before each mini-batch, so only the last mini-batch counts",
        """
def accumulate_minibatches(data, targets, w, size):
    leaf = w.detach().clone().requires_grad_()
    for start in range(0, len(data), size):
        leaf.grad = None
        x, t = data[start:start + size], targets[start:start + size]
        ((x @ leaf - t) ** 2).sum().backward()
    return leaf.grad
""",
    ),
    (
        "02.accumulate_minibatches",
        "wrong",
        "targets is made a column, so the difference broadcasts to a matrix: every prediction is compared with every target of the mini-batch",
        """
def accumulate_minibatches(data, targets, w, size):
    leaf = w.detach().clone().requires_grad_()
    total = torch.zeros_like(w)
    for start in range(0, data.shape[0], size):
        x = data[start:start + size]
        t = targets[start:start + size].unsqueeze(1)
        loss = ((x @ leaf - t) ** 2).sum()
        total = total + torch.autograd.grad(loss, leaf)[0]
    return total
""",
    ),
    (
        "02.accumulate_minibatches",
        "wrong",
        "the errors are summed first and the sum is squared, instead of the sum of the squared errors",
        """
def accumulate_minibatches(data, targets, w, size):
    leaf = w.detach().clone().requires_grad_()
    for x, t in zip(data.split(size), targets.split(size)):
        loss = (x @ leaf - t).sum() ** 2
        loss.backward()
    return leaf.grad
""",
    ),
    (
        "02.jacobian_row",
        "right",
        "backward with a vector that is 1 at i",
        """
def jacobian_row(f, x, i):
    leaf = x.detach().clone().requires_grad_()
    y = f(leaf)
    v = torch.zeros_like(y)
    v[i] = 1
    y.backward(gradient=v)
    return leaf.grad
""",
    ),
    (
        "02.jacobian_row",
        "right",
        "row i of autograd.functional.jacobian",
        """
def jacobian_row(f, x, i):
    return torch.autograd.functional.jacobian(f, x.detach().clone())[i]
""",
    ),
    (
        "02.jacobian_row",
        "right",
        "multiplies the result by a mask and sums it",
        """
def jacobian_row(f, x, i):
    leaf = torch.tensor(x.tolist(), dtype=x.dtype, requires_grad=True)
    y = f(leaf)
    mask = (torch.arange(len(y)) == i).to(y.dtype)
    return torch.autograd.grad((y * mask).sum(), leaf)[0]
""",
    ),
    (
        "02.jacobian_row",
        "right",
        "column by column forward: entry i of each jvp",
        """
def jacobian_row(f, x, i):
    basis = torch.eye(len(x), dtype=x.dtype)
    return torch.stack([torch.autograd.functional.jvp(f, x.clone(), e)[1][i] for e in basis])
""",
    ),
    (
        "02.jacobian_row",
        "wrong",
        "calls backward on the sum of all results: the sum of all rows",
        """
def jacobian_row(f, x, i):
    leaf = x.detach().clone().requires_grad_()
    f(leaf).sum().backward()
    return leaf.grad
""",
    ),
    (
        "02.jacobian_row",
        "wrong",
        "returns column i of the Jacobian and not row i",
        """
def jacobian_row(f, x, i):
    leaf = x.detach().clone().requires_grad_()
    y = f(leaf)
    column = [torch.autograd.grad(y[k], leaf, retain_graph=True)[0][i] for k in range(len(y))]
    return torch.stack(column)
""",
    ),
    (
        "02.jacobian_row",
        "wrong",
        "the vector for backward has the length of x, not of f(x): it fails when they differ",
        """
def jacobian_row(f, x, i):
    leaf = x.detach().clone().requires_grad_()
    y = f(leaf)
    v = torch.zeros_like(x)
    v[i] = 1.0
    y.backward(v)
    return leaf.grad
""",
    ),
    (
        "02.jacobian_row",
        "wrong",
        "counts the rows from 1: takes row i - 1",
        """
def jacobian_row(f, x, i):
    leaf = x.detach().clone().requires_grad_()
    return torch.autograd.grad(f(leaf)[i - 1], leaf)[0]
""",
    ),
    (
        "02.jacobian_row",
        "wrong",
        "calls backward for the rows 0 to i: their gradients accumulate",
        """
def jacobian_row(f, x, i):
    leaf = x.detach().clone().requires_grad_()
    y = f(leaf)
    for k in range(i + 1):
        y[k].backward(retain_graph=True)
    return leaf.grad
""",
    ),
    (
        "02.jacobian_row",
        "wrong",
        "puts i, not 1, into the vector: row i comes out multiplied by i",
        """
def jacobian_row(f, x, i):
    leaf = x.detach().clone().requires_grad_()
    y = f(leaf)
    v = torch.zeros_like(y)
    v[i] = i
    return torch.autograd.grad(y, leaf, v)[0]
""",
    ),
    (
        "02.jacobian_row",
        "wrong",
        "returns one number, entry i of the row",
        """
def jacobian_row(f, x, i):
    leaf = x.detach().clone().requires_grad_()
    f(leaf)[i].backward()
    return leaf.grad[i % len(x)]
""",
    ),
    (
        "02.jacobian_row",
        "wrong",
        "autograd.grad's tuple is returned, the [0] is forgotten",
        """
def jacobian_row(f, x, i):
    leaf = x.detach().clone().requires_grad_()
    return torch.autograd.grad(f(leaf)[i], leaf)
""",
    ),
    (
        "02.jacobian_row",
        "wrong",
        "x itself is made to require grad, and stays so",
        """
def jacobian_row(f, x, i):
    x.requires_grad_()
    return torch.autograd.grad(f(x)[i], x)[0]
""",
    ),
    (
        "02.jacobian_row",
        "wrong",
        "the result is a matrix with one row, it must have the shape of x",
        """
def jacobian_row(f, x, i):
    leaf = x.detach().clone().requires_grad_()
    return torch.stack(torch.autograd.grad(f(leaf)[i], leaf))
""",
    ),
    (
        "02.jacobian_row",
        "wrong",
        "takes always row 0, whatever i is",
        """
def jacobian_row(f, x, i):
    leaf = x.detach().clone().requires_grad_()
    y = f(leaf)
    return torch.autograd.grad(y[0], leaf)[0]
""",
    ),
    (
        "02.jacobian_row",
        "wrong",
        "y[:i + 1].sum() adds the rows before row i",
        """
def jacobian_row(f, x, i):
    leaf = x.detach().clone().requires_grad_()
    f(leaf)[: i + 1].sum().backward()
    return leaf.grad
""",
    ),
    (
        "02.jacobian_row",
        "wrong",
        "calls backward twice (for a look at it, and again): the row is twice too large",
        """
def jacobian_row(f, x, i):
    leaf = x.detach().clone().requires_grad_()
    yi = f(leaf)[i]
    yi.backward(retain_graph=True)
    yi.backward()
    return leaf.grad
""",
    ),
    (
        "02.jacobian_row",
        "wrong",
        "the entry is taken out of f(x) as a plain number with item(): the history is lost, an error",
        """
def jacobian_row(f, x, i):
    leaf = x.detach().clone().requires_grad_()
    yi = torch.tensor(f(leaf)[i].item())
    yi.backward()
    return leaf.grad
""",
    ),
    (
        "02.jacobian_row",
        "wrong",
        "returns the row as a list of numbers, not as a tensor",
        """
def jacobian_row(f, x, i):
    leaf = x.detach().clone().requires_grad_()
    f(leaf)[i].backward()
    return leaf.grad.tolist()
""",
    ),
    (
        "02.jacobian_row",
        "wrong",
        "the vector is 1 at i and at i + 1 (slice one too long): the sum of two rows",
        """
def jacobian_row(f, x, i):
    leaf = x.detach().clone().requires_grad_()
    y = f(leaf)
    v = torch.zeros_like(y)
    v[i:i + 2] = 1.0
    y.backward(v)
    return leaf.grad
""",
    ),
    (
        "02.jacobian_row",
        "right",
        "masks all other entries of the result with zeros and sums up",
        """
def jacobian_row(f, x, i):
    leaf = x.detach().clone().requires_grad_()
    y = f(leaf)
    only = torch.arange(len(y)) == i
    torch.where(only, y, torch.zeros_like(y)).sum().backward()
    return leaf.grad
""",
    ),
    (
        "02.jacobian_row",
        "wrong",
        "rows are counted from 1 (y[i - 1])",
        """
def jacobian_row(f, x, i):
    leaf = x.detach().clone().requires_grad_()
    y = f(leaf)
    return torch.autograd.grad(y[i - 1], leaf)[0]
""",
    ),
    (
        "02.jacobian_row",
        "wrong",
        "the gradient of the sum of all results, so the sum of all rows instead of row i",
        """
def jacobian_row(f, x, i):
    leaf = x.detach().clone().requires_grad_()
    y = f(leaf)
    y.backward(torch.ones_like(y))
    return leaf.grad
""",
    ),
    (
        "02.jacobian_row",
        "wrong",
        "returns column i of the Jacobian (how all results depend on x_i) instead of row i",
        """
def jacobian_row(f, x, i):
    leaf = x.detach().clone().requires_grad_()
    y = f(leaf)
    jac = torch.stack([torch.autograd.grad(entry, leaf, retain_graph=True)[0] for entry in y])
    return jac[:, i]
""",
    ),
    (
        "02.jacobian_row",
        "wrong",
        "the one-hot vector has the length of x instead of the length of f(x): fails when they are not equally long",
        """
def jacobian_row(f, x, i):
    leaf = x.detach().clone().requires_grad_()
    y = f(leaf)
    v = torch.zeros_like(x)
    v[i] = 1.0
    return torch.autograd.grad(y, leaf, grad_outputs=v)[0]
""",
    ),
    (
        "02.jacobian_row",
        "wrong",
        "returns only entry i of the row (a single number, the diagonal entry) instead of the whole row",
        """
def jacobian_row(f, x, i):
    leaf = x.detach().clone().requires_grad_()
    f(leaf)[i].backward()
    return leaf.grad[i % len(x)]
""",
    ),
    (
        "02.full_jacobian",
        "right",
        "fills a matrix of zeros, runs f anew for each row",
        """
def full_jacobian(f, x):
    with torch.no_grad():
        m = len(f(x))
    J = torch.zeros(m, len(x), dtype=x.dtype)
    for i in range(m):
        leaf = x.detach().clone().requires_grad_()
        f(leaf)[i].backward()
        J[i] = leaf.grad
    return J
""",
    ),
    (
        "02.full_jacobian",
        "right",
        "one graph, one-hot rows of an identity matrix, retain_graph",
        """
def full_jacobian(f, x):
    leaf = x.clone().requires_grad_()
    y = f(leaf)
    return torch.stack([torch.autograd.grad(y, leaf, e, retain_graph=True)[0] for e in torch.eye(len(y), dtype=y.dtype)], dim=0)
""",
    ),
    (
        "02.full_jacobian",
        "right",
        "the columns by jvp, side by side",
        """
def full_jacobian(f, x):
    columns = []
    for j in range(x.numel()):
        e = torch.zeros_like(x)
        e[j] = 1
        columns.append(torch.autograd.functional.jvp(f, x.detach(), e)[1])
    return torch.stack(columns, dim=1)
""",
    ),
    (
        "02.full_jacobian",
        "right",
        "one backward through m copies of x, one for each result",
        """
def full_jacobian(f, x):
    m = f(x).numel()
    copies = x.repeat(m, 1).requires_grad_()
    total = sum(f(copies[k])[k] for k in range(m))
    total.backward()
    return copies.grad
""",
    ),
    (
        "02.full_jacobian",
        "wrong",
        "the matrix is transposed: the rows are put in as columns",
        """
def full_jacobian(f, x):
    leaf = x.detach().clone().requires_grad_()
    y = f(leaf)
    rows = [torch.autograd.grad(y[i], leaf, retain_graph=True)[0] for i in range(len(y))]
    return torch.stack(rows, dim=1)
""",
    ),
    (
        "02.full_jacobian",
        "wrong",
        "a list of rows, not a matrix",
        """
def full_jacobian(f, x):
    leaf = x.detach().clone().requires_grad_()
    y = f(leaf)
    return [torch.autograd.grad(yi, leaf, retain_graph=True)[0] for yi in y]
""",
    ),
    (
        "02.full_jacobian",
        "wrong",
        "retain_graph is missing: the second row fails because the graph is freed",
        """
def full_jacobian(f, x):
    leaf = x.detach().clone().requires_grad_()
    y = f(leaf)
    return torch.stack([torch.autograd.grad(y[i], leaf)[0] for i in range(len(y))])
""",
    ),
    (
        "02.full_jacobian",
        "wrong",
        "goes over the entries of x, not of f(x): wrong when the numbers differ",
        """
def full_jacobian(f, x):
    leaf = x.detach().clone().requires_grad_()
    y = f(leaf)
    rows = []
    for i in range(len(x)):
        rows.append(torch.autograd.grad(y[i], leaf, retain_graph=True)[0])
    return torch.stack(rows)
""",
    ),
    (
        "02.full_jacobian",
        "wrong",
        "leaf.grad is not cleared between the rows: each row contains the rows before it",
        """
def full_jacobian(f, x):
    leaf = x.detach().clone().requires_grad_()
    y = f(leaf)
    rows = []
    for i in range(len(y)):
        y[i].backward(retain_graph=True)
        rows.append(leaf.grad.clone())
    return torch.stack(rows)
""",
    ),
    (
        "02.full_jacobian",
        "wrong",
        "stores leaf.grad itself and clears it in place: all rows are the same tensor, so all show the last row",
        """
def full_jacobian(f, x):
    leaf = x.detach().clone().requires_grad_()
    leaf.grad = torch.zeros_like(leaf)
    y = f(leaf)
    rows = []
    for i in range(len(y)):
        leaf.grad.zero_()
        y[i].backward(retain_graph=True)
        rows.append(leaf.grad)
    return torch.stack(rows)
""",
    ),
    (
        "02.full_jacobian",
        "wrong",
        "cat joins the rows to one long vector: use stack",
        """
def full_jacobian(f, x):
    leaf = x.detach().clone().requires_grad_()
    y = f(leaf)
    return torch.cat([torch.autograd.grad(y[i], leaf, retain_graph=True)[0] for i in range(len(y))])
""",
    ),
    (
        "02.full_jacobian",
        "wrong",
        "the last row is missing: range(len(y) - 1)",
        """
def full_jacobian(f, x):
    y_size = len(f(x))
    rows = []
    for i in range(y_size - 1):
        leaf = x.detach().clone().requires_grad_()
        f(leaf)[i].backward()
        rows.append(leaf.grad)
    return torch.stack(rows) if rows else torch.zeros(0, len(x))
""",
    ),
    (
        "02.full_jacobian",
        "wrong",
        "only the diagonal is filled in, as if entry i depended on x_i alone",
        """
def full_jacobian(f, x):
    leaf = x.detach().clone().requires_grad_()
    y = f(leaf)
    J = torch.zeros(len(y), len(x), dtype=x.dtype)
    for i in range(min(len(y), len(x))):
        J[i, i] = torch.autograd.grad(y[i], leaf, retain_graph=True)[0][i]
    return J
""",
    ),
    (
        "02.full_jacobian",
        "wrong",
        "puts the gradient of the sum on a diagonal: this is the Jacobian only when each result depends on its own entry",
        """
def full_jacobian(f, x):
    leaf = x.detach().clone().requires_grad_()
    y = f(leaf)
    (g,) = torch.autograd.grad(y.sum(), leaf)
    return torch.eye(len(y), len(x), dtype=x.dtype) * g
""",
    ),
    (
        "02.full_jacobian",
        "wrong",
        "squeeze() takes a dimension away when f has one result (or x one entry): no matrix any more",
        """
def full_jacobian(f, x):
    leaf = x.detach().clone().requires_grad_()
    y = f(leaf)
    rows = [torch.autograd.grad(y[i], leaf, retain_graph=True)[0] for i in range(len(y))]
    return torch.stack(rows).squeeze()
""",
    ),
    (
        "02.full_jacobian",
        "wrong",
        "works on x itself with backward: x requires grad and has a .grad afterwards",
        """
def full_jacobian(f, x):
    x.requires_grad_()
    y = f(x)
    rows = []
    for i in range(len(y)):
        x.grad = None
        y[i].backward(retain_graph=True)
        rows.append(x.grad)
    return torch.stack(rows)
""",
    ),
    (
        "02.full_jacobian",
        "wrong",
        "the rows come in reversed order, because each is put in at the front",
        """
def full_jacobian(f, x):
    leaf = x.detach().clone().requires_grad_()
    y = f(leaf)
    rows = []
    for i in range(len(y)):
        rows.insert(0, torch.autograd.grad(y[i], leaf, retain_graph=True)[0])
    return torch.stack(rows)
""",
    ),
    (
        "02.full_jacobian",
        "wrong",
        "the matrix of zeros is square with the size of x: wrong when f(x) has another length",
        """
def full_jacobian(f, x):
    leaf = x.detach().clone().requires_grad_()
    y = f(leaf)
    J = torch.zeros(len(x), len(x), dtype=x.dtype)
    for i in range(len(y)):
        J[i] = torch.autograd.grad(y[i], leaf, retain_graph=True)[0]
    return J
""",
    ),
    (
        "02.full_jacobian",
        "wrong",
        "view(len(x), len(y)) mixes the entries up when the numbers differ: it must be (len(y), len(x))",
        """
def full_jacobian(f, x):
    leaf = x.detach().clone().requires_grad_()
    y = f(leaf)
    flat = torch.cat([torch.autograd.grad(y[i], leaf, retain_graph=True)[0] for i in range(len(y))])
    return flat.view(len(x), len(y))
""",
    ),
    (
        "02.full_jacobian",
        "wrong",
        "computes the matrix and forgets to return it",
        """
def full_jacobian(f, x):
    leaf = x.detach().clone().requires_grad_()
    y = f(leaf)
    J = torch.zeros(len(y), len(x), dtype=x.dtype)
    for i in range(len(y)):
        J[i] = torch.autograd.grad(y[i], leaf, retain_graph=True)[0]
""",
    ),
    (
        "02.full_jacobian",
        "right",
        "column by column: the backward pass is linear in its grad_outputs, and is itself differentiated",
        """
def full_jacobian(f, x):
    leaf = x.detach().clone().requires_grad_()
    y = f(leaf)
    v = torch.zeros_like(y).requires_grad_()
    (g,) = torch.autograd.grad(y, leaf, v, create_graph=True)
    J = torch.zeros(y.shape[0], x.shape[0], dtype=y.dtype)
    for j in range(x.shape[0]):
        (column,) = torch.autograd.grad(g[j], v, retain_graph=True, allow_unused=True)
        if column is not None:
            J[:, j] = column
    return J
""",
    ),
    (
        "02.full_jacobian",
        "wrong",
        "the matrix is transposed: the gradients of the results are put into the columns",
        """
def full_jacobian(f, x):
    leaf = x.detach().clone().requires_grad_()
    y = f(leaf)
    rows = [torch.autograd.grad(y[i], leaf, retain_graph=True)[0] for i in range(len(y))]
    return torch.stack(rows, dim=1)
""",
    ),
    (
        "02.full_jacobian",
        "wrong",
        "the rows are joined with cat instead of stack, so the result has one dimension",
        """
def full_jacobian(f, x):
    leaf = x.detach().clone().requires_grad_()
    y = f(leaf)
    rows = []
    for entry in y:
        rows.append(torch.autograd.grad(entry, leaf, retain_graph=True)[0])
    return torch.cat(rows)
""",
    ),
    (
        "02.full_jacobian",
        "wrong",
        ".grad is not reset between the rows, so each row contains the sum of the rows before it too",
        """
def full_jacobian(f, x):
    leaf = x.detach().clone().requires_grad_()
    y = f(leaf)
    rows = []
    for i in range(len(y)):
        y[i].backward(retain_graph=True)
        rows.append(leaf.grad.clone())
    return torch.stack(rows)
""",
    ),
    (
        "02.full_jacobian",
        "wrong",
        "leaf.grad is not cloned and is zeroed in place: all rows are the same tensor, the last row",
        """
def full_jacobian(f, x):
    leaf = x.detach().clone().requires_grad_()
    y = f(leaf)
    rows = []
    for i in range(len(y)):
        if leaf.grad is not None:
            leaf.grad.zero_()
        y[i].backward(retain_graph=True)
        rows.append(leaf.grad)
    return torch.stack(rows)
""",
    ),
    (
        "02.full_jacobian",
        "wrong",
        "the result is squeezed: with a single result or a single entry of x it is no matrix any more",
        """
def full_jacobian(f, x):
    leaf = x.detach().clone().requires_grad_()
    y = f(leaf)
    J = torch.stack([torch.autograd.grad(y[i], leaf, retain_graph=True)[0] for i in range(len(y))])
    return J.squeeze()
""",
    ),
]
