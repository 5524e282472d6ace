"""Each test of the views runs on our tensors and, where it is installed, on PyTorch's: one code draws both."""

import importlib
import sys
from collections.abc import Iterator
from types import ModuleType

import pytest

from tests.libraries import LIBRARIES


@pytest.fixture(params=LIBRARIES)
def lib(request: pytest.FixtureRequest) -> ModuleType:
    """The library whose graphs are drawn."""
    return importlib.import_module(request.param)


@pytest.fixture
def shallow_stack() -> Iterator[None]:
    """A stack too low to recur over a few hundred nodes."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(200)
    yield
    sys.setrecursionlimit(limit)
