"""Two chatters talk: planned prompts are injected, and a bot that does not answer is an outcome."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from importlib.resources import files
from random import Random
from time import perf_counter
from typing import Any, Literal

from msgspec import Struct
from pydantic import BaseModel, ConfigDict, Field

from du_eval.chatters.base import Chatter, TalkOverError, make_conversation
from du_eval.chatters.replies import Exchange, KeptReplies, ReplyStatus, ask_chatter
from du_eval.parsers.yaml_parser import parse_yaml
from du_eval.quality.dialogue import Dialogue, MarkedExchange, mark_exchange
from du_eval.quality.plan import DialoguePlan, PlannedTurn

Affect = Literal["fear", "joy", "anger", "sadness", "anticipation", "disgust", "surprise", "trust"]
Topic = Literal[
    "legal",
    "military",
    "monsters",
    "politics",
    "positive_words",
    "religion",
    "science",
    "space",
    "technology",
]


class ConversationOpening(BaseModel):
    """The first prompt of each conversation; our own sentences, drawn by seed."""

    model_config = ConfigDict(extra="forbid")

    random: bool = Field(default=False, description="Begin with something random instead of a greeting.")
    affect: Affect | None = Field(default=None, description="Begin with this feeling.")
    intensity: int = Field(100, ge=0, le=100, description="How strong the feeling is.")
    topic: Topic | None = Field(default=None, description="What it is about.")

    @property
    def is_set(self) -> bool:
        """Whether conversations begin in this way."""
        return self.random or self.affect is not None


def draw_first_prompt(opening: ConversationOpening, language: str, seed: str) -> str:
    """Return how a conversation begins."""
    random = Random(f"{seed}/opening")
    data = _openings(language)
    if opening.affect is None:
        texts = data["neutral"]
    else:
        texts = data["feelings"][opening.affect][_strength(opening.intensity)]
    topic = random.choice(data["topics"][opening.topic or ""])
    text = str(random.choice(texts)).replace("{topic}", topic)
    return text[:1].upper() + text[1:]


def _strength(intensity: int) -> str:
    """Return the third of the scale that an intensity is in."""
    if intensity <= 33:
        return "mild"
    return "medium" if intensity <= 66 else "strong"


@cache
def _openings(language: str) -> Any:
    text = files("du_eval.quality.data").joinpath("openings.yml").read_text(encoding="utf-8")
    root: Any = parse_yaml(text, "openings.yml").root
    return root[language]


_MOST_FAILURES = 5
"""So many turns without an answer in a row end a dialogue: the bot is gone."""

_NOTHING_KEPT = KeptReplies(None, "quality")


class Talk(Struct, frozen=True):
    """Who talks to whom, how they start, and how long an answer may take."""

    tester: Chatter
    bot: Chatter
    start: Sequence[str] = ()
    opening: str = ""
    """The first prompt; empty where the tester finds one."""
    timeout_seconds: float = 60.0
    tester_memory: int = 0
    bot_memory: int = 0
    clock: Callable[[], float] = perf_counter
    on_exchange: Callable[[MarkedExchange], None] = lambda _: None
    kept: KeptReplies = _NOTHING_KEPT

    async def hold(self, plan: DialoguePlan) -> Dialogue:
        """Return the dialogue of a plan."""
        said = list(self.start)
        exchanges: list[MarkedExchange] = []
        failures = 0
        for place in range(plan.prompts):
            slot = plan.slots.get(place)
            try:
                exchange = await self._exchange(plan.number, place, said, slot)
            except TalkOverError:
                if not exchanges:
                    raise
                break  # whoever has nothing left to say ends the dialogue
            exchanges.append(mark_exchange(exchange, slot.mark if slot else None))
            self.on_exchange(exchanges[-1])
            said += [exchange.prompt, exchange.reply]
            failures = 0 if exchange.outcome is ReplyStatus.ANSWERED else failures + 1
            if failures >= _MOST_FAILURES:
                break
        return Dialogue(plan.number, tuple(exchanges), plan.facts)

    async def _exchange(
        self, number: int, place: int, said: Sequence[str], slot: PlannedTurn | None
    ) -> Exchange:
        """Return a turn, which is not held again where it is known."""
        asked = [*said, slot.text if slot else ""]
        found = self.kept.find(number, place, asked)
        if found is None:
            prompt = slot.text if slot else await self._prompt(said)
            found = await self._answered(said, prompt)
            self.kept.keep(number, place, asked, found)
        return found

    async def _prompt(self, said: Sequence[str]) -> str:
        if self.opening and len(said) == len(self.start):
            return self.opening
        known = _remembered(said, self.tester_memory)
        return await self.tester.reply(make_conversation(known, as_tester=_starts_with_tester(said, known)))

    async def _answered(self, said: Sequence[str], prompt: str) -> Exchange:
        """Return what the bot said, or why it said nothing."""
        known = _remembered([*said, prompt], self.bot_memory)
        as_tester = not _starts_with_tester([*said, prompt], known)
        conversation = make_conversation(known, as_tester=as_tester)
        return await ask_chatter(self.bot, conversation, self.timeout_seconds, self.clock)


def _remembered(said: Sequence[str], memory: int) -> Sequence[str]:
    return said[-memory:] if memory else said


def _starts_with_tester(said: Sequence[str], known: Sequence[str]) -> bool:
    """Return whether the first remembered utterance is the tester's, who speaks at even places."""
    return (len(said) - len(known)) % 2 == 0
