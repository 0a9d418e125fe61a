"""A case that would test less than its author thinks does not load."""

import json

import pytest

from du_eval.agents.load import load_case
from du_eval.agents.model import ChatFilter
from du_eval.errors import InputError
from du_eval.statistics.success import SuccessRatio


@pytest.fixture
def load(tmp_path):
    def write(text, suffix="hocon"):
        path = tmp_path / f"case.{suffix}"
        path.write_text(text)
        return load_case(path, "case")

    return write


@pytest.fixture
def problems(load, tmp_path):
    def read(text, suffix="hocon"):
        with pytest.raises(InputError) as caught:
            load(text, suffix)
        return [str(problem).replace(f"{tmp_path}/", "") for problem in caught.value.problems]

    return read


def case_with(response):
    return json.dumps({"agent": "a", "interactions": [{"text": "x", "response": response}]}, indent=1)


def test_the_defaults_are_those_of_the_document(load):
    case = load('agent: "a"\ninteractions: [ { } ]').case
    assert [connection.kind for connection in case.connections] == ["direct"]
    assert (case.ratio, case.use_direct, case.metadata, case.timeout_seconds) == (
        SuccessRatio(1, 1),
        False,
        {},
        None,
    )
    turn = case.interactions[0]
    assert (turn.text, turn.sly_data, turn.timeout_seconds) == (None, None, None)
    assert (turn.chat_filter, turn.continues, turn.expectations) == (ChatFilter.MINIMAL, True, ())


def test_the_same_case_loads_from_hocon_yaml_and_json(load):
    value = {
        "agent": "a",
        "connections": ["direct", "http"],
        "success_ratio": "2/3",
        "metadata": {"user_id": "me", "n": 1, "ok": True},
        "interactions": [
            {"text": "x", "sly_data": {"n": 1.5}, "response": {"text": {"keywords": ["a", "b"]}}}
        ],
    }
    text = json.dumps(value)
    hocon, yaml, as_json = (load(text, suffix).case for suffix in ("hocon", "yaml", "json"))
    assert hocon.interactions[0].sly_data == yaml.interactions[0].sly_data == {"n": 1.5}
    assert hocon.digest == yaml.digest == as_json.digest
    assert hocon.metadata == {"user_id": "me", "n": "1", "ok": "true"}


def test_each_element_of_a_list_is_an_expectation_with_its_line(load):
    case = load('agent: a\ninteractions: [ {\n text: x\n response.text.keywords: [\n"a"\n"b" ] } ]').case
    found = case.interactions[0].expectations
    assert [(one.subject, one.check, one.expected, one.line) for one in found] == [
        ("text", "keywords", "a", 4),
        ("text", "keywords", "b", 4),
    ]


@pytest.mark.parametrize(
    ("response", "said"),
    [
        ({"text": {"keyword": "x"}}, "unknown check 'keyword' of 'text' (did you mean 'keywords'"),
        ({"text": "hi"}, "'text' is a string without a check"),
        ({"text": ["hi"]}, "'text' is a list without a check"),
        ({"text": None}, "'text' is null without a check"),
        ({"text": {}}, "there is no check under 'text'"),
        ({"text": {"ignore_case": True}}, "there is no check under 'text'"),
        (
            {"texts": {"value": "x"}},
            "unknown part 'texts' of a response: it would test nothing (did you mean 'text'?)",
        ),
        ({"Text": {"value": "x"}}, "unknown part 'Text'"),
        ({"value": "x"}, "is placed directly in the response"),
        ({"text": {"value": None}}, "null is not an expectation"),
        ({"text": {"value": []}}, "the list of 'value' is empty"),
        ({"sly_data": {"d": {"value": {"k": 1}}}}, "put it in a list: value: [{...}]"),
        ({"text": {"latency_below": 3}}, "is about the whole response"),
        ({"text": {"regex": "("}}, "the pattern is not valid"),
        ({"text": {"length": -1}}, "whole numbers"),
        ({"text": {"length": {"minimum": 1}}}, "its keys are max, min"),
        ({"text": {"in_range": [5, 3]}}, "the lower limit 5 is above"),
        ({"text": {"approx": {"value": 3}}}, "needs 'value' and 'tolerance'"),
        ({"text": {"exists": "yes"}}, "needs true or false"),
        ({"text": {"json_schema": {"type": "thing"}}}, "the schema is not valid"),
        ({"text": {"json_schema": {"$ref": "http://127.0.0.1/x"}}}, "may not refer to the network"),
        ({"text": {"any_of": "x"}}, "needs a list of alternatives"),
        ({"text": {"any_of": [{"kewords": "x"}]}}, "unknown check 'kewords'"),
        ({"text": {"similar": {"to": "x", "at_least": 3}}}, "at most 1"),
        ({"text": {"toxicity_below": 2}}, "at most 1"),
        ({"text": {"starts_with": ""}}, "non-empty"),
        ({"tool_called": {"params": {}}}, "needs a string"),
        ({"cost_below": 0}, "above 0"),
    ],
)
def test_an_expectation_that_would_test_nothing_is_a_load_error(problems, response, said):
    (found,) = problems(case_with(response), "json")
    assert said in found
    assert found.startswith("case.json:")


@pytest.mark.parametrize(
    "ratio", ["2", "", "a/b", "2.5/3", "2/", "0/3", "5/3", "1/0", "1/2/3", "-1/3", "\uff11/\uff11", "1/99999"]
)
def test_a_ratio_that_decides_nothing_is_a_load_error(problems, ratio):
    (found,) = problems(json.dumps({"agent": "a", "success_ratio": ratio, "interactions": [{}]}))
    assert "success_ratio" in found


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("conections: http", "unknown key 'conections' in the case (did you mean 'connections' or"),
        ("connections: [3]", "3 is not a kind of connection"),
        ("connections: { kind: a2a, port: 1 }", "unknown key 'port' in a connection of the kind 'a2a'"),
        ("connections: []", "the list of connections is empty"),
        ("connections: [http, http]", "given twice"),
        ("connections: { kind: http, port: 99999 }", "the port 99999 is not valid"),
        ("connections: { kind: https, ca_file: no.pem }", "the file 'no.pem' does not exist"),
        ("timeout_in_seconds: 0", "must be a number above 0"),
        (f"timeout_in_seconds: {'9' * 399}", "must be a number above 0, at most"),
        ("use_direct: yes", "'use_direct' must be true or false, not a string"),
        ("metadata { a: [1] }", "must be a single line of text"),
        ('metadata { "a b": x }', "cannot be the name of a request header"),
        ("direct { instructions: x, python: y }", "either 'python' or 'instructions'"),
        ("direct: 3", "'direct' must be a Python path or an object"),
        ("success_ratio: null", "success_ratio: 'null' is not a success ratio"),
    ],
)
def test_a_wrong_key_of_the_case_is_named_with_its_line(problems, line, said):
    (found,) = problems(f"agent: a\ninteractions: [ {{}} ]\n{line}")
    assert said in found
    assert found.startswith("case.hocon:3:")


def test_all_problems_of_a_file_are_told_at_once(problems):
    found = problems(
        "interactions: [\n { txt: x }\n { chat_filter: MINIMALL }\n 5\n"
        " { chat_filter: MINIMAL, response.tool_called: t }\n]"
    )
    assert [one.split(":")[1] for one in found] == ["1", "2", "3", "4", "5"]


def test_checks_that_need_all_messages_ask_for_them(load):
    case = load("agent: a\ninteractions: [ { text: x, response.tool_called: t } ]").case
    assert case.interactions[0].chat_filter is ChatFilter.MAXIMAL


def test_a_data_key_may_be_called_like_a_check(load):
    case = load("agent: a\ninteractions: [ { response.sly_data { value.value: 5, length.less: 3 } } ]").case
    assert [one.subject for one in case.interactions[0].expectations] == ["sly_data.value", "sly_data.length"]


def test_names_of_checks_may_be_written_in_any_case(load):
    case = load("agent: a\ninteractions: [ { response.text.Not_Value: x } ]").case
    assert case.interactions[0].expectations[0].name == "not_value"


def test_json_is_read_strictly(problems):
    assert "not valid JSON" in problems('{"agent": "a",}', "json")[0]
    assert "given twice" in problems('{"agent": "a", "agent": "b"}', "json")[0]
    assert "one object" in problems("[]", "json")[0]


def test_an_empty_keyword_is_warned_of(load):
    assert "every text" in str(load(case_with({"text": {"keywords": ""}}), "json").warnings[0])
