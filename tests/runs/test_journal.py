"""What a run keeps."""

from __future__ import annotations

from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from du_eval.errors import InputError, ReportError
from du_eval.runs.journal import Journal, Record
from du_eval.runs.manifest import Manifest, hash_files
from du_eval.runs.record import Key
from du_eval.runs.store import RunStore, new_run_id

KEYS = st.builds(Key, st.text(max_size=5), st.text(max_size=5), st.integers(1, 9), st.integers(1, 3))
RECORDS = st.builds(
    Record,
    KEYS,
    st.text(max_size=8),
    st.none() | st.dictionaries(st.text(max_size=3), st.text(max_size=20) | st.none(), max_size=3),
    st.just(""),
    st.sampled_from(["passed", "failed"]),
)


def record(step: int, text: str = "x", request: str = "r") -> Record:
    return Record(Key("f", "c", step), request, {"text": text}, outcome="passed")


@given(RECORDS)
def test_a_record_survives_its_line(kept: Record) -> None:
    line = kept.to_line()
    assert line.count(b"\n") == 1
    assert Record.from_line(line) == kept


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=40)
@given(st.lists(RECORDS, max_size=6), st.integers(0, 400))
def test_whatever_is_cut_off_only_whole_records_are_read(
    tmp_path: Path, kept: list[Record], cut: int
) -> None:
    path = tmp_path / "journal.jsonl"
    lines = [item.to_line() for item in kept]
    path.write_bytes(b"".join(lines)[:cut])
    whole: dict[Key, Record] = {}
    size = 0
    for item, line in zip(kept, lines, strict=True):
        size += len(line)
        if size <= cut:
            whole.pop(item.key, None)
            whole[item.key] = item
    with closing(Journal.opened(path, writing=True)) as journal:
        assert list(journal.records()) == list(whole.values())
        journal.append(record(99))
    with closing(Journal.opened(path, writing=False)) as journal:
        assert len(journal) == len({*whole, record(99).key})


def test_the_last_record_of_a_step_holds_and_only_for_its_own_question(tmp_path: Path) -> None:
    with closing(Journal.opened(tmp_path / "j", writing=True)) as journal:
        journal.append(record(1, "old"))
        journal.append(record(1, "new"))
        found = journal.find(Key("f", "c", 1), "r")
        assert found is not None
        assert found.answer == {"text": "new"}
        assert journal.find(Key("f", "c", 1), "another question") is None
        assert journal.find(Key("f", "c", 2), "r") is None


def test_only_one_process_writes_a_run(tmp_path: Path) -> None:
    with closing(Journal.opened(tmp_path / "j", writing=True)):
        with pytest.raises(InputError, match="another process"):
            Journal.opened(tmp_path / "j", writing=True)
        Journal.opened(tmp_path / "j", writing=False).close()


def test_runs_are_found_by_id_beginning_folder_and_as_the_last(tmp_path: Path) -> None:
    store = RunStore(tmp_path)
    moments = [datetime(2026, 1, day, tzinfo=UTC) for day in (1, 2, 12)]
    ids = [store.create(Manifest(new_run_id(moment, "ab"), "test", "g", {}, ())).id for moment in moments]
    assert store.find().id == ids[2]
    assert store.find("20260102").id == ids[1]
    assert store.find(str(tmp_path / ids[0])).id == ids[0]
    with pytest.raises(InputError, match="matches several runs"):
        store.find("2026")
    with pytest.raises(InputError, match="runs ls"):
        store.find("x")
    assert [run.id for run in store] == ids
    assert (tmp_path / ".gitignore").read_text() == "*\n"


def test_a_label_names_the_newest_run_that_has_it(tmp_path: Path) -> None:
    store = RunStore(tmp_path)
    for run_id, kind in [("1", "test"), ("2", "test"), ("3", "agent")]:
        store.create(Manifest(run_id, kind, "g", {}, (), label="new prompt"))
    assert store.find("new prompt").id == "3"
    assert store.find("new prompt", "test").id == "2"
    with pytest.raises(InputError, match="did you mean 'new prompt'"):
        store.find("new promt")


def test_a_run_that_ended_without_saying_so_was_killed(tmp_path: Path) -> None:
    run = RunStore(tmp_path).create(Manifest("1", "test", "g", {}, ()))
    with closing(run.journal(writing=True)) as journal:
        journal.append(Record(Key("f", "c", 1), "r", {}, outcome="failed"))
        journal.append(Record(Key("f", "c", 2), "r", {}, outcome="passed"))
        assert run.status == "running"
    assert run.status == "killed"
    assert run.outcomes() == {"f::c": "failed"}


def test_a_manifest_that_is_none_is_told(tmp_path: Path) -> None:
    (tmp_path / "1").mkdir()
    (tmp_path / "1" / "manifest.json").write_text("{}")
    with pytest.raises(InputError, match="not the manifest of a run"):
        RunStore(tmp_path).find("1")


def test_files_are_known_by_their_content(tmp_path: Path) -> None:
    file = tmp_path / "a"
    file.write_text("x")
    before = hash_files([str(file), "gone"])
    file.write_text("y")
    assert hash_files([str(file)])[str(file)] != before[str(file)]
    assert before["gone"] == ""


def test_a_disk_that_takes_nothing_for_good_is_told_though_nobody_waits_for_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(file: int) -> None:
        raise OSError("the disk is gone")

    monkeypatch.setattr("du_eval.runs.journal._SYNC_SECONDS", -1.0)
    journal = Journal.opened(tmp_path / "journal.jsonl", writing=True)
    journal.append(record(1))
    journal.append(record(2))
    monkeypatch.setattr("os.fsync", fail)

    def append_many() -> None:
        for step in range(3, 10_000):
            journal.append(record(step))

    with pytest.raises(ReportError, match="the disk is gone"):
        append_many()
    with pytest.raises(ReportError, match="the disk is gone"):
        journal.close()
