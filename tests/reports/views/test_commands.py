"""The view of command tests shows what was expected beside what was predicted."""

from __future__ import annotations

from du_eval.reports.sections import Diff
from du_eval.reports.views.test import view_test
from tests.evaluation.running import case, run, user


def test_a_prediction_that_meets_its_expectation_is_shown_in_its_own_words() -> None:
    expected = ("Clarify()", "StartFlow(right)", "SetSlot(a, 1)", "SetSlot(b, 2)")
    answer = "SetSlot(b, 2)\nStartFlow(wrong)\nClarify(x, y)\nSetSlot(a, 1)"
    found = view_test(run(case("one", user("hello", *expected)), answer=lambda _: answer))
    (diff,) = (one for entry in found.entries() for one in entry.detail if isinstance(one, Diff))
    assert diff.expected == expected
    assert diff.actual == ("Clarify(x, y)", "StartFlow(wrong)", "SetSlot(a, 1)", "SetSlot(b, 2)")
    assert diff.agrees == (True, False, True, True)
