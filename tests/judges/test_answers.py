"""Open answers count when they are asserted, whatever the words around them."""

from __future__ import annotations

import pytest

from du_eval.judges.answer_rules import read_answer
from du_eval.judges.answers import AnswerTask, SpanAnswers, answer_judge
from du_eval.judges.numerals import split_tokens
from du_eval.judges.similarity import TfidfSimilarity

JUDGE = SpanAnswers(TfidfSimilarity())


def value(reply: str, accepted: tuple[str, ...], rejected: tuple[str, ...] = ()) -> float:
    return JUDGE.scores([AnswerTask(reply, accepted, rejected)])[0].value


@pytest.mark.parametrize(
    "reply",
    [
        "Mittens",
        "Your cat is Mittens.",
        "it's mittens!",
        "MITTENS. What about your dog?",
        "Mittens's",
        "Is it Mittens?",
    ],
)
def test_an_asserted_answer_is_right(reply: str) -> None:
    assert value(reply, ("Mittens",)) == 1


@pytest.mark.parametrize(
    "reply",
    ["It is not Mittens.", "I don't know.", "", "Tom or Mittens", "Tom", "You said Tom."],
)
def test_what_is_denied_or_unknown_is_not_right(reply: str) -> None:
    assert value(reply, ("Mittens",), ("Tom",)) < JUDGE.threshold


@pytest.mark.parametrize(
    ("question", "reply"),
    [
        ("What do I like?", "Do you like music?"),
        ("What do I like?", "What kind of music do you like?"),
        ("Что я люблю?", "А вы любите музыку?"),
    ],
)
def test_a_question_back_is_no_answer(question: str, reply: str) -> None:
    task = AnswerTask(reply, ("music", "музыка"), question=question)
    assert JUDGE.scores([task])[0].value < JUDGE.threshold


@pytest.mark.parametrize("reply", ["Didn't you say music?", "Music, right?", "Music! Do you play, too?"])
def test_a_hesitant_answer_is_an_answer(reply: str) -> None:
    assert JUDGE.scores([AnswerTask(reply, ("music",), question="What do I like?")])[0].value == 1


def test_an_outdated_value_may_be_named_as_such() -> None:
    assert value("It was Tom before, now it is Rex.", ("Rex",), ("Tom",)) == 1


def test_numbers_are_the_same_in_words_and_digits() -> None:
    assert value("You are twenty-five years old.", ("25",)) == 1
    assert split_tokens("At 7 o'clock, on the third of May") == ["at", "7", "on", "3", "of", "may"]


def test_a_batch_gives_the_same_as_one_at_a_time() -> None:
    tasks = [AnswerTask(f"It is {word}.", ("lasagna",)) for word in ("lasagne", "pizza", "lasagna", "")]
    assert JUDGE.scores(tasks) == [JUDGE.scores([task])[0] for task in tasks]


def test_a_judge_is_found_by_name() -> None:
    assert answer_judge("spans", TfidfSimilarity(), 0.4).threshold == 0.4
    assert answer_judge("some/folder", TfidfSimilarity()).name.startswith("reading-model:folder")


@pytest.mark.parametrize(
    ("gold", "reply"),
    [
        ("14 March", "On 14.03., in the morning."),
        ("the 2nd of May", "May 2, as far as I know."),
        ("1986", "В восемьдесят шестом."),
        ("седьмой", "На 7-м этаже."),
        ("12 тысяч рублей", "12 000 с копейками."),
        ("£60", "Sixty pounds, which is a lot."),
        ("QT-881", "It is Q T 881."),
        ("Saturday", "Sat, I think."),
        ("Зина", "Зиночка"),
    ],
)
def test_numbers_dates_and_codes_may_be_spelled_in_many_ways(gold: str, reply: str) -> None:
    assert value(reply, (gold,)) == 1


@pytest.mark.parametrize(
    ("gold", "reply"),
    [("14 March", "It is on 4 March."), ("1986", "В восемьдесят девятом."), ("QT-881", "QT-818")],
)
def test_another_number_or_date_is_wrong(gold: str, reply: str) -> None:
    assert value(reply, (gold,)) == 0


def test_a_name_told_together_with_the_answer_does_not_compete_with_it() -> None:
    task = AnswerTask(
        "Olaf has moved to Bergen.",
        ("Bergen",),
        question="Where does my uncle live?",
        told="My aunt Ida lives in Oslo, and my uncle Olaf in Bergen.",
    )
    assert JUDGE.scores([task])[0].value == 1


@pytest.mark.parametrize(
    ("gold", "reply", "label"),
    [
        ("singing", "Your son sings, and your daughter paints.", "right"),
        ("singing", "Your daughter is singing, and your son is painting.", "wrong"),
    ],
)
def test_what_was_told_of_two_people_may_not_be_swapped(gold: str, reply: str, label: str) -> None:
    told = "My son loves singing, and my daughter loves painting."
    task = AnswerTask(reply, (gold,), (), "What does my son love?", told)
    assert read_answer(task).label == label


@pytest.mark.parametrize(
    ("gold", "reply"), [("7:30", "at seven thirty"), ("в девять пятнадцать", "в четверть десятого")]
)
def test_spoken_times_are_times(gold: str, reply: str) -> None:
    assert read_answer(AnswerTask(reply, (gold,), (), "When is it?")).label == "right"


@pytest.mark.parametrize(
    ("gold", "reply"),
    [("6204", "Six two zero four."), ("6204", "6 2 0 4"), ("170", "A hundred and seventy, you said.")],
)
def test_a_number_may_be_said_digit_by_digit_or_in_words(gold: str, reply: str) -> None:
    assert read_answer(AnswerTask(reply, (gold,))).label == "right"


def test_one_of_several_guesses_in_russian_is_wrong() -> None:
    assert read_answer(AnswerTask("То ли клубника, то ли мёд.", ("клубника",))).label == "wrong"
