"""Answers to notebook 02: see tests/course/table.py."""

# %% 02.gradient_of right: by backward
def fresh(x):
    return x.detach().clone().requires_grad_(True)


def gradient_of(f, x):
    leaf = fresh(x)
    f(leaf).backward()
    return leaf.grad

# %% 02.gradient_of right: with prints
def gradient_of(f, x):
    x = torch.tensor(x.tolist(), dtype=x.dtype, requires_grad=True)
    y = f(x)
    assert y.numel() == 1
    print("value", y.item())
    return torch.autograd.grad(outputs=y, inputs=[x])[0]

# %% 02.gradient_of right: by functional
def gradient_of(f, x):
    return torch.autograd.functional.vjp(f, x)[1]

# %% 02.gradient_of right: with history
def fresh(x):
    return x.detach().clone().requires_grad_(True)


def gradient_of(f, x):
    x = fresh(x)
    return torch.autograd.grad(f(x), x, create_graph=True)[0]

# %% 02.gradient_of right: by differences
def gradient_of(f, x, h=1e-6):
    slopes = []
    for move in torch.eye(x.numel(), dtype=x.dtype):
        move = h * move.reshape(x.shape)
        slopes.append((f(x + move) - f(x - move)) / (2 * h))
    return torch.stack(slopes).reshape(x.shape)

# %% 02.gradient_of right: with warnings
import warnings
import numpy as np


def gradient_of(f, x):
    warnings.warn("this is only a warning", stacklevel=1)
    np.log(np.zeros(1))
    leaf = x.detach().clone().requires_grad_(True)
    f(leaf).backward()
    return leaf.grad

# %% 02.gradient_of right: detach without clone: flag and .grad are the new tensor's own, x stays as it is
def gradient_of(f, x):
    leaf = x.detach().requires_grad_()
    f(leaf).backward()
    return leaf.grad

# %% 02.gradient_of right: autograd.functional.vjp
def gradient_of(f, x):
    value, grad = torch.autograd.functional.vjp(f, x.clone())
    return grad

# %% 02.gradient_of right: the leaf is a vector, f sees it in the shape of x; the result has a history
def gradient_of(f, x):
    flat = x.reshape(-1).clone().requires_grad_()
    (g,) = torch.autograd.grad(f(flat.view(x.shape)), [flat], create_graph=True)
    return g.reshape(x.shape)

# %% 02.gradient_of right: x plus a leaf of zeros: the gradient for the shift is the gradient for x
def gradient_of(f, x):
    shift = torch.zeros_like(x, requires_grad=True)
    y = f(x + shift)
    y.backward(torch.ones_like(y))
    return shift.grad.clone()

# %% 02.gradient_of right: catches the gradient with a hook on the leaf
def gradient_of(f, x):
    caught = []
    leaf = torch.empty_like(x).copy_(x).requires_grad_(True)
    leaf.register_hook(lambda g: caught.append(g.clone()))
    f(leaf).sum().backward()
    total = torch.zeros_like(x)
    for g in caught:
        total = total + g
    return total

# %% 02.gradient_of right: float32 on the way, the dtype of x at the end
def gradient_of(f, x):
    leaf = x.to(torch.float32).requires_grad_()
    return torch.autograd.grad(f(leaf), leaf)[0].to(x.dtype)

# %% 02.gradient_of wrong: sets requires_grad on x itself instead of a leaf of its own, so x requires grad afterwards
expect("leaves_a_trace", "x requires grad after the call, but the caller's tensor must not change: use a copy of")
edit("def gradient_of(f, x):", "def gradient_of(f, leaf):",
     "leaf = x.detach().clone().requires_grad_()", "leaf.requires_grad_()")

# %% 02.gradient_of wrong: autograd.grad returns a tuple, and the tuple itself is returned instead of its first entry
expect("known", "`autograd.grad` gives a tuple, even for one leaf: take its only element")
def gradient_of(f, x):
    leaf = x.detach().clone().requires_grad_()
    return torch.autograd.grad(f(leaf), leaf)

# %% 02.gradient_of wrong: calls backward for two runs of f: the gradient is accumulated and twice too large
expect("known", "the gradient: it is twice what it must be")
edit("\n    (gradient,) = torch.autograd.grad(f(leaf),", "\n    f(leaf).backward()\n    value = f(",
     "\n    return gradient", "\n    value.backward()\n    return leaf.grad")

# %% 02.gradient_of wrong: one backward pass per entry, which adds up
expect("known", "it is multiplied by the number of entries of x: one pass gives all slopes")
edit("(gradient,) = torch.autograd.grad(f(leaf), leaf)", "for _ in range(leaf.numel()):\n        f(leaf).backward()",
     "return gradient", "return leaf.grad")

# %% 02.gradient_of wrong: sums the entries of the gradient to one number
expect("known", "this is the sum of all entries of the gradient: each entry of x has a slope of its own")
def gradient_of(f, x):
    leaf = x.detach().clone().requires_grad_()
    return torch.autograd.grad(f(leaf), leaf)[0].sum()

# %% 02.gradient_of wrong: gives the direction of descent: the sign is turned round
expect("known", "the gradient: it has the wrong sign")
edit("return leaf.grad", "return - leaf.grad", of="detach without")

# %% 02.gradient_of wrong: takes the gradient at a point of ones, not at x
expect("known", "this is the gradient at another point: where all entries are 1")
edit("leaf = x.detach().clone().requires_grad_()", "leaf = torch.ones_like(x).requires_grad_()")

# %% 02.gradient_of wrong: returns a NumPy array, not a tensor
expect("type", "the numbers are right, but the result is a NumPy array of shape")
edit("return leaf.grad", "return leaf.grad.numpy()", of="detach without")

# %% 02.gradient_of wrong: passes f's value as gradient to backward: the gradient is multiplied by f(x)
expect("known", "in yours, the gradient is multiplied by the value of f")
edit("(gradient,) = torch.autograd.grad(f(leaf), leaf)", "y = f(leaf)\n    y.backward(y.detach())",
     "return gradient", "return leaf.grad")

# %% 02.gradient_of wrong: handles the rows of x one by one with len(x), which fails for a tensor without dimensions
expect("raises_for_some", "`return torch.stack([leaf.grad[i] for i in range(len(x))])` raised TypeError")
edit("return leaf.grad", "return torch.stack([leaf.grad[i] for i in range(len(x))])", of="detach without")

# %% 02.gradient_of wrong: Forward differences with the coarse step h = 1e-3 in place of autograd
expect("known", "these are differences over a move of")
edit("leaf = x.detach().clone().requires_grad_()", "h = 1e-3\n    flat = x.flatten().tolist()",
     "(gradient,) = torch.autograd.grad(f(leaf), leaf)",
     "f0 = float(f(x))\n    slopes = []\n    for k in range(len(flat)):\n        moved = list(flat)\n"
     "        moved[k] += h\n        fk = float(f(torch.tensor(moved, dtype=x.dtype).reshape(x.shape)))\n"
     "        slopes.append((fk - f0) / h)",
     "return gradient", "return torch.tensor(slopes, dtype=x.dtype).reshape(x.shape)")

# %% 02.gradient_of wrong: remembers
expect("not_repeatable", "the second time")
edit("\n\ndef gradient_of(f, x):", "\ndef grad_of(f, x):",
     "return torch.autograd.grad(f(x), x, create_graph=True)[0]",
     "return torch.autograd.grad(f(x), x)[0]\ncalls = []\ndef gradient_of(f, x):\n    calls.append(str(x))\n"
     "    return grad_of(f, x) * (1 if calls.count(str(x)) == 1 else 2)", of="with history")

# %% 02.gradient_of wrong: one argument
expect("signature", "takes something else")
def gradient_of(x):
    return x

# %% 02.gradient_of wrong: instance of float
expect("no_function", "pass gradient_of itself")
gradient_of = 3.0

# %% 02.gradient_of wrong: zeros
expect("zero", "zero everywhere")
def gradient_of(f, x):
    return torch.zeros_like(x)

# %% 02.gradient_of wrong: nan at one entry
expect("nan", "NaN")
edit("f(leaf).backward()\n    return leaf.grad",
     "f(leaf).backward()\n    leaf.reshape(-1)[0] = np.nan\n    return leaf",
     "leaf = fresh(x)\n    f(leaf).backward()", "leaf = fresh(f, x).clone()",
     "def fresh(x):", "import numpy as np\ndef fresh(f,x):", of="by backward")

# %% 02.gradient_of wrong: shared memory
expect("argument_changed", "the argument x is changed")
edit("\n\ndef gradient_of(f, x):", "\ndef grad_of(f, x):",
     "return torch.autograd.grad(f(x), x, create_graph=True)[0]",
     "return torch.autograd.grad(f(x), x)[0]\ndef gradient_of(f, x):\n    result = grad_of(f, x)\n    x.zero_()\n"
     "    return result", of="with history")

# %% 02.gradient_of wrong: endless
expect("timeout", "endless loop")
edit("return torch.autograd.functional.vjp(f, x)[1]", "while True:\n        pass", of="by functional")

# %% 02.gradient_of wrong: raises or is wrong
expect("raises_for_some", "no input gives the right result")
def gradient(f, x):
    leaf = x.detach().clone().requires_grad_(True)
    return torch.autograd.grad(f(leaf), leaf)[0]


def gradient_of(f, x):
    return 2 * gradient(f, x) + len(x)

# %% 02.gradient_of wrong: leaf never requires grad
expect("raised", "nor does `leaf`: line 2",
       never=("nothing was recorded between the leaf and it", "without `create_graph=True`"))
edit("value, grad = torch.autograd.functional.vjp(f, x.clone())",
     "leaf = x.clone()\n    y = f(leaf)\n    y.backward()", of="autograd.functional.vjp")

# %% 02.gradient_of wrong: x itself
expect("raised", "`x` was given without it", never=("nothing was recorded between the leaf and it",))
edit("\n    leaf = x.detach().requires_grad_()\n    f(leaf", "\n    f(x", of="detach without")

# %% 02.gradient_of wrong: flag set too late
expect("raised", "line 3, `y = f(leaf)`, uses it before line 4 makes it require grad",
       never=("nothing was recorded between the leaf and it",))
edit("leaf = x.detach().requires_grad_()", "leaf = x.clone()\n    y = f(leaf)\n    leaf.requires_grad_()",
     "f(leaf).backward()", "y.backward()", of="detach without")

# %% 02.gradient_of wrong: under no_grad
expect("raised", "line 4, `y = f(leaf)`, runs under `no_grad`",
       never=("nothing was recorded between the leaf and it", "given without"))
edit("leaf = x.detach().requires_grad_()\n    f(leaf).backward()",
     "leaf = x.detach().requires_grad_()\n    with torch.no_grad():\n        y = f(leaf)\n    y.backward()",
     of="detach without")

# %% 02.gradient_of wrong: decorated
expect("raised", "runs under `no_grad`", never=("nothing was recorded between the leaf and it", "given without"))
edit("def gradient_of(f, x):", "@torch.no_grad()\ndef gradient_of(f, x):",
     "(gradient,) = torch.autograd.grad(f(leaf), leaf)", "y = f(leaf)\n    y.backward()")

# %% 02.gradient_of wrong: tensor of item
expect("raised", "line 3", never=("nothing was recorded between the leaf and it",))
edit("leaf = x.detach().requires_grad_()\n    f(leaf).backward()",
     "leaf = x.detach().requires_grad_()\n    y = torch.tensor(f(leaf).item())\n    y.backward()",
     of="detach without")

# %% 02.gradient_of wrong: detached result
expect("raised", "line 4, `z = y.detach()`, cuts the history off",
       never=("nothing was recorded between the leaf and it",))
edit("y = f(x + shift)\n    y.backward(torch.ones_like(y))", "y = f(x + shift)\n    z = y.detach()\n    z.backward()",
     of="x plus a")

# %% 02.gradient_of wrong: f of a detached leaf
expect("raised", "line 3", "cuts the history off: `detach`", never=("nothing was recorded between the leaf and it",))
def gradient_of(f, x):
    leaf = x.clone().requires_grad_()
    y = f(leaf.detach())
    return torch.autograd.grad(y, leaf)[0]

# %% 02.gradient_of wrong: f of data
expect("raised", "line 3", "cuts the history off: `data`", never=("nothing was recorded between the leaf and it",))
def gradient_of(f, x):
    leaf = x.clone().requires_grad_()
    y = f(leaf.data)
    return torch.autograd.grad(y, leaf)[0]

# %% 02.gradient_of wrong: f of x not of leaf
expect("raised", "line 3, `y = f(x)`, uses no tensor that requires grad: `x` was given without it",
       never=("nothing was recorded between the leaf and it",))
edit("leaf = x.detach().requires_grad_()\n    f(leaf).backward()", "leaf = x.detach().requires_grad_()\n    y = f(x)",
     "return leaf.grad", "return torch.autograd.grad(y, leaf)[0]", of="detach without")

# %% 02.gradient_of wrong: grad with respect to x
expect("raised", "`x` does not require grad: it was given like that",
       never=("nothing was recorded between the leaf and it",))
edit("\n    (gradient,) = torch.autograd.grad(f(leaf), leaf)\n    return gradient",
     "\n    y = f(leaf)\n    return torch.autograd.grad(y, x)[0]")

# %% 02.gradient_of wrong: a constant
expect("raised", "line 2, `y = torch.tensor(1.0)`, makes a new tensor from plain numbers",
       never=("nothing was recorded between the leaf and it", "was given"))
edit("leaf = x.detach().requires_grad_()", "y = torch.tensor(1.0)",
     "f(leaf).backward()", "y.backward()", of="detach without")

# %% 02.gradient_of wrong: leaf under a condition
expect("raised", "was not computed from a tensor that requires grad, or the computation was not recorded",
       never=("nothing was recorded between the leaf and it", "although", "uses no tensor", "given"))
def gradient_of(f, x):
    leaf = x.detach().clone()
    if leaf.dim() > 5:
        leaf = leaf.requires_grad_()
    return torch.autograd.grad(f(leaf), leaf)[0]

# %% 02.gradient_of wrong: cut under a condition
expect("raised", "was not computed from a tensor that requires grad, or the computation was not recorded",
       never=("nothing was recorded between the leaf and it", "although", "uses no tensor", "given"))
edit("\n    (gradient,) = torch.autograd.grad(f(leaf)",
     "\n    y = f(leaf)\n    if y.dim() == 0:\n        y = y.detach()\n    return torch.autograd.grad(y",
     "\n    return gradient", "[0]")

# %% 02.gradient_of wrong: result in a list
expect("raised", "was not computed from a tensor that requires grad, or the computation was not recorded",
       never=("nothing was recorded between the leaf and it", "although", "uses no tensor", "given"))
def gradient_of(f, x):
    leaf = x.detach().clone().requires_grad_()
    ys = [f(leaf).item(), f(leaf.detach())]
    return torch.autograd.grad(ys[1], leaf)[0]

# %% 02.gradient_of wrong: closure
expect("raised", "was not computed from a tensor that requires grad, or the computation was not recorded",
       never=("nothing was recorded between the leaf and it", "although", "uses no tensor", "given"))
edit("leaf = x.detach().clone().requires_grad_()", "leaf = x.detach().clone()\n    def run()",
     "\n    (gradient,) = torch.autograd.grad(f(leaf), leaf)",
     ":\n        y = f(leaf)\n        y.backward()\n        return leaf.grad",
     "return gradient", "return run()")

# %% 02.gradient_of wrong: a class
expect("raised", "was not computed from a tensor that requires grad, or the computation was not recorded",
       never=("nothing was recorded between the leaf and it", "although", "uses no tensor", "given"))
class Worker:
    def __init__(self, f, x):
        self.leaf = x.detach().clone()
        self.y = f(self.leaf)
    def go(self):
        self.y.backward()
        return self.leaf.grad
def gradient_of(f, x):
    return Worker(f, x).go()

# %% 02.gradient_of wrong: cut by the same name
expect("raised", "line 4, `y = y.detach()`, cuts the history off",
       never=("nothing was recorded between the leaf and it", "although"))
edit("leaf = x.detach().requires_grad_()\n    f(leaf).backward()",
     "leaf = x.detach().requires_grad_()\n    y = f(leaf)\n    y = y.detach()",
     "return leaf.grad", "return torch.autograd.grad(y, leaf)[0]", of="detach without")

# %% 02.gradient_of wrong: enable_grad inside no_grad, leaf without
expect("raised", "line 3, `leaf = x.detach().clone()`, uses no tensor that requires grad",
       never=("nothing was recorded between the leaf and it", "runs under"))
@torch.no_grad()
def gradient_of(f, x):
    leaf = x.detach().clone()
    with torch.enable_grad():
        y = f(leaf)
    return torch.autograd.grad(y, leaf)[0]

# %% 02.gradient_of wrong: one-line with
expect(
    "raised",
    "`y` does not require grad: line 3, `with torch.no_grad(): y = f(leaf)`, runs under `no_grad`, and no",
    never=("nothing was recorded between the leaf and it", "given"),
)
def gradient_of(f, x):
    leaf = x.detach().clone().requires_grad_()
    with torch.no_grad(): y = f(leaf)
    return torch.autograd.grad(y, leaf)[0]

# %% 02.gradient_of wrong: a copy of x
expect("known", "the result is the same as x, unchanged", never=("x itself",))
def gradient_of(f, x):
    return x.clone()

# %% 02.gradient_of wrong: off in the sixth digit
expect("wrong_value", "the result is wrong in every entry, farthest off", never=("yours      [-0.200, ",))
edit("return gradient", "return gradient + 3e-5 * (gradient * gradient).sum().sqrt() * torch.ones_like(gradient)")

# %% 02.gradient_of wrong: .grad of clone
expect("no_result", "the `.grad` of a tensor is None if it is not a leaf", never=("it prints",))
edit("leaf = x.detach().requires_grad_()", "leaf = x.detach().requires_grad_().clone()", of="detach without")

# %% 02.gradient_of wrong: nothing returned backward
expect("no_result", "what `backward()` returns is None as well", never=("it prints",))
edit("(gradient,) = torch.autograd.grad(f(leaf), leaf)\n    return gradient", "return f(leaf).backward()")

# %% 02.gradient_of wrong: the loss through item()
expect("no_result", "if no backward pass has reached it (none goes back through `.item()`", never=("after a `return`",))
edit("return gradient", "return leaf.grad")

# %% 02.gradient_of wrong: flat for a matrix, doubled for a vector
expect("wrong_shape", "it must have (2, 3)", never=("the numbers are right",))
edit("return gradient", "return gradient.reshape(-1) if x.dim() == 2 else 2 * gradient")

# %% 02.gradient_of wrong: float32
expect("dtype", "the result has dtype float32, it must have float64")
edit("leaf = x.detach().clone().requires_grad_()", "leaf = x.to(torch.float32).requires_grad_()")

# %% 02.gradient_of wrong: a helper that returns numbers
expect(
    "raised",
    "`total` does not require grad: line 5, `return f(leaf).detach()`, cuts the history off: `detach` pas",
    never=("given without", "nor does", "although", "uses no tensor"),
)
edit("\n    (gradient,) = torch.autograd.grad(f(leaf), leaf",
     "\n    def value(point):\n        return f(leaf).detach()\n    start = x * 2\n"
     "    total = value(start) * len(leaf.shape)\n    total.backward(")

# %% 02.gradient_of wrong: a comparison and the argument
expect("raised", "although `leaf` requires grad", never=("given",))
edit("f(leaf).backward()", "twice = x * 2\n    y = (twice * (leaf > 0)).sum()\n    y.backward()", of="detach without")

# %% 02.gradient_of wrong: a float that keeps the history
expect("raised", "line 4", "cuts the history off: `detach`", never=("`float`",))
edit("y = f(x + shift)\n    y.backward(torch.ones_like(y))",
     "y = f(x + shift)\n    z = y.detach().sum()\n    z.backward()", of="x plus a")

# %% 02.gradient_of wrong: a helper that is mapped over the rows
expect(
    "raised",
    "`total` does not require grad: line 5, `return f(leaf).detach() * entry`, cuts the history off: `det",
    never=("given", "uses no tensor"),
)
edit("\n    (gradient,) = torch.autograd.grad(f(leaf), leaf",
     "\n    def part(entry):\n        return f(leaf).detach() * entry\n    total = sum(map(part, x.reshape(-1)))\n"
     "    total.backward(")

# %% 02.gradient_of wrong: a new tensor with its dtype
expect(
    "raised",
    "`again.sum()` does not require grad: line 5, `return f(leaf).item()`, cuts the history off: `item` p",
    never=("given", "uses no tensor"),
)
edit("\n    (gradient,) = torch.autograd.grad(f(leaf), leaf",
     "\n    def value():\n        return f(leaf).item()\n"
     "    total = torch.tensor([value(), x.sum().item()], dtype=torch.float64).sum()\n"
     "    again = torch.tensor([value() for _ in range(len(x.shape))], dtype=torch.float64)\n"
     "    again.sum().backward(")

# %% 02.gradient_of wrong: of pytorch alone; PyTorch has `lu`
expect("raised", "only PyTorch has `torch.lu`, this package does not", generic=True, engine='autograd_teach')
def gradient(f, x):
    leaf = x.detach().clone().requires_grad_(True)
    return torch.autograd.grad(f(leaf), leaf)[0]


def gradient_of(f, x):
    return gradient(f, x) + torch.lu(x)

# %% 02.accumulate_minibatches right: sum of grads
def fresh(x):
    return x.detach().clone().requires_grad_(True)


def accumulate_minibatches(data, targets, w, size):
    total = torch.zeros_like(w)
    w = fresh(w)
    for rows, wanted in zip(data.split(size), targets.split(size), strict=True):
        errors = rows.mv(w) - wanted
        total += torch.autograd.grad(errors.pow(2).sum(), w)[0]
    return total

# %% 02.accumulate_minibatches right: while loop
def fresh(x):
    return x.detach().clone().requires_grad_(True)


def accumulate_minibatches(data, targets, w, size):
    w = fresh(w)
    while data.shape[0]:
        torch.dot(data[:size] @ w - targets[:size], data[:size] @ w - targets[:size]).backward()
        data, targets = data[size:], targets[size:]
    return w.grad

# %% 02.accumulate_minibatches right: in numpy
import numpy as np


def accumulate_minibatches(data, targets, w, size):
    grad = np.zeros(len(w))
    for start in range(0, len(data), size):
        rows, wanted = data[start : start + size].numpy(), targets[start : start + size].numpy()
        grad += 2 * rows.T @ (rows @ w.numpy() - wanted)
    return torch.from_numpy(grad)

# %% 02.accumulate_minibatches right: row after row
def accumulate_minibatches(data, targets, w, size):
    return sum(2 * (row @ w - target) * row for row, target in zip(data, targets, strict=True))

# %% 02.accumulate_minibatches right: stacked
def fresh(x):
    return x.detach().clone().requires_grad_(True)


def accumulate_minibatches(data, targets, w, size):
    w = fresh(w)
    losses = [((d @ w - t) ** 2).sum() for d, t in zip(data.split(size), targets.split(size), strict=True)]
    return torch.stack([torch.autograd.grad(loss, w, create_graph=True)[0] for loss in losses]).sum(0)

# %% 02.accumulate_minibatches right: rows by index
def fresh(x):
    return x.detach().clone().requires_grad_(True)


def accumulate_minibatches(data, targets, w, size):
    w = fresh(w)
    groups = {}
    for row in range(len(data)):
        groups.setdefault(row // size, []).append(row)
    parts = [((data[rows] @ w - targets[rows]) ** 2).sum() for rows in groups.values()]
    return torch.autograd.grad(parts, w)[0]

# %% 02.accumulate_minibatches right: split both tensors, sum the results of autograd.grad, the last batch first
def accumulate_minibatches(data, targets, w, size):
    leaf = w.detach().clone().requires_grad_()
    pieces = list(zip(torch.split(data, size), torch.split(targets, size)))
    total = torch.zeros_like(w)
    for rows, goals in reversed(pieces):
        loss = ((rows * leaf).sum(dim=1) - goals).pow(2).sum()
        total += torch.autograd.grad(loss, leaf)[0]
    return total

# %% 02.accumulate_minibatches right: no autograd: the formula 2 X^T (X w - t) for each mini-batch
def accumulate_minibatches(data, targets, w, size):
    grad = torch.zeros_like(w)
    start = 0
    while start < data.shape[0]:
        X, t = data[start:start + size], targets[start:start + size]
        grad = grad + 2 * X.T @ (X @ w - t)
        start += size
    return grad

# %% 02.accumulate_minibatches right: adds up the losses of all batches and calls backward once
def accumulate_minibatches(data, targets, w, size):
    w = w.clone().requires_grad_()
    losses = [0 * w.sum()]
    for k in range(-(-len(data) // size)):
        part = slice(k * size, (k + 1) * size)
        err = data[part] @ w - targets[part]
        losses.append(err @ err)
    sum(losses).backward()
    return w.grad

# %% 02.accumulate_minibatches right: recursion: the first batch, then the rest
def accumulate_minibatches(data, targets, w, size):
    if len(data) == 0:
        return torch.zeros_like(w)
    leaf = w.detach().clone().requires_grad_()
    torch.nn.functional.mse_loss(data[:size].mv(leaf), targets[:size], reduction="sum").backward()
    return leaf.grad + accumulate_minibatches(data[size:], targets[size:], w, size)

# %% 02.accumulate_minibatches right: the formula 2 * data^T (data w - targets), mini-batches from the last to the first, no autograd
def accumulate_minibatches(data, targets, w, size):
    total = torch.zeros_like(w)
    pieces = list(zip(torch.split(data, size), torch.split(targets, size)))
    while pieces:
        rows, goal = pieces.pop()
        error = (rows * w).sum(1) - goal
        total += (rows * error.reshape(-1, 1)).sum(0) * 2
    return total

# %% 02.accumulate_minibatches wrong: the last, shorter mini-batch is left out (rows // size batches)
expect("no_result", "the last mini-batch is left out when it is shorter than `size`")
edit("for start in range(0, len(data), size):", "for start in range(len(data) // size):",
     "rows = slice(start, start + size)", "rows = slice(start * size, (start + 1) * size)")

# %% 02.accumulate_minibatches wrong: range(0, rows - size, size) ends too early: the last mini-batch is left out, also a full one
expect("known", "the last mini-batch is left out")
def accumulate_minibatches(data, targets, w, size):
    leaf = w.detach().clone().requires_grad_()
    total = torch.zeros_like(w)
    for start in range(0, len(data) - size, size):
        loss = ((data[start:start + size] @ leaf - targets[start:start + size]) ** 2).sum()
        total += torch.autograd.grad(loss, leaf)[0]
    return total

# %% 02.accumulate_minibatches wrong: a batch ends at start + size - 1 and the slice leaves its last row out
expect("known", "the last row of each full mini-batch is left out")
def accumulate_minibatches(data, targets, w, size):
    leaf = w.detach().clone().requires_grad_()
    total = torch.zeros_like(w)
    for start in range(0, len(data), size):
        end = start + size - 1
        loss = ((data[start:end] @ leaf - targets[start:end]) ** 2).sum()
        total += torch.autograd.grad(loss, leaf)[0]
    return total

# %% 02.accumulate_minibatches wrong: sets the gradient to zero before each mini-batch, so only the last one counts
expect("known", "this is the gradient of the last mini-batch alone: the gradients of the others were lost")
edit("rows = slice(start, start + size)", "leaf.grad = None",
     "rows] @ leaf - targets[rows", "start:start + size] @ leaf - targets[start:start + size")

# %% 02.accumulate_minibatches wrong: takes the mean of the errors in each mini-batch, L is a sum
expect("known", "the loss of each mini-batch is a mean over its rows, but the loss is a sum over all rows")
edit("\n        rows = slice(start, start + size)\n        loss = ((data[rows] @ leaf - targets[rows]) ** 2).sum(",
     "\n        loss = ((data[start:start + size] @ leaf - targets[start:start + size]) ** 2).mean(")

# %% 02.accumulate_minibatches wrong: divides the gradient by the number of mini-batches
expect("known", "this is the mean over the mini-batches, but their gradients must be added up")
def accumulate_minibatches(data, targets, w, size):
    leaf = w.detach().clone().requires_grad_()
    batches = 0
    for start in range(0, len(data), size):
        ((data[start:start + size] @ leaf - targets[start:start + size]) ** 2).sum().backward()
        batches += 1
    return leaf.grad / batches

# %% 02.accumulate_minibatches wrong: the errors are summed first and the sum is squared, instead of the sum of the squared errors
expect("known", "this is the gradient of another loss: the errors of each mini-batch are added before")
edit("for start in range(0, len(data), size):\n        rows = slice(start, start + size)",
     "for x, t in zip(data.split(size), targets.split(size)):",
     "loss = ((data[rows] @ leaf - targets[rows]) ** 2).sum()", "loss = (x @ leaf - t).sum() ** 2")

# %% 02.accumulate_minibatches wrong: makes a step of gradient descent after each mini-batch: the later gradients are not taken at w
expect("known", "the weights change between the mini-batches: take all gradients at w")
edit("\n    for start", "\n    total = torch.zeros_like(w)\n    for start",
     "\n        loss.backward()",
     "\n        (g,) = torch.autograd.grad(loss, leaf)\n        total += g\n        with torch.no_grad():\n"
     "            leaf -= 0.1 * g",
     "return leaf.grad", "return total")

# %% 02.accumulate_minibatches wrong: return is inside of the loop: only the first mini-batch counts
expect("known", "this is the gradient of the first mini-batch alone: the others are left out")
edit("loss.backward()\n    return leaf.grad", "loss.backward()\n        return leaf.grad")

# %% 02.accumulate_minibatches wrong: returns a list with the gradient of each mini-batch, not their sum
expect("known", "these are the gradients of the mini-batches, one by one: they must be added up")
edit("\n    for start", "\n    grads = []\n    for start",
     "\n        loss.backward(", "\n        grads.append(torch.autograd.grad(loss, leaf)[0]",
     "return leaf.grad", "return grads")

# %% 02.accumulate_minibatches wrong: targets get a second dimension and broadcast to a matrix: each row is compared with all targets of the batch
expect("known", "this is the gradient of another loss: each row is compared with every target of its")
edit("slice(start, start + size)\n        loss = ((data[rows] @ leaf - targets[rows]) ** 2).sum()\n        loss",
     "data[start:start + size] @ leaf\n        goal = targets[start:start + size].reshape(-1, 1)\n"
     "        ((rows - goal) ** 2).sum()")

# %% 02.accumulate_minibatches wrong: the factor 2 from the square is forgotten: this is the gradient of half the loss
expect("known", "the gradient of each mini-batch: 2 is left out")
edit("return sum(2 * (row @ w - target) * row for row, target in zip(data, targets, strict=True))",
     "grad = torch.zeros_like(w)\n    for X, t in zip(data.split(size), targets.split(size)):\n"
     "        grad += X.T @ (X @ w - t)\n    return grad", of="row after")

# %% 02.accumulate_minibatches wrong: the data moves on by one row each time, not by size: rows are counted several times
expect("known", "the mini-batches overlap: each must start where the one before it ended")
edit("for start in range(0, len(data), size):", "for start in range(0, len(data)):")

# %% 02.accumulate_minibatches wrong: the targets of the first mini-batch are used for all batches
expect("known", "every mini-batch is compared with the first targets: the targets must be cut like the")
edit("rows = slice(start, start + size)", "rows = data[start:start + size]",
     "\n        loss = ((data[rows] @ leaf - targets[rows]) ** 2).sum()\n        loss",
     "\n        ((rows @ leaf - targets[:len(rows)]) ** 2).sum()")

# %% 02.accumulate_minibatches wrong: when the data has fewer rows than size there is no batch at all: the last batch is taken only after a full one
expect("known", "if there are fewer rows than `size`, all are left out")
edit("def accumulate_minibatches(data, targets, w, size):",
     "def accumulate_minibatches(data, targets, w, size):\n    total = torch.zeros_like(w)\n    n = len(data)\n"
     "    if size > n:\n        return total")

# %% 02.accumulate_minibatches wrong: the last, shorter mini-batch is left out (len(data) // size mini-batches)
expect("known", "the last mini-batch is left out when it is shorter than `size`")
edit("for k in range(-(-len(data) // size)):", "for k in range(len(data) // size):", of="adds up the")

# %% 02.accumulate_minibatches wrong: The loss of a mini-batch is mean() * size: right for full mini-batches, but a shorter last one gets too much weight
expect("known", "a last mini-batch that is shorter counts as much as a full one, but the loss is a sum")
edit("rows = slice(start, start + size)", "rows = data[start:start + size]",
     "loss = ((data[rows] @ leaf - targets[rows]) ** 2).sum()",
     "error = rows @ leaf - targets[start:start + size]\n        loss = (error**2).mean() * size")

# %% 02.accumulate_minibatches wrong: one number
expect("wrong_shape", "has shape")
edit("return leaf.grad", "return leaf.grad[:1]")

# %% 02.accumulate_minibatches wrong: total is grad itself
expect("wrong_value", "the result")
edit("w = fresh(w)", "w, total = fresh(w), None",
     "while data.shape[0]:", "for start in range(0, len(data), size):",
     "data, targets = data[size:], targets[size:]\n    return w.grad",
     "total = w.grad if total is None else total + w.grad\n    return total", of="while loop")

# %% 02.accumulate_minibatches wrong: cumulative by hand without grad
expect("known", "rows are counted again", never=("mini-batch: `.grad` adds up by itself",))
edit("\n        rows = slice(start, start + size)\n        loss = ((data[rows] @ leaf - targets[rows",
     "\n        loss = ((data[:start+size] @ leaf - targets[:start+size")

# %% 02.accumulate_minibatches wrong: None for some, mean in the others
expect("no_result", "it returns None, for", "mean over its rows")
def accumulate_minibatches(data, targets, w, size):
    if size < len(data):
        leaf = w.detach().clone().requires_grad_()
        for start in range(0, len(data), size):
            ((data[start:start+size] @ leaf - targets[start:start+size]) ** 2).mean().backward()
        return leaf.grad

# %% 02.accumulate_minibatches wrong: adds to the .grad of w
expect("leaves_a_trace", "calling it again with fresh arguments gives the same", "w has a `.grad` after the call",
       never=("calling it again gives",))
edit("w = w.clone().requires_grad_()", "w.requires_grad_()", of="adds up the")

# %% 02.accumulate_minibatches wrong: backward through a new tensor
expect(
    "raised",
    "`losses.sum()` does not require grad: line 6, `return (error**2).sum().item()`, cuts the history off",
    never=("given without", "`data` "),
)
def accumulate_minibatches(data, targets, w, size):
    leaf = w.detach().clone().requires_grad_()

    def batch_loss(start):
        error = data[start:start + size] @ leaf - targets[start:start + size]
        return (error**2).sum().item()

    losses = torch.tensor([batch_loss(start) for start in range(0, len(data), size)])
    losses.sum().backward()
    return leaf.grad

# %% 02.jacobian_row right: picked by indexing
def fresh(x):
    return x.detach().clone().requires_grad_(True)


def jacobian_row(f, x, i):
    x = fresh(x)
    return torch.autograd.grad(f(x)[i], x)[0]

# %% 02.jacobian_row right: backward with gradient
def fresh(x):
    return x.detach().clone().requires_grad_(True)


def jacobian_row(f, x, i):
    x = fresh(x)
    y = f(x)
    y.backward(gradient=torch.eye(len(y), dtype=y.dtype)[i])
    return x.grad

# %% 02.jacobian_row right: of the whole
def jacobian_row(f, x, i):
    return torch.autograd.functional.jacobian(f, x)[i]

# %% 02.jacobian_row right: weighted sum
def fresh(x):
    return x.detach().clone().requires_grad_(True)


def jacobian_row(f, x, i):
    x = fresh(x)
    y = f(x)
    (y * torch.tensor([float(k == i) for k in range(len(y))], dtype=y.dtype)).sum().backward()
    return x.grad

# %% 02.jacobian_row right: backward with a vector that is 1 at i
def jacobian_row(f, x, i):
    leaf = x.detach().clone().requires_grad_()
    y = f(leaf)
    v = torch.zeros_like(y)
    v[i] = 1
    y.backward(gradient=v)
    return leaf.grad

# %% 02.jacobian_row right: row i of autograd.functional.jacobian
def jacobian_row(f, x, i):
    return torch.autograd.functional.jacobian(f, x.detach().clone())[i]

# %% 02.jacobian_row right: multiplies the result by a mask and sums it
def jacobian_row(f, x, i):
    leaf = torch.tensor(x.tolist(), dtype=x.dtype, requires_grad=True)
    y = f(leaf)
    mask = (torch.arange(len(y)) == i).to(y.dtype)
    return torch.autograd.grad((y * mask).sum(), leaf)[0]

# %% 02.jacobian_row right: column by column forward: entry i of each jvp
def jacobian_row(f, x, i):
    basis = torch.eye(len(x), dtype=x.dtype)
    return torch.stack([torch.autograd.functional.jvp(f, x.clone(), e)[1][i] for e in basis])

# %% 02.jacobian_row right: masks all other entries of the result with zeros and sums up
def jacobian_row(f, x, i):
    leaf = x.detach().clone().requires_grad_()
    y = f(leaf)
    only = torch.arange(len(y)) == i
    torch.where(only, y, torch.zeros_like(y)).sum().backward()
    return leaf.grad

# %% 02.jacobian_row wrong: the gradient of the sum of all results, so the sum of all rows instead of row i
expect("known", "this is the sum of all rows: `grad_outputs` must pick out one row")
edit("y = f(leaf)\n    v = torch.zeros_like(y)\n    v[i] = 1\n    y.backward(gradient=v)",
     "y = f(leaf)\n    y.backward(torch.ones_like(y))", of="backward with a")

# %% 02.jacobian_row wrong: returns column i of the Jacobian and not row i
expect("raises_for_some", "this is column i, which says how all results depend on x[i]")
def jacobian_row(f, x, i):
    leaf = x.detach().clone().requires_grad_()
    y = f(leaf)
    column = [torch.autograd.grad(y[k], leaf, retain_graph=True)[0][i] for k in range(len(y))]
    return torch.stack(column)

# %% 02.jacobian_row wrong: counts the rows from 1: takes row i - 1
expect("known", "this is the row before row i: rows are counted from 0")
def jacobian_row(f, x, i):
    leaf = x.detach().clone().requires_grad_()
    return torch.autograd.grad(f(leaf)[i - 1], leaf)[0]

# %% 02.jacobian_row wrong: calls backward for the rows 0 to i: their gradients accumulate
expect("known", "this is the sum of rows 0 to i: `grad_outputs` must pick out one row")
edit("v = torch.zeros_like(y)\n    v[i] = 1\n    y.backward(gradient=v)",
     "for k in range(i + 1):\n        y[k].backward(retain_graph=True)", of="backward with a")

# %% 02.jacobian_row wrong: puts i, not 1, into the vector: row i comes out multiplied by i
expect("known", "row i: it is also multiplied by `i`")
edit("v[i] = 1", "v[i] = i", of="backward with a")

# %% 02.jacobian_row wrong: returns one number, entry i of the row
expect("wrong_shape", "the result has shape")
edit("return leaf.grad", "return leaf.grad[i % len(x)]", of="backward with a")

# %% 02.jacobian_row wrong: x itself is made to require grad, and stays so
expect("leaves_a_trace", "x requires grad after the call, but the caller's tensor must not change: use a copy of")
edit("x = fresh(x)", "x .requires_grad_()", of="picked by")

# %% 02.jacobian_row wrong: the result is a matrix with one row, it must have the shape of x
expect("known", "the row is still a matrix with one row")
def jacobian_row(f, x, i):
    leaf = x.detach().clone().requires_grad_()
    return torch.stack(torch.autograd.grad(f(leaf)[i], leaf))

# %% 02.jacobian_row wrong: takes always row 0, whatever i is
expect("known", "this is always the first row")
edit("v = torch.zeros_like(y)\n    v[i] = 1\n    y.backward(gradient=v)\n    return leaf.grad",
     "return torch.autograd.grad(y[0], leaf)[0]", of="backward with a")

# %% 02.jacobian_row wrong: calls backward twice (for a look at it, and again): the row is twice too large
expect("known", "row i: it is twice what it must be")
edit("y = f(leaf)\n    v = torch.zeros_like(y)\n    v[i] = 1", "y = f(leaf)[i]",
     "y.backward(gradient=v)", "y.backward(retain_graph=True)\n    y.backward()", of="backward with a")

# %% 02.jacobian_row wrong: returns the row as a list of numbers, not as a tensor
expect("type", "the numbers are right, but the result is a list of 2 entries, it must be a tensor of")
edit("return leaf.grad", "return leaf.grad.tolist()", of="backward with a")

# %% 02.jacobian_row wrong: the vector is 1 at i and at i + 1 (slice one too long): the sum of two rows
expect("known", "this is the sum of row i and the row after it: `grad_outputs` must pick out one row")
edit("v[i] = 1", "v[i:i + 2] = 1.0", of="backward with a")

# %% 02.jacobian_row wrong: returns column i of the Jacobian (how all results depend on x_i) instead of row i
expect("raises_for_some", "this is column i, which says how all results depend on x[i]")
edit("v = torch.zeros_like(y)\n    v[i] = 1\n    y.backward(gradient=v)",
     "jac = torch.stack([torch.autograd.grad(entry, leaf, retain_graph=True)[0] for entry in y])",
     "return leaf.grad", "return jac[:, i]", of="backward with a")

# %% 02.jacobian_row wrong: no grad outputs
expect("raises_for_some", "has several entries, but only a single number")
edit("return torch.autograd.grad(f(x)[i], x)[0]", "return torch.autograd.grad(f(x), x)[0]", of="picked by")

# %% 02.jacobian_row wrong: still in its tuple
expect("type", "`autograd.grad` gives such a tuple")
edit("return torch.autograd.grad(f(x)[i], x)[0]", "return torch.autograd.grad(f(x)[i], x)", of="picked by")

# %% 02.jacobian_row wrong: quits
expect("raised", "` ends the program (SystemExit)")
def jacobian_row(f, x, i):
    quit()  # noqa: PLR1722  # as students write it

# %% 02.jacobian_row wrong: works once
expect("not_repeatable", "the same call raises an error the second time")
def rows_of(f, x):
    leaf = x.detach().clone().requires_grad_(True)
    y = f(leaf)
    return [torch.autograd.grad(each, leaf, retain_graph=True)[0] for each in y]


_SEEN: list[int] = []


def jacobian_row(f, x, i):
    if (tuple(x.shape), i) in _SEEN:
        _SEEN.clear()
        raise RuntimeError("once is enough")
    _SEEN.append((tuple(x.shape), i))
    return rows_of(f, x)[i]

# %% 02.jacobian_row wrong: item of result
expect("raised", "gives a result without a history, although `leaf` requires grad",
       never=("nothing was recorded between the leaf and it", "uses no tensor"))
edit("y = f(leaf)\n    v = torch.zeros_like(y)\n    v[i] = 1\n    y.backward(gradient=v)", "result = f(leaf)[i] > 0",
     "return leaf.grad", "return torch.autograd.grad(result, leaf)[0]", of="backward with a")

# %% 02.jacobian_row wrong: always the first
expect("wrong_value", "the result is [", generic=True)
edit("def jacobian_row(f, x, i):", "def rows_of(f, x):",
     "v = torch.zeros_like(y)\n    v[i] = 1\n    y.backward(gradient=v)",
     "return [torch.autograd.grad(each, leaf, retain_graph=True)[0] for each in y]\ndef jacobian_row(f, x, v):",
     "return leaf.grad", "return rows_of(f, x)[0]", of="backward with a")

# %% 02.full_jacobian right: row by row
RIGHT: list[tuple[str, object]] = []


def right(exercise):
    return lambda answer: RIGHT.append((exercise, answer)) or answer


def fresh(x):
    return x.detach().clone().requires_grad_(True)


def picked_by_indexing(f, x, i):
    x = fresh(x)
    return torch.autograd.grad(f(x)[i], x)[0]


def full_jacobian(f, x):
    count = len(f(x))
    return torch.stack([picked_by_indexing(f, x, i) for i in range(count)])

# %% 02.full_jacobian right: functional
def full_jacobian(f, x):
    return torch.autograd.functional.jacobian(f, x)

# %% 02.full_jacobian right: filled
def fresh(x):
    return x.detach().clone().requires_grad_(True)


def full_jacobian(f, x):
    x = fresh(x)
    y = f(x)
    result = torch.empty(len(y), len(x), dtype=x.dtype)
    for i in range(len(y)):
        x.grad = None
        y[i].backward(retain_graph=True)
        result[i] = x.grad
    return result

# %% 02.full_jacobian right: columns by differences
def full_jacobian(f, x, h=1e-6):
    columns = [(f(x + h * move) - f(x - h * move)) / (2 * h) for move in torch.eye(len(x), dtype=x.dtype)]
    return torch.stack(columns, 1)

# %% 02.full_jacobian right: one vector reshaped
def fresh(x):
    return x.detach().clone().requires_grad_(True)


def full_jacobian(f, x):
    x = fresh(x)
    y = f(x)
    rows = [torch.autograd.grad(entry, x, retain_graph=True)[0] for entry in y]
    return torch.cat(rows).reshape(len(y), len(x))

# %% 02.full_jacobian right: rows written into a table
def fresh(x):
    return x.detach().clone().requires_grad_(True)


def full_jacobian(f, x):
    x = fresh(x)
    y = f(x)
    table = torch.zeros(len(y), len(x), dtype=x.dtype)
    for number in range(len(y)):
        table[number] = torch.autograd.grad(y[number], x, retain_graph=True)[0]
    return table

# %% 02.full_jacobian right: fills a matrix of zeros, runs f anew for each row
def full_jacobian(f, x):
    with torch.no_grad():
        m = len(f(x))
    J = torch.zeros(m, len(x), dtype=x.dtype)
    for i in range(m):
        leaf = x.detach().clone().requires_grad_()
        f(leaf)[i].backward()
        J[i] = leaf.grad
    return J

# %% 02.full_jacobian right: one graph, one-hot rows of an identity matrix, retain_graph
def full_jacobian(f, x):
    leaf = x.clone().requires_grad_()
    y = f(leaf)
    return torch.stack([torch.autograd.grad(y, leaf, e, retain_graph=True)[0] for e in torch.eye(len(y), dtype=y.dtype)], dim=0)

# %% 02.full_jacobian right: the columns by jvp, side by side
def full_jacobian(f, x):
    columns = []
    for j in range(x.numel()):
        e = torch.zeros_like(x)
        e[j] = 1
        columns.append(torch.autograd.functional.jvp(f, x.detach(), e)[1])
    return torch.stack(columns, dim=1)

# %% 02.full_jacobian right: one backward through m copies of x, one for each result
def full_jacobian(f, x):
    m = f(x).numel()
    copies = x.repeat(m, 1).requires_grad_()
    total = sum(f(copies[k])[k] for k in range(m))
    total.backward()
    return copies.grad

# %% 02.full_jacobian right: column by column: the backward pass is linear in its grad_outputs, and is itself differentiated
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

# %% 02.full_jacobian wrong: the matrix is transposed: the rows are put in as columns
expect("known", "the matrix: it is transposed")
edit("return torch.stack(rows)", "return torch.stack(rows, dim=1)")

# %% 02.full_jacobian wrong: a list of rows, not a matrix
expect("type", "the numbers are right, but the result is a list of 2 entries, it must be a tensor of")
edit("return torch.stack([torch.autograd.grad(y, leaf, e, retain_graph=True)[0] for e in torch.eye(len(y), dtype=y.dtype)], dim=0)",
     "return [torch.autograd.grad(e, leaf, retain_graph=True)[0] for e in y]", of="one graph")

# %% 02.full_jacobian wrong: goes over the entries of x, not of f(x): wrong when the numbers differ
expect("raises_for_some", "the matrix has as many rows as x has entries, but each result needs a row")
edit("return torch.stack([torch.autograd.grad(y, leaf, e, retain_graph=True)[0] for e in torch.eye(len(y), dtype=y.dtype)], dim=0)",
     "rows = []\n    for i in range(len(x)):\n"
     "        rows.append(torch.autograd.grad(y[i], leaf, retain_graph=True)[0])\n    return torch.stack(rows)",
     of="one graph")

# %% 02.full_jacobian wrong: stores leaf.grad itself and clears it in place: all rows are the same tensor, so all show the last row
expect("known", "all your rows are the last row: they may be one and the same tensor")
edit("result = f(leaf)", "leaf.grad = torch.zeros_like(leaf)\n    y = f(leaf)",
     "for picks in torch.eye(len(result), dtype=result.dtype):", "for i in range(len(y)):",
     "(row,) = torch.autograd.grad(result, leaf, grad_outputs=picks,", "leaf.grad.zero_()\n        y[i].backward(",
     "rows.append(row)", "rows.append(leaf.grad)")

# %% 02.full_jacobian wrong: the rows are joined with cat instead of stack, so the result has one dimension
expect("known", "your rows stand one after the other in one vector")
edit("return torch.stack(rows)", "return torch.cat(rows)")

# %% 02.full_jacobian wrong: the last row is missing: range(len(y) - 1)
expect("known", "the last row is missing")
edit("J = torch.zeros(m, len(x), dtype=x.dtype)", "J = []",
     "for i in range(m):", "for i in range(m - 1):",
     "J[i] = leaf.grad", "J.append(leaf.grad)",
     "return J", "return torch.stack(J) if J else torch.zeros(0, len(x))", of="fills a matrix")

# %% 02.full_jacobian wrong: only the diagonal is filled in, as if entry i depended on x_i alone
expect("known", "only the diagonal is there in yours, everything else is 0")
def full_jacobian(f, x):
    leaf = x.detach().clone().requires_grad_()
    y = f(leaf)
    J = torch.zeros(len(y), len(x), dtype=x.dtype)
    for i in range(min(len(y), len(x))):
        J[i, i] = torch.autograd.grad(y[i], leaf, retain_graph=True)[0][i]
    return J

# %% 02.full_jacobian wrong: puts the gradient of the sum on a diagonal: this is the Jacobian only when each result depends on its own entry
expect("known", "the sums of the columns stand on the diagonal in yours, and everything else is 0")
def full_jacobian(f, x):
    leaf = x.detach().clone().requires_grad_()
    y = f(leaf)
    (g,) = torch.autograd.grad(y.sum(), leaf)
    return torch.eye(len(y), len(x), dtype=x.dtype) * g

# %% 02.full_jacobian wrong: squeeze() takes a dimension away when f has one result (or x one entry): no matrix any more
expect("known", "a dimension of size 1 is lost: the result has two dimensions, also for one result or an")
edit("return torch.stack(rows)", "return torch.stack(rows).squeeze()")

# %% 02.full_jacobian wrong: works on x itself with backward: x requires grad and has a .grad afterwards
expect("leaves_a_trace", "x has a `.grad` after the call, but the caller's tensor must not change: use a copy of")
def full_jacobian(f, x):
    x.requires_grad_()
    y = f(x)
    rows = []
    for i in range(len(y)):
        x.grad = None
        y[i].backward(retain_graph=True)
        rows.append(x.grad)
    return torch.stack(rows)

# %% 02.full_jacobian wrong: the rows come in reversed order, because each is put in at the front
expect("known", "your rows come in the opposite order")
edit("for picks in torch.eye(len(result), dtype=result.dtype):", "for picks in range(len(result)):",
     "\n        (row,) = torch.autograd.grad(result, leaf, grad_outputs=picks",
     "\n        rows.insert(0, torch.autograd.grad(result[picks], leaf",
     "\n        rows.append(row", "[0]")

# %% 02.full_jacobian wrong: the matrix of zeros is square with the size of x: wrong when f(x) has another length
expect("raises_for_some", "`J[i] = torch.autograd.grad(y[i], leaf, retain_graph=True)[0]` raised IndexError")
def full_jacobian(f, x):
    leaf = x.detach().clone().requires_grad_()
    y = f(leaf)
    J = torch.zeros(len(x), len(x), dtype=x.dtype)
    for i in range(len(y)):
        J[i] = torch.autograd.grad(y[i], leaf, retain_graph=True)[0]
    return J

# %% 02.full_jacobian wrong: view(len(x), len(y)) mixes the entries up when the numbers differ: it must be (len(y), len(x))
expect("wrong_shape", "the result has shape")
edit("return torch.stack([torch.autograd.grad(y, leaf, e, retain_graph=True)[0] for e in torch.eye(len(y), dtype=y.dtype)], dim=0)",
     "flat = torch.cat([torch.autograd.grad(y[e], leaf, retain_graph=True)[0] for e in range(len(y))])\n"
     "    return flat.view(len(x), len(y))", of="one graph")

# %% 02.full_jacobian wrong: computes the matrix and forgets to return it
expect("no_result", "it returns None: is there a `return`? Only the value that stands after it is returned")
def full_jacobian(f, x):
    leaf = x.detach().clone().requires_grad_()
    y = f(leaf)
    J = torch.zeros(len(y), len(x), dtype=x.dtype)
    for i in range(len(y)):
        J[i] = torch.autograd.grad(y[i], leaf, retain_graph=True)[0]

# %% 02.full_jacobian wrong: leaf.grad is appended without a copy and never set back: all rows are the same tensor, the sum of all rows
expect("known", "all your rows are the sum of the rows: they may be one and the same tensor, which adds")
edit("for picks in torch.eye(len(result), dtype=result.dtype):", "for picks in result:",
     "\n        (row,) = torch.autograd.grad(result, leaf, grad_outputs=picks,", "\n        picks.backward(",
     "rows.append(row)", "rows.append(leaf.grad)")

# %% 02.full_jacobian wrong: The `return torch.stack(rows)` is indented into the loop, so only the first row comes back, as a matrix with one row
expect("known", "only the first row is there")
edit("rows.append(row)\n    return torch.stack(rows)", "rows.append(row)\n        return torch.stack(rows)")

# %% 02.full_jacobian wrong: first row twice
expect("some_entries", "wrong only in")
def jacobian(f, x):
    return torch.autograd.functional.jacobian(f, x)


def full_jacobian(f, x):
    result = jacobian(f, x)
    result[1] = result[0]
    return result

# %% 02.full_jacobian wrong: cumulative sum of autograd
expect("known", "also holds the rows before it", never=("it: `.grad` adds up by itself",))
edit("y, leaf, e, retain_graph=True)[0] for e in torch.eye(len(y), dtype=y.dtype)], dim=0",
     "y[:e+1].sum(), leaf, retain_graph=True)[0] for e in range(len(y))]", of="one graph")

# %% 02.full_jacobian wrong: upper triangle
expect("known", "everything below the diagonal is 0 in yours")
edit("y, leaf, e, retain_graph=True)[0] for e in torch.eye(len(y), dtype=y.dtype)], dim=0)",
     "y[e], leaf, retain_graph=True)[0] for e in range(len(y))]).triu()", of="one graph")

# %% 02.full_jacobian wrong: keeps the graph for one row
expect("raises_for_some", "an earlier backward pass has freed", never=("the first backward pass",))
edit("return torch.stack([torch.autograd.grad(y, leaf, e, retain_graph=True)[0] for e in torch.eye(len(y), dtype=y.dtype)], dim=0)",
     "rows = [torch.autograd.grad(y[i], leaf, retain_graph=(i == 0))[0] for i in range(len(y))]\n"
     "    return torch.stack(rows)", of="one graph")

# %% 02.full_jacobian wrong: one dimension more
expect("wrong_shape", "the result has shape", generic=True)
def rows_of(f, x):
    leaf = x.detach().clone().requires_grad_(True)
    y = f(leaf)
    return [torch.autograd.grad(each, leaf, retain_graph=True)[0] for each in y]


def full_jacobian(f, x):
    whole = torch.stack(rows_of(f, x))
    return torch.stack([whole / 2, whole / 2])

# %% 02.full_jacobian wrong: without the first row
expect("wrong_shape", "the result has shape", generic=True)
edit("return torch.stack(rows)", "return torch.stack(rows[1:] or rows)")

# %% 02.full_jacobian wrong: minus all
expect("factor", "is right but for its sign", generic=True)
def rows_of(f, x):
    leaf = x.detach().clone().requires_grad_(True)
    y = f(leaf)
    return [torch.autograd.grad(each, leaf, retain_graph=True)[0] for each in y]


def full_jacobian(f, x):
    return -torch.stack(rows_of(f, x))

# %% 02.full_jacobian wrong: last row doubled
expect("some_entries", "the result is wrong only in row 1", generic=True)
def rows_of(f, x):
    leaf = x.detach().clone().requires_grad_(True)
    y = f(leaf)
    return [torch.autograd.grad(each, leaf, retain_graph=True)[0] for each in y]


def full_jacobian(f, x):
    whole = torch.stack(rows_of(f, x))
    whole[-1] += 0.3
    return whole

# %% 02.full_jacobian wrong: diagonal moved
expect("some_entries", "the result is wrong only in entries [0, 0] and [1, 1]", generic=True)
def rows_of(f, x):
    leaf = x.detach().clone().requires_grad_(True)
    y = f(leaf)
    return [torch.autograd.grad(each, leaf, retain_graph=True)[0] for each in y]


def full_jacobian(f, x):
    whole = torch.stack(rows_of(f, x))
    for i in range(min(whole.shape)):
        whole[i, i] += 0.3 + i
    return whole
