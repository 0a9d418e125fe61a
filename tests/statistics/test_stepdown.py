"""Many figures share one correction that costs no more than it must."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from du_eval.statistics.counts import Counts
from du_eval.statistics.difference import Pair, Unseen, cluster_sums
from du_eval.statistics.paired_f1 import f1_differences
from du_eval.statistics.paired_rates import rate_difference
from du_eval.statistics.resampling import Resampling
from du_eval.statistics.significance import (
    adjust_p,
    adjust_together,
    adjust_unseen,
    cluster_sign_flip,
    draw_swaps,
    step_down,
)


def test_one_figure_needs_no_correction_and_few_clusters_are_counted_one_by_one() -> None:
    sums = dict(enumerate([3.0, -1.0, 2.0, 2.0, -2.0, 1.0]))
    assert adjust_p([sums], Resampling()) == [pytest.approx(cluster_sign_flip(list(sums.values())))]


def test_all_swaps_are_taken_where_there_are_few() -> None:
    patterns, is_all = draw_swaps(4, Resampling(16))
    assert is_all
    assert sorted(map(tuple, patterns.tolist())) == sorted(product((0.0, 1.0), repeat=4))
    drawn, is_all = draw_swaps(5, Resampling(16))
    assert (drawn.shape, is_all) == ((16, 5), False)


def test_each_figure_is_held_against_the_largest_of_those_that_are_left() -> None:
    first, second = [2.0, 1.0, 1.0, 1.0], [1.0, -1.0, 0.0, 1.0]
    signs = np.array(list(product((-1, 1), repeat=4)))
    tables = np.array([first, second]).T
    spread = np.sqrt((tables**2).sum(axis=0))
    drawn, seen = np.abs(signs @ tables) / spread, np.abs(tables.sum(axis=0)) / spread
    expected = [(drawn.max(axis=1) >= seen[0] - 1e-9).mean(), (drawn[:, 1] >= seen[1] - 1e-9).mean()]
    found = adjust_p([dict(enumerate(first)), dict(enumerate(second))], Resampling())
    assert found == pytest.approx([expected[0], max(expected)])


def test_figures_that_move_together_cost_nothing() -> None:
    sums = dict.fromkeys(range(8), 1.0)
    assert adjust_p([sums] * 5, Resampling()) == [pytest.approx(2 / 2**8)] * 5


def test_without_any_change_there_is_no_evidence() -> None:
    assert adjust_p([{1: 0.0}, {}], Resampling()) == [1.0, 1.0]
    assert adjust_p([{1: 0.0}, {2: 1.0}], Resampling())[0] == 1.0
    assert adjust_p([], Resampling()) == []


def test_a_figure_that_is_undefined_in_some_swaps_is_no_evidence() -> None:
    nan = float("nan")
    found = step_down(
        np.array([nan, 1.0]), np.array([[nan, 1.0], [0.5, -1.0]]), np.array([1.0, 1.0]), is_all=True
    )
    assert found == [1.0, 1.0]


def test_equal_figures_are_called_different_at_most_as_often_as_alpha() -> None:
    random, tries, wrong = np.random.default_rng(3), 400, 0
    for _ in range(tries):
        shared = random.integers(-1, 2, 30)
        tables = [shared + random.integers(-1, 2, 30) for _ in range(4)]
        wrong += min(adjust_p([dict(enumerate(one.tolist())) for one in tables], Resampling(500))) < 0.05
    assert wrong / tries <= 0.05 + 0.022


def test_one_command_that_got_worse_is_found_among_many_that_did_not_change() -> None:
    random = np.random.default_rng(5)
    before, after = [], []
    for _ in range(40):
        names = {f"c{number}": Counts(tp=1, total=1) for number in range(10)}
        is_lost = random.random() < 0.25
        before.append(names)
        after.append({**names, "c3": Counts(fn=1, total=1)} if is_lost else names)
    found = f1_differences(before, after).commands
    assert found["c3"].adjusted_p < 0.05
    assert {one.adjusted_p for name, one in found.items() if name != "c3"} == {1.0}


def test_a_command_that_many_win_and_few_lose_as_a_whole_is_seldom_called_different() -> None:
    random, tries, called = np.random.default_rng(6), 200, 0
    for _ in range(tries):
        draw = random.random(60)
        before = [
            {"a": Counts(4 - won, 0, won, 4)} for won in ((draw >= 0.03) & (draw < 0.15)).astype(int).tolist()
        ]
        after = [{"a": Counts(4 - lost, 0, lost, 4)} for lost in (4 * (draw < 0.03)).astype(int).tolist()]
        p = f1_differences(before, after, Resampling(500)).commands["a"].adjusted_p
        called += p is not None and p < 0.05
    assert called / tries <= 0.05 + 0.03


def test_less_evidence_never_has_a_smaller_p() -> None:
    swapped = np.array([[3.0, 0.0], [3.0, 0.0], [0.0, 0.0], [0.0, 0.0]])
    assert step_down(np.array([3.0, 2.0]), swapped, np.ones(2), is_all=True) == [0.5, 0.5]


def test_swaps_that_are_drawn_never_give_a_p_of_zero() -> None:
    swapped = np.zeros((99, 1))
    assert step_down(np.array([3.0]), swapped, np.ones(1), is_all=False) == [0.01]


def test_a_command_that_got_right_everywhere_has_a_small_p_and_an_interval_above_zero() -> None:
    before = [{"a": Counts(0, 0, 1, 1)}] * 8 + [{"a": Counts(1, 0, 0, 1)}] * 12
    changes = f1_differences(before, [{"a": Counts(1, 0, 0, 1)}] * 20)
    for found in (changes.commands["a"], changes.averages["macro"]):
        assert found.p == pytest.approx(2 / 2**8)
        assert found.interval is not None
        assert found.interval.low > 0
    assert changes.commands["a"].adjusted_p == pytest.approx(2 / 2**8)


def test_a_command_that_no_drawn_swap_equals_has_the_smallest_p_that_the_draws_allow() -> None:
    lost, right = {"a": Counts(0, 0, 1, 1)}, {"a": Counts(1, 0, 0, 1)}
    found = f1_differences([right] * 30, [lost] * 30, Resampling(499)).commands["a"]
    assert found.p == pytest.approx(1 / 500)


def test_conversations_without_a_command_say_nothing_about_how_much_others_could_lose() -> None:
    right, worse, other = {"a": Counts(4, 0, 0, 4)}, {"a": Counts(3, 0, 1, 4)}, {"b": Counts(1, 0, 0, 1)}
    alone = f1_differences([right] * 9, [worse] * 6 + [right] * 3).commands["a"]
    among = f1_differences([right] * 9 + [other] * 40, [worse] * 6 + [right] * 3 + [other] * 40).commands["a"]
    assert among.p == pytest.approx(alone.p)
    assert alone.p is not None
    assert alone.p > 0.2


def test_what_is_unseen_counts_as_often_as_verdicts_are_given() -> None:
    sure, less, open_, none = (Unseen(gained, 0.0, 0.0, 4.0) for gained in (20.0, 12.0, 1.0, 0.0))
    assert open_.p() == none.p() == 1.0
    assert adjust_unseen([less]) == [less.p()]
    assert adjust_unseen([none, less, open_, sure]) == [1.0, less.p(), 1.0, 2 * sure.p()]
    assert adjust_unseen([less, less]) == [2 * less.p()] * 2
    assert adjust_unseen([Unseen(9.0), less]) == [0.0, less.p()]


def test_verdicts_given_together_are_corrected_by_swaps_and_by_what_is_unseen() -> None:
    pairs = [Pair(step // 4, 1.0, float(step % 4 > 0 or step >= 40)) for step in range(200)]
    found = rate_difference(pairs)
    assert found is not None
    sums = {cluster: total for cluster, (total, _) in cluster_sums(pairs).items()}
    assert found.p == found.unseen.p() > cluster_sign_flip(list(sums.values()))
    assert adjust_together([found], [sums], Resampling(500)) == [found.p]
    assert adjust_together([found] * 3, [sums] * 3, Resampling(500)) == [pytest.approx(3 * found.p)] * 3
