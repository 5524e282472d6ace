"""docs/grading.md says what is so: each claim names the tests that hold it, and options, statuses, kinds of isolation and
numbers are the grader's."""

import argparse
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from autograd_teach.grading import cluster, command
from autograd_teach.grading.notebook_run import Limits
from autograd_teach.grading.oracle import judging
from autograd_teach.grading.reports import class_page, similarity
from autograd_teach.grading.reports.page import MEANING
from autograd_teach.grading.results import MOST_NAMED, Status
from autograd_teach.grading.sandbox import Isolation, box, supervisor
from autograd_teach.grading.submissions import answers, archives, budget, intake
from autograd_teach.grading.submissions.preview import preview
from autograd_teach.grading.submissions.selection import Wishes

ROOT = Path(__file__).parents[2]
GUIDE = (ROOT / "docs/grading.md").read_text("utf-8")
PROSE = re.sub(r"(?m)^.*(?:pip |gh classroom|pytest|dask scheduler).*$", "", GUIDE)
TEXTS = {path.stem: path.read_text("utf-8") for path in (ROOT / "tests").rglob("test_*.py")}


# ---- a claim and its tests --------------------------------------------------------------------------------------------

CLAIMS_NOTHING = (
    "If that is your class",
    "`ps9/` then contains",
    "Every answer gets two results:",
    "**Before you hand out grades**",
    "Read the reason of every status",
    "with a `key.pem` that only you can read",
    "Either command gives a record, not a verdict",
    "**Protected, and tested with real hostile notebooks**",
    "**Not protected:**",
)
"""How a paragraph begins that leads to the next one, or sums up claims that stand beside it with their tests."""

OF_OTHERS = (
    "dask itself trusts everybody",
    "- How an answer was found.",
    "- Answers that hide what they reach for",
    "- Holes in the Linux kernel",
    "- A Jupyter notebook that *you* open",
)
"""Warnings of what other software does, or of what the grader does not do."""

COMMENT = re.compile(r"<!-- tests: (.*?) -->")


def claims() -> Iterator[str]:
    """Each paragraph, list item and table row from the first section on, without headings, headers and code."""
    text = GUIDE[GUIDE.index("## From a zip") :]
    text = re.sub(r"(?ms)^```.*?^```$", "", text)
    for block in re.split(r"\n\s*\n", text):
        lines = block.strip().splitlines()
        if not lines or lines[0].startswith("#"):
            continue
        if lines[0].startswith("|"):
            yield from lines[2:]
        else:
            yield from re.split(r"\n(?=- |\d+\. )", block.strip())


def named(claim: str) -> list[str]:
    return [name for names in COMMENT.findall(claim) for name in names.split(", ")]


@pytest.mark.parametrize("claim", [*claims()], ids=lambda claim: claim[:40])
def test_every_claim_has_tests_and_each_of_them_is_there(claim: str) -> None:
    assert named(claim) or claim.startswith(CLAIMS_NOTHING + OF_OTHERS), "name the tests that hold it"
    for name in named(claim):
        assert name in TEXTS or any(f"def {name}(" in text for text in TEXTS.values()), name


def test_what_needs_no_test_is_in_the_guide() -> None:
    for start in CLAIMS_NOTHING + OF_OTHERS:
        assert sum(claim.startswith(start) for claim in claims()) == 1, start
    assert GUIDE.count("<!--") == len(COMMENT.findall(GUIDE)), "a comment that is not read"


# ---- what it names ----------------------------------------------------------------------------------------------------


def options() -> set[str]:
    found: set[str] = set()
    for add in (command.add_arguments, command.add_regrade_arguments):
        parser = argparse.ArgumentParser()
        add(parser)
        found |= {option for action in parser._actions for option in action.option_strings}
    for remark in ("adjust", "comment"):
        parser = argparse.ArgumentParser()
        command.add_remark_arguments(parser, remark)
        found |= {option for action in parser._actions for option in action.option_strings}
    return found


def first_cells(header: str) -> set[str]:
    """What stands in the first column of the table whose header begins like this."""
    table = GUIDE.partition(f"| {header} |")[2].partition("\n\n")[0]
    return set(re.findall(r"(?m)^\| `(\w+)`", table))


def test_every_option_that_the_guide_names_is_there() -> None:
    assert set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", PROSE)) - options() == set()


@pytest.mark.parametrize("option", sorted(options() - {"-h", "--help"}))
def test_every_option_is_in_the_guide(option: str) -> None:
    assert re.search(rf"(?<![\w-]){option}(?![\w-])", GUIDE)


def test_every_report_is_in_the_guide() -> None:
    assert [kind for kind in command.REPORTS if f"`{kind}`" not in GUIDE] == []


def test_the_tables_have_every_status_and_every_isolation() -> None:
    assert first_cells("status") == {str(status) for status in Status}
    assert first_cells("isolation") == {str(isolation) for isolation in Isolation}


@pytest.mark.parametrize("status", Status)
def test_the_table_has_the_word_of_the_pages_for_each_status(status: Status) -> None:
    assert f"\n| `{status}` | {MEANING[status].name} | " in GUIDE


def test_the_example_of_a_dry_run_has_its_columns() -> None:
    header = preview([], [], Wishes()).splitlines()[0].split()
    assert header in [line.split() for line in GUIDE.splitlines()]


MB = 1_000_000
NUMBERS = [
    f"out of time: {judging.ANSWER_SECONDS:g} seconds",
    f"more than {Limits().memory // 10**9} GB",
    f"printed more than {Limits().output // MB} MB",
    f"after {box.WAIT:g} seconds plus {box.WAIT_FOR_EACH:g} times its limit",
    f"from {class_page._FEWEST} students on",
    f"notebooks of up to {answers.LARGEST_NOTEBOOK // MB} MB, {answers.LARGEST_JSON // MB} MB of that",
    f"{intake.MOST_NOTEBOOKS} notebooks and {intake.LARGEST_HAND_IN // MB} MB of one student",
    f"{budget.SECONDS:g} seconds of processor time and {budget.MEGABYTES} MB of memory",
    f"folders up to {archives.DEEPEST_FOLDER} deep; zips in zips, up to {archives.DEEPEST_ZIP} deep",
    f"of {archives.LONGEST_LIST // MB} MB together, or {archives.LONGEST_OF_CLASS // MB} MB in the class's own zip",
    f"from {similarity.LEAST} parts on",
    f"if they are more than {MOST_NAMED}, the terminal",
    {300.0: "waits five minutes"}[cluster.PATIENCE],
    {0.1: "ten times a second"}[supervisor.LOOK],
]


@pytest.mark.parametrize("words", NUMBERS)
def test_numbers_that_the_guide_names_are_the_grader_s(words: str) -> None:
    assert words in " ".join(GUIDE.split())


def test_links_and_files_that_the_guide_names_are_there() -> None:
    for link in re.findall(r"\]\((?!http)([^)#]+)", GUIDE):
        assert (ROOT / "docs" / link).exists(), link
    for path in re.findall(r"`((?:tests|docs)/[\w./-]+)`", GUIDE):
        assert (ROOT / path).exists(), path
