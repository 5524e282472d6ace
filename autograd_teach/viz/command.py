"""`autograd-teach graph script.py:variable -o graph.svg`: run a script and draw a graph of it."""

from __future__ import annotations

import argparse
import contextlib
import difflib
import runpy
import sys
import traceback
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from autograd_teach.course.errors import UserError
from autograd_teach.viz.export import ENDINGS, save
from autograd_teach.viz.facts import is_tensor
from autograd_teach.viz.naming import tensors_in
from autograd_teach.viz.player import play
from autograd_teach.viz.view import View, graph


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `autograd-teach graph`."""
    parser.add_argument(
        "place", metavar="SCRIPT:VARIABLE", help="a Python file, and a tensor, a list of tensors or a view in it"
    )
    parser.add_argument(
        "-o",
        "--output",
        type=Path,
        metavar="FILE",
        help=f"write to FILE, replacing it, instead of printing text; the ending says what: {', '.join(ENDINGS)}",
    )
    parser.add_argument("--saved", action="store_true", help="also show the tensors that each operation saves")
    parser.add_argument(
        "--play", action="store_true", help="show the backward pass step by step; in .html you can step through it"
    )


def run(arguments: argparse.Namespace) -> int:
    """Draw the graph; without `--output`, print it as text."""
    path, separator, variable = arguments.place.rpartition(":")
    if not separator or not variable or not path:
        raise UserError(
            f"say which variable of the script to draw: autograd-teach graph {arguments.place or 'script.py'}:loss"
        )
    if arguments.output is not None and arguments.output.suffix.lower() not in ENDINGS:
        raise UserError(f"unknown file type {arguments.output.name!r}: the name must end in {', '.join(ENDINGS)}")
    variables = _ran(Path(path))
    named = dict(tensors_in(variables))
    # The name that pictures show (`weights[0]`, `model.weight`), or a path of attributes.
    thing = named[variable] if variable in named else _found(variables, variable, path)
    view = _view(thing, named, arguments)
    if not view.snapshot.nodes and view.kind != "chart":
        raise UserError(f"{variable}: {' '.join(view.snapshot.notes)}")
    if arguments.output is None:
        print(view.text)
        return 0
    try:
        print(f"wrote {save(view, arguments.output)}")
    except ValueError as error:
        raise UserError(str(error)) from None
    except OSError as error:
        raise UserError(f"cannot write {arguments.output}: {error.strerror or error}") from None
    return 0


def _ran(path: Path) -> dict[str, Any]:
    """The variables of a script after a run as with `python script.py`."""
    if not path.is_file():
        raise UserError(f"there is no file {path}")
    try:
        with _as_script(path):
            return runpy.run_path(str(path), run_name="__main__")
    except BrokenPipeError:  # nobody reads what the script prints: `... | head`
        raise
    except SystemExit as leaving:
        if leaving.code not in (None, 0):
            raise UserError(f"{path} exited with status {leaving.code}, so its variables are lost") from None
        raise UserError(f"{path} calls sys.exit(), so its variables are lost: remove the call") from None
    # Any error of the script: the traceback that Python would print, from the script's first line
    # on.
    except Exception as error:  # noqa: BLE001
        frames = [f for f in traceback.extract_tb(error.__traceback__) if f.filename not in (__file__, runpy.__file__)]
        frames = [f for f in frames if not f.filename.startswith("<frozen")]
        told = traceback.format_list(frames) + traceback.format_exception_only(error)
        print("Traceback (most recent call last):\n" + "".join(told), end="", file=sys.stderr)
        raise UserError(f"{path} raises {type(error).__name__}; the traceback is above") from None


@contextlib.contextmanager
def _as_script(path: Path) -> Iterator[None]:
    arguments, folders = sys.argv, sys.path.copy()
    sys.argv, sys.path[:0] = [str(path)], [str(path.resolve().parent)]
    try:
        yield
    finally:
        sys.argv, sys.path[:] = arguments, folders


def _found(variables: Mapping[str, Any], variable: str, path: str) -> Any:
    """The value of a name like `loss` or `model.loss`."""
    first, *rest = variable.split(".")
    if first not in variables:
        drawn = [name for name, thing in variables.items() if is_tensor(thing) or isinstance(thing, View)]
        near = difflib.get_close_matches(first, drawn, 1) or drawn[:3]
        hint = f"; did you mean {' or '.join(near)}?" if near else " and no tensor"
        raise UserError(f"{path} has no variable {first}{hint}")
    thing = variables[first]
    for name in rest:
        if not hasattr(thing, name):
            raise UserError(f"{first} of {path} has no attribute {name}")
        thing = getattr(thing, name)
    return thing


def _view(thing: Any, names: Mapping[str, Any], arguments: argparse.Namespace) -> View:
    if isinstance(thing, View):
        return thing
    if arguments.play:
        return play(thing, names=names)
    outputs = thing if isinstance(thing, (list, tuple)) else [thing]
    return graph(*outputs, names=names, saved=arguments.saved)
