"""Every process collects the same tests under the same names: pytest-xdist refuses to start otherwise."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def collected(seed: str) -> list[str]:
    command = [sys.executable, "-m", "pytest", "--collect-only", "--quiet", "--full", "-p", "no:cacheprovider"]
    environment = os.environ | {"PYTHONHASHSEED": seed}
    ran = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
    return [line for line in ran.stdout.splitlines() if "::" in line]


@pytest.mark.full
def test_the_names_of_tests_depend_neither_on_the_time_nor_on_the_order_of_sets():
    # The second collection begins seconds after the first one: an archive made meanwhile has another time stamp.
    first, second = collected("1"), collected("2")
    assert len(first) > 10_000
    assert first == second
