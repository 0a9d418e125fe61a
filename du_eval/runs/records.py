"""A run reduced to what comparisons need, whatever was tested."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec import Struct, field

from du_eval.runs.figures import Figure
from du_eval.runs.outcome import Outcome
from du_eval.runs.record import Case, D, E, Result, Run
from du_eval.statistics.counts import Counts


class StepRecord(Struct, frozen=True):
    """One judged thing: a user step, an attempt at an agent case, an answer in a quality test."""

    file: str
    case: str
    step: int
    message: str
    outcome: str
    question: str = ""
    """Equal where the same was asked and expected."""
    sample: int = 1
    line: int = 0
    counts: Mapping[str, Counts] = field(default_factory=dict)
    expected: tuple[str, ...] = ()
    predicted: tuple[str, ...] = ()
    mistakes: tuple[str, ...] = ()
    variant: str = ""
    """Which of several cases of the same name in the same file it belongs to."""
    scores: Mapping[str, float] = field(default_factory=dict)
    """Figures of this thing alone: whether each check held (1 or 0), or what each metric gives."""

    @property
    def is_judged(self) -> bool:
        """Tell whether it passed or failed, or has scores although the whole is neither."""
        is_scored = self.outcome == Outcome.UNDECIDED and bool(self.scores)
        return is_scored or self.outcome in {"passed", "failed", SCORED}


SCORED = "scored"
"""The outcome of a thing that has figures, and that can neither pass nor fail."""


class RunRecord(Struct, frozen=True):
    """A run to compare."""

    name: str
    steps: tuple[StepRecord, ...]
    signature: str = ""
    generator: str = ""
    policy: str = ""
    unit: str = "user steps"
    """What the steps are called in reports."""
    activity: str = "test"
    """The command that made the run; runs of different ones cannot be compared."""
    decides: bool = True
    """Whether the share of passed steps decides; otherwise the scores do, each on its own."""
    figures: Mapping[str, Figure] = field(default_factory=dict)
    """What is known about the scores; a score that is not named is a share, the more the better."""
    unfinished: str = ""
    """Why it is not about everything that was to be asked, if it is not."""


def reduce_run(run: Run[D, E], name: str = "") -> RunRecord:
    """Return what a comparison needs of a run."""
    head = run.head
    model = head.settings.get("model") or ""
    told = (head.subject, model * (model not in head.subject), head.settings.get("prompt"))
    return RunRecord(
        name=head.label or name or head.id,
        steps=tuple(step for case in run.cases for step in _steps(case)),
        signature=head.signature,
        generator=" · ".join(filter(None, told)),
        policy=head.settings.get("match") or head.settings.get("judges", ""),
        unit=head.unit,
        activity=head.kind,
        decides=head.decides,
        figures={figure.name.partition("@")[0]: figure for figure in run.figures},
        unfinished=run.unfinished,
    )


def _steps(case: Case[D]) -> Iterator[StepRecord]:
    for result in case.results:
        yield StepRecord(
            file=case.file,
            case=case.name,
            step=result.key.step,
            message=result.asked,
            outcome=result.outcome.value if result.outcome else SCORED,
            question=result.question,
            sample=result.key.sample,
            line=result.line,
            counts=result.counts,
            expected=result.expected,
            predicted=result.actual or ((result.error,) if result.error else ()),
            mistakes=result.mistakes,
            variant=case.variant,
            scores=score_checks(result),
        )


def score_checks(result: Result[D]) -> dict[str, float]:
    """Return the mean score of the checks of each name: 1 where one held, 0 where not, or its own number."""
    values: dict[str, list[float]] = {}
    for check in result.checks:
        if check.outcome is not None and not check.outcome.is_judged:
            continue
        score = float(check.outcome is Outcome.PASSED) if check.score is None else check.score
        values.setdefault(check.name, []).append(score)
    return {name: sum(found) / len(found) for name, found in values.items()}
