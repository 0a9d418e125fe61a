"""What lies beside a quality run: spreadsheets of the document, plots and conversations."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from du_eval.quality.dialogue import Dialogue
from du_eval.quality.record import QualityRun
from du_eval.quality.store import as_text, json_lines
from du_eval.reports.files import write
from du_eval.reports.quality_xlsx import (
    Shown,
    write_cases_xlsx,
    write_summary_xlsx,
    write_toxicity_csv,
    write_toxicity_csv_v2,
)
from du_eval.reports.renderers.charts import draw_svg, list_charts
from du_eval.reports.sections import Bars, Curve
from du_eval.reports.views.quality import view_quality


def write_quality(run: QualityRun, folder: Path, shown: Shown) -> list[str]:
    """Write all files of a run and return their names."""
    view = view_quality(run)
    files: dict[str, str | bytes] = {
        "report.xlsx": write_cases_xlsx(run, shown),
        "summary.xlsx": write_summary_xlsx(run, view),
    }
    drawn = list_charts(view)
    for name, kind in (("curves", Curve), ("scores", Bars)):
        charts = [chart for chart in drawn if isinstance(chart, kind)]
        if charts:
            files[f"plots/{name}.svg"] = draw_svg(charts, run.head.subject)
    if run.extra is not None and run.extra.compat:
        for place, case in enumerate(run.cases, 1):
            name = f"distributions/REQ_P2_runID-{place}"
            files[f"{name}.csv"] = write_toxicity_csv(case)
            files[f"{name}v2.csv"] = write_toxicity_csv_v2(case)
    for name, content in files.items():
        write(folder / name, content)
    return list(files)


def write_conversations(dialogues: Sequence[Dialogue], folder: Path, texts: str) -> list[str]:
    """Write conversations as JSON lines, and as text files in a folder of their own; return their names."""
    files = {"conversations.jsonl": json_lines(dialogues)}
    files |= {f"{texts}/conversation_{dialogue.number}.txt": as_text(dialogue) for dialogue in dialogues}
    for name, content in files.items():
        write(folder / name, content)
    return list(files)
