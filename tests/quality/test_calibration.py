"""Judges are measured on labelled data, ours and a user's."""

from __future__ import annotations

from pathlib import Path

import pytest

from du_eval.assembly.quality import build_judges
from du_eval.assembly.quality_calibrate import calibrated
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
from du_eval.quality.config import Thresholds, read_config
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


JUDGES = build_judges(read_config(None, {"judges": {"similarity": "tfidf"}}))


@pytest.mark.parametrize("kind", ["coherence", "toxicity", "stuttering"])
def test_labelled_sets_are_large_mixed_and_have_a_part_that_is_held_out(kind: str) -> None:
    found, rows = read_labelled(kind)
    assert found == kind
    assert len(rows) >= 100
    keys = [tuple(row[key] for key in ("context", "text", "reply") if key in row) for row in rows]
    assert len(set(keys)) == len(keys)
    for part in ("tuning", "held-out"):
        labels = [row["label"] for row in rows if row["part"] == part]
        assert len(labels) >= 50
        assert min(labels.count(label) for label in set(labels)) / len(labels) >= 0.3
        assert len(set(labels)) == 2


@pytest.mark.parametrize(
    ("kind", "precision", "recall", "area"),
    [("coherence", 0.45, 0.75, 0.68), ("toxicity", 0.7, 0.45, 0.65), ("stuttering", 0.85, 0.85, 0.95)],
)
def test_offline_judges_do_as_well_on_what_was_held_out_as_the_documentation_says(
    kind: str, precision: float, recall: float, area: float
) -> None:
    found = calibrated(kind, JUDGES, Thresholds())
    part = found.held_out
    assert part is not None
    assert part.point.precision >= precision
    assert part.point.recall >= recall
    assert part.area >= area
    assert found.best.f1 - found.used.f1 <= 0.02
    assert found.best_interval is not None
    assert f"held out ({part.n} items)" in calibration_text(found)


def test_a_threshold_of_the_settings_is_the_one_that_is_measured() -> None:
    found = calibrated("stuttering", JUDGES, Thresholds(stuttering=0.8))
    assert found.used.threshold == 0.8


def test_only_what_is_above_a_threshold_is_toxic_as_in_the_test() -> None:
    rows = [{"text": "a", "label": "toxic"}, {"text": "b", "label": "polite"}]
    found = calibrate_scores("toxicity", rows, [0.2, 0.1], "j", 0.1)
    assert found.accuracy.value == 1
    assert not found.mistakes


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
