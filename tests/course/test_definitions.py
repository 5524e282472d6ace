"""What goes with an answer from other cells, and what cannot: habits, hostile sources, a remark."""

import json
from dataclasses import dataclass
from pathlib import Path

import pytest
from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config

from autograd_teach.course import NotPassed, checking, definitions
from autograd_teach.course import cells as of_cells
from autograd_teach.course.definitions import Completed, completed, names_defined, stand_in
from autograd_teach.course.exercises import exercise, exercises


def on_state(exercise, cells, live=()):
    return of_cells.on_state(exercise.entry, of_cells.answer_in(exercise, cells), live)


def on_files(exercise, cells, folder):
    return of_cells.on_files(exercise.entry, of_cells.answer_in(exercise, cells), folder)


SETUP = "import autograd_teach as torch\nfrom autograd_teach.autograd import Function\ncheck = print"
"""What the grader gives, where a row does not say otherwise."""

CLASS = """class F(Function):
    @staticmethod
    def forward(ctx, x):
        return {}

    @staticmethod
    def backward(ctx, grad):
        return {}"""
STUB = CLASS.format("1", "1").replace("return 1", "# YOUR CODE HERE\n        raise NotImplementedError()")


@dataclass(frozen=True)
class Row:
    """An answer with other cells, what is taken, and what `ask` gives when all of it has run."""

    answer: str
    cells: tuple[str, ...] = ()
    taken: tuple[str, ...] = ()
    result: object = None
    state: tuple[str, ...] = ()
    given: str = SETUP
    ask: str = "f(3.0)"
    entry: str = "f"


NOTHING = {
    "an answer that needs nothing": Row(
        "def f(x): return 2 * x",
        ("import math", "TWO = 2"),
        (),
        6.0,
    ),
    "what the grader gives": Row(
        "def f(x): return torch.tensor(x).item()",
        ("torch = 3",),
        (),
        3.0,
    ),
    "the answer's own import": Row(
        "import math\ndef f(x): return math.floor(x)",
        ("import math",),
        (),
        3,
    ),
    "the answer's own helper": Row(
        "def g(x): return x\ndef f(x): return g(x)",
        ("def g(x): return 7",),
        (),
        3.0,
    ),
    "its own helper, below": Row(
        "def f(x): return g(x)\ndef g(x): return x",
        ("def g(x): return 7",),
        (),
        3.0,
    ),
    "arguments and locals": Row(
        "def f(x, k=2):\n    y = x * k\n    return y",
        ("y = 1\nx = 2\nk = 9",),
        (),
        6.0,
    ),
    "a comprehension's names": Row("def f(x): return sum(i for i in [x])", ("i = 3",), (), 3.0),
    "names of a class's own body": Row(
        "class f:\n    n = 1\n    m = n\n    def __init__(self, x): ...",
        ("n = 2",),
        (),
        1,
        ask="f.m",
    ),
    "a closure": Row("def f(x):\n    def g(): return x\n    return g()", ("x = 4",), (), 3.0),
    "nonlocal": Row(
        "def f(x):\n    def g():\n        nonlocal x\n        x += 1\n    g()\n    return x",
        ("x = 4",),
        (),
        4.0,
    ),
    "a keyword's name": Row("def f(x): return dict(k=x)['k']", ("k = 4",), (), 3.0),
    "an attribute's name": Row("def f(x): return x.real", ("real = 4",), (), 3.0),
    "a builtin": Row(
        "def f(x): return sum([x])",
        ("sum = 0\nfor i in range(3): sum += i",),
        (),
        3.0,
    ),
    "an exception's name": Row(
        "def f(x):\n    try: return x\n    except ValueError as e: return e", ("e = 1",), (), 3.0
    ),
    "its own walrus": Row("def f(x): return [y := x, y][1]", ("y = 4",), (), 3.0),
    "its own global": Row(
        "def f(x):\n    global kept\n    kept = x\n    return kept",
        ("for kept in [1]: pass",),
        (),
        3.0,
    ),
    "a matched name": Row("def f(x):\n    match x:\n        case y: return y", ("y = 4",), (), 3.0),
    "what is nowhere": Row("def f(x): return x if x else nothing", ("import math",), (), 3.0),
    "no Python": Row("def f(x) return x", ("import math",)),
}
TAKEN = {
    "an import in another cell": Row(
        "def f(x): return math.floor(x)", ("import math",), ("math",), 3,
    ),
    "an import added to the setup cell": Row(
        "def f(x): return np.floor(x)", (SETUP + "\nimport numpy as np",), ("np",), 3.0
    ),
    "one of several imports": Row(
        "def f(x): return math.floor(x)", ("import not_there, math",), ("math",), 3,
    ),
    "one of several names": Row(
        "def f(x): return floor(x)", ("from math import nothing, floor",), ("floor",), 3,
    ),
    "an import under another name": Row(
        "def f(x): return down(x)", ("from math import floor as down",), ("down",), 3,
    ),
    "an import with a part": Row(
        "def f(x): return os.path.basename('a/b')", ("import os.path",), ("os",), "b",
    ),
    "two parts of one package": Row(
        "def f(x): return xml.dom.__name__ + xml.sax.__name__",
        ("import xml.dom", "import xml.sax"), ("xml",), "xml.domxml.sax",
    ),
    "statements in one line": Row(
        "def f(x): return math.floor(x)", ("import not_there; import math",), ("math",), 3,
    ),
    "a star import, where nothing else has it": Row(
        "def f(x): return floor(x)", ("from math import *",), ("math.*",), 3,
    ),
    "no star import, where something has it": Row(
        "def f(x): return floor(x)", ("from math import *", "def floor(x): return 7"), ("floor",), 7
    ),
    "a helper": Row(
        "def f(x): return g(x)", ("def g(x):\n    # twice\n    return 2 * x",), ("g",), 6.0,
    ),
    "a helper of a helper": Row(
        "def f(x): return g(x)", ("def h(x): return x", "def g(x): return h(x)"), ("h", "g"), 3.0,
    ),
    "helpers that need each other": Row(
        "def f(x): return g(x)",
        ("def g(x): return h(x - 1) if x > 0 else x", "def h(x): return g(x - 1)"), ("g", "h"), -1.0,
    ),
    "a helper that leans on the answer": Row(
        "def k(x): return x\ndef f(x): return g(x)", ("def g(x): return k(x)\nk = 4",), ("g",), 3.0
    ),
    "the last of several": Row(
        "def f(x): return g(x)", ("def g(x): return 1", "def g(x): return 2"), ("g",), 2,
    ),
    "a constant": Row("def f(x): return x + EPS", ("EPS = 1e-6 / 1e-6",), ("EPS",), 4.0),
    "a constant with a type": Row("def f(x): return x + EPS", ("EPS: float = 1.0",), ("EPS",), 4.0),
    "a constant of a module's": Row(
        "def f(x): return W.sum() + x", ("import numpy as np", "W = np.array([1, 2])"), ("np", "W"), 6.0
    ),
    "a constant of what is given": Row(
        "def f(x): return (scale * x).item()", ("scale = torch.tensor(2.0)",), ("scale",), 6.0
    ),
    "a constant of a helper's": Row(
        "def f(x): return T[2]", ("def t(n): return [n] * 3", "T = t(5)"), ("t", "T"), 5,
    ),
    "constants in one assignment": Row(
        "def f(x): return a + b", ("a, (b, *c) = 1, (2, 3)",), ("a", "b"), 3,
    ),
    "a constant shown at a cell's end": Row(
        "def f(x): return W[0]", ("W = [1, 2]\nlen(W)\nW",), ("W",), 1,
    ),
    "a constant set again": Row("def f(x): return k", ("k = 1", "k += 1", "k = 3"), ("k",), 3),
    "a constant as it was then": Row(
        "def f(x): return (a, b)", ("a = 1", "b = a", "a = 2"), ("a", "b"), (2, 1),
    ),
    "a lambda": Row("def f(x): return g(x)", ("g = lambda x: 2 * x",), ("g",), 6.0),
    "a class": Row(
        "class f(Base): pass", ("class Base:\n    def __init__(self, x): self.x = x",), ("Base",), 3.0, ask="f(3.0).x",
    ),
    "a decorator": Row(
        "@twice\ndef f(x): return x", ("def twice(g):\n    return lambda x: 2 * g(x)",), ("twice",), 6.0
    ),
    "a decorator that registers": Row(
        "@known\ndef f(x): return x", ("KNOWN = {}", "def known(g):\n    KNOWN[g.__name__] = g\n    return g"),
        ("KNOWN", "known"), 3.0,
    ),
    "a decorated helper": Row(
        "def f(x): return g(x)", ("from functools import cache", "@cache\ndef g(x): return x"), ("cache", "g"), 3.0
    ),
    "a decorator in brackets": Row(
        "def f(x): return g(x)",
        ("from functools import cache\n@(\n    cache\n)\ndef g(x): return x",), ("cache", "g"), 3.0,
    ),
    "a helper wrapped afterwards": Row(
        "def f(x): return g(x)", ("def g(x): return x", "def twice(h): return lambda x: 2 * h(x)\ng = twice(g)"),
        ("g", "twice"), 6.0,
    ),
    "a default argument": Row("def f(x, k=TWO): return x * k", ("TWO = 2",), ("TWO",), 6.0),
    "an annotation": Row(
        "def f(x: List[float]) -> Any: return x", ("from typing import Any, List",), ("List", "Any"), 3.0,
    ),
    "a name inside a comprehension": Row(
        "def f(x): return [g(i) for i in [x]]", ("def g(x): return x",), ("g",), [3.0],
    ),
    "a name inside a method": Row(
        "class f:\n    def __new__(cls, x): return g(x)", ("g = 1\ndef g(x): return x",), ("g",), 3.0
    ),
    "a class's own name is none of its methods'": Row(
        "class f:\n    g = 1\n    def __new__(cls, x): return g(x)", ("def g(x): return x",), ("g",), 3.0
    ),
    "a global counter": Row(
        "def f(x):\n    global count\n    count += 1\n    return count", ("count = 0",), ("count",), 1
    ),
    "an import that may fail": Row(
        "def f(x): return np.floor(x)",
        ("try:\n    import not_there as np\nexcept ImportError:\n    import numpy as np",),
        ("np",), 3.0,
    ),
    "a definition under a condition": Row(
        "def f(x): return g(x)",
        ("import sys", "if sys.maxsize > 1:\n    def g(x): return 1\nelse:\n    def g(x): return 2"),
        ("sys", "g"), 1,
    ),
    "a constant made under no_grad": Row(
        "def f(x): return W.item()", ("with torch.no_grad():\n    W = torch.tensor(1.0)",), ("W",), 1.0,
    ),
    "a helper whose name a loop took": Row(
        "def f(x): return g(x)", ("def g(x): return x", "for g in [1]: pass"), ("g",), 3.0,
    ),
    "a function called like a builtin": Row(
        "def f(x): return sum(x)", ("def sum(x): return x",), ("sum",), 3.0,
    ),
    "cells that were run upwards": Row(
        "def f(x): return T", ("T = math.floor(2.5)", "import math"), ("math", "T"), 2,
    ),
    "a cell with magic": Row(
        "def f(x): return math.floor(x)", ("%matplotlib inline\n!ls\nfiles = !ls\nmath?\nimport math",), ("math",), 3
    ),
    "a cell under %%time": Row(
        "def f(x): return math.floor(x)", ("%%time\nimport math",), ("math",), 3,
    ),
    "not a cell of another language": Row(
        "def f(x): return x or math", ("%%bash\nimport math",), (), 3.0,
    ),
    "a cell beside one that is no Python": Row(
        "def f(x): return math.floor(x)", ("import math", "math = = 3"), ("math",), 3,
    ),
    "an answer under %%time": Row(
        "%%time\ndef f(x): return g(x)", ("def g(x): return x",), ("g",), 3.0,
    ),
    "an answer with a future": Row(
        '"""Mine."""\nfrom __future__ import annotations\ndef f(x: Tensor): return g(x)',
        ("def g(x): return x",), ("g",), 3.0
    ),
    "annotations that are never evaluated": Row(
        "def f(x: Tensor): return g(x)", ("from __future__ import annotations\ndef g(x: Tensor): return x",),
        ("__future__.annotations", "g"), 3.0,
    ),
    "the setup cell with another engine": Row(
        "def f(x): return torch.tensor(math.floor(x)).item()", ("import not_there as torch, math",), ("math",), 3
    ),
    "a name in another script": Row(
        "def f(x): return ﬁx + η", ("ﬁx = 1\nη = 2",), ("fix", "η"), 3,
    ),
}  # fmt: skip
SPLIT = {
    "the entry in a new cell": Row("def g(x): return x", ("def f(x): return g(x)",), ("f",), 3.0),
    "the entry in a new cell, decorated by the answer": Row(
        "def twice(g): return lambda x: 2 * g(x)", ("@twice\ndef f(x): return x",), ("f",), 6.0
    ),
    "a stub with an import of its own": Row(
        "import math\n" + STUB, (CLASS.format("x * math.pi", "grad"),), ("F",), 0.0,
        entry="F", ask="F.apply(torch.tensor(0.0)).item()",
    ),
    "not one of several": Row(
        "import math\n" + STUB, (CLASS.format("x", "1"), CLASS.format("x", "2")), (), entry="F"
    ),
    "backward set afterwards": Row(
        CLASS.format("x", "1").partition("\n\n")[0], ("def g(ctx, grad): return 5", "F.backward = staticmethod(g)"),
        ("g", "F.backward"), 5, entry="F", ask="F.backward(0, 0)",
    ),
    "backward set over its stub": Row(
        STUB, ("F.backward = staticmethod(lambda ctx, grad: 5)",), ("F.backward",), 5, entry="F", ask="F.backward(0, 0)"
    ),
    "not over the answer's own": Row(
        CLASS.format("x", "1"), ("F.backward = staticmethod(lambda ctx, grad: 5)",), (), 1,
        entry="F", ask="F.backward(0, 0)",
    ),
    "not an attribute of something else": Row(
        "def f(x): return hasattr(g, 'a')", ("def g(x): return x", "g.a = 1"), ("g",), False
    ),
    "a helper of the class of the answer": Row(
        CLASS.format("x", "grad") + "\ndef use(x): return apply(x)", ("apply = F.apply",), ("apply",), 3.0,
        entry="F", ask="use(torch.tensor(3.0)).item()",
    ),
    "what is made of that": Row(
        CLASS.format("x", "grad") + "\ndef use(x): return made[0](x)", ("made = [apply]", "apply = F.apply"),
        ("apply", "made"), 3.0, entry="F", ask="use(torch.tensor(3.0)).item()",
    ),
    "not its older version": Row(
        CLASS.format("x", "grad"), (CLASS.format("1", "1"), "old = F"), (), 2.0,
        entry="F", ask="F.forward(0, 2.0)",
    ),
}  # fmt: skip
STATE = {
    "a loop's variable": Row(
        "def f(x): return x * rate",
        ("for rate in [1, 2]: pass",),
        state=("rate",),
    ),
    "an augmented constant": Row("def f(x): return x * n", ("n = 1", "n += 1"), state=("n",)),
    "a constant that grows": Row("def f(x): return x * n", ("n = 1", "n = n + 1"), state=("n",)),
    "a list that was appended to": Row(
        "def f(x): return L",
        ("L = []", "L.append(1)"),
        state=("L",),
    ),
    "a list appended to in a loop": Row(
        "def f(x): return L", ("L = []\nfor i in range(3):\n    L.append(i)",), state=("L",)
    ),
    "a dictionary with a key set": Row(
        "def f(x): return D",
        ("D = {}", "D['a'] = 1"),
        state=("D",),
    ),
    "an array with a part set": Row(
        "def f(x): return A", ("import numpy as np", "A = np.ones(2)", "A[0] += 1"), state=("A",)
    ),
    "a tensor changed in place": Row(
        "def f(x): return W",
        ("W = torch.ones(2)", "W.fill_(3)"),
        state=("W",),
    ),
    "what was taken out of a list": Row(
        "def f(x): return v",
        ("L = [1]", "v = L.pop()"),
        state=("v",),
    ),
    "a value of state": Row(
        "def f(x): return v",
        ("for i in [1]: pass", "v = i + 1"),
        state=("v",),
    ),
    "state through a helper": Row(
        "def f(x): return g(x)", ("for i in [1]: pass", "def g(x): return i"), ("g",), state=("i",)
    ),
    "state in a default": Row("def f(x, k=i): return k", ("for i in [1]: pass",), state=("i",)),
    "what was typed in": Row("def f(x): return v", ("v = float(input())",), state=("v",)),
    "what a file had": Row(
        "def f(x): return v",
        ("with open('a') as file:\n    v = file.read()",),
        state=("v",),
    ),
    "what a magic gave": Row("def f(x): return v", ("v = !ls",), state=("v",)),
    "what a function set": Row(
        "def f(x): return v",
        ("def start():\n    global v\n    v = 1\nstart()",),
        state=("v",),
    ),
    "a walrus": Row("def f(x): return v", ("print(v := 1)",), state=("v",)),
    "a statement that replaces what is given": Row(
        "def f(x): return v",
        ("try:\n    import torch, v\nexcept ImportError:\n    torch = v = None",),
        state=("v",),
    ),
    "two of them": Row("def f(x): return a + b", ("for a in [1]: pass\nb = a",), state=("a", "b")),
}
TABLE = NOTHING | TAKEN | SPLIT | STATE


@pytest.mark.parametrize("row", TABLE.values(), ids=TABLE)
def test_an_answer_gets_the_definitions_that_it_needs(row):
    done = completed(row.answer, row.cells, row.entry, names_defined(row.given))
    assert (done.taken, done.state) == (row.taken, row.state)
    assert row.taken or done.source == row.answer
    assert done.source.startswith("%%") == row.answer.startswith("%%")
    if row.result is not None:
        names = {"__name__": "__main__"}
        exec(row.given, names)  # noqa: S102
        exec(done.source.replace("%%time", ""), names)  # noqa: S102
        assert eval(row.ask, names) == row.result


def test_what_is_taken_looks_as_the_student_wrote_it():
    cells = ["import math\n\n@wraps  # mine\ndef g(x):\n    # twice\n    return (2 *\n            x)  # so\n"]
    done = completed("# my answer\ndef f(x): return g(x)\n", cells, "f", {"wraps"})
    assert done.source == cells[0].partition("\n\n")[2] + "\n# my answer\ndef f(x): return g(x)\n"


def test_every_part_of_a_package_is_taken():
    parts = ["import a.b", "import a.c as c", "import a.d, e", "import a"]
    assert completed("f = a", parts, "f", ()).source == "import a.b\nimport a.d\nimport a\n\nf = a"


def test_a_search_without_end_is_given_up(monkeypatch):
    monkeypatch.setattr(definitions, "_MOST_STEPS", 100)
    for count, taken in ((20, ("k", "g")), (200, ())):
        assert completed("f = g", ["k = 1;" * count, "g = k"], "f", ()).taken == taken


DOUBLE = "def f(x):\n    return 2 * x"
SOLUTIONS = sorted(Path(__file__).parents[2].glob("solutions/*.ipynb"))


@pytest.mark.parametrize("path", SOLUTIONS, ids=lambda path: path.stem)
def test_a_reference_solution_needs_nothing_of_other_cells(path):
    cells = [cell for cell in json.loads(path.read_bytes())["cells"] if cell["cell_type"] == "code"]
    sources = {cell["id"]: "".join(cell["source"]) for cell in cells}
    asked = exercises(path.stem)
    given = names_defined(sources["setup"])
    for each in asked:
        answer = sources.pop(each.answer_cell)
        assert completed(answer, [*sources.values()], each.entry, given) == Completed(answer)
        cells = [*sources.values(), answer]
        assert on_state(each, cells, {name for cell in cells for name in names_defined(cell)}) == ""
        assert on_files(each, cells, Path()) == ""


STAND_IN = {
    "one cell": (["x = 3", f"import math\n{DOUBLE}", "f(3)"], f"import math\n{DOUBLE}", 1),
    "none": (["x = 3", "f(3)"], "", 0),
    "several": ([DOUBLE, "def f(x): return x"], "def f(x): return x", 2),
    "a copy": ([DOUBLE, "x = 3", DOUBLE + "\n"], DOUBLE + "\n", 1),
    "a copy of the first": ([DOUBLE, "f = 3", DOUBLE], DOUBLE, 2),
    "twice in a cell": ([f"{DOUBLE}\n{DOUBLE}"], f"{DOUBLE}\n{DOUBLE}", 1),
    "an assignment": (["f = lambda x: x"], "f = lambda x: x", 1),
    "a class": (["class f: pass"], "class f: pass", 1),
    "a loop's variable": (["for f in []: pass"], "", 0),
    "a copy of the stub": (
        [DOUBLE, "def f(x):\n    '''Twice.'''\n    raise NotImplementedError()"],
        DOUBLE,
        1,
    ),
    "one inside a function": (["def g():\n    def f(x): return x"], "", 0),
    "beside what is no Python": (["def f(x)", DOUBLE], DOUBLE, 1),
}


@pytest.mark.parametrize(("cells", "found", "many"), STAND_IN.values(), ids=STAND_IN)
def test_the_last_other_cell_that_gives_the_name_stands_in(cells, found, many):
    assert stand_in(cells, "f") == (found, many)


def test_the_names_of_a_cell():
    cell = (
        "%magic\nimport a.b, c as d\nfrom e import f, g as h\ni = j, *k = 1\nl: int = 2\nm += 1\nfor n in o: p = 1\n"
        "with q as r: pass\ntry: pass\nexcept E as s: pass\nif (t := 1): pass\n"
        "def u(v): w = 1\nclass x: y = 1\nz.a = b[0] = 1"
    )
    assert names_defined(cell) == {*"adfhijklmnprstux"}
    assert names_defined("def f(") == frozenset()


HOSTILE = {
    "long": "g = [" + "1, " * 200_000 + "]",
    "many statements": "g = 1;" * 30_000,
    "deep": "g = " + "(" * 90 + "1" + ")" * 90 + " " + "-" * 100_000 + "1",
    "brackets": "g = " + "[" * 100_000,
    "attributes": "g = a" + ".b" * 50_000,
    "sums": "g = 1" + " + 1" * 50_000,
    "nested functions": "".join(" " * n + f"def g{n}():\n" for n in range(95)) + " " * 95 + "return g",
    "conditions": "if g: pass\n" + "elif g: pass\n" * 20_000,
    "names": f"def g(): return [{','.join(f'a{n}' for n in range(5_000))}]\n{'g = a0;' * 5_000}",
    "lines of magic": "%\n" * 20_000 + "g = 1",
    "blanks": "g = = 1\n" + " " * 200_000,
    "a null": "g = 1\0",
    "half a character": "g = '\ud800'",
    "a number": "g = " + "9" * 100_000,
    "escapes": r"g = '\d'",
}


@pytest.mark.parametrize("source", HOSTILE.values(), ids=HOSTILE)
def test_hostile_source_ends_in_an_answer_as_it_was_or_in_a_definition(source):
    answer = "def f(x): return g"
    assert completed(answer, [source], "f", ()).source.endswith(answer)
    assert source in completed(source, [answer, "g = 3"], "f", ()).source
    stand_in([source, answer], "f")
    names_defined(source)


CROWDS = {
    "a chain": [f"g{n} = g{n + 1}" for n in range(5_000)],
    "one name, set and used": ["g0 = 1", *(f"h{n} = g0\ng0 = h{n}" for n in range(5_000))],
    "a long cell a thousand times": ["g0 = [" + "1, " * 60_000 + "]"] * 1_000,
    "functions that need all others": [
        f"def g{n}(): return {' + '.join(f'g{m}' for m in range(100))}" for n in range(300)
    ],
}


@pytest.mark.parametrize("cells", CROWDS.values(), ids=CROWDS)
def test_crowds_of_cells_end(cells):
    answer = "def f(x): return g0"
    assert completed(answer, cells, "f", ()).source.endswith(answer)


TAPE = "class Tape:\n    def __init__(self, value):\n        self.value = value * {}"
LOOP = "for rate in [1, 2]: pass"
SAID = {
    "state": (
        [LOOP, TAPE.format("rate")],
        "`Tape` uses `rate` from another cell, which the grader will not have: move it",
    ),
    "two": (
        [f"{LOOP}\nmore = rate", TAPE.format("rate * more")],
        "`Tape` uses `rate` and `more` from other cells, which the grader will not have: move them into",
    ),
    "many": (
        [LOOP, "a = b = c = d = rate", TAPE.format("(a, b, c, d)")],
        "`a`, `b`, `c` and others from",
    ),
    "state set after the answer": ([TAPE.format("rate"), LOOP], "`rate`"),
    "under magic": (["%%time\n" + LOOP, "%time 1\n" + TAPE.format("rate")], "`rate`"),
    "state that it needed before": ([LOOP, TAPE.format("rate"), TAPE.format("2")], None),
    "a definition": (["rate = 2", TAPE.format("rate")], None),
    "its own": ([LOOP, "rate = 2\n" + TAPE.format("rate")], None),
    "an older version of it": ([LOOP + "\nclass Tape: pass", TAPE.format("2")], None),
    "no answer": ([LOOP, "Tape"], None),
    "nothing": ([], None),
    "no Python": ([LOOP, "class Tape(", "?", "%%"], None),
}


@pytest.mark.parametrize(("cells", "words"), SAID.values(), ids=SAID)
def test_a_check_says_what_state_the_answer_leans_on(cells, words):
    said = on_state(exercise("16.Tape"), cells)
    assert said == "" if words is None else words in said


GIVEN = "import autograd_teach as torch\nfrom autograd_teach.autograd import Function\nfrom autograd_teach.course import check, hint"
SCALE = "class Scale(Function):\n    def forward(ctx, x): return {}\n    def backward(ctx, grad): return grad"
UNSEEN = {
    "what exec has set": (["exec('k = 1')", SCALE.format("x * k")], "`k`"),
    "an output": (["1", SCALE.format("x * _3")], "`_3`"),
    "a captured output": (["%%capture cap\n1", SCALE.format("x * cap")], "`cap`"),
    "what is no name at all": ([SCALE.format("x * absent")], None),
    "what its own functions set": (
        [SCALE.format("x * k") + "\n    def set(self):\n        global k\n        k = 1"],
        None,
    ),
    "what a star may have": (["from math import *", SCALE.format("x * k")], None),
    "Python's own": ([SCALE.format("abs(x)")], None),
    "a helper by a given name": (["def hint(x): return x", SCALE.format("hint(x)")], "`hint`"),
    "a given class made anew": (["class Function(Function): pass", SCALE.format("x")], "`Function`"),
    "a given name imported again": (["import autograd_teach as torch", SCALE.format("torch.exp(x)")], None),
    "a given name made anew in its own cell": (["def hint(x): return x\n" + SCALE.format("hint(x)")], None),
    "a method of tensors": (["torch.Tensor.scaled = abs", SCALE.format("x.scaled()")], "`torch.scaled`"),
    "an attribute of a module": (["torch.K = 1", SCALE.format("x * torch.K")], "`torch.K`"),
    "one that is not used": (["torch.K = 1", SCALE.format("torch.exp(x)")], None),
    "an attribute of a class": (["class c: k = 1", "c.k = 2", SCALE.format("x * c.k")], "`c.k`"),
    "by setattr": (["class c: k = 1", "setattr(c, 'k', 2)", SCALE.format("x * c.k")], "`c.k`"),
    "one whose class was made anew": (["c.k = 2", "class c: k = 1", SCALE.format("x * c.k")], None),
    "a counter that it sets itself": (["class c: n = 0", "c.n = 0", SCALE.format("x\n    c.n += 1\n    c.n")], None),
    "a method put in place of its own": ([SCALE.format("x"), "Scale.backward = abs"], "`Scale.backward`"),
    "one that a newer class has not": (["Scale.backward = abs", SCALE.format("x")], None),
    "one that it has not": ([SCALE.format("x * Scale.k"), "Scale.k = 2"], None),
}


@pytest.mark.parametrize(("cells", "words"), UNSEEN.values(), ids=UNSEEN)
def test_a_check_says_what_grade_will_not_have_though_no_cell_assigns_it(cells, words):
    live = {"k", "_3", "cap", "hint", "torch", "Function", "Scale", "abs"}
    said = on_state(exercise("09.Scale"), [GIVEN, *cells], live)
    assert said == "" if words is None else said.startswith(f"`Scale` uses {words} from another cell")


def test_names_are_not_told_to_be_missing_where_the_first_cells_are_unknown():
    assert on_state(exercise("09.Scale"), [SCALE.format("x * k")], {"k", "Function"}) == ""
    assert on_state(exercise("09.Scale"), [GIVEN + "#" * 200_000, SCALE.format("x * k")], {"k", "Function"}) == ""


FILES = {
    "a module": ("from mine import g\n", "the file `mine.py`"),
    "a module of another cell": ("x = g\n", "the file `mine.py`"),
    "data": ("x = open('data.txt').read()\n", "the file `data.txt`"),
    "data that it writes": ("open('data.txt', 'w').write('1')\nx = open('data.txt').read()\n", ""),
    "what is not there": ("import math\nx = open('other.txt')\n", ""),
}


@pytest.mark.parametrize(("first", "words"), FILES.values(), ids=FILES)
def test_a_check_says_which_file_the_answer_needs(first, words, tmp_path):
    for name in ("mine.py", "data.txt", "torch.txt"):
        (tmp_path / name).touch()
    said = on_files(exercise("09.Scale"), [GIVEN, "from mine import g", first + SCALE.format("x")], tmp_path)
    assert words in said and bool(said) == bool(words)


def test_what_another_exercises_answer_sets_is_there_when_graded():
    cells = [f"{LOOP}\nclass KillHead: pass", "class Scale:\n    k = rate"]
    assert on_state(exercise("09.Scale"), cells) == ""
    assert on_state(exercise("09.Scale"), ["class Exp: rate = 1\nrate = 1", LOOP, cells[1]]) == ""
    assert "`rate`" in on_state(exercise("09.Scale"), [LOOP, cells[1]])


@pytest.fixture
def shell():
    made = InteractiveShell.instance(config=Config(HistoryManager=Config(enabled=False)))
    yield made
    InteractiveShell.clear_instance()


@pytest.mark.parametrize(("before", "is_said"), [(LOOP, True), ("%%time\n" + LOOP, True), ("rate = 2", False)])
def test_the_remark_is_in_text_and_page_and_changes_no_verdict(before, is_said, shell, monkeypatch):
    shown = []
    monkeypatch.setattr(checking, "_show", shown.append)
    for cell in (before, "from autograd_teach.course import check", TAPE.format("rate")):
        shell.run_cell(cell, store_history=True).raise_error()
    result = shell.run_cell('check("16.Tape", Tape)', store_history=True)
    (report,) = shown
    assert isinstance(result.error_in_exec, NotPassed) and "rate" not in str(result.error_in_exec)
    assert ("`Tape` uses `rate` from another cell" in repr(report)) == is_said
    assert ("<code>Tape</code> uses <code>rate</code> from another cell" in report._repr_html_()) == is_said
    assert report.headline == checking.report_on("16.Tape", shell.user_ns["Tape"]).headline


def test_a_check_survives_whatever_the_history_holds(shell, monkeypatch):
    shell.history_manager.input_hist_raw[:] = [None, 3]
    monkeypatch.setattr(checking, "_show", lambda report: None)
    with pytest.raises(NotPassed):
        checking.check("16.Tape", type("Tape", (), {}))


def test_outside_a_notebook_nothing_is_said():
    report = checking.looked_at("16.Tape", type("Tape", (), {}))
    assert (report.remarks, report.obstacle) == ((), "")
