"""Samples are taken until the case is decided, and none is lost."""

import asyncio
import json
from dataclasses import replace
from datetime import date

import pytest

from du_eval.agents.converse import SampleSetting, run_sample
from du_eval.agents.journal import KeptSamples, TrialPlace, clean_sample, place_trial
from du_eval.agents.load import load_case
from du_eval.agents.model import AgentCase, Connection, Interaction
from du_eval.agents.record import is_flaky, record_agent, record_trial
from du_eval.agents.results import (
    AgentReply,
    AgentRun,
    AgentTrial,
    AnswerUsage,
    CheckResult,
    InteractionResult,
    SampleResult,
    StreamMessage,
    ToolCall,
)
from du_eval.agents.sampling import SamplingRules, is_decided, run_samples
from du_eval.errors import AgentError
from du_eval.reports.numbers import show_figure
from du_eval.reports.sections import Tone
from du_eval.reports.views.agent import view_agent
from du_eval.runs.journal import Journal
from du_eval.runs.outcome import Outcome
from du_eval.runs.record import Key
from du_eval.statistics.success import SuccessRatio
from tests.agents.agent_fakes import ScriptedAgent, judges


def sample(number, letter):
    if letter == "E":
        return SampleResult(number, error="boom")
    outcome = Outcome.PASSED if letter == "P" else Outcome.FAILED
    return SampleResult(number, (InteractionResult("x", checks=(CheckResult("text", "value", outcome),)),))


def taken(ratio, letters, takes_all=False, known=None):
    case = AgentCase("c", "c", "a", (Interaction(),), ratio=SuccessRatio(*ratio))
    started = []

    async def attempt(number):
        started.append(number)
        await asyncio.sleep(0)
        return sample(number, letters[number - 1])

    async def go():
        return await run_samples(case, attempt, known or {}, SamplingRules(asyncio.Semaphore(2), takes_all))

    return record_trial(AgentTrial(case, Connection(), asyncio.run(go()))), len(started)


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
        ((2, 3), "EEP", Outcome.ERRORED, 2),
        ((2, 3), "FEP", Outcome.ERRORED, 2),
        ((1, 5), "PFFFF", Outcome.PASSED, 1),
        ((3, 3), "PPF", Outcome.FAILED, 3),
    ],
)
def test_no_sample_is_taken_that_cannot_matter(ratio, letters, outcome, started):
    result, count = taken(ratio, letters)
    assert (result.outcome, count) == (outcome, started)


def test_all_samples_are_taken_where_they_are_wanted():
    result, count = taken((2, 3), "PPF", takes_all=True)
    assert (result.outcome, count, is_flaky(result)) == (Outcome.PASSED, 3, True)


def run_of(*letters):
    """Return the record of a run with a case for each word of letters."""
    cases = [
        AgentCase(f"c{at}", f"c{at}", "a", (Interaction(),), ratio=SuccessRatio(1, len(word)))
        for at, word in enumerate(letters)
    ]
    samples = [tuple(sample(n, letter) for n, letter in enumerate(word, 1)) for word in letters]
    trials = (AgentTrial(case, Connection(), found) for case, found in zip(cases, samples, strict=True))
    return record_agent(AgentRun(tuple(trials)))


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


def test_known_samples_are_not_taken_again():
    result, count = taken((2, 3), "FFF", known={1: sample(1, "P"), 2: sample(2, "P")})
    assert (result.outcome, count) == (Outcome.PASSED, 0)


@pytest.mark.parametrize(
    ("ratio", "letters", "decided"),
    [
        ((2, 3), "P", False), ((2, 3), "PP", True), ((2, 3), "PF", False), ((2, 3), "FF", True),
        ((2, 3), "EF", True), ((1, 3), "FF", False), ((3, 3), "F", True), ((1, 1), "", False),
    ],
)  # fmt: skip
def test_a_case_is_decided_once_the_rest_cannot_change_it(ratio, letters, decided):
    known = {number: sample(number, letter) for number, letter in enumerate(letters, 1)}
    assert is_decided(SuccessRatio(*ratio), known) is decided


def run_case(attempt, *, ratio=(2, 2), seconds=None, slots=2, takes_all=True, known=None):
    """Take the samples of a case with a time limit."""
    case = AgentCase("c", "c", "a", (Interaction(),), ratio=SuccessRatio(*ratio), timeout_seconds=seconds)

    async def go():
        return await run_samples(
            case, attempt, known or {}, SamplingRules(asyncio.Semaphore(slots), takes_all)
        )

    return asyncio.run(go())


@pytest.mark.parametrize(("takes_all", "most"), [(False, 2), (True, 5)])
def test_no_more_samples_run_at_once_than_can_be_needed(takes_all, most):
    running, seen = set(), []

    async def attempt(number):
        running.add(number)
        await asyncio.sleep(0.01)
        seen.append(len(running))
        running.discard(number)
        return sample(number, "P")

    found = run_case(attempt, ratio=(2, 5), slots=9, takes_all=takes_all)
    assert max(seen) == most
    assert [one.number for one in found] == list(range(1, most + 1))


def test_one_more_sample_is_taken_for_each_that_did_not_pass():
    batches = []

    async def attempt(number):
        batches.append(number)
        await asyncio.sleep(0)
        return sample(number, "FPP"[number - 1])

    assert [one.number for one in run_case(attempt, ratio=(2, 3), takes_all=False)] == [1, 2, 3]
    assert batches == [1, 2, 3]


def test_known_samples_count_for_how_many_are_needed():
    started = []

    async def attempt(number):
        started.append(number)
        return sample(number, "P")

    run_case(attempt, ratio=(3, 5), takes_all=False, slots=9, known={2: sample(2, "P"), 4: sample(4, "F")})
    assert started == [1, 3]


def test_samples_that_run_when_the_time_of_the_case_is_up_are_errored_and_finished_ones_stay():
    async def attempt(number):
        await asyncio.sleep(0 if number == 1 else 30)
        return sample(number, "P")

    first, second = run_case(attempt, seconds=0.2)
    assert first.outcome is Outcome.PASSED
    assert (second.outcome, second.seconds) == (Outcome.ERRORED, 0.2)
    assert second.error == "the time limit of the case, 0.2 s for all samples, ran out"


def test_the_time_of_a_case_begins_when_its_first_sample_may_run():
    slots = asyncio.Semaphore(1)
    case = AgentCase("c", "c", "a", (Interaction(),), ratio=SuccessRatio(1, 1), timeout_seconds=0.3)

    async def attempt(number):
        await asyncio.sleep(0.05)
        return sample(number, "P")

    async def go():
        async with slots:
            waiting = asyncio.create_task(run_samples(case, attempt, {}, SamplingRules(slots)))
            await asyncio.sleep(0.5)
        return await waiting

    (found,) = asyncio.run(go())
    assert found.outcome is Outcome.PASSED


def test_the_time_of_a_case_is_not_renewed_by_its_next_sample():
    async def attempt(number):
        await asyncio.sleep(0.15)
        return sample(number, "P")

    found = run_case(attempt, ratio=(9, 9), seconds=0.4, slots=1)
    assert [one.outcome for one in found].count(Outcome.PASSED) <= 3
    assert found[-1].outcome is Outcome.ERRORED


def test_a_time_limit_that_is_not_the_case_s_own_is_not_taken_for_it():
    async def attempt(number):
        raise TimeoutError("mine")

    with pytest.raises(TimeoutError, match="mine"):
        run_case(attempt, seconds=5)


def test_what_still_runs_is_stopped_when_a_sample_breaks():
    ended = []

    async def attempt(number):
        if number == 1:
            await asyncio.sleep(0.01)
            raise ValueError("broken")
        try:
            await asyncio.sleep(30)
        finally:
            ended.append(number)

    with pytest.raises(ValueError, match="broken"):
        run_case(attempt)
    assert ended == [2]


def journal_in(folder, *, writing=True):
    return KeptSamples(Journal.opened(folder / "journal.jsonl", writing=writing))


PLACE = TrialPlace(Key("f", "c", 1, 1, "http"), "asked")


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
        2, (InteractionResult("x", reply, "", sample(1, "F").interactions[0].checks, 0.5),), "", 1.0
    )
    kept = journal_in(tmp_path)
    kept.append(PLACE, full)
    kept.append(PLACE, sample(1, "E"))
    kept.journal.close()
    again = journal_in(tmp_path, writing=False)
    assert again.find(PLACE, 3) == {1: sample(1, "E"), 2: full}
    assert again.find(PLACE, 1) == {1: sample(1, "E")}
    assert again.find(TrialPlace(PLACE.key, "something else"), 3) == {}
    again.journal.close()


def test_a_case_that_was_changed_or_is_judged_otherwise_is_another_one():
    case = AgentCase("c", "f", "a", (Interaction(),), (Connection("http"), Connection("direct")), digest="1")
    place = place_trial(case, case.connections[0], "judges")
    assert place.key == Key("f", "c", 1, 1, "http")
    others = [
        place_trial(replace(case, digest="2"), case.connections[0], "judges"),
        place_trial(case, case.connections[1], "judges"),
        place_trial(case, case.connections[0], "other judges"),
    ]
    assert len({place.request, *(one.request for one in others)}) == 4


def test_what_json_does_not_have_becomes_text_in_the_record():
    reply = AgentReply("half \ud83d", {"when": date(2026, 1, 2), 3: {"x"}, "fine": [1.5, True, None]})
    found = clean_sample(SampleResult(1, (InteractionResult("x", reply),)))
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
    return asyncio.run(run_sample(case, agent, 1, SampleSetting(judges())))


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
    assert broken.problems == ("interaction 2: gone",)


def test_samples_of_a_case_are_one_cluster_of_the_pass_rate():
    once = run_of(*"PPPPPPPPFF").figure("passed.samples").measured
    often = run_of(*["P" * 10] * 8, *["F" * 10] * 2).figure("passed.samples").measured
    assert (often.n, often.value, often.method) == (100, 0.8, "clustered-wilson:0.95")
    assert often.interval.width == pytest.approx(once.interval.width, rel=0.3)
