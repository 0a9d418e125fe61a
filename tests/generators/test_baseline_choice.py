"""Which flow the baseline starts: one of those that are a little alike, or none."""

import asyncio

import pytest

from du_eval.assistants.model import Assistant, Flow
from du_eval.commands.flows import StartFlow
from du_eval.generators.base import Request
from du_eval.generators.baseline import BaselineGenerator


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("please tell me how the great players of the world practise their game at home", []),
        ("my card has not been delivered yet", ["StartFlow(card_delivery)"]),
    ],
)
def test_a_message_that_is_a_little_like_several_flows_starts_none(message: str, expected: list[str]) -> None:
    names = ("card delivery", "card payment", "lost card", "exchange rate", "opening hours")
    flows = [Flow(name.replace(" ", "_"), description=name, name=name) for name in names]
    request = Request(message, assistant=Assistant(flows={flow.id: flow for flow in flows}))
    answer = asyncio.run(BaselineGenerator().generate(request))
    assert [str(command) for command in answer.commands or () if isinstance(command, StartFlow)] == expected
