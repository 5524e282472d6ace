"""`python -m benchmarks`: all workloads in all installed libraries, as a table of ratios to hand-written NumPy.

`python -m benchmarks viz`: how long the views of graphs take, by size.

`python -m benchmarks grading`: how long it takes to grade a class, and how much memory.
"""

from __future__ import annotations

import argparse
import gc
import os
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from importlib import import_module, metadata
from importlib.util import find_spec
from pathlib import Path

import autograd_teach
from benchmarks import grading, memory, views
from benchmarks.libraries import Run, installed, prepare
from benchmarks.programs import PROGRAMS
from benchmarks.workloads import TIMED

# Read when a process starts. With a second thread, the ratios would depend on what else the machine
# does. With an allocator that returns memory to the system (glibc's), they would depend on what ran
# before: large arrays then take up to twice as long.
ENVIRONMENT = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "MALLOC_MMAP_THRESHOLD_": str(2**25),
    "MALLOC_TRIM_THRESHOLD_": str(2**32),
}
ROUNDS, SECONDS_A_SAMPLE = 15, 0.05
QUICK_ROUNDS, QUICK_SECONDS_A_SAMPLE = 3, 0.005
MEMORY = "peak memory over the data, MLP 784-100-10, batch 4096"


def seconds(run: Run, repeats: int) -> float:
    gc.collect()  # what the previous contestant left behind must not count here
    start = time.process_time()
    for _ in range(repeats):
        run()
    return (time.process_time() - start) / repeats


def medians(runs: Mapping[str, Run], rounds: int, seconds_a_sample: float) -> dict[str, float]:
    """The median seconds of each; they take turns, so that a slow moment of the machine affects all of them."""
    for run in runs.values():
        run()  # sets up what is made on first use
    repeats = {name: max(1, int(seconds_a_sample / max(seconds(run, 1), 1e-6))) for name, run in runs.items()}
    samples: dict[str, list[float]] = {name: [] for name in runs}
    for _ in range(rounds):
        for name, run in runs.items():
            samples[name].append(seconds(run, repeats[name]))
    return {name: statistics.median(times) for name, times in samples.items()}


def table(quick: bool) -> Iterator[str]:
    """The lines of the table, each as soon as it is measured."""
    rounds, sample = (QUICK_ROUNDS, QUICK_SECONDS_A_SAMPLE) if quick else (ROUNDS, SECONDS_A_SAMPLE)
    names = installed()
    yield (
        "One thread; medians of one run. `by hand` is NumPy written for speed; the other columns are multiples of it. "
        + versions(names)
    )
    yield ""
    yield f"| workload | {' | '.join(names)} | autograd_teach : torch | goal |"
    yield "|---" * (len(names) + 3) + "|"
    for make in TIMED:
        workload = make()
        prepared = {name: prepare(name, workload) for name in names}
        runs = {name: run for name, run in prepared.items() if run}
        gc.collect()
        gc.freeze()  # the garbage collector need not search the libraries in every sample
        times = medians(runs, rounds, sample)
        yield row(workload.title, times, names, f"{times['by hand'] * 1e6:,.0f} µs", workload.goal)
    if memory.measurable():
        peaks = {name: memory.peak(name) for name in names if name not in ("plainly", "micrograd")}
        yield row(MEMORY, peaks, names, f"{peaks['by hand']:.1f} MB", "<= torch")

    yield ""
    yield from programs_table(rounds, sample)


def programs_table(rounds: int, sample: float) -> Iterator[str]:
    """Programs as users write them: the time of a run, and the ratio that has a goal."""
    yield "| program | by hand | torch | autograd_teach | ratio | goal |"
    yield "|---|---|---|---|---|---|"
    for program in PROGRAMS:
        runs = {"by hand": program.by_hand and program.by_hand(), "autograd_teach": program.program(autograd_teach)}
        if find_spec("torch"):
            runs["torch"] = program.program(import_module("torch"))
        gc.collect()
        gc.freeze()
        times = medians({name: run for name, run in runs.items() if run}, rounds, sample)
        shown = [f"{times[n] * 1e6:,.0f} µs" if n in times else "-" for n in ("by hand", "torch", "autograd_teach")]
        found = f"{ratio(times, 'autograd_teach', program.to)} x {program.to}"
        yield f"| {' | '.join([program.title, *shown, found, f'<= {program.goal}'])} |"


def row(title: str, values: Mapping[str, float], names: list[str], by_hand: str, goal: str) -> str:
    cells = [ratio(values, name, "by hand") for name in names if name != "by hand"]
    return f"| {' | '.join([title, by_hand, *cells, ratio(values, 'autograd_teach', 'torch'), goal])} |"


def ratio(values: Mapping[str, float], name: str, to: str) -> str:
    return f"{values[name] / values[to]:.2f}" if name in values and to in values else "-"


def versions(names: list[str]) -> str:
    """The versions of what was compared, and the machine."""
    own = ("plainly", "autograd_teach")
    packages = [{"by hand": "numpy", "HIPS": "autograd"}.get(name, name) for name in names if name not in own]
    numbers = ", ".join(f"{name} {metadata.version(name)}" for name in packages)
    return f"Python {platform.python_version()}, {numbers}; {platform.system()}, {platform.machine()}."


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("what", nargs="?", choices=["engine", "viz", "grading"], default="engine", help="what to time")
    parser.add_argument("--output", type=Path, help="write the table to this file too")
    parser.add_argument(
        "--quick", action="store_true", help="few repetitions: rough numbers, to check that everything runs"
    )
    arguments = parser.parse_args()
    if not ENVIRONMENT.items() <= os.environ.items():
        again = [sys.executable, "-m", "benchmarks", *sys.argv[1:]]
        sys.exit(subprocess.call(again, env={**os.environ, **ENVIRONMENT}))
    lines = []
    lines_of = {"engine": table, "viz": views.table, "grading": grading.table}[arguments.what]
    for line in lines_of(arguments.quick):
        print(line, flush=True)
        lines.append(line)
    if arguments.output:
        arguments.output.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
