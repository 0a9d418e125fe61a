"""A run against an endpoint that sends odd answers in between ends as if they were single errors."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

from tests.cli.calling import Caller
from tests.cli.networked import write_suite
from tests.llm.raw_server import RawServer, http_answer
from tests.reading import read_file


def completion(text: str, **more: object) -> bytes:
    return http_answer(json.dumps({"choices": [{"message": {"content": text}}], **more}).encode())


def test_odd_answers_are_errored_steps_and_the_others_are_judged(call: Caller, tmp_path: Path) -> None:
    write_suite(tmp_path, cases=4, steps=2)
    bomb = gzip.compress(b" " * 20_000_000)
    right = [completion(f"StartFlow(flow_{case}_{step})") for case in range(4) for step in range(2)]
    right[1] = http_answer(b"", "302 Found", {"Location": "http://[::1"})
    right[2] = completion("StartFlow(flow_1_0)", usage={"prompt_tokens": "many"})
    right[4] = http_answer(bomb, headers={"Content-Encoding": "gzip"})
    right[6] = completion("x" * 1_000_001)
    report = tmp_path / "report.json"
    with RawServer(right) as server:
        answer = call(
            "test", str(tmp_path / "suite.yml"), "-g", "llm", "--model", "m", "--base-url", server.base_url,
            "--prompt", str(tmp_path / "bare.jinja2"), "-n", "1", "--no-cache", "--output-file", str(report),
            "--runs-dir", str(tmp_path / "runs"), "--price", "1/1",
        )  # fmt: skip
    assert answer.code == 3
    data = read_file(report)
    steps = [step for case in data["test_cases"] for step in case["steps"]]
    assert [step["outcome"] for step in steps] == [
        "passed", "errored", "passed", "passed", "errored", "passed", "errored", "passed",
    ]  # fmt: skip
    errors = [step["error"] for step in steps if step["outcome"] == "errored"]
    assert "an address that cannot be read" in errors[0]
    assert "--max-answer-bytes" in errors[1]
    assert "--max-answer-characters" in errors[2]
