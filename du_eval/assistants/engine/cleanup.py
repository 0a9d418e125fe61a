"""Commands before they take effect: pointless ones go, a changed answer becomes a correction."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec import Struct

from du_eval.assistants.coercion import coerce_value
from du_eval.assistants.engine.definition import Definition
from du_eval.assistants.engine.events import CommandIgnored
from du_eval.assistants.engine.stack import find_active_chain
from du_eval.assistants.engine.state import EngineState
from du_eval.commands.base import Command
from du_eval.commands.flows import (
    CancelFlow,
    CannotHandle,
    ChitChat,
    Clarify,
    RepeatLastBotMessages,
    SearchAndReply,
    SetSlot,
    StartFlow,
)

_ONCE = (CancelFlow, CannotHandle, RepeatLastBotMessages)
_BUTTON = "/SetSlots("
"""The message of a button, which may set any slot."""
_DIGRESSIONS = (ChitChat, SearchAndReply)
_QUESTIONS_BACK = (Clarify, CannotHandle)


class Correction(Struct, frozen=True):
    """Answers that replace earlier ones."""

    slots: tuple[tuple[str, object], ...]


Effective = Command | Correction


def clean_commands(
    commands: Iterable[Command], state: EngineState, definition: Definition, message: str = ""
) -> tuple[tuple[Effective, ...], tuple[CommandIgnored, ...]]:
    """Return the commands that take effect in the order they are stacked, and those that do not."""
    cleanup = _Cleanup(state, definition, message)
    for command in cleanup.forced(tuple(commands)):
        cleanup.take(command)
    return cleanup.result(), tuple(cleanup.ignored)


class _Cleanup:
    """Goes through the commands of one message; one use."""

    def __init__(self, state: EngineState, definition: Definition, message: str) -> None:
        self._state = state
        self._is_button = message.startswith(_BUTTON)
        self._definition = definition
        self._chain = find_active_chain(state.stack)
        self._kept: list[Command] = []
        self._corrected: dict[str, object] = {}
        self.ignored: list[CommandIgnored] = []

    def forced(self, commands: tuple[Command, ...]) -> tuple[Command, ...]:
        """Return only the answer, where a question insists on one."""
        asked = self._state.asked_slot
        collects = [self._definition.collects(frame.flow).get(asked or "") for frame in self._chain]
        if not any(collect and collect.force_slot_filling for collect in collects):
            return commands
        answers = tuple(
            command for command in commands if isinstance(command, SetSlot) and command.slot == asked
        )
        for command in commands:
            if command not in answers:
                self._ignore(command, f"the question for '{asked}' must be answered first")
        return answers or (CannotHandle(),)

    def take(self, command: Command) -> None:
        """Keep, change or drop one command."""
        if isinstance(command, SetSlot):
            self._take_slot(command)
        elif isinstance(command, StartFlow) and any(frame.flow == command.flow for frame in self._chain):
            self._ignore(command, f"the flow '{command.flow}' is already active")
        elif isinstance(command, _ONCE) and any(isinstance(kept, type(command)) for kept in self._kept):
            self._ignore(command, "it is already there")
        else:
            self._kept.append(command)

    def _take_slot(self, command: SetSlot) -> None:
        slot = self._definition.assistant.slots.get(command.slot)
        if slot is None:
            self._ignore(command, f"there is no slot '{command.slot}'")
            self.take(CannotHandle())
            return
        if slot.is_filled_by_actions_only and not self._is_button:
            self._ignore(command, f"only actions and flows may set '{command.slot}', by its mappings")
            self.take(CannotHandle())
            return
        value = coerce_value(slot, command.value)
        old = self._state.value(command.slot)
        is_asked = command.slot == self._state.asked_slot
        was_asked = any(frame.has_asked(command.slot) for frame in self._chain)
        if is_asked or old is None or not was_asked:
            self._kept.append(command)
        elif str(old) == str(value):
            self._ignore(command, "the slot already has this value")
        else:
            self._corrected[command.slot] = value

    def result(self) -> tuple[Effective, ...]:
        """Return what is left, digressions first."""
        if len(self._kept) == 1 and not self._corrected:
            return (self._kept[0],)
        corrections: list[Effective] = [Correction(tuple(self._corrected.items()))] if self._corrected else []
        kept: list[Effective] = [*corrections, *self._without_surplus(self._kept, bool(corrections))]
        first = [command for command in kept if isinstance(command, _DIGRESSIONS)]
        second = [command for command in kept if isinstance(command, CancelFlow)]
        return (
            *first,
            *second,
            *(command for command in kept if command not in first and command not in second),
        )

    def _without_surplus(self, kept: Sequence[Command], has_correction: bool) -> list[Command]:  # noqa: FBT001
        """Drop questions back to the user where something else is to be done."""
        others = [command for command in kept if not isinstance(command, _QUESTIONS_BACK)]
        if others or has_correction:
            self._ignore_all(kept, others, "another command takes precedence")
            return others
        clarifies = [command for command in kept if isinstance(command, Clarify)][:1]
        if clarifies:
            self._ignore_all(kept, clarifies, "one clarification is enough")
            return list(clarifies)
        return list(kept)

    def _ignore_all(self, commands: Sequence[Command], kept: Sequence[Command], reason: str) -> None:
        for command in commands:
            if not any(command is other for other in kept):
                self._ignore(command, reason)

    def _ignore(self, command: Command, reason: str) -> None:
        self.ignored.append(CommandIgnored(command, reason))
