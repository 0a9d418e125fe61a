"""The view of a run of agent cases: dialogues, checks, and the ways in which cases fail."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from du_eval.agents.record import AgentExtra
from du_eval.agents.results import AgentTalk, InteractionResult
from du_eval.errors import tell_count
from du_eval.reports.numbers import show_number, show_seconds
from du_eval.reports.sections import (
    Detail,
    Entries,
    Entry,
    Facts,
    Note,
    Section,
    Text,
    Transcript,
    TranscriptLine,
    View,
)
from du_eval.reports.views.agent_tables import (
    list_case_table,
    list_check_tables,
    list_interactions,
    list_latencies,
    list_modes,
    make_check_table,
    tell_json,
)
from du_eval.reports.views.generic import (
    list_figures,
    make_entry,
    make_headline,
    make_view,
)
from du_eval.runs.outcome import Outcome
from du_eval.runs.record import Case, Result, Run

Agents = Run[AgentTalk, AgentExtra]


def view_agent(run: Agents) -> View:
    """Return the view of a run of agent cases."""
    return make_view(run, make_headline(run, "agent cases"), _list_sections(run))


def _list_sections(run: Agents) -> Iterator[Section]:
    yield from list_figures(run)
    yield Entries("Samples", "samples", tuple(entry for case in run.cases for entry in _list_case(case)))
    yield list_case_table(run)
    yield from list_modes(run)
    yield from _list_remarks(run)
    yield from list_latencies(run)
    yield from list_check_tables(run)
    yield from list_interactions(run)


def _list_remarks(run: Agents) -> Iterator[Note]:
    if run.head.spent.reused:
        yield Note(
            f"{tell_count(run.head.spent.reused, 'sample comes', 'samples come')} from the journal of the run"
        )
    times = [one for one in run.figures if one.name.startswith("latency.")]
    if times:
        told = ", ".join(f"{one.name.partition('.')[2]} {show_seconds(one.value or 0)}" for one in times)
        yield Note(f"time to answer: {told}")
    tokens, cost = run.figure("tokens"), run.figure("cost")
    if tokens is not None:
        price = f", cost {show_number(cost.value)}" if cost else ""
        yield Note(f"reported by the server: {show_number(tokens.value)} tokens{price}")


def _list_case(case: Case[AgentTalk]) -> Iterator[Entry]:
    for result in case.results:
        wrong = [check for check in result.checks if check.outcome is not Outcome.PASSED]
        facets = [("check", name) for name in dict.fromkeys(one.name for one in wrong)]
        facets += [("agent", result.detail.agent), ("connection", result.detail.connection)]
        yield replace(
            make_entry(case, result, facets, _list_details(result)),
            expected="",
            actual="",
            message="; ".join(_list_problems(result)),
        )


def _list_problems(result: Result[AgentTalk]) -> Iterator[str]:
    """Yield everything that kept a sample from passing, in order."""
    interactions = result.detail.interactions
    if result.error and not any(one.error for one in interactions):
        yield result.error
    for number, one in enumerate(interactions, 1):
        where = f"interaction {number}: " if len(interactions) > 1 else ""
        if one.error:
            yield where + one.error
        for check in one.checks:
            if check.outcome is not Outcome.PASSED:
                place = f" ({check.file}:{check.line})" if check.line else ""
                yield f"{where}{check.message}{place}"


def _list_details(result: Result[AgentTalk]) -> Iterator[Detail]:
    talk = result.detail
    yield Facts((("agent", f"{talk.agent} over {talk.connection}"),))
    lines = [line for one in talk.interactions for line in _list_lines(one)]
    if lines:
        yield Transcript(tuple(lines), "Dialogue")
    if result.error:
        yield Text("Error", result.error)
    checks = [(number, check) for number, one in enumerate(talk.interactions, 1) for check in one.checks]
    if checks:
        yield make_check_table(checks)


def _list_lines(one: InteractionResult) -> Iterator[TranscriptLine]:
    yield TranscriptLine("user", one.text or "(nothing)")
    if one.reply is None:
        yield TranscriptLine("agent", "(no answer)", show_seconds(one.seconds), Outcome.ERRORED)
        return
    for message in one.reply.messages[:-1]:
        told = message.text or tell_json(message.structure)
        yield TranscriptLine(" ".join(filter(None, (message.type, message.origin))), told)
    for tool in one.reply.tools:
        yield TranscriptLine("tool", f"{tool.name} {tell_json(tool.params)}")
    yield TranscriptLine("agent", one.reply.text or "(no text)", show_seconds(one.seconds), one.outcome)
    for part, value in (("structure", one.reply.structure), ("sly_data", one.reply.sly_data)):
        if value:
            yield TranscriptLine(part, tell_json(value))
