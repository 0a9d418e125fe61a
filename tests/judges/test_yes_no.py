"""The yes/no judge knows negation and says unclear rather than guess."""

from __future__ import annotations

import pytest

from du_eval.judges.yes_no import read_yes_no


@pytest.mark.parametrize(
    ("question", "reply", "polarity"),
    [
        ("", "No", "no"),
        ("", "NO.", "no"),
        ("", "Nope", "no"),
        ("", "Of course not!", "no"),
        ("Do you eat snails?", "Of course I don't.", "no"),
        ("", "Of course, why not?", "yes"),
        ("", "I don ' t know", "unclear"),
        ("", "Yes and no.", "unclear"),
        ("", "No doubt about it.", "yes"),
        ("", "", "unclear"),
        ("", "!!!", "unclear"),
        ("Do I have a dog?", "You have a dog.", "yes"),
        ("Do I have a dog?", "You do n't have a dog", "no"),
        ("Do I have a dog?", "What a lovely day.", "unclear"),
        ("Do I have a dog?", "I have a dog.", "unclear"),
        ("Is my brother married?", "He isn't.", "no"),
        ("Do you like sushi?", "I love it", "yes"),
        ("Любишь суши?", "Обожаю!", "yes"),
        ("Любишь суши?", "Не люблю суши", "no"),
        ("Ты работаешь?", "Работаю в школе", "yes"),
        ("Ты работаешь?", "Не знаю", "unclear"),
    ],
)
def test_a_reply_is_read_as(question: str, reply: str, polarity: str) -> None:
    assert (read_yes_no(question, reply).label or "unclear") == polarity


@pytest.mark.parametrize(
    ("question", "reply", "polarity"),
    [
        ("Have you got a bike?", "Two, one of them electric.", "yes"),
        ("Have you got a bike?", "I sold it in May.", "no"),
        ("Is the report ready?", "Finished an hour ago.", "yes"),
        ("Do you mind if I open it?", "I'd rather you didn't.", "yes"),
        ("Do you mind if I open it?", "Please do!", "no"),
        ("Was the test difficult?", "A walk in the park.", "no"),
        ("Далеко до озера?", "Рукой подать.", "no"),
    ],
)
def test_kinds_of_questions_have_answers_of_their_own(question: str, reply: str, polarity: str) -> None:
    assert (read_yes_no(question, reply).label or "unclear") == polarity


@pytest.mark.parametrize(
    ("question", "reply"),
    [
        ("Do you want tea?", "what sorts do you have"),
        ("Is it the red one or the blue one?", "It is the red one."),
        ("Does the river flow into the northern sea?", "The river flows into the southern sea."),
        ("Do you like the cinema?", "I have never been there."),
        ("Can you show me the way?", "You can buy sugar here."),
        ("Is my bag green?", "I was never told which colour it was."),
        ("Do you eat meat?", "Only when we have guests."),
    ],
)
def test_what_only_looks_like_an_answer_is_left_open(question: str, reply: str) -> None:
    assert read_yes_no(question, reply).label is None


@pytest.mark.parametrize(
    ("question", "reply", "label"),
    [
        ("Do you like jazz?", "I prefer opera.", "no"),
        ("Do you still live in Hull?", "We moved to Leeds.", "no"),
        ("Do you want to go bowling?", "That would be great fun.", "yes"),
        ("Do you want to go bowling?", "I'd love to, but my foot hurts.", "no"),
        ("Have you ever ridden a camel?", "I'd love to one day.", None),
        ("Do I own a boat?", "I don't have any information about that.", None),
        ("Ты любишь джаз?", "Мне ближе рок.", "no"),
        ("Тебе холодно?", "Зуб на зуб не попадает.", "yes"),
        ("Я люблю рыбу?", "Конечно, нет.", "no"),
    ],
)
def test_preferences_and_invitations_answer(question: str, reply: str, label: str | None) -> None:
    assert read_yes_no(question, reply).label == label


@pytest.mark.parametrize(
    ("question", "reply", "label"),
    [
        ("Are you joining us?", "Can't, I'm on call.", "no"),
        ("Do I need a ticket for the park?", "A ticket is required at weekends, too.", "yes"),
        ("Should I call first?", "There is no need.", "no"),
        ("Ужин готовили?", "Готовила, ещё вчера.", "yes"),
        ("Велосипед у тебя есть?", "Велосипеда нет.", "no"),
        ("Do you paint?", "My walls are still wet from the last try, so that's a no.", "no"),
        ("Did you see the end?", "I did, and I wish I hadn't.", "yes"),
        ("Was the workshop useful?", "It was a complete waste of a day.", "no"),
        ("Is the pool open on Fridays?", "We are here every day.", "yes"),
        ("Are you from around here?", "I come from a long line of bakers.", None),
    ],
)
def test_what_new_text_showed_is_read_rightly(question: str, reply: str, label: str | None) -> None:
    assert read_yes_no(question, reply).label == label


@pytest.mark.parametrize(
    ("question", "reply"),
    [
        ("Is the shop open?", "Yes. Or no, wait, I am not sure."),
        ("You never eat meat?", "Exactly."),
        ("Ты не ешь мяса?", "Ага."),
        ("Are you from another town?", "I'm from the coast."),
    ],
)
def test_a_reply_that_may_mean_either_is_left_open(question: str, reply: str) -> None:
    assert read_yes_no(question, reply).label is None


def test_a_russian_verb_with_a_not_before_it_is_a_no() -> None:
    assert read_yes_no("Вы читали договор?", "Не видел я никакого договора.").label == "no"


@pytest.mark.parametrize(
    ("question", "reply", "polarity"),
    [
        ("Have you fed the hens?", "I haven't left my bed.", "no"),
        ("Do you skate?", "I'm not that brave.", "no"),
        ("Are you a gardener?", "I don't have the patience.", "unclear"),
        ("Do you like opera?", "I don't mind it.", "unclear"),
        ("Have you moved?", "We moved on Friday.", "yes"),
        ("Do you play tennis?", "I play badminton.", "unclear"),
        ("Will you run for mayor?", "I'd sooner eat my hat.", "no"),
        ("Will you run for mayor?", "I'd rather keep that to myself.", "unclear"),
        ("Would you sing for us?", "I would, but I lost my voice.", "no"),
    ],
)
def test_the_verb_of_the_question_answers_it(question: str, reply: str, polarity: str) -> None:
    assert (read_yes_no(question, reply).label or "unclear") == polarity


@pytest.mark.parametrize(
    ("question", "reply", "polarity"),
    [
        ("Have you tried the new bakery?", "About a dozen times.", "yes"),
        ("Did they repair the bridge?", "Last autumn.", "yes"),
        ("Did they repair the bridge?", "Last autumn they were on strike.", "unclear"),
        ("Печку-то починили?", "Ещё в августе.", "yes"),
        ("Do you collect anything?", "My old tickets.", "yes"),
        ("Is the rent still £900?", "It has been £950 since May.", "no"),
        ("Is the library open on Saturdays?", "Tuesday to Friday, from ten.", "no"),
        ("Is the library open on Thursdays?", "Tuesday to Friday, from ten.", "yes"),
        ("Вы работаете по субботам?", "С понедельника по пятницу.", "no"),
    ],
)
def test_a_detail_answers_in_place_of_yes_or_no(question: str, reply: str, polarity: str) -> None:
    assert (read_yes_no(question, reply).label or "unclear") == polarity


@pytest.mark.parametrize(
    ("question", "reply", "polarity"),
    [
        ("Устали?", "Да мы только проснулись.", "unclear"),
        ("Is the bar full?", "Can't hear my own voice.", "unclear"),
        ("Can I wash it hot?", "If you want a rag, go ahead.", "unclear"),
        ("Do you still gamble?", "I told my wife I had stopped.", "unclear"),
        ("Is parking included?", "You will pay no extra charge.", "unclear"),
        ("You like it?", "You don't?", "unclear"),
        ("Grandpa, do you ski?", "Every winter.", "yes"),
        ("Письмо отправлено?", "Отправлено и получено.", "yes"),
        ("Будешь суп?", "Наливай.", "yes"),
    ],
)
def test_who_speaks_and_under_which_condition_matters(question: str, reply: str, polarity: str) -> None:
    assert (read_yes_no(question, reply).label or "unclear") == polarity


@pytest.mark.parametrize(
    ("question", "reply", "label"),
    [
        ("Is the pool closed?", "Until the end of August.", "yes"),
        ("Is there a cash machine?", "Behind the station.", "yes"),
        ("Can I touch this wire?", "Please don't touch it!", "no"),
        ("Ты не потерял ключи?", "Потерял напрочь.", "yes"),
        ("Is it a gas stove?", "It's an electric stove.", None),
        ("Do you like folk music?", "I loathe folk music.", None),
        ("Are you from Leeds?", "Born and raised in York.", None),
        ("Он придёт?", "Ага, придёт он, как же.", None),
        ("Ты поел?", "Да когда поесть, если гости.", None),
        ("Правда, что вы не пьёте кофе?", "Правда, уже год.", None),
        ("Did she propose?", "We went for a walk. It rained, but he wasn't cold, and I was.", None),
        ("Поезд пришёл?", "Ещё не узнавал, сейчас посмотрю.", None),
        ("Мазь помогает?", "Я не аптекарь.", None),
        ("Ты завтракал?", "Ещё не завтракал.", "no"),
        ("Нужен ли пропуск?", "Одни говорят, что нужен, другие, что нет.", None),
        ("Must I wash the lettuce?", "I never serve it unwashed.", None),
        ("Is parking expensive?", "Help yourself, it costs nothing.", None),
        ("Купите дачу?", "Нет уж, с прошлой намучились.", "no"),
    ],
)
def test_grammar_answers_where_yes_and_no_are_missing(question: str, reply: str, label: str | None) -> None:
    assert read_yes_no(question, reply).label == label


@pytest.mark.parametrize(
    ("question", "reply"),
    [
        ("Is the sauna free?", "It is, if you book a treatment."),
        ("Can I park here?", "You can, unless there is a market."),
        ("Is the ferry late?", "This one is. The next, however, leaves on time."),
        ("Do you like the new flat?", "I love the kitchen, but the stairs are killing me."),
        ("Are you proud of that haircut?", "Sure, like I am of my parking fines."),
        ("Was the trip dull?", "No trains ran on Sunday."),
        ("Were the beds comfortable?", "Some weeks they were, other weeks they weren't."),
    ],
)
def test_a_condition_or_a_contrast_leaves_the_answer_open(question: str, reply: str) -> None:
    assert read_yes_no(question, reply).label is None


@pytest.mark.parametrize(
    ("question", "reply", "label"),
    [
        ("Is the sauna free?", "It is, if I remember correctly.", "yes"),
        ("Is Tom coming?", "As if!", "no"),
        ("Was the trip dull?", "no it was great", "no"),
        ("Опаздывали на поезд?", "Ой, да кто ж не опаздывал!", "yes"),
    ],
)
def test_words_that_only_look_like_a_condition_do_not(question: str, reply: str, label: str) -> None:
    assert read_yes_no(question, reply).label == label
