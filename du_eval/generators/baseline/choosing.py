"""Which flows a message starts, and with which slots filled."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from msgspec.structs import replace

from du_eval.assistants.model import Assistant
from du_eval.commands.base import Command
from du_eval.commands.flows import SetSlot, StartFlow
from du_eval.generators.baseline import cues
from du_eval.generators.baseline.answering import Situation, answer, answer_whole
from du_eval.generators.baseline.filling import Filled, fill_slots
from du_eval.generators.baseline.ranking import Embedding, FlowRanker, RankedFlow
from du_eval.generators.baseline.slots import SlotProfile
from du_eval.generators.baseline.text import content_stems, content_words, sentences, split_wishes

_ACTIVE, _AGAINST_ANSWER, _CLEAR = 0.2, 0.4, 0.25
"""How well a flow must fit a message to be started where another one is active."""
_PROPOSED = 0.1
_AHEAD = 0.13
"""How much better than the active flow another one must fit."""
_EVIDENCE, _MOST, _CANDIDATES = 0.03, 3, 5
"""What a slot adds that a message would fill, for how many slots, among how many flows."""
_RELATED = 0.1
"""How far a flow that shares slots with the active one may be behind others."""
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
        wishes = self._split(situation.message, best.flow)
        return tuple(command for flow, text in wishes for command in self._start(flow, text))

    def choose_clear(self, text: str, *, besides: str | None) -> tuple[Command, ...]:
        """Return the commands that start what a text asks for without doubt."""
        best = self.best(text)
        return self._start(best.flow, text) if best.score >= _CLEAR and best.flow != besides else ()

    def _split(self, message: str, first: str) -> list[tuple[str, str]]:
        """Return the flows that parts of a message ask for, each with its part; mostly it is one flow."""
        parts = split_wishes(message)
        found = [self.best(part) for part in parts]
        flows = {item.flow for item in found}
        is_clear = all(item.score >= _CLEAR for item in found)
        if len(flows) < 2 or first not in flows or not is_clear:
            return [(first, message)]
        texts: dict[str, list[str]] = {}
        for item, part in zip(found, parts, strict=True):
            texts.setdefault(item.flow, []).append(part)
        return [(flow, " . ".join(group)) for flow, group in texts.items()]

    def accept(self, situation: Situation) -> tuple[Command, ...]:
        """Return the commands that start a related flow which the bot has just proposed."""
        asked = [part for part in sentences(situation.bot) if cues.is_proposal(part)]
        siblings = self._siblings.get(situation.flow or "", ())
        if not asked or not siblings:
            return ()
        best = self.best(asked[-1], among=siblings)
        own = self.best(asked[-1], among=(situation.flow or "",))
        is_meant = best.score >= _PROPOSED and best.score > own.score
        return self._start(best.flow, situation.message) if is_meant else ()

    def find_named(self, text: str) -> tuple[str, ...]:
        """Return the flows whose id and name hold all words of content of a text."""
        stems = frozenset(content_stems(text))
        return tuple(flow for flow, title in self._ranker.titles.items() if stems and stems <= title)

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

    def _bar(self, situation: Situation) -> float:
        """Return how well a flow must fit: better where another is active, best where the message answers."""
        message = situation.message
        if not situation.flow:
            is_light = not content_words(message) or cues.says("small_talk", message)
            return _CLEAR if is_light else self._ranker.least
        return _AGAINST_ANSWER if answer_whole(situation) or answer(situation) else _ACTIVE

    def _fill(self, flow: str, text: str) -> Filled:
        """Return the slots that a message fills if it starts a flow."""
        return fill_slots(
            [item for item in self._profiles[flow] if not item.collect.ask_before_filling], text
        )

    def _start(self, flow: str, text: str) -> tuple[Command, ...]:
        return (StartFlow(flow), *(SetSlot(name, value) for name, value in self._fill(flow, text)))


def _find_siblings(profiles: Mapping[str, tuple[SlotProfile, ...]]) -> dict[str, tuple[str, ...]]:
    """Return for each flow the flows that share a slot with it."""
    names = {flow: {item.name for item in items} for flow, items in profiles.items()}
    return {
        flow: tuple(other for other in names if other != flow and names[other] & own)
        for flow, own in names.items()
    }
