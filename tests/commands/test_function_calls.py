"""Calls of functions: how expectations and predictions are compared."""

from __future__ import annotations

import pytest

from du_eval.commands import SearchAndReply
from du_eval.commands.function_calls import CallFunction
from du_eval.commands.registry import build_registry
from du_eval.parsers.command_parser import CommandParser

PARSER = CommandParser(build_registry([CallFunction]))


def fits(alternatives: dict, given: dict) -> bool:
    return CallFunction("f", alternatives, has_alternatives=True).matches(CallFunction("f", given))


@pytest.mark.parametrize(
    ("gold", "given", "is_right"),
    [
        ({"city": "New York, NY"}, {"city": "new york ny"}, True),
        ({"city": "Rome"}, {"city": "Paris"}, False),
        ({"n": 5}, {"n": 5.0}, True),
        ({"n": 5}, {"n": "5"}, False),
        ({"n": 1}, {"n": True}, False),
        ({"x": None}, {"x": None}, True),
        ({"x": ["a", "b"]}, {"x": ["A", "b"]}, True),
        ({"x": ["a", "b"]}, {"x": ["b", "a"]}, False),
        ({"x": {"k": "v"}}, {"x": {"k": "V"}}, True),
        ({"x": {"k": "v"}}, {"x": {}}, False),
        ({}, {"x": 1}, False),
        ({"x": 1}, {}, False),
    ],
)
def test_values_are_compared_by_kind(gold: dict, given: dict, is_right: bool):
    assert CallFunction("f", gold).matches(CallFunction("f", given)) is is_right


def test_any_of_the_listed_values_is_right():
    assert fits({"unit": ["C", "celsius"]}, {"unit": "Celsius"})
    assert not fits({"unit": ["C", "celsius"]}, {"unit": "F"})


def test_an_empty_alternative_allows_to_leave_a_parameter_out():
    assert fits({"a": [1], "unit": ["C", ""]}, {"a": 1})
    assert not fits({"a": [1], "unit": ["C"]}, {"a": 1})


def test_a_parameter_that_nobody_expects_is_wrong():
    assert not fits({"a": [1]}, {"a": 1, "b": 2})


def test_alternatives_go_into_objects_and_lists_of_objects():
    assert fits({"where": [{"city": ["Rome", "Roma"], "zip": ["", 1]}]}, {"where": {"city": "roma"}})
    assert fits({"list": [[{"k": [1, 2]}]]}, {"list": [{"k": 2}]})
    assert not fits({"list": [[{"k": [1, 2]}]]}, {"list": [{"k": 3}]})


def test_dots_in_names_do_not_matter_and_other_commands_do_not_match():
    assert CallFunction("math.gcd").matches(CallFunction("math_gcd"))
    assert not CallFunction("f").matches(CallFunction("g"))
    assert not CallFunction("f").matches(SearchAndReply())


def test_calls_are_found_in_an_answer_whatever_their_parameters_hold():
    text = 'Sure: CallFunction(a.b, {"x": {"y": "} )\\""}}) and CallFunction(c)'
    assert PARSER.parse(text).commands == (CallFunction("a_b", {"x": {"y": '} )"'}}), CallFunction("c"))


def test_an_expectation_with_alternatives_is_read_back():
    command = CallFunction("f", {"a": [1, ""]}, has_alternatives=True)
    assert command.to_dsl() == 'CallFunction(f, any {"a": [1, ""]})'
    assert PARSER.parse(command.to_dsl()).commands == (command,)


def test_parameters_that_are_no_json_match_nothing():
    assert not CallFunction("f", "{oops").matches(CallFunction("f", "{oops"))
