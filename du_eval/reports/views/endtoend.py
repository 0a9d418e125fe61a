"""The view of a run of end-to-end tests: cases with their conversations, and whose fault each failure is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from msgspec.structs import replace

from du_eval.endtoend.detail import BotLine, DialogueDetail, DialogueTurn
from du_eval.endtoend.record import EndToEndRun
from du_eval.reports.columns import Code, Number, make_columns
from du_eval.reports.sections import (
    Column,
    Detail,
    Diff,
    Entries,
    Entry,
    Facts,
    Note,
    Section,
    Table,
    Text,
    Transcript,
    TranscriptLine,
    View,
)
from du_eval.reports.views.generic import (
    list_figures,
    make_entry,
    make_headline,
    make_outcome_table,
    make_view,
)
from du_eval.runs.outcome import Outcome
from du_eval.runs.record import Case, Result

_NOTHING = "nothing"
_OPEN = "could not be judged"


def view_endtoend(run: EndToEndRun) -> View:
    """Return the view of a run of end-to-end tests."""
    return make_view(run, make_headline(run, "test cases"), _list_sections(run))


def _list_sections(run: EndToEndRun) -> Iterator[Section]:
    yield from list_figures(run)
    entries = tuple(_make_entry(case, result) for case in run.cases for result in case.results)
    yield Entries("Dialogues", run.head.unit, entries, tags=("fault",))
    yield make_outcome_table(run, "Test cases")
    yield from _list_faults(run)
    yield from _list_findings(run)
    yield from _list_flows(run)
    yield _make_turn_table(run)
    yield from _list_traces(run)
    yield from _list_remarks(run)


def _make_turn_table(run: EndToEndRun) -> Table:
    columns = make_columns(Code("case", facet="case"), Number("line"), "user", Code("commands"), "bot")
    rows = tuple(
        (case.id, turn.line, turn.user, "\n".join(turn.commands), "\n".join(map(_tell, turn.bot)))
        for case in run.cases
        for result in case.results
        for turn in result.detail.turns
    )
    return Table("Turns", columns, rows, is_minor=True)


def _tell(said: BotLine) -> str:
    return "(a generated answer)" if said.is_generated else said.text


def _list_traces(run: EndToEndRun) -> Iterator[Text]:
    """Yield where actions failed so that cases could not be judged, for their author."""
    traces = {result.detail.trace: result for result in run.results() if result.outcome is Outcome.ERRORED}
    for trace, result in traces.items():
        if trace:
            yield Text(f"Traceback of the action in '{result.key.case}'", trace)


def _list_remarks(run: EndToEndRun) -> Iterator[Note]:
    extra = run.extra
    if extra is not None and extra.faults:
        told = ", ".join(f"{fault} {count}" for fault, count in extra.faults.items())
        yield Note(f"failed because of: {told}")
    if extra is not None and extra.judge:
        yield Note(f"judge of generated answers: {extra.judge}")


def _list_faults(run: EndToEndRun) -> Iterator[Table]:
    """Yield what would have made each failed turn pass, if those before it had been understood."""
    rows = tuple(
        (str(one.fault), f"{case.file}:{one.line}", one.user, _join(one.needs), _join(one.got))
        for case in run.cases
        for result in case.results
        for one in result.detail.blames
    )
    if rows:
        columns = make_columns(
            Column("fault", facet="fault"), Code("where"), "message", Code("needs"), Code("got"),
        )  # fmt: skip
        yield Table("Whose fault", columns, rows, is_minor=True)


def _join(commands: tuple[str, ...] | None) -> str | None:
    return None if commands is None else "\n".join(commands) or "no command"


def _list_findings(run: EndToEndRun) -> Iterator[Table]:
    rows = tuple(
        (f"{case.file}:{one.line}", one.user, one.expected, one.found)
        for case in run.cases
        for result in case.results
        for one in result.detail.findings
    )
    if rows:
        columns = make_columns(Code("where"), "after the message", "expected", "came")
        yield Table("Not as expected", columns, rows, is_minor=True)


def _list_flows(run: EndToEndRun) -> Iterator[Table]:
    """Yield each flow that ran, with the cases that started it and how many passed; patterns last."""
    reached: Counter[str] = Counter()
    passed: Counter[str] = Counter()
    for case in run.cases:
        for flow in {flow: None for result in case.results for flow in _list_started(result.detail)}:
            reached[flow] += 1
            passed[flow] += case.outcome is Outcome.PASSED
    ranked = sorted(reached.items(), key=lambda item: (item[0].startswith("pattern_"), -item[1]))
    if ranked:
        columns = make_columns(Code("flow", facet="flow"), Number("cases"), Number("of them passed"))
        rows = tuple((flow, count, passed[flow]) for flow, count in ranked)
        yield Table("Flows that ran", columns, rows, is_minor=True)


def _list_started(detail: DialogueDetail) -> Iterator[str]:
    for turn in detail.turns:
        yield from turn.flows


def _make_entry(case: Case[DialogueDetail], result: Result[DialogueDetail]) -> Entry:
    detail = result.detail
    faults = dict.fromkeys(str(one.fault) for one in detail.blames)
    flows = dict.fromkeys(_list_started(detail))
    facets = [*(("fault", fault) for fault in faults), *(("flow", flow) for flow in flows)]
    entry = make_entry(case, result, facets, _list_details(detail))
    return replace(
        entry,
        place=f"{case.file}:{detail.findings[0].line}" if detail.findings else entry.place,
        title=case.name,
        actual=entry.actual if detail.findings else "",
        facets=(("file", case.file), *entry.facets),
    )


def _list_details(detail: DialogueDetail) -> Iterator[Detail]:
    if detail.findings:
        expected = tuple(f"line {one.line}: {one.expected}" for one in detail.findings)
        came = tuple(f"{_OPEN}: {one.found}" if one.is_error else one.found for one in detail.findings)
        yield Diff(expected, came, ("expected", "came"), (False,) * len(expected))
    if detail.blames:
        yield Facts(tuple((f"line {one.line}", one.reason) for one in detail.blames), "Whose fault")
    if detail.stopped:
        yield Text("Stopped", detail.stopped)
    if detail.trace:
        yield Text("Traceback of the action", detail.trace)
    if detail.turns:
        yield Transcript(tuple(_list_lines(detail)), "Conversation")


def _list_lines(detail: DialogueDetail) -> Iterator[TranscriptLine]:
    """Yield who said what, how it was understood, and what should have happened."""
    wrong = {one.line: Outcome.ERRORED if one.is_error else Outcome.FAILED for one in detail.findings}
    for turn in detail.turns:
        yield TranscriptLine("user", turn.user, f"understood as {', '.join(turn.commands) or _NOTHING}")
        for said in turn.bot:
            yield TranscriptLine("bot", _tell(said), said.response)
        yield from _list_expected(turn, wrong)


def _list_expected(turn: DialogueTurn, wrong: dict[int, Outcome]) -> Iterator[TranscriptLine]:
    for one in turn.expected:
        outcome = wrong.get(one.line, Outcome.PASSED if turn.is_judged else Outcome.ERRORED)
        held = {Outcome.PASSED: "held", Outcome.FAILED: "did not hold"}.get(outcome, _OPEN)
        yield TranscriptLine("expected", one.text, held, outcome)
