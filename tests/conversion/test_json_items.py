"""Large JSON files, item by item."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from du_eval.conversion import json_items
from du_eval.conversion.json_items import stream_items
from du_eval.errors import InputError


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "items.json"


def test_the_items_of_a_list_come_one_by_one(file: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(json_items, "_CHUNK", 7)
    items = [{"text": 'a, [b] {c} " \\ ü' * 9, "n": [1, [2]]}, {}, {"x": None}]
    file.write_text(json.dumps(items, indent=2, ensure_ascii=False), encoding="utf-8")
    assert list(stream_items(file)) == items


def test_json_lines_are_items_too(file: Path):
    file.write_text('{"a": 1}\n\n{"b": 2}\n', encoding="utf-8")
    assert list(stream_items(file)) == [{"a": 1}, {"b": 2}]


def test_lists_inside_a_list_are_items_and_so_are_lists_on_lines_of_their_own(file: Path):
    file.write_text('[["hi", "greet"], ["bye", "leave"]]', encoding="utf-8")
    assert list(stream_items(file)) == [["hi", "greet"], ["bye", "leave"]]
    file.write_text('["hi", "greet"]\n["bye", "leave"]\n', encoding="utf-8")
    assert list(stream_items(file)) == [["hi", "greet"], ["bye", "leave"]]


def test_an_empty_list_has_no_items(file: Path):
    file.write_text("[]", encoding="utf-8")
    assert list(stream_items(file)) == []


def test_what_is_not_json_is_refused_with_its_line(file: Path):
    file.write_text('[\n{"a": 1},\n{"b": oops}\n]', encoding="utf-8")
    with pytest.raises(InputError, match=r"items.json:3: not valid JSON"):
        list(stream_items(file))


def test_a_file_that_ends_too_early_is_refused(file: Path):
    file.write_text('[{"a": 1}, {"b": ', encoding="utf-8")
    with pytest.raises(InputError, match="not valid JSON"):
        list(stream_items(file))
