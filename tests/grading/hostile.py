"""A class of hostile and odd notebooks, what each deserves, and how it is graded. Used by the tests of this folder only.

An attack is written so that it would score if it succeeded: what it is after is on the way to a right answer. Forged
verdicts are not here: against them stands the oracle, not the sandbox. Nor are files that are no notebooks
(test_intake.py).
"""

import contextlib
import re
import textwrap
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import psutil

from autograd_teach.grading.notebook_run import Limits, NotebookRun, Runner
from autograd_teach.grading.rebuild import Assignment, Notebook, Question, make_assignment
from autograd_teach.grading.results import Status
from autograd_teach.grading.sandbox import Isolation
from tests.grading.classroom import SETUP, SOLUTIONS, code, notebook

DOUBLE, SQUARE, NEGATE = SOLUTIONS.values()
FENCED = frozenset(kind for kind in Isolation if kind.is_private)
PROCESS = frozenset({Isolation.PROCESS})
ANYWHERE = FENCED | PROCESS
EVERYWHERE = frozenset(Isolation)


@dataclass(frozen=True)
class Row:
    """A notebook and what it deserves.

    In the answers, {solutions}, {submissions}, {port}, {socket} and {mark} stand for what only the test knows, as Python writes
    it: a path may hold an apostrophe.
    """

    answers: Mapping[str, str]
    each: str
    """The status of each exercise, as a pattern."""

    detail: str = ""
    """A pattern of what is said of them."""

    where: frozenset[Isolation] = ANYWHERE
    """The isolations that it is graded under."""

    shares: bool = False
    """Whether it can have its kernel together with others: it neither ends that nor spoils it for them."""

    is_long: bool = False
    """Whether there is another like it, so that it is for the full run only."""

    @property
    def is_endless(self) -> bool:
        """Whether it may need all the time there is."""
        return "timeout" in self.each

    @property
    def alone(self) -> str:
        """The one answer of a notebook that has one."""
        return self.answers["double"]


def attack(before: str, status: str, detail: str = "", **more: Any) -> Row:
    """A right answer to the first exercise and what comes `before` it. Most end with an exception, and nothing else."""
    more = {"where": FENCED, "shares": status in ("fail", "out_of_memory"), **more}
    return Row(after(before), f"{status} not_attempted not_attempted", detail, **more)


def oddity(before: str, **more: Any) -> Row:
    """As an attack, but nothing is wrong with it: it passes, and nothing of it is left afterwards."""
    return attack(before, "pass", **{"shares": True, **more})


def after(before: str) -> dict[str, str]:
    """A right answer to the first exercise, after something else."""
    return {"double": f"{textwrap.dedent(before).strip()}\n{DOUBLE}"}


ATTACKS: dict[str, Row] = {
    "reads the solutions": attack("open({solutions}).read()", "fail", "FileNotFoundError"),
    "reads another submission": attack("open({submissions} + '/right.ipynb').read()", "fail", "FileNotFoundError"),
    "finds the class anywhere": attack(
        """
        import os
        seen = []
        for root, folders, files in os.walk("/"):
            folders[:] = [name for name in folders if name not in ("proc", "usr", "lib", "site-packages")]
            seen += [*folders, *files]
        if not any(name in ("right.ipynb", "grades.csv", "solutions") for name in seen):
            raise LookupError(f"not among {len(seen)} files")
        """,
        "fail",
        "LookupError: not among [0-9]{3,}",
    ),
    "reads the environment": attack("import os; os.environ['GRADER_SECRET']", "fail", "KeyError"),
    "reads everybody's environment": attack(
        """
        import glob
        def content(path):
            try: return open(path, "rb").read()
            except OSError: return b""
        if not any(b"GRADER_SECRET" in content(path) for path in glob.glob("/proc/*/environ")): raise LookupError
        """,
        "fail",
        "LookupError",
    ),
    "finds the grader among processes": attack(
        """
        import glob
        if not any(b"pytest" in open(path, "rb").read() for path in glob.glob("/proc/[0-9]*/cmdline")):
            raise LookupError("nobody here")
        """,
        "fail",
        "nobody here",
    ),
    "finds a file of the grader open": attack(
        """
        import glob, os
        def target(path):
            try: return os.readlink(path)
            except OSError: return ""
        found = [target(path) for path in glob.glob("/proc/[0-9]*/fd/*")]
        if not any("autograd-teach" in path or path.endswith("log") for path in found):
            raise LookupError(f"{len(found)} others")
        """,
        "fail",
        "LookupError: [0-9]{2,} others",
    ),
    "kills its parent": attack(
        "import os, signal; os.kill(os.getppid(), signal.SIGKILL); 1/0",
        "fail",
        "ZeroDivisionError",
    ),
    "stops its parent": attack(
        "import os, signal; os.kill(os.getppid(), signal.SIGSTOP); 1/0",
        "fail",
        "ZeroDivisionError",
    ),
    "kills everybody": attack(
        "import os, signal; os.kill(-1, signal.SIGKILL); 1/0",
        "fail",
        "ProcessLookupError|ZeroDivisionError",
    ),
    "kills its group": attack("import os, signal; os.killpg(0, signal.SIGKILL)", "died", is_long=True),
    "kills itself": attack("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", "died"),
    "stops itself": attack("import os, signal; os.kill(os.getpid(), signal.SIGSTOP)", "died"),
    "crashes": attack("import ctypes; ctypes.string_at(0)", "died", is_long=True),
    "leaves with sys.exit": attack("import sys; sys.exit(0)", "fail", "SystemExit"),
    "loops without listening": attack(
        """
        import signal
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP): signal.signal(number, signal.SIG_IGN)
        while True:
            try:
                while True: pass
            except BaseException: pass
        """,
        "timeout",
    ),
    "loops in C": attack("sum(x for x in iter(int, 1))", "timeout", is_long=True),
    "calls home": attack(
        "import socket; socket.create_connection(('127.0.0.1', {port}), 1)",
        "fail",
        "ConnectionRefusedError",
    ),
    "calls a socket of this machine": attack(
        "import socket; socket.socket(socket.AF_UNIX).connect({socket})",
        "fail",
        "FileNotFoundError",
    ),
    "forks": attack(
        """
        import os, resource, shutil, signal
        assert resource.getrlimit(resource.RLIMIT_NPROC)[1] <= 128  # or it is not tried
        born = []
        try:
            while len(born) < 300: born.append(os.posix_spawn(shutil.which("sleep"), ["sleep", "600"], {}))
        finally:
            for pid in born: os.kill(pid, signal.SIGKILL); os.waitpid(pid, 0)
        """,
        "fail",
        "BlockingIOError",
    ),
    "raises its limits": attack(
        "import resource; resource.setrlimit(resource.RLIMIT_AS, (-1, -1))",
        "fail",
        "ValueError",
    ),
    "wants 50 GB": attack("block = bytearray(50_000_000_000)", "out_of_memory", "MemoryError"),
    "wants 50 GB in steps": attack(
        "blocks = []\nwhile True: blocks.append(bytearray(50_000_000))",
        "out_of_memory",
        "MemoryError",
        shares=False,
        is_long=True,
    ),
    "wants it in several processes": attack(
        """
        import os, signal
        for n in range(4):
            if os.fork() == 0:
                block = b"x" * 450_000_000
                signal.pause()
        signal.pause()
        """,
        "out_of_memory",
        shares=False,
    ),
    "shows without end": attack(
        "while True: display({'text/html': 'x' * 1000}, raw=True)", "output_limit", is_long=True
    ),
    "prints below Python": attack("import os\nwhile True: os.write(1, b'x' * 1000)", "timeout|output_limit"),
    "writes a large file": attack(
        """
        import tempfile
        with tempfile.NamedTemporaryFile() as file:
            for n in range(100): file.write(bytes(1_000_000))
        """,
        "fail",
        "OSError.*large",
    ),
    "fills the disk": attack(
        """
        import tempfile
        with tempfile.TemporaryDirectory() as folder:
            for n in range(100): open(f"{folder}/{n}", "wb").write(bytes(50_000_000))
        """,
        "fail",
        "OSError.*No space",
    ),
    "makes millions of files": attack(
        """
        import tempfile
        with tempfile.TemporaryDirectory() as folder:
            for n in range(3_000_000): open(f"{folder}/{n}", "wb").close()
        """,
        "fail",
        "OSError.*No space",
    ),
    "writes to the course": attack(
        "import autograd_teach; open(autograd_teach.__file__, 'a').write('x')",
        "fail",
        "OSError|PermissionError",
    ),
    "writes to Python": attack("import os; open(os.__file__, 'a').write('x')", "fail", "OSError|PermissionError"),
    "plants a module in Python": attack(
        "import site; open(site.getsitepackages()[0] + '/planted.pth', 'w').write('import os')",
        "fail",
        "OSError|PermissionError",
    ),
    "sends what is no message": attack(
        """
        kernel = get_ipython().kernel
        for n in range(20): kernel.iopub_socket.send_multipart([b"x", b"<IDS|MSG>", b"", b"{", b"{", b"{", b"[" * 100_000])
        import signal; signal.pause()
        """,
        "protocol_error|timeout",
    ),
    "sends a message too deep to read": attack(
        """
        session = get_ipython().kernel.session
        import signal
        deep = b"[" * 100_000 + b"]" * 100_000
        parts = [session.pack(session.msg_header("stream")), b"{}", b"{}", deep]
        get_ipython().kernel.iopub_socket.send_multipart([b"x", b"<IDS|MSG>", session.sign(parts), *parts])
        signal.pause()
        """,
        "protocol_error|timeout",
        is_long=True,
    ),
    "takes the grader's sockets away": attack(
        """
        import glob, os
        for name in glob.glob("/tmp/k-*"):
            os.remove(name)
            os.symlink({socket}, name)
        1/0
        """,
        "fail",
        "ZeroDivisionError",
        shares=False,
    ),
    "finds another process": attack(
        """
        import glob, os
        others = {int(path[6:]) for path in glob.glob("/proc/[0-9]*")} - {1, os.getpid()}
        if not others: raise LookupError("alone but for what runs the notebook")
        """,
        "fail",
        "LookupError: alone",
    ),
    "reads or writes the memory of the first process": attack(
        """
        import ctypes, os
        def tried(path, mode):
            try: return open(path, mode)
            except OSError: pass
        found = [tried(f"/proc/{os.getppid()}/{name}", "rb") for name in ("mem", "environ", "maps", "auxv")]
        found.append(tried("/proc/1/mem", "r+b"))
        class Piece(ctypes.Structure): _fields_ = [("start", ctypes.c_void_p), ("size", ctypes.c_size_t)]
        buffer = ctypes.create_string_buffer(8)
        here, there = Piece(ctypes.addressof(buffer), 8), Piece(id(os), 8)  # forked: it lies at the same address there
        read = ctypes.CDLL(None).process_vm_readv(1, ctypes.byref(here), 1, ctypes.byref(there), 1, 0) > 0
        if not read and not any(found): raise LookupError("no way in")
        """,
        "fail",
        "LookupError: no way in|PermissionError",
    ),
    "asks what forks kernels for another": attack(
        """
        import os, socket, struct
        lines = []
        for number in map(int, os.listdir("/proc/self/fd")):
            try: line = socket.socket(fileno=os.dup(number))
            except OSError: continue
            if line.family == socket.AF_UNIX and not line.getsockname():
                who = struct.unpack("3i", line.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))[0]
                if who != os.getpid(): lines.append(line)
        if not lines: raise LookupError("no line")
        for line in lines: socket.send_fds(line, [bytes(64)], [0, 0])
        """,
        "fail",
        "LookupError: no line",
    ),
    "finds the sockets of another kernel": attack(
        """
        import json, ipykernel, os, stat, time
        known = json.load(open(ipykernel.get_connection_file()))
        own = {way(f"{known['ip']}-{known[name]}") for way in (str, os.path.abspath) for name in known if name.endswith("_port")}
        def opened(folder):
            paths = [os.path.join(root, name) for root, _, names in os.walk(folder) for name in names]
            return {path for path in paths if stat.S_ISSOCK(os.lstat(path).st_mode)}
        for n in range(5):
            listening = {line.split()[-1] for line in open("/proc/net/unix").readlines()[1:] if "/" in line or "@" in line}
            if (listening | opened("/tmp")) - own: break
            time.sleep(0.1)
        else: raise LookupError(f"{len(own) // 2} of its own")
        """,
        "fail",
        "LookupError: 5 of its own",
    ),
    "closes its sockets": attack("import os, signal; os.closerange(3, 200); signal.pause()", "timeout|died"),
}

ODDITIES: dict[str, Row] = {
    "prints and warns": oddity(
        "import sys, warnings; print('x'); print('y', file=sys.stderr); warnings.warn('z'); display(3)"
    ),
    "plots": oddity("import matplotlib.pyplot as plt; plt.plot([1, 2]); plt.show()"),
    "takes its time": oddity("import time; time.sleep(1)"),
    "writes files": oddity("""
        import os, pathlib, tempfile
        pathlib.Path("notes.txt").write_text("x"); pathlib.Path.home().joinpath("x").write_text("x")
        tempfile.NamedTemporaryFile().write(b"x"); os.makedirs("a/b/c"); os.symlink("/etc/passwd", "link")
        """),
    "starts threads and programs": oddity("""
        import concurrent.futures, subprocess
        with concurrent.futures.ThreadPoolExecutor(20) as pool: list(pool.map(abs, range(100)))
        assert subprocess.run(["echo", "x"], capture_output=True).stdout == b"x\\n"
        get_ipython().system("true")
        """),
    "uses a pool of processes": oddity("""
        import multiprocessing
        with multiprocessing.get_context("fork").Pool(2) as pool: assert pool.map(abs, [-1]) == [1]
        """),
    "uses the course and NumPy": oddity("""
        import getpass, numpy, autograd_teach as torch
        x = torch.tensor([1.0, 2.0], requires_grad=True); (x * x).sum().backward()
        assert x.grad.tolist() == [2.0, 4.0] and getpass.getuser()
        """),
    "handed in modules of its own": oddity(
        "import numpy, os; assert 'site-packages' in numpy.__file__ and not os.listdir()", shares=False
    ),
    "plants modules for the next": oddity("""
        import os, pathlib, site
        for folder in (".", os.path.expanduser("~"), site.getusersitepackages(), "/tmp"):
            for name in ("numpy.py", "sitecustomize.py", "usercustomize.py", "planted.pth"):
                path = pathlib.Path(folder, name); path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text("import os; os._exit(1)")
        """),
    "leaves handlers and threads behind": oddity("""
        import atexit, signal, threading, time
        atexit.register(time.sleep, 60)
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP): signal.signal(number, lambda *_: None)
        threading.Thread(target=time.sleep, args=(60,)).start()
        """),
    "leaves a process behind": oddity(
        """
        import subprocess, sys
        subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)", {mark}], start_new_session=True, env={})
        """,
        where=EVERYWHERE,
    ),
    "leaves a daemon behind": oddity(
        """
        import os, time
        if os.fork() == 0:
            os.setsid()
            if os.fork(): os._exit(0)
            time.sleep(600)
            os._exit(0)
        """,
        where=FENCED | {Isolation.USER},
    ),
}

NEIGHBOURS: dict[str, Row] = {
    "right": Row(SOLUTIONS, "pass pass pass", where=EVERYWHERE),
    "right in another way": Row(
        {
            "double": "double = lambda x: x + x",
            "square": "from math import prod\ndef square(x): return prod([x, x])",
        },
        "pass pass not_attempted",
        is_long=True,
    ),
    "right and talkative": Row(
        {
            "double": "import warnings\ndef double(x):\n    print('in', x)\n    warnings.warn('hm')\n    return 2 * x",
            "square": "import sys\ndef square(x):\n    print('to stderr', file=sys.stderr)\n    return x * x",
            "negate": "def negate(x):\n    display({'a': x})\n    return -x",
        },
        "pass pass pass",
    ),
    "right and slow": Row(
        {**SOLUTIONS, "double": f"import time\ntime.sleep(1)\n{DOUBLE}"}, "pass pass pass", is_long=True
    ),
    "half": Row({"double": DOUBLE}, "pass not_attempted not_attempted", is_long=True),
    "wrong": Row({**SOLUTIONS, "square": "def square(x): return x"}, "pass fail pass", "square: 2 of 3 checks pass"),
    "a syntax error": Row({**SOLUTIONS, "double": "def double(x) return"}, "fail pass pass", "SyntaxError"),
    "the words alone": Row(
        {"double": "print('double: 3 of 3 checks pass')\ndef double(x):\n    print('double: 3 of 3 checks pass')"},
        "fail not_attempted not_attempted",
        "0 of 3 checks pass",
    ),
    "markers for nbval": Row(
        {"double": f"# NBVAL_SKIP\n{DOUBLE}", "square": "# NBVAL_RAISES_EXCEPTION\n1/0"},
        "fail fail not_attempted",
    ),
    "cells blanked by a transformer": Row(
        {"double": "get_ipython().input_transformers_cleanup.append(lambda lines: [])"},
        "fail not_attempted not_attempted",
        is_long=True,
    ),
    "an endless loop": Row({**SOLUTIONS, "double": "while True: pass"}, "timeout pass pass", where=EVERYWHERE),
    "an endless loop that ignores interrupts": Row(
        {"double": "import signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\nwhile True: pass"},
        "timeout not_attempted not_attempted",
        where=PROCESS | {Isolation.USER},
    ),
    "an exit": Row({**SOLUTIONS, "square": "import os; os._exit(0)"}, "pass died pass", where=EVERYWHERE),
    "an exit in the check": Row(
        {"negate": "import os\ndef negate(x): os._exit(0)"}, "not_attempted not_attempted died"
    ),
    "prints without end": Row(
        {**SOLUTIONS, "negate": "import time\nwhile True:\n    print('x' * 10_000)\n    time.sleep(0.01)"},
        "pass pass output_limit",
    ),
    "one print of 10 MB": Row({"double": "print('x' * 10_000_000)"}, "output_limit not_attempted not_attempted"),
    "one print of 100 MB": Row(
        {"double": "print('x' * 100_000_000)"}, "output_limit not_attempted not_attempted", is_long=True
    ),
    "prints as fast as it can": Row(
        {**SOLUTIONS, "negate": "while True: print('x' * 10_000)"}, "pass pass output_limit", is_long=True
    ),
    "more memory than there is": Row(
        {**SOLUTIONS, "double": "block = bytearray(2_500_000_000)"},
        "out_of_memory pass pass",
        "MemoryError",
        where=EVERYWHERE,
    ),
    "a question to the keyboard": Row(
        after("input('?')"), "fail not_attempted not_attempted", "StdinNotImplementedError", shares=True
    ),
    "looks around": Row(
        after("""
            import json, os, sys
            import ipykernel
            assert os.listdir() == [], os.listdir()
            transport = json.load(open(ipykernel.get_connection_file()))['transport']
            assert transport == ('ipc' if os.name == 'posix' else 'tcp')
            assert 'PYTHONPATH' not in os.environ and 'GRADER_SECRET' not in os.environ
            assert os.environ['AUTOGRAD_TEACH_NO_PROGRESS'] == '1'
            assert not any('END SOLUTION' in cell for cell in In)
            """),
        "pass not_attempted not_attempted",
        shares=True,
    ),
    "kills its grader": Row(
        {
            "double": "import os, signal, psutil, subprocess, sys\n"
            "subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)', {mark}], start_new_session=True)\n"
            "os.kill(os.getppid(), signal.SIGKILL)"
        },
        "died not_attempted not_attempted",
        where=PROCESS,
    ),
}
"""What nbval needs no sandbox for: what one answer does takes no point from the next."""

CLASS = {**NEIGHBOURS, **ATTACKS, **ODDITIES}
"""Those who look for what is there come before those who leave something."""


# ---- one kernel for all that can share it -----------------------------------------------------------------------------

TOGETHER = {name: row for name, row in CLASS.items() if row.shares and not row.is_long}
QUESTIONS = tuple(Question(name, 1, f"look{n}-answer", f"look{n}-check") for n, name in enumerate(TOGETHER))


def _together(answers: Mapping[str, str], said: bool = False) -> Notebook:
    cells = [code("setup", SETUP)]
    for n, question in enumerate(QUESTIONS):
        words = f"look{n}: 3 of 3 checks pass\n" if said else ""
        source = answers.get(question.id, f"def look{n}(x):\n    raise NotImplementedError")
        cells.append(code(question.answer, source, nbgrader={"grade_id": question.answer}))
        cells.append(code(question.check, f"check('look{n}', look{n}, [0, 2, 4])", words))
    return notebook(cells)


def notebook_of_all(known: Mapping[str, object]) -> Notebook:
    """A notebook with the one answer of each row in `TOGETHER`."""
    return _together({name: _named(n, filled(row.alone, known)) for n, (name, row) in enumerate(TOGETHER.items())})


def assignment_of_all() -> Assignment:
    """The assignment that it answers: each row of `TOGETHER` is an exercise."""
    right = {question.id: _named(n, DOUBLE) for n, question in enumerate(QUESTIONS)}
    return make_assignment("10_together", QUESTIONS, template=_together(right, said=True), released=_together({}))


def _named(number: int, answer: str) -> str:
    """Names of their own: an answer that is missing must not be found where the one before has left it."""
    return answer.replace("def double(", f"def look{number}(")


# ---- how they are graded ----------------------------------------------------------------------------------------------

SOON = 0.3
"""Seconds a cell for what is meant to run out of time. All else has as many as a busy machine takes."""


def filled(source: str, known: Mapping[str, object]) -> str:
    """`source` with what is known in the place of its name, as Python writes it."""
    for name, value in known.items():
        source = source.replace(f"{{{name}}}", repr(value))
    return source


def with_little_time_for_loops(runner: Runner, loops: set[str]) -> Runner:
    """`runner`, with little time for notebooks in which one of the answers `loops` stands. On a machine so busy that another
    cell takes all of it, more is given."""

    def run(notebook: Notebook, checks: Sequence[int], limits: Limits, stop: threading.Event) -> NotebookRun:
        sources = [cell["source"] for cell in notebook["cells"] if cell["cell_type"] == "code"]
        endless = [number for number, source in enumerate(sources) if source in loops]
        seconds = SOON if endless else limits.timeout
        while True:
            record = runner(notebook, checks, replace(limits, timeout=min(seconds, limits.timeout)), stop)
            is_fair = record.stopped is not Status.TIMEOUT or record.stopped_at in endless
            if is_fair or seconds >= limits.timeout:
                return record
            seconds *= 4

    return run


def running(mark: str) -> list[psutil.Process]:
    """The processes that have `mark` in their command."""
    found = []
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error):
            if any(mark in word for word in process.cmdline()):
                found.append(process)
    return found


def mounts(own: Path) -> set[str]:
    """What is mounted; of the tests' folders, in which others may mount a disk at the same time, only `own` counts."""
    lines = Path("/proc/self/mounts").read_text().splitlines()
    return {line for line in lines if str(own) in line or not re.search("/(pytest-|popen-)", line)}
