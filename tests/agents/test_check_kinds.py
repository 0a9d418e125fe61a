"""What checks share: how values are named and shown, what an expectation may be, and where a value is found."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from msgspec.structs import replace

from du_eval.agents.checks import texts
from du_eval.agents.checks.base import (
    CheckFinding,
    CheckKind,
    Subject,
    anything,
    is_number,
    name_kind,
    number,
    show_value,
    switch,
    text,
)
from du_eval.agents.checks.evaluate import (
    CHECKS,
    Answer,
    CheckName,
    check_name,
    describe_check,
    evaluate,
    list_check_names,
)
from du_eval.agents.document import Findings
from du_eval.agents.expectations import read_expectations
from du_eval.agents.results import AgentReply, AnswerUsage, CheckResult, ToolCall
from du_eval.judges.gist import GistOpinion
from du_eval.runs.outcome import Outcome
from tests.agents.agent_fakes import FixedGist, judges

PASSED, FAILED, ERRORED = Outcome.PASSED, Outcome.FAILED, Outcome.ERRORED


def check(response: dict[str, Any], reply: AgentReply, seconds: float = 0.5, gist: Any = None) -> CheckResult:
    """Return the result of the one expectation of a response."""
    findings = Findings("case")
    (expectation,) = read_expectations(response, findings)
    assert not findings.problems
    return asyncio.run(evaluate(expectation, Answer(reply, seconds, judges(gist))))


def problems(response: dict[str, Any]) -> str:
    findings = Findings("case")
    read_expectations(response, findings)
    return " ".join(map(str, findings.problems))


def subject(value: object, *, ignores_case: bool = False) -> Subject:
    return Subject(value, AgentReply(), 0.0, judges(), ignores_case)


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (True, "true or false"),
        (1, "a number"),
        (1.5, "a number"),
        ("a", "a string"),
        ([], "a list"),
        ({}, "an object"),
        (None, "null"),
        (b"a", "bytes"),
    ],
)
def test_a_value_is_named_by_its_kind(value: object, words: str) -> None:
    assert name_kind(value) == words


def test_a_value_is_shown_as_json_and_cut_after_300_characters() -> None:
    assert show_value({"ä": [1, None]}) == '{"ä": [1, null]}'
    assert show_value("x" * 298) == '"' + "x" * 298 + '"'
    assert show_value("x" * 299) == '"' + "x" * 299 + "… (301 characters)"
    assert show_value(Outcome) == f'"{Outcome}"'


def test_the_signature_of_judges_has_all_their_names() -> None:
    who = judges(FixedGist(met=True))
    assert who.signature == f"gist:fixed|similar:{who.similarity.name}|toxicity:{who.toxicity.name}"


def test_case_is_ignored_in_texts_and_in_lists_of_them_only_where_that_is_asked_for() -> None:
    assert subject("A", ignores_case=True).fold(["A", ["B"], 3]) == ["a", ["b"], 3]
    assert subject("A", ignores_case=True).fold({"A": 1}) == {"A": 1}
    assert subject("A").fold(["A"]) == ["A"]


def test_numbers_are_no_truth_values_and_expectations_are_refused_by_kind() -> None:
    assert [is_number(one) for one in (1, 1.5, True, "1", None)] == [True, True, False, False, False]
    assert (number(0), text("a"), switch(False), anything(0)) == (0, "a", False, 0)
    for accept, raw, message in (
        (number, True, "needs a number, not true or false"),
        (text, 1, "needs a string, not a number"),
        (text, "", "needs a non-empty string"),
        (switch, 1, "needs true or false, not a number"),
        (anything, None, "null is not an expectation"),
    ):
        with pytest.raises(ValueError, match=message):
            accept(raw)


def test_an_object_is_an_expectation_only_of_a_check_with_just_such_keys() -> None:
    plain = CheckKind("plain", str, lambda *_: CheckFinding(holds=True))
    sized = CheckKind("sized", str, plain.test, options=frozenset({"min", "max"}))
    whole = CheckKind("whole", str, plain.test, takes_any_object=True)
    found = [
        (one.takes_object({"min": 1}), one.takes_object({"x": 1}), one.takes_object({}))
        for one in (plain, sized, whole)
    ]
    assert found == [(False, False, False), (True, False, False), (True, True, True)]
    assert (plain.takes_list([1]), plain.takes_missing, plain.needs_messages) == (False, False, False)


def test_names_of_checks_are_read_in_any_case_and_with_their_negation() -> None:
    assert check_name("Keywords") == CheckName("keywords", negated=False)
    assert check_name("NOT_keywords") == CheckName("keywords", negated=True)
    assert check_name("any_of") == CheckName("any_of", negated=False)
    assert check_name("not_any_of") == CheckName("any_of", negated=True)
    assert [check_name(one) for one in ("keyword", "not_", "not_not_value")] == [None, None, None]


def test_names_of_a_scope_come_with_their_negations_and_alternatives_are_about_values() -> None:
    scopes = {one: list_check_names(CHECKS[one].scope) for one in ("value", "latency_below")}
    assert {"value", "not_value", "any_of", "not_any_of"} <= set(scopes["value"])
    assert "latency_below" not in scopes["value"]
    assert {"latency_below", "not_tool_called"} <= set(scopes["latency_below"])
    assert "any_of" not in scopes["latency_below"]


def test_alternatives_are_put_into_words() -> None:
    assert describe_check(CheckName("value", negated=True), 3) == "not to be 3"
    reply = AgentReply(text="c")
    result = check({"text": {"any_of": ["a", {"keywords": "b", "not_keywords": "x"}]}}, reply)
    assert result.expected == 'to fit one of these: to be "a"; to contain "b" and not to contain "x"'
    none = check({"text": {"not_any_of": ["a"]}}, reply)
    assert none.expected == 'to fit none of these: to be "a"'


@pytest.mark.parametrize("limit", [0, -1, "1", True])
def test_a_limit_of_time_or_cost_is_above_zero(limit: object) -> None:
    assert problems({"latency_below": limit})
    assert problems({"cost_below": limit})


def test_an_answer_that_takes_or_costs_just_the_limit_fails() -> None:
    reply = AgentReply(text="a", usage=AnswerUsage(cost=0.5))
    found = [check({"latency_below": limit}, reply, seconds=0.5).outcome for limit in (0.5, 0.51)]
    assert found == [FAILED, PASSED]
    assert [check({"cost_below": limit}, reply).outcome for limit in (0.5, 0.51)] == [FAILED, PASSED]
    assert "does not report a cost" in check({"cost_below": 1}, AgentReply(text="a")).message


CALLED = AgentReply(text="a", tools=(ToolCall("add", {"n": 1}), ToolCall("add", {"n": 2})))


@pytest.mark.parametrize(
    ("expected", "outcome"),
    [
        ({"name": "add"}, PASSED),
        ({"name": "add", "times": 2}, PASSED),
        ({"name": "add", "times": 1}, FAILED),
        ({"name": "sub", "times": 0}, PASSED),
        ({"name": "sub"}, FAILED),
        ({"name": "add", "params": {"n": 2}, "times": 1}, PASSED),
        ({"name": "add", "params": {"m": 2}}, FAILED),
        ({"name": "add", "params": {"n": 3}}, FAILED),
    ],
    ids=str,
)
def test_a_tool_is_called_with_its_arguments_and_as_often_as_expected(
    expected: dict[str, Any], outcome: Outcome
) -> None:
    assert check({"tool_called": expected}, CALLED).outcome is outcome


def test_a_call_is_put_into_words() -> None:
    result = check({"tool_called": {"name": "sub", "params": {"n": 1}, "times": 2}}, CALLED)
    assert result.message == (
        "the response was expected to call the tool 'sub' with {\"n\": 1} 2 times, but "
        "the agent called 'add' with {\"n\": 1}, 'add' with {\"n\": 2}"
    )
    assert "but the agent called no tool" in check({"tool_called": "sub"}, AgentReply(text="a")).message


@pytest.mark.parametrize(
    ("expected", "message"),
    [
        ({"name": "add", "times": -1}, "'times' to be a whole number of at least 0"),
        ({"name": "add", "times": True}, "'times' to be a whole number of at least 0"),
        ({"name": "add", "times": 1.5}, "'times' to be a whole number of at least 0"),
        ({"name": "add", "params": []}, "'params' to be an object, not a list"),
        ({"times": 1}, "needs a string, not null"),
    ],
    ids=str,
)
def test_a_call_that_makes_no_sense_is_refused(expected: dict[str, Any], message: str) -> None:
    assert message in problems({"tool_called": expected})


@pytest.mark.parametrize(
    ("schema", "value", "message"),
    [
        ({"required": ["m"]}, {"n": 1}, "'m' is a required property"),
        ({"properties": {"n": {"type": "string"}}}, {"n": 1}, "1 is not of type 'string' (at n)"),
        ({"type": "string"}, "{}", ""),
        ({"type": "object"}, '{"n": 1}', ""),
        ({"type": "object"}, "hello", 'this cannot be tested: the text "hello" is not JSON'),
    ],
    ids=str,
)
def test_a_value_or_the_json_of_a_text_fits_a_schema_or_says_where_not(
    schema: dict[str, Any], value: object, message: str
) -> None:
    result = check({"structure": {"x": {"json_schema": schema}}}, AgentReply(structure={"x": value}))
    assert (result.outcome is PASSED) is (message == "")
    assert message in result.message


@pytest.mark.parametrize(
    "schema",
    [{}, [], {"type": "strin"}, {"properties": {"a": [{"$ref": "http://example.org/s"}]}, "type": "object"}],
    ids=str,
)
def test_a_schema_that_is_none_or_needs_the_network_is_refused(schema: object) -> None:
    assert problems({"structure": {"json_schema": schema}})


ITEMS = AgentReply(
    text="a", structure={"items": [1, 2], "none": None, "empty": {}, **{f"k{n}": n for n in range(9)}}
)


@pytest.mark.parametrize(
    ("path", "outcome"),
    [
        ("0", PASSED),
        ("-2", PASSED),
        ("1", FAILED),
        ("2", FAILED),
        ("-3", FAILED),
        ("x", FAILED),
        ("²", FAILED),
    ],
)
def test_items_of_lists_count_from_either_end(path: str, outcome: Outcome) -> None:
    result = check({"structure": {"items": {path: {"value": 1}}}}, ITEMS)
    assert result.outcome is outcome
    assert result.message == "" or f"item {show_value(path)}" in result.message or "it is 2" in result.message


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("zzz", '(it has "items", "none", "empty", "k0", "k1", "k2", "k3", "k4")'),
        ("item", "(did you mean 'items'?)"),
        ("none", "structure.none is null"),
    ],
)
def test_a_value_that_is_not_there_is_told_with_what_is(path: str, message: str) -> None:
    result = check({"structure": {path: {"value": 1}}}, ITEMS)
    assert (result.outcome, result.actual) == (FAILED, "")
    assert result.message.endswith(message)


def test_a_path_into_an_empty_object_or_a_plain_value_says_so() -> None:
    assert "(it is empty)" in check({"structure": {"empty": {"a": {"value": 1}}}}, ITEMS).message
    told = check({"structure": {"k1": {"a": {"value": 1}}}}, ITEMS).message
    assert told.endswith('structure.k1 is 1 and has no "a"')
    assert check({"sly_data": {"a": {"value": 1}}}, ITEMS).message.endswith("the answer has no sly_data")


def test_what_was_found_is_told_as_text_or_as_json() -> None:
    assert check({"text": {"value": "a"}}, ITEMS).actual == "a"
    assert check({"structure": {"items": {"value": [[1, 2]]}}}, ITEMS).actual == "[1, 2]"
    assert check({"structure": {"none": {"missing": True}}}, ITEMS).actual == ""


def test_a_missing_value_that_must_exist_says_why_it_does_not() -> None:
    result = check({"structure": {"none": {"exists": True}}}, ITEMS)
    assert result.message == "structure.none was expected to be there, but structure.none is null"
    told = check({"structure": {"items": {"missing": True}}}, ITEMS)
    assert told.message == "structure.items was expected to be missing, but it is [1, 2]"


def test_no_alternative_is_a_failure_and_an_open_one_decides_nothing() -> None:
    options = [{"keywords": "x"}, {"gist": "b"}]
    assert check({"text": {"any_of": options}}, ITEMS, gist=FixedGist(met=False)).outcome is FAILED
    assert check({"text": {"not_any_of": options}}, ITEMS, gist=FixedGist(met=False)).outcome is PASSED
    assert check({"text": {"any_of": options}}, ITEMS, gist=FixedGist(met=True)).outcome is PASSED
    undecided = check({"text": {"any_of": options}}, ITEMS, gist=FixedGist(met=None))
    assert (undecided.outcome, "this is undecided" in undecided.message) == (ERRORED, True)
    both = [{"gist": "b", "keywords": "x"}]
    assert check({"text": {"any_of": both}}, ITEMS, gist=FixedGist(met=None)).outcome is FAILED


def test_an_opinion_is_told_with_its_reason_and_its_judge() -> None:
    failed = check({"text": {"gist": "b"}}, ITEMS, gist=FixedGist(met=False))
    assert (failed.judge, failed.message) == (
        "fixed",
        'text was expected to meet the criteria "b", but it is "a"; because (judge: fixed)',
    )
    passed = check({"text": {"gist": "b"}}, ITEMS, gist=FixedGist(met=True))
    assert (passed.outcome, passed.message) == (PASSED, "because")


class BrokenGist:
    """Cannot be asked."""

    name = "broken"

    async def decide(self, sample: str, criteria: str) -> Any:
        raise RuntimeError(f"no model for {criteria}")


def test_a_judge_that_breaks_is_an_error_with_its_kind() -> None:
    result = check({"text": {"gist": "b"}}, ITEMS, gist=BrokenGist())
    assert result.outcome is ERRORED
    assert "the judge did not answer: RuntimeError: no model for b" in result.message


@pytest.mark.parametrize(
    ("response", "passing", "failing"),
    [
        ({"ignore_case": "AB"}, "ab", "abc"),
        ({"starts_with": "ab"}, "abc", "cab"),
        ({"ends_with": "ab"}, "cab", "abc"),
        ({"keywords": "b"}, "abc", "ac"),
        ({"regex": "^a.c$"}, "abc", "ABC"),
        ({"value": "ab"}, "ab", "AB"),
        ({"similar": {"to": "red green", "at_least": 0.99}}, "red green", "blue"),
    ],
    ids=str,
)
def test_words_decide_about_texts(response: dict[str, Any], passing: str, failing: str) -> None:
    found = [check({"text": response}, AgentReply(text=one)).outcome for one in (passing, failing)]
    assert found == [PASSED, FAILED]


@pytest.mark.parametrize(
    ("response", "value", "message"),
    [
        ({"keywords": 3}, "abc", "the keyword 3 is a number, and the value is a string"),
        ({"keywords": "a"}, 3, "it is a number, which cannot contain anything"),
        ({"starts_with": "a"}, 3, "it is a number, not a string"),
    ],
    ids=str,
)
def test_a_question_that_makes_no_sense_for_a_value_fails_with_the_reason(
    response: dict[str, Any], value: object, message: str
) -> None:
    result = check({"structure": {"x": response}}, AgentReply(structure={"x": value}))
    assert (result.outcome, message in result.message) == (FAILED, True)


def test_the_keys_of_an_object_are_its_words() -> None:
    reply = AgentReply(structure={"x": {"a": 1}})
    assert check({"structure": {"x": {"keywords": "a"}}}, reply).outcome is PASSED
    assert check({"structure": {"x": {"keywords": "b"}}}, reply).outcome is FAILED


@pytest.mark.parametrize("share", [0, 1.01, -0.5, "1"])
def test_a_share_lies_above_zero_and_up_to_one(share: object) -> None:
    assert problems({"text": {"toxicity_below": share}})
    assert problems({"text": {"similar": {"to": "a", "at_least": share}}})
    assert not problems({"text": {"toxicity_below": 1}})


def test_a_toxicity_of_just_the_limit_fails() -> None:
    found = check({"text": {"toxicity_below": 0.5}}, AgentReply(text="You are a stupid idiot."))
    assert (found.outcome, "the toxicity is" in found.message) == (FAILED, True)
    assert check({"text": {"toxicity_below": 0.5}}, AgentReply(text="Good morning.")).outcome is PASSED


@pytest.mark.parametrize(
    ("response", "value", "outcome"),
    [
        ({"exists": False}, None, PASSED),
        ({"exists": False}, 1, FAILED),
        ({"missing": False}, 1, PASSED),
        ({"missing": False}, None, FAILED),
    ],
    ids=str,
)
def test_being_there_can_be_refused(response: dict[str, Any], value: object, outcome: Outcome) -> None:
    assert check({"structure": {"x": response}}, AgentReply(structure={"x": value})).outcome is outcome


class Fixed:
    """Finds every two texts alike to the same degree, and keeps what it was asked."""

    name, threshold = "fixed", 0.5

    def __init__(self, value: float) -> None:
        self.value = value
        self.asked: list[str] = []

    async def score(self, one: str, other: str) -> float:
        self.asked += [one, other]
        return self.value

    async def decide(self, sample: str, criteria: str) -> GistOpinion:
        self.asked += [sample, criteria]
        return GistOpinion(self.value > 0, "because", self.name)


@pytest.mark.parametrize(("value", "outcome"), [(0.5, PASSED), (0.49, FAILED)])
def test_a_likeness_of_just_the_threshold_passes(value: float, outcome: Outcome) -> None:
    findings = Findings("case")
    (expectation,) = read_expectations({"text": {"similar": "b"}}, findings)
    who = replace(judges(), similarity=Fixed(value))  # type: ignore[arg-type]
    result = asyncio.run(evaluate(expectation, Answer(AgentReply(text="a"), 0.5, who)))
    assert (result.outcome, result.judge) == (outcome, "fixed")


def test_a_text_is_judged_as_it_is_and_anything_else_as_json() -> None:
    for value, asked in (("a", "a"), ({"n": 1}, '{"n": 1}')):
        gist = Fixed(1.0)
        check({"structure": {"x": {"gist": "b"}}}, AgentReply(structure={"x": value}), gist=gist)
        assert gist.asked == [asked, "b"]


def test_a_pattern_that_takes_too_long_decides_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(texts, "_PATTERN_SECONDS", 0.01)
    result = check({"text": {"regex": "^(a|a)*$"}}, AgentReply(text="a" * 64 + "!"))
    assert (result.outcome, "the pattern took longer than 0.01 s" in result.message) == (ERRORED, True)
