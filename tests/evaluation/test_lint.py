"""Likely mistakes in suites are found, and sound suites are left in peace."""

from __future__ import annotations

from pathlib import Path

import pytest

from du_eval.assistants.model import CATEGORICAL, Assistant, Collect, Flow, Slot
from du_eval.evaluation.expectations import ExpectationReader
from du_eval.evaluation.lint import Severity, findings
from du_eval.evaluation.lint_agreement import agreements
from du_eval.evaluation.lint_values import is_in_conversation
from du_eval.evaluation.plan import Planner
from du_eval.evaluation.records import RunRecord, StepRecord
from du_eval.parsers.command_parser import CommandParser
from du_eval.suites.model import BotStep, TestCase, TestSuite
from tests.cli.calling import Caller
from tests.evaluation.running import bot, case, user

BANK = Assistant(
    "bank",
    flows={
        "send": Flow("send", collects=(Collect("to"), Collect("amount"))),
        "closed": Flow("closed", guard=False),
        "other": Flow("other", file="flows.yml", line=7),
    },
    slots={"to": Slot("to"), "amount": Slot("amount"), "kind": Slot("kind", CATEGORICAL)},
)


def found(*cases: TestCase, assistant: Assistant | None = None) -> list[tuple[str, int]]:
    planner = Planner(ExpectationReader(CommandParser.default()))
    return [(f.kind, f.line) for f in findings(TestSuite(cases), planner, lambda _: assistant)]


def test_the_same_conversation_with_other_expectations_is_a_contradiction() -> None:
    first = case("a", bot("Hello"), user("Pay Ann", "StartFlow(send)", line=3))
    second = case("b", bot("hello"), user("pay ann ", "StartFlow(other)", line=9))
    assert found(first, second) == [("contradiction", 9)]


def test_another_history_may_expect_something_else() -> None:
    first = case("a", bot("Who?"), user("Ann", "SetSlot(to, Ann)"))
    second = case("b", bot("Which name?"), user("Ann", "SetSlot(name, Ann)"))
    assert found(first, second) == []


def test_a_value_that_nobody_said_is_doubtful() -> None:
    assert found(case("a", user("send it to Ann", "SetSlot(to, Bob)", line=4))) == [("value", 4)]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("Ann", "to ANN please"),
        ("+49 30", "call +4930"),
        ("500", "send 500.0"),
        ("2", "the two of us at 7"),
        ("500", "send five hundred"),
        ("None", "never mind"),
        ("Tuesday", "tuesdays"),
        ("margherita", "マルゲリータ"),
    ],
)
def test_a_value_that_may_have_been_said_is_no_finding(value: str, text: str) -> None:
    assert is_in_conversation(value, None, [text])


def test_a_number_that_was_not_said_is_a_finding() -> None:
    assert not is_in_conversation("500", None, ["send 300"])


def test_categories_are_not_looked_for() -> None:
    assert is_in_conversation("large", BANK.slots["kind"], ["a big one"])


def test_a_flow_that_nobody_can_start_is_likely_wrong() -> None:
    kinds = found(case("a", user("x", "StartFlow(closed)", line=2)), assistant=BANK)
    assert ("flow", 2) in kinds


def test_flows_without_a_case_are_named_where_they_are_defined() -> None:
    kinds = found(case("a", user("send", "StartFlow(send)")), assistant=BANK)
    assert kinds == [("coverage", 7)]


def test_a_bot_that_asks_for_what_was_just_said_is_doubtful() -> None:
    steps = (
        user("to Ann", "SetSlot(to, Ann)", line=2),
        BotStep(3, response="utter_ask_to"),
        user("I said Ann", "SetSlot(to, Ann)", line=4),
    )
    kinds = found(case("a", *steps), assistant=BANK)
    assert ("bot step", 2) in kinds


def test_duplicates_and_near_duplicates_are_told_apart() -> None:
    def one(name: str, text: str) -> TestCase:
        return case(name, user(text, "StartFlow(send)"))

    planner = Planner(ExpectationReader(CommandParser.default()))
    suite = TestSuite(
        (
            one("a", "please send some money"),
            one("b", "please send some money"),
            one("c", "please send some money!"),
        )
    )
    severities = [f.severity for f in findings(suite, planner, lambda _: None)]
    assert severities == [Severity.DOUBTFUL, Severity.NOTE]


def test_a_rare_command_and_an_overwhelming_one_are_noted() -> None:
    steps = [user(f"message number {n} with words", "ChitChat()") for n in range(30)]
    kinds = found(case("a", *steps, user("stop", "CancelFlow()")))
    assert kinds == [("balance", 0), ("balance", 0)]


def test_runs_that_agree_against_an_expectation_are_a_hint() -> None:
    step = StepRecord("s.yml", "c", 1, "hi", "failed", predicted=("A()",), expected=("B()",), line=5)
    both = [RunRecord("small", (step,)), RunRecord("large", (step,))]
    (finding,) = agreements(both)
    assert finding.severity is Severity.LIKELY_WRONG
    assert str(finding).startswith("s.yml:5: likely wrong: 2 of 2 runs predict A()")
    assert not list(agreements(both[:1]))


def test_the_example_suites_have_few_findings(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    answer = Caller(capsys)("lint", str(project / "dialogue_understanding_tests"))
    assert answer.code == 0
    assert "likely wrong" not in answer.out
    assert answer.out.count("doubtful:") <= 12
