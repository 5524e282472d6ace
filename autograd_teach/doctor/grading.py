"""What an instructor needs to grade a class: Linux, a sandbox and its limits, and packages. docs/grading.md has the details."""

import os
import re
import shutil
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from ..course import content
from ..course.errors import UserError
from .finding import Finding, Probe, ok, optional
from .tools import Failed, Package, run

if TYPE_CHECKING:
    from ..grading.sandbox import Isolation

NBVAL = Package("nbval", "0.11", "`autograd-teach grade` cannot record what check cells say")
DISTRIBUTED = Package("distributed", "2025.7", "only to grade on many machines (`grade --scheduler`)")

USER_NAMESPACES = (
    (
        "/proc/sys/kernel/apparmor_restrict_unprivileged_userns",
        "1",
        "AppArmor restricts user namespaces here, as on Ubuntu 24.04. This lifts it for every program, until the next start:",
        "sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0",
    ),
    (
        "/proc/sys/kernel/unprivileged_userns_clone",
        "0",
        "User namespaces are switched off on this machine. This switches them on, until the next start:",
        "sudo sysctl -w kernel.unprivileged_userns_clone=1",
    ),
    (
        "/proc/sys/user/max_user_namespaces",
        "0",
        "No user namespaces are allowed on this machine. This allows them, until the next start:",
        "sudo sysctl -w user.max_user_namespaces=10000",
    ),
)
"""Settings that keep namespaces from users other than root: file, value, what to say and to type."""


def probes() -> tuple[Probe, ...]:
    """The rows of this group: on other systems than Linux one, which says that."""
    if sys.platform != "linux":
        return (Probe("Sandbox", elsewhere),)
    return (
        Probe("Sandbox", sandbox, 45.0),
        Probe("Limits", limits),
        Probe("Machine", machine),
        Probe("Solutions", solutions),
        NBVAL.probe(),
        Probe("distributed", partial(Package.examine, DISTRIBUTED)),
    )


def elsewhere() -> Finding:
    """What `grade` says on other systems."""
    if sys.platform == "win32":
        return optional("Grading needs Linux; on Windows, run it in WSL or in a container (docs/grading.md).")
    return optional("Grading needs Linux; on this system, run it in a container (docs/grading.md).")


def sandbox() -> Finding:
    """Which isolation `grade` will take, found by running Python in a box of it, as `grade` does."""
    from ..grading.sandbox import Isolation, available, limits_files, problems

    kind, failed = available(), problems()
    if kind.is_private:
        own = _bubblewrap() if kind is Isolation.BUBBLEWRAP else "a sandbox made by the grader itself"
        words = f"{own} works: students' code sees none of your files, and no network"
        if shutil.which("bwrap") and Isolation.BUBBLEWRAP in failed:
            words += f"; bubblewrap does not work: {failed[Isolation.BUBBLEWRAP]}"
        return _with_lacks(kind, words, f"Grading is sandboxed by {kind}.")
    words, advice, *commands = _about_namespaces(failed[Isolation.NAMESPACES])
    if kind is Isolation.USER:
        words += ", so students' code runs as users made up for it"
        words += ", who can read the system and Python only" * limits_files()
        return _with_lacks(kind, words, "Grading is sandboxed, but not by namespaces.", advice, *commands)
    if os.geteuid() == 0:
        words += f", and the sandbox of other users does not work ({failed[Isolation.USER]})"
    words += ": nothing is graded, unless you trust the class and give --isolation process"
    return optional(words, advice, *commands, summary="Nothing can be graded here: there is no sandbox.")


def _about_namespaces(problem: str) -> tuple[str, ...]:
    """That they do not work, what to do, and the command for it."""
    if error := re.search(r"\w+Error: (?!.*\w+Error: ).*", problem):  # Python's own, which was started in them
        return f"Python starts in namespaces, but the grader does not work in them: {error[0]}", ""
    words = f"namespaces do not work: {problem}"
    for path, value, advice, command in USER_NAMESPACES if os.geteuid() else ():
        try:
            if Path(path).read_text(encoding="ascii").strip() == value:
                return words, advice, command
        except OSError:
            continue
    return words, "Containers often forbid namespaces; a virtual machine does not."


def _with_lacks(kind: "Isolation", words: str, summary: str, advice: str = "", *commands: str) -> Finding:
    """`words`, and what this machine cannot give to a box of this kind: the words of `grade`'s column `isolation`."""
    from ..grading.sandbox import Isolation, confine, filters_calls

    lacks = []
    is_user = kind is Isolation.USER
    if is_user and confine.landlock_version() < confine.FULL_LANDLOCK:
        lacks.append(
            "sockets without a file can be reached (old landlock)"
            if confine.landlock_version()
            else "it can read what every user of this machine can (no landlock)"
        )
    if not filters_calls():
        network = ", and the network is open" if is_user else ""
        lacks.append(f"all system calls are allowed{network} (no filter)")
    said = "; ".join([words, *lacks])
    if not (advice or lacks):
        return ok(said, summary)
    return optional(said, advice, *commands, summary=summary)


def _bubblewrap() -> str:
    try:
        return run(["bwrap", "--version"])
    except (Failed, OSError):
        return "bubblewrap"


def limits() -> Finding:
    """Whether the kernel bounds a whole box (a control group), or the grader looks at it now and then."""
    from ..grading.sandbox import Bounds, cgroups, supervisor

    gigabytes = f"{Bounds().memory / 1e9:.0f} GB"
    if groups := cgroups.parents():
        version = 2 if cgroups.UNIFIED in groups else 1
        return ok(f"control groups (version {version}) bound memory ({gigabytes}) and processes of each submission")
    often = f"{1 / supervisor.LOOK:.0f} times a second"
    words = f"no control group can be made here: memory ({gigabytes}) and processes of a submission are checked {often} instead, "
    words += "and what goes beyond is ended a moment later"
    summary = f"Memory would be checked {often}, not bounded by the kernel."
    if Path("/run/systemd/system").is_dir() and os.geteuid() != 0 and shutil.which("systemd-run"):
        command = "systemd-run --user --scope autograd-teach grade ..."
        return optional(words, "If systemd manages your session, it can give one:", command, summary=summary)
    return optional(words, summary=summary)


def machine() -> Finding:
    """Processors and memory, against what `grade` uses."""
    from ..grading.sandbox import Bounds

    jobs, each = os.cpu_count() or 2, Bounds().memory
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    words = f"{jobs} processors, {memory / 1e9:.0f} GB of memory: {jobs} answers run at a time, each with at most {each / 1e9:.0f} GB"
    if jobs * each > memory:
        fitting = max(1, int(memory // each))
        advice = "That is too little only if many use all that they may. If memory runs out, run fewer at a time:"
        return optional(words, advice, f"autograd-teach grade --jobs {fitting} ...")
    return ok(words)


def solutions() -> Finding:
    """Whether the reference solutions are found without being named."""
    try:
        return ok(str(content.folder("solutions")))
    except UserError:
        advice = "To grade, name the folder of yours, or of a copy of the repository:"
        return optional("not with an installed course", advice, "autograd-teach grade --solutions FOLDER ...")
