"""One word about a difference, that its statistics allow."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct

from du_eval.statistics.difference import Difference


class Verdict(StrEnum):
    """What can be said about a difference."""

    IMPROVED = "improved"
    REGRESSED = "regressed"
    EQUIVALENT = "equivalent"
    UNDECIDED = "undecided"
    CHANGED = "changed"
    """Only of a figure for which it is unknown whether more or less is better."""


class Criteria(Struct, frozen=True):
    """How sure a verdict must be, and which difference does not matter."""

    alpha: float = 0.05
    margin: float = 0.02
    seed: int = 0


def decide_verdict(found: Difference, criteria: Criteria, p: float | None = None) -> Verdict:
    """Return the verdict: a proven difference, a proven absence of one that matters, or neither.

    Give `p` where it was corrected for having looked several times.
    """
    if (found.p if p is None else p) < criteria.alpha:
        return Verdict.IMPROVED if found.value > 0 else Verdict.REGRESSED
    if -criteria.margin < found.narrow.low and found.narrow.high < criteria.margin:
        return Verdict.EQUIVALENT
    return Verdict.UNDECIDED


class Loss(StrEnum):
    """Whether a loss is larger than what is allowed."""

    SMALLER = "smaller"
    LARGER = "larger"
    OPEN = "open"


def judge_loss(found: Difference, allowed: float) -> Loss:
    """Tell whether a loss is proven to be smaller than allowed, or larger, each at alpha one-sided."""
    if found.narrow.high < -allowed:
        return Loss.LARGER
    return Loss.SMALLER if found.narrow.low > -allowed else Loss.OPEN
