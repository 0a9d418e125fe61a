"""A report of the persona protocol, as text and as data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

from du_eval.quality.protocol.annotate import Agreement
from du_eval.quality.protocol.model import Criterion
from du_eval.quality.protocol.run import ProtocolReport
from du_eval.quality.protocol.talk import ProtocolDialogue
from du_eval.reports.text import UNDEFINED, number
from du_eval.statistics.intervals import Measurement

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
    cut = sum(not one.is_whole for one in report.dialogues)
    if cut:
        yield f"not held to the end: {cut} of {len(report.dialogues)} dialogues"
    yield ""
    yield f"{'criterion':22} {'value':>7}  {'95 % interval':13}  n"
    for result in report.results:
        unit = " dialogues" if result.criterion in _BOOLEAN else ""
        unclear = f", {result.unclear} unclear" if result.unclear else ""
        if result.of_all is not None:
            yield f"{_rate(str(result.criterion), result.of_all)} utterances of both sides"
            yield f"{_rate('  of its replies', result.rate)} replies{unclear}"
        else:
            yield f"{_rate(str(result.criterion), result.rate)}{unit}{unclear}"
    yield from _switch_lines(report)
    yield ""
    yield f"judges: {report.judges}"


def _rate(name: str, rate: Measurement) -> str:
    spread = f"{rate.interval.low:.0%}–{rate.interval.high:.0%}" if rate.interval else UNDEFINED
    value = UNDEFINED if rate.value is None else f"{rate.value:.0%}"
    return f"{name:22} {value:>7}  {spread:13}  {rate.n}"


def _switch_lines(report: ProtocolReport) -> Iterator[str]:
    censored = sum(count is None for count in report.switches)
    never = f", {censored} not within {report.limit} utterances" if censored else ""
    unjudged = f", {report.unjudged_switches} without any reply" if report.unjudged_switches else ""
    yield (
        f"{Criterion.TOPIC:22} {number(report.mean_switch, 1):>7}  {'utterances':13}  "
        f"{len(report.switches)} switches{never}{unjudged}"
    )
    if censored:
        least = number(report.mean_with_censored, 1)
        yield f"{'  with those, at least':22} {least:>7}  {'utterances':13}  {len(report.switches)} switches"


def protocol_data(report: ProtocolReport) -> dict[str, Any]:
    """Return everything as plain data."""
    return {
        "language": report.language,
        "bot": report.bot,
        "judges": report.judges,
        "criteria": {
            str(result.criterion): {
                **_measured(result.rate),
                "unclear": result.unclear,
                **({"extra": result.extra} if result.extra else {}),
                **({"of_all_utterances": _measured(result.of_all)} if result.of_all is not None else {}),
            }
            for result in report.results
        },
        "topic_switch_trying": {
            "mean": report.mean_switch,
            "switches": list(report.switches),
            "limit": report.limit,
            "censored": sum(count is None for count in report.switches),
            "mean_at_least": report.mean_with_censored,
            "unjudged": report.unjudged_switches,
        },
        "replies": dict(Counter(outcome for one in report.dialogues for outcome in one.outcomes)),
        "decisions": [asdict(item) for item in report.judged],
        "dialogues": [_dialogue(one) for one in report.dialogues],
    }


def _measured(rate: Measurement) -> dict[str, Any]:
    interval = rate.interval
    return {
        "value": rate.value,
        "n": rate.n,
        "interval": [interval.low, interval.high] if interval else None,
    }


def _dialogue(one: ProtocolDialogue) -> dict[str, Any]:
    return {
        "number": one.number,
        "name": one.name,
        "is_whole": one.is_whole,
        "turns": [
            {
                "block": said.utterance.block,
                "topic": said.utterance.topic,
                "user": exchange.prompt,
                "bot": exchange.reply,
                "outcome": str(exchange.outcome),
                **({"detail": exchange.detail} if exchange.detail else {}),
                "seconds": exchange.seconds,
            }
            for said, exchange in zip(one.spoken, one.exchanges, strict=True)
        ],
    }


def protocol_summary(report: ProtocolReport) -> dict[str, Any]:
    """Return the headline of a report, for a history of many runs."""
    figures = {str(result.criterion): result.rate.value for result in report.results}
    figures[str(Criterion.TOPIC)] = report.mean_switch
    return {
        "generator": report.bot,
        "language": report.language,
        "figures": {name: value for name, value in figures.items() if value is not None},
        "dialogues": len(report.dialogues),
        "replies": sum(len(one.outcomes) for one in report.dialogues),
    }


def agreement_text(found: Sequence[Agreement]) -> str:
    """Return how a person and the judge agree."""
    lines = [f"{'criterion':22} {'same':>9}  kappa"]
    lines += [f"{one.name:22} {f'{one.same}/{one.n}':>9}  {number(one.kappa)}" for one in found]
    return "\n".join(lines) + "\n"
