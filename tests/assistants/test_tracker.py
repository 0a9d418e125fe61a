from du_eval.assistants.model import Assistant, DialogueState
from du_eval.assistants.tracker import Tracker
from du_eval.commands.base import Command
from du_eval.commands.flows import CancelFlow, ChitChat, SetSlot, StartFlow
from du_eval.conversation import Speaker, Turn


def says(*responses: str) -> tuple[Turn, ...]:
    return tuple(Turn(Speaker.BOT, "", response) for response in responses)


def literally(text: str) -> tuple[Turn, ...]:
    return (Turn(Speaker.BOT, text),)


def after(
    assistant: Assistant, *turns: tuple[tuple[Command, ...], tuple[Turn, ...]], **slots: object
) -> DialogueState:
    *_, last = Tracker(assistant).states(turns, slots)
    return last


START = ((StartFlow("borrow_book"),), says("utter_ask_title"))
TITLE = ((SetSlot("title", "Dune"),), says("utter_who_are_you"))
NAME = ((SetSlot("reader_name", "Ann"),), says("utter_ask_age"))


def test_before_the_first_turn_only_fixtures_are_known(library: Assistant) -> None:
    assert after(library, desk="front") == DialogueState(slots={"desk": "front"})


def test_a_started_flow_is_active_and_its_question_waits(library: Assistant) -> None:
    state = after(library, START)
    assert (state.active_flow, state.asked_slot, state.flow_stack) == (
        "borrow_book",
        "title",
        ("borrow_book",),
    )


def test_values_fill_slots_in_their_type(library: Assistant) -> None:
    state = after(library, START, TITLE, NAME, ((SetSlot("age", "30"),), literally("Shall I lend it?")))
    assert state.slots == {"title": "Dune", "reader_name": "Ann", "age": 30.0}


def test_a_response_with_its_own_name_asks_too(library: Assistant) -> None:
    assert after(library, START, TITLE).asked_slot == "reader_name"


def test_a_question_of_a_called_flow_leaves_the_caller_active(library: Assistant) -> None:
    state = after(library, START, TITLE, NAME)
    assert (state.active_flow, state.asked_slot) == ("borrow_book", "age")


def test_a_literal_text_is_recognised_with_its_variables_filled(library: Assistant) -> None:
    state = after(
        library, START, TITLE, ((SetSlot("reader_name", "Ann"),), literally("How old are  you, Ann?"))
    )
    assert state.asked_slot == "age"


def test_an_unknown_text_asks_for_the_slot_that_a_custom_action_asks_for(library: Assistant) -> None:
    turn = ((SetSlot("age", "30"),), literally("So it is Dune for Ann, age 30."))
    assert after(library, START, TITLE, NAME, turn).asked_slot == "loan_confirmed"


def test_a_flow_is_over_when_its_question_is_answered_and_none_follows(library: Assistant) -> None:
    asked = ((SetSlot("age", "30"),), literally("Shall I lend it?"))
    state = after(
        library, START, TITLE, NAME, asked, ((SetSlot("loan_confirmed", "yes"),), says("utter_lent"))
    )
    assert (state.active_flow, state.asked_slot) == (None, None)


def test_slots_are_emptied_when_their_flow_ends_except_persisted_ones(library: Assistant) -> None:
    asked = ((SetSlot("age", "30"),), literally("Shall I lend it?"))
    state = after(
        library, START, TITLE, NAME, asked, ((SetSlot("loan_confirmed", "no"),), says("utter_not_lent"))
    )
    assert state.slots == {"reader_name": "Ann"}


def test_the_words_of_completion_end_everything(library: Assistant) -> None:
    state = after(
        library, START, ((StartFlow("opening_hours"),), says("utter_hours", "utter_can_do_something_else"))
    )
    assert state.flow_stack == ()


def test_cancelling_closes_the_active_flow_only(library: Assistant) -> None:
    state = after(library, START, ((StartFlow("rate_book"),), says("utter_ask_stars")), ((CancelFlow(),), ()))
    assert state.flow_stack == ("borrow_book",)


def test_cancel_and_start_in_one_message_swap_the_flow(library: Assistant) -> None:
    state = after(library, START, ((StartFlow("rate_book"), CancelFlow()), says("utter_ask_stars")))
    assert (state.flow_stack, state.asked_slot) == (("rate_book",), "stars")


def test_the_flow_that_was_named_first_comes_first(library: Assistant) -> None:
    both = (StartFlow("borrow_book"), StartFlow("rate_book"))
    assert after(library, (both, says("utter_ask_title"))).flow_stack == ("rate_book", "borrow_book")


def test_a_digression_keeps_the_question_open(library: Assistant) -> None:
    state = after(library, START, ((ChitChat(),), says("placeholder_generated_answer")))
    assert (state.active_flow, state.asked_slot) == ("borrow_book", "title")


def test_a_flow_without_questions_is_over_at_once(library: Assistant) -> None:
    assert after(library, ((StartFlow("opening_hours"),), says("utter_hours"))).flow_stack == ()


def test_an_interrupted_flow_is_active_again_when_it_asks_again(library: Assistant) -> None:
    turn = (
        (StartFlow("opening_hours"),),
        says("utter_hours", "utter_flow_continue_interrupted", "utter_ask_title"),
    )
    assert after(library, START, turn).flow_stack == ("borrow_book",)


def test_a_linked_flow_takes_the_place_of_the_one_that_led_to_it(library: Assistant) -> None:
    start = ((StartFlow("give_back"),), says("utter_ask_returned_title"))
    state = after(library, start, ((SetSlot("returned_title", "Dune"),), says("utter_ask_stars")))
    assert (state.flow_stack, state.slots) == (("rate_book",), {})


def test_a_question_out_of_nowhere_opens_the_only_flow_that_asks_it(library: Assistant) -> None:
    assert after(library, ((), says("utter_ask_stars"))).flow_stack == ("rate_book",)


def test_a_slot_that_is_asked_for_again_is_empty(library: Assistant) -> None:
    state = after(
        library, START, TITLE, NAME, ((SetSlot("age", "3"),), says("utter_too_young", "utter_ask_age"))
    )
    assert "age" not in state.slots


def test_the_states_along_a_dialogue_equal_the_states_of_its_prefixes(library: Assistant) -> None:
    turns = [START, TITLE, NAME]
    along = list(Tracker(library).states(turns, {}))
    assert along == [after(library, *turns[:count]) for count in range(4)]


def test_flows_that_the_assistant_does_not_have_do_no_harm(library: Assistant) -> None:
    assert after(library, ((StartFlow("unknown"),), says("utter_unknown"))).asked_slot is None
