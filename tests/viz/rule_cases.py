"""Calls that make each node whose rule is a formula: the table that drives the tests of `viz/rules.toml`.

A case is an expression in tensors `a`, `b`, `c`, given by shape as in `tests/engine/samples.py`; it runs under this
package and under PyTorch alike. The rule's formulas are evaluated with NumPy and compared with what the node itself
sends for a random gradient.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from autograd_teach.viz.rules import INPUTS, Rule, rule
from tests.engine import samples


@dataclass(frozen=True)
class Case:
    name: str
    expression: str
    shapes: str = "a:2x3"
    domain: str = "any"
    options: dict[str, Any] = field(default_factory=dict)
    # The inputs of the node, where they are not simply `a`, `b`, `c`.
    inputs: tuple[str, ...] = ("a", "b", "c")
    tolerance: float = 1e-9

    def __str__(self) -> str:
        return f"{self.name}: {self.expression}"

    def arrays(self) -> dict[str, np.ndarray]:
        """The inputs, the same at every run."""
        shapes = {name: _shape(size) for name, size in (part.split(":") for part in self.shapes.split())}
        return samples.inputs(samples.Row(self.name, self.expression, shapes, self.domain))


def _shape(text: str) -> tuple[int, ...]:
    return tuple(int(n) for n in text.split("x") if n)


def _cases() -> list[Case]:
    cases: list[Case] = []

    def add(short: str, expression: str, *args: Any, inputs: tuple[str, ...] = ("a", "b", "c"), **options: Any) -> None:
        name = short if "Backward" in short else f"{short}Backward0"
        cases.append(Case(name, expression, *args, options=options, inputs=inputs))

    two, one = "a:2x3 b:2x3", "a:2x3"
    add("Add", "a + b", two)
    add("Sub", "a - b", two)
    add("Rsub", "torch.rsub(a, b)", two)
    add("RsubBackward1", "2.0 - a", c=2.0)
    add("Mul", "a * b", two)
    add("Div", "a / b", two)
    add("DivBackward2", "torch.div(a, b, rounding_mode='floor')", two, "steps")
    add("Neg", "-a")
    add("Reciprocal", "a.reciprocal()")
    add("Pow", "a ** 3", k=3)
    add("Pow", "a ** 0.5", one, "positive", k=0.5)
    add("PowBackward1", "a ** b", two, "positive")
    add("PowBackward2", "2.0 ** a", c=2.0)
    for name in ("Exp", "Expm1", "Sin", "Cos", "Tanh", "Sigmoid", "Atan", "Sinh", "Cosh", "Abs", "Relu", "Sign"):
        add(name, f"a.{name.lower()}()")
    for name in ("Log", "Log10", "Sqrt", "Rsqrt"):
        add(name, f"a.{name.lower()}()", one, "positive")
    add("Log1PBackward0", "a.log1p()", one, "positive")
    for name in ("Tan", "Asin", "Acos"):
        add(name, f"(a / 2).{name.lower()}()", inputs=("a / 2",))
    add("Acosh", "(a + 1.5).acosh()", one, "positive", inputs=("a + 1.5",))
    for name in ("Floor", "Ceil", "Round"):
        add(name, f"a.{name.lower()}()", one, "steps")
    add("Sgn", "a.sgn()")
    for name in ("Erf", "Erfc", "Exp2", "Asinh", "Deg2Rad", "Rad2Deg", "Sinc"):
        add(name, f"a.{name.lower()}()")
    add("Sinc", "(a * 0).sinc()", inputs=("a * 0",))
    add("Log2", "a.log2()", one, "positive")
    add("Atanh", "(a / 2).atanh()", inputs=("a / 2",))
    for name in ("Atan2", "Hypot", "Logaddexp", "Logaddexp2", "Fmax", "Fmin"):
        add(name, f"torch.{name.lower()}(a, b)", two)
    for name in ("Fmax", "Fmin"):
        add(name, f"torch.{name.lower()}(a * 0, b * 0)", two, inputs=("a * 0", "b * 0"))
    for name in ("Fmod", "Remainder"):
        add(name, f"a.{name.lower()}(0.4)", one, "steps", c=0.4)
        add(f"{name}Backward1", f"torch.{name.lower()}(a * 7.3, b)", two, "steps", inputs=("a * 7.3", "b"))
    three = f"{two} c:2x3"
    add("Addcmul", "torch.addcmul(a, b, c, value=0.7)", three, c=0.7)
    add("Addcdiv", "torch.addcdiv(a, b, c, value=0.7)", three, c=0.7)
    add("Lerp", "torch.lerp(a, b, 0.3)", two, c=0.3)
    add("LerpBackward1", "torch.lerp(a, b, c)", three)
    add("Xlogy", "torch.xlogy(a, b)", two, "positive")
    add("XlogyBackward1", "torch.xlogy(0.7, a)", one, "positive", c=0.7)
    add("XlogyBackward2", "torch.xlogy(a, 0.7)", c=0.7)
    add("Trunc", "a.trunc()", one, "steps")
    add("Frac", "a.frac()", one, "steps")
    for name, option in {"Min": "low", "Max": "high"}.items():
        add(f"Clamp{name}", f"a.clamp_{name.lower()}(0.5)", **{option: 0.5})
        add(f"Clamp{name}", f"(a * 0).clamp_{name.lower()}(0.0)", inputs=("a * 0",), **{option: 0.0})
        add(f"Clamp{name}Backward1", f"a.clamp_{name.lower()}(b)", two)
    # At the kinks, where the rule tells a choice.
    for name in ("Abs", "Relu"):
        add(name, f"(a * 0).{name.lower()}()", inputs=("a * 0",))

    # The backward pass, recorded.
    recorded = {"Tanh": "tanh()", "Sigmoid": "sigmoid()"}
    for name, call in recorded.items():
        add(f"{name}BackwardBackward0", f"grad_of(a.{call}, a, b)", two, inputs=("b", f"a.{call}"))
    for name, call in {"Softmax": "softmax(1)", "LogSoftmax": "log_softmax(1)"}.items():
        add(f"{name}BackwardDataBackward0", f"grad_of(a.{call}, a, b)", two, inputs=("b", f"a.{call}"), dim=1)
    bent = "grad_of(F.{}, a, b)"
    inner = ("b", "a")
    add("ThresholdBackwardBackward0", bent.format("threshold(a, 0.1, 2.0)"), two, inputs=inner, t=0.1)
    add("LeakyReluBackwardBackward0", bent.format("leaky_relu(a, 0.1)"), two, inputs=inner, c=0.1)
    add("HardtanhBackwardBackward0", bent.format("hardtanh(a, -0.9, 1.1)"), two, inputs=inner, low=-0.9, high=1.1)
    add("EluBackwardBackward0", bent.format("elu(a, 0.7)"), two, inputs=inner, alpha=0.7)
    add("SoftplusBackwardBackward0", bent.format("softplus(a, 2.0)"), two, inputs=inner, beta=2.0)
    add("LogSigmoidBackwardBackward0", bent.format("logsigmoid(a)"), two, inputs=inner)
    add("GeluBackwardBackward0", bent.format("gelu(a)"), two, inputs=inner)
    add(
        "MseLossBackwardBackward0",
        "grad_of(F.mse_loss(a, b, reduction='none'), a, c)",
        f"{two} c:2x3",
        inputs=("c", "a", "b"),
        n=1,
    )

    # Kinks, bounds, activations.
    add("Threshold", "F.threshold(a, 0.1, 2.0)", t=0.1, c=2.0)
    add("LeakyRelu", "F.leaky_relu(a, 0.1)", c=0.1)
    add("LeakyRelu", "F.leaky_relu(a * 0, 0.1)", inputs=("a * 0",), c=0.1)
    add("Hardtanh", "F.hardtanh(a, -0.9, 1.1)", low=-0.9, high=1.1)
    add("Hardtanh", "F.hardtanh(a * 0 + 1.1, -0.9, 1.1)", inputs=("a * 0 + 1.1",), low=-0.9, high=1.1)
    add("ClampBackward1", "a.clamp(-0.9, 1.1)", low=-0.9, high=1.1)
    add("ClampBackward1", "(a * 0 + 1.1).clamp(-0.9, 1.1)", inputs=("a * 0 + 1.1",), low=-0.9, high=1.1)
    add("Maximum", "a.maximum(b)", two)
    add("Minimum", "a.minimum(b)", two)
    add("Maximum", "a.maximum(b)", two, "steps")
    add("Minimum", "a.minimum(b)", two, "steps")
    add("Maximum", "(a * 0).maximum(b * 0)", two, inputs=("a * 0", "b * 0"))
    add("Elu", "F.elu(a, 0.7)", alpha=0.7)
    add("Celu", "F.celu(a, 0.5)", alpha=0.5)
    in_place = "put(a * 1, lambda y: F.{}(y, 0.7, inplace=True))"
    add("LeakyReluBackward1", in_place.format("leaky_relu"), c=0.7)
    add("EluBackward1", in_place.format("elu"), alpha=0.7)
    add("CeluBackward1", in_place.format("celu").replace("0.7", "0.5"), alpha=0.5)
    add("Silu", "F.silu(a)")
    add("Softplus", "F.softplus(a, 2.0)", beta=2.0)
    add("LogSigmoid", "F.logsigmoid(a)")
    add("Gelu", "F.gelu(a)")

    # Copies and choices.
    add("Clone", "a.clone()")
    add("Alias", "a[...]")
    add("Where", "torch.where(a > b, a, b)", two, c="a > b")
    add("MaskedFill", "a.masked_fill(a > 0, 2.0)", m="a > 0", c=2.0)
    mask = "torch.tensor([True, False, True])"
    add("MaskedFillBackward1", f"a.masked_fill({mask}, b)", "a:2x3 b:", m=mask)
    add("CopyBackwards", "(a * 1).copy_(b)", two)
    add("Zero", "(a * 1).zero_()")
    add("FillBackward2", "(a * 1).fill_(3.0)", c=3.0)
    add("FillBackward3", "(a * 1).fill_(b)", "a:2x3 b:")
    for name, draw in {
        "Normal": "normal_()",
        "Uniform": "uniform_()",
        "Random": "random_(0, 5)",
        "BernoulliBackward2": "bernoulli_()",
        "RandomBackward1": "random_(5)",
        "RandomBackward2": "random_()",
        "ExponentialBackward0": "exponential_()",
    }.items():
        add(name, f"(a * 1).{draw}")
    add("BernoulliBackward1", "(a * 1).bernoulli_(b / 2)", two, "positive", inputs=("a * 1", "b / 2"))
    add("Bernoulli", "torch.bernoulli(a / 2)", one, "positive", inputs=("a / 2",))
    add("NormalBackward1", "torch.normal(a, 1.0)")
    add("NormalBackward2", "torch.normal(1.0, a)", one, "positive")
    add("NormalBackward3", "torch.normal(a, b)", two, "positive")

    # Other shapes and orders.
    add("View", "a.view(3, 2)", size=(3, 2))
    add("UnsafeView", "a.t().reshape(-1)", inputs=("a.t()",), size=(-1,))
    add("ReshapeAlias", "a[:, 0:4:2].reshape(3, 2, 1)", "a:3x5", inputs=("a[:, 0:4:2]",), size=(3, 2, 1))
    add("Unsqueeze", "a.unsqueeze(1)")
    add("Squeeze", "a.squeeze()", "a:2x1x3")
    add("SqueezeBackward1", "a.squeeze(1)", "a:2x1x3")
    add("SqueezeBackward2", "a.squeeze((1, 3))", "a:2x1x3x1")
    add("SqueezeBackward3", "(a * 1).squeeze_()", "a:2x1x3")
    add("SqueezeBackward4", "(a * 1).squeeze_(1)", "a:2x1x3")
    add("SqueezeBackward5", "(a * 1).squeeze_((1, 3))", "a:2x1x3x1")
    add("UnsqueezeBackward1", "(a * 1).unsqueeze_(1)")
    add("T", "a.t()")
    add("TBackward1", "(a * 1).t_()")
    add("Transpose", "a.transpose(0, 2)", "a:2x3x4", i=0, j=2)
    add("TransposeBackward1", "(a * 1).transpose_(0, 2)", "a:2x3x4", i=0, j=2)
    add("Permute", "a.permute(2, 0, 1)", "a:2x3x4", dims=(2, 0, 1))
    add("Flip", "a.flip(0, 1)", dims=(0, 1))
    add("Roll", "a.roll((1, -2), (0, 1))", k=np.array((1, -2)), dims=(0, 1))
    add("Rot90", "torch.rot90(a, 3)", k=3, dims=(0, 1))
    add("Tril", "a.tril(1)", "a:3x3", k=1)
    add("Triu", "a.triu(-1)", "a:3x3", k=-1)

    # Many to one. `keepdim`: the formulas repeat `g` and `y` over what was reduced.
    add("Sum", "a.sum()")
    add("SumBackward1", "a.sum(1, keepdim=True)", dim=1)
    add("Mean", "a.mean()", n=6)
    add("MeanBackward1", "a.mean(1, keepdim=True)", dim=1, n=3)
    add("Cumsum", "a.cumsum(1)", dim=1)
    for p in (1.0, 2.0, 3.0):
        add("LinalgVectorNorm", f"a.norm({p}, dim=1, keepdim=True)", p=p, dim=1)
        distance = f"torch.nn.functional.pairwise_distance(a, b, {p}, keepdim=True)"
        add("NormBackward1", distance, two, inputs=("a - b + 1e-6",), p=p, dim=1)
    add("Var", "a.var(1, keepdim=True)", dim=1, n=3, c=1)
    add("Std", "a.std(1, correction=0, keepdim=True)", dim=1, n=3, c=0)
    add("Logsumexp", "a.logsumexp(1, keepdim=True)", dim=1)
    add("Softmax", "a.softmax(1)", dim=1)
    add("LogSoftmax", "a.log_softmax(1)", dim=1)
    add("MaxBackward1", "a.max()", m=1)
    add("MinBackward1", "a.min()", m=1)
    add("MinBackward1", "(a * 0).min()", inputs=("a * 0",), m=6)
    add("Amax", "a.amax(1, keepdim=True)", dim=1, m=1)
    add("Amin", "a.amin(1, keepdim=True)", dim=1, m=1)
    add("Median", "a.median()", m=1)
    add("Nanmedian", "a.nanmedian()", m=1)
    add("Trace", "a.trace()", "a:3x3")

    # Matrices.
    add("Mm", "a @ b", "a:2x3 b:3x4")
    add("Bmm", "torch.bmm(a, b)", "a:2x2x3 b:2x3x4")
    add("Addmm", "torch.addmm(a, b, c)", "a:2x4 b:2x3 c:3x4")
    add("Mv", "a @ b", "a:2x3 b:3")
    add("Dot", "a @ b", "a:3 b:3")
    add("Vdot", "torch.vdot(a, b)", "a:3 b:3")
    add("Baddbmm", "torch.baddbmm(a, b, c)", "a:2x3x2 b:2x3x4 c:2x4x2")
    add("Addmv", "torch.addmv(a, b, c)", "a:2 b:2x3 c:3")
    add("Addr", "torch.addr(a, b, c)", "a:2x3 b:2 c:3")
    square = "(a + 3 * torch.eye(3, dtype=torch.float64))"
    add("LinalgSolveEx", f"torch.linalg.solve({square}, b)", "a:3x3 b:3x2", inputs=(square, "b"))
    add("LinalgInvEx", f"torch.linalg.inv({square})", "a:3x3", inputs=(square,))
    add("LinalgDet", f"torch.linalg.det({square})", "a:3x3", inputs=(square,))

    # Losses.
    for reduction, n in (("mean", 6), ("sum", 1)):
        how = f"reduction={reduction!r}"
        add("MseLoss", f"F.mse_loss(a, b, {how})", two, n=n)
        add("HuberLoss", f"F.huber_loss(a, b, {how}, delta=0.7)", two, delta=0.7, n=n)
        add("SmoothL1Loss", f"F.smooth_l1_loss(a, b, {how}, beta=0.7)", two, beta=0.7, n=n)
        add(
            "BinaryCrossEntropy",
            f"F.binary_cross_entropy(a / 2, b / 2, {how})",
            two,
            "positive",
            inputs=("a / 2", "b / 2"),
            n=n,
        )
        add("BinaryCrossEntropyWithLogits", f"F.binary_cross_entropy_with_logits(a, b, {how})", two, n=n)
    return cases


CASES = _cases()


# Comparing a rule with its node


def check(torch: Any, case: Case) -> None:
    """Compare each formula of the rule with the node that the case makes under `torch`."""
    torch.manual_seed(0)
    tensors = {name: torch.tensor(array, requires_grad=True) for name, array in case.arrays().items()}
    names = {"torch": torch, "F": torch.nn.functional, "put": samples.put, "grad_of": _grad_of(torch), **tensors}
    result = eval(case.expression, names)
    node = result.grad_fn
    assert node.name().rpartition("::")[2] == case.name
    found = rule(node.name())
    assert found is not None
    assert found.inputs == len(node.next_functions)

    def value(written: Any) -> Any:
        return _array(eval(written, names)) if isinstance(written, str) else written

    known = {name: value(option) for name, option in case.options.items()}
    assert set(known) == set(found.options)
    known |= {letter: value(text) for letter, text in zip(INPUTS[: found.inputs], case.inputs, strict=False)}
    known |= {"y": _array(result), "g": np.random.RandomState(1).uniform(0.5, 1.5, tuple(result.shape))}
    sent = node(torch.tensor(known["g"]))
    for slot, got in enumerate(sent if isinstance(sent, tuple) else (sent,)):
        _compare(found, slot, got, known, case.tolerance)
    if found.computes is not None:
        assert_close(evaluate(found.computes, known), known["y"], case.tolerance)


def _compare(found: Rule, slot: int, got: Any, known: dict[str, Any], tolerance: float) -> None:
    input = known[INPUTS[slot]]
    if found.slopes:
        expected = known["g"] * evaluate(found.slopes[slot], known)
    else:
        expected = evaluate(found.sends[slot], known)
    assert_close(0 * input if got is None else _array(got), np.broadcast_to(expected, np.shape(input)), tolerance)


def assert_close(ours: Any, theirs: Any, tolerance: float = 1e-9) -> None:
    """Equal shapes (a number fits any), and equal values but for rounding."""
    if np.ndim(ours):
        assert np.shape(ours) == np.shape(theirs)
    np.testing.assert_allclose(ours, theirs, rtol=tolerance, atol=1e-12)


def _array(tensor: Any) -> Any:
    # PyTorch keeps some zeros without memory; a copy has one.
    return tensor.detach().clone().numpy()


def _grad_of(torch: Any) -> Any:
    def grad_of(result: Any, input: Any, gradient: Any) -> Any:
        return torch.autograd.grad(result, input, gradient, create_graph=True)[0]

    return grad_of


def evaluate(expression: str, known: dict[str, Any]) -> Any:
    """The value of a rule's expression."""
    return eval(expression, {**FUNCTIONS, **known})


def _over(reduce: Any) -> Any:
    """A reduction as the rules write it: of all, or along `dim` so that the result repeats over what was reduced."""
    return lambda u, dim=None: reduce(u) if dim is None else reduce(u, axis=dim, keepdims=True)


def _extreme(pair: Any) -> Any:
    """`max` or `min`: of two, or of all entries."""

    def function(u: Any, *other: Any) -> Any:
        return pair(u, other[0]) if other else pair.reduce(u, axis=None)

    return function


def _density(u: Any) -> Any:
    return np.exp(-u * u / 2) / math.sqrt(2 * math.pi)


FUNCTIONS: dict[str, Any] = {
    name: getattr(np, name)
    for line in (
        "exp log log10 log2 sqrt sin cos tan sinh cosh tanh abs sign floor ceil round trunc fmod remainder pi",
        "where tril triu cumsum flip rot90 shape reshape squeeze trace roll outer",
    )
    for name in line.split()
}
FUNCTIONS |= {
    "asin": np.arcsin,
    "acos": np.arccos,
    "atan": np.arctan,
    "atan2": np.arctan2,
    "asinh": np.arcsinh,
    "acosh": np.arccosh,
    "atanh": np.arctanh,
    "erf": np.vectorize(math.erf),
    "sum": _over(np.sum),
    "mean": _over(np.mean),
    "amax": _over(np.amax),
    "amin": _over(np.amin),
    "prod": _over(np.prod),
    "max": _extreme(np.maximum),
    "min": _extreme(np.minimum),
    "median": lambda u: np.sort(u, None)[(u.size - 1) // 2],
    "nanmedian": lambda u: np.sort(u, None)[(u.size - 1) // 2],
    "clamp": np.clip,
    "between": lambda low, u, high: (low <= u) & (u <= high),
    "inside": lambda low, u, high: (low < u) & (u < high),
    "rounded": np.floor,
    "sigmoid": lambda u: 1 / (1 + np.exp(-u)),
    "Phi": lambda u: (1 + np.vectorize(math.erf)(u / math.sqrt(2))) / 2,
    "phi": _density,
    "T": lambda u: np.swapaxes(u, -1, -2),
    "inv": np.linalg.inv,
    "det": np.linalg.det,
    "identity": lambda u: np.eye(*u.shape),
    "transpose": np.swapaxes,
    "permute": np.transpose,
    "permute_back": lambda u, dims: np.transpose(u, np.argsort(dims)),
    "unsqueeze": lambda u: np.expand_dims(u, 1),
}
