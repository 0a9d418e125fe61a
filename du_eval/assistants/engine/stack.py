"""The stack of flows that are open in a dialogue."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from msgspec import Struct, field
from msgspec.structs import replace

START = -1
"""The position before the first step."""


class FrameKind(StrEnum):
    """Why a flow is on the stack."""

    REGULAR = "regular"
    INTERRUPT = "interrupt"
    LINK = "link"
    CALL = "call"
    PATTERN = "pattern"


class Frame(Struct, frozen=True):
    """An open flow, and how far it has come."""

    number: int
    flow: str
    kind: FrameKind
    step: int = START
    """The step that was taken last."""
    jump: int | None = None
    """The step to take next, where it is not the one that follows."""
    is_over: bool = False
    is_cancelled: bool = False
    visited: tuple[tuple[int, str], ...] = ()
    """Steps that asked for a slot so far, also inside called flows, in their order."""
    context: Mapping[str, object] = field(default_factory=dict)

    @property
    def is_user_flow(self) -> bool:
        """Tell whether this serves the user, and is no pattern."""
        return self.kind is not FrameKind.PATTERN

    def take_step(self, step: int) -> Frame:
        """Return the frame after it has taken a step."""
        return Frame(
            self.number,
            self.flow,
            self.kind,
            step,
            None,
            self.is_over,
            self.is_cancelled,
            self.visited,
            self.context,
        )

    def has_asked(self, slot: str) -> bool:
        """Tell whether a step for the slot was reached."""
        return any(slot == asked for _, asked in self.visited)


Stack = tuple[Frame, ...]
"""Open flows, the active one last."""


def find_top_user_frame(stack: Stack) -> Frame | None:
    """Return the flow that serves the user right now."""
    return next((frame for frame in reversed(stack) if frame.is_user_flow and not frame.is_over), None)


def find_active_chain(stack: Stack) -> Stack:
    """Return the active user flow with the flows that call it, the caller of all first."""
    found: list[Frame] = []
    for frame in reversed(stack):
        if frame.is_user_flow and not frame.is_over:
            found.append(frame)
            if frame.kind is not FrameKind.CALL:
                break
    return tuple(reversed(found))


def find_asking_frame(stack: Stack) -> Frame | None:
    """Return the frame that waits for a slot, if there is one on top."""
    if stack and not stack[-1].is_over and "collect" in stack[-1].context:
        return stack[-1]
    return None


def replace_frame(stack: Stack, frame: Frame) -> Stack:
    """Return the stack with a newer version of one of its frames."""
    return tuple(frame if other.number == frame.number else other for other in stack)


def resume_flow(stack: Stack, flow: str) -> Stack:
    """Return the stack with an open flow, and all that belongs to it, on top."""
    start = next(at for at, frame in enumerate(stack) if frame.flow == flow and not frame.is_over)
    ends = (
        at for at in range(start + 1, len(stack)) if stack[at].kind not in {FrameKind.CALL, FrameKind.PATTERN}
    )
    end = next(ends, len(stack))
    first = replace(stack[start], kind=FrameKind.INTERRUPT)
    return (*stack[:start], *stack[end:], first, *stack[start + 1 : end])
