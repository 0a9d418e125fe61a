"""What intervals and comparisons are worth on a suite: simulated with its sizes, rate and correlation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from du_eval.statistics.clusters import Clusters, clustered_interval
from du_eval.statistics.counts import averages, pool_counts
from du_eval.statistics.difference import Pair
from du_eval.statistics.f1 import MACRO, Cases, f1_intervals
from du_eval.statistics.paired_rates import rate_difference

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

_MOST_ALIKE = 0.95


class Suite(Struct, frozen=True):
    """What a suite is like: attempts of each conversation, the rate, and how alike attempts of one are."""

    sizes: tuple[int, ...]
    rate: float
    correlation: float


class Simulation(Struct, frozen=True):
    """How often is simulated, and from which seed."""

    runs: int = 400
    seed: int = 0


class SelfCheck(Struct, frozen=True):
    """How an interval does on made-up runs that are like a suite."""

    coverage: float
    width: float


def describe_suite(clusters: Clusters) -> Suite | None:
    """Return what a suite is like; None without attempts.

    Rate and correlation are estimated with half an attempt more on each side, so that a perfect run still has
    chances to fail.
    """
    known = [(good, n) for good, n in clusters if n]
    n, good = sum(size for _, size in known), sum(right for right, _ in known)
    if not n:
        return None
    rate = (good + 0.5) / (n + 1)
    pairs = sum(size * (size - 1) for _, size in known)
    alike = sum((right - rate * size) ** 2 - size * rate * (1 - rate) for right, size in known)
    correlation = alike / (pairs * rate * (1 - rate)) if pairs else 0.0
    return Suite(tuple(size for _, size in known), rate, min(_MOST_ALIKE, max(0.0, correlation)))


def check_interval(suite: Suite, confidence: float = 0.95, plan: Simulation | None = None) -> SelfCheck:
    """Return how often the interval of a rate holds the truth on runs that are like the suite."""
    import numpy as np  # noqa: PLC0415 - only simulations need it

    plan = plan or Simulation()
    random = np.random.default_rng(plan.seed)
    hits, width = 0, 0.0
    sizes = np.array(suite.sizes)
    for _ in range(plan.runs):
        good = random.binomial(sizes, _draw_rates(suite, random))
        found = clustered_interval(list(zip(good.tolist(), suite.sizes, strict=True)), confidence)
        assert found is not None, "a suite has attempts"
        hits += found.low <= suite.rate <= found.high
        width += found.width
    return SelfCheck(hits / plan.runs, width / plan.runs)


def check_macro_f1(
    cases: Cases, confidence: float = 0.95, plan: Simulation | None = None
) -> SelfCheck | None:
    """Return how often the interval of macro F1 holds that of the run, in runs drawn from its cases.

    Whole conversations are drawn with replacement, so that commands that fail together do so again.
    """
    import numpy as np  # noqa: PLC0415 - see above

    plan = plan or Simulation()
    truth = averages(pool_counts(cases)).macro
    if truth is None:
        return None
    random = np.random.default_rng(plan.seed)
    drawn = (
        [cases[place] for place in random.integers(len(cases), size=len(cases))] for _ in range(plan.runs)
    )
    found = [f1_intervals(one, confidence).averages.get(MACRO) for one in drawn]
    known = [one for one in found if one is not None]
    hits = sum(one.low <= truth <= one.high for one in known)
    return SelfCheck(hits / len(known), sum(one.width for one in known) / len(known)) if known else None


def simulate_power(
    suite: Suite, loss: float, noise: float = 0.02, alpha: float = 0.05, plan: Simulation | None = None
) -> float:
    """Return the chance that a comparison proves a loss; a share `noise` changes either way by chance.

    Conversations lose more or less than others, as alike as their right and wrong steps are.
    """
    import numpy as np  # noqa: PLC0415 - see above

    plan = plan or Simulation()
    random = np.random.default_rng(plan.seed)
    of_step = np.repeat(np.arange(len(suite.sizes)), suite.sizes)
    changing = Suite(suite.sizes, min(1.0, loss + noise), suite.correlation)
    found = 0
    for _ in range(plan.runs):
        down = _draw_rates(changing, random)[of_step]
        draw = random.random(len(of_step))
        lost, gained = draw < down, (draw >= down) & (draw < down + noise)
        pairs = [
            Pair(cluster, float(not won), float(not gone))
            for cluster, won, gone in zip(of_step.tolist(), gained, lost, strict=True)
        ]
        one = rate_difference(pairs, alpha, plan.seed)
        found += one is not None and one.p < alpha and one.value < 0
    return found / plan.runs


def _draw_rates(suite: Suite, random: np.random.Generator) -> Floats:
    import numpy as np  # noqa: PLC0415 - see above

    if not suite.correlation or not 0 < suite.rate < 1:
        return np.full(len(suite.sizes), suite.rate)
    size = (1 - suite.correlation) / suite.correlation
    return random.beta(suite.rate * size, (1 - suite.rate) * size, len(suite.sizes))
