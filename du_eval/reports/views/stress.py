"""The view of catalogue stress: figures against the number of flows, and the flows that are mixed up."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from textwrap import shorten

from msgspec.structs import replace

from du_eval.evaluation.stress.measure import CatalogueChange, ConfusedFlows, StressPoint
from du_eval.reports.columns import Code, Number, Share, make_columns
from du_eval.reports.sections import Curve, Note, Point, Section, Table, Tone, View, sign_intervals
from du_eval.statistics.intervals import Interval, Measurement

_WORDS, _EXAMPLE = 6, 80


def view_stress(
    points: Sequence[StressPoint], confused: Sequence[ConfusedFlows], about: tuple[tuple[str, str], ...]
) -> View:
    """Return the report about a generator with catalogues of several sizes and wordings."""
    facts, shown = dict(about), tuple(_list_sections(points, confused))
    return View(
        title=f"Catalogue stress: {facts.get('generator', '')}".rstrip(": "),
        kind="stress",
        headline=_make_headline(points),
        about=about,
        sections=shown,
        signature=sign_intervals(facts.get("signature", ""), shown),
    )


def _make_headline(points: Sequence[StressPoint]) -> Note:
    sized = [p for p in points if p.change is CatalogueChange.DISTRACTORS and p.accuracy.value is not None]
    if len(sized) < 2:
        return Note("accuracy with changed catalogues of flows")
    first, last = sized[0], sized[-1]
    assert first.accuracy.value is not None
    assert last.accuracy.value is not None
    lost = first.accuracy.value - last.accuracy.value
    text = (
        f"accuracy {first.accuracy.value:.2f} with {first.flows:.0f} flows, "
        f"{last.accuracy.value:.2f} with {last.flows:.0f}"
    )
    return Note(text, Tone.BAD if lost > 0.05 else Tone.GOOD)


def _list_sections(points: Sequence[StressPoint], confused: Sequence[ConfusedFlows]) -> Iterator[Section]:
    yield _make_table(points)
    sized = [point for point in points if point.change is CatalogueChange.DISTRACTORS]
    for title, measure, is_share in _CURVES:
        measured = [(point.flows, value) for point in sized if (value := measure(point)) is not None]
        if len(measured) > 1:
            drawn = tuple(Point(flows, value) for flows, value in measured)
            yield Curve(title.upper(), "flows", title, ((title, drawn),), is_share)
    if confused:
        yield _make_confusions(confused)


def _make_table(points: Sequence[StressPoint]) -> Table:
    columns = make_columns(
        "catalogue", Number("flows"), Share("accuracy"), Share("F1 of StartFlow"), Number("prompt tokens"),
        Number("median latency in ms"),
    )  # fmt: skip
    rows = tuple(
        (
            _NAMES[point.change],
            round(point.flows, 1),
            point.accuracy,
            point.start_f1,
            _round(point.prompt_tokens),
            _round(_in_milliseconds(point)),
        )
        for point in points
    )
    return Table("CATALOGUES", columns, rows)


_NAMES = {
    CatalogueChange.DISTRACTORS: "the assistant's flows, with others added or left out",
    CatalogueChange.NEAR: "with a near-duplicate of each flow",
    CatalogueChange.SHUFFLE: "in another order",
    CatalogueChange.PARAPHRASE: "described in other words",
}


def _make_confusions(confused: Sequence[ConfusedFlows]) -> Table:
    columns = make_columns(
        Code("expected"), Code("predicted"), Number("times"), Number("similarity"), "words that both use",
        "misleading words", "for example",
    )  # fmt: skip
    rows = tuple(
        (
            item.expected,
            item.predicted,
            item.times,
            round(item.likeness, 2),
            ", ".join(item.shared[:_WORDS]) or "none",
            ", ".join(item.only_predicted[:_WORDS]) or "none",
            shorten(item.example, _EXAMPLE, placeholder=" …"),
        )
        for item in confused
    )
    remark = (
        "Similarity: the cosine of the words of both descriptions, from 0 to 1. "
        "Misleading: words of the messages that only the wrong flow uses."
    )
    return Table("FLOWS MIXED UP", columns, rows, remark)


def _in_milliseconds(point: StressPoint) -> Measurement | None:
    measured = point.latency_seconds
    if measured is None or measured.value is None:
        return None
    ends = measured.interval
    scaled = Interval(ends.low * 1000, ends.high * 1000) if ends else None
    return replace(measured, value=measured.value * 1000, interval=scaled)


def _round(measured: Measurement | None) -> float | None:
    return round(measured.value, 1) if measured and measured.value is not None else None


_CURVES: tuple[tuple[str, Callable[[StressPoint], Measurement | None], bool], ...] = (
    ("accuracy", lambda point: point.accuracy, True),
    ("prompt tokens per step", lambda point: point.prompt_tokens, False),
    ("median latency in ms", _in_milliseconds, False),
)
