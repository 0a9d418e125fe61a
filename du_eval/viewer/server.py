"""The server: addresses into pages, on this machine only, and what each page shows."""

from __future__ import annotations

import asyncio
import socket
import time
from collections.abc import Callable, Sequence
from functools import cache, partial
from importlib.resources import files
from math import inf
from pathlib import Path
from threading import Lock

from aiohttp import web
from msgspec import Struct, field

from du_eval.assembly.experiment_files import view_kept
from du_eval.errors import ConfigError, DuEvalError, InputError
from du_eval.experiments.deciding import decide_runs
from du_eval.experiments.record import FILE as EXPERIMENT_FILE
from du_eval.experiments.record import KIND as EXPERIMENT
from du_eval.reports.renderers.page import Host, render_page
from du_eval.reports.renderers.page_parts import Json
from du_eval.reports.sections import Note, Tone, View
from du_eval.reports.views.comparison import view_comparison
from du_eval.runs.comparison import compare_runs
from du_eval.runs.record import Status
from du_eval.runs.store import StoredRun
from du_eval.viewer.access import HOST, Access, add_headers, make_guard
from du_eval.viewer.corrections import Corrections
from du_eval.viewer.library import Library, UnknownRunError
from du_eval.viewer.live import Live
from du_eval.viewer.notes import FILE as NOTES
from du_eval.viewer.notes import Notes

_SCRIPTS = ("viewer.js", "list.js", "live.js", "steps.js")
_MOST_KEPT = 8
_FRESH_SECONDS = 5
"""How long a page of a run that goes on is good enough: drawing it judges all of its answers."""


class Pages(Struct):
    """Draws pages; those that were looked at last are kept."""

    library: Library
    access: Access

    @property
    def notes(self) -> Notes:
        """What people wrote about steps."""
        return Notes(self.library)

    _kept: dict[tuple[str, ...], tuple[object, float, bytes]] = field(default_factory=dict)
    _lock: Lock = field(default_factory=Lock)

    def draw_list(self) -> bytes:
        """Return the page with all runs."""
        told: dict[str, Json] = {
            "page": "list",
            "runs": self.library.list_rows(),
            "folder": str(self.library.store.root),
        }
        return self._draw([], told)

    def draw_run(self, name: str) -> bytes:
        """Return the page of a run."""

        def draw() -> bytes:
            found = self.library.find(name)
            if isinstance(found, StoredRun) and found.manifest.kind == EXPERIMENT:
                return self._draw([view_kept(found.folder)], {"page": "experiment", "run": name})
            loaded = self.library.load(name)
            kind = loaded.whole.head.kind
            notes: dict[str, Json] = {name: self.notes.read(name)}
            corrects = kind == "test" and isinstance(found, StoredRun)
            told: dict[str, Json] = {"page": "run", "run": name, "kind": kind}
            return self._draw([loaded.view], {**told, "notes": notes, "corrects": corrects})

        return self._keep("run", (name,), draw)

    def draw_comparison(self, before: str, after: str) -> bytes:
        """Return the page of two runs, with what changed first."""

        def draw() -> bytes:
            one, other = self.library.load(before), self.library.load(after)
            found = compare_runs(one.record, other.record)
            decision = decide_runs(found, one.run, other.run)
            views = [view_comparison(found, decision), other.view, one.view]
            return self._draw(views, {"page": "comparison", "runs": ["", after, before]})

        return self._keep("comparison", (before, after), draw)

    def draw_problem(self, problem: str) -> bytes:
        """Return a page that says why there is no other."""
        return self._draw([View("No page", "", Note(problem, Tone.OPEN))], {"page": "problem"})

    def _draw(self, views: Sequence[View], told: dict[str, Json]) -> bytes:
        scripts, style = _read_assets()
        policy = f"connect-src 'self' {self.access.socket_address}"
        data: dict[str, Json] = {**told, "secret": self.access.page_secret}
        return render_page(views, Host(data, scripts, style, policy)).encode("utf-8", "replace")

    def _stamp(self, name: str) -> tuple[float, ...]:
        """Return what changes when a run is written again, and first how long it is good at least."""
        found = self.library.find(name)
        is_going = isinstance(found, StoredRun) and found.status is Status.RUNNING
        paths = (
            (
                found.folder / "run.json",
                found.folder / "manifest.json",
                found.folder / EXPERIMENT_FILE,
                found.folder / NOTES,
            )
            if isinstance(found, StoredRun)
            else (found,)
        )
        return _FRESH_SECONDS if is_going else inf, *map(_changed_at, paths)

    def _keep(self, page: str, names: tuple[str, ...], draw: Callable[[], bytes]) -> bytes:
        """Return a page, drawn once for all browsers that ask for it while it is being drawn."""
        with self._lock:
            stamps = [self._stamp(name) for name in names]
            stamp, at, known = self._kept.pop((page, *names), (None, 0.0, b""))
            if stamp != stamps or time.monotonic() - at > min(good for good, *_ in stamps):
                known, at = draw(), time.monotonic()
            self._kept[page, *names] = stamps, at, known
            while len(self._kept) > _MOST_KEPT:
                self._kept.pop(next(iter(self._kept)))
            return known


def _changed_at(path: Path) -> int:
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return 0


@cache
def _read_assets() -> tuple[tuple[str, ...], str]:
    folder = files("du_eval.viewer") / "assets"
    scripts = tuple((folder / name).read_text(encoding="utf-8") for name in _SCRIPTS)
    return scripts, (folder / "viewer.css").read_text(encoding="utf-8")


class Handlers(Struct, frozen=True):
    """What is answered at each address."""

    pages: Pages

    async def show_list(self, _: web.Request) -> web.Response:
        """Answer with all runs."""
        return await self._answer(self.pages.draw_list)

    async def show_run(self, request: web.Request) -> web.Response:
        """Answer with a run."""
        name = request.match_info["run"]
        return await self._answer(lambda: self.pages.draw_run(name))

    async def show_comparison(self, request: web.Request) -> web.Response:
        """Answer with two runs compared."""
        before, after = request.match_info["before"], request.match_info["after"]
        return await self._answer(lambda: self.pages.draw_comparison(before, after))

    async def _answer(self, draw: Callable[[], bytes]) -> web.Response:
        """Return a page, drawn beside the event loop; where it cannot be drawn, the reason."""
        status = 200
        try:
            body = await asyncio.to_thread(draw)
        except DuEvalError as error:
            body = self.pages.draw_problem(str(error))
            status = 404 if isinstance(error, UnknownRunError) else 409
        return web.Response(status=status, body=body, content_type="text/html", charset="utf-8")


def make_application(library: Library, access: Access) -> web.Application:
    """Return the viewer as an application."""
    handlers = Handlers(Pages(library, access))
    live, corrections = Live(library), Corrections(library)
    application = web.Application(middlewares=[make_guard(access)], client_max_size=256 * 1024)
    application.on_response_prepare.append(add_headers)
    application.on_shutdown.append(live.end)
    application.add_routes(
        [
            web.get("/", handlers.show_list),
            web.get("/run/{run}", handlers.show_run),
            web.get("/compare/{before}/{after}", handlers.show_comparison),
            web.get("/live", live.follow_list),
            web.get("/live/{run}", live.follow_run),
            web.post("/note", partial(_write, Notes(library).write)),
            web.post("/correct/preview", partial(_write, corrections.preview)),
            web.post("/correct/apply", partial(_write, corrections.apply)),
        ]
    )
    return application


async def _write(do: Callable[[dict[str, object]], dict[str, object]], request: web.Request) -> web.Response:
    """Do what a page asks for, beside the event loop; say why where it cannot be done."""
    try:
        told = await request.json()
        if not isinstance(told, dict):
            raise InputError("a page sends an object")
        return web.json_response(await asyncio.to_thread(do, told))
    except (ValueError, OSError) as error:
        return web.json_response({"problem": str(error)}, status=400)
    except DuEvalError as error:
        return web.json_response({"problem": str(error)}, status=409)


def open_socket(port: int) -> socket.socket:
    """Return a socket on this machine only; port 0: any that is free."""
    try:
        return socket.create_server((HOST, port))
    except OSError as error:
        raise ConfigError(
            f"port {port} cannot be opened: {error.strerror} (name another one with --port)"
        ) from error


async def serve(application: web.Application, sock: socket.socket) -> None:
    """Answer until the task is cancelled."""
    runner = web.AppRunner(application, access_log=None, shutdown_timeout=0.5)
    await runner.setup()
    try:
        await web.SockSite(runner, sock).start()
        await asyncio.Event().wait()
    finally:
        await runner.cleanup()
