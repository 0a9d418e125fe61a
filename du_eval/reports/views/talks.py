"""What the views of conversations have in common: who talked, who was silent, what was said before."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from du_eval.reports.sections import Note, Tone, Transcript, TranscriptLine
from du_eval.runs.record import AnyRun


def make_talk_headline(run: AnyRun, talks: str, replies: int, more: str = "") -> Note:
    """Return who talked how much; the criteria decide, each on its own, so there is no verdict."""
    count = sum(run.totals.cases.values()) if run.totals else len(run.cases)
    held = f"{count} {talks}{'s' * (count != 1)}, {replies} replies{more}"
    text = f"{run.head.subject}: {held}"
    if run.unfinished:
        return Note(f"Not finished ({run.unfinished}). So far: {text}", Tone.OPEN)
    return Note(text)


def list_silence(replies: Mapping[str, int]) -> Iterator[Note]:
    """Yield how often there was no reply, and why."""
    silent = {name: count for name, count in replies.items() if name != "answered"}
    if silent:
        shown = ", ".join(f"{count} {name}" for name, count in sorted(silent.items()))
        yield Note(f"no reply: {shown} (counted here, and in no rate)", Tone.OPEN)


def make_transcript(tester: str, said: Iterable[tuple[str, str]]) -> Transcript:
    """Return what the tester said and the bot replied."""
    lines = [
        line
        for text, reply in said
        for line in (TranscriptLine(tester, text), TranscriptLine("bot", reply or "(no reply)"))
    ]
    return Transcript(tuple(lines), "Conversation")
