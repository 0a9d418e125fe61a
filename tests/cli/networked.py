"""Suites and servers for tests of networked runs at the command line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.llm.chat_server import Answer, user_message
from tests.reading import read_file


def write_suite(folder: Path, cases: int = 10, steps: int = 3) -> None:
    """Write a suite whose messages say what is expected of them, and a prompt that is only the message."""
    lines = ["test_cases:"]
    for case in range(cases):
        lines += [f"  - test_case: case {case}", "    steps:"]
        for step in range(steps):
            lines += [
                f"      - user: say {case} {step}",
                f"        commands: [StartFlow(flow_{case}_{step})]",
            ]
            lines += ["      - bot: fine"]
    (folder / "suite.yml").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (folder / "bare.jinja2").write_text("{{ user_message }}", encoding="utf-8")


def right(body: dict[str, Any]) -> str:
    _, case, step = user_message(body).split()
    return f"StartFlow(flow_{case}_{step})"


def wrong_for(*cases: int) -> Answer:
    def answer(body: dict[str, Any]) -> str:
        return "CancelFlow()" if int(user_message(body).split()[1]) in cases else right(body)

    return answer


def flaky(body: dict[str, Any]) -> str:
    """Answer wrongly in every second sample of the first step of even cases (samples differ in their seed)."""
    _, case, step = user_message(body).split()
    is_bad = int(case) % 2 == 0 and step == "0" and body["seed"] % 2 == 0
    return "CancelFlow()" if is_bad else right(body)


def comparable(report: Path) -> dict[str, Any]:
    """Return a JSON report without what may differ between equal runs."""
    data: dict[str, Any] = read_file(report)
    for key in ("id", "started", "seconds", "spent", "notes", "interrupted"):
        data.pop(key, None)
    data["quantities"].pop("latency", None)
    for case in data["test_cases"]:
        case.pop("results")
        for step in case["steps"]:
            for key in ("latency_seconds", "seconds", "latencies"):
                step.pop(key, None)
            for prompt in step.get("prompts", ()):
                for key in ("latency_seconds", "retries", "is_cached"):
                    prompt.pop(key, None)
    return data
