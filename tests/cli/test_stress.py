"""`du-eval stress` at the command line."""

from __future__ import annotations

import re
from pathlib import Path

from tests.cli.calling import Caller

SUITE = "dialogue_understanding_tests/bank/happy_path"
ROOT = Path(__file__).parents[2]


def test_accuracy_is_shown_against_the_size_of_the_catalogue(call: Caller, tmp_path: Path) -> None:
    page, text = tmp_path / "stress.html", tmp_path / "stress.md"
    answer = call(
        "stress", str(ROOT / SUITE), "--assistant", str(ROOT / "examples/bank"),
        "--flows", "5,60", "--html", str(page), "--markdown", str(text),
    )  # fmt: skip
    assert answer.code == 0
    assert re.findall(r"^ *(\d+)  +\d\.\d\d \(", answer.out, re.MULTILINE)[:2] == ["5", "60"]
    for name in ("with a near-duplicate of each flow", "in another order", "described in other words"):
        assert name in answer.out
        assert name in text.read_text(encoding="utf-8")
    assert "FLOWS MIXED UP" in answer.out
    assert "near-duplicate" in page.read_text(encoding="utf-8")


def test_an_unknown_change_is_refused_with_the_known_ones(call: Caller) -> None:
    answer = call("stress", str(ROOT / SUITE), "--changes", "shufle")
    assert answer.code == 2
    assert "unknown change 'shufle'; did you mean 'shuffle'?" in answer.err


def test_sizes_are_numbers(call: Caller) -> None:
    answer = call("stress", str(ROOT / SUITE), "--flows", "many")
    assert answer.code == 2
    assert "'many' is not a list of numbers such as 5,20,50" in answer.err
    assert call("stress", str(ROOT / SUITE), "--flows", "0,5").code == 2


def test_flows_of_another_assistant_are_the_distractors(call: Caller) -> None:
    answer = call(
        "stress", str(ROOT / SUITE), "--assistant", str(ROOT / "examples/bank"),
        "--flows", "10,18", "--changes", "distractors", "--distractors", str(ROOT / "examples/pizza"),
    )  # fmt: skip
    assert answer.code == 0
    assert "in another order" not in answer.out
