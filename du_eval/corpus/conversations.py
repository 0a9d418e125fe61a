"""Conversations in JSON lines: who answered what, and what was expected, one exchange at a time.

A record is one of
- a conversation: `{"turns": [{"speaker": "user", "text": …}, {"speaker": "bot", "text": …}]}`, where each
  run of bot turns answers the user turns before it, and a bot turn may carry the expected text as `target`;
- a chat: `{"messages": [{"role": "user", "content": …}, {"role": "assistant", "content": …}]}`;
- one exchange: `{"source": …, "response": …, "target": …}`;
- a step of the journal of a run: `{"case": …, "step": …, "prediction": {"text": …}}`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby

from du_eval.errors import InputError, Problem

_BOT = frozenset({"bot", "assistant", "model", "system"})
_USER = frozenset({"user", "human"})
_FORMS = "a record needs 'turns', 'messages', 'response' or 'prediction'"

Json = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class ResponseContext:
    """One response, with the message it answers and the expected response where known."""

    response: str
    source: str | None = None
    target: str | None = None


@dataclass(frozen=True, slots=True)
class _Said:
    is_bot: bool
    text: str
    target: str | None


def exchanges(blocks: Iterator[str], name: str) -> Iterator[ResponseContext]:
    """Yield every exchange of a file of JSON lines; raises at the end with all faulty lines."""
    problems: list[Problem] = []
    for number, line in enumerate((line for block in blocks for line in block.split("\n")[:-1]), start=1):
        if not line.strip():
            continue
        try:
            yield from _exchanges_of(_record(line))
        except ValueError as error:
            problems.append(Problem(name, number, str(error), _FORMS))
    if problems:
        raise InputError(problems)


def _record(line: str) -> Json:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"is not JSON: {getattr(error, 'msg', error)}") from error
    if not isinstance(record, dict):
        raise ValueError("is not a JSON object")  # noqa: TRY004 - collected with the other problems
    return record


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
    elif "response" in record:
        source, target = record.get("source"), record.get("target")
        yield ResponseContext(_text(record["response"]), _maybe(source), _maybe(target))
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
        if who not in _BOT | _USER:
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
