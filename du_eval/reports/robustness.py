"""Robustness as lines, as Markdown and as plain data."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from du_eval.evaluation.robustness import LevelF1, LevelResult, Robustness
from du_eval.reports.text import UNDEFINED, number

_COLUMNS = 6


def robustness_lines(found: Robustness) -> Iterator[str]:
    """Yield a line for each level, where each perturbation breaks the understanding, and F1 by command."""
    heads = f"{'perturbation':12} {'level':>5} {'realised':>8} {'steps':>6} {'accuracy':>8} {'unchanged':>9}"
    yield f"{heads}  difference"
    for one in found.levels:
        data = _level(one)
        if data["accuracy"] is None:
            yield f"{one.kind:12} {one.level:5.2f} {UNDEFINED:>8} {0:6}  no step could be changed"
            continue
        yield (
            f"{one.kind:12} {one.level:5.2f} {one.realised:8.2f} {data['n']:6} {data['accuracy']:8.3f} "
            f"{data['unperturbed']:9.3f}  {_spread(data)} {data['verdict']}"
        )
    yield from _breaking(found)
    shown = [one for one in found.levels if one.difference]
    for start in range(0, len(shown), _COLUMNS):
        yield from _lined_up(f1_rows(shown[start : start + _COLUMNS]))


def _lined_up(rows: list[tuple[str, ...]]) -> Iterator[str]:
    if len(rows) > 1:
        yield ""
        widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
        for row in rows:
            yield "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()


def _spread(data: dict[str, Any]) -> str:
    low, high = data["interval"]
    return f"{data['difference']:+.3f} ({low:+.3f} to {high:+.3f})"


def _breaking(found: Robustness) -> Iterator[str]:
    for kind, level in found.breaking.items():
        yield f"{kind}: " + (
            "no level breaks it" if level is None else f"accuracy is lower from level {level:g} on"
        )


def f1_rows(shown: Sequence[LevelResult]) -> list[tuple[str, ...]]:
    """Return F1 by command (down) and level (across), the header first; unchanged comes first."""
    names = sorted({name for one in shown for name in one.f1})
    header = ("F1", "unchanged", *(f"{one.kind} {one.level:g}" for one in shown))
    return [header, *(_f1_row(name, shown) for name in names)]


def _f1_row(name: str, levels: Sequence[LevelResult]) -> tuple[str, ...]:
    known = [one.f1.get(name) for one in levels]
    before = next((found.unchanged for found in known if found), None)
    return (name, number(before), *(number(found.measured.value if found else None) for found in known))


def robustness_markdown(found: Robustness) -> Iterator[str]:
    """Yield tables of accuracy and of F1 by level, and where each perturbation breaks the understanding."""
    yield "| perturbation | level | realised | steps | accuracy | unchanged | difference | verdict |"
    yield "|---|---:|---:|---:|---:|---:|---|---|"
    for one in found.levels:
        data = _level(one)
        cells = [one.kind, f"{one.level:g}", f"{one.realised:.2f}", str(data["n"])]
        if data["accuracy"] is None:
            cells += [UNDEFINED, UNDEFINED, "no step could be changed", ""]
        else:
            rates = [f"{data[key]:.3f}" for key in ("accuracy", "unperturbed")]
            cells += [*rates, _spread(data), data["verdict"]]
        yield "| " + " | ".join(cells) + " |"
    yield ""
    yield from (f"- {line}" for line in _breaking(found))
    yield ""
    header, *rows = f1_rows([one for one in found.levels if one.difference])
    if rows:
        yield "| " + " | ".join(header) + " |"
        yield "|---|" + "---:|" * (len(header) - 1)
        yield from ("| " + " | ".join(row) + " |" for row in rows)
        yield ""


def robustness_data(found: Robustness) -> dict[str, Any]:
    """Return everything about the levels."""
    return {"levels": [_level(one) for one in found.levels], "breaking": dict(found.breaking)}


def _level(one: LevelResult) -> dict[str, Any]:
    found = one.difference
    return {
        "perturbation": one.kind,
        "level": one.level,
        "realised": one.realised,
        "n": one.n,
        "accuracy": one.accuracy,
        "unperturbed": one.unchanged,
        "difference": found.value if found else None,
        "interval": [found.interval.low, found.interval.high] if found else None,
        "p": found.p if found else None,
        "verdict": one.verdict.value,
        "f1": {name: _f1(found) for name, found in one.f1.items()},
    }


def _f1(found: LevelF1) -> dict[str, Any]:
    """Return F1 of a command: at this level with its interval, and of the same steps unchanged."""
    interval = found.measured.interval
    return {
        "value": found.measured.value,
        "low": interval.low if interval else None,
        "high": interval.high if interval else None,
        "n": found.measured.n,
        "unperturbed": found.unchanged,
        "perturbed": found.measured.value,
        "verdict": found.verdict.value,
    }
