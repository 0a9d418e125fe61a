"""End-to-end results for people at a terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from du_eval.commands.base import Command
from du_eval.endtoend.results import Blame, CaseOutcome, EndToEndResult, TurnRecord, Verdict
from du_eval.reports.text import bounded, measured, one_line
from du_eval.statistics.intervals import proportion

Spell = Callable[[Command], str]
_WIDTH = 80


def endtoend_text(result: EndToEndResult, spell: Spell) -> str:
    """Return the whole report."""
    return "\n".join([*_lines(result, spell), ""])


def _lines(result: EndToEndResult, spell: Spell) -> Iterator[str]:
    failed = result.that(Verdict.FAILED)
    if failed:
        yield " FAILURES ".center(_WIDTH, "=")
    for outcome in failed:
        yield from _case(outcome, spell)
    errored = result.that(Verdict.ERRORED)
    if errored:
        yield " ERRORS: CASES THAT COULD NOT BE JUDGED ".center(_WIDTH, "=")
    for outcome in errored:
        yield from _case(outcome, spell)
    yield " TEST CASES ".center(_WIDTH, "=")
    for verdict in Verdict:
        for outcome in result.that(verdict):
            yield f"{verdict.value:8}{one_line(outcome.case.id)}"
    yield ""
    counts = {verdict: result.count(verdict) for verdict in Verdict}
    parts = [f"{counts[Verdict.FAILED]} failed", f"{counts[Verdict.PASSED]} passed"]
    parts += [f"{counts[Verdict.ERRORED]} errored"] if counts[Verdict.ERRORED] else []
    yield f" {', '.join(parts)} test cases ".center(_WIDTH, "=")
    judged = counts[Verdict.FAILED] + counts[Verdict.PASSED]
    passed = replace(proportion(counts[Verdict.PASSED], judged), missing=counts[Verdict.ERRORED])
    yield f"test cases: passed {measured(passed)}"
    if line := bounded(passed):
        yield f"  {line}"
    faults = [f"{fault.value} {count}" for fault, count in result.count_faults().items()]
    if faults:
        yield f"failed because of: {', '.join(faults)}"
    yield f"generator: {result.generator}"
    if result.judge:
        yield f"judge of generated answers: {result.judge}"


def _case(outcome: CaseOutcome, spell: Spell) -> Iterator[str]:
    yield ""
    yield f"------------- test_case: {one_line(outcome.case.id)} -------------"
    yield ""
    for finding in outcome.findings:
        mark = "could not be judged" if finding.is_error else "expected"
        yield f"{outcome.case.file}:{finding.line}: after '{one_line(finding.user)}'"
        yield f"   {mark}: {one_line(finding.expected)}"
        yield f"   {'because' if finding.is_error else 'but'}: {one_line(finding.found)}"
    for blame in outcome.blames if outcome.verdict is Verdict.FAILED else ():
        yield f"whose fault, line {blame.line}: {one_line(blame_text(blame, spell))}"
    if outcome.error:
        yield f"stopped: {one_line(outcome.error)}"
        yield from (f"   {line}" for line in outcome.trace.splitlines())
    yield ""
    yield "-- CONVERSATION --"
    for turn in outcome.turns:
        yield from _turn(turn, spell)
    yield ""


def _turn(turn: TurnRecord, spell: Spell) -> Iterator[str]:
    yield f"user: {one_line(turn.user.text)}"
    understood = ", ".join(one_line(spell(command)) for command in turn.commands)
    yield f"      understood as {understood or 'nothing'}"
    for message in turn.messages:
        name = f" [{message.response}]" if message.response else ""
        yield f"bot: {one_line(message.text) if not message.is_generated else '(a generated answer)'}{name}"


def blame_text(blame: Blame, spell: Spell) -> str:
    """Return whose fault a failed turn is, in words."""
    if blame.needs is not None:
        doubt = f" ({blame.reason})" if blame.reason else ""
        needs, got = _spell_all(blame.needs, spell), _spell_all(blame.got, spell)
        return f"{blame.fault}: needs {needs}, got {got}{doubt}"
    if blame.reason:
        tried = f" ({blame.tried} sequences tried)" if blame.tried else ""
        return f"{blame.fault}: {blame.reason}{tried}"
    return (
        f"{blame.fault}: none of the {blame.tried} sequences tried, with up to three commands changed, passes"
    )


def _spell_all(commands: Sequence[Command], spell: Spell) -> str:
    return ", ".join(spell(command) for command in commands) or "no command"
