"""The files of .github, .ci and CITATION.cff: what `.ci/run workflows`, which lints them, cannot know."""

import os
import re
import subprocess
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

yaml = pytest.importorskip("yaml", reason="PyYAML comes with JupyterLab")

ROOT = Path(__file__).resolve().parents[2]
RUN = (ROOT / ".ci/run").read_text("utf-8")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
FORMS = sorted((ROOT / ".github/ISSUE_TEMPLATE").glob("[0-9]*.yml"))

posix = pytest.mark.skipif(os.name != "posix", reason=".ci/run is run by bash")


def read(path: str | Path) -> Any:
    """A file in YAML, all of whose values are text: `on` is no truth there, and 3.10 no number."""
    return yaml.load((ROOT / path).read_text("utf-8"), Loader=yaml.BaseLoader)


WORKFLOWS = {path.name: read(path) for path in sorted((ROOT / ".github/workflows").glob("*.yml"))}
CI = WORKFLOWS["ci.yml"]["jobs"]
PYTHONS = CI["tests"]["strategy"]["matrix"]["python"]


def uses() -> Iterator[tuple[str, dict[str, Any]]]:
    """Each place that uses an action or a workflow."""
    for name, workflow in WORKFLOWS.items():
        for job, content in workflow["jobs"].items():
            for step in (content, *content.get("steps", ())):
                if "uses" in step:
                    yield f"{name}: {job}", step


def matrix_values(job: dict[str, Any], key: str) -> set[str]:
    """What `matrix.key` can be in a job."""
    matrix = job.get("strategy", {}).get("matrix", {})
    return set(matrix.get(key, ())) | {each[key] for each in matrix.get("include", ()) if key in each}


def steps_of_ci() -> dict[str, set[str]]:
    """The steps of .ci/run that each job of ci.yml runs. A job may do nothing else."""
    found: dict[str, set[str]] = {}
    for job, content in CI.items():
        for step in content["steps"]:
            if "run" not in step:
                continue
            assert re.fullmatch(r'bash \.ci/run ([a-z -]+|"\$STEP")', step["run"]), f"{job}: {step['run']}"
            names = set(step["run"].removeprefix("bash .ci/run ").split())
            if names == {'"$STEP"'}:
                assert step["env"] == {"STEP": "${{ matrix.step }}"}
                names = matrix_values(content, "step")
            found.setdefault(job, set()).update(names)
    return found


# ---- .ci/run ----


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["bash", ".ci/run", *arguments], cwd=ROOT, capture_output=True, text=True, check=False)


def all_steps() -> list[str]:
    """What a run of everything does, and what runs on request only."""
    found = re.findall(r'^(?:all|more)="(.+)"$', RUN, re.MULTILINE)
    assert len(found) == 2
    return " ".join(found).split()


@posix
def test_the_help_lists_each_step_in_its_order() -> None:
    result = run("--help")
    assert result.returncode == 0
    listed = re.findall(r"^  ([a-z-]+)  ", result.stdout, re.MULTILINE)
    assert listed == all_steps()
    for name in listed:
        assert f"\nstep_{name.replace('-', '_')}() {{\n" in RUN, name


@posix
@pytest.mark.parametrize("name", ["test", "", "copy", "build", "tests full"])
def test_a_step_that_is_not_there_is_named(name: str) -> None:
    result = run("types", name)
    assert result.returncode == 2 and not result.stdout
    assert f"there is no step {name}." in result.stderr and "--help" in result.stderr


def functions(*names: str) -> str:
    """Functions of .ci/run, as text."""
    found = [re.search(rf"^{name}\(\) \{{$.*?^\}}$", RUN, re.MULTILINE | re.DOTALL) for name in names]
    assert all(found), names
    return "\n".join(each.group() for each in found if each)


READMES = {
    "elsewhere": ("bin", "sh", 'bash() { printf "%s" "${@: -1}"; }', "{}"),
    "on Windows": ("Scripts", "powershell", 'pwsh() { cat "${@: -1}"; }', "function py {{ python @args }}\n{}\nexit $LASTEXITCODE\n"),
}  # fmt: skip
"""The folder of an environment's programs, the README's blocks, what stands for the shell and prints, and what it gets."""


@posix
@pytest.mark.parametrize("arguments", ["", "tests/engine tests/nn"])
@pytest.mark.parametrize(("programs", "language", "shell", "given"), READMES.values(), ids=READMES)
def test_the_readmes_command_is_run(
    tmp_path: Path, programs: str, language: str, shell: str, given: str, arguments: str
) -> None:
    text = (ROOT / "README.md").read_text("utf-8")
    blocks = re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    command = next(block.strip() for block in blocks if "pytest -n 2" in block)
    (tmp_path / ".ci").mkdir()
    names = ("fail", "readme_command", "readme_powershell", "readme_tests")
    script = f"set -euo pipefail\nroot={str(ROOT)!r}\nbin={programs}\n{functions(*names)}\n{shell}\nreadme_tests {arguments!r}"
    result = subprocess.run(["bash", "-c", script], cwd=tmp_path, capture_output=True, text=True, check=True)
    command = command.replace("pytest -n 2", f"pytest -n 2 {arguments}".strip())
    assert result.stdout == f"{command}\n{given.format(command)}"


def test_the_portable_folders_are_there() -> None:
    found = re.search(r'readme_tests "(.+)"', RUN)
    assert found and all((ROOT / folder).is_dir() for folder in found[1].split())


def test_the_tools_are_pinned() -> None:
    lines = (ROOT / ".ci/requirements.txt").read_text("utf-8").splitlines()
    assert all(re.fullmatch(r"#.*|[a-z-]+==\d[\w.]*", line) for line in lines)


# ---- which commands run, on what ----


def test_ci_runs_the_steps_of_ci_run_and_all_of_them() -> None:
    assert "run bare\n    run system" in functions("step_tests")
    assert set.union(*steps_of_ci().values()) == set(all_steps()) - {"bare", "system"}


def test_ci_runs_on_every_python_that_the_package_names() -> None:
    prefix = "Programming Language :: Python :: 3."
    named = [line.removeprefix(prefix) for line in PROJECT["classifiers"] if line.startswith(prefix)]
    assert {f"3.{minor}" for minor in named} <= set(PYTHONS)
    assert PROJECT["requires-python"] == f">={PYTHONS[0]}"
    assert CI["wheel"]["strategy"]["matrix"]["python"] == [PYTHONS[0], PYTHONS[-1]]


def test_ci_runs_on_the_oldest_numpy_that_the_package_takes() -> None:
    oldest = min(matrix_values(CI["tests"], "numpy"))
    assert [line for line in PROJECT["dependencies"] if re.fullmatch(rf"numpy>={re.escape(oldest)}(\.\d+)*", line)]
    assert f'"numpy=={oldest}.*"' in RUN


def test_every_combination_of_system_and_numpy_has_a_step() -> None:
    matrix = CI["tests"]["strategy"]["matrix"]
    for numpy in matrix["numpy"]:
        assert any(each.get("numpy") == numpy and "os" not in each for each in matrix["include"]), numpy
    assert all(each.get("os", matrix["os"][0]) in matrix["os"] for each in matrix["include"])


# ---- what a workflow may do ----

WRITES = {
    ("pages.yml", "deploy"): {"pages", "id-token"},
    ("release.yml", "publish"): {"id-token"},
    ("release.yml", "announce"): {"contents"},
}


@pytest.mark.parametrize("name", WORKFLOWS)
def test_a_job_may_write_only_what_it_is_for(name: str) -> None:
    assert WORKFLOWS[name]["permissions"] == {"contents": "read"}
    for job, content in WORKFLOWS[name]["jobs"].items():
        permissions = content.get("permissions", {})
        assert isinstance(permissions, dict), job  # `write-all` is text
        assert {key for key, value in permissions.items() if value == "write"} == WRITES.get((name, job), set()), job


def test_a_job_that_may_write_runs_no_code_of_the_tree() -> None:
    for name, job in WRITES:
        steps = WORKFLOWS[name]["jobs"][job]["steps"]
        assert not any(".ci/" in step.get("run", "") or "checkout" in step.get("uses", "") for step in steps), job


def test_every_action_has_one_version() -> None:
    versions: dict[str, set[str]] = {}
    for place, step in uses():
        if step["uses"].startswith("./"):
            assert (ROOT / step["uses"]).is_file(), place
            continue
        action, _, version = step["uses"].partition("@")
        assert re.fullmatch(r"v\d+|release/v\d+|[0-9a-f]{40}", version), place
        versions.setdefault(action, set()).add(version)
    assert {action: found for action, found in versions.items() if len(found) > 1} == {}


def test_a_checkout_leaves_no_password_behind() -> None:
    checkouts = [(place, step) for place, step in uses() if step["uses"].startswith("actions/checkout@")]
    assert checkouts and all(step.get("with", {}).get("persist-credentials") == "false" for _, step in checkouts)


def needed(jobs: dict[str, Any], job: str) -> set[str]:
    """All jobs that end well before this one begins."""
    before = jobs[job].get("needs", [])
    before = {before} if isinstance(before, str) else set(before)
    return before.union(*(needed(jobs, each) for each in before))


def test_a_release_is_checked_whole_and_only_a_tag_publishes() -> None:
    release = WORKFLOWS["release.yml"]
    assert release["on"]["push"] == {"tags": ["v*"]}  # else `publish` would run for a branch
    jobs = release["jobs"]
    assert jobs["checks"]["uses"] == "./.github/workflows/ci.yml" and "workflow_call" in WORKFLOWS["ci.yml"]["on"]
    assert jobs["publish"]["if"] == "github.event_name == 'push'"
    assert needed(jobs, "publish") == {"version", "checks"}
    assert needed(jobs, "announce") == {"version", "checks", "publish"} and "if" not in jobs["announce"]


def test_what_is_published_is_what_ci_built_and_installed() -> None:
    built = [step["with"]["name"] for step in CI["build"]["steps"] if "upload-artifact" in step.get("uses", "")]
    installed = [step["with"]["name"] for step in CI["wheel"]["steps"] if "download-artifact" in step.get("uses", "")]
    steps = WORKFLOWS["release.yml"]["jobs"]["publish"]["steps"]
    published = [step["with"]["name"] for step in steps if "download-artifact" in step["uses"]]
    assert built == installed == published == ["dist"]
    assert "gh-action-pypi-publish" in steps[-1]["uses"] and steps[0]["with"]["path"] == "dist"  # where it looks


# ---- Dependabot, forms, citation ----


def test_dependabot_leaves_alone_what_belongs_together() -> None:
    extras = PROJECT["optional-dependencies"]
    pinned = {line.partition("==")[0] for lines in extras.values() for line in lines if "==" in line}
    updates = {each["package-ecosystem"]: each for each in read(".github/dependabot.yml")["updates"]}
    assert {each["dependency-name"] for each in updates["pip"]["ignore"]} == pinned
    assert set(updates) == {"pip", "github-actions"} and "/.ci" in updates["pip"]["directories"]


@pytest.mark.parametrize("path", FORMS, ids=lambda path: path.stem)
def test_a_form_asks_with_labels_and_says_what_is_required(path: Path) -> None:
    form = read(path)
    assert form["name"] and form["description"].endswith(".") and len(form["labels"]) == 1
    fields = [each for each in form["body"] if each["type"] != "markdown"]
    assert len({each["id"] for each in fields}) == len(fields) >= 2
    assert all(each["attributes"]["label"] for each in fields)
    assert sum(each.get("validations", {}).get("required") == "true" for each in fields) >= 2


ASKED = {
    "1-bug": ["autograd-teach doctor", "program", "message"],
    "2-differs-from-pytorch": ["What PyTorch gives", "What this package gives", "program"],
    "3-check-or-grade": ["exercise", "autograd-teach doctor", "This page is public", "no names", "solution"],
    "4-lesson": ["Where it is", "passage"],
    "5-idea": ["What would help"],
}


def test_each_form_asks_for_what_an_answer_needs() -> None:
    assert [path.stem for path in FORMS] == list(ASKED)
    for path in FORMS:
        text = path.read_text("utf-8")
        assert not [words for words in ASKED[path.stem] if words not in text], path.stem


def test_the_citation_names_this_version_and_these_authors() -> None:
    citation = read("CITATION.cff")
    assert citation["version"] == PROJECT["version"]
    assert citation["authors"] == PROJECT["authors"]
    assert citation["license"] == PROJECT["license"].partition(" AND ")[0]
    assert {"https://fleuret.org/dlc/", "https://fleuret.org/ee559/"} <= {
        each.get("url") for each in citation["references"]
    }
