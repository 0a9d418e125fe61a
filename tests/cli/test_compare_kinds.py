"""Runs of every activity are compared as a user does it, with the reports that the commands wrote."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.cli.calling import Caller
from tests.reading import read_quality

ROOT = Path(__file__).parents[2]
CORPUS = ROOT / "examples" / "corpus"
CASE = """
agent: "shop"
direct: "compared_agent:{name}"
success_ratio: 1/3
interactions: [{{ text: "When do you open?", response.text {{ keywords: "nine", not_keywords: "never" }} }}]
"""
AGENT = """
def good(message):
    return "We open at nine."


def bad(message):
    return "We open at ten."
"""
END_TO_END = """
stub_custom_actions:
  action_fetch_balance:
    events:
    - {event: slot, name: balance, value: "412.10"}
test_cases:
- test_case: the balance
  steps:
  - user: tell me my balance
  - utter: utter_balance_now
"""


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Caller:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "tfidf.yaml").write_text("judges: {similarity: tfidf}\n")
    return Caller(capsys)


def compared(call: Caller, before: str, after: str) -> dict[str, Any]:
    """Return the comparison as data, having asked for every form of it."""
    for name in ("c.md", "c.txt", "c.html"):
        answer = call("compare", before, after, "-o", name)
        assert answer.code == 0, answer.err
    answer = call("compare", before, after, "--json")
    assert answer.code == 0, answer.err
    data: dict[str, Any] = json.loads(answer.out)
    return data


def named(data: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {one["name"]: one for one in data["measures"]}


def test_quality_runs_are_compared_test_by_test(call: Caller) -> None:
    for bot, folder in (("perfect-memory", "good"), ("echo", "bad")):
        call(
            "quality",
            "run",
            "tfidf.yaml",
            "-b",
            bot,
            "--conversations",
            "8",
            "--prompts",
            "25",
            "--folder",
            folder,
        )
    data = compared(call, "good", "bad/run.json")
    assert data["activity"] == "quality"
    assert (data["only_before"], data["only_after"]) == (0, 0)
    assert data["verdict"] == "regressed"
    found = named(data)
    reported = read_quality("good")["tests"]
    assert found["ML-U4"]["before"] == pytest.approx(reported["ML-U4"]["rate"]["value"])
    assert found["ML-P1"]["verdict"] != "regressed"
    assert data["newly_failing"][0]["test_case"].startswith("dialogue ")
    told = Path("c.txt").read_text(encoding="utf-8")
    assert "dialogues" in told
    assert "no command" not in told
    assert re.search(r"question +expected +before +after +kind", told)
    assert re.search(r"dialogue \d+, reply \d+ .+\(does not know\) +I don't know", told)


def test_quality_runs_of_other_seeds_have_nothing_in_common(call: Caller) -> None:
    for seed in ("1", "2"):
        call(
            "quality",
            "run",
            "tfidf.yaml",
            "--conversations",
            "1",
            "--prompts",
            "20",
            "--seed",
            seed,
            "--folder",
            f"s{seed}",
        )
    answer = call("compare", "s1", "s2")
    assert answer.code == 0
    assert "runs of the same --seed" in answer.out
    assert "Undecided" in answer.out


def test_protocol_runs_are_compared_criterion_by_criterion(call: Caller) -> None:
    for bot in ("persona", "echo"):
        arguments = ("--dialogues", "12", "--similarity", "tfidf", "-o", f"{bot}.json")
        assert call("protocol", "run", "-b", bot, *arguments).code == 0
    data = compared(call, "persona.json", "echo.json")
    found = named(data)
    assert found["user_name_retention"]["verdict"] == "regressed"
    assert found["repeating"]["better"] == "lower"
    figures = json.loads(Path("echo.json").read_text(encoding="utf-8"))["summary"]["figures"]
    for name in ("hello_bye", "closed_ended", "topic_switched"):
        assert found[name]["after"] == pytest.approx(figures[name])
    told = Path("c.md").read_text(encoding="utf-8")
    assert "| where | question | expected | before | after | kind |" in told
    gate = call("gate", "echo.json", "--baseline", "persona.json")
    assert gate.code == 1
    assert "user_name_retention 1 → 0" in gate.out


def test_metrics_are_compared_on_the_same_lines_with_their_direction(call: Caller) -> None:
    for step in ("1000", "8000"):
        arguments = (
            str(CORPUS / "responses" / f"step-{step}.txt"),
            "--target",
            str(CORPUS / "test_target.txt"),
        )
        call("metrics", *arguments, "-q", "--no-cache", "-o", f"{step}.json")
    data = compared(call, "1000.json", "8000.json")
    found = named(data)
    assert data["verdict"] in {"improved", "regressed"}
    assert found["bleu-2"]["verdict"] == "improved"
    assert found["length"]["better"] == "unknown"
    assert found["length"]["verdict"] == "changed"
    for name in ("bleu-2", "distinct-1", "corpus-bleu"):
        reported = json.loads(Path("8000.json").read_text(encoding="utf-8"))["summary"]["figures"][name]
        assert found[name]["after"] == pytest.approx(reported)


def test_metrics_that_were_measured_in_other_ways_are_not_compared(call: Caller) -> None:
    response, target = str(CORPUS / "responses" / "step-1000.txt"), str(CORPUS / "test_target.txt")
    for smoothing in ("1", "4"):
        arguments = ("--metrics", "bleu-2,length", "--bleu-smoothing", smoothing, "-q", "--no-cache")
        call("metrics", response, "--target", target, *arguments, "-o", f"{smoothing}.json")
    data = compared(call, "1.json", "4.json")
    assert data["measured_otherwise"] == ["bleu-2"]
    assert list(named(data)) == ["length"]
    assert "measured differently: bleu-2" in Path("c.txt").read_text(encoding="utf-8")


def test_a_report_in_yaml_is_refused_with_what_to_do(call: Caller) -> None:
    Path("r.yml").write_text("accuracy: 1", encoding="utf-8")
    answer = call("compare", "r.yml", "r.yml")
    assert answer.code == 2
    assert "--output-file x.json" in answer.err


def test_lines_of_one_conversation_are_one_unit_of_chance(call: Caller) -> None:
    for name, words in (("good", "the soup is hot"), ("bad", "what do you mean")):
        turns = []
        for number in range(3):
            turns.append({"speaker": "user", "text": f"question {number}"})
            turns.append({"speaker": "bot", "text": words, "target": "the soup is hot"})
        record = json.dumps({"turns": turns})
        Path(f"{name}.jsonl").write_text(f"{record}\n" * 4, encoding="utf-8")
        call("metrics", f"{name}.jsonl", "--metrics", "token-f1", "-q", "--no-cache", "-o", f"{name}.json")
    found = named(compared(call, "good.json", "bad.json"))["token-f1"]
    assert (found["n"], found["conversations"]) == (12, 4)
    assert found["verdict"] == "undecided"  # four conversations can never be enough


def test_agent_runs_are_compared_case_by_case_and_check_by_check(call: Caller) -> None:
    Path("compared_agent.py").write_text(AGENT, encoding="utf-8")
    Path("cases").mkdir()
    for name in ("good", "bad"):
        for number in range(7):
            Path(f"cases/case{number}.hocon").write_text(CASE.format(name=name), encoding="utf-8")
        call("agent", "cases", "--all-samples", "--no-journal", "-o", f"{name}.json")
    data = compared(call, "good.json", "bad.json")
    assert data["verdict"] == "regressed"
    assert data["accuracy"]["n"] == 7
    (check,) = data["measures"]
    assert check["name"] == "text keywords"
    assert (check["before"], check["after"], check["verdict"]) == (1, 0, "regressed")
    assert len(data["newly_failing"]) == 7
    assert call("gate", "bad.json", "--baseline", "good.json").code == 1


def test_end_to_end_runs_are_compared_case_by_case(call: Caller) -> None:
    bank = ROOT / "examples" / "bank"
    Path("suite.yml").write_text(END_TO_END, encoding="utf-8")
    arguments = ("e2e", "suite.yml", "--assistant", str(bank))
    call(*arguments, "--output-file", "good.json")
    Path("suite.yml").write_text(
        END_TO_END.replace("utter_balance_now", "utter_ask_amount"), encoding="utf-8"
    )
    call(*arguments, "--output-file", "bad.json")
    data = compared(call, "good.json", "bad.json")
    assert data["accuracy"]["difference"] == -1
    (case,) = data["newly_failing"]
    assert (case["file"], case["test_case"]) == ("suite.yml", "the balance")


def test_checks_of_command_tests_are_compared_where_one_of_them_fails(call: Caller) -> None:
    suite = ROOT / "dialogue_understanding_tests"
    for name, answer in (
        ("plain_answers", "StartFlow(show_balance)"),
        ("long_answers", "well, let me think"),
    ):
        Path(f"{name}.py").write_text(f"def ask(request):\n    return '{answer}'\n", encoding="utf-8")
        arguments = ("-g", f"{name}:ask", "--output-file", f"{name}.json", "-q", "--no-journal")
        call("test", str(suite), *arguments)
    found = named(compared(call, "plain_answers.json", "long_answers.json"))
    assert found["output is parsed"]["verdict"] == "regressed"


def test_runs_of_different_kinds_are_refused_by_name(call: Caller) -> None:
    call("quality", "run", "tfidf.yaml", "--conversations", "1", "--prompts", "20", "--folder", "chat")
    call("protocol", "run", "--dialogues", "1", "--similarity", "tfidf", "-o", "protocol.json")
    answer = call("compare", "chat", "protocol.json")
    assert answer.code == 2
    assert "'chat' is a run of du-eval quality and 'protocol' one of du-eval protocol" in answer.err
