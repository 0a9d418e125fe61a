"""Comparisons and gates at the command line."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.cli.calling import Caller


@pytest.fixture
def runs(work: Path, call: Caller) -> Path:
    """Work in a folder with the reports of a perfect and of a wrong run."""
    for name in ("perfect", "swapped"):
        call("test", "seed.yml", "-g", f"my_module:{name}", "--output-file", f"{name}.json", "-q")
    return work


def test_two_reports_are_compared_as_text_markdown_and_json(runs: Path, call: Caller) -> None:
    text = call("compare", "perfect.json", "swapped.json")
    assert text.code == 0
    assert "Undecided" in text.out
    assert re.search(r"seed\.yml:8 +mine is @adale", text.out)
    assert call("compare", "perfect.json", "swapped.json", "--markdown").out.startswith("## ")
    data = json.loads(call("compare", "perfect.json", "swapped.json", "--json").out)
    assert data["accuracy"]["difference"] == pytest.approx(-1 / 3)
    assert [step["user"] for step in data["newly_failing"]] == ["mine is @adale"]


def test_kept_runs_are_compared_by_id_and_as_last(runs: Path, call: Caller) -> None:
    ids = sorted(path.name for path in Path(".du-eval/runs").iterdir() if path.is_dir())
    data = json.loads(call("compare", ids[0], "last", "--json").out)
    assert data["after"]["name"] == ids[1]
    assert len(data["newly_failing"]) == 1


def test_a_kept_run_without_a_report_is_judged_from_its_journal(runs: Path, call: Caller) -> None:
    for report in Path(".du-eval/runs").glob("*/run.json"):
        report.unlink()
    ids = sorted(path.name for path in Path(".du-eval/runs").iterdir() if path.is_dir())
    assert len(json.loads(call("compare", *ids, "--json").out)["newly_failing"]) == 1


def test_the_ending_of_the_output_file_chooses_the_form(runs: Path, call: Caller) -> None:
    for name, start in (
        ("c.md", "## "),
        ("c.json", "{"),
        ("c.txt", "before: perfect"),
        ("c.html", "<!doctype html>"),
    ):
        assert call("compare", "perfect.json", "swapped.json", "-o", name).code == 0
        assert Path(name).read_text(encoding="utf-8").startswith(start)


def test_markdown_goes_to_its_file_and_is_printed_where_none_follows(runs: Path, call: Caller) -> None:
    answer = call(
        "compare", "perfect.json", "swapped.json", "--markdown", "c.md", "-o", "c.json", "-o", "c.txt"
    )
    assert answer.out == ""
    assert Path("c.md").read_text(encoding="utf-8").startswith("## ")
    assert Path("c.json").exists()
    assert Path("c.txt").exists()
    assert call("compare", "--markdown", "perfect.json", "swapped.json").out.startswith("## ")


def test_a_missing_or_impossible_option_is_named(runs: Path, call: Caller) -> None:
    assert "baseline is missing" in call("gate", "perfect.json").err
    answer = call("compare", "perfect.json", "swapped.json", "--alpha", "2")
    assert (answer.code, "alpha: " in answer.err) == (2, True)


def test_one_run_is_not_enough_and_a_missing_one_is_named(runs: Path, call: Caller) -> None:
    assert call("compare", "perfect.json").code == 2
    answer = call("compare", "perfect.json", "gone.json")
    assert answer.code == 2
    assert "gone.json" in answer.err
    Path("other.json").write_text("{}", encoding="utf-8")
    assert "not a run of du-eval" in call("compare", "perfect.json", "other.json").err


def test_different_suites_can_be_refused(runs: Path, call: Caller) -> None:
    text = Path("seed.yml").read_text(encoding="utf-8")
    Path("seed.yml").write_text(text.replace("SetSlot(name, Adal)", "SetSlot(name, Tom)"), encoding="utf-8")
    call("test", "seed.yml", "-g", "my_module:perfect", "--output-file", "changed.json", "-q")
    assert "the suites differ" in call("compare", "perfect.json", "changed.json").out
    assert call("compare", "perfect.json", "changed.json", "--same-suite").code == 2


def test_a_gate_says_why_it_fails(runs: Path, call: Caller) -> None:
    assert call("gate", "perfect.json", "--baseline", "perfect.json").code == 0
    answer = call("gate", "swapped.json", "--baseline", "perfect.json", "--strict")
    assert answer.code == 1
    assert "gate failed: accuracy changed by -0.333" in answer.out
    low = call("gate", "swapped.json", "--baseline", "perfect.json", "--fail-under", "f1.set_slot=0.9")
    assert low.code == 1
    assert re.search(
        r"^gate failed: f1.set_slot is .*\ncompared with the baseline: undecided: accuracy",
        low.out,
        re.MULTILINE,
    )


def test_figures_that_are_too_low_decide_about_the_exit_code(work: Path, call: Caller) -> None:
    arguments = ("test", "seed.yml", "-g", "my_module:swapped", "--no-output", "-q", "--fail-under")
    assert call(*arguments, "accuracy=0.6").code == 0
    answer = call(*arguments, "accuracy=0.6,f1.macro=0.99")
    assert answer.code == 1
    assert "gate failed: f1.macro" in answer.err
    assert call(*arguments, "acuracy=0.6").code == 2


COUNTING = """
def ask(request):
    raise SystemExit("nobody may be asked")
"""


@pytest.mark.parametrize("figures", ["acuracy=0.6", "f1.set_slt=0.6", "f2.set_slot=0.6"])
def test_an_unknown_figure_is_refused_before_anybody_is_asked(work: Path, call: Caller, figures: str) -> None:
    Path("refusing_generator.py").write_text(COUNTING, encoding="utf-8")
    arguments = ("test", "seed.yml", "-g", "refusing_generator:ask", "-q")
    answer = call(*arguments, "--fail-under", figures)
    assert answer.code == 2
    assert "unknown figure" in answer.err
    assert not Path(".du-eval").exists()
    Path("du-eval.yaml").write_text(f"fail_under: {figures}\n", encoding="utf-8")
    answer = call(*arguments)
    assert answer.code == 2
    assert "du-eval.yaml: fail_under: unknown figure" in answer.err


@pytest.mark.parametrize("command", ["rescore", "merge", "gate"])
def test_figures_are_checked_wherever_they_are_named(runs: Path, call: Caller, command: str) -> None:
    ids = sorted(path.name for path in Path(".du-eval/runs").iterdir() if path.is_dir())
    given = {
        "rescore": (ids[0],),
        "merge": tuple(ids),
        "gate": ("swapped.json", "--baseline", "perfect.json"),
    }[command]
    answer = call(command, *given, "--fail-under", "f1.set_slt=0.5")
    assert answer.code == 2
    assert "did you mean 'f1.set_slot'" in answer.err
    assert sorted(path.name for path in Path(".du-eval/runs").iterdir() if path.is_dir()) == ids


def test_a_report_file_keeps_the_label_of_its_run(work: Path, call: Caller) -> None:
    arguments = ("test", "seed.yml", "-g", "my_module:perfect", "-q", "--no-journal", "--output-file")
    call(*arguments, "a.json", "--label", "old prompt")
    call(*arguments, "b.json", "--label", "new prompt")
    text = call("compare", "a.json", "b.json").out
    assert "old prompt" in text
    assert "new prompt" in text


def test_a_comment_for_a_pull_request_has_decision_figures_changed_steps_and_a_link(
    runs: Path, call: Caller
) -> None:
    found = call(
        "compare", "perfect.json", "swapped.json", "--comment", "c.md", "--link", "https://ci.example/1"
    )
    assert found.code == 0, found.err
    text = Path("c.md").read_text(encoding="utf-8")
    assert text.startswith("## ⚠️ Cannot tell yet: swapped is 33.3 points worse so far")
    assert "| figure | perfect | swapped |" in text
    assert "Got worse: " in text
    assert "user: mine is" in text
    assert text.endswith("\n\n[Whole report](<https://ci.example/1>)\n")
