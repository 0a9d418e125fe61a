"""The forms of values that the baseline finds in messages."""

from __future__ import annotations

import pytest

from du_eval.assistants.model import Assistant, Collect, Flow, Slot
from du_eval.generators.baseline.cues import asks_for_staff, is_question, yes_or_no
from du_eval.generators.baseline.filling import fill_slots
from du_eval.generators.baseline.moments import find_dates, find_times
from du_eval.generators.baseline.numbers import find_numbers
from du_eval.generators.baseline.pieces import find_pieces
from du_eval.generators.baseline.slots import SlotProfile, ValueRole, read_payload, read_profiles
from du_eval.generators.baseline.spans import Form
from du_eval.generators.baseline.text import content_words, split_identifier
from du_eval.text.words import stem, words


def values(text: str, form: Form) -> list[str]:
    return [span.value for span in find_pieces(text) if span.form is form]


class TestNumbers:
    @pytest.mark.parametrize(
        ("text", "value"),
        [
            ("7", "7"),
            ("a hundred and twenty", "120"),
            ("two thousand five hundred", "2500"),
            ("twenty-one", "21"),
            ("1,234.50", "1234.50"),
            ("1.234.567", "1234567"),
            ("3.5k", "3500"),
            ("99,90", "99.90"),
            ("fünf", "5"),
            ("две", "2"),
        ],
    )
    def test_a_number_is_read_in_digits_and_words(self, text: str, value: str) -> None:
        assert next(find_numbers(text)).value == value

    @pytest.mark.parametrize("text", ["$40", "40 euros", "40€", "£ 40", "40 bucks"])
    def test_a_currency_makes_it_money(self, text: str) -> None:
        assert values(text, Form.MONEY) == ["40"]

    @pytest.mark.parametrize("text", ["a new one", "the blue one", "une table"])
    def test_an_article_or_pronoun_is_no_number(self, text: str) -> None:
        assert values(text, Form.NUMBER) == []

    @pytest.mark.parametrize("text", ["just one", "one large tea", "tea, one, to go"])
    def test_one_thing_is_a_number(self, text: str) -> None:
        assert values(text, Form.NUMBER) == ["1"]


class TestMoments:
    @pytest.mark.parametrize(
        "text",
        [
            "tomorrow",
            "next friday",
            "3rd of May",
            "Wednesday next week",
            "March 12",
            "2024-05-01",
            "12/05/2024",
            "last summer",
            "in two weeks",
            "since april",
            "übermorgen",
            "demain",
        ],
    )
    def test_a_date_is_found(self, text: str) -> None:
        assert [span.value for span in find_dates(f"well, {text}")] == [text]

    def test_the_day_belongs_to_its_month_behind_until(self) -> None:
        assert [span.value for span in find_dates("until March 10th, please")] == ["March 10th"]

    @pytest.mark.parametrize("text", ["may I come in", "that was sunny", "I march on"])
    def test_a_word_that_looks_like_a_month_is_no_date(self, text: str) -> None:
        assert not list(find_dates(text))

    @pytest.mark.parametrize(
        "text", ["8pm", "19:30", "half past seven", "noon", "7 o'clock", "19 Uhr", "20h", "in 30 mins"]
    )
    def test_a_time_is_found(self, text: str) -> None:
        assert [span.value for span in find_times(f"come {text}")] == [text]

    def test_a_bare_hour_needs_a_word_in_front(self) -> None:
        assert [span.value for span in find_times("we are 8, at nine")] == ["nine"]

    def test_that_is_not_at(self) -> None:
        assert not list(find_times("make that 6"))


class TestNames:
    @pytest.mark.parametrize(
        ("text", "name"),
        [
            ("send it to Ada", "Ada"),
            ("it is for my cousin Ada Lovelace", "Ada Lovelace"),
            ("I owe Dr. Strange a coffee", "Dr. Strange"),
            ("something for Smith & Sons please", "Smith & Sons"),
            ("we live in New York. I like it", "New York"),
        ],
    )
    def test_a_name_is_found(self, text: str, name: str) -> None:
        assert values(text, Form.NAME)[0] == name

    @pytest.mark.parametrize(
        "text", ["I want to send money", "how to pay it", "to whom?", "I like it", "on Friday"]
    )
    def test_verbs_and_days_are_no_names(self, text: str) -> None:
        assert values(text, Form.NAME) == []

    def test_the_first_word_of_a_sentence_is_an_unsure_name(self) -> None:
        assert [span.is_sure for span in find_pieces("Rosalind") if span.form is Form.NAME] == [False]


class TestOtherPieces:
    @pytest.mark.parametrize(
        ("text", "form", "value"),
        [
            ("write to a.b@c.org now", Form.EMAIL, "a.b@c.org"),
            ("add @ada_1!", Form.HANDLE, "@ada_1"),
            ("is SUN20 good", Form.CODE, "SUN20"),
            ("ring 555-123-4567 please", Form.PHONE, "555-123-4567"),
        ],
    )
    def test_a_piece_has_its_form(self, text: str, form: Form, value: str) -> None:
        assert values(text, form) == [value]

    def test_of_overlapping_pieces_the_surer_form_stays(self) -> None:
        assert [span.form for span in find_pieces("4you@there.org")] == [Form.EMAIL]


class TestWords:
    @pytest.mark.parametrize(
        ("one", "other"),
        [
            ("transfers", "transferring"),
            ("payment", "paying"),
            ("booked", "book"),
            ("cities", "city"),
            ("shipping", "ship"),
        ],
    )
    def test_forms_of_a_word_share_a_stem(self, one: str, other: str) -> None:
        assert stem(one) == stem(other)

    def test_identifiers_become_words(self) -> None:
        assert split_identifier("flow-bookRoom_now") == "flow book Room now"

    def test_function_words_carry_no_content(self) -> None:
        assert content_words("I would like to have the blue car, please") == ["blue", "car"]

    def test_apostrophes_stay_inside_words(self) -> None:
        assert words("Don’t stop 😀") == ["don't", "stop"]


class TestCues:
    @pytest.mark.parametrize("text", ["yes", "no problem", "why not", "yes, I'm not sure why you ask"])
    def test_agreement(self, text: str) -> None:
        assert yes_or_no(text) is True

    @pytest.mark.parametrize("text", ["no", "not right", "I don't", "that's wrong", "no, it's ok"])
    def test_refusal(self, text: str) -> None:
        assert yes_or_no(text) is False

    @pytest.mark.parametrize("text", ["blue", "I want the payment for my account"])
    def test_neither(self, text: str) -> None:
        assert yes_or_no(text) is None

    @pytest.mark.parametrize("text", ["what is it", "is it free", "it is free?", "and how much"])
    def test_a_question_needs_no_question_mark(self, text: str) -> None:
        assert is_question(text)

    def test_a_statement_is_no_question(self) -> None:
        assert not is_question("I know what it is")

    @pytest.mark.parametrize("text", ["I work with a human being? no", "the agent was nice"])
    def test_a_person_may_be_mentioned_without_being_asked_for(self, text: str) -> None:
        assert asks_for_staff(text) is ("human being" in text)


def profile(slot: Slot, description: str = "") -> SlotProfile:
    flow = Flow("a_flow", collects=(Collect(slot.name, description),))
    assistant = Assistant(flows={flow.id: flow}, slots={slot.name: slot})
    return read_profiles(assistant, flow.id)[0]


def mentioned_values(profile: SlotProfile, text: str) -> tuple[str, ...]:
    return tuple(value for _, value in fill_slots([profile], text))


class TestProfiles:
    @pytest.mark.parametrize(
        ("slot", "description", "role"),
        [
            (Slot("a", "bool"), "", ValueRole.YES_NO),
            (Slot("a", "categorical", ("x",)), "", ValueRole.CATEGORY),
            (Slot("a", "float"), "how much it costs", ValueRole.AMOUNT),
            (Slot("a", "float"), "the age", ValueRole.COUNT),
            (Slot("a", "text"), "accepts True or False", ValueRole.YES_NO),
            (Slot("order_confirmation", "text"), "", ValueRole.YES_NO),
            (Slot("a", "text"), "the e-mail address", ValueRole.EMAIL),
            (Slot("a", "text"), "the name of a person", ValueRole.PERSON),
            (Slot("a", "text"), "the amount of money", ValueRole.AMOUNT),
            (Slot("a", "text"), "the number of US dollars to send", ValueRole.AMOUNT),
            (Slot("a", "text"), "street and house number", ValueRole.ADDRESS),
            (Slot("a", "text"), "the number of the order", ValueRole.IDENTIFIER),
            (Slot("a", "text"), "the day of the visit", ValueRole.DATE),
            (Slot("a", "text"), "when it starts", ValueRole.TIME),
            (Slot("a", "text"), "the town", ValueRole.PLACE),
            (Slot("a", "text"), "what it is for", ValueRole.PURPOSE),
            (Slot("a", "text"), "anything", ValueRole.FREE),
        ],
    )
    def test_the_role_follows_from_type_and_description(
        self, slot: Slot, description: str, role: ValueRole
    ) -> None:
        assert profile(slot, description).role is role

    def test_examples_in_a_description_are_known_values(self) -> None:
        drink = profile(Slot("drink", "text"), "what to drink, such as tea, green tea or coffee")
        assert mentioned_values(drink, "a coffee for me") == ("coffee",)

    def test_a_refused_value_is_not_mentioned(self) -> None:
        size = profile(Slot("size", "categorical", ("small", "large")))
        assert mentioned_values(size, "large, not small") == ("large",)

    @pytest.mark.parametrize(
        ("message", "pairs"),
        [
            ("/SetSlots(a=1)", (("a", "1"),)),
            ("/SetSlots(a=x, y, b='z')", (("a", "x, y"), ("b", "z"))),
            ("/SetSlot(a=b)", (("a", "b"),)),
            ("SetSlots(a=1)", ()),
            ("hello", ()),
        ],
    )
    def test_a_payload_names_slots_and_values(self, message: str, pairs: tuple[tuple[str, str], ...]) -> None:
        assert read_payload(message) == pairs
