"""What became of a user step, in the words of command tests."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from msgspec import Struct, field
from msgspec.structs import replace

from du_eval.commands.base import Command
from du_eval.conversation import Turn
from du_eval.evaluation.compare import CommandDiff
from du_eval.evaluation.taxonomy import Residual
from du_eval.generators.base import Prompt
from du_eval.runs.record import Case, Result


class Provenance(StrEnum):
    """What made a step fail."""

    MODEL = "model wrong"
    FORMAT = "format wrong"
    HALLUCINATED = "hallucinated command"
    TRUNCATED = "truncated"
    REFUSED = "refused or filtered"
    REASONING = "reasoning leaked"
    ENDPOINT = "endpoint error"
    EXPECTATION = "expectation doubtful"


class Sign(StrEnum):
    """What can be seen in an answer, whether or not its step passes."""

    REASONING = "reasoning"
    TRUNCATED = "truncated"
    REFUSED = "refused or filtered"
    HALLUCINATED = "hallucinated command"
    UNPARSED = "other text"
    TOOL_CALLS = "tool calls"


class Explanation(Struct, frozen=True, omit_defaults=True):
    """Why a step is as it is."""

    provenance: Provenance | None = None
    """None where the step passed."""
    signs: tuple[Sign, ...] = ()
    reasoning: str = ""
    hallucinated: tuple[str, ...] = ()
    passes_in_perfect_form: bool = False
    """The right commands are there, if text in a wrong form is read kindly."""


class StepMistake(Struct, frozen=True, omit_defaults=True):
    """One mistake: its kind, what was expected, and what came instead."""

    kind: str
    expected: str = ""
    predicted: str = ""
    distance: float | None = None


class StateSeen(Struct, frozen=True, omit_defaults=True):
    """Where a dialogue stood before the user spoke."""

    flow: str = ""
    asked: str = ""
    slots: Mapping[str, str] = field(default_factory=dict)


class LiveCommands(Struct, frozen=True):
    """The commands of a step themselves, as long as its run is being made."""

    expected: tuple[Command, ...] = ()
    predicted: tuple[Command, ...] = ()
    diff: CommandDiff = CommandDiff()
    residuals: tuple[Residual, ...] = ()


_NO_COMMANDS = LiveCommands()


class StepDetail(Struct, frozen=True, omit_defaults=True):
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
    explanation: Explanation = Explanation()
    prompts: tuple[Prompt, ...] = ()
    latencies: tuple[tuple[str, float], ...] = ()
    live: LiveCommands = _NO_COMMANDS


def without_commands(detail: StepDetail) -> StepDetail:
    """Return what of a step is written."""
    return replace(detail, live=_NO_COMMANDS)


JudgedStep = Result[StepDetail]
JudgedCase = Case[StepDetail]


class DriveSeen(Struct, frozen=True, omit_defaults=True):
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
