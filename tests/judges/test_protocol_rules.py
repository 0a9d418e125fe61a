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
        ("open_question", "How many sons do you have?", "Two, and they never stop talking.", None),
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
        ("closed_question", "Ты из Риги?", "Не, я из Пскова.", None),
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
