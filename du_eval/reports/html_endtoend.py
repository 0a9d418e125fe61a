"""What the HTML page needs of a run of end-to-end tests: cases, turns, findings, flows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from du_eval.statistics.intervals import proportion

Data = Mapping[str, Any]
_OUTCOMES = ("passed", "failed", "errored")


def endtoend_page(data: Data, name: str) -> dict[str, Any]:
    """Return a run of end-to-end tests for the page."""
    cases = data["test_cases"]
    counts = {outcome: sum(case["outcome"] == outcome for case in cases) for outcome in _OUTCOMES}
    rate = proportion(counts["passed"], counts["passed"] + counts["failed"])
    interval = [rate.interval.low, rate.interval.high] if rate.interval else None
    judge = f"judge: {data['judge']}" if data.get("judge") else ""
    turns = sum(len(case["turns"]) for case in cases)
    return {
        "title": str(data.get("label") or name),
        "about": f"end-to-end tests · {data.get('generator', '')} · {len(cases)} cases, {turns} turns",
        "signature": " | ".join(
            filter(None, (f"generator: {data.get('generator', '')}", judge, rate.method))
        ),
        "counts": counts,
        "rate": {"value": rate.value, "n": rate.n, "interval": interval},
        "notes": list(data.get("warnings", ())),
        "rows": [{"findings": [], "error": "", **case} for case in cases],
        "flows": _flows(cases),
    }


def _flows(cases: Iterable[Data]) -> list[list[Any]]:
    """Return each flow that ran, with the cases that started it and how many passed; patterns last."""
    reached: Counter[str] = Counter()
    passed: Counter[str] = Counter()
    for case in cases:
        for flow in dict.fromkeys(flow for turn in case["turns"] for flow in turn.get("flows", ())):
            reached[flow] += 1
            passed[flow] += case["outcome"] == "passed"
    ranked = sorted(reached.items(), key=lambda item: (item[0].startswith("pattern_"), -item[1]))
    return [[flow, count, passed[flow]] for flow, count in ranked]
