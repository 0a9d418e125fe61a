"""What became of end-to-end cases."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from du_eval.assistants.engine.events import BotMessage, BotUttered, Event
from du_eval.commands.base import Command
from du_eval.endtoend.model import EndToEndCase, UserStep


class Verdict(StrEnum):
    """A crash is not a pass and not a fail."""

    PASSED = "passed"
    FAILED = "failed"
    ERRORED = "errored"


@dataclass(frozen=True, slots=True)
class TurnRecord:
    """One turn as it happened."""

    user: UserStep
    commands: tuple[Command, ...]
    events: tuple[Event, ...]
    unknown: tuple[Command, ...] = ()
    """Those of the commands that a test file cannot expect: flows, slots or commands that do not exist."""

    @property
    def messages(self) -> tuple[BotMessage, ...]:
        """What the bot said."""
        return tuple(event.message for event in self.events if isinstance(event, BotUttered))


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that was expected and did not happen, or could not be judged."""

    line: int
    expected: str
    found: str
    user: str = ""
    is_error: bool = False


@dataclass(frozen=True, slots=True)
class CaseOutcome:
    """One case: what happened turn by turn, and what was wrong with it."""

    case: EndToEndCase
    turns: tuple[TurnRecord, ...]
    findings: tuple[Finding, ...] = ()
    error: str = ""
    """Why the case could not be run to its end."""

    @property
    def verdict(self) -> Verdict:
        """Failed if something was wrong, else errored if something could not be judged."""
        if any(not finding.is_error for finding in self.findings):
            return Verdict.FAILED
        return Verdict.ERRORED if self.error or self.findings else Verdict.PASSED


@dataclass(frozen=True, slots=True)
class EndToEndResult:
    """All cases of a run, in the order of their files."""

    outcomes: tuple[CaseOutcome, ...]
    generator: str
    warnings: tuple[str, ...] = ()
    judge: str = ""
    """Who judged generated answers, where an assertion asks for that."""

    def count(self, verdict: Verdict) -> int:
        """Return how many cases came out so."""
        return sum(outcome.verdict is verdict for outcome in self.outcomes)

    def that(self, verdict: Verdict) -> Sequence[CaseOutcome]:
        """Return the cases that came out so."""
        return [outcome for outcome in self.outcomes if outcome.verdict is verdict]
