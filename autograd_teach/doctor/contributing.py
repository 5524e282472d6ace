"""What those need who change the course (CONTRIBUTING.md)."""

import shutil

from .finding import Finding, Probe, ok, optional
from .tools import install, pip_install, version_of

TESTS = {"pytest": "8.4", "pytest-xdist": "3.8", "playwright": "1.50", "codespell": "2.4", "hatchling": "1.27"}
STYLE = {"ruff": "0.12", "mypy": "1.17"}
CHROMIUM = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome")


def tests() -> Finding:
    """The packages of the extra `test`."""
    return _packages(TESTS, '".[test]"', "the tests do not run")


def style() -> Finding:
    """What the extra `dev` adds for format, lint and types."""
    return _packages(STYLE, '".[dev]"', "format, lint and types are not checked")


def _packages(wanted: dict[str, str], extra: str, without: str) -> Finding:
    versions = {name: version_of(name) for name in wanted}
    if missing := [name for name, version in versions.items() if version is None]:
        command = f"{pip_install('-e')} {extra}"
        return optional(f"{', '.join(missing)} not installed: {without}", "In the repository's folder:", command)
    return ok(", ".join(f"{name} {version}" for name, version in versions.items()))


def chromium() -> Finding:
    """The browser that tests drive."""
    for name in CHROMIUM:
        if path := shutil.which(name):
            return ok(path)
    return optional("not installed: tests of widgets and pages are skipped", *install("chromium"))


def npm() -> Finding:
    """What fetches the browser's Python for the site's live tests."""
    if path := shutil.which("npm"):
        return ok(path)
    return optional("not installed: `.ci/run` leaves out the site's notebooks", *install("npm"))


PROBES = (
    Probe("Tests", tests),
    Probe("Style", style),
    Probe("Chromium", chromium),
    Probe("npm", npm),
)
