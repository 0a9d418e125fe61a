"""From files to a report: modes, needs, comparison, plug-ins."""

from __future__ import annotations

from pathlib import Path

import pytest

from du_eval.compat.dialog_eval import DIALOG_EVAL
from du_eval.corpus.catalogue import ORIGINAL_COLUMNS, available, select_metrics
from du_eval.corpus.pipeline import evaluate
from du_eval.corpus.record import MetricsRun
from du_eval.corpus.settings import STANDARD, Files, Settings
from du_eval.errors import InputError, PluginError
from du_eval.statistics.difference import Pair
from du_eval.statistics.paired_means import mean_difference


def run(files: Files, settings: Settings | None = None, metrics: tuple[str, ...] = ()) -> MetricsRun:
    settings = settings or Settings()
    return evaluate(files, select_metrics(available(settings.mode, settings.options), metrics), settings)


def test_metrics_without_their_inputs_are_listed_with_the_reason_and_the_others_run(shop: Path) -> None:
    report = run(Files((str(shop / "good.txt"),)))
    assert list(report.extra.computed)[:3] == ["length", "distinct-1", "distinct-2"]
    assert "bleu-4" in report.extra.not_computed["needs --target"]
    assert "coherence" in report.extra.not_computed["needs --source and --vectors"]
    assert "per-unigram-entropy" in report.extra.not_computed["needs --train-source or --train-target"]


def test_unequal_numbers_of_lines_are_an_error_that_names_the_first_line_without_a_partner(
    shop: Path,
) -> None:
    (shop / "short.txt").write_text("yes\n")
    with pytest.raises(InputError, match=r"short\.txt:2: has 1 line, but .*target\.txt has 4"):
        run(Files((str(shop / "short.txt"),), target=str(shop / "target.txt")))


def test_the_original_stops_at_the_shortest_file_but_counts_whole_files(shop: Path) -> None:
    (shop / "long.txt").write_text((shop / "good.txt").read_text() + "one more line here\n")
    (shop / "vocab.txt").write_text("yes\nit\nis\nno\n")
    files = Files(
        (str(shop / "long.txt"),), target=str(shop / "target.txt"), vocabulary=str(shop / "vocab.txt")
    )
    (file,) = run(files, Settings(mode=DIALOG_EVAL)).extra.files
    length, distinct = file.number("length"), file.number("distinct-1")
    assert length is not None
    assert distinct is not None
    assert length.measured.n == 4
    assert distinct.measured.value == pytest.approx(5 / 15)


def test_all_missing_files_are_reported_at_once(shop: Path) -> None:
    with pytest.raises(InputError) as caught:
        run(Files(("nowhere.txt",), target="neither.txt", vectors=str(shop)))
    assert [problem.message for problem in caught.value.problems] == [
        "does not exist",
        "does not exist",
        "is not a file",
    ]


def test_a_much_worse_system_is_marked_against_its_baseline(shop: Path) -> None:
    for name in ("target", "good", "dull"):
        (shop / f"{name}.txt").write_text((shop / f"{name}.txt").read_text() * 10)
    files = Files((str(shop / "dull.txt"), str(shop / "good.txt")), target=str(shop / "target.txt"))
    report = run(files, Settings(baseline="good"), ("bleu-1", "length", "distinct-1", "unigram-js-div"))
    dull, good = report.extra.files
    verdicts = {one.name: one.verdict for one in dull.metrics}
    assert verdicts == {
        "bleu-1": "worse",
        "length": "different",
        "distinct-1": "worse",
        "unigram-js-div": "worse",
    }
    assert all(result.difference is None for result in good.metrics)


def test_a_system_compared_with_its_copy_differs_in_nothing(shop: Path) -> None:
    (shop / "copy.txt").write_text((shop / "good.txt").read_text())
    files = Files((str(shop / "good.txt"), str(shop / "copy.txt")), target=str(shop / "target.txt"))
    copy = run(files, Settings(baseline="good.txt")).extra.files[1]
    assert all(
        result.difference is not None and result.p == 1 for result in copy.metrics if result.measured.n > 1
    )


def test_an_unknown_baseline_names_the_files(shop: Path) -> None:
    with pytest.raises(InputError, match="not one of the response files"):
        run(Files((str(shop / "good.txt"),)), Settings(baseline="best"))


def test_the_vocabulary_does_not_depend_on_the_vectors(shop: Path) -> None:
    (shop / "train.txt").write_text("yes it is\nno\n")
    plain = Files((str(shop / "good.txt"),), train_source=str(shop / "train.txt"))
    vectors = Files(
        (str(shop / "good.txt"),), train_source=str(shop / "train.txt"), vectors=str(shop / "vectors.txt")
    )
    names = ("per-unigram-entropy", "distinct-1", "unknown-word-rate")
    one, other = (run(files, metrics=names).extra.files[0].metrics for files in (plain, vectors))
    assert [r.measured.value for r in one] == [r.measured.value for r in other]


def test_patterns_groups_and_names_choose_metrics_in_a_fixed_order() -> None:
    known = available(STANDARD, Settings().options)
    assert [c.name for c in select_metrics(known, ["bleu-*", "length"]).columns] == [
        "length",
        *(f"bleu-{n}" for n in range(1, 5)),
    ]
    assert tuple(c.name for c in select_metrics(known, ["dialog-eval"]).columns) == ORIGINAL_COLUMNS
    with pytest.raises(InputError, match="did you mean 'bleu-4'"):
        select_metrics(known, ["blue-4"])


def test_a_class_is_a_metric_and_its_crash_is_a_reason(shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (shop / "own_metrics.py").write_text(
        "import numpy as np\n"
        "from du_eval.corpus.metric import MetricColumn, Scores\n"
        "class Exclamations:\n"
        "    columns = (MetricColumn('exclamations', high=float('inf')),)\n"
        "    needs = frozenset()\n"
        "    def score(self, corpus):\n"
        "        return {'exclamations': Scores(np.ones(len(corpus.responses)))}\n"
        "class Broken(Exclamations):\n"
        "    columns = (MetricColumn('broken'),)\n"
        "    def score(self, corpus):\n"
        "        raise ZeroDivisionError('oops')\n"
        "class Nothing: pass\n"
        "class Columnless(Exclamations):\n"
        "    columns = ()\n"
    )
    monkeypatch.chdir(shop)
    report = run(Files((str(shop / "good.txt"),)), metrics=("own_metrics:Exclamations", "own_metrics:Broken"))
    assert [r.measured.value for r in report.extra.files[0].metrics] == [1.0]
    assert report.extra.not_computed == {"the metric failed: ZeroDivisionError: oops": ("broken",)}
    with pytest.raises(PluginError, match="is not a metric"):
        select_metrics((), ["own_metrics:Nothing"])
    with pytest.raises(PluginError, match="'own_metrics:Columnless' has no columns"):
        select_metrics((), ["own_metrics:Columnless"])


def test_smoothing_six_leaves_out_lines_where_it_is_undefined(shop: Path) -> None:
    from du_eval.corpus.settings import MetricOptions

    files = Files((str(shop / "good.txt"),), target=str(shop / "target.txt"))
    settings = Settings(options=MetricOptions(bleu_smoothing="6"))
    result = run(files, settings, ("bleu-4",)).extra.files[0].metrics[0]
    assert 0 < result.measured.n < 4


def test_a_difference_of_few_lines_has_the_interval_of_a_comparison(shop: Path) -> None:
    files = Files((str(shop / "good.txt"), str(shop / "dull.txt")), target=str(shop / "target.txt"))
    report = run(files, Settings(baseline="good"), ("length",))
    found = report.extra.files[1].metrics[0]
    lines = [(shop / f"{name}.txt").read_text().splitlines() for name in ("good", "dull")]
    pairs = [
        Pair(place, float(len(one.split())), float(len(other.split())))
        for place, (one, other) in enumerate(zip(*lines, strict=True))
    ]
    right = mean_difference(pairs)
    assert right is not None
    assert (found.difference, found.p) == pytest.approx((right.value, right.p))
    assert found.spread == right.interval
    assert "difference:sign-flip+student:0.95" in report.head.signature
