"""Runs of end-to-end tests as records."""

from __future__ import annotations

from du_eval.endtoend.model import EndToEndCase
from du_eval.endtoend.record import record_endtoend
from du_eval.endtoend.results import Finding, PlayedCase
from du_eval.runs.outcome import Outcome
from du_eval.runs.records import reduce_run

CASE = EndToEndCase("pay", "a.yml", 3, ())
WRONG = Finding(5, "the bot says 'Yes.'", "the bot said 'No.'")
OPEN = Finding(6, "an answer to the point", "the judge gave no answer", is_error=True)
OUTCOMES = (PlayedCase(CASE, ()), PlayedCase(CASE, (), (WRONG,)), PlayedCase(CASE, (), (OPEN,)))


def test_a_case_that_cannot_be_judged_enters_no_rate_but_its_bounds() -> None:
    (figure,) = record_endtoend(OUTCOMES, str).figures
    assert (figure.name, figure.value, figure.measured.n, figure.measured.missing) == (
        "accuracy.cases",
        0.5,
        2,
        1,
    )


def test_cases_of_the_same_name_are_told_apart() -> None:
    cases = record_endtoend(OUTCOMES, str).cases
    assert [case.id for case in cases] == ["a.yml::pay", "a.yml::pay [1]", "a.yml::pay [2]"]


def test_a_case_passes_or_fails_as_a_whole() -> None:
    passed, failed, errored = reduce_run(record_endtoend(OUTCOMES, str)).steps
    assert (passed.outcome, failed.outcome, errored.outcome) == tuple(
        map(str, (Outcome.PASSED, Outcome.FAILED, Outcome.ERRORED))
    )
    assert (failed.step, failed.question, failed.expected) == (1, "pay", ("the bot says 'Yes.'",))


def test_why_a_case_could_not_be_judged_is_its_error() -> None:
    *_, last = record_endtoend(OUTCOMES, str).results()
    assert last.error == "an answer to the point: the judge gave no answer"
