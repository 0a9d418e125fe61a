"""A person judges the replies: one at a time, kept as they come, compared with the automatic judge."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from du_eval.errors import InputError
from du_eval.quality.protocol.criteria import Judged, Ruling
from du_eval.quality.protocol.model import Criterion
from du_eval.statistics.agreement import cohen_kappa

_ANSWERS = {
    "y": Ruling.PASSED,
    "n": Ruling.FAILED,
    "u": Ruling.UNCLEAR,
    "д": Ruling.PASSED,
    "н": Ruling.FAILED,
}
_QUIT = "q"
Key = tuple[int, int, str]


@dataclass(frozen=True, slots=True)
class Agreement:
    """How a person and the judge agree on one criterion, or on all."""

    name: str
    n: int
    same: int
    kappa: float | None


def annotate(
    judged: Iterable[Judged], kept: Path, ask: Callable[[str], str], show: Callable[[str], None]
) -> dict[Key, Ruling]:
    """Ask about each reply that has no annotation yet; answers are written down at once."""
    known = read_annotations(kept)
    for item in judged:
        key = key_of(item)
        if key in known or item.criterion is Criterion.REPEATING:
            continue
        show(
            f"\n[{item.criterion}] user: {item.utterance}\n{' ' * (len(item.criterion) + 3)}bot: {item.reply}"
        )
        answer = _answer(ask)
        if answer is None:
            break
        known[key] = answer
        line = {"dialogue": key[0], "turn": key[1], "criterion": key[2], "ruling": answer}
        with kept.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line, ensure_ascii=False) + "\n")
    return known


def _answer(ask: Callable[[str], str]) -> Ruling | None:
    """Return the answer of a person; None to stop."""
    while True:
        try:
            typed = ask("satisfactory? [y]es [n]o [u]nclear [q]uit: ").strip().casefold()[:1]
        except EOFError:
            return None
        if typed == _QUIT:
            return None
        if typed in _ANSWERS:
            return _ANSWERS[typed]


def key_of(item: Judged) -> Key:
    """Return which decision is meant."""
    return item.dialogue, item.turn, str(item.criterion)


def read_annotations(path: Path) -> dict[Key, Ruling]:
    """Return what a person has decided so far."""
    found: dict[Key, Ruling] = {}
    if not path.exists():
        return found
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        try:
            data = json.loads(line)
            found[data["dialogue"], data["turn"], data["criterion"]] = Ruling(data["ruling"])
        except (ValueError, KeyError, TypeError) as error:
            raise InputError(f"{path}:{number}: no annotation: {error}") from error
    return found


def agreements(judged: Sequence[Judged], person: Mapping[Key, Ruling]) -> list[Agreement]:
    """Return how the judge and the person agree, by criterion and on all."""
    pairs = [(item, person[key_of(item)]) for item in judged if key_of(item) in person]
    groups: dict[str, list[tuple[str, str]]] = {"all": []}
    for item, ruling in pairs:
        for name in (str(item.criterion), "all"):
            groups.setdefault(name, []).append((str(item.ruling), str(ruling)))
    return [
        Agreement(
            name,
            len(rows),
            sum(one == other for one, other in rows),
            cohen_kappa([one for one, _ in rows], [other for _, other in rows]),
        )
        for name, rows in groups.items()
        if rows
    ]
