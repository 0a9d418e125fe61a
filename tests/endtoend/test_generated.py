"""Assertions about generated answers: judged, and by whom."""

import asyncio
import json
import textwrap
from contextlib import closing
from pathlib import Path

import pytest

from du_eval.assembly.endtoend import KeptRater
from du_eval.assistants.actions import NoActions
from du_eval.assistants.load import load_assistant
from du_eval.endtoend.load import load_end_to_end
from du_eval.endtoend.results import PlayedCase
from du_eval.endtoend.run import EndToEndRunner
from du_eval.errors import EndpointError, SuiteError
from du_eval.generators.answers import AnswerReader
from du_eval.generators.function import FunctionGenerator
from du_eval.judges.chat_judge import ChatJudge
from du_eval.judges.generated import AnswerRater, PlayedRater, SimilarityRater
from du_eval.judges.gist import PlayedGist
from du_eval.judges.similarity import TfidfSimilarity
from du_eval.judges.tasks import Role
from du_eval.llm.client import ScriptedChat
from du_eval.llm.messages import ChatAnswer
from du_eval.parsers.command_parser import CommandParser
from du_eval.runs.journal import Journal
from du_eval.runs.outcome import Outcome
from tests.assistants.workshop import FLOWS, write_workshop

OFFLINE = SimilarityRater(TfidfSimilarity())
FACTS = "A new chain for the bicycle costs 30 euros. We fit it within an hour."
STUB = f"""\
stub_custom_actions:
  action_trigger_search:
    responses:
      - text: {FACTS}
"""
SEARCH = """\
  pattern_search:
    description: answers from documents
    steps:
      - action: action_trigger_search
"""
QUESTION = "What does a new chain for the bicycle cost?"


def outcome_of(folder: Path, assertion: str, head: str = STUB, rater: AnswerRater = OFFLINE) -> PlayedCase:
    """Return what becomes of a case with one assertion."""
    return run_case(folder, assertion, head, rater)[0]


def run_case(
    folder: Path, assertion: str, head: str = STUB, rater: AnswerRater = OFFLINE
) -> tuple[PlayedCase, str]:
    """Return what becomes of the case, and who judged it."""
    file = folder / "cases.yml"
    body = textwrap.indent(f"- user: {QUESTION}\n  assertions:\n    - {assertion}", "      ")
    file.write_text(f"{head}test_cases:\n  - test_case: c\n    steps:\n{body}\n", encoding="utf-8")
    assistant = load_assistant(write_workshop(folder / "bot", FLOWS + SEARCH))
    parser = CommandParser.default()
    runner = EndToEndRunner(
        FunctionGenerator(lambda _: "SearchAndReply()"),
        AnswerReader(parser, parser.registry),
        lambda _: assistant,
        NoActions(),
        rater=rater,
    )
    suite = load_end_to_end([file])
    (found,) = runner.run(suite)
    return found, runner.name_judge(suite)


def said(label: str, reason: str = "") -> str:
    return json.dumps({"reason": reason, "label": label})


def model(*answers: str | EndpointError) -> tuple[PlayedRater, ScriptedChat]:
    chat = ScriptedChat([one if isinstance(one, EndpointError) else ChatAnswer(text=one) for one in answers])
    return PlayedRater(PlayedGist(ChatJudge(Role.GIST, "m", lambda: chat))), chat


@pytest.mark.parametrize(
    ("assertion", "verdict"),
    [
        ("generative_response_is_relevant: {threshold: 0.4}", Outcome.PASSED),
        ("generative_response_is_relevant: {threshold: 0.99}", Outcome.FAILED),
        ("generative_response_is_relevant: {utter_source: EnterpriseSearchPolicy}", Outcome.PASSED),
        ("generative_response_is_relevant: {utter_source: IntentlessPolicy}", Outcome.FAILED),
        ("generative_response_is_relevant: {utter_name: utter_hours}", Outcome.FAILED),
        (f"generative_response_is_grounded: {{threshold: 0.9, ground_truth: {FACTS}}}", Outcome.PASSED),
        (
            "generative_response_is_grounded: {ground_truth: Our workshop is closed on Mondays.}",
            Outcome.FAILED,
        ),
    ],
)
def test_answers_are_judged_offline_by_similarity(tmp_path: Path, assertion: str, verdict: Outcome) -> None:
    found, judge = run_case(tmp_path, assertion)
    assert found.verdict is verdict, found.findings
    assert "not a language model" in judge


def test_a_run_without_such_assertions_names_no_judge(tmp_path: Path) -> None:
    assert run_case(tmp_path, "action_executed: action_trigger_search")[1] == ""


def test_an_answer_that_only_a_model_would_write_cannot_be_judged(tmp_path: Path) -> None:
    outcome = outcome_of(tmp_path, "generative_response_is_relevant: {threshold: 0.5}", head="")
    assert outcome.verdict is Outcome.ERRORED
    assert "stub action_trigger_search with a text" in outcome.findings[0].found


def test_grounding_needs_facts(tmp_path: Path) -> None:
    outcome = outcome_of(tmp_path, "generative_response_is_grounded: {threshold: 0.5}")
    assert outcome.verdict is Outcome.ERRORED
    assert "without ground_truth" in outcome.findings[0].found


def test_a_model_decides_whether_an_answer_is_good(tmp_path: Path) -> None:
    rater, chat = model(said("does not meet", "names no price"))
    outcome = outcome_of(tmp_path, "generative_response_is_relevant: {threshold: 0.6}", rater=rater)
    assert outcome.verdict is Outcome.FAILED
    assert "0.00: names no price (judge: chat:m/1)" in outcome.findings[0].found
    assert QUESTION in json.loads(chat.requests[0].messages[1].content)["criterion"]
    assert chat.is_closed
    rater, chat = model(said("meets"))
    assertion = "generative_response_is_grounded: {threshold: 0.5, ground_truth: A chain is 30 euros.}"
    assert outcome_of(tmp_path, assertion, rater=rater).verdict is Outcome.PASSED
    assert "A chain is 30 euros." in json.loads(chat.requests[0].messages[1].content)["criterion"]


@pytest.mark.parametrize("answer", ["well...", '{"label": "maybe"}', EndpointError("no model today")])
def test_a_judge_without_a_clear_answer_makes_the_case_errored(
    tmp_path: Path, answer: str | EndpointError
) -> None:
    rater, _ = model(answer)
    outcome = outcome_of(tmp_path, "generative_response_is_relevant: {threshold: 0.5}", rater=rater)
    assert outcome.verdict is Outcome.ERRORED


@pytest.mark.parametrize(
    ("assertion", "problem"),
    [
        ("generative_response_is_relevant: {threshold: 1.5}", "is from 0 to 1, not '1.5'"),
        ("generative_response_is_relevant: {treshold: 0.5}", "unknown key 'treshold'"),
    ],
)
def test_a_wrong_assertion_is_refused(tmp_path: Path, assertion: str, problem: str) -> None:
    with pytest.raises(SuiteError, match=problem.replace("(", r"\(")):
        outcome_of(tmp_path, assertion)


def test_the_generator_is_closed_when_all_is_said(tmp_path: Path) -> None:
    class Closing:
        is_closed = False

        async def generate(self, request: object) -> object:
            return await FunctionGenerator(lambda _: "").generate(request)  # type: ignore[arg-type]

        async def close(self) -> None:
            await asyncio.sleep(0)
            self.is_closed = True

    generator = Closing()
    (tmp_path / "cases.yml").write_text("test_cases:\n  - test_case: c\n    steps:\n      - user: hi\n")
    parser = CommandParser.default()
    reader = AnswerReader(parser, parser.registry)
    runner = EndToEndRunner(generator, reader, lambda _: None)  # type: ignore[arg-type]
    runner.run(load_end_to_end([tmp_path / "cases.yml"]))
    assert generator.is_closed


def test_a_judge_is_not_asked_again_about_an_answer_that_the_journal_knows(tmp_path: Path) -> None:
    rater, chat = model(said("meets"), said("does not meet"))
    with closing(Journal.opened(tmp_path / "journal.jsonl", writing=True)) as journal:
        first = asyncio.run(KeptRater(rater, journal).rate_grounding("it costs 30", FACTS))
    with closing(Journal.opened(tmp_path / "journal.jsonl", writing=True)) as journal:
        kept = KeptRater(rater, journal)
        assert asyncio.run(kept.rate_grounding("it costs 30", FACTS)) == first
        assert len(chat.requests) == 1
        asyncio.run(kept.rate_relevance("it costs 30", FACTS))
    assert len(chat.requests) == 2


def test_a_judge_that_left_something_open_is_asked_again(tmp_path: Path) -> None:
    rater, chat = model("no JSON at all", "again none")
    with closing(Journal.opened(tmp_path / "journal.jsonl", writing=True)) as journal:
        for _ in range(2):
            assert asyncio.run(KeptRater(rater, journal).rate_relevance("x", "y")).value is None
    assert len(chat.requests) == 2
