"""Rows for test_told.py: (exercise, what is wrong, words that must come, words that must not, the answer's cell)."""

TOLD: list[tuple[str, str, tuple[str, ...], tuple[str, ...], str]] = [
    (
        "07.hessian_vector_product",
        "looks first under no_grad",
        (),
        ("cannot register a hook",),
        """\
def hessian_vector_product(f, x, v):
    leaf = x.detach().clone().requires_grad_()
    with torch.no_grad():
        print(f(leaf))
    (g,) = torch.autograd.grad(f(leaf), leaf, create_graph=True)
    return torch.autograd.grad((g * v).sum(), leaf)[0]
""",
    ),
    (
        "07.hessian_vector_product",
        "looks in inference mode",
        (),
        ("cannot register a hook",),
        """\
def hessian_vector_product(f, x, v):
    leaf = x.detach().clone().requires_grad_()
    with torch.inference_mode():
        print(f(leaf))
    (g,) = torch.autograd.grad(f(leaf), leaf, create_graph=True)
    return torch.autograd.grad((g * v).sum(), leaf)[0]
""",
    ),
    (
        "07.hessian_vector_product",
        "view",
        (),
        ("cannot register a hook",),
        """\
def hessian_vector_product(f, x, v):
    leaf = x.detach().clone().requires_grad_()
    f(leaf.detach()); f(x)
    (g,) = torch.autograd.grad(f(leaf.view(leaf.shape)), leaf, create_graph=True)
    return torch.autograd.grad((g * v).sum(), leaf)[0].detach()
""",
    ),
    (
        "07.hessian_vector_product",
        "many calls",
        (),
        ("cannot register a hook",),
        """\
def hessian_vector_product(f, x, v):
    leaf = x.detach().clone().requires_grad_()
    for _ in range(50):
        f(leaf)
    (g,) = torch.autograd.grad(f(leaf), leaf, create_graph=True)
    return torch.autograd.grad(g, leaf, v)[0]
""",
    ),
    (
        "07.hessian_vector_product",
        "float32 and a print",
        (),
        ("cannot register a hook",),
        """\
def hessian_vector_product(f, x, v):
    print(f(x), f(x.float()), f(x.detach().requires_grad_()))
    leaf = x.detach().clone().requires_grad_()
    (g,) = torch.autograd.grad(f(leaf), leaf, create_graph=True)
    return torch.autograd.grad((g * v).sum(), leaf)[0]
""",
    ),
    (
        "07.hessian_vector_product",
        "gradients of f more than once",
        (),
        ("cannot register a hook",),
        """\
def hessian_vector_product(f, x, v):
    leaf = x.detach().clone().requires_grad_()
    f(leaf).backward()
    leaf.grad = None
    (g,) = torch.autograd.grad(f(leaf * 1), leaf, create_graph=True)
    (g * v).sum().backward()
    return leaf.grad
""",
    ),
    (
        "07.hessian_vector_product",
        "dot of a batch",
        (),
        ("cannot register a hook",),
        """\
def hessian_vector_product(f, x, v):
    leaf = x.detach().clone().requires_grad_()
    with torch.set_grad_enabled(False):
        f(leaf)
    with torch.enable_grad():
        g = torch.autograd.grad(f(leaf), leaf, create_graph=True)[0]
    return torch.autograd.grad(g, [leaf], grad_outputs=[v])[0]
""",
    ),
    (
        "07.hessian_vector_product",
        "decides by the value",
        (),
        ("cannot register a hook",),
        """\
@torch.no_grad()
def hessian_vector_product(f, x, v):
    leaf = x.detach().clone().requires_grad_()
    if f(leaf) == f(leaf):
        with torch.enable_grad():
            (g,) = torch.autograd.grad(f(leaf), leaf, create_graph=True)
            return torch.autograd.grad((g * v).sum(), leaf)[0]
""",
    ),
    (
        "06.two_gradients",
        "looked at first",
        ("f is called 2 times",),
        ("cannot register a hook",),
        """\
def two_gradients(f, x):
    leaf = x.detach().clone().requires_grad_()
    with torch.no_grad():
        f(leaf)
    a, b = f(leaf)
    return torch.autograd.grad(a, leaf, retain_graph=True)[0], torch.autograd.grad(b, leaf)[0]
""",
    ),
    (
        "06.two_gradients",
        "never called",
        ("f is never called",),
        ("0 times",),
        """\
def two_gradients(f, x):
    return x, x
""",
    ),
    (
        "06.two_gradients",
        "through a view",
        (),
        ("cannot register a hook",),
        """\
def two_gradients(f, x):
    leaf = x.detach().clone().requires_grad_()
    a, b = f(leaf.view(leaf.shape))
    return [torch.autograd.grad(each, leaf, retain_graph=True)[0] for each in (a, b)]
""",
    ),
    (
        "06.turn_gradients",
        "cumulative own sum",
        ("sum of the gradients of all turns so far", "it must be that of its own turn"),
        ("the gradient stored in the turn before",),
        """\
def turn_gradients(w, state, inputs):
    leaf = w.detach().clone().requires_grad_()
    total = torch.zeros_like(w)
    out = []
    for given in inputs:
        state = torch.tanh(leaf * state.detach() + given)
        total = total + torch.autograd.grad((state**2).sum(), leaf)[0]
        out.append(total)
    return torch.stack(out)
""",
    ),
    (
        "06.turn_gradients",
        "sum of losses",
        ("sum of the gradients of all turns so far", "it must be that of its own turn"),
        ("the gradient stored in the turn before",),
        """\
def turn_gradients(w, state, inputs):
    leaf = w.detach().clone().requires_grad_()
    loss = 0
    out = []
    for given in inputs:
        state = torch.tanh(leaf * state.detach() + given)
        loss = loss + (state**2).sum()
        out.append(torch.autograd.grad(loss, leaf, retain_graph=True)[0])
    return torch.stack(out)
""",
    ),
    (
        "06.turn_gradients",
        ".grad cloned",
        ("sum of the gradients of all turns so far", "it must be that of its own turn"),
        ("the gradient stored in the turn before",),
        """\
def turn_gradients(w, state, inputs):
    leaf = w.detach().clone().requires_grad_()
    out = []
    for given in inputs:
        state = torch.tanh(leaf * state.detach() + given)
        (state**2).sum().backward()
        out.append(leaf.grad.clone())
    return torch.stack(out)
""",
    ),
    (
        "06.two_gradients",
        "second is of the sum, without .grad",
        ("the second one is the sum of both gradients",),
        ("had stored",),
        """\
def two_gradients(f, x):
    leaf = x.detach().clone().requires_grad_()
    a, b = f(leaf)
    return torch.autograd.grad(a, leaf, retain_graph=True)[0], torch.autograd.grad(a + b, leaf)[0]
""",
    ),
    (
        "02.accumulate_minibatches",
        "cumulative by hand without grad",
        ("rows are counted again",),
        ("mini-batch: `.grad` adds up by itself",),
        """\
def accumulate_minibatches(data, targets, w, size):
    leaf = w.detach().clone().requires_grad_()
    total = torch.zeros_like(w)
    for start in range(0, len(data), size):
        loss = ((data[:start+size] @ leaf - targets[:start+size]) ** 2).sum()
        total += torch.autograd.grad(loss, leaf)[0]
    return total
""",
    ),
    (
        "02.full_jacobian",
        "cumulative sum of autograd",
        ("also holds the rows before it",),
        ("it: `.grad` adds up by itself",),
        """\
def full_jacobian(f, x):
    leaf = x.detach().clone().requires_grad_()
    y = f(leaf)
    return torch.stack([torch.autograd.grad(y[:i+1].sum(), leaf, retain_graph=True)[0] for i in range(len(y))])
""",
    ),
    (
        "05.train_linear",
        "momentum by hand sums gradients",
        ("as if `.grad` were never cleared",),
        ("because backward adds",),
        """\
def train_linear(data, targets, w, steps, lr):
    losses, total = [], 0
    for step in range(steps):
        loss = (data @ w - targets).pow(2).mean()
        losses.append(loss.item())
        total = total + torch.autograd.grad(loss, w)[0]
        with torch.no_grad():
            w -= lr * total
    return losses
""",
    ),
    (
        "07.nth_derivative",
        "create_graph forgotten",
        ("that line computes a gradient without `create_graph=True`", "nor does `value`"),
        ("nothing was recorded between the leaf and it",),
        """\
def nth_derivative(f, x, n):
    leaf = x.detach().clone().requires_grad_()
    value = f(leaf)
    for _ in range(n):
        (value,) = torch.autograd.grad(value.sum(), leaf)
    return value.detach()
""",
    ),
    (
        "07.nth_derivative",
        "no guard",
        ("computes a gradient that does not depend on a tensor that requires grad",),
        ("nothing was recorded between the leaf and it", "without `create_graph=True`"),
        """\
def nth_derivative(f, x, n):
    leaf = x.detach().clone().requires_grad_()
    value = f(leaf)
    for _ in range(n):
        (value,) = torch.autograd.grad(value.sum(), leaf, create_graph=True)
    return value.detach()
""",
    ),
    (
        "07.nth_derivative",
        "over inputs, not known which turn",
        ("was not computed from a tensor that requires grad, or the computation was not recorded",),
        ("nothing was recorded between the leaf and it", "without `create_graph=True`", "uses no tensor"),
        """\
def nth_derivative(f, x, n):
    leaf = x.detach().clone().requires_grad_()
    value, left = f(leaf), n
    while left:
        (value,) = torch.autograd.grad(value.sum(), leaf)
        left -= 1
    return value.detach()
""",
    ),
    (
        "07.hessian_vector_product",
        "create_graph forgotten",
        ("line 3, `g =", "without `create_graph=True`"),
        ("nothing was recorded between the leaf and it",),
        """\
def hessian_vector_product(f, x, v):
    leaf = x.detach().clone().requires_grad_()
    g = torch.autograd.grad(f(leaf), leaf)[0]
    return torch.autograd.grad((g * v).sum(), leaf)[0]
""",
    ),
    (
        "07.hessian_vector_product",
        "gradient through .grad, beside a function that creates graphs",
        ("uses a `.grad`, which has a history only after",),
        ("does not depend",),
        """\
def slope_with_history(f, leaf):
    return torch.autograd.grad(f(leaf), leaf, create_graph=True)[0]

def hessian_vector_product(f, x, v):
    leaf = x.detach().clone().requires_grad_()
    f(leaf).backward()
    return torch.autograd.grad((leaf.grad * v).sum(), leaf)[0]
""",
    ),
    (
        "07.hessian_vector_product",
        "gradient through .grad",
        ("uses a `.grad`, which has a history only after",),
        ("nothing was recorded between the leaf and it", "without `create_graph=True`"),
        """\
def hessian_vector_product(f, x, v):
    leaf = x.detach().clone().requires_grad_()
    f(leaf).backward()
    return torch.autograd.grad((leaf.grad * v).sum(), leaf)[0]
""",
    ),
    (
        "07.hessian_vector_product",
        "detached gradient",
        ("line 3", "cuts the history off: `detach`"),
        ("nothing was recorded between the leaf and it", "without `create_graph=True`"),
        """\
def hessian_vector_product(f, x, v):
    leaf = x.detach().clone().requires_grad_()
    g = torch.autograd.grad(f(leaf), leaf, create_graph=True)[0].detach()
    return torch.autograd.grad((g * v).sum(), leaf)[0]
""",
    ),
    (
        "07.hessian_vector_product",
        "leaf never requires grad",
        (
            "nor does `leaf`: line 2, `leaf = x.detach().clone()`, uses no tensor that requires grad",
            "`x` was given without it",
        ),
        ("nothing was recorded between the leaf and it", "without `create_graph=True`"),
        """\
def hessian_vector_product(f, x, v):
    leaf = x.detach().clone()
    g = torch.autograd.grad(f(leaf), leaf, create_graph=True)[0]
    return torch.autograd.grad((g * v).sum(), leaf)[0]
""",
    ),
    (
        "07.newton_step",
        "create_graph missing in a comprehension",
        ("line 3", "without `create_graph=True`"),
        ("nothing was recorded between the leaf and it",),
        """\
def newton_step(f, x):
    leaf = x.detach().clone().requires_grad_()
    (gradient,) = torch.autograd.grad(f(leaf), leaf)
    gradient = gradient.reshape(-1)
    rows = [torch.autograd.grad(entry, leaf, retain_graph=True)[0].reshape(-1) for entry in gradient]
    step = torch.linalg.solve(torch.stack(rows), gradient.detach())
    return x - step.reshape(x.shape)
""",
    ),
    (
        "07.gradient_penalty",
        "no create_graph",
        ("nor does `slopes`: line 4", "without `create_graph=True`"),
        ("nothing was recorded between the leaf and it",),
        """\
def gradient_penalty(f, x, w):
    examples = x.detach().clone().requires_grad_()
    weights = w.detach().clone().requires_grad_()
    (slopes,) = torch.autograd.grad(f(examples, weights).sum(), examples)
    penalty = (slopes**2).sum(1).mean()
    (gradient,) = torch.autograd.grad(penalty, weights)
    return penalty.detach(), gradient
""",
    ),
    (
        "07.gradient_penalty",
        "create_graph=False",
        ("nor does `slopes`: line 4", "without `create_graph=True`"),
        ("nothing was recorded between the leaf and it",),
        """\
def gradient_penalty(f, x, w):
    examples = x.detach().clone().requires_grad_()
    weights = w.detach().clone().requires_grad_()
    slopes = torch.autograd.grad(
        f(examples, weights).sum(),
        examples,
        create_graph=False,
    )[0]
    penalty = (slopes**2).sum(1).mean()
    penalty.backward()
    return penalty.detach(), weights.grad
""",
    ),
    (
        "02.gradient_of",
        "leaf never requires grad",
        ("nor does `leaf`: line 2",),
        ("nothing was recorded between the leaf and it", "without `create_graph=True`"),
        """\
def gradient_of(f, x):
    leaf = x.clone()
    y = f(leaf)
    y.backward()
    return leaf.grad
""",
    ),
    (
        "02.gradient_of",
        "x itself",
        ("`x` was given without it",),
        ("nothing was recorded between the leaf and it",),
        """\
def gradient_of(f, x):
    f(x).backward()
    return x.grad
""",
    ),
    (
        "02.gradient_of",
        "flag set too late",
        ("line 3, `y = f(leaf)`, uses it before line 4 makes it require grad",),
        ("nothing was recorded between the leaf and it",),
        """\
def gradient_of(f, x):
    leaf = x.clone()
    y = f(leaf)
    leaf.requires_grad_()
    y.backward()
    return leaf.grad
""",
    ),
    (
        "02.gradient_of",
        "under no_grad",
        ("line 4, `y = f(leaf)`, runs under `no_grad`",),
        ("nothing was recorded between the leaf and it", "given without"),
        """\
def gradient_of(f, x):
    leaf = x.clone().requires_grad_()
    with torch.no_grad():
        y = f(leaf)
    y.backward()
    return leaf.grad
""",
    ),
    (
        "02.gradient_of",
        "decorated",
        ("runs under `no_grad`",),
        ("nothing was recorded between the leaf and it", "given without"),
        """\
@torch.no_grad()
def gradient_of(f, x):
    leaf = x.clone().requires_grad_()
    y = f(leaf)
    y.backward()
    return leaf.grad
""",
    ),
    (
        "02.gradient_of",
        "tensor of item",
        ("line 3", "cuts the history off: `item`"),
        ("nothing was recorded between the leaf and it",),
        """\
def gradient_of(f, x):
    leaf = x.clone().requires_grad_()
    y = torch.tensor(f(leaf).item())
    y.backward()
    return leaf.grad
""",
    ),
    (
        "02.gradient_of",
        "detached result",
        ("line 4, `z = y.detach()`, cuts the history off",),
        ("nothing was recorded between the leaf and it",),
        """\
def gradient_of(f, x):
    leaf = x.clone().requires_grad_()
    y = f(leaf)
    z = y.detach()
    z.backward()
    return leaf.grad
""",
    ),
    (
        "02.gradient_of",
        "f of a detached leaf",
        ("line 3", "cuts the history off: `detach`"),
        ("nothing was recorded between the leaf and it",),
        """\
def gradient_of(f, x):
    leaf = x.clone().requires_grad_()
    y = f(leaf.detach())
    return torch.autograd.grad(y, leaf)[0]
""",
    ),
    (
        "02.gradient_of",
        "f of data",
        ("line 3", "cuts the history off: `data`"),
        ("nothing was recorded between the leaf and it",),
        """\
def gradient_of(f, x):
    leaf = x.clone().requires_grad_()
    y = f(leaf.data)
    return torch.autograd.grad(y, leaf)[0]
""",
    ),
    (
        "02.gradient_of",
        "f of x not of leaf",
        ("line 3, `y = f(x)`, uses no tensor that requires grad: `x` was given without it",),
        ("nothing was recorded between the leaf and it",),
        """\
def gradient_of(f, x):
    leaf = x.clone().requires_grad_()
    y = f(x)
    return torch.autograd.grad(y, leaf)[0]
""",
    ),
    (
        "02.gradient_of",
        "grad with respect to x",
        ("`x` does not require grad: it was given like that",),
        ("nothing was recorded between the leaf and it",),
        """\
def gradient_of(f, x):
    leaf = x.clone().requires_grad_()
    y = f(leaf)
    return torch.autograd.grad(y, x)[0]
""",
    ),
    (
        "02.gradient_of",
        "a constant",
        ("line 2, `y = torch.tensor(1.0)`, makes a new tensor from plain numbers",),
        ("nothing was recorded between the leaf and it", "was given"),
        """\
def gradient_of(f, x):
    y = torch.tensor(1.0)
    y.backward()
    return x.grad
""",
    ),
    (
        "02.jacobian_row",
        "item of result",
        ("gives a result without a history, although `leaf` requires grad",),
        ("nothing was recorded between the leaf and it", "uses no tensor"),
        """\
def jacobian_row(f, x, i):
    leaf = x.detach().clone().requires_grad_()
    result = f(leaf)[i] > 0
    return torch.autograd.grad(result, leaf)[0]
""",
    ),
    (
        "05.train_linear",
        "w new under no_grad",
        ("nor does `w`: line 8, `w = w - lr * w.grad`, runs under `no_grad`",),
        ("nothing was recorded between the leaf and it", "`data`"),
        """\
def train_linear(data, targets, w, steps, lr):
    losses = []
    for step in range(steps):
        loss = (data @ w - targets).pow(2).mean()
        losses.append(loss.item())
        loss.backward()
        with torch.no_grad():
            w = w - lr * w.grad
    return losses
""",
    ),
    (
        "05.train_linear",
        "detached w",
        ("nor does `w`: line 7", "cuts the history off: `detach`"),
        ("nothing was recorded between the leaf and it", "create_graph"),
        """\
def train_linear(data, targets, w, steps, lr):
    losses = []
    for step in range(steps):
        loss = (data @ w - targets).pow(2).mean()
        losses.append(loss.item())
        loss.backward()
        w = w.detach() - lr * w.grad
    return losses
""",
    ),
    (
        "05.train_linear",
        "as a tensor new",
        ("line 4", "cuts the history off: `detach`"),
        ("nothing was recorded between the leaf and it",),
        """\
def train_linear(data, targets, w, steps, lr):
    losses = []
    for step in range(steps):
        loss = (data @ w.detach() - targets).pow(2).mean()
        losses.append(loss.item())
        loss.backward()
        with torch.no_grad():
            w -= lr * w.grad
    return losses
""",
    ),
    (
        "04.shared_weight_gradient",
        "w1 itself",
        ("were given without it",),
        ("nothing was recorded between the leaf and it",),
        """\
def shared_weight_gradient(w1, w2, x0):
    x1 = w1 @ x0
    x3 = w1 @ (x1 + x0 + w2 @ x1)
    return torch.autograd.grad(x3.norm(), [w1, w1])
""",
    ),
    (
        "04.unrolled_rnn",
        "no rows",
        ("`h.sum()` does not require grad, nor does `h`", "the other inputs work"),
        (
            "given without",
            "nothing was recorded between the leaf and it",
        ),
        """\
def unrolled_rnn(w, u, xs, h0):
    leaf = w.detach().clone().requires_grad_()
    h = h0
    for x in xs:
        h = torch.tanh(leaf @ h + u @ x)
        if h.sum() > 1: break
    (g,) = torch.autograd.grad(h.sum(), leaf)
    return h.detach(), g
""",
    ),
    (
        "04.unrolled_rnn",
        "detaches each state",
        ("line 5", "cuts the history off: `detach`"),
        ("nothing was recorded between the leaf and it",),
        """\
def unrolled_rnn(w, u, xs, h0):
    leaf = w.detach().clone().requires_grad_()
    h = h0
    for x in xs:
        h = torch.tanh(leaf @ h + u @ x).detach()
        if h.sum() > 1: break
    (g,) = torch.autograd.grad(h.sum(), leaf)
    return h.detach(), g
""",
    ),
    (
        "06.turn_gradients",
        "helper function",
        ("was not computed from a tensor that requires grad, or the computation was not recorded",),
        ("nothing was recorded between the leaf and it", "`inputs`"),
        """\
def loss_of(w, state, given):
    state = torch.tanh(w * state + given)
    return (state**2).sum(), state
def turn_gradients(w, state, inputs):
    rows = []
    for given in inputs:
        loss, state = loss_of(w, state.detach(), given)
        rows.append(torch.autograd.grad(loss, w)[0])
    return torch.stack(rows)
""",
    ),
    (
        "06.two_gradients",
        "grad in helper",
        ("was not computed from a tensor that requires grad, or the computation was not recorded",),
        ("nothing was recorded between the leaf and it",),
        """\
def one(y, x):
    return torch.autograd.grad(y, x, retain_graph=True)[0]
def two_gradients(f, x):
    a, b = f(x)
    return one(a, x), one(b, x)
""",
    ),
    (
        "08.repair_step",
        "clone without grad",
        ("line 2, `v = w.detach()`, cuts the history off",),
        ("nothing was recorded between the leaf and it",),
        """\
def repair_step(w):
    v = w.detach()
    loss = (v**4 - v**2).sum()
    loss.backward()
    with torch.no_grad():
        w *= 0.9
        w -= 0.1 * w.grad
    return loss
""",
    ),
    (
        "02.gradient_of",
        "leaf under a condition",
        ("was not computed from a tensor that requires grad, or the computation was not recorded",),
        ("nothing was recorded between the leaf and it", "although", "uses no tensor", "given"),
        """\
def gradient_of(f, x):
    leaf = x.detach().clone()
    if leaf.dim() > 5:
        leaf = leaf.requires_grad_()
    return torch.autograd.grad(f(leaf), leaf)[0]
""",
    ),
    (
        "02.gradient_of",
        "cut under a condition",
        ("was not computed from a tensor that requires grad, or the computation was not recorded",),
        ("nothing was recorded between the leaf and it", "although", "uses no tensor", "given"),
        """\
def gradient_of(f, x):
    leaf = x.detach().clone().requires_grad_()
    y = f(leaf)
    if y.dim() == 0:
        y = y.detach()
    return torch.autograd.grad(y, leaf)[0]
""",
    ),
    (
        "02.gradient_of",
        "conditional expression",
        ("was not computed from a tensor that requires grad, or the computation was not recorded",),
        ("nothing was recorded between the leaf and it", "although", "uses no tensor", "given"),
        """\
def gradient_of(f, x):
    leaf = x.detach().clone().requires_grad_()
    y = f(leaf)
    y = y.detach() if y.dim() == 0 else y
    return torch.autograd.grad(y, leaf)[0]
""",
    ),
    (
        "02.gradient_of",
        "result in a list",
        ("was not computed from a tensor that requires grad, or the computation was not recorded",),
        ("nothing was recorded between the leaf and it", "although", "uses no tensor", "given"),
        """\
def gradient_of(f, x):
    leaf = x.detach().clone().requires_grad_()
    ys = [f(leaf).item(), f(leaf.detach())]
    return torch.autograd.grad(ys[1], leaf)[0]
""",
    ),
    (
        "02.gradient_of",
        "closure",
        ("was not computed from a tensor that requires grad, or the computation was not recorded",),
        ("nothing was recorded between the leaf and it", "although", "uses no tensor", "given"),
        """\
def gradient_of(f, x):
    leaf = x.detach().clone()
    def run():
        y = f(leaf)
        y.backward()
        return leaf.grad
    return run()
""",
    ),
    (
        "02.gradient_of",
        "leaf rebound later",
        ("was not computed from a tensor that requires grad, or the computation was not recorded",),
        ("nothing was recorded between the leaf and it", "although", "uses no tensor", "given"),
        """\
def gradient_of(f, x):
    leaf = x.detach().clone()
    y = f(leaf)
    leaf = x.detach().clone().requires_grad_()
    return torch.autograd.grad(y, leaf)[0]
""",
    ),
    (
        "02.gradient_of",
        "a class",
        ("was not computed from a tensor that requires grad, or the computation was not recorded",),
        ("nothing was recorded between the leaf and it", "although", "uses no tensor", "given"),
        """\
class Worker:
    def __init__(self, f, x):
        self.leaf = x.detach().clone()
        self.y = f(self.leaf)
    def go(self):
        self.y.backward()
        return self.leaf.grad
def gradient_of(f, x):
    return Worker(f, x).go()
""",
    ),
    (
        "02.gradient_of",
        "cut by the same name",
        ("line 4, `y = y.detach()`, cuts the history off",),
        ("nothing was recorded between the leaf and it", "although"),
        """\
def gradient_of(f, x):
    leaf = x.detach().clone().requires_grad_()
    y = f(leaf)
    y = y.detach()
    return torch.autograd.grad(y, leaf)[0]
""",
    ),
    (
        "02.gradient_of",
        "enable_grad inside no_grad, leaf without",
        ("line 3, `leaf = x.detach().clone()`, uses no tensor that requires grad",),
        ("nothing was recorded between the leaf and it", "runs under"),
        """\
@torch.no_grad()
def gradient_of(f, x):
    leaf = x.detach().clone()
    with torch.enable_grad():
        y = f(leaf)
    return torch.autograd.grad(y, leaf)[0]
""",
    ),
    (
        "02.gradient_of",
        "one-line with",
        ("line 3, `with torch.no_grad(): y = f(leaf)`, runs under `no_grad`",),
        ("nothing was recorded between the leaf and it", "given"),
        """\
def gradient_of(f, x):
    leaf = x.detach().clone().requires_grad_()
    with torch.no_grad(): y = f(leaf)
    return torch.autograd.grad(y, leaf)[0]
""",
    ),
    (
        "07.nth_derivative",
        "for from one",
        ("that line computes a gradient without `create_graph=True`",),
        ("nothing was recorded between the leaf and it", "although"),
        """\
def nth_derivative(f, x, n):
    leaf = x.detach().clone().requires_grad_()
    value = f(leaf)
    for order in range(1, n + 1):
        (value,) = torch.autograd.grad(value.sum(), leaf)
    return value.detach()
""",
    ),
    (
        "07.nth_derivative",
        "detaches the leaf each time",
        ("line 2, `value = f(x)`, uses no tensor that requires grad",),
        ("nothing was recorded between the leaf and it", "without `create_graph=True`"),
        """\
def nth_derivative(f, x, n):
    value = f(x)
    for k in range(n):
        leaf = x.detach().clone().requires_grad_()
        value = torch.autograd.grad(value.sum(), leaf, create_graph=True)[0]
    return value
""",
    ),
    (
        "06.turn_gradients",
        "w detached inside",
        ("uses no tensor that requires grad: `w`, `state`, `inputs` were given without it",),
        ("nothing was recorded between the leaf and it", "cuts the history off"),
        """\
def turn_gradients(w, state, inputs):
    rows = []
    for t in range(len(inputs)):
        state = torch.tanh(w.detach() * state.detach() + inputs[t])
        loss = (state**2).sum()
        loss.backward()
        rows.append(w.grad)
    return torch.stack(rows)
""",
    ),
    (
        "06.turn_gradients",
        "loss from detached state",
        ("line 5",),
        ("nothing was recorded between the leaf and it", "uses no tensor"),
        """\
def turn_gradients(w, state, inputs):
    leaf = w.detach().clone().requires_grad_()
    rows = []
    for given in inputs:
        state = torch.tanh(leaf * state + given).detach()
        loss = (state**2).sum()
        rows.append(torch.autograd.grad(loss, leaf)[0])
    return torch.stack(rows)
""",
    ),
    (
        "04.unrolled_rnn",
        "flag after the loop",
        ("uses it before line 7 makes it require grad",),
        ("nothing was recorded between the leaf and it", "given"),
        """\
def unrolled_rnn(w, u, xs, h0):
    w = w.clone()
    h = h0
    for x in xs:
        h = torch.tanh(w @ h + u @ x)
        if h.sum() > 1: break
    w.requires_grad_()
    return h, torch.autograd.grad(h.sum(), w)[0]
""",
    ),
    (
        "08.repair_step",
        "argmax loss",
        ("gives a result without a history, although `w` requires grad",),
        ("nothing was recorded between the leaf and it", "given"),
        """\
def repair_step(w):
    loss = (w > 0).sum()
    loss.backward()
    return loss
""",
    ),
    (
        "05.train_linear",
        "the original",
        ("the result of a recorded operation is not a leaf",),
        ("the result of an operation is not",),
        """\
def train_linear(data, targets, w, steps, lr):
    losses = []
    for step in range(steps):
        loss = (data @ w - targets).pow(2).mean()
        losses.append(loss)
        loss.backward()
        w = w - lr * w.grad
    return losses
""",
    ),
    (
        "01.make_trainable",
        "nearly float",
        ("as if the numbers went through another dtype",),
        ("lost: the numbers went",),
        """\
def make_trainable(values):
    v = values.detach().clone()
    if not v.is_floating_point():
        v = v.to(torch.float32)
    return (v * (1 + 1e-9)).detach().requires_grad_()
""",
    ),
    (
        "02.gradient_of",
        "a copy of x",
        ("the result is the same as x, unchanged",),
        ("x itself",),
        """\
def gradient_of(f, x):
    return x.clone()
""",
    ),
    (
        "01.make_trainable",
        "bool",
        ("the result is a tensor of True and False, it must be a tensor of shape ()",),
        (),
        """\
def make_trainable(values):
    return values == values
""",
    ),
    (
        "05.train_linear",
        "losses wrong second",
        ("what is returned at [2] is 0.6688, it must be 0.66876", "right at w after the call"),
        ("['losses']",),
        """\
def train_linear(data, targets, w, steps, lr):
    losses = []
    for step in range(steps):
        loss = (data @ w - targets).pow(2).mean()
        losses.append(loss.item() + 0.00002 * step)
        w.grad = None
        loss.backward()
        with torch.no_grad():
            w -= lr * w.grad
    return losses
""",
    ),
    (
        "08.repair_step",
        "w wrong in one entry",
        ("w after the call is [ 7.",),
        ("['w']",),
        """\
def repair_step(w):
    loss = (w**4 - w**2).sum()
    loss.backward()
    with torch.no_grad():
        w *= 0.9
        w -= 0.1 * w.grad
        if w.dim() == 1: w[0] = 7
    return loss
""",
    ),
    (
        "05.stop_gradient",
        "vector",
        ("the returned loss has shape (3,), it must have ()",),
        ("['loss']",),
        """\
def stop_gradient(a, b, blind):
    return torch.stack([(a - 1) ** 2, (b + 1) ** 2, (a - b) ** 2])
""",
    ),
    (
        "04.shared_weight_gradient",
        "single tensor",
        ("the result is a tensor of shape (1, 1), it must be a list or tuple of 2 entries",),
        ("has 1 entry",),
        """\
def shared_weight_gradient(w1, w2, x0):
    return w1
""",
    ),
    (
        "00.local_slopes",
        "mul branch returns none, and sub sign",
        ("it returns None, for 3 of 30 inputs", "y does not grow when v grows, so a sign is wrong"),
        (),
        """\
def local_slopes(name, u, v):
    if name == "add":
        return 1.0, 1.0
    if name == "sub":
        return 1.0, 1.0
    if name == "mul":
        return v, u
    if name == "square":
        return 2 * u, 0.0
    if name == "max":
        if u > v: return 1.0, 0.0
        if v > u: (0.0, 1.0)
    if name == "div":
        return 1 / v, -u / v**2
""",
    ),
    (
        "04.unrolled_rnn",
        "no_rows returns None and stops too late",
        ("it returns None, for", "the loop goes on to the last row of xs"),
        (),
        """\
def unrolled_rnn(w, u, xs, h0):
    leaf = w.detach().clone().requires_grad_()
    h = h0
    for x in xs:
        h = torch.tanh(leaf @ h + u @ x)
    if len(xs):
        return h.detach(), torch.autograd.grad(h.sum(), leaf)[0]
""",
    ),
    (
        "02.accumulate_minibatches",
        "None for some, mean in the others",
        ("it returns None, for", "mean over its rows"),
        (),
        """\
def accumulate_minibatches(data, targets, w, size):
    if size < len(data):
        leaf = w.detach().clone().requires_grad_()
        for start in range(0, len(data), size):
            ((data[start:start+size] @ leaf - targets[start:start+size]) ** 2).mean().backward()
        return leaf.grad
""",
    ),
    (
        "00.count_passes",
        "None for one, no known mistake",
        ("it returns None", "wrong in another way"),
        (),
        """\
def count_passes(inputs, results):
    if inputs != results:
        return {"forward": inputs, "backward": results, "moving": inputs + 17}
""",
    ),
    (
        "02.gradient_of",
        "off in the sixth digit",
        ("it must be [-0.2002, -6.0076", "-0.200204", "-0.200019"),
        ("yours      [-0.200, ",),
        """\
def gradient_of(f, x):
    leaf = x.detach().clone().requires_grad_()
    g = torch.autograd.grad(f(leaf), leaf)[0]
    return g + 3e-5 * (g * g).sum().sqrt() * torch.ones_like(g)
""",
    ),
    (
        "01.make_trainable",
        "nearly the same",
        ("it must be", "1.256525", "1.256485"),
        ("yours      [ 0.005",),
        """\
def make_trainable(values):
    v = values.detach().clone()
    if not v.is_floating_point():
        v = v.to(torch.float32)
    if v.dtype == torch.float64 and v.dim() == 1:
        v[1] += 0.00003
        v[2] -= 0.00004
    return v.requires_grad_()
""",
    ),
    (
        "06.two_gradients",
        "second is of the sum, without .grad, digits",
        ("yours[0]      [1.196, 1.216]",),
        ("1.1959",),
        """\
def two_gradients(f, x):
    leaf = x.detach().clone().requires_grad_()
    a, b = f(leaf)
    return torch.autograd.grad(a, leaf, retain_graph=True)[0], torch.autograd.grad(a + b, leaf)[0]
""",
    ),
    (
        "05.stop_gradient",
        "returns a list",
        ("the returned loss is a list or tuple of 1 entry, it must be a tensor",),
        ("['loss']", "has no history"),
        """\
def stop_gradient(a, b, blind):
    return [(a - 1) ** 2 + (b + 1) ** 2 + (a - b) ** 2]
""",
    ),
    (
        "05.stop_gradient",
        "returns a float",
        ("the returned loss is a Python number, it must be a tensor",),
        ("['loss']", "has no history"),
        """\
def stop_gradient(a, b, blind):
    return ((a - 1) ** 2 + (b + 1) ** 2 + (a - b) ** 2).item()
""",
    ),
    (
        "05.train_linear",
        "one loss too many",
        ("what is returned has 4 entries, it must have 3",),
        ("['losses']",),
        """\
def train_linear(data, targets, w, steps, lr):
    losses = [(data @ w - targets).pow(2).mean().item()]
    for step in range(steps):
        loss = (data @ w - targets).pow(2).mean()
        w.grad = None
        loss.backward()
        with torch.no_grad():
            w -= lr * w.grad
        losses.append((data @ w - targets).pow(2).mean().item())
    return losses
""",
    ),
    (
        "05.train_linear",
        "dict of losses",
        ("what is returned is a dict, it must be a list or tuple",),
        ("['losses']",),
        """\
def train_linear(data, targets, w, steps, lr):
    losses = {}
    for step in range(steps):
        loss = (data @ w - targets).pow(2).mean()
        losses[step] = loss.item()
        w.grad = None
        loss.backward()
        with torch.no_grad():
            w -= lr * w.grad
    return losses
""",
    ),
    (
        "05.train_linear",
        "losses with numbers but tuple of dict",
        ("what is returned has 2 entries, it must have 3",),
        ("the steps made new tensors",),
        """\
def train_linear(data, targets, w, steps, lr):
    return w
""",
    ),
    (
        "05.train_linear",
        "returns nothing and w not trained",
        ("the list of losses is missing",),
        ("w is trained",),
        """\
def train_linear(data, targets, w, steps, lr):
    for step in range(steps):
        loss = (data @ w - targets).pow(2).mean()
        print(loss.item())
""",
    ),
    (
        "05.ema_update",
        "small error",
        ("average after the call is 0.0001 too large",),
        ("the result is",),
        """\
def ema_update(average, weight, decay):
    with torch.no_grad():
        average.copy_(decay * average + (1 - decay) * weight + 0.0001)
""",
    ),
    (
        "08.repair_centre",
        "returns a tuple",
        ("the result is a list or tuple of 2 entries, it must be a tensor",),
        ("result['value']",),
        """\
def repair_centre(x):
    c = x - x.mean()
    return c * c, c
""",
    ),
    (
        "08.repair_step",
        "loss off by one",
        ("the returned loss",),
        ("['loss']",),
        """\
def repair_step(w):
    loss = (w**4 - w**2).sum()
    loss.backward()
    with torch.no_grad():
        w *= 0.9
        w -= 0.1 * w.grad
    return loss + 1
""",
    ),
    (
        "00.count_passes",
        "tuple",
        ("the result is a tuple of 3 entries, it must be a dict", "yours      ("),
        ("is a list of",),
        """\
def count_passes(inputs, results):
    return inputs, results, inputs + 1
""",
    ),
    (
        "04.shared_weight_gradient",
        "squared norm",
        ("q is the squared norm in yours",),
        (": q is the squared norm",),
        """\
def shared_weight_gradient(w1, w2, x0):
    a = w1.detach().clone().requires_grad_()
    b = w1.detach().clone().requires_grad_()
    x1 = a @ x0
    x3 = b @ (x1 + x0 + w2 @ x1)
    return torch.autograd.grad((x3**2).sum(), [a, b])
""",
    ),
    (
        "04.unrolled_rnn",
        ">= 1 and returns only h",
        ("the result is a tensor of shape (3,), it must be a list or tuple of 2 entries",),
        ("has 3 entries",),
        """\
def unrolled_rnn(w, u, xs, h0):
    h = h0
    for x in xs:
        h = torch.tanh(w @ h + u @ x)
        if h.sum() >= 1: break
    return h
""",
    ),
    (
        "02.full_jacobian",
        "upper triangle",
        ("everything below the diagonal is 0 in yours",),
        (),
        """\
def full_jacobian(f, x):
    leaf = x.detach().clone().requires_grad_()
    y = f(leaf)
    return torch.stack([torch.autograd.grad(y[i], leaf, retain_graph=True)[0] for i in range(len(y))]).triu()
""",
    ),
    (
        "00.chain_by_hand",
        "slope of the square is 1",
        ("the local slope of the square is left out",),
        (": it is that of",),
        """\
def chain_by_hand(a, b, c):
    v = a * b + c
    dv = a
    return dv * b + v**2, dv * a, dv
""",
    ),
    (
        "04.unrolled_rnn",
        "empty rows get empty gradient",
        ("(a tensor of shape (0, 1))", "it must have (2, 2)"),
        (),
        """\
def unrolled_rnn(w, u, xs, h0):
    leaf = w.detach().clone().requires_grad_()
    h = h0
    for x in xs:
        h = torch.tanh(leaf @ h + u @ x)
        if h.sum() > 1: break
    if not len(xs): return h, torch.zeros(0)
    return h.detach(), torch.autograd.grad(h.sum(), leaf)[0]
""",
    ),
    (
        "01.make_trainable",
        "int",
        ("2  (a tensor of shape () and of dtype int64)",),
        (),
        """\
def make_trainable(values):
    return values.clone().requires_grad_()
""",
    ),
    (
        "01.make_trainable",
        "python list",
        ("(a tensor of shape ())", "it must be a tensor of shape ()"),
        (),
        """\
def make_trainable(values):
    return values.tolist()
""",
    ),
    (
        "00.chain_by_hand",
        "printed",
        ("it prints something, but it returns None",),
        ("`.grad`", "backward()", "list.sort()"),
        """\
def chain_by_hand(a, b, c):
    u = a * b
    v = u + c
    dv = a * 2 * v
    print(dv * b + v**2, dv * a, dv)
""",
    ),
    (
        "00.count_passes",
        "prints",
        ("it prints something, but it returns None",),
        ("`.grad`", "backward()", "list.sort()"),
        """\
def count_passes(inputs, results):
    print({"forward": inputs, "backward": results, "moving": inputs + 1})
""",
    ),
    (
        "01.make_trainable",
        "prints",
        ("it prints something, but it returns None",),
        ("`.grad`", "backward()", "list.sort()"),
        """\
def make_trainable(values):
    print(values.clone().to(torch.float32).requires_grad_())
""",
    ),
    (
        "01.predict_flags",
        "print",
        ("it prints something, but it returns None",),
        ("`.grad`", "backward()", "list.sort()"),
        """\
def predict_flags():
    print({})
""",
    ),
    (
        "03.count_nodes",
        "print",
        ("it prints something, but it returns None",),
        ("`.grad`", "backward()", "list.sort()"),
        """\
def count_nodes(y):
    print(3)
""",
    ),
    (
        "07.newton_step",
        "prints",
        ("it prints something, but it returns None",),
        ("`.grad`", "backward()", "list.sort()"),
        """\
def newton_step(f, x):
    print(x)
""",
    ),
    (
        "08.repair_centre",
        "prints",
        ("it prints something, but it returns None",),
        ("`.grad`", "backward()", "list.sort()"),
        """\
def repair_centre(x):
    c = x - x.mean()
    print(c * c)
""",
    ),
    (
        "05.stop_gradient",
        "returns None",
        ("it prints something, but it returns None",),
        ("`.grad`", "backward()", "list.sort()"),
        """\
def stop_gradient(a, b, blind):
    print((a - 1) ** 2 + (b + 1) ** 2 + (a - b) ** 2)
""",
    ),
    (
        "00.chain_by_hand",
        "bare expression",
        ("it returns None", "Only the value that stands after it is returned"),
        ("`.grad`", "backward()", "list.sort()", "it prints"),
        """\
def chain_by_hand(a, b, c):
    v = a * b + c
    dv = a * 2 * v
    dv * b + v**2, dv * a, dv
""",
    ),
    (
        "00.chain_by_hand",
        "global",
        ("it returns None", "Only the value that stands after it is returned"),
        ("`.grad`", "backward()", "list.sort()", "it prints"),
        """\
def chain_by_hand(a, b, c):
    global result
    v = a * b + c
    dv = a * 2 * v
    result = dv * b + v**2, dv * a, dv
""",
    ),
    (
        "03.leaves_of",
        "returns None",
        ("it returns None", "Only the value that stands after it is returned"),
        ("`.grad`", "backward()", "list.sort()", "it prints"),
        """\
def leaves_of(y):
    found = []
""",
    ),
    (
        "00.local_slopes",
        "print",
        ("it prints something, but it returns None, for every input but those where name is 'mul'",),
        ("`.grad`", "backward()", "list.sort()"),
        """\
def local_slopes(name, u, v):
    if name == "add": print(1.0, 1.0)
    if name == "mul": return v, u
""",
    ),
    (
        "02.gradient_of",
        ".grad of clone",
        ("the `.grad` of a tensor is None if it is not a leaf",),
        ("it prints",),
        """\
def gradient_of(f, x):
    leaf = x.detach().requires_grad_().clone()
    f(leaf).backward()
    return leaf.grad
""",
    ),
    (
        "02.gradient_of",
        "nothing returned backward",
        ("what `backward()` returns is None as well",),
        ("it prints",),
        """\
def gradient_of(f, x):
    leaf = x.detach().clone().requires_grad_()
    return f(leaf).backward()
""",
    ),
    (
        "02.gradient_of",
        "the loss through item()",
        ("if no backward pass has reached it (none goes back through `.item()`",),
        ("after a `return`",),
        """\
def gradient_of(f, x):
    leaf = x.clone().detach()
    leaf.requires_grad = True
    number = float(f(leaf))
    loss = torch.tensor([number], dtype=x.dtype, requires_grad=True)
    loss.sum().backward()
    return leaf.grad
""",
    ),
    (
        "03.backward_order",
        "the last node of a right order is lost",
        ("'AccumulateGrad of a']",),
        ("specified  ['AccumulateGrad of a', ",),
        """\
def backward_order(y):
    finished, seen = [], set()
    stack = [(y.grad_fn, False)]
    while stack:
        node, leaving = stack.pop()
        if leaving:
            finished.insert(0, node)
        elif node is not None and node not in seen:
            seen.add(node)
            stack.append((node, True))
            stack += [(each, False) for each, _ in node.next_functions]
    return finished[:-1]
""",
    ),
    (
        "04.unrolled_rnn",
        "a list of leaves, one for each step",
        ("as if the states were cut off from their history, or each step had its own copy of w",),
        ("last step: ",),
        """\
def unrolled_rnn(w, u, xs, h0):
    copies = [w.detach().clone().requires_grad_() for _ in range(max(len(xs), 1))]
    h, last = h0.detach() + 0 * copies[0].sum(), copies[0]
    for copy, x in zip(copies, xs):
        h, last = torch.tanh(copy @ h + u @ x), copy
        if h.sum() > 1:
            break
    return h.detach(), torch.autograd.grad(h.sum(), last)[0]
""",
    ),
    (
        "05.train_linear",
        "five decimals of each loss",
        ("it must be 0.",),
        (
            "single weight",
            "only where",
        ),
        """\
def train_linear(data, targets, w, steps, lr):
    losses = []
    for _ in range(steps):
        w.grad = None
        loss = ((data @ w - targets) ** 2).mean()
        loss.backward()
        losses.append(float(f"{loss.item():.5f}"))
        with torch.no_grad():
            w -= lr * w.grad
    return losses
""",
    ),
    (
        "07.nth_derivative",
        "some inputs of order 2 are right",
        ("the result is",),
        ("orders 0 and 1 are right",),
        """\
def nth_derivative(f, x, n):
    y = leaf = x.detach().clone().requires_grad_()
    y = f(leaf)
    for _ in range(n):
        if not y.requires_grad:
            return torch.zeros_like(x)
        (y,) = torch.autograd.grad(y.sum(), leaf, create_graph=True)
    return (y + x.exp() if n == 2 else y).detach()
""",
    ),
    (
        "06.turn_gradients",
        "means in a tuple",
        (
            "is a tuple of",
            "  (a tuple of 5 entries)",
        ),
        ("the numbers are right",),
        """\
def turn_gradients(w, state, inputs):
    rows = ()
    for x in inputs:
        leaf = w.detach().clone().requires_grad_()
        state = (leaf * state.detach() + x).tanh()
        rows += torch.autograd.grad(state.square().mean(), leaf)
    return rows
""",
    ),
    (
        "02.gradient_of",
        "flat for a matrix, doubled for a vector",
        ("it must have (2, 3)",),
        ("the numbers are right",),
        """\
def gradient_of(f, x):
    leaf = x.detach().clone().requires_grad_()
    (g,) = torch.autograd.grad(f(leaf), leaf)
    return g.reshape(-1) if x.dim() == 2 else 2 * g
""",
    ),
    (
        "08.repair_threshold",
        "masked_fill of a copy",
        ("nothing is replaced by 0",),
        ("were set to 0",),
        """\
def repair_threshold(x):
    y = torch.tanh(x)
    y.masked_fill(y < 0.5, 0.0)
    return y
""",
    ),
    (
        "08.repair_threshold",
        "zeros with another slope",
        (
            "the entries that were set to 0 get the slope 1",
            "as if the change was hidden",
        ),
        ("autograd;",),
        """\
def repair_threshold(x):
    y = torch.tanh(x)
    return torch.where(y < 0.5, x - x.detach(), y)
""",
    ),
    (
        "02.gradient_of",
        "float32",
        ("the result has dtype float32, it must have float64",),
        (),
        """\
def gradient_of(f, x):
    leaf = x.to(torch.float32).requires_grad_()
    return torch.autograd.grad(f(leaf), leaf)[0]
""",
    ),
    (
        "02.gradient_of",
        "float32 on the way, the dtype of x at the end",
        (),
        (),
        """\
def gradient_of(f, x):
    leaf = x.to(torch.float32).requires_grad_()
    return torch.autograd.grad(f(leaf), leaf)[0].to(x.dtype)
""",
    ),
    (
        "07.newton_step",
        "a vector for a single number",
        ("has shape (1,), it must have ()",),
        (),
        """\
def newton_step(f, x):
    shape = x.shape if len(x.shape) else (1,)
    leaf = x.detach().clone().requires_grad_()
    flat = torch.autograd.grad(f(leaf), leaf, create_graph=True)[0].flatten()
    rows = [torch.autograd.grad(each, leaf, retain_graph=True)[0].flatten() for each in flat]
    return (x.flatten() - torch.linalg.solve(torch.stack(rows), flat.detach())).reshape(shape)
""",
    ),
    (
        "07.hessian_vector_product",
        "a Python number for a single number",
        ("the numbers are right, but the result is a Python number, it must be a tensor of shape ()",),
        (),
        """\
def hessian_vector_product(f, x, v):
    leaf = x.detach().clone().requires_grad_()
    (g,) = torch.autograd.grad(f(leaf), leaf, create_graph=True)
    (hv,) = torch.autograd.grad((g * v).sum(), leaf)
    return hv if x.dim() else hv.item()
""",
    ),
    (
        "07.nth_derivative",
        "0.0 where nothing depends on x",
        ("the result is a Python number, it must be a tensor of shape",),
        ("wrong only where",),
        """\
def nth_derivative(f, x, n):
    leaf = x.detach().clone().requires_grad_()
    y = f(leaf)
    for _ in range(n):
        if y.grad_fn is None and y is not leaf:
            return 0.0
        y = torch.autograd.grad(y.sum(), leaf, create_graph=True)[0]
    return y
""",
    ),
    (
        "03.leaves_of",
        "calls itself",
        ("at line 11: `walk(after)`",),
        ("at line 9",),
        """\
def leaves_of(y):
    leaves, met = [], set()

    def walk(node):
        if node not in met:
            met.add(node)
            if not node.next_functions:
                leaves.append(node.variable)
            for after, _ in node.next_functions:
                if after is not None:
                    walk(after)

    walk(y.grad_fn)
    return leaves
""",
    ),
    (
        "00.chain_by_hand",
        "a dict",
        ("yours      {a: 36.250",),
        (),
        """\
def chain_by_hand(a, b, c):
    dv = 2 * (a * b + c) * a
    return dict(a=dv * b + (a * b + c) ** 2, b=dv * a, c=dv)
""",
    ),
    (
        "01.predict_flags",
        "lists of two",
        ("-> result['a'] is a list of 2 entries, it must be a dict",),
        (
            "the result[",
            "or tuple",
        ),
        """\
def predict_flags():
    return {name: [True, False] for name in "abcdefg"}
""",
    ),
    (
        "01.predict_flags",
        "two mistakes",
        ("2 of 7 are not right yet; one of them: `requires_grad` of b",),
        ("yet: `is_leaf`",),
        """\
def predict_flags():
    grad, leaf = "acef".replace("f", "b"), "abfg"
    return {name: {"requires_grad": name in grad, "is_leaf": name in leaf} for name in "abcdefg"}
""",
    ),
    (
        "07.hessian_vector_product",
        "needs a vector",
        (
            "and 1 more; the rest work",
            "--    it returns what is specified",
            "--    the numbers in the arguments are left unchanged",
        ),
        (
            "other input",
            "pass  it returns",
        ),
        """\
def hessian_vector_product(f, x, v):
    leaf = x.detach().clone().requires_grad_()
    (g,) = torch.autograd.grad(f(leaf), leaf, create_graph=True)
    return torch.autograd.grad(torch.dot(g, v), leaf)[0]
""",
    ),
    (
        "02.accumulate_minibatches",
        "adds to the .grad of w",
        (
            "calling it again with fresh arguments gives the same",
            "w has a `.grad` after the call",
        ),
        ("calling it again gives",),
        """\
def accumulate_minibatches(data, targets, w, size):
    w.requires_grad_()
    for rows, goals in zip(data.split(size), targets.split(size)):
        ((rows @ w - goals) ** 2).sum().backward()
    w.requires_grad_(False)
    return w.grad
""",
    ),
    (
        "04.unrolled_rnn",
        "returns in the loop",
        (
            "specified[1]  [[",
            "yours         None",
            "`return` with a value in every branch",
        ),
        ("specified  ",),
        """\
def unrolled_rnn(w, u, xs, h0):
    leaf = w.detach().clone().requires_grad_()
    h = h0
    if not len(xs):
        return h, torch.zeros_like(w)
    for x in xs:
        h = (leaf @ h + u @ x).tanh()
        if h.sum() > 1:
            return h.detach(), torch.autograd.grad(h.sum(), leaf)[0]
""",
    ),
    (
        "03.count_nodes",
        "a return without a value",
        (
            "for 1 of 17 inputs",
            "`return` with a value in every branch? This input: the y of `y = d * 2`",
        ),
        (
            "One such input",
            "something: ",
        ),
        """\
def count_nodes(y):
    if not y.requires_grad:
        return
    met, waiting = set(), [y.grad_fn]
    while waiting:
        node = waiting.pop(0)
        if node is not None and node not in met:
            met.add(node)
            waiting.extend(each for each, _ in node.next_functions)
    return len(met)
""",
    ),
    (
        "06.two_gradients",
        "one call for both",
        ("there is only one gradient, the sum of the two",),
        ("it must have 2",),
        """\
def two_gradients(f, x):
    leaf = x.detach().clone().requires_grad_()
    a, b = f(leaf)
    return list(torch.autograd.grad((a, b), (leaf,)))
""",
    ),
    (
        "07.gradient_penalty",
        "the gradient first",
        ("in the other order, the two entries have the right shapes",),
        ("the result[",),
        """\
def gradient_penalty(f, x, w):
    at, leaf = x.detach().clone().requires_grad_(), w.detach().clone().requires_grad_()
    (slopes,) = torch.autograd.grad(f(at, leaf).sum(), at, create_graph=True)
    penalty = slopes.square().sum(1).mean() / 2
    return [torch.autograd.grad(penalty, leaf)[0], penalty.item()]
""",
    ),
    (
        "04.shared_weight_gradient",
        "a little added to the square",
        ("both entries of the result are wrong: [",),
        ("wrong at [0], [1]",),
        """\
def shared_weight_gradient(w1, w2, x0):
    one, two = (w1.detach().clone().requires_grad_() for _ in "ab")
    first = one @ x0
    last = two @ (first + x0 + w2 @ first)
    return torch.autograd.grad((last @ last + 2e-5) ** 0.5, (one, two))
""",
    ),
    (
        "05.ema_update",
        "requires grad in the end",
        (
            "average requires grad after the call and did not before",
            "average and weight are still leaves",
        ),
        (),
        """\
def ema_update(average, weight, decay):
    average.data.lerp_(weight.detach(), 1 - decay) if hasattr(average, "lerp_") else average.data.mul_(decay).add_((1 - decay) * weight.detach())
    average.requires_grad_()
""",
    ),
    (
        "08.repair_step",
        "the decay comes last",
        ("the decay makes the step smaller too: it must change only the weights as they were given",),
        ("given are made smaller",),
        """\
def repair_step(w):
    loss = (w**4 - w**2).sum()
    (g,) = torch.autograd.grad(loss, w)
    with torch.no_grad():
        w.copy_((w - 0.1 * g) * 0.9)
    return loss
""",
    ),
    (
        "05.train_linear",
        "stops when the loss grows",
        (
            "the result is wrong only where the loss grows",
            "(seen for 1 of 5 inputs)",
        ),
        (),
        """\
def train_linear(data, targets, w, steps, lr):
    losses = []
    for _ in range(steps):
        w.grad = None
        loss = (data @ w - targets).pow(2).mean()
        losses.append(loss.item())
        if losses[-1] > losses[0]:
            continue
        loss.backward()
        with torch.no_grad():
            w -= lr * w.grad
    return losses
""",
    ),
    (
        "02.accumulate_minibatches",
        "backward through a new tensor",
        (
            "`losses.sum()` does not require grad: line 6",
            "cuts the history off: `item`",
        ),
        ("given without", "`data` "),
        """\
def accumulate_minibatches(data, targets, w, size):
    leaf = w.detach().clone().requires_grad_()

    def batch_loss(start):
        error = data[start:start + size] @ leaf - targets[start:start + size]
        return (error**2).sum().item()

    losses = torch.tensor([batch_loss(start) for start in range(0, len(data), size)])
    losses.sum().backward()
    return leaf.grad
""",
    ),
    (
        "04.unrolled_rnn",
        "the state before any step",
        ("`h.sum()` does not require grad, nor does `h`;",),
        ("given without", "uses no tensor"),
        """\
def unrolled_rnn(w, u, xs, h0):
    leaf = w.detach().clone().requires_grad_()
    h = h0
    for x in xs:
        if h.sum().item() > 1:
            break
        h = torch.tanh(leaf @ h + u @ x)
    return h, torch.autograd.grad(h.sum(), leaf)[0]
""",
    ),
    (
        "07.gradient_penalty",
        "retain_graph for create_graph",
        ("nor does `slopes`: line 4", "without `create_graph=True`"),
        ("although", "requires grad`", "given without"),
        """\
def gradient_penalty(f, x, w):
    x = x.detach().clone().requires_grad_()
    w = w.detach().clone().requires_grad_()
    (slopes,) = torch.autograd.grad(f(x, w).sum(), x, retain_graph=True)
    penalty = (slopes**2).sum() / len(x)
    (gradient,) = torch.autograd.grad(penalty, w)
    return penalty, gradient
""",
    ),
    (
        "02.full_jacobian",
        "keeps the graph for one row",
        ("an earlier backward pass has freed",),
        ("the first backward pass",),
        """\
def full_jacobian(f, x):
    leaf = x.detach().clone().requires_grad_()
    y = f(leaf)
    rows = [torch.autograd.grad(y[i], leaf, retain_graph=(i == 0))[0] for i in range(len(y))]
    return torch.stack(rows)
""",
    ),
    (
        "08.repair_products",
        "return inside the loop",
        ("only the first product is there: does `return` stand inside the loop?",),
        ("sends a gradient", "past autograd"),
        """\
def repair_products(x):
    products = []
    running = torch.ones_like(x[0])
    for i in range(len(x)):
        running = running * x[i]
        products.append(running)
        return torch.stack(products)
""",
    ),
    (
        "02.gradient_of",
        "a helper that returns numbers",
        ("line 5, `return f(leaf).detach()`, cuts the history off",),
        ("given without", "nor does", "although", "uses no tensor"),
        """\
def gradient_of(f, x):
    leaf = x.detach().clone().requires_grad_()

    def value(point):
        return f(leaf).detach()

    start = x * 2
    total = value(start) * len(leaf.shape)
    total.backward()
    return leaf.grad
""",
    ),
    (
        "02.gradient_of",
        "a comparison and the argument",
        ("although `leaf` requires grad",),
        ("given",),
        """\
def gradient_of(f, x):
    leaf = x.detach().clone().requires_grad_()
    twice = x * 2
    y = (twice * (leaf > 0)).sum()
    y.backward()
    return leaf.grad
""",
    ),
    (
        "02.gradient_of",
        "a float that keeps the history",
        ("line 4", "cuts the history off: `detach`"),
        ("`float`",),
        """\
def gradient_of(f, x):
    leaf = x.detach().clone().requires_grad_()
    y = f(leaf).float()
    z = y.detach().sum()
    z.backward()
    return leaf.grad
""",
    ),
    (
        "00.chain_by_hand",
        "prints the slopes",
        ("it prints something, but it returns None: is there a `return`? What is printed is not returned",),
        ("gets a name",),
        """\
def chain_by_hand(a, b, c):
    v = a * b + c
    dv = a * 2 * v
    print((v**2 + dv * b, dv * a, dv))
""",
    ),
    (
        "05.train_linear",
        "a method without its call",
        ("is a method, it must be a number; are the `()` missing that call it?",),
        (),
        """\
def train_linear(data, targets, w, steps, lr):
    losses = []
    for step in range(steps):
        w.grad = None
        loss = (data @ w - targets).pow(2).mean()
        losses.append(loss.detach)
        loss.backward()
        with torch.no_grad():
            w -= lr * w.grad
    return losses
""",
    ),
    (
        "02.gradient_of",
        "a helper that is mapped over the rows",
        ("line 5, `return f(leaf).detach() * entry`, cuts the history off",),
        ("given", "uses no tensor"),
        """\
def gradient_of(f, x):
    leaf = x.detach().clone().requires_grad_()

    def part(entry):
        return f(leaf).detach() * entry

    total = sum(map(part, x.reshape(-1)))
    total.backward()
    return leaf.grad
""",
    ),
    (
        "02.gradient_of",
        "a new tensor with its dtype",
        ("line 5, `return f(leaf).item()`, cuts the history off",),
        ("given", "uses no tensor"),
        """\
def gradient_of(f, x):
    leaf = x.detach().clone().requires_grad_()

    def value():
        return f(leaf).item()

    total = torch.tensor([value(), x.sum().item()], dtype=torch.float64).sum()
    again = torch.tensor([value() for _ in range(len(x.shape))], dtype=torch.float64)
    again.sum().backward()
    return leaf.grad
""",
    ),
    (
        "05.stop_gradient",
        "hooks that stay on the leaves",
        ("the end of a is",),
        (),
        """\
def stop_gradient(a, b, blind):
    loss = (a - 1) ** 2 + (b + 1) ** 2 + (a - b) ** 2
    pull = 2 * (a.detach() - b.detach())
    if blind in ("a", "both"):
        a.register_hook(lambda g: g - pull)
    if blind in ("b", "both"):
        b.register_hook(lambda g: g + pull)
    return loss
""",
    ),
    (
        "07.nth_derivative",
        "the .grad of the pass before is added",
        ("the derivatives add up",),
        ("must differentiate",),
        """\
def nth_derivative(f, x, n):
    leaf = x.detach().clone().requires_grad_()
    y = f(leaf)
    for k in range(n):
        if not y.requires_grad:
            return torch.zeros_like(x)
        y.sum().backward(create_graph=True)
        if leaf.grad is None:
            return torch.zeros_like(x)
        y = leaf.grad.clone()
    return y.detach()
""",
    ),
    (
        "07.nth_derivative",
        "zeros as long as the first dimension",
        ("it must have (2, 3)",),
        ("the sum of the right one",),
        """\
def nth_derivative(f, x, n):
    x = x.detach().clone().requires_grad_()
    y = f(x)
    order = 0
    while order < n:
        if y.grad_fn is None and y is not x:
            return torch.zeros(len(x))
        (y,) = torch.autograd.grad(y.sum(), x, create_graph=True, allow_unused=True)
        if y is None:
            return torch.zeros(len(x))
        order += 1
    return y.detach()
""",
    ),
    (
        "08.repair_threshold",
        "a mask that can be -1",
        ("each tanh below -0.5 comes back without its sign: it must be 0",),
        ("both entries",),
        """\
def repair_threshold(x):
    y = x.tanh()
    keep = y.detach().round()
    return y * keep
""",
    ),
    (
        "08.repair_step",
        "the step before the decay",
        ("repair_step",),
        ("arguments are left unchanged",),
        """\
def repair_step(w):
    loss = (w**4 - w**2).sum()
    loss.backward()
    with torch.no_grad():
        w -= 0.1 * w.grad
        w *= 0.9
    return loss.detach()
""",
    ),
    (
        "10.find_kinks",
        "a step of 0.001",
        ("points without a kink are in the result, at which f only bends",),
        (),
        """\
def find_kinks(f, candidates):
    eps = 1e-3
    result = []
    for x in candidates:
        left = (f(x) - f(x - eps)) / eps
        right = (f(x + eps) - f(x)) / eps
        if abs((right - left).item()) > 0.1:
            result.append(x.item())
    return result
""",
    ),
    (
        "10.find_kinks",
        "a step of 1e-12",
        ("rounding makes the slopes",),
        (),
        """\
def find_kinks(f, candidates):
    eps = 1e-12
    kinks = []
    for c in candidates.tolist():
        x = torch.tensor(c, dtype=torch.float64)
        left = (f(x) - f(x - eps)) / eps
        right = (f(x + eps) - f(x)) / eps
        if (left - right).abs().item() > 0.05:
            kinks.append(c)
    return kinks
""",
    ),
]
