"""Which flow the baseline starts: of those that were offered, of those that are a little alike, or none."""

import asyncio
from pathlib import Path

import pytest

from du_eval.assistants.load import load_assistant
from du_eval.assistants.model import Assistant, DialogueState, Flow
from du_eval.commands.flows import StartFlow
from du_eval.generators.base import Request
from du_eval.generators.baseline import BaselineGenerator
from tests.assistants.workshop import Talk, write_workshop


@pytest.fixture(scope="module")
def workshop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_workshop(tmp_path_factory.mktemp("workshop"))


def test_the_engine_tells_what_was_offered_until_the_user_speaks(workshop: Path) -> None:
    talk = Talk(workshop)
    talk("Clarify(rent, repair)")
    assert talk.state.summary().offered_flows == ("rent", "repair")
    talk("StartFlow(hours)")
    assert talk.state.summary().offered_flows == ()


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("not the rent", "StartFlow(repair)"),
        ("no, not repair", "StartFlow(rent)"),
        ("Anything but rent", "StartFlow(repair)"),
    ],
)
def test_turning_down_one_of_two_flows_means_the_other(workshop: Path, message: str, expected: str) -> None:
    request = Request(
        message, state=DialogueState(offered_flows=("rent", "repair")), assistant=load_assistant(workshop)
    )
    answer = asyncio.run(BaselineGenerator().generate(request))
    assert [str(command) for command in answer.commands or ()] == [expected]


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
