"""A bot that behaves as the protocol wishes: what a good persona would say, for trying the criteria out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from du_eval.chatters.base import prompts_of
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
