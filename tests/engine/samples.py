"""Sample inputs of every operation: the table that drives the tests of values, gradients, second gradients and graphs.

A row is an expression in tensors `a`, `b`, `c`, given by shape; it runs under this package and under PyTorch alike. `domain`
says where the inputs lie, so that no sample sits on a kink or outside a function's range. What a row yields is compared with
results recorded from PyTorch (`operations.json`, written by `tests/parity/record_operations.py`) and, in tests/parity,
with PyTorch itself.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
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


def table(fill: Callable[[Any, tuple[str, ...], tuple[str, ...]], None]) -> list[Row]:
    """The rows that `fill(add, unary, binary)` adds: `add` takes an operation, an expression, shapes, and the rest of a row."""
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
    fill(add, unary, binary)
    return rows


def _fill(add: Any, unary: tuple[str, ...], binary: tuple[str, ...]) -> None:
    add("add", "a + b", *binary)
    add("add", "torch.add(a, b, alpha=3)", "a:2x3 b:3")
    add("add", "a + 2", "a:2x3", "a:")
    add("sub", "a - b", *binary)
    add("sub", "a.sub(b, alpha=2)", "a:2x3 b:3")
    add("rsub.0", "torch.rsub(a, b)", *binary)
    add("rsub.0", "torch.rsub(a, b, alpha=2)", "a:2x3 b:3")
    add("rsub.1", "2 - a", *unary)
    add("mul", "a * b", *binary)
    add("mul", "3 * a", *unary)
    add("mul", "a * a", "a:3")
    add("div", "a / b", *binary, domain="positive")
    add("div", "a / 3", *unary)
    add("reciprocal", "1 / a", *unary, domain="positive")
    add("neg", "-a", *unary)
    for exponent in ("2", "3", "0", "1", "-1", "0.5", "-2.5"):
        add("pow", f"a ** {exponent}", "a:2x3", "a:", domain="positive")
    add("pow.1", "a ** b", "a:2x3 b:3", "a: b:", domain="positive")
    add("pow.2", "2 ** a", "a:2x3", "a:")
    for name in ("exp", "sin", "cos", "tanh", "sigmoid"):
        add(name, f"a.{name}()", *unary)
    for name in ("log", "log10", "log1p", "sqrt"):
        add(name, f"a.{name}()", *unary, domain="positive")
    for name in ("abs", "relu"):
        add(name, f"a.{name}()", *unary, domain="nonzero")
    add("sign", "a.sign() * a", "a:2x3", domain="nonzero")
    add("sgn", "a.sgn() * a", "a:2x3", domain="nonzero")
    add("mul.1", "torch.autograd.grad((a ** 2).sum(), a, create_graph=True)[0]", "a:2x3")
    add("clamp.1", "a.clamp(-0.5, 0.5)", "a:2x3", domain="nonzero")
    add("clamp.1", "a.clamp(min=0.0)", "a:2x3", domain="nonzero")
    add("clamp.1", "a.clamp(max=0.0)", "a:2x3", domain="nonzero")
    add("maximum", "a.maximum(b)", "a:2x3 b:3", "a:3 b:3")
    add("minimum", "a.minimum(b)", "a:2x3 b:3")
    add("clone", "a.clone()", *unary)
    add("to_copy", "a.to(torch.float32).to(torch.float64)", "a:2x3", second_order=False)
    add("where", "torch.where(a > 0, a, b)", "a:2x3 b:2x3", "a:2x3 b:3")
    # The elementary functions.
    for name in ("sinh", "cosh", "atan", "expm1"):
        add(name, f"a.{name}()", *unary)
    for name in ("sinh", "atan"):
        add(name, f"put(a * 1, lambda y: y.{name}_())", "a:2x3")
    for name in ("tan", "asin", "acos"):
        add(name, f"(a / 2).{name}()", *unary)
    add("acosh", "(a + 1.5).acosh()", *unary, domain="positive")
    add("rsqrt", "a.rsqrt()", *unary, domain="positive")
    for name in ("floor", "ceil", "round"):
        add(name, f"a * (3 * a).{name}()", "a:2x3", "a:", domain="steps")
        add(name, f"put(a * 1, lambda y: y.{name}_())", "a:2x3", domain="steps")
    add("signbit", "a.signbit()", "a:2x3", domain="nonzero")
    add("threshold", "torch.threshold(a, 0.1, 2.0)", *unary, domain="nonzero")
    add("leaky_relu", "torch.nn.functional.leaky_relu(a, 0.1)", *unary, domain="nonzero")
    for mode in ("floor", "trunc"):
        add("div.2", f"(a * 7.3).div(b, rounding_mode={mode!r}) * b", *binary, domain="steps")
    add("div.2", "a * (a * 7).div(2, rounding_mode='trunc')", "a:2x3", domain="steps")
    add("masked_fill", "a.masked_fill(a > 0, 2.0)", *unary, domain="nonzero")
    add("masked_fill", "a.masked_fill(b > 0, 2)", "a:3 b:2x3", "a:2x3 b:2x1", "a: b:")
    add("masked_fill.1", "a.masked_fill(torch.tensor([True, False, True]), b)", "a:2x3 b:")
    add("masked_fill", "put(a * 1, lambda y: y.masked_fill_(y > 0, 2.0))", "a:2x3", domain="nonzero")
    add("tanh_backward", "torch.autograd.grad(a.tanh().sum(), a, create_graph=True)[0]", "a:2x3", "a:")
    add("sigmoid_backward", "torch.autograd.grad(a.sigmoid().sum(), a, create_graph=True)[0]", "a:2x3", "a:")
    add("asinh", "a.arcsinh()", *unary)
    for name in ("erf", "erfc", "exp2", "deg2rad", "rad2deg", "sinc"):
        add(name, f"a.{name}()", *unary)
        add(name, f"put(a * 1, lambda y: y.{name}_())", "a:2x3")
    add("log2", "a.log2()", *unary, domain="positive")
    add("atanh", "(a / 2).arctanh()", *unary)
    # PyTorch has no derivative of these in-place forms.
    add(
        "acosh.1",
        "put(torch.linspace(1, 2, 3, dtype=torch.float64), lambda y: y.acosh_()) * a",
        "a:2x3",
        same_graph=False,
    )
    for name in ("asinh", "atanh"):
        add(
            f"{name}.1",
            f"put(torch.linspace(-1, 0.5, 3, dtype=torch.float64) / 2, lambda y: y.{name}_()) * a",
            "a:2x3",
            same_graph=False,
        )
    for name in ("atan2", "hypot", "logaddexp", "logaddexp2", "fmin", "fmax"):
        add(name, f"torch.{name}(a, b)", *binary)
    add("atan2", "put(a * 1, lambda y: y.arctan2_(b))", "a:2x3 b:3", domain="positive")
    add("trunc", "a * (3 * a).trunc()", "a:2x3", "a:", domain="steps")
    add("frac", "a.frac()", *unary, domain="steps")
    add("round.1", "a * (3 * a).round(decimals=1)", "a:2x3", "a:", domain="steps")
    add("nan_to_num", "torch.where(torch.tensor([True, False, True]), a, float('inf')).nan_to_num(posinf=5.0)", "a:2x3")
    for name in ("remainder", "fmod"):
        add(name, f"a.{name}(0.4)", *unary, domain="steps")
        add(name, f"put(a * 1, lambda y: y.{name}_(0.4))", "a:2x3", domain="steps")
        add(f"{name}.1", f"torch.{name}(a * 7.3, b)", *binary, domain="steps")
    add("remainder.1", "put(a * 7.3, lambda y: y.__imod__(b)) + 2.1 * a % b", "a:2x3 b:3", domain="steps")
    # What PyTorch does not differentiate.
    add("remainder.2", "7.3 % torch.linspace(-3, 1, 3, dtype=torch.float64) * a", "a:2x3", same_graph=False)
    add("floor_divide", "(a.detach() // 0.4) * a", "a:2x3", "a:", domain="steps", same_graph=False)
    add("floor_divide.1", "((a * 7.3).detach() // b.detach()) * a", *binary[:3], domain="steps", same_graph=False)
    add("floor_divide.2", "torch.floor_divide(7.3, a.detach()) * a", "a:2x3", domain="steps", same_graph=False)
    add("lerp", "torch.lerp(a, b, 0.3)", *binary)
    add("lerp.1", "a.lerp(b, c)", "a:2x3 b:3 c:2x1", "a: b: c:", "a:3 b:2x3 c:3")
    add("lerp", "put(a * 1, lambda y: y.lerp_(b, 0.7))", "a:2x3 b:3")
    for name in ("addcmul", "addcdiv"):
        add(name, f"torch.{name}(a, b, c)", "a:2x3 b:3 c:2x1", "a: b: c:", domain="positive")
        add(name, f"put(a * 1, lambda y: y.{name}_(b, c, value=0.7))", "a:2x3 b:3 c:2x3", domain="positive")
    add("xlogy", "torch.xlogy(a, b)", *binary, domain="positive")
    add("xlogy.1", "torch.xlogy(0.7, a)", *unary, domain="positive")
    add("xlogy.2", "torch.xlogy(a, 0.7)", *unary)
    for name in ("clamp_min", "clamp_max"):
        add(name, f"a.{name}(0.1)", *unary, domain="nonzero")
        add(name, f"put(a * 1, lambda y: y.{name}_(0.1))", "a:2x3", domain="nonzero")
        add(f"{name}.1", f"a.{name}(b)", *binary)
    add("clamp.0", "a.clamp(b, c)", "a:2x3 b:3 c:2x1", "a: b: c:", "a:2x3 b:3 c:")
    add("clamp.0", "a.clip(min=b)", "a:2x3 b:3")
    add("clamp.0", "put(a * 1, lambda y: y.clamp_(max=b))", "a:2x3 b:3")
    add("pow.1", "torch.float_power(a, b)", "a:2x3 b:3", domain="positive")
    for name, row in {"multiply": "mul", "subtract": "sub", "divide": "div", "true_divide": "div"}.items():
        add(row, f"torch.{name}(a, b)", "a:2x3 b:3", domain="positive")
        add(row, f"put(a * 1, lambda y: y.{name}_(2))", "a:2x3")
    add("mul", "torch.mul(2, a) + torch.add(1, a)", "a:2x3")
    for name in ("isposinf", "isneginf"):
        add(name, f"torch.{name}(a / 0)", "a:3")
    add("isclose", "torch.isclose(a, b, 0.5, 0.1)", "a:2x3 b:3")
    add("where", "torch.where(a > 0)[0] + torch.where(a > 0, 1, 0).sum()", "a:2x3")
    # Linear beyond the first derivative: what remains of it is the gradient that arrives.
    rectified = ("(a * 1).relu()", "torch.threshold(a * 1, 0.1, 2.0)")
    for expression in rectified:
        gradient = f"torch.autograd.grad({expression}.pow(2).sum(), a, create_graph=True)[0]"
        add("threshold_backward", gradient, "a:2x3", domain="nonzero")
    gradient = "torch.autograd.grad(torch.nn.functional.leaky_relu(a, 0.1).pow(2).sum(), a, create_graph=True)[0]"
    add("leaky_relu_backward", gradient, "a:2x3", domain="nonzero")
    for reduction in ("mean", "sum", "none"):
        loss = f"torch.nn.functional.mse_loss(a, b, reduction={reduction!r})"
        gradient = f"torch.autograd.grad(({loss} ** 2).sum(), a, create_graph=True)[0]"
        add("mse_loss_backward", gradient, "a:2x3 b:2x3", "a: b:")
    # Formulas compute with numbers by operations that have one edge.
    add("add.1", "torch.autograd.grad(a.log1p().sum(), a, create_graph=True)[0]", "a:2x3", domain="positive")
    add("sub.1", "torch.autograd.grad((a + 2).acosh().sum(), a, create_graph=True)[0]", "a:2x3", domain="positive")
    add("div.1", "torch.autograd.grad(a.mean(0).pow(2).sum(), a, create_graph=True)[0]", "a:2x3")
    for operator, name in (("&", "and"), ("|", "or"), ("^", "xor")):
        add(f"bitwise_{name}", f"(a > 0) {operator} (b > 0)", "a:2x3 b:3", "a: b:")
        add(f"logical_{name}", f"torch.logical_{name}(a.round(), b.round())", "a:2x3 b:3", "a: b:")
    add("bitwise_xor", "put((a > 0), lambda y: y.__ixor__(b > 0))", "a:2x3 b:3")
    for operator in ("==", "!=", "<", "<=", ">", ">="):
        name = {"==": "eq", "!=": "ne", "<": "lt", "<=": "le", ">": "gt", ">=": "ge"}[operator]
        add(name, f"a {operator} b", "a:2x3 b:3")
    add("bitwise_and", "(a > 0) & (a < 1)", "a:2x3")
    add("bitwise_or", "(a > 1) | (a < 0)", "a:2x3")
    add("bitwise_not", "~(a > 0)", "a:2x3")
    for operator, name in (("<<", "left"), (">>", "right")):
        add(f"bitwise_{name}_shift", f"(a * 8).long() {operator} (b * 8).long().abs()", "a:2x3 b:3", "a: b:")
        add(f"bitwise_{name}_shift", f"3 {operator} (a * 8).long()", "a:2x3")
    add("bitwise_xor", "torch.bitwise_xor(6, (a * 8).long())", "a:2x3", "a:")
    add("logical_not", "(a > 0).logical_not()", "a:2x3")
    for name in ("isnan", "isfinite", "isinf"):
        add(name, f"torch.{name}((a - a) / (a - a))", "a:3")
    for reduction in ("mean", "sum", "none"):
        add(
            "mse_loss",
            f"torch.nn.functional.mse_loss(a, b, reduction={reduction!r})",
            "a:2x3 b:2x3",
            "a: b:",
        )

    # What only torch.nn has; that it is linear beyond the first derivative is seen in the gradient of a square.
    F = "torch.nn.functional"

    def add_with_backward(operation: str, call: str, *shapes: str, domain: str = "nonzero") -> None:
        add(operation, call, *shapes, domain=domain)
        gradient = f"torch.autograd.grad(({call} ** 2).sum(), a, create_graph=True)[0]"
        add(f"{operation}_backward", gradient, *shapes[:1], domain=domain)

    for operation, call in {
        "hardtanh": "hardtanh(a * 1, -0.9, 1.1)",
        "elu": "elu(a * 1, 0.7)",
        "softplus": "softplus(a * 1, 2.0, 3.0)",
        "log_sigmoid": "logsigmoid(a * 1)",
        "gelu": "gelu(a * 1)",
    }.items():
        add_with_backward(operation, f"{F}.{call}", "a:2x3", "a:", "a:0")
    add_with_backward("gelu", f"{F}.gelu(a * 1, approximate='tanh')", "a:2x3")
    add("celu", f"{F}.celu(a, 0.7)", *unary, domain="nonzero")
    add("silu", f"{F}.silu(a)", *unary)
    for name in ("leaky_relu", "elu", "celu"):
        add(f"{name}.1", f"put(a * 1, lambda y: {F}.{name}(y, 0.7, inplace=True))", "a:2x3", domain="nonzero")
    for reduction in ("mean", "sum", "none"):
        how = f"reduction={reduction!r}"
        add("mse_loss", f"{F}.mse_loss(a, b, {how})", "a:2x3 b:2x3", "a: b:", "a:0 b:0")
        add_with_backward("huber_loss", f"{F}.huber_loss(a, b, {how}, delta=0.7)", "a:2x3 b:2x3", "a: b:")
        add_with_backward("smooth_l1_loss", f"{F}.smooth_l1_loss(a, b, {how}, beta=0.7)", "a:2x3 b:2x3", "a: b:")
        weight = "weight=torch.tensor([0.5, 1.0, 2.0], dtype=torch.float64)"
        entropy = f"{F}.binary_cross_entropy(a / 2, b / 2, {weight}, {how})"
        add_with_backward("binary_cross_entropy", entropy, "a:2x3 b:2x3", domain="positive")
        logits = f"{F}.binary_cross_entropy_with_logits(a, b, {weight}, pos_weight=torch.tensor(3.0).double(), {how})"
        add("binary_cross_entropy_with_logits", logits, "a:2x3 b:2x3")
        add_with_backward("nll_loss", f"{F}.nll_loss(a, torch.tensor([0, 2]), {weight}, {how})", "a:2x3")
        image = f"{F}.nll_loss(a, torch.tensor([[[0], [2]]]), {weight}, ignore_index=0, {how})"
        add_with_backward("nll_loss2d", image, "a:1x3x2x1")
    looked_up = f"{F}.embedding(torch.tensor([[0, 2], [2, 1]]), a * 1)"
    add("embedding", looked_up, "a:3x2", "a:4x1")
    add("embedding_dense_backward", f"torch.autograd.grad(({looked_up} ** 2).sum(), a, create_graph=True)[0]", "a:3x2")
    # The gradient of a normalization has a node of its own in PyTorch; here it is composed.
    for call in ("a, (3,), b, b * b", "a, (3,), b", "a * b, (2, 3)"):
        add("native_layer_norm", f"{F}.layer_norm({call}) * b", "a:2x3 b:3")
    for call in ("None, None, b, b * b, True", "c, c + 2, b, b * b", "None, None, b, None, True"):
        call = f"{F}.batch_norm(a, {call.replace('c', 'torch.arange(3.0).to(a.dtype)')})"
        add("native_batch_norm", f"{call}.pow(2)", "a:4x3 b:3", "a:2x3x2 b:3")
    add("norm.1", f"{F}.pairwise_distance(a, b)", "a:2x3 b:2x3", "a:3 b:3", "a:2x3 b:3")
    add("norm.1", f"{F}.pairwise_distance(a, b, 3.0, keepdim=True)", "a:2x3 b:2x3")
    add("div", f"{F}.cosine_similarity(a, b)", "a:2x3 b:2x3")
    add("div", f"{F}.normalize(a)", "a:2x3")
    smoothed = f"{F}.cross_entropy(a, torch.tensor([0, 2]), label_smoothing=0.1)"
    add("mul.1", smoothed, "a:2x3")
    add("div.1", f"{F}.cross_entropy(a, torch.tensor([[0.2, 0.3, 0.5]] * 2, dtype=torch.float64))", "a:2x3")
    add("sum.0", "a.sum()", *unary)
    add("sum.1", "a.sum(0)", "a:2x3", "a:3", "a:")
    add("sum.1", "a.sum((0, -1))", "a:2x3x2")
    add("sum.1", "a.sum(1, keepdim=True)", "a:2x3")
    add("mean.0", "a.mean()", "a:", "a:3", "a:2x3")
    add("mean.1", "a.mean(0)", "a:2x3")
    add("mean.1", "a.mean((0, 1), keepdim=True)", "a:2x3x2")
    for p in ("2", "1", "3", "1.5", "float('inf')"):
        add("linalg_vector_norm.0", f"a.norm({p})", "a:3", "a:2x3", domain="nonzero")
        add("linalg_vector_norm.0", f"a.norm({p}, dim=1)", "a:2x3", domain="nonzero")
    add("linalg_vector_norm.0", "a.norm(0) * a", "a:2x3")
    add("max.1", "a.max()", "a:2x3", "a:")
    add("min.1", "a.min()", "a:2x3")
    add("argmax", "a.argmax()", "a:2x3")
    add("argmax", "a.argmax(1)", "a:2x3")
    add("argmin", "a.argmin(0, keepdim=True)", "a:2x3")
    add("all", "(a > 0).all()", "a:2x3")
    add("any", "(a > 0).any(0)", "a:2x3")
    add("count_nonzero", "a.count_nonzero()", "a:2x3")
    add("expand", "a.expand(2, 3, 4)", "a:3x1", "a:1x1x4", "a:2x3x4")
    add("expand", "a.expand(-1, 4)", "a:3x1")
    add("expand", "a.expand_as(b)", "a:3 b:2x3")

    add("any", "(a > 0).any((0, 2), keepdim=True)", "a:2x3x2")
    add("all", "(a > 0).all((0, -1))", "a:2x3x2")
    add("prod.0", "a.prod()", *unary)
    add("prod.0", "(a * torch.tensor([0.0, 1.0, 2.0])).prod()", "a:3", same_graph=False)
    add("prod.1", "a.prod(-1)", "a:2x3", "a:3", "a:", "a:2x0")
    add("prod.1", "a.prod(0, keepdim=True)", "a:2x3")
    add("prod.1", "(a * torch.tensor([0.0, 1.0, 2.0])).prod(1)", "a:2x3", same_graph=False)
    for name in ("var", "std"):
        add(f"{name}.0", f"a.{name}()", "a:3", "a:2x3")
        add(f"{name}.0", f"a.{name}(0)", "a:2x3", "a:3")
        add(f"{name}.0", f"a.{name}((0, -1), keepdim=True)", "a:2x3x2")
        add(f"{name}.0", f"a.{name}(1, correction=0)", "a:2x3")
        add(f"{name}.0", f"a.{name}(False)", "a:2x3")
    add("var_mean.0", "torch.var_mean(a)[0]", "a:2x3")
    add("var_mean.0", "torch.var_mean(a, 1)[1]", "a:2x3")
    add("var_mean.0", "torch.stack(torch.var_mean(a, (0, 2), correction=0)).prod(0)", "a:2x3x2")
    for name in ("amax", "amin"):
        add(name, f"a.{name}()", *[shape for shape in unary if shape != "a:0"])
        add(name, f"a.{name}((0, -1), keepdim=True)", "a:2x3x2")
        add(name, f"a.{name}(1)", "a:2x3", "a:2x3x2")
    add("logsumexp", "a.logsumexp(0)", "a:", "a:3", "a:2x3")
    add("logsumexp", "a.logsumexp((0, 2))", "a:2x3x2")
    add("logsumexp", "a.logsumexp(-1, keepdim=True)", "a:2x3")
    for name in ("softmax", "log_softmax"):
        add(f"{name}.0", f"a.{name}(0)", *unary)
        add(f"{name}.0", f"torch.{name}(a, -1)", "a:2x3", "a:2x1x3")
        gradient = f"torch.autograd.grad(a.{name}(-1).pow(2).sum(), a, create_graph=True)[0]"
        add(f"{name}_backward_data", gradient, "a:2x3", "a:3")
    add("cumsum.0", "a.cumsum(0)", *unary)
    add("cumsum.0", "a.cumsum(-1)", "a:2x3")
    nans = "torch.tensor([[0.0, float('nan'), 0.0]], dtype=torch.float64)"
    for name in ("nansum", "nanmean"):
        add("nansum.0", f"a.{name}()", *unary[:-2], "a:2x1x3", domain="positive")
        add("nansum.0", f"torch.{name}(a * 1, (0, -1), keepdim=True)", "a:2x3x2")
        add("nansum.0", f"(a + {nans}).{name}(1)", "a:2x3", second_order=False)
    for name in ("dist(a, b)", "dist(a, b, 1)", "dist(a, b, p=3)", "dist(a, b, float('inf'))", "dist(a, b, 0.5)"):
        add("dist", f"torch.{name}", "a:2x3 b:2x3", "a:2x3 b:3", domain="nonzero")
    add("dist", "a.dist(b)", "a: b:", "a:2x1 b:3")
    for p in ("2", "1", "float('inf')", "-1.5"):
        add(
            "linalg_vector_norm.0",
            f"torch.linalg.vector_norm(a, {p}, dim=(0, -1), keepdim=True)",
            "a:2x3x2",
            domain="nonzero",
        )
    add("linalg_vector_norm.0", "torch.linalg.matrix_norm(a)", "a:2x3", "a:2x3x2")
    for p in ("1", "-1", "float('inf')", "-float('inf')"):
        add(
            "linalg_vector_norm.0",
            f"torch.linalg.matrix_norm(a, {p}, dim=(2, 0), keepdim=True)",
            "a:2x2x3",
            domain="nonzero",
        )
        add("linalg_vector_norm.0", f"torch.linalg.norm(a, {p})", "a:2x3", "a:3", domain="nonzero")
    add("linalg_vector_norm.0", "torch.norm(a, 'fro', dim=(0, 1), dtype=torch.float64)", "a:2x3x2")
    for name in ("cumprod", "logcumsumexp"):
        add(f"{name}.0", f"a.{name}(0)", *unary)
        add(f"{name}.0", f"torch.{name}(a, dim=-1)", "a:2x3", "a:2x3x4")
    add("cumprod.0", "(a * torch.tensor([0.0, 1.0, 2.0])).cumprod(1)", "a:2x3", same_graph=False)
    add("cumprod.0", "(a * torch.tensor([1.0, 0.0, 2.0, 0.0])).cumprod(0)", "a:4x4", same_graph=False)
    for name in ("cumsum", "cumprod"):
        add(f"{name}.0", f"put(a * 1, lambda y: y.{name}_(-1))", "a:2x3", "a:")
    for index in (0, 1):
        add("std_mean.0", f"torch.std_mean(a)[{index}]", "a:2x3", "a:3")
        add("std_mean.0", f"torch.std_mean(a, 1, correction=0, keepdim=True)[{index}]", "a:2x3")
        add("aminmax", f"torch.aminmax(a)[{index}]", "a:2x3", "a:", "a:2x1x3")
        add("aminmax", f"torch.aminmax(a, dim=1, keepdim=True)[{index}]", "a:2x3")
        add("aminmax", f"a.aminmax(dim=0)[{index}]", "a:2x3", "a:3")
    add("std_mean.0", "torch.stack(torch.std_mean(a, (0, 2), correction=0)).prod(0)", "a:2x3x2")
    add("aminmax", "torch.stack(torch.aminmax(a, dim=1)).prod(0)", "a:2x3")
    for name in ("argwhere(a > 0)", "nonzero(a > 0)", "nonzero(a > 0, as_tuple=True)[0]"):
        add("argwhere", f"torch.{name}", "a:2x3", "a:")

    add("view", "a.view(-1)", "a:2x3", "a:")
    add("view", "a.reshape(3, 2)", "a:2x3")
    add("view", "a.flatten()", "a:2x3x2")
    add("reshape_alias.0", "a[:, 0:4:2].reshape(3, 2, 1)", "a:3x5")
    add("unsafe_view.0", "a.t().reshape(-1)", "a:2x3")
    add("alias.0", "a[...]", "a:2x3")
    add("t", "a.t()", "a:2x3", "a:3", "a:")
    add("transpose", "a.transpose(0, -1)", "a:2x3x4", "a:2x3")
    add("permute", "a.permute(2, 0, 1)", "a:2x3x4")
    add("permute", "a.T", "a:2x3")
    add("unsqueeze", "a.unsqueeze(1)", "a:2x3")
    add("unsqueeze", "a.unsqueeze(-1)", "a:2x3", "a:")
    add("squeeze.0", "a.squeeze()", "a:2x1x3", "a:2x3")
    add("squeeze.1", "a.squeeze(1)", "a:2x1x3", "a:2x3")
    add("select", "a[1]", "a:2x3", "a:3")
    add("select", "a[:, -1]", "a:2x3")
    add("slice.0", "a[1:]", "a:3x2")
    add("slice.0", "a[:, 0:4:2]", "a:2x5")
    add("slice.0", "a.narrow(1, 1, 2)", "a:2x5")
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
    add("as_strided.0", "a.as_strided((2, 2), (1, 2), 1)", "a:3x2", "a:5")
    # Of what is no whole memory: a transpose, a part, a tensor that shows its elements several times.
    add("as_strided.0", "a.t().as_strided((3,), (2,))", "a:2x3")
    add("as_strided.0", "a[1].as_strided((2,), (1,), 4)", "a:2x3")
    add("as_strided.0", "a.expand(3, 2).as_strided((2,), (1,))", "a:2")
    add("index_add", "torch.autograd.grad(a.as_strided((2, 2), (1, 1)).pow(2).sum(), a, create_graph=True)[0]", "a:4")
    add("stack", "torch.stack([a, b, a], 1)", "a:2x3 b:2x3")
    add("cat", "torch.cat([a, b, a], -1)", "a:2x3 b:2x1")
    add("cat", "torch.cat([a, b])", "a:0 b:2x3", "a:2x3 b:0")
    add("unbind", "a.unbind()[1]", "a:2x3")
    add("unbind", "a.unbind()[0]", "a:1x3")
    add("unbind", "a.unbind(1)[0] * a.unbind(1)[2]", "a:2x3")
    add("split.0", "a.split(2)[1]", "a:5x2")
    add("split_with_sizes", "a.split([1, 2], 1)[1]", "a:2x3")
    add("split.0", "a.chunk(2, 1)[0]", "a:2x3")
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
    add("index_put", "a.index_put((torch.tensor([1, 0, 1]), torch.tensor([2, 0, 2])), b, accumulate=True)", "a:2x3 b:3")
    add("copy", "put(a * 1, lambda y: y.__setitem__(0, b))", "a:2x3 b:3", "a:2x3 b:")
    add("copy", "put(a * 1, lambda y: y.__setitem__((slice(None), slice(0, 2)), b))", "a:2x3 b:2")
    add("fill.2", "put(a * 1, lambda y: y.__setitem__((slice(None), 1), 0.5))", "a:2x3")
    add("mul", "put(a * 1, lambda y: y[1].mul_(b))", "a:2x3 b:3")
    add("exp", "put(a * 1, lambda y: y.t()[1:].exp_())", "a:2x3")
    add("as_strided.0", "seen(a * 1, lambda y: y[0], lambda y: y.mul_(b))", "a:2x3 b:3")
    add("as_strided.0", "seen(a * 1, lambda y: y[:, 1:], lambda y: y[1].mul_(b))", "a:2x3 b:3")

    # What index tensors name; the places are literal, as they have no gradient.
    places = "torch.tensor([[0, 1, 0], [1, 0, 1]])"
    add("gather", f"a.gather(0, {places})", "a:2x3", "a:4x5")
    add("gather", f"a.gather(-1, {places}[:, :2])", "a:2x3")
    add("gather", "a.gather(0, torch.tensor([0, 0]))", "a:3", "a:")
    add("scatter_add", f"a.scatter_add(0, {places}, b)", "a:2x3 b:2x3", "a:4x3 b:2x3")
    add("scatter_add", f"(a * 1).scatter_add_(1, {places}, b)", "a:2x3 b:2x3")
    add("scatter_add", "a.scatter_add(0, torch.tensor(0), b)", "a: b:")
    places = "torch.tensor([[0, 1, 2], [2, 0, 1]])"
    add("scatter.0", f"a.scatter(1, {places}, b)", "a:2x3 b:2x3", "a:2x4 b:2x3")
    add("scatter.0", f"(a * 1).scatter_(1, {places}, b)", "a:2x3 b:2x3")
    add("index_select", "a.index_select(1, torch.tensor([2, 0, 2]))", "a:2x3", "a:1x3x2")
    add("index_select", "a.index_select(0, torch.tensor([0]))", "a:3", "a:")
    for name in ("max", "min"):
        add(f"{name}.0", f"a.{name}(0).values", "a:3", "a:2x3", "a:2x1x3", "a:")
        add(f"{name}.0", f"torch.{name}(a, -1, True)[0]", "a:2x3", "a:2x1x3")
        add(f"{name}.0", f"a.{name}(dim=1, keepdim=False).indices", "a:2x3")
        add("maximum" if name == "max" else "minimum", f"torch.{name}(a, other=b)", "a:2x3 b:3")
    for name in ("median", "nanmedian"):
        add(f"{name}.0", f"a.{name}()", "a:", "a:3", "a:2x3")
        add(f"{name}.1", f"a.{name}(0)[0]", "a:3", "a:4x3", "a:")
        add(f"{name}.1", f"a.{name}(1, keepdim=True).values", "a:2x4")
        add(f"{name}.1", f"a.{name}(1).indices", "a:2x5")
        add(f"{name}.0", f"torch.tensor([2.0, float('nan'), 1.0]).{name}() * (a > 0)", "a:2x4")
        add(f"{name}.1", f"torch.tensor([[2.0, float('nan'), 1.0]]).{name}(1).indices", "a:")
    add("sort.0", "a.sort().values", *unary)
    add("sort.0", "a.sort(0, descending=True)[0]", "a:2x3", "a:")
    add("argsort", "torch.argsort(a, 0, True)", "a:4x3", "a:")
    add("sort.0", "(a > 0).sort(descending=True).indices", "a:2x6")
    add("searchsorted.0", "torch.searchsorted(a.sort(-1).values.detach(), b)", "a:5 b:2x3", "a:5 b:")
    add(
        "searchsorted.0",
        "torch.bucketize(a, torch.tensor([-1.0, 0.0, 1.0], dtype=torch.float64), right=True)",
        "a:2x3",
    )
    add("isin.0", "torch.isin(a, a[:1])", "a:2x3")
    # What indices, masks and order name.
    pair, mask = "torch.tensor([2, 0])", "torch.tensor([[True, False, True], [False, True, True]])"
    add("index_put", "a.index_put((torch.tensor([1]),), b)", "a:3 b:1", "a:2x3 b:", "a:2x3 b:1x3")
    add("index_add", f"a.index_add(1, {pair}, b)", "a:2x3 b:2x2")
    add("index_add", f"(a * 1).index_add_(1, {pair}, b, alpha=-2)", "a:2x3 b:2x2")
    add("index_add", "torch.index_add(a, 0, torch.tensor([0, 0]), b, alpha=0.5)", "a:2x3 b:2x3", "a:3 b:2")
    add("index_add", "a.index_add(0, torch.tensor(0), b)", "a: b:")
    add("index_copy", f"a.index_copy(1, {pair}, b)", "a:2x3 b:2x2")
    add("index_copy", f"(a * 1).index_copy_(-1, {pair}, b)", "a:2x3 b:2x2", "a:3 b:2")
    add("index_copy", "a.index_copy(0, torch.tensor(0), b)", "a: b:")
    for value in ("2.5", "3"):
        add("index_fill.0", f"a.index_fill(1, {pair}, {value})", "a:2x3")
        add("index_fill.0", f"(a * 1).index_fill_(0, torch.tensor([-1, 0]), {value})", "a:2x3", "a:3", "a:")
    add("index_fill.1", f"a.index_fill(1, {pair}, b)", "a:2x3 b:")
    add("index_fill.1", "(a * 1).index_fill_(0, torch.tensor(0), b)", "a:2x3 b:", "a: b:")
    add("scatter.1", f"a.scatter(1, {places}, 2.5)", "a:2x3", "a:2x4")
    add("scatter.1", f"(a * 1).scatter_(1, {places}, value=3)", "a:2x3")
    add("scatter.1", "a.scatter(0, torch.tensor(0), 1.0)", "a:")
    add("scatter.0", "a.scatter(0, torch.tensor([], dtype=torch.int64), 2 * a.detach()) * a", "a:2x3")
    add("gather", "a.gather(0, torch.zeros(0, 2, dtype=torch.int64))", "a:3")
    for how in ("add", "multiply"):
        ints = f"(3 * a).long().scatter(1, {places}[:, [0, 0, 1]], "
        add("scatter.2", f"{ints}(3 * b).long(), reduce={how!r})", "a:2x3 b:2x3")
        add("scatter.3", f"{ints}3, reduce={how!r})", "a:2x3")
    add("masked_select", f"torch.masked_select(a, {mask})", "a:2x3", "a:3")
    add("masked_select", "a.masked_select(a > 0)", *unary, domain="nonzero")
    add("masked_scatter", f"a.masked_scatter({mask}, b)", "a:2x3 b:2x3", "a:3 b:5", "a:2x3 b:4")
    add("masked_scatter", f"(a * 1).masked_scatter_({mask}, b)", "a:2x3 b:6")
    gradient = f"torch.autograd.grad(a.masked_scatter({mask}, b).pow(2).sum(), b, create_graph=True)[0]"
    add("masked_scatter_backward", gradient, "a:2x3 b:5")
    add("sort.1", "torch.sort(a, stable=True, descending=True).values", "a:2x3", "a:")
    add("sort.1", "a.sort(dim=0, stable=True)[0]", "a:2x3")
    add("sort.0", "torch.msort(a)", "a:4x2", "a:")
    for name in ("cummax", "cummin"):
        add(name, f"a.{name}(0).values", *unary[:-2], "a:2x1x3")
        add(name, f"torch.{name}(a, dim=-1)[0]", "a:2x5")
        add(name, f"torch.{name}(a, dim=-1)[1]", "a:2x5")
    add("topk", "a.topk(2).values", "a:2x3", "a:4")
    add("topk", "torch.topk(a, 1, 0, largest=False)[0]", "a:2x3", "a:")
    add("topk", "a.topk(2, 1, False)[1]", "a:2x3")
    add("unique2", "torch.unique((2 * a).long())", "a:4x1", "a:3x2", domain="nonzero")
    add("unique_dim", "torch.unique(a > 0, dim=0, return_inverse=True)[1]", "a:4x1", "a:3x2", domain="nonzero")
    add("unique_consecutive", "torch.unique_consecutive(a > 0, return_counts=True)[1]", "a:9", domain="nonzero")
    add(
        "unique_consecutive",
        "torch.unique_consecutive(a > 0, dim=0, return_inverse=True)[1]",
        "a:5x1",
        domain="nonzero",
    )
    add(
        "searchsorted.0",
        "torch.searchsorted(a.detach().sort(-1)[0], b.detach(), side='right', out_int32=True)",
        "a:2x5 b:2x3",
    )
    add("searchsorted.0", "torch.searchsorted(a.detach(), b.detach(), sorter=a.argsort())", "a:2x5 b:2x3")
    add("isin.0", "torch.isin(a, a[:1], invert=True)", "a:2x3")

    add("repeat", "a.repeat(2, 3)", "a:2x3", "a:3", "a:", "a:1x2")
    add("repeat", "a.repeat((2, 1, 1))", "a:2x3", "a:3x0")
    add("flip", "a.flip(0)", "a:3", "a:2x3", "a:")
    add("flip", "torch.flip(a, (0, -1))", "a:2x3", "a:2x1x3")
    for name in ("tril", "triu"):
        add(name, f"a.{name}()", "a:3x3", "a:2x3", "a:2x3x2")
        add(name, f"(a * 1).{name}_(1)", "a:3x3")
        add(name, f"torch.{name}(a, diagonal=-1)", "a:3x2")
    add("trace", "a.trace()", "a:3x3", "a:2x3")
    diagonal = "torch.autograd.grad(a.trace().pow(2), a, create_graph=True)[0]"
    add("index_fill.1", diagonal, "a:3x3", "a:2x4", "a:4x2")
    add("diagonal", "a.diagonal(1)", "a:3x3", "a:2x3x2")
    add("diagonal", "torch.diagonal(a, -1, 0, 2)", "a:2x3x4")
    add("diagonal", "put(a * 1, lambda y: y.diagonal().mul_(b))", "a:2x3 b:2")
    add("transpose", "a.swapdims(0, 1)", "a:2x3")
    add("squeeze.2", "a.squeeze((1, -1))", "a:2x1x3x1", "a:2x1x3")
    # Forms that change the tensor itself.
    add("t.1", "(a * 1).t_()", "a:2x3", "a:3", "a:")
    add("transpose.1", "(a * 1).transpose_(0, -1)", "a:2x3x4")
    add("transpose.1", "(a * 1).swapaxes_(0, 1)", "a:2x3")
    add("unsqueeze.1", "(a * 1).unsqueeze_(-1) * 2", "a:2x3", "a:")
    add("squeeze.4", "(a * 1).squeeze_(0)", "a:1x3", "a:2x3")
    add("as_strided.1", "(a * 1).as_strided_((2, 2), (1, 2))", "a:2x3")
    add("squeeze.3", "(a * 1).squeeze_()", "a:1x3x1", "a:2x3")
    add("squeeze.5", "(a * 1).squeeze_((0, 1))", "a:1x3x1", "a:2x3")
    # Other names and other ways to the same shapes.
    add("view", "a.ravel()", "a:2x3", "a:")
    add("clone", "a.t().ravel()", "a:2x3")
    add("view", "a.unflatten(-1, (3, -1))", "a:2x6")
    add("view", "torch.atleast_1d(a)", "a:")
    add("unsqueeze", "torch.atleast_2d(a)", "a:3")
    add("unsqueeze", "torch.atleast_3d(a)", "a:3", "a:2x3")
    add("permute", "torch.movedim(a, 0, -1)", "a:2x3x4")
    add("permute", "a.moveaxis((0, 1), (2, 0))", "a:2x3x4")
    add("alias.0", "a.movedim((), ())", "a:")
    add("transpose", "torch.swapaxes(a, axis0=0, axis1=1)", "a:2x3")
    for indexing in ("ij", "xy"):
        add("expand", f"torch.stack(torch.meshgrid(a, b, indexing={indexing!r})).prod(0)", "a:2 b:3", "a: b:3")
    add("expand", "torch.broadcast_tensors(a, b)[1]", "a:2x1 b:3")
    add("expand", "a.broadcast_to(2, 3)", "a:3", "a:")
    add("slice.0", "torch.tensor_split(a, 3)[1]", "a:5", "a:4x2")
    add("slice.0", "a.tensor_split((1, 3), 1)[1]", "a:2x4")
    add("slice.0", "torch.hsplit(a, 2)[1]", "a:4", "a:3x2")
    add("slice.0", "a.vsplit([1])[0] * torch.dsplit(a, (0, 4))[1]", "a:2x3x4")
    for name in ("hstack", "vstack", "dstack", "column_stack"):
        add("cat", f"torch.{name}([a, b])", "a:3 b:3", "a: b:", "a:2x3 b:2x3")
    add("cat", "torch.concatenate([a, b], axis=1)", "a:2x3 b:2x1")
    add("diag_embed", "a.diag()", "a:3")
    add("diag_embed", "torch.diag_embed(a, -1, 0, 2)", "a:2x3")
    add("diag_embed", "a.diagflat(1)", "a:2x2", "a:")
    add("diagonal_copy", "torch.diag(a, 1)", "a:3x3", "a:2x4")
    add("diagonal_copy", "torch.diagonal_copy(a, dim1=-1, dim2=0)", "a:2x3x2")
    add("roll.0", "a.roll(1)", *unary)
    add("roll.0", "torch.roll(a, (1, -2), (0, 1))", "a:2x3", "a:2x3x2")
    add("rot90", "a.rot90()", "a:2x3")
    for k in (0, 2, -1):
        add("rot90", f"torch.rot90(a, {k}, (0, -1))", "a:2x3x2")
    add("flip", "a.flipud() * torch.fliplr(a)", "a:2x3")
    add("repeat", "a.tile(2)", "a:2x3", "a:")
    add("repeat", "torch.tile(a, (2, 1, 2))", "a:2x3")
    add("view", "a.repeat_interleave(2)", *unary)
    add("view", "torch.repeat_interleave(a, 2, dim=-1)", "a:2x3")
    add("index_select", "a.repeat_interleave(torch.tensor([2, 0, 1]), 1)", "a:2x3")
    add("gather", "torch.take_along_dim(a, torch.tensor([[1], [0]]), 1)", "a:2x3", "a:1x3")
    add("gather", "a.take_along_dim(torch.tensor([0, 2]))", "a:2x3")
    add("sub", "a.diff()", "a:4", "a:2x3")
    add("sub", "torch.diff(a, 2, 0, prepend=b)", "a:3x2 b:1x2")
    add("copy", "torch.diff(a, 0)", "a:3")
    add("cat", "torch.gradient(a)[0]", "a:4", "a:3x3")
    add("cat", "torch.gradient(a, spacing=0.5, dim=-1, edge_order=2)[0]", "a:2x4")
    add("cat", "torch.gradient(a, spacing=(b,), edge_order=1)[0]", "a:4 b:4", domain="positive", second_order=False)

    add("bmm", "torch.bmm(a, b)", "a:2x3x4 b:2x4x2", "a:0x2x3 b:0x3x2")
    add("bmm", "a @ b", "a:2x2x3 b:2x3x2", "a:2x1x2x3 b:3x3x1", "a:1x2x3 b:1x3x2", "a:2x2x2x3 b:2x2x3x1")
    # Without a gradient of the smaller operand PyTorch takes another way.
    matrix = "torch.arange(6.0, dtype=torch.float64)"
    add("bmm", f"{matrix}[:3] @ a", "a:2x3x2")
    add("bmm", f"{matrix}.reshape(2, 3) @ a", "a:2x3x2")
    add("bmm", f"a.transpose(0, 1) @ {matrix}[:3]", "a:2x2x3")
    add("mm", f"a @ {matrix}.reshape(3, 2)", "a:2x2x3", "a:2x1x1x3")
    add("mv", f"a @ {matrix}[:3]", "a:2x2x3")
    add("mm", "a @ b", "a:2x2x3 b:3x2", "a:2x3 b:2x3x2", "a:2x3 b:2x2x3x1")
    add("mm", "a.transpose(0, 1) @ b", "a:2x2x3 b:3x3")
    add("mv", "a @ b", "a:2x2x3 b:3", "a:3 b:2x3x2", "a:1x2x2x3 b:3")
    # Well-conditioned matrices: rounding is not what is tested.
    eye = "3 * torch.eye(3, dtype=torch.float64)"
    add(
        "linalg_solve_ex",
        f"torch.linalg.solve(a + {eye}, b)",
        "a:3x3 b:3",
        "a:3x3 b:3x2",
        "a:2x3x3 b:2x3",
        "a:2x3x3 b:3x2",
    )
    for upper in (False, True):
        solved = f"torch.linalg.solve_triangular(a + {eye}, b, upper={upper})"
        add("linalg_solve_triangular", solved, "a:3x3 b:3x2", "a:2x3x3 b:2x3x1")
        add("linalg_solve_triangular", f"{solved[:-1]}, left=False)", "a:3x3 b:2x3")
    add("linalg_cholesky_ex", f"torch.linalg.cholesky(a @ a.mT + {eye})", "a:3x3", "a:2x3x2")
    for norm in ("norm(a)", "norm(a, 'fro')", "norm(a, 3, dim=0)"):
        add("linalg_vector_norm.0", f"torch.linalg.{norm}", "a:2x3", domain="nonzero")
    # Einstein's sums, and what is made of products.
    for equation, *shapes in (
        ("ij,jk->ik", "a:2x3 b:3x4", "a:1x3 b:3x1", "a:2x1 b:3x2"), ("ij,jk->ki", "a:2x3 b:3x4"), ("ij,kj", "a:2x3 b:4x3"),
        ("i,i", "a:3 b:3"), ("i,j->ij", "a:3 b:2"), ("ij,ij->i", "a:2x3 b:2x3"), ("ij,j->", "a:2x3 b:3"),
        ("bij,bjk->bik", "a:2x3x4 b:2x4x2"), ("bij,bjk->ik", "a:2x3x4 b:2x4x2"), ("...ij,jk->...ik", "a:2x2x3 b:3x2"),
        ("...i,...i", "a:2x3 b:3"), ("bhid,bhjd->bhij", "a:1x2x3x2 b:1x2x2x2"), (",->", "a: b:"), ("iij,jk->ik", "a:2x2x3 b:3x2"),
        ("ij,jk->", "a:2x3 b:3x2"), ("i...,i", "a:3x2 b:3"),
    ):  # fmt: skip
        add("permute", f"torch.einsum({equation!r}, a, b)", *shapes)
    for equation, shape in (
        ("ii", "a:3x3"),
        ("ii->i", "a:3x3"),
        ("ij->ji", "a:2x3"),
        ("bii->b", "a:2x3x3"),
        ("i...->...", "a:2x3x2"),
    ):
        add("permute", f"torch.einsum({equation!r}, a)", shape)
    add("permute", "torch.einsum('ij,jk,kl->il', a, b, c)", "a:2x3 b:3x2 c:2x4")
    add("permute", "torch.einsum('bn,anm,bm->ba', a, b, c)", "a:2x3 b:4x3x2 c:2x2")
    add("permute", "torch.einsum(a, [0, 1], b, [1, 2], [2, 0])", "a:2x3 b:3x4")
    add("permute", "torch.tensordot(a, b, dims=([0, 1], [1, 0]))", "a:2x3x4 b:3x2x2", "a:2x3 b:3x2")
    add("permute", "torch.tensordot(a, b, 1)", "a:2x3 b:3x4", "a:3 b:3", "a:2x1 b:3x2")
    add("permute", "torch.tensordot(a, b, 0)", "a:2x3 b:2", "a: b:3")
    add("permute", "torch.inner(a, b)", "a:2x3 b:4x3", "a:3 b:3", "a:2x2x3 b:3")
    add("mul", "a.inner(b)", "a: b:2x3")
    add("unsafe_view.0", "torch.kron(a.t(), b.t())", "a:2x2 b:2x2", "a:2x3 b:3x2", same_graph=False)
    add("unsafe_view.0", "torch.kron(a, b)", "a:2x3 b:3x2", "a:2 b:3x2", "a: b:")
    add("vdot", "torch.vdot(a, b)", "a:3 b:3")
    add("mul", "a.ger(b)", "a:2 b:3")
    add("mm", "torch.linalg.multi_dot([a, b, c])", "a:2x3 b:3x4 c:4x2", "a:3 b:3x4 c:4", "a:6x2 b:2x6 c:6x1")
    add("mm", "torch.linalg.multi_dot([a, b, c, a.t()])", "a:2x3 b:3x2 c:2x3")
    for factors in ("", ", beta=2, alpha=0.5", ", beta=0"):
        add("baddbmm", f"torch.baddbmm(a, b, c{factors})", "a:2x3x2 b:2x3x4 c:2x4x2", "a:2 b:2x3x4 c:2x4x2")
        add("addmv", f"torch.addmv(a, b, c{factors})", "a:2 b:2x3 c:3", "a: b:2x3 c:3")
        add("addr", f"torch.addr(a, b, c{factors})", "a:2x3 b:2 c:3", "a:3 b:2 c:3")
    for factors in ("beta=2, alpha=0.5", "beta=0"):
        add("addmm", f"torch.addmm(a, b, c, {factors})", "a:2x4 b:2x3 c:3x4", "a:4 b:2x3 c:3x4", domain="positive")
    add("addmm", "(a * 1).addmm_(b, c, alpha=2)", "a:2x4 b:2x3 c:3x4")
    add("baddbmm", "(a * 1).baddbmm_(b, c, beta=3)", "a:2x3x2 b:2x3x4 c:2x4x2")
    add("addmv", "(a * 1).addmv_(b, c)", "a:2 b:2x3 c:3")
    add("addr", "(a * 1).addr_(b, c)", "a:2x3 b:2 c:3")
    for operation, name in (
        ("linalg_det", "torch.linalg.det"),
        ("linalg_inv_ex", "torch.linalg.inv"),
        ("slogdet.0", "torch.logdet"),
    ):
        add(operation, f"{name}((a @ a.mT + {eye}) / 4)", "a:3x3", "a:2x3x2")
    add("linalg_det", "a.det()", "a:1x1", "a:2x2")
    add("linalg_inv_ex", f"(a + {eye}).inverse()", "a:3x3")
    add("slogdet.0", f"torch.linalg.slogdet(a + {eye})[1]", "a:3x3", "a:2x3x3")
    add("slogdet.0", f"(a + {eye}).slogdet().sign * a[0]", "a:3x3")

    add("mm", "a @ b", "a:2x3 b:3x4", "a:1x3 b:3x1", "a:2x0 b:0x3")
    # The gradient of a matrix that lies by columns lies so too.
    add("mm", "a.t() @ b.t()", "a:3x2 b:4x3", "a:1x1 b:2x1")
    add("addmm", "torch.addmm(a, b, c.t())", "a:4 b:2x3 c:4x3")
    add("squeeze.4", "a @ b", "a:3 b:3x2")
    add("mv", "a @ b", "a:2x3 b:3")
    add("dot", "a @ b", "a:3 b:3")
    add("dot", "a.dot(a)", "a:3")
    add("addmm", "torch.addmm(a, b, c)", "a:2x4 b:2x3 c:3x4", "a:4 b:2x3 c:3x4")

    # A base whose elements lie in another order; what regenerates a view of it is composed of two operations here.
    add("mul", "put(a.t() * 1, lambda y: y[0].mul_(b))", "a:2x3 b:2")
    add("exp", "put(a.permute(2, 0, 1) * 1, lambda y: y[0, :, 1:].exp_())", "a:2x3x4")
    add("as_strided.0", "seen(a.t() * 1, lambda y: y[:, 1], lambda y: y.mul_(b))", "a:2x3 b:2", same_graph=False)

    # Operations that exist in place only: what was there before gets no gradient.
    add("zero", "(a * 1).zero_() + a", "a:2x3")
    add("fill.2", "(a * 1).fill_(3.0) + a", "a:2x3")
    add("fill.3", "(a * 1).fill_(b) + a", "a:2x3 b:")
    add("fill.3", "put(a * 1, lambda y: y.__setitem__(Ellipsis, b))", "a:2x3 b:")
    add("fill.3", "put(a * 1, lambda y: y.__setitem__(0, b))", "a:2x3 b:")
    add("copy", "(a * 1).copy_(b) + a", "a:2x3 b:3")
    add("normal", "(a * 1).normal_() * 0 + a", "a:2x3", second_order=False)
    add("uniform", "(a * 1).uniform_(-1, 1) * 0 + a", "a:2x3", second_order=False)
    # Draws of `_` forms: the stream of PyTorch's generator, and no gradient of what was there before.
    add("random", "(a * 1).random_(-3, 5) + a", "a:2x3", "a:", second_order=False)
    generator = "generator=torch.Generator().manual_seed(7)"
    add("normal", f"(a * 1).normal_({generator}) + a", "a:2x3", second_order=False)
    add("uniform", f"(a * 1).uniform_(2, 3, {generator}) + torch.rand(3, {generator})", "a:2x3", second_order=False)
    add("add", f"a + torch.randn(2, 3, {generator}) + torch.randperm(3, {generator})", "a:2x3")
    add("add", f"a + torch.randint(0, 9, (3,), {generator})", "a:2x3")
    add("add", "torch.randint_like(a, 9) + torch.randint_like(a, -3, 4) + a", "a:2x3", domain="positive")
    add("bernoulli.2", "(a * 1).bernoulli_() + a", "a:2x3", "a:", second_order=False)
    add("random.1", "(a * 1).random_(5) + a", "a:2x3", "a:", second_order=False)
    add("random.2", "(a * 1).random_() / 2**53 + a", "a:2x3", "a:", second_order=False)
    add("exponential", "(a * 1).exponential_(2.0) + a", "a:2x3", "a:", second_order=False)
    add("bernoulli.1", "(a * 1).bernoulli_(b / 2) + a + b", "a:2x3 b:3", "a: b:", domain="positive", second_order=False)
    add("bernoulli", "torch.bernoulli(a / 2) + a", "a:2x3", "a:", domain="positive", second_order=False)
    add("normal.1", "torch.normal(a, 1.5) * 0 + a", "a:2x3", "a:", second_order=False)
    add("normal.2", "torch.normal(1.5, a) * 0 + a", "a:2x3", "a:", domain="positive", second_order=False)
    add("normal.3", "torch.normal(a, b) * 0 + a + b", "a:2x3 b:3", "a: b:", domain="positive", second_order=False)
    weights = "torch.tensor([1.0, 2.0, 3.0])"
    add("add", f"torch.multinomial({weights}, 2) + torch.multinomial({weights}, 9, True).sum() + a", "a:2")


ROWS = table(_fill)

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
    if domain == "steps":
        # Neither these nor the quotients that the rows make of them are near a whole number.
        values = random.choice([0.413, 0.871, 1.237, 1.613], shape)
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


def run(torch: Any, expression: str, tensors: dict[str, Any]) -> Any:
    """The value of an expression in these tensors, under `torch`."""
    torch.manual_seed(0)
    return eval(expression, {"torch": torch, "put": put, "seen": seen, **tensors})


def evaluate(torch: Any, row: Row) -> dict[str, Any]:
    """What a row yields under `torch`: value, gradients of its sum of cubes, second gradients, and its graph."""
    tensors = {name: torch.tensor(array, requires_grad=True) for name, array in inputs(row).items()}
    result = run(torch, row.expression, tensors)
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


def graph_text(node: Any, passed_over: str = "") -> str:
    """The graph below a node as one line: names with their children, each node spelled out at its first visit only.

    Nodes of one name, which have one child, can be passed over.
    """
    if node is None:
        return "-"
    numbers: dict[Any, int] = {}
    words: list[str] = []
    stack: list[Any] = [node]
    while stack:
        item = stack.pop()
        while not isinstance(item, str | None) and item.name() == passed_over:
            item, number = item.next_functions[0]
            # It is the edge's to what is passed over that stands behind on the stack.
            stack += [f".{number}"] if number else []
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
