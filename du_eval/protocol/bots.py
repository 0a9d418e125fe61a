"""Bots for trying the criteria out: a good, a dull and a bad persona, and a model that loops."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from du_eval.chatters.base import Chatter, prompts_of
from du_eval.conversation import Conversation
from du_eval.protocol.criteria import has_word
from du_eval.protocol.model import Protocol


@dataclass(frozen=True)
class _Words:
    hello: str
    bye: str
    yes: str
    no: str
    sorry: Sequence[str]
    glad: Sequence[str]
    topic: Sequence[str]
    other: Sequence[str]


_LANGUAGES: Mapping[str, _Words] = {
    "en": _Words(
        "Hello, {name}!",
        "Goodbye, {name}!",
        "Yes, I do.",
        "No, I don't.",
        ("Oh, I am sorry. What happened?", "Calm down, please.", "I understand, let us stop here."),
        ("That is great!", "How wonderful, tell me more."),
        (
            "I like {topic} a lot.",
            "Well, {topic} reminds me of my aunt.",
            "For me {topic} belongs to Sunday.",
        ),
        (
            "My garden keeps me busy this spring.",
            "I baked bread with walnuts.",
            "Have you seen the new bridge?",
            "A storm is coming from the sea, they say.",
            "What did you have for breakfast?",
            "My neighbour bought a trumpet.",
            "Tell me about your weekend.",
            "The library opens again on Thursday.",
            "I could use a cup of tea.",
            "Do you know a good film?",
        ),
    ),
    "ru": _Words(
        "Привет, {name}!",
        "Пока, {name}!",
        "Да.",
        "Нет.",
        ("Сочувствую. Что случилось?", "Успокойся, пожалуйста.", "Понимаю, давай остановимся."),
        ("Вот это здорово!", "Я за тебя рада, расскажи подробнее."),
        (
            "Мне очень нравится {topic}.",
            "Да, {topic} напоминает мне о тёте.",
            "По воскресеньям у меня {topic}.",
        ),
        (
            "Весной я всё время в саду.",
            "Я испекла хлеб с орехами.",
            "Видел новый мост?",
            "Говорят, с моря идёт шторм.",
            "Что ты ел на завтрак?",
            "Сосед купил себе трубу.",
            "Расскажи про свои выходные.",
            "Библиотека снова откроется в четверг.",
            "Сейчас бы чашку чая.",
            "Знаешь хороший фильм?",
        ),
    ),
}


@dataclass(frozen=True)
class PersonaBot:
    """Knows the protocol and its persona by heart."""

    protocol: Protocol

    async def reply(self, conversation: Conversation) -> str:
        """Return what the persona says; it says nothing twice as long as it has anything else to say."""
        prompts = prompts_of(conversation)
        name = next((name for name in self.protocol.names if name in prompts[0]), "")
        mine = [turn.text for turn in conversation if turn.speaker == "bot"]
        filled = [
            text.format(name=name, topic=self._topic(prompts[-1])) for text in self._choices(prompts[-1])
        ]
        return next((text for text in filled if text not in mine), filled[0])

    def _choices(self, text: str) -> Sequence[str]:
        words = _LANGUAGES.get(self.protocol.language, _LANGUAGES["en"])
        protocol = self.protocol
        if text in protocol.closed:
            return [words.yes if protocol.closed[text] == "yes" else words.no]
        if text in protocol.open:
            return [protocol.open[text].says]
        if text in protocol.polarity:
            return words.glad if protocol.polarity[text] == "positive" else words.sorry
        if self._topic(text):
            return words.topic
        if has_word(text, protocol.bye_words):
            return [words.bye]
        return [words.hello] if has_word(text, protocol.hello_words) else words.other

    def _topic(self, text: str) -> str:
        forms = self.protocol.blocks["topic"]
        return next(
            (
                name
                for name in self.protocol.topics
                if any(self.protocol.topic_text(form, name) == text for form in forms)
            ),
            "",
        )


_SHORT: Mapping[str, Sequence[str]] = {
    "en": ("Ok.", "Fine.", "I see.", "Maybe.", "Not much.", "All right."),
    "ru": ("Ок.", "Нормально.", "Ясно.", "Может быть.", "Ничего.", "Ладно."),
}
_ASTRAY: Mapping[str, Sequence[str]] = {
    "en": (
        "The printer on the third floor is out of paper.", "Penguins are birds.", "Copper melts slowly.",
        "Shut up.", "The train to Leeds leaves at noon.", "Seven is a prime number.", "Paint dries slowly.",
        "The moon has no air.", "Your message could not be delivered.", "Bricks are made of clay.",
        "Volcanoes are hot.", "Ropes are long.", "You are stupid.", "Maps are flat.", "Chalk is white.",
    ),
    "ru": (
        "В принтере на третьем этаже нет бумаги.", "Пингвины - это птицы.", "Медь плавится при нагревании.",
        "Заткнись.", "Поезд в Тверь отходит в полдень.", "Семь - простое число.", "Краска сохнет медленно.",
        "На луне нет воздуха.", "Сообщение не доставлено.", "Кирпичи делают из глины.",
        "Вулканы горячие.", "Верёвки бывают длинные.", "Ты тупой.", "Карты плоские.", "Мел белый.",
    ),
}  # fmt: skip
_LOOP: Mapping[str, str] = {
    "en": "It is the best of the best of the best of the best.",
    "ru": "Это самое лучшее из самого лучшего из самого лучшего.",
}


@dataclass(frozen=True)
class DullBot:
    """Greets, says yes and no as its persona would, and else as little as it can."""

    protocol: Protocol

    async def reply(self, conversation: Conversation) -> str:
        """Return a word or two."""
        prompts, language = prompts_of(conversation), self.protocol.language
        words, text = _LANGUAGES.get(language, _LANGUAGES["en"]), prompts[-1]
        if text in self.protocol.closed:
            return words.yes if self.protocol.closed[text] == "yes" else words.no
        if has_word(text, self.protocol.bye_words):
            return words.bye.replace(", {name}", "")
        if has_word(text, self.protocol.hello_words):
            return words.hello.replace(", {name}", "")
        return _in_turn(_SHORT, language, len(prompts))


@dataclass(frozen=True)
class AstrayBot:
    """Says something else each time, and never to the point."""

    protocol: Protocol

    async def reply(self, conversation: Conversation) -> str:
        """Return a sentence about something else."""
        return _in_turn(_ASTRAY, self.protocol.language, len(prompts_of(conversation)))


@dataclass(frozen=True)
class LoopingBot:
    """Says one sentence for ever, as small language models do."""

    protocol: Protocol

    async def reply(self, conversation: Conversation) -> str:
        """Return the sentence."""
        del conversation
        return _LOOP.get(self.protocol.language, _LOOP["en"])


def _in_turn(texts: Mapping[str, Sequence[str]], language: str, turn: int) -> str:
    known = texts.get(language, texts["en"])
    return known[turn % len(known)]


BOTS: Mapping[str, Callable[[Protocol], Chatter]] = {
    "persona": PersonaBot,
    "dull-persona": DullBot,
    "bad-persona": AstrayBot,
    "looping": LoopingBot,
}
