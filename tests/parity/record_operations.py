"""Writes what PyTorch gives for the tables of tests/engine: operations.json for samples.py, programs.json for programs.py.

Run it from the repository's folder, where PyTorch 2.13.0 is installed: `python -m tests.parity.record_operations`.
Results that agree with the recorded ones stay as they are, so that the diff shows only what is new or has changed:
PyTorch's last bits depend on the processor.
"""

import contextlib
import io
import json
import warnings
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

from tests.engine import programs, samples
from tests.engine.test_operations import RECORDED, assert_same

FOLDER = Path(__file__).parents[1] / "engine"
Outcomes = dict[str, dict[str, Any]]


def _evaluated(torch: ModuleType) -> Iterator[tuple[str, dict[str, Any]]]:
    for row in samples.ROWS:
        try:
            yield str(row), samples.evaluate(torch, row)
        except AttributeError as error:
            print(f"PyTorch does not have {row}: {error}")


def agreeing_kept(new: Outcomes, recorded: Outcomes) -> Outcomes:
    """The rows of `new`; those that agree with `recorded`, within the tolerance of the tests, as recorded."""

    def agree(name: str, outcome: dict[str, Any]) -> bool:
        try:
            assert_same(outcome, recorded[name])
        except (AssertionError, KeyError, ValueError):  # ValueError: another number of gradients
            return False
        return True

    return {name: recorded[name] if agree(name, outcome) else outcome for name, outcome in new.items()}


def _write(name: str, content: dict[str, Any]) -> None:
    (FOLDER / name).write_text(json.dumps(content, indent=0, sort_keys=True) + "\n")


def _main() -> None:
    import torch

    warnings.simplefilter("ignore")
    operations = agreeing_kept(dict(_evaluated(torch)), RECORDED["operations"])
    # One program makes warnings errors, and PyTorch prints the one that it cannot raise, as if the recording had failed.
    with contextlib.redirect_stderr(io.StringIO()):
        outcomes = {name: programs.outcome(torch, program) for name, program in programs.PROGRAMS.items()}
    version = torch.__version__.split("+")[0]
    promotion = {expression: samples.promoted(torch, expression) for expression in samples.PROMOTION}
    _write("operations.json", {"torch": version, "operations": operations, "promotion": promotion})
    _write("programs.json", outcomes)
    changed = sum(outcome is not RECORDED["operations"].get(name) for name, outcome in operations.items())
    print(f"recorded {len(operations)} operations ({changed} new or changed) and {len(outcomes)} programs of {version}")


if __name__ == "__main__":
    _main()
