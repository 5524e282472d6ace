"""What students can name, through every way out: terminal, spreadsheet, page; and the files that platforms import."""

import csv
import io
import json
import re
import unicodedata
from collections.abc import Callable
from contextlib import closing, redirect_stdout
from dataclasses import replace
from pathlib import Path

import pytest

from autograd_teach import cli, files
from autograd_teach.course.errors import UserError
from autograd_teach.grading import gradebook, reports
from autograd_teach.grading.explain import explain_in
from autograd_teach.grading.gradebook import Basis, Judged
from autograd_teach.grading.lateness import Late, penalised
from autograd_teach.grading.reports.similarity import LEAST, alike, normal_form
from autograd_teach.grading.results import Adjustment, Mark, Result, Status, hash_of
from autograd_teach.grading.submissions import pseudonyms, roster
from autograd_teach.grading.submissions.intake import Submission
from autograd_teach.grading.submissions.preview import preview
from autograd_teach.grading.submissions.selection import NO_WISHES
from autograd_teach.plain import cell

NASTY = {
    "escape": "\x1b[2J\x1b]0;taken\x07\x9b31m",
    "turned round": "\u202egnp.exe\u2066\u200f",
    "another line": "Ada\n2/2 Bob: pass\rEve\x85Lou\u2028Mia\x0b\x0c",
    "hidden": "a\u00ad\ufeff\u2060\U000e0041b",
    "half a letter": "\ud800 \udfff",
    "nothing": "\x00\x08\x7f",
    "page": "</pre><script>alert(1)</script>\"'&",
    "formula": "=1+1", "plus": "+1", "minus": "-1+cmd|' /C calc'!A0", "at": "@SUM(A1)", "tab": "\t=1", "blank": " =1",
    "no-break": "\xa0=1", "quoted": '"=1"', "curled": "“=1”", "carriage": "\r=1", "new line": "a\n=1",
    "semicolon": ";=HYPERLINK(1)", "within": "ada;=1;+2;@x", "two": "a;;=1", "quotes": 'a"; "=1', "tab within": "a\t=1", "pipe": "a|=1",
    "wide": "＝1", "wide within": "a;＝1", "small": "﹦1", "raised": "⁼1", "wide plus": "＋1", "wide minus": "－1",
    "real minus": "−1", "dash": "–1", "wide at": "＠x", "two equals": "⩵1", "joined": "\u200d=1", "filler": "\u3164=1",
    "comma": "a,=1", "end of cell": 'a"\n=1',
}  # fmt: skip
UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff]|[\U000e0000-\U000e007f]"
)


def nasty(words: str) -> Result:
    given = Adjustment(1, 2, words, words, "2026-11-22")
    more = {"adjusted": given, "comment": words, "recorded": "failed", "said": words}
    mark = Mark("a", Status.FAIL, 2, f"x {words}", "oracle", "process", 1, "ab" * 32, **more)  # type: ignore[arg-type]
    ids = (("Email address", words), ("ID", "12"), ("Section", words), (f"roster {words}", words))
    return Result(words, (mark,), words, ids, 0.5, words, (words, words))


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def bar(words: str, stream: io.StringIO) -> str:
    progress = reports.Progress(stream, 1)
    progress.show(nasty(words))
    return stream.getvalue().removeprefix("\r")


def sentence(words: str) -> str:
    stream = io.StringIO()
    reports.say(stream, f"Not on the roster: {words}")
    return stream.getvalue()


def shown(words: str) -> str:
    with redirect_stdout(io.StringIO()) as stream:
        reports.show(words)
    return stream.getvalue()


def explained(words: str, folder: Path) -> str:
    name = words.encode("utf-8", "replace").decode()  # half a letter is none that the gradebook keeps
    with gradebook.writing(folder) as book:
        book.begin("course", {}, {})
        mark = replace(nasty(name).marks[0], source="")
        text = f"{name}\n{name}"
        judged = Judged(name, "notebook", mark, Basis(*"abcdef"), answer=hash_of(text), note=name)
        book.add(name, name, [judged], {hash_of(text): text})
    return explain_in(name, "a", [], output=folder, as_then=lambda *_: pytest.fail("there is nothing to judge"))[0]


TERMINAL: dict[str, tuple[Callable[[str, Path], str], int | None]] = {
    "table": (lambda words, _: reports.table([nasty(words)]), 6),
    "bar": (lambda words, _: bar(words, Terminal()), 1),
    "line a student": (lambda words, _: bar(words, io.StringIO()), 1),
    "sentence": (lambda words, _: sentence(words), 1),
    "text": (lambda words, _: shown(words), None),
    "explain": (explained, None),
    "dry run": (lambda words, _: preview([Submission(words, fault=words, notes=[words])], [], NO_WISHES), 6),
}


@pytest.mark.parametrize("outlet", TERMINAL)
@pytest.mark.parametrize("name", NASTY)
def test_no_terminal_gets_anything_but_text(tmp_path: Path, name: str, outlet: str) -> None:
    put, lines = TERMINAL[outlet]
    text = put(NASTY[name], tmp_path)
    assert not UNSEEN.search(text)
    assert lines is None or (len(text.splitlines()), "\t" in text) == (lines, False)


def test_what_explain_says_keeps_its_lines(tmp_path: Path) -> None:
    text = explained("Ada\n  judge  oracle", tmp_path)
    assert sum(line.startswith("  judge ") for line in text.splitlines()) == 1


def test_explain_says_what_was_found_right_below_why(tmp_path: Path) -> None:
    lines = [line.split() for line in explained("x.py", tmp_path).splitlines()]
    assert lines[lines.index(["why", "x", "x.py"]) + 1] == ["note", "x.py"]


def test_a_sentence_about_a_fault_is_text_too(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_: object) -> int:
        raise UserError(f"There is no student {NASTY['escape']}.")

    monkeypatch.setattr(cli, "_run", refuse)
    assert cli.main([]) == 2
    assert not UNSEEN.search(capsys.readouterr().err)


def test_a_terminal_that_lacks_a_letter_gets_a_question_mark(monkeypatch: pytest.MonkeyPatch) -> None:
    with closing(io.TextIOWrapper(io.BytesIO(), encoding="ascii")) as stream:
        reports.say(stream, "Zoë")
        assert stream.buffer.getvalue() == b"Zo?\n"  # type: ignore[attr-defined]


def starts_formula(found: str) -> bool:
    """As the most generous of spreadsheets would have it, but for a plain number, which is one."""
    if re.fullmatch(r"[+-]\d+", found):
        return False
    letters = unicodedata.normalize("NFKC", found.replace("\u200d", "").replace("\u3164", ""))
    return letters.strip(' \t\r\n"“”„«»').startswith(("=", "+", "-", "@", "−", "–"))


def key_of(results: list[Result], folder: Path) -> Path:
    pseudonyms.of([result.student for result in results], folder / "key.csv")
    return folder / "key.csv"


SHEETS = (
    {"grades": reports.write_csv}
    | {
        kind: lambda results, folder, kind=kind: reports.write(kind, results, folder, str)
        for kind in ("moodle", "canvas")
    }
    | {"pseudonyms": key_of}
)


@pytest.mark.parametrize("sheet", SHEETS)
@pytest.mark.parametrize("name", NASTY)
def test_no_spreadsheet_computes_what_a_student_named(tmp_path: Path, name: str, sheet: str) -> None:
    text = SHEETS[sheet]([nasty(NASTY[name])], tmp_path).read_text("utf-8-sig")
    assert not UNSEEN.search(text)
    for separator in ",;\t|":
        for row in csv.reader(io.StringIO(text, newline=""), delimiter=separator):
            assert not any(map(starts_formula, row)), separator


PLAIN = ["Ada", "Zoë Ångström 🚀", "O'Neill-Smith, Jr.", "'t Hooft", "100% Ada", "李雷", "نرگس\u200cها"]
ODD = ["=1+1", "+x", "-x", "@x", "'=x", "''=x", "\t=x", "a\tb", "a\r\nb", "ü;=ä", "'%00003d", "'%00003dx", "=%00003d"]


@pytest.mark.parametrize("name", [*PLAIN, *ODD, *NASTY.values()])
def test_a_name_in_the_file_of_pseudonyms_comes_back_exactly(tmp_path: Path, name: str) -> None:
    names = ["Ada Lovelace", name]
    first = pseudonyms.of(names, tmp_path / "key.csv")
    assert pseudonyms.of(names, tmp_path / "key.csv") == first and list(first) == names
    text = (tmp_path / "key.csv").read_bytes().decode("utf-8-sig")
    assert (tmp_path / "key.csv").read_bytes().startswith(b"\xef\xbb\xbf"), "else Excel reads ä as Ã¤"
    shown = [row[1] for row in csv.reader(io.StringIO(text, newline=""))]
    assert cell(shown[2]) == shown[2], "no spreadsheet computes it"
    assert shown[2] == name or name not in PLAIN
    assert shown[2] == "'%00003d1%00002b1" or name != "=1+1"


def test_a_file_of_pseudonyms_of_before_is_read(tmp_path: Path) -> None:
    """It had names as they are, and no mark of its encoding."""
    given = dict(zip([*PLAIN, "=1+1", "'=x", '"a"\nb', "'100% Ada"], [f"S-{n}" for n in range(99)], strict=False))
    rows = [["pseudonym", "student"], *([pseudonym, name] for name, pseudonym in given.items())]
    (tmp_path / "key.csv").write_bytes(files.as_csv(rows).encode())
    assert pseudonyms.of(given, tmp_path / "key.csv") == given
    written = pseudonyms.of([*given, "Eve"], tmp_path / "key.csv")
    assert pseudonyms.of(given, tmp_path / "key.csv") == written == {**given, "Eve": written["Eve"]}


@pytest.mark.parametrize(
    "words", ["Ada Lovelace", "2 - 1 = 1", "fail (x[0]: -8.2, -3); b: fail", "O'Neill-Smith", "a@x.org", "نرگس\u200cها"]
)
def test_what_is_harmless_stays_as_it_is(words: str) -> None:
    assert cell(words) == words


@pytest.mark.parametrize("name", NASTY)
def test_pages_and_files_for_programs_hide_nothing(tmp_path: Path, name: str) -> None:
    results = [nasty(NASTY[name])]
    for path in reports.write("html", results, tmp_path, lambda _: NASTY[name]).parent.rglob("*.html"):
        text = path.read_text()
        assert not UNSEEN.search(text)
        assert "<script>" not in text
    read = json.loads(reports.write("gradescope", results, tmp_path, str).read_text())
    assert not UNSEEN.search(read["output"] + read["tests"][0]["output"])


# ---- Moodle and Canvas ------------------------------------------------------------------------------------------------

MOODLE = """Identifier,Full name,Email address,Status,Grade,Maximum Grade
Participant 11,Ada Lovelace,ada@x.org,Submitted,-,100
Participant 12,Bob,+bob@x.org,No submission,-,100
"""
CANVAS = """Student,ID,SIS User ID,SIS Login ID,Section,Essay (77),09.a (4711),Current Score
    Points Possible,,,,,5,2,(read only)
"Lovelace, Ada",101,S1,ada,Autograd 1,4,1,80
"Hopper, Grace",102,S2,-12,Autograd 2,5,2,90
"""
GRADED = (Mark("09.a", Status.PASS, 2), Mark("09.b", Status.GRADER_ERROR, 2.5))
NOT_SO = (Mark("09.a", Status.FAIL, 2), Mark("09.b", Status.PASS, 2.5))
UPLOADS = {
    "Moodle's worksheet": ("moodle", MOODLE, [
        ["Full name", "Email address", "09.a", "09.b", "total"],
        ["Ada Lovelace", "ada@x.org", "2", "", ""],
        ["Bob", "'+bob@x.org", "0", "2.5", "2.5"],
    ]),
    "addresses alone": ("moodle", "email\na@x.org\nb@x.org\n", [
        ["Full name", "email", "09.a", "09.b", "total"],
        ["a@x.org", "a@x.org", "2", "", ""],
        ["b@x.org", "b@x.org", "0", "2.5", "2.5"],
    ]),
    "Canvas's gradebook": ("canvas", CANVAS, [
        ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", "09.a (4711)"],
        ["    Points Possible", "", "", "", "", "2"],
        ["Lovelace, Ada", "101", "S1", "ada", "Autograd 1", "2"],
        ["Hopper, Grace", "102", "S2", "-12", "Autograd 2", "0"],
    ]),
    "a whole assignment": ("canvas", CANVAS.replace("09.a (4711)", "09_custom (4712)"), [
        ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", "09_custom (4712)"],
        ["    Points Possible", "", "", "", "", "4.5"],
        ["Lovelace, Ada", "101", "S1", "ada", "Autograd 1", ""],
        ["Hopper, Grace", "102", "S2", "-12", "Autograd 2", "2.5"],
    ]),
    "logins alone": ("canvas", "name,SIS Login ID\nAda,ada\nBob,bob\n", [
        ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", "09.a", "09.b"],
        ["    Points Possible", "", "", "", "", "2", "2.5"],
        ["Ada", "", "", "ada", "", "2", ""],
        ["Bob", "", "", "bob", "", "0", "2.5"],
    ]),
}  # fmt: skip


def class_of(text: str, folder: Path) -> list[Result]:
    (folder / "roster.csv").write_text(text)
    of_roster = roster.read(folder / "roster.csv")
    return [
        Result(row.name, marks, "", (*row.columns.items(), ("late", "no")))
        for row, marks in zip(of_roster, (GRADED, NOT_SO), strict=True)
    ]


@pytest.mark.parametrize(("kind", "text", "expected"), UPLOADS.values(), ids=UPLOADS)
def test_a_platform_gets_its_own_columns_back(tmp_path: Path, kind: str, text: str, expected: list[list[str]]) -> None:
    """Whose grade is not known gets none, and who is not on the roster is left out."""
    class_ = [*class_of(text, tmp_path), Result("stranger", NOT_SO, "", (("late", "no"),))]
    paths = [reports.write(kind, each, tmp_path, str) for each in (class_, class_, class_[:1])]
    assert [path.name for path in paths] == [f"grades-{kind}.csv", f"grades-{kind}.csv", f"grades-2-{kind}.csv"]
    assert not paths[0].read_bytes().startswith(b"\xef")
    with paths[0].open(newline="", encoding="utf-8") as file:
        assert list(csv.reader(file)) == expected


TAKEN = Adjustment(1, 2, "half right", "Prof", "2026-11-22")
OF_ADA = (("email", "a@x.org"), ("ID", "7"))
REVISED = {  # exercises' marks, Moodle's columns and total, Canvas's columns: 20% are taken off what is not adjusted
    "late": ((Mark("09.a", Status.PASS, 2), Mark("09.b", Status.PARTIAL, 2, part=0.5)), ["2", "1", "2.4"], ["1.6", "0.8"]),
    "late and adjusted": ((Mark("09.a", Status.FAIL, 2, adjusted=TAKEN), Mark("09.b", Status.PASS, 2)), ["1", "2", "2.6"], ["1", "1.6"]),
    "adjusted alone": ((Mark("09.a", Status.FAIL, 2, adjusted=TAKEN),), ["1", "1"], ["1"]),
    "a fault of the grader's, adjusted": ((replace(GRADED[1], adjusted=TAKEN),), ["1.25", "1.25"], ["1.25"]),
    "one that is not": (GRADED, ["2", "", ""], ["1.6", ""]),
    "nothing": ((Mark("09.a", Status.MISSING, 2),), ["0", "0"], ["0"]),
}  # fmt: skip


@pytest.mark.parametrize(("given", "moodle", "canvas"), REVISED.values(), ids=REVISED)
def test_a_total_that_is_uploaded_has_the_penalty(
    tmp_path: Path, given: tuple[Mark, ...], moodle: list[str], canvas: list[str]
) -> None:
    """Moodle's column `total` has it; Canvas has no such column and adds up those that it gets."""
    late = Late("10%/day", "2026-11-21 00:00:00")
    times = (("submitted", "2026-11-22 01:00:00"), ("late", "yes"))
    class_ = penalised([Result("ada", given, "", (*OF_ADA, *times)), Result("stranger", given, "", times)], late)
    for kind, expected in (("moodle", moodle), ("canvas", canvas)):
        with reports.write(kind, class_, tmp_path, str).open(newline="", encoding="utf-8") as file:
            *_, row = csv.reader(file)
        assert row[0] == "ada", "who is on no roster is in no upload"
        assert row[-len(expected) :] == expected


UNFIT = {
    "no roster": ("moodle", [{}], "needs a column by which Moodle identifies users: Email address, ID number or Username. Run `grade` once with a --roster"),
    "nothing of Moodle's": ("moodle", [{"ID": "7"}], "Email address, ID number or Username"),
    "nothing of Canvas's": ("canvas", [{"email": "a@x.org"}], "ID, SIS User ID or SIS Login ID"),
    "somebody without": ("moodle", [{"email": "a@x.org"}, {"email": ""}], "filled in for every student: Email address"),
}  # fmt: skip


@pytest.mark.parametrize(("kind", "columns", "said"), UNFIT.values(), ids=UNFIT)
def test_a_roster_that_does_not_do_is_told_before_anything_runs(
    kind: str, columns: list[dict[str, str]], said: str
) -> None:
    with pytest.raises(UserError, match=re.escape(said)):
        reports.refuse_unfit([kind], columns)
    reports.refuse_unfit(["html", "json"], columns)


# ---- equal answers ----------------------------------------------------------------------------------------------------

ANSWER = '''
def jacobian(function, x):
    """The Jacobian."""
    if x.ndim != 1:
        raise ValueError(f"x has {x.ndim} dimensions")
    rows = []
    for index in range(len(function(x))):
        x.grad = None
        function(x)[index].backward()
        assert x.grad is not None, "no gradient"
        print("row", index)
        rows.append(x.grad.clone())
    if not rows:
        return torch.zeros(0, len(x))
    for row in rows:
        row *= 1
    return torch.stack(rows)
'''
SAME = {
    "a copy": ANSWER,
    "names": re.sub(r"\brows\b", "lines", ANSWER.replace("index", "i").replace("function", "f")),
    "comments and layout": ANSWER.replace("    ", "  ").replace("rows = []", "rows = []  # none yet\n\n"),
    "messages": ANSWER.replace("dimensions", "axes")
    .replace("no gradient", "none")
    .replace('"row"', '"line"')
    .replace("The Jacobian", "It"),
}
OTHER = {
    "another number": ANSWER.replace("!= 1", "!= 2"),
    "names that mean another thing": ANSWER.replace("row *= 1", "rows *= 1"),
    "another function": ANSWER.replace("torch.stack", "torch.cat"),
    "one line less": ANSWER.replace("        x.grad = None\n", ""),
}


@pytest.mark.parametrize("name", SAME)
def test_answers_are_equal_up_to_what_does_not_matter(name: str) -> None:
    assert normal_form(SAME[name]) == normal_form(ANSWER)


@pytest.mark.parametrize("name", OTHER)
def test_answers_differ_in_what_matters(name: str) -> None:
    assert normal_form(OTHER[name]) != normal_form(ANSWER)


BROKEN = [
    "def f(x:\n  return x # a",
    "(" * 9_000,
    "-" * 9_000 + "1",
    "a" + ".b" * 9_000,
    "\x00",
    "%matplotlib inline\nx = 1",
    "x" * 199_999,
    "\ud800",
]


@pytest.mark.parametrize("text", BROKEN, ids=range(len(BROKEN)))
def test_what_is_no_python_has_a_normal_form_too(text: str, recwarn: pytest.WarningsRecorder) -> None:
    assert normal_form(text) == normal_form(f"{text}  # mine")
    assert not recwarn.list


def marks(answers: dict[str, str]) -> list[tuple[str, Mark]]:
    return [(student, Mark("a", Status.FAIL, 1, source=text)) for student, text in answers.items()]


def test_groups_are_of_long_answers_alone() -> None:
    short = "def f(x):\n    return 2 * x"
    assert len(normal_form(short)) < LEAST < len(normal_form(ANSWER))
    given = {"ada": ANSWER, "bob": SAME["names"], "eve": OTHER["another number"], "lou": short, "mia": short}
    assert [(each.exercise, each.students) for each in alike(marks(given), str)] == [("a", ("ada", "bob"))]


def test_each_different_answer_is_read_once() -> None:
    read: list[str] = []

    def answer(text: str) -> str:
        read.append(text)
        return text

    alike(marks({f"s{n}": [ANSWER, SAME["names"]][n % 2] for n in range(100)}), answer)
    assert sorted(read) == sorted([ANSWER, SAME["names"]])


def test_the_hint_is_on_the_class_s_page_and_on_no_student_s(tmp_path: Path) -> None:
    results = [
        Result(student, (mark,)) for student, mark in marks({"ada": ANSWER, "bob": SAME["names"], "eve": "x = 1"})
    ]
    index = reports.write("html", results, tmp_path, str)
    hint = index.read_text().partition("Equal answers")[2].partition("<h2>")[0]
    assert "This is only a hint" in hint and f"fewer than {LEAST} parts" in hint
    assert re.findall(r">(\w+)</a>", hint) == ["ada", "bob"]
    for page in (index.parent / "students").iterdir():
        assert "qual answers" not in page.read_text()
    assert "Equal answers" not in reports.write("html", results[1:], tmp_path, str).read_text()


def test_the_gradebook_counts_the_different_answers_that_were_judged(tmp_path: Path) -> None:
    with gradebook.writing(tmp_path) as book:
        for answer in ("one", "one", "two"):
            book.begin("course", {}, {})
            judged = Judged(
                "ada", "notebook", Mark("a", Status.FAIL, 1, judge="oracle"), Basis(*"abcdef"), answer=answer
            )
            book.add("ada", "", [judged, replace(judged, mark=Mark("b", Status.MISSING, 1))], {answer: answer})
        assert book.attempts() == {("ada", "a"): 2}
