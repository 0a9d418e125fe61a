"""How an HTML report behaves in a real browser: load, search, filters, requests; and pictures of it.

    python benchmarks/page_in_browser.py report.html [--pictures folder]

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
from pathlib import Path

import aiohttp

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
    "show all steps": "document.querySelector('button[data-outcome=\"\"]').click()",
    "search 'case 12'": SEARCH.format(text="case 12"),
    "search 'contact 7'": SEARCH.format(text="contact 7"),
    "clear the search": SEARCH.format(text=""),
    "open a step": "document.querySelector('details.step').open = true",
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


async def measured(page: str, port: int, pictures: Path | None) -> None:
    async with aiohttp.ClientSession() as session:
        async with session.get(f"http://127.0.0.1:{port}/json") as answer:
            target = next(one for one in await answer.json() if one["type"] == "page")
        async with session.ws_connect(target["webSocketDebuggerUrl"], max_msg_size=0) as socket:
            tab = Tab(socket)
            for domain in ("Network", "Page", "Runtime"):
                await tab.call(f"{domain}.enable")
            await tab.call("Page.navigate", url=page)
            ready = "document.readyState === 'complete' ? done() : addEventListener('load', done)"
            await tab.value(f"new Promise((done) => {ready})")
            timing = "performance.getEntriesByType('navigation')[0]"
            print(f"load: {float(str(await tab.value(timing + '.loadEventEnd'))):.0f} ms")
            print(f"nodes: {await tab.value('document.querySelectorAll(`*`).length')}")
            for name, action in ACTIONS.items():
                print(f"{name}: {await tab.value(TIMED.format(action=action))} ms")
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


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("page", type=Path)
    parser.add_argument("--pictures", type=Path)
    arguments = parser.parse_args()
    if BROWSER is None:
        raise SystemExit("chromium is not installed")
    if arguments.pictures:
        arguments.pictures.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as profile:
        browser = subprocess.Popen(
            [BROWSER, *ARGUMENTS, f"--user-data-dir={profile}", "about:blank"], stderr=subprocess.DEVNULL
        )
        try:
            file = Path(profile) / "DevToolsActivePort"
            while not file.exists() or not file.read_text().strip():
                asyncio.run(asyncio.sleep(0.1))
            port = int(file.read_text().split()[0])
            asyncio.run(measured(arguments.page.resolve().as_uri(), port, arguments.pictures))
        finally:
            browser.terminate()
            browser.wait(10)


if __name__ == "__main__":
    main()
