#!/usr/bin/env python3
"""Make the pictures of the documentation anew, from real runs of the examples.

    python scripts/make_pictures.py [FOLDER]

Needs chromium; writes docs/images, and keeps the pages in the folder, if one is named: pages that are there
already are not made again. Everything runs on this machine, nothing is asked elsewhere.
"""

from __future__ import annotations

import asyncio
import base64
import json
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from html import escape
from pathlib import Path

PROJECT = Path(__file__).parents[1]
sys.path.insert(0, str(PROJECT / "benchmarks"))
from page_in_browser import BROWSER, Tab, browser_port, tab_of  # noqa: E402 - the benchmarks are no package

IMAGES = PROJECT / "docs" / "images"
CORPUS = PROJECT / "examples" / "corpus"
TERMINAL = ("Wrong commands", "signature:")
_WIDTH = 1280
_OPEN_FIRST = "document.querySelector('li.entry .open').click()"
_OPEN_SECOND = "document.querySelectorAll('li.entry .open')[1].click()"


@dataclass(frozen=True)
class Picture:
    """A part of a page: what is pressed before, with which heading it begins, how high it is."""

    name: str
    height: int
    page: str = ""
    """The page, where it is not called like the picture."""
    press: str = ""
    heading: str = ""


PICTURES = (
    Picture("report", 900),
    Picture("decision", 1000),
    Picture("matrix", 760, "decision", "document.querySelector('tr.step .open').click()", "Steps by arm"),
    Picture("quality", 985),
    Picture("curves", 790, "quality", heading="ML-U3 by"),
    Picture("dialogue", 900, "quality", _OPEN_FIRST, "Replies"),
    Picture("protocol", 930),
    Picture("metrics", 800, heading="Metrics"),
    Picture("endtoend", 765, press=_OPEN_SECOND, heading="Dialogues"),
)


def main() -> None:
    """Run the examples and write the pictures."""
    if BROWSER is None:
        raise SystemExit("chromium is not installed")
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        folder = Path(sys.argv[1]).resolve() if sys.argv[1:] else Path(name)
        if not (folder / "metrics.html").exists():
            run_examples(folder)
        with browser_port() as port:
            asyncio.run(photographed(folder, port))
    for path in sorted(IMAGES.iterdir()):
        print(f"{path.relative_to(PROJECT)}: {path.stat().st_size / 1000:.0f} kB")


def run_examples(folder: Path) -> None:
    """Write a page of each activity, and what du-eval test prints."""
    page = {one.name: folder / f"{one.name}.html" for one in PICTURES}
    kept = ("--runs-dir", folder / "runs")
    told = called("test", "--label", "baseline", *kept, "--html", page["report"])
    (IMAGES / "terminal.svg").write_text(terminal(told), encoding="utf-8")
    called("experiment", "examples/experiments/bank.yaml", *kept, "-q", "--html", page["decision"])
    folders = ("--folder", folder / "forgetful")
    called(
        "quality", "run", "--bot", "forgetful", "--conversations", "20", *folders, "--html", page["quality"]
    )
    called("protocol", "run", "--bot", "forgetful", "--language", "en", *kept, "--html", page["protocol"])
    called("e2e", "examples/bank/tests", *kept, "--html", page["endtoend"])
    named = ("train_source", "train_target", "vectors")
    files = [f"--{name.replace('_', '-')}={CORPUS / name}.txt" for name in named]
    pairs = ["--source", CORPUS / "test_source.txt", "--target", CORPUS / "test_target.txt"]
    compared = ("--baseline", "step-1000.txt", *kept, "--html", page["metrics"])
    called("metrics", CORPUS / "responses", *files, *pairs, *compared)


def called(*arguments: object) -> str:
    """Return what a call of du-eval prints."""
    tool = [sys.executable, "-m", "du_eval.cli", *map(str, arguments)]
    done = subprocess.run(tool, cwd=PROJECT, capture_output=True, text=True, check=False)
    if done.returncode not in {0, 1}:
        raise SystemExit(f"{' '.join(tool)}: {done.stderr}")
    return done.stdout


def terminal(printed: str) -> str:
    """Return the end of what du-eval test prints, as a picture of a terminal."""
    lines = printed.splitlines()
    first = next(place for place, line in enumerate(lines) if TERMINAL[0] in line)
    last = next(place for place, line in enumerate(lines) if line.startswith(TERMINAL[1]))
    shown = ["$ du-eval test", *lines[first:last]]
    width, height = round(7.85 * max(map(len, shown))) + 40, 48 + 17 * len(shown)
    dots = "".join(f'<circle cx="{x}" cy="18" r="5.5" fill="#5a606c"/>' for x in (22, 40, 58))
    texts = (
        f'<text x="20" y="{48 + 17 * place}" fill="{"#8fb0ff" if place == 0 else "#e8e9ec"}" '
        f'xml:space="preserve">{escape(line, quote=False)}</text>'
        for place, line in enumerate(shown)
    )
    font = 'font-family="ui-monospace, Menlo, Consolas, monospace" font-size="13"'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" {font}>\n'
        f'<rect width="100%" height="100%" rx="10" fill="#14161a"/>{dots}\n' + "\n".join(texts) + "\n</svg>\n"
    )


async def photographed(folder: Path, port: int) -> None:
    """Take all pictures with one browser."""
    async with tab_of(port) as tab:
        for picture in PICTURES:
            await take(tab, picture, folder / f"{picture.page or picture.name}.html")


async def take(tab: Tab, picture: Picture, page: Path) -> None:
    """Take one picture."""
    size = {"width": _WIDTH, "height": picture.height, "deviceScaleFactor": 1, "mobile": False}
    await tab.call("Emulation.setDeviceMetricsOverride", **size)
    await tab.call(
        "Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "light"}]
    )
    await tab.call("Page.navigate", url=page.as_uri())
    await tab.value("new Promise((done) => document.readyState === 'complete' ? done() : onload = done)")
    if picture.press:
        await tab.value(picture.press)
    await tab.value("new Promise((done) => setTimeout(done, 200))")
    hide = "document.documentElement.style.overflow = 'hidden', document.activeElement.blur()"
    await tab.value(f"{hide}, document.querySelector('nav').style.position = 'static'")
    begins = f"one.textContent.startsWith({json.dumps(picture.heading)})"
    found = f"[...document.querySelectorAll('h2')].find((one) => {begins})"
    place = found if picture.heading else "document.body"
    top = await tab.value(f"{place}.getBoundingClientRect().top + scrollY - 40")
    clip = {"x": 0, "y": max(0.0, float(str(top))), "width": _WIDTH, "height": picture.height, "scale": 1}
    shown = await tab.call("Page.captureScreenshot", format="png", clip=clip, captureBeyondViewport=True)
    await asyncio.to_thread((IMAGES / f"{picture.name}.png").write_bytes, base64.b64decode(shown["data"]))


if __name__ == "__main__":
    main()
