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


@wrong("07.nth_derivative", "one_shape", "grad can be implicitly created only for scalar outputs")
def without_sum(f, x, n):
    x = fresh(x)
    value = f(x) + 0 * x
    for _ in range(n):
        value = torch.autograd.grad(value, x, create_graph=True)[0] + 0 * x
    return value


@wrong("07.nth_derivative", "known", "yours is still the constant")
def stopped(f, x, n):
    x = fresh(x)
    value = f(x)
    for _ in range(n):
        if not value.requires_grad:
            break
        (value,) = torch.autograd.grad(value.sum(), x, create_graph=True)
    return value


@wrong("07.nth_derivative", "known", "one step too many")
def one_too_many(f, x, n):
    return derivative(f, x, n + 1)


@wrong("07.nth_derivative", "known", "one step is missing")
def one_too_few(f, x, n):
    return derivative(f, x, max(n - 1, 0))


@wrong("07.nth_derivative", "known", "whatever n is")
def always_first(f, x, n):
    return derivative(f, x, 1)


@wrong("07.nth_derivative", "known", "to the power of n")
def power(f, x, n):
    return derivative(f, x, 1) ** n


@wrong("07.nth_derivative", "known", "the sum over all entries")
def summed(f, x, n):
    return derivative(f, x, n).sum()


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


@wrong("07.hessian_vector_product", "known", "how fast f grows along v")
def directional(f, x, v):
    return (first_and_second(f, x, v)[0] * v).sum()


@wrong("07.hessian_vector_product", "known", "all ones: v is not used")
def v_ignored(f, x, v):
    return first_and_second(f, x, torch.ones_like(v))[1]


@wrong("07.hessian_vector_product", "known", "before they are added up")
def v_afterwards(f, x, v):
    return first_and_second(f, x, torch.ones_like(v))[1] * v


@wrong("07.hessian_vector_product", "known", "as in the gradient of its squared length")
def squared_length(f, x, v):
    x = fresh(x)
    (g,) = torch.autograd.grad(f(x), x, create_graph=True)
    return torch.autograd.grad((g * g).sum(), x)[0]


@wrong("07.hessian_vector_product", "known", "from one side")
def quadratic(f, x, v):
    return (first_and_second(f, x, v)[1] * v).sum()


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


@wrong("07.newton_step", "known", "the Hessian is not used")
def gradient_step(f, x):
    x = fresh(x)
    return x - torch.autograd.grad(f(x), x)[0]


@wrong("07.newton_step", "known", "the wrong way")
def uphill(f, x):
    return 2 * x - newton(f, x)


@wrong("07.newton_step", "known", "the step alone")
def step_alone(f, x):
    return x - newton(f, x)


@wrong("07.newton_step", "known", "the rest counts too")
def diagonal(f, x):
    hessian = hessian_of(f, x)
    entries = torch.stack([hessian[i, i] for i in range(len(hessian))])
    return x - first_and_second(f, x, x)[0] / entries.reshape(x.shape)


@wrong("07.newton_step", "known", "differentiating the sum of the gradient")
def grad_of_the_sum(f, x):
    g, sums = first_and_second(f, x, torch.ones_like(x))
    return x - g / sums


@wrong("07.newton_step", "known", "multiplied by the Hessian")
def multiplied(f, x):
    x = fresh(x)
    (g,) = torch.autograd.grad(f(x), x, create_graph=True)
    return x - torch.autograd.grad((g * g.detach()).sum(), x)[0]


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


@wrong("07.newton_step", "known", "the result is a vector")
def left_flat(f, x):
    return newton(f, x).reshape(-1)


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


@wrong("07.gradient_penalty", "known", "the penalty is the mean over the rows")
def summed_rows(f, x, w):
    return penalty_of(f, x, w, lambda slopes: (slopes**2).sum())


@wrong("07.gradient_penalty", "known", "the mean over all entries")
def mean_of_all(f, x, w):
    return penalty_of(f, x, w, lambda slopes: (slopes**2).mean())


@wrong("07.gradient_penalty", "known", "divided by the number of rows")
def mean_of_results(f, x, w):
    return penalty_of(f, x, w, lambda slopes: ((slopes / len(x)) ** 2).sum(1).mean())


@wrong("07.gradient_penalty", "known", "the penalty has their squares")
def lengths(f, x, w):
    return penalty_of(f, x, w, lambda slopes: (slopes**2).sum(1).sqrt().mean())


@wrong("07.gradient_penalty", "known", "the gradient of f, not the gradient of the penalty")
def gradient_of_the_model(f, x, w):
    x, w = fresh(x), fresh(w)
    slopes, of_w = torch.autograd.grad(f(x, w).sum(), (x, w))
    return (slopes**2).sum(1).mean(), of_w


@wrong("07.gradient_penalty", "known", "the slopes with respect to w are penalised")
def slopes_of_weights(f, x, w):
    w = fresh(w)
    out = f(x, w).sum()
    (slopes,) = torch.autograd.grad(out, w, create_graph=True)
    penalty = (slopes**2).sum() + 0 * w.sum()
    return penalty, torch.autograd.grad(penalty, w)[0]


@wrong("07.gradient_penalty", "known", "with respect to x: it must be with respect to w")
def with_respect_to_x(f, x, w):
    x = fresh(x)
    (slopes,) = torch.autograd.grad(f(x, w).sum(), x, create_graph=True)
    penalty = (slopes**2).sum(1).mean() + 0 * x.sum()
    return penalty, torch.autograd.grad(penalty, x)[0]


@wrong("07.gradient_penalty", "known", "swapped: the penalty comes first")
def swapped(f, x, w):
    return penalty_of(f, x, w, lambda slopes: (slopes**2).sum(1).mean())[::-1]


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


@wrong("07.nth_derivative", "known", "it is wrong if f gives back its argument itself")
def asks_for_a_grad_fn(f, x, n):
    leaf = fresh(x)
    value = f(leaf)
    for _ in range(n):
        if value.grad_fn is None:
            return torch.zeros_like(x)
        (value,) = torch.autograd.grad(value.sum(), leaf, create_graph=True)
    return value


@wrong("07.nth_derivative", "known", "from order 2 on everything is 0")
def create_graph_forgotten(f, x, n):
    leaf = fresh(x)
    value = f(leaf)
    for _ in range(n):
        if not value.requires_grad:
            return torch.zeros_like(x)
        (value,) = torch.autograd.grad(value.sum(), leaf)
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


@wrong("07.nth_derivative", "known", "happens to be 0 at x")
def stops_at_zero(f, x, n):
    leaf = fresh(x)
    value = f(leaf)
    for _ in range(n):
        if not value.any() or not value.requires_grad:
            return torch.zeros_like(x)
        (value,) = torch.autograd.grad(value.sum(), leaf, create_graph=True)
    return value


@wrong("07.nth_derivative", "known", "the first derivative if n is larger than 1")
def cut_off(f, x, n):
    return derivative(f, x, min(n, 1))


@wrong("07.nth_derivative", "known", "the second derivative if n is larger than 2")
def two_at_most(f, x, n):
    return derivative(f, x, min(n, 2))


@wrong("07.nth_derivative", "known", "divides by the number of entries")
def mean_for_sum(f, x, n):
    return derivative(f, x, n) / x.numel() ** n


@wrong("07.nth_derivative", "known", "divided by n!")
def taylor(f, x, n):
    value = derivative(f, x, n)
    for k in range(1, n + 1):
        value = value / k
    return value


@wrong("07.nth_derivative", "known", "as in a `.grad` that is not cleared")
def not_cleared(f, x, n):
    leaf = fresh(x)
    value = f(leaf) + 0 * leaf
    for _ in range(n):
        (slope,) = torch.autograd.grad(value.sum(), leaf, create_graph=True)
        kept = slope if leaf.grad is None else leaf.grad + slope
        leaf.grad, value = kept, kept + 0 * leaf
    return value.detach()


@wrong("07.nth_derivative", "known", "order 0 is wrong")
def ones_for_order_zero(f, x, n):
    return derivative(f, x, n) if n else torch.ones_like(x)


@wrong("07.nth_derivative", "known", "the sum of the derivatives of all orders")
def sum_of_orders(f, x, n):
    return sum(derivative(f, x, k) for k in range(n + 1))


@wrong("07.nth_derivative", "type", "it must be a tensor")
def as_a_list(f, x, n):
    return derivative(f, x, n).tolist()


# More slips: hessian_vector_product


@wrong("07.hessian_vector_product", "known", "that the first pass has left")
def left_in_grad(f, x, v):
    leaf = fresh(x)
    f(leaf).backward(create_graph=True)
    (leaf.grad * v).sum().backward()
    return leaf.grad


@wrong("07.hessian_vector_product", "known", "as the gradient of a mean")
def mean_of_the_product(f, x, v):
    return first_and_second(f, x, v / v.numel())[1]


@wrong("07.hessian_vector_product", "known", "v squared")
def v_twice(f, x, v):
    return first_and_second(f, x, v * v)[1]


@wrong("07.hessian_vector_product", "known", "the Hessian times x: v is not used")
def x_for_v(f, x, v):
    return first_and_second(f, x, x)[1]


@wrong("07.hessian_vector_product", "known", "over the whole way")
def plain_difference(f, x, v):
    def gradient(at):
        at = fresh(at)
        return torch.autograd.grad(f(at), at)[0]

    return gradient(x + v) - gradient(x)


@wrong("07.hessian_vector_product", "known", "this is the gradient: nothing")
def gradient_alone(f, x, v):
    return first_and_second(f, x, v)[0]


@wrong("07.hessian_vector_product", "known", "only the diagonal")
def diagonal_only(f, x, v):
    h = hessian_of(f, x) if x.numel() < 20 else torch.zeros(x.numel(), x.numel(), dtype=x.dtype)
    return (
        torch.stack([h[i, i] for i in range(len(h))]).reshape(x.shape) * v
        if x.numel() < 20
        else diagonal_of_40(f, x) * v
    )


def diagonal_of_40(f, x):
    squares = (x * x).sum()
    return 4 * f(x) / squares**2 * (2 * x * x + squares)


@wrong("07.hessian_vector_product", "known", "divided by its length")
def unit_vector(f, x, v):
    return first_and_second(f, x, v / v.norm())[1]


# More slips: newton_step


@wrong("07.newton_step", "known", "looks for a zero of f, with f and its gradient")
def root_of_f(f, x):
    leaf = fresh(x)
    value = f(leaf)
    return x - value.detach() / torch.autograd.grad(value, leaf)[0]


@wrong("07.newton_step", "known", "the point after two steps")
def two_steps(f, x):
    return newton(f, newton(f, x))


@wrong("07.newton_step", "known", "this is the bottom")
def to_the_bottom(f, x):
    for _ in range(30):
        x = newton(f, x)
    return x


@wrong("07.newton_step", "known", "only half the step")
def half_a_step(f, x):
    return x + (newton(f, x) - x) / 2


@wrong("07.newton_step", "known", "minus the step alone")
def minus_the_step(f, x):
    return newton(f, x) - x


@wrong("07.newton_step", "known", "one triangle")
def one_triangle(f, x):
    g = first_and_second(f, x, x)[0].reshape(-1)
    return x - torch.linalg.solve(torch.tril(hessian_of(f, x)), g).reshape(x.shape)


@wrong("07.newton_step", "known", "the other triangle")
def other_triangle(f, x):
    g = first_and_second(f, x, x)[0].reshape(-1)
    return x - torch.linalg.solve(torch.triu(hessian_of(f, x)), g).reshape(x.shape)


@wrong("07.newton_step", "known", "the identity is added")
def damped(f, x):
    g = first_and_second(f, x, x)[0].reshape(-1)
    h = hessian_of(f, x)
    return x - torch.linalg.solve(h + torch.eye(len(h), dtype=x.dtype), g).reshape(x.shape)


@wrong("07.newton_step", "known", "the Hessian divides x")
def solved_for_x(f, x):
    return x - torch.linalg.solve(hessian_of(f, x), x.reshape(-1)).reshape(x.shape)


@wrong("07.newton_step", "known", "sum of all entries of the Hessian")
def one_number_for_all(f, x):
    g, h = first_and_second(f, x, x)[0], hessian_of(f, x)
    return x - g / h.sum()


@wrong("07.newton_step", "known", "the rest counts too; and the step is added")
def diagonal_and_uphill(f, x):
    h = hessian_of(f, x)
    return x + first_and_second(f, x, x)[0] / torch.stack([h[i, i] for i in range(len(h))]).reshape(x.shape)


# More slips: gradient_penalty


@wrong("07.gradient_penalty", "known", "pulls the lengths to 1")
def pulled_to_one(f, x, w):
    return penalty_of(f, x, w, lambda s: (((s**2).sum(1).sqrt() - 1) ** 2).mean())


@wrong("07.gradient_penalty", "known", "the mean is taken over the columns")
def wrong_axis(f, x, w):
    return penalty_of(f, x, w, lambda s: (s**2).sum(0).mean())


@wrong("07.gradient_penalty", "known", "the slopes are added up before they are squared")
def square_of_the_sum(f, x, w):
    return penalty_of(f, x, w, lambda s: (s.sum(1) ** 2).mean())


@wrong("07.gradient_penalty", "known", "the root of the penalty")
def root(f, x, w):
    return penalty_of(f, x, w, lambda s: (s**2).sum(1).mean().sqrt())


@wrong("07.gradient_penalty", "known", "the length of all slopes together")
def whole_norm(f, x, w):
    return penalty_of(f, x, w, lambda s: s.norm())


@wrong("07.gradient_penalty", "known", "that of f and that of the penalty, as in a `.grad`")
def left_in_the_grad_of_w(f, x, w):
    x, w = fresh(x), fresh(w)
    f(x, w).sum().backward(create_graph=True)
    penalty = (x.grad**2).sum(1).mean()
    penalty.backward()
    return penalty.detach(), w.grad


@wrong("07.gradient_penalty", "known", "is all zeros, as if the penalty did not depend on w")
def detached_slopes(f, x, w):
    x, w = fresh(x), fresh(w)
    (slopes,) = torch.autograd.grad(f(x, w).sum(), x)
    penalty = (slopes**2).sum(1).mean() + 0 * w.sum()
    return penalty, torch.autograd.grad(penalty, w)[0]


@wrong("07.gradient_penalty", "known", "as if one of two equal factors were a constant")
def one_factor_detached(f, x, w):
    x, w = fresh(x), fresh(w)
    (slopes,) = torch.autograd.grad(f(x, w).sum(), x, create_graph=True)
    penalty = (slopes * slopes.detach()).sum(1).mean()
    return penalty, torch.autograd.grad(penalty, w)[0]


@wrong("07.gradient_penalty", "known", "only the first row")
def first_row(f, x, w):
    return penalty_of(f, x, w, lambda s: (s[0] ** 2).sum())


@wrong("07.gradient_penalty", "known", "the absolute values of the slopes")
def absolute(f, x, w):
    return penalty_of(f, x, w, lambda s: s.abs().sum(1).mean())


@wrong("07.gradient_penalty", "known", "everything is halved")
def half(f, x, w):
    return penalty_of(f, x, w, lambda s: (s**2).sum(1).mean() / 2)


@wrong("07.gradient_penalty", "known", "the gradient of the mean of f, not")
def gradient_of_the_mean(f, x, w):
    x, w = fresh(x), fresh(w)
    slopes = torch.autograd.grad(f(x, w).sum(), x)[0]
    return (slopes**2).sum(1).mean(), torch.autograd.grad(f(x, w).mean(), w)[0]


@wrong("07.gradient_penalty", "known", "summed over all rows")
def mean_shown_sum_differentiated(f, x, w):
    penalty, gradient = penalty_of(f, x, w, lambda s: (s**2).sum())
    return penalty / len(x), gradient


@wrong("07.nth_derivative", "known", "orders 0 and 1 are right, and something is wrong for order 2 and more")
def f_of_the_derivative(f, x, n):
    x = fresh(x)
    value = f(x) + 0 * x
    for number in range(n):
        value = torch.autograd.grad(value.sum(), x, create_graph=True)[0] + 0 * x
        value = f(value) + 0 * x if number < n - 1 else value
    return value.detach()


@wrong("07.hessian_vector_product", "known", "twice v times the gradient, entry by entry")
def of_the_squared_gradient(f, x, v):
    x = fresh(x)
    (g,) = torch.autograd.grad(f(x), x, create_graph=True)
    return torch.autograd.grad((g * g * v).sum(), x)[0]


@wrong("07.hessian_vector_product", "known", "the Hessian at x + v, not at x")
def at_another_point(f, x, v):
    return first_and_second(f, x + v, v)[1]


@wrong("07.hessian_vector_product", "known", "over 0.01 times v")
def difference_of_gradients(f, x, v):
    return (first_and_second(f, x + 0.01 * v, v)[0] - first_and_second(f, x, v)[0]) / 0.01


@wrong("07.newton_step", "known", "also holds the rows before it")
def rows_pile_up(f, x):
    flat = fresh(x.reshape(-1))
    (g,) = torch.autograd.grad(f(flat.reshape(x.shape)), flat, create_graph=True)
    rows = []
    for each in g:
        each.backward(retain_graph=True)
        rows.append(flat.grad.clone())
    return (flat - torch.linalg.solve(torch.stack(rows), g)).detach().reshape(x.shape)


@wrong("07.newton_step", "known", "with the identity added, stand for the Hessian")
def outer_product_for_the_hessian(f, x):
    flat = fresh(x.reshape(-1))
    (g,) = torch.autograd.grad(f(flat.reshape(x.shape)), flat)
    matrix = torch.outer(g, g) + torch.eye(len(g), dtype=g.dtype)
    return (flat - torch.linalg.solve(matrix, g)).detach().reshape(x.shape)


@wrong("07.gradient_penalty", "known", "only the slopes in the first column")
def first_column_alone(f, x, w):
    return penalty_of(f, x, w, lambda slopes: (slopes[:, 0] ** 2).mean())


@wrong("07.gradient_penalty", "known", "the gradient of the root of the penalty")
def gradient_of_the_root(f, x, w):
    penalty, gradient = penalty_of(f, x, w, lambda slopes: (slopes**2).sum(1).mean())
    return penalty, gradient / (2 * penalty.sqrt())


@wrong("07.gradient_penalty", "known", "the slopes with respect to w are penalised")
def slopes_of_the_weights(f, x, w):
    w = fresh(w)
    (slopes,) = torch.autograd.grad(f(x, w).sum(), w, create_graph=True)
    penalty = (slopes**2).sum() / len(x) + 0 * w.sum()
    return penalty.detach(), torch.autograd.grad(penalty, w)[0]
