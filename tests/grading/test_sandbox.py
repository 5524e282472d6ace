"""Programs in a sandbox: what they see, what they may use, what is left of them. Notebooks in it: test_attacks.py."""

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from autograd_teach.grading import sandbox
from autograd_teach.grading.sandbox import Bounds, Isolation
from tests.grading.hostile import mounts

SMALL = Bounds(memory=1_000_000_000, cpu=20, file=1_000_000, disk=4_000_000, files=100, open_files=64, processes=16)
OTHERS_PYTHON = "/usr/bin/python3"
"""One that any user can start, which the one that runs the tests need not be (in root's home, say)."""

TOOLS = """
import ctypes, os, resource, signal, socket, subprocess, sys, time
def tried(attempt):
    try:
        print("done", attempt())
    except Exception as problem:
        print(type(problem).__name__, getattr(problem, "errno", ""))
"""

FENCED = {Isolation.BUBBLEWRAP, Isolation.USER}
NAMESPACE = {Isolation.BUBBLEWRAP}
ALL = {*Isolation}

# name: (where it holds, program, what it prints as a regular expression)
PROGRAMS: dict[str, tuple[set[Isolation], str, str]] = {
    "runs in an empty folder of its own": (ALL, "print(os.listdir(), open('mine', 'w').write('x'))", r"\[\] 1"),
    "has the environment that it was given": (
        ALL,
        "print(os.environ['GIVEN'], 'GRADER_SECRET' in os.environ)",
        "yes False",
    ),
    "has no capability and gets none": (
        FENCED,
        "print(*[l.split()[1] for l in open('/proc/self/status') if l.startswith(('CapEff', 'CapPrm', 'CapAmb', 'NoNew'))])",
        "0+ 0+ 0+ 1",
    ),
    "has no file of the grader open": (
        ALL,
        "print(sorted(int(n) for n in os.listdir('/proc/self/fd'))[:-1])",
        r"\[0, 1, 2\]",
    ),
    "cannot read a secret": (FENCED, "tried(lambda: open(SECRET).read())", "(PermissionError|FileNotFoundError) .*"),
    "cannot list its folder": (
        FENCED,
        "tried(lambda: os.listdir(os.path.dirname(SECRET)))",
        "(PermissionError|FileNotFoundError) .*",
    ),
    "cannot read the secret through another process": (
        FENCED,
        (
            "def look():\n"
            "    for pid in filter(str.isdigit, os.listdir('/proc')):\n"
            "        try:\n"
            "            return open(f'/proc/{pid}/root' + SECRET).read()\n"
            "        except OSError: pass\n"
            "    raise LookupError\n"
            "tried(look)"
        ),
        "LookupError",
    ),
    "cannot kill the grader": (
        FENCED,
        "tried(lambda: os.kill(GRADER, 0))",
        "(PermissionError|ProcessLookupError) .*",
    ),
    "sees only its own processes": (
        NAMESPACE,
        "print(len([n for n in os.listdir('/proc') if n.isdigit()]) < 5)",
        "True",
    ),
    "cannot write to the system": (FENCED, "tried(lambda: open('/usr/x', 'w'))", "(PermissionError|OSError) .*"),
    "cannot write to the package": (FENCED, "tried(lambda: open(PACKAGE, 'a'))", "(PermissionError|OSError) .*"),
    "cannot write to the root or to devices": (
        NAMESPACE,
        "[tried(lambda: open(f'{at}/x', 'w')) for at in ('', '/dev', '/proc', '/etc')]",
        r"((PermissionError|OSError|FileNotFoundError) \d+\s*){4}",
    ),
    "reaches no listener of this machine": (
        NAMESPACE,
        (
            "tried(lambda: socket.create_connection(('127.0.0.1', PORT), 1))\n"
            "tried(lambda: socket.socket(socket.AF_UNIX).connect('\\0' + ABSTRACT))"
        ),
        r"ConnectionRefusedError \d+\s+ConnectionRefusedError \d+",
    ),
    "has no interface but its own loopback": (NAMESPACE, "print([n for _, n in socket.if_nameindex()])", r"\['lo'\]"),
    "has no passwords, no hosts": (
        NAMESPACE,
        "print(os.path.exists('/etc/passwd'), os.path.exists('/etc/hosts'))",
        "False False",
    ),
    "its address space ends": (ALL, "tried(lambda: bytearray(2_000_000_000))", "MemoryError"),
    "so does memory that is not its address space": (
        FENCED,
        (
            "call = ctypes.CDLL(None, use_errno=True).syscall\n"
            "numbers = (319, 29) if os.uname().machine == 'x86_64' else (279, 194)\n"
            "print([call(n, b'x', 4096, 0o1600) for n in numbers])"
        ),
        r"\[-1, -1\]",
    ),
    "a file does not grow on": (ALL, "tried(lambda: open('f', 'wb').write(bytes(2_000_000)))", "OSError 27"),
    "all files together do not either": (
        NAMESPACE,
        (
            "def fill(where):\n    for n in range(20): open(f'{where}/{n}', 'wb').write(bytes(900_000))\n"
            "tried(lambda: fill('.'))\ntried(lambda: fill('/dev/shm'))\n"
            "for name in os.listdir('/dev/shm'): os.remove(f'/dev/shm/{name}')"
        ),
        r"OSError 28\s+OSError 28",
    ),
    "nor become too many": (
        NAMESPACE,
        "def many():\n    for n in range(1000): open(str(n), 'w')\ntried(many)",
        "OSError 28",
    ),
    "open files are counted": (
        ALL,
        "def many(): return [open(sys.executable) for n in range(100)]\ntried(many)",
        "OSError 24",
    ),
    "processes are counted": (
        FENCED,
        (
            "assert 0 < resource.getrlimit(resource.RLIMIT_NPROC)[0] < 20\n"
            "born = []\n"
            "def fork():\n"
            "    for n in range(100):\n"
            "        born.append(os.fork())\n"
            "        if born[-1] == 0: signal.pause()\n"
            "tried(fork)\n"
            "for pid in born: os.kill(pid, signal.SIGKILL); os.waitpid(pid, 0)"
        ),
        "BlockingIOError 11",
    ),
    "limits are not raised again": (
        FENCED,
        "tried(lambda: resource.setrlimit(resource.RLIMIT_NPROC, (100, 100)))",
        "ValueError",
    ),
    "no namespaces of its own": (
        FENCED,
        (
            "call = ctypes.CDLL(None, use_errno=True).syscall\n"
            "unshare, clone = (272, 56) if os.uname().machine == 'x86_64' else (97, 220)\n"
            "print(call(unshare, 0x10000000), call(clone, 0x10000000 | 17, 0, 0, 0, 0))"
        ),
        "-1 -1",
    ),
    "threads, subprocesses and locks work": (
        NAMESPACE,
        (
            "import threading, multiprocessing\n"
            "thread = threading.Thread(target=print, args=('thread',)); thread.start(); thread.join()\n"
            "print(subprocess.run(['echo', 'program'], capture_output=True, text=True).stdout)\n"
            "with multiprocessing.get_context('fork').Pool(2) as pool: print(pool.map(abs, [-1]))"
        ),
        r"thread\s+program\s+\[1\]",
    ),
}


@pytest.fixture
def box(tmp_path: Path) -> Iterator[Path]:
    """An empty folder that any user can get to."""
    folder = (
        Path(os.path.realpath("/tmp")) / f"sandbox-test-{os.getpid()}-{time.monotonic_ns()}"
    )  # tmp_path is closed to others
    (folder / "work").mkdir(parents=True)
    folder.chmod(0o711)
    yield folder
    shutil.rmtree(folder)


WITHOUT_ROOT = "bubblewrap without root"


@pytest.fixture(params=[*Isolation, WITHOUT_ROOT])
def isolation(
    request: pytest.FixtureRequest, require_tool: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> Isolation:
    """Each, and bubblewrap as anybody else calls it: all but the limit on processes holds for root in that way too."""
    kind = Isolation(request.param.split()[0])
    if request.param == WITHOUT_ROOT:
        monkeypatch.setattr(sandbox, "_can_change_user", lambda: False)
    if sys.platform != "linux":
        pytest.skip("needs Linux")
    if kind is Isolation.BUBBLEWRAP:
        require_tool("bwrap")
    if kind is Isolation.USER:
        require_tool(OTHERS_PYTHON)
        if os.geteuid():
            pytest.skip("needs root")
    return kind


def python_for(isolation: Isolation) -> str:
    return OTHERS_PYTHON if isolation is Isolation.USER else sys.executable


def wrapped(
    isolation: Isolation, box: Path, program: str, limits: Bounds = SMALL, **options: object
) -> sandbox.Wrapped:
    command = [python_for(isolation), "-I", "-c", program]
    environment = {"GIVEN": "yes"}
    return sandbox.wrap(
        command,
        work=box / "work",
        limits=limits,
        environment=environment,
        isolation=isolation,
        **options,  # type: ignore[arg-type]
    )


def said_by(one: sandbox.Wrapped) -> str:
    process = sandbox.start(one, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    try:
        return process.communicate(timeout=120)[0].decode()
    finally:
        sandbox.end(process, one)


LOOK = """
import traceback
def look(name, program):
    print(f"\\0{name}\\0", end="", flush=True)
    if (pid := os.fork()) == 0:
        try: exec(program, dict(globals()))
        except BaseException: traceback.print_exc()
        finally:
            sys.stdout.flush()
            os._exit(0)
    os.waitpid(pid, 0)
    for path in os.listdir(): os.remove(path)
"""
"""One program runs all of them, each in a process that it forks, in the order of the table."""


@pytest.fixture(scope="module")
def said_by_all() -> dict[tuple[Isolation, bool], dict[str, str]]:
    """What the `PROGRAMS` have printed under an isolation, with or without root's rights, once they have run there."""
    return {}


def said_under(isolation: Isolation, box: Path, secret: Path) -> dict[str, str]:
    secret.write_text("the solution")
    secret.parent.chmod(0o700)
    with socket.create_server(("127.0.0.1", 0)) as listener, socket.socket(socket.AF_UNIX) as local:
        abstract = f"autograd-teach-test-{os.getpid()}"
        local.bind(f"\0{abstract}")
        local.listen()
        known = {"SECRET": str(secret), "GRADER": os.getpid(), "PACKAGE": sandbox.__file__}
        known |= {"PORT": listener.getsockname()[1], "ABSTRACT": abstract}
        lines = [f"{key} = {value!r}" for key, value in known.items()]
        looks = [f"look({name!r}, {program!r})" for name, (_, program, _) in PROGRAMS.items() if holds(name, isolation)]
        words = said_by(wrapped(isolation, box, "\n".join([TOOLS, LOOK, *lines, *looks]))).split("\0")
    return dict(zip(words[1::2], words[2::2], strict=True))


def holds(name: str, isolation: Isolation) -> bool:
    """Whether it is to hold there. Nobody counts the processes of a root that has no other users."""
    if name == "processes are counted" and os.geteuid() == 0 and not sandbox._can_change_user():
        return False
    return isolation in PROGRAMS[name][0]


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_is_fenced_in(
    isolation: Isolation,
    name: str,
    box: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    said_by_all: dict[tuple[Isolation, bool], dict[str, str]],
) -> None:
    if not holds(name, isolation):
        return
    where = isolation, sandbox._can_change_user()
    if where not in said_by_all:
        monkeypatch.setenv("GRADER_SECRET", "1")
        said_by_all[where] = said_under(isolation, box, tmp_path / "secret")
    said = said_by_all[where][name]
    assert re.fullmatch(PROGRAMS[name][2], said.strip()), said


def running(uid: int | None, mark: str) -> list[psutil.Process]:
    """What runs under `uid`, or has `mark` in its command."""
    found = []
    for process in psutil.process_iter():
        try:
            if process.status() != psutil.STATUS_ZOMBIE and (
                uid in process.uids() or any(mark in word for word in process.cmdline())
            ):
                found.append(process)
        except psutil.Error:
            continue
    return found


LEAVES_A_DAEMON = """
import os, sys, time
from autograd_teach.grading import wardens
wardens.adopt_orphans()
read, write = os.pipe()
process = os.fork()
if process == 0:
    if os.fork() == 0:
        os.setsid()
        print(os.getpid(), flush=True)
        os.write(write, b"!")
        time.sleep(600)
    os.read(read, 1)
    os._exit(3)
wardens.watch(int(sys.argv[1]), process, 7)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere no process adopts the orphans of another")
def test_a_warden_ends_what_its_process_has_started_before_it_says_how_that_ended() -> None:
    """Where there are namespaces, these do it too; a warden does it without."""
    ours, its = socket.socketpair()
    command = [sys.executable, "-c", LEAVES_A_DAEMON, str(its.fileno())]
    with ours, its, subprocess.Popen(command, pass_fds=[its.fileno()], stdout=subprocess.PIPE, text=True) as warden:
        its.close()
        assert warden.stdout
        daemon = int(warden.stdout.readline())
        assert ours.recv(1) == b"\7"
        assert ours.recv(2) == bytes([False, 3])
        assert not psutil.pid_exists(daemon)


STUBBORN = """
import os, signal, sys, time
mark = {mark!r}
os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))  # so that nobody takes longer to die
for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
    signal.signal(number, signal.SIG_IGN)
for generation in range(3):
    if os.fork() == 0:
        os.setsid()
        if os.fork():
            os._exit(0)
        {child}
print("started", flush=True)
{parent}
"""


@pytest.mark.parametrize(
    "parent", ["time.sleep(600)", "os._exit(3)", "os.kill(os.getpid(), 9)", "os.kill(os.getpid(), 19)"]
)
def test_nothing_is_left_of_a_program_that_wants_to_stay(isolation: Isolation, box: Path, parent: str) -> None:
    if isolation is Isolation.PROCESS:
        return  # a process that left its group and its parents is found by notebook_run.py, which adopts orphans
    mark = f"left behind {box}"
    one = wrapped(isolation, box, STUBBORN.format(mark=mark, child="time.sleep(600)", parent=parent))
    before = mounts(box)
    process = sandbox.start(one, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    assert process.stdout and process.stdout.readline() == b"started\n"
    sandbox.end(process, one)
    assert running(one.uid, mark) == [], "and not only soon"
    assert mounts(box) == before
    assert list((box / "work").iterdir()) == []
    process.stdout.close()


GRADER = """
import sys
from pathlib import Path
from autograd_teach.grading import sandbox
one = sandbox.wrap([sys.argv[2], "-c", sys.argv[3]], work=Path(sys.argv[4]), limits=sandbox.Bounds(), environment={},
                   isolation=sandbox.Isolation(sys.argv[1]))
print(one.uid, flush=True)
sandbox.start(one).wait()
"""


@pytest.mark.parametrize(
    "isolation",
    [
        Isolation.BUBBLEWRAP,
        Isolation.USER,
        pytest.param(Isolation.PROCESS, marks=pytest.mark.full),
        pytest.param(WITHOUT_ROOT, marks=pytest.mark.full),
    ],
    indirect=True,
)
def test_the_program_ends_with_its_grader(isolation: Isolation, box: Path) -> None:
    mark = f"left behind {box}"
    program = f"import time; print('started', flush=True); time.sleep(600)  # {mark}"
    command = [sys.executable, "-c", GRADER, isolation.value, python_for(isolation), program, str(box / "work")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=Path(__file__).parents[2]) as grader:
        assert grader.stdout
        uid = grader.stdout.readline().strip()
        assert grader.stdout.readline() == b"started\n"
        grader.send_signal(signal.SIGKILL)
    patience = time.monotonic() + 120
    while (left := running(None if uid == b"None" else int(uid), mark)) and time.monotonic() < patience:
        time.sleep(0.02)  # nobody tells: who would is dead
    assert left == []


def test_an_end_before_it_has_begun(isolation: Isolation, box: Path) -> None:
    mark = f"left behind {box}"
    for pause in (0, 0.002, 0.01, 0.03):
        one = wrapped(isolation, box, f"import time; time.sleep(600)  # {mark}")
        process = sandbox.start(one)
        time.sleep(pause)
        sandbox.end(process, one)
        assert running(one.uid, mark) == []


def test_what_is_readable_and_what_is_hidden(box: Path, require_tool: Callable[..., str]) -> None:
    require_tool("bwrap")
    shown = box / "shown"
    (shown / "solutions").mkdir(parents=True)
    for path in (shown / "open", shown / "solutions" / "closed", shown / "class.zip"):
        path.write_text("content")
    look = f"""
import os
root = {str(shown)!r}
print(open(f"{{root}}/open").read(), os.path.exists(f"{{root}}/solutions/closed"), end=" ")
try: print(len(open(f"{{root}}/class.zip").read()))
except OSError: print(0)
try: open(f"{{root}}/open", "a")
except OSError: print("read-only")
"""
    hidden = [shown / "solutions", shown / "class.zip", box / "not there"]
    said = said_by(wrapped(Isolation.BUBBLEWRAP, box, look, readable=[shown], hidden=hidden))
    assert said.split() == ["content", "False", "0", "read-only"]


@pytest.mark.parametrize(
    "isolation",
    [
        Isolation.BUBBLEWRAP,
        *(pytest.param(one, marks=pytest.mark.full) for one in (Isolation.USER, Isolation.PROCESS, WITHOUT_ROOT)),
    ],
    indirect=True,
)
def test_processor_time_ends_the_program(isolation: Isolation, box: Path) -> None:
    one = wrapped(isolation, box, "while True: pass", replace(SMALL, cpu=1))
    process = sandbox.start(one)
    try:
        assert process.wait(120) != 0
    finally:
        sandbox.end(process, one)


def test_what_anyone_can_read_is_told(tmp_path: Path) -> None:
    open_, closed = Path("/usr"), tmp_path / "closed"
    closed.mkdir(mode=0o700)
    (closed / "within").touch(mode=0o644)
    assert sandbox.readable_by_anyone([open_, closed, closed / "within", tmp_path / "not there"]) == [open_]


@pytest.fixture
def probe_again() -> Iterator[None]:
    sandbox._probed.cache_clear()
    yield
    sandbox._probed.cache_clear()


@pytest.mark.usefixtures("probe_again")
@pytest.mark.parametrize(
    ("bwrap", "is_root", "said"),
    [
        (None, False, "bubblewrap: bwrap is not installed; user: the grader is not root"),
        ("exit 1", False, "bubblewrap: failed; user: the grader is not root"),
        ("echo 'No permissions to create new namespace' >&2; exit 1", False, "bubblewrap: No permissions to create"),
        ("echo works", False, ""),
    ],
)
def test_the_probe_is_honest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, bwrap: str | None, is_root: bool, said: str
) -> None:
    """A bwrap that is there but does not work (most containers) is none."""
    if bwrap is not None:
        (tmp_path / "bwrap").write_text(f"#!/bin/sh\n{bwrap}\n")
        (tmp_path / "bwrap").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(sandbox, "_can_change_user", lambda: is_root)
    if sys.platform == "linux":
        assert sandbox.available() is (Isolation.PROCESS if said else Isolation.BUBBLEWRAP)
        assert said in sandbox.why()


def test_with_bubblewrap_installed_it_is_what_is_used(require_tool: Callable[..., str]) -> None:
    require_tool("bwrap")
    assert sandbox.available() is Isolation.BUBBLEWRAP, sandbox.why()


def test_the_system_call_filter_lets_the_rest_through(box: Path, require_tool: Callable[..., str]) -> None:
    require_tool("bwrap")
    program = textwrap.dedent("""
        import os, select, tempfile, mmap, threading, time, zlib, hashlib, secrets, sqlite3, ssl, uuid
        secrets.token_bytes(8); uuid.uuid4(); sqlite3.connect("x.db").execute("create table t (a)")
        mmap.mmap(-1, 4096); select.epoll(); os.eventfd(0); os.sched_getaffinity(0); tempfile.TemporaryFile().write(b"x")
        print("all work")
    """)
    assert said_by(wrapped(Isolation.BUBBLEWRAP, box, program)) == "all work\n"
