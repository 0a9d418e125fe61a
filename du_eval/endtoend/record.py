"""End-to-end cases that were run, as the record that is stored, shown and compared."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence

from msgspec.structs import replace

from du_eval.assistants.engine.events import FlowStarted
from du_eval.commands.base import Command
from du_eval.endtoend.assertions import show_assertion
from du_eval.endtoend.detail import (
    KIND,
    BlameDetail,
    BotLine,
    DialogueDetail,
    DialogueTurn,
    EndToEndExtra,
    TurnExpectation,
)
from du_eval.endtoend.model import ExpectedReply, ScriptedTurn
from du_eval.endtoend.results import Blame, Fault, PlayedCase, TurnRecord
from du_eval.runs.figures import Figure
from du_eval.runs.outcome import Outcome
from du_eval.runs.record import Case, Head, Key, Result, Run, Status
from du_eval.statistics.clusters import proportion

Spell = Callable[[Command], str]
EndToEndRun = Run[DialogueDetail, EndToEndExtra]
PASSED_CASES = "accuracy.cases"
FIGURES = (PASSED_CASES,)
"""All figures of end-to-end tests: a case passes or fails as a whole."""


def record_endtoend(
    outcomes: Sequence[PlayedCase], spell: Spell, head: Head | None = None, judge: str = ""
) -> EndToEndRun:
    """Return the record of a run; `head` brings what only the caller knows.

    `judge` is who judged generated answers, where an assertion asks for that.
    """
    twins: Counter[str] = Counter()
    cases = []
    for outcome in outcomes:
        cases.append(_case(outcome, str(twins[outcome.case.id] or ""), spell))
        twins[outcome.case.id] += 1
    head = head or Head(KIND.name)
    is_cut = len(cases) < head.planned and head.status is Status.FINISHED
    return Run(
        head=replace(
            head,
            unit="test cases",
            status=Status.INTERRUPTED if is_cut else head.status,
            signature=f"judge:{judge}" if judge else "",
        ),
        cases=tuple(cases),
        figures=(_measure_passed([outcome.verdict for outcome in outcomes]),),
        extra=EndToEndExtra(_count_faults(outcomes), judge),
    )


def _measure_passed(verdicts: Sequence[Outcome]) -> Figure:
    passed = verdicts.count(Outcome.PASSED)
    rate = proportion(passed, passed + verdicts.count(Outcome.FAILED))
    measured = replace(rate, missing=len(verdicts) - rate.n)
    return Figure(PASSED_CASES, measured, "test cases passed", is_headline=True)


def _count_faults(outcomes: Iterable[PlayedCase]) -> dict[Fault, int]:
    """Return how many failed cases are whose fault."""
    faults = [outcome.fault for outcome in outcomes if outcome.verdict is Outcome.FAILED]
    return {fault: faults.count(fault) for fault in Fault if fault in faults}


def _case(outcome: PlayedCase, variant: str, spell: Spell) -> Case[DialogueDetail]:
    case, verdict = outcome.case, outcome.verdict
    turns, findings = outcome.turns, outcome.findings
    blames = outcome.blames if verdict is Outcome.FAILED else ()
    planned = {turn.user.line: turn for turn in case.turns}
    said = [message.text or "(generated)" for turn in turns[-1:] for message in turn.messages]
    detail = DialogueDetail(
        turns=tuple(_turn(turn, planned.get(turn.user.line), spell) for turn in turns),
        findings=findings,
        blames=tuple(_blame(blame, spell) for blame in blames),
        stopped=outcome.error,
        trace=outcome.trace,
    )
    result = Result(
        Key(case.file, case.name, 1, variant=variant),
        verdict,
        detail,
        asked=turns[0].user.text if turns else case.name,
        expected=tuple(finding.expected for finding in findings),
        actual=tuple(finding.found for finding in findings) or tuple(said),
        mistakes=(outcome.fault.value,) if blames and outcome.fault else (),
        error=_tell_error(outcome) if verdict is Outcome.ERRORED else "",
        line=case.line,
        question=case.name,
    )
    return Case(case.file, case.name, (result,), case.line, variant)


def _tell_error(outcome: PlayedCase) -> str:
    """Return why a case could not be judged."""
    return outcome.error or "; ".join(f"{one.expected}: {one.found}" for one in outcome.findings)


def _turn(turn: TurnRecord, planned: ScriptedTurn | None, spell: Spell) -> DialogueTurn:
    return DialogueTurn(
        user=turn.user.text,
        line=turn.user.line,
        commands=_spell_all(turn.commands, spell),
        flows=tuple(event.flow for event in turn.events if isinstance(event, FlowStarted)),
        bot=tuple(
            BotLine(is_generated=True)
            if message.is_generated
            else BotLine(message.text or "", message.response or "")
            for message in turn.messages
        ),
        expected=tuple(_list_expected(planned)) if planned else (),
        is_judged=not turn.has_stopped,
    )


def _list_expected(turn: ScriptedTurn) -> Iterator[TurnExpectation]:
    """Yield what must happen in a turn, in words, each with its line."""
    for one in turn.user.assertions:
        yield TurnExpectation(one.line, show_assertion(one))
    for check in turn.checks:
        if isinstance(check, ExpectedReply):
            said = check.response if check.response is not None else repr(check.text)
            yield TurnExpectation(check.line, f"the bot says {said}")
        else:
            word = "was set" if check.is_set else "was not set"
            yield TurnExpectation(check.line, f"slot {word}: {check.slot}")


def _blame(blame: Blame, spell: Spell) -> BlameDetail:
    needs = None if blame.needs is None else _spell_all(blame.needs, spell)
    got = _spell_all(blame.got, spell)
    return BlameDetail(blame.line, blame.user, blame.fault, _tell(blame, spell), got, needs, blame.tried)


def _tell(blame: Blame, spell: Spell) -> str:
    """Return whose fault a failed turn is, in words."""
    if blame.needs is not None:
        doubt = f" ({blame.reason})" if blame.reason else ""
        needs, got = (", ".join(_spell_all(one, spell)) or "no command" for one in (blame.needs, blame.got))
        return f"{blame.fault}: needs {needs}, got {got}{doubt}"
    if blame.reason:
        tried = f" ({blame.tried} sequences tried)" if blame.tried else ""
        return f"{blame.fault}: {blame.reason}{tried}"
    return (
        f"{blame.fault}: none of the {blame.tried} sequences tried, with up to three commands changed, passes"
    )


def _spell_all(commands: Iterable[Command], spell: Spell) -> tuple[str, ...]:
    return tuple(spell(command) for command in commands)
