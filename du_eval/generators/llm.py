"""A chat model as a generator: prompt in, commands out."""

from __future__ import annotations

import json
from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from msgspec import Struct, field

from du_eval.errors import EndpointError, GeneratorError
from du_eval.generators.base import Prediction, Prompt, Request
from du_eval.generators.templates import PromptTemplate
from du_eval.generators.vocabulary import Contexts, flow_names, list_commands_for_prompt, list_tools, readable
from du_eval.llm.messages import ChatAnswer, ChatModel, ChatRequest, Message
from du_eval.parsers.command_parser import CommandParser
from du_eval.parsers.reasoning import separate_reasoning


class OutputMode(StrEnum):
    """How the model gives its commands."""

    TEXT = "text"
    TOOLS = "tools"
    JSON = "json"


class PromptSetting(Struct, frozen=True):
    """What the model is told."""

    user: PromptTemplate
    system: PromptTemplate | None = None
    mode: OutputMode = OutputMode.TEXT


def find_own_prompt(mode: OutputMode, syntax: str) -> PromptTemplate:
    """Return our template for an output mode and a syntax; a syntax from a file has the layout of calls."""
    if mode is not OutputMode.TEXT:
        return PromptTemplate.own(mode.value)
    return PromptTemplate.own(syntax if syntax in {"phrases", "phrases-search"} else "calls")


class LlmGenerator(Struct, dict=True):
    """Asks a chat model for the commands of a message."""

    chat: ChatModel
    model: str
    prompts: PromptSetting
    parser: CommandParser
    parameters: Mapping[str, Any] = field(default_factory=dict)
    seed: int | None = None
    """Passed on, plus the number of the sample."""
    counts_calls = True

    def __post_init__(self) -> None:
        self.name = f"llm:{self.model}"
        self._contexts = Contexts()
        self._vocabulary = {
            "commands": list_commands_for_prompt(self.parser.registry, self.parser.syntax),
            "is_repeat_command_enabled": self.parser.registry.find("RepeatLastBotMessages") is not None,
        }

    async def generate(self, request: Request) -> Prediction:
        """Return the model's commands."""
        context = self._contexts.of(request) | self._vocabulary
        user = self.prompts.user.render(context)
        system = self.prompts.system.render(context) if self.prompts.system else ""
        try:
            answer = await self.chat.complete(self._request(request, context, system, user))
        except EndpointError as error:
            raise GeneratorError(str(error)) from error
        return self._prediction(answer, system, user)

    async def close(self) -> None:
        """Let go of connections and files."""
        await self.chat.close()

    def _request(
        self, request: Request, context: Mapping[str, object], system: str, user: str
    ) -> ChatRequest:
        sample = request.place.sample
        parameters = dict(self.parameters)
        if self.seed is not None:
            parameters["seed"] = self.seed + sample - 1
        if self.prompts.mode is OutputMode.TOOLS:
            parameters["tools"] = list_tools(self.parser.registry, flow_names(context))
        elif self.prompts.mode is OutputMode.JSON:
            parameters.setdefault("response_format", {"type": "json_object"})
        messages = ((Message("system", system),) if system else ()) + (Message("user", user),)
        return ChatRequest(self.model, messages, parameters, sample)

    def _prediction(self, answer: ChatAnswer, system: str, user: str) -> Prediction:
        said = answer.text or (json.dumps(answer.tool_calls, ensure_ascii=False) if answer.tool_calls else "")
        prompt = Prompt(
            name=self.name,
            user=user,
            system=system,
            answer=said,
            component=self.name,
            latency_seconds=answer.latency_seconds,
            prompt_tokens=answer.prompt_tokens,
            completion_tokens=answer.completion_tokens,
            cost=answer.cost,
            retries=answer.retries,
            is_cached=answer.is_cached,
        )
        items = self._items(answer)
        return Prediction(
            text=said if items is not None else answer.text,
            commands=None if items is None else tuple(readable(items, self.parser.registry)),
            prompts=(prompt,),
            latency_seconds=answer.latency_seconds,
            reasoning=answer.reasoning,
            finish=answer.finish,
            refusal=answer.refusal,
        )

    def _items(self, answer: ChatAnswer) -> list[Any] | None:
        """Return the separate commands of an answer; None where it is text to be parsed."""
        if answer.tool_calls:
            return list(answer.tool_calls)
        if self.prompts.mode is not OutputMode.JSON:
            return None
        try:
            data = json.loads(separate_reasoning(answer.text).said)
        except (ValueError, RecursionError):
            return None
        data = data.get("commands", data) if isinstance(data, dict) else data
        return data if isinstance(data, list) else [data]
