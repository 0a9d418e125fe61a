"""What is asked of an agent, and the one method of whoever asks it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from msgspec import Struct, field

from du_eval.agents.model import ChatFilter
from du_eval.agents.results import AgentReply
from du_eval.plugins import PlugIns


class AgentRequest(Struct, frozen=True):
    """One message to an agent, with everything that goes along."""

    text: str | None
    sly_data: Mapping[str, object] = field(default_factory=dict)
    chat_context: Mapping[str, object] = field(default_factory=dict)
    chat_filter: ChatFilter = ChatFilter.MINIMAL
    metadata: Mapping[str, str] = field(default_factory=dict)


class AgentConnection(Protocol):
    """Asks one agent; raises AgentError where no answer comes."""

    async def ask(self, request: AgentRequest) -> AgentReply:
        """Return the agent's answer."""
        ...


def list_messages(chat_context: Mapping[str, object]) -> list[tuple[str, str]]:
    """Return who said what in the first history of a context: pairs of type (HUMAN or AI) and text."""
    histories = chat_context.get("chat_histories")
    first = histories[0] if isinstance(histories, list) and histories else {}
    messages = first.get("messages", []) if isinstance(first, dict) else []
    return [(str(one.get("type", "")), str(one.get("text", ""))) for one in messages if isinstance(one, dict)]


def make_context(agent: str, messages: list[tuple[str, str]]) -> dict[str, object]:
    """Return a context that holds one history of an agent."""
    origin = [{"tool": agent, "instantiation_index": 1}]
    history = [{"type": kind, "origin": origin, "text": text} for kind, text in messages]
    return {"chat_histories": [{"origin": origin, "messages": history}]}


def find_context_after(request: AgentRequest, agent: str, answer: str) -> dict[str, object]:
    """Return the context of a dialogue after an agent has answered a request."""
    said = [*list_messages(request.chat_context), ("HUMAN", request.text or ""), ("AI", answer)]
    return make_context(agent, said)


DIRECT, HTTP, HTTPS = "direct", "http", "https"
SERVER_KEYS = ("host", "port", "base_path", "ca_file", "certificate", "private_key")
_MODEL_KEYS = ("url", "model", "instructions", "parameters", "api_key_env")
KINDS: Mapping[str, tuple[str, ...]] = {
    DIRECT: (),
    HTTP: SERVER_KEYS,
    HTTPS: SERVER_KEYS,
    "openai": _MODEL_KEYS,
    "openai-responses": _MODEL_KEYS,
    "a2a": ("url", "api_key_env"),
    "mcp": ("url", "argument", "api_key_env"),
    "langgraph": ("url", "api_key_env"),
    "langserve": ("url", "input_key", "api_key_env"),
    "json": ("url", "body", "answer", "structure", "remember", "api_key_env"),
}
"""Each kind with the keys that it understands."""


CONNECTIONS = PlugIns("agent_connections", KINDS)
"""Ours by the keys that they understand, and what installed packages make of an opening."""


def find_kinds() -> dict[str, tuple[str, ...] | None]:
    """Return the kinds that there are; one from another package understands keys that only it knows."""
    return {name: KINDS.get(name) for name in CONNECTIONS}
