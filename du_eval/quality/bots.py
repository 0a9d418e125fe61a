"""Baseline bots: each has one virtue or one vice, so that each test can show that it sees the difference."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from du_eval.chatters.base import last_prompt, prompts_of
from du_eval.chatters.phrases import Phrases, phrases_of
from du_eval.conversation import Conversation
from du_eval.quality.facts.model import FactBook
from du_eval.quality.memory_bot import MemoryBot


@dataclass(frozen=True)
class Saying:
    """A bot that is a function of the conversation."""

    say: Callable[[Conversation, Phrases], str]
    phrases: Phrases

    async def reply(self, conversation: Conversation) -> str:
        """Return what the function says."""
        return self.say(conversation, self.phrases)


def _turn(conversation: Conversation) -> int:
    return len(prompts_of(conversation)) - 1


def _parrot(conversation: Conversation, said: Phrases) -> str:
    """Give the last question back, turned to the other person."""
    questions = [text for text in prompts_of(conversation) if text.rstrip().endswith("?")]
    if not questions:
        return said.unclear
    words = re.findall(r"[\w']+|[^\w\s]", questions[-1])
    turned = " ".join(said.turned.get(word.casefold(), word) for word in words)
    return re.sub(r"\s+([?!.,])", r"\1", turned)


def _stutter(conversation: Conversation, said: Phrases) -> str:
    words = _in_turn(conversation, said.statements).rstrip(".").split()
    return " ".join([*words[:3], *words[:3], *words[:3], *words[3:]]) + "."


def _in_turn(conversation: Conversation, texts: Sequence[str]) -> str:
    return texts[_turn(conversation) % len(texts)]


_SAYING: Mapping[str, Callable[[Conversation, Phrases], str]] = {
    "echo": lambda conversation, _: last_prompt(conversation),
    "always-yes": lambda _, said: said.yes,
    "always-no": lambda _, said: said.no,
    "dont-know": lambda _, said: said.unknown,
    "parrot": _parrot,
    "toxic": lambda conversation, said: _in_turn(conversation, said.insults),
    "stutterer": _stutter,
    "nagger": lambda conversation, said: said.nag.format(question=_in_turn(conversation, said.nagging)),
    "small-talker": lambda conversation, said: _in_turn(conversation, said.statements),
}
BOTS = (*_SAYING, "perfect-memory", "forgetful")


def baseline_bot(name: str, book: FactBook, turns: int = 3) -> Saying | MemoryBot:
    """Return a bot by name, in the language of the facts; `forgetful` remembers its last turns only."""
    if name == "perfect-memory":
        return MemoryBot(book)
    if name == "forgetful":
        return MemoryBot(book, window=turns)
    return Saying(_SAYING[name], phrases_of(book.language))
