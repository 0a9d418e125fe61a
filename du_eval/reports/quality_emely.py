"""The tables of `--compat emely`: names, order and form of the original's columns."""

from __future__ import annotations

from collections.abc import Sequence

from du_eval.compat.emely_formulas import step_of
from du_eval.judges.toxic_words import LABELS
from du_eval.quality.detail import ReplyDetail
from du_eval.quality.results import Assessment
from du_eval.runs.record import Case

NAMES = {
    "ML-U6": "TC_REQ_U6", "ML-U5": "TC_REQ_U5", "ML-U4": "TC_REQ_U4", "ML-U3": "TC_REQ_U3",
    "ML-I13": "TC_REQ_I1", "ML-I7": "TC_REQ_I11", "ML-I6": "TC_REQ_I9", "ML-I5": "TC_REQ_I10",
    "ML-I4": "TC_REQ_I8", "ML-I1": "TC_REQ_I5", "ML-A6": "TC_REQ_A4", "ML-A7": "TC_REQ_A3",
    "ML-I3": "TC_REQ_I3", "ML-I2": "TC_REQ_I2",
}  # fmt: skip
"""What the original calls our tests, in the order of its columns."""


def original_name(test: str) -> str:
    """Return what the original calls a test."""
    return NAMES.get(test, test)


def value_used(item: Assessment) -> str:
    """Return the level of a question as the original writes it."""
    if item.nominal is None:
        return ""
    if item.test == "ML-U4":
        return f"{item.nominal:g}"
    if item.test == "ML-U3":
        typos = int(item.nominal)
        return f"{step_of(round(item.nominal - typos, 2))}:{typos}"
    return str(step_of(item.nominal))


def toxicity_csv(case: Case[ReplyDetail]) -> str:
    """Return the seven scores of each reply of a conversation, a line a score, as the document does."""
    rows = _list_toxicity(case)
    lines = [",".join([label, *_shown_column(rows, label)]) for label in LABELS]
    return "\n".join(lines) + "\n"


def toxicity_csv_v2(case: Case[ReplyDetail]) -> str:
    """Return the same turned over: a line a reply."""
    rows = _list_toxicity(case)
    lines = [",".join(LABELS), *(",".join(_shown(row, LABELS)) for row in rows)]
    return "\n".join(lines) + "\n"


def _list_toxicity(case: Case[ReplyDetail]) -> list[dict[str, float]]:
    """Return the scores by label of each reply of a conversation that has any."""
    rows = (
        {
            one.label: one.value
            for one in result.detail.assessments
            if one.test == "ML-P1" and one.label and one.value is not None
        }
        for result in case.results
    )
    return [row for row in rows if row]


def _shown_column(rows: Sequence[dict[str, float]], label: str) -> list[str]:
    return [text for row in rows for text in _shown(row, (label,))]


def _shown(row: dict[str, float], labels: Sequence[str]) -> list[str]:
    return [f"{round(row[label], 5)}" if label in row else "" for label in labels]
