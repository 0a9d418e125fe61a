"""The HTML report: one file that opens anywhere, asks nobody, and runs nothing that a test case says."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

from du_eval.reports.comparison_data import comparison_data
from du_eval.reports.comparison_text import describe_method, explain_verdict, list_remarks
from du_eval.reports.html_data import page_run
from du_eval.runs.comparison import Comparison

_FIRST, _LAST = "page.js", "main.js"


def html_report(runs: Sequence[tuple[str, Mapping[str, Any]]], comparisons: Sequence[Comparison] = ()) -> str:
    """Return the page of one or several reported runs, and of comparisons between them."""
    data = {
        "runs": [page_run(run, name) for name, run in runs],
        "comparisons": [
            comparison_data(one)
            | {
                "reason": explain_verdict(one),
                "remarks": list_remarks(one),
                "method": describe_method(one),
            }
            for one in comparisons
        ],
    }
    return page(data)


def page(data: Mapping[str, Any]) -> str:
    """Return the page that draws some data."""
    before, after = _frame()
    return before + inert_json(data) + after


def inert_json(data: Mapping[str, Any]) -> str:
    """Return JSON that cannot end the script element it stands in, whatever texts it holds."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), default=str)
    for mark in "<>&\u2028\u2029":
        text = text.replace(mark, f"\\u{ord(mark):04x}")
    return text


@cache
def _frame() -> tuple[str, str]:
    """Return the page before and after its data; only our own style and scripts may run, by their hashes."""
    folder = files("du_eval.reports") / "page"
    style = (folder / "page.css").read_text(encoding="utf-8")
    found = {one.name: one for one in folder.iterdir() if one.name.endswith(".js")}
    names = [_FIRST, *sorted(found.keys() - {_FIRST, _LAST}), _LAST]
    scripts = [found[name].read_text(encoding="utf-8") for name in names]
    text = (folder / "page.html").read_text(encoding="utf-8")
    replacements = {
        "%STYLE_HASH%": _hash(style),
        "%SCRIPT_HASHES%": " ".join(map(_hash, scripts)),
        "%STYLE%": style,
        "%SCRIPTS%": "\n".join(f"<script>{script}</script>" for script in scripts),
    }
    for key, value in replacements.items():
        text = text.replace(key, value)
    before, _, after = text.partition("%DATA%")
    return before, after


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
