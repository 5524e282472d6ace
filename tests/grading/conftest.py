"""Which isolations the tests of grading run under: those that work on this machine."""

import shutil
from collections.abc import Callable

import pytest

from autograd_teach.grading import sandbox
from autograd_teach.grading.sandbox import Isolation
from autograd_teach.grading.submissions import budget

PRIVATE = [kind for kind in Isolation if kind.is_private]


@pytest.fixture(autouse=True)
def read_in_this_process(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Forking a process as large as pytest's takes long for each class: only the tests of budgets do it, and commands."""
    if request.path.stem != "test_budget":
        monkeypatch.setattr(budget, "FORKS", False)


@pytest.fixture(scope="session")
def require_isolation(require_tool: Callable[..., str]) -> Callable[[Isolation], Isolation]:
    """`require_isolation(kind)`: `kind` if it works here, else skip; without bubblewrap as `require_tool` does."""

    def require(kind: Isolation) -> Isolation:
        if kind is Isolation.BUBBLEWRAP:
            require_tool("bwrap")
        elif kind.is_sandbox and (problem := sandbox.problem_with(kind)):
            pytest.skip(f"{kind}: {problem}")
        return kind

    return require


@pytest.fixture(scope="session")
def require_namespaces(
    request: pytest.FixtureRequest, require_isolation: Callable[[Isolation], Isolation]
) -> Callable[[Isolation], Isolation]:
    """The same, for long tests of what both kinds of namespaces do alike: only one of them without --full."""

    def require(kind: Isolation) -> Isolation:
        if kind is Isolation.NAMESPACES and shutil.which("bwrap") and not request.config.getoption("full"):
            pytest.skip("runs under bubblewrap, which is installed; under both with --full")
        return require_isolation(kind)

    return require


@pytest.fixture(scope="module", params=PRIVATE)
def private(request: pytest.FixtureRequest, require_namespaces: Callable[[Isolation], Isolation]) -> Isolation:
    """An isolation by namespaces."""
    return require_namespaces(request.param)


@pytest.fixture(scope="session")
def some_sandbox() -> Isolation:
    """The best isolation here, if it is a sandbox; else skip."""
    if not sandbox.available().is_sandbox:
        pytest.skip(f"no sandbox: {sandbox.why()}")
    return sandbox.available()
