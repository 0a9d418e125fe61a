"""The folder of a quality run: spreadsheets, JSON, plots and conversations."""

from __future__ import annotations

from pathlib import Path

from du_eval.quality.results import QualityReport
from du_eval.quality.store import as_text, json_lines
from du_eval.reports.files import json_text, write
from du_eval.reports.quality_data import quality_data
from du_eval.reports.quality_plots import charts, png, svg
from du_eval.reports.quality_xlsx import Shown, report_xlsx, summary_xlsx


def write_quality(
    report: QualityReport, folder: Path, shown: Shown, *, with_conversations: bool = True
) -> list[str]:
    """Write all files of a report and return their names."""
    files: dict[str, str | bytes] = {
        "results.json": json_text(quality_data(report)),
        "report.xlsx": report_xlsx(report, shown),
        "summary.xlsx": summary_xlsx(report),
    }
    for chart in charts(report):
        files[f"plots/{chart.name}.svg"] = svg(chart)
        picture = png(chart)
        if picture is not None:
            files[f"plots/{chart.name}.png"] = picture
    if with_conversations:
        files["conversations.jsonl"] = json_lines(report.dialogues)
        for dialogue in report.dialogues:
            files[f"conversations/conversation_{dialogue.number}.txt"] = as_text(dialogue)
    for name, content in files.items():
        write(folder / name, content)
    return list(files)
