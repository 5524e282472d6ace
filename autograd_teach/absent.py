"""What PyTorch has and this package has not: one sentence that says so, and what to do, wherever such a name is used.

`absent.txt`, recorded from PyTorch by tests/parity/record_names.py, lists PyTorch's names. What is missing is found when it is
asked for: the names that Python did not find here. Modules answer by `__getattr__`, imports by a finder after all others, and
tensors by a base class: `Tensor.__getattr__` would make every operation 17 % slower (Python 3.11).
"""

from __future__ import annotations

import functools
import re
import sys
from pathlib import Path
from typing import Any, NoReturn

_DATA = Path(__file__).with_suffix(".txt")
_PACKAGE = __package__
# The modules that answer, as far as they are here.
FACES = (
    "torch", "torch.accelerator", "torch.autograd", "torch.autograd.forward_ad", "torch.autograd.functional", "torch.autograd.graph",
    "torch.backends", "torch.cuda", "torch.distributions", "torch.fft", "torch.func", "torch.linalg", "torch.nn", "torch.nn.functional", "torch.nn.init",
    "torch.nn.utils", "torch.nn.utils.rnn", "torch.optim", "torch.optim.lr_scheduler", "torch.random", "torch.special",
    "torch.utils", "torch.utils.data",
)  # fmt: skip
_LEAVE = "change the import line back to `import torch`, and your program runs there unchanged"
# Where a name may be found here that PyTorch also has elsewhere, with the same meaning.
_NEAR = {
    "torch": ("torch.Tensor", "torch.nn.functional"),
    "torch.Tensor": ("torch",),
    "torch.nn.functional": ("torch",),
    "torch.special": ("torch",),
}
_INSTEAD = {"torch.cholesky": "torch.linalg.cholesky"}
# What to do instead, where another name alone does not say it.
_ADVICE = {
    "torch.func": "use `torch.autograd.grad` or `torch.autograd.functional.jacobian` instead",
    "torch.optim.lr_scheduler": 'set `group["lr"]` of each `group` in `optimizer.param_groups`',
    "torch.special": "its functions are in `torch`, as `torch.erf`, and `expit` is `torch.sigmoid`",
    "torch.utils": "instead of a `DataLoader` slice the tensors, as in `for i in range(0, len(x), 64): batch = x[i : i + 64]`",
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
    """Our names of what PyTorch calls `face`; none if there is no such module here."""
    parent, _, last = face.rpartition(".")
    thing = _module(face) or vars(_module(parent)).get(last)
    return [name for name in dir(thing) if name in _recorded()[face]] if thing else []


def _instead(face: str, name: str) -> str | None:
    """Another name that is here, if one is obvious."""
    modules = _recorded().keys()
    if f"{face}.{name}" in modules | _INSTEAD.keys():
        return _INSTEAD.get(f"{face}.{name}")
    # PyTorch's old names, such as `init.normal` of `init.normal_`.
    old = [(face, f"{name}_")] if face in ("torch.nn.init", "torch.nn.utils") else []
    guesses = [(other, name) for other in _NEAR.get(face, ())] + old
    found = (f"{other}.{word}" for other, word in guesses if word in _names_here(other))
    return next((path for path in found if path not in modules), None)


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
    """Why `name` is missing in what PyTorch calls `face`, and what to write instead.

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
    """A message that is written when it is shown: `hasattr` throws most of them away."""

    def __init__(self, face: str, name: str) -> None:
        self.asked = face, name

    def __str__(self) -> str:
        return sentence(*self.asked)

    def __repr__(self) -> str:
        return repr(str(self))


def attribute_error(face: str, name: str, unknown: str = "") -> AttributeError:
    """To be raised for a missing attribute; `unknown` is said, if given, of a name that PyTorch does not have either."""
    if unknown and name not in _recorded()[face]:
        return AttributeError(unknown)
    # Python would add a guess of its own, were it not told that the name belongs to None.
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
    """Asked by Python for modules that do not exist, also by `from autograd_teach import vmap`."""

    @staticmethod
    def find_spec(fullname: str, path: Any = None, target: Any = None) -> None:
        """ImportError for a name that PyTorch has, or for a mistyped one; else None, and Python says that there is none."""
        package, _, name = fullname.rpartition(".")
        face = package.replace(_PACKAGE, "torch", 1)
        if not package.startswith(_PACKAGE) or name.startswith("_") or face not in _recorded():
            return
        folder = _DATA.parent.joinpath(*package.split(".")[1:])
        if (folder / name).exists() or (folder / f"{name}.py").exists():
            return  # another importer's to find, such as pytest's
        if name in _recorded()[face] or _close(face, name):
            # Without a `name`: Python would take it for a submodule that may be missing, and replace our sentence.
            is_module = f"{face}.{name}" in _recorded()
            raise (ModuleNotFoundError if is_module else ImportError)(sentence(face, name))


def answer() -> None:
    """Let our modules and imports answer for PyTorch's names."""
    for face in FACES:
        if module := _module(face):
            vars(module).setdefault("__getattr__", functools.partial(_raise, face))
            # Only of packages does `from ... import name` ask the finder.
            vars(module).setdefault("__path__", [])
    sys.meta_path.append(Finder)


def _raise(face: str, name: str) -> NoReturn:
    raise attribute_error(face, name)


# Tensors


class _Absent(str):
    """A name in the place of one of PyTorch's attributes of tensors: raises. What a class or a tensor has itself comes first."""

    def __get__(self, instance: Any, owner: Any = None) -> NoReturn:
        raise attribute_error("torch.Tensor", str(self))


class _NamesType(type):
    def __dir__(cls) -> list[str]:
        return sorted({name for base in cls.__mro__ if base is not PyTorchNames for name in vars(base)})


class PyTorchNames(metaclass=_NamesType):
    """The base of Tensor: raises for what only PyTorch's tensors have, and lists what ours have."""

    __slots__ = ()
    with _DATA.open(encoding="utf-8") as _file:  # only its first line: all others are read when needed
        locals().update((name, _Absent(name)) for name in _file.readline().split()[1:])
    del _file

    def __dir__(self) -> list[str]:
        return sorted({*vars(self), *dir(type(self))})
