"""Every activity's runs as tables and as a history, as a user gets them."""

from __future__ import annotations

import csv
import json
import shutil
from pathlib import Path

import openpyxl
import pytest

from du_eval.reports.writing import FORMATS, Reported
from tests.cli.calling import Caller

PROJECT = Path(__file__).parents[2]
FORMULA = "=1+1"
SUITE = f"""
test_cases:
  - test_case: "{FORMULA}"
    steps:
      - user: "{FORMULA}"
        commands: [CancelFlow()]
"""
BOT = f"""
class Formula:
    def get_response(self, conv_array):
        return "{FORMULA}"


def agent(text):
    return "{FORMULA}"
"""
CASE = f"""
agent: formula
direct: "formula_bot:agent"
interactions:
  - text: "{FORMULA}"
    response: {{text: {{keywords: "1+1", not_keywords: "2+2"}}}}
"""
KINDS = ("test", "e2e", "quality", "protocol", "metrics", "agent")
FIRST = {
    "test": "user_steps", "e2e": "test_cases", "quality": "replies", "protocol": "replies", "metrics": "metrics", "agent": "samples",
}  # fmt: skip


def shout(of: Reported) -> str:
    """A format of reports: a function with its line in the table, and nothing else."""
    return f"{of.run.head.kind}: {len(of.run.cases)} cases, {of.view.headline.text}!"


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a run of each activity, in which everybody says what a spreadsheet would calculate."""
    return tmp_path_factory.mktemp("reports")


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, reports: Path) -> Caller:
    monkeypatch.chdir(reports)
    monkeypatch.syspath_prepend(str(reports))
    monkeypatch.setitem(FORMATS, "shout", shout)
    caller = Caller(capsys)
    if not (reports / "nightly").exists():
        made(caller)
    return caller


def made(call: Caller) -> None:
    Path("formula_bot.py").write_text(BOT, encoding="utf-8")
    Path("suite.yml").write_text(SUITE, encoding="utf-8")
    Path("case.yaml").write_text(CASE, encoding="utf-8")
    Path("quality.yaml").write_text(
        "bot: {type: function, class: formula_bot.Formula}\njudges: {similarity: tfidf}\n", encoding="utf-8"
    )
    Path("said.txt").write_text(f"{FORMULA}\nhello there you\n" * 20, encoding="utf-8")
    tests = PROJECT / "examples/bank/tests"
    calls = [
        ("test", "suite.yml", "--no-check-flows", "-q", "--output-file", "nightly/test.json", "--label", "old"),
        ("e2e", str(tests), "--assistant", str(PROJECT / "examples/bank"), "--output-file", "nightly/e2e.json"),
        ("quality", "run", "quality.yaml", "--conversations", "1", "--prompts", "12", "--folder", "nightly/quality"),
        ("protocol", "run", "-b", "function:formula_bot.Formula", "--dialogues", "1", "--similarity", "tfidf",
         "--runs-dir", "nightly", "--label", "formula bot"),
        ("metrics", "said.txt", "--target", "said.txt", "-o", "nightly/metrics.json"),
        ("agent", "case.yaml", "--no-journal", "-o", "nightly/agent.json"),
    ]  # fmt: skip
    Path("nightly").mkdir()
    for words in calls:
        kind = words[0]
        answer = call(*words, "-o", f"{kind}.shout")
        assert answer.code in {0, 1}, (words, answer.err)
    protocol = next(folder for folder in Path("nightly").glob("2*") if folder.is_dir())
    shutil.copy(protocol / "run.json", "protocol.json")


def named(kind: str) -> str:
    return {"quality": "nightly/quality", "protocol": "protocol.json"}.get(kind, f"nightly/{kind}.json")


@pytest.mark.parametrize("kind", KINDS)
def test_a_format_that_is_one_new_function_is_written_by_every_activity_and_of_kept_runs(
    call: Caller, kind: str
) -> None:
    told = Path(f"{kind}.shout").read_text(encoding="utf-8")
    assert told.startswith(f"{kind}: ")
    assert told.endswith("!")
    for command in ("export", "report"):
        answer = call(command, named(kind), "-o", f"{command}.shout")
        assert answer.code == 0, answer.err
        assert Path(f"{command}.shout").read_text(encoding="utf-8") == told
    assert ".shout" in call("export", named(kind), "-o", "run.pdf").err


def test_only_a_page_holds_several_runs(call: Caller) -> None:
    answer = call("report", named("test"), named("agent"), "-o", "both.md")
    assert answer.code == 2
    assert "both.md: only a page (.html) holds several runs" in answer.err


@pytest.mark.parametrize("kind", KINDS)
def test_every_activity_is_exported_as_a_workbook_of_tables_without_formulas(call: Caller, kind: str) -> None:
    answer = call("export", named(kind), "-o", f"{kind}.xlsx")
    assert answer.code == 0, answer.err
    book = openpyxl.load_workbook(f"{kind}.xlsx")
    assert book.sheetnames[0] == FIRST[kind]
    cells = [cell for sheet in book for row in sheet for cell in row]
    assert {cell.data_type for cell in cells} <= {"s", "n", "b"}
    if kind not in {"e2e", "quality", "metrics"}:
        assert any(cell.value == FORMULA for cell in cells)
    assert not any(str(cell.value).startswith(("{", "[{")) for sheet in book for cell in sheet[2])


@pytest.mark.parametrize("kind", KINDS)
def test_every_activity_is_exported_as_csv_and_json_lines(call: Caller, kind: str) -> None:
    for form in ("csv", "jsonl"):
        assert call("export", named(kind), "-o", f"{kind}.{form}").code == 0
    with Path(f"{kind}.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    lines = [json.loads(line) for line in Path(f"{kind}.jsonl").read_text(encoding="utf-8").splitlines()]
    assert len(rows) == len(lines) >= 1
    assert list(rows[0]) == list(lines[0])


@pytest.mark.parametrize("kind", KINDS)
def test_every_activity_is_exported_as_parquet(call: Caller, kind: str) -> None:
    parquet = pytest.importorskip("pyarrow.parquet", reason="the extra parquet is not installed")
    for sheet in (
        openpyxl.load_workbook(f"{kind}.xlsx").sheetnames if Path(f"{kind}.xlsx").exists() else (FIRST[kind],)
    ):
        answer = call("export", named(kind), "-o", f"{kind}.parquet", "--table", sheet)
        assert answer.code == 0, answer.err
        assert parquet.read_table(f"{kind}.parquet").num_rows >= 1


def test_intervals_are_two_columns_and_details_have_tables_of_their_own(call: Caller) -> None:
    call("export", "protocol.json", "-o", "p.xlsx")
    book = openpyxl.load_workbook("p.xlsx")
    assert {"replies", "criteria", "topic_switches", "blocks", "decisions"} <= set(book.sheetnames)
    assert [cell.value for cell in book["criteria"][1]][2:6] == [
        "value",
        "value_low",
        "value_high",
        "value_n",
    ]
    call("export", "nightly/agent.json", "-o", "a.csv", "--table", "checks")
    lines = Path("a.csv").read_text(encoding="utf-8").splitlines()
    assert lines[0].startswith("case,sample,interaction,check,outcome,expected,actual")
    assert len(lines) == 3


def test_a_folder_a_kept_run_and_a_yaml_report_are_exported_too(call: Caller) -> None:
    folder = next(one for one in Path("nightly").glob("2*") if one.is_dir())
    for words in (
        (str(folder),),
        (folder.name, "--runs-dir", "nightly"),
        (folder.name[:15], "--runs-dir", "nightly"),
    ):
        answer = call("export", *words, "-o", "p.csv")
        assert answer.code == 0, (words, answer.err)
        assert "closed_ended" in Path("p.csv").read_text(encoding="utf-8")
    call("e2e", str(PROJECT / "examples/bank/tests"), "--assistant", str(PROJECT / "examples/bank"),
         "--output-file", "e2e.json")  # fmt: skip
    assert call("export", "e2e.json", "-o", "e.csv").code == 0
    assert "the balance" in Path("e.csv").read_text(encoding="utf-8")
    answer = call("export", "nowhere", "-o", "x.csv")
    assert answer.code == 2
    assert "there is no run 'nowhere'" in answer.err


def test_the_history_of_a_folder_shows_each_activity_apart(call: Caller) -> None:
    answer = call("history", "--runs-dir", "nightly", "-o", "trend.svg")
    assert answer.code == 0, answer.err
    titles = [line[3:] for line in answer.out.splitlines() if line.startswith("== ")]
    assert sorted(titles) == sorted(KINDS)
    assert "formula bot" in answer.out
    assert "more figures: --figure NAME" in answer.out
    picture = Path("trend.svg").read_text(encoding="utf-8")
    assert all(f">{kind}<" in picture for kind in KINDS)
    only = call("history", "--runs-dir", "nightly", "--kind", "protocol", "--figure", "hello_bye").out
    assert only.splitlines()[0].split() == ["run", "label", "hello_bye"]
    assert "no run has the figure 'helo_bye'; did you mean 'hello_bye'" in (
        call("history", "--runs-dir", "nightly", "--figure", "helo_bye").err
    )


def test_an_unknown_activity_has_no_history(call: Caller) -> None:
    answer = call("history", "--kind", "nonsense")
    assert answer.code == 2
    assert "choose from: test, e2e, agent, quality, protocol, metrics" in answer.err


def test_the_history_is_of_all_activities_where_no_folder_is_named(call: Caller) -> None:
    call("protocol", "run", "--dialogues", "1", "--similarity", "tfidf", "--label", "all of it")
    kinds = {run["kind"] for run in json.loads(call("history", "--json").out)["runs"]}
    assert kinds == {"test", "e2e", "metrics", "protocol"}


def test_figures_beyond_one_stay_inside_the_plot(call: Caller) -> None:
    call("history", "--runs-dir", "nightly", "--kind", "metrics", "-o", "m.svg")
    places = [
        float(part.split('"')[1]) for part in Path("m.svg").read_text(encoding="utf-8").split("cy=")[1:]
    ]
    assert places
    assert all(0 < y < 260 for y in places)
