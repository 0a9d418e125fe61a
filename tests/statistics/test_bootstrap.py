import random

import pytest

from du_eval.statistics.bootstrap import f1_intervals
from du_eval.statistics.counts import Counts, averages, pooled
from du_eval.statistics.intervals import Interval, wilson

HIT, MISS, WRONG = Counts(tp=1, total=1), Counts(fn=1, total=1), Counts(fp=1)
MIXED = [{"a": HIT, "b": MISS}, {"a": HIT}, {"a": MISS, "b": HIT}, {"b": WRONG}, {"a": HIT, "b": HIT}] * 6


def as_f1(share: float) -> float:
    return 2 * share / (1 + share)


class TestResampling:
    def test_each_name_and_both_averages_have_an_interval_around_their_score(self) -> None:
        counts, found = pooled(MIXED), f1_intervals(MIXED)
        scores = {name: part.f1 for name, part in counts.items()}
        scores |= {"macro": averages(counts).macro, "micro": averages(counts).micro}
        assert set(found) == {"a", "b", "macro", "micro"}
        for name, interval in found.items():
            assert 0 <= interval.low < scores[name] < interval.high <= 1

    def test_the_same_seed_gives_the_same_intervals(self) -> None:
        assert f1_intervals(MIXED, seed=3) == f1_intervals(MIXED, seed=3)

    def test_another_seed_gives_others_that_are_much_alike(self) -> None:
        first, second = f1_intervals(MIXED, seed=1), f1_intervals(MIXED, seed=2)
        assert first != second
        for name in first:
            assert first[name].low == pytest.approx(second[name].low, abs=0.05)

    def test_more_confidence_needs_a_wider_interval(self) -> None:
        wide, narrow = f1_intervals(MIXED, 0.99)["micro"], f1_intervals(MIXED, 0.80)["micro"]
        assert wide.low < narrow.low < narrow.high < wide.high

    def test_more_cases_give_a_narrower_interval(self) -> None:
        few, many = f1_intervals(MIXED)["micro"], f1_intervals(MIXED * 10)["micro"]
        assert many.high - many.low < (few.high - few.low) / 2

    def test_whole_conversations_are_drawn(self) -> None:
        alone = [{"a": HIT}] * 50 + [{"a": MISS}] * 50
        together = [{"a": Counts(tp=10, total=10)}] * 5 + [{"a": Counts(fn=10, total=10)}] * 5
        narrow, wide = f1_intervals(alone)["a"], f1_intervals(together)["a"]
        assert wide.high - wide.low > 2 * (narrow.high - narrow.low)

    def test_the_number_of_resamples_may_be_any(self) -> None:
        assert set(f1_intervals(MIXED, resamples=7)) == {"a", "b", "macro", "micro"}

    def test_it_covers_the_true_score_about_as_often_as_it_says(self) -> None:
        dice, truth, runs = random.Random(11), as_f1(0.7), 150
        covered = 0
        for _ in range(runs):
            cases = [{"a": HIT if dice.random() < 0.7 else MISS} for _ in range(60)]
            found = f1_intervals(cases, resamples=200)["a"]
            covered += found.low <= truth <= found.high
        assert covered / runs > 0.88


class TestWhereAllResamplesAgree:
    @pytest.mark.parametrize("cases", [1, 2, 5, 40])
    def test_a_perfect_score_is_not_taken_for_certain(self, cases: int) -> None:
        share = wilson(cases, cases)
        expected = Interval(pytest.approx(as_f1(share.low)), 1.0)
        assert f1_intervals([{"a": HIT}] * cases) == {"a": expected, "macro": expected, "micro": expected}

    @pytest.mark.parametrize("part", [MISS, WRONG, Counts(fp=1, fn=1, total=1)])
    def test_a_score_of_zero_is_not_taken_for_certain(self, part: Counts) -> None:
        attempts = 5 * (part.fp + part.fn)
        expected = Interval(0.0, pytest.approx(as_f1(wilson(0, attempts).high)))
        assert f1_intervals([{"a": part}] * 5)["a"] == expected

    def test_more_cases_make_it_more_certain(self) -> None:
        lows = [f1_intervals([{"a": HIT}] * cases)["a"].low for cases in (1, 2, 5, 20, 100)]
        assert lows == sorted(lows)
        assert lows[-1] > 0.95

    def test_equal_cases_in_between_have_an_interval_around_their_score(self) -> None:
        found = f1_intervals([{"a": Counts(tp=2, fp=1, fn=1, total=3)}] * 4)["a"]
        assert found.low < 2 / 3 < found.high

    def test_a_command_of_a_single_case_is_not_taken_for_certain(self) -> None:
        found = f1_intervals([*MIXED, {"rare": HIT}])
        assert found["rare"] == Interval(pytest.approx(as_f1(wilson(1, 1).low)), 1.0)
        assert found["a"] == f1_intervals([*MIXED, {"rare": HIT}], seed=0)["a"]

    def test_the_average_over_commands_averages_their_intervals(self) -> None:
        found = f1_intervals([{"a": HIT, "b": Counts(tp=9, total=9)}])
        assert found["macro"].low == pytest.approx((found["a"].low + found["b"].low) / 2)
        assert found["micro"] == Interval(pytest.approx(as_f1(wilson(10, 10).low)), 1.0)


class TestNothingToResample:
    @pytest.mark.parametrize("clusters", [[], [{}], [{}, {}]])
    def test_without_counts_there_are_no_intervals(self, clusters: list[dict[str, Counts]]) -> None:
        assert f1_intervals(clusters) == {}

    def test_a_name_without_any_count_has_no_interval(self) -> None:
        assert set(f1_intervals([{"a": HIT, "silent": Counts()}] * 3)) == {"a", "macro", "micro"}

    def test_only_names_without_counts_have_no_intervals(self) -> None:
        assert f1_intervals([{"silent": Counts()}] * 3) == {}
