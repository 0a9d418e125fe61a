"""Whatever is said to it, the engine answers in time, never raises, and its state is the sum of its events."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from du_eval.assistants.actions import ActionCall, ActionResult, Setting
from du_eval.assistants.engine.engine import Engine
from du_eval.assistants.engine.events import Stopped
from du_eval.assistants.engine.state import EngineState, replay_events
from du_eval.assistants.load import load_assistant
from du_eval.commands.base import Command
from du_eval.commands.flows import (
    CancelFlow,
    CannotHandle,
    ChitChat,
    Clarify,
    ContinueAgent,
    HumanHandoff,
    RepeatLastBotMessages,
    SearchAndReply,
    SetSlot,
    SkipQuestion,
    StartFlow,
)
from tests.assistants.workshop import ESTIMATE, write_workshop

PROJECT = Path(__file__).parent.parent.parent


@pytest.fixture(scope="module")
def engines(tmp_path_factory: pytest.TempPathFactory) -> list[Engine]:
    folders = [PROJECT / "examples" / "bank", PROJECT / "examples" / "pizza"]
    folders.append(write_workshop(tmp_path_factory.mktemp("workshop")))
    return [Engine(load_assistant(folder)) for folder in folders]


@st.composite
def command(draw: st.DrawFn, engine: Engine) -> Command:
    flows = st.sampled_from([*engine.assistant.flows, "no_such_flow"])
    slots = st.sampled_from([*engine.assistant.slots, "no_such_slot"])
    values = st.one_of(
        st.none(), st.sampled_from(["true", "no", "5", "-3", "x", "stolen", "delivery"]), st.text(max_size=5)
    )
    bare = st.sampled_from(
        [
            CancelFlow,
            ChitChat,
            HumanHandoff,
            RepeatLastBotMessages,
            SearchAndReply,
            SkipQuestion,
            CannotHandle,
        ]
    )
    return draw(
        st.one_of(
            st.builds(StartFlow, flows),
            st.builds(StartFlow, flows),
            st.builds(SetSlot, slots, values),
            st.builds(SetSlot, slots, values),
            bare.map(lambda kind: kind()),
            st.builds(Clarify, st.lists(flows, max_size=3).map(tuple)),
            st.just(ContinueAgent()),
        )
    )


EVENTS = st.one_of(
    st.builds(
        lambda name, value: {"event": "slot", "name": name, "value": value},
        st.sampled_from(["can_repair", "part", "payee", "pizza_kind", "no_such_slot"]),
        st.one_of(
            st.none(), st.booleans(), st.integers(), st.lists(st.integers(), max_size=2), st.text(max_size=3)
        ),
    ),
    st.sampled_from(
        [
            {"event": "restart"},
            {"event": "reset_slots"},
            {"event": "bot", "text": "hm"},
            {"event": "followup", "name": "action_estimate"},
            {"event": "followup", "name": "utter_hours"},
            {"event": "nonsense"},
            {},
        ]
    ),
)
RESULTS = st.builds(
    ActionResult,
    st.lists(EVENTS, max_size=3).map(tuple),
    st.lists(st.sampled_from([{"text": "x"}, {"response": "utter_hours"}, {}]), max_size=2).map(tuple),
)


class AnyAction:
    """Knows every action, and does the same for each."""

    def __init__(self, result: ActionResult) -> None:
        self._result = result

    def run(self, call: ActionCall) -> ActionResult | None:
        return None if call.name.startswith("validate_") else self._result


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_arbitrary_commands_never_hang_and_never_raise(engines: list[Engine], data: st.DataObject) -> None:
    engine = data.draw(st.sampled_from(engines))
    setting = Setting(data.draw(st.one_of(st.just(ESTIMATE), RESULTS.map(AnyAction))))
    start = engine.start({}, setting)
    state, events = start.state, list(start.events)
    for _ in range(data.draw(st.integers(1, 6))):
        commands = data.draw(st.lists(command(engine), max_size=4))
        advance = engine.turn(state, commands, "words", setting)
        events.extend(advance.events)
        assert replay_events(state, advance.events) == advance.state
        assert engine.turn(state, commands, "words", setting) == advance
        assert state.stopped == "" or not advance.messages
        state = advance.state
    assert replay_events(EngineState(initial_slots=state.initial_slots), events) == state
    assert bool(state.stopped) == any(isinstance(event, Stopped) for event in events)
