"""What a team lead reads first: the decision in a sentence, its causes with a dialogue each, what changed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from du_eval.errors import tell_count
from du_eval.experiments.decision import Advice, Cause, ChangedStep, Decision
from du_eval.experiments.figures import list_figures
from du_eval.reports.columns import Code, make_columns
from du_eval.reports.numbers import name_figure, show_measurement
from du_eval.reports.sections import (
    Column,
    Figures,
    Look,
    Note,
    Section,
    Table,
    Tone,
    Transcript,
    TranscriptLine,
    View,
    sign_intervals,
)
from du_eval.runs.outcome import Outcome
from du_eval.runs.record import AnyRun

_TONES = {
    Advice.SHIP: Tone.GOOD,
    Advice.KEEP: Tone.BAD,
    Advice.EITHER: Tone.GOOD,
    Advice.WAIT: Tone.OPEN,
    Advice.UNCHANGED: Tone.GOOD,
}
_MOST = 50
_COMMENTED = 5
_NOTHING = {"test": "(no command)", "quality": "(no reply)", "protocol": "(no reply)", "agent": "(no answer)"}
"""How an empty answer is called, by activity."""
_TALKS = frozenset({"quality", "protocol"})
"""Activities whose answers are sentences."""


def make_headline(decision: Decision) -> Note:
    """Return the decision; what got worse keeps it from being all good news."""
    tone = _TONES[decision.advice]
    return Note(decision.sentence, Tone.OPEN if tone is Tone.GOOD and decision.regressed else tone)


def list_causes(decision: Decision) -> Iterator[Section]:
    """Yield the causes, each with a dialogue."""
    for number, cause in enumerate(decision.causes, 1):
        title = f"Cause {number}: {cause.title} ({_count(cause)})"
        yield Transcript(tuple(_list_lines(cause.examples[0], decision)), title)


def _count(cause: Cause) -> str:
    parts = [(cause.worse, "worse"), (cause.better, "better")]
    ordered = parts if cause.is_loss else parts[::-1]
    told = [f"{count} {word}" for count, word in ordered if count]
    return f"{' and '.join(told)}"


def _list_lines(step: ChangedStep, decision: Decision) -> Iterator[TranscriptLine]:
    for speaker, text in step.conversation:
        yield TranscriptLine(speaker, text)
    is_worse, is_code = step.difference < 0, decision.activity == "test"
    yield TranscriptLine("user", step.message, step.place)
    expected, before, after = _tell_answers(step, decision, ", ")
    if expected:
        yield TranscriptLine("expected", expected, is_code=is_code)
    outcomes = (Outcome.PASSED, Outcome.FAILED) if is_worse else (Outcome.FAILED, Outcome.PASSED)
    for name, answer, outcome in zip(
        (decision.before, decision.after), (before, after), outcomes, strict=True
    ):
        yield TranscriptLine(name, answer, outcome=outcome, is_code=is_code)


def _tell_answers(step: ChangedStep, decision: Decision, between: str) -> tuple[str, str, str]:
    """Return what was expected, if anything was, and both answers."""
    nothing = _NOTHING.get(decision.activity, "(nothing)")
    expected = between.join(step.expected) or (nothing if decision.activity == "test" else "")
    return expected, between.join(step.before) or nothing, between.join(step.after) or nothing


def view_comment(decision: Decision, runs: tuple[AnyRun | None, AnyRun | None], method: str) -> View:
    """Return what a pull request says about a change: decision, figures, five changed steps, method."""
    sections: list[Section] = []
    before, after = runs
    if before is not None and after is not None:
        sections.append(_compare_figures(decision, before, after))
    for step in (*decision.worse, *decision.better)[:_COMMENTED]:
        word = "Got worse" if step.difference < 0 else "Got better"
        sections.append(Transcript(tuple(_list_lines(step, decision)), f"{word}: {step.case}"))
    rest = len(decision.worse) + len(decision.better) - _COMMENTED
    if rest > 0:
        sections.append(Note(f"{tell_count(rest, 'more step')} changed."))
    measured = Figures(list_figures(after)) if after is not None else Figures(())
    return View(
        f"{decision.before} → {decision.after}",
        "comparison",
        make_headline(decision),
        sections=tuple(sections),
        signature=sign_intervals(method, [measured]),
    )


def _compare_figures(decision: Decision, before: AnyRun, after: AnyRun) -> Table:
    found = {figure.name: figure for figure in list_figures(after)}
    rows = tuple(
        (
            name_figure(one),
            show_measurement(one.measured, one.unit),
            show_measurement(other.measured, one.unit),
        )
        for one in list_figures(before)
        if (other := found.get(one.name)) is not None
    )
    return Table("Figures", (Column("figure"), Column(decision.before), Column(decision.after)), rows)


def list_changes(decision: Decision, heads: tuple[str, str] = ("before", "after")) -> Iterator[Table]:
    """Yield what got worse, and what got better; heads are of the columns with the answers."""
    for title, steps in (("Newly failing", decision.worse), ("Newly passing", decision.better)):
        if not steps:
            continue
        rest = f"{len(steps)} in all: only the first {_MOST} are listed, --json has the rest"
        yield _make_table(
            f"{title} ({len(steps)})", steps[:_MOST], decision, heads, rest * (len(steps) > _MOST)
        )


def _make_table(
    title: str, steps: Sequence[ChangedStep], decision: Decision, heads: tuple[str, str], rest: str
) -> Table:
    """Return changed steps as rows; a column that has nothing in any of them is left out."""
    is_talk = decision.activity in _TALKS
    look = Look.TEXT if is_talk else Look.CODE
    columns = make_columns(
        Code("where"), Column("question" if is_talk else "message"), Column("expected", look),
        *(Column(head, look) for head in heads), "kind",
    )  # fmt: skip
    rows = [
        (step.place, step.message, *_tell_answers(step, decision, "\n"), "; ".join(step.kinds))
        for step in steps
    ]
    kept = [at for at in range(len(columns)) if any(row[at] for row in rows)]
    return Table(
        title, tuple(columns[at] for at in kept), tuple(tuple(row[at] for at in kept) for row in rows), rest
    )
