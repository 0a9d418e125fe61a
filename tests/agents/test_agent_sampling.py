"""Samples are taken until the case is decided, and none is lost."""

import asyncio
import json
import signal
from contextlib import closing
from datetime import date

import pytest
from msgspec.structs import replace

from du_eval.agents.connect import Connector
from du_eval.agents.converse import SampleSetting, run_sample
from du_eval.agents.load import load_case
from du_eval.agents.model import AgentCase, Connection, Expectation, Interaction
from du_eval.agents.pipeline import run_cases
from du_eval.agents.record import is_flaky, record_agent, record_sample, record_trial
from du_eval.agents.results import (
    AgentReply,
    AnswerUsage,
    CheckResult,
    InteractionResult,
    KeptSamples,
    SampleResult,
    StreamMessage,
    ToolCall,
    Trial,
    clean_sample,
)
from du_eval.errors import AgentError
from du_eval.reports.numbers import show_figure
from du_eval.reports.sections import Tone
from du_eval.reports.views.agent import view_agent
from du_eval.runs.journal import Journal
from du_eval.runs.outcome import Outcome
from du_eval.runs.record import Key
from du_eval.statistics.success import SuccessRatio
from tests.agents.agent_fakes import ScriptedAgent, judges, setting


def sample(letter):
    if letter == "E":
        return SampleResult(error="boom")
    outcome = Outcome.PASSED if letter == "P" else Outcome.FAILED
    return SampleResult((InteractionResult("x", checks=(CheckResult("text", "value", outcome),)),))


class Answering:
    """Gives answers that pass, fail or break, by the number of the sample."""

    def __init__(self, letters, seconds=0.0):
        self.letters, self.seconds = letters, seconds
        self.asked, self.running, self.most = 0, 0, 0

    async def ask(self, request):
        letter, self.asked = self.letters[self.asked], self.asked + 1
        self.running += 1
        self.most = max(self.most, self.running)
        try:
            await asyncio.sleep(self.seconds)
        finally:
            self.running -= 1
        if letter == "E":
            raise AgentError("boom")
        return AgentReply("yes" if letter == "P" else "no")


YES = Expectation("text", (), "value", "yes")


def run_case(monkeypatch, agent, *, ratio=(2, 2), seconds=None, concurrency=1, **options):
    """Return the record of a case with a fake connection."""
    monkeypatch.setattr(Connector, "connect", lambda *_: agent)
    turn = Interaction("x", expectations=(YES,))
    case = AgentCase("c", "c", "a", (turn,), ratio=SuccessRatio(*ratio), timeout_seconds=seconds)
    (found,) = run_cases((case,), setting(concurrency=concurrency, **options)).cases
    return found


def taken(monkeypatch, ratio, letters, **options):
    agent = Answering(letters)
    return run_case(monkeypatch, agent, ratio=ratio, **options), agent.asked


@pytest.mark.parametrize(
    ("ratio", "letters", "outcome", "started"),
    [
        ((1, 1), "P", Outcome.PASSED, 1),
        ((1, 1), "F", Outcome.FAILED, 1),
        ((1, 1), "E", Outcome.ERRORED, 1),
        ((2, 3), "PPP", Outcome.PASSED, 2),
        ((2, 3), "PFP", Outcome.PASSED, 3),
        ((2, 3), "FFP", Outcome.FAILED, 2),
        ((2, 3), "EPP", Outcome.PASSED, 3),
        ((2, 3), "EEP", Outcome.ERRORED, 3),
        ((2, 3), "FEP", Outcome.ERRORED, 3),
        ((1, 5), "PFFFF", Outcome.PASSED, 1),
        ((3, 3), "PPF", Outcome.FAILED, 3),
    ],
)
def test_no_sample_is_taken_that_cannot_matter(monkeypatch, ratio, letters, outcome, started):
    result, count = taken(monkeypatch, ratio, letters)
    assert (result.outcome, count) == (outcome, started)


def test_all_samples_are_taken_where_they_are_wanted(monkeypatch):
    result, count = taken(monkeypatch, (2, 3), "PPF", takes_all_samples=True)
    assert (result.outcome, count, is_flaky(result)) == (Outcome.PASSED, 3, True)


def run_of(*letters):
    """Return the record of a run with a case for each word of letters."""
    cases = [
        AgentCase(f"c{at}", f"c{at}", "a", (Interaction(),), ratio=SuccessRatio(1, len(word)))
        for at, word in enumerate(letters)
    ]
    trials = [Trial.of(case, Connection()) for case in cases]
    return record_agent(
        tuple(
            record_trial(trial, [record_sample(trial.at_sample(n), sample(x)) for n, x in enumerate(word, 1)])
            for trial, word in zip(trials, letters, strict=True)
        )
    )


def test_errored_samples_enter_no_rate_and_are_told():
    found = run_of("EFP")
    rate = found.figure("passed.samples").measured
    assert (rate.value, rate.n, rate.missing) == (0.5, 2, 1)
    assert found.figure("errored.samples").value == pytest.approx(1 / 3)


def test_a_run_that_mostly_errored_does_not_look_perfect():
    found = run_of(*"PP", *"E" * 15)
    view = view_agent(found)
    assert view.headline.text == "2 of 17 agent cases passed, 15 errored"
    assert view.headline.tone is Tone.OPEN
    assert "0.12–1.00 with 15 not judged" in show_figure(found.figure("passed.cases"))


def journal_with(folder, letters):
    """Return a journal that knows the first samples of the case."""
    journal = Journal.opened(folder / "journal.jsonl", writing=True)
    case = AgentCase("c", "c", "a", (Interaction("x", expectations=(YES,)),))
    trial, kept = Trial.of(case, Connection(), judges().signature), KeptSamples(journal)
    for number, letter in enumerate(letters, 1):
        kept.keep(trial.at_sample(number), sample(letter), None)
    return journal


@pytest.mark.parametrize(("known", "again", "asked"), [("PP", False, 0), ("PE", False, 1), ("PE", True, 1)])
def test_known_samples_are_not_taken_again(monkeypatch, tmp_path, known, again, asked):
    with closing(journal_with(tmp_path, known)) as journal:
        result, count = taken(monkeypatch, (2, 3), "PPP", open_journal=lambda: journal, retries_errors=again)
    assert (result.outcome, count) == (Outcome.PASSED, asked)
    assert len(result.results) == (2 if again or known == "PP" else 3)


@pytest.mark.parametrize(("takes_all", "most"), [(False, 2), (True, 5)])
def test_no_more_samples_run_at_once_than_are_needed_for_certain(monkeypatch, takes_all, most):
    agent = Answering("PPPPP", 0.01)
    found = run_case(monkeypatch, agent, ratio=(2, 5), concurrency=9, takes_all_samples=takes_all)
    assert agent.most == most
    assert [one.key.sample for one in found.results] == list(range(1, most + 1))


def test_samples_that_run_when_the_time_of_the_case_is_up_are_errored_and_finished_ones_stay(monkeypatch):
    class Slowing(Answering):
        async def ask(self, request):
            reply = await super().ask(request)
            self.seconds = 30
            return reply

    found = run_case(monkeypatch, Slowing("PPP"), ratio=(3, 3), seconds=0.2)
    first, second = found.results
    assert first.outcome is Outcome.PASSED
    assert (second.outcome, second.seconds) == (Outcome.ERRORED, 0.2)
    assert second.error == "the time limit of the case, 0.2 s for all samples, ran out"
    assert found.outcome is Outcome.ERRORED


def test_the_time_of_a_case_begins_when_its_first_sample_may_run(monkeypatch):
    agent = Answering("PPPP", 0.15)
    monkeypatch.setattr(Connector, "connect", lambda *_: agent)
    turn = Interaction("x", expectations=(YES,))
    cases = tuple(AgentCase(name, name, "a", (turn,), timeout_seconds=0.3) for name in "abcd")
    run = run_cases(cases, setting(concurrency=1))
    assert [case.outcome for case in run.cases] == [Outcome.PASSED] * 4


def test_a_time_limit_that_is_not_the_case_s_own_is_not_taken_for_it(monkeypatch):
    async def run_late(*_):
        raise TimeoutError("mine")

    monkeypatch.setattr("du_eval.agents.pipeline.run_sample", run_late)
    with pytest.raises(TimeoutError, match="mine"):
        run_case(monkeypatch, Answering("P"), seconds=5)


def test_an_interrupted_run_keeps_the_cases_that_were_over(monkeypatch):
    class Interrupted(Answering):
        async def ask(self, request):
            if self.asked == 3:
                signal.raise_signal(signal.SIGINT)
                await asyncio.sleep(30)
            return await super().ask(request)

    agent = Interrupted("PPPP")
    monkeypatch.setattr(Connector, "connect", lambda *_: agent)
    turn = Interaction("x", expectations=(YES,))
    cases = tuple(AgentCase(name, name, "a", (turn,), ratio=SuccessRatio(2, 2)) for name in "ab")
    before = signal.signal(
        signal.SIGINT, signal.default_int_handler
    )  # shells ignore it in what they start by &
    try:
        run = run_cases(cases, setting(concurrency=1))
    finally:
        signal.signal(signal.SIGINT, before)
    assert run.head.status == "interrupted"
    assert [case.name for case in run.cases] == ["a"]


def journal_in(folder, *, writing=True):
    return KeptSamples(Journal.opened(folder / "journal.jsonl", writing=writing))


TRIAL = Trial(AgentCase("c", "f", "a", ()), Connection(), Key("f", "c", 1, 1, "http"), "asked")


def test_a_journal_gives_back_what_it_was_given(tmp_path):
    reply = AgentReply(
        "t",
        {"a": 1},
        {"b": [2, None]},
        None,
        (ToolCall("x", {"n": 1}),),
        AnswerUsage(1, 1, 0, 0.5),
        (StreamMessage("AI", "a", "t"),),
    )
    full = SampleResult(
        (InteractionResult("x", reply, "", sample("F").interactions[0].checks, 0.5),), "", 1.0
    )
    kept = journal_in(tmp_path)
    kept.keep(TRIAL.at_sample(2), full, full.outcome)
    kept.keep(TRIAL, sample("E"), Outcome.ERRORED)
    kept.journal.close()
    again = journal_in(tmp_path, writing=False)
    assert [again.recall(TRIAL.at_sample(number)) for number in (1, 2, 3)] == [sample("E"), full, None]
    assert again.recall(replace(TRIAL, request="something else")) is None
    again.journal.close()


def test_a_case_that_was_changed_or_is_judged_otherwise_is_another_one():
    case = AgentCase("c", "f", "a", (Interaction(),), (Connection("http"), Connection("direct")), digest="1")
    one = Trial.of(case, case.connections[0], "judges")
    assert one.key == Key("f", "c", 1, 1, "http")
    others = [
        Trial.of(replace(case, digest="2"), case.connections[0], "judges"),
        Trial.of(case, case.connections[1], "judges"),
        Trial.of(case, case.connections[0], "other judges"),
    ]
    assert len({one.request, *(other.request for other in others)}) == 4


def test_what_json_does_not_have_becomes_text_in_the_record():
    reply = AgentReply("half \ud83d", {"when": date(2026, 1, 2), 3: {"x"}, "fine": [1.5, True, None]})
    found = clean_sample(SampleResult((InteractionResult("x", reply),)))
    assert found.interactions[0].reply.text == "half ?"
    assert found.interactions[0].reply.structure == {
        "when": "2026-01-02",
        "3": ["x"],
        "fine": [1.5, True, None],
    }


def conversation(tmp_path, agent, turns, **keys):
    path = tmp_path / "case.json"
    path.write_text(json.dumps({"agent": "a", "interactions": turns, **keys}))
    case = load_case(path, "case").case
    return asyncio.run(run_sample(case, agent, SampleSetting(judges())))


def test_the_context_is_handed_on_unless_a_turn_starts_anew(tmp_path):
    agent = ScriptedAgent("a", "b", "c")
    turns = [{"text": "1"}, {"text": "2"}, {"text": "3", "continue_conversation": False}]
    conversation(tmp_path, agent, turns)
    assert [bool(request.chat_context) for request in agent.requests] == [False, True, False]


def test_with_the_switch_the_turn_after_starts_anew(tmp_path):
    agent = ScriptedAgent("a", "b", "c")
    turns = [{"text": "1"}, {"text": "2", "continue_conversation": False}, {"text": "3"}]
    conversation(tmp_path, agent, turns, neuro_san_compat=True)
    assert [bool(request.chat_context) for request in agent.requests] == [False, True, False]


def test_sly_data_is_carried_and_merged_until_a_turn_brings_its_own(tmp_path):
    agent = ScriptedAgent(AgentReply("a", sly_data={"n": 1}), "b", "c")
    turns = [{"text": "1", "sly_data": {"x": 1}}, {"text": "2"}, {"text": "3", "sly_data": {"y": 2}}]
    conversation(tmp_path, agent, turns)
    assert [request.sly_data for request in agent.requests] == [{"x": 1}, {"x": 1, "n": 1}, {"y": 2}]


def test_later_turns_run_after_a_failed_check_but_not_after_an_error(tmp_path):
    turns = [{"text": "1", "response": {"text": {"value": "x"}}}, {"text": "2"}, {"text": "3"}]
    failed = conversation(tmp_path, ScriptedAgent("a", "b", "c"), turns)
    assert (failed.outcome, len(failed.interactions)) == (Outcome.FAILED, 3)
    broken = conversation(tmp_path, ScriptedAgent("x", AgentError("gone"), "c"), turns)
    assert (broken.outcome, len(broken.interactions)) == (Outcome.ERRORED, 2)
    assert broken.interactions[-1].error == "gone"


def test_samples_of_a_case_are_one_cluster_of_the_pass_rate():
    once = run_of(*"PPPPPPPPFF").figure("passed.samples").measured
    often = run_of(*["P" * 10] * 8, *["F" * 10] * 2).figure("passed.samples").measured
    assert (often.n, often.value, often.method) == (100, 0.8, "clustered-wilson:0.95")
    assert often.interval.width == pytest.approx(once.interval.width, rel=0.3)


def test_a_kept_sample_says_what_became_of_it_and_is_found_again(tmp_path):
    from contextlib import closing

    from du_eval.agents.model import Connection
    from du_eval.agents.results import InteractionResult, KeptSamples, SampleResult, Trial
    from du_eval.runs.journal import Journal

    trial = Trial.of(AgentCase("c", "f.hocon", "a", ()), Connection())
    failed, errored = SampleResult((InteractionResult("hi", seconds=1.5),)), SampleResult(error="down")
    with closing(Journal.opened(tmp_path / "j.jsonl", writing=True)) as journal:
        kept = KeptSamples(journal)
        kept.keep(trial, failed, Outcome.FAILED)
        kept.keep(trial.at_sample(2), errored, errored.outcome)
        assert [record.outcome for record in journal.records()] == ["failed", "errored"]
        assert kept.recall(trial) == failed
        assert kept.recall(trial.at_sample(2)) == errored
        assert KeptSamples(journal, retries_errors=True).recall(trial.at_sample(2)) is None
        assert kept.recall(trial.at_sample(3)) is None
