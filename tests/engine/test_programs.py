"""The programs of `programs.py` do what they did under PyTorch when their outcomes were recorded."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import autograd_teach
from tests.engine.programs import PROGRAMS, outcome

RECORDED = json.loads((Path(__file__).parent / "programs.json").read_text())


@pytest.mark.parametrize("name, program", PROGRAMS.items(), ids=list(PROGRAMS))
def test_a_program_does_what_it_does_under_pytorch(name: str, program: Callable[[Any], Any]) -> None:
    assert outcome(autograd_teach, program) == RECORDED[name]


def test_every_recorded_outcome_has_its_program() -> None:
    assert set(RECORDED) == set(PROGRAMS)
