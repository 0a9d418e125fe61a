"""The whole dialogue of every sample, one file each."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

from du_eval.agents.results import AgentRun, CaseResult, InteractionResult, Outcome, SampleResult
from du_eval.errors import ReportError

_UNSAFE = re.compile(r"[^\w.-]+")


def write_transcripts(run: AgentRun, folder: Path) -> int:
    """Write one text file a sample below a folder; return how many."""
    count = 0
    try:
        for case in run.cases:
            place = folder / _UNSAFE.sub("_", case.case.name) / _UNSAFE.sub("_", case.connection.name)
            place.mkdir(parents=True, exist_ok=True)
            for sample in case.samples:
                path = place / f"sample_{sample.number}.txt"
                path.write_text(render_transcript(case, sample), encoding="utf-8")
                count += 1
    except OSError as error:
        raise ReportError(f"the transcripts cannot be written below {folder}: {error}") from error
    return count


def render_transcript(case: CaseResult, sample: SampleResult) -> str:
    """Return the dialogue of one sample."""
    lines = [
        f"case:       {case.case.name} ({case.case.file})",
        f"agent:      {case.case.agent} over {case.connection.name}",
        f"sample:     {sample.number} of {case.case.ratio.samples}",
        f"outcome:    {sample.outcome}",
        f"seconds:    {sample.seconds:.3f}",
    ]
    lines += [f"error:      {sample.error}"] if sample.error else []
    for number, interaction in enumerate(sample.interactions, 1):
        lines += ["", f"--- interaction {number}, {interaction.seconds:.3f} s", *_interaction(interaction)]
    return "\n".join(lines) + "\n"


def _interaction(interaction: InteractionResult) -> Iterator[str]:
    yield f"user:       {interaction.text}"
    reply = interaction.reply
    if reply is None:
        yield f"error:      {interaction.error}"
        return
    for message in reply.messages[:-1]:
        told = message.text or json.dumps(message.structure, ensure_ascii=False)
        yield f"  [{message.type} {message.origin}] {told}"
    yield f"agent:      {reply.text}"
    for part in ("structure", "sly_data"):
        if getattr(reply, part) is not None:
            yield f"{part + ':':<12}{json.dumps(getattr(reply, part), ensure_ascii=False)}"
    if reply.usage:
        yield f"usage:      {reply.usage.total_tokens} tokens, cost {reply.usage.cost}"
    for check in interaction.checks:
        mark = {Outcome.PASSED: "+", Outcome.FAILED: "-", Outcome.ERRORED: "!"}[check.outcome]
        detail = check.message or f"{check.subject} is as expected {check.expected}"
        yield f"  {mark} {check.subject} {check.check}: {detail}"
