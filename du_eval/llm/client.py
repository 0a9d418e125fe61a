"""A client for any endpoint that speaks the chat completions protocol, and a fake one."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from msgspec import Struct, field

from du_eval.errors import EndpointError
from du_eval.llm.endpoints import Endpoint
from du_eval.llm.messages import ChatAnswer, ChatRequest, find_problem, read_answer
from du_eval.llm.purse import CHARACTERS_PER_TOKEN, Price, Purse, ignore
from du_eval.llm.transport import HttpCall, Transport


class ChatClient(Struct):
    """Asks an OpenAI-compatible endpoint."""

    endpoint: Endpoint
    transport: Transport = field(default_factory=Transport)
    price: Price | None = None
    on_cost: Callable[[float], None] = ignore
    """Told what each answered call cost, where that is known."""
    purse: Purse = field(default_factory=Purse)

    async def complete(self, request: ChatRequest) -> ChatAnswer:
        """Return the answer to a request."""
        return await self.purse.buy(request, self.price, self.on_cost, lambda: self._ask(request))

    async def _ask(self, request: ChatRequest) -> ChatAnswer:
        estimate = _tokens_of(request)
        call = HttpCall(
            url=f"{self.endpoint.base_url}/chat/completions",
            body=request.body(),
            headers=self.endpoint.headers(),
            tokens=estimate,
            problem_of=find_problem,
        )
        answered = await self.transport.send(call)
        answer = read_answer(answered.data, answered.latency_seconds, answered.retries)
        used = (answer.prompt_tokens or 0) + (answer.completion_tokens or 0)
        self.transport.persistence.throttle.correct(used - estimate if used else 0)
        return answer

    async def close(self) -> None:
        """Close the connections."""
        await self.transport.close()


class ScriptedChat(Struct, dict=True):
    """A chat model that says what it was told to say: for tests and examples."""

    answers: Iterable[ChatAnswer | EndpointError] = ()
    requests: list[ChatRequest] = field(default_factory=list)
    is_closed: bool = False

    def __post_init__(self) -> None:
        self._answers = iter(self.answers)

    async def complete(self, request: ChatRequest) -> ChatAnswer:
        """Return the next answer of the script."""
        self.requests.append(request)
        answer = next(self._answers, EndpointError("the script has ended"))
        if isinstance(answer, EndpointError):
            raise answer
        return answer

    async def close(self) -> None:
        """Remember that it was closed."""
        self.is_closed = True


def _tokens_of(request: ChatRequest) -> int:
    """Return roughly how many tokens a request takes, for limits that count before the answer is there."""
    characters = sum(len(message.content) for message in request.messages)
    most = request.parameters.get("max_tokens") or request.parameters.get("max_completion_tokens") or 0
    return characters // CHARACTERS_PER_TOKEN + (most if isinstance(most, int) else 0)
