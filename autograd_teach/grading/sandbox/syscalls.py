"""The system calls that a student's program may make, as a filter for the kernel (seccomp) with a list of allowed calls.

Other calls fail with ENOSYS, as on a kernel without them, so that programs fall back. This covers tracing, other
processes' memory, namespaces, mounts, keys, bpf, perf, userfaultfd, io_uring, System V and POSIX message queues, memory
files that no limit counts, and calls that later kernels add. Uses only the standard library, like confine.py.
"""

import ctypes
import errno
import os
import re
import struct
import sys
from collections.abc import Collection, Iterator, Mapping

_TABLE = """
files: creat 85 -, close 3 57, close_range 436 436,
    read 0 63, write 1 64, pread64 17 67, pwrite64 18 68, readv 19 65, writev 20 66, preadv 295 69,
    pwritev 296 70, preadv2 327 286, pwritev2 328 287, lseek 8 62, dup 32 23, dup2 33 -,
    dup3 292 24, flock 73 32, fsync 74 82, fdatasync 75 83,
    ftruncate 77 46, fallocate 285 47, sendfile 40 71, copy_file_range 326 285, umask 95 166
paths: stat 4 -, lstat 6 -, fstat 5 80, newfstatat 262 79, statx 332 291, statfs 137 43,
    fstatfs 138 44, access 21 -, faccessat 269 48, faccessat2 439 439, getdents 78 -,
    getdents64 217 61, getcwd 79 17, chdir 80 49, fchdir 81 50, mkdir 83 -, mkdirat 258 34,
    rmdir 84 -, rename 82 -, renameat 264 38, renameat2 316 276, link 86 -, linkat 265 37,
    unlink 87 -, unlinkat 263 35, symlink 88 -, symlinkat 266 36, readlink 89 -, readlinkat 267 78,
    mknod 133 -, mknodat 259 33, chmod 90 -, fchmod 91 52, fchmodat 268 53, chown 92 -,
    fchown 93 55, lchown 94 -, fchownat 260 54, utime 132 -, utimes 235 -, futimesat 261 -,
    utimensat 280 88, getxattr 191 8, lgetxattr 192 9, fgetxattr 193 10, listxattr 194 11,
    llistxattr 195 12, flistxattr 196 13
memory: brk 12 214, mmap 9 222, munmap 11 215, mremap 25 216, mprotect 10 226, madvise 28 233,
    mincore 27 232, msync 26 227, membarrier 324 283
processes: fork 57 -, vfork 58 -, execve 59 221, execveat 322 281, exit 60 93, exit_group 231 94,
    wait4 61 260, waitid 247 95, kill 62 129, tkill 200 130, tgkill 234 131, pidfd_open 434 434,
    pidfd_send_signal 424 424, getpid 39 172, getppid 110 173, gettid 186 178, getpgid 121 155,
    getpgrp 111 -, getsid 124 156, setpgid 109 154, setsid 112 157, getuid 102 174, geteuid 107 175,
    getgid 104 176, getegid 108 177, getresuid 118 148, getresgid 120 150, getgroups 115 158,
    capget 125 90, uname 63 160, sysinfo 99 179, times 100 153, getrusage 98 165, getrlimit 97 163,
    setrlimit 160 164, prlimit64 302 261, getpriority 140 141, setpriority 141 140,
    arch_prctl 158 -, getrandom 318 278
threads: futex 202 98, set_robust_list 273 99, get_robust_list 274 100, set_tid_address 218 96,
    rseq 334 293, getcpu 309 168, sched_yield 24 124, sched_getaffinity 204 123,
    sched_setaffinity 203 122, sched_getparam 143 121, sched_setparam 142 118,
    sched_getscheduler 145 120, sched_setscheduler 144 119, sched_getattr 315 275,
    sched_get_priority_max 146 125, sched_get_priority_min 147 126, sched_rr_get_interval 148 127
signals: rt_sigaction 13 134, rt_sigprocmask 14 135, rt_sigreturn 15 139, rt_sigpending 127 136,
    rt_sigtimedwait 128 137, rt_sigsuspend 130 133, rt_sigqueueinfo 129 138,
    rt_tgsigqueueinfo 297 240, sigaltstack 131 132, restart_syscall 219 128, pause 34 -,
    signalfd 282 -, signalfd4 289 74
time: time 201 -, gettimeofday 96 169, clock_gettime 228 113, clock_getres 229 114,
    clock_nanosleep 230 115, nanosleep 35 101, alarm 37 -, getitimer 36 102, setitimer 38 103,
    timer_create 222 107, timer_settime 223 110, timer_gettime 224 108, timer_getoverrun 225 109,
    timer_delete 226 111, timerfd_create 283 85, timerfd_settime 286 86, timerfd_gettime 287 87
waiting: pipe 22 -, pipe2 293 59, select 23 -, pselect6 270 72, poll 7 -, ppoll 271 73,
    epoll_create 213 -, epoll_create1 291 20, epoll_ctl 233 21, epoll_wait 232 -,
    epoll_pwait 281 22, epoll_pwait2 441 441, eventfd 284 -, eventfd2 290 19
sockets: connect 42 203, bind 49 200, listen 50 201, accept 43 202, accept4 288 242,
    shutdown 48 210, sendto 44 206, sendmsg 46 211, sendmmsg 307 269, recvfrom 45 207,
    recvmsg 47 212, recvmmsg 299 243, getsockname 51 204, getpeername 52 205, getsockopt 55 209,
    setsockopt 54 208
limited: open 2 -, openat 257 56, fcntl 72 25, clone 56 220, socket 41 198, socketpair 53 199, ioctl 16 29, prctl 157 167
"""
"""By group: name, number on x86-64, number on arm64 (-: does not exist). Calls in `limited` depend on an argument.

clone3 and openat2 are left out on purpose: a filter cannot read their flags (the C library falls back to clone and openat).
sched_setscheduler is needed by ZeroMQ, which ends the process if it fails.
"""

_NOT_PERMITTED_TABLE = """
denied: ptrace 101 117, unshare 272 97, setns 308 268, mount 165 40, umount2 166 39, chroot 161 51,
    setuid 105 146, setgid 106 144, setreuid 113 145, setregid 114 143, setresuid 117 147,
    setresgid 119 149, setgroups 116 159, capset 126 91, sethostname 170 161, settimeofday 164 170,
    clock_settime 227 112, setxattr 188 5, lsetxattr 189 6, fsetxattr 190 7, removexattr 197 14,
    lremovexattr 198 15, fremovexattr 199 16, sched_setattr 314 274, truncate 76 45, fadvise64 221 223
"""
"""Calls that fail with EPERM, which programs expect of them: `shutil.copystat` ignores EPERM but not ENOSYS.
Older versions of Landlock do not limit truncate; fadvise64 could discard pages that others have in the page cache."""


_OF_PROCESSES = ("sched_setscheduler", "sched_setparam", "sched_setaffinity", "setpriority")
"""Calls that can slow down every process of the same user. In a box they do nothing and report success: ZeroMQ ends the
process if the first fails."""

_OF_FILES = (
    *("chmod", "fchmod", "fchmodat", "chown", "fchown", "lchown", "fchownat"),
    *("utime", "utimes", "futimesat", "utimensat"),
)
"""Calls that Landlock does not limit. If only Landlock protects the user's files, they also do nothing and report success."""


def _read(table: str) -> Mapping[str, list[int | None]]:
    """Call numbers by name: on x86-64 and on arm64."""
    calls = re.findall(r"(\w+) (\d+|-) (\d+|-)", table)
    return {name: [None if n == "-" else int(n) for n in numbers] for name, *numbers in calls}


ALLOWED, NOT_PERMITTED = _read(_TABLE), _read(_NOT_PERMITTED_TABLE)

_MACHINES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}  # column of the tables, AUDIT_ARCH
_OTHER_NUMBERS = 0x40000000  # the first number of x86-64's second numbering (x32)
_NEW_NAMESPACES = 0x7E020000  # CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET
_TIOCSTI, _TIOCLINUX = 0x5412, 0x541C  # type into a terminal
_OF_INODES = (0x40086602, 0x40046602, 0x401C5820, 0x40806685)
"""Requests that change flags of a file, even one that is open only for reading."""

_F_SETFL, _F_SETLEASE, _F_NOTIFY = 4, 1024, 1026  # a lease on a file stops whoever opens it, for 45 s
_O_DIRECT = (0x4000, 0x10000)
"""By column. With this flag, each reading of a file waits for the disk, because nothing is kept in memory."""

_PR_SET_SECCOMP, _FILTER = 22, 2
_AF_NETLINK = 16

# Instructions: code, how many to skip if true, if false, operand (linux/filter.h). Every jump is short.
_Instruction = tuple[int, int, int, int]
_LOAD, _EQUAL, _ABOVE, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x25, 0x35, 0x45, 0x06
_NUMBER, _ARCHITECTURE, _ARGUMENTS = 0, 4, 16  # offsets in struct seccomp_data

_ALLOW: _Instruction = (_RETURN, 0, 0, 0x7FFF0000)
_KILL: _Instruction = (_RETURN, 0, 0, 0x80000000)


def _fail(error: int) -> _Instruction:
    return (_RETURN, 0, 0, 0x00050000 | error)


def _among(numbers: Collection[int], answer: _Instruction) -> Iterator[_Instruction]:
    """Instructions that return `answer` for these call numbers; consecutive numbers share one comparison."""
    for first in sorted(set(numbers) - {number + 1 for number in numbers}):
        last = next(number for number in range(first, first + len(numbers)) if number + 1 not in numbers)
        yield from [(_AT_LEAST, 0, 2, first), (_ABOVE, 1, 0, last), answer]


def _judge(
    argument: int, test: int, values: Collection[int], then: _Instruction, otherwise: _Instruction
) -> list[_Instruction]:
    """Instructions that decide by an argument of the call, counted from 0; only its lower half matters to the kernel."""
    tests = [line for value in values for line in [(test, 0, 1, value), then]]
    return [(_LOAD, 0, 0, _ARGUMENTS + 8 * argument), *tests, otherwise]


def _limited(families: Collection[int], column: int) -> dict[str, list[_Instruction]]:
    """The instructions for each call whose arguments are limited."""
    by_family = _judge(0, _EQUAL, families, _ALLOW, _fail(errno.EAFNOSUPPORT))
    if _AF_NETLINK not in families:  # ZeroMQ ends the process on any other error
        by_family[-1:] = [(_EQUAL, 0, 1, _AF_NETLINK), _fail(errno.EOPNOTSUPP), by_family[-1]]
    not_permitted = _fail(errno.EPERM)
    direct = [_O_DIRECT[column]], _fail(errno.EINVAL), _ALLOW  # as on a file system without it
    sets_flags = _judge(2, _ANY_BIT, *direct)
    return {
        "open": _judge(1, _ANY_BIT, *direct),
        "openat": _judge(2, _ANY_BIT, *direct),
        "socket": by_family,
        "socketpair": by_family,
        "clone": _judge(0, _ANY_BIT, [_NEW_NAMESPACES], not_permitted, _ALLOW),
        "fcntl": [
            *_judge(1, _EQUAL, [_F_SETLEASE, _F_NOTIFY], not_permitted, (_EQUAL, 0, len(sets_flags), _F_SETFL)),
            *sets_flags,
            _ALLOW,
        ],
        "prlimit64": _judge(0, _EQUAL, [0], _ALLOW, not_permitted),  # its own limits
        "ioctl": _judge(1, _EQUAL, [_TIOCSTI, _TIOCLINUX, *_OF_INODES], not_permitted, _ALLOW),
        "prctl": _judge(0, _EQUAL, [_PR_SET_SECCOMP], not_permitted, _ALLOW),
    }


def filter_program(machine: str, families: Collection[int], keeps_modes: bool = False) -> bytes | None:
    """The filter for `install` on the processor `machine` (`os.uname().machine`), with sockets of only these `families`.

    keeps_modes: the mode, owner and times of files do not change. Returns None for other processors and 32-bit Python.
    """
    if machine not in _MACHINES or sys.maxsize < 2**32:
        return None
    column, architecture = _MACHINES[machine]
    allowed = {name: number for name, numbers in ALLOWED.items() if (number := numbers[column]) is not None}
    forbidden = [number for numbers in NOT_PERMITTED.values() if (number := numbers[column]) is not None]

    program = [(_LOAD, 0, 0, _ARCHITECTURE), (_EQUAL, 1, 0, architecture), _KILL]
    program += [(_LOAD, 0, 0, _NUMBER), (_AT_LEAST, 0, 1, _OTHER_NUMBERS), _fail(errno.ENOSYS)]
    for name, lines in _limited(families, column).items():
        if number := allowed.pop(name, 0):
            program += [(_EQUAL, 0, len(lines), number), *lines]
    pretended = [*_OF_PROCESSES, *(_OF_FILES if keeps_modes else ())]
    program += _among([allowed.pop(name) for name in pretended if name in allowed], _fail(0))
    program += [*_among(allowed.values(), _ALLOW), *_among(forbidden, _fail(errno.EPERM)), _fail(errno.ENOSYS)]
    return b"".join(struct.pack("=HBBI", *instruction) for instruction in program)


def install(program: bytes) -> None:
    """Apply the filter to this process and all that it starts, permanently. Needs no_new_privs. Raises OSError."""
    buffer = ctypes.create_string_buffer(program, len(program))
    header = struct.pack("HxxxxxxP", len(program) // 8, ctypes.addressof(buffer))
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(_PR_SET_SECCOMP, _FILTER, ctypes.c_char_p(header), 0, 0):
        error = ctypes.get_errno()
        raise OSError(error, f"the filter for system calls was refused: {os.strerror(error)}")
