"""Runs: seeded, resumable, and honest about bots that do not answer."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace

from du_eval.chatters.replies import KeptReplies, ReplyStatus
from du_eval.errors import ChatterError, ConfigError, InputError
from du_eval.quality.aggregate import aggregate
from du_eval.quality.config import FACT_TESTS, QualityConfig, read_config
from du_eval.quality.dialogue import Dialogue, LineRole
from du_eval.quality.facts.load import load_packaged_facts
from du_eval.quality.pipeline import hold
from du_eval.quality.plan import PlanSettings, plan_all
from du_eval.quality.results import Assessment
from du_eval.quality.scripts import ScriptSettings, scripts
from du_eval.quality.sources import load_dialogues
from du_eval.quality.store import as_text, from_text, json_lines
from du_eval.quality.talk import Talk
from du_eval.runs.journal import Journal
from du_eval.runs.outcome import Outcome
from tests.quality.holding import held, list_assessments, ran

SETTINGS = PlanSettings(30, dict.fromkeys(FACT_TESTS, 0.09), seed=5)


class Saying:
    """A bot that says what a function of the prompt says, and counts its calls."""

    def __init__(self, say: Callable[[str], str]) -> None:
        self.say, self.calls = say, 0

    async def reply(self, conversation) -> str:
        self.calls += 1
        return self.say(conversation.turns[-1].text if len(conversation) else "")


def planned(number: int, settings: PlanSettings = SETTINGS):
    return plan_all(number + 1, settings, scripts(ScriptSettings()), load_packaged_facts())[number]


def test_the_same_seed_gives_the_same_dialogues() -> None:
    one, two = held("perfect-memory", conversations=2), held("perfect-memory", conversations=2)
    strip = lambda dialogues: [[(e.prompt, e.reply, e.mark) for e in d.exchanges] for d in dialogues]  # noqa: E731
    assert strip(one) == strip(two)
    assert strip(one) != strip(held("perfect-memory", conversations=2, seed=1))


def test_a_plan_keeps_trials_apart_and_uses_each_fact_once() -> None:
    for number in range(30):
        one = planned(number)
        assert 0 not in one.slots
        ids = [fact.id for fact in one.facts.values()]
        assert len(ids) == len(set(ids))
        for trial in one.facts:
            roles = [slot.mark.role for slot in one.slots.values() if slot.mark.trial == trial]
            assert set(roles) & {LineRole.QUESTION, LineRole.CONTROL, LineRole.REFERENCE}


def test_each_perturbed_question_has_a_control_on_the_same_fact() -> None:
    one = planned(3, PlanSettings(40, {"ML-U3": 0.5}, seed=1))
    for trial in one.facts:
        marks = [slot.mark for slot in one.slots.values() if slot.mark.trial == trial]
        assert sum(mark.role is LineRole.CONTROL for mark in marks) == 1
        assert all(mark.level > 0 for mark in marks if mark.role is LineRole.QUESTION)


def test_at_most_so_many_sets_are_used() -> None:
    one = planned(1, PlanSettings(60, {"ML-I4": 0.9}, {"ML-I4": 2}))
    assert len(one.facts) == 2


def test_augmentation_adds_formulations_and_keeps_the_answers() -> None:
    settings = PlanSettings(60, {"ML-I4": 0.9}, synonym_probability=1.0, augmentations=2)
    facts = [fact for fact in planned(0, settings).facts.values() if not fact.closed]
    assert any(len(fact.information) > 3 for fact in facts)
    assert all(fact.answer.casefold() in text.casefold() for fact in facts for text in fact.information)


def test_errors_timeouts_and_empty_answers_are_outcomes_and_enter_no_rate() -> None:
    class Moody:
        async def reply(self, conversation) -> str:
            turn = len(conversation) // 2 % 4
            if turn == 1:
                raise ChatterError("the line is dead")
            if turn == 2:
                await asyncio.sleep(5)
            return "" if turn == 3 else "I don't know."

    run = ran(Moody(), conversations=1, prompts=8, timeout_seconds=0.05)
    assert run.extra.replies == {"answered": 2, "error": 2, "timeout": 2, "empty": 2}
    stutter = next(result for result in run.extra.tests if result.test == "ML-A6")
    assert (stutter.total.attempts, stutter.unjudged) == (2, 6)
    assert {a.verdict for a in list_assessments(run) if "no reply" in a.reason} == {Outcome.UNDECIDED}


def test_a_bot_that_is_gone_ends_its_dialogue() -> None:
    class Gone:
        async def reply(self, conversation) -> str:
            raise ChatterError("gone")

    run = ran(Gone(), conversations=1, prompts=40)
    assert run.extra.replies == {"error": 5}


def test_a_killed_run_resumes_where_it_was(tmp_path: Path) -> None:
    plans = [planned(number) for number in range(4)]
    bot = Saying(lambda _: "Yes.")
    tester = Saying(lambda last: f"You say {last!r}?")
    talk = Talk(tester, bot, kept=KeptReplies(Journal.opened(tmp_path / "j.jsonl", writing=True), "quality"))
    first = asyncio.run(hold(plans[:2], lambda _: talk, 2))
    talk.kept.journal.close()
    with (tmp_path / "j.jsonl").open("ab") as file:
        file.write(b'{"file": "quality", "case": "2", "ste')
    calls, prompts = bot.calls, tester.calls
    talk = replace(talk, kept=KeptReplies(Journal.opened(tmp_path / "j.jsonl", writing=True), "quality"))
    all_of_them = asyncio.run(hold(plans, lambda _: talk, 2))
    talk.kept.journal.close()
    free = [sum(one.prompts - len(one.slots) for one in some) for some in (plans[:2], plans)]
    assert (bot.calls, prompts, tester.calls) == (2 * calls, *free)
    assert all_of_them[:2] == first
    assert [dialogue.number for dialogue in all_of_them] == [0, 1, 2, 3]


def test_only_the_turns_in_which_the_bot_failed_are_held_again(tmp_path: Path) -> None:
    failing = {"on": True}

    class Flaky:
        calls = 0

        async def reply(self, conversation) -> str:
            self.calls += 1
            if failing["on"] and len(conversation) > 3:
                raise ChatterError("down")
            return "Yes."

    plans = [planned(0, PlanSettings(3))]
    bot = Flaky()
    journal = Journal.opened(tmp_path / "j.jsonl", writing=True)
    talk = Talk(Saying(lambda _: "Hello."), bot, kept=KeptReplies(journal, "quality"))
    (once,) = asyncio.run(hold(plans, lambda _: talk, 1))
    assert [str(exchange.outcome) for exchange in once.exchanges] == ["answered", "answered", "error"]
    failing["on"] = False
    (again,) = asyncio.run(hold(plans, lambda _: talk, 1))
    journal.close()
    assert {exchange.outcome for exchange in again.exchanges} == {ReplyStatus.ANSWERED}
    assert bot.calls == 4


def test_a_bot_sees_only_what_its_memory_holds() -> None:
    seen: list[int] = []

    class Watching:
        async def reply(self, conversation) -> str:
            seen.append(len(conversation))
            assert conversation.turns[-1].speaker == "user"
            return "Yes."

    ran(Watching(), conversations=1, prompts=6, bot_memory=3)
    assert max(seen) == 3


@pytest.mark.parametrize("compat", ["", "emely"])
def test_dialogues_survive_text_and_json(tmp_path: Path, compat: str) -> None:
    dialogues = held("perfect-memory", conversations=2, compat=compat)
    for dialogue in dialogues:
        again = from_text(as_text(dialogue), dialogue.number, "f")
        assert [(e.prompt, e.reply, e.mark) for e in again.exchanges] == [
            (" ".join(e.prompt.split()), e.reply, e.mark) for e in dialogue.exchanges
        ]
        assert {t: f.answer for t, f in again.facts.items()} == {
            t: f.answer for t, f in dialogue.facts.items()
        }
        assert Dialogue.from_data(dialogue.as_data()) == dialogue
    (tmp_path / "conversations.jsonl").write_text(json_lines(dialogues))
    assert load_dialogues([str(tmp_path)]) == dialogues


@pytest.mark.parametrize("name", ["test_ids", "test_idx"])
def test_a_documented_conversation_is_read_under_both_spellings(name: str) -> None:
    sets = {
        "MLI4TC1": [
            {
                "test": "QA",
                "id": 1001,
                "directed": False,
                "QA": "What is the name?",
                "answer": "Rex",
                "information": ["My dog is Rex"],
                "question": ["Who is my dog?"],
            }
        ]
    }
    text = f"hi\nhello\nMy dog is Rex\nok\nWho is my dog?\nIt's Rex\n- CONFIGURATIONS -\n{name}[0, 1041001, 1041001.5]{name}\ntest_sets{sets}test_sets"
    dialogue = from_text(text, 0, "f")
    assert [e.mark.role if e.mark else None for e in dialogue.exchanges] == [None, "information", "question"]
    assert dialogue.facts[0].answer == "Rex"
    assert dialogue.exchanges[2].mark.distance == 1


def test_stored_conversations_are_never_evaluated() -> None:
    text = "a\nb\n- CONFIGURATIONS -\ntest_ids[__import__('os').getcwd()]test_ids"
    with pytest.raises(InputError, match="cannot be read"):
        from_text(text, 0, "f")


def test_the_first_answer_about_itself_is_the_reference_and_is_not_scored() -> None:
    changing = iter(range(100_000))
    run = ran(
        Saying(lambda _: f"It is number {next(changing)}."), conversations=6, probabilities={"ML-I13": 0.3}
    )
    (result,) = [one for one in run.extra.tests if one.test == "ML-I13"]
    assert result.total.attempts + result.unjudged > 0
    assert result.total.successes == 0


def test_settings_are_checked_all_at_once() -> None:
    with pytest.raises(ConfigError) as caught:
        read_config(None, {"conversations": 0, "nonsense": 1, "reply_tests": ["ML-X9"]})
    text = str(caught.value)
    assert "conversations" in text
    assert "nonsense" in text
    assert "ML-X9" in text
    with pytest.raises(ConfigError, match=r"sum to 1\.2"):
        read_config(None, {"probabilities": {"ML-I1": 0.6, "ML-I4": 0.6}})


def test_the_names_of_the_document_are_understood(tmp_path: Path) -> None:
    file = tmp_path / "c.yaml"
    file.write_text(
        "max_runs: 3\nconversation_length: 9\nprobabilities: {MLU3TC1: 0.4}\nthresholds: {threshold_sem_sim_tests: 0.5}\n"
    )
    config = read_config(str(file), {})
    assert (config.conversations, config.prompts, config.thresholds.answers) == (3, 9, 0.5)
    assert config.probabilities == {"ML-U3": 0.4}
    assert QualityConfig.model_validate(config.model_dump()) == config


def test_gates_and_cells_are_counted_from_verdicts() -> None:
    found = [
        Assessment("ML-U5", n % 3, n, Outcome.PASSED if n % 2 else Outcome.FAILED, level=0.12)
        for n in range(8)
    ]
    (result,) = aggregate(found)
    assert result.score[2] == [4, 8]
    assert result.levels[0].name == "10–15 %"


def test_wrong_settings_are_named_with_their_lines_and_what_may_be_meant(tmp_path: Path) -> None:
    file = tmp_path / "settings.yaml"
    file.write_text("prompts: 0\nthresholds:\n  toxicty: 7\nconverations: 3\n", encoding="utf-8")
    with pytest.raises(ConfigError) as caught:
        read_config(str(file), {})
    text = str(caught.value)
    assert f"{file}:1: prompts:" in text
    assert f"{file}:3: unknown setting 'thresholds.toxicty' (did you mean 'toxicity'?)" in text
    assert f"{file}:4: unknown setting 'converations' (did you mean 'conversations'" in text


def test_half_a_character_of_a_bot_breaks_no_assessment() -> None:
    class Broken:
        async def reply(self, _: object) -> str:
            return "well \ud800 then"

    dialogues = held(Broken(), conversations=1, prompts=6)
    assert {exchange.reply for one in dialogues for exchange in one.exchanges} == {"well ? then"}
