"""Dialogues with frames into cases: what changes in the state of a service is what the user commanded."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product
from math import prod
from typing import Any

from msgspec import Struct, field

from du_eval.commands.flows import CancelFlow, ChitChat, SetSlot, StartFlow
from du_eval.commands.foreign import RequestSlot
from du_eval.conversion.service_schema import Service, spell_value
from du_eval.conversion.suite_folder import Alternatives, render_bot, render_user

NO_INTENT = "NONE"
_POLITE_ACTS = frozenset({"THANK_YOU", "GOODBYE"})
MOST_ALTERNATIVES = 64
"""More combinations of right values are not written into one step."""


class _Value(Struct):
    """A value that the user gave, in all wordings that the dialogue uses for it."""

    slot: str
    wordings: list[str]


class _Turn(Struct):
    """What one user message changes."""

    message: str
    started: list[str] = field(default_factory=list)
    values: list[_Value] = field(default_factory=list)
    requested: list[str] = field(default_factory=list)
    ends: bool = False
    """An intent ends, and the user says so."""
    is_idle: bool = False
    """No intent is open afterwards."""
    is_polite: bool = False
    """The user thanks, or says good-bye."""


class RenderedCase(Struct, frozen=True):
    """A case as it is written, and how many of its steps have more alternatives than were written."""

    name: str
    steps: tuple[str, ...]
    reduced: int = 0
    unknown: tuple[str, ...] = ()
    """Slots that the annotations name and the schema does not have."""


class DialogueConverter:
    """Turns dialogues of one set of services into cases; holds no dialogue."""

    def __init__(self, services: Mapping[str, Service], *, none_ends: bool = True) -> None:
        self._services = services
        self._none_ends = none_ends

    def convert(self, dialogue: Mapping[str, Any]) -> RenderedCase:
        """Return a dialogue as a case."""
        follower = _Follower(self._services, none_ends=self._none_ends)
        parts: list[_Turn | str] = [
            follower.take(turn) if turn["speaker"] == "USER" else self._bot_step(turn)
            for turn in dialogue["turns"]
        ]
        steps, reduced = [], 0
        for part in parts:
            if isinstance(part, str):
                steps.append(part)
                continue
            alternatives, is_reduced = _alternatives(part)
            reduced += is_reduced
            steps.append(render_user(part.message, alternatives))
        name = str(dialogue["dialogue_id"])
        return RenderedCase(name, tuple(steps), reduced, tuple(dict.fromkeys(follower.unknown)))

    def _bot_step(self, turn: Mapping[str, Any]) -> str:
        """Return what the bot says; a question for a slot, the first of several, is named."""
        for frame in turn["frames"]:
            for action in frame.get("actions", ()):
                slot = self._services[frame["service"]].slot_ids.get(action.get("slot", ""))
                if action["act"] == "REQUEST" and slot:
                    return render_bot(str(turn["utterance"]), f"utter_ask_{slot}")
        return render_bot(str(turn["utterance"]))


class _Follower:
    """Follows the states of one dialogue; one use."""

    def __init__(self, services: Mapping[str, Service], *, none_ends: bool) -> None:
        self._services = services
        self._none_ends = none_ends
        self._intents: dict[str, str] = {}
        self._values: dict[str, _Value] = {}
        self._active = ""
        self.unknown: list[str] = []

    def take(self, turn: Mapping[str, Any]) -> _Turn:
        """Return what a user turn changes."""
        change = _Turn(str(turn["utterance"]))
        frames = [frame for frame in turn["frames"] if "state" in frame]
        for frame in frames:
            self._take_intent(frame, change, is_alone=len(frames) == 1)
            self._take_values(frame, change)
            asked = self._known(frame["service"], frame["state"].get("requested_slots", ()))
            change.requested += asked.values()
        acts = {action.get("act") for frame in frames for action in frame.get("actions", ())}
        change.is_polite = not acts.isdisjoint(_POLITE_ACTS)
        change.is_idle = all(intent == NO_INTENT for intent in self._intents.values())
        return change

    def _known(self, service: str, names: Iterable[str]) -> dict[str, str]:
        """Return the slots of the assistant by name; names that the schema lacks are noted."""
        ids = self._services[service].slot_ids
        self.unknown += [f"{service} {name}" for name in names if name not in ids]
        return {name: ids[name] for name in names if name in ids}

    def _take_intent(self, frame: Mapping[str, Any], change: _Turn, *, is_alone: bool) -> None:
        service, intent = frame["service"], frame["state"].get("active_intent") or NO_INTENT
        before = self._intents.get(service, NO_INTENT)
        if intent == NO_INTENT:
            if before != NO_INTENT and self._none_ends:
                change.ends = True
                self._intents[service] = NO_INTENT
            return
        if intent != before or (is_alone and service != self._active):
            change.started.append(self._services[service].flow_ids[intent])
            self._active = service
        self._intents[service] = intent

    def _take_values(self, frame: Mapping[str, Any], change: _Turn) -> None:
        ids = self._services[frame["service"]].slot_ids
        written = frame["state"].get("slot_values", {})
        given = {slot: written[name] for name, slot in self._known(frame["service"], written).items()}
        for slot, values in given.items():
            known = self._values.get(slot)
            wordings = list(dict.fromkeys(map(spell_value, values)))
            if known is not None and not set(wordings).isdisjoint(known.wordings):
                known.wordings += [wording for wording in wordings if wording not in known.wordings]
            elif wordings:
                self._values[slot] = _Value(slot, list(wordings))
                change.values.append(self._values[slot])
        for slot in [slot for slot in self._values if slot in ids.values() and slot not in given]:
            del self._values[slot]
            change.values.append(_Value(slot, ["None"]))


def _alternatives(turn: _Turn) -> tuple[Alternatives, bool]:
    """Return the command lists that are right for a turn, and whether some had to be left out."""
    wordings = _limited([value.wordings for value in turn.values])
    started = [StartFlow(flow).to_dsl() for flow in turn.started]
    requested = [RequestSlot(slot).to_dsl() for slot in turn.requested]
    lists = [[*started, *_spelled(turn.values, chosen), *requested] for chosen in product(*wordings)]
    is_reduced = sum(map(len, wordings)) < sum(len(value.wordings) for value in turn.values)
    return tuple(_with_endings(turn, lists)), is_reduced


def _spelled(values: Sequence[_Value], chosen: Sequence[str]) -> list[str]:
    return [SetSlot(value.slot, text).to_dsl() for value, text in zip(values, chosen, strict=True)]


def _with_endings(turn: _Turn, lists: Sequence[list[str]]) -> Iterator[list[str]]:
    """Yield the lists; where a user is done, a cancelled flow, small talk or silence are all right."""
    cancel, chat = CancelFlow().to_dsl(), [ChitChat().to_dsl()]
    if turn.ends:
        yield from ([cancel, *commands] for commands in lists)
    is_chat = not lists[0] and (turn.ends or turn.is_idle or turn.is_polite)
    # The first list drives the replay: with nothing open, only small talk makes the bot answer.
    if is_chat and turn.is_idle:
        yield chat
    yield from lists
    if is_chat and not turn.is_idle:
        yield chat


def _limited(wordings: Sequence[Sequence[str]]) -> list[Sequence[str]]:
    """Return the wordings, without the last ones where their combinations would be too many."""
    found = list(wordings)
    while prod(map(len, found)) > MOST_ALTERNATIVES:
        longest = max(range(len(found)), key=lambda index: len(found[index]))
        found[longest] = found[longest][:-1]
    return found
