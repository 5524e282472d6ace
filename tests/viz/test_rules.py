"""The rules of nodes: every node has one, and each formula says what its node does and prints well."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest

import autograd_teach as torch
from autograd_teach import viz
from autograd_teach.autograd.node import Node
from autograd_teach.ops import pointwise
from autograd_teach.ops.operation import OPERATIONS
from autograd_teach.viz import rules
from autograd_teach.viz.rules import Rule, formula_latex, formula_text, rule, rule_of
from tests.engine import samples
from tests.engine.test_operations import RECORDED
from tests.viz.rule_cases import CASES, FUNCTIONS, Case, check

RULES = rules._rules()
# Operations without a derivative, such as comparisons, never make a node.
OPERATION_NODES = {operation.node.__name__ for operation in OPERATIONS.values() if operation.formulas}
# An operation that is compared with PyTorch's is one that people meet: its rule is written. Others show that they have none.
RECORDED_NODES = OPERATION_NODES & {
    OPERATIONS[row.operation].node.__name__ for row in samples.ROWS if str(row) in RECORDED["operations"]
}
FUNCTIONS_OF_THE_ENGINE = {"BackwardHookFunctionBackward", "_UndefinedGradBackward"}
# The engine's own arithmetic with numbers, in graphs of gradients. PyTorch's graphs show these names too.
WITH_NUMBERS = {
    "AddBackward1": "add_number(a, 2.0)",
    "SubBackward1": "sub_number(a, 2.0)",
    "MulBackward1": "mul_number(a, 2.0)",
    "DivBackward1": "div_number(a, 2.0)",
}
# A cast is a copy here: float64 to float64 makes no node, and rounding to float32 would hide what is tested.
NOT_CALLED = {"ToCopyBackward0"}


def _subclasses(of: type[Any]) -> Iterator[type[Any]]:
    for one in of.__subclasses__():
        yield one
        yield from _subclasses(one)


def test_every_node_of_the_engine_has_a_rule() -> None:
    operations = {operation.node for operation in OPERATIONS.values()}
    others = {c.__name__ for c in _subclasses(Node) if c not in operations and c.__module__ == "builtins"}
    assert others >= {"AccumulateGrad", "CopySlices", "Error"}
    assert {name for name in RECORDED_NODES | others | FUNCTIONS_OF_THE_ENGINE if rule(name) is None} == set()


def test_every_formula_of_an_operation_is_compared_with_its_node() -> None:
    with_formulas = {name for name in OPERATION_NODES if (found := rule(name)) and (found.slopes or found.sends)}
    assert with_formulas - NOT_CALLED == {case.name for case in CASES} | set(WITH_NUMBERS)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_formula_says_what_the_node_sends(case: Case) -> None:
    check(torch, case)


@pytest.mark.parametrize("name", WITH_NUMBERS)
def test_the_rule_of_arithmetic_with_a_number(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch, "pointwise", pointwise, raising=False)
    check(torch, Case(name, f"torch.pointwise.{WITH_NUMBERS[name]}", options={"c": 2.0}))


@pytest.mark.parametrize("row", samples.ROWS, ids=str)
def test_a_rule_counts_the_inputs_of_its_node(row: samples.Row) -> None:
    """Each node in the graph of each operation, and in the graph of its gradient."""
    torch.manual_seed(0)
    tensors = {name: torch.tensor(array, requires_grad=True) for name, array in samples.inputs(row).items()}
    result = eval(row.expression, {"torch": torch, "put": samples.put, "seen": samples.seen, **tensors})
    for node in nodes_of(result):
        found = rule(node.name())
        assert found is not None or node.name() not in RECORDED_NODES, node.name()
        assert found is None or found.inputs in (None, len(node.next_functions)), node.name()


def nodes_of(result: Any) -> list[Any]:
    """The nodes of a graph, each once."""
    found: list[Any] = []
    waiting = [result.grad_fn]
    while waiting:
        node = waiting.pop()
        if node is not None and node not in found:
            found.append(node)
            waiting += [following for following, _ in node.next_functions]
    return found


# What rules.toml may say


@pytest.mark.parametrize("found", RULES.values(), ids=RULES)
def test_a_rule_is_whole(found: Rule) -> None:
    """It has formulas or words, names nothing unknown, and each of its slots prints in every form."""
    assert found.slopes or found.sends or found.words
    assert not (found.slopes and found.sends)
    assert len(found.slopes or found.sends) in (0, found.inputs)
    assert not found.words.endswith(".")
    formulas = [*([found.computes] if found.computes else []), *found.slopes, *found.sends]
    letters = rules.INPUTS[: found.inputs]
    known = {*letters, "y", "g", *found.options, *FUNCTIONS}
    for formula in formulas:
        assert set(re.findall(r"[A-Za-z_]\w*", formula)) <= known, formula
        assert formula_text(formula)
        assert formula_latex(formula)
    for slot in range(found.inputs or 0):
        assert found.sentence(slot)
        assert (found.sends_text(slot) is None) == (found.sends_latex(slot) is None) == (not found.slopes + found.sends)
    assert repr(found).startswith(f"{found.name}: ")
    assert found._repr_markdown_().startswith(f"**{found.name}**")


@pytest.mark.parametrize("found", RULES.values(), ids=RULES)
def test_latex_is_balanced(found: Rule) -> None:
    text = found._repr_markdown_()
    assert text.count("{") == text.count("}")
    assert text.count(r"\left") == text.count(r"\right")
    assert text.count(r"\begin") == text.count(r"\end")


# Printing

PRINTED = [
    ("u * v", "u · v", r"u \cdot v"),
    ("u + v * w", "u + v · w", r"u + v \cdot w"),
    ("(u + v) * w", "(u + v) · w", r"\left(u + v\right) \cdot w"),
    ("u - (v - w)", "u - (v - w)", r"u - \left(v - w\right)"),
    ("u - v + w", "u - v + w", "u - v + w"),
    ("u * (v * w)", "u · v · w", r"u \cdot v \cdot w"),
    ("1 / v", "1 / v", r"\frac{1}{v}"),
    ("-u / v ** 2", "-u / v²", r"-\frac{u}{v^{2}}"),
    ("-2 * u / v", "-2 · u / v", r"-\frac{2 \cdot u}{v}"),
    ("u / (v * w)", "u / (v · w)", r"\frac{u}{v \cdot w}"),
    ("u / v / w", "u / v / w", r"\frac{\frac{u}{v}}{w}"),
    ("u / v * w", "(u / v) · w", r"\frac{u}{v} \cdot w"),
    ("g * (-u)", "g · (-u)", r"g \cdot \left(-u\right)"),
    ("(u / v) ** 2", "(u / v)²", r"\left(\frac{u}{v}\right)^{2}"),
    ("k * u ** (k - 1)", "k · uᵏ⁻¹", r"k \cdot u^{k - 1}"),
    ("u ** v", "uᵛ", "u^{v}"),
    ("u ** (1 / p)", "u^(1 / p)", r"u^{\frac{1}{p}}"),
    ("(-u) ** 2", "(-u)²", r"\left(-u\right)^{2}"),
    ("-u ** 2", "-u²", "-u^{2}"),
    ("exp(u - y)", "exp(u - y)", "e^{u - y}"),
    ("sqrt(u)", "√u", r"\sqrt{u}"),
    ("1 / sqrt(1 - u ** 2)", "1 / √(1 - u²)", r"\frac{1}{\sqrt{1 - u^{2}}}"),
    ("abs(u - v)", "|u - v|", r"\left|u - v\right|"),
    ("g @ T(v)", "g @ vᵀ", r"g v^{\top}"),
    ("T(u @ v)", "(u @ v)ᵀ", r"\left(u v\right)^{\top}"),
    ("T(inv(u)) @ g", "(u⁻¹)ᵀ @ g", r"\left(u^{-1}\right)^{\top} g"),
    ("y * (g - sum(g * y, dim))", "y · (g - sum(g · y, dim))", r"y \cdot \left(g - \sum_{\mathrm{dim}} g \cdot y\right)"),
    ("sum(u + v) * w", "sum(u + v) · w", r"\left(\sum \left(u + v\right)\right) \cdot w"),
    ("where(u > 0, 1, 0)", "1 if u > 0 else 0", r"\begin{cases}1 & \text{if } u > 0 \\ 0 & \text{else}\end{cases}"),
    ("where(u > 0, 1, where(u < 0, 0, c))", "1 if u > 0 else 0 if u < 0 else c",
     r"\begin{cases}1 & \text{if } u > 0 \\ 0 & \text{if } u < 0 \\ c & \text{else}\end{cases}"),
    ("where(u >= 0, 1, 0) / n", "(1 if u ≥ 0 else 0) / n",
     r"\frac{\begin{cases}1 & \text{if } u \ge 0 \\ 0 & \text{else}\end{cases}}{n}"),
    ("between(low, u, high)", "low ≤ u ≤ high", r"\mathrm{low} \le u \le \mathrm{high}"),
    ("alpha * Phi(u)", "α · Φ(u)", r"\alpha \cdot \Phi\left(u\right)"),
    ("sigmoid(beta * u)", "sigmoid(β · u)", r"\sigma\left(\beta \cdot u\right)"),
    ("sum_of(u)", "sum_of(u)", r"\operatorname{sum\_of}\left(u\right)"),
]  # fmt: skip


@pytest.mark.parametrize(("expression", "text", "latex"), PRINTED)
def test_an_expression_prints_as_text_and_as_latex(expression: str, text: str, latex: str) -> None:
    assert formula_text(expression) == text
    assert formula_latex(expression) == latex


@pytest.mark.parametrize("expression", ["u +", "u.v", "u if v else w", "[u]", "u % v", "f(u, k=1)", "u < v < w", "'u'"])
def test_what_is_no_formula_is_refused(expression: str) -> None:
    with pytest.raises(ValueError, match="is not a"):
        formula_text(expression)
    with pytest.raises(ValueError, match="is not a"):
        formula_latex(expression)


SENT = [
    ("AddBackward0", 0, "g"),
    ("SubBackward0", 1, "-g"),
    ("MulBackward0", 0, "g · v"),
    ("DivBackward0", 0, "g / v"),
    ("DivBackward0", 1, "-g · u / v²"),
    ("MseLossBackward0", 1, "-2 · g · (u - v) / n"),
    ("MeanBackward0", 0, "g / n"),
    ("ReluBackward0", 0, "g if u > 0 else 0"),
    ("FloorBackward0", 0, "0"),
    ("TanhBackward0", 0, "g · (1 - y²)"),
    ("MmBackward0", 0, "g @ vᵀ"),
    ("MaxBackward0", 0, None),
]


@pytest.mark.parametrize(("name", "slot", "text"), SENT)
def test_what_a_slot_gets(name: str, slot: int, text: str | None) -> None:
    found = rule(name)
    assert found is not None
    assert found.sends_text(slot) == text


SENTENCES = [
    ("MulBackward0", 0, "y = u · v: ∂y/∂u = v"),
    ("MulBackward0", 1, "y = u · v: ∂y/∂v = u"),
    ("MmBackward0", 0, "y = u @ v: u gets g @ vᵀ"),
    ("NormalBackward0", 0, "∂y/∂u = 0"),
    ("MaxBackward1", 0, "y = max(u): ∂y/∂u = 1 / m if u = y else 0"),
    ("StackBackward0", 7, "each input gets the part of the gradient at its place"),
]


@pytest.mark.parametrize(("name", "slot", "sentence"), SENTENCES)
def test_a_sentence_tells_the_rule_of_one_slot(name: str, slot: int, sentence: str) -> None:
    found = rule(name)
    assert found is not None
    assert found.sentence(slot) == sentence


@pytest.mark.parametrize(("name", "slot", "message"), [
    ("MulBackward0", 2, "MulBackward0 has 2 inputs: 2 is not one of its slots"),
    ("ExpBackward0", 1, "ExpBackward0 has 1 input: 1 is not one of its slots"),
    ("AccumulateGrad", 0, "AccumulateGrad has no inputs: 0 is not one of its slots"),
    ("StackBackward0", -1, "-1 is not one of its slots"),
])  # fmt: skip
def test_a_slot_that_a_node_does_not_have_is_refused(name: str, slot: int, message: str) -> None:
    found = rule(name)
    assert found is not None
    for ask in (found.sentence, found.slope_text, found.slope_latex, found.sends_text, found.sends_latex):
        with pytest.raises(IndexError, match=f"^{re.escape(message)}"):
            ask(slot)


WITH_ARGUMENTS = [
    ("MulBackward0", ["a", ""], {}, "a · v"),
    ("MulBackward0", ["a", "-2.0"], {}, "a · (-2.0)"),
    ("PowBackward0", ["-3.0"], {"k": "2"}, "(-3.0)²"),
    ("PowBackward0", ["a"], {"k": "-0.5"}, "a^(-0.5)"),
    ("TBackward0", ["a + 1"], {}, "(a + 1)ᵀ"),
    ("MulBackward0", ["[1.0, 2.0]", "fc.weight"], {}, "[1.0, 2.0] · fc.weight"),
    ("MaxBackward0", ["a"], {}, None),
]


@pytest.mark.parametrize(("name", "arguments", "options", "text"), WITH_ARGUMENTS)
def test_what_a_node_computes_in_other_names(
    name: str, arguments: list[str], options: dict[str, str], text: str | None
) -> None:
    assert rule_of(name).computes_with(arguments, options) == text


# Finding a rule


def test_a_rule_is_found_by_tensor_node_and_name() -> None:
    a = torch.tensor(2.0, requires_grad=True)
    b = a * a
    assert rule_of(b) == rule_of(b.grad_fn) == rule_of("MulBackward0") == rule("MulBackward0")
    assert rule_of(a).name == "AccumulateGrad"
    assert rule_of("torch::autograd::CopySlices").name == "CopySlices"
    # A name that shares the rule of another keeps its own.
    assert rule_of(b.view(1).view(1)).name == "ViewBackward0"
    assert rule_of("UnsafeViewBackward0").name == "UnsafeViewBackward0"


class Doubled(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        ctx.name = "doubled"  # any name may stand on a context
        return x * 2

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        return grads[0] * 2


def test_a_function_of_the_reader_has_no_rule() -> None:
    result = Doubled.apply(torch.tensor(2.0, requires_grad=True))
    assert rule("DoubledBackward") is None
    with pytest.raises(ValueError, match="No rule is known for DoubledBackward: if it belongs to a Function"):
        rule_of(result)


def test_what_has_no_node_is_refused() -> None:
    with pytest.raises(ValueError, match="does not require grad"):
        rule_of(torch.tensor(2.0))
    with pytest.raises(TypeError, match="A float has no rule: give a tensor"):
        rule_of(2.0)


def test_a_rule_shows_as_text_and_typeset() -> None:
    found = rule_of("MmBackward0")
    assert repr(found) == ("MmBackward0: y = u @ v\n  u gets g @ vᵀ\n  v gets uᵀ @ g\n  g: the gradient that arrives.")
    assert found._repr_markdown_() == (
        "**MmBackward0**\n\n"
        "$$\\begin{aligned}\n"
        "y &= u v \\\\\n"
        "u \\text{ gets } & g v^{\\top} \\\\\n"
        "v \\text{ gets } & u^{\\top} g\n"
        "\\end{aligned}$$\n\n"
        "g: the gradient that arrives."
    )
    assert repr(rule_of("NormalBackward0")) == (
        "NormalBackward0: u was overwritten by random numbers: it gets 0\n  ∂y/∂u = 0"
    )
    assert repr(rule_of("AccumulateGrad")) == "AccumulateGrad: adds what arrives to the leaf's .grad"
    assert rule_of("AccumulateGrad")._repr_markdown_() == "**AccumulateGrad**\n\nAdds what arrives to the leaf's .grad."


# ---- letters that are names of the program -----------------------------------------------------------------------------

LETTERS = {
    # The name of a leaf: what is computed with it, and a line of a rule that must come.
    "u": (lambda u: u.exp().sum().log(), "y = log(q)"),
    "y": (lambda y: (y * y).sum(), "q = sum(u)"),
    "g": (lambda g: (g * 2).sum(), "q: the gradient that arrives."),
    "v": (lambda v: (v * v.exp()).sum(), "∂y/∂q = u"),
    "k": (lambda k: (k**3).sum(), "q: the exponent."),
    "q": (lambda q: q.sum(), "y = sum(u)"),
}


@pytest.mark.parametrize("kind", ["graph", "play"])
@pytest.mark.parametrize("name", LETTERS)
def test_no_letter_of_a_rule_is_a_name_of_the_program(lib, kind, name):
    call, line = LETTERS[name]
    leaf = lib.tensor([1.0, 2.0], requires_grad=True)
    view = getattr(viz, kind)(call(leaf), names={name: leaf})
    told = "\n".join(body for node in view.snapshot.nodes for head, body in view._rows(node) if head == "rule")
    assert line in told.splitlines()
    assert name == "q" or not re.search(rf"(?<![A-Za-z]){name}(?![A-Za-z])", told)
    assert line in view.svg, "the static picture tells the same"


def test_names_in_the_recorded_lines_are_names_of_the_program(lib):
    def f(x):
        for u in range(1, 3):
            x = (x * u).sum().exp()
        return x

    for view in (viz.play(f, x=lib.tensor([0.1] * 20)), viz.live(f, x=lib.tensor([0.1] * 20))):
        assert "sum(q)" in view.dot
        assert "sum(u)" not in view.dot


def test_a_player_writes_another_letter_for_a_value_without_a_name(lib):
    u = lib.arange(40.0, requires_grad=True)
    view = viz.play((u * 2).sum())
    assert "sum(q)" in view.dot
    assert "sum(u)" not in view.dot


def test_a_card_takes_letters_that_are_not_names_of_these_tensors(lib):
    u, w = (lib.tensor(2.0, requires_grad=True) for _ in range(2))
    y = w * u
    assert str(viz.rule(y)).splitlines() == ["MulBackward0: y = q · v", "  ∂y/∂q = v", "  ∂y/∂v = q"]
    assert r"\partial q" in viz.rule(y)._repr_markdown_()
    assert viz.rule(u * w) == viz.rule("MulBackward0") == rule("MulBackward0"), "u is the first argument here"


@pytest.mark.parametrize("known", rules._rules().values(), ids=lambda known: known.name)
def test_all_letters_of_a_rule_can_be_others(known):
    own = {*"uvwy", "g", *known.options}
    other = known.beside(own)
    shown = f"{other} {other._repr_markdown_()}".replace(" a ", " ")
    assert not own & set(re.findall(r"(?<![A-Za-z\\])[a-z]+(?![A-Za-z])", shown)) - {"dim", "low", "high", "size", "t"}
    assert known.beside({"x"}) is known or known.beside({"x"}) == known


def test_letters_change_in_words_options_powers_and_latex():
    found = rule("PowBackward0").beside({"u", "k", "y", "q"})
    assert str(found) == "PowBackward0: s = r^h\n  ∂s/∂r = h · r^(h - 1)\n  h: the exponent."
    assert found.computes_with(["a"], {"k": "2"}) == "a²"
    assert rule("AbsBackward0").beside({"u"}).words == "at the kink, q = 0, the slope is chosen as 0"
    assert rule("MmBackward0").beside({"g"}).sends_latex(1) == r"u^{\top} q"


def test_a_tensor_of_the_program_that_is_not_in_the_picture_keeps_its_letter_too(lib):
    u = lib.ones(1)
    x = lib.arange(40.0, requires_grad=True)
    dots = [viz.play((x * 2).sum()).dot, viz.compare((x * 2).sum(), (x * 3).sum()).dot]
    assert u.numel() == 1
    assert [dot for dot in dots if "sum(u)" in dot] == []
    assert "sum(q)" in dots[0]
