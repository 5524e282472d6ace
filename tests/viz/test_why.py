"""`viz.why`: the reason and its line, for typical programs, with and without a watch; and that asking changes nothing."""

import functools
import inspect
import os
import subprocess
import sys

import numpy as np
import pytest

import autograd_teach as engine
from autograd_teach.viz.player import play
from autograd_teach.viz.watch import running, watch
from autograd_teach.viz.why import why
from autograd_teach.viz.why_words import KINDS
from tests.viz.test_play import Own
from tests.viz.why_programs import NEVER, PROGRAMS

ALL = pytest.mark.parametrize(("program", "kind", "phrases"), PROGRAMS.values(), ids=PROGRAMS)
# Both libraries warn where a program of the table does what it should not.
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


def expected_line(program):
    lines, first = inspect.getsourcelines(program)
    return next((first + place for place, line in enumerate(lines) if line.rstrip().endswith("# here")), 0)


def check(view, program, kind, phrases):
    assert view.kind == kind, view
    assert [phrase for phrase in phrases if phrase not in repr(view)] == [], view
    assert [phrase for phrase in NEVER[program.__name__] if phrase in repr(view)] == [], view
    if expected := expected_line(program):
        assert view.line == expected, view
    assert repr(view) == view.sentence
    assert " at 0x" not in repr(view)


@ALL
def test_after_the_fact(lib, program, kind, phrases):
    check(program(lib), program, kind, phrases)


@ALL
def test_under_a_watch(lib, program, kind, phrases):
    with watch():
        view = program(lib)
    check(view, program, kind, phrases)


def test_the_programs_ask_about_every_kind():
    """Of a graph that raises something else, and of what cannot be read or is not supported, the tests below ask."""
    assert set(KINDS) - {kind for _, kind, _ in PROGRAMS.values()} == {"cut", "error", "unsupported"}


# A function instead of a loss


def weights(lib):
    return lib.tensor([1.0, 2.0], requires_grad=True), lib.tensor([3.0, 4.0], requires_grad=True)


FUNCTIONS = {
    "arrives": (lambda lib, w, v: (w * v).sum(), "arrives", "from MulBackward0 (line "),
    "twice": (lambda lib, w, v: (w * w).sum(), "arrives", "in 2 parts"),
    "detach": (lambda lib, w, v: (w.detach() * v).sum(), "detach", "takes w out of the graph"),
    "number": (lambda lib, w, v: (v * w.sum().item()).sum(), "number", "makes a plain number"),
    "a number is returned": (lambda lib, w, v: (w * v).sum().item(), "number", "makes a plain number"),
    "numpy": (lambda lib, w, v: (v * lib.from_numpy(w.detach().numpy())).sum(), "numpy", "NumPy"),
    "no_grad": (lambda lib, w, v: lib.no_grad()(lambda: w.exp())().sum() + v.sum(), "no_grad", "under no_grad"),
    "unused": (lambda lib, w, v: (v * 2).sum(), "unused", "does not depend on w"),
    "data with nan": (
        lambda lib, w, v: (w * lib.tensor([float("nan"), 1.0])).sum(),
        "nan",
        "an argument that does not require grad contains NaN",
    ),
    "overflow": (lambda lib, w, v: (w * 100).exp().log().sum(), "inf", "too large"),
    "at the minimum": (lambda lib, w, v: lib.nn.functional.mse_loss(w, w.detach()), "minimum", "Nothing is left"),
    "at a scalar of many": (lambda lib, w, v: w * v, "arrives", "from MulBackward0"),
}


@pytest.mark.parametrize(("f", "kind", "phrase"), FUNCTIONS.values(), ids=FUNCTIONS)
def test_a_function_is_called_under_a_watch(lib, f, kind, phrase):
    w, v = weights(lib)
    view = why(lambda: f(lib, w, v), w)
    assert (view.kind, phrase in view.sentence) == (kind, True), view
    assert view.kind in ("unused", "arrives") or view.line - f.__code__.co_firstlineno in (0, 1)


def test_a_function_of_one_argument_gets_the_tensor(lib):
    w, _ = weights(lib)
    assert why(lambda x: (x * 3).sum(), w).kind == "arrives"


def test_an_error_of_the_function_is_its_own(lib):
    w, _ = weights(lib)
    with pytest.raises(ZeroDivisionError):
        why(lambda: 1 / 0, w)
    assert (running(), sys.getprofile()) == ([], None)


@pytest.mark.parametrize("reduce", ["mean", "sum"])
def test_many_elements_are_neither_vanishing_nor_exploding(lib, reduce):
    w = lib.ones(4_000_000, requires_grad=True)
    assert why(lambda: getattr(w * 2, reduce)(), w).kind == "arrives"


# What can be asked


@pytest.mark.parametrize("wrong", [None, 3.0, "w", [1.0]])
def test_a_tensor_must_be_asked_about(lib, wrong):
    with pytest.raises(TypeError, match="give the tensor itself"):
        why(lib.ones(1), wrong)


@pytest.mark.parametrize("wrong", [None, "loss", [1.0]])
def test_a_loss_must_be_given(lib, wrong):
    with pytest.raises(TypeError, match="give a tensor or a function that returns one"):
        why(wrong, lib.ones(1, requires_grad=True))


def test_a_tensor_can_be_named(lib):
    things = weights(lib)
    loss = (things[1] * 2).sum()
    assert "does not depend on start" in why(loss, things[0], names={"start": things[0]}).sentence
    assert "does not depend on things[0]" in why(loss, things[0]).sentence


def test_the_loss_itself(lib):
    w = lib.tensor(2.0, requires_grad=True)
    assert why(w, w).sentence == "w is the loss itself: its gradient is 1."


def test_a_gradient_that_is_another_losss_is_not_this_ones(lib):
    w, v = weights(lib)
    (w * v).sum().backward()
    view = why((w * w).sum(), w)
    assert (view.kind, "it holds [3, 4], this loss gives [2, 4]" in view.sentence) == ("accumulated", True)


def test_a_gradient_set_back_to_zero_waits_for_backward(lib):
    w, _ = weights(lib)
    (w * w).sum().backward()
    w.grad.zero_()
    view = why((w * w).sum(), w)
    assert (view.kind, view.sentence.splitlines()[0]) == (
        "no backward",
        "w.grad is 0: backward has not been called for this loss, or .grad was cleared since.",
    )


def test_a_result_that_retains_its_gradient_is_answered_as_a_leaf(lib):
    w, _ = weights(lib)
    y = w * 2
    y.retain_grad()
    assert why((y * 3).sum(), y).kind == "no backward"
    assert y.grad is None


def test_a_backward_of_ones_own_that_raises_is_told(lib):
    class Picky(lib.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            raise ValueError("not today")

    w, _ = weights(lib)
    view = why(Picky.apply(w).sum(), w)
    assert (view.kind, "stops with ValueError: not today" in view.sentence) == ("error", True)


def test_without_source_the_graph_and_memory_are_asked(lib):
    space = {"lib": lib, "why": why}
    cut = "w = lib.tensor([1.0], requires_grad=True)\nv = w * 2\nd = v.detach()\nloss = (d * lib.ones(1, requires_grad=True))"
    exec(compile(cut, "<no source>", "exec"), space)  # noqa: S102  code without source is what is tested
    view = eval("why(loss, w)", space)
    assert (view.kind, view.line) == ("detach", 0)
    assert "d is the value of v, without its history" in view.sentence
    exec("loss = lib.ones(1, requires_grad=True) * 2", space)  # noqa: S102
    view = eval("why(loss, w)", space)
    assert (view.kind, "Give a function" in view.sentence) == ("cut", True)


def test_where_an_argument_is_not_known_no_cause_is_named(lib):
    x = lib.tensor([1.0], requires_grad=True)
    view = why((x / 0.0 + 1).log().sum(), x)
    assert "but not all of its arguments are known, so it may come from an operation before it" in view.sentence
    assert "is the first" not in view.sentence
    assert "DivBackward0 (line" in why(lambda: (x / 0.0 + 1).log().sum(), x).sentence


# Of PyTorch alone


def sparse_rows(torch):
    table = torch.nn.Embedding(3, 2, sparse=True)
    return table(torch.tensor([0, 1])).sum(), table.weight


def a_checkpoint(torch, f, *leaves):
    from torch.utils.checkpoint import checkpoint

    return checkpoint(f, *leaves, use_reentrant=True).sum()


def a_reentrant_checkpoint(torch):
    w = torch.ones(2, requires_grad=True)
    return a_checkpoint(torch, torch.tanh, w), w


def a_layer_in_a_reentrant_checkpoint(torch):
    layer = torch.nn.Linear(2, 2)
    return a_checkpoint(torch, layer, torch.ones(2, requires_grad=True)), layer.weight


def complex_numbers(torch):
    w = torch.tensor([1 + 2j], requires_grad=True)
    return (w * w.conj()).real.sum(), w


def complex_numbers_on_the_way(torch):
    w = torch.ones(2, requires_grad=True)
    return torch.fft.fft(w).abs().sum(), w


def on_meta(torch):
    w = torch.ones(2, device="meta", requires_grad=True)
    return (w * 2).sum(), w


def a_sparse_leaf(torch):
    w = torch.eye(2).to_sparse().requires_grad_()
    return torch.sparse.sum(w * 2), w


def in_mkldnn(torch):
    w = torch.ones(2, 2).to_mkldnn().requires_grad_()
    return w.to_dense().sum(), w


def nested_tensors(torch):
    w = torch.ones(2, requires_grad=True)
    nested = torch.nested.as_nested_tensor([w, torch.ones(1)])
    return torch.nested.to_padded_tensor(nested * 2, 0.0).sum(), w


UNSUPPORTED = {
    sparse_rows: "sparse gradients",
    a_reentrant_checkpoint: "use_reentrant=True",
    a_layer_in_a_reentrant_checkpoint: "use_reentrant=True",
    complex_numbers: "complex numbers",
    complex_numbers_on_the_way: "complex numbers",
    on_meta: "tensors on the device meta",
    a_sparse_leaf: "sparse tensors",
    in_mkldnn: "MKL-DNN",
    nested_tensors: "nested tensors",
}


@pytest.mark.parametrize(("program", "what"), UNSUPPORTED.items(), ids=[f.__name__ for f in UNSUPPORTED])
def test_what_is_not_supported_is_said(program, what):
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    loss, w = program(torch)
    view = why(loss, w)
    assert (view.kind, view.line) == ("unsupported", 0), view
    assert view.sentence.startswith("why does not support ")
    assert what in view.sentence
    played = play(loss).text
    assert "not support" in played
    assert what in played


def test_what_can_run_backward_only_once_is_left_to_the_reader(lib):
    class Square(lib.autograd.Function):
        clear_saved_tensors_on_access = True

        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx, g):
            return 2 * ctx.saved_tensors[0] * g

    w = lib.tensor(3.0, requires_grad=True)
    loss = Square.apply(w)
    assert "clear_saved_tensors_on_access" in why(loss, w).sentence
    assert "clear_saved_tensors_on_access" in play(loss).text
    loss.backward()
    assert w.grad.item() == 6.0


def test_inside_a_transform_of_functions_why_is_not_supported():
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    views = []
    torch.func.grad(lambda x: views.append(why((x * 2).sum(), x)) or x.sum())(torch.ones(2))
    assert "torch.func transforms" in views[0].sentence


def a_convolution_of_zeros(torch):
    layer, x = torch.nn.Conv2d(1, 2, 3), torch.zeros(1, 1, 5, 5)
    return layer(x).sum(), layer.weight, "zero factor", "its other factor is 0"


def a_checkpoint_that_is_not_reentrant(torch):
    from torch.utils.checkpoint import checkpoint

    w = torch.tensor([-1.0], requires_grad=True)
    return checkpoint(torch.relu, w, use_reentrant=False).sum(), w, "dead", "the slope is 0 at its input"


def an_instance_norm(torch):
    x = torch.tensor([[[1.0, 2.0, 4.0], [0.5, 0.25, -1.0]]], requires_grad=True)
    loss = torch.nn.functional.instance_norm(x).sum()
    return loss, x, "no slope", "0 up to rounding: NativeBatchNormBackward0 sends nothing but rounding errors on"


def a_group_norm(torch):
    x = torch.tensor([[1.0, 2.0, 4.0, 8.0]], requires_grad=True)
    return torch.nn.functional.group_norm(x, 2).sum(), x, "no slope", "always have mean 0"


def a_large_layer_norm(torch):
    x = torch.randn(100, 100, generator=torch.Generator().manual_seed(1)).requires_grad_()
    return torch.nn.functional.layer_norm(x, (100,)).sum(), x, "no slope", "0 up to rounding"


def attention_to_one_key(torch):
    layer = torch.nn.MultiheadAttention(4, 2)
    q, k = torch.ones(1, 1, 4, requires_grad=True), torch.ones(1, 1, 4)
    return layer(q, k, k)[0].sum(), q, "no slope", "its results always sum to 1"


def rows_of_padding(torch):
    table = torch.nn.Embedding(3, 2, padding_idx=0)
    return table(torch.tensor([0, 0])).sum(), table.weight, "not chosen", "not looked up, or to padding_idx"


def a_hook_of_a_module(torch):
    layer, w = torch.nn.Linear(2, 2), torch.ones(1, 2, requires_grad=True)
    layer.register_full_backward_hook(lambda module, sent, came: (sent[0] * 0,))
    return layer(w * 1).sum(), w, "hook", "[[0, 0]] is sent on"


def numbers_of_half_precision(torch):
    w = torch.ones(3, dtype=torch.bfloat16, requires_grad=True)
    return sum((w * (0.1 * i)).sum() for i in range(1, 9)), w, "no backward", "8 parts"


OF_PYTORCH = [
    a_convolution_of_zeros, a_checkpoint_that_is_not_reentrant, an_instance_norm, a_group_norm, a_large_layer_norm,
    attention_to_one_key, rows_of_padding, a_hook_of_a_module, numbers_of_half_precision,
]  # fmt: skip


@pytest.mark.parametrize("program", OF_PYTORCH, ids=[f.__name__ for f in OF_PYTORCH])
def test_programs_of_pytorch(program):
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    loss, w, kind, phrase = program(torch)
    view = why(loss, w)
    assert (view.kind, phrase in view.sentence) == (kind, True), view


CELLS = """
from IPython.core.interactiveshell import InteractiveShell

shell = InteractiveShell()
for cell in [
    "import LIBRARY as torch\\nfrom autograd_teach.viz.why import why",
    "%config InteractiveShell.colors\\nw = torch.tensor([1.0], requires_grad=True)",
    "def double(x):\\n    return x * 2",
    "h = double(w)\\nh = h.data",
    "loss = (h * 3).sum()",
    "print(why(loss, w))",
    "g = w.detach() * 2\\nprint(why(g.sum(), w))",
]:
    shell.run_cell(cell, store_history=True).raise_error()
"""


def test_in_a_notebook_the_cells_before_are_read(lib, tmp_path):
    pytest.importorskip("IPython")
    environment = {**os.environ, "IPYTHONDIR": str(tmp_path)}
    program = [sys.executable, "-c", CELLS.replace("LIBRARY", lib.__name__)]
    told = subprocess.run(program, env=environment, capture_output=True, text=True, check=True).stdout
    assert "line 2 of cell 4, `h = h.data`, takes h out of the graph" in told
    assert "line 1, `g = w.detach() * 2`, takes w out of the graph" in told


def test_code_that_hides_the_cut_is_told_by_its_first_variable(lib):
    w, _ = weights(lib)
    hide = eval("lambda t: t.detach()")
    h = hide(w)
    loss = (h * 2).sum()
    view = why(loss, w)
    assert (view.kind, "the graph of h does not lead back to w" in view.sentence) == ("cut", True), view


def script(lib, tmp_path, text):
    """The view of a program at module level, which has more lines below the question."""
    file = tmp_path / "script.py"
    file.write_text(f"import {lib.__name__} as torch\nfrom autograd_teach.viz.why import why\n{text}")
    space = {"__name__": "__main__"}
    exec(compile(file.read_text(), file, "exec"), space)  # noqa: S102
    return space["view"]


def test_lines_below_the_question_are_no_reason(lib, tmp_path):
    text = "w = torch.ones(2, requires_grad=True)\nloss = w.detach().sum()\nview = why(loss, w)\nw = loss = None\n"
    view = script(lib, tmp_path, text)
    assert (view.kind, view.line) == ("detach", 4), view


UNSURE = """
def parts(x, which):
    if which:
        return (w * x).detach()
    return (w * x).long()

w = torch.ones(2, requires_grad=True)
loss = (parts(torch.ones(2), True) * torch.ones(2, requires_grad=True)).sum()
view = why(loss, w)
"""
BRANCH = """
def compute(extra):
    total = (v * v).sum()
    if extra:
        total = total + w.detach().sum()
    return total

w, v = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
loss = compute(False)
view = why(loss, w)
"""
TERM = """
w, v = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
loss = (v * v).sum()
if v is w:
    loss = loss + w.sum()
view = why(loss, w)
"""
OPAQUE = """
kept = []
w = torch.ones(2, requires_grad=True)
remember = eval("lambda t: kept.append(t.detach())")
remember(w)
loss = (kept[0] * torch.ones(2, requires_grad=True)).sum()
view = why(loss, w)
"""


@pytest.mark.parametrize(
    ("text", "phrase"),
    [
        (UNSURE, "the line is not known for sure: it may be line 6"),
        (BRANCH, "that a branch in which w is used did not run"),
        (TERM, "it may be that a branch in which w is used did not run"),
        (OPAQUE, "and the line is not known."),
    ],
    ids=["either of two lines", "a branch that did not run", "a term in a branch", "what cannot be read"],
)
def test_where_the_line_is_not_known_none_is_named(lib, tmp_path, text, phrase):
    view = script(lib, tmp_path, text)
    assert (view.kind, view.line, phrase in view.sentence) == ("cut", 0, True), view


def test_an_engine_of_someones_own_is_answered():
    a, b = Own(2.0), Own(5.0)
    c = Own(3.0)
    b.grad = np.asarray(100.0)
    loss = a * b
    assert why(loss, a).sentence.splitlines()[1] == "It would arrive from Times 5."
    assert why(loss, c).kind == "unused"
    assert (a.grad, b.grad, loss.grad_fn.hooks) == (None, 100.0, [])


# Nothing changes


def state(tensors):
    return [(t.tolist(), t._version, t.requires_grad, None if t.grad is None else t.grad.tolist()) for t in tensors]


@pytest.mark.parametrize("watched", [False, True], ids=["after the fact", "a function"])
def test_asking_changes_nothing(lib, watched):
    w, v = weights(lib)
    v.grad = lib.tensor([7.0, 8.0])
    kept = w * 2
    kept.retain_grad()
    h = (kept * v).tanh()

    def compute():
        return (h * w).sum()

    loss = compute()
    before = state([w, v, h, loss, kept])
    profiler, given = sys.getprofile(), compute if watched else loss
    for tensor in (w, v, kept, h):
        why(given, tensor)
    assert state([w, v, h, loss, kept]) == before
    assert sys.getprofile() is profiler
    loss.backward()
    assert w.grad is not None
    with pytest.raises(RuntimeError, match="second time"):
        loss.backward()  # which freed the graph, as ever
    assert why(loss, w).kind == "freed"


def test_a_deep_graph_needs_no_stack(shallow_stack):
    w = engine.tensor(1.0, requires_grad=True)
    h = w
    for _ in range(3000):
        h = h * 1.0
    view = why(h, w)
    assert (view.kind, view.node) == ("no backward", None)  # too large for a picture
    assert repr(view) == view.sentence


# The picture


def test_the_place_is_marked_in_the_picture(lib):
    view = PROGRAMS["a_dead_unit"][0](lib)
    assert (view.node.name, view.node.mark) == ("ReluBackward0", "slope 0")
    assert "slope 0" in view.dot
    bundle = view._repr_mimebundle_()
    assert bundle["text/plain"] == view.sentence
    assert "ReluBackward0" in bundle.get("image/svg+xml", "ReluBackward0")
    assert view.data()["kind"] == "graph"


def test_contributions_stand_in_the_picture(lib):
    view = PROGRAMS["all_is_well"][0](lib)
    lines = [(node.name, node.lines) for node in view.snapshot.nodes if node.lines]
    assert lines == [("MulBackward0", ["sends 5"]), ("MulBackward0", ["sends 2"])]
    assert view.node.name == "AccumulateGrad"


def test_the_saved_picture_has_the_answer_and_the_tensor(lib):
    view = PROGRAMS["detached_between"][0](lib)
    caption = next(line for line in view.dot.splitlines() if "labelloc=t" in line)
    shown = caption.partition('label="')[2].partition('" labelloc')[0].split("\\n")
    assert " ".join(shown).split() == view.sentence.replace("`", "").split()
    assert max(map(len, shown)) <= 70
    alone = [node for node in view.snapshot.nodes if "no way leads here" in node.lines]
    assert [(node.variable, node.kind) for node in alone] == [("w", "leaf")]
    assert "no way leads here" in view.dot
    assert view.title.startswith("w gets no gradient: ")


def test_a_tensor_that_is_reached_has_no_box_of_its_own(lib):
    view = PROGRAMS["all_is_well"][0](lib)
    assert "no way leads here" not in view.dot


def test_a_number_as_loss_shows_the_tensor_alone(lib):
    view = PROGRAMS["the_loss_is_a_number"][0](lib)
    assert [node.lines for node in view.snapshot.nodes] == [["no way leads here"]]


def test_a_reason_outside_the_graph_marks_nothing(lib):
    view = PROGRAMS["another_variable_was_used"][0](lib)
    assert view.node is None
    assert view.sentence.splitlines()[0] in view.snapshot.notes


def test_what_calls_a_function_of_the_program_may_use_any_tensor(lib):
    hidden = {"through": lambda f, value: f(value).detach()}
    w, b = (lib.tensor(2.0, requires_grad=True) for _ in range(2))
    h = hidden["through"](lambda data: lib.sin(data * w), lib.ones(2))
    view = why(h.sum() + b, w)
    assert "the line is not known" in view.sentence or "detach" in view.sentence
    assert "does not depend" not in view.sentence


def test_a_module_computes_in_the_line_in_which_it_is_called(lib):
    table, loss_of = lib.nn.Embedding(3, 1), lib.nn.MSELoss()
    rows = table(lib.tensor([1, 2]))
    line = inspect.currentframe().f_lineno - 1
    assert f"from EmbeddingBackward0 (line {line}) " in why(loss_of(rows.sum(0), lib.ones(1)), table.weight).sentence
    same = lib.ones(2, requires_grad=True)
    loss = loss_of(same, lib.ones(2))
    assert f"MseLossBackward0 (line {line + 4})" in why(loss, same).sentence


def test_a_line_under_no_grad_makes_no_node(lib):
    w, parts = lib.tensor([1.0, 2.0, 3.0], requires_grad=True), []
    for i in range(3):
        if i == 1:
            with lib.no_grad():
                parts.append(w[i] * 2)
        else:
            parts.append(w[i] ** 2)
    line = inspect.currentframe().f_lineno - 1
    told = why(sum(parts), w).sentence
    assert told.count(f"SelectBackward0 (line {line})") == 2, told


def test_the_order_of_lines_is_not_that_of_operations_in_a_loop(lib):
    w = lib.tensor([1.0], requires_grad=True)
    for _ in range(2):
        loss = (w * 2 - 6) ** 2
        (slope,) = lib.autograd.grad(loss.sum(), w)
        w = w - 0.1 * slope
    line = inspect.currentframe().f_lineno - 1
    loss = (w * 2 - 6) ** 2
    assert f"line {line}, `w = w - 0.1 * slope`, made a new tensor w" in why(loss.sum(), w).sentence


def test_what_a_function_in_a_call_uses_is_not_said_to_be_unused(lib):
    w, v = lib.ones(2, requires_grad=True), lib.ones(2, requires_grad=True)
    h = functools.reduce(lambda a, b: (a * b * w).detach(), [v, v])
    assert "does not depend" not in why((h * v).sum(), w).sentence


def test_a_node_of_a_graph_of_a_gradient_is_of_no_line_above_it(lib):
    w = lib.tensor([1.0, -2.0], requires_grad=True)
    cubes = w**3
    (g,) = lib.autograd.grad(cubes.sum() / 3, w, create_graph=True)
    assert "from PowBackward0 [2, -4]" in why(g.sum(), w).sentence
