"""Rows and bytes come from files, folders, patterns, packed and remote files, and all say the same."""

from __future__ import annotations

import gzip
import io
import json
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from du_eval.errors import InputError, MissingExtraError
from du_eval.parsers.conversations import exchanges
from du_eval.parsers.inputs import find_files, json_rows, read_rows

ROWS = [
    {"conversation": "a", "speaker": "user", "text": "Hi, there"},
    {"conversation": "a", "speaker": "bot", "text": "Hello"},
    {"conversation": "b", "speaker": "user", "text": "Bye"},
    {"conversation": "b", "speaker": "bot", "text": 'So "long"\nfriend'},
]
LINES = "".join(json.dumps(row) + "\n" for row in ROWS).encode()
TABLE = (
    b'conversation,speaker,text\r\na,user,"Hi, there"\r\na,bot,Hello\r\nb,user,Bye\r\n'
    b'b,bot,"So ""long""\nfriend"\r\n'
)  # fmt: skip


def write_parquet(path: Path) -> None:
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    pq.write_table(pa.Table.from_pylist(ROWS), path)


def said(name: object) -> list[tuple[str | None, str]]:
    found = exchanges(read_rows(str(name)), str(name))
    return [(one.source, one.response) for conversation in found for one in conversation]


WANTED = [("Hi, there", "Hello"), ("Bye", 'So "long" friend')]


def test_json_lines_csv_and_parquet_packed_or_not_give_the_same_exchanges(tmp_path: Path) -> None:
    (tmp_path / "c.jsonl").write_bytes(LINES)
    (tmp_path / "c.jsonl.gz").write_bytes(gzip.compress(LINES))
    (tmp_path / "c.csv").write_bytes(TABLE)
    (tmp_path / "c.csv.gz").write_bytes(gzip.compress(b"\xef\xbb\xbf" + TABLE))
    write_parquet(tmp_path / "c.parquet")
    for name in ("c.jsonl", "c.jsonl.gz", "c.csv", "c.csv.gz", "c.parquet"):
        assert said(tmp_path / name) == WANTED, name


def test_remote_files_are_read_and_listed_through_fsspec() -> None:
    fsspec = pytest.importorskip("fsspec")
    memory = fsspec.filesystem("memory")
    memory.pipe({"/logs/1.jsonl": LINES, "/logs/2.jsonl.gz": gzip.compress(LINES)})
    found = find_files("memory://logs/*", lambda _: True)
    assert [said(name) for name in found] == [WANTED, WANTED]
    with pytest.raises(InputError, match=r"memory://logs/none\.jsonl: cannot be read"):
        said("memory://logs/none.jsonl")


def test_a_remote_file_without_the_library_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "fsspec", None)
    with pytest.raises(MissingExtraError, match=r"du-eval\[remote\]"):
        said("s3://bucket/c.jsonl")


def test_parquet_without_the_library_names_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtraError, match=r"du-eval\[parquet\]"):
        said(tmp_path / "c.parquet")


def test_standard_input_is_read_as_json_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BufferedReader(io.BytesIO(LINES))))
    assert said("-") == WANTED


def test_patterns_and_folders_give_files_in_natural_order(tmp_path: Path) -> None:
    for name in ("step-10.csv", "step-9.csv", "notes.md"):
        (tmp_path / name).write_text("")
    names = [tmp_path / "step-9.csv", tmp_path / "step-10.csv"]
    assert find_files(str(tmp_path / "step-*"), lambda _: True) == list(map(str, names))
    assert find_files(str(tmp_path), lambda path: path.suffix == ".csv") == list(map(str, names))
    with pytest.raises(InputError, match="no file matches"):
        find_files(str(tmp_path / "*.jsonl"), lambda _: True)


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
def test_rows_know_their_lines_and_bytes_whatever_ends_a_line(end: bytes) -> None:
    content = end.join([b'\xef\xbb\xbf{"a": 1}', b"", b'{"a": 2}', b"[]", b"\xff", b"{"])
    rows = list(json_rows([content]))
    assert [row.line for row in rows] == [1, 3, 4, 5, 6]
    assert [str(row.values) for row in rows[2:]] == [
        "is not a JSON object",
        "is not UTF-8: the byte 0xff (convert the file to UTF-8)",
        "is not JSON: Expecting property name enclosed in double quotes",
    ]
    second = rows[1]
    (again,) = json_rows([content[second.start : second.end]], second.line - 1, second.start)
    assert again == second


def test_a_row_with_other_cells_than_the_head_is_reported_with_its_line(tmp_path: Path) -> None:
    (tmp_path / "c.csv").write_text("prompt,reply\nHi,Hello\nHi\nHi,Hello,there\n")
    with pytest.raises(InputError) as error:
        said(tmp_path / "c.csv")
    assert [problem.line for problem in error.value.problems] == [3, 4]


def test_damaged_parquet_is_an_error_with_its_name(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    (tmp_path / "c.parquet").write_bytes(b"PAR1 nothing PAR1")
    with pytest.raises(InputError, match=r"c\.parquet.*is not Parquet"):
        said(tmp_path / "c.parquet")
