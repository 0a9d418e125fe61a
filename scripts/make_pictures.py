"""Make the pictures of the README from real runs: the end of a report at a terminal, and the page.

    python scripts/make_pictures.py

Runs the example suite with the baseline and writes docs/images. The page needs chromium and aiohttp.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from html import escape
from pathlib import Path

PROJECT = Path(__file__).parent.parent
IMAGES = PROJECT / "docs" / "images"
LINE, CHARACTER = 17, 7.85


def du_eval(*arguments: str) -> str:
    """Return what du-eval prints."""
    command = [sys.executable, "-m", "du_eval.cli", *arguments]
    done = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, check=False)
    return done.stdout


def terminal(command: str, lines: list[str]) -> str:
    """Return a terminal with a command and its output as SVG."""
    shown = [f"$ {command}", *lines]
    width = round(max(len(line) for line in shown) * CHARACTER) + 40
    height = len(shown) * LINE + 54
    texts = "\n".join(
        f'<text x="20" y="{48 + number * LINE}" fill="{"#8fb0ff" if number == 0 else "#e8e9ec"}" '
        f'xml:space="preserve">{escape(line)}</text>'
        for number, line in enumerate(shown)
    )
    dots = "".join(f'<circle cx="{22 + 18 * n}" cy="18" r="5.5" fill="#5a606c"/>' for n in range(3))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
        'font-family="ui-monospace, Menlo, Consolas, monospace" font-size="13">\n'
        f'<rect width="100%" height="100%" rx="10" fill="#14161a"/>{dots}\n{texts}\n</svg>\n'
    )


def main() -> None:
    """Write the pictures."""
    IMAGES.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "report.html"
        text = du_eval(
            "test", "-q", "--no-output", "--no-journal", "--html", str(page), "--label", "baseline"
        )
        lines = text.splitlines()
        start = next(n for n, line in enumerate(lines) if " COMMANDS F1 " in line)
        kept = [line for line in lines[start:] if not line.startswith("signature")]
        (IMAGES / "terminal.svg").write_text(terminal("du-eval test", kept), encoding="utf-8")
        pictures = [sys.executable, str(PROJECT / "benchmarks" / "page_in_browser.py"), str(page)]
        subprocess.run([*pictures, "--pictures", folder], check=True)
        (IMAGES / "report.png").write_bytes((Path(folder) / "light.png").read_bytes())


if __name__ == "__main__":
    main()
