"""What lies beside a quality run: spreadsheets of the document, plots and conversations."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from du_eval.quality.dialogue import Dialogue
from du_eval.quality.results import QualityReport
from du_eval.quality.store import as_text, json_lines
from du_eval.reports.files import write
from du_eval.reports.quality_emely import toxicity_csv
from du_eval.reports.quality_plots import charts, png, svg
from du_eval.reports.quality_xlsx import Shown, report_xlsx, summary_xlsx


def write_quality(report: QualityReport, folder: Path, shown: Shown) -> list[str]:
    """Write all files of a report and return their names."""
    files: dict[str, str | bytes] = {
        "report.xlsx": report_xlsx(report, shown),
        "summary.xlsx": summary_xlsx(report),
    }
    for chart in charts(report):
        files[f"plots/{chart.name}.svg"] = svg(chart)
        picture = png(chart)
        if picture is not None:
            files[f"plots/{chart.name}.png"] = picture
    if report.compat:
        for place, dialogue in enumerate(report.dialogues, 1):
            files[f"distributions/REQ_P2_runID-{place}v2.csv"] = toxicity_csv(report, dialogue.number)
    for name, content in files.items():
        write(folder / name, content)
    return list(files)


def write_conversations(dialogues: Sequence[Dialogue], folder: Path, texts: str) -> None:
    """Write conversations as JSON lines, and as text files in a folder of their own."""
    write(folder / "conversations.jsonl", json_lines(dialogues))
    for dialogue in dialogues:
        write(folder / texts / f"conversation_{dialogue.number}.txt", as_text(dialogue))
