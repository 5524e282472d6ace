"""What PyTorch has and this package has not: every name answers with one sentence, and nothing else notices."""

from __future__ import annotations

import builtins
import copy
import importlib
import importlib.util
import inspect
import pickle
import pydoc
import re
import rlcompleter
import subprocess
import sys
import traceback
import warnings
from typing import Any

import numpy as np
import pytest
from IPython.core.completer import IPCompleter
from IPython.utils.dir2 import dir2, get_real_method

import autograd_teach as torch
from autograd_teach import absent

RECORDED = {face: names for face, names in absent._recorded().items() if names and not face.endswith("()")}
SAID = re.compile(
    r"PyTorch has `(?P<path>[\w.]+)`, but autograd_teach does not: "
    r"(use `(?P<other>[\w.]+)` instead|change the import line back to `import torch`, and your program runs there unchanged"
    r"|there is no GPU here: remove `[\w.()]+`|(?P<advice>.+))\."
)


def here(path: str) -> Any:
    """What is here of PyTorch's name; None if it is missing."""
    found: Any = torch
    for name in path.split(".")[1:]:
        found = getattr(found, name, None)
    return found


@pytest.mark.parametrize("face", RECORDED)
def test_each_of_pytorchs_names_is_here_or_answers(face: str) -> None:
    thing = {"torch.Tensor": torch.ones(2, 2), "torch.nn.Module": torch.nn.Identity()}.get(face, here(face))
    if thing is None:
        with pytest.raises(ModuleNotFoundError, match="PyTorch has `torch."):
            importlib.import_module(face.replace("torch", "autograd_teach", 1))
        return
    for name in RECORDED[face]:
        try:
            getattr(thing, name)
        except AttributeError as error:
            said = SAID.fullmatch(str(error))
            assert said and said["path"] == f"{face}.{name}", str(error)
            assert not said["other"] or here(said["other"]) is not None, str(error)
            assert not said["advice"] or said["advice"] == absent._ADVICE[said["path"]]
            assert not hasattr(thing, name) and name not in dir(thing)
            if inspect.ismodule(thing):
                with pytest.raises(ImportError) as raised:
                    exec(f"from {thing.__name__} import {name}")  # noqa: S102  names of the table
                assert str(raised.value) == str(error)


BACK = "change the import line back to `import torch`, and your program runs there unchanged."
MISSING = "PyTorch has `{}`, but autograd_teach does not: " + BACK
NO_GPU = "PyTorch has `{}`, but autograd_teach does not: there is no GPU here: remove `{}`."
ONLY_CPU = "autograd_teach computes on the CPU and has no device 'cuda': write \"cpu\", or leave the device out."
# Names that nobody is going to add to a package for learning: GPUs, compilers, convolutions of other kinds.
TABLE: list[tuple[str, type[Exception], str]] = [
    ("torch.compile", AttributeError, MISSING.format("torch.compile")),
    ("torch.nn.LazyConv3d(1, 1)", AttributeError, MISSING.format("torch.nn.LazyConv3d")),
    ("torch.nn.functional.fractional_max_pool3d", AttributeError, MISSING.format("torch.nn.functional.fractional_max_pool3d")),
    ("torch.optim.SparseAdam", AttributeError, MISSING.format("torch.optim.SparseAdam")),
    ("torch.linalg.ldl_factor", AttributeError, MISSING.format("torch.linalg.ldl_factor")),
    ("torch.cuda.Stream()", AttributeError, NO_GPU.format("torch.cuda.Stream", "torch.cuda.Stream")),
    ("torch.ones(2).cuda()", AttributeError, NO_GPU.format("torch.Tensor.cuda", ".cuda()")),
    ("torch.Tensor.cuda", AttributeError, NO_GPU.format("torch.Tensor.cuda", ".cuda()")),
    ("torch.nn.Linear(1, 1).cuda()", AttributeError, NO_GPU.format("torch.nn.Module.cuda", ".cuda()")),
    ("torch.ones(2).to('cuda')", NotImplementedError, ONLY_CPU),
    ("torch.nn.Linear(1, 1).to('cuda')", NotImplementedError, ONLY_CPU),
    ("torch.zeros(2, device='cuda')", NotImplementedError, ONLY_CPU),
    ("torch.device('cuda')", NotImplementedError, ONLY_CPU),
    ("torch.device('cuda:0')", NotImplementedError, "no device 'cuda:0'"),
    ("torch.device(0)", NotImplementedError, "no device 0"),
    ("torch.device('cpu:a')", NotImplementedError, "no device 'cpu:a'"),
    ("torch.device(1.5)", TypeError, "argument 'device' must be torch.device, not float"),
    ("torch.utils.data.DataLoader", AttributeError, "for i in range(0, len(x), 64): batch = x[i : i + 64]"),
    ("from autograd_teach.utils.data import TensorDataset", ModuleNotFoundError, "for i in range(0, len(x), 64): batch = x[i : i + 64]"),
    ("torch.optim.lr_scheduler.StepLR", AttributeError, "set `group[\"lr\"]` of each `group` in `optimizer.param_groups`"),
    ("torch.func.grad", AttributeError, "use `torch.autograd.grad` or `torch.autograd.functional.jacobian` instead"),
    ("from autograd_teach.func import vmap", ModuleNotFoundError, "`torch.autograd.functional.jacobian`"),
    ("torch.vmap", AttributeError, "call the function in a loop, and `torch.stack` the results"),
    ("torch.special.expit", AttributeError, "`expit` is `torch.sigmoid`"),
    ("torch.sum(torch.ones(2), out=torch.ones(()))", TypeError, "takes `out=`, but autograd_teach's does not: assign the result."),
    ("__import__('numpy').mean(torch.ones(2))", TypeError, "NumPy's `np.mean` is for arrays: use `torch.mean`"),
    ("torch.randperm(3, out=torch.arange(3))", TypeError, "takes `out=`, but autograd_teach's does not: assign the result."),
    ("from autograd_teach import compile", ImportError, MISSING.format("torch.compile")),
    ("from autograd_teach import Tensor, compile", ImportError, MISSING.format("torch.compile")),
    ("from autograd_teach.nn import LazyConv3d", ImportError, MISSING.format("torch.nn.LazyConv3d")),
    ("import autograd_teach.onnx", ModuleNotFoundError, MISSING.format("torch.onnx")),
    ("from autograd_teach import onnx", ModuleNotFoundError, MISSING.format("torch.onnx")),
    ("from autograd_teach.onnx.utils import export", ModuleNotFoundError, MISSING.format("torch.onnx")),
    ("from autograd_teach.optim.swa_utils import SWALR", ModuleNotFoundError, MISSING.format("torch.optim.swa_utils")),
    ("torch.zeros(2, pin_memory=True)", TypeError, "PyTorch's `torch.zeros` takes `pin_memory=`, but autograd_teach's does not"),
    # Typing mistakes
    ("torch.tensro(1)", AttributeError, "Neither autograd_teach nor PyTorch has `torch.tensro`: did you mean `torch.tensor`?"),
    ("torch.nn.Linaer", AttributeError, "did you mean `torch.nn.Linear`?"),
    ("from autograd_teach import tensro", ImportError, "did you mean `torch.tensor`?"),
    ("from autograd_teach.nn.functional import rellu", ImportError, "did you mean `torch.nn.functional.relu`?"),
    ("from autograd_teach import xyzzy", ImportError, "cannot import name 'xyzzy' from 'autograd_teach'"),
    ("import autograd_teach.xyzzy", ModuleNotFoundError, "No module named 'autograd_teach.xyzzy'"),
    ("torch.xyzzy", AttributeError, "Neither autograd_teach nor PyTorch has `torch.xyzzy`."),
    ("torch._xyzzy", AttributeError, "module 'autograd_teach' has no attribute '_xyzzy'"),
    ("torch.nn.functional._xyzzy", AttributeError, "module 'autograd_teach.nn.functional' has no attribute '_xyzzy'"),
    ("torch.ones(2).sumn()", AttributeError, "'Tensor' object has no attribute 'sumn'"),
    ("torch.nn.Linear(1, 1).wieght", AttributeError, "'Linear' object has no attribute 'wieght'"),
    ("torch.zeros(2, dtyp=None)", TypeError, "zeros() got an unexpected keyword argument 'dtyp'"),
    ("torch.nn.Linear(2, 2, padding=1)", TypeError, "Linear.__init__() got an unexpected keyword argument 'padding'"),
]  # fmt: skip


@pytest.mark.parametrize(("line", "kind", "text"), TABLE, ids=[row[0] for row in TABLE])
def test_a_use_raises_what_python_raises_and_says_why(line: str, kind: type[Exception], text: str) -> None:
    with pytest.raises(kind) as raised:
        exec(line, {"torch": torch})  # noqa: S102  lines of the table
    assert raised.type is kind and text in str(raised.value)
    # From Python 3.13 on, the message of an unknown keyword has a guess, which is right.
    shown = "".join(traceback.format_exception_only(raised.value)).replace(str(raised.value), "")
    assert text.startswith("'") or "Did you mean" not in shown, "Python adds a guess of its own"
    assert len(re.findall(r"[.?](\s|$)", shown)) <= 2


def test_what_is_obvious_is_named() -> None:
    told = {"torch.nn.init.eye": "torch.nn.init.eye_"}
    for path, name in {**told, **absent._INSTEAD}.items():
        assert absent.sentence(*path.rsplit(".", 1)).endswith(f"use `{name}` instead.") and here(name) is not None


def test_programs_that_ask_first_go_on() -> None:
    device = "cuda" if torch.cuda.is_available() else "cpu"
    assert torch.ones(2).to(device).device == torch.device(device) != "cpu"
    assert inspect.ismodule(torch.cuda) and importlib.import_module("autograd_teach.cuda") is torch.cuda
    x = torch.ones(2)
    assert not any(hasattr(thing, "compile") for thing in (torch, torch.nn, torch.nn.functional, torch.optim))
    assert not hasattr(x, "cuda") and not hasattr(torch.Tensor, "cuda") and not hasattr(torch.nn.Identity(), "cuda")
    assert getattr(x, "cuda", None) is None
    assert importlib.util.find_spec("autograd_teach.xyzzy") is None


def test_the_error_is_an_ordinary_one() -> None:
    with pytest.raises(AttributeError) as raised:
        _ = torch.compile
    error, text = raised.value, MISSING.format("torch.compile")
    assert str(error) == str(error.args[0]) == text and repr(error) == f"AttributeError({text!r})"
    assert error.name == "compile" and str(pickle.loads(pickle.dumps(error))) == text


def test_attributes_of_ones_own_come_first() -> None:
    class Mine(torch.Tensor):
        def cuda(self) -> str:
            return "mine"

    x = torch.ones(2)
    x.xpu = "own"
    assert Mine([1.0]).cuda() == "mine" and x.xpu == "own"
    assert copy.copy(x).xpu == copy.deepcopy(x).xpu == pickle.loads(pickle.dumps(x)).xpu == "own"
    del x.xpu
    assert not hasattr(x, "xpu")


@pytest.mark.parametrize("made", [lambda: torch.ones(2, requires_grad=True), lambda: torch.nn.Linear(2, 2).weight])
def test_nothing_else_notices(made: Any) -> None:
    x = made()
    for again in (copy.copy(x), copy.deepcopy(x), pickle.loads(pickle.dumps(x))):
        assert type(again) is type(x) and again.equal(x)
    assert np.asarray(x.detach()).shape == x.shape and not hasattr(x, "__array_interface__")
    assert get_real_method(x, "_repr_html_") is None
    for names in (dir(x), dir2(x), dir(type(x)), [name for name, _ in inspect.getmembers(type(x))]):
        assert "cuda" not in names and {"sum", "backward", "shape", "__add__"} <= set(names)
    assert "_array" in dir(x)
    assert "cuda" not in pydoc.render_doc(type(x)) and "sum(" in pydoc.render_doc(type(x))
    scope = {"x": x, "torch": torch}
    assert rlcompleter.Completer(scope).attr_matches("x.cpu") == ["x.cpu()"]
    assert not rlcompleter.Completer(scope).attr_matches("torch.compil")
    with warnings.catch_warnings(action="ignore"):  # a provisional interface
        completions = [c.text for c in IPCompleter(namespace=scope, use_jedi=False).completions("x.c", 3)]
    assert ".cpu" in completions and ".cuda" not in completions


def test_the_table_is_read_when_an_error_is_shown_and_no_access_is_slower() -> None:
    """A class with `__getattr__` has a slower way to every attribute: none that Tensor inherits from may have one."""
    program = """
import autograd_teach as torch
from autograd_teach import absent
assert absent._recorded.cache_info().currsize == 0
assert hasattr(torch, "zeros") and torch.ones(2).sum() == 2 and not hasattr(torch, "__all__")
assert absent._recorded.cache_info().currsize == 0
assert not hasattr(torch, "compile") and not hasattr(torch.Tensor, "cuda")
assert absent._recorded.cache_info().currsize == 0
assert not any(name in vars(c) for c in torch.Tensor.__mro__[:-1] for name in ("__getattr__", "__getattribute__"))
"""
    subprocess.run([sys.executable, "-c", program], check=True)


def test_rows_that_no_list_names_are_offered() -> None:
    from autograd_teach.ops.operation import OPERATIONS

    for name, operation in OPERATIONS.items():
        if operation.is_public:
            assert builtins.callable(getattr(torch, name)), name


def test_a_device_is_pytorchs() -> None:
    cpu = torch.device("cpu")
    assert (repr(cpu), str(cpu), cpu.type, cpu.index) == ("device(type='cpu')", "cpu", "cpu", None)
    first = torch.device("cpu:0")
    assert (repr(first), str(first), first.index) == ("device(type='cpu', index=0)", "cpu:0", 0)
    assert first == torch.device("cpu", 0) == torch.device(first) != cpu
    assert len({cpu, torch.device("cpu"), first, "cpu"}) == 3 and not isinstance(cpu, str)
    assert copy.deepcopy(first) == pickle.loads(pickle.dumps(first)) == first
    for place in (cpu, first, "cpu", "cpu:0", None):
        assert torch.ones(2, device=place).device == torch.ones(2).to(device=place).device == cpu
        assert torch.ones(2).to(place, torch.float64).dtype is torch.float64


def test_settings_that_change_nothing_run() -> None:
    torch.cuda.manual_seed(0)
    torch.cuda.manual_seed_all(0)
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True, warn_only=True)
    importlib.import_module("autograd_teach.backends.cudnn").deterministic = True
    assert torch.backends.cudnn.deterministic
    torch.backends.cudnn.deterministic = False
    asked = (torch.cuda, torch.accelerator, torch.backends.mps)
    assert not any(thing.is_available() for thing in asked) and not torch.cuda.device_count()


SIZE = "{}(): argument 'size' (position 1) must be tuple of ints, not {}"
UNPACK = (
    "{}(): argument 'size' failed to unpack the object at pos 2 with error \"type must be tuple of ints,but got {}\""
)
# Calls that PyTorch refuses with a TypeError: the first line of what it says, or the part of it that helps.
WRONG_CALLS = [
    ("torch.zeros('a')", SIZE.format("zeros", "str")),
    ("torch.ones(2.5)", SIZE.format("ones", "float")),
    ("torch.randn(None)", SIZE.format("randn", "NoneType")),
    ("torch.ones(2).new_zeros('a')", SIZE.format("new_zeros", "str")),
    ("torch.full('a', 3)", SIZE.format("full", "str")),
    ("torch.zeros(2, 'a')", UNPACK.format("zeros", "str")),
    ("torch.ones((2, 2.5))", UNPACK.format("ones", "float")),
    ("torch.full((2, 'a'), 1)", UNPACK.format("full", "str")),
    ("torch.randint(5, (2, 'a'))", UNPACK.format("randint", "str")),
    ("torch.zeros()", 'zeros() missing 1 required positional arguments: "size"'),
    ("torch.ones((2,), 3)", "ones() takes 1 positional argument but 2 were given"),
    ("torch.zeros(torch.tensor(2.5))", ""),
    ("torch.randint(5)", "randint() received an invalid combination of arguments"),
    ("torch.randint()", "randint() received an invalid combination of arguments"),
    ("torch.randint(5, 3)", "randint(): argument 'size' (position 2) must be tuple of ints, not int"),
    ("torch.randint('a', (2,))", "randint(): argument 'high' (position 1) must be int, not str"),
    ("torch.randint_like(torch.ones(2), 'a')", ""),
    ("torch.randperm('a')", "randperm(): argument 'n' (position 1) must be int, not str"),
    ("torch.eye('a')", "eye(): argument 'n' (position 1) must be int, not str"),
    ("torch.arange('a')", ""),
    ("torch.linspace(0, 1, 'a')", ""),
    ("torch.zeros_like(3)", "zeros_like(): argument 'input' (position 1) must be Tensor, not int"),
    ("torch.full_like(torch.ones(2), 'a')", "full_like(): argument 'fill_value' (position 2) must be Number, not str"),
    ("torch.tensor()", "tensor() missing 1 required positional argument"),
    ("torch.zeros(2, device=1.5)", "argument 'device' must be torch.device, not float"),
]


@pytest.mark.parametrize(("line", "text"), WRONG_CALLS, ids=[line for line, _ in WRONG_CALLS])
def test_a_wrong_call_is_told_in_pytorchs_words(line: str, text: str) -> None:
    with pytest.raises(TypeError) as raised:
        eval(line, {"torch": torch})
    assert text in str(raised.value) and "not supported between" not in str(raised.value)
    assert "_size" not in str(raised.value) and "\n" not in str(raised.value)
