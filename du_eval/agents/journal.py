"""Every finished sample on disk at once, so that an interrupted run loses nothing."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from typing import IO, Any

from du_eval.agents.model import AgentCase, Connection
from du_eval.agents.results import (
    AgentReply,
    CheckResult,
    InteractionResult,
    Message,
    Outcome,
    SampleResult,
    ToolCall,
    Usage,
)
from du_eval.errors import InputError, ReportError

_FORMAT = "du-eval agent journal 1"


@dataclass(frozen=True, slots=True)
class TrialKey:
    """Which case over which connection under which judges; a changed case is another one."""

    file: str
    digest: str
    connection: str
    signature: str

    @classmethod
    def of(cls, case: AgentCase, connection: Connection, signature: str) -> TrialKey:
        """Return the key of a case over a connection."""
        return cls(case.file, case.digest, connection.name, signature)


Known = Mapping[TrialKey, Mapping[int, SampleResult]]


class Journal:
    """An append-only file with one line a sample; flushed line by line."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file: IO[str] | None = None

    def open(self) -> None:
        """Open the file, before anything is paid for that could not be written."""
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._file = self.path.open("a+", encoding="utf-8")
            self._mend(self._file)
        except OSError as error:
            raise ReportError(f"the journal {self.path} cannot be written: {error}") from error

    def append(self, key: TrialKey, sample: SampleResult) -> None:
        """Write one finished sample."""
        assert self._file is not None
        record = {"key": key, "sample": sample}
        self._file.write(json.dumps(record, ensure_ascii=False, default=_fields) + "\n")
        self._file.flush()

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            self._file.close()

    def _mend(self, file: IO[str]) -> None:
        """Start a new file with its format, and end a line that a crash left torn."""
        if file.tell() == 0:
            file.write(json.dumps({"format": _FORMAT}) + "\n")
        elif not self.path.read_bytes().endswith(b"\n"):
            file.write("\n")
        file.flush()


def _fields(value: Any) -> Any:
    """Return the fields of a dataclass, or anything else as a text."""
    if not is_dataclass(value):
        return str(value)
    return {one.name: getattr(value, one.name) for one in fields(value)}


def read_journal(path: Path) -> dict[TrialKey, dict[int, SampleResult]]:
    """Return the samples of a journal; lines that a crash left torn are skipped."""
    try:
        lines = path.read_text(encoding="utf-8", errors="replace").split("\n")
    except OSError as error:
        raise InputError(f"the journal {path} cannot be read: {error}") from error
    if not lines or _FORMAT not in lines[0]:
        raise InputError(f"{path} is not a journal of du-eval agent")
    known: dict[TrialKey, dict[int, SampleResult]] = {}
    for line in lines[1:]:
        record = _record(line)
        if record is not None:
            key, sample = record
            known.setdefault(key, {})[sample.number] = sample
    return known


def _record(line: str) -> tuple[TrialKey, SampleResult] | None:
    try:
        record = json.loads(line)
        return TrialKey(**record["key"]), _sample(record["sample"])
    except (ValueError, KeyError, TypeError):
        return None


def _sample(record: dict[str, Any]) -> SampleResult:
    interactions = tuple(_interaction(one) for one in record.pop("interactions"))
    return SampleResult(interactions=interactions, **record)


def _interaction(record: dict[str, Any]) -> InteractionResult:
    checks = tuple(CheckResult(**{**one, "outcome": Outcome(one["outcome"])}) for one in record.pop("checks"))
    reply = record.pop("reply")
    return InteractionResult(reply=reply and _reply(reply), checks=checks, **record)


def _reply(record: dict[str, Any]) -> AgentReply:
    tools = tuple(ToolCall(**one) for one in record.pop("tools"))
    messages = tuple(Message(**one) for one in record.pop("messages"))
    usage = record.pop("usage")
    return AgentReply(tools=tools, messages=messages, usage=usage and Usage(**usage), **record)
