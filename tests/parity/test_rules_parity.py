"""The rules of nodes against PyTorch's own nodes: those that the engine has too, and further ones of PyTorch's."""

from typing import Any

import pytest

from autograd_teach.viz.rules import rule, rule_of
from tests.engine import samples
from tests.viz.rule_cases import CASES as SHARED
from tests.viz.rule_cases import Case, check
from tests.viz.test_rules import RULES, nodes_of

torch = pytest.importorskip("torch")

TWO = "a:2x3 b:2x3"
# Formulas for nodes that the engine does not have.
CASES = [
    Case("HardswishBackward0", "F.hardswish(3 * a)", inputs=("3 * a",)),
    # PyTorch computes 1 / 6 in single precision.
    Case("HardsigmoidBackward0", "F.hardsigmoid(3 * a)", inputs=("3 * a",), tolerance=1e-7),
    Case("MishBackward0", "F.mish(a)"),
    Case("PreluKernelBackward0", "torch._prelu_kernel(a, b)", TWO),
    Case("SoftshrinkBackward0", "F.softshrink(a, 0.6)", options={"c": 0.6}),
    Case("HardshrinkBackward0", "F.hardshrink(a, 0.6)", options={"c": 0.6}),
    Case("ToCopyBackward0", "a.to(torch.float64, copy=True)"),
    Case("RollBackward0", "a.roll(1, 1)", options={"k": 1, "dims": 1}),
    Case("NormBackward1", "torch._VF.norm(a, 3.0, 1, True)", options={"p": 3.0, "dim": 1}),
    Case("BaddbmmBackward0", "torch.baddbmm(a, b, c)", "a:2x2x4 b:2x2x3 c:2x3x4"),
    Case("AddmvBackward0", "torch.addmv(a, b, c)", "a:2 b:2x3 c:3"),
    Case("LinalgInvExBackward0", "torch.linalg.inv(a)", "a:3x3"),
    Case("LinalgDetBackward0", "torch.linalg.det(a)", "a:3x3"),
    Case(
        "SoftMarginLossBackward0",
        "F.soft_margin_loss(a, b.detach().sign())",
        TWO,
        options={"t": "b.sign()", "n": 6},
    ),
]

SHAPES = "a:2x3 b:2x3"
IMAGE = "a:1x4x4x4"
ONE = "torch.tensor([[1]])"
# Rules in words: a node of this name exists, and has so many inputs. Nodes that need a GPU are not tried.
WORDS = [
    ("ConvolutionBackward0", "F.conv2d(a, b, c)", f"{IMAGE} b:2x4x3x3 c:2"),
    ("NativeLayerNormBackward0", "F.layer_norm(a, (3,), b, c)", "a:2x3 b:3 c:3"),
    ("NativeGroupNormBackward0", "F.group_norm(a, 2, b, c)", f"{IMAGE} b:4 c:4"),
    ("NativeBatchNormBackward0", "F.batch_norm(a, None, None, b, c, True)", f"{IMAGE} b:4 c:4"),
    ("MaxPool2DWithIndicesBackward0", "F.max_pool2d(a, 2)", IMAGE),
    ("AdaptiveMaxPool2DBackward0", "F.adaptive_max_pool2d(a, 2)", IMAGE),
    ("AvgPool2DBackward0", "F.avg_pool2d(a, 2)", IMAGE),
    ("AdaptiveAvgPool2DBackward0", "F.adaptive_avg_pool2d(a, 2)", IMAGE),
    ("UpsampleNearest2DBackward0", "F.interpolate(a, scale_factor=2)", IMAGE),
    ("UpsampleBilinear2DBackward0", "F.interpolate(a, scale_factor=2, mode='bilinear')", IMAGE),
    ("UpsampleBicubic2DBackward0", "F.interpolate(a, scale_factor=2, mode='bicubic')", IMAGE),
    ("GridSampler2DBackward0", "F.grid_sample(a, b, align_corners=False)", f"{IMAGE} b:1x2x2x2"),
    ("PixelShuffleBackward0", "F.pixel_shuffle(a, 2)", IMAGE),
    ("Im2ColBackward0", "F.unfold(a, 2)", IMAGE),
    ("Col2ImBackward0", "F.fold(a, 3, 2)", "a:4x4"),
    ("UnfoldBackward0", "a.unfold(0, 2, 1)", "a:4"),
    ("AvgPool3DBackward0", "F.avg_pool3d(a, 2)", IMAGE),
    ("AdaptiveAvgPool3DBackward0", "F.adaptive_avg_pool3d(a, 2)", IMAGE),
    ("MaxPool3DWithIndicesBackward0", "F.max_pool3d(a, 2)", IMAGE),
    ("UpsampleNearest1DBackward0", "F.interpolate(a[0], scale_factor=2)", IMAGE),
    ("UpsampleLinear1DBackward0", "F.interpolate(a[0], scale_factor=2, mode='linear')", IMAGE),
    ("PixelUnshuffleBackward0", "F.pixel_unshuffle(a, 2)", IMAGE),
    ("ReflectionPad1DBackward0", "F.pad(a, (1, 1), mode='reflect')", SHAPES),
    ("ReplicationPad1DBackward0", "F.pad(a, (1, 1), mode='replicate')", SHAPES),
    ("ConstantPadNdBackward0", "F.pad(a, (1, 1))", SHAPES),
    ("ReflectionPad2DBackward0", "F.pad(a, (1, 1, 1, 1), mode='reflect')", IMAGE),
    ("ReplicationPad2DBackward0", "F.pad(a, (1, 1, 1, 1), mode='replicate')", IMAGE),
    ("EmbeddingBackward0", "F.embedding(torch.tensor([0, 1]), a)", SHAPES),
    ("EmbeddingBagBackward0", "F.embedding_bag(torch.tensor([[0, 1]]), a)", SHAPES),
    ("NativeDropoutBackward0", "torch.native_dropout(a, 0.5, True)[0]", SHAPES),
    ("GluBackward0", "F.glu(a)", "a:2x4"),
    ("ScaledDotProductFlashAttentionForCpuBackward0", "F.scaled_dot_product_attention(a, b, c)",
     "a:1x1x2x8 b:1x1x2x8 c:1x1x2x8"),
    ("CtcLossBackward0", f"F.ctc_loss(a.log_softmax(2), {ONE}, torch.tensor([4]), torch.tensor([1]))", "a:4x1x3"),
    ("WeightNormInterfaceBackward0", "torch._weight_norm_interface(a, b)[0]", "a:2x3 b:2x1"),
    ("CdistBackward0", "torch.cdist(a, b)", SHAPES),
    ("MaskedSelectBackward0", "a.masked_select(a > 0)", SHAPES),
    ("MaskedScatterBackward0", "a.masked_scatter(a > 0, b)", SHAPES),
    ("TakeBackward0", "a.take(torch.tensor([0]))", SHAPES),
    ("TopkBackward0", "a.topk(2)[0]", SHAPES),
    ("KthvalueBackward0", "a.kthvalue(1)[0]", SHAPES),
    ("ModeBackward0", "a.mode()[0]", SHAPES),
    ("CummaxBackward0", "a.cummax(0)[0]", SHAPES),
    ("CumminBackward0", "a.cummin(0)[0]", SHAPES),
    ("CumprodBackward0", "a.cumprod(0)", SHAPES),
    ("LogcumsumexpBackward0", "a.logcumsumexp(0)", SHAPES),
    ("NansumBackward0", "a.nansum()", SHAPES),
    ("NanToNumBackward0", "a.nan_to_num()", SHAPES),
    ("ClampBackward0", "a.clamp(b, b + 1)", SHAPES),
    ("IndexFillBackward0", "a.index_fill(0, torch.tensor([0]), 2.0)", SHAPES),
    ("IndexCopyBackward0", "a.index_copy(0, torch.tensor([1, 0]), b)", SHAPES),
    ("ScatterBackward1", "a.scatter(0, torch.tensor([[0]]), 2.0)", SHAPES),
    ("SelectScatterBackward0", "a.select_scatter(b[0], 0, 0)", SHAPES),
    ("SliceScatterBackward0", "a.slice_scatter(b, 0)", SHAPES),
    ("DiagonalScatterBackward0", "a.diagonal_scatter(b[0, :2])", SHAPES),
    ("SortBackward0", "a.sort()[0]", SHAPES),
    ("LinalgSlogdetBackward0", "torch.linalg.slogdet(a)[1]", "a:3x3"),
    ("LinalgQrBackward0", "torch.linalg.qr(a)[1]", "a:3x3"),
    ("LinalgSvdBackward0", "torch.linalg.svd(a)[1]", "a:3x3"),
    ("LinalgEighBackward0", "torch.linalg.eigh(a)[0]", "a:3x3"),
    ("SortBackward1", "a.sort(stable=True)[0]", SHAPES),
    ("FillBackward0", "torch.fill(a, 2.0)", SHAPES),
    ("FillBackward1", "torch.fill(a, b)", "a:2x3 b:"),
    ("NormBackward0", "torch._VF.norm(a, 3.0)", SHAPES),
    ("LinalgEigBackward0", "torch.linalg.eig(a)[0]", "a:3x3"),
    ("LinalgLuFactorExBackward0", "torch.linalg.lu_factor(a)[0]", "a:3x3"),
    ("FftC2CBackward0", "torch.fft.fft(a + 0j)", SHAPES),
    ("FftC2RBackward0", "torch.fft.irfft(a)", SHAPES),
    ("FftR2CBackward0", "torch.fft.rfft(a)", SHAPES),
    ("MkldnnRnnLayerBackward0", "torch.nn.LSTM(3, 4)(a.float())[0]", SHAPES),
]  # fmt: skip


@pytest.mark.parametrize("case", [*SHARED, *CASES], ids=str)
def test_a_formula_says_what_pytorchs_node_sends(case: Case) -> None:
    check(torch, case)


@pytest.mark.parametrize(("name", "expression", "shapes"), WORDS, ids=[name for name, *_ in WORDS])
def test_a_rule_in_words_belongs_to_a_node_of_pytorchs(name: str, expression: str, shapes: str) -> None:
    arrays = Case(name, expression, shapes).arrays()
    tensors = {letter: torch.tensor(array, requires_grad=True) for letter, array in arrays.items()}
    result = eval(expression, {"torch": torch, "F": torch.nn.functional, **tensors})
    made = [node for node in nodes_of(result) if node.name() == name]
    assert made
    found = rule(name)
    assert found is not None
    assert found.inputs in (None, len(made[0].next_functions))


@pytest.mark.parametrize("row", samples.ROWS, ids=str)
def test_a_rule_counts_the_inputs_of_pytorchs_node(row: samples.Row) -> None:
    torch.manual_seed(0)
    tensors = {name: torch.tensor(array, requires_grad=True) for name, array in samples.inputs(row).items()}
    result = eval(row.expression, {"torch": torch, "put": samples.put, "seen": samples.seen, **tensors})
    for node in nodes_of(result):
        found = rule(node.name())
        assert found is not None, node.name()
        assert found.inputs in (None, len(node.next_functions)), node.name()


def test_a_rule_is_found_for_pytorchs_tensors_and_nodes() -> None:
    a = torch.tensor(2.0, requires_grad=True)
    assert rule_of(a * a) == rule_of((a * a).grad_fn) == RULES["MulBackward0"]
    assert rule_of(a) == RULES["AccumulateGrad"]


def test_custom_functions_have_no_rule() -> None:
    class Doubled(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x * 2

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g * 2

    assert rule(Doubled.apply(torch.tensor(2.0, requires_grad=True)).grad_fn.name()) is None
