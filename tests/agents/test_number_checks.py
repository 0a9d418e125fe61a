"""Checks of numbers hold at their limits, and say what they cannot test."""

from __future__ import annotations

import asyncio

import pytest

from du_eval.agents.checks.evaluate import Answer, evaluate
from du_eval.agents.document import Findings
from du_eval.agents.expectations import read_expectations
from du_eval.agents.model import DOCUMENTED
from du_eval.agents.results import AgentReply
from du_eval.compat.neuro_san import NEURO_SAN
from tests.agents.agent_fakes import judges


def checked(value: object, check: object, *, compat: bool = False) -> tuple[str, str]:
    """Return the outcome and the message of one check of a value."""
    findings = Findings("case")
    (found,) = read_expectations({"structure": {"x": check}}, findings)
    assert not findings.problems
    answer = Answer(AgentReply(structure={"x": value}), 0.5, judges(), NEURO_SAN if compat else DOCUMENTED)
    result = asyncio.run(evaluate(found, answer))
    return result.outcome.value, result.message


def problems(check: object) -> str:
    """Return what is wrong with an expectation."""
    findings = Findings("case")
    read_expectations({"structure": {"x": check}}, findings)
    return " ".join(map(str, findings.problems))


@pytest.mark.parametrize(
    ("check", "passing", "failing"),
    [
        ({"less": 5}, [4, 4.99, -1], [5, 6]),
        ({"greater": 5}, [5.01, 6], [5, 4]),
        ({"in_range": [2, 4]}, [2, 3, 4], [1.99, 4.01]),
        ({"in_range": {"min": 2}}, [2, 99], [1]),
        ({"in_range": {"max": 4}}, [4, -99], [5]),
        ({"in_range": [3, 3]}, [3], [2, 4]),
        ({"approx": 100}, [100, 100.00009], [100.001, 99.99]),
        ({"approx": {"value": 10, "tolerance": 0.5}}, [9.5, 10.5], [9.4, 10.6]),
        ({"approx": {"value": 10, "relative": 0.1}}, [9.0, 11.1], [8.8, 11.2]),
        ({"approx": {"value": 2, "relative": 0.1}}, [1.9, 2.1], [1.7, 2.3]),
        ({"approx": {"value": 10, "tolerance": 0, "relative": 0}}, [10], [10.0000001]),
        ({"length": 2}, ["ab", [1, 2], {"a": 1, "b": 2}], ["a", [], {}]),
        ({"length": {"min": 1, "max": 2}}, ["a", "ab"], ["", "abc"]),
        ({"length": 0}, ["", [], {}], ["a"]),
    ],
    ids=str,
)
def test_limits_are_where_they_are_said_to_be(
    check: object, passing: list[object], failing: list[object]
) -> None:
    assert [checked(value, check)[0] for value in passing] == ["passed"] * len(passing)
    assert [checked(value, check)[0] for value in failing] == ["failed"] * len(failing)


@pytest.mark.parametrize(("check", "value"), [("less", 6), ("greater", 4)])
def test_the_other_tool_compares_the_other_way_round_and_that_is_said(check: str, value: int) -> None:
    assert checked(value, {check: 5})[0] == "failed"
    assert checked(value, {check: 5}, compat=True)[0] == "passed"
    outcome, message = checked(5, {check: 5}, compat=True)
    assert outcome == "failed"
    assert "neuro_san_compat compares the other way round" in message


@pytest.mark.parametrize(
    ("check", "message"),
    [
        ({"in_range": [2, 4]}, "to be from 2 to 4, but"),
        ({"in_range": [3, 3]}, "to be 3, but"),
        ({"in_range": {"min": 2}}, "to be at least 2, but"),
        ({"in_range": {"max": -1}}, "to be at most -1, but"),
        ({"approx": {"value": -10, "relative": 0.1, "tolerance": 0.2}}, "to be about -10 ± 1, but"),
        ({"approx": {"value": -10, "relative": 0.1, "tolerance": 2}}, "to be about -10 ± 2, but"),
    ],
    ids=str,
)
def test_a_failure_names_the_limits(check: object, message: str) -> None:
    outcome, found = checked(1, check)
    assert outcome == "failed"
    assert message in found


@pytest.mark.parametrize(
    ("length", "message"),
    [(2, "to have a length of 2, but"), ({"min": 2, "max": 3}, "to have a length from 2 to 3, but")],
    ids=str,
)
def test_a_wrong_length_is_named(length: object, message: str) -> None:
    outcome, found = checked("abcd", {"length": length})
    assert outcome == "failed"
    assert message in found
    assert "its length is 4" in found


@pytest.mark.parametrize(
    ("value", "check", "message"),
    [
        ("3", {"approx": 3}, 'it is a string ("3"), not a number'),
        (True, {"in_range": [0, 2]}, "it is true or false (true), not a number"),
        (3, {"length": 1}, "it is a number, which has no length"),
        (3, {"less": "5"}, "have no order"),
    ],
    ids=str,
)
def test_what_cannot_be_tested_is_a_failure_with_a_reason(value: object, check: object, message: str) -> None:
    outcome, found = checked(value, check)
    assert outcome == "failed"
    assert message in found


@pytest.mark.parametrize(
    ("check", "problem"),
    [
        ({"approx": {"value": 3}}, "needs 'value' and 'tolerance' or 'relative'"),
        ({"approx": {"value": 3, "tolerance": -1}}, "a tolerance of at least 0"),
        ({"approx": {"value": 3, "relative": 1}}, "a relative one below 1"),
        ({"in_range": {"min": None, "max": None}}, "needs 'min' or 'max'"),
        ({"in_range": [[1, 2, 3]]}, "needs [low, high]"),
        ({"in_range": [1, "x"]}, "needs [low, high]"),
        ({"in_range": [4, 2]}, "the lower limit 4 is above the upper limit 2"),
        ({"length": -1}, "needs whole numbers of at least 0"),
        ({"length": 1.5}, "needs whole numbers of at least 0"),
        ({"length": {"max": 2.5}}, "needs whole numbers of at least 0"),
    ],
    ids=str,
)
def test_an_expectation_that_makes_no_sense_is_wrong_input(check: object, problem: str) -> None:
    assert problem in problems(check)


@pytest.mark.parametrize(
    "check", [{"in_range": [2, 2]}, {"length": 0}, {"approx": {"value": 1, "relative": 0}}]
)
def test_an_expectation_at_its_limit_makes_sense(check: object) -> None:
    assert not problems(check)
