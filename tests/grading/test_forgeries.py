"""No forged point: what an answer's process leaves out or makes up is never a pass, and what is believed is said."""

import pytest

from autograd_teach.grading.oracle.reaching import reaching
from tests.grading.forgeries import FORGERIES, verdict


@pytest.mark.parametrize("name", FORGERIES)
def test_no_point_is_forged_and_what_cannot_be_told_is_named(name: str) -> None:
    row = FORGERIES[name]
    found = verdict(row.exercise, row.lie)
    if not row.counted:
        assert found is None or not found.passed
        return
    assert found is not None and found.passed, found
    assert row.counted in found.counted
    assert reaching(row.lie), "and a person is shown the line"


@pytest.mark.parametrize("name", FORGERIES)
def test_the_same_done_honestly_passes(name: str) -> None:
    row = FORGERIES[name]
    found = verdict(row.exercise, row.twin)
    assert found is not None and found.passed, found
