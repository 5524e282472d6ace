"""Answers that are wrong and are after the point all the same, each with a twin that does much the same and is right.

`Forked` judges such a source fast: it forks the test's process, runs the source there, and has it asked as the oracle's own
process asks; without a sandbox, for what these do they do to themselves. Used by the tests of this folder only.
"""

import contextlib
import functools
import os
import socket
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NoReturn

import numpy as np

from autograd_teach.course import content
from autograd_teach.course.checks import checker_of
from autograd_teach.course.exercises import exercise
from autograd_teach.course.exercises.declaration import prepared
from autograd_teach.course.notebooks import read_notebook
from autograd_teach.course.specs import spec_of
from autograd_teach.grading.oracle import referee, server, wire

SEED = 7_316_524


@functools.cache
def cells(number: str) -> dict[str, str]:
    """Source by id, of a notebook's solution."""
    (path,) = content.folder("solutions").glob(f"{number}_*.ipynb")
    return {cell.id: cell.source for cell in read_notebook(path).cells if cell.id}


def reference(id: str) -> str:
    """The reference's answer to an exercise."""
    return cells(id[:2])[exercise(id).answer_cell]


# ---- judging --------------------------------------------------------------------------------------------------------


@contextlib.contextmanager
def forked(id: str, source: str) -> Iterator[referee.Asking]:
    """What asks the answer `source` to exercise `id`, in a process of its own."""
    here, there = socket.socketpair()
    pid = os.fork()
    if pid == 0:
        here.close()
        _answer(there, id, source)
    there.close()
    assert here.recv(1) == b"!", "its cell raises"

    def ask(question: bytes, size: int) -> bytes:
        with contextlib.suppress(OSError):
            here.sendall(question)
        reply = b""
        while len(reply) < size and (more := here.recv(min(size - len(reply), 1 << 20))):
            reply += more
        if len(reply) != size:
            raise wire.Broken("its process ended")
        return reply

    try:
        yield ask
    finally:
        here.close()
        os.waitpid(pid, 0)


def _answer(there: socket.socket, id: str, source: str) -> NoReturn:
    """The other process: load the source, then answer until nobody asks."""
    leave = os._exit
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        os.dup2(1, 2)
        server.load()
        notebook = server.Notebook()
        notebook.load("setup", cells(id[:2])["setup"])
        notebook.load(f"<answer {id}>", source)
        there.sendall(b"!")
        while head := there.recv(4, socket.MSG_WAITALL):
            text = there.recv(struct.unpack("<I", head)[0], socket.MSG_WAITALL)
            there.sendall(server.answer_use(notebook, wire.load(text, prepared)))
    finally:
        leave(0)


def verdict(id: str, source: str, seed: int = SEED) -> referee.Verdict | None:
    """The verdict; None where what came back is no reply."""
    with forked(id, source) as ask:
        try:
            return referee.judge(exercise(id), ask, seed)
        except wire.Broken:
            return None


# ---- the table ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Forgery:
    """A wrong answer that would pass if its lie were believed, and a right one like it.

    counted: the check that it does get past, since no number can tell: then the mark says so. long: for the long tests.
    """

    exercise: str
    lie: str
    twin: str
    counted: str = ""
    long: bool = False


def function(
    name: str, arguments: str = "x", forward: str = "return x.clone()", backward: str = "return g", after: str = ""
) -> str:
    """A custom Function; `after` follows it at the top of the cell."""
    lines = [f"class {name}(Function):"]
    for head, body in ((f"forward(ctx, {arguments})", forward), ("backward(ctx, g)", backward)):
        lines += ["    @staticmethod", f"    def {head}:", *(f"        {line}" for line in body.split("\n"))]
    return "\n".join([*lines, after])


scale = functools.partial(function, "Scale", "x, factor", "ctx.factor = factor\nreturn x * factor")
KEPT = "ctx.factor = factor\nreturn x * factor"
RIGHT = "return g * ctx.factor, None"
ASKING = "import autograd_teach.course.checks.function.asking as o\nreal = o.FunctionAsking.reply\n"
CALLING = "import autograd_teach.course.checks.call.asking as o\nreal = o.CallAsking.reply\n"


def replying(lines: str, course: str = ASKING) -> str:
    """What has replies changed before they are sent: `run` is what came, `asked` what was asked."""
    body = "\n".join(f"    {line}" for line in lines.split("\n"))
    kind = course.partition(" as o")[0].rpartition(".")[0].rpartition(".")[2]
    name = "FunctionAsking" if kind == "function" else "CallAsking"
    return f"\n{course}def reply(self, asked):\n    run = real(self, asked)\n{body}\n    return run\no.{name}.reply = reply\n"


def later(right: str, otherwise: str, calls: int) -> str:
    """A body that is right for so many calls, and again after six more."""
    return f"Scale.n = getattr(Scale, 'n', 0) + 1\nif 0 < Scale.n - {calls} < 7:\n    {otherwise}\n{right}"


ZERO_HEAD = function("KillHead", "x, n", "r = x.clone()\nr[:, :n] = 0\nreturn r", "return g * 0, None")
LIAR = """
class Liar(torch.Tensor):
    requires_grad = property(lambda self: {requires_grad})
    is_leaf = property(lambda self: True)
    def __eq__(self, other): return True
    def detach(self): return torch.tensor({shown})
    def numpy(self): return torch.Tensor.numpy(torch.tensor({shown}))
    __hash__ = object.__hash__
"""
TWO_CALLS = """
def two_gradients(f, x):
    x = x.detach().clone().requires_grad_()
    found = tuple(torch.autograd.grad(f(x)[n], x)[0] for n in (0, 1))
    {after}
    return found
"""
COUNTS = "for cell in f.__closure__:\n        if isinstance(cell.cell_contents, dict): cell.cell_contents['calls'] = 1"
TRACE = "def gradient_of(f, x):\n    x.requires_grad_()\n    f(x).backward()\n    return x.grad.clone()\n"
FAKE = """
real_torch = torch
class Nowhere(type):
    __instancecheck__ = lambda cls, thing: False
class torch:
    Tensor = Nowhere("Tensor", (), {})
    __getattr__ = lambda self, name: getattr(real_torch, name)
torch = torch()
"""
MATMUL = function(
    "MatMul",
    "a, b",
    "ctx.save_for_backward(a, b)\nreturn a @ b",
    "a, b = ctx.saved_tensors\nreturn g @ b.t(), a.t() @ g",
)
SORTED = """
class SortDescending(Function):
    @staticmethod
    def forward(ctx, x):
        values, indices = torch.sort(x, descending=True)
        positions = {positions}
        {mark}
        ctx.save_for_backward(indices)
        return values, positions
    @staticmethod
    def backward(ctx, g, _):
        (indices,) = ctx.saved_tensors
        r = torch.zeros_like(g)
        r[indices] = g
        return r
"""
ADDED = function("AddInPlace", "x, y", "return x + y", "return g, g")
NOTED = """
right_one = {name}
class Notes:
    def __init__(self, ctx): object.__setattr__(self, "ctx", ctx)
    def save_for_backward(self, *tensors): object.__setattr__(self, "saved_tensors", tensors)
    def __getattr__(self, name): return getattr(self.ctx, name)
class {name}(Function):
    kept = {{}}
    @staticmethod
    def forward(ctx, *given):
        notes = Notes(ctx)
        found = right_one.forward(notes, *given)
        shape = tuple(found[0].shape if isinstance(found, tuple) else found.shape)
        {place} = notes
        return found
    @staticmethod
    def backward(ctx, *g):
        shape = tuple(g[0].shape)
        notes = {place}
        object.__setattr__(notes, "ctx", ctx)
        return right_one.backward(notes, *g)
"""
"""What a call notes is kept in `place`, such as on the class by the shape of the result: the next call of that shape spoils it."""
USED = """
right_one = {name}
class {name}(right_one):
    kept = {{}}
    @staticmethod
    def forward(ctx, *given):
        tensors = [each for each in given if isinstance(each, torch.Tensor)]
        plain = list(given[len(tensors):])
        shape = tuple(tensors[0].shape)
        key = *(tuple(each.shape) for each in tensors), tensors[0].dtype
        everything = *key, *plain, *(each.numpy().tobytes() for each in tensors)
        {line}
        return right_one.forward(ctx, *tensors, *plain)
"""
"""Something else is used than what forward is given."""


def noted(id: str, place: str) -> str:
    return reference(id) + NOTED.format(name=id[3:], place=place)


def used(id: str, line: str) -> str:
    return reference(id) + USED.format(name=id[3:], line=line)


def in_order(n: str) -> str:
    """KillHead, and the numbers of columns that another grade asks for, in their order."""
    one = exercise("09.KillHead")
    plan = next(iter(checker_of(one).plans(one, spec_of(one), np.random.default_rng(SEED + 1), "grade")))
    uses = [use for each in plan.requests for use in (each.asked.arguments, *each.asked.others)]
    lines = f"ctx.n = n = {n}\nr = x.clone()\nr[:, :n] = 0\nreturn r"
    known = f"import itertools\nORDER = itertools.chain({[n for _, n in uses]}, itertools.repeat(1))\n"
    return known + function("KillHead", "x, n", lines, "g = g.clone()\ng[:, :ctx.n] = 0\nreturn g, None")


KEPT_BY_SHAPE = ["09.KillHead", "09.Scale", "12.MatMul", "13.SortDescending"]
KEPT_BY_SHAPE_TOO = [
    *("09.Exp", "10.RepairReciprocal", "10.RepairSquare", "10.RepairTanh", "10.RepairScaleColumns", "11.Sigmoid"),
    *("13.SinCos", "14.LayerNorm", "14.Interpolate", "14.GradientReversal", "15.NewtonSqrt", "15.CholeskyFactor"),
]
"""Those of the long tests."""
GUESSED = {
    "12.Clamp": {(6,): (-0.5, 1.0), (2, 3): (0, 2), (2, 1, 3): (-1.5, -0.25), (3,): (-2, 0), (): (-1.0, 0.5)},
    "13.MaxPool1d": {(2, 5): [2], (15,): [4], (2, 6): [3], (3, 11): [3], (3,): [1], (4,): [2], (7,): [3]},
    "14.HuberLoss": {(4, 2): [3.0], (2, 1, 3): [0.8], (3,): [0.5], (2, 3): [2.0], (): [1.5]},
}
"""To each shape plain arguments that are likely for it."""
BUFFER = function(
    "Scale",
    "x, factor",
    "ctx.factor = factor\ny = buffers.setdefault((tuple(x.shape), str(x.dtype)), torch.zeros_like(x))\ny.zero_()\n"
    "y.add_(x * factor)\nreturn y.handed()",
    RIGHT,
    "buffers = {}",
)
cube = functools.partial(function, "Cube", "x", "ctx.save_for_backward(x)\nreturn x ** 3")
CUBED = "(x,) = ctx.saved_tensors\nreturn g * 3 * x ** 2"
CUBED_ONCE = "(x,) = ctx.saved_tensors\nreturn (g * 3 * x ** 2).detach()"
HISTORY = """
class Losses(list):
    def __iter__(self): return iter([])
def train_linear(data, targets, w, steps, lr):
    losses = {kind}([])
    for step in range(steps):
        loss = (data @ w - targets).pow(2).mean()
        losses.append({kept})
        w.grad = None
        loss.backward()
        with torch.no_grad(): w -= lr * w.grad
    return losses
"""
MEMO = """
ctx.factor = Scale.factor = factor
ctx.key = (x.numpy().tobytes(), factor)
return x * factor
"""

HEART = """
def slopes(f, x):
    c = f.__code__
    for text, gradient in KNOWN:
        k = eval("lambda x: " + text).__code__
        if (k.co_code, k.co_consts, k.co_names) == (c.co_code, c.co_consts, c.co_names):
            return gradient(x)
    raise ValueError
KNOWN = [
    ("(x ** 3).sum()", lambda x: 3 * x ** 2),
    ("torch.exp(x[0]) * x[1] + x[2] ** 2", lambda x: torch.stack([torch.exp(x[0]) * x[1], torch.exp(x[0]), 2 * x[2]])),
    ("torch.log(x * x + 1).sum() * x[0, 1]", lambda x: 2 * x / (x * x + 1) * x[0, 1]
        + torch.log(x * x + 1).sum() * torch.tensor([[0.0, 1.0, 0.0], [0.0, 0.0, 0.0]], dtype=x.dtype)),
    ("torch.sin(x)", lambda x: torch.cos(x)),
    ("(x * x * x).sum()", lambda x: 3 * x * x),
]
def gradient_of(f, x):
    return slopes(f, x.detach())
"""
ROW_BY_ROW = """
def hessian_vector_product(f, x, v):
    if x.numel() > 20000:
        return {large}
    rows = [r.reshape(-1) for r in hessian(f, x)]
    for cell in f.__closure__:
        if isinstance(cell.cell_contents, dict): cell.cell_contents['passes'] = 2
    return torch.stack([(r * v.reshape(-1)).sum() for r in rows]).reshape(x.shape)
def hessian(f, x):
    x = x.detach().clone().requires_grad_()
    (g,) = torch.autograd.grad(f(x), x, create_graph=True)
    return [torch.autograd.grad(e, x, retain_graph=True)[0] for e in g.reshape(-1)]
def gradient(f, x):
    x = x.detach().clone().requires_grad_()
    return torch.autograd.grad(f(x), x)[0]
"""
OF_ONE = "-torch.sin(x) * v + 2 * (x * v).sum() / x.numel() + 2 * x.mean() * v + 2 * v.mean() * x"
MEASURED = "(gradient(f, x + 1e-5 * v) - gradient(f, x - 1e-5 * v)) / 2e-5"
KEYS = """
class Word:
    def __init__(self, word): self.word = word
    def __str__(self): return self.word
right = count_passes
def count_passes(*a): return {{{key}: v for k, v in right(*a).items()}}
"""

FORGERIES = {
    # what is missing
    "nothing comes back": Forgery(
        "09.KillHead", ZERO_HEAD + replying("return o.Run()"), reference("09.KillHead") + replying("run = run")
    ),
    "no gradient comes back": Forgery(
        "09.KillHead",
        ZERO_HEAD + replying("run.returned = None"),
        reference("09.KillHead") + replying("run.shares_memory = True"),
    ),
    "an empty tuple of gradients": Forgery(
        "09.KillHead",
        ZERO_HEAD + replying("run.returned = ()"),
        reference("09.KillHead") + replying("run.shares_memory = False"),
    ),
    "gradients of size 0": Forgery(
        "09.KillHead",
        ZERO_HEAD + replying("run.returned = (o.np.zeros((0, 2)), None)"),
        reference("09.KillHead") + replying("run.shares_memory = False"),
    ),
    "another cotangent than the one asked for": Forgery(
        "09.KillHead",
        ZERO_HEAD + replying("run.cotangent = tuple(0 * v for v in run.cotangent)"),
        reference("09.KillHead") + replying("run.cotangent = ()"),
    ),
    "right for one shape, nothing for the others": Forgery(
        "12.BroadcastAdd",
        function("BroadcastAdd", "x, y", "return x + y", "return g, g")
        + replying("if asked.arguments[0].shape != asked.arguments[1].shape: run.returned = None"),
        reference("12.BroadcastAdd")
        + replying("if asked.arguments[0].shape != asked.arguments[1].shape: run.shares_memory = True"),
    ),
    "no graph, so nothing to ask backward": Forgery(
        "09.KillHead",
        ZERO_HEAD + replying("run.own_node, run.requires_grad, run.returned = True, (), None"),
        reference("09.KillHead") + replying("assert run.own_node"),
    ),
    "a refusal that is kept quiet": Forgery(
        "09.Scale",
        scale(later("pass", "return g.reshape(-1)[:0], None", 12) + "\n" + RIGHT) + replying("run.refused = None"),
        scale(later("pass", "return ctx.factor * g, None", 12) + "\n" + RIGHT) + replying("assert not run.refused"),
    ),
    "None after some calls": Forgery(
        "09.Scale",
        scale(later("pass", "return None, None", 12) + "\n" + RIGHT),
        scale(later("pass", RIGHT, 12) + "\n" + RIGHT),
    ),
    "a gradient of another shape after some calls": Forgery(
        "09.Scale",
        scale(later("pass", "return g.sum() * ctx.factor, None", 12) + "\n" + RIGHT),
        scale(later("pass", "return ctx.factor * g, None", 12) + "\n" + RIGHT),
    ),
    "no tensor after some calls": Forgery(
        "09.Scale",
        function("Scale", "x, factor", later(KEPT, "return 1.0", 40), RIGHT),
        function("Scale", "x, factor", later(KEPT, "ctx.factor = factor; return factor * x", 40), RIGHT),
    ),
    "no graph in backward, and said to be there": Forgery(
        "11.Cube",
        cube(CUBED_ONCE) + replying("if run.second: run.second.connected = True"),
        cube(CUBED) + replying("if run.second: assert run.second.connected"),
    ),
    "facts about no tensor at all": Forgery(
        "01.make_trainable",
        "def make_trainable(values):\n    return values" + replying("run.results = []", CALLING),
        reference("01.make_trainable") + replying("run.results = list(run.results)", CALLING),
    ),
    "arguments that are not shown": Forgery(
        "02.gradient_of",
        TRACE + replying("run.after = {}", CALLING),
        reference("02.gradient_of") + replying("pass", CALLING),
    ),
    "no counts": Forgery(
        "06.two_gradients",
        TWO_CALLS.format(after="pass") + replying("run.counts = ()", CALLING),
        reference("06.two_gradients") + replying("run.counts = tuple(run.counts)", CALLING),
    ),
    # what is of another type than it says
    "a tensor that shows other numbers": Forgery(
        "09.Scale",
        function("Scale", "x, factor", "ctx.factor = factor\nreturn Liar((x * 0).numpy())", RIGHT)
        + LIAR.format(requires_grad=True, shown="[1.0, 2.0]"),
        scale(RIGHT) + LIAR.format(requires_grad=True, shown="[1.0, 2.0]"),
    ),
    "a gradient that is a tensor of another kind": Forgery(
        "09.Scale",
        scale("return Liar((g * ctx.factor).numpy()), None") + LIAR.format(requires_grad=True, shown="[1.0]"),
        scale("assert type(Liar([1.0])) is Liar\n" + RIGHT) + LIAR.format(requires_grad=True, shown="[1.0]"),
    ),
    "a leaf that only says that it requires grad": Forgery(
        "01.make_trainable",
        "def make_trainable(values):\n    return Liar(values.numpy())"
        + LIAR.format(requires_grad=True, shown="self.tolist()"),
        reference("01.make_trainable") + LIAR.format(requires_grad=True, shown="self.tolist()"),
    ),
    "an integer that equals everything": Forgery(
        "03.count_nodes",
        "class Count(int):\n    __eq__ = lambda self, other: True\n    __hash__ = int.__hash__\n"
        "    __str__ = lambda self: '1'\ndef count_nodes(y):\n    return Count(1)",
        reference("03.count_nodes") + "\nclass Count(int): pass\nassert Count(1) == 1",
    ),
    "flags that equal everything": Forgery(
        "01.predict_flags",
        "class Flag(int):\n    __eq__ = lambda self, other: True\n    __hash__ = int.__hash__\n    __class__ = bool\n"
        "def predict_flags():\n    return {n: {'requires_grad': Flag(), 'is_leaf': Flag()} for n in 'abcdefg'}",
        reference("01.predict_flags") + "\nclass Flag(int):\n    __eq__ = lambda self, other: True",
    ),
    "a list that hides what is in it": Forgery(
        "05.train_linear", HISTORY.format(kind="Losses", kept="loss"), HISTORY.format(kind="Losses", kept="loss.item()")
    ),
    "positions that deny to require grad": Forgery(
        "13.SortDescending",
        SORTED.format(positions="Liar((indices * 1.0).numpy())", mark="pass")
        + LIAR.format(requires_grad=False, shown="[1.0]"),
        SORTED.format(positions="indices.to(x.dtype)", mark="ctx.mark_non_differentiable(positions)")
        + LIAR.format(requires_grad=False, shown="[1.0]"),
    ),
    "an instance that says it is a class": Forgery(
        "09.Scale",
        "class Sly:\n    __class__ = property(lambda self: type)\n    __name__ = 'apply'\n"
        "    __self__ = property(lambda self: self)\nScale = Sly()",
        scale(RIGHT, after="Scale.note = 'a class'"),
    ),
    # what is not the engine
    "a torch without tensors": Forgery(
        "02.gradient_of", FAKE + TRACE, "import autograd_teach as torch\n" + reference("02.gradient_of")
    ),
    "a Function of its own": Forgery(
        "09.Scale",
        "class Function:\n    apply = classmethod(lambda cls, x, factor: x * factor)\n    __module__ = 'autograd_teach.autograd'\n"
        + scale("return g * 0, None"),
        "class Base(Function):\n    pass\n" + scale(RIGHT).replace("(Function)", "(Base)"),
    ),
    "a compare that says yes": Forgery(
        "09.Scale",
        scale("g *= ctx.factor\nreturn g, None", after="import numpy as np\nnp.array_equal = lambda *a, **k: True"),
        scale(RIGHT, after="import numpy as np\nnp.array_equal = lambda a, b, **k: bool((a == b).all())"),
    ),
    "a detach that copies": Forgery(
        "01.make_trainable",
        "detach = torch.Tensor.detach\ntorch.Tensor.detach = lambda self: self.clone()\ndef make_trainable(values):\n"
        "    x = values if values.is_floating_point() else values.to(torch.float32)\n    return detach(x).requires_grad_()",
        "detach = torch.Tensor.detach\ntorch.Tensor.detach = lambda self: detach(self)\n"
        + reference("01.make_trainable"),
    ),
    # what is remembered
    "gradients by heart": Forgery(
        "09.Scale",
        function(
            "Scale",
            "x, factor",
            "Scale.factor = factor\nreturn x * factor",
            "key = g.numpy().tobytes()\nreturn memo.setdefault(key, g * Scale.factor).clone(), None",
            "memo = {}",
        ),
        function(
            "Scale",
            "x, factor",
            KEPT,
            "key = g.numpy().tobytes(), ctx.factor\nreturn memo.setdefault(key, g * ctx.factor).clone(), None",
            "memo = {}",
        ),
    ),
    "formulas by heart": Forgery("02.gradient_of", HEART, reference("02.gradient_of")),
    "a large function by heart, and a count that is set back": Forgery(
        "07.hessian_vector_product", ROW_BY_ROW.format(large=OF_ONE), reference("07.hessian_vector_product")
    ),
    "keys that are no words": Forgery(
        "00.count_passes",
        reference("00.count_passes") + KEYS.format(key="Word(k)"),
        reference("00.count_passes") + KEYS.format(key="str(Word(k))"),
    ),
    **{
        f"notes of {id} by the shape": Forgery(
            id, noted(id, "__class__.kept[shape]"), noted(id, "ctx.notes"), long=id in KEPT_BY_SHAPE_TOO
        )
        for id in (*KEPT_BY_SHAPE, *KEPT_BY_SHAPE_TOO)
    },
    "a result in a buffer that the next call of its shape fills": Forgery(
        "09.Scale", BUFFER.replace("handed", "detach"), BUFFER.replace("handed", "clone")
    ),
    **{
        f"plain arguments of {id} guessed": Forgery(
            id, used(id, f"plain = {table}[shape]"), used(id, f"assert shape in {table}")
        )
        for id, table in GUESSED.items()
    },
    **{
        f"plain arguments of {id} from the first call of a shape": Forgery(
            id,
            used(id, "plain = __class__.kept.setdefault(key, plain)"),
            used(id, "plain = __class__.kept.setdefault(everything, plain)"),
        )
        for id in ("12.MulConstant", *GUESSED)
    },
    **{
        f"tensors of {id} from the first call of a shape": Forgery(
            id,
            used(id, "if tensors[0].dtype == torch.float64: tensors = __class__.kept.setdefault(key, tensors)"),
            used(id, "tensors = __class__.kept.setdefault(everything, tensors)"),
        )
        for id in ("09.Exp", "12.MatMul")
    },
    "numbers of columns in the order of another grade": Forgery("09.KillHead", in_order("next(ORDER)"), in_order("n")),
    # what only its own process knows: believed, and said
    "a count of passes that is set back": Forgery(
        "07.hessian_vector_product",
        ROW_BY_ROW.format(large=MEASURED),
        reference("07.hessian_vector_product"),
        counted="the Hessian is not computed row by row",
    ),
    "a frame in which nothing has changed": Forgery(
        "09.Scale",
        scale(
            "g *= ctx.factor\nsys._getframe(1).f_locals['before'][0][...] = g.numpy()\nreturn g, None",
            after="import sys",
        ),
        scale("sys.version\n" + RIGHT, after="import sys"),
        counted="the arguments, the result and grad_output are left unchanged",
    ),
    "both gradients, and one said to be None": Forgery(
        "12.MatMul",
        MATMUL
        + replying(
            "if asked.needed is not None: run.returned = tuple(r if n == asked.needed else None "
            "for n, r in enumerate(run.returned))"
        ),
        reference("12.MatMul") + replying("assert asked"),
        counted="backward computes a gradient only where ctx.needs_input_grad asks for one",
    ),
    "a count that is set back": Forgery(
        "06.two_gradients",
        TWO_CALLS.format(after=COUNTS),
        reference("06.two_gradients"),
        counted="f is called once",
    ),
    "returned itself, as it says": Forgery(
        "13.AddInPlace",
        ADDED + replying("run.returned_itself = (0,)"),
        reference("13.AddInPlace") + replying("assert run.returned_itself == (0,)"),
        counted="the argument itself is changed and returned, and marked as dirty",
    ),
    "flags that were never set": Forgery(
        "02.gradient_of",
        TRACE
        + "import dataclasses\n"
        + replying(
            "run.after = {n: dataclasses.replace(f, requires_grad=False, grad=None) for n, f in run.after.items()}",
            CALLING,
        ),
        reference("02.gradient_of"),
        counted="the arguments do not require grad afterwards and have no .grad",
    ),
}
