"""The events of one turn while it happens; the state follows them."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Mapping
from typing import cast

from du_eval.assistants.conditions import Scope
from du_eval.assistants.engine.events import Event, SlotReset, SlotSet, StackChanged
from du_eval.assistants.engine.stack import Frame, FrameKind, Stack, replacing
from du_eval.assistants.engine.state import Draft, EngineState


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
        self.restack(replacing(self.stack, frame))

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
