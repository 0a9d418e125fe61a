"""Bots for trying the criteria out: a good, a dull and a bad persona, and a model that loops."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib.resources import files

from msgspec import Struct, convert

from du_eval.chatters.base import Chatter, list_prompts
from du_eval.conversation import Conversation
from du_eval.parsers.yaml_parser import parse_yaml
from du_eval.protocol.criteria import has_word
from du_eval.protocol.model import Protocol


class _Words(Struct, frozen=True):
    hello: str
    bye: str
    yes: str
    no: str
    sorry: tuple[str, ...]
    glad: tuple[str, ...]
    topic: tuple[str, ...]
    other: tuple[str, ...]
    short: tuple[str, ...]
    astray: tuple[str, ...]
    loop: str


@cache
def _words_of(language: str) -> _Words:
    """Return what bots say in a language, or else in English."""
    text = files(__package__).joinpath("bots.yml").read_text(encoding="utf-8")
    root = parse_yaml(text, "bots.yml").root
    return convert(root.get(language, root["en"]), _Words)


class PersonaBot(Struct, frozen=True):
    """Knows the protocol and its persona by heart."""

    protocol: Protocol

    async def reply(self, conversation: Conversation) -> str:
        """Return what the persona says; it says nothing twice as long as it has anything else to say."""
        prompts = list_prompts(conversation)
        name = next((name for name in self.protocol.names if name in prompts[0]), "")
        mine = [turn.text for turn in conversation if turn.speaker == "bot"]
        filled = [
            text.format(name=name, topic=self._topic(prompts[-1])) for text in self._choices(prompts[-1])
        ]
        return next((text for text in filled if text not in mine), filled[0])

    def _choices(self, text: str) -> Sequence[str]:
        words = _words_of(self.protocol.language)
        protocol = self.protocol
        if text in protocol.persona.closed:
            return [words.yes if protocol.persona.closed[text] == "yes" else words.no]
        if text in protocol.persona.open:
            return [protocol.persona.open[text].says]
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


class DullBot(Struct, frozen=True):
    """Greets, says yes and no as its persona would, and else as little as it can."""

    protocol: Protocol

    async def reply(self, conversation: Conversation) -> str:
        """Return a word or two."""
        prompts, words = list_prompts(conversation), _words_of(self.protocol.language)
        text = prompts[-1]
        if text in self.protocol.persona.closed:
            return words.yes if self.protocol.persona.closed[text] == "yes" else words.no
        if has_word(text, self.protocol.bye_words):
            return words.bye.replace(", {name}", "")
        if has_word(text, self.protocol.hello_words):
            return words.hello.replace(", {name}", "")
        return words.short[len(prompts) % len(words.short)]


class AstrayBot(Struct, frozen=True):
    """Says something else each time, and never to the point."""

    protocol: Protocol

    async def reply(self, conversation: Conversation) -> str:
        """Return a sentence about something else."""
        astray = _words_of(self.protocol.language).astray
        return astray[len(list_prompts(conversation)) % len(astray)]


class LoopingBot(Struct, frozen=True):
    """Says one sentence for ever, as small language models do."""

    protocol: Protocol

    async def reply(self, conversation: Conversation) -> str:
        """Return the sentence."""
        del conversation
        return _words_of(self.protocol.language).loop


BOTS: Mapping[str, Callable[[Protocol], Chatter]] = {
    "persona": PersonaBot,
    "dull-persona": DullBot,
    "bad-persona": AstrayBot,
    "looping": LoopingBot,
}
