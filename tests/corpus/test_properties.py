"""What must hold of every corpus, whatever its words."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from du_eval.compat.dialog_eval import DIALOG_EVAL
from du_eval.corpus.catalogue import available, select_metrics
from du_eval.corpus.metric import Corpus, Need, Scores
from du_eval.corpus.pipeline import collect_scores, score_metric, sort_metrics
from du_eval.corpus.settings import STANDARD, Definitions, MetricOptions
from tests.corpus.conftest import build

LINES = st.lists(st.lists(st.sampled_from("abcdefg"), max_size=7).map(" ".join), min_size=1, max_size=12)
GIVEN = frozenset(Need) - {Need.JUDGE, Need.CAUSAL_MODEL, Need.TEXT}
EMBEDDING = ("embedding-average", "embedding-extrema", "embedding-greedy")


def scored(corpus: Corpus, mode: Definitions = STANDARD) -> dict[str, Scores]:
    selection = select_metrics(available(mode, MetricOptions()), [])
    outcomes = (score_metric(metric, corpus, GIVEN) for metric in sort_metrics(selection))
    found, _ = collect_scores(selection, outcomes, lambda _name: None)
    return found


def values(corpus: Corpus, mode: Definitions = STANDARD) -> dict[str, float]:
    return {name: s.value for name, s in scored(corpus, mode).items() if s.value is not None}


@settings(deadline=None, max_examples=60)
@given(LINES)
def test_identical_response_and_target_diverge_by_nothing_and_are_as_close_as_can_be(
    lines: list[str],
) -> None:
    found = values(build(lines, lines, lines, lines))
    for name, value in found.items():
        if name.endswith(("kl-div", "js-div")):
            assert value == pytest.approx(0, abs=1e-12), name
        if name in (*EMBEDDING, "coherence", "token-f1", "rouge-l", "bleu-1", "bleu-2", "bleu-3", "bleu-4"):
            assert value == pytest.approx(1, abs=1e-9), name


@settings(deadline=None, max_examples=60)
@given(LINES, st.randoms(use_true_random=False))
def test_the_order_of_the_lines_changes_no_value_and_no_spread(lines: list[str], random: object) -> None:
    pairs = list(zip(lines, lines[::-1], strict=True))
    shuffled = list(pairs)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    one = scored(build(*map(list, zip(*pairs, strict=True)), training=["a b c d e f g"]))
    other = scored(build(*map(list, zip(*shuffled, strict=True)), training=["a b c d e f g"]))
    assert one.keys() == other.keys()
    for name, scores in one.items():
        if name in (*EMBEDDING, "coherence"):
            continue  # the vectors of this test depend on which word comes first
        assert other[name].value == pytest.approx(scores.value, abs=1e-9), name
        assert np.nanstd(other[name].lines) == pytest.approx(np.nanstd(scores.lines), abs=1e-9), name


@settings(deadline=None, max_examples=100)
@given(LINES, LINES)
def test_every_value_stays_within_its_range_and_every_line_is_accounted_for(
    left: list[str], right: list[str]
) -> None:
    many = min(len(left), len(right))
    corpus = build(left[:many], right[:many], right[:many], ["a b c", "c d"])
    columns = {c.name: c for metric in available(STANDARD, MetricOptions()) for c in metric.columns}
    for name, scores in scored(corpus).items():
        assert len(scores.lines) == many, name
        if scores.value is not None:
            assert columns[name].low - 1e-9 <= scores.value <= columns[name].high + 1e-9, name


@settings(deadline=None, max_examples=60)
@given(LINES)
def test_no_mode_crashes_on_empty_lines(lines: list[str]) -> None:
    for mode in (STANDARD, DIALOG_EVAL):
        found = values(build(["", *lines], [*lines, ""], ["", *lines], lines), mode)
        assert "length" in found, mode


def test_only_empty_lines_give_no_value_but_lengths() -> None:
    found = values(build(["", ""], ["", ""], ["", ""], [""]))
    assert found.pop("unique-responses") == 0.5
    assert found == {"length": 0.0}


def test_metrics_that_take_long_are_computed_first_and_shown_where_they_were() -> None:
    selection = select_metrics(
        available(STANDARD, MetricOptions()), ["length", "chrf", "rouge-l", "corpus-bleu"]
    )
    first = [metric.columns[0].name for metric in sort_metrics(selection)][:2]
    assert sorted(first) == ["chrf", "corpus-bleu"]
    lacking = iter([({}, "no")] * len(selection.metrics))
    _, missing = collect_scores(selection, lacking, lambda _name: None)
    assert [name for name, _ in missing] == [column.name for column in selection.columns]
