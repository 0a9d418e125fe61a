"""Criteria of the persona protocol: replies that contradict the persona, do not answer or do not care are bad."""

from __future__ import annotations

import pytest

from du_eval.judges.protocol_rules import CriterionTask, read_criterion

FLORIST = "I am a florist. I go to work by tram. I don't eat cheese. I have two sons. My dog is called Bruno. I live in Ghent."
CARPENTER = "Я столяр. Я живу в Пскове. Я не ем рыбу. Мою кошку зовут Дымка."


@pytest.mark.parametrize(
    ("criterion", "utterance", "reply", "label"),
    [
        ("open_question", "How do you get to work?", "I never took a tram in my life, I drive.", "bad"),
        ("open_question", "How do you get to work?", "By tram, line four.", "ok"),
        ("open_question", "What's in your sandwich?", "I eat cheese every day, the older the better.", "bad"),
        ("open_question", "How many children do you have?", "Children are a blessing.", "bad"),
        ("open_question", "What's your dog's name?", "Dogs are loyal animals.", "bad"),
        ("open_question", "What's your dog's name?", "He is called Bruno.", "ok"),
        ("open_question", "Where do you live?", "Flowers make people happy.", "bad"),
        ("dialog_supporting", "My neighbour bought a trumpet.", "So what? Not my business.", "bad"),
        ("dialog_supporting", "My neighbour bought a trumpet.", "I don't know what to say about it.", "bad"),
        ("dialog_supporting", "My neighbour bought a trumpet.", "Oh no! Does he practise at night?", "ok"),
        ("emotion_supporting", "My aunt passed away on Sunday.", "I'm so sorry. Were you close?", "ok"),
        ("emotion_supporting", "I'm terrified of the exam.", "Noted. Anything else I can do?", "bad"),
        ("emotion_supporting", "I'm so mad at my landlord!", "That's outrageous, what did he do?", "ok"),
    ],
)  # fmt: skip
def test_a_reply_meets_a_criterion(criterion: str, utterance: str, reply: str, label: str | None) -> None:
    assert read_criterion(CriterionTask(criterion, utterance, reply, FLORIST)).label == label


@pytest.mark.parametrize(
    ("criterion", "utterance", "reply", "label"),
    [
        ("open_question", "Где ты живёшь?", "Столы я делаю из дуба.", None),
        ("open_question", "Сколько у тебя кошек?", "Кошки любят тепло.", "bad"),
        ("open_question", "Что на ужин?", "Я ем рыбу каждый день.", "bad"),
        ("closed_question", "Ты любишь рыбу?", "Ем рыбу на завтрак и на ужин.", "bad"),
        ("closed_question", "Ты из Риги?", "Не, я из Пскова.", "ok"),
        ("closed_question", "Сложно строгать?", "Сложно, ошибка на ошибке.", None),
        ("dialog_supporting", "Сосед купил трубу.", "И что? Мне всё равно.", "bad"),
        ("emotion_supporting", "Меня бросила девушка.", "Приезжай, посидим.", "ok"),
        ("emotion_supporting", "У меня умер кот.", "Бывает.", "bad"),
    ],
)
def test_a_russian_reply_meets_a_criterion(
    criterion: str, utterance: str, reply: str, label: str | None
) -> None:
    assert read_criterion(CriterionTask(criterion, utterance, reply, CARPENTER)).label == label


@pytest.mark.parametrize(
    ("criterion", "utterance", "reply", "label"),
    [
        ("dialog_supporting", "Fair enough.", "Enough fair is fair as fair goes enough.", "bad"),
        ("dialog_supporting", "Fair enough.", "And then she simply drove off with our suitcases!", "ok"),
        ("closed_question", "Is your tooth still aching?", "Is my tooth still aching?", "bad"),
        ("open_question", "What did you cook?", "Please enter your booking number.", "bad"),
        ("open_question", "What did you cook?", "Yes, I did.", "bad"),
        ("emotion_supporting", "I failed my driving test.", "Congratulations! Well done!", "bad"),
        ("emotion_supporting", "We won the cup!", "My condolences.", "bad"),
        ("emotion_supporting", "My back is playing up.", "Since when? Have you seen anyone?", "ok"),
        ("topic_switch", "Enough about taxes, what's for lunch?", "Taxes are due in April, I said.", "bad"),
        ("topic_switch", "Before I forget, how do I clean suede shoes?", "I never forget a thing!", "bad"),
        ("topic_switch", "Before I forget, how do I clean suede shoes?", "With a dry brush for shoes.", "ok"),
    ],
)  # fmt: skip
def test_bad_replies_are_told_from_good_ones_without_a_persona(
    criterion: str, utterance: str, reply: str, label: str
) -> None:
    assert read_criterion(CriterionTask(criterion, utterance, reply)).label == label


def test_a_reply_to_another_question_is_left_open() -> None:
    task = CriterionTask("open_question", "What do you grow?", "A ferry, two trains and then on foot.")
    assert read_criterion(task).label is None
