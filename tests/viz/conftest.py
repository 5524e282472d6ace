"""Each test of the views runs on our tensors and, where it is installed, on PyTorch's: one code draws both."""

import importlib
from types import ModuleType

import pytest

from tests.libraries import LIBRARIES


@pytest.fixture(params=LIBRARIES)
def lib(request: pytest.FixtureRequest) -> ModuleType:
    """The library whose graphs are drawn."""
    return importlib.import_module(request.param)
