"""Every interval that a report shows is named by its method, in the same report."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent
_METHODS = re.compile(
    r"clustered-(wilson|jaccard|student|bootstrap)|sign-flip\+(tango|student)|swaps\+bootstrap|order-statistics"
)
_SHOWN = re.compile(r"\d(–|--)\d|± ?\d|[-+]?\d[.\d]* to [-+]\d|_low\b|\| low \|")
"""0.72–1.00, in LaTeX 0.72--1.00, ±0.1, -0.5 to +0.3, or a column for the lower end."""
_FORMS = ("session.txt", ".md.txt", ".tex.txt", ".csv.txt", ".xlsx.txt", ".yml.txt", ".html.txt", ".xml.txt")
_FILES = sorted(path for path in HERE.glob("*/*/*") if path.name.endswith(_FORMS))
_DATA = sorted(HERE.glob("*/*/*.json.txt"))


def _list_reports(path: Path) -> Iterator[str]:
    """Yield the output of each command, or a file as a whole; the ranges of `plan` go from best to worst."""
    text = path.read_text(encoding="utf-8")
    yield from re.split(r"(?m)^\$ (?!du-eval plan)", text)[1:] if path.name == "session.txt" else [text]


@pytest.mark.parametrize("path", _FILES, ids=lambda path: "-".join(path.parts[-3:]))
def test_a_report_that_shows_an_interval_names_its_method(path: Path) -> None:
    for report in _list_reports(path):
        assert not _SHOWN.search(report) or _METHODS.search(report), report.partition("\n")[0]


def _list_unnamed(value: Any, within: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield objects with an interval that neither they nor the object around them name a method for."""
    if isinstance(value, dict):
        if value.get("interval") is not None and not (value.get("method") or within.get("method")):
            yield value
        for item in value.values():
            yield from _list_unnamed(item, value)
    elif isinstance(value, list):
        for item in value:
            yield from _list_unnamed(item, within)


@pytest.mark.parametrize("path", _DATA, ids=lambda path: "-".join(path.parts[-3:]))
def test_a_figure_in_data_with_an_interval_has_a_method(path: Path) -> None:
    found = json.loads(path.read_text(encoding="utf-8"))
    assert not list(_list_unnamed(found, {}))


def test_every_activity_has_reports_with_intervals() -> None:
    activities = {path.parts[-3] for path in _FILES if any(map(_SHOWN.search, _list_reports(path)))}
    assert activities == {"test", "e2e", "agent", "quality", "protocol", "metrics"}
