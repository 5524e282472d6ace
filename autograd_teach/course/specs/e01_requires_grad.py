"""The specification of notebook 01, which tensors take part: predict_flags, make_trainable."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..checks.spec import Also, Arguments, CallSpec
from ..mutants import Slip

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


Flags = dict[str, dict[str, bool]]


def flags(needs: dict[str, bool], leaf: dict[str, bool]) -> Flags:
    return {name: {"requires_grad": needs[name], "is_leaf": leaf[name]} for name in needs}


def predicted() -> Flags:
    needs, leaf = dict[str, bool](), dict[str, bool]()
    needs["a"] = True  #: `requires_grad` of a; the line that creates it sets the flag
    leaf["a"] = True  #: `is_leaf` of a; no operation computed it
    needs["b"] = False  #: `requires_grad` of b; its line does not set the flag, and no operation computed it
    leaf["b"] = True  #: `is_leaf` of b; no operation computed it
    needs["c"] = True  #: `requires_grad` of c; one of its operands requires grad, so the result does too
    leaf["c"] = False  #: `is_leaf` of c; an operation computed it from a tensor that requires grad, so it is not a leaf
    needs["d"] = False  #: `requires_grad` of d; none of its operands requires grad
    leaf["d"] = True  #: `is_leaf` of d; it was computed only from tensors that do not require grad: it has no history
    needs["e"] = True  #: `requires_grad` of e; one of its two operands requires grad, and one is enough
    leaf["e"] = False  #: `is_leaf` of e; an operation computed it from a tensor that requires grad, so it is not a leaf
    needs["f"] = False  #: `requires_grad` of f; `detach` gives a tensor that does not require grad and has no history
    leaf["f"] = True  #: `is_leaf` of f; `detach` gives a tensor without history: PyTorch calls such a tensor a leaf
    needs["g"] = False  #: `requires_grad` of g; a comparison gives True and False: these have no slope
    leaf["g"] = True  #: `is_leaf` of g; autograd does not record a comparison, so it has no history
    return flags(needs, leaf)  #: the flags


FLAGS = predicted()


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
    numbers = values  #: the numbers of the result
    return numbers if numbers.dtype.kind == "f" else numbers.astype(np.float32)


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
        predicted,
        lambda rng: [()],
        mistakes=(
            Slip("the flags", "flags(leaf, needs)", "the two flags have changed places"),
            Slip(
                "the flags",
                "flags(needs, {name: name == 'a' for name in leaf})",
                "tensors that do not require grad have no history: PyTorch calls every tensor without history a leaf",
            ),
            Slip(
                "the flags",
                "flags(needs, {name: name in 'ab' for name in leaf})",
                "`is_leaf` of a computed tensor that does not require grad: it has no history, and PyTorch calls every "
                "tensor without history a leaf",
            ),
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
            Slip("the numbers", "np.zeros_like(values)", "the numbers are not the numbers of `values`: all are 0"),
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
