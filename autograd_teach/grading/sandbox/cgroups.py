"""A control group for each box, if the machine allows it: limits on its memory and processes, and its CPU weight.

The grader finds where groups can be made (`parents`). The box's supervisor makes one there (`Group`) through folders that
the grader has opened, because the supervisor does not see the cgroup file system. Both versions of control groups are
supported: version 2 has one folder for all controllers; version 1 has one per controller (memory and pids are used).
"""

import contextlib
import functools
import itertools
import os
import re
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

UNIFIED = "unified"
_PREFIX = "autograd-teach"
_NEEDED = {UNIFIED: ("memory.max", "pids.max"), "memory": ("memory.limit_in_bytes",), "pids": ("pids.max",)}
_VERSION_1 = ("memory", "pids")
_SETTINGS = {
    UNIFIED: {"memory.max": "memory", "memory.swap.max": "0", "pids.max": "processes", "cpu.weight": "30"},
    "memory": {"memory.limit_in_bytes": "memory", "memory.memsw.limit_in_bytes": "memory"},
    "pids": {"pids.max": "processes"},
}
"""The values to write into each file; `memory` and `processes` stand for the box's own limits. The default weight is 100."""

_numbers = itertools.count()


# ---- the grader -------------------------------------------------------------------------------------------------------


@functools.cache
def parents() -> Mapping[str, str]:
    """Controller -> the folder in which groups can be made; empty if this process cannot make groups."""
    own = _own_groups()
    for candidate in (own[UNIFIED], own[UNIFIED].parent) if UNIFIED in own else ():
        if (candidate / "cgroup.procs").exists() and _is_usable(UNIFIED, candidate):
            return {UNIFIED: str(candidate)}
    found = {name: str(own[name]) for name in _VERSION_1 if name in own and _is_usable(name, own[name])}
    return found if {"memory", "pids"} <= set(found) else {}


def new_name() -> str:
    """A new name for a group. It contains the id of the grader's process."""
    return f"{_PREFIX}-{os.getpid()}-{next(_numbers)}"


def remove(name: str) -> None:
    """Remove what is left of a group whose supervisor was ended."""
    for folder in parents().values():
        _remove(name, None, folder)


def _remove(name: str, parent: int | None, folder: str = "") -> None:
    """Remove an empty group below an opened folder, or by its path. Waits for its last process to end."""
    for _ in range(200):
        try:
            os.rmdir(os.path.join(folder, name), dir_fd=parent)
            return
        except FileNotFoundError:
            return
        except OSError:
            time.sleep(0.005)


def _own_groups() -> dict[str, Path]:
    """Controller -> the folder of this process's own group."""
    found = {}
    with contextlib.suppress(OSError, ValueError):
        lines = Path("/proc/self/cgroup").read_text().splitlines()
        groups = {names: path for _, names, path in (line.split(":", 2) for line in lines)}
        for root, at, controllers in _mounts():
            for names, path in groups.items():
                if set(names.split(",")) <= controllers:
                    inside = os.path.relpath(path, root)
                    if not inside.startswith(".."):
                        found.update(dict.fromkeys(names.split(",") if names else [UNIFIED], Path(at, inside)))
    return found


def _mounts() -> Iterator[tuple[str, str, set[str]]]:
    """(root, mount point, controllers) of each mounted cgroup file system. Version 2 has the controller ""."""
    for line in Path("/proc/self/mountinfo").read_text().splitlines():
        before, _, after = line.partition(" - ")
        kind, _, options = after.split(" ", 2)
        root, at = before.split()[3:5]
        if kind == "cgroup2":
            yield root, at, {""}
        elif kind == "cgroup":
            yield root, at, set(options.split(","))


def _is_usable(controller: str, folder: Path) -> bool:
    """Whether a group with the needed files can be made in `folder`. Removes groups that killed graders have left."""
    for left in folder.glob(f"{_PREFIX}-*"):
        match = re.fullmatch(rf"{_PREFIX}-(\d+)-\d+", left.name)
        if match and not Path(f"/proc/{match[1]}").exists():
            with contextlib.suppress(OSError):
                left.rmdir()
    trial = folder / new_name()
    try:
        trial.mkdir()
    except OSError:
        return False
    try:
        if not _has_files(controller, trial):
            with contextlib.suppress(OSError):
                (folder / "cgroup.subtree_control").write_text("+memory +pids +cpu")
        return _has_files(controller, trial) and os.access(folder / "cgroup.procs", os.W_OK)
    finally:
        trial.rmdir()


def _has_files(controller: str, group: Path) -> bool:
    return all((group / name).exists() for name in _NEEDED.get(controller, ()))


# ---- the supervisor ---------------------------------------------------------------------------------------------------


class Group:
    """The control group of one box, in the opened folders `parents`. `close` removes it."""

    def __init__(self, parents: Mapping[str, int], name: str, memory: int, processes: int) -> None:
        self._parents, self._name = parents, name
        values = {"memory": str(memory), "processes": str(processes)}
        for controller, parent in parents.items():
            os.mkdir(name, dir_fd=parent)
            for file, value in _SETTINGS.get(controller, {}).items():
                try:
                    self._write(controller, file, values.get(value, value))
                except OSError:
                    if file in _NEEDED.get(controller, ()):
                        raise

    def add(self, pid: int) -> None:
        """Put a process into the group. Processes that it starts belong to the group too."""
        for controller in self._parents:
            self._write(controller, "cgroup.procs", str(pid))

    def cpu(self) -> float | None:
        """Seconds of CPU time of the whole group; None in version 1, which would need one more group."""
        if UNIFIED not in self._parents:
            return None
        return int(self._read(UNIFIED, "cpu.stat").split()[1]) / 1e6

    def processes(self) -> list[int]:
        """The ids of the processes that are in the group now."""
        with contextlib.suppress(OSError):
            return [int(pid) for pid in self._read(next(iter(self._parents)), "cgroup.procs").split() if pid != "0"]
        return []

    def ran_out_of_memory(self) -> bool:
        """Whether the kernel has ended a process of the group because it ran out of memory."""
        controller = UNIFIED if UNIFIED in self._parents else "memory"
        file = "memory.events" if controller == UNIFIED else "memory.oom_control"
        kills = re.search(r"^oom_kill (\d+)", self._read(controller, file), re.MULTILINE)
        return kills is not None and kills[1] != "0"

    def close(self) -> None:
        """Remove the group. Its processes must have ended."""
        for parent in self._parents.values():
            _remove(self._name, parent)
            os.close(parent)

    def _write(self, controller: str, file: str, text: str) -> None:
        number = os.open(f"{self._name}/{file}", os.O_WRONLY, dir_fd=self._parents[controller])
        try:
            os.write(number, text.encode())
        finally:
            os.close(number)

    def _read(self, controller: str, file: str) -> str:
        number = os.open(f"{self._name}/{file}", os.O_RDONLY, dir_fd=self._parents[controller])
        try:
            return os.read(number, 65536).decode()
        finally:
            os.close(number)
