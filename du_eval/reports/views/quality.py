"""The view of a quality run: tests with their rates, curves, and every reply with the opinions about it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from du_eval.errors import tell_count
from du_eval.quality.record import QualityRun, ReplyDetail
from du_eval.quality.results import Cell, TestResult
from du_eval.reports import sections
from du_eval.reports.columns import Code, Number, Share, make_columns
from du_eval.reports.sections import (
    Bars,
    Column,
    Curve,
    Detail,
    Entries,
    Entry,
    Facts,
    Look,
    Note,
    Point,
    Section,
    Table,
    View,
)
from du_eval.reports.views.generic import list_figures, make_entry, make_view
from du_eval.reports.views.talks import list_silence, make_talk_headline, make_transcript
from du_eval.runs.outcome import Outcome
from du_eval.runs.record import Case, Result

_FEW = 10
_TURNS_BEFORE = 3
_BINS = 10
_LEVELS = {
    "ML-U3": "edits",
    "ML-U4": "words swapped",
    "ML-U5": "share of words left out",
    "ML-U6": "share of words replaced",
}


def view_quality(run: QualityRun) -> View:
    """Return the view of a quality run."""
    replies = run.totals.items if run.totals else sum(1 for _ in run.results())
    return make_view(run, make_talk_headline(run, "conversation", replies), _list_sections(run))


def _list_sections(run: QualityRun) -> Iterator[Section]:
    extra = run.extra
    if extra is None:
        return
    yield from list_figures(run)
    if extra.compat:
        yield Note(f"formulas and cells of the original ({extra.compat})")
    yield from list_silence(extra.replies)
    yield _make_test_table(extra.tests)
    yield _make_entries(run)
    for result in extra.tests:
        yield from _list_curves(result)
    yield from _list_scores(run)
    if extra.seconds:
        columns = tuple(Column(name, Look.NUMBER) for name in extra.seconds)
        yield Table("Response time (seconds)", columns, (tuple(extra.seconds.values()),))
    yield Facts(tuple(extra.judges.items()), "Judges")


def _make_test_table(tests: Sequence[TestResult]) -> Table:
    columns = make_columns(
        Code("test", facet="test"), "what it asks for", "passed", Share("rate"), Share("control"),
        "paired difference", "remark",
    )  # fmt: skip
    methods = dict.fromkeys(one.paired.method for one in tests if one.paired is not None)
    remark = f"paired difference: {', '.join(methods)}" if methods else ""
    return Table("Tests", columns, tuple(map(_make_test_row, tests)), remark)


def _make_test_row(result: TestResult) -> tuple[sections.Cell, ...]:
    total, paired = result.total, result.paired
    remarks = ["few judged"] if 0 < total.attempts < _FEW else []
    remarks += [f"{result.unjudged} undecided"] if result.unjudged else []
    difference = ""
    if paired is not None:
        spread = f"{paired.interval.low:+.2f} to {paired.interval.high:+.2f}"
        difference = f"{paired.value:+.2f} ({spread}, {paired.n} pairs)"
    control = result.control.rate if result.control else None
    count = f"{total.successes}/{total.attempts}"
    return result.test, result.title, count, total.rate, control, difference, ", ".join(remarks)


def _list_curves(result: TestResult) -> Iterator[Section]:
    """Yield how the rate of a test depends on level and distance, and its kinds and labels."""
    for title, quantity, cells in (
        (f"{result.test} by level", _LEVELS.get(result.test, "level"), result.levels),
        (f"{result.test} by distance", "turns ago", result.distances),
    ):
        if cells:
            points = tuple(Point(cell.place, cell.rate, cell.name) for cell in cells)
            yield Curve(title, quantity, "passed", ((result.title or result.test, points),))
    if result.variants:
        yield _make_cell_table(f"{result.test} by kind", "kind", result.variants)
    if any(cell.successes < cell.attempts for cell in result.labels):
        yield _make_cell_table(f"{result.test} by label", "label", result.labels)


def _make_cell_table(title: str, name: str, cells: Sequence[Cell]) -> Table:
    columns = make_columns(name, "passed", Share("rate"))
    return Table(
        title,
        columns,
        tuple((cell.name, f"{cell.successes}/{cell.attempts}", cell.rate) for cell in cells),
    )


def _list_scores(run: QualityRun) -> Iterator[Bars]:
    """Yield the distribution of the scores of each test of every reply, by label where there are labels."""
    values: dict[tuple[str, str], list[float]] = defaultdict(list)
    for result in run.results():
        for one in result.detail.assessments:
            if one.fact is None and one.value is not None:
                values[one.test, one.label].append(one.value)
    labelled = {test for test, label in values if label}
    for (test, label), scores in values.items():
        if label or test not in labelled:
            yield _make_bars(f"Scores of {test} {label}".rstrip(), scores)


def _make_bars(title: str, scores: Sequence[float]) -> Bars:
    low, high = min(0.0, *scores), max(1.0, *scores)
    width = (high - low) / _BINS
    counts = [0] * _BINS
    for score in scores:
        counts[min(_BINS - 1, int((score - low) / width))] += 1
    labels = tuple(f"{low + number * width:.2g}–{low + (number + 1) * width:.2g}" for number in range(_BINS))
    return Bars(title, labels, tuple(counts), "replies", is_minor=True)


def _make_entries(run: QualityRun) -> Entries:
    found = [entry for case in run.cases for entry in _list_case(case)]
    return Entries("Replies", run.head.unit, tuple(found))


def _list_case(case: Case[ReplyDetail]) -> Iterator[Entry]:
    for place, result in enumerate(case.results):
        detail = result.detail
        bad = [one for one in result.checks if one.outcome not in {Outcome.PASSED, None}]
        failed = [one for one in bad if one.outcome is Outcome.FAILED] or bad
        facets = [("test", test) for test in result.mistakes]
        facets += [("reply", detail.became)] if detail.became != "answered" else []
        yield replace(
            make_entry(case, result, (), _list_details(case, place, result)),
            place=f"{case.name}, reply {place + 1}",
            case=case.name,
            facets=(("case", case.name), *facets),
            message=result.error
            or "; ".join(f"{one.name}: {one.reason or one.outcome}" for one in failed)
            or ("the reply is empty" if result.outcome is Outcome.UNDECIDED else ""),
        )


def _list_details(case: Case[ReplyDetail], place: int, result: Result[ReplyDetail]) -> Iterator[Detail]:
    if result.outcome in {Outcome.PASSED, None}:
        return
    spoken = case.results[max(0, place - _TURNS_BEFORE) : place + 1]
    yield make_transcript("tester", ((one.detail.prompt, one.detail.reply) for one in spoken))
    mark = result.detail.mark
    if mark is not None:
        known = {
            "test": mark.test, "part": str(mark.role), "kind": mark.variant,
            "level": "" if mark.nominal is None else f"{mark.nominal:g} {mark.unit}".rstrip(),
            "told": "" if mark.distance is None else f"{tell_count(mark.distance, 'turn')} ago",
            "right answer": result.detail.answer,
        }  # fmt: skip
        yield Facts(tuple((name, value) for name, value in known.items() if value), "Injected")
    columns = make_columns("test", "outcome", Number("value"), Number("threshold"), "reason", "judge")
    rows = tuple(
        (f"{one.test} {one.label}".rstrip(), str(one.verdict), one.value, one.threshold,
         one.reason or one.interpretation, one.judge)
        for one in result.detail.assessments
        if not one.label or one.verdict is Outcome.FAILED
    )  # fmt: skip
    if rows:
        yield Table("Opinions", columns, rows)
