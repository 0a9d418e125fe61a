"""From a comparison to a decision: what to do in one sentence, with what got worse always in it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

from msgspec import Struct

from du_eval.experiments.causes import find_causes, list_changed
from du_eval.experiments.decision import Advice, Decision
from du_eval.experiments.figures import COST, MEDIAN, list_figures
from du_eval.runs.comparison import Comparison
from du_eval.runs.record import AnyRun
from du_eval.statistics.intervals import Interval
from du_eval.statistics.verdict import Verdict

LEAST_SAVED = 0.05
"""A difference of cost below this share is not worth a word."""
_LEAST_FASTER, _LEAST_SECONDS = 0.2, 0.05
_LEAST_WAIT_SECONDS = 10.0
_NAMED = 3


class Side(Struct, frozen=True, dict=True):
    """One of two runs: how it is called, and what is known of it."""

    name: str
    run: AnyRun | None = None

    @cached_property
    def figures(self) -> Mapping[str, float | None]:
        """The figures of the run, with cost and latency."""
        return {one.name: one.value for one in list_figures(self.run)} if self.run is not None else {}

    @property
    def seconds_per_item(self) -> float | None:
        """How long a question took, with as many at once as there were."""
        if self.run is None:
            return None
        asked = sum(1 for _ in self.run.results()) - self.run.head.spent.reused
        return self.run.head.seconds / asked if asked > 0 and self.run.head.seconds else None


def decide(comparison: Comparison, before: Side, after: Side, command: str = "") -> Decision:
    """Return what to do about two compared runs; `command` is what would bring more evidence."""
    worse = list_changed(comparison.worse, before.run, after.run)
    better = list_changed(comparison.better, before.run, after.run)
    advice = _advise(comparison, before, after)
    return Decision(
        advice=advice,
        sentence=_tell(comparison, advice, before, after, command),
        before=before.name,
        after=after.name,
        regressed=tuple(_list_changed_figures(comparison, Verdict.REGRESSED)),
        improved=tuple(_list_changed_figures(comparison, Verdict.IMPROVED)),
        causes=find_causes([*worse, *better]),
        worse=tuple(worse),
        better=tuple(better),
        activity=comparison.after.activity,
        command=command if advice is Advice.WAIT else "",
    )


def decide_runs(
    comparison: Comparison,
    before: AnyRun | None = None,
    after: AnyRun | None = None,
    command: str = "",
) -> Decision:
    """Return what to do about two compared runs under the names of the comparison."""
    sides = Side(comparison.before.name, before), Side(comparison.after.name, after)
    return decide(comparison, *sides, command)


def _advise(comparison: Comparison, before: Side, after: Side) -> Advice:
    if comparison.is_unchanged:
        return Advice.UNCHANGED
    if comparison.verdict is Verdict.IMPROVED:
        return Advice.SHIP
    if comparison.verdict is Verdict.REGRESSED:
        return Advice.KEEP
    if comparison.verdict is not Verdict.EQUIVALENT:
        return Advice.WAIT
    is_worse = any(_list_changed_figures(comparison, Verdict.REGRESSED))
    saved = _compare_figures(before, after, COST)
    return Advice.SHIP if saved is not None and saved <= -LEAST_SAVED and not is_worse else Advice.EITHER


def _tell(comparison: Comparison, advice: Advice, before: Side, after: Side, command: str) -> str:
    parts = [_tell_first(comparison, advice, before, after), *_list_savings(before, after)]
    if advice is Advice.WAIT:
        more = f": `{command}`" if command and not comparison.is_reversible else ""
        parts = [_tell_wait(comparison, before, after) + more]
    told = ", ".join(parts)
    for word, verdict in (("worse", Verdict.REGRESSED), ("better", Verdict.IMPROVED)):
        names = list(_list_changed_figures(comparison, verdict))
        if names and (comparison.decides or advice not in {Advice.SHIP, Advice.KEEP}):
            # Whatever got worse is named, however much that is; gains may be summed up.
            told += f"; {_join(names, len(names) if word == 'worse' else _NAMED)} got {word}"
    return told


def _tell_first(comparison: Comparison, advice: Advice, before: Side, after: Side) -> str:
    if advice is Advice.UNCHANGED:
        return f"No step changed: {before.name} and {after.name} answered {comparison.shared} alike"
    if not comparison.decides:
        return _tell_measures(comparison, advice, before, after)
    found = comparison.accuracy
    if found is None:
        return ""
    spread = f"{_points(found.interval)}"
    size = f"{abs(found.value) * 100:.1f} points"
    if advice is Advice.SHIP and comparison.verdict is Verdict.IMPROVED:
        return f"Ship {after.name}: {size} better ({spread})"
    if advice is Advice.SHIP:
        return f"Ship {after.name}: as accurate ({_signed_points(found.narrow)} points)"
    if advice is Advice.KEEP:
        return f"Keep {before.name}: {after.name} is {size} worse ({spread})"
    margin = f"{comparison.criteria.margin * 100:g}"
    within = f"{_signed_points(found.narrow)} points, within {margin}"
    return f"Either will do: {after.name} is as accurate as {before.name} ({within})"


def _tell_wait(comparison: Comparison, before: Side, after: Side) -> str:
    found, unit = comparison.accuracy, comparison.after.unit
    if not comparison.decides:
        return f"Cannot tell yet: no figure of {after.name} differs by more than chance"
    if found is None:
        return f"Cannot tell: the runs have no judged {unit} in common"
    word = "better" if found.value > 0 else "worse"
    size = f"{abs(found.value) * 100:.1f} points {word}" if found.value else "as accurate"
    so_far = f"{after.name} is {size} so far ({_signed_points(found.interval)})"
    if comparison.is_reversible:
        return f"Cannot tell: {so_far}, but {comparison.reversal}"
    more = comparison.more_needed
    if not more:
        return f"Cannot tell yet: {so_far}"
    parts = [f"{more:,} more {unit}", *_list_expenses(more, before, after)]
    samples = comparison.samples_needed
    repeated = f", or {samples:,} samples of each," if samples else ""
    return f"Cannot tell yet: {so_far}; {_join(parts)}{repeated} would decide"


def _list_expenses(more: int, before: Side, after: Side) -> Iterator[str]:
    """Yield what more questions would take; both runs must be asked them."""
    costs = [side.figures.get(COST) for side in (before, after)]
    if any(costs):
        yield f"about {sum(cost or 0.0 for cost in costs) * more / 1000:.2f} in cost"
    seconds = [side.seconds_per_item for side in (before, after)]
    if any(seconds):
        total = sum(one or 0.0 for one in seconds) * more
        if total >= _LEAST_WAIT_SECONDS:
            yield f"about {total / 60:.0f} minutes" if total >= 90 else f"about {total:.0f} seconds"


def _tell_measures(comparison: Comparison, advice: Advice, before: Side, after: Side) -> str:
    """Return the first part where no single figure decides."""
    better = _join(list(_list_changed_figures(comparison, Verdict.IMPROVED)))
    losses = list(_list_changed_figures(comparison, Verdict.REGRESSED))
    worse = _join(losses, len(losses))
    if advice is Advice.SHIP:
        return f"Ship {after.name}: {better} got better, no figure got worse"
    if advice is Advice.KEEP:
        gains = f", {better} better" if better else ""
        return f"Keep {before.name}: with {after.name}, {worse} got worse{gains}"
    return f"Either will do: no figure of {after.name} differs by enough to matter"


def _list_changed_figures(comparison: Comparison, verdict: Verdict) -> Iterator[str]:
    """Yield commands, checks and figures that changed by more than chance."""
    yield from (change.f1.name for change in comparison.commands if change.verdict is verdict)
    yield from (one.name for one in comparison.measures if one.verdict is verdict)


def _list_savings(before: Side, after: Side) -> Iterator[str]:
    cost = _compare_figures(before, after, COST)
    if cost is not None and abs(cost) >= LEAST_SAVED:
        yield _say_change(cost, "cheaper", "dearer", "the cost")
    latency = _compare_figures(before, after, MEDIAN)
    seconds = abs((after.figures.get(MEDIAN) or 0.0) - (before.figures.get(MEDIAN) or 0.0))
    if latency is not None and abs(latency) >= _LEAST_FASTER and seconds >= _LEAST_SECONDS:
        yield _say_change(latency, "faster", "slower", "the latency")


def _say_change(change: float, less: str, more: str, what: str) -> str:
    """Return a relative change in words: more than twice is easier to read as a multiple than in per cent."""
    if change > 1:
        return f"{change + 1:.2g} times {what}"
    return f"{abs(change):.0%} {less if change < 0 else more}".replace("%", " %")


def _compare_figures(before: Side, after: Side, name: str) -> float | None:
    """Return the change of a figure as a share of what it was."""
    one, other = before.figures.get(name), after.figures.get(name)
    return None if not one or other is None else other / one - 1


def _points(interval: Interval) -> str:
    low, high = sorted((abs(interval.low), abs(interval.high)))
    return f"{low * 100:.1f} to {high * 100:.1f}"


def _signed_points(interval: Interval) -> str:
    return f"{interval.low * 100:+.1f} to {interval.high * 100:+.1f}"


def _join(names: Sequence[str], most: int = _NAMED) -> str:
    shown = list(names[:most])
    if len(names) > most:
        shown.append(f"{len(names) - most} more")
    return f"{', '.join(shown[:-1])} and {shown[-1]}" if len(shown) > 1 else "".join(shown)
