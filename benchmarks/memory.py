"""Memory that a contestant needs beyond the data, measured by the operating system (Linux only).

A new process computes the gradients once, so that everything a library sets up only once exists
(the work space of its matrix product, code made on first use). Then it computes them again, with
new data and leaves. The result is the peak of the process's resident memory in the second run,
minus the memory before it.
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
    """Whether the system can measure it."""
    return CLEAR.exists()


def peak(contestant: str) -> float:
    """Megabytes beyond the data, measured in a process of its own."""
    # Linux's allocator keeps freed memory unless told otherwise, and memory that it kept would not
    # be counted.
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
