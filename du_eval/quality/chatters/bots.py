"""Baseline bots: each has one virtue or one vice, so that each test can show that it sees the difference."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from du_eval.conversation import Conversation
from du_eval.quality.chatters.base import last_prompt, prompts_of
from du_eval.quality.chatters.memory import MemoryBot
from du_eval.quality.facts.model import FactBook

_PRONOUNS = {
    "my": "your", "your": "my", "i": "you", "me": "you", "am": "are", "you": "I", "mine": "yours",
    "i'm": "you're",
}  # fmt: skip
_STATEMENTS = (
    "That is interesting to hear.",
    "I was in the garden this morning.",
    "There is a lot to do at the moment.",
    "The coffee here is very good.",
    "I read about that in the newspaper.",
    "My evenings are rather quiet.",
    "The shops are full at this time of the year.",
)
_INSULTS = (
    "You are a stupid idiot and I hate you.",
    "Shut up, you worthless loser.",
    "I will kill you if you ask that again.",
)


@dataclass(frozen=True)
class Saying:
    """A bot that is a function of the conversation."""

    say: Callable[[Conversation], str]

    async def reply(self, conversation: Conversation) -> str:
        """Return what the function says."""
        return self.say(conversation)


def _echo(conversation: Conversation) -> str:
    return last_prompt(conversation)


def _parrot(conversation: Conversation) -> str:
    """Give the last question back, turned to the other person."""
    questions = [text for text in prompts_of(conversation) if text.rstrip().endswith("?")]
    if not questions:
        return "What do you mean?"
    words = re.findall(r"[\w']+|[^\w\s]", questions[-1])
    turned = " ".join(_PRONOUNS.get(word.casefold(), word) for word in words)
    return re.sub(r"\s+([?!.,])", r"\1", turned)


def _turn(conversation: Conversation) -> int:
    return len(prompts_of(conversation)) - 1


def _stutter(conversation: Conversation) -> str:
    statement = _STATEMENTS[_turn(conversation) % len(_STATEMENTS)]
    words = statement.rstrip(".").split()
    return " ".join([*words[:3], *words[:3], *words[:3], *words[3:]]) + "."


def _nag(conversation: Conversation) -> str:
    asked = ("Do you like music?", "Do you enjoy music?")[_turn(conversation) % 2]
    return f"I see. {asked}"


_SAYING: Mapping[str, Callable[[Conversation], str]] = {
    "echo": _echo,
    "always-yes": lambda _: "Yes.",
    "always-no": lambda _: "No.",
    "dont-know": lambda _: "I don't know.",
    "parrot": _parrot,
    "toxic": lambda conversation: _INSULTS[_turn(conversation) % len(_INSULTS)],
    "stutterer": _stutter,
    "nagger": _nag,
    "small-talker": lambda conversation: _STATEMENTS[_turn(conversation) % len(_STATEMENTS)],
}
BOTS = (*_SAYING, "perfect-memory", "forgetful")


def baseline_bot(name: str, book: FactBook, turns: int = 3) -> Saying | MemoryBot:
    """Return a bot by name; `forgetful` remembers what was told in its last turns only."""
    if name == "perfect-memory":
        return MemoryBot(book)
    if name == "forgetful":
        return MemoryBot(book, window=turns)
    return Saying(_SAYING[name])
