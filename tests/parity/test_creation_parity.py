"""Tensors made by this package and by PyTorch: each function with every dtype, size and keyword, to the last bit."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np
import pytest

import autograd_teach
from tests.parity.agree import observed

torch = pytest.importorskip("torch")

DTYPES = ["float16", "float32", "float64", "uint8", "int8", "int16", "int32", "int64", "bool"]
OPTIONS = [
    "", "requires_grad=True", "device='cpu'", "device=torch.device('cpu')", "device=None", "dtype=None", "dtype=float", "dtype=bool",
    "dtype=int", *(f"dtype=torch.{dtype}" for dtype in DTYPES), "dtype=torch.int64, requires_grad=True",
    "dtype=torch.float16, requires_grad=True",
]  # fmt: skip
GENERATOR = "generator=torch.Generator().manual_seed(3)"
SIZES = ["", "0", "3", "2, 3", "(2, 3)", "[2]", "()", "torch.Size([1, 0])", "size=(2, 3)", "2.5", "'a'", "None"]
LIKE = ["a", "a.t()", "a[:, ::2]", "i", "s", "e", "3", "a.expand(2, 2, 3)", "a.requires_grad_()"]
LISTS = [
    "1", "1.5", "True", "[]", "[[], []]", "[[1, 2], [3, 4]]", "[1, 2.5]", "[True, 2]", "[True, 2.5]", "(1, 2)", "[(1,), [2]]",
    "[[1], [2, 3]]", "[1, [2]]", "[[1], 2]", "[[[1]], [[2, 3]]]", "'a'", "None", "[None]", "{}", "[{}]", "range(3)", "[s, s]", "[s, 1]",
    "[a, a]", "[i0, s]", "np.float32(1)", "[np.float64(1), 2]", "np.arange(3)", "np.ones(2)", "np.ones(2, 'float32')", "np.array(['a'])",
    "[2**63]", "-2**63", "2**63 - 1", "[1, 2**40]", "300", "[-1]", "1e40", "[1e40]", "float('nan')", "[float('inf')]",
    "np.arange(4)[::-1]", "np.ones(2, bool)", "[[True], [False]]", "np.int8(3)", "[np.bool_(True)]", "[a[0], a[1]]", "[[s, s], [s, s]]",
    "[0.1, 2**24 + 1]", "[[0.5]] * 3", "torch.Size([2, 3])", "a.numpy()", "set()", "object()",
]  # fmt: skip
NUMBERS = [
    "0",
    "1",
    "5",
    "-2",
    "0.5",
    "1.1",
    "-0.3",
    "7.9",
    "1000.5",
    "True",
    "s",
    "i0",
    "np.float32(3)",
    "np.int64(3)",
]
FEW = ["0", "1", "-3", "0.5", "7", "-0.25"]


def sizes() -> Iterator[str]:
    for name, size, option in product(("zeros", "ones", "empty", "rand", "randn"), SIZES, [*OPTIONS, GENERATOR]):
        if name != "randn" or size not in (
            "0",
            "torch.Size([1, 0])",
        ):  # of no elements PyTorch draws normal integers, too
            made = f"torch.{name}({size}{', ' * bool(size)}{option})"
            yield made if name != "empty" else f"{made}.shape"
    for name, size in product(("zeros", "ones", "empty"), SIZES):
        yield f"(lambda t: (t.shape, t.dtype))(i.new_{name}({size}))"
    for size, option in product(["0", "3", "2, 3", "3, 2", "n=2, m=3", "2.5"], OPTIONS):
        yield f"torch.eye({size}, {option})"


def likes() -> Iterator[str]:
    for name, like, option in product(("zeros", "ones", "empty", "rand", "randn"), LIKE, OPTIONS):
        if name == "randn" and like == "e":
            continue
        values = "" if name == "empty" else "t, "
        yield f"(lambda t: ({values}t.stride(), t.dtype, t.requires_grad))(torch.{name}_like({like}, {option}))"
    for bounds, like in product(["5", "-2, 5", "0", "high=3", "low=1, high=4"], LIKE):
        yield f"torch.randint_like({like}, {bounds})"
        yield f"torch.randint_like({like}, {bounds}, dtype=torch.int16)"


def values() -> Iterator[str]:
    for data, option in product(LISTS, OPTIONS):
        yield from (f"{f}({data}, {option})" for f in ("torch.tensor", "torch.as_tensor", "i.new_tensor"))
    for d, data in product(("Half", "Float", "Double", "Byte", "Char", "Short", "Int", "Long", "Bool"), LISTS):
        if "[" in data and data != "torch.Size([2, 3])":
            yield f"torch.{d}Tensor({data})"
    for value, option in product(NUMBERS, OPTIONS):
        if value not in ("-0.3", "1000.5") or "int8" not in option:
            yield f"torch.full((2, 3), {value}, {option})"
            yield f"torch.full_like(i, {value}, {option})"
            yield f"a.new_full((2,), {value}, {option})"


def counts() -> Iterator[str]:
    for start, end, step in product(FEW, repeat=3):
        yield from (
            f"torch.arange({start}, {end}, {step}, dtype={d})" for d in ("None", "torch.float16", "torch.float64")
        )
    for number, option in product([*NUMBERS, "100", "2.0"], OPTIONS):
        if number != "-2" or "int" not in option:
            yield f"torch.arange({number}, {option})" if not number.startswith("-") else "0"
        for steps in (0, 1, 2, 5, 16, 33, 100, -1, "'a'"):
            if "uint8" not in option and "bool" not in option and (number != "1000.5" or "int8" not in option):
                yield f"torch.linspace(-1, {number}, {steps}, {option})"


def draws() -> Iterator[str]:
    bounds = [
        "5, (2,)", "-2, 5, (2, 2)", "5, [2]", "0, (2,)", "5, 3, (2,)", "5, ()", "high=5, size=(2,)", "low=1, high=5, size=(2,)", "5", "2, 5",
        "(2,)", "1, 5, size=(3,)", "2**63 - 1, (2,)", "-5, -1, (2,)", "i0, (3,)",
    ]  # fmt: skip
    for bound, option in product(bounds, [*OPTIONS, GENERATOR]):
        if not ("dtype" in option and ("2**63" in bound or "-" in bound or "5" in bound and "bool" in option)):
            yield f"torch.randint({bound}, {option})"
    for n, option in product(["0", "1", "9", "-1", "2.5", "n=4"], [*OPTIONS, GENERATOR]):
        if "bool" not in option:
            yield f"torch.randperm({n}, {option})"


def conversions() -> Iterator[str]:
    targets = [
        "", "a", "i", "'cpu'", "torch.device('cpu')", "'cpu', torch.float64", "torch.float64", "torch.bool", "float", "int", "dtype=torch.int32",
        "torch.float32, copy=True", "device='cpu'", "a, copy=True", "dtype=torch.float16, copy=True",
    ]  # fmt: skip
    casts = ["half", "float", "double", "byte", "char", "short", "int", "long", "bool", "cpu", "contiguous"]
    calls = [f"to({to})" for to in targets] + [f"{cast}()" for cast in casts]
    calls += ["type()", "type(torch.float16)", "type('torch.LongTensor')", "type(torch.BoolTensor)", "type_as(b)"]
    for x, call in product(("a", "i", "s", "b", "a.t()", "a.requires_grad_()"), calls):
        yield f"(lambda t: (t, t is {x}, str(getattr(t, 'grad_fn', t)).split(' ')[0]))({x}.{call})"
    for x, d in product(("a", "i", "b", "a.half()", "3"), ("Half", "Float", "Long", "Bool")):
        yield f"isinstance({x}, torch.{d}Tensor)"
    for d in (*(f"torch.{d}" for d in DTYPES), "float", "int", "3"):
        yield from (f"{d}.{asked}" for asked in ("itemsize", "is_floating_point", "is_signed", "is_complex"))
    for x in ("a", "i", "s", "e", "3"):
        yield from (f"torch.{f}({x})" for f in ("is_tensor", "is_floating_point", "numel"))
    yield from (
        "a.device",
        "a.device.type",
        "str(a.device)",
        "a.is_cuda",
        "torch.cuda.is_available()",
        "torch.device('cpu')",
    )
    arrays = ("np.ones(4)[::-1]", "[1]", "np.array(['a'])", "np.array(3.)", "np.ones((2, 3)).T", "np.ones(2, 'uint8')")
    yield from (f"(lambda t: (t, t.stride()))(torch.from_numpy({array}))" for array in arrays)


@pytest.mark.parametrize("expressions", [sizes, likes, values, counts, draws, conversions], ids=lambda f: f.__name__)
def test_what_is_made_is_what_pytorch_makes(expressions: Any) -> None:
    differences = {}
    for expression in dict.fromkeys(expressions()):
        ours, theirs = found(autograd_teach, expression), found(torch, expression)
        if ours == theirs or (theirs[0] == "TypeError" and (isinstance(ours[0], tuple) or _is_taken(expression))):
            continue  # PyTorch's parser of arguments refuses before anything else is looked at
        differences[expression] = ours, theirs
    assert not differences


def _is_taken(expression: str) -> bool:
    """Whether it is one of those that PyTorch refuses and this package does not."""
    converted = any(
        number in expression for number in ("[s", ", s]", "np.float32(1)", "np.float64(1)", "np.bool_", "np.int8")
    )
    return converted or ("empty" in expression and GENERATOR in expression)


def found(library: Any, expression: str) -> Any:
    """What an expression gives, or its error, of a TypeError only that it is one; and its warnings."""
    library.manual_seed(0)
    names = {
        "torch": library, "np": np, "a": library.arange(6.0).view(2, 3), "i": library.tensor([[1, 2], [3, 4]]), "s": library.tensor(2.5),
        "i0": library.tensor(7), "b": library.tensor([True, False]), "e": library.zeros(0, 2),
    }  # fmt: skip
    result, warned = observed(lambda _: shown(eval(expression, names)), library)
    if isinstance(result, tuple):
        result = result[0] if result[0] == "TypeError" else (result[0], result[1].split("\n")[0])
    return result, [warning.split(" (Triggered")[0] for warning in warned]


def shown(value: Any) -> Any:
    if hasattr(value, "requires_grad"):
        array = value.detach().numpy()
        return f"{array.dtype} {array.shape} {array.tolist()} {value.requires_grad} {value.is_leaf} {value._version}"
    return str([shown(v) for v in value]) if isinstance(value, list | tuple) else repr(value)
