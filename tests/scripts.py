"""Programs that tests put in the place of others."""

import shlex
import sys
from pathlib import Path


def write_program(path: Path, source: str) -> Path:
    """Make `path` an executable that runs `source` with this Python, wherever that lies: a first line `#!` ends at a space."""
    script = path.with_suffix(".py")
    script.write_text(source)
    path.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} {shlex.quote(str(script))} "$@"\n')
    path.chmod(0o755)
    return path
