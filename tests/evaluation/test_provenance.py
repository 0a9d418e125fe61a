"""Each failed step says where it comes from."""

from __future__ import annotations

from typing import Any

import pytest

from du_eval.commands import SetSlot, StartFlow
from du_eval.evaluation.compare import CommandDiff
from du_eval.evaluation.provenance import Explainer, is_doubtful
from du_eval.evaluation.step import Explanation, Provenance, Sign
from du_eval.generators.answers import AnswerReader
from du_eval.generators.base import Prediction
from du_eval.parsers.command_parser import CommandParser
from du_eval.runs.outcome import Outcome
from tests.evaluation.running import case, run, user

PARSER = CommandParser.default()


def explained(answer: Any, expected: str = "StartFlow(a)", policy: str = "exact") -> Explanation:
    """Return the explanation of the only step of a run."""
    result = run(case("one", user("hello", expected)), answer=lambda _: answer, policy=policy)
    (step,) = result.results()
    return step.detail.explanation


@pytest.mark.parametrize(
    ("answer", "provenance"),
    [
        ("StartFlow(b)", Provenance.MODEL),
        ("", Provenance.MODEL),
        ("No idea what that means.", Provenance.MODEL),
        ("startflow(a)", Provenance.FORMAT),
        ("start flow a", Provenance.FORMAT),
        ("StartFlow(b)\nstartflow(a", Provenance.FORMAT),
        ("FooBar(a)", Provenance.HALLUCINATED),
        ("StartFlow(b)\nFooBar(a)", Provenance.HALLUCINATED),
        (Prediction(text="StartFl", finish="length"), Provenance.TRUNCATED),
        (Prediction(text="<think>so", finish="length"), Provenance.TRUNCATED),
        (Prediction(text="", finish="content_filter"), Provenance.REFUSED),
        (Prediction(text="", refusal="not allowed"), Provenance.REFUSED),
        ("I'm sorry, but I can't help with that.", Provenance.REFUSED),
        ("I cannot assist with this request.", Provenance.REFUSED),
        ("<think>The user wants StartFlow(a)", Provenance.REASONING),
        ("It may be StartFlow(b), but no:\nStartFlow(a)", Provenance.REASONING),
        ("Let me think.\nStartFlow(b)", Provenance.MODEL),
        ("StartFlow(a)\nThat is all.\nStartFlow(b)", Provenance.MODEL),
        ([{"command": "start flow", "flow": "b"}], Provenance.MODEL),
        ("<think>StartFlow(a)</think>StartFlow(b)", Provenance.MODEL),
    ],
)
@pytest.mark.parametrize("policy", ["exact", "rasa"])
def test_a_failed_step_says_where_it_comes_from(answer: Any, provenance: Provenance, policy: str) -> None:
    assert explained(answer, policy=policy).provenance is provenance


@pytest.mark.parametrize(
    "answer",
    [
        "StartFlow(a)",
        "<think>StartFlow(b)</think>StartFlow(a)",
        Prediction(text="StartFlow(a)", finish="length"),
    ],
)
def test_a_step_that_passes_needs_no_explanation(answer: Any) -> None:
    assert explained(answer).provenance is None


def test_a_step_without_an_answer_is_the_endpoint_s() -> None:
    def broken(_: object) -> str:
        raise ValueError("no")

    (step,) = run(case("one", user("hello", "StartFlow(a)")), answer=broken).results()
    assert step.detail.explanation.provenance is Provenance.ENDPOINT


@pytest.mark.parametrize(
    ("answer", "would_pass"),
    [
        ("startflow(a)", True),
        ("startflow(b)", False),
        ("It may be StartFlow(b), but no:\nStartFlow(a)", True),
        ("StartFlow(a)", True),
        ("StartFlow(b)", False),
        ("StartFlow(b)\nstartflow(a)", True),
        ("FooBar(a)", False),
        ("", False),
    ],
)
def test_a_perfect_form_helps_only_where_the_right_commands_are_meant(
    answer: str, *, would_pass: bool
) -> None:
    assert explained(answer).passes_in_perfect_form is would_pass


@pytest.mark.parametrize(
    ("answer", "signs"),
    [
        ("<think>so</think>StartFlow(a)", {Sign.REASONING}),
        (Prediction(text="StartFlow(a)", reasoning="so"), {Sign.REASONING}),
        (Prediction(text="StartFlow(a)", finish="length"), {Sign.TRUNCATED}),
        ("StartFlow(a)\nFooBar(x)", {Sign.HALLUCINATED}),
        ("StartFlow(a). Done!", {Sign.UNPARSED}),
        ([{"command": "start flow", "flow": "a"}], set()),
        ([{"name": "start flow", "arguments": {"flow": "a"}}], {Sign.TOOL_CALLS}),
        (Prediction(text="StartFlow(a)", finish="tool_calls"), {Sign.TOOL_CALLS}),
        (Prediction(text="StartFlow(a)", finish="function_call"), {Sign.TOOL_CALLS}),
        ("StartFlow(a)", set()),
    ],
)
def test_what_can_be_seen_in_an_answer_is_told_even_if_its_step_passes(answer: Any, signs: set[Sign]) -> None:
    found = explained(answer)
    assert (found.provenance, set(found.signs)) == (None, signs)


@pytest.mark.parametrize(
    ("expected", "predicted", "is_so"),
    [
        ("John Smith", "john smith", True),
        ("50", "$50", True),
        ("the bank", "bank", True),
        ("a", "A", True),
        ("caf\u00e9", "cafe\u0301", True),
        ("123", "\uff11\uff12\uff13", True),
        ("50", "60", False),
        ("!", "?", False),
        ("plan A", "plan", False),
        ("[a, b]", "[b, a]", False),
    ],
)
def test_a_value_that_is_only_written_differently_makes_the_expectation_doubtful(
    expected: str, predicted: str, *, is_so: bool
) -> None:
    diff = CommandDiff((), (SetSlot("x", expected),), (SetSlot("x", predicted),))
    assert is_doubtful(diff) is is_so


def test_only_values_of_the_same_slot_make_an_expectation_doubtful() -> None:
    ann, same = SetSlot("x", "Ann"), SetSlot("x", "ann")
    assert is_doubtful(CommandDiff((), (ann,), (same,)))
    assert not is_doubtful(CommandDiff((), (ann,), (SetSlot("y", "ann"),)))
    assert not is_doubtful(CommandDiff((), (ann, StartFlow("f")), (same, StartFlow("g"))))


def test_a_missing_or_surplus_command_is_no_matter_of_writing() -> None:
    ann, same = SetSlot("x", "Ann"), SetSlot("x", "ann")
    for diff in (CommandDiff(), CommandDiff((), (ann,)), CommandDiff((), (ann,), (same, StartFlow("f")))):
        assert is_doubtful(diff) is False


def test_reasoning_is_parsed_where_that_is_asked_for() -> None:
    answer = Prediction(text="<think>StartFlow(b)</think>StartFlow(a)", reasoning="StartFlow(c)")
    ignoring, parsing = (
        AnswerReader(PARSER, PARSER.registry, parses).read(answer) for parses in (False, True)
    )
    assert ignoring.commands == (StartFlow("a"),)
    assert parsing.commands == (StartFlow("c"), StartFlow("b"), StartFlow("a"))
    assert ignoring.reasoning == "StartFlow(c)\nStartFlow(b)"


def test_an_answer_that_thinks_aloud_is_explained_without_its_policy() -> None:
    answer = Prediction(text="FooBar(x)")
    read = AnswerReader(PARSER, PARSER.registry).read(answer)
    found = Explainer(PARSER).explain(answer, read, CommandDiff(), lambda _: False)
    assert found.hallucinated == ("FooBar(x)",)


@pytest.mark.parametrize("policy", ["exact", "rasa"])
@pytest.mark.parametrize(("strict", "outcome"), [(False, Outcome.PASSED), (True, Outcome.FAILED)])
def test_a_command_that_does_not_exist_fails_a_right_step_only_where_that_is_asked_for(
    policy: str, strict: bool, outcome: Outcome
) -> None:
    result = run(
        case("one", user("hello", "StartFlow(a)")),
        answer=lambda _: "StartFlow(a)\nFooBar(x)",
        policy=policy,
        strict_output=strict,
    )
    (step,) = result.results()
    assert step.outcome is outcome
    assert step.detail.explanation.hallucinated == ("FooBar(x)",)
    assert step.detail.explanation.provenance is (Provenance.HALLUCINATED if strict else None)


def test_steps_that_expect_nothing_are_as_strict() -> None:
    for strict in (False, True):
        result = run(case("one", user("hello")), answer=lambda _: "FooBar(x)", strict_output=strict)
        (step,) = result.results()
        assert (step.outcome is Outcome.FAILED) is strict


def test_text_beside_tool_calls_is_no_leaked_reasoning() -> None:
    wrong = ({"command": "start flow", "flow": "b"},)
    found = explained(Prediction(text="Let me see\nStartFlow(a)", commands=wrong))
    assert found.provenance is Provenance.MODEL
