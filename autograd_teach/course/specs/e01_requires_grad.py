"""The specification of notebook 01, which tensors take part: predict_flags, make_trainable."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..checks.spec import Also, Arguments, CallSpec, Mistake, family

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


WHY_GRAD = {
    "a": "the line that creates it sets the flag",
    "b": "its line does not set the flag, and no operation computed it",
    "c": "one of its operands requires grad, so the result does too",
    "d": "none of its operands requires grad, so the result does not either",
    "e": "one of its two operands requires grad, and one is enough",
    "f": "`detach` gives a tensor that does not require grad and has no history",
    "g": "the result of a comparison is True and False: these have no slope, so it never requires grad",
}


WHY_LEAF = {
    "a": "no operation computed it",
    "b": "no operation computed it",
    "c": "an operation computed it from a tensor that requires grad, so it is not a leaf",
    "d": (
        "it was computed, but only from tensors that do not require grad: PyTorch calls every "
        "tensor without history a leaf"
    ),
    "e": "an operation computed it from a tensor that requires grad, so it is not a leaf",
    "f": "`detach` gives a tensor without history: PyTorch calls every tensor without history a leaf",
    "g": "autograd does not record a comparison: PyTorch calls every tensor without history a leaf",
}


def mistaken(needs: Sequence[str] = (), leaf: Sequence[str] = ()) -> dict[str, Any]:
    """A prediction that is wrong about these names."""
    wrong = {
        name: (FLAGS[name]["requires_grad"] != (name in needs), FLAGS[name]["is_leaf"] != (name in leaf))
        for name in FLAGS
        if name in needs or name in leaf
    }
    return {"forward": lambda: flags(**wrong)}


def flag_mistakes(name: str) -> tuple[Mistake, ...]:
    """The ways in which one name can be wrong: in one flag, the other, or both."""
    needs, leaf = WHY_GRAD[name], WHY_LEAF[name]
    both = needs if needs == leaf else f"{needs}; {leaf}"
    return (
        Mistake("requires_grad", f"`requires_grad` of {name}: {needs}", **mistaken([name])),
        Mistake("is_leaf", f"`is_leaf` of {name}: {leaf}", **mistaken([], [name])),
        Mistake("both_flags", f"both flags of {name}: {both}", **mistaken([name], [name])),
    )


def value_inputs(rng: np.random.Generator) -> Sequence[Arguments]:
    """Numbers of several dtypes, so small that their doubles fit into the dtype too."""
    return [
        (np.array(rng.normal()),),
        (np.array(int(rng.integers(2, 9))),),
        (rng.normal(size=3),),
        (rng.integers(-5, 5, size=4).astype(np.int32),),
        (rng.normal(size=(2, 2)).astype(np.float32),),
        (rng.integers(-1000, 1000, size=(2, 3)),),
        (rng.normal(size=(2, 1, 3)),),
        (rng.normal(size=4).astype(np.float16),),
        (rng.integers(-100, 100, size=(1, 2)).astype(np.int16),),
        (rng.integers(-60, 60, size=5).astype(np.int8),),
    ]


def as_specified(values: np.ndarray) -> np.ndarray:
    return values if values.dtype.kind == "f" else values.astype(np.float32)


def is_trainable(called: Any) -> str | None:
    if len(called.results) != 1:  # what is no tensor is told by the comparison of the values
        return None
    (result,) = called.results
    if not result.requires_grad:
        return "the result does not require grad"
    if not result.is_leaf:
        return "the result requires grad but is not a leaf: an operation made it after the flag was set"
    return None


def has_the_dtype(called: Any) -> str | None:
    if len(called.results) != 1:
        return None
    (values,), got, want = called.arguments, called.results[0].value, called.expected
    if got.dtype != want.dtype:
        rule = "a float dtype must be kept" if values.dtype.kind == "f" else "integers must become float32"
        return f"values has dtype {values.dtype} and the result has dtype {got.dtype}: {rule}"
    if got.shape == want.shape and np.allclose(got, want) and not np.array_equal(got, want):
        return f"values has dtype {values.dtype}, and its last digits are lost, as if the numbers went through another dtype"
    return None


def is_independent(called: Any) -> str | None:
    shared = [name for result in called.results for name in result.shares_memory]
    if shared:
        return f"the result shares the memory of {shared[0]}: training one of them would change the other"
    switched = [name for name, facts in called.after.items() if facts.requires_grad]
    return f"{switched[0]} itself requires grad after the call: do not change its flag" if switched else None


SPECS = {
    "predict_flags": CallSpec(
        lambda: FLAGS,
        lambda rng: [()],
        mistakes=(
            Mistake(
                "exchanged",
                "the two flags have changed places",
                **mistaken("bcdefg", "bcdefg"),
            ),
            Mistake(
                "everything",
                "not every tensor requires grad, and not every tensor is a leaf",
                forward=lambda: flags(**{name: (True, True) for name in "bcdefg"}),
            ),
            Mistake("leaf_inverted", "`is_leaf` is the wrong way round everywhere", **mistaken("", "abcdefg")),
            Mistake("grad_inverted", "`requires_grad` is the wrong way round everywhere", **mistaken("abcdefg", "")),
            Mistake(
                "same_flags",
                "`is_leaf` is the same as `requires_grad` here, but they are two questions: who made "
                "the tensor, and whether gradients are computed for it",
                **mistaken("", "bcdefg"),
            ),
            Mistake(
                "without_history",
                "tensors that do not require grad have no history: PyTorch calls every tensor without history a leaf",
                **mistaken("", "bdfg"),
            ),
            *(each for name in "cdfgeab" for each in flag_mistakes(name)),
        ),
        holds={
            "Write a function `predict_flags()`": "value",
            "Do not run the program": "explains",
            "Return a dict with one entry": "value",
            "Each entry is a dict": "value",
            "For example, for the program": "explains",
            "The check says how many": "explains",
            "It also explains": "explains",
        },
    ),
    "make_trainable": CallSpec(
        as_specified,
        value_inputs,
        also=(
            Also("not_trainable", "the result is a leaf that requires grad", is_trainable, counted=True),
            Also(
                "wrong_dtype",
                "it keeps a float dtype and every digit, and makes float32 of integers",
                has_the_dtype,
            ),
            Also(
                "not_independent",
                "it shares no memory with the argument, and leaves the argument's flag alone",
                is_independent,
                counted=True,
            ),
        ),
        mistakes=(
            *family(
                "other_numbers",
                "the numbers are not the numbers of `values`: {these}",
                lambda these: {"forward": lambda values: these(as_specified(values))},
                these={
                    "all are 0": np.zeros_like,
                    "all are 1": np.ones_like,
                    "each is twice as large": lambda values: values * 2,
                    "each has the other sign": lambda values: -values,
                    "their signs are lost": np.abs,
                    "what comes after the decimal point is lost": np.trunc,
                    "they are rounded to whole numbers": np.round,
                    "they are sorted": lambda values: np.sort(values.reshape(-1)).reshape(values.shape),
                },
            ),
        ),
        holds={
            "For example:": "explains",
            "Write a function `make_trainable(values)`": "value, not_trainable",
            "The new leaf requires grad": "not_trainable",
            "`values` has no history": "explains",
            "Its dtype is a float dtype": "explains",
            "Keep a float dtype": "wrong_dtype",
            "Convert integers to": "wrong_dtype",
            "The tensor `values` must be unchanged": "unchanged, not_independent",
            "The checks try float64": "explains",
            "They compare values, to the last digit": "value, wrong_dtype",
            "They check that the result is a leaf": "not_trainable, not_independent, unchanged",
            "A second call must give": "repeat",
        },
    ),
}
