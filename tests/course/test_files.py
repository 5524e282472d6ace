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


@pytest.mark.parametrize("write", [files.add, files.replace])
def test_a_name_may_be_as_long_as_the_system_allows(write, tmp_path):
    path = tmp_path / ("n" * 255)
    write(path, b"new")
    assert path.read_bytes() == b"new" and list(tmp_path.iterdir()) == [path]
