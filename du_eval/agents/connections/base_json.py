"""Agents that are asked by JSON over HTTP: one way to send, and a dialect for each protocol."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from du_eval.agents.connections.base import AgentRequest, asked_messages
from du_eval.agents.results import AgentReply
from du_eval.errors import AgentError, EndpointError, InputError
from du_eval.llm.transport import HttpCall, Sender

_ROLES = {"HUMAN": "user", "AI": "assistant"}


@dataclass(frozen=True, slots=True)
class Opening:
    """What a connection is made of: the agent, its address, the options of the case, and who sends."""

    agent: str
    url: str
    sender: Sender
    options: Mapping[str, Any] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    """Those of the options; metadata of a request come on top."""

    def option(self, name: str, kind: type, default: Any) -> Any:
        """Return an option of the case in its type."""
        value = self.options.get(name, default)
        if value is not default and not isinstance(value, kind):
            raise InputError(f"'{name}' must be {'a text' if kind is str else 'an object'}, not {value!r}")
        return value


class Dialect(Protocol):
    """Speaks one protocol; sends as many calls as an answer needs."""

    async def converse(self, request: AgentRequest, line: Line) -> AgentReply:
        """Return the agent's answer."""
        ...


@dataclass(frozen=True, slots=True)
class Line:
    """Sends the calls of one request to one agent."""

    opening: Opening
    metadata: Mapping[str, str] = field(default_factory=dict)

    async def post(self, path: str, body: object) -> Any:
        """Return the decoded answer to a call."""
        headers = {**self.opening.headers, **self.metadata}
        url = self.opening.url.rstrip("/") + path
        try:
            answer = await self.opening.sender.send(HttpCall(url, body, headers=headers))
        except EndpointError as error:
            raise AgentError(str(error)) from error
        return answer.data


@dataclass(frozen=True, slots=True)
class JsonAgent:
    """Asks one agent in its dialect; an answer of another shape is an AgentError."""

    opening: Opening
    dialect: Dialect

    async def ask(self, request: AgentRequest) -> AgentReply:
        """Return the agent's answer."""
        try:
            return await self.dialect.converse(request, Line(self.opening, request.metadata))
        except (KeyError, IndexError, TypeError, AttributeError, ValueError) as error:
            what = f"the answer of {self.opening.url} has another shape than expected"
            raise AgentError(f"{what}: {type(error).__name__}: {error}") from error


def role_messages(request: AgentRequest) -> list[dict[str, str]]:
    """Return the dialogue so far and the new message, with roles."""
    history = [*asked_messages(request.chat_context), ("HUMAN", request.text or "")]
    return [{"role": _ROLES[kind], "content": text} for kind, text in history if kind in _ROLES]


def remembered(request: AgentRequest, key: str) -> dict[str, Any]:
    """Return what a connection put aside for the next request of the same dialogue."""
    kept = request.chat_context.get(key)
    return dict(kept) if isinstance(kept, Mapping) else {}
