"""Writes what PyTorch gives for the tables of tests/engine: operations.json for samples.py, programs.json for programs.py.

Run it from the repository's folder, where PyTorch 2.13.0 is installed: `python -m tests.parity.record_operations`.
"""

import json
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch

from tests.engine import programs, samples


def _recorded() -> Iterator[tuple[str, dict[str, Any]]]:
    for row in samples.ROWS:
        try:
            yield str(row), samples.evaluate(torch, row)
        except AttributeError as error:
            print(f"PyTorch does not have {row}: {error}")


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    recorded = {
        "torch": torch.__version__.split("+")[0],
        "operations": dict(_recorded()),
        "promotion": {e: samples.promoted(torch, e) for e in samples.PROMOTION},
    }
    folder = Path(__file__).parents[1] / "engine"
    outcomes = {name: programs.outcome(torch, f) for name, f in programs.PROGRAMS.items()}
    for name, content in (("operations", recorded), ("programs", outcomes)):
        text = json.dumps(content, indent=0, sort_keys=True) + "\n"
        (folder / f"{name}.json").write_text(text)
    print(f"recorded {len(recorded['operations'])} operations and {len(outcomes)} programs of {recorded['torch']}")
