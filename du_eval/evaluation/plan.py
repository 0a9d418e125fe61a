"""From a test case to the questions that a generator is asked."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from du_eval.assistants.model import Assistant
from du_eval.assistants.state import DialogueState
from du_eval.assistants.tracker import Tracker
from du_eval.commands.base import Command
from du_eval.conversation import Conversation, Speaker, Turn
from du_eval.evaluation.expectations import Alternatives, ExpectationReader
from du_eval.generators.base import Place, Request
from du_eval.suites.model import PLACEHOLDER, BotStep, TestCase, UserStep

NO_ASSISTANT = Assistant()


@dataclass(frozen=True, slots=True)
class Probe:
    """One request, and what is expected of the answer to it."""

    request: Request
    alternatives: Alternatives


class Planner:
    """Makes the probes of cases; each user step is asked with the history that the file gives it."""

    def __init__(self, reader: ExpectationReader) -> None:
        self._reader = reader
        self._trackers: dict[str, Tracker] = {}

    def probes(self, case: TestCase, assistant: Assistant | None) -> Iterator[Probe]:
        """Yield a probe for each user step of a case."""
        known = assistant or NO_ASSISTANT
        slots = {slot: value for fixture in case.fixtures for slot, value in fixture.slots.items()}
        state = DialogueState(slots=slots)
        history = Conversation()
        number = 0
        past: tuple[tuple[Command, ...], ...] = ()
        for step, bot_turns in _exchanges(case, known):
            if step is None:
                history = history.adding(*bot_turns)
                continue
            number += 1
            place = Place(case.file, case.name, number, step.line)
            alternatives = self._reader.alternatives(step)
            request = Request(step.text, history, state, step.metadata, known, place, past, slots)
            yield Probe(request, alternatives)
            history = history.adding(Turn(Speaker.USER, step.text), *bot_turns)
            past = (*past, alternatives[0])
            if assistant is not None:
                state = self._tracker(assistant).advanced(state, alternatives[0], bot_turns)

    def _tracker(self, assistant: Assistant) -> Tracker:
        if assistant.path not in self._trackers:
            self._trackers[assistant.path] = Tracker(assistant)
        return self._trackers[assistant.path]


def _exchanges(case: TestCase, assistant: Assistant) -> Iterator[tuple[UserStep | None, tuple[Turn, ...]]]:
    """Yield each user step with the bot's turns after it; first, with no step, what the bot said before."""
    user: UserStep | None = None
    said: list[Turn] = []
    for step in case.steps:
        if isinstance(step, BotStep):
            said.append(_turn(step, assistant))
        else:
            if user is not None or said:
                yield user, tuple(said)
            user, said = step, []
    if user is not None:
        yield user, tuple(said)


def _turn(step: BotStep, assistant: Assistant) -> Turn:
    if step.response is None:
        return Turn(Speaker.BOT, step.text or "")
    if step.response == PLACEHOLDER:
        return Turn(Speaker.BOT, "", PLACEHOLDER)
    response = assistant.responses.get(step.response)
    return Turn(Speaker.BOT, response.text if response else "", step.response)
