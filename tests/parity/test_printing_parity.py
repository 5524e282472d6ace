"""Our text of PyTorch's own tensors against PyTorch's: random tensors under random print options, and graphs' leaves."""

import random
from typing import Any

import numpy as np
import pytest

import autograd_teach
from autograd_teach.printing import set_printoptions, tensor_repr

torch = pytest.importorskip("torch")

OPTIONS = {
    "precision": [0, 1, 2, 6, 9],
    "threshold": [0, 5, 50, float("inf")],
    "edgeitems": [0, 1, 2, 5],
    "linewidth": [1, 20, 40, 81, 120],
    "profile": ["default", "short", "full"],
    "sci_mode": [True, False],
}
FLOATS = [torch.float16, torch.float32, torch.float64]
INTEGERS = [torch.int8, torch.int16, torch.int32, torch.int64, torch.uint8, torch.bool]


class Sub(torch.Tensor):
    pass


class SubParameter(torch.nn.Parameter):
    pass


@pytest.fixture(autouse=True)
def as_before() -> Any:
    yield
    torch.set_default_dtype(torch.float32)
    torch.set_printoptions(profile="default")
    set_printoptions(profile="default")


def random_values(choose: random.Random, draw: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    """Numbers of all sizes and kinds: whole, tiny, huge, of mixed size, with zeros, infinities and NaN."""
    values = draw.normal(size=shape)
    kind = choose.randrange(6)
    if kind == 1:
        values = np.round(values * 10.0 ** choose.randrange(12))
    elif kind == 2:
        values = values * 10.0 ** draw.integers(-6, 10, size=shape)
    elif kind == 3:
        values = values * 10.0 ** choose.randrange(-10, 12)
    elif kind == 4:
        values = np.where(draw.random(shape) < 0.5, 0, values) * choose.choice([0.0, 1.0, -0.0, 1e-5])
    if choose.random() < 0.25:
        odd = choose.choice([np.nan, np.inf, -np.inf, -0.0, 5e-324, 1e4])
        values = np.where(draw.random(shape) < 0.3, odd, values)
    return values


def random_tensor(choose: random.Random, draw: np.random.Generator) -> Any:
    rank = choose.choice([0, 1, 1, 1, 2, 2, 3, 4, 5])
    sizes = [0, 1, 1, 2, 3, 5, 7, 8, 20, 60] if rank < 3 else [0, 1, 2, 3, 4, 7]
    shape = tuple(choose.choice(sizes) for _ in range(rank))
    if choose.random() < 0.1:
        shape = choose.choice([(999,), (1000,), (1001,), (3000,), (8, 300), (60, 17)])
    dtype = choose.choice(FLOATS * 3 + INTEGERS)
    if dtype is torch.bool:
        tensor = torch.from_numpy(np.array(draw.random(shape) < 0.5))
    elif dtype in INTEGERS:
        size = min(torch.iinfo(dtype).max, 10 ** choose.randrange(1, 18))
        lowest = max(-size, torch.iinfo(dtype).min)
        tensor = torch.tensor(draw.integers(lowest, size, size=shape)).to(dtype)
    else:
        tensor = torch.tensor(random_values(choose, draw, shape)).to(dtype)
    if rank > 1 and choose.random() < 0.2:
        tensor = tensor.transpose(0, -1)
    if dtype in FLOATS:
        tensor = choose.choice(
            [
                *[lambda: tensor] * 6,
                lambda: tensor.requires_grad_(),
                lambda: tensor.requires_grad_() * 1,
                lambda: tensor.requires_grad_().exp(),
                lambda: torch.nn.Parameter(tensor),
                lambda: torch.nn.Parameter(tensor, requires_grad=False),
                lambda: Sub(tensor),
                lambda: SubParameter(tensor),
            ]
        )()
    return tensor


def test_random_tensors_print_alike_under_random_options() -> None:
    choose, draw = random.Random(0), np.random.default_rng(0)
    for _ in range(3000):
        tensor = random_tensor(choose, draw)
        options = {name: choose.choice(values) for name, values in OPTIONS.items() if choose.random() < 0.15}
        default = choose.choice([torch.float32, torch.float32, torch.float64, torch.float16])
        torch.set_default_dtype(default)
        for set_options in (torch.set_printoptions, set_printoptions):
            set_options(profile="default")
            set_options(**options)
        if tensor.numel() > 3000 and options.get("threshold") == float("inf"):
            continue  # PyTorch would take seconds
        assert tensor_repr(tensor, default) == repr(tensor), (options, tensor.shape, tensor.dtype)


def test_our_tensors_print_as_pytorchs() -> None:
    choose, draw = random.Random(1), np.random.default_rng(1)
    for _ in range(300):
        tensor = random_tensor(choose, draw).detach().as_subclass(torch.Tensor)
        assert repr(autograd_teach.from_numpy(tensor.numpy())) == repr(tensor)


class Twice(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        return x * 2

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        return g * 2


def changed_in_place() -> Any:
    y = torch.ones(3, requires_grad=True) * 1
    y[0] = 2.0
    return y


def view_without_history() -> Any:
    base = torch.ones(3, requires_grad=True) * 1
    with torch.no_grad():
        return base.view(3).mul_(2)


MADE = {
    "CopySlices": changed_in_place,
    "TwiceBackward": lambda: Twice.apply(torch.ones(2, requires_grad=True)),
    "SliceBackward0": lambda: changed_in_place()[:2],
    "Invalid": view_without_history,
    "LinalgVectorNormBackward0": lambda: torch.ones(2, requires_grad=True).norm(),
}


@pytest.mark.parametrize("name", MADE)
def test_the_last_operation_is_named_alike(name: str) -> None:
    tensor = MADE[name]()
    assert f"grad_fn=<{name}>" in repr(tensor)
    assert tensor_repr(tensor, torch.float32) == repr(tensor)
