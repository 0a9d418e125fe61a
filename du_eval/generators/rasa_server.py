"""The part of a Rasa server's HTTP API that a test needs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote, urlencode

from du_eval.llm.transport import HttpCall, Transport

Event = Mapping[str, Any]


@dataclass
class RasaServer:
    """A server with its API enabled; authenticates by token, or by a bearer token (JWT)."""

    url: str = "http://127.0.0.1:5005"
    transport: Transport = field(default_factory=Transport)
    token: str = field(default="", repr=False)
    bearer: str = field(default="", repr=False)

    async def replace_events(self, conversation: str, events: Sequence[Event]) -> None:
        """Give a conversation exactly these events."""
        await self._call(f"{_path(conversation)}/tracker/events", list(events), method="PUT")

    async def send(
        self, conversation: str, text: str, parse_data: Mapping[str, Any] | None = None
    ) -> tuple[Mapping[str, Any], float]:
        """Add a user message without letting the bot act; return the tracker and the seconds it took."""
        body: dict[str, Any] = {"text": text, "sender": "user"}
        if parse_data is not None:
            body["parse_data"] = parse_data
        return await self._call(f"{_path(conversation)}/messages", body, query={"include_events": "NONE"})

    async def say(self, conversation: str, text: str, metadata: Mapping[str, object]) -> None:
        """Say something to the bot and let it act."""
        body = {"sender": conversation, "message": text, "metadata": dict(metadata)}
        await self._call("/webhooks/rest/webhook", body, answer=list)

    async def act(self, conversation: str) -> str:
        """Let the bot do the next thing that it predicts; return the name of the action."""
        predicted, _ = await self._call(f"{_path(conversation)}/predict", None)
        scores = [item for item in predicted.get("scores") or () if isinstance(item, Mapping)]
        best = max(scores, key=lambda item: item.get("score") or 0.0, default={})
        action = str(best.get("action") or "action_listen")
        body = {"name": action, "policy": predicted.get("policy"), "confidence": predicted.get("confidence")}
        await self._call(f"{_path(conversation)}/execute", body, query={"include_events": "NONE"})
        return action

    async def events(self, conversation: str) -> list[Event]:
        """Return the events of a conversation."""
        path = f"{_path(conversation)}/tracker"
        tracker, _ = await self._call(path, None, method="GET", query={"include_events": "ALL"})
        return [event for event in tracker.get("events") or () if isinstance(event, Mapping)]

    async def close(self) -> None:
        """Close the connections."""
        await self.transport.close()

    async def _call(
        self,
        path: str,
        body: object,
        *,
        method: str = "POST",
        query: Mapping[str, str] | None = None,
        answer: type = dict,
    ) -> tuple[Any, float]:
        parameters = dict(query or {}) | ({"token": self.token} if self.token else {})
        url = self.url.rstrip("/") + path + (f"?{urlencode(parameters)}" if parameters else "")
        headers = {"Authorization": f"Bearer {self.bearer}"} if self.bearer else {}

        def problem_of(data: object) -> str:
            return (
                "" if isinstance(data, answer) else f"a Rasa server does not answer like this: {data!r:.80}"
            )

        call = HttpCall(url, body, method, headers, problem_of=problem_of)
        answered = await self.transport.send(call)
        return answered.data, answered.latency_seconds


def _path(conversation: str) -> str:
    return f"/conversations/{quote(conversation, safe='')}"
