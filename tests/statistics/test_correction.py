"""Rates are corrected for the mistakes of their judge, with intervals that hold."""

from __future__ import annotations

from random import Random

import pytest

from du_eval.statistics.correction import (
    CorrectionMethod,
    JudgeCalibration,
    JudgedReply,
    correct_by_calibration,
    correct_rate,
    order_to_label,
)


def run_of(labelled: list[tuple[bool, bool]], rest: list[bool]) -> list[JudgedReply]:
    """Return a run: (verdict, label) of what is labelled, and the other verdicts."""
    return [JudgedReply(said, label) for said, label in labelled] + [JudgedReply(said) for said in rest]


def draw(
    random: Random, rate: float, judge: tuple[float, float], labelled: int, total: int
) -> list[JudgedReply]:
    found = []
    for place in range(total):
        label = random.random() < rate
        passed = random.random() < (judge[0] if label else 1 - judge[1])
        found.append(JudgedReply(passed, label if place < labelled else None))
    return found


def test_a_judge_that_is_too_kind_is_corrected_downwards() -> None:
    # 40 labelled: 20 right passes, 10 wrong passes, 10 right fails; the judge passes 75 of 100 others
    labelled = [(True, True)] * 20 + [(True, False)] * 10 + [(False, False)] * 10
    found = correct_rate(run_of(labelled, [True] * 75 + [False] * 25))
    # covariance 0.5 - 0.75 * 0.5 = 0.125, variance 0.1875, weight 0.125 / (1.4 * 0.1875) = 0.4762
    assert found.method is CorrectionMethod.PREDICTION_POWERED
    assert found.rate.value == pytest.approx(0.5)
    assert found.raw.value == pytest.approx(105 / 140)
    assert found.labelled.value == pytest.approx(0.5)


def test_the_rest_of_the_run_moves_the_rate_by_the_weight() -> None:
    labelled = [(True, True)] * 20 + [(True, False)] * 10 + [(False, False)] * 10
    found = correct_rate(run_of(labelled, [True] * 95 + [False] * 5))
    pooled = 125 / 140
    weight = 0.125 / (1.4 * pooled * (1 - pooled))
    assert found.rate.value == pytest.approx(0.5 + weight * (0.95 - 0.75))


def test_few_labelled_failures_leave_the_labels_alone() -> None:
    labelled = [(True, True)] * 91 + [(False, False)] * 9
    found = correct_rate(run_of(labelled, [True] * 500))
    assert found.method is CorrectionMethod.LABELS_ONLY
    assert found.rate == found.labelled
    assert correct_rate(run_of([], [True] * 5)).rate.value is None


def test_a_useless_judge_gets_no_weight_and_a_good_one_narrows_the_interval() -> None:
    coin = [(bool(n % 2), n % 4 < 2) for n in range(100)]
    found = correct_rate(run_of(coin, [True, False] * 250))
    assert found.rate.value == pytest.approx(found.labelled.value)
    good = [(n % 4 < 2, n % 4 < 2) for n in range(100)]
    narrow = correct_rate(run_of(good, [True, False] * 250))
    assert narrow.rate.interval is not None
    assert narrow.labelled.interval is not None
    width = narrow.rate.interval.high - narrow.rate.interval.low
    assert width < 0.6 * (narrow.labelled.interval.high - narrow.labelled.interval.low)


def test_replies_of_one_conversation_are_not_independent() -> None:
    labelled = [(n % 4 < 3, n % 4 < 2) for n in range(100)]
    apart = correct_rate(
        [JudgedReply(said, label) for said, label in labelled] + [JudgedReply(passed=True)] * 99
    )
    grouped = [JudgedReply(said, label, f"c{n % 4}") for n, (said, label) in enumerate(labelled)]
    together = correct_rate([*grouped, *[JudgedReply(passed=True)] * 99])
    assert apart.rate.interval is not None
    assert together.rate.interval is not None
    assert together.rate.interval.high - together.rate.interval.low > 2 * (
        apart.rate.interval.high - apart.rate.interval.low
    )


def test_so_many_more_labels_halve_the_interval() -> None:
    random = Random(3)
    found = correct_rate(draw(random, 0.6, (0.9, 0.9), 100, 50_000))
    assert found.more_labels is not None
    again = correct_rate(draw(Random(4), 0.6, (0.9, 0.9), 100 + found.more_labels, 50_000))
    assert found.rate.interval is not None
    assert again.rate.interval is not None
    share = (again.rate.interval.high - again.rate.interval.low) / (
        found.rate.interval.high - found.rate.interval.low
    )
    assert share == pytest.approx(0.5, abs=0.1)


def test_sensitivity_and_specificity_from_elsewhere_correct_a_rate() -> None:
    calibration = JudgeCalibration(passes=98, passes_found=89, fails=98, fails_found=84)
    assert (calibration.sensitivity, calibration.specificity) == (0.9, 0.85)
    found = correct_by_calibration(7500, 10_000, calibration)
    assert found is not None
    assert found.value == pytest.approx((0.75 + 0.85 - 1) / 0.75, abs=0.001)
    assert found.interval is not None
    assert found.interval.low < 0.8 < found.interval.high


def test_a_judge_no_better_than_chance_corrects_nothing() -> None:
    assert correct_by_calibration(50, 100, JudgeCalibration(20, 8, 20, 8)) is None
    assert correct_by_calibration(50, 100, JudgeCalibration(0, 0, 20, 20)) is None


@pytest.mark.parametrize(("rate", "right", "wrong"), [(0.8, 0.9, 0.85), (0.6, 0.75, 0.7)])
def test_corrected_intervals_hold_where_raw_ones_do_not(rate: float, right: float, wrong: float) -> None:
    random = Random(7)
    ours = raw = 0
    for _ in range(200):
        found = correct_rate(draw(random, rate, (right, wrong), 100, 600))
        for interval, is_ours in ((found.rate.interval, True), (found.raw.interval, False)):
            assert interval is not None
            holds = interval.low <= rate <= interval.high
            ours, raw = ours + (holds and is_ours), raw + (holds and not is_ours)
    assert ours >= 0.9 * 200
    assert raw <= 0.8 * 200


def test_what_is_labelled_next_is_spread_over_the_doubt_and_has_no_favourites() -> None:
    doubts = [n / 128 for n in range(128)]
    orders = [order_to_label(doubts, seed) for seed in range(400)]
    assert all(sorted(order) == list(range(128)) for order in orders)
    assert all(sum(place < 64 for place in order[:16]) == 8 for order in orders)
    counts = [sum(place in order[:16] for order in orders) for place in range(128)]
    assert min(counts) > 25
    assert max(counts) < 80
    assert order_to_label([]) == []


def test_odd_numbers_of_replies_have_no_favourites_either() -> None:
    first = [order_to_label([0.0, 0.5, 1.0], seed)[0] for seed in range(900)]
    assert all(200 < first.count(place) < 400 for place in range(3))


def test_replies_that_the_judge_left_open_are_counted_by_their_labels() -> None:
    decided = [JudgedReply(passed=n % 2 == 0, label=n % 2 == 0) for n in range(40)]
    left_open = [JudgedReply(passed=None, label=True) for _ in range(40)]
    rest = [JudgedReply(passed=n % 2 == 0) for n in range(200)] + [JudgedReply(passed=None)] * 200
    found = correct_rate([*decided, *left_open, *rest])
    assert found.raw.n == 240
    assert found.raw.value == 0.5
    assert found.rate.value == pytest.approx(0.75, abs=0.01)


def test_labels_within_conversations_that_go_on_unlabelled_do_not_count_as_independent() -> None:
    together = [JudgedReply(n < 30, n < 30 if k < 5 else None, f"{n}") for n in range(60) for k in range(10)]
    apart = [JudgedReply(one.passed, one.label) for one in together]
    split, alone = correct_rate(together).rate.interval, correct_rate(apart).rate.interval
    assert split is not None
    assert alone is not None
    assert split.width > 1.5 * alone.width
