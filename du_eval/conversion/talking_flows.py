"""Flows for recorded dialogues: they take slots in any order, and the bot of the file does the talking."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

_TALK, _LISTEN = "action_trigger_chitchat", "action_listen"
_SILENT = (
    "pattern_search",
    "pattern_continue_interrupted",
    "pattern_clarification",
    "pattern_cannot_handle",
    "pattern_skip_question",
    "pattern_human_handoff",
)


def talking_flow(name: str, description: str, collects: Sequence[Mapping[str, Any]] = ()) -> dict[str, Any]:
    """Return a flow that says one message a turn, and whose questions only the bot of the file asks."""
    steps: list[dict[str, Any]] = [{"id": "talk", "action": _TALK}, {"action": _LISTEN, "next": "talk"}]
    if collects:
        asked = [*collects[:-1], {**collects[-1], "next": "talk"}]
        never = {"if": f"slots.{asked[0]['collect']} is 'asked by the bot of the file'", "then": asked}
        steps[1]["next"] = [never, {"else": "talk"}]
    return {"name": name, "description": description, "steps": steps}


def talking_patterns() -> dict[str, Any]:
    """Return patterns for a bot whose words stand in the test file: one message a turn, whatever it says."""
    return {
        **{name: {"steps": [{"noop": True, "next": "END"}]} for name in _SILENT},
        "pattern_correction": {"steps": [{"action": "action_correct_flow_slot"}]},
        "pattern_cancel_flow": {"steps": [{"action": "action_cancel_flow"}]},
        "pattern_completed": {"steps": [{"action": _TALK}]},
        "pattern_chitchat": {"steps": [{"action": _TALK}]},
    }
