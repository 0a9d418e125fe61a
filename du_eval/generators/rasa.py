"""A running Rasa Pro server as a generator: a history of its own for each step, the message, the commands."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from du_eval.conversation import Conversation, Speaker
from du_eval.errors import EndpointError, GeneratorError
from du_eval.generators.base import Prediction, Prompt, Request
from du_eval.generators.rasa_replay import Event, GoldReplay, RasaServer, convert_corrections, escape_message
from du_eval.parsers.command_parser import CommandParser

_HISTORIES = 512
"""How many histories are kept for the samples and later steps that need them."""


class RasaGenerator(Struct):
    """Asks a Rasa server for the commands of a message.

    Each conversation of the suite is replayed once, with the commands that the suite expects; each step then
    gets a conversation of its own that begins with the events before its message.
    """

    server: RasaServer
    parser: CommandParser
    run_id: str = "du-eval"
    """The beginning of the names of conversations on the server: unique for a run."""
    _histories: dict[str, asyncio.Task[list[Event]]] = field(default_factory=dict)
    counts_calls = True
    name = "rasa"

    async def generate(self, request: Request) -> Prediction:
        """Return what the server's command generators predict."""
        try:
            history = await self._history(request)
            conversation = f"{self._name(request)}-sample-{request.place.sample}"
            await self.server.replace_events(conversation, history)
            tracker, seconds = await self.server.send(conversation, escape_message(request.message))
        except EndpointError as error:
            raise GeneratorError(str(error)) from error
        return _prediction(tracker.get("latest_message") or {}, seconds)

    async def close(self) -> None:
        """Close the connections."""
        for task in self._histories.values():
            task.cancel()
        await self.server.close()

    def _name(self, request: Request) -> str:
        place = request.place
        case = hashlib.sha256(f"{place.file}::{place.case}::{place.twin}".encode()).hexdigest()[:12]
        return f"{self.run_id}-{case}-{len(request.past_commands)}"

    async def _history(self, request: Request) -> list[Event]:
        """Return the events before the message; each turn builds on the one before, and is replayed once."""
        name = self._name(request)
        if name not in self._histories:
            while len(self._histories) >= _HISTORIES:
                del self._histories[next(iter(self._histories))]
            self._histories[name] = asyncio.create_task(self._replayed(request, name))
        try:
            return await asyncio.shield(self._histories[name])
        except (EndpointError, GeneratorError):
            self._histories.pop(name, None)
            raise

    async def _replayed(self, request: Request, name: str) -> list[Event]:
        replay = GoldReplay(self.server, self.parser)
        if not request.past_commands:
            return replay.begin(request)
        before = await self._history(_one_turn_earlier(request))
        return await replay.after_last_turn(request, before, name)


def _one_turn_earlier(request: Request) -> Request:
    turns = request.history.turns
    last = max(index for index, turn in enumerate(turns) if turn.speaker is Speaker.USER)
    return replace(request, history=Conversation(turns[:last]), past_commands=request.past_commands[:-1])


def _prediction(message: Mapping[str, Any], seconds: float) -> Prediction:
    """Return what a server predicts; raise where its answer has another form."""
    try:
        return _read_prediction(message, seconds)
    except (AttributeError, TypeError, OverflowError) as error:
        raise GeneratorError(f"the server's answer has an unknown format: {error}") from error


def _read_prediction(message: Mapping[str, Any], seconds: float) -> Prediction:
    prompts = tuple(_prompts(message.get("prompts")))
    recorded = message.get("predicted_commands")
    final = convert_corrections(message.get("commands") or ())
    _check_for_errors(final)
    latencies: dict[str, float] = {}
    for prompt in prompts:
        latencies[prompt.component] = latencies.get(prompt.component, 0.0) + (prompt.latency_seconds or 0.0)
    if isinstance(recorded, Mapping) and recorded:
        components = {
            str(component): tuple(convert_corrections(commands)) for component, commands in recorded.items()
        }
        return Prediction(
            components=components, prompts=prompts, latency_seconds=seconds, latencies=latencies
        )
    return Prediction(commands=tuple(final), prompts=prompts, latency_seconds=seconds, latencies=latencies)


def _check_for_errors(commands: list[Mapping[str, Any]]) -> None:
    """Raise where the server itself got no answer from its model."""
    for command in commands:
        if command.get("command") == "error":
            raise GeneratorError(f"the server answers with an error command: {command.get('error_type')}")


def _prompts(recorded: object) -> Iterator[Prompt]:
    """Yield the prompts of a message: a list for each component."""
    if not isinstance(recorded, Mapping):
        return
    for component, prompts in recorded.items():
        for data in prompts if isinstance(prompts, list) else ():
            if isinstance(data, Mapping):
                yield _prompt(str(component), data)


def _prompt(component: str, data: Mapping[str, Any]) -> Prompt:
    answered = data.get("llm_response_metadata")
    answered = answered if isinstance(answered, Mapping) else {}
    usage = answered.get("usage") or {}
    choices = data.get("choices") or answered.get("choices") or ()
    return Prompt(
        name=str(data.get("prompt_name") or component),
        component=component,
        user=str(data.get("user_prompt") or ""),
        system=str(data.get("system_prompt") or ""),
        answer="\n".join(map(str, choices)),
        latency_seconds=_latency(data) or _latency(answered),
        prompt_tokens=data.get("prompt_tokens", usage.get("prompt_tokens")),
        completion_tokens=data.get("completion_tokens", usage.get("completion_tokens")),
    )


def _latency(data: Mapping[str, object]) -> float | None:
    """Return the seconds that a prompt took; newer servers give milliseconds under another name."""
    milliseconds, seconds = data.get("latency_ms"), data.get("latency")
    if isinstance(milliseconds, int | float):
        return milliseconds / 1000
    return float(seconds) if isinstance(seconds, int | float) else None
