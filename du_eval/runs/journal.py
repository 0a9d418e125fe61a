"""The journal of a run: one line for each finished step, written the moment it is finished.

Each line holds a hash of itself and of the line before it, so that no line can be changed, added or left out
without a trace.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import Future
from io import FileIO
from pathlib import Path
from threading import Thread

from msgspec import Struct, field
from pydantic_core import to_json

from du_eval.errors import InputError, ReportError
from du_eval.runs.record import Key
from du_eval.trust.files import make_private_folder, open_privately
from du_eval.trust.reading import open_unbuffered

JUDGE = "judge"
"""The file under which a journal keeps what judges said: it is no case of its own."""
_ESCAPED = json.JSONEncoder(separators=(",", ":"), default=str)


class Record(Struct, frozen=True):
    """A finished step: its answer as plain data, or the reason there is none."""

    key: Key
    request: str
    """A fingerprint of what was asked: an answer belongs only to the question that it was given to."""
    answer: Mapping[str, object] | None = None
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
            return to_json(data, fallback=str) + b"\n"
        except ValueError:
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


_LINK = re.compile(rb',"chain":"([0-9a-f]{32})"}\n')
_LINK_BYTES = 45
_SYNC_SECONDS = 1.0
"""How often a journal that is written is put on the disk for good."""


def _link(before: str, line: bytes) -> str:
    return hashlib.blake2b(before.encode() + line, digest_size=16).hexdigest()


class _Entry(Struct, frozen=True):
    """Where a record lies in the file, and what is known without reading it."""

    position: int
    size: int
    request: str
    is_error: bool


class Chain(Struct):
    """The hashes of the lines, each with the one before it."""

    end: str = ""
    """The hash of the last line; at first that of what the run is about."""
    lines: int = 0
    broken: list[int] = field(default_factory=list)
    """The numbers of lines that do not follow from the one before them."""

    def link(self, line: bytes) -> tuple[bytes, str]:
        """Return the line with its hash, and the hash; it belongs to the chain once it is added."""
        link = _link(self.end, line)
        return b'%s,"chain":"%s"}\n' % (line[:-2], link.encode()), link

    def add(self, link: str) -> None:
        """Take in a line that was written."""
        self.end, self.lines = link, self.lines + 1

    def follow(self, line: bytes) -> None:
        """Take the next line of a file, and note where it does not follow."""
        self.lines += 1
        found = _LINK.fullmatch(line, max(0, len(line) - _LINK_BYTES))
        told = found[1].decode() if found else ""
        body = line[:-_LINK_BYTES] + b"}\n"
        if not found or told != _link(self.end, body):
            self.broken.append(self.lines)
        self.end = told


class Journal(Struct):
    """Appends records and finds them again; of several records of a step, the last one holds."""

    path: Path
    torn: int = 0
    chain: Chain = field(default_factory=Chain)
    _entries: dict[Key, _Entry] = field(default_factory=dict)
    _end: int = 0
    _file: FileIO | None = None
    is_writing: bool = False
    _synced: float = 0.0
    _syncing: Future[None] | None = None

    @classmethod
    def opened(cls, path: Path, *, writing: bool, root: str = "") -> Journal:
        """Return the journal of a file, with an index of what it holds; one process may write at a time.

        The root is what the first line follows on.
        """
        journal = cls(path, chain=Chain(root), is_writing=writing, _synced=time.monotonic())
        if writing:
            journal._file = _lock(path)
        elif path.exists():
            journal._file = open_unbuffered(path)
        if journal._file is not None:
            journal._index(journal._file)
        return journal

    def __len__(self) -> int:
        return len(self._entries)

    def count_answers(self) -> int:
        """Return how many records there are of what was tested, without those of judges."""
        return sum(key.file != JUDGE for key in self._entries)

    def __contains__(self, key: Key) -> bool:
        return key in self._entries

    def append(self, record: Record) -> None:
        """Write a record down, whole and at once."""
        assert self.is_writing, "the journal was opened for reading"
        line, link = self.chain.link(record.to_line())
        try:
            self._write(line)
        except OSError as error:
            raise ReportError(f"the journal {self.path} cannot be written: {error}") from error
        self.chain.add(link)
        self._entries[record.key] = _Entry(self._end, len(line), record.request, record.answer is None)
        self._end += len(line)

    def _write(self, line: bytes) -> None:
        """Write a line, or nothing of it."""
        assert self._file is not None, "the journal is closed"
        if self._file.write(line) != len(line):
            self._file.truncate(self._end)
            raise OSError("only part of a line was written; the disk may be full")
        if time.monotonic() - self._synced > _SYNC_SECONDS:
            self._sync(self._file.fileno())

    def _sync(self, file: int) -> None:
        """Put the lines so far on the disk for good, in a thread: nobody who asks waits for a disk."""
        if self._syncing is not None:
            if not self._syncing.done():
                return
            self._syncing.result()
        self._synced, self._syncing = time.monotonic(), Future()
        Thread(target=_settle, args=(self._syncing, os.dup(file))).start()

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
        """Put the file on the disk for good and close it, so that others may write."""
        file, self._file = self._file, None
        if file is None:
            return
        with file:
            if self.is_writing:
                try:
                    if self._syncing is not None:
                        self._syncing.result()
                    os.fsync(file.fileno())
                    self._restore(file)
                except OSError as error:
                    raise ReportError(f"the journal {self.path} cannot be written: {error}") from error

    def _restore(self, file: FileIO) -> None:
        """Write the file again where somebody deleted it meanwhile: its answers were paid for."""
        if os.fstat(file.fileno()).st_nlink:
            return
        make_private_folder(self.path.parent)
        file.seek(0)
        with open_privately(self.path) as again:
            again.write(file.readall())

    def _read(self, entry: _Entry) -> Record:
        assert self._file is not None, "the journal is closed"
        self._file.seek(entry.position)
        record = Record.from_line(self._file.read(entry.size))
        if record is None:
            raise InputError(f"{self.path} was changed while it was being read")
        return record

    def _index(self, file: FileIO) -> None:
        line = b""
        with os.fdopen(os.dup(file.fileno()), "rb") as lines:
            lines.seek(0)
            for line in lines:
                self._take(line)
        if self.is_writing and line and not line.endswith(b"\n"):
            # A record that was cut off was never acknowledged: it goes, so that no later line heals it.
            self._end -= len(line)
            file.truncate(self._end)

    def _take(self, line: bytes) -> None:
        record = Record.from_line(line) if line.endswith(b"\n") else None
        if line.endswith(b"\n"):
            self.chain.follow(line)
        if record is None:
            self.torn += 1
        else:
            self._entries[record.key] = _Entry(self._end, len(line), record.request, record.answer is None)
        self._end += len(line)


def is_being_written(path: Path) -> bool:
    """Tell whether a process has the journal open for writing."""
    if not path.exists():
        return False
    try:
        _lock(path).close()
    except (InputError, OSError) as error:
        return isinstance(error, InputError)  # who may not write there cannot tell: nobody else is likely to
    return False


def _settle(syncing: Future[None], file: int) -> None:
    """Put a file on the disk for good; the future holds what went wrong."""
    try:
        os.fsync(file)
    except OSError as error:
        syncing.set_exception(error)
    else:
        syncing.set_result(None)
    finally:
        os.close(file)


def _lock(path: Path) -> FileIO:
    """Return the file for reading and appending, kept from other writers."""
    file = open_privately(path)
    try:
        import fcntl  # noqa: PLC0415 - not on every system

        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except ImportError:
        pass
    except OSError as error:
        file.close()
        raise InputError(f"{path.parent.name} is being written by another process") from error
    return file
