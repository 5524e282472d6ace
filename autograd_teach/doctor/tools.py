"""What several probes use: versions of packages, pip's command, and Python in a process of its own."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from dataclasses import dataclass
from functools import partial
from importlib import metadata
from pathlib import Path

from .finding import Finding, Probe, broken, ok, optional

ROOT = Path(__file__).resolve().parents[2]
"""The folder that this package is imported from."""

SECONDS = 25.0
"""The most that a process of `run_python` may take: JupyterLab's first import takes its time on a cold disk."""


def version_of(package: str) -> str | None:
    """The installed version; None if it is not installed."""
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def is_older(version: str, oldest: str) -> bool:
    """
    >>> is_older("0.9.2", "0.9.18"), is_older("2.0", "2.0"), is_older("3.0rc1", "2.9.9")
    (True, False, False)
    """
    found, needed = ([int(number) for number in re.findall(r"\d+", each)] for each in (version, oldest))
    return found < needed


def pip_install(*requirements: str) -> str:
    """The command that installs packages into the Python that runs, whichever environment is active."""
    return f"{python()} -m pip install " + " ".join(
        f'"{each}"' if set(each) & set("<>[") else each for each in requirements
    )


def python() -> str:
    """The Python that runs, as it is typed in the current folder."""
    path = Path(sys.executable)
    if path.is_relative_to(Path.cwd()):
        path = path.relative_to(Path.cwd())
    if os.name == "nt":
        return f'& "{path}"' if " " in str(path) else str(path)
    home = Path(os.path.expanduser("~"))
    if len(home.parts) > 1 and path.is_relative_to(home):  # a quoted ~ would be a folder of that name
        return f"~/{shlex.quote(str(path.relative_to(home)))}"
    return shlex.quote(str(path))


MANAGERS = {
    "apt-get": "apt install",
    "dnf": "dnf install",
    "pacman": "pacman -S",
    "zypper": "zypper install",
    "apk": "apk add",
    "brew": "brew install",
    "winget": "winget install",
}
"""Program -> what it is called with to install something."""

_WITHOUT_SUDO = ("brew", "winget")


def install(program: str, address: str = "") -> tuple[str, ...]:
    """How to install a program of the system: the advice, then the command if this machine's manager of packages is known."""
    source = f" ({address})" if address else ""
    for manager, words in MANAGERS.items():
        if shutil.which(manager):
            is_root = hasattr(os, "geteuid") and os.geteuid() == 0
            sudo = "" if manager in _WITHOUT_SUDO or is_root else "sudo "
            return f"Install it{source}:", f"{sudo}{words} {program}"
    return (f"Install it with your system's package manager{source}.",)


class Failed(Exception):
    """A program did not do what it was asked for; the message is the last line that it wrote on standard error."""


def run_python(code: str) -> str:
    """What `code` prints in a Python of its own, as whatever breaks there must not break this one. Raises as `run` does."""
    # An installed copy is found by itself; the folder that it lies in must not come before the standard library.
    places = [str(ROOT)] if (ROOT / "pyproject.toml").is_file() else []
    path = os.pathsep.join(filter(None, (*places, os.environ.get("PYTHONPATH"))))
    return run([sys.executable, "-P", "-c", code], PYTHONPATH=path)


def run(command: list[str], **variables: str) -> str:
    """What a program prints, on either stream.

    Raises `Failed`, or TimeoutError if it does not end, which on a busy machine does not mean that it is broken.
    """
    try:
        done = subprocess.run(
            command,
            check=False,
            env={**os.environ, **variables},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            encoding="utf-8",
            errors="replace",
            timeout=SECONDS,
        )
    except subprocess.TimeoutExpired:
        raise TimeoutError(f"a program did not end within {SECONDS:.0f} seconds") from None
    if done.returncode:
        if done.returncode < 0:
            raise Failed(f"it was ended by signal {-done.returncode}")
        lines = [line.strip() for line in done.stderr.splitlines() if line.strip()]
        raise Failed(lines[-1][:300] if lines else f"exit status {done.returncode}")
    return (done.stdout or done.stderr).strip()


@dataclass(frozen=True)
class Package:
    """A package that something needs.

    without: what is lost without it. module: what is imported to see that it works; "" if its version is enough.
    """

    name: str
    oldest: str
    without: str
    module: str = ""
    is_needed: bool = False
    """By students."""

    @property
    def requirement(self) -> str:
        """As pip reads it."""
        return f"{self.name}>={self.oldest}" if self.oldest else self.name

    def examine(self) -> Finding:
        """Whether it is installed, new enough, and can be imported."""
        bad = broken if self.is_needed else optional
        version = version_of(self.name)
        if version is None:
            return bad(f"not installed: {self.without}", "Install it:", pip_install(self.requirement))
        if self.oldest and is_older(version, self.oldest):
            words = f"{version} is older than {self.oldest}, which the course needs"
            return bad(words, "Install a newer one:", pip_install("--upgrade", self.requirement))
        try:
            if self.module:
                run_python(f"import {self.module}")
        except Failed as problem:
            command = pip_install("--force-reinstall", self.requirement)
            return bad(f"{version} is installed, but cannot be imported: {problem}", "Install it again:", command)
        return ok(version)

    def probe(self, name: str = "") -> Probe:
        """Its row, under its own or another name."""
        return Probe(name or self.name, partial(Package.examine, self), SECONDS + 5)
