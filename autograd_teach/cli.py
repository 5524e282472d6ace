"""The `autograd-teach` command: reads the command line and calls the part of the package that does the work.

Each part is imported when its command runs, so that `--help` is quick and a part that is broken or lacks a library
does not take the others with it. What a user can mend is a `UserError`: one sentence and status 2. Everything else is a bug and
keeps its traceback.
"""

from __future__ import annotations  # so that an old Python gets as far as the sentence it is told

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

OLDEST_PYTHON = (3, 11)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command named in `arguments` (default: the process's own) and return its exit status."""
    if sys.version_info < OLDEST_PYTHON:
        needed, found = (".".join(map(str, v)) for v in (OLDEST_PYTHON, sys.version_info[:2]))
        return _complain(f"autograd-teach needs Python {needed} or later, and this is Python {found}.")
    from .course.errors import UserError

    try:
        return _run(list(sys.argv[1:] if arguments is None else arguments))
    except UserError as error:
        return _complain(str(error))
    except KeyboardInterrupt:
        return 130  # 128 + SIGINT, as shells have it


def _complain(sentence: str) -> int:
    from .plain import visible  # a sentence may name what a student named

    print(visible(f"autograd-teach: {sentence}"), file=sys.stderr)
    return 2


def _run(arguments: list[str]) -> int:
    name = next((argument for argument in arguments if not argument.startswith("-")), None)
    parser = _parser(name)
    args, rest = parser.parse_known_args(arguments)
    if args.command == "lab" and arguments[0] == "lab":  # what follows may be JupyterLab's
        return _lab(args, rest)
    if rest:
        parser.error(f"unrecognized arguments: {' '.join(rest)}")
    if args.command is None:
        parser.print_help()
        return 0
    if args.command == "check":
        from .course import check_command

        return check_command.run(args)
    if args.command == "progress":
        return _progress(args)
    if args.command == "update":
        return _update(args)
    if args.command == "release":
        return _release(args)
    if args.command == "validate":
        return _validate(args)
    if args.command == "notebooks":
        return _notebooks(args)
    if args.command == "graph":
        from .viz import command as graph_command

        return graph_command.run(args)
    if args.command == "site":
        from .site import command as site_command

        return site_command.run(args)
    from .grading import command

    if args.command in ("adjust", "comment"):
        return command.run_remark(args)
    if sys.platform == "win32":
        from .course.errors import UserError

        raise UserError("Grading needs Linux; on Windows, run it in WSL or in a container (docs/grading.md).")
    return command.run_regrade(args) if args.command == "regrade" else command.run(args)


def _parser(name: str | None) -> argparse.ArgumentParser:
    """The whole command line; the options of `grade` are grading's own and are loaded only where `name` asks for them."""
    parser = argparse.ArgumentParser(
        prog="autograd-teach",
        description="Learn automatic differentiation in JupyterLab, and grade those who do.",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action=_Version)
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", title="commands")

    lab = commands.add_parser(
        "lab",
        help="open the course in JupyterLab",
        usage="autograd-teach lab [FOLDER] [--no-browser] [--port N] [options of JupyterLab]",
        description="Copy lessons and exercises to FOLDER, never overwriting a file you have changed, and open JupyterLab there.",
        epilog="FOLDER comes first and is ./autograd-course if left out. All other options go to JupyterLab.",
        allow_abbrev=False,
    )
    lab.add_argument("--no-browser", action="store_true", help="only print the address to open")
    lab.add_argument(
        "--port",
        type=_port,
        metavar="N",
        help="this port, or an error (default: the next free one)",
    )

    check = commands.add_parser(
        "check",
        help="check your exercises without JupyterLab",
        description="Run notebooks with exercises and say of each exercise what its check in the notebook says. What you have "
        "solved is noted beside the notebooks, as when the checks run in JupyterLab.",
        epilog="Status 0 where everything passes, else 1. This is feedback; grades come from `autograd-teach grade`.",
        allow_abbrev=False,
    )
    if name == "check":
        from .course import check_command

        check_command.add_arguments(check)

    progress = commands.add_parser(
        "progress",
        help="show how far you are, and what to do next",
        description="Show every exercise with its points, every lesson with its predictions and its quiz, and what to do next, as "
        "noted beside the notebooks when checks ran and questions were answered.",
        allow_abbrev=False,
    )
    progress.add_argument("folder", nargs="?", type=Path, metavar="FOLDER", help="default: ./autograd-course")

    update = commands.add_parser(
        "update",
        help="bring your course up to this version and keep what you wrote",
        description="Bring lessons and exercises in FOLDER up to this version of the course. What you wrote stays: answers, cells of your "
        "own, and beside the new version what you changed in a cell that has changed too. The notebooks as they were are kept as well.",
        allow_abbrev=False,
    )
    update.add_argument("folder", nargs="?", type=Path, metavar="FOLDER", help="default: ./autograd-course")
    update.add_argument(
        "--from",
        dest="source",
        type=Path,
        metavar="FILE",
        help="instead, take up what you wrote elsewhere: the .zip from the page “Your work” of the course's website, or a notebook. "
        "Nothing is overwritten; a FOLDER without a course is made",
    )

    release = commands.add_parser(
        "release",
        help="make the exercises from the solutions",
        description="Make the students' exercises from the solutions, which are their only source.",
        allow_abbrev=False,
    )
    release.add_argument("--solutions", type=Path, metavar="FOLDER", help="default: those of this repository")
    release.add_argument("--exercises", type=Path, metavar="FOLDER", help="default: exercises/ beside the solutions")
    release.add_argument("--check", action="store_true", help="write nothing; status 1 if a file is out of date")

    validate = commands.add_parser(
        "validate",
        help="examine the exercises themselves",
        description="Of every exercise: its solution passes, what students get is not attempted, each known mistake is called by its "
        "own message, there are hints, points and stored outputs are those of the declaration, and the released notebooks are up to date. Status 1 where "
        "something is not so.",
        allow_abbrev=False,
    )
    validate.add_argument(
        "notebook", nargs="?", metavar="NOTEBOOK", help="those of one notebook, like 09 (default: all)"
    )
    validate.add_argument("--solutions", type=Path, metavar="FOLDER", help="default: those of this repository")
    validate.add_argument("--exercises", type=Path, metavar="FOLDER", help="default: exercises/ beside the solutions")

    notebooks = commands.add_parser(
        "notebooks",
        help="run notebooks and store them in canonical form",
        description="Run each notebook from top to bottom and store it, with its outputs and the points that the course declares, "
        "in canonical form.",
        allow_abbrev=False,
    )
    notebooks.add_argument("paths", nargs="+", type=Path, metavar="PATH", help="notebook or folder")
    notebooks.add_argument("--check", action="store_true", help="write nothing; status 1 if a file would change")

    graph = commands.add_parser(
        "graph",
        help="draw the graph of a script's variable",
        description="Run a script and draw the graph behind one of its variables: to a file, or without -o as text.",
        epilog="Example: autograd-teach graph train.py:loss -o loss.svg",
        allow_abbrev=False,
    )
    if name == "graph":
        from .viz import command as graph_command

        graph_command.add_arguments(graph)

    site = commands.add_parser(
        "site",
        help="make the course a website",
        description="Write the course as a folder of static files, which any web server serves: pages to read, and notebooks that run in "
        'the reader\'s browser. Needs what `pip install "autograd-teach[site]"` adds.',
        epilog="Example: autograd-teach site public --base-url https://example.org/autograd (docs/site.md)",
        allow_abbrev=False,
    )
    if name == "site":
        from .site import command as site_command

        site_command.add_arguments(site)

    grade = commands.add_parser("grade", help="grade a folder of submissions", allow_abbrev=False)
    if name == "grade":
        from .grading import command

        command.add_arguments(grade)

    regrade = commands.add_parser(
        "regrade",
        help="judge again what a changed exercise concerns",
        description="Judge again the answers in a gradebook whose exercise, course or judge has changed, and list the grades that changed.",
        allow_abbrev=False,
    )
    if name == "regrade":
        from .grading import command

        command.add_regrade_arguments(regrade)

    remarks = {
        "adjust": commands.add_parser(
            "adjust",
            help="give other points than the judge, with a reason",
            description="Give one mark in the gradebook other points than the judge gave, with a reason; it holds whatever is judged "
            "again. Nothing in the gradebook is overwritten, and --withdraw takes it back.",
            epilog="Example: autograd-teach adjust “Ada Lovelace” 09.Scale 1.5 --because “right but for a sign” --output ps9/",
            allow_abbrev=False,
        ),
        "comment": commands.add_parser(
            "comment",
            help="write to a student, on the student's page",
            description="Add a comment to a student's page, at its top or beside one exercise. It changes no points.",
            epilog="Example: autograd-teach comment “Ada Lovelace” “Come and see me.” --exercise 09.Scale --output ps9/",
            allow_abbrev=False,
        ),
    }
    if name in remarks:
        from .grading import command

        command.add_remark_arguments(remarks[name], name)
    return parser


class _Version(argparse.Action):
    """`--version`, looked up only when asked for: importlib.metadata takes its time."""

    def __init__(self, option_strings: Sequence[str], dest: str) -> None:
        super().__init__(option_strings, dest, nargs=0, help="show the version and exit")

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from importlib.metadata import version

        print(f"autograd-teach {version('autograd-teach')}")
        parser.exit()


def _port(text: str) -> int:
    if not (text.isdecimal() and 1 <= int(text) <= 65535):
        raise argparse.ArgumentTypeError(f"{text!r} is no port; give a number from 1 to 65535")
    return int(text)


def _lab(args: argparse.Namespace, rest: list[str]) -> int:
    from .course.errors import UserError
    from .course.lab import open_lab

    named = bool(rest) and not rest[0].startswith("-")
    folder, rest = (Path(rest[0]), rest[1:]) if named else (None, rest)
    before = "--x=y"
    for argument in rest:
        # After `--ip` a bare word is its value; after `--ip=...` it can only be a folder in the wrong place.
        if not argument.startswith("-") and (not before.startswith("-") or "=" in before):
            raise UserError(
                f"{argument!r} comes too late for the course's folder, which is named before all options: "
                "autograd-teach lab FOLDER --option ..."
            )
        before = argument
    return open_lab(folder, browser=not args.no_browser, port=args.port, arguments=rest)


def _progress(args: argparse.Namespace) -> int:
    from .course.checking import Progress
    from .course.errors import UserError
    from .course.exercises import exercises
    from .course.home import home
    from .course.lab import DEFAULT_FOLDER

    folder = args.folder or (DEFAULT_FOLDER if DEFAULT_FOLDER.is_dir() else Path())
    if not folder.is_dir():
        raise UserError(
            f"There is no folder {args.folder}; name the one in which your course is: autograd-teach progress FOLDER."
        )
    page = home(folder)
    print(Progress(exercises(), dict(page.solved)), page, sep="\n\n")
    return 0


def _update(args: argparse.Namespace) -> int:
    from .course.lab import DEFAULT_FOLDER

    folder = args.folder or DEFAULT_FOLDER
    if args.source is not None:
        from .course.take_up import take_up
        from .plain import visible

        print(visible(str(take_up(folder, args.source))))
        return 0
    from .course.update import update

    print(update(folder))
    return 0


def _release(args: argparse.Namespace) -> int:
    from .course import content, release

    solutions = args.solutions or content.folder("solutions")
    _note(content.without_effect(solutions))
    exercises = args.exercises or solutions.parent / "exercises"
    changed = release.release(solutions, exercises, args.check)
    for path in changed:
        print(f"{'out of date' if args.check else 'written'}: {path}")
    return 1 if args.check and changed else 0


def _validate(args: argparse.Namespace) -> int:
    from .course import content, validate

    solutions = args.solutions or content.folder("solutions")
    _note(content.without_effect(solutions))
    problems = 0
    for each in validate.validate(solutions, args.exercises or solutions.parent / "exercises", args.notebook):
        lines = each.problems or ("fit",)
        notes = [f"note: {note}" for note in each.notes]
        print(f"{each.exercise.id}: " + "\n  ".join([*lines, *notes]), flush=True)
        problems += bool(each.problems)
    print(f"{problems} exercises need mending" if problems else "all exercises are fit")
    return 1 if problems else 0


def _notebooks(args: argparse.Namespace) -> int:
    from .course import content, notebooks, release

    for room in {path if path.is_dir() else path.parent for path in args.paths}:
        _note(content.without_effect(room))
    notebooks.canonicalise(args.paths, check=args.check, correct=release.declare_points)
    return 0


def _note(sentence: str) -> None:
    if sentence:
        print(f"note: {sentence}", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
