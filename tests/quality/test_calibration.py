"""Judges are measured on labelled data, ours and a user's."""

from __future__ import annotations

from pathlib import Path

import pytest

from du_eval.errors import InputError
from du_eval.judges.answers import SpanAnswers
from du_eval.judges.similarity import TfidfSimilarity
from du_eval.judges.yes_no import RuleYesNo
from du_eval.quality.calibrate import (
    answer_scores,
    area_under,
    calibrate_scores,
    calibrate_yes_no,
    pair_scores,
    point_at,
    read_labelled,
)
from du_eval.reports.quality_calibration import calibration_data, calibration_text, roc_svg


def test_the_yes_no_judge_is_right_in_at_least_95_of_100_of_our_200_labelled_replies() -> None:
    kind, rows = read_labelled("yes-no")
    found = calibrate_yes_no(rows, RuleYesNo())
    assert kind == "yes-no"
    assert found.n >= 200
    assert found.accuracy.value >= 0.95
    assert found.kappa >= 0.9
    assert {row["label"] for row in rows} == {"yes", "no", "unclear"}


def test_the_offline_answer_judge_is_right_in_at_least_90_of_100_of_our_200_labelled_answers() -> None:
    _, rows = read_labelled("answers")
    judge = SpanAnswers(TfidfSimilarity())
    found = calibrate_scores("answers", rows, answer_scores(rows, judge), judge.name, judge.threshold)
    assert found.n >= 200
    assert found.accuracy.value >= 0.9
    assert found.used.precision >= 0.95
    assert found.best_interval.low <= found.best.threshold <= found.best_interval.high
    assert 0.9 <= found.area <= 1
    assert "best threshold" in calibration_text(found)
    assert calibration_data(found)["n"] == found.n
    assert roc_svg(found).startswith("<svg")


def test_a_users_pairs_are_calibrated(tmp_path: Path) -> None:
    file = tmp_path / "pairs.csv"
    file.write_text("text,other,label\na red car,a red car,same\na red car,blue sky,different\n")
    kind, rows = read_labelled(str(file))
    found = calibrate_scores(kind, rows, pair_scores(rows, TfidfSimilarity()), "tfidf", 0.5)
    assert found.accuracy.value == 1
    assert found.area == 1
    assert not found.mistakes


def test_labels_that_are_all_the_same_teach_nothing() -> None:
    with pytest.raises(InputError, match="nothing to separate"):
        calibrate_scores("similarity", [{"label": "same", "text": "a", "other": "b"}], [0.5], "j", 0.5)


def test_a_file_of_another_form_is_refused_with_the_forms(tmp_path: Path) -> None:
    file = tmp_path / "x.csv"
    file.write_text("a,b\n1,2\n")
    with pytest.raises(InputError, match="fit no kind"):
        read_labelled(str(file))
    with pytest.raises(InputError, match="cannot be read"):
        read_labelled(str(tmp_path / "none.csv"))


def test_precision_recall_and_area_are_counted_right() -> None:
    scores, labels = [0.9, 0.8, 0.3, 0.1], [True, False, True, False]
    point = point_at(0.5, scores, labels)
    assert (point.precision, point.recall, point.false_alarms, point.f1) == (0.5, 0.5, 0.5, 0.5)
    assert area_under(scores, labels) == 0.75
    assert point_at(1.0, scores, labels).precision is None
