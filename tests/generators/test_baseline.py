"""The baseline on a made-up assistant of a sports club."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from du_eval.assistants.load import load_assistant
from du_eval.assistants.model import Assistant, DialogueState
from du_eval.generators.base import CommandGenerator, Request
from du_eval.generators.baseline import BaselineGenerator

FLOWS = """\
flows:
  book_class:
    name: book a class
    description: Reserve a place in one of the fitness classes.
    nlu_trigger:
      - intent: book_class
    steps:
      - collect: class_kind
        description: which class it is
      - collect: class_day
        description: the day of the class
      - collect: class_time
        description: the time of the class
      - collect: guests
        description: how many people come along, as a number
      - collect: class_confirmed
        description: whether the member agrees to the booking
        ask_before_filling: true
      - action: utter_class_booked
  pay_trainer:
    name: pay a trainer
    description: Pay a trainer for private lessons.
    steps:
      - collect: trainer
        description: the name of the person who gets the money
      - collect: fee
        description: the amount without currency
      - collect: fee_confirmed
        description: accepts True or False
        ask_before_filling: true
      - action: utter_trainer_paid
  freeze_membership:
    name: freeze the membership
    description: Put a membership on hold for a while.
    steps:
      - collect: freeze_reason
        description: the reason for the break
      - collect: wants_reminder
        description: whether the member wants a reminder before the end
      - action: utter_frozen
  end_membership:
    name: end the membership
    description: Terminate a membership for good.
    steps:
      - collect: member_number
        description: the number on the member card, digits only
      - action: utter_ended
  locker_code:
    name: locker code
    description: Tell the code of the member's locker.
    steps:
      - action: utter_locker_code
  add_friend:
    name: add a friend
    description: Connect with another member in the club's app.
    steps:
      - collect: friend_handle
        description: a handle starting with @
      - collect: friend_mail
        description: the e-mail address of the friend
      - action: utter_friend_added
  staff_only:
    name: staff door
    description: Open the staff door.
    if: false
    steps:
      - action: utter_locker_code
"""

DOMAIN = """\
slots:
  class_kind:
    type: categorical
    values: [yoga, boxing, spinning_class]
  class_day: {type: text}
  class_time: {type: text}
  guests: {type: float}
  class_confirmed: {type: bool}
  trainer: {type: text}
  fee: {type: text}
  fee_confirmed: {type: text}
  freeze_reason: {type: text}
  wants_reminder: {type: bool}
  member_number: {type: text}
  friend_handle: {type: text}
  friend_mail: {type: text}
responses:
  utter_ask_class_kind:
    - text: Which class?
      buttons:
        - {title: Sweat on a bike, payload: /SetSlots(class_kind=spinning_class)}
  utter_ask_class_day: [{text: "On which day?"}]
  utter_ask_class_time: [{text: "At what time?"}]
  utter_ask_guests: [{text: "How many are you?"}]
  utter_ask_class_confirmed: [{text: "Shall I book that?"}]
  utter_class_booked: [{text: Booked.}]
  utter_ask_trainer: [{text: "Who gets it?"}]
  utter_ask_fee: [{text: "How much?"}]
  utter_ask_fee_confirmed: [{text: "Shall I pay?"}]
  utter_trainer_paid: [{text: Paid.}]
  utter_ask_freeze_reason: [{text: "Why do you need a break?"}]
  utter_ask_wants_reminder: [{text: "Would you like a reminder?"}]
  utter_frozen: [{text: Frozen.}]
  utter_ask_member_number: [{text: "What is your number?"}]
  utter_ended: [{text: Goodbye.}]
  utter_locker_code: [{text: "It is {code}."}]
  utter_ask_friend_handle: [{text: "What is the handle?"}]
  utter_ask_friend_mail: [{text: "What is the e-mail address?"}]
  utter_friend_added: [{text: Added.}]
"""

EXAMPLES = """\
nlu:
  - intent: book_class
    examples: |
      - is there still room in the evening course
      - put me down for [yoga](class) on Monday
"""

BOOKING = DialogueState("book_class", "class_kind", {}, ("book_class",))
TIME = DialogueState(
    "book_class", "class_time", {"class_kind": "yoga", "class_day": "monday"}, ("book_class",)
)
CONFIRMING = DialogueState("pay_trainer", "fee_confirmed", {"trainer": "Ada", "fee": "40"}, ("pay_trainer",))
FEE = DialogueState("pay_trainer", "fee", {"trainer": "Ada"}, ("pay_trainer",))
TRAINER = DialogueState("pay_trainer", "trainer", {}, ("pay_trainer",))
REASON = DialogueState("freeze_membership", "freeze_reason", {}, ("freeze_membership",))
NOTHING = DialogueState()


@pytest.fixture(scope="module")
def club(tmp_path_factory: pytest.TempPathFactory) -> Assistant:
    folder: Path = tmp_path_factory.mktemp("club")
    (folder / "data").mkdir()
    for name, text in (("data/flows", FLOWS), ("domain", DOMAIN), ("data/nlu", EXAMPLES)):
        (folder / f"{name}.yml").write_text(text, encoding="utf-8")
    return load_assistant(folder)


@pytest.fixture(scope="module")
def baseline() -> BaselineGenerator:
    return BaselineGenerator()


class Listener:
    """Says what the baseline understands."""

    def __init__(self, generator: BaselineGenerator, assistant: Assistant) -> None:
        self.generator = generator
        self.assistant = assistant

    def __call__(self, message: str, state: DialogueState = NOTHING) -> list[str]:
        request = Request(message, state=state, assistant=self.assistant)
        prediction = asyncio.run(self.generator.generate(request))
        assert prediction.commands is not None
        return sorted(str(command) for command in prediction.commands)


@pytest.fixture(scope="module")
def hear(baseline: BaselineGenerator, club: Assistant) -> Listener:
    return Listener(baseline, club)


class TestStartingFlows:
    @pytest.mark.parametrize(
        ("message", "flow"),
        [
            ("I want to book a class", "book_class"),
            ("put my membership on hold please", "freeze_membership"),
            ("what's my locker code", "locker_code"),
            ("I'd like to pay my trainer", "pay_trainer"),
            ("can I terminate my membership?", "end_membership"),
        ],
    )
    def test_a_wish_starts_the_flow_that_its_words_describe(
        self, hear: Listener, message: str, flow: str
    ) -> None:
        assert hear(message) == [f"StartFlow({flow})"]

    def test_examples_of_an_intent_speak_for_their_flow(self, hear: Listener) -> None:
        assert hear("any room in the evening course?") == ["StartFlow(book_class)"]

    def test_one_word_may_name_a_value_of_several_words(self, hear: Listener) -> None:
        assert "SetSlot(class_kind, spinning_class)" in hear("book spinning on friday")

    def test_a_wish_may_bring_values_for_slots(self, hear: Listener) -> None:
        assert hear("book yoga on friday at 6pm") == [
            "SetSlot(class_day, friday)",
            "SetSlot(class_kind, yoga)",
            "SetSlot(class_time, 6pm)",
            "StartFlow(book_class)",
        ]

    def test_a_name_and_an_amount_find_their_slots(self, hear: Listener) -> None:
        assert hear("please pay 45 euros to Ada") == [
            "SetSlot(fee, 45)",
            "SetSlot(trainer, Ada)",
            "StartFlow(pay_trainer)",
        ]

    def test_a_flow_that_only_others_may_call_is_never_started(self, hear: Listener) -> None:
        assert "StartFlow(staff_only)" not in hear("open the staff door")

    def test_slots_that_are_asked_anew_are_not_filled_ahead(self, hear: Listener) -> None:
        assert not any("fee_confirmed" in command for command in hear("pay 45 to Ada, yes I am sure"))

    def test_a_word_that_several_flows_share_needs_a_question(self, hear: Listener) -> None:
        assert hear("membership") == ["Clarify(end_membership, freeze_membership)"]

    def test_another_flow_may_be_started_inside_a_flow(self, hear: Listener) -> None:
        assert hear("can you tell me my locker code first?", BOOKING) == ["StartFlow(locker_code)"]


class TestAnswers:
    @pytest.mark.parametrize(
        ("message", "value"),
        [
            ("yoga", "yoga"),
            ("I'd like BOXING please", "boxing"),
        ],
    )
    def test_a_category_is_found_by_its_values(self, hear: Listener, message: str, value: str) -> None:
        assert hear(message, BOOKING) == [f"SetSlot(class_kind, {value})"]

    def test_an_unknown_category_is_passed_on_as_it_is(self, hear: Listener) -> None:
        assert hear("pilates", BOOKING) == ["SetSlot(class_kind, pilates)"]

    @pytest.mark.parametrize(
        ("message", "value"),
        [
            ("50", "50"),
            ("50$ then", "50"),
            ("it's forty five", "45"),
            ("1,200 please", "1200"),
            ("2k", "2000"),
            ("12,50 €", "12.50"),
        ],
    )
    def test_amounts_are_plain_numbers(self, hear: Listener, message: str, value: str) -> None:
        assert hear(message, FEE) == [f"SetSlot(fee, {value})"]

    @pytest.mark.parametrize(
        ("message", "value"),
        [
            ("Ada", "Ada"),
            ("to Ada please", "Ada"),
            ("it's Ada Lovelace", "Ada Lovelace"),
        ],
    )
    def test_a_name_loses_the_words_around_it(self, hear: Listener, message: str, value: str) -> None:
        assert hear(message, TRAINER) == [f"SetSlot(trainer, {value})"]

    @pytest.mark.parametrize(
        "message",
        ["yes", "Yep!", "sure, go ahead", "ok", "that's right", "ja", "oui", "sí", "да"],
    )
    def test_a_yes_is_true_also_for_a_text_slot(self, hear: Listener, message: str) -> None:
        assert hear(message, CONFIRMING) == ["SetSlot(fee_confirmed, True)"]

    @pytest.mark.parametrize(
        "message", ["no", "Nope.", "no thanks", "rather don't", "nein", "non merci", "нет", "no, cancel"]
    )
    def test_a_no_is_false(self, hear: Listener, message: str) -> None:
        assert hear(message, CONFIRMING) == ["SetSlot(fee_confirmed, False)"]

    def test_a_free_text_is_taken_whole(self, hear: Listener) -> None:
        assert hear("a broken leg", REASON) == ["SetSlot(freeze_reason, a broken leg)"]

    def test_more_may_come_with_an_answer(self, hear: Listener) -> None:
        assert hear("yoga, on friday", BOOKING) == ["SetSlot(class_day, friday)", "SetSlot(class_kind, yoga)"]

    def test_a_question_may_follow_an_answer(self, hear: Listener) -> None:
        assert hear("50. Why is it so expensive?", FEE) == ["SearchAndReply()", "SetSlot(fee, 50)"]

    @pytest.mark.parametrize(
        ("message", "commands"),
        [
            ("/SetSlots(class_kind=yoga)", ["SetSlot(class_kind, yoga)"]),
            (
                "/SetSlots(guests=2, class_day=next friday)",
                ["SetSlot(class_day, next friday)", "SetSlot(guests, 2)"],
            ),
        ],
    )
    def test_a_button_sets_its_slots(self, hear: Listener, message: str, commands: list[str]) -> None:
        assert hear(message, BOOKING) == commands


class TestCorrections:
    @pytest.mark.parametrize(
        "message",
        [
            "no, 60",
            "actually 60",
            "make that 60",
            "not 40 but 60",
            "60 instead of 40",
            "sorry, I meant 60",
            "change it to 60",
        ],
    )
    def test_another_amount_changes_the_amount(self, hear: Listener, message: str) -> None:
        assert hear(message, CONFIRMING) == ["SetSlot(fee, 60)"]

    def test_another_name_changes_the_name(self, hear: Listener) -> None:
        assert hear("sorry, I meant to Grace", CONFIRMING) == ["SetSlot(trainer, Grace)"]

    def test_two_slots_may_change_at_once(self, hear: Listener) -> None:
        assert hear("no, 10 to Grace", CONFIRMING) == ["SetSlot(fee, 10)", "SetSlot(trainer, Grace)"]

    def test_another_category_changes_the_category(self, hear: Listener) -> None:
        assert hear("boxing instead of yoga", TIME) == ["SetSlot(class_kind, boxing)"]


class TestSteering:
    @pytest.mark.parametrize(
        "message",
        [
            "cancel",
            "stop that please",
            "never mind",
            "forget it",
            "vergiss es",
            "laisse tomber",
            "olvídalo",
            "отмена",
        ],
    )
    def test_a_flow_is_cancelled(self, hear: Listener, message: str) -> None:
        assert hear(message, BOOKING) == ["CancelFlow()"]

    def test_what_is_asked_for_instead_of_a_cancelled_flow_starts(self, hear: Listener) -> None:
        assert "StartFlow(pay_trainer)" in hear("forget it, I want to pay a trainer", BOOKING)

    def test_parts_of_a_message_start_a_flow_each(self, hear: Listener) -> None:
        started = [line for line in hear("pay a trainer and also freeze the membership") if "Start" in line]
        assert started == ["StartFlow(freeze_membership)", "StartFlow(pay_trainer)"]

    def test_a_plain_and_starts_no_second_flow(self, hear: Listener) -> None:
        started = [line for line in hear("pay a trainer and freeze the membership") if "Start" in line]
        assert len(started) == 1

    def test_without_a_flow_there_is_nothing_to_cancel(self, hear: Listener) -> None:
        assert "CancelFlow()" not in hear("cancel")

    @pytest.mark.parametrize(
        "message",
        [
            "skip",
            "next question",
            "I'd rather not say",
            "I don't want to answer that",
            "none of your business",
            "überspringen",
        ],
    )
    def test_a_question_is_skipped(self, hear: Listener, message: str) -> None:
        assert hear(message, REASON) == ["SkipQuestion()"]

    @pytest.mark.parametrize(
        "message", ["can you repeat that?", "say that again", "come again?", "wie bitte?", "повторите"]
    )
    def test_the_bot_is_asked_to_repeat(self, hear: Listener, message: str) -> None:
        assert hear(message, BOOKING) == ["RepeatLastBotMessages()"]

    @pytest.mark.parametrize(
        "message",
        [
            "let me talk to a human",
            "I want to speak with an agent",
            "put me through to somebody",
            "соедините меня с оператором",
        ],
    )
    def test_a_human_is_asked_for(self, hear: Listener, message: str) -> None:
        assert hear(message, BOOKING) == ["HumanHandoff()"]

    @pytest.mark.parametrize(
        "message",
        ["hi", "hello there!", "how are you?", "thanks a lot", "tell me a joke", "bonjour", "привет"],
    )
    def test_small_talk_is_small_talk(self, hear: Listener, message: str) -> None:
        assert hear(message) == ["ChitChat()"]

    @pytest.mark.parametrize("state", [NOTHING, BOOKING, FEE])
    def test_a_question_that_no_flow_answers_is_searched_for(
        self, hear: Listener, state: DialogueState
    ) -> None:
        assert hear("why is the water so blue?", state) == ["SearchAndReply()"]

    @pytest.mark.parametrize("message", ["hmmm", "one moment", "let me think...", "👍", ""])
    def test_hesitation_asks_for_nothing(self, hear: Listener, message: str) -> None:
        assert hear(message, FEE) == []

    def test_what_is_not_understood_is_admitted(self, hear: Listener) -> None:
        assert hear("flurb") == ["CannotHandle()"]


class TestTheGenerator:
    def test_it_is_a_command_generator(self, baseline: BaselineGenerator) -> None:
        assert isinstance(baseline, CommandGenerator)

    def test_importing_it_loads_no_heavy_package(self) -> None:
        code = "import sys, du_eval.generators.baseline as b; b.BaselineGenerator(); print({'sklearn', 'numpy'} & set(sys.modules))"
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        assert done.stdout.strip() == "set()"

    def test_an_assistant_without_flows_does_no_harm(self, baseline: BaselineGenerator) -> None:
        assert Listener(baseline, Assistant())("I want something") == ["CannotHandle()"]

    def test_every_assistant_gets_its_own_model(self, baseline: BaselineGenerator, club: Assistant) -> None:
        assert Listener(baseline, Assistant())("book a class") != Listener(baseline, club)("book a class")

    @given(st.text(max_size=200), st.sampled_from([NOTHING, BOOKING, TIME, CONFIRMING, FEE, TRAINER, REASON]))
    @settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
    def test_any_text_gets_an_answer_and_always_the_same(
        self, hear: Listener, message: str, state: DialogueState
    ) -> None:
        assert hear(message, state) == hear(message, state)

    def test_assistants_without_flows_share_what_was_built(self) -> None:
        generator = BaselineGenerator()
        for _ in range(3):
            Listener(generator, Assistant())("hello")
        assert len(generator._deciders) == 1

    def test_an_assistant_that_was_loaded_again_is_learnt_again(self, club: Assistant) -> None:
        generator = BaselineGenerator()
        older = Assistant(path=club.path, flows={"locker_code": club.flows["locker_code"]})
        assert Listener(generator, older)("I want to book a class") != ["StartFlow(book_class)"]
        assert Listener(generator, club)("I want to book a class") == ["StartFlow(book_class)"]
