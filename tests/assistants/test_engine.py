from pathlib import Path

import pytest

from du_eval.assistants.actions import ActionCall, ActionError, ActionResult, NoActions, StubbedActions
from du_eval.commands.flows import SetSlot

from .workshop import DOMAIN, ESTIMATE, FLOWS, Talk, write_workshop


@pytest.fixture
def talk(tmp_path: Path) -> Talk:
    return Talk(write_workshop(tmp_path / "bot"))


def test_a_flow_asks_question_after_question_and_ends_with_the_completed_message(talk: Talk) -> None:
    assert talk("StartFlow(repair)") == ["utter_ask_part"]
    assert talk("SetSlot(part, chain)") == ["utter_ask_price_limit"]
    assert talk("SetSlot(price_limit, 40)") == ["utter_ask_agreed"]
    assert talk("SetSlot(agreed, yes)") == ["utter_repairing", "utter_can_do_something_else"]
    assert talk.state.stack == ()
    assert talk.state.summary().slots == {"is_staff": False, "can_repair": True}


def test_texts_are_filled_with_slots_in_their_type(talk: Talk) -> None:
    talk("StartFlow(repair)", "SetSlot(part, chain)", "SetSlot(price_limit, 40)")
    assert talk.advance.messages[0].text == "Repair the chain for 40.0?"


def test_slots_that_are_named_ahead_are_not_asked_for(talk: Talk) -> None:
    assert talk("StartFlow(repair)", "SetSlot(price_limit, 40)", "SetSlot(part, chain)") == [
        "utter_ask_agreed"
    ]


def test_a_slot_that_is_asked_before_it_is_filled_cannot_be_named_ahead(talk: Talk) -> None:
    talk("StartFlow(repair)", "SetSlot(part, chain)")
    assert talk("SetSlot(price_limit, 40)", "SetSlot(agreed, true)") == ["utter_ask_agreed"]
    assert any("agreed" in reason for reason in talk.ignored)


def test_a_slot_that_is_left_to_actions_cannot_be_set_by_words(talk: Talk) -> None:
    assert talk("SetSlot(is_staff, true)") == ["utter_ask_rephrase"]
    assert talk.state.value("is_staff") is False
    assert any("only actions and flows may set 'is_staff'" in reason for reason in talk.ignored)


def test_a_button_sets_a_slot_that_words_cannot_set(tmp_path: Path) -> None:
    flow = "  badge:\n    description: show a badge\n    steps:\n      - collect: is_staff\n"
    domain = DOMAIN.replace("initial_value: false, ", "").replace(
        "responses:\n", "responses:\n  utter_ask_is_staff: [{text: Do you work here?}]\n"
    )
    talk = Talk(write_workshop(tmp_path / "bot", FLOWS + flow, domain))
    talk("StartFlow(badge)")
    talk("SetSlot(is_staff, true)")
    assert talk.state.asked_slot == "is_staff"
    advance = talk.engine.turn(talk.state, [SetSlot("is_staff", "true")], "/SetSlots(is_staff=true)")
    assert advance.state.asked_slot is None


def test_another_command_is_handled_beside_a_slot_that_cannot_be_set(talk: Talk) -> None:
    assert talk("SetSlot(is_staff, true)", "StartFlow(hours)")[0] == "utter_hours"


def test_a_value_that_a_rejection_refuses_is_asked_for_again(talk: Talk) -> None:
    talk("StartFlow(repair)", "SetSlot(part, chain)")
    assert talk("SetSlot(price_limit, 5)") == ["utter_too_cheap", "utter_ask_price_limit"]
    assert talk.state.value("price_limit") is None


@pytest.mark.parametrize(
    ("start", "slot", "rejection"),
    [
        (["StartFlow(repair)", "SetSlot(part, x)"], "price_limit", "utter_float_slot_rejection"),
        (
            ["StartFlow(repair)", "SetSlot(part, x)", "SetSlot(price_limit, 20)"],
            "agreed",
            "utter_boolean_slot_rejection",
        ),
        (["StartFlow(rent)", "SetSlot(person, Ann)"], "colour", "utter_categorical_slot_rejection"),
    ],
)
def test_a_value_of_the_wrong_type_is_refused(
    talk: Talk, start: list[str], slot: str, rejection: str
) -> None:
    talk(*start)
    assert talk(f"SetSlot({slot}, banana)") == [rejection, f"utter_ask_{slot}"]


def test_a_category_is_stored_in_its_own_spelling(talk: Talk) -> None:
    talk("StartFlow(rent)", "SetSlot(person, Ann)")
    talk("SetSlot(colour, RED)")
    assert any(getattr(event, "value", None) == "Red" for event in talk.advance.events)


def test_a_changed_answer_is_a_correction_and_leads_back_to_its_question(talk: Talk) -> None:
    talk("StartFlow(repair)")
    talk("SetSlot(part, chain)")
    assert talk("SetSlot(part, brake)") == ["utter_corrected_previous_input", "utter_ask_price_limit"]
    assert talk.state.value("part") == "brake"


def test_correcting_to_nothing_asks_the_question_again(talk: Talk) -> None:
    talk("StartFlow(repair)")
    talk("SetSlot(part, chain)")
    assert talk("SetSlot(part, None)") == ["utter_corrected_previous_input", "utter_ask_part"]


def test_correcting_only_a_confirmation_says_nothing_about_it(talk: Talk, tmp_path: Path) -> None:
    flows = FLOWS.replace(
        "      - action: utter_hours\n  rent:", "      - action: utter_hours\n  rent:"
    ).replace(
        "            then:\n              - action: utter_repairing\n                next: END",
        "            then: colour_step",
    )
    flows = flows.replace("  hours:\n", "      - id: colour_step\n        collect: colour\n  hours:\n")
    talk = Talk(write_workshop(tmp_path / "other", flows))
    talk("StartFlow(repair)", "SetSlot(part, chain)", "SetSlot(price_limit, 40)")
    assert talk("SetSlot(agreed, true)") == ["utter_ask_colour"]
    assert talk("SetSlot(agreed, false)") == ["utter_ask_agreed"]


def test_the_same_answer_again_changes_nothing(talk: Talk) -> None:
    talk("StartFlow(repair)")
    talk("SetSlot(part, chain)")
    assert talk("SetSlot(part, chain)") == ["utter_ask_price_limit"]
    assert talk.ignored == ["the slot already has this value"]


def test_a_correction_inside_a_called_flow_that_is_over_calls_it_again(talk: Talk) -> None:
    talk("StartFlow(rent)")
    assert talk("SetSlot(person, Ann)") == ["utter_ask_colour"]
    assert talk("SetSlot(person, None)") == ["utter_corrected_previous_input", "utter_ask_person"]


def test_a_digression_comes_back_to_the_open_question(talk: Talk) -> None:
    talk("StartFlow(repair)")
    assert talk("StartFlow(hours)") == ["utter_hours", "utter_flow_continue_interrupted", "utter_ask_part"]
    assert talk.state.active_flow == "repair"


def test_the_first_of_two_flows_runs_first(talk: Talk) -> None:
    assert talk("StartFlow(hours)", "StartFlow(repair)") == ["utter_hours", "utter_ask_part"]


def test_starting_a_waiting_flow_brings_it_back_on_top(talk: Talk) -> None:
    talk("StartFlow(repair)")
    assert talk("StartFlow(rent)") == ["utter_ask_person"]
    assert talk("StartFlow(repair)") == ["utter_ask_part"]
    assert talk.state.summary().flow_stack == ("rent", "repair")


def test_starting_the_active_flow_changes_nothing(talk: Talk) -> None:
    talk("StartFlow(repair)")
    assert talk("StartFlow(repair)") == ["utter_ask_part"]
    assert talk.ignored == ["the flow 'repair' is already active"]


def test_cancelling_forgets_the_slots_of_the_flow(talk: Talk) -> None:
    talk("StartFlow(repair)", "SetSlot(part, chain)")
    assert talk("CancelFlow()") == ["utter_flow_cancelled_rasa", "utter_can_do_something_else"]
    assert talk("StartFlow(repair)") == ["utter_ask_part"]


def test_cancelling_a_digression_leads_back(talk: Talk) -> None:
    talk("StartFlow(repair)")
    talk("StartFlow(rent)")
    said = talk("CancelFlow()")
    assert said == ["utter_flow_cancelled_rasa", "utter_flow_continue_interrupted", "utter_ask_part"]


@pytest.mark.parametrize(
    "commands", [["CancelFlow()", "StartFlow(hours)"], ["StartFlow(hours)", "CancelFlow()"]]
)
def test_cancelling_and_starting_another_flow_works_in_any_order(talk: Talk, commands: list[str]) -> None:
    talk("StartFlow(repair)")
    assert talk(*commands) == ["utter_flow_cancelled_rasa", "utter_hours", "utter_can_do_something_else"]


@pytest.mark.parametrize(
    ("command", "outside", "inside"),
    [
        ("ChitChat()", ["utter_cannot_handle"], ["utter_cannot_handle", "utter_ask_part"]),
        (
            "SearchAndReply()",
            ["utter_no_knowledge_base", "utter_can_do_something_else"],
            ["utter_no_knowledge_base", "utter_ask_part"],
        ),
        (
            "HumanHandoff()",
            ["utter_human_handoff_not_available"],
            ["utter_human_handoff_not_available", "utter_ask_part"],
        ),
        ("SkipQuestion()", [], ["utter_skip_question_answer", "utter_ask_part"]),
        (
            "Clarify(hours, rent)",
            ["utter_clarification_options_rasa"],
            ["utter_clarification_options_rasa", "utter_ask_part"],
        ),
        ("CancelFlow()", [], ["utter_flow_cancelled_rasa", "utter_can_do_something_else"]),
        ("StartFlow(no_such_flow)", [], ["utter_ask_part"]),
        ("SetSlot(no_such_slot, 1)", ["utter_ask_rephrase"], ["utter_ask_rephrase", "utter_ask_part"]),
        ("", [], ["utter_ask_part"]),
    ],
)
def test_what_the_patterns_say(talk: Talk, command: str, outside: list[str], inside: list[str]) -> None:
    assert talk(*([command] if command else [])) == outside
    talk("StartFlow(repair)")
    assert talk(*([command] if command else [])) == inside


def test_clarifying_offers_flows_by_their_names(talk: Talk) -> None:
    talk("Clarify(rent, hours)")
    assert talk.advance.messages[0].text == "Which of these do you mean: opening hours, rent a bike?"


def test_repeating_outside_of_flows_says_the_last_turn_again(talk: Talk) -> None:
    talk("StartFlow(hours)")
    assert talk("RepeatLastBotMessages()") == ["utter_hours", "utter_can_do_something_else"]


def test_repeating_a_question_asks_it_once(talk: Talk) -> None:
    talk("StartFlow(repair)")
    assert talk("RepeatLastBotMessages()") == ["utter_ask_part"]


def test_the_guard_of_a_flow_decides_whether_it_can_be_started(talk: Talk, tmp_path: Path) -> None:
    assert talk("StartFlow(staff_only)") == []
    assert talk.ignored == ["the guard of the flow 'staff_only' does not hold"]
    staff = Talk(write_workshop(tmp_path / "bot2"), slots={"is_staff": True})
    assert staff("StartFlow(staff_only)") == ["utter_staff", "utter_can_do_something_else"]
    assert staff.advance.messages[0].text == "Hello colleague."


def test_a_call_returns_and_a_link_comes_after_the_end(talk: Talk) -> None:
    assert talk("StartFlow(rent)") == ["utter_ask_person"]
    assert talk.state.active_flow == "rent"
    assert talk("SetSlot(person, Ann)") == ["utter_ask_colour"]
    assert talk("SetSlot(colour, blue)") == ["utter_thanks", "utter_can_do_something_else"]


def test_an_unknown_action_stops_the_dialogue_with_a_reason(tmp_path: Path) -> None:
    talk = Talk(write_workshop(tmp_path / "bot"), NoActions())
    assert talk("StartFlow(repair)", "SetSlot(part, chain)", "SetSlot(price_limit, 40)") == []
    assert talk.state.stopped == "the effect of the custom action 'action_estimate' is unknown"
    assert talk("StartFlow(hours)") == []


def test_an_action_that_fails_stops_the_dialogue_with_a_reason(tmp_path: Path) -> None:
    class Broken:
        def run(self, call):
            raise ActionError("out of oil")

    talk = Talk(write_workshop(tmp_path / "bot"), Broken())
    talk("StartFlow(repair)", "SetSlot(part, chain)", "SetSlot(price_limit, 40)")
    assert "out of oil" in talk.state.stopped


def test_an_action_that_follows_on_itself_is_stopped(tmp_path: Path) -> None:
    result = ActionResult(({"event": "followup", "name": "action_estimate"},))
    talk = Talk(write_workshop(tmp_path / "bot"), StubbedActions({"action_estimate": result}))
    talk("StartFlow(repair)", "SetSlot(part, chain)", "SetSlot(price_limit, 40)")
    assert "keeps calling itself" in talk.state.stopped


def test_a_flow_that_never_ends_is_stopped(talk: Talk) -> None:
    talk("StartFlow(turn_around)")
    assert "more than 250 steps" in talk.state.stopped


def test_what_an_action_says_comes_before_what_it_changes(tmp_path: Path) -> None:
    result = ActionResult(
        ({"event": "slot", "name": "can_repair", "value": False}, {"event": "bot", "text": "Hm."}),
        ({"response": "utter_hours"}, {"text": "Let me see.", "buttons": [{"title": "Go"}]}),
    )
    talk = Talk(write_workshop(tmp_path / "bot"), StubbedActions({"action_estimate": result}))
    said = talk("StartFlow(repair)", "SetSlot(part, chain)", "SetSlot(price_limit, 40)")
    assert said == ["utter_hours", "'Let me see.'", "'Hm.'", "utter_no_repair", "utter_can_do_something_else"]
    assert talk.advance.messages[1].buttons[0].payload == "Go"


def test_a_pattern_is_replaced_by_the_assistants_own(tmp_path: Path) -> None:
    flows = FLOWS + "  pattern_completed:\n    description: d\n    steps:\n      - action: utter_thanks\n"
    talk = Talk(write_workshop(tmp_path / "bot", flows))
    assert talk("StartFlow(hours)") == ["utter_hours", "utter_thanks"]


def test_a_correction_may_be_confirmed_first(tmp_path: Path) -> None:
    flows = FLOWS + (
        "  pattern_correction:\n    description: d\n    steps:\n"
        "      - collect: sure\n        next:\n"
        "          - if: slots.sure\n            then:\n"
        "              - action: action_correct_flow_slot\n              - action: utter_corrected_previous_input\n"
        "                next: END\n"
        "          - else: END\n"
    )
    domain = DOMAIN.replace(
        "responses:\n",
        "  sure: {type: bool}\nresponses:\n  utter_ask_sure:\n    - text: \"Change {{ context.corrected_slots.keys()|join(', ') }}?\"\n",
    )
    talk = Talk(write_workshop(tmp_path / "bot", flows, domain))
    talk("StartFlow(repair)")
    talk("SetSlot(part, chain)")
    assert talk("SetSlot(part, brake)") == ["utter_ask_sure"]
    assert talk.advance.messages[0].text == "Change part?"
    assert talk("SetSlot(part, bell)") == ["utter_ask_sure"]
    assert talk("SetSlot(sure, true)") == ["utter_corrected_previous_input", "utter_ask_price_limit"]
    assert talk.state.value("part") == "bell"
    talk("SetSlot(part, tyre)")
    assert talk("SetSlot(sure, false)") == ["utter_ask_price_limit"]
    assert talk.state.value("part") == "bell"


def test_a_question_that_insists_takes_nothing_but_its_answer(tmp_path: Path) -> None:
    flows = FLOWS.replace(
        "      - collect: part\n", "      - collect: part\n        force_slot_filling: true\n"
    )
    talk = Talk(write_workshop(tmp_path / "bot", flows))
    talk("StartFlow(repair)")
    assert talk("CancelFlow()") == ["utter_ask_rephrase", "utter_ask_part"]
    assert talk("CancelFlow()", "SetSlot(part, bell)") == ["utter_ask_price_limit"]


def test_slots_that_outlive_their_flow_are_kept(tmp_path: Path) -> None:
    flows = FLOWS.replace(
        "    description: have a bicycle repaired\n",
        "    description: have a bicycle repaired\n    persisted_slots: [part]\n",
    ).replace(
        "      - collect: price_limit\n",
        "      - collect: price_limit\n        reset_after_flow_ends: false\n",
    )
    talk = Talk(write_workshop(tmp_path / "bot", flows))
    talk("StartFlow(repair)", "SetSlot(part, chain)", "SetSlot(price_limit, 40)")
    talk("SetSlot(agreed, no)")
    assert (talk.state.value("part"), talk.state.value("price_limit")) == ("chain", 40.0)
    assert talk.state.value("agreed") is None


def test_a_slot_with_validation_is_refused_wherever_it_is_filled(tmp_path: Path) -> None:
    domain = DOMAIN.replace(
        "  part: {type: text, mappings: [{type: from_llm}]}\n",
        "  part:\n    type: text\n    validation:\n      rejections:\n"
        "        - if: slots.part = 'motor'\n          utter: utter_no_repair\n"
        "      refill_utter: utter_left_alone\n",
    )
    flows = FLOWS.replace("      - collect: part\n        description: what is broken\n", "").replace(
        "      - action: action_estimate\n", "      - collect: part\n      - action: action_estimate\n"
    )
    talk = Talk(write_workshop(tmp_path / "bot", flows, domain))
    assert talk("StartFlow(repair)", "SetSlot(part, motor)") == ["utter_no_repair", "utter_left_alone"]
    assert talk("SetSlot(part, bell)") == ["utter_ask_price_limit"]
    assert talk("SetSlot(price_limit, 30)") == ["utter_ask_agreed"]


def test_the_state_can_be_read(talk: Talk) -> None:
    talk("StartFlow(rent)")
    assert str(talk.state) == (
        "active flow: rent (in identify)\nasked slot:  person\nslots:       is_staff = False\n"
        "stack:       rent > identify > pattern_collect_information"
    )


def test_a_session_begins_with_its_action_and_with_the_pattern_only_where_a_channel_asks(
    tmp_path: Path,
) -> None:
    flows = FLOWS + "  pattern_session_start:\n    description: d\n    steps:\n      - action: utter_hours\n"
    set_slot = {"event": "slot", "name": "is_staff", "value": True}
    actions = StubbedActions({"action_session_start": ActionResult((set_slot,))})
    talk = Talk(write_workshop(tmp_path / "bot", flows), actions)
    assert talk.advance.messages == ()
    assert talk.state.value("is_staff") is True
    advance = talk.engine.turn(talk.state, (), "/session_start", talk.setting)
    assert [str(message) for message in advance.messages] == ["utter_hours"]


def confirming(tmp_path: Path) -> Talk:
    domain = DOMAIN.replace(
        "actions:", "  utter_ask_continue_interrupted_flow_confirmation: [{text: Go on?}]\nactions:"
    )
    return Talk(write_workshop(tmp_path / "bot", FLOWS, domain), ESTIMATE)


def test_a_newer_assistant_asks_whether_to_go_on_with_an_interrupted_flow(tmp_path: Path) -> None:
    talk = confirming(tmp_path)
    talk("StartFlow(repair)")
    asked = "utter_ask_continue_interrupted_flow_confirmation"
    assert talk("StartFlow(hours)") == ["utter_hours", asked]
    assert talk("SetSlot(continue_interrupted_flow_confirmation, true)") == ["utter_ask_part"]
    assert talk.state.value("continue_interrupted_flow_confirmation") is None


def test_a_newer_assistant_gives_an_interrupted_flow_up_if_told_so(tmp_path: Path) -> None:
    talk = confirming(tmp_path)
    talk("StartFlow(repair)")
    talk("StartFlow(hours)")
    assert talk("SetSlot(continue_interrupted_flow_confirmation, false)") == ["utter_can_do_something_else"]
    assert talk.state.active_flow is None


def test_a_newer_assistant_asks_which_of_several_interrupted_flows_to_go_on_with(tmp_path: Path) -> None:
    talk = confirming(tmp_path)
    talk("StartFlow(repair)")
    talk("StartFlow(rent)")
    assert talk("StartFlow(hours)") == ["utter_hours", "utter_ask_interrupted_flow_to_continue"]
    assert talk("SetSlot(interrupted_flow_to_continue, repair a bike)") == ["utter_ask_part"]


def test_an_older_assistant_only_says_with_what_it_goes_on(tmp_path: Path) -> None:
    talk = Talk(write_workshop(tmp_path / "bot"))
    talk("StartFlow(repair)")
    assert talk("StartFlow(hours)") == ["utter_hours", "utter_flow_continue_interrupted", "utter_ask_part"]


AGENT = """\
flows:
  research:
    description: let an agent look for bicycles
    steps:
      - call: finder
        exit_if:
          - slots.part is not null
      - call: price_tool
        mcp_server: prices
        mapping: {input: [{param: part, slot: part}], output: [{slot: price_limit, value: result.price}]}
      - action: utter_hours
"""


def test_stubs_stand_for_agents_and_tools(tmp_path: Path) -> None:
    class Stubs:
        """An agent that needs two turns, and a tool."""

        turns = 0

        def run(self, call: ActionCall) -> ActionResult | None:
            if call.name == "finder":
                self.turns += 1
                found = ({"event": "slot", "name": "part", "value": "bell"},) if self.turns > 1 else ()
                return ActionResult(found, ({"text": f"turn {self.turns}"},))
            return ActionResult() if call.name == "price_tool" else None

    talk = Talk(write_workshop(tmp_path / "bot", AGENT), Stubs())
    assert talk("StartFlow(research)") == ["'turn 1'"]
    assert talk("ContinueAgent()")[:2] == ["'turn 2'", "utter_hours"]


def test_an_agent_without_a_stub_stops_the_dialogue(tmp_path: Path) -> None:
    talk = Talk(write_workshop(tmp_path / "bot", AGENT))
    talk("StartFlow(research)")
    assert "stub it as you would an action" in talk.state.stopped
