"""Agents that speak the Agent2Agent protocol: JSON-RPC, messages and tasks."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Iterator, Mapping
from typing import Any

from du_eval.agents.connections.base import AgentRequest
from du_eval.agents.connections.base_json import Line, Opening, remembered
from du_eval.agents.results import AgentReply
from du_eval.errors import AgentError

_KEY = "a2a"
_UNDER_WAY = frozenset({"submitted", "working"})
_NO_ANSWER = frozenset({"failed", "rejected", "canceled", "auth-required"})
_PAUSE_SECONDS = 0.5


class AgentToAgent:
    """Sends messages, and waits for the tasks that they become."""

    def __init__(self, opening: Opening) -> None:
        self._agent = opening.agent

    async def converse(self, request: AgentRequest, line: Line) -> AgentReply:
        """Return what the agent says, or what its task gives."""
        kept = remembered(request, _KEY)
        message = {
            "kind": "message",
            "role": "user",
            "messageId": str(uuid.uuid4()),
            "parts": [{"kind": "text", "text": request.text or ""}],
            **kept,
            **({"metadata": dict(request.sly_data)} if request.sly_data else {}),
        }
        result = await _call(line, "message/send", {"message": message})
        while _state(result) in _UNDER_WAY:
            await asyncio.sleep(_PAUSE_SECONDS)
            result = await _call(line, "tasks/get", {"id": result["id"]})
        return self._reply(request, result)

    def _reply(self, request: AgentRequest, result: Mapping[str, Any]) -> AgentReply:
        state, parts = _state(result), list(_parts(result))
        text = "\n".join(part["text"] for part in parts if part.get("kind", part.get("type")) == "text")
        if state in _NO_ANSWER:
            raise AgentError(f"the task of '{self._agent}' is {state}" + (f": {text}" if text else ""))
        data = next((part["data"] for part in parts if part.get("kind", part.get("type")) == "data"), None)
        keep = {"contextId": result.get("contextId")}
        if state == "input-required":
            keep["taskId"] = result.get("id")
        context = {_KEY: {key: value for key, value in keep.items() if value}}
        return AgentReply(text, data, request.sly_data or None, context)


async def _call(line: Line, method: str, params: Mapping[str, Any]) -> Any:
    body = {"jsonrpc": "2.0", "id": str(uuid.uuid4()), "method": method, "params": params}
    answer = await line.post("", body)
    if answer.get("error"):
        raise AgentError(f"the agent reports an error: {answer['error'].get('message', answer['error'])}")
    return answer["result"]


def _state(result: Mapping[str, Any]) -> str:
    """Return the state of a task; empty for a message."""
    status = result.get("status")
    return str(status["state"]) if isinstance(status, Mapping) else ""


def _parts(result: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Yield the parts of a message, of the artefacts of a task, or else of its status."""
    if "status" not in result:
        yield from result.get("parts", ())
        return
    artefacts = [part for artefact in result.get("artifacts") or () for part in artefact.get("parts", ())]
    said = (result["status"].get("message") or {}).get("parts", ())
    yield from artefacts or said
