"""Providers through litellm, with a stand-in for the package."""

from __future__ import annotations

import asyncio
import importlib.util
from types import ModuleType
from typing import Any

import pytest

from du_eval.errors import BudgetSpentError, EndpointError, MissingExtraError
from du_eval.llm.limits import FakeClock, Throttle
from du_eval.llm.litellm_client import LiteLlmClient, load_litellm
from du_eval.llm.messages import ChatRequest, Message
from du_eval.llm.persistence import Persistence
from du_eval.llm.purse import Price, Purse
from tests.llm.chat_server import completion


class Trouble(Exception):
    def __init__(self, status: int) -> None:
        super().__init__("no luck with sk-secret-key")
        self.status_code = status


class Answered:
    def __init__(self, data: dict[str, Any]) -> None:
        self._data = data

    def model_dump(self) -> dict[str, Any]:
        return self._data


def library(*outcomes: object) -> tuple[ModuleType, list[dict[str, Any]]]:
    module, calls, left = ModuleType("litellm"), [], list(outcomes)

    async def acompletion(**arguments: Any) -> Answered:
        calls.append(arguments)
        outcome = left.pop(0)
        if isinstance(outcome, Exception):
            raise outcome
        return Answered(completion(str(outcome), arguments))

    vars(module)["acompletion"] = acompletion
    return module, calls


def asked(*outcomes: object) -> tuple[Any, list[dict[str, Any]]]:
    module, calls = library(*outcomes)
    clock = FakeClock()
    persistence = Persistence(throttle=Throttle(clock=clock), secrets=("sk-secret-key",), clock=clock)
    client = LiteLlmClient(persistence, Price(1, 1), base_url="http://h", library=module)
    return asyncio.run(client.complete(ChatRequest("p/m", (Message("user", "x" * 40),), {"top_p": 1}))), calls


def test_an_answer_comes_with_its_cost_and_retries() -> None:
    answer, calls = asked(Trouble(429), Trouble(500), "ChitChat()")
    assert (answer.text, answer.retries) == ("ChitChat()", 2)
    assert answer.cost == pytest.approx((10 + 3) / 1e6)
    assert (calls[0]["model"], calls[0]["api_base"], calls[0]["top_p"]) == ("p/m", "http://h", 1)


def test_money_is_set_aside_before_litellm_is_asked() -> None:
    module, calls = library(*["ChitChat()"] * 20)
    costs: list[float] = []
    purse = Purse(4.5 * 13e-6, lambda: sum(costs))
    clock = FakeClock()
    persistence = Persistence(throttle=Throttle(clock=clock), clock=clock)
    client = LiteLlmClient(persistence, Price(1, 1), costs.append, purse, library=module)
    request = ChatRequest("p/m", (Message("user", "x" * 40),))

    async def ask_many() -> list[object]:
        return await asyncio.gather(*(client.complete(request) for _ in range(20)), return_exceptions=True)

    found = asyncio.run(ask_many())
    assert sum(isinstance(one, BudgetSpentError) for one in found) == 16
    assert len(calls) == len(costs) == 4


def test_a_final_refusal_is_told_without_secrets() -> None:
    with pytest.raises(EndpointError, match=r"HTTP 401: no luck with \*\*\* \(after 1 attempt\)"):
        asked(Trouble(401))


@pytest.mark.skipif(importlib.util.find_spec("litellm") is not None, reason="litellm is installed")
def test_a_missing_package_is_told() -> None:
    with pytest.raises(MissingExtraError, match=r"du-eval\[litellm\]"):
        load_litellm()
