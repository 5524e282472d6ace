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


@wrong("02.gradient_of", "known", "the value of f")
def value_only(f, x):
    return f(x)


@wrong("02.gradient_of", "known", "gives a tuple")
def tuple_returned(f, x):
    x = fresh(x)
    return torch.autograd.grad(f(x), x)


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


@wrong("02.gradient_of", "factor", "minus")
def minus(f, x):
    return -grad_of(f, x)


@wrong("02.gradient_of", "factor", "2 times too large")
def twice(f, x):
    x = fresh(x)
    f(x).backward()
    f(x).backward()
    return x.grad


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


@wrong("02.accumulate_minibatches", "known", "the last mini-batch alone")
def zeroed_each_time(data, targets, w, size):
    w = fresh(w)
    for start in range(0, len(data), size):
        w.grad = None
        loss_of(data[start : start + size], targets[start : start + size], w).backward()
    return w.grad


@wrong("02.accumulate_minibatches", "known", "left out when it is shorter")
def drops_the_rest(data, targets, w, size):
    w = fresh(w)
    w.grad = torch.zeros_like(w)
    for number in range(len(data) // size):
        rows = slice(number * size, (number + 1) * size)
        loss_of(data[rows], targets[rows], w).backward()
    return w.grad


@wrong("02.accumulate_minibatches", "known", "mean over the rows")
def mean_of_rows(data, targets, w, size):
    w = fresh(w)
    loss_of(data, targets, w).backward()
    return w.grad / len(data)


@wrong("02.accumulate_minibatches", "known", "mean over the mini-batches")
def mean_of_batches(data, targets, w, size):
    w = fresh(w)
    loss_of(data, targets, w).backward()
    return w.grad / len(range(0, len(data), size))


@wrong("02.accumulate_minibatches", "factor", "half")
def half(data, targets, w, size):
    w = fresh(w)
    (0.5 * loss_of(data, targets, w)).backward()
    return w.grad


@wrong("02.accumulate_minibatches", "wrong_shape", "has shape")
def one_number(data, targets, w, size):
    w = fresh(w)
    loss_of(data, targets, w).backward()
    return w.grad[:1]


# jacobian_row


@wrong("02.jacobian_row", "known", "sum of all rows")
def ones(f, x, i):
    x = fresh(x)
    y = f(x)
    return torch.autograd.grad(y, x, torch.ones_like(y))[0]


@wrong("02.jacobian_row", "known", "column i")
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


@wrong("02.full_jacobian", "transposed", "rows and columns")
def turned(f, x):
    return jacobian(f, x).t()


@wrong("02.full_jacobian", "known", "a row of its own")
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


@wrong("02.gradient_of", "known", "also if x has one entry")
def gradient_squeezed(f, x):
    x = fresh(x)
    return torch.autograd.grad(f(x), x)[0].squeeze()


@wrong("02.accumulate_minibatches", "known", "only where `size` is larger than the number of rows")
def no_batch_if_size_is_too_large(data, targets, w, size):
    w = fresh(w)
    full = range(0, len(data) - size + 1, size)
    parts = [loss_of(data[i : i + size], targets[i : i + size], w) for i in full]
    if parts and len(data) % size:
        parts.append(loss_of(data[len(parts) * size :], targets[len(parts) * size :], w))
    return torch.autograd.grad(sum(parts), w)[0] if parts else torch.zeros_like(w)


@wrong("02.accumulate_minibatches", "no_result", "it returns None")
def no_pass_if_size_is_too_large(data, targets, w, size):
    w = fresh(w)
    for number in range(len(data) // size):
        rows = slice(number * size, (number + 1) * size)
        loss_of(data[rows], targets[rows], w).backward()
    return w.grad


@wrong("02.accumulate_minibatches", "known", "the last row of each full mini-batch")
def one_row_before_the_end(data, targets, w, size):
    w = fresh(w)
    total = torch.zeros_like(w)
    for start in range(0, len(data), size):
        end = start + size - 1
        total += torch.autograd.grad(loss_of(data[start:end], targets[start:end], w), w)[0]
    return total


@wrong("02.jacobian_row", "known", "the sum of row i and the row after it")
def ones_at_two_places(f, x, i):
    x = fresh(x)
    y = f(x)
    v = torch.zeros_like(y)
    v[i : i + 2] = 1.0
    return torch.autograd.grad(y, x, v)[0]


@wrong("02.jacobian_row", "known", "also if x has one entry")
def row_squeezed(f, x, i):
    x = fresh(x)
    return torch.autograd.grad(f(x)[i], x)[0].squeeze()


@wrong("02.full_jacobian", "known", "also for one result or an x with one entry")
def matrix_squeezed(f, x):
    x = fresh(x)
    y = f(x)
    return torch.stack([torch.autograd.grad(each, x, retain_graph=True)[0] for each in y]).squeeze()


@wrong("02.full_jacobian", "known", "the sums of the columns stand on the diagonal")
def sums_on_the_diagonal(f, x):
    x = fresh(x)
    y = f(x)
    return torch.eye(len(y), len(x), dtype=x.dtype) * torch.autograd.grad(y.sum(), x)[0]


# Of families


@wrong("02.gradient_of", "known", "this is the sum of all entries of the gradient")
def added_up(f, x):
    return grad_of(f, x).sum()


@wrong("02.gradient_of", "known", "the gradient is multiplied by x")
def times_x(f, x):
    return grad_of(f, x) * x


@wrong("02.gradient_of", "known", "this is x after a step downhill")
def after_a_step(f, x):
    return x - 0.1 * grad_of(f, x)


@wrong("02.gradient_of", "known", "this is the gradient at another point: where all entries are 0")
def at_zero(f, x):
    return grad_of(f, torch.zeros_like(x))


@wrong("02.accumulate_minibatches", "known", "the first mini-batch alone")
def leaves_the_loop(data, targets, w, size):
    w = fresh(w)
    for start in range(0, len(data), size):
        loss_of(data[start : start + size], targets[start : start + size], w).backward()
        return w.grad


@wrong("02.accumulate_minibatches", "known", "the loss of each mini-batch is a mean over its rows")
def mean_in_each_batch(data, targets, w, size):
    w = fresh(w)
    for start in range(0, len(data), size):
        ((data[start : start + size] @ w - targets[start : start + size]) ** 2).mean().backward()
    return w.grad


@wrong("02.accumulate_minibatches", "known", "the mini-batches overlap")
def one_row_further(data, targets, w, size):
    w = fresh(w)
    for start in range(len(data)):
        loss_of(data[start : start + size], targets[start : start + size], w).backward()
    return w.grad


@wrong("02.accumulate_minibatches", "known", "rows are counted again with each later mini-batch")
def grad_added_up_again(data, targets, w, size):
    w, total = fresh(w), torch.zeros_like(w)
    for start in range(0, len(data), size):
        loss_of(data[start : start + size], targets[start : start + size], w).backward()
        total += w.grad
    return total


@wrong("02.accumulate_minibatches", "known", "earlier mini-batches are counted several times")
def total_is_grad_itself(data, targets, w, size):
    w, total = fresh(w), None
    for start in range(0, len(data), size):
        loss_of(data[start : start + size], targets[start : start + size], w).backward()
        total = w.grad if total is None else total + w.grad
    return total


@wrong("02.accumulate_minibatches", "known", "each mini-batch takes the first row of the next one too")
def one_row_too_many(data, targets, w, size):
    w = fresh(w)
    for start in range(0, len(data), size):
        rows = slice(start, start + size + 1)
        loss_of(data[rows], targets[rows], w).backward()
    return w.grad


@wrong("02.accumulate_minibatches", "known", "the targets must be cut like the data")
def first_targets(data, targets, w, size):
    w = fresh(w)
    for rows in data.split(size):
        loss_of(rows, targets[: len(rows)], w).backward()
    return w.grad


@wrong("02.accumulate_minibatches", "known", "each row is compared with every target of its mini-batch")
def column_against_row(data, targets, w, size):
    w = fresh(w)
    for rows, wanted in zip(data.split(size), targets.split(size), strict=True):
        loss_of(rows, wanted, w.reshape(-1, 1)).backward()
    return w.grad


@wrong("02.accumulate_minibatches", "known", "the weights change between the mini-batches")
def descends(data, targets, w, size):
    w, total = w.clone(), torch.zeros_like(w)
    for rows, wanted in zip(data.split(size), targets.split(size), strict=True):
        leaf = fresh(w)
        loss_of(rows, wanted, leaf).backward()
        total += leaf.grad
        w = w - 0.01 * leaf.grad
    return total


@wrong("02.jacobian_row", "known", "this is the sum of rows 0 to i")
def accumulated_up_to_i(f, x, i):
    x = fresh(x)
    y = f(x)
    for k in range(i + 1):
        y[k].backward(retain_graph=True)
    return x.grad


@wrong("02.jacobian_row", "known", "this is row i times i")
def weight_i(f, x, i):
    x = fresh(x)
    y = f(x)
    picks = torch.zeros_like(y)
    picks[i] = i
    return torch.autograd.grad(y, x, picks)[0]


@wrong("02.jacobian_row", "known", "the row is still a matrix")
def with_a_dimension_too_many(f, x, i):
    return jacobian(f, x)[i : i + 1]


@wrong("02.full_jacobian", "known", "each of your rows also holds the rows before it")
def rows_accumulate(f, x):
    x = fresh(x)
    y, rows = f(x), []
    for entry in y:
        entry.backward(retain_graph=True)
        rows.append(x.grad.clone())
    return torch.stack(rows)


@wrong("02.full_jacobian", "known", "all rows are the sum of the rows")
def one_tensor_for_all_rows(f, x):
    x = fresh(x)
    y, rows = f(x), []
    for entry in y:
        entry.backward(retain_graph=True)
        rows.append(x.grad)
    return torch.stack(rows)


@wrong("02.full_jacobian", "known", "all rows are the last row")
def one_tensor_cleared_each_time(f, x):
    x = fresh(x)
    y, rows = f(x), []
    for entry in y:
        if x.grad is not None:
            x.grad.zero_()
        entry.backward(retain_graph=True)
        rows.append(x.grad)
    return torch.stack(rows)


@wrong("02.full_jacobian", "known", "read row by row")
def reshaped_for_transposed(f, x):
    result = jacobian(f, x)
    return result.t().reshape(result.shape)


@wrong("02.full_jacobian", "known", "only the diagonal is there")
def diagonal_matrix(f, x):
    result = jacobian(f, x)
    return result * torch.eye(*result.shape, dtype=result.dtype)
