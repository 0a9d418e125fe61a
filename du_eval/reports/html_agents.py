"""What the HTML page needs of a run of agent cases: ratios, samples, checks and transcripts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from du_eval.reports.html_histograms import histogram, rounded
from du_eval.reports.text import seconds

Data = Mapping[str, Any]
_OUTCOMES = {"passed": 0, "failed": 1, "errored": 2}
_CASE = ("name", "file", "agent", "connection", "outcome", "flaky", "success_ratio", "failure_modes")


def agents_page(data: Data, name: str) -> dict[str, Any]:
    """Return a run of agent cases for the page."""
    cases = data["cases"]
    samples = [sample for case in cases for sample in case["samples"]]
    interactions = [one for sample in samples for one in sample["interactions"]]
    return {
        "title": str(data.get("label") or name),
        "about": _about(data, len(samples)),
        "signature": str(data.get("signature", "")),
        "counts": data.get("counts", {}),
        "sample_counts": {key: sum(one["outcome"] == key for one in samples) for key in _OUTCOMES},
        "numbers": _numbers(data.get("numbers", {})),
        "cases": [
            {key: case[key] for key in _CASE if case.get(key)} | {"rate": measured(case.get("pass_rate"))}
            for case in cases
        ],
        "rows": [_row(place, one) for place, case in enumerate(cases) for one in case["samples"]],
        "checks": list(_checks(interactions)),
        "histograms": {"seconds": histogram(one["seconds"] for one in interactions if one.get("response"))},
    }


def _about(data: Data, samples: int) -> str:
    parts = [
        f"{len(data['cases'])} agent cases",
        f"{samples} samples",
        seconds(data["seconds"]) if data.get("seconds") else "",
        "interrupted" if data.get("interrupted") else "",
    ]
    return " · ".join(filter(None, parts))


def _numbers(found: Data) -> dict[str, Any]:
    return {**found, **{key: measured(found.get(key)) for key in ("cases", "samples")}}


def measured(rate: Any) -> Any:
    """Return a rate with its interval as a pair."""
    interval = rate.get("interval") if rate else None
    if not isinstance(interval, Mapping):
        return rate
    return {**rate, "interval": [interval["low"], interval["high"]]}


def _row(place: int, sample: Data) -> list[Any]:
    talk = [_interaction(one) for one in sample["interactions"]]
    error = sample.get("error") or ""
    return [place, sample["number"], _OUTCOMES[sample["outcome"]], rounded(sample["seconds"]), error, talk]


def _interaction(one: Data) -> dict[str, Any]:
    response = one.get("response") or {}
    return {
        "user": one.get("text") or "",
        "reply": response.get("text"),
        "seconds": rounded(one.get("seconds")),
        **({"error": one["error"]} if one.get("error") else {}),
        **{key: response[key] for key in ("structure", "sly_data") if response.get(key) is not None},
        **{key: one[key] for key in ("tools", "usage") if one.get(key)},
        "messages": [
            [
                message.get("type", ""),
                message.get("origin", ""),
                message.get("text") or message.get("structure"),
            ]
            for message in one.get("messages", ())[:-1]
        ],
        "checks": [_check(check) for check in one["checks"]],
    }


def _check(check: Data) -> list[Any]:
    text = check.get("message") or check.get("expected") or ""
    place = f"{check['file']}:{check['line']}" if check.get("line") else ""
    return [
        check["subject"],
        check["check"],
        _OUTCOMES[check["outcome"]],
        text,
        check.get("judge", ""),
        place,
    ]


def _checks(interactions: Iterable[Data]) -> Iterator[dict[str, Any]]:
    """Yield how often each kind of check passed, failed and errored, those that failed most first."""
    found: dict[tuple[str, str], Counter[str]] = {}
    for one in interactions:
        for check in one["checks"]:
            found.setdefault((check["subject"], check["check"]), Counter())[check["outcome"]] += 1
    ranked = sorted(found.items(), key=lambda item: -item[1]["failed"] - item[1]["errored"])
    for (subject, check), counts in ranked:
        yield {"subject": subject, "check": check, **{outcome: counts[outcome] for outcome in _OUTCOMES}}
