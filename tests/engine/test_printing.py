"""What a tensor prints as, against what PyTorch 2.13.0 printed (tests/parity/record_text_random.py)."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from autograd_teach import printing
from autograd_teach.printing import set_printoptions, tensor_repr

RECORDED = json.loads((Path(__file__).parents[1] / "parity/data/text_random.json").read_text("utf-8"))["printed"]


class MulBackward0:
    """As much of a node."""


@dataclass
class Tensor:
    """As much of a tensor as its text needs."""

    array: np.ndarray
    requires_grad: bool = False
    grad_fn: MulBackward0 | None = None

    def detach(self) -> "Tensor":
        return self

    def numpy(self) -> np.ndarray:
        return self.array

    @property
    def dtype(self) -> str:
        return f"torch.{self.array.dtype.name}"


class Parameter(Tensor):
    pass


HOW = {
    "": Tensor,
    "requires_grad": lambda array: Tensor(array, True),
    "grad_fn": lambda array: Tensor(array, True, MulBackward0()),
    "parameter": lambda array: Parameter(array, True),
    "frozen parameter": Parameter,
}


@pytest.fixture(autouse=True)
def default_options() -> Any:
    yield
    set_printoptions(profile="default")


def array(values: dict[str, Any], shape: list[int], dtype: str) -> np.ndarray:
    if "range" in values:
        count, step = values["range"]
        return (np.arange(count) * step).astype(dtype).reshape(shape)
    return np.array(values["list"]).astype(dtype).reshape(shape)


@pytest.mark.parametrize(("values", "shape", "dtype", "how", "options", "default", "text"), RECORDED)
def test_prints_what_pytorch_printed(
    values: dict[str, Any],
    shape: list[int],
    dtype: str,
    how: str,
    options: dict[str, Any],
    default: str,
    text: str,
) -> None:
    set_printoptions(**options)
    assert tensor_repr(HOW[how](array(values, shape, dtype)), f"torch.{default}") == text


def test_the_default_dtype_is_asked_for_when_it_is_not_given(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    half = Tensor(np.ones(1, "float16"))
    assert tensor_repr(half) == "tensor([1.], dtype=torch.float16)"
    monkeypatch.setattr(printing, "get_default_dtype", lambda: "torch.float16")
    assert tensor_repr(half) == "tensor([1.])"


@pytest.mark.parametrize("wanted", [None, True, False])
def test_sci_mode_lasts_until_the_next_call_only(wanted: bool | None) -> None:
    set_printoptions(sci_mode=True)
    set_printoptions(sci_mode=wanted)
    assert ("e+00" in tensor_repr(Tensor(np.ones(1)), "torch.float64")) == (wanted is True)


def test_a_view_whose_history_is_forbidden_says_so() -> None:
    class View(Tensor):
        grad_fn = property(lambda self: self.fail(), lambda self, value: None)  # type: ignore[assignment]

        def fail(self) -> None:
            raise RuntimeError("made in no_grad mode and changed in place")

    assert tensor_repr(View(np.ones(1))) == "View([1.], dtype=torch.float64, grad_fn=<Invalid>)"


def test_a_subclass_is_named_by_its_own_name() -> None:
    class Special(Parameter):
        pass

    assert tensor_repr(Special(np.ones(1, "float32"), True)) == (
        "Parameter containing:\nParameter(Special([1.], requires_grad=True))"
    )


def test_only_what_is_shown_of_a_large_tensor_is_formatted(monkeypatch: pytest.MonkeyPatch) -> None:
    formatted: list[int] = []
    written = printing._float_form
    monkeypatch.setattr(printing, "_float_form", lambda values: formatted.append(len(values)) or written(values))
    tensor_repr(Tensor(np.zeros((100, 100, 100))))
    assert formatted == [6**3]
