"""Whether a run may ship: no worse than a baseline, as far as the data can tell."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from du_eval.runs.comparison import Comparison
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
    if not comparison.decides:
        return _over_figures(comparison, max_regression)
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
    unit = comparison.after.unit
    need = f"; about {comparison.more_needed:,} more {unit} would decide" if comparison.more_needed else ""
    reason = f"accuracy changed by {found.value:+.3f}, {lowest}: neither proven nor ruled out{need}"
    return GateResult(GateOutcome.UNDECIDED, reason)


def _over_figures(comparison: Comparison, max_regression: float) -> GateResult:
    """Judge figures one by one: any may fail the gate, and it passes only if each is proven good enough.

    What is allowed is a share of the first value for a figure that is no share itself.
    """
    known = [one for one in comparison.measures if one.gain is not None and one.worst is not None]
    if not known:
        reason = f"the runs have no judged {comparison.after.unit} in common"
        return GateResult(GateOutcome.UNDECIDED, reason)
    fallen = [one for one in known if one.verdict is Verdict.REGRESSED and -(one.gain or 0.0) > one.margin]
    if fallen:
        told = ", ".join(f"{one.name} {one.before:.4g} → {one.after:.4g}" for one in fallen)
        reason = f"worse by more than {max_regression:g} and more than chance: {told}"
        return GateResult(GateOutcome.FAILED, reason)
    open_ones = [one.name for one in known if (one.worst or 0.0) < -one.margin]
    if not open_ones:
        reason = f"none of {len(known)} figures fell by more than {max_regression:g}"
        return GateResult(GateOutcome.PASSED, reason)
    reason = f"a fall by {max_regression:g} is neither proven nor ruled out for {', '.join(open_ones)}"
    return GateResult(GateOutcome.UNDECIDED, reason)


def compared_figures(comparison: Comparison) -> dict[str, float | None]:
    """Return the figures of the second run by name, for a run whose report names none."""
    overall: dict[str, float | None] = {"accuracy": comparison.rates[1]} if comparison.rates else {}
    return overall | {one.name.replace(" ", "_"): one.after for one in comparison.measures}
