"""Hostile notebooks through the real grader: each scores nothing that it should not, gets a named status, stops nobody.

An attack is written so that it would score if it succeeded: what it is after is on the way to a right answer. Forged
verdicts are not here: against them stands the oracle, not the sandbox. Nor are files that are no notebooks
(test_intake.py) and what nbval needs no sandbox for (test_run.py).
"""

import os
import re
import socket
import sys
import textwrap
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import psutil
import pytest

from autograd_teach.course.errors import UserError
from autograd_teach.grading import batch, judge, sandbox
from autograd_teach.grading.batch import grade_class
from autograd_teach.grading.rebuild import rebuild
from autograd_teach.grading.record import STARTUP, Limits, Runner, nbval_under, run_nbval
from autograd_teach.grading.results import Result
from autograd_teach.grading.sandbox import Isolation
from autograd_teach.grading.waiting import Waiting
from tests.grading.classroom import SOLUTIONS, assignment, hand_in

TIMEOUT = 3.0
"""For what is meant to run out of time. All else gets more than a busy machine takes: it ends by another limit, or by itself."""
LIMITS = Limits(timeout=60.0, memory=1_500_000_000, output=200_000)
DOUBLE = SOLUTIONS["double"]
CHECKS = [2, 4, 6]

# name: (what stands before a right answer to the first exercise, the status of that exercise, its detail as a pattern)
# {solutions}, {submissions}, {port}, {socket}, {mark} are the fixture's.
ATTACKS: dict[str, tuple[str, str, str]] = {
    "reads the solutions": ("open('{solutions}').read()", "fail", "FileNotFoundError"),
    "reads another submission": ("open('{submissions}/ending/right.ipynb').read()", "fail", "FileNotFoundError"),
    "finds the class anywhere": (
        """
        import os
        seen = []
        for root, folders, files in os.walk("/"):
            folders[:] = [name for name in folders if name not in ("proc", "usr", "lib", "site-packages")]
            seen += [*folders, *files]
        if not any(name in ("right.ipynb", "grades.csv", "solutions") for name in seen):
            raise LookupError(f"not among {{len(seen)}} files")
        """,
        "fail",
        "LookupError: not among [0-9]{3,}",
    ),
    "reads the environment": ("import os; os.environ['GRADER_SECRET']", "fail", "KeyError"),
    "reads everybody's environment": (
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
    "finds the grader among processes": (
        """
        import glob
        if not any(b"nbval_process" in open(path, "rb").read() for path in glob.glob("/proc/[0-9]*/cmdline")):
            raise LookupError("nobody here")
        """,
        "fail",
        "nobody here",
    ),
    "finds a file of the grader open": (
        """
        import glob, os
        def target(path):
            try: return os.readlink(path)
            except OSError: return ""
        found = [target(path) for path in glob.glob("/proc/[0-9]*/fd/*")]
        if not any("autograd-teach" in path or path.endswith("log") for path in found):
            raise LookupError(f"{{len(found)}} others")
        """,
        "fail",
        "LookupError: [0-9]{2,} others",
    ),
    "kills its parent": (
        "import os, signal; os.kill(os.getppid(), signal.SIGKILL); 1/0",
        "fail",
        "PermissionError|ZeroDivisionError",
    ),
    "stops its parent": (
        "import os, signal; os.kill(os.getppid(), signal.SIGSTOP); 1/0",
        "fail",
        "PermissionError|ZeroDivisionError",
    ),
    "kills everybody": (
        "import os, signal; os.kill(-1, signal.SIGKILL); 1/0",
        "fail",
        "ProcessLookupError|PermissionError|ZeroDivisionError",
    ),
    "kills its group": ("import os, signal; os.killpg(0, signal.SIGKILL)", "died", ""),
    "kills itself": ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", "died", ""),
    "stops itself": ("import os, signal; os.kill(os.getpid(), signal.SIGSTOP)", "timeout", ""),
    "crashes": ("import ctypes; ctypes.string_at(0)", "died", ""),
    "leaves with os._exit": ("import os; os._exit(0)", "died", ""),
    "leaves with sys.exit": ("import sys; sys.exit(0)", "fail", "SystemExit"),
    "asks the keyboard": ("input()", "fail", "StdinNotImplementedError"),
    "loops": ("while True: pass", "timeout", ""),
    "loops without listening": (
        """
        import signal
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP): signal.signal(number, signal.SIG_IGN)
        while True:
            try:
                while True: pass
            except BaseException: pass
        """,
        "timeout",
        "",
    ),
    "loops in C": ("sum(x for x in iter(int, 1))", "timeout", ""),
    "calls home": (
        "import socket; socket.create_connection(('127.0.0.1', {port}), 1)",
        "fail",
        "ConnectionRefusedError",
    ),
    "calls a socket of this machine": (
        "import socket; socket.socket(socket.AF_UNIX).connect('{socket}')",
        "fail",
        "FileNotFoundError",
    ),
    "forks": (
        """
        import os, resource, time
        assert resource.getrlimit(resource.RLIMIT_NPROC)[1] <= 128  # or it is not tried
        for n in range(300):
            if os.fork() == 0:
                time.sleep(60)
                os._exit(0)
        """,
        "fail",
        "BlockingIOError",
    ),
    "raises its limits": (
        "import resource; resource.setrlimit(resource.RLIMIT_AS, (-1, -1))",
        "fail",
        "ValueError",
    ),
    "wants 50 GB": ("block = bytearray(50_000_000_000)", "out_of_memory", "MemoryError"),
    "wants 50 GB in steps": (
        "blocks = []\nwhile True: blocks.append(bytearray(50_000_000))",
        "out_of_memory",
        "MemoryError",
    ),
    "wants it in several processes": (
        """
        import os, time
        for n in range(4):
            if os.fork() == 0:
                block = b"x" * 450_000_000
                time.sleep(60)
                os._exit(0)
        time.sleep(60)
        """,
        "out_of_memory",
        "",
    ),
    "prints 100 MB": ("print('x' * 100_000_000)", "output_limit", ""),
    "prints without end": ("while True: print('x' * 1000)", "output_limit", ""),
    "shows without end": ("while True: display({{'text/html': 'x' * 1000}}, raw=True)", "output_limit", ""),
    "prints below Python": (
        "import os\nwhile True: os.write(1, b'x' * 1000)",
        "timeout|output_limit",
        "",
    ),
    "writes a large file": (
        "with open('large', 'wb') as file:\n    for n in range(100): file.write(bytes(1_000_000))",
        "fail",
        "OSError.*large",
    ),
    "fills the disk": (
        "for n in range(100): open(str(n), 'wb').write(bytes(50_000_000))",
        "fail",
        "OSError.*No space",
    ),
    "makes millions of files": (
        "for n in range(3_000_000): open(str(n), 'wb').close()",
        "fail",
        "OSError.*No space",
    ),
    "writes to the course": (
        "import autograd_teach; open(autograd_teach.__file__, 'a').write('x')",
        "fail",
        "OSError|PermissionError",
    ),
    "writes to Python": ("import os; open(os.__file__, 'a').write('x')", "fail", "OSError|PermissionError"),
    "plants a module in Python": (
        "import site; open(site.getsitepackages()[0] + '/planted.pth', 'w').write('import os')",
        "fail",
        "OSError|PermissionError",
    ),
    "sends what is no message": (
        """
        kernel = get_ipython().kernel
        for n in range(20): kernel.iopub_socket.send_multipart([b"x", b"<IDS|MSG>", b"", b"{{", b"{{", b"{{", b"[" * 100_000])
        import time; time.sleep(60)
        """,
        "protocol_error|timeout",
        "",
    ),
    "sends a message too deep to read": (
        """
        session = get_ipython().kernel.session
        import time
        deep = b"[" * 100_000 + b"]" * 100_000
        parts = [session.pack(session.msg_header("stream")), b"{{}}", b"{{}}", deep]
        get_ipython().kernel.iopub_socket.send_multipart([b"x", b"<IDS|MSG>", session.sign(parts), *parts])
        time.sleep(60)
        """,
        "protocol_error|timeout",
        "",
    ),
    "takes the grader's sockets away": (
        """
        import glob, os
        for name in glob.glob("/tmp/kernel-*"):
            os.remove(name)
            os.symlink("{socket}", name)
        1/0
        """,
        "fail",
        "ZeroDivisionError",
    ),
    "finds another process": (
        """
        import glob, os
        others = {{int(path[6:]) for path in glob.glob("/proc/[0-9]*")}} - {{1, os.getpid()}}
        if not others: raise LookupError("alone")
        """,
        "fail",
        "LookupError: alone",
    ),
    "reads or writes the memory of the first process": (
        """
        import ctypes, os
        def tried(path, mode):
            try: return open(path, mode)
            except OSError: pass
        found = [tried(f"/proc/{{os.getppid()}}/{{name}}", "rb") for name in ("mem", "environ", "maps", "auxv")]
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
    "asks what forks kernels for another": (
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
    "finds the sockets of another kernel": (
        """
        import glob, json, ipykernel, time
        known = json.load(open(ipykernel.get_connection_file()))
        own = {{f"{{known['ip']}}-{{known[name]}}" for name in known if name.endswith("_port")}}
        for n in range(30):
            listening = {{line.split()[-1] for line in open("/proc/net/unix").readlines()[1:] if "/" in line or "@" in line}}
            if (listening | set(glob.glob("/tmp/**/kernel-*", recursive=True))) - own: break
            time.sleep(0.1)
        else: raise LookupError(f"{{len(own)}} of its own")
        """,
        "fail",
        "LookupError: 5 of its own",
    ),
    "closes its sockets": (
        "import os; os.closerange(3, 200)\nwhile True: pass",
        "timeout|died",
        "",
    ),
}

# name: what stands before (or is) a right answer, which passes; nothing of it is left afterwards
ODDITIES: dict[str, str] = {
    "right": "",
    "prints and warns": "import sys, warnings; print('x'); print('y', file=sys.stderr); warnings.warn('z'); display(3)",
    "plots": "import matplotlib.pyplot as plt; plt.plot([1, 2]); plt.show()",
    "takes its time": "import time; time.sleep(8)",
    "writes files": """
        import os, pathlib, tempfile
        pathlib.Path("notes.txt").write_text("x"); pathlib.Path.home().joinpath("x").write_text("x")
        tempfile.NamedTemporaryFile().write(b"x"); os.makedirs("a/b/c"); os.symlink("/etc/passwd", "link")
        """,
    "starts threads and programs": """
        import concurrent.futures, subprocess
        with concurrent.futures.ThreadPoolExecutor(20) as pool: list(pool.map(abs, range(100)))
        assert subprocess.run(["echo", "x"], capture_output=True).stdout == b"x\\n"
        get_ipython().system("true")
        """,
    "uses a pool of processes": """
        import multiprocessing
        with multiprocessing.get_context("fork").Pool(2) as pool: assert pool.map(abs, [-1]) == [1]
        """,
    "uses the course and NumPy": """
        import getpass, numpy, autograd_teach as torch
        x = torch.tensor([1.0, 2.0], requires_grad=True); (x * x).sum().backward()
        assert x.grad.tolist() == [2.0, 4.0] and getpass.getuser()
        """,
    "handed in modules of its own": "import numpy, os; assert 'site-packages' in numpy.__file__ and not os.listdir()",
    "plants modules for the next": """
        import os, pathlib, site
        for folder in (".", os.path.expanduser("~"), site.getusersitepackages(), "/tmp"):
            for name in ("numpy.py", "sitecustomize.py", "usercustomize.py", "planted.pth"):
                path = pathlib.Path(folder, name); path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text("import os; os._exit(1)")
        """,
    "leaves handlers and threads behind": """
        import atexit, signal, threading, time
        atexit.register(time.sleep, 60)
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP): signal.signal(number, lambda *_: None)
        threading.Thread(target=time.sleep, args=(60,)).start()
        """,
    "leaves a process behind": """
        import subprocess, sys
        subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600) # {mark}"], start_new_session=True, env={{}})
        """,
    "leaves a daemon behind": """
        import os, time
        if os.fork() == 0:
            os.setsid()
            if os.fork(): os._exit(0)
            time.sleep(600)
            os._exit(0)
        """,
}


@dataclass
class Graded:
    results: dict[str, Result]
    progress: str
    uids: list[int]
    mark: str
    scratch: Path
    connections: int
    mounts_before: str
    seconds: float


@pytest.fixture(scope="module")
def graded(tmp_path_factory: pytest.TempPathFactory, require_tool: Callable[..., str]) -> Iterator[Graded]:
    """Everybody in one class, graded once."""
    if sys.platform != "linux":
        pytest.skip("needs Linux")
    require_tool("bwrap")
    folder = tmp_path_factory.mktemp("class")
    submissions, scratch, mark = folder / "in", folder / "scratch", f"left behind by {folder}"
    local = socket.socket(socket.AF_UNIX)
    # In the folder for temporary files itself: a socket's path must be short.
    path = f"/tmp/autograd-teach-{os.getpid()}"
    local.bind(path)
    local.listen()
    solutions = Path(__file__).parents[2] / "solutions"
    with socket.create_server(("127.0.0.1", 0)) as listener, pytest.MonkeyPatch.context() as patch:
        known: dict[str, Any] = {
            "solutions": next(solutions.glob("*.ipynb")),
            "submissions": submissions,
            "port": listener.getsockname()[1],
            "socket": path,
            "mark": mark,
        }
        endless = {name for name, (_, status, _) in ATTACKS.items() if "timeout" in status}
        for name, before in {**{name: attack[0] for name, attack in ATTACKS.items()}, **ODDITIES}.items():
            source = textwrap.dedent(before).strip().format(**known)
            group = submissions / ("endless" if name in endless else "ending")
            hand_in(group / f"{name}.ipynb", {"double": f"{source}\n{DOUBLE}"})
        own = submissions / "ending" / "handed in modules of its own"
        own.mkdir()
        own.with_suffix(".ipynb").rename(own / "09_tiny.ipynb")
        for name in ("numpy.py", "sitecustomize.py", "planted.pth"):
            (own / name).write_text(f"import os; open({str(folder / 'planted')!r}, 'w'); os._exit(1)")
        scratch.mkdir()
        uids: list[int] = []
        made_up = sandbox._new_uid
        patch.setattr(sandbox, "_new_uid", lambda: uids.append(made_up()) or uids[-1])
        patch.setattr("tempfile.tempdir", str(scratch))
        patch.setenv("GRADER_SECRET", "1")
        mounts, started = Path("/proc/self/mounts").read_text(), time.monotonic()
        with (
            (folder / "progress").open("w") as progress,
            nbval_under(Isolation.BUBBLEWRAP, [submissions, solutions]) as runner,
        ):
            results = [
                result
                for group, limits in (("ending", LIMITS), ("endless", replace(LIMITS, timeout=TIMEOUT)))
                for result in grade_class(
                    submissions / group, [assignment()], output=folder / "out", limits=limits, jobs=2, progress=progress,
                    runner=runner,
                )
            ]  # fmt: skip
            assert runner.is_waiting  # or it was not what graders run
        connections = sum(map(_was_called, (listener, local)))
        seconds = time.monotonic() - started
        assert not (folder / "planted").exists()
    local.close()
    os.remove(path)
    said = (folder / "progress").read_text()
    yield Graded({r.student: r for r in results}, said, uids, mark, scratch, connections, mounts, seconds)


def _was_called(listener: socket.socket) -> bool:
    listener.setblocking(False)
    try:
        listener.accept()[0].close()
    except BlockingIOError:
        return False
    return True


@pytest.mark.parametrize("name", ATTACKS)
def test_an_attack_scores_nothing_and_has_a_name(graded: Graded, name: str) -> None:
    _, status, detail = ATTACKS[name]
    mark = graded.results[name].marks[0]
    assert mark.points == 0
    assert re.fullmatch(status, mark.status), f"{mark.status}: {mark.detail}"
    assert re.search(detail, mark.detail), mark.detail
    assert mark.isolation == "bubblewrap"
    assert mark.seconds < STARTUP + (TIMEOUT if "timeout" in status else LIMITS.timeout)


@pytest.mark.parametrize("name", ODDITIES)
def test_an_oddity_costs_nothing(graded: Graded, name: str) -> None:
    mark = graded.results[name].marks[0]
    assert (mark.status, mark.points) == ("pass", 1), mark.detail


def test_everybody_was_graded(graded: Graded) -> None:
    assert set(graded.results) == {*ATTACKS, *ODDITIES}
    done = re.findall(r"(\d+) of (\d+) students graded", graded.progress)
    assert sum(int(graded) for graded, _ in done) == sum(int(all_) for _, all_ in done) == len(graded.results)


def test_no_process_file_mount_cgroup_or_call_is_left(graded: Graded) -> None:
    own = {psutil.Process().pid}
    left = []
    for process in psutil.process_iter():
        try:
            words = " ".join(process.cmdline())
            if process.pid not in own and (
                set(process.uids()) & set(graded.uids) or graded.mark in words or str(graded.scratch) in words
            ):
                left.append(words)
        except psutil.Error:
            continue
    assert left == []
    assert list(graded.scratch.iterdir()) == []
    assert Path("/proc/self/mounts").read_text() == graded.mounts_before
    assert not [path for path in Path("/sys/fs/cgroup").glob("**/*autograd*")]
    assert graded.connections == 0


@pytest.mark.parametrize("waits", [False, True])
def test_a_right_answer_is_right_in_every_isolation(waits: bool) -> None:
    for isolation in (Isolation.BUBBLEWRAP, Isolation.USER, Isolation.PROCESS):
        if isolation.is_sandbox and sandbox._problem_with(isolation):
            continue
        runner = nbval_under(isolation)
        with runner if waits else nullcontext():
            record = runner(rebuild(assignment(), SOLUTIONS), CHECKS, LIMITS, threading.Event())
            assert runner.is_waiting == (waits and isolation.is_sandbox)
        assert (record.stopped, record.isolation) == (None, isolation.value), record.detail
        assert {cell.outcome for cell in record.cells.values()} == {"passed"}


PROBE = """
import glob, hashlib, os, threading
found = []
for text in {texts!r}:
    try: value = eval(text)
    except Exception as problem: value = problem
    found.append(hashlib.sha256(repr(value).encode()).hexdigest()[:8])
raise AssertionError(" ".join(found))
"""
ALIKE = [
    "sorted(name for name in globals() if name not in ('found', 'text', 'value', 'problem'))",
    "(In[1:3], Out, _, __name__)",
    "(sorted(os.environ.items()), os.getcwd(), os.listdir(), os.listdir(os.environ['HOME']))",
    "(os.umask(0o077), os.getgroups(), os.getuid() in (0, os.getgid()))",
    "[__import__('resource').getrlimit(n) for n in range(16)]",
    "[__import__('signal').getsignal(n) in (0, 1) for n in range(1, 32)]",
    "__import__('signal').pthread_sigmask(0, [])",
    "sorted({thread.name.split('-')[0] for thread in threading.enumerate()} - {'IPythonHistorySavingThread'})",
    "[line.split()[1] for line in open('/proc/self/status') if line.startswith(('CapP', 'CapE', 'CapB', 'CapA', 'NoNew', 'Seccomp:'))]",
    "[(s.f_blocks, s.f_files, s.f_flag) for s in map(os.statvfs, ('/tmp', '/dev/shm', '/', '/dev', '/usr'))]",
    "(__import__('sys').flags, __import__('sys').path[-1], __import__('sys').dont_write_bytecode)",
    "(__import__('site').getusersitepackages(), __import__('tempfile').gettempdir())",
    "[name for name in os.listdir('/tmp') if name.startswith(('aaa', 'submission'))], os.listdir('/dev/shm')",
    "hasattr(__import__('numpy'), 'planted'), hasattr(__import__('builtins'), 'planted')",
    "__import__('sys').modules['__main__'].__dict__ is globals(), __import__('__main__').__name__",
    "os.readlink('/proc/self/fd/0'), os.listdir('/proc/self/fd') != []",
    "open('/proc/self/environ').read() != ''",
    "__import__('gc').isenabled(), __import__('autograd_teach').is_grad_enabled()",
]
OWN = [
    "__import__('random').random()",
    "__import__('autograd_teach').initial_seed()",
    "__import__('numpy').random.random()",
    "__import__('multiprocessing').current_process().authkey[:]",
    "get_ipython().kernel.session.key",
    "__import__('uuid').uuid4()",
]
PLANT = """
import builtins, numpy, os, sys
numpy.planted = builtins.planted = 1
sys.modules["planted"] = sys
for folder in ("/tmp", "/dev/shm", ".", os.environ["HOME"]): open(os.path.join(folder, "aaa"), "w").close()
"""


@pytest.mark.parametrize("can_change_user", [True, False])
def test_a_forked_kernel_is_like_a_fresh_one_and_shares_nothing_with_the_one_before(
    require_tool: Callable[..., str], monkeypatch: pytest.MonkeyPatch, can_change_user: bool
) -> None:
    """The first is run by a fresh interpreter, the others by one that waits."""
    require_tool("bwrap")
    if not can_change_user:
        monkeypatch.setattr(sandbox, "_can_change_user", lambda: False)

    def facts(runner: Runner, before: str = "") -> list[str]:
        answer = before + PROBE.format(texts=[*ALIKE, *OWN])
        record = runner(rebuild(assignment(), {"double": answer}), CHECKS, LIMITS, threading.Event())
        assert record.cells[1].message.startswith("AssertionError: "), record
        return record.cells[1].message.split()[1:]

    fresh = nbval_under(Isolation.BUBBLEWRAP)
    with nbval_under(Isolation.BUBBLEWRAP) as waiting:
        first, _, third = facts(fresh), facts(waiting, PLANT), facts(waiting)
        fourth = facts(waiting)
        assert waiting.is_waiting
    for one, other in ((first, third), (third, fourth)):
        assert [text for text, a, b in zip([*ALIKE, *OWN], one, other, strict=True) if a == b] == ALIKE


def test_what_waits_is_started_anew_when_somebody_ended_it(require_tool: Callable[..., str]) -> None:
    require_tool("bwrap")
    with nbval_under(Isolation.BUBBLEWRAP) as runner:
        for each in (None, runner._kernels, runner._nbvals):
            if each is not None:
                assert each.process
                each.process.kill()
            record = runner(rebuild(assignment(), SOLUTIONS), CHECKS, LIMITS, threading.Event())
            assert {cell.outcome for cell in record.cells.values()} == {"passed"}, record
    assert not [each for each in psutil.Process().children(recursive=True) if "wait" in each.cmdline()]


@pytest.mark.parametrize("which", ["_kernels", "_nbvals"])
def test_nobody_is_blamed_for_what_ended_in_the_middle_of_their_notebook(
    require_tool: Callable[..., str], which: str
) -> None:
    require_tool("bwrap")
    slow = {**SOLUTIONS, "double": f"import time; time.sleep(2)\n{DOUBLE}"}

    ended: list[int] = []

    def end_once_it_runs(waits: Waiting) -> None:
        while waits.process is None or deepest_below(waits.process.pid) < depth:
            time.sleep(0.05)
        ended.append(waits.process.pid)
        waits.process.kill()

    depth = {"_kernels": 6, "_nbvals": 3}[
        which
    ]  # bubblewrap twice, what waits, a warden, the first process, the kernel
    with nbval_under(Isolation.BUBBLEWRAP) as runner:
        waits: Waiting = getattr(runner, which)
        ends = threading.Thread(target=end_once_it_runs, args=(waits,))
        ends.start()
        record = runner(rebuild(assignment(), slow), CHECKS, LIMITS, threading.Event())
        ends.join()
        assert waits.process and [waits.process.pid] != ended
    assert {cell.outcome for cell in record.cells.values()} == {"passed"}, record


def deepest_below(pid: int) -> int:
    """How many generations of processes there are, from `pid` on."""
    try:
        return 1 + max((deepest_below(child.pid) for child in psutil.Process(pid).children()), default=0)
    except psutil.Error:
        return 0


def test_what_runs_by_default_is_the_best_there_is() -> None:
    record = run_nbval(rebuild(assignment(), SOLUTIONS), CHECKS, LIMITS, threading.Event())
    assert record.isolation == sandbox.available()


class Quiet:
    """A stream that keeps its lines."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def write(self, text: str) -> None:
        self.lines += [line for line in text.splitlines() if line]

    def isatty(self) -> bool:
        return False


@pytest.mark.parametrize(
    ("isolation", "why", "open_to_all", "first_line", "is_enough"),
    [
        ("bubblewrap", "", [], "Isolation: bubblewrap", True),
        ("user", "bubblewrap: not installed", [], "Isolation: user", True),
        ("user", "", ["/in"], "Isolation: user (any user of this machine can read /in)", False),
        ("process", "no, and no", [], "Isolation: process (no, and no)", False),
    ],
)
@pytest.mark.parametrize("required", [False, True])
def test_the_isolation_is_the_first_thing_said_and_a_lesser_one_can_be_refused(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    isolation: str,
    why: str,
    open_to_all: list[str],
    first_line: str,
    is_enough: bool,
    required: bool,
) -> None:
    monkeypatch.setattr(sandbox, "available", lambda: Isolation(isolation))
    monkeypatch.setattr(sandbox, "why", lambda: why)
    monkeypatch.setattr(sandbox, "readable_by_anyone", lambda paths: [Path(path) for path in open_to_all])
    ran: list[Isolation] = []
    monkeypatch.setattr(judge, "nbval_under", lambda kind, hidden: nullcontext(ran.append(kind)))
    monkeypatch.setattr(batch, "load_assignments", lambda *_: [assignment()])
    monkeypatch.setattr(batch, "grade_class", lambda *_, **__: [])
    stream = Quiet()

    def grade() -> None:
        rooms = {"output": tmp_path, "exercises": tmp_path, "solutions": tmp_path}
        batch.grade(tmp_path, **rooms, timeout=1, jobs=1, progress=stream, require_sandbox=required, judge="nbval")  # type: ignore[arg-type]

    if required and not is_enough:
        with pytest.raises(UserError, match="--require-sandbox"):
            grade()
        assert (stream.lines, ran) == ([], [])
    else:
        grade()
        assert (stream.lines, ran) == ([first_line], [isolation])
