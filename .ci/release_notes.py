"""Print what CHANGELOG.md says of the version in pyproject.toml: python .ci/release_notes.py [TAG]

Fails, with one sentence, if the tag is not that version, or if CHANGELOG.md or CITATION.cff do not have it.
"""

import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parent.parent


def release_notes(root: Path, tag: str | None = None) -> str:
    """The version's section of CHANGELOG.md, without its heading.

    tag: the tag that is released, such as v0.2.0; None for a rehearsal. Raises ValueError if the tree is not ready.
    """
    version = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["project"]["version"]
    if tag is not None and tag != f"v{version}":
        raise ValueError(f"the tag is {tag}, and pyproject.toml has the version {version}: tag v{version}")
    changelog = (root / "CHANGELOG.md").read_text("utf-8")
    sections = re.split(r"^## \[(.+?)\](?: - (\d{4}-\d{2}-\d{2}))?.*\n", changelog, flags=re.MULTILINE)
    dated = dict(zip(sections[1::3], sections[2::3], strict=True))
    notes = dict(zip(sections[1::3], sections[3::3], strict=True))
    if not dated.get(version):
        raise ValueError(f"CHANGELOG.md has no section with a date for {version}: ## [{version}] - YYYY-MM-DD")
    text = re.sub(r"^\[[^\]]+\]: .*\n?", "", notes[version], flags=re.MULTILINE).strip()  # without definitions of links
    if not text:
        raise ValueError(f"the section for {version} in CHANGELOG.md is empty: write what has changed")
    citation = (root / "CITATION.cff").read_text("utf-8")
    for key, expected in (("version", version), ("date-released", dated[version])):
        found = re.search(rf'^{key}: *"?([^"\s]+)', citation, re.MULTILINE)
        if found is None or found[1] != expected:
            raise ValueError(
                f"{key} in CITATION.cff is {found and found[1]}, and CHANGELOG.md has {expected}: make them equal"
            )
    return text + "\n"


if __name__ == "__main__":
    try:
        print(release_notes(ROOT, *sys.argv[1:2]), end="")
    except ValueError as problem:
        sys.exit(f"This is not ready to be released: {problem}")
