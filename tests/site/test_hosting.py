"""Hosting a course of one's own: what a rebuild may touch, what may not be published, and what each option takes."""

import argparse
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell

from autograd_teach import cli
from autograd_teach.course.errors import UserError
from autograd_teach.course.notebooks import read_notebook, write_notebook
from autograd_teach.site import build, command, pages, placing
from autograd_teach.site.placing import MARK
from tests.site.small import site_of, write_course

FIRST = ("index.html", "lessons/01.html", "lessons/figures/one.svg", "static/old.js")
SECOND = ("index.html", "lessons/02.html", "static/new.js")


def written(folder: Path, names: tuple[str, ...], text: str) -> Path:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def held(folder: Path) -> dict[str, str]:
    """What the files of a folder say, but for the list."""
    files = (path for path in folder.rglob("*") if path.is_file() and path.name != MARK)
    return {path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8") for path in files}


def listed(folder: Path) -> list[str]:
    return json.loads((folder / MARK).read_bytes())["files"]  # type: ignore[no-any-return]


@pytest.fixture
def output(tmp_path: Path) -> Path:
    """A site that was built once."""
    placing.put(written(tmp_path / "made", FIRST, "first"), tmp_path / "public")
    return tmp_path / "public"


@pytest.fixture
def rebuilt(tmp_path: Path) -> Path:
    """What the next build has made beside it."""
    return written(tmp_path / "made again", SECOND, "second")


def test_a_rebuild_leaves_all_that_is_not_on_its_list(output: Path, rebuilt: Path) -> None:
    assert listed(output) == sorted(FIRST)
    own = (".git/config", ".git/objects/a", "CNAME", "lessons/mine.html", "lessons/figures/mine.svg", "a b/ä.txt")
    written(output, own, "own")
    placing.put(rebuilt, output)
    assert held(output) == {name: "second" for name in SECOND} | {name: "own" for name in own}
    assert listed(output) == sorted(SECOND)


def test_folders_that_a_rebuild_leaves_empty_are_gone(output: Path, rebuilt: Path) -> None:
    placing.put(rebuilt, output)
    assert not (output / "lessons" / "figures").exists()
    assert sorted(path.name for path in output.iterdir()) == [MARK, "index.html", "lessons", "static"]


IN_THE_WAY: dict[str, tuple[Callable[[Path], Any], str]] = {
    "a file": (lambda f: written(f, ("lessons/02.html",), "own"), "would overwrite lessons/02.html,"),
    "a folder": (lambda f: written(f, ("static/new.js/own",), "own"), "would overwrite static/new.js,"),
    "a file for a folder": (lambda f: (written(f, ("static/old.js",), "").joinpath("static/old.js").unlink(), (f / "static").rmdir(), (f / "static").write_text("own")), "would overwrite static,"),
    "a link to another folder": (lambda f: ((f / "lessons").rename(f.parent / "elsewhere"), (f / "lessons").symlink_to(f.parent / "elsewhere")), "would overwrite lessons,"),
    "a folder for a file": (lambda f: ((f / "index.html").unlink(), written(f, ("index.html/own",), "own")), "would overwrite index.html,"),
    "a site without a list": (lambda f: (f / MARK).write_text("Made by autograd-teach site.\n"), "would overwrite index.html,"),
    "a damaged list": (lambda f: (f / MARK).write_text('{"files": 5}'), "would overwrite index.html,"),
}  # fmt: skip


@pytest.mark.parametrize("what", IN_THE_WAY)
def test_what_stands_in_the_way_stays_and_is_named(what: str, output: Path, rebuilt: Path) -> None:
    make, said = IN_THE_WAY[what]
    make(output)
    before = held(output.parent)
    with pytest.raises(UserError, match=said):
        placing.put(rebuilt, output)
    assert held(output.parent) == before


def test_a_list_reaches_no_further_than_its_folder(output: Path, rebuilt: Path) -> None:
    beside = written(output.parent, ("elsewhere/own",), "own") / "elsewhere" / "own"
    (output / "link").symlink_to(beside.parent)
    for name in ("../elsewhere/own", str(beside), "link/own", "", "."):
        (output / MARK).write_text(json.dumps({"files": [*FIRST, name]}), encoding="utf-8")
        placing.put(written(rebuilt, SECOND, "second"), output)
        assert beside.read_text(encoding="utf-8") == "own", name
        placing.put(written(rebuilt, FIRST, "first"), output)


@pytest.mark.parametrize("after", range(3))
def test_an_interrupted_rebuild_is_made_whole_by_the_next(
    after: int, output: Path, rebuilt: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written(output, ("CNAME",), "own")
    moves, replace = [0], Path.replace

    def stops(path: Path, target: Path) -> Any:
        moves[0] += target.name != MARK
        if moves[0] > after:
            raise OSError(28, "No space left on device")
        return replace(path, target)

    with monkeypatch.context() as patched:
        patched.setattr(Path, "replace", stops)
        with pytest.raises(UserError, match=r"No space left on device.*build it again"):
            placing.put(rebuilt, output)
    assert {"CNAME", *FIRST} <= held(output).keys(), "pages that were not replaced have what they load"
    assert (held(output)["index.html"] == "second") <= ("static/new.js" in held(output)), "pages come last"
    placing.put(written(rebuilt, SECOND, "second"), output)
    assert held(output) == {name: "second" for name in SECOND} | {"CNAME": "own"}


def test_a_link_to_a_site_stays_a_link(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pages, "write", lambda site, made, tell: written(made, SECOND, "second"))
    site = write_course(tmp_path / "course")
    build.build(site, tmp_path / "real", tell=lambda _: None)
    (tmp_path / "link").symlink_to(tmp_path / "real")
    build.build(site, tmp_path / "link", tell=lambda _: None)
    assert (tmp_path / "link").is_symlink()
    assert listed(tmp_path / "real") == sorted([".nojekyll", *SECOND])
    assert sorted(os.listdir(tmp_path)) == ["course", "link", "real"], "nothing is left beside it"


@pytest.mark.parametrize("there", ["CNAME", ".git/config", "index.html"])
def test_a_folder_that_something_else_made_is_refused(there: str, tmp_path: Path) -> None:
    site = write_course(tmp_path / "course")
    written(tmp_path / "own", (there,), "own")
    with pytest.raises(UserError, match="is not a site that this command made"):
        build.build(site, tmp_path / "own")
    assert held(tmp_path / "own") == {there: "own"}


@pytest.mark.parametrize(
    ("place", "text", "said"),
    [
        ("exercises/01_first.ipynb", None, "autograd-teach release --solutions"),
        ("exercises/old/answers.py", "### BEGIN SOLUTION\n", "with --exercises"),
        ("lessons/notes.md", "### end solution\n", "with --lessons"),
    ],
)
def test_solutions_are_never_published(place: str, text: str | None, said: str, tmp_path: Path) -> None:
    site = write_course(tmp_path / "course")
    path = tmp_path / "course" / place
    path.parent.mkdir(exist_ok=True)
    if text is None:
        notebook = read_notebook(path)
        notebook.cells.append(new_code_cell("### BEGIN SOLUTION\n1\n### END SOLUTION", id="solved"))
        write_notebook(path, notebook)
    else:
        path.write_text(text, encoding="utf-8")
    with pytest.raises(UserError, match=f"{path.name} contains solutions.*{said}"):
        build.build(site, tmp_path / "public")
    assert not (tmp_path / "public").exists()


def test_lessons_of_one_number_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cells = [new_markdown_cell("# 01 · A", id="a")]
    site = write_course(tmp_path / "course", **{"01_a": cells, "01_b": cells, "02_c": cells})
    monkeypatch.setattr(pages, "write", lambda site, made, tell: None)
    told: list[str] = []
    build.build(site, tmp_path / "public", tell=told.append)
    assert (
        told[0]
        == "note: 01_a.ipynb and 01_b.ipynb have the same number, so their pages have their whole names as addresses."
    )


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--repository", "https://github.com/me/course"], "--repository takes OWNER/NAME"),
        (["--repository", "course"], "--repository takes OWNER/NAME"),
        (["--base-url", "example.org/x"], "--base-url takes a whole address"),
        (["--base-url", "https://example.org/?x"], "--base-url takes a whole address"),
        (["--base-url", "https://[x"], "--base-url takes a whole address"),
        (["--name", " "], "--name is empty"),
        (["--pages-only", "--pyodide", "folder"], "remove one of the two options"),
        (["--base-url", "", "--repository", "me/course"], ""),
        (["--base-url", "http://localhost:8000/a"], ""),
    ],
)
def test_values_of_options_are_looked_at_first(
    options: list[str],
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    built: list[Any] = []
    monkeypatch.setattr(command, "build", lambda *of: built.append(of))
    assert cli.main(["site", str(tmp_path / "public"), *options]) == (2 if said else 0)
    assert said in capsys.readouterr().err
    assert bool(built) == (not said)


def test_declarations_that_are_not_those_installed_are_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(command, "build", lambda *_: None)
    written(tmp_path, ("autograd_teach/course/specs/e01_requires_grad.py",), "edited = True\n")
    monkeypatch.chdir(tmp_path)
    assert cli.main(["site", "public"]) == 0
    assert "e01_requires_grad.py in" in (told := capsys.readouterr().err)
    assert told.count("is not what is installed") == 1


def test_help_says_what_becomes_of_files_and_what_may_be_named() -> None:
    parser = argparse.ArgumentParser()
    command.add_arguments(parser)
    told = " ".join(parser.format_help().split())
    for each in (
        "others (.git, CNAME",
        "Never name solutions",
        "“# NN · Title”",
        "https://example.org",
        "for search engines",
    ):
        assert each in told


@pytest.mark.parametrize(
    ("lessons", "exercises", "colab"),
    [
        ("course/lessons", "course/my-exercises", ["course/lessons/01_first", "course/my-exercises/01_first"]),
        ("lessons", "elsewhere", ["lessons/01_first"]),
        ("a b/lessons", "my-exercises", ["a%20b/lessons/01_first", "my-exercises/01_first"]),
    ],
)
def test_colab_and_binder_open_the_notebooks_where_they_lie(
    lessons: str, exercises: str, colab: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pages, "_run", lambda stored, _: {})
    write_course(tmp_path / "any")
    (tmp_path / "checkout" / ".git").mkdir(parents=True)
    roots = [tmp_path / ("elsewhere" if each == "elsewhere" else f"checkout/{each}") for each in (lessons, exercises)]
    for root, room in zip(roots, ("lessons", "exercises"), strict=True):
        root.parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "any" / room).rename(root)
    options = {"lessons": roots[0], "exercises": roots[1], "repository": "me/course"}
    site = build.Site(name="A", base_url="", is_live=False, **options)  # type: ignore[arg-type]
    pages.write(site, tmp_path / "made", lambda _: None)
    html = "".join(path.read_text(encoding="utf-8") for path in (tmp_path / "made").rglob("*.html"))
    for each in colab:
        assert f"https://colab.research.google.com/github/me/course/blob/HEAD/{each}.ipynb" in html
    assert ("elsewhere" in exercises) == ("my-exercises" not in html), "no link to what is not in the repository"
    assert html.count("colab.research.google.com") == 4 + (exercises != "elsewhere")
    place = colab[0].rpartition("/")[0]
    assert f"https://mybinder.org/v2/gh/me/course/HEAD?urlpath=lab/tree/{place}/01_first.ipynb" in html


def test_without_a_checkout_nothing_opens_elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pages, "_run", lambda stored, _: {})
    write_course(tmp_path / "course")
    pages.write(site_of(tmp_path / "course", repository="me/course"), tmp_path / "made", lambda _: None)
    html = "".join(path.read_text(encoding="utf-8") for path in (tmp_path / "made").rglob("*.html"))
    assert "github.com/me/course" in html
    assert "colab" not in html
    assert "binder" not in html
