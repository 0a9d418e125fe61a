"""Messages are changed as asked, values stay, and the loss is measured against the same steps."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.resources import files

import pytest

from du_eval.evaluation.compare import EXACT
from du_eval.evaluation.expectations import ExpectationReader
from du_eval.evaluation.pipeline import Evaluator
from du_eval.evaluation.rewrites import (
    ChangedGenerator,
    Rewriter,
    change_messages,
    list_protected,
    with_messages,
)
from du_eval.evaluation.robustness import PerturbedRun, measure_robustness
from du_eval.generators.base import Prediction, Request
from du_eval.parsers.command_parser import CommandParser
from du_eval.perturbations.catalogue import PERTURBATIONS
from du_eval.reports.sections import Curve, Note, Table
from du_eval.reports.views.test_parts import list_robustness
from du_eval.runs.records import RunRecord, StepRecord
from du_eval.statistics.clusters import proportion
from du_eval.statistics.counts import Counts
from du_eval.statistics.verdict import Verdict
from du_eval.suites.model import TestSuite
from tests.evaluation.running import bot, case, user

TEXT = "please send some euros to Ann Marie Smith before friday evening if that is possible for you today"
RUSSIAN = "пожалуйста отправьте деньги Анне Смирновой до вечера если это возможно и скажите когда они придут"
READER = ExpectationReader(CommandParser.default())


def suite(text: str = TEXT, command: str = "SetSlot(to, Ann Marie Smith)", count: int = 60) -> TestSuite:
    return TestSuite(tuple(case(f"c{n}", user(text, command)) for n in range(count)))


@pytest.mark.parametrize("kind", [name for name in PERTURBATIONS if name != "synonyms"])
@pytest.mark.parametrize("level", [0.1, 0.3])
@pytest.mark.parametrize(("text", "value"), [(TEXT, "Ann Marie Smith"), (RUSSIAN, "Анне Смирновой")])
def test_about_as_many_words_change_as_asked_and_values_stay(
    kind: str, level: float, text: str, value: str
) -> None:
    found = change_messages(suite(text, f"SetSlot(to, {value})"), kind, level, READER, seed=1)
    assert found.realised == pytest.approx(level, abs=0.06)
    assert sum(changed != text for changed in found.texts.values()) >= 40
    assert all(value in changed for changed in found.texts.values())


def test_synonyms_change_what_has_some() -> None:
    found = change_messages(suite("I want to buy a big house near a shop"), "synonyms", 0.4, READER)
    assert 0.2 < found.realised <= 0.4


@pytest.mark.parametrize(("text", "words"), [(TEXT, "en"), (RUSSIAN, "ru")])
def test_fillers_are_those_of_the_language(text: str, words: str) -> None:
    found = change_messages(suite(text), "fillers", 0.3, READER)
    known = (files("du_eval.perturbations.data") / f"fillers_{words}.txt").read_text(encoding="utf-8")
    for changed in found.texts.values():
        added = set(changed.replace(",", "").casefold().split()) - set(text.casefold().split())
        assert added <= set(known.split())


def test_the_same_seed_changes_a_message_the_same_way() -> None:
    first = change_messages(suite(), "typos", 0.3, READER)
    assert first == change_messages(suite(), "typos", 0.3, READER)
    assert first != change_messages(suite(), "typos", 0.3, READER, seed=9)


@pytest.mark.parametrize("kind", list(PERTURBATIONS))
def test_numbers_and_negations_are_not_touched(kind: str) -> None:
    text = "do not send 50 euros and never 1,200 to my old friend"
    found = change_messages(suite(text, "StartFlow(send)"), kind, 0.5, READER)
    for changed in found.texts.values():
        assert {"not", "50", "never", "1,200"} <= set(changed.split())


def test_no_word_may_get_lost_where_nobody_knows_which_of_them_say_the_value() -> None:
    said = suite("by post to my flat please", "SetSlot(delivery, home)")
    assert change_messages(said, "drops", 0.5, READER).realised == 0
    assert change_messages(said, "replace", 0.5, READER).realised == 0
    assert change_messages(said, "typos", 0.5, READER).realised > 0.3


def test_a_part_of_a_value_that_was_said_stays() -> None:
    step = user("to Smith please", "SetSlot(to, Ann Smith)")
    assert "Smith" in list_protected(step, "drops", READER)


@dataclass
class Hearing:
    """Remembers what it is asked."""

    heard: list[tuple[str, tuple[str, ...]]]

    async def generate(self, request: Request) -> Prediction:
        self.heard.append((request.message, tuple(turn.text for turn in request.history)))
        return Prediction(text="")


def test_only_the_judged_message_changes_and_the_history_stays() -> None:
    both = TestSuite((case("a", user("send money to Ann", "StartFlow(send)"), user("stop this now please")),))
    changed = change_messages(both, "case", 1.0, READER)
    heard: list[tuple[str, tuple[str, ...]]] = []
    asked = Evaluator(CommandParser.default(), EXACT, lambda _: None, 1)
    asked.run(both, ChangedGenerator(Hearing(heard), changed))
    by_length = sorted(heard, key=lambda item: len(item[1]))
    assert by_length[0][0] != "send money to Ann"
    assert by_length[1][1] == ("send money to Ann",)
    history = with_messages(both, changed).cases[0].user_steps[0].text
    assert history == by_length[0][0]


def rewriter() -> Rewriter:
    return Rewriter(READER, str)


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("we are 50911111", "SetSlot(order, 5091)"),
        ("it is not for Robert", "SetSlot(to, nobody)"),
        ("either Robert or Roberta", "SetSlot(to, Robert)"),
        ("la table pour demain", "SetSlot(to, demain)"),
        ("all of it please", "SetSlot(to, all)"),
    ],
)
def test_a_value_is_only_swapped_where_it_stands_in_the_message_as_itself(text: str, command: str) -> None:
    others = case("b", user("it is for Roberta", "SetSlot(to, Roberta)"))
    number = case("c", user("it is my 7777", "SetSlot(order, 7777)"))
    found, _ = rewriter().rewrite(TestSuite((case("a", user(text, command)), others, number)), "value-swap")
    assert "a" not in [one.name for one in found]


def test_a_message_in_a_language_without_a_known_wording_is_not_taken_back() -> None:
    german = case("de", user("Geld senden", "StartFlow(send)"), user("Anna bitte", "SetSlot(to, Anna)"))
    russian = case("ru", user("отправить деньги", "StartFlow(send)"), user("Анне", "SetSlot(to, Анне)"))
    found, _ = rewriter().rewrite(TestSuite((german, russian)), "cancel")
    assert [one.name for one in found] == ["ru"]
    assert found.cases[0].user_steps[-1].text == "Анне ... нет, забудьте, давайте остановимся"


def test_a_message_that_is_taken_back_expects_a_cancellation() -> None:
    suite = TestSuite(
        (
            case(
                "a",
                user("send my money", "StartFlow(send)"),
                bot("To whom?"),
                user("Ann.", "SetSlot(to, Ann)"),
            ),
        )
    )
    found, places = rewriter().rewrite(suite, "cancel")
    last = found.cases[0].user_steps[-1]
    assert last.text == "Ann ... no, forget it, let's stop here"
    assert last.alternatives[0][0].text == "CancelFlow()"
    assert places == {("suite.yml", "a", 2)}


def test_another_value_in_the_message_is_another_value_in_the_expectation() -> None:
    suite = TestSuite(
        (
            case("a", user("it is for Anna", "SetSlot(to, Anna)")),
            case("b", user("it is Robert", "SetSlot(to, Robert)")),
        )
    )
    found, places = rewriter().rewrite(suite, "value-swap")
    assert [step.text for one in found for step in one.user_steps] == ["it is for Robert", "it is Anna"]
    assert found.cases[0].user_steps[0].alternatives[0][0].text == "SetSlot(to, Robert)"
    assert len(places) == 2


def record(outcomes: str) -> RunRecord:
    words = {"p": "passed", "f": "failed", "e": "errored"}
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
    found = measure_robustness(record("p" * 50), runs)
    assert found.breaking == {"typos": 0.2}
    assert [one.n for one in found.levels] == [50, 50, 50]


def test_many_levels_share_one_correction_and_intervals_agree_with_the_verdicts() -> None:
    base = record("p" * 60)
    lost = [record("p" * (10 * n) + "f" * 6 + "p" * (54 - 10 * n)) for n in range(5)]
    (alone,) = measure_robustness(base, [PerturbedRun("kind 0", 0.1, 0.1, lost[0])]).levels
    assert alone.verdict is Verdict.REGRESSED
    runs = [PerturbedRun(f"kind {n}", 0.1, 0.1, one) for n, one in enumerate(lost)]
    found = measure_robustness(base, runs)
    assert set(found.breaking.values()) == {None}
    for level in found.levels:
        assert level.verdict is Verdict.UNDECIDED
        assert level.difference is not None
        assert level.difference.p < 0.05
        assert level.difference.interval.high == 0


def test_accuracy_at_a_level_has_the_interval_of_accuracy_and_not_that_of_the_difference() -> None:
    found = measure_robustness(
        record("p" * 40 + "f" * 10), [PerturbedRun("typos", 0.2, 0.2, record("p" * 40 + "f" * 10))]
    )
    (curve,) = (one for one in list_robustness(found) if isinstance(one, Curve))
    ((_, (point,)),) = curve.series
    assert point.measured == proportion(40, 50)


def test_a_verdict_that_errors_could_reverse_says_so() -> None:
    found = measure_robustness(
        record("p" * 30 + "f" * 30), [PerturbedRun("typos", 0.2, 0.2, record("p" * 20 + "f" * 10 + "e" * 30))]
    )
    (level,) = found.levels
    assert level.verdict is Verdict.UNDECIDED
    told = [one.text for one in list_robustness(found) if isinstance(one, Note)]
    assert told[-1].startswith("typos 0.2: 30 user steps were not judged, and could reverse it")


def test_only_the_rewritten_steps_are_compared() -> None:
    places = frozenset({("s.yml", "c0", 1)})
    run = PerturbedRun("cancel", 1.0, 1.0, record("pff"), places)
    (level,) = measure_robustness(record("ppp"), [run]).levels
    assert level.n == 1


def test_each_level_has_the_f1_of_its_commands_with_intervals() -> None:
    def counted(right: int) -> RunRecord:
        steps = (
            StepRecord(
                "s.yml", f"c{n}", 1, "m", "passed" if n < right else "failed",
                counts={"set slot": Counts(int(n < right), 0, int(n >= right), 1)},
            )
            for n in range(40)
        )  # fmt: skip
        return RunRecord("r", tuple(steps))

    found = measure_robustness(counted(40), [PerturbedRun("typos", 0.2, 0.18, counted(20))])
    (level,) = found.levels
    f1 = level.f1["set slot"]
    assert f1.measured.value == pytest.approx(2 / 3)
    assert f1.measured.interval is not None
    assert f1.measured.interval.low < f1.measured.value < f1.measured.interval.high
    assert f1.unchanged == 1
    shown = list(list_robustness(found))
    assert Note("typos: accuracy is lower from level 0.2 on") in shown
    assert any(isinstance(one, Table) and one.title == "F1 by level" for one in shown)
