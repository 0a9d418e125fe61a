"""A run: its cases, what became of everything that was asked in them, and its figures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from typing import Generic, TypeVar

from msgspec import Struct, field

from du_eval.runs.figures import CorrectedRate, Figure
from du_eval.runs.outcome import Outcome, combine
from du_eval.statistics.counts import Counts
from du_eval.statistics.success import SuccessRatio

D = TypeVar("D")
E = TypeVar("E")
D_co = TypeVar("D_co", covariant=True)
"""The activity's own words about a result: a command diff, an exchange, tool calls, scores of a line."""
E_co = TypeVar("E_co", covariant=True)
"""The activity's own words about a whole run."""


class Status(StrEnum):
    """How a run ended."""

    RUNNING = "running"
    FINISHED = "finished"
    INTERRUPTED = "interrupted"
    STOPPED = "stopped"
    KILLED = "killed"

    @classmethod
    def of(cls, stopped: str, *, is_interrupted: bool) -> Status:
        """Return how a run ended: interrupted, stopped for a reason, or finished."""
        return cls.INTERRUPTED if is_interrupted else cls.STOPPED if stopped else cls.FINISHED


class Key(Struct, frozen=True, omit_defaults=True):
    """Where a result belongs: stable over runs."""

    file: str = ""
    case: str = ""
    step: int = 0
    """The number among the things that are asked in a case, from 1; 0: the case as a whole."""
    sample: int = 1
    """Which repetition this is, from 1."""
    variant: str = ""
    """What tells it from others at the same place: a connection, another history, a second case so named."""


class Check(Struct, frozen=True, omit_defaults=True):
    """One opinion about an answer: a command diff, a criterion, a metric of a line."""

    name: str
    outcome: Outcome | None = None
    """None: a number that can neither pass nor fail."""
    score: float | None = None
    reason: str = ""
    judge: str = ""
    """Who says so, with version."""
    confidence: float | None = None
    """How sure the judge is, from 0 to 1, where it tells."""


class Result(Struct, Generic[D_co], frozen=True, omit_defaults=True):
    """What became of one item in one sample."""

    key: Key
    outcome: Outcome | None
    """None: it has scores, and can neither pass nor fail."""
    detail: D_co
    asked: str = ""
    """What was asked, in a line for people."""
    expected: tuple[str, ...] = ()
    """What a right answer has, piece by piece."""
    actual: tuple[str, ...] = ()
    """What the answer has, piece by piece."""
    mistakes: tuple[str, ...] = ()
    """The kinds of mistakes, in words."""
    checks: tuple[Check, ...] = ()
    error: str = ""
    line: int = 0
    question: str = ""
    """A fingerprint of what was asked and expected: results with equal ones may be compared."""
    counts: Mapping[str, Counts] = field(default_factory=dict)
    """Hits and misses by label, such as the name of a command."""
    seconds: float | None = None


class Case(Struct, Generic[D_co], frozen=True, omit_defaults=True):
    """Results that belong together, such as those of a conversation: the cluster of every interval."""

    file: str
    name: str
    results: tuple[Result[D_co], ...]
    """All samples, sample by sample."""
    line: int = 0
    variant: str = ""
    ratio: SuccessRatio | None = None
    """How many of how many samples must pass; None: all that were asked."""
    length: int = 0
    """How many results a whole sample has; 0: as many as there are."""
    failure: str = ""
    """Why the case failed as a whole, whatever became of its results."""

    @property
    def id(self) -> str:
        """The name under which reports list the case."""
        variant = f" [{self.variant}]" if self.variant else ""
        return f"{self.file}::{self.name}{variant}" if self.file else f"{self.name}{variant}"

    @property
    def is_judged(self) -> bool:
        """Tell whether anything in the case can pass or fail."""
        return bool(self.failure) or not self.results or any(one.outcome is not None for one in self.results)

    @property
    def outcome(self) -> Outcome:
        """What became of the case, as its ratio decides where it has one."""
        if self.failure:
            return Outcome.FAILED
        if len(self.results) == 1 and self.length <= 1 and self.ratio is None:  # as millions of lines are
            return self.results[0].outcome or Outcome.PASSED
        return decide_case([*self.samples().values()], self.ratio)

    @property
    def is_partial(self) -> bool:
        """Tell whether results that would decide the case were not asked for."""
        if self.outcome is not Outcome.ERRORED:
            return False
        return None in self.samples().values() or not self.results_that(Outcome.ERRORED)

    def samples(self) -> dict[int, Outcome | None]:
        """Return what became of each sample of the whole case; None where it was not finished."""
        found: dict[int, list[Outcome]] = {}
        for result in self.results:
            found.setdefault(result.key.sample, []).append(result.outcome or Outcome.PASSED)
        return {number: combine_sample(outcomes, self.length) for number, outcomes in sorted(found.items())}

    def results_that(self, outcome: Outcome) -> tuple[Result[D_co], ...]:
        """Return the results with an outcome."""
        return tuple(result for result in self.results if result.outcome is outcome)

    def first_that(self, outcome: Outcome) -> tuple[Result[D_co], ...]:
        """Return the results with an outcome, of each step the first sample that has it."""
        found = {result.key.step: result for result in reversed(self.results_that(outcome))}
        return tuple(found.values())[::-1]


def decide_case(samples: Sequence[Outcome | None], ratio: SuccessRatio | None) -> Outcome:
    """Return what became of a case, given its samples; None stands for one that was not finished."""
    if ratio is None:
        known = [outcome for outcome in samples if outcome is not None]
        whole = combine(known)
        is_open = len(known) < len(samples) or not samples
        return Outcome.ERRORED if is_open and whole is not Outcome.FAILED else whole
    decision = ratio.decision(samples.count(Outcome.PASSED), samples.count(Outcome.FAILED))
    if decision is None:
        return Outcome.UNDECIDED if Outcome.UNDECIDED in samples else Outcome.ERRORED
    return Outcome.PASSED if decision else Outcome.FAILED


def combine_sample(outcomes: Sequence[Outcome], length: int) -> Outcome | None:
    """Return the outcome of one sample of a case; None while results are missing and none has failed."""
    if Outcome.FAILED in outcomes:
        return Outcome.FAILED
    return None if len(outcomes) < length else combine(outcomes)


class Spent(Struct, frozen=True, omit_defaults=True):
    """What a run took, beyond time, over all its parts."""

    calls: int = 0
    """Requests that were sent, retries included."""
    retries: int = 0
    cached: int = 0
    """Answers that came from the cache."""
    cost: float | None = None
    """What the sent requests cost, where prices are known."""
    reused: int = 0
    """Answers that came from the journal of the run."""
    earlier: int = 0
    """How many of the requests earlier parts of the run sent, before it was resumed."""

    def after(self, before: Spent) -> Spent:
        """Return what this part of a run and those before it took together."""
        costs = [cost for cost in (before.cost, self.cost) if cost is not None]
        calls, retries = before.calls + self.calls, before.retries + self.retries
        cost, cached = sum(costs) if costs else None, before.cached + self.cached
        return Spent(calls, retries, cached, cost, self.reused, before.calls)


class Head(Struct, frozen=True, omit_defaults=True):
    """What a reader must know about a run before its numbers."""

    kind: str
    """The activity that made it."""
    subject: str = ""
    """Who was tested: a generator, a bot, an agent, a file."""
    unit: str = "items"
    """What its results are called."""
    id: str = ""
    label: str = ""
    started: str = ""
    seconds: float = 0.0
    status: Status = Status.FINISHED
    stopped: str = ""
    """Why the run ended before everything was asked, if it did."""
    planned: int = 0
    """How many cases were selected; 0: as many as there are."""
    part: str = ""
    """Which part of the suite was asked for, such as one of several shards; empty: all of it."""
    samples: int = 1
    decides: bool = True
    """Whether the share of passed results decides; otherwise the figures do, each on its own."""
    signature: str = ""
    settings: Mapping[str, str] = field(default_factory=dict)
    """What people want to know of the settings: model, prompt, matching policy."""
    spent: Spent = Spent()


class Totals(Struct, frozen=True, omit_defaults=True):
    """Counts over everything, of a run that is too large to be kept in one file: its cases are a sample."""

    cases: Mapping[Outcome, int]
    results: Mapping[Outcome, int]
    unjudged: int = 0
    """How many results can neither pass nor fail."""
    index: str = ""
    """The fingerprint of the index of all results."""

    @property
    def items(self) -> int:
        """How many results there are."""
        return sum(self.results.values()) + self.unjudged


class Run(Struct, Generic[D_co, E_co], frozen=True):
    """Everything about a run: what is stored, shown, compared and gated."""

    head: Head
    cases: tuple[Case[D_co], ...]
    figures: tuple[Figure, ...] = ()
    notes: tuple[str, ...] = ()
    extra: E_co | None = None
    corrections: tuple[CorrectedRate, ...] = ()
    """Rates corrected for the judge, where people labelled some of what it judged."""
    totals: Totals | None = None
    """Where the cases are a sample."""

    def results(self) -> Iterator[Result[D_co]]:
        """Yield the results of all cases."""
        for case in self.cases:
            yield from case.results

    def count_cases(self) -> dict[Outcome, int]:
        """Return how many cases ended in each way."""
        found = self.totals.cases if self.totals else Counter(case.outcome for case in self.cases)
        return {outcome: found.get(outcome, 0) for outcome in Outcome}

    def count_results(self) -> dict[Outcome, int]:
        """Return how many results there are of each outcome."""
        found = self.totals.results if self.totals else Counter(one.outcome for one in self.results())
        return {outcome: found.get(outcome, 0) for outcome in Outcome}

    @property
    def open_results(self) -> int:
        """How many results nobody can count on: errored in a case that its ratio does not decide anyway."""
        if self.totals:
            return self.totals.results.get(Outcome.ERRORED, 0)
        return sum(
            len(case.results_that(Outcome.ERRORED))
            for case in self.cases
            if case.ratio is None or case.outcome is Outcome.ERRORED
        )

    @property
    def unfinished(self) -> str:
        """Why there is no verdict on the whole run; empty if everything was asked."""
        known = sum(self.totals.cases.values()) if self.totals else len(self.cases)
        missing = max(0, self.head.planned - known)
        if self.head.status is Status.FINISHED and not missing and not self.head.stopped:
            return ""
        partial = sum(case.is_partial for case in self.cases)
        done, total = known - partial, known + missing
        left = "the others were not asked" if done < total else "some not to their end"
        is_ended = self.head.status in {Status.FINISHED, Status.STOPPED}
        reason = self.head.stopped or (left if is_ended else str(self.head.status))
        return f"{done} of {total} cases, {'stopped: ' if self.head.stopped else ''}{reason}"

    def figure(self, name: str) -> Figure | None:
        """Return a figure by its name."""
        return next((one for one in self.figures if one.name == name), None)


AnyRun = Run[object, object]
"""A run of any activity, of which nothing is known but that it is one."""
