"""Files are written on every platform: also where the system has no locks."""

import sys
from types import ModuleType

import pytest

from autograd_teach import files


@pytest.mark.parametrize("fcntl", [None, ModuleType("fcntl")], ids=["missing", "empty, as in a browser"])
def test_without_locks_nobody_waits(fcntl, monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "fcntl", fcntl)
    with files.alone_in(tmp_path):
        files.replace(tmp_path / "file", b"new")
    assert (tmp_path / "file").read_bytes() == b"new"
