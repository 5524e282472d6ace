"""What importing the package loads, what it declares to need, and the commands that README.md promises."""

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def test_importing_the_package_loads_numpy_and_the_standard_library_only():
    program = (
        "import sys, numpy, numpy.random\n"  # with what NumPy's own compiled parts register
        "before = set(sys.modules)\n"
        "import autograd_teach\n"
        "print(*sorted({name.split('.')[0] for name in set(sys.modules) - before}))"
    )
    # -I: neither this folder nor the user's own site-packages; .pth files may load what they like before.
    loaded = subprocess.run(
        [sys.executable, "-I", "-c", program], capture_output=True, text=True, check=True
    ).stdout.split()
    assert "autograd_teach" in loaded
    foreign = set(loaded) - set(sys.stdlib_module_names) - {"numpy", "autograd_teach"}
    assert not foreign


def readme_blocks(language: str) -> list[str]:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def test_the_readmes_commands_are_one_line_each_and_say_the_same_on_both_systems():
    shell, powershell = readme_blocks("sh")[:2], readme_blocks("powershell")
    assert len(powershell) == 2
    for one, other in zip(shell, powershell, strict=True):
        assert one.count("\n") == other.count("\n") == 1
        said = re.findall(r"\.venv/bin/(.*?)(?: &&|$)", one.strip())
        assert said == re.findall(r"\.venv\\Scripts\\(.*?) ?(?:;| }|$)", other.strip())


def test_the_readmes_pictures_exist_and_are_light():
    for name in re.findall(r"!\[[^\]]+\]\(([^)]+)\)", (ROOT / "README.md").read_text("utf-8")):
        assert (ROOT / name).stat().st_size < 300_000


def test_every_third_party_module_that_is_imported_is_a_declared_dependency():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    declared = {re.match(r"[\w-]+", line).group() for line in project["dependencies"]}  # type: ignore[union-attr]  # always matches
    # What a declared package itself requires and hands on, by the package that does.
    declared |= {"IPython", "ipykernel", "traitlets", "jupyter_client", "jupyter_core", "pytest", "zmq"}
    declared |= {"nbconvert", "mistune", "pygments", "packaging"}  # by jupyterlab
    declared |= {"torch"}  # looked for, never required
    pattern = re.compile(r"^\s*(?:import|from) (\w+)", re.MULTILINE)
    for path in (ROOT / "autograd_teach").rglob("*.py"):
        code = re.sub(r'""".*?"""', "", path.read_text("utf-8"), flags=re.DOTALL)
        foreign = set(pattern.findall(code)) - set(sys.stdlib_module_names) - {"autograd_teach"}
        if (
            path.relative_to(ROOT).as_posix() == "autograd_teach/grading/cluster.py"
        ):  # the one place that needs the extra
            assert any(line.startswith("distributed") for line in project["optional-dependencies"]["cluster"])
            foreign -= {"distributed", "dask"}
        assert foreign <= declared, f"{path.relative_to(ROOT)}: {foreign - declared}"


@pytest.mark.skipif(os.name != "posix", reason=".ci/run is a POSIX script")
def test_ci_runs_the_readmes_own_test_command():
    program = (ROOT / ".ci" / "run").read_text("utf-8")
    function = re.search(r"^readme_command\(\) \{.*?^\}", program, re.MULTILINE | re.DOTALL)
    assert function
    script = f"set -euo pipefail\nroot={str(ROOT)!r}\n{function.group()}\nreadme_command test"
    found = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True)
    assert found.stdout == readme_blocks("sh")[1]
