"""The streaming protocol: the body of a request, the frames of a stream, and the answer they add up to."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from du_eval.agents.connections.base import AgentRequest
from du_eval.agents.results import AgentReply, AnswerUsage, StreamMessage, ToolCall
from du_eval.errors import AgentError
from du_eval.llm.bodies import BodyError

_HUMAN = 2
_TYPES = {
    0: "UNKNOWN",
    1: "SYSTEM",
    2: "HUMAN",
    4: "AI",
    100: "AGENT",
    101: "AGENT_FRAMEWORK",
    103: "AGENT_TOOL_RESULT",
    104: "AGENT_PROGRESS",
}
_ANSWERING = {"AI", "AGENT_FRAMEWORK"}
_SERVER_ERROR = re.compile(r"Error from \S+: ")
_SHAPES = {"text": str, "origin": list, "structure": dict, "sly_data": dict, "chat_context": dict}
Frame = Mapping[str, Any]


def make_request_body(request: AgentRequest) -> dict[str, object]:
    """Return the body of a chat request."""
    body: dict[str, object] = {
        "user_message": {"type": _HUMAN, "text": request.text},
        "chat_filter": {"chat_filter_type": request.chat_filter.value},
    }
    if request.sly_data:
        body["sly_data"] = request.sly_data
    if request.chat_context:
        body["chat_context"] = request.chat_context
    return body


_LINES = frozenset(
    {"application/x-ndjson", "application/jsonl", "application/x-jsonlines", "application/json-lines"}
)


def read_streamed(text: str, kind: str) -> Any:
    """Return the JSON of an answer; a stream of events or lines is the list of their values."""
    try:
        if kind == "text/event-stream":
            return [json.loads(data) for data in _list_events(text) if data.strip() != "[DONE]"]
        if kind in _LINES:
            return [json.loads(line) for line in text.splitlines() if line.strip()]
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise BodyError(f"the answer is not JSON: {text[:80]!r}") from error


def _list_events(text: str) -> Iterator[str]:
    for event in text.replace("\r\n", "\n").split("\n\n"):
        lines = [line[5:].removeprefix(" ") for line in event.split("\n") if line.startswith("data:")]
        if lines:
            yield "\n".join(lines)


_DECODER = json.JSONDecoder()
_GAP = re.compile(r"\s*")


def read_frames(text: str, _kind: str = "") -> list[Frame]:
    """Return the frames of an answer: JSON objects, one or several on each line."""
    return [frame for number, line in enumerate(text.split("\n"), 1) for frame in _read_line(line, number)]


def _read_line(line: str, number: int) -> Iterator[Frame]:
    place = _skip(line, 0)
    while place < len(line):
        try:
            frame, end = _DECODER.raw_decode(line, place)
        except (ValueError, RecursionError) as error:
            raise BodyError(f"line {number} of the answer is not JSON: {line[:80]!r}") from error
        yield _check(frame, number)
        place = _skip(line, end)


def _skip(line: str, place: int) -> int:
    found = _GAP.match(line, place)
    return found.end() if found else place


def _check(frame: object, line: int) -> Frame:
    if not isinstance(frame, dict):
        raise BodyError(f"line {line} of the answer is not an object: {str(frame)[:80]}")
    if frame.get("error"):
        raise BodyError(f"the server reports an error: {str(frame['error'])[:300]}")
    message = frame.get("response") or {}
    if not isinstance(message, dict) or not all(_fits(message, key, kind) for key, kind in _SHAPES.items()):
        raise BodyError(f"line {line} of the answer is not a message: {str(frame)[:200]}")
    return frame


def _fits(message: Frame, key: str, kind: type) -> bool:
    return message.get(key) is None or isinstance(message[key], kind)


def build_reply(frames: Iterable[Frame]) -> AgentReply:
    """Return the answer that the frames of one stream add up to."""
    messages = [frame["response"] for frame in frames if frame.get("response")]
    answer = _last(messages, _is_answer) or {}
    context = _last(messages, _has_context) or _last(messages, _has_sly_data) or {}
    text = answer.get("text")
    if isinstance(text, str) and _SERVER_ERROR.match(text):
        raise AgentError(f"the server answers with an error: {text[:300]}")
    return AgentReply(
        text=text,
        structure=answer.get("structure"),
        sly_data=context.get("sly_data"),
        chat_context=context.get("chat_context"),
        tools=tuple(_tool_calls(messages)),
        usage=_usage(messages),
        messages=tuple(_message(one) for one in messages),
    )


def find_message_type(message: Frame) -> str:
    """Return the type of a message by its word, also where it is sent as a number."""
    kind = message.get("type")
    return _TYPES.get(kind, "UNKNOWN") if isinstance(kind, int) else str(kind or "UNKNOWN")


def _last(messages: list[Frame], fits: Any) -> Frame | None:
    return next((message for message in reversed(messages) if fits(message)), None)


def _is_answer(message: Frame) -> bool:
    origin = message.get("origin") or []
    says_something = message.get("text") is not None or message.get("structure") is not None
    return find_message_type(message) in _ANSWERING and len(origin) <= 1 and says_something


def _has_context(message: Frame) -> bool:
    return find_message_type(message) == "AGENT_FRAMEWORK" and message.get("chat_context") is not None


def _has_sly_data(message: Frame) -> bool:
    return find_message_type(message) == "AGENT_FRAMEWORK" and message.get("sly_data") is not None


def _tools(origin: Any) -> list[str]:
    return [str(step.get("tool", "")) for step in origin or [] if isinstance(step, dict)]


def _structure(message: Frame) -> Mapping[str, Any]:
    structure = message.get("structure")
    return structure if isinstance(structure, dict) and find_message_type(message) == "AGENT" else {}


def _tool_calls(messages: list[Frame]) -> Iterator[ToolCall]:
    """Yield every announced call, and every tool that started without being announced."""
    announced: list[str] = []
    for message in messages:
        structure = _structure(message)
        if structure.get("invoking_start"):
            name = str(structure.get("invoked_agent_name", ""))
            announced.append(name)
            yield ToolCall(name, _object(structure.get("params")))
        elif structure.get("tool_start"):
            name = (_tools(message.get("origin")) or [""])[-1]
            if name in announced:
                announced.remove(name)
            else:
                yield ToolCall(name, _object(structure.get("tool_args")))


def _object(value: object) -> dict[str, Any]:
    return dict(value) if isinstance(value, dict) else {}


def _usage(messages: list[Frame]) -> AnswerUsage | None:
    """Return the last account: it is the total of the request."""
    accounts = [structure for message in messages if "total_tokens" in (structure := _structure(message))]
    if not accounts:
        return None
    last = accounts[-1]
    return AnswerUsage(
        last.get("total_tokens"),
        last.get("prompt_tokens"),
        last.get("completion_tokens"),
        last.get("total_cost"),
    )


def _message(message: Frame) -> StreamMessage:
    structure = message.get("structure")
    return StreamMessage(
        find_message_type(message),
        ".".join(_tools(message.get("origin"))),
        message.get("text"),
        structure if isinstance(structure, dict) else None,
    )
