"""Each test of the views runs on our tensors and, where it is installed, on PyTorch's: one code draws both."""

import importlib
import importlib.util
from types import ModuleType

import pytest

LIBRARIES = ["autograd_teach"] + ["torch"] * (importlib.util.find_spec("torch") is not None)


@pytest.fixture(params=LIBRARIES)
def lib(request: pytest.FixtureRequest) -> ModuleType:
    """The library whose graphs are drawn."""
    return importlib.import_module(request.param)
