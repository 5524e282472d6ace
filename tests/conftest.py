"""What all tests share: which of them run, the strict switches, the markers that come with a folder, and where Chromium is.

A test marked `full` is long but needed. It runs with `pytest --full` (or `-m full`), not otherwise; the last line of a
run says how many were left out. `.ci/run` runs all of them.

A test that needs something which the machine may lack asks for it through the fixture `require_tool`:

    def test_sandbox(require_tool):
        bwrap = require_tool("bwrap")  # its path; without it the test is skipped

With AUTOGRAD_TEACH_REQUIRE_TOOLS=1 (`.ci/run` sets it) what is missing is a failure instead of a skip. Comparisons with
PyTorch are not even collected where it is not installed; AUTOGRAD_TEACH_REQUIRE_TORCH=1 makes that an error. With
AUTOGRAD_TEACH_SKIPPED=FILE the names of skipped tests are written there, for `pytest @FILE` on a machine that has more.
"""

import compileall
import gc
import importlib
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any, NoReturn

import pytest

from tests.libraries import HAS_TORCH

# The matrix library's own threads wait by computing, and take the processors from the other worker. Read when NumPy is
# loaded: by the workers, which this process starts, and by notebooks' kernels.
for _library in ("OMP", "OPENBLAS", "MKL"):
    os.environ.setdefault(f"{_library}_NUM_THREADS", "1")

_HERE = Path(__file__).parent
_SOLUTIONS = _HERE.parent / "solutions"
_LEFT_OUT = pytest.StashKey[int]()
_CHROMIUM_OPTIONS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
_CHROMIUM = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome")


def is_set(switch: str) -> bool:
    """Whether the environment variable `switch` is set, and not to 0."""
    return os.environ.get(switch, "0") not in ("", "0")


def missing(what: str) -> NoReturn:
    """Skip the running test because `what` is missing or, if AUTOGRAD_TEACH_REQUIRE_TOOLS is set, fail it."""
    if is_set("AUTOGRAD_TEACH_REQUIRE_TOOLS"):
        pytest.fail(f"{what} is missing, and AUTOGRAD_TEACH_REQUIRE_TOOLS forbids to skip", pytrace=False)
    pytest.skip(f"{what} is not installed")


@pytest.fixture(scope="session")
def require_tool() -> Callable[..., str]:
    """`require_tool(name, *other_names)`: the path of the first of these programs that is installed, else skip (or fail)."""

    def require(*names: str) -> str:
        for name in names:
            if path := shutil.which(name):
                return path
        missing(names[0])

    return require


@pytest.fixture(scope="session")
def require_module() -> Callable[[str], ModuleType]:
    """`require_module(name)`: that module of the `test` or the `full` extra, imported, else skip (or fail)."""

    def require(name: str) -> ModuleType:
        try:
            return importlib.import_module(name)
        except ModuleNotFoundError:
            missing(name)

    return require


@pytest.fixture(scope="session")
def chromium(require_tool: Callable[..., str]) -> str:
    """The path of a Chromium or Chrome."""
    return require_tool(*_CHROMIUM)


# For a module, not the session: a second Playwright cannot start beside one that still runs.
@pytest.fixture(scope="module")
def browser(chromium: str, require_module: Callable[[str], ModuleType]) -> Iterator[Any]:
    """A headless browser, driven by Playwright."""
    with require_module("playwright.sync_api").sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=_CHROMIUM_OPTIONS)
        yield browser
        browser.close()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--full", action="store_true", help="run the tests marked `full` too, which take long")


def pytest_configure(config: pytest.Config) -> None:
    """Refuse to leave out what `AUTOGRAD_TEACH_REQUIRE_TORCH` demands; compile the package, as pip does with those that it copies."""
    if is_set("AUTOGRAD_TEACH_REQUIRE_TORCH") and not HAS_TORCH:
        raise pytest.UsageError("PyTorch is missing and AUTOGRAD_TEACH_REQUIRE_TORCH is set: pip install torch==2.13.0")
    if not hasattr(config, "workerinput"):
        # Else each of the many processes that tests start does it, if PYTHONDONTWRITEBYTECODE is set.
        compileall.compile_dir(_HERE.parent / "autograd_teach", quiet=2)


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Leave out what is no test (notebooks broken on purpose, helpers), and comparisons with a PyTorch that is not there."""
    if collection_path.suffix == ".ipynb":
        return True
    if not HAS_TORCH and _HERE / "parity" in (collection_path, *collection_path.parents):
        return True
    helper = collection_path.suffix == ".py" and not collection_path.name.startswith("test_")
    return True if helper else None


def pytest_make_parametrize_id(val: object) -> str | None:
    """Name long bytes by their length: an archive holds the time at which it was written, and all workers must give one name."""
    return f"{len(val)} bytes" if isinstance(val, bytes) and len(val) > 40 else None


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Collect in half the time: what is collected stays until the end, and need not be looked through for garbage."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.hookimpl(wrapper=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> Iterator[None]:
    """Mark what lies in tests/parity and tests/browser; leave out what is marked `full` unless that is asked for.

    `full` are the solutions' notebooks too, unless they are named: their answers and checks run in tests/course.
    """
    all_are_asked_for = config.args_source is config.ArgsSource.TESTPATHS
    for item in items:
        for marker in ("parity", "browser"):
            if _HERE / marker in item.path.parents:
                item.add_marker(marker)
        if all_are_asked_for and _SOLUTIONS in item.path.parents:
            item.add_marker("full")
    yield  # -k and -m choose first: what they leave out is not counted
    if config.getoption("full") or "full" in config.getoption("markexpr"):
        return
    left_out = [item for item in items if item.get_closest_marker("full")]
    items[:] = [item for item in items if not item.get_closest_marker("full")]
    config.hook.pytest_deselected(items=left_out)
    config.stash[_LEFT_OUT] = len(left_out)


def pytest_sessionfinish(session: pytest.Session) -> None:
    """A worker of pytest-xdist tells the process that sums up how many tests it left out."""
    if output := getattr(session.config, "workeroutput", None):
        output["left out"] = session.config.stash.get(_LEFT_OUT, 0)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Every worker collects all tests: what one has left out, all have."""
    node.config.stash[_LEFT_OUT] = getattr(node, "workeroutput", {}).get("left out", 0)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> Iterator[None]:
    """Say in one line what did not run, and how to run it; below all else."""
    yield
    if path := os.environ.get("AUTOGRAD_TEACH_SKIPPED"):
        names = {report.nodeid: None for report in terminalreporter.getreports("skipped")}
        Path(path).write_text("".join(f"{name}\n" for name in names))
    left_out = config.stash.get(_LEFT_OUT, 0)
    parts = [f"tests that take long: {left_out} (add --full; some need pip install -e '.[full]')"] if left_out else []
    parts += [] if HAS_TORCH else ["comparisons with PyTorch, which is not installed (pip install torch==2.13.0)"]
    if parts:
        terminalreporter.write_line(f"Left out: {'; '.join(parts)}. See CONTRIBUTING.md.")
