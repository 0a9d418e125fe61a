"""What the HTML page needs of a run of command tests, as small as it can be."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from du_eval.reports.html_histograms import histogram
from du_eval.reports.text import seconds

_OUTCOMES = {"passed": 0, "failed": 1, "errored": 2}
_WHOLE = (
    "signature", "notes", "cases", "steps", "accuracy", "f1_score", "command_metrics", "mistakes",
    "confusion", "confused_with", "flow_metrics", "slot_metrics", "repeats", "robustness",
    "provenance", "answers_with",
)  # fmt: skip
_DETAILS = (
    "mistakes",
    "conversation",
    "state",
    "unparsed",
    "unknown_flows",
    "raw",
    "error",
    "prompts",
    "provenance",
    "hallucinated",
    "reasoning",
)
_BOT_PARTS = (("expected and not said", "missing"), ("said and not expected", "surplus"))


def test_page(data: Mapping[str, Any], name: str) -> dict[str, Any]:
    """Return a run of command tests for the page: its figures as they are, its steps as rows."""
    names = sorted(data.get("command_metrics", {}))
    numbers = {command: index for index, command in enumerate(names)}
    places: list[list[Any]] = []
    rows = [row for case in data["test_cases"] for row in _rows(case, places, numbers)]
    found = {key: data[key] for key in _WHOLE if data.get(key) is not None}
    return found | {
        "title": str(data.get("label") or name),
        "about": _about(data),
        "names": names,
        "places": places,
        "rows": rows,
        "histograms": dict(_histograms(data)),
        "bot_steps": list(_bot_steps(data)),
    }


def _about(data: Mapping[str, Any]) -> str:
    parts = [
        data.get("generator"),
        data.get("model"),
        data.get("prompt_file"),
        f"run {data['run']}" if data.get("run") else None,
        str(data["started"])[:16].replace("T", " ") if data.get("started") else None,
        f"{seconds(data['seconds'])}" if data.get("seconds") else None,
        "interrupted" if data.get("interrupted") else None,
        data.get("stopped"),
    ]
    return " · ".join(str(part) for part in parts if part)


def _rows(
    case: Mapping[str, Any], places: list[list[Any]], numbers: Mapping[str, int]
) -> Iterator[list[Any]]:
    twin = sum(place[:2] == [case.get("file", ""), case["test_case"]] for place in places[-1:])
    places.append([case.get("file", ""), case["test_case"], len(places) if twin else 0])
    for number, step in enumerate(case["steps"], 1):
        more: dict[str, Any] = {
            "commands": [numbers[name] for name in step.get("counts", ()) if name in numbers]
        }
        if step.get("sample", 1) > 1:
            more["sample"] = step["sample"]
        if step.get("latency_seconds") is not None:
            more["latency"] = float(f"{step['latency_seconds']:.3g}")
        if step["outcome"] != "passed" or step.get("unparsed"):
            more["detail"] = {key: step[key] for key in _DETAILS if step.get(key)}
        yield [
            len(places) - 1,
            step.get("step", number),
            step.get("line", 0),
            step.get("user", ""),
            _OUTCOMES[step["outcome"]],
            step.get("expected", []),
            step.get("predicted", []),
            more,
        ]


def _bot_steps(data: Mapping[str, Any]) -> Iterator[dict[str, str]]:
    """Yield what the replay against the assistant found about the bot's side."""
    for found in (data.get("bot_steps") or {}).get("differences", ()):
        parts = [f"{title}: {', '.join(found[key])}" for title, key in _BOT_PARTS if found.get(key)]
        yield {
            "place": f"{found['file']}:{found['line']}",
            "user": str(found["user"]),
            "text": "\n".join(parts),
        }


def _histograms(data: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    steps = [step for case in data["test_cases"] for step in case["steps"]]
    prompts = [prompt for step in steps for prompt in step.get("prompts", ())]
    latencies = (step["latency_seconds"] for step in steps if step.get("latency_seconds"))
    yield "latency", histogram(latencies)
    for key in ("prompt_tokens", "completion_tokens"):
        yield key, histogram(prompt[key] for prompt in prompts if prompt.get(key))
