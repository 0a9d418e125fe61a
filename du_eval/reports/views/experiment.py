"""The view of an experiment: the decision, arms by figures, who is better than whom, steps by arm."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from du_eval.experiments.deciding import LEAST_SAVED
from du_eval.experiments.figures import COST, FORMAT_ERRORS, HIGH, MEDIAN
from du_eval.experiments.record import Arm, Experiment
from du_eval.reports.arm_sections import Agreement, ArmMatrix, Trade, Trades
from du_eval.reports.columns import Number, make_columns
from du_eval.reports.comparison_text import p_text
from du_eval.reports.sections import Cell, Column, Look, Note, Section, Table, Tone, View, sign_intervals
from du_eval.reports.views.arm_matrix import make_arm_matrix
from du_eval.reports.views.decision import list_causes, list_changes, make_headline
from du_eval.runs.record import AnyRun, Status
from du_eval.statistics.intervals import Interval, Measurement
from du_eval.statistics.paired_rates import METHOD

_MOST_PAIRS = 66
_MILLISECONDS = 1000.0
_COLUMNS = (
    ("accuracy", "accuracy", Look.SHARE), ("f1.macro", "F1, macro", Look.SHARE),
    (COST, "cost of 1,000 steps", Look.NUMBER), (MEDIAN, "latency p50, ms", Look.NUMBER),
    (HIGH, "latency p90, ms", Look.NUMBER), (FORMAT_ERRORS, "format errors", Look.SHARE),
)  # fmt: skip


def view_experiment(experiment: Experiment, runs: Sequence[tuple[str, AnyRun]]) -> View:
    """Return the view of an experiment, given the runs of its arms as far as they are at hand."""
    shown = tuple(_list_sections(experiment, runs))
    return View(
        title=f"Experiment: {experiment.name}",
        kind="experiment",
        headline=_make_headline(experiment),
        about=tuple(_list_facts(experiment)),
        sections=shown,
        signature=sign_intervals(_sign(experiment), shown),
        unfinished=_tell_unfinished(experiment),
    )


def _make_headline(experiment: Experiment) -> Note:
    if experiment.decision is None:
        return Note("Nothing to decide yet: the arms have no judged steps in common", Tone.OPEN)
    return make_headline(experiment.decision)


def _list_facts(experiment: Experiment) -> Iterator[tuple[str, str]]:
    yield "arms", str(len(experiment.arms))
    yield "baseline", experiment.baseline
    if experiment.started:
        yield "started", experiment.started[:19].replace("T", " ")
    if experiment.id:
        yield "id", experiment.id


def _tell_unfinished(experiment: Experiment) -> str:
    if experiment.status is Status.FINISHED:
        return ""
    return experiment.stopped or str(experiment.status)


def _list_sections(experiment: Experiment, runs: Sequence[tuple[str, AnyRun]]) -> Iterator[Section]:
    if experiment.best:
        yield Note(_tell_standing(experiment))
    elif experiment.status is Status.FINISHED and not experiment.missing:
        yield Note(f"No arm got any of the {experiment.unit} right.", Tone.BAD)
    if experiment.race is not None:
        yield Note(_tell_race(experiment))
    yield _make_table(experiment)
    if experiment.decision is not None:
        yield from list_causes(experiment.decision)
        yield from list_changes(experiment.decision, (experiment.decision.before, experiment.decision.after))
    if runs:
        matrix = make_arm_matrix(runs)
        yield Note(_tell_agreement(matrix))
        yield matrix
    yield from _list_trades(experiment.arms)
    if experiment.pairs:
        yield _make_pairs(experiment)


def _tell_standing(experiment: Experiment) -> str:
    best, rivals = experiment.best, experiment.rivals
    if not rivals:
        others = len(experiment.arms) - 1
        return (
            f"The best arm is {best}: better than {'the other' if others == 1 else f'all {others} others'}."
        )
    told = "; ".join(f"{name}{_tell_saved(experiment, name)}" for name in rivals)
    return f"The best arm is {best}. Not distinguishable from it: {told}."


def _tell_saved(experiment: Experiment, name: str) -> str:
    """Return by how much a rival of the best arm is cheaper, if it is."""
    price, best = (_value(experiment.arm(one), COST) for one in (name, experiment.best))
    saved = 1 - price / best if price is not None and best else 0.0
    return f" ({saved * 100:.0f} % cheaper)" if saved >= LEAST_SAVED else ""


def _tell_agreement(matrix: ArmMatrix) -> str:
    counts = Counter(row.agreement for row in matrix.rows)
    differ = counts[Agreement.DIFFERENT] + counts[Agreement.ONE_RIGHT]
    lone = f" ({counts[Agreement.ONE_RIGHT]} where only one is right)" if counts[Agreement.ONE_RIGHT] else ""
    return (
        f"Of {len(matrix.rows)} {matrix.unit}, arms differ in {differ}{lone}; all are right in "
        f"{counts[Agreement.ALL_RIGHT]}, all are wrong in {counts[Agreement.ALL_WRONG]}."
    )


def _tell_race(experiment: Experiment) -> str:
    race = experiment.race
    assert race is not None
    if not race.dropped:
        return f"Race: no arm was dropped in {race.batches} looks."
    gone = "; ".join(f"{name} after {looks} of {race.planned}" for name, looks in race.dropped.items())
    return f"Race: dropped {gone} batches; that saved {race.saved:,} questions."


def _make_table(experiment: Experiment) -> Table:
    """Return arms by figures, the most accurate first; figures that no arm has are left out."""
    shown = [one for one in _COLUMNS if any(arm.figure(one[0]) for arm in experiment.arms)]
    columns = make_columns(
        "arm", "standing", *(Column(title, look) for _, title, look in shown), Number("steps"),
    )  # fmt: skip
    ranked = sorted(experiment.arms, key=lambda arm: -(_value(arm, "accuracy") or 0.0))
    rows = tuple(
        (arm.name, _remark(arm, experiment), *(_cell(arm, name) for name, _, _ in shown), arm.steps)
        for arm in ranked
    )
    return Table("Arms", columns, rows)


def _cell(arm: Arm, name: str) -> Cell:
    figure = arm.figure(name)
    if figure is None:
        return None
    found = replace(figure.measured, missing=0)
    return found if figure.unit == "share" else _scale(found, _MILLISECONDS if figure.unit else 1.0)


def _scale(measured: Measurement, factor: float) -> Measurement:
    """Return a number in another unit, with as many digits as a reader can use."""

    def change(value: float) -> float:
        return float(f"{value * factor:.3g}")

    ends = measured.interval
    interval = Interval(change(ends.low), change(ends.high)) if ends else None
    value = None if measured.value is None else change(measured.value)
    return replace(measured, value=value, interval=interval)


def _remark(arm: Arm, experiment: Experiment) -> str:
    told = []
    if arm.name == experiment.best:
        told.append("best")
    elif arm.name in experiment.rivals:
        told.append("not distinguishable")
    if arm.name == experiment.baseline:
        told.append("baseline")
    if arm.dropped:
        told.append("dropped")
    elif arm.status is not Status.FINISHED:
        told.append(str(arm.status))
    return ", ".join(told)


def _value(arm: Arm, name: str) -> float | None:
    figure = arm.figure(name)
    return figure.value if figure else None


def _list_trades(arms: Sequence[Arm]) -> Iterator[Trades]:
    """Yield accuracy over cost, and over latency; an arm is best if none beats it in all three."""
    best = {arm.name for arm in arms if not any(_beats(other, arm) for other in arms)}
    for name, word, title, factor in (
        (COST, "cost", "cost of 1,000 steps", 1.0),
        (MEDIAN, "latency", "latency p50, ms", _MILLISECONDS),
    ):
        trades = tuple(
            Trade(arm.name, value * factor, accuracy.measured, arm.name in best)
            for arm in arms
            if (value := _value(arm, name)) is not None and (accuracy := arm.figure("accuracy")) is not None
        )
        if len(trades) > 1:
            yield Trades(f"Accuracy and {word}", title, "accuracy", trades)


def _beats(one: Arm, other: Arm) -> bool:
    """Tell whether an arm is at least as good in every figure that both have, and better in one."""
    gains = [
        sign * (mine - theirs)
        for name, sign in (("accuracy", 1), (COST, -1), (MEDIAN, -1))
        if (mine := _value(one, name)) is not None and (theirs := _value(other, name)) is not None
    ]
    return bool(gains) and min(gains) >= 0 and max(gains) > 0


def _make_pairs(experiment: Experiment) -> Table:
    columns = make_columns("first", "second", Number("steps"), "second is better by", "p", "verdict")
    rows = []
    for pair in experiment.pairs[:_MOST_PAIRS]:
        found = pair.difference
        spread = f"({found.interval.low * 100:+.1f} to {found.interval.high * 100:+.1f})"
        points = f"{found.value * 100:+.1f} points {spread}"
        rows.append((pair.first, pair.second, found.n, points, p_text(pair.adjusted_p), str(pair.verdict)))
    remark = "p is corrected for the number of pairs; each pair over the steps that both arms were asked"
    return Table("Every arm against every other", columns, tuple(rows), remark, is_minor=len(rows) > 6)


def _sign(experiment: Experiment) -> str:
    criteria = experiment.criteria
    return (
        f"{METHOD}:{1 - criteria.alpha:g} over conversations, step-down maximum test over pairs of arms; "
        f"alpha {criteria.alpha:g}, margin {criteria.margin:g}, seed {criteria.seed}"
    )
