"""A person judges the replies: one at a time, kept as they come, compared with the automatic judge."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from du_eval.errors import InputError, Problem, ReportError, did_you_mean
from du_eval.parsers.text_files import read_text_file
from du_eval.protocol.criteria import Judged, Ruling
from du_eval.protocol.model import Criterion
from du_eval.statistics.agreement import cohen_kappa

_ANSWERS = {
    "y": Ruling.PASSED,
    "n": Ruling.FAILED,
    "u": Ruling.UNCLEAR,
    "д": Ruling.PASSED,
    "н": Ruling.FAILED,
}
_QUIT = "q"
Key = tuple[int, int, str, str]
"""Dialogue, turn, criterion, and a fingerprint of what was said: an answer holds for that reply only."""
_QUESTIONS = {
    Criterion.NAME: "Does the bot call the user by name after the greeting?",
    Criterion.HELLO_BYE: "Is the greeting answered by a greeting, the farewell by a farewell?",
    Criterion.REPEATING: "Does the bot say something else than before?",
    Criterion.OPEN: "Does the bot answer the question as its persona would?",
    Criterion.CLOSED: "Does the bot say yes or no, or explain why neither, as its persona would?",
    Criterion.DIALOG: "Does the bot keep the conversation going?",
    Criterion.EMOTION: "Does the bot react fittingly to the feeling?",
    Criterion.TOPIC: "Is the bot on the new topic?",
}


@dataclass(frozen=True, slots=True)
class Agreement:
    """How a person and the judge agree on one criterion, or on all."""

    name: str
    n: int
    same: int
    kappa: float | None


def asked_items(judged: Iterable[Judged], criteria: Sequence[str] = ()) -> list[Judged]:
    """Return the decisions that a person is asked about: those on criteria, or all but repetitions."""
    unknown = [name for name in criteria if name not in set(Criterion)]
    if unknown:
        hint = did_you_mean(unknown[0], list(Criterion)) or f"known are: {', '.join(Criterion)}"
        raise InputError(f"there is no criterion '{unknown[0]}' ({hint})")
    wanted = {*criteria} or {*Criterion} - {Criterion.REPEATING}
    return [item for item in judged if item.criterion in wanted]


def annotate(
    judged: Iterable[Judged], kept: Path, ask: Callable[[str], str], show: Callable[[str], None]
) -> dict[Key, Ruling]:
    """Ask about each reply that has no annotation yet; answers are written down at once."""
    known = read_annotations(kept)
    for item in judged:
        key = key_of(item)
        if key in known:
            continue
        show(_shown(item))
        answer = _answer(ask)
        if answer is None:
            break
        known[key] = answer
        names = ("dialogue", "turn", "criterion", "said")
        line = {**dict(zip(names, key, strict=True)), "ruling": answer}
        _append(kept, json.dumps(line, ensure_ascii=False))
    return known


def _append(kept: Path, line: str) -> None:
    try:
        kept.parent.mkdir(parents=True, exist_ok=True)
        with kept.open("a", encoding="utf-8") as file:
            file.write(line + "\n")
    except OSError as error:
        raise ReportError(f"the answers cannot be kept in {kept}: {error}") from error


def _shown(item: Judged) -> str:
    """Return a reply for a person, without what the judge thinks of it."""
    head = f"\n[{item.criterion}] {_QUESTIONS[item.criterion]}"
    if item.criterion is Criterion.NAME:
        return "\n  bot:  ".join([head, *item.saw.splitlines()])
    before = f"\n  earlier: {item.saw}" if item.criterion is Criterion.REPEATING and item.saw else ""
    return f"{head}{before}\n  user: {item.utterance}\n  bot:  {item.reply}"


def _answer(ask: Callable[[str], str]) -> Ruling | None:
    """Return the answer of a person; None to stop."""
    while True:
        try:
            typed = ask("satisfactory? [y]es [n]o [u]nclear [q]uit: ").strip().casefold()[:1]
        except (EOFError, KeyboardInterrupt):
            return None
        if typed == _QUIT:
            return None
        if typed in _ANSWERS:
            return _ANSWERS[typed]


def key_of(item: Judged) -> Key:
    """Return which decision is meant."""
    said = hashlib.sha256(f"{item.utterance}\n{item.reply}".encode("utf-8", "replace")).hexdigest()[:12]
    return item.dialogue, item.turn, str(item.criterion), said


def read_annotations(path: Path) -> dict[Key, Ruling]:
    """Return what a person has decided so far."""
    found: dict[Key, Ruling] = {}
    if not path.exists():
        return found
    for number, line in enumerate(read_text_file(path).split("\n"), 1):
        if not line.strip():
            continue
        try:
            data = json.loads(line)
            key = data["dialogue"], data["turn"], data["criterion"], data["said"]
            found[key] = Ruling(data["ruling"])
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise InputError(Problem(str(path), number, f"this is not an annotation: {error}")) from error
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
