"""Labelled replies from JSON lines: one object a line, with the keys of its role and a `label`."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from msgspec import Struct

from du_eval.errors import InputError, Problem, did_you_mean
from du_eval.judges.answer_rules import AnswerTask
from du_eval.judges.coherence_rules import Exchanged
from du_eval.judges.protocol_rules import CriterionTask
from du_eval.judges.tasks import LABELS, ClosedTask, GistTask, Role, Task, TextTask, TurnTask
from du_eval.parsers.text_files import read_text_file


class Labelled(Struct, frozen=True):
    """What one line of a file asks of a judge: a task with its label, or one for each turn of a dialogue."""

    line: int
    group: str
    """Lines that share a question belong together: the cluster of intervals."""
    tasks: tuple[Task, ...]
    labels: tuple[str, ...]
    texts: dict[str, Any]
    """What is judged, by the keys of the file."""


def _turns(row: Mapping[str, Any]) -> tuple[Task, ...]:
    turns = tuple(map(str, row["turns"]))
    return tuple(TurnTask(turns[:place], turn) for place, turn in enumerate(turns))


def _one(make: Callable[[Mapping[str, Any]], Task]) -> Callable[[Mapping[str, Any]], tuple[Task, ...]]:
    return lambda row: (make(row),)


def _answer(row: Mapping[str, Any]) -> Task:
    gold = row["gold"]
    accepted = tuple(map(str, gold)) if isinstance(gold, list) else (str(gold),)
    rejected = tuple(map(str, row.get("rejected", ())))
    return AnswerTask(row["reply"], accepted, rejected, row["question"], row.get("information", ""))


def _closed(row: Mapping[str, Any]) -> Task:
    return ClosedTask(row["question"], row["reply"])


def _criterion(row: Mapping[str, Any]) -> Task:
    return CriterionTask(row["criterion"], row["utterance"], row["reply"], row.get("persona", ""))


_FORMS: Mapping[Role, tuple[tuple[str, ...], str, Callable[[Mapping[str, Any]], tuple[Task, ...]]]] = {
    Role.ANSWERS: (("question", "gold", "reply"), "question", _one(_answer)),
    Role.YES_NO: (("question", "reply"), "question", _one(_closed)),
    Role.COHERENCE: (
        ("context", "reply"), "context", _one(lambda row: Exchanged(tuple(row["context"]), row["reply"])),
    ),
    Role.REPEATED_QUESTIONS: (("turns",), "turns", _turns),
    Role.TOXICITY: (("reply",), "reply", _one(lambda row: TextTask(row["reply"]))),
    Role.STUTTER: (("reply",), "reply", _one(lambda row: TextTask(row["reply"]))),
    Role.GIST: (
        ("criterion", "response"), "criterion", _one(lambda row: GistTask(row["criterion"], row["response"])),
    ),
    Role.PROTOCOL: (
        ("criterion", "utterance", "reply"), "utterance",
        _one(_criterion),
    ),
}  # fmt: skip
_LISTS = {"context", "turns"}
_TEXTS = {"question", "reply", "information", "response", "utterance", "persona"}


def read_labelled(path: str, role: Role) -> list[Labelled]:
    """Return the labelled replies of a file; everything wrong with it is reported at once."""
    text = read_text_file(path)
    found: list[Labelled] = []
    problems: list[Problem] = []
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        read = _read_line(line, number, role)
        if isinstance(read, Labelled):
            found.append(read)
        else:
            problems.append(Problem(path, number, *read))
    if problems:
        raise InputError(problems)
    if not found:
        raise InputError(
            Problem(path, 1, "no labelled replies", f"one JSON object per line with {_keys(role)}")
        )
    return found


def _keys(role: Role) -> str:
    return ", ".join((*_FORMS[role][0], "label"))


def _read_line(line: str, number: int, role: Role) -> Labelled | tuple[str, str]:
    """Return what a line asks, or what is wrong with it and what to do."""
    needed, group, make = _FORMS[role]
    try:
        row = json.loads(line)
    except (ValueError, RecursionError) as error:
        return f"no JSON: {error}", f"one object per line with {_keys(role)}"
    if not isinstance(row, dict):
        return "no object", f"one object per line with {_keys(role)}"
    missing = [key for key in (*needed, "label") if key not in row]
    if missing:
        return f"without {', '.join(missing)}", f"{role} needs {_keys(role)}"
    odd = [key for key in sorted(_TEXTS & row.keys()) if not isinstance(row[key], str)]
    if odd:
        return f"{', '.join(odd)}: not a string", "put it in quotes"
    wrong = [key for key in needed if isinstance(row[key], list) != (key in _LISTS) and key != "gold"]
    if wrong:
        expected = "a list of strings" if wrong[0] in _LISTS else "a string"
        return f"{wrong[0]} has the wrong type", f"write {expected}"
    tasks = make(row)
    labels = _labels(row["label"], len(tasks))
    unknown = [label for label in labels if label not in LABELS[role]]
    if unknown or len(labels) != len(tasks):
        hint = (
            did_you_mean(unknown[0], LABELS[role]) if unknown else f"{len(tasks)} labels, one for each turn"
        )
        return f"the label {row['label']!r}", hint or f"labels are {', '.join(LABELS[role])}"
    texts = {key: row[key] for key in (*needed, "information", "persona") if row.get(key)}
    return Labelled(number, f"{row.get('author', '')}|{row[group]}", tasks, labels, texts)


def _labels(label: object, count: int) -> tuple[str, ...]:
    given: Sequence[Any] = label if isinstance(label, list) else [label] * (count if count == 1 else 1)
    return tuple(str(one).casefold() if isinstance(one, bool) else str(one) for one in given)
