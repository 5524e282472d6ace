"""`autograd_teach/absent.txt` holds the names that PyTorch has."""

import functools
import importlib
from typing import Any

import pytest
import torch

import autograd_teach
from autograd_teach import absent
from tests.engine.test_absent import WRONG_CALLS
from tests.parity import record_names


@pytest.mark.parametrize("face", record_names.FACES)
def test_the_recorded_names_are_those_of_pytorch(face: str) -> None:
    if face in absent.FACES:
        importlib.import_module(face)
    thing: Any = functools.reduce(getattr, face.split(".")[1:], torch)
    assert absent._recorded()[face] == {*record_names.names(thing)}


@pytest.mark.parametrize(("line", "text"), WRONG_CALLS, ids=[line for line, _ in WRONG_CALLS])
def test_pytorch_refuses_the_same_calls_in_these_words(line: str, text: str) -> None:
    with pytest.raises(TypeError) as raised:
        eval(line, {"torch": torch})
    assert text in str(raised.value)


ASKED = [
    "{}",
    "str({})",
    "{}.type",
    "{}.index",
    "{} == 'cpu'",
    "{} == torch.device('cpu')",
    "torch.ones(2, device={}).device",
]


@pytest.mark.parametrize("given", ["'cpu'", "'cpu:0'", "'cpu', 0", "torch.device('cpu:0')"])
def test_a_device_answers_as_pytorchs(given: str) -> None:
    for question in (line.format(f"torch.device({given})") for line in ASKED):
        assert repr(eval(question, {"torch": autograd_teach})) == repr(eval(question, {"torch": torch})), question
