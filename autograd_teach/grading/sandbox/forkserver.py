"""The interpreter from which boxes are forked: it loads a job, does not run it, and waits. Started by box.py.

For each order on its standard input it forks a supervisor (supervisor.py), which makes a box that runs the job. A job is a
module with two functions: `load()` imports everything that students' code is likely to need, and `serve(talk)` runs in the
box. The forkserver ends when the grader ends, after its supervisors have.
"""

import contextlib
import gc
import importlib
import json
import os
import signal
import socket
import sys
from typing import Any

from . import confine, enclose
from .supervisor import Order, Supervisor

LARGEST_ORDER = 100_000
MOST_FILES = 8


def main() -> None:
    """Load the job, then fork for each order until the grader closes the connection."""
    confine.hide_memory()
    with open(int(sys.argv.pop()), "rb") as told:
        asked = json.load(told)
    if "view" in asked:
        try:
            enclose.enter([enclose.Mount(**mount) for mount in asked["view"]], asked["own_users"])
        except OSError as problem:
            sys.exit(problem.strerror)
    job = importlib.import_module(asked["job"])
    job.load()
    control = socket.socket(fileno=os.dup(0))
    _let_go_of_streams()  # not earlier: errors up to here are printed on standard error
    sys.path.append(sys.path.pop(0))  # a student's own modules come before the grader's
    confine.prepare()
    gc.collect()
    gc.freeze()
    for number in (signal.SIGCHLD, signal.SIGINT):
        signal.signal(number, signal.SIG_IGN)
    control.send(b"!")
    while True:
        message, files, _, _ = socket.recv_fds(control, LARGEST_ORDER, MOST_FILES)
        if not message:
            break
        _fork(job, control, json.loads(message), files, asked.get("files"))
    control.close()
    with contextlib.suppress(ChildProcessError):
        os.wait()  # returns when the last supervisor has ended


def _fork(job: Any, control: socket.socket, message: dict[str, Any], files: list[int], readable: Any) -> None:
    """Fork a supervisor with `files`: talk, life, and the folders for control groups in the order of `message`."""
    if os.fork() == 0:
        try:
            control.close()
            talk, life, *folders = files
            parents = dict(zip(message["groups"], folders, strict=True))
            order = Order.read(message["order"])
            Supervisor(order, talk, socket.socket(fileno=life), parents, job.serve, readable).run()
        finally:
            os._exit(1)
    for each in files:
        os.close(each)


def _let_go_of_streams() -> None:
    """Redirect standard input, output and error to /dev/null."""
    null = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(null, number)
    os.close(null)
