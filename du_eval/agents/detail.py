"""What runs of agent cases store about a sample and about a whole run, in their own words."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from du_eval.agents.modes import FailureMode
from du_eval.agents.results import AgentTalk, CheckResult, InteractionResult
from du_eval.runs.annotation import JudgedText
from du_eval.runs.outcome import Outcome
from du_eval.runs.record import Key, Run
from du_eval.runs.report import Kind


class CaseModes(Struct, frozen=True, omit_defaults=True):
    """The ways in which a case failed."""

    case: str
    """The case over its connection, as reports list it."""
    not_passed: int
    """How many samples did not pass."""
    modes: tuple[FailureMode, ...]


class AgentExtra(Struct, frozen=True, omit_defaults=True):
    """What concerns a whole run of agent cases."""

    modes: tuple[CaseModes, ...] = ()


def _list_judged(run: Run[AgentTalk, AgentExtra]) -> Iterator[JudgedText]:
    """Yield every check that took an opinion, as a question for a person."""
    for result in run.results():
        before: list[str] = []
        for one in result.detail.interactions:
            for check in one.checks:
                if check.judge and check.outcome is not Outcome.ERRORED:
                    yield _ask(result.key, one, check, tuple(before))
            said = one.reply.text if one.reply else None
            before += [f"user:  {one.text or ''}", f"agent: {said or '(no answer)'}"]


def _ask(key: Key, one: InteractionResult, check: CheckResult, before: tuple[str, ...]) -> JudgedText:
    question = f"Does the {check.subject} pass the check '{check.check}': {check.expected}"
    return JudgedText(
        key, check.check, f"{question}?", check.actual, check.outcome, one.text or "", before,
        judge=check.judge,
    )  # fmt: skip


KIND = Kind("agent", AgentTalk, AgentExtra, _list_judged)
