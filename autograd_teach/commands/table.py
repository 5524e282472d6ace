"""The commands, a row each: who uses them, what their help says, and where their code is.

Texts only: a command's code is imported when it runs. Examples are for a POSIX shell; the tests parse each of them.
"""

from __future__ import annotations

from .command import Command

STUDENTS, INSTRUCTORS, AUTHORS, EVERYBODY = "students", "instructors", "course authors", "everybody"
_INTERRUPTED_GRADING = "interrupted with Ctrl-C, or ended by SIGTERM or SIGHUP; the grades so far are written"

EXAMPLES = (
    ("Start the course in ./autograd-course, later continue there", "autograd-teach lab"),
    ("Check your answers without JupyterLab", "autograd-teach check"),
    ("Grade a folder or zip of submissions", "autograd-teach grade ps9.zip --solutions solutions/ --output ps9/"),
)
SEE = (
    "`autograd-teach COMMAND --help` explains a command. In the repository, docs/students.md is for "
    "students, docs/grading.md for instructors, docs/exercises.md for course authors, and "
    "docs/site.md for a website of your own."
)

COMMANDS = (
    Command(
        name="lab",
        audience=STUDENTS,
        summary="open the course in JupyterLab",
        usage="%(prog)s [FOLDER] [--no-browser] [--port N] [OPTION ...]",
        description="Copy lessons and exercises to FOLDER (default: ./autograd-course) and open "
        "JupyterLab there. A file that you have changed is never overwritten. FOLDER "
        "comes first. Options that are not listed here go to JupyterLab; "
        "`autograd-teach lab --help-all` lists them.",
        module="commands.lab",
        hands_on=True,
        examples=(
            ("Open the course in ./autograd-course", "autograd-teach lab"),
            ("In another folder, on a port of your choice", "autograd-teach lab ~/autograd --port 8890"),
            ("In a container: listen on all addresses", "autograd-teach lab --no-browser --ip 0.0.0.0"),
        ),
        statuses={
            0: "JupyterLab was shut down",
            1: "JupyterLab does not accept its options",
            2: "JupyterLab was not started: one sentence says why",
        },
        see="See docs/students.md in the repository.",
    ),
    Command(
        name="check",
        audience=STUDENTS,
        summary="check your exercises without JupyterLab",
        description="Run notebooks with exercises and print the result of each exercise's check. "
        "Solved exercises are noted beside the notebooks, as in JupyterLab. This is "
        "feedback; grades come from `autograd-teach grade`.",
        module="course.check_command",
        examples=(
            ("Check all exercises of ./autograd-course", "autograd-teach check"),
            ("Check one notebook", "autograd-teach check 09"),
            ("For a program: JSON on standard output", "autograd-teach check --json > results.json"),
        ),
        statuses={
            0: "every exercise passes",
            1: "an exercise does not pass, or a notebook could not be run",
        },
        see="See docs/students.md in the repository.",
    ),
    Command(
        name="progress",
        audience=STUDENTS,
        summary="show how far you are, and what to do next",
        description="Show the points of every exercise, the predictions and quiz of every lesson, "
        "and what to do next. Nothing is run: the results are those noted when checks "
        "ran and questions were answered.",
        module="commands.progress",
        examples=(
            ("Progress in ./autograd-course, or in this folder", "autograd-teach progress"),
            ("In another folder", "autograd-teach progress ~/autograd"),
        ),
        statuses={0: "done, however many exercises are solved"},
        see="See docs/students.md in the repository.",
    ),
    Command(
        name="update",
        audience=STUDENTS,
        summary="update your course and keep what you wrote",
        description="Bring lessons and exercises in FOLDER up to the installed version. Answers and"
        " cells of your own stay. If you and the course have both changed a cell, both "
        "versions are kept, one below the other. The notebooks as they were are kept in"
        " a folder of their own.",
        module="commands.update",
        examples=(
            ("Update ./autograd-course", "autograd-teach update"),
            (
                "Add what you wrote on the website",
                "autograd-teach update --from ~/Downloads/autograd-work-2026-11-20.zip",
            ),
        ),
        statuses={0: "done, also if cells are there in two versions now"},
        see="See docs/students.md in the repository.",
    ),
    Command(
        name="grade",
        audience=INSTRUCTORS,
        summary="grade a folder of submissions",
        usage="%(prog)s SUBMISSIONS [OPTION ...]\n       %(prog)s --explain STUDENT EXERCISE [OPTION ...]",
        description="Run each submission in a sandbox, judge the answers, and write grades.csv, "
        "reports and gradebook.sqlite. Only answers that are not yet judged are run. "
        "Grading needs Linux.",
        module="commands.grade",
        examples=(
            (
                "See what is recognised, without running anything",
                "autograd-teach grade ps9.zip --solutions solutions/ --dry-run",
            ),
            (
                "Grade, with a roster and a due date",
                (
                    "autograd-teach grade ps9.zip --solutions solutions/ --output ps9/ \\\n"
                    '    --roster roster.csv --due "2026-11-20 23:59" --late 10%/day'
                ),
            ),
            (
                "Say why a student got these points",
                ('autograd-teach grade --explain "Ada Lovelace" 09.Scale \\\n    --solutions solutions/ --output ps9/'),
            ),
        ),
        statuses={
            0: ("every student was graded, whatever the grades; with --explain, the answer was judged the same again"),
            1: (
                "a student could not be graded (status grader_error): grade again; with "
                "--explain, the answer was not judged the same again"
            ),
            130: _INTERRUPTED_GRADING,
        },
        see="See docs/grading.md in the repository.",
    ),
    Command(
        name="regrade",
        audience=INSTRUCTORS,
        summary="grade again after an exercise has changed",
        usage="%(prog)s [OPTION ...]",
        description="Judge those answers in the gradebook again whose exercise, course or judge has"
        " changed, write the reports with the adjustments made since, and list the marks that changed by being "
        "judged again. Grading needs Linux.",
        module="commands.regrade",
        examples=(
            (
                "After an exercise was corrected, or after adjust and comment",
                "autograd-teach regrade --solutions solutions/ --output ps9/",
            ),
        ),
        statuses={
            0: "every student was graded, whether marks changed or not",
            1: "a student could not be graded (status grader_error): grade again",
            130: _INTERRUPTED_GRADING,
        },
        see="See docs/exercises.md, “An exercise was wrong”, and docs/grading.md in the repository.",
    ),
    Command(
        name="adjust",
        audience=INSTRUCTORS,
        summary="give other points than the judge, with a reason",
        description="Replace the judge's points for one exercise of one student, with a reason that"
        " the student reads. Later grading keeps the adjustment. Nothing in the "
        "gradebook is overwritten, and --withdraw takes the adjustment back.",
        module="commands.adjust",
        examples=(
            (
                "Give 1.5 points",
                (
                    'autograd-teach adjust "Ada Lovelace" 09.Scale 1.5 \\\n'
                    '    --because "right but for a sign" --output ps9/'
                ),
            ),
            ("Take it back", 'autograd-teach adjust "Ada Lovelace" 09.Scale --withdraw --output ps9/'),
        ),
        statuses={0: "noted in the gradebook; reports have it after the next regrade"},
        see="See docs/grading.md in the repository.",
    ),
    Command(
        name="comment",
        audience=INSTRUCTORS,
        summary="write to a student, on the student's page",
        description="Add a comment to a student's page, at its top or beside one exercise. It changes no points.",
        module="commands.comment",
        examples=(
            ("At the top of the page", 'autograd-teach comment "Ada Lovelace" "Come and see me." --output ps9/'),
            (
                "Beside one exercise",
                ('autograd-teach comment "Ada Lovelace" "Well done." --exercise 09.Scale \\\n    --output ps9/'),
            ),
        ),
        statuses={0: "noted in the gradebook; pages have it after the next regrade"},
        see="See docs/grading.md in the repository.",
    ),
    Command(
        name="release",
        audience=AUTHORS,
        summary="make the exercises from the solutions",
        description="Make the students' exercises from the solutions, which are their only source.",
        module="commands.release",
        examples=(
            ("Of this repository", "autograd-teach release"),
            ("Of a course of your own", "autograd-teach release --solutions my-solutions --exercises my-exercises"),
            ("In continuous integration", "autograd-teach release --check"),
        ),
        statuses={
            0: "the exercises are up to date",
            1: "with --check, an exercise is out of date",
        },
        see="See docs/exercises.md in the repository.",
    ),
    Command(
        name="validate",
        audience=AUTHORS,
        summary="test the exercises themselves",
        description="Test every exercise: its solution passes, the notebook that students get "
        "counts as not attempted, each known mistake gets its own message, there are "
        "hints, points and stored outputs match the declaration, and the released "
        "notebook is up to date.",
        module="commands.validate",
        examples=(
            ("All exercises of this repository", "autograd-teach validate"),
            ("Those of one notebook", "autograd-teach validate 09"),
        ),
        statuses={0: "every exercise is fit for students", 1: "an exercise has a problem; each is listed"},
        see="See docs/exercises.md in the repository.",
    ),
    Command(
        name="notebooks",
        audience=AUTHORS,
        summary="run notebooks and store them in canonical form",
        description="Run each notebook from top to bottom and write it in canonical form, with its "
        "outputs and with the points that the course declares.",
        module="commands.notebooks",
        examples=(
            ("After an edit", "autograd-teach notebooks solutions/09_custom_functions.ipynb"),
            ("In continuous integration", "autograd-teach notebooks --check lessons solutions"),
        ),
        statuses={
            0: "the notebooks are up to date",
            1: "with --check, a notebook is not in canonical form, or a run gives other outputs",
            2: "not done: a notebook cannot be read, or a cell fails; one sentence says why",
        },
        see="See docs/exercises.md in the repository.",
    ),
    Command(
        name="site",
        audience=AUTHORS,
        summary="make a website of the course",
        usage="%(prog)s OUTPUT [OPTION ...]",
        description="Write the course as a folder of static files for any web server: pages to "
        "read, and notebooks that run in the reader's browser. Needs the packages of "
        '`pip install "autograd-teach[site]"`, unless --pages-only is given.',
        module="site.command",
        examples=(
            ("The course as installed", "autograd-teach site public --base-url https://example.org/autograd"),
            (
                "With exercises and a name of your own",
                'autograd-teach site public --exercises my-exercises --name "Autograd 101"',
            ),
        ),
        statuses={0: "the site is in OUTPUT"},
        see="See docs/site.md in the repository.",
    ),
    Command(
        name="graph",
        audience=EVERYBODY,
        summary="draw the graph of a script's variable",
        description="Run a script and draw the autograd graph of one of its variables, to a file or as text.",
        module="viz.command",
        examples=(
            ("As text in the terminal", "autograd-teach graph train.py:loss"),
            ("As a picture", "autograd-teach graph train.py:loss -o loss.svg"),
            ("The backward pass, to be stepped through", "autograd-teach graph train.py:loss --play -o loss.html"),
        ),
        statuses={
            0: "the graph is printed or written",
            2: "not done: the script fails, there is nothing to draw, or FILE cannot be written",
        },
        see="See docs/views.md in the repository.",
    ),
    Command(
        name="doctor",
        audience=EVERYBODY,
        summary="say what this machine has, and what is missing",
        description="Examine this machine: Python and its packages, Graphviz, sandboxes for grading, ports, and the "
        "folder of your course. The report says what is slower or missing, and what to do.",
        module="doctor",
        examples=(
            ("Before the first lesson, or if something does not work", "autograd-teach doctor"),
            ("To be attached to a bug report", "autograd-teach doctor --json > doctor.json"),
        ),
        statuses={
            0: "the course can be opened and run here",
            1: "it cannot: the report says what to do",
        },
    ),
    Command(
        name="completion",
        audience=EVERYBODY,
        summary="print a completion script for your shell",
        description="Print a script with which your shell completes commands, options and paths "
        "when you press Tab. Make it again after an upgrade of autograd-teach.",
        module="commands.completion",
        examples=(
            (
                "bash: and `source ~/.autograd-teach.bash` in ~/.bashrc",
                "autograd-teach completion bash > ~/.autograd-teach.bash",
            ),
            (
                "zsh: in a folder of $fpath, which is set before compinit in ~/.zshrc",
                "autograd-teach completion zsh > ~/.zfunc/_autograd-teach",
            ),
            (
                "fish: nothing else to do",
                ("autograd-teach completion fish > \\\n    ~/.config/fish/completions/autograd-teach.fish"),
            ),
            (
                "tcsh: and `source ~/.autograd-teach.tcsh` in ~/.tcshrc",
                "autograd-teach completion tcsh > ~/.autograd-teach.tcsh",
            ),
            (
                "PowerShell: and `. ~/autograd-teach.ps1` in $PROFILE",
                "autograd-teach completion powershell > ~/autograd-teach.ps1",
            ),
        ),
        statuses={0: "the script is printed"},
    ),
)
