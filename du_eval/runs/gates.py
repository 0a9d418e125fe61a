"""Whether a run may ship: no worse than a baseline, as far as the data can tell."""

from __future__ import annotations

from msgspec import Struct

from du_eval.runs.comparison import Comparison
from du_eval.runs.matching import Overlap
from du_eval.runs.outcome import Outcome
from du_eval.runs.ruling import Missing
from du_eval.statistics.planning import SoughtVerdict, items_to_exclude
from du_eval.statistics.verdict import Loss, Verdict, judge_loss


class GateResult(Struct, frozen=True):
    """What a gate says, and why."""

    outcome: Outcome
    reason: str
    is_by_errors: bool = False
    """Whether there is no verdict because too much was not judged."""


def judge_comparison(comparison: Comparison, max_regression: float) -> GateResult:
    """Judge a comparison whose margin is the largest regression that is allowed.

    Failed: the loss is proven to be larger than is allowed. Passed: it is proven to be smaller, or nothing
    changed. Each is proven at alpha, one-sided. Otherwise, and where steps that errored could reverse it,
    there is no verdict.
    """
    if comparison.is_unchanged and not comparison.overlap.not_judged:
        return GateResult(Outcome.PASSED, f"no change: both runs answered {comparison.shared} alike")
    if not comparison.decides:
        return _over_figures(comparison, max_regression)
    found = comparison.accuracy
    if found is None:
        return _without_common(comparison)
    loss = judge_loss(found, max_regression)
    told = (
        f"accuracy changed by {found.value:+.3f} ({found.narrow.low:+.3f} to {found.narrow.high:+.3f}, "
        f"{found.method.partition(':')[0]}, each end at alpha {comparison.criteria.alpha:g}); "
        f"a loss of {max_regression:g} is allowed"
    )
    if loss is not Loss.OPEN and (reversal := _reversal(comparison, loss, max_regression)):
        return GateResult(Outcome.UNDECIDED, f"{told}; {reversal}", is_by_errors=True)
    if loss is Loss.OPEN:
        return GateResult(
            Outcome.UNDECIDED,
            f"{told}: a larger one is neither proven nor ruled out"
            + _what_would_decide(comparison, max_regression),
        )
    return GateResult(Outcome.FAILED if loss is Loss.LARGER else Outcome.PASSED, told)


def _without_common(comparison: Comparison) -> GateResult:
    reason = f"the runs have no judged {comparison.after.unit} in common"
    return GateResult(Outcome.UNDECIDED, reason, is_by_errors=True)


def _reversal(comparison: Comparison, loss: Loss, max_regression: float) -> str:
    """Return why steps that were not judged leave the loss open; empty where they do not."""
    if comparison.bounds is None:
        return ""
    worst, best = comparison.bounds
    if judge_loss(best if loss is Loss.LARGER else worst, max_regression) is loss:
        return ""
    return f"but {comparison.reversal}"


def _what_would_decide(comparison: Comparison, max_regression: float) -> str:
    found, alpha = comparison.accuracy, comparison.criteria.alpha
    needed = items_to_exclude(found, -max_regression, SoughtVerdict(0.0, alpha)) if found else None
    if found is None or needed is None:
        return ""
    more, unit = needed - found.n, comparison.after.unit
    return f"; about {more:,} more {unit} would decide, if the rates stay like this"


def _over_figures(comparison: Comparison, max_regression: float) -> GateResult:
    """Judge figures one by one: any may fail the gate, and it passes only if each is proven good enough.

    What is allowed is a share of the first value for a figure that is no share itself. A loss that is larger
    than allowed must also be significant after correction for the number of figures.
    """
    known = [one for one in comparison.measures if one.worst is not None and one.best is not None]
    if not known:
        return _without_common(comparison)
    fallen = [one for one in known if (one.best or 0.0) < -one.margin and one.verdict is Verdict.REGRESSED]
    if fallen:
        told = ", ".join(f"{one.name} {one.before:.4g} → {one.after:.4g}" for one in fallen)
        reason = f"proven to be worse by more than {max_regression:g}: {told}"
        return GateResult(Outcome.FAILED, reason)
    open_ones = [one.name for one in known if (one.worst or 0.0) <= -one.margin]
    if not open_ones:
        reason = f"none of {len(known)} figures fell by more than {max_regression:g}"
        return GateResult(Outcome.PASSED, reason)
    reason = f"a loss of {max_regression:g} is neither proven nor ruled out for {', '.join(open_ones)}"
    return GateResult(Outcome.UNDECIDED, reason)


def find_unasked(overlap: Overlap, unit: str) -> Missing:
    """Return the steps of the baseline that the run does not have."""
    count, total = overlap.only_before, overlap.common + overlap.not_judged + overlap.only_before
    return Missing(f"{unit} of the baseline were not asked", count, total, overlap.left_out)


def list_compared_figures(comparison: Comparison) -> dict[str, float | None]:
    """Return the figures of the second run by name, for a run whose report names none."""
    overall: dict[str, float | None] = {"accuracy": comparison.rates[1]} if comparison.rates else {}
    return overall | {one.name.replace(" ", "_"): one.after for one in comparison.measures}
