"""A run in batches that ends as soon as the verdict against a baseline is sound."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from random import Random

from du_eval.evaluation.results import VERDICT, CaseResult, RunResult
from du_eval.runs.comparison import paired
from du_eval.runs.matching import matched
from du_eval.runs.records import RunRecord
from du_eval.statistics.sequential import BatchLook, SequentialComparison
from du_eval.statistics.verdict import Criteria, Verdict
from du_eval.suites.model import TestCase, TestSuite

_APART = 10_000_000


@dataclass(frozen=True)
class UntilDecided:
    """Asks cases in random order, batch by batch, and looks at the evidence after each."""

    baseline: RunRecord
    record_of: Callable[[RunResult], RunRecord]
    criteria: Criteria
    batch: int = 25

    def run(self, suite: TestSuite, ask: Callable[[TestSuite], RunResult]) -> RunResult:
        """Return the result of the batches that were needed."""
        batches = list(self._batches(suite))
        comparison = SequentialComparison(self.criteria, len(batches))
        results: list[RunResult] = []
        look = BatchLook(0, Verdict.UNDECIDED)
        for number, batch in enumerate(batches):
            results.append(ask(batch))
            pairs, _ = matched(self.baseline, self.record_of(results[-1]))
            look = comparison.add(
                replace(pair, cluster=pair.cluster + number * _APART) for pair in paired(pairs)
            )
            if look.verdict is not Verdict.UNDECIDED or results[-1].is_interrupted or results[-1].stopped:
                break
        return self._joined(suite, results, look, len(batches))

    def _batches(self, suite: TestSuite) -> Iterator[TestSuite]:
        """Yield the cases in random order; cases of one name stay together."""
        groups: dict[tuple[str, str], list[TestCase]] = {}
        for case in suite:
            groups.setdefault((case.file, case.name), []).append(case)
        order = list(groups.values())
        Random(self.criteria.seed).shuffle(order)  # noqa: S311 - no secret
        for start in range(0, len(order), self.batch):
            cases = [case for group in order[start : start + self.batch] for case in group]
            yield TestSuite(tuple(cases), suite.warnings)

    def _joined(self, suite: TestSuite, results: list[RunResult], look: BatchLook, planned: int) -> RunResult:
        places = {(case.file, case.line): number for number, case in enumerate(suite)}
        cases: list[CaseResult] = sorted(
            (case for result in results for case in result.cases),
            key=lambda case: places.get((case.file, case.line), 0),
        )
        total = sum(len(case.user_steps) for case in suite)
        asked = sum(len(case.steps) for case in cases)
        note = (
            f"against {self.baseline.name}: {look.verdict.value} after {len(results)} of {planned} batches, "
            f"{asked} of {total} user steps ({look.items} in both runs; statistic {look.statistic:+.2f}, "
            f"±{look.boundary:.2f} decides)"
        )
        return replace(
            results[-1],
            cases=tuple(cases),
            seconds=sum(result.seconds for result in results),
            notes=(*results[-1].notes, note),
            settings=((VERDICT, look.verdict.value),),
        )
