"""Chatters behind a network: any HTTP endpoint by a template, and any chat model."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from msgspec import Struct, field

from du_eval.chatters.base import find_last_prompt, list_texts
from du_eval.conversation import Conversation, Speaker
from du_eval.errors import ChatterError, EndpointError, InputError
from du_eval.llm.messages import ChatModel, ChatRequest, Message
from du_eval.llm.persistence import Persistence, RetryPolicy
from du_eval.llm.transport import HttpCall, Transport

_POLICY = RetryPolicy(attempts=3, first_wait_seconds=0.2)
"""A bot that is gone is not waited for long: its dialogue ends after some turns without a reply."""
_SYSTEM = "You are a friendly chat partner. Answer in one or two short sentences."


class HttpChatter(Struct):
    """Posts JSON and reads the reply at a path; the defaults are the protocol of Emely's server.

    In the template `{text}` stands for the last utterances, one a line, `{message}` for the last one, and
    `{history}` for all of them as a list.
    """

    url: str
    template: Any = field(default_factory=lambda: {"text": "{text}"})
    path: str = "text"
    memory: int = 0
    headers: Mapping[str, str] = field(default_factory=dict)
    transport: Transport = field(default_factory=lambda: Transport(Persistence(_POLICY)))

    async def reply(self, conversation: Conversation) -> str:
        """Return what the server says."""
        body = fill_template(self.template, conversation, self.memory)
        try:
            answer = await self.transport.send(HttpCall(self.url, body, headers=self.headers))
        except EndpointError as error:
            raise ChatterError(str(error)) from error
        return find_value_at(answer.data, self.path)

    async def close(self) -> None:
        """Close the connections."""
        await self.transport.close()


def fill_template(template: object, conversation: Conversation, memory: int) -> object:
    """Return a template with what was said in its places."""
    if isinstance(template, Mapping):
        return {key: fill_template(value, conversation, memory) for key, value in template.items()}
    if isinstance(template, list):
        return [fill_template(value, conversation, memory) for value in template]
    if template == "{history}":
        return list_texts(conversation, memory)
    if isinstance(template, str):
        text = "\n ".join(list_texts(conversation, memory))
        return template.replace("{text}", text).replace("{message}", find_last_prompt(conversation))
    return template


def find_value_at(data: Any, path: str) -> str:
    """Return the text at a path such as `choices.0.message.content`."""
    found = data
    for part in filter(None, path.split(".")):
        try:
            found = found[int(part)] if isinstance(found, list) else found[part]
        except (KeyError, IndexError, TypeError, ValueError) as error:
            shown = json.dumps(data, ensure_ascii=False)[:200]
            raise ChatterError(f"the answer has nothing at '{path}': {shown}") from error
    if not isinstance(found, str | int | float):
        raise ChatterError(f"the answer at '{path}' is not a string")
    return str(found)


class LlmChatter(Struct):
    """A chat model, told to be a chat partner."""

    chat: ChatModel
    model: str
    system: str = _SYSTEM
    memory: int = 0
    parameters: Mapping[str, Any] = field(default_factory=dict)

    async def reply(self, conversation: Conversation) -> str:
        """Return what the model says."""
        turns = conversation.turns[-self.memory :] if self.memory else conversation.turns
        said = [Message("assistant" if turn.speaker is Speaker.BOT else "user", turn.text) for turn in turns]
        request = ChatRequest(self.model, (Message("system", self.system), *said), self.parameters)
        try:
            return (await self.chat.complete(request)).text
        except EndpointError as error:
            raise ChatterError(str(error)) from error

    async def close(self) -> None:
        """Close the connections."""
        await self.chat.close()


def check_url(url: str) -> str:
    """Return an address, if it is one."""
    if not url.startswith(("http://", "https://")):
        raise InputError(f"'{url}' is not an address; write e.g. http://127.0.0.1:8080/inference")
    return url
