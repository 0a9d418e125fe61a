"""Where a dialogue stands: the active flow, the question asked, the slots filled."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class DialogueState:
    """What is known before the user speaks."""

    active_flow: str | None = None
    asked_slot: str | None = None
    slots: Mapping[str, object] = field(default_factory=dict)
    flow_stack: tuple[str, ...] = ()
    """Flows that are open, the active one last."""
    offered_flows: tuple[str, ...] = ()
    """The flows of which the bot has just asked the user to choose one."""
    is_replayed: bool = False
    """True where an engine followed the dialogue; else the state is worked out from what was said."""
