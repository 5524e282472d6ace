"""The programs of tests/engine/programs.py under PyTorch itself: ours do the same, and the recorded outcomes are true."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

import autograd_teach
from tests.engine.programs import PROGRAMS, outcome
from tests.engine.test_programs import RECORDED

torch = pytest.importorskip("torch")


@pytest.fixture(autouse=True)
def every_warning() -> Iterator[None]:
    """Some of PyTorch's warnings come once a process: another test must not have had them instead."""
    always = torch.is_warn_always_enabled()
    torch.set_warn_always(True)
    yield
    torch.set_warn_always(always)


@pytest.mark.parametrize("name, program", PROGRAMS.items(), ids=list(PROGRAMS))
def test_a_program_does_the_same_under_both(name: str, program: Callable[[Any], Any]) -> None:
    theirs = outcome(torch, program)
    assert outcome(autograd_teach, program) == theirs
    assert RECORDED[name] == theirs
