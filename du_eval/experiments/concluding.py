"""From the runs of the arms to the record of an experiment: standing, decision, figures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from du_eval.experiments.deciding import Side, decide
from du_eval.experiments.decision import Decision
from du_eval.experiments.figures import COST, list_figures
from du_eval.experiments.record import Arm, Experiment, Race
from du_eval.experiments.verdicts import Standing, judge_arms
from du_eval.runs.comparison import compared, correct_verdict
from du_eval.runs.record import Run, Status
from du_eval.runs.records import reduce_run
from du_eval.statistics.verdict import Criteria

AnyRun = Run[Any, Any]


@dataclass(frozen=True, slots=True)
class Ending:
    """How the asking ended."""

    seconds: float
    status: Status = Status.FINISHED
    stopped: str = ""
    race: Race | None = None
    notes: tuple[str, ...] = ()


def conclude(
    begun: Experiment, runs: Mapping[str, AnyRun], ending: Ending, criteria: Criteria, command: str = ""
) -> Experiment:
    """Return the record of an experiment whose arms have been asked; `command` would bring more evidence."""
    dropped = ending.race.dropped if ending.race else {}
    arms = tuple(_describe(arm, runs[arm.name], dropped.get(arm.name, 0)) for arm in begun.arms)
    costs = {arm.name: figure.value if (figure := arm.figure(COST)) else None for arm in arms}
    records = {name: reduce_run(run, name) for name, run in runs.items()}
    standing = judge_arms(records, criteria, costs, dropped)
    return replace(
        begun,
        arms=arms,
        seconds=ending.seconds,
        status=ending.status,
        stopped=ending.stopped,
        unit=next((run.head.unit for run in runs.values()), begun.unit),
        pairs=standing.pairs,
        best=standing.best,
        rivals=standing.rivals,
        race=ending.race,
        decision=_decide(begun.baseline, runs, standing, criteria, command),
        criteria=criteria,
        notes=ending.notes,
    )


def _describe(arm: Arm, run: AnyRun, dropped_after: int) -> Arm:
    return replace(
        arm,
        run=run.head.id or arm.run,
        status=run.head.status,
        steps=sum(1 for _ in run.results()),
        calls=run.head.spent.calls,
        dropped=run.head.stopped if dropped_after else "",
        figures=list_figures(run),
    )


def _decide(
    baseline: str, runs: Mapping[str, AnyRun], standing: Standing, criteria: Criteria, command: str
) -> Decision | None:
    """Return what to do: the best arm against the one in use; where that is the best, the next best one."""
    candidate = standing.best if standing.best != baseline else _find_next(baseline, standing)
    pair = next((one for one in standing.pairs if {one.first, one.second} == {baseline, candidate}), None)
    if pair is None:
        return None
    before, after = runs[baseline], runs[candidate]
    found = compared(reduce_run(before, baseline), reduce_run(after, candidate), criteria)
    if len(runs) > 2:
        found = correct_verdict(found, pair.adjusted_p)
    return decide(found, Side(baseline, before), Side(candidate, after), command)


def _find_next(best: str, standing: Standing) -> str:
    """Return the arm that is least behind the best one."""
    behind = {
        (pair.first if pair.second == best else pair.second): (
            pair.difference.value if pair.second == best else -pair.difference.value
        )
        for pair in standing.pairs
        if best in {pair.first, pair.second}
    }
    return min(behind, key=lambda name: behind[name], default="")
