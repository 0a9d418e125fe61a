"""A suite can be simulated, and a plan keeps what it promises."""

from __future__ import annotations

import numpy as np
import pytest

from du_eval.statistics.counts import Counts
from du_eval.statistics.f1 import MACRO, f1_intervals
from du_eval.statistics.planning import Wish, size_comparison
from du_eval.statistics.selfcheck import (
    Simulation,
    Suite,
    check_interval,
    check_macro_f1,
    describe_suite,
    simulate_power,
)
from tests.statistics.simulating_rates import Model, Setting, draw_runs


@pytest.mark.parametrize(("rate", "correlation"), [(0.8, 0.0), (0.8, 0.3), (0.6, 0.7)])
def test_a_suite_is_known_by_its_sizes_its_rate_and_its_correlation(rate: float, correlation: float) -> None:
    drawn = draw_runs(Setting(Model.BETA, 2000, (2, 6), rate, correlation), 1, np.random.default_rng(1))
    clusters = list(zip(drawn.successes[0].tolist(), drawn.attempts[0].tolist(), strict=True))
    found = describe_suite([*clusters, (0, 0)])
    assert found is not None
    assert found.sizes == tuple(drawn.attempts[0].tolist())
    assert found.rate == pytest.approx(rate, abs=0.03)
    assert found.correlation == pytest.approx(correlation, abs=0.05)


def test_a_perfect_run_still_has_chances_to_fail_and_nothing_is_no_suite() -> None:
    found = describe_suite([(4, 4)] * 5)
    assert found is not None
    assert 0.9 < found.rate < 1
    assert describe_suite([(0, 0)]) is None


def test_intervals_hold_on_an_ordinary_suite() -> None:
    found = check_interval(Suite((4,) * 60, 0.9, 0.2), plan=Simulation(300))
    assert 0.92 <= found.coverage <= 1
    assert found.width == pytest.approx(0.1, abs=0.03)


def test_macro_f1_is_checked_on_conversations_drawn_from_the_run() -> None:
    right, wrong = Counts(tp=1, total=1), Counts(fn=1, total=1)
    cases = [{"a": right, "b": right if number % 3 else wrong} for number in range(40)]
    found = check_macro_f1(cases, plan=Simulation(200))
    assert found is not None
    assert 0.93 <= found.coverage <= 1
    assert found.width == pytest.approx(f1_intervals(cases).averages[MACRO].width, rel=0.2)
    assert check_macro_f1([{}, {"a": Counts()}]) is None


def test_power_grows_with_the_loss_and_with_the_suite() -> None:
    small, large = Suite((4,) * 30, 0.9, 0.2), Suite((4,) * 200, 0.9, 0.2)
    plan = Simulation(120)
    assert simulate_power(small, 0.0, plan=plan) <= 0.08
    assert simulate_power(small, 0.05, plan=plan) < 0.6 < simulate_power(large, 0.05, plan=plan)
    assert simulate_power(large, 0.02, plan=plan) < simulate_power(large, 0.1, plan=plan)


@pytest.mark.parametrize(("loss", "correlation"), [(0.05, 0.0), (0.1, 0.1)])
def test_a_plan_gives_the_power_that_it_promises(loss: float, correlation: float) -> None:
    effect = 1 + 3 * correlation
    found = size_comparison(Wish(loss), 4, effect)
    suite = Suite((4,) * found.about, 0.9, correlation)
    assert 0.68 <= simulate_power(suite, loss, plan=Simulation(300)) <= 0.92


def test_samples_save_conversations_but_not_calls_and_the_range_holds_the_plan() -> None:
    once, often = (size_comparison(Wish(0.03), 4, samples=samples) for samples in (1, 5))
    assert often.about < once.about < 5 * often.about
    assert once.low < once.about < once.high


@pytest.mark.parametrize("loss", [0.0, 1.0, -0.1])
def test_a_loss_that_cannot_be_is_refused(loss: float) -> None:
    with pytest.raises(ValueError, match="between 0 and 1"):
        size_comparison(Wish(loss), 4)


def test_runs_that_lose_nothing_are_hardly_ever_said_to_lose() -> None:
    suite = Suite((2,) * 40, 0.9, 0.0)
    assert simulate_power(suite, 0.0, plan=Simulation(20)) <= 0.1
    assert simulate_power(suite, 0.5, plan=Simulation(5)) == 1.0


def test_intervals_are_checked_at_95_percent_unless_said_otherwise() -> None:
    cases = [{"a": Counts(tp=int(number % 4 > 0), fn=int(number % 4 == 0), total=1)} for number in range(12)]
    plan, suite = Simulation(5), Suite((3,) * 8, 0.8, 0.1)
    assert check_macro_f1(cases, plan=plan) == check_macro_f1(cases, 0.95, plan)
    assert check_interval(suite, plan=plan) == check_interval(suite, 0.95, plan)
