"""The history of a step on a Rasa server: turns that meant what the suite says they mean."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote, urlencode

from msgspec import Struct, field

from du_eval.commands.base import Command
from du_eval.commands.flows import SetSlot
from du_eval.conversation import Speaker, Turn
from du_eval.errors import CommandReadError, GeneratorError
from du_eval.generators.base import Request
from du_eval.llm.transport import HttpCall, Transport
from du_eval.parsers.command_parser import CommandParser
from du_eval.parsers.tool_calls import read_command_data

Event = Mapping[str, Any]
RASA_URL = "http://127.0.0.1:5005"


class RasaServer(Struct):
    """A server with its API enabled; authenticates by token, or by a bearer token (JWT)."""

    url: str = RASA_URL
    transport: Transport = field(default_factory=Transport)
    token: str = ""
    bearer: str = ""

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.url!r})"  # secrets are in no message

    async def replace_events(self, conversation: str, events: Sequence[Event]) -> None:
        """Give a conversation exactly these events."""
        await self._call(f"{_path(conversation)}/tracker/events", list(events), method="PUT")

    async def send(
        self, conversation: str, text: str, parse_data: Mapping[str, object] | None = None
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
            return "" if isinstance(data, answer) else f"this is not an answer of a Rasa server: {data!r:.80}"

        call = HttpCall(url, body, method, headers, problem_of=problem_of)
        answered = await self.transport.send(call)
        return answered.data, answered.latency_seconds


def _path(conversation: str) -> str:
    return f"/conversations/{quote(conversation, safe='')}"


_ACTIONS = 50
"""More than a turn ever needs: a bot that goes on has lost its way."""
_PLAIN_VALUE = re.compile(r"[^,()=\"'\n]+")
_SESSION: tuple[Event, ...] = (
    {"event": "action", "name": "action_session_start"},
    {"event": "session_started"},
    {"event": "action", "name": "action_listen"},
)


def escape_message(text: str) -> str:
    """Return a message that the server takes as words: a slash in front would be taken as an order."""
    return f"\u200b{text}" if text.lstrip().startswith("/") else text


class GoldReplay(Struct, frozen=True):
    """Builds the events before a message, one user turn after the other."""

    server: RasaServer
    parser: CommandParser

    def begin(self, request: Request) -> list[Event]:
        """Return the events before the first user message: the session, fixtures, and what the bot said."""
        slots = [
            {"event": "slot", "name": name, "value": value} for name, value in request.fixture_slots.items()
        ]
        said = [_bot_event(turn) for turn in request.history if turn.speaker is Speaker.BOT]
        return [*_SESSION, *slots, *said]

    async def after_last_turn(
        self, request: Request, before: Sequence[Event], conversation: str
    ) -> list[Event]:
        """Return the events after the last user turn of a history, given those before it."""
        text = next(turn.text for turn in reversed(request.history.turns) if turn.speaker is Speaker.USER)
        commands = request.past_commands[-1]
        payload = _payload(commands)
        await self.server.replace_events(conversation, before)
        await self.server.say(conversation, payload or escape_message(text), request.metadata)
        events = await self.server.events(conversation)
        if not self._is_meant(events, before, commands):
            events = await self._corrected(f"{conversation}-corrected", before, text, commands)
        return [_with_text(event, text, payload) for event in events]

    async def _corrected(
        self, conversation: str, before: Sequence[Event], text: str, commands: Sequence[Command]
    ) -> list[Event]:
        """Give the server the commands itself where it understood a turn of the history differently."""
        await self.server.replace_events(conversation, before)
        parsed = {"intent": {}, "entities": [], "commands": [_data(command) for command in commands]}
        await self.server.send(conversation, escape_message(text), parsed)
        for _ in range(_ACTIONS):
            if await self.server.act(conversation) == "action_listen":
                break
        events = await self.server.events(conversation)
        if not self._is_meant(events, before, commands):
            meant = ", ".join(str(command) for command in commands) or "no command"
            raise GeneratorError(
                "the server cannot replay the history of this step: "
                f"it does not understand '{text}' as {meant}"
            )
        return events

    def _is_meant(
        self, events: Sequence[Event], before: Sequence[Event], commands: Sequence[Command]
    ) -> bool:
        """Tell whether the last user turn was taken as the suite says."""
        turns = [event for event in events if event.get("event") == "user"]
        earlier = sum(event.get("event") == "user" for event in before)
        if len(turns) <= earlier:
            return False
        predicted = list(self._commands(turns[-1].get("parse_data") or {}))
        for command in commands:
            found = next((other for other in predicted if command.matches(other)), None)
            if found is None:
                return False
            predicted.remove(found)
        return not predicted

    def _commands(self, parse_data: Mapping[str, Any]) -> list[Command]:
        found = []
        for data in convert_corrections(parse_data.get("commands") or ()):
            try:
                command = read_command_data(data, self.parser.registry)
            except CommandReadError:
                command = None
            found.extend([command] if command else [])
        return found


def convert_corrections(commands: Sequence[object]) -> list[Mapping[str, Any]]:
    """Return command data; corrections, which a server makes of slots set again, become those slots."""
    found: list[Mapping[str, Any]] = []
    for data in commands:
        if not isinstance(data, Mapping):
            continue
        found.extend(
            {"command": "set slot", "name": slot.get("name"), "value": slot.get("value")}
            for slot in data.get("corrected_slots") or ()
        )
        if "corrected_slots" not in data:
            found.append(data)
    return found


def _payload(commands: Sequence[Command]) -> str:
    """Return a message that sets slots without any model, where the commands do nothing else."""
    if not commands or not all(isinstance(command, SetSlot) for command in commands):
        return ""
    pairs = []
    for command in commands:
        assert isinstance(command, SetSlot)
        if command.value is None or not _PLAIN_VALUE.fullmatch(command.value):
            return ""
        pairs.append(f"{command.slot}={command.value}")
    return f"/SetSlots({', '.join(pairs)})"


def _data(command: Command) -> dict[str, Any]:
    data = command.as_dict()
    return data | {"extractor": "LLM"} if isinstance(command, SetSlot) else data


def _bot_event(turn: Turn) -> Event:
    return {
        "event": "bot",
        "text": turn.text,
        "metadata": {"utter_action": turn.response} if turn.response else {},
    }


def _with_text(event: Event, text: str, payload: str) -> Event:
    """Return a user event that holds the user's own words instead of a payload."""
    if not payload or event.get("event") != "user" or event.get("text") != payload:
        return event
    parse_data = event.get("parse_data")
    changed = {**parse_data, "text": text} if isinstance(parse_data, Mapping) else parse_data
    return {**event, "text": text, "parse_data": changed}
