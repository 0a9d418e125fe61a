"""The page on corpus metrics names all of them, and its example metric is the one that ships."""

from __future__ import annotations

from pathlib import Path

from du_eval.compat.dialog_eval import DIALOG_EVAL
from du_eval.corpus.bleu import SMOOTHINGS
from du_eval.corpus.catalogue import available
from du_eval.corpus.settings import STANDARD, MetricOptions
from du_eval.reports.writing import FORMATS


def test_every_metric_and_report_form_is_documented(project: Path) -> None:
    text = (project / "docs" / "metrics.md").read_text(encoding="utf-8")
    for metric in available(STANDARD, MetricOptions()):
        for column in metric.columns:
            stem, _, order = column.name.rpartition("-")
            assert column.name in text or (order.isdigit() and f"{stem}-1 … 4" in text), column.name
    assert all(f"`.{ending}`" in text for ending in FORMATS if ending not in {"yml", "yaml"})
    assert all(name in text for name in SMOOTHINGS if not name.isdigit())


def test_the_example_metric_of_the_page_is_the_one_that_ships(project: Path) -> None:
    text = (project / "docs" / "metrics.md").read_text(encoding="utf-8")
    source = (project / "examples" / "corpus" / "politeness.py").read_text(encoding="utf-8")
    assert source.split('"""\n\n', 1)[1] in text


def test_both_modes_have_the_seventeen_metrics_of_the_original() -> None:
    names = [
        {c.name for m in available(mode, MetricOptions()) for c in m.columns}
        for mode in (STANDARD, DIALOG_EVAL)
    ]
    assert names[1] <= names[0]
    assert len(names[1]) == 17
