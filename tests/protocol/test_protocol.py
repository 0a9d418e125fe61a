"""The persona protocol: its blocks, its eight criteria, and the person who checks the judge."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path

import pytest

from du_eval.assembly.protocol import build_bot, complete_protocol, judge_protocol
from du_eval.chatters.replies import ReplyStatus
from du_eval.errors import ChatterError, InputError
from du_eval.judges.judge import ScriptedJudge
from du_eval.judges.opinion import Opinion, abstain
from du_eval.judges.protocol_rules import CriterionTask
from du_eval.judges.similarity import TfidfSimilarity
from du_eval.judges.tasks import Task
from du_eval.protocol.criteria import (
    RULES,
    CriterionRuling,
    ProtocolDialogue,
    Reading,
    Spoken,
    has_word,
    is_on_topic,
    judge_all,
    measure_switches,
)
from du_eval.protocol.figures import AT_LEAST, RATES, SWITCHED, list_criteria
from du_eval.protocol.model import LANGUAGES, Criterion, load_protocol
from du_eval.protocol.plan import ORDER, Utterance, plan_protocol, read_order
from du_eval.protocol.record import KIND, ProtocolRun, record_protocol
from du_eval.protocol.settings import ProtocolSettings
from du_eval.protocol.talk import MOST_FAILURES, ProtocolTalk, hold_protocol
from du_eval.reports.renderers.terminal import TerminalStyle, render_terminal
from du_eval.reports.sections import Table
from du_eval.reports.views.protocol import view_protocol
from du_eval.runs.outcome import Outcome
from du_eval.runs.records import reduce_run
from du_eval.runs.report import decode_run, encode_run
from du_eval.statistics.intervals import Bounds


def hold(bot: str, language: str = "en", **more) -> list[ProtocolDialogue]:
    settings = ProtocolSettings(bot=bot, language=language, similarity="tfidf", **more)
    return asyncio.run(complete_protocol(settings, build_bot(bot, load_protocol(language), {})))


def run(bot: str, language: str = "en", **more) -> ProtocolRun:
    settings = ProtocolSettings(bot=bot, language=language, similarity="tfidf", **more)
    return judge_protocol(settings, hold(bot, language, **more), {})


def values(record: ProtocolRun) -> dict[str, float | None]:
    return {str(criterion): record.figure(criterion).value for criterion in RATES}


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_block_has_five_utterances_and_there_are_seven_topics(language: str) -> None:
    protocol = load_protocol(language)
    assert {len(texts) for texts in protocol.blocks.values()} == {5}
    assert len(protocol.topics) == 7
    assert set(protocol.polarity) == set(protocol.blocks["emotion"])
    assert set(protocol.persona.closed) == set(protocol.blocks["closed"])
    assert set(protocol.persona.open) == set(protocol.blocks["open"])


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
    assert good.figure("topic_switch_trying").value == 1
    low = values(bad)
    for criterion in (
        "user_name_retention",
        "open_ended",
        "closed_ended",
        "dialog_supporting",
        "emotion_supporting",
    ):
        assert low[criterion] == 0, criterion
    assert bad.figure("topic_switch_trying").value is None
    assert set(bad.extra.switches) == {None}


def reading(language: str = "en") -> Reading:
    return Reading(load_protocol(language), TfidfSimilarity())


def say(utterance: Utterance, reply: str, *, answered: bool = True) -> Spoken:
    became = ReplyStatus.ANSWERED if answered else ReplyStatus.EMPTY
    return Spoken(utterance.text, reply, became, utterance=utterance)


def judge_spoken(spoken: Sequence[Spoken], name: str = "Anna", language: str = "en") -> list[CriterionRuling]:
    return judge_all([ProtocolDialogue(0, name, tuple(spoken))], reading(language))


def ruled(block: str, text: str, reply: str, criterion: Criterion, language: str = "en") -> Outcome:
    protocol = load_protocol(language)
    name = min(protocol.names)
    spoken = [say(Utterance(text, block), reply)]
    return next(j.outcome for j in judge_spoken(spoken, name, language) if j.criterion is criterion)


@pytest.mark.parametrize(
    ("block", "text", "reply", "criterion", "ruling"),
    [
        ("open", "What food do you prefer?", "Fish and vegetables.", Criterion.OPEN, "passed"),
        ("open", "What food do you prefer?", "And you?", Criterion.OPEN, "failed"),
        ("open", "What food do you prefer?", "I hate sushi.", Criterion.OPEN, "failed"),
        ("open", "What food do you prefer?", "Trains are late.", Criterion.OPEN, "failed"),
        ("open", "Never heard of?", "Trains are late.", Criterion.OPEN, "failed"),
        ("closed", "Do you work?", "Yes, at a school.", Criterion.CLOSED, "passed"),
        ("closed", "Do you work?", "No.", Criterion.CLOSED, "failed"),
        ("closed", "Do you work?", "Yes and no: I study, too.", Criterion.CLOSED, "passed"),
        ("closed", "Do you work?", "Bananas.", Criterion.CLOSED, "undecided"),
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
    hello, bye = Utterance("Привет! Меня зовут Анна.", "greeting"), Utterance("Пока!", "farewell")
    for last, expected in (("Был рад поболтать с Анной!", "passed"), ("Пока!", "failed")):
        spoken = [say(hello, "Привет, Анна!"), say(bye, last)]
        found = judge_spoken(spoken, "Анна", "ru")
        assert next(j.outcome for j in found if j.criterion is Criterion.NAME) == expected


def test_a_russian_name_is_known_in_every_case() -> None:
    for name, said in (
        ("Ольга", "Приятно поболтать с Ольгой"),
        ("Пётр", "Петь, расскажи"),
        ("Мария", "с Марией"),
    ):
        assert has_word(said, load_protocol("ru").names[name])
    assert not has_word("Мариинский театр, Петербург", [*load_protocol("ru").names["Мария"], "Петр"])


def test_a_repetition_needs_no_excuse_only_where_the_question_was_repeated() -> None:
    same, other = Utterance("How are you?", "general"), Utterance("What are you doing?", "general")
    said = [say(same, "I am reading a long book."), say(same, "I am reading a long book.")]
    excused = [j.outcome for j in judge_spoken(said) if j.criterion is Criterion.REPEATING]
    assert excused == ["passed", "passed"]
    said[1] = say(other, "I am reading a long book.")
    blamed = [j.outcome for j in judge_spoken(said) if j.criterion is Criterion.REPEATING]
    assert blamed == ["passed", "failed"]


def test_a_switch_that_never_comes_about_is_kept_as_such() -> None:
    protocol = load_protocol("en")
    tries = [Utterance(f"{n} sushi", "topic", "sushi", 1) for n in range(2)] + [
        Utterance("school", "topic", "school", 2)
    ]
    spoken = [say(tries[0], "Hm."), say(tries[1], "I love rice rolls."), say(tries[2], "Hm.")]
    assert measure_switches(spoken, lambda turn: is_on_topic(spoken[turn], protocol)) == {1: 2, 2: None}


def test_a_bot_without_replies_gives_unclear_decisions() -> None:
    class Dead:
        async def reply(self, conversation) -> str:
            raise ChatterError("gone")

    protocol = load_protocol("en")
    held = asyncio.run(hold_protocol([plan_protocol(protocol, 0, 0)], ProtocolTalk(protocol, Dead())))
    found = judge_all(held, reading())
    record = record_protocol(held, found, protocol, "rules")
    printed = render_terminal(view_protocol(record), TerminalStyle(None))
    assert f"no reply: {MOST_FAILURES} error" in printed
    assert "not held to the end: 1 of 1 dialogues" in printed
    assert {j.outcome for j in found} == {Outcome.UNDECIDED}
    assert all(record.figure(criterion).measured.n == 0 for criterion in RATES)


def test_a_language_model_may_judge_instead() -> None:
    held = hold("persona", dialogues=1)
    strict = ScriptedJudge(lambda _: "bad", "strict/1")
    judged = judge_all(held, Reading(load_protocol("en"), TfidfSimilarity(), strict))
    assert {j.outcome for j in judged if j.criterion is Criterion.OPEN} == {Outcome.FAILED}
    assert {j.judge for j in judged if j.criterion is Criterion.OPEN} == {"strict/1"}
    assert {j.judge for j in judged if j.criterion is Criterion.NAME} == {RULES}


def test_the_judge_of_criteria_gets_everything_at_once_and_what_is_known_of_the_persona() -> None:
    batches: list[Sequence[Task]] = []

    class Curious:
        name = "curious/1"

        def judge(self, tasks: Sequence[Task]) -> list[Opinion]:
            batches.append(tasks)
            return [abstain("no idea", self.name) for _ in tasks]

    held = hold("echo", dialogues=2)
    judged = judge_all(held, Reading(load_protocol("en"), TfidfSimilarity(), Curious()))
    (asked,) = batches
    known = {task.utterance: task.persona for task in asked if isinstance(task, CriterionTask)}
    assert known["Do you work?"] == "Yes."
    assert "sushi" in known["What food do you prefer?"]
    assert {j.outcome for j in judged if j.criterion is Criterion.EMOTION} == {Outcome.UNDECIDED}


def test_people_may_label_every_decision_of_a_run() -> None:
    record = run("persona", dialogues=1)
    assert KIND.list_judged is not None
    texts = list(KIND.list_judged(record))
    assert {one.check for one in texts} == {*map(str, Criterion)}
    rates = {one.check: one for one in texts}
    assert rates["repeating"].counted is Outcome.FAILED
    assert rates["hello_bye"].key.step == 0
    assert rates["closed_ended"].expected in {"Yes.", "No."}


def test_a_reply_that_was_given_to_something_else_supports_nothing() -> None:
    said = [say(Utterance(text, "support"), "And what do you like to eat?") for text in ("Ok", "I see")]
    outcomes = [j.outcome for j in judge_spoken(said) if j.criterion is Criterion.DIALOG]
    assert outcomes == [Outcome.PASSED, Outcome.FAILED]


SEEN = {
    "open": "Что ты любишь делать?", "closed": "У тебя есть парень?", "general": "Как оно?",
    "support": "понятно", "emotion": "Как меня это бессит!", "topic": "Хочу купить {accusative}!",
}  # fmt: skip


def test_the_russian_lines_are_the_default_and_those_of_the_protocol_word_for_word() -> None:
    protocol = load_protocol(ProtocolSettings().language)
    assert all(line in protocol.blocks[block] for block, line in SEEN.items())
    said = [protocol.topic_text("Что думаешь о {prepositional}?", topic) for topic in protocol.topics]
    assert "Что думаешь о школе?" in said
    assert "Что думаешь о суши?" in said


def rate(bot: str, language: str) -> float:
    """Return the mean of all criteria, each from 0 to 1."""
    record = run(bot, language, dialogues=4)
    found = values(record)
    found["repeating"] = 1 - (found["repeating"] or 0.0)
    found["switched"] = record.figure(SWITCHED).value
    return sum(one or 0.0 for one in found.values()) / len(found)


@pytest.mark.parametrize("language", LANGUAGES)
def test_good_dull_bad_and_looping_bots_are_ordered_rightly(language: str) -> None:
    good, dull, bad, looping = (
        rate(bot, language) for bot in ("persona", "dull-persona", "bad-persona", "looping")
    )
    assert good > dull > bad > looping
    assert good > 0.95
    assert looping < 0.15


def test_a_plan_file_fixes_the_order_and_a_language_is_a_file(tmp_path: Path) -> None:
    file = tmp_path / "plan.yml"
    file.write_text("order: [greeting, closed, farewell]\n")
    assert read_order(str(file)) == ("greeting", "closed", "farewell")
    assert len(hold("persona", plan=str(file), dialogues=1)[0].spoken) == 7
    file.write_text("order: [nonsense]\n")
    with pytest.raises(InputError, match=", ".join(ORDER)):
        read_order(str(file))
    file.write_text("language: xx\n")
    with pytest.raises(InputError, match="'names' is missing"):
        load_protocol(str(file))
    with pytest.raises(InputError, match="or name a language file"):
        load_protocol("xx")


def test_a_run_is_read_back_as_it_was_written() -> None:
    record = run("echo", dialogues=1)
    content = b"".join(encode_run(record, KIND))
    assert decode_run(content, "run", {KIND.name: KIND}) == record
    assert record.figure("closed_ended").measured.n == 5


def test_comparisons_read_the_figures_of_the_run_from_its_checks() -> None:
    record = run("dont-know", dialogues=3)
    scores: dict[str, list[float]] = {}
    for step in reduce_run(record).steps:
        for name, value in step.scores.items():
            scores.setdefault(name, []).append(value)
    assert record.figure("repeating").value > 0.5
    assert record.figure("repeating").better == "lower"
    for name in ("user_name_retention", "hello_bye", "repeating", "closed_ended", "topic_switched"):
        assert sum(scores[name]) / len(scores[name]) == pytest.approx(record.figure(name).value)
    assert len(scores["hello_bye"]) == 3
    assert len(scores["topic_switched"]) == 9


@pytest.mark.parametrize("language", LANGUAGES)
def test_two_dialogues_begin_switches_with_all_wordings_and_three_go_through_all_topics(
    language: str,
) -> None:
    protocol = load_protocol(language)
    plans = [plan_protocol(protocol, number, 5) for number in range(3)]
    firsts = [
        next(one for one in plan.utterances if one.switch == switch) for plan in plans for switch in (1, 2, 3)
    ]
    assert {one.topic for one in firsts} == set(protocol.topics)
    begun = {
        template
        for one in firsts[:6]
        for template in protocol.blocks["topic"]
        if protocol.topic_text(template, one.topic) == one.text
    }
    assert begun == set(protocol.blocks["topic"])


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_question_about_a_statement_follows_a_question_that_brings_one(language: str) -> None:
    protocol = load_protocol(language)
    for seed in range(20):
        said = plan_protocol(protocol, 0, seed).utterances
        place = next(number for number, one in enumerate(said) if one.text in protocol.follow_ups)
        assert said[place - 1].block == "closed"


def test_a_russian_topic_stands_in_its_case() -> None:
    protocol = load_protocol("ru")
    said = {protocol.topic_text(form, "школа") for form in protocol.blocks["topic"]}
    assert "Хочу купить школу!" in said
    assert "Что думаешь о школе?" in said
    assert "А у тебя есть школа?" in said
    assert protocol.topic_text("Я обожаю {accusative}, а ты?", "спорт") == "Я обожаю спорт, а ты?"


@pytest.mark.parametrize(
    ("text", "word", "found"),
    [
        ("His history is high", "hi", ""),
        ("Oh hi!", "hi", "hi"),
        ("Swimming is fun", "swim*", "swimming"),
        ("Swimming is fun", "swim", ""),
        ("Радио играет", "рад", ""),
        ("Я так рад!", "рад", "рад"),
    ],
)
def test_a_word_stands_for_itself_and_a_star_for_every_ending(text: str, word: str, found: str) -> None:
    assert has_word(text, [word]) == found


@pytest.mark.parametrize(
    ("language", "reply", "ruling"),
    [
        ("en", "It depends on who cooks it.", "passed"),
        ("en", "It depends.", "undecided"),
        ("ru", "И да, и нет: смотря где готовят.", "passed"),
        ("ru", "Бананы.", "undecided"),
    ],
)
def test_neither_yes_nor_no_needs_an_explanation(language: str, reply: str, ruling: str) -> None:
    question = load_protocol(language).blocks["closed"][3]
    assert ruled("closed", question, reply, Criterion.CLOSED, language) == ruling


def test_a_greeting_without_a_farewell_decides_nothing_unless_it_is_wrong() -> None:
    hello, bye = Utterance("Hello! My name is Eva.", "greeting"), Utterance("Bye!", "farewell")
    for reply, n, unclear in (("Hi!", 0, 1), ("What?", 1, 0)):
        spoken = (say(hello, reply), say(bye, "", answered=False))
        found = judge_spoken(spoken, "Eva")
        figures = {one.name: one for one in list_criteria(found, [ProtocolDialogue(0, "Eva", spoken)])}
        rate = figures[Criterion.HELLO_BYE].measured
        assert (rate.n, rate.missing) == (n, unclear)


def test_switches_that_fail_count_and_those_without_a_reply_are_told_apart() -> None:
    protocol = load_protocol("en")
    tries = [Utterance("a", "topic", "sushi", 1), *(Utterance(str(n), "topic", "work", 2) for n in range(3))]
    spoken = (
        say(tries[0], "I eat sushi."),
        *(say(one, "Hm.") for one in tries[1:]),
        say(Utterance("b", "topic", "school", 3), "", answered=False),
    )
    held = ProtocolDialogue(0, "Eva", spoken)
    record = record_protocol([held], judge_all([held], reading()), protocol)
    assert record.extra.switches == (1, None)
    assert record.figure("topic_switch_trying").value == 1
    assert record.figure(AT_LEAST).value == 2.5
    assert record.extra.unjudged_switches == 1
    (table,) = (
        one
        for one in view_protocol(record).sections
        if isinstance(one, Table) and one.title == "Topic switches"
    )
    assert table.columns[3].name == "not within 3 utterances"
    assert table.rows == (("follows a change of topic", 2, 1, 1, 1, 2.5),)


def test_the_share_of_repetitions_is_given_over_all_utterances_too() -> None:
    record = run("dont-know", dialogues=1)
    of_all = record.figure("repeating.of_all")
    assert of_all.measured.n == 2 * record.extra.replies["answered"]
    assert 0 < of_all.value < record.figure("repeating").value
    assert of_all.measured.bounds is None


def test_undecided_repetitions_bound_the_share_over_all_utterances() -> None:
    said = [say(Utterance("hi", "closed"), "well")] * 5
    dialogue = ProtocolDialogue(1, "Ann", tuple(said))
    outcomes = [Outcome.FAILED, Outcome.PASSED, Outcome.UNDECIDED, Outcome.UNDECIDED]
    judged = [
        CriterionRuling(1, turn, Criterion.REPEATING, "", "", one, "", "")
        for turn, one in enumerate(outcomes)
    ]
    (found,) = (one.measured for one in list_criteria(judged, [dialogue]) if one.name == "repeating.of_all")
    assert found.value == 0.1
    assert found.bounds == Bounds(0.1, pytest.approx(0.3), 2)


def test_a_language_that_cannot_be_used_says_why(tmp_path: Path) -> None:
    text = files("du_eval.protocol.data").joinpath("en.yml").read_text(encoding="utf-8")
    broken = text.replace("Hello! My name is {name}.", "Hello!").replace('"Damn!": negative', '"Damn!": bad')
    file = tmp_path / "broken.yml"
    file.write_text(broken.replace("What do you think of {topic}?", "What?"), encoding="utf-8")
    with pytest.raises(InputError) as caught:
        load_protocol(str(file))
    told = str(caught.value)
    assert "the greeting 'Hello!' does not contain {name}" in told
    assert "the polarity of 'Damn!'" in told
    assert "the topic switch 'What?' does not contain {topic}" in told
    file.write_text(text.replace("bye_words: [", "bye_words: x # ["), encoding="utf-8")
    with pytest.raises(InputError, match="'bye_words' must be a list"):
        load_protocol(str(file))
