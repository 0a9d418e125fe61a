"""Intervals of F1 hold the truth: by command, and of the averages."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from du_eval.statistics.clusters import clustered_interval
from du_eval.statistics.counts import Counts, averages, pool_counts
from du_eval.statistics.f1 import MACRO, MICRO, WEIGHTED, F1Intervals, f1_intervals
from du_eval.statistics.intervals import Interval
from tests.statistics.simulating_f1 import Commands, draw_cases, true_scores

HIT, MISS, WRONG = Counts(tp=1, total=1), Counts(fn=1, total=1), Counts(fp=1)
MIXED = [{"a": HIT, "b": MISS}, {"a": HIT}, {"a": MISS, "b": HIT}, {"b": WRONG}, {"a": HIT, "b": HIT}] * 6


def as_f1(share: float) -> float:
    return 2 * share / (1 + share)


def test_each_command_and_each_average_has_an_interval_around_its_score() -> None:
    counts, found = pool_counts(MIXED), f1_intervals(MIXED)
    means = averages(counts)
    assert set(found.commands) == {"a", "b"}
    for name, interval in found.commands.items():
        assert 0 <= interval.low < counts[name].f1 < interval.high <= 1
    for name, value in ((MACRO, means.macro), (MICRO, means.micro), (WEIGHTED, means.weighted)):
        assert found.averages[name].low < value < found.averages[name].high


def test_the_interval_of_a_command_is_that_of_its_jaccard_share() -> None:
    cases = [{"a": Counts(tp=3, fn=1, total=4)}, {"a": Counts(tp=1, fp=2, total=1)}, {"a": HIT}] * 5
    share = clustered_interval([(3, 4), (1, 3), (1, 1)] * 5)
    assert f1_intervals(cases).commands["a"] == Interval(as_f1(share.low), as_f1(share.high))


def test_the_average_of_one_command_is_at_least_as_wide_as_the_command() -> None:
    cases = [{"a": HIT}, {"a": MISS}, {"a": HIT}] * 7
    found = f1_intervals(cases)
    assert found.averages[MACRO].low <= found.commands["a"].low + 1e-12
    assert found.averages[MACRO].high >= found.commands["a"].high - 1e-12
    assert found.averages[MICRO] == found.commands["a"]


def test_independent_commands_make_their_mean_surer_than_each_of_them() -> None:
    cases = [
        {name: HIT if (row + column) % 5 else MISS} for row in range(20) for column, name in enumerate("abcd")
    ]
    found = f1_intervals(cases)
    assert found.averages[MACRO].width == pytest.approx(found.commands["a"].width / 2, rel=0.25)


def test_commands_that_fail_together_do_not_make_their_mean_surer() -> None:
    right, wrong = dict.fromkeys("abcd", HIT), dict.fromkeys("abcd", MISS)
    found = f1_intervals([right, right, right, wrong] * 20)
    assert found.averages[MACRO].width > 0.8 * found.commands["a"].width


def test_weights_are_how_often_commands_are_expected() -> None:
    often = [{"often": HIT if row % 4 else MISS} for row in range(80)]
    found = f1_intervals([*often, {"rare": HIT}])
    assert found.averages[WEIGHTED].width < found.averages[MACRO].width / 2


def test_whole_conversations_are_the_unit_of_chance() -> None:
    alone = [{"a": HIT}] * 50 + [{"a": MISS}] * 50
    together = [{"a": Counts(tp=10, total=10)}] * 5 + [{"a": Counts(fn=10, total=10)}] * 5
    assert f1_intervals(together).commands["a"].width > 2 * f1_intervals(alone).commands["a"].width


def test_more_confidence_needs_a_wider_interval_and_more_cases_a_narrower_one() -> None:
    for name in (MACRO, MICRO, WEIGHTED):
        usual = f1_intervals(MIXED).averages[name].width
        assert f1_intervals(MIXED, 0.99).averages[name].width > usual
        assert f1_intervals(MIXED * 10).averages[name].width < usual / 2


@pytest.mark.parametrize("cases", [1, 2, 5, 40])
def test_a_perfect_score_is_not_taken_for_certain(cases: int) -> None:
    expected = Interval(pytest.approx(as_f1(clustered_interval([(1, 1)] * cases).low)), 1.0)
    found = f1_intervals([{"a": HIT}] * cases)
    assert found.commands == {"a": expected}
    assert found.averages == {MACRO: expected, MICRO: expected, WEIGHTED: expected}


def test_a_command_that_is_only_predicted_scores_zero_and_has_no_weight() -> None:
    found = f1_intervals([{"a": WRONG}] * 5)
    assert found.commands["a"].low == 0.0 < found.commands["a"].high < 1
    assert set(found.averages) == {MACRO, MICRO}


@pytest.mark.parametrize("cases", [[], [{}], [{}, {}], [{"silent": Counts()}] * 3])
def test_without_counts_there_are_no_intervals(cases: list[dict[str, Counts]]) -> None:
    assert f1_intervals(cases) == F1Intervals()


counts = st.builds(Counts, st.integers(0, 3), st.integers(0, 3), st.integers(0, 3), st.integers(0, 6))


@given(st.lists(st.dictionaries(st.sampled_from("abc"), counts, max_size=3), max_size=6))
@settings(deadline=None, max_examples=150)
def test_whatever_is_counted_gives_intervals_within_zero_and_one(cases: list[dict[str, Counts]]) -> None:
    found = f1_intervals(cases)
    for interval in (*found.commands.values(), *found.averages.values()):
        assert 0 <= interval.low <= interval.high <= 1
    for name, interval in found.commands.items():
        assert interval.low - 1e-9 <= pool_counts(cases)[name].f1 <= interval.high + 1e-9


@pytest.mark.parametrize(
    "commands", [Commands(12, 0.8, 0.3), Commands(30, 0.95, 0.5), Commands(40, 0.9, 0.0)], ids=str
)
def test_intervals_cover_the_true_scores(commands: Commands) -> None:
    random, tries = np.random.default_rng(7), 250
    truth = true_scores(commands)
    hits = dict.fromkeys(truth, 0)
    for _ in range(tries):
        found = f1_intervals(draw_cases(commands, random))
        for name, interval in {**found.commands, **found.averages}.items():
            hits[name] += interval.low <= truth[name] <= interval.high
    assert min(hits[name] for name in (MACRO, MICRO, WEIGHTED, "c0")) / tries > 0.91


def test_the_weights_of_commands_are_chance_where_conversations_are_about_one_each() -> None:
    right, wrong = {"a": Counts(tp=8, total=8)}, {"b": Counts(tp=2, fn=2, total=4)}
    found = f1_intervals([right, wrong] * 10).averages[WEIGHTED]
    fixed = f1_intervals([{**right, **wrong}] * 10).averages[WEIGHTED]
    assert found.high > fixed.high + 0.02
