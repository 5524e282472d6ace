"""Wrong answers to notebook 01, each with the diagnosis that must name it and words that its message must have."""

import copy

import autograd_teach as torch
from autograd_teach.course.specs.e01_requires_grad import FLAGS

WRONG: list[tuple[str, object, str, str]] = []


def wrong(exercise, diagnosis, words=""):
    return lambda answer: WRONG.append((exercise, answer, diagnosis, words)) or answer


def flags(**changed):
    return copy.deepcopy(FLAGS) | {n: {"requires_grad": r, "is_leaf": leaf} for n, (r, leaf) in changed.items()}


@wrong("01.predict_flags", "known", "so it is not a leaf")
def c_is_a_leaf():
    return flags(c=(True, True))


@wrong("01.predict_flags", "known", "1 of 7 is not right yet: `is_leaf` of d: it was computed only from")
def d_is_no_leaf():
    return flags(d=(False, False))


@wrong("01.predict_flags", "keys", "no entry for 'g'")
def g_missing():
    return {name: each for name, each in FLAGS.items() if name != "g"}


@wrong("01.predict_flags", "keys", "no entry for 'g'")
def g_missing_and_a_leaf_missed():
    return {name: each for name, each in flags(d=(False, False)).items() if name != "g"}


@wrong("01.predict_flags", "type", "is a list of 7 entries, it must be a dict")
def as_a_list():
    return [True] * 7


@wrong("01.predict_flags", "no_result", "return")
def nothing():
    flags()


@wrong("01.make_trainable", "not_trainable", "does not require grad")
def without_flag(values):
    return values.clone() if values.is_floating_point() else values.to(torch.float32)


@wrong("01.make_trainable", "not_trainable", "not a leaf")
def flag_too_early(values):
    dtype = values.dtype if values.is_floating_point() else torch.float32
    return torch.tensor(values.tolist(), dtype=torch.float64, requires_grad=True).to(dtype)


@wrong("01.make_trainable", "one_shape", "only Tensors of floating point")
def whole_numbers_forgotten(values):
    return values.detach().clone().requires_grad_()


@wrong("01.make_trainable", "not_independent", "shares the memory of values")
def shared(values):
    return (values.detach() if values.is_floating_point() else values.to(torch.float32)).requires_grad_()


@wrong("01.make_trainable", "known", "the numbers of the result: it is twice what it must be")
def doubled(values):
    return torch.tensor((values * 2).tolist(), dtype=torch.float64, requires_grad=True)


def floating(values):
    return values if values.is_floating_point() else values.to(torch.float32)


@wrong("01.make_trainable", "wrong_dtype", "a float dtype must be kept")
def always_float32(values):
    return values.detach().clone().to(torch.float32).requires_grad_()


@wrong("01.make_trainable", "wrong_dtype", "its last digits are lost")
def by_float32(values):
    return values.to(torch.float32).to(floating(values).dtype, copy=True).requires_grad_()


@wrong("01.make_trainable", "known", "not the numbers of `values`: all are 0")
def like_values(values):
    return torch.zeros_like(floating(values)).requires_grad_()


@wrong("01.make_trainable", "not_independent", "shares the memory of values")
def by_numpy(values):
    return torch.from_numpy(floating(values).numpy()).requires_grad_()
