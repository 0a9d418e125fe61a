"""What became of a user step, in the words of command tests."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from du_eval.commands.base import Command
from du_eval.conversation import Turn
from du_eval.evaluation.compare import CommandDiff
from du_eval.evaluation.explanation import Explanation
from du_eval.evaluation.taxonomy import Residual
from du_eval.generators.base import Prompt
from du_eval.runs.record import Case, Result
from du_eval.runs.report import Unstored


@dataclass(frozen=True, slots=True)
class StepMistake:
    """One mistake: its kind, what was expected, and what came instead."""

    kind: str
    expected: str = ""
    predicted: str = ""
    distance: float | None = None


@dataclass(frozen=True, slots=True)
class StateSeen:
    """Where a dialogue stood before the user spoke."""

    flow: str = ""
    asked: str = ""
    slots: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class LiveCommands:
    """The commands of a step themselves, as long as its run is being made."""

    expected: tuple[Command, ...] = ()
    predicted: tuple[Command, ...] = ()
    diff: CommandDiff = field(default_factory=CommandDiff)
    residuals: tuple[Residual, ...] = ()


@dataclass(frozen=True, slots=True)
class StepDetail:
    """A user step in the words of command tests; commands are spelled as in the test files."""

    missing: tuple[str, ...] = ()
    unexpected: tuple[str, ...] = ()
    flows: tuple[str, ...] = ()
    """Flows that are started, rightly or wrongly."""
    slots: tuple[str, ...] = ()
    """Slots that are filled, rightly or wrongly."""
    components: tuple[tuple[str, tuple[str, ...]], ...] = ()
    unparsed: tuple[str, ...] = ()
    unknown_flows: tuple[str, ...] = ()
    raw: str = ""
    mistakes: tuple[StepMistake, ...] = ()
    conversation: tuple[Turn, ...] = ()
    """What was said before; of steps that did not pass."""
    state: StateSeen | None = None
    explanation: Explanation = field(default_factory=Explanation)
    prompts: tuple[Prompt, ...] = ()
    latencies: tuple[tuple[str, float], ...] = ()
    live: Unstored[LiveCommands] = field(default=LiveCommands(), compare=False)


JudgedStep = Result[StepDetail]
JudgedCase = Case[StepDetail]


@dataclass(frozen=True, slots=True)
class DriveSeen:
    """A case with the generator's own history."""

    case: str
    steps: tuple[Result[StepDetail], ...]
    diverged_at: int | None = None
    """The first user step after which the dialogue stands elsewhere than with the gold commands."""
    recovered_at: int | None = None
    """The user step after which it stands at the same point again."""
    reused: int = 0
    """Steps that were not asked again, since their history is the gold one."""
    stopped: str = ""
