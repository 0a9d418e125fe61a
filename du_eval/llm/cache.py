"""Answers that were paid for once: an SQLite file that several processes may share."""

from __future__ import annotations

import json
import os
import sqlite3
import time
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from msgspec import Struct

from du_eval.errors import InputError, ReportError
from du_eval.trust.files import make_private_folder

_BUSY_SECONDS = 60.0
_SCHEMA = """
CREATE TABLE IF NOT EXISTS answers (
    key TEXT PRIMARY KEY,
    model TEXT NOT NULL,
    answer TEXT NOT NULL,
    created REAL NOT NULL,
    used REAL NOT NULL
) WITHOUT ROWID
"""


class CacheEntry(Struct, frozen=True):
    """What the cache holds of one model."""

    model: str
    answers: int
    size: int
    oldest: float
    newest: float


def find_cache_folder(environment: Mapping[str, str]) -> Path:
    """Return where the cache lives: DU_EVAL_CACHE_DIR, or the user's cache folder."""
    if given := environment.get("DU_EVAL_CACHE_DIR"):
        return Path(given)
    import platformdirs  # noqa: PLC0415 - only needed where nothing was given

    try:
        return Path(platformdirs.user_cache_dir("du-eval", appauthor=False))
    except RuntimeError as error:
        raise InputError(f"no folder for the cache was found: {error} (or set DU_EVAL_CACHE_DIR)") from error


class AnswerCache:
    """Whole answers by the hash of their request."""

    def __init__(self, folder: Path, now: Callable[[], float] = time.time) -> None:
        self.path = folder / "answers.sqlite"
        self._now = now
        try:
            make_private_folder(folder)
            self._database = _opened(self.path)
        except (OSError, sqlite3.Error) as error:
            raise InputError(
                f"the cache {self.path} cannot be used: {error} (set DU_EVAL_CACHE_DIR, or --no-cache)"
            ) from error
        # A run that ends before it asks anything, because of wrong input, closes no generator.
        self._end = weakref.finalize(self, self._database.close)

    def get(self, key: str) -> dict[str, Any] | None:
        """Return the answer of a key."""
        try:
            row = self._database.execute("SELECT answer FROM answers WHERE key = ?", (key,)).fetchone()
            found = json.loads(row[0]) if row else None
        except (sqlite3.Error, ValueError, TypeError, RecursionError):
            return None  # a damaged answer is asked for again
        return found if isinstance(found, dict) else None

    def twin(self) -> AnswerCache:
        """Return another connection to the same file: one may read while the other waits to write."""
        return AnswerCache(self.path.parent, self._now)

    def put(self, key: str, model: str, answer: Mapping[str, object]) -> None:
        """Keep an answer; of several that are kept for a key the last one holds."""
        self.put_all([(key, model, answer)])

    def put_all(self, entries: Iterable[tuple[str, str, Mapping[str, Any]]]) -> None:
        """Keep answers, all at once."""
        now = self._now()
        # Escaped, as SQLite takes no half characters, which models send at times.
        rows = [(key, model, json.dumps(answer), now, now) for key, model, answer in entries]
        try:
            with self._writing():
                self._database.executemany("INSERT OR REPLACE INTO answers VALUES (?, ?, ?, ?, ?)", rows)
        except sqlite3.Error as error:
            raise ReportError(f"the cache {self.path} cannot be written: {error} (--no-cache)") from error

    def touch(self, keys: list[str]) -> None:
        """Note that answers were used, for pruning."""
        with self._writing():
            self._database.executemany(
                "UPDATE answers SET used = ? WHERE key = ?", [(self._now(), key) for key in keys]
            )

    def entries(self) -> list[CacheEntry]:
        """Return what is kept, by model."""
        rows = self._database.execute(
            "SELECT model, COUNT(*), SUM(LENGTH(answer)), MIN(created), MAX(created) "
            "FROM answers GROUP BY model ORDER BY model"
        )
        return [CacheEntry(*row) for row in rows]

    def prune(self, *, unused_seconds: float | None = None, size: int | None = None) -> int:
        """Forget answers unused for long, or the least recently used above a size; return how many."""
        count = 0
        with self._writing():
            if unused_seconds is not None:
                limit = self._now() - unused_seconds
                count += self._database.execute("DELETE FROM answers WHERE used < ?", (limit,)).rowcount
            if size is not None:
                count += self._shrink(size)
        self._compact()
        return count

    def _shrink(self, size: int) -> int:
        total, gone = 0, []
        for key, length in self._database.execute(
            "SELECT key, LENGTH(answer) FROM answers ORDER BY used DESC"
        ):
            total += length
            if total > size:
                gone.append((key,))
        self._database.executemany("DELETE FROM answers WHERE key = ?", gone)
        return len(gone)

    def clear(self, model: str = "") -> int:
        """Forget everything, or everything of one model; return how many answers."""
        with self._writing():
            if model:
                count = self._database.execute("DELETE FROM answers WHERE model = ?", (model,)).rowcount
            else:
                count = self._database.execute("DELETE FROM answers").rowcount
        self._compact()
        return count

    def close(self) -> None:
        """Close the file."""
        self._end()

    def _compact(self) -> None:
        """Give the space back to the disk, unless another process is at work."""
        try:
            self._database.execute("VACUUM")
        except sqlite3.OperationalError:
            return

    @contextmanager
    def _writing(self) -> Iterator[None]:
        # An immediate transaction waits for its turn; a deferred one may fail when it is upgraded.
        self._database.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self._database.execute("ROLLBACK")
            raise
        self._database.execute("COMMIT")


def _opened(path: Path) -> sqlite3.Connection:
    """Return a connection; switching a new file to WAL may meet another process that does the same."""
    for attempt in range(50):
        database = sqlite3.connect(path, timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False)
        try:
            database.execute("PRAGMA journal_mode=WAL")
            database.execute("PRAGMA synchronous=NORMAL")
            database.execute(_SCHEMA)
        except sqlite3.Error as error:
            database.close()
            if "locked" not in str(error) or attempt == 49:
                raise
            time.sleep(0.05)
        else:
            os.chmod(path, 0o600)
            return database
    raise AssertionError("the loop above returns or raises")
