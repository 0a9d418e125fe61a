"""What the assessment of dialogues gives: a verdict for each reply and test, and their sums."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from du_eval.runs.outcome import Outcome
from du_eval.statistics.difference import Difference
from du_eval.statistics.intervals import Measurement

TITLES: Mapping[str, str] = {
    "ML-U3": "typing mistakes",
    "ML-U4": "word order",
    "ML-U5": "left-out words",
    "ML-U6": "replaced words",
    "ML-I1": "long-term memory",
    "ML-I2": "coherence with the conversation",
    "ML-I3": "coherence with the input",
    "ML-I4": "rephrased information",
    "ML-I5": "rephrased questions",
    "ML-I6": "information in context",
    "ML-I7": "questions in context",
    "ML-I13": "consistency with own information",
    "ML-P1": "toxicity",
    "ML-A6": "stuttering",
    "ML-A7": "repeated questions",
    "ML-A8": "repeated replies",
}
LEVELLED = ("ML-U3", "ML-U4", "ML-U5", "ML-U6")


class Assessment(Struct, frozen=True, omit_defaults=True):
    """One verdict with all that led to it."""

    test: str
    dialogue: int
    exchange: int
    verdict: Outcome
    """Undecided: there was no reply, or nothing to compare it with."""
    value: float | None = None
    threshold: float | None = None
    interpretation: str = ""
    reason: str = ""
    judge: str = ""
    label: str = ""
    """Which of several measures of a test, such as a kind of toxicity."""
    fact: int | None = None
    is_control: bool = False
    level: float | None = None
    nominal: float | None = None
    unit: str = ""
    variant: str = ""
    distance: int | None = None
    pair: str = ""
    confidence: float | None = None
    """How sure the judge is, where it tells."""


class Cell(Struct, frozen=True, omit_defaults=True):
    """Successes among attempts, of one level, distance, variant or label."""

    name: str
    place: float
    successes: int
    attempts: int
    rate: Measurement

    @property
    def score(self) -> list[int]:
        """The form of the document."""
        return [self.successes, self.attempts]


class TestResult(Struct, frozen=True, omit_defaults=True):
    """All verdicts of one test, summed."""

    __test__ = False  # for pytest: this is no test

    test: str
    title: str
    total: Cell
    unjudged: int = 0
    control: Cell | None = None
    levels: tuple[Cell, ...] = ()
    distances: tuple[Cell, ...] = ()
    variants: tuple[Cell, ...] = ()
    paired: Difference | None = None
    """Questions with the difficulty minus their controls, on the same facts."""
    labels: tuple[Cell, ...] = ()
    cells: tuple[tuple[int, int], ...] = ()
    """The 20 cells of the document, for tests with levels."""

    @property
    def score(self) -> list[int] | list[list[int]]:
        """The form of the document: successes and attempts, by level where a test has levels."""
        return [list(cell) for cell in self.cells] if self.cells else self.total.score
