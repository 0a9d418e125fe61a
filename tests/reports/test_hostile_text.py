"""Hostile text in any field of a run of any activity stays text in every format."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
import yaml
from openpyxl import load_workbook

from du_eval.assembly.activities import ACTIVITIES, Kinds
from du_eval.errors import DuEvalError, ExitCode
from du_eval.reports.renderers.junit import render_github
from du_eval.reports.writing import Reported, render_file
from du_eval.runs.report import decode_run

GOLDEN = Path(__file__).parents[1] / "golden"
HOSTILE = (
    "</script><script>window.PWNED=1</script><img src=x onerror=PWNED>",
    "\x1b[2J\x1b]8;;http://example.com\x07\u202e\u2066\x00\x08\x9b\u2028\ufeff",
    "=cmd|' /C calc'!A1",
    "\n::set-output name=x::y\n##[error]z\r\n::error::w",
    "]]><x/>&amp;<!--",
    "\\input{/etc/passwd}\\write18{x}$_^%#{}~",
    "\n- a: !!python/object:x\n---\n| a | b |\n# [x](javascript:PWNED) ![i](http://example.com/i.png)",
    "half \ud800 \udfff",
    "__proto__",
)
RAW = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u202e\u2066\ufeff\ud800-\udfff]")
"""What must be spelled out wherever people look."""


def read_golden(activity: str) -> dict[str, Any]:
    """Return a run of an activity as it is kept."""
    if activity == "e2e":
        text = (GOLDEN / "e2e" / "formats" / "session.txt").read_text(encoding="utf-8")
        found, _ = json.JSONDecoder().raw_decode(text, text.index("\n{") + 1)
    else:
        (path,) = (GOLDEN / activity / "formats").glob("*run.json.txt")
        found = json.loads(path.read_bytes())
    return dict(found)


def replace_texts(value: Any, field: str, text: str, at: str = "") -> Any:
    """Return JSON with another text wherever a field holds one."""
    if isinstance(value, dict):
        return {name: replace_texts(one, field, text, name) for name, one in value.items()}
    if isinstance(value, list):
        return [replace_texts(one, field, text, at) for one in value]
    return text if isinstance(value, str) and at == field else value


def list_fields(value: Any, at: str = "") -> set[str]:
    """Return the names of all fields that hold a text."""
    if isinstance(value, dict):
        return {name for key, one in value.items() for name in list_fields(one, key)}
    if isinstance(value, list):
        return {name for one in value for name in list_fields(one, at)}
    return {at} if isinstance(value, str) else set()


@cache
def spoil(activity: str, text: str) -> Reported:
    """Return a run with hostile text in every field that may hold any text."""
    data, kinds = read_golden(activity), Kinds()
    for field in sorted(list_fields(data) - {"match"}):  # the name of a policy
        changed = replace_texts(data, field, text)
        try:
            run = decode_run(json.dumps(changed).encode(), "run.json", kinds)
            ACTIVITIES[activity].view(run)
            data = changed
        except DuEvalError:
            continue
    run = decode_run(json.dumps(data).encode(), "run.json", kinds)
    return Reported(run, kinds[activity], ACTIVITIES[activity].view(run), shows_prompts=True)


def check_page(page: str, plain: str) -> None:
    assert page.count("<script") == plain.count("<script")
    assert "<img" not in page
    assert not RAW.search(page)


def check_orders(text: str) -> None:
    assert not re.search(r"^\s*(?:::(?!(?:error|notice|warning) )|##\[)", text, re.MULTILINE)


def check_shown(text: str, _plain: str) -> None:
    assert not RAW.search(text)
    check_orders(text)


def check_markdown(text: str, plain: str) -> None:
    check_shown(text, plain)
    assert not re.search(r"(?<!\\)<(?:img|script)|(?<!\\)\]\(|^(?:---|# )", text, re.MULTILINE)


def check_latex(text: str, plain: str) -> None:
    check_shown(text, plain)
    assert not re.search(r"^(?!%).*\\(?:input|write)", text, re.MULTILINE)


def check_csv(text: str, plain: str) -> None:
    check_shown(text.replace("\r\n", "\n"), plain)
    cells = [cell for row in csv.reader(io.StringIO(text)) for cell in row]
    assert not [cell for cell in cells if re.match(r"\s*[=+@-](?![\d.]+$)", cell)]


def check_workbook(content: bytes, _plain: bytes) -> None:
    cells = [
        cell for sheet in load_workbook(io.BytesIO(content)) for row in sheet.iter_rows() for cell in row
    ]
    assert cells
    assert not [cell for cell in cells if cell.data_type == "f" or cell.hyperlink]


def check_xml(text: str, plain: str) -> None:
    def list_tags(one: str) -> set[str]:
        return {element.tag for element in ET.fromstring(one).iter()}

    assert list_tags(text) <= list_tags(plain)


def check_keys(found: dict[str, Any], plain: dict[str, Any]) -> None:
    assert found.keys() == plain.keys()


def check_yaml(text: str, plain: str) -> None:
    check_keys(yaml.safe_load(text), yaml.safe_load(plain))


def check_lines(text: str, _plain: str) -> None:
    assert [json.loads(line) for line in text.rstrip("\n").split("\n")]


CHECKS: dict[str, Callable[[Any, Any], None]] = {
    "csv": check_csv,
    "html": check_page,
    "json": lambda content, plain: check_keys(json.loads(content), json.loads(plain)),
    "jsonl": check_lines,
    "md": check_markdown,
    "svg": check_xml,
    "tex": check_latex,
    "txt": check_shown,
    "xlsx": check_workbook,
    "xml": check_xml,
    "yaml": check_yaml,
}
WITHOUT_CHARTS, WITH_YAML = ("test", "e2e", "agent", "protocol"), ("test", "e2e")


@pytest.mark.parametrize("ending", CHECKS)
@pytest.mark.parametrize("activity", ["test", "e2e", "agent", "quality", "protocol", "metrics"])
def test_hostile_text_stays_text_in_every_file(activity: str, ending: str) -> None:
    if (ending == "svg" and activity in WITHOUT_CHARTS) or (ending == "yaml" and activity not in WITH_YAML):
        return  # there is no such file
    plain = render_file(f"a.{ending}", spoil(activity, "plain"))
    for text in HOSTILE:
        CHECKS[ending](render_file(f"a.{ending}", spoil(activity, text)), plain)


@pytest.mark.parametrize("activity", ["test", "e2e", "agent", "quality", "protocol", "metrics"])
def test_hostile_text_gives_no_orders_to_a_build(activity: str) -> None:
    for text in HOSTILE:
        check_orders(render_github(spoil(activity, text).view, ExitCode.FAILED))
