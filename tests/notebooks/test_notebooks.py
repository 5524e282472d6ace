"""Notebook files: reading says what is wrong, writing loses nothing, the canonical form is stable."""

import copy
import json
import os
from collections.abc import Callable
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from autograd_teach.course import notebooks, progress_file
from autograd_teach.course.errors import UserError
from autograd_teach.course.notebooks import (
    canonical,
    canonicalise,
    execute,
    read_notebook,
    write_notebook,
)


def notebook_of(*sources: str, tags: tuple[str, ...] = ()) -> nbformat.NotebookNode:
    cells = [new_code_cell(source, id=f"cell-{n}", metadata={"tags": list(tags)}) for n, source in enumerate(sources)]
    return new_notebook(cells=[new_markdown_cell("# Title", id="title"), *cells])


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (None, "There is no notebook"),
        ("{", "its JSON is broken"),
        ("[" * 200_000, "its JSON is broken"),
        ("\udcff", "its JSON is broken"),
        ("[]", "is not a notebook"),
        ('{"cells": []}', "is not a notebook"),
        ('{"nbformat": 3, "worksheets": []}', "has notebook format 3, 4 is needed"),
        ('{"nbformat": 4, "nbformat_minor": 5, "metadata": {}}', "is not a valid notebook"),
        (
            '{"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [7]}',
            "is not a valid notebook",
        ),
        (
            '{"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [{"cell_type": "x"}]}',
            "is not a valid",
        ),
    ],
)
def test_reading_what_is_no_notebook_says_so_in_one_line(tmp_path: Path, content: str | None, says: str) -> None:
    path = tmp_path / "some.ipynb"
    if content is not None:
        path.write_bytes(content.encode("utf-8", "surrogateescape"))
    with pytest.raises(UserError, match=says) as caught:
        read_notebook(path)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_notebook_without_cell_ids_is_read_and_gets_stable_ones(tmp_path: Path) -> None:
    path = tmp_path / "old.ipynb"
    old = {"cell_type": "markdown", "metadata": {}, "source": ["a"]}
    path.write_text(json.dumps({"nbformat": 4, "nbformat_minor": 2, "metadata": {}, "cells": [old, old]}))
    assert [cell.id for cell in read_notebook(path).cells] == ["cell-1", "cell-2"]


def test_what_was_written_is_read_back(tmp_path: Path) -> None:
    path = tmp_path / "new.ipynb"
    written = notebook_of("print('ä')")
    write_notebook(path, written)
    assert read_notebook(path) == written
    assert path.read_bytes().endswith(b"}\n") and b"\r" not in path.read_bytes()
    assert os.listdir(tmp_path) == ["new.ipynb"]


def test_a_failed_write_keeps_the_old_file_and_leaves_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "kept.ipynb"
    path.write_text("precious")

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(UserError, match="No space left on device.*nothing was changed"):
        write_notebook(path, notebook_of("1"))
    assert path.read_text() == "precious"
    assert os.listdir(tmp_path) == ["kept.ipynb"]


def test_canonical_form_drops_what_belongs_to_one_run_or_machine() -> None:
    untidy = notebook_of("show()", "1", tags=("autograd-teach-only",))
    untidy.metadata = {
        "kernelspec": {"name": "my-env", "display_name": "mine"},
        "widgets": {"state": 1},
        "author": "me",
    }
    first, second = untidy.cells[1:]
    first.execution_count, second.execution_count = 41, 7
    first.metadata.update(execution={"iopub.execute_input": "2026"}, collapsed=True, nbgrader={"grade": True})
    data = {
        "text/plain": "graph",
        "image/svg+xml": "<svg/>",
        "application/vnd.jupyter.widget-view+json": {"model_id": "1"},
    }
    first.outputs = [
        new_output("stream", name="stdout", text="a"),
        new_output("stream", name="stdout", text="b"),
        new_output("execute_result", data=data, metadata={"isolated": True}, execution_count=41),
        new_output("error", ename="ValueError", evalue="no", traceback=["/home/me/x.py", "line"]),
    ]
    tidy = canonical(untidy)
    assert tidy.metadata.keys() == {"kernelspec", "language_info"}
    assert tidy.metadata.kernelspec.name == "python3"
    assert tidy.metadata.language_info == {"name": "python"}
    assert [cell.id for cell in tidy.cells] == ["title", "cell-0", "cell-1"]
    assert [cell.execution_count for cell in tidy.cells[1:]] == [1, 2]
    assert tidy.cells[1].metadata == {"tags": ["autograd-teach-only"], "nbgrader": {"grade": True}}
    stream, result, error = tidy.cells[1].outputs
    assert stream.text == "ab"
    assert result.data == {"text/plain": "graph", "image/svg+xml": "<svg/>"} and result.metadata == {}
    assert error.traceback == ["ValueError: no"]
    assert canonical(tidy) == tidy
    assert first.execution_count == 41, "the given notebook is left alone"


@pytest.mark.parametrize("text", ["<object at 0x7f57ac7a7360>", "/home/me/a.py", "at /tmp/x", r"C:\Users\me"])
def test_output_that_names_a_machine_is_refused(text: str) -> None:
    told = notebook_of("print(secret)")
    told.cells[1].outputs = [new_output("stream", name="stdout", text=text)]
    with pytest.raises(UserError, match="Cell 'cell-0' shows"):
        canonical(told)


@pytest.mark.parametrize("text", ["tensor([0.5])", "a / b", "and/or", "https://pytorch.org/docs/home/x", "0x1F"])
def test_ordinary_output_is_not_mistaken_for_a_path(text: str) -> None:
    told = notebook_of("print(text)")
    told.cells[1].outputs = [new_output("stream", name="stdout", text=text)]
    assert canonical(told).cells[1].outputs[0].text == text


def as_if_run(notebook: nbformat.NotebookNode, *_: object) -> nbformat.NotebookNode:
    """What `execute` gives for the notebook of the next test, without a kernel."""
    ran = copy.deepcopy(notebook)
    ran.cells[1].outputs = [new_output("stream", name="stdout", text="2\n")]
    ran.cells[2].outputs = [new_output("execute_result", data={"text/plain": "3"}, execution_count=2)]
    return ran


@pytest.mark.parametrize("run", [as_if_run, pytest.param(execute, marks=pytest.mark.full)])
def test_canonicalise_runs_writes_and_then_finds_nothing_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Callable[..., nbformat.NotebookNode]
) -> None:
    monkeypatch.setattr(notebooks, "execute", run)
    path = tmp_path / "lesson.ipynb"
    write_notebook(path, notebook_of("x = 2\nprint(x)", "x + 1"))
    with pytest.raises(UserError, match="lesson.ipynb .not in canonical form"):
        canonicalise([path], check=True)
    assert canonicalise([tmp_path]) == [path]
    before = path.read_bytes()
    assert read_notebook(path).cells[2].outputs[0].data["text/plain"] == "3"
    assert canonicalise([path]) == [] and canonicalise([path], check=True) == []
    assert path.read_bytes() == before

    path.write_text(path.read_text().replace('"3"', '"4"'))
    with pytest.raises(UserError, match="cell 'cell-1' now gives another output"):
        canonicalise([path], check=True)


@pytest.mark.parametrize(
    ("source", "seconds", "says"),
    [
        ("1 / 0", 60, "Cell 'cell-0' raises ZeroDivisionError"),
        pytest.param("import os; os._exit(1)", 60, "kernel died", marks=pytest.mark.full),
        pytest.param("import time; time.sleep(600)", 1, "longer than 1 s", marks=pytest.mark.full),
    ],
)
def test_a_notebook_that_does_not_run_is_not_written(tmp_path: Path, source: str, seconds: int, says: str) -> None:
    path = tmp_path / "broken.ipynb"
    write_notebook(path, notebook_of(source))
    before = path.read_bytes()
    with pytest.raises(UserError, match=says):
        canonicalise([path], timeout=seconds)
    assert path.read_bytes() == before


def test_what_somebody_has_answered_does_not_show_in_a_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(progress_file.SWITCH, raising=False)
    monkeypatch.chdir(tmp_path)
    progress_file.note_prediction("01.leaf", progress_file.Given("b", "b"), right=True)
    (file,) = tmp_path.iterdir()
    before = file.read_bytes()
    cell = (
        'from autograd_teach.course.predict import predict\npredict("01.default", "a")\nprint(predict("01.leaf").given)'
    )
    ran = execute(notebook_of(cell), tmp_path)
    assert ran.cells[1].outputs[0].text == "None\n"
    assert file.read_bytes() == before


def test_a_cell_that_is_meant_to_raise_may(tmp_path: Path) -> None:
    ran = canonical(execute(notebook_of("1 / 0", tags=("raises-exception",)), tmp_path))
    assert ran.cells[1].outputs[0].traceback == ["ZeroDivisionError: division by zero"]


@pytest.mark.parametrize("given", [[], ["empty"]])
def test_naming_nothing_is_said(tmp_path: Path, given: list[str]) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(UserError, match="notebook"):
        canonicalise([tmp_path / name for name in given])
