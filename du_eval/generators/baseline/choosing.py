"""Which flows a message starts, and with which slots filled."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence

from msgspec.structs import replace

from du_eval.assistants.model import Assistant
from du_eval.commands.base import Command
from du_eval.commands.flows import SetSlot, StartFlow
from du_eval.generators.baseline import cues, phrases
from du_eval.generators.baseline.answering import answer
from du_eval.generators.baseline.filling import Filled, Known, fill_bools, fill_slots
from du_eval.generators.baseline.pieces import find_pieces
from du_eval.generators.baseline.ranking import Embedding, FlowRanker, RankedFlow
from du_eval.generators.baseline.situation import Situation
from du_eval.generators.baseline.slots import SlotProfile
from du_eval.generators.baseline.text import clauses, content_stems, sentences
from du_eval.text.words import words

_BY_WISH, _BY_STATEMENT, _AGAINST_ANSWER, _CLEAR, _ANOTHER = 0.2, 0.25, 0.4, 0.25, 0.3
"""How well a flow must fit a message to be started where another one is active."""
_PROPOSED = 0.1
_APART, _OF_ITS_OWN = 0.2, 0.45
"""How much better than the first flow of a message a second one must fit its own part, and how well."""
_NEVER = 2.0
_AHEAD = 0.13
"""How much better than the active flow another one must fit."""
_CLOSE = 0.02
_SHORT = 5
_EVIDENCE, _MOST, _CANDIDATES = 0.03, 3, 5
"""What a slot adds that a message would fill, for how many slots, among how many flows."""
_RELATED = 0.1
"""How far a flow that shares slots with the active one may be behind others."""
_ABOUT_IT = re.compile(r"\b(?:their|its|it|they|them|he|she|his|her|that one|this one)\b", re.IGNORECASE)
_GOING_ON = re.compile(
    r"(?:\W*(?:ok(?:ay)?|and|alright|great|thanks|hm+)\b)*\W*(?:what|how) about\b", re.IGNORECASE
)
_NOTHING = RankedFlow("", 0.0)


class FlowChooser:
    """Chooses among the flows of one assistant."""

    def __init__(
        self,
        assistant: Assistant,
        profiles: Mapping[str, tuple[SlotProfile, ...]],
        embedding: Embedding | None = None,
    ) -> None:
        self._ranker = FlowRanker(assistant, embedding)
        self._profiles = profiles
        self._siblings = _find_siblings(profiles)

    def best(self, text: str, *, among: Collection[str] = ()) -> RankedFlow:
        """Return the flow that fits a text best."""
        return next((item for item in self._ranker.rank(text) if not among or item.flow in among), _NOTHING)

    def choose(self, situation: Situation) -> tuple[Command, ...]:
        """Return the commands that start what a message asks for, nothing if it asks for no flow."""
        ranked = self._weigh(situation)
        best = ranked[0] if ranked else _NOTHING
        active = next((item.score for item in ranked if item.flow == situation.flow), 0.0)
        is_ahead = not situation.flow or best.score >= active + _AHEAD
        if best.flow == situation.flow or best.score < self._bar(situation) or not is_ahead:
            return ()
        parts = clauses(situation.message)
        # Further sentences mostly tell more about the same wish.
        may_ask_more = len(sentences(situation.message)) == 1 or "also" in words(situation.message)
        is_more = len(parts) > 1 and may_ask_more
        others = self._find_others(parts, best.flow, situation.flow) if is_more else {}
        rest = " . ".join(part for part in parts if part not in others.values())
        wishes = {best.flow: rest if others else situation.message, **others}
        in_order = sorted(wishes, key=lambda flow: situation.message.find(wishes[flow].split(" . ")[0]))
        return tuple(command for flow in in_order for command in self._started(flow, wishes[flow]))

    def accept(self, situation: Situation) -> tuple[Command, ...]:
        """Return the commands that start a related flow which the bot has just proposed."""
        asked = [part for part in sentences(situation.bot) if cues.is_proposal(part)]
        siblings = self._siblings.get(situation.flow or "", ())
        if not asked or not siblings:
            return ()
        best = self.best(asked[-1], among=siblings)
        own = self.best(asked[-1], among=(situation.flow or "",))
        is_meant = best.score >= _PROPOSED and best.score > own.score
        return self._started(best.flow, situation.message) if is_meant else ()

    def choose_clear(self, parts: Sequence[str], *, besides: str | None) -> tuple[Command, ...]:
        """Return the commands that start what parts of a message ask for without doubt."""
        text = " . ".join(parts)
        best = self.best(text) if parts else _NOTHING
        return self._started(best.flow, text) if best.score >= _CLEAR and best.flow != besides else ()

    def find_alternatives(self, text: str) -> tuple[str, ...]:
        """Return the flows of which a few words may mean any: they name all of them, or fit them alike."""
        sharing = self._ranker.share_all(content_stems(text))
        if len(sharing) > 1:
            return sharing
        ranked = self._ranker.rank(text)
        best = ranked[0] if ranked else _NOTHING
        if best.score < _ANOTHER:
            return ()
        return tuple(item.flow for item in ranked if item.score >= best.score - _CLOSE)

    def related_slots(self, flow: str) -> tuple[SlotProfile, ...]:
        """Return the slots of a flow, and of the flows that share some of them."""
        groups = [*(self._profiles[other] for other in self._siblings.get(flow, ())), self._profiles[flow]]
        return tuple({profile.name: profile for group in groups for profile in group}.values())

    def _weigh(self, situation: Situation) -> list[RankedFlow]:
        """Return the flows, with a bonus for slots that a message fills, relatives of the active flow up."""
        ranked = self._ranker.rank(situation.message)
        related = self._siblings.get(situation.flow or "", ())
        first = []
        for item in ranked[:_CANDIDATES]:
            filled = self._fill(item.flow, situation.message) if item.score else ()
            first.append(replace(item, score=item.score + _EVIDENCE * min(_MOST, len(filled))))
        first.sort(key=lambda item: -item.score - _RELATED * (item.flow in related))
        return [*first, *ranked[_CANDIDATES:]]

    def _fill(self, flow: str, text: str) -> Filled:
        profiles = [item for item in self._profiles[flow] if not item.collect.ask_before_filling]
        title = self._ranker.titles.get(flow, frozenset())
        found = (
            *fill_slots(profiles, text, find_pieces(text), Known({})),
            *fill_bools(profiles, text, Known({})),
        )
        return tuple(
            (name, value)
            for name, value in found
            if not (stems := set(content_stems(value))) or not stems <= title
        )

    def _bar(self, situation: Situation) -> float:
        """Return how well a flow must fit: better where another is active, best where the message answers."""
        message = situation.message
        is_wish, is_question = cues.is_wish(message), cues.is_question(message)
        if not situation.flow:
            is_light = not situation.content or phrases.SMALL_TALK.search(message)
            return _CLEAR if is_light else self._ranker.least
        asks = is_question or cues.is_question(sentences(message)[-1])
        if asks and _ABOUT_IT.search(message) and not phrases.REQUEST.search(message):
            return _NEVER
        found = dict(answer(situation))
        is_answered = situation.asked is not None and situation.asked.name in found
        goes_on = bool(situation.pieces) and _GOING_ON.match(message) is not None
        confirms = cues.is_confirming(situation.bot) and cues.yes_or_no(message) is True
        is_short = situation.asked is not None and situation.length <= _SHORT
        only_tells = not is_wish and (bool(found) or is_short)
        if goes_on or confirms or only_tells or (is_answered and not (situation.length > _SHORT and is_wish)):
            return _AGAINST_ANSWER
        return _BY_WISH if is_wish else _BY_STATEMENT

    def _find_others(self, parts: Sequence[str], first: str, active: str | None) -> dict[str, str]:
        """Return further flows that single parts of a message name, with these parts."""
        found: dict[str, str] = {}
        for part in parts:
            best = self.best(part)
            title = self._ranker.titles.get(best.flow, frozenset())
            is_named = 2 * len(title.intersection(content_stems(part))) >= max(2, len(title))
            is_apart = best.score - self.best(part, among=(first,)).score >= _APART
            if best.flow not in {first, active} and best.score >= _OF_ITS_OWN and is_named and is_apart:
                found.setdefault(best.flow, part)
        return found

    def _started(self, flow: str, text: str) -> tuple[Command, ...]:
        return (StartFlow(flow), *(SetSlot(name, value) for name, value in self._fill(flow, text)))


def _find_siblings(profiles: Mapping[str, tuple[SlotProfile, ...]]) -> dict[str, tuple[str, ...]]:
    """Return for each flow the flows that share a slot with it."""
    users: dict[str, list[str]] = {}
    for flow, items in profiles.items():
        for item in items:
            users.setdefault(item.name, []).append(flow)
    return {
        flow: tuple(dict.fromkeys(other for item in items for other in users[item.name] if other != flow))
        for flow, items in profiles.items()
    }
