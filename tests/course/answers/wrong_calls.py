"""Wrong answers to exercises that are called, of kinds that are wrong in any exercise: what is returned, None, what raises."""

import numpy as np

import autograd_teach as torch

WRONG: list[tuple[str, object, str, str]] = []


def wrong(exercise, diagnosis, words=""):
    return lambda answer: WRONG.append((exercise, answer, diagnosis, words)) or answer


def gradient(f, x):
    leaf = x.detach().clone().requires_grad_(True)
    return torch.autograd.grad(f(leaf), leaf)[0]


def rows_of(f, x):
    leaf = x.detach().clone().requires_grad_(True)
    y = f(leaf)
    return [torch.autograd.grad(each, leaf, retain_graph=True)[0] for each in y]


@wrong("02.gradient_of", "type", "the numbers are right, but the result is a NumPy array")
def as_numpy(f, x):
    return gradient(f, x).numpy()


@wrong("02.gradient_of", "type", "the numbers are right, but the result is")
def as_list(f, x):
    return gradient(f, x).tolist()


@wrong(
    "02.full_jacobian",
    "type",
    "the numbers are right, but the result is a list of 2 entries, it must be a tensor of shape (2, 2)",
)
def list_of_rows(f, x):
    return rows_of(f, x)


@wrong("02.gradient_of", "no_result", "is there a `return`")
def grad_of_a_result(f, x):
    moved = x.detach().clone().requires_grad_(True) * 1
    f(moved).backward()
    return moved.grad


@wrong("02.gradient_of", "no_result", "it returns None, for every input where x is 0-d")
def nothing_for_one_number(f, x):
    if x.dim() > 0:
        return gradient(f, x)
    return None


@wrong("02.gradient_of", "raised", "raised AttributeError")
def grad_of_the_wrong_name(f, x):
    return x.gradient


@wrong("02.gradient_of", "one_shape", "no input gives the right result")
def raises_or_is_wrong(f, x):
    return 2 * gradient(f, x) + len(x)


_SEEN: list[int] = []


@wrong("02.jacobian_row", "not_repeatable", "the same call raises the second time")
def works_once(f, x, i):
    if (tuple(x.shape), i) in _SEEN:
        _SEEN.clear()
        raise RuntimeError("once is enough")
    _SEEN.append((tuple(x.shape), i))
    return rows_of(f, x)[i]


@wrong("02.gradient_of", "nan", "NaN")
def nan_at_one_entry(f, x):
    result = gradient(f, x).clone()
    result.reshape(-1)[0] = np.nan
    return result


@wrong(
    "10.numerical_jacobian", "dtype", "the numbers are right, but the result has dtype float32, it must have float64"
)
def in_single_precision(f, x, eps):
    columns = []
    for entry in range(x.numel()):
        up, down = x.clone().reshape(-1), x.clone().reshape(-1)
        up[entry] += eps
        down[entry] -= eps
        columns.append(((f(up.reshape(x.shape)) - f(down.reshape(x.shape))) / (2 * eps)).reshape(-1))
    return torch.stack(columns, dim=1).float()
