"""Tools of a server that speaks the Model Context Protocol: the tool is the agent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from du_eval.agents.connections.base import AgentRequest, find_context_after
from du_eval.agents.connections.base_json import AgentLine, ConnectionParts
from du_eval.agents.connections.wire import read_streamed
from du_eval.agents.results import AgentReply
from du_eval.errors import AgentError, did_you_mean
from du_eval.llm.transport import HttpCall

_PROTOCOL = "2025-06-18"
_MOST_PAGES = 1000
"""A server that lists tools without end is not believed."""
_ACCEPT = "application/json, text/event-stream"


class ToolServer:
    """Calls one tool with the user's message; what else it takes comes from the sly data."""

    def __init__(self, opening: ConnectionParts) -> None:
        self._tool, self._url = opening.agent, opening.url
        self._argument = opening.option("argument", str, "")

    async def converse(self, request: AgentRequest, line: AgentLine) -> AgentReply:
        """Open a session with the server, and call the tool."""
        exchange = _Exchange(line)
        await exchange.open()
        schema = await self._schema(exchange)
        known = schema.get("properties") or {}
        given = {key: value for key, value in request.sly_data.items() if key in known}
        name = self._argument or next(iter(schema.get("required") or known), "")
        arguments = given | ({name: request.text or ""} if name else {})
        result = await exchange.call("tools/call", {"name": self._tool, "arguments": arguments})
        return self._reply(request, result)

    async def _schema(self, exchange: _Exchange) -> Mapping[str, Any]:
        """Return what the tool takes."""
        tools: dict[str, Any] = {}
        cursor: dict[str, Any] = {}
        for _ in range(_MOST_PAGES):
            listed = await exchange.call("tools/list", cursor)
            tools |= {tool["name"]: tool.get("inputSchema") or {} for tool in listed["tools"]}
            if not listed.get("nextCursor"):
                break
            cursor = {"cursor": listed["nextCursor"]}
        if self._tool not in tools:
            hint = did_you_mean(self._tool, tools) or f"it has: {', '.join(tools)}"
            raise AgentError(f"the server at {self._url} has no tool '{self._tool}' ({hint})")
        found: Mapping[str, Any] = tools[self._tool]
        return found

    def _reply(self, request: AgentRequest, result: Mapping[str, Any]) -> AgentReply:
        text = "\n".join(part["text"] for part in result.get("content", ()) if part.get("type") == "text")
        if result.get("isError"):
            raise AgentError(f"the tool '{self._tool}' reports an error: {text}")
        context = find_context_after(request, self._tool, text)
        return AgentReply(text, result.get("structuredContent"), request.sly_data or None, context)


class _Exchange:
    """The calls of one session; answers come as JSON or as a stream of events."""

    def __init__(self, line: AgentLine) -> None:
        self._line = line
        self._headers = {"Accept": _ACCEPT}
        self._number = 0

    async def open(self) -> None:
        """Introduce ourselves."""
        client = {"name": "du-eval", "version": "1"}
        params = {"protocolVersion": _PROTOCOL, "capabilities": {}, "clientInfo": client}
        agreed = await self.call("initialize", params)
        self._headers["MCP-Protocol-Version"] = str(agreed.get("protocolVersion", _PROTOCOL))
        await self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    async def call(self, method: str, params: Mapping[str, object]) -> Mapping[str, Any]:
        """Return the result of a method."""
        self._number += 1
        number = self._number
        for message in await self._send({"jsonrpc": "2.0", "id": number, "method": method, "params": params}):
            if message.get("id") == number:
                if message.get("error"):
                    told = message["error"].get("message", message["error"])
                    raise AgentError(f"the server refused {method}: {told}")
                result: Mapping[str, Any] = message["result"]
                return result
        raise AgentError(f"the server at {self._line.opening.url} did not answer {method}")

    async def _send(self, body: Mapping[str, object]) -> list[Mapping[str, Any]]:
        # A tool may do something: what may have reached it is not sent again.
        is_call = body.get("method") == "tools/call"
        url = self._line.opening.url
        call = HttpCall(url, body, headers=self._headers, read=read_messages, is_repeatable=not is_call)
        answer = await self._line.send(call)
        if "Mcp-Session-Id" in answer.headers:
            self._headers["Mcp-Session-Id"] = answer.headers["Mcp-Session-Id"]
        messages: list[Mapping[str, Any]] = answer.data
        return messages


def read_messages(text: str, kind: str) -> list[Mapping[str, Any]]:
    """Return the messages of an answer: one JSON value, a list of them, or the data of events."""
    data = read_streamed(text, kind) if text.strip() else []
    return data if isinstance(data, list) else [data]
