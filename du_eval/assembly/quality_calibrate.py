"""A labelled file and settings into a measured judge."""

from __future__ import annotations

from du_eval.assembly.quality import Judges
from du_eval.quality.calibrate import (
    Calibration,
    answer_scores,
    calibrate_scores,
    calibrate_yes_no,
    coherence_scores,
    pair_scores,
    read_labelled,
)
from du_eval.quality.checks.every_reply import StutterCheck
from du_eval.quality.config import Thresholds


def calibrated(path: str, judges: Judges, limits: Thresholds) -> Calibration:
    """Return how the judge that a labelled file is about does on it, at the threshold of the settings."""
    kind, rows = read_labelled(path)
    texts = [row.get("text", "") for row in rows]
    if kind == "yes-no":
        return calibrate_yes_no(rows, judges.yes_no)
    if kind == "stuttering":
        check = StutterCheck() if limits.stuttering is None else StutterCheck(limits.stuttering)
        scores = [check.formula(text) for text in texts]
        return calibrate_scores(kind, rows, scores, check.name, check.threshold)
    if kind == "toxicity":
        judge, limit = judges.toxicity, limits.toxicity
        scores = [found.value for found in judge.scores(texts)]
    elif kind == "coherence":
        judge, limit = judges.coherence, limits.coherence_input
        scores = coherence_scores(rows, judge)
    elif kind == "answers":
        judge, limit = judges.answers, limits.answers
        scores = answer_scores(rows, judge)
    else:
        judge, limit = judges.similarity, None
        scores = pair_scores(rows, judge)
    return calibrate_scores(kind, rows, scores, judge.name, judge.threshold if limit is None else limit)
