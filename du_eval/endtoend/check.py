"""Whether a turn brought what the steps behind it expect."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from du_eval.assistants.engine.events import BotMessage, Event, SlotReset, SlotSet
from du_eval.endtoend.model import BotStep, SlotExpectation, SlotStep, Turn
from du_eval.endtoend.results import Finding, TurnRecord
from du_eval.parsers.yaml_parser import typed_scalar

PLACEHOLDER = "placeholder_generated_answer"


def step_findings(turn: Turn, record: TurnRecord) -> Iterator[Finding]:
    """Yield what is missing; order does not matter, and the bot may say more."""
    for check in turn.checks:
        if isinstance(check, BotStep):
            if not any(says(check, message) for message in record.messages):
                expected = check.response if check.response is not None else repr(check.text)
                yield Finding(check.line, f"the bot says {expected}", said(record.messages), turn.user.text)
        elif not is_slot_as_expected(check, record.events):
            word = "was set" if check.is_set else "was not set"
            found = slot_history(check.slot.name, record.events)
            yield Finding(check.line, f"slot {word}: {check.slot}", found, turn.user.text)


def says(step: BotStep, message: BotMessage) -> bool:
    """Tell whether a message is the one a step expects."""
    if step.response is not None:
        return step.response in {message.response, PLACEHOLDER, *message.choices}
    text = (step.text or "").strip()
    return not message.is_generated and text in {message.text.strip(), *(w.strip() for w in message.wordings)}


def said(messages: Sequence[BotMessage]) -> str:
    """Return what the bot said, in words."""
    shown = (
        f"{message}: {message.text!r}" if message.response and message.text else str(message)
        for message in messages
    )
    return "the bot says " + ("; ".join(shown) or "nothing")


def is_slot_as_expected(check: SlotStep, events: Sequence[Event]) -> bool:
    """Tell whether a slot was, or was not, set in a turn."""
    return was_set(check.slot, events) if check.is_set else was_not_set(check.slot, events)


def was_set(slot: SlotExpectation, events: Sequence[Event]) -> bool:
    """Tell whether some event of a turn sets a slot: to the value that is given, or to anything."""
    values = [value for _, value in slot_values(slot.name, events)]
    if slot.has_value:
        return any(same_value(value, slot.value) for value in values)
    return bool(values)


def was_not_set(slot: SlotExpectation, events: Sequence[Event]) -> bool:
    """Tell whether a turn leaves a slot empty, or without the value that is given."""
    values = [value for _, value in slot_values(slot.name, events)]
    last = values[-1] if values else None
    return not same_value(last, slot.value) if slot.has_value else last is None


def slot_values(name: str, events: Sequence[Event]) -> list[tuple[int, object]]:
    """Return the values that a slot got, with their place among the events."""
    found: list[tuple[int, object]] = []
    for at, event in enumerate(events):
        if isinstance(event, SlotSet | SlotReset) and event.name == name:
            found.append((at, event.value))
    return found


def same_value(value: object, expected: str | None) -> bool:
    """Compare a value with how it is written in a file: by its type, or by its text."""
    if expected is None or value is None:
        return value is None and expected is None
    written = typed_scalar(expected)
    return value == written or str(value).casefold() == expected.casefold()


def slot_history(name: str, events: Sequence[Event]) -> str:
    """Return what became of a slot in a turn, in words."""
    values = [repr(value) for _, value in slot_values(name, events)]
    return f"{name} became {', then '.join(values)}" if values else f"{name} was not touched"
