"""What is said of a wrong result that no exercise has declared as a mistake: how it depends on the right one."""

import dataclasses

import pytest

from autograd_teach.course import specs
from autograd_teach.course.checking import report_on
from autograd_teach.course.checks import explaining
from autograd_teach.course.exercises import exercise as exercise_of
from autograd_teach.course.exercises import module_of
from tests.course import table

ROWS = [pytest.param(*row, id=f"{row[0]}-{table.name(row[1])}") for row in table.generic()]


@pytest.mark.parametrize(("exercise", "answer", "diagnosis", "words"), ROWS)
def test_a_slip_is_named_where_the_exercise_does_not_know_it(monkeypatch, exercise, answer, diagnosis, words):
    asked = exercise_of(exercise)
    without = dataclasses.replace(specs.spec_of(asked), mistakes=())
    monkeypatch.setitem(specs._of_module(module_of(asked)), asked.entry, without)
    monkeypatch.setattr(explaining, "changed", lambda *_: None)
    report = report_on(exercise, answer)
    found = {finding.name: finding.message for finding in report.findings}
    assert words and words in found.get(diagnosis, ""), repr(report)
    assert len(found) == 1, repr(report)
    assert not report.evidence.faults
