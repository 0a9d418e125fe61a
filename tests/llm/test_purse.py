"""A budget of money holds however many calls run at once."""

from __future__ import annotations

import asyncio

import pytest

from du_eval.errors import BudgetSpentError, EndpointError
from du_eval.llm.client import ChatClient
from du_eval.llm.endpoints import Endpoint
from du_eval.llm.limits import Limits, Throttle
from du_eval.llm.messages import ChatRequest, Message
from du_eval.llm.persistence import Persistence, RetryPolicy
from du_eval.llm.purse import Price, Purse
from du_eval.llm.transport import Transport
from tests.llm.chat_server import Behaviour, ChatServer, say


class Account:
    def __init__(self, limit: float | None) -> None:
        self.spent = 0.0
        self.reasons: list[str] = []
        self.purse = Purse(limit, lambda: self.spent, self.reasons.append)

    async def pay(self, estimate: float, cost: float, seconds: float = 0.01) -> None:
        reserved = await self.purse.reserve(estimate)
        await asyncio.sleep(seconds)
        self.spent += cost
        self.purse.settle(reserved, cost)

    def pay_often(self, times: int, estimate: float, cost: float) -> int:
        async def run() -> list[BaseException | None]:
            calls = (self.pay(estimate, cost) for _ in range(times))
            return await asyncio.gather(*calls, return_exceptions=True)

        return sum(found is None for found in asyncio.run(run()))


@pytest.mark.parametrize("estimate", [0.001, 0.0001])
def test_no_more_is_spent_than_allowed_at_any_concurrency(estimate: float) -> None:
    account = Account(0.01)
    answered = account.pay_often(64, estimate, 0.001)
    assert account.spent == pytest.approx(0.01)
    assert answered == 10
    assert "--max-cost" in account.reasons[0]


def test_an_estimate_above_the_true_cost_stops_early_and_not_late() -> None:
    account = Account(0.01)
    account.pay_often(64, 0.004, 0.001)
    assert 0.006 < account.spent <= 0.01


def test_without_a_limit_everything_is_paid() -> None:
    assert Account(None).pay_often(20, 1.0, 1.0) == 20


def test_a_budget_below_one_call_sends_none() -> None:
    account = Account(0.0001)
    assert account.pay_often(3, 0.001, 0.001) == 0
    assert account.spent == 0


def test_what_a_failed_call_set_aside_comes_back() -> None:
    async def run() -> None:
        purse = Purse(1.0)
        purse.settle(await purse.reserve(1.0), None)
        assert await purse.reserve(1.0) == 1.0

    asyncio.run(run())


def test_calls_of_a_model_stay_within_the_budget() -> None:
    account = Account(0.0005)

    def add(cost: float) -> None:
        account.spent += cost

    async def run(server: ChatServer) -> list[object]:
        persistence = Persistence(RetryPolicy(attempts=1), Throttle(Limits(64)))
        client = ChatClient(
            Endpoint(server.base_url, "m"), Transport(persistence), Price(1, 1), add, account.purse
        )
        requests = [ChatRequest("m", (Message("user", f"{n} " + "x" * 400),)) for n in range(40)]
        try:
            return await asyncio.gather(*map(client.complete, requests), return_exceptions=True)
        finally:
            await client.close()

    with ChatServer(Behaviour(say("ChitChat()"), delay=0.02)) as server:
        found = asyncio.run(run(server))
    assert 0.0003 < account.spent <= 0.0005
    assert any(isinstance(one, BudgetSpentError) for one in found)
    assert not any(isinstance(one, EndpointError) for one in found)
