"""Right answers to notebook 07, each written another way."""

import numpy as np

import autograd_teach as torch

RIGHT: list[tuple[str, object]] = []


def right(exercise):
    return lambda answer: RIGHT.append((exercise, answer)) or answer


def fresh(x):
    return x.detach().clone().requires_grad_(True)


@right("07.nth_derivative")
def recursive(f, x, n):
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


@right("07.nth_derivative")
def history_kept_alive(f, x, n):
    x = torch.tensor(x.tolist(), dtype=x.dtype, requires_grad=True)
    value = f(x) + 0 * x
    for _ in range(n):
        value = torch.autograd.grad(value, x, torch.ones_like(value), create_graph=True)[0] + 0 * x
    print(n, value)
    return value


@right("07.nth_derivative")
def by_backward(f, x, n):
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


@right("07.nth_derivative")
def functions_of_functions(f, x, n):
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


@right("07.hessian_vector_product")
def by_grad_outputs(f, x, v):
    leaf = fresh(x)
    gradient = torch.autograd.grad(f(leaf), leaf, create_graph=True)[0]
    assert gradient.requires_grad
    return torch.autograd.grad(gradient, leaf, grad_outputs=v)[0]


@right("07.hessian_vector_product")
def by_dot(f, x, v):
    leaf = fresh(x)
    (gradient,) = torch.autograd.grad(f(leaf), leaf, create_graph=True)
    along = gradient.reshape(-1).dot(v.reshape(-1))
    print(along)
    along.backward()
    product = leaf.grad
    leaf.grad = None
    return product


@right("07.hessian_vector_product")
def by_functional(f, x, v):
    return torch.autograd.functional.hvp(f, x, v)[1]


@right("07.hessian_vector_product")
def by_vhp(f, x, v):
    return torch.autograd.functional.vhp(f, x, v)[1]


@right("07.hessian_vector_product")
def by_a_step(f, x, v):
    def gradient(at):
        at = fresh(at)
        return torch.autograd.grad(f(at), at)[0]

    return (gradient(x + 1e-5 * v) - gradient(x - 1e-5 * v)) / 2e-5


@right("07.newton_step")
def of_a_flat_leaf(f, x):
    flat = fresh(x.reshape(-1))
    (gradient,) = torch.autograd.grad(f(flat.reshape(x.shape)), flat, create_graph=True)
    hessian = torch.stack([torch.autograd.grad(entry, flat, retain_graph=True)[0] for entry in gradient])
    assert hessian.shape == (x.numel(), x.numel())
    return (flat - torch.linalg.solve(hessian, gradient)).reshape(x.shape)


@right("07.newton_step")
def by_functional_hessian(f, x):
    n = x.numel()
    hessian = torch.autograd.functional.hessian(f, x).reshape(n, n)
    leaf = fresh(x)
    f(leaf).backward()
    step = torch.linalg.solve(hessian, leaf.grad.reshape(n, 1))
    return x - step.view_as(x)


@right("07.newton_step")
def by_numpy(f, x):
    leaf = fresh(x)
    (gradient,) = torch.autograd.grad(f(leaf), leaf, create_graph=True)
    rows = []
    for picks in torch.eye(x.numel(), dtype=x.dtype):
        (row,) = torch.autograd.grad(gradient, leaf, grad_outputs=picks.reshape(x.shape), retain_graph=True)
        rows.append(row.numpy().ravel())
    step = np.linalg.solve(np.array(rows), gradient.detach().numpy().ravel())
    print(rows)
    return torch.tensor(x.numpy() - step.reshape(x.shape))


@right("07.newton_step")
def columns(f, x):
    leaf = fresh(x)
    gradient = torch.autograd.grad(f(leaf), leaf, create_graph=True)[0].reshape(-1)
    hessian = torch.zeros(len(gradient), len(gradient), dtype=x.dtype)
    for i in range(len(gradient)):
        hessian[:, i] = torch.autograd.grad(gradient[i], leaf, retain_graph=True)[0].reshape(-1)
    with torch.no_grad():
        leaf -= torch.linalg.solve(hessian, gradient).reshape(x.shape)
    return leaf


@right("07.gradient_penalty")
def penalty_by_backward(f, x, w):
    x, w = fresh(x), fresh(w)
    out = f(x, w)
    (slopes,) = torch.autograd.grad(out, x, grad_outputs=torch.ones_like(out), create_graph=True)
    penalty = slopes.pow(2).sum(dim=1).mean()
    penalty.backward()
    return penalty.item(), w.grad


@right("07.gradient_penalty")
def by_norm(f, x, w):
    x, w = fresh(x), fresh(w)
    slopes = torch.autograd.grad(f(x, w).sum(), x, create_graph=True)[0]
    penalty = (slopes * slopes).sum() / len(x)
    assert penalty.requires_grad
    print(penalty)
    return [penalty, torch.autograd.grad(penalty, w)[0]]


@right("07.gradient_penalty")
def row_by_row(f, x, w):
    w = fresh(w)
    total = 0
    for i in range(len(x)):
        row = fresh(x[i : i + 1])
        (slope,) = torch.autograd.grad(f(row, w).sum(), row, create_graph=True)
        total = total + (slope**2).sum()
    total = total / len(x)
    return total.detach(), torch.autograd.grad(total, w)[0]


@right("07.gradient_penalty")
def entry_by_entry(f, x, w):
    x, w = fresh(x), fresh(w)
    slopes = [torch.autograd.grad(each, x, create_graph=True)[0] for each in f(x, w)]
    penalty = sum(slope.pow(2).sum() for slope in slopes) / len(slopes)
    return penalty, *torch.autograd.grad(penalty, w)


@right("07.nth_derivative")
def by_allow_unused(f, x, n):
    """What a constant sends back is asked for as zeros."""
    leaf = fresh(x)
    value = f(leaf) + 0 * leaf.sum()
    for _ in range(n):
        value = torch.autograd.grad(value, leaf, torch.ones_like(value), create_graph=True)[0] + 0 * leaf
    return value


@right("07.nth_derivative")
def one_entry_at_a_time(f, x, n):
    found = []
    for number in x.reshape(-1).tolist():
        leaf = torch.tensor(number, dtype=x.dtype, requires_grad=True)
        value = f(leaf)
        for _ in range(n):
            value = torch.autograd.grad(value, leaf, create_graph=True)[0] if value.requires_grad else 0 * leaf.detach()
        found.append(value.detach())
    return torch.stack(found).reshape(x.shape)


@right("07.hessian_vector_product")
def along_a_line(f, x, v):
    """The gradient at x + t v, differentiated with respect to x once more through t."""
    leaf, t = fresh(x), torch.zeros((), dtype=x.dtype, requires_grad=True)
    (along,) = torch.autograd.grad(f(leaf + t * v), t, create_graph=True)
    return torch.autograd.grad(along, leaf)[0]


@right("07.hessian_vector_product")
def into_one_buffer(f, x, v):
    leaf = fresh(x)
    (g,) = torch.autograd.grad(f(leaf), leaf, create_graph=True)
    g.backward(v)
    return leaf.grad.clone()


@right("07.newton_step")
def by_the_inverse(f, x):
    n = x.numel()
    h = torch.autograd.functional.hessian(f, x).reshape(n, n)
    g = torch.autograd.functional.jacobian(f, x).reshape(n)
    return x - (torch.linalg.inv(h) @ g).reshape(x.shape)


@right("07.newton_step")
def products_for_columns(f, x):
    flat = x.reshape(-1)
    columns = [
        torch.autograd.functional.hvp(lambda at: f(at.reshape(x.shape)), flat, unit)[1]
        for unit in torch.eye(len(flat), dtype=x.dtype)
    ]
    leaf = fresh(flat)
    (g,) = torch.autograd.grad(f(leaf.reshape(x.shape)), leaf)
    return torch.sub(flat, torch.linalg.solve(torch.stack(columns).T, g)).reshape(x.shape)


@right("07.gradient_penalty")
def as_a_float(f, x, w):
    pair = [each.detach().clone().requires_grad_() for each in (x, w)]
    torch.mean(f(*pair)).backward(create_graph=True)
    slopes = pair[0].grad * len(x)
    pair[1].grad = None
    penalty = torch.einsum("ij,ij->", slopes, slopes) / len(x)
    penalty.backward()
    return float(penalty), pair[1].grad


@right("07.gradient_penalty")
def by_product(f, x, w):
    """The gradient of the penalty from a vector product: 2/n times slopes against their own derivative."""
    x, w = fresh(x), fresh(w)
    (slopes,) = torch.autograd.grad(f(x, w).sum(), x, create_graph=True)
    n = x.shape[0]
    (gradient,) = torch.autograd.grad(slopes, w, grad_outputs=2 * slopes.detach() / n)
    return (slopes.detach() ** 2).sum() / n, gradient
