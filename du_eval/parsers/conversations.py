"""Conversations in rows of JSON, CSV or Parquet: who answered what, and what was expected.

A row is one of
- a conversation: `{"turns": [{"speaker": "user", "text": …}, {"speaker": "bot", "text": …}]}`, where each
  run of bot turns answers the user turns before it, and a bot turn may carry the expected text as `target`;
- a chat: `{"messages": [{"role": "user", "content": …}, {"role": "assistant", "content": …}]}`;
- one exchange: `{"source": …, "response": …, "target": …}`, or `prompt` and `reply`;
- one turn: `{"conversation": …, "speaker": …, "text": …}`, or `role` and `content`;
- a step of the journal of a run: `{"case": …, "step": …, "prediction": {"text": …}}`.
Rows that follow each other and have the same `conversation` are one conversation.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from msgspec import Struct

from du_eval.errors import InputError, Problem
from du_eval.parsers.inputs import Json, Row

_BOT = frozenset({"bot", "assistant", "model", "system"})
_SPEAKERS = _BOT | {"user", "human"}
_NAMES = ("conversation", "conversation_id", "dialogue_id")
FORMS = "a row needs 'turns', 'messages', 'response', 'prediction', or 'speaker' and 'text'"


class ResponseContext(Struct, frozen=True):
    """One response, with the message it answers and the expected response where known."""

    response: str
    source: str | None = None
    target: str | None = None


class _Said(Struct, frozen=True):
    is_bot: bool
    text: str
    target: str | None


def group_rows(rows: Iterable[Row]) -> Iterator[list[Row]]:
    """Yield rows that belong to one conversation: those that follow each other and name the same one."""
    group: list[Row] = []
    for row in rows:
        if group and (_name(row) is None or _name(row) != _name(group[-1])):
            yield group
            group = []
        group.append(row)
    if group:
        yield group


def _name(row: Row) -> object:
    """Return the name of the conversation that a row belongs to; None where the row is one of its own."""
    if isinstance(row.values, ValueError):
        return None
    found = next((row.values[key] for key in _NAMES if key in row.values), None)
    return found if isinstance(found, str | int) and found != "" else None


def find_name(group: Sequence[Row]) -> str:
    """Return the name of a conversation, where its rows have one."""
    found = _name(group[0])
    return "" if found is None else str(found)


def exchanges(rows: Iterable[Row], name: str) -> Iterator[list[ResponseContext]]:
    """Yield the exchanges of each conversation of a file; raises at the end with all faulty lines."""
    problems: list[Problem] = []
    for group in group_rows(rows):
        try:
            yield read_exchanges(group)
        except ValueError as error:
            problems.append(Problem(name, group[0].line, str(error), FORMS))
    if problems:
        raise InputError(problems)


def read_exchanges(group: Sequence[Row]) -> list[ResponseContext]:
    """Return the exchanges of one conversation; raise ValueError where a row does not say who said what."""
    values = []
    for row in group:
        if isinstance(row.values, ValueError):
            raise row.values
        values.append(row.values)
    for speaker, text in (("speaker", "text"), ("role", "content")):
        if all(speaker in one and text in one for one in values):
            return list(_from_turns(_said(values, speaker, text)))
    return [one for record in values for one in _exchanges_of(record)]


def _exchanges_of(record: Json) -> Iterator[ResponseContext]:
    conversation = record.get("conversation")
    if isinstance(conversation, dict):
        record = conversation
    if "turns" in record:
        yield from _from_turns(_said(record["turns"], "speaker", "text"))
    elif "messages" in record:
        yield from _from_turns(_said(record["messages"], "role", "content"))
    elif "prediction" in record or "error" in record:
        yield _from_journal(record)
    elif "response" in record or "reply" in record:
        source, target = record.get("source", record.get("prompt")), record.get("target")
        response = record.get("response", record.get("reply"))
        yield ResponseContext(_text(response), _maybe(source), _maybe(target))
    else:
        raise ValueError("holds no conversation")


def _from_journal(record: Json) -> ResponseContext:
    prediction = record.get("prediction")
    if not isinstance(prediction, dict):
        raise ValueError(f"the step has no answer: {record.get('error', 'unknown error')}")  # noqa: TRY004
    commands = prediction.get("commands")
    if prediction.get("text") is None and isinstance(commands, list):
        return ResponseContext(_text("; ".join(map(str, commands))))
    return ResponseContext(_text(prediction.get("text")))


def _from_turns(turns: list[_Said]) -> Iterator[ResponseContext]:
    source: str | None = None
    for is_bot, group in groupby(turns, key=lambda turn: turn.is_bot):
        said = list(group)
        text = " ".join(turn.text for turn in said)
        if not is_bot:
            source = text
            continue
        targets = [turn.target for turn in said if turn.target is not None]
        yield ResponseContext(text, source or "", " ".join(targets) if targets else None)


def _said(turns: object, speaker: str, text: str) -> list[_Said]:
    if not isinstance(turns, list):
        raise ValueError("the turns are not a list")  # noqa: TRY004 - collected with the other problems
    found = []
    for turn in turns:
        if not isinstance(turn, dict):
            raise ValueError("a turn is not an object")  # noqa: TRY004 - collected with the other problems
        who = str(turn.get(speaker, "")).casefold()
        if who not in _SPEAKERS:
            raise ValueError(f"unknown {speaker} {who!r}")
        if speaker == "role" and who == "system":
            continue
        found.append(_Said(who in _BOT, _text(turn.get(text)), _maybe(turn.get("target"))))
    return found


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise ValueError("a text is missing")  # noqa: TRY004 - collected with the other problems
    return " ".join(value.split("\n")).replace("\r", " ")


def _maybe(value: object) -> str | None:
    return None if value is None else _text(value)
