"""A race while arms are asked: answers into the tables of a race, and its drops into ended budgets."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import TYPE_CHECKING

from du_eval.experiments.asking import Contestant
from du_eval.experiments.racing import Racing
from du_eval.experiments.record import Race
from du_eval.runs.outcome import Outcome
from du_eval.suites.model import TestSuite

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_JUDGED = {Outcome.PASSED, Outcome.FAILED}


def shuffle(suite: TestSuite, seed: int) -> TestSuite:
    """Return the cases in random order: what the first batches tell must hold for the rest."""
    cases = list(suite)
    Random(seed).shuffle(cases)  # noqa: S311 - no secret
    return TestSuite(tuple(cases), suite.warnings)


@dataclass
class Course:
    """Watches arms batch by batch, and ends those that are soundly worse."""

    arms: Sequence[Contestant]
    sizes: Sequence[int]
    alpha: float = 0.05
    seed: int = 0
    dropped: dict[str, int] = field(default_factory=dict)
    """Who was dropped, and after how many batches."""
    _looks: int = 0

    def __post_init__(self) -> None:
        self._racing = Racing(len(self.arms), len(self.sizes), self.alpha, self.seed)

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
                        cells = found.setdefault(step.place.step, [[] for _ in self.arms])
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
