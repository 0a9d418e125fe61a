"""Catalogues in other sizes and wordings, made from an assistant and flows that it does not have."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from importlib.resources import files
from random import Random

from du_eval.assistants.model import Assistant, Flow, Slot
from du_eval.generators.baseline.index import TextIndex, bag_of_words

_TOO_ALIKE = 0.4
"""The likeness from which a foreign flow would be a right answer, too, and is left out."""
_TWINS = (
    ("for_companies", "for companies only"),
    ("abroad", "in another country"),
    ("for_a_child", "on behalf of a child"),
)


class CatalogueChange(StrEnum):
    """What is done to a catalogue."""

    DISTRACTORS = "distractors"
    NEAR = "near"
    SHUFFLE = "shuffle"
    PARAPHRASE = "paraphrase"


@dataclass(frozen=True, slots=True)
class Foreign:
    """A flow that an assistant does not have, with the slots that it asks for."""

    flow: Flow
    slots: tuple[Slot, ...] = ()


def read_packaged() -> tuple[Foreign, ...]:
    """Return the flows that come with the package."""
    return tuple(
        Foreign(Flow(name, text, name.replace("_", " "))) for name, text in _read_pairs("flows.txt").items()
    )


def borrow_flows(assistants: Iterable[Assistant]) -> tuple[Foreign, ...]:
    """Return the flows of other assistants that a user may start."""
    return tuple(
        Foreign(
            replace(flow, calls=(), links=(), intents=(), steps=()),
            tuple(other.slots[item.slot] for item in flow.collects if item.slot in other.slots),
        )
        for other in assistants
        for flow in other.user_flows
        if flow.is_startable
    )


def resize(
    assistant: Assistant, needed: Collection[str], size: int, foreign: Sequence[Foreign], seed: int
) -> Assistant:
    """Return an assistant with about `size` flows that users may start, all needed ones among them."""
    own = [flow.id for flow in assistant.user_flows if flow.is_startable]
    rng = Random(seed)  # noqa: S311 - reproducible draws
    if size < len(own):
        others = [flow for flow in own if flow not in needed]
        kept = set(rng.sample(others, max(0, min(len(others), size - len(own) + len(others))))) | set(needed)
        flows = {key: flow for key, flow in assistant.flows.items() if key in kept or key not in own}
        return replace(assistant, flows=flows, path=f"{assistant.path}#{size}:{','.join(sorted(kept))}")
    drawn = rng.sample(usable := _drop_alike(assistant, foreign), min(len(usable), size - len(own)))
    flows = dict(assistant.flows)
    slots = dict(assistant.slots)
    for item in drawn:
        is_apart = not any(slot.name in assistant.slots for slot in item.slots)
        flows[item.flow.id] = item.flow if is_apart else replace(item.flow, collects=())
        slots.update({slot.name: slot for slot in item.slots} if is_apart else {})
    return replace(assistant, flows=flows, slots=slots, path=f"{assistant.path}#{size}")


def add_twins(assistant: Assistant) -> Assistant:
    """Return an assistant with a flow of nearly the same name and description beside each of its own."""
    flows = dict(assistant.flows)
    for number, flow in enumerate(flow for flow in assistant.user_flows if flow.is_startable):
        ending, limit = _TWINS[number % len(_TWINS)]
        words = flow.description.rstrip(". ") or flow.readable_name.replace("_", " ")
        twin = Flow(f"{flow.id}_{ending}", f"{words}, {limit}.", flow.name and f"{flow.name} {limit}")
        flows.setdefault(twin.id, twin)
    return replace(assistant, flows=flows, path=f"{assistant.path}#near")


def shuffle_flows(assistant: Assistant, seed: int) -> Assistant:
    """Return an assistant whose flows stand in another order."""
    order = list(assistant.flows)
    Random(seed).shuffle(order)  # noqa: S311 - reproducible draws
    flows = {name: assistant.flows[name] for name in order}
    return replace(assistant, flows=flows, path=f"{assistant.path}#shuffle-{seed}")


def paraphrase_flows(assistant: Assistant) -> Assistant:
    """Return an assistant whose flows are described in other words; ids and slots stay."""
    table = _read_pairs("rewordings.txt")
    flows = {
        name: flow if flow.is_pattern else replace(flow, description=reword(flow.description, table))
        for name, flow in assistant.flows.items()
    }
    return replace(assistant, flows=flows, path=f"{assistant.path}#paraphrase")


def reword(text: str, table: Mapping[str, str]) -> str:
    """Return a text with each word of the table replaced once, capitals kept."""

    def swap(match: re.Match[str]) -> str:
        other = table.get(match[0].lower())
        if other is None:
            return match[0]
        return other[0].upper() + other[1:] if match[0][0].isupper() else other

    return re.sub(r"[^\W\d_]+", swap, text)


def _drop_alike(assistant: Assistant, foreign: Sequence[Foreign]) -> list[Foreign]:
    """Return the foreign flows that are none of the assistant's own in other words."""
    own = [f"{flow.readable_name} {flow.description}".replace("_", " ") for flow in assistant.user_flows]
    index = TextIndex(own, bag_of_words)
    known = set(assistant.flows)
    return [
        item
        for item in foreign
        if item.flow.id not in known
        and max(index.compare(f"{item.flow.id} {item.flow.description}".replace("_", " ")), default=0.0)
        < _TOO_ALIKE
    ]


def _read_pairs(name: str) -> dict[str, str]:
    lines = files(__package__).joinpath(name).read_text(encoding="utf-8").splitlines()
    pairs = (line.partition(": ") for line in lines if line and not line.startswith("#"))
    return {key: value for key, _, value in pairs}
