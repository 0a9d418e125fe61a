"""Runs of which hardly anything can be said: every command says so, and none breaks."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.calling import Answer, Caller
from tests.suites.writing import SECOND_EXAMPLE

GENERATORS = """
from my_module import GOLD


def right(request):
    return GOLD.get(request.message, "SearchAndReply()")


def wrong(request):
    return "CancelFlow()"


def down(request):
    raise RuntimeError("the model is down")
"""
MANY = "test_cases:\n" + "".join(
    f"""\
  - test_case: friend {number}
    steps:
      - user: please note down a new friend
        commands:
          - StartFlow(add_contact)
"""
    for number in range(8)
)
SUITES = {"one": "seed.yml", "other": "other.yml", "many": "many.yml"}
RUNS = [
    ("one", "right"),
    ("one", "wrong"),
    ("one", "down"),
    ("other", "right"),
    ("many", "right"),
    ("many", "wrong"),
    ("many", "down"),
]
NAMES = [f"{suite}-{generator}.json" for suite, generator in RUNS]
BUG = 4


@pytest.fixture
def runs(work: Path, call: Caller) -> Path:
    """Work in a folder with runs of one conversation and of eight, all right, all wrong and all errored."""
    Path("degenerate.py").write_text(GENERATORS, encoding="utf-8")
    Path("other.yml").write_text(SECOND_EXAMPLE, encoding="utf-8")
    Path("many.yml").write_text(MANY, encoding="utf-8")
    for (suite, generator), name in zip(RUNS, NAMES, strict=True):
        call(
            "test",
            SUITES[suite],
            "-g",
            f"degenerate:{generator}",
            "--output-file",
            name,
            "-q",
            "--no-journal",
        )
        assert Path(name).exists()
    return work


def check(answer: Answer) -> Answer:
    told = answer.out + answer.err
    assert answer.code != BUG, told
    assert "nan" not in told.casefold().replace("nano", "")
    assert "inf%" not in told
    return answer


def test_any_two_runs_are_compared_or_have_nothing_in_common(runs: Path, call: Caller) -> None:
    for before in NAMES:
        for after in NAMES:
            data = json.loads(check(call("compare", before, after, "--json")).out)
            is_common = before.split("-")[0] == after.split("-")[0] and "down" not in before + after
            assert (data["accuracy"] is not None) == is_common, (before, after)


def test_several_runs_are_compared_with_one_where_some_of_them_have_nothing_to_compare(
    runs: Path, call: Caller
) -> None:
    assert check(call("compare", *NAMES)).code == 0
    assert check(call("compare", *reversed(NAMES), "--markdown")).code == 0


@pytest.mark.parametrize(
    ("before", "after", "code"),
    [
        ("one-right", "one-right", 0),
        ("one-right", "one-wrong", 0),
        ("many-right", "many-wrong", 1),
        ("many-wrong", "many-right", 0),
        ("many-right", "many-down", 3),
        ("many-down", "many-right", 3),
        ("many-down", "many-down", 3),
        ("one-right", "other-right", 3),
    ],
)
def test_a_gate_fails_on_a_proven_loss_and_has_no_verdict_where_nothing_was_judged(
    runs: Path, call: Caller, before: str, after: str, code: int
) -> None:
    answer = check(call("gate", f"{after}.json", "--baseline", f"{before}.json"))
    assert answer.code == code, answer.out + answer.err


@pytest.mark.parametrize("name", NAMES)
def test_a_run_of_any_kind_is_checked_and_planned_with(runs: Path, call: Caller, name: str) -> None:
    is_judged = "down" not in name
    checked = check(call("selfcheck", name, "--simulations", "20", "--json"))
    assert (checked.code == 0) == is_judged
    planned = check(call("plan", "--detect", "0.05", name, "--json"))
    assert planned.code == (0 if is_judged else 2)


@pytest.mark.parametrize("suite", ["seed.yml", "many.yml"])
@pytest.mark.parametrize("generator", ["wrong", "down"])
def test_where_nothing_was_right_or_judged_no_loss_of_robustness_is_proven(
    runs: Path, call: Caller, generator: str, suite: str
) -> None:
    changed = ("--perturb", "case,typos", "--levels", "0.5", "-q")
    answer = check(call("test", suite, "-g", f"degenerate:{generator}", *changed))
    assert "case: a loss is not proven" in answer.out


@pytest.mark.parametrize(
    ("suite", "told"),
    [
        ("seed.yml", "case: a loss is not proven (n=3)"),
        ("many.yml", "case: accuracy is lower from level 1 on"),
    ],
)
def test_a_loss_in_every_conversation_is_proven_in_eight_and_not_in_one(
    runs: Path, call: Caller, suite: str, told: str
) -> None:
    changed = ("--perturb", "case", "--levels", "1", "-q")
    assert told in check(call("test", suite, "-g", "degenerate:right", *changed)).out


@pytest.mark.parametrize("command", ["history", "runs ls", "compare last last", "view"])
def test_a_file_as_folder_of_runs_is_an_error(command: str, call: Caller, tmp_path: Path) -> None:
    (tmp_path / "runs").write_text("", encoding="utf-8")
    answer = call(*command.split(), "--runs-dir", str(tmp_path / "runs"))
    assert (answer.code, "--runs-dir must be a folder" in answer.err) == (2, True)
