"""Fetch NumPy and MarkupSafe for the browser's Python into a folder: python .ci/pyodide_wheels.py FOLDER

They are compiled for Pyodide, and PyPI does not have them. autograd_teach/site/pyodide.json holds their address and checksums.
The folder is one of those that `autograd-teach site --pyodide` takes.
"""

import hashlib
import json
import sys
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

PACKAGES = ("markupsafe", "numpy")
RELEASE = Path(__file__).parent.parent / "autograd_teach/site/pyodide.json"
PATIENCE = 60  # seconds without a byte


def read(address: str) -> bytes:
    """The bytes at an address."""
    with urllib.request.urlopen(address, timeout=PATIENCE) as answer:
        return answer.read()


def fetch(release: dict[str, Any], folder: Path, read: Callable[[str], bytes] = read) -> None:
    """Write the wheels and a lock file with their entries.

    Raises ValueError if a wheel has another checksum, OSError if it cannot be read.
    """
    entries = {name: release["packages"][name] for name in PACKAGES}
    folder.mkdir(parents=True)
    for entry in entries.values():
        data = read(f"{release['address']}/{entry['file_name']}")
        if hashlib.sha256(data).hexdigest() != entry["sha256"]:
            raise ValueError(f"{entry['file_name']} has another checksum than autograd_teach/site/pyodide.json says")
        (folder / entry["file_name"]).write_bytes(data)
    lock = {"info": release["info"], "packages": entries}
    (folder / "pyodide-lock.json").write_text(json.dumps(lock, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    try:
        fetch(json.loads(RELEASE.read_bytes()), Path(sys.argv[1]))
    except (OSError, ValueError) as problem:
        sys.exit(f"NumPy for the browser cannot be fetched: {problem}")
