"""The job of test_sandbox.py: a box that runs a program and sends back what it prints. Used by that file only."""

import contextlib
import io
import json
import os
import socket
import traceback


def load() -> None:
    """Nothing: a program imports what it needs."""


def serve(talk: socket.socket) -> None:
    """Run the programs that come in a line of JSON, each in a process of its own; send what they print, name by name."""
    with talk.makefile("rb") as stream:
        job = json.loads(stream.readline())
    for name, program in job["programs"].items():
        talk.sendall(f"\0{name}\0".encode())
        if not job["forks"]:
            _run(program, job["names"], talk)
            continue
        if (pid := os.fork()) == 0:
            _run(program, job["names"], talk)
            os._exit(0)
        os.waitpid(pid, 0)
        for path in os.listdir():
            os.remove(path)


def _run(program: str, names: dict[str, object], talk: socket.socket) -> None:
    class Pipe(io.TextIOBase):
        def write(self, text: str) -> int:
            talk.sendall(text.encode())
            return len(text)

    with contextlib.redirect_stdout(Pipe()):
        try:
            exec(program, {"__name__": "__main__", **names})  # noqa: S102 - what it is for
        except BaseException:  # noqa: BLE001 - what it raises is what it says
            print(traceback.format_exc())
