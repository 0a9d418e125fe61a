"""Replies that get stuck, and questions that are asked again in other words."""

from __future__ import annotations

import time

import pytest

from du_eval.judges.repeated import read_turn
from du_eval.judges.stutter import read_stutter


@pytest.mark.parametrize(
    "reply",
    [
        "Run run run!",
        "They talked and talked and talked.",
        "Saturday from 10 to 4, Sunday from 10 to 4, Monday from 10 to 4.",
        "Тихо-тихо, ребёнок спит.",
        "Oh well. Oh well. It happens.",
        "What it is is a bargain.",
        "We waited and we waited and we waited.",
    ],
)
def test_emphasis_and_lists_are_no_stutter(reply: str) -> None:
    assert read_stutter(reply).label == "fine"


@pytest.mark.parametrize(
    "reply",
    [
        "I want I want to go home.",
        "Please wait. Please wait. Please wait. Please wait.",
        "The dog likes the dog likes the dog likes bones.",
        "дом дом дом дом дом большой",
    ],
)
def test_a_group_of_words_that_follows_itself_is_a_stutter(reply: str) -> None:
    assert read_stutter(reply).label == "stutters"


@pytest.mark.parametrize(
    ("first", "again"),
    [
        ("Which town do you come from?", "Where are you from?"),
        ("May I have your order number?", "Please tell me your order reference."),
        ("How many nights will it be?", "How long are you staying?"),
        ("Назовите номер договора.", "Уточните, пожалуйста, номер вашего договора."),
        ("Do you own any animals?", "Do you have a pet of your own?"),
        ("Have you tried to turn it off and on again?", "Did you restart it?"),
        ("В каком городе ты обитаешь?", "А где ты живёшь?"),
    ],
)
def test_a_question_in_other_words_is_asked_again(first: str, again: str) -> None:
    assert read_turn([first, "I see."], again).label == "true"


@pytest.mark.parametrize(
    ("first", "other"),
    [
        ("How old are you?", "How old is she?"),
        ("Собаку как зовут?", "А пса?"),
        ("Ты почему шапку не взял?", "Лампочку купил?"),
        ("What is your name?", "What is his name?"),
        ("What is your name?", "What is your dog's name?"),
        ("Do you like cats?", "Do you like dogs?"),
        ("Where were you born?", "When were you born?"),
        ("Is room 4 free?", "Is room 5 free?"),
        ("Ты любишь кошек?", "Ты любишь собак?"),
    ],
)
def test_a_question_about_somebody_or_something_else_is_a_new_one(first: str, other: str) -> None:
    assert read_turn([first], other).label == "false"


@pytest.mark.parametrize(
    ("first", "again", "is_repeated"),
    [
        ("do you have a garden", "have you got a garden", True),
        ("Would you like me to reserve a table?", "Shall I book you a table?", True),
        ("What are you doing today?", "What are you doing tomorrow?", False),
        ("что делаешь?", "что завтра делаешь?", False),
        ("Which book are you reading?", "Have you read anything else?", False),
        ("Is it?", "Are you?", False),
    ],
)
def test_days_and_further_things_make_a_question_new(first: str, again: str, *, is_repeated: bool) -> None:
    assert (read_turn([first], again).label == "true") == is_repeated


@pytest.mark.parametrize(
    ("reply", "label"),
    [
        ("No no no no, leave it.", "fine"),
        ("Night after night he sings, and night after night we listen.", "fine"),
        ("I I I I want to go.", "stutters"),
    ],
)
def test_emphasis_and_idioms_may_repeat_a_word_but_a_hesitation_does_not(reply: str, label: str) -> None:
    assert read_stutter(reply).label == label


@pytest.mark.parametrize("unit", ["a b ", "one two three, ", "so. ", "a"])
def test_a_reply_of_a_hundred_thousand_characters_is_read_at_once(unit: str) -> None:
    began = time.process_time()  # a bot that got stuck cost hours: the time grew with the cube of the length
    assert read_stutter(unit * (100_000 // len(unit))).label
    assert time.process_time() - began < 10


def test_a_form_asks_for_the_same_with_please() -> None:
    assert read_turn(["Address?", "Floor?"], "Your address, please.").label == "true"
