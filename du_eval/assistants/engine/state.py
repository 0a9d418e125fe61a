"""Where a dialogue stands, and how each event moves it on."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Iterable, Mapping
from typing import cast

from msgspec import Struct, field

from du_eval.assistants.conditions import Scope
from du_eval.assistants.engine.events import (
    BotMessage,
    BotUttered,
    Event,
    SlotReset,
    SlotSet,
    StackChanged,
    Stopped,
    UserUttered,
)
from du_eval.assistants.engine.stack import (
    Frame,
    FrameKind,
    Stack,
    find_active_chain,
    find_asking_frame,
    find_top_user_frame,
    replace_frame,
)
from du_eval.assistants.model import DialogueState


class EngineState(Struct, frozen=True):
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
    stopped: str = ""
    """Why the dialogue cannot go on; empty while it can."""

    def value(self, slot: str) -> object:
        """Return the value of a slot."""
        return self.slots[slot] if slot in self.slots else self.initial_slots.get(slot)

    @property
    def all_slots(self) -> Mapping[str, object]:
        """All slots with their values."""
        return {**self.initial_slots, **self.slots}

    @property
    def active_flow(self) -> str | None:
        """The flow that serves the user; the outermost one where flows call each other."""
        chain = find_active_chain(self.stack)
        return chain[0].flow if chain else None

    @property
    def asked_slot(self) -> str | None:
        """The slot that the bot waits for."""
        frame = find_asking_frame(self.stack)
        return str(frame.context["collect"]) if frame else None

    def summary(self) -> DialogueState:
        """Return what a generator may know."""
        filled = {name: value for name, value in self.all_slots.items() if value is not None}
        user_flows = tuple(
            frame.flow
            for frame in self.stack
            if frame.is_user_flow and not frame.is_over and frame.kind != "call"
        )
        return DialogueState(self.active_flow, self.asked_slot, filled, user_flows, is_replayed=True)

    def __str__(self) -> str:
        frame = find_top_user_frame(self.stack)
        filled = ", ".join(f"{name} = {value!r}" for name, value in sorted(self.summary().slots.items()))
        called = f" (in {frame.flow})" if frame and frame.kind == "call" else ""
        lines = [
            f"active flow: {self.active_flow or '–'}{called}",
            f"asked slot:  {self.asked_slot or '–'}",
            f"slots:       {filled or '–'}",
            f"stack:       {' > '.join(frame.flow for frame in self.stack) or '–'}",
        ]
        return "\n".join([*lines, f"stopped:     {self.stopped}"] if self.stopped else lines)


class Draft:
    """A state while events change it; each event means the same here and in a replay."""

    __slots__ = (
        "frame_count",
        "initial_slots",
        "message",
        "said",
        "said_before",
        "slots",
        "stack",
        "stopped",
    )

    def __init__(self, state: EngineState) -> None:
        self.initial_slots = state.initial_slots
        self.slots = state.slots
        self.stack = state.stack
        self.frame_count = state.frame_count
        self.message = state.message
        self.said = state.said
        self.said_before = state.said_before
        self.stopped = state.stopped

    @property
    def state(self) -> EngineState:
        """The state as it is now."""
        return EngineState(
            self.initial_slots,
            self.slots,
            self.stack,
            self.frame_count,
            self.message,
            self.said,
            self.said_before,
            self.stopped,
        )

    def value(self, slot: str) -> object:
        """Return the value of a slot."""
        return self.slots[slot] if slot in self.slots else self.initial_slots.get(slot)

    def apply(self, event: Event) -> None:
        """Move on by one event; most events only tell what happened."""
        if isinstance(event, StackChanged):
            self.stack, self.frame_count = event.stack, event.count
        elif isinstance(event, SlotSet):
            self.slots = {**self.slots, event.name: event.value}
        elif isinstance(event, SlotReset) and event.name in self.slots:
            self.slots = {name: value for name, value in self.slots.items() if name != event.name}
        elif isinstance(event, BotUttered):
            self.said = (*self.said, event.message)
        elif isinstance(event, UserUttered):
            self.message, self.said_before, self.said = event.text, self.said, ()
        elif isinstance(event, Stopped):
            self.stopped = event.reason


def replay_events(state: EngineState, events: Iterable[Event]) -> EngineState:
    """Return the state after several events."""
    draft = Draft(state)
    for event in events:
        draft.apply(event)
    return draft.state


class Recorder(Draft):
    """Collects events; the only thing in the engine that changes, and it lives for one turn."""

    __slots__ = ("events",)

    def __init__(self, state: EngineState) -> None:
        super().__init__(state)
        self.events: list[Event] = []

    def emit(self, event: Event) -> None:
        """Let something happen."""
        self.events.append(event)
        self.apply(event)

    def push(
        self, flow: str, kind: FrameKind, context: Mapping[str, object] | None = None, depth: int = 0
    ) -> Frame:
        """Open a flow on top of the stack, or below its `depth` topmost frames."""
        count = self.frame_count + 1
        frame = Frame(count, flow, kind, context=context or {})
        at = len(self.stack) - depth
        self.emit(StackChanged((*self.stack[:at], frame, *self.stack[at:]), count))
        return frame

    def put(self, frame: Frame) -> None:
        """Replace a frame by its newer version."""
        self.restack(replace_frame(self.stack, frame))

    def restack(self, stack: Stack) -> None:
        """Replace all open flows."""
        self.emit(StackChanged(stack, self.frame_count))

    def set_slot(self, name: str, value: object) -> None:
        """Give a slot a value, if it is a new one."""
        if name not in self.slots or not _same(self.slots[name], value):
            self.emit(SlotSet(name, value))

    def reset_slot(self, name: str) -> None:
        """Forget the value of a slot; that happens also where it has none."""
        self.emit(SlotReset(name, self.initial_slots.get(name)))

    def scope(self, frame: Frame | None = None) -> Scope:
        """Return what conditions and texts may look at."""
        slots = ChainMap(cast("dict[str, object]", self.slots), cast("dict[str, object]", self.initial_slots))
        return Scope(slots, frame.context if frame else {})


def _same(first: object, second: object) -> bool:
    return type(first) is type(second) and first == second
