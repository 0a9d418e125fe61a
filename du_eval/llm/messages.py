"""What is said to a chat model and what comes back, as values."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any, Protocol

from msgspec import Struct, field

_SHOWN = 80
_THOUGHTS = frozenset({"thinking", "reasoning", "thought"})
_REASONING_KEYS = dict.fromkeys(
    ("reasoning_content", "reasoning", "reasoning_details", "thinking", "thinking_blocks")
)
"""Where endpoints put what a model thought, in the order in which it is shown."""
_DEEPEST = 4
_IMPLAUSIBLE = 10**9
"""No answer has this many tokens."""


class Message(Struct, frozen=True):
    """One message of a chat."""

    role: str
    content: str

    def as_dict(self) -> dict[str, str]:
        """Return the message as endpoints want it."""
        return {"role": self.role, "content": self.content}


class ChatRequest(Struct, frozen=True):
    """Everything that decides about an answer."""

    model: str
    messages: tuple[Message, ...]
    parameters: Mapping[str, Any] = field(default_factory=dict)
    """Temperature, seed, tools and whatever else the endpoint takes."""
    sample: int = 1
    """Which repetition this is: it keeps the samples of one question apart in the cache."""

    def body(self) -> dict[str, Any]:
        """Return the request as endpoints want it."""
        return {"model": self.model, "messages": [m.as_dict() for m in self.messages], **self.parameters}

    def key(self, endpoint: str) -> str:
        """Return the hash under which the answer of an endpoint is kept."""
        content = {"endpoint": endpoint, "sample": self.sample, "request": self.body()}
        canonical = json.dumps(content, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
        return hashlib.sha256(canonical.encode("utf-8", "surrogatepass")).hexdigest()


class ChatAnswer(Struct, frozen=True):
    """What a model said, and what it took."""

    text: str = ""
    tool_calls: tuple[Mapping[str, Any], ...] = ()
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    latency_seconds: float | None = None
    cost: float | None = None
    retries: int = 0
    is_cached: bool = False
    reasoning: str = ""
    """What the model thought, as far as the endpoint keeps that apart."""
    finish: str = ""
    """Why the model stopped, as the endpoint says: stop, length, content_filter, ..."""
    refusal: str = ""
    """Why the model does not answer, as far as the endpoint keeps that apart."""
    raw: Mapping[str, Any] = field(default_factory=dict)
    """The whole answer of the endpoint."""


class ChatModel(Protocol):
    """Answers chats; raises EndpointError where there is no answer."""

    async def complete(self, request: ChatRequest) -> ChatAnswer:
        """Return the answer to a request."""
        ...

    async def close(self) -> None:
        """Let go of connections and files."""
        ...


def read_answer(
    data: Mapping[str, Any], latency_seconds: float | None = None, retries: int = 0
) -> ChatAnswer:
    """Return the answer that a chat completion without a problem holds; what has an odd type is not there."""
    choice = data["choices"][0]
    message = _mapping(choice.get("message"))
    usage = _mapping(data.get("usage"))
    return ChatAnswer(
        text=_text_of(message.get("content")),
        tool_calls=_tool_calls(message),
        prompt_tokens=_count(usage.get("prompt_tokens")),
        completion_tokens=_count(usage.get("completion_tokens")),
        latency_seconds=latency_seconds,
        retries=retries,
        reasoning=_reasoning_of(message),
        finish=_text_of(choice.get("finish_reason")),
        refusal=_text_of(message.get("refusal")),
        raw=data,
    )


def find_problem(data: object) -> str:
    """Return what keeps an answer from being a chat completion, or nothing."""
    if not isinstance(data, dict):
        return f"the answer is not a chat completion but {type(data).__name__}"
    if data.get("error"):
        error = data["error"]
        message = error.get("message", error) if isinstance(error, dict) else error
        return f"the endpoint answered with an error: {str(message)[:300]}"
    if "choices" not in data:
        keys = ", ".join(map(str, data))[:_SHOWN] or "nothing"
        return f"the answer is not a chat completion: it has no choices, only {keys}"
    choices = data["choices"]
    if not isinstance(choices, list) or not choices or not isinstance(choices[0], dict):
        return f"the answer is not a chat completion: its choices are {str(choices)[:_SHOWN]}"
    if not isinstance(choices[0].get("message"), dict):
        shown = str(choices[0])[:_SHOWN]
        return f"the answer is not a chat completion: its first choice has no message: {shown}"
    return ""


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _count(value: object) -> int | None:
    """Return a number of tokens, or None where an endpoint gives something else in its place."""
    is_count = isinstance(value, int) and not isinstance(value, bool) and 0 <= value < _IMPLAUSIBLE
    return value if is_count and isinstance(value, int) else None


def _tool_calls(message: Mapping[str, object]) -> tuple[Mapping[str, Any], ...]:
    """Return the tool calls of a message; one call of the older protocol is read like them."""
    calls = message.get("tool_calls")
    found = tuple(call for call in calls if isinstance(call, dict)) if isinstance(calls, list) else ()
    older = message.get("function_call")
    return found or (({"type": "function", "function": older},) if isinstance(older, dict) else ())


def _text_of(content: object) -> str:
    if isinstance(content, list):
        return "".join(part if isinstance(part, str) else _text_of_part(part) for part in content)
    return str(content or "")


def _text_of_part(part: object) -> str:
    return str(part.get("text") or "") if isinstance(part, dict) and _is_said(part) else ""


def _is_said(part: object) -> bool:
    return isinstance(part, dict) and not _THOUGHTS.intersection(str(part.get("type", "")).split("_"))


def _reasoning_of(message: Mapping[str, object]) -> str:
    """Return what an endpoint says the model thought, under the names that endpoints give it."""
    content = message.get("content")
    if not isinstance(content, list) and _REASONING_KEYS.keys().isdisjoint(message):
        return ""
    parts = [part for part in content if isinstance(part, dict)] if isinstance(content, list) else []
    places = [*(message.get(key) for key in _REASONING_KEYS), *(part for part in parts if not _is_said(part))]
    texts = (_thoughts(place) for place in places)
    return "\n".join(dict.fromkeys(text.strip() for text in texts if text.strip()))


def _thoughts(place: object, depth: int = 0) -> str:
    if isinstance(place, str):
        return place
    if isinstance(place, list) and depth < _DEEPEST:
        return "\n".join(filter(None, (_thoughts(part, depth + 1) for part in place)))
    if isinstance(place, dict) and depth < _DEEPEST:
        keys = ("text", "thinking", "reasoning", "summary", "content")
        return next((text for key in keys if (text := _thoughts(place.get(key), depth + 1))), "")
    return ""
