"""What becomes of what a Function returns, in every combination of what it is given, marks and saves."""

import itertools
from typing import Any

import pytest

import autograd_teach
from tests.engine.programs import GIVEN, MARKED, RETURNED, outcome, what_becomes_of

torch = pytest.importorskip("torch")
INPUTS = [
    *([name] for name in GIVEN),
    *([name, "leaf"] for name in ("result", "plain", "integers", "view of a plain")),
    ["view", "result"],
]
BOTH = (False, True)


@pytest.mark.parametrize("given", INPUTS, ids=" and ".join)
@pytest.mark.parametrize("saved", ["()", "(x, new)"])
def test_an_output_becomes_what_it_becomes_under_pytorch(given: list[str], saved: str) -> None:
    for returned, marked, dirty, setup, recording in itertools.product(RETURNED, MARKED, ("()", "(x,)"), BOTH, BOTH):

        def both(torch: Any) -> Any:
            return what_becomes_of(torch, given, returned, marked, dirty, saved, setup, recording)  # noqa: B023

        case = (returned, marked, dirty, setup, recording)
        assert outcome(autograd_teach, both) == outcome(torch, both), case
