"""What kind of value a slot wants, read from its type, name, description and question."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from du_eval.assistants.model import BOOL, CATEGORICAL, FLOAT, Assistant, Collect, Slot
from du_eval.generators.baseline.spans import Form
from du_eval.generators.baseline.text import split_identifier


class Role(StrEnum):
    """The kinds of values that people give."""

    YES_NO = "yes or no"
    CATEGORY = "one of some values"
    AMOUNT = "an amount"
    COUNT = "a count"
    IDENTIFIER = "a number or code"
    EMAIL = "an e-mail address"
    HANDLE = "a handle"
    ADDRESS = "a street address"
    DATE = "a date"
    TIME = "a time"
    PERSON = "a person or company"
    PLACE = "a place"
    PURPOSE = "a purpose"
    FREE = "any text"


FORMS: dict[Role, tuple[Form, ...]] = {
    Role.AMOUNT: (Form.MONEY, Form.NUMBER),
    Role.COUNT: (Form.NUMBER,),
    Role.IDENTIFIER: (Form.CODE, Form.NUMBER),
    Role.EMAIL: (Form.EMAIL,),
    Role.HANDLE: (Form.HANDLE,),
    Role.ADDRESS: (Form.ADDRESS,),
    Role.DATE: (Form.DATE,),
    Role.TIME: (Form.TIME,),
    Role.PERSON: (Form.NAME,),
    Role.PLACE: (Form.NAME,),
}
"""The forms in which a value of a role comes, best first."""

_ROLE_WORDS: tuple[tuple[Role, str], ...] = (
    (Role.YES_NO, r"true or false|yes or no|\bwhether\b|boolean|\bconfirm(?:ation|ed|s)?$|affirms or denies"),
    (Role.EMAIL, r"e-?mail"),
    (Role.HANDLE, r"starting with @|\bhandle\b"),
    (
        Role.COUNT,
        r"how many|number of (?:people|persons|guests|items|pieces|tickets|nights|days)|quantity|\bcount\b",
    ),
    (
        Role.PERSON,
        r"\bperson\b|recipient|payee|\bwhom?\b|company|name of (?:a|the) (?:user|contact|customer|doctor)",
    ),
    (Role.AMOUNT, r"amount|how much|\bprice\b|\bcosts?\b|income|salary|budget|\bsum\b|\bmoney\b"),
    (Role.ADDRESS, r"\baddress\b|\bstreet\b"),
    (Role.IDENTIFIER, r"digits?\b|\bpin\b|post ?code|zip|\bcode\b|\bnumber\b|\bid\b|password|\breference\b"),
    (Role.DATE, r"\bdate\b|\bday\b|\bperiod\b|\bmonth\b"),
    (Role.TIME, r"\btime\b|\bhour\b|\bwhen\b|o'clock"),
    (Role.PLACE, r"\btown\b|\bcity\b|\bbranch\b|\blocation\b|\bcountry\b|\bdistrict\b|\bplace\b|\bwhere\b"),
    (Role.PURPOSE, r"purpose|\breason\b|what .*\bfor\b|\babout\b|wants? to pay for"),
    (Role.PERSON, r"\bname\b|\bwho\b"),
)
_BY_ROLE = tuple((role, re.compile(pattern, re.IGNORECASE)) for role, pattern in _ROLE_WORDS)
_YES_NO_BUTTON = re.compile(r"(?:yes|no|true|false)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class SlotProfile:
    """A slot as the baseline sees it."""

    slot: Slot
    collect: Collect
    role: Role
    question: str = ""
    aliases: tuple[tuple[str, str], ...] = ()
    """Wordings and the value that each stands for."""

    @property
    def name(self) -> str:
        """The name of the slot."""
        return self.slot.name

    @property
    def about(self) -> str:
        """Everything that is said about the slot."""
        return f"{split_identifier(self.name)} {self.collect.description} {self.question}"


def profile_of(assistant: Assistant, collect: Collect) -> SlotProfile:
    """Return the profile of a slot that a flow collects."""
    slot = assistant.slots.get(collect.slot, Slot(collect.slot))
    response = assistant.responses.get(collect.question)
    question = response.text if response else ""
    return SlotProfile(
        slot, collect, _role(assistant, slot, collect, question), question, _aliases(assistant, slot, collect)
    )


def _role(assistant: Assistant, slot: Slot, collect: Collect, question: str) -> Role:
    if slot.type in {BOOL, CATEGORICAL}:
        return Role.YES_NO if slot.type == BOOL else Role.CATEGORY
    if slot.type != FLOAT and _has_yes_no_buttons(assistant, collect):
        return Role.YES_NO
    for text in (collect.description, split_identifier(slot.name), question):
        role = next((role for role, pattern in _BY_ROLE if pattern.search(text)), None)
        if slot.type == FLOAT and role not in {Role.AMOUNT, Role.COUNT, None}:
            role = None
        if role:
            return role
    return Role.COUNT if slot.type == FLOAT else Role.FREE


def _has_yes_no_buttons(assistant: Assistant, collect: Collect) -> bool:
    response = assistant.responses.get(collect.question)
    buttons = [button for item in response.variations for button in item.buttons] if response else []
    return bool(buttons) and all(_YES_NO_BUTTON.match(button.title) for button in buttons)


def _aliases(assistant: Assistant, slot: Slot, collect: Collect) -> tuple[tuple[str, str], ...]:
    """Return the wordings of a slot's values: the values, synonyms, examples, and the titles of buttons."""
    pairs = [(split_identifier(value), value) for value in slot.values if value != "__other__"]
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
        value = dict(payload_slots(button.payload)).get(slot.name, button.payload)
        if value in known:
            pairs.append((button.title, value))
    return tuple(dict.fromkeys((text.lower(), value) for text, value in pairs))


_LISTED = re.compile(r"(?:such as|for example|for instance|e\.g\.)[:,]?\s+(?P<items>[^.;()]+)", re.IGNORECASE)


def _examples_in(description: str) -> list[str]:
    """Return the values that a description lists after words like `such as`."""
    match = _LISTED.search(description)
    items = re.split(r",\s*(?:or\s+|and\s+)?|\s+(?:or|and)\s+", match["items"]) if match else []
    return [item.strip() for item in items if 0 < len(item.split()) <= 2]


_PAYLOAD = re.compile(r"\s*/SetSlots?\((?P<pairs>.*)\)\s*", re.DOTALL)


def payload_slots(message: str) -> tuple[tuple[str, str], ...]:
    """Return slots and values of a `/SetSlots(a=b, c=d)` message, nothing for any other message."""
    match = _PAYLOAD.fullmatch(message)
    if not match:
        return ()
    parts = re.split(r",\s*(?=[\w-]+\s*=)", match["pairs"])
    pairs = (part.partition("=") for part in parts if "=" in part)
    return tuple((name.strip(), value.strip().strip("'\"")) for name, _, value in pairs)
