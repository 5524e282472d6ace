"""What Shift-Tab shows: each public name has its true signature, its module, a docstring with a running example, and pickles."""

from __future__ import annotations

import builtins
import doctest
import importlib
import inspect
import pickle
import pkgutil
import re
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import pytest

import autograd_teach as torch
from autograd_teach import ops

FACES = {
    "torch": torch, "torch.autograd": torch.autograd, "torch.autograd.functional": torch.autograd.functional,
    "torch.autograd.graph": torch.autograd.graph, "torch.linalg": torch.linalg, "torch.nn": torch.nn,
    "torch.nn.functional": torch.nn.functional, "torch.nn.init": torch.nn.init, "torch.nn.utils": torch.nn.utils,
    "torch.optim": torch.optim,
}  # fmt: skip
# Constants that a docstring cannot be attached to, and PyTorch's type names, which one sentence serves.
_SPEAK_FOR_THEMSELVES = (torch.dtype, torch.Generator, bool, int, float, str)


def public() -> Iterator[tuple[str, Any]]:
    """Every function and class that users reach through PyTorch's names."""
    for face, module in FACES.items():
        for name in getattr(module, "__all__", dir(module)):
            thing = getattr(module, name)
            foreign = isinstance(thing, (ModuleType, *_SPEAK_FOR_THEMSELVES)) or not callable(thing)
            ours = getattr(thing, "__module__", "").startswith(("autograd_teach", "torch"))
            if not name.startswith("_") and ours and not foreign:
                yield f"{face}.{name}", thing


PUBLIC = dict(public())


@pytest.mark.parametrize("name", PUBLIC)
def test_a_name_says_what_it_computes_and_shows_it(name: str) -> None:
    documentation = inspect.getdoc(PUBLIC[name]) or ""
    first = documentation.partition("\n")[0]
    assert re.search(r"[.:]$", first), f"the first line is not a sentence: {first!r}"
    assert not first.startswith("See "), first
    assert ">>> " in documentation, "no example"


def examples() -> Iterator[doctest.DocTest]:
    """The examples of rows and methods, which `pytest --doctest-modules` does not see: they are not the `def`s that they stand on."""
    parser = doctest.DocTestParser()
    for name, thing in vars(torch.Tensor).items():
        text = textwrap.dedent(getattr(thing, "__doc__", None) or "")
        is_own = getattr(thing, "__module__", torch.Tensor.__module__) == torch.Tensor.__module__
        if is_own and (found := parser.get_examples(text)):
            yield doctest.DocTest(found, {"torch": torch}, f"Tensor.{name}", torch.Tensor.__module__, 0, text)
    for info in pkgutil.iter_modules(ops.__path__, f"{ops.__name__}."):
        module = importlib.import_module(info.name)
        for name, thing in vars(module).items():
            text = textwrap.dedent(getattr(thing, "__doc__", None) or "")
            if getattr(thing, "__module__", "") == info.name and (found := parser.get_examples(text)):
                yield doctest.DocTest(found, {"torch": torch}, f"{info.name}.{name}", info.name, 0, text)


@pytest.mark.parametrize(
    "example", list(examples()), ids=lambda example: example.name.removeprefix("autograd_teach.ops.")
)
def test_the_examples_of_operations_run(example: doctest.DocTest) -> None:
    said: list[str] = []
    torch.manual_seed(0)
    result = doctest.DocTestRunner(verbose=False).run(example, out=said.append)
    assert result.failed == 0, "".join(said)


SIGNATURES = """
import inspect, pickle, sys
import autograd_teach as torch
for face in sys.argv[1:]:
    module = eval(face)
    for name in getattr(module, "__all__", vars(module)):
        thing = getattr(module, name)
        if inspect.isfunction(thing) and not name.startswith("_"):
            given = inspect.signature(thing).parameters
            assert [p.kind.name for p in given.values()] != ["VAR_POSITIONAL", "VAR_KEYWORD"], f"{face}.{name}{given}"
            assert thing.__module__.startswith("autograd_teach"), f"{face}.{name} says it is from {thing.__module__}"
            assert pickle.loads(pickle.dumps(thing)) is thing, f"{face}.{name}"
for name, method in vars(torch.Tensor).items():
    if inspect.isfunction(method) and not name.startswith("__"):
        assert list(inspect.signature(method).parameters), name
        assert pickle.loads(pickle.dumps(method)) is method, name
"""


def test_functions_show_their_signature_and_pickle_before_their_first_call() -> None:
    """In a process of its own: here most have been called."""
    subprocess.run([sys.executable, "-c", SIGNATURES, *FACES], check=True)


def test_a_function_says_what_it_takes() -> None:
    assert str(inspect.signature(torch.mul)) == "(input, other)"
    assert str(inspect.signature(torch.add)) == "(input, other, *, alpha=1)"
    assert str(inspect.signature(torch.Tensor.mul_)) == "(self, other)"
    assert torch.exp.__module__ == "autograd_teach.ops.pointwise" and torch.exp.__name__ == "exp"
    assert type(torch.ones(2, 3)[0]) is torch.Tensor
    assert builtins.all(pickle.loads(pickle.dumps(f)) is f for f in (torch.exp, torch.sum, torch.Tensor.add_))
