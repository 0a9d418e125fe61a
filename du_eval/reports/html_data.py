"""What the HTML page needs of a run, as small as it can be."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from math import log10
from typing import Any

from du_eval.reports.export import tables_of
from du_eval.reports.saved import is_report
from du_eval.reports.text import seconds
from du_eval.statistics.percentiles import percentiles

_OUTCOMES = {"passed": 0, "failed": 1, "errored": 2}
_WHOLE = (
    "signature", "notes", "cases", "steps", "accuracy", "f1_score", "command_metrics", "mistakes",
    "confusion", "confused_with", "flow_metrics", "slot_metrics", "repeats", "robustness",
)  # fmt: skip
_DETAILS = ("mistakes", "conversation", "state", "unparsed", "unknown_flows", "raw", "error", "prompts")
_BINS = 24
_BOT_PARTS = (("expected and not said", "missing"), ("said and not expected", "surplus"))


def page_run(data: Mapping[str, Any], name: str) -> dict[str, Any]:
    """Return a run for the page: its figures as they are, its steps as rows; of other activities, tables."""
    if not is_report(data):
        tables = [{"name": t.name, "columns": t.columns, "rows": t.rows} for t in tables_of(data)]
        signature = str(data.get("signature", ""))
        return {"title": name, "about": str(data.get("format", "")), "signature": signature, "tables": tables}
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
    yield "latency", _histogram(latencies)
    for key in ("prompt_tokens", "completion_tokens"):
        yield key, _histogram(prompt[key] for prompt in prompts if prompt.get(key))


def _histogram(values: Iterable[float]) -> dict[str, Any]:
    """Return counts in bins of equal width, or of equal ratio where the values spread very far."""
    known = sorted(values)
    if not known:
        return {"bins": [], "low": 0, "high": 0, "percentiles": {}}
    low, high = known[0], known[-1]
    is_wide = low > 0 and high / low > 100
    start, end = (log10(low), log10(high)) if is_wide else (low, high)
    width = (end - start) / _BINS or 1.0
    bins = [0] * _BINS
    for value in known:
        bins[min(_BINS - 1, int(((log10(value) if is_wide else value) - start) / width))] += 1
    return {"bins": bins, "low": low, "high": high, "percentiles": percentiles(known)}
