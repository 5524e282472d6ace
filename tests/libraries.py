"""The libraries that a test runs under: this package and, where it is installed, PyTorch, whose behaviour is the specification."""

import importlib.util

import pytest

HAS_TORCH = importlib.util.find_spec("torch") is not None

LIBRARIES = ["autograd_teach", *([pytest.param("torch", marks=pytest.mark.parity)] if HAS_TORCH else [])]
"""For `pytest.mark.parametrize`; PyTorch's half is marked, so that `-m parity` runs it."""
