"""How much memory a contestant takes beyond the data: measured by the system, so alike for all of them (Linux only).

A fresh process computes the gradients once, so that what a library sets up only once (the work space of its matrix product, code made
on first use) is there; then once more, with data and leaves made anew. What the second time counts is the peak of the process's
resident memory over what it was before.
"""

from __future__ import annotations

import gc
import os
import subprocess
import sys
from pathlib import Path

from benchmarks.libraries import prepare
from benchmarks.workloads import network

STATUS, CLEAR = Path("/proc/self/status"), Path("/proc/self/clear_refs")


def measurable() -> bool:
    """Whether the system can tell."""
    return CLEAR.exists()


def peak(contestant: str) -> float:
    """Megabytes over the data, in a process of its own."""
    # The allocator of Linux keeps what is freed unless told otherwise, and what it had kept would not be counted.
    environment = {**os.environ, "MALLOC_MMAP_THRESHOLD_": "65536", "MALLOC_TRIM_THRESHOLD_": "65536"}
    command = [sys.executable, "-m", "benchmarks.memory", contestant]
    result = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return float(result.stdout)


def _status(field: str) -> int:
    """`VmRSS`, the resident memory, or `VmHWM`, its highest since the last reset; in kB."""
    return next(int(line.split()[1]) for line in STATUS.read_text().splitlines() if line.startswith(field))


def _measure(contestant: str) -> float:
    for _ in range(2):
        run = prepare(contestant, network(batch=4096))
        assert run is not None
        gc.collect()
        CLEAR.write_text("5")  # resets VmHWM
        before = _status("VmRSS")
        run()
        over = _status("VmHWM") - before
    return over * 1024 / 1e6


if __name__ == "__main__":
    print(_measure(sys.argv[1]))
