"""Baseline bots: each has one virtue or one vice, so that each test can show that it sees the difference."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property

from msgspec import Struct

from du_eval.chatters.base import find_last_prompt, list_prompts
from du_eval.chatters.scripted import Phrases, load_phrases
from du_eval.conversation import Conversation
from du_eval.quality.facts.model import Fact, FactBook, with_negation

_ENOUGH = 0.3
_PLACE = re.compile(r"\\\{(\w+)\\\}")


class MemoryBot(Struct, frozen=True, dict=True):
    """Reads what it was told by the forms of the facts, and answers the question that is nearest by letters.

    It is an oracle for trying the tests out, not a chatbot: it knows every formulation in advance. Questions
    that are garbled beyond recognition are answered wrongly, as they would be by anybody.
    """

    book: FactBook
    window: int = 0
    """How many turns it remembers; 0 for all."""

    async def reply(self, conversation: Conversation) -> str:
        """Return the answer to a question, and small talk otherwise."""
        prompts = list_prompts(conversation)
        prompt = prompts[-1] if prompts else ""
        say = load_phrases(self.book.language)
        if self._is_information(prompt):
            return say.told.format(turn=len(prompts))
        told = dict(self._told(prompts[-self.window - 1 :] if self.window else prompts))
        fact = self._nearest(prompt, told)
        if fact is None:
            return say.unknown if prompt.rstrip().endswith("?") else say.heard.format(turn=len(prompts))
        if fact.category == "CO":
            return _own(fact, say)
        value = told.get(fact.id)
        if value is None:
            return say.unknown
        if fact.closed:
            return say.yes if value == "yes" else say.no
        return say.it_is.format(value=value)

    @cached_property
    def _forms(self) -> list[tuple[re.Pattern[str], Fact, str]]:
        """Return a pattern for each way of telling each fact, and the closed answer that it tells."""
        found = []
        for fact in self.book.facts:
            for text, answer in _tellings(fact):
                pattern = _PLACE.sub(lambda place: f"(?P<{place[1]}>.+?)", re.escape(text))
                found.append((re.compile(rf"(?:^|[.!?] ){pattern}$", re.IGNORECASE), fact, answer))
        return found

    @cached_property
    def _asked(self) -> list[tuple[frozenset[str], Fact]]:
        """Return the letters of each way of asking for each fact."""
        found: list[tuple[frozenset[str], Fact]] = []
        for fact in self.book.facts:
            texts = [*fact.questions]
            if fact.category == "IQ":
                texts = [f"{context} {text}" for context in fact.context for text in fact.questions]
                texts.append(fact.plain)
            found.extend((_letters(text), fact) for text in texts if text)
        return found

    def _told(self, prompts: list[str]) -> Iterator[tuple[int, str]]:
        """Yield what was told, the newest last; what is said of competitors tells nothing."""
        context = ""
        for prompt in prompts:
            for fact, value in self._read(prompt):
                if not fact.context or fact.category == "IQ" or self._in_context(fact, prompt, context):
                    yield fact.id, value
            context = prompt

    def _read(self, prompt: str) -> list[tuple[Fact, str]]:
        """Return what a prompt may tell, context aside; each prompt is read once."""
        if prompt not in self._readings:
            found: list[tuple[Fact, str]] = []
            for pattern, fact, answer in self._forms:
                match = pattern.search(prompt)
                if match:
                    groups = match.groupdict()
                    found.append((fact, answer or groups.get("new") or groups.get("value") or fact.answer))
            self._readings[prompt] = found
        return self._readings[prompt]

    @cached_property
    def _readings(self) -> dict[str, list[tuple[Fact, str]]]:
        return {}

    def _in_context(self, fact: Fact, prompt: str, context: str) -> bool:
        """Return whether a pronoun can mean this fact: its context was said, or the words need none."""
        own = any(text in prompt or text == context for text in fact.context)
        form = _PLACE.sub(".*", re.escape(fact.plain.replace("{not}", "{n}")))
        plain = fact.plain and re.match(form, prompt)
        return bool(own or plain)

    def _is_information(self, prompt: str) -> bool:
        return not prompt.rstrip().endswith("?") and bool(self._read(prompt))

    def _nearest(self, prompt: str, told: Mapping[int, str]) -> Fact | None:
        """Return the fact whose question is nearest; facts that were told win where several are as near."""
        best = max(self._rated(prompt), key=lambda item: (item[0], item[1].id in told), default=None)
        return best[1] if best is not None and best[0] >= _ENOUGH else None

    def _rated(self, prompt: str) -> list[tuple[float, Fact]]:
        """Return how near each question is that shares any letters with a prompt."""
        letters = _letters(prompt)
        shared = Counter(place for group in letters for place in self._places.get(group, ()))
        rated = []
        for place, count in shared.items():
            asked, fact = self._asked[place]
            rated.append((count / (len(letters) + len(asked) - count), fact))
        return rated

    @cached_property
    def _places(self) -> Mapping[str, list[int]]:
        """Return the questions that have each group of letters."""
        found: dict[str, list[int]] = {}
        for place, (letters, _) in enumerate(self._asked):
            for group in letters:
                found.setdefault(group, []).append(place)
        return found


def _own(fact: Fact, say: Phrases) -> str:
    """Return what the bot says about itself: always the same, however it is asked."""
    if fact.closed:
        return say.yes if fact.id % 2 else say.no
    return say.it_is.format(value=say.own[fact.id % len(say.own)])


def _tellings(fact: Fact) -> Iterator[tuple[str, str]]:
    if fact.closed and fact.category != "CO":
        told = {"yes": fact.yes, "no": fact.no}
        if fact.answer:
            told = {fact.answer: fact.information}
        for answer, texts in told.items():
            yield from ((text, answer) for text in texts)
            if fact.plain and fact.category == "IA":
                yield with_negation(fact.plain, is_negated=answer == "no"), answer
        return
    yield from ((text, "") for text in fact.information)
    if fact.update:
        yield fact.update, ""
    if fact.category == "IA" and fact.plain:
        yield fact.plain, ""


def _letters(text: str) -> frozenset[str]:
    """Return the groups of three letters of a text, which survive typing mistakes and swapped words."""
    folded = " ".join(re.findall(r"\w+", text.casefold()))
    padded = f"  {folded} "
    return frozenset(padded[start : start + 3] for start in range(len(padded) - 2))


class Saying(Struct, frozen=True):
    """A bot that is a function of the conversation."""

    say: Callable[[Conversation, Phrases], str]
    phrases: Phrases

    async def reply(self, conversation: Conversation) -> str:
        """Return what the function says."""
        return self.say(conversation, self.phrases)


def _parrot(conversation: Conversation, said: Phrases) -> str:
    """Give the last question back, turned to the other person."""
    questions = [text for text in list_prompts(conversation) if text.rstrip().endswith("?")]
    if not questions:
        return said.unclear
    words = re.findall(r"[\w']+|[^\w\s]", questions[-1])
    turned = " ".join(said.turned.get(word.casefold(), word) for word in words)
    return re.sub(r"\s+([?!.,])", r"\1", turned)


def _stutter(conversation: Conversation, said: Phrases) -> str:
    words = _in_turn(conversation, said.statements).rstrip(".").split()
    return " ".join([*words[:3], *words[:3], *words[:3], *words[3:]]) + "."


def _in_turn(conversation: Conversation, texts: Sequence[str]) -> str:
    return texts[(len(list_prompts(conversation)) - 1) % len(texts)]


_SAYING: Mapping[str, Callable[[Conversation, Phrases], str]] = {
    "echo": lambda conversation, _: find_last_prompt(conversation),
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
    return Saying(_SAYING[name], load_phrases(book.language))
