"""Build hook of hatchling: what the package page on PyPI shows, and a clear error on an old Python.

The README links to files of the repository with relative addresses, which PyPI does not resolve. GitHub Actions names
the repository in the environment; in a build there, the links of the README become absolute and the project gets its
URLs. A build anywhere else changes nothing. A wheel built from an unpacked sdist has the README and URLs of the sdist:
hatchling reads them from its PKG-INFO.

hatchling loads this file at the start of every build, on any Python: nothing above the version check may need a recent
one.
"""

import sys

if sys.version_info < (3, 11):  # noqa: UP036  (pip has not compared `requires-python` yet)
    sys.exit(
        "autograd_teach needs Python 3.11 or later, and this is Python {}.{}: delete the folder .venv, "
        "and begin the line with a newer Python, such as python3.13.".format(*sys.version_info)
    )

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from hatchling.metadata.plugin.interface import MetadataHookInterface

_PICTURES = (".apng", ".gif", ".jpeg", ".jpg", ".png", ".svg", ".webp")

# Code is matched first, so nothing in it is taken for a link.
_CODE_OR_LINK = re.compile(
    r"^```.*?^```|`[^`\n]+`"
    r"|(?P<before>\]\(|\b(?:href|src|srcset)=\")(?P<address>[^\s\")]+)",
    re.MULTILINE | re.DOTALL,
)


class Metadata(MetadataHookInterface):
    """Sets the fields `readme` and `urls`, which depend on where the package is built."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Set both fields, unless the PKG-INFO of an sdist has set them."""
        if "readme" in metadata:
            metadata.setdefault("urls", {})  # PKG-INFO lists no URLs
            return
        text = Path(self.root, "README.md").read_text("utf-8")
        repository = named_repository(os.environ)
        metadata["readme"] = {
            "content-type": "text/markdown",
            "text": with_absolute_links(text, repository) if repository else text,
        }
        metadata["urls"] = project_urls(repository) if repository else {}


class Repository(NamedTuple):
    """A repository on GitHub, at a branch or tag."""

    address: str
    ref: str

    def file(self, path: str, view: str = "blob") -> str:
        """The address of a file: `blob` is a page, `raw` the file itself, `tree` is for folders."""
        return f"{self.address}/{view}/{self.ref}/{path}"


def named_repository(environment: Mapping[str, str]) -> Repository | None:
    """The repository that GitHub Actions names in the environment; None elsewhere."""
    names = ("GITHUB_SERVER_URL", "GITHUB_REPOSITORY", "GITHUB_REF_NAME")
    server, name, ref = (environment.get(each) for each in names)
    return Repository(f"{server}/{name}", ref) if server and name and ref else None


def project_urls(repository: Repository) -> dict[str, str]:
    """The addresses that PyPI lists beside the README."""
    return {
        "Source": repository.address,
        "Documentation": repository.file("docs", view="tree"),
        "Changelog": repository.file("CHANGELOG.md"),
        "Issues": f"{repository.address}/issues",
    }


def with_absolute_links(text: str, repository: Repository) -> str:
    """`text` in Markdown; relative addresses of links and pictures point into `repository`."""

    def absolute(match: re.Match[str]) -> str:
        address = match["address"]
        if address is None or re.match(r"[a-z]+:", address):
            return match[0]
        if address.startswith("#"):
            address = f"README.md{address}"  # PyPI gives headings no anchors
        view = "raw" if address.lower().endswith(_PICTURES) else "blob"
        return match["before"] + repository.file(address.removeprefix("./"), view)

    return _CODE_OR_LINK.sub(absolute, text)
