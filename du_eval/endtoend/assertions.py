"""Whether the assertions of a user step hold for its turn."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import regex

from du_eval.assistants.engine.events import (
    ActionExecuted,
    BotMessage,
    BotUttered,
    Event,
    FlowCancelled,
    FlowCompleted,
    FlowStarted,
)
from du_eval.endtoend.check import rate_message, same_value, show_said, slot_history, slot_values, was_not_set
from du_eval.endtoend.model import Assertion, UserMessage
from du_eval.endtoend.results import Finding, TurnRecord
from du_eval.judges.generated import AnswerRater

_SECONDS = 1.0
_CLARIFICATION = "pattern_clarification"
Search = Callable[[Assertion, Sequence[Event], int], "int | None"]
"""Where an assertion is fulfilled at or after a place among the events; None where it is not."""


async def assertion_findings(step: UserMessage, record: TurnRecord, rater: AnswerRater) -> list[Finding]:
    """Return the assertions that do not hold; in order, each is searched behind the one before."""
    start = 0
    findings: list[Finding] = []
    for assertion in step.assertions:
        if assertion.is_generative:
            found = await rate_message(assertion, step, record, start, rater)
        else:
            found = _searched(assertion, step, record, start)
        if isinstance(found, Finding):
            findings.append(found)
        elif step.is_ordered:
            start = found
    return findings


def unmet_assertions(step: UserMessage, record: TurnRecord) -> list[Finding]:
    """Return the assertions that do not hold, without those that take a judge."""
    start = 0
    findings: list[Finding] = []
    for assertion in (one for one in step.assertions if not one.is_generative):
        found = _searched(assertion, step, record, start)
        if isinstance(found, Finding):
            findings.append(found)
        elif step.is_ordered:
            start = found
    return findings


def _searched(assertion: Assertion, step: UserMessage, record: TurnRecord, start: int) -> int | Finding:
    at = _SEARCHES[assertion.kind](assertion, record.events, start)
    if at is None:
        return Finding(assertion.line, show_assertion(assertion), _happened(assertion, record), step.text)
    return at


def _started(assertion: Assertion, events: Sequence[Event], start: int) -> int | None:
    places: dict[str, int] = {}
    for at, event in enumerate(events[start:], start):
        if isinstance(event, FlowStarted):
            places.setdefault(event.flow, at + 1)
    found = [places[flow] for flow in assertion.flows if flow in places]
    needed = 1 if assertion.is_any else len(assertion.flows)
    return max(found, default=None) if len(found) >= needed else None


def _clarified(assertion: Assertion, events: Sequence[Event], start: int) -> int | None:
    wanted = set(assertion.flows)
    for at, event in enumerate(events[start:], start):
        if isinstance(event, FlowStarted) and event.flow == _CLARIFICATION:
            offers = [_texts(event.context.get("flows")), _texts(event.context.get("names"))]
            if any(offer & wanted if assertion.is_any else offer == wanted for offer in offers):
                return at + 1
    return None


def _texts(items: object) -> set[str]:
    return {str(item) for item in items} if isinstance(items, list | tuple) else set()


def _ended(kind: type[FlowCompleted | FlowCancelled]) -> Search:
    def search(assertion: Assertion, events: Sequence[Event], start: int) -> int | None:
        for at, event in enumerate(events[start:], start):
            is_meant = isinstance(event, kind) and event.flow in assertion.flows
            if is_meant and assertion.step in {"", getattr(event, "step", "")}:
                return at + 1
        return None

    return search


def _acted(assertion: Assertion, events: Sequence[Event], start: int) -> int | None:
    for at, event in enumerate(events[start:], start):
        if isinstance(event, ActionExecuted) and event.name == assertion.name:
            return at + 1
    return None


def _slots_set(assertion: Assertion, events: Sequence[Event], start: int) -> int | None:
    last = start
    for slot in assertion.slots:
        places = [
            at
            for at, value in slot_values(slot.name, events)
            if at >= start and (not slot.has_value or same_value(value, slot.value))
        ]
        if not places:
            return None
        last = max(last, places[0] + 1)
    return last


def _slots_not_set(assertion: Assertion, events: Sequence[Event], start: int) -> int | None:
    return start if all(was_not_set(slot, events[start:]) for slot in assertion.slots) else None


def _uttered(assertion: Assertion, events: Sequence[Event], start: int) -> int | None:
    last = start
    for test in _tests(assertion):
        places = [
            at
            for at, event in enumerate(events[start:], start)
            if isinstance(event, BotUttered) and test(event.message)
        ]
        if not places:
            return None
        last = max(last, places[0] + 1)
    return last


def _not_uttered(assertion: Assertion, events: Sequence[Event], start: int) -> int | None:
    messages = [event.message for event in events[start:] if isinstance(event, BotUttered)]
    tests = list(_tests(assertion))
    return None if any(test(message) for test in tests for message in messages) else start


def _tests(assertion: Assertion) -> Iterator[Callable[[BotMessage], bool]]:
    if assertion.name:
        yield lambda message: message.response == assertion.name
    if assertion.text is not None:
        yield lambda message: _matches(assertion.text or "", message.text)
    if assertion.buttons:
        wanted = assertion.buttons
        yield lambda message: tuple((button.title, button.payload) for button in message.buttons) == wanted


def _matches(pattern: str, text: str) -> bool:
    try:
        return pattern == text or regex.search(pattern, text, timeout=_SECONDS) is not None
    except (regex.error, TimeoutError):
        return False


_SEARCHES: dict[str, Search] = {
    "flow_started": _started,
    "pattern_clarification_contains": _clarified,
    "flow_completed": _ended(FlowCompleted),
    "flow_cancelled": _ended(FlowCancelled),
    "action_executed": _acted,
    "slot_was_set": _slots_set,
    "slot_was_not_set": _slots_not_set,
    "bot_uttered": _uttered,
    "bot_did_not_utter": _not_uttered,
}


def show_assertion(assertion: Assertion) -> str:
    """Return what an assertion asks for, in words."""
    joined = (" or " if assertion.is_any else ", ").join(assertion.flows)
    parts = [joined, f"at step {assertion.step}" if assertion.step else "", assertion.name]
    parts.append(f"text matching {assertion.text!r}" if assertion.text is not None else "")
    parts.append(f"buttons {', '.join(title for title, _ in assertion.buttons)}" if assertion.buttons else "")
    parts.append(", ".join(str(slot) for slot in assertion.slots))
    parts.append(assertion.truth)
    return f"{assertion.kind}: {'; '.join(part for part in parts if part)}"


def _happened(assertion: Assertion, record: TurnRecord) -> str:
    """Return what happened instead, as far as it belongs to the assertion."""
    if assertion.slots:
        return "; ".join(slot_history(slot.name, record.events) for slot in assertion.slots)
    if assertion.kind in {"bot_uttered", "bot_did_not_utter"}:
        return show_said(record.messages)
    if assertion.kind == "action_executed":
        names = [event.name for event in record.events if isinstance(event, ActionExecuted)]
        return f"actions that ran: {', '.join(names) or 'none'}"
    if assertion.kind == "flow_completed":
        ends = [f"{e.flow} (at {e.step})" for e in record.events if isinstance(e, FlowCompleted)]
        return f"flows that were completed: {', '.join(ends) or 'none'}"
    if assertion.kind == "flow_cancelled":
        ends = [f"{e.flow} (at {e.step})" for e in record.events if isinstance(e, FlowCancelled)]
        return f"flows that were cancelled: {', '.join(ends) or 'none'}"
    starts = [event for event in record.events if isinstance(event, FlowStarted)]
    if assertion.kind == "flow_started":
        return f"flows that started: {', '.join(event.flow for event in starts) or 'none'}"
    offered = [sorted(_texts(event.context.get("flows"))) for event in starts if event.flow == _CLARIFICATION]
    return f"options that were offered: {', '.join(offered[0]) if offered else 'none'}"
