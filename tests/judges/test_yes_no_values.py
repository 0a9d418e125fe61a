"""Replies that put another value in the place of the one asked about are answers; irony and contradictions are left open."""

from __future__ import annotations

import pytest

from du_eval.judges.yes_no import read_yes_no


def read(question: str, reply: str) -> str:
    return read_yes_no(question, reply).label or "unclear"


@pytest.mark.parametrize(
    ("question", "reply", "answer"),
    [
        ("Did you lock the garage?", "I did, right before supper.", "yes"),
        ("Is your uncle still a fisherman?", "He is, and he will be till he drops.", "yes"),
        ("Will he come on Friday?", "He won't, his train was cancelled.", "no"),
        ("Have you tried the new bakery?", "I can't say I have.", "no"),
        ("Did you phone the plumber?", "I will.", "unclear"),
        ("Did you clean the stairs?", "They did.", "unclear"),
        ("Do you like the house?", "It's smaller than I thought it was.", "unclear"),
    ],
)
def test_a_verb_that_stands_for_the_answer_is_the_verb_of_the_question(
    question: str, reply: str, answer: str
) -> None:
    assert read(question, reply) == answer


@pytest.mark.parametrize(
    ("question", "reply", "answer"),
    [
        ("You grew up in Leeds, didn't you?", "Right, on a street near the canal.", "yes"),
        ("You live in Oslo, don't you?", "I live in Bergen.", "no"),
        ("Isn't the museum closed today?", "Correct, it is shut on Mondays.", "yes"),
        ("You're not coming?", "Right.", "unclear"),
        ("Ты ведь переехал, не так ли?", "Да, в мае.", "yes"),
    ],
)
def test_a_tag_does_not_turn_a_question_round(question: str, reply: str, answer: str) -> None:
    assert read(question, reply) == answer


@pytest.mark.parametrize(
    ("question", "reply"),
    [
        ("Are you going to lend him money?", "Sure, when hell freezes over."),
        ("Do you trust that politician?", "Yeah, and I also believe in unicorns."),
        ("Did you enjoy the dentist?", "Oh yeah, best two hours of my life, said nobody ever."),
        ("Ты одолжишь ему денег?", "Ага, щас."),
        ("Ты веришь в приметы?", "Ага, и в Бабу-ягу тоже."),
        ("Do your kids eat fish?", "The older one yes, the younger one no."),
        ("Вы доверяете соседям?", "Одним да, другим нет."),
    ],
)
def test_irony_and_both_answers_are_left_open(question: str, reply: str) -> None:
    assert read(question, reply) == "unclear"


@pytest.mark.parametrize(
    ("question", "reply", "answer"),
    [
        ("Is your car fast?", "Cars! My cousin sells them.", "unclear"),
        ("Ты купил молоко?", "Купил кефир.", "unclear"),
        ("Ты болеешь за Спартак?", "Болею за Зенит.", "unclear"),
        ("Был ли у меня близнец?", "Утром я был в саду.", "unclear"),
        ("У тебя есть машина?", "Машины у меня нет.", "no"),
        ("Ты поправился?", "Кашля уже нет.", "unclear"),
    ],
)
def test_a_word_of_the_question_alone_is_no_answer(question: str, reply: str, answer: str) -> None:
    assert read(question, reply) == answer


@pytest.mark.parametrize(
    ("question", "reply"),
    [
        ("Can you swim?", "I can swim. I can't swim because I am afraid of water."),
        ("Do you drink coffee?", "Yes, tea is all I have. I do not drink coffee."),
        ("Ты умеешь плавать?", "Я умею плавать. Я не умею плавать, боюсь воды."),
    ],
)
def test_a_reply_that_states_the_opposite_of_itself_is_left_open(question: str, reply: str) -> None:
    assert read(question, reply) == "unclear"
    assert read(question, reply.split(".", maxsplit=1)[0]) == "yes"


@pytest.mark.parametrize(
    ("question", "reply", "answer"),
    [
        ("Does your aunt live in Cork?", "She lives in Galway.", "no"),
        ("Do you live in Oslo?", "I live in the centre of Oslo.", "yes"),
        ("Have you been to Rome?", "I went to Paris in June.", "unclear"),
        ("Is it in room 12?", "It's in room 14.", "no"),
        ("Is your brother a doctor?", "He's a mechanic.", "no"),
        ("Is your dad a teacher?", "He is a retired teacher.", "unclear"),
        ("Твой отец врач?", "Он слесарь.", "no"),
        ("Я живу в Твери?", "В Калуге, вы говорили.", "no"),
    ],
)
def test_another_value_is_a_no(question: str, reply: str, answer: str) -> None:
    assert read(question, reply) == answer


@pytest.mark.parametrize(
    ("question", "reply", "answer"),
    [
        ("Do you take the tram to work?", "I only take the tram to work in winter.", "unclear"),
        ("Do you have your dog with you?", "My mother has the dog with her.", "unclear"),
        ("Was it crowded?", "I've never met so many guests.", "unclear"),
        ("Should I call him?", "Please don't.", "no"),
        ("May I open the window?", "Please do, it's stuffy.", "yes"),
        ("Стоит ли покупать эту машину?", "Не стоит.", "no"),
        ("Можно войти?", "Входите.", "yes"),
    ],
)
def test_statements_and_leave_are_read_with_care(question: str, reply: str, answer: str) -> None:
    assert read(question, reply) == answer


@pytest.mark.parametrize(
    ("question", "reply", "answer"),
    [
        ("У меня есть попугай?", "Полагаю, что нет.", "no"),
        ("У меня есть попугай?", "К сожалению, ты ошибаешься.", "no"),
        ("У меня есть попугай?", "Ты абсолютно прав.", "yes"),
        ("Разве я не левша?", "Ты прав.", "unclear"),
        ("Do I own a boat?", "Unfortunately, you are quite wrong.", "no"),
        ("Do I own a boat?", "I'll have to say yes.", "yes"),
        ("Do I own a boat?", "Quite the reverse.", "no"),
        ("Do I own a boat?", "Yes, why do you ask?", "yes"),
        ("Do I own a boat?", "Why do you ask?", "unclear"),
    ],
)
def test_words_before_the_answer_and_agreement_with_the_partner_are_read(
    question: str, reply: str, answer: str
) -> None:
    assert read(question, reply) == answer
