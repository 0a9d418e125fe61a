"""The comparison of two real runs of the official tool holds when it is checked by hand."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from du_eval.evaluation.comparison import Comparison, compared
from du_eval.reports.comparison_text import comparison_text
from du_eval.reports.data import DataReporter
from du_eval.reports.saved import record_of
from du_eval.statistics.verdict import Verdict
from tests.parity.test_rasa_runs import _evaluation

pytestmark = pytest.mark.parity


@pytest.fixture(scope="module")
def runs(parity_data: Path) -> list[dict[str, Any]]:
    return json.loads((parity_data / "oracles" / "rasa_runs.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def comparison(runs: list[dict[str, Any]], tmp_path_factory: pytest.TempPathFactory) -> Comparison:
    records = []
    for number, run in enumerate(runs):
        evaluation = _evaluation(run, tmp_path_factory.mktemp(f"run{number}"))
        data = json.loads(json.dumps(DataReporter().everything(evaluation)))
        records.append(record_of(data, f"run {number}"))
    return compared(*records)


def by_place(run: dict[str, Any]) -> dict[tuple[str, str, str, int, int], bool]:
    """Return the verdicts by file name, case, message, size of the expectation, and occurrence.

    The three steps whose expectation was changed between the runs lost or gained a command.
    """
    seen: Counter[tuple[str, str, str, int]] = Counter()
    found = {}
    for step in run["steps"]:
        key = Path(step["file"]).name, step["test_case"], step["user"], len(step["expected"])
        seen[key] += 1
        found[*key, seen[key]] = step["passed"]
    return found


def test_the_lists_are_those_that_a_person_finds(comparison: Comparison, runs: list[dict[str, Any]]) -> None:
    first, second = by_place(runs[0]), by_place(runs[1])
    common = first.keys() & second.keys()
    worse = sorted(key[2] for key in common if first[key] and not second[key])
    better = sorted(key[2] for key in common if second[key] and not first[key])
    assert comparison.overlap.common == len(common)
    assert comparison.overlap.only_after + comparison.overlap.asked_otherwise == len(second) - len(common)
    assert comparison.overlap.asked_otherwise == 3
    assert sorted(change.after.message for change in comparison.worse) == worse
    assert sorted(change.after.message for change in comparison.better) == better


def test_the_verdict_is_the_one_of_the_exact_test(comparison: Comparison) -> None:
    from scipy.stats import binomtest

    split = len(comparison.better), len(comparison.worse)
    p = binomtest(split[0], sum(split)).pvalue
    assert comparison.mcnemar_p == pytest.approx(p)
    expected = (
        Verdict.UNDECIDED if p >= 0.05 else (Verdict.IMPROVED if split[0] > split[1] else Verdict.REGRESSED)
    )
    assert comparison.verdict is expected


def test_the_difference_of_f1_is_that_of_the_official_scores(
    comparison: Comparison, runs: list[dict[str, Any]]
) -> None:
    official = [run["official"]["command_metrics"] for run in runs]
    for change in comparison.commands:
        if change.f1.name in {"knowledge", "chitchat", "skip question"}:
            assert change.f1.before == pytest.approx(official[0][change.f1.name]["f1_score"], abs=0.02)
            assert change.f1.after == pytest.approx(official[1][change.f1.name]["f1_score"], abs=0.02)


def test_the_text_says_that_the_suite_was_renamed(comparison: Comparison) -> None:
    text = comparison_text(comparison)
    assert "dialogue_understanding_tests_compressed_dsl" in text
    assert "NEWLY FAILING" in text
