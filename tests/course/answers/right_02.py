"""Right answers to notebook 02, each written another way."""

import numpy as np

import autograd_teach as torch

RIGHT: list[tuple[str, object]] = []


def right(exercise):
    return lambda answer: RIGHT.append((exercise, answer)) or answer


def fresh(x):
    return x.detach().clone().requires_grad_(True)


@right("02.gradient_of")
def by_backward(f, x):
    leaf = fresh(x)
    f(leaf).backward()
    return leaf.grad


@right("02.gradient_of")
def with_prints(f, x):
    x = torch.tensor(x.tolist(), dtype=x.dtype, requires_grad=True)
    y = f(x)
    assert y.numel() == 1
    print("value", y.item())
    return torch.autograd.grad(outputs=y, inputs=[x])[0]


@right("02.gradient_of")
def by_functional(f, x):
    return torch.autograd.functional.vjp(f, x)[1]


@right("02.accumulate_minibatches")
def sum_of_grads(data, targets, w, size):
    total = torch.zeros_like(w)
    w = fresh(w)
    for rows, wanted in zip(data.split(size), targets.split(size), strict=True):
        errors = rows.mv(w) - wanted
        total += torch.autograd.grad(errors.pow(2).sum(), w)[0]
    return total


@right("02.accumulate_minibatches")
def while_loop(data, targets, w, size):
    w = fresh(w)
    while data.shape[0]:
        torch.dot(data[:size] @ w - targets[:size], data[:size] @ w - targets[:size]).backward()
        data, targets = data[size:], targets[size:]
    return w.grad


@right("02.accumulate_minibatches")
def in_numpy(data, targets, w, size):
    grad = np.zeros(len(w))
    for start in range(0, len(data), size):
        rows, wanted = data[start : start + size].numpy(), targets[start : start + size].numpy()
        grad += 2 * rows.T @ (rows @ w.numpy() - wanted)
    return torch.from_numpy(grad)


@right("02.jacobian_row")
def picked_by_indexing(f, x, i):
    x = fresh(x)
    return torch.autograd.grad(f(x)[i], x)[0]


@right("02.jacobian_row")
def backward_with_gradient(f, x, i):
    x = fresh(x)
    y = f(x)
    y.backward(gradient=torch.eye(len(y), dtype=y.dtype)[i])
    return x.grad


@right("02.jacobian_row")
def of_the_whole(f, x, i):
    return torch.autograd.functional.jacobian(f, x)[i]


@right("02.full_jacobian")
def row_by_row(f, x):
    count = len(f(x))
    return torch.stack([picked_by_indexing(f, x, i) for i in range(count)])


@right("02.full_jacobian")
def functional(f, x):
    return torch.autograd.functional.jacobian(f, x)


@right("02.full_jacobian")
def filled(f, x):
    x = fresh(x)
    y = f(x)
    result = torch.empty(len(y), len(x), dtype=x.dtype)
    for i in range(len(y)):
        x.grad = None
        y[i].backward(retain_graph=True)
        result[i] = x.grad
    return result


# With a history of their own, by differences, in one call


@right("02.gradient_of")
def with_history(f, x):
    x = fresh(x)
    return torch.autograd.grad(f(x), x, create_graph=True)[0]


@right("02.gradient_of")
def by_differences(f, x, h=1e-6):
    slopes = []
    for move in torch.eye(x.numel(), dtype=x.dtype):
        move = h * move.reshape(x.shape)
        slopes.append((f(x + move) - f(x - move)) / (2 * h))
    return torch.stack(slopes).reshape(x.shape)


@right("02.accumulate_minibatches")
def row_after_row(data, targets, w, size):
    return sum(2 * (row @ w - target) * row for row, target in zip(data, targets, strict=True))


@right("02.accumulate_minibatches")
def stacked(data, targets, w, size):
    w = fresh(w)
    losses = [((d @ w - t) ** 2).sum() for d, t in zip(data.split(size), targets.split(size), strict=True)]
    return torch.stack([torch.autograd.grad(loss, w, create_graph=True)[0] for loss in losses]).sum(0)


@right("02.jacobian_row")
def weighted_sum(f, x, i):
    x = fresh(x)
    y = f(x)
    (y * torch.tensor([float(k == i) for k in range(len(y))], dtype=y.dtype)).sum().backward()
    return x.grad


@right("02.full_jacobian")
def columns_by_differences(f, x, h=1e-6):
    columns = [(f(x + h * move) - f(x - h * move)) / (2 * h) for move in torch.eye(len(x), dtype=x.dtype)]
    return torch.stack(columns, 1)


@right("02.full_jacobian")
def one_vector_reshaped(f, x):
    x = fresh(x)
    y = f(x)
    rows = [torch.autograd.grad(entry, x, retain_graph=True)[0] for entry in y]
    return torch.cat(rows).reshape(len(y), len(x))


@right("02.accumulate_minibatches")
def rows_by_index(data, targets, w, size):
    w = fresh(w)
    groups = {}
    for row in range(len(data)):
        groups.setdefault(row // size, []).append(row)
    parts = [((data[rows] @ w - targets[rows]) ** 2).sum() for rows in groups.values()]
    return torch.autograd.grad(parts, w)[0]


@right("02.full_jacobian")
def rows_written_into_a_table(f, x):
    x = fresh(x)
    y = f(x)
    table = torch.zeros(len(y), len(x), dtype=x.dtype)
    for number in range(len(y)):
        table[number] = torch.autograd.grad(y[number], x, retain_graph=True)[0]
    return table
