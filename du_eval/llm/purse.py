"""Money is set aside before a call is sent: a budget holds however many calls run at once."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping

from msgspec import Struct, field
from msgspec.structs import replace

from du_eval.errors import BudgetSpentError
from du_eval.llm.messages import ChatAnswer, ChatRequest

CHARACTERS_PER_TOKEN = 4
_MILLION = 1_000_000


class Price(Struct, frozen=True):
    """Money for a million tokens, in the currency of the price table."""

    prompt: float
    completion: float

    def of(self, prompt_tokens: int | None, completion_tokens: int | None) -> float | None:
        """Return the cost of a call; unknown where the endpoint does not tell its tokens."""
        if prompt_tokens is None or completion_tokens is None:
            return None
        return (prompt_tokens * self.prompt + completion_tokens * self.completion) / _MILLION


def find_price(model: str, prices: Mapping[str, Price]) -> Price | None:
    """Return the price of a model: under its full name, without the provider in front, or that of all (*)."""
    return prices.get(model) or prices.get(model.partition("/")[2]) or prices.get("*")


_ROUNDING = 1e-12


def _nothing_spent() -> float:
    return 0.0


def ignore(_: object) -> None:
    """Hear it, and do nothing."""


class Purse(Struct):
    """Holds what calls may cost together."""

    limit: float | None = None
    spent: Callable[[], float] = _nothing_spent
    """What was really spent so far."""
    on_empty: Callable[[str], None] = ignore
    """Told why no further call can be paid."""
    _reserved: float = 0.0
    _dearest: float = 0.0
    _running: int = 0
    _has_answer: bool = False
    _waiting: list[asyncio.Future[None]] = field(default_factory=list)

    async def reserve(self, estimate: float) -> float:
        """Set money aside for a call, and wait for what others give back; raise where none is left.

        The first call is sent alone, since its cost is only estimated; later ones are expected to cost as
        much as the dearest so far.
        """
        if self.limit is None:
            return 0.0
        while True:
            wanted = max(self._dearest, estimate)
            is_first = not self._has_answer
            has_room = self.spent() + self._reserved + wanted <= self.limit + _ROUNDING
            if has_room and not (is_first and self._running):
                self._reserved += wanted
                self._running += 1
                return wanted
            if not self._running:
                reason = (
                    f"the budget of {self.limit:g} allows no further call: {self.spent():.6f} was spent, "
                    f"and the next one may cost {wanted:.6f} (--max-cost)"
                )
                self.on_empty(reason)
                raise BudgetSpentError(reason)
            waiting = asyncio.get_running_loop().create_future()
            self._waiting.append(waiting)
            await waiting

    async def buy(
        self,
        request: ChatRequest,
        price: Price | None,
        on_cost: Callable[[float], None],
        ask: Callable[[], Awaitable[ChatAnswer]],
    ) -> ChatAnswer:
        """Return an answer with its cost; the money is set aside before it is asked for.

        What the prompt alone costs is the least that a call costs.
        """
        characters = sum(len(message.content) for message in request.messages)
        least = price.of(characters // CHARACTERS_PER_TOKEN, 0) if price else None
        reserved = await self.reserve(least or 0.0)
        cost, is_answered = None, False
        try:
            answer = await ask()
            is_answered = True
            if price is not None:
                cost = price.of(answer.prompt_tokens, answer.completion_tokens)
                on_cost(cost or 0.0)
        finally:
            self.settle(reserved, cost, is_answered=is_answered)
        return answer if cost is None else replace(answer, cost=cost)

    def settle(self, reserved: float, cost: float | None, *, is_answered: bool = True) -> None:
        """Give back what was set aside, once the true cost is known and counted."""
        if self.limit is None:
            return
        self._reserved = max(0.0, self._reserved - reserved)
        self._running -= 1
        self._has_answer = self._has_answer or is_answered
        self._dearest = max(self._dearest, cost or 0.0)
        waiting, self._waiting = self._waiting, []
        for one in waiting:
            if not one.done():
                one.set_result(None)
