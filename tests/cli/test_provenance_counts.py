"""The counts of a report equal what a scripted endpoint sent."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

from tests.cli.calling import Caller
from tests.llm.raw_server import RawServer, http_answer
from tests.reading import read_file

RIGHT = "StartFlow(right)"


def choice(content: str | None, finish: str = "stop", **message: Any) -> bytes:
    data = {"choices": [{"message": {"content": content, **message}, "finish_reason": finish}]}
    return http_answer(json.dumps(data).encode())


def call_of(name: str, **arguments: str) -> dict[str, Any]:
    return {"name": name, "arguments": json.dumps(arguments)}


SENT = [
    *[choice(RIGHT)] * 4,
    *[choice("StartFlow(wrong)")] * 3,
    *[choice(f"<think>maybe StartFlow(wrong)</think>\n{RIGHT}")] * 2,
    choice(RIGHT, reasoning_content="maybe StartFlow(wrong)"),
    choice("<think>I wonder about StartFlow(right)"),
    *[choice("StartFl", "length")] * 2,
    choice("", "content_filter"),
    choice(None, refusal="I will not"),
    choice("I'm sorry, but I can't help with that."),
    *[choice("FooBar(right)")] * 2,
    *[choice("startflow(right)")] * 3,
    *[choice(None, tool_calls=[{"function": call_of("StartFlow", flow="right")}])] * 2,
    choice(None, function_call=call_of("StartFlow", flow="right")),
    choice(None, tool_calls=[{"function": call_of("FooBar", flow="right")}]),
    *[http_answer(b'{"error": {"message": "no"}}', "400 Bad Request")] * 2,
]


def run(call: Caller, folder: Path, *options: str) -> dict[str, Any]:
    steps = "".join(f"      - user: say {n}\n        commands: [{RIGHT}]\n" for n in range(len(SENT)))
    (folder / "suite.yml").write_text(
        f"test_cases:\n  - test_case: one\n    steps:\n{steps}", encoding="utf-8"
    )
    report = folder / "report.json"
    with RawServer(SENT) as server:
        answer = call(
            "test", str(folder / "suite.yml"), "-g", "llm", "--model", "m", "--base-url", server.base_url,
            "-n", "1", "--no-cache", "--output-file", str(report), "--runs-dir", str(folder / "runs"), *options,
        )  # fmt: skip
    assert answer.code in {1, 3}, answer.err
    assert "Where failures come from" in answer.out
    data: dict[str, Any] = read_file(report)
    return data


def count(data: dict[str, Any], key: str) -> Counter[str]:
    """Return how many steps have which provenance or sign."""
    found = [step["explanation"].get(key, []) for case in data["test_cases"] for step in case["steps"]]
    return Counter(one for values in found for one in ([values] if isinstance(values, str) else values))


def test_the_counts_of_the_report_equal_what_was_sent(call: Caller, tmp_path: Path) -> None:
    data = run(call, tmp_path)
    assert count(data, "provenance") == {
        "format wrong": 3,
        "hallucinated command": 3,
        "model wrong": 3,
        "refused or filtered": 3,
        "endpoint error": 2,
        "truncated": 2,
        "reasoning leaked": 1,
    }
    assert data["steps"] == {"passed": 10, "failed": 15, "errored": 2}
    assert count(data, "signs") == {
        "reasoning": 4,
        "hallucinated command": 3,
        "other text": 6,
        "refused or filtered": 3,
        "tool calls": 3,
        "truncated": 2,
    }
    assert data["figures"]["accuracy.perfect_form"] == 13 / 25


def test_reasoning_that_is_parsed_counts_as_an_answer(call: Caller, tmp_path: Path) -> None:
    data = run(call, tmp_path, "--reasoning", "parse")
    steps = data["test_cases"][0]["steps"]
    assert steps[7]["predicted"] == ["StartFlow(wrong)", RIGHT]
    assert steps[9]["predicted"] == ["StartFlow(wrong)", RIGHT]
    assert steps[10]["predicted"] == [RIGHT]


def test_reasoning_is_kept_and_shown(call: Caller, tmp_path: Path) -> None:
    step = run(call, tmp_path)["test_cases"][0]["steps"][9]
    assert (step["outcome"], step["explanation"]["reasoning"]) == ("passed", "maybe StartFlow(wrong)")
    journal = next((tmp_path / "runs").glob("*/journal*")).read_text(encoding="utf-8")
    assert journal.count('"reasoning"') == 1, "what stands in the text stays there"
    assert journal.count('"finish":"length"') + journal.count('"finish": "length"') == 2
