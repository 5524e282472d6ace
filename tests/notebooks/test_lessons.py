"""The lessons as documents: form, sections, pictures in words, and the questions that they ask.

That their cells run and print what is stored is nbval's business (test_nbval.py), that PyTorch prints the same is
parity's (tests/parity/test_lessons_parity.py). Links are held in test_links.py.
"""

import ast
import itertools
import re
import symtable
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from nbformat import NotebookNode

from autograd_teach.course.content import folder
from autograd_teach.course.exercises import exercises
from autograd_teach.course.notebooks import canonical, read_notebook
from autograd_teach.course.notebooks import notebook_text as as_stored
from autograd_teach.course.question import Question, asked_inside, load_questions, quiz_of
from autograd_teach.course.question import lessons as lessons_with_questions

LESSONS = sorted(folder("lessons").glob("[0-9][0-9]_*.ipynb"))
STORED = [
    *LESSONS,
    folder("lessons") / "glossary.ipynb",
    *sorted((folder("lessons").parent / "solutions").glob("*.ipynb")),
]
ONLY_HERE = "autograd-teach-only"
ASIDE = "If you have time"  # what the minutes in the title do not count
CLOSING = ["What you can now do", "Quiz", "Try changing", "Exercises"]
LAST = ("Where to read on", "Where it comes from")
SWAPPED = ("import autograd_teach as torch", "from autograd_teach.autograd import ")
# What stays as it is under PyTorch: it knows neither library.
NEUTRAL = ("from autograd_teach.course.attempt import ", 'plt.style.use("autograd_teach.course.theme")')
DATA = "from autograd_teach.course.data import "  # brings NumPy arrays, to either library: in cells tagged `data`

lesson = pytest.mark.parametrize("path", LESSONS, ids=lambda path: path.stem)


def code(notebook: NotebookNode) -> list[NotebookNode]:
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def is_only_here(cell: NotebookNode) -> bool:
    return ONLY_HERE in cell.metadata.get("tags", [])


def is_data(cell: NotebookNode) -> bool:
    return "data" in cell.metadata.get("tags", [])


def headings(notebook: NotebookNode) -> list[tuple[int, str]]:
    texts = (cell.source for cell in notebook.cells if cell.cell_type == "markdown")
    found = (re.findall(r"^(#+) (.+)$", text, flags=re.MULTILINE) for text in texts)
    return [(len(marks), title) for several in found for marks, title in several]


def asked(cell: NotebookNode) -> list[str]:
    return re.findall(r'^predict\("([^"]+)"\)$', cell.source, flags=re.MULTILINE)


@pytest.mark.parametrize("path", STORED, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_is_stored_in_canonical_form(path: Path) -> None:
    stored = read_notebook(path)
    assert path.read_text(encoding="utf-8") == as_stored(canonical(stored))
    assert all(
        cell.outputs or "=" in cell.source or "def " in cell.source or "import" in cell.source for cell in code(stored)
    ), "a cell whose only purpose is to show something shows nothing"


@lesson
def test_opens_by_importing_the_library_under_the_name_torch(path: Path) -> None:
    assert code(read_notebook(path))[0].source.startswith("import autograd_teach as torch")


@lesson
def test_has_one_title_and_headings_that_make_a_table_of_contents(path: Path) -> None:
    found = headings(read_notebook(path))
    levels = [level for level, _ in found]
    assert levels[0] == 1 and levels.count(1) == 1
    assert found[0][1].startswith(f"{path.stem[:2]} · ")
    assert all(after <= before + 1 for before, after in itertools.pairwise(levels))
    assert len(found) == len(set(found))


@lesson
def test_tells_its_length_first_and_closes_with_the_same_sections(path: Path) -> None:
    notebook = read_notebook(path)
    first = notebook.cells[0].source
    told = r"^\*Reading: about [1-9]\d* minutes\. (Exercises: about [1-9]\d* minutes\. )?You need: "
    assert re.search(told, first, flags=re.MULTILINE)
    sections = [title for level, title in headings(notebook) if level == 2]
    *before, last = [title for title in sections if title != ASIDE]
    assert before[-4:] == CLOSING
    assert last in LAST
    assert "https://fleuret.org/" in notebook.cells[-1].source


@lesson
def test_asks_of_earlier_lessons_first_and_ends_with_a_quiz_of_five(path: Path) -> None:
    number, cells = path.stem[:2], read_notebook(path).cells
    sources = [cell.source for cell in cells]
    assert (f'review("{number}")' in sources) == (number >= "02")
    at = sources.index(f'quiz("{number}")')
    assert sources[at - 1].startswith("## Quiz")
    assert len(quiz_of(number)) == 5


@lesson
def test_has_a_drawn_figure_and_a_typeset_formula(path: Path) -> None:
    texts = "\n".join(cell.source for cell in read_notebook(path).cells if cell.cell_type == "markdown")
    figures = re.findall(r"!\[([^\]]+)\]\((figures/[\w.]+)\)", texts)
    assert figures
    for told, figure in figures:
        assert len(told.split()) > 15, "the picture in words, for who does not see it"
        assert figure.startswith(f"figures/{path.stem[:2]}_")
        drawn = (path.parent / figure).read_text(encoding="utf-8")
        assert "<title>" in drawn and "viewBox" in drawn
    assert re.search(r"\$[^$\n]+\$", texts)


@lesson
def test_cell_ids_are_readable(path: Path) -> None:
    ids = [cell.id for cell in read_notebook(path).cells]
    assert len(ids) == len(set(ids))
    assert all(re.fullmatch(r"[a-z]+(-[a-z]+)*", id) for id in ids)


@lesson
def test_only_tagged_cells_use_the_course_own_tools(path: Path) -> None:
    for cell in code(read_notebook(path)):
        known = (*SWAPPED, *NEUTRAL, DATA) if is_data(cell) else (*SWAPPED, *NEUTRAL)
        rest = "\n".join(line for line in cell.source.splitlines() if not line.startswith(known))
        own = re.search(r"autograd_teach|\bviz\.|\b(predict|review|quiz|check)\(", rest)
        assert is_only_here(cell) or not own, cell.id
        assert not is_only_here(cell) or own or "numpy" in rest, f"{cell.id} needs no tag"
        assert not is_data(cell) or DATA in cell.source, f"{cell.id} needs no tag"


@lesson
def test_every_picture_is_also_told_in_words(path: Path) -> None:
    cells = read_notebook(path).cells
    for number, cell in enumerate(cells):
        if re.search(r"^viz\.|^plt\.show", cell.source, flags=re.MULTILINE):
            # Folded: what it tells may be what a question asks.
            told = cells[number + 1].source
            assert told.startswith("<details><summary>In words</summary>\n\n") and "\n\n</details>" in told, cell.id


@lesson
def test_every_picture_has_a_text_form_in_its_output(path: Path) -> None:
    for cell in code(read_notebook(path)):
        for output in cell.outputs:
            if "image/svg+xml" in output.get("data", {}):
                assert len(output.data["text/plain"].splitlines()) > 1, cell.id
                assert "<title" in output.data["image/svg+xml"] or "aria-label" in output.data["image/svg+xml"]


@lesson
def test_prints_no_machine_and_leaves_no_error_or_warning(path: Path) -> None:
    for cell in code(read_notebook(path)):
        for output in cell.outputs:
            assert output.output_type != "error", cell.id
            assert output.get("name") != "stderr", cell.id
        assert "Warning:" not in str(cell.outputs), cell.id


@pytest.mark.parametrize("path", LESSONS[:-1], ids=lambda path: path.stem)
def test_leads_to_its_exercises(path: Path) -> None:
    (section,) = (cell.source for cell in read_notebook(path).cells if cell.source.startswith("## Exercises"))
    assert f"](../exercises/{path.name})" in section
    lacking = [each.entry for each in exercises(path.stem) if f"`{each.entry}`" not in section]
    assert lacking == [], f"lessons/{path.name}, section 'Exercises', lacks {', '.join(lacking)}"
    assert exercises(path.stem)


@lesson
def test_nothing_below_a_question_betrays_its_answer(path: Path) -> None:
    cells = read_notebook(path).cells
    assert any(asked(cell) for cell in cells), "a lesson asks before it tells"
    assert [cell.id for cell in cells if cell.cell_type == "markdown" and "**Explanation" in cell.source] == []
    # The form of the code must not tell whether something is raised: `attempt` is for both.
    caught = [
        cell.id for cell in code(read_notebook(path)) if re.search(r"^\s*except ", cell.source, flags=re.MULTILINE)
    ]
    assert caught == []


def test_every_question_is_asked_by_exactly_one_cell_of_its_lesson_and_explained_by_itself() -> None:
    used = [(id, path.stem) for path in LESSONS for cell in code(read_notebook(path)) for id in asked(cell)]
    numbers = [number for number in lessons_with_questions() if number in {path.stem[:2] for path in LESSONS}]
    known = [question for number in numbers for question in asked_inside(number)]
    assert sorted(id for id, _ in used) == sorted(question.id for question in known)
    assert all(id.split(".")[0] == stem[:2] for id, stem in used)
    everything = [question for number in numbers for question in load_questions(number).values()]
    assert [q.id for q in everything if len(q.explanation.split()) < 8] == []
    assert [q.id for q in everything if sum(choice.right for choice in q.choices) != 1 or len(q.choices) < 3] == []
    assert [q.id for q in everything for choice in q.choices if not choice.why] == []


def gives_a_reason(option: str) -> bool:
    return bool(re.search(r": |\bbecause\b|\bsince\b|, so ", option))


def all_questions() -> list[Question]:
    return [question for number in lessons_with_questions() for question in load_questions(number).values()]


def test_no_right_option_is_told_by_its_form() -> None:
    """A reason in all options but the right one, or only in the right one, gives it away; so does its length, over all."""
    betrayed, shortest, longest = [], 0, 0
    for question in all_questions():
        reasons = [gives_a_reason(choice.text) for choice in question.choices]
        own = gives_a_reason(question.right.text)
        if reasons.count(own) == 1 and len(reasons) > 2:
            betrayed.append(question.id)
        lengths = sorted(len(choice.text) for choice in question.choices)
        shortest += len(question.right.text) == lengths[0] < lengths[1]
        longest += len(question.right.text) == lengths[-1] > lengths[-2]
    assert betrayed == []
    # By chance a third or a quarter.
    assert shortest / len(all_questions()) < 0.4
    assert longest / len(all_questions()) < 0.4


# ---- what a slider calls ------------------------------------------------------------------------------------------------


def code_of_lesson(path: Path) -> list[str]:
    """The sources of the code cells, without lines that are not Python."""
    return [re.sub(r"^[%!].*$", "", cell.source, flags=re.MULTILINE) for cell in code(read_notebook(path))]


def functions_of(source: str) -> dict[str, ast.AST]:
    return {node.name: node for node in ast.parse(source).body if isinstance(node, ast.FunctionDef | ast.ClassDef)}


def assigned_by(source: str) -> set[str]:
    """The global names that a cell assigns, also inside its functions with `global`."""

    def tables(one: symtable.SymbolTable) -> Iterator[symtable.SymbolTable]:
        yield one
        for child in one.get_children():
            yield from tables(child)

    top = symtable.symtable(source, "cell", "exec")
    own = {each.get_name() for each in top.get_symbols() if each.is_assigned() or each.is_imported()}
    return own | {
        each.get_name()
        for table in tables(top)
        for each in table.get_symbols()
        if each.is_declared_global() and each.is_assigned()
    }


def read_by(function: ast.AST, known: dict[str, ast.AST]) -> set[str]:
    """The global names that `function` reads when it is called, also in the functions of `known` that it calls."""

    def globals_of(table: symtable.SymbolTable) -> set[str]:
        own = {each.get_name() for each in table.get_symbols() if each.is_global() and each.is_referenced()}
        return own.union(*(globals_of(child) for child in table.get_children()))

    found: set[str] = set()
    waiting = [function]
    while waiting:
        table = symtable.symtable(ast.unparse(waiting.pop()), "function", "exec")
        new = set().union(*(globals_of(child) for child in table.get_children())) - found
        found |= new
        waiting += [known[name] for name in new if name in known]
    return found


def moved_by_a_slider(sources: list[str]) -> Iterator[tuple[int, set[str]]]:
    """For each function given to a view with sliders: the number of the cell, and the globals that it reads."""
    known: dict[str, ast.AST] = {}
    for number, source in enumerate(sources):
        known |= functions_of(source)
        for call in ast.walk(ast.parse(source)):
            is_view = isinstance(call, ast.Call) and ast.unparse(call.func) in ("viz.explore", "viz.live", "viz.play")
            if not is_view or not call.args:
                continue
            given = call.args[0]
            function = known.get(given.id) if isinstance(given, ast.Name) else given
            if isinstance(function, ast.Lambda | ast.FunctionDef):
                yield number, read_by(function, known)


def overwritten(sources: list[str]) -> list[tuple[int, str]]:
    """(cell, name): a view with sliders in the cell reads a global that a later cell assigns anew."""
    return [
        (number, name)
        for number, read in moved_by_a_slider(sources)
        for name in sorted(read & set().union(*map(assigned_by, sources[number + 1 :])))
    ]


@pytest.mark.parametrize(
    ("cells", "found"),
    [
        (["k = 2\ndef f(x):\n    return k * x\nviz.live(f, x=1)", "k = 3"], [(0, "k")]),
        (["k = 2\ndef f(x):\n    return k * x\nviz.live(f, x=1)", "print(k)"], []),
        (["k = 2\ndef g(x):\n    return k", "def f(x):\n    return g(x)\nviz.explore(f, x=1)", "k = 3"], [(1, "k")]),
        (["viz.play(lambda x: x * k, x=1)", "for k in range(3):\n    pass"], [(0, "k")]),
        (["viz.play(lambda x: x * k, x=1)", "def h():\n    global k\n    k = 1"], [(0, "k")]),
        (["viz.play(lambda x: x * k, x=1)", "def h():\n    k = 1\nlist(k for k in 'ab')"], []),
        (["def f(x):\n    k = 1\n    return [k for _ in x]\nviz.live(f, x=1)", "k = 3"], []),
        (["viz.play(y)", "y = 3"], []),
    ],
)
def test_which_names_a_slider_reads_after_they_were_assigned_anew(cells: list[str], found: list[Any]) -> None:
    assert overwritten(cells) == found


@lesson
def test_a_slider_still_works_after_the_cells_below_it(path: Path) -> None:
    assert overwritten(code_of_lesson(path)) == []
