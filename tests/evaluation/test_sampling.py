"""Samples of one step are put together: how often it passed, and whether it does so reliably."""

from __future__ import annotations

from collections import Counter

import pytest

from du_eval.evaluation.pipeline import Evaluator
from du_eval.evaluation.record import TestRun
from du_eval.evaluation.sampling import Repeated, Repeats, measure_repeats
from du_eval.generators.base import Place, Request
from du_eval.generators.function import FunctionGenerator
from du_eval.parsers.command_parser import CommandParser
from du_eval.runs.outcome import Outcome
from du_eval.runs.schedule import Sampling
from du_eval.statistics.clusters import proportion
from du_eval.statistics.success import SuccessRatio
from du_eval.suites.model import TestSuite
from tests.evaluation.running import case, user

PASSED, FAILED, ERRORED = Outcome.PASSED, Outcome.FAILED, Outcome.ERRORED
LETTERS = {"P": PASSED, "F": FAILED, "E": ERRORED}


def sampled(ratio: SuccessRatio, **steps: str) -> TestRun:
    """Return a run of one case whose steps pass, fail or err in each sample as their letters say."""
    asked = Counter[str]()

    def answer(request: Request) -> str:
        letter = steps[request.message][asked[request.message]]
        asked[request.message] += 1
        if letter == "E":
            raise RuntimeError("down")
        return "StartFlow(a)" if letter == "P" else "StartFlow(b)"

    written = [user(name, "StartFlow(a)", line=line) for line, name in enumerate(steps, 5)]
    evaluator = Evaluator(
        CommandParser.default(), concurrency=1, sampling=Sampling(ratio=ratio, asks_all=True)
    )
    return evaluator.run(TestSuite([case("c", *written)]), FunctionGenerator(answer, "answer"))


def repeats(ratio: SuccessRatio, **steps: str) -> Repeats:
    found = measure_repeats(sampled(ratio, **steps).cases)
    assert found is not None
    return found


def repeated(letters: str) -> Repeated:
    outcomes = tuple(LETTERS[letter] for letter in letters)
    return Repeated("s", Place("f", "c", 1), outcomes, proportion(0, 0))


def test_what_was_asked_once_tells_nothing_about_samples() -> None:
    assert measure_repeats(sampled(SuccessRatio(1, 1), one="P").cases) is None


def test_each_step_and_each_case_has_its_outcomes_in_order() -> None:
    found = repeats(SuccessRatio(2, 3), one="PFE", two="PPP")
    assert [step.outcomes for step in found.steps] == [(PASSED, FAILED, ERRORED), (PASSED,) * 3]
    assert [step.name for step in found.steps] == ["one", "two"]
    assert [step.place for step in found.steps] == [
        Place("suite.yml", "c", 1, 5, 1),
        Place("suite.yml", "c", 2, 6, 1),
    ]
    (whole,) = found.cases
    assert (whole.outcomes, whole.ratio) == ((PASSED, FAILED, ERRORED), SuccessRatio(2, 3))
    assert whole.place == Place("suite.yml", "c", 0, 1)


def test_the_rate_is_that_of_judged_samples() -> None:
    step = repeats(SuccessRatio(2, 4), one="PPFE").steps[0]
    assert step.rate == proportion(2, 3, 0.95)
    less_sure = measure_repeats(sampled(SuccessRatio(1, 2), one="PF").cases, 0.8)
    assert less_sure is not None
    assert less_sure.steps[0].rate == proportion(1, 2, 0.8)


def test_samples_are_counted_by_outcome() -> None:
    found = repeated("PPFE")
    assert (found.passed, found.failed, found.errored, found.judged) == (2, 1, 1, 3)


@pytest.mark.parametrize(
    ("letters", "is_flaky"), [("PF", True), ("PP", False), ("FF", False), ("PE", False), ("FE", False)]
)
def test_only_what_both_passed_and_failed_is_flaky(letters: str, is_flaky: bool) -> None:
    assert repeated(letters).is_flaky is is_flaky


def test_flaky_steps_come_the_most_undecided_first() -> None:
    found = repeats(SuccessRatio(1, 4), sure="PPPP", odd="PPPF", even="PPFF", rare="PFFF", bad="FFFF")
    assert [step.name for step in found.flaky_steps] == ["even", "odd", "rare"]


def test_chances_over_samples_leave_out_what_was_not_judged() -> None:
    found = repeats(SuccessRatio(1, 2), one="PF", two="PP")
    assert (found.step_chances.asked, found.step_chances.mixed) == (2, 1)
    assert [(one.k, one.at_least_one, one.all_of_them) for one in found.step_chances.by_k] == [
        (1, 0.75, 0.75),
        (2, 1.0, 0.5),
    ]
    errored = repeats(SuccessRatio(1, 2), one="PE", two="PP").step_chances
    assert [one.k for one in errored.by_k] == [1]
