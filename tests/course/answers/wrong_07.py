"""Wrong answers to notebook 07, each with the diagnosis that must name it and words that its message must have."""

import autograd_teach as torch

WRONG: list[tuple[str, object, str, str]] = []


def wrong(exercise, diagnosis, words=""):
    return lambda answer: WRONG.append((exercise, answer, diagnosis, words)) or answer


def fresh(x):
    return x.detach().clone().requires_grad_(True)


def derivative(f, x, n):
    x = fresh(x)
    value = f(x) + 0 * x
    for _ in range(n):
        value = torch.autograd.grad(value.sum(), x, create_graph=True)[0] + 0 * x
    return value.detach()


def first_and_second(f, x, v):
    """The gradient, and the Hessian times v."""
    x = fresh(x)
    (g,) = torch.autograd.grad(f(x), x, create_graph=True)
    return g.detach(), torch.autograd.grad((g * v).sum(), x)[0]


def hessian_of(f, x):
    n = x.numel()
    return torch.autograd.functional.hessian(f, x).reshape(n, n)


def penalty_of(f, x, w, combine):
    w = fresh(w)
    slopes = torch.autograd.functional.jacobian(lambda at: f(at, w).sum(), x, create_graph=True)
    penalty = combine(slopes)
    return penalty.detach(), torch.autograd.grad(penalty, w)[0]


# nth_derivative


@wrong("07.nth_derivative", "one_shape", "element 0 of tensors does not require grad")
def nothing_left(f, x, n):
    x = fresh(x)
    value = f(x)
    for _ in range(n):
        (value,) = torch.autograd.grad(value.sum(), x, create_graph=True)
    return value


@wrong(
    "07.nth_derivative",
    "one_shape",
    "computes a gradient without `create_graph=True`, so the gradient has no history; this happens for",
)
def without_create_graph(f, x, n):
    x = fresh(x)
    value = f(x)
    for _ in range(n):
        (value,) = torch.autograd.grad(value.sum(), x, retain_graph=True)
    return value


@wrong("07.nth_derivative", "known", "one step too many")
def one_too_many(f, x, n):
    return derivative(f, x, n + 1)


@wrong("07.nth_derivative", "known", "one step is missing")
def one_too_few(f, x, n):
    return derivative(f, x, max(n - 1, 0))


@wrong("07.nth_derivative", "wrong_value", "the result")
def power(f, x, n):
    return derivative(f, x, 1) ** n


@wrong("07.nth_derivative", "leaves_a_trace", "x requires grad")
def callers_tensor(f, x, n):
    result = derivative(f, x, n)
    x.requires_grad_()
    return result


# hessian_vector_product


@wrong("07.hessian_vector_product", "hessian_formed", "for x with 40 entries there are 41 backward passes through f")
def rows_one_by_one(f, x, v):
    leaf = fresh(x)
    gradient = torch.autograd.grad(f(leaf), leaf, create_graph=True)[0].reshape(-1)
    rows = [torch.autograd.grad(entry, leaf, retain_graph=True)[0].reshape(-1) for entry in gradient]
    return (torch.stack(rows) @ v.reshape(-1)).reshape(x.shape)


@wrong("07.hessian_vector_product", "hessian_formed", "all rows of the Hessian")
def by_functional_hessian(f, x, v):
    return (hessian_of(f, x) @ v.reshape(-1)).reshape(x.shape)


@wrong("07.hessian_vector_product", "one_shape", "1D tensors expected")
def vectors_only(f, x, v):
    x = fresh(x)
    (g,) = torch.autograd.grad(f(x), x, create_graph=True)
    return torch.autograd.grad(g.dot(v), x)[0]


@wrong("07.hessian_vector_product", "raised", "computes a gradient without `create_graph=True`")
def gradient_without_history(f, x, v):
    x = fresh(x)
    (g,) = torch.autograd.grad(f(x), x, retain_graph=True)
    return torch.autograd.grad((g * v).sum(), x)[0]


@wrong("07.hessian_vector_product", "known", "nothing was differentiated a second time")
def first_order(f, x, v):
    return first_and_second(f, x, v)[0] * v


@wrong("07.hessian_vector_product", "wrong_shape", "the result has shape (), it must have (2,)")
def directional(f, x, v):
    return (first_and_second(f, x, v)[0] * v).sum()


@wrong("07.hessian_vector_product", "known", "the result is that of v full of ones")
def v_ignored(f, x, v):
    return first_and_second(f, x, torch.ones_like(v))[1]


@wrong("07.hessian_vector_product", "wrong_value", "the result")
def squared_length(f, x, v):
    x = fresh(x)
    (g,) = torch.autograd.grad(f(x), x, create_graph=True)
    return torch.autograd.grad((g * g).sum(), x)[0]


@wrong("07.hessian_vector_product", "leaves_a_trace", "v requires grad")
def v_as_a_leaf(f, x, v):
    v.requires_grad_()
    return first_and_second(f, x, v)[1]


# newton_step


@wrong("07.newton_step", "one_shape", "grad can be implicitly created only for scalar outputs")
def as_in_the_lesson(f, x):
    x = fresh(x)
    (g,) = torch.autograd.grad(f(x), x, create_graph=True)
    rows = [torch.autograd.grad(entry, x, retain_graph=True)[0] for entry in (g if g.dim() else [g])]
    with torch.no_grad():
        return x - torch.linalg.solve(torch.stack(rows).reshape(len(rows), -1), g.reshape(-1)).reshape(x.shape)


@wrong("07.newton_step", "known", "the point: the step is added, not subtracted")
def uphill(f, x):
    return 2 * x - newton(f, x)


@wrong("07.newton_step", "known", "the step alone")
def step_alone(f, x):
    return x - newton(f, x)


@wrong("07.newton_step", "raised", "does not require grad")
def hessian_without_create_graph(f, x):
    x = fresh(x)
    g = torch.autograd.grad(f(x), x, retain_graph=True)[0].reshape(-1)
    rows = [torch.autograd.grad(entry, x, retain_graph=True)[0].reshape(-1) for entry in g]
    return x - torch.linalg.solve(torch.stack(rows), g).reshape(x.shape)


@wrong("07.newton_step", "one_shape", "second time")
def freed_after_one_row(f, x):
    leaf = fresh(x)
    g = torch.autograd.grad(f(leaf), leaf, create_graph=True)[0].reshape(-1)
    rows = [torch.autograd.grad(entry, leaf)[0].reshape(-1) for entry in g]
    return x - torch.linalg.solve(torch.stack(rows), g).reshape(x.shape)


@wrong("07.newton_step", "argument_changed", "the argument x is changed")
def jumped_in_place(f, x):
    x.copy_(newton(f, x))
    return x.clone()


def newton(f, x):
    g = first_and_second(f, x, x)[0].reshape(-1)
    return x - torch.linalg.solve(hessian_of(f, x), g).reshape(x.shape)


# gradient_penalty


@wrong("07.gradient_penalty", "raised", "does not require grad")
def penalty_without_create_graph(f, x, w):
    x, w = fresh(x), fresh(w)
    (slopes,) = torch.autograd.grad(f(x, w).sum(), x, retain_graph=True)
    penalty = (slopes**2).sum(1).mean()
    return penalty, torch.autograd.grad(penalty, w)[0]


@wrong("07.gradient_penalty", "known", "the penalty: this is the sum, but it must be the mean")
def summed_rows(f, x, w):
    return penalty_of(f, x, w, lambda slopes: (slopes**2).sum())


@wrong("07.gradient_penalty", "known", "the mean is taken over all entries of the slopes: add up the squares in")
def mean_of_all(f, x, w):
    return penalty_of(f, x, w, lambda slopes: (slopes**2).mean())


@wrong("07.gradient_penalty", "wrong_shape", "result[1] has shape (3, 1), it must have (1,)")
def with_respect_to_x(f, x, w):
    x = fresh(x)
    (slopes,) = torch.autograd.grad(f(x, w).sum(), x, create_graph=True)
    penalty = (slopes**2).sum(1).mean() + 0 * x.sum()
    return penalty, torch.autograd.grad(penalty, x)[0]


@wrong("07.gradient_penalty", "type", "must be a list or tuple of 2 entries")
def penalty_alone(f, x, w):
    return penalty_of(f, x, w, lambda slopes: (slopes**2).sum(1).mean())[0]


@wrong("07.gradient_penalty", "leaves_a_trace", "w has a `.grad` after the call")
def in_the_callers_w(f, x, w):
    x = fresh(x)
    w.requires_grad_()
    (slopes,) = torch.autograd.grad(f(x, w).sum(), x, create_graph=True)
    penalty = (slopes**2).sum(1).mean()
    penalty.backward()
    return penalty.item(), w.grad


# More slips: nth_derivative


@wrong("07.nth_derivative", "zero", "the result is zero everywhere, which is wrong; is the graph cut")
def asks_for_a_grad_fn(f, x, n):
    leaf = fresh(x)
    value = f(leaf)
    for _ in range(n):
        if value.grad_fn is None:
            return torch.zeros_like(x)
        (value,) = torch.autograd.grad(value.sum(), leaf, create_graph=True)
    return value


@wrong("07.nth_derivative", "wrong_shape", "only where the derivative is 0 everywhere")
def zeros_as_a_vector(f, x, n):
    leaf = fresh(x)
    value = f(leaf)
    for _ in range(n):
        if not value.requires_grad:
            return torch.zeros(x.numel() + 1, dtype=x.dtype)
        (value,) = torch.autograd.grad(value.sum(), leaf, create_graph=True)
    return value


@wrong("07.nth_derivative", "wrong_value", "the result")
def two_at_most(f, x, n):
    return derivative(f, x, min(n, 2))


@wrong("07.nth_derivative", "relation", "the result is only the sign of what it must be: -1, 0 or 1, for every")
def ones_for_order_zero(f, x, n):
    return derivative(f, x, n) if n else torch.ones_like(x)


@wrong("07.nth_derivative", "type", "it must be a tensor")
def as_a_list(f, x, n):
    return derivative(f, x, n).tolist()


# More slips: hessian_vector_product


@wrong("07.hessian_vector_product", "wrong_value", "the result")
def gradient_alone(f, x, v):
    return first_and_second(f, x, v)[0]


# More slips: newton_step


@wrong("07.newton_step", "wrong_value", "the result")
def one_triangle(f, x):
    g = first_and_second(f, x, x)[0].reshape(-1)
    return x - torch.linalg.solve(torch.tril(hessian_of(f, x)), g).reshape(x.shape)


@wrong("07.newton_step", "wrong_value", "the result")
def solved_for_x(f, x):
    return x - torch.linalg.solve(hessian_of(f, x), x.reshape(-1)).reshape(x.shape)


# More slips: gradient_penalty


@wrong("07.gradient_penalty", "some_values", "both entries of the result are wrong: [0]")
def root(f, x, w):
    return penalty_of(f, x, w, lambda s: (s**2).sum(1).mean().sqrt())


@wrong("07.gradient_penalty", "some_values", "both entries of the result are wrong: [0]")
def whole_norm(f, x, w):
    return penalty_of(f, x, w, lambda s: s.norm())


@wrong("07.gradient_penalty", "mean_for_sum", "result[1] is right, but multiplied by the number of rows of x, as with")
def mean_shown_sum_differentiated(f, x, w):
    penalty, gradient = penalty_of(f, x, w, lambda s: (s**2).sum())
    return penalty / len(x), gradient
