"""What a command wrote, as text that is the same on every machine and on every day (its stop-watch stands still)."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from openpyxl import load_workbook

from du_eval import __version__

_PATTERNS = (
    (re.compile(r"\b\d{8}-\d{6}(-\d{3}-[0-9a-f]{4}|-[\w.:-]+)"), "RUN"),
    (re.compile(r"\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?"), "DATE"),
    (re.compile(r'\b(time|timestamp|hostname)="[^"]*"'), r'\1="TIME"'),
    (re.compile(rf"\b(du-eval[:/ ]){re.escape(__version__)}"), r"\1VERSION"),
    (re.compile(r"\b[0-9a-f]{64}\b"), "HASH"),
)
_DATA = re.compile(r'<script type="application/json" id="[\w-]+">(.*?)</script>', re.DOTALL)
_PLAIN_LIST = re.compile(r"\[[^\[\]{}]*\]")
_DIGITS = 6


def normal_text(text: str, folder: Path) -> str:
    """Return a text without times, ids, versions and the folder it was made in."""
    text = text.replace(str(folder), ".")
    for pattern, instead in _PATTERNS:
        text = pattern.sub(instead, text)
    return "".join(f"{line.rstrip()}\n" for line in text.splitlines())


def normal_file(path: Path, folder: Path) -> str:
    """Return a file as text: of a page its data, of a workbook its cells."""
    if path.suffix == ".xlsx":
        return normal_text(_cells(path), folder)
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".html":
        found = _DATA.findall(text)
        assert found, f"{path.name} holds no data"
        return normal_text("\n".join(map(_json, found)), folder)
    return normal_text(_json(text) if path.suffix == ".json" else text, folder)


def normal_output(text: str) -> str:
    """Return standard output, steady where it is JSON."""
    return f"{_json(text)}\n" if text.startswith("{") else text


def _json(text: str) -> str:
    """Return JSON with steady values, and with lists of plain values on one line."""
    spread = json.dumps(_steady(json.loads(text)), indent=1, ensure_ascii=False)
    return _PLAIN_LIST.sub(lambda found: re.sub(r"\n\s*", " ", found.group()), spread)


def _steady(value: Any) -> Any:
    """Return parsed JSON with numbers that do not depend on the last bits of arithmetic."""
    if isinstance(value, dict):
        return {name: _steady(item) for name, item in value.items()}
    if isinstance(value, list):
        return [_steady(item) for item in value]
    return float(f"{value:.{_DIGITS}g}") if isinstance(value, float) else value


def _cells(path: Path) -> str:
    lines = []
    for sheet in load_workbook(path):
        lines.append(f"== {sheet.title}")
        lines += [" | ".join(map(_cell, row)) for row in sheet.iter_rows(values_only=True)]
    return "\n".join(lines)


def _cell(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.{_DIGITS}g}"
    return "" if value is None else str(value).replace("\n", "⏎")
