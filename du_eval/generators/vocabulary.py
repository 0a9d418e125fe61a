"""What a prompt may talk about: the commands, flows, slots, the state and the conversation."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from typing import Any

from du_eval.assistants.model import BOOL, CATEGORICAL, Assistant, Collect, Flow
from du_eval.commands import flows
from du_eval.commands.base import Command
from du_eval.commands.registry import CommandRegistry
from du_eval.commands.syntax import Syntax
from du_eval.conversation import Conversation, Speaker, Turn
from du_eval.errors import CommandReadError
from du_eval.generators.base import Request
from du_eval.parsers.tool_calls import read_command_data

_EXAMPLES: Mapping[type[Command], Command] = {
    flows.StartFlow: flows.StartFlow("flow_name"),
    flows.SetSlot: flows.SetSlot("slot_name", "slot_value"),
    flows.Clarify: flows.Clarify(("flow_name_1", "flow_name_2")),
}
_MEANINGS: Mapping[type[Command], str] = {
    flows.StartFlow: "the user wants what this flow does",
    flows.SetSlot: "the message gives a value for this slot",
    flows.Clarify: "several flows fit and the user has to choose between them",
    flows.CancelFlow: "the user does not want to go on with the active flow",
    flows.ChitChat: "small talk, greetings, or something off topic",
    flows.SearchAndReply: "a question about facts that is answered from a knowledge base",
    flows.HumanHandoff: "the user wants to talk to a person",
    flows.SkipQuestion: "the user does not want to answer the question asked",
    flows.RepeatLastBotMessages: "the user wants to hear the last messages again",
}


def list_commands_for_prompt(registry: CommandRegistry, syntax: Syntax) -> list[dict[str, Any]]:
    """Return the commands with their spelling, meaning and data form."""
    found = []
    for command in registry:
        example = _example(command)
        found.append(
            {
                "name": command.name,
                "text": syntax.print(example) if example else syntax.find_pattern(command),
                "meaning": _meaning(command),
                "data": example.as_dict() if example else {"command": command.name},
            }
        )
    return found


def _example(command: type[Command]) -> Command | None:
    known = _EXAMPLES.get(command)
    if known is not None:
        return known
    parent = next((kind for kind in command.__mro__ if kind in _EXAMPLES), None)
    try:
        arguments = _EXAMPLES[parent].arguments() if parent else _placeholders(command)
        return command.from_arguments(arguments)
    except (TypeError, ValueError):
        return None


def _placeholders(command: type[Command]) -> dict[str, object]:
    return {field.name: field.name for field in fields(command)} if is_dataclass(command) else {}


def _meaning(command: type[Command]) -> str:
    known = next((_MEANINGS[kind] for kind in command.__mro__ if kind in _MEANINGS), "")
    return known or (command.__doc__ or command.name).strip().split("\n")[0]


def list_tools(registry: CommandRegistry, flow_names: Sequence[str]) -> list[dict[str, Any]]:
    """Return the commands as tools of a chat model."""
    return [
        {
            "type": "function",
            "function": {
                "name": command.__name__,
                "description": _meaning(command),
                "parameters": _parameters(command, flow_names),
            },
        }
        for command in registry
    ]


def _parameters(command: type[Command], flow_names: Sequence[str]) -> dict[str, Any]:
    flow: dict[str, Any] = {"type": "string", **({"enum": list(flow_names)} if flow_names else {})}
    if issubclass(command, flows.StartFlow):
        properties: dict[str, Any] = {"flow": flow}
    elif issubclass(command, flows.SetSlot):
        properties = {"name": {"type": "string"}, "value": {"type": ["string", "null"]}}
    elif issubclass(command, flows.Clarify):
        properties = {"options": {"type": "array", "items": flow}}
    else:
        properties = {name: {"type": "string"} for name in _placeholders(command)}
    return {"type": "object", "properties": properties, "required": list(properties)}


def readable(items: Iterable[object], registry: CommandRegistry) -> Iterator[Mapping[str, Any] | str]:
    """Yield commands given as data; what makes no command becomes text, so that it shows as unparsed."""
    for item in items:
        if isinstance(item, str) or (isinstance(item, Mapping) and _is_command(item, registry)):
            yield item
        else:
            yield json.dumps(item, ensure_ascii=False)


def _is_command(item: Mapping[str, object], registry: CommandRegistry) -> bool:
    try:
        return read_command_data(item, registry) is not None
    except (CommandReadError, ValueError, TypeError):
        return False


_TURNS = 20
_HIDDEN_VALUES = frozenset({"__other__"})
_UNDEFINED = "undefined"


_REMEMBERED = 256


class Contexts:
    """Makes the variables of templates; remembers the lists of flows, which most requests share."""

    def __init__(self) -> None:
        self._flows: dict[tuple[object, ...], tuple[Assistant, list[dict[str, Any]]]] = {}

    def of(self, request: Request) -> dict[str, Any]:
        """Return the variables of a prompt template for one request."""
        return build_context(request, self._flows_for(request))

    def _flows_for(self, request: Request) -> list[dict[str, Any]]:
        state, assistant = request.state, request.assistant
        filled = frozenset(name for name, value in state.slots.items() if value is not None)
        key = (id(assistant), state.flow_stack, filled)
        if key not in self._flows:
            if len(self._flows) >= _REMEMBERED:
                self._flows.clear()
            # The assistant is kept with its flows, so that no other one can get its identity.
            self._flows[key] = (assistant, list(_flows(request)))
        return self._flows[key][1]


def build_context(request: Request, flows: list[dict[str, Any]] | None = None) -> dict[str, Any]:
    """Return the variables of a prompt template for one request."""
    assistant, state = request.assistant, request.state
    asked = _collect_of(assistant, state.active_flow, state.asked_slot)
    slot = assistant.slots.get(state.asked_slot or "")
    return {
        "available_flows": list(_flows(request)) if flows is None else flows,
        "current_flow": state.active_flow,
        "current_slot": state.asked_slot,
        "current_slot_description": asked.description if asked else "",
        "current_slot_type": slot.type if slot else None,
        "current_slot_allowed_values": allowed_values(assistant, state.asked_slot or ""),
        "flow_slots": list(_flow_slots(request)),
        "current_conversation": render_conversation(request.history, request.message),
        "user_message": _flat(request.message),
        "slots": dict(state.slots),
        "history": [
            {"speaker": t.speaker.value, "text": t.text, "response": t.response} for t in request.history
        ],
        "metadata": dict(request.metadata),
        "active_agent": None,
        "completed_agents": [],
    }


def allowed_values(assistant: Assistant, name: str) -> str | None:
    """Return the values that a slot may take, as text; None where anything goes."""
    slot = assistant.slots.get(name)
    if slot is None:
        return None
    if slot.type == BOOL:
        return str([True, False])
    if slot.type == CATEGORICAL:
        return str([value for value in slot.values if value not in _HIDDEN_VALUES])
    return None


def render_conversation(history: Conversation, message: str) -> str:
    """Return the last turns of a dialogue and the new message, one line each."""
    turns = (*history.turns, Turn(Speaker.USER, message))[-_TURNS:]
    return "\n".join(f"{'USER' if turn.speaker is Speaker.USER else 'AI'}: {_spoken(turn)}" for turn in turns)


def _spoken(turn: Turn) -> str:
    return _flat(turn.text) or (f"({turn.response})" if turn.response else "")


def _flat(text: str) -> str:
    return " ".join(text.split())


def _flows(request: Request) -> Iterator[dict[str, Any]]:
    """Yield the flows that may be started, and those that are open."""
    for flow in request.assistant.user_flows:
        if flow.is_startable or flow.id in request.state.flow_stack:
            yield {
                "name": flow.id,
                "description": _flat(flow.description),
                "slots": list(_slots_ahead(request, flow)),
            }


def _slots_ahead(request: Request, flow: Flow) -> Iterator[dict[str, Any]]:
    """Yield the slots that a message may fill before they are asked for."""
    for collect in request.assistant.list_collects(flow.id):
        slot = request.assistant.slots.get(collect.slot)
        if slot is None or not slot.is_filled_by_model:
            continue
        if not collect.ask_before_filling or request.state.slots.get(collect.slot) is not None:
            yield _described(request.assistant, collect)


def _flow_slots(request: Request) -> Iterator[dict[str, Any]]:
    state, assistant = request.state, request.assistant
    for collect in assistant.list_collects(state.active_flow or ""):
        slot = assistant.slots.get(collect.slot)
        if slot is None or not slot.is_filled_by_model:
            continue
        value = state.slots.get(collect.slot)
        is_shown = not collect.ask_before_filling or value is not None or collect.slot == state.asked_slot
        if is_shown:
            shown = _UNDEFINED if value is None else value
            yield {**_described(assistant, collect), "value": shown, "type": slot.type}


def _described(assistant: Assistant, collect: Collect) -> dict[str, Any]:
    return {
        "name": collect.slot,
        "description": _flat(collect.description),
        "allowed_values": allowed_values(assistant, collect.slot),
    }


def _collect_of(assistant: Assistant, flow: str | None, slot: str | None) -> Collect | None:
    return next((c for c in assistant.list_collects(flow or "") if c.slot == slot), None)


def flow_names(context: Mapping[str, Any]) -> list[str]:
    """Return the names of the flows that a prompt offers."""
    return [flow["name"] for flow in context["available_flows"]]
