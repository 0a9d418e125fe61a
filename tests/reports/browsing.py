"""A real browser, driven over its debugging port: what people do with a page, and what it does then."""

from __future__ import annotations

import asyncio
import shutil
import subprocess
import tempfile
from base64 import b64decode
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import aiohttp
import pytest

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
_ARGUMENTS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--remote-debugging-port=0",
)  # fmt: skip
_CODES = {
    "Tab": 9,
    "Enter": 13,
    "Escape": 27,
    "End": 35,
    "Home": 36,
    "ArrowUp": 38,
    "ArrowDown": 40,
    "ArrowRight": 39,
}
_PATIENCE_SECONDS = 120.0


class Browser:
    """One tab of a browser."""

    def __init__(self, loop: asyncio.AbstractEventLoop, socket: aiohttp.ClientWebSocketResponse) -> None:
        self._loop = loop
        self._socket = socket
        self._number = 0
        self.requests: list[str] = []
        self.complaints: list[str] = []

    def call(self, method: str, **parameters: object) -> dict[str, Any]:
        """Return what the browser answers to a command; requests and errors of the page are noted."""
        return self._loop.run_until_complete(self._call(method, parameters))

    async def _call(self, method: str, parameters: dict[str, object]) -> dict[str, Any]:
        self._number += 1
        await self._socket.send_json({"id": self._number, "method": method, "params": parameters})
        while True:
            message = await self._socket.receive_json(timeout=_PATIENCE_SECONDS)
            name, told = message.get("method"), message.get("params", {})
            if name == "Network.requestWillBeSent":
                self.requests.append(told["request"]["url"])
            elif name == "Runtime.exceptionThrown":
                self.complaints.append(str(told["exceptionDetails"].get("exception", told)))
            elif name == "Log.entryAdded" and told["entry"]["level"] == "error":
                self.complaints.append(told["entry"]["text"])
            if message.get("id") == self._number:
                return dict(message.get("result", {}))

    def open(self, page: Path | str) -> None:
        """Load a page and wait until it is drawn; forget what an earlier one did."""
        self.requests.clear()
        self.complaints.clear()
        self.call("Page.navigate", url=page if isinstance(page, str) else page.as_uri())
        self.wait_for("document.readyState === 'complete'")

    def value(self, expression: str) -> Any:
        """Return the value of an expression in the page."""
        found = self.call("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in found, found["exceptionDetails"]
        assert "result" in found, "the page went away before it answered"
        return found["result"].get("value")

    def wait_for(self, expression: str) -> None:
        """Wait until an expression in the page is true; the page may load anew meanwhile."""
        end = monotonic() + _PATIENCE_SECONDS
        while monotonic() < end:
            with suppress(AssertionError):
                if self.value(f"Boolean({expression})"):
                    return
            sleep(0.05)
        pytest.fail(f"never true: {expression}\n{self.value('document.body.innerText.slice(0, 2000)')}")

    def press(self, key: str) -> None:
        """Press a key as a person does."""
        typed = {"text": key} if len(key) == 1 else {"text": "\r"} if key == "Enter" else {}
        told = {"key": key, "windowsVirtualKeyCode": _CODES.get(key, 0), **typed}
        self.call("Input.dispatchKeyEvent", type="keyDown", **told)
        self.call("Input.dispatchKeyEvent", type="keyUp", **told)
        self.value("new Promise((done) => requestAnimationFrame(() => setTimeout(done)))")

    def find_barriers(self) -> list[str]:
        """Return what axe-core finds wrong with the page as it is shown now, each with a first place."""
        package = pytest.importorskip(
            "axe_core_python", reason="axe-core-python is not installed (pip install du-eval[dev])"
        )
        script = Path(package.__path__[0]) / "axe.min.js"
        self.call("Runtime.evaluate", expression=script.read_text(encoding="utf-8"))
        found = "axe.run().then((all) => all.violations.map((one) => one.id + ' ' + one.nodes[0].html))"
        return list(self.value(found))

    def photograph(self, path: Path) -> None:
        """Keep a picture of what the window shows."""
        path.write_bytes(b64decode(self.call("Page.captureScreenshot")["data"]))

    def look(self, width: int, *, is_dark: bool = False) -> None:
        """Choose the width of the window and the colours that the system prefers."""
        size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600}
        self.call("Emulation.setDeviceMetricsOverride", **size)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if is_dark else "light"}
        self.call("Emulation.setEmulatedMedia", features=[scheme])


@contextmanager
def browsing() -> Iterator[Browser]:
    """Yield a browser, or skip the test where none is installed."""
    if CHROMIUM is None:
        pytest.skip("no Chromium is installed (apt-get install chromium)")
    loop = asyncio.new_event_loop()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        arguments = [CHROMIUM, *_ARGUMENTS, f"--user-data-dir={profile}", "about:blank"]
        process = subprocess.Popen(arguments, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        session = None
        try:
            port = _port(Path(profile) / "DevToolsActivePort")
            session, socket = loop.run_until_complete(_connected(port))
            browser = Browser(loop, socket)
            for domain in ("Network", "Page", "Runtime", "Log"):
                browser.call(f"{domain}.enable")
            yield browser
        finally:
            if session is not None:
                with suppress(Exception):
                    loop.run_until_complete(session.close())
            process.terminate()
            process.wait(20)
            loop.close()


def _port(file: Path) -> int:
    end = monotonic() + _PATIENCE_SECONDS
    while monotonic() < end:
        if file.exists() and file.read_text().strip():
            return int(file.read_text().split()[0])
        sleep(0.05)
    pytest.skip("Chromium does not start here")


async def _connected(port: int) -> tuple[aiohttp.ClientSession, aiohttp.ClientWebSocketResponse]:
    session = aiohttp.ClientSession()
    async with session.get(f"http://127.0.0.1:{port}/json") as answer:
        target = next(one for one in await answer.json() if one["type"] == "page")
    return session, await session.ws_connect(target["webSocketDebuggerUrl"], max_msg_size=0)
