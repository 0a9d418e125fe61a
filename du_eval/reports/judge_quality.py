"""How good a judge is, as text and as data."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from du_eval.judges.measure import JudgedItem, Quality
from du_eval.reports.numbers import show_measurement
from du_eval.reports.sections import name_methods
from du_eval.statistics.intervals import Measurement

Json: TypeAlias = "dict[str, Json] | list[Json] | str | int | float | None"
_MOST_MISTAKES = 20


def render_judge_quality(found: Quality, most: int = _MOST_MISTAKES) -> str:
    """Return the figures, and the first mistakes."""
    return "\n".join(_lines(found, most)) + "\n"


def _lines(found: Quality, most: int) -> Iterator[str]:
    yield f"{found.judge} on {found.n} labelled items of {found.role}"
    yield f"right, of all      {show_measurement(found.accuracy)}"
    yield f"decided            {show_measurement(found.decided)}"
    yield f"right, of decided  {show_measurement(found.accuracy_of_decided)}"
    yield f"kappa              {'undefined' if found.kappa is None else f'{found.kappa:.2f}'}"
    for label, figures in found.labels.items():
        rates = f"precision {show_measurement(figures.precision)}, recall {show_measurement(figures.recall)}"
        yield f"{label} (n = {figures.n}): {rates}"
    yield "label -> said: " + ", ".join(
        f"{label} -> {said} {count}" for (label, said), count in found.confusion.items()
    )
    yield f"signature: {name_methods([found.accuracy])}"
    if found.turns:
        yield ""
        yield "turn by turn:"
        yield from (f"  {line}" for line in _lines(found.turns, 0))
    mistakes = found.turns.mistakes if found.turns else found.mistakes
    for mistake in mistakes[:most]:
        yield _mistake(mistake)
    if most and len(mistakes) > most:
        yield f"and {len(mistakes) - most} more; --json has all"


def _mistake(one: JudgedItem) -> str:
    turn = f", turn {one.turn}" if one.turn else ""
    texts = "\n".join(f"    {key}: {_join(value)}" for key, value in one.texts.items())
    return f"  line {one.row.line}{turn}: {one.label}, said {one.said}: {one.reason}\n{texts}"


def _join(value: object) -> str:
    return " / ".join(map(str, value)) if isinstance(value, list) else str(value)


def encode_judge_quality(found: Quality) -> dict[str, Json]:
    """Return everything as plain data."""
    data: dict[str, Json] = {
        "role": str(found.role),
        "judge": found.judge,
        "version": " > ".join(name.rpartition("/")[2] for name in found.judge.split(" > ")),
        "n": found.n,
        "accuracy": found.accuracy.value,
        "decided": found.decided.value,
        "accuracy_of_decided": found.accuracy_of_decided.value,
        "kappa": found.kappa,
        "intervals": {
            "accuracy": _interval(found.accuracy),
            "decided": _interval(found.decided),
            "accuracy_of_decided": _interval(found.accuracy_of_decided),
        },
        "method": found.accuracy.method,
        "labels": {
            label: {
                "precision": figures.precision.value,
                "recall": figures.recall.value,
                "n": figures.n,
                "precision_interval": _interval(figures.precision),
                "recall_interval": _interval(figures.recall),
            }
            for label, figures in found.labels.items()
        },
        "confusion": [
            {"label": label, "said": said, "n": count} for (label, said), count in found.confusion.items()
        ],
        "mistakes": [
            {
                "line": one.row.line,
                "turn": one.turn,
                "label": one.label,
                "said": one.said,
                "reason": one.reason,
                **one.texts,
            }
            for one in found.mistakes
        ],
    }
    if found.turns:
        data["turns"] = encode_judge_quality(found.turns)
    return data


def _interval(figure: Measurement) -> Json:
    return [figure.interval.low, figure.interval.high] if figure.interval else None
