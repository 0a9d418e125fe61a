"""Tools of a server that speaks the Model Context Protocol: the tool is the agent."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import aiohttp

from du_eval.agents.connections.base import AgentRequest, asked_messages, context_of
from du_eval.agents.results import AgentReply
from du_eval.errors import AgentError, did_you_mean

_PROTOCOL = "2025-06-18"
_MOST_BYTES = 16_000_000
_ACCEPT = "application/json, text/event-stream"


@dataclass
class McpTool:
    """Calls one tool with the user's message; what else it takes comes from the sly data."""

    session: aiohttp.ClientSession
    url: str
    tool: str
    argument: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)

    async def ask(self, request: AgentRequest) -> AgentReply:
        """Open a session with the server, and call the tool."""
        exchange = _Exchange(self.session, self.url, {**self.headers, **request.metadata})
        try:
            await exchange.open()
            schema = await self._schema(exchange)
            known = schema.get("properties") or {}
            given = {key: value for key, value in request.sly_data.items() if key in known}
            name = self.argument or next(iter(schema.get("required") or known), "")
            arguments = given | ({name: request.text or ""} if name else {})
            result = await exchange.call("tools/call", {"name": self.tool, "arguments": arguments})
            return self._reply(request, result)
        except (aiohttp.ClientError, OSError) as error:
            raise AgentError(f"no connection with {self.url}: {error or type(error).__name__}") from error
        except (KeyError, TypeError, AttributeError, ValueError) as error:
            what = f"the answer of {self.url} has another shape than expected"
            raise AgentError(f"{what}: {type(error).__name__}: {error}") from error

    async def _schema(self, exchange: _Exchange) -> Mapping[str, Any]:
        """Return what the tool takes."""
        tools: dict[str, Any] = {}
        cursor: dict[str, Any] = {}
        while True:
            listed = await exchange.call("tools/list", cursor)
            tools |= {tool["name"]: tool.get("inputSchema") or {} for tool in listed["tools"]}
            if not listed.get("nextCursor"):
                break
            cursor = {"cursor": listed["nextCursor"]}
        if self.tool not in tools:
            hint = did_you_mean(self.tool, tools) or f"it has: {', '.join(tools)}"
            raise AgentError(f"the server at {self.url} has no tool '{self.tool}' ({hint})")
        found: Mapping[str, Any] = tools[self.tool]
        return found

    def _reply(self, request: AgentRequest, result: Mapping[str, Any]) -> AgentReply:
        text = "\n".join(part["text"] for part in result.get("content", ()) if part.get("type") == "text")
        if result.get("isError"):
            raise AgentError(f"the tool '{self.tool}' reports an error: {text}")
        said = [*asked_messages(request.chat_context), ("HUMAN", request.text or ""), ("AI", text)]
        return AgentReply(
            text, result.get("structuredContent"), request.sly_data or None, context_of(self.tool, said)
        )


class _Exchange:
    """The calls of one session; answers come as JSON or as a stream of events."""

    def __init__(self, session: aiohttp.ClientSession, url: str, headers: Mapping[str, str]) -> None:
        self._session = session
        self._url = url
        self._headers = {"Accept": _ACCEPT, **headers}
        self._number = 0

    async def open(self) -> None:
        """Introduce ourselves."""
        client = {"name": "du-eval", "version": "1"}
        params = {"protocolVersion": _PROTOCOL, "capabilities": {}, "clientInfo": client}
        agreed = await self.call("initialize", params)
        self._headers["MCP-Protocol-Version"] = str(agreed.get("protocolVersion", _PROTOCOL))
        await self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    async def call(self, method: str, params: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the result of a method."""
        self._number += 1
        number = self._number
        text, kind = await self._send({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        for message in _messages(text, kind):
            if message.get("id") == number:
                if message.get("error"):
                    told = message["error"].get("message", message["error"])
                    raise AgentError(f"the server refused {method}: {told}")
                result: Mapping[str, Any] = message["result"]
                return result
        raise AgentError(f"the server at {self._url} gave no answer to {method}")

    async def _send(self, body: Mapping[str, Any]) -> tuple[str, str]:
        async with self._session.post(self._url, json=body, headers=self._headers) as response:
            content = await response.content.read(_MOST_BYTES)
            while chunk := await response.content.read(_MOST_BYTES):
                content += chunk
                if len(content) > _MOST_BYTES:
                    raise AgentError(f"the answer is longer than {_MOST_BYTES:,} bytes")
            text = content.decode("utf-8", "replace")
            if response.status >= 300:
                raise AgentError(
                    f"the server refused {self._url} with status {response.status}: {text[:300]}"
                )
            if "Mcp-Session-Id" in response.headers:
                self._headers["Mcp-Session-Id"] = response.headers["Mcp-Session-Id"]
            return text, response.content_type


def _messages(text: str, kind: str) -> Iterator[Mapping[str, Any]]:
    """Yield the messages of an answer: one JSON value, or the data of events."""
    if kind != "text/event-stream":
        data = json.loads(text)
        yield from data if isinstance(data, list) else [data]
        return
    for event in text.replace("\r\n", "\n").split("\n\n"):
        lines = [line[5:].removeprefix(" ") for line in event.split("\n") if line.startswith("data:")]
        if lines:
            yield json.loads("\n".join(lines))
