"""The interpreter from which notebooks' kernels are forked: all that they import is loaded in it, and none of it is started.

Started by notebook_run.py as a script inside the sandbox, never imported; no student's code runs in it. For each notebook it
forks a warden (wardens.py), which cuts itself off (oracle/seclude.py), hands to nbval what it needs to reach the kernel (the
folder of its sockets, a file that stands for its first process), and ends it with all that it started. Below the warden:

    first process    of the notebook's own process namespace, as bubblewrap has one: it buries orphans, and when the kernel
                     ends it ends too, and the namespace with it
    kernel           limited and without rights like any program in the sandbox; only then it is told its connection, with
                     a key that this interpreter never sees, and becomes an IPython kernel

A kernel finds what a fresh one finds: its own random state and secrets, an empty home, no open files, no threads.
"""

import contextlib
import fcntl
import gc
import importlib
import importlib.util
import json
import os
import random
import signal
import socket
import struct
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
CONNECTION = "/tmp/connection.json"
"""The kernel's own file about itself, as `ipykernel.get_connection_file` tells."""

LONGEST_CONNECTION = 100_000

LOADED = (
    "IPython.core.completerlib",
    "IPython.core.debugger",
    "IPython.core.oinspect",
    "IPython.extensions.storemagic",
    "IPython.utils.wildcard",
    "ipykernel.debugger",
    "ipykernel.ipkernel",
    "ipykernel.kernelapp",
    "ipykernel.zmqshell",
    "matplotlib_inline.config",
    "multiprocessing.process",
    "sqlite3",
    "tornado.platform.asyncio",
    "tornado.queues",
)
"""Kernels load these when they start, some only where they are installed."""


def _file(name: str, folder: Path = HERE) -> Any:
    """A file as a module, without the package around it."""
    spec = importlib.util.spec_from_file_location(f"kernel_server_{name}", folder / f"{name}.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def load(root: str) -> None:
    """Everything that a kernel and a setup cell import; the grader's own autograd_teach comes last on the path."""
    sys.path.append(root)
    for name in LOADED:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    load_course()


def load_course() -> None:
    """What the course's setup cells import; names that load what they need at first use have then loaded it."""
    from autograd_teach import nn, optim, viz  # noqa: F401
    from autograd_teach.autograd import Function, gradcheck  # noqa: F401
    from autograd_teach.course import check, hint, progress  # noqa: F401


def warden(message: bytes, talk: int, life: int, waiting: int, job: dict[str, Any]) -> None:
    """Cut one notebook off, start its kernel and watch over it."""
    wardens.become_warden(waiting)
    *most, uid = struct.unpack(job["message"], message)
    limits = seclude.Limits(*most)
    shared = [os.stat(folder).st_dev for folder in seclude.SHARED]
    level = seclude.enter_namespaces([], job["needed"], limits)
    own = [os.stat(folder).st_dev for folder in seclude.SHARED]
    if not level.namespaces or level.user != (uid >= 0) or any(map(int.__eq__, shared, own)):
        os.write(life, bytes([0]))  # nothing is run without them: notebook_run.py knows another way
        os._exit(0)
    raise_loopback()
    pid = os.fork()
    if pid == 0:
        first_process(talk, level, limits, uid, job["work"])
    folder = os.open(os.path.dirname(job["sockets"]), os.O_PATH | os.O_DIRECTORY)
    with socket.socket(fileno=talk) as channel:
        socket.send_fds(channel, [b"!"], [folder, os.pidfd_open(pid)])
    wardens.watch(life, pid, level.code)


def raise_loopback() -> None:
    """The new namespace's own network, of which nothing leads out, as bubblewrap has it too; without it some libraries wait."""
    set_flags, up_and_running = 0x8914, 0x41
    with contextlib.suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        fcntl.ioctl(any_socket, set_flags, struct.pack("16sH14x", b"lo", up_and_running))


def first_process(talk: int, level: Any, limits: Any, uid: int, work: str) -> None:
    """Start the kernel, bury whoever ends below it, and end with it."""
    status = 1
    try:
        wardens.end_with_parent(0)
        if not seclude.mount_processes():
            os._exit(1)
        kernel_id = os.fork()
        if kernel_id == 0:
            kernel(talk, level, limits, uid, work)
        os.closerange(3, 4096)
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # which this process then does not even notice
        seclude.drop_capabilities()
        confine.give_up_rights(False)
        while (ended := os.wait())[0] != kernel_id:
            pass
        status = ended[1] and 1
    finally:
        os._exit(status)


def kernel(talk: int, level: Any, limits: Any, uid: int, work: str) -> None:
    """Give up all rights, become fresh, and run the notebook's kernel."""
    status = 1
    try:
        os.setsid()
        pipe = 3
        os.dup2(talk, pipe)
        os.closerange(pipe + 1, 4096)
        confine.lock_capabilities()
        seclude.give_up_rights(level, limits, uid, confine)
        wardens.show_memory()
        for folder in (os.environ["HOME"], work):
            os.makedirs(folder, exist_ok=True)
        os.chdir(work)
        be_fresh()
        with socket.socket(fileno=pipe) as channel, channel.makefile("rb") as stream:
            connection = stream.readline(LONGEST_CONNECTION)
        Path(CONNECTION).write_bytes(connection)
        status = run()
    finally:
        os._exit(status)


def be_fresh() -> None:
    """Nothing random that was drawn before the fork is left: two students' kernels would share it."""
    random.seed()
    if numpy_random := sys.modules.get("numpy.random"):
        numpy_random.seed()
    if processes := sys.modules.get("multiprocessing.process"):
        processes.current_process().authkey = os.urandom(32)
    if engine := sys.modules.get("autograd_teach"):
        engine.seed()


def run() -> int:
    """An IPython kernel like `python -m ipykernel_launcher -f FILE`, until it ends."""
    from ipykernel.kernelapp import IPKernelApp

    sys.argv = ["ipykernel_launcher", "-f", CONNECTION]
    try:
        # Its history would be one SQLite file a kernel, in a home that nobody sees again.
        IPKernelApp.launch_instance([*sys.argv[1:], "--HistoryManager.enabled=False"])
    except SystemExit as ended:
        return ended.code if isinstance(ended.code, int) else 1
    return 0


def main() -> None:
    """Load, then fork a warden whenever the grader sends the two ends of its pipes."""
    job = json.loads(sys.argv[1])
    control = socket.socket(fileno=os.dup(0))
    del sys.path[0], sys.argv[1]  # this folder
    wardens.hide_memory()
    load(job["root"])
    wardens.let_go_of_streams()  # not before: what goes wrong until here is said on standard error
    gc.collect()
    gc.freeze()
    signal.signal(signal.SIGTERM, signal.SIG_DFL)

    def begin(message: bytes, talk: int, life: int, waiting: int) -> None:
        warden(message, talk, life, waiting, job)

    wardens.wait(control, struct.calcsize(job["message"]), begin)


wardens = _file("wardens")
seclude = _file("seclude", HERE / "oracle")
confine = _file("confine")

if __name__ == "__main__":
    main()
