"""Figures one by one: each has its own verdict, and one word holds for all of them."""

from __future__ import annotations

import numpy as np
import pytest

from du_eval.errors import InputError
from du_eval.reports.comparison_data import comparison_data
from du_eval.reports.renderers.markdown import render_markdown
from du_eval.reports.renderers.terminal import render_terminal
from du_eval.reports.views.comparison import view_comparison
from du_eval.runs.comparison import Comparison, compare_runs, compare_with_baseline
from du_eval.runs.figures import Direction, Figure
from du_eval.runs.gates import judge_comparison
from du_eval.runs.outcome import Outcome
from du_eval.runs.records import SCORED, RunRecord, StepRecord
from du_eval.statistics.intervals import Measurement
from du_eval.statistics.verdict import Criteria, Verdict


def as_text(comparison: Comparison) -> str:
    return render_terminal(view_comparison(comparison))


def as_markdown(comparison: Comparison) -> str:
    return render_markdown(view_comparison(comparison))


def scored(values: dict[str, list[float]], figures: dict[str, Figure], name: str = "run") -> RunRecord:
    """Return a run over lines, with figures that decide each on its own."""
    count = max(map(len, values.values()))
    steps = tuple(
        StepRecord(
            "responses", f"line {line}", 1, "", SCORED, question="q",
            scores={metric: found[line] for metric, found in values.items() if line < len(found)},
        )
        for line in range(count)
    )  # fmt: skip
    return RunRecord(name, steps, unit="lines", activity="metrics", decides=False, figures=figures)


UP, DOWN, OPEN = (
    Figure("m", Measurement(None, 0), better=direction, unit="score") for direction in Direction
)


def changed(shift: float, figure: Figure, spread: float = 0.1, lines: int = 200) -> Comparison:
    random = np.random.default_rng(0)
    before = random.normal(1, 0.3, lines)
    after = before + shift + random.normal(0, spread, lines)
    runs = ({"metric": values.tolist()} for values in (before, after))
    return compare_runs(*(scored(values, {"metric": figure}) for values in runs))


@pytest.mark.parametrize(
    ("shift", "figure", "verdict"),
    [
        (0.1, UP, Verdict.IMPROVED),
        (0.1, DOWN, Verdict.REGRESSED),
        (-0.1, UP, Verdict.REGRESSED),
        (0.1, OPEN, Verdict.CHANGED),
        (0.0, UP, Verdict.EQUIVALENT),
    ],
)
def test_the_direction_of_a_figure_decides_what_a_change_means(
    shift: float, figure: Figure, verdict: Verdict
) -> None:
    (measure,) = changed(shift, figure, spread=0.05).measures
    assert measure.verdict is verdict


def test_a_figure_without_a_direction_never_makes_a_run_better_or_worse() -> None:
    assert changed(0.5, OPEN).verdict is Verdict.UNDECIDED
    assert changed(0.5, UP).verdict is Verdict.IMPROVED


def test_one_regressed_figure_is_enough_and_both_are_named() -> None:
    random = np.random.default_rng(1)
    base = random.normal(1, 0.2, 300)
    noise = random.normal(0, 0.05, 300)
    before = {"a": base.tolist(), "b": base.tolist()}
    after = {"a": (base + 0.1 + noise).tolist(), "b": (base - 0.1 + noise).tolist()}
    found = compare_runs(scored(before, {"a": UP, "b": UP}), scored(after, {"a": UP, "b": UP}))
    assert found.verdict is Verdict.REGRESSED
    text = as_text(found)
    assert "1 improved, 1 regressed" in text
    assert "regressed: b 0.9" in text
    assert "improved: a 0.9" in text
    assert "| a | ↑ | 300 |" in as_markdown(found)


def test_equal_figures_are_called_different_at_most_as_often_as_alpha_all_together() -> None:
    random = np.random.default_rng(2)
    names = [f"m{number}" for number in range(8)]
    wrong, tries = 0, 150
    for _ in range(tries):
        before, after = ({name: random.exponential(1, 12).tolist() for name in names} for _ in range(2))
        figures = dict.fromkeys(names, UP)
        found = compare_runs(scored(before, figures), scored(after, figures))
        wrong += found.verdict in {Verdict.IMPROVED, Verdict.REGRESSED}
    assert wrong / tries <= 0.05 + 0.02


def test_the_interval_of_a_mean_holds_the_truth_as_often_as_it_says() -> None:
    random = np.random.default_rng(3)
    hits, tries = 0, 400
    for _ in range(tries):
        before = random.normal(0, 1, 30)
        after = before + random.normal(0.2, 0.5, 30)
        (measure,) = compare_runs(
            scored({"m": before.tolist()}, {"m": UP}), scored({"m": after.tolist()}, {"m": UP})
        ).measures
        hits += measure.found.interval.low <= 0.2 <= measure.found.interval.high
    assert 0.93 <= hits / tries <= 0.98


def test_a_figure_that_never_varied_still_has_a_width() -> None:
    values = {"m": [0.0] * 40}
    (measure,) = compare_runs(scored(values, {"m": UP}), scored(values, {"m": UP})).measures
    assert measure.found.interval.low < 0 < measure.found.interval.high
    assert measure.verdict is Verdict.EQUIVALENT


def test_undecided_figures_say_how_much_more_would_decide_and_never_less_than_swaps_need() -> None:
    before, after = {"m": [0.0, 0.0, 0.0]}, {"m": [1.0, 1.0, 1.0]}
    figures = {"m": Figure("m", Measurement(None, 0))}
    found = compare_runs(scored(before, figures), scored(after, figures))
    (measure,) = found.measures
    assert measure.verdict is Verdict.UNDECIDED
    assert measure.needed == 6  # 2 / 2^6 is below 0.05, 2 / 2^5 is not
    assert "about 3 more lines would decide about m" in as_text(found)


def test_many_runs_share_the_chance_of_being_wrong_where_figures_decide() -> None:
    base = scored({"m": [0.0] * 6}, {"m": Figure("m", Measurement(None, 0))})
    other = scored({"m": [1.0] * 6}, {"m": Figure("m", Measurement(None, 0))})
    assert compare_with_baseline(base, [other])[0].verdict is Verdict.IMPROVED
    assert compare_with_baseline(base, [other, other])[0].verdict is Verdict.UNDECIDED


def test_runs_of_different_kinds_are_refused() -> None:
    with pytest.raises(InputError, match="du-eval metrics and 'b' one of du-eval test"):
        compare_runs(scored({"m": [1.0]}, {}, "a"), RunRecord("b", ()))


@pytest.mark.parametrize(
    ("shift", "figure", "outcome"),
    [
        (-0.1, UP, Outcome.FAILED),
        (0.1, DOWN, Outcome.FAILED),
        (0.1, UP, Outcome.PASSED),
        (0.0, DOWN, Outcome.PASSED),
    ],
)
def test_a_gate_over_figures_fails_on_one_that_fell(shift: float, figure: Figure, outcome: Outcome) -> None:
    assert judge_comparison(changed(shift, figure, spread=0.05), 0.02).outcome is outcome


def test_a_gate_over_figures_is_undecided_where_the_data_cannot_tell() -> None:
    assert judge_comparison(changed(0.0, UP, spread=1.0, lines=20), 0.02).outcome is Outcome.UNDECIDED


def _with_others(others: int) -> Comparison:
    """Return a figure that lost a little more than is allowed, beside others that wander up and down."""
    random = np.random.default_rng(4)
    before = {"m": [1.0] * 100} | {f"o{n}": random.normal(1, 0.3, 100).tolist() for n in range(others)}
    after = {name: (np.array(found) + random.normal(0, 0.1, 100)).tolist() for name, found in before.items()}
    after["m"] = [0.855, 1.055] * 50
    figures = dict.fromkeys(before, UP)
    return compare_runs(scored(before, figures), scored(after, figures), Criteria(margin=0.02))


def test_a_gate_needs_more_proof_where_more_figures_could_fail_it_by_chance() -> None:
    assert judge_comparison(_with_others(0), 0.02).outcome is Outcome.FAILED
    assert judge_comparison(_with_others(11), 0.02).outcome is Outcome.UNDECIDED


def test_intervals_hold_zero_where_the_correction_takes_a_verdict_back() -> None:
    taken_back = 0
    for one in (*_with_others(30).measures, *_with_others(3).measures):
        is_proven = one.verdict in {Verdict.IMPROVED, Verdict.REGRESSED}
        assert is_proven == (not one.found.interval.low <= 0 <= one.found.interval.high)
        taken_back += one.found.p < 0.05 <= one.adjusted_p
    assert taken_back


def test_samples_and_checks_give_rates_with_the_case_as_the_unit_of_chance() -> None:
    def run(passed: int) -> RunRecord:
        steps = tuple(
            StepRecord(
                "a.hocon", f"case {case}", 1, "hello", "passed", question="q", sample=sample,
                scores={"text keywords": float(sample <= passed), "text similar": 1.0},
            )
            for case in range(10)
            for sample in (1, 2, 3)
        )  # fmt: skip
        return RunRecord("run", steps, activity="agent", unit="agent cases")

    found = compare_runs(run(3), run(1))
    (measure,) = found.measures
    assert (measure.name, measure.found.n, measure.found.clusters) == ("text keywords", 10, 10)
    assert measure.after == pytest.approx(1 / 3)
    assert measure.verdict is Verdict.REGRESSED
    assert comparison_data(found)["measures"][0]["effect_size"] == -0.5


def test_the_margin_of_a_metric_is_a_share_of_its_value() -> None:
    values = [100.0 + number % 7 for number in range(300)]
    moved = [value + 1 for value in values]
    (found,) = compare_runs(
        scored({"m": values}, {"m": UP}), scored({"m": moved}, {"m": UP}), Criteria(margin=0.02)
    ).measures
    assert found.margin == pytest.approx(2.06, abs=0.01)
