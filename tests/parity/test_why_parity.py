"""`viz.watch` and `viz.why` say the same of our programs and of PyTorch's, word for word and in the picture."""

import importlib

import numpy as np
import pytest

import autograd_teach
from autograd_teach.viz.watch import seen, watch
from tests.viz.why_programs import PROGRAMS

torch = pytest.importorskip("torch", reason="PyTorch is not installed")
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")

# Layers start from other numbers in each library, and PyTorch's linear function makes other nodes of one row. A watch sees
# which nodes our backward pass makes, and PyTorch keeps an argument that was switched on later as a tensor of its own.
OTHER_PICTURE = {
    "a_shift_before_normalising",
    "a_layer_that_forward_forgets",
    "detached_inside_a_module",
    "a_frozen_model",
    "a_generator_behind_a_detached_picture",
    "a_result_kept_as_an_attribute",
    "a_penalty_with_create_graph",
    "switched_on_after_the_loss",
    "a_layer_of_ones_own_in_a_sequence",
    "a_last_layer_that_starts_at_zero",
    # PyTorch gives the shapes of nodes with several results only under a watch, and rounds by other steps.
    "the_sum_of_a_layer_norm",
    "the_sum_of_a_batch_norm",
    "a_layer_norm_whose_weight_is_zero",
}


def both(program, watching):
    views = []
    for lib in (autograd_teach, torch):
        if watching:
            with watch():
                views.append(program(lib))
        else:
            views.append(program(lib))
    return views


@pytest.mark.parametrize("watching", [False, True], ids=["after the fact", "under a watch"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_the_answer_is_the_same(name, watching):
    ours, theirs = both(PROGRAMS[name][0], watching)
    assert (ours.kind, ours.line, repr(ours)) == (theirs.kind, theirs.line, repr(theirs))
    if name not in OTHER_PICTURE:
        assert ours.dot == theirs.dot
        assert (ours.node and ours.node.id) == (theirs.node and theirs.node.id)


def recorded(lib):
    """Every note of a program's graph, in the order of a walk, and its events."""
    x = lib.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    w = lib.tensor([[0.5], [0.25]], requires_grad=True)
    with watch() as seen_by:
        h = (x @ w + 1).sigmoid()
        cut = h.detach()
        h = h * cut / 2.0 - 3 * h**2
        h[0] = 0.0
        with lib.no_grad():
            mean = h.mean()
        loss = (h - mean).exp().sum() + lib.where(h > 0, h, cut).max()
        loss.item()
    notes, todo, met = [], [loss.grad_fn], set()
    while todo:
        node = todo.pop()
        if node is None or id(node) in met:
            continue
        met.add(id(node))
        todo += [child for child, _ in node.next_functions]
        if (note := seen(node)) is not None:
            value = None if note.value is None else np.round(note.value.astype(float), 4).tolist()
            constants = [c.tolist() if isinstance(c, np.ndarray) else c for c in note.constants]
            notes.append((node.name(), value, note.shape, np.round(constants, 4).tolist() if all(constants) else None))
            notes[-1] += (note.line, note.source)
    events = [(event.kind, event.line, event.source, event.needs) for event in seen_by.events]
    return notes, events


def test_what_a_watch_records_is_the_same():
    ours, theirs = (recorded(importlib.import_module(name)) for name in ("autograd_teach", "torch"))
    assert len(ours[0]) > 12
    assert ours[0] == theirs[0]
    assert ours[1] == theirs[1]


def test_a_mode_that_is_entered_inside_a_watch_and_left_after_it_stays():
    class Other(torch.overrides.TorchFunctionMode):
        def __torch_function__(self, func, types, args=(), kwargs=None):
            return func(*args, **(kwargs or {}))

    outer = watch()
    outer.__enter__()
    with Other() as other:
        outer.__exit__()
        assert torch.overrides._get_current_function_mode_stack() == [other]
    assert torch.overrides._get_current_function_mode_stack() == []
