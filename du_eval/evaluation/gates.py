"""Whether a run may ship: no worse than a baseline, as far as the data can tell."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from du_eval.evaluation.comparison import Comparison
from du_eval.statistics.verdict import Verdict


class GateOutcome(StrEnum):
    """What a gate says."""

    PASSED = "passed"
    FAILED = "failed"
    UNDECIDED = "undecided"


@dataclass(frozen=True, slots=True)
class GateResult:
    """What a gate says, and why."""

    outcome: GateOutcome
    reason: str


def gated(comparison: Comparison, max_regression: float) -> GateResult:
    """Judge a comparison whose margin is the largest regression that is allowed.

    Failed: accuracy fell by more than is allowed, and more than chance explains. Passed: it is proven that
    it did not fall by more than is allowed (one-sided, at alpha). Otherwise undecided.
    """
    found = comparison.accuracy
    if found is None:
        return GateResult(GateOutcome.UNDECIDED, "the runs have no judged steps in common")
    drop = -found.value
    lowest = f"at worst {found.narrow.low:+.3f} at alpha {comparison.criteria.alpha:g}"
    if comparison.verdict is Verdict.REGRESSED and drop > max_regression:
        reason = f"accuracy fell by {drop:.3f}, more than {max_regression:g} and more than chance ({lowest})"
        return GateResult(GateOutcome.FAILED, reason)
    if found.narrow.low >= -max_regression:
        reason = f"accuracy changed by {found.value:+.3f}, {lowest}; a fall by {max_regression:g} is allowed"
        return GateResult(GateOutcome.PASSED, reason)
    need = f"; about {comparison.more_needed:,} more steps would decide" if comparison.more_needed else ""
    reason = f"accuracy changed by {found.value:+.3f}, {lowest}: neither proven nor ruled out{need}"
    return GateResult(GateOutcome.UNDECIDED, reason)
