"""Every figure of the statistics stays what it is: a small example for each branch of each formula.

Other tests say that the figures are right, on the whole and at length; this one says in a second that none has
changed. Where a formula is meant to change, write the examples again and look at the difference:

    DU_EVAL_UPDATE_GOLDEN=1 .venv/bin/python -m pytest tests/statistics/test_recorded.py
    git diff tests/statistics/recorded.json
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from math import isinf, isnan
from pathlib import Path

import numpy as np
import pytest
from msgspec import Struct
from msgspec.structs import asdict

from du_eval.statistics import (
    clusters,
    correction,
    distance,
    f1,
    jackknife,
    paired_f1,
    paired_means,
    paired_rates,
    planning,
    quantiles,
    selfcheck,
    sequential,
    significance,
    success,
)
from du_eval.statistics.correction import JudgeCalibration, JudgedReply
from du_eval.statistics.counts import Counts
from du_eval.statistics.difference import Difference, Pair, agree, cluster_sums
from du_eval.statistics.intervals import Interval, wilson, wilson_at
from du_eval.statistics.planning import RepeatedItem, SoughtVerdict, Wish
from du_eval.statistics.resampling import Resampling
from du_eval.statistics.selfcheck import Simulation, Suite
from du_eval.statistics.verdict import Criteria

FILE = Path(__file__).with_name("recorded.json")
IS_UPDATE = os.environ.get("DU_EVAL_UPDATE_GOLDEN") == "1"  # read before a fixture cleans the environment

UNEVEN = [(1, 2), (0, 3), (2, 2), (5, 9), (0, 1), (0, 4), (1, 6)]
PLAN = Resampling(200, 3, 0.9)
SEARCHED = SoughtVerdict(0.02)


def pairs(*changes: float, size: int = 3, start: float = 0.5) -> list[Pair]:
    """Return pairs in clusters of some size, with these changes."""
    return [Pair(place // size, start, start + change) for place, change in enumerate(changes)]


def replies(labelled: int, rest: int, *, groups: int = 0) -> list[JudgedReply]:
    """Return replies whose judge is often right, with labels on the first of them."""
    return [
        JudgedReply(
            None if place % 11 == 5 else place % 3 > 0,
            place % 4 > 0 if place < labelled else None,
            f"g{place % groups}" if groups else "",
        )
        for place in range(labelled + rest)
    ]


def cases(shift: int = 0) -> list[dict[str, Counts]]:
    """Return the counts of some conversations; a shift makes some of them worse."""
    return [
        {
            "a": Counts(tp=2 - (place % 5 < shift), fp=place % 2, fn=int(place % 5 < shift), total=2),
            **({"b": Counts(tp=1, fn=place % 3, total=1 + place % 3)} if place % 4 else {}),
            **({"c": Counts(fp=1)} if place == 5 else {}),
        }
        for place in range(12)
    ]


GAIN = paired_rates.rate_difference(pairs(1, 1, 0, 0, 1, 0, -1, 0, 0, 0, 0, 0, start=0))
LOSS = paired_means.mean_difference(pairs(-0.2, 0.1, 0, -0.4, 0, 0, 0.05, -0.1))
SAME = paired_rates.rate_difference(pairs(*[0.0] * 12))
LEVEL = Difference(-0.01, 50, 0.4, Interval(-0.1, 0.08), Interval(-0.08, 0.06), 20, 4, variance=0.04)
REPEATED = [RepeatedItem(0.5, 0.75, (4, 4)), RepeatedItem(1.0, 0.5, (4, 4)), RepeatedItem(0.25, 1.0, (4, 4))]
VALUES = np.array([0.1, 0.9, np.nan, 0.4, 0.5, 0.5, 0.2, 1.0])
TABLE = np.column_stack([VALUES, VALUES[::-1] / 2])
SUITE = Suite((3, 5, 2, 8, 1, 4), 0.8, 0.3)
BRIEF = Simulation(12, 4)


def looked(*batches: list[Pair], looks: int = 3, margin: float = 0.02) -> list[object]:
    """Return what a comparison in batches says after each of them."""
    comparison = sequential.SequentialComparison(Criteria(margin=margin), looks)
    return [comparison.add(batch) for batch in batches]


def _sum_many() -> list[object]:
    rows = np.column_stack([np.arange(2100) % 7, np.arange(2100) % 5, np.zeros(2100)])
    value, pseudo = jackknife.from_sums(rows, lambda sums: float(sums[0] / sums[1] + sums[2]))
    return [value, pseudo[:4].tolist(), float(pseudo.std())]


EXAMPLES: Mapping[str, Callable[[], object]] = {
    "clusters, uneven": lambda: clusters.clustered_proportion(UNEVEN),
    "clusters, mostly right": lambda: clusters.clustered_proportion([(n - g, n) for g, n in UNEVEN], 0.9),
    "clusters, half": lambda: clusters.clustered_interval([(1, 2), (3, 3), (0, 3), (2, 4)]),
    "clusters, half of each": lambda: clusters.clustered_interval([(2, 2), (0, 2), (1, 1), (0, 1)]),
    "clusters, none": lambda: clusters.clustered_interval([(0, 2), (0, 5), (0, 1)]),
    "clusters, all": lambda: clusters.clustered_interval([(2, 2), (5, 5), (1, 1), (0, 0)]),
    "clusters, one right": lambda: clusters.clustered_interval([(1, 4), (0, 5), (0, 1)], 0.8),
    "clusters, sixty": lambda: clusters.clustered_interval([(n % 3 == 0, 1 + n % 2) for n in range(60)]),
    "clusters, hundred and fifty": lambda: clusters.clustered_interval([(n % 5 > 1, 1 + n % 4) for n in range(150)]),
    "clusters, many alike": lambda: clusters.clustered_interval([(4 * (n % 9 == 0), 4) for n in range(160)]),
    "clusters, rare in many": lambda: clusters.clustered_interval([(n == 7, 3) for n in range(90)]),
    "clusters, all different": lambda: clusters.clustered_interval([(4, 4), (0, 4), (4, 4), (0, 4), (0, 4)]),
    "clusters, too few": lambda: [clusters.clustered_interval([(1, 1)] * n + [(0, 2)]) for n in (0, 1, 2)],
    "clusters, nothing": lambda: [clusters.clustered_proportion([]), clusters.proportion(0, 0)],
    "single attempts": lambda: [clusters.proportion(good, n) for good, n in ((3, 10), (9, 10), (1, 1), (0, 5))],
    "correction, powered": lambda: correction.correct_rate(replies(60, 90)),
    "correction, in groups": lambda: correction.correct_rate(replies(60, 90, groups=9), 0.9),
    "correction, one group": lambda: correction.correct_rate(replies(60, 40, groups=1)),
    "correction, few labels": lambda: correction.correct_rate(replies(20, 50)),
    "correction, as few as allowed": lambda: correction.correct_rate(replies(40, 5)),
    "correction, everything labelled": lambda: correction.correct_rate(replies(60, 0)),
    "correction, no labels": lambda: correction.correct_rate(replies(0, 5)),
    "correction, always one verdict": lambda: correction.correct_rate([JudgedReply(True, n % 2 > 0 if n < 40 else None) for n in range(60)]),
    "calibration": lambda: correction.correct_by_calibration(60, 100, JudgeCalibration(40, 36, 30, 25)),
    "calibration, low": lambda: correction.correct_by_calibration(5, 100, JudgeCalibration(40, 36, 30, 20), 0.9),
    "calibration, high": lambda: correction.correct_by_calibration(99, 100, JudgeCalibration(10, 8, 10, 9)),
    "calibration, no use": lambda: [
        correction.correct_by_calibration(6, 10, JudgeCalibration(*counts))
        for counts in ((10, 5, 10, 5), (0, 0, 10, 9), (10, 9, 0, 0), (10, 4, 10, 5))
    ],
    "calibration, smallest": lambda: correction.correct_by_calibration(1, 1, JudgeCalibration(1, 1, 1, 1)),
    "order to label": lambda: [correction.order_to_label([0.3, 0.1, 0.9, 0.5, 0.5, 0.2, 0.7], seed) for seed in (0, 1)] + [correction.order_to_label([0.1, 0.1, 0.1])],
    "agreement of test and interval": lambda: [
        agree(Interval(*ends), p, 0.05, is_gain=is_gain)
        for ends in ((-0.2, 0.3), (0.1, 0.3), (-0.3, -0.1), (-0.3, 0.0))
        for p in (0.04, 0.05, 0.06)
        for is_gain in (True, False)
    ],
    "sums of clusters": lambda: list(cluster_sums(pairs(0.5, -0.25, 0, 1, 1)).items()),
    "distances of texts": lambda: [
        distance.text_distance(*two)
        for two in (("kitten", "sitting"), ("ab", "ba"), ("", "abc"), ("abc", ""), ("same", "same"), ("x" * 250, "x" * 201), ("flaw", "lawn"))
    ],
    "edits": lambda: [
        distance.edit_distance(*two)
        for two in (("kitten", "sitting"), ("ab", "ba"), ("", "abc"), ("ca", "abc"), ("abcd", "acbd"), ("abcdef", "badcfe"), ("aa", "a"))
    ],
    "inversions": lambda: [distance.inversions(order) for order in ([], [0, 1, 2], [2, 1, 0], [1, 1, 0], [0, 2, 1, 3])],
    "assignments": lambda: [
        distance.find_cheapest_assignment(costs)
        for costs in ([], [[3.0]], [[4, 1, 3], [2, 0, 5], [3, 2, 2]], [[1, 2, 9, 4], [2, 1, 3, 1]], [[0.5, 0.5], [0.1, 0.9]], [[7, 5, 9, 8], [5, 4, 7, 1], [2, 3, 6, 4]])
    ],
    "intervals of F1": lambda: f1.f1_intervals(cases(2)),
    "intervals of F1, sure": lambda: f1.f1_intervals(cases(), 0.8),
    "intervals of F1, one case": lambda: f1.f1_intervals(cases(1)[:1]),
    "intervals of F1, only predicted": lambda: f1.f1_intervals([{"c": Counts(fp=2)}, {"c": Counts(fp=1)}]),
    "intervals of F1, in one case": lambda: f1.f1_intervals([{"a": Counts(tp=3, total=3)}, {"b": Counts(tp=1, fn=2, total=3)}, {}]),
    "table of counts": lambda: f1.count_table(cases(1)[:3], ["a", "c"]).tolist(),
    "Wilson": lambda: [wilson(*counts) for counts in ((3, 10), (0, 4), (4, 4), (0, 0), (1, 2, 0.8))],
    "Wilson, fractions": lambda: [wilson_at(*counts) for counts in ((2.5, 7.5, 2.0), (0.0, 3.5, 1.5), (3.5, 3.5, 1.5))],
    "changes of F1": lambda: paired_f1.f1_differences(cases(), cases(2), PLAN),
    "changes of F1, none": lambda: paired_f1.f1_differences(cases()[:5], cases()[:5], PLAN),
    "changes of F1, all swaps": lambda: paired_f1.f1_differences(cases()[:4], cases(3)[:4], PLAN),
    "changes of F1, undefined": lambda: paired_f1.f1_differences([{"a": Counts()}, {}], [{"a": Counts(tp=1, total=1)}, {"b": Counts(fp=1)}], PLAN),
    "half widths": lambda: [
        paired_means.clustered_half_width(VALUES, sizes, 0.9, largest)
        for sizes in ((), (2, 3, 3), (2, 1, 5), (1, 1))
        for largest in (None, 1.0)
    ],
    "half widths, equal values": lambda: [paired_means.clustered_half_width(np.array([0.3, 0.3, 0.3]), (), 0.9, largest) for largest in (None, 1.0)],
    "half widths, one cluster": lambda: paired_means.clustered_half_width(VALUES, (8,), 0.9),
    "means": lambda: [paired_means.clustered_mean([[1, 2], [], [4], [8, 1, 1]], most=most) for most in (10.0, float("inf"))],
    "means, shares": lambda: [paired_means.clustered_mean(some, 0.8, 1.0) for some in ([[0.2, 1], [0.0]], [[0.5]], [[1.0], [1.0], [1.0]], [])],
    "differences of means": lambda: [
        paired_means.mean_difference(pairs(*changes), seed=2)
        for changes in ((0.3, 0.1, 0.4, 0.2, 0.2, 0.9, 0.1), (-3, -2, -5, -1, -4, -2, -9, -9, -9, -3, -2, -2, -1, -1, -1, -4, -4, -4), (0, 0, 0, 0), (0.25,))
    ],
    "differences of means, other values": lambda: paired_means.mean_difference([Pair(0, 2, 2), Pair(1, 5, 5)], 0.1),
    "differences of means, nothing": lambda: [paired_means.mean_difference([]), paired_means.mean_difference([Pair(0, 0, 0)])],
    "score intervals": lambda: [
        paired_rates.score_interval(*counts) for counts in ((3, 1, 20, 1.96), (0, 0, 15, 1.96), (5, 0, 5, 1.64), (0, 5, 5, 1.64), (2.5, 0.5, 7.5, 2), (1, 1, 0, 2))
    ],
    "design effects": lambda: [
        paired_rates.design_effect(sums, values)
        for sums, values in (
            ([(1, 2), (-1, 2), (0, 1)], [1, 0, -1, 0, 0]),
            ([(2, 2), (0, 2), (0, 2)], [1, 1, 0, 0, 0, 0]),
            ([(0, 3), (0, 2)], [0.0] * 5),
            ([(1, 4)], [1, 0, 0, 0]),
            ([(0.5, 2), (0.2, 2)], [0.25, 0.25, 0.1, 0.1]),
            ([(2, 2), (2, 2)], [1.0] * 4),
        )
    ],
    "differences of rates": lambda: [GAIN, SAME, LOSS],
    "differences of rates, shares": lambda: [paired_rates.rate_difference(pairs(0.5, -0.25, 0.25, 0, 0.5, 0.5, 0.25), 0.1, 5), paired_rates.rate_difference([])],
    "differences of rates, losses": lambda: paired_rates.rate_difference(pairs(*[-1, -1, 0] * 8, start=1), 0.1),
    "differences of rates, single steps": lambda: paired_rates.rate_difference(pairs(1, -1, 0, 1, 1, 0, 0, 0, 0, size=1, start=0)),
    "items needed": lambda: [
        planning.plan_items(found, SoughtVerdict(margin, 0.05, power))
        for found in (GAIN, SAME, LOSS, LEVEL)
        for margin, power in ((0.02, 0.8), (0.0, 0.9), (0.3, 0.8))
    ],
    "items to exclude": lambda: [
        planning.items_to_exclude(found, bound, SEARCHED) for found in (GAIN, LOSS, LEVEL) for bound in (-0.05, 0.1, -0.01)
    ],
    "samples needed": lambda: [
        planning.plan_samples(items, needed)
        for items, needed in ((REPEATED, 6), (REPEATED, 4), (REPEATED, 100), (REPEATED, None), (REPEATED[:2], 4), ([REPEATED[0], RepeatedItem(0, 1, (1, 1)), REPEATED[2]], 6), (REPEATED[:1], 4), ([RepeatedItem(0, 1, (1, 1))] * 3, 4), ([RepeatedItem(0, 1, (3, 3)), RepeatedItem(1, 1, (3, 3))], 3))
    ],
    "sizes of comparisons": lambda: [
        planning.size_comparison(Wish(loss, alpha, power), steps, effect, samples)
        for loss, alpha, power, steps, effect, samples in ((0.05, 0.05, 0.8, 4, 1.5, 1), (0.1, 0.1, 0.9, 1, 3, 2), (0.02, 0.05, 0.8, 8.5, 0.5, 5), (0.9, 0.05, 0.8, 30, 2, 1))
    ],
    "quantiles": lambda: [quantiles.t_quantile(share, freedom) for share in (0.025, 0.5, 0.9, 0.999) for freedom in (1, 2.5, 10, 400, 2e7)],
    "shares of Student": lambda: [quantiles.t_share(value, freedom) for value in (-3.0, -0.1, 0.0, 0.7, 40.0) for freedom in (1, 3.3, 60)],
    "normal": lambda: [quantiles.normal_quantile(0.9), quantiles.normal_share(-1.5)],
    "percentiles": lambda: [quantiles.percentiles([3, 1, 2, 10]), quantiles.percentiles([]), quantiles.percentile([5.0], 90), quantiles.percentile([], 5), quantiles.summarise([4.0, 1.0, 2.0]), quantiles.summarise([])],
    "pseudo-values": lambda: [jackknife.from_left_out(0.5, VALUES[3:]).tolist(), jackknife.from_derivatives(0.5, VALUES[3:]).tolist()],
    "pseudo-values of sums": lambda: [jackknife.from_sums(np.array(rows, float), lambda sums: float(sums[0] / (1 + sums[1]))) for rows in ([[1, 2], [3, 1], [0, 4]], [[2, 5]])],
    "pseudo-values of many sums": _sum_many,
    "suites": lambda: [selfcheck.describe_suite(found) for found in (UNEVEN, [(3, 3), (0, 3), (0, 0)], [(1, 1), (0, 1)], [(0, 0)], [(5, 5)])],
    "checked intervals": lambda: [selfcheck.check_interval(SUITE, 0.8, BRIEF), selfcheck.check_interval(Suite((4, 4, 4), 0.5, 0.0), plan=BRIEF)],
    "checked macro F1": lambda: [selfcheck.check_macro_f1(cases(2), 0.8, BRIEF), selfcheck.check_macro_f1([{}])],
    "simulated power": lambda: [selfcheck.simulate_power(SUITE, loss, noise, 0.1, BRIEF) for loss, noise in ((0.3, 0.02), (0.7, 0.0), (0.0, 0.1))],
    "spent alpha": lambda: [sequential.spend(0.05, share) for share in (0.2, 0.5, 1.0)],
    "boundaries": lambda: [
        sequential.find_boundary(np.array([1.0, 4.0, 2.0, 3.0, 4.0]), np.array(going), spent)
        for going in ([True] * 5, [True, False, True, True, True])
        for spent in (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
    ],
    "levels of looks": lambda: [sequential.plan_levels(0.05, 1), sequential.plan_levels(0.05, 3)],
    "looks, a gain": lambda: looked(*[pairs(*[1.0] * 18, start=0)] * 4),
    "looks, a loss": lambda: looked(*[pairs(*[-1.0, 0.0, 0.0] * 8, start=1, size=1)] * 3),
    "looks, no change": lambda: looked(*[pairs(*[0.0] * 300, size=1)] * 3, margin=0.05),
    "looks, hardly a change": lambda: looked(*[pairs(*[1.0, -1.0, 0.0, 0.0], size=1)] * 4, margin=0.0),
    "McNemar": lambda: [significance.exact_mcnemar(*counts) for counts in ((0, 0), (3, 1), (10, 2), (2, 10), (500, 500), (501, 500), (540, 470))],
    "swaps of clusters": lambda: [
        significance.cluster_sign_flip(values, 500, 2)
        for values in ([], [0.0], [1, 1, -1], [2, 2, 1, -1, 1], [0.5, 0.25, 0.1, -0.05], [0.5] * 11, [0.1, -0.05] * 1001, [3, 1, 1, 1, -2, 4])
    ],
    "patterns of swaps": lambda: [(found[0].tolist(), found[1]) for found in (significance.draw_swaps(2, Resampling(4)), significance.draw_swaps(2, Resampling(3, 1)))],
    "chances over many samples": lambda: success.chances_over_k([[True] * 70 + [False] * 32, [False] * 101 + [None], [None] * 102]),
    "chances over samples": lambda: [success.chances_over_k(some) for some in ([], [[]], [[True], [True, False]], [[True, False, None]] * 2)],
    "corrected p": lambda: [
        significance.adjust_p(sums, Resampling(64, 1))
        for sums in ([{"x": 1, "y": 1, "z": 2}, {"x": -1, "y": 0.0}, {}], [dict.fromkeys(range(9), 1.0), {n: (-1.0) ** n for n in range(9)}], [{}, {"x": 0.0}])
    ],
}  # fmt: skip


def as_plain(value: object) -> object:
    """Return a result as JSON has it."""
    if isinstance(value, Struct):
        return {name: as_plain(one) for name, one in asdict(value).items()}
    if isinstance(value, Mapping):
        return {str(key): as_plain(one) for key, one in value.items()}
    if isinstance(value, np.ndarray):
        return as_plain(value.tolist())
    if isinstance(value, list | tuple):
        return [as_plain(one) for one in value]
    if isinstance(value, float) and (isnan(value) or isinf(value)):
        return str(value)
    return float(f"{value:.12g}") if isinstance(value, float) else value


def flatten(value: object, path: str = "") -> dict[str, object]:
    """Return the single values of a result by their path."""
    if isinstance(value, dict):
        return {
            key: one for name, part in value.items() for key, one in flatten(part, f"{path}.{name}").items()
        }
    if isinstance(value, list):
        return {
            key: one
            for place, part in enumerate(value)
            for key, one in flatten(part, f"{path}[{place}]").items()
        }
    return {path: value}


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_figure_is_what_it_was(name: str) -> None:
    recorded = json.loads(FILE.read_text(encoding="utf-8")) if FILE.exists() else {}
    found = as_plain(EXAMPLES[name]())
    if IS_UPDATE:
        recorded = {key: recorded[key] for key in recorded if key in EXAMPLES} | {name: found}
        FILE.write_text(json.dumps(recorded, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    flat, before = flatten(found), flatten(recorded[name])
    assert flat.keys() == before.keys()
    numbers = {key: one for key, one in before.items() if isinstance(one, float)}
    assert {key: flat[key] for key in numbers} == pytest.approx(numbers, rel=1e-9, abs=1e-12)
    assert {key: one for key, one in flat.items() if key not in numbers} == {
        key: one for key, one in before.items() if key not in numbers
    }
