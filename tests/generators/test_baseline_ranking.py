"""How the baseline ranks flows, and what it does with the bot's proposals."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import numpy as np
import pytest

from du_eval.assistants.model import Assistant, Collect, DialogueState, Flow, Slot
from du_eval.commands.flows import CannotHandle
from du_eval.commands.function_calls import CallFunction
from du_eval.commands.registry import default_commands
from du_eval.conversation import Conversation, Speaker, Turn
from du_eval.generators.base import Request
from du_eval.generators.baseline import BaselineGenerator
from du_eval.generators.baseline.index import MeaningIndex, TextIndex, bag_of_letters, bag_of_words
from du_eval.generators.baseline.ranking import FlowRanker
from du_eval.text.meaning import embed


def catalogue(**descriptions: str) -> Assistant:
    return Assistant(flows={name: Flow(name, text) for name, text in descriptions.items()})


GARDEN = catalogue(
    book_visit="Reserve a guided visit of the garden.",
    cancel_visit="Call off a guided visit of the garden.",
    move_visit="Change the day of a guided visit.",
    find_visit="Look up when a guided visit takes place.",
    adopt_tree="Become the patron of a tree.",
)


def best(assistant: Assistant, text: str) -> str:
    return FlowRanker(assistant).rank(text)[0].flow


def test_the_id_of_a_flow_says_more_than_the_description_of_another() -> None:
    shop = catalogue(
        cancel_order="Stop the delivery of goods that were bought in the shop before they are sent.",
        shipping_info="Information on orders: cancel or keep an order.",
    )
    assert best(shop, "cancel my order") == "cancel_order"


class TestTextIndex:
    def test_a_text_is_most_like_itself(self) -> None:
        texts = ["red roses", "white lilies", "red lilies"]
        scores = TextIndex(texts, bag_of_words).compare("white lilies")
        assert scores.argmax() == 1
        assert scores[1] == pytest.approx(1.0)

    def test_what_no_text_holds_makes_all_of_them_less_alike(self) -> None:
        index = TextIndex(["red roses", "white lilies"], bag_of_words)
        assert index.compare("red roses")[0] > index.compare("red roses quixotically")[0] > 0

    def test_nothing_in_common_is_zero(self) -> None:
        assert TextIndex(["red roses"], bag_of_words).compare("zzz").tolist() == [0.0]

    def test_letters_see_through_a_typo(self) -> None:
        assert TextIndex(["lilies", "roses"], bag_of_letters).compare("rosse").argmax() == 1

    @pytest.mark.parametrize("text", ["RED ROSES", "Red roses", "red roses"])
    def test_capitals_do_not_matter(self, text: str) -> None:
        assert TextIndex(["red roses"], bag_of_letters).compare(text)[0] == pytest.approx(1.0)


class TestRanking:
    @pytest.mark.parametrize(
        ("text", "flow"),
        [
            ("can you reserve a visit for us", "book_visit"),
            ("I need to cancel the visit", "cancel_visit"),
            ("please move the visit to another day", "move_visit"),
            ("when is my visit", "find_visit"),
            ("a tree of my own", "adopt_tree"),
        ],
    )
    def test_the_verb_decides_between_flows_about_the_same_thing(self, text: str, flow: str) -> None:
        assert best(GARDEN, text) == flow

    def test_values_of_slots_speak_for_their_flow(self) -> None:
        flow = Flow("get_snack", "Bring something to eat.", collects=(Collect("kind"),))
        other = Flow("get_drink", "Bring something.", collects=(Collect("drink"),))
        slots = {
            "kind": Slot("kind", "categorical", ("pretzel", "waffle")),
            "drink": Slot("drink", "categorical", ("tea", "cocoa")),
        }
        assistant = Assistant(flows={"get_snack": flow, "get_drink": other}, slots=slots)
        assert best(assistant, "a hot cocoa") == "get_drink"

    def test_an_example_that_is_nearly_the_message_wins(self) -> None:
        flows = {
            "adopt_tree": Flow("adopt_tree", "Become a patron.", intents=("adopt",)),
            "find_tree": Flow("find_tree", "Find a tree."),
        }
        examples = {"adopt": ("I want that oak to be mine",)}
        assert best(Assistant(flows=flows, examples=examples), "I want this oak to be mine") == "adopt_tree"

    def test_many_flows_are_ranked_like_few(self) -> None:
        many = {f"handle_case_{number}": f"Case number {number}." for number in range(500)}
        assistant = catalogue(**many, adopt_tree="Become the patron of a tree.")
        assert best(assistant, "become a patron of a tree") == "adopt_tree"

    def test_no_flow_is_ranked_where_there_is_none(self) -> None:
        assert FlowRanker(Assistant()).rank("hello") == ()


class Meaning:
    """An embedding that knows one thing: patrons are sponsors."""

    name = "meaning"

    def vectors(self, texts: Sequence[str]) -> np.ndarray:
        found = [("sponsor" in text or "patron" in text) for text in texts]
        return np.array([[1.0, 0.0] if is_patron else [0.0, 1.0] for is_patron in found])


class TestEmbedding:
    def test_an_embedding_finds_what_words_do_not_tell(self) -> None:
        assert FlowRanker(GARDEN, Meaning()).rank("I would sponsor")[0].flow == "adopt_tree"

    def test_the_generator_names_its_embedding(self) -> None:
        assert BaselineGenerator(Meaning()).name == "BaselineGenerator+meaning"
        assert BaselineGenerator().name == "BaselineGenerator"


def hear(
    message: str, state: DialogueState, bot: str = "", generator: BaselineGenerator | None = None
) -> list[str]:
    history = Conversation((Turn(Speaker.BOT, bot),)) if bot else Conversation()
    request = Request(message, history, state, assistant=TOURS)
    answer = asyncio.run((generator or BaselineGenerator()).generate(request))
    return [str(command) for command in answer.commands or ()]


TOURS = Assistant(
    flows={
        "find_tour": Flow(
            "find_tour", "Find a boat tour.", collects=(Collect("tour_harbour", "the harbour town"),)
        ),
        "book_tour": Flow(
            "book_tour",
            "Book a boat tour.",
            collects=(
                Collect("tour_name", "the name of the tour"),
                Collect("tour_harbour", "the town where the tour starts"),
                Collect("tour_date", "the date of the tour"),
                Collect("tour_seats", "the number of seats"),
            ),
        ),
    },
    slots={
        "tour_name": Slot("tour_name", "text"),
        "tour_harbour": Slot("tour_harbour", "text"),
        "tour_date": Slot("tour_date", "text"),
        "tour_seats": Slot("tour_seats", "categorical", ("1", "2", "3", "4")),
    },
)
FINDING = DialogueState("find_tour", None, {"tour_harbour": "Husum"}, ("find_tour",))
BOOKING = DialogueState("book_tour", None, {"tour_harbour": "Husum"}, ("book_tour",))


class TestProposals:
    def test_a_yes_to_a_proposed_flow_starts_it_with_what_the_answer_tells(self) -> None:
        assert hear("Yes, on Friday", FINDING, "Shall I book a tour?") == [
            "StartFlow(book_tour)",
            "SetSlot(tour_date, Friday)",
        ]

    def test_a_question_about_the_proposal_changes_nothing(self) -> None:
        assert hear("What is their address?", FINDING, "How about the Silver Gull?") == ["SearchAndReply()"]

    @pytest.mark.parametrize("message", ["Great, thanks!", "I see.", "ok, got it"])
    def test_taking_note_needs_no_command(self, message: str) -> None:
        assert hear(message, FINDING, "They are closed on Mondays.") == []


class TestVocabulary:
    def test_a_command_that_is_off_is_not_predicted(self) -> None:
        usual = frozenset(default_commands())
        assert CannotHandle not in usual
        assert hear("zzz", DialogueState()) == ["CannotHandle()"]
        assert hear("zzz", DialogueState(), generator=BaselineGenerator(vocabulary=usual)) == []

    @pytest.mark.parametrize("message", ["I WANT TO BOOK A BOAT TOUR", "i want to book a boat tour"])
    def test_capitals_do_not_change_the_flow(self, message: str) -> None:
        assert hear(message, DialogueState()) == ["StartFlow(book_tour)"]


class TestMeaning:
    def test_a_word_of_similar_meaning_counts_as_a_part_of_the_other(self) -> None:
        index = MeaningIndex(["buy a car", "paint a house"])
        assert index.compare("purchase a vehicle").argmax() == 0
        assert index.compare("buy a car")[0] > index.compare("purchase a vehicle")[0] > 0

    def test_function_words_have_no_relatives(self) -> None:
        assert MeaningIndex(["before noon"]).compare("after").tolist() == [0.0]

    def test_a_text_points_where_its_words_point(self) -> None:
        doctor, nurse, ship = embed("see a doctor"), embed("visit the physician"), embed("sail the harbour")
        assert doctor @ nurse > doctor @ ship + 0.3

    def test_words_that_the_table_does_not_have_point_nowhere(self) -> None:
        assert not embed("zzyzx qwrtz").any()


class TestRelatives:
    def test_a_proposed_flow_is_started_by_a_longer_yes_as_well(self) -> None:
        assert hear("Yes please, that is what I was hoping for", FINDING, "Shall I book a tour?") == [
            "StartFlow(book_tour)"
        ]

    def test_a_yes_to_a_summary_starts_nothing(self) -> None:
        assert (
            hear("Yes, that is right", BOOKING, "You want to find a tour from Husum. Is that correct?") == []
        )

    @pytest.mark.parametrize(
        ("message", "bot", "commands"),
        [
            ("Sounds good", "There is the Seal Tour.", ["SetSlot(tour_name, Seal Tour)"]),
            (
                "Yes, do it",
                "The Seal Tour on Monday?",
                ["SetSlot(tour_name, Seal Tour)", "SetSlot(tour_date, Monday)"],
            ),
            ("Great, thanks", "There is nothing on Monday.", []),
        ],
    )
    def test_who_agrees_takes_what_the_bot_offers(self, message: str, bot: str, commands: list[str]) -> None:
        assert hear(message, BOOKING, bot) == commands

    def test_an_agreement_is_no_value(self) -> None:
        asking = DialogueState("book_tour", "tour_name", {"tour_harbour": "Husum"}, ("book_tour",))
        assert hear("yes perfect", asking, "The Seal Tour?") == ["SetSlot(tour_name, Seal Tour)"]

    def test_the_flow_goes_on_with_another_value(self) -> None:
        assert hear("And how about Friday?", BOOKING, "There are no tours on Monday.") == [
            "SetSlot(tour_date, Friday)"
        ]


def test_a_flow_with_its_slots_is_a_call_where_only_functions_may_be_called() -> None:
    generator = BaselineGenerator(vocabulary={CallFunction})
    slots = {
        "get_weather_city": Slot("get_weather_city", "text"),
        "get_weather_days": Slot("get_weather_days", "float"),
    }
    collects = (
        Collect("get_weather_city", description="the city"),
        Collect("get_weather_days", description="number of days"),
    )
    flow = Flow("get_weather", "Get the weather of a city.", collects=collects)
    assistant = Assistant(flows={"get_weather": flow}, slots=slots)
    request = Request("what will the weather in Oslo be for 3 days", assistant=assistant)
    (call,) = asyncio.run(generator.generate(request)).commands or ()
    assert call.to_dsl() == 'CallFunction(get_weather, {"city": "Oslo", "days": 3.0})'


def test_an_embedding_starts_what_words_alone_leave() -> None:
    heard = {}
    for generator in (BaselineGenerator(), BaselineGenerator(Faint())):
        answer = asyncio.run(generator.generate(Request("zzyzx qwrtz", assistant=GARDEN)))
        heard[generator.name] = [str(command) for command in answer.commands or ()]
    assert heard == {
        "BaselineGenerator": ["CannotHandle()"],
        "BaselineGenerator+faint": ["StartFlow(adopt_tree)"],
    }


class Faint:
    """An embedding that finds a faint likeness between what no word connects."""

    name = "faint"

    def vectors(self, texts: Sequence[str]) -> np.ndarray:
        found = ["zzyzx" in text or "patron" in text for text in texts]
        return np.array([[0.5] if is_close else [0.0] for is_close in found])


def test_an_embedding_reads_once_what_id_name_and_description_say() -> None:
    heard: list[str] = []

    class Listening(Faint):
        def vectors(self, texts: Sequence[str]) -> np.ndarray:
            heard.extend(texts)
            return super().vectors(texts)

    form = Flow("form_w2", description="Form W-2", name="form w 2")
    FlowRanker(Assistant(flows={form.id: form}), Listening())
    assert heard[:2] == ["form w2", "my question is about form w2"]
