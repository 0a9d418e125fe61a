"""The persona protocol: its blocks, its eight criteria, and the person who checks the judge."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from du_eval.assembly.protocol import ProtocolSettings, run_protocol
from du_eval.errors import ChatterError, InputError
from du_eval.judges.gist import Opinion
from du_eval.judges.similarity import TfidfSimilarity
from du_eval.judges.yes_no import RuleYesNo
from du_eval.quality.protocol.annotate import agreements, annotate, read_annotations
from du_eval.quality.protocol.criteria import Reading, Ruling, Spoken, judge_dialogue, switch_lengths
from du_eval.quality.protocol.model import LANGUAGES, Criterion, load_protocol
from du_eval.quality.protocol.plan import ORDER, Utterance, plan_protocol, read_order
from du_eval.quality.protocol.run import hold_protocol, report_protocol, with_gist
from du_eval.reports.quality_protocol import agreement_text, protocol_data, protocol_text
from du_eval.statistics.agreement import cohen_kappa


def run(bot: str, language: str = "en", **more):
    return asyncio.run(run_protocol(ProtocolSettings(bot, language, similarity="tfidf", **more), {}))


def values(report) -> dict[str, float | None]:
    return {str(result.criterion): result.rate.value for result in report.results}


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_block_has_five_utterances_and_there_are_seven_topics(language: str) -> None:
    protocol = load_protocol(language)
    assert {len(texts) for texts in protocol.blocks.values()} == {5}
    assert len(protocol.topics) == 7
    assert set(protocol.polarity) == set(protocol.blocks["emotion"])
    assert set(protocol.closed) == set(protocol.blocks["closed"])
    assert set(protocol.open) == set(protocol.blocks["open"])


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_plan_uses_every_utterance_once_and_is_seeded(language: str) -> None:
    protocol = load_protocol(language)
    one = plan_protocol(protocol, 0, 1)
    said = [utterance.text for utterance in one.utterances]
    for block in ("open", "closed", "general", "support", "emotion"):
        assert all(said.count(text) == 1 for text in protocol.blocks[block])
    assert one == plan_protocol(protocol, 0, 1)
    assert {utterance.switch for utterance in one.utterances} == {0, 1, 2, 3}
    assert one.utterances[0].block == "greeting"
    assert one.utterances[-1].block == "farewell"


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_good_persona_meets_all_criteria_and_an_echo_does_not(language: str) -> None:
    good, bad = run("persona", language), run("echo", language)
    found = values(good)
    assert found.pop("repeating") <= 0.1
    assert set(found.values()) == {1.0}
    assert good.mean_switch == 1
    low = values(bad)
    for criterion in (
        "user_name_retention",
        "open_ended",
        "closed_ended",
        "dialog_supporting",
        "emotion_supporting",
    ):
        assert low[criterion] == 0, criterion
    assert bad.mean_switch is None
    assert set(bad.switches) == {None}


def reading(language: str = "en") -> Reading:
    return Reading(load_protocol(language), TfidfSimilarity(), RuleYesNo())


def ruled(block: str, text: str, reply: str, criterion: Criterion, language: str = "en") -> Ruling:
    protocol = load_protocol(language)
    name = min(protocol.names)
    spoken = [Spoken(Utterance(text, block), reply)]
    return next(
        j.ruling for j in judge_dialogue(0, name, spoken, reading(language)) if j.criterion is criterion
    )


@pytest.mark.parametrize(
    ("block", "text", "reply", "criterion", "ruling"),
    [
        ("open", "What food do you prefer?", "Fish and vegetables.", Criterion.OPEN, "passed"),
        ("open", "What food do you prefer?", "And you?", Criterion.OPEN, "failed"),
        ("open", "What food do you prefer?", "I hate sushi.", Criterion.OPEN, "failed"),
        ("open", "What food do you prefer?", "Trains are late.", Criterion.OPEN, "failed"),
        ("open", "Never heard of?", "Trains are late.", Criterion.OPEN, "unclear"),
        ("closed", "Do you work?", "Yes, at a school.", Criterion.CLOSED, "passed"),
        ("closed", "Do you work?", "No.", Criterion.CLOSED, "failed"),
        ("closed", "Do you work?", "Yes and no: I study, too.", Criterion.CLOSED, "passed"),
        ("closed", "Do you work?", "Bananas.", Criterion.CLOSED, "failed"),
        ("support", "Ok", "ok", Criterion.DIALOG, "failed"),
        ("support", "Ok", "Fine.", Criterion.DIALOG, "failed"),
        ("support", "Ok", "And you?", Criterion.DIALOG, "passed"),
        ("emotion", "Damn!", "Oh no, what happened?", Criterion.EMOTION, "passed"),
        ("emotion", "Damn!", "Great, congratulations!", Criterion.EMOTION, "failed"),
        ("greeting", "Hello! My name is Anna.", "Hi there", Criterion.HELLO_BYE, "passed"),
        ("farewell", "Bye", "What?", Criterion.HELLO_BYE, "failed"),
    ],
)
def test_a_reply_is_judged(block: str, text: str, reply: str, criterion: Criterion, ruling: str) -> None:
    assert ruled(block, text, reply, criterion) == ruling


def test_the_name_counts_after_the_greeting_and_in_russian_cases() -> None:
    protocol = load_protocol("ru")
    hello, bye = Utterance("Привет! Меня зовут Анна.", "greeting"), Utterance("Пока!", "farewell")
    for last, expected in (("Был рад поболтать с Анной!", "passed"), ("Пока!", "failed")):
        spoken = [Spoken(hello, "Привет, Анна!"), Spoken(bye, last)]
        found = judge_dialogue(0, "Анна", spoken, Reading(protocol, TfidfSimilarity(), RuleYesNo()))
        assert next(j.ruling for j in found if j.criterion is Criterion.NAME) == expected


def test_a_repetition_needs_no_excuse_only_where_the_question_was_repeated() -> None:
    same, other = Utterance("How are you?", "general"), Utterance("What are you doing?", "general")
    said = [Spoken(same, "I am reading a long book."), Spoken(same, "I am reading a long book.")]
    excused = [
        j.ruling for j in judge_dialogue(0, "Anna", said, reading()) if j.criterion is Criterion.REPEATING
    ]
    assert excused == ["passed", "passed"]
    said[1] = Spoken(other, "I am reading a long book.")
    blamed = [
        j.ruling for j in judge_dialogue(0, "Anna", said, reading()) if j.criterion is Criterion.REPEATING
    ]
    assert blamed == ["passed", "failed"]


def test_a_switch_that_never_comes_about_is_kept_as_such() -> None:
    protocol = load_protocol("en")
    tries = [Utterance(f"{n} sushi", "topic", "sushi", 1) for n in range(2)] + [
        Utterance("school", "topic", "school", 2)
    ]
    spoken = [Spoken(tries[0], "Hm."), Spoken(tries[1], "I love rice rolls."), Spoken(tries[2], "Hm.")]
    assert switch_lengths(spoken, protocol) == [2, None]


def test_a_bot_without_replies_gives_unclear_decisions() -> None:
    class Dead:
        async def reply(self, conversation) -> str:
            raise ChatterError("gone")

    protocol = load_protocol("en")
    held = asyncio.run(hold_protocol([plan_protocol(protocol, 0, 0)], Dead(), protocol))
    found = judge_dialogue(0, held[0].name, held[0].spoken, reading())
    report = report_protocol(held, found, protocol, "dead", "rules")
    assert "error" in protocol_text(report)
    assert {j.ruling for j in found if j.criterion is Criterion.OPEN} == {Ruling.UNCLEAR}


def test_a_language_model_may_judge_instead() -> None:
    class Strict:
        name = "strict"

        async def decide(self, sample: str, criteria: str) -> Opinion:
            return Opinion(False, "never good enough", self.name)

    judged = asyncio.run(with_gist(run("persona", dialogues=1).judged, Strict()))
    assert {j.ruling for j in judged if j.criterion is Criterion.OPEN} == {Ruling.FAILED}
    assert {j.judge for j in judged if j.criterion is Criterion.NAME} == {"protocol-rules/1"}


def test_annotation_is_kept_resumed_and_compared(tmp_path: Path) -> None:
    report = run("persona", dialogues=1)
    file = tmp_path / "a.jsonl"
    typed = iter(["y", "x", "n", "q"])
    first = annotate(report.judged, file, lambda _: next(typed), lambda _: None)
    assert list(first.values()) == ["passed", "failed"]
    everything = annotate(report.judged, file, lambda _: "y", lambda _: None)
    assert read_annotations(file) == everything
    assert len(everything) > 20
    found = agreements(report.judged, everything)
    assert found[0].name == "all"
    assert found[0].same == found[0].n - 1
    assert "kappa" in agreement_text(found)


def test_kappa_is_one_for_agreement_and_zero_for_chance() -> None:
    assert cohen_kappa(["a", "b"], ["a", "b"]) == 1
    assert cohen_kappa(["a", "a", "b", "b"], ["a", "b", "a", "b"]) == 0
    assert cohen_kappa([], []) is None
    assert cohen_kappa(["a"], ["a"]) is None


def test_a_plan_file_fixes_the_order_and_a_language_is_a_file(tmp_path: Path) -> None:
    file = tmp_path / "plan.yml"
    file.write_text("order: [greeting, closed, farewell]\n")
    assert read_order(str(file)) == ("greeting", "closed", "farewell")
    report = run("persona", plan=str(file), dialogues=1)
    assert len(report.dialogues[0].spoken) == 7
    file.write_text("order: [nonsense]\n")
    with pytest.raises(InputError, match=", ".join(ORDER)):
        read_order(str(file))
    file.write_text("language: xx\n")
    with pytest.raises(InputError, match="'names' is missing"):
        load_protocol(str(file))
    with pytest.raises(InputError, match="a file is a language too"):
        load_protocol("xx")


def test_the_report_is_plain_data() -> None:
    data = json.loads(json.dumps(protocol_data(run("echo", dialogues=1))))
    assert data["criteria"]["closed_ended"]["n"] == 5
    assert data["decisions"][0]["reason"]
