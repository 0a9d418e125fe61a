"""Where a dialogue stands, and how each event moves it on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import reduce

from du_eval.assistants.engine.events import (
    BotMessage,
    BotUttered,
    Event,
    FlowStarted,
    SlotReset,
    SlotSet,
    StackChanged,
    Stopped,
    UserUttered,
)
from du_eval.assistants.engine.stack import Stack, active_chain, asking_frame, top_user_frame
from du_eval.assistants.state import DialogueState


@dataclass(frozen=True, slots=True)
class EngineState:
    """Open flows and slots, and the last exchange."""

    initial_slots: Mapping[str, object] = field(default_factory=dict)
    slots: Mapping[str, object] = field(default_factory=dict)
    """Only those that were set, be it to nothing."""
    stack: Stack = ()
    frame_count: int = 0
    message: str = ""
    said: tuple[BotMessage, ...] = ()
    """What the bot said since the user spoke last."""
    said_before: tuple[BotMessage, ...] = ()
    """What the bot said in the turn before."""
    offered: tuple[str, ...] = ()
    """Flows that were offered since the user spoke last."""
    stopped: str = ""
    """Why the dialogue cannot go on; empty while it can."""

    def value(self, slot: str) -> object:
        """Return the value of a slot."""
        return self.slots[slot] if slot in self.slots else self.initial_slots.get(slot)

    def has_been_set(self, slot: str) -> bool:
        """Tell whether a slot got a value at all, be it nothing."""
        return slot in self.slots

    @property
    def all_slots(self) -> Mapping[str, object]:
        """All slots with their values."""
        return {**self.initial_slots, **self.slots}

    @property
    def active_flow(self) -> str | None:
        """The flow that serves the user; the outermost one where flows call each other."""
        chain = active_chain(self.stack)
        return chain[0].flow if chain else None

    @property
    def asked_slot(self) -> str | None:
        """The slot that the bot waits for."""
        frame = asking_frame(self.stack)
        return str(frame.context["collect"]) if frame else None

    def summary(self) -> DialogueState:
        """Return what a generator may know."""
        filled = {name: value for name, value in self.all_slots.items() if value is not None}
        user_flows = tuple(
            frame.flow
            for frame in self.stack
            if frame.is_user_flow and not frame.is_over and frame.kind != "call"
        )
        return DialogueState(
            self.active_flow, self.asked_slot, filled, user_flows, self.offered, is_replayed=True
        )

    def __str__(self) -> str:
        frame = top_user_frame(self.stack)
        filled = ", ".join(f"{name} = {value!r}" for name, value in sorted(self.summary().slots.items()))
        called = f" (in {frame.flow})" if frame and frame.kind == "call" else ""
        lines = [
            f"active flow: {self.active_flow or '–'}{called}",
            f"asked slot:  {self.asked_slot or '–'}",
            f"slots:       {filled or '–'}",
            f"stack:       {' > '.join(frame.flow for frame in self.stack) or '–'}",
        ]
        return "\n".join([*lines, f"stopped:     {self.stopped}"] if self.stopped else lines)


def applied(state: EngineState, event: Event) -> EngineState:
    """Return the state after one event; most events only tell what happened."""
    if isinstance(event, StackChanged):
        return replace(state, stack=event.stack, frame_count=event.count)
    if isinstance(event, FlowStarted):
        return _offering(state, event)
    if not isinstance(event, SlotSet | SlotReset | BotUttered | UserUttered | Stopped):
        return state
    if isinstance(event, SlotSet):
        return replace(state, slots={**state.slots, event.name: event.value})
    if isinstance(event, SlotReset):
        return replace(
            state, slots={name: value for name, value in state.slots.items() if name != event.name}
        )
    if isinstance(event, BotUttered):
        return replace(state, said=(*state.said, event.message))
    if isinstance(event, UserUttered):
        return replace(state, message=event.text, said=(), said_before=state.said, offered=())
    return replace(state, stopped=event.reason)


def _offering(state: EngineState, event: FlowStarted) -> EngineState:
    flows = event.context.get("flows")
    if event.flow != "pattern_clarification" or not isinstance(flows, list):
        return state
    return replace(state, offered=tuple(str(flow) for flow in flows))


def replayed(state: EngineState, events: Iterable[Event]) -> EngineState:
    """Return the state after several events."""
    return reduce(applied, events, state)
