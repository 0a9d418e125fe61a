"""Report files of the official tool are runs that can be compared, case by case."""

from __future__ import annotations

import json
from pathlib import Path

import yaml

from tests.cli.calling import Caller

SUITE = "test_cases:\n" + "".join(
    f"- test_case: case {n}\n  steps:\n  - user: say {n}\n    commands: [StartFlow(flow_{n})]\n"
    for n in range(4)
)


def ours(call: Caller, folder: Path, wrong: set[int]) -> Path:
    (folder / "suite.yml").write_text(SUITE, encoding="utf-8")
    flows = [f"StartFlow({'other' if n in wrong else f'flow_{n}'})" for n in range(4)]
    records = [{"test_case": f"case {n}", "step": 1, "text": text} for n, text in enumerate(flows)]
    lines = "".join(json.dumps(record) + "\n" for record in records)
    (folder / "predictions.jsonl").write_text(lines, encoding="utf-8")
    report = folder / "ours.json"
    call("test", "suite.yml", "-g", "recorded:predictions.jsonl", "--output-file", str(report))
    return report


def official(folder: Path, failed: set[int]) -> Path:
    names = {n: f"suite.yml::case {n}" for n in range(4)}
    data = {
        "accuracy": {"test_cases": 0.5, "user_utterances": 0.5},
        "number_of_passed_tests": 4 - len(failed),
        "number_of_failed_tests": len(failed),
        "names_of_passed_tests": [name for n, name in names.items() if n not in failed],
        "names_of_failed_tests": [name for n, name in names.items() if n in failed],
        "failed_test_steps": [],
    }
    path = folder / "official.yml"
    path.write_text(yaml.safe_dump(data), encoding="utf-8")
    return path


def test_an_official_report_is_compared_with_ours_case_by_case(call: Caller, tmp_path: Path) -> None:
    report = ours(call, tmp_path, wrong={1, 2})
    answer = call("compare", str(official(tmp_path, failed={2, 3})), str(report), "--json")
    assert answer.code == 0, answer.err
    data = json.loads(answer.out)
    assert [step["test_case"] for step in data["newly_failing"]] == ["case 1"]
    assert [step["test_case"] for step in data["newly_passing"]] == ["case 3"]


def test_the_report_that_we_write_for_others_is_read_back(call: Caller, tmp_path: Path) -> None:
    ours(call, tmp_path, wrong={1})
    (tmp_path / "one.yml").unlink(missing_ok=True)
    call("test", "suite.yml", "-g", "recorded:predictions.jsonl", "--output-file", "one.yml")
    answer = call("compare", "one.yml", "ours.json")
    assert answer.code == 0, answer.err
    assert "4 test cases" in answer.out


def test_a_gate_takes_an_official_report_as_its_baseline(call: Caller, tmp_path: Path) -> None:
    report = ours(call, tmp_path, wrong={1, 2})
    gated = call("gate", str(report), "--baseline", str(official(tmp_path, failed={2, 3})))
    assert gated.out.startswith("gate undecided: accuracy changed by +0.000")
    baseline = official(tmp_path, failed=set())
    baseline.write_text(baseline.read_text(encoding="utf-8") + "unfinished: 4 of 9 cases\n", encoding="utf-8")
    gated = call("gate", str(report), "--baseline", str(baseline))
    assert (gated.code, "the baseline is not complete (4 of 9 cases)" in gated.out) == (3, True)
