"""Sample inputs of every operation: the table that drives the tests of values, gradients, second gradients and graphs.

A row is an expression in tensors `a`, `b`, `c`, given by shape; it runs under this package and under PyTorch alike. `domain`
says where the inputs lie, so that no sample sits on a kink or outside a function's range. What a row yields is compared with
results recorded from PyTorch (`operations.json`, written by `tests/parity/record_operations.py`) and, in tests/parity,
with PyTorch itself.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from typing import Any

import numpy as np

Shape = tuple[int, ...]


@dataclass(frozen=True)
class Row:
    operation: str
    expression: str
    shapes: dict[str, Shape]
    domain: str = "any"
    # Whether the operation's gradient is differentiable in a useful way: gradgradcheck runs where it is.
    second_order: bool = True
    # Whether the graph is PyTorch's: some gradients of gradients it composes of other operations.
    same_graph: bool = True

    def __str__(self) -> str:
        shapes = ",".join(f"{k}{list(v)}".replace(" ", "") for k, v in self.shapes.items())
        return f"{self.expression}-{shapes}"


def _rows() -> list[Row]:
    rows: list[Row] = []

    def add(
        operation: str,
        expression: str,
        *shapes: str,
        domain: str = "any",
        second_order: bool = True,
        same_graph: bool = True,
    ) -> None:
        for text in shapes:
            named = {
                name: tuple(int(n) for n in size.split("x") if n)
                for name, size in (part.split(":") for part in text.split())
            }
            rows.append(Row(operation, expression, named, domain, second_order, same_graph))

    unary = ("a:", "a:3", "a:2x3", "a:0", "a:2x1x3")
    binary = ("a: b:", "a:3 b:3", "a:2x3 b:3", "a:2x1 b:3", "a: b:2x3", "a:0x3 b:3", "a:1 b:")

    add("add", "a + b", *binary)
    add("add", "torch.add(a, b, alpha=3)", "a:2x3 b:3")
    add("add", "a + 2", "a:2x3", "a:")
    add("sub", "a - b", *binary)
    add("sub", "a.sub(b, alpha=2)", "a:2x3 b:3")
    add("rsub", "2 - a", *unary)
    add("mul", "a * b", *binary)
    add("mul", "3 * a", *unary)
    add("mul", "a * a", "a:3")
    add("div_true", "a / b", *binary, domain="positive")
    add("div_true", "a / 3", *unary)
    add("reciprocal", "1 / a", *unary, domain="positive")
    add("neg", "-a", *unary)
    for exponent in ("2", "3", "0", "1", "-1", "0.5", "-2.5"):
        add("pow_number", f"a ** {exponent}", "a:2x3", "a:", domain="positive")
    add("pow_tensor", "a ** b", "a:2x3 b:3", "a: b:", domain="positive")
    add("pow_of_number", "2 ** a", "a:2x3", "a:")
    for name in ("exp", "sin", "cos", "tanh", "sigmoid"):
        add(name, f"a.{name}()", *unary)
    for name in ("log", "log1p", "sqrt"):
        add(name, f"a.{name}()", *unary, domain="positive")
    for name in ("abs", "relu"):
        add(name, f"a.{name}()", *unary, domain="nonzero")
    add("sign", "a.sign() * a", "a:2x3", domain="nonzero")
    add("sgn", "a.sgn() * a", "a:2x3", domain="nonzero")
    add("mul_number", "torch.autograd.grad((a ** 2).sum(), a, create_graph=True)[0]", "a:2x3")
    add("clamp", "a.clamp(-0.5, 0.5)", "a:2x3", domain="nonzero")
    add("clamp", "a.clamp(min=0.0)", "a:2x3", domain="nonzero")
    add("clamp", "a.clamp(max=0.0)", "a:2x3", domain="nonzero")
    add("maximum", "a.maximum(b)", "a:2x3 b:3", "a:3 b:3")
    add("minimum", "a.minimum(b)", "a:2x3 b:3")
    add("clone", "a.clone()", *unary)
    add("to_copy", "a.to(torch.float32).to(torch.float64)", "a:2x3", second_order=False)
    add("where_tensors", "torch.where(a > 0, a, b)", "a:2x3 b:2x3", "a:2x3 b:3")
    for operator in ("==", "!=", "<", "<=", ">", ">="):
        name = {"==": "eq", "!=": "ne", "<": "lt", "<=": "le", ">": "gt", ">=": "ge"}[operator]
        add(name, f"a {operator} b", "a:2x3 b:3")
    add("bitwise_and", "(a > 0) & (a < 1)", "a:2x3")
    add("bitwise_or", "(a > 1) | (a < 0)", "a:2x3")
    add("bitwise_not", "~(a > 0)", "a:2x3")
    add("logical_not", "(a > 0).logical_not()", "a:2x3")
    for name in ("isnan", "isfinite", "isinf"):
        add(name, f"torch.{name}((a - a) / (a - a))", "a:3")
    for reduction in ("mean", "sum", "none"):
        add(
            "mse_loss_same_size",
            f"torch.nn.functional.mse_loss(a, b, reduction={reduction!r})",
            "a:2x3 b:2x3",
            "a: b:",
        )

    add("sum_all", "a.sum()", *unary)
    add("sum_dim", "a.sum(0)", "a:2x3", "a:3", "a:")
    add("sum_dim", "a.sum((0, -1))", "a:2x3x2")
    add("sum_dim", "a.sum(1, keepdim=True)", "a:2x3")
    add("mean_all", "a.mean()", "a:", "a:3", "a:2x3")
    add("mean_dim", "a.mean(0)", "a:2x3")
    add("mean_dim", "a.mean((0, 1), keepdim=True)", "a:2x3x2")
    for p in ("2", "1", "3", "1.5", "float('inf')"):
        add("linalg_vector_norm", f"a.norm({p})", "a:3", "a:2x3", domain="nonzero")
        add("linalg_vector_norm", f"a.norm({p}, dim=1)", "a:2x3", domain="nonzero")
    add("linalg_vector_norm", "a.norm(0) * a", "a:2x3")
    add("max_all", "a.max()", "a:2x3", "a:")
    add("min_all", "a.min()", "a:2x3")
    add("argmax_op", "a.argmax()", "a:2x3")
    add("argmax_op", "a.argmax(1)", "a:2x3")
    add("argmin_op", "a.argmin(0, keepdim=True)", "a:2x3")
    add("all", "(a > 0).all()", "a:2x3")
    add("any", "(a > 0).any(0)", "a:2x3")
    add("count_nonzero", "a.count_nonzero()", "a:2x3")
    add("expand", "a.expand(2, 3, 4)", "a:3x1", "a:1x1x4", "a:2x3x4")
    add("expand", "a.expand(-1, 4)", "a:3x1")
    add("expand", "a.expand_as(b)", "a:3 b:2x3")

    add("view", "a.view(-1)", "a:2x3", "a:")
    add("view", "a.reshape(3, 2)", "a:2x3")
    add("view", "a.flatten()", "a:2x3x2")
    add("reshape_alias", "a[:, 0:4:2].reshape(3, 2, 1)", "a:3x5")
    add("unsafe_view", "a.t().reshape(-1)", "a:2x3")
    add("alias", "a[...]", "a:2x3")
    add("t", "a.t()", "a:2x3", "a:3", "a:")
    add("transpose", "a.transpose(0, -1)", "a:2x3x4", "a:2x3")
    add("permute", "a.permute(2, 0, 1)", "a:2x3x4")
    add("permute", "a.T", "a:2x3")
    add("unsqueeze", "a.unsqueeze(1)", "a:2x3")
    add("unsqueeze", "a.unsqueeze(-1)", "a:2x3", "a:")
    add("squeeze_all", "a.squeeze()", "a:2x1x3", "a:2x3")
    add("squeeze_dim", "a.squeeze(1)", "a:2x1x3", "a:2x3")
    add("select", "a[1]", "a:2x3", "a:3")
    add("select", "a[:, -1]", "a:2x3")
    add("slice_view", "a[1:]", "a:3x2")
    add("slice_view", "a[:, 0:4:2]", "a:2x5")
    add("slice_view", "a.narrow(1, 1, 2)", "a:2x5")
    add(
        "select_backward",
        "torch.autograd.grad(a[0].pow(2).sum(), a, create_graph=True)[0]",
        "a:2x3",
    )
    add(
        "slice_backward",
        "torch.autograd.grad(a[:1].pow(2).sum(), a, create_graph=True)[0]",
        "a:2x3",
    )
    add("as_strided", "a.as_strided((2, 2), (1, 2), 1)", "a:3x2", "a:5")
    add(
        "as_strided_backward",
        "torch.autograd.grad(a.as_strided((2, 2), (1, 1)).pow(2).sum(), a, create_graph=True)[0]",
        "a:4",
        same_graph=False,
    )
    add("stack", "torch.stack([a, b, a], 1)", "a:2x3 b:2x3")
    add("cat", "torch.cat([a, b, a], -1)", "a:2x3 b:2x1")
    add("unbind", "a.unbind()[1]", "a:2x3")
    add("unbind", "a.unbind()[0]", "a:1x3")
    add("unbind", "a.unbind(1)[0] * a.unbind(1)[2]", "a:2x3")
    add("split_evenly", "a.split(2)[1]", "a:5x2")
    add("split_with_sizes", "a.split([1, 2], 1)[1]", "a:2x3")
    add("split_evenly", "a.chunk(2, 1)[0]", "a:2x3")
    add("diagonal", "a.diagonal()", "a:3x3", "a:2x3")
    add(
        "diagonal_backward",
        "torch.autograd.grad(a.diagonal().pow(2).sum(), a, create_graph=True)[0]",
        "a:2x3",
    )
    add("index", "a[torch.tensor([0, 1, 0])]", "a:2x3")
    add("index", "a[torch.tensor([0, 1]), torch.tensor([2, 2])]", "a:2x3")
    add("index", "a[[1, 0]]", "a:2x3")
    add("index", "a[:, [2, 0]]", "a:2x3")
    add("index", "a[a > 0]", "a:2x3", domain="nonzero")
    add(
        "index_put_impl",
        "torch.autograd.grad(a[[0, 0]].pow(2).sum(), a, create_graph=True)[0]",
        "a:2x3",
    )

    # Writes into part of a tensor, through a view and through an index: `put` and `seen` are below.
    add("index_put", "put(a * 1, lambda y: y.__setitem__([1, 0], b[0]))", "a:2x3 b:3x3")
    add("index_put", "put(a * 1, lambda y: y.__setitem__(y > 0, 3.0))", "a:2x3", domain="nonzero")
    add("copy", "put(a * 1, lambda y: y.__setitem__(0, b))", "a:2x3 b:3", "a:2x3 b:")
    add("copy", "put(a * 1, lambda y: y.__setitem__((slice(None), slice(0, 2)), b))", "a:2x3 b:2")
    add("fill_number", "put(a * 1, lambda y: y.__setitem__((slice(None), 1), 0.5))", "a:2x3")
    add("mul", "put(a * 1, lambda y: y[1].mul_(b))", "a:2x3 b:3")
    add("exp", "put(a * 1, lambda y: y.t()[1:].exp_())", "a:2x3")
    add("as_strided", "seen(a * 1, lambda y: y[0], lambda y: y.mul_(b))", "a:2x3 b:3")
    add("as_strided", "seen(a * 1, lambda y: y[:, 1:], lambda y: y[1].mul_(b))", "a:2x3 b:3")

    add("mm", "a @ b", "a:2x3 b:3x4", "a:1x3 b:3x1", "a:2x0 b:0x3")
    add("squeeze_own", "a @ b", "a:3 b:3x2")
    add("mv", "a @ b", "a:2x3 b:3")
    add("dot", "a @ b", "a:3 b:3")
    add("dot", "a.dot(a)", "a:3")
    add("addmm", "torch.addmm(a, b, c)", "a:2x4 b:2x3 c:3x4", "a:4 b:2x3 c:3x4")
    add("addmm", "torch.addmm(a, b, c, beta=2, alpha=3)", "a:4 b:2x3 c:3x4")

    # Operations that exist in place only: what was there before gets no gradient.
    add("zero", "(a * 1).zero_() + a", "a:2x3")
    add("fill_number", "(a * 1).fill_(3.0) + a", "a:2x3")
    add("fill_value", "(a * 1).fill_(b) + a", "a:2x3 b:")
    add("fill_value", "put(a * 1, lambda y: y.__setitem__(Ellipsis, b))", "a:2x3 b:")
    add("fill_value", "put(a * 1, lambda y: y.__setitem__(0, b))", "a:2x3 b:")
    add("copy", "(a * 1).copy_(b) + a", "a:2x3 b:3")
    add("normal", "(a * 1).normal_() * 0 + a", "a:2x3", second_order=False)
    add("uniform", "(a * 1).uniform_(-1, 1) * 0 + a", "a:2x3", second_order=False)
    return rows


ROWS = _rows()

# Expressions whose result's dtype is what matters; `i` int64, `f` float32, `d` float64, `h` float16, `b` bool, with rank 1, and
# with a zero behind the letter rank 0.
PROMOTION = [
    f"{left} {operator} {right}"
    for operator in ("+", "*", "/", ">")
    for left in ("i", "f", "d", "h", "b", "i0", "f0", "d0")
    for right in ("i", "f", "d", "h", "b", "i0", "f0", "d0", "2", "2.5", "True")
]


def inputs(row: Row) -> dict[str, np.ndarray]:
    """The arrays of a row: the same at every run, float64."""
    random = np.random.RandomState(zlib.crc32(str(row).encode()))
    return {name: _draw(random, shape, row.domain) for name, shape in row.shapes.items()}


def _draw(random: np.random.RandomState, shape: Shape, domain: str) -> np.ndarray:
    values = random.uniform(0.3, 1.7, shape)
    if domain != "positive":
        values = values * random.choice([-1.0, 1.0], shape)
    return np.asarray(values)


def put(target: Any, write: Any) -> Any:
    """The target after a write into it."""
    write(target)
    return target


def seen(target: Any, look: Any, write: Any) -> Any:
    """A view of the target, taken before the target was written to, together with the target."""
    view = look(target)
    write(target)
    return (view * view).sum() * target


def evaluate(torch: Any, row: Row) -> dict[str, Any]:
    """What a row yields under `torch`: value, gradients of its sum of cubes, second gradients, and its graph."""
    torch.manual_seed(0)
    tensors = {name: torch.tensor(array, requires_grad=True) for name, array in inputs(row).items()}
    result = eval(row.expression, {"torch": torch, "put": put, "seen": seen, **tensors})
    outcome: dict[str, Any] = {
        "value": result.detach().numpy().tolist(),
        "dtype": str(result.dtype),
        "shape": list(result.shape),
        "graph": graph_text(result.grad_fn) if row.same_graph else "",
    }
    if result.requires_grad:
        leaves = list(tensors.values())
        first = torch.autograd.grad((result * result * result).sum(), leaves, create_graph=True, allow_unused=True)
        outcome["grad"] = [None if g is None else g.detach().numpy().tolist() for g in first]
        total = sum((g * g).sum() for g in first if g is not None)
        if total.requires_grad:
            second = torch.autograd.grad(total, leaves, allow_unused=True)
            outcome["second"] = [None if g is None else g.numpy().tolist() for g in second]
    return outcome


def graph_text(node: Any) -> str:
    """The graph below a node as one line: names with their children, each node spelled out at its first visit only."""
    if node is None:
        return "-"
    numbers: dict[Any, int] = {}
    words: list[str] = []
    stack: list[Any] = [node]
    while stack:
        item = stack.pop()
        if isinstance(item, str):
            words.append(item)
        elif item is None:
            words.append("-")
        elif item in numbers:
            words.append(f"#{numbers[item]}")
        else:
            numbers[item] = len(numbers)
            words.append(item.name().replace("torch::autograd::", ""))
            if item.next_functions:
                children: list[Any] = [")"]
                for child, number in reversed(item.next_functions):
                    children += [f".{number}" if number else "", child]
                stack += [*children, "("]
    return " ".join(w for w in words if w)


def promoted(library: Any, expression: str) -> list[Any]:
    """The dtype of an expression of PROMOTION and its values, as text so that NaN equals NaN."""
    kinds = {"i": "int64", "f": "float32", "d": "float64", "h": "float16", "b": "bool"}
    names = {k: library.tensor([1, 2], dtype=getattr(library, d)) for k, d in kinds.items()}
    names |= {f"{k}0": library.tensor(2, dtype=getattr(library, kinds[k])) for k in "ifd"}
    result = eval(expression, names)
    return [str(result.dtype), str(result.tolist())]
