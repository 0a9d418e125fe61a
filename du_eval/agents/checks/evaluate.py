"""From an expectation and an answer to a verdict that a stranger understands."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from du_eval.agents.checks.base import (
    CheckFinding,
    CheckKind,
    CheckScope,
    InapplicableError,
    Judges,
    Subject,
    show_value,
)
from du_eval.agents.checks.behaviour import BEHAVIOUR_CHECKS
from du_eval.agents.checks.numbers import NUMBER_CHECKS
from du_eval.agents.checks.texts import JUDGED_CHECKS, TEXT_CHECKS
from du_eval.agents.model import DOCUMENTED, AgentManner, Expectation
from du_eval.agents.results import AgentReply, CheckResult
from du_eval.errors import AgentError, EndpointError, did_you_mean
from du_eval.plugins import PlugIns
from du_eval.runs.outcome import Outcome

ANY_OF = "any_of"
IGNORE_CASE = "ignore_case"
NEGATION = "not_"
JUDGED = frozenset(check.name for check in JUDGED_CHECKS)

CHECKS: Mapping[str, CheckKind] = PlugIns(
    "checks",
    {check.name: check for check in (*TEXT_CHECKS, *NUMBER_CHECKS, *BEHAVIOUR_CHECKS, *JUDGED_CHECKS)},
)
"""Ours, and those of installed packages."""


class CheckName(Struct, frozen=True):
    """The name of a check, taken apart."""

    name: str
    negated: bool


def check_name(written: str) -> CheckName | None:
    """Return the check that a key names, whatever its case, or None."""
    name = written.lower()
    if name in CHECKS or name == ANY_OF:
        return CheckName(name, negated=False)
    base = name.removeprefix(NEGATION)
    if base != name and (base in CHECKS or base == ANY_OF):
        return CheckName(base, negated=True)
    return None


def describe_check(name: CheckName, expected: object) -> str:
    """Return in words what is expected."""
    if name.name != ANY_OF:
        return "not " * name.negated + CHECKS[name.name].phrase(expected)
    groups: tuple[tuple[Expectation, ...], ...] = expected  # type: ignore[assignment]
    phrases = [" and ".join(one.words for one in group) for group in groups]
    return f"to fit {'none' if name.negated else 'one'} of these: " + "; ".join(phrases)


def list_check_names(scope: CheckScope) -> tuple[str, ...]:
    """Return the names of the checks that may stand there, with their negations."""
    names = [check.name for check in CHECKS.values() if check.scope is scope]
    names += [ANY_OF] if scope is CheckScope.VALUE else []
    return (*names, *(NEGATION + name for name in names))


class Answer(Struct, frozen=True):
    """An answer with everything that checks look at."""

    reply: AgentReply
    seconds: float
    judges: Judges
    manner: AgentManner = DOCUMENTED


class _Found(Struct, frozen=True):
    """The value at a path; where there is none, why."""

    value: Any = None
    why_not: str = ""


async def evaluate(expectation: Expectation, answer: Answer) -> CheckResult:
    """Hold one expectation against an answer."""
    found = _find(expectation, answer.reply)
    if found.value is None and not (expectation.check in CHECKS and CHECKS[expectation.check].takes_missing):
        return _result(expectation, Outcome.FAILED, found.why_not, found)
    try:
        if expectation.check == ANY_OF:
            finding = await _any_of(expectation, answer)
        else:
            finding = await _tested(expectation, answer, found.value)
    except InapplicableError as reason:
        return _result(expectation, Outcome.FAILED, f"this cannot be tested: {reason}", found)
    except Exception as error:  # an opinion that cannot be had is a result, whatever the judge is made of
        name = "" if isinstance(error, AgentError | EndpointError) else f"{type(error).__name__}: "
        return _result(expectation, Outcome.ERRORED, f"the judge did not answer: {name}{error}", found)
    return _judged(expectation, finding, found)


async def _tested(expectation: Expectation, answer: Answer, value: object) -> CheckFinding:
    subject = Subject(
        value, answer.reply, answer.seconds, answer.judges, expectation.ignores_case, answer.manner
    )
    finding = CHECKS[expectation.check].test(subject, expectation.expected)
    return finding if isinstance(finding, CheckFinding) else await finding


async def _any_of(expectation: Expectation, answer: Answer) -> CheckFinding:
    """Find whether all checks of one alternative pass; not decided where that may still be."""
    alternatives: tuple[tuple[Expectation, ...], ...] = expectation.expected  # type: ignore[assignment]
    undecided = ""
    for alternative in alternatives:
        results = [await evaluate(one, answer) for one in alternative]
        outcomes = {result.outcome for result in results}
        if outcomes == {Outcome.PASSED}:
            return CheckFinding(holds=True)
        if Outcome.FAILED not in outcomes:
            undecided = next(result.message for result in results if result.outcome is Outcome.ERRORED)
    return CheckFinding(None, undecided) if undecided else CheckFinding(holds=False)


def _judged(expectation: Expectation, finding: CheckFinding, found: _Found) -> CheckResult:
    if finding.holds is None:
        why = f"this is undecided: {finding.detail}"
        return _result(expectation, Outcome.ERRORED, why, found, finding.judge)
    if finding.holds is not expectation.negated:
        return _result(expectation, Outcome.PASSED, finding.detail, found, finding.judge)
    return _result(expectation, Outcome.FAILED, _contrary(expectation, finding, found), found, finding.judge)


def _contrary(expectation: Expectation, finding: CheckFinding, found: _Found) -> str:
    judge = f" (judge: {finding.judge})" if finding.judge else ""
    if finding.detail and expectation.part == "response":
        return finding.detail + judge
    if found.value is None:
        return found.why_not
    return f"it is {show_value(found.value)}" + (f"; {finding.detail}" if finding.detail else "") + judge


def _result(
    expectation: Expectation, outcome: Outcome, why: str, found: _Found, judge: str = ""
) -> CheckResult:
    """Put a verdict into words; what passed needs none but the judge's."""
    value = found.value
    message = why
    if outcome is not Outcome.PASSED:
        message = f"{expectation.subject} was expected {expectation.words}, but {why}"
    return CheckResult(
        subject=expectation.subject,
        check=expectation.name,
        outcome=outcome,
        message=message,
        actual=value if isinstance(value, str) else "" if value is None else show_value(value),
        expected=expectation.words,
        judge=judge,
        file=expectation.file,
        line=expectation.line,
    )


def _find(expectation: Expectation, reply: AgentReply) -> _Found:
    """Go down to the value under test."""
    if expectation.part == "response":
        return _Found(None, "")
    value: Any = getattr(reply, expectation.part)
    if value is None:
        return _Found(None, f"the answer has no {expectation.part}")
    where = expectation.part
    for step in expectation.path:
        if isinstance(value, Mapping):
            if step not in value:
                return _Found(None, f"{where} has no {show_value(step)}{_keys(step, value)}")
            value = value[step]
        elif isinstance(value, list | tuple):
            index = _index(step)
            if index is None or not -len(value) <= index < len(value):
                return _Found(
                    None, f"{where} is a list of {len(value)} items and has no item {show_value(step)}"
                )
            value = value[index]
        else:
            return _Found(None, f"{where} is {show_value(value)} and has no {show_value(step)}")
        where += f".{step}"
    return _Found(value, f"{where} is null")


def _index(step: str) -> int | None:
    return int(step) if step.removeprefix("-").isascii() and step.removeprefix("-").isdigit() else None


def _keys(step: str, value: Mapping[str, object]) -> str:
    if not value:
        return " (it is empty)"
    hint = did_you_mean(step, value)
    return f" ({hint or 'it has ' + ', '.join(show_value(key) for key in list(value)[:8])})"
