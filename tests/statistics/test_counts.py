from itertools import combinations_with_replacement

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from du_eval.statistics.counts import (
    Averages,
    Counts,
    LostSteps,
    averages,
    bound_averages,
    bound_command,
    cohen_kappa,
    pool_counts,
    sum_counts,
)

numbers = st.integers(0, 50)
counts = st.builds(Counts, numbers, numbers, numbers, numbers)


class TestOneCommand:
    def test_precision_recall_and_f1_come_from_the_counts(self) -> None:
        found = Counts(tp=6, fp=2, fn=4, total=10)
        assert found.precision == pytest.approx(0.75)
        assert found.recall == pytest.approx(0.6)
        assert found.f1 == pytest.approx(2 * 0.75 * 0.6 / (0.75 + 0.6))

    def test_without_predictions_precision_is_undefined(self) -> None:
        found = Counts(fn=3, total=3)
        assert (found.precision, found.recall, found.f1) == (None, 0.0, 0.0)

    def test_without_expectations_recall_is_undefined(self) -> None:
        found = Counts(fp=3)
        assert (found.precision, found.recall, found.f1) == (0.0, None, 0.0)

    def test_without_either_all_three_are_undefined(self) -> None:
        assert (Counts().precision, Counts().recall, Counts().f1) == (None, None, None)

    @given(counts)
    @settings(deadline=None)
    def test_f1_lies_between_precision_and_recall(self, found: Counts) -> None:
        if found.precision is not None and found.recall is not None and found.f1 is not None:
            low, high = sorted((found.precision, found.recall))
            assert low - 1e-12 <= found.f1 <= high + 1e-12


class TestSums:
    def test_counts_are_added_member_by_member(self) -> None:
        assert Counts(1, 2, 3, 4) + Counts(10, 20, 30, 40) == Counts(11, 22, 33, 44)

    def test_the_sum_of_nothing_is_nothing(self) -> None:
        assert sum_counts([]) == Counts()

    @given(st.lists(counts))
    @settings(deadline=None)
    def test_the_order_of_a_sum_does_not_matter(self, parts: list[Counts]) -> None:
        assert sum_counts(parts) == sum_counts(reversed(parts))

    def test_parts_are_pooled_by_name_in_order_of_first_occurrence(self) -> None:
        found = pool_counts([{"b": Counts(tp=1)}, {"a": Counts(fp=1), "b": Counts(fn=1)}])
        assert list(found.items()) == [("b", Counts(tp=1, fn=1)), ("a", Counts(fp=1))]


class TestAverages:
    BY_NAME = {"good": Counts(tp=8, total=8), "poor": Counts(tp=1, fp=1, fn=1, total=2)}  # noqa: RUF012 - never changed

    def test_macro_is_the_mean_over_commands(self) -> None:
        assert averages(self.BY_NAME).macro == pytest.approx((1.0 + 0.5) / 2)

    def test_micro_comes_from_summed_counts(self) -> None:
        assert averages(self.BY_NAME).micro == pytest.approx(18 / 20)

    def test_weighted_follows_how_often_a_command_is_expected(self) -> None:
        assert averages(self.BY_NAME).weighted == pytest.approx((8 * 1.0 + 2 * 0.5) / 10)

    def test_a_command_without_f1_is_skipped_and_counted(self) -> None:
        found = averages({**self.BY_NAME, "silent": Counts()})
        assert found == Averages(0.75, pytest.approx(0.9), pytest.approx(0.9), skipped=1)

    def test_without_commands_all_are_undefined(self) -> None:
        assert averages({}) == Averages(None, None, None)

    def test_without_expectations_only_the_weighted_one_is_undefined(self) -> None:
        assert averages({"a": Counts(fp=2)}) == Averages(0.0, 0.0, None)


small = st.builds(lambda tp, fp, fn: Counts(tp, fp, fn, tp + fn), *[st.integers(0, 4)] * 3)


class TestLostSteps:
    def test_a_step_may_have_given_as_many_commands_as_it_expects_and_one_if_it_expects_none(self) -> None:
        assert LostSteps.of([["a", "b"], ["a"], []]) == LostSteps({"a": 2, "b": 1}, 4)

    def test_at_worst_every_lost_command_is_a_false_positive_of_this_one(self) -> None:
        worst, best = bound_command(Counts(5, 1, 2, 7), "a", LostSteps({"a": 2, "b": 1}, 3))
        assert worst == Counts(5, 4, 4, 9)
        assert best == Counts(7, 1, 2, 9)

    @given(
        st.dictionaries(st.sampled_from("abc"), small, min_size=1),
        st.lists(st.sampled_from("abc"), max_size=3),
    )
    @settings(deadline=None)
    def test_no_answers_of_lost_steps_lead_beyond_the_bounds(
        self, by_name: dict[str, Counts], expected: list[str]
    ) -> None:
        low, high = bound_averages(by_name, LostSteps.of([name] for name in expected))
        missing = pool_counts([by_name, *({name: Counts(fn=1, total=1)} for name in expected)])
        names = sorted(name for name, counts in missing.items() if counts.tp + counts.fp + counts.fn)
        if not names:
            return
        found = [
            averages(pool_counts([missing, *({name: Counts(fp=1)} for name in given)]))
            for given in combinations_with_replacement(names, len(expected))
        ]
        assert low.macro == pytest.approx(min(one.macro for one in found))
        assert low.micro == pytest.approx(min(one.micro for one in found))
        right = averages(pool_counts([by_name, *({name: Counts(tp=1, total=1)} for name in expected)]))
        assert (high.macro, high.micro) == (pytest.approx(right.macro), pytest.approx(right.micro))
        if right.weighted is not None:
            assert high.weighted == pytest.approx(right.weighted)
            assert low.weighted == pytest.approx(min(one.weighted for one in found))


class TestKappa:
    def test_it_is_one_for_agreement_and_zero_for_chance(self) -> None:
        assert cohen_kappa(["a", "b"], ["a", "b"]) == 1
        assert cohen_kappa(["a", "a", "b", "b"], ["a", "b", "a", "b"]) == 0

    def test_it_is_what_agreement_adds_to_chance(self) -> None:
        yes_and_no = [("y", "y")] * 20 + [("y", "n")] * 5 + [("n", "y")] * 10 + [("n", "n")] * 15
        one, other = zip(*yes_and_no, strict=True)
        assert cohen_kappa(one, other) == pytest.approx(0.4)

    def test_it_is_undefined_without_labels_without_pairs_and_without_a_choice(self) -> None:
        assert cohen_kappa([], []) is None
        assert cohen_kappa(["a", "b"], ["a"]) is None
        assert cohen_kappa(["a"], ["a"]) is None
