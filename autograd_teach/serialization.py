"""`torch.save` and `torch.load`: tensors and plain containers of them, in a file that contains data and never code.

The file is an uncompressed zip. `tree.json` describes the containers, and the geometry of each
tensor in its memory. Each memory is a member such as `memory/0.npy`, which NumPy can read. Nothing
is pickled: reading a pickle can run any program, so files of PyTorch's own `torch.save` are
refused.
"""

from __future__ import annotations

import io
import os
from collections import OrderedDict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from . import dtypes
from .creation import device
from .errors import error, require
from .geometry import Geometry, geometry_of, memory_of, owner_of, strided_view
from .nn.module import Module
from .nn.parameter import Parameter, typename
from .optim.optimizer import Optimizer
from .tensor import Size, Tensor, wrap

if TYPE_CHECKING:
    import zipfile  # loaded only by programs that save or load

_FORMAT = "autograd_teach 1"
_PLAIN = (type(None), bool, int, float, str)  # the types that JSON has
_SEQUENCES: dict[str, Any] = {"list": list, "tuple": tuple, "Size": Size, "set": set, "frozenset": frozenset}
_DICTS: dict[str, Any] = {"dict": dict, "OrderedDict": OrderedDict}
_DTYPES = {d.name: d for d in dtypes.ALL}


def save(obj: Any, f: Any, pickle_module: Any = None, pickle_protocol: int = 2) -> None:
    """Write tensors, and dicts, lists and tuples of them, to a file that `torch.load` reads.

    obj: a tensor, a parameter, a number, a string, None, a dtype, a Size or a device, or a dict
    (also an OrderedDict), list, tuple or set of them, nested to any depth; most often
    `module.state_dict()` or `optimizer.state_dict()`. f: a file name, or a file object open for
    writing bytes. A named file is written completely or not at all: an interruption leaves the old
    file. Tensors that share memory share it after loading too; `.grad` and history are not saved.
    `pickle_module` and `pickle_protocol` are ignored: the format is this package's own. TypeError
    for other objects, such as a module itself; RuntimeError if the folder does not exist.

    >>> import io, autograd_teach as torch
    >>> file = io.BytesIO()
    >>> torch.save({"epoch": 3, "weights": torch.tensor([1.0, 2.0])}, file)
    >>> _ = file.seek(0)
    >>> torch.load(file)
    {'epoch': 3, 'weights': tensor([1., 2.])}
    """
    from .files import replace

    is_path = isinstance(f, (str, os.PathLike))
    require(is_path or hasattr(f, "write"), "save_where")
    data = _Writer().file_of(obj)
    if not is_path:
        f.write(data)
        return
    path = Path(os.path.realpath(f))  # a symbolic link is kept
    require(path.parent.is_dir(), "save_folder", os.path.dirname(os.fspath(f)))
    if path.exists() and not path.is_file():  # a device or a pipe, which cannot be replaced
        path.write_bytes(data)
    else:
        replace(path, data)


def load(f: Any, map_location: Any = None, pickle_module: Any = None, *, weights_only: bool | None = None,
         mmap: bool | None = None, **pickle_load_args: Any) -> Any:  # fmt: skip
    """Read a file that `torch.save` of this package wrote.

    f: a file name, or a file object open for reading bytes, read from its current position.
    map_location: "cpu" or a function, ignored; NotImplementedError for another device. The other
    options are ignored too: in PyTorch they control unpickling, and here no code is ever run.
    NotImplementedError for a pickle, including PyTorch's own files; the error says how to convert
    them. RuntimeError if the file is damaged.

    >>> import os, tempfile, autograd_teach as torch
    >>> layer, folder = torch.nn.Linear(2, 1), tempfile.mkdtemp()
    >>> torch.save(layer.state_dict(), os.path.join(folder, "layer.pt"))
    >>> layer.load_state_dict(torch.load(os.path.join(folder, "layer.pt")))
    <All keys matched successfully>
    """
    import zipfile

    for place in map_location.values() if isinstance(map_location, dict) else (map_location,):
        if place is not None and not callable(place):
            device(place)  # raises unless it is the CPU
    if isinstance(f, (str, os.PathLike)):
        name, data = os.fspath(f), Path(f).read_bytes()
    else:
        require(hasattr(f, "read") and hasattr(f, "seek"), "load_what", type(f).__name__)
        name, data = getattr(f, "name", "the file object"), f.read()
    is_pickle = data[:1] == b"\x80" or data[:2] in (b"(d", b"(l", b"cc")  # protocol 2 and later, or 0
    require(not is_pickle, "load_pickle", name)
    require(zipfile.is_zipfile(io.BytesIO(data)), "load_foreign", name)
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as members:
            names = members.namelist()
            require(not any(member.endswith(".pkl") for member in names), "load_pickle", name)
            require("tree.json" in names, "load_foreign", name)
            return _Reader(members).obj
    except (ValueError, LookupError, TypeError, AttributeError, OverflowError, RecursionError, EOFError,
            zipfile.BadZipFile) as problem:  # fmt: skip
        raise error("load_damaged", name, f"{type(problem).__name__}: {problem}") from problem


class _Writer:
    """The tree, the tensors and the memories of one file."""

    def __init__(self) -> None:
        self.tensors: list[dict[str, Any]] = []
        self.memories: list[np.ndarray] = []
        self.numbers: dict[int, int] = {}  # by id, of tensors and of arrays that own memory
        self.open: set[int] = set()  # the ids of the enclosing containers

    def file_of(self, obj: Any) -> bytes:
        import json
        import zipfile

        tree = self.node(obj, "the object")
        text = json.dumps({"format": _FORMAT, "tensors": self.tensors, "tree": tree}, indent=1)
        file = io.BytesIO()
        with zipfile.ZipFile(file, "w") as members:
            members.writestr(zipfile.ZipInfo("tree.json"), text)
            for number, memory in enumerate(self.memories):
                with members.open(zipfile.ZipInfo(f"memory/{number}.npy"), "w", force_zip64=True) as member:
                    np.lib.format.write_array(member, memory, (1, 0), allow_pickle=False)
        return file.getvalue()

    def node(self, value: Any, where: str) -> Any:
        """A value as JSON; `where` is its path, for error messages."""
        kind = type(value)
        if kind in _PLAIN:
            return value
        if kind in (Tensor, Parameter):
            return {"tensor": self.number_of(value)}
        if kind is dtypes.dtype:
            return {"dtype": value.name}
        if kind is device:
            return {"device": str(value)}
        if kind not in (*_SEQUENCES.values(), *_DICTS.values()):
            self.refuse(value, where)
        require(id(value) not in self.open, "save_cycle", where)
        self.open.add(id(value))
        if kind in _SEQUENCES.values():
            node: dict[str, Any] = {kind.__name__: [self.node(v, f"{where}[{i}]") for i, v in enumerate(value)]}
        else:
            pairs = [[self.node(k, f"a key of {where}"), self.node(v, f"{where}[{k!r}]")] for k, v in value.items()]
            node = {kind.__name__: pairs}
            if kind is OrderedDict and vars(value).get("_metadata") is not None:  # a module's `state_dict` has it
                node["metadata"] = self.node(value._metadata, f"{where}._metadata")
        self.open.remove(id(value))
        return node

    def refuse(self, value: Any, where: str) -> None:
        name = typename(type(value))
        if isinstance(value, (Module, Optimizer)):
            raise error("save_object", name, where, "optimizer" if isinstance(value, Optimizer) else "module")
        if isinstance(value, (np.ndarray, np.generic)):
            raise error("save_array", name, where, "torch.from_numpy(...)" if value.ndim else ".item()")
        raise error("save_type", name, where)

    def number_of(self, tensor: Tensor) -> int:
        if id(tensor) not in self.numbers:
            owner = owner_of(tensor._array)
            if id(owner) not in self.numbers:
                self.numbers[id(owner)] = len(self.memories)
                self.memories.append(memory_of(owner))
            self.numbers[id(tensor)] = len(self.tensors)
            self.tensors.append({
                "memory": self.numbers[id(owner)], **geometry_of(tensor._array)._asdict(),
                "requires_grad": tensor.requires_grad, "parameter": isinstance(tensor, Parameter),
            })  # fmt: skip
        return self.numbers[id(tensor)]


class _Reader:
    """Reads the object of a file. ValueError and the like if the parts of the file contradict each other."""

    def __init__(self, members: zipfile.ZipFile) -> None:
        import json

        for member in members.infolist():
            _check(member.compress_type == 0, f"{member.filename} is compressed")
        self.members = members
        tree = json.loads(members.read("tree.json"))
        _check(tree["format"] == _FORMAT, f"the format is {tree['format']!r}, not {_FORMAT!r}")
        self.memories: dict[int, np.ndarray] = {}
        self.tensors = [self.tensor_of(**facts) for facts in tree["tensors"]]
        self.obj = self.value(tree["tree"])

    def memory(self, number: int) -> np.ndarray:
        if number not in self.memories:
            data = self.members.read(f"memory/{int(number)}.npy")
            file = io.BytesIO(data)
            _check(np.lib.format.read_magic(file) == (1, 0), "an array has another version")
            shape, _, kind = np.lib.format.read_array_header_1_0(file)
            dtypes.of_array(np.empty(0, kind))  # raises for an unsupported dtype
            # Not NumPy's own reader: the header of a damaged file may ask for any amount of memory.
            memory = self.memories[number] = np.frombuffer(data, kind, offset=file.tell()).copy()
            _check(memory.shape == shape, "an array has another size than it says")
        return self.memories[number]

    def tensor_of(self, memory: int, size: list[int], stride: list[int], offset: int, requires_grad: bool,
                  parameter: bool) -> Tensor:  # fmt: skip
        array, place = self.memory(memory), Geometry(size, stride, offset)
        _check(all(isinstance(n, int) and n >= 0 for n in (*size, *stride, offset)), "a negative size")
        _check(len(size) == len(stride) and place.extent <= array.size, "a tensor lies outside its memory")
        tensor = wrap(strided_view(array, place))
        return Parameter(tensor, bool(requires_grad)) if parameter else tensor.requires_grad_(bool(requires_grad))

    def value(self, node: Any) -> Any:
        if not isinstance(node, dict):
            _check(isinstance(node, _PLAIN), "a list that is none")
            return node
        kind = next(iter(node), "")
        content = node[kind]
        if kind == "tensor":
            return self.tensors[content]
        if kind == "dtype":
            return _DTYPES[content]
        if kind == "device":
            return device(content)
        if kind in _SEQUENCES:
            return _SEQUENCES[kind]([self.value(v) for v in content])
        made = _DICTS[kind]((self.value(k), self.value(v)) for k, v in content)
        if "metadata" in node:
            made._metadata = self.value(node["metadata"])
        return made


def _check(holds: Any, problem: str) -> None:
    if not holds:
        raise ValueError(problem)
