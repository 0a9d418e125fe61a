"""What became of end-to-end cases."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct
from msgspec.structs import replace

from du_eval.assistants.engine.events import BotMessage, BotUttered, Event, Stopped
from du_eval.commands.base import Command
from du_eval.endtoend.model import EndToEndCase, UserMessage
from du_eval.runs.outcome import Outcome


class TurnRecord(Struct, frozen=True):
    """One turn as it happened."""

    user: UserMessage
    commands: tuple[Command, ...]
    events: tuple[Event, ...]
    unknown: tuple[Command, ...] = ()
    """Those of the commands that a test file cannot expect: flows, slots or commands that do not exist."""

    @property
    def messages(self) -> tuple[BotMessage, ...]:
        """What the bot said."""
        return tuple(event.message for event in self.events if isinstance(event, BotUttered))

    @property
    def has_stopped(self) -> bool:
        """Tell whether the dialogue could not go on: then the turn cannot be judged."""
        return any(isinstance(event, Stopped) for event in self.events)


class Finding(Struct, frozen=True, omit_defaults=True):
    """Something that was expected and did not happen, or could not be judged."""

    line: int
    expected: str
    found: str
    user: str = ""
    is_error: bool = False


class Fault(StrEnum):
    """Who has to change something so that a failed case passes."""

    UNDERSTANDING = "understanding"
    FLOW_OR_TEST = "flow or test"
    UNKNOWN = "unknown"


class Blame(Struct, frozen=True):
    """Whose fault a failed turn is."""

    line: int
    user: str
    got: tuple[Command, ...]
    needs: tuple[Command, ...] | None
    """The commands with which the turn passes; None where none were found."""
    fault: Fault
    tried: int
    """How many sequences of commands were tried."""
    reason: str = ""
    """Why the fault is not known, or what speaks against it."""


class PlayedCase(Struct, frozen=True):
    """One case: what happened turn by turn, and what was wrong with it."""

    case: EndToEndCase
    turns: tuple[TurnRecord, ...]
    findings: tuple[Finding, ...] = ()
    error: str = ""
    """Why the case could not be run to its end."""
    blames: tuple[Blame, ...] = ()
    """Whose fault it is, for each turn that would fail even if all turns before it were understood right."""
    repaired: tuple[TurnRecord, ...] = ()
    """The turns as they go with the commands that they need, as far as those are known."""

    @property
    def fault(self) -> Fault | None:
        """Understanding if other commands make the whole case pass; None where it did not fail."""
        if not self.blames:
            return None
        return next((blame.fault for blame in self.blames if blame.needs is None), Fault.UNDERSTANDING)

    def blame(self, blames: tuple[Blame, ...], repaired: tuple[TurnRecord, ...]) -> PlayedCase:
        """Return the case with whose fault it is."""
        return replace(self, blames=blames, repaired=repaired)

    def doubt(self, reason: str) -> PlayedCase:
        """Return the case with faults of flow or test unknown, where the search for others was cut short."""
        blames = (
            replace(blame, fault=Fault.UNKNOWN, reason=reason) if blame.fault is Fault.FLOW_OR_TEST else blame
            for blame in self.blames
        )
        return replace(self, blames=tuple(blames))

    @property
    def trace(self) -> str:
        """Where the action failed that ended the case, for its author."""
        stops = [event for turn in self.turns for event in turn.events if isinstance(event, Stopped)]
        return stops[-1].trace if stops and "\n" in stops[-1].trace else ""

    @property
    def verdict(self) -> Outcome:
        """Failed if something was wrong, else errored if something could not be judged."""
        if any(not finding.is_error for finding in self.findings):
            return Outcome.FAILED
        return Outcome.ERRORED if self.error or self.findings else Outcome.PASSED
