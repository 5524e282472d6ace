"""Random programs under this package and under PyTorch: `python -m tests.parity.fuzz --seed 1 --count 20000 --jobs 2`.

A program is a list of statements, made from the table in fuzz_words.py. While it is written it runs under PyTorch, since what fits
as the next statement depends on the shapes and dtypes of the variables so far; then it runs under this package. What can be
observed (errors, warnings, what hooks and looks note down, and every variable at the end) is plain data and is compared.
A program that differs is shrunk: the smallest one that still differs in the same way is printed, and the exit status is 1.
"""

from __future__ import annotations

import argparse
import contextlib
import copy
import random
import re
import sys
import time
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

import numpy as np

import autograd_teach
from autograd_teach.tensor import _warn_once
from tests.engine.samples import graph_text
from tests.parity.fuzz_words import names
from tests.parity.fuzz_writer import Writer

# How far two numbers may lie apart, as a part of the largest in their tensor (or of 1), by the coarsest dtype in the program:
# units in the last place, some for each inexact statement that a number has come through.
TOLERANCE = {"float64": 1e-12, "float32": 1e-5, "float16": 1e-2}

# What is said where a value was written to after it was saved.
STALE = "RuntimeError: modified by an inplace operation"

# What a program did: for each statement its error, its warnings and what was noted.
Trace = list[dict[str, Any]]

# Running a program


class World:
    """A library with the variables of one program, and the trace of what the program did."""

    def __init__(self, library: Any) -> None:
        self.library = library
        self.trace: Trace = []
        self.notes: list[Any] = []
        self.warnings: list[Any] = []
        self.born: dict[str, int] = {}  # the versions that variables came with: a gradient's tells how it was computed
        self.variables: dict[str, Any] = {"torch": library, "copy": copy, **names(library, self.note)}
        self.variables |= {"note": self.note, "show": self.show, "look": self.look}
        library.set_grad_enabled(True)
        library.default_generator.manual_seed(0)

    def do(self, statement: str) -> set[str]:
        """Run a statement; its error, warnings and notes are the next entry of the trace. The names that are new."""
        self.notes, error, before = [], None, set(self.variables)
        del self.warnings[:]
        _warn_once.cache_clear()
        try:
            exec(_compiled(statement), self.variables)  # noqa: S102  the program
        except Exception as raised:  # noqa: BLE001  whichever it is, it is what is compared
            error = _clean(f"{type(raised).__name__}: {raised}")
        texts = [f"{w.category.__name__}: {_clean(str(w.message))}" for w in self.warnings]
        # Which layout a gradient has says nothing.
        texts = [text for text in texts if "gradient layout contract" not in text]
        self.trace.append({"error": error, "warnings": texts, "notes": self.notes})
        if "backward(" in statement and self.library is not autograd_teach:
            self.part_gradients()
        new = self.variables.keys() - before
        for name in new:
            with contextlib.suppress(AttributeError, RuntimeError):  # of what is no tensor, or one of inference mode
                self.born[name] = self.variables[name]._version
        return new

    def part_gradients(self) -> None:
        """Give the gradients of leaves memory of their own: PyTorch may share it among them, and adds to all what arrives at one."""
        leaves = {id(t): t for t in self.tensors().values() if t._base is None and t.is_leaf}
        known = set()
        for leaf in leaves.values():
            if leaf.grad is not None and leaf.grad.numel() and not leaf.grad._is_zerotensor():
                place = leaf.grad.untyped_storage().data_ptr()
                if place in known:
                    leaf.grad = leaf.grad.clone()
                known.add(place)

    def note(self, value: Any) -> None:
        self.notes.append(self.plain(value))

    def show(self, tensor: Any) -> None:
        """Note the text of a tensor, which is comparable where the numbers are the same bit by bit."""
        self.notes.append({"dtype": str(tensor.dtype), "numbers": tensor.tolist(), "text": _clean(repr(tensor))})

    def look(self) -> None:
        """Note all that can be seen of all variables."""
        known = self.tensors()
        first = {id(tensor): name for name, tensor in reversed(known.items())}
        seen = len(self.warnings)
        for name, tensor in known.items():
            facts = {"same as": first[id(tensor)]}
            try:
                facts |= {**self.facts(tensor), "version": tensor._version - self.born[name]}
                base, grad = tensor._base, tensor.grad
                facts["base"] = first.get(id(base), "unnamed") if base is not None else None
                facts["grad"] = grad if grad is None else {"same as": first.get(id(grad)), **self.facts(grad)}
            except RuntimeError as error:  # as a view raises that was written to in a way that is not allowed
                facts["error"] = _clean(str(error))
            self.notes.append({name: facts})
        del self.warnings[seen:]

    def tensors(self) -> dict[str, Any]:
        named = {name: value for name, value in self.variables.items() if name[0] == "v" and name[1:].isdigit()}
        return {name: value for name, value in named.items() if isinstance(value, self.library.Tensor)}

    def facts(self, tensor: Any) -> dict[str, Any]:
        """What can be seen of a tensor, as plain data."""
        facts: dict[str, Any] = {"dtype": str(tensor.dtype), "shape": tuple(tensor.shape)}
        for name in ("requires_grad", "is_leaf", "retains_grad", "output_nr"):
            facts[name] = getattr(tensor, name)
        facts["view"] = tensor._is_view()
        # PyTorch saves a clone of what an operation overwrites in place; only the graph of a gradient shows it.
        facts["graph"] = graph_text(tensor.grad_fn, passed_over="CloneBackward0")
        # PyTorch's zeros without memory, which some of its formulas send on, have no numbers until something is added to them.
        facts["numbers"] = (tensor.detach() + 0 if getattr(tensor, "_is_zerotensor", bool)() else tensor).tolist()
        return facts

    def plain(self, value: Any) -> Any:
        if isinstance(value, self.library.Tensor):
            # Whether a gradient is a view of another says nothing.
            return {key: fact for key, fact in self.facts(value).items() if key != "view"}
        if isinstance(value, tuple | list):
            return [self.plain(item) for item in value]
        if isinstance(value, np.ndarray):
            return {"dtype": str(value.dtype), "numbers": value.tolist()}
        return value if isinstance(value, int | float | str | None) else _clean(repr(value))


@cache
def pytorch() -> Any:
    """PyTorch, in one thread and giving each warning each time instead of once in a process."""
    import torch

    torch.set_num_threads(1)
    torch.set_warn_always(True)
    return torch


@lru_cache(maxsize=1000)
def _compiled(statement: str) -> Any:
    return compile(statement, "<program>", "exec")


def _clean(text: str) -> str:
    """Without what rightly differs: addresses, places in PyTorch's source, the library's name."""
    if re.search("modified by an inplace operation|base or another view of its base has been modified", text):
        # PyTorch speaks of the tensor that was saved as it is now, or says that the view it was may not be used any more; here it
        # is a value that was saved. What is said is tested on programs of their own.
        return STALE
    text = text.replace("CPUBoolType", "BoolTensor")  # the older of the two names that it has for these alone
    text = re.sub(r" at 0x[0-9a-f]+|0x[0-9a-f]{8,}| \(Triggered internally at [^)]*\)", "", text)
    # Where a leaf was first used is not noted here: it costs time at each leaf, and says little about a hook that fails.
    text = re.sub(r"(?s)(AccumulateGrad\. ).* (forward|Traceback) .*", r"\1", text)
    # What lies above the program differs while it is written; below it lies the library's own code.
    text = re.sub(r'(?s)  File .*(?=  File "<program>")', "", text)
    text = re.sub(r'  File "[^"]*/site-packages/torch/.*\n(?:    .*\n)*', "", text)
    return re.sub(r"(autograd_teach|torch)[\w.]*\.(?=\w)", "", text)


@contextlib.contextmanager
def _world(library: Any) -> Iterator[World]:
    world = World(library)
    with warnings.catch_warnings(record=True) as world.warnings:
        warnings.simplefilter("always")
        # As the package does at import: NumPy's warnings about 1/0 and the like, which PyTorch does not give.
        warnings.filterwarnings("ignore", category=RuntimeWarning, module="autograd_teach")
        try:
            yield world
        finally:
            library.set_grad_enabled(True)


def run(library: Any, program: list[str], shaken: float = 0.0, apart: bool = False) -> Trace:
    """The trace of a program, with a look at everything at its end; each new variable can be changed by a little.

    All its elements by the same part, so that equal ones stay equal; or `apart`, and the old variables too.
    """
    with _world(library) as world:
        for number, statement in enumerate([*program, "look()"]):
            new = world.do(statement)
            for name in (world.tensors() if apart else new) if shaken else ():
                with contextlib.suppress(Exception):  # what is no floating tensor of its own stays as it is
                    change = 1 + shaken * (1 + number % 7)
                    if apart:
                        change = library.linspace(change, 1, world.variables[name].numel()).view_as(
                            world.variables[name]
                        )
                    world.variables[name].data.mul_(change)
        return world.trace


# Comparing two traces


@dataclass
class Difference:
    statement: int
    path: str  # where it lies in the data
    ours: Any
    theirs: Any

    @property
    def refused(self) -> bool:
        """Whether this package said that it does not support something."""
        return self.path == "error" and str(self.ours).startswith("NotImplementedError: autograd_teach")

    @property
    def key(self) -> str:
        """What it has in common with differences of the same cause; of errors the texts without their numbers."""
        return re.sub(r"\d+", "0", f"error {self.ours} / {self.theirs}") if self.path == "error" else self.path

    def __str__(self) -> str:
        return f"{self.path}\n    here:    {self.ours}\n    PyTorch: {self.theirs}"


def compare(ours: Trace, theirs: Trace, tolerance: float = 0.0) -> Difference | None:
    """The first difference of two traces, which both may be PyTorch's; the tolerance at least that of the coarsest dtype."""
    if ours == theirs:
        return None
    # Integers become float32 on their way.
    dtypes = {"float64", *re.findall(r"float16|float32", str(theirs).replace("torch.int", "float32"))}
    tolerance = max(tolerance, max(TOLERANCE[dtype] for dtype in dtypes))
    for index, (here, there) in enumerate(zip(ours, theirs, strict=True)):
        if found := _differ(here, there, "", tolerance):
            return Difference(index, *found)
    return None


def judge(program: list[str], theirs: Trace) -> Difference | None:
    """How a program differs under this package from its trace under PyTorch."""
    found = compare(run(autograd_teach, program), theirs)
    return None if found and _jumps(program, theirs, found) else found


def _jumps(program: list[str], theirs: Trace, found: Difference) -> bool:
    """Whether PyTorch itself gives something else there once all numbers are shaken, as at a step of `floor`: that says nothing."""
    if found.path == "error" or "graph" in found.path:
        return False
    little = 5e-3 if "float16" in str(theirs) else 1e-4
    # A sum of equal numbers may be off in its last place, which decides what is said of their variance: whether it is zero.
    ways = (False, True) if "True" in f"{found.ours} {found.theirs}" else (False,)
    shaken = [run(pytorch(), program, much, apart) for much in (little, -little) for apart in ways]
    jumps = [compare(trace, theirs, tolerance=0.02) for trace in shaken]
    return any(jump and (jump.statement, jump.path) == (found.statement, found.path) for jump in jumps)


def _differ(ours: Any, theirs: Any, path: str, tolerance: float) -> tuple[str, Any, Any] | None:
    """Path and values of the first difference of two pieces of plain data."""
    if isinstance(ours, dict) and isinstance(theirs, dict) and ours.keys() == theirs.keys():
        for key in ours:
            if key == "text" and str(ours["numbers"]) != str(theirs["numbers"]):  # which tells -0.0 from 0.0
                continue
            part = path if re.fullmatch(r"v\d+", key) else f"{path} {key}".strip()
            if found := _differ(ours[key], theirs[key], part, tolerance):
                return found
        return None
    if path.endswith("numbers") or isinstance(theirs, float):
        return None if _close(ours, theirs, tolerance) else (path, ours, theirs)
    if isinstance(ours, list) and isinstance(theirs, list) and len(ours) == len(theirs):
        return next(filter(None, (_differ(a, b, path, tolerance) for a, b in zip(ours, theirs, strict=True))), None)
    if path == "error" and ours and theirs and _either_mistake(ours, theirs):
        return None
    return None if type(ours) is type(theirs) and ours == theirs else (path, ours, theirs)


def _either_mistake(ours: str, theirs: str) -> bool:
    """Whether two errors may stand for each other, because which of two mistakes is found first says nothing."""
    # Some of PyTorch's operations look for overlapping memory last.
    overlap = "single memory location" in ours + theirs
    # PyTorch frees what a node saved after a look at the gradients that it gave, which may not fit what `x.t_()` left unrecorded.
    return overlap or ("a second time" in ours and "invalid gradient" in theirs)


def _close(ours: Any, theirs: Any, tolerance: float) -> bool:
    """Whether two numbers, or nested lists of them, are equal, floats but for rounding."""
    a, b = np.asarray(ours), np.asarray(theirs)
    if a.shape != b.shape or a.dtype != b.dtype or a.dtype.kind != "f":
        return bool(ours == theirs)
    largest = max(1.0, np.abs(b[np.isfinite(b)]).max(initial=0.0))
    return np.allclose(a, b, rtol=0.0, atol=tolerance * largest, equal_nan=True)


# Writing a program


def write(seed: int, number: int) -> tuple[list[str], Trace]:
    """Program `number` of `seed`, with its trace under PyTorch."""
    torch = pytorch()
    rng = random.Random(f"{seed} {number}")
    program: list[str] = []
    with _world(torch) as world:
        writer = Writer(rng, world)
        often = rng.choice([0.0, 0.0, 0.3])
        for _ in range(rng.randint(5, 40)):
            program.append("look()" if program and rng.random() < often else writer.statement())
            world.do(program[-1])
            if "INTERNAL ASSERT" in str(world.trace[-1]["error"]):  # PyTorch's own bug, which leaves things half done
                return program[:-1], run(torch, program[:-1])
        world.do("look()")
        return program, world.trace


# Shrinking

# What may stand instead of a piece of a statement.
_SIMPLER = [
    (r"^with [^:]*: ", ""),
    (r"\[[^<>=]*\](?=, dtype=torch\.(float|int))", "1"),
    (r"\[[^<>=]*\](?=, dtype=torch\.float)", "[1.0]"),
    (r"\[[^<>=]*\](?=, dtype=torch\.float)", "[1.0, 2.0]"),
    (r"\[[^<>=]*\](?=, dtype=torch\.float)", "[[1.0, 2.0], [3.0, 4.0]]"),
    (r", \w+=[^,()]+(?=[,)])", ""),
    (r"\.\w+\([^()]*\)", ""),
    (r"\[[^\[\]]*\]$", ""),
    (r"\bseen\((\w+)\)", r"\1"),
    (r"(?<!\w)\((\w+)\)", r"\1"),
    (r", lambda g: [^()]*\)", ")"),
    (r" [-+*/] [\w.]+", ""),
    (r"-?\d+\.\d+", "1.0"),
]


def shrink(program: list[str], key: str) -> list[str]:
    """The smallest program found that differs in the same way."""
    smaller: list[str] | None = program
    while smaller:
        program = smaller
        smaller = next((p for p in _smaller(program) if (found := difference(p)) and found.key == key), None)
    return program


def _smaller(program: list[str]) -> Iterator[list[str]]:
    """The program without some statements, with a variable for another, with a piece of a statement made simpler."""
    size = len(program) // 2
    while size:
        for start in reversed(range(0, len(program), size)):
            yield program[:start] + program[start + size :]
        size //= 2
    made: list[str] = []
    for index, line in enumerate(program):
        if new := re.match(r"(v\d+) = ", line):
            for other in made:
                yield program[:index] + [re.sub(rf"\b{new[1]}\b", other, later) for later in program[index + 1 :]]
            made.append(new[1])
    for index, line in enumerate(program):
        for pattern, text in _SIMPLER:
            for found in re.finditer(pattern, line):
                simpler = line[: found.start()] + found.expand(text) + line[found.end() :]
                if (len(simpler), simpler) < (len(line), line):
                    yield [*program[:index], simpler, *program[index + 1 :]]


def difference(program: list[str]) -> Difference | None:
    """How a program differs under the two libraries."""
    return judge(program, run(pytorch(), program))


# Many programs


def fuzz(seed: int, numbers: Iterable[int]) -> tuple[Counter[str], dict[str, list[str]]]:
    """Write and run the programs of these numbers: the counts, and the first program of each difference by its key."""
    counts = Counter({"programs": 0, "statements": 0, "differ": 0, "not supported": 0})
    different: dict[str, list[str]] = {}
    for number in numbers:
        program, theirs = write(seed, number)
        found = judge(program, theirs)
        counts.update(programs=1, statements=len(program))
        if found and found.refused:
            counts["not supported"] += 1
        elif found:
            counts["differ"] += 1
            different.setdefault(found.key, program)
    return counts, different


def explain(program: list[str], key: str) -> str:
    """The smallest program that differs as this one does, and how it differs."""
    small = shrink(program, key)
    return "\n".join([*small, f"-> {difference(small)}"])


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.parity.fuzz", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=500, help="how many programs (default: %(default)s)")
    parser.add_argument("--jobs", type=int, default=1, help="how many processes (default: %(default)s)")
    options = parser.parse_args()
    parts = [range(first, min(first + 50, options.count)) for first in range(0, options.count, 50)]
    total: Counter[str] = Counter()
    seen: set[str] = set()
    started = time.monotonic()
    with ProcessPoolExecutor(options.jobs) as pool:
        for counts, different in pool.map(fuzz, [options.seed] * len(parts), parts):
            for key in different.keys() - seen:
                print("\r\033[K" + explain(different[key], key), end="\n\n", flush=True)
            seen |= different.keys()
            total.update(counts)
            text = ", ".join(f"{count} {what}" for what, count in total.items())
            speed = total["programs"] / (time.monotonic() - started)
            print(f"\r\033[K{text}; {speed:.0f} programs/s", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    return 1 if seen else 0


if __name__ == "__main__":
    sys.exit(main())
