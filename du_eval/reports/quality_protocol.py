"""A report of the persona protocol, as text and as data."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

from du_eval.quality.protocol.annotate import Agreement
from du_eval.quality.protocol.model import Criterion
from du_eval.quality.protocol.run import ProtocolDialogue, ProtocolReport
from du_eval.reports.text import UNDEFINED, number

_BOOLEAN = (Criterion.NAME, Criterion.HELLO_BYE)


def protocol_text(report: ProtocolReport) -> str:
    """Return a line for each criterion."""
    return "\n".join(_lines(report)) + "\n"


def _lines(report: ProtocolReport) -> Iterator[str]:
    turns = [outcome for one in report.dialogues for outcome in one.outcomes]
    yield f"{report.bot}: {len(report.dialogues)} dialogues, {len(turns)} replies, language {report.language}"
    missing = [outcome for outcome in turns if outcome != "answered"]
    if missing:
        shown = ", ".join(f"{missing.count(name)} {name}" for name in sorted(set(missing)))
        yield f"no reply: {shown} (counted here, and in no rate)"
    yield ""
    yield f"{'criterion':22} {'value':>7}  {'95 % interval':13}  n"
    for result in report.results:
        rate, interval = result.rate, result.rate.interval
        spread = f"{interval.low:.0%}–{interval.high:.0%}" if interval else UNDEFINED
        value = UNDEFINED if rate.value is None else f"{rate.value:.0%}"
        unit = " dialogues" if result.criterion in _BOOLEAN else ""
        unclear = f", {result.unclear} unclear" if result.unclear else ""
        extra = f"; {result.extra}" if result.extra else ""
        yield f"{result.criterion:22} {value:>7}  {spread:13}  {rate.n}{unit}{unclear}{extra}"
    censored = sum(count is None for count in report.switches)
    never = f", {censored} never came about" if censored else ""
    yield (
        f"{Criterion.TOPIC:22} {number(report.mean_switch, 1):>7}  {'utterances':13}  "
        f"{len(report.switches)} switches{never}"
    )
    yield ""
    yield f"judges: {report.judges}"


def protocol_data(report: ProtocolReport) -> dict[str, Any]:
    """Return everything as plain data."""
    return {
        "language": report.language,
        "bot": report.bot,
        "judges": report.judges,
        "criteria": {
            str(result.criterion): {
                "value": result.rate.value,
                "n": result.rate.n,
                "interval": [result.rate.interval.low, result.rate.interval.high]
                if result.rate.interval
                else None,
                "unclear": result.unclear,
                **({"extra": result.extra} if result.extra else {}),
            }
            for result in report.results
        },
        "topic_switch_trying": {"mean": report.mean_switch, "switches": list(report.switches)},
        "decisions": [asdict(item) for item in report.judged],
        "dialogues": [_dialogue(one) for one in report.dialogues],
    }


def _dialogue(dialogue: ProtocolDialogue) -> dict[str, Any]:
    turns = [
        {
            "user": spoken.utterance.text,
            "bot": spoken.reply,
            "block": spoken.utterance.block,
            "topic": spoken.utterance.topic,
            "outcome": outcome,
        }
        for spoken, outcome in zip(dialogue.spoken, dialogue.outcomes, strict=True)
    ]
    return {"number": dialogue.number, "name": dialogue.name, "turns": turns}


def agreement_text(found: Sequence[Agreement]) -> str:
    """Return how a person and the judge agree."""
    lines = [f"{'criterion':22} {'same':>9}  kappa"]
    lines += [f"{one.name:22} {f'{one.same}/{one.n}':>9}  {number(one.kappa)}" for one in found]
    return "\n".join(lines) + "\n"
