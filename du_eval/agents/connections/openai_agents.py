"""Agents behind a known protocol: OpenAI-compatible, LangGraph, LangServe, Agent2Agent; chat models."""

from __future__ import annotations

import asyncio
import json
import uuid
from collections.abc import Iterator, Mapping
from typing import Any, cast

from msgspec import Struct
from msgspec.structs import replace

from du_eval.agents.connections.base import AgentRequest, find_context_after
from du_eval.agents.connections.base_json import AgentLine, ConnectionParts, make_role_messages, recall_memory
from du_eval.agents.results import AgentReply, AnswerUsage, ToolCall
from du_eval.errors import AgentError, EndpointError
from du_eval.judges.chat import PlainChat


class _Model(Struct, frozen=True):
    """What is sent with each request."""

    agent: str
    name: str
    instructions: str
    parameters: Mapping[str, Any]

    @classmethod
    def of(cls, opening: ConnectionParts) -> _Model:
        return cls(
            opening.agent,
            opening.option("model", str, opening.agent),
            opening.option("instructions", str, ""),
            opening.option("parameters", dict, {}),
        )

    def reply(
        self, request: AgentRequest, text: str, tools: tuple[ToolCall, ...], usage: AnswerUsage
    ) -> AgentReply:
        context = find_context_after(request, self.agent, text)
        return AgentReply(
            text=text, sly_data=request.sly_data or None, chat_context=context, tools=tools, usage=usage
        )


class ChatCompletions:
    """Speaks to `/chat/completions`."""

    def __init__(self, opening: ConnectionParts) -> None:
        self._model = _Model.of(opening)

    async def converse(self, request: AgentRequest, line: AgentLine) -> AgentReply:
        """Return the message of the first choice, and the functions that it calls."""
        messages = make_role_messages(request)
        if self._model.instructions:
            messages.insert(0, {"role": "system", "content": self._model.instructions})
        body = {"model": self._model.name, "messages": messages, **self._model.parameters}
        data = await line.post("/chat/completions", body)
        message = data["choices"][0]["message"]
        tools = tuple(_called(call["function"]) for call in message.get("tool_calls") or ())
        usage = _usage(data.get("usage"), "prompt_tokens", "completion_tokens")
        return self._model.reply(request, _text(message), tools, usage)


class Responses:
    """Speaks to `/responses`."""

    def __init__(self, opening: ConnectionParts) -> None:
        self._model = _Model.of(opening)

    async def converse(self, request: AgentRequest, line: AgentLine) -> AgentReply:
        """Return the texts of the output, and the functions that it calls."""
        body = {"model": self._model.name, "input": make_role_messages(request), **self._model.parameters}
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


def _usage(usage: Mapping[str, Any] | None, prompt: str, completion: str) -> AnswerUsage:
    told = usage or {}
    return AnswerUsage(told.get("total_tokens"), told.get(prompt), told.get(completion))


class ChatAgent(Struct, frozen=True):
    """Answers by its instructions and the dialogue so far; it never sees the sly data."""

    name: str
    instructions: str
    model: PlainChat

    async def ask(self, request: AgentRequest) -> AgentReply:
        """Return the model's answer."""
        messages = [{"role": "system", "content": self.instructions}, *make_role_messages(request)]
        try:
            answer = await self.model.complete(messages)
        except EndpointError as error:
            raise AgentError(f"the chat model did not answer: {error}") from error
        context = find_context_after(request, self.name, answer)
        return AgentReply(text=answer, sly_data=request.sly_data or None, chat_context=context)


_KEY = "langgraph"
_HUMAN = frozenset({"human", "user"})
_ANSWERING = frozenset({"ai", "assistant", "AIMessage", "AIMessageChunk"})


class LangGraph:
    """Runs an assistant of a LangGraph server; a dialogue is a thread."""

    def __init__(self, opening: ConnectionParts) -> None:
        self._assistant = opening.agent

    async def converse(self, request: AgentRequest, line: AgentLine) -> AgentReply:
        """Return the last message of the state that the run ends with."""
        thread = recall_memory(request, _KEY).get("thread_id")
        if thread is None:
            thread = (await line.post("/threads", {}))["thread_id"]
        given = {"messages": [{"role": "user", "content": request.text or ""}], **request.sly_data}
        body = {"assistant_id": self._assistant, "input": given}
        state = await line.post(f"/threads/{thread}/runs/wait", body)
        if "__error__" in state:
            raise AgentError(f"the run ended with an error: {state['__error__']}")
        messages = state.get("messages") or []
        rest = {key: value for key, value in state.items() if key != "messages"}
        return AgentReply(
            text=next((_text(one) for one in reversed(messages) if one.get("type") in _ANSWERING), None),
            structure=rest or None,
            sly_data=request.sly_data or None,
            chat_context={_KEY: {"thread_id": thread}},
            tools=tuple(_tools(messages)),
        )


class LangServe:
    """Invokes a runnable of a LangServe route; with `input_key` it takes an object."""

    def __init__(self, opening: ConnectionParts) -> None:
        self._agent = opening.agent
        self._key = opening.option("input_key", str, "")

    async def converse(self, request: AgentRequest, line: AgentLine) -> AgentReply:
        """Return the output of the runnable."""
        given: Any = request.text or ""
        if self._key:
            history = make_role_messages(request)[:-1]
            given = {self._key: given, "chat_history": history, **request.sly_data}
        data = await line.post("/invoke", {"input": given})
        output = data["output"]
        is_message = isinstance(output, Mapping) and "content" in output
        answer = output.get("output") if isinstance(output, Mapping) and not is_message else None
        text = _text(output) if is_message else output if isinstance(output, str) else answer
        return AgentReply(
            text=text if isinstance(text, str) else None,
            structure=output if isinstance(output, Mapping) and not is_message else None,
            sly_data=request.sly_data or None,
            chat_context=find_context_after(request, self._agent, str(text or "")),
        )


def _text(message: Mapping[str, Any]) -> str:
    """Return the text of a message; content may come in parts."""
    content = message.get("content") or ""
    if not isinstance(content, list):
        return cast("str", content)  # whether it is one is checked for all dialects
    return "".join(part if isinstance(part, str) else part.get("text", "") for part in content)


def _tools(messages: list[Mapping[str, Any]]) -> Iterator[ToolCall]:
    """Yield the tools that were called since the user spoke last."""
    starts = [place for place, one in enumerate(messages) if one.get("type") in _HUMAN]
    for message in messages[starts[-1] if starts else 0 :]:
        for call in message.get("tool_calls") or ():
            yield ToolCall(call["name"], call.get("args") or {})


_A2A_KEY = "a2a"
_UNDER_WAY = frozenset({"submitted", "working"})
_NO_ANSWER = frozenset({"failed", "rejected", "canceled", "auth-required"})
_PAUSE_SECONDS = 0.5
_NEW_METHODS = {"message/send": "SendMessage", "tasks/get": "GetTask"}
"""What methods of version 0.3 are called in version 1.0."""
_UNKNOWN_METHOD = -32601


class _UnknownMethodError(AgentError):
    """The agent speaks another version."""


class AgentToAgent:
    """Sends messages, and waits for the tasks that they become.

    It speaks version 0.3 of the protocol, and 1.0 with an agent that does not know the methods of 0.3.
    """

    def __init__(self, opening: ConnectionParts) -> None:
        self._agent = opening.agent
        self._is_new = False

    async def converse(self, request: AgentRequest, line: AgentLine) -> AgentReply:
        """Return what the agent says, or what its task gives."""
        try:
            result = await self._call(line, "message/send", self._word(request))
        except _UnknownMethodError:
            self._is_new = not self._is_new
            result = await self._call(line, "message/send", self._word(request))
        while _state(result) in _UNDER_WAY:
            await asyncio.sleep(_PAUSE_SECONDS)
            result = await self._call(line, "tasks/get", {"id": result["id"]})
        return self._reply(request, result)

    def _word(self, request: AgentRequest) -> dict[str, Any]:
        """Return the message as the version has it."""
        kind = {} if self._is_new else {"kind": "message"}
        message = {
            **kind,
            "role": "ROLE_USER" if self._is_new else "user",
            "messageId": str(uuid.uuid4()),
            "parts": [{**(kind and {"kind": "text"}), "text": request.text or ""}],
            **recall_memory(request, _A2A_KEY),
            **({"metadata": dict(request.sly_data)} if request.sly_data else {}),
        }
        return {"message": message}

    async def _call(self, line: AgentLine, method: str, params: Mapping[str, Any]) -> Any:
        """Return the message or task that a call gives."""
        if self._is_new:
            line = replace(line, metadata={**line.metadata, "A2A-Version": "1.0"})
            method = _NEW_METHODS[method]
        body = {"jsonrpc": "2.0", "id": str(uuid.uuid4()), "method": method, "params": params}
        answer = await line.post("", body)
        if error := answer.get("error"):
            kind = _UnknownMethodError if error.get("code") == _UNKNOWN_METHOD else AgentError
            raise kind(f"the agent reports an error: {error.get('message', error)}")
        result = answer["result"]
        return result.get("task") or result.get("message") or result

    def _reply(self, request: AgentRequest, result: Mapping[str, Any]) -> AgentReply:
        state, parts = _state(result), list(_parts(result))
        text = "\n".join(part["text"] for part in parts if "text" in part)
        if state in _NO_ANSWER:
            raise AgentError(f"the task of '{self._agent}' is {state}" + (f": {text}" if text else ""))
        data = next((part["data"] for part in parts if "data" in part), None)
        keep = {"contextId": result.get("contextId")}
        if state == "input-required":
            keep["taskId"] = result.get("id")
        context = {_A2A_KEY: {key: value for key, value in keep.items() if value}}
        return AgentReply(text, data, request.sly_data or None, context)


def _state(result: Mapping[str, Any]) -> str:
    """Return the state of a task; empty for a message."""
    status = result.get("status")
    state = str(status["state"]) if isinstance(status, Mapping) else ""
    return state.lower().removeprefix("task_state_").replace("_", "-")


def _parts(result: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Yield the parts of a message, of the artefacts of a task, or else of its status."""
    if "status" not in result:
        yield from result.get("parts", ())
        return
    artefacts = [part for artefact in result.get("artifacts") or () for part in artefact.get("parts", ())]
    said = (result["status"].get("message") or {}).get("parts", ())
    yield from artefacts or said
