"""Each difficulty is compared with a control on the same fact: in the same conversation, or in a twin."""

from __future__ import annotations

from collections import Counter

import pytest

from du_eval.quality.aggregate import aggregate
from du_eval.quality.config import QualityConfig
from du_eval.quality.dialogue import LineRole
from du_eval.quality.facts.load import load_packaged_facts
from du_eval.quality.plan import DialoguePlan, PlanSettings, plan_all
from du_eval.quality.results import Assessment
from du_eval.quality.scripts import ScriptSettings, scripts
from du_eval.runs.outcome import Outcome
from tests.quality.holding import ran

PAIRED = ("ML-U3", "ML-U4", "ML-U5", "ML-U6", "ML-I4", "ML-I5", "ML-I6", "ML-I7")


def planned(number: int, **probabilities: float) -> DialoguePlan:
    chosen = {name.replace("_", "-"): value for name, value in probabilities.items()}
    settings = PlanSettings(40, chosen, seed=3)
    return plan_all(number + 1, settings, scripts(ScriptSettings()), load_packaged_facts())[number]


def asked(one: DialoguePlan, test: str) -> dict[str, tuple[LineRole, int, str, str]]:
    """Return pair -> role, fact, answer and the words of the information."""
    found = {}
    for slot in one.slots.values():
        if slot.mark.test == test and slot.mark.pair:
            fact = one.facts[slot.mark.trial]
            told = [s.text for s in one.slots.values() if s.mark.trial == slot.mark.trial]
            found[slot.mark.pair] = (slot.mark.role, fact.id, fact.answer, told[0])
    return found


@pytest.mark.parametrize("test", ["ML-I4", "ML-I6"])
def test_twins_tell_the_same_fact_once_with_and_once_without_the_difficulty(test: str) -> None:
    pairs = 0
    for number in range(0, 12, 2):
        chosen = {test.replace("-", "_"): 0.2, "ML_U3": 0.1, "ML_I1": 0.1}
        one, other = asked(planned(number, **chosen), test), asked(planned(number + 1, **chosen), test)
        assert set(other) <= set(one)
        assert len(other) >= len(one) - 2
        for name, (role, fact, answer, words) in other.items():
            assert {role, one[name][0]} == {LineRole.QUESTION, LineRole.CONTROL}
            assert (fact, answer) == one[name][1:3]
            assert words != one[name][3]
            pairs += 1
    assert pairs > 10


def test_twins_are_different_in_everything_else() -> None:
    one, other = planned(0, ML_U3=0.3), planned(1, ML_U3=0.3)
    assert [slot.text for slot in one.slots.values()] != [slot.text for slot in other.slots.values()]


def test_all_tests_with_a_difficulty_report_a_paired_difference() -> None:
    results = {result.test: result for result in ran("perfect-memory", conversations=12).extra.tests}
    for test in PAIRED:
        found = results[test].paired
        assert found is not None, test
        assert found.n >= 3
        assert found.interval.low <= found.value <= found.interval.high
    assert results["ML-U3"].paired.value < 0
    assert results["ML-I1"].paired is None


def verdicts(rows: list[tuple[int, str, bool, bool]]) -> list[Assessment]:
    return [
        Assessment(
            "ML-I4",
            dialogue,
            n,
            Outcome.PASSED if passed else Outcome.FAILED,
            is_control=control,
            pair=pair,
        )
        for n, (dialogue, pair, control, passed) in enumerate(rows)
    ]


def test_a_pair_is_the_mean_of_its_questions_minus_its_control() -> None:
    rows = [(0, "0/1", True, True), (0, "0/1", False, True), (0, "0/1", False, False), (1, "1/0", True, True)]
    found = aggregate(verdicts(rows))[0].paired
    assert found is not None
    assert (found.value, found.n, found.worse) == (-0.5, 1, 0.5)


def test_twins_are_one_cluster() -> None:
    rows = [
        (0, "twins 0/1", True, True), (1, "twins 0/1", False, False),
        (0, "twins 0/2", False, False), (1, "twins 0/2", True, True),
        (2, "twins 1/0", True, True), (3, "twins 1/0", False, True),
    ]  # fmt: skip
    found = aggregate(verdicts(rows))[0].paired
    assert found is not None
    assert (found.n, found.clusters) == (3, 2)


def test_without_pairs_there_is_no_difference() -> None:
    (result,) = aggregate(verdicts([(0, "", True, True), (0, "", False, True)]))
    assert result.paired is None


def test_replies_are_spread_evenly_over_the_tests() -> None:
    chosen = QualityConfig().probabilities
    settings, every = PlanSettings(40, chosen, seed=1), scripts(ScriptSettings())
    counts = Counter(
        slot.mark.test
        for one in plan_all(20, settings, every, load_packaged_facts())
        for slot in one.slots.values()
        if slot.mark.role is LineRole.QUESTION
    )
    assert set(counts) == set(chosen)
    assert max(counts.values()) < 1.5 * min(counts.values())


def test_a_test_with_no_sets_is_left_out() -> None:
    chosen = {"ML-I1": 0.2, "ML-U3": 0.2}
    settings = PlanSettings(40, chosen, max_sets={"ML-I1": 0}, seed=1)
    plans = plan_all(4, settings, scripts(ScriptSettings()), load_packaged_facts())
    assert {slot.mark.test for one in plans for slot in one.slots.values()} == {"ML-U3"}
