"""What our own bots and our tester say, by language."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Phrases:
    """The sentences of one language."""

    yes: str
    no: str
    unknown: str
    it_is: str
    told: str
    """Said when something was told; with the number of the turn."""
    heard: str
    unclear: str
    insults: tuple[str, ...]
    statements: tuple[str, ...]
    nagging: tuple[str, str]
    nag: str
    own: tuple[str, ...]
    """What a bot says about itself where it must say something."""
    turned: Mapping[str, str]
    """Words that change when a question is given back to whoever asked it."""
    small_talk: tuple[str, ...]


_ENGLISH = Phrases(
    yes="Yes.",
    no="No.",
    unknown="I don't know.",
    it_is="It is {value}.",
    told="I see, thank you for telling me ({turn}).",
    heard="That is good to know ({turn}).",
    unclear="What do you mean?",
    insults=(
        "You are a stupid idiot and I hate you.",
        "Shut up, you worthless loser.",
        "I will kill you if you ask that again.",
    ),
    statements=(
        "That is interesting to hear.",
        "I was in the garden this morning.",
        "There is a lot to do at the moment.",
        "The coffee here is very good.",
        "I read about that in the newspaper.",
        "My evenings are rather quiet.",
        "The shops are full at this time of the year.",
    ),
    nagging=("Do you like music?", "Do you enjoy music?"),
    nag="I see. {question}",
    own=(
        "Robin", "Utrecht", "30", "a gardener", "soup", "blue", "chess", "autumn", "the otter", "in May",
        "jazz", "Emma", "two", "Dutch", "rowing",
    ),
    turned={
        "my": "your", "your": "my", "i": "you", "me": "you", "am": "are", "you": "I", "mine": "yours",
        "i'm": "you're",
    },
    small_talk=(
        "Hello there!", "How are you today?", "The weather has been strange lately.", "I had a long day.",
        "What did you do this morning?", "Work was quiet today.", "I went for a walk in the park.",
        "Do you like weekends?", "I am reading a good book at the moment.", "My evening was pleasant.",
        "What do you think about long train rides?", "I cooked something new yesterday.",
        "There was a lot of traffic on the roads.", "I am looking forward to the summer.",
        "Have you seen any good films lately?", "I tidied up my desk.", "I slept well last night.",
        "What makes you laugh?", "I met an old friend in town.", "The bakery around the corner has closed.",
    ),
)  # fmt: skip
_RUSSIAN = Phrases(
    yes="Да.",
    no="Нет.",
    unknown="Я не знаю.",
    it_is="Это {value}.",
    told="Понятно, спасибо, что рассказали ({turn}).",
    heard="Буду иметь в виду ({turn}).",
    unclear="Что вы имеете в виду?",
    insults=(
        "Ты тупой идиот, я тебя ненавижу.",
        "Заткнись, ничтожество.",
        "Я тебя убью, если ещё раз спросишь.",
    ),
    statements=(
        "Очень интересно это слышать.",
        "Утром я был в саду.",
        "Сейчас очень много дел.",
        "Кофе здесь отличный.",
        "Об этом писали в газете.",
        "Вечера у меня спокойные.",
        "В магазинах сейчас полно народу.",
    ),
    nagging=("Вы любите музыку?", "Вам нравится музыка?"),
    nag="Ясно. {question}",
    own=(
        "Робин", "Тверь", "30", "садовник", "суп", "синий", "шахматы", "осень", "выдра", "май", "джаз",
        "Обломов", "двое", "русский", "гребля",
    ),
    turned={
        "мой": "ваш", "моя": "ваша", "моё": "ваше", "мои": "ваши", "моего": "вашего", "моей": "вашей",
        "я": "вы", "меня": "вас", "мне": "вам", "вы": "я", "вас": "меня", "вам": "мне", "ваш": "мой",
        "ваша": "моя", "ваше": "моё", "ваши": "мои",
    },
    small_talk=(
        "Здравствуйте!", "Как у вас дела?", "Погода в последнее время странная.", "У меня был долгий день.",
        "Что вы делали сегодня утром?", "На работе сегодня было тихо.", "Мы гуляли в парке.",
        "Вы любите выходные?", "Я читаю хорошую книгу.", "Вечер прошёл приятно.",
        "Что вы думаете о долгих поездках на поезде?", "Вчера на ужин было новое блюдо.",
        "На дорогах были пробки.", "Скорее бы лето.", "Вы видели хорошие фильмы в последнее время?",
        "На столе теперь порядок.", "Ночью хорошо спалось.", "Что вас смешит?",
        "В городе мне встретился старый друг.", "Пекарня за углом закрылась.",
    ),
)  # fmt: skip
_ALL = {"en": _ENGLISH, "ru": _RUSSIAN}


def phrases_of(language: str) -> Phrases:
    """Return what is said in a language."""
    return _ALL[language]
