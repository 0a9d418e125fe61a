"""The journal of a run: one line for each finished step, written the moment it is finished."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from io import FileIO
from pathlib import Path
from typing import Any, BinaryIO

from du_eval.errors import InputError, ReportError
from du_eval.runs.record import Key

_READABLE, _ESCAPED = (
    json.JSONEncoder(ensure_ascii=is_ascii, separators=(",", ":"), default=str) for is_ascii in (False, True)
)


@dataclass(frozen=True, slots=True)
class Record:
    """A finished step: its answer as plain data, or the reason there is none."""

    key: Key
    request: str
    """A fingerprint of what was asked: an answer belongs only to the question that it was given to."""
    answer: Mapping[str, Any] | None = None
    error: str = ""
    outcome: str = ""

    def to_line(self) -> bytes:
        """Return the record as a line of JSON."""
        data = {
            "file": self.key.file,
            "case": self.key.case,
            "step": self.key.step,
            "sample": self.key.sample,
            "request": self.request,
            "outcome": self.outcome,
        }
        if self.key.variant:
            data["variant"] = self.key.variant
        data |= {"error": self.error} if self.answer is None else {"answer": self.answer}
        try:
            return _READABLE.encode(data).encode() + b"\n"
        except UnicodeEncodeError:
            # Half a character, as models send them at times, survives only as an escape.
            return _ESCAPED.encode(data).encode() + b"\n"

    @classmethod
    def from_line(cls, line: bytes) -> Record | None:
        """Return the record of a line; None for a line that was torn by a crash."""
        try:
            data = json.loads(line)
            key = Key(data["file"], data["case"], data["step"], data["sample"], data.get("variant", ""))
            told = data["answer"] if "answer" in data else data["error"]
            texts = (key.file, key.case, key.variant, data["request"], data["outcome"])
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            return None
        is_sound = all(isinstance(text, str) for text in texts) and isinstance(told, dict | str)
        if not is_sound or not isinstance(key.step, int) or not isinstance(key.sample, int):
            return None
        answer, error = (told, "") if isinstance(told, dict) else (None, told)
        return cls(key, data["request"], answer, error, data["outcome"])


@dataclass(frozen=True, slots=True)
class _Entry:
    """Where a record lies in the file, and what is known without reading it."""

    position: int
    request: str
    is_error: bool


@dataclass
class Journal:
    """Appends records and finds them again; of several records of a step, the last one holds."""

    path: Path
    torn: int = 0
    _entries: dict[Key, _Entry] = field(default_factory=dict)
    _end: int = 0
    _writer: FileIO | None = None
    _reader: BinaryIO | None = None

    @classmethod
    def opened(cls, path: Path, *, writing: bool) -> Journal:
        """Return the journal of a file, with an index of what it holds; one process may write at a time."""
        journal = cls(path)
        if writing:
            journal._writer = _locked(path)
        if path.exists():
            journal._index()
        if journal._writer is not None:
            # Nobody else writes, so the end is known from here on.
            journal._end = journal._writer.seek(0, os.SEEK_END)
        return journal

    def __len__(self) -> int:
        return len(self._entries)

    def __contains__(self, key: Key) -> bool:
        return key in self._entries

    def append(self, record: Record) -> None:
        """Write a record down, whole and at once."""
        assert self._writer is not None, "the journal was opened for reading"
        line = record.to_line()
        try:
            position, written = self._end, self._writer.write(line)
        except OSError as error:
            raise ReportError(f"the journal {self.path} cannot be written: {error}") from error
        self._end += written or 0
        if written != len(line):
            raise ReportError(
                f"the journal {self.path} cannot be written: only a part of a line went through"
            )
        self._entries[record.key] = _Entry(position, record.request, record.answer is None)

    def find(self, key: Key, request: str, *, with_errors: bool = True) -> Record | None:
        """Return the record of a step, if it answers this very request."""
        entry = self._entries.get(key)
        if entry is None or entry.request != request or (entry.is_error and not with_errors):
            return None
        return self._read(entry)

    def records(self) -> Iterator[Record]:
        """Yield what holds, in the order of the file."""
        for entry in sorted(self._entries.values(), key=lambda entry: entry.position):
            yield self._read(entry)

    def close(self) -> None:
        """Close the file, so that others may write."""
        for file in (self._writer, self._reader):
            if file is not None:
                file.close()
        self._writer = self._reader = None

    def _read(self, entry: _Entry) -> Record:
        if self._reader is None:
            self._reader = self.path.open("rb")
        self._reader.seek(entry.position)
        record = Record.from_line(self._reader.readline())
        assert record is not None, "the index knows only whole lines"
        return record

    def _index(self) -> None:
        line = b""
        with self.path.open("rb") as file:
            position = 0
            for line in file:
                record = Record.from_line(line) if line.endswith(b"\n") else None
                if record is None:
                    self.torn += 1
                else:
                    self._entries[record.key] = _Entry(position, record.request, record.answer is None)
                position += len(line)
        if self._writer is not None and line and not line.endswith(b"\n"):
            # A record that was cut off was never acknowledged: it goes, so that no later line heals it.
            self._writer.truncate(position - len(line))


def is_being_written(path: Path) -> bool:
    """Tell whether a process has the journal open for writing."""
    if not path.exists():
        return False
    try:
        _locked(path).close()
    except InputError:
        return True
    return False


def _locked(path: Path) -> FileIO:
    """Return the file for appending without a buffer, kept from other writers."""
    file = path.open("ab", buffering=0)
    try:
        import fcntl  # noqa: PLC0415 - not on every system

        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except ImportError:
        pass
    except OSError as error:
        file.close()
        raise InputError(f"{path.parent.name} is being written by another process") from error
    return file
