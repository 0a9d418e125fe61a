"""Each check has the document's meaning, and says what is wrong so that a stranger understands it."""

import asyncio

import pytest

from du_eval.agents.checks.evaluate import Answer, evaluate
from du_eval.agents.document import Findings
from du_eval.agents.expectations import read_expectations
from du_eval.agents.model import DOCUMENTED
from du_eval.agents.results import AgentReply, AnswerUsage, ToolCall
from du_eval.compat.neuro_san import NEURO_SAN
from du_eval.runs.outcome import Outcome
from tests.agents.agent_fakes import FixedGist, judges

REPLY = AgentReply(
    text="The Beatles recorded it",
    structure={
        "n": 3,
        "name": "Ann",
        "tags": ["a", "b"],
        "m": {"k": 1},
        "a.b": 1,
        "none": None,
        "items": [{"x": 1}, {"x": 2}],
    },
    sly_data={"equals": 0.1 + 0.2},
    tools=(ToolCall("add", {"note": "go", "n": 1}), ToolCall("add", {})),
    usage=AnswerUsage(24, 14, 10, 0.5),
)


def checked(response, reply=REPLY, seconds=0.5, compat=False, gist=None):
    findings = Findings("case")
    found = read_expectations(response, findings)
    assert not findings.problems
    answer = Answer(reply, seconds, judges(gist), NEURO_SAN if compat else DOCUMENTED)
    return [asyncio.run(evaluate(one, answer)) for one in found]


def outcome(response, **options):
    outcomes = {result.outcome for result in checked(response, **options)}
    return next(one for one in (Outcome.FAILED, Outcome.ERRORED, Outcome.PASSED) if one in outcomes)


PASSING = [
    {"structure": {"n": {"value": 3.0}}},
    {"structure": {"n": {"less": 5}}},
    {"structure": {"n": {"greater": 2}}},
    {"structure": {"n": {"less": [4, 5]}}},
    {"structure": {"name": {"less": "Bob"}}},
    {"structure": {"tags": {"keywords": ["a", "b"]}}},
    {"structure": {"keywords": "n"}},
    {"structure": {"tags": {"value": [["a", "b"]]}}},
    {"structure": {"m": {"value": [{"k": 1}]}}},
    {"structure": {"a.b": {"value": 1}}},
    {"structure": {"items": {"1": {"x": {"value": 2}}, "-1": {"x": {"value": 2}}}}},
    {"structure": {"none": {"missing": True}, "nothing": {"exists": False}}},
    {"structure": {"n": {"in_range": [1, 3]}}},
    {"structure": {"n": {"in_range": {"min": 3}}}},
    {"structure": {"tags": {"length": 2}, "m": {"length": {"max": 1}}}},
    {"structure": {"json_schema": {"required": ["n"]}}},
    {"sly_data": {"equals": {"approx": 0.3}}},
    {"text": {"keywords": "Beatles", "starts_with": "The", "ends_with": "it", "regex": "B.+s"}},
    {
        "text": {
            "ignore_case": True,
            "keywords": "BEATLES",
            "value": "the beatles RECORDED it",
            "regex": "BEAT",
        }
    },
    {"text": {"ignore_case": "the beatles recorded it"}},
    {"text": {"any_of": [{"keywords": "Stones"}, {"keywords": "Beatles", "not_keywords": "x"}]}},
    {"text": {"any_of": ["x", "The Beatles recorded it"]}},
    {"text": {"similar": "The Beatles recorded it."}},
    {"text": {"toxicity_below": 0.1}},
    {"text": {"gist": "The Beatles recorded it"}},
    {"latency_below": 0.6},
    {"cost_below": 0.6},
    {"tool_called": "add"},
    {"tool_called": {"name": "add", "params": {"note": "go"}, "times": 1}},
]


@pytest.mark.parametrize("response", PASSING, ids=str)
def test_it_passes_where_it_should(response):
    results = checked(response)
    assert [one.message for one in results if one.outcome is not Outcome.PASSED] == []


def negated(node):
    """Turn every check of a response round; a list becomes its first element, for not-both is not neither."""
    from du_eval.agents.checks.evaluate import CHECKS, check_name

    result = {}
    for key, value in node.items():
        name = check_name(key)
        options = (
            name and name.name in CHECKS and isinstance(value, dict) and CHECKS[name.name].takes_object(value)
        )
        if key == "ignore_case" and value is True:
            result[key] = value
        elif name and (not isinstance(value, dict) or options):
            result[f"not_{key}"] = value
        else:
            result[key] = negated(value)
    return result


@pytest.mark.parametrize("response", [one for one in PASSING if "None" not in str(one)], ids=str)
def test_its_negation_fails_with_a_reason(response):
    results = checked(negated(response))
    assert {one.outcome for one in results} == {Outcome.FAILED}
    for one in results:
        assert one.message.startswith(f"{one.subject} was expected ")
        assert ", but " in one.message


@pytest.mark.parametrize(
    ("response", "message"),
    [
        ({"structure": {"n": {"value": 4}}}, "structure.n was expected to be 4, but it is 3"),
        (
            {"structure": {"cost": {"value": 4}}},
            'structure.cost was expected to be 4, but structure has no "cost" (it has "n", "name", "tags", "m", "a.b", "none", "items")',
        ),
        (
            {"structure": {"nme": {"not_value": 4}}},
            "structure.nme was expected not to be 4, but structure has no \"nme\" (did you mean 'name'?)",
        ),
        (
            {"structure": {"none": {"value": 4}}},
            "structure.none was expected to be 4, but structure.none is null",
        ),
        (
            {"structure": {"items": {"7": {"value": 4}}}},
            'structure.items.7 was expected to be 4, but structure.items is a list of 2 items and has no item "7"',
        ),
        (
            {"structure": {"n": {"x": {"value": 4}}}},
            'structure.n.x was expected to be 4, but structure.n is 3 and has no "x"',
        ),
        (
            {"structure": {"n": {"less": "5"}}},
            'structure.n was expected to be less than "5", but this cannot be tested: a number (3) and a string ("5") have no order',
        ),
        (
            {"structure": {"n": {"keywords": 3}}},
            "structure.n was expected to contain 3, but this cannot be tested: it is a number, which cannot contain anything",
        ),
        (
            {"structure": {"n": {"starts_with": "3"}}},
            'structure.n was expected to start with "3", but this cannot be tested: it is a number, not a string',
        ),
        (
            {"structure": {"name": {"approx": 3}}},
            'structure.name was expected to be about 3 ± 3e-06, but this cannot be tested: it is a string ("Ann"), not a number',
        ),
        (
            {"structure": {"tags": {"length": {"min": 3}}}},
            'structure.tags was expected to have a length at least 3, but it is ["a", "b"]; its length is 2',
        ),
        (
            {"text": {"json_schema": {"type": "object"}}},
            'text was expected to match the schema, but this cannot be tested: the text "The Beatles recorded it" is not JSON',
        ),
        (
            {"structure": {"json_schema": {"properties": {"n": {"type": "string"}}}}},
            "3 is not of type 'string' (at n)",
        ),
        ({"latency_below": 0.1}, "the response was expected to come within 0.1 s, but it took 0.500 s"),
        (
            {"tool_called": "sub"},
            "the response was expected to call the tool 'sub', but the agent called 'add' with {\"note\": \"go\", \"n\": 1}, 'add' with {}",
        ),
    ],
)
def test_a_failure_says_what_was_expected_and_what_came(response, message):
    (result,) = checked(response)
    assert result.outcome is Outcome.FAILED
    assert result.message.endswith(message)


def test_the_switch_turns_the_order_checks_round():
    assert outcome({"structure": {"n": {"less": 5}}}, compat=True) is Outcome.FAILED
    assert outcome({"structure": {"n": {"greater": 5}}}, compat=True) is Outcome.PASSED
    (result,) = checked({"structure": {"n": {"less": 5}}}, compat=True)
    assert "compares the other way round" in result.message


@pytest.mark.parametrize("check", ["gist", "not_gist"])
def test_a_gist_that_is_not_decided_is_errored_in_both_senses(check):
    assert outcome({"text": {check: "x"}}, gist=FixedGist(None)) is Outcome.ERRORED


def test_a_judge_that_breaks_is_an_errored_check():
    class Broken:
        name = "broken"

        async def decide(self, sample, criteria):
            raise OSError("no weights")

    (result,) = checked({"text": {"gist": "x"}}, gist=Broken())
    assert result.outcome is Outcome.ERRORED
    assert "OSError: no weights" in result.message


def test_an_alternative_that_is_not_decided_leaves_any_of_undecided():
    response = {"text": {"any_of": [{"gist": "x"}, {"keywords": "zzz"}]}}
    assert outcome(response, gist=FixedGist(None)) is Outcome.ERRORED


def test_a_pattern_that_takes_too_long_is_errored():
    reply = AgentReply(text="a" * 64 + "!")
    assert outcome({"text": {"regex": "^(a|a)*$"}}, reply=reply) is Outcome.ERRORED


def test_cost_that_the_server_does_not_tell_fails():
    (result,) = checked({"cost_below": 1}, reply=AgentReply(text="x"))
    assert "the server does not report a cost" in result.message


def test_rude_texts_are_toxic():
    (result,) = checked({"text": {"toxicity_below": 0.5}}, reply=AgentReply(text="Shut up, you stupid idiot"))
    assert result.outcome is Outcome.FAILED
    assert result.judge == "du-eval-lexicon/11"
