"""Prose is spelled right: common misspellings by codespell's dictionary, and British throughout, by the list here."""

import re
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from tests.notebooks.prose import EVERYTHING, ROOT, markdown, without_code

# As a beginning of a word in prose, American on the left. Names of things, such as `color=` or MIT's "License", are code or stay;
# so do "-ize" words that PyTorch has made its own: "optimizer", "normalize", "initialize".
BRITISH = {
    "analyz": "analys",
    "behavior": "behaviour",
    "center": "centre",
    "color": "colour",
    "favor": "favour",
    "fulfill": "fulfil",
    "gray": "grey",
    "labeled": "labelled",
    "labeling": "labelling",
    "linearize": "linearise",
    "modeling": "modelling",
    "neighbor": "neighbour",
    "organiz": "organis",
    "recogniz": "recognis",
    "signaled": "signalled",
    "summariz": "summaris",
    "traveled": "travelled",
    "traveling": "travelling",
    "visualiz": "visualis",
}

each_file = pytest.mark.parametrize("path", EVERYTHING, ids=lambda path: path.relative_to(ROOT).as_posix())


def prose(path: Path) -> str:
    text = without_code(markdown(path))
    text = re.sub(r"<source\b[^>]*>", "", text)
    text = re.sub(r'<img\b[^>]*\balt="([^"]*)"[^>]*>', r"\1", text)
    return re.sub(r"\]\([^)]*\)|https://\S+", " ", text)


def test_no_word_is_misspelt(
    tmp_path: Path, require_module: Callable[[str], ModuleType], capsys: pytest.CaptureFixture[str]
) -> None:
    codespell = require_module("codespell_lib")
    for path in EVERYTHING:
        (tmp_path / f"{path.parent.name}-{path.name}.md").write_text(prose(path), encoding="utf-8")
    status = codespell.main("--builtin", "clear,rare", str(tmp_path))
    assert status == 0, capsys.readouterr().out


@each_file
def test_it_is_british(path: Path) -> None:
    words = re.findall(r"[a-z]+", prose(path).lower())
    for american, british in BRITISH.items():
        assert not [word for word in words if word.startswith(american)], f"{british}..., not {american}..."
