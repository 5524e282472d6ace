"""Errors for names that PyTorch has and this package does not: one sentence says so, and what to do instead.

`absent.txt` lists PyTorch's names, recorded by tests/parity/record_names.py. Only a name that
Python did not find is looked up there. Modules answer through `__getattr__`, imports through a
finder that comes last, and tensors through a base class: `Tensor.__getattr__` would make every
operation 17 % slower (Python 3.11).
"""

from __future__ import annotations

import functools
import re
import sys
from pathlib import Path
from typing import Any, NoReturn

_DATA = Path(__file__).with_suffix(".txt")
_PACKAGE = __package__
# PyTorch's modules whose missing names are explained, also in modules that do not exist here.
FACES = (
    "torch", "torch.accelerator", "torch.autograd", "torch.autograd.forward_ad", "torch.autograd.functional", "torch.autograd.graph",
    "torch.backends", "torch.cuda", "torch.distributions", "torch.fft", "torch.func", "torch.linalg", "torch.nn", "torch.nn.functional", "torch.nn.init",
    "torch.nn.utils", "torch.nn.utils.rnn", "torch.optim", "torch.optim.lr_scheduler", "torch.random", "torch.special",
    "torch.utils", "torch.utils.data",
)  # fmt: skip
_LEAVE = "change the import line back to `import torch`, and your program runs there unchanged"
# Where else PyTorch has the functions of a module, with the same meaning: a missing name is
# searched there.
_NEAR = {
    "torch": ("torch.Tensor", "torch.nn.functional"),
    "torch.Tensor": ("torch",),
    "torch.nn.functional": ("torch",),
    "torch.special": ("torch",),
}
_INSTEAD = {"torch.cholesky": "torch.linalg.cholesky"}
# What to do instead, if it is more than using another name.
_ADVICE = {
    "torch.func": "use `torch.autograd.grad` or `torch.autograd.functional.jacobian` instead",
    "torch.optim.lr_scheduler": 'set `group["lr"]` of each `group` in `optimizer.param_groups`',
    "torch.special": "use the functions of `torch`, such as `torch.erf`; `expit` is `torch.sigmoid`",
    "torch.utils": "slice the tensors instead of using a `DataLoader`, as in `for i in range(0, len(x), 64): batch = x[i : i + 64]`",
    "torch.vmap": "call the function in a loop, and `torch.stack` the results",
}


@functools.cache
def _recorded() -> dict[str, frozenset[str]]:
    """PyTorch's names by module or class, such as "torch.fft"; keywords by "torch.sum()"."""
    lines = (line.partition(":") for line in _DATA.read_text("utf-8").splitlines())
    return {face: frozenset(words.split()) for face, _, words in lines}


def _module(face: str) -> Any:
    return sys.modules.get(_PACKAGE + face.removeprefix("torch"))


def _names_here(face: str) -> list[str]:
    """The names of PyTorch's module or class `face` that exist here; empty if it does not exist here."""
    parent, _, last = face.rpartition(".")
    thing = _module(face) or vars(_module(parent)).get(last)
    return [name for name in dir(thing) if name in _recorded()[face]] if thing else []


def _instead(face: str, name: str) -> str | None:
    """Another name that is here, if one is obvious."""
    modules = _recorded().keys()
    if f"{face}.{name}" in modules | _INSTEAD.keys():
        return _INSTEAD.get(f"{face}.{name}")
    # PyTorch's deprecated names, such as `init.normal` for `init.normal_`.
    old = [(face, f"{name}_")] if face in ("torch.nn.init", "torch.nn.utils") else []
    guesses = [(other, name) for other in _NEAR.get(face, ())] + old
    found = (f"{other}.{word}" for other, word in guesses if word in _names_here(other))
    return next((path for path in found if path not in modules), None)


def method_that_is_a_function(name: str) -> Any:
    """The method `name` of tensors if PyTorch has it as a function of `torch` too, else None.

    >>> method_that_is_a_function("relu_").__qualname__, method_that_is_a_function("backward")
    ('Tensor.relu_', None)
    """
    method = getattr(_module("torch").Tensor, name, None)
    # The table is read only if there is such a method. `torch.cpu` is a module.
    is_function = callable(method) and name in _recorded()["torch"] - {"cpu"}
    return method if is_function else None


def _advice(face: str, name: str) -> str:
    """What to do without PyTorch's `name`."""
    is_method = face in ("torch.Tensor", "torch.nn.Module")
    if face == "torch.cuda" or (is_method and name in ("cuda", "ipu", "xpu")):
        return f"there is no GPU here: remove `{f'.{name}()' if is_method else f'{face}.{name}'}`"
    other = _instead(face, name)
    return _ADVICE.get(f"{face}.{name}") or (f"use `{other}` instead" if other else _LEAVE)


def _close(face: str, name: str) -> str | None:
    from difflib import get_close_matches

    return next(iter(get_close_matches(name, _names_here(face), 1, 0.7)), None)


@functools.cache
def sentence(face: str, name: str) -> str:
    """Why PyTorch's module or class `face` lacks `name` here, and what to write instead.

    >>> sentence("torch", "compile")
    'PyTorch has `torch.compile`, but autograd_teach does not: change the import line back to `import torch`, and your program runs there unchanged.'
    >>> sentence("torch", "tensro")
    'Neither autograd_teach nor PyTorch has `torch.tensro`: did you mean `torch.tensor`?'
    """
    if name.startswith("_") or face not in _recorded():
        return f"module '{_PACKAGE}{face.removeprefix('torch')}' has no attribute {name!r}"
    if name in _recorded()[face]:
        return f"PyTorch has `{face}.{name}`, but autograd_teach does not: {_advice(face, name)}."
    if face == "torch" and (_DATA.parent / name / "__init__.py").exists():
        return f"`{_PACKAGE}.{name}` must be imported by itself: write `import {_PACKAGE}.{name}` first."
    close = _close(face, name)
    guess = f": did you mean `{face}.{close}`?" if close else "."
    return f"Neither autograd_teach nor PyTorch has `{face}.{name}`{guess}"


class _Later:
    """A message that is formatted when it is shown: `hasattr` discards most of them."""

    def __init__(self, face: str, name: str) -> None:
        self.asked = face, name

    def __str__(self) -> str:
        return sentence(*self.asked)

    def __repr__(self) -> str:
        return repr(str(self))


def attribute_error(face: str, name: str, unknown: str = "") -> AttributeError:
    """The error for a missing attribute, with the text `unknown` (if given) for a name that PyTorch lacks too."""
    if unknown and name not in _recorded()[face]:
        return AttributeError(unknown)
    # With `obj=None`, Python adds no suggestion of its own.
    return AttributeError(_Later(face, name), name=name, obj=None)


def keyword_error(name: str, error: TypeError) -> TypeError:
    """`error`, or a better one if it is about a keyword that PyTorch's function `name` takes."""
    found = re.search(r"got an unexpected keyword argument '(\w+)'", str(error))
    for path in (f"torch.{name}", f"torch.Tensor.{name}"):
        if found and found[1] in _recorded().get(f"{path}()", ()):
            takes = f"PyTorch's `{path}` takes `{found[1]}=`, but autograd_teach's does not"
            return TypeError(f"{takes}: {'assign the result' if found[1] == 'out' else f'leave it out, or {_LEAVE}'}.")
    return error


# Modules


class Finder:
    """An import hook. Python calls it for modules that do not exist, also for `from autograd_teach import vmap`."""

    @staticmethod
    def find_spec(fullname: str, path: Any = None, target: Any = None) -> None:
        """Raise ImportError for a name of PyTorch or a mistyped one. Else return None: Python raises its own error."""
        package, _, name = fullname.rpartition(".")
        face = package.replace(_PACKAGE, "torch", 1)
        if not package.startswith(_PACKAGE) or name.startswith("_") or face not in _recorded():
            return
        folder = _DATA.parent.joinpath(*package.split(".")[1:])
        if (folder / name).exists() or (folder / f"{name}.py").exists():
            return  # left to other importers, such as pytest's
        if name in _recorded()[face] or _close(face, name):
            # No `name=`: with it, Python would treat this as a missing submodule and replace the
            # message.
            is_module = f"{face}.{name}" in _recorded()
            raise (ModuleNotFoundError if is_module else ImportError)(sentence(face, name))


def answer() -> None:
    """Install the messages for missing names, in the modules and for imports."""
    for face in FACES:
        if module := _module(face):
            vars(module).setdefault("__getattr__", functools.partial(_raise, face))
            # `from ... import name` asks the finder for packages only.
            vars(module).setdefault("__path__", [])
    sys.meta_path.append(Finder)


def _raise(face: str, name: str) -> NoReturn:
    raise attribute_error(face, name)


# Tensors


class _Absent(str):
    """Raises for an attribute that only PyTorch's tensors have; subclasses and instances may define it."""

    def __get__(self, instance: Any, owner: Any = None) -> NoReturn:
        raise attribute_error("torch.Tensor", str(self))


class _NamesType(type):
    def __dir__(cls) -> list[str]:
        return sorted({name for base in cls.__mro__ if base is not PyTorchNames for name in vars(base)})


class PyTorchNames(metaclass=_NamesType):
    """The base class of Tensor: raises for attributes that only PyTorch's tensors have, and keeps them out of `dir`."""

    __slots__ = ()
    with _DATA.open(encoding="utf-8") as _file:  # the first line only: the others are read when needed
        locals().update((name, _Absent(name)) for name in _file.readline().split()[1:])
    del _file

    def __dir__(self) -> list[str]:
        return sorted({*vars(self), *dir(type(self))})
