"""A judged run of the persona protocol as the record that is stored, shown and compared."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace

from du_eval.chatters.replies import Exchange
from du_eval.protocol.criteria import CriterionRuling
from du_eval.protocol.detail import KIND, ProtocolExtra, TurnDetail
from du_eval.protocol.model import Criterion
from du_eval.protocol.run import ProtocolReport, Switch, decide_greetings
from du_eval.protocol.talk import ProtocolDialogue
from du_eval.runs.figures import Direction, Figure
from du_eval.runs.outcome import Outcome, combine
from du_eval.runs.record import Case, Check, Head, Key, Result, Run
from du_eval.statistics.clusters import clustered_proportion
from du_eval.statistics.intervals import Measurement

SWITCHED = "topic_switched"
OF_ALL, AT_LEAST = f"{Criterion.REPEATING}.of_all", f"{Criterion.TOPIC}.at_least"
_ANSWERED, _EMPTY = "answered", "empty"
_WHOLE = frozenset({Criterion.NAME, Criterion.HELLO_BYE, Criterion.TOPIC})
"""Criteria of which a dialogue or a switch has one value: single replies enter no rate of them."""
ProtocolRun = Run[TurnDetail, ProtocolExtra]


def record_protocol(report: ProtocolReport, head: Head | None = None) -> ProtocolRun:
    """Return the record of a judged run; `head` brings what only the caller knows."""
    return Run(
        head=replace(
            head or Head(KIND.name),
            subject=report.bot,
            unit="replies",
            decides=False,
            signature=f"language:{report.language}",
            settings={"language": report.language, "judges": report.judges},
        ),
        cases=tuple(_case(one, report) for one in report.dialogues),
        figures=tuple(_figures(report)),
        notes=report.notes,
        extra=ProtocolExtra(
            language=report.language,
            judges=report.judges,
            criteria=report.results,
            switches=report.switches,
            limit=report.limit,
            unjudged_switches=report.unjudged_switches,
            replies=Counter(outcome for one in report.dialogues for outcome in one.outcomes),
            cut=sum(not one.is_whole for one in report.dialogues),
        ),
    )


def _figures(report: ProtocolReport) -> Iterator[Figure]:
    """Yield the eight criteria, and then what else is known about them."""
    of_all: Measurement | None = None
    for result in report.results:
        of_all = result.of_all or of_all
        better = Direction.LOWER if result.criterion is Criterion.REPEATING else Direction.HIGHER
        yield Figure(str(result.criterion), result.rate, better=better, is_headline=True)
    done = sum(length is not None for length in report.switches)
    mean = Measurement(report.mean_switch, done)
    least = Measurement(report.mean_with_censored, len(report.switches))
    yield Figure(str(Criterion.TOPIC), mean, "", Direction.LOWER, "utterances", is_headline=True)
    yield Figure(AT_LEAST, least, "topic_switch_trying, at least", Direction.LOWER, "utterances")
    yield Figure(SWITCHED, _measure_switched(report.switched), "topic switches that came about")
    if of_all is not None:
        yield Figure(OF_ALL, of_all, "repeating, of the utterances of both sides", Direction.LOWER)


def _measure_switched(switched: Sequence[Switch]) -> Measurement:
    clusters: dict[int, list[bool]] = defaultdict(list)
    for one in switched:
        clusters[one.dialogue].append(one.length is not None)
    return clustered_proportion([(sum(found), len(found)) for found in clusters.values()])


def _case(dialogue: ProtocolDialogue, report: ProtocolReport) -> Case[TurnDetail]:
    name = f"dialogue {dialogue.number}"
    mine = [one for one in report.judged if one.dialogue == dialogue.number]
    whole = [one for one in mine if one.criterion is Criterion.NAME]
    replies = [
        _reply(
            Key(case=name, step=turn + 1),
            dialogue,
            [one for one in mine if one.turn == turn and one not in whole],
        )
        for turn in range(len(dialogue.spoken))
    ]
    switches = [_switch(name, one) for one in report.switched if one.dialogue == dialogue.number]
    return Case("", name, (*replies, _dialogue(dialogue, mine), *switches))


def _reply(key: Key, dialogue: ProtocolDialogue, found: Sequence[CriterionRuling]) -> Result[TurnDetail]:
    utterance, exchange = dialogue.spoken[key.step - 1].utterance, dialogue.exchanges[key.step - 1]
    told = f"{exchange.outcome}: {exchange.detail}" if exchange.detail else str(exchange.outcome)
    detail = TurnDetail(
        exchange.prompt, exchange.reply, str(exchange.outcome), exchange.detail, utterance.block,
        utterance.topic, tuple(found),
    )  # fmt: skip
    return Result(
        key,
        _become(exchange, found),
        detail,
        asked=exchange.prompt,
        expected=tuple(str(one.criterion) for one in found),
        actual=(exchange.reply,) if exchange.reply else (),
        mistakes=_list_mistakes(found),
        checks=tuple(_check(one) for one in found if one.criterion not in _WHOLE),
        error="" if exchange.outcome in {_ANSWERED, _EMPTY} else told,
        question=f"{utterance.block}|{exchange.prompt}",
        seconds=exchange.seconds,
    )


def _list_mistakes(found: Sequence[CriterionRuling]) -> tuple[str, ...]:
    return tuple(str(one.criterion) for one in found if one.outcome is Outcome.FAILED)


def _become(exchange: Exchange, found: Sequence[CriterionRuling]) -> Outcome | None:
    """Return what became of a reply: an empty one cannot be judged, none at all is an error."""
    if exchange.outcome != _ANSWERED:
        return Outcome.UNDECIDED if exchange.outcome == _EMPTY else Outcome.ERRORED
    return combine([one.outcome for one in found]) if found else None


def _check(one: CriterionRuling) -> Check:
    """Return a decision with its score: 1 where it is satisfactory, or where a reply is a repetition."""
    outcome = one.outcome
    counted = Outcome.FAILED if one.criterion is Criterion.REPEATING else Outcome.PASSED
    score = float(outcome is counted) if outcome.is_judged else None
    return Check(str(one.criterion), outcome, score, one.reason, one.judge, one.confidence)


def _dialogue(dialogue: ProtocolDialogue, mine: Sequence[CriterionRuling]) -> Result[TurnDetail]:
    """Return what is decided once for a dialogue: whether the name is kept, and both ends are polite."""
    named = [one for one in mine if one.criterion is Criterion.NAME]
    found = [*named, *decide_greetings([one for one in mine if one.criterion is Criterion.HELLO_BYE])]
    return Result(
        Key(case=f"dialogue {dialogue.number}"),
        combine([one.outcome for one in found]) if found else None,
        TurnDetail(decisions=tuple(named)),
        asked=f"the whole dialogue, with {dialogue.name}",
        expected=tuple(str(one.criterion) for one in found),
        actual=tuple(f"{one.criterion}: {one.reason}" for one in found),
        mistakes=_list_mistakes(named),
        checks=tuple(map(_check, found)),
        question="dialogue",
    )


def _switch(case: str, one: Switch) -> Result[TurnDetail]:
    """Return whether a switch of topic came about, and after how many utterances."""
    is_done = one.length is not None
    outcome = Outcome.PASSED if is_done else Outcome.FAILED
    checks = [Check(SWITCHED, outcome, float(is_done))]
    if one.length is not None:
        checks.append(Check(str(Criterion.TOPIC), None, float(one.length)))
    return Result(
        Key(case=case, variant=f"switch {one.number}"),
        None,
        TurnDetail(topic=one.topic),
        asked=f"topic switch {one.number}, to {one.topic}",
        actual=(f"after {one.length} utterances" if is_done else "never",),
        checks=tuple(checks),
        question=f"{Criterion.TOPIC} {one.number}",
    )
