"""How an HTML report behaves in a real browser: load, search, filters, requests; and pictures of it.

    python benchmarks/page_in_browser.py
    python benchmarks/page_in_browser.py report.html [--word WORD] [--pictures folder]

Without a page, the page of a made-up run of 10,000 steps is measured.

Needs chromium and the package aiohttp. Prints milliseconds until the next frame is drawn, and every request
that the page makes (there must be none besides itself).
"""

from __future__ import annotations

import argparse
import asyncio
import base64
import shutil
import subprocess
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from time import process_time, sleep

import aiohttp

PROJECT = Path(__file__).parents[1]
BROWSER = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
ARGUMENTS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--remote-debugging-port=0",
)  # fmt: skip
TIMED = """
(async () => {{
  const start = performance.now();
  {action};
  await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  return Math.round(performance.now() - start);
}})()
"""
SEARCH = """
  const box = document.querySelector('input[type=search]');
  box.value = '{text}';
  box.dispatchEvent(new Event('input'))"""
ACTIONS = {
    "show all rows": "document.querySelector('button[data-outcome=\"\"]').click()",
    "search a word": SEARCH.format(text="{word}"),
    "clear the search": SEARCH.format(text=""),
    "choose a filter": """
  const box = [...document.querySelectorAll('#steps select')][0];
  if (box) {{ box.selectedIndex = 1; box.dispatchEvent(new Event('change')) }}""",
    "open a row": "document.querySelector('details.step').open = true",
}
LOOKS = {
    "light": {"width": 1280, "height": 1100, "dark": False, "mobile": False},
    "dark": {"width": 1280, "height": 1700, "dark": True, "mobile": False},
    "phone": {"width": 390, "height": 1700, "dark": False, "mobile": True},
}


class Tab:
    """One page of the browser, driven over its debugging port."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self.socket = socket
        self.number = 0
        self.requests: list[str] = []

    async def call(self, method: str, **parameters: object) -> dict:
        self.number += 1
        await self.socket.send_json({"id": self.number, "method": method, "params": parameters})
        while True:
            message = await self.socket.receive_json(timeout=60)
            if message.get("method") == "Network.requestWillBeSent":
                self.requests.append(message["params"]["request"]["url"])
            if message.get("id") == self.number:
                return message.get("result", {})

    async def value(self, expression: str) -> object:
        found = await self.call(
            "Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True
        )
        return found["result"].get("value", found)


async def measured(page: str, port: int, word: str, pictures: Path | None) -> None:
    async with tab_of(port) as tab:
        for domain in ("Network", "Page", "Runtime"):
            await tab.call(f"{domain}.enable")
        await tab.call("Page.navigate", url=page)
        ready = "document.readyState === 'complete' ? done() : addEventListener('load', done)"
        await tab.value(f"new Promise((done) => {ready})")
        timing = "performance.getEntriesByType('navigation')[0]"
        print(f"load: {float(str(await tab.value(timing + '.loadEventEnd'))):.0f} ms")
        print(f"nodes: {await tab.value('document.querySelectorAll(`*`).length')}")
        for name, action in ACTIONS.items():
            print(f"{name}: {await tab.value(TIMED.format(action=action.format(word=word)))} ms")
        print(f"requests besides the page: {tab.requests[1:] or 'none'}")
        for name, look in LOOKS.items() if pictures else ():
            await _picture(tab, look, pictures / f"{name}.png")


async def _picture(tab: Tab, look: dict, path: Path) -> None:
    size = {
        "width": look["width"],
        "height": look["height"],
        "deviceScaleFactor": 1,
        "mobile": look["mobile"],
    }
    await tab.call("Emulation.setDeviceMetricsOverride", **size)
    scheme = {"name": "prefers-color-scheme", "value": "dark" if look["dark"] else "light"}
    await tab.call("Emulation.setEmulatedMedia", features=[scheme])
    await tab.value("scrollTo(0, 0)")
    found = await tab.call("Page.captureScreenshot", format="png")
    await asyncio.to_thread(path.write_bytes, base64.b64decode(found["data"]))


def made(folder: Path) -> dict[str, Path]:
    """Write the page of a made-up run of 10,000 steps."""
    from compare import made_up

    from du_eval.reports.renderers.page import render_page
    from du_eval.reports.views.test import view_test

    run = made_up(10_000, 0.9, 3)
    start = process_time()
    text = render_page([view_test(run)])
    print(f"test: {process_time() - start:.2f} s CPU, {len(text) / 1e6:.1f} MB")
    (folder / "test.html").write_text(text, encoding="utf-8")
    return {"test": folder / "test.html"}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("page", type=Path, nargs="?")
    parser.add_argument("--word", default="card")
    parser.add_argument("--pictures", type=Path)
    arguments = parser.parse_args()
    if BROWSER is None:
        raise SystemExit("chromium is not installed")
    if arguments.pictures:
        arguments.pictures.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        words = {"test.json": "card", "quality": "garden", "agents.json": "apple"}
        pages = {"page": arguments.page} if arguments.page else made(Path(folder))
        for name, page in pages.items():
            print(f"\n{name}")
            word = words.get(name, arguments.word)
            with browser_port() as port:
                asyncio.run(measured(page.resolve().as_uri(), port, word, arguments.pictures))


@contextmanager
def browser_port() -> Iterator[int]:
    """Start a browser and yield the port by which it is driven."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        arguments = [str(BROWSER), *ARGUMENTS, f"--user-data-dir={profile}", "about:blank"]
        browser = subprocess.Popen(arguments, stderr=subprocess.DEVNULL)
        try:
            file = Path(profile) / "DevToolsActivePort"
            while not file.exists() or not file.read_text().strip():
                if browser.poll() is not None:
                    raise SystemExit("chromium does not start")
                sleep(0.1)
            yield int(file.read_text().split()[0])
        finally:
            browser.terminate()
            browser.wait(10)


@asynccontextmanager
async def tab_of(port: int) -> AsyncIterator[Tab]:
    """Connect with the first page of a browser."""
    async with aiohttp.ClientSession() as session:
        async with session.get(f"http://127.0.0.1:{port}/json") as answer:
            target = next(one for one in await answer.json() if one["type"] == "page")
        async with session.ws_connect(target["webSocketDebuggerUrl"], max_msg_size=0) as socket:
            yield Tab(socket)


if __name__ == "__main__":
    main()
