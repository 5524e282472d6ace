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
    "has no history: nothing was recorded on the way from the leaf to it; some inputs work",
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


@wrong("07.hessian_vector_product", "raised", "what is differentiated there has no history")
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


@wrong("07.hessian_vector_product", "known", "as if v were all ones")
def v_ignored(f, x, v):
    return first_and_second(f, x, torch.ones_like(v))[1]


@wrong("07.hessian_vector_product", "known", "before they are added up")
def v_afterwards(f, x, v):
    return first_and_second(f, x, torch.ones_like(v))[1] * v


@wrong("07.hessian_vector_product", "known", "the gradient of the gradient's squared length")
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


@wrong("07.newton_step", "known", "the rest of the Hessian counts too")
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


@wrong("07.newton_step", "wrong_shape", "has shape (6,), it must have (2, 3)")
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


@wrong("07.gradient_penalty", "known", "the penalty is their mean")
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


@wrong("07.gradient_penalty", "type", "must be a list of 2 entries")
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
