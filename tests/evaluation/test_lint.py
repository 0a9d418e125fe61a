"""Likely mistakes in suites are found, and sound suites are left in peace."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from du_eval.assistants.model import CATEGORICAL, Assistant, Collect, Flow, Slot
from du_eval.evaluation.expectations import ExpectationReader
from du_eval.evaluation.lint import LintFinding, Severity, agreements, findings, rank_findings
from du_eval.evaluation.plan import Planner
from du_eval.parsers.command_parser import CommandParser
from du_eval.runs.records import RunRecord, StepRecord
from du_eval.suites.model import TestCase, TestSuite
from tests.cli.calling import Caller
from tests.evaluation.running import bot, case, user
from tests.reading import read_run

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


def test_a_flow_that_nobody_can_start_is_likely_wrong() -> None:
    kinds = found(case("a", user("x", "StartFlow(closed)", line=2)), assistant=BANK)
    assert ("flow", 2) in kinds


def test_flows_without_a_case_are_named_where_they_are_defined() -> None:
    kinds = found(case("a", user("send", "StartFlow(send)")), assistant=BANK)
    assert kinds == [("coverage", 7)]


ASSISTANT = """
flows:
  send:
    description: send money
    steps:
      - collect: to
      - call: pay
  pay:
    description: pay now
    steps:
      - collect: amount
      - action: utter_sent
  other:
    description: something else
    steps:
      - action: utter_sent
slots:
  to: {type: text, mappings: [{type: from_llm}]}
  amount: {type: float, mappings: [{type: from_llm}]}
responses:
  utter_ask_to: [{text: To whom?}]
  utter_ask_amount: [{text: How much?}]
  utter_sent: [{text: Sent.}]
"""
TALK = """
test_cases:
  - test_case: sending
    steps:
      - user: send money
        commands: [StartFlow(send)]
      - utter: utter_ask_to
      - user: to Ann
        commands: ["SetSlot(to, Ann)"]
      - utter: utter_ask_amount
      - user: 50, and start a transfer
        commands: ["SetSlot(amount, 50)", StartFlow(send)]
      - utter: utter_sent
"""


@pytest.fixture
def talk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in a folder with an assistant and a suite that follows its flows."""
    monkeypatch.chdir(tmp_path)
    Path("bot").mkdir()
    Path("bot/flows.yml").write_text(ASSISTANT.partition("slots:")[0], encoding="utf-8")
    Path("bot/domain.yml").write_text("slots:" + ASSISTANT.partition("slots:")[2], encoding="utf-8")
    Path("suite.yml").write_text(TALK, encoding="utf-8")
    return tmp_path


def test_what_follows_from_the_flows_is_no_finding(talk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = json.loads(Caller(capsys)("lint", "suite.yml", "--assistant", "bot", "--json").out)
    assert [(one["kind"], one["line"]) for one in data["findings"]] == [("no effect", 11), ("coverage", 13)]


def test_a_bot_step_that_the_test_command_finds_is_the_one_that_lint_finds(
    talk: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("suite.yml").write_text(TALK.replace("utter_ask_amount", "utter_ask_to"), encoding="utf-8")
    call = Caller(capsys)
    data = json.loads(call("lint", "suite.yml", "--assistant", "bot", "--json").out)
    found = [one for one in data["findings"] if one["kind"] == "bot step"]
    assert [(one["severity"], one["file"], one["line"]) for one in found] == [("doubtful", "suite.yml", 8)]
    assert "the bot does not say utter_ask_to and also says" in found[0]["message"]
    arguments = ("--assistant", "bot", "--json", "--no-output", "--no-journal")
    tested = read_run(call("test", "suite.yml", *arguments).out)["bot"]["differences"]
    assert [(one["file"], one["difference"]["line"]) for one in tested] == [("suite.yml", 8)]
    assert call("lint", "suite.yml", "--assistant", "bot", "--strict").code == 1


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


def wrong(model: str, predicted: str = "A()") -> RunRecord:
    step = StepRecord("s.yml", "c", 1, "hi", "failed", predicted=(predicted,), expected=("B()",), line=5)
    return RunRecord(f"run of {model}", (step,), generator=model)


def test_several_models_that_agree_against_an_expectation_are_a_hint() -> None:
    (finding,) = agreements([wrong("small"), wrong("large")])
    assert finding.severity is Severity.DOUBTFUL
    (finding,) = agreements([wrong("small"), wrong("large"), wrong("huge")])
    assert finding.severity is Severity.LIKELY_WRONG
    assert str(finding).startswith("s.yml:5: likely wrong: 3 of 3 models predict A()")
    (finding,) = agreements([wrong("small"), wrong("large"), wrong("huge", "C()")])
    assert finding.severity is Severity.DOUBTFUL
    assert "2 of 3 models" in finding.message


def test_runs_of_one_model_are_one_witness() -> None:
    assert not list(agreements([wrong("small"), wrong("small")]))


def test_the_worst_findings_come_first_and_of_those_the_surest_kinds() -> None:
    def one(severity: Severity, kind: str, file: str) -> LintFinding:
        return LintFinding(severity, file, 1, kind, "")

    found = rank_findings(
        [
            one(Severity.NOTE, "balance", "a"),
            one(Severity.DOUBTFUL, "value", "a"),
            one(Severity.DOUBTFUL, "bot step", "z"),
            one(Severity.LIKELY_WRONG, "agreement", "z"),
            one(Severity.LIKELY_WRONG, "flow", "z"),
        ]
    )
    assert [finding.kind for finding in found] == ["flow", "agreement", "bot step", "value", "balance"]


def test_the_example_suites_have_no_finding(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    answer = Caller(capsys)("lint", str(project / "dialogue_understanding_tests"))
    assert answer.code == 0
    assert "likely wrong" not in answer.out
    assert "doubtful" not in answer.out
