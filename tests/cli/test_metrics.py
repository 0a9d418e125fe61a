"""`du-eval metrics` as a user meets it."""

from __future__ import annotations

import gzip
import json
import zipfile
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner, Result

from du_eval.cli.metrics import metrics


@pytest.fixture
def corpus(project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    return project / "examples" / "corpus"


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep the runs of these tests in a folder of their own."""
    monkeypatch.chdir(tmp_path)


def run(*arguments: str | Path, text: bytes | None = None) -> Result:
    app = typer.Typer()
    app.command()(metrics)
    return CliRunner().invoke(app, [str(argument) for argument in arguments], input=text)


def everything(corpus: Path) -> list[str | Path]:
    return [
        "--source", corpus / "test_source.txt", "--target", corpus / "test_target.txt",
        "--train-source", corpus / "train_source.txt", "--vectors", corpus / "vectors.txt",
    ]  # fmt: skip


def test_a_file_of_responses_alone_gives_a_table_and_says_what_the_rest_needs(corpus: Path) -> None:
    result = run(corpus / "responses" / "step-8000.txt")
    assert result.exit_code == 0
    assert "distinct-1" in result.stdout
    assert "bleu-4" in result.stdout.split(" Not computed ")[1]
    assert "needs --target" in result.stdout
    assert "signature: du-eval:" in result.stdout


def test_a_folder_is_taken_in_the_order_of_its_numbers_and_compared_with_a_baseline(corpus: Path) -> None:
    result = run(corpus / "responses", *everything(corpus), "--baseline", "step-8000")
    assert result.exit_code == 0
    head = result.stdout.split("\n")[1].split()
    assert head == ["metric", "better", "step-1000", "step-2000", "step-4000", "step-8000"]
    differences = result.stdout.split(" Differences from step-8000 ")[1]
    bleu = next(line for line in differences.split("\n") if line.startswith("step-1000  bleu-4"))
    assert bleu.endswith("worse")


def test_the_original_mode_prints_the_original_table(corpus: Path) -> None:
    result = run(
        corpus / "responses" / "step-8000.txt",
        *everything(corpus),
        "--compat",
        "dialog-eval",
        "--format",
        "original",
    )
    head, row, end = result.stdout.split("\n")
    assert head.split(" ")[0] == "filename"
    assert len(head.split(" ")) == 18
    assert row.endswith(" ")
    assert row.split(" ")[12].endswith(",0,0.0")
    assert end == ""


@pytest.mark.parametrize("suffix", ["json", "csv", "md", "tex", "txt", "svg"])
def test_every_report_form_of_a_base_install_is_written(corpus: Path, tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"report.{suffix}"
    assert run(corpus / "responses", *everything(corpus), "-o", path).exit_code == 0
    text = path.read_text()
    assert "step-8000" in text
    if suffix != "svg":
        assert "embedding-greedy" in text.replace("\\", "")


def test_json_holds_every_number_with_its_n_interval_and_signature(corpus: Path) -> None:
    result = run(
        corpus / "responses" / "step-8000.txt", "--target", corpus / "test_target.txt", "--format", "json"
    )
    (file,) = json.loads(result.stdout)["extra"]["files"]
    bleu = next(one["measured"] for one in file["metrics"] if one["name"] == "bleu-4")
    assert bleu["n"] == 120
    assert bleu["interval"]["low"] < bleu["value"] < bleu["interval"]["high"]
    assert "smooth:4" in bleu["signature"]
    assert dict(file["not_computed"])["perplexity"] == "needs --causal-model"


def test_a_workbook_keeps_text_as_text(corpus: Path, tmp_path: Path) -> None:
    responses = tmp_path / "=1+1.txt"
    responses.write_text("a b\nc\n")
    assert run(responses, "-o", tmp_path / "x.xlsx").exit_code == 0
    with zipfile.ZipFile(tmp_path / "x.xlsx") as book:
        assert "<f>" not in book.read("xl/worksheets/sheet1.xml").decode()
        assert "=1+1" in book.read("xl/sharedStrings.xml").decode()


def test_a_picture_is_drawn_where_matplotlib_is_installed(corpus: Path, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="the extra plots is not installed")
    assert run(corpus / "responses", "-o", tmp_path / "x.png").exit_code == 0
    assert (tmp_path / "x.png").read_bytes().startswith(b"\x89PNG")


def test_standard_input_conversations_and_own_metrics_work(
    corpus: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = gzip.compress((corpus / "responses" / "step-8000.txt").read_bytes())
    assert run("-", "--target", corpus / "test_target.txt", "--metrics", "bleu-1", text=text).exit_code == 0
    monkeypatch.chdir(corpus)
    result = run("conversations.jsonl", "--metrics", "politeness:Politeness,bleu-1")
    assert result.exit_code == 0
    assert "politeness" in result.stdout


def test_a_metric_asked_for_by_name_that_cannot_be_computed_is_exit_code_three(corpus: Path) -> None:
    result = run(corpus / "responses" / "step-8000.txt", "--metrics", "length,coherence")
    assert result.exit_code == 3
    assert "coherence  needs --source and --vectors" in result.stdout


def test_annotations_on_github_say_error_where_a_named_metric_is_missing(
    corpus: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    result = run(corpus / "responses" / "step-8000.txt", "--metrics", "length,coherence")
    assert "::error title=du-eval::1 metrics of 1 response file; 1 not computed" in result.stderr
    assert "::error" not in run(corpus / "responses" / "step-8000.txt", "--metrics", "length").stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--metrics", "blue-4"], "did you mean 'bleu-4'"),
        (["--bleu-smoothing", "9"], "'9' is not one of"),
        (["--tokeniser", "magic"], "'magic' is not one of"),
        (["--compat", "other"], "'other' is not"),
        (["--confidence", "95"], "--confidence: must be below 1"),
        (["--t-value", "2"], "cannot be used in mode standard"),
        (["--compat", "dialog-eval", "--confidence", "0.9"], "cannot be used in mode dialog-eval"),
        (["--compat", "dialog-eval", "--train-target", "x"], "cannot be used in mode dialog-eval"),
        (["-o", "report.docx"], "the name must end with one of"),
        (["--target", "nowhere.txt"], "nowhere.txt: does not exist"),
        (["--save-vocab", "v.txt"], "there is no training data"),
    ],
)
def test_mistakes_are_explained_with_exit_code_two(corpus: Path, arguments: list[str], message: str) -> None:
    result = run(corpus / "responses" / "step-8000.txt", *arguments)
    assert result.exit_code == 2
    assert message in result.stderr


def test_a_folder_without_responses_selects_nothing(corpus: Path, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "empty" / "metrics.txt").write_text("filename\n")
    assert run(tmp_path / "empty").exit_code == 5


def test_the_vocabulary_of_the_training_data_can_be_kept(corpus: Path, tmp_path: Path) -> None:
    result = run(
        corpus / "responses" / "step-8000.txt",
        "--train-source",
        corpus / "train_source.txt",
        "--save-vocab",
        tmp_path / "v.txt",
        "--vocab-min-count",
        "5",
    )
    assert result.exit_code == 0
    words = (tmp_path / "v.txt").read_text().split("\n")
    assert words[0] == (corpus / "train_source.txt").read_text().split()[0]
    again = run(
        corpus / "responses" / "step-8000.txt",
        "--train-source",
        corpus / "train_source.txt",
        "--vocab",
        tmp_path / "v.txt",
    )
    assert again.stdout == result.stdout


def test_a_latex_table_shows_which_direction_is_better_and_explains_its_signs() -> None:
    Path("a.txt").write_text("hello you\nhow are you ?\nfine\n", encoding="utf-8")
    Path("b.txt").write_text("hello\nhello hello hello\nhello\n", encoding="utf-8")
    table = run("a.txt", "b.txt", "--baseline", "a.txt", "--format", "latex").stdout
    assert "distinct-1 & $\\uparrow$ &" in table
    assert "repetition-2 & $\\downarrow$ &" in table
    assert "$\\uparrow$ higher is better, $\\downarrow$ lower is better" in table
    assert "Differences from a" in table
    assert "p $<$ 0.05" in table


def test_a_section_of_the_configuration_sets_metrics_and_flags_of_other_activities_are_explained() -> None:
    Path("said.txt").write_text("hello there\nyes\n", encoding="utf-8")
    Path("du-eval.yaml").write_text("metrics:\n  metrics: distinct-*\n  form: csv\n", encoding="utf-8")
    result = run("said.txt")
    assert result.exit_code == 0
    assert "distinct-1" in result.stdout
    assert "length" not in result.stdout
    for flag, told in (
        ("-n", "metrics sends no requests"),
        ("--resume", "nothing to continue"),
        ("--interval", "one method"),
        ("--resamples", "one method"),
        ("-k", "no named cases"),
    ):
        refused = run("said.txt", flag, "3")
        assert refused.exit_code == 2
        assert told in refused.output


def test_no_name_of_a_file_steers_what_reads_a_table(tmp_path: Path) -> None:
    for name in ("a.txt", "\x1b[2J\u202e<img src=x>=1.txt"):
        (tmp_path / name).write_text("hello there\n", encoding="utf-8")
    tables = [tmp_path / f"table.{ending}" for ending in ("md", "tex", "csv")]
    assert run(tmp_path, *(word for table in tables for word in ("-o", table))).exit_code == 0
    for table in tables:
        text = table.read_text(encoding="utf-8")
        assert "[2J" in text
        assert "\x1b" not in text
        assert "\u202e" not in text
    assert "<img" not in tables[0].read_text(encoding="utf-8").replace("\\<img", "")
