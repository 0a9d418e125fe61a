"""The numbers of two real runs of the official tool come out of the policy `rasa` unchanged."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from du_eval.commands import Syntax, default_commands
from du_eval.compat.policies import find_policy
from du_eval.evaluation.pipeline import Evaluator
from du_eval.evaluation.record import TestRun
from du_eval.generators.recorded import RecordedGenerator
from du_eval.parsers.command_parser import CommandParser
from du_eval.parsers.syntax_file import read_syntax
from du_eval.runs.outcome import Outcome
from du_eval.suites.model import ExpectedText, TestCase, TestSuite, UserStep

COMPRESSED = r"""
commands:
  StartFlow: {regex: '^start (?P<flow>\S+)$', print: 'start {flow}'}
  SetSlot: {regex: '^set (?P<name>\S+) (?P<value>.*)$', print: 'set {name} {value}'}
  CancelFlow: {regex: '^cancel$', print: 'cancel'}
  Clarify: {regex: '^clarify(?: (?P<options>.*))?$', print: 'clarify {options}'}
  SearchAndReply: {regex: '^search$', print: 'search'}
  ChitChat: {regex: '^chat$', print: 'chat'}
  SkipQuestion: {regex: '^skip$', print: 'skip'}
"""

pytestmark = pytest.mark.parity


def _syntax(dsl: str) -> Syntax:
    return Syntax.CALLS if dsl == "v1" else read_syntax(COMPRESSED, "compressed.yml")


def _suite(steps: list[dict[str, Any]]) -> TestSuite:
    by_case: dict[tuple[str, str], list[UserStep]] = {}
    for step in steps:
        expected = tuple(ExpectedText(text, step["line"]) for text in step["expected"])
        by_case.setdefault((step["file"], step["test_case"]), []).append(
            UserStep(step["user"], (expected,), step["line"])
        )
    return TestSuite(
        tuple(TestCase(name, file, found[0].line, tuple(found)) for (file, name), found in by_case.items())
    )


def _records(steps: list[dict[str, Any]], path: Path) -> Path:
    records = []
    for step in steps:
        place = {key: step[key] for key in ("file", "test_case", "line")}
        records.append({**place, "components": {"generator": step["predicted"]}})
    path.write_text("\n".join(map(json.dumps, records)), encoding="utf-8")
    return path


def record_run(run: dict[str, Any], folder: Path) -> TestRun:
    parser = CommandParser(default_commands(), _syntax(run["dsl"]))
    generator = RecordedGenerator(_records(run["steps"], folder / "predictions.jsonl"))
    return Evaluator(parser, find_policy("rasa")).run(_suite(run["steps"]), generator)


@pytest.mark.parametrize("number", [0, 1])
def test_every_official_number_of_a_real_run_is_reproduced(
    parity_data: Path, tmp_path: Path, number: int
) -> None:
    run = json.loads((parity_data / "oracles" / "rasa_runs.json").read_text(encoding="utf-8"))[number]
    official = run["official"]
    found = record_run(run, tmp_path)
    assert found.count_cases()[Outcome.PASSED] == official["number_of_passed_tests"]
    assert found.count_cases()[Outcome.FAILED] == official["number_of_failed_tests"]
    assert found.count_results()[Outcome.PASSED] == official["number_of_passed_user_utterances"]
    assert found.count_results()[Outcome.FAILED] == official["number_of_failed_user_utterances"]
    assert found.figure("accuracy.cases").value == pytest.approx(
        official["accuracy"]["test_cases"], abs=1e-12
    )
    assert found.figure("accuracy").value == pytest.approx(official["accuracy"]["user_utterances"], abs=1e-12)
    scores = {
        name: {
            "tp": score.counts.tp,
            "fp": score.counts.fp,
            "fn": score.counts.fn,
            "precision": score.counts.precision or 0.0,
            "recall": score.counts.recall or 0.0,
            "f1_score": score.counts.f1 or 0.0,
            "total_count": score.counts.total,
        }
        for name, score in found.extra.commands.items()
    }
    assert scores == {
        name: {key: pytest.approx(value, abs=1e-12) for key, value in values.items()}
        for name, values in official["command_metrics"].items()
    }


@pytest.mark.parametrize("number", [0, 1])
def test_every_step_of_a_real_run_has_its_official_verdict(
    parity_data: Path, tmp_path: Path, number: int
) -> None:
    run = json.loads((parity_data / "oracles" / "rasa_runs.json").read_text(encoding="utf-8"))[number]
    found = {
        (result.key.file, result.key.case, result.line): result.outcome is Outcome.PASSED
        for result in record_run(run, tmp_path).results()
    }
    assert found == {(step["file"], step["test_case"], step["line"]): step["passed"] for step in run["steps"]}
