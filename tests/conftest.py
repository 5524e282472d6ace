"""What all tests share: the strict switches, the markers that come with a folder, and where Chromium is.

A test that needs something which the machine may lack asks for it through the fixture `require_tool`:

    def test_sandbox(require_tool):
        bwrap = require_tool("bwrap")  # its path; without it the test is skipped

With AUTOGRAD_TEACH_REQUIRE_TOOLS=1 (`.ci/run` sets it) what is missing is a failure instead of a skip. PyTorch has
a switch of its own, AUTOGRAD_TEACH_REQUIRE_TORCH=1, since the ordinary run is meant to pass without it.
"""

import importlib
import importlib.util
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any, NoReturn

import pytest

_HERE = Path(__file__).parent
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


def missing(what: str, switch: str = "AUTOGRAD_TEACH_REQUIRE_TOOLS") -> NoReturn:
    """Skip the running test because `what` is missing or, where `switch` is set, fail it."""
    if os.environ.get(switch, "0") not in ("", "0"):
        pytest.fail(f"{what} is missing, and {switch} forbids to skip", pytrace=False)
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
    """`require_module(name)`: that module of the `test` extra, imported, else skip (or fail)."""

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


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Leave out what is no test: material (notebooks broken on purpose), helpers, programs that record results."""
    if collection_path.suffix == ".ipynb":
        return True
    helper = collection_path.suffix == ".py" and not collection_path.name.startswith("test_")
    return True if helper else None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what lies in tests/parity and tests/browser."""
    for item in items:
        for marker in ("parity", "browser"):
            if _HERE / marker in item.path.parents:
                item.add_marker(marker)


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip (or fail) a test marked `parity` where PyTorch is missing."""
    if item.get_closest_marker("parity") and importlib.util.find_spec("torch") is None:
        missing("PyTorch (pip install torch==2.13.0)", "AUTOGRAD_TEACH_REQUIRE_TORCH")
