"""What repeated samples tell: pass rates, pass@k, pass^k, and which steps are flaky."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from du_eval.evaluation.step import JudgedCase
from du_eval.generators.base import Place
from du_eval.runs.outcome import Outcome
from du_eval.statistics.clusters import proportion
from du_eval.statistics.intervals import Measurement
from du_eval.statistics.success import Chances, SuccessRatio, chances_over_k


class Repeated(Struct, frozen=True, omit_defaults=True):
    """One step or case, asked several times."""

    name: str
    place: Place
    outcomes: tuple[Outcome, ...]
    """What became of each sample, in order."""
    rate: Measurement
    ratio: SuccessRatio | None = None

    @property
    def passed(self) -> int:
        """How many samples passed."""
        return self.outcomes.count(Outcome.PASSED)

    @property
    def failed(self) -> int:
        """How many samples failed."""
        return self.outcomes.count(Outcome.FAILED)

    @property
    def errored(self) -> int:
        """How many samples could not be judged."""
        return self.outcomes.count(Outcome.ERRORED)

    @property
    def is_flaky(self) -> bool:
        """Tell whether it passed sometimes and failed sometimes."""
        return bool(self.passed and self.failed)

    @property
    def judged(self) -> int:
        """How many samples passed or failed."""
        return self.passed + self.failed


class Repeats(Struct, frozen=True, omit_defaults=True):
    """Everything about the samples of a run."""

    steps: tuple[Repeated, ...]
    cases: tuple[Repeated, ...]
    step_chances: Chances
    case_chances: Chances

    @property
    def flaky_steps(self) -> tuple[Repeated, ...]:
        """The steps that passed sometimes, the most undecided first."""
        flaky = [step for step in self.steps if step.is_flaky]
        return tuple(sorted(flaky, key=lambda step: abs(0.5 - step.passed / step.judged)))


def measure_repeats(judged: Sequence[JudgedCase], confidence: float = 0.95) -> Repeats | None:
    """Return what the samples of a run tell; None where everything was asked only once."""
    if all(step.key.sample == 1 for case in judged for step in case.results):
        return None
    steps = tuple(repeated for case in judged for repeated in _steps(case, confidence))
    cases = tuple(_case(case, confidence) for case in judged)
    return Repeats(steps, cases, _chances(steps), _chances(cases))


def _steps(case: JudgedCase, confidence: float) -> Iterator[Repeated]:
    by_step: dict[int, list[Outcome]] = {}
    first = {step.key.step: step for step in reversed(case.results)}
    for step in case.results:
        by_step.setdefault(step.key.step, []).append(step.outcome or Outcome.PASSED)
    for number, outcomes in by_step.items():
        key = first[number].key
        place = Place(key.file, key.case, key.step, first[number].line, key.sample)
        yield _repeated(first[number].asked, place, outcomes, confidence)


def _case(case: JudgedCase, confidence: float) -> Repeated:
    outcomes = [outcome for outcome in case.samples().values() if outcome is not None]
    place = Place(case.file, case.name, 0, case.line)
    return replace(_repeated(case.id, place, outcomes, confidence), ratio=case.ratio)


def _repeated(name: str, place: Place, outcomes: Sequence[Outcome], confidence: float) -> Repeated:
    passed, failed = outcomes.count(Outcome.PASSED), outcomes.count(Outcome.FAILED)
    rate = proportion(passed, passed + failed, confidence)
    return Repeated(name, place, tuple(outcomes), rate)


def _chances(items: Sequence[Repeated]) -> Chances:
    judged = {Outcome.PASSED: True, Outcome.FAILED: False}
    return chances_over_k([[judged.get(outcome) for outcome in item.outcomes] for item in items])
