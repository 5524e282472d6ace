"""The way a student takes: `autograd-teach lab`, a browser, notebooks run, graphs looked at, an exercise solved.

One real server for JupyterLab and Notebook 7, and one headless Chromium. Everything the pages ask for must come from this
machine. With AUTOGRAD_TEACH_SCREENSHOTS=FOLDER the pictures are kept for someone to look at.
"""

import json
import re
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import nbconvert
import pytest

from autograd_teach.course import progress_file
from autograd_teach.course.exercises import exercises
from autograd_teach.course.home import PAGE
from autograd_teach.course.syllabus import syllabus
from tests.browser import jupyter
from tests.browser.jupyter import Lab, Pages, keep, menu, panel, view_with, wait_until

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator, Page

FRONT_ENDS = ["lab", pytest.param("notebook", marks=pytest.mark.full)]
LESSON = "lessons/03_the_graph.ipynb"
WIDGET = "application/vnd.jupyter.widget-view+json"
DRAW = """
import autograd_teach as torch
from autograd_teach import viz
x = torch.tensor([1.0, 2.0], requires_grad=True)
y = (x * x).sum()
"""
NO_GRAPHVIZ = """
import os, sys
sys.modules["pygraphviz"] = None
os.environ["PATH"] = ""
"""


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    lab = Lab(tmp_path_factory.mktemp("lab"))
    yield lab
    status, log = lab.stop()
    assert status == 0, log


@pytest.fixture(scope="module")
def kept_pages(lab: Lab, browser: "Browser") -> Pages:
    lab.wait_until_answering()
    return Pages(browser, lab)


@pytest.fixture
def pages(kept_pages: Pages, request: pytest.FixtureRequest) -> Iterator[Pages]:
    """JupyterLab's pages. After a test that fails the next one begins with new ones."""
    failed = request.session.testsfailed
    kept_pages.observed.clear()
    yield kept_pages
    if request.session.testsfailed > failed:
        kept_pages.close()


def assert_clean(pages: Pages, known: tuple[str, ...] = ()) -> None:
    """Nothing went wrong on the pages, but for what is known, and nothing was asked of another machine."""
    problems = [problem for problem in pages.observed.problems if not re.search(jupyter.FONT_OF_BOTH, problem)]
    assert [problem for problem in problems if problem not in known] == []
    assert pages.observed.hosts() == {"127.0.0.1"}


def known_of(front_end: str) -> tuple[str, ...]:
    return jupyter.NOTEBOOK_7S_OWN if front_end == "notebook" else ()


def test_the_course_opens_at_its_home_page_and_leads_to_the_lessons(lab: Lab, pages: Pages):
    page = pages.page()
    page.goto(lab.url())
    wait_until(page, lambda: lab.has_kernel(PAGE))
    page.locator(".lm-TabBar-tab.lm-mod-current", has_text=PAGE).first.wait_for()
    table = panel(page).locator(".jp-OutputArea table")
    assert table.locator("tbody tr").count() == len(syllabus()), "before anything ran"
    keep(page, "home.png")
    panel(page).locator(".jp-OutputArea strong a", has_text="lesson 00").click()
    page.locator(".lm-TabBar-tab.lm-mod-current", has_text="00_start_here.ipynb").first.wait_for()
    assert_clean(pages)


def test_notebooks_run_on_this_very_python(lab: Lab, pages: Pages):
    known = lab.ask("kernelspecs")
    assert known["default"] == "python3"
    resources = known["kernelspecs"]["python3"]
    assert resources["spec"]["argv"][0] in ("python", sys.executable)


# ---- graphs and players -----------------------------------------------------------------------------------------------


def test_a_graph_and_a_player_answer(lab: Lab, pages: Pages):
    name = "views.ipynb"
    lab.write(name, f"{DRAW}viz.graph(y)", "viz.play(y)")
    page = pages.open(name)
    pages.run_all_and_save(page, name)
    for cell in jupyter.code_cells(lab.saved(name)):
        (only,) = cell["outputs"]  # nothing on stderr
        assert set(only["data"]) == {"text/plain", "image/svg+xml", WIDGET}
    step_forward_and_back(view_with(page, ".agt-transport"))
    keep(page, "player.png")
    point_at_each_node(view_with(page, ".agt-node"))
    keep(page, "graph.png")
    assert_clean(pages)


@pytest.mark.full
@pytest.mark.parametrize("front_end", ["lab", "notebook"])
def test_lesson_03_runs_and_its_graphs_answer(
    lab: Lab, pages: Pages, front_end: str, require_module: Callable[[str], Any]
):
    require_module({"lab": "jupyterlab", "notebook": "notebook"}[front_end])
    lesson = f"lessons/{front_end}.ipynb"  # each with a kernel of its own
    shutil.copy(lab.folder / LESSON, lab.folder / lesson)
    page = pages.open(lesson, front_end)
    pages.run_all_and_save(page, lesson)
    point_at_each_node(view_with(page, ".agt-node"))
    keep(page, f"lesson-03-graph-{front_end}.png")
    step_forward_and_back(player := view_with(page, ".agt-transport"))
    player.locator(".agt-stage").scroll_into_view_if_needed()
    keep(page, f"lesson-03-player-{front_end}.png")
    assert_clean(pages, known_of(front_end))


def point_at_each_node(graph: "Locator") -> None:
    """And see what is told of it."""
    told = graph.locator(".agt-details")
    assert graph.locator(".agt-node").count() >= 3
    for node in graph.locator(".agt-node").all():
        node.hover()
        title, facts = told.get_by_role("heading").inner_text(), told.inner_text()
        assert (node.get_attribute("aria-label") or "").startswith(f"{title}, ")
        assert re.search(r"shape\s+\(.*\)", facts), facts


def step_forward_and_back(player: "Locator") -> None:
    """Three steps of the backward pass, and one back."""
    caption = player.locator(".agt-caption")
    captions = [caption.inner_text()]
    for _ in range(3):
        player.get_by_role("button", name="forward").click()
        captions.append(caption.inner_text())
    assert len(set(captions)) == 4, captions
    player.get_by_role("button", name="back").click()
    assert caption.inner_text() == captions[2]


@pytest.mark.full
def test_where_python_has_no_graphviz_the_browser_draws(lab: Lab, pages: Pages):
    """And a view that is given another picture by its kernel draws that one, and leaves its neighbour alone."""
    name = "no-graphviz.ipynb"
    size = "print(max(len(json.dumps(v.widget.get_state(['view', 'svg']))) for v in (graph, play)))"
    start = f"{NO_GRAPHVIZ}{DRAW}import json\ngraph, play = viz.graph(y), viz.play(y)\n{size}"
    lab.write(name, start, "graph", "play", "again = viz.graph(y)\nagain", "again.widget.show('', play.data())")
    page = pages.open(name)
    pages.run_all_and_save(page, name)
    outputs = [cell["outputs"] for cell in jupyter.code_cells(lab.saved(name))]
    assert int(outputs[0][0]["text"]) < 10_000, "Graphviz is sent, not kept in the state"
    assert "image/svg+xml" not in outputs[1][0]["data"]

    graph = view_with(page, ".agt-legend")
    graph.locator(".agt-node").first.wait_for()
    assert graph.locator(".agt-node").count() == 4
    players = panel(page).locator(".jp-OutputArea .agt-play-view")
    wait_until(page, lambda: players.count() == 2)
    players.last.get_by_role("button", name="last").click()
    ends = "Step 3 of 3: AccumulateGrad of x runs"
    assert players.last.locator(".agt-caption").inner_text().startswith(ends)
    assert players.first.locator(".agt-caption").inner_text().startswith("Before the start")
    keep(page, "drawn-by-the-browser.png")
    assert_clean(pages)


LOOP = """
import autograd_teach as torch
from autograd_teach import viz
w, y = torch.tensor(0.5, requires_grad=True), torch.tensor(1.0)
for _ in range(200):
    y = (y * w).tanh()
viz.graph(y)
"""


@pytest.mark.full
def test_a_folded_loop_opens_on_a_click_and_folds_again(lab: Lab, pages: Pages):
    name = "loop.ipynb"
    lab.write(name, LOOP)
    page = pages.open(name)
    pages.run_all_and_save(page, name)
    view = view_with(page, ".agt-unfolds")
    nodes = view.locator(".agt-node")
    before = nodes.count()
    assert before < 12
    keep(page, "folded-loop.png")
    view.locator(".agt-unfolds").click()
    wait_until(page, lambda: nodes.count() > before)
    keep(page, "unfolded-loop.png")
    view.get_by_role("button", name="fold everything again").click()
    wait_until(page, lambda: nodes.count() == before)
    assert_clean(pages)


@pytest.mark.full
def test_a_saved_notebook_opened_again_shows_its_pictures(
    lab: Lab, pages: Pages, tmp_path: Path, require_module: Callable[[str], Any]
):
    require_module("notebook")
    name = "saved.ipynb"
    lab.write(name, DRAW + "viz.graph(y)", "viz.play(y)", NO_GRAPHVIZ + "viz.graph(y)")
    page = pages.open(name)
    pages.run_all_and_save(page, name)
    menu(page, "Kernel", "Shut Down Kernel")
    wait_until(page, lambda: not lab.has_kernel(name))
    assert_clean(pages)

    for front_end in ("lab", "notebook"):
        page = pages.open(name, front_end, afresh=True)
        saved = panel(page).locator(".agt-saved")
        wait_until(page, lambda saved=saved: saved.count() == 3)
        widths = "(all) => Promise.all(all.map((image) => image.decode().then(() => image.naturalWidth)))"
        found = saved.locator("img").evaluate_all(widths)
        assert len(found) == 2
        assert min(found) > 100
        assert "MulBackward0" in saved.nth(2).locator("pre").text_content()  # also where it is scrolled out of sight
        assert page.get_by_text("Error displaying widget").count() == 0
        keep(page, f"opened-again-{front_end}.png")

    html, _ = nbconvert.HTMLExporter().from_filename(str(lab.folder / name))
    (tmp_path / "small.html").write_text(html, encoding="utf-8")
    page.context.set_offline(True)
    try:
        page.goto((tmp_path / "small.html").as_uri())
        pictures = page.locator(".jp-OutputArea-output :is(img, svg.agt-static)")
        assert pictures.count() == 2
        for picture in pictures.all():
            box = picture.bounding_box()
            assert box and box["width"] > 100 and box["height"] > 200
        assert "MulBackward0" in page.locator(".jp-OutputArea-output pre").last.inner_text()
        keep(page, "exported.png")
    finally:
        page.context.set_offline(False)


# ---- questions --------------------------------------------------------------------------------------------------------

QUESTIONS = "from autograd_teach.course.predict import predict, review"
OF_THIS_KERNEL = """
from dataclasses import replace
from autograd_teach.course.question import load_questions
load_questions("01")["odd"] = replace(load_questions("01")["leaf"], id="01.odd")
"""
LOST = "Error displaying widget"


@pytest.mark.full
@pytest.mark.parametrize("front_end", FRONT_ENDS)
def test_a_question_opened_again_has_its_answer(
    lab: Lab, pages: Pages, front_end: str, require_module: Callable[[str], Any]
):
    require_module({"lab": "jupyterlab", "notebook": "notebook"}[front_end])
    name = f"questions-{front_end}/asked.ipynb"  # in a folder of its own: the progress file is beside it
    (lab.folder / name).parent.mkdir()
    lab.write(name, QUESTIONS, 'predict("01.leaf")', 'review("05")', f'{OF_THIS_KERNEL}predict("01.odd")')
    page = pages.open(name, front_end)
    pages.run_all_and_save(page, name)
    question = panel(page).locator(".agt-predict").first
    question.locator("label", has=page.locator("b:text-is('a')")).click()
    question.get_by_text("certain").click()
    question.get_by_role("button", name="Check my prediction").click()
    assert "Not so. (a)" in question.get_by_role("status").inner_text()
    stored = lab.folder / name
    wait_until(page, lambda: stored.with_name(progress_file.NAME).is_file())
    assert progress_file.predictions(stored.parent)["01.leaf"]["sure"] == 3
    assert_run_keys_work_in_a_question(page, front_end)
    menu(page, "Kernel", "Shut Down Kernel")
    wait_until(page, lambda: not lab.has_kernel(name))
    assert_clean(pages, known_of(front_end))

    page = pages.open(name, front_end, afresh=True)  # with a new kernel, which has run nothing
    wait_until(page, lambda: panel(page).locator(".agt-predict").count() == 2)
    assert "Not so. (a)" in panel(page).locator(".agt-predict").first.get_by_role("status").inner_text()
    assert panel(page).locator(".agt-predict-place").inner_text().startswith("Question 1 of 3, from lesson ")
    assert page.get_by_text(LOST).count() == 0
    text = panel(page).locator(".agt-saved")  # what a new kernel does not know stays as it was saved
    assert "Run this cell to pick an answer" in text.inner_text()
    assert text.locator("details").count() == 1
    assert not text.locator("details").evaluate("(fold) => fold.open")
    keep(page, f"questions-again-{front_end}.png")


def assert_run_keys_work_in_a_question(page: "Page", front_end: str) -> None:
    """After an answer to the first question, in the second cell of the notebook, with the focus on its button."""
    cells = panel(page).locator(".jp-Cell")
    prompt, question = cells.nth(1).locator(".jp-InputPrompt"), cells.nth(1).locator(".agt-predict")
    counts = [prompt.inner_text()]

    def has_run() -> bool:
        now = prompt.inner_text()
        return now not in counts and any(digit in now for digit in "0123456789")

    def active() -> "list[int]":
        return [n for n in range(cells.count()) if "jp-mod-active" in str(cells.nth(n).get_attribute("class"))]

    assert page.evaluate("() => document.activeElement.className") == "agt-predict-check"
    for keys, next_one in (("Shift+Enter", 2), ("Control+Enter", 1)):
        page.keyboard.press(keys)
        wait_until(page, lambda: has_run() and "Not so. (a)" in question.get_by_role("status").inner_text())
        wait_until(page, lambda next_one=next_one: active() == [next_one])
        counts.append(prompt.inner_text())
        question.get_by_role("radio").first.focus()

    question.locator("label", has=page.locator("b:text-is('c')")).click()
    page.keyboard.press("Shift+Enter")
    assert "Not so. (c)" in question.get_by_role("status").inner_text(), "what was picked is checked before"
    assert not has_run()
    keep(page, f"question-run-keys-{front_end}.png")
    page.keyboard.press("Shift+Enter")
    wait_until(page, lambda: active() == [2])
    question.locator("label", has=page.locator("b:text-is('a')")).click()
    question.locator(".agt-predict-check").click()


@pytest.mark.full
def test_a_link_in_a_question_opens_its_notebook_beside_this_one(lab: Lab, pages: Pages):
    name = "lessons/linked.ipynb"
    lab.write(name, QUESTIONS, 'review("02")')
    page = pages.open(name)
    pages.run_all_and_save(page, name)
    for _ in range(3):
        panel(page).get_by_role("button", name="I don't know").locator("visible=true").click()
        panel(page).locator(".agt-predict-steps button").last.click()
    panel(page).locator(".agt-predict-summary a").first.click()
    page.locator(".lm-TabBar-tab.lm-mod-current", has_text="00_start_here.ipynb").first.wait_for()
    assert page.url.endswith("00_start_here.ipynb")
    assert_clean(pages)


# ---- the glossary -----------------------------------------------------------------------------------------------------


@pytest.mark.full
def test_a_word_in_a_lesson_leads_to_its_entry_in_the_glossary(pages: Pages):
    """Notebook 7 forgets the heading when it opens a notebook in a tab of its own: there, it is the glossary's beginning."""
    page = pages.open("lessons/01_requires_grad.ipynb")
    colour = "(node) => getComputedStyle(node).color"
    code = panel(page).locator(".jp-RenderedMarkdown p > a > code").first  # the text of a link
    assert code.evaluate(colour) == code.locator("..").evaluate(colour) != code.locator("../..").evaluate(colour)
    link = panel(page).locator(".jp-RenderedMarkdown a", has_text=re.compile("^leaf$")).first
    frame = panel(page).locator(".jp-WindowedPanel-outer")

    def is_found() -> bool:  # a page has the cells that are near the reader's eyes, no others
        frame.evaluate("(frame) => { frame.scrollTop += 400 }")
        return link.count() > 0

    wait_until(page, is_found)
    link.click()
    heading = panel(page).locator("h2[data-jupyter-id=leaf]")
    heading.wait_for()

    def is_in_view() -> bool:
        around, box = frame.bounding_box(), heading.bounding_box()
        return bool(around and box and around["y"] <= box["y"] < around["y"] + around["height"] - box["height"])

    wait_until(page, is_in_view)
    assert frame.evaluate("(frame) => frame.scrollTop") > 0
    keep(page, "glossary.png")
    assert_clean(pages)


# ---- an exercise ------------------------------------------------------------------------------------------------------

# Without its statement, which has a formula: a server that has sent a font to JupyterLab refuses the same to Notebook 7.
CELLS = ("setup", "scale-answer", "scale-check", "progress")
ANSWER = """
class Scale(Function):
    @staticmethod
    def forward(ctx, x, factor):
        ctx.factor = factor
        return x * factor

    @staticmethod
    def backward(ctx, grad_output):
        return {}, None
"""
WRONG, RIGHT = (ANSWER.strip().format(each) for each in ("-grad_output * ctx.factor", "grad_output * ctx.factor"))


@pytest.mark.parametrize("front_end", FRONT_ENDS)
def test_an_exercise_from_a_wrong_answer_to_a_kept_result(
    lab: Lab, pages: Pages, front_end: str, require_module: Callable[[str], Any]
):
    require_module({"lab": "jupyterlab", "notebook": "notebook"}[front_end])
    name = f"exercises-{front_end}/scale.ipynb"  # in a folder of its own: the progress file is beside it
    notebook = json.loads((lab.folder / "exercises/09_custom_functions.ipynb").read_text(encoding="utf-8"))
    notebook["cells"] = [cell for cell in notebook["cells"] if cell["id"] in CELLS]
    (lab.folder / name).parent.mkdir()
    (lab.folder / name).write_text(json.dumps(notebook), encoding="utf-8")
    page = pages.open(name, front_end)
    setup, answer, check, progress = (panel(page).locator(".jp-Cell").nth(place) for place in range(len(CELLS)))

    run(page, setup)
    run(page, answer)
    run(page, check, "Scale: not attempted yet (2 points)")

    solve(page, answer, WRONG)
    run(page, check, "NotPassed: Scale: 6 of 7 checks pass")
    assert "it has the wrong sign" in check.locator(".agt-say").inner_text()
    assert check.locator("path.agt-wrong:visible").count() > 0
    assert check.locator(".agt-maps text").first.text_content() == "The Jacobian with respect to x"
    assert output(check).rstrip().splitlines()[-1].startswith("NotPassed: Scale: 6 of 7 checks pass")
    assert "Traceback" not in output(check)

    hints = check.locator(".agt-hint > p:visible")
    assert hints.count() == 0
    for number, label in enumerate(("Show a hint", "Show the next hint"), 1):
        check.get_by_text(label, exact=True).first.click()
        assert hints.count() == number
    keep(page, f"exercise-wrong-{front_end}.png")

    solve(page, answer, RIGHT)
    run(page, check, "Scale: 7 of 7 checks pass")
    assert check.locator(".agt-passed .agt-head").inner_text() == "Scale: 7 of 7 checks pass (2 points)"
    assert check.locator(".agt-say, .agt-hint, .jp-OutputArea-output[data-mime-type*=error]").count() == 0
    keep(page, f"exercise-right-{front_end}.png")

    menu(page, "Kernel", "Restart Kernel…")
    with page.expect_response(lambda answer: "/restart" in answer.url):
        page.get_by_role("button", name="Confirm Kernel Restart").click()
    run(page, check, "NameError")  # a new kernel: it knows nothing
    run(page, setup)
    run(page, progress, f"2 of {sum(each.points for each in exercises('09'))} points")
    row = progress.locator("tr", has_text="09.Scale")
    assert "✓ passed" in row.inner_text() and "2 of 2" in row.inner_text()
    assert_clean(pages, known_of(front_end))


def solve(page: "Page", cell: "Locator", source: str) -> None:
    """Write this in the cell's place, and run it."""
    cell.locator(".cm-content").click()
    page.keyboard.press("ControlOrMeta+a")
    page.keyboard.insert_text(source)
    run(page, cell)


def run(page: "Page", cell: "Locator", until: str = "") -> None:
    """Run the cell and wait until it has: its number is a new one, and its output has these words."""
    prompt = cell.locator(".jp-InputPrompt")
    before = prompt.inner_text()
    cell.locator(".cm-content").click()
    page.keyboard.press("ControlOrMeta+Enter")

    def has_run() -> bool:
        now = prompt.inner_text()
        return any(digit in now for digit in "0123456789") and (now != before or until != "") and until in output(cell)

    wait_until(page, has_run)


def output(cell: "Locator") -> str:
    return "\n".join(cell.locator(".jp-OutputArea-output").all_inner_texts())
