"""Every library computes what the workload's gradients by hand are: what is compared in speed is the same in value. Nothing is timed."""

import numpy as np
import pytest

import autograd_teach
from benchmarks import memory, workloads
from benchmarks.__main__ import ratio, row
from benchmarks.libraries import CONTESTANTS, installed, prepare
from benchmarks.programs import PROGRAMS
from tests.libraries import HAS_TORCH

SMALL = {
    "scalar_graph": (4,),
    "network": (3, 7, 5, 2),
    "lecture_network": (4, 3, 2),
    "elementwise": (11,),
    "matrix_products": (6,),
    "second_order": (5,),
    "deep_chain": (20,),
}


def test_every_workload_is_compared():
    assert [make.__name__ for make in workloads.TIMED] == list(SMALL)


TAKE_PART = {"plainly": ["scalar_graph", "lecture_network"], "micrograd": ["scalar_graph"]}
CASES = [
    pytest.param(name, contestant, marks=[pytest.mark.parity] if contestant == "torch" else [])
    for contestant in CONTESTANTS
    for name in SMALL
    if contestant != "by hand" and name in TAKE_PART.get(contestant, SMALL) and (HAS_TORCH or contestant != "torch")
]


@pytest.mark.parametrize(("name", "contestant"), CASES)
def test_gradients_are_those_by_hand(name, contestant):
    if contestant not in installed():
        pytest.skip(f"{contestant} is not installed")
    workload = getattr(workloads, name)(*SMALL[name])
    run, by_hand = prepare(contestant, workload), prepare("by hand", workload)
    expected = by_hand()
    before = [np.copy(value) for value in (*workload.inputs, *workload.constants)]
    for _ in range(2):  # a second run finds the leaves and the data as the first did
        found = run()
        assert len(found) == len(expected) == len(workload.inputs)
        for gradient, wanted, value in zip(found, expected, workload.inputs):
            assert np.shape(gradient) == np.shape(value)
            np.testing.assert_allclose(np.asarray(gradient), wanted, rtol=2e-5, atol=2e-6)
    for value, old in zip((*workload.inputs, *workload.constants), before):
        np.testing.assert_array_equal(value, old)


def test_a_row_shows_ratios_and_leaves_out_who_did_not_take_part():
    names = ["by hand", "autograd_teach", "torch", "micrograd"]
    times = {"by hand": 2.0, "autograd_teach": 3.0, "torch": 6.0}
    assert (
        row("chain", times, names, "2 µs", "<= 0.6 x torch")
        == "| chain | 2 µs | 1.50 | 3.00 | - | 0.50 | <= 0.6 x torch |"
    )
    assert ratio({"by hand": 2.0}, "torch", "by hand") == "-"


def test_steps_are_written_out_only_where_they_make_a_difference():
    assert {n for n in SMALL if prepare("plainly", getattr(workloads, n)(*SMALL[n]))} == set(TAKE_PART["plainly"])


def test_micrograd_takes_part_only_where_it_can():
    assert prepare("micrograd", workloads.network(3, 7, 5, 2)) is None
    assert prepare("micrograd", workloads.deep_chain(20)) is None


@pytest.mark.skipif(not memory.measurable(), reason="only Linux tells how much memory a process took at most")
@pytest.mark.parametrize("contestant", [pytest.param("by hand", marks=pytest.mark.full), "autograd_teach"])
def test_memory_counts_at_least_what_a_backward_pass_cannot_do_without(contestant):
    layer = 4096 * 100 * 4 / 1e6  # the values of the hidden layer; their gradient is as large
    assert 2 * layer < memory.peak(contestant) < 20 * layer


@pytest.mark.parametrize("program", [p for p in PROGRAMS if p.by_hand], ids=lambda p: p.title)
def test_a_program_computes_what_its_twin_by_hand_does(program):
    run, by_hand = program.program(autograd_teach), program.by_hand()
    for _ in range(3):  # in-place steps included
        for found, wanted in zip(run(), by_hand(), strict=True):
            np.testing.assert_allclose(found.numpy(), wanted, rtol=2e-5, atol=2e-6)


@pytest.mark.parity
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.title)
def test_a_program_computes_what_it_does_under_pytorch(program):
    torch = pytest.importorskip("torch")
    runs = [program.program(module) for module in (autograd_teach, torch)]
    for found, wanted in zip(*(run() for run in runs), strict=True):
        np.testing.assert_allclose(found.numpy(), wanted.numpy(), rtol=2e-5, atol=2e-6)
