"""Headless Chromium for the tests of this folder; skipped, or failed under the strict switch, where there is none."""

import importlib.util
import os
from collections.abc import Iterator
from typing import Any

import pytest

_ARGUMENTS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


# For a module, not the session: a second Playwright cannot start beside one that still runs, and other modules start theirs.
@pytest.fixture(scope="module")
def needs_chromium(chromium: str) -> Iterator[Any]:
    """A running browser that belongs to the tests; `chromium` (tests/conftest.py) skips or fails where it is missing."""
    if importlib.util.find_spec("playwright") is None:
        if os.environ.get("AUTOGRAD_TEACH_REQUIRE_TOOLS", "0") not in ("", "0"):
            pytest.fail(
                "playwright is missing, and AUTOGRAD_TEACH_REQUIRE_TOOLS forbids to skip",
                pytrace=False,
            )
        pytest.skip("playwright is not installed")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=_ARGUMENTS)
        yield browser
        browser.close()
