"""Messages are changed as asked, values stay, and the loss is measured against the same steps."""

from __future__ import annotations

import pytest

from du_eval.evaluation.expectations import ExpectationReader
from du_eval.evaluation.records import RunRecord, StepRecord
from du_eval.evaluation.rewrites import Rewriter
from du_eval.evaluation.robustness import PerturbedRun, robustness_of
from du_eval.parsers.command_parser import CommandParser
from du_eval.suites.model import TestSuite
from du_eval.suites.perturb import KINDS, free_places, perturbed
from tests.evaluation.running import bot, case, user

TEXT = "please send fifty euros to Ann Marie Smith before friday evening if that is possible for you today"
SUITE = TestSuite(tuple(case(f"c{n}", user(TEXT, "SetSlot(to, Ann Marie Smith)")) for n in range(40)))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("level", [0.1, 0.4])
def test_about_as_many_words_change_as_asked_and_values_stay(kind: str, level: float) -> None:
    found = perturbed(SUITE, kind, level, lambda _: {"Ann Marie Smith"}, seed=1)
    texts = [step.text for one in found.suite for step in one.user_steps]
    assert found.realised == pytest.approx(level, abs=0.05)
    assert sum(text != TEXT for text in texts) >= 30
    if kind != "swaps":
        assert all({"Ann", "Marie", "Smith"} <= set(text.replace(",", "").split()) for text in texts)


def test_the_same_seed_changes_a_message_the_same_way() -> None:
    assert perturbed(SUITE, "typos", 0.3, lambda _: ()) == perturbed(SUITE, "typos", 0.3, lambda _: ())
    assert perturbed(SUITE, "typos", 0.3, lambda _: ()) != perturbed(
        SUITE, "typos", 0.3, lambda _: (), seed=9
    )


def test_numbers_and_protected_words_are_not_touched() -> None:
    assert free_places(["send", "50", "to", "Ann's", "friend"], ["Ann's"]) == [0, 2, 4]


def rewriter() -> Rewriter:
    return Rewriter(ExpectationReader(CommandParser.default()), str)


def test_a_message_that_is_taken_back_expects_a_cancellation() -> None:
    suite = TestSuite(
        (case("a", user("send money", "StartFlow(send)"), bot("To whom?"), user("Ann.", "SetSlot(to, Ann)")),)
    )
    found, places = rewriter().rewritten(suite, "cancel")
    last = found.cases[0].user_steps[-1]
    assert last.text == "Ann ... no, forget it, please cancel"
    assert last.alternatives[0][0].text == "CancelFlow()"
    assert places == {("suite.yml", "a", 2)}


def test_another_value_in_the_message_is_another_value_in_the_expectation() -> None:
    suite = TestSuite(
        (
            case("a", user("to Anna", "SetSlot(to, Anna)")),
            case("b", user("it is Robert", "SetSlot(to, Robert)")),
        )
    )
    found, places = rewriter().rewritten(suite, "value-swap")
    assert [step.text for one in found for step in one.user_steps] == ["to Robert", "it is Anna"]
    assert found.cases[0].user_steps[0].alternatives[0][0].text == "SetSlot(to, Robert)"
    assert len(places) == 2


def record(outcomes: str) -> RunRecord:
    words = {"p": "passed", "f": "failed"}
    return RunRecord(
        "r",
        tuple(
            StepRecord("s.yml", f"c{n}", 1, "m", words[o], question=f"{o}{n}") for n, o in enumerate(outcomes)
        ),
    )


def test_the_breaking_level_is_the_lowest_from_which_on_accuracy_is_lower() -> None:
    runs = [
        PerturbedRun("typos", level, level, record(outcomes))
        for level, outcomes in ((0.1, "p" * 49 + "f"), (0.2, "p" * 35 + "f" * 15), (0.4, "f" * 50))
    ]
    found = robustness_of(record("p" * 50), runs)
    assert found.breaking == {"typos": 0.2}
    assert [one.comparison.overlap.common for one in found.levels] == [50, 50, 50]


def test_only_the_rewritten_steps_are_compared() -> None:
    places = frozenset({("s.yml", "c0", 1)})
    run = PerturbedRun("cancel", 1.0, 1.0, record("pff"), places)
    (level,) = robustness_of(record("ppp"), [run]).levels
    assert level.comparison.overlap.common == 1
