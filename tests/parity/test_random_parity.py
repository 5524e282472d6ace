"""Our stream of random numbers against PyTorch's own: in any order of draws, into any strides, with the same errors."""

import random as choices
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograd_teach
from autograd_teach import random
from autograd_teach.random import default_generator as drawn
from tests.parity.agree import nodes
from tests.parity.record_text_random import FILE, drawn_by_torch, record, text

torch = pytest.importorskip("torch")

FLOATS = ["float16", "float32", "float64"]
RANGES = {
    "bool": [(0, 2), (0, 1)],
    "uint8": [(0, 10), (3, 256)],
    "int8": [(0, 10), (-128, 128)],
    "int16": [(-5, 10), (-(2**15), 2**15)],
    "int32": [(0, 2**28 - 1), (0, 2**28), (-(2**31), 2**31)],
    "int64": [(0, 10), (0, 2**40), (-(2**63), 2**63 - 1), (-5, 2**62)],
    "float16": [(-5, 10), (0, 2048)],
    "float32": [(0, 2**20), (-(2**24), 2**24)],
    "float64": [(0, 2**28), (-(2**53), 2**53)],
}
SHAPES = [
    (),
    (0,),
    (1,),
    (2,),
    (7,),
    (15,),
    (16,),
    (17,),
    (3, 5),
    (4, 4),
    (5, 0, 2),
    (100,),
    (999,),
    (1000,),
    (33, 31),
]


def equal(ours: np.ndarray, theirs: np.ndarray) -> bool:
    """To the last bit."""
    same_kind = ours.dtype == theirs.dtype and ours.shape == theirs.shape
    return same_kind and ours.tobytes() == theirs.tobytes()


def equal_normals(ours: np.ndarray, theirs: np.ndarray, mean: float, std: float) -> bool:
    """To two units in the last place of the standard normal, and one for scaling it."""
    if ours.dtype != theirs.dtype or ours.shape != theirs.shape:
        return False
    standard = (np.abs(theirs) + abs(mean)) / std
    return bool(np.all(np.abs(ours - theirs) <= 2 * std * np.spacing(standard) + np.spacing(np.abs(theirs))))


def random_draw(choose: choices.Random) -> list[Any]:
    shape = list(choose.choice(SHAPES))
    dtype = choose.choice(list(RANGES))
    floating = choose.choice(FLOATS)
    low, high = choose.choice([(0, 1), (0, 1), (-0.57735, 0.57735), (0.3, 2.5), (1.7, 33.3)])
    match choose.choice(["uniform", "normal", "normal", "randint", "randperm", "bernoulli"]):
        case "uniform":
            return ["uniform", shape, floating, low, high]
        case "normal":
            return ["normal", shape, floating, low, high, choose.random() < 0.7]
        case "randint":
            return ["randint", *choose.choice(RANGES[dtype]), shape, dtype]
        case "randperm":
            return ["randperm", choose.choice([0, 1, 2, 5, 100, 1001])]
    return ["bernoulli", choose.choice([0, 1, 0.5, 0.3, 1e-9]), shape, dtype]


def test_draws_in_any_order_are_alike() -> None:
    choose = choices.Random(0)
    for number in range(3000):
        if number % 20 == 0:
            seed = choose.randrange(-(2**63), 2**64)
            torch.manual_seed(seed)
            random.manual_seed(seed)
        draw = random_draw(choose)
        if draw[0] == "normal" and not draw[-1] and np.prod(draw[1]) <= 1:
            draw[-1] = True  # so few elements are contiguous however they lie
        name, *arguments = draw
        ours = getattr(drawn, name)(*arguments)
        theirs = drawn_by_torch(name, *arguments)
        if name == "normal":
            assert equal_normals(ours, theirs, *arguments[2:4]), (number, draw)
        else:
            assert equal(ours, theirs), (number, draw)


STRIDED: dict[str, Callable[[Any], Any]] = {
    "as it is": lambda x: x,
    "transposed": lambda x: x.t(),
    "a number": lambda x: x[1, 2],
    "every second column": lambda x: x[:, ::2],
    "every second row, transposed": lambda x: x[::2].t(),
    "a column": lambda x: x[:, 3],
    "permuted, with dimensions of size 1": lambda x: x[None, 1:, :, None].transpose(0, 2),
}


@pytest.mark.parametrize("kind", ["uniform", "normal", "bernoulli"])
@pytest.mark.parametrize("strided", STRIDED)
def test_fills_go_over_strided_memory_alike(kind: str, strided: str) -> None:
    random.manual_seed(3)
    torch.manual_seed(3)
    theirs = STRIDED[strided](torch.zeros(6, 7))
    array = theirs.numpy()
    match kind:
        case "uniform":
            theirs.uniform_(-1, 2)
            ours = random.filled(array, lambda shape: drawn.uniform(shape, "float32", -1, 2))
        case "normal":
            contiguous = theirs.is_contiguous()
            theirs.normal_(1, 2)
            ours = random.filled(array, lambda shape: drawn.normal(shape, "float32", 1, 2, contiguous))
        case _:
            theirs.bernoulli_(0.4)
            ours = random.filled(array, lambda shape: drawn.bernoulli(0.4, shape, "float32"))
    if kind == "normal":
        assert equal_normals(ours, theirs.numpy(), 1, 2)
    else:
        assert equal(ours, theirs.numpy())
    assert drawn.uniform([1], "float32") == torch.rand(1).numpy()


@pytest.mark.parametrize("strided", STRIDED)
def test_draws_like_a_strided_tensor_are_fills_of_an_empty_one(strided: str) -> None:
    random.manual_seed(3)
    torch.manual_seed(3)
    theirs = STRIDED[strided](torch.zeros(6, 7))
    empty = np.empty_like(theirs.numpy())
    uniform = random.filled(empty, lambda shape: drawn.uniform(shape, "float32"))
    assert uniform.tolist() == torch.rand_like(theirs).tolist()
    contiguous = empty.flags.c_contiguous
    normal = random.filled(empty, lambda shape: drawn.normal(shape, "float32", 0, 1, contiguous))
    assert equal_normals(normal, torch.randn_like(theirs).numpy(), 0, 1)


WRONG: dict[str, tuple[Callable[[], Any], Callable[[], Any]]] = {
    "uniform_(1, 0)": (
        lambda: drawn.uniform([2], "float32", 1, 0),
        lambda: torch.empty(2).uniform_(1, 0),
    ),
    "normal_(0, -1.5)": (
        lambda: drawn.normal([2], "float32", 0, -1.5),
        lambda: torch.empty(2).normal_(0, -1.5),
    ),
    "bernoulli_(2)": (
        lambda: drawn.bernoulli(2, [3], "float32"),
        lambda: torch.empty(3).bernoulli_(2),
    ),
    "randint(3, 3)": (lambda: drawn.randint(3, 3, [2]), lambda: torch.randint(3, 3, (2,))),
    "randperm(-1)": (lambda: autograd_teach.randperm(-1), lambda: torch.randperm(-1)),
    "manual_seed(2**64)": (lambda: random.manual_seed(2**64), lambda: torch.manual_seed(2**64)),
    **{
        f"{dtype} {name}_": (
            lambda dtype=dtype, name=name: getattr(drawn, name)([2], dtype),
            lambda dtype=dtype, name=name: getattr(torch.empty(2, dtype=getattr(torch, dtype)), f"{name}_")(),
        )
        for dtype in ("uint8", "int8", "int16", "int32", "int64", "bool")
        for name in ("uniform", "normal")
    },
}


@pytest.mark.parametrize("call", WRONG)
def test_what_is_wrong_is_refused_in_the_same_words(call: str) -> None:
    ours, theirs = WRONG[call]
    with pytest.raises(Exception) as expected:  # whatever PyTorch raises
        theirs()
    with pytest.raises(expected.type) as raised:
        ours()
    assert str(raised.value) == str(expected.value).split("\n")[0]


@pytest.mark.parametrize(
    ("dtype", "low", "high"),
    [
        *[
            ("uint8", -1, 3),
            ("uint8", 0, 300),
            ("int8", 0, 129),
            ("bool", 0, 3),
            ("int16", 0, 2**16),
            ("int32", 0, 2**40),
        ],
        ("float16", 0, 70000),
    ],
)
def test_bounds_that_a_dtype_does_not_hold_are_refused(dtype: str, low: int, high: int) -> None:
    """With an error of the same type, in which PyTorch calls the dtype by its name in C++."""
    with pytest.raises(RuntimeError, match="is out of bounds for") as expected:
        torch.empty(2, dtype=getattr(torch, dtype)).random_(low, high)
    with pytest.raises(RuntimeError, match=str(expected.value).rpartition(" for ")[0]):
        drawn.randint(low, high, [2], dtype)


@pytest.mark.parametrize(("low", "high"), [(0, 1e39), (-3e38, 3e38), (float("nan"), 0)])
def test_uniform_bounds_that_a_dtype_does_not_hold_are_refused(low: float, high: float) -> None:
    with pytest.raises(RuntimeError):
        torch.empty(2).uniform_(low, high)
    with pytest.raises(RuntimeError):
        drawn.uniform([2], "float32", low, high)


# Expressions under both libraries, after `manual_seed(3)`: what is drawn, and the number that is drawn next.
_WEIGHTS = ["T.rand(5)", "T.rand(3, 7).double()", "T.rand(3, 7).half()", "T.rand(7, 3).t()", "T.rand(1, 4).expand(3, 4)",
            "T.ones(0, 3)", "T.rand(1000)", "T.tensor([0.0, 2.0, 1.0])"]  # fmt: skip
_CHANCES = ["T.rand(6)", "T.rand(2, 3).t()", "T.rand(6).double()", "T.rand(6).half()", "T.tensor(0.5)", "T.rand(0)"]
_FILLED = [
    "T.empty(6)",
    "T.empty(2, 3).t()",
    "T.empty(4, 6)[:, ::2]",
    "T.empty(6, dtype=T.int64)",
    "T.empty(5).double()",
]
TENSORS = [
    *(f"T.multinomial({w}, {how})" for w in _WEIGHTS for how in ("1", "2", "1, True", "30, replacement=True")),
    "T.ones(3).multinomial(num_samples=2, generator=T.Generator().manual_seed(5))", "T.ones(3, requires_grad=True).multinomial(2)",
    *(f"T.bernoulli({p})" for p in _CHANCES), *(f"{x}.bernoulli_({p})" for x in _FILLED for p in ("T.tensor(0.3)", "T.rand(1)")),
    "T.empty(3, 2).bernoulli_(T.rand(3, 1))", "T.empty(3, 2).bernoulli_(T.rand(2, 3).t())", "T.ones(9).bernoulli(0.3)",
    "T.bernoulli(T.ones(4).long(), p=0.5)", "T.ones(5, requires_grad=True).bernoulli()",
    *(f"T.empty(20, dtype=T.{d}).random_({b})" for d in RANGES for b in ("", "2", "0, None", "to=2", "**{'from': 1, 'to': 2}")),
    *(f"T.empty(20, dtype=T.{d}).{draw}" for d in FLOATS for draw in (
        "exponential_()", "exponential_(2.5)", "uniform_(to=4)", "uniform_(**{'from': -1})", "uniform_(2, to=4)")),
    "T.empty(4, 6)[:, ::2].exponential_(lambd=0.3)",
]  # fmt: skip
NORMALS = ["T.zeros(40)", "T.zeros(5, 8).t()", "T.zeros(3).double(), T.ones(3)", "T.zeros(2, 1), T.ones(3)", "0.0, T.rand(40) + 1",
           "T.zeros(20), 2.5", "0.0, T.rand(3).double()", "0.0, 2.0, (20,)", "0, 1, size=[2, 2], dtype=T.float64",
           "mean=0.0, std=T.ones(2)", "T.zeros(20), T.ones(20), generator=T.Generator().manual_seed(4)"]  # fmt: skip
REFUSED = [
    *(f"T.multinomial({a})" for a in (
        "T.tensor([1, 2]), 1", "T.ones(2), 0", "T.ones(2), 3", "T.tensor([-1.0, 2]), 1", "T.tensor([-1.0, 2]), 2, True",
        "T.tensor([float('inf'), 2]), 2, True", "T.zeros(2), 1", "T.zeros(2), 2, True", "T.tensor(1.0), 1", "T.ones(2, 2, 2), 1",
        "[1.0], 1", "T.ones(2), 1.5", "T.ones(2), True", "T.tensor([float('nan'), 1.0]), 1")),
    *(f"T.normal({a})" for a in ("T.zeros(3), -1", "T.zeros(3), -T.ones(3)", "T.zeros(3).long(), 1", "T.zeros(3), T.ones(2)",
                                 "0, -1, (2,)", "0, 1, (2,), dtype=T.int64", "0.0, T.ones(2).long()")),
    *(f"T.bernoulli({a})" for a in ("T.tensor([0.1, 1.5])", "T.tensor([float('nan')])", "T.ones(2).long()", "T.ones(2), 2")),
    "T.empty(3).bernoulli_(T.ones(2, 3))", "T.empty(3).bernoulli_(T.ones(3).long())", "T.empty(3).exponential_(0.0)",
    "T.empty(3).long().exponential_()", "T.empty(3).random_(0)", "T.empty(3).uniform_(2)", "T.empty(3).uniform_(low=2)",
    "T.ones(3, requires_grad=True).random_()",
]  # fmt: skip


def drawn_by(library: Any, expression: str) -> Any:
    library.manual_seed(3)
    result = eval(expression, {"T": library})
    return result.detach().numpy(), result.requires_grad, library.rand(1).item()


@pytest.mark.parametrize("expression", TENSORS)
def test_tensors_are_drawn_alike(expression: str) -> None:
    (ours, *rest), (theirs, *others) = (drawn_by(library, expression) for library in (autograd_teach, torch))
    assert ours.dtype == theirs.dtype
    assert ours.shape == theirs.shape
    assert rest == others
    # Of the exponential distribution the logarithm is NumPy's.
    np.testing.assert_allclose(ours, theirs, rtol=2 * np.finfo(ours.dtype).eps if ours.dtype.kind == "f" else 0)


@pytest.mark.parametrize("arguments", NORMALS)
def test_normal_tensors_are_drawn_alike(arguments: str) -> None:
    (ours, *rest), (theirs, *others) = (
        drawn_by(library, f"T.normal({arguments})") for library in (autograd_teach, torch)
    )
    assert equal_normals(ours, theirs, 0, 2.5)
    assert rest == others


@pytest.mark.parametrize("expression", REFUSED)
def test_draws_are_refused_in_the_same_words(expression: str) -> None:
    with pytest.raises(Exception) as expected:  # whatever PyTorch raises
        eval(expression, {"T": torch})
    with pytest.raises(expected.type) as raised:
        eval(expression, {"T": autograd_teach})
    assert str(raised.value).split("\n")[0] == str(expected.value).split("\n")[0]


@pytest.mark.parametrize(
    "expression",
    ["T.bernoulli(p)", "T.normal(p, 1.0)", "T.normal(1.0, p)", "T.normal(p, p)", "(p * 1).bernoulli_(p)", "(p * 1).random_(5)",
     "(p * 1).random_()", "(p * 1).random_(2, 5)", "(p * 1).exponential_()", "(p * 1).uniform_(2, 5)"],
)  # fmt: skip
def test_draws_stand_in_the_graph_alike(expression: str) -> None:
    graphs, gradients = [], []
    for library in (autograd_teach, torch):
        p = library.tensor([0.25, 0.75], requires_grad=True)
        result = eval(expression, {"T": library, "p": p})
        graphs.append(nodes(result))
        gradients.append(library.autograd.grad(result.sum(), p)[0].tolist())
    assert graphs[0] == graphs[1]
    assert gradients[0] == gradients[1] == [0.0, 0.0]


def test_the_recorded_results_are_what_pytorch_gives_today() -> None:
    assert FILE.read_text("utf-8") == text(record())
