"""The graph that a specification counts on is the one that the engine builds, and PyTorch too: node for node."""

import importlib

import numpy as np
import pytest

from autograd_teach.course.checks.spec import specified
from autograd_teach.course.exercises import exercises
from autograd_teach.course.specs import spec_of
from tests.libraries import LIBRARIES

RECIPES = {
    repr(argument): argument
    for each in exercises("03")
    for (argument,) in spec_of(each).inputs(np.random.default_rng(0))
}


@pytest.mark.parametrize("engine", LIBRARIES)
@pytest.mark.parametrize("text", RECIPES)
def test_a_recipe_builds_the_graph_that_is_specified(engine, text):
    torch = importlib.import_module(engine)
    built, graph = RECIPES[text].for_student(torch), specified(RECIPES[text])
    if graph.start is None:
        assert built.y.grad_fn is None
        return
    partner, waiting = {built.y.grad_fn: graph.start}, [built.y.grad_fn]
    while waiting:
        node = waiting.pop()
        step = partner[node]
        assert node.name().rpartition("::")[2] == step.name
        assert len(node.next_functions) == len(step.following)
        for (following, _), other in zip(node.next_functions, step.following, strict=True):
            assert (following is None) == (other is None)
            if following is not None and following not in partner:
                partner[following] = other
                waiting.append(following)
            assert following is None or partner[following] is other
    assert set(partner.values()) == set(graph.nodes)
    for word, step in zip(built.in_words(partner), partner.values(), strict=True):
        assert word == (step.label if step.result else "a node of another graph")


def test_what_is_neither_leaf_nor_node_of_the_graph_is_said_so():
    torch = importlib.import_module("autograd_teach")
    built = next(iter(RECIPES.values())).for_student(torch)
    stranger = torch.ones(2, requires_grad=True)
    assert built.in_words([stranger, stranger.sum().grad_fn, "a", 3]) == [
        "some Tensor",
        "a node of another graph",
        "the text 'a'",
        "some int",
    ]
    assert built.in_words(None) is None
