"""What is too large for a dtype becomes infinite in silence, as in PyTorch, whatever filters the user has set."""

import warnings
from collections.abc import Callable

import numpy as np
import pytest

import autograd_teach as torch
from autograd_teach import dtypes

HUGE = 1e308


def double() -> torch.Tensor:
    return torch.tensor([HUGE], dtype=torch.float64)


def loaded() -> torch.Tensor:
    p = torch.nn.Parameter(torch.ones(1))
    optimizer = torch.optim.SGD([p], lr=0.1, momentum=0.9)
    p.grad = torch.ones(1)
    optimizer.step()
    stored = optimizer.state_dict()
    stored["state"][0]["momentum_buffer"] = double()
    optimizer.load_state_dict(stored)
    return optimizer.state[p]["momentum_buffer"]


CASTS: dict[str, Callable[[], torch.Tensor]] = {
    "a number": lambda: torch.tensor(HUGE),
    "a list": lambda: torch.tensor([HUGE]),
    "a nested list": lambda: torch.tensor([[HUGE]]),
    "a list for halves": lambda: torch.tensor([1e30], dtype=torch.float16),
    "an array": lambda: torch.tensor(np.array([HUGE]), dtype=torch.float32),
    "as_tensor": lambda: torch.as_tensor([HUGE]),
    "Tensor": lambda: torch.Tensor([HUGE]),
    "FloatTensor": lambda: torch.FloatTensor([HUGE]),
    "new_tensor": lambda: torch.ones(1).new_tensor([HUGE]),
    "from_numpy": lambda: torch.from_numpy(np.array([HUGE])).float(),
    "float": lambda: double().float(),
    "half": lambda: torch.tensor([1e30]).half(),
    "to": lambda: double().to(torch.float32),
    "type_as": lambda: double().type_as(torch.ones(1)),
    "copy_": lambda: torch.ones(1).copy_(double()),
    "a number as operand": lambda: torch.ones(1) * HUGE,
    "a number that is not cached": lambda: HUGE * torch.ones(1, dtype=torch.float16),
    "a tensor of rank 0 as operand": lambda: torch.ones(1) * torch.tensor(HUGE, dtype=torch.float64),
    "a dtype of a sum": lambda: double().sum(dtype=torch.float32),
    "a dtype of a running sum": lambda: double().cumsum(0, dtype=torch.float32),
    "load_state_dict": loaded,
    "module": lambda: torch.nn.ParameterList([torch.nn.Parameter(double())]).float()[0].detach(),
}


def is_silent(make: Callable[[], torch.Tensor]) -> bool:
    dtypes.constants.clear()  # numbers that were operands before are not cast again
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        assert make().isinf().all()
    return said == []


@pytest.mark.parametrize("name", CASTS)
def test_what_is_too_large_becomes_infinite_in_silence(name: str) -> None:
    assert is_silent(CASTS[name])


@pytest.mark.parametrize("name", CASTS)
def test_a_cast_does_not_ask_the_user_s_errstate(name: str) -> None:
    with np.errstate(all="raise"):
        assert is_silent(CASTS[name])


@pytest.mark.parametrize("to", [torch.int32, torch.int64, torch.uint8], ids=str)
def test_what_no_integer_can_hold_is_cast_in_silence(to: torch.dtype) -> None:
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        torch.tensor([float("nan"), 1e30]).to(to)
    assert said == []
