"""The table of connections: from a kind to whoever asks the agent."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from msgspec import Struct

from du_eval.agents.connections.base import CONNECTIONS, KINDS, AgentConnection, AgentRequest, find_kinds
from du_eval.agents.connections.base_json import ConnectionParts, Dialect, JsonAgent, Templated
from du_eval.agents.connections.mcp import McpTool
from du_eval.agents.connections.openai_agents import (
    AgentToAgent,
    ChatCompletions,
    LangGraph,
    LangServe,
    Responses,
)
from du_eval.agents.results import AgentReply
from du_eval.errors import AgentError, did_you_mean

_DIALECTS: Mapping[str, Callable[[ConnectionParts], Dialect]] = {
    "openai": ChatCompletions,
    "openai-responses": Responses,
    "a2a": AgentToAgent,
    "langgraph": LangGraph,
    "langserve": LangServe,
    "json": Templated,
}


class NoConnection(Struct, frozen=True):
    """Stands for a connection that cannot be made: each request is an error, and other cases go on."""

    reason: str

    async def ask(self, request: AgentRequest) -> AgentReply:  # noqa: ARG002 - the protocol's parameter
        """Say why there is none."""
        raise AgentError(self.reason)


def open_connection(kind: str, opening: ConnectionParts) -> AgentConnection:
    """Return the connection of a kind: a dialect of ours, MCP, or one from another package."""
    if kind in KINDS and not opening.url:
        return NoConnection(f"the connection '{kind}' needs an address: add url, or use --server")
    if kind in _DIALECTS:
        return JsonAgent(opening, _DIALECTS[kind](opening))
    if kind == "mcp":
        argument = opening.option("argument", str, "")
        return McpTool(opening.sender, opening.url, opening.agent, argument, opening.headers)
    if kind in CONNECTIONS:
        found: AgentConnection = CONNECTIONS[kind](opening)
        return found
    kinds = list(find_kinds())
    hint = did_you_mean(kind, kinds) or f"known: {', '.join(kinds)}"
    return NoConnection(f"there is no connection '{kind}' ({hint}; --connection replaces it)")
