"""What a generator's own mistakes do to later steps, and how much worse it gets: the exposure gap."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct, field
from msgspec.structs import replace

from du_eval.conversation import Conversation, Speaker, Turn
from du_eval.evaluation.aggregate import CONFIDENCE, count_pairing
from du_eval.evaluation.plan import Plan, Probe
from du_eval.evaluation.predict import Collected, OnResult, ProbeAsker
from du_eval.evaluation.replay import CaseReplay, GoldExchange, exchanges
from du_eval.evaluation.step import DriveSeen, JudgedCase, JudgedStep
from du_eval.runs.outcome import Outcome
from du_eval.statistics.clusters import clustered_proportion, proportion
from du_eval.statistics.counts import sum_counts
from du_eval.statistics.difference import Difference, Pair
from du_eval.statistics.intervals import Measurement
from du_eval.statistics.paired_rates import rate_difference
from du_eval.suites.model import PLACEHOLDER, TestCase

if TYPE_CHECKING:
    from du_eval.assistants.engine.engine import Advance
    from du_eval.assistants.engine.state import EngineState


class Level(Struct, frozen=True, omit_defaults=True):
    """How well steps are understood."""

    accuracy: Measurement
    f1: float | None


class TurnGap(Struct, frozen=True, omit_defaults=True):
    """One turn of all dialogues, with the gold history and with the generator's own."""

    turn: int
    gold: Level
    predicted: Level


class ExposureGap(Struct, frozen=True, omit_defaults=True):
    """What changes with the generator's own history."""

    gold: Level
    predicted: Level
    turns: tuple[TurnGap, ...]
    cases: int
    diverged: Measurement
    """The share of cases that leave the gold path."""
    first_divergences: tuple[tuple[int, int], ...]
    """How many cases leave it first after which user step."""
    recovery: Measurement
    """The share of those cases, as far as they have steps left, that come back to it."""
    reused: int
    asked: int
    difference: Difference | None = None
    """What the generator's own history changes, over the steps that were judged with both."""

    @property
    def value(self) -> float | None:
        """The loss of accuracy."""
        if self.gold.accuracy.value is None or self.predicted.accuracy.value is None:
            return None
        return self.gold.accuracy.value - self.predicted.accuracy.value


Both = tuple[JudgedCase, DriveSeen]
"""A case with the gold history, and with the generator's own."""


def measure_gap(cases: Sequence[Both]) -> ExposureGap | None:
    """Return the gap of the cases that were asked with both histories."""
    if not cases:
        return None
    drives = [drive for _, drive in cases]
    diverged = [drive for drive in drives if drive.diverged_at is not None]
    with_rest = [drive for drive in diverged if (drive.diverged_at or 0) < len(drive.steps)]
    recovered = sum(drive.recovered_at is not None for drive in with_rest)
    first: dict[int, int] = {}
    for drive in diverged:
        first[drive.diverged_at or 0] = first.get(drive.diverged_at or 0, 0) + 1
    return ExposureGap(
        gold=_level([case.results for case, _ in cases]),
        predicted=_level([drive.steps for drive in drives]),
        turns=tuple(_turns(cases)),
        cases=len(cases),
        diverged=proportion(len(diverged), len(drives), CONFIDENCE),
        first_divergences=tuple(sorted(first.items())),
        recovery=proportion(recovered, len(with_rest), CONFIDENCE),
        reused=sum(drive.reused for drive in drives),
        asked=sum(len(drive.steps) - drive.reused for drive in drives),
        difference=rate_difference(list(_pairs(cases))),
    )


def _pairs(cases: Sequence[Both]) -> Iterator[Pair]:
    """Yield the steps that were judged with both histories; the conversation is the cluster."""
    for number, (case, drive) in enumerate(cases):
        for gold, own in zip(case.results, drive.steps, strict=False):
            if Outcome.ERRORED not in {gold.outcome, own.outcome}:
                yield Pair(
                    number, float(gold.outcome is Outcome.PASSED), float(own.outcome is Outcome.PASSED)
                )


def _turns(cases: Sequence[Both]) -> Iterable[TurnGap]:
    longest = max(len(case.results) for case, _ in cases)
    for turn in range(longest):
        gold = [(case.results[turn],) for case, _ in cases if turn < len(case.results)]
        own = [(drive.steps[turn],) for _, drive in cases if turn < len(drive.steps)]
        yield TurnGap(turn + 1, _level(gold), _level(own))


def _level(groups: Sequence[Sequence[JudgedStep]]) -> Level:
    judged = [[step for step in group if step.outcome is not Outcome.ERRORED] for group in groups]
    clusters = [(sum(step.outcome is Outcome.PASSED for step in group), len(group)) for group in judged]
    counts = sum_counts(count for group in judged for step in group for count in count_pairing(step).values())
    return Level(clustered_proportion(clusters, CONFIDENCE), counts.f1)


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
