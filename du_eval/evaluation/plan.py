"""From a test case to the questions that a generator is asked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from du_eval.assistants.model import Assistant, DialogueState
from du_eval.assistants.tracker import Tracker
from du_eval.commands.base import Command
from du_eval.conversation import Conversation, Speaker, Turn
from du_eval.evaluation.expectations import Alternatives, ExpectationReader
from du_eval.evaluation.replay import CaseReplay, GoldExchange, Replay, Stage, exchanges
from du_eval.generators.base import Place, Request
from du_eval.runs.record import Key
from du_eval.suites.model import PLACEHOLDER, BotStep, TestCase, UserStep

if TYPE_CHECKING:
    from du_eval.assistants.engine.events import BotMessage
    from du_eval.assistants.engine.state import EngineState

NO_ASSISTANT = Assistant()


def name_twin(number: int) -> str:
    """Return what tells a case from those of the same name before it."""
    return f"case {number + 1} of this name" if number else ""


@lru_cache(maxsize=2048)
def make_key(place: Place) -> Key:
    """Return where the result of a step belongs."""
    if not place.twin and place.history == "gold":
        return Key(place.file, place.case, place.step, place.sample)
    variants = []
    if place.twin:
        variants.append(name_twin(place.twin))
    if place.history != "gold":
        variants.append(f"{place.history} history")
    return Key(place.file, place.case, place.step, place.sample, ", ".join(variants))


class Probe(Struct, frozen=True):
    """One request, and what is expected of the answer to it."""

    request: Request
    alternatives: Alternatives

    @property
    def key(self) -> Key:
        """Where its result belongs."""
        return make_key(self.request.place)

    def at_sample(self, sample: int) -> Probe:
        """Return the same question as another repetition."""
        place = replace(self.request.place, sample=sample)
        return replace(self, request=replace(self.request, place=place))


class Plan(Struct, frozen=True):
    """The probes of a case, and what replaying it found; without an assistant there is no replay."""

    probes: tuple[Probe, ...]
    replay: Replay | None = None
    states: tuple[EngineState, ...] = ()
    """The state of the dialogue before each user step, and after the last one."""


class Planner:
    """Makes the probes of cases; each user step is asked with the history that the file gives it."""

    def __init__(self, reader: ExpectationReader, stage: Stage | None = None) -> None:
        self._reader = reader
        self._stage = stage or Stage()
        self._trackers: dict[str, Tracker] = {}

    def probes(self, case: TestCase, assistant: Assistant | None) -> Iterator[Probe]:
        """Yield a probe for each user step of a case."""
        yield from self.plan(case, assistant).probes

    def plan(self, case: TestCase, assistant: Assistant | None) -> Plan:
        """Return the probes of a case, replayed where there is an assistant."""
        if assistant is None:
            return Plan(tuple(self._read_only(case)))
        return self._replayed(case, assistant)

    def place(self, case: TestCase, number: int, step: UserStep) -> Place:
        """Return where a user step stands."""
        return Place(case.file, case.name, number, step.line)

    def _read_only(self, case: TestCase) -> Iterator[Probe]:
        """Yield the probes of a case without an assistant: only fixtures and texts are known."""
        slots = {slot: value for fixture in case.fixtures for slot, value in fixture.slots.items()}
        state, history, number = DialogueState(slots=slots), Conversation(), 0
        past: tuple[tuple[Command, ...], ...] = ()
        for exchange in exchanges(case):
            if exchange.user is not None:
                number += 1
                alternatives = self._reader.alternatives(exchange.user)
                yield Probe(
                    Request(
                        exchange.user.text,
                        history,
                        state,
                        exchange.user.metadata,
                        NO_ASSISTANT,
                        self.place(case, number, exchange.user),
                        past,
                        slots,
                    ),
                    alternatives,
                )
                past = (*past, alternatives[0])
            history = history.adding(*_turns(exchange, NO_ASSISTANT, (None,) * len(exchange.bot)))

    def _replayed(self, case: TestCase, assistant: Assistant) -> Plan:
        follower = CaseReplay(case, assistant, self._stage)
        slots = {slot: value for fixture in case.fixtures for slot, value in fixture.slots.items()}
        advance, history, state = follower.start, Conversation(), follower.start.state.summary()
        probes: list[Probe] = []
        states: list[EngineState] = [advance.state]
        past: tuple[tuple[Command, ...], ...] = ()
        for exchange in exchanges(case):
            step = exchange.user
            alternatives: Alternatives = ((),)
            if step is not None:
                alternatives = self._reader.alternatives(step)
                place = self.place(case, len(probes) + 1, step)
                request = Request(step.text, history, state, step.metadata, assistant, place, past, slots)
                probes.append(Probe(request, alternatives))
                past = (*past, alternatives[0])
                advance = follower.turn(advance.state, step, alternatives[0], history)
                states.append(advance.state)
            turns = _turns(exchange, assistant, follower.check(exchange, advance))
            history = history.adding(*turns)
            if not advance.state.stopped:
                state = _hearing(advance.state.summary(), turns, assistant)
            elif step is not None:
                spoken = tuple(turn for turn in turns if turn.speaker is Speaker.BOT)
                tracked = self._tracker(assistant).advance(state, alternatives[0], spoken)
                state = replace(tracked, is_replayed=False)
        return Plan(tuple(probes), follower.result(advance.state), tuple(states))

    def _tracker(self, assistant: Assistant) -> Tracker:
        if assistant.path not in self._trackers:
            self._trackers[assistant.path] = Tracker(assistant)
        return self._trackers[assistant.path]


def _turns(
    exchange: GoldExchange, assistant: Assistant, partners: Sequence[BotMessage | None]
) -> tuple[Turn, ...]:
    """Return an exchange as turns; a response reads as the bot said it, where the replay agrees."""
    spoken = [_turn(step, assistant, partner) for step, partner in zip(exchange.bot, partners, strict=True)]
    return (*([Turn(Speaker.USER, exchange.user.text)] if exchange.user else []), *spoken)


def _turn(step: BotStep, assistant: Assistant, partner: BotMessage | None) -> Turn:
    if step.response is None:
        return Turn(Speaker.BOT, step.text or "")
    if step.response == PLACEHOLDER:
        return Turn(Speaker.BOT, "", PLACEHOLDER)
    response = assistant.responses.get(step.response)
    text = partner.text if partner is not None else (response.text if response else "")
    return Turn(Speaker.BOT, step.text or text, step.response)


def _hearing(state: DialogueState, turns: Sequence[Turn], assistant: Assistant) -> DialogueState:
    """Return the state with the question that the bot of the file asks, where the replay asks none."""
    response = turns[-1].response if turns else None
    if state.asked_slot is not None or state.active_flow is None or not response:
        return state
    slot = assistant.slot_asked_by(response)
    is_own = any(collect.slot == slot for collect in assistant.list_collects(state.active_flow))
    return replace(state, asked_slot=slot) if is_own else state
