"""A viewer in a thread, and runs to look at."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from du_eval.runs.store import RunStore
from du_eval.viewer.access import Access
from du_eval.viewer.library import Library
from du_eval.viewer.server import make_application, open_socket, serve


@contextmanager
def viewing(root: Path, files: Mapping[str, Path] | None = None) -> Iterator[Access]:
    """Yield the access to a viewer of a folder with runs."""
    sock = open_socket(0)
    access = Access(sock.getsockname()[1])
    loop = asyncio.new_event_loop()
    application = make_application(Library(RunStore(root), files or {}), access)
    task = loop.create_task(serve(application, sock))

    def work() -> None:
        with suppress(asyncio.CancelledError):
            loop.run_until_complete(task)

    thread = threading.Thread(target=work)
    thread.start()
    try:
        yield access
    finally:
        loop.call_soon_threadsafe(task.cancel)
        thread.join(20)
        loop.run_until_complete(asyncio.sleep(0.01))  # connections that are being closed need another turn
        loop.close()
