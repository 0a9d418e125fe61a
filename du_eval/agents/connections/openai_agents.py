"""Agents behind an OpenAI-compatible endpoint: chat completions, and responses."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from du_eval.agents.connections.base import AgentRequest, asked_messages, context_of
from du_eval.agents.connections.base_json import Line, Opening, role_messages
from du_eval.agents.results import AgentReply, ToolCall, Usage
from du_eval.errors import AgentError, EndpointError
from du_eval.judges.chat import ChatModel


@dataclass(frozen=True, slots=True)
class _Model:
    """What is sent with each request."""

    agent: str
    name: str
    instructions: str
    parameters: Mapping[str, Any]

    @classmethod
    def of(cls, opening: Opening) -> _Model:
        return cls(
            opening.agent,
            opening.option("model", str, opening.agent),
            opening.option("instructions", str, ""),
            opening.option("parameters", dict, {}),
        )

    def reply(
        self, request: AgentRequest, text: str, tools: tuple[ToolCall, ...], usage: Usage
    ) -> AgentReply:
        said = [*asked_messages(request.chat_context), ("HUMAN", request.text or ""), ("AI", text)]
        context = context_of(self.agent, said)
        return AgentReply(
            text=text, sly_data=request.sly_data or None, chat_context=context, tools=tools, usage=usage
        )


class ChatCompletions:
    """Speaks to `/chat/completions`."""

    def __init__(self, opening: Opening) -> None:
        self._model = _Model.of(opening)

    async def converse(self, request: AgentRequest, line: Line) -> AgentReply:
        """Return the message of the first choice, and the functions that it calls."""
        messages = role_messages(request)
        if self._model.instructions:
            messages.insert(0, {"role": "system", "content": self._model.instructions})
        body = {"model": self._model.name, "messages": messages, **self._model.parameters}
        data = await line.post("/chat/completions", body)
        message = data["choices"][0]["message"]
        tools = tuple(_called(call["function"]) for call in message.get("tool_calls") or ())
        usage = _usage(data.get("usage"), "prompt_tokens", "completion_tokens")
        return self._model.reply(request, message.get("content") or "", tools, usage)


class Responses:
    """Speaks to `/responses`."""

    def __init__(self, opening: Opening) -> None:
        self._model = _Model.of(opening)

    async def converse(self, request: AgentRequest, line: Line) -> AgentReply:
        """Return the texts of the output, and the functions that it calls."""
        body = {"model": self._model.name, "input": role_messages(request), **self._model.parameters}
        if self._model.instructions:
            body["instructions"] = self._model.instructions
        data = await line.post("/responses", body)
        tools = tuple(_called(item) for item in data["output"] if item.get("type") == "function_call")
        usage = _usage(data.get("usage"), "input_tokens", "output_tokens")
        return self._model.reply(request, "".join(_texts(data["output"])), tools, usage)


def _texts(output: list[Any]) -> Iterator[str]:
    for item in output:
        if item.get("type") == "message":
            yield from (part["text"] for part in item["content"] if part.get("type") == "output_text")


def _called(function: Mapping[str, Any]) -> ToolCall:
    given = function.get("arguments") or "{}"
    parameters = json.loads(given) if isinstance(given, str) else given
    return ToolCall(function["name"], parameters if isinstance(parameters, dict) else {"value": parameters})


def _usage(usage: Mapping[str, Any] | None, prompt: str, completion: str) -> Usage:
    told = usage or {}
    return Usage(told.get("total_tokens"), told.get(prompt), told.get(completion))


_ROLES = {"HUMAN": "user", "AI": "assistant"}


@dataclass(frozen=True, slots=True)
class ChatAgent:
    """Answers by its instructions and the dialogue so far; it never sees the sly data."""

    name: str
    instructions: str
    model: ChatModel

    async def ask(self, request: AgentRequest) -> AgentReply:
        """Return the model's answer."""
        history = [*asked_messages(request.chat_context), ("HUMAN", request.text or "")]
        messages = [{"role": "system", "content": self.instructions}]
        messages += [{"role": _ROLES[kind], "content": text} for kind, text in history if kind in _ROLES]
        try:
            answer = await self.model.complete(messages)
        except EndpointError as error:
            raise AgentError(f"the chat model gave no answer: {error}") from error
        context = context_of(self.name, [*history, ("AI", answer)])
        return AgentReply(text=answer, sly_data=request.sly_data or None, chat_context=context)
