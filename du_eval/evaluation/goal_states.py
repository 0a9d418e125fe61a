"""Dialogue states as frames of services, and how well they are met."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from math import prod
from pathlib import Path

from msgspec import Struct, field
from msgspec.structs import replace

from du_eval.assistants.coercion import coerce_value
from du_eval.assistants.model import BOOL, CATEGORICAL, Assistant, Slot
from du_eval.commands.base import Command
from du_eval.commands.flows import CancelFlow, SetSlot, StartFlow
from du_eval.commands.foreign import RequestSlot
from du_eval.text.words import common_length

WHOLE = ""
"""The one service of an assistant whose files do not tell services apart."""


class ServiceMap(Struct, frozen=True):
    """Which service each flow and slot belongs to."""

    flows: Mapping[str, str] = field(default_factory=dict)
    slots: Mapping[str, Slot] = field(default_factory=dict)
    of_slots: Mapping[str, str] = field(default_factory=dict)
    categorical: frozenset[str] = frozenset()

    @classmethod
    def of(cls, assistant: Assistant | None) -> ServiceMap:
        """Return the services of an assistant: files of flows and of slots that share their names, or one."""
        if assistant is None:
            return cls()
        flows = {flow.id: Path(flow.file).stem for flow in assistant.user_flows}
        slots = {slot.name: Path(slot.file).stem for slot in assistant.slots.values()}
        is_apart = len(set(flows.values())) > 1 and set(slots.values()) <= set(flows.values())
        kinds = {slot.name for slot in assistant.slots.values() if slot.type in {CATEGORICAL, BOOL}}
        if not is_apart:
            return cls(slots=assistant.slots, categorical=frozenset(kinds))
        return cls(flows, assistant.slots, slots, frozenset(kinds))

    @property
    def is_apart(self) -> bool:
        """Tell whether there is more than one service."""
        return bool(self.flows)

    def of_command(self, command: Command) -> str | None:
        """Return the service that a command is about; None where it is about none."""
        if isinstance(command, StartFlow):
            return self.flows.get(command.flow, WHOLE)
        if isinstance(command, SetSlot | RequestSlot):
            return self.of_slots.get(command.slot, WHOLE)
        return None

    def spell_value(self, slot: str, value: str) -> str:
        """Return a value as its slot holds it."""
        known = self.slots.get(slot)
        return str(coerce_value(known, value)) if known else value


class GoalState(Struct, frozen=True):
    """Where a dialogue stands in each service."""

    services: ServiceMap
    frames: Mapping[str, GoalFrame] = field(default_factory=dict)
    active: str | None = None
    """The service whose flow was started last."""

    def frame(self, service: str) -> GoalFrame:
        """Return the state of a service."""
        return self.frames.get(service, GoalFrame())

    def after(self, alternatives: Sequence[Sequence[Command]]) -> GoalState:
        """Return the state after a user step; the first list drives, the others add values that are right."""
        frames = {service: replace(frame, requested=()) for service, frame in self.frames.items()}
        active = self.active
        commands = alternatives[0] if alternatives else ()
        if active is not None and any(isinstance(command, CancelFlow) for command in commands):
            frames[active] = replace(frames.get(active, GoalFrame()), intent=NO_INTENT)
        for command in commands:
            service = self.services.of_command(command)
            if service is None:
                continue
            frame = frames.get(service, GoalFrame())
            if isinstance(command, StartFlow):
                frames[service], active = replace(frame, intent=command.flow), service
            elif isinstance(command, RequestSlot):
                frames[service] = replace(frame, requested=(*frame.requested, command.slot))
            elif isinstance(command, SetSlot):
                values = self._values(command.slot, alternatives)
                kept = {slot: known for slot, known in frame.slots.items() if slot != command.slot}
                frames[service] = replace(frame, slots=kept | ({command.slot: values} if values else {}))
        return GoalState(self.services, frames, active)

    def _values(self, slot: str, alternatives: Iterable[Sequence[Command]]) -> tuple[str, ...]:
        found = (
            self.services.spell_value(slot, command.value)
            for commands in alternatives
            for command in commands
            if isinstance(command, SetSlot) and command.slot == slot and command.value is not None
        )
        return tuple(dict.fromkeys(found))

    @property
    def _is_open(self) -> bool:
        return self.active is not None and self.frame(self.active).intent != NO_INTENT

    def find_services(self, commands: Sequence[Command]) -> tuple[str, ...]:
        """Return the services that a user step with these gold commands is about.

        Those that a command names; where another service is started, also the one that is left open; where
        nothing is named, the last one.
        """
        if not self.services.is_apart:
            return (WHOLE,)
        named = [service for command in commands if (service := self.services.of_command(command))]
        is_left = any(isinstance(command, StartFlow) for command in commands) and self._is_open
        here = [self.active] if self.active is not None and (is_left or not named) else []
        return tuple(dict.fromkeys([*here, *named]))


NO_INTENT = "NONE"
_NOT_ALPHANUMERIC = re.compile(r"[\W_]")
Match = Callable[[str, str], float]


class GoalFrame(Struct, frozen=True):
    """What the user wants from one service."""

    intent: str = NO_INTENT
    slots: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The values of each slot; of gold any of them is right, of a prediction the first one counts."""
    requested: tuple[str, ...] = ()


class FrameScore(Struct, frozen=True):
    """How well one frame is predicted."""

    intent: float
    requested_precision: float
    requested_recall: float
    average: float | None
    """The mean over the slots that the gold state has; None where it has none."""
    joint: float
    """The product over all slots of the service."""

    @property
    def requested_f1(self) -> float:
        """The F1 of requested slots; a frame in which nothing is requested or predicted counts as right."""
        both = self.requested_precision + self.requested_recall
        return 2 * self.requested_precision * self.requested_recall / both if both else 0.0


def match_fuzzily(first: str, second: str) -> float:
    """Return the similarity of two texts, whatever the order of their words, rounded to a hundredth.

    Lower case, other characters than letters and digits as spaces, words sorted; then twice the longest
    common subsequence by the sum of lengths. This is the token sort ratio with the Levenshtein back end.
    """
    if first == second:
        return 1.0
    one, other = _prepared(first), _prepared(second)
    if not one or not other:
        return 0.0
    return round(200 * common_length(one, other) / (len(one) + len(other))) / 100


def match_exactly(first: str, second: str) -> float:
    """Return 1 for equal texts, else 0."""
    return float(first == second)


def _prepared(text: str) -> str:
    return " ".join(sorted(_NOT_ALPHANUMERIC.sub(" ", text).lower().split()))


def score_slot(gold: tuple[str, ...], predicted: tuple[str, ...], match: Match) -> float:
    """Return how right the value of a slot is; an empty tuple stands for no value."""
    if not gold or not predicted:
        return float(not gold and not predicted)
    return max(match(value, predicted[0]) for value in gold)


def score_frame(
    gold: GoalFrame, predicted: GoalFrame, categorical: Collection[str] = (), match: Match = match_fuzzily
) -> FrameScore:
    """Return the figures of a frame; values of categorical slots must be equal to the first gold value."""
    scores = {
        slot: _score(gold.slots.get(slot, ()), predicted.slots.get(slot, ()), slot in categorical, match)
        for slot in gold.slots.keys() | predicted.slots.keys()
    }
    active = [scores[slot] for slot in gold.slots]
    hits = (Counter(gold.requested) & Counter(predicted.requested)).total()
    return FrameScore(
        float(gold.intent == predicted.intent),
        hits / len(predicted.requested) if predicted.requested else 1.0,
        hits / len(gold.requested) if gold.requested else 1.0,
        sum(active) / len(active) if active else None,
        prod(scores.values()),
    )


def _score(gold: tuple[str, ...], predicted: tuple[str, ...], is_categorical: bool, match: Match) -> float:  # noqa: FBT001
    if is_categorical:
        return score_slot(gold[:1], predicted, match_exactly)
    return score_slot(gold, predicted, match)
