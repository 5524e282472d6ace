"""Random programs do the same here and under PyTorch; and a bug in the engine does not escape them.

Many more programs than here: `python -m tests.parity.fuzz --seed 1 --count 20000 --jobs 2`.
"""

import re
from collections.abc import Callable
from typing import Any

import pytest

import autograd_teach
from autograd_teach.ops.operation import OPERATIONS
from tests.parity import fuzz, fuzz_writer
from tests.parity.fuzz_words import EXPRESSIONS, MACROS, STATEMENTS, VIEWS

pytest.importorskip("torch")


def test_random_programs_do_the_same_under_both() -> None:
    counts, different = fuzz.fuzz(seed=2026, numbers=range(500))
    assert counts["programs"] == 500
    differences = [fuzz.explain(program, key) for key, program in list(different.items())[:5]]
    assert not differences, f"{counts}\n\n" + "\n\n".join(differences)
    assert counts["not supported"] < 50, "too many programs end at what is not supported"


def test_a_program_depends_on_its_seed_and_number_alone() -> None:
    program, trace = fuzz.write(seed=1, number=7)
    fuzz.write(seed=1, number=8)
    again, same_trace = fuzz.write(seed=1, number=7)
    assert again == program
    assert fuzz.compare(same_trace, trace) is None
    assert fuzz.compare(fuzz.run(fuzz.pytorch(), program), trace) is None


# What no program calls, and why.
_NOT_IN_THE_WORDS = {
    **dict.fromkeys(
        ["tanh_backward", "sigmoid_backward", "threshold_backward", "select_backward", "slice_backward",
         "diagonal_backward", "softmax_backward_data", "log_softmax_backward_data"],
        "a step of a gradient, which double backward runs",
    ),
    "unique2": "the row of `unique`",
    "unique_dim": "the row of `unique(dim=...)`",
    "broadcast_shapes": "takes no tensor",
    "dsplit": "as `hsplit` and `vsplit`, of three dimensions, which few tensors have",
    "multinomial": "needs weights that are no view of what requires grad, and tests/parity/test_random_parity.py draws it",
    "normal": "drawn in tests/parity/test_random_parity.py",
}  # fmt: skip


def test_every_operation_is_in_the_words() -> None:
    lines = [line for _, line in (EXPRESSIONS | STATEMENTS).values()] + [*MACROS.values(), *VIEWS.values()]
    words = {*re.findall(r"\w+", " ".join(lines))}
    rows = {name for name, row in OPERATIONS.items() if row.is_public and row.differentiable}
    functions = {name for name in dir(autograd_teach) if _is_operation(getattr(autograd_teach, name))}
    # `linalg_inv_ex` is called `torch.linalg.inv`; one function may have several names, of which one is enough.
    missing = {
        name
        for name in rows | functions - words
        if not {name, name.removeprefix("linalg_").removesuffix("_ex"), *_names(name)} & words
    }
    assert missing == _NOT_IN_THE_WORDS.keys()


def _is_operation(thing: Any) -> bool:
    return callable(thing) and getattr(thing, "__module__", "").startswith("autograd_teach.ops.")


def _names(name: str) -> list[str]:
    function = getattr(autograd_teach, name, None)
    return [other for other, thing in vars(autograd_teach).items() if thing is function is not None]


Method = Callable[..., Any]


def _doubles_the_gradient(sin: Method) -> Method:
    def planted(tensor: Any) -> Any:
        result = sin(tensor)
        if result.requires_grad:
            result.register_hook(lambda g: g * 2)
        return result

    return planted


def _is_off_in_the_eleventh_place(tanh: Method) -> Method:
    def planted(tensor: Any) -> Any:
        result = tanh(tensor)
        result.data.mul_(1 + 1e-11)
        return result

    return planted


def _writes_without_a_record(mul_: Method) -> Method:
    def planted(tensor: Any, other: Any) -> Any:
        mul_(tensor.data, other)
        return tensor

    return planted


def _says_it_differently(view: Method) -> Method:
    def planted(tensor: Any, *shape: Any) -> Any:
        try:
            return view(tensor, *shape)
        except RuntimeError as error:
            raise RuntimeError(f"no: {error}") from None

    return planted


@pytest.mark.parametrize(
    "method, plant, line",
    [
        ("sin", _doubles_the_gradient, "{new} = {x}.sin()"),
        ("tanh", _is_off_in_the_eleventh_place, "{new} = {x}.tanh()"),
        ("mul_", _writes_without_a_record, "{o}.mul_({into})"),
        ("view", _says_it_differently, "{new} = {x}.view({size})"),
    ],
)
def test_a_planted_bug_is_found_and_shown_by_a_small_program(
    monkeypatch: pytest.MonkeyPatch, method: str, plant: Callable[[Method], Method], line: str
) -> None:
    # Of the table a few lines, so that a few programs are enough.
    few = f"{line}\n{{new}} = {{x}} * {{y}}\n({{result}} * {{_}}).sum().backward()"
    monkeypatch.setattr(fuzz_writer, "EXPRESSIONS", {})
    monkeypatch.setattr(fuzz_writer, "MODES", ["with torch.no_grad(): "])
    monkeypatch.setattr(fuzz_writer, "STATEMENTS", {"leaves": STATEMENTS["leaves"], "few": (20, few)})
    assert not fuzz.fuzz(seed=5, numbers=range(24))[1]
    monkeypatch.setattr(autograd_teach.Tensor, method, plant(getattr(autograd_teach.Tensor, method)))
    _, different = fuzz.fuzz(seed=5, numbers=range(24))
    small = [fuzz.shrink(program, key) for key, program in different.items()]
    assert min(map(len, small)) <= 3
    assert all(any(f".{method}(" in statement for statement in program) for program in small)
