"""Measures what all processes of a box use, from /proc, and compares it with its limit. Standard library only."""

import contextlib
import os
import re
import resource
import time
from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path

_TICK = os.sysconf("SC_CLK_TCK")
_PAGE = os.sysconf("SC_PAGE_SIZE")


@dataclass(frozen=True)
class Usage:
    """Usage of all descendants of a process: seconds of CPU time, bytes of memory, and whether any of them is running.

    memory: what each uses beyond the `shared` bytes that it was forked with. is_running: a thread runs or waits for a
    processor; otherwise all of them sleep, or wait for a disk. is_stopped: a signal has stopped one of them. pids: all
    of them. `cpu` does not include processes that ended without being waited for.
    """

    cpu: float = 0.0
    memory: int = 0
    is_running: bool = False
    is_stopped: bool = False
    processes: int = 0
    pids: frozenset[int] = frozenset()


def of_descendants(pid: int, shared: int = 0) -> Usage:
    """The usage of all descendants of `pid`. CPU time includes ended processes that were waited for."""
    cpu, memory, is_running, is_stopped, count = 0.0, 0, False, False, 0
    pids = descendants(pid)
    for each in pids:
        with contextlib.suppress(OSError, ValueError, IndexError):  # the process has just ended
            fields = _stat(f"/proc/{each}/stat")
            cpu += sum(map(int, fields[11:15])) / _TICK
            memory += max(0, _resident(each, fields) - shared)
            count += 1
            is_running = is_running or _runs(each, fields)
            is_stopped = is_stopped or fields[0] == "T"
    if pid == os.getpid():
        reaped = resource.getrusage(resource.RUSAGE_CHILDREN)
        cpu += reaped.ru_utime + reaped.ru_stime
    return Usage(cpu, memory, is_running, is_stopped, count, frozenset(pids))


def descendants(pid: int) -> list[int]:
    """Children, their children, and so on, parents first."""
    found, left = [], [pid]
    while left:
        children = _children(left.pop())
        found += children
        left += children
    return found


def _children(pid: int) -> list[int]:
    children: list[int] = []
    with contextlib.suppress(OSError):
        for thread in os.listdir(f"/proc/{pid}/task"):
            children += map(int, Path(f"/proc/{pid}/task/{thread}/children").read_text().split())
    return children


def _resident(pid: int, fields: list[str]) -> int:
    """Bytes in use. The first thread may have ended; it then reports none."""
    if fields[0] == "Z" and int(fields[17]) > 1:
        return max(int(_stat(thread)[21]) for thread in _threads(pid)) * _PAGE
    return int(fields[21]) * _PAGE


def _runs(pid: int, fields: list[str]) -> bool:
    return "R" in ({fields[0]} if int(fields[17]) == 1 else {_stat(thread)[0] for thread in _threads(pid)})


def _threads(pid: int) -> list[str]:
    return [f"/proc/{pid}/task/{thread}/stat" for thread in os.listdir(f"/proc/{pid}/task")]


def _stat(path: str) -> list[str]:
    """The fields after the process's name, starting with its state."""
    return Path(path).read_text(errors="replace").rpartition(")")[2].split()


def resident(pid: int) -> int:
    """Bytes of memory that one process has in use; 0 if it has ended."""
    with contextlib.suppress(OSError, ValueError, IndexError):
        return int(_stat(f"/proc/{pid}/stat")[21]) * _PAGE
    return 0


def open_files(pids: Collection[int]) -> int:
    """How many files these processes can have open now, beyond the 64 that each has room for from its start."""
    room = 0
    for pid in pids:
        with contextlib.suppress(OSError):
            status = Path(f"/proc/{pid}/status").read_text(errors="replace")
            found = re.search(r"^FDSize:\s*(\d+)", status, re.MULTILINE)
            room += max(0, int(found[1]) - 64) if found else 0
    return room


def disk(folder: Path, most_files: int) -> tuple[int, int]:
    """(bytes, files) in `folder`. Counting stops above `most_files`; an unreadable folder counts as more than that."""
    size, files, left = 0, 0, [str(folder)]
    while left and files <= most_files:
        try:
            with os.scandir(left.pop()) as entries:
                for entry in entries:
                    files += 1
                    if entry.is_dir(follow_symlinks=False):
                        left.append(entry.path)
                    else:
                        size += entry.stat(follow_symlinks=False).st_blocks * 512
        except (FileNotFoundError, NotADirectoryError):  # it has just been removed
            continue
        except OSError:
            files += most_files + 1
    return size, files


class Meter:
    """Counts the seconds that a box uses: its CPU time, and time in which all its processes sleep or wait for a disk.

    So a computation is not charged for waiting for a busy processor, and endless sleep has an end. If a process has ended
    whose CPU time may be unknown, all time counts. `measure` returns the usage. Counting starts when `allow` is called.
    """

    def __init__(self, measure: Callable[[], Usage]) -> None:
        self._measure = measure
        self._left: float | None = None
        self._at, self._cpu = 0.0, 0.0
        self._pids: frozenset[int] = frozenset()

    def allow(self, seconds: float | None) -> None:
        """Allow the box `seconds` from now on; with None, nothing is counted."""
        self._left, self._at = seconds, time.monotonic()
        self._cpu = self._measure().cpu if seconds is not None else 0.0

    def look(self) -> Usage:
        """Count the time since the last call and return the usage. Call it a few times a second."""
        used, now = self._measure(), time.monotonic()
        if self._left is not None:
            computed = max(0.0, used.cpu - self._cpu)
            is_known = used.is_running and self._pids <= used.pids
            self._left -= computed if is_known else max(computed, now - self._at)
            self._at, self._cpu, self._pids = now, used.cpu, used.pids
        return used

    @property
    def is_over(self) -> bool:
        """Whether the allowed time is used up."""
        return self._left is not None and self._left <= 0
