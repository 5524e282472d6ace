"""Wrong answers to notebook 01, each with the diagnosis that must name it and words that its message must have."""

import copy

import autograd_teach as torch
from autograd_teach.course.exercises.e01_requires_grad import FLAGS

WRONG: list[tuple[str, object, str, str]] = []


def wrong(exercise, diagnosis, words=""):
    return lambda answer: WRONG.append((exercise, answer, diagnosis, words)) or answer


def flags(**changed):
    return copy.deepcopy(FLAGS) | {n: {"requires_grad": r, "is_leaf": leaf} for n, (r, leaf) in changed.items()}


@wrong("01.predict_flags", "known", "so it is not a leaf")
def c_is_a_leaf():
    return flags(c=(True, True))


@wrong("01.predict_flags", "known", "without history a leaf")
def d_is_no_leaf():
    return flags(d=(False, False))


@wrong("01.predict_flags", "known", "detach")
def f_goes_on():
    return flags(f=(True, False), a=(True, False))


@wrong("01.predict_flags", "known", "a comparison")
def g_has_a_slope():
    return flags(g=(True, False))


@wrong("01.predict_flags", "some_values", "2 of 7 are not right yet; look again at a")
def two_wrong():
    return flags(a=(False, True), b=(True, True))


@wrong("01.predict_flags", "keys", "no entry for 'g'")
def g_missing():
    return {name: each for name, each in FLAGS.items() if name != "g"}


@wrong("01.predict_flags", "keys", "no entry for 'g'")
def g_missing_and_a_leaf_missed():
    return {name: each for name, each in flags(d=(False, False)).items() if name != "g"}


@wrong("01.predict_flags", "known", "2 of 7 are not right yet: one of them was computed, but")
def computed_ones_no_leaves():
    return flags(d=(False, False), f=(False, False))


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
    return torch.tensor(values.tolist(), dtype=torch.float64, requires_grad=True).to(torch.float32)


@wrong("01.make_trainable", "one_shape", "only Tensors of floating point")
def whole_numbers_forgotten(values):
    return values.detach().clone().requires_grad_()


@wrong("01.make_trainable", "not_independent", "shares the memory of values")
def shared(values):
    return (values.detach() if values.is_floating_point() else values.to(torch.float32)).requires_grad_()


@wrong("01.make_trainable", "known", "not the numbers of `values`")
def doubled(values):
    return torch.tensor((values * 2).tolist(), dtype=torch.float64, requires_grad=True)
