"""Messages that buttons send: they name commands themselves, no generator is asked."""

from __future__ import annotations

import re

from du_eval.assistants.model import Assistant
from du_eval.commands.base import Command
from du_eval.commands.flows import StartFlow
from du_eval.commands.slots import SetSlot
from du_eval.commands.values import null_or_text, unquoted

_SET_SLOTS = re.compile(r"/SetSlots\((?P<pairs>.*)\)\s*", re.DOTALL)
_INTENT = re.compile(r"/(?P<intent>[\w-]+)\s*(?:\{.*\})?")


def payload_commands(text: str, assistant: Assistant) -> tuple[Command, ...] | None:
    """Return the commands of `/SetSlots(a=b, …)` or of the intent `/name`; None for words of a user."""
    if text.strip() in {"/session_start", "/restart"}:
        return ()
    match = _SET_SLOTS.fullmatch(text)
    if match:
        pairs = (pair.partition("=") for pair in match["pairs"].split(",") if pair.strip())
        return tuple(SetSlot(name.strip(), null_or_text(unquoted(value))) for name, _, value in pairs)
    intent = _INTENT.fullmatch(text)
    if intent is None:
        return None
    flows = [flow.id for flow in assistant.user_flows if intent["intent"] in flow.intents]
    return tuple(StartFlow(flow) for flow in flows) or None
