"""An agent that is a chat model with instructions."""

from __future__ import annotations

from dataclasses import dataclass

from du_eval.agents.connections.base import AgentRequest, asked_messages, context_of
from du_eval.agents.results import AgentReply
from du_eval.errors import AgentError, EndpointError
from du_eval.judges.chat import ChatModel

_ROLES = {"HUMAN": "user", "AI": "assistant"}


@dataclass(frozen=True, slots=True)
class ChatAgent:
    """Answers by its instructions and the dialogue so far; it never sees the sly data."""

    name: str
    instructions: str
    model: ChatModel

    async def ask(self, request: AgentRequest) -> AgentReply:
        """Return the model's answer."""
        history = [*asked_messages(request.chat_context), ("HUMAN", request.text or "")]
        messages = [{"role": "system", "content": self.instructions}]
        messages += [{"role": _ROLES[kind], "content": text} for kind, text in history if kind in _ROLES]
        try:
            answer = await self.model.complete(messages)
        except EndpointError as error:
            raise AgentError(f"the chat model gave no answer: {error}") from error
        context = context_of(self.name, [*history, ("AI", answer)])
        return AgentReply(text=answer, sly_data=request.sly_data or None, chat_context=context)
