"""A run in batches that ends as soon as the verdict against a baseline is sound."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from random import Random

from msgspec import Struct, field
from msgspec.structs import replace

from du_eval.evaluation.pipeline import Begun, Evaluator
from du_eval.evaluation.predict import OnResult
from du_eval.evaluation.record import TestRun
from du_eval.generators.base import CommandGenerator
from du_eval.runs.comparison import answer_alike
from du_eval.runs.gates import find_unasked
from du_eval.runs.matching import match_steps, pair_steps
from du_eval.runs.record import Head, Run
from du_eval.runs.records import RunRecord, reduce_run
from du_eval.runs.ruling import ASKED, NO_VERDICT, VERDICT, Missing
from du_eval.statistics.difference import Pair
from du_eval.statistics.sequential import BatchLook, SequentialComparison
from du_eval.statistics.verdict import Criteria, Verdict
from du_eval.suites.model import TestCase, TestSuite

_APART = 10_000_000


class UntilDecided(Struct, frozen=True):
    """Asks cases in random order, batch by batch, and looks at the evidence after each."""

    baseline: RunRecord
    criteria: Criteria
    batch: int = 25
    max_errors: float = 0.0
    """Which share of the compared steps may have errored, in either run, before there is no verdict."""

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
        look, lacks = looking.last, looking.tell_missing(reduce_run(found))
        total = sum(len(case.user_steps) for case in suite)
        asked = sum(1 for _ in found.results())
        verdict = NO_VERDICT if lacks else look.verdict.value
        evidence = f"statistic {look.statistic:+.2f}, ±{look.boundary:.2f} decides"
        note = (
            f"against {self.baseline.name}: {verdict} after {looking.looks} of {len(sizes)} "
            f"batches, {asked} of {total} user steps ({look.items} in both runs; "
            f"{'no change' if looking.is_unchanged else evidence})"
        )
        settings = {**found.head.settings, VERDICT: verdict}
        if looking.looks < len(sizes):
            settings[ASKED] = f"{asked} of {total} user steps"
        notes = (*found.notes, f"{note}: {lacks}" if lacks else note)
        return replace(found, head=replace(found.head, settings=settings), notes=notes)

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
    bounds: tuple[BatchLook, ...] = ()
    """The same with steps that were not judged counted against this run, and for it."""
    unjudged: int = 0
    compared: int = 0
    is_alike: bool = True

    def __post_init__(self) -> None:
        self._comparison, *self._bounding = (
            SequentialComparison(self.plan.criteria, len(self.sizes)) for _ in range(3)
        )

    def look(self, number: int) -> bool:
        """Take in a batch that was asked; return whether the verdict is sound, whatever was not judged."""
        start = sum(self.sizes[:number])
        asked = self.evaluator.rules.list_cases(
            self.begun.suite, self.begun.collected, start, start + self.sizes[number]
        )
        record = reduce_run(Run(Head("test"), tuple(one.case for one in asked)), "this run")
        pairs, overlap = match_steps(self.plan.baseline, record)
        self.looks = number + 1
        every = [*pairs, *overlap.unjudged]
        self.compared, self.unjudged = self.compared + len(every), self.unjudged + overlap.not_judged
        self.last = self._comparison.add(_apart(pair_steps(pairs), number))
        self.bounds = tuple(
            bound.add(_apart(pair_steps(every, unknown), number))
            for bound, unknown in zip(self._bounding, ((1.0, 0.0), (0.0, 1.0)), strict=True)
        )
        self.is_alike &= answer_alike(pairs) and not overlap.not_judged
        if self.is_unchanged:
            self.last, self.bounds = replace(self.last, verdict=Verdict.EQUIVALENT), ()
        return self.last.verdict is not Verdict.UNDECIDED and not self._is_reversible

    @property
    def is_unchanged(self) -> bool:
        """Tell whether all was asked and answered alike, which needs no statistics."""
        return self.is_alike and self.looks == len(self.sizes)

    @property
    def _is_reversible(self) -> bool:
        return any(bound.verdict is not self.last.verdict for bound in self.bounds)

    def tell_missing(self, found: RunRecord) -> str:
        """Return why there is no verdict; empty where too few steps lack to matter."""
        baseline, most = self.plan.baseline, self.plan.max_errors
        if baseline.unfinished:
            return f"the baseline is not complete ({baseline.unfinished})"
        if not self.compared:
            return "no user step is in both runs"
        lacks = [Missing("compared user steps errored", self.unjudged, self.compared, ())]
        if self.looks == len(self.sizes):
            lacks.append(find_unasked(match_steps(baseline, found)[1], "user steps"))
        is_open = self.last.verdict is not Verdict.UNDECIDED and self._is_reversible
        told = f"{self.last.verdict.value}, but {self.unjudged} that were not judged could reverse it"
        return next(filter(None, (one.tell(most) for one in lacks)), told if is_open else "")


def _apart(pairs: Iterable[Pair], number: int) -> Iterator[Pair]:
    """Yield the pairs of a batch, whose conversations are none of those before."""
    return (replace(pair, cluster=pair.cluster + number * _APART) for pair in pairs)
