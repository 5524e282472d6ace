"""`torch.save` and `torch.load`: what comes back, what is refused, and that nothing is ever unpickled or half written."""

import io
import json
import os
import pickle
import zipfile
from collections import OrderedDict

import numpy as np
import pytest

import autograd_teach as torch


def again(value, **options):
    """A value after `save` and `load`."""
    file = io.BytesIO()
    torch.save(value, file)
    file.seek(0)
    return torch.load(file, **options)


TREES = {
    "numbers": [0, -(2**70), 1.5, -0.0, float("inf"), True, False, None, "text", "", "ü\n\x00\ud800"],
    "containers": ({"a": [1, (2, [])], 3: {}, None: "x", (1, "b"): 2.5}, (), {1, 2}, frozenset("a")),
    "PyTorch's own": [torch.float16, torch.bool, torch.Size([2, 3]), torch.device("cpu")],
    "order": OrderedDict([("b", 1), ("a", 2)]),
    "one string": "alone",
}


@pytest.mark.parametrize("tree", TREES.values(), ids=TREES.keys())
def test_plain_values_come_back_with_their_types(tree):
    def types(value):
        inner = value.items() if isinstance(value, dict) else value if isinstance(value, (list, tuple)) else ()
        return type(value), [types(v) for v in inner]

    loaded = again(tree)
    assert loaded == tree
    assert types(loaded) == types(tree)
    assert repr(loaded) == repr(tree)


ARRAYS = {
    **{d: torch.tensor([0, 1, 2]).to(getattr(torch, d)) for d in ("float16", "float32", "float64", "uint8", "int8", "int64", "bool")},
    "number": torch.tensor(2.5), "empty": torch.zeros(0, 3), "transposed": torch.arange(6).view(2, 3).t(),
    "every second": torch.arange(6)[::2], "expanded": torch.tensor([[1.0], [2.0]]).expand(2, 3),
    "special": torch.tensor([float("nan"), float("inf"), -0.0]),
}  # fmt: skip


@pytest.mark.parametrize("tensor", ARRAYS.values(), ids=ARRAYS.keys())
def test_tensors_come_back_to_the_last_bit(tensor):
    loaded = again(tensor)
    assert (loaded.dtype, loaded.shape, loaded.stride()) == (tensor.dtype, tensor.shape, tensor.stride())
    assert loaded.numpy().tobytes() == tensor.numpy().tobytes()
    if loaded.stride() == (3, 1):
        loaded.fill_(7)  # it can be written to


def test_shared_memory_stays_shared_and_one_tensor_stays_one():
    x = torch.arange(6.0)
    whole, part, same, other = again([x, x[2:4], x, x.clone()])
    assert whole is same
    part.zero_()
    assert whole.tolist() == [0.0, 1.0, 0.0, 0.0, 4.0, 5.0]
    assert other.tolist() == [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]


def test_parameters_and_leaves_stay_what_they_are():
    p = torch.nn.Parameter(torch.ones(2))
    (p * 2).sum().backward()
    frozen = torch.nn.Parameter(torch.ones(1, dtype=torch.int64), requires_grad=False)
    loaded = again([p, frozen, torch.ones(1, requires_grad=True), p * 2, p.detach()])
    assert [type(t).__name__ for t in loaded] == ["Parameter", "Parameter", "Tensor", "Tensor", "Tensor"]
    assert [t.requires_grad for t in loaded] == [True, False, True, True, False]
    assert all(t.is_leaf and t.grad is None for t in loaded)


def test_training_goes_on_from_a_checkpoint(tmp_path):
    def step(model, optimizer):
        optimizer.zero_grad()
        model(torch.ones(3, 2) * torch.arange(3.0)[:, None]).pow(2).sum().backward()
        optimizer.step()

    def fresh(seed):
        torch.manual_seed(seed)
        model = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.BatchNorm1d(3), torch.nn.Linear(3, 1))
        return model, torch.optim.Adam(model.parameters(), lr=0.1)

    model, optimizer = fresh(0)
    step(model, optimizer)
    torch.save(
        {"model": model.state_dict(), "optimizer": optimizer.state_dict(), "epoch": 1}, tmp_path / "checkpoint.pt"
    )
    step(model, optimizer)
    other, other_optimizer = fresh(1)
    checkpoint = torch.load(tmp_path / "checkpoint.pt", map_location="cpu", weights_only=True)
    assert checkpoint["model"]._metadata == model.state_dict()._metadata
    other.load_state_dict(checkpoint["model"])
    other_optimizer.load_state_dict(checkpoint["optimizer"])
    step(other, other_optimizer)
    assert all(torch.equal(a, b) for a, b in zip(model.state_dict().values(), other.state_dict().values(), strict=True))


def test_numpy_reads_the_memories_alone(tmp_path):
    torch.save({"w": torch.tensor([1.0, 2.0])}, tmp_path / "w.pt")
    with zipfile.ZipFile(tmp_path / "w.pt") as members, members.open("memory/0.npy") as file:
        assert np.load(file, allow_pickle=False).tolist() == [1.0, 2.0]


REFUSED = {
    "module": (lambda: torch.nn.Linear(1, 1), TypeError, r"save module.state_dict\(\)"),
    "optimizer": (
        lambda: [torch.optim.SGD([torch.ones(1)])],
        TypeError,
        r"at the object\[0\] .*save optimizer.state_dict\(\)",
    ),
    "array": (lambda: {"a": np.ones(2)}, TypeError, r"at the object\['a'\]: .*torch.from_numpy"),
    "NumPy's number": (lambda: np.float64(1.0), TypeError, r"\.item\(\)"),
    "object": (lambda: {"a": (1, object())}, TypeError, r"does not save the object at the object\['a'\]\[1\]"),
    "function": (lambda: print, TypeError, "it saves tensors"),
    "complex": (lambda: 1j, TypeError, "it saves tensors"),
    "cycle": (lambda: (a := [1], a.append(a))[0], ValueError, "contain themselves"),
}


@pytest.mark.parametrize(("make", "kind", "message"), REFUSED.values(), ids=REFUSED.keys())
def test_what_cannot_be_saved_is_named_and_leaves_the_old_file(make, kind, message, tmp_path):
    file = tmp_path / "old.pt"
    torch.save("old", file)
    with pytest.raises(kind, match=message):
        torch.save(make(), file)
    assert torch.load(file) == "old"
    assert os.listdir(tmp_path) == ["old.pt"]


class Planted:
    """What runs a program when it is unpickled."""

    def __reduce__(self):
        return os.mkdir, ("planted",)


def _as_pytorch(data):
    """A file as PyTorch's `save` writes it: a zip with a pickle."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as members:
        members.writestr("archive/data.pkl", data)
        members.writestr("archive/version", "3\n")
    return file.getvalue()


@pytest.mark.parametrize("wrap", [bytes, _as_pytorch], ids=["pickle", "PyTorch's file"])
@pytest.mark.parametrize("protocol", [0, 2, 5])
def test_a_pickle_is_refused_and_never_run(wrap, protocol, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "evil.pt").write_bytes(wrap(pickle.dumps({"a": Planted()}, protocol)))
    for options in ({}, {"weights_only": False}, {"pickle_module": pickle}):
        with pytest.raises(NotImplementedError, match="evil.pt: it is a pickle.*numpy.savez"):
            torch.load("evil.pt", **options)
    assert os.listdir(tmp_path) == ["evil.pt"]


def test_an_array_of_objects_inside_is_refused_and_never_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    array = io.BytesIO()
    np.save(array, np.array([Planted()], object), allow_pickle=True)
    with pytest.raises(RuntimeError, match="is damaged"):
        torch.load(_changed(lambda name, data: array.getvalue() if name == "memory/0.npy" else data))
    assert os.listdir(tmp_path) == []


def _changed(change):
    """A file object of a saved tensor whose members `change(name, data)` has changed."""
    saved, file = io.BytesIO(), io.BytesIO()
    torch.save({"w": torch.arange(4.0).view(2, 2)}, saved)
    with zipfile.ZipFile(saved) as old, zipfile.ZipFile(file, "w") as new:
        for name in old.namelist():
            if (data := change(name, old.read(name))) is not None:
                new.writestr(name, data)
    file.seek(0)
    return file


def _told(**facts):
    """A change of what the tree says of the first tensor, or of the whole."""

    def change(name, data):
        if name != "tree.json":
            return data
        tree = json.loads(data)
        tree["tensors"][0] |= {k: v for k, v in facts.items() if k in tree["tensors"][0]}
        return json.dumps(tree | {k: v for k, v in facts.items() if k not in tree["tensors"][0]})

    return change


DAMAGES = {
    "no memory": lambda name, data: data if name == "tree.json" else None,
    "half a memory": lambda name, data: data if name == "tree.json" else data[:-5],
    "no header": lambda name, data: data if name == "tree.json" else b"",
    "too large a header": lambda name, data: data.replace(b"(4,), ", b"(9999999999,), ".ljust(6)[:20]),
    "no JSON": lambda name, data: b"{" if name == "tree.json" else data,
    "another format": _told(format="autograd_teach 99"),
    "outside its memory": _told(size=[2, 3]),
    "behind its memory": _told(offset=9),
    "before its memory": _told(offset=-1),
    "negative stride": _told(stride=[-2, 1]),
    "enormous": _told(size=[2**40, 2**40], stride=[1, 1]),
    "text for a size": _told(size="22"),
    "memory's number": _told(memory="../tree"),
    "unknown kind": _told(tree={"function": "os.system"}),
    "tensor's number": _told(tree={"tensor": 7}),
    "nothing": _told(tree={}),
    "missing facts": _told(tensors=[{}]),
}


@pytest.mark.parametrize("change", DAMAGES.values(), ids=DAMAGES.keys())
def test_a_damaged_file_is_named(change):
    with pytest.raises(RuntimeError, match="the file object is damaged"):
        torch.load(_changed(change))


def test_every_cut_and_many_flipped_bits_are_noticed(tmp_path):
    file = io.BytesIO()
    torch.save({"w": torch.arange(4.0)}, file)
    data = file.getvalue()
    for length in range(0, len(data), 7):
        with pytest.raises(RuntimeError, match="is damaged|is not a file"):
            torch.load(io.BytesIO(data[:length]))
    for place in range(0, len(data), 5):
        changed = data[:place] + bytes([data[place] ^ 64]) + data[place + 1 :]
        try:
            assert torch.load(io.BytesIO(changed))["w"].tolist() == [0.0, 1.0, 2.0, 3.0]  # a date, a padding
        except (RuntimeError, NotImplementedError):
            pass


def test_other_files_are_no_such_files(tmp_path):
    for data in (b"", b"hello", b"PK\x05\x06" + bytes(18)):
        with pytest.raises(RuntimeError, match="is not a file that torch.save of autograd_teach wrote"):
            torch.load(io.BytesIO(data))
    with pytest.raises(FileNotFoundError):
        torch.load(tmp_path / "nothing.pt")


def test_an_interruption_keeps_the_old_file(tmp_path, monkeypatch):
    file = tmp_path / "weights.pt"
    torch.save({"w": torch.ones(3)}, file)

    def interrupted(*_):
        raise KeyboardInterrupt

    for step in ("replace", "fsync"):
        with monkeypatch.context() as patch:
            patch.setattr(os, step, interrupted)
            with pytest.raises(KeyboardInterrupt):
                torch.save({"w": torch.zeros(3)}, file)
        assert torch.load(file)["w"].tolist() == [1.0, 1.0, 1.0]
        assert os.listdir(tmp_path) == ["weights.pt"]


def test_links_stay_links_and_devices_devices(tmp_path):
    (tmp_path / "link.pt").symlink_to(tmp_path / "real.pt")
    torch.save(1, tmp_path / "link.pt")
    assert (tmp_path / "link.pt").is_symlink()
    assert torch.load(str(tmp_path / "real.pt")) == 1
    torch.save(1, os.devnull)
    assert not os.path.isfile(os.devnull)


PLACES = {
    "no file": (lambda: torch.save(1, 3), AttributeError, "expected 'f' to be string, path, or a file-like object"),
    "no folder": (lambda: torch.save(1, "/nowhere/x.pt"), RuntimeError, "Parent directory /nowhere does not exist."),
    "folder": (lambda: torch.save(1, os.curdir), IsADirectoryError, "Is a directory"),
    "nothing to read": (lambda: torch.load(3), AttributeError, "'int' object has no attribute 'seek'"),
    "other device": (lambda: again(1, map_location="cuda"), NotImplementedError, "no device 'cuda'"),
}
if os.name == "nt":  # PermissionError there, in the system's language
    del PLACES["folder"]


@pytest.mark.parametrize(("call", "kind", "message"), PLACES.values(), ids=PLACES.keys())
def test_wrong_places_are_named(call, kind, message):
    with pytest.raises(kind, match=message):
        call()


@pytest.mark.parametrize(
    "options",
    [{"map_location": torch.device("cpu")}, {"map_location": lambda storage, place: storage}, {"map_location": {"cuda:0": "cpu"}},
     {"mmap": True}, {"weights_only": False}, {"encoding": "utf-8"}],
)  # fmt: skip
def test_options_that_change_nothing_are_accepted(options):
    assert again([1, 2], **options) == [1, 2]


def test_a_file_is_read_from_where_it_stands(tmp_path):
    with open(tmp_path / "two", "wb+") as file:
        file.write(b"before")
        torch.save([1], file)
        file.seek(6)
        assert torch.load(file) == [1]


@pytest.mark.parity
def test_a_file_of_pytorch_is_refused_and_converted_as_the_error_says(tmp_path):
    theirs = pytest.importorskip("torch")
    theirs.save({"w": theirs.ones(2)}, tmp_path / "theirs.pt")
    theirs.save({"w": theirs.ones(2)}, tmp_path / "old.pt", _use_new_zipfile_serialization=False)
    for name in ("theirs.pt", "old.pt"):
        with pytest.raises(NotImplementedError, match="it is a pickle"):
            torch.load(tmp_path / name)
        np.savez(tmp_path / "weights.npz", **{k: v.numpy() for k, v in theirs.load(tmp_path / name).items()})
        arrays = np.load(tmp_path / "weights.npz").items()
        assert {k: torch.from_numpy(array) for k, array in arrays}["w"].tolist() == [1.0, 1.0]
