"""Which flows a message starts, and with which slots filled."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from du_eval.assistants.model import Assistant
from du_eval.commands.base import Command
from du_eval.commands.flows import StartFlow
from du_eval.commands.slots import SetSlot
from du_eval.generators.baseline import cues
from du_eval.generators.baseline.filling import Filled, filled_by
from du_eval.generators.baseline.pieces import find_pieces
from du_eval.generators.baseline.profiles import SlotProfile
from du_eval.generators.baseline.ranking import FlowRanker, RankedFlow, terms
from du_eval.generators.baseline.spans import Form, Span, masked

_EVIDENCE = 0.08
_NAMED = 0.1
_MOST_EVIDENCE = 3
_FORMAL = frozenset({Form.EMAIL, Form.HANDLE, Form.CODE, Form.TIME, Form.DATE})
_PERSONAL = re.compile(r"\b(?:i|i'm|i'd|i've|i'll|me|my|mine|we|us|our)\b", re.IGNORECASE)
_ANOTHER = 0.6
_RELATED = 0.05
_FITTING = 0.5
_CLOSE = 0.05
_KNOWLEDGE = 0.75
_NAMED_ANYWAY = 0.9


@dataclass(frozen=True, slots=True)
class Wish:
    """A flow that a part of a message asks for."""

    flow: str
    text: str
    score: float
    key: float
    slots: Filled = ()

    @property
    def commands(self) -> tuple[Command, ...]:
        """The commands that fulfil the wish."""
        return (StartFlow(self.flow), *(SetSlot(name, value) for name, value in self.slots))


class FlowChooser:
    """Chooses among the flows of one assistant."""

    def __init__(self, assistant: Assistant, profiles: Mapping[str, tuple[SlotProfile, ...]]) -> None:
        self._ranker = FlowRanker(assistant)
        self._profiles = profiles
        self._keys = self._ranker.keys

    def wishes(
        self, parts: Sequence[str], threshold: float, *, besides: str | None = None
    ) -> tuple[Wish, ...]:
        """Return what the parts of a message ask for, the whole first, then what single parts ask besides."""
        whole = self.best(" . ".join(parts), besides) if parts else None
        if whole is None or whole.flow == besides or whole.score < self._bar(whole, threshold):
            return ()
        # What fills slots of the active flow belongs to that flow, unless another one is named.
        is_shared = not self._slots_of(besides).isdisjoint(name for name, _ in whole.slots)
        if is_shared and whole.score < _NAMED_ANYWAY:
            return ()
        found = [whole]
        for part in parts if len(parts) > 1 else ():
            other = self.best(part, besides)
            known = {wish.flow for wish in found} | {besides}
            if other and other.key and other.flow not in known and other.score >= self._bar(other, _ANOTHER):
                found.append(other)
        return tuple(found) if len(found) == 1 else self._apart(found, parts)

    def best(self, text: str, besides: str | None = None, *, among: Collection[str] = ()) -> Wish | None:
        """Return the flow that fits a text best: by its words, and by the slots that the text would fill."""
        pieces = find_pieces(text)
        hidden = [
            piece for piece in pieces if piece.form in _FORMAL or (piece.form is Form.NAME and piece.is_sure)
        ]
        ranked = [
            item for item in self._ranker.ranked(masked(text, hidden)) if not among or item.flow in among
        ]
        scored = [self._with_evidence(item, text, pieces, besides) for item in ranked]
        return max(scored, key=lambda wish: wish.score, default=None)

    def sharing(self, text: str) -> tuple[str, ...]:
        """Return the flows whose names hold all words of a text."""
        said = set(terms(text))
        return tuple(flow for flow, key in self._keys.items() if said and said <= key)

    def close_to(self, text: str) -> tuple[str, ...]:
        """Return the flows that fit a text about as well as the best one does."""
        ranked = self._ranker.ranked(text)
        best = ranked[0].score if ranked else 0.0
        return tuple(item.flow for item in ranked if best >= _FITTING and item.score >= best - _CLOSE)

    def _slots_of(self, flow: str | None) -> set[str]:
        return {profile.name for profile in self._profiles.get(flow or "", ())}

    def _with_evidence(
        self, ranked: RankedFlow, text: str, pieces: Sequence[Span], besides: str | None
    ) -> Wish:
        slots = self._upfront(ranked.flow, text, pieces) if ranked.score > _RELATED else ()
        new = {name for name, _ in slots} - self._slots_of(besides)
        boost = _EVIDENCE * min(len(new), _MOST_EVIDENCE)
        return Wish(ranked.flow, text, ranked.score + boost + _NAMED * ranked.key, ranked.key, slots)

    def _upfront(self, flow: str, text: str, pieces: Sequence[Span]) -> Filled:
        profiles = [item for item in self._profiles[flow] if not item.collect.ask_before_filling]
        key = self._keys.get(flow, frozenset())
        found = filled_by(profiles, text, pieces)
        return tuple(
            (name, value) for name, value in found if not set(terms(value)) or not set(terms(value)) <= key
        )

    def _bar(self, wish: Wish, threshold: float) -> float:
        """Return the score that a wish needs: more for a question that has nothing to do with the user."""
        is_impersonal = cues.is_question(wish.text) and not _PERSONAL.search(wish.text)
        return max(threshold, _KNOWLEDGE) if is_impersonal else threshold

    def _apart(self, found: Sequence[Wish], parts: Sequence[str]) -> tuple[Wish, ...]:
        """Return several wishes, each with the slots of the parts that do not belong to another."""
        others = {wish.text for wish in found[1:]}
        rest = " . ".join(part for part in parts if part not in others)
        first = replace(found[0], text=rest, slots=self._upfront(found[0].flow, rest, find_pieces(rest)))
        return (first, *found[1:])
