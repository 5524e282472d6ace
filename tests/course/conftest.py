"""No test of the course leaves a progress file behind, except in a folder of its own."""

import pytest

from autograd_teach.course import progress_file


@pytest.fixture(autouse=True)
def no_progress_file(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep the progress in memory."""
    monkeypatch.setenv(progress_file.SWITCH, "1")
