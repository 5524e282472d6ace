"""Hostile programs and answers that go for the sandbox itself, each with a twin that does much the same honestly.

Used by test_hostile_boxes.py only. VICTIM is a process of the grader's user, PRIVATE a file of its: both are there to be
harmed. What a hostile program says tells whether it got through; what it did is looked for from outside, too.
"""

from dataclasses import dataclass

from autograd_teach.grading.sandbox import Isolation

OF_ITS_OWN = frozenset(kind for kind in Isolation if kind.is_private)
SHARED = frozenset({Isolation.USER, Isolation.PROCESS})
ALL = frozenset(Isolation)
REFUSED = r"(PermissionError|FileNotFoundError|ProcessLookupError|OSError) \d+"


@dataclass(frozen=True)
class Row:
    """hostile, twin: programs; said, right: patterns of what they print."""

    hostile: str
    said: str
    twin: str
    right: str
    where: frozenset[Isolation] = ALL


MISSING = "-1 38"  # ENOSYS: a call that the filter does not have


def calls(*numbers: str) -> str:
    """A program that makes these system calls, without arguments that could do anything."""
    return f"for n in ({', '.join(f'number({each})' for each in numbers)},): print(call(n, 0, 0, 0, 0, 0), ctypes.get_errno())"


PROGRAMS: dict[str, Row] = {
    # ---- what belongs to somebody else of the same user -----------------------------------------------------------
    "holds a lease on a file of Python's": Row(
        "import fcntl, pydoc\n"
        "tried(lambda: fcntl.fcntl(os.open(pydoc.__file__, os.O_RDONLY), fcntl.F_SETLEASE, fcntl.F_WRLCK))",
        "PermissionError 1",
        "import fcntl\nf = open('f', 'w'); fcntl.lockf(f, fcntl.LOCK_EX); fcntl.flock(f, fcntl.LOCK_EX)\n"
        "print(fcntl.fcntl(f, fcntl.F_GETFD))",
        "1",
    ),
    "is told of changes in a folder of Python's": Row(
        "import fcntl\ntried(lambda: fcntl.fcntl(os.open(os.path.dirname(os.__file__), os.O_RDONLY), fcntl.F_NOTIFY, 2))",
        "PermissionError 1",
        "import fcntl\nprint(fcntl.fcntl(0, fcntl.F_GETFL) >= 0)",
        "True",
    ),
    "sets the limits of another process": Row(
        "tried(lambda: resource.prlimit(VICTIM, resource.RLIMIT_NOFILE, (7, 7)))",
        REFUSED,
        "resource.prlimit(0, resource.RLIMIT_CORE, (0, 0)); print(resource.getrlimit(resource.RLIMIT_CORE))",
        r"\(0, 0\)",
    ),
    "makes another process nice": Row(
        "tried(lambda: os.setpriority(os.PRIO_PROCESS, VICTIM, 19))",
        f"done None|{REFUSED}",
        "os.nice(1); print(os.getpriority(os.PRIO_PROCESS, 0) >= 0)",
        "True",
    ),
    "lets another process run only when nobody does": Row(
        "tried(lambda: os.sched_setscheduler(VICTIM, os.SCHED_IDLE, os.sched_param(0)))",
        f"done None|{REFUSED}",
        "os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0)); print(os.sched_getscheduler(0))",
        "0",
    ),
    "binds another process to one processor": Row(
        "tried(lambda: os.sched_setaffinity(VICTIM, [0]))",
        f"done None|{REFUSED}",
        "os.sched_setaffinity(0, os.sched_getaffinity(0)); print(len(os.sched_getaffinity(0)) > 0)",
        "True",
    ),
    "waits to be idle itself": Row(
        "os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0)); print(os.sched_getscheduler(0))",
        "0",
        "os.sched_yield(); print(os.sched_get_priority_max(os.SCHED_OTHER))",
        "0",
    ),
    "closes a file of the grader's to all": Row(
        "tried(lambda: os.chmod(PRIVATE, 0))",
        f"done None|{REFUSED}",
        "import shutil\nopen('a', 'w').close(); os.chmod('a', 0o700); shutil.copy('a', 'b'); print(os.path.exists('b'))",
        "True",
    ),
    "closes a file of Python's that it has open": Row(
        "import pydoc\ntried(lambda: os.fchmod(os.open(pydoc.__file__, os.O_RDONLY), os.stat(pydoc.__file__).st_mode))",
        f"done None|{REFUSED}",
        "f = open('c', 'w'); os.fchmod(f.fileno(), 0o600); print('kept')",
        "kept",
    ),
    "dates another hand-in back": Row(
        "tried(lambda: os.utime(PRIVATE, (1, 1)))",
        f"done None|{REFUSED}",
        "import shutil\nopen('d', 'w').close(); shutil.copy2('d', 'e'); print(os.path.exists('e'))",
        "True",
    ),
    "gives a file of the grader's away": Row(
        "tried(lambda: os.chown(PRIVATE, 12345, 12345))",
        f"done None|{REFUSED}",
        "open('g', 'w').close(); print(os.stat('g').st_uid == os.getuid())",
        "True",
    ),
    "renames or links what is not its own": Row(
        "for way in (os.rename, os.link, os.replace): tried(lambda: way(PRIVATE, 'mine'))",
        rf"({REFUSED}\s*){{3}}",
        "open('h', 'w').close(); os.rename('h', 'i'); os.symlink('i', 'l'); print(os.path.exists('l'))",
        "True",
    ),
    "cuts a file of the grader's": Row(
        "tried(lambda: os.truncate(PRIVATE, 0))",
        REFUSED,
        "open('j', 'w').write('abc'); open('j', 'r+').truncate(1); print(open('j').read())",
        "a",
    ),
    "goes through a folder opened as a path": Row(
        "def go():\n    os.fchdir(os.open(os.path.dirname(PRIVATE), os.O_PATH)); return open(os.path.basename(PRIVATE)).read()\n"
        "tried(go)",
        REFUSED,
        "os.mkdir('deep'); open('deep/k', 'w').write('x'); here = os.open('.', os.O_RDONLY)\n"
        "os.fchdir(os.open('deep', os.O_PATH)); print(open('k').read()); os.fchdir(here)\n"
        "import shutil; shutil.rmtree('deep')",
        "x",
    ),
    "sees the first process's files through its root and its folder": Row(
        "for way in ('root', 'cwd', 'fd/3'):\n"
        "    for pid in (1, os.getppid(), VICTIM):\n"
        "        try: assert not os.path.exists(f'/proc/{pid}/{way}{PRIVATE}') or open(f'/proc/{pid}/{way}{PRIVATE}').read() == ''\n"
        "        except OSError: pass\n"
        "print('nothing')",
        "nothing",
        "print(os.readlink('/proc/self/cwd') == os.getcwd())",
        "True",
    ),
    "reads devices": Row(
        "seen = []\n"
        "for name in ('kmsg', 'mem', 'vda', 'sda', 'nvme0n1', 'kvm', 'fuse', 'net/tun', 'mapper/control', 'vsock'):\n"
        "    try: os.close(os.open(f'/dev/{name}', os.O_RDONLY | os.O_NONBLOCK)); seen.append(name)\n"
        "    except OSError: pass\n"
        "print(seen)",
        r"\[\]",
        "print(len(open('/dev/urandom', 'rb').read(3)), open('/dev/null').read(), len(open('/dev/zero', 'rb').read(2)))",
        "3  2",
    ),
    "looks into memory that all share": Row(
        "tried(lambda: os.listdir('/dev/shm'))",
        "PermissionError 13",
        "import mmap\nm = mmap.mmap(-1, 4096); m[0] = 7; print(m[0])",
        "7",
        SHARED,
    ),
    "changes the system's settings": Row(
        "for name in ('kernel/core_pattern', 'kernel/hostname', 'vm/drop_caches', 'net/core/somaxconn', 'fs/pipe-max-size'):\n"
        "    tried(lambda: os.open(f'/proc/sys/{name}', os.O_WRONLY))",
        rf"({REFUSED}\s*){{5}}",
        "print(int(open('/proc/sys/kernel/pid_max').read()) > 0)",
        "True",
    ),
    "asks for the system's keys": Row(
        "for name in ('sysrq-trigger', 'kcore', 'kmsg', '1/mem', '1/oom_score_adj', 'self/uid_map'):\n"
        "    tried(lambda: os.open(f'/proc/{name}', os.O_RDWR))",
        rf"({REFUSED}\s*|done \d+\s*){{6}}",
        "print('MemTotal' in open('/proc/meminfo').read())",
        "True",
        OF_ITS_OWN,
    ),
    "is spared when there is no memory": Row(
        "def spare():\n    with open('/proc/self/oom_score_adj', 'w') as f: f.write('-1000')\ntried(spare)",
        REFUSED,
        "tried(lambda: open('/proc/self/oom_score_adj').read().strip().lstrip('-').isdigit())",
        "done True|PermissionError 13",
    ),
    "writes to control groups": Row(
        "tried(lambda: os.listdir('/sys/fs/cgroup'))",
        REFUSED,
        "tried(lambda: 'cgroup' in open('/proc/self/mountinfo').read())",
        "done (True|False)|PermissionError 13",
    ),
    # ---- what the kernel offers -----------------------------------------------------------------------------------
    "keeps something in a keyring": Row(
        calls("248, 217", "249, 218", "250, 219"),
        rf"({MISSING}\s*){{3}}",
        "import hmac\nprint('kept elsewhere')",
        "kept.*",
    ),
    "maps memory that another fills": Row(
        calls("323, 282", "447, 447", "425, 425"),
        rf"({MISSING}\s*){{3}}",
        "import mmap\nprint(len(mmap.mmap(-1, 8192)))",
        "8192",
    ),
    "takes another's files and memory": Row(
        calls("438, 438", "310, 270", "311, 271", "440, 440", "312, 272"),
        rf"({MISSING}\s*){{5}}",
        "reads, writes = os.pipe(); os.write(writes, b'x'); print(os.read(reads, 1))",
        "b'x'",
    ),
    "opens files by their handles": Row(
        calls("303, 264", "304, 265", "428, 428", "442, 442", "430, 430"),
        rf"({MISSING}\s*){{5}}",
        "print(os.stat('/usr').st_ino > 0)",
        "True",
    ),
    "watches, traces and programs the kernel": Row(
        calls("321, 280", "298, 241", "300, 262", "253, 26", "254, 27", "163, 89", "103, 116"),
        rf"({MISSING}\s*|-1 \d+\s*){{7}}",
        "import select\nprint(select.poll().poll(0))",
        r"\[\]",
    ),
    "calls by the numbers of x32": Row(
        "print([call(0x40000000 + n) for n in (39, 57, 512, 520)])",
        r"\[-1, -1, -1, -1\]",
        "print(call(number(39, 172)) == os.getpid())",
        "True",
    ),
    "types into a terminal": Row(
        "import fcntl\ntried(lambda: fcntl.ioctl(0, 0x5412, b'x'))\ntried(lambda: fcntl.ioctl(0, 0x541C, b'x'))",
        r"(PermissionError 1\s*){2}",
        "print(os.isatty(0))",
        "False",
    ),
    "filters its own calls, and lets a helper decide": Row(
        "libc = ctypes.CDLL(None, use_errno=True)\nprint(call(number(317, 277), 1, 8, 0), libc.prctl(22, 2, 0, 0, 0), libc.prctl(38, 0, 0, 0, 0))",
        "-1 -1 -1",
        "print(ctypes.CDLL(None).prctl(39, 0, 0, 0, 0))",
        "1",
    ),
    "changes where its own memory lies": Row(
        "libc = ctypes.CDLL(None, use_errno=True)\nprint([libc.prctl(35, n, 4096, 0, 0) for n in (1, 8, 13)])",
        r"\[-1, -1, -1\]",
        "libc = ctypes.CDLL(None); libc.prctl(15, b'mine', 0, 0, 0); name = ctypes.create_string_buffer(16); libc.prctl(16, name, 0, 0, 0); print(name.value)",
        "b'mine'",
    ),
    "hides open files on their way": Row(
        "def send():\n"
        "    a, b = socket.socketpair()\n"
        "    for n in range(2000):\n"
        "        r, w = os.pipe(); os.set_blocking(w, False); os.write(w, bytes(60_000))\n"
        "        socket.send_fds(a, [b'x'], [r, w]); os.close(r); os.close(w)\n"
        "tried(send)",
        r"OSError (109|24)|(BlockingIOError|TimeoutError) .*",
        "a, b = socket.socketpair(); r, w = os.pipe(); socket.send_fds(a, [b'x'], [w])\n"
        "os.write(socket.recv_fds(b, 1, 1)[1][0], b'y'); print(os.read(r, 1))",
        "b'y'",
    ),
    "makes pipes larger and larger": Row(
        "import fcntl\npipes = []\ndef grow():\n"
        "    while True:\n        pipes.append(os.pipe()); fcntl.fcntl(pipes[-1][1], 1031, 1 << 24)\ntried(grow)",
        r"(PermissionError|OSError) \d+",
        "import fcntl\nr, w = os.pipe(); print(fcntl.fcntl(w, 1031, 1 << 17) >= 1 << 17)",
        "True",
    ),
    "ends the first process of its box by a signal that it has a handler for": Row(
        "for n in (signal.SIGINT, signal.SIGCHLD, signal.SIGWINCH):\n    tried(lambda: os.kill(1, n))\nprint('alive')",
        r"(done None\s*|PermissionError \d+\s*){3}alive",
        "pid = os.fork()\nif pid == 0: signal.pause()\nos.kill(pid, signal.SIGTERM); print(os.waitpid(pid, 0)[1])",
        "15",
        OF_ITS_OWN,
    ),
    "puts a child beside itself": Row(
        "pid = call(number(56, 220), 0x8000 | 17, 0, 0, 0, 0)\nif pid == 0: os._exit(0)\nprint(pid > 0 or pid == -1)",
        "True",
        "pid = os.fork()\nif pid == 0: os._exit(0)\nprint(os.waitpid(pid, 0)[1])",
        "0",
    ),
    "meets another box at an abstract address or a port": Row(
        "tried(lambda: socket.socket(socket.AF_UNIX).connect('\\0' + MEETING))\n"
        "tried(lambda: socket.create_connection(('127.0.0.1', PORT), 1))",
        rf"(ConnectionRefusedError 111|{REFUSED})\s+(ConnectionRefusedError 111|{REFUSED})",
        "l = socket.socket(socket.AF_UNIX); l.bind('\\0' + MEETING + 'own'); l.listen()\n"
        "c = socket.socket(socket.AF_UNIX); c.connect('\\0' + MEETING + 'own'); print('met')",
        "met",
    ),
}

# ---- programs that go beyond the bounds of their box --------------------------------------------------------------------

NEVER_BEGINS = """
import os
if not os.path.exists("p"): os.mkfifo("p")
def spawn(): os.posix_spawn("/bin/true", ["true"], {}, file_actions=[(os.POSIX_SPAWN_OPEN, 0, "p", os.O_RDONLY, 0)])
"""
"""`spawn` waits for a program that waits for a writer, in the state in which others wait for a disk."""

HIDDEN_CHILDREN = """
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
while True:
    if os.fork() == 0:
        end = time.monotonic() + 0.03
        while time.monotonic() < end: pass
        os._exit(0)
    try: os.waitpid(-1, 0)
    except ChildProcessError: pass
"""

FIRST_THREAD_GONE = """
import threading
def hold():
    time.sleep(0.3)
    x = bytearray(300_000_000)
    for n in range(0, len(x), 4096): x[n] = 1
    time.sleep(60)
for n in range(2): os.fork()
threading.Thread(target=hold).start()
ctypes.CDLL(None).syscall(number(60, 93), 0)
"""

DEEP = """
for n in range(3000):
    os.mkdir("d")
    os.chdir("d")
time.sleep(60)
"""

NAMED = "ctypes.CDLL(None).prctl(15, b') R 1 (\\n) Z', 0, 0, 0)\n"

BEYOND: dict[str, tuple[str, str, str, frozenset[Isolation]]] = {
    "sleeps while it starts what never begins": (
        NEVER_BEGINS + "spawn()", "time",
        NEVER_BEGINS + "subprocess.Popen(['sh', '-c', ': > p']); spawn(); print('right')", ALL),
    "computes in children that nobody counts": (
        HIDDEN_CHILDREN, "time",
        "for n in range(5):\n    if os.fork() == 0: os._exit(0)\n    os.wait()\nprint('right')", ALL),
    "has memory and no first thread": (
        FIRST_THREAD_GONE, "memory|signal",
        "import threading\nt = threading.Thread(target=lambda: bytearray(50_000_000)); t.start(); t.join(); print('right')", ALL),
    "makes folders too deep to count": (
        DEEP, "time|disk", "os.makedirs('/'.join('abc')); print('right')", ALL),
    "has a name like a line of /proc": (
        NAMED + "time.sleep(1000)", "time", NAMED + "print('right')", ALL),
    "sleeps in a child that has lost its parent": (
        "if os.fork():\n    os._exit(0) if os.getpid() == 1 else time.sleep(1000)\nos.setsid(); time.sleep(1000)",
        "time|exit|signal|closed", "pid = os.fork()\nif pid == 0: os.setsid(); os._exit(0)\nos.wait(); print('right')", ALL),
    "wakes up all the time": (
        "signal.signal(signal.SIGALRM, lambda *_: None); signal.setitimer(signal.ITIMER_REAL, 0.001, 0.001)\nwhile True: signal.pause()",
        "time",
        "signal.signal(signal.SIGALRM, lambda *_: print('right')); signal.setitimer(signal.ITIMER_REAL, 0.01); signal.pause()", ALL),
    "spends its time in the kernel": (
        "f = open('/dev/zero', 'rb')\nwhile True: f.read(1 << 20)", "time", "open('/dev/zero', 'rb').read(1 << 20); print('right')", ALL),
    "writes half a reply and waits": (
        "os.write(3, b'half'); time.sleep(1000)", "time", "print('ri', end=''); print('ght')", ALL),
}  # fmt: skip
"""name: (program, why its box ended, a twin that says that it is right, where)."""

# ---- answers to 09.Scale, in the oracle's process -----------------------------------------------------------------------

ALONE = """
import json, struct, sys
frame = sys._getframe()
while "nonce" not in frame.f_locals: frame = frame.f_back
def whole(count):
    data = b""
    while len(data) < count: data += os.read(3, count - len(data))
    return data
def asked(): return dict(json.loads(whole(struct.unpack("<I", whole(4))[0]))["dict"])
os.write(3, frame.f_locals["nonce"] + bytes(161))
nonce = whole(16)
question = asked()
text = json.dumps({"dict": [["structure", None], ["replies", []]]}).encode()
os.write(3, nonce + (struct.pack("<I", len(text)) + text).ljust(question["capacity"], b"\\0"))
"""

FORGED: dict[str, tuple[str, str]] = {
    "answers by itself, before it is loaded": (
        ALONE,
        "r, w = os.pipe(); os.write(w, b'x'); assert os.read(r, 1) == b'x'",
    ),
    "lets its child answer": ("if os.fork(): os.wait(); os._exit(0)", "if os.fork(): os.wait(); os._exit(0)"),
    "leaves half a reply": ("os.write(3, bytes(10)); os._exit(0)", "os.write(2, bytes(10))"),
    "lets a child write into later replies": (
        "if os.fork() == 0:\n    for n in range(9): time.sleep(0.02); os.write(3, bytes(999))\n    os._exit(0)",
        "if os.fork() == 0: os._exit(0)\nos.wait()",
    ),
    "changes how arrays become bytes": (
        "np.ascontiguousarray = lambda x: np.ones_like(x)\nnp.asarray = np.ascontiguousarray",
        "kept = np.ascontiguousarray\nnp.ascontiguousarray = lambda x, *more, **named: kept(x, *more, **named)",
    ),
    "hears of all that is done": (
        "def hook(name, given):\n    if name in ('compile', 'exec', 'import', 'object.__getattr__'): raise SystemExit\nsys.addaudithook(hook)",
        "heard = []\nsys.addaudithook(lambda name, given: heard.append(name) if len(heard) < 9 else None)",
    ),
    "traces who asks it": (
        (
            "def trace(frame, event, value):\n    if frame.f_code.co_name == 'dump' and event == 'call': frame.f_locals['value'] = True\n    return trace\n"
            "sys.settrace(trace); sys.setprofile(lambda *_: None)"
        ),
        "sys.settrace(lambda frame, event, value: None); sys.settrace(None)",
    ),
    "has the course imported from elsewhere": (
        (
            "class Finder:\n    def find_spec(self, name, path, target=None): raise ImportError(name)\n"
            "for name in [n for n in sys.modules if n.startswith('autograd_teach.course')]: del sys.modules[name]\n"
            "sys.meta_path.insert(0, Finder())"
        ),
        "class Finder:\n    def find_spec(self, name, path, target=None): return None\nsys.meta_path.insert(0, Finder())",
    ),
    "puts another checker in the course's place": (
        (
            "import types\nfake = types.ModuleType('fake')\nclass Checker:\n    asked = dict\n    structure = staticmethod(lambda *a: None)\n"
            "    asking = staticmethod(lambda *a: types.SimpleNamespace(reply=lambda r: types.SimpleNamespace(crash=None)))\n"
            "fake.checker_of = lambda e: Checker\nsys.modules['autograd_teach.course.checks'] = fake"
        ),
        "import types\nsys.modules['mine'] = types.ModuleType('mine'); import mine",
    ),
    "raises a name that moves the cursor": (
        "raise type('\\u202e\\x1b[2J' + 'x' * 100000, (Exception,), {})('\\x07\\u2028' * 100000)",
        "try: raise type('\\u202e', (Exception,), {})\nexcept Exception: pass",
    ),
    "ends when a clock says so": (
        "import faulthandler; faulthandler.dump_traceback_later(0.01, exit=True); time.sleep(30)",
        "import faulthandler; faulthandler.enable(); faulthandler.dump_traceback_later(60, exit=True); faulthandler.cancel_dump_traceback_later()",
    ),
    "interrupts who asks it": (
        "def end(*_): raise SystemExit\nsignal.signal(signal.SIGALRM, end); signal.setitimer(signal.ITIMER_REAL, 0.001, 0.001)",
        "signal.signal(signal.SIGALRM, lambda *_: None); signal.setitimer(signal.ITIMER_REAL, 0.01, 0.01)",
    ),
    "finds the table of answers": (
        "for each in gc.get_objects():\n    if type(each) is dict and set(each) == {'load', 'use'}: each['use'] = lambda n, a: bytes(a['capacity'])",
        "assert len(gc.get_objects()) > 9; gc.collect()",
    ),
    "replaces what it is read and sent with": (
        (
            "import select, socket\nsocket.socket.sendall = lambda self, data: os.write(3, b'\\1' * len(data))\n"
            "os.fork = lambda: 0; select.select = lambda *a: ([], [], []); os.pidfd_open = lambda pid: 3"
        ),
        "import select, socket\nkept = select.select; select.select = lambda *a: kept(*a)",
    ),
    "hangs on at the end": (
        "class Last:\n    def __del__(self):\n        while True: os._exit(0)\nlast = Last(); del last",
        "class Last:\n    def __del__(self): print('last')\nlast = Last(); del last\nimport atexit; atexit.register(print)",
    ),
}
"""name: (what wrong code does after it is defined, what right code does)."""

# ---- cells in a notebook's kernel ---------------------------------------------------------------------------------------

NOT_IDLE = """
import threading, time
kernel = get_ipython().kernel
parent, publish = kernel.get_parent(), kernel._publish_status
def status(state, *given, **named):
    if state != "idle": publish(state, *given, **named)
kernel._publish_status = status
def talk():
    while True:
        kernel.session.send(kernel.iopub_socket, "stream", {"name": "stdout", "text": "x"}, parent=parent)
        time.sleep(0.2)
threading.Thread(target=talk, daemon=True).start()
"""

KERNELS: dict[str, tuple[str, str, str]] = {
    "shows names without end": (
        "for n in range(30): display({'text/plain': 'x', 'k' * 1_000_000 + str(n): 1}, raw=True)", "output_limit",
        "display({'text/plain': 'x', 'own/kind': 1}, raw=True)"),
    "shows facts about nothing": (
        "for n in range(30): display({'text/plain': 'x'}, raw=True, metadata={'k' * 1_000_000: n})", "output_limit",
        "display({'text/plain': 'x'}, raw=True, metadata={'width': 3})"),
    "sends bytes beside its words": (
        ("kernel = get_ipython().kernel\n"
        "for n in range(30): kernel.session.send(kernel.iopub_socket, 'comm_msg', {}, buffers=[b'x' * 1_000_000])"), "output_limit",
        "kernel = get_ipython().kernel\nkernel.session.send(kernel.iopub_socket, 'comm_msg', {'data': {}}, buffers=[b'x'])"),
    "talks on after its end": (
        NOT_IDLE, "timeout",
        "import threading, time\nthreading.Thread(target=lambda: (time.sleep(0.05), print('late'))).start()"),
    "starts what never begins": (
        NEVER_BEGINS + "spawn()", "timeout",
        NEVER_BEGINS + "import subprocess; subprocess.Popen(['sh', '-c', ': > p']); spawn()"),
    "replies to what nobody has asked": (
        ("kernel = get_ipython().kernel\nident = kernel.get_parent()\n"
        "for n in range(2000): kernel.session.send(kernel.iopub_socket, 'execute_reply', {'status': 'ok'}, parent={'msg_id': str(n)})\n1/0"),
        "",
        "get_ipython().set_next_input('print(1)'); get_ipython().payload_manager.write_payload({'source': 'page', 'data': {}})"),
    "closes what it speaks through": (
        "kernel = get_ipython().kernel; kernel.iopub_socket.close(); kernel.session.send = lambda *a, **k: None", "timeout|died",
        "get_ipython().kernel.log.setLevel(10); get_ipython().run_line_magic('load_ext', 'storemagic')"),
    "asks for another kernel": (
        "get_ipython().kernel.do_shutdown(True); import os; os._exit(0)", "died",
        "get_ipython().run_line_magic('history', ''); get_ipython().run_line_magic('who', '')"),
}  # fmt: skip
"""name: (code before a right answer, how its run is stopped ("" if it fails), code that is harmless)."""
