"""What kind of value a slot wants, read from its type, name, description and question."""

from __future__ import annotations

import re
from enum import StrEnum

from msgspec import Struct
from msgspec.structs import replace

from du_eval.assistants.model import BOOL, CATEGORICAL, FLOAT, Assistant, Collect, Slot
from du_eval.generators.baseline.spans import Form
from du_eval.generators.baseline.text import WORDS, content_stems, split_identifier


class ValueRole(StrEnum):
    """The kinds of values that people give."""

    YES_NO = "yes or no"
    CATEGORY = "one of some values"
    AMOUNT = "an amount"
    COUNT = "a count"
    IDENTIFIER = "a number or code"
    PHONE = "a telephone number"
    EMAIL = "an e-mail address"
    HANDLE = "a handle"
    ADDRESS = "a street address"
    DATE = "a date"
    TIME = "a time"
    PERSON = "a person or company"
    PLACE = "a place"
    TITLE = "the name of a thing"
    PURPOSE = "a purpose"
    FREE = "any text"


FORMS: dict[ValueRole, tuple[Form, ...]] = {
    ValueRole.AMOUNT: (Form.MONEY, Form.NUMBER),
    ValueRole.COUNT: (Form.NUMBER,),
    ValueRole.IDENTIFIER: (Form.CODE, Form.NUMBER, Form.PHONE),
    ValueRole.PHONE: (Form.PHONE, Form.NUMBER),
    ValueRole.EMAIL: (Form.EMAIL,),
    ValueRole.HANDLE: (Form.HANDLE,),
    ValueRole.ADDRESS: (Form.NAME,),
    ValueRole.DATE: (Form.DATE,),
    ValueRole.TIME: (Form.TIME,),
    ValueRole.PERSON: (Form.NAME,),
    ValueRole.PLACE: (Form.NAME,),
    ValueRole.TITLE: (Form.NAME,),
    ValueRole.PURPOSE: (Form.NAME,),
}
"""The forms in which a value of a role comes, best first."""

_BY_ROLE = tuple(
    (ValueRole[role], re.compile(pattern, re.IGNORECASE))
    for role, _, pattern in (line.partition(" : ") for line in WORDS["roles"])
)
_LEADS = tuple(
    (pattern, frozenset(found.split()))
    for pattern, _, found in (line.partition(" : ") for line in WORDS["leads"])
)
LEADS = frozenset(word for _, leads in _LEADS for word in leads)
"""Every word in front of a value that may tell whose value it is."""
_NOT_TO = _LEADS[0][1] | {"by", "starring"}
_LISTED = re.compile(r"(?:such as|for example|for instance|e\.g\.)[:,]?\s+(?P<items>[^.;()]+)", re.IGNORECASE)
_PAYLOAD = re.compile(r"\s*/SetSlots?\((?P<pairs>.*)\)\s*", re.DOTALL)


class SlotProfile(Struct, frozen=True):
    """A slot as the baseline sees it."""

    slot: Slot
    collect: Collect
    role: ValueRole
    aliases: tuple[tuple[str, str], ...]
    """Wordings in lower case, and the value that each stands for."""
    leads: frozenset[str]
    """The words that tend to stand in front of its values."""
    own: frozenset[str]
    """The stems of its name."""
    flow: frozenset[str]
    """The stems of the title of its flow: they ask for the flow, and name no value."""
    about: frozenset[str]
    """The stems of everything that is said about it."""

    @property
    def name(self) -> str:
        """The name of the slot."""
        return self.slot.name


def read_profiles(assistant: Assistant, flow: str) -> tuple[SlotProfile, ...]:
    """Return the profiles of what a flow collects; words that all its slots share name none of them."""
    found = [_read_profile(assistant, collect) for collect in assistant.list_collects(flow)]
    shared = frozenset.intersection(*(profile.own for profile in found)) if len(found) > 1 else frozenset()
    title = frozenset(content_stems(f"{split_identifier(flow)} {assistant.flows[flow].name}"))
    return tuple(replace(profile, own=profile.own - shared, flow=title) for profile in found)


def _read_profile(assistant: Assistant, collect: Collect) -> SlotProfile:
    """Return the profile of a slot that a flow collects."""
    slot = assistant.slots.get(collect.slot, Slot(collect.slot))
    response = assistant.responses.get(collect.question)
    question = response.text if response else ""
    named = split_identifier(slot.name)
    told = f"{named} {collect.description}"
    leads = frozenset(word for pattern, found in _LEADS if re.search(pattern, told.lower()) for word in found)
    role = _role(slot, (collect.description, named, question))
    return SlotProfile(
        slot,
        collect,
        role,
        _aliases(assistant, slot, collect),
        leads | _LEADS[1][1] if role is ValueRole.PERSON and not leads & _NOT_TO else leads,
        frozenset(content_stems(named)),
        frozenset(),
        frozenset(content_stems(f"{told} {question}")),
    )


def _role(slot: Slot, texts: tuple[str, ...]) -> ValueRole:
    values = [value for value in slot.values if value != "dontcare"]
    if slot.type == CATEGORICAL and values and all(value.isdigit() for value in values):
        return ValueRole.COUNT
    if slot.type in {BOOL, CATEGORICAL}:
        return ValueRole.YES_NO if slot.type == BOOL else ValueRole.CATEGORY
    for text in texts:
        role = next((role for role, pattern in _BY_ROLE if pattern.search(text)), None)
        if slot.type == FLOAT and role not in {ValueRole.AMOUNT, ValueRole.COUNT, None}:
            role = None
        if role:
            return role
    return ValueRole.COUNT if slot.type == FLOAT else ValueRole.FREE


def _aliases(assistant: Assistant, slot: Slot, collect: Collect) -> tuple[tuple[str, str], ...]:
    """Return the wordings of a slot's values: the values, synonyms, examples, and the titles of buttons."""
    pairs = [
        (split_identifier(value), value) for value in slot.values if value not in {"__other__", "dontcare"}
    ]
    if not pairs and slot.type not in {BOOL, FLOAT}:
        pairs = [(value, value) for value in _examples_in(collect.description)]
    for entity in slot.entities if slot.type != FLOAT else ():
        pairs.extend((value, value) for value in assistant.entity_values.get(entity, ()))
    known = {value for _, value in pairs}
    pairs.extend(
        (text, value) for value, texts in assistant.synonyms.items() if value in known for text in texts
    )
    response = assistant.responses.get(collect.question)
    for button in (button for item in response.variations for button in item.buttons) if response else ():
        value = dict(read_payload(button.payload)).get(slot.name, button.payload)
        if value in known:
            pairs.append((button.title, value))
    return tuple(dict.fromkeys((text.lower(), value) for text, value in pairs))


def _examples_in(description: str) -> list[str]:
    """Return the values that a description lists after words like `such as`."""
    match = _LISTED.search(description)
    items = re.split(r",\s*(?:or\s+|and\s+)?|\s+(?:or|and)\s+", match["items"]) if match else []
    return [item.strip() for item in items if 0 < len(item.split()) <= 2]


def read_payload(message: str) -> tuple[tuple[str, str], ...]:
    """Return slots and values of a `/SetSlots(a=b, c=d)` message, nothing for any other message."""
    match = _PAYLOAD.fullmatch(message)
    if not match:
        return ()
    parts = re.split(r",\s*(?=[\w-]+\s*=)", match["pairs"])
    pairs = (part.partition("=") for part in parts if "=" in part)
    return tuple((name.strip(), value.strip().strip("'\"")) for name, _, value in pairs)
