"""A run in batches that ends as soon as the verdict against a baseline is sound."""

from __future__ import annotations

from random import Random

from msgspec import Struct, field
from msgspec.structs import replace

from du_eval.evaluation.pipeline import Begun, Evaluator
from du_eval.evaluation.predict import OnResult
from du_eval.evaluation.record import VERDICT, TestRun
from du_eval.generators.base import CommandGenerator
from du_eval.runs.matching import match_steps, pair_steps
from du_eval.runs.record import Head, Run
from du_eval.runs.records import RunRecord, reduce_run
from du_eval.statistics.sequential import BatchLook, SequentialComparison
from du_eval.statistics.verdict import Criteria, Verdict
from du_eval.suites.model import TestCase, TestSuite

_APART = 10_000_000


class UntilDecided(Struct, frozen=True):
    """Asks cases in random order, batch by batch, and looks at the evidence after each."""

    baseline: RunRecord
    criteria: Criteria
    batch: int = 25

    def run(
        self,
        evaluator: Evaluator,
        suite: TestSuite,
        generator: CommandGenerator,
        name: str,
        on_result: OnResult = lambda _: None,
    ) -> TestRun:
        """Return the record of the batches that were needed."""
        batches = self._batches(suite)
        shuffled = TestSuite(tuple(case for batch in batches for case in batch), suite.warnings)
        begun = evaluator.begin(shuffled, generator, on_result, order=suite)
        sizes = list(map(len, batches))
        looking = _Looking(self, evaluator, begun, sizes)
        found = evaluator.finish(begun, name, sizes, looking.look)
        look = looking.last
        total = sum(len(case.user_steps) for case in suite)
        asked = sum(1 for _ in found.results())
        note = (
            f"against {self.baseline.name}: {look.verdict.value} after {looking.looks} of {len(sizes)} "
            f"batches, {asked} of {total} user steps ({look.items} in both runs; "
            f"statistic {look.statistic:+.2f}, ±{look.boundary:.2f} decides)"
        )
        settings = {**found.head.settings, VERDICT: look.verdict.value}
        return replace(found, head=replace(found.head, settings=settings), notes=(*found.notes, note))

    def _batches(self, suite: TestSuite) -> list[list[TestCase]]:
        """Return the cases in random order; cases of one name stay together."""
        groups: dict[tuple[str, str], list[TestCase]] = {}
        for case in suite:
            groups.setdefault((case.file, case.name), []).append(case)
        order = list(groups.values())
        Random(self.criteria.seed).shuffle(order)  # noqa: S311 - no secret
        return [
            [case for group in order[start : start + self.batch] for case in group]
            for start in range(0, len(order), self.batch)
        ]


class _Looking(Struct, dict=True):
    """The evidence so far."""

    plan: UntilDecided
    evaluator: Evaluator
    begun: Begun
    sizes: list[int]
    looks: int = 0
    last: BatchLook = field(default_factory=lambda: BatchLook(0, Verdict.UNDECIDED))

    def __post_init__(self) -> None:
        self._comparison = SequentialComparison(self.plan.criteria, len(self.sizes))

    def look(self, number: int) -> bool:
        """Take in a batch that was asked; return whether the verdict is sound."""
        start = sum(self.sizes[:number])
        asked = self.evaluator.rules.list_cases(
            self.begun.suite, self.begun.collected, start, start + self.sizes[number]
        )
        record = reduce_run(Run(Head("test"), tuple(one.case for one in asked)), "this run")
        pairs, _ = match_steps(self.plan.baseline, record)
        self.looks = number + 1
        self.last = self._comparison.add(
            replace(pair, cluster=pair.cluster + number * _APART) for pair in pair_steps(pairs)
        )
        return self.last.verdict is not Verdict.UNDECIDED
