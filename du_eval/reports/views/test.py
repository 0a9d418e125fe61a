"""The view of a run of command tests: steps, commands, mistakes, and all that was measured."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from os.path import commonprefix

from msgspec.structs import replace

from du_eval.conversation import Speaker, Turn
from du_eval.errors import tell_count
from du_eval.evaluation.record import TestRun
from du_eval.evaluation.step import StepDetail
from du_eval.generators.base import Prompt
from du_eval.reports.numbers import show_seconds
from du_eval.reports.sections import (
    Detail,
    Diff,
    Entries,
    Entry,
    Facts,
    Note,
    Section,
    Text,
    Tone,
    Transcript,
    TranscriptLine,
    View,
)
from du_eval.reports.views.generic import (
    list_figures,
    make_case_entry,
    make_entry,
    make_headline,
    make_outcome_table,
    make_view,
)
from du_eval.reports.views.test_parts import (
    list_bot_side,
    list_causes,
    list_commands,
    list_gap,
    list_goals,
    list_mistakes,
    list_quantities,
    list_repeats,
    list_robustness,
)
from du_eval.reports.visible import tell_apart
from du_eval.runs.outcome import Outcome
from du_eval.runs.record import Case, Result, Spent

NO_COMMAND = "(no command)"


def view_test(run: TestRun) -> View:
    """Return the view of a run of command tests."""
    return make_view(run, make_headline(run, "test cases"), _list_sections(run))


def _list_sections(run: TestRun) -> Iterator[Section]:
    yield from list_figures(run)
    yield _make_entries(run)
    yield make_outcome_table(run, "Test cases")
    extra = run.extra
    if extra is not None:
        yield from list_commands(extra)
        yield from list_mistakes(extra)
        yield from list_causes(list(run.results()))
        yield from list_robustness(extra.robustness)
        yield from list_gap(extra.gap)
        yield from list_repeats(extra.repeats)
        yield from list_goals(extra.goals)
        yield from list_bot_side(extra.bot)
        yield from list_quantities(extra.quantities)
    yield from _list_remarks(run)


def _list_remarks(run: TestRun) -> Iterator[Note]:
    steps = run.count_results()
    shown = (Outcome.PASSED, Outcome.FAILED, Outcome.ERRORED)
    which = "user steps" if run.head.samples == 1 else "user steps, all samples"
    yield Note(f"{which}: {', '.join(f'{steps[outcome]} {outcome}' for outcome in shown)}")
    if spent := _tell_spent(run.head.spent):
        yield Note(spent)
    unfinished = sum(
        case.outcome is Outcome.ERRORED and None in case.samples().values() for case in run.cases
    )
    if unfinished:
        yield Note(
            f"{tell_count(unfinished, 'unfinished case counts', 'unfinished cases count')} as errored",
            Tone.OPEN,
        )
    unparsed = sum(bool(result.detail.unparsed) for result in run.results())
    if unparsed:
        yield Note(
            f"{tell_count(unparsed, 'step has', 'steps have')} output that is not a command (unparsed)",
            Tone.OPEN,
        )
    unknown = [one for one in run.results() if one.detail.explanation.hallucinated]
    if unknown:
        right = sum(one.outcome is Outcome.PASSED for one in unknown)
        told = f", {right} of them beside the right ones (--strict-output fails these)" if right else ""
        yield Note(
            f"{tell_count(len(unknown), 'step calls', 'steps call')} commands that do not exist{told}",
            Tone.OPEN,
        )


def _tell_spent(spent: Spent) -> str:
    """Return what a run took, where that is more than time."""
    parts = [
        (spent.earlier, f"{spent.earlier} of them in earlier parts of the run"),
        (spent.retries, f"{spent.retries} retries"),
        (spent.cached, f"{tell_count(spent.cached, 'answer')} from the cache"),
        (spent.reused, f"{tell_count(spent.reused, 'answer')} from the journal"),
        (spent.cost is not None, f"cost {spent.cost or 0:.4f}"),
    ]
    told = [text for is_told, text in parts if is_told]
    return ", ".join([f"{tell_count(spent.calls, 'call')}", *told]) if told else ""


def _make_entries(run: TestRun) -> Entries:
    found = [entry for case in run.cases for entry in list_case(case, run.head.subject)]
    return Entries("Steps", run.head.unit, tuple(found), tags=("kind", "flow"))


def list_case(case: Case[StepDetail], subject: str) -> Iterator[Entry]:
    """Yield the steps of a case."""
    if case.failure:
        yield make_case_entry(case)
    for result in case.results:
        is_plain = result.outcome is Outcome.PASSED and not result.detail.unparsed
        details = () if is_plain else _list_details(result, subject)
        entry = make_entry(case, result, _list_facets(result), details)
        yield replace(
            entry,
            expected=entry.expected or NO_COMMAND,
            verb="predicted",
            actual="" if result.error else entry.actual or NO_COMMAND,
        )


def _list_facets(result: Result[StepDetail]) -> Iterator[tuple[str, str]]:
    for kind in dict.fromkeys(result.mistakes):
        yield "kind", kind
    if result.detail.explanation.provenance:
        yield "cause", result.detail.explanation.provenance
    for name in result.counts:
        yield "command", name
    for flow in result.detail.flows:
        yield "flow", flow
    for slot in result.detail.slots:
        yield "slot", slot


def _list_details(result: Result[StepDetail], subject: str) -> Iterator[Detail]:
    detail = result.detail
    names = [name for name, commands in detail.components if commands] or [subject]
    yield Facts(tuple((name, "") for name in names), "Command generator(s)")
    lines = (*map(_make_line, detail.conversation), TranscriptLine("user", result.asked))
    yield Transcript(lines, "Conversation")
    if result.error:
        yield Text("Error", result.error)
    else:
        yield _make_diff(result)
    yield from _list_explanation(detail)
    if detail.mistakes:
        mistakes = ((one.kind, _tell(one.expected, one.predicted)) for one in detail.mistakes)
        yield Facts(tuple(mistakes), "Mistakes")
    if detail.state:
        rows = (("flow", detail.state.flow), ("asked slot", detail.state.asked), *detail.state.slots.items())
        yield Facts(tuple(row for row in rows if row[1]), "State before the message")
    for prompt in detail.prompts:
        yield from _list_prompt(prompt)
    if detail.raw and not any(prompt.answer == detail.raw for prompt in detail.prompts):
        yield Text("Raw answer", detail.raw)


def _list_explanation(detail: StepDetail) -> Iterator[Detail]:
    """Yield what could not be read, and the cause."""
    found = detail.explanation
    for flow in detail.unknown_flows:
        yield Note(f"unknown flow: {flow}", Tone.OPEN)
    for call in found.hallucinated:
        yield Note(f"no such command: {call}", Tone.OPEN)
    if found.provenance:
        yield Note(f"cause: {found.provenance}", Tone.OPEN)
    for text in detail.unparsed:
        yield Note(f"unparsed: {text}", Tone.OPEN)
    if found.reasoning:
        yield Text("Reasoning", found.reasoning)


def _tell(expected: str, predicted: str) -> str:
    one, other = tell_apart(expected, predicted)
    return f"{one or '(nothing)'} → {other or '(nothing)'}" if expected or predicted else ""


def _make_line(turn: Turn) -> TranscriptLine:
    if turn.speaker is Speaker.USER:
        return TranscriptLine("user", turn.text)
    return TranscriptLine("bot", turn.text) if turn.text else TranscriptLine("utter", turn.response or "")


def _make_diff(result: Result[StepDetail]) -> Diff:
    """Return each expectation beside the prediction for it; false alarms fill the gaps, then follow."""
    missing, unexpected = list(result.detail.missing), list(result.detail.unexpected)
    matched = list((Counter(result.actual) - Counter(unexpected)).elements())
    rows: list[tuple[str, str, bool]] = []
    for command in result.expected:
        if command in missing:
            missing.remove(command)
            rows.append((command, unexpected.pop(0) if unexpected else "", False))
        else:
            rows.append((command, _take_alike(matched, command), True))
    rows += [("", command, False) for command in unexpected]
    if not result.expected:
        rows[:1] = [(NO_COMMAND, rows[0][1] if rows else NO_COMMAND, not rows)]
    if not result.actual:
        rows[0] = (rows[0][0], NO_COMMAND, rows[0][2])
    expected, actual, agrees = zip(*rows, strict=True)
    return Diff(expected, actual, agrees=agrees)


def _take_alike(matched: list[str], command: str) -> str:
    """Remove the prediction that met an expectation, maybe in other words, and return it."""
    if not matched:
        return command
    found = max(matched, key=lambda one: len(commonprefix((one, command))))  # noqa: RUF071  no paths
    matched.remove(found)
    return found


def _list_prompt(prompt: Prompt) -> Iterator[Detail]:
    used = {
        "prompt tokens": prompt.prompt_tokens,
        "completion tokens": prompt.completion_tokens,
        "took": None if prompt.latency_seconds is None else show_seconds(prompt.latency_seconds),
        "retries": prompt.retries or None,
        "cost": prompt.cost,
        "from the cache": "yes" if prompt.is_cached else None,
    }
    rows = tuple((name, str(value)) for name, value in used.items() if value is not None)
    if rows:
        yield Facts(rows, f"Prompt {prompt.name}")
    for title, text in (("System prompt", prompt.system), ("Prompt", prompt.user), ("Answer", prompt.answer)):
        if text:
            yield Text(title, text)
