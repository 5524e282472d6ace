"""Writes autograd_teach/absent.txt: the public names of PyTorch 2.13, and the keywords of the functions that both packages have.

Run it from the repository's folder, where PyTorch 2.13.0 is installed: `python -m tests.parity.record_names`. A line is
`torch.fft: fft fft2 ...` for a module or class, `torch.sum(): dim dtype ...` for what can be called. The first is that of torch.Tensor.
"""

import functools
import importlib
import inspect
import pkgutil
import re
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

import autograd_teach
from autograd_teach import absent

FACES = ("torch.Tensor", "torch.nn.Module", *absent.FACES)
# What `torch.sum(x, axis=0)` may call `dim`, and so on: the parser of arguments knows these, no signature shows them.
NUMPY_NAMES = {"dim": ["axis"], "keepdim": ["keepdims"], "other": ["x2"], "input": ["a", "x", "x1"]}


def names(face: Any) -> list[str]:
    """The public names of a module or class of PyTorch, without the modules of others that it imports."""
    own = {n for n in dir(face) if n[0] != "_" and not _is_foreign(face, getattr(face, n, None))}
    return sorted(own - {"TYPE_CHECKING"} | set(submodules(face)))


def submodules(face: Any) -> list[str]:
    return [info.name for info in pkgutil.iter_modules(getattr(face, "__path__", ())) if info.name[0] != "_"]


def _is_foreign(face: Any, thing: Any) -> bool:
    if isinstance(thing, types.ModuleType):
        return not thing.__name__.startswith(f"{face.__name__}.")
    typing_names = getattr(thing, "__module__", None) in ("typing", "typing_extensions", "collections.abc")
    module = inspect.getmodule(thing)
    return typing_names or (module is not None and not module.__name__.startswith(("torch", "builtins")))


def keywords(path: str, call: Callable[..., Any]) -> set[str]:
    """The names of the parameters of what is called `path`, as its signature says, or its operators in PyTorch's library."""
    try:
        parameters = inspect.signature(call).parameters.values()
        found = {p.name for p in parameters if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)}
    except (TypeError, ValueError):
        face, _, name = path.rpartition(".")
        prefix = {"torch.linalg": "linalg_", "torch.special": "special_", "torch.fft": "fft_"}.get(face, "")
        schemas = torch._C._jit_get_schemas_for_operator(f"aten::{prefix}{name}")
        found = {a.name for schema in schemas if "Tensor" in str(schema) for a in schema.arguments}
        if "layout" in found:
            found.add("requires_grad")
        shown = re.findall(rf"^ *(?:\.\. \w+:: )?{name}\((.*)\)", call.__doc__ or "", re.MULTILINE)
        found |= {word for line in shown for word in re.findall(r"(\w+)(?=[,=)]|$)", re.sub(r"=[^,]*", "", line))}
    found |= {alias for name in found & set(NUMPY_NAMES) for alias in NUMPY_NAMES[name]}
    return {name for name in found - {"self", "cls", "Tensor", "bool"} if name.isidentifier() and name[0] != "_"}


if __name__ == "__main__":
    lines = []
    for face in FACES:
        importlib.import_module(face) if face not in ("torch.Tensor", "torch.nn.Module") else None
        thing = functools.reduce(getattr, face.split(".")[1:], torch)
        ours: Any = functools.reduce(lambda o, n: getattr(o, n, None), face.split(".")[1:], autograd_teach)
        lines.append(f"{face}: {' '.join(names(thing))}")
        lines += [f"{face}.{name}:" for name in submodules(thing) if f"{face}.{name}" not in FACES]
        for name in names(thing):
            call = getattr(thing, name, None)
            if callable(call) and callable(getattr(ours, name, None)) and (found := keywords(f"{face}.{name}", call)):
                lines.append(f"{face}.{name}(): {' '.join(sorted(found))}")
    path = Path(autograd_teach.__file__).with_name("absent.txt")
    path.write_text("\n".join(lines) + "\n")
    print(f"recorded {len(lines)} lines, {path.stat().st_size} bytes, of {torch.__version__}")
