"""How cases fail: failures that say the same, grouped into modes."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from du_eval.agents.results import SampleResult
from du_eval.judges.clusters import groups_of
from du_eval.judges.similarity import EmbeddingSimilarity, TfidfSimilarity
from du_eval.runs.outcome import Outcome

_VALUES = re.compile(r'"(?:[^"\\]|\\.)*"|\'[^\']*\'|-?\d+(?:\.\d+)?')
_EXAMPLES = 3
_SHORT = 90


@dataclass(frozen=True, slots=True)
class Failure:
    """One thing that kept one sample from passing."""

    sample: int
    interaction: int
    subject: str
    check: str
    expected: str
    actual: str
    message: str
    is_error: bool = False

    @property
    def kind(self) -> tuple[int, str, str, str]:
        """What failures must share to be of one mode: the place, the check, and what the message says."""
        said = _VALUES.sub("…", self.message) if self.is_error else _why(self.message)
        return self.interaction, self.subject, self.check, said


@dataclass(frozen=True, slots=True)
class FailureMode:
    """Failures of one kind."""

    name: str
    named_by: str
    interaction: int
    subject: str
    check: str
    count: int
    samples: int
    examples: tuple[str, ...]
    criteria: tuple[str, ...]
    is_error: bool = False


def failures_of(samples: Iterable[SampleResult]) -> Iterator[Failure]:
    """Yield every failure of every sample."""
    for sample in samples:
        if sample.error:
            yield Failure(sample.number, 0, "", "error", "", sample.error, sample.error, is_error=True)
        for number, interaction in enumerate(sample.interactions, 1):
            if interaction.error:
                error = interaction.error
                yield Failure(sample.number, number, "", "error", "an answer", error, error, is_error=True)
            for check in interaction.checks:
                if check.outcome is not Outcome.PASSED:
                    yield Failure(
                        sample.number,
                        number,
                        check.subject,
                        check.check,
                        check.expected,
                        check.actual,
                        check.message,
                        is_error=check.outcome is Outcome.ERRORED,
                    )


def modes_of(
    samples: Iterable[SampleResult], judge: TfidfSimilarity | EmbeddingSimilarity
) -> tuple[FailureMode, ...]:
    """Return the modes in which a case failed, the most frequent first."""
    kinds: dict[tuple[int, str, str, str], list[Failure]] = defaultdict(list)
    for failure in failures_of(samples):
        kinds[failure.kind].append(failure)
    modes = [mode for failures in kinds.values() for mode in _modes(failures, judge)]
    return tuple(sorted(modes, key=lambda mode: (-mode.samples, -mode.count, mode.name)))


def _modes(
    failures: Sequence[Failure], judge: TfidfSimilarity | EmbeddingSimilarity
) -> Iterator[FailureMode]:
    groups: dict[int, list[Failure]] = defaultdict(list)
    numbers = groups_of([failure.actual for failure in failures], judge, 0.7 * judge.threshold)
    for number, failure in zip(numbers, failures, strict=True):
        groups[number].append(failure)
    for group in groups.values():
        yield _mode(group, judge.name)


def _mode(group: list[Failure], judge: str) -> FailureMode:
    first = group[0]
    texts = sorted({failure.actual for failure in group}, key=len)
    return FailureMode(
        name=_name(first, texts[0] if texts else ""),
        named_by=f"rules and {judge}",
        interaction=first.interaction,
        subject=first.subject,
        check=first.check,
        count=len(group),
        samples=len({failure.sample for failure in group}),
        examples=tuple(texts[:_EXAMPLES]),
        criteria=tuple(dict.fromkeys(failure.expected for failure in group if failure.expected)),
        is_error=first.is_error,
    )


def _name(failure: Failure, example: str) -> str:
    if not failure.subject:
        return failure.message
    short = example if len(example) <= _SHORT else example[: _SHORT - 1] + "…"
    said = f", like '{' '.join(short.split())}'" if short else f": {_why(failure.message)}"
    return f"{failure.subject} does not pass '{failure.check}'{said}"


def _why(message: str) -> str:
    """Return the part of a message after the expectation, without its values."""
    return _VALUES.sub("…", message.partition(", but ")[2])
