"""Where a dialogue stands after its gold history: derived from commands and from what the bot said."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec import Struct

from du_eval.assistants.coercion import coerce_value
from du_eval.assistants.model import Assistant, DialogueState
from du_eval.assistants.questions import Questions
from du_eval.assistants.references import is_built_in
from du_eval.commands.base import Command
from du_eval.commands.flows import CancelFlow, SetSlot, StartFlow
from du_eval.conversation import Turn

GoldTurn = tuple[tuple[Command, ...], tuple[Turn, ...]]
"""The commands of a user turn, and the bot turns that followed."""

_ALL_DONE = frozenset({"utter_can_do_something_else"})


class _Heard(Struct, frozen=True):
    """What the bot's messages of one turn tell."""

    responses: tuple[str, ...]
    asked: str | None
    unknown: str
    """The last message, if no flow explains it."""
    is_literal: bool
    """True if that message is no response of the domain either."""
    is_anything: bool


class Tracker:
    """Follows dialogues of one assistant; holds no dialogue itself."""

    def __init__(self, assistant: Assistant) -> None:
        self._assistant = assistant
        self._questions = Questions(assistant)
        completed = assistant.flows.get("pattern_completed")
        own = (name for name in completed.actions if name.startswith("utter_")) if completed else ()
        self._all_done = _ALL_DONE | frozenset(own)

    def states(self, turns: Iterable[GoldTurn], slots: Mapping[str, object]) -> Iterator[DialogueState]:
        """Yield the state before the first turn, and after each of them."""
        state = DialogueState(slots=dict(slots))
        yield state
        for commands, bot_turns in turns:
            state = self.advance(state, commands, bot_turns)
            yield state

    def advance(
        self, state: DialogueState, commands: Sequence[Command], bot_turns: Sequence[Turn]
    ) -> DialogueState:
        """Return the state after one more user turn and the bot's answer to it."""
        stack = _commanded(state.flow_stack, commands)
        slots = {**state.slots, **self._set(commands)}
        is_waiting = bool(stack) and state.active_flow == stack[-1] and not _sets(commands, state.asked_slot)
        waiting = state.asked_slot if is_waiting else None
        heard = self._heard(bot_turns)
        asked = heard.asked or waiting or self._guessed(stack, slots, heard)
        if heard.asked:
            stack = self._asking(stack, heard.asked)
        elif not asked or not self._all_done.isdisjoint(heard.responses):
            stack = self._after_statements(stack, heard, is_answered=_sets(commands, state.asked_slot))
            asked = None
        closed = (set(state.flow_stack) | set(_started(commands))) - set(stack)
        forgotten = self._reset_slots(closed) - {slot for flow in stack for slot in self._slots_of(flow)}
        # A question means that its slot is empty: never filled, emptied first, or refused.
        kept = {name: value for name, value in slots.items() if name not in forgotten and name != asked}
        return DialogueState(stack[-1] if stack else None, asked, kept, stack)

    def _set(self, commands: Sequence[Command]) -> dict[str, object]:
        known = self._assistant.slots
        return {
            command.slot: coerce_value(known[command.slot], command.value)
            if command.slot in known
            else command.value
            for command in commands
            if isinstance(command, SetSlot)
        }

    def _heard(self, bot_turns: Sequence[Turn]) -> _Heard:
        names = tuple(turn.response or self._questions.response_with(turn.text) for turn in bot_turns)
        asked = [slot for name in names if name and (slot := self._questions.find_slot(name))]
        said = tuple(name for name in names if name)
        unknown = self._unexplained(bot_turns[-1], names[-1]) if names else ""
        is_literal = bool(unknown) and names[-1] is None
        return _Heard(said, asked[-1] if asked else None, unknown, is_literal, bool(names))

    def _unexplained(self, turn: Turn, name: str | None) -> str:
        """Return the words of a message that no flow says: it comes from a custom action."""
        if name is None:
            return turn.text.strip()
        response = self._assistant.responses.get(name)
        if response is None or self._questions.is_said_by_flows(name) or is_built_in(name):
            return ""
        return (turn.text or response.text).strip()

    def _asking(self, stack: tuple[str, ...], slot: str) -> tuple[str, ...]:
        """Return the stack with the flow on top that the question belongs to; flows above it are over."""
        for depth in range(len(stack), 0, -1):
            if slot in self._slots_of(stack[depth - 1]):
                return stack[:depth]
        for depth in range(len(stack), 0, -1):
            linked = next(
                (flow for flow in self._links_of(stack[depth - 1]) if slot in self._slots_of(flow)), None
            )
            if linked:
                return (*stack[: depth - 1], linked)
        owners = self._questions.list_owners(slot)
        return stack if len(owners) != 1 else (*stack, owners[0])

    def _after_statements(
        self, stack: tuple[str, ...], heard: _Heard, *, is_answered: bool
    ) -> tuple[str, ...]:
        """Return the stack after messages that ask for no slot: a flow that asks nothing more has ended."""
        if not self._all_done.isdisjoint(heard.responses):
            return ()
        if not heard.is_anything:
            return stack
        if is_answered:
            return ()
        while stack and self._has_ended(stack[-1], heard):
            stack = stack[:-1]
        return stack

    def _has_ended(self, flow: str, heard: _Heard) -> bool:
        statements = self._questions.list_statements(flow)
        return not self._slots_of(flow) or not statements.isdisjoint(heard.responses)

    def _guessed(self, stack: tuple[str, ...], slots: Mapping[str, object], heard: _Heard) -> str | None:
        """Return the slot that an unknown message asks for: words of a custom action, most likely."""
        if not stack or not heard.unknown:
            return None
        collects = self._assistant.list_collects(stack[-1])
        by_action = [item for item in collects if item.asking_action in self._assistant.actions]
        still_open = [item for item in by_action if slots.get(item.slot) is None]
        asked_anew = [item for item in by_action if item.ask_before_filling]
        if heard.unknown.endswith("?"):
            still_open.extend(item for item in collects if slots.get(item.slot) is None and heard.is_literal)
        return next((item.slot for item in (*still_open, *asked_anew)), None)

    def _links_of(self, flow: str) -> tuple[str, ...]:
        return self._assistant.flows[flow].links if flow in self._assistant.flows else ()

    def _slots_of(self, flow: str) -> frozenset[str]:
        return frozenset(collect.slot for collect in self._assistant.list_collects(flow))

    def _reset_slots(self, flows: Iterable[str]) -> set[str]:
        """Return the slots that are emptied when flows end."""
        known = [self._assistant.flows[flow] for flow in flows if flow in self._assistant.flows]
        return {
            collect.slot
            for flow in known
            for collect in self._assistant.list_collects(flow.id)
            if collect.reset_after_flow_ends and collect.slot not in flow.persisted_slots
        }


def _commanded(stack: tuple[str, ...], commands: Sequence[Command]) -> tuple[str, ...]:
    """Return the stack after commands: cancelling first, and the flow that was named first ends on top."""
    if stack and any(isinstance(command, CancelFlow) for command in commands):
        stack = stack[:-1]
    for flow in reversed(_started(commands)):
        stack = (*(other for other in stack if other != flow), flow)
    return stack


def _sets(commands: Sequence[Command], slot: str | None) -> bool:
    return any(isinstance(command, SetSlot) and command.slot == slot for command in commands)


def _started(commands: Sequence[Command]) -> tuple[str, ...]:
    return tuple(command.flow for command in commands if isinstance(command, StartFlow))
