"""Whether a generated answer of the bot is relevant, or grounded in facts: as a judge sees it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from du_eval.assistants.engine.events import ActionExecuted, BotMessage, BotUttered, Event
from du_eval.endtoend.check import said
from du_eval.endtoend.model import Assertion, UserStep
from du_eval.endtoend.results import Finding, TurnRecord
from du_eval.errors import AgentError, EndpointError
from du_eval.judges.generated import AnswerRater, Rating

RELEVANT, GROUNDED = "generative_response_is_relevant", "generative_response_is_grounded"
_SOURCES = {"EnterpriseSearchPolicy": "action_trigger_search", "IntentlessPolicy": "action_trigger_chitchat"}
"""The names under which test files know what writes answers, and the actions that stand for it here."""
_REPHRASER = "ContextualResponseRephraser"


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A message that may be meant, where it stands, and the action that said it."""

    at: int
    message: BotMessage
    action: str


async def rated(
    assertion: Assertion, step: UserStep, record: TurnRecord, start: int, rater: AnswerRater
) -> int | Finding:
    """Return the place behind the message that is good enough, or what is wrong."""
    meant = [found for found in _candidates(record.events, start) if _is_meant(found, assertion)]
    if not meant:
        return Finding(assertion.line, _shown(assertion), said(record.messages), step.text)
    spoken = [found for found in meant if found.message.text.strip()]
    if not spoken:
        reason = f"a model would write this answer: stub {meant[0].action or 'the action'} with a text"
        return _unjudged(assertion, step, reason)
    if assertion.kind == GROUNDED and not assertion.truth:
        return _unjudged(assertion, step, "without ground_truth there are no facts to compare with")
    try:
        ratings = [await _rating(assertion, step, found.message.text, rater) for found in spoken]
    except (AgentError, EndpointError) as error:
        return _unjudged(assertion, step, f"the judge gave no answer: {error}")
    return _decided(assertion, step, list(zip(spoken, ratings, strict=True)), rater.name)


def _decided(
    assertion: Assertion, step: UserStep, found: Sequence[tuple[_Candidate, Rating]], judge: str
) -> int | Finding:
    known = [(rating.value, candidate, rating) for candidate, rating in found if rating.value is not None]
    if not known:
        return _unjudged(assertion, step, f"{found[0][1].reason} (judge: {judge})")
    value, candidate, rating = max(known, key=lambda one: one[0])
    if value >= assertion.threshold:
        return candidate.at + 1
    reason = f"{candidate.message.text!r} is rated {value:.2f}: {rating.reason} (judge: {judge})"
    return Finding(assertion.line, _shown(assertion), reason, step.text)


async def _rating(assertion: Assertion, step: UserStep, answer: str, rater: AnswerRater) -> Rating:
    if assertion.kind == GROUNDED:
        return await rater.grounding(answer, assertion.truth)
    return await rater.relevance(answer, step.text)


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


def _unjudged(assertion: Assertion, step: UserStep, reason: str) -> Finding:
    return Finding(assertion.line, _shown(assertion), reason, step.text, is_error=True)
