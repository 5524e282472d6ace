"""Programs of .ci: the notes of a release, and the wheels for the browser."""

import hashlib
import json
import runpy
from pathlib import Path

import pytest

CI = Path(__file__).resolve().parents[2] / ".ci"
release_notes = runpy.run_path(str(CI / "release_notes.py"))["release_notes"]
fetch = runpy.run_path(str(CI / "pyodide_wheels.py"))["fetch"]

CHANGELOG = """\
# Changelog

## [Unreleased]

## [0.2.0] - 2026-11-23

### Added

- A view.

## [0.1.0] - 2026-01-01

- All of it.

[0.2.0]: https://example.org/v0.2.0
"""
CITATION = "cff-version: 1.2.0\nversion: 0.2.0\ndate-released: 2026-11-23\n"


def tree(folder: Path, version: str = "0.2.0", changelog: str = CHANGELOG, citation: str = CITATION) -> Path:
    (folder / "pyproject.toml").write_text(f'[project]\nversion = "{version}"\n', encoding="utf-8")
    (folder / "CHANGELOG.md").write_text(changelog, encoding="utf-8")
    (folder / "CITATION.cff").write_text(citation, encoding="utf-8")
    return folder


@pytest.mark.parametrize("tag", ["v0.2.0", None])
def test_the_notes_are_the_section_of_the_version(tmp_path: Path, tag: str | None) -> None:
    assert release_notes(tree(tmp_path), tag) == "### Added\n\n- A view.\n"


def test_the_last_section_ends_before_the_definitions_of_links(tmp_path: Path) -> None:
    citation = CITATION.replace("0.2.0", "0.1.0").replace("2026-11-23", "2026-01-01")
    assert release_notes(tree(tmp_path, "0.1.0", citation=citation)) == "- All of it.\n"


NOT_READY = {
    "another tag": ({}, "v0.2.1", "tag v0.2.0"),
    "a tag without v": ({}, "0.2.0", "tag v0.2.0"),
    "a version without a section": ({"version": "0.3.0"}, "v0.3.0", "no section with a date for 0.3.0"),
    "a section without a date": (
        {"changelog": CHANGELOG.replace(" - 2026-11-23", "")},
        "v0.2.0",
        "## [0.2.0] - YYYY-MM-DD",
    ),
    "an empty section": (
        {"changelog": CHANGELOG.replace("### Added\n\n- A view.\n", "")},
        "v0.2.0",
        "section for 0.2.0 in CHANGELOG.md is empty",
    ),
    "a citation of another version": (
        {"citation": CITATION.replace("0.2.0", "0.1.0")},
        "v0.2.0",
        "version in CITATION.cff is 0.1.0",
    ),
    "a citation of another day": (
        {"citation": CITATION.replace("-23", "-22")},
        "v0.2.0",
        "date-released in CITATION.cff is 2026-11-22",
    ),
    "a citation without a version": (
        {"citation": "cff-version: 0.2.0\n"},
        "v0.2.0",
        "version in CITATION.cff is None",
    ),
}


@pytest.mark.parametrize(("changes", "tag", "said"), NOT_READY.values(), ids=NOT_READY)
def test_what_is_not_ready_is_said(tmp_path: Path, changes: dict[str, str], tag: str, said: str) -> None:
    with pytest.raises(ValueError, match=".") as caught:
        release_notes(tree(tmp_path, **changes), tag)
    assert said in str(caught.value) and "\n" not in str(caught.value)


WHEELS = {name: f"{name}.whl" for name in ("markupsafe", "numpy")}


def release(**changed: bytes) -> dict[str, object]:
    """A release of Pyodide, whose wheels have these bytes instead of their names."""
    packages = {
        name: {"file_name": file, "sha256": hashlib.sha256(changed.get(name, name.encode())).hexdigest()}
        for name, file in WHEELS.items()
    }
    return {"address": "https://example.org/full", "info": {"python": "3.13.2"}, "packages": {**packages, "more": {}}}


def test_wheels_for_the_browser_come_with_their_lock_file(tmp_path: Path) -> None:
    asked = []

    def read(address: str) -> bytes:
        asked.append(address)
        return address.rpartition("/")[2].removesuffix(".whl").encode()

    fetch(release(), tmp_path / "wheels", read)
    assert asked == [f"https://example.org/full/{file}" for file in WHEELS.values()]
    assert {path.name: path.read_bytes() for path in (tmp_path / "wheels").glob("*.whl")} == {
        file: name.encode() for name, file in WHEELS.items()
    }
    lock = json.loads((tmp_path / "wheels/pyodide-lock.json").read_bytes())
    assert lock["info"] == {"python": "3.13.2"} and set(lock["packages"]) == set(WHEELS)


def test_a_wheel_with_another_checksum_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"numpy\.whl has another checksum"):
        fetch(release(numpy=b"other"), tmp_path / "wheels", lambda address: address.rpartition("/")[2][:-4].encode())
    assert not (tmp_path / "wheels/numpy.whl").exists()
