"""The one method of a chat model, as judges need it, and how a client of an endpoint provides it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Protocol, runtime_checkable

from msgspec import Struct, field

from du_eval.llm.messages import ChatModel, ChatRequest, Message


@runtime_checkable
class PlainChat(Protocol):
    """Answers a list of messages (`role` and `content`)."""

    async def complete(self, messages: Sequence[Mapping[str, str]]) -> str:
        """Return the text of the answer."""
        ...


class EndpointChat(Struct, dict=True):
    """A model behind an endpoint; the same question again is the next sample of it, so that votes differ."""

    endpoint: ChatModel
    model: str
    parameters: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._asked: Counter[tuple[Message, ...]] = Counter()

    async def complete(self, messages: Sequence[Mapping[str, str]]) -> str:
        """Return the text of the answer."""
        said = tuple(Message(message["role"], message["content"]) for message in messages)
        self._asked[said] += 1
        request = ChatRequest(self.model, said, self.parameters, sample=self._asked[said])
        return (await self.endpoint.complete(request)).text

    async def aclose(self) -> None:
        """Let go of connections and files."""
        await self.endpoint.close()
