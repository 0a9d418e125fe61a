"""What was answered until a run ended, as cases: closed, and with what was left out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache

from msgspec import Struct
from msgspec.structs import replace

from du_eval.commands.base import Command
from du_eval.commands.flows import SetSlot
from du_eval.errors import tell_count
from du_eval.evaluation.aggregate import step_counts
from du_eval.evaluation.compare import JudgingPolicy
from du_eval.evaluation.expectations import ExpectationReader
from du_eval.evaluation.plan import name_twin
from du_eval.evaluation.predict import Collected
from du_eval.evaluation.record import AskedCase
from du_eval.evaluation.replay import Replay
from du_eval.evaluation.step import JudgedCase, JudgedStep, StepMistake
from du_eval.evaluation.taxonomy import Filled, Mistake, Residual, list_mistakes
from du_eval.runs.outcome import Outcome
from du_eval.runs.record import Case, Check
from du_eval.runs.schedule import Sampling
from du_eval.statistics.counts import Counts
from du_eval.suites.model import TestCase, TestSuite, UserStep

Spell = Callable[[Command], str]


class CaseRules(Struct, frozen=True):
    """What decides about a case beyond its steps."""

    policy: JudgingPolicy
    sampling: Sampling
    spell: Spell
    strict_bot: bool = False

    def list_cases(
        self, suite: TestSuite, collected: Collected, start: int = 0, end: int | None = None
    ) -> Iterator[AskedCase]:
        """Yield the cases in the order of asking, with the steps that were finished."""
        seen: Counter[tuple[str, str]] = Counter()
        for number, case in enumerate(suite.cases[:end]):
            seen[case.file, case.name] += 1
            found = collected.by_case.get(number)
            if found and number >= start:
                replay = collected.replays.get(number)
                judged = self._case(case, found, replay, seen[case.file, case.name] - 1)
                collected.by_case[number] = list(judged.results)  # those without mistakes and counts can go
                yield AskedCase(judged, replay, collected.drives.get(number))

    def _case(self, case: TestCase, found: list[JudgedStep], replay: Replay | None, twin: int) -> JudgedCase:
        """Return what became of a case; so many of the same name come before it in its file."""
        has_ratio = (case.success_ratio or self.sampling.ratio) is not None
        is_other = self.strict_bot and replay is not None and bool(replay.differences)
        judged = Case(
            case.file,
            case.name,
            tuple(sorted(found, key=lambda step: (step.key.sample, step.key.step))),
            line=case.line,
            variant=name_twin(twin),
            ratio=self.sampling.choose_ratio(case.success_ratio) if has_ratio else None,
            length=self._length(case),
            failure="a bot step differs from the replay (--strict-bot)" if is_other else "",
        )
        return close_case(judged, self.policy, self.spell, replay)

    def is_whole(self, suite: TestSuite, cases: Sequence[JudgedCase]) -> bool:
        """Tell whether nothing is left to ask: a limit that the very last step reached cuts nothing off."""
        if len(cases) < self.count_judged(suite):
            return False
        samples = (self.sampling.choose_ratio(case.success_ratio).of for case in suite if self._length(case))
        return all(
            len(found.results) == found.length * of or (found.ratio and found.outcome is not Outcome.ERRORED)
            for found, of in zip(cases, samples, strict=True)
        )

    def list_unasked(
        self, suite: Sequence[TestCase], collected: Collected, reader: ExpectationReader
    ) -> Iterator[tuple[Command, ...]]:
        """Yield what steps expect, once for each sample that was not asked."""
        for number, case in enumerate(suite):
            found = collected.by_case.get(number, [])
            asked, wanted = Counter(step.key.step for step in found), self._count_wanted(case, found)
            for place, step in enumerate(case.user_steps, 1):
                if self._is_judged(step):
                    yield from [reader.alternatives(step)[0]] * max(0, wanted - asked[place])

    def _count_wanted(self, case: TestCase, found: list[JudgedStep]) -> int:
        """Return how many samples a case needs; those that a decided ratio spares are not missing."""
        samples = self.sampling.choose_ratio(case.success_ratio).of
        if samples == 1 or not found:
            return samples
        judged = self._case(case, found, None, 0)
        return 1 if judged.ratio and judged.outcome is not Outcome.ERRORED else samples

    def count_judged(self, suite: TestSuite) -> int:
        """Return how many cases have anything to judge."""
        return sum(bool(self._length(case)) for case in suite)

    def _is_judged(self, step: UserStep) -> bool:
        return self.policy.judges_empty_steps or any(step.alternatives)

    def _length(self, case: TestCase) -> int:
        return sum(map(self._is_judged, case.user_steps))

    def list_notes(self, suite: TestSuite, collected: Collected) -> Iterator[str]:
        """Yield what a reader must know before trusting the numbers."""
        stopped = [replay for replay in collected.replays.values() if replay.stopped]
        if stopped:
            yield (
                f"{tell_count(len(stopped), 'case')} could not be replayed to the end: "
                "later steps were asked with a state derived from the texts"
            )
        if not self.policy.judges_empty_steps:
            empty = sum(not any(step.alternatives) for case in suite for step in case.user_steps)
            if empty:
                name = self.policy.name
                yield f"{empty} steps expect no command; the policy '{name}' does not evaluate them"


def close_case(case: JudgedCase, policy: JudgingPolicy, spell: Spell, replay: Replay | None) -> JudgedCase:
    """Return a case whose results know what only all of them together tell: mistakes, counts, checks."""
    residuals, counts = list_residuals(case), step_counts(case.results, policy)
    steps = zip(case.results, residuals, counts, strict=True)
    return replace(case, results=tuple(_close(*step, spell, replay) for step in steps))


def list_residuals(case: JudgedCase) -> list[tuple[Residual, ...]]:
    """Return the mistakes of each step of a case; what a correction is, the earlier steps tell."""
    found: list[tuple[Residual, ...]] = []
    filled: dict[int, Filled] = {}
    for step in case.results:
        known, live = filled.setdefault(step.key.sample, {}), step.detail.live
        is_errored = step.outcome is Outcome.ERRORED
        mistakes = (
            [Residual(Mistake.ERRORED)]
            if is_errored
            else list_mistakes(live.diff, step.detail.unparsed, known)
        )
        found.append(tuple(mistakes))
        known.update({one.slot: one.value for one in live.expected if isinstance(one, SetSlot)})
    return found


def _close(
    step: JudgedStep,
    residuals: tuple[Residual, ...],
    counts: Mapping[str, Counts],
    spell: Spell,
    replay: Replay | None,
) -> JudgedStep:
    detail, checks = step.detail, _shared(tuple(_checks(step, replay)))
    if not residuals:
        return replace(step, counts=counts, checks=checks)
    mistakes = tuple(_describe(one, spell) for one in residuals)
    detail = replace(detail, mistakes=mistakes, live=replace(detail.live, residuals=residuals))
    kinds = tuple(one.kind for one in mistakes)
    return replace(step, detail=detail, mistakes=kinds, counts=counts, checks=checks)


def _describe(residual: Residual, spell: Spell) -> StepMistake:
    return StepMistake(
        residual.kind.value,
        spell(residual.expected) if residual.expected else "",
        spell(residual.predicted) if residual.predicted else "",
        None if residual.distance is None else round(residual.distance, 3),
    )


def _checks(step: JudgedStep, replay: Replay | None) -> Iterator[Check]:
    """Yield what else can be said of a step: about the text of its answer, and about the replay."""
    if step.outcome is not Outcome.ERRORED:
        yield _check("output is parsed", holds=not step.detail.unparsed)
        yield _check("flows are known", holds=not step.detail.unknown_flows)
    line = step.line
    if replay is not None and (not replay.stopped or line < replay.stopped_line):
        yield _check("bot steps follow", holds=all(found.line != line for found in replay.differences))
        idle = all(found.line != line for found in replay.without_effect)
        yield _check("commands have an effect", holds=idle)


@cache
def _shared(checks: tuple[Check, ...]) -> tuple[Check, ...]:
    return checks


@cache
def _check(name: str, *, holds: bool) -> Check:
    return Check(name, Outcome.PASSED if holds else Outcome.FAILED)
