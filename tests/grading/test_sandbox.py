"""Programs in a box: what they see, what they may use, what is left of them. Notebooks in it: test_attacks.py."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import textwrap
import threading
import time
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from types import ModuleType, SimpleNamespace

import psutil
import pytest

from autograd_teach.course.errors import UserError
from autograd_teach.grading import sandbox
from autograd_teach.grading.sandbox import (
    Bounds,
    Boxes,
    Ended,
    Isolation,
    NotMade,
    TooSlow,
    box,
    cgroups,
    confine,
    enclose,
    isolation,
    probe,
    supervisor,
    usage,
)
from tests.grading.conftest import PRIVATE
from tests.grading.hostile import mounts

SMALL = Bounds(memory=1_000_000_000, cpu=20, file=1_000_000, disk=4_000_000, files=100, open_files=64, processes=16)
JOB = "tests.grading.program"
HERE = Path(__file__).parents[2]
NEVER = threading.Event()

TOOLS = """
import ctypes, os, resource, signal, socket, subprocess, sys, time
call = ctypes.CDLL(None, use_errno=True).syscall
def number(intel, arm): return intel if os.uname().machine == "x86_64" else arm
def tried(attempt):
    try:
        print("done", attempt())
    except Exception as problem:
        print(type(problem).__name__, getattr(problem, "errno", ""))
"""


@dataclass(frozen=True)
class Way:
    """A way to make boxes."""

    kind: Isolation
    is_root: bool = True  # whether the grader gives user ids away, as root does
    nests: bool = True  # whether a box gets namespaces within its forkserver's
    has_group: bool = True


WAYS = {kind.value: Way(kind) for kind in Isolation}
for _kind in PRIVATE:
    WAYS |= {
        f"{_kind} without root": Way(_kind, is_root=False),
        f"{_kind} for each": Way(_kind, nests=False),
        f"{_kind} for each, without root": Way(_kind, is_root=False, nests=False),
        f"{_kind} without control groups": Way(_kind, has_group=False),
    }
WAYS["process without control groups"] = Way(Isolation.PROCESS, has_group=False)
OF_ITS_OWN = {*PRIVATE}
FENCED = {*PRIVATE, Isolation.USER}
ALL = {*Isolation}
HAS_OLD_LANDLOCK = confine.landlock_version() < confine.FULL_LANDLOCK

# name: (where it holds, program, what it prints as a regular expression)
PROGRAMS: dict[str, tuple[set[Isolation], str, str]] = {
    "runs in an empty folder of its own": (ALL, "print(os.listdir(), open('mine', 'w').write('x'))", r"\[\] 1"),
    "has no variable of the grader's": (
        ALL,
        "print('GRADER_SECRET' in os.environ, os.listdir(os.environ['HOME']), os.environ['USER'])",
        r"False \[\] student",
    ),
    "has no capability and gets none": (
        ALL,
        (
            "found = (ctypes.c_uint32 * 6)()  # effective, permitted, inheritable: the lower halves, then the upper\n"
            "print(call(number(125, 90), (ctypes.c_uint32 * 2)(0x20080522, 0), found), *found)\n"
            "print('no new ones:', call(number(157, 167), 39, 0, 0, 0, 0))"
        ),
        r"0 0 0 0 0 0 0\s+no new ones: 1",
    ),
    "has no file open but its pipe": (
        ALL,
        "print(sorted(n for n in range(64) if not call(number(72, 25), n, 1, 0) == -1))",
        r"\[0, 1, 2, 3\]",
    ),
    "cannot read a secret": (ALL, "tried(lambda: open(SECRET).read())", "(PermissionError|FileNotFoundError) .*"),
    "can tell the size of a secret, as the guide says": (
        {Isolation.PROCESS},
        "tried(lambda: os.stat(SECRET).st_size)",
        "done 12",
    ),
    "cannot list its folder": (
        ALL,
        "tried(lambda: os.listdir(os.path.dirname(SECRET)))",
        "(PermissionError|FileNotFoundError) .*",
    ),
    "cannot read the secret through another process": (
        ALL,
        (
            "def look():\n"
            "    for pid in filter(str.isdigit, os.listdir('/proc')):\n"
            "        try:\n"
            "            return open(f'/proc/{pid}/root' + SECRET).read()\n"
            "        except OSError: pass\n"
            "    raise LookupError\n"
            "tried(look)"
        ),
        "LookupError|PermissionError 13",
    ),
    "sees no command line of the grader": (
        ALL,
        "[tried(lambda: open(f'/proc/{GRADER}/{name}').read()) for name in ('cmdline', 'status', 'stat', 'comm', 'net/unix')]",
        r"((PermissionError|FileNotFoundError) \d+\s*){5}",
    ),
    "cannot kill the grader": (
        FENCED,
        "tried(lambda: os.kill(GRADER, 0))",
        "(PermissionError|ProcessLookupError) .*",
    ),
    "sees only its own processes": (
        OF_ITS_OWN,
        "print(len([n for n in os.listdir('/proc') if n.isdigit()]) < 8)",
        "True",
    ),
    "cannot write to the system": (ALL, "tried(lambda: open('/usr/x', 'w'))", "(PermissionError|OSError) .*"),
    "cannot write to the package": (ALL, "tried(lambda: open(PACKAGE, 'a'))", "(PermissionError|OSError) .*"),
    "cannot write to the root or to devices": (
        ALL,
        "[tried(lambda: open(f'{at}/x', 'w')) for at in ('', '/dev', '/proc', '/etc')]",
        r"((PermissionError|OSError|FileNotFoundError) \d+\s*){4}",
    ),
    "cannot write to folders that all share": (
        {Isolation.USER, Isolation.PROCESS},
        "[tried(lambda: open(f'{at}/{MARK}', 'w')) for at in ('/tmp', '/var/tmp', '/dev/shm')]",
        r"(PermissionError 13\s*){3}",
    ),
    "reaches no listener of this machine": (
        ALL,
        "tried(lambda: socket.create_connection(('127.0.0.1', PORT), 1))",
        r"(ConnectionRefusedError|OSError) \d+",
    ),
    "reaches no listener whose socket has no file": (
        OF_ITS_OWN if HAS_OLD_LANDLOCK else ALL,
        "tried(lambda: socket.socket(socket.AF_UNIX).connect('\\0' + ABSTRACT))",
        r"(ConnectionRefusedError|PermissionError) \d+",
    ),
    "opens no socket of an odd kind": (
        ALL,
        "[tried(lambda: socket.socket(family, kind)) for family, kind in ((40, 1), (17, 3), (38, 5), (16, 3), (2, 3))]",
        r"((PermissionError|OSError) \d+\s*){3,4}(done .*\s+)?(PermissionError|OSError) \d+",
    ),
    "has no interface but its own loopback": (OF_ITS_OWN, "print([n for _, n in socket.if_nameindex()])", r"\['lo'\]"),
    "has no passwords, no hosts": (
        ALL,
        "tried(lambda: open('/etc/passwd').read())",
        r"(Permission|FileNotFound)Error \d+",
    ),
    "its address space ends": (ALL, "tried(lambda: bytearray(2_000_000_000))", "MemoryError"),
    "so does memory that is not its address space": (
        ALL,
        "print([call(n, b'x', 4096, 0o1600) for n in (number(319, 279), number(29, 194))])",
        r"\[-1, -1\]",
    ),
    "leaves no queue and no semaphore": (
        ALL,
        (
            "print([call(n, 77, *more) for n, more in ((number(68, 186), (0o1600,)), (number(64, 190), (1, 0o1600)),"
            " (number(240, 180), (0, 0)))])"
        ),
        r"\[-1, -1, -1\]",
    ),
    "a file does not grow on": (ALL, "tried(lambda: open('f', 'wb').write(bytes(2_000_000)))", "OSError 27"),
    "all files together do not either": (
        OF_ITS_OWN,
        (
            "def fill(where):\n    for n in range(20): open(f'{where}/{n}', 'wb').write(bytes(900_000))\n"
            "tried(lambda: fill('.'))\ntried(lambda: fill('/dev/shm'))\n"
            "for name in os.listdir('/dev/shm'): os.remove(f'/dev/shm/{name}')"
        ),
        r"OSError (28|122)\s+OSError (28|122)",
    ),
    "reads nothing past the memory that keeps files": (
        ALL,
        (
            "import fcntl\n"
            "tried(lambda: os.open(sys.executable, os.O_RDONLY | os.O_DIRECT))\n"
            "tried(lambda: fcntl.fcntl(os.open(sys.executable, os.O_RDONLY), fcntl.F_SETFL, os.O_DIRECT))"
        ),
        r"OSError 22\s+OSError 22",
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
        "ValueError|PermissionError.*",
    ),
    "no namespaces of its own": (
        ALL,
        "print(call(number(272, 97), 0x10000000), call(number(56, 220), 0x10000000 | 17, 0, 0, 0, 0))",
        "-1 -1",
    ),
    "threads, subprocesses and locks work": (
        OF_ITS_OWN,
        (
            "import threading, multiprocessing\n"
            "thread = threading.Thread(target=print, args=('thread',)); thread.start(); thread.join()\n"
            "print(subprocess.run(['echo', 'program'], capture_output=True, text=True).stdout)\n"
            "with multiprocessing.get_context('fork').Pool(2) as pool: print(pool.map(abs, [-1]))"
        ),
        r"(thread)?\s+program\s+\[1\]",
    ),
    "threads and subprocesses work": (
        ALL,
        (
            "import threading\nthread = threading.Thread(target=lambda: None); thread.start(); thread.join()\n"
            "print(subprocess.run(['echo', 'program'], capture_output=True, text=True).stdout)"
        ),
        "program",
    ),
}


Require = Callable[[Isolation], Isolation]


@pytest.fixture(params=[name if name in [*Isolation] else pytest.param(name, marks=pytest.mark.full) for name in WAYS])
def way(request: pytest.FixtureRequest, require_isolation: Require, monkeypatch: pytest.MonkeyPatch) -> Way:
    """Each way to make boxes that this machine has."""
    return prepared(WAYS[request.param], require_isolation, monkeypatch)


def prepared(way: Way, require: Require, monkeypatch: pytest.MonkeyPatch) -> Way:
    if sys.platform != "linux":
        pytest.skip("needs Linux")
    require(way.kind)
    if not way.is_root:
        monkeypatch.setattr(isolation, "gives_user_ids", lambda kind: False)
    if not way.has_group:
        monkeypatch.setattr(cgroups, "parents", dict)
    with_tests = [*isolation.python_paths(), HERE / "tests"]
    monkeypatch.setattr(isolation, "python_paths", lambda: with_tests)
    return way


@contextmanager
def boxes_of(way: Way) -> Iterator[Boxes]:
    with Boxes(JOB, way.kind) as boxes:
        boxes._nests = way.nests and way.kind.is_private
        yield boxes


@pytest.fixture(scope="module")
def open_boxes() -> Iterator[dict[Way, Boxes]]:
    """What makes boxes, started once for each way."""
    started: dict[Way, Boxes] = {}
    yield started
    for boxes in started.values():
        boxes.close()


@pytest.fixture
def boxes(way: Way, open_boxes: dict[Way, Boxes]) -> Boxes:
    if way not in open_boxes:
        with boxes_of(way) as open_boxes[way]:
            pass  # it starts again at its first use
    return open_boxes[way]


def exchanged(
    one: sandbox.Box, programs: Mapping[str, str], *, forks: bool = False, allowed: float = 60.0, **names: object
) -> dict[str, str]:
    """What each of `programs` printed."""
    job = {"programs": {name: TOOLS + program for name, program in programs.items()}, "names": names, "forks": forks}
    said = one.exchange(json.dumps(job).encode() + b"\n", 1 << 20, allowed, NEVER, whole=False)
    words = said.decode().split("\0")
    return dict(zip(words[1::2], words[2::2], strict=True))


def said_by(boxes: Boxes, program: str, bounds: Bounds = SMALL, **options: object) -> str:
    with boxes.open(bounds) as one:
        return exchanged(one, {"": program}, **options)[""].strip()  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def said_by_all() -> dict[Way, dict[str, str]]:
    """What the `PROGRAMS` have printed, once they have run in a way."""
    return {}


def runs_in(way: Way, name: str) -> bool:
    """Whether a program's words hold in boxes made this way.

    Without a /tmp of its own a box is looked at once a second, and ended if it has filled more than it may: what would run
    after the program that fills it would be lost. See the test of disks.
    """
    return way.kind in PROGRAMS[name][0] and (way.nests or not name.startswith("all files"))


def said_in(way: Way, boxes: Boxes, secret: Path) -> dict[str, str]:
    secret.write_text("the solution")
    here = {name: program for name, (_, program, _) in PROGRAMS.items() if runs_in(way, name)}
    with (
        socket.create_server(("127.0.0.1", 0)) as listener,
        socket.socket(socket.AF_UNIX) as local,
        boxes.open(SMALL) as one,
    ):
        abstract = f"autograd-teach-test-{uuid.uuid4()}"
        local.bind(f"\0{abstract}")
        local.listen()
        known = {
            "MARK": f"mark-{uuid.uuid4()}",
            "SECRET": str(secret),
            "GRADER": os.getpid(),
            "PACKAGE": sandbox.__file__,
            "ABSTRACT": abstract,
        }
        return exchanged(one, here, forks=True, PORT=listener.getsockname()[1], **known)


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_is_fenced_in(
    way: Way,
    boxes: Boxes,
    name: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    said_by_all: dict[Way, dict[str, str]],
) -> None:
    if not runs_in(way, name):
        return
    if way not in said_by_all:
        monkeypatch.setenv("GRADER_SECRET", "1")
        said_by_all[way] = said_in(way, boxes, tmp_path / "secret")
    said = said_by_all[way][name]
    assert re.fullmatch(PROGRAMS[name][2], said.strip()), said


# ---- bounds of the whole box -------------------------------------------------------------------------------------------

BEYOND = {
    "computes on": ("while True: pass", {"allowed": 0.5}, "time", False),
    "computes on in many processes": (
        "for n in range(3): os.fork()\nwhile True: pass", {"allowed": 1.0}, "time", False),
    "sleeps on": ("time.sleep(1000)", {"allowed": 0.5}, "time", False),
    "waits for what never comes": ("import threading; threading.Event().wait()", {"allowed": 0.5}, "time", False),
    "uses its CPU time": ("while True: pass", {"bounds": replace(SMALL, cpu=1)}, "signal", False),
    "five processes take the memory of one": (
        "for n in range(2): os.fork()\nx = bytearray(250_000_000)\nfor n in range(0, len(x), 4096): x[n] = 1\ntime.sleep(60)",
        {"bounds": replace(SMALL, memory=600_000_000)}, None, True),
    "ends itself": ("os._exit(7)", {}, "exit", False),
    "crashes": ("ctypes.string_at(0)", {}, "signal", False),
    "stops one of its processes": (
        "if os.fork(): time.sleep(1000)\nos.kill(os.getpid(), signal.SIGSTOP)", {}, "stopped", False),
    "closes its pipe and goes on": ("os.close(3); time.sleep(1000)", {}, "closed", False),
}  # fmt: skip
"""name: (program, options, why its box ended, whether for lack of memory); None: by whoever notices first."""


IN_ONE_WAY = pytest.mark.parametrize(
    "way",
    ["namespaces", *(pytest.param(name, marks=pytest.mark.full) for name in WAYS if name != "namespaces")],
    indirect=True,
)
"""The other ways to make boxes with the long tests: these use up their bounds, which takes seconds."""


@IN_ONE_WAY
@pytest.mark.parametrize("name", BEYOND)
def test_a_box_that_goes_beyond_its_bounds_ends_and_says_why(
    boxes: Boxes, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if name == "closes its pipe and goes on":
        monkeypatch.setattr(box, "LAST_WORDS", 0.2)
    program, options, cause, out_of_memory = BEYOND[name]
    bounds = options.get("bounds", SMALL)
    with boxes.open(bounds) as one:  # type: ignore[arg-type]
        with suppress(Ended):
            exchanged(one, {"": program}, allowed=options.get("allowed", 60.0))  # type: ignore[arg-type]
        how = one.end()
    assert how.out_of_memory == out_of_memory
    assert cause in (how.cause, None), how


FILLS = """
def fill(where):
    for n in range(20): open(f"{where}/{n}", "wb").write(bytes(900_000))
tried(lambda: fill("."))
time.sleep(60)
"""


@pytest.mark.parametrize("name", ["user", "process"])
def test_all_files_together_are_bounded_on_a_disk_too(
    name: str, require_isolation: Require, monkeypatch: pytest.MonkeyPatch
) -> None:
    way = prepared(WAYS[name], require_isolation, monkeypatch)
    with boxes_of(way) as boxes, boxes.open(SMALL) as one, pytest.raises(Ended) as how:
        exchanged(one, {"": FILLS})
        raise one.end()
    assert how.value.cause == "disk"


# ---- what is left ------------------------------------------------------------------------------------------------------

STUBBORN = """
os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))  # so that nobody takes longer to die
for where in ("/tmp", "/var/tmp", "/dev/shm", "."):
    try: open(f"{where}/" + MARK, "w").close()
    except OSError: pass
for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
    signal.signal(number, signal.SIG_IGN)
for generation in range(3):
    if os.fork() == 0:
        os.setsid()
        if os.fork():
            os._exit(0)
        while True: time.sleep(600)
print("started", flush=True)
"""


def asked(about: Callable[[], object]) -> object:
    """What psutil tells of a process; None if it has ended meanwhile."""
    with suppress(psutil.Error):
        return about()
    return None


def left(mark: str, boxes: Boxes) -> list[str]:
    """Processes, files, mounts and control groups of `boxes` that are still there."""
    found = [f"{folder}/{mark}" for folder in ("/tmp", "/var/tmp", "/dev/shm") if Path(folder, mark).exists()]
    found += [str(path) for path in Path("/tmp").glob(f"autograd-teach-{os.getpid()}-*/work")]
    for folder in cgroups.parents().values():
        found += [str(path) for path in Path(folder).glob(f"autograd-teach-{os.getpid()}-*")]
    if boxes.process:
        below = psutil.Process(boxes.process.pid).children(recursive=True)
        facts = {each.pid: (each, asked(each.name), asked(each.ppid)) for each in below}
        wrappers = {boxes.process.pid, *(pid for pid, (_, name, _) in facts.items() if name == "bwrap")}
        servers = wrappers | {
            pid for pid, (_, _, parent) in facts.items() if boxes.kind.is_private and parent in wrappers
        }
        # A supervisor, which the forkserver is the parent of, tells of the end as the last thing that it does.
        known = {pid: fact for pid, fact in facts.items() if fact[1] and fact[2] is not None}  # others have just ended
        found += [str(each) for pid, (each, _, parent) in known.items() if not {pid, parent} & servers]
        _, alive = psutil.wait_procs([each for pid, (each, _, _) in facts.items() if pid not in servers], timeout=10)
        found += [str(each) for each in alive]
    return found


@pytest.mark.parametrize(
    "end", ["time.sleep(600)", "os._exit(3)", "os.kill(os.getpid(), 9)", "os.kill(os.getpid(), 19)"]
)
def test_nothing_is_left_of_a_program_that_wants_to_stay(boxes: Boxes, tmp_path: Path, end: str) -> None:
    mark, before = f"left-{uuid.uuid4()}", mounts(tmp_path)
    with boxes.open(SMALL) as one, suppress(Ended):
        exchanged(one, {"": STUBBORN + end}, allowed=0.3, MARK=mark)
    assert left(mark, boxes) == [], "and not only soon"
    assert mounts(tmp_path) == before


GRADER = """
import sys, threading
sys.path.insert(0, sys.argv[1])
from pathlib import Path
from types import ModuleType, SimpleNamespace
import pytest
from tests.grading import test_sandbox
with pytest.MonkeyPatch.context() as patch:
    way = test_sandbox.prepared(test_sandbox.WAYS[sys.argv[2]], lambda kind: kind, patch)
    with test_sandbox.boxes_of(way) as boxes, boxes.open(test_sandbox.SMALL) as one:
        print("open", flush=True)
        test_sandbox.exchanged(one, {"": test_sandbox.STUBBORN + "time.sleep(600)"}, MARK=sys.argv[3])
"""


def test_a_box_ends_with_its_grader(way: Way, tmp_path: Path) -> None:
    name = next(name for name, each in WAYS.items() if each == way)
    mark = f"left-{uuid.uuid4()}"
    command = [sys.executable, "-c", GRADER, str(HERE), name, mark]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as grader:
        assert grader.stdout and grader.stdout.readline() == b"open\n"
        own = psutil.Process(grader.pid)
        deadline = time.monotonic() + 120
        while len(below := own.children(recursive=True)) < 5 and time.monotonic() < deadline:
            time.sleep(0.01)
        grader.send_signal(signal.SIGKILL)
    _, alive = psutil.wait_procs(below, timeout=120)  # nobody tells: who would is dead
    assert alive == []
    groups = [
        path for folder in cgroups.parents().values() for path in Path(folder).glob(f"autograd-teach-{grader.pid}-*")
    ]
    assert [*groups, *Path("/tmp").glob(f"autograd-teach-{grader.pid}-*/work")] == []


def test_an_end_before_it_has_begun(boxes: Boxes) -> None:
    for pause in (0, 0.002, 0.01):
        with boxes.open(SMALL):
            time.sleep(pause)
    assert left("nothing", boxes) == []


@pytest.mark.parametrize("name", [*PRIVATE, "process"])
def test_what_makes_boxes_is_started_anew_when_somebody_ended_it(
    name: str, require_isolation: Require, monkeypatch: pytest.MonkeyPatch
) -> None:
    way = prepared(WAYS[name], require_isolation, monkeypatch)
    with boxes_of(way) as boxes:
        for _ in range(2):
            with boxes.open(SMALL) as one:
                assert exchanged(one, {"": "print('here')"})[""].strip() == "here"
            assert boxes.process
            boxes.process.kill()
            boxes.process.wait()


# ---- what is hidden, and what is missing -------------------------------------------------------------------------------


LOOK = """
print(open(f"{ROOT}/open").read(), os.path.exists(f"{ROOT}/solutions/closed") and open(f"{ROOT}/inner/open").read())
for path in ("class.zip", "solutions/closed", "inner/closed.py"):
    try: print(len(open(f"{ROOT}/{path}").read()))
    except OSError: print(0)
sys.path.insert(0, f"{ROOT}/inner")
try: import closed
except (ImportError, PermissionError): print("no module")
tried(lambda: open(f"{ROOT}/open", "a"))
tried(lambda: os.listdir(f"{ROOT}/solutions"))
"""


@pytest.mark.parametrize("kind", Isolation)
def test_what_is_hidden_is_not_there(
    kind: Isolation, tmp_path: Path, require_isolation: Require, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also among files that a box may read, and below a link that leads there."""
    way = prepared(WAYS[kind], require_isolation, monkeypatch)
    shown = tmp_path / "shown"
    for folder in ("solutions", "inner/__pycache__"):
        (shown / folder).mkdir(parents=True)
    for path in ("open", "solutions/closed", "class.zip", "inner/open"):
        (shown / path).write_text("content")
    (shown / "inner/closed.py").write_text("answer = 1")
    for number in range(1500):  # more beside it than fits into one message
        (shown / f"inner/{'long-name' * 10}{number}").touch()
    (shown / "link").symlink_to("solutions")
    for folder in (tmp_path, *tmp_path.parents[:-2]):
        if folder.stat().st_uid == os.getuid():  # pytest's own, which the box's user must be able to enter
            folder.chmod(folder.stat().st_mode | 0o011)
    visible = [*isolation.python_paths(), shown]
    monkeypatch.setattr(isolation, "python_paths", lambda: visible)
    hidden = [shown / "link", shown / "class.zip", shown / "inner/closed.py", tmp_path / "not there"]
    with Boxes(JOB, way.kind, hidden) as boxes, boxes.open(SMALL) as one:
        said = exchanged(one, {"": LOOK}, ROOT=str(shown))[""].split("\n")
    assert said[0].startswith("content ") and said[1:5] == ["0", "0", "0", "no module"]
    assert said[5].startswith(("OSError 30", "PermissionError"))
    assert said[6].startswith(("done []", "PermissionError"))


@pytest.mark.parametrize("kind", Isolation)
def test_of_a_closed_folder_that_python_lies_in_only_python_is_seen(
    kind: Isolation, tmp_path: Path, require_isolation: Require, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Such as a folder of grades in which somebody has run `python3 -m venv .`."""
    way = prepared(WAYS[kind], require_isolation, monkeypatch)
    with tempfile.TemporaryDirectory() as name:
        (class_ := Path(name)).chmod(0o755)
        (class_ / "lib").mkdir()
        for path in ("lib/module.py", "gradebook.sqlite"):
            (class_ / path).write_text("content")
        visible = [*isolation.python_paths(), class_]
        monkeypatch.setattr(isolation, "python_paths", lambda: visible)
        look = "for path in ('lib/module.py', 'gradebook.sqlite'): tried(lambda: open(f'{ROOT}/{path}').read())"
        with Boxes(JOB, way.kind, [class_]) as boxes, boxes.open(SMALL) as one:
            said = exchanged(one, {"": look}, ROOT=name)[""].split("\n")
    assert said[0] == "done content"
    assert said[1].startswith(("FileNotFoundError", "PermissionError"))


def test_sources_among_the_system_s_folders_are_closed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A class, or this repository, may lie there, as in Python's own containers."""
    for name in ("system/src/app", "system/lib"):
        (tmp_path / name).mkdir(parents=True)
    system, sources = str(tmp_path / "system"), str(tmp_path / "system/src")
    monkeypatch.setattr(isolation, "_SYSTEM", (system,))
    monkeypatch.setattr(isolation, "_SOURCES", (sources,))
    readable, listed = isolation.readable_in_a_box([])
    assert f"{system}/lib" in readable and not {system, sources} & {*readable, *listed}
    mounts = isolation.view([])
    shown = [
        mounts.index(enclose.Mount(*each)) for each in (("bind", system, system), ("tmpfs", sources), ("seal", sources))
    ]
    assert shown == sorted(shown)


FACTS = "print(os.readlink('/proc/self/ns/user'), os.stat('/dev/pts').st_dev, os.stat('/tmp').st_dev)"


@pytest.mark.parametrize("name", [f"{kind}{which}" for kind in PRIVATE for which in ("", " without root")])
def test_two_boxes_share_no_terminals_and_no_count_of_processes(
    name: str, require_isolation: Require, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The kernel counts the processes of a user in each user namespace; with users of their own they need none."""
    way = prepared(WAYS[name], require_isolation, monkeypatch)
    with boxes_of(way) as boxes, boxes.open(SMALL) as one, boxes.open(SMALL) as another:
        of_one, of_another = (exchanged(each, {"": FACTS})[""].split() for each in (one, another))
    shared = [a == b for a, b in zip(of_one, of_another, strict=True)]
    is_one = os.geteuid() == 0 and (way.is_root or way.kind is Isolation.BUBBLEWRAP)  # the count does not bind root
    assert shared == [is_one, False, False]


HOLDS = """
for n in range(6):
    if os.fork() == 0:
        held = [os.dup(0) for _ in range(FILES)]
        time.sleep(600)
time.sleep(END)
os._exit(0)
"""


@pytest.mark.parametrize(("files", "end", "cause"), [(40, 1, "exit"), (200, 600, "memory")])
def test_where_nobody_counts_what_is_in_sockets_few_are_open(
    files: int, end: int, cause: str, require_isolation: Require, monkeypatch: pytest.MonkeyPatch
) -> None:
    way = prepared(WAYS["process without control groups"], require_isolation, monkeypatch)
    bounds = replace(SMALL, open_files=256, memory=600 * supervisor.LARGEST_SOCKET)
    with boxes_of(way) as boxes, boxes.open(bounds) as one:
        with suppress(Ended):
            exchanged(one, {"": HOLDS}, FILES=files, END=end)
        assert one.end().cause == cause


@pytest.mark.parametrize(
    ("word", "where", "name", "value"),
    [
        ("no cgroup", cgroups, "parents", None),
        ("no landlock", confine, "landlock_version", 0),
        ("old landlock", confine, "landlock_version", 5),
        ("no filter", confine.syscalls, "filter_program", None),
    ],
)
def test_what_is_missing_is_a_word_of_the_isolation(
    word: str,
    where: ModuleType,
    name: str,
    value: int | None,
    require_isolation: Require,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if (value or 0) > confine.landlock_version():
        pytest.skip("an older Landlock than this is old")
    way = prepared(WAYS["process"], require_isolation, monkeypatch)
    monkeypatch.setattr(where, name, lambda *_: value or {})
    lacking = f"import {where.__name__} as it; it.{name} = lambda *given: {value}"
    monkeypatch.setattr(box, "_PROGRAM", box._PROGRAM.replace("forkserver.main()", f"\n{lacking}\nforkserver.main()"))
    here = {"no cgroup": not cgroups.parents(), "old landlock": HAS_OLD_LANDLOCK and "landlock" not in word}
    missing = [
        each for each in ("no cgroup", "no landlock", "old landlock", "no filter") if here.get(each) or each == word
    ]
    with boxes_of(way) as boxes, boxes.open(SMALL) as one:
        assert one.isolation == f"process ({', '.join(missing)})"


@pytest.mark.parametrize("nests", [True, False])
@pytest.mark.parametrize("times", [0, 2, 3])
def test_a_box_is_tried_again_where_somebody_ended_what_makes_it(
    nests: bool, times: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[object] = []
    closed: list[object] = []

    class Fleeting:
        def __init__(self, *_: object) -> None:
            started.append(self)

        def fork(self, bounds: Bounds, *, nested: bool) -> box.Box:
            assert nested is nests
            if len(started) <= times:
                raise ConnectionResetError("gone")
            return SimpleNamespace(close=lambda: None)  # type: ignore[return-value]

        def close(self) -> None:
            closed.append(self)

    monkeypatch.setattr(box, "_Forkserver", Fleeting)
    with Boxes(JOB, Isolation.NAMESPACES) as boxes:
        boxes._nests = nests
        if times < 3:
            with boxes.open(SMALL):
                assert len(started) == times + 1
        else:
            with pytest.raises(ConnectionResetError), boxes.open(SMALL):
                pass
            assert len(started) == times
    assert {*started} == {*closed}


@pytest.mark.parametrize("kind", [pytest.param(Isolation.BUBBLEWRAP, marks=pytest.mark.full), Isolation.NAMESPACES])
def test_a_mount_that_fails_is_no_box(
    kind: Isolation, require_isolation: Require, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is run without what was promised: in namespaces there is a sandbox for each, else a reason."""
    way = prepared(WAYS[kind], require_isolation, monkeypatch)
    fails = "from autograd_teach.grading.sandbox import confine\ndef no(*_): raise OSError(1, 'no mount')\nconfine.private_folders = no"
    monkeypatch.setattr(box, "_PROGRAM", box._PROGRAM.replace("forkserver.main()", f"\n{fails}\nforkserver.main()"))
    with boxes_of(way) as boxes:
        with boxes.open(SMALL) as one:
            assert exchanged(one, {"": "print(os.listdir('/tmp') != [])"})[""].strip() == "True"
        assert not boxes._nests
    fails = fails.replace("private_folders", "become")
    monkeypatch.setattr(box, "_PROGRAM", box._PROGRAM.replace("private_folders", "drop_capabilities"))
    with boxes_of(WAYS["process"]) as boxes, pytest.raises(NotMade, match="no mount"), boxes.open(SMALL):
        pass


def test_the_folder_that_keeps_other_users_from_python_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    if sys.platform != "linux" or os.geteuid():
        pytest.skip("only root gives user ids away")
    with tempfile.TemporaryDirectory() as closed:  # of mode 700
        monkeypatch.setattr(isolation, "python_paths", lambda: [Path(closed, "python")])
        fails = "from autograd_teach.grading.sandbox import confine\ndef no(*_): raise OSError(1, 'closed')\nconfine.become = no"
        monkeypatch.setattr(box, "_PROGRAM", box._PROGRAM.replace("forkserver.main()", f"\n{fails}\nforkserver.main()"))
        assert (
            sandbox.problem_with(Isolation.USER)
            == f"other users cannot enter {closed}, where Python is: install it elsewhere"
        )
        Path(closed).chmod(0o711)
        monkeypatch.setattr(sys, "executable", "/usr/bin/env")
        assert isolation.closed_to_others() is None


def test_what_anyone_can_read_is_told(tmp_path: Path) -> None:
    open_, closed = Path("/usr"), tmp_path / "closed"
    closed.mkdir(mode=0o700)
    (closed / "within").touch(mode=0o644)
    assert sandbox.readable_by_anyone([open_, closed, closed / "within", tmp_path / "not there"]) == [open_]


def test_a_socket_in_a_file_is_reached_without_namespaces(
    tmp_path: Path, require_isolation: Require, monkeypatch: pytest.MonkeyPatch
) -> None:
    """docs/grading.md warns of it: no filter and no Landlock of today tells such sockets apart."""
    way = prepared(WAYS["process"], require_isolation, monkeypatch)
    path = f"/tmp/autograd-teach-{uuid.uuid4()}"  # short, as it must be
    program = f"tried(lambda: socket.socket(socket.AF_UNIX).connect({path!r}))"
    with socket.socket(socket.AF_UNIX) as local, boxes_of(way) as boxes:
        local.bind(path)
        local.listen()
        try:
            assert said_by(boxes, program) == "done None"
        finally:
            os.remove(path)


@pytest.fixture
def probe_again() -> Iterator[None]:
    probe._probed.cache_clear()
    yield
    probe._probed.cache_clear()


@pytest.mark.usefixtures("probe_again")
@pytest.mark.parametrize(
    ("bwrap", "said"),
    [
        (None, "bubblewrap: it is not installed; namespaces: no mounts here; user: the grader is not root"),
        ("exit 1", "bubblewrap: The process that runs answers does not start:; namespaces"),
        ("echo 'No permissions to create new namespace' >&2; exit 1", "No permissions to create new namespace"),
        ('while [ "$1" != -- ]; do shift; done; shift; exec "$@"', ""),
    ],
)
def test_the_probe_is_honest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, bwrap: str | None, said: str) -> None:
    """A bwrap that is there but does not work (most containers) is none."""
    if sys.platform != "linux":
        pytest.skip("needs Linux")
    if bwrap is not None:
        (tmp_path / "bwrap").write_text(f"#!/bin/sh\n{bwrap}\n")
        (tmp_path / "bwrap").chmod(0o755)
    refuses = "from autograd_teach.grading.sandbox import enclose\ndef no(*_): raise SystemExit('no mounts here')\nenclose.enter = no"
    monkeypatch.setattr(box, "_PROGRAM", box._PROGRAM.replace("forkserver.main()", f"\n{refuses}\nforkserver.main()"))
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(isolation, "gives_user_ids", lambda kind: False)
    assert sandbox.available() is (Isolation.PROCESS if said else Isolation.BUBBLEWRAP), sandbox.why()
    assert said in sandbox.why()


def test_without_linux_no_isolation_works(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    assert {sandbox.problem_with(kind) for kind in Isolation} == {"needs Linux"}


def test_with_bubblewrap_installed_it_is_what_is_used(require_isolation: Require) -> None:
    require_isolation(Isolation.BUBBLEWRAP)
    assert sandbox.available() is Isolation.BUBBLEWRAP, sandbox.why()


# ---- time that counts --------------------------------------------------------------------------------------------------


class Clock:
    """A clock and a usage that a test sets."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now, self.used = 100.0, usage.Usage(cpu=5.0)
        monkeypatch.setattr(usage.time, "monotonic", lambda: self.now)
        self.meter = usage.Meter(lambda: self.used)

    def passes(self, seconds: float, computed: float, *, running: bool) -> None:
        self.now += seconds
        self.used = usage.Usage(self.used.cpu + computed, is_running=running)
        self.meter.look()


@pytest.mark.parametrize(
    ("steps", "is_over"),
    [
        ([(1.0, 1.0, True)] * 9, False),
        ([(1.0, 1.0, True)] * 10, True),
        ([(8.0, 1.0, True)] * 9, False),  # a busy machine: it waits for a processor most of the time
        ([(8.0, 0.0, True)] * 100, False),
        ([(1.0, 0.0, False)] * 9, False),  # asleep
        ([(1.0, 0.0, False)] * 10, True),
        ([(1.0, 2.0, True)] * 5, True),  # two processors
        ([(1.0, -3.0, True), (1.0, 1.0, True)] * 4, False),  # an ended process is counted no more
    ],
)
def test_computing_and_sleeping_count_but_not_waiting_for_a_processor(
    monkeypatch: pytest.MonkeyPatch, steps: list[tuple[float, float, bool]], is_over: bool
) -> None:
    clock = Clock(monkeypatch)
    clock.meter.allow(10.0)
    for seconds, computed, running in steps:
        clock.passes(seconds, computed, running=running)
    assert clock.meter.is_over == is_over
    clock.meter.allow(None)
    clock.passes(1000.0, 1000.0, running=True)
    assert not clock.meter.is_over


@pytest.mark.parametrize(
    ("states", "is_running"), [("R", True), ("SR", True), ("D", False), ("SD", False), ("Z", False)]
)
def test_who_waits_for_a_disk_does_not_run(monkeypatch: pytest.MonkeyPatch, states: str, is_running: bool) -> None:
    """By the states of its threads. Somebody else's disk is no reason to let a box wait for nothing."""
    stats = [[state, *"0" * 16, str(len(states)), *"0" * 30] for state in states]
    monkeypatch.setattr(usage, "_threads", lambda pid: range(len(stats)))
    monkeypatch.setattr(
        usage, "_stat", lambda thread: ["procs_blocked", "1"] if thread == "/proc/stat" else stats[thread]
    )
    assert usage._runs(1, stats[0]) is is_running


COMPUTES = """
began = time.process_time()
while time.process_time() < began + 0.4: pass
print("done")
"""


def test_a_busy_machine_takes_no_time_from_a_box(boxes: Boxes) -> None:
    """It gets a tenth of a processor, and needs less than it is allowed all the same."""
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(10 * (os.cpu_count() or 1))]
    try:
        assert said_by(boxes, COMPUTES, allowed=1.5) == "done"
    finally:
        for each in busy:
            each.kill()
            each.wait()


def test_the_clock_ends_what_hangs_in_another_way(require_isolation: Require, monkeypatch: pytest.MonkeyPatch) -> None:
    way = prepared(WAYS["process"], require_isolation, monkeypatch)
    monkeypatch.setattr(box, "WAIT", 0.5)
    monkeypatch.setattr(box, "WAIT_FOR_EACH", 0.0)
    with boxes_of(way) as boxes, boxes.open(SMALL) as one, pytest.raises(TooSlow):
        exchanged(one, {"": "time.sleep(30)"})


def test_what_does_not_start_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    says = pytest.raises(UserError, match="No module named 'autograd_teach.no_such_job'")
    with Boxes("autograd_teach.no_such_job", Isolation.PROCESS) as boxes, says, boxes.open(SMALL):
        pass


def test_the_system_call_filter_lets_the_rest_through(boxes: Boxes) -> None:
    program = textwrap.dedent("""
        import select, tempfile, mmap, threading, zlib, hashlib, secrets, sqlite3, ssl, uuid
        secrets.token_bytes(8); uuid.uuid4(); sqlite3.connect("x.db").execute("create table t (a)")
        mmap.mmap(-1, 4096); select.epoll(); os.eventfd(0); os.sched_getaffinity(0); tempfile.TemporaryFile().write(b"x")
        print("all work")
    """)
    assert said_by(boxes, program) == "all work"
