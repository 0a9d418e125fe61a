"""What the HTML page needs of a run of the persona protocol: criteria, blocks, agreement and dialogues."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from du_eval.reports.html_histograms import rounded

Data = Mapping[str, Any]
_RULINGS = {"passed": 0, "failed": 1, "unclear": 2}


def protocol_page(data: Data, name: str) -> dict[str, Any]:
    """Return a run of the protocol for the page."""
    names = [*data["criteria"], "topic_switch_trying"]
    numbers = {criterion: number for number, criterion in enumerate(names)}
    decisions: dict[tuple[int, int], list[Data]] = defaultdict(list)
    for one in data["decisions"]:
        decisions[one["dialogue"], one["turn"]].append(one)
    dialogues = data.get("dialogues") or list(_decided(data["decisions"]))
    turns = sum(len(one["turns"]) for one in dialogues)
    return {
        "title": str(data.get("label") or name),
        "about": f"persona protocol · {data['bot']} · language {data['language']}"
        f" · {len(dialogues)} dialogues, {turns} replies",
        "signature": f"judges: {data['judges']}",
        "criteria": data["criteria"],
        "switches": data.get("topic_switch_trying", {}),
        "agreement": list(data.get("agreement", ())),
        "blocks": _blocks(dialogues, decisions),
        "judges": Counter(one["judge"] for one in data["decisions"]),
        "names": names,
        "dialogues": [_title(one) for one in dialogues],
        "rows": [row for place, one in enumerate(dialogues) for row in _rows(place, one, decisions, numbers)],
        "outcomes": Counter(turn.get("outcome", "answered") for one in dialogues for turn in one["turns"]),
        "has_texts": True,
    }


def _title(dialogue: Data) -> str:
    return (
        f"{dialogue['number']}, with {dialogue['name']}" if dialogue.get("name") else str(dialogue["number"])
    )


def _decided(decisions: Iterable[Data]) -> Iterator[dict[str, Any]]:
    """Yield the dialogues as far as the decisions tell, for a report without them."""
    said: dict[int, dict[int, Data]] = defaultdict(dict)
    for one in decisions:
        said[one["dialogue"]][one["turn"]] = {
            "user": one["utterance"],
            "bot": one["reply"],
            "turn": one["turn"],
        }
    for number, turns in sorted(said.items()):
        yield {"number": number, "turns": [turns[turn] for turn in sorted(turns)]}


def _blocks(
    dialogues: Iterable[Data], decisions: Mapping[tuple[int, int], list[Data]]
) -> dict[str, dict[str, int]]:
    """Return the replies and rulings of each block; repeated replies are counted apart."""
    found: dict[str, Counter[str]] = {}
    for dialogue in dialogues:
        for place, turn in enumerate(dialogue["turns"]):
            counts = found.setdefault(turn.get("block", ""), Counter())
            counts["replies"] += 1
            for one in decisions.get((dialogue["number"], turn.get("turn", place)), ()):
                counts["repeated" if one["criterion"] == "repeating" else one["ruling"]] += (
                    one["criterion"] != "repeating" or one["ruling"] == "failed"
                )
    return {block: dict(counts) for block, counts in found.items() if block}


def _rows(
    place: int, dialogue: Data, decisions: Mapping[tuple[int, int], list[Data]], numbers: Mapping[str, int]
) -> Iterator[list[Any]]:
    for at, turn in enumerate(dialogue["turns"]):
        number = turn.get("turn", at)
        found = [_verdict(one, numbers) for one in decisions.get((dialogue["number"], number), ())]
        more: dict[str, Any] = {key: rounded(turn[key]) for key in ("seconds", "detail") if turn.get(key)}
        if turn.get("block"):
            more["mark"] = {"test": turn["block"], "variant": turn.get("topic", "")}
        yield [place, number, turn["user"], turn["bot"], turn.get("outcome", "answered"), found, more]


def _verdict(one: Data, numbers: Mapping[str, int]) -> list[Any]:
    keys = ("threshold", "reason", "judge")
    more = {key: rounded(one[key]) for key in keys if one.get(key) not in {None, ""}}
    return [numbers[one["criterion"]], _RULINGS[one["ruling"]], rounded(one.get("score")), more]
