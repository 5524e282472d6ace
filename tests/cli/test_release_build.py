"""The wheel and the sdist: which files are in them, what their metadata says, and that a build can be repeated."""

import email
import email.message
import hashlib
import json
import os
import re
import runpy
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

import pytest

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = {
    room: sorted(path.name for path in (ROOT / room).glob("*.ipynb")) for room in ("lessons", "exercises", "solutions")
}
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
IN_SDIST = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["hatch"]["build"]["targets"]["sdist"]
REPOSITORY = {
    "GITHUB_SERVER_URL": "https://example.org",
    "GITHUB_REPOSITORY": "someone/course",
    "GITHUB_REF_NAME": "v1",
}
"""What GitHub Actions says of the repository and tag that it builds."""

LIGHT = 5_000_000
"""Bytes that a wheel may have."""

NOT_MADE_BY_US = {"PKG-INFO", ".gitignore"}
"""Files of the sdist that hatchling adds."""

_INFO = r"autograd_teach-[\d.]+\.dist-info"
_DATA = r"autograd_teach-[\d.]+\.data/data/share/jupyter/labextensions/autograd-teach"
GROUPS = {
    "package": r"autograd_teach/(?!_course/)[\w/-]+\.(py|typed|toml|txt|js|css|html|json|mplstyle|npz|md)",
    "licences of others": r"autograd_teach/viz/static/vendor/\w+/LICENSE\.[\w-]+",
    "lessons": r"autograd_teach/_course/lessons/(\d\d_\w+|glossary)\.ipynb",
    "figures": r"autograd_teach/_course/lessons/figures/\w+\.svg",
    "exercises": r"autograd_teach/_course/exercises/\d\d_\w+\.ipynb",
    "extension": rf"{_DATA}/(package\.json|static/remoteEntry\.js)",
    "metadata": rf"{_INFO}/(METADATA|RECORD|WHEEL|entry_points\.txt)",
    "licences": rf"{_INFO}/licenses/([\w/]+/)?LICENSE(\.[\w-]+)?",
}
"""Every file of a wheel belongs to one of these groups."""

JUNK = (
    ".DS_Store",
    ".venv/lib/python3.13/site-packages/six.py",
    ".mypy_cache/3.13/cache.json",
    ".pytest_cache/README.md",
    "autograd-course/exercises/09_custom_functions.ipynb",
    "autograd_teach/__pycache__/tensor.cpython-313.pyc",
    "autograd_teach/ops/old.pyc",
    "autograd_teach.egg-info/PKG-INFO",
    "build/lib/autograd_teach/tensor.py",
    "dist/autograd_teach-0.0.1.tar.gz",
    "docs/.DS_Store",
    "exercises/.autograd_teach_progress.json",
    "exercises/.ipynb_checkpoints/09_custom_functions-checkpoint.ipynb",
    "grades/grades.csv",
    "lessons/.ipynb_checkpoints/03_the_graph-checkpoint.ipynb",
    "notes.txt",
    "public/index.html",
    "solutions/.ipynb_checkpoints/03_the_graph-checkpoint.ipynb",
    "submissions/ada/09_custom_functions.ipynb",
    "tests/__pycache__/conftest.cpython-313-pytest-9.pyc",
)
"""Files in the folder of somebody who works there, which must not be published."""


class Built(NamedTuple):
    """A wheel and an sdist of one tree, with the sdist unpacked and the wheel that is built there."""

    wheel: Path
    sdist: Path
    unpacked: Path
    wheel_of_sdist: Path


def build(kind: str, tree: Path, folder: Path, **environment: str) -> Path:
    """The wheel or the sdist of `tree`, built into `folder` by hatchling without an environment of its own."""
    folder.mkdir(parents=True, exist_ok=True)
    program = f"import hatchling.build; print(hatchling.build.build_{kind}({str(folder)!r}))"
    elsewhere = {name: value for name, value in os.environ.items() if name not in REPOSITORY}
    ran = subprocess.run(
        [sys.executable, "-c", program],
        cwd=tree,
        env=elsewhere | {"PYTHONDONTWRITEBYTECODE": "1"} | environment,  # `tree` stays as it is
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    return folder / ran.stdout.split()[-1]


def unpack(sdist: Path, folder: Path) -> Path:
    """The only folder in an sdist, unpacked into `folder`."""
    with tarfile.open(sdist) as archive:
        archive.extractall(folder, filter="data")
    (unpacked,) = folder.iterdir()
    return unpacked


def build_all(tree: Path, folder: Path, **environment: str) -> Built:
    sdist = build("sdist", tree, folder, **environment)
    unpacked = unpack(sdist, folder / "unpacked")
    wheel = build("wheel", tree, folder, **environment)
    return Built(wheel, sdist, unpacked, build("wheel", unpacked, folder / "of-sdist"))


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory, require_module: Callable[[str], ModuleType]) -> Built:
    """Built as on anybody's own machine."""
    require_module("hatchling.build")
    return build_all(ROOT, tmp_path_factory.mktemp("built"))


@pytest.fixture(scope="module")
def built_on_github(built: Built, tmp_path_factory: pytest.TempPathFactory) -> Built:
    """Built where the environment names the repository; the wheel of the sdist, where it does not."""
    folder = tmp_path_factory.mktemp("built")
    tree = folder / "repository"
    shutil.copytree(built.unpacked, tree)
    (tree / "PKG-INFO").unlink()  # a repository has none
    return build_all(tree, folder, **REPOSITORY)


@pytest.fixture(scope="module")
def wheel(built: Built) -> Iterator[zipfile.ZipFile]:
    with zipfile.ZipFile(built.wheel) as archive:
        yield archive


def content(wheel: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(wheel) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def files_of(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def metadata_of(wheel: Path) -> email.message.Message:
    (text,) = (data for name, data in content(wheel).items() if name.endswith(".dist-info/METADATA"))
    return email.message_from_string(text.decode())


# ---- the wheel --------------------------------------------------------------------------------------------------------


def test_every_file_of_the_wheel_belongs_to_a_group_and_no_group_is_empty(wheel: zipfile.ZipFile):
    groups = {
        name: [group for group, pattern in GROUPS.items() if re.fullmatch(pattern, name)] for name in wheel.namelist()
    }
    assert [name for name, found in groups.items() if len(found) != 1] == []
    assert Counter(group for found in groups.values() for group in found).keys() == GROUPS.keys()


def test_the_wheel_has_no_file_twice_and_is_light(built: Built, wheel: zipfile.ZipFile):
    assert len(wheel.namelist()) == len(set(wheel.namelist()))
    assert built.wheel.stat().st_size < LIGHT


@pytest.mark.parametrize("place", ["tests", "benchmarks", "docs", "solutions", ".github", ".ci", "hatch_build.py"])
def test_the_wheel_carries_nothing_of(place: str, wheel: zipfile.ZipFile):
    assert (ROOT / place).exists()
    assert [name for name in wheel.namelist() if place in name.split("/")] == []


def test_the_wheel_carries_lessons_and_exercises(wheel: zipfile.ZipFile):
    names = set(wheel.namelist())
    for room in ("lessons", "exercises"):
        assert NOTEBOOKS[room], f"there are no {room}"
        for name in NOTEBOOKS[room]:
            assert f"autograd_teach/_course/{room}/{name}" in names


def test_the_wheel_carries_no_solution(wheel: zipfile.ZipFile):
    assert NOTEBOOKS["solutions"]
    carried = [wheel.read(name) for name in wheel.namelist()]
    for name in NOTEBOOKS["solutions"]:
        assert (ROOT / "solutions" / name).read_bytes() not in carried
    for name in wheel.namelist():
        if name.endswith(".ipynb"):
            assert b"### BEGIN SOLUTION" not in wheel.read(name), name


def test_the_wheel_carries_every_file_of_the_package_and_nothing_beside_it(wheel: zipfile.ZipFile):
    package = {
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "autograd_teach").rglob("*")
        if path.is_file() and not {"__pycache__", ".ipynb_checkpoints"} & set(path.parts)
    }
    assert {Path(name).suffix for name in package} >= {".py", ".js", ".css", ".toml", ".typed"}
    carried = {name for name in wheel.namelist() if "/_course/" not in name}
    metadata = {name for name in carried if name.split("/")[0].endswith(".dist-info")}
    for_jupyter = {name for name in carried if ".data/data/share/jupyter/" in name}
    assert carried - metadata - for_jupyter == package


def test_the_wheel_puts_the_extension_where_jupyterlab_and_notebook_7_look_for_it(wheel: zipfile.ZipFile):
    source = ROOT / "autograd_teach/viz/jupyter/labextensions"
    files = {path.relative_to(source).as_posix(): path.read_bytes() for path in source.rglob("*") if path.is_file()}
    marker = ".data/data/share/jupyter/labextensions/"
    carried = {name.split(marker)[1]: wheel.read(name) for name in wheel.namelist() if marker in name}
    assert carried == files
    about = json.loads(files["autograd-teach/package.json"])
    assert about["name"] == PROJECT["name"]
    assert f"autograd-teach/{about['jupyterlab']['_build']['load']}" in files


def test_the_works_of_others_are_what_their_readme_says_with_their_licences(wheel: zipfile.ZipFile):
    folder = ROOT / "autograd_teach/viz/static/vendor/graphviz"
    readme = (folder / "README.md").read_text(encoding="utf-8")
    code = (folder / "viz.js").read_bytes()
    assert hashlib.sha256(code).hexdigest() in readme
    assert code.startswith(b"/*!\nViz.js 3.31.0")
    licences = {path.name for path in folder.glob("LICENSE.*")}
    assert licences == set(re.findall(r"`(LICENSE\.[\w-]+)`", readme))
    assert licences <= {name.rpartition("/")[2] for name in wheel.namelist() if ".dist-info/licenses/" in name}


# ---- the sdist --------------------------------------------------------------------------------------------------------


def test_the_sdist_carries_what_its_list_names(built: Built):
    named = set(IN_SDIST["only-include"])
    carried = {name.split("/")[0] for name in files_of(built.unpacked)}
    assert carried - NOT_MADE_BY_US == {name for name in named if (ROOT / name).exists()}


def sources(ignored: Callable[[str], bool]) -> Iterator[str]:
    """The files that git tracks or, in a copy without git, would track."""
    git = shutil.which("git")
    if git and (ROOT / ".git").exists():
        yield from subprocess.check_output([git, "ls-files", "-z"], cwd=ROOT, text=True).strip("\0").split("\0")
        return
    folders = [ROOT]
    while folders:
        for path in folders.pop().iterdir():
            name = path.relative_to(ROOT).as_posix()
            if not path.is_dir():
                yield from () if ignored(name) else [name]
            elif not ignored(f"{name}/") and path.name != ".git" and not (path / "pyvenv.cfg").exists():
                folders.append(path)


def test_the_sdist_carries_every_source(built: Built, require_module: Callable[[str], ModuleType]):
    lines = (ROOT / ".gitignore").read_text("utf-8").splitlines()
    ignored = require_module("pathspec").GitIgnoreSpec.from_lines(lines).match_file
    assert set(sources(ignored)) - files_of(built.unpacked) == set()


def test_what_lies_beside_the_sources_is_in_neither(built: Built, tmp_path: Path):
    tree = tmp_path / "tree"
    shutil.copytree(built.unpacked, tree)
    for name in JUNK:
        path = tree / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("{}")
    sdist = unpack(build("sdist", tree, tmp_path / "built"), tmp_path / "unpacked")
    assert files_of(sdist) == files_of(built.unpacked)
    assert content(build("wheel", tree, tmp_path / "built")) == content(built.wheel)


def test_the_wheel_of_the_unpacked_sdist_is_the_wheel_of_the_tree(built: Built):
    assert built.wheel_of_sdist.read_bytes() == built.wheel.read_bytes()


def test_a_build_gives_the_same_bytes_again(built: Built, tmp_path: Path):
    tree = tmp_path / "elsewhere"
    shutil.copytree(built.unpacked, tree, copy_function=shutil.copy)  # with other times
    assert build("sdist", tree, tmp_path).read_bytes() == built.sdist.read_bytes()
    assert build("wheel", tree, tmp_path).read_bytes() == built.wheel.read_bytes()


# ---- the metadata -----------------------------------------------------------------------------------------------------


VERSIONS = {
    "CHANGELOG.md": r"^## \[(\d[^\]]*)\] - \d{4}-\d\d-\d\d$",
    "CITATION.cff": r"^version: \"?([^\"\n]+)\"?$",
    "autograd_teach/__init__.py": r"^__version__ = \"(.+)\"$",
    "autograd_teach/site/labextension/package.json": r"^  \"version\": \"(.+)\",$",
    "autograd_teach/viz/jupyter/labextensions/autograd-teach/package.json": r"^  \"version\": \"(.+)\",$",
}
"""The files that repeat the version of pyproject.toml, each with a pattern: its first match is the version."""


@pytest.mark.parametrize("name", VERSIONS)
def test_the_version_stands_in(name: str):
    found = re.search(VERSIONS[name], (ROOT / name).read_text("utf-8"), re.MULTILINE)
    assert found and found[1] == PROJECT["version"]


def test_the_metadata_of_the_wheel(built: Built):
    metadata = metadata_of(built.wheel)
    one = {
        "Name": "autograd-teach",
        "Version": PROJECT["version"],
        "License-Expression": PROJECT["license"],
        "Requires-Python": ">=3.11",
        "Description-Content-Type": "text/markdown",
    }
    assert {name: metadata[name] for name in one} == one
    assert set(metadata.get_all("Provides-Extra")) == PROJECT["optional-dependencies"].keys()
    assert {"LICENSE"} < set(metadata.get_all("License-File"))
    assert "Dynamic" not in metadata


def test_the_entry_points_can_be_loaded(wheel: zipfile.ZipFile):
    (text,) = (wheel.read(name).decode() for name in wheel.namelist() if name.endswith("/entry_points.txt"))
    assert re.findall(r"^\[(.+)\]$", text, re.MULTILINE) == ["console_scripts", "pytest11"]
    for module in re.findall(r"^\w[\w-]* = ([\w.]+)", text, re.MULTILINE):
        assert f"{module.replace('.', '/')}.py" in wheel.namelist()


def test_a_build_anywhere_names_no_repository(built: Built):
    for wheel in (built.wheel, built.wheel_of_sdist):
        metadata = metadata_of(wheel)
        assert "Project-URL" not in metadata
        assert metadata.get_payload() == (ROOT / "README.md").read_text("utf-8")


def test_a_build_in_somebody_elses_workflow_keeps_what_the_sdist_says(built: Built, tmp_path: Path):
    assert build("wheel", built.unpacked, tmp_path, **REPOSITORY).read_bytes() == built.wheel.read_bytes()


def test_a_build_on_github_names_its_repository_and_the_wheel_of_its_sdist_does(built_on_github: Built):
    expected = {
        "Source": "https://example.org/someone/course",
        "Documentation": "https://example.org/someone/course/tree/v1/docs",
        "Changelog": "https://example.org/someone/course/blob/v1/CHANGELOG.md",
        "Issues": "https://example.org/someone/course/issues",
    }
    assert dict(url.split(", ") for url in metadata_of(built_on_github.wheel).get_all("Project-URL")) == expected
    assert built_on_github.wheel_of_sdist.read_bytes() == built_on_github.wheel.read_bytes()


class Addresses(HTMLParser):
    """The addresses of links and pictures in a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.found += [value or "" for name, value in attributes if name in ("href", "src", "srcset")]


def addresses_in(markdown: str, require_module: Callable[[str], ModuleType]) -> list[str]:
    return Addresses(require_module("mistune").create_markdown(escape=False)(markdown)).found


def test_every_address_in_the_readme_is_absolute_where_github_builds(
    built_on_github: Built, require_module: Callable[[str], ModuleType]
):
    own = addresses_in((ROOT / "README.md").read_text("utf-8"), require_module)
    shown = addresses_in(str(metadata_of(built_on_github.wheel).get_payload()), require_module)
    assert len(own) == len(shown) > 0
    for before, after in zip(own, shown, strict=True):
        if before.startswith("https://"):
            assert after == before
        else:
            path = re.fullmatch(r"https://example\.org/someone/course/(?:blob|raw)/v1/([^#]+)(#.*)?", after)
            assert path and (ROOT / path[1]).exists(), after


FILES = "https://example.org/someone/course"
LINKS: dict[str, tuple[str, str | None]] = {
    "a link": ("[how](docs/site.md)", f"[how]({FILES}/blob/v1/docs/site.md)"),
    "a heading of a file": ("[how](docs/site.md#once)", f"[how]({FILES}/blob/v1/docs/site.md#once)"),
    "a heading here": ("[see](#licence)", f"[see]({FILES}/blob/v1/README.md#licence)"),
    "a file named from here": ("[see](./LICENSE)", f"[see]({FILES}/blob/v1/LICENSE)"),
    "a link with a title": ('[a](b.md "c (d)")', f'[a]({FILES}/blob/v1/b.md "c (d)")'),
    "a link around code": ("[`a/b`](a/b)", f"[`a/b`]({FILES}/blob/v1/a/b)"),
    "a picture": ("![x [y]](docs/lesson.png)", f"![x [y]]({FILES}/raw/v1/docs/lesson.png)"),
    "a picture in a link": ("[![x](a.GIF)](b.md)", f"[![x]({FILES}/raw/v1/a.GIF)]({FILES}/blob/v1/b.md)"),
    "elements": (
        '<a href="a.md"><img src="b.svg"></a>',
        f'<a href="{FILES}/blob/v1/a.md"><img src="{FILES}/raw/v1/b.svg"></a>',
    ),
    "light and dark": (
        '<picture><source media="(x: dark)" srcset="docs/d.apng"><img src="docs/l.png"></picture>',
        f'<picture><source media="(x: dark)" srcset="{FILES}/raw/v1/docs/d.apng"><img src="{FILES}/raw/v1/docs/l.png"></picture>',
    ),
    "another site": ("[a](https://a.org/b) ![c](https://d.org/e.png) [f](mailto:g@h.org)", None),
    "code in a line": ("`[a](b.md)` and `f[x](y)`", None),
    "a block of code": ('```python\nf = table["a"](b)\n<img src="c.png">\n```\n', None),
}
"""Markdown, and what a build on GitHub makes of it; None: it stays as it is."""


@pytest.mark.parametrize("name", LINKS)
def test_the_links_of_a_readme(name: str, require_module: Callable[[str], ModuleType]):
    require_module("hatchling.build")
    hooks = runpy.run_path(str(ROOT / "hatch_build.py"))
    text, expected = LINKS[name]
    repository = hooks["named_repository"](REPOSITORY)
    assert hooks["with_absolute_links"](text, repository) == (expected or text)


def test_a_build_on_an_old_python_ends_in_one_sentence():
    program = "import runpy, sys; sys.version_info = (3, 9, 1, 'final', 0);runpy.run_path('hatch_build.py')"
    result = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False)
    assert result.returncode == 1
    assert "needs Python 3.11 or later, and this is Python 3.9" in result.stderr
    assert result.stderr.count("\n") == 1
