"""How views show themselves: the forms for each front end, the layout engines in their order, files."""

import builtins
import json
import os
import shutil
import subprocess
import sys
import types
import xml.etree.ElementTree as ET

import pytest

from autograd_teach import viz
from autograd_teach.viz import layout
from tests.scripts import write_program

WIDGET = "application/vnd.jupyter.widget-view+json"


@pytest.fixture
def output(lib):
    x = lib.tensor([1.0, -2.0], requires_grad=True)
    return x.abs().sum()


@pytest.fixture
def kernel(monkeypatch):
    """A front end with a kernel, as far as a view can tell."""
    import IPython

    monkeypatch.setattr(IPython, "get_ipython", lambda: types.SimpleNamespace(kernel=object()))


def hide(monkeypatch, *modules):
    """As if these were not installed."""
    real = builtins.__import__

    def without(name, *rest):
        if name.partition(".")[0] in modules:
            raise ImportError(f"no {name} here")
        return real(name, *rest)

    for module in modules:
        for loaded in [name for name in sys.modules if name.partition(".")[0] == module]:
            monkeypatch.delitem(sys.modules, loaded)
    monkeypatch.setattr(builtins, "__import__", without)


@pytest.mark.parametrize("show", [viz.graph, viz.play])
def test_with_a_kernel_there_are_three_forms(output, kernel, show):
    bundle = show(output)._repr_mimebundle_()
    assert set(bundle) == {"text/plain", "image/svg+xml", WIDGET}
    assert bundle[WIDGET]["model_id"]


def test_the_widget_is_made_once_for_a_view(output, kernel):
    view = viz.graph(output)
    assert view._repr_mimebundle_()[WIDGET] == view._repr_mimebundle_()[WIDGET]


def test_without_a_kernel_there_is_no_widget(output):
    assert set(viz.graph(output)._repr_mimebundle_()) == {"text/plain", "image/svg+xml"}


def test_without_anywidget_picture_and_text_remain(output, kernel, monkeypatch):
    monkeypatch.delitem(sys.modules, "autograd_teach.viz.widget", raising=False)
    hide(monkeypatch, "anywidget", "ipywidgets")
    assert set(viz.graph(output)._repr_mimebundle_()) == {"text/plain", "image/svg+xml"}


def test_widget_state_can_be_sent(output, kernel):
    view = viz.play(output)
    json.dumps(view.widget.get_state(["view", "svg", "step"]), allow_nan=False)
    assert repr(view.widget).startswith("Widget('Autograd graph of ")


def pretend_dot(monkeypatch):
    """A `dot` on the path and a graphviz package that notes that it was asked."""
    asked = []

    class Source:
        def __init__(self, dot):
            self.dot = dot

        def pipe(self, format, quiet):
            asked.append(format)
            svg = b'<svg xmlns="http://www.w3.org/2000/svg" width="9pt" height="9pt" viewBox="0 0 9 9"><g id="n0" class="node"/></svg>'
            return svg

    fake = types.ModuleType("graphviz")
    fake.Source, fake.ExecutableNotFound, fake.CalledProcessError = (
        Source,
        FileNotFoundError,
        subprocess.CalledProcessError,
    )
    monkeypatch.setitem(sys.modules, "graphviz", fake)
    monkeypatch.setattr(shutil, "which", lambda name: "/usr/bin/dot" if name == "dot" else None)
    return asked


def test_first_engine_is_the_wheel(output, monkeypatch):
    pytest.importorskip("pygraphviz", reason="no pygraphviz wheel on this platform")
    asked = pretend_dot(monkeypatch)
    assert "SumBackward0" in viz.graph(output).svg
    assert asked == []


def test_second_engine_is_the_systems_dot(output, monkeypatch):
    asked = pretend_dot(monkeypatch)
    hide(monkeypatch, "pygraphviz")
    assert viz.graph(output).svg.startswith("<svg")
    assert asked == ["svg"]


@pytest.mark.skipif(os.name != "posix", reason="the program that stands for dot is a POSIX script")
def test_a_system_with_nothing_but_a_dot_program_gives_the_same_picture(output, monkeypatch, tmp_path, require_module):
    """A real program on a real path, in a process of its own; what it draws with matters to no one."""
    pytest.importorskip("pygraphviz", reason="nothing here to stand behind a dot program")
    require_module("graphviz")
    by_wheel = viz.graph(output).svg
    write_program(
        tmp_path / "dot",
        "import pygraphviz, sys\n"
        "assert sys.argv[1:] == ['-Kdot', '-Tsvg'], sys.argv\n"
        "sys.stdout.buffer.write(pygraphviz.AGraph(string=sys.stdin.read()).draw(format='svg', prog='dot'))\n",
    )
    hide(monkeypatch, "pygraphviz")
    monkeypatch.setenv("PATH", str(tmp_path))
    assert viz.graph(output).svg == by_wheel


def nothing_in_python(monkeypatch):
    hide(monkeypatch, "pygraphviz")
    monkeypatch.setattr(shutil, "which", lambda name: None)


def test_third_engine_is_the_browsers_and_the_kernel_sends_it_when_asked(output, kernel, monkeypatch):
    nothing_in_python(monkeypatch)
    view = viz.play(output)
    assert view.svg == ""
    assert view.data()["drawable"]
    sent = []
    monkeypatch.setattr(
        type(view.widget), "send", lambda widget, message, buffers=None: sent.append((message, buffers))
    )
    view.widget._handle_custom_msg({"type": "unfold", "id": "n0"}, [])
    assert sent == []
    view.widget._handle_custom_msg({"type": "engine"}, [])
    ((message, (code,)),) = sent
    assert message == {"type": "engine"}
    assert code.startswith(b"/*!\nViz.js")
    assert len(json.dumps(view.widget.get_state(["view", "svg", "step"]))) < 20_000, "it is no part of the state"


def test_fourth_is_the_text_where_the_file_for_the_browser_is_gone_too(output, kernel, monkeypatch, tmp_path):
    nothing_in_python(monkeypatch)
    monkeypatch.setattr(layout, "files", lambda package: tmp_path)
    view = viz.graph(output)
    sent = []
    monkeypatch.setattr(type(view.widget), "send", lambda widget, message, buffers=None: sent.append(message))
    view.widget._handle_custom_msg({"type": "engine"}, [])
    assert sent == [{"type": "engine", "error": "Graphviz is not in this installation: No such file or directory"}]
    assert view.text in viz.save(view, tmp_path / "graph.html").read_text(encoding="utf-8")


def test_a_widget_shows_another_picture_with_one_message(output, kernel, monkeypatch):
    first, then = viz.graph(output), viz.play(output)
    widget = first.widget
    widget.step = 2
    sent = []
    monkeypatch.setattr(type(widget), "send_state", lambda widget, key=None: sent.append(set(key)))
    widget.show(then.svg, then.data())
    assert sent == [{"svg", "view", "step"}]
    assert (widget.svg, widget.view["kind"], widget.step) == (then.svg, "play", 0)


def test_without_engines_the_text_tree_is_what_is_shown(output, kernel, monkeypatch):
    nothing_in_python(monkeypatch)
    view = viz.graph(output)
    bundle = view._repr_mimebundle_()
    assert set(bundle) == {"text/plain", WIDGET}
    assert view.data()["text"] == repr(view)
    assert view.data()["dot"] == view.dot, "for the layout in the browser"


def test_layout_writes_nothing_to_stderr(output, capfd):
    assert viz.graph(output).svg
    assert capfd.readouterr().err == ""


def test_quiet_stderr_silences_what_a_library_writes_and_gives_stderr_back(capfd):
    with layout.quiet_stderr():
        os.write(2, b"a warning of Fontconfig")
    os.write(2, b"mine")
    assert capfd.readouterr().err == "mine"


def test_static_picture_is_scoped_described_and_has_a_dark_form(output):
    view = viz.graph(output)
    root = ET.fromstring(view.svg)
    assert root.get("class") == "agt-static"
    assert root.get("aria-label") == "Autograd graph of output: 2 operations, 1 leaf: unnamed leaf."
    assert "prefers-color-scheme: dark" in view.svg
    titles = [title.text for title in root.iter("{http://www.w3.org/2000/svg}title")]
    assert any(title.startswith("unnamed leaf, a leaf (AccumulateGrad)\nshape: (2), float32") for title in titles)


def test_every_node_and_edge_of_the_data_is_in_the_picture(output):
    view = viz.play(output)
    ids = [group.get("id") for group in ET.fromstring(view.svg).iter("{http://www.w3.org/2000/svg}g")]
    assert {n["id"] for n in view.data()["nodes"]} <= set(ids)
    assert {e[0] for e in view.data()["edges"]} <= set(ids)


def test_a_notebook_exported_to_html_shows_the_picture_offline(output, kernel):
    """nbconvert must prefer the SVG to a widget that has no state saved."""
    nbformat, nbconvert = pytest.importorskip("nbformat"), pytest.importorskip("nbconvert")
    bundle = viz.graph(output)._repr_mimebundle_()
    shown = nbformat.v4.new_output("execute_result", bundle, execution_count=1)
    notebook = nbformat.v4.new_notebook(
        cells=[nbformat.v4.new_code_cell("viz.graph(y)", outputs=[shown], execution_count=1)]
    )
    html, _ = nbconvert.HTMLExporter().from_notebook_node(notebook)
    assert "data:image/svg+xml;base64," in html or "agt-static" in html
    assert bundle[WIDGET]["model_id"] not in html


@pytest.mark.full
def test_a_notebook_in_ipython_holds_all_forms_and_no_stderr(tmp_path):
    """A real kernel: what a lesson's cell stores. JupyterLab's is looked at in tests/browser."""
    nbformat, nbclient = pytest.importorskip("nbformat"), pytest.importorskip("nbclient")
    source = (
        "import autograd_teach as torch\nfrom autograd_teach import viz\n"
        "x = torch.tensor([1.0, -2.0], requires_grad=True)\ny = x.abs().sum()\nviz.graph(y)"
    )
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source)])
    nbclient.NotebookClient(notebook, timeout=None, startup_timeout=300, store_widget_state=False).execute()
    (only,) = notebook.cells[0].outputs
    assert set(only.data) == {"text/plain", "image/svg+xml", WIDGET}
    assert only.data["text/plain"].startswith("output y, shape (), 3\n└─ SumBackward0")


@pytest.mark.parametrize("ending", ["svg", "dot", "png", "pdf", "html"])
def test_save_writes_the_kind_of_file_that_its_name_says(output, tmp_path, ending):
    starts = {
        "svg": b"<svg",
        "dot": b"digraph",
        "png": b"\x89PNG",
        "pdf": b"%PDF",
        "html": b"<!doctype html>",
    }
    path = viz.save(output, tmp_path / f"graph.{ending}")
    assert path.read_bytes().startswith(starts[ending])
    assert [p.name for p in tmp_path.iterdir()] == [f"graph.{ending}"]


def test_save_takes_a_view_too_and_replaces_a_file_whole(output, tmp_path):
    path = tmp_path / "graph.dot"
    path.write_text("old")
    viz.save(viz.play(output), path)
    assert 'label="1. SumBackward0' in path.read_text()


@pytest.mark.parametrize("name", ["graph.jpg", "graph"])
def test_save_refuses_other_endings(output, tmp_path, name):
    with pytest.raises(ValueError, match="unknown file type 'graph.* the name must end in .svg, .dot"):
        viz.save(output, tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_save_says_what_to_install_where_nothing_can_draw(output, tmp_path, monkeypatch):
    monkeypatch.setattr(layout, "ENGINES", [])
    for ending in ("svg", "png"):
        with pytest.raises(ValueError, match="pip install pygraphviz"):
            viz.save(output, tmp_path / f"graph.{ending}")


def test_save_has_nothing_to_save_without_a_graph(tmp_path):
    with pytest.raises(ValueError, match="Nothing to draw for a float"):
        viz.save(3.0, tmp_path / "graph.svg")


def test_to_graphviz_gives_a_source_of_the_same_text(output):
    graphviz = pytest.importorskip("graphviz", reason="the graphviz package is not installed")
    source = viz.to_graphviz(output)
    assert isinstance(source, graphviz.Source)
    assert source.source == viz.to_dot(output)


def test_a_failing_save_leaves_the_old_file(output, tmp_path, monkeypatch):
    path = tmp_path / "graph.dot"
    path.write_text("old")
    monkeypatch.setattr("os.replace", lambda *_: (_ for _ in ()).throw(OSError("disk full")))
    with pytest.raises(OSError, match="disk full"):
        viz.save(output, path)
    assert path.read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["graph.dot"]


# ---- views of a function say so if they get something else -------------------------------------------------------------

NO_FUNCTIONS = {
    "a tensor of shape ()": lambda lib: lib.tensor(2.0, requires_grad=True) * 3,
    "None": lambda lib: None,
    "'f'": lambda lib: "f",
    "3": lambda lib: 3,
    "[2.0]": lambda lib: [2.0],
}
OF_A_FUNCTION = {
    "live": ("viz.live needs a function, not {}: write viz.live(f, a=2.0)", lambda f, x: viz.live(f)),
    "live with values": (
        "viz.live needs a function, not {}: write viz.live(f, a=2.0)",
        lambda f, x: viz.live(f, a=2.0),
    ),
    "explore": ("Nothing to explore: give a function, not {}.", lambda f, x: viz.explore(f, k=(1, 6))),
    "jacobian": ("Nothing to check: give a function, not {}.", viz.jacobian),
    "gradcheck_eps": ("Nothing to check: give a function, not {}.", viz.gradcheck_eps),
}


@pytest.mark.parametrize("given", NO_FUNCTIONS)
@pytest.mark.parametrize("view", OF_A_FUNCTION)
def test_a_view_of_a_function_says_that_it_needs_one(lib, view, given):
    said, call = OF_A_FUNCTION[view]
    text = repr(call(NO_FUNCTIONS[given](lib), lib.tensor([2.0], requires_grad=True)))
    assert said.format(given) in text
    assert "callable" not in text
    instead = "or viz.play(loss) for the backward pass of a tensor"
    assert (instead in text) == (view.startswith("live") and given.startswith("a tensor"))
