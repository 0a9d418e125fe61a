"""The whole dialogue of every sample of agent cases, one file each."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from du_eval.agents.detail import AgentExtra, Talk
from du_eval.agents.results import InteractionResult
from du_eval.errors import ReportError
from du_eval.reports.views.agent_tables import tell_json
from du_eval.runs.outcome import Outcome
from du_eval.runs.record import Case, Result, Run

_UNSAFE = re.compile(r"[^\w.-]+")
_MARKS = {Outcome.PASSED: "+", Outcome.FAILED: "-"}


def write_transcripts(run: Run[Talk, AgentExtra], folder: Path) -> int:
    """Write one text file a sample below a folder; return how many."""
    count = 0
    try:
        for case in run.cases:
            for result in case.results:
                place = folder / _UNSAFE.sub("_", case.name) / _UNSAFE.sub("_", result.detail.connection)
                place.mkdir(parents=True, exist_ok=True)
                path = place / f"sample_{result.key.sample}.txt"
                path.write_text(render_transcript(case, result), encoding="utf-8")
                count += 1
    except OSError as error:
        raise ReportError(f"the transcripts cannot be written below {folder}: {error}") from error
    return count


def render_transcript(case: Case[Talk], result: Result[Talk]) -> str:
    """Return the dialogue of one sample."""
    talk = result.detail
    lines = [
        f"case:       {case.name} ({case.file})",
        f"agent:      {talk.agent} over {talk.connection}",
        f"sample:     {result.key.sample} of {case.ratio.of if case.ratio else 1}",
        f"outcome:    {result.outcome}",
        f"seconds:    {result.seconds or 0:.3f}",
    ]
    if result.error and not any(one.error for one in talk.interactions):
        lines.append(f"error:      {result.error}")
    for number, interaction in enumerate(talk.interactions, 1):
        lines += ["", f"--- interaction {number}, {interaction.seconds:.3f} s", *_interaction(interaction)]
    return "\n".join(lines) + "\n"


def _interaction(interaction: InteractionResult) -> Iterator[str]:
    yield f"user:       {interaction.text}"
    reply = interaction.reply
    if reply is None:
        yield f"error:      {interaction.error}"
        return
    for message in reply.messages[:-1]:
        told = message.text or tell_json(message.structure)
        yield f"  [{message.type} {message.origin}] {told}"
    yield f"agent:      {reply.text}"
    for part in ("structure", "sly_data"):
        if getattr(reply, part) is not None:
            yield f"{part + ':':<12}{tell_json(getattr(reply, part))}"
    if reply.usage:
        yield f"usage:      {reply.usage.total_tokens} tokens, cost {reply.usage.cost}"
    for check in interaction.checks:
        detail = check.message or f"{check.subject} is as expected {check.expected}"
        yield f"  {_MARKS.get(check.outcome, '!')} {check.subject} {check.check}: {detail}"
