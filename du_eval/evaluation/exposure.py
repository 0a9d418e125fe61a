"""What a generator's own mistakes do to the steps after them: its commands drive the dialogue."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from msgspec import Struct, field
from msgspec.structs import replace

from du_eval.conversation import Conversation, Speaker, Turn
from du_eval.evaluation.plan import Plan, Probe
from du_eval.evaluation.predict import Collected, OnResult, ProbeAsker
from du_eval.evaluation.replay import CaseReplay, GoldExchange, exchanges
from du_eval.evaluation.step import DriveSeen, JudgedStep
from du_eval.suites.model import PLACEHOLDER, TestCase

if TYPE_CHECKING:
    from du_eval.assistants.engine.engine import Advance
    from du_eval.assistants.engine.state import EngineState


class _Progress(Struct):
    """A drive while it happens."""

    state: EngineState
    history: Conversation = Conversation()
    steps: list[JudgedStep] = field(default_factory=list)
    diverged_at: int | None = None
    recovered_at: int | None = None
    reused: int = 0


class Driver(Struct, frozen=True):
    """Lets a generator drive cases."""

    asker: ProbeAsker
    collected: Collected
    on_result: OnResult = lambda _: None

    async def drive(
        self, case: TestCase, plan: Plan, follower: CaseReplay, gold: Mapping[int, JudgedStep]
    ) -> DriveSeen:
        """Return what became of a case; `gold` holds results with the gold history, by step, from 0."""
        progress = _Progress(follower.start.state)
        for exchange in exchanges(case):
            if exchange.user is None:
                progress.history = progress.history.adding(*_spoken(follower.start))
                continue
            await self._step(progress, exchange, plan, follower, gold)
        return DriveSeen(
            case.id,
            tuple(progress.steps),
            progress.diverged_at,
            progress.recovered_at,
            progress.reused,
            progress.state.stopped,
        )

    async def _step(
        self,
        progress: _Progress,
        exchange: GoldExchange,
        plan: Plan,
        follower: CaseReplay,
        gold: Mapping[int, JudgedStep],
    ) -> None:
        number = len(progress.steps)
        probe, user = plan.probes[number], exchange.user
        assert user is not None
        if progress.diverged_at is None and number in gold:
            result = gold[number]
            progress.reused += 1
        else:
            result = await self._asked(progress, probe)
        progress.steps.append(result)
        advance = follower.turn(progress.state, user, result.detail.live.predicted, progress.history)
        progress.state = advance.state
        if advance.state.stopped:
            said = tuple(Turn(Speaker.BOT, step.text or "", step.response) for step in exchange.bot)
        else:
            said = _spoken(advance)
        progress.history = progress.history.adding(Turn(Speaker.USER, user.text), *said)
        _note_divergence(progress, plan.states[number + 1], number + 1)

    async def _asked(self, progress: _Progress, probe: Probe) -> JudgedStep:
        """Ask the gold question while the dialogue is the gold one, else with what happened instead."""
        request = probe.request
        if progress.diverged_at is not None:
            state = replace(progress.state.summary(), is_replayed=not progress.state.stopped)
            past = tuple(step.detail.live.predicted for step in progress.steps)
            request = replace(request, history=progress.history, state=state, past_commands=past)
        place = replace(request.place, history="predicted")
        asked = Probe(replace(request, place=place), probe.alternatives)
        answer, is_reused = await self.asker.answer(asked)
        result = self.asker.judge_and_keep(asked, answer, is_reused=is_reused)
        self.collected.count(answer, is_reused=is_reused)
        self.on_result(result)
        return result


def _note_divergence(progress: _Progress, gold: EngineState, number: int) -> None:
    is_same = _essence(progress.state) == _essence(gold)
    if not is_same and progress.diverged_at is None:
        progress.diverged_at = number
    elif is_same and progress.diverged_at is not None and progress.recovered_at is None:
        progress.recovered_at = number


def _essence(state: EngineState) -> tuple[object, ...]:
    """Return what matters for what comes next: open flows, the question, and the slots."""
    summary = state.summary()
    return summary.flow_stack, summary.asked_slot, dict(summary.slots), state.stopped


def _spoken(advance: Advance) -> tuple[Turn, ...]:
    return tuple(
        Turn(Speaker.BOT, message.text, PLACEHOLDER if message.is_generated else message.response)
        for message in advance.messages
    )
