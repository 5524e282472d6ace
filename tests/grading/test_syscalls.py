"""grading/sandbox/syscalls.py: its numbers are the kernel's, its filter answers as it says, and a student's Python runs under it."""

import errno
import os
import re
import socket
import struct
import subprocess
import sys
from pathlib import Path

import pytest

from autograd_teach.grading.sandbox import syscalls

INCLUDE = Path("/usr/include")
HEADERS = {
    "x86_64": INCLUDE / "x86_64-linux-gnu/asm/unistd_64.h",
    "aarch64": INCLUDE / "asm-generic/unistd.h",
}
LATER = 424  # calls from here on came with Linux 5.1 and later: older headers do not have them all
MACHINES = [(0, "x86_64"), (1, "aarch64")]
ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
ALLOWED, KILLED, FAILED = 0x7FFF0000, 0x80000000, 0x00050000
PRETENDED = FAILED | 0
LOCAL = {socket.AF_UNIX}


def kernels_numbers(header: str) -> dict[str, int]:
    """The calls of a header on a machine of 64 bits; the generic one has aliases for those named otherwise there."""
    defined = re.findall(r"#define (__NR(?:3264)?_\w+)\s+(\d+)", header)
    numbers = {name: int(value) for name, value in defined}
    of_64_bits = header.split("__BITS_PER_LONG == 64 &&")[-1].split("#else")[0]
    aliases = re.findall(r"#define (__NR_\w+) (__NR3264_\w+)", of_64_bits)
    numbers |= {name: numbers[value] for name, value in aliases if value in numbers}
    return {name.removeprefix("__NR_"): number for name, number in numbers.items() if not name.startswith("__NR3264")}


@pytest.mark.parametrize("column, machine", MACHINES)
def test_the_numbers_are_those_of_the_kernels_headers(column: int, machine: str) -> None:
    if not HEADERS[machine].exists():
        pytest.skip(f"the kernel's headers for {machine} are not installed (package linux-libc-dev)")
    numbers = kernels_numbers(HEADERS[machine].read_text())
    assert len(numbers) > 250  # all was read
    for table in (syscalls.ALLOWED, syscalls.NOT_PERMITTED):
        ours = {name: number for name, pair in table.items() if (number := pair[column]) is not None}
        wrong = {name: number for name, number in ours.items() if numbers.get(name, number) != number}
        unknown = {name for name, number in ours.items() if name not in numbers and number < LATER}
        forgotten = {name for name in table if name in numbers and name not in ours}
        assert (wrong, unknown, forgotten) == ({}, set(), set())


def answer(program: bytes, number: int, architecture: int, *arguments: int) -> int:
    """What the filter says of a call: the kernel's interpreter for the instructions that are used."""
    data = struct.pack("<IIQ6Q", number, architecture, 0, *arguments, *[0] * (6 - len(arguments)))
    lines = list(struct.iter_unpack("=HBBI", program))
    at = value = 0
    while True:
        code, if_true, if_false, operand = lines[at]
        if code == 0x06:
            return operand
        if code == 0x20:
            value, at = struct.unpack_from("<I", data, operand)[0], at + 1
            continue
        true = {0x15: value == operand, 0x25: value > operand, 0x35: value >= operand, 0x45: value & operand}[code]
        at += 1 + (if_true if true else if_false)


CALLS = {
    # name: (numbers on x86-64 and arm64, arguments, answer)
    "reads": ((0, 63), (), ALLOWED),
    "sched_setscheduler, which ZeroMQ must have": ((144, 119), (), PRETENDED),
    "another's priority": ((141, 140), (0, 4711, 19), PRETENDED),
    "its own limits": ((302, 261), (0,), ALLOWED),
    "another's limits": ((302, 261), (4711,), FAILED | errno.EPERM),
    "a lock": ((72, 25), (3, 6), ALLOWED),
    "a file": ((257, 56), (0, 0, os.O_RDONLY | os.O_CLOEXEC), ALLOWED),
    "openat2, whose flags no filter can read": ((437, 437), (), FAILED | errno.ENOSYS),
    "a lease on a file": ((72, 25), (3, 1024), FAILED | errno.EPERM),
    "the mode of a file": ((91, 52), (), ALLOWED),
    "a fork": ((56, 220), (0x01200011,), ALLOWED),
    "a thread": ((56, 220), (0x003D0F00,), ALLOWED),
    "a user namespace": ((56, 220), (0x10000000 | 17,), FAILED | errno.EPERM),
    "a network namespace": ((56, 220), (0x40000000 | 17,), FAILED | errno.EPERM),
    "clone3": ((435, 435), (), FAILED | errno.ENOSYS),
    "unshare": ((272, 97), (), FAILED | errno.EPERM),
    "ptrace": ((101, 117), (), FAILED | errno.EPERM),
    "setxattr": ((188, 5), (), FAILED | errno.EPERM),
    "cutting off a file that was not opened": ((76, 45), (), FAILED | errno.EPERM),
    "cutting off a file that was": ((77, 46), (), ALLOWED),
    "forgetting what was read of a file": ((221, 223), (), FAILED | errno.EPERM),
    "process_vm_readv": ((310, 270), (), FAILED | errno.ENOSYS),
    "keyctl": ((250, 219), (), FAILED | errno.ENOSYS),
    "bpf": ((321, 280), (), FAILED | errno.ENOSYS),
    "userfaultfd": ((323, 282), (), FAILED | errno.ENOSYS),
    "perf_event_open": ((298, 241), (), FAILED | errno.ENOSYS),
    "io_uring_setup": ((425, 425), (), FAILED | errno.ENOSYS),
    "memfd_create": ((319, 279), (), FAILED | errno.ENOSYS),
    "memfd_secret": ((447, 447), (), FAILED | errno.ENOSYS),
    "shmget": ((29, 194), (), FAILED | errno.ENOSYS),
    "mq_open": ((240, 180), (), FAILED | errno.ENOSYS),
    "seccomp": ((317, 277), (), FAILED | errno.ENOSYS),
    "a call of a later kernel": ((700, 700), (), FAILED | errno.ENOSYS),
    "the other way to number calls": ((0x40000000, 0x40000000 + 63), (), FAILED | errno.ENOSYS),
    "no number": ((0xFFFFFFFF, 0xFFFFFFFF), (), FAILED | errno.ENOSYS),
    "a socket of its own": ((41, 198), (socket.AF_UNIX,), ALLOWED),
    "a pair of sockets": ((53, 199), (socket.AF_UNIX,), ALLOWED),
    "a socket of its own, with bits the kernel does not see": ((41, 198), (1 << 32 | socket.AF_UNIX,), ALLOWED),
    "the internet": ((41, 198), (2,), FAILED | errno.EAFNOSUPPORT),
    "the internet, with bits the kernel does not see": ((41, 198), (1 << 32 | 2,), FAILED | errno.EAFNOSUPPORT),
    "netlink, where ZeroMQ needs this error": ((41, 198), (16,), FAILED | errno.EOPNOTSUPP),
    "another machine's socket": ((41, 198), (40,), FAILED | errno.EAFNOSUPPORT),
    "the size of a terminal": ((16, 29), (0, 0x5413), ALLOWED),
    "typing into a terminal": ((16, 29), (0, 0x5412), FAILED | errno.EPERM),
    "typing, with bits the kernel does not see": ((16, 29), (0, 1 << 32 | 0x5412), FAILED | errno.EPERM),
    "the flags of a file that is open for reading": ((16, 29), (0, 0x40086602), FAILED | errno.EPERM),
    "a console's selection": ((16, 29), (0, 0x541C), FAILED | errno.EPERM),
    "the name of a thread": ((157, 167), (15,), ALLOWED),
    "a filter of its own": ((157, 167), (22,), FAILED | errno.EPERM),
}


@pytest.mark.parametrize("column, machine", MACHINES)
@pytest.mark.parametrize("case", CALLS)
def test_the_filter_answers(case: str, column: int, machine: str) -> None:
    numbers, arguments, expected = CALLS[case]
    program = syscalls.filter_program(machine, LOCAL)
    assert program is not None
    assert answer(program, numbers[column], ARCHITECTURES[machine], *arguments) == expected


@pytest.mark.parametrize("column, machine", MACHINES)
@pytest.mark.parametrize("name, before", [("open", (0,)), ("openat", (0, 0)), ("fcntl", (3, 4))])
def test_no_file_is_read_past_the_cache(name: str, before: tuple[int, ...], column: int, machine: str) -> None:
    """The two machines have the flags O_DIRECT and O_DIRECTORY the other way round."""
    number, (direct, folder) = syscalls.ALLOWED[name][column], [(0x4000, 0x10000), (0x10000, 0x4000)][column]
    program = syscalls.filter_program(machine, LOCAL)
    assert program is not None
    if number is None:
        assert (name, machine) == ("open", "aarch64")
        return
    answers = [
        answer(program, number, ARCHITECTURES[machine], *before, flags)
        for flags in (0, folder, direct, -1 & 0xFFFFFFFF)
    ]
    assert answers == [ALLOWED, ALLOWED, FAILED | errno.EINVAL, FAILED | errno.EINVAL]


@pytest.mark.parametrize("column, machine", MACHINES)
def test_exactly_what_is_listed_is_allowed(column: int, machine: str) -> None:
    listed = {number for pair in syscalls.ALLOWED.values() if (number := pair[column]) is not None}
    program = syscalls.filter_program(machine, LOCAL)
    assert program is not None
    for number in range(1100):
        answers = {answer(program, number, ARCHITECTURES[machine], first) for first in (0, socket.AF_UNIX)}
        allowed = not answers.isdisjoint({ALLOWED, PRETENDED})
        assert allowed == (number in listed), number


@pytest.mark.parametrize("column, machine", MACHINES)
def test_modes_owners_and_times_of_files_only_seem_to_change(column: int, machine: str) -> None:
    program = syscalls.filter_program(machine, LOCAL, keeps_modes=True)
    assert program is not None
    for name in ("chmod", "fchmod", "fchmodat", "chown", "fchownat", "utimensat"):
        if (number := syscalls.ALLOWED[name][column]) is not None:
            assert answer(program, number, ARCHITECTURES[machine]) == PRETENDED, name


def test_families_that_are_asked_for_are_allowed() -> None:
    program = syscalls.filter_program("x86_64", {1, 2, 10, 16})
    assert program is not None
    answers = [answer(program, 41, ARCHITECTURES["x86_64"], family) for family in (1, 2, 10, 16, 17)]
    assert answers == [*[ALLOWED] * 4, FAILED | errno.EAFNOSUPPORT]


def test_a_program_for_another_processor_is_killed_and_an_unknown_one_has_no_filter() -> None:
    program = syscalls.filter_program("x86_64", LOCAL)
    assert program is not None
    assert answer(program, 0, 0x40000003) == KILLED  # i386, whose numbers mean other calls
    assert syscalls.filter_program("riscv64", LOCAL) is None


# Copying with attributes, threads, processes, an event loop with a process, a database, a pool with its semaphores.
UNDER_THE_FILTER = """
import ctypes, os, socket
from autograd_teach.grading.sandbox import syscalls
assert ctypes.CDLL(None).prctl(38, 1, 0, 0, 0) == 0
syscalls.install(syscalls.filter_program(os.uname().machine, {socket.AF_UNIX}))
import asyncio, multiprocessing, shutil, sqlite3, subprocess, tempfile, threading
import numpy as np
np.linalg.svd(np.random.default_rng(0).normal(size=(300, 300)))
thread = threading.Thread(target=print, args=("thread",)); thread.start(); thread.join()
print(subprocess.run(["sh", "-c", "echo program | cat"], capture_output=True, text=True).stdout.strip())
async def ended(): return await (await asyncio.create_subprocess_exec("true")).wait()
print(asyncio.run(ended()))
with tempfile.TemporaryDirectory() as folder:
    base = sqlite3.connect(folder + "/base"); base.execute("pragma journal_mode=wal"); base.execute("create table t (a)")
    base.commit(); base.close()
    shutil.copytree(folder, folder + "/copy")
with multiprocessing.get_context("fork").Pool(2) as pool: print(pool.map(abs, [-1]))
libc = ctypes.CDLL(None, use_errno=True)
print(libc.unshare(0x10000000), ctypes.get_errno())
try: socket.socket(socket.AF_INET)
except OSError as problem: print(problem.errno)
"""


@pytest.mark.skipif(
    sys.platform != "linux" or syscalls.filter_program(os.uname().machine, LOCAL) is None,
    reason="there is a filter for Linux on x86-64 and arm64 alone",
)
def test_a_students_python_runs_under_it() -> None:
    command = [sys.executable, "-c", UNDER_THE_FILTER]
    run = subprocess.run(command, check=False, capture_output=True, text=True, timeout=120)
    assert run.stderr == ""
    assert run.stdout.split("\n")[:-1] == ["thread", "program", "0", "[1]", "-1 1", "97"]  # EPERM, EAFNOSUPPORT
