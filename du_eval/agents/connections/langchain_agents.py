"""Agents behind a LangGraph server or a LangServe route."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from du_eval.agents.connections.base import AgentRequest, asked_messages, context_of
from du_eval.agents.connections.base_json import Line, Opening, remembered, role_messages
from du_eval.agents.results import AgentReply, ToolCall
from du_eval.errors import AgentError

_KEY = "langgraph"
_HUMAN = frozenset({"human", "user"})
_ANSWERING = frozenset({"ai", "assistant", "AIMessage", "AIMessageChunk"})


class LangGraph:
    """Runs an assistant of a LangGraph server; a dialogue is a thread."""

    def __init__(self, opening: Opening) -> None:
        self._assistant = opening.agent

    async def converse(self, request: AgentRequest, line: Line) -> AgentReply:
        """Return the last message of the state that the run ends with."""
        thread = remembered(request, _KEY).get("thread_id")
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

    def __init__(self, opening: Opening) -> None:
        self._agent = opening.agent
        self._key = opening.option("input_key", str, "")

    async def converse(self, request: AgentRequest, line: Line) -> AgentReply:
        """Return the output of the runnable."""
        given: Any = request.text or ""
        if self._key:
            history = role_messages(request)[:-1]
            given = {self._key: given, "chat_history": history, **request.sly_data}
        data = await line.post("/invoke", {"input": given})
        output = data["output"]
        is_message = isinstance(output, Mapping) and "content" in output
        answer = output.get("output") if isinstance(output, Mapping) and not is_message else None
        text = _text(output) if is_message else output if isinstance(output, str) else answer
        said = [*asked_messages(request.chat_context), ("HUMAN", request.text or ""), ("AI", str(text or ""))]
        return AgentReply(
            text=text if isinstance(text, str) else None,
            structure=output if isinstance(output, Mapping) and not is_message else None,
            sly_data=request.sly_data or None,
            chat_context=context_of(self._agent, said),
        )


def _text(message: Mapping[str, Any]) -> str:
    """Return the text of a message; content may come in parts."""
    content = message.get("content") or ""
    if isinstance(content, str):
        return content
    return "".join(part if isinstance(part, str) else part.get("text", "") for part in content)


def _tools(messages: list[Mapping[str, Any]]) -> Iterator[ToolCall]:
    """Yield the tools that were called since the user spoke last."""
    starts = [place for place, one in enumerate(messages) if one.get("type") in _HUMAN]
    for message in messages[starts[-1] if starts else 0 :]:
        for call in message.get("tool_calls") or ():
            yield ToolCall(call["name"], call.get("args") or {})
