"""Right answers to exercises that are called, of kinds that a check could take for wrong ones."""

import warnings

import numpy as np

import autograd_teach as torch

RIGHT: list[tuple[str, object]] = []


def right(exercise):
    return lambda answer: RIGHT.append((exercise, answer)) or answer


@right("00.chain_by_hand")
def an_array_of_slopes(a, b, c):
    v = a * b + c
    return np.array([2 * v * b * a + v * v, 2 * v * a * a, 2 * v * a])


@right("00.chain_by_hand")
def a_tensor_of_slopes(a, b, c):
    v = a * b + c
    return torch.tensor([2 * v * b * a + v * v, 2 * v * a * a, 2 * v * a], dtype=torch.float64)


@right("00.count_passes")
def whole_numbers_as_tensors(inputs, results):
    return {"forward": torch.tensor(inputs), "backward": np.int64(results), "moving": inputs + 1}


@right("06.two_gradients")
def one_tensor_for_both(f, x):
    leaf = x.detach().clone().requires_grad_(True)
    each = [torch.autograd.grad(y.sum(), leaf, retain_graph=True)[0] for y in f(leaf)]
    return torch.stack(each)


@right("02.gradient_of")
def with_warnings(f, x):
    warnings.warn("this is only a warning", stacklevel=1)
    np.log(np.zeros(1))
    leaf = x.detach().clone().requires_grad_(True)
    f(leaf).backward()
    return leaf.grad
