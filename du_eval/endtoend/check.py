"""Whether a turn brought what the steps behind it expect."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from du_eval.assistants.engine.events import ActionExecuted, BotMessage, BotUttered, Event, SlotReset, SlotSet
from du_eval.endtoend.model import (
    Assertion,
    ExpectedReply,
    ScriptedTurn,
    SlotExpectation,
    SlotStep,
    UserMessage,
)
from du_eval.endtoend.results import Finding, TurnRecord
from du_eval.errors import AgentError, EndpointError
from du_eval.judges.generated import AnswerRater, Rating
from du_eval.parsers.yaml_parser import read_scalar

PLACEHOLDER = "placeholder_generated_answer"


def step_findings(turn: ScriptedTurn, record: TurnRecord) -> Iterator[Finding]:
    """Yield what is missing; order does not matter, and the bot may say more."""
    for check in turn.checks:
        if isinstance(check, ExpectedReply):
            if not any(says(check, message) for message in record.messages):
                expected = check.response if check.response is not None else repr(check.text)
                yield Finding(
                    check.line, f"the bot says {expected}", show_said(record.messages), turn.user.text
                )
        elif not is_slot_as_expected(check, record.events):
            word = "was set" if check.is_set else "was not set"
            found = slot_history(check.slot.name, record.events)
            yield Finding(check.line, f"slot {word}: {check.slot}", found, turn.user.text)


def says(step: ExpectedReply, message: BotMessage) -> bool:
    """Tell whether a message is the one a step expects."""
    if step.response is not None:
        return step.response in {message.response, PLACEHOLDER, *message.choices}
    text = (step.text or "").strip()
    return not message.is_generated and text in {message.text.strip(), *(w.strip() for w in message.wordings)}


def show_said(messages: Sequence[BotMessage]) -> str:
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
    written = read_scalar(expected)
    return value == written or str(value).casefold() == expected.casefold()


def slot_history(name: str, events: Sequence[Event]) -> str:
    """Return what became of a slot in a turn, in words."""
    values = [repr(value) for _, value in slot_values(name, events)]
    return f"{name} became {', then '.join(values)}" if values else f"{name} was not touched"


RELEVANT, GROUNDED = "generative_response_is_relevant", "generative_response_is_grounded"
_SOURCES = {"EnterpriseSearchPolicy": "action_trigger_search", "IntentlessPolicy": "action_trigger_chitchat"}
"""The names under which test files know what writes answers, and the actions that stand for it here."""
_REPHRASER = "ContextualResponseRephraser"


class _Candidate(Struct, frozen=True):
    """A message that may be meant, where it stands, and the action that said it."""

    at: int
    message: BotMessage
    action: str


async def rate_message(
    assertion: Assertion, step: UserMessage, record: TurnRecord, start: int, rater: AnswerRater
) -> int | Finding:
    """Return the place behind the message that is good enough, or what is wrong."""
    meant = [found for found in _candidates(record.events, start) if _is_meant(found, assertion)]
    if not meant:
        return Finding(assertion.line, _shown(assertion), show_said(record.messages), step.text)
    spoken = [found for found in meant if found.message.text.strip()]
    if not spoken:
        reason = f"a model would write this answer; stub {meant[0].action or 'the action'} with a text"
        return _unjudged(assertion, step, reason)
    if assertion.kind == GROUNDED and not assertion.truth:
        return _unjudged(assertion, step, "without ground_truth there are no facts to compare with")
    try:
        ratings = [await _rating(assertion, step, found.message.text, rater) for found in spoken]
    except (AgentError, EndpointError) as error:
        return _unjudged(assertion, step, f"the judge did not answer: {error}")
    return _decided(assertion, step, list(zip(spoken, ratings, strict=True)), rater.name)


def _decided(
    assertion: Assertion, step: UserMessage, found: Sequence[tuple[_Candidate, Rating]], judge: str
) -> int | Finding:
    known = [(rating.value, candidate, rating) for candidate, rating in found if rating.value is not None]
    if not known:
        return _unjudged(assertion, step, f"{found[0][1].reason} (judge: {judge})")
    value, candidate, rating = max(known, key=lambda one: one[0])
    if value >= assertion.threshold:
        return candidate.at + 1
    reason = f"{candidate.message.text!r} is rated {value:.2f}: {rating.reason} (judge: {judge})"
    return Finding(assertion.line, _shown(assertion), reason, step.text)


async def _rating(assertion: Assertion, step: UserMessage, answer: str, rater: AnswerRater) -> Rating:
    if assertion.kind == GROUNDED:
        return await rater.rate_grounding(answer, assertion.truth)
    return await rater.rate_relevance(answer, step.text)


def _candidates(events: Sequence[Event], start: int) -> Iterator[_Candidate]:
    action = ""
    for at, event in enumerate(events):
        if isinstance(event, ActionExecuted):
            action = event.name
        elif isinstance(event, BotUttered) and at >= start:
            yield _Candidate(at, event.message, action)


def _is_meant(found: _Candidate, assertion: Assertion) -> bool:
    """Tell whether an assertion may mean a message; a response of the domain is meant only by its name."""
    response = found.message.response
    if assertion.name:
        return response == assertion.name
    if assertion.source == _REPHRASER:
        return response is not None
    if response is not None:
        return False
    return not assertion.source or found.action == _SOURCES.get(assertion.source, assertion.source)


def _shown(assertion: Assertion) -> str:
    parts = [assertion.name, assertion.source, f"at least {assertion.threshold:g}"]
    return f"{assertion.kind}: {', '.join(part for part in parts if part)}"


def _unjudged(assertion: Assertion, step: UserMessage, reason: str) -> Finding:
    return Finding(assertion.line, _shown(assertion), reason, step.text, is_error=True)
