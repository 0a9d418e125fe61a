"""What a run found: outcomes of steps and cases."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from du_eval.assistants.model import DialogueState
from du_eval.commands.base import Command
from du_eval.conversation import Conversation
from du_eval.evaluation.compare import CommandDiff, JudgingPolicy
from du_eval.evaluation.explanation import Explanation
from du_eval.evaluation.replay import Replay
from du_eval.generators.base import Place, Prompt
from du_eval.runs.outcome import Outcome
from du_eval.runs.record import Spent, combine_sample, decide_case
from du_eval.statistics.success import SuccessRatio

VERDICT = "verdict"
"""The setting of a run that ended as soon as its verdict was sound."""


@dataclass(frozen=True, slots=True)
class StepResult:
    """What became of one user step."""

    place: Place
    message: str
    outcome: Outcome
    expected: tuple[Command, ...] = ()
    predicted: tuple[Command, ...] = ()
    diff: CommandDiff = field(default_factory=CommandDiff)
    components: tuple[tuple[str, tuple[Command, ...]], ...] = ()
    unparsed: tuple[str, ...] = ()
    unknown_flows: tuple[str, ...] = ()
    raw: str | None = None
    error: str = ""
    history: Conversation = Conversation()
    prompts: tuple[Prompt, ...] = ()
    latency_seconds: float | None = None
    latencies: tuple[tuple[str, float], ...] = ()
    state: DialogueState = DialogueState()
    question: str = ""
    """A fingerprint of the message and of all that is expected of it: equal ones may be compared."""
    explanation: Explanation = field(default_factory=Explanation)


@dataclass(frozen=True, slots=True)
class Drive:
    """A case as the generator's own commands drive it."""

    steps: tuple[StepResult, ...]
    diverged_at: int | None = None
    """The first user step after which the dialogue stands elsewhere than with the gold commands."""
    recovered_at: int | None = None
    """The user step after which it stands at the same point again."""
    reused: int = 0
    """Steps that were not asked again, since their history is the gold one."""
    stopped: str = ""


@dataclass(frozen=True, slots=True)
class CaseResult:
    """What became of one test case."""

    name: str
    file: str
    line: int
    steps: tuple[StepResult, ...]
    """The steps of all samples, sample by sample."""
    ratio: SuccessRatio | None = None
    """How many of how many samples must pass; None: all that were asked."""
    length: int = 0
    """How many steps the case has in each sample."""
    replay: Replay | None = None
    """What the replay against the assistant found; None without an assistant."""
    is_strict: bool = False
    """True where a bot step that differs fails the case."""
    drive: Drive | None = None
    """The same case with the generator's own history, where it was asked for."""

    @property
    def id(self) -> str:
        """The name under which reports list the case."""
        return f"{self.file}::{self.name}"

    @property
    def outcome(self) -> Outcome:
        """Failed if a step failed, else errored if a step errored, else passed; or as the ratio decides."""
        if self.is_strict and self.replay is not None and self.replay.differences:
            return Outcome.FAILED
        return decide_case([*self.sample_outcomes().values()], self.ratio)

    def sample_outcomes(self) -> dict[int, Outcome | None]:
        """Return what became of each sample of the whole case; None where it was not finished."""
        by_sample: dict[int, list[Outcome]] = {}
        for step in self.steps:
            by_sample.setdefault(step.place.sample, []).append(step.outcome)
        return {sample: combine_sample(found, self.length) for sample, found in sorted(by_sample.items())}

    def steps_that(self, outcome: Outcome) -> tuple[StepResult, ...]:
        """Return the steps with an outcome."""
        return tuple(step for step in self.steps if step.outcome is outcome)


@dataclass(frozen=True, slots=True)
class RunResult:
    """All cases of a run in suite order, and what else there is to say about it."""

    cases: tuple[CaseResult, ...]
    generator: str
    policy: JudgingPolicy
    syntax: str
    notes: tuple[str, ...] = ()
    is_interrupted: bool = False
    seconds: float = 0.0
    settings: tuple[tuple[str, str], ...] = field(default=())
    samples: int = 1
    """How often each step was meant to be asked."""
    stopped: str = ""
    """Why the run ended before all steps were asked, if it did."""
    spent: Spent = field(default_factory=Spent)
    unasked: tuple[tuple[Command, ...], ...] = ()
    """What the steps expect that were not asked because the run ended early."""
    unasked_cases: int = 0
    """How many cases were not begun for this reason."""
    history: str = "gold"
    """Whose commands drive the dialogues: the gold ones, the predicted ones, or both in turn."""

    def steps(self) -> Iterator[StepResult]:
        """Yield all steps of all cases."""
        for case in self.cases:
            yield from case.steps
