"""What lies beside a quality run: spreadsheets of the document, plots and conversations."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path

from du_eval.quality.detail import list_assessments
from du_eval.quality.dialogue import Dialogue
from du_eval.quality.record import QualityRun
from du_eval.quality.results import Cell
from du_eval.quality.store import as_text, json_lines
from du_eval.reports.files import write
from du_eval.reports.quality_emely import toxicity_csv, toxicity_csv_v2
from du_eval.reports.quality_xlsx import Shown, cases_xlsx, summary_xlsx
from du_eval.reports.renderers.charts import Chart, draw_png, draw_svg
from du_eval.reports.sections import Bars, Curve, Point

_BINS = 20
_LEVELS = {
    "ML-U3": "typing mistakes in the question (edits)",
    "ML-U4": "swaps of neighbouring words",
    "ML-U5": "words left out (from so many %)",
    "ML-U6": "words replaced (from so many %)",
}
_DISTANCES = "turns between information and question"
_VALUES = {"ML-P1": "toxicity (highest label)", "ML-A6": "stuttering value"}


def write_quality(run: QualityRun, folder: Path, shown: Shown) -> list[str]:
    """Write all files of a run and return their names."""
    files: dict[str, str | bytes] = {
        "report.xlsx": cases_xlsx(run, shown),
        "summary.xlsx": summary_xlsx(run),
    }
    for name, chart in list_pictures(run):
        files[f"plots/{name}.svg"] = draw_svg([chart])
        if find_spec("matplotlib") is not None:
            files[f"plots/{name}.png"] = draw_png([chart])
    if run.extra is not None and run.extra.compat:
        for place, case in enumerate(run.cases, 1):
            name = f"distributions/REQ_P2_runID-{place}"
            files[f"{name}.csv"] = toxicity_csv(case)
            files[f"{name}v2.csv"] = toxicity_csv_v2(case)
    for name, content in files.items():
        write(folder / name, content)
    return list(files)


def write_conversations(dialogues: Sequence[Dialogue], folder: Path, texts: str) -> None:
    """Write conversations as JSON lines, and as text files in a folder of their own."""
    write(folder / "conversations.jsonl", json_lines(dialogues))
    for dialogue in dialogues:
        write(folder / texts / f"conversation_{dialogue.number}.txt", as_text(dialogue))


def list_pictures(run: QualityRun) -> Iterator[tuple[str, Chart]]:
    """Yield what can be drawn of a run, each with a name for its file."""
    for result in run.extra.tests if run.extra else ():
        title, name = f"{result.test} {result.title}: {run.head.subject}", result.test.replace("-", "")
        if result.levels:
            yield f"{name}_levels", _make_curve(title, _LEVELS.get(result.test, "level"), result.levels)
        if result.distances:
            yield f"{name}_distance", _make_curve(title, _DISTANCES, result.distances)
    for test, unit in _VALUES.items():
        values = [
            one.value
            for one in list_assessments(run)
            if one.test == test and not one.label and one.value is not None
        ]
        if values:
            title = f"{test}: {run.head.subject}, {len(values)} replies"
            yield f"{test.replace('-', '')}_distribution", _make_bars(title, unit, values)


def _make_curve(title: str, x_title: str, cells: Sequence[Cell]) -> Curve:
    points = tuple(
        Point(cell.place, cell.rate, f"{cell.name.partition('–')[0]} (n={cell.attempts})")
        for cell in cells
        if cell.attempts
    )
    return Curve(title, x_title, "passed", (("", points),))


def _make_bars(title: str, unit: str, values: Sequence[float]) -> Bars:
    top, counts = max(1.0, *values), [0] * _BINS
    for value in values:
        counts[min(_BINS - 1, int(value / top * _BINS))] += 1
    return Bars(title, tuple(f"{n * top / _BINS:.2f}" for n in range(_BINS)), tuple(counts), unit)
