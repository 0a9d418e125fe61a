"""What changed between two runs is told in the words of their activity."""

from __future__ import annotations

import pytest

from du_eval.experiments.decision import Advice, Cause, ChangedStep, Decision
from du_eval.reports.sections import Transcript
from du_eval.reports.views.decision import list_causes, list_changes


def decide(step: ChangedStep, activity: str) -> Decision:
    cause = Cause("x", is_loss=True, worse=1, better=0, examples=(step,))
    return Decision(Advice.KEEP, "", "a", "b", activity=activity, causes=(cause,), worse=(step,))


def make_step(*expected: str) -> ChangedStep:
    return ChangedStep("i", "f.yml:1", "case", "hello", expected, ("one",), (), -1.0)


@pytest.mark.parametrize(
    ("activity", "nothing"),
    [("test", "(no command)"), ("quality", "(no reply)"), ("agent", "(no answer)"), ("e2e", "(nothing)")],
)
def test_an_empty_answer_is_named_as_the_activity_names_it(activity: str, nothing: str) -> None:
    (table,) = list_changes(decide(make_step("x"), activity))
    assert table.rows == (("f.yml:1", "hello", "x", "one", nothing),)


def test_a_command_test_may_expect_no_command_and_says_so() -> None:
    (table,) = list_changes(decide(make_step(), "test"))
    assert table.rows[0][2] == "(no command)"


def test_where_nothing_definite_is_expected_there_is_neither_a_column_nor_a_line_for_it() -> None:
    decision = decide(make_step(), "quality")
    (table,) = list_changes(decision)
    assert [column.name for column in table.columns] == ["where", "question", "before", "after"]
    (shown,) = list_causes(decision)
    assert isinstance(shown, Transcript)
    assert [line.speaker for line in shown.lines] == ["user", "a", "b"]
