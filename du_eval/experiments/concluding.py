"""From the runs of the arms to the record of an experiment: standing, decision, figures."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence
from itertools import combinations
from random import Random
from typing import TYPE_CHECKING

from msgspec import Struct, field
from msgspec.structs import replace

from du_eval.experiments.asking import Contestant
from du_eval.experiments.deciding import Side, decide
from du_eval.experiments.decision import Advice, Decision
from du_eval.experiments.figures import COST, list_figures
from du_eval.experiments.racing import Racing
from du_eval.experiments.record import Arm, ArmPair, Experiment, Race
from du_eval.runs.comparison import answer_alike, compare_runs, correct_verdict
from du_eval.runs.matching import Samples, match_steps, name_case, pair_steps
from du_eval.runs.outcome import Outcome
from du_eval.runs.record import AnyRun, Status
from du_eval.runs.records import RunRecord, reduce_run
from du_eval.runs.ruling import find_errors
from du_eval.statistics.difference import cluster_sums, correct
from du_eval.statistics.paired_rates import rate_difference
from du_eval.statistics.resampling import Resampling
from du_eval.statistics.significance import SWAPS, adjust_together
from du_eval.statistics.verdict import Criteria, Verdict, decide_verdict
from du_eval.suites.model import TestSuite

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Ending(Struct, frozen=True):
    """How the asking ended."""

    seconds: float
    status: Status = Status.FINISHED
    stopped: str = ""
    race: Race | None = None
    max_errors: float = 0.0
    """Which share of an arm may have errored before there is no decision."""


def conclude(
    begun: Experiment, runs: Mapping[str, AnyRun], ending: Ending, criteria: Criteria, command: str = ""
) -> Experiment:
    """Return the record of an experiment whose arms have been asked; `command` would bring more evidence."""
    dropped = ending.race.dropped if ending.race else {}
    arms = tuple(_describe(arm, runs[arm.name], dropped.get(arm.name, 0)) for arm in begun.arms)
    costs = {arm.name: figure.value if (figure := arm.figure(COST)) else None for arm in arms}
    records = {name: reduce_run(run, name) for name, run in runs.items()}
    standing = judge_arms(records, criteria, costs, dropped)
    decision = _decide(begun.baseline, runs, standing, criteria, command)
    asked = [(name, run) for name, run in runs.items() if name not in dropped]
    missing = next(filter(None, (_tell_missing(name, run, ending.max_errors) for name, run in asked)), "")
    if missing and decision:
        decision = replace(decision, advice=Advice.WAIT, sentence=f"Cannot tell: {missing}", command="")
    is_any_right = any(Outcome.PASSED in {one.outcome for one in run.results()} for run in runs.values())
    has_best = is_any_right and not missing
    return replace(
        begun,
        arms=arms,
        seconds=ending.seconds,
        status=ending.status,
        stopped=ending.stopped,
        unit=next((run.head.unit for run in runs.values()), begun.unit),
        pairs=standing.pairs,
        best=standing.best if has_best else "",
        rivals=standing.rivals if has_best else (),
        race=ending.race,
        missing=missing,
        decision=decision,
        criteria=criteria,
    )


def _tell_missing(name: str, run: AnyRun, most: float) -> str:
    """Return why there can be no decision about an arm; empty where nothing is in the way."""
    if run.unfinished:
        return f"{name} is not complete ({run.unfinished})"
    return find_errors(run, f" of {name}").tell(most)


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
    found = compare_runs(reduce_run(before, baseline), reduce_run(after, candidate), criteria)
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


class Standing(Struct, frozen=True):
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
        pairs, _ = match_steps(arms[first], arms[second])
        if pairs:
            found.append((first, second, pairs))
    differences = [
        difference
        for _, _, pairs in found
        if (difference := rate_difference(list(pair_steps(pairs)), criteria.alpha, criteria.seed)) is not None
    ]
    sums = [_sum_cases(pairs) for _, _, pairs in found]
    adjusted = adjust_together(differences, sums, Resampling(SWAPS, criteria.seed))
    judged = []
    for (first, second, pairs), difference, p in zip(found, differences, adjusted, strict=True):
        verdict = Verdict.EQUIVALENT if answer_alike(pairs) else decide_verdict(difference, criteria, p)
        judged.append(ArmPair(first, second, correct(difference, p, criteria.alpha), p, verdict))
    return judged


def _sum_cases(pairs: Sequence[tuple[Samples, Samples]]) -> dict[Hashable, float]:
    """Return how much each conversation changed; conversations have the same name in all pairs."""
    names = [name_case(one) for one, _ in pairs]
    clusters = list(pair_steps(pairs))
    name_of = {pair.cluster: name for pair, name in zip(clusters, names, strict=True)}
    return {name_of[cluster]: total for cluster, (total, _) in cluster_sums(clusters).items()}


_JUDGED = {Outcome.PASSED, Outcome.FAILED}


def shuffle(suite: TestSuite, seed: int) -> TestSuite:
    """Return the cases in random order: what the first batches tell must hold for the rest."""
    cases = list(suite)
    Random(seed).shuffle(cases)  # noqa: S311 - no secret
    return TestSuite(tuple(cases), suite.warnings)


class Course(Struct, dict=True):
    """Watches arms batch by batch, and ends those that are soundly worse."""

    arms: Sequence[Contestant]
    sizes: Sequence[int]
    alpha: float = 0.05
    dropped: dict[str, int] = field(default_factory=dict)
    """Who was dropped, and after how many batches."""
    _looks: int = 0

    def __post_init__(self) -> None:
        self._racing = Racing(len(self.arms), len(self.sizes), self.alpha)

    def look(self, number: int) -> None:
        """Take in a batch that was asked; nobody is dropped after the last one."""
        self._looks = number
        start = sum(self.sizes[: number - 1])
        drops = self._racing.look(list(self._list_tables(start, start + self.sizes[number - 1])))
        for drop in drops if number < len(self.sizes) else ():
            arm, winner = self.arms[drop.arm], self.arms[drop.winner].name
            self.dropped[arm.name] = number
            when = f"after {number} of {len(self.sizes)} batches"
            arm.evaluator.budget.stop(f"dropped from the race {when}: worse than {winner}")

    def _list_tables(self, start: int, end: int) -> Iterator[NDArray[np.float64]]:
        """Yield steps by arms with the share of right answers, a table for each conversation."""
        import numpy as np  # noqa: PLC0415 - only races need it

        for number in range(start, end):
            found: dict[int, list[list[bool]]] = {}
            for at, arm in enumerate(self.arms):
                for step in arm.begun.collected.by_case.get(number, ()):
                    if step.outcome in _JUDGED:
                        cells = found.setdefault(step.key.step, [[] for _ in self.arms])
                        cells[at].append(step.outcome is Outcome.PASSED)
            if found:
                yield np.array(
                    [[sum(cell) / len(cell) if cell else np.nan for cell in row] for row in found.values()]
                )

    def describe(self, questions: int) -> Race:
        """Return how the race went; each arm has so many questions in all."""
        asked = {arm.name: sum(map(len, arm.begun.collected.by_case.values())) for arm in self.arms}
        saved = sum(questions - asked[name] for name in self.dropped)
        return Race(self._looks, len(self.sizes), dict(self.dropped), saved)
