"""What the HTML page needs of a quality run: rates, curves, distributions, each reply with its verdicts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from du_eval.reports.html_histograms import histogram, scores_histogram

Data = Mapping[str, Any]
_VERDICTS = {"passed": 0, "failed": 1, "unjudged": 2}
_MARK = ("role", "level", "nominal", "unit", "variant", "distance")


def quality_page(data: Data, name: str) -> dict[str, Any]:
    """Return a quality run for the page; `dialogues` of the data are its conversations, if they were kept."""
    names = list(data["tests"])
    numbers = {test: number for number, test in enumerate(names)}
    dialogues = data.get("dialogues") or _without_texts(data["assessments"])
    found = _verdicts(data["assessments"], numbers)
    seconds = (one["seconds"] for each in dialogues for one in each["exchanges"] if one.get("seconds"))
    return {
        "title": str(data.get("label") or name),
        "about": _about(data),
        "signature": str(data.get("signature", "")),
        "tests": {test: {"title": "", **result} for test, result in data["tests"].items()},
        "outcomes": dict(data.get("replies", {})),
        "judges": dict(data.get("judges", {})),
        "missed": list(data.get("missed_gates", ())),
        "names": names,
        "dialogues": [str(one.get("name") or one["number"]) for one in dialogues],
        "rows": [row for place, one in enumerate(dialogues) for row in _rows(place, one, found)],
        "histograms": {"seconds": histogram(seconds)},
        "scores": list(_scores(data["assessments"])),
        "has_texts": bool(data.get("dialogues")),
    }


def _about(data: Data) -> str:
    parts = [
        f"quality of {data.get('bot') or 'a bot'}",
        f"tester {data['tester']}" if data.get("tester") else "",
        f"{data.get('conversations', 0)} conversations",
        f"{sum(data.get('replies', {}).values())} replies",
    ]
    return " · ".join(filter(None, parts))


def _without_texts(assessments: Iterable[Data]) -> list[dict[str, Any]]:
    """Return dialogues as far as the verdicts tell, for a report without its conversations."""
    lengths: dict[int, int] = defaultdict(int)
    for one in assessments:
        lengths[one["dialogue"]] = max(lengths[one["dialogue"]], one["exchange"] + 1)
    return [{"number": number, "exchanges": [{}] * lengths[number]} for number in sorted(lengths)]


def _verdicts(
    assessments: Iterable[Data], numbers: Mapping[str, int]
) -> Mapping[tuple[int, int], list[list[Any]]]:
    """Return the verdicts on each reply; of those on every label only what is above the threshold."""
    found: dict[tuple[int, int], list[list[Any]]] = defaultdict(list)
    for one in assessments:
        if one.get("label") and one["verdict"] == "passed":
            continue
        verdict = [numbers[one["test"]], _VERDICTS[one["verdict"]], rounded(one.get("value"))]
        more = _more(one)
        found[one["dialogue"], one["exchange"]].append([*verdict, more] if more else verdict)
    return found


def _more(one: Data) -> dict[str, Any]:
    """Return what else is worth reading about a verdict; a test of every reply that passed says it all."""
    if one["verdict"] == "passed" and one.get("fact") is None:
        return {}
    keys = ("threshold", "interpretation", "reason", "judge", "label")
    more = {key: one[key] for key in keys if one.get(key) not in {None, ""}}
    return more | ({"control": 1} if one.get("is_control") else {})


def _rows(
    place: int, dialogue: Data, verdicts: Mapping[tuple[int, int], Sequence[Any]]
) -> Iterator[list[Any]]:
    facts = dialogue.get("facts") or {}
    for turn, one in enumerate(dialogue["exchanges"]):
        more: dict[str, Any] = {"seconds": rounded(one["seconds"])} if one.get("seconds") is not None else {}
        mark = one.get("mark")
        if mark:
            fact = facts.get(str(mark["trial"])) or {}
            kept = {key: rounded(mark[key]) for key in _MARK if mark.get(key) not in {None, ""}}
            more["mark"] = {"test": mark["test"], **kept}
            more |= {"right": fact["answer"]} if fact.get("answer") else {}
        more |= {"detail": one["detail"]} if one.get("detail") else {}
        found = verdicts.get((dialogue["number"], turn), ())
        outcome = one.get("outcome", "answered")
        yield [place, turn, one.get("prompt"), one.get("reply"), outcome, found, more]


def _scores(assessments: Iterable[Data]) -> Iterator[dict[str, Any]]:
    """Yield the distribution of the scores of each test on every reply, by label where there are labels."""
    values: dict[tuple[str, str], list[float]] = defaultdict(list)
    thresholds: dict[tuple[str, str], float] = {}
    for one in assessments:
        key = one["test"], one.get("label", "")
        if one.get("fact") is None and one.get("value") is not None:
            values[key].append(one["value"])
            thresholds[key] = one.get("threshold", 0.0)
    labelled = {test for test, label in values if label}
    for (test, label), scores in values.items():
        if label or test not in labelled:
            counted = scores_histogram(scores)
            yield {"test": test, "label": label, "threshold": thresholds[test, label], **counted}


def rounded(value: Any) -> Any:
    """Return a number with three digits that count; anything else as it is."""
    return float(f"{value:.3g}") if isinstance(value, float) else value
