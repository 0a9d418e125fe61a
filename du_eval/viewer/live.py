"""What happens in runs that go on: their journals are read on as they grow, once for all open pages."""

from __future__ import annotations

import asyncio
import re
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator
from functools import partial
from math import inf
from pathlib import Path

from aiohttp import WSMsgType, web
from msgspec import Struct, field

from du_eval.errors import InputError
from du_eval.experiments.record import KIND as EXPERIMENT
from du_eval.experiments.record import read_experiment
from du_eval.reports.renderers.page_parts import Json
from du_eval.reports.visible import make_visible
from du_eval.runs.journal import Record
from du_eval.runs.record import Status
from du_eval.runs.store import StoredRun
from du_eval.trust.reading import open_file
from du_eval.viewer.library import Library

_EVERY_SECONDS = 0.5
_MOST_A_SECOND = 20
"""How many pages are told something in a second: watching must not slow down what is watched."""
_MOST_AT_ONCE = 8_000_000
_LATEST = 20
_OUTCOME = re.compile(rb'"outcome":"(\w*)"')
"""The outcome in a line of a journal; it stands before the answer, in which anything may be."""


class Tail(Struct):
    """A journal as far as it was read."""

    path: Path
    counts: Counter[str] = field(default_factory=Counter)
    latest: deque[Json] = field(default_factory=lambda: deque(maxlen=_LATEST))
    """The last steps that did not pass."""
    _at: int = 0

    def read_on(self) -> None:
        """Read what was written since; a line that is not whole yet waits."""
        try:
            with open_file(self.path) as file:
                file.seek(self._at)
                text = file.read(_MOST_AT_ONCE)
        except OSError:
            return
        whole = text[: text.rfind(b"\n") + 1]
        self._at += len(whole)
        lines = whole.splitlines()
        outcomes = [found[1].decode() if (found := _OUTCOME.search(line)) else "" for line in lines]
        self.counts.update(outcomes)
        bad = [at for at, outcome in enumerate(outcomes) if outcome not in {"passed", ""}]
        for at in bad[-_LATEST:]:
            record = Record.from_line(lines[at])
            if record is not None:
                place = f"{record.key.case}, step {record.key.step}"
                told = record.error or str((record.answer or {}).get("text") or "")
                self.latest.appendleft([record.outcome, make_visible(place), make_visible(told[:200])])


class Live(Struct):
    """Tells pages what is new; each journal is read once, however many pages are open."""

    library: Library
    _tails: dict[str, Tail] = field(default_factory=dict)
    _heard: dict[str, tuple[float, Json]] = field(default_factory=dict)
    _lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    _lines: set[web.WebSocketResponse] = field(default_factory=set)

    async def follow_run(self, request: web.Request) -> web.WebSocketResponse:
        """Tell a page how a run goes on, until it has ended."""
        name = request.match_info["run"]
        line = await self._open(request)
        try:
            while not line.closed:
                news = await self._hear(name, partial(self._tell, name))
                await line.send_json(news)
                if not (isinstance(news, dict) and news["is_running"]):
                    break
                await self._pause(line)
        except (InputError, ConnectionError):
            pass
        finally:
            await self._close(line)
        return line

    async def follow_list(self, request: web.Request) -> web.WebSocketResponse:
        """Tell the list of runs whenever it has changed."""
        line = await self._open(request)
        before: Json = None
        try:
            while not line.closed:
                rows = await self._hear("", self._list)
                if rows != before:
                    await line.send_json({"runs": rows})
                    before = rows
                await self._pause(line)
        except (InputError, ConnectionError):
            pass
        finally:
            await self._close(line)
        return line

    async def _hear(self, name: str, find_out: Callable[[], Json]) -> Json:
        """Return what is new, found out beside the event loop, once for all pages that ask meanwhile."""
        async with self._lock:
            at, news = self._heard.get(name, (-inf, None))
            if time.monotonic() - at >= _EVERY_SECONDS / 2:
                news = await asyncio.to_thread(find_out)
                self._heard[name] = time.monotonic(), news
        return news

    async def _pause(self, line: web.WebSocketResponse) -> None:
        """Wait a little, longer if many listen; whoever closes the page ends the line."""
        try:
            message = await line.receive(timeout=max(_EVERY_SECONDS, len(self._lines) / _MOST_A_SECOND))
        except TimeoutError:
            return
        if message.type in {WSMsgType.CLOSE, WSMsgType.CLOSING, WSMsgType.CLOSED, WSMsgType.ERROR}:
            await line.close()

    async def end(self, _: web.Application) -> None:
        """Hang up on all pages: the viewer ends."""
        for line in list(self._lines):
            await self._close(line)

    async def _open(self, request: web.Request) -> web.WebSocketResponse:
        line = web.WebSocketResponse(heartbeat=20, max_msg_size=1024)
        await line.prepare(request)
        self._lines.add(line)
        return line

    async def _close(self, line: web.WebSocketResponse) -> None:
        self._lines.discard(line)
        await line.close(drain=False)

    def _list(self) -> Json:
        rows = self.library.list_rows()
        for row in rows:
            if isinstance(row, dict) and row.get("status") == Status.RUNNING:
                row["answers"] = sum(self._read(str(row["id"])).counts.values())
        return rows

    def _tell(self, name: str) -> Json:
        run = self.library.find(name)
        if not isinstance(run, StoredRun):
            return {"is_running": False}
        arms = list(self._list_arms(run))
        return {
            "is_running": run.status is Status.RUNNING,
            "steps": run.manifest.steps,
            "counts": dict(sum((tail.counts for _, tail in arms), Counter())),
            "arms": [[make_visible(label), dict(tail.counts)] for label, tail in arms]
            if len(arms) > 1
            else [],
            "latest": [one for _, tail in arms for one in tail.latest][:_LATEST],
        }

    def _list_arms(self, run: StoredRun) -> Iterator[tuple[str, Tail]]:
        """Yield the journals of a run: its own, or those of the arms of an experiment."""
        if run.manifest.kind != EXPERIMENT:
            yield run.manifest.label, self._read(run.folder.name)
            return
        for arm in read_experiment(run.folder).arms:
            yield arm.name, self._read(arm.run)

    def _read(self, name: str) -> Tail:
        found = self.library.find(name)
        assert isinstance(found, StoredRun), "only kept runs can be continued"
        tail = self._tails.setdefault(name, Tail(found.folder / "journal.jsonl"))
        tail.read_on()
        return tail
