"""Records what PyTorch prints and draws into data/text_random.json, for tests/engine on machines without PyTorch.

Run as `python tests/parity/record_text_random.py` with torch==2.13.0. The tables of cases are here; what is recorded holds
the cases as well, so that the tests which read it need nothing but the file.
"""

import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np

FILE = Path(__file__).parent / "data" / "text_random.json"
VERSION = "2.13.0"
NAN, INF = float("nan"), float("inf")
F16, F32, F64 = "float16", "float32", "float64"

# values (a list, or [count, step] for a range), shape, dtype, how it came about, print options, default dtype
PRINTED: list[tuple[dict[str, Any], list[int], str, str, dict[str, Any], str]] = [
    *[({"list": [v]}, [], F32, "", {}, F32) for v in (0.0, -0.0, 1.0, -2.5, 3.14159265, NAN, -INF)],
    *[({"list": [v]}, [], F32, "", {}, F32) for v in (1e-5, 123456.0, 1e8, 1.5e8, 1e20, 1e-45)],
    *[({"list": [0.1]}, [], dtype, "", {}, default) for dtype in (F16, F32, F64) for default in (F32, F64)],
    *[
        ({"list": []}, shape, dtype, "", {}, F32)
        for shape in ([0], [0, 3], [2, 0, 1])
        for dtype in (F32, "int64", "bool")
    ],
    *[
        ({"list": [3, 100, 0]}, [3], dtype, "", {}, F32)
        for dtype in ("int8", "int16", "int32", "int64", "uint8", "bool")
    ],
    ({"list": [-(2**63), 2**63 - 1]}, [2], "int64", "", {}, F32),
    ({"list": [1.0, 2.0, -300.0]}, [3], F32, "", {}, F32),
    ({"list": [1.0, 2.0, NAN, INF, -INF]}, [5], F32, "", {}, F32),
    ({"list": [1.5, 2.0, NAN, INF, -INF]}, [5], F32, "", {}, F32),
    ({"list": [0.0, NAN, INF]}, [3], F32, "", {}, F32),
    ({"list": [0.001, 1.0]}, [2], F32, "", {}, F32),
    ({"list": [0.0009, 1.0]}, [2], F32, "", {}, F32),
    ({"list": [1.0, 1000.0]}, [2], F64, "", {}, F64),
    ({"list": [1.0, 1001.0]}, [2], F64, "", {}, F64),
    ({"list": [1.0, 1e8]}, [2], F64, "", {}, F64),
    ({"list": [1e-4, 2e-4]}, [2], F64, "", {}, F64),
    ({"list": [0.99e-4, 2e-4]}, [2], F64, "", {}, F64),
    ({"list": [60000.0, 6e-8]}, [2], F16, "", {}, F32),
    ({"list": [1e300, 1e-300]}, [2], F64, "", {}, F32),
    ({"range": [30, 0.37]}, [30], F32, "", {}, F32),
    ({"range": [30, -1.25]}, [5, 6], F32, "", {}, F32),
    ({"range": [24, 1]}, [2, 3, 4], "int64", "", {}, F32),
    ({"range": [24, 0.5]}, [2, 1, 3, 4], F64, "", {}, F32),
    ({"range": [60, 0.125]}, [3, 20], F32, "", {}, F32),
    ({"range": [1000, 1]}, [1000], "int32", "", {"edgeitems": 1}, F32),
    ({"range": [1001, 1]}, [1001], "int32", "", {}, F32),
    ({"range": [1200, 0.01]}, [40, 30], F32, "grad_fn", {}, F32),
    ({"range": [1200, 0.01]}, [2, 10, 60], F64, "", {}, F32),
    ({"range": [1200, 1]}, [1200], F32, "", {"edgeitems": 0}, F32),
    ({"range": [6, 1]}, [2, 3], F32, "", {"edgeitems": 0}, F32),
    ({"range": [12, 0.3]}, [12], F32, "", {"threshold": 5, "edgeitems": 2}, F32),
    ({"range": [12, 0.3]}, [3, 4], F32, "", {"precision": 2}, F32),
    ({"range": [12, 0.3]}, [3, 4], F32, "", {"precision": 0}, F32),
    ({"range": [12, 0.3]}, [12], F32, "", {"linewidth": 30}, F32),
    ({"range": [12, 0.3]}, [12], F32, "requires_grad", {"linewidth": 1}, F32),
    ({"range": [4, 1]}, [4], F32, "", {"sci_mode": True}, F32),
    ({"list": [1e-9, 1.5]}, [2], F32, "", {"sci_mode": False}, F32),
    ({"range": [12, 0.3]}, [12], F32, "", {"profile": "short"}, F32),
    ({"range": [1002, 1]}, [1002], "uint8", "", {"profile": "full", "linewidth": 2000}, F32),
    *[({"range": [n, 0.5]}, [n], F64, how, {}, F32) for n in (1, 4, 5, 6, 7) for how in ("requires_grad", "grad_fn")],
    *[({"range": [4, 0.5]}, [2, 2], F64, "grad_fn", {"linewidth": width}, F32) for width in range(28, 62)],
    ({"range": [6, 0.5]}, [2, 3], F32, "parameter", {}, F32),
    ({"range": [6, 0.5]}, [2, 3], F32, "frozen parameter", {}, F32),
]

# seed -> draws, each a function of autograd_teach.random and its arguments; a list as p: [dtype, values]
DRAWN: dict[int, list[list[Any]]] = {
    0: [
        ["uniform", [3], F32, 0, 1],
        ["normal", [5], F32, 0, 1],
        ["normal", [3], F64, 0, 1],
        ["uniform", [2], F16, 0, 1],
    ],
    1: [["normal", [n], dtype, 0, 1] for n in (0, 1, 15, 16, 17, 100) for dtype in (F32, F64, F16)],
    2: [["uniform", [n], dtype, -0.1, 0.3] for n in (0, 1, 16, 17, 1000, 1001) for dtype in (F32, F64, F16)],
    3: [
        ["normal", [4, 5], F32, 0.5, 2.0, False],
        ["normal", [], F32, 1.0, 0.1],
        ["normal", [100], F32, 0, 1],
    ],
    4: [
        ["randint", 0, 10, [7], "int64"],
        ["randint", -5, 5, [3, 3], F32],
        ["randint", 0, 2**28, [3], "int32"],
    ],
    5: [
        ["randint", 0, 2**28 - 1, [3], "int32"],
        ["randint", -(2**62), 2**62, [3], "int64"],
        ["randint", 0, 2, [9], "bool"],
    ],
    6: [["randperm", n] for n in (0, 1, 2, 16, 1000)] + [["uniform", [1], F32, 0, 1]],
    7: [["bernoulli", 0.3, [9], dtype] for dtype in (F32, "bool", "int64")],
    # Half precision rounds some of so many up to the bound that is left out.
    9: [["uniform", [20000], F16, 0, 1], ["uniform", [20000], F16, -3, 5]],
    2**63 + 12345: [["uniform", [2], F32, 0, 1]],
    -1: [
        ["uniform", [2], F32, 0, 1],
        ["normal", [1], F32, 0, 1],
        ["uniform", [1], F64, 0, 1],
        ["normal", [18], F32, 0, 1],
        ["normal", [1], F32, 0, 1],
    ],
}


def array(values: dict[str, Any], shape: list[int], dtype: str) -> np.ndarray:
    """The array that a case of PRINTED speaks of."""
    if "range" in values:
        count, step = values["range"]
        return (np.arange(count) * step).astype(dtype).reshape(shape)
    return np.array(values["list"], dtype if values["list"] and dtype == "int64" else F64).astype(dtype).reshape(shape)


def printed_by_torch(values: np.ndarray, how: str, options: dict[str, Any], default: str) -> str:
    """The repr in PyTorch; its options and default dtype are as before afterwards."""
    import torch

    tensor = torch.from_numpy(values)
    if how in ("requires_grad", "grad_fn"):
        tensor.requires_grad_()
    if how == "grad_fn":
        tensor = tensor * 1
    if "parameter" in how:
        tensor = torch.nn.Parameter(tensor, requires_grad=how == "parameter")
    before = torch.get_default_dtype()
    try:
        torch.set_default_dtype(getattr(torch, default))
        torch.set_printoptions(**options)
        return repr(tensor)
    finally:
        torch.set_default_dtype(before)
        torch.set_printoptions(profile="default")


def drawn_by_torch(name: str, *arguments: Any) -> np.ndarray:
    """The same draw as `getattr(autograd_teach.random, name)(*arguments)`, from PyTorch's default generator."""
    import torch

    def empty(shape: list[int], dtype: str, contiguous: bool = True) -> torch.Tensor:
        if contiguous:
            return torch.empty(shape, dtype=getattr(torch, dtype))
        return torch.empty([*shape, 2], dtype=getattr(torch, dtype))[..., 0]

    match name, arguments:
        case "uniform", (shape, dtype, low, high):
            result = empty(shape, dtype).uniform_(low, high)
        case "normal", (shape, dtype, mean, std, *contiguous):
            result = empty(shape, dtype, *contiguous).normal_(mean, std)
        case "randint", (low, high, shape, dtype):
            result = torch.randint(low, high, shape, dtype=getattr(torch, dtype))
        case "randperm", (n,):
            result = torch.randperm(n)
        case "bernoulli", (p, shape, dtype):
            result = empty(shape, dtype).bernoulli_(p)
        case _:
            raise ValueError(name)
    return result.numpy()


def encoded(values: np.ndarray) -> Any:
    """Numbers as they are; of many (which must be exact), a digest of their bytes."""
    return values.tolist() if values.size <= 100 else hashlib.sha256(np.ascontiguousarray(values)).hexdigest()


def record() -> dict[str, Any]:
    """All cases with what PyTorch makes of them."""
    import torch

    if torch.__version__.split("+")[0] != VERSION:
        raise SystemExit(f"Install torch=={VERSION}: this is {torch.__version__}.")
    printed = [[*case, printed_by_torch(array(*case[:3]), *case[3:])] for case in PRINTED]
    drawn = []
    for seed, draws in DRAWN.items():
        torch.manual_seed(seed)
        drawn.append([seed, [[draw, encoded(drawn_by_torch(*draw))] for draw in draws]])
    return {"torch": VERSION, "printed": printed, "drawn": drawn}


def text(recorded: dict[str, Any]) -> str:
    """JSON with one case in a line."""
    blocks = [f'"torch": {json.dumps(recorded["torch"])}']
    for name in ("printed", "drawn"):
        blocks.append(f'"{name}": [\n' + ",\n".join(map(json.dumps, recorded[name])) + "\n]")
    return "{\n" + ",\n".join(blocks) + "\n}\n"


if __name__ == "__main__":
    FILE.parent.mkdir(exist_ok=True)
    FILE.write_text(text(record()), encoding="utf-8")
