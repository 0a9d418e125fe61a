"""The server: addresses into pages, on this machine only."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from functools import partial

from aiohttp import web
from msgspec import Struct

from du_eval.errors import ConfigError, DuEvalError, InputError
from du_eval.viewer.access import HOST, Access, add_headers, make_guard
from du_eval.viewer.corrections import Corrections
from du_eval.viewer.library import Library, UnknownRunError
from du_eval.viewer.live import Live
from du_eval.viewer.notes import Notes
from du_eval.viewer.pages import Pages


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
