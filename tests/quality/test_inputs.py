"""Conversations of any number: pieces of files say what the whole says, and a large run keeps sums and a sample."""

from __future__ import annotations

import gzip
import io
import json
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from du_eval.assembly import quality_run
from du_eval.assembly.quality_run import assess_files
from du_eval.cli.ending import open_activity
from du_eval.errors import InputError
from du_eval.quality import inputs, pipeline, sources
from du_eval.quality.config import QualityConfig
from du_eval.quality.record import KIND
from du_eval.quality.sources import load_dialogues, open_source
from du_eval.runs.engine import EngineName, EngineSettings
from du_eval.runs.parts import list_damaged, read_parts

TALKS, TURNS = 30, 4


def lines(count: int = TALKS) -> bytes:
    records = [
        {
            "id": f"talk-{number}",
            "turns": [
                turn
                for place in range(TURNS)
                for turn in (
                    {"speaker": "user", "text": f"Message {place}"},
                    {
                        "speaker": "bot",
                        "text": "Where do you live?" if place > number % 5 else f"Fine {place}",
                    },
                )
            ],
        }
        for number in range(count)
    ]
    return "".join(json.dumps(one) + "\n" for one in records).encode()


def set_piece(monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    for module in (inputs, sources):
        monkeypatch.setattr(module, "PIECE", size)


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a run be large soon."""
    set_piece(monkeypatch, 7)
    for module in (pipeline, quality_run):
        monkeypatch.setattr(module, "ROWS", 40)


def assess(tmp_path: Path, name: str, engine: EngineSettings | None = None) -> Any:
    config = QualityConfig(runs_dir=str(tmp_path / "runs"), reply_tests=["ML-A7", "ML-A8"])
    opened, run = assess_files(
        config, [name], engine or EngineSettings(workers=1), partial(open_activity, config)
    )
    return opened.end(run, KIND)


def test_ranges_of_a_file_give_the_conversations_of_the_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "c.jsonl").write_bytes(b"\xef\xbb\xbf" + lines().replace(b"\n", b"\r\n\r\n"))
    (tmp_path / "c.jsonl.gz").write_bytes(gzip.compress(lines()))
    whole = load_dialogues([str(tmp_path / "c.jsonl")])
    set_piece(monkeypatch, 7)
    pieces = list(open_source([str(tmp_path / "c.jsonl")]).divide())
    assert [len(piece.read()) for piece in pieces] == [7, 7, 7, 7, 2]
    assert not any(piece.held for piece in pieces), "ranges travel, and no conversations"
    assert [one for piece in pieces for one in piece.read()] == whole
    assert load_dialogues([str(tmp_path / "c.jsonl.gz")]) == whole
    assert [one.name for one in whole[:2]] == ["talk-0", "talk-1"]


def test_rows_of_one_conversation_stay_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [f"{talk},Hi {n},Hello {n}" for talk in range(5) for n in range(3)]
    (tmp_path / "c.csv").write_text("\n".join(["conversation,prompt,reply", *rows]))
    set_piece(monkeypatch, 2)
    found = load_dialogues([str(tmp_path / "*.csv")])
    assert [(one.number, one.name, len(one.exchanges)) for one in found] == [
        (number, str(number), 3) for number in range(5)
    ]


def test_workers_check_stretches_of_a_file_and_cut_no_conversation(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    turn = '{"conversation": "%d", "speaker": "%s", "text": "%d"}'
    rows = [turn % (talk, who, n) for talk in range(9) for n in range(talk + 1) for who in ("user", "bot")]
    (tmp_path / "c.jsonl").write_text("\n\n".join([*rows, "broken", '{"turns": []}']))
    (tmp_path / "d.jsonl").write_text("\n".join(rows))
    whole = load_dialogues([str(tmp_path / "d.jsonl")])
    monkeypatch.setattr(sources, "STRETCH", 150)
    source = open_source([str(tmp_path / "d.jsonl")])
    assert len(source.pieces) > 5
    assert [one for piece in source.divide() for one in piece.read()] == whole
    assert source.replies == sum(range(10))
    with pytest.raises(InputError) as error:
        open_source([str(tmp_path / "c.jsonl")])
    assert [one.line for one in error.value.problems] == [2 * len(rows) + 1, 2 * len(rows) + 3]


def test_everything_that_is_damaged_is_told_before_the_work_begins(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"turns": 1}\n{"turns": []}\n')
    (tmp_path / "b.csv").write_text("question\nwhat\n")
    with pytest.raises(InputError) as error:
        open_source([str(tmp_path)])
    assert [(Path(one.file).name, one.line) for one in error.value.problems] == [
        ("a.jsonl", 1), ("a.jsonl", 2), ("b.csv", 2),
    ]  # fmt: skip


def test_the_folder_of_a_run_gives_its_conversations_and_no_journal(tmp_path: Path) -> None:
    for name, content in (
        ("manifest.json", b"{}"),
        ("journal.jsonl", b"{}"),
        ("conversations.jsonl", lines(2)),
    ):
        (tmp_path / name).write_bytes(content)
    assert len(load_dialogues([str(tmp_path)])) == 2


@pytest.mark.usefixtures("small")
def test_a_large_run_has_the_figures_of_all_and_the_rows_of_a_sample(tmp_path: Path) -> None:
    (tmp_path / "c.jsonl").write_bytes(lines())
    run = assess(tmp_path, str(tmp_path / "c.jsonl"))
    figure = run.figure("ML-A7")
    assert figure.measured.n == TALKS * TURNS
    assert run.totals.items == TALKS * TURNS
    assert sum(run.count_cases().values()) == TALKS
    assert len(run.cases) == 40 // TURNS
    assert any("single replies are shown of 10 conversations" in note for note in run.notes)


@pytest.mark.usefixtures("small")
def test_all_results_of_a_large_run_are_in_its_folder_with_an_index(tmp_path: Path) -> None:
    (tmp_path / "c.jsonl").write_bytes(lines())
    run = assess(tmp_path, str(tmp_path / "c.jsonl"))
    (folder,) = (tmp_path / "runs").glob("*/results")
    (part,) = read_parts(folder)
    assert (part.cases, part.results) == (TALKS, TALKS * TURNS)
    packed = gzip.decompress((folder / part.file).read_bytes()).splitlines()
    cases = [KIND.read_case(json.loads(line)) for line in packed]
    assert [case.name for case in cases] == [f"talk-{number}" for number in range(TALKS)]
    assert all(one in cases for one in run.cases)
    assert list_damaged(folder, run.totals.index) == []
    (folder / part.file).write_bytes(b"")
    assert list_damaged(folder, run.totals.index) == [f"results/{part.file}"]


def test_two_runs_over_the_same_conversations_sample_the_same_ones(
    tmp_path: Path, small: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "c.jsonl").write_bytes(lines())
    first = assess(tmp_path, str(tmp_path / "c.jsonl"))
    set_piece(monkeypatch, 4)
    assert assess(tmp_path, str(tmp_path / "c.jsonl")).cases == first.cases


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("engine", [EngineName.LOCAL, EngineName.RAY])
def test_workers_give_the_run_of_one_process(tmp_path: Path, engine: EngineName) -> None:
    (tmp_path / "c.jsonl").write_bytes(lines())
    here = assess(tmp_path, str(tmp_path / "c.jsonl"))
    there = assess(tmp_path, str(tmp_path / "c.jsonl"), EngineSettings(engine, 2))
    assert (there.cases, there.figures, there.totals) == (here.cases, here.figures, here.totals)


@pytest.mark.usefixtures("small")
def test_standard_input_is_assessed_as_it_comes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "c.jsonl").write_bytes(lines())
    stream = io.BufferedReader(io.BytesIO(lines()))
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=stream))
    assert assess(tmp_path, "-").figures == assess(tmp_path, str(tmp_path / "c.jsonl")).figures


@pytest.mark.parametrize("new", ["", '{"prompt": "a", "reply": "b"}\n', "no JSON " * 50])
def test_a_file_that_is_changed_while_it_is_read_is_an_error(tmp_path: Path, new: str) -> None:
    path = tmp_path / "talk.jsonl"
    path.write_text('{"prompt": "hello there", "reply": "hi"}\n' * 4, encoding="utf-8")
    piece = inputs.Piece(0, (str(path),), end=path.stat().st_size)
    assert len(piece.read()) == 4
    path.write_text(new, encoding="utf-8")
    with pytest.raises(InputError, match="was changed while it was being read"):
        piece.read()
