"""Links: those within the project lead to a file and, behind `#`, to a heading; those outside are https, to known hosts.

Nothing is asked of the network.
"""

import re
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.notebooks.prose import EVERYTHING, ROOT, anchors, links, markdown

# A new host is written down here by whoever has looked at it: a place that is likely to stay, and that asks for no account.
HOSTS = {
    "arxiv.org",
    "discuss.pytorch.org",
    "distributed.dask.org",
    "docs.github.com",
    "docs.jax.dev",
    "docs.pytorch.org",
    "fleuret.org",
    "github.com",
    "graphviz.org",
    "keepachangelog.com",
    "nbgrader.readthedocs.io",
    "semver.org",
    "www.python.org",
}

each_file = pytest.mark.parametrize("path", EVERYTHING, ids=lambda path: path.relative_to(ROOT).as_posix())


@each_file
def test_links_within_the_project_lead_to_a_file_and_to_a_heading_of_it(path: Path) -> None:
    for text, target in links(path):
        if urlsplit(target).scheme:
            continue
        assert text.strip(), f"a link to {target} that says nothing"
        name, _, fragment = target.partition("#")
        found = path.parent / name if name else path
        assert found.exists(), target
        assert found.resolve().is_relative_to(ROOT), target
        assert not fragment or fragment in anchors(found), target


@each_file
def test_notebooks_that_students_get_link_only_what_they_get_too(path: Path) -> None:
    """`autograd-teach lab` copies lessons/ and exercises/, and nothing else."""
    if path.parent.name in ("lessons", "exercises"):
        for _, target in links(path):
            name = target.partition("#")[0]
            room = (path.parent / name).resolve().parent.relative_to(ROOT).parts[:1]
            assert urlsplit(target).scheme or not name or room in (("lessons",), ("exercises",)), target


@each_file
def test_addresses_are_https_and_their_hosts_are_known(path: Path) -> None:
    for url in re.findall(r"\b[a-z][a-z+.-]*://[^\s<>)\]\"'`|]*", markdown(path)):
        parts = urlsplit(url)
        if parts.scheme in ("tcp", "tls") and parts.hostname in (None, "10.0.0.1"):
            continue  # where a reader's own scheduler may listen, no page
        assert parts.scheme == "https" and parts.hostname in HOSTS, url
        assert parts.port is None and parts.username is None and not url.endswith((".", ",")), url
        assert re.fullmatch(r"[\w./~#?=&%+:-]+", url), url


def test_every_host_on_the_list_is_in_use() -> None:
    text = "\n".join(markdown(path) for path in EVERYTHING)
    assert {host for host in HOSTS if f"https://{host}" not in text} <= {
        "arxiv.org",
        "discuss.pytorch.org",
        "docs.jax.dev",
    }
