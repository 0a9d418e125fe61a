"""Verdicts while results come in: look after each batch, stop as soon as one is sound."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from math import exp, lgamma, log

from du_eval.statistics.significance import Pair, rate_difference
from du_eval.statistics.verdict import Criteria, Verdict


@dataclass(frozen=True, slots=True)
class Look:
    """What is known after a batch."""

    items: int
    verdict: Verdict
    evidence: float
    """How much more likely the data are if one run is better than if none is; 1/alpha decides."""


@dataclass
class SequentialComparison:
    """Takes pairs batch by batch; looking often does not make errors more likely.

    A better or worse run is found by a test martingale over the conversations that changed: under no
    difference, the chance that the evidence ever exceeds 1/alpha is at most alpha (Ville). Equivalence is
    found by the interval test at alpha divided by the number of planned looks.
    """

    criteria: Criteria = field(default_factory=Criteria)
    looks: int = 10
    pairs: list[Pair] = field(default_factory=list)
    taken: int = 0

    def add(self, batch: Iterable[Pair]) -> Look:
        """Take in a batch of whole conversations, and say what can be said now."""
        self.pairs.extend(batch)
        self.taken += 1
        evidence, is_better = sign_evidence(_cluster_sums(self.pairs))
        return Look(len(self.pairs), self._verdict(evidence, is_better=is_better), evidence)

    def _verdict(self, evidence: float, *, is_better: bool) -> Verdict:
        if evidence >= 1 / self.criteria.alpha:
            return Verdict.IMPROVED if is_better else Verdict.REGRESSED
        margin = self.criteria.margin
        if margin <= 0 or self.taken > self.looks:
            return Verdict.UNDECIDED
        found = rate_difference(self.pairs, self.criteria.alpha / self.looks, self.criteria.seed)
        if found is None:
            return Verdict.UNDECIDED
        is_within = -margin < found.narrow.low and found.narrow.high < margin
        return Verdict.EQUIVALENT if is_within else Verdict.UNDECIDED


def sign_evidence(sums: Sequence[float]) -> tuple[float, bool]:
    """Return the evidence against equal chances of better and worse, and whether better prevails.

    This is the beta-binomial likelihood ratio with a uniform prior: a martingale under equal chances,
    whenever one looks.
    """
    better = sum(value > 0 for value in sums)
    changed = sum(value != 0 for value in sums)
    worse = changed - better
    logarithm = lgamma(better + 1) + lgamma(worse + 1) - lgamma(changed + 2) + changed * log(2)
    return exp(min(700.0, logarithm)), better > worse


def _cluster_sums(pairs: Iterable[Pair]) -> list[float]:
    found: dict[int, float] = {}
    for pair in pairs:
        found[pair.cluster] = found.get(pair.cluster, 0.0) + pair.difference
    return [value if abs(value) > 1e-12 else 0.0 for value in found.values()]
