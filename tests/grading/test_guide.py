"""docs/grading.md says what is so: its options, statuses and kinds of isolation are the command's, its links lead somewhere."""

import argparse
import re
from pathlib import Path

from autograd_teach.grading import command
from autograd_teach.grading.results import Status
from autograd_teach.grading.sandbox import Isolation

ROOT = Path(__file__).parents[2]
GUIDE = (ROOT / "docs/grading.md").read_text("utf-8")
PROSE = re.sub(r"(?m)^.*(?:pip |gh classroom|pytest|dask scheduler).*$", "", GUIDE)


def options() -> set[str]:
    found: set[str] = set()
    for add in (command.add_arguments, command.add_regrade_arguments):
        parser = argparse.ArgumentParser()
        add(parser)
        found |= {option for action in parser._actions for option in action.option_strings}
    return found


def first_cells(header: str) -> set[str]:
    """What stands in the first column of the table whose header begins like this."""
    table = GUIDE.partition(f"| {header} |")[2].partition("\n\n")[0]
    return set(re.findall(r"(?m)^\| `(\w+)`", table))


def test_every_option_that_the_guide_names_is_there() -> None:
    assert set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", PROSE)) - options() == set()


def test_every_option_about_the_class_is_in_the_guide() -> None:
    for option in ("--dry-run", "--only", "--roster", "--due", "--keep", "--points", "--anonymous", "--points-only"):
        assert re.search(rf"(?<![\w-]){option}(?![\w-])", GUIDE), option


def test_the_tables_have_every_status_and_every_isolation() -> None:
    assert first_cells("status") == {str(status) for status in Status}
    assert first_cells("isolation") == {str(isolation) for isolation in Isolation}


def test_links_and_files_that_the_guide_names_are_there() -> None:
    for link in re.findall(r"\]\((?!http)([^)#]+)", GUIDE):
        assert (ROOT / "docs" / link).exists(), link
    for path in re.findall(r"`((?:tests|docs)/[\w./-]+)`", GUIDE):
        assert (ROOT / path).exists(), path
