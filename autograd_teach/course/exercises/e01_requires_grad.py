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
"""The program of `predict_flags`; a test runs it and holds FLAGS against it."""


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
        return "the result is no tensor"
    if not result.requires_grad:
        return "the result does not require grad"
    if not result.is_leaf:
        return "the result requires grad, but it is no leaf: an operation made it after the flag was set"
    return None


def is_independent(called: Any) -> str | None:
    shared = [name for result in called.results for name in result.shares_memory]
    if shared:
        return f"the result shares the memory of {shared[0]}: training one would change the other"
    switched = [name for name, facts in called.after.items() if facts.requires_grad]
    return f"{switched[0]} itself requires grad after the call: leave it as it was" if switched else None


EXERCISES = (
    Exercise(
        notebook=NOTEBOOK,
        entry="predict_flags",
        points=1,
        title="Who requires grad, and who is a leaf",
        grading=Call((), lambda: FLAGS, lambda rng: [()], kind="value"),
        hints=(
            "Go through the lines from the top. A result requires grad if at least one of its operands does.",
            "Two things make a leaf: nobody computed it, or it does not require grad, so that autograd took no note of how it was computed.",
        ),
        mistakes=(
            Mistake(
                "c_leaf",
                "one of them was computed by an operation from a tensor that requires grad: such a tensor is no leaf, whatever it was made of",
                forward=lambda: flags(c=(True, True)),
            ),
            Mistake(
                "d_no_leaf",
                "one of them was computed, but from nothing that requires grad: PyTorch calls each tensor without history a leaf",
                forward=lambda: flags(d=(False, False)),
            ),
            Mistake(
                "detached",
                "`detach` gives a tensor that takes no part any more, and has no history",
                forward=lambda: flags(f=(True, False)),
            ),
            Mistake(
                "comparison",
                "a comparison has True and False as result, which have no slope",
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
                Also("not_independent", "it shares no memory with the argument, which stays as it was", is_independent),
            ),
        ),
        hints=(
            "Only tensors with a float dtype can require grad. How do you make one of whole numbers?",
            "`values.detach().clone()` is a new tensor without history. Convert it where its dtype is no float one: `x.is_floating_point()` tells.",
            "Set the flag last, in place: `requires_grad_()` returns the tensor. What is computed after the flag was set is no leaf.",
        ),
        mistakes=(Mistake("times", "the numbers are not those that were given", forward=lambda values: values * 2),),
    ),
)
