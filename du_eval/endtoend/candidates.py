"""Commands that a user message could mean: where a search for the right ones looks."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from msgspec import Struct, field

from du_eval.assistants.engine.stack import find_active_chain
from du_eval.assistants.engine.state import EngineState
from du_eval.assistants.model import BOOL, CATEGORICAL, FLOAT, Assistant, Slot
from du_eval.commands.base import Command
from du_eval.commands.flows import (
    CancelFlow,
    CannotHandle,
    ChitChat,
    Clarify,
    HumanHandoff,
    RepeatLastBotMessages,
    SearchAndReply,
    SetSlot,
    SkipQuestion,
    StartFlow,
)
from du_eval.endtoend.model import ExpectedReply, ScriptedTurn

_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
_BARE_NUMBER = re.compile(rf"(?<!\w){_NUMBER.pattern}(?!\w)")
_NAME = re.compile(r"(?<![.!?…] )(?<!^)\b[A-Z][\w'-]*(?: [A-Z][\w'-]*)*")
"""Capitals within a sentence; at its start they say nothing."""
_EDGES = " .,!?;:\"'"
_MOST_VALUES = 12
_SHORT = 3
"""Messages of so many words may be nothing but an answer."""
_REPLIES: tuple[Command, ...] = (
    CancelFlow(),
    SearchAndReply(),
    ChitChat(),
    SkipQuestion(),
    HumanHandoff(),
    RepeatLastBotMessages(),
    CannotHandle(),
    CannotHandle("cannot_handle_not_supported"),
    CannotHandle("cannot_handle_no_relevant_answer"),
)


class Wishes(Struct, frozen=True):
    """What the checks of a turn name."""

    flows: tuple[str, ...] = ()
    offered: tuple[tuple[str, ...], ...] = ()
    """Flows between which the bot must let the user choose."""
    responses: tuple[str, ...] = ()
    actions: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()
    slots: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Slots that must be set, with the values that are named."""

    @property
    def names(self) -> frozenset[str]:
        """Everything that a flow may hold."""
        return frozenset((*self.flows, *self.responses, *self.actions, *self.slots))


def read_wishes(turn: ScriptedTurn) -> Wishes:
    """Return what the checks of a turn name."""
    steps = [check for check in turn.checks if isinstance(check, ExpectedReply)]
    kinds = turn.user.assertions
    uttered = [one for one in kinds if one.kind == "bot_uttered"]
    slots: dict[str, tuple[str, ...]] = {}
    wanted = [check.slot for check in turn.checks if not isinstance(check, ExpectedReply) and check.is_set]
    wanted += [slot for one in kinds if one.kind == "slot_was_set" for slot in one.slots]
    for slot in wanted:
        slots[slot.name] = (*slots.get(slot.name, ()), *([slot.value] if slot.value is not None else []))
    return Wishes(
        flows=tuple(flow for one in kinds if one.kind.startswith("flow_") for flow in one.flows),
        offered=tuple(one.flows for one in kinds if one.kind == "pattern_clarification_contains"),
        responses=(*(step.response for step in steps if step.response), *(one.name for one in uttered)),
        actions=tuple(one.name for one in kinds if one.kind == "action_executed"),
        texts=(*(step.text for step in steps if step.text), *(one.text for one in uttered if one.text)),
        slots=slots,
    )


class Candidates:
    """The commands that are worth trying for one message."""

    def __init__(
        self,
        assistant: Assistant,
        state: EngineState,
        turn: ScriptedTurn,
        earlier: Mapping[str, tuple[str, ...]],
    ) -> None:
        self._assistant = assistant
        self._state = state
        self._earlier = earlier
        self._wishes = read_wishes(turn)
        self._text = turn.user.text
        self._asked = state.asked_slot
        self._active = tuple(frame.flow for frame in find_active_chain(state.stack))
        self._open = _list_replies(assistant, self._wishes)
        startable = (flow for flow in assistant.user_flows if flow.guard is not False)
        self._starts = tuple(StartFlow(flow.id) for flow in startable if flow.id not in self._active)
        self._slots = dict.fromkeys([self._asked] if self._asked else [])
        for flow in self._active:
            self._slots.update(self._list_slots(flow))
        self._slots.update(dict.fromkeys(self._wishes.slots))
        self._values: dict[str, tuple[Command, ...]] = {}

    def extend(self, commands: tuple[Command, ...]) -> Iterator[Command]:
        """Yield commands that may be added to others."""
        slots = dict(self._slots)
        for command in commands:
            if isinstance(command, StartFlow):
                slots.update(self._list_slots(command.flow))
        for slot in slots:
            yield from self.fill(slot)
        yield from self._starts
        yield from self._open

    def start(self) -> list[tuple[Command, ...]]:
        """Return the flow nearest to what the checks name, with the values in the message, and alone."""
        near = max(self._starts, key=self._rate, default=None)
        if near is None or not self._rate(near):
            return []
        found: dict[str, Command] = {}
        for slot in self._list_slots(near.flow):
            said = (one for one in self.fill(slot) if isinstance(one, SetSlot) and self._is_said(one))
            one = next((one for one in said if str(one.value) not in found), None)
            if one is not None:
                found[str(one.value)] = one
        return [(near, *found.values()), (near,)] if found else [(near,)]

    def _is_said(self, command: SetSlot) -> bool:
        """Tell whether a value is a part of the message; yes and no are said in other words."""
        slot = self._assistant.slots.get(command.slot)
        is_word = command.value is not None and slot is not None and slot.type != BOOL
        return is_word and str(command.value).casefold() in self._text.casefold()

    def _list_slots(self, flow: str) -> dict[str, None]:
        return dict.fromkeys(collect.slot for collect in self._assistant.list_collects(flow))

    def rate(self, commands: Iterable[Command]) -> int:
        """Return how near commands are to what the checks name; more is nearer."""
        return sum(self._rate(command) for command in commands)

    def _rate(self, command: Command) -> int:
        if isinstance(command, StartFlow):
            # Within a flow, an answer is likelier than a digression that nobody asks for.
            is_asked_for = not self._active or command.flow in self._wishes.flows
            return len(self._wishes.names & self._reach(command.flow)) * (1 if is_asked_for else 0)
        if isinstance(command, SetSlot):
            if command.slot not in self._slots:
                return 0
            named = self._wishes.slots.get(command.slot)
            is_named = named is not None and (not named or str(command.value) in named)
            return 2 * is_named + 2 * (command.slot == self._asked) + self._is_said(command)
        return 0

    def _reach(self, flow_id: str) -> frozenset[str]:
        """Return the names of all that a flow says, asks and does, also in flows it leads to."""
        found: set[str] = set()
        waiting = [flow_id]
        while waiting:
            name = waiting.pop()
            flow = self._assistant.flows.get(name)
            if flow is None or name in found:
                continue
            found.add(name)
            found.update(flow.actions)
            for collect in flow.collects:
                found.update((collect.slot, collect.question, collect.asking_action))
                found.update(rejection.utter for rejection in collect.rejections)
            waiting.extend((*flow.calls, *flow.links))
        return frozenset(found)

    def fill(self, name: str) -> tuple[Command, ...]:
        """Return the commands that may give a slot a value, or take it away."""
        if name not in self._values:
            slot = self._assistant.slots.get(name)
            values = self._list_values(slot) if slot and not slot.is_filled_by_actions_only else ()
            emptied = (SetSlot(name, None),) if slot and self._state.value(name) is not None else ()
            self._values[name] = (*(SetSlot(name, value) for value in values), *emptied)
        return self._values[name]

    def _list_values(self, slot: Slot) -> tuple[str, ...]:
        named = self._wishes.slots.get(slot.name, ())
        if slot.type == BOOL:
            own: Iterable[str] = ("True", "False")
        elif slot.type == CATEGORICAL:
            own = sorted(slot.values, key=lambda value: value.casefold() not in self._text.casefold())
        elif slot.type == FLOAT:
            own = _NUMBER.findall(self._text)
        else:
            is_open = slot.name == self._asked or self._state.value(slot.name) is not None
            own = _list_spans(self._text, self._wishes.texts, is_open=is_open)
        values = tuple(dict.fromkeys((*named, *own)))[:_MOST_VALUES]
        # A value of another kind is refused, which may be just what is expected.
        whole = (self._text,) if slot.name == self._asked and self._text not in values else ()
        return (*values, *self._earlier.get(slot.name, ())[-2:], *whole)


def _list_replies(assistant: Assistant, wishes: Wishes) -> tuple[Command, ...]:
    ids = {flow.readable_name: flow.id for flow in assistant.user_flows}
    offers = [tuple(ids.get(name, name) for name in offer) for offer in wishes.offered]
    return (*(Clarify(tuple(sorted(offer))) for offer in offers), *_REPLIES, Clarify(()))


def _list_spans(text: str, expected: Iterable[str], *, is_open: bool) -> Iterator[str]:
    """Yield parts of a message that may be a value, those that the bot must repeat first."""
    words = text.split()
    whole = text.strip(_EDGES)
    if len(words) <= _SHORT:
        yield whole
    parts = [
        " ".join(words[start : start + length]).strip(_EDGES)
        for length in (4, 3, 2, 1)
        for start in range(len(words) - length + 1)
    ]
    said = " ".join(expected)
    yield from (part for part in parts if len(part) > 1 and f" {part}" in f" {said}")
    yield from _BARE_NUMBER.findall(text)
    yield from (name for name in _NAME.findall(text) if len(name) > 1)
    if is_open:
        yield whole
