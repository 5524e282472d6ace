"""`python -m benchmarks [--output FILE]`: time every workload, interleaved, on one thread, and print a table of ratios."""

from __future__ import annotations

import argparse
import importlib
import os
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

# Before NumPy loads: a second thread would make the ratios depend on what else the machine does.
for _variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_variable] = "1"

ROUNDS = 15
SECONDS_A_SAMPLE = 0.05


def seconds(run: Callable[[], Any], repeats: int) -> float:
    start = time.process_time()
    for _ in range(repeats):
        run()
    return (time.process_time() - start) / repeats


def measure(runs: dict[str, Callable[[], Any]]) -> dict[str, float]:
    """The median seconds of each contestant; they take turns, so that a slow moment of the machine meets all of them."""
    repeats = {name: max(1, int(SECONDS_A_SAMPLE / seconds(run, 1))) for name, run in runs.items()}
    samples: dict[str, list[float]] = {name: [] for name in runs}
    for _ in range(ROUNDS):
        for name, run in runs.items():
            samples[name].append(seconds(run, repeats[name]))
    return {name: statistics.median(times) for name, times in samples.items()}


def libraries() -> dict[str, Any]:
    """This package, and PyTorch where it is installed."""
    found = {"autograd_teach": importlib.import_module("autograd_teach")}
    try:
        found["torch"] = importlib.import_module("torch")
        found["torch"].set_num_threads(1)
    except ImportError:
        pass
    return found


def table() -> str:
    from benchmarks.engine import WORKLOADS

    modules = libraries()
    lines = ["| workload | autograd_teach | x torch | x NumPy by hand |", "|---|---|---|---|"]
    for workload, by_hand in WORKLOADS:
        runs = {name: workload(module) for name, module in modules.items()}
        if by_hand is not None:
            runs["numpy"] = by_hand()
        medians = measure(runs)
        ours = medians["autograd_teach"]
        ratios = [f"{ours / medians[n]:.2f}" if n in medians else "-" for n in ("torch", "numpy")]
        description = (workload.__doc__ or "").strip().rstrip(".")
        lines.append(f"| {description} | {ours * 1e6:,.0f} µs | {' | '.join(ratios)} |")
        print(lines[-1], flush=True)
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--output", type=Path, help="write the table to this file too")
    arguments = parser.parse_args()
    result = table()
    if arguments.output:
        arguments.output.write_text(result, encoding="utf-8")
