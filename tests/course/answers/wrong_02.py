"""Wrong answers to notebook 02, each with the diagnosis that must name it and words that its message must have."""

import autograd_teach as torch

WRONG: list[tuple[str, object, str, str]] = []


def wrong(exercise, diagnosis, words=""):
    return lambda answer: WRONG.append((exercise, answer, diagnosis, words)) or answer


def fresh(x):
    return x.detach().clone().requires_grad_(True)


def grad_of(f, x):
    x = fresh(x)
    return torch.autograd.grad(f(x), x)[0]


def jacobian(f, x):
    return torch.autograd.functional.jacobian(f, x)


def loss_of(data, targets, w):
    return ((data @ w - targets) ** 2).sum()


# gradient_of


@wrong("02.gradient_of", "wrong_shape", "the result has shape (), it must have (3,)")
def value_only(f, x):
    return f(x)


@wrong("02.gradient_of", "raised", "does not require grad")
def no_leaf(f, x):
    return torch.autograd.grad(f(x), x)[0]


@wrong("02.gradient_of", "leaves_a_trace", "x has a `.grad` after the call")
def callers_tensor(f, x):
    x.requires_grad_()
    f(x).backward()
    return x.grad


@wrong("02.gradient_of", "no_result", "return")
def forgot_return(f, x):
    x = fresh(x)
    f(x).backward()
    x.grad  # noqa: B018


@wrong("02.gradient_of", "known", "the gradient: it has the wrong sign")
def minus(f, x):
    return -grad_of(f, x)


@wrong("02.gradient_of", "signature", "takes something else")
def one_argument(x):
    return x


@wrong("02.gradient_of", "one_shape", "x = ")
def matrix_only(f, x):
    return grad_of(f, x) + 0 * x[0].sum()


@wrong("02.gradient_of", "type", "it must be a tensor of shape (3)".replace("(3)", "(3,)"))
def as_text(f, x):
    return str(grad_of(f, x).tolist())


WRONG.append(("02.gradient_of", 3.0, "no_function", "pass gradient_of itself"))


@wrong("02.gradient_of", "zero", "zero everywhere")
def zeros(f, x):
    return torch.zeros_like(x)


@wrong("02.gradient_of", "nan", "NaN")
def not_a_number(f, x):
    return grad_of(f, x) * 0 / 0


@wrong("02.gradient_of", "wrong_value", "the result is")
def slope_of_a_secant(f, x):
    return grad_of(f, x + 0.1)


@wrong("02.gradient_of", "argument_changed", "the argument x is changed")
def shared_memory(f, x):
    result = grad_of(f, x)
    x.zero_()
    return result


@wrong("02.gradient_of", "timeout", "endless loop")
def endless(f, x):
    while True:
        pass


calls = []


@wrong("02.gradient_of", "not_repeatable", "the second time")
def remembers(f, x):
    calls.append(str(x))
    return grad_of(f, x) * (1 if calls.count(str(x)) == 1 else 2)


# accumulate_minibatches


@wrong("02.accumulate_minibatches", "known", "the sum over the mini-batches: it is also divided by the length of")
def mean_of_rows(data, targets, w, size):
    w = fresh(w)
    loss_of(data, targets, w).backward()
    return w.grad / len(data)


@wrong("02.accumulate_minibatches", "known", "mean over the mini-batches")
def mean_of_batches(data, targets, w, size):
    w = fresh(w)
    loss_of(data, targets, w).backward()
    return w.grad / len(range(0, len(data), size))


@wrong("02.accumulate_minibatches", "wrong_shape", "has shape")
def one_number(data, targets, w, size):
    w = fresh(w)
    loss_of(data, targets, w).backward()
    return w.grad[:1]


# jacobian_row


def ones(f, x, i):
    x = fresh(x)
    y = f(x)
    return torch.autograd.grad(y, x, torch.ones_like(y))[0]


@wrong("02.jacobian_row", "wrong_shape", "the result has shape (2,), it must have (3,)")
def column(f, x, i):
    return jacobian(f, x)[:, min(i, len(x) - 1)]


@wrong("02.jacobian_row", "known", "counted from 0")
def from_one(f, x, i):
    return jacobian(f, x)[i - 1]


@wrong("02.jacobian_row", "one_shape", "has several entries, but only a single number")
def no_grad_outputs(f, x, i):
    x = fresh(x)
    return torch.autograd.grad(f(x), x)[0]


@wrong("02.jacobian_row", "in_a_tuple", "`autograd.grad` gives such a tuple")
def still_in_its_tuple(f, x, i):
    x = fresh(x)
    return torch.autograd.grad(f(x)[i], x)


@wrong("02.jacobian_row", "ends_program", "` ends the program (SystemExit)")
def quits(f, x, i):
    quit()  # noqa: PLR1722  # as students write it


# full_jacobian


@wrong("02.full_jacobian", "known", "the matrix: it is transposed")
def turned(f, x):
    return jacobian(f, x).t()


@wrong("02.full_jacobian", "wrong_shape", "the result has shape (2,), it must have (2, 2)")
def rows_added(f, x):
    return ones(f, x, 0)


@wrong("02.full_jacobian", "known", "the last row is missing")
def without_last(f, x):
    return jacobian(f, x)[:-1]


@wrong("02.full_jacobian", "some_entries", "wrong only in")
def first_row_twice(f, x):
    result = jacobian(f, x)
    result[1] = result[0]
    return result


@wrong("02.full_jacobian", "one_shape", "second time")
def freed(f, x):
    x = fresh(x)
    y = f(x)
    return torch.stack([torch.autograd.grad(y[i] + y.sum() * 0, x)[0] for i in range(len(y))])


@wrong("02.gradient_of", "wrong_shape", "the numbers are right, but the result has shape (), it must have (1,)")
def gradient_squeezed(f, x):
    x = fresh(x)
    return torch.autograd.grad(f(x), x)[0].squeeze()


@wrong("02.accumulate_minibatches", "no_result", "it returns None")
def no_pass_if_size_is_too_large(data, targets, w, size):
    w = fresh(w)
    for number in range(len(data) // size):
        rows = slice(number * size, (number + 1) * size)
        loss_of(data[rows], targets[rows], w).backward()
    return w.grad


@wrong("02.jacobian_row", "wrong_shape", "the numbers are right, but the result has shape (), it must have (1,)")
def row_squeezed(f, x, i):
    x = fresh(x)
    return torch.autograd.grad(f(x)[i], x)[0].squeeze()


# Of families


@wrong("02.gradient_of", "known", "this is the sum of all entries of the gradient")
def added_up(f, x):
    return grad_of(f, x).sum()


@wrong("02.gradient_of", "wrong_value", "the result")
def after_a_step(f, x):
    return x - 0.1 * grad_of(f, x)


@wrong("02.accumulate_minibatches", "wrong_value", "the result")
def total_is_grad_itself(data, targets, w, size):
    w, total = fresh(w), None
    for start in range(0, len(data), size):
        loss_of(data[start : start + size], targets[start : start + size], w).backward()
        total = w.grad if total is None else total + w.grad
    return total


@wrong("02.accumulate_minibatches", "wrong_value", "the result")
def descends(data, targets, w, size):
    w, total = w.clone(), torch.zeros_like(w)
    for rows, wanted in zip(data.split(size), targets.split(size), strict=True):
        leaf = fresh(w)
        loss_of(rows, wanted, leaf).backward()
        total += leaf.grad
        w = w - 0.01 * leaf.grad
    return total


@wrong("02.jacobian_row", "known", "the row is still a matrix")
def with_a_dimension_too_many(f, x, i):
    return jacobian(f, x)[i : i + 1]
