"""The last step before a student's program: lowers its limits, gives up its rights, and becomes it (exec).

Started by what sandbox.wrap builds, as a script, never imported: `python -I -S confine.py '{"json": ...}' COMMAND ...`.
May use the standard library; knows nothing of autograd_teach. It runs before any of the student's code, still with the
grader's rights where those are root's; every line here is one that the student's program cannot take back.
"""

import ctypes
import json
import os
import resource
import struct
import sys
from typing import Any

_REMOUNT, _NOSUID, _NODEV = 32, 2, 4
_PR_SET_PDEATHSIG, _PR_SET_NO_NEW_PRIVS, _PR_CAP_AMBIENT, _CLEAR_ALL = 1, 38, 47, 4
_PR_CAPBSET_DROP, _PR_SET_SECUREBITS, _NO_ROOT = 24, 28, 0b1100_1111
_SIGKILL = 9
_PR_SET_SECCOMP, _FILTER = 22, 2

_REFUSED = {
    # name: its number on x86-64, on arm64
    "ptrace": (101, 117),
    "unshare": (272, 97),  # namespaces of its own, in which it would be root
    "setns": (308, 268),
    "clone3": (435, 435),  # its flags cannot be seen from here; programs fall back to clone
    "mount": (165, 40),
    "add_key": (248, 217),
    "keyctl": (250, 219),
    "bpf": (321, 280),
    "userfaultfd": (323, 282),
    "perf_event_open": (298, 241),
    "io_uring_setup": (425, 425),
    "memfd_create": (319, 279),  # memory that no limit counts, like the next two
    "shmget": (29, 194),
    "memfd_secret": (447, 447),
}
"""System calls that no exercise needs and that lead out of the limits, or into corners of the kernel seldom looked at.
They fail as if the kernel did not have them."""


def bound_tmpfs(path: str, size: int, files: int) -> None:
    """So many bytes and files in the tmpfs at `path`: a full disk or a million files are the student's own trouble."""
    options = f"size={size},nr_inodes={files}".encode()
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.mount(b"none", os.fsencode(path), b"tmpfs", _REMOUNT | _NOSUID | _NODEV, options):
        raise OSError(ctypes.get_errno(), f"{path} could not be bounded")


def bound_resources(limits: dict[str, int]) -> None:
    """Each limit by its name in `resource`, hard and soft; none is raised above what it was."""
    for name, most in limits.items():
        number = getattr(resource, f"RLIMIT_{name}", None)
        if number is None:
            continue
        hard = resource.getrlimit(number)[1]
        lower = most if hard == resource.RLIM_INFINITY else min(most, hard)
        try:
            resource.setrlimit(number, (lower, lower))
        except (ValueError, OSError):
            if sys.platform == "linux":  # macOS refuses a limit on address space
                raise


def lock_capabilities() -> None:
    """From the next exec on user 0 is nobody special, and no program brings a capability along. Needs CAP_SETPCAP."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(_PR_SET_SECUREBITS, _NO_ROOT, 0, 0, 0):
        raise OSError(ctypes.get_errno(), "the rights of user 0 could not be locked")
    for capability in range(64):
        libc.prctl(_PR_CAPBSET_DROP, capability, 0, 0, 0)  # fails for those that this kernel does not have


def become(uid: int) -> None:
    """Another user for good, in no group but one of its own."""
    os.setgroups([])
    os.setresgid(uid, uid, uid)
    os.setresuid(uid, uid, uid)


def refuse_system_calls() -> None:
    """A filter for the `_REFUSED` calls and for clone with a new user namespace; nothing on processors other than these."""
    machines = {"x86_64": (0, 0xC000003E, 56), "aarch64": (1, 0xC00000B7, 220)}
    if os.uname().machine not in machines or sys.maxsize < 2**32:
        return
    column, architecture, clone = machines[os.uname().machine]
    load, equal, at_least, any_bit, end = 0x20, 0x15, 0x35, 0x45, 0x06
    allow, not_there, kill = 0x7FFF0000, 0x00050000 | 38, 0x80000000
    calls = [numbers[column] for numbers in _REFUSED.values()]
    count = len(calls)
    program = [
        (load, 0, 0, 4),
        (equal, 1, 0, architecture),
        (end, 0, 0, kill),
        (load, 0, 0, 0),
        (at_least, count + 4, 0, 0x40000000),  # x86-64's other way to number its calls
        *((equal, count - i + 3, 0, call) for i, call in enumerate(calls)),
        (equal, 0, 2, clone),
        (load, 0, 0, 16),
        (any_bit, 1, 0, 0x10000000),
        (end, 0, 0, allow),
        (end, 0, 0, not_there),
    ]
    # The jumps lead to the last two lines.
    code = b"".join(struct.pack("HBBI", *line) for line in program)
    buffer = ctypes.create_string_buffer(code, len(code))
    header = struct.pack("HxxxxxxP", len(program), ctypes.addressof(buffer))
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(_PR_SET_SECCOMP, _FILTER, ctypes.c_char_p(header), 0, 0):
        raise OSError(ctypes.get_errno(), "the filter for system calls was refused")


def give_up_rights(dies_with_parent: bool) -> None:
    """No capability survives the exec, none comes back by a setuid program, and the grader's end is ours."""
    if sys.platform != "linux":
        return
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(_PR_CAP_AMBIENT, _CLEAR_ALL, 0, 0, 0)
    if libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0):
        raise OSError(ctypes.get_errno(), "no_new_privs was refused")
    if dies_with_parent:
        libc.prctl(_PR_SET_PDEATHSIG, _SIGKILL, 0, 0, 0)


def main() -> None:
    """Do what the first argument says and become the rest."""
    asked: dict[str, Any] = json.loads(sys.argv[1])
    for path, size, files in asked["tmpfs"]:
        bound_tmpfs(path, size, files)
    bound_resources(asked["limits"])
    if asked["tmpfs"]:
        lock_capabilities()
    if asked["uid"] is not None:
        become(asked["uid"])
    give_up_rights(asked["dies_with_parent"])
    if asked["filtered"]:
        refuse_system_calls()
    os.umask(0o077)
    for folder in asked["folders"]:
        os.makedirs(folder, exist_ok=True)
    os.chdir(asked["work"])
    try:
        os.execvpe(sys.argv[2], sys.argv[2:], os.environ)
    except OSError as problem:
        sys.stderr.write(f"{sys.argv[2]}: {problem}\n")
        os._exit(127)


if __name__ == "__main__":
    main()
