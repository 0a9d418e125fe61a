"""What is no file, or larger than any memory, ends in a clear error, whichever command is given it."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from du_eval.conversion import json_items
from du_eval.errors import InputError
from du_eval.parsers import inputs
from du_eval.parsers.inputs import read_line, read_whole, text_blocks
from du_eval.trust import reading
from du_eval.trust.files import write_privately
from du_eval.trust.reading import MOST_BYTES, find_place, open_file, read_file
from tests.cli.calling import Caller

SUITE = str(Path(__file__).parents[2] / "dialogue_understanding_tests" / "bank" / "cancellations")
KINDS = {
    "pipe": "it is a pipe",
    "device": "it is a device",
    "loop": "",
    "long": "File name too long",
    "huge": "",
}
COMMANDS = {
    "test": ("test {}", "yml"),
    "test -g recorded": (f"test {SUITE} --no-output -g recorded:{{}}", "jsonl"),
    "test --assistant": (f"test {SUITE} --no-output --assistant {{}}", "yml"),
    "e2e": ("e2e {}", "yml"),
    "experiment": ("experiment {}", "yaml"),
    "quality run": ("quality run {}", "yaml"),
    "quality assess": ("quality assess {} --workers 1", "jsonl"),
    "quality assess, tables": ("quality assess {} --workers 1", "csv"),
    "protocol": ("protocol run --plan {}", "yml"),
    "agent": ("agent {}", "hocon"),
    "judges": ("judges measure answers {}", "jsonl"),
    "validate": ("validate {}", "yml"),
    "lint": ("lint {}", "yml"),
    "flows": ("flows {}", "yml"),
    "report": ("report {}", "json"),
    "compare": ("compare {} {}", "json"),
    "gate": ("gate {0} --baseline {0}", "json"),
    "verify": ("verify {}", "json"),
    "annotate": ("annotate {}", "json"),
    "convert intents": ("convert intents {} -o out", "csv"),
    "convert intents, JSON": ("convert intents {} -o out", "json"),
}


@pytest.fixture(autouse=True)
def never_hanging() -> Iterator[None]:
    """Turn an endless wait into a failure."""

    def give_up(*_: object) -> None:
        raise AssertionError("it hangs")

    before = signal.signal(signal.SIGALRM, give_up)
    signal.alarm(60)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.fixture
def odd(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with what is no file, under any ending."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DU_EVAL_CONFIG_DIR", str(tmp_path / "own"))
    return tmp_path


def make(kind: str, ending: str) -> str:
    path = Path(f"{'n' * 300 if kind == 'long' else kind}.{ending}")
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "device":
        path.symlink_to("/dev/zero")
    elif kind == "loop":
        path.symlink_to(path.name)
    elif kind == "huge":
        with path.open("wb") as file:
            file.truncate(1 << 40)
    return str(path)


@pytest.mark.parametrize("command", COMMANDS)
def test_what_is_no_file_is_refused_by_every_command(
    command: str, odd: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(inputs, "LONGEST_LINE", 3_000_000)
    monkeypatch.setattr(json_items, "LONGEST_ITEM", 3_000_000)
    call, (words, ending) = Caller(capsys), COMMANDS[command]
    for kind, told in KINDS.items():
        name = make(kind, ending)
        answer = call(*(word.format(name, name) for word in words.split()))
        assert answer.code in {2, 5}, (kind, answer)
        assert name in answer.err, (kind, answer)
        assert "internal" not in answer.err
        assert told in answer.err or "error: there is no run" in answer.err, (kind, answer)


def test_a_command_that_runs_may_be_read_from(tmp_path: Path) -> None:
    reader, writer = os.pipe()
    os.write(writer, b"text")
    os.close(writer)
    assert read_file(f"/dev/fd/{reader}") == b"text"
    os.close(reader)
    assert read_file(os.devnull) == b""


def test_a_file_is_read_up_to_a_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"x" * 3_000_000)
    assert read_file(path) == b"x" * 3_000_000
    monkeypatch.setattr(reading, "MOST_BYTES", 2_000_000)
    with pytest.raises(OSError, match="larger than"):
        read_file(path)
    assert MOST_BYTES == 1 << 30


def test_a_file_that_tells_no_size_is_read_up_to_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """As files of /proc do."""
    assert read_file("/proc/self/status").startswith(b"Name:")
    monkeypatch.setattr(reading, "MOST_BYTES", 10)
    with pytest.raises(OSError, match="larger than"):
        read_file("/proc/self/status")


def test_links_in_a_circle_have_a_place(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to("a")
    assert find_place(tmp_path / "a") == tmp_path / "a"
    with pytest.raises(OSError, match="symbolic links"):
        open_file(tmp_path / "a")


def test_a_line_that_nobody_could_hold_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"a\n" + b"x" * 5_000_000 + b"\n")
    assert sum(map(len, text_blocks(str(path)))) == 5_000_003
    monkeypatch.setattr(inputs, "LONGEST_LINE", 3_000_000)
    with pytest.raises(InputError, match=r"a line of more than 3,000,000 bytes"):
        list(text_blocks(str(path)))
    with path.open("rb") as file:
        assert read_line(file, "a.txt") == b"a\n"
        with pytest.raises(InputError, match=r"a line of more than 3,000,000 bytes"):
            read_line(file, "a.txt")


def test_a_packed_file_is_unpacked_up_to_a_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"line\n" * 1_000_000)
    assert len(read_whole(str(path))) == 5_000_000
    monkeypatch.setattr(inputs, "MOST_BYTES", 2_000_000)
    with pytest.raises(InputError, match="larger than"):
        read_whole(str(path))


def test_a_report_goes_into_a_pipe_that_somebody_reads_and_replaces_no_device(tmp_path: Path) -> None:
    path = tmp_path / "pipe.html"
    os.mkfifo(path)
    with pytest.raises(OSError, match="no process reads from this pipe"):
        write_privately(path, [b"page"])
    reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    write_privately(path, [b"pa", b"ge"])
    assert os.read(reader, 10) == b"page"
    os.close(reader)
    full = tmp_path / "full.html"
    full.symlink_to("/dev/full")
    with pytest.raises(OSError, match="No space left"):
        write_privately(full, [b"page"])
    assert full.is_symlink()


def test_of_many_problems_the_first_are_told_and_json_has_all(
    odd: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("rows.jsonl").write_text("no\n" * 1_500, encoding="utf-8")
    answer = Caller(capsys)("quality", "assess", "rows.jsonl", "--workers", "1", "--json")
    lines = answer.err.splitlines()
    assert len(lines) == 22
    assert lines[20:] == ["error: ... and 1,480 more", "1500 problems found (--json prints all of them)"]
    problems = json.loads(answer.out)["problems"]
    assert [problem["line"] for problem in problems] == list(range(1, 1_501))


def test_validate_prints_its_problems_as_json(odd: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert json.loads(Caller(capsys)("validate", SUITE, "--json").out) == {"problems": []}
    Path("s.yml").write_text("test_cases: [{test_case: a}]", encoding="utf-8")
    answer = Caller(capsys)("validate", "s.yml", "--json")
    assert answer.code == 2
    assert json.loads(answer.out)["problems"][0]["file"] == "s.yml"


def test_a_pipe_that_takes_the_place_of_a_file_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, before = tmp_path / "a.txt", os.stat(__file__)
    os.mkfifo(path)
    monkeypatch.setattr("os.stat", lambda *_, **__: before)  # what was there when somebody looked
    with pytest.raises(OSError, match="it is a pipe"):
        open_file(path)
