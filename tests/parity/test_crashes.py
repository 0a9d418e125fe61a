"""Inputs on which some reader once crashed: each ends in a clear error, or is read."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.calling import Answer, Caller

pytestmark = pytest.mark.parity

Calls = list[tuple[str, ...]]
CASES = Path(__file__).parents[2] / "dialogue_understanding_tests/pizza/cancellations"
RUN = "20261116-111342-138-c87b"


@pytest.fixture
def call(
    parity_data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[[str, str, Calls], list[Answer]]:
    """Return a function that puts every crash file of a kind in a place, and makes calls for each."""
    files = parity_data / "oracles" / "crashes"
    if not files.is_dir():
        pytest.skip("DU_EVAL_PARITY_DATA does not name a folder with recorded behaviour")
    monkeypatch.chdir(tmp_path)
    ask = Caller(capsys)

    def feed(kind: str, place: str, calls: Calls) -> list[Answer]:
        found = sorted(files.glob(f"{kind}_*"))
        assert found, f"no crash files of the kind {kind}"
        answers = []
        for file in found:
            Path(place).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, place)
            for words in calls:
                answer = ask(*words)
                assert answer.code in {0, 1, 2, 3, 5}, f"{file.name}, {' '.join(words)}: {answer.err}"
                assert "internal error" not in answer.err
                assert "Usage:" not in answer.err, answer.err
                answers.append(answer)
        return answers

    return feed


Feed = Callable[[str, str, Calls], list[Answer]]


def test_settings_that_are_not_utf_8_are_refused_with_file_and_line(call: Feed) -> None:
    for answer in call("config", "du-eval.yaml", [("config", "show"), ("validate",), ("test",)]):
        assert answer.code == 2
        assert "du-eval.yaml:1: is not UTF-8" in answer.err


def test_a_damaged_pyproject_is_refused_by_name(call: Feed) -> None:
    for answer in call("toml", "pyproject.toml", [("config", "show"), ("test",)]):
        assert answer.code == 2
        assert "pyproject.toml" in answer.err


def test_damaged_settings_of_quality_runs_are_refused_by_name(call: Feed) -> None:
    calls = [("quality", "run", "q.yml"), ("quality", "assess", ".", "--config", "q.yml")]
    for answer in call("qconfig", "q.yml", calls):
        assert answer.code == 2
        assert "q.yml:1: is not UTF-8" in answer.err


def test_damaged_facts_are_refused_where_they_are_read_and_where_they_are_drawn(call: Feed) -> None:
    settings = "facts: [f.yml]\npackaged_facts: false\nconversations: 1\nprobabilities: {ML-U3: 1}\n"
    Path("q.yml").write_text(settings, encoding="utf-8")
    for answer in call("facts", "f.yml", [("quality", "lint", "f.yml"), ("quality", "run", "q.yml")]):
        assert answer.code in {1, 2}
        assert "f.yml:" in answer.out + answer.err


def test_damaged_conversations_are_refused_by_name(call: Feed) -> None:
    for kind, name in (("talks", "t.txt"), ("talksjsonl", "t.jsonl")):
        for answer in call(kind, name, [("quality", "assess", name)]):
            assert answer.code == 2
            assert f"error: {name}:" in answer.err


@pytest.mark.parametrize("ending", ["json", "jsonl", "yaml"])
def test_damaged_predictions_are_refused_by_name(call: Feed, ending: str) -> None:
    for answer in call(f"rec{ending}", f"r.{ending}", [("test", str(CASES), "-g", f"recorded:r.{ending}")]):
        assert answer.code == 2
        assert f"r.{ending}:1: the record needs step" in answer.err


def test_a_damaged_journal_costs_answers_and_nothing_else(
    call: Feed, capsys: pytest.CaptureFixture[str]
) -> None:
    Caller(capsys)("test", str(CASES))
    journal = next(Path(".du-eval/runs").glob("*/journal.jsonl"))
    calls = [("runs", "ls"), ("rescore", "last"), ("test", str(CASES), "--resume", "last")]
    for kind in ("journal", "ajournal"):
        listed, _, resumed = call(kind, str(journal), calls)[:3]
        assert listed.code == 0
        assert resumed.code in {0, 1}


def test_a_damaged_manifest_or_summary_hides_no_other_run(
    call: Feed, capsys: pytest.CaptureFixture[str]
) -> None:
    Caller(capsys)("test", str(CASES))
    for kind in ("manifest", "summary"):
        calls = [("history",), ("runs", "ls"), ("runs", "show", RUN), ("report", RUN)]
        listed = call(kind, f".du-eval/runs/{RUN}/{kind}.json", calls)
        assert "accuracy" in listed[0].out
        assert "test " in listed[1].out
        assert [answer.code for answer in listed[:4]] == [0, 0, 2, 2]


@pytest.mark.parametrize("kind", ["rtest", "ragent", "re2e", "rquality"])
def test_reports_of_the_first_version_are_refused_by_name(call: Feed, kind: str) -> None:
    calls = [("report", "r.json"), ("compare", "r.json", "r.json"), ("export", "r.json", "-o", "x.csv")]
    for answer in call(kind, "r.json", calls):
        assert answer.code == 2
        assert "error: r.json: " in answer.err
    call(kind, "r.json", [("history", "--runs-dir", ".")])


def test_damaged_language_files_of_the_protocol_are_refused(call: Feed) -> None:
    for answer in call("protocol", "p.yml", [("protocol", "run", "--language", "p.yml", "--dialogues", "1")]):
        assert answer.code == 2
        assert "p.yml" in answer.err


def test_a_damaged_vector_file_is_refused_by_name(call: Feed) -> None:
    Path("v.txt").write_text("a\nb\n", encoding="utf-8")
    Path("said.txt").write_text("a b\n", encoding="utf-8")
    words = (
        "metrics",
        "said.txt",
        "--target",
        "said.txt",
        "--vectors",
        "v.npy",
        "--metrics",
        "embedding-average",
    )
    for answer in call("npy", "v.npy", [words]):
        assert answer.code == 2
        assert "v.npy: cannot be read" in answer.err
