"""Exercises of notebook 01, which tensors take part: predict_flags, make_trainable."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from .declaration import Also, Arguments, Call, Exercise, Mistake

NOTEBOOK = "01_requires_grad"

LISTING = """
a = torch.randn(3, requires_grad=True)
b = torch.zeros(3)
c = a * 0.1
d = b + 1
e = c + d
f = e.detach()
g = a > 0
"""
"""The program of `predict_flags`. A test runs it and compares it with FLAGS."""


def flags(**of: tuple[bool, bool]) -> dict[str, dict[str, bool]]:
    return {name: {"requires_grad": needs, "is_leaf": leaf} for name, (needs, leaf) in of.items()}


FLAGS = flags(
    a=(True, True), b=(False, True), c=(True, False), d=(False, True), e=(True, False), f=(False, True), g=(False, True)
)


def value_inputs(rng: np.random.Generator) -> Sequence[Arguments]:
    return [
        (rng.normal(size=3),),
        (rng.normal(size=(2, 2)).astype(np.float32),),
        (rng.integers(-5, 5, size=(2, 3)),),
        (np.array(7),),
    ]


def is_trainable(called: Any) -> str | None:
    (result,) = called.results or (None,)
    if result is None:
        return "the result is not a tensor"
    if not result.requires_grad:
        return "the result does not require grad"
    if not result.is_leaf:
        return "the result requires grad but is not a leaf: an operation made it after the flag was set"
    return None


def is_independent(called: Any) -> str | None:
    shared = [name for result in called.results for name in result.shares_memory]
    if shared:
        return f"the result shares the memory of {shared[0]}: training one of them would change the other"
    switched = [name for name, facts in called.after.items() if facts.requires_grad]
    return f"{switched[0]} itself requires grad after the call: do not change its flag" if switched else None


EXERCISES = (
    Exercise(
        notebook=NOTEBOOK,
        entry="predict_flags",
        points=1,
        title="Who requires grad, and who is a leaf",
        grading=Call((), lambda: FLAGS, lambda rng: [()], kind="value"),
        hints=(
            "Go through the lines from the top. A result requires grad if at least one of its operands does.",
            (
                "A tensor is a leaf in two cases: no operation computed it, or it does not "
                "require grad. In the second case autograd did not record how it was computed."
            ),
        ),
        mistakes=(
            Mistake(
                "c_leaf",
                "an operation computed one of them from a tensor that requires grad, so it is not a leaf",
                forward=lambda: flags(c=(True, True)),
            ),
            Mistake(
                "d_no_leaf",
                "one of them was computed, but only from tensors that do not require grad: "
                "PyTorch calls every tensor without history a leaf",
                forward=lambda: flags(d=(False, False)),
            ),
            Mistake(
                "detached",
                "`detach` gives a tensor that does not require grad and has no history",
                forward=lambda: flags(f=(True, False)),
            ),
            Mistake(
                "comparison",
                "the result of a comparison is True and False: these have no slope, so it never requires grad",
                forward=lambda: flags(g=(True, False)),
            ),
        ),
    ),
    Exercise(
        notebook=NOTEBOOK,
        entry="make_trainable",
        points=1,
        title="A leaf of your own",
        grading=Call(
            ("values",),
            lambda values: values if values.dtype.kind == "f" else values.astype(np.float32),
            value_inputs,
            also=(
                Also("not_trainable", "the result is a leaf that requires grad", is_trainable),
                Also(
                    "not_independent",
                    "it shares no memory with the argument, and leaves the argument's flag alone",
                    is_independent,
                ),
            ),
        ),
        hints=(
            "Only tensors with a float dtype can require grad. How do you convert integers to a float dtype?",
            (
                "`values.detach().clone()` is a new tensor without history. If its dtype is not a "
                "float dtype, convert it. `x.is_floating_point()` tells you."
            ),
            (
                "Set the flag last: `requires_grad_()` sets it in place and returns the tensor. A "
                "tensor that is computed after the flag was set is not a leaf."
            ),
        ),
        mistakes=(Mistake("times", "the numbers are not the numbers of `values`", forward=lambda values: values * 2),),
    ),
)
