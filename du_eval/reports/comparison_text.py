"""A comparison in sentences: the verdict, what to know before trusting it, and the method."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from du_eval.reports.numbers import UNDEFINED
from du_eval.runs.comparison import Comparison
from du_eval.runs.measures import Measure, nearest
from du_eval.runs.records import StepRecord
from du_eval.statistics.difference import Difference
from du_eval.statistics.intervals import Interval
from du_eval.statistics.verdict import Verdict

_NAMED = 4
_CLUSTERS = {
    "quality": "dialogues",
    "protocol": "dialogues",
    "metrics": "lines or conversations",
    "agent": "cases",
    "e2e": "cases",
}
_HINTS = {
    "quality": "runs of the same --seed and number of prompts have dialogues in common",
    "protocol": "runs of the same --seed, --language and --plan have dialogues in common",
    "metrics": "runs over the same --source and --target have lines in common",
}


def explain_verdict(comparison: Comparison) -> str:
    """Return the verdict in a sentence, with its figures."""
    found, unit = comparison.accuracy, comparison.after.unit
    if comparison.is_unchanged:
        return f"no change: both runs answered {comparison.shared} alike"
    if not comparison.decides:
        return _explain_measures(comparison)
    if found is None or comparison.rates is None:
        return f"the runs have no judged {unit} in common"
    before, after = comparison.rates
    p = found.p if comparison.adjusted_p is None else comparison.adjusted_p
    text = (
        f"accuracy {before:.3f} → {after:.3f}, difference {found.value:+.3f} "
        f"({_signed(found.interval)}), {_tell_p(p)}; "
        f"{len(comparison.worse)} {unit} got worse and {len(comparison.better)} better, of {found.n}"
    )
    if comparison.is_reversible:
        return f"{text}; {comparison.reversal}"
    margin = comparison.criteria.margin
    if comparison.verdict is Verdict.EQUIVALENT:
        text += f"; the difference is proven to be smaller than {margin:g}"
    if comparison.verdict is Verdict.UNDECIDED and comparison.more_needed:
        samples = comparison.samples_needed
        repeated = f", or {samples:,} samples of each," if samples else ""
        text += (
            f". The data fit both a difference and none: about {comparison.more_needed:,} more {unit}"
            f"{repeated} would decide, if the rates stay like this"
        )
    return text


def list_remarks(comparison: Comparison) -> list[str]:
    """Return what a reader should know before trusting a comparison."""
    overlap, unit = comparison.overlap, comparison.after.unit
    things = "suites" if comparison.after.activity == "test" else "runs"
    sides = (("first", comparison.before), ("second", comparison.after))
    found = [
        f"warning: the {which} run is not complete ({one.unfinished})"
        for which, one in sides
        if one.unfinished
    ]
    if overlap.moved:
        found.append(
            f"note: the files of '{overlap.moved[0]}' are matched with those of '{overlap.moved[1]}'"
        )
    if not overlap.common and comparison.after.activity in _HINTS:
        found.append(f"note: {_HINTS[comparison.after.activity]}")
    if not overlap.is_complete:
        found.append(
            f"warning: the {things} differ: {overlap.only_before} {unit} are only in the first run, "
            f"{overlap.only_after} only in the second, {overlap.asked_otherwise} have a different message or "
            f"expectation; the {overlap.common} common ones are compared"
        )
    if overlap.not_judged:
        found.append(f"warning: {overlap.not_judged} {unit} errored in one of the runs and are not compared")
    if comparison.accuracy is not None and comparison.accuracy.is_uneven:
        clusters = _CLUSTERS.get(comparison.after.activity, "conversations")
        found.append(
            f"warning: a few {clusters} have far more {unit} than most; the comparison can miss a loss "
            "of just these, and proves less than with similar lengths: split the longest ones"
        )
    found.extend(_judged_otherwise(comparison))
    return found


def _judged_otherwise(comparison: Comparison) -> Iterator[str]:
    before, after = comparison.before.policy, comparison.after.policy
    if comparison.measured_otherwise:
        names = ", ".join(comparison.measured_otherwise)
        yield f"warning: not compared, because they were measured differently: {names}"
    if before == after:
        return
    if comparison.after.activity == "test":
        yield (
            f"warning: the runs were matched by different policies ({before}, {after}): "
            "judge one again with du-eval rescore --match"
        )
    else:
        yield f"warning: the runs were judged differently ({before}; {after})"


def describe_method(comparison: Comparison) -> str:
    """Return how the numbers came about."""
    criteria, found = comparison.criteria, comparison.accuracy
    cluster = _CLUSTERS.get(comparison.after.activity, "conversations")
    effect = f", design effect {found.design_effect:.2f}" if found else ""
    size = f", Cohen's g {found.effect:+.2f}" if found and found.effect is not None else ""
    mcnemar = "" if comparison.mcnemar_p is None else f", McNemar {_tell_p(comparison.mcnemar_p)}"
    parts = [f"{found.method} over {cluster}{effect}{size}{mcnemar}"] if found else []
    changes = [*(one.f1 for one in comparison.commands), *comparison.averages.values()]
    if f1 := _name_methods(one.found for one in changes):
        parts.append(f"F1: {f1}, 2000 draws, seed {criteria.seed}, step-down maximum test over commands")
    if measured := _name_methods(one.found for one in comparison.measures):
        things = "checks" if comparison.decides else "figures"
        parts.append(f"{things}: {measured} over {cluster}, step-down maximum test over {things}")
    if comparison.adjusted_p is not None:
        parts.append("step-down maximum test over runs")
    parts.append(f"alpha {criteria.alpha:g}, margin {_margin(comparison)}")
    return "; ".join(parts)


def _name_methods(found: Iterable[Difference | None]) -> str:
    """Return the methods of some intervals, each once."""
    return ", ".join(dict.fromkeys(one.method for one in found if one))


def _margin(comparison: Comparison) -> str:
    is_relative = any(not one.figure.is_share for one in comparison.measures)
    return f"{comparison.criteria.margin:g}" + (
        " of the value for figures that are not shares" if is_relative else ""
    )


def _signed(interval: Interval) -> str:
    return f"{interval.low:+.3f} to {interval.high:+.3f}"


def p_text(p: float | None) -> str:
    """Return a p value as it is read."""
    if p is None:
        return UNDEFINED
    return "<0.001" if p < 0.001 else f"{p:.3f}"


def _tell_p(p: float | None) -> str:
    told = p_text(p)
    return f"p{told}" if told.startswith("<") else f"p={told}"


def name_place(step: StepRecord) -> str:
    """Return where a step stands; a dialogue has a name instead of a line."""
    return f"{step.file}:{step.line}" if step.line else f"{step.case}, {step.step}"


def _explain_measures(comparison: Comparison) -> str:
    """Return the verdict over several figures in a sentence."""
    measures = comparison.measures
    if not measures:
        return f"the runs have no judged {comparison.after.unit} in common"
    counts = Counter(one.verdict for one in measures)
    told = ", ".join(f"{counts[verdict]} {verdict.value}" for verdict in Verdict if counts[verdict])
    parts = [f"of {len(measures)} figures: {told}"]
    for verdict in (Verdict.REGRESSED, Verdict.IMPROVED):
        found = [one for one in measures if one.verdict is verdict]
        if found:
            parts.append(f"{verdict.value}: {_named(found)}")
    waiting = nearest(measures)
    if comparison.verdict is Verdict.UNDECIDED and waiting:
        name, more = waiting
        parts.append(f"about {more:,} more {comparison.after.unit} would decide about {name}")
    return "; ".join(parts)


def _named(measures: Sequence[Measure]) -> str:
    shown = [f"{one.name} {one.before:.4g} → {one.after:.4g}" for one in measures[:_NAMED]]
    more = len(measures) - _NAMED
    return ", ".join([*shown, f"and {more} more"] if more > 0 else shown)
