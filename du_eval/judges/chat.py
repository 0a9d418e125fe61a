"""The one method of a chat model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol, runtime_checkable


@runtime_checkable
class ChatModel(Protocol):
    """Answers a list of messages (`role` and `content`); raises AgentError where it cannot."""

    async def complete(self, messages: Sequence[Mapping[str, str]]) -> str:
        """Return the text of the answer."""
        ...
