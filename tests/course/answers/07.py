"""Answers to notebook 07: see tests/course/table.py."""

# %% 07.nth_derivative right: recursive
def fresh(x):
    return x.detach().clone().requires_grad_(True)


def nth_derivative(f, x, n):
    if n == 0:
        return f(x)
    leaf = fresh(x)

    def slope(value, left):
        if left == 0:
            return value
        if not value.requires_grad:
            return value * 0
        return slope(torch.autograd.grad(value.sum(), leaf, create_graph=True)[0], left - 1)

    return slope(f(leaf), n)

# %% 07.nth_derivative right: history kept alive
def nth_derivative(f, x, n):
    x = torch.tensor(x.tolist(), dtype=x.dtype, requires_grad=True)
    value = f(x) + 0 * x
    for _ in range(n):
        value = torch.autograd.grad(value, x, torch.ones_like(value), create_graph=True)[0] + 0 * x
    print(n, value)
    return value

# %% 07.nth_derivative right: by backward
def fresh(x):
    return x.detach().clone().requires_grad_(True)


def nth_derivative(f, x, n):
    leaf = fresh(x)
    value = f(leaf)
    for _ in range(n):
        if not value.requires_grad:
            value = torch.zeros_like(leaf)
            break
        leaf.grad = None
        value.sum().backward(create_graph=True)
        value, leaf.grad = leaf.grad, None
    assert value.shape == x.shape
    return value

# %% 07.nth_derivative right: functions of functions
def fresh(x):
    return x.detach().clone().requires_grad_(True)


def nth_derivative(f, x, n):
    def derivative_of(g):
        def slope(at):
            value = g(at)
            if not value.requires_grad:
                return torch.zeros_like(at)
            return torch.autograd.grad(value.sum(), at, create_graph=True)[0]

        return slope

    for _ in range(n):
        f = derivative_of(f)
    return f(fresh(x)).detach()

# %% 07.nth_derivative right: by allow unused
def fresh(x):
    return x.detach().clone().requires_grad_(True)


def nth_derivative(f, x, n):
    """What a constant sends back is asked for as zeros."""
    leaf = fresh(x)
    value = f(leaf) + 0 * leaf.sum()
    for _ in range(n):
        value = torch.autograd.grad(value, leaf, torch.ones_like(value), create_graph=True)[0] + 0 * leaf
    return value

# %% 07.nth_derivative right: one entry at a time
def nth_derivative(f, x, n):
    found = []
    for number in x.reshape(-1).tolist():
        leaf = torch.tensor(number, dtype=x.dtype, requires_grad=True)
        value = f(leaf)
        for _ in range(n):
            value = torch.autograd.grad(value, leaf, create_graph=True)[0] if value.requires_grad else 0 * leaf.detach()
        found.append(value.detach())
    return torch.stack(found).reshape(x.shape)

# %% 07.nth_derivative right: a loop of grad with create_graph, and an early exit when there is no history left
def nth_derivative(f, x, n):
    leaf = x.detach().clone().requires_grad_()
    y = f(leaf)
    for _ in range(n):
        if not torch.is_tensor(y) or not y.requires_grad:
            return torch.zeros_like(x)
        y, = torch.autograd.grad(y.sum(), leaf, create_graph=True, allow_unused=True)
        if y is None:
            return torch.zeros_like(x)
    return y.detach().clone()

# %% 07.nth_derivative right: recursion on the function: the derivative is a function again; 0 * x keeps it connected
def nth_derivative(f, x, n):
    def derivative(g):
        def dg(p):
            q = p if p.requires_grad else p.detach().clone().requires_grad_()
            y = g(q) + 0 * q
            return torch.autograd.grad(y.sum(), q, create_graph=True)[0]
        return dg
    for _ in range(n):
        f = derivative(f)
    if n == 0:
        return f(x.detach().clone())
    return f(x.detach().clone().requires_grad_())

# %% 07.nth_derivative right: grad_outputs of ones, and 0 * leaf added at each order
def nth_derivative(f, x, n):
    leaf = torch.tensor(x.tolist(), dtype=x.dtype, requires_grad=True)
    y = f(leaf) + 0 * leaf
    k = 0
    while k < n:
        y = torch.autograd.grad(y, leaf, torch.ones_like(y), create_graph=True)[0] + 0 * leaf
        k += 1
    return y

# %% 07.nth_derivative right: allow_unused only, zeros as soon as the history ends; backward into .grad with create_graph
def nth_derivative(f, x, n):
    leaf = x.detach().clone().requires_grad_()
    current = f(leaf)
    while n > 0:
        if current.grad_fn is None and current is not leaf:
            return 0 * x
        leaf.grad = None
        current.sum().backward(create_graph=True)
        current, leaf.grad = leaf.grad, None
        if current is None:
            return 0 * x
        n -= 1
    return current

# %% 07.nth_derivative right: adds 0 * leaf to every order, so that there is always a graph
def nth_derivative(f, x, n):
    leaf = x.detach().clone().requires_grad_()
    y = f(leaf) + 0 * leaf
    while n:
        y = torch.autograd.grad(y, leaf, torch.ones_like(leaf), create_graph=True)[0] + 0 * leaf
        n -= 1
    return y.detach()

# %% 07.nth_derivative wrong: create_graph is missing: the second derivative has no graph to come from, and every order above 1 gives zeros
expect("known", "from order 2 on everything is 0 in yours, as if the first derivative had no history")
edit("create_graph=True, allow_unused=True)\n        if y is None:\n            return torch.zeros_like(x",
     "retain_graph=True, materialize_grads=True", of="a loop of")

# %% 07.nth_derivative wrong: evaluates the first derivative at the last result instead of differentiating again
expect("known", "each step takes the slope of f again, at the numbers of the step before")
edit("value = f(leaf)\n", "value = f(leaf)\n    slopes = leaf\n",
     "        (value,) = torch.autograd.grad(value.sum(), leaf, create_graph=True)",
     "        slopes = slopes.detach().requires_grad_()\n        value = f(slopes) + 0 * slopes\n"
     "        (slopes,) = torch.autograd.grad(value.sum(), slopes)\n        value = slopes + 0 * leaf")

# %% 07.nth_derivative wrong: one order too many: the loop runs n + 1 times
expect("known", "this is the derivative of order n + 1: one step too many")
edit("while n:", "for _ in range(n + 1):", of="adds 0 *")

# %% 07.nth_derivative wrong: off by one: the loop differentiates n - 1 times
expect("known", "this is the derivative of order n - 1: one step is missing")
edit("for _ in range(n):", "for _ in range(1,n):", of="a loop of")

# %% 07.nth_derivative wrong: order 0 is forgotten: the first derivative is always taken
expect("known", "order 0 is wrong: it is the value of f")
def nth_derivative(f, x, n):
    leaf = x.detach().clone().requires_grad_()
    y = f(leaf) + 0 * leaf
    y = torch.autograd.grad(y.sum(), leaf, create_graph=True)[0] + 0 * leaf
    for _ in range(n - 1):
        y = torch.autograd.grad(y.sum(), leaf, create_graph=True)[0] + 0 * leaf
    return y.detach()

# %% 07.nth_derivative wrong: it stops when all entries are 0: but f can be 0 at x and have derivatives that are not
expect("known", "it is wrong if the value or a lower derivative happens to be 0 at x: the next one can")
edit("while n:", "for _ in range(n):\n        if (y == 0).all():\n            return torch.zeros_like(x)",
     of="adds 0 *")

# %% 07.nth_derivative wrong: the mean is differentiated instead of the sum: a factor 1/n in each order
expect("known", "each step divides by the number of entries, as the gradient of a mean does")
edit("while n:", "for _ in range(n):",
     "y, leaf, torch.ones_like(leaf), create_graph=True)[0] + 0 * leaf\n        n -= 1",
     "y.mean(), leaf, create_graph=True)[0] + 0 * leaf", of="adds 0 *")

# %% 07.nth_derivative wrong: a sum of the derivatives over all entries is returned, one number instead of a tensor with the shape of x
expect("known", "this is the sum over all entries, but each entry of x has its own derivative")
edit("return y.detach()", "return y.detach().sum()", of="adds 0 *")

# %% 07.nth_derivative wrong: the result of grad (a tuple) is returned without unpacking
expect("type", "the result is a tuple of 1 entry, it must be a tensor of shape")
edit("while n:", "result = y\n    for _ in range(n):",
     "y = torch.autograd.grad(y, leaf, torch.ones_like(leaf), create_graph=True)[0] + 0 * leaf\n        n -= 1",
     "result = torch.autograd.grad(y.sum(), leaf, create_graph=True)\n        y = result[0] + 0 * leaf",
     "return y.detach()", "return result", of="adds 0 *")

# %% 07.nth_derivative wrong: f is applied to the derivative again in each turn (f(y) instead of y)
expect("known", "orders 0 and 1 are right, and something is wrong for order 2 and more")
edit("def nth_derivative(f, x, n):", "def nth_derivative(f, x, n_):",
     "while n:", "for n in range(n_):",
     "leaf\n        n -= 1", "leaf\n        if n < n_ - 1:\n            y = f(y) + 0 * leaf", of="adds 0 *")

# %% 07.nth_derivative wrong: the gradients pile up: backward(create_graph=True) without clearing .grad
expect("known", "the derivatives add up, as in a `.grad` that is not cleared before the next pass")
edit("while n:", "for _ in range(n):",
     "y = torch.autograd.grad(y, leaf, torch.ones_like(leaf), create_graph=True)[0] + 0 * leaf\n        n -= 1",
     "y.sum().backward(create_graph=True)\n        y = leaf.grad + 0 * leaf", of="adds 0 *")

# %% 07.nth_derivative wrong: when a derivative has no graph it returns this constant, not the zeros that the next order is
expect("known", "if a derivative is constant, the next one is 0, but yours is still the constant")
edit("grad:\n            return torch.zeros_like(x)", "grad:\n            break", of="a loop of")

# %% 07.nth_derivative wrong: None is returned when the derivative does not depend on x any more (allow_unused without replacing None)
expect("no_result", "it returns None")
edit("return torch.zeros_like(x)", "return None")

# %% 07.nth_derivative wrong: x itself is made to require grad and stays so
expect("leaves_a_trace", "x requires grad after the call, but the caller's tensor must not change: use a copy of")
edit("x = torch.tensor(x.tolist(), dtype=x.dtype, requires_grad=True)", "x.requires_grad_()", of="history kept")

# %% 07.nth_derivative wrong: Gives the Taylor coefficient: the derivative is divided by k in step k, so the result is too small by n!
expect("known", "the derivative is divided by n!")
def nth_derivative(f, x, n):
    t = x.detach().clone().requires_grad_()
    y = f(t)
    for k in range(1, n + 1):
        if y.requires_grad:
            y = torch.autograd.grad(y.sum(), t, create_graph=True)[0] / k
        else:
            y = torch.zeros_like(x)
    return y + torch.zeros_like(x)

# %% 07.nth_derivative wrong: asks for a grad fn
expect("known", "it is wrong only for an f that gives back x itself: x is a leaf and has no `grad_fn`, but its slope is 1")
edit("if not value.requires_grad:", "if value.grad_fn is None:")

# %% 07.nth_derivative wrong: zeros as a vector
expect("wrong_shape", "only where the derivative is 0 everywhere")
edit("return torch.zeros_like(x)", "return torch.zeros(x.numel() + 1, dtype=x.dtype)")

# %% 07.nth_derivative wrong: ones for order zero
expect("wrong_value", "the result is wrong in every entry, farthest off")
def fresh(x):
    return x.detach().clone().requires_grad_(True)


def derivative(f, x, n):
    x = fresh(x)
    value = f(x) + 0 * x
    for _ in range(n):
        value = torch.autograd.grad(value.sum(), x, create_graph=True)[0] + 0 * x
    return value.detach()


def nth_derivative(f, x, n):
    return derivative(f, x, n) if n else torch.ones_like(x)

# %% 07.nth_derivative wrong: create_graph forgotten
expect(
    "raises_for_some",
    "that line computes a gradient without `create_graph=True`",
    "nor does `value`",
    never=("nothing was recorded between the leaf and it",),
)
edit("for order in range(n):\n        if not value.requires_grad:\n            return torch.zeros_like(x)",
     "for _ in range(n):",
     "leaf, create_graph=True", "leaf")

# %% 07.nth_derivative wrong: no guard
expect(
    "raises_for_some",
    "computes a gradient that does not depend on a tensor that requires grad",
    never=("nothing was recorded between the leaf and it", "without `create_graph=True`"),
)
edit("\n        if not value.requires_grad:\n            return torch.zeros_like(x)\n        (value",
     "\n        (value")

# %% 07.nth_derivative wrong: over inputs, not known which turn
expect(
    "raises_for_some",
    "was not computed from a tensor that requires grad, or the computation was not recorded",
    never=("nothing was recorded between the leaf and it", "without `create_graph=True`", "uses no tensor"),
)
edit("value = f(leaf)", "value, left = f(leaf), n",
     "for order in range(n):\n        if not value.requires_grad:\n            return torch.zeros_like(x)",
     "while left:",
     "leaf, create_graph=True)", "leaf)\n        left -= 1")

# %% 07.nth_derivative wrong: for from one
expect(
    "raises_for_some",
    "that line computes a gradient without `create_graph=True`",
    never=("nothing was recorded between the leaf and it", "although"),
)
edit("range(n):\n        if not value.requires_grad:\n            return torch.zeros_like(x)", "range(1, n + 1):",
     "leaf, create_graph=True", "leaf")

# %% 07.nth_derivative wrong: detaches the leaf each time
expect(
    "raises_for_some",
    "line 2, `value = f(x)`, uses no tensor that requires grad",
    never=("nothing was recorded between the leaf and it", "without `create_graph=True`"),
)
def nth_derivative(f, x, n):
    value = f(x)
    for k in range(n):
        leaf = x.detach().clone().requires_grad_()
        value = torch.autograd.grad(value.sum(), leaf, create_graph=True)[0]
    return value

# %% 07.nth_derivative wrong: some inputs of order 2 are right
expect("wrong_value", "the result is", never=("orders 0 and 1 are right",))
def nth_derivative(f, x, n):
    y = leaf = x.detach().clone().requires_grad_()
    y = f(leaf)
    for _ in range(n):
        if not y.requires_grad:
            return torch.zeros_like(x)
        (y,) = torch.autograd.grad(y.sum(), leaf, create_graph=True)
    return (y + x.exp() if n == 2 else y).detach()

# %% 07.nth_derivative wrong: 0.0 where nothing depends on x
expect("type", "the result is a Python number, it must be a tensor of shape", never=("wrong only where",))
edit("return torch.zeros_like(x)", "return 0.0")

# %% 07.nth_derivative wrong: the .grad of the pass before is added
expect(
    "known",
    "the derivatives add up, as in a `.grad` that is not cleared before the next pass",
    never=("must differentiate",),
)
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

# %% 07.nth_derivative wrong: zeros as long as the first dimension
expect("raises_for_some", "it must have (2, 3)", never=("the sum of the right one",))
edit("return torch.zeros_like(x)", "return torch.zeros(len(x))")

# %% 07.hessian_vector_product right: by grad outputs
def fresh(x):
    return x.detach().clone().requires_grad_(True)


def hessian_vector_product(f, x, v):
    leaf = fresh(x)
    gradient = torch.autograd.grad(f(leaf), leaf, create_graph=True)[0]
    assert gradient.requires_grad
    return torch.autograd.grad(gradient, leaf, grad_outputs=v)[0]

# %% 07.hessian_vector_product right: by dot
def fresh(x):
    return x.detach().clone().requires_grad_(True)


def hessian_vector_product(f, x, v):
    leaf = fresh(x)
    (gradient,) = torch.autograd.grad(f(leaf), leaf, create_graph=True)
    along = gradient.reshape(-1).dot(v.reshape(-1))
    print(along)
    along.backward()
    product = leaf.grad
    leaf.grad = None
    return product

# %% 07.hessian_vector_product right: by functional
def hessian_vector_product(f, x, v):
    return torch.autograd.functional.hvp(f, x, v)[1]

# %% 07.hessian_vector_product right: by vhp
def hessian_vector_product(f, x, v):
    return torch.autograd.functional.vhp(f, x, v)[1]

# %% 07.hessian_vector_product right: by a step
def fresh(x):
    return x.detach().clone().requires_grad_(True)


def hessian_vector_product(f, x, v):
    def gradient(at):
        at = fresh(at)
        return torch.autograd.grad(f(at), at)[0]

    return (gradient(x + 1e-5 * v) - gradient(x - 1e-5 * v)) / 2e-5

# %% 07.hessian_vector_product right: along a line
def fresh(x):
    return x.detach().clone().requires_grad_(True)


def hessian_vector_product(f, x, v):
    """The gradient at x + t v, differentiated with respect to x once more through t."""
    leaf, t = fresh(x), torch.zeros((), dtype=x.dtype, requires_grad=True)
    (along,) = torch.autograd.grad(f(leaf + t * v), t, create_graph=True)
    return torch.autograd.grad(along, leaf)[0]

# %% 07.hessian_vector_product right: into one buffer
def fresh(x):
    return x.detach().clone().requires_grad_(True)


def hessian_vector_product(f, x, v):
    leaf = fresh(x)
    (g,) = torch.autograd.grad(f(leaf), leaf, create_graph=True)
    g.backward(v)
    return leaf.grad.clone()

# %% 07.hessian_vector_product right: double backward: gradient of the product g·v, 0 * leaf for functions without curvature
def hessian_vector_product(f, x, v):
    leaf = x.detach().clone().requires_grad_()
    g, = torch.autograd.grad(f(leaf), leaf, create_graph=True)
    g = g + 0 * leaf
    hv, = torch.autograd.grad((g * v).sum(), leaf)
    return hv

# %% 07.hessian_vector_product right: v as grad_outputs of the second pass, unused gradients as zeros
def hessian_vector_product(f, x, v):
    leaf = x.clone().detach().requires_grad_(True)
    g = torch.autograd.grad(f(leaf), [leaf], create_graph=True, materialize_grads=True)[0]
    if not g.requires_grad:
        return torch.zeros_like(x)
    return torch.autograd.grad(g, leaf, grad_outputs=v, materialize_grads=True)[0].detach()

# %% 07.hessian_vector_product right: derivative of the gradient along v: one number t, x + t v, double backward the other way round
def hessian_vector_product(f, x, v):
    leaf = x.detach().clone().requires_grad_()
    t = torch.zeros((), dtype=x.dtype, requires_grad=True)
    slope, = torch.autograd.grad(f(leaf + t * v), t, create_graph=True)
    result, = torch.autograd.grad(slope + 0 * leaf.sum(), leaf)
    return result

# %% 07.hessian_vector_product right: the flattened vectors and a dot product, backward into .grad
def hessian_vector_product(f, x, v):
    flat = x.detach().reshape(-1).clone().requires_grad_()
    g, = torch.autograd.grad(f(flat.reshape(x.shape)), flat, create_graph=True)
    ((g + 0 * flat) @ v.reshape(-1)).backward()
    return flat.grad.reshape(x.shape)

# %% 07.hessian_vector_product right: the gradient with respect to x of the slope of f(x + t v) in t at t = 0
def hessian_vector_product(f, x, v):
    leaf = x.detach().clone().requires_grad_()
    t = torch.zeros((), dtype=x.dtype, requires_grad=True)
    point = leaf + t * v
    slope, = torch.autograd.grad(f(point) + 0 * point.sum(), t, create_graph=True)
    return torch.autograd.grad(slope + 0 * leaf.sum(), leaf)[0]

# %% 07.hessian_vector_product right: looks first under no_grad
expect(never=("cannot register a hook",))
def hessian_vector_product(f, x, v):
    leaf = x.detach().clone().requires_grad_()
    with torch.no_grad():
        print(f(leaf))
    (g,) = torch.autograd.grad(f(leaf), leaf, create_graph=True)
    return torch.autograd.grad((g * v).sum(), leaf)[0]

# %% 07.hessian_vector_product right: looks in inference mode
expect(never=("cannot register a hook",))
def hessian_vector_product(f, x, v):
    leaf = x.detach().clone().requires_grad_()
    with torch.inference_mode():
        print(f(leaf))
    (g,) = torch.autograd.grad(f(leaf), leaf, create_graph=True)
    return torch.autograd.grad((g * v).sum(), leaf)[0]

# %% 07.hessian_vector_product right: view
expect(never=("cannot register a hook",))
def hessian_vector_product(f, x, v):
    leaf = x.detach().clone().requires_grad_()
    f(leaf.detach()); f(x)
    (g,) = torch.autograd.grad(f(leaf.view(leaf.shape)), leaf, create_graph=True)
    return torch.autograd.grad((g * v).sum(), leaf)[0].detach()

# %% 07.hessian_vector_product right: many calls
expect(never=("cannot register a hook",))
def hessian_vector_product(f, x, v):
    leaf = x.detach().clone().requires_grad_()
    for _ in range(50):
        f(leaf)
    (g,) = torch.autograd.grad(f(leaf), leaf, create_graph=True)
    return torch.autograd.grad(g, leaf, v)[0]

# %% 07.hessian_vector_product right: float32 and a print
expect(never=("cannot register a hook",))
def hessian_vector_product(f, x, v):
    print(f(x), f(x.float()), f(x.detach().requires_grad_()))
    leaf = x.detach().clone().requires_grad_()
    (g,) = torch.autograd.grad(f(leaf), leaf, create_graph=True)
    return torch.autograd.grad((g * v).sum(), leaf)[0]

# %% 07.hessian_vector_product right: gradients of f more than once
expect(never=("cannot register a hook",))
def hessian_vector_product(f, x, v):
    leaf = x.detach().clone().requires_grad_()
    f(leaf).backward()
    leaf.grad = None
    (g,) = torch.autograd.grad(f(leaf * 1), leaf, create_graph=True)
    (g * v).sum().backward()
    return leaf.grad

# %% 07.hessian_vector_product right: dot of a batch
expect(never=("cannot register a hook",))
def hessian_vector_product(f, x, v):
    leaf = x.detach().clone().requires_grad_()
    with torch.set_grad_enabled(False):
        f(leaf)
    with torch.enable_grad():
        g = torch.autograd.grad(f(leaf), leaf, create_graph=True)[0]
    return torch.autograd.grad(g, [leaf], grad_outputs=[v])[0]

# %% 07.hessian_vector_product right: decides by the value
expect(never=("cannot register a hook",))
@torch.no_grad()
def hessian_vector_product(f, x, v):
    leaf = x.detach().clone().requires_grad_()
    if f(leaf) == f(leaf):
        with torch.enable_grad():
            (g,) = torch.autograd.grad(f(leaf), leaf, create_graph=True)
            return torch.autograd.grad((g * v).sum(), leaf)[0]

# %% 07.hessian_vector_product wrong: the gradient is multiplied by v, the second derivative is missing: g * v
expect("known", "this is the gradient times v, entry by entry: nothing was differentiated a second time")
edit("return torch.autograd.grad(g, leaf, v)[0]", "return (g * v).detach()", of="many calls")

# %% 07.hessian_vector_product wrong: multiplies by v only at the end: the sums of the Hessian's rows times v entry by entry
expect("known", "the sums of the Hessian's rows are multiplied by v: multiply by v before you add up")
edit("\n    return torch.autograd.grad(g, leaf, v)[0]",
     "\n    g = g + 0 * leaf\n    return torch.autograd.grad(g.sum(), leaf)[0] * v", of="many calls")

# %% 07.hessian_vector_product wrong: the Hessian's rows are computed one after another: a backward pass for each entry
expect("hessian_formed", "for x with 40 entries there are 41 backward passes through f: enough to compute all")
edit("return torch.autograd.grad((g * v).sum(), leaf)[0]",
     "flat = (g + 0 * leaf).reshape(-1)\n"
     "    rows = [torch.autograd.grad(flat[i], leaf, retain_graph=True)[0] for i in range(flat.numel())]\n"
     "    return torch.stack([(row * v).sum() for row in rows]).reshape(x.shape)", of="float32 and")

# %% 07.hessian_vector_product wrong: the mean of g * v is differentiated instead of the sum
expect("known", "the product: it is also divided by the number of entries of `x`")
edit("\n    return torch.autograd.grad((g * v).sum(",
     "\n    g = g + 0 * leaf\n    return torch.autograd.grad((g * v).mean(", of="looks first")

# %% 07.hessian_vector_product wrong: the first gradient is still in .grad, so the result is the gradient plus the product
expect("known", "the gradient is added, as in a `.grad` that the first pass has left")
edit("f(leaf).backward()\n    leaf.grad = None\n    (g,) = torch.autograd.grad(f(leaf * 1), leaf, create_graph=True)",
     "f(leaf).backward(create_graph=True)\n    g = leaf.grad + 0 * leaf", of="gradients")

# %% 07.hessian_vector_product wrong: the quadratic form v H v is returned, one number
expect("known", "this is v times the Hessian times v: multiply by v from one side only")
edit("return hv", "return (hv * v).sum()", of="double backward")

# %% 07.hessian_vector_product wrong: v is normalized to length 1 first: the length of v is lost
expect("known", "this is the Hessian times v divided by its length")
edit("\n    return torch.autograd.grad((g * v",
     "\n    g = g + 0 * leaf\n    return torch.autograd.grad((g * (v / v.norm())", of="looks first")

# %% 07.hessian_vector_product wrong: makes the caller's own x require grad, and leaves it so
expect("leaves_a_trace", "x requires grad after the call, but the caller's tensor must not change: use a copy of")
def hessian_vector_product(f, x, v):
    x.requires_grad_(True)
    g, = torch.autograd.grad(f(x), x, create_graph=True)
    g = g + 0 * x
    return torch.autograd.grad((g * v).sum(), x)[0]

# %% 07.hessian_vector_product wrong: the gradient is detached before the second pass, so the result is always 0
expect("known", "the result is 0: is the gradient cut off, by `detach` or because `create_graph` is")
edit("g = g + 0 * leaf", "g = g.detach() + 0 * leaf", of="double backward")

# %% 07.hessian_vector_product wrong: the squared gradient is used: the derivative of (g * g · v) has a factor 2 g too much
expect("known", "v is also multiplied by twice the gradient, as if the gradient's square were")
edit("\n    return torch.autograd.grad((g", "\n    g = g + 0 * leaf\n    return torch.autograd.grad((g *g",
     of="looks first")

# %% 07.hessian_vector_product wrong: the gradient is taken at x + v instead of x
expect("known", "this is the product with the Hessian at x + v, not at x")
edit("leaf = x.detach().clone().requires_grad_()", "leaf = (x + v).detach().clone().requires_grad_()",
     of="double backward")

# %% 07.hessian_vector_product wrong: v is multiplied in place by the gradient (v.mul_), so v is changed
expect("argument_changed", "the argument v is changed by the call: work on a copy of it")
edit("\n    return", "\n    v.mul_(gradient.detach())\n    return")

# %% 07.hessian_vector_product wrong: a difference of two gradients with step 0.1: a numerical product, not exact
expect("known", "this is a difference of gradients, at x + 0.1 * v and at x: take the derivative of the")
edit("return (gradient(x + 1e-5 * v) - gradient(x - 1e-5 * v)) / 2e-5",
     "return (gradient(x + 0.1 * v) - gradient(x)) / 0.1", of="by a step")

# %% 07.hessian_vector_product wrong: directional
expect("wrong_shape", "the result has shape (), it must have (2,)")
def fresh(x):
    return x.detach().clone().requires_grad_(True)


def first_and_second(f, x, v):
    """The gradient, and the Hessian times v."""
    x = fresh(x)
    (g,) = torch.autograd.grad(f(x), x, create_graph=True)
    return g.detach(), torch.autograd.grad((g * v).sum(), x)[0]


def hessian_vector_product(f, x, v):
    return (first_and_second(f, x, v)[0] * v).sum()

# %% 07.hessian_vector_product wrong: squared length
expect("wrong_value", "the result")
def fresh(x):
    return x.detach().clone().requires_grad_(True)


def hessian_vector_product(f, x, v):
    x = fresh(x)
    (g,) = torch.autograd.grad(f(x), x, create_graph=True)
    return torch.autograd.grad((g * g).sum(), x)[0]

# %% 07.hessian_vector_product wrong: create_graph forgotten
expect("raised", "line 3, `g =", "without `create_graph=True`", never=("nothing was recorded between the leaf and it",))
def hessian_vector_product(f, x, v):
    leaf = x.detach().clone().requires_grad_()
    g = torch.autograd.grad(f(leaf), leaf)[0]
    return torch.autograd.grad((g * v).sum(), leaf)[0]

# %% 07.hessian_vector_product wrong: gradient through .grad, beside a function that creates graphs
expect("raised", "uses a `.grad`, which has a history only after", never=("does not depend",))
edit("\n    (gradient,) = torch.autograd.grad(f(leaf), leaf, create_graph=True", "\n    f(leaf).backward(",
     "(product,) = torch.autograd.grad((gradient * v).sum(), leaf)",
     "return torch.autograd.grad((leaf.grad * v).sum(), leaf)",
     "\n    return product", "[0]")

# %% 07.hessian_vector_product wrong: gradient through .grad
expect("raised", "uses a `.grad`, which has a history only after",
       never=("nothing was recorded between the leaf and it", "without `create_graph=True`"))
def hessian_vector_product(f, x, v):
    leaf = x.detach().clone().requires_grad_()
    f(leaf).backward()
    return torch.autograd.grad((leaf.grad * v).sum(), leaf)[0]

# %% 07.hessian_vector_product wrong: detached gradient
expect("raised", "line 3", "cuts the history off: `detach`",
       never=("nothing was recorded between the leaf and it", "without `create_graph=True`"))
def hessian_vector_product(f, x, v):
    leaf = x.detach().clone().requires_grad_()
    g = torch.autograd.grad(f(leaf), leaf, create_graph=True)[0].detach()
    return torch.autograd.grad((g * v).sum(), leaf)[0]

# %% 07.hessian_vector_product wrong: leaf never requires grad
expect("raised", "nor does `leaf`: line 2, `leaf = x.detach().clone()`, uses no tensor that requires grad",
       "`x` was given without it",
       never=("nothing was recorded between the leaf and it", "without `create_graph=True`"))
def hessian_vector_product(f, x, v):
    leaf = x.detach().clone()
    g = torch.autograd.grad(f(leaf), leaf, create_graph=True)[0]
    return torch.autograd.grad((g * v).sum(), leaf)[0]

# %% 07.hessian_vector_product wrong: a Python number for a single number
expect("type", "the numbers are right, but the result is a Python number, it must be a tensor of shape ()")
edit("return product", "return product if x.dim() else product.item()")

# %% 07.hessian_vector_product wrong: needs a vector
expect("raises_for_some", "and 1 more; the rest work", never=("other input", "pass  it returns"))
edit("return torch.autograd.grad(g, leaf, v)[0]", "return torch.autograd.grad(torch.dot(g, v), leaf)[0]",
     of="many calls")

# %% 07.newton_step right: of a flat leaf
def fresh(x):
    return x.detach().clone().requires_grad_(True)


def newton_step(f, x):
    flat = fresh(x.reshape(-1))
    (gradient,) = torch.autograd.grad(f(flat.reshape(x.shape)), flat, create_graph=True)
    hessian = torch.stack([torch.autograd.grad(entry, flat, retain_graph=True)[0] for entry in gradient])
    assert hessian.shape == (x.numel(), x.numel())
    return (flat - torch.linalg.solve(hessian, gradient)).reshape(x.shape)

# %% 07.newton_step right: by functional hessian
def fresh(x):
    return x.detach().clone().requires_grad_(True)


def newton_step(f, x):
    n = x.numel()
    hessian = torch.autograd.functional.hessian(f, x).reshape(n, n)
    leaf = fresh(x)
    f(leaf).backward()
    step = torch.linalg.solve(hessian, leaf.grad.reshape(n, 1))
    return x - step.view_as(x)

# %% 07.newton_step right: by numpy
import numpy as np


def fresh(x):
    return x.detach().clone().requires_grad_(True)


def newton_step(f, x):
    leaf = fresh(x)
    (gradient,) = torch.autograd.grad(f(leaf), leaf, create_graph=True)
    rows = []
    for picks in torch.eye(x.numel(), dtype=x.dtype):
        (row,) = torch.autograd.grad(gradient, leaf, grad_outputs=picks.reshape(x.shape), retain_graph=True)
        rows.append(row.numpy().ravel())
    step = np.linalg.solve(np.array(rows), gradient.detach().numpy().ravel())
    print(rows)
    return torch.tensor(x.numpy() - step.reshape(x.shape))

# %% 07.newton_step right: columns
def fresh(x):
    return x.detach().clone().requires_grad_(True)


def newton_step(f, x):
    leaf = fresh(x)
    gradient = torch.autograd.grad(f(leaf), leaf, create_graph=True)[0].reshape(-1)
    hessian = torch.zeros(len(gradient), len(gradient), dtype=x.dtype)
    for i in range(len(gradient)):
        hessian[:, i] = torch.autograd.grad(gradient[i], leaf, retain_graph=True)[0].reshape(-1)
    with torch.no_grad():
        leaf -= torch.linalg.solve(hessian, gradient).reshape(x.shape)
    return leaf

# %% 07.newton_step right: by the inverse
def newton_step(f, x):
    n = x.numel()
    h = torch.autograd.functional.hessian(f, x).reshape(n, n)
    g = torch.autograd.functional.jacobian(f, x).reshape(n)
    return x - (torch.linalg.inv(h) @ g).reshape(x.shape)

# %% 07.newton_step right: products for columns
RIGHT: list[tuple[str, object]] = []


def right(exercise):
    return lambda answer: RIGHT.append((exercise, answer)) or answer


def fresh(x):
    return x.detach().clone().requires_grad_(True)


def columns(f, x):
    leaf = fresh(x)
    gradient = torch.autograd.grad(f(leaf), leaf, create_graph=True)[0].reshape(-1)
    hessian = torch.zeros(len(gradient), len(gradient), dtype=x.dtype)
    for i in range(len(gradient)):
        hessian[:, i] = torch.autograd.grad(gradient[i], leaf, retain_graph=True)[0].reshape(-1)
    with torch.no_grad():
        leaf -= torch.linalg.solve(hessian, gradient).reshape(x.shape)
    return leaf


def newton_step(f, x):
    flat = x.reshape(-1)
    columns = [
        torch.autograd.functional.hvp(lambda at: f(at.reshape(x.shape)), flat, unit)[1]
        for unit in torch.eye(len(flat), dtype=x.dtype)
    ]
    leaf = fresh(flat)
    (g,) = torch.autograd.grad(f(leaf.reshape(x.shape)), leaf)
    return torch.sub(flat, torch.linalg.solve(torch.stack(columns).T, g)).reshape(x.shape)

# %% 07.newton_step right: flat leaf, the Hessian row by row, solve
def newton_step(f, x):
    flat = x.detach().clone().reshape(-1).requires_grad_()
    g, = torch.autograd.grad(f(flat.reshape(x.shape)), flat, create_graph=True)
    H = torch.stack([torch.autograd.grad(e + 0 * flat.sum(), flat, retain_graph=True)[0] for e in g])
    return (flat - torch.linalg.solve(H, g)).detach().reshape(x.shape)

# %% 07.newton_step right: leaf of x's own shape, rows flattened into a matrix that is filled; the inverse
def newton_step(f, x):
    leaf = x.detach().clone().requires_grad_()
    g, = torch.autograd.grad(f(leaf), leaf, create_graph=True)
    g = g + 0 * leaf
    n = x.numel()
    H = torch.zeros(n, n, dtype=x.dtype)
    for i in range(n):
        row, = torch.autograd.grad(g.flatten()[i], leaf, retain_graph=True)
        H[i] = row.flatten()
    step = torch.linalg.inv(H) @ g.detach().flatten()
    return x - step.view(x.shape)

# %% 07.newton_step right: Hessian times unit vectors, column by column, solved with a column matrix
def newton_step(f, x):
    n = x.numel()
    leaf = x.detach().clone().requires_grad_()
    g, = torch.autograd.grad(f(leaf), leaf, create_graph=True)
    columns = []
    for e in torch.eye(n, dtype=x.dtype):
        c, = torch.autograd.grad(g + 0 * leaf, leaf, grad_outputs=e.reshape(x.shape), retain_graph=True)
        columns.append(c.reshape(n))
    H = torch.stack(columns, dim=1)
    d = torch.linalg.solve(H, -g.detach().reshape(n, 1))
    return x.detach() + d.reshape(x.shape)

# %% 07.newton_step right: functional.hessian, reshaped to n times n
def newton_step(f, x):
    n = x.numel()
    point = x.detach().clone()
    H = torch.autograd.functional.hessian(f, point).reshape(n, n)
    g = torch.autograd.functional.jacobian(f, point).reshape(n)
    return point - torch.linalg.solve(H, g).reshape(x.shape)

# %% 07.newton_step right: works with a flat leaf, takes the Hessian as columns H e_i, and multiplies by its inverse
def newton_step(f, x):
    flat = x.detach().clone().reshape(-1).requires_grad_()
    g, = torch.autograd.grad(f(flat.reshape(x.shape)), flat, create_graph=True)
    g = g + 0 * flat
    columns = [torch.autograd.grad(g, flat, grad_outputs=e, retain_graph=True)[0]
               for e in torch.eye(flat.numel(), dtype=x.dtype)]
    H = torch.stack(columns, dim=1)
    return (flat - torch.inverse(H) @ g).detach().reshape(x.shape)

# %% 07.newton_step wrong: plus instead of minus: the step goes away from the bottom
expect("known", "the point: the step is added, not subtracted")
edit("- torch", "+ torch", of="flat leaf")

# %% 07.newton_step wrong: only the step H⁻¹ g is returned, not the point x - H⁻¹ g
expect("known", "this is the step alone: the result must be the point that it leads to from x")
edit("return (flat - torch.linalg.solve(H, g)", "return torch.linalg.solve(H, g", of="flat leaf")

# %% 07.newton_step wrong: retain_graph is missing: the second row of the Hessian meets a freed graph
expect("raises_for_some", "`H = torch.stack([torch.autograd.grad(e + 0 * flat.sum(), flat)[0] for e in g])`")
edit("flat, retain_graph=True", "flat", of="flat leaf")

# %% 07.newton_step wrong: the result is left flat: it does not have the shape of x
expect("known", "the point is right, but the result is a vector: it must have the shape of x")
edit(").reshape(x.shape)", ")", of="flat leaf")

# %% 07.newton_step wrong: H g instead of H⁻¹ g
expect("known", "the gradient is multiplied by the Hessian: solve Hessian times step = gradient")
edit("- torch.linalg.solve(H, g)", "- H @ g", of="flat leaf")

# %% 07.newton_step wrong: only the diagonal of the Hessian is used: g / diagonal
expect("known", "only the diagonal of the Hessian is used, but the rest counts too")
edit("- torch.linalg.solve(H, g", "- g / torch.diag(H", of="flat leaf")

# %% 07.newton_step wrong: the row sums of the Hessian (gradient of g.sum()) instead of the Hessian
expect("known", "the gradient is divided by the sums of the Hessian's rows: use all entries")
def newton_step(f, x):
    leaf = x.detach().clone().requires_grad_()
    g, = torch.autograd.grad(f(leaf), leaf, create_graph=True)
    h, = torch.autograd.grad((g + 0 * leaf).sum(), leaf)
    return (leaf - g / h).detach()

# %% 07.newton_step wrong: a step of gradient descent, the Hessian is not used
expect("known", "the Hessian is not used, as if it were the identity")
def newton_step(f, x):
    leaf = x.detach().clone().requires_grad_()
    g, = torch.autograd.grad(f(leaf), leaf)
    return (leaf - g).detach()

# %% 07.newton_step wrong: the point is moved twice: two Newton steps instead of one
expect("known", "this is the point after 2 steps, but one step is asked for")
def newton_step(f, x):
    point = x.detach().clone()
    for _ in range(2):
        flat = point.detach().clone().reshape(-1).requires_grad_()
        g, = torch.autograd.grad(f(flat.reshape(x.shape)), flat, create_graph=True)
        H = torch.stack([torch.autograd.grad(e + 0 * flat.sum(), flat, retain_graph=True)[0] for e in g])
        point = (flat - torch.linalg.solve(H, g)).detach().reshape(x.shape)
    return point

# %% 07.newton_step wrong: x is changed in place (x -= step)
expect("argument_changed", "the argument x is changed by the call: work on a copy of it")
edit("return (flat - torch.linalg.solve(H, g)).detach().reshape(x.shape)",
     "x -= torch.linalg.solve(H, g).detach().reshape(x.shape)\n    return x", of="flat leaf")

# %% 07.newton_step wrong: the Hessian's rows pile up in .grad, because it is not cleared between the rows
expect("known", "each row also holds the rows before it, as in a `.grad` that is not cleared")
edit("H = torch.stack([torch.autograd.grad(e + 0 * flat.sum(), flat, retain_graph=True)[0] for e in g])",
     "rows = []\n    for e in g:\n        (e + 0 * flat.sum()).backward(retain_graph=True)\n"
     "        rows.append(flat.grad.clone())",
     "H, g", "torch.stack(rows), g", of="flat leaf")

# %% 07.newton_step wrong: the outer product of the gradient with itself (plus the identity) stands in for the Hessian
expect("known", "products of the gradient's entries stand for the Hessian")
edit("H = torch.stack(columns, dim=1)", "H = torch.outer(g, g) + torch.eye(len(g), dtype=g.dtype)", of="works with")

# %% 07.newton_step wrong: the step is damped: half of the step
expect("known", "the step: it is half of what it must be")
edit("- torch", "- 0.5 * torch", of="flat leaf")

# %% 07.newton_step wrong: solved for x
expect("wrong_value", "the result")
def hessian_of(f, x):
    n = x.numel()
    return torch.autograd.functional.hessian(f, x).reshape(n, n)


def newton_step(f, x):
    return x - torch.linalg.solve(hessian_of(f, x), x.reshape(-1)).reshape(x.shape)

# %% 07.newton_step wrong: create_graph missing in a comprehension
expect("raised", "line 3", "without `create_graph=True`", never=("nothing was recorded between the leaf and it",))
def newton_step(f, x):
    leaf = x.detach().clone().requires_grad_()
    (gradient,) = torch.autograd.grad(f(leaf), leaf)
    gradient = gradient.reshape(-1)
    rows = [torch.autograd.grad(entry, leaf, retain_graph=True)[0].reshape(-1) for entry in gradient]
    step = torch.linalg.solve(torch.stack(rows), gradient.detach())
    return x - step.reshape(x.shape)

# %% 07.newton_step wrong: prints
expect("no_result", "it prints something, but it returns None", never=("`.grad`", "backward()", "list.sort()"))
def newton_step(f, x):
    print(x)

# %% 07.newton_step wrong: a vector for a single number
expect("wrong_shape", "has shape (1,), it must have ()")
def newton_step(f, x):
    shape = x.shape if len(x.shape) else (1,)
    leaf = x.detach().clone().requires_grad_()
    flat = torch.autograd.grad(f(leaf), leaf, create_graph=True)[0].flatten()
    rows = [torch.autograd.grad(each, leaf, retain_graph=True)[0].flatten() for each in flat]
    return (x.flatten() - torch.linalg.solve(torch.stack(rows), flat.detach())).reshape(shape)

# %% 07.newton_step wrong: repeats the step ten times to get to the bottom, instead of one step
expect("known", "this is the point after many steps, but one step is asked for")
def newton_step(f, x):
    pos = x.detach().clone()
    for _ in range(10):      # Newton converges fast
        y = pos.clone().requires_grad_(True)
        g = torch.autograd.grad(f(y), y, create_graph=True)[0].reshape(-1)
        H = torch.stack([torch.autograd.grad(g[i], y, retain_graph=True)[0].reshape(-1)
                         for i in range(g.shape[0])])
        pos = pos - torch.linalg.solve(H, g.detach()).reshape(x.shape)
    return pos

# %% 07.gradient_penalty right: penalty by backward
def fresh(x):
    return x.detach().clone().requires_grad_(True)


def gradient_penalty(f, x, w):
    x, w = fresh(x), fresh(w)
    out = f(x, w)
    (slopes,) = torch.autograd.grad(out, x, grad_outputs=torch.ones_like(out), create_graph=True)
    penalty = slopes.pow(2).sum(dim=1).mean()
    penalty.backward()
    return penalty.item(), w.grad

# %% 07.gradient_penalty right: by norm
def fresh(x):
    return x.detach().clone().requires_grad_(True)


def gradient_penalty(f, x, w):
    x, w = fresh(x), fresh(w)
    slopes = torch.autograd.grad(f(x, w).sum(), x, create_graph=True)[0]
    penalty = (slopes * slopes).sum() / len(x)
    assert penalty.requires_grad
    print(penalty)
    return [penalty, torch.autograd.grad(penalty, w)[0]]

# %% 07.gradient_penalty right: row by row
def fresh(x):
    return x.detach().clone().requires_grad_(True)


def gradient_penalty(f, x, w):
    w = fresh(w)
    total = 0
    for i in range(len(x)):
        row = fresh(x[i : i + 1])
        (slope,) = torch.autograd.grad(f(row, w).sum(), row, create_graph=True)
        total = total + (slope**2).sum()
    total = total / len(x)
    return total.detach(), torch.autograd.grad(total, w)[0]

# %% 07.gradient_penalty right: entry by entry
def fresh(x):
    return x.detach().clone().requires_grad_(True)


def gradient_penalty(f, x, w):
    x, w = fresh(x), fresh(w)
    slopes = [torch.autograd.grad(each, x, create_graph=True)[0] for each in f(x, w)]
    penalty = sum(slope.pow(2).sum() for slope in slopes) / len(slopes)
    return penalty, *torch.autograd.grad(penalty, w)

# %% 07.gradient_penalty right: as a float
def gradient_penalty(f, x, w):
    pair = [each.detach().clone().requires_grad_() for each in (x, w)]
    torch.mean(f(*pair)).backward(create_graph=True)
    slopes = pair[0].grad * len(x)
    pair[1].grad = None
    penalty = torch.einsum("ij,ij->", slopes, slopes) / len(x)
    penalty.backward()
    return float(penalty), pair[1].grad

# %% 07.gradient_penalty right: by product
def fresh(x):
    return x.detach().clone().requires_grad_(True)


def gradient_penalty(f, x, w):
    """The gradient of the penalty from a vector product: 2/n times slopes against their own derivative."""
    x, w = fresh(x), fresh(w)
    (slopes,) = torch.autograd.grad(f(x, w).sum(), x, create_graph=True)
    n = x.shape[0]
    (gradient,) = torch.autograd.grad(slopes, w, grad_outputs=2 * slopes.detach() / n)
    return (slopes.detach() ** 2).sum() / n, gradient

# %% 07.gradient_penalty right: gradient of the sum with create_graph, squared, summed over columns, mean over rows
def gradient_penalty(f, x, w):
    xs = x.detach().clone().requires_grad_()
    ws = w.detach().clone().requires_grad_()
    slopes, = torch.autograd.grad(f(xs, ws).sum(), xs, create_graph=True)
    penalty = slopes.pow(2).sum(dim=1).mean() + 0 * ws.sum()
    gradient, = torch.autograd.grad(penalty, ws)
    return penalty.detach(), gradient

# %% 07.gradient_penalty right: each row on its own in a loop, a plain float for the penalty
def gradient_penalty(f, x, w):
    ws = w.detach().clone().requires_grad_()
    total = 0 * ws.sum()
    for i in range(len(x)):
        row = x[i:i + 1].detach().clone().requires_grad_()
        slope, = torch.autograd.grad(f(row, ws)[0], row, create_graph=True)
        total = total + (slope * slope).sum()
    total = total / len(x)
    total.backward()
    return [total.item(), ws.grad]

# %% 07.gradient_penalty right: grad_outputs of ones, squared norm divided by the number of rows, backward with inputs
def gradient_penalty(f, x, w):
    xs, ws = x.clone().requires_grad_(), w.clone().requires_grad_()
    y = f(xs, ws)
    slopes = torch.autograd.grad(outputs=y, inputs=xs, grad_outputs=torch.ones_like(y), create_graph=True)[0]
    penalty = torch.einsum("ij,ij->", slopes, slopes) / x.shape[0]
    penalty = penalty + (ws * 0).sum()
    penalty.backward(inputs=[ws])
    return penalty, ws.grad

# %% 07.gradient_penalty right: the slopes of all rows from functional.jacobian, with a graph
def gradient_penalty(f, x, w):
    ws = w.detach().clone().requires_grad_()
    J = torch.autograd.functional.jacobian(lambda p: f(p, ws), x.detach().clone(), create_graph=True)
    n = x.shape[0]
    own = torch.stack([J[i, i] for i in range(n)])
    penalty = torch.square(own).sum(-1).mean() + 0 * ws.sum()
    return penalty.detach(), torch.autograd.grad(penalty, ws)[0]

# %% 07.gradient_penalty right: one row after the other: calls the model for each example as a matrix with one row, and adds up value and gradient
def gradient_penalty(f, x, w):
    W = w.detach().clone().requires_grad_()
    penalty, slope = 0.0, torch.zeros_like(w)
    for i in range(x.shape[0]):
        row = x[i:i + 1].detach().clone().requires_grad_()
        out = f(row, W).sum() + 0 * row.sum()
        s, = torch.autograd.grad(out, row, create_graph=True)
        part = s.pow(2).sum() / x.shape[0] + 0 * W.sum()
        penalty += part.item()
        slope = slope + torch.autograd.grad(part, W)[0]
    return [penalty, slope]

# %% 07.gradient_penalty wrong: takes the mean over all entries of the slopes, not the sum over the columns and the mean over the rows
expect("known", "the mean is taken over all entries of the slopes: add up the squares in each row first")
edit("penalty = (slopes**2).sum(1).mean()", "penalty = (slopes**2).mean() + 0 * weights.sum()")

# %% 07.gradient_penalty wrong: the sum over the rows, not the mean: one over n is missing
expect("known", "the penalty: this is the sum, but it must be the mean")
edit("penalty = (slopes**2).sum(1).mean()", "penalty = (slopes**2).sum() + 0 * weights.sum()")

# %% 07.gradient_penalty wrong: differentiates the mean of the outputs instead of their sum, so all slopes are too small by the factor n
expect("known", "the slopes are those of the mean of all results: use each row's own result")
edit(".sum(),", ".mean() + 0 * xs.sum(),", of="gradient")

# %% 07.gradient_penalty wrong: the length of the slopes, not the squared length
expect("known", "the lengths of the slopes are used, but the penalty has their squares")
edit("penalty = (slopes**2).sum(1).mean()", "penalty = (slopes**2).sum(1).sqrt().mean() + 0 * weights.sum()")

# %% 07.gradient_penalty wrong: the slopes with respect to w are penalized, not those with respect to x
expect("known", "the slopes with respect to w are penalised: use those with respect to x")
def gradient_penalty(f, x, w):
    ws = w.detach().clone().requires_grad_()
    slopes, = torch.autograd.grad(f(x, ws).sum(), ws, create_graph=True)
    penalty = (slopes ** 2).sum() / len(x) + 0 * ws.sum()
    return penalty.detach(), torch.autograd.grad(penalty, ws)[0]

# %% 07.gradient_penalty wrong: the gradient of the model f with respect to w is returned, not that of the penalty
expect("known", "the second result is the gradient of f, not that of the penalty")
edit("(slopes,) = torch.autograd.grad(f(examples, weights).sum()",
     "y = f(examples, weights).sum() + 0 * weights.sum()\n    slopes, = torch.autograd.grad(y",
     "\n    (gradient,) = torch.autograd.grad(penalty, weights)\n    return penalty.detach(), gradient",
     "\n    return penalty.detach(), torch.autograd.grad(y, weights)[0]")

# %% 07.gradient_penalty wrong: the slopes are squared after they have been summed over the columns: cross terms are added
expect("known", "the slopes are added up before they are squared")
edit("penalty = (slopes**2).sum(1).mean()", "penalty = (slopes.sum(1) ** 2).mean() + 0 * weights.sum()")

# %% 07.gradient_penalty wrong: the first backward has already put the gradient of f into W.grad, and the gradient of the penalty is added to it
expect("known", "the gradient of f is added to that of the penalty, as in a `.grad` that the first pass")
def gradient_penalty(f, x, w):
    X = x.detach().clone().requires_grad_()
    W = w.detach().clone().requires_grad_()
    (f(X, W).sum() + 0 * X.sum()).backward(create_graph=True)
    P = (X.grad ** 2).sum(dim=1).mean() + 0 * W.sum()
    P.backward()
    return P.detach(), W.grad.detach()

# %% 07.gradient_penalty wrong: the pair is in the wrong order: the gradient first
expect("known", "the two results are swapped: the penalty comes first")
edit("(gradient,) = torch.autograd.grad(penalty, weights)", "return torch.autograd.grad(penalty, weights)",
     "\n    return penalty.detach(), gradient", "[0], penalty.detach()")

# %% 07.gradient_penalty wrong: the WGAN penalty (length minus 1) squared instead of the squared length
expect("known", "this pulls the lengths to 1, but the penalty is the mean of their squares")
edit("(slopes**2).sum(1).mean()", "((slopes.norm(dim=1) - 1) ** 2).mean() + 0 * weights.sum()")

# %% 07.gradient_penalty wrong: averages the slopes over the rows first and squares afterwards
expect("known", "the slopes are averaged over the rows before they are squared")
edit("penalty = (slopes**2).sum(1).mean()", "penalty = (slopes.mean(dim=0) ** 2).sum() + 0 * weights.sum()")

# %% 07.gradient_penalty wrong: the penalty is a vector with one number for each row, the mean is forgotten (the gradient is right)
expect("wrong_shape", "result[0] has shape")
edit("1).mean()\n    (gradient,) = torch.autograd.grad(penalty, weights)", "1)",
     ", gradient", ", torch.autograd.grad(penalty.mean() + 0 * weights.sum(), weights)[0]")

# %% 07.gradient_penalty wrong: the penalty sums over the first column only (index 0): works if x has one column
expect("known", "the sum of squares in each row: only the first entry along the axis is taken")
edit("penalty = (slopes**2).sum(1).mean()", "penalty = (slopes[:, 0] ** 2).mean() + 0 * weights.sum()")

# %% 07.gradient_penalty wrong: the mean is divided by the number of columns: x.shape[1] instead of x.shape[0]
expect("known", "the sum of squares in each row: the sum goes along another axis")
edit("penalty = (slopes**2).sum(1).mean()", "penalty = (slopes**2).sum() / x.shape[1] + 0 * weights.sum()")

# %% 07.gradient_penalty wrong: the gradient of the square root of the penalty is returned with the penalty
expect("known", "the second result is the gradient of the penalty's root")
edit("penalty,", "penalty.sqrt(),", of="the slopes")

# %% 07.gradient_penalty wrong: the factor one half stands before the penalty
expect("known", "the penalty: it is half of what it must be")
edit("penalty = (slopes**2).sum(1).mean()", "penalty = 0.5 * (slopes ** 2).sum(1).mean() + 0 * weights.sum()")

# %% 07.gradient_penalty wrong: The slopes are collected as numbers with .tolist() in a new tensor that requires grad
expect("known", "the second result is all zeros, as if the penalty did not depend on w")
edit("ws)[", "w)[", of="each row")

# %% 07.gradient_penalty wrong: in the callers w
expect("leaves_a_trace", "w has a `.grad` after the call")
edit("x, w = fresh(x), fresh(w)\n    out = f(x, w)", "x = fresh(x)\n    w.requires_grad_()",
     "out, x, grad_outputs=torch.ones_like(out)", "f(x, w).sum(), x", of="penalty by")

# %% 07.gradient_penalty wrong: whole norm
expect("some_values", "the result is wrong")
def fresh(x):
    return x.detach().clone().requires_grad_(True)


def penalty_of(f, x, w, combine):
    w = fresh(w)
    slopes = torch.autograd.functional.jacobian(lambda at: f(at, w).sum(), x, create_graph=True)
    penalty = combine(slopes)
    return penalty.detach(), torch.autograd.grad(penalty, w)[0]


def gradient_penalty(f, x, w):
    return penalty_of(f, x, w, lambda s: s.norm())

# %% 07.gradient_penalty wrong: mean shown sum differentiated
expect("wrong_value", "result[1] is")
def fresh(x):
    return x.detach().clone().requires_grad_(True)


def penalty_of(f, x, w, combine):
    w = fresh(w)
    slopes = torch.autograd.functional.jacobian(lambda at: f(at, w).sum(), x, create_graph=True)
    penalty = combine(slopes)
    return penalty.detach(), torch.autograd.grad(penalty, w)[0]


def gradient_penalty(f, x, w):
    penalty, gradient = penalty_of(f, x, w, lambda s: (s**2).sum())
    return penalty / len(x), gradient

# %% 07.gradient_penalty wrong: no create_graph
expect("raised", "nor does `slopes`: line 4", "without `create_graph=True`",
       never=("nothing was recorded between the leaf and it",))
def gradient_penalty(f, x, w):
    examples = x.detach().clone().requires_grad_()
    weights = w.detach().clone().requires_grad_()
    (slopes,) = torch.autograd.grad(f(examples, weights).sum(), examples)
    penalty = (slopes**2).sum(1).mean()
    (gradient,) = torch.autograd.grad(penalty, weights)
    return penalty.detach(), gradient

# %% 07.gradient_penalty wrong: create_graph=False
expect("raised", "nor does `slopes`: line 4", "without `create_graph=True`",
       never=("nothing was recorded between the leaf and it",))
edit("slopes, = torch.autograd.grad(f(xs, ws).sum(), xs, create_graph=True)",
     "slopes = torch.autograd.grad(\n        f(xs, ws).sum(),\n        xs,\n        create_graph=False,\n    )[0]",
     "penalty = slopes.pow(2).sum(dim=1).mean() + 0 * ws.sum()\n    gradient, = torch.autograd.grad(penalty, ws)",
     "penalty = (slopes**2).sum(1).mean()\n    penalty.backward()", of="gradient")

# %% 07.gradient_penalty wrong: the gradient first
expect("type", "result[1] is a Python number, it must be a tensor of shape", never=("the result[",))
def gradient_penalty(f, x, w):
    at, leaf = x.detach().clone().requires_grad_(), w.detach().clone().requires_grad_()
    (slopes,) = torch.autograd.grad(f(at, leaf).sum(), at, create_graph=True)
    penalty = slopes.square().sum(1).mean() / 2
    return [torch.autograd.grad(penalty, leaf)[0], penalty.item()]

# %% 07.gradient_penalty wrong: retain_graph for create_graph
expect("raised", "nor does `slopes`: line 4", "without `create_graph=True`",
       never=("although", "requires grad`", "given without"))
def gradient_penalty(f, x, w):
    x = x.detach().clone().requires_grad_()
    w = w.detach().clone().requires_grad_()
    (slopes,) = torch.autograd.grad(f(x, w).sum(), x, retain_graph=True)
    penalty = (slopes**2).sum() / len(x)
    (gradient,) = torch.autograd.grad(penalty, w)
    return penalty, gradient

# %% 07.gradient_penalty wrong: slopes of the mean of f: the factor 1/n is inside the square
expect("known", "it is divided once more by the number of rows")
def gradient_penalty(f, x, w):
    a = x.detach().clone().requires_grad_(True)
    b = w.detach().clone().requires_grad_(True)
    mean_f = f(a, b).mean()             # the 1/n of the formula
    s = torch.autograd.grad(mean_f, a, create_graph=True)[0]
    penalty = (s * s).sum()
    grad_w = torch.autograd.grad(penalty, b)[0]
    return penalty.detach(), grad_w
