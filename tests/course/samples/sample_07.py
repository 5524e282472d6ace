"""Answers to notebook 07 by people who saw the statements alone: right ones and wrong ones with what is wrong."""

ANSWERS = [
    (
        "07.nth_derivative",
        "right",
        "a loop of grad with create_graph, and an early exit when there is no history left",
        """
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
""",
    ),
    (
        "07.nth_derivative",
        "right",
        "recursion on the function: the derivative is a function again; 0 * x keeps it connected",
        """
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
""",
    ),
    (
        "07.nth_derivative",
        "right",
        "grad_outputs of ones, and 0 * leaf added at each order",
        """
def nth_derivative(f, x, n):
    leaf = torch.tensor(x.tolist(), dtype=x.dtype, requires_grad=True)
    y = f(leaf) + 0 * leaf
    k = 0
    while k < n:
        y = torch.autograd.grad(y, leaf, torch.ones_like(y), create_graph=True)[0] + 0 * leaf
        k += 1
    return y
""",
    ),
    (
        "07.nth_derivative",
        "right",
        "allow_unused only, zeros as soon as the history ends; backward into .grad with create_graph",
        """
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
""",
    ),
    (
        "07.nth_derivative",
        "wrong",
        "create_graph is missing: the second derivative has no graph to come from, and every order above 1 gives zeros",
        """
def nth_derivative(f, x, n):
    leaf = x.detach().clone().requires_grad_()
    y = f(leaf)
    for _ in range(n):
        if not y.requires_grad:
            return torch.zeros_like(x)
        y, = torch.autograd.grad(y.sum(), leaf, retain_graph=True, materialize_grads=True)
    return y.detach()
""",
    ),
    (
        "07.nth_derivative",
        "wrong",
        "one order too many: the loop runs n + 1 times",
        """
def nth_derivative(f, x, n):
    leaf = x.detach().clone().requires_grad_()
    y = f(leaf) + 0 * leaf
    for _ in range(n + 1):
        y = torch.autograd.grad(y.sum(), leaf, create_graph=True)[0] + 0 * leaf
    return y.detach()
""",
    ),
    (
        "07.nth_derivative",
        "wrong",
        "one order too few: the loop starts at 1 and stops before n",
        """
def nth_derivative(f, x, n):
    leaf = x.detach().clone().requires_grad_()
    y = f(leaf) + 0 * leaf
    for _ in range(1, n):
        y = torch.autograd.grad(y.sum(), leaf, create_graph=True)[0] + 0 * leaf
    return y.detach()
""",
    ),
    (
        "07.nth_derivative",
        "wrong",
        "a derivative that has no history any more is not handled: an error when it becomes 0 everywhere or f is constant",
        """
def nth_derivative(f, x, n):
    leaf = x.detach().clone().requires_grad_()
    y = f(leaf)
    for _ in range(n):
        y, = torch.autograd.grad(y.sum(), leaf, create_graph=True)
    return y.detach()
""",
    ),
    (
        "07.nth_derivative",
        "wrong",
        "order 0 is forgotten: the first derivative is always taken",
        """
def nth_derivative(f, x, n):
    leaf = x.detach().clone().requires_grad_()
    y = f(leaf) + 0 * leaf
    y = torch.autograd.grad(y.sum(), leaf, create_graph=True)[0] + 0 * leaf
    for _ in range(n - 1):
        y = torch.autograd.grad(y.sum(), leaf, create_graph=True)[0] + 0 * leaf
    return y.detach()
""",
    ),
    (
        "07.nth_derivative",
        "wrong",
        "it stops when all entries are 0: but f can be 0 at x and have derivatives that are not",
        """
def nth_derivative(f, x, n):
    leaf = x.detach().clone().requires_grad_()
    y = f(leaf) + 0 * leaf
    for _ in range(n):
        if (y == 0).all():
            return torch.zeros_like(x)
        y = torch.autograd.grad(y.sum(), leaf, create_graph=True)[0] + 0 * leaf
    return y.detach()
""",
    ),
    (
        "07.nth_derivative",
        "wrong",
        "the mean is differentiated instead of the sum: a factor 1/n in each order",
        """
def nth_derivative(f, x, n):
    leaf = x.detach().clone().requires_grad_()
    y = f(leaf) + 0 * leaf
    for _ in range(n):
        y = torch.autograd.grad(y.mean(), leaf, create_graph=True)[0] + 0 * leaf
    return y.detach()
""",
    ),
    (
        "07.nth_derivative",
        "wrong",
        "a sum of the derivatives over all entries is returned, one number instead of a tensor with the shape of x",
        """
def nth_derivative(f, x, n):
    leaf = x.detach().clone().requires_grad_()
    y = f(leaf) + 0 * leaf
    for _ in range(n):
        y = torch.autograd.grad(y.sum(), leaf, create_graph=True)[0] + 0 * leaf
    return y.detach().sum()
""",
    ),
    (
        "07.nth_derivative",
        "wrong",
        "the result of grad (a tuple) is returned without unpacking",
        """
def nth_derivative(f, x, n):
    leaf = x.detach().clone().requires_grad_()
    y = f(leaf) + 0 * leaf
    result = y
    for _ in range(n):
        result = torch.autograd.grad(y.sum(), leaf, create_graph=True)
        y = result[0] + 0 * leaf
    return result
""",
    ),
    (
        "07.nth_derivative",
        "wrong",
        "f is applied to the derivative again in each turn (f(y) instead of y)",
        """
def nth_derivative(f, x, n):
    leaf = x.detach().clone().requires_grad_()
    y = f(leaf) + 0 * leaf
    for k in range(n):
        y = torch.autograd.grad(y.sum(), leaf, create_graph=True)[0] + 0 * leaf
        if k < n - 1:
            y = f(y) + 0 * leaf
    return y.detach()
""",
    ),
    (
        "07.nth_derivative",
        "wrong",
        "the gradients pile up: backward(create_graph=True) without clearing .grad",
        """
def nth_derivative(f, x, n):
    leaf = x.detach().clone().requires_grad_()
    y = f(leaf) + 0 * leaf
    for _ in range(n):
        y.sum().backward(create_graph=True)
        y = leaf.grad + 0 * leaf
    return y.detach()
""",
    ),
    (
        "07.nth_derivative",
        "wrong",
        "for a constant f the constant is returned, not zeros: the loop ends early and gives back the last y",
        """
def nth_derivative(f, x, n):
    leaf = x.detach().clone().requires_grad_()
    y = f(leaf)
    for _ in range(n):
        if not y.requires_grad:
            break
        y, = torch.autograd.grad(y.sum(), leaf, create_graph=True, materialize_grads=True)
    return y.detach()
""",
    ),
    (
        "07.nth_derivative",
        "wrong",
        "None is returned when the derivative does not depend on x any more (allow_unused without replacing None)",
        """
def nth_derivative(f, x, n):
    leaf = x.detach().clone().requires_grad_()
    y = f(leaf)
    for _ in range(n):
        if y is None or not y.requires_grad:
            return None
        y, = torch.autograd.grad(y.sum(), leaf, create_graph=True, allow_unused=True)
    return y if y is None else y.detach()
""",
    ),
    (
        "07.nth_derivative",
        "wrong",
        "x itself is made to require grad and stays so",
        """
def nth_derivative(f, x, n):
    x.requires_grad_()
    y = f(x) + 0 * x
    for _ in range(n):
        y = torch.autograd.grad(y.sum(), x, create_graph=True)[0] + 0 * x
    return y.detach()
""",
    ),
    (
        "07.nth_derivative",
        "wrong",
        "grad of y without a sum: works for a single number, an error for a vector",
        """
def nth_derivative(f, x, n):
    leaf = x.detach().clone().requires_grad_()
    y = f(leaf) + 0 * leaf
    for _ in range(n):
        y = torch.autograd.grad(y, leaf, create_graph=True)[0] + 0 * leaf
    return y.detach()
""",
    ),
    (
        "07.nth_derivative",
        "right",
        "adds 0 * leaf to every order, so that there is always a graph",
        """
def nth_derivative(f, x, n):
    leaf = x.detach().clone().requires_grad_()
    y = f(leaf) + 0 * leaf
    while n:
        y = torch.autograd.grad(y, leaf, torch.ones_like(leaf), create_graph=True)[0] + 0 * leaf
        n -= 1
    return y.detach()
""",
    ),
    (
        "07.nth_derivative",
        "wrong",
        "create_graph=True is missing, so every derivative from the second on is taken for a constant and comes out as 0",
        """
def nth_derivative(f, x, n):
    leaf = x.detach().clone().requires_grad_()
    y = f(leaf)
    for _ in range(n):
        if not y.requires_grad:
            return torch.zeros_like(x)
        y, = torch.autograd.grad(y.sum(), leaf)
    return y.detach().clone()
""",
    ),
    (
        "07.nth_derivative",
        "wrong",
        "does not handle a derivative that has no graph: raises when a derivative has become constant (or f is)",
        """
def nth_derivative(f, x, n):
    leaf = x.detach().clone().requires_grad_()
    y = f(leaf)
    for _ in range(n):
        y, = torch.autograd.grad(y.sum(), leaf, create_graph=True)
    return y.detach().clone()
""",
    ),
    (
        "07.nth_derivative",
        "wrong",
        "takes a value of 0 for a sign that all further derivatives are 0, and stops there",
        """
def nth_derivative(f, x, n):
    leaf = x.detach().clone().requires_grad_()
    y = f(leaf)
    for _ in range(n):
        if not y.requires_grad or (y == 0).all():
            return torch.zeros_like(x)
        y, = torch.autograd.grad(y.sum(), leaf, create_graph=True)
    return y.detach().clone()
""",
    ),
    (
        "07.nth_derivative",
        "wrong",
        "off by one: the loop differentiates n - 1 times",
        """
def nth_derivative(f, x, n):
    leaf = x.detach().clone().requires_grad_()
    y = f(leaf)
    for _ in range(1, n):
        if not y.requires_grad:
            return torch.zeros_like(x)
        y, = torch.autograd.grad(y.sum(), leaf, create_graph=True)
    return y.detach().clone()
""",
    ),
    (
        "07.nth_derivative",
        "wrong",
        "when a derivative has no graph it returns this constant, not the zeros that the next order is",
        """
def nth_derivative(f, x, n):
    leaf = x.detach().clone().requires_grad_()
    y = f(leaf)
    for _ in range(n):
        if not y.requires_grad:
            break
        y, = torch.autograd.grad(y.sum(), leaf, create_graph=True)
    return y.detach().clone()
""",
    ),
    (
        "07.hessian_vector_product",
        "right",
        "double backward: gradient of the product g·v, 0 * leaf for functions without curvature",
        """
def hessian_vector_product(f, x, v):
    leaf = x.detach().clone().requires_grad_()
    g, = torch.autograd.grad(f(leaf), leaf, create_graph=True)
    g = g + 0 * leaf
    hv, = torch.autograd.grad((g * v).sum(), leaf)
    return hv
""",
    ),
    (
        "07.hessian_vector_product",
        "right",
        "v as grad_outputs of the second pass, unused gradients as zeros",
        """
def hessian_vector_product(f, x, v):
    leaf = x.clone().detach().requires_grad_(True)
    g = torch.autograd.grad(f(leaf), [leaf], create_graph=True, materialize_grads=True)[0]
    if not g.requires_grad:
        return torch.zeros_like(x)
    return torch.autograd.grad(g, leaf, grad_outputs=v, materialize_grads=True)[0].detach()
""",
    ),
    (
        "07.hessian_vector_product",
        "right",
        "derivative of the gradient along v: one number t, x + t v, double backward the other way round",
        """
def hessian_vector_product(f, x, v):
    leaf = x.detach().clone().requires_grad_()
    t = torch.zeros((), dtype=x.dtype, requires_grad=True)
    slope, = torch.autograd.grad(f(leaf + t * v), t, create_graph=True)
    result, = torch.autograd.grad(slope + 0 * leaf.sum(), leaf)
    return result
""",
    ),
    (
        "07.hessian_vector_product",
        "right",
        "the flattened vectors and a dot product, backward into .grad",
        """
def hessian_vector_product(f, x, v):
    flat = x.detach().reshape(-1).clone().requires_grad_()
    g, = torch.autograd.grad(f(flat.reshape(x.shape)), flat, create_graph=True)
    ((g + 0 * flat) @ v.reshape(-1)).backward()
    return flat.grad.reshape(x.shape)
""",
    ),
    (
        "07.hessian_vector_product",
        "wrong",
        "the gradient is multiplied by v, the second derivative is missing: g * v",
        """
def hessian_vector_product(f, x, v):
    leaf = x.detach().clone().requires_grad_()
    g, = torch.autograd.grad(f(leaf), leaf, create_graph=True)
    return (g * v).detach()
""",
    ),
    (
        "07.hessian_vector_product",
        "wrong",
        "create_graph is missing: the second grad raises an error",
        """
def hessian_vector_product(f, x, v):
    leaf = x.detach().clone().requires_grad_()
    g, = torch.autograd.grad(f(leaf), leaf)
    return torch.autograd.grad((g * v).sum(), leaf)[0]
""",
    ),
    (
        "07.hessian_vector_product",
        "wrong",
        "v is multiplied at the end: the row sums of the Hessian times v, entry by entry",
        """
def hessian_vector_product(f, x, v):
    leaf = x.detach().clone().requires_grad_()
    g, = torch.autograd.grad(f(leaf), leaf, create_graph=True)
    h, = torch.autograd.grad((g + 0 * leaf).sum(), leaf)
    return h * v
""",
    ),
    (
        "07.hessian_vector_product",
        "wrong",
        "g @ v works for vectors only, not for matrices or single numbers",
        """
def hessian_vector_product(f, x, v):
    leaf = x.detach().clone().requires_grad_()
    g, = torch.autograd.grad(f(leaf), leaf, create_graph=True)
    g = g + 0 * leaf
    return torch.autograd.grad(g @ v, leaf)[0]
""",
    ),
    (
        "07.hessian_vector_product",
        "wrong",
        "the Hessian's rows are computed one after another: a backward pass for each entry",
        """
def hessian_vector_product(f, x, v):
    leaf = x.detach().clone().requires_grad_()
    g, = torch.autograd.grad(f(leaf), leaf, create_graph=True)
    flat = (g + 0 * leaf).reshape(-1)
    rows = [torch.autograd.grad(flat[i], leaf, retain_graph=True)[0] for i in range(flat.numel())]
    return torch.stack([(row * v).sum() for row in rows]).reshape(x.shape)
""",
    ),
    (
        "07.hessian_vector_product",
        "wrong",
        "the mean of g * v is differentiated instead of the sum",
        """
def hessian_vector_product(f, x, v):
    leaf = x.detach().clone().requires_grad_()
    g, = torch.autograd.grad(f(leaf), leaf, create_graph=True)
    g = g + 0 * leaf
    return torch.autograd.grad((g * v).mean(), leaf)[0]
""",
    ),
    (
        "07.hessian_vector_product",
        "wrong",
        "backward is used for both passes and .grad is not cleared: the gradient itself is added to the product",
        """
def hessian_vector_product(f, x, v):
    leaf = x.detach().clone().requires_grad_()
    f(leaf).backward(create_graph=True)
    g = leaf.grad + 0 * leaf
    (g * v).sum().backward()
    return leaf.grad.detach()
""",
    ),
    (
        "07.hessian_vector_product",
        "wrong",
        "the quadratic form v H v is returned, one number",
        """
def hessian_vector_product(f, x, v):
    leaf = x.detach().clone().requires_grad_()
    g, = torch.autograd.grad(f(leaf), leaf, create_graph=True)
    g = g + 0 * leaf
    hv, = torch.autograd.grad((g * v).sum(), leaf)
    return (hv * v).sum()
""",
    ),
    (
        "07.hessian_vector_product",
        "wrong",
        "v is normalized to length 1 first: the length of v is lost",
        """
def hessian_vector_product(f, x, v):
    leaf = x.detach().clone().requires_grad_()
    g, = torch.autograd.grad(f(leaf), leaf, create_graph=True)
    g = g + 0 * leaf
    return torch.autograd.grad((g * (v / v.norm())).sum(), leaf)[0]
""",
    ),
    (
        "07.hessian_vector_product",
        "wrong",
        "x itself is made to require grad and stays so",
        """
def hessian_vector_product(f, x, v):
    x.requires_grad_()
    g, = torch.autograd.grad(f(x), x, create_graph=True)
    g = g + 0 * x
    return torch.autograd.grad((g * v).sum(), x)[0]
""",
    ),
    (
        "07.hessian_vector_product",
        "wrong",
        "the gradient is detached before the second pass, so the result is always 0",
        """
def hessian_vector_product(f, x, v):
    leaf = x.detach().clone().requires_grad_()
    g, = torch.autograd.grad(f(leaf), leaf, create_graph=True)
    g = g.detach() + 0 * leaf
    return torch.autograd.grad((g * v).sum(), leaf)[0]
""",
    ),
    (
        "07.hessian_vector_product",
        "wrong",
        "the squared gradient is used: the derivative of (g * g · v) has a factor 2 g too much",
        """
def hessian_vector_product(f, x, v):
    leaf = x.detach().clone().requires_grad_()
    g, = torch.autograd.grad(f(leaf), leaf, create_graph=True)
    g = g + 0 * leaf
    return torch.autograd.grad((g * g * v).sum(), leaf)[0]
""",
    ),
    (
        "07.hessian_vector_product",
        "wrong",
        "the gradient is taken at x + v instead of x",
        """
def hessian_vector_product(f, x, v):
    leaf = (x + v).detach().clone().requires_grad_()
    g, = torch.autograd.grad(f(leaf), leaf, create_graph=True)
    g = g + 0 * leaf
    return torch.autograd.grad((g * v).sum(), leaf)[0]
""",
    ),
    (
        "07.hessian_vector_product",
        "wrong",
        "v is multiplied in place by the gradient (v.mul_), so v is changed",
        """
def hessian_vector_product(f, x, v):
    leaf = x.detach().clone().requires_grad_()
    g, = torch.autograd.grad(f(leaf), leaf, create_graph=True)
    g = g + 0 * leaf
    result, = torch.autograd.grad((g * v.clone()).sum(), leaf)
    v.mul_(g.detach())
    return result
""",
    ),
    (
        "07.hessian_vector_product",
        "wrong",
        "a difference of two gradients with step 0.1: a numerical product, not exact",
        """
def hessian_vector_product(f, x, v):
    def gradient(p):
        leaf = p.detach().clone().requires_grad_()
        return torch.autograd.grad(f(leaf), leaf)[0]
    return (gradient(x + 0.1 * v) - gradient(x)) / 0.1
""",
    ),
    (
        "07.hessian_vector_product",
        "right",
        "the gradient with respect to x of the slope of f(x + t v) in t at t = 0",
        """
def hessian_vector_product(f, x, v):
    leaf = x.detach().clone().requires_grad_()
    t = torch.zeros((), dtype=x.dtype, requires_grad=True)
    point = leaf + t * v
    slope, = torch.autograd.grad(f(point) + 0 * point.sum(), t, create_graph=True)
    return torch.autograd.grad(slope + 0 * leaf.sum(), leaf)[0]
""",
    ),
    (
        "07.hessian_vector_product",
        "wrong",
        "computes the rows of the Hessian one after another, a backward pass for each entry of x",
        """
def hessian_vector_product(f, x, v):
    leaf = x.detach().clone().requires_grad_()
    g, = torch.autograd.grad(f(leaf), leaf, create_graph=True)
    g = g + 0 * leaf
    rows = [torch.autograd.grad(entry, leaf, retain_graph=True)[0] for entry in g.reshape(-1)]
    return torch.stack([(row * v).sum() for row in rows]).reshape(x.shape)
""",
    ),
    (
        "07.hessian_vector_product",
        "wrong",
        "multiplies by v only at the end: the sums of the Hessian's rows times v entry by entry, right only for a diagonal Hessian",
        """
def hessian_vector_product(f, x, v):
    leaf = x.detach().clone().requires_grad_()
    g, = torch.autograd.grad(f(leaf), leaf, create_graph=True)
    g = g + 0 * leaf
    return torch.autograd.grad(g.sum(), leaf)[0] * v
""",
    ),
    (
        "07.hessian_vector_product",
        "wrong",
        "g @ v is meant for vectors: it raises for a matrix or a single number",
        """
def hessian_vector_product(f, x, v):
    leaf = x.detach().clone().requires_grad_()
    g, = torch.autograd.grad(f(leaf), leaf, create_graph=True)
    g = g + 0 * leaf
    return torch.autograd.grad(g @ v, leaf)[0]
""",
    ),
    (
        "07.hessian_vector_product",
        "wrong",
        "the first gradient is still in .grad, so the result is the gradient plus the product",
        """
def hessian_vector_product(f, x, v):
    leaf = x.detach().clone().requires_grad_()
    f(leaf).backward(create_graph=True)
    g = leaf.grad + 0 * leaf
    (g * v).sum().backward()
    return leaf.grad.detach()
""",
    ),
    (
        "07.hessian_vector_product",
        "wrong",
        "makes the caller's own x require grad, and leaves it so",
        """
def hessian_vector_product(f, x, v):
    x.requires_grad_(True)
    g, = torch.autograd.grad(f(x), x, create_graph=True)
    g = g + 0 * x
    return torch.autograd.grad((g * v).sum(), x)[0]
""",
    ),
    (
        "07.newton_step",
        "right",
        "flat leaf, the Hessian row by row, solve",
        """
def newton_step(f, x):
    flat = x.detach().clone().reshape(-1).requires_grad_()
    g, = torch.autograd.grad(f(flat.reshape(x.shape)), flat, create_graph=True)
    H = torch.stack([torch.autograd.grad(e + 0 * flat.sum(), flat, retain_graph=True)[0] for e in g])
    return (flat - torch.linalg.solve(H, g)).detach().reshape(x.shape)
""",
    ),
    (
        "07.newton_step",
        "right",
        "leaf of x's own shape, rows flattened into a matrix that is filled; the inverse",
        """
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
""",
    ),
    (
        "07.newton_step",
        "right",
        "Hessian times unit vectors, column by column, solved with a column matrix",
        """
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
""",
    ),
    (
        "07.newton_step",
        "right",
        "functional.hessian, reshaped to n times n",
        """
def newton_step(f, x):
    n = x.numel()
    point = x.detach().clone()
    H = torch.autograd.functional.hessian(f, point).reshape(n, n)
    g = torch.autograd.functional.jacobian(f, point).reshape(n)
    return point - torch.linalg.solve(H, g).reshape(x.shape)
""",
    ),
    (
        "07.newton_step",
        "wrong",
        "plus instead of minus: the step goes away from the bottom",
        """
def newton_step(f, x):
    flat = x.detach().clone().reshape(-1).requires_grad_()
    g, = torch.autograd.grad(f(flat.reshape(x.shape)), flat, create_graph=True)
    H = torch.stack([torch.autograd.grad(e + 0 * flat.sum(), flat, retain_graph=True)[0] for e in g])
    return (flat + torch.linalg.solve(H, g)).detach().reshape(x.shape)
""",
    ),
    (
        "07.newton_step",
        "wrong",
        "only the step H⁻¹ g is returned, not the point x - H⁻¹ g",
        """
def newton_step(f, x):
    flat = x.detach().clone().reshape(-1).requires_grad_()
    g, = torch.autograd.grad(f(flat.reshape(x.shape)), flat, create_graph=True)
    H = torch.stack([torch.autograd.grad(e + 0 * flat.sum(), flat, retain_graph=True)[0] for e in g])
    return torch.linalg.solve(H, g).detach().reshape(x.shape)
""",
    ),
    (
        "07.newton_step",
        "wrong",
        "works for vectors only: x is not flattened, g has no rows to solve for when x is a matrix or a single number",
        """
def newton_step(f, x):
    leaf = x.detach().clone().requires_grad_()
    g, = torch.autograd.grad(f(leaf), leaf, create_graph=True)
    H = torch.stack([torch.autograd.grad(e + 0 * leaf.sum(), leaf, retain_graph=True)[0] for e in g])
    return (leaf - torch.linalg.solve(H, g)).detach()
""",
    ),
    (
        "07.newton_step",
        "wrong",
        "the result is left flat: it does not have the shape of x",
        """
def newton_step(f, x):
    flat = x.detach().clone().reshape(-1).requires_grad_()
    g, = torch.autograd.grad(f(flat.reshape(x.shape)), flat, create_graph=True)
    H = torch.stack([torch.autograd.grad(e + 0 * flat.sum(), flat, retain_graph=True)[0] for e in g])
    return (flat - torch.linalg.solve(H, g)).detach()
""",
    ),
    (
        "07.newton_step",
        "wrong",
        "H g instead of H⁻¹ g",
        """
def newton_step(f, x):
    flat = x.detach().clone().reshape(-1).requires_grad_()
    g, = torch.autograd.grad(f(flat.reshape(x.shape)), flat, create_graph=True)
    H = torch.stack([torch.autograd.grad(e + 0 * flat.sum(), flat, retain_graph=True)[0] for e in g])
    return (flat - H @ g).detach().reshape(x.shape)
""",
    ),
    (
        "07.newton_step",
        "wrong",
        "only the diagonal of the Hessian is used: g / diagonal",
        """
def newton_step(f, x):
    flat = x.detach().clone().reshape(-1).requires_grad_()
    g, = torch.autograd.grad(f(flat.reshape(x.shape)), flat, create_graph=True)
    H = torch.stack([torch.autograd.grad(e + 0 * flat.sum(), flat, retain_graph=True)[0] for e in g])
    return (flat - g / torch.diag(H)).detach().reshape(x.shape)
""",
    ),
    (
        "07.newton_step",
        "wrong",
        "the row sums of the Hessian (gradient of g.sum()) instead of the Hessian",
        """
def newton_step(f, x):
    leaf = x.detach().clone().requires_grad_()
    g, = torch.autograd.grad(f(leaf), leaf, create_graph=True)
    h, = torch.autograd.grad((g + 0 * leaf).sum(), leaf)
    return (leaf - g / h).detach()
""",
    ),
    (
        "07.newton_step",
        "wrong",
        "a step of gradient descent, the Hessian is not used",
        """
def newton_step(f, x):
    leaf = x.detach().clone().requires_grad_()
    g, = torch.autograd.grad(f(leaf), leaf)
    return (leaf - g).detach()
""",
    ),
    (
        "07.newton_step",
        "wrong",
        "the point is moved twice: two Newton steps instead of one",
        """
def newton_step(f, x):
    point = x.detach().clone()
    for _ in range(2):
        flat = point.detach().clone().reshape(-1).requires_grad_()
        g, = torch.autograd.grad(f(flat.reshape(x.shape)), flat, create_graph=True)
        H = torch.stack([torch.autograd.grad(e + 0 * flat.sum(), flat, retain_graph=True)[0] for e in g])
        point = (flat - torch.linalg.solve(H, g)).detach().reshape(x.shape)
    return point
""",
    ),
    (
        "07.newton_step",
        "wrong",
        "x is changed in place (x -= step)",
        """
def newton_step(f, x):
    flat = x.detach().clone().reshape(-1).requires_grad_()
    g, = torch.autograd.grad(f(flat.reshape(x.shape)), flat, create_graph=True)
    H = torch.stack([torch.autograd.grad(e + 0 * flat.sum(), flat, retain_graph=True)[0] for e in g])
    x -= torch.linalg.solve(H, g).detach().reshape(x.shape)
    return x
""",
    ),
    (
        "07.newton_step",
        "wrong",
        "retain_graph is missing: the second row of the Hessian meets a freed graph",
        """
def newton_step(f, x):
    flat = x.detach().clone().reshape(-1).requires_grad_()
    g, = torch.autograd.grad(f(flat.reshape(x.shape)), flat, create_graph=True)
    H = torch.stack([torch.autograd.grad(e + 0 * flat.sum(), flat)[0] for e in g])
    return (flat - torch.linalg.solve(H, g)).detach().reshape(x.shape)
""",
    ),
    (
        "07.newton_step",
        "wrong",
        "the Hessian's rows pile up in .grad, because it is not cleared between the rows",
        """
def newton_step(f, x):
    flat = x.detach().clone().reshape(-1).requires_grad_()
    g, = torch.autograd.grad(f(flat.reshape(x.shape)), flat, create_graph=True)
    rows = []
    for e in g:
        (e + 0 * flat.sum()).backward(retain_graph=True)
        rows.append(flat.grad.clone())
    return (flat - torch.linalg.solve(torch.stack(rows), g)).detach().reshape(x.shape)
""",
    ),
    (
        "07.newton_step",
        "wrong",
        "the outer product of the gradient with itself (plus the identity) stands in for the Hessian",
        """
def newton_step(f, x):
    flat = x.detach().clone().reshape(-1).requires_grad_()
    g, = torch.autograd.grad(f(flat.reshape(x.shape)), flat)
    H = torch.outer(g, g) + torch.eye(len(g), dtype=g.dtype)
    return (flat - torch.linalg.solve(H, g)).detach().reshape(x.shape)
""",
    ),
    (
        "07.newton_step",
        "wrong",
        "the step is damped: half of the step",
        """
def newton_step(f, x):
    flat = x.detach().clone().reshape(-1).requires_grad_()
    g, = torch.autograd.grad(f(flat.reshape(x.shape)), flat, create_graph=True)
    H = torch.stack([torch.autograd.grad(e + 0 * flat.sum(), flat, retain_graph=True)[0] for e in g])
    return (flat - 0.5 * torch.linalg.solve(H, g)).detach().reshape(x.shape)
""",
    ),
    (
        "07.newton_step",
        "wrong",
        "a matrix is treated as rows that are independent: the Hessian of each row alone, terms between rows are lost",
        """
def newton_step(f, x):
    rows = x.detach().clone().reshape(-1, x.shape[-1] if x.dim() > 1 else x.numel())
    leaf = rows.clone().requires_grad_()
    g, = torch.autograd.grad(f(leaf.reshape(x.shape)), leaf, create_graph=True)
    new = []
    for i in range(len(rows)):
        H = torch.stack([torch.autograd.grad(e + 0 * leaf.sum(), leaf, retain_graph=True)[0][i] for e in g[i]])
        new.append(rows[i] - torch.linalg.solve(H, g[i].detach()))
    return torch.stack(new).reshape(x.shape)
""",
    ),
    (
        "07.newton_step",
        "right",
        "works with a flat leaf, takes the Hessian as columns H e_i, and multiplies by its inverse",
        """
def newton_step(f, x):
    flat = x.detach().clone().reshape(-1).requires_grad_()
    g, = torch.autograd.grad(f(flat.reshape(x.shape)), flat, create_graph=True)
    g = g + 0 * flat
    columns = [torch.autograd.grad(g, flat, grad_outputs=e, retain_graph=True)[0]
               for e in torch.eye(flat.numel(), dtype=x.dtype)]
    H = torch.stack(columns, dim=1)
    return (flat - torch.inverse(H) @ g).detach().reshape(x.shape)
""",
    ),
    (
        "07.newton_step",
        "wrong",
        "wrong sign: goes to x + H^-1 g",
        """
def newton_step(f, x):
    leaf = x.detach().clone().requires_grad_()
    g, = torch.autograd.grad(f(leaf), leaf, create_graph=True)
    g = (g + 0 * leaf).reshape(-1)
    H = torch.stack([torch.autograd.grad(gi, leaf, retain_graph=True)[0].reshape(-1) for gi in g])
    return x + torch.linalg.solve(H, g.detach()).reshape(x.shape)
""",
    ),
    (
        "07.newton_step",
        "wrong",
        "divides by the row sums of the Hessian instead of solving with the whole matrix",
        """
def newton_step(f, x):
    leaf = x.detach().clone().requires_grad_()
    g, = torch.autograd.grad(f(leaf), leaf, create_graph=True)
    g = g + 0 * leaf
    h, = torch.autograd.grad(g.sum(), leaf)
    return x - g.detach() / h
""",
    ),
    (
        "07.newton_step",
        "wrong",
        "works for vectors only: the rows are not flattened, so a matrix or a single number fails",
        """
def newton_step(f, x):
    leaf = x.detach().clone().requires_grad_()
    g, = torch.autograd.grad(f(leaf), leaf, create_graph=True)
    g = g + 0 * leaf
    H = torch.stack([torch.autograd.grad(g[i], leaf, retain_graph=True)[0] for i in range(len(x))])
    return x - torch.linalg.solve(H, g.detach())
""",
    ),
    (
        "07.newton_step",
        "wrong",
        "the result is a flat vector, it is not brought back to the shape of x",
        """
def newton_step(f, x):
    leaf = x.detach().clone().requires_grad_()
    g, = torch.autograd.grad(f(leaf), leaf, create_graph=True)
    g = (g + 0 * leaf).reshape(-1)
    H = torch.stack([torch.autograd.grad(gi, leaf, retain_graph=True)[0].reshape(-1) for gi in g])
    return x.reshape(-1) - torch.linalg.solve(H, g.detach())
""",
    ),
    (
        "07.newton_step",
        "wrong",
        "takes the step in place: the caller's x is changed",
        """
def newton_step(f, x):
    leaf = x.detach().clone().requires_grad_()
    g, = torch.autograd.grad(f(leaf), leaf, create_graph=True)
    g = (g + 0 * leaf).reshape(-1)
    H = torch.stack([torch.autograd.grad(gi, leaf, retain_graph=True)[0].reshape(-1) for gi in g])
    x -= torch.linalg.solve(H, g.detach()).reshape(x.shape)
    return x
""",
    ),
    (
        "07.gradient_penalty",
        "right",
        "gradient of the sum with create_graph, squared, summed over columns, mean over rows",
        """
def gradient_penalty(f, x, w):
    xs = x.detach().clone().requires_grad_()
    ws = w.detach().clone().requires_grad_()
    slopes, = torch.autograd.grad(f(xs, ws).sum(), xs, create_graph=True)
    penalty = slopes.pow(2).sum(dim=1).mean() + 0 * ws.sum()
    gradient, = torch.autograd.grad(penalty, ws)
    return penalty.detach(), gradient
""",
    ),
    (
        "07.gradient_penalty",
        "right",
        "each row on its own in a loop, a plain float for the penalty",
        """
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
""",
    ),
    (
        "07.gradient_penalty",
        "right",
        "grad_outputs of ones, squared norm divided by the number of rows, backward with inputs",
        """
def gradient_penalty(f, x, w):
    xs, ws = x.clone().requires_grad_(), w.clone().requires_grad_()
    y = f(xs, ws)
    slopes = torch.autograd.grad(outputs=y, inputs=xs, grad_outputs=torch.ones_like(y), create_graph=True)[0]
    penalty = torch.einsum("ij,ij->", slopes, slopes) / x.shape[0]
    penalty = penalty + (ws * 0).sum()
    penalty.backward(inputs=[ws])
    return penalty, ws.grad
""",
    ),
    (
        "07.gradient_penalty",
        "wrong",
        "the mean over all entries, not the mean over the rows of the sum: one over the number of columns too much",
        """
def gradient_penalty(f, x, w):
    xs = x.detach().clone().requires_grad_()
    ws = w.detach().clone().requires_grad_()
    slopes, = torch.autograd.grad(f(xs, ws).sum(), xs, create_graph=True)
    penalty = (slopes ** 2).mean() + 0 * ws.sum()
    return penalty.detach(), torch.autograd.grad(penalty, ws)[0]
""",
    ),
    (
        "07.gradient_penalty",
        "wrong",
        "the sum over the rows, not the mean: one over n is missing",
        """
def gradient_penalty(f, x, w):
    xs = x.detach().clone().requires_grad_()
    ws = w.detach().clone().requires_grad_()
    slopes, = torch.autograd.grad(f(xs, ws).sum(), xs, create_graph=True)
    penalty = (slopes ** 2).sum() + 0 * ws.sum()
    return penalty.detach(), torch.autograd.grad(penalty, ws)[0]
""",
    ),
    (
        "07.gradient_penalty",
        "wrong",
        "the mean of f is differentiated, so one over n is squared",
        """
def gradient_penalty(f, x, w):
    xs = x.detach().clone().requires_grad_()
    ws = w.detach().clone().requires_grad_()
    slopes, = torch.autograd.grad(f(xs, ws).mean(), xs, create_graph=True)
    penalty = (slopes ** 2).sum(1).mean() + 0 * ws.sum()
    return penalty.detach(), torch.autograd.grad(penalty, ws)[0]
""",
    ),
    (
        "07.gradient_penalty",
        "wrong",
        "the length of the slopes, not the squared length",
        """
def gradient_penalty(f, x, w):
    xs = x.detach().clone().requires_grad_()
    ws = w.detach().clone().requires_grad_()
    slopes, = torch.autograd.grad(f(xs, ws).sum(), xs, create_graph=True)
    penalty = (slopes ** 2).sum(1).sqrt().mean() + 0 * ws.sum()
    return penalty.detach(), torch.autograd.grad(penalty, ws)[0]
""",
    ),
    (
        "07.gradient_penalty",
        "wrong",
        "the slopes with respect to w are penalized, not those with respect to x",
        """
def gradient_penalty(f, x, w):
    ws = w.detach().clone().requires_grad_()
    slopes, = torch.autograd.grad(f(x, ws).sum(), ws, create_graph=True)
    penalty = (slopes ** 2).sum() / len(x) + 0 * ws.sum()
    return penalty.detach(), torch.autograd.grad(penalty, ws)[0]
""",
    ),
    (
        "07.gradient_penalty",
        "wrong",
        "the gradient of the model f with respect to w is returned, not that of the penalty",
        """
def gradient_penalty(f, x, w):
    xs = x.detach().clone().requires_grad_()
    ws = w.detach().clone().requires_grad_()
    y = f(xs, ws).sum() + 0 * ws.sum()
    slopes, = torch.autograd.grad(y, xs, create_graph=True)
    penalty = (slopes ** 2).sum(1).mean()
    return penalty.detach(), torch.autograd.grad(y, ws)[0]
""",
    ),
    (
        "07.gradient_penalty",
        "wrong",
        "create_graph is missing: the slopes have no history, the gradient cannot be computed",
        """
def gradient_penalty(f, x, w):
    xs = x.detach().clone().requires_grad_()
    ws = w.detach().clone().requires_grad_()
    slopes, = torch.autograd.grad(f(xs, ws).sum(), xs)
    penalty = (slopes ** 2).sum(1).mean()
    return penalty.detach(), torch.autograd.grad(penalty, ws)[0]
""",
    ),
    (
        "07.gradient_penalty",
        "wrong",
        "the slopes are squared after they have been summed over the columns: cross terms are added",
        """
def gradient_penalty(f, x, w):
    xs = x.detach().clone().requires_grad_()
    ws = w.detach().clone().requires_grad_()
    slopes, = torch.autograd.grad(f(xs, ws).sum(), xs, create_graph=True)
    penalty = (slopes.sum(1) ** 2).mean() + 0 * ws.sum()
    return penalty.detach(), torch.autograd.grad(penalty, ws)[0]
""",
    ),
    (
        "07.gradient_penalty",
        "wrong",
        "backward is used for the slopes too, so f's own gradient is piled up in w's .grad",
        """
def gradient_penalty(f, x, w):
    xs = x.detach().clone().requires_grad_()
    ws = w.detach().clone().requires_grad_()
    f(xs, ws).sum().backward(create_graph=True)
    penalty = (xs.grad ** 2).sum(1).mean() + 0 * ws.sum()
    penalty.backward()
    return penalty.detach(), ws.grad.detach()
""",
    ),
    (
        "07.gradient_penalty",
        "wrong",
        "the pair is in the wrong order: the gradient first",
        """
def gradient_penalty(f, x, w):
    xs = x.detach().clone().requires_grad_()
    ws = w.detach().clone().requires_grad_()
    slopes, = torch.autograd.grad(f(xs, ws).sum(), xs, create_graph=True)
    penalty = (slopes ** 2).sum(1).mean() + 0 * ws.sum()
    return torch.autograd.grad(penalty, ws)[0], penalty.detach()
""",
    ),
    (
        "07.gradient_penalty",
        "wrong",
        "the WGAN penalty (length minus 1) squared instead of the squared length",
        """
def gradient_penalty(f, x, w):
    xs = x.detach().clone().requires_grad_()
    ws = w.detach().clone().requires_grad_()
    slopes, = torch.autograd.grad(f(xs, ws).sum(), xs, create_graph=True)
    penalty = ((slopes.norm(dim=1) - 1) ** 2).mean() + 0 * ws.sum()
    return penalty.detach(), torch.autograd.grad(penalty, ws)[0]
""",
    ),
    (
        "07.gradient_penalty",
        "wrong",
        "only the penalty is returned, its gradient is forgotten",
        """
def gradient_penalty(f, x, w):
    xs = x.detach().clone().requires_grad_()
    ws = w.detach().clone().requires_grad_()
    slopes, = torch.autograd.grad(f(xs, ws).sum(), xs, create_graph=True)
    return (slopes ** 2).sum(1).mean().detach()
""",
    ),
    (
        "07.gradient_penalty",
        "wrong",
        "the slopes are averaged over the rows before they are squared",
        """
def gradient_penalty(f, x, w):
    xs = x.detach().clone().requires_grad_()
    ws = w.detach().clone().requires_grad_()
    slopes, = torch.autograd.grad(f(xs, ws).sum(), xs, create_graph=True)
    penalty = (slopes.mean(0) ** 2).sum() + 0 * ws.sum()
    return penalty.detach(), torch.autograd.grad(penalty, ws)[0]
""",
    ),
    (
        "07.gradient_penalty",
        "wrong",
        "the penalty is a vector with one number for each row, the mean is forgotten (the gradient is right)",
        """
def gradient_penalty(f, x, w):
    xs = x.detach().clone().requires_grad_()
    ws = w.detach().clone().requires_grad_()
    slopes, = torch.autograd.grad(f(xs, ws).sum(), xs, create_graph=True)
    penalty = (slopes ** 2).sum(1)
    return penalty.detach(), torch.autograd.grad(penalty.mean() + 0 * ws.sum(), ws)[0]
""",
    ),
    (
        "07.gradient_penalty",
        "wrong",
        "x itself is made to require grad and stays so",
        """
def gradient_penalty(f, x, w):
    x.requires_grad_()
    ws = w.detach().clone().requires_grad_()
    slopes, = torch.autograd.grad(f(x, ws).sum(), x, create_graph=True)
    penalty = (slopes ** 2).sum(1).mean() + 0 * ws.sum()
    return penalty.detach(), torch.autograd.grad(penalty, ws)[0]
""",
    ),
    (
        "07.gradient_penalty",
        "wrong",
        "the penalty sums over the first column only (index 0): works if x has one column",
        """
def gradient_penalty(f, x, w):
    xs = x.detach().clone().requires_grad_()
    ws = w.detach().clone().requires_grad_()
    slopes, = torch.autograd.grad(f(xs, ws).sum(), xs, create_graph=True)
    penalty = (slopes[:, 0] ** 2).mean() + 0 * ws.sum()
    return penalty.detach(), torch.autograd.grad(penalty, ws)[0]
""",
    ),
    (
        "07.gradient_penalty",
        "wrong",
        "the mean is divided by the number of columns: x.shape[1] instead of x.shape[0]",
        """
def gradient_penalty(f, x, w):
    xs = x.detach().clone().requires_grad_()
    ws = w.detach().clone().requires_grad_()
    slopes, = torch.autograd.grad(f(xs, ws).sum(), xs, create_graph=True)
    penalty = (slopes ** 2).sum() / x.shape[1] + 0 * ws.sum()
    return penalty.detach(), torch.autograd.grad(penalty, ws)[0]
""",
    ),
    (
        "07.gradient_penalty",
        "wrong",
        "the gradient of the square root of the penalty is returned with the penalty",
        """
def gradient_penalty(f, x, w):
    xs = x.detach().clone().requires_grad_()
    ws = w.detach().clone().requires_grad_()
    slopes, = torch.autograd.grad(f(xs, ws).sum(), xs, create_graph=True)
    penalty = (slopes ** 2).sum(1).mean() + 0 * ws.sum()
    return penalty.detach(), torch.autograd.grad(penalty.sqrt(), ws)[0]
""",
    ),
    (
        "07.gradient_penalty",
        "right",
        "the slopes of all rows from functional.jacobian, with a graph",
        """
def gradient_penalty(f, x, w):
    ws = w.detach().clone().requires_grad_()
    J = torch.autograd.functional.jacobian(lambda p: f(p, ws), x.detach().clone(), create_graph=True)
    n = x.shape[0]
    own = torch.stack([J[i, i] for i in range(n)])
    penalty = torch.square(own).sum(-1).mean() + 0 * ws.sum()
    return penalty.detach(), torch.autograd.grad(penalty, ws)[0]
""",
    ),
    (
        "07.gradient_penalty",
        "wrong",
        "the gradient is returned flat: it does not have the shape of w when w is a matrix or a single number",
        """
def gradient_penalty(f, x, w):
    xs = x.detach().clone().requires_grad_()
    ws = w.detach().clone().requires_grad_()
    slopes, = torch.autograd.grad(f(xs, ws).sum(), xs, create_graph=True)
    penalty = (slopes ** 2).sum(1).mean() + 0 * ws.sum()
    return penalty.detach(), torch.autograd.grad(penalty, ws)[0].flatten()
""",
    ),
    (
        "07.gradient_penalty",
        "wrong",
        "the factor one half stands before the penalty",
        """
def gradient_penalty(f, x, w):
    xs = x.detach().clone().requires_grad_()
    ws = w.detach().clone().requires_grad_()
    slopes, = torch.autograd.grad(f(xs, ws).sum(), xs, create_graph=True)
    penalty = 0.5 * (slopes ** 2).sum(1).mean() + 0 * ws.sum()
    return penalty.detach(), torch.autograd.grad(penalty, ws)[0]
""",
    ),
    (
        "07.gradient_penalty",
        "right",
        "one row after the other: calls the model for each example as a matrix with one row, and adds up value and gradient",
        """
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
""",
    ),
    (
        "07.gradient_penalty",
        "wrong",
        "takes the mean over all entries of the slopes, not the sum over the columns and the mean over the rows",
        """
def gradient_penalty(f, x, w):
    X = x.detach().clone().requires_grad_()
    W = w.detach().clone().requires_grad_()
    s, = torch.autograd.grad(f(X, W).sum() + 0 * X.sum(), X, create_graph=True)
    P = (s ** 2).mean() + 0 * W.sum()
    return P.detach(), torch.autograd.grad(P, W)[0]
""",
    ),
    (
        "07.gradient_penalty",
        "wrong",
        "the mean of the lengths, not of the squared lengths",
        """
def gradient_penalty(f, x, w):
    X = x.detach().clone().requires_grad_()
    W = w.detach().clone().requires_grad_()
    s, = torch.autograd.grad(f(X, W).sum() + 0 * X.sum(), X, create_graph=True)
    P = (s ** 2).sum(dim=1).sqrt().mean() + 0 * W.sum()
    return P.detach(), torch.autograd.grad(P, W)[0]
""",
    ),
    (
        "07.gradient_penalty",
        "wrong",
        "differentiates the mean of the outputs instead of their sum, so all slopes are too small by the factor n",
        """
def gradient_penalty(f, x, w):
    X = x.detach().clone().requires_grad_()
    W = w.detach().clone().requires_grad_()
    s, = torch.autograd.grad(f(X, W).mean() + 0 * X.sum(), X, create_graph=True)
    P = (s ** 2).sum(dim=1).mean() + 0 * W.sum()
    return P.detach(), torch.autograd.grad(P, W)[0]
""",
    ),
    (
        "07.gradient_penalty",
        "wrong",
        "averages the slopes over the rows first and squares afterwards",
        """
def gradient_penalty(f, x, w):
    X = x.detach().clone().requires_grad_()
    W = w.detach().clone().requires_grad_()
    s, = torch.autograd.grad(f(X, W).sum() + 0 * X.sum(), X, create_graph=True)
    P = (s.mean(dim=0) ** 2).sum() + 0 * W.sum()
    return P.detach(), torch.autograd.grad(P, W)[0]
""",
    ),
    (
        "07.gradient_penalty",
        "wrong",
        "the first backward has already put the gradient of f into W.grad, and the gradient of the penalty is added to it",
        """
def gradient_penalty(f, x, w):
    X = x.detach().clone().requires_grad_()
    W = w.detach().clone().requires_grad_()
    (f(X, W).sum() + 0 * X.sum()).backward(create_graph=True)
    P = (X.grad ** 2).sum(dim=1).mean() + 0 * W.sum()
    P.backward()
    return P.detach(), W.grad.detach()
""",
    ),
]
