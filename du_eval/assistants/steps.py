"""The steps of a flow: what each of them does, and where it leads."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum

from msgspec import Struct

END = "END"
"""The jump target that ends a flow."""


class StepKind(StrEnum):
    """What a step does; the values are the keys in the file."""

    ACTION = "action"
    COLLECT = "collect"
    LINK = "link"
    CALL = "call"
    SET_SLOTS = "set_slots"
    NOOP = "noop"


class Rejection(Struct, frozen=True):
    """A condition under which a collected value is refused, and what the bot says then."""

    condition: str
    utter: str


class Collect(Struct, frozen=True):
    """A step that asks for a slot."""

    slot: str
    description: str = ""
    utter: str = ""
    ask_before_filling: bool = False
    force_slot_filling: bool = False
    line: int = 0
    reset_after_flow_ends: bool = True
    rejections: tuple[Rejection, ...] = ()

    @property
    def question(self) -> str:
        """The name of the response that asks."""
        return self.utter or f"utter_ask_{self.slot}"

    @property
    def asking_action(self) -> str:
        """The name of the custom action that may ask instead."""
        return f"action_ask_{self.slot}"


class Branch(Struct, frozen=True):
    """One way on from a step: a condition (none for `else`), and a step id or nested steps."""

    condition: str | None
    target: str | tuple[FlowStep, ...]
    line: int = 0


class FlowStep(Struct, frozen=True):
    """One step; without `next` the following step comes after it."""

    kind: StepKind
    target: str = ""
    """The action, slot or flow that the step names."""
    id: str = ""
    collect: Collect | None = None
    values: tuple[tuple[str, object], ...] = ()
    """What `set_slots` sets."""
    next: str | tuple[Branch, ...] | None = None
    is_external: bool = False
    """True for a call of a tool or an agent instead of a flow."""
    exit_if: tuple[str, ...] = ()
    """Conditions of which one ends the call of an agent; before that, it goes on talking."""
    line: int = 0


def walk_steps(steps: tuple[FlowStep, ...]) -> Iterator[FlowStep]:
    """Yield all steps in the order of the file, nested ones after the step that branches."""
    for step in steps:
        yield step
        if isinstance(step.next, tuple):
            for branch in step.next:
                if isinstance(branch.target, tuple):
                    yield from walk_steps(branch.target)
