"""Chatters that say what they were given: predefined lists, a person at the keyboard, small talk."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib.resources import files
from random import Random

from msgspec import Struct, convert

from du_eval.chatters.base import TalkOverError, find_last_prompt
from du_eval.conversation import Conversation, Speaker
from du_eval.parsers.text_files import read_text_file
from du_eval.parsers.yaml_parser import parse_yaml
from du_eval.trust.terminal import neutralise


class Phrases(Struct, frozen=True):
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


@cache
def load_phrases(language: str) -> Phrases:
    """Return what is said in a language."""
    text = files(__package__).joinpath("phrases.yml").read_text(encoding="utf-8")
    return convert(parse_yaml(text, "phrases.yml").root[language], Phrases)


class Predefined(Struct, frozen=True):
    """Says the lines of a list in every dialogue, each of them; what a test says in between takes no line."""

    lines: Sequence[str]

    async def reply(self, conversation: Conversation) -> str:
        """Return the first line that was not said yet."""
        turn = 0
        for said in conversation:
            is_own = turn < len(self.lines) and said.speaker is Speaker.BOT
            turn += is_own and said.text.strip() == self.lines[turn].strip()
        if turn >= len(self.lines):
            raise TalkOverError(f"all {len(self.lines)} predefined lines have been used")
        return self.lines[turn]

    @classmethod
    def from_file(cls, path: str) -> Predefined:
        """Read one line a turn."""
        return cls(tuple(line.strip() for line in read_text_file(path).splitlines() if line.strip()))


class Keyboard(Struct, frozen=True):
    """A person who types."""

    ask: Callable[[str], str] = input

    async def reply(self, conversation: Conversation) -> str:
        """Show what was said last and return what the person types."""
        said = find_last_prompt(conversation)
        if said:
            print(f"them: {neutralise(said)}", file=sys.stderr)
        try:
            return await asyncio.to_thread(self.ask, "you: ")
        except EOFError as error:
            raise TalkOverError("end of input") from error


class SmallTalk(Struct, frozen=True):
    """Our tester between the tests: says something harmless, drawn by seed."""

    seed: str = ""
    language: str = "en"

    async def reply(self, conversation: Conversation) -> str:
        """Return something that was not said yet, as long as there is anything."""
        said = {turn.text for turn in conversation if turn.speaker is Speaker.BOT}
        lines = load_phrases(self.language).small_talk
        left = [line for line in lines if line not in said] or list(lines)
        if not said:
            return lines[0]
        return Random(f"{self.seed}/{len(conversation)}").choice(left)
