"""How figures developed from run to run, suite by suite: as tables with plots, and as a picture."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from math import ceil, floor, log10
from typing import TypedDict

from du_eval.errors import InputError, did_you_mean
from du_eval.reports.numbers import one_line, show_number
from du_eval.reports.renderers.layout import set_table


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
_WIDTH, _HEIGHT, _EDGE = 720, 260, 46
_COLOURS = ("#2f5fd0", "#c2342b", "#1a7f4b", "#9a6200", "#7a3fb5")
_MOST = 5
"""So many figures are shown of an activity unless others are asked for."""


@dataclass(frozen=True, slots=True)
class Trend:
    """The runs of one activity over one suite, and the figures that are followed."""

    kind: str
    """The activity, the suite where there are several, and the experiment whose arms the runs are."""
    runs: Runs
    """In order of time; those of an experiment arm by arm."""
    figures: tuple[str, ...]
    others: int = 0
    """How many figures there are besides."""


def trends_of(runs: Runs, figures: Sequence[str] = ()) -> list[Trend]:
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
    shown = tuple(name for name in _headline(runs) or own[:_MOST] if name in own)[:_MOST]
    return Trend(kind, runs, shown, len(own) - len(shown))


def _headline(runs: Runs) -> list[str]:
    """Return the figures that people look at first, as the last run names them."""
    return list(runs[-1].get("headline", ())) if runs else []


def trend_text(trends: Sequence[Trend]) -> str:
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
    parts = (run.get("label") or run.get("generator"), run.get("model"))
    return one_line(" · ".join(part for part in parts if part))


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
    share = (value - low) / (high - low) if high > low else 1.0
    return _BLOCKS[1 + round(share * (len(_BLOCKS) - 2))]


def trend_svg(trends: Sequence[Trend]) -> str:
    """Return the figures as lines over the runs, a panel for each activity."""
    heights = [_HEIGHT + 24 * len(trend.figures) + 20 for trend in trends]
    font = 'font-family="system-ui, sans-serif" font-size="12"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {sum(heights)}" {font}>',
        '<rect width="100%" height="100%" fill="#ffffff"/>',
    ]
    for place, trend in enumerate(trends):
        parts.append(f'<g transform="translate(0 {sum(heights[:place])})">')
        parts.extend(_panel(trend))
        parts.append("</g>")
    return "\n".join([*parts, "</svg>"]) + "\n"


def _panel(trend: Trend) -> Iterator[str]:
    low, high = _scale(trend)
    yield f'<text x="{_EDGE}" y="12" fill="#1d1f23" font-weight="600">{escape(trend.kind)}</text>'
    for share in (0.0, 0.25, 0.5, 0.75, 1.0):
        y, value = _y(share), low + (high - low) * share
        yield f'<line x1="{_EDGE}" x2="{_WIDTH - 10}" y1="{y}" y2="{y}" stroke="#e3e3df"/>'
        yield f'<text x="{_EDGE - 6}" y="{y + 4}" text-anchor="end" fill="#62666f">{value:g}</text>'
    for index, name in enumerate(trend.figures):
        yield from _line(trend.runs, name, index, (low, high))


def _scale(trend: Trend) -> tuple[float, float]:
    """Return the ends of the axis: 0 and 1 for shares, round numbers around anything else."""
    values = [run["figures"][name] for run in trend.runs for name in trend.figures
              if run.get("figures", {}).get(name) is not None]  # fmt: skip
    low, high = min(0.0, *values), max(1.0, *values)
    if (low, high) == (0.0, 1.0):
        return low, high
    step = 10 ** floor(log10(high - low))
    return floor(low / step) * step, ceil(high / step) * step


def _line(runs: Runs, name: str, index: int, scale: tuple[float, float]) -> Iterator[str]:
    colour = _COLOURS[index % len(_COLOURS)]
    low, high = scale
    parts: list[list[tuple[float, float]]] = [[]]
    for number_of_run, run in enumerate(runs):
        value = run.get("figures", {}).get(name)
        before = runs[max(number_of_run - 1, 0)]
        if not (is_same_suite(before, run) and is_same_arm(before, run)):
            parts.append([])
        if value is not None:
            x = _EDGE + (_WIDTH - _EDGE - 20) * (number_of_run / max(1, len(runs) - 1))
            y = _y((value - low) / (high - low))
            parts[-1].append((round(x, 1), y))
            title = escape(f"{run.get('run', '')} {_label(run)}: {value:.3f}")
            yield f'<circle cx="{x:.1f}" cy="{y}" r="3.5" fill="{colour}"><title>{title}</title></circle>'
    for part in parts:
        path = " ".join(f"{x},{y}" for x, y in part)
        yield f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>'
    y = _HEIGHT + 16 + 24 * index
    yield f'<rect x="{_EDGE}" y="{y - 9}" width="18" height="4" fill="{colour}"/>'
    yield f'<text x="{_EDGE + 26}" y="{y}" fill="#1d1f23">{escape(name)}</text>'


def _y(share: float) -> float:
    return round(24 + (_HEIGHT - 48) * (1 - share), 1)
