"""`autograd_teach/absent.txt` holds the names that PyTorch has."""

import functools
import importlib
from typing import Any

import pytest
import torch

from autograd_teach import absent
from tests.parity import record_names


@pytest.mark.parametrize("face", record_names.FACES)
def test_the_recorded_names_are_those_of_pytorch(face: str) -> None:
    if face in absent.FACES:
        importlib.import_module(face)
    thing: Any = functools.reduce(getattr, face.split(".")[1:], torch)
    assert absent._recorded()[face] == {*record_names.names(thing)}
