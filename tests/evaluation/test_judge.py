"""One answer becomes one result, which keeps what is needed to understand it and no more."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from du_eval.assistants.model import Assistant, DialogueState, Flow
from du_eval.commands import Clarify, SetSlot, StartFlow
from du_eval.conversation import Conversation, Speaker, Turn
from du_eval.errors import GeneratorError
from du_eval.evaluation.judge import StepJudge
from du_eval.evaluation.plan import Probe
from du_eval.evaluation.step import JudgedStep, Provenance, StateSeen
from du_eval.generators.base import Place, Prediction, Prompt, Request
from du_eval.parsers.command_parser import CommandParser
from du_eval.runs.outcome import Outcome

PASSED, FAILED, ERRORED = Outcome.PASSED, Outcome.FAILED, Outcome.ERRORED
HISTORY = Conversation((Turn(Speaker.USER, "hello"),))
ASKED = Request("pay", HISTORY, DialogueState(slots={"x": 1, "y": None}), place=Place("f.yml", "c", 2, 7))
PROBE = Probe(ASKED, ((StartFlow("a"), SetSlot("x", "1")),))
RIGHT = "StartFlow(a)\nSetSlot(x, 1)"
PROMPT = Prompt("p", "user text", "system text", "answer", "llm", 0.5, 3, 4)


def judged(answer: Prediction | str, probe: Probe = PROBE, **options: object) -> JudgedStep:
    judge = StepJudge(CommandParser.default(), **options)  # type: ignore[arg-type]
    return judge.judge(probe, Prediction(answer) if isinstance(answer, str) else answer)


def test_a_right_answer_passes_and_a_wrong_one_says_what_differs() -> None:
    assert judged(RIGHT).outcome is PASSED
    wrong = judged("StartFlow(b)\nSetSlot(x, 1)")
    assert (wrong.outcome, wrong.detail.missing, wrong.detail.unexpected) == (
        FAILED,
        ("StartFlow(a)",),
        ("StartFlow(b)",),
    )
    assert (wrong.asked, wrong.line, wrong.key.step) == ("pay", 7, 2)
    assert wrong.expected == ("StartFlow(a)", "SetSlot(x, 1)")
    assert wrong.actual == ("StartFlow(b)", "SetSlot(x, 1)")
    assert wrong.detail.raw == "StartFlow(b)\nSetSlot(x, 1)"


def test_flows_and_slots_of_both_sides_are_listed_once() -> None:
    detail = judged("StartFlow(b)\nStartFlow(a)\nSetSlot(y, 2)").detail
    assert (detail.flows, detail.slots) == (("a", "b"), ("x", "y"))


def test_commands_are_spelled_as_the_judge_is_told() -> None:
    found = judged("CancelFlow()", spell=lambda command: command.name.upper())
    assert found.detail.missing == ("START FLOW", "SET SLOT")
    assert found.actual == ("CANCEL FLOW",)


def test_only_a_step_that_did_not_pass_keeps_what_was_said_before_and_where_it_stood() -> None:
    wrong, right = judged("CancelFlow()").detail, judged(RIGHT).detail
    assert (wrong.conversation, wrong.state) == (HISTORY.turns, StateSeen(slots={"x": "1"}))
    assert (right.conversation, right.state) == ((), None)
    nowhere = Probe(replace(ASKED, state=DialogueState()), PROBE.alternatives)
    assert judged("CancelFlow()", nowhere).detail.state is None


def test_the_place_of_a_dialogue_is_its_flow_and_its_question() -> None:
    state = DialogueState(active_flow="a", asked_slot="x")
    found = judged("CancelFlow()", Probe(replace(ASKED, state=state), PROBE.alternatives))
    assert found.detail.state == StateSeen("a", "x", {})


@pytest.mark.parametrize(
    ("text", "keeps", "has_text"),
    [("CancelFlow()", True, True), ("CancelFlow()", False, False), (RIGHT, True, False)],
)
def test_prompts_are_kept_with_their_texts_only_where_a_step_failed_and_they_are_wanted(
    text: str, keeps: bool, has_text: bool
) -> None:
    answer = Prediction(text, prompts=(PROMPT,), latency_seconds=0.25, latencies={"llm": 0.2})
    found = judged(answer, keeps_prompts=keeps)
    (prompt,) = found.detail.prompts
    assert (prompt.user, prompt.system) == (("user text", "system text") if has_text else ("", ""))
    assert (prompt.answer, prompt.prompt_tokens) == ("answer", 3)
    assert (found.seconds, found.detail.latencies) == (0.25, (("llm", 0.2),))


def test_prompts_of_failed_steps_are_kept_unless_nobody_wants_them() -> None:
    (prompt,) = judged(Prediction("CancelFlow()", prompts=(PROMPT,))).detail.prompts
    assert prompt == PROMPT


def test_an_error_is_a_result_with_the_expectation_and_no_answer() -> None:
    found = StepJudge(CommandParser.default()).judge(PROBE, GeneratorError("down"))
    assert (found.outcome, found.error, found.seconds, found.detail.raw) == (ERRORED, "down", None, "")
    assert (found.expected, found.actual) == (("StartFlow(a)", "SetSlot(x, 1)"), ())
    assert found.detail.explanation.provenance is Provenance.ENDPOINT
    assert found.detail.prompts == found.detail.latencies == ()


def test_commands_that_cannot_be_read_are_an_error_of_form() -> None:
    found = judged(Prediction(commands=({"command": "start flow"},)))
    assert (found.outcome, found.detail.explanation.provenance) == (ERRORED, Provenance.FORMAT)
    assert found.error


def test_the_alternative_that_passes_counts_else_the_nearest() -> None:
    far, near = (StartFlow("z"), SetSlot("q", "1"), SetSlot("r", "2")), (StartFlow("a"), SetSlot("x", "1"))
    probe = Probe(ASKED, (far, near))
    assert judged(RIGHT, probe).outcome is PASSED
    missed = judged("StartFlow(a)", probe)
    assert (missed.expected, missed.detail.missing) == (("StartFlow(a)", "SetSlot(x, 1)"), ("SetSlot(x, 1)",))
    tie = judged("CancelFlow()", Probe(ASKED, ((StartFlow("a"),), (StartFlow("b"),))))
    assert tie.expected == ("StartFlow(a)",)


def test_surplus_commands_make_an_alternative_as_far_as_missing_ones() -> None:
    probe = Probe(ASKED, ((SetSlot("x", "1"),), (StartFlow("a"), StartFlow("b"), SetSlot("x", "1"))))
    assert judged("StartFlow(a)\nStartFlow(b)", probe).detail.missing == ("SetSlot(x, 1)",)


def test_calls_that_do_not_exist_fail_a_right_step_only_where_output_is_strict() -> None:
    text = f"{RIGHT}\nBookFlight(now)"
    assert judged(text).outcome is PASSED
    strict = judged(text, strict_output=True)
    assert (strict.outcome, strict.detail.explanation.hallucinated) == (FAILED, ("BookFlight(now)",))
    assert judged(RIGHT, strict_output=True).outcome is PASSED


def test_thoughts_are_read_for_commands_only_where_that_is_asked_for() -> None:
    text = f"<think>StartFlow(b)</think>\n{RIGHT}"
    assert judged(text).actual == ("StartFlow(a)", "SetSlot(x, 1)")
    assert "StartFlow(b)" in judged(text, parses_reasoning=True).actual


def test_components_are_kept_by_name_and_an_answer_without_any_has_none() -> None:
    answer = Prediction(components={"nlu": ("StartFlow(a)",), "llm": "SetSlot(x, 1)"})
    assert judged(answer).detail.components == (("nlu", ("StartFlow(a)",)), ("llm", ("SetSlot(x, 1)",)))
    assert judged(RIGHT).detail.components == ()


def test_flows_that_the_assistant_lacks_are_named_once_whether_started_or_offered() -> None:
    assistant = Assistant(flows={"a": Flow("a")})
    probe = Probe(replace(ASKED, assistant=assistant), ((Clarify(("a", "b")),),))
    found = judged("StartFlow(c)\nClarify(a, b, c)\nCancelFlow()", probe)
    assert found.detail.unknown_flows == ("c", "b")
    assert judged("StartFlow(c)").detail.unknown_flows == ()


def test_an_explanation_says_whether_other_commands_would_pass() -> None:
    passed = judged(RIGHT).detail.explanation
    assert (passed.provenance, passed.passes_in_perfect_form) == (None, True)
    failed = judged("StartFlow(b)").detail.explanation
    assert (failed.provenance, failed.passes_in_perfect_form) == (Provenance.MODEL, False)


def test_a_question_is_known_by_its_message_and_what_is_expected_in_any_order() -> None:
    turned = Probe(ASKED, (tuple(reversed(PROBE.alternatives[0])),))
    other = Probe(ASKED, ((StartFlow("a"),),))
    elsewhere = Probe(replace(ASKED, message="buy"), PROBE.alternatives)
    first = judged(RIGHT).question
    assert judged(RIGHT, turned).question == first
    assert len({first, judged(RIGHT, other).question, judged(RIGHT, elsewhere).question}) == 3
    assert len(first) == 12
