"""How figures developed from run to run, suite by suite: as tables with plots, and as pictures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TypedDict

from msgspec import Struct

from du_eval.errors import InputError, did_you_mean
from du_eval.reports.numbers import one_line, show_number
from du_eval.reports.renderers.charts import draw_svg
from du_eval.reports.renderers.layout import set_table
from du_eval.reports.sections import Curve, Point
from du_eval.statistics.intervals import Measurement


class RunSummary(TypedDict, total=False):
    """The headline of a kept run."""

    kind: str
    run: str
    started: str
    label: str
    generator: str
    figures: dict[str, float]
    headline: list[str]
    cases: dict[str, int]
    suite: str
    suite_hash: str
    model: str
    prompt_hash: str
    commit: str
    experiment: str
    arm: str


Runs = Sequence[RunSummary]
_BLOCKS = " ▁▂▃▄▅▆▇█"
_MOST = 5
"""So many figures are shown of an activity unless others are asked for."""


class Trend(Struct, frozen=True):
    """The runs of one activity over one suite, and the figures that are followed."""

    kind: str
    """The activity, the suite where there are several, and the experiment whose arms the runs are."""
    runs: Runs
    """In order of time; those of an experiment arm by arm."""
    figures: tuple[str, ...]
    others: int = 0
    """How many figures there are besides."""


def group_trends(runs: Runs, figures: Sequence[str] = ()) -> list[Trend]:
    """Return the runs by activity, with the figures that are asked for or the first ones."""
    known = {name for run in runs for name in run.get("figures", {})}
    for name in figures if runs else ():
        if name not in known:
            hint = did_you_mean(name, known) or f"choose from: {', '.join(sorted(known))}"
            raise InputError(f"no run has the figure '{name}'; {hint}")
    groups: dict[tuple[str, str, str], dict[str, list[RunSummary]]] = {}
    for run in runs:
        key = (str(run.get("kind", "test")), str(run.get("suite", "")), str(run.get("experiment", "")))
        groups.setdefault(key, {}).setdefault(run.get("arm", ""), []).append(run)
    kinds = Counter(kind for kind, _, _ in groups)
    found = (
        _trend(
            (f"{kind} {suite}".strip() if kinds[kind] > 1 else kind) + (f", arms of {of}" if of else ""),
            [run for own in arms.values() for run in own],
            figures,
        )
        for (kind, suite, of), arms in groups.items()
    )
    return [trend for trend in found if trend.figures]


def _trend(kind: str, runs: Runs, figures: Sequence[str]) -> Trend:
    own = list(dict.fromkeys(name for run in runs for name in run.get("figures", {})))
    if figures:
        return Trend(kind, runs, tuple(name for name in figures if name in own))
    shown = tuple(name for name in runs[-1].get("headline") or own[:_MOST] if name in own)[:_MOST]
    return Trend(kind, runs, shown, len(own) - len(shown))


def render_trends(trends: Sequence[Trend]) -> str:
    """Return a table for each activity, the newest run last, and a small plot of each figure."""
    return "\n".join(line for trend in trends for line in _table(trend, titled=len(trends) > 1)) + "\n"


def _table(trend: Trend, *, titled: bool) -> Iterator[str]:
    if titled:
        yield f"== {trend.kind}"
    changes = list(_list_changes(trend))
    heads = ("run", "label", *trend.figures, *(["change"] if any(changes) else []))
    rows = [heads]
    for run, change in zip(trend.runs, changes, strict=True):
        rows.append((*_row(run, trend.figures), *([change] if any(changes) else [])))
    yield from set_table(rows, [False] * len(heads), None)
    yield ""
    yield from _plots(trend.runs, trend.figures)
    if trend.others:
        yield f"{trend.others} more figures: --figure NAME, or --json"
    if titled:
        yield ""


def _list_changes(trend: Trend) -> Iterator[str]:
    """Yield what changed since the run before, and the step of the first figure over the same suite."""
    before: RunSummary | None = None
    for run in trend.runs:
        yield (
            ""
            if before is None or not is_same_arm(before, run)
            else "; ".join(filter(None, [_tell_step(before, run, trend), *_list_causes(before, run)]))
        )
        before = run


def is_same_suite(before: RunSummary, after: RunSummary) -> bool:
    """Tell whether the figures of two runs may be compared."""
    return bool(before.get("suite_hash", "") == after.get("suite_hash", ""))


def is_same_arm(before: RunSummary, after: RunSummary) -> bool:
    """Tell whether a run follows another one in time, not beside it in an experiment."""
    return bool(before.get("arm", "") == after.get("arm", ""))


def _tell_step(before: RunSummary, after: RunSummary, trend: Trend) -> str:
    name = trend.figures[0]
    was, now = (run.get("figures", {}).get(name) for run in (before, after))
    if was is None or now is None or not is_same_suite(before, after) or was == now:
        return ""
    return f"{name} {now - was:+.3f}"


def _list_causes(before: RunSummary, after: RunSummary) -> Iterator[str]:
    if not is_same_suite(before, after):
        yield "another suite: not compared"
    for key, name in (
        ("generator", "generator"),
        ("model", "model"),
        ("prompt_hash", "prompt"),
        ("commit", "commit"),
    ):
        one, other = before.get(key, ""), after.get(key, "")
        if one != other:
            yield f"{name} {one or 'none'} → {other or 'none'}"


def _row(run: RunSummary, figures: Sequence[str]) -> tuple[str, ...]:
    values = (show_number(run.get("figures", {}).get(name), 3) for name in figures)
    return (str(run.get("run", "")), _label(run), *values)


def _label(run: RunSummary) -> str:
    label, model = str(run.get("label") or run.get("generator") or ""), run.get("model", "")
    return one_line(" · ".join(filter(None, (label, model if model not in label else ""))))


def _plots(runs: Runs, figures: Sequence[str]) -> Iterator[str]:
    width = max(len(name) for name in figures)
    for name in figures:
        values = [run.get("figures", {}).get(name) for run in runs]
        known = [value for value in values if value is not None]
        if known:
            low, high = min(known), max(known)
            bars = "".join(
                ("" if is_same_arm(runs[max(place - 1, 0)], runs[place]) else " ") + _block(value, low, high)
                for place, value in enumerate(values)
            )
            yield f"{name.ljust(width)}  {show_number(low, 3)} {bars} {show_number(high, 3)}"


def _block(value: float | None, low: float, high: float) -> str:
    if value is None:
        return "·"
    share = (value - low) / (high - low) if high > low else float(value != 0)
    return _BLOCKS[1 + round(share * (len(_BLOCKS) - 2))]


def draw_trends(trends: Sequence[Trend]) -> str:
    """Return a panel for each figure of each activity; lines join the runs of one suite, or of one arm."""
    return draw_svg([_make_curve(trend, name) for trend in trends for name in trend.figures])


def _make_curve(trend: Trend, name: str) -> Curve:
    series: list[tuple[str, list[Point]]] = []
    before: RunSummary | None = None
    for place, run in enumerate(trend.runs):
        if before is None or not (is_same_suite(before, run) and is_same_arm(before, run)):
            series.append((run.get("arm") or run.get("suite_hash", ""), []))
        value = run.get("figures", {}).get(name)
        if value is not None:
            date = str(run.get("started", ""))[5:16].replace("T", " ")
            label = f"{date}\n{run.get('run', '')} {_label(run)}: {value:.3f}"
            series[-1][1].append(Point(place, Measurement(value, 0), label))
        before = run
    is_share = all(0 <= (point.measured.value or 0) <= 1 for _, points in series for point in points)
    lines = tuple((one, tuple(points)) for one, points in series)
    return Curve(name, "run", trend.kind, lines, is_share=is_share)
