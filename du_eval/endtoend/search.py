"""Which commands make one turn of a case pass: the smallest changes of those that are given."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from msgspec import Struct, field

from du_eval.assistants.engine.engine import Advance
from du_eval.assistants.engine.events import Stopped
from du_eval.commands.base import Command
from du_eval.commands.flows import CancelFlow, SetSlot, StartFlow
from du_eval.endtoend.assertions import unmet_assertions
from du_eval.endtoend.candidates import Candidates
from du_eval.endtoend.check import step_findings
from du_eval.endtoend.dialogue import CaseDialogue, Moment
from du_eval.endtoend.model import ScriptedTurn
from du_eval.endtoend.results import Finding, TurnRecord

MOST_CHANGES = 3
"""How many commands are changed, added or taken away at most."""
_WIDTH = 10
_ORDER = (CancelFlow, StartFlow, SetSlot)
Commands = tuple[Command, ...]


class _Trial(NamedTuple):
    """What some commands lead to."""

    unmet: int
    """How many checks fail."""
    is_stopped: bool
    ignored: int
    """How many of the commands have no effect."""

    @property
    def passes(self) -> bool:
        """Tell whether the turn passes."""
        return not self.unmet and not self.is_stopped

    @property
    def ends_at_gap(self) -> bool:
        """Tell whether all checks hold, but what comes then is unknown."""
        return not self.unmet and self.is_stopped


class TurnSearch(Struct):
    """Looks for commands with which one turn passes; one use."""

    dialogue: CaseDialogue
    moment: Moment
    turn: ScriptedTurn
    given: Commands
    most_trials: int
    _tried: dict[frozenset[Command], _Trial] = field(default_factory=dict)
    _stops: dict[str, int] = field(default_factory=dict)

    def advance(self, commands: Commands) -> Advance:
        """Return what commands lead to."""
        return self.dialogue.take_turn(self.moment, self.turn.user, commands)

    def passes(self, advance: Advance) -> bool:
        """Tell whether a turn brings all that can be checked without a judge."""
        return not advance.state.stopped and not self._list_unmet(advance)

    @property
    def trials(self) -> int:
        """How many sequences of commands were tried."""
        return len(self._tried)

    @property
    def stop(self) -> str:
        """Why it cannot be known whether commands pass; empty where none of them came nearer before it."""
        best = min((trial.unmet for trial in self._tried.values() if not trial.is_stopped), default=0)
        reason = min(self._stops, key=lambda reason: self._stops[reason], default="")
        return reason if reason and self._stops[reason] <= best else ""

    def vary(self, candidates: Candidates) -> Iterator[Commands]:
        """Yield the given commands without one, or with another value, where the turn still passes."""
        revalued = (
            (*rest, other)
            for one, rest in zip(self.given, _take_away(self.given), strict=True)
            if isinstance(one, SetSlot)
            for other in candidates.fill(one.slot)
            if other != one
        )
        for commands in (*_take_away(self.given), *revalued):
            if self._try(commands).passes:
                yield commands

    def find(self, candidates: Candidates) -> list[Commands]:
        """Return what passes with the fewest changes, the likeliest first; nothing where nothing does."""
        beam: list[Commands] = [self.given, *([()] if self.given else [])]
        found: list[Commands] = [()] if self.given and self._try(()).passes else []
        for changes in range(1, MOST_CHANGES + 1):
            level = self._try_changes(beam, candidates)
            found.extend(commands for commands in level if self._try(commands).passes)
            near = [commands for commands in found if self._distance(commands) <= changes]
            if near or (found and changes == MOST_CHANGES):
                return sorted(near or found, key=lambda one: self._rank(one, candidates))
            if any(self._try(commands).ends_at_gap for commands in level):
                # Everything holds up to the gap: longer ways around it would only be contrived.
                return []
            beam = sorted(level, key=lambda one: (*self._try(one)[:2], -candidates.rate(one)))[:_WIDTH]
        return []

    def _rank(self, commands: Commands, candidates: Candidates) -> tuple[int, ...]:
        ignored = self._try(commands).ignored
        return self._distance(commands), ignored, -candidates.rate(commands), len(commands)

    def _try_changes(self, beam: Sequence[Commands], candidates: Candidates) -> list[Commands]:
        level: list[Commands] = []
        for changed in (changed for commands in beam for changed in _change(commands, candidates)):
            if len(self._tried) >= self.most_trials:
                break
            if frozenset(changed) not in self._tried:
                self._try(changed)
                level.append(changed)
        return level

    def _try(self, commands: Commands) -> _Trial:
        key = frozenset(commands)
        if key not in self._tried:
            advance = self.advance(commands)
            unmet = len(self._list_unmet(advance))
            for stop in (event for event in advance.events if isinstance(event, Stopped)):
                if stop.is_gap:
                    # Some flow or other always ends at a gap: one that is far from what was understood
                    # or asked must bring more than all that runs to its end.
                    is_near = (self.given and key.issuperset(self.given)) or self._is_answer(commands)
                    penalty = unmet + (not is_near)
                    self._stops[stop.reason] = min(penalty, self._stops.get(stop.reason, penalty))
            ignored = len(advance.ignored)
            self._tried[key] = _Trial(unmet, bool(advance.state.stopped), ignored)
        return self._tried[key]

    def _is_answer(self, commands: Commands) -> bool:
        """Tell whether commands answer the open question and do nothing else."""
        asked = self.moment.state.asked_slot
        return [one.slot for one in commands if isinstance(one, SetSlot)] == [asked] and len(commands) == 1

    def _list_unmet(self, advance: Advance) -> Sequence[Finding]:
        record = TurnRecord(self.turn.user, (), advance.events)
        if self.dialogue.case.has_assertions:
            return unmet_assertions(self.turn.user, record)
        return list(step_findings(self.turn, record))

    def _distance(self, commands: Commands) -> int:
        """Return how many of the given commands have to be changed, added or taken away."""
        old, new = set(self.given), set(commands)
        return max(len(old - new), len(new - old))


def _take_away(commands: Commands) -> list[Commands]:
    return [tuple(other for other in commands if other is not one) for one in commands]


def _change(commands: Commands, candidates: Candidates) -> Iterator[Commands]:
    """Yield commands with one taken away, added or replaced."""
    rests = _take_away(commands)
    yield from rests
    for base in (*rests, commands):
        for more in candidates.extend(base):
            if more not in commands and not _clashes(more, base):
                yield tuple(sorted((*base, more), key=_place))


def _clashes(command: Command, others: Commands) -> bool:
    """Tell whether a command sets a slot that is set already."""
    return isinstance(command, SetSlot) and any(
        isinstance(other, SetSlot) and other.slot == command.slot for other in others
    )


def _place(command: Command) -> int:
    return next((at for at, kind in enumerate(_ORDER) if isinstance(command, kind)), len(_ORDER))
