"""The readable site of a small course: what its pages hold, where their links lead, and what stops a build."""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell

from autograd_teach.course.errors import UserError
from autograd_teach.course.notebooks import read_notebook
from autograd_teach.site import pages
from autograd_teach.site.markdown import Headings, as_html
from tests.site.small import site_of, write_course
from tests.site.tree import problems

MOST_BYTES = 600_000
LESSON = "lessons/01.html"


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("course")
    (folder / ".git").mkdir()
    write_course(folder)
    return folder


@pytest.fixture(scope="module")
def built(course: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str]]:
    """The pages, and the lines that were told."""
    told: list[str] = []
    made = tmp_path_factory.mktemp("site")
    pages.write(site_of(course), made, told.append)
    return made, told


@pytest.fixture
def unrun(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lessons are shown as they are stored: for what does not depend on outputs."""
    monkeypatch.setattr(pages, "_run", lambda stored, _: {})


def text(built: tuple[Path, list[str]], page: str = LESSON) -> str:
    return (built[0] / page).read_text(encoding="utf-8")


def test_every_link_leads_somewhere_and_nothing_is_loaded_from_elsewhere(built: Any) -> None:
    assert problems(built[0]) == []


def test_each_lesson_and_each_link_that_leads_nowhere_is_told(built: Any) -> None:
    assert [line for line in built[1] if "has run" in line] == [
        f"{name}.ipynb has run ({n} of 3)." for n, name in enumerate(("01_first", "02_second", "glossary"), 1)
    ]
    assert [line for line in built[1] if "has run" not in line] == [
        "01_first.ipynb: links that lead nowhere on this site are shown as text: gone.ipynb."
    ]


@pytest.mark.parametrize(
    ("links", "told"),
    [
        ("[a](#Title) [b](#é-é) [c](#%C3%A9-%C3%A9) [d](01_a.ipynb#Title) [e](#own) [f](../exercises/01_first.ipynb)", []),
        (
            "[a](#none) [b](#none) [c](../exercises/01_first.ipynb#nope) [d](https://example.org#x)",
            ["01_a.ipynb: links to headings that do not exist open the top of the page: #none, ../exercises/01_first.ipynb#nope."],
        ),
        (
            "[a](b.ipynb#x) [b](b.ipynb#x) [c](c.ipynb) [d](d.csv#x)",
            ["01_a.ipynb: links that lead nowhere on this site are shown as text: b.ipynb#x, c.ipynb, d.csv#x."],
        ),
    ],
)  # fmt: skip
def test_links_that_lead_nowhere_are_told_once_for_each_notebook(
    links: str, told: list[str], tmp_path: Path, unrun: None
) -> None:
    text = f'# Title\n\n## é é\n\n<p id="own">Here.</p>\n\n{links}'
    site = write_course(tmp_path / "course", **{"01_a": [new_markdown_cell(text, id="a")]})
    exercise = tmp_path / "course" / "exercises" / "01_first.ipynb"
    exercise.write_text(exercise.read_text(encoding="utf-8").replace("01_first", "01_a"), encoding="utf-8")
    said: list[str] = []
    pages.write(site, tmp_path / "made", said.append)
    assert said == told


@pytest.mark.parametrize(
    "held",
    [
        "<title>01 · First: things | A course &amp; more</title>",
        '<html lang="en">',
        "It costs $5 or $6, in code <code>$x$</code> and <code>a$b$c</code>.",
        "<msub><mi>x</mi><mn>1</mn></msub><mo>·</mo><msub><mi>y</mi><mn>1</mn></msub>",
        "<mtable>",
        '<a href="glossary.html#chain-rule">the rule</a>',
        '<a href="../exercises/01.html">the exercises</a>',
        "<a>nothing</a>",
        '<img src="figures/one.svg" width="72" height="30" loading="lazy" alt="A drawing"',
        '<h1 id="01-·-First:-things">',
        '<h2 id="A-second-title">',
        '<h2 id="The-same">',
        '<h2 id="The-same-1">',
        "<strong>Markdown</strong>",
        "a &lt; b",
        '<pre class="stderr">to stderr',
        'class="ansi-red-fg">red</span>',
        '<div class="table"><table>',
        '<p class="figure"><img src="figures/one.svg"',
        '<a href="02.html">there</a>',
        'alt="The picture that the code above draws." loading="lazy" width="3" height="2"',
        'alt="Nine" loading="lazy" width="9" height="9"',
        "ZeroDivisionError",
        '<a rel="next" href="../lessons/02.html"><span>Next</span>02 · Second</a>',
        '<a class="button quiet" href="../exercises/01.html">Exercises</a>',
        '<a href="../lessons/glossary.html">Glossary</a>',
        '<p class="needs-python">',
    ],
)
def test_a_lesson_holds(built: Any, held: str) -> None:
    assert held in text(built)


def test_a_picture_stands_in_a_page_once(built: Any) -> None:
    html = text(built)
    models = json.loads(re.search(r'<script type="application/json" id="models">(.*?)</script>', html)[1])  # type: ignore[index]
    assert [each["code"].partition(".")[0] for each in models.values()] == ["view"] * 4 + ["questions"]
    assert not [name for name, each in models.items() if "svg" in each["state"] or "_esm" in each["state"]]
    assert [each["needsPython"] for each in models.values()] == [False, False, True, True, False]
    assert "IPY_MODEL" not in html


@pytest.mark.parametrize("page", ["index.html", "404.html", LESSON, "lessons/glossary.html", "exercises/01.html"])
def test_a_page_is_light(built: Any, page: str) -> None:
    made, html = built[0], text(built, page)
    loaded = {made / page} | {
        (made / page).parent / each for each in re.findall(r'(?:src|href)="([^"#:]*\.(?:js|css|png|svg))"', html)
    }
    assert sum(each.stat().st_size for each in loaded) < MOST_BYTES


def test_an_exercise_is_shown_as_it_is_stored(built: Any) -> None:
    html = text(built, "exercises/01.html")
    assert '<span class="ne">NotImplementedError</span>' in html
    assert '<a href="../lessons/01.html">it</a>' in html
    assert 'class="error"' not in html


@pytest.mark.full
def test_the_same_course_gives_the_same_files(course: Path, built: Any, tmp_path: Path) -> None:
    pages.write(site_of(course), tmp_path, lambda _: None)
    files = {path.relative_to(tmp_path): path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    for name, content in files.items():
        assert content == (built[0] / name).read_bytes(), name
    assert len(files) == sum(path.is_file() for path in built[0].rglob("*"))


@pytest.mark.parametrize(
    ("options", "page", "there", "not_there"),
    [
        (
            {},
            "index.html",
            ["all <math", "the <code>rest</code>", "A course &amp; more", "This site has different ones;"],
            ["live/", "github", "canonical"],
        ),
        (
            {"is_live": True},
            "index.html",
            ["live/work.html", "live/notebooks/index.html?path=lessons/01_first.ipynb"],
            ["github"],
        ),
        (
            {"is_live": True},
            LESSON,
            ["Run this lesson", "about 20 MB", "Restart Kernel", '<a href="../live/work.html">Your work</a>'],
            ["colab"],
        ),
        ({"is_live": True}, "live/work.html", ['<a href="../live/work.html" aria-current="page">Your work</a>'], []),
        ({}, LESSON, ['<details class="contents-here">'], ["Your work"]),
        (
            {"repository": "owner/name"},  # the folder lies in a checkout of it
            "index.html",
            [
                "https://github.com/owner/name",
                "https://mybinder.org/v2/gh/owner/name/HEAD?urlpath=lab/tree/lessons/01_first.ipynb",
                "https://colab.research.google.com/github/owner/name/blob/HEAD/lessons/02_second.ipynb",
            ],
            ["live/"],
        ),
        (
            {"base_url": "https://example.org/course/"},
            LESSON,
            ['<link rel="canonical" href="https://example.org/course/lessons/01.html">', 'property="og:title"'],
            ["github"],
        ),
        ({"base_url": "https://example.org/course"}, "404.html", ['<base href="https://example.org/course/">'], []),
        (
            {"base_url": "https://example.org/course"},
            "sitemap.xml",
            ["<loc>https://example.org/course/</loc>", "<loc>https://example.org/course/exercises/01.html</loc>"],
            [],
        ),
    ],
)
def test_options(
    course: Path,
    tmp_path: Path,
    unrun: None,
    options: dict[str, Any],
    page: str,
    there: list[str],
    not_there: list[str],
) -> None:
    pages.write(site_of(course, **options), tmp_path, lambda _: None)
    html = (tmp_path / page).read_text(encoding="utf-8")
    assert [each for each in there if each not in html] == []
    assert [each for each in not_there if each in html] == []


@pytest.mark.parametrize(
    ("cell", "kind"), [("short", ""), ("`code` and [a link](https://example.org)", ""), ("word " * 6, ' class="long"')]
)
def test_a_cell_with_much_text_is_marked(cell: str, kind: str) -> None:
    assert f"<td{kind}>" in as_html(f"| a |\n|---|\n| {cell} |", Headings())


def test_the_first_page_tells_how_long_all_and_the_core_take(tmp_path: Path, unrun: None) -> None:
    names = ("00_start_here", "01_requires_grad", "04_dynamic_graphs", "12_arguments_and_options")
    minutes = {"00": 10, "01": 25, "04": 40, "12": 50}
    lessons = {name: [new_markdown_cell(f"# {name[:2]} · X\n\n" + "a " * 180 * minutes[name[:2]])] for name in names}
    pages.write(write_course(tmp_path / "course", **lessons), tmp_path / "made", lambda _: None)
    html = text((tmp_path / "made", []), "index.html")
    assert "about 2 hours in total." in html
    assert "about 35 minutes, with exercises." in html
    assert re.findall(r'<a href="lessons/(..).html">X</a> <span class="way [^"]*">([^<]*)<', html) == [
        ("00", "all paths"),
        ("01", "core"),
        ("04", "going further"),
        ("12", "reference"),
    ]


def test_the_commands_to_install_are_those_of_the_readme(built: Any) -> None:
    readme = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
    for command in re.findall(r'<pre class="code"><code>(.*?)</code>', text(built, "index.html")):
        assert command.replace("&amp;", "&") in readme


@pytest.mark.parametrize(
    ("cells", "said"),
    [
        (
            [new_code_cell("1 / 0", id="bad")],
            "01_a.ipynb: Cell 'bad' raises ZeroDivisionError: division by zero; fix it",
        ),
        (
            [new_markdown_cell(r"$\nonsense$", id="bad")],
            r"01_a.ipynb, cell 'bad': The formula $\nonsense$ cannot be shown",
        ),
        (
            [new_markdown_cell("![x](gone.png)", id="bad")],
            "lessons/01_a.ipynb, cell 'bad': the picture gone.png does not exist; add the file",
        ),
    ],
)
def test_a_notebook_that_cannot_be_shown_is_named(tmp_path: Path, cells: list[Any], said: str) -> None:
    site = write_course(tmp_path / "course", **{"01_a": cells})
    with pytest.raises(UserError, match=re.escape(said)) as problem:
        pages.write(site, tmp_path / "made", lambda _: None)
    assert str(problem.value).count("01_a.ipynb") == 1


@pytest.mark.parametrize("room", ["lessons", "exercises"])
def test_a_folder_without_notebooks_is_named(tmp_path: Path, room: str) -> None:
    site = write_course(tmp_path)
    for path in (tmp_path / room).glob("*.ipynb"):
        path.unlink()
    with pytest.raises(
        UserError, match=f"There is no notebook in .*{room}; name a folder with notebooks: --{room} FOLDER."
    ):
        pages.write(site, tmp_path / "made", lambda _: None)


def test_a_broken_notebook_is_named(tmp_path: Path) -> None:
    site = write_course(tmp_path)
    (tmp_path / "lessons" / "02_second.ipynb").write_text("{", encoding="utf-8")
    with pytest.raises(UserError, match="02_second.ipynb is not a valid notebook"):
        pages.write(site, tmp_path / "made", lambda _: None)


def test_without_graphviz_it_is_said_once(
    course: Path, tmp_path: Path, unrun: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("autograd_teach.viz.layout.ENGINES", [])
    told: list[str] = []
    pages.write(site_of(course), tmp_path, told.append)
    assert told.count(pages.WITHOUT_DRAWING) == 1
    assert '<pre class="result">' in (tmp_path / "index.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("written", "formulas"),
    [
        ("$x$", 1),
        ("$5 and $6", 0),
        ("$5-$6", 0),
        ("`$x$` and ``a $b$ c``", 0),
        ("costs $7, and `y$`", 0),
        (r"\$5 and $x$", 1),
        ("```\n$$ a $$\n```", 0),
        ("a\n$$x$$\nb $y$", 2),
        ("- $a$ and $b$\n- $5", 2),
        ("$|e|$ and $x_1 * y_1$", 2),
    ],
)
def test_dollars(written: str, formulas: int) -> None:
    assert as_html(written, Headings()).count("<math") == formulas


def test_other_commands_do_not_load_what_builds_sites() -> None:
    code = "import sys; from autograd_teach import cli; cli.main(['progress']); assert not [m for m in sys.modules if m.startswith(('autograd_teach.site', 'nbconvert', 'mistune'))]"
    subprocess.run([sys.executable, "-c", code], check=True, stdout=subprocess.DEVNULL)


def test_the_glossary_of_the_course_has_a_place_for_each_of_its_words() -> None:
    root = Path(__file__).parents[2]
    headings = Headings()
    for cell in read_notebook(root / "lessons" / "glossary.ipynb").cells:
        as_html(cell.source, headings)
    assert {"chain-rule", "grad_fn", "vector-Jacobian-product"} <= {each.anchor for each in headings.found}
