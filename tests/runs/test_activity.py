"""A package of somebody else adds an activity, and gets everything that runs have."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

import du_eval
from tests.cli.calling import Caller
from tests.packages import install

EXAMPLE = Path(__file__).parents[2] / "examples" / "activity"
CORRECTOR = """
from pathlib import Path
RIGHT = {"helo wrld": "hello world", "I wnat a pizza": "I want a pizza", "HELLO": "HELLO"}
def correct(text):
    with Path("asked.txt").open("a") as file:
        file.write(text + chr(10))
    if text == "HELLO" and not Path("well").exists():
        raise OSError("no line")
    return RIGHT[text]
"""


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Caller:
    """Call du-eval with the example package installed, in a fresh folder."""
    install(tmp_path / "site", "activities", "spelling", "du_eval_spelling:SPELLING")
    monkeypatch.syspath_prepend(str(EXAMPLE))
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "corrector_of_a_test.py").write_text(CORRECTOR, encoding="utf-8")
    return Caller(capsys)


def test_the_package_is_small_and_names_its_entry_point() -> None:
    lines = (EXAMPLE / "du_eval_spelling" / "__init__.py").read_text(encoding="utf-8").splitlines()
    assert len(lines) <= 120
    assert 'spelling = "du_eval_spelling:SPELLING"' in (EXAMPLE / "pyproject.toml").read_text("utf-8")


def test_it_gets_reports_page_junit_intervals_and_a_gate(call: Caller) -> None:
    answer = call(
        "spelling", str(EXAMPLE / "sentences.txt"), "--html", "p.html", "--markdown", "r.md", "--junitxml", "j.xml",
        "--fail-under", "accuracy=0.9", "--label", "poor",
    )  # fmt: skip
    assert answer.code == 1, answer.err
    assert "gate failed: accuracy is 0.3333" in answer.err
    assert "sentences corrected : 0.33 (" in answer.out
    assert "poor" in Path("p.html").read_text(encoding="utf-8")
    assert "1 of 3" in Path("r.md").read_text(encoding="utf-8")
    suite, gate = ET.parse("j.xml").getroot()
    assert (suite.get("tests"), suite.get("failures")) == ("3", "2")
    assert "accuracy is 0.3333" in "".join(gate.itertext())


def test_it_goes_on_asks_nothing_twice_and_is_listed_compared_and_exported(call: Caller) -> None:
    arguments = ("spelling", str(EXAMPLE / "sentences.txt"), "--corrector", "corrector_of_a_test:correct")
    first = call(*arguments, "-n", "1")
    assert first.code == 3, first.err
    assert "OSError: no line" in first.out
    Path("well").touch()
    again = call(*arguments, "--resume", "last", "--json")
    assert again.code == 0, again.err
    assert json.loads(again.out)["summary"]["figures"]["accuracy"] == 1
    asked = Path("asked.txt").read_text(encoding="utf-8").splitlines()
    assert sorted(asked) == ["HELLO", "HELLO", "I wnat a pizza", "helo wrld"]
    assert call("spelling", str(EXAMPLE / "sentences.txt")).code == 1
    listed = call("runs", "ls").out.splitlines()
    assert [line.split()[1] for line in listed] == ["spelling", "spelling"]
    before = listed[0].split()[0]
    assert "sentences got worse" in call("compare", before, "last").out
    assert call("gate", "--baseline", before, "last").code in {0, 1}
    assert call("export", "last", "-o", "t.csv").code == 0
    assert call("report", "last", "-o", "r.html").code == 0
    assert "accuracy" in call("history").out


def test_its_runs_are_judged_again_and_verified_without_asking(call: Caller) -> None:
    Path("well").touch()
    assert (
        call("spelling", str(EXAMPLE / "sentences.txt"), "--corrector", "corrector_of_a_test:correct").code
        == 0
    )
    asked = Path("asked.txt").read_text(encoding="utf-8")
    again = call("rescore", "last", "--fail-under", "accuracy=0.9")
    assert again.code == 0, again.err
    assert "judged again" in again.out
    verified = call("verify", "--json")
    assert {one["holds"] for one in json.loads(verified.out)["findings"]} == {True}, verified.out
    assert Path("asked.txt").read_text(encoding="utf-8") == asked


def test_it_runs_from_python(call: Caller) -> None:
    run = du_eval.run("spelling", paths=[str(EXAMPLE / "sentences.txt")])
    assert run.figures["accuracy"].value == pytest.approx(1 / 3)
    assert call("verify").code == 0


def test_wrong_lines_are_all_told_with_their_places(call: Caller) -> None:
    Path("bad.txt").write_text("a\nb => c\nd\n", encoding="utf-8")
    answer = call("spelling", "bad.txt")
    assert answer.code == 2
    assert "bad.txt:1" in answer.err
    assert "bad.txt:3" in answer.err
