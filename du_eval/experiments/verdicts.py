"""Every arm against every other, over the steps that both were asked; corrected for the number of pairs."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from du_eval.experiments.record import ArmPair
from du_eval.runs.comparison import paired
from du_eval.runs.matching import Samples, matched
from du_eval.runs.records import RunRecord
from du_eval.statistics.difference import cluster_sums
from du_eval.statistics.paired_rates import rate_difference
from du_eval.statistics.resampling import Resampling
from du_eval.statistics.stepdown import adjust_p
from du_eval.statistics.verdict import Criteria, Verdict, verdict_of

_SWAPS = 4000


@dataclass(frozen=True, slots=True)
class Standing:
    """How arms stand: all pairs, the best arm, and those that cannot be told from it."""

    pairs: tuple[ArmPair, ...]
    best: str
    rivals: tuple[str, ...]


def judge_arms(
    arms: Mapping[str, RunRecord],
    criteria: Criteria,
    cost: Mapping[str, float | None] | None = None,
    dropped: Collection[str] = (),
) -> Standing:
    """Return how arms stand; of arms that are equally accurate, the cheapest is the best, then the first.

    Arms that a race dropped are neither the best nor its rivals.
    """
    pairs = _judge_pairs(arms, criteria)
    wins = dict.fromkeys(arms, 0.0)
    for pair in pairs:
        wins[pair.second] += pair.difference.value
        wins[pair.first] -= pair.difference.value
    order = list(arms)
    prices = cost or {}

    def rank(name: str) -> tuple[float, float, int]:
        price = prices.get(name)
        return -round(wins[name], 9), price if price is not None else float("inf"), order.index(name)

    best = min((name for name in arms if name not in dropped), key=rank, default="")
    rivals = [
        pair.first if pair.second == best else pair.second
        for pair in pairs
        if best in {pair.first, pair.second} and pair.verdict in {Verdict.UNDECIDED, Verdict.EQUIVALENT}
    ]
    rivals = [name for name in rivals if name not in dropped]
    return Standing(tuple(pairs), best, tuple(sorted(rivals, key=order.index)))


def _judge_pairs(arms: Mapping[str, RunRecord], criteria: Criteria) -> list[ArmPair]:
    found: list[tuple[str, str, list[tuple[Samples, Samples]]]] = []
    for first, second in combinations(arms, 2):
        pairs, _ = matched(arms[first], arms[second])
        if pairs:
            found.append((first, second, pairs))
    adjusted = adjust_p([_sum_cases(pairs) for _, _, pairs in found], Resampling(_SWAPS, criteria.seed))
    judged = []
    for (first, second, pairs), corrected in zip(found, adjusted, strict=True):
        difference = rate_difference(list(paired(pairs)), criteria.alpha, criteria.seed)
        assert difference is not None, "pairs without steps are left out"
        p = max(corrected, difference.p) if len(found) > 1 else difference.p
        is_alike = not difference.better and not difference.worse
        verdict = Verdict.EQUIVALENT if is_alike else verdict_of(difference, criteria, p)
        judged.append(ArmPair(first, second, difference, p, verdict))
    return judged


def _sum_cases(pairs: Sequence[tuple[Samples, Samples]]) -> dict[Hashable, float]:
    """Return how much each conversation changed; conversations have the same name in all pairs."""
    names = [(one[0].file, one[0].case, one[0].variant) for one, _ in pairs]
    clusters = list(paired(pairs))
    name_of = {pair.cluster: name for pair, name in zip(clusters, names, strict=True)}
    return {name_of[cluster]: total for cluster, (total, _) in cluster_sums(clusters).items()}
